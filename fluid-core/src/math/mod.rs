//! Small mathematics: vector columns and counter-based random numbers.

mod random;
mod vec3_columns;

pub use random::Random;
pub use vec3_columns::Vec3Columns;
