//! Groups of sources, such as the sheet of a body: at a distance a few pseudo-vortons stand for all of a
//! group (a treecode of one level, E63).

use crate::lanes::BLOCK;
use crate::math::Vec3Columns;
use glam::{DMat3, DVec3, Vec3};
use std::ops::Range;

/// Cells along the longest side of a group, each with a pseudo-vorton if it has sources \[1\].
const CELLS: usize = 6;

/// Least sources of a group for which pseudo-vortons pay \[1\].
const LEAST_SOURCES: usize = 256;

/// Distance of targets from the centre of a group, relative to its radius, from which pseudo-vortons stand
/// for it \[1\].
const FAR: f32 = 3.0;

/// Sources between two rows, and the pseudo-vortons for them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SourceGroup {
    /// First row of its sources, and the row behind the last.
    rows: [u32; 2],
    /// The same of its pseudo-vortons, in the same columns.
    pseudo: [u32; 2],
    centre: Vec3,
    radius: f32,
}

crate::saved::fields!(SourceGroup { rows, pseudo, centre, radius });
impl crate::saved::Element for SourceGroup {}

/// A ball around the targets of a block, in the unit of length of the sources.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TargetBall {
    centre: Vec3,
    radius: f32,
}

impl TargetBall {
    #[inline(always)]
    pub(super) fn of([x, y, z]: &[[f32; BLOCK]; 3]) -> Self {
        let low = Vec3::from([x, y, z].map(|column| column.iter().copied().fold(f32::INFINITY, f32::min)));
        let high =
            Vec3::from([x, y, z].map(|column| column.iter().copied().fold(f32::NEG_INFINITY, f32::max)));
        Self { centre: (low + high) * 0.5, radius: (high - low).length() * 0.5 }
    }
}

/// Returns the largest number of pseudo-vortons of a group with these rows.
pub(super) fn most_pseudo_vortons([first, end]: &[u32; 2]) -> usize {
    let sources = (end - first) as usize;
    if sources < LEAST_SOURCES { 0 } else { sources.min(CELLS * CELLS * CELLS) }
}

impl SourceGroup {
    /// Appends pseudo-vortons for the sources of `rows` to the columns; None for a group that is too small.
    pub(super) fn with_pseudo_vortons(
        rows: [u32; 2],
        positions: &mut Vec3Columns,
        strengths: &mut Vec3Columns,
    ) -> Option<Self> {
        let [first, end] = rows.map(|row| row as usize);
        if end - first < LEAST_SOURCES {
            return None;
        }
        let places = || (first..end).map(|row| positions.get(row));
        let low = places().fold(Vec3::INFINITY, Vec3::min);
        let high = places().fold(Vec3::NEG_INFINITY, Vec3::max);
        let centre = (low + high) * 0.5;
        let radius = places().map(|place| place.distance(centre)).fold(0.0, f32::max);
        let begin = positions.len();
        let per_cell = CELLS as f32 / (high - low).max_element().max(f32::MIN_POSITIVE);
        let mut cells = [(0.0, Vec3::ZERO, Vec3::ZERO); CELLS * CELLS * CELLS];
        for row in first..end {
            let (place, strength) = (positions.get(row), strengths.get(row));
            let [i, j, k] = ((place - low) * per_cell).to_array().map(|c| (c as usize).min(CELLS - 1));
            let (count, sum, total) = &mut cells[i + CELLS * (j + CELLS * k)];
            (*count, *sum, *total) = (*count + 1.0, *sum + (place - low), *total + strength);
        }
        for (count, sum, total) in cells.into_iter().filter(|(count, ..)| *count > 0.0) {
            positions.push(low + sum / count);
            strengths.push(total);
        }
        let end = positions.len();
        restore_moments(rows[0] as usize..rows[1] as usize, begin..end, positions, strengths);
        Some(Self { rows, pseudo: [begin as u32, end as u32], centre, radius })
    }

    /// Returns the first row of its sources, and the row behind the last.
    pub(super) fn rows(&self) -> [u32; 2] {
        self.rows
    }

    /// Returns the number of its pseudo-vortons.
    pub(super) fn pseudo_vortons(&self) -> usize {
        (self.pseudo[1] - self.pseudo[0]) as usize
    }

    /// True if its sources are among the first `len` rows, and its pseudo-vortons among the others of
    /// `count`.
    pub(super) fn is_within(&self, len: usize, count: usize) -> bool {
        let ([first, end], [begin, last]) = (self.rows, self.pseudo);
        first <= end
            && end as usize <= len
            && len <= begin as usize
            && begin <= last
            && last as usize <= count
    }

    /// True if its sources come before those of another.
    pub(super) fn is_before(&self, other: &Self) -> bool {
        self.rows[1] <= other.rows[0]
    }

    /// Shifts the origin of the coordinates to `origin`.
    pub(super) fn shift_origin(&mut self, origin: Vec3) {
        self.centre -= origin;
    }

    /// True if pseudo-vortons stand for it at all targets in the ball. False if the targets are not finite.
    fn is_far(&self, targets: &TargetBall) -> bool {
        self.centre.distance(targets.centre) - targets.radius >= FAR * self.radius
    }
}

/// Gives pseudo-vortons the first moments Σ α xᵀ of their sources, by a change of strengths linear in the
/// position, which keeps the total strength: errors of the flow then fall faster than the flow itself.
fn restore_moments(
    sources: Range<usize>,
    pseudo: Range<usize>,
    positions: &Vec3Columns,
    strengths: &mut Vec3Columns,
) {
    let count = pseudo.len() as f64;
    let centre = pseudo.clone().map(|row| positions.get(row).as_dvec3()).sum::<DVec3>() / count;
    let offset = |row: usize| positions.get(row).as_dvec3() - centre;
    let product = |a: DVec3, b: DVec3| DMat3::from_cols(a * b.x, a * b.y, a * b.z);
    let moments = |rows: Range<usize>, strengths: &Vec3Columns| {
        rows.map(|row| product(strengths.get(row).as_dvec3(), offset(row))).sum::<DMat3>()
    };
    let missing = moments(sources, strengths) - moments(pseudo.clone(), strengths);
    let spread = pseudo.clone().map(|row| product(offset(row), offset(row))).sum::<DMat3>();
    let change = missing * spread.inverse();
    if !change.is_finite() {
        return;
    }
    for row in pseudo {
        strengths.set(row, strengths.get(row) + (change * offset(row)).as_vec3());
    }
}

/// Ranges of rows of sources, of at most `tile` rows, that act on the targets in a ball. Without a group that
/// is far from them: all sources, in order.
pub(super) struct NearAndFar<'a> {
    groups: &'a [SourceGroup],
    targets: TargetBall,
    /// Number of sources without the pseudo-vortons.
    len: usize,
    tile: usize,
    /// Present row, and the end of the rows up to the next far group.
    row: usize,
    end: usize,
    /// That group.
    far: Option<SourceGroup>,
}

impl<'a> NearAndFar<'a> {
    pub(super) fn new(groups: &'a [SourceGroup], targets: TargetBall, len: usize, tile: usize) -> Self {
        let mut all = Self { groups, targets, len, tile, row: 0, end: 0, far: None };
        all.find_far();
        all
    }

    /// Finds the next far group from the present row on.
    fn find_far(&mut self) {
        let next = self.groups.iter().position(|group| group.is_far(&self.targets));
        self.far = next.map(|index| self.groups[index]);
        self.groups = next.map_or(&[], |index| &self.groups[index + 1..]);
        self.end = self.far.map_or(self.len, |group| group.rows[0] as usize);
    }
}

impl Iterator for NearAndFar<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.row < self.end {
            let range = self.row..(self.row + self.tile).min(self.end);
            self.row = range.end;
            return Some(range);
        }
        let far = self.far.take()?;
        self.row = far.rows[1] as usize;
        self.find_far();
        Some(far.pseudo[0] as usize..far.pseudo[1] as usize)
    }
}
