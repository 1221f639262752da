//! Closing of vortex lines that end at a wall, along the wall (E53). If the lines of vortons just end,
//! their flow has a spurious curl everywhere.

use super::panels::{Panels, Quad};
use crate::shapes::{Geometry, Shape};
use crate::solve::inverse_of_definite;
use fluid_core::math::box_around;
use glam::{DVec3, Vec3};

/// Depth of the layer in which lines end \[core radii\]: some one and a half spacings of overlapping
/// vortons.
const CLOSING_DEPTH: f32 = 1.5;
/// Maximum number of lookup cells along an axis \[1\].
const MOST_CELLS: f32 = 24.0;
/// Edge of a lookup cell, and margin around each triangle, at flat and at round walls \[mean size of a
/// triangle\]. The margins exceed [`BARYCENTRIC_TOLERANCE`] of any triangle, and the distance of round walls
/// from their triangles.
const FLAT_LOOKUP: (f32, f32) = (0.5, 0.02);
const ROUND_LOOKUP: (f32, f32) = (1.0, 0.3);
/// Distance of a point outside a triangle within which it still belongs to it, in barycentric coordinates
/// \[1\].
const BARYCENTRIC_TOLERANCE: f32 = 1e-3;
/// Minimum cosine between the normals of a triangle and of the wall to which it belongs \[1\].
const SAME_PLANE: f32 = 0.999;
/// Cosine of the angle between the normals of two walls below which they meet in an edge \[1\]: 53 degrees,
/// between the sides of a hexagonal prism and those of an octagonal one.
const BLUNTEST_EDGE: f32 = 0.6;
/// Regularisation of the surface's Laplacian, relative to the mean of its diagonal \[1\].
const LAPLACIAN_REGULARISATION: f64 = 1e-10;

/// The walls of a hole, in the body's axes.
#[derive(Debug)]
pub(super) struct Closing {
    hole: Shape,
    /// Centre and radius \[m\] of the hole's bounding sphere.
    pub(super) centre: Vec3,
    radius: f32,
    /// Outward unit normals and offsets \[m\] of flat walls; empty for round ones.
    planes: Vec<(Vec3, f32)>,
    /// Depth of the layer \[m\].
    pub(super) depth: f32,
    /// Volume in front of the walls, weighted by the layer function, over their area \[1\]: 1 at flat walls.
    pub(super) layer: f32,
    triangles: Vec<Flat>,
    lookup: Lookup,
    /// Area of each vertex's patch, relative to the total \[1\].
    shares: Vec<f32>,
}

/// Distance of a point from two others beside it, the projections of which show how round a wall is \[depths
/// of the layer\].
const PROBE: f32 = 0.05;

/// Cells along each axis of the box around a round hole in which its layer is measured \[1\].
const LAYER_CELLS: usize = 32;

/// Most by which a wall is longer than a way in front of it \[1\]: near the middle of a small hole.
const MOST_STRETCHED: f32 = 4.0;

/// Part of a wall near a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct WallPatch {
    /// Vertices of the triangle in front of the point, and their weights \[1\].
    pub(super) corners: [u16; 3],
    pub(super) weights: [f32; 3],
    /// Gradients of the weights along the wall \[1/m\].
    gradients: [Vec3; 3],
    /// Normal out of the hole.
    pub(super) normal: Vec3,
    /// Value of the layer function \[1/m\]: 2/depth at the wall, falling linearly to 0 at the depth of the
    /// layer, with integral 1. Lines are therefore cut off by a function that falls from 1 to 0
    /// quadratically, and volumes in front of a wall, weighted by it, add up to the wall's area.
    pub(super) share: f32,
    /// Integral of the layer function from the point to the depth of the layer \[1\]: 1 at the wall.
    pub(super) beyond: f32,
}

impl WallPatch {
    /// Distributes the layer function to the corners, with no negative weight \[1/m\]. A point beside the
    /// triangle has a negative weight: a vertex with nothing else in front of it would represent a negative
    /// volume.
    pub(super) fn shares(&self) -> impl Iterator<Item = (usize, f32)> {
        let inside = self.weights.map(|weight| weight.max(0.0));
        let scale = self.share / inside.iter().sum::<f32>();
        self.corners.map(usize::from).into_iter().zip(inside.map(|weight| weight * scale))
    }
}

/// A triangle of the surface.
#[derive(Debug)]
struct Flat {
    corners: [u16; 3],
    /// Unit normal.
    normal: Vec3,
    first: Vec3,
    /// Gradients of the weights of the other two corners \[1/m\].
    gradients: [Vec3; 2],
}

impl Flat {
    fn of([a, b, c]: [DVec3; 3], corners: [u16; 3]) -> Self {
        let twice = (b - a).cross(c - a);
        let normal = twice.normalize_or(DVec3::Z);
        let per_area = 1.0 / twice.length();
        let gradients =
            [normal.cross(a - c), normal.cross(b - a)].map(|gradient| (gradient * per_area).as_vec3());
        Self { corners, normal: normal.as_vec3(), first: a.as_vec3(), gradients }
    }

    fn weights(&self, place: Vec3) -> [f32; 3] {
        let [b, c] = self.gradients.map(|gradient| gradient.dot(place - self.first));
        [1.0 - b - c, b, c]
    }
}

/// Grid that finds the triangles near a point.
#[derive(Debug)]
struct Lookup {
    low: Vec3,
    per_cell: Vec3,
    cells: [usize; 3],
    /// Index in `list` of the first entry of each cell, and the end of the last.
    starts: Vec<u32>,
    list: Vec<u16>,
}

impl Lookup {
    /// Builds the grid for bounding boxes \[m\] of triangles on flat or round walls. At round walls, points
    /// lie beside the flat triangles; at flat ones only round-off separates them.
    fn of(boxes: &[(Vec3, Vec3)], is_flat: bool) -> Self {
        let (edge, margin) = if is_flat { FLAT_LOOKUP } else { ROUND_LOOKUP };
        let corners: Vec<Vec3> = boxes.iter().flat_map(|&(low, high)| [low, high]).collect();
        let (low, high) = box_around(&corners);
        let mean =
            boxes.iter().map(|(low, high)| (*high - *low).max_element()).sum::<f32>() / boxes.len() as f32;
        let cells = ((high - low) / (edge * mean)).clamp(Vec3::ONE, Vec3::splat(MOST_CELLS)).floor();
        let per_cell = cells / (high - low).max(Vec3::splat(f32::MIN_POSITIVE));
        let mut lookup = Self {
            low,
            per_cell,
            cells: cells.to_array().map(|count| count as usize),
            starts: Vec::new(),
            list: Vec::new(),
        };
        let all = lookup.cells.iter().product();
        let margin = Vec3::splat(margin * mean);
        let mut lists: Vec<Vec<u16>> = vec![Vec::new(); all];
        for (row, &(from, to)) in (0..).zip(boxes) {
            let (from, to) = (lookup.place(from - margin), lookup.place(to + margin));
            for z in from[2]..=to[2] {
                for y in from[1]..=to[1] {
                    for x in from[0]..=to[0] {
                        lists[(z * lookup.cells[1] + y) * lookup.cells[0] + x].push(row);
                    }
                }
            }
        }
        for here in lists {
            lookup.starts.push(lookup.list.len() as u32);
            lookup.list.extend(here);
        }
        lookup.starts.push(lookup.list.len() as u32);
        lookup
    }

    fn place(&self, place: Vec3) -> [usize; 3] {
        let cell = (place - self.low) * self.per_cell;
        // Negative coordinates and NaN are in the first cell.
        [0, 1, 2].map(|axis| (cell[axis] as usize).min(self.cells[axis] - 1))
    }

    fn near(&self, place: Vec3) -> &[u16] {
        let [x, y, z] = self.place(place);
        let cell = (z * self.cells[1] + y) * self.cells[0] + x;
        &self.list[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }
}

impl Closing {
    /// Returns true if the walls are round.
    pub(super) fn is_round(&self) -> bool {
        self.planes.is_empty()
    }

    /// Creates the walls of a hole from its panels.
    pub(super) fn of(hole: &Shape, panels: &Panels, core: f32) -> Self {
        let corners = |triangle: &[u16; 3]| triangle.map(|corner| panels.on_surface[usize::from(corner)]);
        let triangles: Vec<Flat> =
            panels.triangles.iter().map(|triangle| Flat::of(corners(triangle), *triangle)).collect();
        let boxes: Vec<_> = panels
            .triangles
            .iter()
            .map(|triangle| box_around(&corners(triangle).map(|c| c.as_vec3())))
            .collect();
        let (centre, radius) = hole.geometry.queries().bounding_sphere();
        let (planes, depth) = (planes(hole), CLOSING_DEPTH * core);
        let areas = areas(panels);
        let layer = match planes.is_empty() {
            true => layer_of(hole, depth) / areas.iter().sum::<f64>() as f32,
            false => 1.0,
        };
        Self {
            centre: hole.pose.to_world(centre),
            radius,
            hole: hole.clone(),
            depth,
            layer,
            lookup: Lookup::of(&boxes, !planes.is_empty()),
            planes,
            shares: shares(&areas),
            triangles,
        }
    }

    /// Visits vertices with the strength \[m²/s\] of a contained vorton's lines that ends at the wall there;
    /// `place` \[m\] and `strength` \[m³/s\] are in the body's axes. Lines that turn along the wall in
    /// front of it do not end: α·∇(W h), with the profile W and the weights h, counts both parts of a
    /// strength, that along the wall to the fraction `smooth`.
    pub(super) fn visit_ends(
        &self,
        place: Vec3,
        (strength, smooth): (Vec3, f32),
        mut visit: impl FnMut(usize, f32),
    ) {
        self.visit_walls_of_held(place, |patch| {
            let ending = strength.dot(patch.normal) * patch.share;
            let turning = match patch.beyond * smooth {
                0.0 => Vec3::ZERO,
                part => self.at_wall(place, &patch, strength) * part,
            };
            let rows = patch.corners.into_iter().zip(patch.weights).zip(patch.gradients);
            for ((corner, weight), gradient) in rows {
                visit(usize::from(corner), ending * weight + turning.dot(gradient));
            }
        })
    }

    /// Returns the part along a wall of a vector at `place` \[m\], projected to the wall along the normals,
    /// as ways are: in front of a round wall ways are shorter than along it.
    fn at_wall(&self, place: Vec3, patch: &WallPatch, vector: Vec3) -> Vec3 {
        let along = vector - patch.normal * patch.normal.dot(vector);
        let length = along.length();
        if !self.is_round() || length == 0.0 {
            return along;
        }
        let way = along * (PROBE * self.depth / length);
        let [from, to] = [place - way, place + way].map(|place| self.hole.surface(place).point);
        let projected = (to - from) * (0.5 * length / (PROBE * self.depth));
        projected.clamp_length_max(MOST_STRETCHED * length)
    }

    /// Returns true if a position \[m\], in the body's axes, is within twice the hole's radius of its
    /// centre.
    pub(super) fn is_near(&self, place: Vec3) -> bool {
        (place - self.centre).length_squared() <= 4.0 * self.radius * self.radius
    }

    /// Returns true if a position \[m\], in the body's axes, is in the hole.
    pub(super) fn holds(&self, place: Vec3) -> bool {
        if !self.is_near(place) {
            return false;
        }
        // The distance is positive inside a hole. NaN is outside.
        match self.is_round() {
            true => self.hole.surface(place).distance >= 0.0,
            false => self.planes.iter().all(|(normal, offset)| offset - normal.dot(place) >= 0.0),
        }
    }

    /// Returns true if a position \[m\] in the body's axes is nearer than `reach` \[m\] to two flat walls
    /// that meet in an edge, not to faces of a nearly round wall.
    pub(super) fn is_in_corner(&self, place: Vec3, reach: f32) -> bool {
        let is_near = |(normal, offset): &(Vec3, f32)| offset - normal.dot(place) < reach;
        let mut rest = self.planes.iter();
        while let Some(wall) = rest.find(|&wall| is_near(wall)) {
            if rest.clone().any(|other| is_near(other) && wall.0.dot(other.0) < BLUNTEST_EDGE) {
                return true;
            }
        }
        false
    }

    /// Calls `visit` for each wall nearer than the depth of the layer to a position \[m\] in the body's
    /// axes. Returns false if the position is not in the hole.
    pub(super) fn visit_walls(&self, place: Vec3, visit: impl FnMut(WallPatch)) -> bool {
        let is_held = self.holds(place);
        if is_held {
            self.visit_walls_of_held(place, visit);
        }
        is_held
    }

    /// Same for the position of a contained vorton. In the middle of a step it may have passed through a
    /// wall; then it counts as being at the wall.
    fn visit_walls_of_held(&self, place: Vec3, mut visit: impl FnMut(WallPatch)) {
        if self.is_round() {
            let wall = self.hole.surface(place);
            // The normal of a hole points inwards.
            if wall.distance < self.depth {
                self.patch(wall.distance.max(0.0), wall.point, -wall.normal).into_iter().for_each(visit);
            }
            return;
        }
        for &(normal, offset) in &self.planes {
            let depth = offset - normal.dot(place);
            if depth < self.depth {
                self.patch(depth.max(0.0), place + normal * depth, normal).into_iter().for_each(&mut visit);
            }
        }
    }

    /// Returns the patch at the `point` \[m\] of a wall at the distance `depth` \[m\]; `normal` points out
    /// of the hole. `None` beside the wall.
    fn patch(&self, depth: f32, point: Vec3, normal: Vec3) -> Option<WallPatch> {
        let is_flat = !self.planes.is_empty();
        let mut best: Option<(f32, &Flat, [f32; 3])> = None;
        for &row in self.lookup.near(point) {
            let triangle = &self.triangles[usize::from(row)];
            if is_flat && triangle.normal.dot(normal) < SAME_PLANE {
                continue;
            }
            let weights = triangle.weights(point);
            let least = weights.into_iter().fold(f32::INFINITY, f32::min);
            // Skips triangles without area.
            if least.is_finite() && best.as_ref().is_none_or(|(other, ..)| least > *other) {
                best = Some((least, triangle, weights));
                // Triangles of a flat wall do not overlap.
                if is_flat && least >= 0.0 {
                    break;
                }
            }
        }
        let (least, triangle, weights) = best?;
        let left = 1.0 - depth / self.depth;
        let (share, beyond) = (2.0 * left / self.depth, left * left);
        let [b, c] = triangle.gradients;
        let gradients = [-b - c, b, c];
        let patch = WallPatch { corners: triangle.corners, weights, gradients, normal, share, beyond };
        (!is_flat || least >= -BARYCENTRIC_TOLERANCE).then_some(patch)
    }

    /// Makes the sum of `ends` zero, by area.
    pub(super) fn balance(&self, ends: &mut [f32]) {
        let sum: f32 = ends.iter().sum();
        ends.iter_mut().zip(&self.shares).for_each(|(end, share)| *end -= sum * share);
    }
}

/// Returns the volume \[m³\] in a round hole, weighted by the layer function times its depth.
fn layer_of(hole: &Shape, depth: f32) -> f32 {
    let (centre, radius) = hole.geometry.queries().bounding_sphere();
    let (centre, cell) = (hole.pose.to_world(centre), 2.0 * radius / LAYER_CELLS as f32);
    let at = |n: usize| (n as f32 + 0.5) * cell - radius;
    let places = (0..LAYER_CELLS.pow(3)).map(|n| {
        let [x, y, z] = [n % LAYER_CELLS, n / LAYER_CELLS % LAYER_CELLS, n / LAYER_CELLS.pow(2)].map(at);
        centre + Vec3::new(x, y, z)
    });
    let share = |place: Vec3| {
        let distance = hole.surface(place).distance;
        if (0.0..depth).contains(&distance) { 2.0 * (1.0 - distance / depth) / depth } else { 0.0 }
    };
    places.map(share).sum::<f32>() * cell.powi(3)
}

/// Returns the outward normals and offsets \[m\] of a hole with flat walls.
fn planes(hole: &Shape) -> Vec<(Vec3, f32)> {
    let own: Vec<(Vec3, f32)> = match &hole.geometry {
        Geometry::Cuboid(shape) => {
            let sides = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().zip(shape.half_extents.to_array());
            sides.flat_map(|(axis, reach)| [(axis, reach), (-axis, reach)]).collect()
        }
        Geometry::Polytope(shape) => shape.planes().collect(),
        _ => Vec::new(),
    };
    own.into_iter()
        .map(|(normal, offset)| {
            let normal = hole.pose.turn(normal);
            (normal, offset + normal.dot(hole.pose.position))
        })
        .collect()
}

/// Returns the area of the sheet that belongs to each vertex \[m²\].
pub(super) fn areas(panels: &Panels) -> Vec<f64> {
    let mut areas = vec![0.0; panels.vertices.len()];
    for triangle in &panels.triangles {
        let [a, b, c] = triangle.map(|corner| panels.vertices[usize::from(corner)]);
        let area = (b - a).cross(c - a).length() / 6.0;
        triangle.iter().for_each(|&corner| areas[usize::from(corner)] += area);
    }
    areas
}

fn shares(areas: &[f64]) -> Vec<f32> {
    let all: f64 = areas.iter().sum();
    areas.iter().map(|area| (area / all) as f32).collect()
}

/// Returns ∫ ∇h·∇h' dS of each pair of vertices \[1\], row after row: minus the integral of the surface's
/// Laplacian over each patch.
pub(super) fn stiffness(panels: &Panels) -> Vec<f64> {
    let n = panels.vertices.len();
    let mut stiffness = vec![0.0; n * n];
    for triangle in &panels.triangles {
        let [a, b, c] = triangle.map(|corner| panels.vertices[usize::from(corner)]);
        let twice = (b - a).cross(c - a).length();
        if twice == 0.0 {
            continue;
        }
        let edges = [c - b, a - c, b - a];
        for (i, one) in edges.iter().enumerate() {
            for (j, other) in edges.iter().enumerate() {
                // ∇h is the edge rotated by a right angle, divided by twice the area.
                stiffness[usize::from(triangle[i]) * n + usize::from(triangle[j])] +=
                    0.5 * one.dot(*other) / twice;
            }
        }
    }
    stiffness
}

/// Returns the inverse of the surface's Laplacian: ψ with ∫ ∇h·∇ψ dS = the strength that ends in each
/// patch.
pub(super) fn potential(mut stiffness: Vec<f64>, n: usize) -> Vec<f32> {
    // A constant has no gradient, so the matrix is singular without this term.
    let mean = (0..n).map(|i| stiffness[i * n + i]).sum::<f64>() / n as f64;
    stiffness.iter_mut().for_each(|value| *value += mean / n as f64);
    // A vertex of triangles without area has no gradient either.
    (0..n).for_each(|i| stiffness[i * n + i] += mean * LAPLACIAN_REGULARISATION);
    inverse_of_definite(&stiffness, n)
}

/// Returns the strengths \[m\] of the vortons of lines along the wall, γ = −∇ψ, for a unit potential at
/// their corners.
pub(super) fn along(panels: &Panels) -> Vec<[Vec3; 3]> {
    let of = |quad: &Quad| {
        let normal = quad.edges[0].cross(quad.edges[1]).normalize_or_zero();
        quad.edges.map(|edge| -normal.cross(edge))
    };
    panels.fine.quads.iter().map(of).collect()
}

/// Returns the strengths \[m\] of the vortons of lines from the wall to the sheet behind it, for a unit
/// strength that ends at their corners.
pub(super) fn behind(panels: &Panels) -> Vec<[Vec3; 3]> {
    let mut counts = vec![0.0_f64; panels.vertices.len()];
    let area = |quad: &Quad| f64::from(quad.edges[0].cross(quad.edges[1]).length());
    for quad in &panels.fine.quads {
        quad.corners.iter().for_each(|&corner| counts[usize::from(corner)] += area(quad));
    }
    let of = |quad: &Quad| {
        quad.corners.map(|corner| {
            let corner = usize::from(corner);
            let way = panels.vertices[corner] - panels.on_surface[corner];
            (way * (area(quad) / counts[corner])).as_vec3()
        })
    };
    panels.fine.quads.iter().map(of).collect()
}

/// Same with vortons halfway between wall and sheet, one per vertex: for round walls, where a finer
/// subdivision makes the fluid rotate too fast.
pub(super) fn halfway(panels: &Panels) -> Vec<Quad> {
    let each = panels.vertices.iter().zip(&panels.on_surface).enumerate();
    each.map(|(vertex, (behind, wall))| Quad {
        place: ((*behind + *wall) * 0.5).as_vec3(),
        corners: [vertex as u16; 3],
        edges: [((*behind - *wall) / 3.0).as_vec3(); 3],
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walls put a vorton back at the end of a step. Until then its lines end as if it were at the wall, in
    /// flat and round holes.
    #[test]
    fn what_is_led_through_a_wall_ends_at_it() {
        let holes = [Shape::cuboid(Vec3::new(0.5, 0.4, 0.3)), Shape::sphere(0.4)];
        for hole in holes.map(|solid| Shape { parity: crate::shapes::Parity::Hole, ..solid }) {
            let core = 0.1;
            let panels = Panels::of_hole(&hole, None, f64::from(core)).expect("large enough");
            let closing = Closing::of(&hole, &panels, core);
            let ends = |z: f32| {
                let mut ends = vec![0.0; panels.vertices.len()];
                let strength = (Vec3::new(0.1, -0.2, 1.0), 1.0);
                closing.visit_ends(Vec3::new(0.01, 0.02, z), strength, |corner, end| {
                    ends[corner] += end;
                });
                ends
            };
            let wall = if closing.is_round() { 0.4 } else { 0.3 };
            let (inside, outside) = (ends(wall - 2e-3), ends(wall + 2e-3));
            let sum = |ends: &[f32]| ends.iter().sum::<f32>();
            let most = inside.iter().zip(&outside).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(sum(&inside) > 10.0 && most < 0.02 * sum(&inside), "{most} of {}", sum(&inside));
            assert!(closing.holds(Vec3::Z * (wall - 1e-3)) && !closing.holds(Vec3::Z * (wall + 1e-3)));
        }
    }

    /// A vertex barely reached from a point on the other side of its edge would be covered by a volume of
    /// almost zero or less, by which the area of its patch is divided.
    #[test]
    fn no_place_has_a_volume_below_nothing() {
        let patch = |weights| WallPatch {
            corners: [0, 1, 2],
            weights,
            gradients: [Vec3::ZERO; 3],
            normal: Vec3::Z,
            share: 2.0,
            beyond: 1.0,
        };
        for weights in [[1.0005, -0.0005, 0.0], [0.5, 0.75, -0.25], [0.2, 0.3, 0.5]] {
            let shares: Vec<f32> = patch(weights).shares().map(|(_, share)| share).collect();
            assert!(shares.iter().all(|&share| share >= 0.0), "{shares:?}");
            assert!((shares.iter().sum::<f32>() - 2.0).abs() < 1e-6, "{shares:?}");
        }
    }
}
