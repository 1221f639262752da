//! Eddies below the core's size, as waves that come and go (E60): which there are at a moment, and how long
//! the flow has carried them. `eddy_field` adds them up.

use super::eddy_field::EddyField;
use crate::lanes::InstructionSet;
use crate::math::Random;
use glam::{DQuat, DVec3, Vec3};
use std::f64::consts::{LN_2, PI, TAU};

/// Patterns of eddies that take turns \[1\]: one is strongest when the other one is renewed.
pub(super) const PATTERNS: usize = 2;

/// Waves of a pattern \[1\]: three for each octave, at right angles to each other.
pub(super) const WAVES: usize = 9;

/// Octaves above the cut-off that have eddies \[1\]. They have 3/4 of the energy of all: the fourth one
/// would have a tenth of it.
const OCTAVES: f64 = (WAVES / 3) as f64;

/// The cut-off k_c σ \[1\]: there the spectrum of the core of Winckelmans and Leonard, (kσ)² K₂(kσ) / 2, has
/// fallen to a half.
const CUT_OFF: f64 = 2.0;

/// How long a pattern lives, times the largest velocity gradient at the vortons \[1\]. So eddies last about
/// one turnover of the largest of them, and are sheared by 1 at most when they come and go, by 0.36 in the
/// mean.
const LIFE: f64 = 2.0;

/// Lives that patterns are counted for: fractions of more would be rough, and of far more be lost.
const MOST_LIVES: f64 = (1_u64 << 40) as f64;

/// Mean square of a wave of amplitude 1, see `eddy_field` \[1\].
const WAVE_MEAN_SQUARE: f64 = 1.0 / 2100.0;

/// Seed of the waves; a seed of the host's adds to their phases alone.
const SEED: u64 = 0x0E60;

/// Numbers that a pattern draws.
const DRAWN: u64 = 64;

/// u' = |S| a f(k·x + φ): one wave.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wave {
    /// k \[turns/m\].
    pub(super) vector: Vec3,
    /// a \[m\], at right angles to k.
    pub(super) amplitude: Vec3,
    /// φ \[turns\].
    pub(super) phase: f32,
}

/// The eddies below the core's size at a moment, in all places: two patterns of waves, each of which the flow
/// carries along while it lasts. Its strength is sin πs after a share s of its life, and the other pattern is
/// half a life older, so that the squares add up to 1.
#[derive(Debug, Clone)]
pub struct Eddies {
    core_radius: f32,
    instruction_set: InstructionSet,
    /// Lives that have passed \[1\].
    lives: f64,
    /// Time since the middle of the life of each pattern, by which the flow has carried it \[s\].
    carried: [f64; PATTERNS],
    /// What was the origin of the coordinates at first \[m\] lies at minus this.
    origin: DVec3,
    waves: [[Wave; WAVES]; PATTERNS],
}

crate::saved::fields!(Eddies { lives, carried, origin } not { core_radius, instruction_set, waves } check renew);

impl Eddies {
    /// The first eddies below a core of radius `core_radius` \[m\].
    pub fn new(core_radius: f32, instruction_set: InstructionSet) -> Self {
        let mut new = Self {
            core_radius,
            instruction_set,
            lives: 0.0,
            carried: [0.0; PATTERNS],
            origin: DVec3::ZERO,
            waves: [[Wave::default(); WAVES]; PATTERNS],
        };
        new.renew();
        new
    }

    /// `dt` \[s\] pass in a flow with the largest gradient `steepness` \[1/s\]. Where nothing turns, nothing
    /// is renewed.
    pub fn advance(&mut self, dt: f32, steepness: f32) {
        let (dt, rate) = (f64::from(dt), f64::from(steepness.max(0.0)) / LIFE);
        let before = self.lives;
        self.lives += dt * rate;
        // Beyond, its fractions are lost: the patterns begin anew.
        if self.lives.abs() > MOST_LIVES {
            self.lives = 0.0;
        }
        let longest = if rate > 0.0 { 0.5 / rate } else { f64::MAX };
        let mut renewed = false;
        for pattern in 0..PATTERNS {
            let (number, share) = life(self.lives, pattern);
            let carried = &mut self.carried[pattern];
            if number == life(before, pattern).0 {
                // A flow that has become faster would shear the pattern further than one that always was.
                *carried = (*carried + dt).clamp(-longest, longest);
            } else {
                *carried = (share - 0.5) / rate;
                renewed = true;
            }
        }
        if renewed {
            self.renew();
        }
    }

    /// Becomes equal to `other`.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.clone_from(other);
    }

    /// The place `origin` \[m\] becomes the origin: the eddies stay where they are in the fluid.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.origin += origin.as_dvec3();
        self.renew();
    }

    /// They with phases of the host's, ready to be sampled.
    pub fn with_seed(&self, seed: u64) -> EddyField {
        let mut waves = self.waves;
        let random = Random::new(seed);
        for (pattern, waves) in waves.iter_mut().enumerate() {
            let strength = libm::sin(PI * life(self.lives, pattern).1) as f32;
            for (number, wave) in waves.iter_mut().enumerate() {
                wave.amplitude *= strength;
                wave.phase += random.unit((pattern * WAVES + number) as u64);
            }
        }
        let carried = self.carried.map(|time| time as f32);
        EddyField { waves, carried, core_radius: self.core_radius, instruction_set: self.instruction_set }
    }

    /// Finds the waves of these lives. True: any numbers are good for it.
    fn renew(&mut self) -> bool {
        for (pattern, waves) in self.waves.iter_mut().enumerate() {
            let (number, _) = life(self.lives, pattern);
            let first = (number as u64).wrapping_mul(PATTERNS as u64).wrapping_add(pattern as u64);
            *waves = draw(first.wrapping_mul(DRAWN), f64::from(self.core_radius), self.origin);
        }
        true
    }
}

/// Which life of its own a pattern lives, and what share of it has passed.
fn life(lives: f64, pattern: usize) -> (i64, f64) {
    let age = lives + pattern as f64 / PATTERNS as f64;
    let number = age.floor();
    (number as i64, age - number)
}

/// The waves of a pattern, from random numbers `first` on. Of three octaves, each in three equal parts, each
/// part has a wave with the energy that Kolmogorov's spectrum has in that part: k_c^(2/3) k^(-5/3) (2/3)
/// |S|²/k_c² (E60).
fn draw(first: u64, core_radius: f64, origin: DVec3) -> [Wave; WAVES] {
    let random = Random::new(SEED);
    let unit = |n: u64| f64::from(random.unit(first.wrapping_add(n)));
    let cut_off = CUT_OFF / core_radius;
    let part = OCTAVES / WAVES as f64;
    std::array::from_fn(|n| {
        let (octave, axis) = (n / 3, n % 3);
        let axes = rotation(std::array::from_fn(|i| unit((3 * octave + i) as u64)));
        let over = libm::exp2((n as f64 + unit((WAVES + n) as u64)) * part);
        let energy = 2.0 / 3.0 * LN_2 * part / libm::cbrt(over * over);
        let amplitude = (2.0 * energy / WAVE_MEAN_SQUARE).sqrt() / cut_off;
        let vector = (axes * DVec3::AXES[axis] * (over * cut_off / TAU)).as_vec3();
        let phase = unit((2 * WAVES + n) as u64) + vector.as_dvec3().dot(origin);
        Wave {
            vector,
            amplitude: (axes * DVec3::AXES[(axis + 1) % 3] * amplitude).as_vec3(),
            phase: (phase - phase.floor()) as f32,
        }
    })
}

/// A random rotation, all equally likely (Shoemake 1992), from three numbers in [0, 1).
fn rotation([share, first, second]: [f64; 3]) -> DQuat {
    let (a, b) = ((1.0 - share).sqrt(), share.sqrt());
    let (first, second) = (TAU * first, TAU * second);
    DQuat::from_xyzw(a * libm::sin(first), a * libm::cos(first), b * libm::sin(second), b * libm::cos(second))
}
