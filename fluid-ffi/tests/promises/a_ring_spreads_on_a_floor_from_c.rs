//! Half-spaces through the C interface: tests/c/floor.c.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn and_nonsense_is_refused() {
    assert!(run_c("floor").contains("120 Hz, 3 s: radius 2.71"));
}
