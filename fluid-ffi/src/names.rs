//! Error sentences of the Rust crates with the names of the C interface.

use fluid_particles::view::{Format, Semantic};

/// Returns `text` with VORTON_POSITION for Position, VORTON_F32X3 for F32X3 and VORTON_OP_KILL for the name
/// of an operation, in parentheses; vectors and tensors as numbers in brackets.
pub(crate) fn in_c(text: &str) -> String {
    let text = plain_numbers(text);
    let mut sentence = String::with_capacity(text.len() + 32);
    let mut rest = text.as_str();
    while let Some(start) = rest.find(is_of_a_word) {
        let word = &rest[start..];
        let word = &word[..word.find(|c| !is_of_a_word(c)).unwrap_or(word.len())];
        sentence.push_str(&rest[..start]);
        rest = &rest[start + word.len()..];
        let is_operation = sentence.ends_with('(') && rest.starts_with(')');
        match if is_operation { operation(word) } else { stream_or_format(word) } {
            Some(name) => sentence.push_str(&name),
            None => sentence.push_str(word),
        }
    }
    sentence + rest
}

fn is_of_a_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns the C name of a stream or format, such as VORTON_POSITION.
fn stream_or_format(word: &str) -> Option<String> {
    let format = Format::ALL.iter().any(|format| format!("{format:?}") == word);
    let user = word.strip_prefix("User").and_then(|number| number.parse::<u32>().ok());
    match (user, format || semantics().any(|semantic| format!("{semantic:?}") == word)) {
        (Some(number), true) => Some(format!("VORTON_USER0 + {number}")),
        (None, true) => Some(format!("VORTON_{}", upper_snake(word))),
        (_, false) => None,
    }
}

fn semantics() -> impl Iterator<Item = Semantic> {
    (0..=u32::from(u8::MAX)).filter_map(Semantic::from_code)
}

/// Returns the C name of an operation, such as VORTON_OP_KILL.
fn operation(word: &str) -> Option<String> {
    match word {
        "Velocity" | "Advect" | "Accelerate" | "Wind" | "Drag" | "Age" | "Kill" | "Emit" | "Bounds"
        | "SampleScalar" | "Spin" | "Collide" | "Turbulence" => {
            Some(format!("VORTON_OP_{}", upper_snake(word)))
        }
        _ => None,
    }
}

/// Converts to upper snake case: BIRTH_FRAME for BirthFrame.
fn upper_snake(word: &str) -> String {
    let mut name = String::with_capacity(word.len() + 4);
    let mut after_lower = false;
    for c in word.chars() {
        if after_lower && c.is_ascii_uppercase() {
            name.push('_');
        }
        after_lower = c.is_ascii_lowercase();
        name.push(c.to_ascii_uppercase());
    }
    name
}

/// Writes (1.0, 0.0, 0.0) for Vec3(1.0, 0.0, 0.0), and a row of such vectors for a tensor.
fn plain_numbers(text: &str) -> String {
    let tensor =
        text.replace("DMat3 { x_axis: ", "(").replace(", y_axis: ", ", ").replace(", z_axis: ", ", ");
    let tensor = if text.contains("DMat3 {") { tensor.replacen(" }", ")", 1) } else { tensor };
    tensor.replace("DVec3(", "(").replace("Vec3(", "(").replace("DQuat(", "(").replace("Quat(", "(")
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DMat3, Vec3};

    /// The header defines each name with the number that the host passes.
    #[test]
    fn names_are_those_of_the_header() {
        let header = include_str!("../../include/vorton.h");
        let number = |name: &str| {
            let line = header.lines().find_map(|line| line.strip_prefix(&format!("#define {name} ")));
            let line = line.map(|number| number.trim_end_matches('u'));
            line.unwrap_or_else(|| panic!("{name} is not in the header")).parse::<u32>().expect("a number")
        };
        for operation in fluid_particles::ops::Operation::NAMES {
            let name = in_c(&format!("({operation})"));
            assert!(number(name.trim_matches(['(', ')'])) > 0, "{operation} is called {name}");
        }
        for semantic in semantics() {
            let name = in_c(&format!("{semantic:?}"));
            let (first, more) = name.split_once(" + ").unwrap_or((&name, "0"));
            assert_eq!(number(first) + more.parse::<u32>().expect("a number"), semantic as u32, "{name}");
        }
        assert_eq!(semantics().count(), 15 + 9 + 16);
        for format in Format::ALL {
            assert_eq!(number(&in_c(&format!("{format:?}"))), format as u32);
        }
    }

    #[test]
    fn sentences_change_nothing_else() {
        let text =
            "operation 5 (Age): stream Age: format F32X3 does not suit it; use one of [F32, F64X3] (Ages)";
        let in_c_names = "operation 5 (VORTON_OP_AGE): stream VORTON_AGE: format VORTON_F32X3 does not suit it; use one of [VORTON_F32, VORTON_F64X3] (Ages)";
        assert_eq!(in_c(text), in_c_names);
        let tensor = DMat3::from_diagonal(glam::DVec3::new(1.0, 2.5, 3.0));
        assert_eq!(in_c(&format!("{tensor:?} }}")), "((1.0, 0.0, 0.0), (0.0, 2.5, 0.0), (0.0, 0.0, 3.0)) }");
        assert_eq!(in_c(&format!("wind is {:?}, but m³", Vec3::X)), "wind is (1.0, 0.0, 0.0), but m³");
    }
}
