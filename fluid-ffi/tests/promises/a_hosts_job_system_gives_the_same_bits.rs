//! Worlds on a host's job system, for any scheduling of its tasks, and on shared pools:
//! tests/c/host_threads.c.
#![cfg(unix)]

use crate::common::run_c_with;

#[test]
fn however_it_runs_tasks() {
    let output = run_c_with("host_threads", &["-pthread"]);
    assert!(output.contains("the same bits in all"));
}
