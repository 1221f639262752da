//! A drop of heavy dye.

use super::recipe::{Effect, Recipe};
use super::seeds::Seeds;
use crate::initial::InitialError;

/// 4/3 π of volume, 1.5³ vortons per cubed core radius.
pub(super) const VORTONS_PER_CUBE: f32 = 14.1;

/// Density of the drop, less the ambient's, over the ambient's.
const DEVIATION: f32 = 0.2;

/// Radii that its fluid would go within its life at the speed of its buoyancy.
const AGE: f32 = 10.0;

/// Age \[s\] at which it is removed.
pub(super) fn age(recipe: &Recipe<'_>) -> f32 {
    AGE * recipe.scale / recipe.buoyant_speed(DEVIATION)
}

pub(super) fn effect(recipe: &Recipe<'_>) -> Result<Effect, InitialError> {
    let mut vortons = recipe.density_ball(DEVIATION)?;
    recipe.disturb(&mut vortons, 0.5, 0.2)?;
    let mut seeds = Seeds::new(recipe.def.seed);
    let tracers = (0..recipe.def.tracers).map(|_| (seeds.ball(recipe.scale), 0)).collect();
    Ok(Effect { vortons, tracers, tracer_age: age(recipe), ..Effect::default() })
}
