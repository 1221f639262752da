//! A closed room moved by an engine is held back by its fluid, and gives it at least the energy that the
//! fluid has, if more of its vortons touch walls than are summed pair by pair (E38).

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::{Shape, TriangleMesh};
use fluid_bodies::{BodyDef, BodyState, Pose};
use fluid_core::initial::Noise;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::{DVec3, UVec3, Vec3};

const CORE: f32 = 0.2;
/// Half of the width of the room inside, and of the thickness of its walls \[m\].
const HALF: f32 = 1.0;
const WALL: f32 = 0.2;
const SPEED: f32 = 0.5;
const RATE: u16 = 60;
const STEPS: u32 = 36;
/// Most energy of the fluid \[m⁵/s²\]: twice that of 8 m³ that move with the room.
const MOST_ENERGY: f64 = 2.0;
/// Impulse \[N s\] of the fluid in the room if it moves with it.
const OF_CONTENT: f64 = 8.0 * SPEED as f64;

/// Returns six boxes around a cube.
fn boxes() -> Vec<Shape> {
    let middle = HALF + WALL;
    let sides = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|axis| [axis, -axis]);
    let wall = |side: Vec3| {
        let across = side.abs();
        let half = across * WALL + (Vec3::ONE - across) * (HALF + 2.0 * WALL);
        Shape { pose: Pose { position: side * middle, ..Pose::IDENTITY }, ..Shape::cuboid(half) }
    };
    sides.map(wall).collect()
}

/// Returns a mesh of twelve triangles around the same cube.
fn mesh() -> Vec<Shape> {
    let side = |bit: u32| if bit == 0 { -HALF } else { HALF };
    let corner = |i: u32| Vec3::new(side(i & 1), side(i & 2), side(i & 4));
    let faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [UVec3::new(a, b, c), UVec3::new(a, c, d)]);
    let mesh = TriangleMesh::new((0..8).map(corner).collect(), triangles.collect());
    vec![Shape::mesh(mesh.expect("a closed mesh"))]
}

/// Moves a room with these walls along x, with fluid in it that is nearly at rest.
fn is_held_back(name: &str, shapes: Vec<Shape>) {
    let params = Params { core_radius: CORE, ..Params::default() };
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    let state = BodyState { velocity: Vec3::X * SPEED, ..BodyState::default() };
    let def = BodyDef { shapes, mass: f32::INFINITY, state, ..BodyDef::default() };
    let room = bodies.add(def).expect("a valid body");
    let extent = Vec3::splat(1.8 * HALF);
    let noise = Noise { centre: Vec3::ZERO, extent, spacing: 0.8 * CORE, amplitude: 0.01, seed: 1 };
    let mut sim = VortexSim::new(params).expect("valid parameters");
    sim.add_vortons(&noise.vortons().expect("constants in range")).expect("valid vortons");
    let (mut given, mut most, mut contacts) = (DVec3::ZERO, 0.0_f64, u32::MAX);
    let dt = 1.0 / f32::from(RATE);
    for step in 0..STEPS {
        sim.step(&Serial, &mut bodies, dt).expect("a finite step");
        let impulse = bodies.body_mut(room).take_impulse();
        given -= impulse.linear;
        contacts = contacts.min(impulse.hits);
        let position = Vec3::X * (SPEED * dt * (step + 1) as f32);
        bodies.set_state(room, BodyState { position, ..state }).expect("a valid state");
        let energy = sim.stats().energy;
        most = most.max(energy);
        let work = given.x * f64::from(SPEED);
        assert!(energy < 1.1 * work + 0.05, "{name}, step {step}: {energy} m⁵/s² from {work}");
    }
    println!("{name}: {given:.3} N s, {most:.3} m⁵/s², {contacts} contacts");
    assert!(contacts > 500, "{name}: {contacts} contacts");
    assert!(most < MOST_ENERGY, "{name}: {most} m⁵/s²");
    let aside = given.y.hypot(given.z);
    assert!((0.4..1.5).contains(&(given.x / OF_CONTENT)), "{name}: {given} N s");
    assert!(aside < 0.25 * given.x, "{name}: {given} N s");
}

#[test]
fn of_six_boxes_and_of_twelve_triangles() {
    is_held_back("boxes", boxes());
    is_held_back("mesh", mesh());
}
