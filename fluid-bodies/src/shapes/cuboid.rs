//! Boxes.

use super::polyhedron::{Clip, Face, length_and_direction, part_below, rounding};
use super::{Entry, MassProperties, Part, ShapeQueries, Surface};
use glam::{DMat3, DVec3, Vec3};

/// A box centred at the origin, with edges along the axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cuboid {
    /// Half the edge lengths \[m\], positive.
    pub half_extents: Vec3,
}

impl Cuboid {
    fn clip(&self, start: DVec3, way: DVec3) -> Option<Clip> {
        let mut clip = Clip::new(start, way);
        let reach = self.half_extents.as_dvec3();
        let faces = (0..6).map(|face| (Side { reach, face }.normal(), reach[face / 2]));
        for (normal, offset) in faces {
            if !clip.keep(normal, offset) {
                return None;
            }
        }
        Some(clip)
    }
}

impl ShapeQueries for Cuboid {
    fn bounding_sphere(&self) -> (Vec3, f32) {
        (Vec3::ZERO, self.half_extents.length())
    }

    fn inscribed_sphere(&self) -> (Vec3, f32) {
        (Vec3::ZERO, self.half_extents.min_element())
    }

    #[inline]
    fn surface(&self, point: Vec3) -> Surface {
        let (place, reach) = (point.as_dvec3(), self.half_extents.as_dvec3());
        let nearest = place.clamp(-reach, reach);
        if let Some((distance, normal)) = length_and_direction(place - nearest) {
            return Surface { distance: distance as f32, point: nearest.as_vec3(), normal: normal.as_vec3() };
        }
        let depths = reach - place.abs();
        let axis = if depths.x <= depths.y && depths.x <= depths.z {
            0
        } else if depths.y <= depths.z {
            1
        } else {
            2
        };
        let (mut nearest, mut normal) = (point, Vec3::ZERO);
        nearest[axis] = self.half_extents[axis].copysign(point[axis]);
        normal[axis] = 1_f32.copysign(point[axis]);
        Surface { distance: -depths[axis] as f32, point: nearest, normal }
    }

    fn entry(&self, start: Vec3, end: Vec3) -> Option<Entry> {
        let start = start.as_dvec3();
        let clip = self.clip(start, end.as_dvec3() - start)?;
        clip.entry(rounding(start, self.half_extents.max_element().into()))
    }

    fn exit(&self, start: Vec3, way: Vec3) -> Option<f32> {
        self.clip(start.as_dvec3(), way.as_dvec3())?.exit()
    }

    fn mass_properties(&self) -> MassProperties {
        let reach = self.half_extents.as_dvec3();
        let volume = 8.0 * reach.x * reach.y * reach.z;
        MassProperties {
            volume,
            centroid: DVec3::ZERO,
            second_moment: DMat3::from_diagonal(reach * reach * (volume / 3.0)),
        }
    }

    fn area(&self) -> f64 {
        let DVec3 { x, y, z } = self.half_extents.as_dvec3();
        8.0 * (x * y + y * z + z * x)
    }

    fn span(&self, normal: DVec3) -> (f64, f64) {
        let reach = normal.abs().dot(self.half_extents.as_dvec3());
        (-reach, reach)
    }

    fn part_below(&self, normal: Vec3, height: f32) -> Part {
        let reach = self.half_extents.as_dvec3();
        let faces = (0..6).map(|face| Side { reach, face });
        part_below(faces, normal.as_dvec3(), height.into()).unwrap_or_else(|| {
            let volume = if height > 0.0 { self.mass_properties().volume } else { 0.0 };
            Part { volume, moment: DVec3::ZERO }
        })
    }
}

/// A face of a box: faces 0 and 1 are normal to x, 2 and 3 to y, 4 and 5 to z; the upper one of each pair
/// is first.
struct Side {
    reach: DVec3,
    face: usize,
}

impl Side {
    fn normal(&self) -> DVec3 {
        DVec3::AXES[self.face / 2] * if self.face.is_multiple_of(2) { 1.0 } else { -1.0 }
    }
}

impl Face for Side {
    fn count(&self) -> usize {
        4
    }

    fn corner(&self, index: usize) -> DVec3 {
        const AROUND: [[f64; 2]; 4] = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];
        let (axis, upper) = (self.face / 2, self.face.is_multiple_of(2));
        let [u, v] = AROUND[if upper { index } else { 3 - index }];
        let mut signs = DVec3::ZERO;
        signs[axis] = if upper { 1.0 } else { -1.0 };
        (signs[(axis + 1) % 3], signs[(axis + 2) % 3]) = (u, v);
        signs * self.reach
    }
}
