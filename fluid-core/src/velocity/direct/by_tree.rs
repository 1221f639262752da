//! Sums over a cloud with a tree (E76): sources near a block of targets one by one, far cells by a local
//! expansion about the targets.

use super::SourceCloud;
use crate::lanes::{BLOCK, Job, Lanes, dispatch_exact, load_each};
use crate::velocity::expansion::{SUM_REACH, target_block};
use crate::velocity::source_groups::SelectedGroups;
use crate::velocity::target_ball::TargetBall;
use crate::velocity::tree::{SourceTree, TreeView, flow, potential, velocity, with_spare};
use crate::velocity::{FlowSample, Sources};
use fluid_threads::{Executor, Parts, for_each_chunk_mut};
use glam::{Mat3, Vec3};
use std::f32::consts::PI;
use std::ops::Range;

/// Blocks of targets for one task.
const BLOCKS: usize = 4;

/// Number of positions for which a tree is searched together at most \[1\].
const TOGETHER: usize = 256;

/// Sources that are summed at positions up to which these are not divided further, and the part by which they
/// may be more than those at one of them \[1\].
const FEW_NEAR: usize = 128;
const MORE_NEAR: usize = 4;

/// Largest coordinate of a target.
const REACH: Vec3 = Vec3::splat(SUM_REACH);

/// Least sources beside a mesh that are summed by a tree \[1\].
pub(in crate::velocity) const MANY_STRAYS: usize = 192;

/// Blocks for an estimate of the cost of samples.
const COUNTED: usize = 32;

/// Rows of one task that copies sums.
const COPIED: usize = 1024;

/// Flow and potentials at the sources of a cloud, in the order of its tree.
#[derive(Debug, Clone, Default)]
pub(in crate::velocity) struct TreeSums {
    flow: Vec<FlowSample>,
    potentials: Vec<Vec3>,
    /// First row of each block, and the row behind the last.
    starts: Vec<u32>,
    /// Place of each source in that order.
    places: Vec<u32>,
}

impl TreeSums {
    /// Grows the memory for so many sources. Returns false if the executor has none.
    pub(in crate::velocity) fn make_room(&mut self, exec: &dyn Executor, sources: usize) -> bool {
        if self.places.capacity() >= sources {
            return true;
        }
        let sources = with_spare(sources);
        let of_source = size_of::<FlowSample>() + size_of::<Vec3>() + 2 * size_of::<u32>();
        if !exec.has_memory(sources * of_source) {
            return false;
        }
        *self = Self::default();
        self.flow.reserve_exact(sources);
        self.potentials.reserve_exact(sources);
        self.starts.reserve_exact(sources + 1);
        self.places.reserve_exact(sources);
        true
    }

    fn take_order(&mut self, tree: &SourceTree) {
        self.starts.clear();
        self.starts.push(0);
        self.starts.extend(tree.blocks().map(|rows| rows.end as u32));
        self.places.resize(tree.rows().len(), 0);
        for (place, &row) in (0..).zip(tree.rows()) {
            self.places[row as usize] = place;
        }
    }

    /// Copies the flow at the first of these sources, of which the cloud is.
    pub(in crate::velocity) fn copy_flow(
        &self,
        exec: &dyn Executor,
        (cloud, sources): (&SourceCloud, &Sources),
        out: &mut [FlowSample],
    ) {
        copy(exec, &self.flow, &self.places, out);
        for row in cloud.out_of_reach(sources, out.len()) {
            cloud.flow_at(&|_| sources.positions.get(row), &mut out[row..=row]);
        }
    }

    /// Copies the potentials at those of the first sources that are in no group apart.
    pub(in crate::velocity) fn copy_potentials(
        &self,
        exec: &dyn Executor,
        (cloud, sources): (&SourceCloud, &Sources),
        out: &mut [Vec3],
    ) {
        let mut places = &self.places[..];
        for rows in sources.rows_together(out.len()) {
            let (here, rest) = places.split_at(rows.len());
            copy(exec, &self.potentials, here, &mut out[rows]);
            places = rest;
        }
        for row in cloud.out_of_reach(sources, out.len()) {
            cloud.potentials_at(&|_| sources.positions.get(row), &mut out[row..=row]);
        }
    }
}

fn copy<T: Copy + Send + Sync + 'static>(exec: &dyn Executor, from: &[T], places: &[u32], out: &mut [T]) {
    for_each_chunk_mut(exec, COPIED, out, &|first, out: &mut [T]| {
        out.iter_mut().zip(&places[first..]).for_each(|(out, place)| *out = from[*place as usize]);
    });
}

impl SourceCloud {
    /// Divides its sources into a tree, which sorts them. Sums use it until the cloud is
    /// [set](Self::set) again. Returns false without memory for it: they are summed one by one then.
    pub fn plant(&mut self, exec: &dyn Executor) -> bool {
        if !self.divide(exec, true) {
            return false;
        }
        let Self { tree, positions, strengths, settings, .. } = self;
        tree.sort(strengths);
        tree.find_moments(exec, settings.instruction_set, positions, strengths);
        true
    }

    /// Finds the cells of its sources, and sorts the positions. Returns false without memory for it.
    pub(in crate::velocity) fn divide(&mut self, exec: &dyn Executor, with_moments: bool) -> bool {
        let has_room = self.tree.make_room(exec, self.len(), with_moments);
        if has_room {
            self.tree.divide(&self.positions);
            self.tree.sort(&mut self.positions);
        }
        has_room
    }

    /// Returns an upper bound on the memory \[bytes\] of a copy of the tree.
    pub(in crate::velocity) fn memory_of_tree(&self) -> usize {
        self.tree.memory()
    }

    /// Fells the tree, and frees its memory.
    pub(in crate::velocity) fn forget_tree(&mut self) {
        self.tree = SourceTree::default();
    }

    /// As [`plant`](Self::plant), if there are so many sources that a tree pays at any number of positions.
    pub(in crate::velocity) fn plant_if_many(&mut self, exec: &dyn Executor) {
        if self.len() >= MANY_STRAYS && self.groups.is_empty() {
            // Without memory they are summed one by one.
            let _ = self.plant(exec);
        }
    }

    /// Iterates over the first sources that are at no place, or too far away to have an effect: it has them
    /// elsewhere.
    fn out_of_reach(&self, sources: &Sources, count: usize) -> impl Iterator<Item = usize> {
        let is_in = |row: &usize| self.scaled(sources.positions.get(*row)).abs().cmple(REACH).all();
        (0..count).filter(move |row| !is_in(row))
    }

    /// Returns true if its sources are in a tree.
    pub fn has_tree(&self) -> bool {
        !self.tree.is_empty()
    }

    /// Returns the numbers of sources that are summed at all sources, and of far cells for each block of
    /// them.
    pub(in crate::velocity) fn count_by_tree(&self) -> [usize; 2] {
        self.tree.blocks().fold([0, 0], |[near, far], rows| {
            let [more, cells] = self.count_for_block(&rows);
            [near + more * rows.len(), far + cells]
        })
    }

    fn count_for_block(&self, rows: &Range<usize>) -> [usize; 2] {
        // Positions are in the cloud's unit already.
        let ball = TargetBall::around(rows.len(), &|i| self.positions.get(rows.start + i));
        self.tree.count(TreeView::new(ball, self.like_points_from()))
    }

    /// Computes the flow at all sources, with the vector potentials.
    pub(in crate::velocity) fn flow_by_tree(&self, exec: &dyn Executor, sums: &mut TreeSums) {
        sums.take_order(&self.tree);
        let TreeSums { flow, potentials, starts, .. } = sums;
        flow.resize(self.len(), FlowSample::default());
        potentials.resize(self.len(), Vec3::ZERO);
        let columns = (Parts::new(flow, starts), Parts::new(potentials, starts));
        for_each_chunk_mut(exec, BLOCKS, columns, &|first, (flow, potentials)| {
            let (mut flow, mut potentials): (&mut [FlowSample], &mut [Vec3]) = (flow, potentials);
            for ends in starts[first..].windows(2) {
                let count = ends[1] as usize - ends[0] as usize;
                let (block, rest) = std::mem::take(&mut flow).split_at_mut(count);
                let (block_potentials, rest_potentials) = std::mem::take(&mut potentials).split_at_mut(count);
                (flow, potentials) = (rest, rest_potentials);
                let place = |i: usize| self.unscaled(self.positions.get(ends[0] as usize + i));
                self.flow_and_potentials_at(&place, block, block_potentials);
                if flow.is_empty() {
                    break;
                }
            }
        });
    }

    /// Computes the vector potentials at all sources.
    pub(in crate::velocity) fn potentials_by_tree(&self, exec: &dyn Executor, sums: &mut TreeSums) {
        sums.take_order(&self.tree);
        let TreeSums { potentials, starts, .. } = sums;
        potentials.resize(self.len(), Vec3::ZERO);
        let column = Parts::new(potentials, starts);
        for_each_chunk_mut(exec, BLOCKS, column, &|first, mut potentials: &mut [Vec3]| {
            for ends in starts[first..].windows(2) {
                let (block, rest) =
                    std::mem::take(&mut potentials).split_at_mut(ends[1] as usize - ends[0] as usize);
                potentials = rest;
                let place = |i: usize| self.unscaled(self.positions.get(ends[0] as usize + i));
                self.potentials_at(&place, block);
                if potentials.is_empty() {
                    break;
                }
            }
        });
    }

    /// Returns the number of sources of which a sum at a position among them costs as much as that by the
    /// tree: the mean of some blocks.
    pub(in crate::velocity) fn summed_by_tree(&self) -> usize {
        let count = self.tree.blocks().count();
        let some = self.tree.blocks().step_by((count / COUNTED).max(1));
        // Far cells of a block cost about as much as one source each at a target.
        let each = some.map(|rows| (self.count_for_block(&rows).into_iter().sum::<usize>(), 1));
        let (summed, blocks) = each.fold((0, 0), |(sum, all), (one, count)| (sum + one, all + count));
        summed / blocks.max(1)
    }

    /// Returns the distance from which cores act like points, in its unit of length.
    pub(super) fn like_points_from(&self) -> f32 {
        self.settings.like_points_from() * self.scale
    }

    /// Returns true if there is a tree, and it is not yet known from where it is seen.
    pub(super) fn is_seen_anew(&self, selected: &SelectedGroups) -> bool {
        self.has_tree() && selected.view.is_none()
    }

    /// Returns the view from positions \[m\].
    pub(super) fn view_from(&self, count: usize, position: &dyn Fn(usize) -> Vec3) -> TreeView {
        let ball = TargetBall::around(count, &|i| self.scaled(position(i)).clamp(-REACH, REACH));
        TreeView::new(ball, self.like_points_from())
    }

    /// Divides positions, of which successive ones are near each other, into groups for which the tree is
    /// searched together, and calls `act` with each and its view.
    pub(super) fn for_each_group(
        &self,
        count: usize,
        position: &dyn Fn(usize) -> Vec3,
        act: &mut dyn FnMut(Range<usize>, TreeView),
    ) {
        for first in (0..count).step_by(TOGETHER) {
            let rows = first..count.min(first + TOGETHER);
            self.divide_targets(None, rows, position, act);
        }
    }

    /// `near_one` is the number of sources near the middle of all targets.
    fn divide_targets(
        &self,
        near_one: Option<usize>,
        rows: Range<usize>,
        position: &dyn Fn(usize) -> Vec3,
        act: &mut dyn FnMut(Range<usize>, TreeView),
    ) {
        let view = self.view_from(rows.len(), &|i| position(rows.start + i));
        let near = |view: TreeView| self.tree.count(view)[0];
        if rows.len() > BLOCK {
            let one = near_one.unwrap_or_else(|| near(view.at_centre()));
            if near(view) > FEW_NEAR.max(one + one / MORE_NEAR) {
                let middle = rows.start + (rows.len() / 2).next_multiple_of(BLOCK);
                self.divide_targets(Some(one), rows.start..middle, position, act);
                return self.divide_targets(Some(one), middle..rows.end, position, act);
            }
        }
        act(rows, view);
    }

    /// Adds the flow of cells far from positions in a ball, and their vector potentials if requested.
    pub(super) fn add_far_flow(
        &self,
        view: TreeView,
        position: &dyn Fn(usize) -> Vec3,
        out: &mut [FlowSample],
        potentials: &mut [Vec3],
    ) {
        let job = FarFlowJob { cloud: self, view, position, out, potentials };
        dispatch_exact(self.settings.instruction_set, job);
    }

    /// Adds the velocities of cells far from positions in a ball.
    pub(super) fn add_far_velocities(&self, view: TreeView, positions: &[Vec3], out: &mut [Vec3]) {
        dispatch_exact(self.settings.instruction_set, FarVelocityJob { cloud: self, view, positions, out });
    }

    /// Adds the vector potentials of cells far from positions in a ball.
    pub(super) fn add_far_potentials(
        &self,
        view: TreeView,
        position: &dyn Fn(usize) -> Vec3,
        out: &mut [Vec3],
    ) {
        dispatch_exact(self.settings.instruction_set, FarPotentialJob { cloud: self, view, position, out });
    }

    /// Returns the offsets of targets from the centre of a ball around them, in units of a length.
    #[inline(always)]
    fn offsets(
        &self,
        (ball, unit): (TargetBall, f32),
        count: usize,
        position: impl Fn(usize) -> Vec3,
    ) -> [[f32; BLOCK]; 3] {
        let mut targets = target_block(self.scale, count, position);
        for (column, centre) in targets.iter_mut().zip(ball.centre.to_array()) {
            column.iter_mut().for_each(|x| *x = (*x - centre) / unit);
        }
        targets
    }
}

struct FarFlowJob<'a> {
    cloud: &'a SourceCloud,
    view: TreeView,
    position: &'a dyn Fn(usize) -> Vec3,
    out: &'a mut [FlowSample],
    potentials: &'a mut [Vec3],
}

impl Job for FarFlowJob<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { cloud, view, position, out, potentials } = self;
        let Some((local, unit)) = cloud.tree.local::<L>(view) else { return };
        let potential_factor = cloud.scale / (4.0 * PI) * cloud.unit;
        for (block, out) in out.chunks_mut(BLOCK).enumerate() {
            let first = block * BLOCK;
            let offsets = cloud.offsets((view.ball, unit), out.len(), |i| position(first + i));
            let velocity_factor = potential_factor * (cloud.scale / unit);
            let gradient_factor = velocity_factor * (cloud.scale / unit);
            let (mut columns, mut values) = ([[0.0; BLOCK]; 12], [[0.0; BLOCK]; 3]);
            for lane in (0..BLOCK).step_by(L::WIDTH) {
                let offsets = load_each::<L, 3>(&offsets, lane);
                let far = flow(&local, offsets);
                let [x, y, z] = far.gradient;
                for (vector, columns) in [far.velocity, x, y, z].into_iter().zip(columns.chunks_mut(3)) {
                    vector.into_iter().zip(columns).for_each(|(value, column)| value.store(column, lane));
                }
                if !potentials.is_empty() {
                    let far = potential(&local, offsets);
                    far.into_iter().zip(&mut values).for_each(|(value, column)| value.store(column, lane));
                }
            }
            for (i, out) in out.iter_mut().enumerate() {
                let [ux, uy, uz, a, b, c, d, e, f, g, h, k] = columns.map(|column| column[i]);
                out.velocity += Vec3::new(ux, uy, uz) * velocity_factor;
                out.gradient += Mat3::from_cols_array(&[a, b, c, d, e, f, g, h, k]) * gradient_factor;
            }
            for (i, potential) in potentials.iter_mut().skip(first).take(BLOCK).enumerate() {
                *potential += Vec3::from(values.map(|column| column[i])) * potential_factor;
            }
        }
    }
}

struct FarVelocityJob<'a> {
    cloud: &'a SourceCloud,
    view: TreeView,
    positions: &'a [Vec3],
    out: &'a mut [Vec3],
}

impl Job for FarVelocityJob<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { cloud, view, positions, out } = self;
        let Some((local, unit)) = cloud.tree.local::<L>(view) else { return };
        let factor = cloud.scale / (4.0 * PI) * cloud.unit * (cloud.scale / unit);
        for (positions, out) in positions.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
            let offsets = cloud.offsets((view.ball, unit), out.len(), |i| positions[i]);
            add_columns::<L>(&offsets, factor, out, |offsets| velocity(&local, offsets));
        }
    }
}

struct FarPotentialJob<'a> {
    cloud: &'a SourceCloud,
    view: TreeView,
    position: &'a dyn Fn(usize) -> Vec3,
    out: &'a mut [Vec3],
}

impl Job for FarPotentialJob<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { cloud, view, position, out } = self;
        let Some((local, unit)) = cloud.tree.local::<L>(view) else { return };
        let factor = cloud.scale / (4.0 * PI) * cloud.unit;
        for (block, out) in out.chunks_mut(BLOCK).enumerate() {
            let offsets = cloud.offsets((view.ball, unit), out.len(), |i| position(block * BLOCK + i));
            add_columns::<L>(&offsets, factor, out, |offsets| potential(&local, offsets));
        }
    }
}

/// Adds vectors of a local expansion at these offsets, times a factor.
#[inline(always)]
fn add_columns<L: Lanes>(
    offsets: &[[f32; BLOCK]; 3],
    factor: f32,
    out: &mut [Vec3],
    vectors: impl Fn([L; 3]) -> [L; 3],
) {
    let mut columns = [[0.0; BLOCK]; 3];
    for lane in (0..BLOCK).step_by(L::WIDTH) {
        let far = vectors(load_each::<L, 3>(offsets, lane));
        far.into_iter().zip(&mut columns).for_each(|(value, column)| value.store(column, lane));
    }
    for (i, out) in out.iter_mut().enumerate() {
        *out += Vec3::from(columns.map(|column| column[i])) * factor;
    }
}

#[cfg(test)]
#[path = "by_tree_tests.rs"]
mod tests;
