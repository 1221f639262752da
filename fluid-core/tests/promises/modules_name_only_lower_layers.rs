//! `lib.rs` lists the modules in layer order, and a module names only modules listed before it. Parts of
//! `boundary` belong to lower layers than the module that combines them. Dependencies between crates are
//! also in one direction only.

use std::fs;
use std::path::{Path, PathBuf};

/// Parts of a module that belong to a lower layer: everything above that layer may name them, and they name
/// nothing above it.
const PARTS: [(&str, &str); 4] = [
    ("boundary::enclosure", "particles"),
    ("boundary::poison", "particles"),
    ("boundary::surfaces", "particles"),
    ("boundary::walls", "density"),
];

fn crate_root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Modules of `lib.rs`, lowest first.
fn layers() -> Vec<String> {
    let module = |line: &str| Some(line.trim_end().strip_suffix(';')?.rsplit_once("mod ")?.1.to_owned());
    read(&crate_root().join("src/lib.rs")).lines().filter_map(module).collect()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("readable").path());
    let files = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    paths.flat_map(files).filter(|path| path.extension().is_some_and(|end| end == "rs")).collect()
}

/// Names that follow `crate::` in the code, without comments; `crate::{a, b}` yields both. A part is listed
/// with its path.
fn named(source: &str) -> Vec<String> {
    let code: String =
        source.lines().map(|line| line.split("//").next().unwrap_or("").to_owned() + "\n").collect();
    let path = |text: &str| {
        text.trim().chars().take_while(|c| c.is_alphanumeric() || "_:".contains(*c)).collect::<String>()
    };
    let word = |text: &str| {
        let path = path(text);
        let part = PARTS.iter().find(|(part, _)| path == *part || path.starts_with(&format!("{part}::")));
        let module = path.split(':').next().unwrap_or_default();
        part.map_or(module, |(part, _)| part).to_owned()
    };
    let after = |rest: &str| match rest.strip_prefix('{') {
        None => vec![word(rest)],
        Some(group) => top_level(group).iter().map(|item| word(item)).collect(),
    };
    code.split("crate::").skip(1).flat_map(after).collect()
}

/// Returns the items of `a::b, c::{d, e}}…`, up to the brace that closes the group.
fn top_level(group: &str) -> Vec<String> {
    let (mut items, mut depth) = (vec![String::new()], 0);
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => items.push(String::new()),
            _ => items.last_mut().expect("never empty").push(c),
        }
    }
    items.retain(|item| !item.trim().is_empty());
    items
}

#[test]
fn in_this_crate() {
    let layers = layers();
    assert_eq!(layers.first().map(String::as_str), Some("constants"));
    assert_eq!(layers.last().map(String::as_str), Some("advance"));
    let rank = |name: &str| {
        let beside = PARTS.iter().find(|(part, _)| *part == name).map_or(name, |(_, beside)| beside);
        layers.iter().position(|layer| layer == beside)
    };
    let root = crate_root().join("src");
    let (mut edges, mut parts) = (0, 0);
    for path in sources(&root) {
        let inside = path.strip_prefix(&root).expect("below the root").with_extension("");
        let module = inside.to_str().expect("UTF-8").replace(std::path::MAIN_SEPARATOR, "::");
        let part = PARTS.iter().find(|(part, _)| *part == module);
        let own = part.map_or(module.split(':').next().unwrap_or_default(), |(part, _)| part).to_owned();
        if own == "lib" {
            continue;
        }
        if part.is_some() {
            let source = read(&root.join(inside.with_extension("rs")));
            let code = source.split("#[cfg(test)]").next().unwrap_or_default();
            assert!(!code.contains("super::"), "{own} names the module above it");
            parts += 1;
        }
        let own_rank = rank(&own).unwrap_or_else(|| panic!("{} is not listed in lib.rs", path.display()));
        for name in named(&read(&path)) {
            let other =
                rank(&name).unwrap_or_else(|| panic!("{} names crate::{name}, no module", path.display()));
            assert!(other <= own_rank, "{} names crate::{name}, which is above {own}", path.display());
            edges += 1;
        }
    }
    // If the search above found nothing, it would prove nothing.
    assert!(edges > 40, "only {edges} names found");
    assert_eq!(parts, PARTS.len(), "a part is not there");
}

#[test]
fn between_crates() {
    let manifest = read(&crate_root().join("Cargo.toml"));
    for above in ["fluid-bodies", "fluid-ffi", "fluid-scenes", "benches"] {
        assert!(!manifest.contains(above), "fluid-core depends on {above}");
    }
    let threads = read(&crate_root().join("../fluid-threads/Cargo.toml"));
    assert!(
        !threads.replace("name = \"fluid-threads\"", "").contains("fluid-core"),
        "fluid-threads depends on fluid-core"
    );
}

#[test]
fn the_search_sees_groups_and_skips_comments() {
    let source = "use crate::{math::Vec3Columns, lanes::{self, Job}};\nuse crate::velocity::Kernel; // crate::sim\n/// [`crate::params`]\n";
    assert_eq!(named(source), ["math", "lanes", "velocity"]);
    let source = "use crate::boundary::walls::Wall;\nuse crate::{boundary::enclosure, boundary::Motion};\n";
    assert_eq!(named(source), ["boundary::walls", "boundary::enclosure", "boundary"]);
}
