//! The vortons as seen from far away, bounding box and largest strength, and the flow of a single one.

use fluid_core::math::{Vec3Columns, distance_from_box};
use fluid_core::params::Params;
use fluid_core::particles::Vortons;
use glam::Vec3;
use std::f64::consts::PI;

/// Bounding box of the vortons, and their largest strength \[m³/s\].
#[derive(Debug, Clone, Copy)]
pub(crate) struct CloudExtent {
    pub(crate) low: Vec3,
    pub(crate) high: Vec3,
    pub(crate) strongest: f64,
}

impl CloudExtent {
    /// Measures no vortons.
    pub(crate) const NONE: Self = Self { low: Vec3::INFINITY, high: Vec3::NEG_INFINITY, strongest: 0.0 };

    /// Measures the first `count` of these vortons. NaN is ignored.
    pub(crate) fn of(positions: &Vec3Columns, strengths: &Vec3Columns, count: usize) -> Self {
        let Vec3Columns { x, y, z } = positions;
        let bounds = [x, y, z].map(|column| least(count, |i| [column[i], -column[i]]));
        let (x, y, z) = (&strengths.x[..count], &strengths.y[..count], &strengths.z[..count]);
        let [strongest] = least(x.len(), |i| [-(x[i] * x[i] + y[i] * y[i] + z[i] * z[i])]);
        Self {
            low: Vec3::from_array(bounds.map(|[low, _]| low)),
            high: Vec3::from_array(bounds.map(|[_, high]| -high)),
            strongest: f64::from((-strongest).max(0.0)).sqrt(),
        }
    }

    /// Measures all of these vortons.
    pub(crate) fn all(vortons: &Vortons) -> Self {
        Self::of(&vortons.positions, &vortons.strengths, vortons.len())
    }

    /// Returns true if there are no vortons.
    pub(crate) fn is_empty(&self) -> bool {
        self.low.x > self.high.x
    }

    /// Returns an upper bound of the speed of the vortons' flow in a ball, relative to the largest at vortons
    /// \[1\]: outside of the box around them it falls at least with the square of the distance. 0 without
    /// vortons.
    pub(crate) fn reach(&self, place: Vec3, radius: f64, core: f64) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        let (size, distance) =
            (core + 0.5 * f64::from((self.high - self.low).length()), self.distance(place) - radius);
        if distance > 0.0 { (size / (size + distance)).powi(2) } else { 1.0 }
    }

    /// Returns the distance \[m\] of a point from the box around all vortons; 0 without vortons.
    pub(crate) fn distance(&self, place: Vec3) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        distance_from_box(place, self.low, self.high).into()
    }
}

/// Returns the least of each value over `count` rows, infinity without rows; NaN is ignored. Eight
/// independent rows are processed side by side.
fn least<const N: usize>(count: usize, row: impl Fn(usize) -> [f32; N]) -> [f32; N] {
    const SIDE_BY_SIDE: usize = 8;
    let mut parts = [[f32::INFINITY; SIDE_BY_SIDE]; N];
    let whole = count - count % SIDE_BY_SIDE;
    let mut take = |i: usize, side: usize| {
        for (part, value) in parts.iter_mut().zip(row(i)) {
            part[side] = if value < part[side] { value } else { part[side] };
        }
    };
    for start in (0..whole).step_by(SIDE_BY_SIDE) {
        (0..SIDE_BY_SIDE).for_each(|side| take(start + side, side));
    }
    (whole..count).for_each(|i| take(i, i - whole));
    parts.map(|part| part.into_iter().fold(f32::INFINITY, f32::min))
}

/// Returns the velocity \[m/s\] that one vorton induces at `distance` from it.
pub(crate) fn induced(params: &Params, distance: Vec3, strength: Vec3) -> Vec3 {
    let core = f64::from(params.core_radius);
    let d = distance.as_dvec3();
    let factor = params.kernel.q_over_cube(d.length() / core) / (4.0 * PI * core.powi(3));
    (strength.as_dvec3().cross(d) * factor).as_vec3()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluid_core::math::Random;

    /// The box and the largest strength are those found one vorton at a time, for counts around whole blocks;
    /// a position or strength of NaN changes nothing.
    #[test]
    fn clouds_are_bounded_as_one_by_one() {
        let random = Random::new(5);
        for count in [0, 1, 7, 8, 9, 64, 101] {
            let (mut positions, mut strengths) = (Vec3Columns::default(), Vec3Columns::default());
            let (mut low, mut high, mut strongest) = (Vec3::INFINITY, Vec3::NEG_INFINITY, 0.0_f32);
            for i in 0..count {
                let (place, strength) = (random.centred_vec3(2 * i) * 9.0, random.centred_vec3(2 * i + 1));
                let is_nan = i % 5 == 3;
                positions.push(if is_nan { Vec3::NAN } else { place });
                strengths.push(if is_nan { Vec3::NAN } else { strength });
                if !is_nan {
                    (low, high) = (low.min(place), high.max(place));
                    strongest = strongest.max(strength.length_squared());
                }
            }
            let cloud = CloudExtent::of(&positions, &strengths, count as usize);
            let expected = (low, high, f64::from(strongest).sqrt());
            assert_eq!((cloud.low, cloud.high, cloud.strongest), expected, "{count} vortons");
        }
    }
}
