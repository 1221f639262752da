//! Sources of velocity: vortons, bound vorticity and their images.

use crate::math::Vec3Columns;
use fluid_threads::Executor;
use glam::{DVec3, Vec3};

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
    /// First row of each group of sources that are near each other, and the row behind its last; in order.
    groups: Vec<[u32; 2]>,
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
            && self.groups.iter().all(|rows| rows[0] <= rows[1] && rows[1] as usize <= self.len())
            && self.groups.is_sorted_by(|group, next| group[1] <= next[0])
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

    /// Groups the sources from row `first` on, which are near each other: at a distance, a few stand for them
    /// (E63). Before any has an image.
    pub fn group_from(&mut self, first: usize) {
        if first < self.len() {
            self.groups.push([first as u32, self.len() as u32]);
        }
    }

    /// Replaces all groups: the first row of each, and the row behind its last.
    pub(super) fn set_groups(&mut self, groups: impl Iterator<Item = [u32; 2]>) {
        self.groups.clear();
        self.groups.extend(groups);
    }

    /// Returns the first row of each group, and the row behind its last; images included.
    pub fn groups(&self) -> &[[u32; 2]] {
        &self.groups
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
            self.groups.push(self.groups[index].map(|row| row + count));
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
