//! Every function, for every misuse that it can detect, returns the right code, describes the error, and
//! changes nothing: tests/c/misuse.c.
#![cfg(unix)]

use crate::common::{functions_in_header, read, run_c};

/// Functions that cannot be misused.
const HARMLESS: &[&str] = &["vorton_abi_version", "vorton_version", "vorton_build_info"];

#[test]
fn every_misuse_is_refused_and_changes_nothing() {
    let output = run_c("misuse");
    let refused: u32 =
        output.split(' ').next().and_then(|number| number.parse().ok()).expect("a number of refusals");
    assert!(refused > 1000, "only {refused} calls were refused");
}

#[test]
fn every_function_is_misused() {
    let program = read("fluid-ffi/tests/c/misuse.c");
    // Called, or passed to a macro that calls it.
    let is_misused = |name: &str| ['(', ','].iter().any(|end| program.contains(&format!("{name}{end}")));
    for name in functions_in_header() {
        assert!(HARMLESS.contains(&name.as_str()) || is_misused(&name), "{name} is not misused");
    }
}
