//! A column of air that spins and rises.

use super::recipe::{Effect, Recipe, Source};
use crate::emitter::EmitterDef;
use glam::Vec3;

/// The volume that is shed within a vorton's life, 1.5³ vortons per cubed core radius.
pub(super) const VORTONS_PER_CUBE: f32 = WIDTH * WIDTH * SPEED * AGE * 3.375;

/// Edge of the square from which it rises, over its height.
const WIDTH: f32 = 0.16;
/// Speed at which air leaves the square, over the scale's.
const SPEED: f32 = 0.2;
/// Lengths that the scale's speed would go within a vorton's life.
const AGE: f32 = 5.0;
/// Circulation of the column over the scale's speed times its height.
const CIRCULATION: f32 = 0.07;
/// Density of the air, less the ambient's, over the ambient's.
const DEVIATION: f32 = -0.2;
/// Edge of the square around it from which dust comes, over its height.
const DUST: f32 = 0.4;

/// Age \[s\] at which air is removed.
pub(super) fn age(recipe: &Recipe<'_>) -> f32 {
    AGE * recipe.scale / recipe.speed()
}

pub(super) fn effect(recipe: &Recipe<'_>) -> Effect {
    let (scale, speed, age) = (recipe.scale, recipe.speed(), age(recipe));
    let area = WIDTH * WIDTH * scale * scale;
    let vorticity = CIRCULATION * speed * scale / area;
    let column = EmitterDef {
        position: Vec3::new(0.0, 0.0, 0.05 * scale),
        extent: scale * Vec3::new(WIDTH, WIDTH, 0.1),
        rate: SPEED * speed * area / recipe.volume(),
        volume: recipe.volume(),
        strength: Vec3::new(0.0, 0.0, vorticity * recipe.volume()),
        density_deviation: recipe.deviation(DEVIATION),
        dye: 1.0,
        seed: recipe.def.seed,
        ..EmitterDef::default()
    };
    let extent = scale * Vec3::new(DUST, DUST, 0.1);
    let dust = EmitterDef { extent, rate: 0.0, strength: Vec3::ZERO, density_deviation: 0.0, ..column };
    let source = |emitter, part: f32, tracer_tag| Source {
        emitter,
        tracer_rate: recipe.tracers(part) as f32 / age,
        tracer_tag,
    };
    let sources = vec![source(column, 0.6, 0), source(dust, 0.35, 1)];
    Effect { sources, tracer_age: age, ..Effect::default() }
}
