//! A Bevy app without a window: a ball flies through a vortex ring that carries sparks, and is then
//! replaced by an emitter. Runs it at two frame rates, and once more without Bevy.
//!
//! Prints the results, and exits with 1 if the runs differ in a bit, if momentum of fluid and ball is
//! missing, or if the emitter's count is wrong.

mod plugin;

use bevy_app::{App, FixedMain, FixedUpdate, RunFixedMainLoop};
use bevy_ecs::prelude::*;
use plugin::{
    Fluid, FluidBody, FluidEmitter, FluidImpulse, FluidParticles, FluidSystems, Motion, VortonPlugin,
};
use std::process::ExitCode;
use std::time::Duration;
use vorton::glam::DVec3;
use vorton::prelude::{
    Bodies, BodyDef, BodySettings, BodyState, Emitter, EmitterDef, FilamentRing, Params, Serial, Shape, Vec3,
    VortexSim,
};

/// Fixed timestep: 1/60 s.
const STEP: Duration = Duration::from_nanos(16_666_667);
/// Steps with the ball, and after it has been despawned.
const STEPS_WITH_BALL: u64 = 240;
const STEPS: u64 = 300;
const CORE_RADIUS: f32 = 0.2;
/// Vortons per second.
const EMISSION: f32 = 40.0;
/// Mass \[kg\] of the ball; the fluid's density is 1 kg/m³.
const MASS: f32 = 0.2;
const SPARKS: usize = 2000;

// --- The scene -----------------------------------------------------------------------------------

fn params() -> Params {
    Params { core_radius: CORE_RADIUS, ..Params::default() }
}

/// A ring that travels along +z.
fn ring() -> FilamentRing {
    FilamentRing {
        centre: Vec3::ZERO,
        axis: Vec3::Z,
        radius: 1.0,
        circulation: 5.0,
        core_radius: CORE_RADIUS,
        count: 64,
    }
}

/// A ball that crosses the ring's path.
fn ball() -> (BodyDef, BodyState) {
    let state =
        BodyState { position: Vec3::new(-2.0, 0.9, 1.0), velocity: Vec3::X * 2.0, ..BodyState::default() };
    (BodyDef { shapes: vec![Shape::sphere(0.25)], mass: MASS, ..BodyDef::default() }, state)
}

/// A source of random eddies beside it.
fn eddies() -> EmitterDef {
    EmitterDef {
        position: Vec3::new(0.0, -3.0, 0.0),
        extent: Vec3::splat(0.5),
        rate: EMISSION,
        strength_spread: Vec3::splat(0.05),
        ..EmitterDef::default()
    }
}

/// Sparks on a spiral in the ring's plane.
fn sparks() -> Vec<Vec3> {
    let spark = |index: usize| {
        let (radius, turn) = (1.4 * ((index as f32 + 0.5) / SPARKS as f32).sqrt(), index as f32 * 2.4);
        Vec3::new(radius * turn.cos(), radius * turn.sin(), 0.0)
    };
    (0..SPARKS).map(spark).collect()
}

// --- The game ------------------------------------------------------------------------------------

/// Real time, and the part of it that no fixed step has used yet. With `bevy_time`, its plugin does this.
#[derive(Resource, Default)]
struct Clock {
    frame: Duration,
    unused: Duration,
}

fn run_fixed_steps(world: &mut World) {
    let frame = world.resource::<Clock>().frame;
    world.resource_mut::<Clock>().unused += frame;
    while world.resource::<Clock>().unused >= STEP {
        world.resource_mut::<Clock>().unused -= STEP;
        world.run_schedule(FixedMain);
    }
}

/// Stands in for a physics engine.
fn move_balls(mut balls: Query<(&mut Motion, &FluidImpulse)>) {
    for (mut motion, impulse) in &mut balls {
        push(&mut motion.0, impulse.0.linear, STEP.as_secs_f32());
    }
}

fn push(state: &mut BodyState, impulse: DVec3, dt: f32) {
    state.velocity += impulse.as_vec3() / MASS;
    state.position += state.velocity * dt;
}

/// Replaces the ball by an emitter after its time.
fn change(mut commands: Commands, fluid: Res<Fluid>, balls: Query<Entity, With<FluidBody>>) {
    if fluid.steps() == STEPS_WITH_BALL {
        balls.iter().for_each(|ball| commands.entity(ball).despawn());
        commands.spawn(FluidEmitter(eddies()));
    }
}

/// The momentum balance of fluid and ball \[kg m/s\], while there is no emitter, which adds to it.
#[derive(Resource, Default)]
struct Books {
    /// Momentum of both after the first step.
    first: Option<DVec3>,
    /// Largest difference from it.
    missing: f64,
    /// Sum of the magnitudes of the fluid's impulses on the ball.
    exchanged: f64,
}

/// Missing momentum, as a fraction of the momentum exchanged: rounding of float velocities and strengths.
/// Measured: 3e-6.
const MOST_MISSING: f64 = 1e-5;

fn balance(mut books: ResMut<Books>, fluid: Res<Fluid>, balls: Query<(&Motion, &FluidImpulse)>) {
    let Ok((motion, impulse)) = balls.single() else { return };
    // The fluid's momentum after its step, and the ball's, which has been pushed.
    let bound = fluid.bodies.list().iter().map(|body| body.bound().impulse).sum::<DVec3>();
    let sum =
        fluid.sim.moments(&Serial).linear_impulse + bound + motion.0.velocity.as_dvec3() * f64::from(MASS);
    let first = *books.first.get_or_insert(sum);
    books.missing = books.missing.max(first.distance(sum));
    books.exchanged += impulse.0.linear.length();
}

/// The end of a run.
#[derive(Debug, PartialEq)]
struct End {
    hash: u64,
    emitted: u64,
    sparks: Vec<Vec3>,
}

fn play(frame: Duration, books: &mut Books) -> Result<End, BevyError> {
    let mut app = App::new();
    let settings = BodySettings::default();
    app.add_plugins(VortonPlugin { params: params(), settings, workers: 2, step: STEP.as_secs_f32() });
    app.insert_resource(Clock { frame, ..Clock::default() }).init_resource::<Books>();
    app.add_systems(RunFixedMainLoop, run_fixed_steps);
    app.add_systems(FixedUpdate, (move_balls, balance, change).chain().after(FluidSystems));
    app.world_mut().resource_mut::<Fluid>().sim.add_vortons(&ring().vortons()?)?;
    let (body, state) = ball();
    app.world_mut().spawn((FluidBody(body), Motion(state)));
    let particles = app.world_mut().spawn(FluidParticles::at(sparks())).id();
    let mut frames = 0;
    while app.world().resource::<Fluid>().steps() < STEPS {
        app.update();
        frames += 1;
    }
    *books = app.world_mut().remove_resource().unwrap_or_default();
    let fluid = app.world().resource::<Fluid>();
    println!(
        "Bevy     {frames} frames of {:.1} ms: {} vortons, {} bodies left, hash {:016x}",
        frame.as_secs_f64() * 1e3,
        fluid.sim.vortons().len(),
        fluid.bodies.list().len(),
        fluid.sim.state_hash(),
    );
    let sparks = app.world().get::<FluidParticles>(particles).map(|set| set.positions.clone());
    let (hash, emitted) = (fluid.sim.state_hash(), fluid.sim.emitters()[0].emitted());
    Ok(End { hash, emitted, sparks: sparks.unwrap_or_default() })
}

/// The same without Bevy, on one thread.
fn play_without() -> Result<End, BevyError> {
    let (mut sim, dt) = (VortexSim::new(params())?, STEP.as_secs_f32());
    sim.add_vortons(&ring().vortons()?)?;
    let mut bodies = Bodies::new(BodySettings::default(), &params())?;
    let (def, mut state) = ball();
    let ball = bodies.add(BodyDef { state, ..def })?;
    let mut sparks = FluidParticles::at(sparks());
    for step in 0..STEPS {
        if step == STEPS_WITH_BALL {
            bodies.remove(ball);
            sim.emitters_mut().push(Emitter::new(eddies())?);
        }
        if step < STEPS_WITH_BALL {
            bodies.set_state(ball, state)?;
        }
        sim.step(&Serial, &mut bodies, dt)?;
        if step < STEPS_WITH_BALL {
            push(&mut state, bodies.body_mut(ball).take_impulse().linear, dt);
        }
        sparks.run(&sim, &bodies, &Serial, dt, step as u32 + 1)?;
    }
    let (hash, emitted) = (sim.state_hash(), sim.emitters()[0].emitted());
    println!("no Bevy  {STEPS} steps on one thread: {} vortons, hash {hash:016x}", sim.vortons().len());
    Ok(End { hash, emitted, sparks: sparks.positions })
}

fn main() -> Result<ExitCode, BevyError> {
    let mut books = Books::default();
    let slow = play(Duration::from_micros(33_400), &mut books)?;
    let fast = play(Duration::from_micros(6_900), &mut books)?;
    let plain = play_without()?;
    let missing = books.missing / books.exchanged;
    let height = plain.sparks.iter().map(|spark| f64::from(spark.z)).sum::<f64>() / SPARKS as f64;
    let due = f64::from(EMISSION) * STEP.as_secs_f64() * (STEPS - STEPS_WITH_BALL) as f64;
    println!(
        "         {:.3} kg m/s exchanged, {missing:.1e} of it missing; {} of {due:.0} vortons emitted; sparks rose by {height:.2} m",
        books.exchanged, plain.emitted
    );
    let same = slow == plain && fast == plain;
    let good = same && missing < MOST_MISSING && (plain.emitted as f64 - due).abs() <= 1.0 && height > 1.0;
    if !good {
        println!("FAILED: the runs differ, or momentum, vortons or sparks are missing");
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
