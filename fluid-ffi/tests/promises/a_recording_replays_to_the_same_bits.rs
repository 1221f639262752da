//! An open scene, recorded serially and replayed in a pool: the same hash after each step, the same ids, the
//! same tracers, and a recording of the replay has the same bytes.
#![cfg(unix)]

use crate::common::{c_file, cc, link, scratch, succeed};
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// Runs a part of tests/c/replay.c.
pub(crate) fn run_replay(part: &str) {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let program = scratch("replay").join("replay");
        link(&cc(), "c99", &[c_file("replay.c")], &program, &[]);
        program
    });
    let output = succeed(Command::new(program).arg(part));
    print!("{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn with_any_threads() {
    run_replay("bits");
}
