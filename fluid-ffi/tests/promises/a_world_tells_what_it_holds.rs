//! A host can ask a world for all that it has put into it: tests/c/holds.c.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn user_data_definitions_and_lists() {
    assert!(run_c("holds").contains("told all"));
}
