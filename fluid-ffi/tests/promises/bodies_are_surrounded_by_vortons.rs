//! A C program adds vortons without strength around bodies, compares their positions with closed formulas,
//! and moves a body through fluid with them and without.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn which_hold_back_what_would_pass_through_fluid() {
    println!("{}", run_c("surround"));
}
