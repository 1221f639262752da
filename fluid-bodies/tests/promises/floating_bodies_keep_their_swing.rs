//! A body that bobs in an ambient with a density profile, moved by an engine, keeps its amplitude and has the
//! period of theory, at any frame rate and in any division of frames into steps.

use crate::immersed::{body, params};
use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::density::Stratification;
use fluid_core::math::Random;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::{Quat, Vec3};
use std::f64::consts::TAU;

const GRAVITY: f64 = 9.81;
/// Distance from equilibrium at the start \[m\].
const START: f64 = 0.3;

/// Calls of a frame, and how the engine moves its body.
#[derive(Debug, Clone, Copy)]
enum Host {
    /// State, so many steps of the fluid, impulse; the body moves by the new velocity.
    AtOnce { steps: u32 },
    /// The same, but forces are spread over so many steps of the engine.
    Spread { parts: u32 },
    /// Steps, state, impulse, engine: states are a frame old.
    Behind,
}

/// Vertical motion of a body of an engine.
struct Swing {
    sim: VortexSim,
    bodies: Bodies,
    mass: f64,
    height: f64,
    speed: f64,
}

impl Swing {
    fn new(
        stratification: Stratification,
        shape: Shape,
        no_through: bool,
        (height, speed): (f64, f64),
    ) -> Self {
        let mut params = params(Vec3::ZERO);
        params.gravity = Vec3::NEG_Z * GRAVITY as f32;
        params.ambient.stratification = stratification;
        let state = BodyState {
            position: Vec3::Z * height as f32,
            velocity: Vec3::Z * speed as f32,
            ..BodyState::default()
        };
        let def = BodyDef { no_through, ..body(shape, 1.0, state) };
        let mass = def.mass.into();
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        bodies.add(def).expect("a valid body");
        Self { sim: VortexSim::new(params).expect("valid parameters"), bodies, mass, height, speed }
    }

    fn tell(&mut self) {
        let state = BodyState {
            position: Vec3::Z * self.height as f32,
            velocity: Vec3::Z * self.speed as f32,
            rotation: Quat::IDENTITY,
            angular_velocity: Vec3::ZERO,
        };
        self.bodies.set_state(0, state).expect("a valid state");
    }

    fn frame(&mut self, host: Host, dt: f64) {
        let is_behind = matches!(host, Host::Behind);
        let (steps, parts) = match host {
            Host::AtOnce { steps } => (steps, 1),
            Host::Spread { parts } => (1, parts),
            Host::Behind => (1, 1),
        };
        if !is_behind {
            self.tell();
        }
        for _ in 0..steps {
            self.sim.step(&Serial, &mut self.bodies, (dt / f64::from(steps)) as f32).expect("a finite step");
        }
        if is_behind {
            self.tell();
        }
        let change = self.bodies.body_mut(0).take_impulse().linear.z / self.mass - GRAVITY * dt;
        for _ in 0..parts {
            self.speed += change / f64::from(parts);
            self.height += self.speed * dt / f64::from(parts);
        }
    }

    /// Returns the amplitude at the end of `time` \[s\], and the mean period \[s\].
    fn swing(&mut self, host: Host, period: f64, time: f64, frames: impl Iterator<Item = f64>) -> (f64, f64) {
        let (mut now, mut crossings, mut largest) = (0.0, Vec::new(), 0.0_f64);
        for dt in frames {
            let before = self.height;
            self.frame(host, dt);
            now += dt;
            if before < 0.0 && self.height >= 0.0 {
                crossings.push(now - dt * self.height / (self.height - before));
            }
            if now > time - 1.1 * period {
                largest = largest.max(self.height.abs());
            }
            if now >= time {
                break;
            }
        }
        let (first, last) = (crossings[0], crossings[crossings.len() - 1]);
        (largest, (last - first) / (crossings.len() - 1) as f64)
    }
}

fn every(rate: f64) -> impl Iterator<Item = f64> {
    std::iter::repeat(1.0 / rate)
}

/// Returns frames of 1/120 to 1/24 s.
fn jittered() -> impl Iterator<Item = f64> {
    let random = Random::new(5);
    (0..).map(move |n| 1.0 / 120.0 + (1.0 / 24.0 - 1.0 / 120.0) * f64::from(random.unit(n)))
}

fn linear(gradient: f32) -> Stratification {
    Stratification::Linear { gradient: Vec3::NEG_Z * gradient }
}

fn layers() -> Stratification {
    Stratification::Layers { normal: Vec3::Z, height: 0.0, jump: -0.4, thickness: 0.02 }
}

/// A ball (added mass ½) in a linear profile.
#[test]
fn in_a_linear_profile() {
    for no_through in [false, true] {
        let period = TAU / (GRAVITY * 0.1 / if no_through { 1.5 } else { 1.0 }).sqrt();
        let ball = || Swing::new(linear(0.1), Shape::sphere(0.5), no_through, (START, 0.0));
        let time = if no_through { 20.0 } else { 60.0 };
        for (rate, steps) in [(30.0, 1), (30.0, 2), (30.0, 4), (60.0, 1), (120.0, 1)] {
            let (amplitude, found) = ball().swing(Host::AtOnce { steps }, period, time, every(rate));
            println!("{no_through} {rate} Hz, {steps} steps: {amplitude:.4} m, {:.5}", found / period);
            assert!((amplitude / START - 1.0).abs() < 0.003, "{no_through} {rate} Hz {steps}: {amplitude}");
            assert!((found / period - 1.0).abs() < 1e-3, "{no_through} {rate} Hz {steps}: {found}");
        }
        let (amplitude, found) = ball().swing(Host::AtOnce { steps: 1 }, period, time, jittered());
        println!("{no_through} jitter: {amplitude:.4} m, {:.5}", found / period);
        assert!((amplitude / START - 1.0).abs() < 0.02, "{no_through} jitter: {amplitude}");
    }
}

/// A box on an interface between layers: the restoring force is that of the area of its section.
#[test]
fn on_an_interface() {
    for no_through in [false, true] {
        let cube = || Swing::new(layers(), Shape::cuboid(Vec3::splat(0.4)), no_through, (0.1, 0.0));
        // The coefficient of a cube's added mass.
        let inertia = if no_through { 1.6383 } else { 1.0 };
        let period = TAU / (GRAVITY * 0.4 / 0.8 / inertia).sqrt();
        for (rate, steps) in [(30.0, 1), (30.0, 3), (120.0, 1)] {
            let (amplitude, found) = cube().swing(Host::AtOnce { steps }, period, 15.0, every(rate));
            println!("{no_through} {rate} Hz, {steps} steps: {amplitude:.4} m, {:.5}", found / period);
            assert!((amplitude / 0.1 - 1.0).abs() < 0.005, "{no_through} {rate} Hz {steps}: {amplitude}");
            assert!((found / period - 1.0).abs() < 1e-3, "{no_through} {rate} Hz {steps}: {found}");
        }
    }
}

/// Engines that spread forces over their frame, and hosts a frame behind, gain nothing either.
#[test]
fn in_engines_of_other_orders() {
    let period = TAU / (GRAVITY * 0.1).sqrt();
    for host in [Host::Spread { parts: 2 }, Host::Spread { parts: 16 }, Host::Behind] {
        for rate in [30.0, 60.0] {
            let mut ball = Swing::new(linear(0.1), Shape::sphere(0.5), false, (START, 0.0));
            let (amplitude, found) = ball.swing(host, period, 60.0, every(rate));
            println!("{host:?} {rate} Hz: {amplitude:.4} m, {:.5}", found / period);
            assert!((0.99..1.01).contains(&(amplitude / START)), "{host:?} {rate} Hz: {amplitude}");
        }
    }
}

/// A body that crosses an interface in a frame or two gets the work of the lift from layer to layer, wherever
/// its frames begin.
#[test]
fn across_an_interface_in_a_frame() {
    let (speed, dt) = (20.0, 1.0 / 30.0);
    for start in 0..8 {
        let height = -3.0 + speed * dt * f64::from(start) / 8.0;
        let cube = Shape::cuboid(Vec3::splat(0.05));
        let mut swing = Swing::new(layers(), cube, false, (height, speed));
        while swing.height < 3.0 {
            swing.frame(Host::AtOnce { steps: 1 }, dt);
        }
        // The force is .2 g below the interface, and -.2 g above. Velocities are half a frame older than
        // positions.
        let exact = GRAVITY * 0.2 * (speed * dt - height - swing.height);
        let found = 0.5 * (swing.speed * swing.speed - speed * speed);
        println!("from {height:.3} m: {found:.4} J/kg, exactly {exact:.4}");
        assert!((found - exact).abs() < 0.05, "from {height} m: {found} instead of {exact}");
    }
}
