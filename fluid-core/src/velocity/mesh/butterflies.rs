//! Discrete Fourier transforms of 2, 3, 4, 5, 6, 7 and 8 complex numbers (butterflies), in lanes.
//!
//! Sums and products are separate IEEE operations in a fixed order on each lane alone, so a result depends
//! neither on the number of lanes nor on the instruction set. Everything is `#[inline(always)]`, so that it
//! is compiled with the instructions of the calling `Job`; closures and `array::from_fn` would not be.

use crate::lanes::{Lanes, Outlined};

/// A vector of real numbers on which every operation acts lane by lane.
pub(super) trait Real: Copy {
    /// One lane.
    type Scalar: LaneScalar;
    /// Runs `part` with the instruction set of these numbers, in a separate function if there are many.
    fn outlined(part: impl Outlined);
    fn splat(value: Self::Scalar) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
}

/// One lane of a [`Real`].
pub(super) trait LaneScalar: Copy + Send + Sync + std::fmt::Debug + 'static {
    fn rounded(value: f64) -> Self;
}

impl LaneScalar for f32 {
    #[inline(always)]
    fn rounded(value: f64) -> Self {
        value as f32
    }
}

impl LaneScalar for f64 {
    #[inline(always)]
    fn rounded(value: f64) -> Self {
        value
    }
}

impl<L: Lanes> Real for L {
    type Scalar = f32;
    #[inline(always)]
    fn outlined(part: impl Outlined) {
        L::outlined(part);
    }
    #[inline(always)]
    fn splat(value: f32) -> Self {
        Lanes::splat(value)
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Lanes::add(self, other)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Lanes::sub(self, other)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Lanes::mul(self, other)
    }
}

/// Number of doubles in [`Doubles`].
pub(super) const DOUBLES: usize = 4;

/// Four doubles.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Doubles(pub(super) [f64; DOUBLES]);

impl Real for Doubles {
    type Scalar = f64;
    #[inline(always)]
    fn outlined(part: impl Outlined) {
        part.run();
    }
    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self([value; DOUBLES])
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self([a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]])
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self([a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]])
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self([a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]])
    }
}

/// Complex numbers in lanes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Complex<R> {
    pub(super) re: R,
    pub(super) im: R,
}

impl<R: Real> Complex<R> {
    /// Loads real part and imaginary part from memory.
    #[inline(always)]
    pub(super) fn of([re, im]: [R; 2]) -> Self {
        Self { re, im }
    }

    /// Returns real part and imaginary part for memory.
    #[inline(always)]
    pub(super) fn parts(self) -> [R; 2] {
        [self.re, self.im]
    }

    #[inline(always)]
    pub(super) fn add(self, other: Self) -> Self {
        Self { re: self.re.add(other.re), im: self.im.add(other.im) }
    }

    #[inline(always)]
    pub(super) fn sub(self, other: Self) -> Self {
        Self { re: self.re.sub(other.re), im: self.im.sub(other.im) }
    }

    #[inline(always)]
    fn scale(self, factor: R) -> Self {
        Self { re: self.re.mul(factor), im: self.im.mul(factor) }
    }

    /// Returns `self + i·other`.
    #[inline(always)]
    fn add_i(self, other: Self) -> Self {
        Self { re: self.re.sub(other.im), im: self.im.add(other.re) }
    }

    /// Returns `self - i·other`.
    #[inline(always)]
    fn sub_i(self, other: Self) -> Self {
        Self { re: self.re.add(other.im), im: self.im.sub(other.re) }
    }

    /// Returns `self ∓ i·other` and `self ± i·other`; the upper sign is that of the forward transform.
    #[inline(always)]
    fn quarter<const INVERSE: bool>(self, other: Self) -> (Self, Self) {
        if INVERSE { (self.add_i(other), self.sub_i(other)) } else { (self.sub_i(other), self.add_i(other)) }
    }

    /// Returns `self` times the factor [re, im], or its conjugate in an inverse transform.
    #[inline(always)]
    pub(super) fn turn<const INVERSE: bool>(self, [re, im]: [R::Scalar; 2]) -> Self {
        let (re, im) = (R::splat(re), R::splat(im));
        if INVERSE {
            Self { re: self.re.mul(re).add(self.im.mul(im)), im: self.im.mul(re).sub(self.re.mul(im)) }
        } else {
            Self { re: self.re.mul(re).sub(self.im.mul(im)), im: self.im.mul(re).add(self.re.mul(im)) }
        }
    }
}

#[inline(always)]
fn constant<R: Real>(value: f64) -> R {
    R::splat(R::Scalar::rounded(value))
}

/// The discrete Fourier transform of `N` numbers.
pub(super) trait Butterfly<const N: usize> {
    fn apply<R: Real, const INVERSE: bool>(a: [Complex<R>; N]) -> [Complex<R>; N];
}

pub(super) struct Radix2;
pub(super) struct Radix3;
pub(super) struct Radix4;
pub(super) struct Radix5;
pub(super) struct Radix6;
pub(super) struct Radix7;
pub(super) struct Radix8;

impl Butterfly<2> for Radix2 {
    #[inline(always)]
    fn apply<R: Real, const INVERSE: bool>([a0, a1]: [Complex<R>; 2]) -> [Complex<R>; 2] {
        [a0.add(a1), a0.sub(a1)]
    }
}

impl Butterfly<3> for Radix3 {
    #[inline(always)]
    fn apply<R: Real, const INVERSE: bool>([a0, a1, a2]: [Complex<R>; 3]) -> [Complex<R>; 3] {
        // Sine of 120°.
        const SIN: f64 = 0.866_025_403_784_438_6;
        let sum = a1.add(a2);
        let difference = a1.sub(a2).scale(constant(SIN));
        let middle = a0.sub(sum.scale(constant(0.5)));
        let (b1, b2) = middle.quarter::<INVERSE>(difference);
        [a0.add(sum), b1, b2]
    }
}

impl Butterfly<4> for Radix4 {
    #[inline(always)]
    fn apply<R: Real, const INVERSE: bool>([a0, a1, a2, a3]: [Complex<R>; 4]) -> [Complex<R>; 4] {
        let (even_sum, even_difference) = (a0.add(a2), a0.sub(a2));
        let (odd_sum, odd_difference) = (a1.add(a3), a1.sub(a3));
        let (b1, b3) = even_difference.quarter::<INVERSE>(odd_difference);
        [even_sum.add(odd_sum), b1, even_sum.sub(odd_sum), b3]
    }
}

impl Butterfly<5> for Radix5 {
    #[inline(always)]
    fn apply<R: Real, const INVERSE: bool>([a0, a1, a2, a3, a4]: [Complex<R>; 5]) -> [Complex<R>; 5] {
        // Cosines and sines of 72° and 144°.
        let (cos1, cos2): (R, R) = (constant(0.309_016_994_374_947_45), constant(-0.809_016_994_374_947_5));
        let (sin1, sin2): (R, R) = (constant(0.951_056_516_295_153_5), constant(0.587_785_252_292_473_1));
        let (sum1, difference1) = (a1.add(a4), a1.sub(a4));
        let (sum2, difference2) = (a2.add(a3), a2.sub(a3));
        let middle1 = a0.add(sum1.scale(cos1).add(sum2.scale(cos2)));
        let middle2 = a0.add(sum1.scale(cos2).add(sum2.scale(cos1)));
        let turned1 = difference1.scale(sin1).add(difference2.scale(sin2));
        let turned2 = difference1.scale(sin2).sub(difference2.scale(sin1));
        let (b1, b4) = middle1.quarter::<INVERSE>(turned1);
        let (b2, b3) = middle2.quarter::<INVERSE>(turned2);
        [a0.add(sum1.add(sum2)), b1, b2, b3, b4]
    }
}

impl Butterfly<6> for Radix6 {
    /// 2 and 3 have no common factor, so no twiddle factors are needed between them (Good 1958).
    #[inline(always)]
    fn apply<R: Real, const INVERSE: bool>([a0, a1, a2, a3, a4, a5]: [Complex<R>; 6]) -> [Complex<R>; 6] {
        let [u0, u1, u2] = Radix3::apply::<R, INVERSE>([a0, a2, a4]);
        let [v0, v1, v2] = Radix3::apply::<R, INVERSE>([a3, a5, a1]);
        [u0.add(v0), u1.sub(v1), u2.add(v2), u0.sub(v0), u1.add(v1), u2.sub(v2)]
    }
}

impl Butterfly<7> for Radix7 {
    #[inline(always)]
    fn apply<R: Real, const INVERSE: bool>([a0, a1, a2, a3, a4, a5, a6]: [Complex<R>; 7]) -> [Complex<R>; 7] {
        // Cosines and sines of 1, 2 and 3 sevenths of a turn.
        let cos1: R = constant(0.623_489_801_858_733_6);
        let cos2: R = constant(-0.222_520_933_956_314_34);
        let cos3: R = constant(-0.900_968_867_902_419);
        let sin1: R = constant(0.781_831_482_468_029_8);
        let sin2: R = constant(0.974_927_912_181_823_6);
        let sin3: R = constant(0.433_883_739_117_558_23);
        let (sum1, difference1) = (a1.add(a6), a1.sub(a6));
        let (sum2, difference2) = (a2.add(a5), a2.sub(a5));
        let (sum3, difference3) = (a3.add(a4), a3.sub(a4));
        let middle1 = a0.add(sum1.scale(cos1).add(sum2.scale(cos2)).add(sum3.scale(cos3)));
        let middle2 = a0.add(sum1.scale(cos2).add(sum2.scale(cos3)).add(sum3.scale(cos1)));
        let middle3 = a0.add(sum1.scale(cos3).add(sum2.scale(cos1)).add(sum3.scale(cos2)));
        let turned1 = difference1.scale(sin1).add(difference2.scale(sin2)).add(difference3.scale(sin3));
        let turned2 = difference1.scale(sin2).sub(difference2.scale(sin3)).sub(difference3.scale(sin1));
        let turned3 = difference1.scale(sin3).sub(difference2.scale(sin1)).add(difference3.scale(sin2));
        let (b1, b6) = middle1.quarter::<INVERSE>(turned1);
        let (b2, b5) = middle2.quarter::<INVERSE>(turned2);
        let (b3, b4) = middle3.quarter::<INVERSE>(turned3);
        [a0.add(sum1.add(sum2).add(sum3)), b1, b2, b3, b4, b5, b6]
    }
}

impl Butterfly<8> for Radix8 {
    #[inline(always)]
    fn apply<R: Real, const INVERSE: bool>(a: [Complex<R>; 8]) -> [Complex<R>; 8] {
        let [e0, e1, e2, e3] = Radix4::apply::<R, INVERSE>([a[0], a[2], a[4], a[6]]);
        let [o0, o1, o2, o3] = Radix4::apply::<R, INVERSE>([a[1], a[3], a[5], a[7]]);
        let half: R = constant(std::f64::consts::FRAC_1_SQRT_2);
        // Times e^(-iπ/4) and times -e^(-3iπ/4), or their conjugates.
        let (o1, minus_o3) = if INVERSE {
            (o1.eighth_up(half), o3.eighth_down(half))
        } else {
            (o1.eighth_down(half), o3.eighth_up(half))
        };
        let (b2, b6) = e2.quarter::<INVERSE>(o2);
        [e0.add(o0), e1.add(o1), b2, e3.sub(minus_o3), e0.sub(o0), e1.sub(o1), b6, e3.add(minus_o3)]
    }
}

impl<R: Real> Complex<R> {
    /// Returns the product with e^(iπ/4); `half` is √½.
    #[inline(always)]
    fn eighth_up(self, half: R) -> Self {
        Self { re: self.re.sub(self.im).mul(half), im: self.im.add(self.re).mul(half) }
    }

    /// Returns the product with e^(-iπ/4).
    #[inline(always)]
    fn eighth_down(self, half: R) -> Self {
        Self { re: self.re.add(self.im).mul(half), im: self.im.sub(self.re).mul(half) }
    }
}
