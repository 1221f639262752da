//! A box of space with the particles of one mesh or lattice.

use crate::math::Vec3Columns;
use crate::saved::fields;
use glam::Vec3;

/// The points from `low` on, and below `high`, along each axis; infinite where space is not cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Domain {
    low: Vec3,
    high: Vec3,
}

fields!(Domain { low, high } check is_valid);
impl crate::saved::Element for Domain {}

impl Domain {
    /// All points.
    pub(crate) const ALL: Self = Self { low: Vec3::NEG_INFINITY, high: Vec3::INFINITY };

    fn is_valid(&self) -> bool {
        !self.low.is_nan() && !self.high.is_nan()
    }

    #[inline(always)]
    pub(crate) fn contains(&self, place: Vec3) -> bool {
        (place.cmpge(self.low) & place.cmplt(self.high)).all()
    }

    /// Returns the parts below a plane across `axis`, and from it on.
    pub(crate) fn cut(&self, axis: usize, at: f32) -> [Self; 2] {
        let (mut below, mut above) = (*self, *self);
        (below.high[axis], above.low[axis]) = (at, at);
        [below, above]
    }

    /// Shifts the origin of the coordinates to `origin` \[m\].
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.low -= origin;
        self.high -= origin;
    }

    /// Unmarks the rows from `first` on with positions elsewhere.
    #[inline(always)]
    pub(crate) fn unmark_others(&self, positions: &Vec3Columns, first: usize, marks: &mut [bool]) {
        if *self == Self::ALL {
            return;
        }
        let Vec3Columns { x, y, z } = positions;
        let count = marks.len();
        let [x, y, z] = [x, y, z].map(|column| &column[first..][..count]);
        for i in 0..count {
            marks[i] &= self.contains(Vec3::new(x[i], y[i], z[i]));
        }
    }
}

impl Default for Domain {
    fn default() -> Self {
        Self::ALL
    }
}
