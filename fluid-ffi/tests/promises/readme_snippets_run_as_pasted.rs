//! The README's programs, C, C++ and Rust, compile and run as they are pasted into an empty folder, with the
//! README's commands; snippets of docs/c-api.md run within tests/c/guide.c.
#![cfg(unix)]

use crate::common::{cc, cxx, library_folder, link, read, root, scratch, succeed};
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// One code block, and the line before it.
struct Snippet {
    before: String,
    language: String,
    text: String,
}

/// Returns all code blocks of the README.
fn snippets() -> Vec<Snippet> {
    snippets_of("README.md")
}

fn snippets_of(document: &str) -> Vec<Snippet> {
    let text = read(document);
    let mut found = Vec::new();
    let (mut before, mut lines) = (String::new(), text.lines());
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let text: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
            found.push(Snippet { before, language: language.to_owned(), text: text.join("\n") + "\n" });
            before = String::new();
        } else {
            before = line.to_owned();
        }
    }
    found
}

fn the_one(language: &str) -> String {
    let mut found = snippets().into_iter().filter(|snippet| snippet.language == language);
    let text = found.next().unwrap_or_else(|| panic!("no {language} in the README")).text;
    assert!(found.next().is_none(), "more than one block of {language}: which is it?");
    text
}

/// Creates an empty folder outside this repository, with the repository as its neighbour `vorton`.
fn empty_folder(name: &str) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    root().hash(&mut hasher);
    let place = std::env::temp_dir().join(format!("vorton-readme-{:016x}-{name}", hasher.finish()));
    let folder = place.join("hello");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder for temporary files is writable");
    let _ = fs::remove_file(place.join("vorton"));
    let repository = root().canonicalize().expect("the repository is there");
    std::os::unix::fs::symlink(repository, place.join("vorton")).expect("links can be made");
    folder
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("the folder is writable");
}

/// The README's commands after `cargo build`, linking the library built from this source by
/// [`library_folder`].
fn commands() -> String {
    let mut blocks = snippets().into_iter().filter(|snippet| snippet.text.contains("cc hello.c"));
    let text = blocks.next().expect("the README says how to compile a program").text;
    let (library, folder) = ("$VORTON/target/release", library_folder().display().to_string());
    assert!(text.contains("cargo build --release -p fluid-ffi --manifest-path $VORTON/Cargo.toml\n"));
    assert!(text.contains(library), "{text}");
    let lines = text.lines().filter(|line| !line.starts_with("cargo build"));
    lines
        .map(|line| line.replace(library, &folder).replacen("cc ", &format!("{} ", cc()), 1) + "\n")
        .collect()
}

fn run_as_hello(name: &str, program: &str) -> String {
    let folder = empty_folder(name);
    write(&folder, "hello.c", program);
    let output = succeed(Command::new("sh").args(["-e", "-c", &commands()]).current_dir(&folder));
    String::from_utf8(output.stdout).expect("programs print text")
}

#[test]
fn c() {
    let mut complete = 0;
    for (number, snippet) in snippets().into_iter().filter(|snippet| snippet.language == "c").enumerate() {
        let frame = snippet.before.strip_prefix("<!-- a test puts this into ");
        let program = match frame.and_then(|frame| frame.strip_suffix(" -->")) {
            Some(frame) => read(frame).replacen("/* README */", &snippet.text, 1),
            None => snippet.text.clone(),
        };
        assert!(program.contains(&snippet.text) && program.contains("int main(void)"), "{}", snippet.text);
        complete += u32::from(frame.is_none());
        println!("{}", run_as_hello(&format!("c{number}"), &program));
    }
    assert_eq!(complete, 1);
}

#[test]
fn c_by_the_guide() {
    let (guide, frame) = (snippets_of("docs/c-api.md"), "fluid-ffi/tests/c/guide.c");
    assert!(guide.len() >= 6);
    let mut program = read(frame);
    for snippet in guide {
        let place = snippet.before.strip_prefix("<!-- a test puts this at ");
        let place = place.and_then(|place| place.strip_suffix(&format!(" of {frame} -->")));
        let place = format!("/* {} */", place.expect("each snippet has a place"));
        assert!(program.contains(&place), "{place}");
        program = program.replacen(&place, &snippet.text, 1);
    }
    let folder = scratch("guide");
    write(&folder, "guide.c", &program);
    let checks = format!("-I{}", root().join("fluid-ffi/tests/c").display());
    link(&cc(), "c99", &[folder.join("guide.c")], &folder.join("guide"), &[&checks]);
    let output = succeed(&mut Command::new(folder.join("guide")));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "all tasks of the guide done\n");
}

#[test]
fn cxx_by_the_wrapper() {
    let Some(cxx) = cxx() else { return };
    let folder = scratch("readme_wrapper");
    let frame = read("fluid-ffi/tests/c/readme_wrapper.cpp");
    assert!(frame.contains("/* README */"));
    let source = folder.join("readme_wrapper.cpp");
    fs::write(&source, frame.replacen("/* README */", &the_one("cpp"), 1)).expect("the folder is writable");
    link(&cxx, "c++11", &[source], &folder.join("readme_wrapper"), &[]);
    let output = succeed(&mut Command::new(folder.join("readme_wrapper")));
    let text = String::from_utf8(output.stdout).expect("programs print text");
    assert!(text.starts_with("blown along at ") && text.contains("\ncore_radius is -1"), "{text}");
}

#[test]
fn rust() {
    let folder = empty_folder("rust");
    let dependencies = the_one("toml");
    write(
        &folder,
        "Cargo.toml",
        &format!("[package]\nname = \"hello\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n{dependencies}\n"),
    );
    // The versions that this repository was tested with; nothing is downloaded.
    write(&folder, "Cargo.lock", &read("Cargo.lock"));
    fs::create_dir(folder.join("src")).expect("the folder is writable");
    write(&folder.join("src"), "main.rs", &the_one("rust"));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--offline"]).current_dir(&folder).env("CARGO_TARGET_DIR", target);
    // A third less time to compile, and the same program.
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "false").env("CARGO_INCREMENTAL", "0");
    let output = succeed(&mut cargo);
    let text = String::from_utf8(output.stdout).expect("programs print text");
    // As in the C program: see hello_world_is_short.rs.
    assert!(text.starts_with("the fluid at (0, 0, 1) moves at 2."), "{text}");
}
