//! Diffusion of vorticity, heat and dye by particle strength exchange (E31): each pair of neighbours
//! exchanges in proportion to the difference of their contents per volume. The exchange is antisymmetric for
//! any volumes, so every sum is conserved.

use super::rim::SPACING;
use crate::constants::PARTICLE_CHUNK;
use crate::lanes::{BLOCK, InstructionSet, Job, Lanes, Precision, dispatch};
use crate::particles::Vortons;
use crate::particles::cells::{Cells, cell_of, slot};
use crate::particles::neighbours::{Block, NEIGHBOUR_CHUNK, Neighbours};
use fluid_threads::{Executor, for_each_chunk_mut, reduce_ordered};
use glam::{DVec3, Vec3};
use std::f64::consts::PI;

/// Reach of the exchange \[core radii\]. Vortons of a volume are σ/1.5 to σ/1.65 apart, so 56 to 80
/// neighbours exchange. A smaller reach (32 at 1.35) loses isotropy in disorder; a larger one (1.65) damps
/// cos kx 4.5 % too slowly at kh = 1/2, where this one loses 3 %.
pub const DIFFUSION_RADIUS: f32 = 1.5;

/// Most passes over all pairs in one call \[1\]. They diffuse ν dt = 45 σ².
pub const MOST_DIFFUSION_STAGES: u32 = 64;

/// Diffusion rates of vorticity, heat and dye.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Diffusivities {
    /// Kinematic viscosity ν \[m²/s\].
    pub viscosity: f32,
    /// Diffusivity κ of heat (mass deviation) and dye \[m²/s\].
    pub diffusivity: f32,
}

/// Settings of diffusion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiffusionSettings {
    /// Core radius σ \[m\], inside [`crate::constants::CORE_RADIUS_RANGE`].
    pub core_radius: f32,
    /// Instructions to use.
    pub instruction_set: InstructionSet,
    /// Exact or fast arithmetic.
    pub precision: Precision,
}

/// Result of a call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiffusionReport {
    /// Points that exchange: vortons that take part, with those exchanging as one counted once.
    pub places: u32,
    /// Passes over all pairs: 1 for small ν dt, at most [`MOST_DIFFUSION_STAGES`], 0 if there was nothing to
    /// diffuse.
    pub stages: u32,
    /// Fraction of ν dt and κ dt that was diffused \[1\]: below 1 if the largest number of stages does not
    /// suffice.
    pub share: f32,
}

/// Scratch of diffusion: about 200 bytes for each vorton. Columns are in the sorted order of the neighbours.
#[derive(Debug, Clone, Default)]
pub struct Diffusion {
    crowds: Crowds,
    /// Position and weight of a source, in units near σ.
    sources: Vec<[f32; 4]>,
    volumes: Vec<f32>,
    /// √n, the particle's factor to the pair's weight.
    factors: Vec<f32>,
    rates: Vec<f32>,
    /// Content per volume: at the start of the step, now, and next.
    base: Vec<Values>,
    values: Vec<Values>,
    next: Vec<Values>,
    /// Change since the start of the step, after the last stage and the one before.
    newer: Vec<Values>,
    older: Vec<Values>,
    partials: Vec<f32>,
    /// Per vorton: its index in the sorted order, or [`NO_PLACE`].
    place_of: Vec<u32>,
}

/// One value for each channel in use; the others are unused.
type Values = [f32; CHANNELS];

/// Strength x, y, z, mass deviation, dye.
const CHANNELS: usize = 5;

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

/// Order λ of the Gegenbauer polynomials. In three dimensions the response to a spike is (1 - r²/a²)^(λ-2)
/// for many stages: positive for λ ≥ 1 and bounded for λ ≥ 2. (Legendre's λ = 1/2, RKL1, undershoots by seven
/// times the peak.)
const ORDER: f64 = 2.0;

/// Largest content of a vorton that takes part \[m³/s, kg or m³\]: the sum over all vortons stays finite.
const MOST_CONTENT: f32 = 1e30;

/// Volumes that take part \[σ³, up to a factor of 3\], and the largest coordinate \[σ\]: every product stays
/// in the range of f32.
const VOLUME_RANGE: (f64, f64) = (1e-12, 1e12);
const REACH: f32 = 1e18;

impl Diffusion {
    /// Reserves memory, so that later calls with at most `capacity` vortons do not allocate.
    pub fn reserve(&mut self, capacity: usize) {
        self.crowds.reserve(capacity);
        self.sources.reserve(capacity);
        for column in self.scalar_columns() {
            column.reserve(capacity);
        }
        for column in self.values_columns() {
            column.reserve(capacity);
        }
        self.partials.reserve(capacity.div_ceil(NEIGHBOUR_CHUNK));
        self.place_of.reserve(capacity);
    }

    /// Returns the memory that is unused between two calls: cells, and vorton indices.
    pub(crate) fn cells_mut(&mut self) -> (&mut Cells, &mut Vec<u32>) {
        (&mut self.crowds.cells, &mut self.crowds.counts)
    }

    /// Diffuses strengths with ν, mass deviations and dyes with κ, over `dt` \[s\]. Σα, Σm' and Σ dye are
    /// conserved to round-off, a field of one sign keeps it, and the scheme is stable for any `dt`.
    ///
    /// Does nothing unless `dt` and one of the diffusivities are positive: diffusion backwards in time is
    /// ill-posed. Vortons without volume (below 10⁻¹² σ³), or with values that are not finite (or above
    /// 10³⁰), are skipped.
    ///
    /// # Panics
    /// If this processor lacks the instruction set.
    pub fn apply(
        &mut self,
        exec: &dyn Executor,
        settings: DiffusionSettings,
        neighbours: &mut Neighbours,
        vortons: &mut Vortons,
        rates: Diffusivities,
        dt: f32,
    ) -> DiffusionReport {
        let idle = DiffusionReport { places: 0, stages: 0, share: 1.0 };
        let problem = Problem::new(settings, vortons, rates, dt);
        match problem.channels {
            0 => idle,
            1 => self.run::<1>(exec, &problem, neighbours, vortons),
            2 => self.run::<2>(exec, &problem, neighbours, vortons),
            3 => self.run::<3>(exec, &problem, neighbours, vortons),
            4 => self.run::<4>(exec, &problem, neighbours, vortons),
            _ => self.run::<5>(exec, &problem, neighbours, vortons),
        }
    }

    fn run<const C: usize>(
        &mut self,
        exec: &dyn Executor,
        problem: &Problem,
        neighbours: &mut Neighbours,
        vortons: &mut Vortons,
    ) -> DiffusionReport {
        self.gather::<C>(exec, problem, neighbours, vortons);
        self.normalise(exec, problem, neighbours);
        // The first exchange also yields the largest rate; its changes are scaled once the plan is known.
        self.exchange::<C>(
            exec,
            problem,
            neighbours,
            Stage { newer: 0.0, older: 0.0, change: [1.0; CHANNELS] },
        );
        let plan = Plan::new(self.highest_rate(exec), problem.amounts.into_iter().fold(0.0, f64::max));
        for step in 0..plan.steps {
            for j in 1..=plan.stages {
                let stage = plan.stage(j, problem);
                match (step, j) {
                    (0, 1) => self.scale::<C>(exec, stage),
                    _ => self.exchange::<C>(exec, problem, neighbours, stage),
                }
            }
            self.deliver::<C>(exec, problem, plan, neighbours, vortons);
            self.base.copy_from_slice(&self.values);
        }
        let places = neighbours.len() as u32;
        DiffusionReport { places, stages: plan.steps * plan.stages, share: plan.share as f32 }
    }

    fn scalar_columns(&mut self) -> [&mut Vec<f32>; 3] {
        [&mut self.volumes, &mut self.factors, &mut self.rates]
    }

    fn values_columns(&mut self) -> [&mut Vec<Values>; 5] {
        [&mut self.base, &mut self.values, &mut self.next, &mut self.newer, &mut self.older]
    }

    /// Sorts the vortons that take part and computes their contents per volume.
    fn gather<const C: usize>(
        &mut self,
        exec: &dyn Executor,
        problem: &Problem,
        neighbours: &mut Neighbours,
        vortons: &Vortons,
    ) {
        self.crowds.find(problem, vortons);
        let crowds = &self.crowds;
        neighbours.sort(exec, problem.radius, 0..crowds.places.len(), |crowd| crowds.place(crowd));
        let len = neighbours.len();
        self.sources.resize(len, [0.0; 4]);
        for column in self.scalar_columns() {
            column.resize(len, 0.0);
        }
        for column in self.values_columns() {
            column.resize(len, [0.0; CHANNELS]);
        }
        let (neighbours, crowds) = (&*neighbours, &self.crowds);
        let columns = (
            self.sources.as_mut_slice(),
            self.volumes.as_mut_slice(),
            self.base.as_mut_slice(),
            self.values.as_mut_slice(),
        );
        for_each_chunk_mut(exec, NEIGHBOUR_CHUNK, columns, &|start, (sources, volumes, base, values)| {
            let (sources, volumes): (&mut [[f32; 4]], &mut [f32]) = (sources, volumes);
            let (base, values): (&mut [Values], &mut [Values]) = (base, values);
            for i in 0..sources.len() {
                let crowd = neighbours.particle(start + i);
                let Vec3 { x, y, z } = crowds.place(crowd);
                let volume =
                    crowds.rows(crowd).iter().map(|&row| problem.volume(vortons.volumes[row as usize]));
                let volume = volume.sum::<f64>() as f32;
                (sources[i], volumes[i]) = ([x, y, z, volume], volume);
                values[i] = std::array::from_fn(|c| {
                    if c >= C {
                        return 0.0;
                    }
                    let content = column(vortons, problem.content[c]);
                    match crowds.rows(crowd) {
                        [row] => content[*row as usize] * problem.scales[c] / volume,
                        rows => {
                            let sum: f64 = rows.iter().map(|&row| f64::from(content[row as usize])).sum();
                            (sum * f64::from(problem.scales[c])) as f32 / volume
                        }
                    }
                });
                base[i] = values[i];
            }
        });
    }

    /// Computes the factors √n that give each neighbourhood the second moment of the exact kernel, and
    /// multiplies the sources by them.
    fn normalise(&mut self, exec: &dyn Executor, problem: &Problem, neighbours: &Neighbours) {
        let sources = &self.sources;
        for_each_chunk_mut(exec, NEIGHBOUR_CHUNK, self.factors.as_mut_slice(), &|start, out: &mut [f32]| {
            let job = MomentJob { problem, neighbours, start, sources, out };
            dispatch(problem.settings.instruction_set, problem.settings.precision, job);
        });
        let factors = &self.factors;
        for_each_chunk_mut(
            exec,
            NEIGHBOUR_CHUNK,
            self.sources.as_mut_slice(),
            &|start, out: &mut [[f32; 4]]| {
                out.iter_mut().zip(&factors[start..]).for_each(|(source, factor)| source[3] *= factor);
            },
        );
    }

    /// One pass over all pairs.
    fn exchange<const C: usize>(
        &mut self,
        exec: &dyn Executor,
        problem: &Problem,
        neighbours: &Neighbours,
        stage: Stage,
    ) {
        let shared = Shared {
            neighbours,
            sources: &self.sources,
            factors: &self.factors,
            base: &self.base,
            values: &self.values,
            newer: &self.newer,
        };
        let columns = (self.older.as_mut_slice(), self.next.as_mut_slice(), self.rates.as_mut_slice());
        for_each_chunk_mut(exec, NEIGHBOUR_CHUNK, columns, &|start, (older, next, rates)| {
            let job = ExchangeJob::<C> { problem, shared, stage, start, older, next, rates };
            dispatch(problem.settings.instruction_set, problem.settings.precision, job);
        });
        std::mem::swap(&mut self.older, &mut self.newer);
        std::mem::swap(&mut self.next, &mut self.values);
    }

    /// Scales the first exchange, so that it becomes the first stage.
    fn scale<const C: usize>(&mut self, exec: &dyn Executor, stage: Stage) {
        let base = &self.base;
        let columns = (self.newer.as_mut_slice(), self.values.as_mut_slice());
        for_each_chunk_mut(exec, NEIGHBOUR_CHUNK, columns, &|start, (newer, values)| {
            let (newer, values): (&mut [Values], &mut [Values]) = (newer, values);
            for i in 0..newer.len() {
                for c in 0..C {
                    newer[i][c] *= stage.change[c];
                    values[i][c] = base[start + i][c] + newer[i][c];
                }
            }
        });
    }

    fn highest_rate(&mut self, exec: &dyn Executor) -> f32 {
        let rates = &self.rates;
        let highest = |range: std::ops::Range<usize>| rates[range].iter().copied().fold(0.0, f32::max);
        reduce_ordered(exec, rates.len(), NEIGHBOUR_CHUNK, 0.0, &mut self.partials, &highest, f32::max)
    }

    /// Adds the changes of the step to the vortons. Only changes are added, so that a uniform field stays
    /// uniform bit for bit.
    fn deliver<const C: usize>(
        &mut self,
        exec: &dyn Executor,
        problem: &Problem,
        plan: Plan,
        neighbours: &Neighbours,
        vortons: &mut Vortons,
    ) {
        let mut place_of = std::mem::take(&mut self.place_of);
        place_of.clear();
        place_of.resize(vortons.len(), NO_PLACE);
        for i in 0..neighbours.len() {
            for &row in self.crowds.rows(neighbours.particle(i)) {
                place_of[row as usize] = i as u32;
            }
        }
        for c in 0..C {
            let unscale = 1.0 / problem.scales[c];
            let mut content = std::mem::take(column_mut(vortons, problem.content[c]));
            let volumes = &vortons.volumes;
            let change = |row: usize, content: f32| {
                let i = place_of[row] as usize;
                let change = self.newer[i][c];
                if self.crowds.rows(neighbours.particle(i)).len() == 1 {
                    return change * self.volumes[i] * unscale;
                }
                let mixed = plan.decay(problem, c, self.rates[i]);
                let mean = self.base[i][c] * unscale;
                let volume = problem.volume(volumes[row]) as f32;
                change * volume * unscale + mixed * (content - mean * volume)
            };
            for_each_chunk_mut(exec, PARTICLE_CHUNK, content.as_mut_slice(), &|first, part: &mut [f32]| {
                for (row, content) in (first..).zip(part).filter(|(row, _)| place_of[*row] != NO_PLACE) {
                    *content += change(row, *content);
                }
            });
            *column_mut(vortons, problem.content[c]) = content;
        }
        self.place_of = place_of;
    }
}

/// Vortons that take part, in crowds: a crowd is one vorton, or several so close together that they exchange
/// as one. Otherwise N vortons at one point would have N² pairs of neighbours.
///
/// For vortons at one point this is exact: all of them exchange with others at the same rate, and the
/// difference of each from the mean decays at the rate of its exchange with all.
#[derive(Debug, Clone, Default)]
struct Crowds {
    /// Upper bounds on the number of vortons in each cell; several cells share an entry.
    bounds: Vec<u8>,
    cells: Cells,
    /// Per vorton that takes part: its row, its cell and its crowd.
    part: Vec<[u32; 3]>,
    /// Per cell: the number of its vortons, and its crowd if they exchange as one.
    counts: Vec<u32>,
    crowd_of: Vec<u32>,
    /// Per crowd: its position in the problem's units, and the start of its rows.
    places: Vec<Vec3>,
    starts: Vec<u32>,
    rows: Vec<u32>,
}

/// Edge of the cells in which vortons are grouped \[core radii\], and the most vortons in a cell that
/// exchange individually. A volume has 0.6 in a cell.
const CROWD_CELL: f64 = 0.5;
const MOST_APART: u32 = 8;

/// Farthest cell in which vortons are grouped \[cells\].
const FARTHEST_CROWD: f64 = 1e6;

/// Returns the number of entries of `bounds` for so many vortons: a power of two, with few of them shared.
fn bounds_len(vortons: usize) -> usize {
    (2 * vortons).next_power_of_two()
}

/// Marks a vorton outside the sorted order.
const NO_PLACE: u32 = u32::MAX;

/// Mark a vorton without a crowd, and one without a cell.
const NO_CROWD: u32 = u32::MAX;
const NO_CELL: u32 = u32::MAX;

impl Crowds {
    fn reserve(&mut self, capacity: usize) {
        self.bounds.reserve(bounds_len(capacity));
        self.cells.reserve(capacity);
        self.part.reserve(capacity);
        for column in [&mut self.counts, &mut self.crowd_of, &mut self.rows] {
            column.reserve(capacity);
        }
        self.places.reserve(capacity);
        self.starts.reserve(capacity + 1);
    }

    fn find(&mut self, problem: &Problem, vortons: &Vortons) {
        let edge = CROWD_CELL * f64::from(problem.settings.core_radius);
        if !self.find_alone(edge, problem, vortons) {
            self.find_crowds(edge, problem, vortons);
        }
    }

    /// Makes each vorton a crowd of its own. False if a cell may contain too many.
    fn find_alone(&mut self, edge: f64, problem: &Problem, vortons: &Vortons) -> bool {
        let len = bounds_len(vortons.len());
        self.bounds.clear();
        self.bounds.resize(len, 0);
        self.rows.clear();
        self.places.clear();
        for row in (0..vortons.len()).filter(|&row| problem.takes_part(vortons, row)) {
            let place = vortons.positions.get(row);
            if place.abs().max_element() < (FARTHEST_CROWD * edge) as f32 {
                let bound = &mut self.bounds[slot(cell_of(place, edge)) & (len - 1)];
                if u32::from(*bound) == MOST_APART {
                    return false;
                }
                *bound += 1;
            }
            self.rows.push(row as u32);
            self.places.push(place * problem.length);
        }
        self.starts.clear();
        self.starts.extend(0..=self.rows.len() as u32);
        true
    }

    fn find_crowds(&mut self, edge: f64, problem: &Problem, vortons: &Vortons) {
        self.cells.clear();
        self.part.clear();
        self.counts.clear();
        for row in (0..vortons.len()).filter(|&row| problem.takes_part(vortons, row)) {
            let place = vortons.positions.get(row);
            // Farther away, f32 cannot distinguish positions within reach of each other.
            if place.abs().max_element() >= (FARTHEST_CROWD * edge) as f32 {
                self.part.push([row as u32, NO_CELL, NO_CROWD]);
                continue;
            }
            let cell = self.cells.add(cell_of(place, edge));
            self.counts.resize(self.cells.len(), 0);
            self.counts[cell] += 1;
            self.part.push([row as u32, cell as u32, NO_CROWD]);
        }
        self.crowd_of.clear();
        self.crowd_of.resize(self.cells.len(), NO_CROWD);
        self.starts.clear();
        for part in &mut self.part {
            let cell = part[1] as usize;
            let crowd = self.crowd_of.get(cell).copied().unwrap_or(NO_CROWD);
            part[2] = crowd;
            if crowd == NO_CROWD {
                part[2] = self.starts.len() as u32;
                self.starts.push(0);
                if self.counts.get(cell).is_some_and(|&count| count > MOST_APART) {
                    self.crowd_of[cell] = part[2];
                }
            }
            self.starts[part[2] as usize] += 1;
        }
        // Ends first; filling backwards turns them into starts.
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.starts.push(end);
        self.rows.clear();
        self.rows.resize(self.part.len(), 0);
        for &[row, _, crowd] in self.part.iter().rev() {
            self.starts[crowd as usize] -= 1;
            self.rows[self.starts[crowd as usize] as usize] = row;
        }
        self.places.clear();
        for crowd in 0..self.starts.len() - 1 {
            let place = |row: u32| vortons.positions.get(row as usize) * problem.length;
            let middle = match self.rows(crowd) {
                &[row] => place(row),
                rows => {
                    let mut sum = (DVec3::ZERO, 0.0);
                    for &row in rows {
                        let volume = problem.volume(vortons.volumes[row as usize]);
                        sum = (sum.0 + place(row).as_dvec3() * volume, sum.1 + volume);
                    }
                    (sum.0 / sum.1).as_vec3()
                }
            };
            self.places.push(middle);
        }
    }

    fn place(&self, crowd: usize) -> Vec3 {
        self.places[crowd]
    }

    /// Returns the rows of its vortons, ascending.
    fn rows(&self, crowd: usize) -> &[u32] {
        &self.rows[self.starts[crowd] as usize..self.starts[crowd + 1] as usize]
    }
}

/// The quantities to diffuse, and their units.
#[derive(Debug, Clone, Copy)]
struct Problem {
    settings: DiffusionSettings,
    /// Number of channels in use, the column of each, the power of two that scales it below 1, and ν dt or κ
    /// dt.
    channels: usize,
    content: [usize; CHANNELS],
    scales: Values,
    amounts: [f64; CHANNELS],
    /// Power of two next to 1/σ: scaling by it is exact and keeps every power of lengths inside f32
    /// (validation B8).
    length: f32,
    radius: f32,
}

impl Problem {
    fn new(settings: DiffusionSettings, vortons: &Vortons, rates: Diffusivities, dt: f32) -> Self {
        let length = power_of_two(std::f32::consts::SQRT_2 / settings.core_radius);
        let radius = DIFFUSION_RADIUS * settings.core_radius * length;
        let mut problem = Self {
            settings,
            channels: 0,
            content: [0; CHANNELS],
            scales: [1.0; CHANNELS],
            amounts: [0.0; CHANNELS],
            length,
            radius,
        };
        for content in 0..CHANNELS {
            let rate = if content < 3 { rates.viscosity } else { rates.diffusivity };
            // NaN fails as well. An infinite rate acts like a very large one.
            if !(dt > 0.0 && rate > 0.0) {
                continue;
            }
            let magnitudes = column(vortons, content).iter().map(|v| v.abs());
            let largest = magnitudes.filter(|&v| v <= MOST_CONTENT).fold(0.0, f32::max);
            if largest > 0.0 {
                let c = problem.channels;
                problem.content[c] = content;
                problem.scales[c] = power_of_two(1.0 / largest.max(1.0 / MOST_CONTENT));
                problem.amounts[c] =
                    (f64::from(rate) * f64::from(dt) * f64::from(length).powi(2)).min(MOST_AMOUNT);
                problem.channels += 1;
            }
        }
        problem
    }

    /// Returns the volume of fluid of a vorton in the exchange: at most a cell of the lattice on which rim
    /// vortons are added around it (E44). A filament's volume is all of the fluid inside, and would keep the
    /// content there.
    fn volume(&self, volume: f32) -> f64 {
        let most = (SPACING * f64::from(self.settings.core_radius)).powi(3);
        f64::from(volume).min(most) * f64::from(self.length).powi(3)
    }

    fn takes_part(&self, vortons: &Vortons, row: usize) -> bool {
        let volume = f64::from(vortons.volumes[row]) * f64::from(self.length).powi(3);
        let place = vortons.positions.get(row) * self.length;
        // NaN fails all of these.
        (VOLUME_RANGE.0..=VOLUME_RANGE.1).contains(&volume)
            && place.abs().cmple(Vec3::splat(REACH)).all()
            && vortons.strengths.get(row).abs().cmple(Vec3::splat(MOST_CONTENT)).all()
            && vortons.mass_deviations[row].abs() <= MOST_CONTENT
            && vortons.dyes[row].abs() <= MOST_CONTENT
    }

    /// Returns the factor of (R² - r²)² in the kernel η, which makes its second moments ½∫x²η dV equal to 1.
    fn kernel_factor(&self) -> f64 {
        945.0 / (16.0 * PI) / f64::from(self.radius).powi(9)
    }
}

/// Larger than any ν dt in units of σ², and small enough for the arithmetic.
const MOST_AMOUNT: f64 = 1e60;

/// Returns the largest power of two not above this positive number.
fn power_of_two(v: f32) -> f32 {
    f32::from_bits((v.to_bits() >> 23) << 23)
}

fn column(vortons: &Vortons, content: usize) -> &[f32] {
    let Vortons { strengths, mass_deviations, dyes, .. } = vortons;
    [&strengths.x, &strengths.y, &strengths.z, mass_deviations, dyes][content]
}

fn column_mut(vortons: &mut Vortons, content: usize) -> &mut Vec<f32> {
    let Vortons { strengths, mass_deviations, dyes, .. } = vortons;
    match content {
        0 => &mut strengths.x,
        1 => &mut strengths.y,
        2 => &mut strengths.z,
        3 => mass_deviations,
        _ => dyes,
    }
}

/// Division of a call into stages (E32): one Euler step if that preserves signs, otherwise two steps of s
/// stages. Two, because the square of a polynomial leaves no part of a spike with the wrong sign.
#[derive(Debug, Clone, Copy)]
struct Plan {
    steps: u32,
    stages: u32,
    share: f64,
}

impl Plan {
    /// Makes a plan for `amount`, the larger of ν dt and κ dt. An Euler step preserves signs up to `rate *
    /// amount` = 1.
    fn new(rate: f32, amount: f64) -> Self {
        let wanted = f64::from(rate) * amount;
        if wanted <= 1.0 {
            return Self { steps: 1, stages: 1, share: 1.0 };
        }
        let most = MOST_DIFFUSION_STAGES / 2;
        let share = (2.0 * Self::reach(most) / wanted).min(1.0);
        let stages = (1..most).find(|&stages| 2.0 * Self::reach(stages) >= wanted).unwrap_or(most);
        Self { steps: 2, stages, share }
    }

    /// Returns the length of a step with this number of stages, in Euler steps: the derivative at 1 of the
    /// Gegenbauer polynomial.
    fn reach(stages: u32) -> f64 {
        let s = f64::from(stages);
        s * (s + 2.0 * ORDER) / (2.0 * ORDER + 1.0)
    }

    /// Returns the relative change in one step at this decay rate \[1\]: from −1 to 0.
    fn decay(&self, problem: &Problem, channel: usize, rate: f32) -> f32 {
        let (mut newer, mut older) = (0.0_f64, 0.0_f64);
        for j in 1..=self.stages {
            let stage = self.stage(j, problem);
            let change = f64::from(stage.newer) * newer + f64::from(stage.older) * older
                - f64::from(stage.change[channel]) * f64::from(rate) * (1.0 + newer);
            (older, newer) = (newer, change);
        }
        newer as f32
    }

    /// Three-term recurrence of C_j(x)/C_j(1), applied to x = 1 + L/reach.
    fn stage(&self, j: u32, problem: &Problem) -> Stage {
        let j = f64::from(j);
        let factor = 2.0 * (j + ORDER - 1.0) / (j + 2.0 * ORDER - 1.0);
        // Nothing has changed at the start; the columns still hold values of an earlier step.
        let newer = if j > 1.0 { factor } else { 0.0 };
        let older = if j > 2.0 { (1.0 - j) / (j + 2.0 * ORDER - 1.0) } else { 0.0 };
        let step = factor * self.share / (f64::from(self.steps) * Self::reach(self.stages));
        // If all rates are close to 0, the amount may exceed f32; it has no effect there.
        let change = problem.amounts.map(|amount| (step * amount).min(1e30) as f32);
        Stage { newer: newer as f32, older: older as f32, change }
    }
}

/// D_j = newer D_(j-1) + older D_(j-2) + change L(Y_(j-1)), where Y_j is the start of the step plus D_j.
#[derive(Debug, Clone, Copy)]
struct Stage {
    newer: f32,
    older: f32,
    change: Values,
}

/// Returns sixteen targets as columns. Missing ones repeat the first: valid, and discarded.
#[inline(always)]
fn target_columns<const C: usize, const N: usize>(block: &Block, rows: &[[f32; N]]) -> [[f32; BLOCK]; C] {
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
fn pair<L: Lanes>(target: [L; 3], source: &[f32; 4], radius2: L) -> ([L; 3], L) {
    let [x, y, z] = target;
    let (dx, dy, dz) = (L::splat(source[0]).sub(x), L::splat(source[1]).sub(y), L::splat(source[2]).sub(z));
    let r2 = dx.mul_add(dx, dy.mul_add(dy, dz.mul(dz)));
    let inside = radius2.sub(r2).max(L::splat(0.0));
    ([dx, dy, dz], inside.mul(inside))
}

/// Factors √n of the targets.
struct MomentJob<'a> {
    problem: &'a Problem,
    neighbours: &'a Neighbours,
    start: usize,
    sources: &'a [[f32; 4]],
    out: &'a mut [f32],
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
const MOMENTS: usize = 7;

#[inline(always)]
fn moment_lanes<L: Lanes>(
    radius: f32,
    block: &Block,
    sources: &[[f32; 4]],
    targets: &[[f32; BLOCK]; 3],
    lane: usize,
    out: &mut [[f32; BLOCK]; MOMENTS],
) {
    let radius2 = L::splat(radius * radius);
    let target: [L; 3] = std::array::from_fn(|axis| L::load(&targets[axis], lane));
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
fn boost([rate, xx, yy, zz, xy, xz, yz]: [f64; MOMENTS], highest_rate: f64) -> f64 {
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
struct Shared<'a> {
    neighbours: &'a Neighbours,
    sources: &'a [[f32; 4]],
    factors: &'a [f32],
    base: &'a [Values],
    values: &'a [Values],
    newer: &'a [Values],
}

/// One stage for the targets of a chunk.
struct ExchangeJob<'a, const C: usize> {
    problem: &'a Problem,
    shared: Shared<'a>,
    stage: Stage,
    start: usize,
    older: &'a mut [Values],
    next: &'a mut [Values],
    rates: &'a mut [f32],
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
                let target = std::array::from_fn(|axis| L::load(&targets[axis], lane));
                let content = std::array::from_fn(|c| L::load(&contents[c], lane));
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
fn exchange_lanes<L: Lanes, const C: usize>(
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
