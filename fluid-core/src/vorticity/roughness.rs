//! The rough part of a cloud's strengths: what a local linear fit of the neighbours does not explain (E46).

use crate::math::Vec3Columns;
use crate::particles::neighbours::{NEIGHBOUR_CHUNK, Neighbours};
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
    neighbours: Neighbours,
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

/// The linear fit about one vorton: a neighbour at the offset d has the weight K(d) (`share` + (d −
/// `mean`)·`slope`) in it.
#[derive(Debug, Clone, Copy, Default)]
struct Fit {
    share: f32,
    mean: Vec3,
    slope: Vec3,
    /// θ times what the fit does not explain; zero without a fit.
    rest: Vec3,
}

impl Roughness {
    /// Makes room for `capacity` vortons.
    pub(crate) fn reserve(&mut self, capacity: usize) {
        self.neighbours.reserve(capacity);
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
        core_radius: f32,
        (positions, strengths): (&Vec3Columns, &Vec3Columns),
        count: usize,
        weight: &(dyn Fn(usize) -> f32 + Sync),
        out: &mut Vec3Columns,
    ) -> bool {
        let per_radius = 1.0 / (FIT_RADIUS * core_radius);
        let scaled = |row: usize| positions.get(row) * per_radius;
        let finite = |row: &usize| scaled(*row).is_finite() && strengths.get(*row).is_finite();
        let rows = (0..count).filter(finite).map(|row| (row, scaled(row)));
        self.neighbours.sort(exec, 1.0, rows);
        let count = self.neighbours.len();
        if self.candidates(count) > MOST_CANDIDATES * count {
            return false;
        }
        self.sources.clear();
        self.sources.extend((0..count).map(|i| {
            let row = self.neighbours.particle(i);
            Source { position: scaled(row), strength: strengths.get(row), weight: weight(row) }
        }));
        self.fits.resize(count, Fit::default());
        self.out.resize(count, Vec3::ZERO);
        let (neighbours, sources) = (&self.neighbours, self.sources.as_slice());
        for_each_chunk_mut(exec, NEIGHBOUR_CHUNK, self.fits.as_mut_slice(), &|start, fits: &mut [Fit]| {
            each_target(neighbours, start, |target, runs| fits[target - start] = fit(sources, target, runs));
        });
        let fits = self.fits.as_slice();
        for_each_chunk_mut(exec, NEIGHBOUR_CHUNK, self.out.as_mut_slice(), &|start, out: &mut [Vec3]| {
            each_target(neighbours, start, |target, runs| {
                out[target - start] = spread(sources, fits, target, runs);
            });
        });
        for (i, part) in self.out.iter().enumerate() {
            out.set(self.neighbours.particle(i), *part);
        }
        true
    }

    fn candidates(&self, count: usize) -> usize {
        let chunks = (0..count).step_by(NEIGHBOUR_CHUNK);
        let blocks = chunks.flat_map(|start| self.neighbours.blocks(start));
        blocks.map(|block| block.targets().len() * block.sources().map(|run| run.len()).sum::<usize>()).sum()
    }
}

/// Calls `body` with each vorton of a chunk and the runs in which its neighbours are.
fn each_target(
    neighbours: &Neighbours,
    start: usize,
    mut body: impl FnMut(usize, &[std::ops::Range<usize>; 9]),
) {
    for block in neighbours.blocks(start) {
        let mut sources = block.sources();
        let runs = std::array::from_fn(|_| sources.next().unwrap_or_default());
        block.targets().for_each(|target| body(target, &runs));
    }
}

/// Weight K of a neighbour at a squared distance \[fit radii²\].
#[inline(always)]
fn kernel(r2: f32) -> f32 {
    let rest = (1.0 - r2).max(0.0);
    rest * rest
}

fn fit(sources: &[Source], target: usize, runs: &[std::ops::Range<usize>; 9]) -> Fit {
    let here = sources[target].position;
    let (mut count, mut total) = (0_u32, 0.0);
    let (mut first, mut square) = (Vec3::ZERO, Mat3::ZERO);
    let (mut sum, mut moment) = (Vec3::ZERO, Mat3::ZERO);
    for i in runs.iter().cloned().flatten() {
        let d = sources[i].position - here;
        let k = kernel(d.length_squared());
        if k == 0.0 || i == target {
            continue;
        }
        let (kd, ka) = (d * k, sources[i].strength * k);
        count += 1;
        total += k;
        first += kd;
        square += Mat3::from_cols(kd * d.x, kd * d.y, kd * d.z);
        sum += ka;
        moment += Mat3::from_cols(ka * d.x, ka * d.y, ka * d.z);
    }
    // One neighbour explains nothing.
    if count < 2 {
        return Fit::default();
    }
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
    let explained = sum * (share - mean.dot(slope)) + moment * slope;
    let rest = (sources[target].strength - explained) * sources[target].weight;
    if rest.is_finite() { Fit { share, mean, slope, rest } } else { Fit::default() }
}

/// One row of Pᵀ.
fn spread(sources: &[Source], fits: &[Fit], target: usize, runs: &[std::ops::Range<usize>; 9]) -> Vec3 {
    let here = sources[target].position;
    let mut out = fits[target].rest;
    for i in runs.iter().cloned().flatten() {
        let d = here - sources[i].position;
        let k = kernel(d.length_squared());
        if k > 0.0 && i != target {
            let Fit { share, mean, slope, rest } = fits[i];
            out -= rest * (k * (share + (d - mean).dot(slope)));
        }
    }
    out
}
