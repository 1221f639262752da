//! Surfaces of many triangles: distances, crossings, and the bounding-box tree that accelerates both.

mod tree;
mod triangle;

pub(super) use tree::{MOST_WAITING, Nearest, Tree, TreePart, crossing, each_in, nearest, reaches_into};
pub(super) use triangle::{Feature, Sides, Triangle};
