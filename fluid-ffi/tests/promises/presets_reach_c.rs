//! A C program adds each effect by name, steps, saves and restores it, and checks that an effect that does
//! not fit changes nothing.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn and_add_all_of_an_effect_or_nothing() {
    println!("{}", run_c("preset"));
}
