//! Test for whether the images of the fluid's vortons in the plane of a half-space (E50) affect the fluid.

use crate::cloud::CloudExtent;
use fluid_core::math::{Vec3Columns, outer};
use fluid_core::velocity::{Mirror, Sources};
use glam::{DMat3, DVec3, Vec3};
use std::f64::consts::PI;

/// Images are omitted if the velocity that the vortons induce at the plane, which is also the most that the
/// images induce anywhere above it, is below this fraction of the largest speed of a vorton \[1\]. At the
/// height of the vortons themselves it is about an eighth of that.
const FAINT: f64 = 0.01;

/// Distance from the middle of the cloud, relative to its height, beyond which vortons count one by one
/// \[1\].
const FAR_OUT: f64 = 0.5;

/// True if the images of `sources` in `mirror` affect fluid with a fastest vorton of `fastest` \[m/s\]. If
/// the speed is unknown (0), any images do.
pub(crate) fn are_felt(sources: &Sources, mirror: &Mirror, fastest: f64) -> bool {
    if sources.are_without_images() {
        return false;
    }
    let Sources { positions, strengths, .. } = sources;
    let CloudExtent { low, high, .. } = CloudExtent::of(positions, strengths, positions.len());
    if low.cmpgt(high).any() {
        return false;
    }
    let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
    let reach = mirror.normal().abs().dot(half.as_dvec3());
    let lowest = mirror.height(middle) - reach;
    // Most clouds with relevant images are no higher above the plane than they are large.
    if lowest < half.length().into() || fastest == 0.0 {
        return true;
    }
    let least = 4.0 * PI * FAINT * fastest;
    let sum = (0..positions.len()).map(|row| weight(strengths.get(row))).sum::<f64>();
    sum > least * lowest * lowest && Far::of(positions, strengths, mirror).speed_at_plane() > least
}

/// Vortons and bodies in containers with walls that confine their flow: they have no images.
#[derive(Debug, Clone, Default)]
pub(crate) struct WithoutImages {
    /// One flag each, or empty if all have images.
    vortons: Vec<bool>,
    bodies: Vec<bool>,
}

impl WithoutImages {
    /// Clears all flags: all have images.
    pub(crate) fn clear(&mut self) {
        self.vortons.clear();
        self.bodies.clear();
    }

    /// Copies `other`.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.vortons.clone_from(&other.vortons);
        self.bodies.clone_from(&other.bodies);
    }

    /// Marks the vortons without images, in addition to those marked.
    pub(crate) fn add_vortons(&mut self, held: impl ExactSizeIterator<Item = bool>) {
        add(&mut self.vortons, held);
    }

    /// Marks the bodies without images, in addition to those marked.
    pub(crate) fn add_bodies(&mut self, held: impl ExactSizeIterator<Item = bool>) {
        add(&mut self.bodies, held);
    }

    /// True if this vorton has no images.
    pub(crate) fn has_vorton(&self, row: usize) -> bool {
        self.vortons.get(row).is_some_and(|is_held| *is_held)
    }

    /// True if the vorticity held by this body, and its sheet, have no images.
    pub(crate) fn has_body(&self, index: usize) -> bool {
        self.bodies.get(index).is_some_and(|is_held| *is_held)
    }
}

fn add(flags: &mut Vec<bool>, held: impl ExactSizeIterator<Item = bool>) {
    flags.resize(held.len(), false);
    flags.iter_mut().zip(held).for_each(|(flag, is_held)| *flag |= is_held);
}

/// Returns |α| \[m³/s\]; 0 if that is not finite.
fn weight(strength: Vec3) -> f64 {
    let weight = strength.as_dvec3().length();
    if weight.is_finite() { weight } else { 0.0 }
}

/// Far field of a cloud: the first terms of its expansion about its middle, and bounds for the remainder.
struct Far {
    /// Height of the middle \[m\].
    height: f64,
    /// Σ α \[m³/s\].
    strength: DVec3,
    /// Σ (x − c) α \[m⁴/s\].
    moment: DMat3,
    /// Bound for the later terms, and for vortons far out \[m/s\], times 4π.
    rest: f64,
}

impl Far {
    fn of(positions: &Vec3Columns, strengths: &Vec3Columns, mirror: &Mirror) -> Self {
        let rows = || (0..positions.len()).map(|row| (positions.get(row), strengths.get(row)));
        let finite = || rows().filter(|(place, strength)| place.is_finite() && strength.is_finite());
        let (sum, total) = finite().fold((DVec3::ZERO, 0.0), |(sum, total), (place, strength)| {
            let weight = weight(strength);
            (sum + place.as_dvec3() * weight, total + weight)
        });
        let middle = sum / total;
        let height = mirror.height(middle.as_vec3());
        let mut far = Self { height, strength: DVec3::ZERO, moment: DMat3::ZERO, rest: 0.0 };
        for (place, strength) in finite() {
            let (away, alpha) = (place.as_dvec3() - middle, strength.as_dvec3());
            let (square, weight) = (away.length_squared(), alpha.length());
            if square > (FAR_OUT * height).powi(2) {
                far.rest += weight / mirror.height(place).powi(2);
                continue;
            }
            far.strength += alpha;
            far.moment += outer(away, alpha);
            far.rest += 3.0 * weight * square / (height - square.sqrt()).powi(4);
        }
        far
    }

    /// Returns a bound for the largest speed \[m/s\] at the plane, times 4π.
    fn speed_at_plane(&self) -> f64 {
        let Self { height, strength, moment, rest } = *self;
        let turned = moment.transpose();
        // For closed lines the symmetric part vanishes, and the antisymmetric part is the impulse.
        let (even, odd) = (0.5 * (moment + turned), 0.5 * (moment - turned));
        let size = |m: DMat3| m.to_cols_array().iter().map(|v| v * v).sum::<f64>().sqrt();
        let dipole = 2.0_f64.sqrt() * size(odd) + 2.0 * 2.0_f64.sqrt() * size(even);
        strength.length() / height.powi(2) + dipole / height.powi(3) + rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluid_core::math::Random;

    fn ring(height: f32, axis: Vec3) -> Sources {
        let (u, v) = axis.any_orthonormal_pair();
        let mut sources = Sources::default();
        for i in 0..128 {
            let (sin, cos) = (i as f32 / 128.0 * std::f32::consts::TAU).sin_cos();
            let strength = (v * cos - u * sin) * (std::f32::consts::TAU * 0.7 * 1.3 / 128.0);
            sources.push(Vec3::Z * height + (u * cos + v * sin) * 0.7, strength);
        }
        sources
    }

    fn velocity(sources: &Sources, at: DVec3) -> DVec3 {
        let rows = 0..sources.len();
        rows.map(|row| {
            let d = at - sources.positions.get(row).as_dvec3();
            sources.strengths.get(row).as_dvec3().cross(d) / (4.0 * PI * d.length().powi(3))
        })
        .sum()
    }

    /// The bound holds at the plane, and for closed lines is less than 3.5 times the actual speed from six
    /// radii on.
    #[test]
    fn the_speed_at_the_plane_is_bounded() {
        let (floor, random) = (Mirror::new(Vec3::ZERO, Vec3::Z), Random::new(3));
        for (number, height) in [1.5, 3.0, 6.0, 12.0, 40.0].into_iter().enumerate() {
            for axis in [Vec3::Z, Vec3::X, Vec3::new(1.0, 2.0, -1.0)] {
                let mut sources = ring(height, axis.normalize());
                let is_closed = number % 2 == 0;
                if !is_closed {
                    let place = sources.positions.get(0) + random.centred_vec3(number as u64);
                    sources.push(place, random.centred_vec3(99 + number as u64));
                }
                let bound = Far::of(&sources.positions, &sources.strengths, &floor).speed_at_plane();
                let mut fastest = 0.0_f64;
                for x in -20..=20 {
                    for y in -20..=20 {
                        let at = DVec3::new(x.into(), y.into(), 0.0) * 0.1 * f64::from(height);
                        fastest = fastest.max(velocity(&sources, at).length());
                    }
                }
                let over = bound / (4.0 * PI * fastest);
                assert!(over >= 1.0, "{height}, {axis}: {over}");
                assert!(!is_closed || height < 4.2 || over < 3.5, "{height}, {axis}: {over}");
            }
        }
    }

    #[test]
    fn images_are_felt_near_the_plane_only() {
        let floor = Mirror::new(Vec3::ZERO, Vec3::Z);
        // Uses the speed of the ring itself.
        let felt = |height: f32, fastest: f64| are_felt(&ring(height, Vec3::Z), &floor, fastest);
        assert!(felt(0.1, 0.5) && felt(2.1, 0.5) && felt(4.0, 0.5));
        assert!(!felt(7.0, 0.5) && !felt(70.0, 0.5));
        assert!(felt(70.0, 0.0), "nothing is known of the speed");
        assert!(!are_felt(&Sources::default(), &floor, 0.0));
    }
}
