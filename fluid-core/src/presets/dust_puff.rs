//! Air that is pressed out under something that lands.

use super::recipe::{Effect, Recipe};
use super::seeds::Seeds;
use crate::initial::{InitialError, VortexRing};
use glam::Vec3;

/// 2π² (R/L) (T/L)² of volume, 1.5³ vortons per cubed core radius.
pub(super) const VORTONS_PER_CUBE: f32 = 1.33;

/// Radius R of the ring over that of the dust.
const RADIUS: f32 = 0.5;
/// Radius T of its core.
const THICKNESS: f32 = 0.2;
/// Its height over the floor.
const HEIGHT: f32 = 0.4;
/// How high dust lies.
const DUST: f32 = 0.06;
/// Circulation over speed times scale.
const CIRCULATION: f32 = 0.7;

/// Scales that fluid at their speed would go within its life: by then its ring is wide and slow.
const AGE: f32 = 8.0;

/// Age \[s\] at which it is removed.
pub(super) fn age(recipe: &Recipe<'_>) -> f32 {
    AGE * recipe.scale / recipe.speed()
}

pub(super) fn effect(recipe: &Recipe<'_>) -> Result<Effect, InitialError> {
    let scale = recipe.scale;
    let mut vortons = VortexRing {
        centre: Vec3::new(0.0, 0.0, HEIGHT * scale),
        axis: -Vec3::Z,
        radius: RADIUS * scale,
        thickness: THICKNESS * scale,
        circulation: CIRCULATION * recipe.speed() * scale,
        spacing: recipe.spacing,
    }
    .vortons()?;
    recipe.disturb(&mut vortons, 0.3, 0.3)?;
    let mut seeds = Seeds::new(recipe.def.seed);
    let tracers = (0..recipe.def.tracers).map(|_| (seeds.cylinder(scale, DUST * scale), 0)).collect();
    Ok(Effect { vortons, tracers, tracer_age: age(recipe), ..Effect::default() })
}
