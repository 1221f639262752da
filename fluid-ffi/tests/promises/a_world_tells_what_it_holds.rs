//! A host can read back everything that it has put into a world: tests/c/holds.c.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn user_data_definitions_and_lists() {
    assert!(run_c("holds").contains("told all"));
}
