//! What induces velocity.

use crate::math::Vec3Columns;
use glam::Vec3;

/// All that induces velocity in a step: the vortons, row by row, and then the vorticity that bodies hold.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// \[m\].
    pub positions: Vec3Columns,
    /// \[m³/s\].
    pub strengths: Vec3Columns,
}

impl Sources {
    /// Makes room for `capacity` sources.
    pub fn reserve(&mut self, capacity: usize) {
        self.positions.reserve(capacity);
        self.strengths.reserve(capacity);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Adds one.
    pub fn push(&mut self, position: Vec3, strength: Vec3) {
        self.positions.push(position);
        self.strengths.push(strength);
    }

    /// Becomes these, and nothing else; allocates only to grow.
    pub fn copy_from(&mut self, positions: &Vec3Columns, strengths: &Vec3Columns) {
        self.positions.copy_from(positions);
        self.strengths.copy_from(strengths);
    }

    /// The first of them become these; those behind stay.
    pub fn overwrite(&mut self, positions: &Vec3Columns, strengths: &Vec3Columns) {
        for (row, (position, strength)) in positions.iter().zip(strengths.iter()).enumerate() {
            self.positions.set(row, position);
            self.strengths.set(row, strength);
        }
    }
}
