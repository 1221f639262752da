//! The rough part of a cloud's strengths: what a local linear fit of the neighbours does not explain (E46).

use crate::lanes::{BLOCK, Job, Lanes, dispatch};
use crate::math::Vec3Columns;
use crate::particles::neighbours::{Block, NEIGHBOUR_CHUNK, Neighbours};
use crate::velocity::DirectSettings;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{Mat3, Vec3};

/// Reach of the fit \[core radii\]: about 47 neighbours in a volume at spacings of σ/1.5, two to four along a
/// filament.
const FIT_RADIUS: f32 = 1.5;

/// Ridge of the fit's matrix, as a part of its trace \[1\]: neighbours on a line or in a plane leave it
/// singular.
const RIDGE: f32 = 1e-3;

/// Most neighbours to look at for each vorton, on the average \[1\]. Where a cloud is so crowded that there
/// would be more, nothing is looked for: a step may not cost N².
const MOST_CANDIDATES: usize = 1024;

/// Finds rough parts; keeps the memory that this takes. Columns are in the sorted order of the neighbours.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roughness {
    sources: Vec<Source>,
    fits: Vec<Fit>,
    out: Vec<Vec3>,
}

/// A vorton: position \[fit radii\], strength, and θ.
#[derive(Debug, Clone, Copy, Default)]
struct Source {
    position: Vec3,
    strength: Vec3,
    weight: f32,
}

/// The linear fit about one vorton: a neighbour at the offset d has the weight K(d) (`base` + d·`slope`) in
/// it.
#[derive(Debug, Clone, Copy, Default)]
struct Fit {
    base: f32,
    slope: Vec3,
    /// θ times what the fit does not explain; zero without a fit.
    rest: Vec3,
}

impl Roughness {
    /// Makes room for `capacity` vortons.
    pub(crate) fn reserve(&mut self, capacity: usize) {
        self.sources.reserve(capacity);
        self.fits.reserve(capacity);
        self.out.reserve(capacity);
    }

    /// PᵀθP α, where P α is what is left of each of the first `count` strengths after the linear fit of its
    /// neighbours, and θ ≥ 0 is `weight` of each row. Since P leaves nothing of constant and linear functions
    /// of position, the total strength and the linear impulse of the result are zero but for the ridge.
    /// False, and nothing found, if the cloud is too crowded.
    pub(crate) fn find(
        &mut self,
        exec: &dyn Executor,
        settings: DirectSettings,
        neighbours: &mut Neighbours,
        (positions, strengths): (&Vec3Columns, &Vec3Columns),
        count: usize,
        weight: &(dyn Fn(usize) -> f32 + Sync),
        out: &mut Vec3Columns,
    ) -> bool {
        let per_radius = 1.0 / (FIT_RADIUS * settings.core_radius);
        let scaled = |row: usize| positions.get(row) * per_radius;
        let finite = |row: &usize| scaled(*row).is_finite() && strengths.get(*row).is_finite();
        neighbours.sort(exec, 1.0, (0..count).filter(finite), scaled);
        let count = neighbours.len();
        if candidates(neighbours) > MOST_CANDIDATES * count {
            return false;
        }
        self.sources.clear();
        self.sources.extend((0..count).map(|i| {
            let row = neighbours.particle(i);
            Source { position: scaled(row), strength: strengths.get(row), weight: weight(row) }
        }));
        self.fits.resize(count, Fit::default());
        self.out.resize(count, Vec3::ZERO);
        let (neighbours, sources) = (&*neighbours, self.sources.as_slice());
        let DirectSettings { instruction_set, precision, .. } = settings;
        for_each_chunk_mut(exec, NEIGHBOUR_CHUNK, self.fits.as_mut_slice(), &|start, fits: &mut [Fit]| {
            dispatch(instruction_set, precision, FitJob { neighbours, sources, start, fits });
        });
        let fits = self.fits.as_slice();
        for_each_chunk_mut(exec, NEIGHBOUR_CHUNK, self.out.as_mut_slice(), &|start, out: &mut [Vec3]| {
            dispatch(instruction_set, precision, SpreadJob { neighbours, sources, fits, start, out });
        });
        for (i, part) in self.out.iter().enumerate() {
            out.set(neighbours.particle(i), *part);
        }
        true
    }
}

fn candidates(neighbours: &Neighbours) -> usize {
    let chunks = (0..neighbours.len()).step_by(NEIGHBOUR_CHUNK);
    let blocks = chunks.flat_map(|start| neighbours.blocks(start));
    blocks.map(|block| block.targets().len() * block.sources().map(|run| run.len()).sum::<usize>()).sum()
}

/// Sums over the neighbours of sixteen targets at once; what is left of each target after its fit.
struct FitJob<'a> {
    neighbours: &'a Neighbours,
    sources: &'a [Source],
    start: usize,
    fits: &'a mut [Fit],
}

/// Sums over neighbours at offsets d with weights K and strengths α: K, K d, K d dᵀ (xx, yy, zz, xy, xz, yz),
/// K α, K α dᵀ (columns), and how many there are.
const SUMS: usize = 23;

impl Job for FitJob<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        for block in self.neighbours.blocks(self.start) {
            let targets = places_of(&block, self.sources);
            let mut sums = [[0.0; BLOCK]; SUMS];
            for lane in (0..BLOCK).step_by(L::WIDTH) {
                fit_lanes::<L>(self.sources, &block, &targets, lane, &mut sums);
            }
            for (lane, i) in block.targets().enumerate() {
                let sums = std::array::from_fn(|c| sums[c][lane]);
                self.fits[i - self.start] = fit(&self.sources[i], &sums);
            }
        }
    }
}

/// Pᵀ of sixteen rows at once.
struct SpreadJob<'a> {
    neighbours: &'a Neighbours,
    sources: &'a [Source],
    fits: &'a [Fit],
    start: usize,
    out: &'a mut [Vec3],
}

impl Job for SpreadJob<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        for block in self.neighbours.blocks(self.start) {
            let targets = places_of(&block, self.sources);
            let mut sums = [[0.0; BLOCK]; 3];
            for lane in (0..BLOCK).step_by(L::WIDTH) {
                spread_lanes::<L>(self.sources, self.fits, &block, &targets, lane, &mut sums);
            }
            for (lane, i) in block.targets().enumerate() {
                self.out[i - self.start] = self.fits[i].rest - Vec3::from(sums.map(|sum| sum[lane]));
            }
        }
    }
}

/// Where sixteen targets are, and their numbers in the block. Missing ones repeat the first: valid, and
/// thrown away.
#[inline(always)]
fn places_of(block: &Block, sources: &[Source]) -> [[f32; BLOCK]; 4] {
    let targets = &sources[block.targets()];
    let mut columns = [[0.0; BLOCK]; 4];
    for lane in 0..BLOCK {
        let position = targets[if lane < targets.len() { lane } else { 0 }].position;
        (columns[0][lane], columns[1][lane], columns[2][lane]) = position.into();
        columns[3][lane] = lane as f32;
    }
    columns
}

/// Offset and weight K = (1 − r²)² \[fit radii\] of one neighbour for lanes of targets; no weight for a
/// target itself. `number` is that of the neighbour, counted from the first target of the block.
#[inline(always)]
fn pair<L: Lanes>(target: [L; 4], position: Vec3, number: f32) -> ([L; 3], L) {
    let [x, y, z, own] = target;
    let d = [L::splat(position.x).sub(x), L::splat(position.y).sub(y), L::splat(position.z).sub(z)];
    let r2 = d[0].mul_add(d[0], d[1].mul_add(d[1], d[2].mul(d[2])));
    let rest = L::splat(1.0).sub(r2).max(L::splat(0.0));
    let apart = L::splat(number).sub(own);
    (d, rest.mul(rest).zero_unless_greater(apart.mul(apart), L::splat(0.5)))
}

#[inline(always)]
fn fit_lanes<L: Lanes>(
    sources: &[Source],
    block: &Block,
    targets: &[[f32; BLOCK]; 4],
    lane: usize,
    out: &mut [[f32; BLOCK]; SUMS],
) {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let target: [L; 4] = std::array::from_fn(|c| L::load(&targets[c], lane));
    let mut sums = [zero; SUMS];
    let first = block.targets().start as i64;
    for run in block.sources() {
        for i in run {
            let Source { position, strength, .. } = sources[i];
            let ([dx, dy, dz], k) = pair(target, position, (i as i64 - first) as f32);
            let (kx, ky, kz) = (k.mul(dx), k.mul(dy), k.mul(dz));
            let a = [strength.x, strength.y, strength.z].map(|a| k.mul(L::splat(a)));
            sums = [
                sums[0].add(k),
                sums[1].add(kx),
                sums[2].add(ky),
                sums[3].add(kz),
                kx.mul_add(dx, sums[4]),
                ky.mul_add(dy, sums[5]),
                kz.mul_add(dz, sums[6]),
                kx.mul_add(dy, sums[7]),
                kx.mul_add(dz, sums[8]),
                ky.mul_add(dz, sums[9]),
                sums[10].add(a[0]),
                sums[11].add(a[1]),
                sums[12].add(a[2]),
                a[0].mul_add(dx, sums[13]),
                a[1].mul_add(dx, sums[14]),
                a[2].mul_add(dx, sums[15]),
                a[0].mul_add(dy, sums[16]),
                a[1].mul_add(dy, sums[17]),
                a[2].mul_add(dy, sums[18]),
                a[0].mul_add(dz, sums[19]),
                a[1].mul_add(dz, sums[20]),
                a[2].mul_add(dz, sums[21]),
                sums[22].add(one.zero_unless_greater(k, zero)),
            ];
        }
    }
    sums.into_iter().zip(out).for_each(|(sum, out)| sum.store(out, lane));
}

/// What the neighbours' linear fit leaves of one strength.
fn fit(target: &Source, sums: &[f32; SUMS]) -> Fit {
    // One neighbour explains nothing.
    if sums[22] < 2.0 {
        return Fit::default();
    }
    let vec3 = |at: usize| Vec3::new(sums[at], sums[at + 1], sums[at + 2]);
    let (first, sum, moment) = (vec3(1), vec3(10), Mat3::from_cols(vec3(13), vec3(16), vec3(19)));
    let [xx, yy, zz, xy, xz, yz] = std::array::from_fn(|i| sums[4 + i]);
    let square = Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
    let total = sums[0];
    let share = 1.0 / total;
    let mean = first * share;
    let centred = square - Mat3::from_cols(first * mean.x, first * mean.y, first * mean.z);
    let trace = centred.x_axis.x + centred.y_axis.y + centred.z_axis.z;
    let slope = if trace > f32::EPSILON * total {
        (centred + Mat3::from_diagonal(Vec3::splat(RIDGE * trace))).inverse() * -mean
    } else {
        Vec3::ZERO
    };
    // Σ K α (share + (d − mean)·slope)
    let base = share - mean.dot(slope);
    let explained = sum * base + moment * slope;
    let rest = (target.strength - explained) * target.weight;
    if rest.is_finite() && base.is_finite() { Fit { base, slope, rest } } else { Fit::default() }
}

#[inline(always)]
fn spread_lanes<L: Lanes>(
    sources: &[Source],
    fits: &[Fit],
    block: &Block,
    targets: &[[f32; BLOCK]; 4],
    lane: usize,
    out: &mut [[f32; BLOCK]; 3],
) {
    let target: [L; 4] = std::array::from_fn(|c| L::load(&targets[c], lane));
    let mut sums = [L::splat(0.0); 3];
    let first = block.targets().start as i64;
    for run in block.sources() {
        for i in run {
            let Fit { base, slope, rest } = fits[i];
            // The target is at −d from the neighbour whose fit it is in.
            let ([dx, dy, dz], k) = pair(target, sources[i].position, (i as i64 - first) as f32);
            let along =
                dx.mul(L::splat(slope.x)).add(dy.mul(L::splat(slope.y))).add(dz.mul(L::splat(slope.z)));
            let weight = k.mul(L::splat(base).sub(along));
            sums = [
                weight.mul_add(L::splat(rest.x), sums[0]),
                weight.mul_add(L::splat(rest.y), sums[1]),
                weight.mul_add(L::splat(rest.z), sums[2]),
            ];
        }
    }
    sums.into_iter().zip(out).for_each(|(sum, out)| sum.store(out, lane));
}
