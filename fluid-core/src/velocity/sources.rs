//! What induces velocity.

use crate::math::Vec3Columns;
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

    /// Its unit normal.
    pub fn normal(&self) -> DVec3 {
        self.normal
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
        let strength = strength.as_dvec3();
        (self.normal * (2.0 * self.normal.dot(strength)) - strength).as_vec3()
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
}

crate::saved::fields!(Sources { positions, strengths, mirrors, answers } check are_columns);

impl Sources {
    /// True if both columns have the same rows.
    fn are_columns(&self) -> bool {
        self.positions.len() == self.strengths.len() && self.mirrors.len() <= Self::MOST_MIRRORS
    }

    /// Most mirrors at right angles to each other.
    pub const MOST_MIRRORS: usize = 3;

    /// Makes room for `capacity` sources.
    pub fn reserve(&mut self, capacity: usize) {
        self.positions.reserve(capacity);
        self.strengths.reserve(capacity);
        self.mirrors.reserve(Self::MOST_MIRRORS);
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

    /// Adds one.
    pub fn push(&mut self, position: Vec3, strength: Vec3) {
        self.positions.push(position);
        self.strengths.push(strength);
    }

    /// Adds the image of each, of images as well: after all others have been added, for mirrors at right
    /// angles to each other.
    pub fn mirror(&mut self, mirror: Mirror) {
        for row in 0..self.len() {
            self.push(mirror.place(self.positions.get(row)), mirror.strength(self.strengths.get(row)));
        }
        self.mirrors.push(mirror);
    }

    /// Completes strengths of which the first [`own`](Self::own) rows are given: those of the images.
    pub fn complete(&self, strengths: &mut Vec3Columns) {
        let mut count = self.own();
        for mirror in &self.mirrors {
            for row in 0..count {
                strengths.set(count + row, mirror.strength(strengths.get(row)));
            }
            count *= 2;
        }
    }

    /// The same of vector potentials \[m²/s\], which are mirrored as strengths are.
    pub fn complete_potentials(&self, potentials: &mut [Vec3]) {
        let mut count = self.own();
        for mirror in &self.mirrors {
            for row in 0..count {
                potentials[count + row] = mirror.strength(potentials[row]);
            }
            count *= 2;
        }
    }

    /// Becomes these, and nothing else; allocates only to grow.
    pub fn copy_from(&mut self, positions: &Vec3Columns, strengths: &Vec3Columns) {
        self.positions.copy_from(positions);
        self.strengths.copy_from(strengths);
        self.mirrors.clear();
        self.answers = 0;
    }

    /// Becomes these, with their images in the mirrors of `like`; allocates only to grow.
    pub fn copy_mirrored(&mut self, positions: &Vec3Columns, strengths: &Vec3Columns, like: &Self) {
        self.copy_from(positions, strengths);
        like.mirrors.iter().for_each(|&mirror| self.mirror(mirror));
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
}
