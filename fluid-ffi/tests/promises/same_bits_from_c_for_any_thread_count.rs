//! A C program reads the same bytes for any number of threads, any instruction set and any floating-point
//! mode of the host, and every call restores the mode.
#![cfg(unix)]

use crate::common::run_c_with;

#[test]
fn threads_instructions_and_the_hosts_mode_change_nothing() {
    // The compiler must not constant-fold expressions that depend on the mode.
    let output = run_c_with("same_bits", &["-frounding-math"]);
    assert!(output.contains("runs, hash"));
}
