//! The flow of distant sources in a ball as a harmonic polynomial (E65): a local expansion, of which a
//! sample costs as much as a sum over nine sources.

use super::solid_harmonics::{Factors3, SPHERE_POINTS, project, sum_of_harmonics};
use crate::lanes::{BLOCK, InstructionSet, Job, Lanes, dispatch_exact, load_each};
use glam::Vec3;

/// Polynomial of the fifth degree for each component of a velocity in a ball.
#[derive(Debug, Clone, Copy)]
pub(super) struct LocalExpansion {
    centre: Vec3,
    /// Reciprocal radius \[1/m\].
    per_radius: f32,
    /// Factors of the solid harmonics \[m/s\].
    factors: Factors3,
}

impl LocalExpansion {
    /// Expands a flow with these velocities \[m/s\] at the
    /// [`sphere_points`](super::solid_harmonics::sphere_points) of the ball.
    pub(super) fn of(
        set: InstructionSet,
        centre: Vec3,
        radius: f32,
        velocities: &[Vec3; SPHERE_POINTS],
    ) -> Self {
        Self { centre, per_radius: 1.0 / radius, factors: project(set, velocities) }
    }

    /// Adds the velocity \[m/s\] at each position \[m\] in the ball.
    pub(super) fn add_velocities(&self, set: InstructionSet, positions: &[Vec3], out: &mut [Vec3]) {
        dispatch_exact(set, LocalExpansionJob { expansion: self, positions, out });
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
                let sums = sum_of_harmonics(factors, load_each::<L, 3>(&places, lane));
                sums.into_iter().zip(&mut velocities).for_each(|(sum, out)| sum.store(out, lane));
            }
            for (i, out) in out.iter_mut().enumerate() {
                *out += Vec3::new(velocities[0][i], velocities[1][i], velocities[2][i]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use crate::velocity::solid_harmonics::sphere_points;

    /// Harmonic polynomials of the fifth degree are their own expansions, whatever the ball, on all
    /// instruction sets to the same bits.
    #[test]
    fn polynomials_of_the_fifth_degree_are_exact() {
        let flow = |p: Vec3| {
            let [xx, yy, zz] = (p * p).to_array();
            Vec3::new(
                1.0 + p.x * p.y - 2.0 * p.z + p.x * (xx - 3.0 * yy) + xx * xx - 6.0 * xx * yy + yy * yy,
                p.x * p.y * p.z - 0.3 * p.y + zz - xx + p.y * (5.0 * xx * xx - 10.0 * xx * yy + yy * yy),
                p.z * (2.0 * zz - 3.0 * xx - 3.0 * yy) + 0.7 * p.x + p.x * p.z * (xx - 3.0 * yy),
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
                assert!(velocity.distance(flow(*place)) < 4e-6, "{velocity} instead of {}", flow(*place));
            }
            InstructionSet::ALL
                .into_iter()
                .filter(|set| set.is_available())
                .for_each(|set| assert_eq!(found(set), portable, "{set:?}"));
        }
    }

    /// Terms of the sixth degree do not enter those up to the fifth.
    #[test]
    fn terms_of_the_sixth_degree_are_left_out() {
        let sixth = |p: Vec3| {
            let [xx, yy] = [p.x * p.x, p.y * p.y];
            Vec3::X * (xx * xx * xx - 15.0 * xx * xx * yy + 15.0 * xx * yy * yy - yy * yy * yy)
        };
        let velocities = sphere_points(Vec3::ZERO, 1.0).map(sixth);
        let expansion = LocalExpansion::of(InstructionSet::Portable, Vec3::ZERO, 1.0, &velocities);
        let largest = expansion.factors.iter().flatten().fold(0.0_f32, |most, factor| most.max(factor.abs()));
        assert!(largest < 1e-6, "{largest}");
    }
}
