//! The definition of a drawing.

use crate::status::*;
use crate::types::VortonVec3;
use crate::types::draw::{KNOWN, VORTON_DRAW_FIELD, VORTON_DRAW_MESH, VORTON_MAX_ARROWS, VortonDrawDef};
use glam::{UVec3, Vec3};

/// A definition that has been checked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Drawing {
    flags: u32,
    pub(super) low: Vec3,
    pub(super) high: Vec3,
    pub(super) vorton_length: f32,
    pub(super) contact_length: f32,
    pub(super) arrow_length: f32,
    /// `None`: the strength of the strongest vorton.
    pub(super) max_strength: Option<f32>,
    /// `None`: the speed of the fastest arrow.
    pub(super) max_speed: Option<f32>,
    pub(super) lattice: ArrowLattice,
}

/// The start points of arrows.
#[derive(Debug, Clone, Copy)]
pub(super) struct ArrowLattice {
    low: Vec3,
    cell: Vec3,
    counts: [usize; 3],
}

impl ArrowLattice {
    pub(super) fn len(&self) -> usize {
        self.counts.iter().product()
    }

    /// Returns the point \[m\] of this number.
    pub(super) fn point(&self, number: usize) -> Vec3 {
        let [x, y, _] = self.counts;
        let cell = [number % x, number / x % y, number / (x * y)].map(|n| n as f32);
        self.low + (Vec3::from_array(cell) + 0.5) * self.cell
    }
}

impl Drawing {
    pub(super) fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// True if the drawing needs only the published field.
    pub(super) fn is_of_field(&self) -> bool {
        self.flags & !(VORTON_DRAW_FIELD | VORTON_DRAW_MESH) == 0
    }

    /// True if a point \[m\] is in the visible box.
    pub(super) fn shows(&self, point: Vec3) -> bool {
        point.cmpge(self.low).all() && point.cmple(self.high).all()
    }

    /// True if a ball \[m\] intersects the visible box.
    pub(super) fn shows_ball(&self, centre: Vec3, radius: f32) -> bool {
        centre.distance(centre.clamp(self.low, self.high)) <= radius
    }
}

/// Checks the two corners of a box, the highest not below the lowest.
fn corners(low: VortonVec3, high: VortonVec3, names: [&str; 2]) -> Outcome<[Vec3; 2]> {
    let [low_name, high_name] = names;
    let (low, high) = (low.checked(low_name)?, high.checked(high_name)?);
    if low.cmple(high).all() {
        return Ok([low, high]);
    }
    Err(Error::bad_value(format_args!("{high_name} is {high}, but must be at least {low_name}, {low}")))
}

impl VortonDrawDef {
    pub(super) fn checked(&self) -> Outcome<Drawing> {
        let &Self { flags, vorton_length, contact_length, arrow_length, max_strength, max_speed, .. } = self;
        let lengths = [vorton_length, contact_length, arrow_length];
        finite(&lengths, "a length of def")?;
        finite(&[max_strength, max_speed], "max_strength or max_speed")?;
        let [low, high] = corners(self.low, self.high, ["low", "high"])?;
        let lattice = self.lattice()?;
        reserved(&[self.reserved], "def")?;
        if flags & !KNOWN != 0 {
            return Err(Error::bad_value(format_args!("flags is {flags:#x}, which has unknown bits")));
        }
        if let Some(length) = lengths.iter().find(|length| **length <= 0.0) {
            return Err(Error::bad_value(format_args!("a length is {length}, but must be positive")));
        }
        if let Some(most) = [max_strength, max_speed].iter().find(|most| **most < 0.0) {
            let text = format_args!("max_strength or max_speed is {most}, but must be at least 0");
            return Err(Error::bad_value(text));
        }
        let told = |most: f32| (most > 0.0).then_some(most);
        Ok(Drawing {
            flags,
            low,
            high,
            vorton_length,
            contact_length,
            arrow_length,
            max_strength: told(max_strength),
            max_speed: told(max_speed),
            lattice,
        })
    }

    fn lattice(&self) -> Outcome<ArrowLattice> {
        let [low, high] = corners(self.arrows_low, self.arrows_high, ["arrows_low", "arrows_high"])?;
        let size = high - low;
        if !size.is_finite() {
            return Err(Error::bad_value("arrows_high is too far from arrows_low"));
        }
        let counts = [self.arrows_x, self.arrows_y, self.arrows_z];
        let points = counts.iter().try_fold(1_u32, |product, &n| product.checked_mul(n));
        if points.is_none_or(|points| points == 0 || points > VORTON_MAX_ARROWS) {
            let [x, y, z] = counts;
            let text = format_args!(
                "{x} x {y} x {z} arrows: must be at least 1 along each axis, at most {VORTON_MAX_ARROWS} in all"
            );
            return Err(Error::bad_value(text));
        }
        let cell = size / UVec3::from_array(counts).as_vec3();
        Ok(ArrowLattice { low, cell, counts: counts.map(|n| n as usize) })
    }
}
