//! Triangles of a sheet: its vortons, and the points at which flux is measured.

use super::welded::{Welded, edges, welded};
use super::wet::{WetSurface, at, middles};
use super::{MOST_VERTICES, Six};
use crate::ball::ball_around;
use crate::shapes::{Geometry, Shape};
use crate::surface::{TriangleCorners, conforming, conforming_evenly, hidden};
use glam::{DMat3, DVec3, Vec3};

/// Maximum edge length of a triangle, if the number of vertices permits \[core radii\]: for round shapes,
/// and for shapes with edges.
const LONGEST_EDGE: [f64; 2] = [2.0, 1.3];
/// Maximum edge length of the part of a triangle that a vorton of a solid stands for, if their number permits
/// \[core radii\]: two vortons are a third to a half of that apart.
const SHEET_SPACING: f64 = 2.0;
/// The same for the vortons of a hole, and for the points at which the flux of a sheet through itself is
/// measured \[core radii\].
const FLUX_SPACING: f64 = 1.3;
/// Maximum number of vortons and of points \[1\], unless [`LEAST_PARTS`] or [`FINER_AT_SEAMS`] needs more.
const MOST_QUADS: f64 = 2048.0;
/// Least bound on the parts of an edge of a solid \[1\]: with one point for each triangle, flux would be
/// known at hardly more points than there are vertices, and would pass between them.
const LEAST_PARTS: f64 = 2.0;
/// Factor by which triangles that fluid touches in part have more points along an edge, and the least number
/// of points along an edge at which they read the flow of others \[1\].
const FINER_AT_SEAMS: usize = 2;
/// Minimum number of vertices of a shape, if its number of triangles permits \[1\].
const LEAST_VERTICES: usize = 24;
/// Least factor between successive trial values of the edge length of a body with several shapes \[1\].
const LONGER: f64 = 1.1;
/// Power of the ratio of the vertices to the most that is the factor where it is larger \[1\]. The number of
/// vertices falls with the square of the edge length, so a half would be expected to meet the most.
const EXPONENT: f64 = 0.4;
/// Most trial values \[1\].
const TRIALS: u32 = 200;
/// Least number of vertices of a shape of a body that may have a sheet \[1\].
const FEWEST_VERTICES: usize = 4;
/// As [`FLUX_SPACING`], for points at which the flow of others is read, which is smoother \[core radii\].
const READ_SPACING: f64 = 2.6;
/// Depth of the vortons of round shapes below the surface \[core radii\]: a smoothed sheet on the surface
/// would act like that of a body larger by 0.28 core radii. It does not help at edges, around which flow
/// turns.
const INSET: f64 = 1.0;
/// Maximum depth, relative to the inscribed radius \[1\].
const MOST_INSET: f64 = 0.5;
/// Distance of the sheet of a hole behind its walls \[core radii\], and the maximum at acute edges and
/// corners, relative to that \[1\]: fluid at the wall is to see the flow along the sheet, not the sheet's
/// vorticity.
pub(super) const OUTSET: f64 = 1.0;
const MOST_OUTSET: f64 = 3.0;
/// Distance from a wall within which a vertex is on it, relative to the size \[1\].
const TOUCHING: f64 = 1e-5;
/// Iterations that find the position behind several walls \[1\].
const INSET_ITERATIONS: usize = 50;
/// Maximum edge length of a triangle on the walls of a hole, if the number of vertices permits, and in any
/// case \[core radii\]: fluid leaks between the corners of larger triangles.
const LONGEST_WALL_EDGE: f64 = 0.9;
const COARSEST_WALL: f64 = 3.5;
/// Maximum number of vertices on the walls of a hole \[1\].
const MOST_WALL_VERTICES: usize = 488;

/// A vorton of the sheet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quad {
    /// Position \[m\].
    pub(super) place: Vec3,
    /// Vertices of its triangle.
    pub(super) corners: [u16; 3],
    /// Strength for unit strengths of the sheet there \[m\]: half the edges opposite to the corners, divided
    /// by the number of vortons of the triangle; of a vortex line that closes the sheet the weights of two
    /// corners times its length.
    pub(super) edges: [Vec3; 3],
}

impl Quad {
    /// True for a part of a vortex line that closes the sheet.
    fn is_line(&self) -> bool {
        self.edges.contains(&Vec3::ZERO)
    }

    /// Returns its strength for unit motion `k`, given the sheet's strengths at all vertices.
    pub(super) fn strength(&self, strengths: &[Six], k: usize) -> DVec3 {
        let parts = self.corners.iter().zip(self.edges);
        parts.map(|(&corner, edge)| edge.as_dvec3() * strengths[usize::from(corner)][k]).sum()
    }
}

/// A point at which flux is measured.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    /// Position on the surface \[m\].
    pub(super) place: Vec3,
    /// Outward normal times the area that the point represents \[m²\].
    pub(super) area: Vec3,
    /// Vertices of its triangle.
    pub(super) corners: [u16; 3],
    /// Fraction of its flux in the patch of each vertex \[1\].
    pub(super) weights: [f32; 3],
}

/// Subdivided triangles: a vorton for each part, and for parts of open edges; a point for each part that
/// fluid touches.
#[derive(Debug, Default)]
pub(super) struct SubdividedTriangles {
    pub(super) quads: Vec<Quad>,
    pub(super) points: Vec<Point>,
}

/// All triangles of a body, in its axes.
pub(super) struct Panels {
    /// Vortons that induce flow.
    pub(super) fine: SubdividedTriangles,
    /// Points at which the flow of others is read.
    pub(super) coarse: SubdividedTriangles,
    /// True if vortons and points coincide.
    pub(super) is_flat: bool,
    /// True if `coarse` is the same as `fine`.
    pub(super) is_read_everywhere: bool,
    /// Positions of the vertices, and the point of the surface that belongs to each \[m\].
    pub(super) vertices: Vec<DVec3>,
    pub(super) on_surface: Vec<DVec3>,
    /// Vertex indices of each triangle.
    pub(super) triangles: Vec<[u16; 3]>,
    /// ∫ h n dS \[m²\] and ∫ h x × n dS \[m³\] of each vertex's linear function h.
    pub(super) moments: Vec<Six>,
}

impl Panels {
    /// Creates the triangles of solids, without those inside of others; `None` without shapes, or with too
    /// many for `MOST_VERTICES`.
    pub(super) fn of(solids: &[Shape], core: f64) -> Option<Self> {
        let hidden = hidden(solids);
        let seen = solids.iter().zip(hidden).filter(|(_, hidden)| !hidden).map(|(shape, _)| shape);
        let solids: Vec<_> = seen.cloned().collect();
        if solids.is_empty() || solids.len() * FEWEST_VERTICES > MOST_VERTICES {
            return None;
        }
        let wet = WetSurface::of(&solids);
        let parts = wet_parts(&solids, &wet, core)?;
        let most_parts = most_parts(parts.iter()).max(LEAST_PARTS);
        let mut all = Self::none();
        for (own, (shape, welded)) in solids.iter().zip(&parts).enumerate() {
            let vertices = below_surface(shape, welded, core);
            let round = is_round(&shape.geometry).then_some(&shape.geometry);
            let touches = |place: Vec3| wet.touches(own, place);
            all.add((shape, round), welded, vertices, (core, most_parts), (SHEET_SPACING, &touches));
        }
        Some(all)
    }

    /// Creates the triangles of the walls of a hole, or of the `prism` around it; `None` if they would be too
    /// coarse to confine flow.
    pub(super) fn of_hole(hole: &Shape, prism: Option<&Shape>, core: f64) -> Option<Self> {
        // A triangle has at most the area of one with equal edges; a closed surface has twice as many
        // triangles as vertices. A pipe of a kilometre would take minutes to triangulate, in vain.
        let largest = 0.25 * 3.0_f64.sqrt() * (COARSEST_WALL * core) * (COARSEST_WALL * core);
        if hole.geometry.queries().area() > 2.0 * MOST_WALL_VERTICES as f64 * largest {
            return None;
        }
        // Flux is measured through the walls themselves: a drum that turns about its axis has none.
        let walls = (is_round(&hole.geometry) || prism.is_some()).then_some(&hole.geometry);
        let mut all = Self::none();
        let welded = welded(
            &hole.geometry,
            &conforming_evenly,
            LONGEST_WALL_EDGE * core,
            (LEAST_VERTICES, MOST_WALL_VERTICES),
        )?;
        if welded.longest_edge() > COARSEST_WALL * core {
            return None;
        }
        let hole = prism.unwrap_or(hole);
        let vertices = behind_walls(&hole.geometry, &welded, OUTSET * core);
        let most_parts = most_parts(std::iter::once(&welded));
        all.add((hole, walls), &welded, vertices, (core, most_parts), (FLUX_SPACING, &|_| true));
        Some(all)
    }

    fn none() -> Self {
        let (fine, coarse) = (SubdividedTriangles::default(), SubdividedTriangles::default());
        Self {
            fine,
            coarse,
            is_flat: true,
            is_read_everywhere: true,
            vertices: Vec::new(),
            on_surface: Vec::new(),
            triangles: Vec::new(),
            moments: Vec::new(),
        }
    }

    /// Adds a shape; `inner` are the positions of the sheet's vertices, `spacing` that of its vortons
    /// \[core radii\]. Flux is measured on the surface of `round`, if there is one, where fluid touches it.
    /// Vortex lines close the sheet where it ends inside another shape.
    fn add(
        &mut self,
        (shape, round): (&Shape, Option<&Geometry>),
        welded: &Welded,
        inner: Vec<DVec3>,
        (core, most_parts): (f64, f64),
        (spacing, touches): (f64, &dyn Fn(Vec3) -> bool),
    ) {
        let first = self.moments.len() as u16;
        self.moments.resize(self.moments.len() + welded.vertices.len(), [0.0; 6]);
        let turn = DMat3::from_quat(shape.pose.rotation.as_dquat().normalize());
        let to_body = |place: DVec3| shape.pose.position.as_dvec3() + turn * place;
        self.is_flat &= !is_round(&shape.geometry);
        self.vertices.extend(inner.iter().map(|&vertex| to_body(vertex)));
        self.on_surface.extend(welded.vertices.iter().map(|&vertex| to_body(vertex)));
        let directed = welded.directed_edges();
        let longest = welded.longest_edge() / core;
        let [fine, coarse] = [FLUX_SPACING, READ_SPACING].map(|spacing| parts(longest, spacing, most_parts));
        self.is_read_everywhere &= fine == coarse;
        for corners in &welded.triangles {
            let outside = corners.map(|corner| welded.vertices[usize::from(corner)]);
            let inside = corners.map(|corner| to_body(inner[usize::from(corner)]));
            let named = corners.map(|corner| first + corner);
            self.triangles.push(named);
            self.add_moments(named, &inside);
            let on_surface = |place: DVec3, flat: DVec3| {
                let wall = round.map(|geometry| geometry.queries().surface(place.as_vec3()));
                let (place, area) = wall.map_or((place, flat), |wall| {
                    (wall.point.as_dvec3(), wall.normal.as_dvec3() * flat.length())
                });
                (to_body(place), turn * area)
            };
            let longest = edges(&outside).into_iter().fold(0.0, f64::max) / core;
            let own = parts(longest, spacing, most_parts);
            let [a, b, c] = *corners;
            let open = [(c, b), (a, c), (b, a)].map(|edge| directed.binary_search(&edge).is_err());
            let on = OnSurface { place: &on_surface, touches };
            let at_seams = fine * FINER_AT_SEAMS;
            self.fine.add(named, (&inside, &outside), (own, [fine, at_seams]), open, &on);
            let parts = (coarse, [coarse, coarse.max(FINER_AT_SEAMS)]);
            let is_whole = self.coarse.add(named, (&inside, &outside), parts, open, &on);
            self.is_flat &= is_whole && open == [false; 3];
            self.is_read_everywhere &= is_whole;
        }
    }

    /// Returns the volume enclosed by the triangles with these vertices \[m³\].
    pub(super) fn volume(&self, vertices: &[DVec3]) -> f64 {
        let each = self.triangles.iter().map(|triangle| {
            let [a, b, c] = triangle.map(|corner| vertices[usize::from(corner)]);
            a.dot(b.cross(c)) / 6.0
        });
        each.sum()
    }

    /// Returns the mean slip along the sheet with these strengths, for unit velocities \[1\] and angular
    /// velocities \[m\].
    pub(super) fn slip(&self, strengths: &[Six]) -> Six {
        let area = self.area();
        // Lines of shapes that meet cancel each other.
        let of_triangles = || self.fine.quads.iter().filter(|quad| !quad.is_line());
        let sum = |k: usize| of_triangles().map(|quad| quad.strength(strengths, k).length()).sum::<f64>();
        [0, 1, 2, 3, 4, 5].map(|k| sum(k) / area)
    }

    /// Returns the area of the surface \[m²\].
    pub(super) fn area(&self) -> f64 {
        self.fine.points.iter().map(|point| f64::from(point.area.length())).sum()
    }

    /// Returns the distance of the farthest point from the centre of mass \[m\].
    pub(super) fn reach(&self) -> f64 {
        self.fine.points.iter().map(|point| f64::from(point.place.length())).fold(0.0, f64::max)
    }

    fn add_moments(&mut self, named: [u16; 3], triangle: &TriangleCorners) {
        let area = normal(triangle) * 0.5;
        let sum: DVec3 = triangle.iter().sum();
        for (name, corner) in named.into_iter().zip(triangle) {
            let (linear, angular) = (area / 3.0, ((*corner + sum) / 12.0).cross(area));
            let moments = &mut self.moments[usize::from(name)];
            for (value, part) in moments.iter_mut().zip([linear, angular].iter().flat_map(|v| v.to_array())) {
                *value += part;
            }
        }
    }
}

impl SubdividedTriangles {
    /// Returns the radius of a ball about the centre of mass that encloses all vortons and points \[m\].
    pub(super) fn radius(&self) -> f32 {
        let places =
            self.quads.iter().map(|quad| quad.place).chain(self.points.iter().map(|point| point.place));
        places.map(Vec3::length).fold(0.0, f32::max)
    }

    /// Adds a triangle in parts² parts. Vortons are on the triangle `inside`, points on `outside` where fluid
    /// touches it, in other parts if it does not touch all of it. A vortex line closes the sheet along each
    /// edge that is `open`, opposite to these corners. Returns true if fluid touches all points.
    fn add(
        &mut self,
        corners: [u16; 3],
        (inside, outside): (&TriangleCorners, &TriangleCorners),
        (parts_of_quads, [parts_of_points, parts_at_seams]): (usize, [usize; 2]),
        open: [bool; 3],
        on: &OnSurface<'_>,
    ) -> bool {
        let share = |parts: usize| 0.5 / (parts * parts) as f64;
        let &[a, b, c] = inside;
        let edges = [c - b, a - c, b - a].map(|edge| (edge * share(parts_of_quads)).as_vec3());
        let quads = middles(parts_of_quads);
        self.quads.extend(quads.map(|weights| Quad { place: at(inside, weights).as_vec3(), corners, edges }));
        for (opposite, _) in open.into_iter().enumerate().filter(|(_, is_open)| *is_open) {
            self.add_line(corners, inside, opposite, parts_of_quads);
        }
        let points = |parts: usize| {
            let flat = normal(outside) * share(parts);
            middles(parts).filter_map(move |weights| {
                let (place, area) = (on.place)(at(outside, weights), flat);
                let (place, area, weights) = (place.as_vec3(), area.as_vec3(), weights.as_vec3().to_array());
                (on.touches)(place).then_some(Point { place, area, corners, weights })
            })
        };
        let before = self.points.len();
        self.points.extend(points(parts_of_points));
        let is_whole = self.points.len() - before == parts_of_points * parts_of_points;
        if !is_whole {
            self.points.truncate(before);
            self.points.extend(points(parts_at_seams));
        }
        is_whole
    }

    /// Adds the vortex line along the edge of a triangle that is `opposite` to this corner, in `parts` parts:
    /// with it, the strengths of the triangle have no sum.
    fn add_line(&mut self, corners: [u16; 3], inside: &TriangleCorners, opposite: usize, parts: usize) {
        let [from, to] = [1, 2].map(|next| (opposite + next) % 3);
        let way = inside[to] - inside[from];
        for part in 0..parts {
            let along = (part as f64 + 0.5) / parts as f64;
            let mut edges = [Vec3::ZERO; 3];
            edges[from] = (way * ((1.0 - along) / parts as f64)).as_vec3();
            edges[to] = (way * (along / parts as f64)).as_vec3();
            self.quads.push(Quad { place: (inside[from] + way * along).as_vec3(), corners, edges });
        }
    }
}

/// Where points of triangles are on the surface.
struct OnSurface<'a> {
    /// Converts position \[m\] and area \[m²\] from the plane of the triangle to the surface, body's axes.
    place: &'a dyn Fn(DVec3, DVec3) -> (DVec3, DVec3),
    /// True if fluid touches the surface there.
    touches: &'a dyn Fn(Vec3) -> bool,
}

/// Triangulates solids as finely as the number of vertices permits, with about the same length of edges,
/// without the triangles that fluid touches nowhere; `None` if even the coarsest triangulation has too many
/// vertices.
fn wet_parts(solids: &[Shape], wet: &WetSurface<'_>, core: f64) -> Option<Vec<Welded>> {
    let size = f64::from(ball_around(solids).radius);
    let mut longer: f64 = 1.0;
    for _ in 0..TRIALS {
        let least = (LEAST_VERTICES as f64 / (longer * longer)) as usize;
        let each = solids.iter().enumerate().map(|(own, shape)| {
            let longest_edge = LONGEST_EDGE[usize::from(!is_round(&shape.geometry))] * core * longer;
            let whole = welded(&shape.geometry, &conforming, longest_edge, (least, MOST_VERTICES))?;
            Some(wet.keep(own, whole))
        });
        let parts: Vec<Welded> = each.collect::<Option<_>>()?;
        let vertices: usize = parts.iter().map(|part| part.vertices.len()).sum();
        if vertices <= MOST_VERTICES {
            return (vertices > 0).then_some(parts);
        }
        // Nothing is coarser than edges longer than the body.
        if least == 0 && LONGEST_EDGE[1] * core * longer > 2.0 * size {
            return None;
        }
        longer *= libm::pow(vertices as f64 / MOST_VERTICES as f64, EXPONENT).max(LONGER);
    }
    None
}

/// Returns the most parts of each edge, with which all triangles together have at most `MOST_QUADS` vortons
/// and points.
fn most_parts<'a>(all: impl Iterator<Item = &'a Welded>) -> f64 {
    let triangles: usize = all.map(|one| one.triangles.len()).sum();
    libm::floor(libm::sqrt(MOST_QUADS / triangles as f64))
}

fn is_round(geometry: &Geometry) -> bool {
    matches!(geometry, Geometry::Sphere(_) | Geometry::Capsule(_))
}

/// Returns the positions of the vertices of a solid's sheet.
fn below_surface(shape: &Shape, welded: &Welded, core: f64) -> Vec<DVec3> {
    if !is_round(&shape.geometry) {
        return welded.vertices.clone();
    }
    let geometry = shape.geometry.queries();
    let inset = (INSET * core).min(MOST_INSET * f64::from(geometry.inscribed_sphere().1));
    let below = |&vertex: &DVec3| vertex - geometry.surface(vertex.as_vec3()).normal.as_dvec3() * inset;
    welded.vertices.iter().map(below).collect()
}

/// Returns the positions of the vertices of a hole's sheet: `outset` \[m\] behind each wall that meets
/// there.
fn behind_walls(geometry: &Geometry, welded: &Welded, outset: f64) -> Vec<DVec3> {
    if is_round(geometry) {
        let behind = |&vertex: &DVec3| {
            vertex + geometry.queries().surface(vertex.as_vec3()).normal.as_dvec3() * outset
        };
        return welded.vertices.iter().map(behind).collect();
    }
    let size = welded.vertices.iter().map(|vertex| vertex.abs().max_element()).fold(0.0, f64::max);
    let planes: Vec<(DVec3, f64)> = welded
        .triangles
        .iter()
        .map(|triangle| {
            let corners = triangle.map(|corner| welded.vertices[usize::from(corner)]);
            let normal = normal(&corners).normalize_or_zero();
            (normal, normal.dot(corners[0]))
        })
        .collect();
    let behind = |&vertex: &DVec3| {
        let touch = |(normal, offset): &&(DVec3, f64)| (normal.dot(vertex) - offset).abs() <= TOUCHING * size;
        let walls: Vec<DVec3> = planes.iter().filter(touch).map(|(normal, _)| *normal).collect();
        let mut way = DVec3::ZERO;
        for _ in 0..INSET_ITERATIONS {
            let before = way;
            for normal in &walls {
                let missing = outset - normal.dot(way);
                if missing > 0.0 {
                    way += *normal * missing;
                }
            }
            if way == before {
                break;
            }
        }
        vertex + way.clamp_length_max(MOST_OUTSET * outset)
    };
    welded.vertices.iter().map(behind).collect()
}

/// Returns the unit normal times twice the area.
fn normal([a, b, c]: &TriangleCorners) -> DVec3 {
    (b - a).cross(c - a)
}

/// Returns the number of parts of each edge with which no part of the `longest` edge is longer than
/// `spacing`, at most `most`.
fn parts(longest: f64, spacing: f64, most: f64) -> usize {
    // NaN becomes 1.
    libm::ceil(longest / spacing).min(most).max(1.0) as usize
}

#[cfg(test)]
mod tests {
    use super::super::READ_POINTS;
    use super::*;
    use crate::pose::Pose;
    use crate::shapes::{Capsule, Cuboid, Parity, Polytope, Sphere};
    use glam::Quat;

    fn shapes() -> [Shape; 4] {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        [
            Geometry::Sphere(Sphere { radius: 0.5 }),
            Geometry::Capsule(Capsule { half_height: 0.4, radius: 0.3 }),
            Geometry::Cuboid(Cuboid { half_extents: Vec3::new(0.5, 0.25, 0.25) }),
            Geometry::Polytope(Polytope::from_points(&corners).expect("a tetrahedron")),
        ]
        .map(|geometry| {
            let rotation = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.7);
            let pose = Pose { position: Vec3::new(0.1, 0.2, -0.3), rotation };
            Shape { geometry, pose, parity: Parity::Solid }
        })
    }

    /// Returns the position and strength of each vorton for these strengths of the sheet.
    fn vortons<'a>(panels: &'a Panels, strength: &'a [f64]) -> impl Iterator<Item = (DVec3, DVec3)> + 'a {
        panels.fine.quads.iter().map(|quad| {
            let parts = quad.corners.iter().zip(quad.edges);
            let sum = parts.map(|(&corner, edge)| edge.as_dvec3() * strength[usize::from(corner)]);
            (quad.place.as_dvec3(), sum.sum())
        })
    }

    #[test]
    fn surfaces_are_closed_and_of_the_right_size() {
        for shape in shapes() {
            let panels = Panels::of(std::slice::from_ref(&shape), 0.12).expect("a sheet");
            let n = panels.moments.len();
            assert!((LEAST_VERTICES..=MOST_VERTICES).contains(&n), "{n} vertices");
            // Euler's formula for a closed surface; all triangles have the same number of points.
            let triangles = 2 * n - 4;
            let SubdividedTriangles { quads, points } = &panels.fine;
            assert!(points.len() <= READ_POINTS && points.len() % triangles == 0, "{shape:?}");
            assert!((triangles..=points.len()).contains(&quads.len()), "{shape:?}");
            let whole: DVec3 = panels.fine.points.iter().map(|point| point.area.as_dvec3()).sum();
            let area: f64 = panels.fine.points.iter().map(|point| f64::from(point.area.length())).sum();
            let exact = shape.geometry.queries().area();
            assert!(whole.length() < 1e-5 * area, "{whole}");
            assert!((area / exact - 1.0).abs() < 0.06, "{area} or {exact}");
            // The divergence theorem: x · n over the surface is three times the volume.
            let x_n = |point: &Point| f64::from(point.place.dot(point.area));
            let volume = panels.fine.points.iter().map(x_n).sum::<f64>() / 3.0;
            let exact = shape.geometry.queries().mass_properties().volume;
            assert!((volume / exact - 1.0).abs() < 0.06, "{volume} or {exact}");
        }
    }

    /// Bodies of two shapes each: that touch, overlap, and are apart.
    fn pairs() -> Vec<[Shape; 2]> {
        let cube = |x: f32, y: f32| {
            let mut cube = Shape::cuboid(Vec3::splat(0.25));
            cube.pose.position = Vec3::new(x, y, 0.0);
            cube
        };
        let mut ball = Shape::sphere(0.3);
        ball.pose.position = Vec3::new(0.3, 0.05, 0.0);
        vec![
            [cube(-0.25, 0.0), cube(0.25, 0.0)],
            [cube(-0.2, 0.1), cube(0.25, 0.0)],
            [ball.clone(), cube(0.0, 0.0)],
            [ball.clone(), Shape::sphere(0.3)],
            [ball, cube(-2.0, 0.0)],
        ]
    }

    #[test]
    fn any_strengths_have_no_sum_and_the_impulse_of_their_moments() {
        let all = shapes().map(|shape| vec![shape]).into_iter().chain(pairs().into_iter().map(Vec::from));
        for shapes in all {
            let panels = Panels::of(&shapes, 0.12).expect("a sheet");
            let (quads, points) = (panels.fine.quads.len(), panels.fine.points.len());
            println!("{} vertices, {quads} vortons, {points} points", panels.moments.len());
            assert!(panels.moments.len() <= MOST_VERTICES && quads <= 2 * READ_POINTS);
            let random = fluid_core::math::Random::new(7);
            let strength: Vec<f64> =
                (0..panels.moments.len()).map(|i| f64::from(random.unit(i as u64)) - 0.5).collect();
            let (mut sum, mut impulse, mut size) = (DVec3::ZERO, DVec3::ZERO, 0.0);
            for (place, vorton) in vortons(&panels, &strength) {
                sum += vorton;
                impulse += 0.5 * place.cross(vorton);
                size += vorton.length();
            }
            let of_moments = panels.moments.iter().zip(&strength).fold(DVec3::ZERO, |sum, (moments, mu)| {
                sum + DVec3::new(moments[0], moments[1], moments[2]) * *mu
            });
            assert!(sum.length() < 1e-6 * size, "{sum}");
            assert!((impulse - of_moments).length() < 1e-6 * size, "{impulse} or {of_moments}");
        }
    }
}
