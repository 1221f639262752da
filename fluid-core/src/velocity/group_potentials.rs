//! Vector potentials of groups of sources at many others: expanded outside of the spheres around the groups
//! (E66), and summed over all sources of a group inside of its sphere.

use super::FlowSample;
use super::direct::SourceCloud;
use super::group_sphere::GroupSphere;
use super::sphere_expansion::SphereExpansion;
use crate::constants::DIRECT_CHUNK;
use crate::math::Vec3Columns;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::Vec3;

/// The groups of a cloud with their expansions.
#[derive(Debug, Clone, Default)]
pub(super) struct GroupPotentials {
    groups: Vec<(GroupSphere, SphereExpansion)>,
}

impl GroupPotentials {
    /// Expands the potentials of all groups of a cloud.
    pub(super) fn expand(&mut self, exec: &dyn Executor, grouped: &SourceCloud) {
        self.groups.clear();
        self.groups.resize(grouped.groups().len(), Default::default());
        for_each_chunk_mut(exec, 1, self.groups.as_mut_slice(), &|index, out: &mut [_]| {
            let around = GroupSphere::for_any_targets(index, grouped);
            out[0] = (around, around.expanded_potential(grouped));
        });
    }

    /// Adds the potentials \[m²/s\] of the groups of this cloud at the positions from row `first` on.
    pub(super) fn add(
        &self,
        exec: &dyn Executor,
        grouped: &SourceCloud,
        positions: &Vec3Columns,
        first: usize,
        out: &mut [Vec3],
    ) {
        for_each_chunk_mut(exec, DIRECT_CHUNK, out, &|start, out: &mut [Vec3]| {
            let mut places = [Vec3::ZERO; DIRECT_CHUNK];
            let places = &mut places[..out.len()];
            places.iter_mut().enumerate().for_each(|(i, place)| *place = positions.get(first + start + i));
            for (around, expansion) in &self.groups {
                PartOfChunk::of(places, |place| !around.holds(place)).add(out, |places, more| {
                    expansion.add_velocities(grouped.settings().instruction_set, places, more);
                });
                PartOfChunk::of(places, |place| around.holds(place)).add(out, |places, more| {
                    around.potentials(grouped, places, more);
                });
            }
        });
    }
}

/// Some of the positions of a chunk.
pub(super) struct PartOfChunk {
    count: usize,
    rows: [u8; DIRECT_CHUNK],
    places: [Vec3; DIRECT_CHUNK],
}

impl PartOfChunk {
    pub(super) fn of(places: &[Vec3], is_in: impl Fn(Vec3) -> bool) -> Self {
        let mut part = Self { count: 0, rows: [0; DIRECT_CHUNK], places: [Vec3::ZERO; DIRECT_CHUNK] };
        for (row, &place) in places.iter().enumerate().filter(|(_, place)| is_in(**place)) {
            (part.rows[part.count], part.places[part.count]) = (row as u8, place);
            part.count += 1;
        }
        part
    }

    /// Adds the values that `at_places` finds, starting from zero, to the rows of this part.
    pub(super) fn add<T: AddSample>(&self, out: &mut [T], at_places: impl FnOnce(&[Vec3], &mut [T])) {
        if self.count == 0 {
            return;
        }
        let mut more = [T::default(); DIRECT_CHUNK];
        let more = &mut more[..self.count];
        at_places(&self.places[..self.count], more);
        self.rows.iter().zip(more).for_each(|(&row, more)| out[usize::from(row)].add_sample(more));
    }
}

/// A value at a position.
pub(super) trait AddSample: Copy + Default {
    /// Adds another one.
    fn add_sample(&mut self, more: &Self);
}

impl AddSample for Vec3 {
    fn add_sample(&mut self, more: &Self) {
        *self += *more;
    }
}

impl AddSample for FlowSample {
    fn add_sample(&mut self, more: &Self) {
        self.velocity += more.velocity;
        self.gradient += more.gradient;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::Precision;
    use crate::math::Random;
    use crate::velocity::direct::DirectSettings;
    use crate::velocity::{Kernel, Sources};
    use fluid_threads::{Serial, Shuffled};

    /// A group of some vortons of a sheet, one of vortons with a total strength, and one of a single vorton.
    fn groups() -> Sources {
        let (random, mut sources) = (Random::new(4), Sources::default());
        for (centre, mean) in [(Vec3::ZERO, Vec3::ZERO), (Vec3::X * 1.5, Vec3::Y)] {
            let first = sources.len();
            for n in 0..50 {
                let way = random.centred_vec3(n).normalize();
                sources.push(centre + way * 0.2, way.cross(Vec3::Z) + mean);
            }
            sources.group_from(first, 1.0);
        }
        let first = sources.len();
        sources.push(Vec3::new(-0.8, 0.6, 0.3), Vec3::Z * 30.0);
        sources.group_from(first, 1.0);
        sources
    }

    #[test]
    fn potentials_are_those_of_all_pairs() {
        // Far from a core of Rosenhead and Moore's kernel, its potential lacks σ²/2r² of that of a point.
        let kernels = [Kernel::WinckelmansLeonard, Kernel::RosenheadMoore, Kernel::RigidCore];
        for (kernel, most) in kernels.into_iter().zip([2e-3, 8e-3, 2e-3]) {
            check(kernel, most);
        }
    }

    fn check(kernel: Kernel, most: f32) {
        let settings = DirectSettings {
            kernel,
            core_radius: 0.1,
            instruction_set: Default::default(),
            precision: Precision::Exact,
        };
        let mut grouped = SourceCloud::new(settings);
        grouped.set_apart(&groups());
        // In no order: neighbours in a chunk are inside of different spheres.
        let (random, mut positions) = (Random::new(8), Vec3Columns::default());
        (0..500).for_each(|n| positions.push(random.centred_vec3(n) * 4.0));
        let mut exact = vec![Vec3::ZERO; positions.len()];
        grouped.potential_in_parallel(&Serial, &positions, 0, &mut exact);
        let mut potentials = GroupPotentials::default();
        potentials.expand(&Serial, &grouped);
        let find = |exec: &dyn Executor| {
            let mut found = vec![Vec3::ZERO; positions.len()];
            potentials.add(exec, &grouped, &positions, 0, &mut found);
            found
        };
        let found = find(&Serial);
        let largest = exact.iter().map(|value| value.length()).fold(0.0, f32::max);
        let errors = exact.iter().zip(&found).map(|(a, b)| a.distance(*b));
        let worst = errors.fold(0.0, f32::max) / largest;
        println!("{kernel:?}: largest error {worst:.1e}");
        assert!(worst < most, "{kernel:?}: {worst}");
        assert!(found != exact, "nothing is expanded");
        assert_eq!(find(&Shuffled::new(3)), found);
    }
}
