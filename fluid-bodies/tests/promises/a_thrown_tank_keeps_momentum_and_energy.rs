//! A freely tumbling tank is a rigid body of shell and contents: its joint centre of mass moves straight
//! on, or falls, and momentum, angular momentum and energy are conserved for any masses, frame rate,
//! position of the hole and order of the engine's calls.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::body::BuoyantForce;
use fluid_bodies::rigid_body::RigidBody;
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::DensityBox;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::SolverKind;
use fluid_threads::Serial;
use glam::{DMat3, DQuat, DVec3, Vec3};
use std::f64::consts::PI;

const HALF: Vec3 = Vec3::new(0.5, 0.4, 0.3);
const DENSITY: f64 = 1.2;
/// Frames of a throw.
const FRAMES: u32 = 120;
const CONTENT: f64 = DENSITY * 8.0 * 0.5 * 0.4 * 0.3;

/// Use of a step's impulses by the engine.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Engine {
    /// Applies them, and then moves its bodies.
    First,
    /// Moves its bodies, and then applies them.
    Last,
    /// Applies them in every third frame.
    Seldom,
    /// No engine: the library moves the body.
    None,
}

const ENGINES: [Engine; 4] = [Engine::First, Engine::Last, Engine::Seldom, Engine::None];

/// Returns the torsion constant \[m⁴\] of a rectangle of these sides \[m\] (Saint-Venant).
fn torsion(a: f64, b: f64) -> f64 {
    let (a, b) = (a.max(b), a.min(b));
    let terms = (0..20).map(|k| f64::from(2 * k + 1)).map(|n| (n * PI * a / (2.0 * b)).tanh() / n.powi(5));
    a * b.powi(3) * (1.0 / 3.0 - 64.0 / PI.powi(5) * b / a * terms.sum::<f64>())
}

/// Returns the inertia of the contents about their centre \[kg m²\]: a solid's, less that of the rotation
/// relative to the walls.
fn inertia_of_content() -> DMat3 {
    let DVec3 { x, y, z } = HALF.as_dvec3() * 2.0;
    let along = |a: f64, b: f64, c: f64| CONTENT / 12.0 * (a * a + b * b) - DENSITY * c * torsion(a, b);
    DMat3::from_diagonal(DVec3::new(along(y, z, x), along(x, z, y), along(x, y, z)))
}

/// Returns the inertia of a point of mass 1 kg \[m²\].
fn of_point(place: DVec3) -> DMat3 {
    let outer = DMat3::from_cols(place * place.x, place * place.y, place * place.z);
    DMat3::from_diagonal(DVec3::splat(place.length_squared())) - outer
}

struct World {
    sim: VortexSim,
    bodies: Bodies,
    rigid: RigidBody,
    engine: Engine,
    frames: u32,
    /// Joint centre of mass \[m\] and inertia about it \[kg m²\], body's axes.
    centre: DVec3,
    inertia: DMat3,
}

impl World {
    fn new(mass: f64, offset: Vec3, spin: Vec3, gravity: Vec3, engine: Engine) -> Self {
        let mut shape = Shape { parity: Parity::Hole, ..Shape::cuboid(HALF) };
        shape.pose.position = offset;
        let of_shell = DMat3::from_diagonal(DVec3::new(0.09, 0.13, 0.17) * mass);
        let state =
            BodyState { velocity: Vec3::new(1.0, -0.5, 0.3), angular_velocity: spin, ..BodyState::default() };
        let def = BodyDef {
            shapes: vec![shape],
            mass: mass as f32,
            inertia: Some(of_shell),
            buoyant_force: BuoyantForce::OnWithWeight,
            state,
            ..BodyDef::default()
        };
        let mut params =
            Params { core_radius: 0.15, gravity, solver: SolverKind::Direct, ..Params::default() };
        params.ambient.density = DENSITY as f32;
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        bodies.add(def.clone()).expect("a valid body");
        let mut sim = VortexSim::new(params).expect("valid parameters");
        let filling = DensityBox {
            centre: offset,
            extent: Vec3::splat(0.3),
            spacing: 0.15,
            density_deviation: 0.0,
            dye: 0.0,
            fuel: 0.0,
        };
        sim.add_vortons(&filling.vortons().expect("constants in range")).expect("valid vortons");
        let (offset, both) = (offset.as_dvec3(), mass + CONTENT);
        let inertia = of_shell + inertia_of_content() + of_point(offset) * (mass * CONTENT / both);
        let centre = offset * (CONTENT / both);
        Self { sim, bodies, rigid: RigidBody::new(&def), engine, frames: 0, centre, inertia }
    }

    fn frame(&mut self, dt: f32) {
        if self.engine != Engine::None {
            self.bodies.set_state(0, self.rigid.state()).expect("a valid state");
        }
        self.sim.step(&Serial, &mut self.bodies, dt).expect("a finite step");
        self.frames += 1;
        let takes = self.engine != Engine::Seldom || self.frames % 3 == 1;
        if self.engine == Engine::Last {
            self.rigid.integrate(dt.into());
        }
        if self.engine != Engine::None && takes {
            let impulse = self.bodies.body_mut(0).take_impulse();
            self.rigid.apply(&impulse);
        }
        if matches!(self.engine, Engine::First | Engine::Seldom) {
            self.rigid.integrate(dt.into());
        }
    }

    /// Returns the joint centre of mass, and rotation.
    fn pose(&self) -> (DVec3, DQuat) {
        let state = match self.engine {
            Engine::None => *self.bodies.list()[0].state(),
            _ => self.rigid.state(),
        };
        let turn = state.rotation.as_dquat().normalize();
        (state.position.as_dvec3() + turn * self.centre, turn)
    }
}

#[derive(Debug)]
struct Seen {
    /// Least and largest rotational energy, relative to the first.
    energy: (f64, f64),
    /// Largest change of angular momentum, relative to its initial value \[1\].
    angular: f64,
    /// Largest change of momentum in excess of weight, divided by the total mass \[m/s\].
    linear: f64,
}

/// Throws a tank with `mass` times the mass of its contents that rotates by `turn` \[rad\] in a frame.
fn throw(mass: f64, offset: Vec3, turn: f32, rate: f32, engine: Engine) -> Seen {
    let (dt, gravity) = (1.0 / rate, Vec3::Z * -9.81);
    let spin = Vec3::new(0.48, 0.6, 0.64) * turn * rate;
    let mass = mass * CONTENT;
    let mut world = World::new(mass, offset, spin, gravity, engine);
    let (mut poses, mut linear, mut before) = (vec![world.pose()], 0.0_f64, DVec3::ZERO);
    for frame in 0..FRAMES {
        world.frame(dt);
        poses.push(world.pose());
        let body = &world.bodies.list()[0];
        let whole = body.state().velocity.as_dvec3() * mass + body.fluid_momentum() * DENSITY;
        let fallen = gravity.as_dvec3() * f64::from(dt) * f64::from(frame + 1);
        let velocity = whole / (mass + CONTENT) - fallen;
        if frame > 0 {
            linear = linear.max(velocity.distance(before));
        }
        before = velocity;
    }
    let motion = |pair: &[(DVec3, DQuat)]| {
        let turned = (pair[1].1 * pair[0].1.conjugate()).normalize();
        let spin = turned.to_scaled_axis() / f64::from(dt);
        let middle = DMat3::from_quat(pair[0].1.slerp(pair[1].1, 0.5));
        (spin, middle * (world.inertia * (middle.transpose() * spin)))
    };
    // In the first frame, an engine that applies impulses after its own step has no impulse of the
    // contents.
    let moves: Vec<_> = poses.windows(2).skip(1).map(motion).collect();
    let energies = || moves.iter().map(|(spin, angular)| spin.dot(*angular));
    let (first, start) = (moves[0].0.dot(moves[0].1), moves[0].1);
    let energy = (energies().fold(f64::INFINITY, f64::min) / first, energies().fold(0.0, f64::max) / first);
    let angular = moves.iter().map(|(_, l)| l.distance(start)).fold(0.0, f64::max) / start.length();
    Seen { energy, angular, linear }
}

/// Returns the allowed relative change of energy, and of angular momentum.
fn allowed(engine: Engine, turn: f32) -> (f64, f64) {
    let is_behind = matches!(engine, Engine::Last | Engine::Seldom);
    match (is_behind, turn < 0.25) {
        (false, true) => (0.01, 0.02),
        // The engine's bodies rotate with the momentum of the previous frame.
        (true, true) => (0.1, 0.3),
        // As far as such steps can follow Euler's equations.
        (false, false) => (0.08, 0.25),
        (true, false) => (0.3, 0.7),
    }
}

fn check(masses: &[f64], offsets: &[Vec3], turns: &[f32], rates: &[f32]) {
    for &engine in &ENGINES {
        for (&mass, &offset) in
            masses.iter().flat_map(|mass| offsets.iter().map(move |offset| (mass, offset)))
        {
            for (&turn, &rate) in turns.iter().flat_map(|turn| rates.iter().map(move |rate| (turn, rate))) {
                let Seen { energy: (low, high), angular, linear } = throw(mass, offset, turn, rate, engine);
                println!(
                    "{engine:?}, {mass} of its content, hole at {offset}, {turn} rad a frame at {rate} Hz: energy \
                     {low:.4} to {high:.4}, angular momentum {angular:.4}, momentum {linear:.1e}"
                );
                let (most, most_angular) = allowed(engine, turn);
                assert!(low > 1.0 - most && high < 1.0 + most, "energy {low} to {high}");
                assert!(angular < most_angular, "angular momentum changes by {angular}");
                assert!(linear < 2e-5, "momentum changes by {linear} m/s in a frame");
            }
        }
    }
}

const OFFSET: Vec3 = Vec3::new(0.2, -0.1, 0.15);

#[test]
fn light_or_heavy() {
    check(&[0.01, 1.0], &[OFFSET], &[0.2, 1.0], &[60.0]);
}

#[test]
#[ignore = "a minute and a half"]
fn at_any_rate() {
    let turns = [0.02, 0.2, 0.5, 1.0];
    check(&[0.01, 0.1, 1.0, 10.0], &[Vec3::ZERO, OFFSET], &turns, &[24.0, 120.0]);
}
