//! The flow of a group of sources outside of a sphere around it as a multipole expansion (E66), of which a
//! sample costs as much as a sum over nine sources.

use super::solid_harmonics::{Factors3, HARMONICS, SPHERE_POINTS, project, sum_of_harmonics};
use crate::lanes::{BLOCK, InstructionSet, Job, Lanes, dispatch_exact, load_each};
use glam::Vec3;

/// Harmonics of the fifth degree in the point inverted in the sphere, for each component of a velocity.
#[derive(Debug, Clone, Copy)]
pub(super) struct Multipole {
    centre: Vec3,
    /// Reciprocal radius of the sphere \[1/m\].
    per_radius: f32,
    /// Factors of the solid harmonics \[m/s\].
    factors: Factors3,
}

impl Default for Multipole {
    /// A group at rest.
    fn default() -> Self {
        Self { centre: Vec3::ZERO, per_radius: 1.0, factors: [[0.0; HARMONICS]; 3] }
    }
}

impl Multipole {
    /// Expands a flow with these velocities \[m/s\] at the
    /// [`sphere_points`](super::solid_harmonics::sphere_points) of the sphere.
    pub(super) fn of(
        set: InstructionSet,
        centre: Vec3,
        radius: f32,
        velocities: &[Vec3; SPHERE_POINTS],
    ) -> Self {
        Self { centre, per_radius: 1.0 / radius, factors: project(set, velocities) }
    }

    /// Adds the velocity \[m/s\] at each position \[m\] outside of the sphere.
    pub(super) fn add_velocities(&self, set: InstructionSet, positions: &[Vec3], out: &mut [Vec3]) {
        dispatch_exact(set, MultipoleJob { expansion: self, positions, out });
    }
}

struct MultipoleJob<'a> {
    expansion: &'a Multipole,
    positions: &'a [Vec3],
    out: &'a mut [Vec3],
}

impl Job for MultipoleJob<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Multipole { centre, per_radius, factors } = self.expansion;
        for (positions, out) in self.positions.chunks(BLOCK).zip(self.out.chunks_mut(BLOCK)) {
            // Unused lanes are on the sphere.
            let mut places = [[1.0; BLOCK], [0.0; BLOCK], [0.0; BLOCK]];
            for (i, &position) in positions.iter().enumerate() {
                let place = (position - *centre) * *per_radius;
                (places[0][i], places[1][i], places[2][i]) = place.into();
            }
            let mut velocities = [[0.0; BLOCK]; 3];
            for lane in (0..BLOCK).step_by(L::WIDTH) {
                let [x, y, z] = load_each::<L, 3>(&places, lane);
                let nearness = x.mul(x).add(y.mul(y)).add(z.mul(z)).inverse_sqrt();
                let square = nearness.mul(nearness);
                let sums = sum_of_harmonics(factors, [x.mul(square), y.mul(square), z.mul(square)]);
                sums.into_iter()
                    .zip(&mut velocities)
                    .for_each(|(sum, out)| sum.mul(nearness).store(out, lane));
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
    use crate::velocity::solid_harmonics::sphere_points;
    use glam::DVec3;

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
                Multipole::of(set, centre, 2.0, &velocities).add_velocities(set, &places, &mut found);
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
