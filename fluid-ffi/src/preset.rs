//! Effects by name, of vortons, tracers, emitters and a container.

use crate::emitter;
use crate::handle::Key;
use crate::heap::Hold;
use crate::memory::{check_optional_output, read_def, struct_size, write_optional, write_sized};
use crate::recorder::Call;
use crate::state::tracer_source::TracerSource;
use crate::state::{Need, State, World, growing, reading};
use crate::status::*;
use crate::tracers::{self, CheckedDef, tracers_key};
use crate::types::body::VortonBodyId;
use crate::types::emitter::VortonEmitterId;
use crate::types::preset::{VORTON_PRESET_EMITTERS, VORTON_PRESET_SMOKE_RING, VortonPresetDef};
use crate::types::tracers::VortonTracersId;
use crate::types::world::VortonWorldId;
use crate::types::world_def::VortonWorldDef;
use crate::types::{VortonQuat, VortonVec3};
use crate::{guard, vortons};
use fluid_bodies::body::{BodyDef, BodyState};
use fluid_bodies::shapes::{Parity, Shape};
use fluid_core::emitter::Emitter;
use fluid_core::particles::ScalarQuantity;
use fluid_core::presets::{Effect, Preset, PresetDef};

impl Default for VortonPresetDef {
    fn default() -> Self {
        Self::default_of(VORTON_PRESET_SMOKE_RING, Preset::SmokeRing)
    }
}

impl VortonPresetDef {
    fn default_of(r#type: u32, preset: Preset) -> Self {
        let PresetDef { scale, strength, seed, vortons, tracers, .. } = PresetDef::new(preset);
        Self {
            struct_size: size_of::<Self>() as u32,
            r#type,
            position: VortonVec3::ZERO,
            rotation: VortonQuat::IDENTITY,
            scale,
            strength,
            vortons,
            tracers,
            tracer_set: VortonTracersId::NULL,
            tracer_tag: 0,
            seed,
        }
    }

    fn checked(&self) -> Outcome<PresetDef> {
        finite(&[self.scale, self.strength], "scale or strength")?;
        let def = PresetDef {
            preset: preset(self.r#type)?,
            position: self.position.checked("position")?,
            rotation: self.rotation.checked("rotation")?,
            scale: self.scale,
            strength: self.strength,
            seed: self.seed,
            vortons: self.vortons,
            tracers: self.tracers,
        };
        def.validate()?;
        Ok(def)
    }
}

/// The preset of a VORTON_PRESET_... constant: 1 is the first of them.
fn preset(r#type: u32) -> Outcome<Preset> {
    let index = (r#type as usize).checked_sub(1);
    index.and_then(|index| Preset::ALL.get(index)).copied().ok_or_else(|| {
        Error::bad_value(
            format_args!("type is {type}, which is no VORTON_PRESET_... constant", type = r#type),
        )
    })
}

/// Fills a definition with the defaults of a preset.
///
/// @param struct_size sizeof(VortonPresetDef)
/// @param type        VORTON_PRESET_...
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_preset_def_init(
    out: *mut VortonPresetDef,
    struct_size: u32,
    r#type: u32,
) -> VortonResult {
    guard::run(|| {
        let def = VortonPresetDef::default_of(r#type, preset(r#type)?);
        // SAFETY: the caller passes null or a struct of struct_size bytes.
        unsafe { write_sized(out, struct_size, def, "out") }
    })
}

/// Sets those fields of a world definition that a preset depends on: core_radius, gravity, smagorinsky,
/// viscosity, relaxation_rate, max_age and max_vortons; for VORTON_PRESET_BONFIRE also diffusivity,
/// ignition_temperature (twice the definition's ambient_temperature) and burn_time. A world may have other
/// values: an effect then has more or fewer vortons, and an effect with emitters needs a max_age.
///
/// @param inout a definition from vorton_world_def_init; its other fields stay
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_preset_world_def(
    def: *const VortonPresetDef,
    inout: *mut VortonWorldDef,
) -> VortonResult {
    guard::run(|| {
        // SAFETY: the caller passes null or a definition of struct_size bytes.
        let def = unsafe { read_def(def, VortonPresetDef::default(), "def") }?;
        // SAFETY: as above.
        let size = unsafe { struct_size(inout, "inout") }?;
        // SAFETY: as above.
        let mut world = unsafe { read_def(inout.cast_const(), VortonWorldDef::default(), "inout") }?;
        let params = def.checked()?.params()?;
        world.core_radius = params.core_radius;
        world.gravity = params.gravity.into();
        world.smagorinsky = params.smagorinsky;
        world.viscosity = params.viscosity;
        world.relaxation_rate = params.relaxation_rate;
        world.max_age = if params.max_age.is_finite() { params.max_age } else { 0.0 };
        world.max_vortons = params.max_vortons as u32;
        if params.combustion.is_on() {
            let relative = params.combustion.ignition_temperature / params.ambient.temperature;
            world.ignition_temperature = relative * world.ambient_temperature;
            world.burn_time = params.combustion.burn_time;
            world.diffusivity = params.diffusivity;
        }
        // SAFETY: the caller passes a definition of struct_size bytes.
        unsafe { write_sized(inout, size, world, "inout") }
    })
}

/// Adds an effect to a world: its vortons and tracers, its emitters and its container, all of it or nothing.
/// They are ordinary vortons, tracers, emitters and bodies, and may be changed, moved and destroyed as such.
/// Allocates.
///
/// @param out_tracers  NULL, or receives the set of its tracers: tracer_set, a new set, or the null id for an
///     effect without tracers
/// @param out_emitters NULL, or receives VORTON_PRESET_EMITTERS ids, followed by null ids if there are fewer
/// @param out_body     NULL, or receives the container's body, the null id for an effect without container
/// @return VORTON_ERR_CAPACITY if vortons, tracers or objects do not fit; VORTON_ERR_BAD_VALUE for
///     VORTON_PRESET_BONFIRE in a world in which nothing burns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_add_preset(
    world: VortonWorldId,
    def: *const VortonPresetDef,
    out_tracers: *mut VortonTracersId,
    out_emitters: *mut VortonEmitterId,
    out_body: *mut VortonBodyId,
) -> VortonResult {
    guard::run(|| {
        check_optional_output(out_tracers, "out_tracers")?;
        check_optional_output(out_emitters, "out_emitters")?;
        check_optional_output(out_body, "out_body")?;
        // SAFETY: the caller passes null or a definition of struct_size bytes.
        let given = unsafe { read_def(def, VortonPresetDef::default(), "def") }?;
        let def = given.checked()?;
        let params = reading(world, |_, state| Ok(*state.sim.params()))?;
        let _lists = Hold::take(def.memory(&params), "the effect")?;
        let effect = def.effect(&params)?;
        let added = growing(world, Need::objects("the effect").and(OBJECTS_OF_EFFECT), |world, state| {
            let _container = match effect.container_radius {
                Some(radius) => {
                    Some(Hold::take(state.bodies.bodies.memory_of_new(&container(radius)), "the container")?)
                }
                None => None,
            };
            let mut added = Added::default();
            let outcome = add(world, state, (&given, &def), &effect, &mut added);
            outcome.inspect_err(|_| added.take_back(world, state))?;
            let (tracers, emitters, body) = added.ids(world);
            let [first_emitter, second_emitter] = emitters.map(VortonEmitterId::recorded);
            let def = VortonPresetDef {
                tracer_set: VortonTracersId::replayed(given.tracer_set.recorded(), 0),
                ..given
            };
            let (set, container) = (tracers.recorded(), body.recorded());
            let call = Call::AddPreset { def, tracers: set, first_emitter, second_emitter, body: container };
            world.record(&mut state.recorder, &call);
            Ok((tracers, emitters, body))
        })?;
        let (tracers, emitters, body) = added;
        // SAFETY: checked above; the caller promises room for all emitters.
        unsafe {
            write_optional(out_tracers, tracers, "out_tracers")?;
            write_optional(out_emitters.cast(), emitters, "out_emitters")?;
            write_optional(out_body, body, "out_body")
        }
    })
}

/// Upper bound \[bytes\] on the memory of the objects of an effect, besides tables, tracers and a container.
const OBJECTS_OF_EFFECT: usize = 16 << 10;

/// Returns the interior of an effect's container.
fn container(radius: f32) -> Shape {
    Shape { parity: Parity::Hole, ..Shape::sphere(radius) }
}

/// Objects added so far for an effect. Vortons and tracers are added last, after a check that they fit.
#[derive(Default)]
struct Added {
    tracers: Option<Key>,
    /// True if the set is its own.
    made_tracers: bool,
    emitters: Vec<Key>,
    body: Option<Key>,
}

impl Added {
    fn ids(
        &self,
        world: &World,
    ) -> (VortonTracersId, [VortonEmitterId; VORTON_PRESET_EMITTERS], VortonBodyId) {
        let serial = world.serial;
        let emitter = |n: usize| {
            self.emitters.get(n).map_or(VortonEmitterId::NULL, |&key| VortonEmitterId::new(key, serial))
        };
        (
            self.tracers.map_or(VortonTracersId::NULL, |key| VortonTracersId::new(key, serial)),
            std::array::from_fn(emitter),
            self.body.map_or(VortonBodyId::NULL, |key| VortonBodyId::new(key, serial)),
        )
    }

    fn take_back(&self, world: &World, state: &mut State) {
        for &key in self.emitters.iter().rev() {
            // Emitters are in the order of creation, so its own are the last ones.
            emitter::remove(world, state, key, state.emitters.len() - 1);
        }
        if let Some(key) = self.tracers.filter(|_| self.made_tracers) {
            // It was made just now.
            let _ = tracers::remove(world, state, key);
        }
        if let Some(key) = self.body
            && let Ok(index) = state.bodies.index_of(&world.body_ids(), key)
        {
            state.sim.body_will_be_removed(&state.bodies.bodies, index);
            state.bodies.remove(&mut world.body_ids(), index);
        }
    }
}

fn add(
    world: &World,
    state: &mut State,
    (given, def): (&VortonPresetDef, &PresetDef),
    effect: &Effect,
    added: &mut Added,
) -> Outcome {
    vortons::check_room(state, effect.vortons.len())?;
    if given.tracer_set != VortonTracersId::NULL {
        tracers::set_with_room(world.serial, state, given.tracer_set, effect.tracers.len())?;
        added.tracers = Some(tracers_key(state, given.tracer_set, world.serial)?);
    } else if def.tracers > 0 {
        let capacity = def.tracers as usize;
        let max_age = effect.tracer_age;
        let carry = (def.preset == Preset::Bonfire).then_some(ScalarQuantity::Temperature);
        let set = CheckedDef { capacity, max_age, carry, readable_during_steps: false, turbulence: 0.0 };
        added.tracers = Some(tracers::create(world, state, &set, 0)?);
        added.made_tracers = true;
    }
    for source in &effect.sources {
        let emitter = Emitter::new(source.emitter)?;
        let tag = given.tracer_tag.wrapping_add(source.tracer_tag);
        let tracers = TracerSource { set: added.tracers, rate: source.tracer_rate, tag };
        added.emitters.push(emitter::create(world, state, emitter, tracers, 0)?);
    }
    if let Some(radius) = effect.container_radius {
        let at = BodyState { position: def.position, rotation: def.rotation, ..BodyState::default() };
        let body = BodyDef { state: at, mass: f32::INFINITY, ..BodyDef::default() };
        let mut ids = world.body_ids();
        let key = state.bodies.add(&mut ids, body)?;
        added.body = Some(key);
        let index = state.bodies.index_of(&ids, key)?;
        let shape = state.bodies.add_shape(&mut ids, index, container(radius))?;
        let mut user_data = world.user_data();
        user_data.bodies.set(key, 0);
        user_data.shapes.set(shape, 0);
    }
    vortons::add(state, &effect.vortons)?;
    if let Some(set) = added.tracers.and_then(|key| state.tracers.get_mut(key)) {
        for &(position, tag) in &effect.tracers {
            set.push_tagged(position, given.tracer_tag.wrapping_add(tag));
        }
    }
    Ok(())
}
