//! A C program reads tracers from another thread at the beginning of every stage of every step: the rows are
//! those after the previous step.
#![cfg(unix)]

use crate::common::run_c_with;

#[test]
fn as_the_step_before_has_left_them() {
    run_c_with("tracers_during_steps", &["-pthread"]);
}
