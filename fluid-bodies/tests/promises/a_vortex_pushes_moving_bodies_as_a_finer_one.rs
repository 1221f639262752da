//! A vortex ring that approaches a moving impermeable body pushes it as much with coarse cores as with fine
//! ones, on a mesh as in the direct sum, and without a kick where the body's sheet joins a mesh (E51).

use crate::immersed::{World, body, params};
use fluid_bodies::shapes::{Cylinder, Geometry, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::VortexRing;
use fluid_core::params::Params;
use fluid_core::velocity::SolverKind;
use glam::{DVec3, Quat, Vec3};

const RATE: f32 = 60.0;
/// Steps per second with which the flow of a strong ring is followed to fourth order.
const LOW_RATE: f32 = 15.0;
const DURATION: f32 = 1.0 / 3.0;

/// Velocity of the body before the ring comes, and the final one \[m/s\], and its largest change in a frame.
struct Push {
    velocity: DVec3,
    most: f64,
    /// Most solves in a step.
    solves: u32,
}

/// Half as dense as the fluid, it turns and moves towards the ring.
fn push(shape: &Shape, core_radius: f32, solver: SolverKind, circulation: f32, rate: f32) -> Push {
    let ring = VortexRing {
        centre: Vec3::new(0.05, -0.03, -0.75),
        axis: Vec3::Z,
        radius: 0.4,
        thickness: 0.22,
        circulation,
        spacing: core_radius / 1.5,
    };
    let state = BodyState {
        position: Vec3::new(0.1, 0.0, 0.2),
        rotation: Quat::from_axis_angle(Vec3::new(0.5, 1.0, 0.2).normalize(), 0.5),
        velocity: Vec3::new(0.0, 0.0, -0.2),
        angular_velocity: Vec3::new(0.7, 1.0, 0.0),
    };
    let params = Params { core_radius, solver, ..params(Vec3::ZERO) };
    let density = 0.5 * f64::from(params.ambient.density);
    let def = BodyDef { no_through: true, ..body(shape.clone(), density, state) };
    let mut world = World::new(params, &ring.vortons().expect("a ring"), &[def]);
    let (mut most, mut last, mut solves) = (0.0_f64, world.rigid[0].velocity(), 0);
    for _ in 0..(DURATION * rate).round() as usize {
        world.step(1.0 / rate);
        solves = solves.max(world.sim.stats().solves);
        let velocity = world.rigid[0].velocity();
        most = most.max((velocity - last).length());
        last = velocity;
    }
    Push { velocity: last, most, solves }
}

/// Checks the changes of velocity by a ring, relative to that with the finest cores: by the direct sum and on
/// a mesh.
fn check(shape: &Shape, name: &str, [direct, mesh]: [f64; 2]) {
    let change = |core_radius: f32, solver: SolverKind| {
        let still = push(shape, core_radius, solver, 1e-6, RATE).velocity;
        let Push { velocity, most, .. } = push(shape, core_radius, solver, 1.5, RATE);
        (velocity - still, most)
    };
    let (fine, most_fine) = change(0.06, SolverKind::Direct);
    for (solver, tolerance) in [(SolverKind::Direct, direct), (SolverKind::Mesh, mesh)] {
        let (coarse, most) = change(0.1, solver);
        let error = (coarse - fine).length() / fine.length();
        println!("{name}, {solver:?}: {coarse:.4} m/s for {fine:.4}, {error:.3}; {:.2}", most / most_fine);
        assert!(error < tolerance, "{name}, {solver:?}: {coarse} m/s instead of {fine}");
        assert!(most < 1.5 * most_fine, "{name}, {solver:?}: kicked by {most} m/s, fine {most_fine}");
    }
}

#[test]
fn in_long_steps_on_a_mesh_as_in_the_direct_sum() {
    let shape = Shape::cuboid(Vec3::new(0.2, 0.3, 0.25));
    let [direct, mesh] = [SolverKind::Direct, SolverKind::Mesh].map(|solver| {
        let Push { velocity, solves, .. } = push(&shape, 0.1, solver, 4.0, LOW_RATE);
        assert_eq!(solves, 4, "{solver:?}");
        velocity - push(&shape, 0.1, solver, 1e-6, LOW_RATE).velocity
    });
    println!("direct {direct:.4}, mesh {mesh:.4} m/s");
    assert!((mesh - direct).length() < 0.05 * direct.length(), "{mesh} m/s instead of {direct}");
}

#[test]
fn a_box() {
    check(&Shape::cuboid(Vec3::new(0.2, 0.3, 0.25)), "box", [0.25, 0.4]);
}

#[test]
fn a_cylinder() {
    let cylinder = Geometry::Cylinder(Cylinder { half_height: 0.25, radius: 0.25 });
    check(&Shape::solid(cylinder), "cylinder", [0.25, 0.25]);
}

#[test]
fn a_ball() {
    check(&Shape::sphere(0.25), "ball", [0.15, 0.15]);
}
