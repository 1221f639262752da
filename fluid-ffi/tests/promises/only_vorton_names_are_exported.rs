//! The header, the source and the libraries name the same functions, the shared library exports nothing else,
//! and every function goes through the guard (src/guard.rs).
#![cfg(unix)]

use crate::common::{functions_in_header, has_tool, library_folder, root, succeed};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Functions that only read and cannot fail, so that they need no guard.
const WITHOUT_GUARD: &[&str] = &[
    "vorton_abi_version",
    "vorton_version",
    "vorton_build_info",
    "vorton_result_name",
    "vorton_last_error",
    "vorton_world_is_valid",
    "vorton_body_is_valid",
    "vorton_shape_is_valid",
    "vorton_emitter_is_valid",
    "vorton_tracers_is_valid",
    "vorton_op_is_valid",
];

/// Returns the texts of all files in a folder, recursively.
fn texts_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the source is there");
    let texts = entries.map(|entry| {
        let path = entry.expect("readable").path();
        if path.is_dir() { texts_in(&path) } else { vec![std::fs::read_to_string(path).expect("UTF-8")] }
    });
    texts.flatten().collect()
}

/// Returns names and bodies of the exported functions in src.
fn functions_in_source() -> BTreeMap<String, String> {
    let mut functions = BTreeMap::new();
    for text in texts_in(&root().join("fluid-ffi/src")) {
        for function in text.split("#[unsafe(no_mangle)]\n").skip(1) {
            let (_, signature) =
                function.split_once("extern \"C\" fn ").expect("exported functions are extern \"C\"");
            let (name, rest) = signature.split_once('(').expect("a function has parameters");
            let (body, _) = rest.split_once("\n}\n").expect("a function ends");
            functions.insert(name.to_owned(), body.to_owned());
        }
    }
    functions
}

/// Helpers that go through the guard themselves, with the parenthesis of a call.
fn guarded_helpers() -> Vec<String> {
    let mut helpers = Vec::new();
    for text in texts_in(&root().join("fluid-ffi/src")) {
        for start in ["\nfn ", "\nunsafe fn ", "\npub(crate) fn ", "\npub(crate) unsafe fn "] {
            for function in text.split(start).skip(1) {
                let body = function.split_once("\n}\n").map_or("", |(body, _)| body);
                let name = function.split(['(', '<']).next().expect("a function has a name");
                if body.contains("guard::run(") {
                    helpers.push(format!("{name}("));
                }
            }
        }
    }
    helpers
}

/// Returns the names printed by nm, without the underscore that some systems prepend to C names.
fn names(arguments: &[&str], library: &str) -> Vec<String> {
    let output = succeed(Command::new("nm").args(arguments).arg(library_folder().join(library)));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let prefix = if cfg!(target_vendor = "apple") { "_" } else { "" };
    let symbol = |line: &str| {
        let name = line.split_whitespace().next_back()?;
        (line.split_whitespace().count() == 3).then(|| name.strip_prefix(prefix).unwrap_or(name).to_owned())
    };
    let mut names: Vec<_> = text.lines().filter_map(symbol).collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn header_and_source_name_the_same_functions() {
    let source: Vec<_> = functions_in_source().into_keys().collect();
    assert!(source.len() > 40, "functions were found in the source: {source:?}");
    assert_eq!(functions_in_header(), source);
}

#[test]
fn every_function_goes_through_the_guard() {
    // Functions on one emitter, on one body and others use a common helper.
    let helpers = guarded_helpers();
    assert!(["with_emitter(", "with_body("].iter().all(|name| helpers.iter().any(|helper| helper == name)));
    for (name, body) in functions_in_source() {
        let direct = body.contains("guard::run(") || body.contains("guard::call(");
        let guarded = direct || helpers.iter().any(|helper| body.contains(helper.as_str()));
        assert_eq!(guarded, !WITHOUT_GUARD.contains(&name.as_str()), "{name}");
    }
}

#[test]
fn the_archive_has_these_functions() {
    if has_tool("nm") {
        let mut names = names(&["-g"], "libvorton.a");
        names.retain(|name| name.starts_with("vorton_"));
        assert_eq!(names, functions_in_header());
    }
}

#[test]
fn the_shared_library_exports_nothing_else() {
    let library = if cfg!(target_vendor = "apple") { "libvorton.dylib" } else { "libvorton.so" };
    let arguments: &[&str] = if cfg!(target_vendor = "apple") { &["-g"] } else { &["-D", "--defined-only"] };
    if has_tool("nm") {
        assert_eq!(names(arguments, library), functions_in_header());
    }
}
