//! Fourier transforms of lines of nodes, several at a time in lanes.

use super::wide::Wide;
use rustfft::algorithm::{Radix3, Radix4};
use rustfft::num_complex::Complex;
use rustfft::num_traits::Zero;
use rustfft::{Fft, FftDirection, FftNum, FftPlannerScalar};
use std::f64::consts::PI;
use std::fmt;
use std::sync::Arc;

/// Lines in one transform. Any number gives the same bits; dims are multiples of it.
pub(super) const LANES: usize = 4;
/// Most nodes on an axis.
pub(super) const MAX_NODES: usize = 256;

pub(super) type Lanes = Wide<f32, LANES>;
pub(super) type Mode = Complex<Lanes>;

/// Transforms along one axis.
#[derive(Clone)]
pub(super) struct Axis {
    pub(super) nodes: usize,
    pub(super) forward: Arc<dyn Fft<Lanes>>,
    pub(super) inverse: Arc<dyn Fft<Lanes>>,
    /// e^(-iπt/n).
    pub(super) half_turns: Vec<Complex<f32>>,
}

impl Axis {
    pub(super) fn new(nodes: usize, planner: &mut FftPlannerScalar<Lanes>) -> Self {
        let half_turns = (0..nodes).map(|t| {
            let (sin, cos) = libm::sincos(-PI * t as f64 / nodes as f64);
            Complex::new(cos as f32, sin as f32)
        });
        Self {
            nodes,
            forward: transform(nodes, FftDirection::Forward, planner),
            inverse: transform(nodes, FftDirection::Inverse, planner),
            half_turns: half_turns.collect(),
        }
    }

    /// Folded modes of a line of values followed by as many zeros.
    #[inline(always)]
    pub(super) fn forward_padded(
        &self,
        values: impl Fn(usize) -> Mode,
        line: &mut [Mode],
        scratch: &mut [Mode],
    ) {
        let (even, odd) = line.split_at_mut(self.nodes);
        for t in 0..self.nodes {
            let value = values(t);
            even[t] = value;
            odd[t] = turn(value, self.half_turns[t]);
        }
        self.forward.process_with_scratch(line, scratch);
    }
}

impl fmt::Debug for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Axis").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}

/// The library's transform of `n` values. Where its planner multiplies two short transforms, one long step of
/// radix 3 or 4 is faster in lanes: with SSE2, 48 nodes ran at 33 instead of 10 Gflop/s, 96 at 34 instead of
/// 18, 128 at 39 instead of 28.
fn transform(
    n: usize,
    direction: FftDirection,
    planner: &mut FftPlannerScalar<Lanes>,
) -> Arc<dyn Fft<Lanes>> {
    let twos = n.trailing_zeros();
    let (mut threes, mut rest) = (0, n >> twos);
    while rest % 3 == 0 {
        (threes, rest) = (threes + 1, rest / 3);
    }
    match (twos, threes, rest) {
        (7, 0, 1) => Arc::new(Radix4::new_with_base(1, planner.plan_fft(32, direction))),
        (3, 2.., 1) => Arc::new(Radix3::new_with_base(threes - 1, planner.plan_fft(24, direction))),
        (4.., 1.., 1) => Arc::new(Radix3::new_with_base(threes, planner.plan_fft(1 << twos, direction))),
        _ => planner.plan_fft(n, direction),
    }
}

/// Calls `body` with `LINES` lines of `nodes` on the stack, and room for the transform.
#[inline(always)]
pub(super) fn with_lines<const LINES: usize, T: FftNum>(
    nodes: usize,
    body: impl FnOnce(&mut [Complex<T>], &mut [Complex<T>]),
) {
    debug_assert!(LINES <= 6);
    // Smaller boxes clear less.
    match nodes {
        ..=32 => on_stack::<{ 6 * 32 }, 64, _>(LINES * nodes, body),
        33..=64 => on_stack::<{ 6 * 64 }, 128, _>(LINES * nodes, body),
        _ => on_stack::<{ 6 * MAX_NODES }, { 2 * MAX_NODES }, _>(LINES * nodes, body),
    }
}

// Not inlined: the caller's frame would hold the room of every size.
#[inline(never)]
fn on_stack<const LEN: usize, const SCRATCH: usize, T: FftNum>(
    len: usize,
    body: impl FnOnce(&mut [Complex<T>], &mut [Complex<T>]),
) {
    body(&mut [Complex::zero(); LEN][..len], &mut [Complex::zero(); SCRATCH]);
}

/// `value` times a number that is the same in all lanes.
#[inline(always)]
pub(super) fn turn(value: Mode, by: Complex<f32>) -> Mode {
    value * Complex::new(Lanes::splat(by.re), Lanes::splat(by.im))
}
