//! Samples and tracers some way off bodies that no fluid passes through read an expansion of each body's flow
//! (E77): it is that of the sum over all vortons of all sheets in f64. Bits do not depend on the executor, a
//! saved fluid goes on with them, and the fluid does not depend on tracers.

use crate::floor::half_space;
use crate::immersed::{CORE, body, params};
use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyCoupling, BodyDef, BodyState, Pose};
use fluid_core::boundary::StepTime;
use fluid_core::initial::FilamentRing;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::Tracers;
use fluid_core::saved::{Reader, Saved, Writer};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{DirectOracle, FlowSample, Sources, VelocityField};
use fluid_threads::{Executor, Pool, Serial, Shuffled};
use glam::Vec3;

/// Half the width of a body \[m\].
const HALF: f32 = 0.3;

/// Distance of bodies \[m\].
const APART: f32 = 0.9;

const BODIES: usize = 3;

const SPEED: f32 = 1.0;

/// Steps of no time, in which sheets come to answer each other's flow.
const STEPS: usize = 6;

#[derive(Clone, Copy)]
struct Scene {
    samples: usize,
    tracers: u64,
    has_floor: bool,
    has_ring: bool,
}

const PLAIN: Scene = Scene { samples: 0, tracers: 0, has_floor: false, has_ring: false };

struct Case {
    sim: VortexSim,
    bodies: Bodies,
    tracers: Tracers,
}

fn centre(body: usize) -> Vec3 {
    Vec3::X * APART * (body as f32 - 1.0)
}

impl Case {
    fn new(scene: Scene) -> Self {
        let params = Params { expected_samples: scene.samples, ..params(Vec3::ZERO) };
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        for index in 0..BODIES {
            let velocity = Vec3::new(0.6, 0.0, 0.8) * SPEED;
            let state = BodyState { position: centre(index), velocity, ..BodyState::default() };
            let def = BodyDef { no_through: true, ..body(Shape::cuboid(Vec3::splat(HALF)), 1.0, state) };
            bodies.add(BodyDef { mass: f32::INFINITY, ..def }).expect("a valid body");
        }
        if scene.has_floor {
            let pose = Pose { position: Vec3::NEG_Z * 1.5, ..Pose::IDENTITY };
            bodies.add(half_space(pose)).expect("a valid floor");
        }
        let mut sim = VortexSim::new(params).expect("valid parameters");
        if scene.has_ring {
            let (centre, axis, core_radius) = (Vec3::new(0.0, 0.0, 0.9), Vec3::Z, CORE);
            let ring = FilamentRing { centre, axis, radius: 0.4, circulation: 0.5, core_radius, count: 64 };
            sim.add_vortons(&ring.vortons().expect("a valid ring")).expect("room for them");
        }
        let mut tracers = Tracers::with_capacity(scene.tracers as usize);
        (0..scene.tracers).for_each(|n| _ = tracers.push(place_around(n)));
        Self { sim, bodies, tracers }
    }

    fn step(&mut self, exec: &dyn Executor, dt: f32) {
        self.sim.step(exec, &mut self.bodies, dt).expect("a finite step");
        self.sim.advance_tracers(exec, &mut self.bodies, &mut self.tracers, dt);
    }

    fn at_rest(scene: Scene) -> Self {
        let mut case = Self::new(scene);
        (0..STEPS).for_each(|_| case.step(&Serial, 0.0));
        case
    }

    fn oracle(&self) -> DirectOracle {
        let mut sources = Sources::default();
        sources.copy_from(&self.sim.vortons().positions, &self.sim.vortons().strengths);
        self.bodies.clone().bound_vortons(&Serial, StepTime::Start, &mut sources);
        let Sources { positions, strengths, .. } = &sources;
        let vortons = positions.iter().zip(strengths.iter());
        DirectOracle {
            kernel: self.sim.params().kernel,
            core_radius: CORE.into(),
            vortons: vortons.map(|(place, strength)| (place.as_dvec3(), strength.as_dvec3())).collect(),
        }
    }

    /// Returns the root mean square and the largest error of velocities at these positions, over the speed of
    /// the bodies.
    fn errors(&self, places: &[Vec3]) -> [f64; 2] {
        let (oracle, mut found) = (self.oracle(), vec![Vec3::ZERO; places.len()]);
        self.sim.field().velocities(places, &mut found);
        let error = |(place, found): (&Vec3, &Vec3)| {
            (found.as_dvec3() - oracle.velocity(place.as_dvec3())).length() / f64::from(SPEED)
        };
        rms_and_largest(places.iter().zip(&found).map(error))
    }

    fn save(&self) -> Vec<u8> {
        let write = |bytes: &mut [u8]| {
            let mut out = Writer::new(bytes, &self.bodies);
            self.bodies.save(&mut out);
            self.sim.save(&mut out);
            self.tracers.save(&mut out);
            out.len()
        };
        let mut bytes = vec![0; write(&mut [])];
        write(&mut bytes);
        bytes
    }
}

fn rms_and_largest(errors: impl Iterator<Item = f64>) -> [f64; 2] {
    let (count, squares, largest) = errors
        .fold((0.0, 0.0, 0.0_f64), |(n, sum, most), error| (n + 1.0, sum + error * error, most.max(error)));
    [(squares / count).sqrt(), largest]
}

/// A place in a box of 6 m x 3 m x 3 m above the floor, outside of bodies.
fn place_around(n: u64) -> Vec3 {
    let place = Random::new(3).centred_vec3(n) * Vec3::new(6.0, 3.0, 2.8);
    let is_inside = (0..BODIES).any(|body| (place - centre(body)).abs().max_element() < HALF);
    if is_inside { place + Vec3::Z * 2.0 * HALF } else { place }
}

fn around() -> Vec<Vec3> {
    (5000..6000).map(place_around).collect()
}

#[test]
fn the_flow_is_that_of_the_sum() {
    for (has_floor, has_ring) in [(false, false), (true, false), (true, true)] {
        let case = Case::at_rest(Scene { has_floor, has_ring, ..PLAIN });
        assert!(!case.sim.field().is_sampled_on_mesh());
        let [rms, largest] = case.errors(&around());
        println!("floor {has_floor}, ring {has_ring}: error {rms:.1e}, at most {largest:.1e}");
        assert!(rms < 1e-3 && largest < 4e-3, "floor {has_floor}, ring {has_ring}: {rms}, {largest}");
        // Sums have 1e-6.
        assert!(rms > 1e-5, "floor {has_floor}, ring {has_ring}: {rms}, nothing is expanded");
    }
}

/// As tracers in turbulence sample it.
#[test]
fn gradients_are_those_of_the_sum() {
    for (has_floor, has_ring) in [(false, false), (true, true)] {
        let mut case = Case::at_rest(Scene { has_floor, has_ring, tracers: 10, ..PLAIN });
        case.tracers.turbulence = 1.0;
        case.step(&Serial, 0.0);
        let places = around();
        let [mut found, mut exact] = [(); 2].map(|()| vec![FlowSample::default(); places.len()]);
        case.sim.field().sampled_flow(&places, &mut found);
        case.sim.field().flow(&places, &mut exact);
        let size = exact.iter().map(FlowSample::gradient_norm2).sum::<f32>();
        let error = |(a, b): (&FlowSample, &FlowSample)| {
            FlowSample { gradient: a.gradient - b.gradient, ..*a }.gradient_norm2()
        };
        let error = (found.iter().zip(&exact).map(error).sum::<f32>() / size).sqrt();
        println!("floor {has_floor}, ring {has_ring}: gradients are off by {error:.1e}");
        assert!((1e-5..1e-2).contains(&error), "floor {has_floor}, ring {has_ring}: {error}");
    }
}

#[test]
fn a_shift_of_the_origin_moves_it() {
    let mut case = Case::at_rest(Scene { has_floor: true, ..PLAIN });
    let (places, origin) = (around(), Vec3::new(3.0, -2.0, 1.0));
    let shifted: Vec<Vec3> = places.iter().map(|place| *place - origin).collect();
    let [mut before, mut after] = [(); 2].map(|()| vec![Vec3::ZERO; places.len()]);
    case.sim.field().velocities(&places, &mut before);
    case.sim.shift_origin(origin);
    case.sim.field().velocities(&shifted, &mut after);
    let most = before.iter().zip(&after).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(most < 1e-5, "{most} m/s");
}

#[test]
fn bits_do_not_depend_on_the_executor() {
    let scene = Scene { tracers: 3000, has_floor: true, has_ring: true, ..PLAIN };
    let run = |exec: &dyn Executor| {
        let mut case = Case::new(scene);
        (0..4).for_each(|_| case.step(exec, 1.0 / 60.0));
        case.save()
    };
    let (expected, pool) = (run(&Serial), Pool::new(3).expect("threads start"));
    for exec in [&pool as &dyn Executor, &Shuffled::new(3)] {
        assert!(run(exec) == expected);
    }
}

#[test]
fn a_saved_fluid_goes_on() {
    for scene in [
        Scene { tracers: 3000, has_floor: true, ..PLAIN },
        Scene { samples: 20_000, has_ring: true, ..PLAIN },
    ] {
        let (mut case, mut twin) = (Case::new(scene), Case::new(scene));
        (case.tracers.turbulence, twin.tracers.turbulence) = (0.5, 0.5);
        (0..5).for_each(|_| case.step(&Serial, 1.0 / 60.0));
        let saved = case.save();
        let Case { sim, bodies, tracers } = &mut twin;
        let mut from = Reader::new(&saved, &fluid_core::saved::NoInsides, &Serial);
        bodies.load(&mut from).expect("bodies");
        let mut from = Reader::new(from.rest(), bodies, &Serial);
        sim.load(&mut from).expect("a fluid");
        tracers.load(&mut from).expect("tracers");
        assert!(twin.save() == saved, "loaded");
        for _ in 0..5 {
            case.step(&Serial, 1.0 / 60.0);
            twin.step(&Serial, 1.0 / 60.0);
        }
        assert!(twin.save() == case.save());
    }
}

/// Tracers never change the fluid.
#[test]
fn the_fluid_does_not_depend_on_tracers() {
    let run = |tracers: u64| {
        let mut case = Case::new(Scene { tracers, has_ring: true, ..PLAIN });
        (0..6).for_each(|_| case.step(&Serial, 1.0 / 60.0));
        case.sim.state_hash()
    };
    assert_eq!(run(0), run(20_000));
}
