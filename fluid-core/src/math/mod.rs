//! Small mathematics: vector columns, boxes, rotations and counter-based random numbers.

mod bounds;
mod memory;
mod random;
pub mod rotation;
mod vec3_columns;

pub use bounds::{box_around, corners_of};
pub(crate) use memory::{at_least, exactly};
pub use random::Random;
pub use vec3_columns::Vec3Columns;
pub(crate) use vec3_columns::all;
