//! A C program reads the hash in the middle of steps, and compares it with that of a world read only between
//! steps.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn as_the_last_completed_step_has_left_it() {
    run_c("hash_during_steps");
}
