//! A ball of hot gas, thrown upwards.

use super::recipe::{Effect, Recipe};
use super::seeds::Seeds;
use crate::initial::InitialError;
use glam::Vec3;

/// 4/3 π of volume, 1.5³ vortons per cubed core radius.
pub(super) const VORTONS_PER_CUBE: f32 = 14.1;

/// Density of the gas, less the ambient's, over the ambient's.
const DEVIATION: f32 = -0.2;

/// Speed at which the ball is thrown, over that of its buoyancy.
const SPEED: f32 = 0.5;

/// Radii that its fluid would go within its life at the speed of its buoyancy.
const AGE: f32 = 10.0;

/// Age \[s\] at which it is removed.
pub(super) fn age(recipe: &Recipe<'_>) -> f32 {
    AGE * recipe.scale / recipe.buoyant_speed(-DEVIATION)
}

pub(super) fn effect(recipe: &Recipe<'_>) -> Result<Effect, InitialError> {
    let radius = recipe.scale;
    let mut vortons = recipe.density_ball(DEVIATION)?;
    // Hill's spherical vortex: vorticity 15/2 U r / R², r being the distance from the axis.
    let slope = 7.5 * SPEED * recipe.buoyant_speed(-DEVIATION) / (radius * radius);
    for vorton in &mut vortons {
        let Vec3 { x, y, .. } = vorton.position;
        vorton.strength = slope * vorton.dye * Vec3::new(-y, x, 0.0);
    }
    recipe.disturb(&mut vortons, 0.5, 0.3)?;
    let mut seeds = Seeds::new(recipe.def.seed);
    let tracers = (0..recipe.def.tracers).map(|_| (seeds.ball(radius), 0)).collect();
    Ok(Effect { vortons, tracers, tracer_age: age(recipe), ..Effect::default() })
}
