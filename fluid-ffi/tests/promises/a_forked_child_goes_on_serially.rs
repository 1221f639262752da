//! A world with a thread pool continues in a child process, which has none of the threads, instead of waiting
//! for them for ever: tests/c/forked.c.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn with_the_same_bits() {
    assert!(run_c("forked").contains("the parent's bits"));
}
