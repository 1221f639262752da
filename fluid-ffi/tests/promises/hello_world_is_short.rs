//! The first program of the README is tests/c/hello.c, is short, and works.
#![cfg(unix)]

use crate::common::{c_file, cxx, link, read, run_c, scratch, succeed};
use std::process::Command;

#[test]
fn the_readmes_first_program_is_short_and_works() {
    let program = read("fluid-ffi/tests/c/hello.c");
    assert!(program.lines().count() <= 40);
    assert!(
        read("README.md").contains(&format!("```c\n{program}```")),
        "README.md does not show tests/c/hello.c"
    );
    // The ring travels at circulation / (4 pi radius) (ln(8 radius / core) - 0.56) = 1.2 m/s; on its axis,
    // 0.2 m behind it, a thin ring moves the fluid at 0.5 circulation radius^2 / (radius^2 + 0.2^2)^1.5 = 2.3
    // m/s.
    assert!(run_c("hello").starts_with("the fluid at (0, 0, 1) moves at 2."));
}

#[test]
fn it_is_cxx_too() {
    let Some(cxx) = cxx() else { return };
    let folder = scratch("hello_cxx");
    let source = folder.join("hello.cpp");
    std::fs::copy(c_file("hello.c"), &source).expect("the folder is writable");
    link(&cxx, "c++11", &[source], &folder.join("hello"), &[]);
    succeed(&mut Command::new(folder.join("hello")));
}
