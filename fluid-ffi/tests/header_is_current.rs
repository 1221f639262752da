//! include/vorton.h is the output of cbindgen for this crate. `VORTON_BLESS=1 cargo test -p fluid-ffi`
//! rewrites it.

use std::path::Path;

#[test]
fn the_committed_header_is_the_generated_one() {
    let crate_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = crate_dir.join("../include/vorton.h");
    let config =
        cbindgen::Config::from_file(crate_dir.join("cbindgen.toml")).expect("cbindgen.toml is valid");
    let mut generated = Vec::new();
    cbindgen::Builder::new()
        .with_crate(crate_dir)
        .with_config(config)
        .generate()
        .expect("cbindgen understands the crate")
        .write(&mut generated);
    let generated = String::from_utf8(generated).expect("UTF-8");
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
