//! A running scene: fluid, bodies, their motion (in place of a physics engine), and smoke.

use crate::{Emission, Scene, SceneBody, Way, seeds};
use fluid_bodies::bodies::BodySettings;
use fluid_bodies::ledger::BodyImpulse;
use fluid_bodies::rigid_body::RigidBody;
use fluid_bodies::{Bodies, BodyState, Pose};
use fluid_core::emitter::{Emitter, EmitterDef};
use fluid_core::params::{ParamError, Params};
use fluid_core::particles::Tracers;
use fluid_core::sim::{TracerFeed, VortexSim};
use fluid_threads::Executor;
use glam::{Quat, Vec3};

/// A running scene.
#[derive(Debug, Clone)]
pub struct Run {
    /// The fluid.
    pub sim: VortexSim,
    /// The bodies as the fluid sees them.
    pub bodies: Bodies,
    /// The same bodies, as rigid bodies that move.
    pub rigid_bodies: Vec<RigidBody>,
    /// Prescribed motion of each body, if it has one.
    ways: Vec<Option<Way>>,
    /// Sum of the fluid's reactions on each body so far.
    pub impulses: Vec<BodyImpulse>,
    /// The smoke.
    pub tracers: Tracers,
    dt: f32,
    substeps: u32,
    emission: Option<Emission>,
}

impl Run {
    /// Creates a run ready for its first frame, with vortons and tracers inside bodies removed.
    ///
    /// # Errors
    /// None for the scenes of the table.
    pub fn new(scene: &Scene) -> Result<Self, ParamError> {
        Self::with(scene, scene.params(), BodySettings::default())
    }

    /// Like [`new`](Self::new), with other parameters.
    ///
    /// # Errors
    /// A parameter or a setting out of its range, or a `max_vortons` below the scene's number.
    pub fn with(scene: &Scene, params: Params, settings: BodySettings) -> Result<Self, ParamError> {
        let mut bodies = Bodies::new(settings, &params)?;
        let (mut rigid_bodies, mut ways) = (Vec::new(), Vec::new());
        for SceneBody { mut def, angular_impulse, way } in (scene.bodies)() {
            ways.push(way);
            let mut rigid = RigidBody::new(&def);
            rigid.apply_impulsive_torque(angular_impulse.as_dvec3());
            def.state = rigid.state();
            bodies.add(def)?;
            rigid_bodies.push(rigid);
        }
        let mut vortons = (scene.vortons)();
        vortons.retain(|vorton| !bodies.absorb(vorton.position, vorton.strength, 0.0));
        let outside = |place: Vec3| !bodies.obstacles().contains(place);
        let mut sim = VortexSim::new(params)?;
        sim.add_vortons(&vortons)?;
        if let Some(emission) = &scene.emission {
            sim.emitters_mut().push(Emitter::new(emitter(emission))?);
        }
        let mut tracers = Tracers::with_capacity(scene.tracer_count);
        (scene.tracers)()
            .into_iter()
            .filter(|&place| outside(place))
            .for_each(|place| _ = tracers.push(place));
        Ok(Self {
            sim,
            bodies,
            impulses: vec![BodyImpulse::default(); rigid_bodies.len()],
            rigid_bodies,
            ways,
            tracers,
            dt: scene.dt,
            substeps: scene.substeps,
            emission: scene.emission,
        })
    }

    /// Advances by a frame, in the scene's number of substeps.
    ///
    /// # Errors
    /// As for [`step`](Self::step).
    pub fn frame(&mut self, exec: &dyn Executor) -> Result<(), ParamError> {
        (0..self.substeps).try_for_each(|_| self.step(exec, self.dt / self.substeps as f32))
    }

    /// Advances everything by `dt` \[s\]: the work of an engine in one step.
    ///
    /// The bodies move with the velocities used in the fluid's step, so that fluid and engine agree on
    /// their positions afterwards; impulses change the velocities of the next step.
    ///
    /// # Errors
    /// `dt` or a body's motion is not finite.
    pub fn step(&mut self, exec: &dyn Executor, dt: f32) -> Result<(), ParamError> {
        for (index, rigid) in self.rigid_bodies.iter_mut().enumerate() {
            if let Some(way) = self.ways[index] {
                rigid.set_state(&along(way, self.sim.time() as f32, dt));
            }
            self.bodies.set_state(index, rigid.state())?;
        }
        self.sim.step(exec, &mut self.bodies, dt)?;
        self.sim.set_wall_hits(self.bodies.wall_hits());
        self.sim.advance_tracers(exec, &mut self.bodies, &mut self.tracers, dt);
        let max_age = self.sim.params().max_age;
        self.tracers.retain_up_to(max_age);
        if let Some(emission) = self.emission {
            let feed = TracerFeed { rate: emission.tracer_rate, tag: 0, capacity: usize::MAX };
            self.sim.feed_tracers(&self.bodies, (0, feed), &mut self.tracers, dt);
        }
        for (index, rigid) in self.rigid_bodies.iter_mut().enumerate() {
            rigid.integrate(f64::from(dt));
            let impulse = self.bodies.body_mut(index).take_impulse();
            rigid.apply(&impulse);
            add(&mut self.impulses[index], &impulse);
        }
        Ok(())
    }
}

/// Returns the state of a body with prescribed motion in a step of `dt` from `time` on \[s\].
fn along(way: Way, time: f32, dt: f32) -> BodyState {
    let Pose { position, rotation } = way(time);
    if dt == 0.0 {
        return BodyState { position, rotation, ..BodyState::default() };
    }
    let end = way(time + dt);
    let turn = end.rotation * rotation.conjugate();
    // q and −q are the same rotation; choose the one with the smaller angle.
    let turn = if turn.w < 0.0 { -turn } else { turn };
    BodyState {
        position,
        rotation,
        velocity: (end.position - position) / dt,
        angular_velocity: turn.to_scaled_axis() / dt,
    }
}

fn emitter(emission: &Emission) -> EmitterDef {
    EmitterDef {
        position: emission.centre,
        rotation: Quat::IDENTITY,
        extent: emission.extent,
        rate: emission.vorton_rate,
        strength_spread: Vec3::splat(seeds::NOISE * emission.vorton_volume),
        volume: emission.vorton_volume,
        temperature: emission.temperature,
        fuel: emission.fuel,
        ..EmitterDef::default()
    }
}

fn add(sum: &mut BodyImpulse, one: &BodyImpulse) {
    sum.linear += one.linear;
    sum.angular += one.angular;
    sum.heat += one.heat;
    sum.lost_energy += one.lost_energy;
    sum.hits += one.hits;
}
