//! Emitters: sources that add vortons while the world runs.

use crate::math::Random;
use crate::math::rotation::{is_unit, rotate};
use crate::params::ParamError;
use crate::particles::Vorton;
use glam::{Quat, Vec3};

/// A box that sheds vortons at a steady rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EmitterDef {
    /// Centre of the box \[m\].
    pub position: Vec3,
    /// Orientation of the box and of the strengths (unit quaternion).
    pub rotation: Quat,
    /// Edges of the box \[m\]; zero emits from a point.
    pub extent: Vec3,
    /// Vortons per second.
    pub rate: f32,
    /// Mean strength α \[m³/s\] of a vorton, in the box's frame.
    pub strength: Vec3,
    /// Full width of the uniform random part of each component of the strength \[m³/s\].
    pub strength_spread: Vec3,
    /// Volume of a vorton \[m³\].
    pub volume: f32,
    /// Seed of the random numbers.
    pub seed: u64,
}

crate::saved::fields!(EmitterDef {
    position,
    rotation,
    extent,
    rate,
    strength,
    strength_spread,
    volume,
    seed
});

impl Default for EmitterDef {
    fn default() -> Self {
        Self {
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            extent: Vec3::ZERO,
            rate: 60.0,
            strength: Vec3::ZERO,
            strength_spread: Vec3::ZERO,
            volume: 0.0,
            seed: 1,
        }
    }
}

impl EmitterDef {
    /// Checks every field.
    ///
    /// # Errors
    /// The first field out of its range.
    pub fn validate(&self) -> Result<(), ParamError> {
        let finite = |v: Vec3, field: &'static str| ParamError::check(v.is_finite(), field, v, "finite");
        finite(self.position, "position")?;
        finite(self.extent, "extent")?;
        finite(self.strength, "strength")?;
        finite(self.strength_spread, "strength_spread")?;
        ParamError::check(is_unit(self.rotation), "rotation", self.rotation, "a unit quaternion")?;
        let rate = self.rate;
        ParamError::check(rate.is_finite() && rate >= 0.0, "rate", rate, "finite and at least 0 per second")?;
        let volume = self.volume;
        ParamError::check(volume.is_finite() && volume >= 0.0, "volume", volume, "finite and at least 0 m³")
    }
}

/// An emitter at work: its definition and what it has done so far.
#[derive(Debug, Clone, Copy, Default)]
pub struct Emitter {
    /// What it emits. Set it through [`Emitter::new`] or with values that pass [`EmitterDef::validate`].
    pub def: EmitterDef,
    carry: f64,
    pending: u64,
    emitted: u64,
}

crate::saved::fields!(Emitter { def, carry, pending, emitted } check is_valid);
impl crate::saved::Element for Emitter {}

impl Emitter {
    /// True if it can emit.
    fn is_valid(&self) -> bool {
        self.def.validate().is_ok() && self.carry.is_finite()
    }

    /// A new emitter.
    ///
    /// # Errors
    /// A field of `def` out of its range.
    pub fn new(def: EmitterDef) -> Result<Self, ParamError> {
        def.validate()?;
        Ok(Self { def, carry: 0.0, pending: 0, emitted: 0 })
    }

    /// The place `origin` \[m\] becomes the origin.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.def.position -= origin;
    }

    /// Emits `count` extra vortons in the next step.
    pub fn burst(&mut self, count: u32) {
        self.pending = self.pending.saturating_add(u64::from(count));
    }

    /// How many vortons it has made.
    pub fn emitted(&self) -> u64 {
        self.emitted
    }

    /// How many vortons are due over `dt` \[s\]; the fraction is carried to the next call.
    pub(crate) fn take_due(&mut self, dt: f32) -> u64 {
        // Time that stands or runs backwards emits nothing; a burst waits.
        if dt <= 0.0 {
            return 0;
        }
        self.carry += f64::from(self.def.rate) * f64::from(dt);
        let whole = self.carry.floor();
        self.carry -= whole;
        // `as` saturates; a rate beyond any capacity is cut by `max_vortons`, not here.
        std::mem::take(&mut self.pending).saturating_add(whole as u64)
    }

    /// The next vorton. The n-th one is a function of the definition and n alone.
    pub(crate) fn emit(&mut self) -> Vorton {
        let def = &self.def;
        let random = Random::new(def.seed);
        let n = self.emitted.wrapping_mul(2);
        self.emitted += 1;
        Vorton {
            position: def.position + rotate(def.rotation, def.extent * random.centred_vec3(n)),
            strength: rotate(def.rotation, def.strength + def.strength_spread * random.centred_vec3(n + 1)),
            volume: def.volume,
            ..Vorton::default()
        }
    }
}
