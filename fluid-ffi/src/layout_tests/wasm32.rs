//! The same structs in 32-bit WebAssembly, where pointers and `size_t` have 4 bytes and all other types are
//! as on 64 bits, by the rules of C. `src/layout_on_wasm32.rs` has the results as assertions, compiled into
//! each build for that target, so the layout is checked; `studio/layouts.js` has it for JavaScript.

use super::{Field, Struct};
use std::fmt::Write;

/// The type as which JavaScript reads and writes a field.
struct Numbers {
    /// u8, u16, u32, i32, u64, f32, f64, or ptr for an address or `size_t`.
    kind: &'static str,
    count: usize,
}

impl Numbers {
    fn of(field: &Field) -> Self {
        let Field { type_name, .. } = *field;
        let is_address =
            ["*const ", "*mut ", "core::option::Option<"].iter().any(|p| type_name.starts_with(p));
        if is_address {
            return Self { kind: "ptr", count: 1 };
        }
        let short = field.short_type();
        let (element, count) = match short.strip_prefix('[').and_then(|array| array.split_once("; ")) {
            Some((element, count)) => (element, count.trim_end_matches(']').parse().expect("a count")),
            None => (short, 1),
        };
        let (kind, numbers) = match element {
            "usize" => ("ptr", 1),
            "u8" => ("u8", 1),
            "u16" => ("u16", 1),
            "u32" => ("u32", 1),
            "i32" => ("i32", 1),
            "u64" => ("u64", 1),
            "f32" => ("f32", 1),
            "f64" => ("f64", 1),
            "VortonVec3" => ("f32", 3),
            "VortonQuat" => ("f32", 4),
            "VortonAabb" => ("f32", 6),
            "VortonBodyId" | "VortonTracersId" => ("u32", 2),
            other => panic!("{other}, of the field {}: say what it is made of", field.name),
        };
        Self { kind, count: numbers * count }
    }

    fn size_of_one(&self) -> usize {
        match self.kind {
            "u8" => 1,
            "u16" => 2,
            "u64" | "f64" => 8,
            _ => 4,
        }
    }
}

/// The layout of a struct in 32-bit WebAssembly.
pub(super) struct Laid<'a> {
    of: &'a Struct,
    size: usize,
    alignment: usize,
    fields: Vec<(&'a Field, usize, Numbers)>,
}

pub(super) fn lay_out(structs: &[Struct]) -> Vec<Laid<'_>> {
    structs.iter().map(lay_out_one).collect()
}

fn lay_out_one(of: &Struct) -> Laid<'_> {
    let mut laid = Laid { of, size: 0, alignment: 1, fields: Vec::new() };
    for field in &of.fields {
        let numbers = Numbers::of(field);
        let (size, alignment) = (numbers.size_of_one() * numbers.count, numbers.size_of_one());
        let is_wider = numbers.kind == "ptr";
        assert!(is_wider || (size, alignment) == (field.size, field.alignment), "{} {}", of.name, field.name);
        let offset = laid.size.next_multiple_of(alignment);
        laid.fields.push((field, offset, numbers));
        laid.size = offset + size;
        laid.alignment = laid.alignment.max(alignment);
    }
    laid.size = laid.size.next_multiple_of(laid.alignment);
    laid
}

pub(super) fn as_assertions(structs: &[Laid<'_>]) -> String {
    let mut text = "//! Where fields lie in 32-bit WebAssembly, as assertions: compiling this file is the test. Written by\n\
        //! src/layout_tests.rs.\n\n\
        use std::mem::{align_of, offset_of, size_of};\n\n"
        .to_owned();
    for Laid { of, size, alignment, fields } in structs {
        let (_, path) = of.type_name.split_once("::").expect("a path in this crate");
        writeln!(text, "const _: () = {{\n    use crate::{path} as Here;").unwrap();
        writeln!(text, "    assert!(size_of::<Here>() == {size} && align_of::<Here>() == {alignment});")
            .unwrap();
        for (field, offset, _) in fields {
            let name = if field.name == "type" { "r#type" } else { field.name };
            writeln!(text, "    assert!(offset_of!(Here, {name}) == {offset});").unwrap();
        }
        text += "};\n";
    }
    text
}

pub(super) fn as_javascript(structs: &[Laid<'_>], header: &str) -> String {
    let mut text = "// Structs and constants of include/vorton.h for 32-bit WebAssembly. Written by\n\
        // fluid-ffi/src/layout_tests.rs; do not edit. fields: name: [offset, kind, count].\n\
        export const layouts = {\n"
        .to_owned();
    for Laid { of, size, fields, .. } in structs {
        writeln!(text, "    {}: {{ size: {size}, fields: {{", of.name).unwrap();
        for (field, offset, Numbers { kind, count }) in fields {
            writeln!(text, "        {}: [{offset}, '{kind}', {count}],", field.name).unwrap();
        }
        text += "    } },\n";
    }
    text += "};\n\nexport const constants = {\n";
    for (name, value) in header.lines().filter_map(constant) {
        writeln!(text, "    {name}: {value},").unwrap();
    }
    text + "};\n"
}

/// Returns a number that the header defines, without the C suffix of floats and unsigned numbers.
fn constant(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.strip_prefix("#define ")?.split_once(' ')?;
    if !name.starts_with("VORTON_") || !value.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        return None;
    }
    let number = value.trim_end_matches(['f', 'u']);
    assert!(number.parse::<f64>().is_ok(), "{name}: a page cannot read {value}");
    Some((name, number))
}
