//! Errors of initial conditions, and the checks that detect them.

use glam::{DVec3, Vec3};
use std::fmt;

/// An initial condition that cannot be created: its field, value and allowed range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum InitialError {
    /// A number outside its range.
    OutOfRange {
        /// The field's name.
        field: &'static str,
        /// Its value.
        value: f64,
        /// Allowed range.
        range: &'static str,
    },
    /// A vector outside its range.
    VectorOutOfRange {
        /// The field's name.
        field: &'static str,
        /// Its value.
        value: Vec3,
        /// Allowed range.
        range: &'static str,
    },
    /// There is no memory for the vortons.
    OutOfMemory,
}

impl fmt::Display for InitialError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange { field, value, range } => write!(f, "{field} is {value}, must be {range}"),
            Self::VectorOutOfRange { field, value, range } => {
                write!(f, "{field} is {value}, must be {range}")
            }
            Self::OutOfMemory => write!(f, "there is no memory for the vortons"),
        }
    }
}

impl std::error::Error for InitialError {}

/// Returns a list of these values, or an error if there is no memory for it.
pub(super) fn collected<T>(values: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, InitialError> {
    let mut list = Vec::new();
    list.try_reserve_exact(values.len()).map_err(|_| InitialError::OutOfMemory)?;
    list.extend(values);
    Ok(list)
}

/// Checks a length in \[1e-6, 1e6\] m, so that its cube is a normal `f32`.
pub(super) fn length(field: &'static str, value: f32) -> Result<f64, InitialError> {
    within(field, value, 1e-6, 1e6, "a length from 1e-6 to 1e6")
}

/// Checks a circulation, velocity or vorticity: magnitude at most 1e12, so that times 1e18 m³ it is a
/// finite `f32`.
pub(super) fn amount(field: &'static str, value: f32) -> Result<f64, InitialError> {
    within(field, value, -1e12, 1e12, "from -1e12 to 1e12")
}

/// Checks a number from `low` to `high`, described by `range`. NaN is outside.
pub(super) fn within(
    field: &'static str,
    value: f32,
    low: f32,
    high: f32,
    range: &'static str,
) -> Result<f64, InitialError> {
    if (low..=high).contains(&value) { Ok(f64::from(value)) } else { Err(out_of_range(field, value, range)) }
}

/// Checks that a point is finite.
pub(super) fn point(field: &'static str, value: Vec3) -> Result<DVec3, InitialError> {
    if value.is_finite() {
        Ok(value.as_dvec3())
    } else {
        Err(InitialError::VectorOutOfRange { field, value, range: "finite" })
    }
}

/// Returns the unit vector along a finite, nonzero vector.
pub(super) fn direction(field: &'static str, value: Vec3) -> Result<DVec3, InitialError> {
    let wide = value.as_dvec3();
    let length = wide.length();
    if value.is_finite() && length > 0.0 {
        Ok(wide / length)
    } else {
        Err(InitialError::VectorOutOfRange { field, value, range: "finite and not zero" })
    }
}

/// Returns the error for a number.
pub(super) fn out_of_range(field: &'static str, value: f32, range: &'static str) -> InitialError {
    InitialError::OutOfRange { field, value: f64::from(value), range }
}
