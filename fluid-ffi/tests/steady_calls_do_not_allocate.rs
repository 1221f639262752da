//! What a game calls in every frame does not allocate once it has run for a while: counted by a C program
//! that puts its own malloc in front of the system's.
#![cfg(unix)]

mod common;

use common::run_c;

#[test]
fn a_hundred_frames_without_an_allocation() {
    run_c("no_allocation");
}
