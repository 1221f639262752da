//! The files installed by packaging/dist, their names, symbols and required libraries, and that pkg-config
//! and CMake find them at any location. Long tests are left to `.ci/run --full`.
#![cfg(target_os = "linux")]

use crate::common::{
    SYSTEM_LIBRARIES, c_file, cc, cxx, functions_in_header, has_tool, library_folder, read, root, scratch,
    succeed,
};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Libraries that rustc names but that need not be named: the compiler adds the first two, the others are
/// inside glibc.
const NOT_NAMED: &[&str] = &["-lgcc_s", "-lc", "-lutil", "-lrt"];

/// Returns the workspace's version.
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Returns the series, 0.3 of 0.3.0 and 1 of 1.2.0: see packaging/dist.
fn series() -> String {
    let numbers: Vec<_> = version().split('.').collect();
    if numbers[0] == "0" { numbers[..2].join(".") } else { numbers[0].to_owned() }
}

/// Installs `archive` below `stage`/usr/lib/vorton-test, and moves that to `folder`/moved.
fn install(folder: &Path, archive: &Path) -> PathBuf {
    let mut dist = Command::new(root().join("packaging/dist"));
    dist.env("ARCHIVE", archive).env("CARGO", env!("CARGO")).env("DESTDIR", folder.join("stage"));
    succeed(dist.arg("/usr/lib/vorton-test"));
    let moved = folder.join("moved");
    std::fs::rename(folder.join("stage/usr/lib/vorton-test"), &moved).expect("it is where DESTDIR says");
    moved
}

/// Installed once, from the archive of this test's profile.
fn installed() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| install(&scratch("installed"), &library_folder().join("libvorton.a")))
}

fn output(command: &mut Command) -> String {
    String::from_utf8(succeed(command).stdout).expect("tools print text")
}

fn files_below(folder: &Path, prefix: &str) -> Vec<String> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("readable").path();
        let name = format!("{prefix}{}", path.file_name().expect("a name").to_string_lossy());
        if path.is_dir() { files.extend(files_below(&path, &format!("{name}/"))) } else { files.push(name) }
    }
    files.sort();
    files
}

fn global_symbols(arguments: &[&str], file: &Path) -> Vec<String> {
    let text = output(Command::new("nm").args(arguments).arg(file));
    let mut names: Vec<_> =
        text.lines().filter_map(|line| line.split_whitespace().nth(2).map(str::to_owned)).collect();
    names.sort();
    names
}

/// Builds tests/c/hello.c with these options, in a folder of its own, and runs it.
fn hello(name: &str, options: &str) -> PathBuf {
    let program = scratch(name).join("hello");
    let mut command = Command::new(cc());
    command.arg(c_file("hello.c")).args(options.split_whitespace()).arg("-o").arg(&program);
    succeed(&mut command);
    let text = output(Command::new(&program).env("LD_LIBRARY_PATH", installed().join("lib")));
    assert!(text.starts_with("the fluid at (0, 0, 1) moves at 2."), "{text}");
    program
}

#[test]
fn the_files_are_these() {
    let (version, series) = (version(), series());
    let mut files = files_below(installed(), "");
    files.retain(|name| !name.starts_with("share/licenses/vorton/") || name.matches('/').count() == 3);
    let expected = [
        "include/vorton.h",
        "include/vorton.hpp",
        "include/vorton_export.h",
        "lib/cmake/vorton/vorton-config-version.cmake",
        "lib/cmake/vorton/vorton-config.cmake",
        "lib/cmake/vorton/vorton-targets.cmake",
        "lib/libvorton.a",
        "lib/libvorton.so",
        &format!("lib/libvorton.so.{series}"),
        &format!("lib/libvorton.so.{version}"),
        "lib/pkgconfig/vorton-static.pc",
        "lib/pkgconfig/vorton.pc",
        "share/licenses/vorton/LICENSE-APACHE",
        "share/licenses/vorton/LICENSE-MIT",
        "share/licenses/vorton/THIRD-PARTY",
    ];
    assert_eq!(files, expected);
    for file in &files {
        let text = std::fs::read(installed().join(file)).expect("links lead somewhere");
        let text = String::from_utf8_lossy(&text);
        assert!(!file.ends_with(".cmake") && !file.ends_with(".pc") || !text.contains('@'), "{file}: {text}");
    }
}

#[test]
fn it_says_what_else_is_inside() {
    let list =
        std::fs::read_to_string(installed().join("share/licenses/vorton/THIRD-PARTY")).expect("readable");
    let tree = output(
        Command::new(env!("CARGO"))
            .args([
                "tree",
                "-p",
                "fluid-ffi",
                "-e",
                "normal,no-proc-macro",
                "--prefix",
                "none",
                "--no-dedupe",
                "--locked",
            ])
            .current_dir(root()),
    );
    let own = |line: &str| line.starts_with("fluid-") || line.starts_with("vorton-");
    let crates = tree.lines().filter(|line| !own(line));
    let mut count = 0;
    for line in crates {
        let name: Vec<_> = line.split_whitespace().take(2).collect();
        assert!(list.contains(&format!("\n{}, ", name.join(" "))), "{line}\n{list}");
        let folder = name.join("-").replace("-v", "-");
        assert!(installed().join("share/licenses/vorton").join(&folder).is_dir(), "the licences of {folder}");
        count += 1;
    }
    assert!(count > 5, "{tree}");
    assert!(!list.contains("vorton-") && !list.contains("fluid-"), "the library's own crates: {list}");
}

#[test]
fn nothing_but_the_headers_functions_is_exported() {
    assert_eq!(
        global_symbols(&["-g", "--defined-only"], &installed().join("lib/libvorton.a")),
        functions_in_header()
    );
    let library = installed().join("lib/libvorton.so");
    assert_eq!(global_symbols(&["-D", "--defined-only"], &library), functions_in_header());
}

#[test]
fn the_shared_library_has_the_name_of_its_series() {
    let text = output(Command::new("readelf").arg("-d").arg(installed().join("lib/libvorton.so")));
    let name = format!("Library soname: [libvorton.so.{}]", series());
    assert!(text.contains(&name), "{name}\n{text}");
}

#[test]
fn it_asks_for_the_libraries_that_rustc_names() {
    let folder = scratch("native_libraries");
    std::fs::write(folder.join("empty.rs"), "").expect("the folder is writable");
    let mut rustc = Command::new(std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned()));
    rustc.args(["--crate-type", "staticlib", "--print", "native-static-libs", "empty.rs"]);
    let said = succeed(rustc.current_dir(&folder)).stderr;
    judge_native_libraries(&String::from_utf8_lossy(&said));
}

/// Compares the libraries named by rustc with those in the project's files.
fn judge_native_libraries(said: &str) {
    let line =
        said.lines().find_map(|line| line.split_once("native-static-libs: ")).expect("rustc says so").1;
    let mut named: Vec<_> = line.split_whitespace().filter(|name| !NOT_NAMED.contains(name)).collect();
    named.dedup();
    assert_eq!(named, SYSTEM_LIBRARIES);
    let list = SYSTEM_LIBRARIES.join(" ");
    let file = |name: &str| std::fs::read_to_string(installed().join("lib").join(name)).expect("readable");
    assert!(file("pkgconfig/vorton.pc").contains(&format!("Libs.private: {list}\n")));
    assert!(file("pkgconfig/vorton-static.pc").contains(&format!("Libs: ${{libdir}}/libvorton.a {list}\n")));
    let targets = file("cmake/vorton/vorton-targets.cmake");
    assert!(
        targets.contains(&format!("INTERFACE_LINK_LIBRARIES \"{}\"", SYSTEM_LIBRARIES.join(";"))),
        "{targets}"
    );
    assert!(read("CMakeLists.txt").contains(&format!("INTERFACE {list})")));
    assert!(read("examples-c/Makefile").contains(&format!("SYSTEM_LIBS := {list}\n")));
    assert!(read("README.md").contains(&format!("libvorton.a {list} ")));
}

#[test]
fn pkg_config_finds_it_where_it_was_moved() {
    let lib = installed().join("lib");
    let lib = lib.display();
    hello(
        "installed_by_hand",
        &format!("-I{0}/../include {0}/libvorton.a {1}", lib, SYSTEM_LIBRARIES.join(" ")),
    );
    if !has_tool("pkg-config") {
        return;
    }
    let ask = |arguments: &[&str]| {
        let mut command = Command::new("pkg-config");
        command.env("PKG_CONFIG_PATH", installed().join("lib/pkgconfig")).args(arguments);
        output(&mut command)
    };
    assert_eq!(ask(&["--modversion", "vorton"]).trim(), version());
    let needed = |program: &Path| output(Command::new("readelf").arg("-d").arg(program));
    let shared = hello("installed_shared", &ask(&["--cflags", "--libs", "vorton"]));
    assert!(needed(&shared).contains(&format!("[libvorton.so.{}]", series())));
    let archive = hello("installed_archive", &ask(&["--cflags", "--libs", "vorton-static"]));
    assert!(!needed(&archive).contains("libvorton"));
    let options = format!("-static {}", ask(&["--static", "--cflags", "--libs", "vorton"]));
    let all = hello("installed_static", &options);
    assert!(!needed(&all).contains("NEEDED"));
}

/// Returns the README's code block that contains `text`.
fn readme_block(text: &str) -> String {
    let readme = read("README.md");
    let mut blocks = readme.split("```").filter(|block| block.contains(text));
    let block = blocks.next().expect("the README says how to link");
    assert!(blocks.next().is_none(), "more than one block with {text}");
    block.split_once('\n').expect("a block names its language").1.to_owned()
}

#[test]
fn the_readmes_commands_link_a_program() {
    if !has_tool("pkg-config") {
        return;
    }
    let folder = scratch("readme_link");
    std::fs::copy(c_file("hello.c"), folder.join("game.c")).expect("the folder is writable");
    for line in readme_block("pkg-config --cflags").lines() {
        let mut command = Command::new("sh");
        command.args(["-e", "-c", &line.replacen("cc ", &format!("{} ", cc()), 1)]).current_dir(&folder);
        command.env("PREFIX", installed()).env("PKG_CONFIG_PATH", installed().join("lib/pkgconfig"));
        succeed(&mut command);
        let text = output(&mut Command::new(folder.join("game")));
        assert!(text.starts_with("the fluid at (0, 0, 1) moves at 2."), "{line}\n{text}");
        std::fs::remove_file(folder.join("game")).expect("each line makes it");
    }
}

/// Configures, builds and runs a project in tests/cmake. Returns the output of its programs.
fn cmake(project: &str, name: &str, options: &[String]) -> String {
    let build = scratch(name);
    let source = c_file(&format!("../cmake/{project}"));
    let mut command = Command::new("cmake");
    command.arg("-S").arg(source).arg("-B").arg(&build).args(options);
    succeed(&mut command);
    succeed(Command::new("cmake").arg("--build").arg(&build));
    let mut text = output(&mut Command::new(build.join("hello_c")));
    if cxx().is_some() {
        text += &output(&mut Command::new(build.join("hello_cxx")));
    }
    text
}

/// Returns the target folder of this test, in which .ci/run has built the release library.
fn target_folder() -> PathBuf {
    library_folder().parent().expect("a profile's folder lies in the target folder").to_owned()
}

#[test]
#[ignore = "needs cmake"]
fn cmake_finds_it_where_it_was_moved() {
    if !has_tool("cmake") {
        return;
    }
    let prefix = format!("-DCMAKE_PREFIX_PATH={}", installed().display());
    let text = cmake("find_package", "cmake_find_package", std::slice::from_ref(&prefix));
    assert!(text.matches("moves at 2.").count() >= 1, "{text}");

    let folder = scratch("cmake_readme");
    std::fs::copy(c_file("hello.c"), folder.join("game.c")).expect("the folder is writable");
    let head =
        "cmake_minimum_required(VERSION 3.16)\nproject(game LANGUAGES C)\nadd_executable(game game.c)\n";
    let project = format!("{head}{}", readme_block("find_package(vorton"));
    std::fs::write(folder.join("CMakeLists.txt"), project).expect("the folder is writable");
    succeed(Command::new("cmake").args(["-S", ".", "-B", "build"]).arg(&prefix).current_dir(&folder));
    succeed(Command::new("cmake").args(["--build", "build"]).current_dir(&folder));
    let text = output(&mut Command::new(folder.join("build/game")));
    assert!(text.contains("moves at 2."), "{text}");

    let configure = |wanted: &str| {
        let mut command = Command::new("cmake");
        command.arg("-S").arg(c_file("../cmake/find_package")).arg("-B").arg(scratch("cmake_version"));
        command.arg(&prefix).arg(format!("-DWANTED={wanted}")).output().expect("cmake runs")
    };
    for (wanted, found) in
        [(series().as_str(), true), (version(), true), ("0.2", false), ("0.3.99", false), ("2", false)]
    {
        let output = configure(wanted);
        assert_eq!(output.status.success(), found, "{wanted}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
#[ignore = "needs cmake, and builds the release library"]
fn cmake_builds_it_from_source() {
    if !has_tool("cmake") {
        return;
    }
    let options = [
        format!("-DVORTON_SOURCE={}", root().canonicalize().expect("the repository is there").display()),
        format!("-DVORTON_TARGET_DIR={}", target_folder().display()),
    ];
    for how in ["add_subdirectory", "FetchContent"] {
        let options = [&options[..], &[format!("-DHOW={how}")]].concat();
        let text = cmake("from_source", &format!("cmake_{how}"), &options);
        assert!(text.matches("moves at 2.").count() >= 1, "{how}: {text}");
    }
}

#[test]
#[ignore = "needs cmake, and builds the release library"]
fn cmake_installs_it() {
    if !has_tool("cmake") {
        return;
    }
    let folder = scratch("cmake_installs");
    let (build, prefix) = (folder.join("build"), folder.join("prefix"));
    let mut command = Command::new("cmake");
    command.arg("-S").arg(root()).arg("-B").arg(&build);
    succeed(command.arg(format!("-DVORTON_TARGET_DIR={}", target_folder().display())));
    succeed(Command::new("cmake").arg("--build").arg(&build));
    succeed(Command::new("cmake").arg("--install").arg(&build).arg("--prefix").arg(&prefix));
    let prefix_path = format!("-DCMAKE_PREFIX_PATH={}", prefix.display());
    let text = cmake("find_package", "cmake_installs_hello", &[prefix_path]);
    assert!(text.contains("moves at 2."), "{text}");
    assert_eq!(
        global_symbols(&["-g", "--defined-only"], &prefix.join("lib/libvorton.a")),
        functions_in_header()
    );
}

#[test]
#[ignore = "compiles the library once more"]
fn it_asks_for_the_libraries_that_the_whole_library_needs() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root()).args([
        "rustc",
        "-p",
        "fluid-ffi",
        "--lib",
        "--crate-type",
        "staticlib",
        "--locked",
    ]);
    cargo.arg("--target-dir").arg(scratch("native_libraries_of_all"));
    let said = succeed(cargo.args(["--", "--print", "native-static-libs"])).stderr;
    judge_native_libraries(&String::from_utf8_lossy(&said));
}
