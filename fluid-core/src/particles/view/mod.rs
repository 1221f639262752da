//! Views: particles that live in a host's memory, in the host's layout. A view describes, it never owns.
//!
//! Three shapes of storage: arrays of structures and structures of arrays (`base + offset + row * stride`),
//! and lists of pointers (`table[row] + offset`). [`ParticleView::new`] checks a description once; what it
//! hands out afterwards ([`Chunk`] and its columns) is safe. No slice is ever made over host memory: elements
//! are read and written one by one through raw pointers, because what lies between them may be in use by
//! others.

mod check;
mod columns;
mod description;
mod error;
mod particle_view;
mod semantic;
mod slices;

pub use columns::{Chunk, QuatColumn, Scalar, ScalarColumn, Vec3Column, VitalSigns};
pub use description::{Stream, ViewDescription};
pub use error::{CompactError, ViewError};
pub use particle_view::ParticleView;
pub use semantic::{DEAD, Format, Semantic};
pub use slices::ParticleSlices;
