//! Drag towards the fluid's velocity, integrated exactly over the step (E16), hence stable for any step.

use super::error::{Problem, check_rate};
use super::notes::Notes;
use super::places::SampleAt;
use super::relax::update_velocities_in_fluid;
use super::run::{Local, OperationKind, RunInputs, Runnable};
use crate::view::{Chunk, ParticleView, Semantic};
use glam::Vec3;

/// Reduces the speed w = |v - u| relative to the fluid by dw/dt = -(a w + k w²), keeping its direction. The
/// fluid's velocity u is sampled at the particle. With both rates 0 it does nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drag {
    /// a \[1/s\]: Stokes drag, for small particles.
    pub linear_rate: f32,
    /// k \[1/m\]: drag of large particles, ρ C A / (2 m).
    pub quadratic: f32,
}

impl Runnable for Drag {
    fn needs(&self) -> &'static [Semantic] {
        &[Semantic::Position, Semantic::Velocity]
    }

    fn check(&self, _: &ParticleView<'_>) -> Result<(), Problem> {
        check_rate("linear_rate", self.linear_rate)?;
        check_rate("quadratic", self.quadratic)
    }

    fn kind(&self) -> OperationKind<'_> {
        OperationKind::Local(self)
    }
}

impl Local for Drag {
    fn run(&self, inputs: &RunInputs<'_>, chunk: &Chunk<'_>, notes: &mut Notes) {
        let left = Left::after(self, inputs.dt);
        if left.all() {
            return;
        }
        update_velocities_in_fluid(inputs, chunk, notes, SampleAt::Particle, |v, u| {
            let w = v - u;
            u + w * left.fraction(w)
        });
    }
}

/// Fraction of the relative velocity that remains, exactly: w(t) / w(0) = e^{-at} / (1 + k w(0) s), with s
/// = (1 - e^{-at}) / a, or t if a = 0. In `f64`, so that large rates do not overflow and small ones are not
/// lost.
struct Left {
    decay: f64,
    quadratic: f64,
}

impl Left {
    fn after(drag: &Drag, dt: f32) -> Self {
        let (a, t) = (f64::from(drag.linear_rate), f64::from(dt));
        let s = if a == 0.0 { t } else { -libm::expm1(-a * t) / a };
        Self { decay: libm::exp(-a * t), quadratic: f64::from(drag.quadratic) * s }
    }

    /// Returns true if the step changes no velocity.
    fn all(&self) -> bool {
        self.decay == 1.0 && self.quadratic == 0.0
    }

    /// Returns the remaining fraction of the relative velocity `w`: in [0, 1].
    #[inline]
    fn fraction(&self, w: Vec3) -> f32 {
        (self.decay / (1.0 + self.quadratic * w.as_dvec3().length())) as f32
    }
}
