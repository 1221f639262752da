//! Exact convex hull of points: each decision is the sign of a determinant computed without error.

use glam::DVec3;
use robust::{Coord3D, orient3d};

/// Corners of a hull's triangle, counterclockwise as seen from outside.
pub(super) type TriangleIndices = [u32; 3];

/// Returns the unit normal times twice the area.
pub(super) fn normal_of(points: &[DVec3], [a, b, c]: TriangleIndices) -> DVec3 {
    let [a, b, c] = [a, b, c].map(|corner| points[corner as usize]);
    (b - a).cross(c - a)
}

/// Returns the triangles of the hull, with an arbitrary triangulation of coplanar parts; points in a face,
/// on an edge or repeated are left out. `None` if all points are within `thickness` of a plane through
/// three of them.
///
/// Points are added one by one: a cone to the new point replaces the triangles visible from it (Kallay's
/// beneath-beyond). Exact signs guarantee that the visible part is a disc for any input.
pub(super) fn convex_hull(points: &[DVec3], thickness: f64) -> Option<Vec<TriangleIndices>> {
    let first = first_tetrahedron(points, thickness)?;
    let [a, b, c, d] = first;
    let mut hull = vec![[a, b, c], [a, c, d], [a, d, b], [b, d, c]];
    if sees(points, hull[0], d) {
        for triangle in &mut hull {
            triangle.swap(1, 2);
        }
    }
    let mut rim = Vec::new();
    for point in (0..points.len() as u32).filter(|point| !first.contains(point)) {
        rim.clear();
        hull.retain(|&triangle| {
            let seen = sees(points, triangle, point);
            if seen {
                rim.extend(edges(triangle));
            }
            !seen
        });
        rim.sort_unstable();
        let outer = |&(from, to): &(u32, u32)| rim.binary_search(&(to, from)).is_err();
        hull.extend(rim.iter().copied().filter(outer).map(|(from, to)| [from, to, point]));
    }
    Some(hull)
}

/// Returns the three edges of a triangle, in order.
pub(super) fn edges([a, b, c]: TriangleIndices) -> [(u32, u32); 3] {
    [(a, b), (b, c), (c, a)]
}

fn sees(points: &[DVec3], triangle: TriangleIndices, point: u32) -> bool {
    turn(points, triangle, point) < 0.0
}

/// Returns a negative value if `point` is above, positive if it is below, 0 if it is exactly in the plane.
fn turn(points: &[DVec3], triangle: TriangleIndices, point: u32) -> f64 {
    let coordinates = |index: u32| {
        let DVec3 { x, y, z } = points[index as usize];
        Coord3D { x, y, z }
    };
    let [a, b, c] = triangle.map(coordinates);
    orient3d(a, b, c, coordinates(point))
}

fn first_tetrahedron(points: &[DVec3], thickness: f64) -> Option<[u32; 4]> {
    let farthest = |distance: &dyn Fn(DVec3) -> f64| {
        let all = points.iter().map(|&point| distance(point)).enumerate();
        all.reduce(|best, one| if one.1 > best.1 { one } else { best })
            .map(|(index, distance)| (index as u32, distance))
    };
    let at = |index: u32| points[index as usize];
    let start = *points.first()?;
    let (a, _) = farthest(&|point| point.distance(start))?;
    let (b, length) = farthest(&|point| point.distance(at(a)))?;
    let line = (at(b) - at(a)) / length;
    let (c, width) = farthest(&|point| (point - at(a)).cross(line).length())?;
    // Rounding errors of a zero width have no direction.
    if width <= thickness.max(1e-12 * length) {
        return None;
    }
    let normal = line.cross(at(c) - at(a)) / width;
    let (d, depth) = farthest(&|point| (point - at(a)).dot(normal).abs())?;
    (depth > thickness && turn(points, [a, b, c], d) != 0.0).then_some([a, b, c, d])
}
