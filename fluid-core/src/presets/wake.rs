//! The vortices that trail a wing.

use super::recipe::{Effect, Recipe};
use super::seeds::Seeds;
use crate::initial::InitialError;
use crate::math::Random;
use crate::particles::Vorton;
use glam::Vec3;
use std::f32::consts::{PI, TAU};

/// Length of the loop times the area of its core, 1.5³ vortons per cubed core radius.
pub(super) const VORTONS_PER_CUBE: f32 = (2.0 * LENGTH + 3.2) * CORE * CORE * PI * 3.375;

/// Length of the two vortices over their distance.
const LENGTH: f32 = 8.0;
/// Radius of their cores over their distance.
const CORE: f32 = 0.12;
/// Circulation over speed times distance: with it they sink, their ends included,
/// at .1 √(g L) in the mean.
const CIRCULATION: f32 = 0.49;
/// How far they wave at the beginning, over their distance.
const WAVE: f32 = 0.05;

/// Spans that fluid at their speed would go within its life: the wake sinks by a tenth of them.
const AGE: f32 = 60.0;

/// Age \[s\] at which it is removed.
pub(super) fn age(recipe: &Recipe<'_>) -> f32 {
    AGE * recipe.scale / recipe.speed()
}

pub(super) fn effect(recipe: &Recipe<'_>) -> Result<Effect, InitialError> {
    let (scale, spacing) = (recipe.scale, recipe.spacing);
    let across = (CORE * scale / spacing).floor();
    let offsets = || {
        let steps = move || (-across as i32..=across as i32).map(move |i| i as f32 * spacing);
        steps()
            .flat_map(move |out| steps().map(move |up| (out, up)))
            .filter(move |(out, up)| out * out + up * up <= (CORE * scale).powi(2) * 1.0001)
    };
    let filaments = offsets().count() as f32;
    let circulation = CIRCULATION * recipe.speed() * scale / filaments;
    let loop_line = Loop::new(recipe);
    let mut vortons = Vec::new();
    for (out, up) in offsets() {
        loop_line.add_filament(out, up, circulation, recipe.volume(), spacing, &mut vortons);
    }
    recipe.disturb(&mut vortons, 0.3, 0.2)?;
    let mut seeds = Seeds::new(recipe.def.seed);
    let tracers = (0..recipe.def.tracers).map(|_| {
        let Vec3 { x, y, z } = seeds.cylinder(1.5 * CORE * scale, 1.0);
        let (at, along) = loop_line.at(z * loop_line.length(0.0), 0.0);
        (at + x * along.cross(Vec3::Z) + y * Vec3::Z, 0)
    });
    let tracers = tracers.collect();
    Ok(Effect { vortons, tracers, tracer_age: age(recipe), ..Effect::default() })
}

/// A closed line: two straight vortices in the plane of x and y, joined by half circles; vortex lines that
/// ended would be no flow.
struct Loop {
    /// Half the length of the straight parts \[m\].
    half: f32,
    /// Half their distance \[m\].
    radius: f32,
    /// Phases of the waves along them \[rad\].
    phases: [f32; 3],
    wave: f32,
}

impl Loop {
    fn new(recipe: &Recipe<'_>) -> Self {
        let random = Random::new(recipe.def.seed);
        let scale = recipe.scale;
        Self {
            half: 0.5 * LENGTH * scale,
            radius: 0.5 * scale,
            phases: [0, 1, 2].map(|n| TAU * random.unit(n)),
            wave: WAVE * scale,
        }
    }

    /// Length \[m\] of the line that is `out` \[m\] outside of this one.
    fn length(&self, out: f32) -> f32 {
        4.0 * self.half + TAU * (self.radius + out)
    }

    /// Returns the point `s` \[m\] along the line that is `out` outside, and its direction. Seen from +z the
    /// line runs clockwise, so fluid between the vortices sinks.
    fn at(&self, s: f32, out: f32) -> (Vec3, Vec3) {
        let (radius, half) = (self.radius + out, self.half);
        let (straight, round) = (2.0 * half, 0.5 * TAU * radius);
        let side = if s < straight + round { 1.0 } else { -1.0 };
        let s = if s < straight + round { s } else { s - straight - round };
        let (at, along) = if s < straight {
            (Vec3::new(s - half, radius, 0.0), Vec3::X)
        } else {
            let (sin, cos) = libm::sincosf((s - straight) / radius);
            (Vec3::new(half + radius * sin, radius * cos, 0.0), Vec3::new(cos, -sin, 0.0))
        };
        let phase = |n: usize| self.phases[n] + TAU * (n + 1) as f32 * side * at.x / (2.0 * (half + radius));
        let wave: f32 = (0..3).map(|n| libm::sinf(phase(n))).sum();
        (side * at + Vec3::new(0.0, self.wave * wave / 3.0, self.wave * wave / 3.0), side * along)
    }

    /// Vortons along the line that is `out` outside of this one and `up` above it, a chain without ends.
    fn add_filament(
        &self,
        out: f32,
        up: f32,
        circulation: f32,
        volume: f32,
        spacing: f32,
        vortons: &mut Vec<Vorton>,
    ) {
        let length = self.length(out);
        let count = (length / spacing).round().max(8.0);
        let point = |k: f32| self.at(length * (k.rem_euclid(count) / count), out).0 + Vec3::Z * up;
        vortons.extend((0..count as u32).map(|k| {
            let k = k as f32;
            Vorton {
                position: point(k),
                strength: circulation * (point(k + 0.5) - point(k - 0.5)),
                volume,
                dye: volume,
                ..Vorton::default()
            }
        }));
    }
}
