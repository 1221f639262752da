//! include/vorton_export.h writes the values that the library's functions read, to the last bit, and reports
//! errors; it compiles as every C and C++ standard that it promises. `.ci/foreign-readers` reads its files
//! with other programs.
#![cfg(unix)]

use crate::common::{STRICT, c_file, cc, cxx, link, root, run_c, scratch, succeed};
use std::process::Command;

#[test]
fn from_c() {
    run_c("exports");
}

#[test]
fn from_cxx() {
    let Some(cxx) = cxx() else { return };
    let folder = scratch("exports_in_cxx");
    let (source, program) = (folder.join("exports.cpp"), folder.join("exports"));
    std::fs::copy(c_file("exports.c"), &source).expect("the folder is writable");
    let checks = format!("-I{}", root().join("fluid-ffi/tests/c").display());
    link(&cxx, "c++11", &[source], &program, &[&checks]);
    succeed(&mut Command::new(program));
}

#[test]
fn every_standard_takes_it() {
    let source = scratch("exports_twice").join("twice.c");
    let text = "#include <vorton_export.h>\n#include <vorton_export.h>\n";
    std::fs::write(&source, text).expect("the folder is writable");
    let c = ["c99", "c11", "c17", "c2x"].map(|standard| (cc(), "c", standard, "-Wmissing-prototypes"));
    let cxx = cxx().map(|cxx| {
        ["c++11", "c++14", "c++17", "c++20"]
            .map(|standard| (cxx.clone(), "c++", standard, "-Wold-style-cast"))
    });
    for (compiler, language, standard, warning) in c.into_iter().chain(cxx.into_iter().flatten()) {
        let command = |file: &std::path::Path| {
            let mut command = Command::new(&compiler);
            command.args(["-x", language, "-fsyntax-only"]).arg(format!("-std={standard}")).arg(file);
            command
        };
        if !command("/dev/null".as_ref()).output().is_ok_and(|output| output.status.success()) {
            eprintln!("note: {compiler} does not know {standard}, so it is not checked");
            continue;
        }
        let mut strict = command(&source);
        strict.args(STRICT).args(["-Wdouble-promotion", "-Wcast-align", warning]);
        succeed(strict.arg("-I").arg(root().join("include")));
    }
}
