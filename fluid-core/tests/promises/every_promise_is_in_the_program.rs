//! Each crate's `tests/promises/main.rs` lists every file beside it: an unlisted file would silently not be
//! tested.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn names_of(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let names = entries.map(|entry| entry.expect("readable").file_name().into_string().expect("plain names"));
    names.filter_map(|name| name.strip_suffix(".rs").map(str::to_owned)).collect()
}

/// Modules without a `path` attribute, which lie beside `main.rs`.
fn listed_in(source: &str) -> BTreeSet<String> {
    let mut before = "";
    let mut listed = BTreeSet::from(["main".to_owned()]);
    for line in source.lines() {
        if let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';'))
            && !before.starts_with("#[path")
        {
            listed.insert(name.to_owned());
        }
        before = line;
    }
    listed
}

#[test]
fn main_lists_every_file_beside_it() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut crates = 0;
    for entry in fs::read_dir(&workspace).expect("the workspace is readable") {
        let folder = entry.expect("readable").path().join("tests/promises");
        if folder.is_dir() {
            let source = fs::read_to_string(folder.join("main.rs")).expect("a program has a main.rs");
            assert_eq!(listed_in(&source), names_of(&folder), "{}", folder.display());
            crates += 1;
        }
    }
    assert!(crates >= 6, "of core, bodies, particles, scenes, threads and the C interface");
}

#[test]
fn what_is_not_listed_is_noticed() {
    let listed = listed_in("#[path = \"../common/mod.rs\"]\nmod common;\n\nmod one;\n// mod two;\n");
    assert_eq!(listed.into_iter().collect::<Vec<_>>(), ["main", "one"]);
}
