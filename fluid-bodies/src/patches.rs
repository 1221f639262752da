//! Velocities at many contacts due to their vortons: near pairs each by itself, others patch by patch (E38).

use crate::clusters::PATCH;
use crate::contact::Contact;
use crate::scratch::reserve;
use fluid_core::velocity::SourceCloud;
use fluid_threads::{Executor, Parts, for_each_chunk_mut};
use glam::Vec3;
use std::ops::Range;

/// Largest gap between two patches, relative to their mean extent, with which their pairs are summed one by
/// one \[1\]: then velocities differ from the sum of all pairs by 3 % for random strengths, and by 7 % for
/// those of a moved room. With 2 instead, 8,000 contacts take a tenth more time.
const NEAR: f32 = 1.5;
/// Most ranges of patches near one \[1\]: all between the last of them and another one that is near count as
/// near, too.
const MOST_RANGES: usize = 32;

/// Patches of neighbouring contacts, with scratch memory.
#[derive(Debug, Clone)]
pub(crate) struct Patches {
    /// First contact of each patch, and the end of the last one.
    starts: Vec<u32>,
    /// Boxes around the contact points of each patch \[m\].
    boxes: Vec<(Vec3, Vec3)>,
    /// Contacts near each patch, and the patches that they are in, patch by patch.
    near_contacts: Vec<Range<u32>>,
    near_patches: Vec<Range<u32>>,
    /// First of these ranges for each patch, and the end of the last ones.
    first_ranges: Vec<u32>,
    /// One source for each patch.
    sums: SourceCloud,
    /// Middles of the targets of each patch \[m\], and the velocities there \[m/s\].
    middles: Vec<Vec3>,
    at_middles: Vec<Vec3>,
}

impl Patches {
    /// Creates none, for sums with the settings of `cloud`.
    pub(crate) fn new(cloud: SourceCloud) -> Self {
        Self {
            starts: Vec::new(),
            boxes: Vec::new(),
            near_contacts: Vec::new(),
            near_patches: Vec::new(),
            first_ranges: Vec::new(),
            sums: cloud,
            middles: Vec::new(),
            at_middles: Vec::new(),
        }
    }

    /// Reserves memory for `contacts`.
    pub(crate) fn reserve(&mut self, contacts: usize) {
        let patches = contacts.div_ceil(PATCH);
        reserve(&mut self.starts, patches + 1);
        reserve(&mut self.boxes, patches);
        reserve(&mut self.near_contacts, patches * MOST_RANGES);
        reserve(&mut self.near_patches, patches * MOST_RANGES);
        reserve(&mut self.first_ranges, patches + 1);
        reserve(&mut self.middles, patches);
        reserve(&mut self.at_middles, patches);
        self.sums.reserve(patches);
    }

    /// Returns true if there are several patches.
    pub(crate) fn are_many(&self) -> bool {
        self.starts.len() > 2
    }

    /// Finds the patches of contacts sorted by block, one for each block, and those near each other.
    pub(crate) fn find(&mut self, contacts: &[Contact]) {
        self.starts.clear();
        self.boxes.clear();
        self.starts.push(0);
        for block in contacts.chunk_by(|a, b| a.block == b.block) {
            let points = || block.iter().map(|contact| contact.point);
            let low = points().fold(Vec3::INFINITY, Vec3::min);
            let high = points().fold(Vec3::NEG_INFINITY, Vec3::max);
            self.boxes.push((low, high));
            self.starts.push(self.starts[self.starts.len() - 1] + block.len() as u32);
        }
        self.near_contacts.clear();
        self.near_patches.clear();
        self.first_ranges.clear();
        if self.are_many() {
            (0..self.boxes.len()).for_each(|patch| self.find_near(patch));
            self.first_ranges.push(self.near_patches.len() as u32);
        }
    }

    /// Finds the patches near one, in ranges.
    fn find_near(&mut self, patch: usize) {
        let first = self.near_patches.len();
        self.first_ranges.push(first as u32);
        for (other, around) in (0..).zip(&self.boxes) {
            if !are_near(&self.boxes[patch], around) {
                continue;
            }
            let is_full = self.near_patches.len() == first + MOST_RANGES;
            match self.near_patches[first..].last_mut() {
                Some(last) if last.end == other || is_full => last.end = other + 1,
                _ => self.near_patches.push(other..other + 1),
            }
        }
        let starts = &self.starts;
        let contacts = |patches: &Range<u32>| starts[patches.start as usize]..starts[patches.end as usize];
        self.near_contacts.extend(self.near_patches[first..].iter().map(contacts));
    }

    /// Computes the velocities \[m/s\] at one target for each contact, of a cloud that has one source for
    /// each contact first, and then others, which are summed one by one. Distant patches act on each other
    /// at the means of their places by their sums, which is the same from sources to targets and back: so
    /// the sum in which both are exchanged remains the adjoint.
    pub(crate) fn velocities(
        &mut self,
        exec: &dyn Executor,
        cloud: &SourceCloud,
        targets: &[Vec3],
        out: &mut Vec<Vec3>,
    ) {
        self.sums.set_to_sums(cloud, &self.starts);
        self.middles.clear();
        self.middles.extend(self.starts.windows(2).map(|ends| {
            let targets = &targets[ends[0] as usize..ends[1] as usize];
            targets.iter().sum::<Vec3>() / targets.len() as f32
        }));
        self.sums.velocities_in_parallel(exec, &self.middles, &mut self.at_middles);
        out.clear();
        out.resize(targets.len(), Vec3::ZERO);
        let others = targets.len() as u32..cloud.len() as u32;
        let columns = (Parts::new(out.as_mut_slice(), &self.starts), self.at_middles.as_mut_slice());
        for_each_chunk_mut(exec, 1, columns, &|patch, (out, far): (&mut [Vec3], &mut [Vec3])| {
            let ranges = self.first_ranges[patch] as usize..self.first_ranges[patch + 1] as usize;
            let first = self.starts[patch] as usize;
            let targets = &targets[first..first + out.len()];
            cloud.add_velocities_of_rows(&self.near_contacts[ranges.clone()], targets, out);
            cloud.add_velocities_of_rows(std::slice::from_ref(&others), targets, out);
            let mut near = [Vec3::ZERO];
            let middle = [self.middles[patch]];
            self.sums.add_velocities_of_rows(&self.near_patches[ranges], &middle, &mut near);
            far[0] -= near[0];
            out.iter_mut().for_each(|out| *out += far[0]);
        });
    }
}

/// True if the gap between two boxes is small for their size.
fn are_near((low, high): &(Vec3, Vec3), (other_low, other_high): &(Vec3, Vec3)) -> bool {
    let gap = (*other_low - *high).max(*low - *other_high).max(Vec3::ZERO);
    let extent = ((*high - *low).max_element() + (*other_high - *other_low).max_element()) * 0.5;
    gap.length_squared() <= (NEAR * extent).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluid_core::InstructionSet;
    use fluid_core::math::Random;
    use fluid_core::velocity::{DirectSettings, Kernel, Precision, VelocityField};
    use fluid_threads::{Pool, Serial};

    /// Contacts on the walls of a cube of 2 m, in patches of neighbours, and their vortons.
    fn cube() -> (Vec<Contact>, Vec<Vec3>) {
        let random = Random::new(4);
        let mut points: Vec<Vec3> = (0..1500)
            .map(|i| {
                let mut point = random.centred_vec3(i) * 2.0;
                point[i as usize % 3] = if i % 2 == 0 { 1.0 } else { -1.0 };
                point
            })
            .collect();
        let cell = |v: Vec3| ((v + 1.0) * 2.5).floor().to_array().map(|c| c as i32);
        points.sort_by_key(|point| cell(*point));
        let (mut contacts, mut block) = (Vec::new(), 0);
        for (row, point) in points.iter().enumerate() {
            block += u32::from(row > 0 && cell(points[row - 1]) != cell(*point));
            contacts.push(Contact { row: row as u32, block, point: *point, ..Contact::default() });
        }
        let vortons = points.iter().map(|point| *point * 0.9).collect();
        (contacts, vortons)
    }

    fn cloud(sources: impl Iterator<Item = (Vec3, Vec3)>) -> SourceCloud {
        let mut cloud = SourceCloud::new(DirectSettings {
            kernel: Kernel::WinckelmansLeonard,
            core_radius: 0.1,
            instruction_set: InstructionSet::Auto,
            precision: Precision::Exact,
        });
        cloud.set_from(sources);
        cloud
    }

    /// For strengths of a moving room and random ones. Sources that belong to no contact are summed as well.
    #[test]
    fn velocities_are_nearly_those_of_pairs() {
        let ((contacts, vortons), random, pool) = (cube(), Random::new(5), Pool::new(3).expect("threads"));
        let points: Vec<Vec3> = contacts.iter().map(|contact| contact.point).collect();
        for (is_smooth, most) in [(true, 0.1), (false, 0.05)] {
            let strength = |i: usize| match is_smooth {
                true => vortons[i].cross(Vec3::X),
                false => random.centred_vec3(9000 + i as u64),
            };
            let sources = || (0..vortons.len()).map(|i| (vortons[i], strength(i)));
            let all = cloud(sources().chain([(Vec3::splat(0.3), Vec3::Y * 50.0)]));
            let mut patches = Patches::new(cloud(std::iter::empty()));
            patches.find(&contacts);
            let (mut out, mut alike, mut exact) = (Vec::new(), Vec::new(), vec![Vec3::ZERO; points.len()]);
            patches.velocities(&Serial, &all, &points, &mut out);
            patches.velocities(&pool, &all, &points, &mut alike);
            assert_eq!(out, alike);
            all.velocities(&points, &mut exact);
            let error: f32 = out.iter().zip(&exact).map(|(a, b)| a.distance_squared(*b)).sum();
            let size: f32 = exact.iter().map(|v| v.length_squared()).sum();
            assert!(error < most * most * size, "smooth {is_smooth}: {} of it", (error / size).sqrt());
        }
    }

    /// The sum with points and vortons exchanged is the adjoint, as far as rounding permits.
    #[test]
    fn there_and_back_are_adjoint() {
        let ((contacts, vortons), random) = (cube(), Random::new(6));
        let points: Vec<Vec3> = contacts.iter().map(|contact| contact.point).collect();
        let [strengths, slips] = [0, 7000]
            .map(|first| (0..vortons.len()).map(|i| random.centred_vec3(first + i as u64)).collect());
        let (strengths, slips): (Vec<Vec3>, Vec<Vec3>) = (strengths, slips);
        let mut patches = Patches::new(cloud(std::iter::empty()));
        patches.find(&contacts);
        let (mut there, mut back) = (Vec::new(), Vec::new());
        let of = |places: &[Vec3], values: &[Vec3]| cloud(places.iter().copied().zip(values.iter().copied()));
        patches.velocities(&Serial, &of(&vortons, &strengths), &points, &mut there);
        patches.velocities(&Serial, &of(&points, &slips), &vortons, &mut back);
        let dot = |a: &[Vec3], b: &[Vec3]| -> f64 {
            a.iter().zip(b).map(|(a, b)| a.as_dvec3().dot(b.as_dvec3())).sum()
        };
        let (there, back) = (dot(&there, &slips), dot(&back, &strengths));
        assert!((there - back).abs() < 1e-4 * there.abs().max(1.0), "{there} and {back}");
    }
}
