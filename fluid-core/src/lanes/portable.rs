//! Four floats in an array: SSE2 on x86-64 and NEON on AArch64, by the compiler's hand.

use super::{BLOCK, Lanes};

#[derive(Clone, Copy)]
pub(crate) struct Portable([f32; 4]);

#[inline(always)]
fn zip(a: Portable, b: Portable, f: impl Fn(f32, f32) -> f32) -> Portable {
    Portable(std::array::from_fn(|i| f(a.0[i], b.0[i])))
}

impl Lanes for Portable {
    const WIDTH: usize = 4;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; 4])
    }
    #[inline(always)]
    fn load(from: &[f32; BLOCK], at: usize) -> Self {
        Self(std::array::from_fn(|i| from[at + i]))
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
        // Not f32::max: this is what the vector instructions do with NaN, too.
        zip(self, other, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        self.mul(a).add(b)
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
