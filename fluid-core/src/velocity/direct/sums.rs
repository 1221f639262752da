//! Sums over all sources of a cloud, SIMD over targets.

use super::SourceCloud;
use crate::constants::SOURCE_TILE;
use crate::lanes::{BLOCK, Job, Lanes, splat_each};
use crate::velocity::FlowSample;
use crate::velocity::expansion::target_block;
use crate::velocity::kernel::Mollifier;
use crate::velocity::source_groups::SelectedGroups;
use glam::{Mat3, Vec3};
use std::f32::consts::PI;
use std::ops::Range;

/// Sum of the velocity alone.
pub(super) struct VelocityJob<'a, K> {
    cloud: &'a SourceCloud,
    selected: SelectedGroups,
    positions: &'a [Vec3],
    out: &'a mut [Vec3],
    kernel: std::marker::PhantomData<K>,
}

impl<'a, K> VelocityJob<'a, K> {
    pub(super) fn new(
        cloud: &'a SourceCloud,
        selected: SelectedGroups,
        positions: &'a [Vec3],
        out: &'a mut [Vec3],
    ) -> Self {
        Self { cloud, selected, positions, out, kernel: std::marker::PhantomData }
    }
}

impl<K: Mollifier> Job for VelocityJob<'_, K> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        for (positions, out) in self.positions.chunks(BLOCK).zip(self.out.chunks_mut(BLOCK)) {
            velocity_block::<L, K, _>((self.cloud, &self.selected), positions, &mut NewFactors, out);
        }
    }
}

/// Source of the factors q/r³ of the pairs of a sum.
pub(in crate::velocity) trait Factors {
    /// Returns the factors of source `source` and the targets in `lane..lane + WIDTH` of a block, with
    /// squared distances `r2`.
    fn of<L: Lanes, K: Mollifier>(&mut self, source: usize, lane: usize, r2: L, core2: L) -> L;
}

struct NewFactors;

impl Factors for NewFactors {
    #[inline(always)]
    fn of<L: Lanes, K: Mollifier>(&mut self, _: usize, _: usize, r2: L, core2: L) -> L {
        K::velocity_factor(r2, core2)
    }
}

/// Sum of the velocity alone, of sources in some rows.
pub(super) struct VelocityOfRowsJob<'a, K> {
    pub(super) cloud: &'a SourceCloud,
    pub(super) rows: &'a [Range<u32>],
    pub(super) positions: &'a [Vec3],
    pub(super) out: &'a mut [Vec3],
    pub(super) kernel: std::marker::PhantomData<K>,
}

impl<K: Mollifier> Job for VelocityOfRowsJob<'_, K> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { cloud, rows, .. } = self;
        for (positions, out) in self.positions.chunks(BLOCK).zip(self.out.chunks_mut(BLOCK)) {
            let targets = target_block(cloud.scale, positions.len(), |i| positions[i]);
            let mut sums = [[0.0; BLOCK]; 3];
            for lane in (0..BLOCK).step_by(L::WIDTH) {
                let tiles = rows.iter().map(|rows| rows.start as usize..rows.end as usize);
                velocity_lanes::<L, K, _>(cloud, &targets, lane, tiles, &mut NewFactors, &mut sums);
            }
            for (i, out) in out.iter_mut().enumerate() {
                *out += velocity_of(cloud, &sums, i);
            }
        }
    }
}

/// Computes the velocities at up to sixteen positions, of the selected groups.
#[inline(always)]
pub(in crate::velocity) fn velocity_block<L: Lanes, K: Mollifier, F: Factors>(
    (cloud, selected): (&SourceCloud, &SelectedGroups),
    positions: &[Vec3],
    factors: &mut F,
    out: &mut [Vec3],
) {
    let targets = target_block(cloud.scale, positions.len(), |i| positions[i]);
    let mut sums = [[0.0; BLOCK]; 3];
    for lane in (0..BLOCK).step_by(L::WIDTH) {
        let tiles = cloud.tiles_of(selected, &targets);
        velocity_lanes::<L, K, F>(cloud, &targets, lane, tiles, factors, &mut sums);
    }
    for (i, out) in out.iter_mut().enumerate() {
        *out = velocity_of(cloud, &sums, i);
    }
}

/// Returns the velocity \[m/s\] of target `i` of a block with these sums.
#[inline(always)]
fn velocity_of(cloud: &SourceCloud, sums: &[[f32; BLOCK]; 3], i: usize) -> Vec3 {
    // 1/4π, and the two powers of the length scale that q α × d / r³ lacks.
    let factor = cloud.scale * cloud.scale / (4.0 * PI);
    Vec3::new(sums[0][i], sums[1][i], sums[2][i]) * factor * cloud.unit
}

/// Sums α × d q/r³ for the targets in `lane..lane + WIDTH`.
#[inline(always)]
fn velocity_lanes<L: Lanes, K: Mollifier, F: Factors>(
    cloud: &SourceCloud,
    targets: &[[f32; BLOCK]; 3],
    lane: usize,
    tiles: impl Iterator<Item = Range<usize>>,
    factors: &mut F,
    sums: &mut [[f32; BLOCK]; 3],
) {
    let zero = L::splat(0.0);
    let core2 = L::splat(cloud.core2);
    let (tx, ty, tz) = (L::load(&targets[0], lane), L::load(&targets[1], lane), L::load(&targets[2], lane));
    let (mut total_x, mut total_y, mut total_z) = (zero, zero, zero);
    for range in tiles {
        let (mut ux, mut uy, mut uz) = (zero, zero, zero);
        for (index, source) in range.clone().zip(cloud.tile(range)) {
            let [sx, sy, sz, ax, ay, az] = splat_each::<L, 6>(source);
            let (dx, dy, dz) = (tx.sub(sx), ty.sub(sy), tz.sub(sz));
            let r2 = dx.mul_add(dx, dy.mul_add(dy, dz.mul(dz)));
            let g = factors.of::<L, K>(index, lane, r2, core2);
            let (gx, gy, gz) = (g.mul(dx), g.mul(dy), g.mul(dz));
            ux = ux.add(ay.mul(gz).sub(az.mul(gy)));
            uy = uy.add(az.mul(gx).sub(ax.mul(gz)));
            uz = uz.add(ax.mul(gy).sub(ay.mul(gx)));
        }
        (total_x, total_y, total_z) = (total_x.add(ux), total_y.add(uy), total_z.add(uz));
    }
    total_x.store(&mut sums[0], lane);
    total_y.store(&mut sums[1], lane);
    total_z.store(&mut sums[2], lane);
}

/// Sum of velocity and gradient; with `POTENTIAL` also of the vector potential.
pub(super) struct FlowJob<'a, K, const POTENTIAL: bool> {
    cloud: &'a SourceCloud,
    selected: SelectedGroups,
    /// No type parameter: the sum would be compiled again for each caller.
    position: &'a dyn Fn(usize) -> Vec3,
    out: &'a mut [FlowSample],
    /// As long as `out` with `POTENTIAL`, otherwise empty.
    potentials: &'a mut [Vec3],
    kernel: std::marker::PhantomData<K>,
}

impl<'a, K, const POTENTIAL: bool> FlowJob<'a, K, POTENTIAL> {
    pub(super) fn new(
        cloud: &'a SourceCloud,
        position: &'a dyn Fn(usize) -> Vec3,
        out: &'a mut [FlowSample],
        potentials: &'a mut [Vec3],
    ) -> Self {
        debug_assert!(potentials.len() == if POTENTIAL { out.len() } else { 0 });
        let selected = SelectedGroups::ALL;
        Self { cloud, selected, position, out, potentials, kernel: std::marker::PhantomData }
    }

    /// Sums the selected groups.
    pub(super) fn of(self, selected: SelectedGroups) -> Self {
        Self { selected, ..self }
    }
}

/// Sums per target: velocity 3, Σ g α 3, Σ h d_j c_i without zz (its trace vanishes, c ⟂ d) 8.
const FLOW_SUMS: usize = 14;

impl<K: Mollifier, const POTENTIAL: bool> Job for FlowJob<'_, K, POTENTIAL> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let potential_factor = self.cloud.scale / (4.0 * PI);
        let velocity_factor = self.cloud.scale * self.cloud.scale / (4.0 * PI);
        let gradient_factor = velocity_factor * self.cloud.scale;
        for (block, out) in self.out.chunks_mut(BLOCK).enumerate() {
            let targets = target_block(self.cloud.scale, out.len(), |i| (self.position)(block * BLOCK + i));
            let mut sums = [[0.0; BLOCK]; FLOW_SUMS];
            let mut potential = [[0.0; BLOCK]; 3];
            for lane in (0..BLOCK).step_by(L::WIDTH) {
                let tiles = self.cloud.tiles_of(&self.selected, &targets);
                flow_lanes::<L, K, POTENTIAL>(self.cloud, &targets, lane, tiles, (&mut sums, &mut potential));
            }
            for (i, out) in out.iter_mut().enumerate() {
                let [ux, uy, uz, ax, ay, az, xx, xy, xz, yx, yy, yz, zx, zy] = sums.map(|column| column[i]);
                out.velocity = Vec3::new(ux, uy, uz) * velocity_factor * self.cloud.unit;
                // Columns are ∂u/∂x, ∂u/∂y, ∂u/∂z; Σ g α × e_j is the antisymmetric part (E4).
                out.gradient = Mat3::from_cols(
                    Vec3::new(xx, yx + az, zx - ay),
                    Vec3::new(xy - az, yy, zy + ax),
                    Vec3::new(xz + ay, yz - ax, -(xx + yy)),
                ) * gradient_factor
                    * self.cloud.unit;
                if POTENTIAL {
                    self.potentials[block * BLOCK + i] =
                        Vec3::from(potential.map(|column| column[i])) * potential_factor * self.cloud.unit;
                }
            }
        }
    }
}

/// Computes the sums of [`FlowJob`] for the targets in `lane..lane + WIDTH`.
#[inline(always)]
fn flow_lanes<L: Lanes, K: Mollifier, const POTENTIAL: bool>(
    cloud: &SourceCloud,
    targets: &[[f32; BLOCK]; 3],
    lane: usize,
    tiles: impl Iterator<Item = Range<usize>>,
    (sums, potential): (&mut [[f32; BLOCK]; FLOW_SUMS], &mut [[f32; BLOCK]; 3]),
) {
    let core2 = L::splat(cloud.core2);
    let (tx, ty, tz) = (L::load(&targets[0], lane), L::load(&targets[1], lane), L::load(&targets[2], lane));
    let mut total = [L::splat(0.0); FLOW_SUMS];
    let mut total_potential = [L::splat(0.0); 3];
    for range in tiles {
        let mut part = [L::splat(0.0); FLOW_SUMS];
        let mut psi = [L::splat(0.0); 3];
        for source in cloud.tile(range) {
            let [sx, sy, sz, ax, ay, az] = splat_each::<L, 6>(source);
            let (dx, dy, dz) = (tx.sub(sx), ty.sub(sy), tz.sub(sz));
            let r2 = dx.mul_add(dx, dy.mul_add(dy, dz.mul(dz)));
            let (g, h) = K::gradient_factors(r2, core2);
            let cx = ay.mul(dz).sub(az.mul(dy));
            let cy = az.mul(dx).sub(ax.mul(dz));
            let cz = ax.mul(dy).sub(ay.mul(dx));
            let (hx, hy, hz) = (h.mul(dx), h.mul(dy), h.mul(dz));
            part = [
                g.mul_add(cx, part[0]),
                g.mul_add(cy, part[1]),
                g.mul_add(cz, part[2]),
                g.mul_add(ax, part[3]),
                g.mul_add(ay, part[4]),
                g.mul_add(az, part[5]),
                hx.mul_add(cx, part[6]),
                hy.mul_add(cx, part[7]),
                hz.mul_add(cx, part[8]),
                hx.mul_add(cy, part[9]),
                hy.mul_add(cy, part[10]),
                hz.mul_add(cy, part[11]),
                hx.mul_add(cz, part[12]),
                hy.mul_add(cz, part[13]),
            ];
            if POTENTIAL {
                let f = K::potential_factor(r2, core2);
                psi = [f.mul_add(ax, psi[0]), f.mul_add(ay, psi[1]), f.mul_add(az, psi[2])];
            }
        }
        for (total, part) in total.iter_mut().zip(part) {
            *total = total.add(part);
        }
        if POTENTIAL {
            for (total, part) in total_potential.iter_mut().zip(psi) {
                *total = total.add(part);
            }
        }
    }
    for (total, sums) in total.into_iter().zip(sums) {
        total.store(sums, lane);
    }
    if POTENTIAL {
        for (total, sums) in total_potential.into_iter().zip(potential) {
            total.store(sums, lane);
        }
    }
}

/// Sum of the vector potential alone.
pub(super) struct PotentialJob<'a, K> {
    cloud: &'a SourceCloud,
    selected: SelectedGroups,
    /// As in [`FlowJob`].
    position: &'a dyn Fn(usize) -> Vec3,
    out: &'a mut [Vec3],
    kernel: std::marker::PhantomData<K>,
}

impl<'a, K> PotentialJob<'a, K> {
    pub(super) fn new(
        cloud: &'a SourceCloud,
        selected: SelectedGroups,
        position: &'a dyn Fn(usize) -> Vec3,
        out: &'a mut [Vec3],
    ) -> Self {
        Self { cloud, selected, position, out, kernel: std::marker::PhantomData }
    }
}

impl<K: Mollifier> Job for PotentialJob<'_, K> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let factor = self.cloud.scale / (4.0 * PI);
        for (block, out) in self.out.chunks_mut(BLOCK).enumerate() {
            let targets = target_block(self.cloud.scale, out.len(), |i| (self.position)(block * BLOCK + i));
            let mut sums = [[0.0; BLOCK]; 3];
            for lane in (0..BLOCK).step_by(L::WIDTH) {
                let tiles = self.cloud.tiles_of(&self.selected, &targets);
                potential_lanes::<L, K>(self.cloud, &targets, lane, tiles, &mut sums);
            }
            for (i, out) in out.iter_mut().enumerate() {
                *out = Vec3::new(sums[0][i], sums[1][i], sums[2][i]) * factor * self.cloud.unit;
            }
        }
    }
}

/// Sums α 4πG for the targets in `lane..lane + WIDTH`.
#[inline(always)]
fn potential_lanes<L: Lanes, K: Mollifier>(
    cloud: &SourceCloud,
    targets: &[[f32; BLOCK]; 3],
    lane: usize,
    tiles: impl Iterator<Item = Range<usize>>,
    sums: &mut [[f32; BLOCK]; 3],
) {
    let core2 = L::splat(cloud.core2);
    let (tx, ty, tz) = (L::load(&targets[0], lane), L::load(&targets[1], lane), L::load(&targets[2], lane));
    let mut total = [L::splat(0.0); 3];
    for range in tiles {
        let mut part = [L::splat(0.0); 3];
        for source in cloud.tile(range) {
            let [sx, sy, sz, ax, ay, az] = splat_each::<L, 6>(source);
            let (dx, dy, dz) = (tx.sub(sx), ty.sub(sy), tz.sub(sz));
            let r2 = dx.mul_add(dx, dy.mul_add(dy, dz.mul(dz)));
            let f = K::potential_factor(r2, core2);
            part = [f.mul_add(ax, part[0]), f.mul_add(ay, part[1]), f.mul_add(az, part[2])];
        }
        for (total, part) in total.iter_mut().zip(part) {
            *total = total.add(part);
        }
    }
    for (total, sums) in total.into_iter().zip(sums) {
        total.store(sums, lane);
    }
}

/// Sum of α·ψ over rows of a cloud, ψ that of other rows.
pub(super) struct MutualEnergyJob<'a, K> {
    cloud: &'a SourceCloud,
    targets: Range<usize>,
    sources: Range<usize>,
    /// Sum \[m⁵/s²\].
    out: &'a mut f64,
    kernel: std::marker::PhantomData<K>,
}

impl<'a, K> MutualEnergyJob<'a, K> {
    pub(super) fn new(
        cloud: &'a SourceCloud,
        (targets, sources, out): (Range<usize>, Range<usize>, &'a mut f64),
    ) -> Self {
        Self { cloud, targets, sources, out, kernel: std::marker::PhantomData }
    }
}

impl<K: Mollifier> Job for MutualEnergyJob<'_, K> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { cloud, targets, sources, out, .. } = self;
        let strength = |row: usize| cloud.strengths.get(row).as_dvec3();
        let mut energy = 0.0;
        for first in targets.clone().step_by(BLOCK) {
            let count = BLOCK.min(targets.end - first);
            // Positions are in the cloud's unit already.
            let places = target_block(1.0, count, |i| cloud.positions.get(first + i));
            let mut sums = [[0.0; BLOCK]; 3];
            for lane in (0..BLOCK).step_by(L::WIDTH) {
                let tiles = sources.clone().step_by(SOURCE_TILE);
                let tiles = tiles.map(|row| row..sources.end.min(row + SOURCE_TILE));
                potential_lanes::<L, K>(cloud, &places, lane, tiles, &mut sums);
            }
            let [x, y, z] = &sums;
            for (i, ((x, y), z)) in x.iter().zip(y).zip(z).enumerate().take(count) {
                energy += strength(first + i).dot(Vec3::new(*x, *y, *z).as_dvec3());
            }
        }
        let unit = f64::from(cloud.unit);
        *out = energy * f64::from(cloud.scale / (4.0 * PI)) * unit * unit;
    }
}
