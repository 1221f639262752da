//! The parts of an effect, and the quantities that all recipes use.

use super::{EFFECT_SPACING, PresetDef, STANDARD_GRAVITY};
use crate::density::Ambient;
use crate::emitter::EmitterDef;
use crate::initial::{DensityBall, DensityProfile, Disturbance, InitialError};
use crate::math::rotation::rotate;
use crate::particles::Vorton;
use glam::Vec3;

/// Vortons, tracers, emitters and container that an effect adds to a world.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// Vortons to add.
    pub vortons: Vec<Vorton>,
    /// Positions \[m\] and tags of tracers to add; tags tell parts of the effect apart, for colours.
    pub tracers: Vec<(Vec3, u32)>,
    /// Emitters to create, with the tracers that they shed.
    pub sources: Vec<Source>,
    /// Age \[s\] at which tracers are removed; infinite: never.
    pub tracer_age: f32,
    /// Inner radius \[m\] of a container, a ball around the effect's origin.
    pub container_radius: Option<f32>,
}

impl Default for Effect {
    /// Returns an effect without parts; tracers live for ever.
    fn default() -> Self {
        Self {
            vortons: Vec::new(),
            tracers: Vec::new(),
            sources: Vec::new(),
            tracer_age: f32::INFINITY,
            container_radius: None,
        }
    }
}

/// An emitter of an effect.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Source {
    /// The emitter.
    pub emitter: EmitterDef,
    /// Tracers that it sheds per second \[1/s\].
    pub tracer_rate: f32,
    /// Their tag.
    pub tracer_tag: u32,
}

impl Effect {
    /// The effect, moved from its own axes to those of the world.
    pub(super) fn placed(mut self, def: &PresetDef) -> Self {
        let place = |position: Vec3| def.position + rotate(def.rotation, position);
        for vorton in &mut self.vortons {
            vorton.position = place(vorton.position);
            vorton.strength = rotate(def.rotation, vorton.strength);
        }
        self.tracers.iter_mut().for_each(|(position, _)| *position = place(*position));
        for Source { emitter, .. } in &mut self.sources {
            emitter.position = place(emitter.position);
            emitter.rotation = def.rotation;
        }
        self
    }
}

/// A definition, with the lengths and speeds that follow from it.
pub(super) struct Recipe<'a> {
    pub(super) def: &'a PresetDef,
    /// Scale L \[m\].
    pub(super) scale: f32,
    /// Core radius of the world \[m\].
    pub(super) core_radius: f32,
    /// Distance of vortons that fill a volume \[m\].
    pub(super) spacing: f32,
    /// Reference density of the ambient \[kg/m³\].
    density: f32,
}

impl<'a> Recipe<'a> {
    pub(super) fn new(def: &'a PresetDef, core_radius: f32, ambient: &Ambient) -> Self {
        let spacing = EFFECT_SPACING * core_radius;
        Self { def, scale: def.scale, core_radius, spacing, density: ambient.density }
    }

    /// Volume \[m³\] of a vorton.
    pub(super) fn volume(&self) -> f32 {
        self.spacing * self.spacing * self.spacing
    }

    /// Speed \[m/s\] of effects that vortices drive: √(g L) times the strength.
    pub(super) fn speed(&self) -> f32 {
        self.def.strength * (STANDARD_GRAVITY * self.scale).sqrt()
    }

    /// Speed \[m/s\] that fluid of a relative density deviation reaches over the scale:
    /// √(strength · deviation · g L).
    pub(super) fn buoyant_speed(&self, relative_deviation: f32) -> f32 {
        (self.def.strength * relative_deviation * STANDARD_GRAVITY * self.scale).sqrt()
    }

    /// Density deviation \[kg/m³\]: `relative` times the ambient's density times the strength.
    pub(super) fn deviation(&self, relative: f32) -> f32 {
        self.def.strength * relative * self.density
    }

    /// Kinematic viscosity \[m²/s\] that makes eddies of the effect's size last for a thousand turns.
    pub(super) fn viscosity(&self) -> f32 {
        1e-3 * (STANDARD_GRAVITY * self.scale).sqrt() * self.scale
    }

    /// Number of tracers in a fraction `part` of all.
    pub(super) fn tracers(&self, part: f32) -> u32 {
        (self.def.tracers as f32 * part) as u32
    }

    /// A ball around the origin, of radius L, its density deviating by `relative` of the ambient's.
    pub(super) fn density_ball(&self, relative: f32) -> Result<Vec<Vorton>, InitialError> {
        DensityBall {
            centre: Vec3::ZERO,
            radius: self.scale,
            density_deviation: self.deviation(relative),
            spacing: self.spacing,
            core_radius: self.core_radius,
            profile: DensityProfile::TopHat,
            dye: 1.0,
            fuel: 0.0,
        }
        .vortons()
    }

    /// Displaces vortons by up to `position` times their distance, and varies strength and mass by the
    /// fraction `strength`.
    pub(super) fn disturb(
        &self,
        vortons: &mut [Vorton],
        position: f32,
        strength: f32,
    ) -> Result<(), InitialError> {
        Disturbance { position, strength, seed: self.def.seed }.apply(self.spacing, vortons)
    }
}
