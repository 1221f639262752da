//! The plugin: a fluid as a resource; bodies, emitters and particles as components; one step in each
//! `FixedUpdate`.

use bevy_app::{App, FixedUpdate, Plugin};
use bevy_ecs::prelude::*;
use vorton::bodies::ledger::BodyImpulse;
use vorton::fluid::boundary::BodyCoupling;
use vorton::particles::ops::{Advect, RunInputs, RunMemory, RunScratch, Velocity, run_operations};
use vorton::prelude::{
    Bodies, BodyDef, BodySettings, BodyState, Emitter, EmitterDef, Executor, NoSurfaces, ParamError, Params,
    ParticleSlices, Pool, Semantic, Vec3, VortexSim,
};

/// Adds a [`Fluid`] and the systems of [`FluidSystems`] to an app.
pub struct VortonPlugin {
    pub params: Params,
    pub settings: BodySettings,
    /// Threads of the fluid's pool, the calling one included. Results are the same bits with any number.
    pub workers: usize,
    /// Duration of a step \[s\]: the app's fixed timestep.
    pub step: f32,
}

impl Plugin for VortonPlugin {
    /// # Panics
    /// Panics if a parameter is out of range, or if threads cannot be started.
    fn build(&self, app: &mut App) {
        let pool = Pool::new(self.workers).expect("the fluid's threads start");
        let fluid = Fluid::new(self.params, self.settings, Box::new(pool), self.step);
        app.insert_resource(fluid.expect("the parameters are in range"));
        app.add_systems(
            FixedUpdate,
            (remove_despawned, add_spawned, step_fluid, move_particles).chain().in_set(FluidSystems),
        );
    }
}

/// The fluid's systems. A physics engine, or a system that moves bodies, runs after them in the same
/// `FixedUpdate`: it takes the impulses of this step from [`FluidImpulse`].
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FluidSystems;

/// A fluid. Systems read it to sample the wind: `fluid.sim.field()`.
#[derive(Resource)]
pub struct Fluid {
    pub sim: VortexSim,
    pub bodies: Bodies,
    pub exec: Box<dyn Executor>,
    step: f32,
    steps: u64,
    /// The entities of `bodies`, in order.
    body_entities: Vec<Entity>,
    /// The entities of the sim's emitters, in order.
    emitter_entities: Vec<Entity>,
}

impl Fluid {
    fn new(
        params: Params,
        settings: BodySettings,
        exec: Box<dyn Executor>,
        step: f32,
    ) -> Result<Self, ParamError> {
        Ok(Self {
            sim: VortexSim::new(params)?,
            bodies: Bodies::new(settings, &params)?,
            exec,
            step,
            steps: 0,
            body_entities: Vec::new(),
            emitter_entities: Vec::new(),
        })
    }

    /// Number of steps so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }
}

/// State of motion of a body; in a game with `bevy_transform` and a physics engine, a copy of theirs.
#[derive(Component, Default)]
pub struct Motion(pub BodyState);

/// Makes the entity a body in the fluid, from the next step until the component is removed. The state of the
/// definition is ignored: [`Motion`] has it.
#[derive(Component)]
#[require(Motion, FluidImpulse)]
pub struct FluidBody(pub BodyDef);

/// The fluid's impulse on a body in the last step.
#[derive(Component, Default)]
pub struct FluidImpulse(pub BodyImpulse);

/// Makes the entity an emitter of vortons.
#[derive(Component)]
pub struct FluidEmitter(pub EmitterDef);

/// Particles of the game that the fluid carries along, in the game's own memory.
#[derive(Component, Default)]
pub struct FluidParticles {
    pub positions: Vec<Vec3>,
    pub velocities: Vec<Vec3>,
    scratch: RunScratch,
}

impl FluidParticles {
    pub fn at(positions: Vec<Vec3>) -> Self {
        let velocities = vec![Vec3::ZERO; positions.len()];
        Self { positions, velocities, scratch: RunScratch::default() }
    }

    /// Moves the particles over the step just taken.
    pub fn run(
        &mut self,
        sim: &VortexSim,
        bodies: &Bodies,
        exec: &dyn Executor,
        dt: f32,
        frame: u32,
    ) -> Result {
        let surfaces = bodies.surfaces().unwrap_or(&NoSurfaces);
        let inputs = RunInputs { field: sim.field(), surfaces, dt, frame };
        let mut slices = ParticleSlices::new()
            .vec3(Semantic::Position, &mut self.positions)
            .vec3(Semantic::Velocity, &mut self.velocities);
        let memory = RunMemory { scratch: &mut self.scratch, emit_states: &mut [], killed: &mut [] };
        run_operations(
            exec,
            &inputs,
            &[Velocity::default().into(), Advect.into()],
            &mut slices.view()?,
            memory,
        )?;
        Ok(())
    }
}

/// Removes what was despawned or has lost its component. Not by `RemovedComponents`, which forgets removals
/// after two frames, even if no `FixedUpdate` has run in them.
fn remove_despawned(
    mut fluid: ResMut<Fluid>,
    bodies: Query<Ref<FluidBody>>,
    emitters: Query<Ref<FluidEmitter>>,
) {
    let fluid = &mut *fluid;
    // A component that was removed and added again is new: `add_spawned` adds it.
    let is_gone = |entity: Entity| bodies.get(entity).map_or(true, |body| body.is_added());
    while let Some(index) = fluid.body_entities.iter().position(|&entity| is_gone(entity)) {
        fluid.body_entities.remove(index);
        fluid.sim.body_will_be_removed(&fluid.bodies, index);
        fluid.bodies.remove(index);
    }
    let is_gone = |entity: Entity| emitters.get(entity).map_or(true, |emitter| emitter.is_added());
    while let Some(index) = fluid.emitter_entities.iter().position(|&entity| is_gone(entity)) {
        fluid.emitter_entities.remove(index);
        fluid.sim.emitters_mut().remove(index);
    }
}

fn add_spawned(
    mut fluid: ResMut<Fluid>,
    bodies: Query<(Entity, &FluidBody, &Motion), Added<FluidBody>>,
    emitters: Query<(Entity, &FluidEmitter), Added<FluidEmitter>>,
) -> Result {
    for (entity, body, motion) in &bodies {
        fluid.bodies.add(BodyDef { state: motion.0, ..body.0.clone() })?;
        fluid.body_entities.push(entity);
    }
    for (entity, emitter) in &emitters {
        let emitter = Emitter::new(emitter.0)?;
        fluid.sim.emitters_mut().push(emitter);
        fluid.emitter_entities.push(entity);
    }
    Ok(())
}

/// The four calls of a step, as in any physics engine: states in, step, impulses out; the engine's step
/// follows.
fn step_fluid(mut fluid: ResMut<Fluid>, mut entities: Query<(&Motion, &mut FluidImpulse)>) -> Result {
    let fluid = &mut *fluid;
    for (index, &entity) in fluid.body_entities.iter().enumerate() {
        fluid.bodies.set_state(index, entities.get(entity)?.0.0)?;
    }
    fluid.sim.step(&*fluid.exec, &mut fluid.bodies, fluid.step)?;
    fluid.steps += 1;
    for (index, &entity) in fluid.body_entities.iter().enumerate() {
        let (_, mut impulse) = entities.get_mut(entity)?;
        impulse.0 = fluid.bodies.body_mut(index).take_impulse();
    }
    Ok(())
}

fn move_particles(fluid: Res<Fluid>, mut sets: Query<&mut FluidParticles>) -> Result {
    for mut set in &mut sets {
        set.run(&fluid.sim, &fluid.bodies, &*fluid.exec, fluid.step, fluid.steps as u32)?;
    }
    Ok(())
}
