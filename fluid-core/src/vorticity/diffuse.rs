//! Diffusion of vorticity, heat, dye and fuel by particle strength exchange (E31): each pair of neighbours
//! exchanges in proportion to the difference of their contents per volume. The exchange is antisymmetric for
//! any volumes, so every sum is conserved.

mod crowds;
mod exchange;
mod problem;
mod stages;

pub use problem::{DIFFUSION_RADIUS, DiffusionSettings, Diffusivities};

use self::crowds::Crowds;
use self::exchange::{ExchangeJob, MomentJob, Shared};
use self::problem::{CHANNELS, ChannelValues, DiffusionProblem, column, column_mut};
use self::stages::{GegenbauerStage, Stages};
use crate::constants::PARTICLE_CHUNK;
use crate::lanes::dispatch_exact;
use crate::math::for_capacity;
use crate::particles::Vortons;
use crate::particles::cells::Cells;
use crate::particles::neighbours::{NEIGHBOUR_CHUNK, Neighbours};
use fluid_threads::{Executor, for_each_chunk_mut, reduce_ordered};
use glam::Vec3;

/// Most passes over all pairs in one call \[1\]. They diffuse ν dt = 45 σ².
pub const MOST_DIFFUSION_STAGES: u32 = 64;

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
    base: Vec<ChannelValues>,
    values: Vec<ChannelValues>,
    next: Vec<ChannelValues>,
    /// Change since the start of the step, after the last stage and the one before.
    newer: Vec<ChannelValues>,
    older: Vec<ChannelValues>,
    partials: Vec<f32>,
    /// Per vorton: its index in the sorted order, or [`NO_PLACE`].
    place_of: Vec<u32>,
}

/// Marks a vorton outside the sorted order.
const NO_PLACE: u32 = u32::MAX;

impl Diffusion {
    /// Reserves memory, so that later calls with at most `capacity` vortons do not allocate.
    pub fn reserve(&mut self, capacity: usize) {
        self.crowds.reserve(capacity);
        for_capacity(&mut self.sources, capacity);
        self.scalar_columns().into_iter().for_each(|column| for_capacity(column, capacity));
        self.values_columns().into_iter().for_each(|column| for_capacity(column, capacity));
        for_capacity(&mut self.partials, capacity.div_ceil(NEIGHBOUR_CHUNK));
        for_capacity(&mut self.place_of, capacity);
    }

    /// Returns the memory that is unused between two calls: cells, and one and three numbers for each vorton.
    pub(crate) fn cells_mut(&mut self) -> (&mut Cells, &mut Vec<u32>, &mut Vec<[u32; 3]>) {
        (&mut self.crowds.cells, &mut self.crowds.counts, &mut self.crowds.part)
    }

    /// Diffuses strengths with ν, mass deviations, dyes and fuels with κ, over `dt` \[s\]. Every sum is
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
        let problem = DiffusionProblem::new(settings, vortons, rates, dt);
        match problem.channels {
            0 => idle,
            1 => self.run::<1>(exec, &problem, neighbours, vortons),
            2 => self.run::<2>(exec, &problem, neighbours, vortons),
            3 => self.run::<3>(exec, &problem, neighbours, vortons),
            4 => self.run::<4>(exec, &problem, neighbours, vortons),
            5 => self.run::<5>(exec, &problem, neighbours, vortons),
            _ => self.run::<6>(exec, &problem, neighbours, vortons),
        }
    }

    fn run<const C: usize>(
        &mut self,
        exec: &dyn Executor,
        problem: &DiffusionProblem,
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
            GegenbauerStage { newer: 0.0, older: 0.0, change: [1.0; CHANNELS] },
        );
        let plan = Stages::new(self.highest_rate(exec), problem.amounts.into_iter().fold(0.0, f64::max));
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

    fn values_columns(&mut self) -> [&mut Vec<ChannelValues>; 5] {
        [&mut self.base, &mut self.values, &mut self.next, &mut self.newer, &mut self.older]
    }

    /// Sorts the vortons that take part and computes their contents per volume.
    fn gather<const C: usize>(
        &mut self,
        exec: &dyn Executor,
        problem: &DiffusionProblem,
        neighbours: &mut Neighbours,
        vortons: &Vortons,
    ) {
        self.crowds.find(exec, problem, vortons);
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
            let (base, values): (&mut [ChannelValues], &mut [ChannelValues]) = (base, values);
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
    fn normalise(&mut self, exec: &dyn Executor, problem: &DiffusionProblem, neighbours: &Neighbours) {
        let sources = &self.sources;
        for_each_chunk_mut(exec, NEIGHBOUR_CHUNK, self.factors.as_mut_slice(), &|start, out: &mut [f32]| {
            let job = MomentJob { problem, neighbours, start, sources, out };
            dispatch_exact(problem.settings.instruction_set, job);
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
        problem: &DiffusionProblem,
        neighbours: &Neighbours,
        stage: GegenbauerStage,
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
            dispatch_exact(problem.settings.instruction_set, job);
        });
        std::mem::swap(&mut self.older, &mut self.newer);
        std::mem::swap(&mut self.next, &mut self.values);
    }

    /// Scales the first exchange, so that it becomes the first stage.
    fn scale<const C: usize>(&mut self, exec: &dyn Executor, stage: GegenbauerStage) {
        let base = &self.base;
        let columns = (self.newer.as_mut_slice(), self.values.as_mut_slice());
        for_each_chunk_mut(exec, NEIGHBOUR_CHUNK, columns, &|start, (newer, values)| {
            let (newer, values): (&mut [ChannelValues], &mut [ChannelValues]) = (newer, values);
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
        problem: &DiffusionProblem,
        plan: Stages,
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
