//! A C program shifts the origins of worlds: samples, moments and all other contents are shifted, the flow
//! continues as without a shift, and far from the origin more accurately.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn a_world_with_everything_in_it_comes_along() {
    run_c("origin");
}
