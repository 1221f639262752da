//! Generating include/vorton.h: cbindgen writes the declarations, [`by_noun`] puts them in order.

mod by_noun;

use std::path::Path;

/// Stands in cbindgen's output before and after the declarations.
const MARK: &str = "@declarations@";
/// Stands after the declarations.
const END: &str = "#endif  /* VORTON_H */";

/// Returns the header of the crate in `folder`.
pub(crate) fn generate(folder: &Path) -> String {
    let mut config =
        cbindgen::Config::from_file(folder.join("cbindgen.toml")).expect("cbindgen.toml is valid");
    let mark = |text: &mut Option<String>, join: fn(&str) -> String| {
        *text = Some(join(text.as_deref().expect("cbindgen.toml has this text")));
    };
    mark(&mut config.after_includes, |text| format!("{text}\n{MARK}"));
    mark(&mut config.trailer, |text| format!("{MARK}\n{text}"));
    let mut generated = Vec::new();
    cbindgen::Builder::new()
        .with_crate(folder)
        .with_config(config)
        .generate()
        .expect("cbindgen understands the crate")
        .write(&mut generated);
    let generated = String::from_utf8(generated).expect("UTF-8");
    let mut parts = generated.split(MARK);
    let (Some(before), Some(declarations), Some(after), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        panic!("cbindgen has not written both marks");
    };
    let declarations = declarations.trim_end().strip_suffix(END).expect("the end of the include guard");
    let declarations = by_noun::arrange(declarations, &folder.join("src"));
    let text = format!("{}\n\n{declarations}\n{END}\n\n{}", before.trim_end(), after.trim_start());
    text.replace("@contents@", &by_noun::contents())
}
