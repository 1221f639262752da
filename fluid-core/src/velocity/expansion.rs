//! Sources of volume: fluid that expands pushes all other fluid away (E61). Velocity and gradient are direct
//! sums over the sources, SIMD over targets.

use super::FlowSample;
use super::kernel::Mollifier;
use super::strength_scale::StrengthScale;
use crate::constants::SOURCE_TILE;
use crate::lanes::{BLOCK, Job, Lanes, load_each, splat_each};
use crate::math::Vec3Columns;
use glam::{Mat3, Vec3};
use std::f32::consts::PI;
use std::marker::PhantomData;

/// Largest coordinate of a source or target in a sum \[core radii, up to a factor √2\]: squares of distances
/// stay finite, and the velocity across such a distance is practically 0.
pub(super) const SUM_REACH: f32 = 1e18;

/// Returns sixteen targets as columns, in the cloud's unit of length. Missing ones repeat the first: their
/// results are valid, and discarded.
#[inline(always)]
pub(super) fn target_block(scale: f32, count: usize, position: impl Fn(usize) -> Vec3) -> [[f32; BLOCK]; 3] {
    let targets: [Vec3; BLOCK] =
        std::array::from_fn(|lane| position(if lane < count { lane } else { 0 }) * scale);
    // A finite position stays finite in core radii; NaN stays NaN.
    let near = |v: f32| v.clamp(-SUM_REACH, SUM_REACH);
    [targets.map(|p| near(p.x)), targets.map(|p| near(p.y)), targets.map(|p| near(p.z))]
}

/// Sources of volume, ready to be summed. Lengths and rates are in the units of a
/// [`SourceCloud`](super::SourceCloud), for the same reasons.
#[derive(Debug, Clone, Default)]
pub(super) struct Expansions {
    positions: Vec3Columns,
    rates: Vec<f32>,
    /// Factor on the sums that undoes the scale of rates: a power of two; 0 without sources, whatever there
    /// was before, so that equal fields are saved as equal bytes.
    unit: f32,
}

crate::saved::fields!(Expansions { positions, rates, unit } check are_columns);

impl Expansions {
    /// Returns true if both columns have the same length.
    fn are_columns(&self) -> bool {
        self.positions.len() == self.rates.len()
    }

    /// Reserves memory for `capacity` sources.
    pub(super) fn reserve(&mut self, capacity: usize) {
        let len = self.rates.len();
        self.positions.reserve(capacity);
        self.rates.reserve(capacity.saturating_sub(len));
    }

    /// Returns true if there are no sources.
    pub(super) fn is_empty(&self) -> bool {
        self.rates.is_empty()
    }

    /// Removes all sources, keeps the memory.
    pub(super) fn clear(&mut self) {
        self.positions.clear();
        self.rates.clear();
        self.unit = 0.0;
    }

    /// Copies `other`; allocates only to grow.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.positions.copy_from(&other.positions);
        self.rates.clone_from(&other.rates);
        self.unit = other.unit;
    }

    /// Shifts the origin of the coordinates to `origin`, in units of the cloud.
    pub(super) fn shift_origin(&mut self, origin: Vec3) {
        self.positions.shift_origin(origin);
    }

    /// Replaces the sources by these positions \[m\] and rates \[m³/s\]. A source that is not finite, too far
    /// away to have an effect, or without a rate is left out.
    pub(super) fn set(&mut self, scale: f32, sources: impl Iterator<Item = (Vec3, f32)>) {
        self.clear();
        for (position, rate) in sources {
            let place = position * scale;
            // NaN fails the comparison.
            if rate != 0.0 && rate.is_finite() && place.abs().cmple(Vec3::splat(SUM_REACH)).all() {
                self.positions.push(place);
                self.rates.push(rate);
            }
        }
        if self.is_empty() {
            return;
        }
        let scale = StrengthScale::of_rates(&self.rates);
        self.unit = scale.unit;
        self.rates.iter_mut().for_each(|rate| *rate = scale.scaled(*rate));
    }

    /// Iterates over a tile of sources.
    #[inline(always)]
    fn tile(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = [f32; 4]> {
        let (p, rates) = (&self.positions, &self.rates[range.clone()]);
        let xyz = p.x[range.clone()].iter().zip(&p.y[range.clone()]).zip(&p.z[range]);
        xyz.zip(rates).map(|(((x, y), z), rate)| [*x, *y, *z, *rate])
    }
}

/// Adds the velocity of expanding sources to samples.
pub(super) trait Expanded: Sized {
    /// True if the samples have a gradient.
    const GRADIENT: bool;

    /// Adds a velocity \[m/s\] and its gradient \[1/s\].
    fn add(&mut self, velocity: Vec3, gradient: Mat3);
}

impl Expanded for Vec3 {
    const GRADIENT: bool = false;

    #[inline(always)]
    fn add(&mut self, velocity: Vec3, _: Mat3) {
        *self += velocity;
    }
}

impl Expanded for FlowSample {
    const GRADIENT: bool = true;

    #[inline(always)]
    fn add(&mut self, velocity: Vec3, gradient: Mat3) {
        self.velocity += velocity;
        self.gradient += gradient;
    }
}

/// Sum over the sources, added to `out`.
pub(super) struct ExpansionJob<'a, K, O> {
    expansions: &'a Expansions,
    scale: f32,
    core2: f32,
    /// No type parameter: the sum would be compiled again for each caller.
    position: &'a dyn Fn(usize) -> Vec3,
    out: &'a mut [O],
    kernel: PhantomData<K>,
}

impl<'a, K, O> ExpansionJob<'a, K, O> {
    /// Creates the job; `scale` and `core2` are those of the cloud.
    pub(super) fn new(
        expansions: &'a Expansions,
        (scale, core2): (f32, f32),
        position: &'a dyn Fn(usize) -> Vec3,
        out: &'a mut [O],
    ) -> Self {
        Self { expansions, scale, core2, position, out, kernel: PhantomData }
    }
}

/// Sums per target: Σ q g d 3, Σ q g 1, Σ q h d_i d_j 6.
const SUMS: usize = 10;

impl<K: Mollifier, O: Expanded> Job for ExpansionJob<'_, K, O> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { expansions, scale, core2, position, out, .. } = self;
        let factor = scale * scale / (4.0 * PI);
        for (block, out) in out.chunks_mut(BLOCK).enumerate() {
            let targets = target_block(scale, out.len(), |i| position(block * BLOCK + i));
            let mut sums = [[0.0; BLOCK]; SUMS];
            for lane in (0..BLOCK).step_by(L::WIDTH) {
                if O::GRADIENT {
                    flow_lanes::<L, K>(expansions, core2, &targets, lane, &mut sums);
                } else {
                    velocity_lanes::<L, K>(expansions, core2, &targets, lane, &mut sums);
                }
            }
            for (i, out) in out.iter_mut().enumerate() {
                let [ux, uy, uz, g, xx, xy, xz, yy, yz, zz] = sums.map(|column| column[i]);
                let velocity = Vec3::new(ux, uy, uz) * factor * expansions.unit;
                // Symmetric, with the divergence as its trace (E61).
                let gradient = Mat3::from_cols(
                    Vec3::new(g + xx, xy, xz),
                    Vec3::new(xy, g + yy, yz),
                    Vec3::new(xz, yz, g + zz),
                );
                out.add(velocity, gradient * (factor * scale) * expansions.unit);
            }
        }
    }
}

/// Sums q g d for the targets in `lane..lane + WIDTH`.
#[inline(always)]
fn velocity_lanes<L: Lanes, K: Mollifier>(
    expansions: &Expansions,
    core2: f32,
    targets: &[[f32; BLOCK]; 3],
    lane: usize,
    sums: &mut [[f32; BLOCK]; SUMS],
) {
    let core2 = L::splat(core2);
    let [tx, ty, tz] = load_each::<L, 3>(targets, lane);
    let mut total = [L::splat(0.0); 3];
    for start in (0..expansions.rates.len()).step_by(SOURCE_TILE) {
        let mut part = [L::splat(0.0); 3];
        for source in expansions.tile(start..(start + SOURCE_TILE).min(expansions.rates.len())) {
            let [sx, sy, sz, rate] = splat_each::<L, 4>(source);
            let (dx, dy, dz) = (tx.sub(sx), ty.sub(sy), tz.sub(sz));
            let r2 = dx.mul_add(dx, dy.mul_add(dy, dz.mul(dz)));
            let g = rate.mul(K::velocity_factor(r2, core2));
            part = [g.mul_add(dx, part[0]), g.mul_add(dy, part[1]), g.mul_add(dz, part[2])];
        }
        for (total, part) in total.iter_mut().zip(part) {
            *total = total.add(part);
        }
    }
    for (total, sums) in total.into_iter().zip(sums) {
        total.store(sums, lane);
    }
}

/// Computes all sums for the targets in `lane..lane + WIDTH`.
#[inline(always)]
fn flow_lanes<L: Lanes, K: Mollifier>(
    expansions: &Expansions,
    core2: f32,
    targets: &[[f32; BLOCK]; 3],
    lane: usize,
    sums: &mut [[f32; BLOCK]; SUMS],
) {
    let core2 = L::splat(core2);
    let [tx, ty, tz] = load_each::<L, 3>(targets, lane);
    let mut total = [L::splat(0.0); SUMS];
    for start in (0..expansions.rates.len()).step_by(SOURCE_TILE) {
        let mut part = [L::splat(0.0); SUMS];
        for source in expansions.tile(start..(start + SOURCE_TILE).min(expansions.rates.len())) {
            let [sx, sy, sz, rate] = splat_each::<L, 4>(source);
            let (dx, dy, dz) = (tx.sub(sx), ty.sub(sy), tz.sub(sz));
            let r2 = dx.mul_add(dx, dy.mul_add(dy, dz.mul(dz)));
            let (g, h) = K::gradient_factors(r2, core2);
            let (g, h) = (rate.mul(g), rate.mul(h));
            let (hx, hy, hz) = (h.mul(dx), h.mul(dy), h.mul(dz));
            part = [
                g.mul_add(dx, part[0]),
                g.mul_add(dy, part[1]),
                g.mul_add(dz, part[2]),
                part[3].add(g),
                hx.mul_add(dx, part[4]),
                hx.mul_add(dy, part[5]),
                hx.mul_add(dz, part[6]),
                hy.mul_add(dy, part[7]),
                hy.mul_add(dz, part[8]),
                hz.mul_add(dz, part[9]),
            ];
        }
        for (total, part) in total.iter_mut().zip(part) {
            *total = total.add(part);
        }
    }
    for (total, sums) in total.into_iter().zip(sums) {
        total.store(sums, lane);
    }
}

#[cfg(test)]
mod tests {
    use super::Expansions;
    use glam::Vec3;

    /// Snapshots of equal fields would differ otherwise.
    #[test]
    fn nothing_remains_of_removed_sources() {
        let set = |sources: &[(Vec3, f32)], expansions: &mut Expansions| {
            expansions.set(1.0, sources.iter().copied());
            format!("{expansions:?}")
        };
        let unused = format!("{:?}", Expansions::default());
        let mut expansions = Expansions::default();
        assert_ne!(set(&[(Vec3::X, 3.0)], &mut expansions), unused);
        assert_eq!(set(&[], &mut expansions), unused);
        set(&[(Vec3::X, 3.0)], &mut expansions);
        expansions.clear();
        assert_eq!(format!("{expansions:?}"), unused);
    }
}
