//! Triangles of a surface with shared vertices.

use crate::shapes::Geometry;
use crate::surface::TriangleCorners;
use glam::DVec3;

/// Distance within which corners are merged into one vertex, relative to the shape's size \[1\].
const SAME: f64 = 1e-6;

/// Triangles with merged vertices.
pub(super) struct Welded {
    pub(super) vertices: Vec<DVec3>,
    pub(super) triangles: Vec<[u16; 3]>,
}

impl Welded {
    /// Returns the length of the longest edge \[m\].
    pub(super) fn longest_edge(&self) -> f64 {
        let corners = |triangle: &[u16; 3]| triangle.map(|corner| self.vertices[usize::from(corner)]);
        self.triangles.iter().map(corners).flat_map(|t| edges(&t)).fold(0.0, f64::max)
    }

    /// Returns all edges in the direction of their triangle, sorted.
    pub(super) fn directed_edges(&self) -> Vec<(u16, u16)> {
        let mut all: Vec<_> = self.triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]).collect();
        all.sort_unstable();
        all
    }
}

/// Triangulates the surface of a shape, with edges as short as the number of vertices permits; `None` if
/// even the coarsest triangulation has too many vertices.
pub(super) fn welded(
    geometry: &Geometry,
    surface: &dyn Fn(&Geometry, usize) -> Vec<TriangleCorners>,
    longest_edge: f64,
    (least_vertices, most_vertices): (usize, usize),
) -> Option<Welded> {
    let mut finest = Vec::new();
    for fineness in 1.. {
        let triangles = surface(geometry, fineness);
        // For a closed surface without handles (Euler).
        if triangles.len() / 2 + 2 > most_vertices {
            break;
        }
        let longest = triangles.iter().flat_map(edges).fold(0.0, f64::max);
        finest = triangles;
        if longest <= longest_edge {
            let welded = weld(&finest);
            if welded.vertices.len() >= least_vertices {
                return Some(welded).filter(|welded| welded.vertices.len() <= most_vertices);
            }
        }
    }
    let welded = weld(&finest);
    (!finest.is_empty() && welded.vertices.len() <= most_vertices).then_some(welded)
}

pub(super) fn edges([a, b, c]: &TriangleCorners) -> [f64; 3] {
    [a.distance(*b), b.distance(*c), c.distance(*a)]
}

fn weld(triangles: &[TriangleCorners]) -> Welded {
    let size = triangles.iter().flatten().map(|corner| corner.abs().max_element()).fold(0.0, f64::max);
    let mut vertices: Vec<DVec3> = Vec::new();
    let nearest = (SAME * size) * (SAME * size);
    let mut number = |corner: DVec3| {
        let known = vertices.iter().position(|vertex| vertex.distance_squared(corner) <= nearest);
        known.unwrap_or_else(|| {
            vertices.push(corner);
            vertices.len() - 1
        }) as u16
    };
    let triangles = triangles.iter().map(|triangle| triangle.map(&mut number)).collect();
    Welded { vertices, triangles }
}
