//! A tree of cells of sources (E76): the flow of cells far from some targets is that of a multipole
//! expansion, translated to a local one about the targets; sources of the other cells are summed.

mod expansions;

use super::solid_harmonics::HARMONICS;
use super::target_ball::TargetBall;
use crate::lanes::{BLOCK, InstructionSet, Job, Lanes, dispatch_exact};
use crate::math::Vec3Columns;
use crate::saved::{LoadError, Reader, Writer};
use expansions::{Columns3, FarCells, Local3, Moments3, add_local, add_moments, sum_lanes};
pub(super) use expansions::{flow, potential, velocity};
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::Vec3;
use std::ops::Range;

/// Sources of a cell that is not divided \[1\].
const LEAF: usize = 8;

/// Sum of the radii of a cell and the targets, over the distance of their centres, up to which the cell is
/// far \[1\]: velocities of noise are then off by 3e-3 of their root mean square, by 1e-2 with 0.8.
const OPENING: f32 = 0.65;

/// Share of a cell's length on either side of the middle in which it may be divided \[1\].
const MIDDLE: f32 = 0.25;

/// Number of times that a cell's part is divided near the middle; then into halves of its sources.
const DEPTH: usize = 40;

/// Largest number of cells for each source \[1\], and for few sources; a part is not divided beyond it.
const MOST_CELLS: [usize; 2] = [2, 64];

/// Memory for more sources than there are: a part of these more \[1\].
const SPARE: usize = 4;

/// Returns the number of sources for which memory is taken if there are so many.
pub(super) fn with_spare(sources: usize) -> usize {
    sources + sources / SPARE
}

/// Largest coordinate of sorted positions \[m\]: squares of distances are finite.
const FARTHEST: f32 = 1e18;

/// Cells of which one task computes the moments.
const CELLS: usize = 32;

/// Some sources near each other.
#[derive(Debug, Clone, Copy, Default)]
struct TreeCell {
    /// First source, and the one behind the last.
    rows: [u32; 2],
    /// The next cell that is not a part of this one; parts follow it.
    next: u32,
    centre: Vec3,
    radius: f32,
}

crate::saved::fields!(TreeCell { rows, next, centre, radius });
impl crate::saved::Element for TreeCell {}

impl TreeCell {
    fn rows(&self) -> Range<usize> {
        self.rows[0] as usize..self.rows[1] as usize
    }
}

/// TreeMoments of a cell, in units of its radius.
#[derive(Debug, Clone, Copy)]
struct TreeMoments(Moments3);

impl crate::saved::Saved for TreeMoments {
    fn save(&self, out: &mut Writer<'_>) {
        self.0.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        self.0.load(from)
    }
}

impl crate::saved::Element for TreeMoments {}

impl Default for TreeMoments {
    fn default() -> Self {
        Self([[0.0; _]; 3])
    }
}

/// A ball around targets from which a tree is seen, in the unit of length of its sources.
#[derive(Debug, Clone, Copy)]
pub(super) struct TreeView {
    pub(super) ball: TargetBall,
    /// Distance from which cores act like points.
    like_points_from: f32,
}

impl TreeView {
    pub(super) fn new(ball: TargetBall, like_points_from: f32) -> Self {
        Self { ball, like_points_from }
    }

    /// Returns the view of a target at the centre.
    pub(super) fn at_centre(self) -> Self {
        Self { ball: TargetBall { radius: 0.0, ..self.ball }, ..self }
    }

    fn is_far(&self, cell: &TreeCell) -> bool {
        let reach = cell.radius + self.ball.radius;
        let least = (reach / OPENING).max(reach + self.like_points_from);
        cell.centre.distance_squared(self.ball.centre) >= least * least
    }

    /// Returns a unit of length not less than the ball's radius, nor more than the distance of far cells.
    fn unit(&self) -> f32 {
        self.ball.radius.max(self.like_points_from)
    }
}

/// A source while sources are sorted.
#[derive(Debug, Clone, Copy)]
struct PlacedSource {
    place: Vec3,
    row: u32,
}

/// Cells of sources. Each follows the cell that it is a part of.
#[derive(Debug, Clone, Default)]
pub(in crate::velocity) struct SourceTree {
    cells: Vec<TreeCell>,
    moments: Vec<TreeMoments>,
    /// Cells of at most [`BLOCK`] sources that are not in another one, and larger ones that are not divided:
    /// targets for which the tree is searched together.
    blocks: Vec<u32>,
    /// Number of each source, in the order of the tree, before sources were sorted.
    rows: Vec<u32>,
    placed: Vec<PlacedSource>,
    sorted: Vec3Columns,
    /// Largest number of cells.
    most_cells: usize,
}

fn most_cells(sources: usize) -> usize {
    sources / MOST_CELLS[0] + MOST_CELLS[1]
}

crate::saved::fields!(SourceTree {
    cells, moments, blocks, rows,
} not { placed, sorted, most_cells });

impl SourceTree {
    /// Returns true if there is no tree.
    pub(super) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Returns true if it is empty, or each cell is of some of so many sources, and has a successor.
    pub(super) fn is_of(&self, sources: usize) -> bool {
        let is_valid = |(index, cell): (usize, &TreeCell)| {
            let [first, end] = cell.rows;
            let next = cell.next as usize;
            first <= end && end as usize <= sources && index < next && next <= self.cells.len()
        };
        self.moments.len() == self.cells.len()
            && self.cells.iter().enumerate().all(is_valid)
            && self.blocks.iter().all(|&block| (block as usize) < self.cells.len())
            && self.rows.iter().all(|&row| (row as usize) < sources)
            && (self.is_empty() || self.rows.len() == sources)
    }

    /// Grows the memory for so many sources, `with_moments` of their cells or without. Returns false if the
    /// executor has none.
    pub(super) fn make_room(&mut self, exec: &dyn Executor, sources: usize, with_moments: bool) -> bool {
        let least = most_cells(sources);
        let has_moments = !with_moments || self.moments.capacity() >= least;
        if self.rows.capacity() >= sources && has_moments {
            self.most_cells = most_cells(self.rows.capacity());
            return true;
        }
        let sources = with_spare(sources);
        let cells = most_cells(sources);
        let of_cell = size_of::<TreeCell>() + if with_moments { size_of::<TreeMoments>() } else { 0 };
        let of_source = 2 * size_of::<u32>() + size_of::<PlacedSource>() + size_of::<Vec3>();
        // A field is copied when it is published.
        if !exec.has_memory(2 * cells * of_cell + sources * of_source) {
            return false;
        }
        *self = Self::default();
        self.most_cells = cells;
        self.cells.reserve_exact(cells);
        self.moments.reserve_exact(if with_moments { cells } else { 0 });
        self.blocks.reserve_exact(sources);
        self.rows.reserve_exact(sources);
        self.placed.reserve_exact(sources);
        self.sorted.reserve(sources);
        true
    }

    /// Fells the tree, keeps the memory.
    pub(super) fn clear(&mut self) {
        self.cells.clear();
        self.moments.clear();
        self.blocks.clear();
        self.rows.clear();
    }

    /// Copies the data of `other` that sums need; allocates only to grow.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.cells.clone_from(&other.cells);
        self.moments.clone_from(&other.moments);
    }

    /// Returns an upper bound on the memory \[bytes\] of a copy.
    pub(super) fn memory(&self) -> usize {
        size_of::<TreeCell>() * self.cells.capacity() + size_of::<TreeMoments>() * self.moments.capacity()
    }

    /// Shifts the origin of the coordinates to `origin`.
    pub(super) fn shift_origin(&mut self, origin: Vec3) {
        self.cells.iter_mut().for_each(|cell| cell.centre -= origin);
    }

    /// Finds the cells of sources at finite positions, for which there is [room](Self::make_room).
    pub(super) fn divide(&mut self, positions: &Vec3Columns) {
        self.clear();
        self.placed.clear();
        let places = positions.iter().enumerate();
        self.placed.extend(places.map(|(row, place)| PlacedSource { place, row: row as u32 }));
        self.divide_placed();
        self.rows.extend(self.placed.iter().map(|one| one.row));
    }

    /// Sorts rows so that successive ones are near each other, if the executor has memory for it.
    pub(super) fn sort_near_each_other(
        &mut self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        rows: &mut [u32],
    ) {
        if !self.make_room(exec, rows.len(), false) {
            return;
        }
        self.clear();
        self.placed.clear();
        // A position that is not finite, or between which and another there is no distance, is anywhere.
        let is_near = |place: &Vec3| place.abs().cmple(Vec3::splat(FARTHEST)).all();
        let place = |row: u32| Some(positions.get(row as usize)).filter(is_near);
        let places = rows.iter().map(|&row| PlacedSource { place: place(row).unwrap_or_default(), row });
        self.placed.extend(places);
        self.divide_placed();
        rows.iter_mut().zip(&self.placed).for_each(|(row, one)| *row = one.row);
    }

    fn divide_placed(&mut self) {
        if !self.placed.is_empty() {
            self.divide_rows(0..self.placed.len(), (false, 0));
        }
    }

    fn divide_rows(&mut self, rows: Range<usize>, (is_in_block, depth): (bool, usize)) {
        let (index, count) = (self.cells.len(), rows.len());
        let is_divided = count > LEAF && index + 3 <= self.most_cells;
        let is_block = !is_in_block && (count <= BLOCK || !is_divided);
        if is_block {
            self.blocks.push(index as u32);
        }
        let placed = &mut self.placed[rows.clone()];
        let low = placed.iter().fold(Vec3::INFINITY, |low, one| low.min(one.place));
        let high = placed.iter().fold(Vec3::NEG_INFINITY, |high, one| high.max(one.place));
        let centre = (low + high) * 0.5;
        let square = placed.iter().map(|one| one.place.distance_squared(centre)).fold(0.0, f32::max);
        let ends = [rows.start, rows.end].map(|row| row as u32);
        self.cells.push(TreeCell { rows: ends, next: 0, centre, radius: square.sqrt() });
        if is_divided {
            let at = rows.start + cut(placed, (low, high), depth < DEPTH);
            let below = (is_in_block || is_block, depth + 1);
            self.divide_rows(rows.start..at, below);
            self.divide_rows(at..rows.end, below);
        } else {
            // Whatever the order in which the parts of a cell were left.
            placed.sort_unstable_by_key(|one| one.row);
        }
        self.cells[index].next = self.cells.len() as u32;
    }

    /// Sorts columns into the order of the tree.
    pub(super) fn sort(&mut self, columns: &mut Vec3Columns) {
        self.sorted.clear();
        self.rows.iter().for_each(|&row| self.sorted.push(columns.get(row as usize)));
        columns.copy_from(&self.sorted);
    }

    /// Computes the moments of all cells.
    pub(super) fn find_moments(
        &mut self,
        exec: &dyn Executor,
        set: InstructionSet,
        positions: &Vec3Columns,
        strengths: &Vec3Columns,
    ) {
        self.moments.resize(self.cells.len(), TreeMoments::default());
        let cells = &self.cells;
        for_each_chunk_mut(exec, CELLS, &mut self.moments[..], &|first, moments: &mut [TreeMoments]| {
            let cells = &cells[first..first + moments.len()];
            dispatch_exact(set, MomentsJob { cells, positions, strengths, moments });
        });
    }

    /// Returns the number of each source, in the order of the tree, before sources were sorted.
    pub(super) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Returns the rows of each block of targets, in order.
    pub(super) fn blocks(&self) -> impl Iterator<Item = Range<usize>> {
        self.blocks.iter().map(|&block| self.cells[block as usize].rows())
    }

    fn seen(&self, view: TreeView) -> SeenCells<'_> {
        SeenCells { cells: &self.cells, next: 0, view }
    }

    /// Returns the rows of cells that are not far.
    pub(super) fn near(&self, view: TreeView, tile: usize) -> Near<'_> {
        Near { seen: self.seen(view), rows: 0..0, tile }
    }

    /// Returns the numbers of sources that are not in far cells, and of these cells.
    pub(super) fn count(&self, view: TreeView) -> [usize; 2] {
        self.seen(view).fold([0, 0], |[near, far], (cell, is_far)| match is_far {
            true => [near, far + 1],
            false => [near + self.cells[cell].rows().len(), far],
        })
    }

    /// Returns the local expansion of the potential of far cells, and its unit of length; None if no cell is
    /// far.
    #[inline(always)]
    pub(super) fn local<L: Lanes>(&self, view: TreeView) -> Option<(Local3, f32)> {
        let mut far = self.seen(view).filter(|(_, is_far)| *is_far).map(|(cell, _)| cell);
        let (mut next, unit) = (Some(far.next()?), view.unit());
        let (mut local, mut cells) = ([[[0.0; BLOCK]; HARMONICS]; 3], FarCells::NONE);
        while let Some(first) = next {
            let mut count = 0;
            next = Some(first);
            while let Some(index) = next.filter(|_| count < BLOCK) {
                let cell = &self.cells[index];
                let way = (view.ball.centre - cell.centre).to_array();
                cells.ways.iter_mut().zip(way).for_each(|(ways, way)| ways[count] = way);
                cells.radii[count] = cell.radius;
                for (columns, moments) in cells.moments.iter_mut().zip(&self.moments[index].0) {
                    columns.iter_mut().zip(moments).for_each(|(column, moment)| column[count] = *moment);
                }
                (count, next) = (count + 1, far.next());
            }
            for columns in &mut cells.moments {
                columns.iter_mut().for_each(|column| column[count..].fill(0.0));
            }
            add_cells::<L>(&cells, unit, &mut local);
        }
        Some((sum_lanes(&local), unit))
    }
}

#[inline(always)]
fn add_cells<L: Lanes>(cells: &FarCells, radius: f32, local: &mut Columns3<HARMONICS>) {
    for lane in (0..BLOCK).step_by(L::WIDTH) {
        add_local::<L>(cells, radius, lane, local);
    }
}

/// Divides sources in a box into two parts, of which the first has the returned number: at a full block of
/// targets near the middle of the longest side, if there is one, and `at_middle`.
fn cut(placed: &mut [PlacedSource], (low, high): (Vec3, Vec3), at_middle: bool) -> usize {
    let (side, count) = (high - low, placed.len());
    let axis = side.max_position();
    let middle = low[axis] + 0.5 * side[axis];
    let by_place =
        |a: &PlacedSource, b: &PlacedSource| a.place[axis].total_cmp(&b.place[axis]).then(a.row.cmp(&b.row));
    let full = if count > BLOCK { BLOCK } else { LEAF };
    let to_full = |number: usize| (number + full / 2) / full * full;
    let below = placed.iter().filter(|one| one.place[axis] < middle).count();
    if below == 0 || below == count || !at_middle {
        let half = to_full(count / 2);
        placed.select_nth_unstable_by(half, by_place);
        return half;
    }
    let nearest = to_full(below);
    if (1..count).contains(&nearest) {
        let (_, at, _) = placed.select_nth_unstable_by(nearest, by_place);
        if (at.place[axis] - middle).abs() <= MIDDLE * side[axis] {
            return nearest;
        }
    }
    placed.select_nth_unstable_by(below, by_place);
    below
}

/// Cells as seen from some targets: those that are far, and those without parts that are not.
struct SeenCells<'a> {
    cells: &'a [TreeCell],
    next: usize,
    view: TreeView,
}

impl Iterator for SeenCells<'_> {
    type Item = (usize, bool);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let index = self.next;
            let cell = self.cells.get(index)?;
            let is_far = self.view.is_far(cell);
            let is_leaf = cell.next as usize == index + 1;
            self.next = if is_far { cell.next as usize } else { index + 1 };
            if is_far || is_leaf {
                return Some((index, is_far));
            }
        }
    }
}

/// Ranges of rows of at most `tile` sources.
pub(super) struct Near<'a> {
    seen: SeenCells<'a>,
    rows: Range<usize>,
    tile: usize,
}

impl Iterator for Near<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let cells = self.seen.cells;
        for (index, is_far) in &mut self.seen {
            let rows = cells[index].rows();
            if is_far {
                continue;
            }
            if rows.start == self.rows.end && self.rows.len() + rows.len() <= self.tile {
                self.rows.end = rows.end;
                continue;
            }
            let before = std::mem::replace(&mut self.rows, rows);
            if !before.is_empty() {
                return Some(before);
            }
        }
        let last = std::mem::replace(&mut self.rows, 0..0);
        (!last.is_empty()).then_some(last)
    }
}

struct MomentsJob<'a> {
    cells: &'a [TreeCell],
    positions: &'a Vec3Columns,
    strengths: &'a Vec3Columns,
    moments: &'a mut [TreeMoments],
}

impl Job for MomentsJob<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        for (cell, moments) in self.cells.iter().zip(self.moments) {
            let (mut columns, rows) = ([[[0.0; BLOCK]; _]; 3], cell.rows());
            let per_radius = if cell.radius > f32::MIN_POSITIVE { 1.0 / cell.radius } else { 0.0 };
            for first in rows.clone().step_by(BLOCK) {
                let (mut offsets, mut strengths) = ([[0.0; BLOCK]; 3], [[0.0; BLOCK]; 3]);
                for (i, row) in (first..rows.end.min(first + BLOCK)).enumerate() {
                    let offset = (self.positions.get(row) - cell.centre) * per_radius;
                    (offsets[0][i], offsets[1][i], offsets[2][i]) = offset.into();
                    (strengths[0][i], strengths[1][i], strengths[2][i]) = self.strengths.get(row).into();
                }
                for lane in (0..BLOCK).step_by(L::WIDTH) {
                    add_moments::<L>(&offsets, &strengths, lane, &mut columns);
                }
            }
            *moments = TreeMoments(sum_lanes(&columns));
        }
    }
}
