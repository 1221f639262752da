//! Effects by name: initial conditions, emitters and tracers of a smoke ring, a campfire or a tornado, by
//! size and strength.
//!
//! A preset adds nothing to the physics: each effect can be built by hand from [`initial`](crate::initial)
//! and [`emitter`](crate::emitter).
//!
//! Effects look alike at every scale L, because speeds follow Froude's law. Speeds of effects that vortices
//! drive are proportional to √(g L), with g = [`STANDARD_GRAVITY`]; speeds of effects that density drives are
//! proportional to √(b L), with the buoyancy b.

mod bonfire;
mod campfire;
mod dust_puff;
mod explosion;
mod ink_drop;
mod recipe;
mod seeds;
mod smoke_ring;
mod snow_globe;
mod tornado;
mod torch;
mod wake;

pub use recipe::{Effect, Source};

use crate::initial::{InitialError, MAX_INITIAL_TRACERS, MAX_INITIAL_VORTONS};
use crate::math::rotation::is_unit;
use crate::params::{ParamError, Params};
use crate::particles::Vorton;
use glam::{Quat, Vec3};
use recipe::Recipe;

/// Acceleration \[m/s²\] by which the speeds of effects grow with their scale.
pub const STANDARD_GRAVITY: f32 = 9.81;

/// Spacing of vortons over the core radius \[1\]: as far apart as vortons that fill a volume may be.
const EFFECT_SPACING: f32 = 1.0 / 1.5;

/// Fewest core radii that an effect may measure \[1\]: a coarser one would be a single blob.
const LEAST_CORES: f32 = 2.0;

/// Most vortons that one effect is asked for.
const MOST_VORTONS: u32 = 1 << 18;

/// Capacity of a world over the vortons of its effect: halo and rim are born later.
const CAPACITY_PER_VORTON: usize = 6;

/// Upper limit of a scale, in words.
const TOO_LARGE: &str = "small enough, in core radii of the world, for 2^20 vortons";

/// An effect by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preset {
    /// A slightly uneven ring of smoke that travels along +z. Scale: radius of the ring.
    #[default]
    SmokeRing,
    /// Hot gas that rises from a square as a plume. Scale: edge of the square.
    Campfire,
    /// A flame along +z from a nozzle. Scale: length of the flame.
    Torch,
    /// A ball of hot gas that rises and rolls up into a mushroom. Scale: radius of the ball.
    Explosion,
    /// Air displaced by an object that lands, and the dust that it lifts: a ring that moves along -z towards
    /// a floor at z = 0, which is not part of the effect. Scale: radius of the dust.
    DustPuff,
    /// Heavy dye that falls, rolls up into a ring and breaks up. Scale: radius of the drop.
    InkDrop,
    /// Air that spins and rises along +z, supplied at the ground until its emitters are removed. Scale:
    /// height to which it rises at first.
    Tornado,
    /// The trailing vortices of a wing that has flown along +x; they sink along -z. Scale: the span.
    Wake,
    /// A ball of fluid with heavy flakes at its bottom, in a container. Scale: inner radius.
    SnowGlobe,
    /// Fuel vapour that leaves a square, burns while it rises, and leaves smoke; it needs a world in which
    /// fuel burns. Scale: edge of the square.
    Bonfire,
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::SmokeRing,
        Self::Campfire,
        Self::Torch,
        Self::Explosion,
        Self::DustPuff,
        Self::InkDrop,
        Self::Tornado,
        Self::Wake,
        Self::SnowGlobe,
        Self::Bonfire,
    ];

    /// Vortons of an effect, as [`PresetDef::vortons`] counts them, over the cube of its scale in core radii
    /// \[1\].
    fn vortons_per_cube(self) -> f32 {
        match self {
            Self::SmokeRing => smoke_ring::VORTONS_PER_CUBE,
            Self::Campfire => campfire::VORTONS_PER_CUBE,
            Self::Torch => torch::VORTONS_PER_CUBE,
            Self::Explosion => explosion::VORTONS_PER_CUBE,
            Self::DustPuff => dust_puff::VORTONS_PER_CUBE,
            Self::InkDrop => ink_drop::VORTONS_PER_CUBE,
            Self::Tornado => tornado::VORTONS_PER_CUBE,
            Self::Wake => wake::VORTONS_PER_CUBE,
            Self::SnowGlobe => snow_globe::VORTONS_PER_CUBE,
            Self::Bonfire => bonfire::VORTONS_PER_CUBE,
        }
    }

    /// Default of [`PresetDef::scale`] \[m\].
    fn default_scale(self) -> f32 {
        match self {
            Self::SmokeRing | Self::Torch | Self::InkDrop | Self::SnowGlobe | Self::Bonfire => 1.0,
            Self::Campfire => 0.5,
            Self::Explosion | Self::Wake => 2.0,
            Self::DustPuff => 0.8,
            Self::Tornado => 6.0,
        }
    }
}

/// Which effect, where, how large and how strong.
///
/// ```
/// use fluid_core::presets::{Preset, PresetDef};
/// use fluid_core::{boundary::NoBodies, emitter::Emitter, sim::VortexSim};
/// use fluid_threads::Serial;
///
/// let fire = PresetDef { scale: 0.6, seed: 7, ..PresetDef::new(Preset::Campfire) };
/// let params = fire.params()?;
/// let effect = fire.effect(&params)?;
/// let mut sim = VortexSim::new(params)?;
/// sim.add_vortons(&effect.vortons)?;
/// for source in &effect.sources {
///     sim.emitters_mut().push(Emitter::new(source.emitter)?);
/// }
/// for _ in 0..30 {
///     sim.step(&Serial, &mut NoBodies, 1.0 / 30.0)?;
/// }
/// assert!(sim.vortons().len() > 100, "it burns");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PresetDef {
    /// Which effect.
    pub preset: Preset,
    /// The effect's origin \[m\].
    pub position: Vec3,
    /// Turns the effect's axes into the world's (unit quaternion).
    pub rotation: Quat,
    /// Length L \[m\], described at each [`Preset`], 0.001 to 100,000.
    pub scale: f32,
    /// Speeds (smoke ring, torch, dust puff, tornado, wake), heat of the fuel (bonfire) or density deviations
    /// (the others) over those of the preset \[1\], 0.05 to 4.
    pub strength: f32,
    /// Seed of the disturbance from which instabilities grow, and of the tracers' positions.
    pub seed: u64,
    /// Approximate number of vortons, without halo: at the start or, for an effect with emitters, at any
    /// time, 100 to 2¹⁸. [`params`](Self::params) derives the core radius from it.
    pub vortons: u32,
    /// Number of tracers, at the start or, for an effect with emitters, at any time: 0 to
    /// [`MAX_INITIAL_TRACERS`].
    pub tracers: u32,
}

impl PresetDef {
    /// An effect at the origin, of the preset's own scale, with some 1,000 vortons and 30,000 tracers.
    pub fn new(preset: Preset) -> Self {
        Self {
            preset,
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            scale: preset.default_scale(),
            strength: 1.0,
            seed: 1,
            vortons: 1000,
            tracers: 30_000,
        }
    }

    /// Checks every field.
    ///
    /// # Errors
    /// The first field out of its range.
    pub fn validate(&self) -> Result<(), ParamError> {
        let Self { position, rotation, scale, strength, vortons, tracers, .. } = *self;
        ParamError::check(position.is_finite(), "position", position, "finite")?;
        ParamError::check(is_unit(rotation), "rotation", rotation, "a unit quaternion")?;
        ParamError::check((0.001..=1e5).contains(&scale), "scale", scale, "from 0.001 to 100000 m")?;
        ParamError::check((0.05..=4.0).contains(&strength), "strength", strength, "from 0.05 to 4")?;
        ParamError::check((100..=MOST_VORTONS).contains(&vortons), "vortons", vortons, "from 100 to 262144")?;
        ParamError::check(tracers as usize <= MAX_INITIAL_TRACERS, "tracers", tracers, "at most 4194304")
    }

    /// A world for this effect alone: the core radius that gives as many vortons as the definition asks for,
    /// gravity along -z, the age at which the effect's fluid is removed, the rate of relaxation, room for the
    /// halo, and combustion if the effect burns.
    ///
    /// # Errors
    /// The first field out of its range.
    pub fn params(&self) -> Result<Params, ParamError> {
        self.validate()?;
        let cores = libm::cbrtf(self.vortons as f32 / self.preset.vortons_per_cube()).max(LEAST_CORES);
        let params = Params {
            core_radius: self.scale / cores,
            gravity: Vec3::new(0.0, 0.0, -STANDARD_GRAVITY),
            max_vortons: (CAPACITY_PER_VORTON * self.vortons as usize).max(Params::default().max_vortons),
            // A rate, so it falls with the root of the scale.
            relaxation_rate: Params::default().relaxation_rate
                * (self.preset.default_scale() / self.scale).sqrt(),
            ..Params::default()
        };
        let recipe = Recipe::new(self, params.core_radius, &params.ambient);
        Ok(match self.preset {
            Preset::Campfire => Params { max_age: campfire::age(&recipe), smagorinsky: 0.1, ..params },
            Preset::Torch => Params { max_age: torch::age(&recipe), smagorinsky: 0.1, ..params },
            Preset::Tornado => Params { max_age: tornado::age(&recipe), smagorinsky: 0.1, ..params },
            Preset::Explosion => Params { max_age: explosion::age(&recipe), smagorinsky: 0.1, ..params },
            Preset::DustPuff => Params { max_age: dust_puff::age(&recipe), smagorinsky: 0.35, ..params },
            Preset::SmokeRing => Params { max_age: smoke_ring::age(&recipe), ..params },
            Preset::InkDrop => Params { max_age: ink_drop::age(&recipe), ..params },
            Preset::Wake => Params { max_age: wake::age(&recipe), ..params },
            Preset::SnowGlobe => Params { relaxation_rate: 0.0, viscosity: recipe.viscosity(), ..params },
            Preset::Bonfire => bonfire::params(&recipe, params),
        })
    }

    /// Returns an upper bound \[bytes\] on the memory that [`effect`](Self::effect) takes.
    pub fn memory(&self, params: &Params) -> usize {
        let cores = (self.scale / params.core_radius).max(0.0);
        let has_vortons =
            !matches!(self.preset, Preset::Campfire | Preset::Torch | Preset::Tornado | Preset::Bonfire);
        let per_cube = if has_vortons { self.preset.vortons_per_cube() } else { 0.0 };
        let vortons = per_cube * cores * cores * cores;
        let vortons = (2.0 * vortons).min(2.0 * MAX_INITIAL_VORTONS as f32) as usize + 1024;
        // A list that is full takes twice its size beside the old one.
        let tracers = (self.tracers as usize).saturating_mul(size_of::<(Vec3, u32)>());
        tracers.saturating_add(vortons * size_of::<Vorton>()).saturating_mul(3)
    }

    /// Vortons, tracers and emitters of the effect for a world of these parameters: those of
    /// [`params`](Self::params), or any others. The world's core radius decides the number of vortons.
    ///
    /// # Errors
    /// The first field out of its range; `scale` also if it is less than two core radii, or so many that the
    /// effect would have more than 2²⁰ vortons; `ignition_temperature` if the effect burns and the world's
    /// fuel does not.
    pub fn effect(&self, params: &Params) -> Result<Effect, ParamError> {
        self.validate()?;
        params.validate()?;
        let Params { core_radius, ref ambient, .. } = *params;
        let cores = self.scale / core_radius;
        ParamError::check(cores >= LEAST_CORES, "scale", self.scale, "at least 2 core radii of the world")?;
        let vortons = self.preset.vortons_per_cube() * cores * cores * cores;
        ParamError::check(vortons <= MAX_INITIAL_VORTONS as f32, "scale", self.scale, TOO_LARGE)?;
        let recipe = Recipe::new(self, core_radius, ambient);
        let made = match self.preset {
            Preset::SmokeRing => smoke_ring::effect(&recipe),
            Preset::Campfire => Ok(campfire::effect(&recipe)),
            Preset::Torch => Ok(torch::effect(&recipe)),
            Preset::Explosion => explosion::effect(&recipe),
            Preset::DustPuff => dust_puff::effect(&recipe),
            Preset::InkDrop => ink_drop::effect(&recipe),
            Preset::Tornado => Ok(tornado::effect(&recipe)),
            Preset::Wake => wake::effect(&recipe),
            Preset::SnowGlobe => snow_globe::effect(&recipe),
            Preset::Bonfire => Ok(bonfire::effect(&recipe, params)?),
        };
        Ok(made.map_err(|error| self.refusal(error))?.placed(self))
    }

    /// Returns the error of an effect that cannot be made. The definition is valid, so the effect has too
    /// many vortons (the estimate was short of them), or the ambient is too dense for its deviation.
    fn refusal(&self, error: InitialError) -> ParamError {
        match error {
            InitialError::OutOfRange { field: field @ "density_deviation", value, range } => {
                ParamError { field, value: value.to_string(), allowed: range }
            }
            _ => ParamError { field: "scale", value: self.scale.to_string(), allowed: TOO_LARGE },
        }
    }
}
