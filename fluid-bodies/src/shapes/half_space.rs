//! Half-spaces: floors, water beds, large walls.

use super::polyhedron::{Clip, rounding};
use super::{Entry, ShapeQueries, Surface};
use glam::{DVec3, Vec3};

/// The half-space z ≤ 0: solid below the plane through the origin, fluid above it. It is unbounded: its
/// bounding sphere is infinite, and its mass properties and area are zero.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HalfSpace;

impl ShapeQueries for HalfSpace {
    fn bounding_sphere(&self) -> (Vec3, f32) {
        (Vec3::ZERO, f32::INFINITY)
    }

    fn inscribed_sphere(&self) -> (Vec3, f32) {
        (Vec3::NEG_Z, 1.0)
    }

    #[inline]
    fn surface(&self, point: Vec3) -> Surface {
        Surface { distance: point.z, point: point.with_z(0.0), normal: Vec3::Z }
    }

    fn entry(&self, start: Vec3, end: Vec3) -> Option<Entry> {
        let start = start.as_dvec3();
        let mut clip = Clip::new(start, end.as_dvec3() - start);
        if !clip.keep(DVec3::Z, 0.0) {
            return None;
        }
        clip.entry(rounding(start, 0.0))
    }

    fn exit(&self, start: Vec3, way: Vec3) -> Option<f32> {
        let share = -f64::from(start.z) / f64::from(way.z);
        (way.z > 0.0).then_some(share as f32)
    }

    fn span(&self, normal: DVec3) -> (f64, f64) {
        let level = normal.x == 0.0 && normal.y == 0.0;
        let reaches = |upwards: bool| if level && upwards { 0.0 } else { f64::INFINITY };
        (-reaches(normal.z < 0.0), reaches(normal.z > 0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments from above enter where they cross the plane; segments that leave it, are parallel to it or
    /// stay on one side do not enter.
    #[test]
    fn only_ways_from_above_enter() {
        let entry = |start: [f32; 3], end: [f32; 3]| HalfSpace.entry(start.into(), end.into());
        let down = entry([1.0, 2.0, 3.0], [1.0, 6.0, -1.0]).expect("crosses the plane");
        assert_eq!((down.share, down.normal), (0.75, Vec3::Z));
        assert!(entry([0.0, 0.0, 0.0], [1.0, 0.0, -1.0]).is_some_and(|entry| entry.share == 0.0));
        assert!(entry([0.0, 0.0, 0.0], [1.0, 0.0, 1.0]).is_none());
        assert!(entry([0.0, 0.0, 1.0], [9.0, 0.0, 1.0]).is_none());
        assert!(entry([0.0, 0.0, 2.0], [9.0, 0.0, 0.1]).is_none());
        assert!(entry([0.0, 0.0, -1.0], [9.0, 0.0, -2.0]).is_none());
    }

    #[test]
    fn it_is_left_upwards_only() {
        assert_eq!(HalfSpace.exit(Vec3::new(3.0, 4.0, -2.0), Vec3::new(1.0, 0.0, 4.0)), Some(0.5));
        assert_eq!(HalfSpace.exit(Vec3::NEG_Z, Vec3::X), None);
        assert_eq!(HalfSpace.exit(Vec3::NEG_Z, Vec3::NEG_Z), None);
        assert_eq!(HalfSpace.span(DVec3::Z), (f64::NEG_INFINITY, 0.0));
        assert_eq!(HalfSpace.span(DVec3::NEG_Z), (-0.0, f64::INFINITY));
        assert_eq!(HalfSpace.span(DVec3::X), (f64::NEG_INFINITY, f64::INFINITY));
    }
}
