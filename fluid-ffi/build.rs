//! Hands the target triple to the build line of `vorton_build_info`.

fn main() {
    let target = std::env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=VORTON_TARGET={target}");
    println!("cargo::rerun-if-changed=build.rs");
}
