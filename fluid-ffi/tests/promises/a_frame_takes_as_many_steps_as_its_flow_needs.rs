//! `vorton_world_advance` equals as many steps as it says, and steps too coarse for the flow are told:
//! tests/c/advance.c.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn and_says_how_many() {
    assert!(run_c("advance").starts_with("5 frames in"));
}
