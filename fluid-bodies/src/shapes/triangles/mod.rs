//! Surfaces of many triangles: distances, crossings, and the tree of boxes by which both are found.

mod tree;
mod triangle;

pub(super) use tree::{MOST_WAITING, Nearest, Part, Tree, crossing, each_in, nearest, reaches_into};
pub(super) use triangle::{Feature, Sides, Triangle};
