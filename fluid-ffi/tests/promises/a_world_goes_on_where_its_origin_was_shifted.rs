//! A C program shifts the origins of worlds: samples, moments and everything else come along, the fluid goes
//! on as without a shift, and far from the origin it goes on better.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn a_world_with_everything_in_it_comes_along() {
    run_c("origin");
}
