//! The inside of what holds fluid.

use glam::Vec3;
use std::any::Any;
use std::fmt::Debug;

/// The inside of an enclosure, in its own axes.
pub trait Inside: Any + Debug + Send + Sync {
    /// True if `place` \[m\] is in it.
    fn contains(&self, place: Vec3) -> bool;

    /// True only if every place between `corners` \[m\], their convex hull, is in it. May be false
    /// nevertheless.
    fn contains_hull(&self, _corners: &[Vec3; 8]) -> bool {
        false
    }

    /// True only if every place of a box from `low` to `high` \[m\] is more than `reach` \[m\] outside. May
    /// be false nevertheless.
    fn is_far(&self, _low: Vec3, _high: Vec3, _reach: f32) -> bool {
        false
    }

    /// The wall nearest to `place` \[m\]: how far \[m\] the place is inside of it, negative outside, and its
    /// unit normal, which points inside. None if the place is surely `reach` \[m\] or more inside.
    fn wall(&self, place: Vec3, reach: f32) -> Option<(f32, Vec3)>;
}
