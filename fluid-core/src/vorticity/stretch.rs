//! Stretching and tilting (E6).

use crate::constants::{PARTICLE_CHUNK, STRETCH_BOUNDED};
use crate::velocity::{FlowSample, Sources, StretchedGroup};
use fluid_threads::{Executor, reduce_ordered};
use glam::{DVec3, Vec3};

/// Returns dα/dt \[m³/s²\] of a vorton of strength α in this flow, in the transposed form (∇u)ᵀ α. Its sum
/// over all vortons vanishes pair by pair, so the total strength is conserved for any cloud (Winckelmans and
/// Leonard 1993).
#[inline]
pub fn stretching(flow: &FlowSample, strength: Vec3) -> Vec3 {
    let gradient = &flow.gradient;
    Vec3::new(gradient.x_axis.dot(strength), gradient.y_axis.dot(strength), gradient.z_axis.dot(strength))
}

/// Returns a strength after `dt` \[s\] at this `rate` \[m³/s²\], including the part `made` by density, in a
/// flow with `gradient2` = |∇u|² \[1/s²\]. If |∇u| Δt is above 1, the flow turns and stretches by more than a
/// step can follow, and the error would grow from step to step until nothing is finite: stretching then
/// lengthens a strength by at most the fraction (|∇u| Δt)⁻³, so that it settles down (E6).
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

/// Excess that an approximate gradient, such as a mesh's, adds to the total strength: Σ (∇u)ᵀ α / Σ |α|
/// \[1/s\]. Each vorton gives it back in proportion to |α|. The default is zero.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Surplus(DVec3);

/// Σ (∇u)ᵀ α and Σ |α| of some sources.
type StretchSums = (DVec3, f64);

/// These sums for sources that are not images, and for those of them that have images: scratch of
/// `Surplus::of`.
pub type SurplusPart = (StretchSums, StretchSums);

impl Surplus {
    /// Computes the surplus of the sources with finite rate and strength, images included: the rates of
    /// images are mirrored ones, so `flow` is read only for the others. Of `groups` the stretching is known,
    /// and `flow` has no gradient at their sources.
    pub(crate) fn of(
        exec: &dyn Executor,
        flow: &[FlowSample],
        (sources, groups): (&Sources, &[StretchedGroup]),
        partials: &mut Vec<SurplusPart>,
    ) -> Self {
        let none = (DVec3::ZERO, 0.0);
        let add = |a: StretchSums, b: StretchSums| (a.0 + b.0, a.1 + b.1);
        let of_row = |row: usize| {
            let strength = sources.strengths.get(row);
            let rate = stretching(&flow[row], strength);
            let finite = rate.is_finite() && strength.is_finite();
            if finite { (rate.as_dvec3(), strength.as_dvec3().length()) } else { none }
        };
        let of_rows = |rows: std::ops::Range<usize>| {
            rows.fold((none, none), |(all, mirrored), row| {
                let one = of_row(row);
                let is_mirrored = sources.has_images() && !sources.is_without_images(row);
                (add(all, one), if is_mirrored { add(mirrored, one) } else { mirrored })
            })
        };
        let both = |a: SurplusPart, b: SurplusPart| (add(a.0, b.0), add(a.1, b.1));
        let (mut all, mut mirrored) =
            reduce_ordered(exec, flow.len(), PARTICLE_CHUNK, (none, none), partials, &of_rows, both);
        for &StretchedGroup { row, rate } in groups.iter().filter(|group| group.rate.is_finite()) {
            all = add(all, (rate, 0.0));
            if sources.has_images() && !sources.is_without_images(row) {
                mirrored = add(mirrored, (rate, 0.0));
            }
        }
        for mirror in sources.mirrors() {
            let images = (mirror.sum_of_strengths(mirrored.0), mirrored.1);
            (all, mirrored) = (add(all, images), add(mirrored, images));
        }
        if all.1 > 0.0 { Self(all.0 / all.1) } else { Self::default() }
    }

    /// Returns the part of a vorton of this strength \[m³/s²\]. In f64, because the square of a strength may
    /// exceed the range of `f32`.
    #[inline]
    pub fn share(self, strength: Vec3) -> Vec3 {
        if self.0 == DVec3::ZERO { Vec3::ZERO } else { (self.0 * strength.as_dvec3().length()).as_vec3() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use crate::velocity::Mirror;
    use fluid_threads::Serial;
    use glam::Mat3;

    /// Images have mirrored flow: the surplus of sources and images equals the sum over all of them, with
    /// zero, one and three mirrors, and with sources that have no images.
    #[test]
    fn the_surplus_of_images_is_that_of_mirrored_flow() {
        let random = Random::new(3);
        let mirrors = [Vec3::new(0.1, 0.2, 0.9), Vec3::new(-0.9, 0.0, 0.1), Vec3::new(0.02, -0.82, 0.18)];
        for count in [0, 1, 3] {
            let (mut sources, mut flow) = (Sources::default(), Vec::new());
            for n in 0..40 {
                sources.push(random.centred_vec3(n) * 2.0, random.centred_vec3(n + 100));
                let gradient = [200, 300, 400].map(|k| random.centred_vec3(n + k));
                let gradient = Mat3::from_cols_array_2d(&gradient.map(|column| column.to_array()));
                flow.push(FlowSample { velocity: Vec3::ZERO, gradient });
            }
            (0..40).step_by(3).for_each(|row| sources.leave_without_images(row));
            for normal in &mirrors[..count] {
                let mirror = Mirror::new(Vec3::NEG_ONE * 4.0, *normal);
                let n = mirror.normal().as_vec3();
                let turn = Mat3::IDENTITY - Mat3::from_cols(n * n.x, n * n.y, n * n.z) * 2.0;
                sources.mirror(mirror);
                for row in 0..flow.len() {
                    flow.push(FlowSample { gradient: turn * flow[row].gradient * turn, ..flow[row] });
                }
            }
            let mut all = Sources::default();
            all.copy_from(&sources.positions, &sources.strengths);
            let expected = Surplus::of(&Serial, &flow, (&all, &[]), &mut Vec::new());
            let found = Surplus::of(&Serial, &flow[..40], (&sources, &[]), &mut Vec::new());
            let error = (found.0 - expected.0).length();
            assert!(error < 1e-6 && expected.0.length() > 1e-3, "{count} mirrors: {found:?} {expected:?}");
            assert_eq!(sources.len(), 40 << count);
        }
    }
}
