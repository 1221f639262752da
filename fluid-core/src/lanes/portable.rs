//! Four floats in an array: the compiler turns them into SSE2 on x86-64 and NEON on AArch64.

use super::{BLOCK, LaneBlock, Lanes, Outlined};

// Aligned, so that the compiler may keep it in one register.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Portable([f32; 4]);

#[inline(always)]
fn zip(a: Portable, b: Portable, f: impl Fn(f32, f32) -> f32) -> Portable {
    let (a, b) = (a.0, b.0);
    Portable([f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])])
}

#[inline(never)]
fn outlined(part: impl Outlined) {
    part.run();
}

impl Lanes for Portable {
    const WIDTH: usize = 4;

    #[inline(always)]
    fn outlined(part: impl Outlined) {
        outlined(part);
    }

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; 4])
    }
    #[inline(always)]
    fn slice(blocks: &[LaneBlock]) -> &[Self] {
        const { assert!(size_of::<LaneBlock>() == 4 * size_of::<Self>()) };
        // SAFETY: a block is four of these (asserted above), plain floats, aligned no more strictly.
        unsafe { std::slice::from_raw_parts(blocks.as_ptr().cast(), blocks.len() * 4) }
    }
    #[inline(always)]
    fn slice_mut(blocks: &mut [LaneBlock]) -> &mut [Self] {
        // SAFETY: as above; the mutable borrow of `blocks` is passed on.
        unsafe { std::slice::from_raw_parts_mut(blocks.as_mut_ptr().cast(), blocks.len() * 4) }
    }
    #[inline(always)]
    fn interleave(self, other: Self) -> (Self, Self) {
        let (a, b) = (self.0, other.0);
        (Self([a[0], b[0], a[1], b[1]]), Self([a[2], b[2], a[3], b[3]]))
    }
    #[inline(always)]
    fn load(from: &[f32; BLOCK], at: usize) -> Self {
        let from = &from[at..at + 4];
        Self([from[0], from[1], from[2], from[3]])
    }
    #[inline(always)]
    fn store(self, to: &mut [f32; BLOCK], at: usize) {
        to[at..at + 4].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        zip(self, other, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        zip(self, other, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        zip(self, other, |a, b| a * b)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // Not f32::max: this handles NaN like the vector instructions.
        zip(self, other, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        self.mul(a).add(b)
    }
    #[inline(always)]
    fn round(self) -> Self {
        // Not f32::round_ties_even, a function without SSE4.1: from 1.5 · 2²³ on floats are integers.
        const WHOLE: f32 = 1.5 * (1 << 23) as f32;
        Self(self.0.map(|v| v + WHOLE - WHOLE))
    }
    #[inline(always)]
    fn inverse_sqrt(self) -> Self {
        Self(self.0.map(|v| 1.0 / v.sqrt()))
    }
    #[inline(always)]
    fn zero_unless_greater(self, a: Self, b: Self) -> Self {
        Self(std::array::from_fn(|i| if a.0[i] > b.0[i] { self.0[i] } else { 0.0 }))
    }
}
