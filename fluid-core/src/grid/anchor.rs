//! Common node of lattices: it moves with the fluid when a world's origin is shifted.

use crate::saved::{LoadError, Reader, Saved, Writer, check};
use glam::{DVec3, IVec3, Vec3};

/// A point \[m\] that is a node of lattices of every spacing: the origin, unless that has been shifted
/// since. Compared by its bits.
#[derive(Debug, Clone, Copy, Default)]
pub struct Anchor(DVec3);

impl PartialEq for Anchor {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_array().map(f64::to_bits) == other.0.to_array().map(f64::to_bits)
    }
}
impl Eq for Anchor {}

/// Twice the maximum distance of the substitute anchor from the origin \[nodes\]. It is a multiple of all
/// divisors of lattices, so that they are divided at the same nodes after a shift.
const PERIOD: i32 = 1 << 10;

impl Anchor {
    /// Shifts the origin of the coordinates to `origin` \[m\]; the anchor keeps its position in the fluid.
    pub fn shift_origin(&mut self, origin: Vec3) {
        self.0 -= origin.as_dvec3();
    }

    /// Returns its position \[m\].
    pub(crate) fn place(self) -> DVec3 {
        self.0
    }

    /// Returns, for lattices of this spacing \[m\], a node near the origin, a multiple of [`PERIOD`] nodes
    /// from the anchor, and that number along each axis.
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

#[cfg(test)]
mod tests {
    use super::super::GridShape;
    use super::*;
    use glam::UVec3;

    /// Nodes keep their positions in the fluid and their numbers modulo `PERIOD`, wherever the origin is.
    #[test]
    fn nodes_stay_in_the_fluid() {
        let spacing = 0.1_f32 / 1.5;
        let (first, mut total) = (IVec3::new(-13, 40, 7), DVec3::ZERO);
        let mut shape = GridShape::new(spacing, first, UVec3::splat(8));
        let mut anchor = Anchor::default();
        for n in 0..2000 {
            let origin = Vec3::new(977.7, -31.3, 0.01) * if n % 3 == 0 { -1.0 } else { 1.0 };
            shape.shift_origin(origin);
            anchor.shift_origin(origin);
            total += origin.as_dvec3();
            let place = first.as_dvec3() * f64::from(spacing) - total;
            let off = (shape.first().as_dvec3() * f64::from(spacing) + shape.anchor() - place).length();
            assert!(off < 1e-7 && (shape.first() - first) % PERIOD == IVec3::ZERO, "{n}: {off}");
            assert!(shape.anchor().abs().max_element() <= 0.5001 * f64::from(PERIOD) * f64::from(spacing));
            let again = GridShape::empty_at(anchor, spacing);
            assert!((again.anchor() - shape.anchor()).length() < 1e-7);
        }
    }
}
