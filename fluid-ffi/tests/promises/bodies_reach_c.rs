//! Bodies through the C interface, one by one and in bulk: the results obey physics: tests/c/bodies.c.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn states_go_in_and_impulses_come_out() {
    assert!(run_c("bodies").contains("touched the ball"));
}
