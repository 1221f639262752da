//! Threads that step, sample, operate, read, create and destroy without locking get a result that the header
//! promises, and calls that only read change nothing.
#![cfg(unix)]

use crate::common::run_c_with;

#[test]
fn every_answer_is_done_busy_or_stale() {
    let output = run_c_with("many_threads", &["-pthread"]);
    assert!(output.contains("calls done"));
}
