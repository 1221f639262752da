//! A C program bounds levels and deactivates rooms by kill volumes.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn and_nothing_else() {
    run_c("kill_volumes");
}
