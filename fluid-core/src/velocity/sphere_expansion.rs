//! A flow on one side of a sphere as a series of solid harmonics, of which a sample costs as much as a sum
//! over nine sources: that of distant sources inside (a local expansion, E65), or that of a group around the
//! centre outside (a multipole expansion, E66).

use super::solid_harmonics::{Factors3, HARMONICS, SPHERE_POINTS, project, sum_of_harmonics};
use crate::lanes::{BLOCK, InstructionSet, Job, Lanes, dispatch_exact, load_each, scale_each};
use glam::Vec3;

/// Side of a sphere on which there are no sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SphereSide {
    /// The flow is a polynomial of the fifth degree.
    Inside,
    /// The flow is that of the point inverted in the sphere, over the distance, and vanishes far away.
    Outside,
}

/// Harmonics up to the fifth degree for each component of a velocity.
#[derive(Debug, Clone, Copy)]
pub(super) struct SphereExpansion {
    side: SphereSide,
    centre: Vec3,
    /// Reciprocal radius \[1/m\].
    per_radius: f32,
    /// Factors of the solid harmonics \[m/s\].
    factors: Factors3,
}

crate::saved::variants!(SphereSide { Inside, Outside });
crate::saved::fields!(SphereExpansion { side, centre, per_radius, factors });

impl Default for SphereExpansion {
    /// Creates the expansion of fluid at rest.
    fn default() -> Self {
        Self {
            side: SphereSide::Outside,
            centre: Vec3::ZERO,
            per_radius: 1.0,
            factors: [[0.0; HARMONICS]; 3],
        }
    }
}

impl SphereExpansion {
    /// Shifts the origin of the coordinates to `origin` \[m\].
    pub(super) fn shift_origin(&mut self, origin: Vec3) {
        self.centre -= origin;
    }

    /// Expands a flow with these velocities \[m/s\] at the
    /// [`sphere_points`](super::solid_harmonics::sphere_points) of the sphere.
    pub(super) fn of(
        side: SphereSide,
        set: InstructionSet,
        (centre, radius): (Vec3, f32),
        velocities: &[Vec3; SPHERE_POINTS],
    ) -> Self {
        Self { side, centre, per_radius: 1.0 / radius, factors: project(set, velocities) }
    }

    /// Adds the velocity \[m/s\] at each position \[m\] on its side of the sphere.
    pub(super) fn add_velocities(&self, set: InstructionSet, positions: &[Vec3], out: &mut [Vec3]) {
        dispatch_exact(set, SphereExpansionJob { expansion: self, positions, out });
    }
}

struct SphereExpansionJob<'a> {
    expansion: &'a SphereExpansion,
    positions: &'a [Vec3],
    out: &'a mut [Vec3],
}

impl Job for SphereExpansionJob<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let SphereExpansion { side, centre, per_radius, factors } = self.expansion;
        for (positions, out) in self.positions.chunks(BLOCK).zip(self.out.chunks_mut(BLOCK)) {
            // Unused lanes are on the sphere.
            let mut places = [[1.0; BLOCK], [0.0; BLOCK], [0.0; BLOCK]];
            for (i, &position) in positions.iter().enumerate() {
                let place = (position - *centre) * *per_radius;
                (places[0][i], places[1][i], places[2][i]) = place.into();
            }
            let mut velocities = [[0.0; BLOCK]; 3];
            for lane in (0..BLOCK).step_by(L::WIDTH) {
                let place = load_each::<L, 3>(&places, lane);
                let sums = match side {
                    SphereSide::Inside => sum_of_harmonics(factors, place),
                    SphereSide::Outside => sum_at_inverted(factors, place),
                };
                sums.into_iter().zip(&mut velocities).for_each(|(sum, out)| sum.store(out, lane));
            }
            for (i, out) in out.iter_mut().enumerate() {
                *out += Vec3::new(velocities[0][i], velocities[1][i], velocities[2][i]);
            }
        }
    }
}

/// Returns Σ c_k H_k(y/|y|²) / |y| for x, y and z.
#[inline(always)]
fn sum_at_inverted<L: Lanes>(factors: &Factors3, [x, y, z]: [L; 3]) -> [L; 3] {
    let nearness = x.mul(x).add(y.mul(y)).add(z.mul(z)).inverse_sqrt();
    let square = nearness.mul(nearness);
    scale_each(sum_of_harmonics(factors, scale_each([x, y, z], square)), nearness)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use crate::velocity::solid_harmonics::sphere_points;
    use glam::DVec3;

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
                let expansion = SphereExpansion::of(SphereSide::Inside, set, (centre, radius), &velocities);
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
        let expansion =
            SphereExpansion::of(SphereSide::Inside, InstructionSet::Portable, (Vec3::ZERO, 1.0), &velocities);
        let largest = expansion.factors.iter().flatten().fold(0.0_f32, |most, factor| most.max(factor.abs()));
        assert!(largest < 1e-6, "{largest}");
    }

    /// A vortex ring made of points; each component of the flow of a point is harmonic.
    fn flow(centre: Vec3, place: Vec3) -> Vec3 {
        let from = (0..60).map(|n| {
            let (sine, cosine) = libm::sincos(f64::from(n) / 60.0 * std::f64::consts::TAU);
            (DVec3::new(cosine, sine, 0.1), DVec3::new(-sine, cosine, 0.0))
        });
        let at = |(source, strength): (DVec3, DVec3)| {
            let way = (place - centre).as_dvec3() - source;
            strength.cross(way) / way.length().powi(3)
        };
        from.map(at).sum::<DVec3>().as_vec3()
    }

    /// Outside of twice the radius of its sources a flow is that of the expansion, up to the next degrees,
    /// which fall as powers of the distance; on all instruction sets to the same bits.
    #[test]
    fn the_flow_of_a_ring_is_expanded() {
        let centre = Vec3::new(0.4, -0.7, 0.2);
        let velocities = sphere_points(centre, 2.0).map(|place| flow(centre, place));
        let ways = sphere_points(Vec3::ZERO, 1.0);
        for (distance, most) in [(2.0, 2e-2), (3.0, 3e-3), (6.0, 6e-5)] {
            let places = ways.map(|way| centre + Vec3::new(way.z, way.x, -way.y).normalize() * distance);
            let found = |set: InstructionSet| {
                let mut found = [Vec3::ZERO; SPHERE_POINTS];
                SphereExpansion::of(SphereSide::Outside, set, (centre, 2.0), &velocities)
                    .add_velocities(set, &places, &mut found);
                found
            };
            let portable = found(InstructionSet::Portable);
            let error = |(place, found): (&Vec3, &Vec3)| found.distance(flow(centre, *place));
            let worst = places.iter().zip(&portable).map(error).fold(0.0, f32::max);
            // The speed in the middle of the ring is about 60 / radius².
            println!("{distance}: {:.1e}", worst / 60.0);
            assert!(worst / 60.0 < most, "{distance}: {worst}");
            InstructionSet::ALL
                .into_iter()
                .filter(|set| set.is_available())
                .for_each(|set| assert_eq!(found(set), portable, "{set:?}"));
        }
    }
}
