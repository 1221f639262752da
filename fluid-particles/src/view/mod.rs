//! Views: particles in a host's memory, in the host's layout. A view describes them and does not own them.
//!
//! Three storage layouts: arrays of structures and structures of arrays (`base + offset + row * stride`),
//! and lists of pointers (`table[row] + offset`). [`ParticleView::new`] checks a description once; the
//! types obtained from it ([`Chunk`] and its columns) are safe to use. No slice is ever made over host
//! memory: elements are read and written one by one through raw pointers, because the bytes between them
//! may be in use elsewhere.

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
