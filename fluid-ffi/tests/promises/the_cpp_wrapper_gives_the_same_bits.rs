//! include/vorton.hpp gives the same bits as the C functions; needs no exceptions, no RTTI, no heap and no
//! C++ runtime library; compiles under every promised C++ standard; and rejects mismatched types.
#![cfg(unix)]

use crate::common::{
    STRICT, SYSTEM_LIBRARIES, c_file, cc, cxx, functions_in_header, has_tool, library_folder, read, root,
    run_c, scratch, succeed,
};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Language features that a host may switch off.
const BARE: &[&str] = &["-fno-exceptions", "-fno-rtti"];

/// clang names the newest standard by its draft.
const STANDARDS: &[&str] = &["c++11", "c++14", "c++17", "c++20", "c++23", "c++2b"];

/// Functions that vorton.hpp does not wrap, besides those that fill definitions.
const LEFT_TO_C: &[&str] = &["vorton_abi_version", "vorton_version", "vorton_build_info"];

fn compile(compiler: &str, standard: &str, source: &Path, options: &[&str]) -> Command {
    let mut command = Command::new(compiler);
    command.arg(format!("-std={standard}")).args(STRICT).args(BARE).args(options);
    command.arg("-I").arg(root().join("include")).arg("-c").arg(source);
    command
}

fn knows(compiler: &str, standard: &str) -> bool {
    let mut command = Command::new(compiler);
    command.args(["-x", "c++", "-fsyntax-only", "/dev/null"]).arg(format!("-std={standard}"));
    command.output().is_ok_and(|output| output.status.success())
}

/// Returns the undefined symbols of an object, except the library's.
fn needs(object: &Path) -> Vec<String> {
    let output = succeed(Command::new("nm").arg("-u").arg(object));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let names = text.lines().filter_map(|line| line.split_whitespace().next_back().map(str::to_owned));
    names.filter(|name| !name.trim_start_matches('_').starts_with("vorton_")).collect()
}

#[test]
fn a_program_prints_what_the_same_program_in_c_prints() {
    let Some(cxx) = cxx() else { return };
    let more = std::env::var("VORTON_TEST_CFLAGS").unwrap_or_default();
    let more: Vec<_> = more.split_whitespace().collect();
    let folder = scratch("wrapper_in_cxx");
    let (object, program) = (folder.join("wrapper.o"), folder.join("wrapper"));
    let options = [&["-g", "-O1"][..], &more].concat();
    succeed(compile(&cxx, "c++11", &c_file("wrapper.cpp"), &options).arg("-o").arg(&object));
    if has_tool("nm") && more.is_empty() {
        let needs = needs(&object);
        assert!(needs.iter().any(|name| name.ends_with("printf")), "{needs:?}");
        // C++ names begin with _Z (operators new and delete among them), those of its runtime with __cxa.
        let runtime =
            |name: &&String| name.contains("_Z") || name.contains("__cxa") || name.ends_with("malloc");
        assert_eq!(needs.iter().find(runtime), None);
    }
    let mut link = Command::new(cc());
    link.arg(&object).arg("-o").arg(&program).arg(library_folder().join("libvorton.a"));
    succeed(link.args(SYSTEM_LIBRARIES).args(&more));
    let output = succeed(&mut Command::new(&program));
    let text = String::from_utf8(output.stdout).expect("programs print text");
    assert!(text.starts_with("world ") && !text.contains(" 0 particles"), "{text}");
    assert_eq!(text, run_c("wrapper_in_c"));
}

#[test]
fn every_standard_takes_it() {
    let Some(cxx) = cxx() else { return };
    let compilers: Vec<_> =
        [cxx, "clang++".to_owned()].into_iter().filter(|compiler| has_tool(compiler)).collect();
    let folder = scratch("wrapper_standards");
    let twice = folder.join("twice.cpp");
    std::fs::write(&twice, "#include <vorton.hpp>\n#include <vorton.hpp>\n").expect("the folder is writable");
    for compiler in &compilers {
        let mut known = 0;
        for standard in STANDARDS.iter().filter(|standard| knows(compiler, standard)) {
            let options = ["-fsyntax-only"];
            succeed(&mut compile(compiler, standard, &c_file("wrapper.cpp"), &options));
            succeed(compile(compiler, standard, &twice, &options).arg("-Wold-style-cast"));
            known += 1;
        }
        assert!(known >= 3, "{compiler} knows hardly any C++");
    }
}

/// Returns a program with this one line in it.
fn snippet(folder: &Path, number: usize, line: &str) -> PathBuf {
    let source = folder.join(format!("snippet{number}.cpp"));
    let text = format!(
        "#include <vorton.hpp>\n\
         struct Named {{ const char *x, *y, *z; }};\n\
         struct Particle {{ float position[3]; float age; int32_t count[3]; VortonVec3 velocity; Named name; }};\n\
         void test(vorton::World &world, vorton::View<Particle> &view);\n\
         void test(vorton::World &world, vorton::View<Particle> &view) {{\n    (void)world;\n    (void)view;\n    \
         {line}\n}}\n"
    );
    std::fs::write(&source, text).expect("the folder is writable");
    source
}

#[test]
fn what_does_not_fit_is_refused_by_the_compiler() {
    let Some(cxx) = cxx() else { return };
    let folder = scratch("wrapper_refused");
    for (number, (line, complaint)) in [
        ("view.bind<VORTON_POSITION>(&Particle::position);", ""),
        ("view.bind<VORTON_POSITION>(&Particle::age);", "no attribute of this kind can have this type"),
        ("view.bind<VORTON_POSITION>(&Particle::count);", "no attribute of this kind can have this type"),
        ("view.bind<VORTON_POSITION>(&Particle::name);", "no attribute of this kind can have this type"),
        (
            "view.bind<VORTON_ORIENTATION>(&Particle::velocity);",
            "no attribute of this kind can have this type",
        ),
        ("view.bind<VORTON_AGE>(&Particle::position);", "no attribute of this kind can have this type"),
        ("view.bind(VORTON_USER0, &Particle::name);", "how this type lies in memory is not known"),
        ("view.bind<VORTON_POSITION>(&VortonBodyDef::position);", "a member of another type"),
        ("vorton::World copy(world);", "deleted"),
        ("(void)world.step(0.1f);", ""),
        ("world.step(0.1f);", "nodiscard"),
        ("float out; (void)world.sample<VORTON_SAMPLE_VELOCITY>(nullptr, &out, 1);", "are vectors"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut command = compile(&cxx, "c++17", &snippet(&folder, number, line), &["-fsyntax-only"]);
        let output = command.env("LC_ALL", "C").output().expect("the compiler runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), complaint.is_empty(), "{line}\n{said}");
        assert!(said.contains(complaint), "{line}\n{said}");
    }
}

#[test]
fn every_function_is_wrapped() {
    let wrapper = read("include/vorton.hpp");
    for function in functions_in_header() {
        let left = LEFT_TO_C.contains(&function.as_str()) || function.ends_with("_init");
        assert_eq!(wrapper.contains(&format!("{function}(")), !left, "{function}");
    }
}
