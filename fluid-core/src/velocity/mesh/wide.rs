//! Numbers in lanes, for the Fourier transforms: `N` independent transforms in one pass.
//!
//! The library's transforms are generic over the number. With this one they do `N` lines at once, by plain
//! IEEE additions and multiplications of each lane alone: the result of a line depends neither on `N` nor on
//! the processor.

use rustfft::num_traits::{FromPrimitive, Num, One, Signed, Zero};
use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

/// `N` numbers on which every operation acts lane by lane.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(16))]
pub(super) struct Wide<F, const N: usize>(pub(super) [F; N]);

/// What [`Wide`] needs to know of a lane.
pub(super) trait Lane: Num + Signed + Copy + Send + Sync + std::fmt::Debug + 'static {
    /// A constant of a transform, rounded so far that the last bit of the platform's sine does not show.
    fn constant(value: f64) -> Self;
}

impl Lane for f32 {
    #[inline(always)]
    fn constant(value: f64) -> Self {
        value as f32
    }
}

impl Lane for f64 {
    /// To 36 bits after the point: ample for tables that end in `f32`. (Platforms differ in the 53rd.)
    #[inline(always)]
    fn constant(value: f64) -> Self {
        const STEPS: f64 = (1_u64 << 36) as f64;
        (value * STEPS).round() / STEPS
    }
}

impl<F: Lane, const N: usize> Wide<F, N> {
    /// `value` in every lane.
    #[inline(always)]
    pub(super) fn splat(value: F) -> Self {
        Self([value; N])
    }

    #[inline(always)]
    fn map(self, operation: impl Fn(F) -> F) -> Self {
        Self(std::array::from_fn(|lane| operation(self.0[lane])))
    }

    #[inline(always)]
    fn zip(self, other: Self, operation: impl Fn(F, F) -> F) -> Self {
        Self(std::array::from_fn(|lane| operation(self.0[lane], other.0[lane])))
    }
}

macro_rules! lane_by_lane {
    ($($operator:ident $method:ident),+) => {
        $(impl<F: Lane, const N: usize> $operator for Wide<F, N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.zip(other, F::$method)
            }
        })+
    };
}
lane_by_lane!(Add add, Sub sub, Mul mul, Div div, Rem rem);

impl<F: Lane, const N: usize> Neg for Wide<F, N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(F::neg)
    }
}

impl<F: Lane, const N: usize> Zero for Wide<F, N> {
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(F::zero())
    }
    #[inline(always)]
    fn is_zero(&self) -> bool {
        self.0.iter().all(F::is_zero)
    }
}

impl<F: Lane, const N: usize> One for Wide<F, N> {
    #[inline(always)]
    fn one() -> Self {
        Self::splat(F::one())
    }
}

impl<F: Lane, const N: usize> Num for Wide<F, N> {
    type FromStrRadixErr = F::FromStrRadixErr;
    fn from_str_radix(text: &str, radix: u32) -> Result<Self, Self::FromStrRadixErr> {
        F::from_str_radix(text, radix).map(Self::splat)
    }
}

// A transform asks for constants and negation alone; the rest is what the traits of a number demand.
impl<F: Lane, const N: usize> Signed for Wide<F, N> {
    #[inline(always)]
    fn abs(&self) -> Self {
        self.map(|lane| lane.abs())
    }
    #[inline(always)]
    fn abs_sub(&self, other: &Self) -> Self {
        self.zip(*other, |a, b| if a.sub(b).is_positive() { a.sub(b) } else { F::zero() })
    }
    #[inline(always)]
    fn signum(&self) -> Self {
        self.map(|lane| lane.signum())
    }
    #[inline(always)]
    fn is_positive(&self) -> bool {
        self.0.iter().all(F::is_positive)
    }
    #[inline(always)]
    fn is_negative(&self) -> bool {
        self.0.iter().all(F::is_negative)
    }
}

impl<F: Lane, const N: usize> FromPrimitive for Wide<F, N> {
    #[inline(always)]
    fn from_i64(value: i64) -> Option<Self> {
        Self::from_f64(value as f64)
    }
    #[inline(always)]
    fn from_u64(value: u64) -> Option<Self> {
        Self::from_f64(value as f64)
    }
    #[inline(always)]
    fn from_f64(value: f64) -> Option<Self> {
        Some(Self::splat(F::constant(value)))
    }
}
