//! The declarations of the header, noun by noun: constants, types and functions of a noun stand together.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Nouns in the order of the header, with the modules that declare them. The types of module `body` are in
/// `types/body.rs`. A noun uses types of nouns above it.
const NOUNS: [(&str, &[&str]); 21] = [
    ("Results", &["status"]),
    ("Library", &["library", "log"]),
    ("Memory", &["allocator"]),
    ("Vectors, rotations and boxes", &["types"]),
    ("Threads", &["threads"]),
    ("Profiler zones", &["zones"]),
    ("Worlds", &["world", "world_def", "budget", "world::definition", "reset", "shift"]),
    ("Ambient fluid", &["ambient"]),
    ("Vortons", &["vortons"]),
    ("Initial conditions", &["initial"]),
    ("Tracers", &["tracers", "published_tracers", "tracers::definition"]),
    ("Bodies", &["body", "surround", "body::definition"]),
    ("Shapes", &["shape"]),
    ("Emitters", &["emitter"]),
    ("Presets", &["preset"]),
    ("Kill volumes", &["kill_volumes"]),
    ("Views of particles", &["view"]),
    ("Operations on particles", &["ops", "op_result"]),
    ("Samples", &["sample", "surfaces", "volume"]),
    ("Statistics and drawing", &["stats", "draw"]),
    ("Snapshots and recordings", &["snapshot", "recording"]),
];

/// Widest line of a function.
const COLUMNS: usize = 110;

/// Kinds of declarations, in the order in which they stand under a noun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Constant,
    Type,
    Function,
}

/// A declaration with its comment.
struct Declaration<'a> {
    kind: Kind,
    name: &'a str,
    text: String,
}

/// Returns the nouns, for the comment at the top of the header.
pub(super) fn contents() -> String {
    let mut text = String::new();
    let mut width = 0;
    for (number, (noun, _)) in NOUNS.iter().enumerate() {
        let noun = noun.to_lowercase() + if number + 1 < NOUNS.len() { "," } else { "." };
        if width + 1 + noun.len() > COLUMNS - 3 {
            text.push_str("\n *  ");
            width = 1;
        }
        text.push_str(if number == 0 { "" } else { " " });
        text.push_str(&noun);
        width += 1 + noun.len();
    }
    text
}

/// Returns cbindgen's declarations in the order of [`NOUNS`].
pub(super) fn arrange(declarations: &str, sources: &Path) -> String {
    let modules = modules(sources);
    let mut all: Vec<_> = declarations.split("\n\n").filter_map(declaration).collect();
    let noun = |declaration: &Declaration<'_>| noun(declaration, &modules);
    // Types stay in cbindgen's order, in which each uses only those before it.
    all.sort_by_key(|declaration| {
        let (noun, module) = noun(declaration);
        (noun, declaration.kind, if declaration.kind == Kind::Type { 0 } else { module })
    });
    let mut text = String::from("#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    let mut last = None;
    for declaration in &all {
        let (noun, _) = noun(declaration);
        if last != Some(noun) {
            let title = NOUNS[noun].0;
            text.push_str(&format!("\n/* {title} {} */\n", "-".repeat(103 - title.len())));
            last = Some(noun);
        }
        text.push('\n');
        text.push_str(&declaration.text);
        text.push_str(if modules[declaration.name].is_unsigned { "u\n" } else { "\n" });
    }
    text + "\n#ifdef __cplusplus\n} /* extern \"C\" */\n#endif\n"
}

/// Where an item is declared.
struct Item {
    module: String,
    /// True for an unsigned constant, except those of the version, which build scripts read.
    is_unsigned: bool,
}

/// Returns the numbers of the noun and of its module.
fn noun(declaration: &Declaration<'_>, modules: &BTreeMap<String, Item>) -> (usize, usize) {
    let item = modules.get(declaration.name).unwrap_or_else(|| panic!("{}: no module", declaration.name));
    let module = &item.module;
    let place = |(number, (_, list)): (usize, &(&str, &[&str]))| {
        Some((number, list.iter().position(|name| name == module)?))
    };
    NOUNS.iter().enumerate().find_map(place).unwrap_or_else(|| panic!("module {module} belongs to no noun"))
}

/// Returns a declaration as it stands in the header; `None` for lines of the preprocessor around them.
fn declaration(block: &str) -> Option<Declaration<'_>> {
    let block = block.trim();
    if block.is_empty() || block.starts_with("#ifdef __cplusplus") {
        return None;
    }
    Some(declared(block).unwrap_or_else(|| panic!("not understood: {block}")))
}

fn declared(block: &str) -> Option<Declaration<'_>> {
    let code = block.lines().find(|line| !line.trim_start().starts_with("//"))?;
    let word = |text: &str| text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let first = |text| &code[code.len() - str::len(text)..][..word(text)];
    if let Some(rest) = code.strip_prefix("#define ") {
        return Some(Declaration { kind: Kind::Constant, name: first(rest), text: block.to_owned() });
    }
    if let Some(rest) = code.strip_prefix("typedef struct ") {
        return Some(Declaration { kind: Kind::Type, name: first(rest), text: block.to_owned() });
    }
    if let Some(rest) = code.strip_prefix("typedef ") {
        let name = match rest.split_once("(*") {
            Some((_, name)) => first(name),
            None => rest.trim_end_matches(';').rsplit(' ').next()?,
        };
        return Some(Declaration { kind: Kind::Type, name, text: block.replacen("(*", "(VORTON_CALL *", 1) });
    }
    function(block)
}

/// Returns a function with its calling convention, in lines of at most [`COLUMNS`].
fn function(block: &str) -> Option<Declaration<'_>> {
    let comment: String =
        block.lines().filter(|line| line.starts_with("///")).map(|line| format!("{line}\n")).collect();
    let code: Vec<_> =
        block.lines().filter(|line| !line.starts_with("///")).flat_map(str::split_whitespace).collect();
    let code = code.join(" ");
    let (result, arguments) = code.strip_prefix("VORTON_API ")?.split_once('(')?;
    let (result, name) = result.split_at(result.rfind([' ', '*'])? + 1);
    let name = block.find(&format!("{name}(")).map(|start| &block[start..start + name.len()])?;
    let creates = name.ends_with("_create") && result.starts_with("VortonResult");
    let api = if creates { "VORTON_NODISCARD VORTON_API" } else { "VORTON_API" };
    let mut lines = vec![format!("{api} {result}VORTON_CALL {name}({arguments}")];
    if lines[0].len() > COLUMNS {
        lines = vec![format!("{api} {result}VORTON_CALL {name}("), String::from("   ")];
        for argument in arguments.split_inclusive(", ").map(str::trim_end) {
            let line = lines.last_mut()?;
            if line.len() + 1 + argument.len() > COLUMNS {
                lines.push(format!("    {argument}"));
            } else {
                line.push(' ');
                line.push_str(argument);
            }
        }
    }
    Some(Declaration { kind: Kind::Function, name, text: comment + &lines.join("\n") })
}

/// Returns true if a noun lists this module.
fn is_listed(module: &str) -> bool {
    NOUNS.iter().any(|(_, modules)| modules.contains(&module))
}

/// Returns the module of each public item: that of the file below `src` or `src/types` that declares it. A
/// file in the folder of a module counts as part of that module, unless a noun lists it.
fn modules(sources: &Path) -> BTreeMap<String, Item> {
    let mut modules = BTreeMap::new();
    for path in files(sources) {
        let inside = path.strip_prefix(sources).expect("below src").with_extension("");
        let mut names = inside.iter().map(|name| name.to_str().expect("UTF-8"));
        let module = match (names.next(), names.next()) {
            (Some("types"), Some(noun)) => noun.to_owned(),
            (Some(module), Some(part)) if is_listed(&format!("{module}::{part}")) => {
                format!("{module}::{part}")
            }
            (Some(module), _) => module.to_owned(),
            (None, _) => continue,
        };
        for line in fs::read_to_string(&path).expect("readable").lines() {
            let line = line.trim_start();
            let starts = ["pub const ", "pub struct ", "pub type ", "pub extern \"C\" fn "];
            let starts = starts.iter().chain([&"pub unsafe extern \"C\" fn "]);
            if let Some(rest) = starts.filter_map(|start| line.strip_prefix(start)).next() {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                let of_version = rest.starts_with("VORTON_VERSION_");
                let types = [": u32 =", ": u64 =", ": usize ="];
                let is_unsigned = !of_version && types.iter().any(|of| rest[end..].starts_with(of));
                modules.insert(rest[..end].to_owned(), Item { module: module.clone(), is_unsigned });
            }
        }
    }
    modules
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}
