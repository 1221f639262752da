//! The rough part of a cloud's strengths: the residual of a local linear fit of the neighbours (E46).

use crate::lanes::{BLOCK, Job, Lanes, dispatch_exact, load_each, scale_each, splat_each};
use crate::math::Vec3Columns;
use crate::particles::neighbours::{Block, NEIGHBOUR_CHUNK, Neighbours};
use crate::velocity::{DirectSettings, Sources};
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{Mat3, Vec3};

/// Reach of the fit \[core radii\]: about 47 neighbours in a volume at spacings of σ/1.5, two to four along a
/// filament.
const FIT_RADIUS: f32 = 1.5;

/// Ridge of the fit's matrix, as a part of its trace \[1\]: neighbours on a line or in a plane leave it
/// singular.
const RIDGE: f32 = 1e-3;

/// Most neighbours to visit for each vorton, on average \[1\]. A cloud so dense that there would be more is
/// not searched: a step may not cost N².
const MOST_CANDIDATES: usize = 1024;

/// Search for rough parts. Columns are in the sorted order of the neighbours.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roughness {
    /// θ of each vorton, then the part of its fit that does not depend on the offset.
    bases: Vec<f32>,
}

/// Resources of a search.
pub(crate) struct RoughnessSearch<'a> {
    pub(crate) exec: &'a dyn Executor,
    pub(crate) settings: DirectSettings,
    pub(crate) neighbours: &'a mut Neighbours,
    /// Overwritten.
    pub(crate) scratch: [&'a mut Vec3Columns; 3],
}

/// The linear fit about one vorton: a neighbour at the offset d has the weight K(d) (`base` + d·`slope`).
#[derive(Debug, Clone, Copy, Default)]
struct Fit {
    base: f32,
    slope: Vec3,
    /// θ times the residual of the fit; zero without a fit.
    rest: Vec3,
}

/// Columns x, y, z.
type Slices<'a> = [&'a [f32]; 3];

impl Roughness {
    /// Reserves memory for `capacity` vortons.
    pub(crate) fn reserve(&mut self, capacity: usize) {
        self.bases.reserve(capacity);
    }

    /// Computes PᵀθP α: P α is the residual of each of the first `count` strengths after the linear fit of
    /// its neighbours, images included, and θ ≥ 0 is `weight` of each row. P annihilates constant and linear
    /// functions of position, so the total strength and the linear impulse of the result are zero except for
    /// the ridge; those of images are left to be completed. Returns false, leaving `out` undefined, if the
    /// cloud is too dense.
    pub(crate) fn find(
        &mut self,
        search: RoughnessSearch<'_>,
        sources: &Sources,
        count: usize,
        weight: &(dyn Fn(usize) -> f32 + Sync),
        out: &mut Vec3Columns,
    ) -> bool {
        let RoughnessSearch { exec, settings, neighbours, scratch: [places, sorted, slopes] } = search;
        let Sources { positions, strengths, .. } = sources;
        let per_radius = 1.0 / (FIT_RADIUS * settings.core_radius);
        // A vorton at a plane is rough if it differs from the flow that its image continues: strengths along
        // the plane cancel there. The fits of images in reach need neighbours themselves.
        let own = sources.own().max(1);
        let rows = sources.rows_with_images(count, f64::from(2.0 * FIT_RADIUS * settings.core_radius));
        let scaled = |row: usize| positions.get(row) * per_radius;
        let finite = |row: &usize| scaled(*row).is_finite() && strengths.get(*row).is_finite();
        neighbours.sort(exec, 1.0, rows.filter(finite), scaled);
        let (neighbours, rows, len) = (&*neighbours, out.len(), neighbours.len());
        if candidates(neighbours) > MOST_CANDIDATES * len {
            return false;
        }
        self.bases.resize(len, 0.0);
        [&mut *places, &mut *sorted, &mut *slopes, &mut *out]
            .into_iter()
            .for_each(|column| column.resize(len));
        for i in 0..len {
            let row = neighbours.particle(i);
            places.set(i, scaled(row));
            sorted.set(i, strengths.get(row));
            self.bases[i] = weight(row % own);
        }
        let (places, known) = (slices(places), slices(sorted));
        let columns = (self.bases.as_mut_slice(), (slices_mut(slopes), slices_mut(out)));
        for_each_chunk_mut(exec, NEIGHBOUR_CHUNK, columns, &|start, (bases, (slopes, rests))| {
            let (slopes, rests) = (array(slopes), array(rests));
            let job = FitJob { neighbours, places, strengths: known, start, bases, slopes, rests };
            dispatch_exact(settings.instruction_set, job);
        });
        // Strengths are no longer needed: the result overwrites them.
        let fits = Fits { bases: &self.bases, slopes: slices(slopes), rests: slices(out) };
        for_each_chunk_mut(exec, NEIGHBOUR_CHUNK, slices_mut(sorted), &|start, out| {
            let job = SpreadJob { neighbours, places, fits, start, out: array(out) };
            dispatch_exact(settings.instruction_set, job);
        });
        out.clear();
        out.resize(rows);
        for (i, part) in sorted.iter().enumerate() {
            out.set(neighbours.particle(i), part);
        }
        true
    }
}

fn slices(columns: &Vec3Columns) -> Slices<'_> {
    [&columns.x, &columns.y, &columns.z]
}

fn slices_mut(columns: &mut Vec3Columns) -> (&mut [f32], &mut [f32], &mut [f32]) {
    (&mut columns.x, &mut columns.y, &mut columns.z)
}

fn array<'a>((x, y, z): (&'a mut [f32], &'a mut [f32], &'a mut [f32])) -> [&'a mut [f32]; 3] {
    [x, y, z]
}

fn candidates(neighbours: &Neighbours) -> usize {
    let chunks = (0..neighbours.len()).step_by(NEIGHBOUR_CHUNK);
    let blocks = chunks.flat_map(|start| neighbours.blocks(start));
    blocks.map(|block| block.targets().len() * block.sources().map(|run| run.len()).sum::<usize>()).sum()
}

/// Sums over the neighbours of sixteen targets at once, and the residual of each target's fit.
struct FitJob<'a> {
    neighbours: &'a Neighbours,
    places: Slices<'a>,
    strengths: Slices<'a>,
    start: usize,
    /// θ, overwritten.
    bases: &'a mut [f32],
    slopes: [&'a mut [f32]; 3],
    rests: [&'a mut [f32]; 3],
}

/// Sums over neighbours at offsets d with weights K and strengths α: K, K d, K d dᵀ (xx, yy, zz, xy, xz, yz),
/// K α, K α dᵀ (columns), and their number.
const SUMS: usize = 23;

impl Job for FitJob<'_> {
    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        for block in self.neighbours.blocks(self.start) {
            let targets = places_of(&block, self.places);
            let mut sums = [[0.0; BLOCK]; SUMS];
            for lane in (0..BLOCK).step_by(L::WIDTH) {
                fit_lanes::<L>(self.places, self.strengths, &block, &targets, lane, &mut sums);
            }
            for (lane, i) in block.targets().enumerate() {
                let sums = std::array::from_fn(|c| sums[c][lane]);
                let at = i - self.start;
                let fit = fit(Vec3::from(self.strengths.map(|column| column[i])), self.bases[at], &sums);
                self.bases[at] = fit.base;
                set(&mut self.slopes, at, fit.slope);
                set(&mut self.rests, at, fit.rest);
            }
        }
    }
}

/// The fits about all vortons.
#[derive(Clone, Copy)]
struct Fits<'a> {
    bases: &'a [f32],
    slopes: Slices<'a>,
    rests: Slices<'a>,
}

/// Pᵀ of sixteen rows at once.
struct SpreadJob<'a> {
    neighbours: &'a Neighbours,
    places: Slices<'a>,
    fits: Fits<'a>,
    start: usize,
    out: [&'a mut [f32]; 3],
}

impl Job for SpreadJob<'_> {
    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        for block in self.neighbours.blocks(self.start) {
            let targets = places_of(&block, self.places);
            let mut sums = [[0.0; BLOCK]; 3];
            for lane in (0..BLOCK).step_by(L::WIDTH) {
                spread_lanes::<L>(self.places, self.fits, &block, &targets, lane, &mut sums);
            }
            for (lane, i) in block.targets().enumerate() {
                let rest = Vec3::from(self.fits.rests.map(|column| column[i]));
                set(&mut self.out, i - self.start, rest - Vec3::from(sums.map(|sum| sum[lane])));
            }
        }
    }
}

#[inline(always)]
fn set(columns: &mut [&mut [f32]; 3], i: usize, value: Vec3) {
    columns.iter_mut().zip(value.to_array()).for_each(|(column, v)| column[i] = v);
}

/// Returns the positions of sixteen targets, and their numbers in the block. Missing ones repeat the first:
/// valid, and discarded.
#[inline(always)]
fn places_of(block: &Block, places: Slices) -> [[f32; BLOCK]; 4] {
    let (first, len) = (block.targets().start, block.targets().len());
    let rows: [usize; BLOCK] = std::array::from_fn(|lane| if lane < len { first + lane } else { first });
    let [x, y, z] = places.map(|column| rows.map(|row| column[row]));
    [x, y, z, std::array::from_fn(|lane| lane as f32)]
}

#[inline(always)]
fn at(columns: Slices, i: usize) -> [f32; 3] {
    columns.map(|column| column[i])
}

/// Returns the offset and weight K = (1 − r²)² \[fit radii\] of one neighbour for lanes of targets; zero
/// weight for a target itself. `number` is that of the neighbour, counted from the first target of the block.
#[inline(always)]
fn pair<L: Lanes>(target: [L; 4], place: [f32; 3], number: f32) -> ([L; 3], L) {
    let [x, y, z, own] = target;
    let d = [L::splat(place[0]).sub(x), L::splat(place[1]).sub(y), L::splat(place[2]).sub(z)];
    let r2 = d[0].mul_add(d[0], d[1].mul_add(d[1], d[2].mul(d[2])));
    let rest = L::splat(1.0).sub(r2).max(L::splat(0.0));
    let apart = L::splat(number).sub(own);
    (d, rest.mul(rest).zero_unless_greater(apart.mul(apart), L::splat(0.5)))
}

#[inline(always)]
fn fit_lanes<L: Lanes>(
    places: Slices,
    strengths: Slices,
    block: &Block,
    targets: &[[f32; BLOCK]; 4],
    lane: usize,
    out: &mut [[f32; BLOCK]; SUMS],
) {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let target = load_each::<L, 4>(targets, lane);
    let mut sums = [zero; SUMS];
    let first = block.targets().start as i64;
    for run in block.sources() {
        for i in run {
            let ([dx, dy, dz], k) = pair(target, at(places, i), (i as i64 - first) as f32);
            let (kx, ky, kz) = (k.mul(dx), k.mul(dy), k.mul(dz));
            let a = scale_each(splat_each(at(strengths, i)), k);
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

/// Returns the residual of one strength after the neighbours' linear fit.
fn fit(strength: Vec3, weight: f32, sums: &[f32; SUMS]) -> Fit {
    // One neighbour does not determine a fit.
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
    let rest = (strength - explained) * weight;
    if rest.is_finite() && base.is_finite() { Fit { base, slope, rest } } else { Fit::default() }
}

#[inline(always)]
fn spread_lanes<L: Lanes>(
    places: Slices,
    fits: Fits,
    block: &Block,
    targets: &[[f32; BLOCK]; 4],
    lane: usize,
    out: &mut [[f32; BLOCK]; 3],
) {
    let target = load_each::<L, 4>(targets, lane);
    let mut sums = [L::splat(0.0); 3];
    let first = block.targets().start as i64;
    for run in block.sources() {
        for i in run {
            let (base, slope, rest) = (fits.bases[i], at(fits.slopes, i), at(fits.rests, i));
            // The target is at −d from the neighbour in the centre of the fit.
            let ([dx, dy, dz], k) = pair(target, at(places, i), (i as i64 - first) as f32);
            let along =
                dx.mul(L::splat(slope[0])).add(dy.mul(L::splat(slope[1]))).add(dz.mul(L::splat(slope[2])));
            let weight = k.mul(L::splat(base).sub(along));
            sums = [
                weight.mul_add(L::splat(rest[0]), sums[0]),
                weight.mul_add(L::splat(rest[1]), sums[1]),
                weight.mul_add(L::splat(rest[2]), sums[2]),
            ];
        }
    }
    sums.into_iter().zip(out).for_each(|(sum, out)| sum.store(out, lane));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use crate::particles::Neighbours;
    use crate::velocity::Mirror;
    use fluid_threads::Serial;

    /// The rough parts of vortons with images are those of vortons that stand for all of them.
    #[test]
    fn images_are_neighbours() {
        let random = Random::new(8);
        let settings =
            DirectSettings { core_radius: 0.1, ..crate::params::Params::default().direct_settings() };
        let mut sources = Sources::default();
        for n in 0..400 {
            let place = random.centred_vec3(n) * 0.8 + Vec3::splat(0.4);
            sources.push(place, random.centred_vec3(n + 1000));
        }
        sources.mirror(Mirror::new(Vec3::ZERO, Vec3::Z));
        sources.mirror(Mirror::new(Vec3::ZERO, Vec3::X));
        let mut all = Sources::default();
        all.copy_from(&sources.positions, &sources.strengths);
        let find = |sources: &Sources, count: usize| {
            let (mut neighbours, mut out) = (Neighbours::default(), Vec3Columns::default());
            let mut scratch: [Vec3Columns; 3] = std::array::from_fn(|_| Vec3Columns::default());
            let scratch = scratch.each_mut();
            let search = RoughnessSearch { exec: &Serial, settings, neighbours: &mut neighbours, scratch };
            out.resize(sources.len());
            let weight = |row: usize| 1.0 + (row % 400) as f32 / 400.0;
            assert!(Roughness::default().find(search, sources, count, &weight, &mut out));
            out
        };
        let (found, wanted) = (find(&sources, 400), find(&all, 1600));
        for row in 0..400 {
            let error = (found.get(row) - wanted.get(row)).length();
            assert!(error < 1e-4 * wanted.get(row).length().max(0.1), "{row}: {error}");
        }
    }
}
