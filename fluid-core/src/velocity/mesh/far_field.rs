//! The field outside of the box: a direct sum of the deposited strengths, coarsened on ever wider lattices
//! (E26).

use crate::grid::{FilledRows, GridShape};
use crate::math::distance_from_box;
use crate::saved::{LoadError, Reader, Saved, Writer};
use crate::velocity::direct::{DirectSettings, SourceCloud};
use crate::velocity::{FlowSample, VelocityField};
use fluid_threads::{Executor, Rows, for_each_chunk_mut};
use glam::{UVec3, Vec3, Vec4, Vec4Swizzles};

/// The cloud on lattices of 2, 4, 8, ... spacings. The farther a point is from the box, the wider the
/// lattice from which its velocity is summed; sums and first moments are the same on all of them, and
/// isotropic second moments do not affect a harmonic field.
#[derive(Debug, Clone)]
pub(super) struct FarField {
    settings: DirectSettings,
    /// Bounds of the sources \[m\].
    low: Vec3,
    high: Vec3,
    spacing: f32,
    levels: Vec<LatticeLevel>,
    /// Number of levels in use; the memory of the others is kept.
    used: usize,
    /// Nodes with strength.
    filled: FilledRows,
}

/// One lattice.
#[derive(Debug, Clone)]
struct LatticeLevel {
    dims: [usize; 3],
    /// Strengths, and rates of expansion if some sources expand; else the fourth component is meaningless.
    nodes: Vec<Vec4>,
    /// Start of each plane among all nodes with strength, and their total number at the end.
    starts: Vec<u32>,
    cloud: SourceCloud,
}

/// Distance from the nearest source, in its own spacings, from which a lattice is used for samples.
const LATTICE_REACH: f32 = 1.5;
/// The same for the flow at vortons: one beside a ring, one size of it away, moves within 2 % of the direct
/// sum; with the reach for samples it was 17 % off.
const LATTICE_REACH_OF_VORTONS: f32 = 4.0;
/// Distance, relative to that at which the next coarser lattice takes over, up to which a lattice is used by
/// itself \[1\]: from there on the field changes gradually into that of the other.
const UNMIXED: f32 = 0.75;
/// The coarsest lattice has at most this many nodes along its longest axis.
const COARSEST: usize = 4;
/// Number of positions that are summed together.
const BATCH: usize = 64;

impl FarField {
    pub(super) fn settings(&self) -> DirectSettings {
        self.settings
    }

    pub(super) fn new(settings: DirectSettings) -> Self {
        Self {
            settings,
            low: Vec3::ZERO,
            high: Vec3::ZERO,
            spacing: 1.0,
            levels: Vec::new(),
            used: 0,
            filled: FilledRows::default(),
        }
    }

    pub(super) fn clear(&mut self) {
        // The box as well: after a shift of the origin it would not be where a restored world has it.
        (self.low, self.high, self.spacing, self.used) = (Vec3::ZERO, Vec3::ZERO, 1.0, 0);
    }

    /// Shifts the origin of the coordinates to `origin` \[m\].
    pub(super) fn shift_origin(&mut self, origin: Vec3) {
        (self.low, self.high) = (self.low - origin, self.high - origin);
        self.levels[..self.used].iter_mut().for_each(|level| level.cloud.shift_origin(origin));
    }

    /// Copies the data of `other` needed for sampling; allocates only to grow.
    pub(super) fn copy_from(&mut self, other: &Self) {
        (self.low, self.high, self.spacing, self.used) = (other.low, other.high, other.spacing, other.used);
        while self.levels.len() < other.used {
            self.levels.push(LatticeLevel::new(self.settings));
        }
        for (own, other) in self.levels.iter_mut().zip(&other.levels[..other.used]) {
            own.cloud.copy_from(&other.cloud);
        }
    }

    /// Coarsens the deposited strengths \[`unit` m³/s\] and, if some sources expand, their rates in w
    /// \[`rate_unit` m³/s\].
    pub(super) fn set(
        &mut self,
        exec: &dyn Executor,
        shape: &GridShape,
        source: &[Vec4],
        unit: f32,
        rate_unit: Option<f32>,
    ) {
        self.used = 0;
        self.spacing = shape.spacing();
        match rate_unit {
            Some(_) => self.filled.find(exec, shape, source, 0, &is_source),
            None => self.filled.find(exec, shape, source, 0, &has_strength),
        }
        let mut dims = shape.dims_usize();
        while dims.iter().any(|&n| n > COARSEST) {
            if self.levels.len() == self.used {
                self.levels.push(LatticeLevel::new(self.settings));
            }
            let (done, rest) = self.levels.split_at_mut(self.used);
            match done.last() {
                Some(finer) => rest[0].coarsen(exec, dims, &finer.nodes, &|_, _| true),
                None => rest[0].coarsen(exec, dims, source, &|j, k| self.filled.has(j, k)),
            }
            dims = rest[0].dims;
            self.used += 1;
            let spacing = self.spacing * (1_u32 << self.used) as f32;
            rest[0].publish(exec, shape.origin(), spacing, unit);
            if let Some(rate_unit) = rate_unit {
                rest[0].publish_rates(shape.origin(), spacing, rate_unit);
            }
        }
        let (low, high) = self.filled.bounds();
        let place = |node: UVec3| shape.origin() + node.as_vec3() * shape.spacing();
        (self.low, self.high) = (place(low), place(high));
    }

    /// Returns the distance \[m\] of a point from the bounds of the sources.
    pub(super) fn distance(&self, place: Vec3) -> f32 {
        distance_from_box(place, self.low, self.high)
    }

    /// Returns the level for a position \[m\] outside of the box, and the share of the next coarser one
    /// there, which rises to 1 before that one takes its place: a change of level is no jump.
    fn level(&self, place: Vec3, reach: f32) -> (usize, f32) {
        // Far away the square may overflow: then the coarsest level is right.
        let spacings = self.distance(place) / (reach * self.spacing);
        let mut level = 0;
        while level + 1 < self.used && spacings >= (2_u32 << (level + 1)) as f32 {
            level += 1;
        }
        if level + 1 >= self.used {
            return (level, 0.0);
        }
        let end = (2_u32 << (level + 1)) as f32;
        (level, ((spacings / end - UNMIXED) / (1.0 - UNMIXED)).clamp(0.0, 1.0))
    }

    /// Returns the number of sources that are summed at a position \[m\] outside of the box.
    pub(super) fn sources_summed_at(&self, place: Vec3) -> usize {
        let (level, next) = self.level(place, LATTICE_REACH);
        let levels = &self.levels[..self.used];
        let summed = levels.iter().skip(level).take(if next > 0.0 { 2 } else { 1 });
        summed.map(|level| level.cloud.len()).sum()
    }

    /// Writes the velocities to `out` where `outside` is true.
    pub(super) fn velocities(&self, places: &[Vec3], outside: &[bool], out: &mut [Vec3]) {
        self.by_level(places, outside, LATTICE_REACH, |level, places, rows| {
            let mut part = [Vec3::ZERO; BATCH];
            let part = &mut part[..places.len()];
            if let Some(level) = level {
                level.cloud.velocities(places, part);
            }
            for (&(row, share), part) in rows.iter().zip(part) {
                let before = if share.is_first { Vec3::ZERO } else { out[row as usize] };
                out[row as usize] = before + *part * share.weight;
            }
        });
    }

    /// Writes velocities and gradients to `out` where `outside` is true.
    pub(super) fn flow(&self, places: &[Vec3], outside: &[bool], out: &mut [FlowSample]) {
        self.by_level(places, outside, LATTICE_REACH_OF_VORTONS, |level, places, rows| {
            let mut part = [FlowSample::default(); BATCH];
            let part = &mut part[..places.len()];
            if let Some(level) = level {
                level.cloud.flow(places, part);
            }
            for (&(row, share), part) in rows.iter().zip(part) {
                let before = if share.is_first { FlowSample::default() } else { out[row as usize] };
                out[row as usize] = FlowSample {
                    velocity: before.velocity + part.velocity * share.weight,
                    gradient: before.gradient + part.gradient * share.weight,
                };
            }
        });
    }

    /// Calls `sum` with the positions of each level, their rows, and the share of the level in the field
    /// there; with None if there is no field.
    fn by_level(
        &self,
        places: &[Vec3],
        outside: &[bool],
        reach: f32,
        mut sum: impl FnMut(Option<&LatticeLevel>, &[Vec3], &[(u8, LevelShare)]),
    ) {
        debug_assert!(places.len() <= BATCH && outside.len() == places.len());
        let mut levels = [(0, 0.0); BATCH];
        for ((found, place), _) in levels.iter_mut().zip(places).zip(outside).filter(|(_, outside)| **outside)
        {
            *found = self.level(*place, reach);
        }
        for level in 0..self.used.max(1) {
            let (mut chosen, mut rows, mut count) =
                ([Vec3::ZERO; BATCH], [(0_u8, LevelShare::ALL); BATCH], 0);
            for (row, (place, &(own, next))) in places.iter().zip(&levels).enumerate() {
                let is_mixed = own + 1 == level && next > 0.0;
                if outside[row] && (own == level || is_mixed) {
                    let weight = if is_mixed { next } else { 1.0 - next };
                    (chosen[count], rows[count]) =
                        (*place, (row as u8, LevelShare { weight, is_first: !is_mixed }));
                    count += 1;
                }
            }
            if count > 0 {
                sum(self.levels[..self.used].get(level), &chosen[..count], &rows[..count]);
            }
        }
    }
}

/// Share of a level in the field at a position.
#[derive(Debug, Clone, Copy)]
struct LevelShare {
    weight: f32,
    /// True for the finer level of two.
    is_first: bool,
}

impl LevelShare {
    const ALL: Self = Self { weight: 1.0, is_first: true };
}

impl LatticeLevel {
    fn new(settings: DirectSettings) -> Self {
        Self { dims: [0; 3], nodes: Vec::new(), starts: Vec::new(), cloud: SourceCloud::new(settings) }
    }

    /// Takes every second node of a finer lattice, plus half of each skipped neighbour. Rows `j` of planes
    /// `k` known to be without strength are skipped.
    fn coarsen(
        &mut self,
        exec: &dyn Executor,
        finer_dims: [usize; 3],
        finer: &[Vec4],
        has_row: &(impl Fn(usize, usize) -> bool + Sync),
    ) {
        self.dims = finer_dims.map(|n| n / 2 + 1);
        let [nx, ny, nz] = self.dims;
        self.nodes.resize(nx * ny * nz, Vec4::ZERO);
        self.starts.resize(1 + nz, 0);
        let columns = (Rows::new(&mut self.nodes, nx * ny), &mut self.starts[1..]);
        for_each_chunk_mut(exec, 1, columns, &|k, (plane, count): (&mut [Vec4], &mut [u32])| {
            plane.fill(Vec4::ZERO);
            let [fx, fy, fz] = finer_dims;
            for (kk, share) in left_out(k, fz) {
                for (j, row) in plane.chunks_exact_mut(nx).enumerate() {
                    for (jj, more) in left_out(j, fy).filter(|&(jj, _)| has_row(jj, kk)) {
                        add_coarsened(&finer[fx * (jj + fy * kk)..][..fx], share * more, row);
                    }
                }
            }
            count[0] = plane.iter().filter(|&node| has_strength(node)).count() as u32;
        });
        for k in 0..nz {
            self.starts[k + 1] += self.starts[k];
        }
    }

    /// Makes sources of the nodes with strength.
    fn publish(&mut self, exec: &dyn Executor, origin: Vec3, spacing: f32, unit: f32) {
        let ([nx, ny, _], nodes) = (self.dims, &self.nodes);
        // Capacity for all nodes: the number of nodes with strength changes from step to step.
        self.cloud.reserve(nodes.len());
        self.cloud.set_in_parts(exec, &self.starts, &|k| {
            let rows = nodes[k * nx * ny..][..nx * ny].chunks_exact(nx).enumerate();
            rows.flat_map(move |(j, nodes)| {
                let place = move |i: usize| Vec3::new(i as f32, j as f32, k as f32);
                let some = nodes.iter().enumerate().filter(|(_, node)| has_strength(node));
                some.map(move |(i, node)| (origin + place(i) * spacing, node.xyz() * unit))
            })
        });
    }
}

impl LatticeLevel {
    /// Makes sources of volume of the nodes with rates.
    fn publish_rates(&mut self, origin: Vec3, spacing: f32, unit: f32) {
        let [nx, ny, _] = self.dims;
        self.cloud.reserve_expansions(self.nodes.len());
        let some = self.nodes.iter().enumerate().filter(|(_, node)| node.w != 0.0);
        self.cloud.set_expansions(some.map(|(index, node)| {
            let [i, j, k] = [index % nx, index / nx % ny, index / (nx * ny)].map(|n| n as f32);
            (origin + Vec3::new(i, j, k) * spacing, node.w * unit)
        }));
    }
}

/// Iterates over the nodes of a finer lattice of `len` beside node `i` along an axis, ascending, with the
/// weight of each.
fn left_out(i: usize, len: usize) -> impl Iterator<Item = (usize, f32)> {
    let around = (2 * i).saturating_sub(1)..(2 * i + 2).min(len);
    around.map(|i| (i, if i.is_multiple_of(2) { 1.0 } else { 0.5 }))
}

/// Adds a row of a finer lattice, times `share`, to every second node of it.
fn add_coarsened(finer: &[Vec4], share: f32, row: &mut [Vec4]) {
    let (whole, half) = (Vec4::splat(share), Vec4::splat(0.5 * share));
    let len = row.len();
    // In ascending order, one by one: that is the order of the sum.
    for (i, node) in row.iter_mut().enumerate() {
        if i > 0 && i + 1 < len {
            let [below, here, above] = [finer[2 * i - 1], finer[2 * i], finer[2 * i + 1]];
            *node = *node + below * half + here * whole + above * half;
        } else {
            left_out(i, finer.len()).for_each(|(i, part)| *node += finer[i] * (part * share));
        }
    }
}

fn has_strength(node: &Vec4) -> bool {
    node.xyz() != Vec3::ZERO
}

fn is_source(node: &Vec4) -> bool {
    *node != Vec4::ZERO
}

impl Saved for FarField {
    fn save(&self, out: &mut Writer<'_>) {
        let Self { settings: _, low, high, spacing, levels, used, filled: _ } = self;
        [*low, *high].save(out);
        spacing.save(out);
        used.save(out);
        levels[..*used].iter().for_each(|level| level.cloud.save(out));
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        [self.low, self.high] = from.value()?;
        self.spacing.load(from)?;
        self.used = from.count(1)?;
        while self.levels.len() < self.used {
            self.levels.push(LatticeLevel::new(self.settings));
        }
        self.levels[..self.used].iter_mut().try_for_each(|level| level.cloud.load(from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use fluid_threads::{Serial, Shuffled};

    /// The definition: each node of a finer lattice, ascending, adds its part to each coarser node beside
    /// it.
    fn coarsened_one_by_one([fx, fy, fz]: [usize; 3], finer: &[Vec4]) -> Vec<Vec3> {
        let [nx, ny, nz] = [fx, fy, fz].map(|n| n / 2 + 1);
        let mut nodes = vec![Vec3::ZERO; nx * ny * nz];
        for (index, strength) in finer.iter().enumerate().filter(|(_, node)| has_strength(node)) {
            let [i, j, k] = [index % fx, index / fx % fy, index / (fx * fy)];
            let share: f32 = [i, j, k].iter().map(|v| if v % 2 == 0 { 1.0 } else { 0.5 }).product();
            let beside = |v: usize| v / 2..=v.div_ceil(2);
            for at in beside(k).flat_map(|k| beside(j).map(move |j| nx * (j + ny * k))) {
                beside(i).for_each(|i| nodes[at + i] += strength.xyz() * share);
            }
        }
        nodes
    }

    #[test]
    fn lattices_are_coarsened_as_one_by_one() {
        let random = Random::new(3);
        for (seed, dims) in [[8, 8, 8], [24, 8, 16], [5, 3, 9], [16, 1, 2]].into_iter().enumerate() {
            let node = |i: u64| match random.centred_vec3(2 * i) {
                some if some.x < 0.2 => random.centred_vec3(2 * i + 1).extend(some.z),
                none => Vec4::new(0.0, -0.0, 0.0, none.z),
            };
            let finer: Vec<Vec4> = (0..dims.iter().product::<usize>() as u64).map(node).collect();
            let bits = |node: Vec3| node.to_array().map(f32::to_bits);
            let expected: Vec<_> = coarsened_one_by_one(dims, &finer).into_iter().map(bits).collect();
            for exec in [&Serial as &dyn Executor, &Shuffled::new(seed as u64)] {
                let mut level = LatticeLevel::new(DirectSettings {
                    kernel: Default::default(),
                    core_radius: 1.0,
                    instruction_set: Default::default(),
                    precision: crate::lanes::Precision::Exact,
                });
                level.nodes = vec![Vec4::ONE; 3];
                let has_strength = |j: usize, k: usize| {
                    finer[dims[0] * (j + dims[1] * k)..][..dims[0]].iter().any(has_strength)
                };
                level.coarsen(exec, dims, &finer, &has_strength);
                assert_eq!(level.nodes.iter().map(|node| bits(node.xyz())).collect::<Vec<_>>(), expected);
            }
        }
    }
}
