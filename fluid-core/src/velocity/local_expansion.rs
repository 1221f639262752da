//! The flow of distant sources in a ball as a harmonic polynomial (E65): a local expansion, of which a
//! sample costs as much as a sum over three sources.

use crate::lanes::{BLOCK, InstructionSet, Job, Lanes, dispatch_exact, load_each, splat_each};
use glam::Vec3;

/// Number of solid harmonics up to the third degree \[1\].
const HARMONICS: usize = 16;

/// Points of a quadrature on the unit sphere: its axes, edges and corners of a cube around it.
pub(super) const SPHERE_POINTS: usize = 26;

/// Weights of the points on axes, edges and corners \[1\]: exact up to the seventh degree (V. I. Lebedev,
/// Quadratures on a sphere, USSR Comput. Math. Math. Phys. 16, 1976).
const WEIGHTS: [f32; 3] = [1.0 / 21.0, 4.0 / 105.0, 9.0 / 280.0];

/// Polynomial of the third degree for each component of a velocity in a ball.
#[derive(Debug, Clone, Copy)]
pub(super) struct LocalExpansion {
    centre: Vec3,
    /// Reciprocal radius \[1/m\].
    per_radius: f32,
    /// Factors of the solid harmonics for x, y and z \[m/s\].
    factors: [[f32; HARMONICS]; 3],
}

/// Returns the points of the quadrature: unit vectors.
fn directions() -> [Vec3; SPHERE_POINTS] {
    let mut points = [Vec3::ZERO; SPHERE_POINTS];
    // All of 27 cells but the middle one.
    let cells = (0..27_u8).filter(|cell| *cell != 13);
    for (point, cell) in points.iter_mut().zip(cells) {
        let [x, y, z] = [cell % 3, cell / 3 % 3, cell / 9].map(|n| f32::from(n) - 1.0);
        let way = Vec3::new(x, y, z);
        *point = way / way.length();
    }
    points
}

/// Returns the weight of a point of the quadrature.
fn weight(direction: Vec3) -> f32 {
    let others = direction.to_array().into_iter().filter(|component| *component != 0.0).count();
    WEIGHTS[others - 1]
}

/// Returns the points of a ball of this radius at which an expansion needs the velocity \[m\].
pub(super) fn sphere_points(centre: Vec3, radius: f32) -> [Vec3; SPHERE_POINTS] {
    directions().map(|direction| centre + direction * radius)
}

impl LocalExpansion {
    /// Expands a flow with these velocities \[m/s\] at the [`sphere_points`] of the ball.
    pub(super) fn of(
        set: InstructionSet,
        centre: Vec3,
        radius: f32,
        velocities: &[Vec3; SPHERE_POINTS],
    ) -> Self {
        let mut factors = [[0.0; HARMONICS]; 3];
        dispatch_exact(set, ProjectionJob { velocities, factors: &mut factors });
        Self { centre, per_radius: 1.0 / radius, factors }
    }

    /// Adds the velocity \[m/s\] at each position \[m\] in the ball.
    pub(super) fn add_velocities(&self, set: InstructionSet, positions: &[Vec3], out: &mut [Vec3]) {
        dispatch_exact(set, LocalExpansionJob { expansion: self, positions, out });
    }
}

/// Projects velocities at the points of the quadrature on the harmonics.
struct ProjectionJob<'a> {
    velocities: &'a [Vec3; SPHERE_POINTS],
    factors: &'a mut [[f32; HARMONICS]; 3],
}

impl Job for ProjectionJob<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let directions = directions();
        for (directions, velocities) in directions.chunks(BLOCK).zip(self.velocities.chunks(BLOCK)) {
            let mut places = [[0.0; BLOCK]; 3];
            for (i, direction) in directions.iter().enumerate() {
                (places[0][i], places[1][i], places[2][i]) = (*direction).into();
            }
            let mut values = [[0.0; BLOCK]; HARMONICS];
            for lane in (0..BLOCK).step_by(L::WIDTH) {
                let harmonics = solid_harmonics(load_each::<L, 3>(&places, lane));
                for (harmonic, values) in harmonics.into_iter().zip(&mut values) {
                    harmonic.store(values, lane);
                }
            }
            for (i, (direction, velocity)) in directions.iter().zip(velocities).enumerate() {
                let weighted = (*velocity * weight(*direction)).to_array();
                for (factors, velocity) in self.factors.iter_mut().zip(weighted) {
                    factors.iter_mut().zip(&values).for_each(|(sum, values)| *sum += values[i] * velocity);
                }
            }
        }
    }
}

struct LocalExpansionJob<'a> {
    expansion: &'a LocalExpansion,
    positions: &'a [Vec3],
    out: &'a mut [Vec3],
}

impl Job for LocalExpansionJob<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let LocalExpansion { centre, per_radius, factors } = self.expansion;
        for (positions, out) in self.positions.chunks(BLOCK).zip(self.out.chunks_mut(BLOCK)) {
            let mut places = [[0.0; BLOCK]; 3];
            for (i, &position) in positions.iter().enumerate() {
                let place = (position - *centre) * *per_radius;
                (places[0][i], places[1][i], places[2][i]) = place.into();
            }
            let mut velocities = [[0.0; BLOCK]; 3];
            for lane in (0..BLOCK).step_by(L::WIDTH) {
                let harmonics = solid_harmonics(load_each::<L, 3>(&places, lane));
                for (factors, velocities) in factors.iter().zip(&mut velocities) {
                    let mut sum = L::splat(0.0);
                    for (harmonic, factor) in harmonics.iter().zip(splat_each::<L, HARMONICS>(*factors)) {
                        sum = harmonic.mul_add(factor, sum);
                    }
                    sum.store(velocities, lane);
                }
            }
            for (i, out) in out.iter_mut().enumerate() {
                *out += Vec3::new(velocities[0][i], velocities[1][i], velocities[2][i]);
            }
        }
    }
}

/// Returns the real solid harmonics r^l Y_lm up to the third degree, normalised to a mean square of 1 on the
/// unit sphere.
#[inline(always)]
fn solid_harmonics<L: Lanes>([x, y, z]: [L; 3]) -> [L; HARMONICS] {
    let times = |factor: f32, value: L| value.mul(L::splat(factor));
    let (xx, yy, zz) = (x.mul(x), y.mul(y), z.mul(z));
    let (xy, yz, zx) = (x.mul(y), y.mul(z), z.mul(x));
    let square = xx.add(yy).add(zz);
    let (across, zonal) = (xx.sub(yy), times(5.0, zz).sub(square));
    [
        L::splat(1.0),
        times(1.732_050_8, x),
        times(1.732_050_8, y),
        times(1.732_050_8, z),
        times(3.872_983_3, xy),
        times(3.872_983_3, yz),
        times(3.872_983_3, zx),
        times(1.936_491_7, across),
        times(1.118_034, times(3.0, zz).sub(square)),
        times(2.091_65, y.mul(times(3.0, xx).sub(yy))),
        times(10.246_951, xy.mul(z)),
        times(1.620_185_2, y.mul(zonal)),
        times(1.322_875_7, z.mul(zonal.sub(times(2.0, square)))),
        times(1.620_185_2, x.mul(zonal)),
        times(5.123_475_4, z.mul(across)),
        times(2.091_65, x.mul(xx.sub(times(3.0, yy)))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    /// Harmonic polynomials of the third degree are their own expansions, whatever the ball, on all
    /// instruction sets to the same bits.
    #[test]
    fn polynomials_of_the_third_degree_are_exact() {
        let flow = |p: Vec3| {
            Vec3::new(
                1.0 + p.x * p.y - 2.0 * p.z + p.x * p.x * p.x - 3.0 * p.x * p.y * p.y,
                p.x * p.y * p.z - 0.3 * p.y + p.z * p.z - p.x * p.x,
                p.z * (2.0 * p.z * p.z - 3.0 * p.x * p.x - 3.0 * p.y * p.y) + 0.7 * p.x,
            )
        };
        let random = Random::new(11);
        for (centre, radius) in [(Vec3::ZERO, 1.0), (Vec3::new(0.4, -0.7, 0.2), 0.35)] {
            let places: Vec<Vec3> = (0..50).map(|n| centre + random.centred_vec3(n) * radius).collect();
            let velocities = sphere_points(centre, radius).map(flow);
            let found = |set: InstructionSet| {
                let expansion = LocalExpansion::of(set, centre, radius, &velocities);
                let mut found = vec![Vec3::ZERO; places.len()];
                expansion.add_velocities(set, &places, &mut found);
                found
            };
            let portable = found(InstructionSet::Portable);
            for (place, velocity) in places.iter().zip(&portable) {
                assert!(velocity.distance(flow(*place)) < 3e-6, "{velocity} instead of {}", flow(*place));
            }
            InstructionSet::ALL
                .into_iter()
                .filter(|set| set.is_available())
                .for_each(|set| assert_eq!(found(set), portable, "{set:?}"));
        }
    }

    /// Terms of the fourth degree do not enter those up to the third.
    #[test]
    fn terms_of_the_fourth_degree_are_left_out() {
        let quartic = |p: Vec3| Vec3::X * (p.x.powi(4) - 6.0 * p.x * p.x * p.y * p.y + p.y.powi(4));
        let velocities = sphere_points(Vec3::ZERO, 1.0).map(quartic);
        let expansion = LocalExpansion::of(InstructionSet::Portable, Vec3::ZERO, 1.0, &velocities);
        let largest = expansion.factors.iter().flatten().fold(0.0_f32, |most, factor| most.max(factor.abs()));
        assert!(largest < 1e-6, "{largest}");
    }
}
