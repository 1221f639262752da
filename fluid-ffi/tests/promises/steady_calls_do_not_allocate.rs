//! Per-frame calls do not allocate after a warm-up: counted by a C program that interposes its own malloc.
#![cfg(unix)]

use crate::common::{c_file, cc, link, scratch, succeed};
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

fn a_hundred_frames(solver: &str) {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let program = scratch("no_allocation").join("no_allocation");
        link(&cc(), "c99", &[c_file("no_allocation.c")], &program, &[]);
        program
    });
    let output = succeed(Command::new(program).arg(solver));
    print!("{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn a_hundred_frames_without_an_allocation_directly() {
    a_hundred_frames("direct");
}

#[test]
fn a_hundred_frames_without_an_allocation_on_the_mesh() {
    a_hundred_frames("mesh");
}
