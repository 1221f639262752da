//! `vorton_world_step_within` decides by counts alone, and reports its decision: tests/c/budget.c.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn and_say_what_it_decided() {
    assert!(run_c("budget").ends_with("fine ones\n"));
}
