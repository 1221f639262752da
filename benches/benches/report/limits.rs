//! Limits of this machine: arithmetic on one core, and memory reads.
//!
//! The loops are plain ones over arrays, compiled for the widest instruction set of the processor: the
//! library's own lanes are not part of its interface.

use benches::timing::{least, seconds};
use fluid_core::InstructionSet;
use fluid_threads::{Executor, for_each_chunk};
use std::hint::black_box;

/// Rounds of each loop; the fastest counts.
const ROUNDS: usize = 15;

/// Rates of one core, and of memory.
pub(crate) struct Limits {
    pub(crate) set: InstructionSet,
    /// Fused multiplications and additions \[10⁹ operations/s, two for each pair\]; none without such
    /// instructions.
    pub(crate) fused: Option<f64>,
    /// Separate multiplications and additions, as exact results need them \[10⁹ operations/s\].
    pub(crate) separate: f64,
    /// Square root and division with IEEE 754 rounding: 1/√x \[10⁹/s\].
    pub(crate) inverse_sqrt: f64,
    /// Reading: size of the data \[bytes\], threads, and rate \[10⁹ bytes/s\].
    pub(crate) reading: Vec<(usize, usize, f64)>,
}

impl Limits {
    /// Measures all of them, memory with each of these executors.
    pub(crate) fn measure(executors: &[(usize, Box<dyn Executor>)]) -> Self {
        let set = InstructionSet::Auto.resolve();
        let mut numbers = vec![2.0_f32; NUMBERS];
        let has_fused = set != InstructionSet::Portable || cfg!(target_arch = "aarch64");
        let calls = (NUMBERS * PASSES) as f64 / 1e9;
        let fused =
            has_fused.then(|| calls * (2 * STEPS) as f64 / least(&times(|| run(set, Fused(&mut numbers)))));
        let separate = times(|| run(set, Separate(&mut numbers)));
        let places: Vec<f32> = (0..NUMBERS).map(|n| 1.0 + n as f32).collect();
        let inverse_sqrt = times(|| run(set, InverseSqrt(&places, &mut numbers)));
        Self {
            set,
            fused,
            separate: calls * (2 * STEPS) as f64 / least(&separate),
            inverse_sqrt: calls / least(&inverse_sqrt),
            reading: reading(set, executors),
        }
    }

    /// Returns the rate of reading from a core's second-level cache \[10⁹ bytes/s\].
    pub(crate) fn second_cache(&self) -> f64 {
        self.reading.first().map_or(f64::NAN, |(.., rate)| *rate)
    }
}

fn times(mut call: impl FnMut()) -> Vec<f64> {
    call();
    (0..ROUNDS).map(|_| seconds(&mut call)).collect()
}

/// Sizes \[bytes\] that fit into a core's second-level cache, into the third, and into none.
const SIZES: [usize; 3] = [1 << 18, 1 << 22, 1 << 28];
/// Least number of bytes read by a measurement; smaller data are read repeatedly.
const READ: usize = 1 << 28;

/// Bytes per chunk of memory.
const CHUNK: usize = 1 << 16;

fn reading(set: InstructionSet, executors: &[(usize, Box<dyn Executor>)]) -> Vec<(usize, usize, f64)> {
    let memory = vec![1_u32; SIZES[SIZES.len() - 1] / size_of::<u32>()];
    let mut rates = Vec::new();
    for bytes in SIZES {
        let part = &memory[..bytes / size_of::<u32>()];
        for (threads, exec) in executors {
            // Caches belong to each core: only main memory is shared by all of them.
            if *threads > 1 && bytes < READ {
                continue;
            }
            let step = CHUNK / size_of::<u32>();
            let passes = READ / bytes;
            let read = || {
                for_each_chunk(&**exec, passes * part.len(), step, &|range| {
                    let start = range.start % part.len();
                    run(set, Sum(&part[start..start + range.len()]));
                });
            };
            rates.push((bytes, *threads, (passes * bytes) as f64 / least(&times(read)) / 1e9));
        }
    }
    rates
}

/// Number of values, which fit into the first-level cache, and of passes over them.
const NUMBERS: usize = 2048;
const PASSES: usize = 1000;
/// Operations on each value from its load to its store: enough to make the cost of those two negligible.
const STEPS: usize = 8;

/// A loop over an array. `run` must be `#[inline(always)]`, so that it is compiled with the instructions of
/// the function that calls it.
trait Loop {
    fn run(self);
}

/// x ↦ a x + b, rounded once.
struct Fused<'a>(&'a mut [f32]);
/// The same, rounded twice.
struct Separate<'a>(&'a mut [f32]);
/// x ↦ 1/√x.
struct InverseSqrt<'a>(&'a [f32], &'a mut [f32]);
/// Σ x of integers: the compiler is free to choose the order.
struct Sum<'a>(&'a [u32]);

impl Loop for Fused<'_> {
    #[inline(always)]
    fn run(self) {
        repeat(
            self.0,
            #[inline(always)]
            |x, a, b| x.mul_add(a, b),
        );
    }
}

impl Loop for Separate<'_> {
    #[inline(always)]
    fn run(self) {
        repeat(
            self.0,
            #[inline(always)]
            |x, a, b| x * a + b,
        );
    }
}

#[inline(always)]
fn repeat(numbers: &mut [f32], step: impl Fn(f32, f32, f32) -> f32) {
    let (a, b) = black_box((0.999_f32, 0.001_f32));
    for _ in 0..PASSES {
        for number in black_box(&mut *numbers) {
            let mut x = *number;
            for _ in 0..STEPS {
                x = step(x, a, b);
            }
            *number = x;
        }
    }
}

impl Loop for InverseSqrt<'_> {
    #[inline(always)]
    fn run(self) {
        for _ in 0..PASSES {
            for (x, root) in black_box(self.0).iter().zip(black_box(&mut *self.1)) {
                *root = 1.0 / x.sqrt();
            }
        }
    }
}

impl Loop for Sum<'_> {
    #[inline(always)]
    fn run(self) {
        black_box(self.0.iter().fold(0_u32, |sum, x| sum.wrapping_add(*x)));
    }
}

/// Runs a loop with the instructions of a set, which must be available.
fn run(set: InstructionSet, job: impl Loop) {
    assert!(set.is_available(), "{set:?}");
    match set {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has the set's instructions, as checked above.
        InstructionSet::Avx512 => unsafe { avx512(job) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        InstructionSet::Avx2 => unsafe { avx2(job) },
        _ => job.run(),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2,fma")]
fn avx512(job: impl Loop) {
    job.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2(job: impl Loop) {
    job.run();
}
