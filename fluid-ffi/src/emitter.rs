//! Emitters: boxes that shed vortons while the world runs.

use crate::guard;
use crate::handle::{Key, child_id, stale};
use crate::memory::{check_output, read_def, sized32, write, write_sized};
use crate::status::*;
use crate::types::{VortonQuat, VortonVec3};
use crate::world::{State, VortonWorldId, with_world, writing};
use fluid_core::emitter::{Emitter, EmitterDef};

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

/// What an emitter sheds. Fill it with vorton_emitter_def_init, then change what you need.
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
    /// Edges of the box [m]; zero emits from a point.
    pub extent: VortonVec3,
    /// Mean strength [m^3/s] of a vorton, in the box's frame.
    pub strength: VortonVec3,
    /// Full width of the random part of each component of the strength [m^3/s].
    pub strength_spread: VortonVec3,
    /// Volume of a vorton [m^3], at least 0.
    pub volume: f32,
    /// 0.
    pub reserved: u32,
    /// Seed of the random numbers: equal seeds, equal vortons.
    pub seed: u64,
    /// A number of yours, which the library only keeps: see vorton_emitter_user_data. Default 0.
    pub user_data: u64,
}

impl Default for VortonEmitterDef {
    fn default() -> Self {
        let def = EmitterDef::default();
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
        }
    }
}

sized32!(VortonEmitterDef);

impl VortonEmitterDef {
    pub(crate) fn of(def: &EmitterDef) -> Self {
        let [x, y, z, w] = def.rotation.to_array();
        Self {
            rate: def.rate,
            position: def.position.into(),
            rotation: VortonQuat { x, y, z, w },
            extent: def.extent.into(),
            strength: def.strength.into(),
            strength_spread: def.strength_spread.into(),
            volume: def.volume,
            seed: def.seed,
            ..Self::default()
        }
    }

    pub(crate) fn checked(&self) -> Outcome<EmitterDef> {
        finite(&[self.rate, self.volume], "the emitter definition")?;
        reserved(&[self.reserved], "the emitter definition")?;
        Ok(EmitterDef {
            position: self.position.checked("position")?,
            rotation: self.rotation.checked("rotation")?,
            extent: self.extent.checked("extent")?,
            rate: self.rate,
            strength: self.strength.checked("strength")?,
            strength_spread: self.strength_spread.checked("strength_spread")?,
            volume: self.volume,
            seed: self.seed,
        })
    }
}

/// The number of an emitter in `state.sim.emitters()`.
pub(crate) fn index_of(state: &State, id: VortonEmitterId, world: u32) -> Outcome<usize> {
    let serial = *state.emitter_ids.get(id.key(world)?).ok_or_else(|| stale(VortonEmitterId::KIND))?;
    state.emitters.binary_search(&serial).map_err(|_| stale(VortonEmitterId::KIND))
}

/// The slot of an emitter.
pub(crate) fn emitter_key(state: &State, id: VortonEmitterId, world: u32) -> Outcome<Key> {
    index_of(state, id, world)?;
    id.key(world)
}

/// Runs `body` on one emitter of a world that is not used otherwise meanwhile.
fn with_emitter(
    world: VortonWorldId,
    emitter: VortonEmitterId,
    body: impl FnOnce(&mut Emitter) -> Outcome,
) -> VortonResult {
    guard::run(|| {
        writing(world, |world, state| {
            let index = index_of(state, emitter, world.serial)?;
            body(&mut state.sim.emitters_mut()[index])
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

/// Creates an emitter. It sheds vortons at the beginning of each step, in order of creation, as long as
/// max_vortons leaves room (VortonStats.not_added counts the rest).
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
            let key = state.emitter_ids.insert(state.next_emitter)?;
            world.user_data().emitters.set(key, def.user_data);
            state.emitters.push(state.next_emitter);
            state.next_emitter += 1;
            state.sim.emitters_mut().push(emitter);
            world.living().emitters.add(key);
            Ok(VortonEmitterId::new(key, world.serial))
        })?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write(out, id, "out") }
    })
}

/// Destroys an emitter; what it has shed stays.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_emitter_destroy(world: VortonWorldId, emitter: VortonEmitterId) -> VortonResult {
    guard::run(|| {
        writing(world, |world, state| {
            let index = index_of(state, emitter, world.serial)?;
            let key = emitter.key(world.serial)?;
            state.emitter_ids.remove(key);
            world.living().emitters.remove(key);
            state.emitters.remove(index);
            state.sim.emitters_mut().remove(index);
            Ok(())
        })
    })
}

/// True if the id names a living emitter of this world. Does not wait for a step.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_emitter_is_valid(world: VortonWorldId, emitter: VortonEmitterId) -> bool {
    with_world(world, |world| Ok(world.living().emitters.contains(emitter.key(world.serial)?)))
        .is_ok_and(|lives| lives)
}

/// Moves an emitter: where its box is from the next step on.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_emitter_set_pose(
    world: VortonWorldId,
    emitter: VortonEmitterId,
    position: VortonVec3,
    rotation: VortonQuat,
) -> VortonResult {
    with_emitter(world, emitter, |emitter| {
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
    with_emitter(world, emitter, |emitter| {
        finite(&[rate], "rate")?;
        let def = EmitterDef { rate, ..emitter.def };
        def.validate()?;
        emitter.def = def;
        Ok(())
    })
}

/// Sheds `count` extra vortons at the beginning of the next step.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_emitter_burst(
    world: VortonWorldId,
    emitter: VortonEmitterId,
    count: u32,
) -> VortonResult {
    with_emitter(world, emitter, |emitter| {
        emitter.burst(count);
        Ok(())
    })
}
