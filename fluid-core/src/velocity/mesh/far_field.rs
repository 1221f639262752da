//! The field outside of the box: the deposited strengths, coarsened on ever wider lattices, summed directly
//! (E26).

use crate::grid::GridShape;
use crate::velocity::direct::{DirectSettings, SourceCloud};
use crate::velocity::{FlowSample, VelocityField};
use glam::{Vec3, Vec4};

/// The cloud on lattices of 2, 4, 8, ... spacings. The farther a place is from the box, the wider the lattice
/// that it listens to; sums and first moments are the same on all of them, and isotropic second moments do
/// not matter to a harmonic field.
#[derive(Debug, Clone)]
pub(super) struct FarField {
    settings: DirectSettings,
    /// Where sources are \[m\].
    low: Vec3,
    high: Vec3,
    spacing: f32,
    levels: Vec<Level>,
    /// Levels in use; the memory of the others waits.
    used: usize,
}

/// One lattice.
#[derive(Debug, Clone)]
struct Level {
    dims: [usize; 3],
    nodes: Vec<Vec3>,
    cloud: SourceCloud,
}

/// A lattice is listened to from this many of its spacings away from the nearest source.
const REACH: f32 = 1.0;
/// No lattice is coarser than this many nodes along its longest axis.
const COARSEST: usize = 4;
/// Places that are summed together.
const BATCH: usize = 64;

impl FarField {
    pub(super) fn new(settings: DirectSettings) -> Self {
        Self { settings, low: Vec3::ZERO, high: Vec3::ZERO, spacing: 1.0, levels: Vec::new(), used: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.used = 0;
    }

    /// Becomes equal to `other`, as far as sampling goes; allocates only to grow.
    pub(super) fn copy_from(&mut self, other: &Self) {
        (self.low, self.high, self.spacing, self.used) = (other.low, other.high, other.spacing, other.used);
        while self.levels.len() < other.used {
            self.levels.push(Level::new(self.settings));
        }
        for (own, other) in self.levels.iter_mut().zip(&other.levels[..other.used]) {
            own.cloud.copy_from(&other.cloud);
        }
    }

    /// Coarsens the deposited strengths \[`unit` m³/s\].
    pub(super) fn set(&mut self, shape: &GridShape, source: &[Vec4], unit: f32) {
        self.used = 0;
        self.spacing = shape.spacing();
        let mut dims = shape.dims_usize();
        while dims.iter().any(|&n| n > COARSEST) {
            if self.levels.len() == self.used {
                self.levels.push(Level::new(self.settings));
            }
            let (done, rest) = self.levels.split_at_mut(self.used);
            match done.last() {
                None => rest[0].coarsen(dims, &|node| source[node].truncate()),
                Some(finer) => rest[0].coarsen(dims, &|node| finer.nodes[node]),
            }
            dims = rest[0].dims;
            self.used += 1;
            let spacing = self.spacing * (1_u32 << self.used) as f32;
            rest[0].publish(shape.origin(), spacing, unit);
        }
        (self.low, self.high) = bounds(shape, source);
    }

    /// The level that a place \[m\] outside of the box listens to.
    fn level(&self, place: Vec3) -> usize {
        let away = (self.low - place).max(place - self.high).max(Vec3::ZERO);
        // Far away the square may overflow: then the coarsest level is right.
        let spacings = away.length() / (REACH * self.spacing);
        let mut level = 0;
        while level + 1 < self.used && spacings >= (2_u32 << (level + 1)) as f32 {
            level += 1;
        }
        level
    }

    /// Overwrites `out` where `outside` is true.
    pub(super) fn velocities(&self, places: &[Vec3], outside: &[bool], out: &mut [Vec3]) {
        self.by_level(places, outside, |level, places, rows| {
            let mut part = [Vec3::ZERO; BATCH];
            let part = &mut part[..places.len()];
            if let Some(level) = level {
                level.cloud.velocities(places, part);
            }
            rows.iter().zip(part).for_each(|(&row, part)| out[row as usize] = *part);
        });
    }

    /// Overwrites `out` where `outside` is true.
    pub(super) fn flow(&self, places: &[Vec3], outside: &[bool], out: &mut [FlowSample]) {
        self.by_level(places, outside, |level, places, rows| {
            let mut part = [FlowSample::default(); BATCH];
            let part = &mut part[..places.len()];
            if let Some(level) = level {
                level.cloud.flow(places, part);
            }
            rows.iter().zip(part).for_each(|(&row, part)| out[row as usize] = *part);
        });
    }

    /// Calls `sum` with the places of each level and their rows; with None where there is no field.
    fn by_level(
        &self,
        places: &[Vec3],
        outside: &[bool],
        mut sum: impl FnMut(Option<&Level>, &[Vec3], &[u8]),
    ) {
        debug_assert!(places.len() <= BATCH && outside.len() == places.len());
        for level in 0..self.used.max(1) {
            let (mut chosen, mut rows, mut count) = ([Vec3::ZERO; BATCH], [0_u8; BATCH], 0);
            for (row, place) in places.iter().enumerate() {
                if outside[row] && self.level(*place) == level {
                    (chosen[count], rows[count]) = (*place, row as u8);
                    count += 1;
                }
            }
            if count > 0 {
                sum(self.levels[..self.used].get(level), &chosen[..count], &rows[..count]);
            }
        }
    }
}

impl Level {
    fn new(settings: DirectSettings) -> Self {
        Self { dims: [0; 3], nodes: Vec::new(), cloud: SourceCloud::new(settings) }
    }

    /// Every second node of a finer lattice, which gets half of each neighbour that is left out.
    fn coarsen(&mut self, finer_dims: [usize; 3], finer: &impl Fn(usize) -> Vec3) {
        let [fx, fy, _] = finer_dims;
        self.dims = finer_dims.map(|n| n / 2 + 1);
        let [nx, ny, nz] = self.dims;
        self.nodes.clear();
        self.nodes.resize(nx * ny * nz, Vec3::ZERO);
        for k in 0..finer_dims[2] {
            for j in 0..fy {
                for i in 0..fx {
                    let strength = finer(i + fx * (j + fy * k));
                    if strength == Vec3::ZERO {
                        continue;
                    }
                    let share = |odd: usize| if odd == 0 { 1.0 } else { 0.5 };
                    let part = strength * (share(i % 2) * share(j % 2) * share(k % 2));
                    for kk in k / 2..=k.div_ceil(2) {
                        for jj in j / 2..=j.div_ceil(2) {
                            for ii in i / 2..=i.div_ceil(2) {
                                self.nodes[ii + nx * (jj + ny * kk)] += part;
                            }
                        }
                    }
                }
            }
        }
    }

    /// Makes the nodes that have strength sources.
    fn publish(&mut self, origin: Vec3, spacing: f32, unit: f32) {
        let [nx, ny, _] = self.dims;
        let place = |index: usize| {
            Vec3::new((index % nx) as f32, (index / nx % ny) as f32, (index / (nx * ny)) as f32)
        };
        // Room for all nodes: how many have strength changes from step to step.
        self.cloud.reserve(self.nodes.len());
        let rows = self.nodes.iter().enumerate().filter(|(_, strength)| **strength != Vec3::ZERO);
        self.cloud
            .set_from(rows.map(|(index, strength)| (origin + place(index) * spacing, *strength * unit)));
    }
}

/// Bounds of the nodes that have strength \[m\].
fn bounds(shape: &GridShape, source: &[Vec4]) -> (Vec3, Vec3) {
    let [nx, ny, nz] = shape.dims_usize();
    let (mut low, mut high) = (Vec3::splat(nx.max(ny).max(nz) as f32), Vec3::ZERO);
    for (row, nodes) in source.chunks(nx).enumerate() {
        let some = |node: &Vec4| node.truncate() != Vec3::ZERO;
        let Some(from) = nodes.iter().position(some) else { continue };
        let to = nodes.iter().rposition(some).unwrap_or(from);
        let at = |i: usize| Vec3::new(i as f32, (row % ny) as f32, (row / ny) as f32);
        (low, high) = (low.min(at(from)), high.max(at(to)));
    }
    (shape.origin() + low * shape.spacing(), shape.origin() + high * shape.spacing())
}
