//! Errors of a list of operations, and checks of parameters used by several operations.

use crate::view::{CompactError, Semantic};
use std::fmt;

/// Reason for refusing a list. Nothing has been changed in that case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OpError {
    /// The time step is negative, not finite, or too long.
    BadTimeStep {
        /// The time step \[s\].
        dt: f32,
    },
    /// The list has more emissions than there are states.
    MissingEmitState {
        /// Emissions.
        needed: usize,
        /// States.
        given: usize,
    },
    /// A state's remainder is not in [0, 1).
    BadEmitState {
        /// Index of the state.
        state: usize,
        /// Its remainder.
        remainder: f64,
    },
    /// Two operations would write to the caller's single list of rows.
    SecondList {
        /// Index of the second one in the list.
        operation: usize,
    },
    /// One operation cannot run.
    Operation {
        /// Its index in the list.
        operation: usize,
        /// Its name.
        name: &'static str,
        /// The error.
        problem: Problem,
    },
}

/// Error of one operation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Problem {
    /// The view lacks an attribute.
    MissingStream {
        /// The attribute.
        stream: Semantic,
    },
    /// A parameter is out of range.
    BadParameter {
        /// Its name.
        parameter: &'static str,
        /// Its value.
        value: f64,
        /// The requirement.
        must_be: &'static str,
    },
    /// A prototype gives this attribute twice, cannot give it, or cannot spread it.
    BadPrototype {
        /// The attribute.
        stream: Semantic,
        /// The reason.
        reason: &'static str,
    },
    /// A sampled scalar of the fluid cannot be written to this attribute.
    BadTarget {
        /// The attribute.
        stream: Semantic,
    },
    /// The view's rows cannot be compacted.
    Compact(CompactError),
}

impl fmt::Display for OpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadTimeStep { dt } => write!(f, "dt is {dt}; it must be from 0 to 1e7 s"),
            Self::MissingEmitState { needed, given } => {
                write!(f, "the list has {needed} emissions, but there are {given} emission states")
            }
            Self::BadEmitState { state, remainder } => {
                write!(f, "emission state {state}: remainder is {remainder}; it must be in [0, 1)")
            }
            Self::SecondList { operation } => {
                write!(f, "operation {operation} lists the dead, as one before it does; there is one list")
            }
            Self::Operation { operation, name, problem } => {
                write!(f, "operation {operation} ({name}): {problem}")
            }
        }
    }
}

impl std::error::Error for OpError {}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingStream { stream } => write!(f, "the view has no stream {stream:?}"),
            Self::BadParameter { parameter, value, must_be } => {
                write!(f, "{parameter} is {value}; it must be {must_be}")
            }
            Self::BadPrototype { stream, reason } => write!(f, "prototype of {stream:?}: {reason}"),
            Self::BadTarget { stream } => {
                write!(f, "a sample cannot go to {stream:?}; use Density, Temperature or a User stream")
            }
            Self::Compact(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Problem {}

/// Checks for a finite number that is not negative.
pub(super) fn check_rate(parameter: &'static str, value: f32) -> Result<(), Problem> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(Problem::BadParameter { parameter, value: value.into(), must_be: "finite and not negative" })
}

/// Checks for a factor: any finite number.
pub(super) fn check_factor(parameter: &'static str, value: f32) -> Result<(), Problem> {
    if value.is_finite() {
        return Ok(());
    }
    Err(Problem::BadParameter { parameter, value: value.into(), must_be: "finite" })
}

/// Checks for a fraction: a number from 0 to 1.
pub(super) fn check_share(parameter: &'static str, value: f32) -> Result<(), Problem> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(Problem::BadParameter { parameter, value: value.into(), must_be: "from 0 to 1" })
}

/// Checks for three finite numbers.
pub(super) fn check_finite(parameter: &'static str, values: [f32; 3]) -> Result<(), Problem> {
    match values.into_iter().find(|value| !value.is_finite()) {
        Some(value) => Err(Problem::BadParameter { parameter, value: value.into(), must_be: "finite" }),
        None => Ok(()),
    }
}
