//! The table of recorded calls: for each function its code, and the values that repeat it or that it has
//! returned. A function that changes a world is in this table or in the list of `tests.rs`.

use super::field::Field;
use super::level::LevelHeader;
use crate::handle::Id;
use crate::types::body::VortonBodyDef;
use crate::types::body::VortonBodyState;
use crate::types::budget::VortonBudget;
use crate::types::emitter::VortonEmitterDef;
use crate::types::initial::VortonInitialDef;
use crate::types::kill_volumes::VortonKillVolume;
use crate::types::preset::VortonPresetDef;
use crate::types::surround::VortonSurroundDef;
use crate::types::tracers::{VortonImpliedDef, VortonTracersDef};
use crate::types::vortons::VortonVorton;
use crate::types::{VortonQuat, VortonVec3};
use fluid_core::math::Fnv1a;
use std::borrow::Cow;
use std::ffi::CStr;

macro_rules! calls {
    ($($code:literal $name:ident $function:literal { $($field:ident: $type:ty),* $(,)? })*) => {
        /// A call, with borrowed arrays.
        #[derive(Debug)]
        pub(crate) enum Call<'a> {
            $($name { $($field: $type),* },)*
        }

        impl<'a> Call<'a> {
            /// All codes, with the functions that they stand for.
            #[cfg(test)]
            pub(crate) const ALL: &'static [(u8, &'static CStr)] = &[$(($code, $function)),*];

            /// Identifies the forms of all calls: differs if a value was added, removed or resized.
            pub(crate) const FORM: u64 = {
                let mut form = Fnv1a::new();
                $(
                    form.eat($code);
                    $(form.eat(<$type as Field<'a>>::FORM);)*
                )*
                form.value()
            };

            pub(crate) fn code(&self) -> u8 {
                match self {
                    $(Self::$name { .. } => $code,)*
                }
            }

            /// Returns the name of the function.
            pub(crate) fn function(&self) -> &'static CStr {
                match self {
                    $(Self::$name { .. } => $function,)*
                }
            }

            pub(crate) fn put(&self, out: &mut Vec<u8>) {
                match self {
                    $(Self::$name { $($field),* } => { $($field.put(out);)* })*
                }
            }

            /// Returns the call of a record; `None` for bytes that are none.
            pub(crate) fn of(code: u8, mut bytes: &'a [u8]) -> Option<Self> {
                let from = &mut bytes;
                let call = match code {
                    $($code => Self::$name { $($field: Field::take(from)?),* },)*
                    _ => return None,
                };
                from.is_empty().then_some(call)
            }
        }
    };
}

calls! {
    0 Begin c"vorton_world_record" {
        def: Cow<'a, [u8]>, user_data: u64, levels: Cow<'a, [LevelHeader]>, points: Cow<'a, [[f32; 3]]>,
        triangles: Cow<'a, [[u32; 3]]>, heights: Cow<'a, [f32]>, snapshot: Cow<'a, [u8]>,
    }
    1 Step c"vorton_world_step" { dt: f32 }
    2 Advance c"vorton_world_advance" { dt: f32, max_stretch: f32, max_steps: u32 }
    3 StepWithin c"vorton_world_step_within" { dt: f32, budget: VortonBudget }
    // By the clock: with the quality that was chosen.
    4 StepAsChosen c"vorton_world_step_within" { dt: f32, choice: Cow<'a, [u8]> }
    // The end of a step of any kind.
    5 Stepped c"vorton_world_hash" { hash: u64 }
    // The part of a run that reaches the world.
    6 Push c"vorton_ops_run" { body: Id, linear: [f64; 3], angular: [f64; 3], lost_energy: f64, hits: u32 }
    7 Restore c"vorton_world_restore" { snapshot: Cow<'a, [u8]> }
    8 Reset c"vorton_world_reset" {}
    9 ShiftOrigin c"vorton_world_shift_origin" { origin: VortonVec3 }
    10 SetWind c"vorton_world_set_wind" { wind: VortonVec3 }
    11 SetGravity c"vorton_world_set_gravity" { gravity: VortonVec3 }
    12 SetDiffusion c"vorton_world_set_diffusion" { viscosity: f32, diffusivity: f32 }
    13 SetRelaxationRate c"vorton_world_set_relaxation_rate" { rate: f32 }
    14 SetSmagorinsky c"vorton_world_set_smagorinsky" { smagorinsky: f32 }
    15 SetMaxAge c"vorton_world_set_max_age" { max_age: f32 }
    16 SetExpectedSamples c"vorton_world_set_expected_samples" { samples: u32 }
    17 SetNoSlipRate c"vorton_world_set_no_slip_rate" { rate: f32 }
    18 SetSpecificHeat c"vorton_world_set_specific_heat" { specific_heat: f32 }
    19 SetKillVolumes c"vorton_world_set_kill_volumes" { volumes: Cow<'a, [VortonKillVolume]> }
    20 RemoveEmbedded c"vorton_world_remove_embedded" { margin: f32, vortons: u64, tracers: u64 }
    21 VortonsAdd c"vorton_vortons_add" { vortons: Cow<'a, [VortonVorton]>, first: u64 }
    22 VortonsRemove c"vorton_vortons_remove" { ids: Cow<'a, [u64]>, removed: u64 }
    23 VortonsClear c"vorton_vortons_clear" {}
    24 AddInitial c"vorton_world_add_initial" { def: VortonInitialDef, first: u64, count: u64 }
    25 AddPreset c"vorton_world_add_preset" {
        def: VortonPresetDef, tracers: Id, first_emitter: Id, second_emitter: Id, body: Id,
    }
    26 Surround c"vorton_bodies_surround" { def: VortonSurroundDef, first: u64, count: u64 }
    27 EmitterCreate c"vorton_emitter_create" { def: VortonEmitterDef, emitter: Id }
    28 EmitterUpdate c"vorton_emitter_update" { emitter: Id, def: VortonEmitterDef }
    29 EmitterSetPose c"vorton_emitter_set_pose" { emitter: Id, position: VortonVec3, rotation: VortonQuat }
    30 EmitterSetRate c"vorton_emitter_set_rate" { emitter: Id, rate: f32 }
    31 EmitterBurst c"vorton_emitter_burst" { emitter: Id, count: u32 }
    32 EmitterDestroy c"vorton_emitter_destroy" { emitter: Id }
    33 TracersCreate c"vorton_tracers_create" { def: VortonTracersDef, set: Id }
    34 TracersAdd c"vorton_tracers_add" {
        set: Id, positions: Cow<'a, [VortonVec3]>, tags: Cow<'a, [u32]>, values: Cow<'a, [f32]>,
    }
    35 TracersAddImplied c"vorton_tracers_add_implied" { set: Id, def: VortonImpliedDef, count: u64 }
    36 TracersClear c"vorton_tracers_clear" { set: Id }
    37 TracersSetMaxAge c"vorton_tracers_set_max_age" { set: Id, max_age: f32 }
    38 TracersSetTurbulence c"vorton_tracers_set_turbulence" { set: Id, turbulence: f32 }
    39 TracersDestroy c"vorton_tracers_destroy" { set: Id }
    40 BodyCreate c"vorton_body_create" { def: VortonBodyDef, body: Id }
    41 BodySetState c"vorton_body_set_state" { body: Id, state: VortonBodyState }
    42 BodyPlace c"vorton_body_place" { body: Id, state: VortonBodyState }
    43 BodySetTemperature c"vorton_body_set_temperature" { body: Id, temperature: f32 }
    44 BodySetInertia c"vorton_body_set_inertia" { body: Id, inertia: [f32; 9] }
    45 BodySetMass c"vorton_body_set_mass" { body: Id, mass: f32 }
    46 BodySetHeatTransfer c"vorton_body_set_heat_transfer" { body: Id, heat_transfer: f32 }
    47 BodySetHeatCapacity c"vorton_body_set_heat_capacity" { body: Id, heat_capacity: f32 }
    48 BodySetAwake c"vorton_body_set_awake" { body: Id, awake: u32 }
    49 BodyTakeImpulse c"vorton_body_take_impulse" { body: Id }
    50 BodyDestroy c"vorton_body_destroy" { body: Id }
    51 BodiesSetStates c"vorton_bodies_set_states" { bodies: Cow<'a, [Id]>, states: Cow<'a, [VortonBodyState]> }
    52 BodiesTakeImpulses c"vorton_bodies_take_impulses" { bodies: Cow<'a, [Id]> }
    53 ShapeCreate c"vorton_shape_create" {
        body: Id, kind: u32, flags: u32, position: VortonVec3, rotation: VortonQuat, half_extents: VortonVec3,
        radius: f32, half_height: f32, user_data: u64, points: Cow<'a, [[f32; 3]]>,
        planes: Cow<'a, [[f32; 4]]>, triangles: Cow<'a, [[u32; 3]]>, samples: [u32; 2], spacing: [f32; 2],
        heights: Cow<'a, [f32]>, shape: Id,
    }
    54 ShapeDestroy c"vorton_shape_destroy" { shape: Id }
    55 SetUserData c"vorton_world_set_user_data" { value: u64 }
    56 BodySetUserData c"vorton_body_set_user_data" { body: Id, value: u64 }
    57 ShapeSetUserData c"vorton_shape_set_user_data" { shape: Id, value: u64 }
    58 EmitterSetUserData c"vorton_emitter_set_user_data" { emitter: Id, value: u64 }
    59 TracersSetUserData c"vorton_tracers_set_user_data" { set: Id, value: u64 }
    60 SetCombustion c"vorton_world_set_combustion" {
        ignition_temperature: f32, burn_time: f32, burn_expansion: f32,
    }
}
