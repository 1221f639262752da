//! Fuzzing by seeds: valid snapshots, recordings, views and definitions are damaged at random, checksums are
//! corrected so that the decoder behind them is reached, and the library must refuse or survive the result.
//!
//! `cargo test` runs a few thousand executions; `VORTON_FUZZ=10000000 cargo test -p fluid-ffi --lib fuzz::`
//! runs so many in all: 10 % snapshots, 20 % recordings, 40 % views, 30 % definitions.
//! [`EXECUTIONS_PER_WORLD`] executions share a world. `VORTON_FUZZ_FIRST` sets the first seed: a failure is
//! repeated from the start of its block.

mod definitions;
mod recordings;
mod snapshots;
mod views;

use crate::guard;
use crate::state::reading;
use crate::status::*;
use crate::types::world::VortonWorldId;
use crate::world::vorton_world_step;
use fluid_core::math::Random;
use std::time::{Duration, Instant};

/// Number of executions of a target: its fraction of `VORTON_FUZZ`, or `few`.
fn executions(fraction: f64, few: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    let count = number("VORTON_FUZZ").map_or(few, |all| (fraction * all as f64) as u64);
    let first = number("VORTON_FUZZ_FIRST").unwrap_or(0);
    first..first + count
}

/// Executions that share a world.
const EXECUTIONS_PER_WORLD: u64 = 64;

/// Random numbers of one execution, one after the other.
struct Draw {
    seed: u64,
    random: Random,
    drawn: u64,
}

impl Draw {
    fn new(seed: u64) -> Self {
        Self { seed, random: Random::new(seed), drawn: 0 }
    }

    fn next(&mut self) -> u64 {
        self.drawn += 1;
        self.random.bits(self.drawn)
    }

    /// Returns a number below `count`, which is positive.
    fn below(&mut self, count: usize) -> usize {
        (self.next() >> 11) as usize % count
    }

    /// Returns true in one of `count` cases.
    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    fn float(&mut self) -> f32 {
        let extreme = [
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::MAX,
            f32::MIN,
            f32::MIN_POSITIVE,
            1e-45,
            -1e-45,
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.02,
            0.5,
            3.0,
            -7.5,
            1e-30,
            1e4,
            1e9,
            1e19,
            -1e30,
        ];
        self.of(&extreme)
    }

    fn word(&mut self) -> u32 {
        match self.below(4) {
            0 => self.float().to_bits(),
            1 => self.of(&[0, 1, 2, 3, 7, 64, 255, 256, 65_535, 65_536, 1 << 24, 1 << 31, u32::MAX]),
            2 => self.below(12) as u32,
            _ => self.next() as u32,
        }
    }
}

/// Damages bytes in one of the ways in which files are damaged or forged.
fn damage(bytes: &mut Vec<u8>, draw: &mut Draw) {
    // Most of the structure is at the beginning.
    let near = if draw.one_in(2) { bytes.len() } else { bytes.len().min(2048) };
    for _ in 0..1 + draw.below(3) {
        if bytes.is_empty() {
            return;
        }
        let at = draw.below(near.min(bytes.len()));
        let put = |bytes: &mut Vec<u8>, at: usize, new: &[u8]| {
            let end = (at + new.len()).min(bytes.len());
            bytes[at..end].copy_from_slice(&new[..end - at]);
        };
        match draw.below(16) {
            0..4 => bytes[at] ^= 1 << draw.below(8),
            4 => bytes[at] = draw.of(&[0, 1, 2, 0x7f, 0x80, 0xff]),
            5 => bytes[at] = bytes[at].wrapping_add(1),
            6 => bytes[at] = bytes[at].wrapping_sub(1),
            7..10 => put(bytes, at & !3, &draw.float().to_ne_bytes()),
            10 => put(bytes, at & !3, &draw.word().to_ne_bytes()),
            11 => put(bytes, at & !7, &f64::from(draw.float()).to_ne_bytes()),
            12 => {
                let long = [0, 1, u64::MAX, 1 << 63, 1 << 60, 1 << 32, bytes.len() as u64];
                put(bytes, at & !7, &draw.of(&long).to_ne_bytes());
            }
            13 => {
                // A length that is off by one or by much.
                let mut old = [0; 8];
                let end = (at + 8).min(bytes.len());
                old[..end - at].copy_from_slice(&bytes[at..end]);
                let new = u64::from_ne_bytes(old).wrapping_add(draw.of(&[1, u64::MAX, 8, 1000]));
                put(bytes, at, &new.to_ne_bytes());
            }
            14 => {
                let to = draw.below(bytes.len());
                let len = (1 + draw.below(32)).min(bytes.len() - at.max(to));
                bytes.copy_within(at..at + len, to);
            }
            _ => match draw.below(3) {
                0 => bytes.truncate(at),
                1 => drop(bytes.drain(at..(at + 1 + draw.below(16)).min(bytes.len()))),
                _ => {
                    let more = bytes[at..(at + 1 + draw.below(16)).min(bytes.len())].to_vec();
                    bytes.splice(at..at, more);
                }
            },
        }
    }
}

/// Returns a definition with up to three of its words changed, `struct_size` seldom.
fn forged<T: Copy>(def: &T, draw: &mut Draw) -> T {
    let mut forged = *def;
    let words = size_of::<T>() / 4;
    for _ in 0..draw.below(4) {
        let word = if draw.one_in(64) { 0 } else { 1 + draw.below(words - 1) };
        // A caller promises as many bytes as struct_size says.
        let value = if word == 0 { draw.below(size_of::<T>() + 1) as u32 } else { draw.word() };
        // SAFETY: within the struct, of which all fields are valid for any bits: definitions of C.
        unsafe { (&raw mut forged).cast::<u32>().add(word).write_unaligned(value) };
    }
    forged
}

/// Executions of a target: the current one, and the slowest.
struct Watch {
    target: &'static str,
    start: Instant,
    slowest: (Duration, u64),
    count: u64,
}

impl Watch {
    fn new(target: &'static str) -> Self {
        Self { target, start: Instant::now(), slowest: (Duration::ZERO, 0), count: 0 }
    }

    fn execute<T>(&mut self, seed: u64, body: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = body();
        self.slowest = self.slowest.max((start.elapsed(), seed));
        self.count += 1;
        result
    }

    fn report(&self, counts: &str) {
        let seconds = self.start.elapsed().as_secs_f64();
        let (time, seed) = self.slowest;
        println!(
            "{}: {} executions in {seconds:.1} s, {:.0} a second; {counts}; the slowest {:.1} ms, seed {seed}",
            self.target,
            self.count,
            self.count as f64 / seconds,
            time.as_secs_f64() * 1e3
        );
    }
}

/// Fails if a call has ended by an internal error.
fn check_result(result: VortonResult, seed: u64, call: &str) {
    let is_internal = result == VORTON_ERR_PANIC || result == VORTON_ERR_POISONED;
    assert!(!is_internal, "seed {seed}: {call}: {}", guard::last_error());
}

/// Steps a world three times: each step must succeed with finite vortons, or return an error.
fn step_three_times(world: VortonWorldId, seed: u64) -> VortonResult {
    for _ in 0..3 {
        let result = vorton_world_step(world, 0.02);
        check_result(result, seed, "step");
        if result < 0 {
            return result;
        }
        let finite = reading(world, |_, state| {
            let vortons = state.sim.vortons();
            let finite =
                |row| vortons.positions.get(row).is_finite() && vortons.strengths.get(row).is_finite();
            Ok((0..vortons.len()).all(finite))
        });
        assert!(matches!(finite, Ok(true)), "seed {seed}: a vorton is not finite");
    }
    VORTON_OK
}
