//! Boxes.

use super::polyhedron::{Clip, Face, length_and_direction, part_below, rounding};
use super::{Entry, MassProperties, Part, ShapeQueries, Surface};
use fluid_core::{InstructionSet, VectorJob, run_in_vectors};
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

    /// Writes the signed distance \[m\] and the normal of the nearest wall for points in or around a cavity
    /// of this shape, positive and inwards in the cavity: those of [`surface`](ShapeQueries::surface),
    /// negated.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub(crate) fn walls_of_cavity(&self, places: &[Vec3], walls: &mut [(f32, Vec3)]) {
        assert_eq!(places.len(), walls.len(), "one wall for each point");
        run_in_vectors(InstructionSet::Auto, CavityWalls { half_extents: self.half_extents, places, walls });
    }
}

/// Number of points in one loop of vectors \[1\].
const BATCH: usize = 16;

/// Finds the walls of a cavity, compiled for vectors.
struct CavityWalls<'a> {
    half_extents: Vec3,
    places: &'a [Vec3],
    walls: &'a mut [(f32, Vec3)],
}

impl VectorJob for CavityWalls<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { half_extents, places, walls } = self;
        let reach = half_extents.to_array().map(f64::from);
        for (places, walls) in places.chunks(BATCH).zip(walls.chunks_mut(BATCH)) {
            let mut columns = [[0.0; BATCH]; 3];
            for (i, place) in places.iter().enumerate() {
                for (column, part) in columns.iter_mut().zip(place.to_array()) {
                    column[i] = f64::from(part);
                }
            }
            let (mut distances, mut normals) = ([0.0; BATCH], [[0.0; BATCH]; 3]);
            for i in 0..BATCH {
                let (distance, normal) = wall(reach, [columns[0][i], columns[1][i], columns[2][i]]);
                distances[i] = distance;
                (normals[0][i], normals[1][i], normals[2][i]) = normal;
            }
            for (i, wall) in walls.iter_mut().enumerate() {
                *wall = (distances[i], Vec3::new(normals[0][i], normals[1][i], normals[2][i]));
            }
        }
    }
}

/// Returns the wall of a cavity at a point, without branches.
#[inline(always)]
fn wall(reach: [f64; 3], [x, y, z]: [f64; 3]) -> (f32, (f32, f32, f32)) {
    let excess = |place: f64, reach: f64| place - place.max(-reach).min(reach);
    let (a, b, c) = (excess(x, reach[0]), excess(y, reach[1]), excess(z, reach[2]));
    let largest = a.abs().max(b.abs().max(c.abs()));
    let is_outside = largest > 0.0 && largest < f64::INFINITY;
    let (scaled_a, scaled_b, scaled_c) = (a / largest, b / largest, c / largest);
    let length = (scaled_a * scaled_a + scaled_b * scaled_b + scaled_c * scaled_c).sqrt();
    let (depth_x, depth_y, depth_z) = (reach[0] - x.abs(), reach[1] - y.abs(), reach[2] - z.abs());
    let is_x = depth_x <= depth_y && depth_x <= depth_z;
    let is_y = !is_x && depth_y <= depth_z;
    let is_z = !is_x && !is_y;
    let depth = if is_x {
        depth_x
    } else if is_y {
        depth_y
    } else {
        depth_z
    };
    let part = |scaled: f64, place: f64, is_nearest: bool| {
        let inside = if is_nearest { 1_f64.copysign(place) } else { 0.0 };
        -(if is_outside { scaled / length } else { inside }) as f32
    };
    let distance = if is_outside { -(largest * length) } else { depth };
    (distance as f32, (part(scaled_a, x, is_x), part(scaled_b, y, is_y), part(scaled_c, z, is_z)))
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
