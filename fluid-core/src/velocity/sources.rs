//! Sources of velocity: vortons, bound vorticity and their images.

use crate::math::Vec3Columns;
use fluid_threads::Executor;
use glam::{DVec3, Vec3};
use std::ops::Range;

/// A plane in which vortons have images (E50): no flow passes through it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Mirror {
    /// Unit normal.
    normal: DVec3,
    /// n·x of its points \[m\].
    offset: f64,
}

crate::saved::fields!(Mirror { normal, offset });
impl crate::saved::Element for Mirror {}

impl Mirror {
    /// Maximum cosine of the angle between two mirrors at which images of images are exact \[1\].
    pub const SQUARE: f64 = 1e-5;

    /// Creates a mirror through `point` \[m\]. `normal` need not be of unit length.
    pub fn new(point: Vec3, normal: Vec3) -> Self {
        let normal = normal.as_dvec3().normalize_or(DVec3::Z);
        Self { normal, offset: normal.dot(point.as_dvec3()) }
    }

    /// Shifts the origin of the coordinates to `origin` \[m\].
    pub fn shift_origin(&mut self, origin: Vec3) {
        self.offset -= self.normal.dot(origin.as_dvec3());
    }

    /// Returns its unit normal.
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// Returns normal · x \[m\] of its points.
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// Returns the signed distance of a point \[m\], positive on the side of the normal.
    #[inline]
    pub fn height(&self, place: Vec3) -> f64 {
        self.normal.dot(place.as_dvec3()) - self.offset
    }

    /// Returns the mirror image of a point \[m\].
    #[inline]
    pub fn place(&self, place: Vec3) -> Vec3 {
        (place.as_dvec3() - self.normal * (2.0 * self.height(place))).as_vec3()
    }

    /// Returns the strength of the image \[m³/s\]: the component along the plane changes its sign, the
    /// normal one stays.
    #[inline]
    pub fn strength(&self, strength: Vec3) -> Vec3 {
        self.sum_of_strengths(strength.as_dvec3()).as_vec3()
    }

    /// As [`strength`](Self::strength), for a sum of strengths, or its rate of change.
    #[inline]
    pub fn sum_of_strengths(&self, sum: DVec3) -> DVec3 {
        self.normal * (2.0 * self.normal.dot(sum)) - sum
    }

    /// Returns true if images of images do not depend on the order of the two mirrors.
    pub fn is_square_to(&self, other: &Self) -> bool {
        self.normal.dot(other.normal).abs() <= Self::SQUARE
    }
}

/// Sources that are near each other, such as the sheet of a body.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GroupedRows {
    /// First row of the sources, and the row behind the last.
    pub rows: [u32; 2],
    /// Energy (E8) \[m⁵/s²\] of the sources by themselves.
    pub energy: f64,
    /// True if the group is summed apart from all other sources (E63).
    pub is_apart: bool,
    /// Number of groups added before, empty ones included.
    pub id: u32,
}

crate::saved::fields!(GroupedRows { rows, energy, is_apart, id });
impl crate::saved::Element for GroupedRows {}

impl GroupedRows {
    /// Returns the rows of the sources.
    pub fn range(&self) -> Range<usize> {
        self.rows[0] as usize..self.rows[1] as usize
    }
}

/// All sources of velocity in a step: the vortons, row by row, then the bound vorticity of bodies, then the
/// images of both.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// Positions \[m\].
    pub positions: Vec3Columns,
    /// Strengths \[m³/s\].
    pub strengths: Vec3Columns,
    /// Mirrors, each of which has doubled the sources.
    mirrors: Vec<Mirror>,
    /// Number of sources, images apart, that only respond to the vortons.
    answers: usize,
    /// True for sources without images; rows beyond its end have images.
    without_images: Vec<bool>,
    /// Rates \[m³/s\] at which the first sources expand (E61); empty if none does.
    rates: Vec<f32>,
    /// Groups of sources that are near each other, in order.
    groups: Vec<GroupedRows>,
}

crate::saved::fields!(Sources {
    positions, strengths, mirrors, answers, without_images, rates, groups,
} check are_columns);

impl Sources {
    /// Returns true if both columns have the same length and the counts are consistent.
    fn are_columns(&self) -> bool {
        self.positions.len() == self.strengths.len()
            && self.mirrors.len() <= Self::MOST_MIRRORS
            && self.without_images.len() <= self.own()
            && self.rates.len() <= self.len()
            && self
                .groups
                .iter()
                .all(|GroupedRows { rows: [first, end], .. }| first <= end && *end as usize <= self.len())
            && self.groups.is_sorted_by(|group, next| group.rows[1] <= next.rows[0])
    }

    /// Maximum number of mirrors, at right angles to each other.
    pub const MOST_MIRRORS: usize = 3;

    /// Reserves memory for `capacity` sources.
    pub fn reserve(&mut self, capacity: usize) {
        self.positions.reserve(capacity);
        self.strengths.reserve(capacity);
        self.mirrors.reserve(Self::MOST_MIRRORS);
        self.without_images.reserve(capacity);
    }

    /// Reserves memory for the rates of `capacity` sources.
    pub fn reserve_rates(&mut self, capacity: usize) {
        self.rates.reserve(capacity.saturating_sub(self.rates.len()));
    }

    /// Lets the first sources expand at these rates \[m³/s\]: before any has an image. The image of a source
    /// of volume has its rate.
    pub fn set_rates(&mut self, rates: &[f32]) {
        self.rates.clear();
        self.rates.extend_from_slice(rates);
    }

    /// Returns the rates \[m³/s\] at which the first sources expand; those beyond have none.
    pub fn rates(&self) -> &[f32] {
        &self.rates
    }

    /// Iterates over the sources of volume, images included: position \[m\] and rate \[m³/s\].
    pub fn expansions(&self) -> impl Iterator<Item = (Vec3, f32)> {
        let rows = self.rates.iter().enumerate().filter(|(_, rate)| **rate != 0.0);
        rows.map(|(row, &rate)| (self.positions.get(row), rate))
    }

    /// Returns the number of sources, images included.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Returns true if there are no sources.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Returns the number of sources that are not images. They come first; the images repeat their order.
    pub fn own(&self) -> usize {
        self.len() >> self.mirrors.len()
    }

    /// Returns the number of copies of each source that is not an image, itself included \[1\].
    pub(super) fn copies(&self) -> usize {
        1 << self.mirrors.len()
    }

    /// Marks the last `count` sources, which have no images yet, as mere responses to the vortons,
    /// proportional to their strengths.
    pub fn note_answers(&mut self, count: usize) {
        self.answers += count;
    }

    /// Returns true if there are sources other than `vortons`, their responses, and images of these.
    pub fn hold_more_than(&self, vortons: usize) -> bool {
        self.own() > vortons + self.answers
    }

    /// Returns true if some sources are images.
    pub fn has_images(&self) -> bool {
        !self.mirrors.is_empty()
    }

    /// Returns the mirrors, in the order in which they were added.
    pub fn mirrors(&self) -> &[Mirror] {
        &self.mirrors
    }

    /// Groups the sources from row `first` on, which are near each other and have this `energy` (E8)
    /// \[m⁵/s²\] by themselves: they are summed apart, and at a distance a few stand for them (E63). Before
    /// any has an image. A group may be empty.
    pub fn group_from(&mut self, first: usize, energy: f64) {
        let id = self.groups.len() as u32;
        self.add_group(first, GroupedRows { energy, is_apart: true, id, ..GroupedRows::default() });
    }

    /// Adds a group like another with the sources from row `first` on.
    pub(super) fn add_group(&mut self, first: usize, group: GroupedRows) {
        self.groups.push(GroupedRows { rows: [first as u32, self.len() as u32], ..group });
    }

    /// Makes all sources members of no group.
    pub(super) fn forget_groups(&mut self) {
        self.groups.clear();
    }

    /// Returns the groups, images included, in order.
    pub fn groups(&self) -> &[GroupedRows] {
        &self.groups
    }

    /// Returns the rows of a group, given by its index; none if there is no such group.
    pub fn rows_of_group(&self, group: usize) -> Range<usize> {
        self.groups.get(group).map_or(0..0, GroupedRows::range)
    }

    /// Returns the groups that are not images.
    pub(super) fn own_groups(&self) -> &[GroupedRows] {
        &self.groups[..self.groups.len() >> self.mirrors.len()]
    }

    /// Sums each group apart, with its images, for which `is_apart` holds for its index.
    pub(super) fn part_groups(&mut self, is_apart: impl Fn(usize) -> bool) {
        let own = self.own_groups().len();
        let groups = self.groups.iter_mut().enumerate();
        groups.for_each(|(index, group)| group.is_apart = is_apart(index % own));
    }

    /// Iterates over the groups that are summed apart and have sources, in order.
    pub(super) fn groups_apart(&self) -> impl Iterator<Item = &GroupedRows> {
        self.groups.iter().filter(|group| group.is_apart && group.rows[0] < group.rows[1])
    }

    /// Returns true if this source is in a group that is summed apart.
    pub(super) fn is_apart(&self, row: usize) -> bool {
        let index = self.groups.partition_point(|group| group.rows[1] as usize <= row);
        self.groups.get(index).is_some_and(|group| group.is_apart && group.range().contains(&row))
    }

    /// Iterates over the ranges of rows between those of groups that are summed apart; the first `count` rows
    /// only.
    pub(super) fn rows_together(&self, count: usize) -> impl Iterator<Item = Range<usize>> {
        let end = std::iter::once(count..count);
        let mut first = 0;
        self.groups_apart().map(GroupedRows::range).chain(end).filter_map(move |apart| {
            let rows = first.min(count)..apart.start.min(count);
            first = apart.end;
            (!rows.is_empty()).then_some(rows)
        })
    }

    /// Adds a source.
    pub fn push(&mut self, position: Vec3, strength: Vec3) {
        self.positions.push(position);
        self.strengths.push(strength);
    }

    /// Excludes source `row`, which is not an image, from mirroring: walls separate its flow from mirrors.
    pub fn leave_without_images(&mut self, row: usize) {
        if self.without_images.len() <= row {
            self.without_images.resize(row + 1, false);
        }
        self.without_images[row] = true;
    }

    /// Returns true if source `row`, which is not an image, is excluded from mirroring.
    pub fn is_without_images(&self, row: usize) -> bool {
        self.without_images.get(row).is_some_and(|is_without| *is_without)
    }

    /// Returns true if all sources are excluded from mirroring.
    pub fn are_without_images(&self) -> bool {
        self.without_images.len() == self.own() && self.without_images.iter().all(|is_without| *is_without)
    }

    /// Adds the image of each source, images included: after all other sources have been added, for mirrors
    /// at right angles to each other. The image of an excluded source has no strength and the source's own
    /// position.
    pub fn mirror(&mut self, mirror: Mirror) {
        let own = self.own();
        if !self.rates.is_empty() {
            self.rates.resize(self.len(), 0.0);
            for row in 0..self.len() {
                let rate = if self.is_without_images(row % own) { 0.0 } else { self.rates[row] };
                self.rates.push(rate);
            }
        }
        let count = self.len() as u32;
        for index in 0..self.groups.len() {
            let group = self.groups[index];
            let is_without = self.is_without_images(group.rows[0] as usize % own.max(1));
            let energy = if is_without { 0.0 } else { group.energy };
            let (rows, id) = (group.rows.map(|row| row + count), self.groups.len() as u32);
            self.groups.push(GroupedRows { rows, energy, id, ..group });
        }
        for row in 0..self.len() {
            let (place, strength) = (self.positions.get(row), self.strengths.get(row));
            match self.is_without_images(row % own) {
                true => self.push(place, Vec3::ZERO),
                false => self.push(mirror.place(place), mirror.strength(strength)),
            }
        }
        self.mirrors.push(mirror);
    }

    /// Iterates over the first `count` rows, and over those of their images that are at most `reach` \[m\]
    /// behind each of their mirrors.
    pub(crate) fn rows_with_images(&self, count: usize, reach: f64) -> impl Iterator<Item = usize> {
        let own = self.own();
        let is_near = move |copy: usize, row: usize| {
            let place = self.positions.get(row);
            let mut used = self.mirrors.iter().enumerate().filter(|(number, _)| copy >> number & 1 == 1);
            used.all(|(_, mirror)| mirror.height(place) <= reach) && !self.is_without_images(row)
        };
        let images = (1..self.copies()).flat_map(move |copy| {
            (0..count).filter(move |&row| is_near(copy, row)).map(move |row| copy * own + row)
        });
        (0..count).chain(images)
    }

    /// Returns the image of a strength \[m³/s\], or of a vector potential, of a row that is not an image.
    fn image(&self, row: usize, mirror: &Mirror, strength: Vec3) -> Vec3 {
        if self.is_without_images(row) { Vec3::ZERO } else { mirror.strength(strength) }
    }

    /// Computes the strengths of the images from those of the first [`own`](Self::own) rows.
    pub fn complete(&self, strengths: &mut Vec3Columns) {
        let own = self.own();
        let mut count = own;
        for mirror in &self.mirrors {
            for row in 0..count {
                strengths.set(count + row, self.image(row % own, mirror, strengths.get(row)));
            }
            count *= 2;
        }
    }

    /// As [`complete`](Self::complete), for vector potentials \[m²/s\], which are mirrored like strengths.
    pub fn complete_potentials(&self, potentials: &mut [Vec3]) {
        let own = self.own();
        let mut count = own;
        for mirror in &self.mirrors {
            for row in 0..count {
                potentials[count + row] = self.image(row % own, mirror, potentials[row]);
            }
            count *= 2;
        }
    }

    /// Replaces all sources by these; allocates only to grow.
    pub fn copy_from(&mut self, positions: &Vec3Columns, strengths: &Vec3Columns) {
        self.positions.copy_from(positions);
        self.strengths.copy_from(strengths);
        self.forget_images();
    }

    /// As [`copy_from`](Self::copy_from), in parallel.
    pub(crate) fn copy_in_parallel(
        &mut self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        strengths: &Vec3Columns,
    ) {
        self.positions.copy_in_parallel(exec, positions);
        self.strengths.copy_in_parallel(exec, strengths);
        self.forget_images();
    }

    /// Removes all sources; memory is kept.
    pub(crate) fn clear(&mut self) {
        self.positions.clear();
        self.strengths.clear();
        self.forget_images();
    }

    /// Removes all mirrors, exclusions, rates, groups and responses.
    fn forget_images(&mut self) {
        self.mirrors.clear();
        self.without_images.clear();
        self.rates.clear();
        self.groups.clear();
        self.answers = 0;
    }

    /// Replaces all sources by these, with their images in the mirrors of `like`, except rows excluded in
    /// `like`; allocates only to grow.
    pub fn copy_mirrored(&mut self, positions: &Vec3Columns, strengths: &Vec3Columns, like: &Self) {
        self.copy_from(positions, strengths);
        let rows = like.without_images.len().min(self.len());
        self.without_images.extend_from_slice(&like.without_images[..rows]);
        like.mirrors.iter().for_each(|&mirror| self.mirror(mirror));
    }

    /// Shifts the origin of the coordinates to `origin` \[m\].
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.positions.shift_origin(origin);
        self.mirrors.iter_mut().for_each(|mirror| mirror.shift_origin(origin));
    }

    /// Overwrites the first sources by these; the others stay.
    pub fn overwrite(&mut self, positions: &Vec3Columns, strengths: &Vec3Columns) {
        for (row, (position, strength)) in positions.iter().zip(strengths.iter()).enumerate() {
            self.positions.set(row, position);
            self.strengths.set(row, strength);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A corner has eight copies, each with the strength of the reflected vorticity.
    #[test]
    fn images_of_images_fill_a_corner() {
        let mut sources = Sources::default();
        let (place, strength) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.1, 0.2, 0.3));
        sources.push(place, strength);
        for axis in Vec3::AXES {
            sources.mirror(Mirror::new(Vec3::ZERO, axis));
        }
        assert_eq!((sources.len(), sources.own()), (8, 1));
        let mut strengths = sources.strengths.clone();
        for row in 0..8 {
            let signs = Vec3::from_array([0, 1, 2].map(|axis| if row >> axis & 1 == 0 { 1.0 } else { -1.0 }));
            // An axial vector: reflected and multiplied by the determinant.
            let axial = signs * signs.element_product();
            assert_eq!(sources.positions.get(row), place * signs);
            assert_eq!(sources.strengths.get(row), strength * axial);
            if row > 0 {
                strengths.set(row, Vec3::ZERO);
            }
        }
        let mut potentials: Vec<_> = strengths.iter().collect();
        sources.complete(&mut strengths);
        assert_eq!(strengths, sources.strengths);
        sources.complete_potentials(&mut potentials);
        assert!(strengths.iter().eq(potentials));
    }

    /// Of two sources in a corner, one has images, at eight positions; the other has images without
    /// strength, in copies, too.
    #[test]
    fn some_are_without_images() {
        let mut sources = Sources::default();
        let (place, strength) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.1, 0.2, 0.3));
        sources.push(place, strength);
        sources.push(-place, strength);
        sources.leave_without_images(0);
        assert!(!sources.are_without_images());
        Vec3::AXES.into_iter().for_each(|axis| sources.mirror(Mirror::new(Vec3::ZERO, axis)));
        assert_eq!((sources.len(), sources.own()), (16, 2));
        let mut alone = Sources::default();
        alone.push(-place, strength);
        Vec3::AXES.into_iter().for_each(|axis| alone.mirror(Mirror::new(Vec3::ZERO, axis)));
        for row in 0..8 {
            let (without, with) = (2 * row, 2 * row + 1);
            let expected = if row == 0 { strength } else { Vec3::ZERO };
            assert_eq!((sources.positions.get(without), sources.strengths.get(without)), (place, expected));
            let image = (alone.positions.get(row), alone.strengths.get(row));
            assert_eq!((sources.positions.get(with), sources.strengths.get(with)), image);
        }
        let mut strengths = sources.strengths.clone();
        (2..16).for_each(|row| strengths.set(row, Vec3::ONE));
        let mut potentials: Vec<_> = strengths.iter().collect();
        sources.complete(&mut strengths);
        sources.complete_potentials(&mut potentials);
        assert_eq!(strengths, sources.strengths);
        assert!(strengths.iter().eq(potentials));
        let mut copy = Sources::default();
        let own = |columns: &Vec3Columns| columns.iter().take(2).collect::<Vec<_>>();
        let (mut positions, mut strengths) = (Vec3Columns::default(), Vec3Columns::default());
        own(&sources.positions).into_iter().for_each(|place| positions.push(place));
        own(&sources.strengths).into_iter().for_each(|strength| strengths.push(strength));
        copy.copy_mirrored(&positions, &strengths, &sources);
        assert_eq!((&copy.positions, &copy.strengths), (&sources.positions, &sources.strengths));
        copy.leave_without_images(1);
        assert!(copy.are_without_images());
    }
}
