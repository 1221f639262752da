//! AVX2 and AVX-512 lanes. Each type exists in an exact and a fast flavour that differ in two operations.

use super::{BLOCK, Job, LaneBlock, Lanes, Outlined};
use std::arch::x86_64::*;

/// # Safety
/// The processor has AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn run_avx2(job: impl Job) {
    job.run::<Avx2>();
}

/// # Safety
/// The processor has AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn run_avx2_fast(job: impl Job) {
    job.run::<Avx2Fast>();
}

/// # Safety
/// The processor has AVX-512F.
#[target_feature(enable = "avx512f,avx2,fma")]
pub(super) unsafe fn run_avx512(job: impl Job) {
    job.run::<Avx512>();
}

/// # Safety
/// The processor has AVX-512F.
#[target_feature(enable = "avx512f,avx2,fma")]
pub(super) unsafe fn run_avx512_fast(job: impl Job) {
    job.run::<Avx512Fast>();
}

/// # Safety
/// The processor has AVX2 and FMA.
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
unsafe fn outlined_avx2(part: impl Outlined) {
    part.run();
}

/// # Safety
/// The processor has AVX-512F.
#[inline(never)]
#[target_feature(enable = "avx512f,avx2,fma")]
unsafe fn outlined_avx512(part: impl Outlined) {
    part.run();
}

macro_rules! lanes {
    ($name:ident, $register:ty, $width:literal, $outlined:ident, $set1:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident, $max:ident, $round:ident,
     mul_add: |$ma:ident, $mb:ident, $mc:ident| $mul_add:expr, inverse_sqrt: |$sv:ident| $inverse_sqrt:expr,
     zero_unless_greater: |$zv:ident, $za:ident, $zb:ident| $zero:expr,
     interleave: |$ia:ident, $ib:ident| $interleave:expr) => {
        #[derive(Clone, Copy)]
        struct $name($register);

        // SAFETY of every intrinsic below: a value of this type exists only inside `dispatch`, which has
        // checked the processor (invariant of `Lanes`); loads and stores stay inside `[f32; BLOCK]`, which
        // the range check proves.
        #[allow(clippy::undocumented_unsafe_blocks, reason = "one reason for all of them, stated above")]
        impl Lanes for $name {
            const WIDTH: usize = $width;
            #[inline(always)]
            fn outlined(part: impl Outlined) {
                // SAFETY: these lanes exist only in code run by `dispatch`.
                unsafe { $outlined(part) }
            }
            #[inline(always)]
            fn splat(value: f32) -> Self {
                Self(unsafe { $set1(value) })
            }
            #[inline(always)]
            fn slice(blocks: &[LaneBlock]) -> &[Self] {
                const { assert!(size_of::<LaneBlock>() == BLOCK / $width * size_of::<Self>()) };
                const { assert!(align_of::<LaneBlock>() >= align_of::<Self>()) };
                // SAFETY: size and alignment are asserted above; any bits are floats.
                unsafe { std::slice::from_raw_parts(blocks.as_ptr().cast(), blocks.len() * (BLOCK / $width)) }
            }
            #[inline(always)]
            fn slice_mut(blocks: &mut [LaneBlock]) -> &mut [Self] {
                let len = blocks.len() * (BLOCK / $width);
                // SAFETY: as in `slice`; the mutable borrow of `blocks` is passed on.
                unsafe { std::slice::from_raw_parts_mut(blocks.as_mut_ptr().cast(), len) }
            }
            #[inline(always)]
            fn interleave(self, other: Self) -> (Self, Self) {
                let ($ia, $ib) = (self.0, other.0);
                let (first, second) = unsafe { $interleave };
                (Self(first), Self(second))
            }
            #[inline(always)]
            fn load(from: &[f32; BLOCK], at: usize) -> Self {
                Self(unsafe { $load(from[at..at + $width].as_ptr()) })
            }
            #[inline(always)]
            fn store(self, to: &mut [f32; BLOCK], at: usize) {
                unsafe { $store(to[at..at + $width].as_mut_ptr(), self.0) }
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self(unsafe { $add(self.0, other.0) })
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                Self(unsafe { $sub(self.0, other.0) })
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                Self(unsafe { $mul(self.0, other.0) })
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                Self(unsafe { $max(self.0, other.0) })
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                let ($ma, $mb, $mc) = (self.0, a.0, b.0);
                Self(unsafe { $mul_add })
            }
            #[inline(always)]
            fn round(self) -> Self {
                // Without exceptions for inexact results.
                Self(unsafe { $round::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(self.0) })
            }
            #[inline(always)]
            fn inverse_sqrt(self) -> Self {
                let $sv = self.0;
                Self(unsafe { $inverse_sqrt })
            }
            #[inline(always)]
            fn zero_unless_greater(self, a: Self, b: Self) -> Self {
                let ($zv, $za, $zb) = (self.0, a.0, b.0);
                Self(unsafe { $zero })
            }
        }
    };
}

macro_rules! avx2_lanes {
    ($name:ident, mul_add: |$ma:ident, $mb:ident, $mc:ident| $mul_add:expr, inverse_sqrt: |$sv:ident| $inverse_sqrt:expr) => {
        lanes!($name, __m256, 8, outlined_avx2, _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_add_ps, _mm256_sub_ps, _mm256_mul_ps,
            _mm256_max_ps, _mm256_round_ps, mul_add: |$ma, $mb, $mc| $mul_add, inverse_sqrt: |$sv| $inverse_sqrt,
            zero_unless_greater: |v, a, b| _mm256_and_ps(v, _mm256_cmp_ps::<_CMP_GT_OQ>(a, b)),
            interleave: |a, b| {
                let (low, high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
                (_mm256_permute2f128_ps::<0x20>(low, high), _mm256_permute2f128_ps::<0x31>(low, high))
            });
    };
}

macro_rules! avx512_lanes {
    ($name:ident, mul_add: |$ma:ident, $mb:ident, $mc:ident| $mul_add:expr, inverse_sqrt: |$sv:ident| $inverse_sqrt:expr) => {
        lanes!($name, __m512, 16, outlined_avx512, _mm512_set1_ps, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_add_ps, _mm512_sub_ps, _mm512_mul_ps,
            _mm512_max_ps, _mm512_roundscale_ps, mul_add: |$ma, $mb, $mc| $mul_add, inverse_sqrt: |$sv| $inverse_sqrt,
            zero_unless_greater: |v, a, b| _mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, b), v),
            interleave: |a, b| {
                let first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
                let second = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
                (_mm512_permutex2var_ps(a, first, b), _mm512_permutex2var_ps(a, second, b))
            });
    };
}

avx2_lanes!(Avx2,
    mul_add: |a, b, c| _mm256_add_ps(_mm256_mul_ps(a, b), c),
    inverse_sqrt: |v| _mm256_div_ps(_mm256_set1_ps(1.0), _mm256_sqrt_ps(v)));
avx512_lanes!(Avx512,
    mul_add: |a, b, c| _mm512_add_ps(_mm512_mul_ps(a, b), c),
    inverse_sqrt: |v| _mm512_div_ps(_mm512_set1_ps(1.0), _mm512_sqrt_ps(v)));

// One Newton step y (3/2 - v y²/2) on the hardware's estimate. An infinite v (a source beyond 1e19 core
// radii) would give 0 · ∞ in the step, so v is capped at a value with an inverse square root that is still
// a normal number and practically zero.
const FAST_CAP: f32 = 1e36;
avx2_lanes!(Avx2Fast,
mul_add: |a, b, c| _mm256_fmadd_ps(a, b, c),
inverse_sqrt: |v| {
    let v = _mm256_min_ps(v, _mm256_set1_ps(FAST_CAP));
    let y = _mm256_rsqrt_ps(v);
    let half = _mm256_mul_ps(_mm256_mul_ps(v, _mm256_set1_ps(0.5)), y);
    _mm256_mul_ps(y, _mm256_fnmadd_ps(half, y, _mm256_set1_ps(1.5)))
});
avx512_lanes!(Avx512Fast,
mul_add: |a, b, c| _mm512_fmadd_ps(a, b, c),
inverse_sqrt: |v| {
    let v = _mm512_min_ps(v, _mm512_set1_ps(FAST_CAP));
    let y = _mm512_rsqrt14_ps(v);
    let half = _mm512_mul_ps(_mm512_mul_ps(v, _mm512_set1_ps(0.5)), y);
    _mm512_mul_ps(y, _mm512_fnmadd_ps(half, y, _mm512_set1_ps(1.5)))
});
