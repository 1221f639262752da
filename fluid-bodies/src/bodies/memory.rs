//! Upper bounds on the memory of bodies, known before they change.

use super::{Bodies, CONTACTS, ROWS};
use crate::added_inertia::AddedInertia;
use crate::body::Body;
use crate::obstacles::Obstacle;
use crate::shapes::{Parity, Shape};
use std::slice;

/// Upper bounds \[bytes\] on the memory that is reserved with the first body: a fixed part, and parts per
/// row, contact, and contact of the first `FEW`.
const BYTES_OF_FIRST: usize = 128 << 10;
const BYTES_PER_ROW: usize = 100;
const BYTES_PER_CONTACT: usize = 640;
const BYTES_OF_FEW: usize = 2600;
const FEW: usize = 512;

/// Upper bound \[bytes\] on the memory that is in use while a sheet of any size is made: mostly the matrix
/// of the added inertia, or several of the sheet itself.
const SHEET: usize = 30 << 20;

/// Upper bounds \[bytes\] on the memory of a shape, of its interior if it is a hole, and number of copies of
/// its geometry.
const BYTES_PER_SHAPE: usize = 4 << 10;
const BYTES_PER_HOLE: usize = 64 << 10;
/// Upper bound \[bytes\] on the memory of a sheet on the walls of a hole, once it is made: five matrices of
/// 488 × 488 numbers, and what is in proportion to the vertices.
const BYTES_PER_WALLS: usize = 6 << 20;
const COPIES: usize = 4;

/// Upper bound \[bytes\] on the state of a sheet, and on what a body with one, or a container, allocates in
/// steps.
const BYTES_OF_SHEETED: usize = 256 << 10;

/// Returns an upper bound \[bytes\] on the memory that a body takes while it gets shapes that no body has.
fn memory_of_any<'s>(no_through: bool, shapes: impl Iterator<Item = &'s Shape>) -> usize {
    let (mut bytes, mut holes) = (2 * BYTES_PER_SHAPE, 0_usize);
    for shape in shapes {
        bytes += BYTES_PER_SHAPE + COPIES * shape.geometry.bytes();
        if shape.parity == Parity::Hole {
            bytes += BYTES_PER_HOLE;
            holes += 1;
        }
    }
    // Sheets are made one after the other.
    let sheet = if no_through || holes > 0 { SHEET + BYTES_OF_SHEETED } else { 0 };
    bytes + sheet + holes.saturating_sub(1) * (BYTES_PER_WALLS + BYTES_OF_SHEETED)
}

impl Bodies {
    /// Returns an upper bound \[bytes\] on the memory that the tables of bodies take while they grow by one.
    pub fn memory_of_tables(&self) -> usize {
        // A table that is full takes twice its size beside the old one.
        3 * (self.list.len() + 4) * (size_of::<Body>() + size_of::<Obstacle>())
    }

    /// Returns an upper bound \[bytes\] on the memory that adding a body without shapes takes, besides that
    /// of the tables.
    pub fn memory_of_body(&self) -> usize {
        if !self.list.is_empty() {
            return BYTES_PER_SHAPE;
        }
        let (rows, contacts) = (ROWS.min(self.max_vortons), CONTACTS.min(self.max_vortons));
        let few = BYTES_OF_FEW * FEW.min(contacts);
        BYTES_OF_FIRST + BYTES_PER_ROW * rows + BYTES_PER_CONTACT * contacts + few
    }

    /// Returns an upper bound \[bytes\] on the memory that a step takes beyond that in use: for as many
    /// contacts as there can be vortons, and for what bodies do in steps.
    pub fn memory_of_step(&self) -> usize {
        if self.list.is_empty() {
            return 0;
        }
        let contacts = (BYTES_PER_ROW + BYTES_PER_CONTACT) * self.max_vortons;
        let each = self.list.iter().zip(self.obstacles.list());
        let bodies = each.map(|(body, obstacle)| match body.has_sheet() || body.is_container() {
            true => BYTES_OF_SHEETED * obstacle.holes().shapes().count().max(1),
            false => BYTES_PER_SHAPE,
        });
        BYTES_OF_FIRST + contacts + bodies.sum::<usize>()
    }

    /// Returns an upper bound \[bytes\] on the memory that body `index` takes while its shapes are replaced
    /// by some of them, or by these and another one.
    ///
    /// # Panics
    /// Panics if there is no such body.
    pub fn memory_of_change(&self, index: usize, shape: Option<&Shape>) -> usize {
        let (body, shapes) = (&self.list[index], self.obstacles.list()[index].shapes());
        let changed = match shape {
            Some(one) if shapes.is_empty() => self.memory_of(body.has_no_through(), slice::from_ref(one)),
            _ => memory_of_any(body.has_no_through(), shapes.iter().chain(shape)),
        };
        // The body with its former shapes stays until the next step.
        let former = match body.has_sheet() || body.is_container() {
            true => BYTES_OF_SHEETED * shapes.len().max(1),
            false => BYTES_PER_SHAPE,
        };
        changed + former
    }

    /// Returns an upper bound \[bytes\] on the memory that a new body without
    /// [`no_through`](crate::BodyDef::no_through) takes while it gets this shape.
    pub fn memory_of_new(&self, shape: &Shape) -> usize {
        self.memory_of_body() + self.memory_of(false, slice::from_ref(shape))
    }

    /// Returns an upper bound \[bytes\] on the memory that a body without shapes takes while it gets these:
    /// less if a sheet for them is known.
    pub(super) fn memory_of(&self, no_through: bool, shapes: &[Shape]) -> usize {
        let sheet = if self.known_shapes(shapes).is_any() { SHEET } else { 0 };
        memory_of_any(no_through, shapes.iter()).saturating_sub(sheet)
    }

    /// Returns an upper bound \[bytes\] on the memory that [`added_inertia`](Self::added_inertia) takes.
    ///
    /// # Panics
    /// Panics if there is no such body.
    pub fn memory_of_added_inertia(&self, index: usize) -> usize {
        if self.list[index].knows_added_inertia() { 0 } else { AddedInertia::MEMORY }
    }
}
