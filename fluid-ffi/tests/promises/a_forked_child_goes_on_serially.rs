//! A world with a pool of threads goes on in a child process, which has none of them, instead of waiting for
//! them for ever: tests/c/forked.c.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn with_the_same_bits() {
    assert!(run_c("forked").contains("the parent's bits"));
}
