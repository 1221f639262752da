//! A user's knobs, each with its unit, what it means in the world and what changing it does.

use crate::constants::{CORE_RADIUS_RANGE, MAX_VORTONS};
use crate::lanes::InstructionSet;
use crate::velocity::{DirectSettings, Kernel, Precision, SolverKind};
use glam::Vec3;
use std::fmt;

/// Everything that a world is built from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// Core radius σ \[m\] of every vorton: the smallest eddy. Smaller is sharper and needs more vortons: neighbours should be no
    /// further apart than σ / 1.25 along a filament, σ / 1.5 in a volume.
    pub core_radius: f32,
    /// How the core is smoothed.
    pub kernel: Kernel,
    /// How velocity is computed.
    pub solver: SolverKind,
    /// Exact (the default: same bits on every instruction set) or fast arithmetic.
    pub precision: Precision,
    /// Instructions to use; `Auto` takes the widest.
    pub instruction_set: InstructionSet,
    /// Rate \[1/s\] at which strengths turn towards the vorticity around them (E7). 0 is exact inviscid motion, which a coarse cloud
    /// does not survive for long; 1 (the default) keeps a coarse ring with a smooth profile finite for 5,000 steps at 3 % impulse
    /// drift. More is not better: above about 5/s coarse clouds become less stable again.
    pub relaxation_rate: f32,
    /// Uniform velocity \[m/s\] of the whole fluid, added everywhere.
    pub wind: Vec3,
    /// Age \[s\] at which a vorton is removed; infinity keeps it for ever.
    pub max_age: f32,
    /// Most vortons alive at a time; what does not fit is not added, and counted.
    pub max_vortons: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            core_radius: 0.1,
            kernel: Kernel::default(),
            solver: SolverKind::default(),
            precision: Precision::default(),
            instruction_set: InstructionSet::default(),
            relaxation_rate: 1.0,
            wind: Vec3::ZERO,
            max_age: f32::INFINITY,
            max_vortons: 16_384,
        }
    }
}

/// A parameter out of its range: which one, its value and what it may be.
#[derive(Debug, Clone, PartialEq)]
pub struct ParamError {
    /// Name of the field.
    pub field: &'static str,
    /// Its value, as text.
    pub value: String,
    /// What it may be.
    pub allowed: &'static str,
}

impl ParamError {
    pub(crate) fn check(
        valid: bool,
        field: &'static str,
        value: impl fmt::Debug,
        allowed: &'static str,
    ) -> Result<(), Self> {
        if valid { Ok(()) } else { Err(Self { field, value: format!("{value:?}"), allowed }) }
    }
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}, but must be {}", self.field, self.value, self.allowed)
    }
}

impl std::error::Error for ParamError {}

impl Params {
    /// Checks every field.
    ///
    /// # Errors
    /// The first field out of its range.
    pub fn validate(&self) -> Result<(), ParamError> {
        let (least, most) = CORE_RADIUS_RANGE;
        let core = self.core_radius;
        ParamError::check((least..=most).contains(&core), "core_radius", core, "from 1e-9 to 1e9 m")?;
        let rate = self.relaxation_rate;
        ParamError::check(
            rate.is_finite() && rate >= 0.0,
            "relaxation_rate",
            rate,
            "finite and at least 0 per second",
        )?;
        ParamError::check(self.wind.is_finite(), "wind", self.wind, "finite")?;
        ParamError::check(self.max_age > 0.0, "max_age", self.max_age, "positive (infinity: never removed)")?;
        let max = self.max_vortons;
        ParamError::check((1..=MAX_VORTONS).contains(&max), "max_vortons", max, "from 1 to 16777216")?;
        let set = self.instruction_set;
        ParamError::check(set.is_available(), "instruction_set", set, "one that this processor has")
    }

    /// What the direct sum needs of them.
    pub fn direct_settings(&self) -> DirectSettings {
        DirectSettings {
            kernel: self.kernel,
            core_radius: self.core_radius,
            instruction_set: self.instruction_set,
            precision: self.precision,
        }
    }
}
