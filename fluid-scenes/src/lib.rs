//! The articles' scenes (and some of the library's own), defined once: tests, benches and examples use the
//! same numbers.
//!
//! Gourlay's "Fluid Simulation for Video Games" numbers its demos; scenes 16 to 18 of that list, which
//! burn, are not here. All lengths are metres, z is up; gravity is 10 m/s² in scenes with varying density.
//! [`Run`](run::Run) runs a scene together with its bodies.
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
//! | | `fine_drop` | 2728 | 448,873 | | 0 | 2 |
//! | | `warm_blob` | 408 | 38,745 | | 0 | 2 |
//! | | `leapfrog` | 96 | 35,876 | 1 | 7.96 | 2 |
//! | | `head_on` | 384 | 35,876 | ±1 | 31.9 | 6 |
//! | | `fire` | 800/s | 10,000/s | | 0 | 4 |
//!
//! The articles give a magnitude M that multiplies a profile; this table gives the profile's integral: Γ =
//! M T² (π/2 − 2/π) for ring and tube (T its radius), 2 M R for the jet, ΔU = 2 M for sheets. M is 20
//! everywhere, as in the last article. The cores are σ = 1.5 h for lattices of spacing h, which the
//! library's kernel needs to fill the gaps. The number of substeps keeps peak ω · dt / substeps at or below
//! 0.25 at the start, and the stretch number of a step below 0.3 over all frames (0.43 in `fire`).
//!
//! Scenes with bodies. Masses are those of balls and boxes with the fluid's density times the number given;
//! spins result from the angular impulse at the start, about the axis named:
//!
//! | # | name | vortons (articles) | tracers (articles) | body \[m\] | density | speed \[m/s\], spin \[rad/s\] | substeps |
//! |---|---|---|---|---|---|---|---|
//! | 2 | `ball_through_smoke` | 4096 (1024) | 64,000 (221,184) | ball, R 0.2 | 6.0 | 2 | 3 |
//! | 3 | `drilling_ball` | 4096 (1024) | 64,000 (65,536) | ball, R 0.2 | 6.0 | 5, 6.25 x | 8 |
//! | 4 | `curving_ball` | 4096 (1024) | 64,000 (65,536) | ball, R 0.2 | 6.0 | 4, 16 y | 8 |
//! | 5 | `spinning_ball` | 2560 (512) | 64,000 (85,184) | ball, R 0.3 | 8840 | 0, 2.8 z | 2 |
//! | 6 | `ball_in_tube` | 3200 (192) | 65,712 (131,072) | ball, R 0.2 | 6.0 | 0 | 4 |
//! | 7 | `wind_past_ball` | 512 (512) + 1000/s (500/s) | 10,000/s (10,000/s) | ball, R 0.2 | fixed | wind 1 | 3 |
//! | 14 | `stratified_ball` | 3456 (1024) | 54,000 (51,000) | ball, R 0.2 | 1.0 | 0 | 2 |
//! | 15 | `hot_ball` | 512 (512) + 400/s (100/s) | 13,824 + 5,000/s (the same) | ball, R 0.2, 375 K | fixed | 0 | 2 |
//! | 20 | `rotated_box` | 512 (512) | 64,000 (110,592) | box, 0.5³ | fixed | 0 | 1 |
//! | 22 | `flat_plate` | 5600 (1024) | 87,500 (221,184) | box, 1 × 1 × 0.1 | 6.0 | 5 | 8 |
//! | 23 | `cube` | 5120 (1024) | 58,968 (65,536) | box, 0.2³ | 6.25 | 4, 7.5 x | 8 |
//! | 24 | `winglet` | 6144 (1024) | 69,498 (65,536) | box, 0.2 × 0.5 × 0.1 | 6.0 | 2, 16 y | 6 |
//!
//! Containers, filled with two layers of ±0.1 kg/m³ (g' = 2 m/s²) unless noted otherwise:
//!
//! | # | name | vortons (articles) | container \[m\] | motion |
//! |---|---|---|---|---|
//! | 27 | `resting_tank` | 2000 (1024) | box, 1 × 1 × 2 | none |
//! | 28 | `shaken_tank` | 2000 (1024) | the same | x = ½ sin t, y = 0.2 cos 2t, z = 0.05 sin 0.1t |
//! | 32 | `tumbling_box` | 2304 | box, 1 × 0.56 × 1 | turns at 1 rad/s about y |
//! | 35 | `overturning_tank` | 2000 (1024) | box, 1 × 1 × 2 | none; heavy above light |
//! | | `sloshing_tank` | 2304 | box, 1 × 0.56 × 1 | x = 0.5 sin 1.4t |
//! | | `drop_in_container` | 2568 | dodecahedron, R 0.8 inside | none; a drop of +0.2 kg/m³ |
//! | | `many_faced_hull` | 683 | hull of 52 points on a sphere, R 0.6 | x = 0.2 sin 2t |
//!
//! Scenes with bodies: their vortons are a lattice of fluid with only noise as vorticity, to which the
//! bodies add vorticity as they pass. The lattice is as fine as the layer that sticks to a body requires (σ
//! about half of a ball's radius), so there are more vortons than in the articles. Viscosity is the
//! articles' 0.01 m²/s (0.002 in scene 14), without which the layers shed by bodies break up within a
//! second.
//!
//! The drops' densities deviate by ±0.2 from an ambient of 1 kg/m³; the articles have up to +10. The
//! equations hold for small deviations (Boussinesq), and a fluid eleven times as heavy would fall like a
//! stone, not like dye. Reduced gravity g δρ/ρ₀ is then 2 m/s², the time scale √(R ρ₀/g δρ) 0.7 s.

mod ball_in_tube;
mod ball_through_smoke;
mod crossed_tubes;
mod cube;
mod curving_ball;
mod drilling_ball;
mod drop_in_container;
mod dye_drop;
mod fine_drop;
mod fire;
mod flat_plate;
mod head_on;
mod hot_ball;
mod jet;
mod leapfrog;
mod many_faced_hull;
mod overturning_tank;
mod resting_tank;
mod ring;
mod rotated_box;
mod seeds;
mod shaken_tank;
mod sloshing_tank;
mod sheet;
mod sheet_2d;
mod smoke;
mod spinning_ball;
mod stratified_ball;
mod tube;
mod tumbling_box;
mod two_drops;
mod warm_blob;
mod wind_past_ball;
mod winglet;
pub mod run;

use fluid_bodies::{BodyDef, Pose};
use fluid_core::combustion::Combustion;
use fluid_core::density::{Ambient, Stratification};
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use glam::Vec3;

pub use resting_tank::layers;

/// An initial flow, with the parameters to run and view it.
#[derive(Debug, Clone, Copy)]
pub struct Scene {
    /// Number in the articles from part 8 on, if it is one of their scenes.
    pub number: Option<u32>,
    /// Unique name in lower case, usable as a file name.
    pub name: &'static str,
    /// One-line title.
    pub title: &'static str,
    /// Expected behaviour.
    pub expected: &'static str,
    /// Core radius σ \[m\] of all vortons.
    pub core_radius: f32,
    /// Time from frame to frame \[s\].
    pub dt: f32,
    /// Number of steps per frame, each of `dt / substeps`.
    pub substeps: u32,
    /// Number of frames worth watching.
    pub frames: u32,
    /// Rate of relaxation \[1/s\]. 0 for single filaments, which are exact without it, and for tubes and
    /// sheets: at the ends of their vortex lines the vorticity of the field is not parallel to the
    /// strengths, and relaxation amplifies the difference (at 1/s it makes Σ|α| of `sheet` 1.5 times the
    /// initial value within 60 frames, without it 1.2).
    pub relaxation_rate: f32,
    /// Parameters of density, heat and diffusion.
    pub fluid: Fluid,
    /// Creates the vortons.
    pub vortons: fn() -> Vec<Vorton>,
    /// Number of vortons, including those inside bodies, which are absorbed at the start.
    pub vorton_count: usize,
    /// Number of vortons in the articles' version.
    pub article_vortons: Option<usize>,
    /// Largest |α|/V \[1/s\] at the start, rounded up to three digits; an upper bound for scenes with only
    /// noise.
    pub peak_vorticity: f32,
    /// Creates the positions \[m\] of the smoke.
    pub tracers: fn() -> Vec<Vec3>,
    /// Number of tracers.
    pub tracer_count: usize,
    /// Number of tracers in the last form of the articles' version.
    pub article_tracers: Option<usize>,
    /// Creates the bodies.
    pub bodies: fn() -> Vec<SceneBody>,
    /// Emission during the run, if any.
    pub emission: Option<Emission>,
    /// Point of view.
    pub camera: Camera,
}

/// A body of a scene.
#[derive(Debug, Clone)]
pub struct SceneBody {
    /// Definition of the body, with its initial state.
    pub def: BodyDef,
    /// Initial angular impulse \[N m s\] about the centre of mass.
    pub angular_impulse: Vec3,
    /// Prescribed motion, if the body is moved independently of the fluid.
    pub way: Option<Way>,
}

/// Pose as a function of time \[s\].
pub type Way = fn(f32) -> Pose;

/// A box in which fluid and smoke are added at steady rates, at random positions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Emission {
    /// Centre of the box \[m\].
    pub centre: Vec3,
    /// Edges of the box \[m\].
    pub extent: Vec3,
    /// Vortons per second, with only noise as vorticity.
    pub vorton_rate: f32,
    /// Volume of an added vorton \[m³\].
    pub vorton_volume: f32,
    /// Temperature of the added fluid \[K\]; `None`: the ambient's.
    pub temperature: Option<f32>,
    /// Heat of the fuel in the added fluid \[J/m³\].
    pub fuel: f32,
    /// Tracers per second.
    pub tracer_rate: f32,
}

/// Gravity, wind and diffusion. Except for its stratification, the ambient is the default one: 1 kg/m³ at
/// 300 K, an ideal gas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fluid {
    /// Gravity \[m/s²\].
    pub gravity: Vec3,
    /// Wind \[m/s\].
    pub wind: Vec3,
    /// Variation of the ambient density.
    pub stratification: Stratification,
    /// Age \[s\] at which vortons and tracers are removed.
    pub max_age: f32,
    /// Kinematic viscosity \[m²/s\].
    pub viscosity: f32,
    /// Diffusivity of heat, dye and fuel \[m²/s\].
    pub diffusivity: f32,
    /// Smagorinsky's constant \[1\].
    pub smagorinsky: f32,
    /// How fuel burns.
    pub combustion: Combustion,
    /// Number of vortons for which memory is reserved: varying density has a halo, which grows as the fluid
    /// moves.
    pub max_vortons: usize,
}

impl Fluid {
    /// Uniform density, no diffusion.
    pub(crate) const UNIFORM: Self = Self {
        gravity: Vec3::ZERO,
        wind: Vec3::ZERO,
        stratification: Stratification::None,
        max_age: f32::INFINITY,
        viscosity: 0.0,
        diffusivity: 0.0,
        smagorinsky: 0.0,
        combustion: Combustion {
            ignition_temperature: 0.0,
            burn_time: 0.2,
            specific_heat: 1000.0,
            expansion: 1.0,
        },
        max_vortons: 0,
    };
    /// The articles' viscosity for scenes with bodies: it smooths shed vorticity before stretching makes it
    /// finer than vortons can resolve.
    pub(crate) const VISCOUS: Self = Self { viscosity: 0.01, ..Self::UNIFORM };
    /// Gravity downwards, with memory for a halo.
    pub(crate) const HEAVY: Self =
        Self { gravity: Vec3::new(0.0, 0.0, -10.0), max_vortons: 8192, ..Self::UNIFORM };
}

impl Scene {
    /// Returns the parameters of the scene's world.
    pub fn params(&self) -> Params {
        Params {
            core_radius: self.core_radius,
            relaxation_rate: self.relaxation_rate,
            gravity: self.fluid.gravity,
            wind: self.fluid.wind,
            ambient: Ambient { stratification: self.fluid.stratification, ..Ambient::default() },
            max_age: self.fluid.max_age,
            viscosity: self.fluid.viscosity,
            diffusivity: self.fluid.diffusivity,
            smagorinsky: self.fluid.smagorinsky,
            combustion: self.fluid.combustion,
            max_vortons: self.fluid.max_vortons.max(self.vorton_count),
            ..Params::default()
        }
    }
}

/// A point of view with the whole scene in sight, for a vertical field of view of about 45 degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Position of the eye \[m\].
    pub eye: Vec3,
    /// Point in the centre of the picture \[m\].
    pub target: Vec3,
    /// Up direction of the picture.
    pub up: Vec3,
}

/// Returns all scenes: the articles' by number, then the library's own.
pub fn all() -> &'static [Scene] {
    &[
        ring::SCENE,
        jet::SCENE,
        ball_through_smoke::SCENE,
        drilling_ball::SCENE,
        curving_ball::SCENE,
        spinning_ball::SCENE,
        ball_in_tube::SCENE,
        wind_past_ball::SCENE,
        sheet::SCENE,
        tube::SCENE,
        crossed_tubes::SCENE,
        sheet_2d::SCENE,
        dye_drop::SCENE,
        two_drops::SCENE,
        fine_drop::SCENE,
        fire::SCENE,
        stratified_ball::SCENE,
        hot_ball::SCENE,
        rotated_box::SCENE,
        flat_plate::SCENE,
        cube::SCENE,
        winglet::SCENE,
        resting_tank::SCENE,
        shaken_tank::SCENE,
        tumbling_box::SCENE,
        overturning_tank::SCENE,
        sloshing_tank::SCENE,
        drop_in_container::SCENE,
        many_faced_hull::SCENE,
        warm_blob::SCENE,
        leapfrog::SCENE,
        head_on::SCENE,
    ]
}

/// Returns the scene of this name.
pub fn by_name(name: &str) -> Option<&'static Scene> {
    all().iter().find(|scene| scene.name == name)
}

/// Frame time: all of the articles' scenes run at 30 frames per second.
const FRAME: f32 = 1.0 / 30.0;

/// The articles' magnitude M of every profile \[1/s\].
const MAGNITUDE: f32 = 20.0;

/// ∫ ½ (cos(π c) + 1) dA over the unit disc, π/2 − 2/π: circulation of the cosine profile per M T².
const COSINE_PROFILE: f32 = std::f32::consts::FRAC_PI_2 - std::f32::consts::FRAC_2_PI;
