//! Each `lib.rs` lists its modules in layer order, and a module names only modules listed before it. Parts of
//! `boundary` belong to lower layers than the module that combines them. Files beside each other do not name
//! each other in a circle, and dependencies between crates are in one direction only. No two types have the
//! same name: a search for a name finds one thing.

use std::collections::{BTreeMap, BTreeSet};
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

/// Modules of `lib.rs` in a folder of sources, lowest first.
fn layers(root: &Path) -> Vec<String> {
    let module = |line: &str| Some(line.trim_end().strip_suffix(';')?.rsplit_once("mod ")?.1.to_owned());
    read(&root.join("lib.rs")).lines().filter_map(module).collect()
}

/// Paths of all modules below `lib.rs` in a folder of sources, with their code: without comments and tests.
fn modules(root: &Path) -> impl Iterator<Item = (String, String)> {
    sources(root).into_iter().filter_map(move |path| {
        let inside = path.strip_prefix(root).expect("below the root").with_extension("");
        let module = inside.to_str().expect("UTF-8").replace(std::path::MAIN_SEPARATOR, "::");
        let code = without_comments(&read(&path));
        let code = code.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
        let module = module.strip_suffix("::mod").unwrap_or(&module).to_owned();
        (module != "lib").then_some((module, code))
    })
}

fn without_comments(source: &str) -> String {
    source.lines().map(|line| line.split("//").next().unwrap_or("").to_owned() + "\n").collect()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("readable").path());
    let files = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    paths.flat_map(files).filter(|path| path.extension().is_some_and(|end| end == "rs")).collect()
}

/// Names that follow `crate::` in code; `crate::{a, b}` yields both. A part is listed with its path.
fn named(code: &str) -> Vec<String> {
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

/// Asserts that modules of the crate in `folder` name only those listed before them, and returns the number
/// of names found and of parts.
fn check_layers(folder: &Path, ends: (&str, &str)) -> (usize, usize) {
    let root = folder.join("src");
    let layers = layers(&root);
    assert_eq!(layers.first().map(String::as_str), Some(ends.0), "{}", folder.display());
    assert_eq!(layers.last().map(String::as_str), Some(ends.1), "{}", folder.display());
    let rank = |name: &str| {
        let beside = PARTS.iter().find(|(part, _)| *part == name).map_or(name, |(_, beside)| beside);
        layers.iter().position(|layer| layer == beside)
    };
    let (mut edges, mut parts) = (0, 0);
    for (module, source) in modules(&root) {
        let part = PARTS.iter().find(|(part, _)| *part == module);
        let own = part.map_or(module.split(':').next().unwrap_or_default(), |(part, _)| part).to_owned();
        if part.is_some() {
            assert!(!source.contains("super::"), "{own} names the module above it");
            parts += 1;
        }
        let own_rank = rank(&own).unwrap_or_else(|| panic!("{module} is not listed in lib.rs"));
        for name in named(&source) {
            // A name at the top of the crate that is not a module is a re-export.
            let Some(other) = rank(&name) else { continue };
            assert!(other <= own_rank, "{module} names crate::{name}, which is above {own}");
            edges += 1;
        }
    }
    (edges, parts)
}

#[test]
fn in_each_crate() {
    let found = check_layers(crate_root(), ("constants", "advance"));
    // If the search found nothing, it would prove nothing.
    assert!(found.0 > 40, "only {} names found", found.0);
    assert_eq!(found.1, PARTS.len(), "a part is not there");
    let workspace = crate_root().join("..");
    check_layers(&workspace.join("fluid-threads"), ("atomic_f32", "shuffled"));
    check_layers(&workspace.join("fluid-bodies"), ("pose", "rigid_body"));
    check_layers(&workspace.join("fluid-particles"), ("view", "ops"));
    let found = check_layers(&workspace.join("fluid-ffi"), ("log", "tests"));
    assert!(found.0 > 400, "only {} names found in fluid-ffi", found.0);
}

/// Modules named in the source of `module`, by `crate::` and `super::`, that are in the crate.
fn edges(module: &str, source: &str, all: &BTreeMap<String, String>) -> BTreeSet<String> {
    let parent = module.rsplit_once("::").map_or("", |(parent, _)| parent);
    let below = |start: &str, rest: &str| match start {
        "" => rest.to_owned(),
        _ => format!("{start}::{rest}"),
    };
    let mut paths = Vec::new();
    for (prefix, start) in [("crate::", ""), ("super::", parent)] {
        for rest in source.split(prefix).skip(1) {
            paths.extend(leaves(rest).iter().map(|leaf| below(start, leaf)));
        }
    }
    // The longest part of a path that is a module.
    let known = |path: &String| {
        let mut path = path.as_str();
        while !all.contains_key(path) {
            path = path.rsplit_once("::")?.0;
        }
        Some(path.to_owned())
    };
    let is_apart = |other: &String| {
        !format!("{module}::").starts_with(&format!("{other}::"))
            && !format!("{other}::").starts_with(&format!("{module}::"))
    };
    paths.iter().filter_map(known).filter(is_apart).collect()
}

/// Paths that start at the beginning of `text`: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn leaves(text: &str) -> Vec<String> {
    let head: String = text.chars().take_while(|c| c.is_alphanumeric() || "_:".contains(*c)).collect();
    let Some(group) = text[head.len()..].strip_prefix('{') else { return vec![head] };
    top_level(group).iter().flat_map(|item| leaves(item.trim())).map(|leaf| head.clone() + &leaf).collect()
}

/// Returns modules that name each other, directly or by others, from `start` back to it.
fn circle(start: &str, graph: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    let (mut seen, mut paths) = (BTreeSet::new(), vec![vec![start.to_owned()]]);
    while let Some(path) = paths.pop() {
        for next in &graph[path.last().expect("never empty")] {
            if next == start {
                return Some(path);
            }
            if seen.insert(next.clone()) {
                paths.push([path.as_slice(), std::slice::from_ref(next)].concat());
            }
        }
    }
    None
}

#[test]
fn siblings_do_not_name_each_other_in_a_circle() {
    let mut count = 0;
    for folder in ["fluid-threads", "fluid-core", "fluid-bodies", "fluid-particles", "fluid-ffi"] {
        let all: BTreeMap<_, _> = modules(&crate_root().join("..").join(folder).join("src")).collect();
        let graph: BTreeMap<_, _> =
            all.iter().map(|(module, source)| (module.clone(), edges(module, source, &all))).collect();
        count += graph.values().map(BTreeSet::len).sum::<usize>();
        for module in graph.keys() {
            let circle = circle(module, &graph);
            assert_eq!(circle, None, "{folder}");
        }
    }
    assert!(count > 300, "only {count} names found");
}

#[test]
fn a_circle_is_noticed() {
    let source = |text: &str| text.to_owned();
    let all = BTreeMap::from([
        (source("a"), source("")),
        (source("a::one"), source("use super::{two::Two, Own};")),
        (source("a::two"), source("use crate::b;")),
        (source("b"), source("use crate::a::{self, one::{One, Other}};")),
    ]);
    let graph: BTreeMap<_, _> =
        all.iter().map(|(module, source)| (module.clone(), edges(module, source, &all))).collect();
    assert_eq!(graph["a::one"].iter().collect::<Vec<_>>(), ["a::two"]);
    assert_eq!(circle("a::one", &graph), Some(vec![source("a::one"), source("a::two"), source("b")]));
    assert_eq!(circle("a", &graph), None);
}

/// Names of types that `code` defines, tests left out. Types inside traits and their implementations are not
/// names of their own.
fn types_of(code: &str) -> Vec<String> {
    let code = without_comments(code);
    let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let name = |line: &str| {
        let visible = match line.trim_start().strip_prefix("pub") {
            None => line.trim_start(),
            Some(rest) if rest.starts_with('(') => rest.split_once(')')?.1.trim_start(),
            Some(rest) => rest.trim_start(),
        };
        let (keyword, rest) = visible.strip_prefix("unsafe ").unwrap_or(visible).split_once(' ')?;
        let is_type = matches!(keyword, "struct" | "enum" | "trait" | "union")
            || keyword == "type" && !line.starts_with(' ');
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        (is_type && !name.is_empty()).then_some(name)
    };
    code.lines().filter_map(name).collect()
}

#[test]
fn each_type_has_a_name_of_its_own() {
    let mut homes = BTreeMap::<String, Vec<PathBuf>>::new();
    for folder in ["fluid-threads", "fluid-core", "fluid-bodies", "fluid-particles", "fluid-ffi", "vorton"] {
        let files = sources(&crate_root().join("..").join(folder).join("src"));
        let is_test =
            |path: &Path| path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests"));
        for path in files.into_iter().filter(|path| !is_test(path)) {
            for name in types_of(&read(&path)) {
                homes.entry(name).or_default().push(path.clone());
            }
        }
    }
    assert!(homes.len() > 500, "only {} names found", homes.len());
    homes.retain(|_, files| files.len() > 1);
    assert!(homes.is_empty(), "more than one type has the name: {homes:#?}");
}

#[test]
fn definitions_of_types_are_seen() {
    let source = "pub(in crate::a) struct One<'a> {\nunsafe trait Two {\n    type In;\n}\n/// struct No;\npub type Three = u8;\nlet enumerate = 1;\n    enum Four {}\npub union Five {}\n#[cfg(test)]\nmod tests {\nstruct Six;\n";
    assert_eq!(types_of(source), ["One", "Two", "Three", "Four", "Five"]);
}

#[test]
fn between_crates() {
    let manifest = read(&crate_root().join("Cargo.toml"));
    for above in ["fluid-bodies", "fluid-particles", "fluid-ffi", "fluid-scenes", "fluid-film", "benches"] {
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
    assert_eq!(named(&without_comments(source)), ["math", "lanes", "velocity"]);
    let source = "use crate::boundary::walls::Wall;\nuse crate::{boundary::enclosure, boundary::Motion};\n";
    assert_eq!(named(source), ["boundary::walls", "boundary::enclosure", "boundary"]);
}
