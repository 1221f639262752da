//! The library calls the system's mathematics only where every system returns the same bits: roundings,
//! remainders, powers of two. Sines, logarithms and the like come from the crate libm, and powers with a
//! variable exponent are products. Systems differ in the last bit of the others, and the compiler calls them
//! without a word in the source: `powi` is a loop on Linux and `powf` on Windows.
#![cfg(unix)]

use crate::common::{has_tool, library_folder, succeed};
use std::process::Command;

/// Names in C, of which those for float end in `f`. `rint` is exact, but reads the host's rounding mode.
const DIFFERENT: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "hypot",
    "lgamma",
    "llrint",
    "log",
    "log10",
    "log1p",
    "log2",
    "lrint",
    "nearbyint",
    "pow",
    "rint",
    "sin",
    "sincos",
    "sinh",
    "tan",
    "tanh",
    "tgamma",
];
/// `powi`, from the compiler's own library.
const POWERS: &[&str] = &["__powisf2", "__powidf2"];
/// Parts of the archive that come with the compiler: the standard library has functions for all of these.
const COMPILERS: &[&str] = &["std-", "core-", "alloc-", "compiler_builtins-"];

fn is_different(name: &str) -> bool {
    let named = |name: &str| DIFFERENT.contains(&name);
    named(name) || name.strip_suffix('f').is_some_and(named) || POWERS.contains(&name)
}

#[test]
fn nothing_else_is_called() {
    assert!(["sin", "log2f", "__powisf2"].into_iter().all(is_different) && !is_different("floorf"));
    if !has_tool("nm") {
        return;
    }
    let output = succeed(Command::new("nm").args(["-A", "-u"]).arg(library_folder().join("libvorton.a")));
    let text = String::from_utf8_lossy(&output.stdout);
    // archive:object:  U name
    let calls: Vec<_> = text
        .lines()
        .filter_map(|line| {
            let object = line.split(':').nth(1)?;
            let name = line.split_whitespace().next_back()?;
            (!COMPILERS.iter().any(|part| object.starts_with(part))).then_some((object, name))
        })
        .collect();
    assert!(calls.iter().any(|(_, name)| *name == "memcpy"), "calls were found");
    let different: Vec<_> = calls.iter().filter(|(_, name)| is_different(name)).collect();
    assert!(different.is_empty(), "{different:#?}");
}
