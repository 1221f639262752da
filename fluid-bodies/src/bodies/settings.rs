//! Settings of the coupling.

use crate::no_slip::NoSlipSettings;
use fluid_core::params::ParamError;

/// Settings of the coupling between bodies and fluid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodySettings {
    /// Settings of vorticity shedding at bodies.
    pub no_slip: NoSlipSettings,
    /// Specific heat c of the fluid \[J/(kg K)\], positive.
    pub specific_heat: f32,
}

fluid_core::saved::fields!(BodySettings { no_slip, specific_heat } check is_valid);

impl Default for BodySettings {
    fn default() -> Self {
        Self { no_slip: NoSlipSettings { depth: 1.2, rate: 30.0, passes: 16 }, specific_heat: 1000.0 }
    }
}

/// Most passes of no-slip in a step: far more than converge.
const MOST_PASSES: u32 = 1000;

impl BodySettings {
    fn is_valid(&self) -> bool {
        self.validate().is_ok()
    }

    /// Validates every field.
    ///
    /// # Errors
    /// Returns the first field that is out of range.
    pub fn validate(&self) -> Result<(), ParamError> {
        let NoSlipSettings { depth, rate, passes } = self.no_slip;
        ParamError::check(
            depth.is_finite() && depth >= 0.0,
            "no-slip depth",
            depth,
            "at least 0 core radii",
        )?;
        ParamError::check(rate >= 0.0, "no-slip rate", rate, "at least 0 per second")?;
        let few = (1..=MOST_PASSES).contains(&passes);
        ParamError::check(few, "no-slip passes", passes, "1 to 1,000")?;
        let heat = self.specific_heat;
        ParamError::check(heat.is_finite() && heat > 0.0, "specific heat", heat, "positive")
    }
}
