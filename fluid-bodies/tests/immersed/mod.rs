//! Bodies created inside a cloud of vortons, with the reference integrator in place of a physics engine.
#![allow(dead_code, reason = "programs of tests take what they need")]

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::ledger::BodyImpulse;
use fluid_bodies::rigid_body::RigidBody;
use fluid_bodies::shapes::{Geometry, Polytope, Shape};
use fluid_bodies::{BodyCoupling, BodyDef, BodyState};
use fluid_core::boundary::StepTime;
use fluid_core::initial::{FilamentRing, JetRing, Noise};
use fluid_core::params::Params;
use fluid_core::particles::{Tracers, Vorton};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{SourceCloud, Sources, VelocityField};
use fluid_threads::{Executor, Pool, Serial};
use glam::{DQuat, DVec3, Vec3};
use std::sync::OnceLock;

/// Core radius σ of every cloud here \[m\].
pub(crate) const CORE: f32 = 0.1;

/// Distance between vortons in every cloud here \[m\], as a volume requires.
pub(crate) const SPACING: f32 = CORE / 1.5;

/// Returns default settings with this wind.
pub(crate) fn params(wind: Vec3) -> Params {
    Params { core_radius: CORE, wind, ..Params::default() }
}

/// Returns the executor of the steps: the bits do not depend on it.
fn workers() -> &'static Pool {
    static WORKERS: OnceLock<Pool> = OnceLock::new();
    WORKERS.get_or_init(|| Pool::new(2).expect("threads start"))
}

/// Creates vortons in a box, each component of their vorticity in ±`amplitude`/2 \[1/s\].
pub(crate) fn noise(centre: Vec3, extent: Vec3, amplitude: f32) -> Vec<Vorton> {
    Noise { centre, extent, spacing: SPACING, amplitude, seed: 11 }.vortons().expect("constants in range")
}

/// Flows into which bodies are thrown.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Flow {
    Ring,
    Jet,
    Block,
}

impl Flow {
    pub(crate) fn vortons(self) -> Vec<Vorton> {
        match self {
            Self::Ring => {
                let ring = FilamentRing {
                    centre: Vec3::NEG_X * 0.5,
                    axis: Vec3::X,
                    radius: 0.5,
                    circulation: 1.0,
                    core_radius: CORE,
                    count: 64,
                };
                let mut vortons = ring.vortons().expect("in range");
                vortons.iter_mut().for_each(|vorton| vorton.volume = SPACING.powi(3));
                vortons.extend(noise(Vec3::ZERO, Vec3::splat(0.55), 0.0));
                vortons
            }
            Self::Jet => {
                let jet = JetRing {
                    centre: Vec3::NEG_X * 0.3,
                    axis: Vec3::X,
                    radius: 0.3,
                    thickness: 0.15,
                    circulation: 2.0,
                    spacing: SPACING,
                };
                jet.vortons().expect("in range")
            }
            Self::Block => noise(Vec3::ZERO, Vec3::splat(0.65), 8.0),
        }
    }
}

/// Creates a hull of about the size of a ball of radius 0.2.
pub(crate) fn hull() -> Shape {
    let points = [
        Vec3::new(0.25, 0.0, -0.1),
        Vec3::new(-0.15, 0.2, -0.1),
        Vec3::new(-0.1, -0.2, -0.1),
        Vec3::new(0.0, 0.05, 0.25),
        Vec3::new(0.1, 0.1, 0.1),
    ];
    Shape::solid(Geometry::Polytope(Polytope::from_points(&points).expect("points in space")))
}

/// Creates a body of one shape of `density` \[kg/m³\]; infinite density makes it immovable.
pub(crate) fn body(shape: Shape, density: f64, state: BodyState) -> BodyDef {
    let volume = shape.geometry.queries().mass_properties().volume;
    BodyDef { shapes: vec![shape], state, mass: (density * volume) as f32, ..BodyDef::default() }
}

/// Returns the outermost points of a body's surface in 26 directions, in its axes \[m\].
pub(crate) fn rim(def: &BodyDef) -> Vec<DVec3> {
    let convex = def.shapes[0].geometry.queries();
    let around = (0..27).map(|i| DVec3::new((i % 3) as f64, (i / 3 % 3) as f64, (i / 9) as f64) - 1.0);
    around.map(|way| convex.surface(way.as_vec3()).point.as_dvec3()).collect()
}

/// Returns the largest speed of these points of a body due to rotation \[m/s\].
pub(crate) fn turning(rim: &[DVec3], rotation: DQuat, spin: DVec3) -> f64 {
    let spin = rotation.conjugate() * spin;
    rim.iter().map(|place| spin.cross(*place).length()).fold(0.0, f64::max)
}

/// A fluid with its bodies and tracers, and rigid bodies in place of a physics engine.
pub(crate) struct World {
    pub(crate) sim: VortexSim,
    pub(crate) bodies: Bodies,
    pub(crate) rigid: Vec<RigidBody>,
    pub(crate) tracers: Tracers,
    /// Reactions of the fluid on each body in the last step.
    pub(crate) impulses: Vec<BodyImpulse>,
}

impl World {
    /// Creates the bodies among the vortons; vortons inside them are removed.
    pub(crate) fn new(params: Params, vortons: &[Vorton], defs: &[BodyDef]) -> Self {
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        for def in defs {
            bodies.add(def.clone()).expect("a valid body");
        }
        let outside = vortons.iter().filter(|vorton| !bodies.absorb(vorton.position, vorton.strength, 0.0));
        let outside: Vec<_> = outside.copied().collect();
        let mut sim = VortexSim::new(params).expect("valid parameters");
        sim.add_vortons(&outside).expect("valid vortons");
        let rigid = defs.iter().map(RigidBody::new).collect();
        let impulses = vec![BodyImpulse::default(); defs.len()];
        Self { sim, bodies, rigid, tracers: Tracers::default(), impulses }
    }

    /// Adds a tracer beside every vorton.
    pub(crate) fn with_tracers(mut self) -> Self {
        self.tracers = Tracers::with_capacity(self.sim.vortons().len());
        for place in self.sim.vortons().positions.iter() {
            self.tracers.push(place + Vec3::new(0.3, 0.4, 0.0) * SPACING);
        }
        let inside: Vec<usize> =
            self.bodies.obstacles().embedded(self.tracers.positions().iter().copied(), 0.0).collect();
        let mut row = 0;
        self.tracers.retain(|_, _| {
            row += 1;
            inside.binary_search(&(row - 1)).is_err()
        });
        self
    }

    /// Makes a step of everything.
    pub(crate) fn step(&mut self, dt: f32) {
        self.step_with(workers(), dt);
    }

    /// Same with this gravity \[m/s²\] of the engine.
    pub(crate) fn step_under(&mut self, gravity: DVec3, dt: f32) {
        self.rigid.iter_mut().for_each(|rigid| rigid.apply_force(gravity * rigid.mass()));
        self.step(dt);
    }

    pub(crate) fn step_with(&mut self, exec: &dyn Executor, dt: f32) {
        for (index, rigid) in self.rigid.iter().enumerate() {
            self.bodies.set_state(index, rigid.state()).expect("a finite state");
        }
        self.sim.step(exec, &mut self.bodies, dt).expect("a finite step");
        self.sim.advance_tracers(exec, &mut self.bodies, &mut self.tracers, dt);
        for (index, rigid) in self.rigid.iter_mut().enumerate() {
            self.impulses[index] = self.bodies.body_mut(index).take_impulse();
            rigid.apply(&self.impulses[index]);
            rigid.integrate(f64::from(dt));
        }
    }

    /// Returns the largest speed \[m/s\] at a vorton, wind included, in the field that carries particles;
    /// before the first step, which creates that field, by direct summation.
    pub(crate) fn fastest_vorton(&self) -> f32 {
        let vortons = self.sim.vortons();
        let places: Vec<Vec3> = vortons.positions.iter().collect();
        let mut velocities = vec![Vec3::ZERO; places.len()];
        if self.sim.stats().steps > 0 {
            self.sim.field().velocities(&places, &mut velocities);
            return velocities.iter().map(|velocity| velocity.length()).fold(0.0, f32::max);
        }
        let mut cloud = SourceCloud::new(self.sim.params().direct_settings());
        let mut sources = Sources::default();
        sources.copy_from(&vortons.positions, &vortons.strengths);
        self.bodies.clone().bound_vortons(&Serial, StepTime::Start, &mut sources);
        cloud.set(&sources.positions, &sources.strengths);
        cloud.velocities(&places, &mut velocities);
        let wind = self.sim.params().wind;
        velocities.iter().map(|velocity| (*velocity + wind).length()).fold(0.0, f32::max)
    }

    /// Returns the number of vortons and tracers inside bodies.
    pub(crate) fn embedded(&self) -> usize {
        let obstacles = self.bodies.obstacles();
        obstacles.embedded(self.sim.vortons().positions.iter(), 0.0).count()
            + obstacles.embedded(self.tracers.positions().iter().copied(), 0.0).count()
    }
}
