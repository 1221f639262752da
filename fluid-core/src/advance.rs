//! Divides a frame into as many steps as its flow needs: a thin layer above [`VortexSim::step`].

use crate::boundary::BodyCoupling;
use crate::constants::STRETCH_LIMIT;
use crate::params::{ParamError, check_step};
use crate::sim::VortexSim;
use fluid_threads::Executor;

/// Limits on the steps of [`VortexSim::advance`]: their stretch number and their number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepLimits {
    /// Largest stretch number of a step, |dt| · max |∇u| \[1\], positive. About 0.3 is accurate in midpoint
    /// steps, 1 in steps of fourth order, which are taken if the stretch number is large; above 2 a step
    /// cannot follow the flow.
    pub max_stretch: f32,
    /// Maximum number of steps, at least 1.
    pub max_steps: u32,
}

impl Default for StepLimits {
    /// Returns limits for accurate steps, at most 16.
    fn default() -> Self {
        Self { max_stretch: STRETCH_LIMIT as f32, max_steps: 16 }
    }
}

impl StepLimits {
    /// The limits of [`VortexSim::step`]: one step, however fast the flow is.
    pub const ONE: Self = Self { max_stretch: f32::MAX, max_steps: 1 };

    /// Checks both limits.
    ///
    /// # Errors
    /// One of them is out of its range.
    pub fn validate(&self) -> Result<(), ParamError> {
        let &Self { max_stretch, max_steps } = self;
        let positive = max_stretch.is_finite() && max_stretch > 0.0;
        ParamError::check(positive, "max_stretch", max_stretch, "finite and positive")?;
        ParamError::check(max_steps > 0, "max_steps", max_steps, "at least 1")
    }
}

/// Result of [`VortexSim::advance`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Advance {
    /// Steps taken.
    pub steps: u32,
    /// Length of each step \[s\].
    pub step: f32,
    /// False if the flow needed more steps than allowed, or one of them did not follow it
    /// ([`Stats::was_followed`](crate::stats::Stats::was_followed)).
    pub followed: bool,
}

impl VortexSim {
    /// Advances the fluid by `dt` \[s\] in equal steps, as many as keep the stretch number within `limits`.
    /// Their number follows from the largest gradient of the last step. If vortons have been added since,
    /// or no step was taken yet, a step of zero length measures the gradient first; it is not counted, and
    /// skipped if `max_steps` is 1.
    ///
    /// `after_step` runs after each step with its length: advance tracers and other per-step work there.
    /// Bodies move with constant velocity from step to step.
    ///
    /// # Errors
    /// `dt` as for [`step`](Self::step), or a limit out of its range; nothing has changed then.
    pub fn advance<B: BodyCoupling + Send>(
        &mut self,
        exec: &dyn Executor,
        bodies: &mut B,
        dt: f32,
        limits: StepLimits,
        mut after_step: impl FnMut(&mut Self, &mut B, f32),
    ) -> Result<Advance, ParamError> {
        check_step(dt)?;
        limits.validate()?;
        let StepLimits { max_stretch, max_steps } = limits;
        if dt != 0.0 && max_steps > 1 && !self.has_seen_all() {
            self.step(exec, bodies, 0.0)?;
        }
        let stretch = f64::from(dt.abs()) * f64::from(self.stats().max_gradient);
        // At least one step; `as` saturates.
        let wanted = (stretch / f64::from(max_stretch)).ceil().max(1.0) as u64;
        let steps = wanted.min(max_steps.into()) as u32;
        let step = (f64::from(dt) / f64::from(steps)) as f32;
        let mut followed = wanted <= max_steps.into();
        for index in 0..steps {
            self.set_frame_left(step * (steps - index) as f32);
            self.step(exec, bodies, step)?;
            followed &= self.stats().was_followed();
            after_step(self, bodies, step);
        }
        Ok(Advance { steps, step, followed })
    }
}
