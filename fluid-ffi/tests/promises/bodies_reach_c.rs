//! Bodies go into the C interface one by one or in bulk, and what comes out is what physics asks for:
//! tests/c/bodies.c.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn states_go_in_and_impulses_come_out() {
    assert!(run_c("bodies").contains("touched the ball"));
}
