//! C and C++ compilers place every field at the library's offset. tests/c/layout.inc has the offsets; a unit
//! test in src/layout_tests.rs keeps it equal to the library's structs, and the assertions here to the
//! header's.
#![cfg(all(unix, target_pointer_width = "64"))]

use crate::common::{STRICT, c_file, cc, cxx, read, root, succeed};
use std::process::Command;

fn assert_layout(compiler: &str, language: &str, standard: &str) {
    let mut command = Command::new(compiler);
    command.args(["-x", language, "-fsyntax-only"]).arg(format!("-std={standard}")).args(STRICT);
    succeed(command.arg("-I").arg(root().join("include")).arg(c_file("layout.c")));
}

#[test]
fn in_c() {
    // C99 has no static assertions: an array of negative size is used instead.
    for standard in ["c99", "c11"] {
        assert_layout(&cc(), "c", standard);
    }
}

#[test]
fn in_cxx() {
    if let Some(cxx) = cxx() {
        assert_layout(&cxx, "c++", "c++11");
    }
}

#[test]
fn every_struct_of_the_header_is_checked() {
    let (header, layout) = (read("include/vorton.h"), read("fluid-ffi/tests/c/layout.inc"));
    let structs = header.lines().filter_map(|line| line.strip_prefix("typedef struct ")?.strip_suffix(" {"));
    let mut count = 0;
    for name in structs {
        assert!(layout.contains(&format!("STRUCT({name}, ")), "{name} is not in layout.inc");
        count += 1;
    }
    assert_eq!(count, layout.matches("STRUCT(").count() - 1, "layout.inc has structs that the header lacks");
}
