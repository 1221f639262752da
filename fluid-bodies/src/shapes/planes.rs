//! Corners of the intersection of half-spaces: each corner is a face of the hull of the planes' dual
//! points.

use super::PolytopeError;
use super::hull::convex_hull;
use glam::{DMat3, DMat4, DVec3, DVec4};

/// Minimum depth of the origin in the hull of the unit normals; below it, the intersection counts as not
/// bounded, because it would be a needle about 1/`BOUNDED` times longer than wide.
const BOUNDED: f64 = 1e-6;

/// Direction, unrelated to the planes, that selects the deepest point where several are equally deep. It is
/// so short that it hardly reduces the depth.
const TIE_BREAK: DVec3 = DVec3::new(3.1e-8, 5.9e-8, 7.4e-8);

/// Limit on pivots to the deepest point, never reached: their number is about that of the planes.
const MAX_PIVOTS: usize = 100_000;

/// Returns the corners of the intersection of `normal · x <= offset` over all planes, with unit normals. A
/// corner where more than three planes meet is listed several times.
pub(super) fn corners(planes: &[(DVec3, f64)]) -> Result<Vec<DVec3>, PolytopeError> {
    let (centre, depth) = deepest(planes)?;
    if depth <= f64::from(f32::EPSILON) * centre.abs().max_element() {
        return Err(PolytopeError::Empty);
    }
    let offsets: Vec<f64> = planes.iter().map(|&(normal, offset)| offset - normal.dot(centre)).collect();
    // In units of the depth: the dual points of more distant planes approach 0.
    let dual: Vec<DVec3> =
        planes.iter().zip(&offsets).map(|(&(normal, _), &at)| normal * (depth / at)).collect();
    let hull = convex_hull(&dual, 0.0).ok_or(PolytopeError::NotBounded)?;
    let corner = |triangle: [u32; 3]| {
        let [a, b, c] = triangle.map(|plane| planes[plane as usize].0);
        let [i, j, k] = triangle.map(|plane| offsets[plane as usize]);
        // Cramer's rule for the point where three planes meet.
        centre + (b.cross(c) * i + c.cross(a) * j + a.cross(b) * k) / a.dot(b.cross(c))
    };
    let corners: Vec<DVec3> = hull.into_iter().map(corner).collect();
    if corners.iter().all(|corner| corner.is_finite()) { Ok(corners) } else { Err(PolytopeError::NotBounded) }
}

/// Returns the deepest point of the intersection, and its depth (centre and radius of the largest inscribed
/// ball).
///
/// Maximises r subject to normal · x + r <= offset for all planes, by the simplex method on the dual
/// problem: four planes at a time, with weights λ > 0, Σ λ = 1, Σ λ normal = 0. The point equally deep
/// under all four is the deepest, unless another plane is nearer.
fn deepest(planes: &[(DVec3, f64)]) -> Result<(DVec3, f64), PolytopeError> {
    let column = |plane: usize| planes[plane].0.extend(1.0);
    let mut basis = around_origin(planes).ok_or(PolytopeError::NotBounded)?;
    for _ in 0..MAX_PIVOTS {
        let [a, b, c, d] = basis.map(column);
        let inverse = DMat4::from_cols(a, b, c, d).inverse();
        let offsets = DVec4::from_array(basis.map(|plane| planes[plane].1));
        let place = inverse.transpose() * offsets;
        if !place.is_finite() {
            return Err(PolytopeError::Empty);
        }
        let noise = 1e-13 * place.abs().max_element();
        let slack = |plane: usize| planes[plane].1 - column(plane).dot(place);
        let nearest =
            (0..planes.len()).filter(|plane| !basis.contains(plane)).map(|plane| (slack(plane), plane));
        let nearest = nearest.reduce(|best, one| if one.0 < best.0 { one } else { best });
        let Some((_, entering)) =
            nearest.filter(|&(slack, plane)| slack < -(noise + 1e-13 * planes[plane].1.abs()))
        else {
            return Ok((place.truncate(), place.w));
        };
        let weights = (inverse * TIE_BREAK.extend(1.0)).to_array();
        let rates = (inverse * column(entering)).to_array();
        let ratios =
            (0..4).filter(|&row| rates[row] > 1e-13).map(|row| (weights[row].max(0.0) / rates[row], row));
        let Some((_, leaving)) = ratios.reduce(|best, one| if one.0 < best.0 { one } else { best }) else {
            return Err(PolytopeError::Empty);
        };
        basis[leaving] = entering;
    }
    Err(PolytopeError::Empty)
}

/// Returns four planes with unit normals that are the corners of a tetrahedron around the origin; `None` if
/// the normals leave a half-space free.
fn around_origin(planes: &[(DVec3, f64)]) -> Option<[usize; 4]> {
    let normals: Vec<DVec3> = planes.iter().map(|&(normal, _)| normal).collect();
    let hull = convex_hull(&normals, BOUNDED)?;
    let triangle = |[a, b, c]: [u32; 3]| [a, b, c].map(|index| normals[index as usize]);
    let inside = hull.iter().all(|&corners| {
        let [a, b, c] = triangle(corners);
        let across = (b - a).cross(c - a);
        across.dot(a) > BOUNDED * across.length()
    });
    if !inside {
        return None;
    }
    // The ray from one corner through the origin leaves the hull through a triangle, which together with
    // that corner forms the tetrahedron.
    let first = hull[0][0];
    let way = TIE_BREAK - normals[first as usize];
    let share_inside = |corners: [u32; 3]| {
        let [a, b, c] = triangle(corners);
        let shares = DMat3::from_cols(
            a - normals[first as usize],
            b - normals[first as usize],
            c - normals[first as usize],
        )
        .inverse()
            * way;
        shares.min_element()
    };
    let others = hull.iter().filter(|corners| !corners.contains(&first));
    let shares =
        others.map(|&corners| (share_inside(corners), corners)).filter(|(share, _)| share.is_finite());
    let (_, [a, b, c]) = shares.reduce(|best, one| if one.0 > best.0 { one } else { best })?;
    Some([first, a, b, c].map(|index| index as usize))
}
