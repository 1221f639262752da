//! Stretching and tilting (E6).

use crate::constants::{PARTICLE_CHUNK, STRETCH_BOUNDED};
use crate::math::Vec3Columns;
use crate::velocity::FlowSample;
use fluid_threads::{Executor, reduce_ordered};
use glam::{DVec3, Vec3};

/// dα/dt \[m³/s²\] of a vorton of strength α in this flow: the transposed form (∇u)ᵀ α, whose sum over all
/// vortons vanishes pair by pair, so that the total strength is conserved for any cloud (Winckelmans and
/// Leonard 1993).
#[inline]
pub fn stretching(flow: &FlowSample, strength: Vec3) -> Vec3 {
    let gradient = &flow.gradient;
    Vec3::new(gradient.x_axis.dot(strength), gradient.y_axis.dot(strength), gradient.z_axis.dot(strength))
}

/// A strength after `dt` \[s\] at this `rate` \[m³/s²\], of which density makes the part `made`, in a flow
/// with `gradient2` = |∇u|² \[1/s²\]. Where |∇u| Δt is above 1, the flow turns and stretches by more in a
/// step than a step can follow, and what it cannot follow would grow from step to step until nothing is
/// finite: there stretching makes a strength longer by at most (|∇u| Δt)⁻³ of itself, so that it settles down
/// (E6).
#[inline]
pub fn stretched(gradient2: f32, strength: Vec3, (rate, made): (Vec3, Vec3), dt: f32) -> Vec3 {
    let after = strength + rate * dt;
    let steep2 = gradient2 * dt * dt;
    if steep2 <= STRETCH_BOUNDED * STRETCH_BOUNDED {
        return after;
    }
    // In f64 no square of a strength over- or underflows, whatever the unit of length.
    let steep2 = f64::from(steep2);
    let most = strength.as_dvec3().length() * (1.0 + 1.0 / (steep2 * steep2.sqrt()));
    let made = made.as_dvec3() * f64::from(dt);
    ((after.as_dvec3() - made).clamp_length_max(most) + made).as_vec3()
}

/// What an approximate gradient, such as a mesh's, adds to the total strength: Σ (∇u)ᵀ α / Σ |α| \[1/s\].
/// Each vorton gives it back in proportion to |α|. The default is none.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Surplus(DVec3);

/// Σ (∇u)ᵀ α and Σ |α| of some vortons: scratch of [`Surplus::of`].
pub type SurplusPart = (DVec3, f64);

impl Surplus {
    /// Of the vortons for which rate and strength are finite.
    pub fn of(
        exec: &dyn Executor,
        flow: &[FlowSample],
        strengths: &Vec3Columns,
        partials: &mut Vec<SurplusPart>,
    ) -> Self {
        let zero = (DVec3::ZERO, 0.0);
        let add = |a: SurplusPart, b: SurplusPart| (a.0 + b.0, a.1 + b.1);
        let of_rows = |rows: std::ops::Range<usize>| {
            let parts = rows.map(|row| {
                let strength = strengths.get(row);
                let rate = stretching(&flow[row], strength);
                let finite = rate.is_finite() && strength.is_finite();
                if finite { (rate.as_dvec3(), strength.as_dvec3().length()) } else { zero }
            });
            parts.fold(zero, add)
        };
        let (sum, scale) = reduce_ordered(exec, flow.len(), PARTICLE_CHUNK, zero, partials, &of_rows, add);
        if scale > 0.0 { Self(sum / scale) } else { Self::default() }
    }

    /// The part of a vorton of this strength \[m³/s²\]. In f64: the square of a strength need not be an
    /// `f32`.
    #[inline]
    pub fn share(self, strength: Vec3) -> Vec3 {
        if self.0 == DVec3::ZERO { Vec3::ZERO } else { (self.0 * strength.as_dvec3().length()).as_vec3() }
    }
}
