//! The articles' scenes (and two classics), written once: tests, benches and examples run the same numbers.
//!
//! Gourlay's "Fluid Simulation for Video Games" numbers its demos; scenes 2 to 7 and 14 to 24 of that list need bodies
//! or combustion. All lengths are metres, z is up; gravity is 10 m/s² where density varies.
//!
//! | # | name | vortons (articles) | tracers (articles) | Γ or ΔU | peak ω \[1/s\] | substeps |
//! |---|---|---|---|---|---|---|
//! | 0 | `ring` | 1312 (1312) | 40,186 (256,000) | 18.7 | 19.2 | 3 |
//! | 1 | `jet` | 1248 (1248) | 42,121 (55,296) | 40 | 60.0 | 8 |
//! | 8 | `sheet` | 2016 (1792) | 37,632 (256,000) | 40 | 20.2 | 3 |
//! | 9 | `tube` | 96 (96) | 20,160 (16,000) | 4.67 | 14.5 | 2 |
//! | 10 | `crossed_tubes` | 384 (384) | 37,180 (256,000) | 4.67 | 14.5 | 4 |
//! | 11 | `sheet_2d` | 896 (1024) | 35,640 (256,000) | 40 | 20.8 | 3 |
//! | 12 | `dye_drop` | 408 (280) | 87,132 (88,173) | | 0 | 2 |
//! | 13 | `two_drops` | 816 (560) | 57,410 (57,000) | | 0 | 2 |
//! | | `warm_blob` | 408 | 38,745 | | 0 | 2 |
//! | | `leapfrog` | 96 | 35,876 | 1 | 7.96 | 2 |
//! | | `head_on` | 384 | 35,876 | ±1 | 31.9 | 6 |
//!
//! The articles give a magnitude M by which a profile is multiplied; ours give what the profile integrates to: Γ = M T²
//! (π/2 − 2/π) for ring and tube (T its radius), 2 M R for the jet, ΔU = 2 M for sheets. M is 20 everywhere, as in the
//! last article. The cores are σ = 1.5 h for lattices of spacing h, which our kernel needs to fill the gaps. Substeps keep
//! peak ω · dt / substeps at or below 0.25 at the start, and the stretch number of a step below 0.3 over all frames.
//!
//! The drops' densities deviate by ±0.2 from an ambient of 1 kg/m³, where the articles have up to +10: the equations hold for
//! small deviations (Boussinesq), and a fluid eleven times as heavy would fall like a stone, not like dye. Reduced gravity g δρ/ρ₀
//! is then 2 m/s², the time scale √(R ρ₀/g δρ) 0.7 s.

mod crossed_tubes;
mod dye_drop;
mod head_on;
mod jet;
mod leapfrog;
mod ring;
mod sheet;
mod sheet_2d;
mod smoke;
mod tube;
mod two_drops;
mod warm_blob;

use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use glam::Vec3;

/// A flow to start with, and how to run and look at it.
#[derive(Debug, Clone, Copy)]
pub struct Scene {
    /// Its number in the articles from part 8 on, if it is theirs.
    pub number: Option<u32>,
    /// Unique, lower case, fit for a file name.
    pub name: &'static str,
    /// One line for people.
    pub title: &'static str,
    /// What one should see.
    pub expected: &'static str,
    /// Core radius σ \[m\] of all vortons.
    pub core_radius: f32,
    /// Time from frame to frame \[s\].
    pub dt: f32,
    /// Steps per frame, each of `dt / substeps`.
    pub substeps: u32,
    /// Frames worth watching.
    pub frames: u32,
    /// Rate of relaxation \[1/s\]. 0 for single filaments, which are their own exact answer, and for tubes and sheets: where
    /// vortex lines end, the vorticity of the field points elsewhere than the strengths, and relaxation feeds on the
    /// difference (at 1/s it makes Σ|α| of `sheet` 1.5 times what it was within 60 frames, without it is 1.2).
    pub relaxation_rate: f32,
    /// What density and heat do.
    pub fluid: Fluid,
    /// Makes the vortons.
    pub vortons: fn() -> Vec<Vorton>,
    /// How many those are.
    pub vorton_count: usize,
    /// How many the articles' version has.
    pub article_vortons: Option<usize>,
    /// Largest |α|/V \[1/s\] at the start, rounded up to three digits.
    pub peak_vorticity: f32,
    /// Makes the positions \[m\] of the smoke.
    pub tracers: fn() -> Vec<Vec3>,
    /// How many those are.
    pub tracer_count: usize,
    /// How many the articles' version has, in their last form.
    pub article_tracers: Option<usize>,
    /// Where to look from.
    pub camera: Camera,
}

/// Gravity and diffusion; the ambient is the default one: 1 kg/m³ at 300 K, an ideal gas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fluid {
    /// \[m/s²\].
    pub gravity: Vec3,
    /// Kinematic viscosity \[m²/s\].
    pub viscosity: f32,
    /// Diffusivity of heat and dye \[m²/s\].
    pub diffusivity: f32,
    /// Vortons to make room for: density has a halo, which grows as it moves.
    pub max_vortons: usize,
}

impl Fluid {
    /// One density, no diffusion.
    pub(crate) const UNIFORM: Self =
        Self { gravity: Vec3::ZERO, viscosity: 0.0, diffusivity: 0.0, max_vortons: 0 };
    /// Gravity downwards, room for a halo.
    pub(crate) const HEAVY: Self =
        Self { gravity: Vec3::new(0.0, 0.0, -10.0), max_vortons: 8192, ..Self::UNIFORM };
}

impl Scene {
    /// What its world is made from.
    pub fn params(&self) -> Params {
        Params {
            core_radius: self.core_radius,
            relaxation_rate: self.relaxation_rate,
            gravity: self.fluid.gravity,
            viscosity: self.fluid.viscosity,
            diffusivity: self.fluid.diffusivity,
            max_vortons: self.fluid.max_vortons.max(self.vorton_count),
            ..Params::default()
        }
    }
}

/// A point of view that has the whole scene in it, for a vertical field of view of about 45 degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Where the eye is \[m\].
    pub eye: Vec3,
    /// What it looks at \[m\].
    pub target: Vec3,
    /// What is up in the picture.
    pub up: Vec3,
}

/// All scenes: the articles' by number, then ours.
pub fn all() -> &'static [Scene] {
    &[
        ring::SCENE,
        jet::SCENE,
        sheet::SCENE,
        tube::SCENE,
        crossed_tubes::SCENE,
        sheet_2d::SCENE,
        dye_drop::SCENE,
        two_drops::SCENE,
        warm_blob::SCENE,
        leapfrog::SCENE,
        head_on::SCENE,
    ]
}

/// The scene of this name.
pub fn by_name(name: &str) -> Option<&'static Scene> {
    all().iter().find(|scene| scene.name == name)
}

/// All articles' scenes run at 30 frames per second.
const FRAME: f32 = 1.0 / 30.0;

/// The articles' magnitude M of every profile \[1/s\].
const MAGNITUDE: f32 = 20.0;

/// ∫ ½ (cos(π c) + 1) dA over the unit disc, π/2 − 2/π: circulation of the cosine profile per M T².
const COSINE_PROFILE: f32 = std::f32::consts::FRAC_PI_2 - std::f32::consts::FRAC_2_PI;
