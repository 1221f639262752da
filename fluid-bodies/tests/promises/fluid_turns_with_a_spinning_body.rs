//! A spinning body carries the fluid along, and rotating fluid the body: fluid at the wall has the wall's
//! velocity, farther out it rotates the same way and more slowly, and beyond that it is at rest, because
//! the total strength is zero (E38).

use crate::immersed::{SPACING, World, body, hull, noise, params};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyCoupling, BodyState};
use fluid_core::boundary::StepTime;
use fluid_core::particles::Vorton;
use fluid_core::velocity::{SolverKind, Sources, VelocityField};
use fluid_threads::Serial;
use glam::{DVec3, Vec3};

/// Returns shapes, each with the radius about z of its widest part \[m\].
fn shapes() -> [(&'static str, Shape, f32); 4] {
    [
        ("ball", Shape::sphere(0.3), 0.3),
        ("box", Shape::cuboid(Vec3::new(0.25, 0.2, 0.3)), 0.32),
        ("capsule", Shape::capsule(0.3, 0.2), 0.2),
        ("hull", hull(), 0.25),
    ]
}

/// Creates a body driven at `spin` \[rad/s\] at the centre of a box of fluid at rest, after `steps` steps.
fn driven(shape: Shape, spin: Vec3, solver: SolverKind, (steps, rate): (usize, f32), edge: f32) -> World {
    let state = BodyState { angular_velocity: spin, ..BodyState::default() };
    let mut params = params(Vec3::ZERO);
    params.solver = solver;
    let around = noise(Vec3::ZERO, Vec3::splat(edge), 1e-4);
    let mut world = World::new(params, &around, &[body(shape, f64::INFINITY, state)]);
    for _ in 0..steps {
        world.step(1.0 / rate);
    }
    world
}

/// Returns the velocity around z at these distances from it, relative to the angular velocity 1 rad/s times
/// the first distance: mean over a circle.
fn swirl(world: &World, distances: &[f32]) -> Vec<f32> {
    let around = |distance: f32| {
        let angles = (0..16).map(|k| k as f32 * std::f32::consts::TAU / 16.0);
        let points: Vec<Vec3> =
            angles.clone().map(|a| Vec3::new(libm::cosf(a), libm::sinf(a), 0.0) * distance).collect();
        let mut velocities = vec![Vec3::ZERO; points.len()];
        world.sim.field().velocities(&points, &mut velocities);
        let around = points.iter().zip(&velocities).map(|(x, u)| Vec3::Z.cross(*x).dot(*u) / distance);
        around.sum::<f32>() / 16.0
    };
    distances.iter().map(|&distance| around(distance) / distances[0]).collect()
}

/// Returns the total strength of the vortons, and the body's bound strength.
fn strengths(world: &World) -> (DVec3, DVec3) {
    let vortons = world.sim.vortons().strengths.iter().map(|strength| strength.as_dvec3()).sum();
    (vortons, world.bodies.list()[0].bound().felt)
}

#[test]
fn the_fluid_has_the_walls_velocity_and_less_farther_out() {
    let radius = 0.4;
    let world = driven(Shape::sphere(radius), Vec3::Z, SolverKind::Auto, (48, 120.0), 1.4);
    let swirl = swirl(&world, &[1.0, 1.1, 1.25, 1.5, 2.0, 3.0].map(|share| share * radius));
    println!("swirl at 1, 1.1, 1.25, 1.5, 2 and 3 radii: {swirl:.3?}");
    assert!((swirl[0] - 1.0).abs() < 0.08, "at the wall: {}", swirl[0]);
    assert!(swirl.windows(2).take(3).all(|pair| pair[1] < pair[0]), "{swirl:?}");
    assert!((0.0..0.3).contains(&swirl[3]), "{swirl:?}");
    assert!(swirl[4].abs() < 0.02 && swirl[5].abs() < 0.02, "far away: {swirl:?}");
    // Vorticity inside the rotating region is 2 Ω: 2 Ω V in total if the sheet around it were on the
    // surface. At half a core radius or more outside, it must be stronger: by 1.5 / (1 + (R / R')³ / 2) for
    // a sheet of radius R'.
    let (vortons, held) = strengths(&world);
    let inside = held.z / (2.0 * 4.0 / 3.0 * std::f64::consts::PI * f64::from(radius).powi(3));
    println!("held: {inside:.3} of 2 Ω V, all together {:.1e}", (vortons + held).length() / held.length());
    assert!((1.0..1.5).contains(&inside), "{inside}");
    assert!((vortons + held).length() < 0.01 * held.length(), "{vortons} {held}");
}

#[test]
fn every_solver_feels_it() {
    let distances = [1.0_f32, 1.25, 2.0].map(|share| share * 0.3);
    let of = |solver| {
        let world = driven(Shape::sphere(0.3), Vec3::Z, solver, (24, 120.0), 1.2);
        assert_eq!(world.sim.field().is_on_mesh(), solver == SolverKind::Mesh);
        swirl(&world, &distances)
    };
    let (direct, mesh) = (of(SolverKind::Direct), of(SolverKind::Mesh));
    println!("direct {direct:.3?}, mesh {mesh:.3?}");
    assert!(direct.iter().zip(&mesh).all(|(a, b)| (a - b).abs() < 0.05), "{direct:?} {mesh:?}");
}

#[test]
fn fluid_beside_a_body_never_turns_the_other_way() {
    for (name, shape, radius) in shapes() {
        let world = driven(shape, Vec3::Z, SolverKind::Auto, (40, 120.0), 1.1);
        let swirl = swirl(&world, &[1.0, 1.3, 1.6, 2.0, 3.0].map(|share| share * radius));
        println!("{name}: {swirl:.3?}");
        assert!(swirl[1] > 0.1 && swirl.iter().all(|share| *share > -0.05), "{name}: {swirl:?}");
    }
}

#[test]
fn a_driven_ball_does_not_pump_the_fluid() {
    spin_driven(&[(1.0, 60.0), (5.0, 60.0), (50.0, 120.0)]);
}

#[test]
#[ignore = "long"]
fn a_driven_ball_does_not_pump_the_fluid_in_short_steps() {
    spin_driven(&[(10.0, 240.0)]);
}

fn spin_driven(balls: &[(f32, f32)]) {
    for &(spin, rate) in balls {
        let world = driven(Shape::sphere(0.2), Vec3::Z * spin, SolverKind::Auto, (rate as usize, rate), 0.9);
        let fastest = world.fastest_vorton() / (spin * 0.2);
        println!("{spin} rad/s: the fastest vorton has {fastest:.2} of the wall's speed");
        assert_eq!(world.sim.stats().non_finite, 0);
        assert!(fastest < 1.5, "{spin} rad/s: {fastest}");
    }
}

#[test]
fn turning_fluid_turns_a_body_that_is_put_into_it() {
    let radius = 0.8_f32;
    let vortons: Vec<Vorton> = noise(Vec3::ZERO, Vec3::splat(2.0 * radius), 0.0)
        .into_iter()
        .filter(|vorton| vorton.position.length() < radius)
        .map(|vorton| Vorton { strength: Vec3::Z * (2.0 * vorton.volume), ..vorton })
        .collect();
    assert!(vortons.len() > 4000 && vortons[0].volume > 0.9 * SPACING.powi(3));
    let mut last = f64::INFINITY;
    for density in [0.1, 1.0, 5.0] {
        let mut world = World::new(
            params(Vec3::ZERO),
            &vortons,
            &[body(Shape::sphere(0.25), density, BodyState::default())],
        );
        for _ in 0..20 {
            world.step(1.0 / 60.0);
        }
        let spin = world.rigid[0].angular_velocity();
        println!("density {density}: {spin:.3} of 1 rad/s");
        // The heavier the body, the less it spins.
        assert!(spin.z < last && spin.z > 0.0 && spin.truncate().length() < 0.01, "{spin}");
        last = spin.z;
        if density == 0.1 {
            assert!((0.7..1.1).contains(&spin.z), "{spin}");
        }
    }
}

#[test]
fn what_is_removed_inside_of_a_body_is_held_by_it() {
    let vortons = noise(Vec3::ZERO, Vec3::splat(1.0), 5.0);
    let all: DVec3 = vortons.iter().map(|vorton| vorton.strength.as_dvec3()).sum();
    let world =
        World::new(params(Vec3::ZERO), &vortons, &[body(Shape::sphere(0.3), 1.0, BodyState::default())]);
    let (outside, held) = strengths(&world);
    assert!(world.sim.vortons().len() < vortons.len() && held.length() > 0.0);
    assert!((outside + held - all).length() < 1e-9, "{outside} and {held} of {all}");
    let mut sources = Sources::default();
    world.bodies.clone().bound_vortons(&Serial, StepTime::Start, &mut sources);
    let felt: DVec3 = sources.strengths.iter().map(|strength| strength.as_dvec3()).sum();
    assert!((felt - held).length() < 1e-5 * held.length(), "{felt} of {held} is felt");
    assert!(sources.positions.iter().all(|place| place.length() < 0.3));
}
