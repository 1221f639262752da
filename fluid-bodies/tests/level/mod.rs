//! Level geometry for tests: closed non-convex surfaces, triangle soups, terrain.
#![allow(dead_code, reason = "programs of tests take what they need")]

use crate::common::Dice;
use fluid_bodies::shapes::{HeightField, TriangleMesh};
use glam::{DVec3, UVec2, UVec3, Vec2, Vec3};
use std::f32::consts::{PI, TAU};

/// Vertices and triangles.
pub(crate) type Triangles = (Vec<Vec3>, Vec<UVec3>);

pub(crate) fn mesh((vertices, triangles): Triangles) -> TriangleMesh {
    TriangleMesh::new(vertices, triangles).expect("a valid mesh")
}

/// Creates a closed surface about the origin with bumps and dents: rings of vertices around z between two
/// poles. Its triangles face outwards.
pub(crate) fn rock(dice: &mut Dice, rings: u32, sectors: u32, roughness: f32) -> Triangles {
    let mut radius = || 1.0 + roughness * dice.between(-1.0, 1.0);
    let mut vertices = vec![Vec3::Z * radius(), Vec3::NEG_Z * radius()];
    for ring in 1..=rings {
        for sector in 0..sectors {
            let (sin, cos) = (PI * ring as f32 / (rings + 1) as f32).sin_cos();
            let (y, x) = (TAU * sector as f32 / sectors as f32).sin_cos();
            vertices.push(Vec3::new(sin * x, sin * y, cos) * radius());
        }
    }
    let at = |ring: u32, sector: u32| 2 + ring * sectors + sector % sectors;
    let mut triangles = Vec::new();
    for sector in 0..sectors {
        triangles.push(UVec3::new(0, at(0, sector), at(0, sector + 1)));
        triangles.push(UVec3::new(1, at(rings - 1, sector + 1), at(rings - 1, sector)));
        for ring in 0..rings - 1 {
            let corners = [at(ring, sector), at(ring + 1, sector), at(ring + 1, sector + 1)];
            triangles.push(corners.into());
            triangles.push(UVec3::new(corners[0], corners[2], at(ring, sector + 1)));
        }
    }
    (vertices, triangles)
}

/// Same surface with its triangles facing inwards: a cave.
pub(crate) fn turned_inside_out((vertices, triangles): Triangles) -> Triangles {
    (vertices, triangles.into_iter().map(|triangle| UVec3::new(triangle.x, triangle.z, triangle.y)).collect())
}

/// Same surface with separate vertices for each triangle, as engines store them for textures.
pub(crate) fn unwelded((vertices, triangles): Triangles) -> Triangles {
    let corners = triangles.iter().flat_map(|triangle| triangle.to_array());
    let vertices: Vec<Vec3> = corners.map(|vertex| vertices[vertex as usize]).collect();
    let count = triangles.len() as u32;
    (vertices, (0..count).map(|number| UVec3::new(0, 1, 2) + 3 * number).collect())
}

/// Creates unconnected random triangles in a cube with edges of 2 m.
pub(crate) fn soup(dice: &mut Dice, count: u32) -> Triangles {
    let mut vertices = Vec::new();
    for _ in 0..count {
        let middle = dice.cube();
        (0..3).for_each(|_| vertices.push(middle + dice.cube() * 0.4));
    }
    (vertices, (0..count).map(|number| UVec3::new(0, 1, 2) + 3 * number).collect())
}

/// Creates hills up to 1 m high.
pub(crate) fn terrain(dice: &mut Dice, samples: UVec2, spacing: Vec2) -> HeightField {
    let heights = (0..samples.x * samples.y).map(|_| dice.unit()).collect();
    HeightField::new(heights, samples, spacing).expect("a valid height field")
}

/// Returns the triangles of a height field, as its documentation defines them.
pub(crate) fn triangles_of(field: &HeightField) -> Triangles {
    let samples = field.samples();
    let at = |x: u32, y: u32| y * samples.x + x;
    let each = (0..samples.y).flat_map(|y| (0..samples.x).map(move |x| (x, y)));
    let place = |(x, y): (u32, u32)| {
        (Vec2::new(x as f32, y as f32) * field.spacing()).extend(field.heights()[at(x, y) as usize])
    };
    let vertices = each.clone().map(place).collect();
    let cells = each.filter(|&(x, y)| x + 1 < samples.x && y + 1 < samples.y);
    let halves = cells.flat_map(|(x, y)| {
        [
            UVec3::new(at(x, y), at(x + 1, y), at(x + 1, y + 1)),
            UVec3::new(at(x, y), at(x + 1, y + 1), at(x, y + 1)),
        ]
    });
    (vertices, halves.collect())
}

/// Returns the height of the ground \[m\]; `None` beside it.
pub(crate) fn ground(field: &HeightField, at: Vec2) -> Option<f64> {
    let cells = (at / field.spacing()).as_dvec2();
    let end = (field.samples() - 1).as_dvec2();
    if cells.min_element() < 0.0 || cells.x > end.x || cells.y > end.y {
        return None;
    }
    let cell = cells.floor().min(end - 1.0);
    let height = |x: f64, y: f64| {
        let at = (cell.y + y) * f64::from(field.samples().x) + cell.x + x;
        f64::from(field.heights()[at as usize])
    };
    let within = cells - cell;
    let (first, last) = (height(0.0, 0.0), height(1.0, 1.0));
    Some(if within.y > within.x {
        let beside = height(0.0, 1.0);
        first + within.y * (beside - first) + within.x * (last - beside)
    } else {
        let beside = height(1.0, 0.0);
        first + within.x * (beside - first) + within.y * (last - beside)
    })
}

/// Returns the distance of a point from the nearest of all triangles \[m\], by brute force: from the plane
/// if the projection is inside the triangle, or else from the edges.
pub(crate) fn distance((vertices, triangles): &Triangles, place: Vec3) -> f64 {
    let place = place.as_dvec3();
    let from_edge = |a: DVec3, b: DVec3| {
        let share = ((place - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        place.distance(a + (b - a) * share)
    };
    let one = |triangle: &UVec3| {
        let [a, b, c] = triangle.to_array().map(|vertex| vertices[vertex as usize].as_dvec3());
        let normal = (b - a).cross(c - a).normalize();
        let height = (place - a).dot(normal);
        let foot = place - normal * height;
        let left = |from: DVec3, to: DVec3| (to - from).cross(foot - from).dot(normal) >= 0.0;
        let edges = from_edge(a, b).min(from_edge(b, c)).min(from_edge(c, a));
        if left(a, b) && left(b, c) && left(c, a) { height.abs().min(edges) } else { edges }
    };
    triangles.iter().map(one).fold(f64::INFINITY, f64::min)
}

/// Returns the winding number of a closed surface about a point: the sum of the solid angles of its
/// triangles over 4π (van Oosterom and Strackee 1983).
pub(crate) fn winding((vertices, triangles): &Triangles, place: Vec3) -> f64 {
    let angle = |triangle: &UVec3| {
        let [a, b, c] =
            triangle.to_array().map(|vertex| vertices[vertex as usize].as_dvec3() - place.as_dvec3());
        let lengths = [a.length(), b.length(), c.length()];
        let below = lengths[0] * lengths[1] * lengths[2]
            + a.dot(b) * lengths[2]
            + b.dot(c) * lengths[0]
            + c.dot(a) * lengths[1];
        2.0 * a.dot(b.cross(c)).atan2(below)
    };
    triangles.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}
