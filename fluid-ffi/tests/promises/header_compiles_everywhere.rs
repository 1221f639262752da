//! vorton.h compiles alone, without a warning, under every promised C and C++ standard, and in any number of
//! files.
#![cfg(unix)]

use crate::common::{STRICT, c_file, cc, cxx, link, root, scratch, succeed};
use std::path::Path;
use std::process::Command;

const C_STANDARDS: &[&str] = &["c99", "c11", "c17", "c2x"];
const CXX_STANDARDS: &[&str] = &["c++11", "c++14", "c++17", "c++20", "c++23"];

fn compile(compiler: &str, language: &str, standard: &str, source: &Path, options: &[&str]) {
    let mut command = Command::new(compiler);
    command
        .args(["-x", language, "-fsyntax-only"])
        .arg(format!("-std={standard}"))
        .args(STRICT)
        .args(options);
    succeed(command.arg("-I").arg(root().join("include")).arg(source));
}

/// Older compilers lack the newest standard, which is not an error of the header.
fn knows(compiler: &str, language: &str, standard: &str) -> bool {
    let mut command = Command::new(compiler);
    command.args(["-x", language, "-fsyntax-only"]).arg(format!("-std={standard}")).arg("/dev/null");
    let known = command.output().is_ok_and(|output| output.status.success());
    if !known {
        eprintln!("note: {compiler} does not know {standard}, so it is not checked");
    }
    known
}

#[test]
fn alone_and_twice_in_every_c() {
    assert!(knows(&cc(), "c", "c99"), "the C compiler does not even compile C99");
    for standard in C_STANDARDS.iter().filter(|standard| knows(&cc(), "c", standard)) {
        for source in ["header_alone.c", "header_twice.c"] {
            compile(&cc(), "c", standard, &c_file(source), &["-Wstrict-prototypes", "-Wmissing-prototypes"]);
        }
    }
}

#[test]
fn alone_and_twice_in_every_cxx() {
    let Some(cxx) = cxx() else { return };
    for standard in CXX_STANDARDS.iter().filter(|standard| knows(&cxx, "c++", standard)) {
        for source in ["header_alone.c", "header_twice.c"] {
            compile(&cxx, "c++", standard, &c_file(source), &["-Wold-style-cast"]);
        }
    }
}

#[test]
fn two_files_that_include_it_link() {
    let folder = scratch("two_files");
    let sources = ["two_files_a.c", "two_files_b.c"].map(c_file);
    link(&cc(), "c99", &sources, &folder.join("c"), &[]);
    succeed(&mut Command::new(folder.join("c")));
    let Some(cxx) = cxx() else { return };
    let copies = sources.map(|source| {
        let copy = folder.join(source.with_extension("cpp").file_name().expect("a file"));
        std::fs::copy(&source, &copy).expect("the folder is writable");
        copy
    });
    link(&cxx, "c++11", &copies, &folder.join("cxx"), &["-Wold-style-cast"]);
    succeed(&mut Command::new(folder.join("cxx")));
}
