//! Shared by the tests of shapes: random numbers, the list of shapes that must meet the contract, and a
//! brute-force reference for hulls.
#![allow(dead_code, reason = "programs of tests take what they need")]

use fluid_bodies::shapes::{Capsule, Cuboid, Cylinder, Geometry, Polytope, ShapeQueries, Sphere};
use fluid_core::math::Random;
use glam::{DVec3, EulerRot, Quat, Vec3};
use std::f32::consts::TAU;

/// A sequence of random numbers.
pub(crate) struct Dice {
    stream: Random,
    counter: u64,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self { stream: Random::new(seed), counter: 0 }
    }

    /// Returns a number uniform in [0, 1).
    pub(crate) fn unit(&mut self) -> f32 {
        self.counter += 1;
        self.stream.unit(self.counter)
    }

    /// Returns a number uniform in [from, to).
    pub(crate) fn between(&mut self, from: f32, to: f32) -> f32 {
        from + (to - from) * self.unit()
    }

    /// Returns a point uniform in the cube from −1 to 1.
    pub(crate) fn cube(&mut self) -> Vec3 {
        Vec3::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0))
    }

    /// Returns a direction, uniform on the sphere.
    pub(crate) fn direction(&mut self) -> Vec3 {
        loop {
            let place = self.cube();
            if (0.01..1.0).contains(&place.length_squared()) {
                return place.normalize();
            }
        }
    }

    pub(crate) fn rotation(&mut self) -> Quat {
        Quat::from_euler(
            EulerRot::ZYZ,
            self.between(0.0, TAU),
            self.between(0.0, TAU),
            self.between(0.0, TAU),
        )
    }

    /// Returns `count` points in a rotated box with a ratio of edges of at most `aspect`, at a distance
    /// from the origin of about its size.
    pub(crate) fn cloud(&mut self, count: usize, aspect: f32) -> Vec<Vec3> {
        let edges = Vec3::from_array([(); 3].map(|()| aspect.powf(-self.unit())));
        let (turn, middle) = (self.rotation(), self.cube());
        (0..count).map(|_| middle + turn * (self.cube() * edges)).collect()
    }
}

/// Returns the shapes that must meet the contract: add a line for a new one.
pub(crate) fn shapes() -> Vec<(&'static str, Geometry)> {
    let polytope = |points: &[Vec3]| Geometry::Polytope(Polytope::from_points(points).unwrap());
    let cloud = |seed, count, aspect| polytope(&Dice::new(seed).cloud(count, aspect));
    let cuboid = |x, y, z| Geometry::Cuboid(Cuboid { half_extents: Vec3::new(x, y, z) });
    let capsule = |half_height, radius| Geometry::Capsule(Capsule { half_height, radius });
    let cylinder = |half_height, radius| Geometry::Cylinder(Cylinder { half_height, radius });
    vec![
        ("ball", Geometry::Sphere(Sphere { radius: 0.7 })),
        ("large ball", Geometry::Sphere(Sphere { radius: 70.0 })),
        ("cube", cuboid(1.0, 1.0, 1.0)),
        ("box", cuboid(0.3, 1.1, 0.5)),
        ("plate", cuboid(1.0, 1.0, 0.02)),
        ("small needle", cuboid(0.0002, 0.01, 0.0002)),
        ("capsule", capsule(0.8, 0.4)),
        ("thin capsule", capsule(1.0, 0.02)),
        ("capsule of no length", capsule(0.0, 0.5)),
        ("cylinder", cylinder(0.8, 0.4)),
        ("coin", cylinder(0.02, 1.0)),
        ("rod", cylinder(1.0, 0.02)),
        ("tetrahedron", polytope(&TETRAHEDRON)),
        ("cube of points", polytope(&box_corners(Vec3::ONE))),
        ("hull", cloud(1, 20, 1.5)),
        ("rounded hull", polytope(&(0..100).map(|i| Dice::new(i).direction()).collect::<Vec<_>>())),
        ("flat hull", cloud(3, 12, 50.0)),
        (
            "hull far away",
            polytope(
                &Dice::new(4)
                    .cloud(15, 3.0)
                    .iter()
                    .map(|&p| p + Vec3::new(40.0, -7.0, 11.0))
                    .collect::<Vec<_>>(),
            ),
        ),
    ]
}

pub(crate) const TETRAHEDRON: [Vec3; 4] = [
    Vec3::new(1.0, 1.0, 1.0),
    Vec3::new(1.0, -1.0, -1.0),
    Vec3::new(-1.0, 1.0, -1.0),
    Vec3::new(-1.0, -1.0, 1.0),
];

pub(crate) fn box_corners(half: Vec3) -> [Vec3; 8] {
    std::array::from_fn(|i| {
        half * Vec3::from_array([0, 1, 2].map(|axis| if i >> axis & 1 == 0 { -1.0 } else { 1.0 }))
    })
}

/// Returns the centroid and bounding radius of a shape; errors are measured relative to the latter.
pub(crate) fn centre_and_size(shape: &dyn ShapeQueries) -> (Vec3, f32) {
    (shape.mass_properties().centroid.as_vec3(), shape.bounding_sphere().1)
}

/// Returns the spacing of f32 numbers at a shape's coordinates \[m\].
pub(crate) fn step(shape: &dyn ShapeQueries) -> f32 {
    let (centre, radius) = shape.bounding_sphere();
    f32::EPSILON * (centre.abs().max_element() + 2.0 * radius)
}

/// Returns a random point around a shape; a third of them are near its surface.
pub(crate) fn place(dice: &mut Dice, shape: &dyn ShapeQueries) -> Vec3 {
    let (centre, size) = centre_and_size(shape);
    let surface = shape.surface(centre + dice.cube() * (1.5 * size));
    let off = match (dice.unit() * 3.0) as u32 {
        0 => return centre + dice.cube() * (1.5 * size),
        1 => dice.between(-0.1, 0.1),
        _ => dice.between(-1e-3, 1e-3),
    };
    surface.point + surface.normal * (off * size)
}

/// All triples of points with all others on one side: the facets of their hull, in f64, by brute force.
pub(crate) struct Facets {
    /// Outward unit normals, offsets, and three corners.
    pub(crate) facets: Vec<(DVec3, f64, [DVec3; 3])>,
}

impl Facets {
    /// Finds the facets; `tolerance` \[m\] is the distance from a plane within which points are in it.
    pub(crate) fn new(points: &[Vec3], tolerance: f64) -> Self {
        let points: Vec<DVec3> = points.iter().map(|point| point.as_dvec3()).collect();
        let mut facets = Vec::new();
        for i in 0..points.len() {
            for j in i + 1..points.len() {
                for k in j + 1..points.len() {
                    let corners = [points[i], points[j], points[k]];
                    let across = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
                    if across.length() == 0.0 {
                        continue;
                    }
                    for normal in [across.normalize(), -across.normalize()] {
                        let offset = normal.dot(corners[0]);
                        if points.iter().all(|point| normal.dot(*point) <= offset + tolerance) {
                            facets.push((normal, offset, corners));
                        }
                    }
                }
            }
        }
        Self { facets }
    }

    /// Returns the signed distance and nearest point, by a search of all facets, edges and corners.
    pub(crate) fn nearest(&self, place: DVec3) -> (f64, DVec3) {
        let heights = self.facets.iter().map(|(normal, offset, _)| (normal.dot(place) - offset, *normal));
        let (height, normal) = heights.reduce(|a, b| if b.0 > a.0 { b } else { a }).unwrap();
        if height <= 0.0 {
            return (height, place - normal * height);
        }
        let nearest = self.facets.iter().map(|&(normal, offset, [a, b, c])| {
            let foot = place - normal * (normal.dot(place) - offset);
            let turning = |p: DVec3, q: DVec3| (q - p).cross(foot - p);
            let across = (b - a).cross(c - a);
            if [turning(a, b), turning(b, c), turning(c, a)].iter().all(|turn| turn.dot(across) >= 0.0) {
                return foot;
            }
            let on_edge = |p: DVec3, q: DVec3| {
                p + (q - p) * ((place - p).dot(q - p) / (q - p).length_squared()).clamp(0.0, 1.0)
            };
            let edges = [on_edge(a, b), on_edge(b, c), on_edge(c, a)].into_iter();
            edges.min_by(|p, q| place.distance(*p).total_cmp(&place.distance(*q))).unwrap()
        });
        let nearest = nearest.min_by(|p, q| place.distance(*p).total_cmp(&place.distance(*q))).unwrap();
        (place.distance(nearest), nearest)
    }
}
