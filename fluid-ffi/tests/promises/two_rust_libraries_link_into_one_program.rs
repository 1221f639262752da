//! The archive of packaging/isolate links into a program with another Rust library, for every kind of
//! linking, and into plugins. Each of the two catches its own panics.
#![cfg(target_os = "linux")]

use crate::common::{
    STRICT, SYSTEM_LIBRARIES, c_file, cc, has_tool, isolated_archive, root, scratch, succeed,
};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The other library, optimised as a whole, so that symbols of Rust's standard library would collide.
fn other_library() -> &'static Path {
    static ARCHIVE: OnceLock<PathBuf> = OnceLock::new();
    ARCHIVE.get_or_init(|| {
        let archive = scratch(&format!("other-{}", std::process::id())).join("libother.a");
        let mut rustc = Command::new(std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned()));
        rustc.args(["--edition", "2024", "--crate-type", "staticlib", "-C", "opt-level=1", "-C", "lto=fat"]);
        succeed(rustc.arg(c_file("../rust/other_library.rs")).arg("-o").arg(&archive));
        archive
    })
}

fn compiler(name: &str, options: &[&str]) -> Command {
    let mut command = Command::new(name);
    command.arg("-std=c99").args(STRICT).args(options).arg("-I").arg(root().join("include"));
    command
}

/// Links tests/c/two_libraries.c with these options and runs it. Returns the program.
fn both_in_one(compiler_name: &str, name: &str, options: &[&str]) -> PathBuf {
    in_this_order([isolated_archive(), other_library()], compiler_name, name, options)
}

fn in_this_order(libraries: [&Path; 2], compiler_name: &str, name: &str, options: &[&str]) -> PathBuf {
    let program = scratch(name).join(name);
    let mut command = compiler(compiler_name, options);
    command.args(["-O1", "-D_POSIX_C_SOURCE=200809L", "-Wl,--wrap=clock_gettime"]);
    command.arg(c_file("two_libraries.c")).arg("-o").arg(&program);
    succeed(command.args(libraries).args(SYSTEM_LIBRARIES));
    let output = succeed(&mut Command::new(&program));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "both caught their own\n");
    program
}

/// Returns the libraries that a program or library requires from the dynamic linker.
fn needed(program: &Path) -> String {
    let output = succeed(Command::new("readelf").arg("-d").arg(program));
    String::from_utf8_lossy(&output.stdout).lines().filter(|line| line.contains("NEEDED")).collect()
}

#[test]
fn as_usual_and_in_the_other_order() {
    let program = both_in_one(&cc(), "both", &[]);
    assert!(needed(&program).contains("libc.so"));
    in_this_order([other_library(), isolated_archive()], &cc(), "both_reversed", &[]);
}

#[test]
fn with_section_garbage_collected() {
    let small = both_in_one(&cc(), "both_collected", &["-Wl,--gc-sections"]);
    let large = both_in_one(&cc(), "both_complete", &[]);
    let size = |program: &Path| std::fs::metadata(program).expect("it was linked").len();
    assert!(size(&small) < size(&large), "the object's sections are apart: some of them can be left out");
}

#[test]
fn with_the_compilers_library_inside() {
    let program = both_in_one(&cc(), "both_static_libgcc", &["-static-libgcc"]);
    assert!(!needed(&program).contains("libgcc_s"), "{}", needed(&program));
}

#[test]
fn without_any_shared_library() {
    let program = both_in_one(&cc(), "both_static", &["-static"]);
    assert_eq!(needed(&program), "");
}

#[test]
fn with_link_time_optimisation_of_the_program() {
    both_in_one(&cc(), "both_flto", &["-flto"]);
}

#[test]
fn with_clang() {
    if has_tool("clang") {
        both_in_one("clang", "both_clang", &[]);
    }
}

#[test]
fn in_a_plugin_that_is_unloaded_and_in_its_host() {
    let folder = scratch("plugin");
    let (plugin, host) = (folder.join("plugin.so"), folder.join("host"));
    let mut command = compiler(&cc(), &["-O1", "-shared", "-fPIC", "-Wl,-z,defs"]);
    command.arg(c_file("plugin.c")).arg("-o").arg(&plugin);
    succeed(command.arg(isolated_archive()).args(SYSTEM_LIBRARIES));
    let mut command = compiler(&cc(), &["-O1"]);
    command.arg(c_file("plugin_host.c")).arg(c_file("plugin.c")).arg("-o").arg(&host);
    succeed(command.arg(isolated_archive()).arg(other_library()).args(SYSTEM_LIBRARIES));
    let output = succeed(Command::new(&host).arg(&plugin));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "plugin and host agree\n");
}
