//! A position with the flow there, in the layout in which vectors read many of them.

use super::FlowSample;
use crate::lanes::LaneBlock;
use glam::{Mat3, Vec3};

/// A position \[m\] with the flow there. Sixteen floats: u, ∂u/∂x, ∂u/∂y and ∂u/∂z, each of the first three
/// followed by a coordinate of the position.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(transparent)]
pub struct PlacedFlow(LaneBlock);

impl PlacedFlow {
    /// Fluid at rest at the origin.
    pub const ZERO: Self = Self(LaneBlock::ZERO);

    /// Columns of u, of the position, and of ∂u/∂x, ∂u/∂y and ∂u/∂z among the sixteen.
    pub(super) const COLUMNS: [[usize; 3]; 5] = [[0, 1, 2], [3, 7, 11], [4, 5, 6], [8, 9, 10], [12, 13, 14]];

    /// Creates the flow at a position.
    pub fn new(place: Vec3, flow: FlowSample) -> Self {
        let (Vec3 { x, y, z }, [u, v, w]) = (place, flow.velocity.to_array());
        let [ux, vx, wx, uy, vy, wy, uz, vz, wz] = flow.gradient.to_cols_array();
        Self(LaneBlock([u, v, w, x, ux, vx, wx, y, uy, vy, wy, z, uz, vz, wz, 0.0]))
    }

    /// Writes u and ∂u/∂x, and ∂u/∂y and ∂u/∂z \[1/cell\], of four components each, of which the last one
    /// is not used. All are written, so that the compiler keeps the eight together in vectors.
    #[inline(always)]
    pub(super) fn set_in_cells(&mut self, [first, second]: [[f32; 8]; 2], cells_per_metre: f32) {
        for i in 0..8 {
            self.0.0[i] = first[i] * if i < 4 { 1.0 } else { cells_per_metre };
            self.0.0[8 + i] = second[i] * cells_per_metre;
        }
    }

    /// Sets the position \[m\].
    #[inline(always)]
    pub(super) fn set_place(&mut self, place: Vec3) {
        let floats = &mut self.0.0;
        (floats[3], floats[7], floats[11]) = (place.x, place.y, place.z);
    }

    /// Returns u \[m/s\].
    #[inline(always)]
    pub fn velocity(&self) -> Vec3 {
        let [u, v, w, ..] = self.0.0;
        Vec3::new(u, v, w)
    }

    /// Adds to u \[m/s\].
    pub(super) fn add_velocity(&mut self, more: Vec3) {
        for (velocity, more) in self.0.0.iter_mut().zip(more.to_array()) {
            *velocity += more;
        }
    }

    /// Returns the position \[m\].
    pub fn place(&self) -> Vec3 {
        let floats = &self.0.0;
        Vec3::from(Self::COLUMNS[1].map(|column| floats[column]))
    }

    /// Returns u and ∇u.
    pub fn flow(&self) -> FlowSample {
        let floats = &self.0.0;
        let [velocity, _, x, y, z] = Self::COLUMNS.map(|columns| Vec3::from(columns.map(|c| floats[c])));
        FlowSample { velocity, gradient: Mat3::from_cols(x, y, z) }
    }

    /// Returns the sixteen floats.
    #[inline(always)]
    pub(super) fn floats(&self) -> &LaneBlock {
        &self.0
    }
}
