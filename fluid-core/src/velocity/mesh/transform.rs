//! Fourier transforms of lines of complex numbers in lanes: one line per lane.
//!
//! Stockham's autosort form, decimation in frequency: each pass of radix r reads one buffer and writes
//! another, and the last one leaves the modes in order (Van Loan, Computational Frameworks for the Fast
//! Fourier Transform, 1992, section 1.7).

use super::butterflies::{
    Butterfly, Complex, LaneScalar, Radix2, Radix3, Radix4, Radix5, Radix6, Radix7, Radix8, Real,
};
use crate::lanes::Outlined;
use std::f64::consts::PI;

/// Transforms of one length, forward (e^(-2πikt/n)) and inverse; neither is normalised.
#[derive(Debug, Clone)]
pub(super) struct Transform<S> {
    len: usize,
    passes: Vec<Pass<S>>,
}

#[derive(Debug, Clone)]
struct Pass<S> {
    radix: usize,
    /// Number of interleaved transforms of this pass' length: the product of the previous radices.
    stride: usize,
    /// Twiddle factors w^p to w^((r-1)p) for p = 1, 2, ..., len / (stride r) - 1.
    twiddles: Vec<[S; 2]>,
}

/// Returns the radices of the passes for a length, the last one 8; None if there are no butterflies for it.
fn radices(len: usize) -> Option<Vec<usize>> {
    let mut rest = len;
    let mut count = |prime: usize| {
        let mut times = 0;
        while rest > 0 && rest.is_multiple_of(prime) {
            (rest, times) = (rest / prime, times + 1);
        }
        times
    };
    let (sevens, fives, threes, twos) = (count(7), count(5), count(3), count(2));
    if rest != 1 || twos < 3 {
        return None;
    }
    let mut radices = vec![7; sevens];
    radices.extend(vec![5; fives]);
    radices.extend(vec![3; threes]);
    match (twos % 3, radices.last_mut()) {
        (1, Some(last)) if *last == 3 => *last = 6,
        (1, _) => radices.push(2),
        (2, _) => radices.push(4),
        _ => {}
    }
    radices.extend(vec![8; twos / 3]);
    Some(radices)
}

/// Input of a transform.
pub(super) trait TransformInput<R> {
    fn get(&self, index: usize) -> Complex<R>;
}

/// Output of a transform.
pub(super) trait TransformOutput<R> {
    fn put(&mut self, index: usize, value: Complex<R>);
}

/// Every `.1`-th number of a slice.
pub(super) struct Line<'a, R>(pub(super) &'a [[R; 2]], pub(super) usize);

/// As [`Line`], mutable.
pub(super) struct LineMut<'a, R>(pub(super) &'a mut [[R; 2]], pub(super) usize);

impl<R: Real> TransformInput<R> for Line<'_, R> {
    #[inline(always)]
    fn get(&self, index: usize) -> Complex<R> {
        Complex::of(self.0[index * self.1])
    }
}

impl<R: Real> TransformInput<R> for LineMut<'_, R> {
    #[inline(always)]
    fn get(&self, index: usize) -> Complex<R> {
        Complex::of(self.0[index * self.1])
    }
}

impl<R: Real> TransformOutput<R> for LineMut<'_, R> {
    #[inline(always)]
    fn put(&mut self, index: usize, value: Complex<R>) {
        self.0[index * self.1] = value.parts();
    }
}

/// As input, numbers times one factor each; as output, adds numbers times the conjugate factor to the
/// existing ones.
pub(super) struct Turned<'a, T, S>(pub(super) T, pub(super) &'a [[S; 2]]);

impl<R: Real, T: TransformInput<R>> TransformInput<R> for Turned<'_, T, R::Scalar> {
    #[inline(always)]
    fn get(&self, index: usize) -> Complex<R> {
        self.0.get(index).turn::<false>(self.1[index])
    }
}

impl<R: Real, T: TransformInput<R> + TransformOutput<R>> TransformOutput<R> for Turned<'_, T, R::Scalar> {
    #[inline(always)]
    fn put(&mut self, index: usize, value: Complex<R>) {
        let sum = self.0.get(index).add(value.turn::<true>(self.1[index]));
        self.0.put(index, sum);
    }
}

impl<S: LaneScalar> Transform<S> {
    /// Creates a transform for lines of `len` numbers: a product of powers of 2, 3, 5 and 7, and a multiple
    /// of 8.
    ///
    /// # Panics
    /// If there are no butterflies for this length.
    pub(super) fn new(len: usize) -> Self {
        let radices = radices(len);
        assert!(radices.is_some(), "no transform of length {len}");
        let mut stride = 1;
        let mut passes = Vec::new();
        for radix in radices.unwrap_or_default() {
            let length = len / stride;
            let mut twiddles = Vec::with_capacity(length);
            for p in 1..length / radix {
                twiddles.extend((1..radix).map(|j| root_of_unity(j * p % length, length)));
            }
            passes.push(Pass { radix, stride, twiddles });
            stride *= radix;
        }
        // The last pass has no twiddle factors.
        passes.pop();
        Self { len, passes }
    }

    /// Returns the length of the lines.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Makes the first pass, from the line to `scratch`, which is twice as long. After it the line is free
    /// for [`finish`](Self::finish).
    #[inline(always)]
    pub(super) fn start<R: Real<Scalar = S>, const INVERSE: bool>(
        &self,
        line: &impl TransformInput<R>,
        scratch: &mut [[R; 2]],
    ) {
        R::outlined(First::<R, _, INVERSE> { transform: self, line, scratch: &mut scratch[..self.len] });
    }

    /// Makes all passes but the first.
    #[inline(always)]
    pub(super) fn finish<R: Real<Scalar = S>, const INVERSE: bool>(
        &self,
        scratch: &mut [[R; 2]],
        out: &mut impl TransformOutput<R>,
    ) {
        let (first, second) = scratch[..2 * self.len].split_at_mut(self.len);
        R::outlined(Middle::<R, INVERSE> { transform: self, from: &mut *first, to: &mut *second });
        let from = if self.passes.len().saturating_sub(1).is_multiple_of(2) { first } else { second };
        R::outlined(Last::<R, _, INVERSE> { stride: self.len / 8, from, out });
    }
}

/// The first pass of a transform.
struct First<'a, R: Real, T, const INVERSE: bool> {
    transform: &'a Transform<R::Scalar>,
    line: &'a T,
    scratch: &'a mut [[R; 2]],
}

impl<R: Real, T: TransformInput<R>, const INVERSE: bool> Outlined for First<'_, R, T, INVERSE> {
    #[inline(always)]
    fn run(self) {
        let Self { transform, line, scratch } = self;
        match transform.passes.first() {
            Some(pass) => match pass.radix {
                2 => pass.start::<R, Radix2, 2, 1, INVERSE>(line, scratch),
                3 => pass.start::<R, Radix3, 3, 2, INVERSE>(line, scratch),
                4 => pass.start::<R, Radix4, 4, 3, INVERSE>(line, scratch),
                5 => pass.start::<R, Radix5, 5, 4, INVERSE>(line, scratch),
                6 => pass.start::<R, Radix6, 6, 5, INVERSE>(line, scratch),
                7 => pass.start::<R, Radix7, 7, 6, INVERSE>(line, scratch),
                _ => pass.start::<R, Radix8, 8, 7, INVERSE>(line, scratch),
            },
            None => {
                for (index, value) in scratch.iter_mut().enumerate() {
                    *value = line.get(index).parts();
                }
            }
        }
    }
}

/// The passes in between, from one buffer to the other and back.
struct Middle<'a, R: Real, const INVERSE: bool> {
    transform: &'a Transform<R::Scalar>,
    from: &'a mut [[R; 2]],
    to: &'a mut [[R; 2]],
}

impl<R: Real, const INVERSE: bool> Outlined for Middle<'_, R, INVERSE> {
    #[inline(always)]
    fn run(self) {
        let Self { transform, mut from, mut to } = self;
        for pass in transform.passes.iter().skip(1) {
            match pass.radix {
                2 => pass.apply::<R, Radix2, 2, 1, INVERSE>(from, to),
                3 => pass.apply::<R, Radix3, 3, 2, INVERSE>(from, to),
                4 => pass.apply::<R, Radix4, 4, 3, INVERSE>(from, to),
                5 => pass.apply::<R, Radix5, 5, 4, INVERSE>(from, to),
                6 => pass.apply::<R, Radix6, 6, 5, INVERSE>(from, to),
                7 => pass.apply::<R, Radix7, 7, 6, INVERSE>(from, to),
                _ => pass.apply::<R, Radix8, 8, 7, INVERSE>(from, to),
            }
            (from, to) = (to, from);
        }
    }
}

/// The last pass, of radix 8.
struct Last<'a, R, T, const INVERSE: bool> {
    stride: usize,
    from: &'a [[R; 2]],
    out: &'a mut T,
}

impl<R: Real, T: TransformOutput<R>, const INVERSE: bool> Outlined for Last<'_, R, T, INVERSE> {
    #[inline(always)]
    fn run(self) {
        let Self { stride, from, out } = self;
        let from = &from[..8 * stride];
        for q in 0..stride {
            let mut a = [Complex::of(from[q]); 8];
            for j in 1..8 {
                a[j] = Complex::of(from[j * stride + q]);
            }
            let b = Radix8::apply::<R, INVERSE>(a);
            #[expect(clippy::needless_range_loop, reason = "an iterator over values is not inlined")]
            for j in 0..8 {
                out.put(j * stride + q, b[j]);
            }
        }
    }
}

impl<S: LaneScalar> Pass<S> {
    /// Applies the pass with a stride of 1. `FACTORS` is the radix less 1.
    #[inline(always)]
    fn start<
        R: Real<Scalar = S>,
        B: Butterfly<RADIX>,
        const RADIX: usize,
        const FACTORS: usize,
        const INVERSE: bool,
    >(
        &self,
        line: &impl TransformInput<R>,
        to: &mut [[R; 2]],
    ) {
        let (to, _) = to.as_chunks_mut::<RADIX>();
        let part = to.len();
        let (twiddles, _) = self.twiddles.as_chunks::<FACTORS>();
        for (p, to) in to.iter_mut().enumerate() {
            let mut a = [line.get(p); RADIX];
            #[expect(clippy::needless_range_loop, reason = "an iterator that skips is not unrolled")]
            for j in 1..RADIX {
                a[j] = line.get(j * part + p);
            }
            let b = B::apply::<R, INVERSE>(a);
            to[0] = b[0].parts();
            if p == 0 {
                for j in 1..RADIX {
                    to[j] = b[j].parts();
                }
            } else {
                let twiddles = &twiddles[p - 1];
                for j in 1..RADIX {
                    to[j] = b[j].turn::<INVERSE>(twiddles[j - 1]).parts();
                }
            }
        }
    }

    /// As [`start`](Self::start), with any stride.
    #[inline(always)]
    fn apply<
        R: Real<Scalar = S>,
        B: Butterfly<RADIX>,
        const RADIX: usize,
        const FACTORS: usize,
        const INVERSE: bool,
    >(
        &self,
        from: &[[R; 2]],
        to: &mut [[R; 2]],
    ) {
        let stride = self.stride;
        let part = from.len() / RADIX;
        let (twiddles, _) = self.twiddles.as_chunks::<FACTORS>();
        for p in 0..=twiddles.len() {
            let from = &from[p * stride..];
            let to = &mut to[p * RADIX * stride..][..RADIX * stride];
            let twiddles =
                if p == 0 { &[[S::rounded(1.0), S::rounded(0.0)]; FACTORS] } else { &twiddles[p - 1] };
            for q in 0..stride {
                let mut a = [Complex::of(from[q]); RADIX];
                for j in 1..RADIX {
                    a[j] = Complex::of(from[j * part + q]);
                }
                let b = B::apply::<R, INVERSE>(a);
                to[q] = b[0].parts();
                for j in 1..RADIX {
                    to[j * stride + q] = b[j].turn::<INVERSE>(twiddles[j - 1]).parts();
                }
            }
        }
    }
}

/// Returns e^(-2πik/n).
pub(super) fn root_of_unity<S: LaneScalar>(k: usize, n: usize) -> [S; 2] {
    let (sin, cos) = libm::sincos(-2.0 * PI * k as f64 / n as f64);
    [S::rounded(cos), S::rounded(sin)]
}

#[cfg(test)]
#[path = "transform_tests.rs"]
mod tests;
