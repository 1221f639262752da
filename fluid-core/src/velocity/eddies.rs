//! Eddies below the core's size, as waves that come and go (E60): the waves of a moment, and the time for
//! which the flow has carried them. `eddy_field` adds them up.

use super::eddy_field::{EddyField, PATTERNS, WAVES, Wave};
use crate::lanes::InstructionSet;
use crate::math::Random;
use glam::{DQuat, DVec3, Vec3};
use std::f64::consts::{LN_2, PI, TAU};

/// Octaves above the cut-off that have eddies \[1\]. They have 3/4 of the energy of all octaves: the fourth
/// one would have a tenth of it.
const OCTAVES: f64 = (WAVES / 3) as f64;

/// The cut-off k_c σ \[1\]: there the spectrum of the core of Winckelmans and Leonard, (kσ)² K₂(kσ) / 2, has
/// fallen to a half.
const CUT_OFF: f64 = 2.0;

/// Lifetime of a pattern, times the largest velocity gradient at the vortons \[1\]. So eddies last about
/// one turnover of the largest of them, and are sheared by at most 1 at their begin and end, by 0.36 in the
/// mean.
const LIFE: f64 = 2.0;

/// Maximum count of lives: beyond it their fractions are coarse, and far beyond it lost.
const MOST_LIVES: f64 = (1_u64 << 40) as f64;

/// Mean square of a wave of amplitude 1, see `eddy_field` \[1\].
const WAVE_MEAN_SQUARE: f64 = 1.0 / 2100.0;

/// Seed of the waves; a host's seed only adds to their phases.
const SEED: u64 = 0x0E60;

/// Random numbers drawn for a pattern.
const DRAWN: u64 = 64;

/// The eddies below the core's size at a moment, everywhere: two patterns of waves, each carried along by
/// the flow during its life. A pattern's strength is sin πs after a fraction s of its life, and the other
/// pattern is half a life older, so that the squares add up to 1.
#[derive(Debug, Clone)]
pub struct Eddies {
    core_radius: f32,
    instruction_set: InstructionSet,
    /// Elapsed lives \[1\].
    lives: f64,
    /// Time since the middle of the life of each pattern, over which the flow has carried it \[s\].
    carried: [f64; PATTERNS],
    /// Sum of all shifts of the origin \[m\]: the first origin of the coordinates lies at minus this.
    origin: DVec3,
    waves: [[Wave; WAVES]; PATTERNS],
}

crate::saved::fields!(Eddies { lives, carried, origin } not { core_radius, instruction_set, waves } check renew);

impl Eddies {
    /// Creates the first eddies below a core of radius `core_radius` \[m\].
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

    /// Advances the patterns by `dt` \[s\] in a flow with the largest gradient `steepness` \[1/s\]. Without
    /// a gradient no pattern is renewed.
    pub fn advance(&mut self, dt: f32, steepness: f32) {
        let (dt, rate) = (f64::from(dt), f64::from(steepness.max(0.0)) / LIFE);
        let before = self.lives;
        self.lives += dt * rate;
        // Beyond, its fractions are lost: the patterns start anew.
        if self.lives.abs() > MOST_LIVES {
            self.lives = 0.0;
        }
        let longest = if rate > 0.0 { 0.5 / rate } else { f64::MAX };
        let mut renewed = false;
        for pattern in 0..PATTERNS {
            let (number, share) = life(self.lives, pattern);
            let carried = &mut self.carried[pattern];
            if number == life(before, pattern).0 {
                // A flow that has become faster would shear the pattern further than one that has always
                // been as fast.
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

    /// Copies `other`.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.clone_from(other);
    }

    /// Shifts the origin of the coordinates to `origin` \[m\]: the eddies keep their positions in the
    /// fluid.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.origin += origin.as_dvec3();
        self.renew();
    }

    /// Returns the eddies, ready to be sampled, with phases shifted by the host's `seed`.
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

    /// Draws the waves of the current lives. Returns true: every state is valid.
    fn renew(&mut self) -> bool {
        for (pattern, waves) in self.waves.iter_mut().enumerate() {
            let (number, _) = life(self.lives, pattern);
            let first = (number as u64).wrapping_mul(PATTERNS as u64).wrapping_add(pattern as u64);
            *waves = draw(first.wrapping_mul(DRAWN), f64::from(self.core_radius), self.origin);
        }
        true
    }
}

/// Returns the number of a pattern's current life, and the elapsed fraction of it.
fn life(lives: f64, pattern: usize) -> (i64, f64) {
    let age = lives + pattern as f64 / PATTERNS as f64;
    let number = age.floor();
    (number as i64, age - number)
}

/// Draws the waves of a pattern, from random numbers `first` on. Three octaves are each divided into three
/// equal parts, and each part has one wave with the energy of Kolmogorov's spectrum in that part: k_c^(2/3)
/// k^(-5/3) (2/3) |S|²/k_c² (E60).
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

/// Returns a random rotation, all equally likely (Shoemake 1992), from three numbers in [0, 1).
fn rotation([share, first, second]: [f64; 3]) -> DQuat {
    let (a, b) = ((1.0 - share).sqrt(), share.sqrt());
    let (first, second) = (TAU * first, TAU * second);
    DQuat::from_xyzw(a * libm::sin(first), a * libm::cos(first), b * libm::sin(second), b * libm::cos(second))
}
