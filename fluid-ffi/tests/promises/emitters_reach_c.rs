//! A C program emits warm jets and their tracers.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn with_tracers_saved_and_restored() {
    run_c("emitters");
}
