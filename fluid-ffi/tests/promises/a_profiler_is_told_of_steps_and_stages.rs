//! A C program counts the zones reported to a profiler.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn one_after_the_other_and_without_changing_a_bit() {
    run_c("zones");
}
