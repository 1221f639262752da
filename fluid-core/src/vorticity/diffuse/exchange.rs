//! Sums over pairs of neighbours, in lanes: the factors of vortons with few neighbours, and the exchange.

use super::problem::{CHANNELS, ChannelValues, DiffusionProblem};
use super::stages::GegenbauerStage;
use crate::lanes::{BLOCK, Job, Lanes, load_each};
use crate::particles::neighbours::{Block, Neighbours};

/// Largest factor n by which the weights of a vorton are raised to compensate for missing neighbours \[1\].
/// At the spacings of a volume its faces need 1.6, its corners 3.3, a single plane 2 and a single row 3.5 to
/// 4.2.
const MOST_BOOST: f64 = 4.0;

/// Largest rate n Σ V η of a vorton \[1/R²\]. It is 18 inside a volume and up to 25 at its ends or in
/// disorder. For a vorton on top of others it would be unbounded, and would cost all of them stages.
const HIGHEST_RATE: f64 = 64.0;

/// Dimension (tr M)²/tr M² above which a neighbourhood counts as a volume \[1\]. On a jittered lattice it is
/// 2.85 or more, on a face 2.9.
const VOLUME_DIMENSION: f64 = 2.7;

/// Returns sixteen targets as columns. Missing ones repeat the first: valid, and discarded.
#[inline(always)]
pub(super) fn target_columns<const C: usize, const N: usize>(
    block: &Block,
    rows: &[[f32; N]],
) -> [[f32; BLOCK]; C] {
    let rows = &rows[block.targets()];
    let mut columns = [[0.0; BLOCK]; C];
    for lane in 0..BLOCK {
        let row = rows[if lane < rows.len() { lane } else { 0 }];
        (0..C).for_each(|c| columns[c][lane] = row[c]);
    }
    columns
}

/// Returns d and (R² - r²)², zero outside R, for lanes of targets and one source. Bitwise equal for both
/// vortons of a pair.
#[inline(always)]
pub(super) fn pair<L: Lanes>(target: [L; 3], source: &[f32; 4], radius2: L) -> ([L; 3], L) {
    let [x, y, z] = target;
    let (dx, dy, dz) = (L::splat(source[0]).sub(x), L::splat(source[1]).sub(y), L::splat(source[2]).sub(z));
    let r2 = dx.mul_add(dx, dy.mul_add(dy, dz.mul(dz)));
    let inside = radius2.sub(r2).max(L::splat(0.0));
    ([dx, dy, dz], inside.mul(inside))
}

/// Factors √n of the targets.
pub(super) struct MomentJob<'a> {
    pub(super) problem: &'a DiffusionProblem,
    pub(super) neighbours: &'a Neighbours,
    pub(super) start: usize,
    pub(super) sources: &'a [[f32; 4]],
    pub(super) out: &'a mut [f32],
}

impl Job for MomentJob<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let kernel = self.problem.kernel_factor();
        let most = HIGHEST_RATE / f64::from(self.problem.radius).powi(2);
        for block in self.neighbours.blocks(self.start) {
            let targets = target_columns::<3, 4>(&block, self.sources);
            let mut sums = [[0.0; BLOCK]; MOMENTS];
            for lane in (0..BLOCK).step_by(L::WIDTH) {
                moment_lanes::<L>(self.problem.radius, &block, self.sources, &targets, lane, &mut sums);
            }
            let out = &mut self.out[block.targets().start - self.start..][..block.targets().len()];
            for (lane, out) in out.iter_mut().enumerate() {
                let moments = std::array::from_fn(|i| kernel * f64::from(sums[i][lane]));
                *out = boost(moments, most).sqrt() as f32;
            }
        }
    }
}

/// Σ V η, then Σ V η of xx, yy, zz, xy, xz, yz.
pub(super) const MOMENTS: usize = 7;

#[inline(always)]
pub(super) fn moment_lanes<L: Lanes>(
    radius: f32,
    block: &Block,
    sources: &[[f32; 4]],
    targets: &[[f32; BLOCK]; 3],
    lane: usize,
    out: &mut [[f32; BLOCK]; MOMENTS],
) {
    let radius2 = L::splat(radius * radius);
    let target = load_each::<L, 3>(targets, lane);
    let mut sums = [L::splat(0.0); MOMENTS];
    for run in block.sources() {
        for source in &sources[run] {
            let ([dx, dy, dz], kernel) = pair(target, source, radius2);
            let weight = kernel.mul(L::splat(source[3]));
            let (wx, wy, wz) = (weight.mul(dx), weight.mul(dy), weight.mul(dz));
            sums = [
                sums[0].add(weight),
                wx.mul_add(dx, sums[1]),
                wy.mul_add(dy, sums[2]),
                wz.mul_add(dz, sums[3]),
                wx.mul_add(dy, sums[4]),
                wx.mul_add(dz, sums[5]),
                wy.mul_add(dz, sums[6]),
            ];
        }
    }
    sums.into_iter().zip(out).for_each(|(sum, out)| sum.store(out, lane));
}

/// Returns the factor n that scales M = ½ Σ V η d dᵀ of this neighbourhood to the unit tensor, in its number
/// of dimensions.
pub(super) fn boost([rate, xx, yy, zz, xy, xz, yz]: [f64; MOMENTS], highest_rate: f64) -> f64 {
    let trace = xx + yy + zz;
    let square = xx * xx + yy * yy + zz * zz + 2.0 * (xy * xy + xz * xz + yz * yz);
    // 1 on a line, 2 in a plane, 3 in a volume.
    let spread = if square > 0.0 { trace * trace / square } else { 1.0 };
    let dimension =
        if spread > 2.0 { (2.0 + (spread - 2.0) / (VOLUME_DIMENSION - 2.0)).min(3.0) } else { spread };
    // Without neighbours 1/0 is infinite, and the limits apply.
    (2.0 * dimension / trace).min(MOST_BOOST).min(highest_rate / rate)
}

/// Columns that every chunk of an exchange reads.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    pub(super) neighbours: &'a Neighbours,
    pub(super) sources: &'a [[f32; 4]],
    pub(super) factors: &'a [f32],
    pub(super) base: &'a [ChannelValues],
    pub(super) values: &'a [ChannelValues],
    pub(super) newer: &'a [ChannelValues],
}

/// One stage for the targets of a chunk.
pub(super) struct ExchangeJob<'a, const C: usize> {
    pub(super) problem: &'a DiffusionProblem,
    pub(super) shared: Shared<'a>,
    pub(super) stage: GegenbauerStage,
    pub(super) start: usize,
    pub(super) older: &'a mut [ChannelValues],
    pub(super) next: &'a mut [ChannelValues],
    pub(super) rates: &'a mut [f32],
}

impl<const C: usize> Job for ExchangeJob<'_, C> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Shared { neighbours, sources, factors, base, values, newer } = self.shared;
        let kernel = self.problem.kernel_factor() as f32;
        for block in neighbours.blocks(self.start) {
            let targets = target_columns::<3, 4>(&block, sources);
            let contents = target_columns::<C, CHANNELS>(&block, values);
            let mut flows = [[0.0; BLOCK]; C];
            let mut rates = [0.0; BLOCK];
            for lane in (0..BLOCK).step_by(L::WIDTH) {
                let target = load_each(&targets, lane);
                let content = load_each(&contents, lane);
                let (flow, rate) =
                    exchange_lanes::<L, C>(self.problem.radius, &block, self.shared, target, content);
                flow.into_iter().zip(&mut flows).for_each(|(flow, flows)| flow.store(flows, lane));
                rate.store(&mut rates, lane);
            }
            for (lane, i) in block.targets().enumerate() {
                let factor = kernel * factors[i];
                let at = i - self.start;
                self.rates[at] = factor * rates[lane];
                for c in 0..C {
                    let kept = self.stage.newer * newer[i][c] + self.stage.older * self.older[at][c];
                    let change = kept + self.stage.change[c] * (factor * flows[c][lane]);
                    self.older[at][c] = change;
                    self.next[at][c] = base[i][c] + change;
                }
            }
        }
    }
}

/// Returns Σ w (ω_q - ω_p) and Σ w. Differences are formed first: the difference of the two sums would
/// contain the rounding of their common part.
#[inline(always)]
pub(super) fn exchange_lanes<L: Lanes, const C: usize>(
    radius: f32,
    block: &Block,
    shared: Shared,
    target: [L; 3],
    content: [L; C],
) -> ([L; C], L) {
    let radius2 = L::splat(radius * radius);
    let mut flow = [L::splat(0.0); C];
    let mut rate = L::splat(0.0);
    for run in block.sources() {
        for (source, value) in shared.sources[run.clone()].iter().zip(&shared.values[run]) {
            let (_, kernel) = pair(target, source, radius2);
            let weight = kernel.mul(L::splat(source[3]));
            rate = rate.add(weight);
            for c in 0..C {
                flow[c] = weight.mul_add(L::splat(value[c]).sub(content[c]), flow[c]);
            }
        }
    }
    (flow, rate)
}
