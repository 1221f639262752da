//! Where lattices have a node: they stay with the fluid where a world's origin is shifted.

use crate::saved::{LoadError, Reader, Saved, Writer, check};
use glam::{DVec3, IVec3, Vec3};

/// A place \[m\] that is a node of lattices of any spacing: the origin, unless that has been shifted since.
/// Compared by its bits.
#[derive(Debug, Clone, Copy, Default)]
pub struct Anchor(DVec3);

impl PartialEq for Anchor {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_array().map(f64::to_bits) == other.0.to_array().map(f64::to_bits)
    }
}
impl Eq for Anchor {}

/// The node that is taken for the anchor is at most half as many from the origin \[nodes\]: a multiple of all
/// that divides lattices, so that these are divided in the same places after a shift.
const PERIOD: i32 = 1 << 10;

impl Anchor {
    /// Goes on with the fluid, whose place `origin` \[m\] becomes the origin.
    pub fn shift_origin(&mut self, origin: Vec3) {
        self.0 -= origin.as_dvec3();
    }

    /// Its place \[m\].
    pub(crate) fn place(self) -> DVec3 {
        self.0
    }

    /// For lattices of this spacing \[m\]: a node near the origin, a multiple of [`PERIOD`] nodes from the
    /// anchor, and that number along each axis.
    pub(crate) fn near_origin(self, spacing: f64) -> (Self, IVec3) {
        let period = spacing * f64::from(PERIOD);
        let periods = (self.0 / period).round();
        if periods == DVec3::ZERO {
            return (self, IVec3::ZERO);
        }
        (Self(self.0 - periods * period), periods.as_ivec3().wrapping_mul(IVec3::splat(PERIOD)))
    }
}

impl Saved for Anchor {
    fn save(&self, out: &mut Writer<'_>) {
        self.0.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        self.0.load(from)?;
        check(self.0.is_finite())
    }
}
