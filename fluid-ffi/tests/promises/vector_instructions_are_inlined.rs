//! No vector instruction of the library is a function call. Each is a function of the standard library that
//! the compiler inlines only where the caller has the same instructions; a job of lanes that hands its work
//! to a function value (`array::map`, a parameter `impl Fn`) may lose them, and then every product of two
//! vectors is a call that passes them in memory: a third more time for a step on the mesh, and the same bits.
#![cfg(all(unix, target_arch = "x86_64"))]

use crate::common::{has_tool, library_folder, succeed};
use std::process::Command;

#[test]
fn in_the_static_library() {
    if !has_tool("nm") {
        return;
    }
    let mut nm = Command::new("nm");
    let output = succeed(nm.args(["-C", "--defined-only"]).arg(library_folder().join("libvorton.a")));
    let text = String::from_utf8_lossy(&output.stdout);
    // Reading which registers the operating system saves, once in a process, is a call.
    let called = text.lines().filter(|line| line.contains("core_arch") && !line.contains("_xgetbv"));
    let called: Vec<_> = called.collect();
    assert!(called.is_empty(), "{called:#?}");
    assert!(text.contains("avx512"), "the library has no code for wide vectors");
}
