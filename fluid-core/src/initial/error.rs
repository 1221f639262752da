//! What is wrong with an initial condition, and the checks that find it.

use glam::{DVec3, Vec3};
use std::fmt;

/// An initial condition that cannot be made. Says which field, its value and its range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum InitialError {
    /// A number outside its range.
    OutOfRange {
        /// The field's name.
        field: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// A vector outside its range.
    VectorOutOfRange {
        /// The field's name.
        field: &'static str,
        /// Its value.
        value: Vec3,
        /// What it may be.
        range: &'static str,
    },
}

impl fmt::Display for InitialError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange { field, value, range } => write!(f, "{field} is {value}, must be {range}"),
            Self::VectorOutOfRange { field, value, range } => {
                write!(f, "{field} is {value}, must be {range}")
            }
        }
    }
}

impl std::error::Error for InitialError {}

/// A length in \[1e-6, 1e6\] m, so that its cube is a normal `f32`.
pub(super) fn length(field: &'static str, value: f32) -> Result<f64, InitialError> {
    within(field, value, 1e-6, 1e6, "a length from 1e-6 to 1e6")
}

/// A circulation, velocity or vorticity: at most 1e12 either way, so that times 1e18 m³ it is a finite `f32`.
pub(super) fn amount(field: &'static str, value: f32) -> Result<f64, InitialError> {
    within(field, value, -1e12, 1e12, "from -1e12 to 1e12")
}

/// A number from `low` to `high`, which `range` says in words. NaN is outside.
pub(super) fn within(
    field: &'static str,
    value: f32,
    low: f32,
    high: f32,
    range: &'static str,
) -> Result<f64, InitialError> {
    if (low..=high).contains(&value) { Ok(f64::from(value)) } else { Err(out_of_range(field, value, range)) }
}

/// A finite point.
pub(super) fn point(field: &'static str, value: Vec3) -> Result<DVec3, InitialError> {
    if value.is_finite() {
        Ok(value.as_dvec3())
    } else {
        Err(InitialError::VectorOutOfRange { field, value, range: "finite" })
    }
}

/// The unit vector along a finite vector that is not zero.
pub(super) fn direction(field: &'static str, value: Vec3) -> Result<DVec3, InitialError> {
    let wide = value.as_dvec3();
    let length = wide.length();
    if value.is_finite() && length > 0.0 {
        Ok(wide / length)
    } else {
        Err(InitialError::VectorOutOfRange { field, value, range: "finite and not zero" })
    }
}

/// The error for a number.
pub(super) fn out_of_range(field: &'static str, value: f32, range: &'static str) -> InitialError {
    InitialError::OutOfRange { field, value: f64::from(value), range }
}
