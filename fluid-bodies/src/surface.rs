//! Triangulated surfaces of shapes, and of unions of overlapping shapes, at any fineness.

use crate::ball::{Ball, ball_around};
use crate::shapes::{Capsule, Cuboid, Cylinder, Geometry, Parity, Polytope, Shape};
use glam::{DMat3, DVec2, DVec3, Vec3};
use std::f64::consts::TAU;

/// Corners, counterclockwise as seen from the fluid.
pub(crate) type TriangleCorners = [DVec3; 3];

/// Least number of triangles of a polytope's surface at fineness 1 \[1\].
const LEAST_TRIANGLES: usize = 16;
/// Most triangles of a box at fineness 1 \[1\].
const MOST_OF_BOX: usize = 32;
/// Number of triangles up to which a polytope's faces are divided around their centres \[1\].
const MOST_FANNED: usize = 120;
/// Cells of a box are divided until the ratio of the longest to the shortest edge is below this \[1\].
const SQUARE: f64 = 1.4;
/// Faces with four corners are divided at the corner that is farthest in this direction, which is not that of
/// any box.
const FIRST: DVec3 = DVec3::new(0.31, 0.59, 0.74);
/// Distance from another part within which a point counts as on its surface, relative to the radius of the
/// bounding sphere of all parts \[1\]: shapes are known to f32.
const ON_SURFACE: f32 = 1e-5;

/// Sides of the coarsest prism that approximates a cylinder \[1\].
const SIDES: usize = 6;
/// Most squares along one side \[1\].
const MOST_ALONG: f64 = 6.0;

/// Sides of the prism around a cylinder \[1\]: its edges are .9 % of the radius outside.
const SIDES_OF_PRISM: usize = 24;
/// Number of edges along the rim, and the most along rings inside of it, relative to that of edges as short
/// as required \[1\]: with 1 along the rim, tall cylinders would have twice as many vertices or none.
const LONGER_ALONG_RIM: f64 = 0.6;
const FULLER: f64 = 1.4;

/// Returns the surface in the shape's own coordinates: edges of fineness 1 are divided into `fineness` parts
/// each, and round parts have `fineness` times as many.
pub(crate) fn of_geometry(geometry: &Geometry, fineness: usize) -> Vec<TriangleCorners> {
    match geometry {
        Geometry::Sphere(sphere) => of_capsule(0.0, sphere.radius.into(), fineness),
        Geometry::Capsule(Capsule { half_height, radius }) => {
            of_capsule((*half_height).into(), (*radius).into(), fineness)
        }
        Geometry::Cylinder(Cylinder { half_height, radius }) => {
            of_cylinder((*half_height).into(), (*radius).into(), fineness)
        }
        Geometry::Cuboid(shape) => of_box(shape, fineness),
        Geometry::Polytope(shape) => {
            let triangles = of_polytope(shape);
            triangles.into_iter().flat_map(|triangle| divided(triangle, fineness)).collect()
        }
        Geometry::HalfSpace(_) | Geometry::Mesh(_) | Geometry::HeightField(_) => Vec::new(),
    }
}

/// Returns a conforming surface: no vertex is inside an edge, neighbours share whole edges. Boxes have
/// smaller triangles at their edges, where the direction of the potential flow changes fastest.
pub(crate) fn conforming(geometry: &Geometry, fineness: usize) -> Vec<TriangleCorners> {
    match geometry {
        Geometry::Cuboid(shape) => {
            let reach = shape.half_extents.as_dvec3();
            let graded = |corner: DVec3| {
                DVec3::from_array(
                    [0, 1, 2].map(|axis| reach[axis] * libm::sin(0.25 * TAU * corner[axis] / reach[axis])),
                )
            };
            of_box(shape, fineness).into_iter().map(|triangle| triangle.map(graded)).collect()
        }
        Geometry::Polytope(shape) => {
            let triangles = shape.triangles();
            if triangles.len() > MOST_FANNED {
                return conforming_evenly(geometry, fineness);
            }
            let corners: Vec<DVec3> = shape.corners().map(Vec3::as_dvec3).collect();
            let faces = (0..shape.planes().len()).map(|face| &triangles[shape.face(face)]);
            let fans = faces.flat_map(|face| {
                let centroid = centroid(face.iter().map(|triangle| triangle.map(|c| corners[c as usize])));
                rim(face).into_iter().map(move |(a, b)| (centroid, a, b)).collect::<Vec<_>>()
            });
            fans.flat_map(|(centre, a, b)| {
                graded([centre, corners[a as usize], corners[b as usize]], fineness)
            })
            .collect()
        }
        Geometry::Sphere(_)
        | Geometry::Capsule(_)
        | Geometry::Cylinder(_)
        | Geometry::HalfSpace(_)
        | Geometry::Mesh(_)
        | Geometry::HeightField(_) => of_geometry(geometry, fineness),
    }
}

/// Returns a conforming surface for walls around fluid: flow does not go round their edges, so triangles are
/// even. Cylinders get the surface of [`prism_around`].
pub(crate) fn conforming_evenly(geometry: &Geometry, fineness: usize) -> Vec<TriangleCorners> {
    match geometry {
        Geometry::Polytope(shape) => {
            faces_of_polytope(shape).into_iter().flat_map(|triangle| divided(triangle, fineness)).collect()
        }
        Geometry::Cylinder(shape) => of_prism_around(shape, fineness),
        _ => of_geometry(geometry, fineness),
    }
}

/// Returns `parts`² triangles between the centre of a face and one of its edges, smaller at edges and
/// corners.
fn graded([centre, a, b]: TriangleCorners, parts: usize) -> impl Iterator<Item = TriangleCorners> {
    let place = move |weights: DVec3| {
        let reach = 1.0 - weights.x;
        if reach <= 0.0 {
            return centre;
        }
        let along = 0.5 * (1.0 - libm::cos(0.5 * TAU * weights.z / reach));
        centre + (a - centre + (b - a) * along) * libm::sin(0.25 * TAU * reach)
    };
    divided([DVec3::X, DVec3::Y, DVec3::Z], parts).map(move |triangle| triangle.map(place))
}

/// Returns the surface of the union of all parts, in the axes of the body, without the surface inside other
/// parts and with only one of two coincident walls; triangles are finer along intersections.
pub(crate) fn of_union(shapes: &[Shape], ball: Ball, fineness: usize) -> Vec<TriangleCorners> {
    let margin = margin_of(ball);
    let mut kept = Vec::new();
    for own in 0..shapes.len() {
        let are_wet =
            |one: &TriangleCorners| nodes(one).map(|node| is_wet(shapes, own, node.as_vec3(), margin));
        for triangle in in_body(&shapes[own], fineness) {
            match are_wet(&triangle) {
                [true, true, true] => kept.push(triangle),
                [false, false, false] => {}
                _ => kept.extend(divided(triangle, 2).filter(|part| are_wet(part) == [true; 3])),
            }
        }
    }
    kept
}

/// True for each shape of a body without holes that displaces nothing by itself: it is inside of others, or
/// coincides with an earlier one.
pub(crate) fn hidden(shapes: &[Shape]) -> Vec<bool> {
    let is_solid =
        |shape: &Shape| shape.parity == Parity::Solid && !shape.is_level() && !shape.is_half_space();
    if !(2..=MOST_COMPARED).contains(&shapes.len()) || !shapes.iter().all(is_solid) {
        return vec![false; shapes.len()];
    }
    let margin = margin_of(ball_around(shapes));
    let is_hidden = |own: usize| {
        let mut nodes = in_body(&shapes[own], PARTS_OF_EDGE).flat_map(|triangle| nodes(&triangle));
        nodes.all(|node| !is_wet(shapes, own, node.as_vec3(), margin))
    };
    let hidden: Vec<_> = (0..shapes.len()).map(is_hidden).collect();
    // Some of them have the surface, whatever rounding says.
    if hidden.contains(&false) { hidden } else { vec![false; shapes.len()] }
}

/// Most shapes that are compared with each other \[1\]: that takes the square of their number.
const MOST_COMPARED: usize = 64;

/// Fineness at which [`hidden`] looks at a surface.
const PARTS_OF_EDGE: usize = 3;

/// Returns the distance \[m\] within which points count as on a surface of shapes within this sphere.
pub(crate) fn margin_of(ball: Ball) -> f32 {
    ON_SURFACE * ball.radius + 4.0 * f32::EPSILON * ball.centre.abs().max_element()
}

/// Returns the surface of a shape in the axes of its body.
fn in_body(shape: &Shape, fineness: usize) -> impl Iterator<Item = TriangleCorners> {
    let turn = DMat3::from_quat(shape.pose.rotation.as_dquat().normalize());
    let position = shape.pose.position.as_dvec3();
    let place = move |corner: DVec3| position + turn * corner;
    of_geometry(&shape.geometry, fineness).into_iter().map(move |triangle| triangle.map(place))
}

/// True if fluid is in front of the surface of shape `own` at its point nearest to `place`.
fn is_wet(shapes: &[Shape], own: usize, place: Vec3, margin: f32) -> bool {
    is_wet_among(shapes, own, 0..shapes.len(), place, margin)
}

/// The same, if no shapes but these `near` the own one touch it.
pub(crate) fn is_wet_among(
    shapes: &[Shape],
    own: usize,
    near: impl IntoIterator<Item = usize>,
    place: Vec3,
    margin: f32,
) -> bool {
    // Triangles of round shapes are off the surface.
    let wall = shapes[own].surface(place);
    near.into_iter().filter(|&other| other != own).all(|other| {
        let surface = shapes[other].surface(wall.point);
        if surface.distance.abs() > margin {
            return surface.distance > 0.0;
        }
        // Walls against each other are both dry; of two that are flush, the first counts.
        own < other && surface.normal.dot(wall.normal) > 0.0
    })
}

/// Returns the points at which a triangle is tested for being inside another part.
fn nodes(triangle: &TriangleCorners) -> [DVec3; 3] {
    let sum: DVec3 = triangle.iter().sum();
    triangle.map(|corner| (corner * 3.0 + sum) / 6.0)
}

/// Divides a triangle into `parts`² equal triangles.
pub(crate) fn divided([a, b, c]: TriangleCorners, parts: usize) -> impl Iterator<Item = TriangleCorners> {
    let share = move |n: usize| n as f64 / parts as f64;
    let at = move |i: usize, j: usize| a + (b - a) * share(i) + (c - a) * share(j);
    (0..parts).flat_map(move |i| {
        (0..parts - i).flat_map(move |j| {
            let upright = [at(i, j), at(i + 1, j), at(i, j + 1)];
            let other = (i + j + 2 <= parts).then(|| [at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
            std::iter::once(upright).chain(other)
        })
    })
}

/// Returns the faces, with the longest edges halved until there are enough triangles.
fn of_polytope(shape: &Polytope) -> Vec<TriangleCorners> {
    let mut triangles = faces_of_polytope(shape);
    while triangles.len() < LEAST_TRIANGLES {
        let lengths = triangles.iter().map(longest_edge);
        let Some((row, (from, _))) =
            lengths.enumerate().reduce(|best, one| if one.1.1 > best.1.1 { one } else { best })
        else {
            break;
        };
        let [a, b, c] = [0, 1, 2].map(|n| triangles[row][(from + n) % 3]);
        let middle = (a + b) * 0.5;
        triangles[row] = [a, middle, c];
        triangles.push([middle, b, c]);
    }
    triangles
}

fn faces_of_polytope(shape: &Polytope) -> Vec<TriangleCorners> {
    let corners: Vec<DVec3> = shape.corners().map(Vec3::as_dvec3).collect();
    let faces = 0..shape.planes().len();
    faces.flat_map(|face| of_face(&corners, &shape.triangles()[shape.face(face)])).collect()
}

/// Divides a face into triangles: a fan around a corner, or around the centroid for more than four corners.
/// Two faces of a plate with the same outline get matching triangles, whatever those of the polytope are;
/// otherwise the potential, which is nearly opposite on both, could not be represented.
fn of_face(corners: &[DVec3], triangles: &[[u32; 3]]) -> Vec<TriangleCorners> {
    let at = |corner: u32| corners[corner as usize];
    let rim = rim(triangles);
    if rim.len() > 4 {
        let centroid = centroid(triangles.iter().map(|triangle| triangle.map(at)));
        return rim.into_iter().map(|(a, b)| [centroid, at(a), at(b)]).collect();
    }
    let first = |best: u32, one: u32| if at(one).dot(FIRST) > at(best).dot(FIRST) { one } else { best };
    let Some(apex) = rim.iter().map(|&(a, _)| a).reduce(first) else { return Vec::new() };
    let others = rim.iter().filter(|&&(a, b)| a != apex && b != apex);
    others.map(|&(a, b)| [at(apex), at(a), at(b)]).collect()
}

/// Returns the boundary edges of a face, which belong to only one of its triangles.
fn rim(triangles: &[[u32; 3]]) -> Vec<(u32, u32)> {
    let edges = |&[a, b, c]: &[u32; 3]| [(a, b), (b, c), (c, a)];
    let inner = |(a, b): (u32, u32)| triangles.iter().any(|other| edges(other).contains(&(b, a)));
    triangles.iter().flat_map(edges).filter(|&edge| !inner(edge)).collect()
}

/// Returns the centroid of triangles in one plane.
fn centroid(triangles: impl Iterator<Item = TriangleCorners> + Clone) -> DVec3 {
    let area = |triangle: &TriangleCorners| normal(triangle).length();
    let moment = |triangle: TriangleCorners| triangle.iter().sum::<DVec3>() * area(&triangle);
    let areas: f64 = triangles.clone().map(|triangle| area(&triangle)).sum();
    triangles.map(moment).sum::<DVec3>() / (3.0 * areas)
}

/// Returns twice the area, times the unit normal.
fn normal([a, b, c]: &TriangleCorners) -> DVec3 {
    (b - a).cross(c - a)
}

/// Returns the corner at which the longest edge begins, and its length squared.
fn longest_edge(triangle: &TriangleCorners) -> (usize, f64) {
    let length = |from: usize| triangle[from].distance_squared(triangle[(from + 1) % 3]);
    let longer = |best: (usize, f64), from| if length(from) > best.1 { (from, length(from)) } else { best };
    (1..3).fold((0, length(0)), longer)
}

/// Returns the cells along the axes of a box at fineness 1: nearly square, as far as the number of triangles
/// permits.
fn cells_of_box(half_extents: DVec3) -> [usize; 3] {
    let mut cells = [1, 1, 1];
    loop {
        let size = |axis: usize| half_extents[axis] / cells[axis] as f64;
        let longest = (1..3).fold(0, |best, axis| if size(axis) > size(best) { axis } else { best });
        let shortest = size(0).min(size(1)).min(size(2));
        let mut next = cells;
        next[longest] += 1;
        let triangles = 4 * (next[0] * next[1] + next[1] * next[2] + next[2] * next[0]);
        if triangles > MOST_OF_BOX || size(longest) < SQUARE * shortest {
            return cells;
        }
        cells = next;
    }
}

fn of_box(shape: &Cuboid, fineness: usize) -> Vec<TriangleCorners> {
    let reach = shape.half_extents.as_dvec3();
    let cells = cells_of_box(reach).map(|cells| cells * fineness);
    let mut triangles = Vec::new();
    for axis in 0..3 {
        let (across, up) = ((axis + 1) % 3, (axis + 2) % 3);
        for side in [-1.0, 1.0] {
            let at = |i: usize, j: usize| {
                let mut place = DVec3::ZERO;
                place[axis] = side * reach[axis];
                place[across] = reach[across] * (2.0 * i as f64 / cells[across] as f64 - 1.0);
                place[up] = reach[up] * (2.0 * j as f64 / cells[up] as f64 - 1.0);
                place
            };
            for (i, j) in (0..cells[across]).flat_map(|i| (0..cells[up]).map(move |j| (i, j))) {
                let mut corners = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                if side < 0.0 {
                    corners.reverse();
                }
                triangles.extend(halved(corners, (i + j) % 2 == 0));
            }
        }
    }
    triangles
}

/// Halves a quadrilateral along one diagonal or the other.
fn halved([a, b, c, d]: [DVec3; 4], from_first: bool) -> [TriangleCorners; 2] {
    if from_first { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
}

/// Builds rings of points, widened so that the solid between them has the capsule's volume.
fn of_capsule(half_height: f64, radius: f64, fineness: usize) -> Vec<TriangleCorners> {
    let around = 4 * fineness;
    let widen = widening(half_height / radius, fineness);
    let mut rings: Vec<(f64, f64)> = Vec::new();
    for ring in 0..=fineness {
        let (sine, cosine) = libm::sincos(0.25 * TAU * ring as f64 / fineness as f64);
        rings.push((-half_height - radius * widen * cosine, radius * widen * sine));
    }
    if half_height > 0.0 {
        let parts = 2 * fineness;
        let along = |part: usize| half_height * (2.0 * part as f64 / parts as f64 - 1.0);
        rings.extend((1..parts).map(|part| (along(part), radius * widen)));
        rings.push((half_height, radius * widen));
    }
    for ring in (0..fineness).rev() {
        let (height, radius) = rings[ring];
        rings.push((-height, radius));
    }
    between_rings(&rings, around)
}

/// Builds a prism with edges along its sides about as long as those on its ends, widened to the cylinder's
/// volume.
fn of_cylinder(half_height: f64, radius: f64, fineness: usize) -> Vec<TriangleCorners> {
    let around = SIDES * fineness;
    let angle = TAU / around as f64;
    let radius = radius * libm::sqrt(angle / libm::sin(angle));
    let edge = radius * libm::sin(0.5 * TAU / SIDES as f64) * 2.0;
    let parts = fineness * (libm::round(2.0 * half_height / edge).clamp(1.0, MOST_ALONG) as usize);
    let share = |part: usize, parts: usize| part as f64 / parts as f64;
    let mut rings: Vec<(f64, f64)> = Vec::new();
    rings.extend((0..fineness).map(|ring| (-half_height, radius * share(ring, fineness))));
    rings.extend((0..=parts).map(|part| (half_height * (2.0 * share(part, parts) - 1.0), radius)));
    rings.extend((0..fineness).rev().map(|ring| (half_height, radius * share(ring, fineness))));
    between_rings(&rings, around)
}

/// Returns the corners of an end of the regular prism around a cylinder, counterclockwise \[m\].
pub(crate) fn prism_around(cylinder: &Cylinder) -> impl Iterator<Item = DVec2> + Clone {
    let part = TAU / SIDES_OF_PRISM as f64;
    let corner = f64::from(cylinder.radius) / libm::cos(0.5 * part);
    (0..SIDES_OF_PRISM).map(move |side| {
        let (sine, cosine) = libm::sincos(side as f64 * part);
        DVec2::new(cosine, sine) * corner
    })
}

/// Returns even triangles of the prism around a cylinder: its edges are divided, and rings inside its ends
/// have fewer points, as required by edges of twice the radius at fineness 1 and a sixth of it at 23.
fn of_prism_around(cylinder: &Cylinder, fineness: usize) -> Vec<TriangleCorners> {
    let (half_height, radius) = (f64::from(cylinder.half_height), f64::from(cylinder.radius));
    let parts = |length: f64| (length * (fineness as f64 + 1.0) / (4.0 * radius)).max(1.0);
    let corners: Vec<DVec2> = prism_around(cylinder).collect();
    let of_side = libm::ceil(LONGER_ALONG_RIM * parts(corners[0].distance(corners[1]))) as usize;
    let between = (0..SIDES_OF_PRISM).flat_map(|side| {
        let (from, to) = (corners[side], corners[(side + 1) % SIDES_OF_PRISM]);
        (0..of_side).map(move |part| from.lerp(to, part as f64 / of_side as f64))
    });
    let rim: Vec<DVec2> = between.collect();
    let mut rings = vec![vec![DVec2::ZERO]];
    let inner = libm::round(parts(radius)) as usize;
    for ring in 1..inner {
        let (size, mut around) = (radius * ring as f64 / inner as f64, rim.len());
        while around % 2 == 0 && around as f64 > FULLER * parts(TAU * size) {
            around /= 2;
        }
        let at = |step: usize| {
            let (sine, cosine) = libm::sincos(TAU * step as f64 / around as f64);
            DVec2::new(cosine, sine) * size
        };
        rings.push((0..around).map(at).collect());
    }
    rings.push(rim.clone());
    let ends = rings.windows(2).flat_map(|pair| between_circles([&pair[0], &pair[1]]));
    let up: Vec<TriangleCorners> = ends.map(|t| t.map(|place| place.extend(half_height))).collect();
    let down = up.iter().map(|&[a, b, c]| [a, c, b].map(|place| DVec3::new(place.x, place.y, -place.z)));
    let stories = libm::round(parts(2.0 * half_height)) as usize;
    let height = |story: usize| half_height * (2.0 * story as f64 / stories as f64 - 1.0);
    let sides = (0..stories).flat_map(|story| (0..rim.len()).map(move |step| (story, step)));
    let sides = sides.flat_map(|(story, step)| {
        let (from, to) = (rim[step], rim[(step + 1) % rim.len()]);
        let (low, high) = (height(story), height(story + 1));
        halved(
            [from.extend(low), to.extend(low), to.extend(high), from.extend(high)],
            (story + step) % 2 == 0,
        )
    });
    sides.chain(down).chain(up.iter().copied()).collect()
}

/// Returns the triangles between two rings of points about the origin, the first inside of the second, each
/// evenly spaced from the same direction on, counterclockwise.
fn between_circles([inner, outer]: [&[DVec2]; 2]) -> Vec<[DVec2; 3]> {
    let (mut i, mut o) = (0, 0);
    // A single point has no edge.
    let most = if inner.len() > 1 { inner.len() } else { 0 };
    let middle = |step: usize, all: &[DVec2]| (step as f64 + 0.5) / all.len() as f64;
    let mut triangles = Vec::new();
    while i < most || o < outer.len() {
        let (a, b) = (inner[i % inner.len()], outer[o % outer.len()]);
        // Of two edges in the same direction, the inner and the outer one are first in turn.
        let (of_inner, of_outer) = (middle(i, inner), middle(o, outer));
        let is_even = (of_inner - of_outer).abs() < 1e-9;
        if o == outer.len() || (i < most && (of_inner < of_outer && !is_even || is_even && i % 2 == 0)) {
            i += 1;
            triangles.push([a, b, inner[i % inner.len()]]);
        } else {
            o += 1;
            triangles.push([a, b, outer[o % outer.len()]]);
        }
    }
    triangles
}

/// Returns the triangles between rings of points about z, each with its height and radius \[m\]; the first
/// and the last ring are a point.
fn between_rings(rings: &[(f64, f64)], around: usize) -> Vec<TriangleCorners> {
    let at = |ring: usize, step: usize| {
        let (height, radius) = rings[ring];
        // Exactly 0 on the axis, and the same point after a full turn.
        let radius = if ring == 0 || ring + 1 == rings.len() { 0.0 } else { radius };
        let (sine, cosine) = libm::sincos(TAU * (step % around) as f64 / around as f64);
        DVec3::new(radius * cosine, radius * sine, height)
    };
    let cells = (0..rings.len() - 1).flat_map(|ring| (0..around).map(move |step| (ring, step)));
    let last = rings.len() - 2;
    cells
        .flat_map(|(ring, step)| {
            let corners = [at(ring, step), at(ring, step + 1), at(ring + 1, step + 1), at(ring + 1, step)];
            let [one, other] = halved(corners, (ring + step) % 2 == 0);
            match ring {
                0 => vec![[corners[0], corners[2], corners[3]]],
                _ if ring == last => vec![[corners[0], corners[1], corners[2]]],
                _ => vec![one, other],
            }
        })
        .collect()
}

/// Returns the factor by which rings are wider than the capsule. `slenderness` is half height over radius.
fn widening(slenderness: f64, fineness: usize) -> f64 {
    // For radius 1: the section of a ring, and the frusta of both half balls.
    let section = 0.5 * (4 * fineness) as f64 * libm::sin(TAU / (4 * fineness) as f64);
    let point = |ring: usize| libm::sincos(0.25 * TAU * ring as f64 / fineness as f64);
    let frustum = |ring: usize| {
        let ((s, c), (t, d)) = (point(ring), point(ring + 1));
        (c - d) * (s * s + s * t + t * t) / 3.0
    };
    let balls = 2.0 * section * (0..fineness).map(frustum).sum::<f64>();
    let cylinder = 2.0 * section * slenderness;
    let volume = 0.5 * TAU * (4.0 / 3.0 + 2.0 * slenderness);
    // Newton's method on balls f³ + cylinder f² = volume, which is convex: from above.
    let mut factor = libm::cbrt(volume / balls).max(libm::sqrt(volume / (balls + cylinder)));
    for _ in 0..20 {
        let excess = (balls * factor + cylinder) * factor * factor - volume;
        factor -= excess / ((3.0 * balls * factor + 2.0 * cylinder) * factor);
    }
    factor
}
