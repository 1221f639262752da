//! Small mathematics: vector columns, boxes, parts, moments, tensors, rotations, hashes and counter-based
//! random numbers.

mod bounds;
mod fnv1a;
mod memory;
mod partition;
mod place_moments;
mod principal_axes;
mod random;
pub mod rotation;
mod tensors;
mod vec3_columns;

pub use bounds::{box_around, corners_of, distance_from_box};
pub use fnv1a::Fnv1a;
pub(crate) use memory::{at_least, exactly, for_capacity};
pub(crate) use partition::partition;
pub(crate) use place_moments::PlaceMoments;
pub(crate) use principal_axes::principal_axes;
pub use random::Random;
pub use tensors::{outer, trace};
pub use vec3_columns::Vec3Columns;
pub(crate) use vec3_columns::all;
