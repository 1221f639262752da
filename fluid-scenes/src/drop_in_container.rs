//! A dyed drop falls in a polyhedron (part 14, figure 1): a dodecahedron.

use crate::resting_tank::{self, SPACING};
use crate::seeds::hole;
use crate::{Camera, Scene, smoke};
use fluid_bodies::shapes::{Geometry, Polytope};
use fluid_core::initial::{DensityBall, DensityProfile};
use fluid_core::particles::Vorton;
use glam::Vec3;

/// Radius of the inscribed sphere \[m\].
const INSIDE: f32 = 0.8;
const DROP: f32 = 0.3;
const CENTRE: Vec3 = Vec3::new(0.0, 0.0, 0.3);

/// Returns the face normals of a dodecahedron: the vertices of an icosahedron.
fn normals() -> [Vec3; 12] {
    let golden = 0.5 * (1.0 + libm::sqrtf(5.0));
    let around = |a: f32, b: f32| [Vec3::new(0.0, a, b), Vec3::new(a, b, 0.0), Vec3::new(b, 0.0, a)];
    let corners = [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)].map(|(a, b)| around(a, b));
    let mut normals = [Vec3::ZERO; 12];
    corners.as_flattened().iter().zip(&mut normals).for_each(|(corner, normal)| *normal = corner.normalize());
    normals
}

fn dodecahedron() -> Geometry {
    let planes = normals().map(|normal| (normal, INSIDE));
    Geometry::Polytope(Polytope::from_planes(&planes).expect("twelve planes around the origin"))
}

fn drop() -> Vec<Vorton> {
    let ball = DensityBall {
        centre: CENTRE,
        radius: DROP,
        density_deviation: 0.2,
        spacing: SPACING,
        core_radius: 1.5 * SPACING,
        profile: DensityProfile::TopHat,
        dye: 1.0,
        fuel: 0.0,
    };
    ball.vortons().expect("constants in range")
}

/// Returns the drop, and fluid of ambient density everywhere else.
fn filled() -> Vec<Vorton> {
    let mut vortons = drop();
    let near = |place: Vec3| (place - CENTRE).length() < DROP + 0.7 * SPACING;
    let inside = |place: Vec3| normals().iter().all(|normal| normal.dot(place) < INSIDE - 0.3 * SPACING);
    let around = crate::seeds::noise(Vec3::ZERO, Vec3::splat(2.4), SPACING);
    vortons.extend(around.into_iter().filter(|seed| inside(seed.position) && !near(seed.position)));
    vortons
}

pub(crate) const SCENE: Scene = Scene {
    number: None,
    name: "drop_in_container",
    title: "Drop in a container",
    expected: "The drop falls as a ring, spreads over the floor, and climbs the walls a little.",
    frames: 150,
    vortons: filled,
    vorton_count: 2568,
    article_vortons: None,
    peak_vorticity: crate::seeds::NOISE_PEAK,
    tracers: || smoke::ball(CENTRE, DROP, 0.015),
    tracer_count: 33_565,
    bodies: || vec![hole(dodecahedron()).into()],
    camera: Camera { eye: Vec3::new(0.0, -4.0, 0.4), target: Vec3::ZERO, up: Vec3::Z },
    ..resting_tank::SCENE
};
