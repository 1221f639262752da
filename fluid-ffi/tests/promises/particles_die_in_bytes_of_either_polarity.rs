//! A C program runs the same operations on particles that are marked dead by a bit of their flags, a bool
//! `alive` or a byte `dead`.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn as_in_flags() {
    run_c("masks");
}
