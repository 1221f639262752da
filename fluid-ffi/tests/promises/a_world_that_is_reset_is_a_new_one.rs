//! A C program resets worlds with objects of every kind, and plays the same scenes again.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn with_the_same_bits_and_without_old_ids() {
    run_c("reset");
}
