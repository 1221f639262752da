//! A flame that a nozzle throws.

use super::recipe::{Effect, Recipe, Source};
use crate::emitter::{EmitterDef, Nozzle};

/// The gas that passes the nozzle within a vorton's life, and the rings of its jet.
pub(super) const VORTONS_PER_CUBE: f32 = 0.11;

/// Radius of the nozzle over the length of the flame.
const RADIUS: f32 = 0.08;

/// Density of the gas, less the ambient's, over the ambient's.
const DEVIATION: f32 = -0.2;

/// Lengths of the flame that its jet would go within a vorton's life.
const AGE: f32 = 2.5;

/// Age \[s\] at which gas is removed.
pub(super) fn age(recipe: &Recipe<'_>) -> f32 {
    AGE * recipe.scale / recipe.speed()
}

pub(super) fn effect(recipe: &Recipe<'_>) -> Effect {
    let (radius, speed, age) = (RADIUS * recipe.scale, recipe.speed(), age(recipe));
    let flow = 0.5 * speed * std::f32::consts::PI * radius * radius;
    let emitter = EmitterDef {
        rate: flow / recipe.volume(),
        volume: recipe.volume(),
        // Its strength is that of the jet: the gas is as hot in any.
        density_deviation: recipe.deviation(DEVIATION) / recipe.def.strength,
        dye: 1.0,
        seed: recipe.def.seed,
        nozzle: Some(Nozzle { radius, speed, disturbance: 0.3 }),
        ..EmitterDef::default()
    };
    let source = Source { emitter, tracer_rate: recipe.tracers(0.95) as f32 / age, tracer_tag: 0 };
    Effect { sources: vec![source], tracer_age: age, ..Effect::default() }
}
