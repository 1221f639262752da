//! Emitters: boxes and nozzles that shed vortons, and tracers with them, while the world runs.

use crate::ambient::warn_of_no_density;
use crate::guard;
use crate::handle::{Id, Key, stale};
use crate::lists::write_list;
use crate::log;
use crate::memory::{check_output, read_def, write, write_sized};
use crate::recorder::Call;
use crate::state::tracer_source::TracerSource;
use crate::state::user_data::answer;
use crate::state::{Need, State, World, growing, reading, with_world, writing};
use crate::status::*;
use crate::tracers::tracers_key;
use crate::types::body::VortonBodyId;
use crate::types::emitter::{VortonEmitterDef, VortonEmitterId};
use crate::types::tracers::VortonTracersId;
use crate::types::world::VortonWorldId;
use crate::types::{VortonQuat, VortonVec3};
use fluid_core::boundary::{BodyCoupling, Carrier};
use fluid_core::emitter::{Emitter, EmitterDef, Nozzle};

impl VortonEmitterDef {
    /// Returns the definition of an emitter with this tracer source, carried by the body in this slot.
    pub(crate) fn of(def: &EmitterDef, source: &TracerSource, body: Option<Key>, world: u32) -> Self {
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
            fuel: def.fuel,
            nozzle_radius: radius,
            nozzle_speed: speed,
            nozzle_disturbance: disturbance,
            tracers: source.set.map_or(VortonTracersId::NULL, |key| VortonTracersId::new(key, world)),
            tracer_rate: source.rate,
            tracer_tag: source.tag,
            body: body.map_or(VortonBodyId::NULL, |key| VortonBodyId::new(key, world)),
            ..unused
        }
    }

    /// Returns the definition, checked but for the ids in it; `body` is the index of that which carries it.
    pub(crate) fn checked(&self, body: Option<usize>) -> Outcome<EmitterDef> {
        finite(
            &[self.rate, self.volume, self.density_deviation, self.temperature],
            "the emitter definition",
        )?;
        finite(&[self.dye, self.fuel, self.tracer_rate], "the emitter definition")?;
        let nozzle = [self.nozzle_radius, self.nozzle_speed, self.nozzle_disturbance];
        finite(&nozzle, "the emitter definition")?;
        let [radius, speed, disturbance] = nozzle;
        Ok(EmitterDef {
            body,
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
            fuel: self.fuel,
            nozzle: (radius != 0.0).then_some(Nozzle { radius, speed, disturbance }),
        })
    }

    /// Returns the name of a quantity that the emitted vortons are to carry without a volume.
    fn lacks_volume_for(&self) -> Option<&'static str> {
        let carried = [
            ("density_deviation", self.density_deviation),
            ("temperature", self.temperature),
            ("dye", self.dye),
            ("fuel", self.fuel),
        ];
        let lacks = self.rate > 0.0 && self.volume == 0.0 && self.nozzle_radius == 0.0;
        carried.into_iter().find(|(_, value)| lacks && *value != 0.0).map(|(name, _)| name)
    }

    /// Returns the definition as it is recorded.
    pub(crate) fn without_world(self) -> Self {
        Self {
            tracers: VortonTracersId::replayed(self.tracers.recorded(), 0),
            body: VortonBodyId::replayed(self.body.recorded(), 0),
            ..self
        }
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

/// Returns the index of the body that carries the emitter, if one does.
fn carrier_of(def: &VortonEmitterDef, world: &World, state: &State) -> Outcome<Option<usize>> {
    let given = Some(def.body).filter(|&body| body != VortonBodyId::NULL);
    given.map(|body| state.bodies.index_of(&world.body_ids(), body.key(world.serial)?)).transpose()
}

/// Returns an emitter without a past, on the body that carries it.
fn emitter_of(def: EmitterDef, state: &State) -> Outcome<Emitter> {
    let mut emitter = Emitter::new(def)?;
    emitter.redefine(def, pose_of(def.body, state))?;
    Ok(emitter)
}

/// Returns the pose of the body that carries an emitter.
fn pose_of(body: Option<usize>, state: &State) -> Carrier {
    body.and_then(|index| state.bodies.bodies.carrier(index)).unwrap_or_default()
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
/// not at all; after one for which there was no room, the room for one is kept free until the next, at most a
/// quarter of max_vortons for all nozzles. Vortons of a nozzle that are due within a step are spread along
/// the jet and then move with the step, so they are up to nozzle_speed * dt in front of the disc when the
/// step ends. Tracers are added at the end of the step: from the disc along the jet, up to the first body in
/// the path.
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
        def.checked(None)?.validate()?;
        let (id, ambient_density) = growing(world, Need::objects("the emitter"), |world, state| {
            let emitter = emitter_of(def.checked(carrier_of(&def, world, state)?)?, state)?;
            let source = def.source(state, world.serial)?;
            let key = create(world, state, emitter, source, def.user_data)?;
            let call = Call::EmitterCreate { def: def.without_world(), emitter: Id::of(key) };
            world.record(&mut state.recorder, &call);
            Ok((VortonEmitterId::new(key, world.serial), state.sim.params().ambient.density))
        })?;
        warn_without_volume(def.lacks_volume_for());
        if def.temperature == 0.0 {
            warn_of_no_density(def.density_deviation, ambient_density);
        }
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write(out, id, "out") }
    })
}

/// Logs a warning if vortons are to carry a `quantity` without a volume.
fn warn_without_volume(quantity: Option<&str>) {
    if let Some(name) = quantity {
        let text = format!("{name} has no effect: volume is 0, so the emitted vortons carry nothing");
        log::line(log::VORTON_LOG_WARNING, &text);
    }
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

/// Moves an emitter to this position and rotation, in the axes of the body that carries it, if one does
/// (VortonEmitterDef.body). What it emits at its rate in the next frame (vorton_world_step or
/// vorton_world_advance) lies along the straight way from its position in the last one, so a torch that is
/// carried leaves a trail without gaps; a burst appears at the new position. vorton_emitter_update puts an
/// emitter elsewhere at once.
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
        Ok(emitter.move_to(position, rotation)?)
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

/// Lists the emitters of a world, in the order in which they were created: see vorton_world_bodies.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_emitters(
    world: VortonWorldId,
    out: *mut VortonEmitterId,
    capacity: usize,
    out_count: *mut usize,
) -> VortonResult {
    let count = |_: &World, state: &State| Ok(state.emitters.len());
    let list = |world: &World, state: &State, put: &mut dyn FnMut(usize, VortonEmitterId)| {
        for (key, serial) in state.emitter_ids.iter() {
            if let Ok(place) = state.emitters.binary_search(serial) {
                put(place, VortonEmitterId::new(key, world.serial));
            }
        }
        Ok(())
    };
    // SAFETY: as the caller promises.
    unsafe { write_list(world, "ids", (out, capacity, out_count), count, list) }
}

/// Changes the user data of an emitter (VortonEmitterDef.user_data).
#[unsafe(no_mangle)]
pub extern "C" fn vorton_emitter_set_user_data(
    world: VortonWorldId,
    emitter: VortonEmitterId,
    user_data: u64,
) -> VortonResult {
    guard::run(|| {
        reading(world, |world, state| {
            let key = emitter_key(state, emitter, world.serial)?;
            let mut data = world.user_data();
            data.log.reserve(1)?;
            data.emitters.set(key, user_data);
            data.log.push(Call::EmitterSetUserData { emitter: emitter.recorded(), value: user_data });
            Ok(())
        })
    })
}

/// Reads the user data of an emitter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_emitter_user_data(
    world: VortonWorldId,
    emitter: VortonEmitterId,
    out: *mut u64,
) -> VortonResult {
    let find = || {
        reading(world, |world, state| {
            emitter_key(state, emitter, world.serial).map(|key| world.user_data().emitters.get(key))
        })
    };
    // SAFETY: the caller passes null or a number to write to.
    unsafe { answer(out, find) }
}

/// Reads the definition that would create this emitter as it is now.
///
/// @param struct_size sizeof(VortonEmitterDef)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_emitter_def(
    world: VortonWorldId,
    emitter: VortonEmitterId,
    out: *mut VortonEmitterDef,
    struct_size: u32,
) -> VortonResult {
    guard::run(|| {
        let def = reading(world, |world, state| {
            let user_data = world.user_data().emitters.get(emitter_key(state, emitter, world.serial)?);
            let index = index_of(state, emitter, world.serial)?;
            let def = &state.sim.emitters()[index].def;
            let body = def.body.map(|index| state.bodies.key(index));
            let def = VortonEmitterDef::of(def, &state.tracer_sources[index], body, world.serial);
            Ok(VortonEmitterDef { user_data, ..def })
        })?;
        // SAFETY: the caller passes null or a struct of struct_size bytes.
        unsafe { write_sized(out, struct_size, def, "out") }
    })
}

/// Replaces the whole definition of an emitter, which emits at the new position at once. Emission continues:
/// vortons that are due stay due, and the sequence of random numbers continues.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_emitter_update(
    world: VortonWorldId,
    emitter: VortonEmitterId,
    def: *const VortonEmitterDef,
) -> VortonResult {
    guard::run(|| {
        // SAFETY: the caller passes null or a definition of struct_size bytes.
        let given = unsafe { read_def(def, VortonEmitterDef::default(), "def") }?;
        given.checked(None)?.validate()?;
        writing(world, |world, state| {
            let def = given.checked(carrier_of(&given, world, state)?)?;
            let key = emitter_key(state, emitter, world.serial)?;
            let index = index_of(state, emitter, world.serial)?;
            let source = given.source(state, world.serial)?;
            let carrier = pose_of(def.body, state);
            state.sim.emitters_mut()[index].redefine(def, carrier)?;
            state.tracer_sources[index] = source;
            world.user_data().emitters.set(key, given.user_data);
            let call = Call::EmitterUpdate { emitter: emitter.recorded(), def: given.without_world() };
            world.record(&mut state.recorder, &call);
            Ok(())
        })
    })
}
