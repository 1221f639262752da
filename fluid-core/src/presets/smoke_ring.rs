//! A ring of smoke.

use super::recipe::{Effect, Recipe};
use super::seeds::Seeds;
use crate::initial::{InitialError, VortexRing};
use glam::Vec3;

/// 2π² (T/L)² of volume, 1.5³ vortons per cubed core radius.
pub(super) const VORTONS_PER_CUBE: f32 = 10.7;

/// Radius of the ring's core over that of the ring.
const THICKNESS: f32 = 0.4;

/// Circulation over speed times radius: with it the ring travels at .3 √(g L).
const CIRCULATION: f32 = 1.3;

/// Radii that fluid at the scale's speed would go within its life: the ring travels a third of them.
const AGE: f32 = 40.0;

/// Age \[s\] at which it is removed.
pub(super) fn age(recipe: &Recipe<'_>) -> f32 {
    AGE * recipe.scale / recipe.speed()
}

pub(super) fn effect(recipe: &Recipe<'_>) -> Result<Effect, InitialError> {
    let radius = recipe.scale;
    let mut vortons = VortexRing {
        centre: Vec3::ZERO,
        axis: Vec3::Z,
        radius,
        thickness: THICKNESS * radius,
        circulation: CIRCULATION * recipe.speed() * radius,
        spacing: recipe.spacing,
    }
    .vortons()?;
    recipe.disturb(&mut vortons, 0.3, 0.3)?;
    let mut seeds = Seeds::new(recipe.def.seed);
    let outer = (0..recipe.tracers(0.6)).map(|_| (0.45 * radius, 0));
    let inner = (0..recipe.tracers(0.4)).map(|_| (0.2 * radius, 1));
    let tracers = outer.chain(inner).map(|(thickness, tag)| (seeds.torus(radius, thickness), tag)).collect();
    Ok(Effect { vortons, tracers, tracer_age: age(recipe), ..Effect::default() })
}
