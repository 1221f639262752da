//! Flakes in a ball of fluid.

use super::recipe::{Effect, Recipe};
use super::seeds::Seeds;
use crate::initial::InitialError;

/// 4/3 π of volume, 1.5³ vortons per cubed core radius.
pub(super) const VORTONS_PER_CUBE: f32 = 14.1;

/// Density of the flakes' fluid, less the ambient's, over the ambient's.
const DEVIATION: f32 = 0.06;

/// Flakes lie below this height, over the radius.
const LEVEL: f32 = -0.45;

pub(super) fn effect(recipe: &Recipe<'_>) -> Result<Effect, InitialError> {
    let radius = recipe.scale;
    let level = LEVEL * radius;
    // The ball's outermost cells are partly outside: vortons stay half a spacing away from the wall.
    let inside = radius - 0.5 * recipe.spacing;
    let mut vortons = recipe.density_ball(DEVIATION)?;
    vortons.retain(|vorton| vorton.position.length() <= inside);
    for vorton in &mut vortons {
        vorton.volume = recipe.volume();
        // Cells at the level are as heavy as the part of them that is below it.
        let below = ((level - vorton.position.z) / recipe.spacing + 0.5).clamp(0.0, 1.0);
        vorton.mass_deviation = below * recipe.deviation(DEVIATION) * vorton.volume;
        vorton.dye = below * vorton.volume;
    }
    let mut seeds = Seeds::new(recipe.def.seed);
    let mut flake = || loop {
        let position = seeds.ball(inside);
        if position.z < level {
            return (position, 0);
        }
    };
    let tracers = (0..recipe.def.tracers).map(|_| flake()).collect();
    Ok(Effect { vortons, tracers, container_radius: Some(radius), ..Effect::default() })
}
