//! Host programs in C: how tests compile them against include/vorton.h, link them with libvorton.a and run
//! them.
//!
//! Cargo does not build a staticlib for integration tests, so the first test that needs it asks cargo for
//! one, with the profile and into the target directory of the test itself. Dependencies for which other
//! crates' tests need more features are compiled again, so the shipped library is tested. VORTON_TEST_CFLAGS
//! is added to every compilation of a program (for sanitizers, for instance).
#![allow(dead_code, reason = "programs of tests take what they need")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// System libraries that a program needs besides libvorton.a.
pub(crate) const SYSTEM_LIBRARIES: &[&str] =
    if cfg!(target_os = "linux") { &["-lpthread", "-lm", "-ldl"] } else { &["-lpthread", "-lm"] };

/// Warnings under which the header and the test programs must compile.
pub(crate) const STRICT: &[&str] = &["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"];

/// Returns the folder of include/ and fluid-ffi/.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the text of a file below [`root`].
pub(crate) fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the path of a file in tests/c.
pub(crate) fn c_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(name)
}

/// Creates an empty folder for one test.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c-abi").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the target directory is writable");
    folder
}

/// Returns the folder with libvorton.a and the shared library, built from this source.
pub(crate) fn library_folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let (profile, folder) =
            if cfg!(debug_assertions) { ("test", "debug") } else { ("release", "release") };
        let target =
            Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("cargo's folder is in the target folder");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
        // Including the tests, which enable more features of dependencies: otherwise everything would be
        // compiled again.
        cargo.args([
            "build",
            "--quiet",
            "--workspace",
            "--lib",
            "--tests",
            "--profile",
            profile,
            "--target-dir",
        ]);
        succeed(cargo.arg(target));
        target.join(folder)
    })
}

/// Returns `cc`, or the compiler named by the environment.
pub(crate) fn cc() -> String {
    std::env::var("CC").unwrap_or_else(|_| "cc".to_owned())
}

/// Returns the C++ compiler, if there is one.
pub(crate) fn cxx() -> Option<String> {
    let name = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    has_tool(&name).then_some(name)
}

/// True if a tool can be run; reports on standard error if not.
pub(crate) fn has_tool(name: &str) -> bool {
    let found = Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("note: {name} is not here, so what needs it is not checked");
    }
    found
}

/// Compiles sources with [`STRICT`] and links them with the library. `options` come last.
pub(crate) fn link(compiler: &str, standard: &str, sources: &[PathBuf], program: &Path, options: &[&str]) {
    let mut command = Command::new(compiler);
    command.arg(format!("-std={standard}")).args(STRICT).args(["-g", "-O1"]).args(options);
    command.arg("-I").arg(root().join("include")).args(sources).arg("-o").arg(program);
    command.arg(library_folder().join("libvorton.a")).args(SYSTEM_LIBRARIES);
    let more = std::env::var("VORTON_TEST_CFLAGS").unwrap_or_default();
    succeed(command.args(more.split_whitespace()));
}

/// Compiles tests/c/`name`.c as C99, runs it and returns its output.
pub(crate) fn run_c(name: &str) -> String {
    run_c_with(name, &[])
}

/// As [`run_c`], with more options for the compiler.
pub(crate) fn run_c_with(name: &str, options: &[&str]) -> String {
    let program = scratch(name).join(name);
    link(&cc(), "c99", &[c_file(&format!("{name}.c"))], &program, options);
    let output = succeed(&mut Command::new(&program));
    let text = String::from_utf8(output.stdout).expect("programs print text");
    print!("{text}");
    text
}

/// Compiles and runs tests/c/`name`.c with a library that gives its calls no memory beyond what they hold.
pub(crate) fn run_c_refused(name: &str) {
    let program = scratch(&format!("{name}_refused")).join(name);
    link(&cc(), "c99", &[c_file(&format!("{name}.c"))], &program, &[]);
    succeed(Command::new(&program).env("VORTON_TEST_REFUSE", "1"));
}

/// Returns the archive made by packaging/isolate from libvorton.a: as delivered, but not optimised as a
/// whole.
pub(crate) fn isolated_archive() -> &'static Path {
    static ARCHIVE: OnceLock<PathBuf> = OnceLock::new();
    ARCHIVE.get_or_init(|| {
        // Each test program makes its own archive: several may run at a time.
        let archive = scratch(&format!("isolated-{}", std::process::id())).join("libvorton.a");
        let mut isolate = Command::new(root().join("packaging/isolate"));
        succeed(isolate.arg(library_folder().join("libvorton.a")).arg(&archive));
        archive
    })
}

/// Runs a command that must succeed.
pub(crate) fn succeed(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command:?}\n{}\n{out}\n{err}", output.status);
    output
}

/// Returns the functions that the header declares.
pub(crate) fn functions_in_header() -> Vec<String> {
    let header = read("include/vorton.h");
    let declarations = header.split("VORTON_API").skip(1).filter_map(|text| {
        let (before, _) = text.split_once('(')?;
        let name = before.split(|c: char| !(c.is_alphanumeric() || c == '_')).next_back()?;
        name.starts_with("vorton_").then(|| name.to_owned())
    });
    let mut names: Vec<_> = declarations.collect();
    names.sort();
    names.dedup();
    names
}
