//! include/vorton.h is the output of cbindgen for this crate, in the order of nouns in `header/by_noun.rs`.
//! `VORTON_BLESS=1 cargo test -p fluid-ffi` rewrites it.

mod header;

use std::path::Path;

#[test]
fn the_committed_header_is_the_generated_one() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = folder.join("../include/vorton.h");
    let generated = header::generate(folder);
    // An Option of an alias becomes an opaque struct passed by value, silently (cbindgen issue 326).
    assert!(!generated.contains("Option_"), "a callback alias must contain its Option");
    if std::env::var_os("VORTON_BLESS").is_some() {
        std::fs::write(&path, &generated).expect("include/ is writable");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == generated,
        "include/vorton.h is out of date: VORTON_BLESS=1 cargo test -p fluid-ffi"
    );
}
