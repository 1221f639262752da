//! Vortons created where dye spreads (E44) are neither in bodies, nor so near to them that they would be
//! pushed away, nor outside the container that holds the dye.

use crate::immersed::{CORE, SPACING, noise, params};
use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::{Cuboid, Geometry, Parity, Shape, Sphere, TriangleMesh};
use fluid_bodies::{BodyCoupling, BodyDef, BodyState};
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::{UVec3, Vec3};

/// Lets dye at rest beside a ball, in a box or in the open diffuse for a while. Nothing moves, so vortons
/// are where they were created. Initial vortons are at the positions selected by `holds`.
fn spread(defs: &[BodyDef], holds: impl Fn(Vec3) -> bool) -> (Bodies, VortexSim, usize) {
    let params = Params { diffusivity: 0.2 * CORE * CORE, ..params(Vec3::ZERO) };
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    for def in defs {
        bodies.add(def.clone()).expect("a valid body");
    }
    let cloud = noise(Vec3::new(0.02, 0.01, 0.03), Vec3::new(0.6, 0.6, 0.6), 1.0).into_iter();
    let cloud = cloud.map(|v| Vorton { strength: Vec3::ZERO, dye: v.volume, ..v });
    let outside: Vec<_> = cloud.filter(|v| !bodies.covers(v.position) && holds(v.position)).collect();
    let mut sim = VortexSim::new(params).expect("valid parameters");
    sim.add_vortons(&outside).expect("valid vortons");
    (0..60).for_each(|_| sim.step(&Serial, &mut bodies, 0.1).expect("a step"));
    (bodies, sim, outside.len())
}

fn resting(shape: Shape, place: Vec3) -> BodyDef {
    let state = BodyState { position: place, ..BodyState::default() };
    BodyDef { shapes: vec![shape], mass: f32::INFINITY, state, ..BodyDef::default() }
}

#[test]
fn nor_near_a_solid() {
    let (centre, radius) = (Vec3::new(0.35, 0.0, 0.0), 0.3);
    let ball = resting(Shape::solid(Geometry::Sphere(Sphere { radius })), centre);
    let (_, sim, own) = spread(&[ball], |_| true);
    let vortons = sim.vortons();
    let born = own..vortons.len();
    let nearest =
        born.clone().map(|row| vortons.positions.get(row).distance(centre) - radius).fold(f32::MAX, f32::min);
    println!("{own} and {} born, the nearest {:.2} cores away from the ball", born.len(), nearest / CORE);
    assert!(born.len() > 200 && nearest > 0.999 * CORE && nearest < 2.0 * CORE, "{} {nearest}", born.len());
}

#[test]
fn nor_outside_of_a_container() {
    let half = Vec3::new(0.4, 0.33, 0.5);
    let shape =
        Shape { parity: Parity::Hole, ..Shape::solid(Geometry::Cuboid(Cuboid { half_extents: half })) };
    let (_, sim, own) = spread(&[resting(shape, Vec3::ZERO)], |place| place.abs().cmple(half).all());
    let vortons = sim.vortons();
    let born = own..vortons.len();
    let outside = born.clone().filter(|&row| vortons.positions.get(row).abs().cmpgt(half).any()).count();
    println!("{own} and {} born, {outside} of them outside", born.len());
    assert!(born.len() > 100 && outside == 0, "{} born, {outside} outside", born.len());
    // Walls insulate: nothing is lost through them.
    let dye: f64 = vortons.dyes.iter().map(|&dye| f64::from(dye)).sum();
    assert!((dye / (own as f64 * f64::from(SPACING.powi(3))) - 1.0).abs() < 1e-5, "{dye}");
}

/// In the rock around a cave none is created either: it has no bounding box. Where two caves are side by
/// side, the fluid of one is in the rock of the other.
#[test]
fn nor_in_the_rock_around_a_cave() {
    let half = Vec3::new(1.0, 1.0, 0.6);
    let room = |place: Vec3| {
        let corner = |i: u32| half * Vec3::new(side(i & 1), side(i & 2), side(i & 4));
        let faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
        let triangles = faces.iter().flat_map(|&[a, b, c, d]| [UVec3::new(a, b, c), UVec3::new(a, c, d)]);
        let mesh = TriangleMesh::new((0..8).map(corner).collect(), triangles.collect());
        resting(Shape::mesh(mesh.expect("a closed mesh")), place)
    };
    let floor = Vec3::new(0.3, 0.1, -half.z);
    for defs in [
        vec![room(Vec3::ZERO)],
        vec![room(Vec3::ZERO), resting(Shape::cuboid(Vec3::splat(0.2)), Vec3::new(0.6, 0.0, -0.3))],
    ] {
        let mut bodies = Bodies::new(BodySettings::default(), &params(Vec3::ZERO)).expect("valid settings");
        defs.into_iter().for_each(|def| _ = bodies.add(def).expect("a valid body"));
        for depth in [0.3, 1.0, 1.9, 3.5] {
            assert!(bodies.covers(floor - Vec3::Z * (depth * CORE)), "{depth} cores below the floor");
        }
        assert!(!bodies.covers(floor + Vec3::Z * (1.5 * CORE)) && !bodies.covers(Vec3::ZERO));
    }
    let mut bodies = Bodies::new(BodySettings::default(), &params(Vec3::ZERO)).expect("valid settings");
    let wall = Vec3::X * (2.0 * half.x + 2.0 * CORE);
    for place in [Vec3::ZERO, wall] {
        bodies.add(room(place)).expect("a valid body");
    }
    let (here, there) = (Vec3::X * (half.x - 1.5 * CORE), Vec3::X * (half.x + 3.5 * CORE));
    assert!(!bodies.covers(here) && !bodies.covers(there), "fluid of both rooms");
    assert!(bodies.covers(Vec3::X * (half.x + CORE)), "the wall between them");
}

fn side(bit: u32) -> f32 {
    if bit == 0 { -1.0 } else { 1.0 }
}
