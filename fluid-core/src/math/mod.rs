//! Small mathematics: vector columns, rotations and counter-based random numbers.

mod random;
pub mod rotation;
mod vec3_columns;

pub use random::Random;
pub use vec3_columns::Vec3Columns;
