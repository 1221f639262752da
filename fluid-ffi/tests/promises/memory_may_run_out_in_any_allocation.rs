//! Calls that add to a world, made without memory from their n-th allocation on, for every n.
#![cfg(target_os = "linux")]

use crate::common::run_c;

#[test]
fn and_the_call_completes_or_changes_nothing() {
    run_c("out_of_memory");
}
