//! The interior of a container.

use glam::Vec3;
use std::any::Any;
use std::fmt::Debug;

/// The interior of an enclosure, in the enclosure's own axes.
pub trait Inside: Any + Debug + Send + Sync {
    /// Returns true if `place` \[m\] is inside.
    fn contains(&self, place: Vec3) -> bool;

    /// Returns true only if the convex hull of `corners` \[m\] is entirely inside. Conservative: may return
    /// false even then.
    fn contains_hull(&self, _corners: &[Vec3; 8]) -> bool {
        false
    }

    /// Returns true only if every point of the box from `low` to `high` \[m\] is more than `reach` \[m\]
    /// outside. Conservative: may return false even then.
    fn is_far(&self, _low: Vec3, _high: Vec3, _reach: f32) -> bool {
        false
    }

    /// Returns the wall nearest to `place` \[m\]: its distance \[m\], positive inside and negative outside,
    /// and its unit normal, which points inwards. Returns None if `place` is certainly `reach` \[m\] or
    /// more inside.
    fn wall(&self, place: Vec3, reach: f32) -> Option<(f32, Vec3)>;

    /// Writes what [`wall`](Self::wall) returns for each of `places` \[m\]; where a point is certainly
    /// `reach` \[m\] or more inside, `reach` and any normal.
    ///
    /// # Panics
    /// If the slices differ in length.
    fn walls(&self, places: &[Vec3], reach: f32, walls: &mut [(f32, Vec3)]) {
        walls_one_by_one(self, places, reach, walls);
    }
}

/// Writes what [`Inside::walls`] does by one call of [`Inside::wall`] for each of `places` \[m\].
///
/// # Panics
/// If the slices differ in length.
pub fn walls_one_by_one<I>(inside: &I, places: &[Vec3], reach: f32, walls: &mut [(f32, Vec3)])
where
    I: Inside + ?Sized,
{
    assert_eq!(places.len(), walls.len(), "one wall for each point");
    for (place, wall) in places.iter().zip(walls) {
        *wall = inside.wall(*place, reach).unwrap_or((reach, Vec3::Z));
    }
}
