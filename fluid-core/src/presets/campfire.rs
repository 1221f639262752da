//! Hot gas that rises from a square.

use super::recipe::{Effect, Recipe, Source};
use crate::emitter::EmitterDef;
use glam::Vec3;

/// The volume that is shed within a vorton's life, 1.5³ vortons per cubed core radius.
pub(super) const VORTONS_PER_CUBE: f32 = SPEED * AGE * 3.375;

/// Density of the gas, less the ambient's, over the ambient's: some 70 K warmer than air.
const DEVIATION: f32 = -0.2;

/// Speed at which gas leaves the square, over that of its buoyancy.
const SPEED: f32 = 0.5;

/// Time for which gas is followed, over the scale's time of fall in its buoyancy.
const AGE: f32 = 7.0;

/// Age \[s\] at which gas is removed.
pub(super) fn age(recipe: &Recipe<'_>) -> f32 {
    AGE * recipe.scale / recipe.buoyant_speed(-DEVIATION)
}

pub(super) fn effect(recipe: &Recipe<'_>) -> Effect {
    let (scale, age) = (recipe.scale, age(recipe));
    let flow = SPEED * recipe.buoyant_speed(-DEVIATION) * scale * scale;
    let emitter = EmitterDef {
        extent: scale * Vec3::new(1.0, 1.0, 0.25),
        rate: flow / recipe.volume(),
        volume: recipe.volume(),
        density_deviation: recipe.deviation(DEVIATION),
        dye: 1.0,
        seed: recipe.def.seed,
        ..EmitterDef::default()
    };
    let source = Source { emitter, tracer_rate: recipe.tracers(0.95) as f32 / age, tracer_tag: 0 };
    Effect { sources: vec![source], tracer_age: age, ..Effect::default() }
}
