//! SIMD lanes: hot loops are written once over [`Lanes`] and compiled for every instruction set;
//! [`dispatch`] selects one at run time. A lane is one target particle and sources are visited in order, so
//! an exact result does not depend on the width: the portable, AVX2 and AVX-512 paths agree bit for bit.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use glam::Vec3;
use portable::Portable;

/// Width of the widest lane type; blocks of targets have this many particles on every path.
pub(crate) const BLOCK: usize = 16;

/// Memory for lanes: [`BLOCK`] floats, aligned for the widest vectors.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct LaneBlock(pub(crate) [f32; BLOCK]);

impl LaneBlock {
    pub(crate) const ZERO: Self = Self([0.0; BLOCK]);

    /// Returns the same memory as doubles: half as many as floats.
    pub(crate) fn doubles_mut(blocks: &mut [Self]) -> &mut [f64] {
        let len = size_of_val(blocks) / size_of::<f64>();
        // SAFETY: a block is floats without padding, aligned more strictly than doubles, and every pattern of
        // bits is valid as both.
        unsafe { std::slice::from_raw_parts_mut(blocks.as_mut_ptr().cast(), len) }
    }

    /// Returns the number of blocks that hold `values` values.
    pub(crate) fn count_of<T>(values: usize) -> usize {
        (values * size_of::<T>()).div_ceil(size_of::<Self>())
    }

    /// Returns the same memory as floats.
    pub(crate) fn floats_mut(blocks: &mut [Self]) -> &mut [f32] {
        let len = size_of_val(blocks) / size_of::<f32>();
        // SAFETY: a block is floats without padding.
        unsafe { std::slice::from_raw_parts_mut(blocks.as_mut_ptr().cast(), len) }
    }

    /// Returns the same memory as vectors: a third as many as floats.
    pub(crate) fn vectors_mut(blocks: &mut [Self]) -> &mut [Vec3] {
        let len = size_of_val(blocks) / size_of::<Vec3>();
        // SAFETY: a block is floats without padding, a vector three of them, aligned as they are.
        unsafe { std::slice::from_raw_parts_mut(blocks.as_mut_ptr().cast(), len) }
    }

    /// Returns the same memory as integers: as many as floats.
    pub(crate) fn numbers_mut(blocks: &mut [Self]) -> &mut [u32] {
        let len = size_of_val(blocks) / size_of::<u32>();
        // SAFETY: same size and alignment as a float, and every pattern of bits is valid as both.
        unsafe { std::slice::from_raw_parts_mut(blocks.as_mut_ptr().cast(), len) }
    }
}

/// Instruction set of the hot loops. All give the same bits with [`Precision::Exact`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InstructionSet {
    /// The widest set of this processor.
    #[default]
    Auto,
    /// The baseline of the target (SSE2 on x86-64, NEON on AArch64).
    Portable,
    /// 256-bit vectors (x86-64).
    Avx2,
    /// 512-bit vectors (x86-64).
    Avx512,
}

impl InstructionSet {
    /// All values, `Auto` last.
    pub const ALL: [Self; 4] = [Self::Portable, Self::Avx2, Self::Avx512, Self::Auto];

    /// Returns true if this processor supports it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Auto | Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => is_x86_feature_detected!("avx512f") && Self::Avx2.is_available(),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// Resolves `Auto` to the widest available set.
    pub fn resolve(self) -> Self {
        match self {
            Self::Auto if Self::Avx512.is_available() => Self::Avx512,
            Self::Auto if Self::Avx2.is_available() => Self::Avx2,
            Self::Auto => Self::Portable,
            chosen => chosen,
        }
    }

    /// Returns [`Lanes::WIDTH`] of the lanes that [`dispatch`] selects.
    pub(crate) fn width(self) -> usize {
        match self.resolve() {
            Self::Avx512 => 16,
            Self::Avx2 => 8,
            Self::Portable | Self::Auto => 4,
        }
    }
}

/// Arithmetic of the square root in the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// Separate multiply and add, IEEE square root and division: the same bits on every instruction set.
    #[default]
    Exact,
    /// Reciprocal square root estimate with one Newton step, fused multiply-add: relative error below 1e-5
    /// per vorton, bits differ between processors. Equal to `Exact` on the portable path.
    Fast,
}

crate::saved::variants!(Precision { Exact, Fast });

/// A vector of `WIDTH` floats.
///
/// Invariant: values of an implementation exist only inside [`dispatch`], which has checked that the
/// processor has its instructions. That fact makes every intrinsic call sound.
pub(crate) trait Lanes: Copy {
    /// Number of floats; divides [`BLOCK`].
    const WIDTH: usize;
    fn splat(value: f32) -> Self;
    /// Returns the vectors in `blocks`: `BLOCK / WIDTH` in each.
    fn slice(blocks: &[LaneBlock]) -> &[Self];
    /// As [`slice`](Self::slice), mutable.
    fn slice_mut(blocks: &mut [LaneBlock]) -> &mut [Self];
    /// Runs `part` in a separate function, with the instructions of these lanes.
    fn outlined(part: impl Outlined);
    /// Alternates the lanes of `self` and `other`: the first half of the result, and the second half.
    fn interleave(self, other: Self) -> (Self, Self);
    /// Reads `WIDTH` floats from `from[at..]`.
    fn load(from: &[f32; BLOCK], at: usize) -> Self;
    /// Writes `WIDTH` floats to `to[at..]`.
    fn store(self, to: &mut [f32; BLOCK], at: usize);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    /// Computes `self * a + b`: two roundings on exact paths, one on fast ones.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// Returns the nearest integer, the even one of two; anything where |self| > 2²².
    fn round(self) -> Self;
    /// Computes 1 / sqrt(self), for positive finite or infinite `self`.
    fn inverse_sqrt(self) -> Self;
    /// Returns `self` where `a > b`, zero elsewhere.
    fn zero_unless_greater(self, a: Self, b: Self) -> Self;
}

/// Returns a vector of equal lanes for each value.
///
/// This and the next two take the place of `array::map` and `std::array::from_fn`: the compiler may leave
/// the functions passed to these out of line, where they have no vector instructions.
#[inline(always)]
pub(crate) fn splat_each<L: Lanes, const N: usize>(values: [f32; N]) -> [L; N] {
    let mut vectors = [L::splat(0.0); N];
    for i in 0..N {
        vectors[i] = L::splat(values[i]);
    }
    vectors
}

/// Reads `WIDTH` floats of each column from `at` on.
#[inline(always)]
pub(crate) fn load_each<L: Lanes, const N: usize>(columns: &[[f32; BLOCK]; N], at: usize) -> [L; N] {
    let mut vectors = [L::splat(0.0); N];
    for i in 0..N {
        vectors[i] = L::load(&columns[i], at);
    }
    vectors
}

/// Returns each vector times `factor`.
#[inline(always)]
pub(crate) fn scale_each<L: Lanes, const N: usize>(mut vectors: [L; N], factor: L) -> [L; N] {
    for vector in &mut vectors {
        *vector = vector.mul(factor);
    }
    vectors
}

/// Transposes [`BLOCK`] rows of as many floats: a column has a float of each row.
#[inline(always)]
pub(crate) fn transpose<L: Lanes>(rows: [&LaneBlock; BLOCK], columns: &mut [LaneBlock; BLOCK]) {
    for first in (0..BLOCK).step_by(L::WIDTH) {
        for part in 0..BLOCK / L::WIDTH {
            let mut tile = [L::splat(0.0); BLOCK];
            for i in 0..L::WIDTH {
                tile[i] = L::slice(std::slice::from_ref(rows[first + i]))[part];
            }
            // Alternating the two halves of the rows doubles how many rows a vector has floats of.
            let mut span = 1;
            while span < L::WIDTH {
                let halves = tile;
                for i in 0..L::WIDTH / 2 {
                    (tile[2 * i], tile[2 * i + 1]) = halves[i].interleave(halves[L::WIDTH / 2 + i]);
                }
                span *= 2;
            }
            for i in 0..L::WIDTH {
                let column = std::slice::from_mut(&mut columns[part * L::WIDTH + i]);
                L::slice_mut(column)[first / L::WIDTH] = tile[i];
            }
        }
    }
}

/// A part of a [`Job`] with many call sites, compiled once for each kind of lanes ([`Lanes::outlined`]).
/// `run` must be `#[inline(always)]`, as a job's.
pub(crate) trait Outlined {
    fn run(self);
}

/// A hot loop, written once over lanes. `run` must be `#[inline(always)]`, so that it is compiled with the
/// instructions of the wrapper that calls it.
pub(crate) trait Job {
    fn run<L: Lanes>(self);
}

/// Runs `job` with the widest lanes for `set` and `precision`.
///
/// # Panics
/// If this processor lacks `set` (parameters are checked when a world is built).
pub(crate) fn dispatch(set: InstructionSet, precision: Precision, job: impl Job) {
    let set = available(set);
    match (set, precision) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the set is available.
        (InstructionSet::Avx2, Precision::Fast) => unsafe { x86::run_avx2_fast(job) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        (InstructionSet::Avx512, Precision::Fast) => unsafe { x86::run_avx512_fast(job) },
        _ => dispatch_exact(set, job),
    }
}

/// Runs `job` with the widest exact lanes for `set`: half as much code to compile as [`dispatch`].
///
/// # Panics
/// As [`dispatch`].
pub(crate) fn dispatch_exact(set: InstructionSet, job: impl Job) {
    match available(set) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the set is available.
        InstructionSet::Avx2 => unsafe { x86::run_avx2(job) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        InstructionSet::Avx512 => unsafe { x86::run_avx512(job) },
        _ => job.run::<Portable>(),
    }
}

/// A loop over plain arrays. `run` must be `#[inline(always)]`, and so must all functions that it calls.
pub trait VectorJob {
    /// Runs the loop.
    fn run(self);
}

/// Runs `job`, compiled with 256-bit vectors if `set` and the processor support them. Every operation is a
/// separate IEEE operation, so the bits do not depend on the vectors.
///
/// # Panics
/// If this processor lacks `set` (parameters are checked when a world is built).
pub fn run_in_vectors(set: InstructionSet, job: impl VectorJob) {
    struct Plain<J>(J);
    impl<J: VectorJob> Job for Plain<J> {
        #[inline(always)]
        fn run<L: Lanes>(self) {
            self.0.run();
        }
    }
    match available(set) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the set is available, and every processor with AVX-512 has AVX2.
        InstructionSet::Avx2 | InstructionSet::Avx512 => unsafe { x86::run_avx2(Plain(job)) },
        _ => Plain(job).run::<Portable>(),
    }
}

/// Resolves `set`, and checks that this processor supports it.
fn available(set: InstructionSet) -> InstructionSet {
    let set = set.resolve();
    assert!(set.is_available(), "{set:?} is not available on this processor");
    set
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, InstructionSet, Job, LaneBlock, Lanes, dispatch_exact, transpose};

    struct Transpose<'a>(&'a [LaneBlock; BLOCK], &'a mut [LaneBlock; BLOCK]);

    impl Job for Transpose<'_> {
        #[inline(always)]
        fn run<L: Lanes>(self) {
            let Self(rows, columns) = self;
            let mut all = [&rows[0]; BLOCK];
            for (slot, row) in all.iter_mut().zip(rows) {
                *slot = row;
            }
            transpose::<L>(all, columns);
        }
    }

    struct Round<'a>(&'a LaneBlock, &'a mut LaneBlock);

    impl Job for Round<'_> {
        #[inline(always)]
        fn run<L: Lanes>(self) {
            for at in (0..BLOCK).step_by(L::WIDTH) {
                L::load(&self.0.0, at).round().store(&mut self.1.0, at);
            }
        }
    }

    fn available() -> impl Iterator<Item = InstructionSet> {
        InstructionSet::ALL.into_iter().filter(|set| set.is_available())
    }

    #[test]
    fn a_column_has_a_float_of_each_row() {
        let number = |row: usize, column: usize| (BLOCK * row + column) as f32;
        let rows: [_; BLOCK] =
            std::array::from_fn(|row| LaneBlock(std::array::from_fn(|column| number(row, column))));
        for set in available() {
            let mut columns = [LaneBlock::ZERO; BLOCK];
            dispatch_exact(set, Transpose(&rows, &mut columns));
            for (column, floats) in columns.iter().enumerate() {
                assert_eq!(floats.0, std::array::from_fn(|row| number(row, column)), "{set:?}");
            }
        }
    }

    #[test]
    fn rounding_is_to_the_nearest_even_integer_on_every_instruction_set() {
        let wild = LaneBlock([
            0.0,
            0.5,
            1.5,
            2.5,
            -0.5,
            -1.5,
            0.499_999_97,
            4_194_303.5,
            -4_194_303.5,
            4_194_302.5,
            1e-30,
            7.0,
            -7.25,
            123_456.79,
            -0.75,
            2_097_151.9,
        ]);
        for set in available() {
            let mut rounded = LaneBlock::ZERO;
            dispatch_exact(set, Round(&wild, &mut rounded));
            assert_eq!(rounded.0, wild.0.map(f32::round_ties_even), "{set:?}");
        }
    }
}
