//! A C program lets warm jets and their tracers out.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn with_tracers_saved_and_restored() {
    run_c("emitters");
}
