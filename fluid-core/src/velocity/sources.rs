//! What induces velocity.

use crate::math::Vec3Columns;
use fluid_threads::Executor;
use glam::{DVec3, Vec3};

/// A plane in which vortons have images (E50): nothing flows through it.
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
    /// Most that the cosine of the angle between two mirrors may be for images of images to be exact \[1\].
    pub const SQUARE: f64 = 1e-5;

    /// Through `point` \[m\]. `normal` need not be of unit length.
    pub fn new(point: Vec3, normal: Vec3) -> Self {
        let normal = normal.as_dvec3().normalize_or(DVec3::Z);
        Self { normal, offset: normal.dot(point.as_dvec3()) }
    }

    /// The place `origin` \[m\] becomes the origin.
    pub fn shift_origin(&mut self, origin: Vec3) {
        self.offset -= self.normal.dot(origin.as_dvec3());
    }

    /// Its unit normal.
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// Normal · x \[m\] of its points.
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// Distance of a place \[m\], positive on the side of the normal.
    #[inline]
    pub fn height(&self, place: Vec3) -> f64 {
        self.normal.dot(place.as_dvec3()) - self.offset
    }

    /// The image of a place \[m\].
    #[inline]
    pub fn place(&self, place: Vec3) -> Vec3 {
        (place.as_dvec3() - self.normal * (2.0 * self.height(place))).as_vec3()
    }

    /// The strength of the image \[m³/s\]: the part along the plane changes its sign, that across stays.
    #[inline]
    pub fn strength(&self, strength: Vec3) -> Vec3 {
        self.sum_of_strengths(strength.as_dvec3()).as_vec3()
    }

    /// The same of a sum of strengths, or of how fast it changes.
    #[inline]
    pub fn sum_of_strengths(&self, sum: DVec3) -> DVec3 {
        self.normal * (2.0 * self.normal.dot(sum)) - sum
    }

    /// True if the image of an image is the same whichever of both mirrors comes first.
    pub fn is_square_to(&self, other: &Self) -> bool {
        self.normal.dot(other.normal).abs() <= Self::SQUARE
    }
}

/// All that induces velocity in a step: the vortons, row by row, then the vorticity that bodies hold, then
/// the images of both.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// \[m\].
    pub positions: Vec3Columns,
    /// \[m³/s\].
    pub strengths: Vec3Columns,
    /// Each has doubled the sources.
    mirrors: Vec<Mirror>,
    /// How many sources, images apart, only answer the vortons.
    answers: usize,
    /// True for sources that have no images; those behind the last row have.
    without_images: Vec<bool>,
}

crate::saved::fields!(Sources { positions, strengths, mirrors, answers, without_images } check are_columns);

impl Sources {
    /// True if both columns have the same rows.
    fn are_columns(&self) -> bool {
        self.positions.len() == self.strengths.len()
            && self.mirrors.len() <= Self::MOST_MIRRORS
            && self.without_images.len() <= self.own()
    }

    /// Most mirrors at right angles to each other.
    pub const MOST_MIRRORS: usize = 3;

    /// Makes room for `capacity` sources.
    pub fn reserve(&mut self, capacity: usize) {
        self.positions.reserve(capacity);
        self.strengths.reserve(capacity);
        self.mirrors.reserve(Self::MOST_MIRRORS);
        self.without_images.reserve(capacity);
    }

    /// How many there are, images included.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// How many of them are no images. They come first; the others repeat their order.
    pub fn own(&self) -> usize {
        self.len() >> self.mirrors.len()
    }

    /// The last `count` of them, of which there are no images yet, are no more than what answers the vortons:
    /// in proportion to their strengths.
    pub fn note_answers(&mut self, count: usize) {
        self.answers += count;
    }

    /// True if there are others than `vortons`, their answers, and images of these.
    pub fn hold_more_than(&self, vortons: usize) -> bool {
        self.own() > vortons + self.answers
    }

    /// True if some of them are images.
    pub fn has_images(&self) -> bool {
        !self.mirrors.is_empty()
    }

    /// The mirrors, in the order in which they have been added.
    pub fn mirrors(&self) -> &[Mirror] {
        &self.mirrors
    }

    /// Adds one.
    pub fn push(&mut self, position: Vec3, strength: Vec3) {
        self.positions.push(position);
        self.strengths.push(strength);
    }

    /// This one, which is no image, is to have none: walls keep its flow from mirrors.
    pub fn leave_without_images(&mut self, row: usize) {
        if self.without_images.len() <= row {
            self.without_images.resize(row + 1, false);
        }
        self.without_images[row] = true;
    }

    /// True if one of them, which is no image, is to have none.
    pub fn is_without_images(&self, row: usize) -> bool {
        self.without_images.get(row).is_some_and(|is_without| *is_without)
    }

    /// True if none of them is to have images.
    pub fn are_without_images(&self) -> bool {
        self.without_images.len() == self.own() && self.without_images.iter().all(|is_without| *is_without)
    }

    /// Adds the image of each, of images as well: after all others have been added, for mirrors at right
    /// angles to each other. One that is to have none becomes one without strength, where it is itself.
    pub fn mirror(&mut self, mirror: Mirror) {
        let own = self.own();
        for row in 0..self.len() {
            let (place, strength) = (self.positions.get(row), self.strengths.get(row));
            match self.is_without_images(row % own) {
                true => self.push(place, Vec3::ZERO),
                false => self.push(mirror.place(place), mirror.strength(strength)),
            }
        }
        self.mirrors.push(mirror);
    }

    /// The image of a strength \[m³/s\], or of a vector potential, of a row that is no image.
    fn image(&self, row: usize, mirror: &Mirror, strength: Vec3) -> Vec3 {
        if self.is_without_images(row) { Vec3::ZERO } else { mirror.strength(strength) }
    }

    /// Completes strengths of which the first [`own`](Self::own) rows are given: those of the images.
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

    /// The same of vector potentials \[m²/s\], which are mirrored as strengths are.
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

    /// Becomes these, and nothing else; allocates only to grow.
    pub fn copy_from(&mut self, positions: &Vec3Columns, strengths: &Vec3Columns) {
        self.positions.copy_from(positions);
        self.strengths.copy_from(strengths);
        self.forget_images();
    }

    /// The same in parallel.
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

    /// None of them has an image, or answers.
    fn forget_images(&mut self) {
        self.mirrors.clear();
        self.without_images.clear();
        self.answers = 0;
    }

    /// Becomes these, with their images in the mirrors of `like`, less those that the same rows of `like` are
    /// without; allocates only to grow.
    pub fn copy_mirrored(&mut self, positions: &Vec3Columns, strengths: &Vec3Columns, like: &Self) {
        self.copy_from(positions, strengths);
        let rows = like.without_images.len().min(self.len());
        self.without_images.extend_from_slice(&like.without_images[..rows]);
        like.mirrors.iter().for_each(|&mirror| self.mirror(mirror));
    }

    /// The place `origin` \[m\] becomes the origin.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.positions.shift_origin(origin);
        self.mirrors.iter_mut().for_each(|mirror| mirror.shift_origin(origin));
    }

    /// The first of them become these; those behind stay.
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

    /// Corners have eight copies, and in each the strength is that of the reflected vorticity.
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

    /// One of two in a corner has images, in eight places; the other none that acts, nor in copies.
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
