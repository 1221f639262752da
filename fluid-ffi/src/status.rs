//! Result codes, and the error that becomes one.

use crate::names::in_c;
use fluid_core::params::{ParamError, is_within};
use glam::Vec3;
use std::fmt::Display;

pub(crate) fn unknown(what: &str, value: u32) -> Error {
    Error::bad_value(format_args!("{what} is {value}, which is none of its constants"))
}

/// Result of a function: 0 done, positive done with a note, negative failed and nothing changed.
pub type VortonResult = i32;

/// Done.
pub const VORTON_OK: i32 = 0;
/// Done, but a list was too short for all results; the count that the call returns is their total number.
pub const VORTON_NOTE_TRUNCATED: i32 = 1;
/// Done, but elements that were not finite were left untouched; the call counts them.
pub const VORTON_NOTE_SKIPPED_NONFINITE: i32 = 3;
/// Done, but a step was too coarse for the flow, and the growth of some strengths was limited:
/// VortonStats.stretch_number was above 1 in a step of one or two solves (VortonStats.solves), or above
/// VORTON_STRETCH_FOLLOWED in one of four. Or vorton_world_advance would have needed more than max_steps
/// steps. Only accuracy is lost.
pub const VORTON_NOTE_TOO_COARSE: i32 = 4;
/// Done, but a replayed step gave another hash than the recorded one, or a call another result: see
/// vorton_world_replay.
pub const VORTON_NOTE_DIVERGED: i32 = 5;
/// A required pointer is NULL.
pub const VORTON_ERR_NULL: i32 = -1;
/// A struct_size is smaller than any version of the struct, or larger with an unknown tail that is not zero.
pub const VORTON_ERR_STRUCT_SIZE: i32 = -2;
/// A value is out of its range, a reserved field is not 0, or a pointer is not aligned.
pub const VORTON_ERR_BAD_VALUE: i32 = -3;
/// A value is NaN or infinite.
pub const VORTON_ERR_NOT_FINITE: i32 = -4;
/// The id is null, or its object has been destroyed.
pub const VORTON_ERR_STALE_ID: i32 = -5;
/// The id belongs to another world, which may have been destroyed.
pub const VORTON_ERR_WRONG_WORLD: i32 = -6;
/// Another thread is writing to this world (or reading it, for a call that writes), or a callback called the
/// library.
pub const VORTON_ERR_BUSY: i32 = -7;
/// A limit is reached: max_vortons, a capacity, VORTON_MAX_WORLDS or VORTON_MAX_OBJECTS.
pub const VORTON_ERR_CAPACITY: i32 = -8;
/// The buffer is too small; the count that the call returns is the size needed.
pub const VORTON_ERR_BUFFER_SMALL: i32 = -10;
/// A stream of a particle view, or an array with a stride, is malformed: format, stride, alignment, overlap,
/// table or index list.
pub const VORTON_ERR_BAD_STREAM: i32 = -11;
/// An operation needs a stream that the view does not have.
pub const VORTON_ERR_MISSING_STREAM: i32 = -12;
/// The bytes are not a snapshot from which this world can be restored.
pub const VORTON_ERR_SNAPSHOT: i32 = -13;
/// This machine or build does not support the request.
pub const VORTON_ERR_UNSUPPORTED: i32 = -14;
/// Header and library are of incompatible versions.
pub const VORTON_ERR_ABI: i32 = -15;
/// The function had to be called earlier: see its documentation.
pub const VORTON_ERR_TOO_LATE: i32 = -16;
/// Not enough memory for the request.
pub const VORTON_ERR_OUT_OF_MEMORY: i32 = -17;
/// The bytes are not a recording that this library can replay, or they are damaged.
pub const VORTON_ERR_RECORDING: i32 = -18;
/// An earlier internal error has stopped this world; it can only be destroyed, and its last field be read.
pub const VORTON_ERR_POISONED: i32 = -98;
/// An internal error was caught. The world in which it happened is poisoned (VORTON_ERR_POISONED).
pub const VORTON_ERR_PANIC: i32 = -99;

/// A failure to report to the caller: the code and the sentence for `vorton_last_error`.
#[derive(Debug)]
pub(crate) struct Error {
    pub(crate) code: VortonResult,
    pub(crate) text: String,
}

impl Error {
    pub(crate) fn new(code: VortonResult, text: impl Display) -> Self {
        Self { code, text: text.to_string() }
    }

    pub(crate) fn bad_value(text: impl Display) -> Self {
        Self::new(VORTON_ERR_BAD_VALUE, text)
    }
}

impl From<ParamError> for Error {
    fn from(error: ParamError) -> Self {
        Self::bad_value(in_c(&error.to_string()))
    }
}

pub(crate) type Outcome<T = ()> = Result<T, Error>;

/// Refuses nonzero reserved fields, to which a later version may give a meaning.
pub(crate) fn reserved(values: &[u32], what: &str) -> Outcome {
    match values.iter().find(|value| **value != 0) {
        None => Ok(()),
        Some(value) => {
            Err(Error::bad_value(format_args!("a reserved field of {what} is {value}, but must be 0")))
        }
    }
}

/// Refuses NaN and infinities before any range is checked, so that they have a code of their own.
pub(crate) fn finite(values: &[f32], what: &str) -> Outcome {
    match values.iter().find(|v| !v.is_finite()) {
        None => Ok(()),
        Some(value) => {
            Err(Error::new(VORTON_ERR_NOT_FINITE, format_args!("{what} contains {value}; it must be finite")))
        }
    }
}

/// Refuses a vector longer than `most` (in `unit`). Computed in f64, because the squared length may overflow
/// f32.
pub(crate) fn at_most(vector: Vec3, most: f32, what: &str, unit: &str) -> Outcome<Vec3> {
    if is_within(vector, most) {
        return Ok(vector);
    }
    Err(Error::bad_value(format_args!("{what} is {vector}, but must be at most {most:e} {unit}")))
}

/// Returns the name of a result code.
pub(crate) fn name(code: VortonResult) -> &'static std::ffi::CStr {
    match code {
        VORTON_OK => c"VORTON_OK",
        VORTON_NOTE_TRUNCATED => c"VORTON_NOTE_TRUNCATED",
        VORTON_NOTE_SKIPPED_NONFINITE => c"VORTON_NOTE_SKIPPED_NONFINITE",
        VORTON_NOTE_TOO_COARSE => c"VORTON_NOTE_TOO_COARSE",
        VORTON_NOTE_DIVERGED => c"VORTON_NOTE_DIVERGED",
        VORTON_ERR_NULL => c"VORTON_ERR_NULL",
        VORTON_ERR_STRUCT_SIZE => c"VORTON_ERR_STRUCT_SIZE",
        VORTON_ERR_BAD_VALUE => c"VORTON_ERR_BAD_VALUE",
        VORTON_ERR_NOT_FINITE => c"VORTON_ERR_NOT_FINITE",
        VORTON_ERR_STALE_ID => c"VORTON_ERR_STALE_ID",
        VORTON_ERR_WRONG_WORLD => c"VORTON_ERR_WRONG_WORLD",
        VORTON_ERR_BUSY => c"VORTON_ERR_BUSY",
        VORTON_ERR_CAPACITY => c"VORTON_ERR_CAPACITY",
        VORTON_ERR_BUFFER_SMALL => c"VORTON_ERR_BUFFER_SMALL",
        VORTON_ERR_BAD_STREAM => c"VORTON_ERR_BAD_STREAM",
        VORTON_ERR_MISSING_STREAM => c"VORTON_ERR_MISSING_STREAM",
        VORTON_ERR_SNAPSHOT => c"VORTON_ERR_SNAPSHOT",
        VORTON_ERR_UNSUPPORTED => c"VORTON_ERR_UNSUPPORTED",
        VORTON_ERR_ABI => c"VORTON_ERR_ABI",
        VORTON_ERR_TOO_LATE => c"VORTON_ERR_TOO_LATE",
        VORTON_ERR_OUT_OF_MEMORY => c"VORTON_ERR_OUT_OF_MEMORY",
        VORTON_ERR_RECORDING => c"VORTON_ERR_RECORDING",
        VORTON_ERR_POISONED => c"VORTON_ERR_POISONED",
        VORTON_ERR_PANIC => c"VORTON_ERR_PANIC",
        _ => c"unknown VortonResult",
    }
}
