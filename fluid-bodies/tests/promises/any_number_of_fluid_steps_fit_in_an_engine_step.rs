//! Impulses that the engine has not taken yet move the library's copy of the body, so a fluid step never
//! assumes a recoil that has not happened: any number of fluid steps in an engine step, in any order of
//! calls, and nothing is counted twice. A body that tumbles, alone or as a tank, gets the impulses of the
//! pose at which its engine takes them.

use crate::immersed::{World, body, noise, params};
use fluid_bodies::added_inertia::AddedInertia;
use fluid_bodies::body::BuoyantForce;
use fluid_bodies::rigid_body::RigidBody;
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_threads::Serial;
use glam::{DMat3, Quat, Vec3};

const GRAVITY: f32 = 9.81;
const DENSITY: f64 = 6.0;

/// The first of the two calls in a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
enum First {
    /// Fluid steps, impulses, engine step, states.
    Take,
    /// Fluid steps, states as the engine knows them, impulses, engine step.
    Tell,
}

/// Makes a frame of `dt` \[s\] in `steps` fluid steps. If the fluid has gravity, so does the engine.
fn frame(world: &mut World, first: First, steps: u32, dt: f32) {
    spread_frame(world, first, (steps, 1), dt);
}

/// The same with an engine that spreads impulses over some `moves` of its own.
fn spread_frame(world: &mut World, first: First, (steps, moves): (u32, u32), dt: f32) {
    for _ in 0..steps {
        world.sim.step(&Serial, &mut world.bodies, dt / steps as f32).expect("a finite step");
    }
    let gravity = world.sim.params().gravity.as_dvec3();
    for (index, rigid) in world.rigid.iter_mut().enumerate() {
        if first == First::Tell {
            world.bodies.set_state(index, rigid.state()).expect("a finite state");
        }
        let taken = world.bodies.body_mut(index).take_impulse();
        for _ in 0..moves {
            rigid.apply_impulse(taken.linear / f64::from(moves));
            rigid.apply_impulsive_torque(taken.angular / f64::from(moves));
            rigid.apply_force(gravity * rigid.mass());
            rigid.integrate(f64::from(dt) / f64::from(moves));
        }
        if first == First::Take {
            world.bodies.set_state(index, rigid.state()).expect("a finite state");
        }
    }
}

/// Returns, for a box of 0.2 m at 2 m/s: its displacement in a second, and the largest speed of its corners
/// due to rotation \[m/s\].
fn pushed(first: First, steps: u32) -> (f64, f64) {
    let state = BodyState { velocity: Vec3::X * 2.0, ..BodyState::default() };
    let params = params(Vec3::ZERO);
    let cuboid = body(Shape::cuboid(Vec3::splat(0.1)), DENSITY, state);
    let mut world = World::new(params, &noise(Vec3::X * 0.4, Vec3::new(1.0, 0.5, 0.5), 0.01), &[cuboid]);
    let mut rim = 0.0_f64;
    for _ in 0..60 {
        frame(&mut world, first, steps, 1.0 / 60.0);
        let speed = world.rigid[0].velocity().length();
        assert!(speed <= 2.0 + 1e-6, "{steps} steps: {speed} m/s");
        rim = rim.max(world.rigid[0].angular_velocity().length() * 0.1 * 3.0_f64.sqrt());
    }
    (world.rigid[0].position().x, rim)
}

#[test]
fn a_box_gets_as_far_and_does_not_spin_up() {
    let (one, _) = pushed(First::Take, 1);
    // An engine that sets states before it takes impulses is always a frame behind: 0.02 m here.
    for (first, steps) in [(First::Take, 3), (First::Tell, 3), (First::Take, 8), (First::Tell, 8)] {
        let (way, rim) = pushed(first, steps);
        println!("{first:?} first, {steps} steps: {way:.4} m of {one:.4}, corners turn with {rim:.4} m/s");
        assert!((way / one - 1.0).abs() < 0.03, "{first:?} {steps}: {way} of {one} m");
        assert!(rim < 0.05, "{first:?} {steps}: {rim} m/s");
    }
}

/// Without vortons, under constant lift and weight: closed form, for the engine and for the library.
#[test]
fn nothing_counts_twice() {
    for first in [First::Take, First::Tell] {
        for steps in [1, 2, 16] {
            let params = Params { gravity: Vec3::NEG_Z * GRAVITY, ..params(Vec3::ZERO) };
            let ball = body(Shape::sphere(0.2), DENSITY, BodyState::default());
            let mut world = World::new(params, &[], &[ball]);
            for n in 1..=30 {
                frame(&mut world, first, steps, 1.0 / 30.0);
                // The lift for density 1 on density 6, and the weight.
                let time = f64::from(n) / 30.0;
                let speed = f64::from(GRAVITY) * (1.0 / DENSITY - 1.0) * time;
                let (engine, library) = (&world.rigid[0], world.bodies.list()[0].state());
                let near = |value: f64, exact: f64| (value - exact).abs() < 1e-5 * (1.0 + exact.abs());
                assert!(near(engine.velocity().z, speed), "{first:?} {steps}: {}", engine.velocity());
                // A semi-implicit engine is half a step ahead.
                let way = 0.5 * speed * (time + 1.0 / 30.0);
                assert!(near(engine.position().z, way), "{first:?} {steps}: {}", engine.position());
                // States that the engine sets before its step are a frame old.
                if first == First::Take {
                    assert!(near(library.velocity.z.into(), speed), "{steps}: {}", library.velocity);
                    assert!(near(library.position.z.into(), way), "{steps}: {}", library.position);
                }
            }
        }
    }
}

/// Pending impulses are added to a state that the engine sets; impulses already taken are not, nor are
/// those that an engine never takes.
#[test]
fn a_told_state_is_what_the_engine_says_and_what_is_pending() {
    let params = Params { gravity: Vec3::NEG_Z * GRAVITY, ..params(Vec3::ZERO) };
    let def = body(Shape::sphere(0.2), DENSITY, BodyState::default());
    let mut world = World::new(params, &[], &[def]);
    let told = BodyState { velocity: Vec3::X, ..BodyState::default() };
    let step = |world: &mut World| world.sim.step(&Serial, &mut world.bodies, 0.01).expect("finite");
    step(&mut world);
    world.bodies.set_state(0, told).expect("valid");
    assert_eq!(*world.bodies.list()[0].state(), told, "never taken");
    step(&mut world);
    assert!(world.bodies.body_mut(0).take_impulse().linear.z > 0.0);
    // Setting the same state again would hold the body: no impulse would be pending.
    let falling = BodyState { velocity: Vec3::new(1.0, 0.0, -0.1), ..told };
    world.bodies.set_state(0, falling).expect("valid");
    assert_eq!(*world.bodies.list()[0].state(), falling, "taken");
    step(&mut world);
    world.bodies.set_state(0, told).expect("valid");
    let pending = world.bodies.list()[0].state().velocity - told.velocity;
    assert!(pending.z.abs() > 1e-3 && pending.truncate().length() == 0.0, "{pending}");
    // Taking an impulse changes no state: the engine is about to apply it.
    let before = *world.bodies.list()[0].state();
    _ = world.bodies.body_mut(0).take_impulse();
    assert_eq!(*world.bodies.list()[0].state(), before);
    // Impulses not taken for a long time are dropped.
    for _ in 0..30 {
        step(&mut world);
    }
    world.bodies.set_state(0, told).expect("valid");
    assert_eq!(*world.bodies.list()[0].state(), told, "forgotten");
}

/// An engine that keeps setting the same state holds the body: once that is detected, no step begins with a
/// falling or rising body.
#[test]
fn what_a_floor_holds_up_does_not_move() {
    for takes in [true, false] {
        let params = Params { gravity: Vec3::NEG_Z * GRAVITY, ..params(Vec3::ZERO) };
        let mut world = World::new(params, &[], &[body(Shape::sphere(0.2), 0.5, BodyState::default())]);
        for n in 0..20 {
            world.bodies.set_state(0, BodyState::default()).expect("valid");
            for _ in 0..4 {
                world.sim.step(&Serial, &mut world.bodies, 1.0 / 240.0).expect("finite");
                let speed = world.bodies.list()[0].state().velocity.length();
                assert!(n < 2 || speed < 1e-4, "frame {n}, takes {takes}: {speed} m/s");
            }
            if takes {
                _ = world.bodies.body_mut(0).take_impulse();
            }
        }
    }
}

/// A world without an engine: the library moves the body with second-order accuracy, and free rotation
/// follows theory.
#[test]
fn a_body_that_no_engine_moves_moves_by_itself() {
    let state = BodyState {
        rotation: Quat::from_scaled_axis(Vec3::new(0.3, 0.2, 0.1)),
        angular_velocity: Vec3::new(0.5, 4.0, 1.0),
        ..BodyState::default()
    };
    let def = BodyDef {
        buoyant_force: BuoyantForce::OnWithWeight,
        ..body(Shape::cuboid(Vec3::new(0.3, 0.2, 0.1)), 2.0, state)
    };
    let params = Params { gravity: Vec3::NEG_Z * GRAVITY, ..params(Vec3::ZERO) };
    let mut world = World::new(params, &[], std::slice::from_ref(&def));
    let mut rigid = RigidBody::new(&def);
    let momentum = rigid.angular_momentum();
    for n in 1..=120 {
        world.sim.step(&Serial, &mut world.bodies, 1.0 / 120.0).expect("finite");
        for _ in 0..40 {
            rigid.integrate(1.0 / 4800.0);
        }
        let library = world.bodies.list()[0].state();
        // Half of its weight is lift.
        let time = f64::from(n) / 120.0;
        let place = (f64::from(library.position.z) + 0.25 * f64::from(GRAVITY) * time * time).abs();
        let turn = library.rotation.angle_between(rigid.rotation().as_quat());
        assert!(place < 1e-5 && turn < 5e-3, "step {n}: {place} m, {turn} rad");
    }
    let mut again = RigidBody::new(&def);
    again.set_state(world.bodies.list()[0].state());
    let change = again.angular_momentum().distance(momentum) / momentum.length();
    assert!(change < 1e-3, "angular momentum has changed by {change}");
}

/// Returns ½ q (M + A) q of the motion q of the only body, with this added inertia \[J\].
fn energy(world: &World, added: &AddedInertia) -> f64 {
    let rigid = &world.rigid[0];
    let back = rigid.rotation().conjugate();
    let (v, w) = (back * rigid.velocity(), back * rigid.angular_velocity());
    rigid.kinetic_energy()
        + 0.5 * (v.dot(added.linear * v + added.coupling * w * 2.0) + w.dot(added.angular * w))
}

/// A body that tumbles in still fluid turns by the moment of the fluid's momentum, which depends on where the
/// engine's body is when it gets the impulses of all steps of its frame: read at the library's positions, it
/// would brake the rotation by a fraction of each frame, or drive it.
#[test]
fn a_body_tumbles_on_for_any_number_of_steps() {
    let capsule = Shape::capsule(0.37, 0.21);
    let added = AddedInertia::of(std::slice::from_ref(&capsule)).expect("a solid");
    for (first, moves) in [(First::Take, 1), (First::Take, 16), (First::Tell, 1)] {
        for density in [0.1, 1.0] {
            // Frames of any length and number of steps; states a frame old are followed in even ones.
            for steps in [Some(1), Some(2), Some(4), None] {
                if steps.is_none() && first == First::Tell {
                    continue;
                }
                let state = BodyState {
                    velocity: Vec3::X,
                    angular_velocity: Vec3::new(0.0, 2.0, 0.3),
                    ..BodyState::default()
                };
                let def = BodyDef { no_through: true, ..body(capsule.clone(), density, state) };
                let mut params = params(Vec3::ZERO);
                (params.core_radius, params.ambient.density) = (0.2, 1.0);
                let mut world = World::new(params, &[], &[def]);
                let (random, mut count, mut time, mut before) = (Random::new(7), 0, 0.0, 0.0);
                let (mut least, mut most, mut across) = (1.0_f64, 1.0_f64, 0.0_f64);
                while time < 10.0 {
                    count += 2;
                    let (dt, steps) = match steps {
                        Some(steps) => (1.0 / 60.0, steps),
                        None => {
                            let dt = 1.0 / 144.0 + random.unit(count) * (1.0 / 30.0 - 1.0 / 144.0);
                            (dt, 1 + (random.unit(count + 1) * 4.0) as u32)
                        }
                    };
                    spread_frame(&mut world, first, (steps, moves), dt);
                    time += dt;
                    if count == 4 {
                        before = energy(&world, &added);
                    }
                    if count > 4 {
                        let share = energy(&world, &added) / before;
                        (least, most) = (least.min(share), most.max(share));
                    }
                    // The last seconds: it still turns across its axis.
                    if time > 5.0 {
                        let rigid = &world.rigid[0];
                        let spin = rigid.rotation().conjugate() * rigid.angular_velocity();
                        across = across.max(spin.truncate().length());
                    }
                }
                println!(
                    "{first:?} first, {moves} moves, density {density}, {steps:?} steps: energy {least:.4} \
                     to {most:.4}, turns with {across:.3}"
                );
                let name = format!("{first:?}, {moves} moves, {density}, {steps:?} steps");
                assert!(least > 0.96 && most < 1.04, "{name}: {least} to {most} of the energy");
                assert!(across > 1.3, "{name}: it turns with {across} rad/s");
            }
        }
    }
}

/// A tank turns with its content alike, a cavity beside its centre of mass.
#[test]
fn a_tank_tumbles_alike_for_any_number_of_steps() {
    let hole = Shape { parity: Parity::Hole, ..Shape::cuboid(Vec3::new(0.5, 0.3, 0.4)) };
    let hole = Shape { pose: fluid_bodies::pose::Pose::at(Vec3::new(0.2, 0.1, 0.0)), ..hole };
    let moved = |first: First, steps: u32| {
        let state = BodyState {
            velocity: Vec3::X * 0.5,
            angular_velocity: Vec3::new(0.4, 2.0, 0.3),
            ..BodyState::default()
        };
        let def = BodyDef {
            shapes: vec![hole.clone()],
            state,
            mass: 0.048,
            inertia: Some(DMat3::from_diagonal(glam::DVec3::new(0.09, 0.14, 0.12) * 0.048)),
            ..BodyDef::default()
        };
        let params = Params { core_radius: 0.1, ..params(Vec3::ZERO) };
        let mut world = World::new(params, &[], &[def]);
        (0..120).for_each(|_| frame(&mut world, first, steps, 1.0 / 24.0));
        world.rigid[0].angular_velocity().length()
    };
    let one = moved(First::Take, 1);
    for (first, steps) in [(First::Take, 2), (First::Take, 4), (First::Tell, 1), (First::Tell, 4)] {
        let spin = moved(first, steps);
        println!("{first:?} first, {steps} steps: {spin:.4} rad/s of {one:.4}");
        assert!((spin / one - 1.0).abs() < 0.004, "{first:?}, {steps} steps: {spin} of {one} rad/s");
    }
}
