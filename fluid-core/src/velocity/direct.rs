//! The sources of the direct sum (E2, E4): exact for its kernel, O(targets × sources).

use super::expansion::{Expanded, ExpansionJob, Expansions, SUM_REACH};
use super::kernel::{Kernel, RigidCore, RosenheadMoore, WinckelmansLeonard};
use super::source_groups::{NearAndFar, SelectedGroups, SourceGroup, box_of_rows, most_pseudo_vortons};
use super::strength_scale::StrengthScale;
use super::target_ball::TargetBall;
use super::tree::{Near, SourceTree};
use super::{FlowSample, Sources, VelocityField};
use crate::constants::{DIRECT_CHUNK, SOURCE_TILE};
use crate::lanes::{BLOCK, InstructionSet, Job, Precision, dispatch, dispatch_exact};
use crate::math::{Vec3Columns, distance_from_box};
use fluid_threads::{Executor, Parts, Serial, for_each_chunk_mut};
use glam::Vec3;

mod by_tree;
mod fixed;
mod groups;
mod rows;
#[cfg(test)]
mod source_tests;
mod sums;

/// Number of positions whose velocities are added together.
const BATCH: usize = 16 * BLOCK;

pub(super) use by_tree::{MANY_STRAYS, TreeSums};
pub(crate) use groups::PartedRows;
pub(super) use sums::{Factors, velocity_block};
use sums::{FlowJob, PotentialJob, VelocityJob};

/// Parameters of the direct sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DirectSettings {
    /// Smoothing kernel.
    pub kernel: Kernel,
    /// Core radius σ \[m\], inside [`crate::constants::CORE_RADIUS_RANGE`].
    pub core_radius: f32,
    /// Instruction set to use.
    pub instruction_set: InstructionSet,
    /// Exact or fast arithmetic.
    pub precision: Precision,
}

impl DirectSettings {
    /// Returns the distance \[m\] from which cores act like points.
    pub(super) fn like_points_from(&self) -> f32 {
        self.kernel.like_points_from() * self.core_radius
    }
}

/// A frozen cloud of vortons, ready to be summed.
///
/// Lengths are multiplied by the power of two next to 1/σ. That is exact, and it keeps every power of σ and
/// r that the kernel needs inside f32, for every unit of length (validation B8). Strengths are multiplied
/// by the power of two next to 1/(the largest of them), which is also exact: products of weak ones would be
/// denormal numbers, with which processors are up to thirty times slower.
#[derive(Debug, Clone)]
pub struct SourceCloud {
    settings: DirectSettings,
    /// Sources, then the pseudo-vortons of groups.
    positions: Vec3Columns,
    strengths: Vec3Columns,
    /// In the order of their sources.
    groups: Vec<SourceGroup>,
    /// Number of pseudo-vortons.
    pseudo: usize,
    scale: f32,
    core2: f32,
    /// Factor on the sums that undoes the scale of strengths: a power of two.
    unit: f32,
    /// Sources of volume, beside the vortons.
    expansions: Expansions,
    /// Tree of the vortons, which are in no groups and in its order then; empty if they are summed.
    tree: SourceTree,
    /// Rows of sources too far away to have an effect, if only strengths change.
    unreached: Vec<u32>,
}

crate::saved::fields!(SourceCloud {
    positions, strengths, groups, pseudo, unit, expansions, tree,
} not { settings, scale, core2, unreached } check are_columns);

impl SourceCloud {
    /// Returns true if both columns have the same length, and rows of groups exist.
    fn are_columns(&self) -> bool {
        let count = self.positions.len();
        count == self.strengths.len()
            && self.pseudo == self.groups.iter().map(SourceGroup::pseudo_vortons).sum()
            && self.pseudo <= count
            && self.groups.iter().all(|group| group.is_within(count - self.pseudo, count))
            && self.groups.is_sorted_by(SourceGroup::is_before)
            && self.tree.is_of(count)
    }

    /// Creates an empty cloud: velocity is zero everywhere.
    pub fn new(settings: DirectSettings) -> Self {
        // Round-to-nearest power of two by truncating the exponent of 1/(σ/√2).
        let exponent = (std::f32::consts::SQRT_2 / settings.core_radius).to_bits() >> 23;
        let scale = f32::from_bits(exponent << 23);
        let core = settings.core_radius * scale;
        Self {
            settings,
            positions: Vec3Columns::default(),
            strengths: Vec3Columns::default(),
            groups: Vec::new(),
            pseudo: 0,
            scale,
            core2: core * core,
            unit: 1.0,
            expansions: Expansions::default(),
            tree: SourceTree::default(),
            unreached: Vec::new(),
        }
    }

    /// Reserves memory, so that later calls of [`set`](Self::set) with at most `capacity` vortons do not
    /// allocate.
    pub fn reserve(&mut self, capacity: usize) {
        self.positions.reserve(capacity);
        self.strengths.reserve(capacity);
    }

    /// Reserves memory, so that later calls of [`set_expansions`](Self::set_expansions) with at most
    /// `capacity` sources do not allocate.
    pub fn reserve_expansions(&mut self, capacity: usize) {
        self.expansions.reserve(capacity);
    }

    /// Copies `other`; allocates only to grow.
    pub fn copy_from(&mut self, other: &Self) {
        self.expansions.copy_from(&other.expansions);
        self.settings = other.settings;
        let pseudo = other.groups.iter().map(|group| most_pseudo_vortons(&group.grouped_rows().rows));
        self.reserve(other.len() + pseudo.sum::<usize>());
        self.positions.copy_from(&other.positions);
        self.strengths.copy_from(&other.strengths);
        self.groups.clone_from(&other.groups);
        self.pseudo = other.pseudo;
        self.scale = other.scale;
        self.core2 = other.core2;
        self.unit = other.unit;
        self.tree.copy_from(&other.tree);
    }

    /// Returns the settings with which it was made.
    pub fn settings(&self) -> DirectSettings {
        self.settings
    }

    /// Returns the number of vortons in the cloud.
    pub fn len(&self) -> usize {
        self.positions.len() - self.pseudo
    }

    /// Returns true if there are no vortons and no sources of volume.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty() && self.expansions.is_empty()
    }

    /// Returns true if no vorton has strength and nothing expands: velocity is zero at every finite position.
    pub fn is_silent(&self) -> bool {
        let Vec3Columns { x, y, z } = &self.strengths;
        self.expansions.is_empty() && [x, y, z].into_iter().flatten().all(|&strength| strength == 0.0)
    }

    /// Replaces the cloud by these vortons: positions \[m\], strengths \[m³/s\]; without sources of volume.
    /// A vorton that is not finite, or too far away to have an effect (10¹⁸ σ), gets zero strength, so that
    /// it cannot spoil the velocity of the others.
    ///
    /// # Panics
    /// If the columns differ in length.
    pub fn set(&mut self, positions: &Vec3Columns, strengths: &Vec3Columns) {
        assert_eq!(positions.len(), strengths.len(), "one strength for each position");
        self.positions.copy_from(positions);
        self.strengths.copy_from(strengths);
        self.take_units();
    }

    /// Replaces the sources of volume (E61): positions \[m\] and rates of expansion \[m³/s\]. Those that are
    /// not finite, too far away to have an effect, or without a rate are left out.
    pub fn set_expansions(&mut self, sources: impl Iterator<Item = (Vec3, f32)>) {
        self.expansions.set(self.scale, sources);
    }

    /// Replaces the cloud by the sources outside of groups that are summed apart, with these strengths;
    /// without sources of volume.
    pub(super) fn set_together(&mut self, sources: &Sources, strengths: &Vec3Columns) {
        let positions = &sources.positions;
        if sources.groups_apart().next().is_none() {
            return self.set(positions, strengths);
        }
        let rows = sources.rows_together(sources.len()).flatten();
        self.set_from(rows.map(|row| (positions.get(row), strengths.get(row))));
    }

    /// Returns a source, or a pseudo-vorton: position \[m\] and strength \[m³/s\].
    pub(super) fn source(&self, row: usize) -> (Vec3, Vec3) {
        (self.unscaled(self.positions.get(row)), self.strengths.get(row) * self.unit)
    }

    /// Returns a position \[m\] in the cloud's unit.
    pub(super) fn scaled(&self, position: Vec3) -> Vec3 {
        position * self.scale
    }

    /// Returns the position \[m\] of one in the cloud's unit.
    pub(super) fn unscaled(&self, position: Vec3) -> Vec3 {
        position / self.scale
    }

    /// Returns a ball \[m\] in the cloud's unit.
    pub(super) fn ball_in_its_unit(&self, centre: Vec3, radius: f32) -> TargetBall {
        TargetBall { centre: self.scaled(centre), radius: radius * self.scale }
    }

    /// Returns the distance \[m\] of a point from the box around all vortons, and 0 if there are sources of
    /// volume.
    pub(super) fn distance(&self, place: Vec3) -> f32 {
        if self.expands() {
            return 0.0;
        }
        let (low, high) = box_of_rows(0..self.len(), &self.positions);
        distance_from_box(self.scaled(place), low, high) / self.scale
    }

    /// Returns true if there are sources of volume.
    pub(super) fn expands(&self) -> bool {
        !self.expansions.is_empty()
    }

    /// As [`set`](Self::set), from pairs of position and strength.
    pub fn set_from(&mut self, vortons: impl Iterator<Item = (Vec3, Vec3)>) {
        self.positions.clear();
        self.strengths.clear();
        vortons.for_each(|(position, strength)| {
            self.positions.push(position);
            self.strengths.push(strength);
        });
        self.take_units();
    }

    /// Shifts the origin of the coordinates to `origin` \[m\].
    pub fn shift_origin(&mut self, origin: Vec3) {
        self.positions.shift_origin(origin * self.scale);
        self.groups.iter_mut().for_each(|group| group.shift_origin(origin * self.scale));
        self.expansions.shift_origin(origin * self.scale);
        self.tree.shift_origin(origin * self.scale);
    }

    /// Converts positions \[m\] and strengths \[m³/s\] to the cloud's units, and sets the strength of
    /// vortons that are not finite or too far away to zero.
    fn take_units(&mut self) {
        self.expansions.clear();
        self.forget_groups();
        bring_to_reach(self.scale, slices(&mut self.positions), slices(&mut self.strengths));
        self.scale_strengths(&Serial);
    }

    fn scale_strengths(&mut self, exec: &dyn Executor) {
        let scale = StrengthScale::of_columns(exec, &self.strengths);
        self.unit = scale.unit;
        self.strengths
            .update(exec, &|_, strength| Vec3::from_array(strength.to_array().map(|v| scale.scaled(v))));
    }

    /// As [`set`](Self::set), in parallel: takes from each `part` as many pairs of position and strength as
    /// lie between two consecutive `starts`.
    ///
    /// # Panics
    /// If a part has fewer.
    pub(super) fn set_in_parts<I: Iterator<Item = (Vec3, Vec3)>>(
        &mut self,
        exec: &dyn Executor,
        starts: &[u32],
        part: &(impl Fn(usize) -> I + Sync),
    ) {
        let count = starts.last().map_or(0, |&end| end as usize);
        self.expansions.clear();
        self.forget_groups();
        self.positions.resize(count);
        self.strengths.resize(count);
        let scale = self.scale;
        let [x, y, z] = slices(&mut self.positions).map(|column| Parts::new(column, starts));
        let [sx, sy, sz] = slices(&mut self.strengths).map(|column| Parts::new(column, starts));
        for_each_chunk_mut(exec, 1, ((x, y, z), (sx, sy, sz)), &|number, ((x, y, z), (sx, sy, sz))| {
            let (x, y, z): (&mut [f32], &mut [f32], &mut [f32]) = (x, y, z);
            let (sx, sy, sz): (&mut [f32], &mut [f32], &mut [f32]) = (sx, sy, sz);
            let mut pairs = part(number);
            for i in 0..x.len() {
                let (position, strength) = pairs.next().expect("as many as there are places for");
                ((x[i], y[i], z[i]), (sx[i], sy[i], sz[i])) = (position.into(), strength.into());
            }
            bring_to_reach(scale, [x, y, z], [sx, sy, sz]);
        });
        self.scale_strengths(exec);
    }

    /// Returns its columns as scratch: [`set`](Self::set) makes them a cloud again.
    pub(super) fn columns_mut(&mut self) -> [&mut Vec3Columns; 2] {
        [&mut self.positions, &mut self.strengths]
    }

    /// Writes the vortons back to `sources`, from which the cloud was made; ineffective ones with zero
    /// strength.
    pub(super) fn write_to(&self, sources: &mut Sources) {
        let (per_scale, unit) = (1.0 / self.scale, self.unit);
        // The mirrors are unchanged.
        sources.forget_groups();
        let Sources { positions, strengths, .. } = sources;
        positions.copy_from(&self.positions);
        strengths.copy_from(&self.strengths);
        for (from, &row) in self.tree.rows().iter().enumerate() {
            positions.set(row as usize, self.positions.get(from));
            strengths.set(row as usize, self.strengths.get(from));
        }
        positions.truncate(self.len());
        strengths.truncate(self.len());
        for (columns, factor) in [(positions, per_scale), (strengths, unit)] {
            let Vec3Columns { x, y, z } = columns;
            [x, y, z].into_iter().flatten().for_each(|v| *v *= factor);
        }
    }

    /// Computes the velocity \[m/s\] at each position \[m\], in parallel; `out` is resized.
    pub fn velocities_in_parallel(&self, exec: &dyn Executor, positions: &[Vec3], out: &mut Vec<Vec3>) {
        out.clear();
        out.resize(positions.len(), Vec3::ZERO);
        for_each_chunk_mut(exec, DIRECT_CHUNK, out.as_mut_slice(), &|first, out: &mut [Vec3]| {
            self.velocities(&positions[first..first + out.len()], out);
        });
    }

    /// Adds the velocity of sources of volume, or that and its gradient, to each sample.
    pub(super) fn add_expansion<O: Expanded>(&self, position: &dyn Fn(usize) -> Vec3, out: &mut [O]) {
        if self.expansions.is_empty() {
            return;
        }
        let (expansions, units) = (&self.expansions, (self.scale, self.core2));
        match self.settings.kernel {
            Kernel::WinckelmansLeonard => {
                self.run_exact(ExpansionJob::<WinckelmansLeonard, _>::new(expansions, units, position, out))
            }
            Kernel::RosenheadMoore => {
                self.run_exact(ExpansionJob::<RosenheadMoore, _>::new(expansions, units, position, out))
            }
            Kernel::RigidCore => {
                self.run_exact(ExpansionJob::<RigidCore, _>::new(expansions, units, position, out))
            }
        }
    }

    /// Adds velocity and gradient of sources of volume to the flow at each position, in parallel, and writes
    /// that velocity to `velocities`.
    pub(super) fn add_expansion_in_parallel(
        &self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        flow: &mut [FlowSample],
        velocities: &mut [Vec3],
    ) {
        for_each_chunk_mut(exec, DIRECT_CHUNK, (flow, velocities), &|start, (flow, velocities)| {
            let (flow, velocities): (&mut [FlowSample], &mut [Vec3]) = (flow, velocities);
            velocities.iter_mut().zip(&*flow).for_each(|(before, sample)| *before = sample.velocity);
            self.add_expansion(&|i| positions.get(start + i), flow);
            velocities
                .iter_mut()
                .zip(flow)
                .for_each(|(velocity, sample)| *velocity = sample.velocity - *velocity);
        });
    }

    /// Adds velocity and gradient at each position, in parallel.
    pub(super) fn add_flow_in_parallel(
        &self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        flow: &mut [FlowSample],
    ) {
        if self.is_empty() {
            return;
        }
        for_each_chunk_mut(exec, DIRECT_CHUNK, flow, &|first, flow: &mut [FlowSample]| {
            self.add_flow_at(&|i| positions.get(first + i), flow);
        });
    }

    /// Adds velocity and gradient at each position.
    pub(super) fn add_flow(&self, positions: &[Vec3], flow: &mut [FlowSample]) {
        if !self.is_empty() {
            self.add_flow_at(&|i| positions[i], flow);
        }
    }

    fn add_flow_at(&self, position: &dyn Fn(usize) -> Vec3, flow: &mut [FlowSample]) {
        for (batch, flow) in flow.chunks_mut(BATCH).enumerate() {
            let mut more = [FlowSample::default(); BATCH];
            let more = &mut more[..flow.len()];
            self.flow_at(&|i| position(batch * BATCH + i), more);
            for (all, more) in flow.iter_mut().zip(more) {
                all.velocity += more.velocity;
                all.gradient += more.gradient;
            }
        }
    }

    /// Adds the velocity \[m/s\] at each position, of the selected groups.
    pub(super) fn add_velocities(&self, selected: SelectedGroups, positions: &[Vec3], out: &mut [Vec3]) {
        if self.is_empty() {
            return;
        }
        for (positions, out) in positions.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            let mut more = [Vec3::ZERO; BATCH];
            let more = &mut more[..out.len()];
            self.velocities_of(self.settings.kernel, selected, positions, more);
            out.iter_mut().zip(more).for_each(|(all, more)| *all += *more);
        }
    }

    /// Computes the velocity \[m/s\] by this kernel at each position, of the selected groups.
    pub(super) fn velocities_of(
        &self,
        kernel: Kernel,
        selected: SelectedGroups,
        positions: &[Vec3],
        out: &mut [Vec3],
    ) {
        self.velocities_without_expansion(kernel, selected, positions, out);
        self.add_expansion(&|i| positions[i], out);
    }

    /// As [`velocities_of`](Self::velocities_of), without those of sources of volume.
    fn velocities_without_expansion(
        &self,
        kernel: Kernel,
        selected: SelectedGroups,
        positions: &[Vec3],
        out: &mut [Vec3],
    ) {
        if self.is_seen_anew(&selected) {
            return self.for_each_group(positions.len(), &|i| positions[i], &mut |rows, view| {
                let (positions, out) = (&positions[rows.clone()], &mut out[rows]);
                self.velocities_without_expansion(kernel, selected.seen(view), positions, out);
                self.add_far_velocities(view, positions, out);
            });
        }
        match kernel {
            Kernel::WinckelmansLeonard => {
                self.run(VelocityJob::<WinckelmansLeonard>::new(self, selected, positions, out))
            }
            Kernel::RosenheadMoore => {
                self.run(VelocityJob::<RosenheadMoore>::new(self, selected, positions, out))
            }
            Kernel::RigidCore => self.run(VelocityJob::<RigidCore>::new(self, selected, positions, out)),
        }
    }

    /// Computes velocity and gradient at each position, in parallel, without those of sources of volume.
    pub fn flow_in_parallel(&self, exec: &dyn Executor, positions: &Vec3Columns, out: &mut [FlowSample]) {
        for_each_chunk_mut(exec, DIRECT_CHUNK, out, &|start, out: &mut [FlowSample]| {
            self.flow_at(&|i| positions.get(start + i), out);
        });
    }

    /// As [`flow_in_parallel`](Self::flow_in_parallel), with the vector potential ψ \[m²/s\] at each
    /// position (E8).
    pub(crate) fn flow_and_potential_in_parallel(
        &self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        flow: &mut [FlowSample],
        potentials: &mut [Vec3],
    ) {
        for_each_chunk_mut(exec, DIRECT_CHUNK, (flow, potentials), &|start, (flow, potentials)| {
            self.flow_and_potentials_at(&|i| positions.get(start + i), flow, potentials);
        });
    }

    fn flow_and_potentials_at(
        &self,
        place: &dyn Fn(usize) -> Vec3,
        flow: &mut [FlowSample],
        potentials: &mut [Vec3],
    ) {
        let selected = match self.has_tree() {
            true => SelectedGroups::ALL.seen(self.view_from(flow.len(), place)),
            false => SelectedGroups::ALL,
        };
        match self.settings.kernel {
            Kernel::WinckelmansLeonard => {
                self.run(FlowJob::<WinckelmansLeonard, true>::new(self, place, flow, potentials).of(selected))
            }
            Kernel::RosenheadMoore => {
                self.run(FlowJob::<RosenheadMoore, true>::new(self, place, flow, potentials).of(selected))
            }
            Kernel::RigidCore => {
                self.run(FlowJob::<RigidCore, true>::new(self, place, flow, potentials).of(selected))
            }
        }
        if let Some(view) = selected.view {
            self.add_far_flow(view, place, flow, potentials);
        }
    }

    /// Computes the vector potential ψ \[m²/s\] (E8) at the positions from row `first` on, in parallel.
    pub fn potential_in_parallel(
        &self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        first: usize,
        out: &mut [Vec3],
    ) {
        for_each_chunk_mut(exec, DIRECT_CHUNK, out, &|start, out: &mut [Vec3]| {
            self.potentials_at(&|i| positions.get(first + start + i), out);
        });
    }

    fn potentials_at(&self, place: &dyn Fn(usize) -> Vec3, out: &mut [Vec3]) {
        self.potentials_of(self.settings.kernel, SelectedGroups::ALL, place, out);
    }

    /// Computes the vector potential ψ \[m²/s\] (E8) by this kernel at each position, of the selected groups.
    pub(super) fn potentials_of(
        &self,
        kernel: Kernel,
        selected: SelectedGroups,
        position: &dyn Fn(usize) -> Vec3,
        out: &mut [Vec3],
    ) {
        if self.is_seen_anew(&selected) {
            return self.for_each_group(out.len(), position, &mut |rows, view| {
                let (first, out) = (rows.start, &mut out[rows]);
                let position: &dyn Fn(usize) -> Vec3 = &|i| position(first + i);
                self.potentials_of(kernel, selected.seen(view), position, out);
                self.add_far_potentials(view, position, out);
            });
        }
        match kernel {
            Kernel::WinckelmansLeonard => {
                self.run_exact(PotentialJob::<WinckelmansLeonard>::new(self, selected, position, out))
            }
            Kernel::RosenheadMoore => {
                self.run_exact(PotentialJob::<RosenheadMoore>::new(self, selected, position, out))
            }
            Kernel::RigidCore => {
                self.run_exact(PotentialJob::<RigidCore>::new(self, selected, position, out))
            }
        }
    }

    fn flow_at(&self, position: &dyn Fn(usize) -> Vec3, out: &mut [FlowSample]) {
        self.flow_of(SelectedGroups::ALL, position, out);
    }

    /// Computes velocity and gradient at each position, of the selected groups, without those of sources of
    /// volume.
    fn flow_of(&self, selected: SelectedGroups, position: &dyn Fn(usize) -> Vec3, out: &mut [FlowSample]) {
        if self.is_seen_anew(&selected) {
            return self.for_each_group(out.len(), position, &mut |rows, view| {
                let (first, out) = (rows.start, &mut out[rows]);
                let position: &dyn Fn(usize) -> Vec3 = &|i| position(first + i);
                self.flow_of(selected.seen(view), position, out);
                self.add_far_flow(view, position, out, &mut []);
            });
        }
        match self.settings.kernel {
            Kernel::WinckelmansLeonard => {
                self.run(FlowJob::<WinckelmansLeonard, false>::new(self, position, out, &mut []).of(selected))
            }
            Kernel::RosenheadMoore => {
                self.run(FlowJob::<RosenheadMoore, false>::new(self, position, out, &mut []).of(selected))
            }
            Kernel::RigidCore => {
                self.run(FlowJob::<RigidCore, false>::new(self, position, out, &mut []).of(selected))
            }
        }
    }

    pub(super) fn run(&self, job: impl Job) {
        dispatch(self.settings.instruction_set, self.settings.precision, job);
    }

    /// As [`run`](Self::run), exact with either precision: half as much code, for sums that take little of a
    /// step.
    pub(super) fn run_exact(&self, job: impl Job) {
        dispatch_exact(self.settings.instruction_set, job);
    }

    /// Returns the ranges of rows of the selected groups that act on the targets of a block: if a tree sees
    /// them those near them.
    #[inline(always)]
    fn tiles_of<'a>(&'a self, selected: &'a SelectedGroups, targets: &[[f32; BLOCK]; 3]) -> Tiles<'a> {
        if let Some(view) = selected.view {
            return Tiles::OfTree(self.tree.near(view, SOURCE_TILE));
        }
        let ball = if self.groups.is_empty() { TargetBall::default() } else { TargetBall::of(targets) };
        Tiles::OfGroups(NearAndFar::new((&self.groups, selected), ball, self.len(), SOURCE_TILE))
    }

    /// Iterates over a tile's six columns as equally long slices, so that the inner loop needs no bounds
    /// checks.
    #[inline(always)]
    fn tile(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = [f32; 6]> {
        let (p, a) = (&self.positions, &self.strengths);
        let xyz = p.x[range.clone()].iter().zip(&p.y[range.clone()]).zip(&p.z[range.clone()]);
        let strength = a.x[range.clone()].iter().zip(&a.y[range.clone()]).zip(&a.z[range]);
        xyz.zip(strength).map(|(((x, y), z), ((ax, ay), az))| [*x, *y, *z, *ax, *ay, *az])
    }
}

/// Ranges of rows of at most [`SOURCE_TILE`] sources.
enum Tiles<'a> {
    OfGroups(NearAndFar<'a>),
    OfTree(Near<'a>),
}

impl Iterator for Tiles<'_> {
    type Item = std::ops::Range<usize>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::OfGroups(tiles) => tiles.next(),
            Self::OfTree(tiles) => tiles.next(),
        }
    }
}

impl VelocityField for SourceCloud {
    fn flow(&self, positions: &[Vec3], out: &mut [FlowSample]) {
        assert_eq!(positions.len(), out.len(), "one flow sample for each position");
        self.flow_at(&|i| positions[i], out);
        self.add_expansion(&|i| positions[i], out);
    }

    fn velocities(&self, positions: &[Vec3], out: &mut [Vec3]) {
        assert_eq!(positions.len(), out.len(), "one velocity for each position");
        self.velocities_of(self.settings.kernel, SelectedGroups::ALL, positions, out);
    }
}

/// Scales positions \[m\] to units of 1/`scale`, and sets the strength of vortons that are not finite or
/// too far away to zero.
fn bring_to_reach(scale: f32, [x, y, z]: [&mut [f32]; 3], [sx, sy, sz]: [&mut [f32]; 3]) {
    let len = x.len();
    let ([x, y, z], [sx, sy, sz]) =
        ([x, y, z].map(|column| &mut column[..len]), [sx, sy, sz].map(|column| &mut column[..len]));
    for i in 0..len {
        let position = [x[i], y[i], z[i]].map(|v| v * scale);
        // NaN fails the comparisons. The position does not depend on the strength, so that pair factors can
        // be reused.
        let in_reach = position.map(|v| v.abs() <= SUM_REACH).into_iter().fold(true, |all, one| all & one);
        let finite = [sx[i], sy[i], sz[i]].map(f32::is_finite).into_iter().fold(true, |all, one| all & one);
        [x[i], y[i], z[i]] = position.map(|v| if in_reach { v } else { 0.0 });
        [sx[i], sy[i], sz[i]] = [sx[i], sy[i], sz[i]].map(|v| if in_reach & finite { v } else { 0.0 });
    }
}

fn slices(Vec3Columns { x, y, z }: &mut Vec3Columns) -> [&mut [f32]; 3] {
    [x, y, z].map(Vec::as_mut_slice)
}
