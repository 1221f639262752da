//! For any finite input to the C interface, no NaN or infinity is returned, and no internal error occurs:
//! tests/c/extremes.c.
#![cfg(unix)]

use crate::common::{c_file, cc, link, scratch, succeed};
use std::process::Command;

fn rounds(first: u32, count: u32) {
    let program = scratch(&format!("extremes_{first}")).join("extremes");
    link(&cc(), "c99", &[c_file("extremes.c")], &program, &[]);
    let output = succeed(Command::new(program).args([first.to_string(), count.to_string()]));
    assert!(String::from_utf8_lossy(&output.stdout).contains("all finite"));
}

// Two tests, so that they run side by side.
#[test]
fn in_a_hundred_worlds() {
    rounds(0, 100);
}

#[test]
fn in_a_hundred_other_worlds() {
    rounds(100, 100);
}

#[test]
#[ignore = "takes an hour and a half"]
fn in_a_hundred_thousand_worlds() {
    rounds(200, 100_000);
}
