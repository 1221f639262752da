//! Fuel vapour that rises from a square and burns.

use super::recipe::{Effect, Recipe, Source};
use crate::combustion::Combustion;
use crate::emitter::EmitterDef;
use crate::params::{ParamError, Params};
use glam::Vec3;

/// The vapour that is shed within a vorton's life, over the volume of a vorton before it burns: 1.5³ times
/// [`GROWTH`] vortons per cubed core radius.
pub(super) const VORTONS_PER_CUBE: f32 = SPEED * AGE * GROWTH * 3.375;

/// Volume of a vorton that has burnt, over that of its vapour.
const GROWTH: f32 = 1.0 + EXPANSION;

/// Volume by which vapour expands when it burns, over its own.
const EXPANSION: f32 = 3.0;

/// Speed at which vapour leaves the square, over √(g L). Times [`EXPANSION`], it is the power of the fire
/// over ρ₀ c T₀ √(g L) L², .3 to 2 for burning wood and pools of fuel.
const SPEED: f32 = 0.15;

/// Time in which all but 1/e of the fuel burns, over √(L/g).
const BURN_TIME: f32 = 0.8;

/// Temperature of ignition over the ambient's.
const IGNITION: f32 = 2.0;

/// Temperature of the vapour over that of ignition, or the ambient's if that is higher.
const VAPOUR: f32 = 1.2;

/// Diffusivity over √(g L) L.
const DIFFUSIVITY: f32 = 0.0025;

/// Time for which fluid is followed, over √(L/g).
const AGE: f32 = 9.0;

/// Parameters of a world in which it burns.
pub(super) fn params(recipe: &Recipe<'_>, params: Params) -> Params {
    let speed = recipe.buoyant_speed(1.0);
    let time = recipe.scale / speed;
    let ignition_temperature = IGNITION * params.ambient.temperature;
    Params {
        max_age: AGE * time,
        smagorinsky: 0.1,
        diffusivity: DIFFUSIVITY * speed * recipe.scale,
        combustion: Combustion { ignition_temperature, burn_time: BURN_TIME * time, ..params.combustion },
        ..params
    }
}

pub(super) fn effect(recipe: &Recipe<'_>, params: &Params) -> Result<Effect, ParamError> {
    let Params { combustion, ref ambient, .. } = *params;
    let ignition = combustion.ignition_temperature;
    ParamError::check(combustion.is_on(), "ignition_temperature", ignition, "above 0 for fuel that burns")?;
    let (scale, speed) = (recipe.scale, recipe.buoyant_speed(1.0));
    let age = AGE * scale / speed;
    let volume = recipe.volume() / GROWTH;
    let per_heat = combustion.expansion_per_heat(ambient, params.equation_of_state);
    let emitter = EmitterDef {
        extent: scale * Vec3::new(1.0, 1.0, 0.1),
        rate: SPEED * speed * scale * scale / volume,
        volume,
        temperature: Some(VAPOUR * ignition.max(ambient.temperature)),
        fuel: recipe.def.strength * (f64::from(EXPANSION) / per_heat) as f32,
        dye: 1.0,
        seed: recipe.def.seed,
        ..EmitterDef::default()
    };
    let source = Source { emitter, tracer_rate: recipe.tracers(0.95) as f32 / age, tracer_tag: 0 };
    Ok(Effect { sources: vec![source], tracer_age: age, ..Effect::default() })
}
