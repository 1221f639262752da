//! A closed tank on springs and joints of an engine swings with the period of its mass and that of its fluid,
//! and keeps its amplitude, if a part of the fluid is in the engine's mass and inertia
//! ([`BodyDef::fluid_mass`], E69).

use crate::immersed::params;
use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::math::Random;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::{DMat3, DVec3, Quat, Vec3};
use std::f64::consts::TAU;

const GRAVITY: f64 = 9.81;
/// Radius of a compartment \[m\].
const RADIUS: f64 = 0.4;
/// Mass of the fluid in it \[kg\], of density 1.
const CONTENT: f64 = 4.0 / 3.0 * std::f64::consts::PI * RADIUS * RADIUS * RADIUS;
/// Distance from the start of the swing.
const START: f64 = 0.2;

/// What the coordinate of a swing is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    /// A displacement along x \[m\].
    Along,
    /// An angle about y \[rad\], the body's centre at rest.
    About,
    /// The angle of a pendulum of this length \[m\], to which the body is fixed.
    Pendulum(f64),
}

/// A tank that an engine moves along one coordinate.
struct Swing {
    sim: VortexSim,
    bodies: Bodies,
    way: Way,
    /// Inertia of the coordinate in the engine.
    inertia: f64,
    /// Stiffness of its spring.
    stiffness: f64,
    mass: f64,
    place: f64,
    speed: f64,
    /// Steps of the engine in a frame, with the fluid's impulse before them.
    steps: u32,
    /// Distance of the spring's middle from the origin, along x \[m\].
    far: f64,
}

fn hole(at: Vec3) -> Shape {
    let mut shape = Shape { parity: Parity::Hole, ..Shape::sphere(RADIUS as f32) };
    shape.pose.position = at;
    shape
}

impl Swing {
    /// Creates a tank with holes, of an own mass and moment of inertia, of which the engine's get a part of
    /// the fluid beside them. The spring has the period of one second with all of `content`, the inertia of
    /// the coordinate that fluid adds.
    fn new(holes: &[Vec3], way: Way, (own, part): ((f64, f64), (f64, f64)), content: f64) -> Self {
        let mut params = params(Vec3::ZERO);
        let (mass, turning) = (own.0 + part.0, own.1 + part.1);
        let def = BodyDef {
            shapes: holes.iter().map(|&at| hole(at)).collect(),
            mass: mass as f32,
            inertia: Some(DMat3::from_diagonal(DVec3::new(turning, turning, own.1))),
            fluid_mass: part.0 as f32,
            fluid_inertia: DMat3::from_diagonal(DVec3::new(part.1, part.1, 0.0)),
            ..BodyDef::default()
        };
        let (own, inertia) = match way {
            Way::Along => (own.0, mass),
            Way::About => (own.1, turning),
            Way::Pendulum(length) => {
                params.gravity = Vec3::NEG_Z * GRAVITY as f32;
                (own.0 * length * length + own.1, mass * length * length + turning)
            }
        };
        let stiffness = if let Way::Pendulum(_) = way { 0.0 } else { (own + content) * TAU * TAU };
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        bodies.add(def).expect("a valid body");
        let sim = VortexSim::new(params).expect("valid parameters");
        Self { sim, bodies, way, inertia, stiffness, mass, place: START, speed: 0.0, steps: 1, far: 0.0 }
    }

    fn state(&self) -> BodyState {
        let (place, speed) = (self.place, self.speed);
        let turned = |angle: f64| Quat::from_rotation_y(angle as f32);
        match self.way {
            Way::Along => BodyState {
                position: Vec3::X * (self.far + place) as f32,
                velocity: Vec3::X * speed as f32,
                ..BodyState::default()
            },
            Way::About => BodyState {
                rotation: turned(place),
                angular_velocity: Vec3::Y * speed as f32,
                ..BodyState::default()
            },
            Way::Pendulum(length) => {
                let (sine, cosine) = place.sin_cos();
                BodyState {
                    position: (DVec3::new(sine, 0.0, -cosine) * length).as_vec3(),
                    velocity: (DVec3::new(cosine, 0.0, sine) * (length * speed)).as_vec3(),
                    rotation: turned(-place),
                    angular_velocity: Vec3::NEG_Y * speed as f32,
                }
            }
        }
    }

    fn frame(&mut self, dt: f64) {
        self.bodies.set_state(0, self.state()).expect("a valid state");
        self.sim.step(&Serial, &mut self.bodies, dt as f32).expect("a finite step");
        let impulse = self.bodies.body_mut(0).take_impulse();
        let given = match self.way {
            Way::Along => impulse.linear.x,
            Way::About => impulse.angular.y,
            Way::Pendulum(length) => {
                let (sine, cosine) = self.place.sin_cos();
                let force = impulse.linear + DVec3::NEG_Z * (GRAVITY * self.mass * dt);
                force.dot(DVec3::new(cosine, 0.0, sine)) * length - impulse.angular.y
            }
        };
        self.speed += given / self.inertia;
        let dt = dt / f64::from(self.steps);
        for _ in 0..self.steps {
            self.speed -= self.stiffness * self.place * dt / self.inertia;
            self.place += self.speed * dt;
        }
    }

    /// Returns the amplitude at the end of `time` \[s\] and the mean period \[s\].
    fn swing(&mut self, period: f64, time: f64, frames: impl Iterator<Item = f64>) -> (f64, f64) {
        let (mut now, mut crossings, mut largest) = (0.0, Vec::new(), 0.0_f64);
        for dt in frames {
            let before = self.place;
            self.frame(dt);
            now += dt;
            if before < 0.0 && self.place >= 0.0 {
                crossings.push(now - dt * self.place / (self.place - before));
            }
            if now > time - 1.1 * period {
                largest = largest.max(self.place.abs());
            }
            if now >= time {
                break;
            }
        }
        let count = crossings.len().max(2) - 1;
        let mean = crossings.last().zip(crossings.first()).map(|(last, first)| (last - first) / count as f64);
        (largest, mean.unwrap_or(f64::INFINITY))
    }
}

fn every(rate: f64) -> impl Iterator<Item = f64> {
    std::iter::repeat(1.0 / rate)
}

/// Returns frames of 1/90 to 1/30 s.
fn jittered() -> impl Iterator<Item = f64> {
    let random = Random::new(3);
    (0..).map(move |n| 1.0 / 90.0 + (1.0 / 30.0 - 1.0 / 90.0) * f64::from(random.unit(n)))
}

/// Compartments, and the moment of inertia of their fluid about y for the coordinate of a pendulum or a turn.
const ONE: &[Vec3] = &[Vec3::ZERO];
const TWO: &[Vec3] = &[Vec3::new(0.0, 0.0, 0.5), Vec3::new(0.0, 0.0, -0.5)];
const OF_TWO: f64 = 2.0 * CONTENT * 0.25;

#[test]
fn on_a_spring() {
    for (holes, density) in [(ONE, 0.1), (TWO, 0.1), (ONE, 1.0)] {
        let content = CONTENT * holes.len() as f64;
        let own = (density * content, 0.1 * content);
        for (part, rate, bound) in [(1.0, 30.0, 0.005), (1.0, 120.0, 0.005), (0.9, 30.0, 0.25)] {
            let mut tank = Swing::new(holes, Way::Along, (own, (part * content, 0.0)), content);
            let (amplitude, period) = tank.swing(1.0, 20.0, every(rate));
            let case = format!("{} holes, density {density}, {part} known, {rate} Hz", holes.len());
            println!("{case}: {amplitude:.4} m, {period:.4} s");
            assert!((period - 1.0).abs() < 0.003, "{case}: {period}");
            let kept = amplitude / START;
            assert!((1.0 - bound..1.005).contains(&kept), "{case}: {amplitude}");
        }
        let mut tank = Swing::new(holes, Way::Along, (own, (content, 0.0)), content);
        let (amplitude, period) = tank.swing(1.0, 20.0, jittered());
        println!("jitter: {amplitude:.4} m, {period:.4} s");
        assert!((amplitude / START - 1.0).abs() < 0.1, "jitter: {amplitude}");
    }
}

/// Two compartments on a spring that turns the tank: fluid in a ball does not turn, but goes around.
#[test]
fn on_a_spring_that_turns_it() {
    for (part, rate, bound) in [(1.0, 30.0, 0.005), (1.0, 120.0, 0.005), (0.95, 120.0, 0.3)] {
        let own = (CONTENT, 0.3 * OF_TWO);
        let mut tank = Swing::new(TWO, Way::About, (own, (0.0, part * OF_TWO)), OF_TWO);
        let (amplitude, period) = tank.swing(1.0, 20.0, every(rate));
        println!("{part} known, {rate} Hz: {amplitude:.4} rad, {period:.4} s");
        assert!((period - 1.0).abs() < 0.003, "{part} {rate}: {period}");
        let kept = amplitude / START;
        assert!((1.0 - bound..1.005).contains(&kept), "{part} {rate}: {amplitude}");
    }
}

/// A pendulum: the weight of the fluid as well.
#[test]
fn on_a_rod() {
    let length = 2.0;
    for (holes, turning) in [(ONE, 0.0), (TWO, OF_TWO)] {
        let content = CONTENT * holes.len() as f64;
        for (part, rate, bound) in [(1.0, 30.0, 0.01), (1.0, 120.0, 0.01), (0.9, 30.0, 0.25)] {
            let own = (0.2 * content, 0.02 * content);
            let fluid = content * length * length + turning;
            let known = (part * content, part * turning);
            let mut tank = Swing::new(holes, Way::Pendulum(length), (own, known), fluid);
            // A tank of holes displaces no fluid outside.
            let torque = GRAVITY * (own.0 + content) * length;
            let inertia = own.0 * length * length + own.1 + fluid;
            let exact = TAU / (torque / inertia).sqrt() * (1.0 + START * START / 16.0);
            let (amplitude, period) = tank.swing(exact, 24.0, every(rate));
            println!("{part} known, {rate} Hz: {amplitude:.4} rad, {:.4}", period / exact);
            assert!((period / exact - 1.0).abs() < 0.003, "{part} {rate}: {period} of {exact}");
            let kept = amplitude / START;
            assert!((1.0 - bound..1.01).contains(&kept), "{part} {rate}: {amplitude}");
        }
    }
}

/// An engine that adds the impulse and then moves the tank in steps of its own, without fluid in its mass:
/// the whole answer to the spring in advance would be half a frame early, and the swing of a tank of its
/// content's mass would double within 15 s. Also far from the origin.
#[test]
fn an_engine_of_many_steps_gains_nothing() {
    for density in [0.1, 1.0, 3.0] {
        for (rate, steps, far) in [(60.0, 4, 0.0), (60.0, 16, 200.0), (240.0, 16, 0.0)] {
            let own = (density * CONTENT, 0.01);
            let swing = Swing::new(&[Vec3::ZERO], Way::Along, (own, (0.0, 0.0)), CONTENT);
            let mut swing = Swing { steps, far, ..swing };
            let (mut most, mut late) = (0.0_f64, 0.0_f64);
            for frame in 0..(15.0 * rate) as u32 {
                swing.frame(1.0 / rate);
                most = most.max(swing.place.abs());
                late = if f64::from(frame) > 14.0 * rate { late.max(swing.place.abs()) } else { late };
            }
            let case = format!("density {density}, {rate} Hz, {steps} steps, {far} m away");
            println!("{case}: at most {most:.4} m, {late:.4} m in the end, {START} m at first");
            assert!(most < 1.01 * START, "{case}: {most} m");
        }
    }
}
