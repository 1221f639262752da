//! A C program compares volumes of texels with samples at their centres.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn as_floats_and_halves_packed_and_with_pitches() {
    run_c("volume");
}
