//! Emitters: boxes and nozzles that shed vortons, and tracers with them, while the world runs.

use crate::guard;
use crate::handle::{Key, child_id, stale};
use crate::memory::{check_output, read_def, sized32, write, write_sized};
use crate::recording::{Call, Id};
use crate::status::*;
use crate::tracers::{VortonTracersId, tracers_key};
use crate::types::{VortonQuat, VortonVec3};
use crate::world::{State, TracerSet, VortonWorldId, World, with_world, writing};
use fluid_bodies::Bodies;
use fluid_core::emitter::{Emitter, EmitterDef, Nozzle};
use fluid_core::particles::Tracers;
use fluid_core::sim::{TracerFeed, VortexSim};

/// An emitter. Zeroed memory is the null id. Opaque: do not look inside.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VortonEmitterId {
    /// Opaque.
    pub index1: u32,
    /// Opaque.
    pub world: u16,
    /// Opaque.
    pub generation: u16,
}

child_id!(VortonEmitterId, "emitter");

/// Definition of an emitter: it emits either vortons at random in a box (stirred, warm, heavy or dyed fluid),
/// or the jet of a nozzle. Fill it with vorton_emitter_def_init, then change the fields you need. Vortons
/// live until they reach VortonWorldDef.max_age or a kill volume; at max_vortons emitters stop. Set a max_age
/// in worlds with emitters.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonEmitterDef {
    /// sizeof(VortonEmitterDef); set by vorton_emitter_def_init.
    pub struct_size: u32,
    /// Vortons per second, at least 0. Default 60.
    pub rate: f32,
    /// Centre of the box [m].
    pub position: VortonVec3,
    /// Orientation of the box and of the strengths.
    pub rotation: VortonQuat,
    /// Edges of the box [m]; zero emits from a point. Not used with a nozzle.
    pub extent: VortonVec3,
    /// Mean strength [m^3/s] of a vorton, in the box's frame.
    pub strength: VortonVec3,
    /// Full width of the random part of each component of the strength [m^3/s].
    pub strength_spread: VortonVec3,
    /// Volume of a vorton [m^3], at least 0: about the cube of two thirds of core_radius. With a nozzle, 0
    /// stands for the volume of fluid that passes the nozzle per vorton. Default 0.
    pub volume: f32,
    /// Reserved: 0.
    pub reserved: u32,
    /// Seed of the random numbers: equal seeds give equal vortons.
    pub seed: u64,
    /// User data, stored and never interpreted: see vorton_emitter_user_data. Default 0.
    pub user_data: u64,
    /// Density of the emitted fluid minus the ambient density [kg/m^3]: negative rises, positive sinks. Needs
    /// a volume: the mass deviation of a vorton is volume times this. Default 0.
    pub density_deviation: f32,
    /// Temperature of the emitted fluid [K], which sets its density; 0: density_deviation is used. Default 0.
    pub temperature: f32,
    /// Concentration of dye in the emitted fluid, 0 to 1: see VORTON_SAMPLE_DYE. Needs a volume. Default 0.
    pub dye: f32,
    /// Radius [m] of a jet's nozzle: a disc across the z axis of the frame that pushes fluid along it, as a
    /// fan or rotor does, by 1/2 density speed^2 area [N]. Fluid passes the disc at half of nozzle_speed, and
    /// the jet narrows to .7 of the radius within about a radius; for the thrust of a pipe, use a disc of 1.4
    /// times its radius. The nozzle sheds nozzle_speed / (1.33 core_radius) rings per second, of 9.4
    /// nozzle_radius / core_radius vortons each (8 at least), and in addition `rate` vortons from the disc:
    /// set rate to 0 if the jet consists of the surrounding fluid. 0: no nozzle. Default 0.
    pub nozzle_radius: f32,
    /// Speed [m/s] of the jet, at least 0. Default 1.
    pub nozzle_speed: f32,
    /// Random displacement of the vortons of these rings: full width, as a fraction of their distance, 0 to
    /// 1. A jet without it stays symmetric longer than a real jet. Default 0.1.
    pub nozzle_disturbance: f32,
    /// The set to which the emitter adds tracers, where its vortons are emitted. Tracers that exceed the
    /// set's capacity are left out: it needs a capacity of tracer_rate times (its max_age plus one step).
    /// Null: none. Default null.
    pub tracers: VortonTracersId,
    /// Tracers per second, at least 0. Default 0.
    pub tracer_rate: f32,
    /// Tag stored with the tracers. Default 0.
    pub tracer_tag: u32,
}

impl Default for VortonEmitterDef {
    fn default() -> Self {
        let (def, nozzle) = (EmitterDef::default(), Nozzle::default());
        Self {
            struct_size: size_of::<Self>() as u32,
            rate: def.rate,
            position: VortonVec3::ZERO,
            rotation: VortonQuat::IDENTITY,
            extent: VortonVec3::ZERO,
            strength: VortonVec3::ZERO,
            strength_spread: VortonVec3::ZERO,
            volume: def.volume,
            reserved: 0,
            seed: def.seed,
            user_data: 0,
            density_deviation: def.density_deviation,
            temperature: 0.0,
            dye: def.dye,
            nozzle_radius: 0.0,
            nozzle_speed: nozzle.speed,
            nozzle_disturbance: nozzle.disturbance,
            tracers: VortonTracersId::NULL,
            tracer_rate: 0.0,
            tracer_tag: 0,
        }
    }
}

sized32!(VortonEmitterDef);

impl VortonEmitterDef {
    pub(crate) fn of(def: &EmitterDef, source: &TracerSource, world: u32) -> Self {
        let [x, y, z, w] = def.rotation.to_array();
        let unused = Self::default();
        let [radius, speed, disturbance] = match def.nozzle {
            Some(Nozzle { radius, speed, disturbance }) => [radius, speed, disturbance],
            None => [0.0, unused.nozzle_speed, unused.nozzle_disturbance],
        };
        Self {
            rate: def.rate,
            position: def.position.into(),
            rotation: VortonQuat { x, y, z, w },
            extent: def.extent.into(),
            strength: def.strength.into(),
            strength_spread: def.strength_spread.into(),
            volume: def.volume,
            seed: def.seed,
            density_deviation: def.density_deviation,
            temperature: def.temperature.unwrap_or(0.0),
            dye: def.dye,
            nozzle_radius: radius,
            nozzle_speed: speed,
            nozzle_disturbance: disturbance,
            tracers: source.set.map_or(VortonTracersId::NULL, |key| VortonTracersId::new(key, world)),
            tracer_rate: source.rate,
            tracer_tag: source.tag,
            ..unused
        }
    }

    pub(crate) fn checked(&self) -> Outcome<EmitterDef> {
        finite(
            &[self.rate, self.volume, self.density_deviation, self.temperature],
            "the emitter definition",
        )?;
        finite(&[self.dye, self.tracer_rate], "the emitter definition")?;
        reserved(&[self.reserved], "the emitter definition")?;
        let nozzle = [self.nozzle_radius, self.nozzle_speed, self.nozzle_disturbance];
        finite(&nozzle, "the emitter definition")?;
        let [radius, speed, disturbance] = nozzle;
        Ok(EmitterDef {
            position: self.position.checked("position")?,
            rotation: self.rotation.checked("rotation")?,
            extent: self.extent.checked("extent")?,
            rate: self.rate,
            strength: self.strength.checked("strength")?,
            strength_spread: self.strength_spread.checked("strength_spread")?,
            volume: self.volume,
            seed: self.seed,
            density_deviation: self.density_deviation,
            temperature: (self.temperature != 0.0).then_some(self.temperature),
            dye: self.dye,
            nozzle: (radius != 0.0).then_some(Nozzle { radius, speed, disturbance }),
        })
    }

    /// Returns the definition as it is recorded.
    pub(crate) fn without_world(self) -> Self {
        Self { tracers: VortonTracersId::replayed(self.tracers.recorded(), 0), ..self }
    }

    /// Returns the tracer source of the definition.
    pub(crate) fn source(&self, state: &State, world: u32) -> Outcome<TracerSource> {
        let rate = self.tracer_rate;
        if rate < 0.0 {
            return Err(Error::bad_value(format_args!(
                "tracer_rate is {rate}, but must be at least 0 per second"
            )));
        }
        let key = || tracers_key(state, self.tracers, world);
        let set = if self.tracers == VortonTracersId::NULL { None } else { Some(key()?) };
        Ok(TracerSource { set, rate, tag: self.tracer_tag })
    }
}

/// The tracers emitted by an emitter.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TracerSource {
    /// The set that receives them.
    pub(crate) set: Option<Key>,
    /// Tracers per second.
    pub(crate) rate: f32,
    pub(crate) tag: u32,
}

fluid_core::saved::fields!(TracerSource { set, rate, tag } check is_valid);

impl fluid_core::saved::Element for TracerSource {}

impl TracerSource {
    fn is_valid(&self) -> bool {
        self.rate.is_finite() && self.rate >= 0.0
    }
}

/// Adds the tracers that emitters emitted in a step to a set.
pub(crate) fn feed(
    sim: &mut VortexSim,
    bodies: &Bodies,
    sources: &[TracerSource],
    (set, tracers): (&TracerSet, &mut Tracers),
    dt: f32,
) {
    for (emitter, source) in sources.iter().enumerate().filter(|(_, source)| source.set == Some(set.key)) {
        let feed = TracerFeed { rate: source.rate, tag: source.tag, capacity: set.capacity };
        sim.feed_tracers(bodies, (emitter, feed), tracers, dt);
    }
}

/// Returns the index of an emitter in `state.sim.emitters()`.
pub(crate) fn index_of(state: &State, id: VortonEmitterId, world: u32) -> Outcome<usize> {
    let serial = *state.emitter_ids.get(id.key(world)?).ok_or_else(|| stale(VortonEmitterId::KIND))?;
    state.emitters.binary_search(&serial).map_err(|_| stale(VortonEmitterId::KIND))
}

/// Returns the slot of an emitter.
pub(crate) fn emitter_key(state: &State, id: VortonEmitterId, world: u32) -> Outcome<Key> {
    index_of(state, id, world)?;
    id.key(world)
}

/// Runs `body` on one emitter as the world's only writer, and records it as `call`.
fn with_emitter(
    world: VortonWorldId,
    emitter: VortonEmitterId,
    call: Call<'_>,
    body: impl FnOnce(&mut Emitter) -> Outcome,
) -> VortonResult {
    guard::run(|| {
        writing(world, |world, state| {
            let index = index_of(state, emitter, world.serial)?;
            body(&mut state.sim.emitters_mut()[index])?;
            world.record(&mut state.recorder, &call);
            Ok(())
        })
    })
}

/// Fills a definition with the defaults.
///
/// @param struct_size sizeof(VortonEmitterDef)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_emitter_def_init(
    out: *mut VortonEmitterDef,
    struct_size: u32,
) -> VortonResult {
    // SAFETY: the caller passes null or a struct of struct_size bytes.
    guard::run(|| unsafe { write_sized(out, struct_size, VortonEmitterDef::default(), "out") })
}

/// Creates an emitter. Emitters emit vortons at the beginning of each step, in order of creation, as long as
/// max_vortons leaves room (VortonStats.not_added counts the rest). A ring of a nozzle is emitted whole or
/// not at all. Vortons of a nozzle that are due within a step are spread along the jet and then move with the
/// step, so they are up to nozzle_speed * dt in front of the disc when the step ends. Tracers are added at
/// the end of the step: from the disc along the jet, up to the first body in the path.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_emitter_create(
    world: VortonWorldId,
    def: *const VortonEmitterDef,
    out: *mut VortonEmitterId,
) -> VortonResult {
    guard::run(|| {
        check_output(out, "out")?;
        // SAFETY: the caller passes null or a definition of struct_size bytes.
        let def = unsafe { read_def(def, VortonEmitterDef::default(), "def") }?;
        let emitter = Emitter::new(def.checked()?)?;
        let id = writing(world, |world, state| {
            let source = def.source(state, world.serial)?;
            let key = create(world, state, emitter, source, def.user_data)?;
            let call = Call::EmitterCreate { def: def.without_world(), emitter: Id::of(key) };
            world.record(&mut state.recorder, &call);
            Ok(VortonEmitterId::new(key, world.serial))
        })?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write(out, id, "out") }
    })
}

/// Destroys an emitter; vortons and tracers that it has emitted stay.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_emitter_destroy(world: VortonWorldId, emitter: VortonEmitterId) -> VortonResult {
    guard::run(|| {
        writing(world, |world, state| {
            let index = index_of(state, emitter, world.serial)?;
            remove(world, state, emitter.key(world.serial)?, index);
            world.record(&mut state.recorder, &Call::EmitterDestroy { emitter: emitter.recorded() });
            Ok(())
        })
    })
}

/// Adds an emitter behind all others.
pub(crate) fn create(
    world: &World,
    state: &mut State,
    emitter: Emitter,
    source: TracerSource,
    user_data: u64,
) -> Outcome<Key> {
    let key = state.emitter_ids.insert(state.next_emitter)?;
    world.user_data().emitters.set(key, user_data);
    state.emitters.push(state.next_emitter);
    state.tracer_sources.push(source);
    state.next_emitter += 1;
    state.sim.emitters_mut().push(emitter);
    world.living().emitters.add(key);
    Ok(key)
}

/// Removes the emitter number `index`.
pub(crate) fn remove(world: &World, state: &mut State, key: Key, index: usize) {
    state.emitter_ids.remove(key);
    world.living().emitters.remove(key);
    state.emitters.remove(index);
    state.tracer_sources.remove(index);
    state.sim.emitters_mut().remove(index);
}

/// True if the id names a living emitter of this world. Does not wait for a step.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_emitter_is_valid(world: VortonWorldId, emitter: VortonEmitterId) -> bool {
    with_world(world, |world| Ok(world.living().emitters.contains(emitter.key(world.serial)?)))
        .is_ok_and(|lives| lives)
}

/// Changes the position and rotation of an emitter from the next step on.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_emitter_set_pose(
    world: VortonWorldId,
    emitter: VortonEmitterId,
    position: VortonVec3,
    rotation: VortonQuat,
) -> VortonResult {
    let call = Call::EmitterSetPose { emitter: emitter.recorded(), position, rotation };
    with_emitter(world, emitter, call, |emitter| {
        let position = position.checked("position")?;
        let rotation = rotation.checked("rotation")?;
        (emitter.def.position, emitter.def.rotation) = (position, rotation);
        Ok(())
    })
}

/// Changes the rate [vortons per second] of an emitter, at least 0.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_emitter_set_rate(
    world: VortonWorldId,
    emitter: VortonEmitterId,
    rate: f32,
) -> VortonResult {
    with_emitter(world, emitter, Call::EmitterSetRate { emitter: emitter.recorded(), rate }, |emitter| {
        finite(&[rate], "rate")?;
        let def = EmitterDef { rate, ..emitter.def };
        def.validate()?;
        emitter.def = def;
        Ok(())
    })
}

/// Emits `count` extra vortons at the beginning of the next step.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_emitter_burst(
    world: VortonWorldId,
    emitter: VortonEmitterId,
    count: u32,
) -> VortonResult {
    with_emitter(world, emitter, Call::EmitterBurst { emitter: emitter.recorded(), count }, |emitter| {
        emitter.burst(count);
        Ok(())
    })
}
