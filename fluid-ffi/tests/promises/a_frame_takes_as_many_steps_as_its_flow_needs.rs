//! `vorton_world_advance` equals the number of steps that it reports, and steps too coarse for the flow are
//! reported: tests/c/advance.c.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn and_says_how_many() {
    assert!(run_c("advance").starts_with("5 frames in"));
}
