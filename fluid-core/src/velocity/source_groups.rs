//! Groups of sources, such as the sheet of a body: at a distance a few pseudo-vortons stand for all of a
//! group (a treecode of one group and two levels, E63).

use super::GroupedRows;
use super::target_ball::{SMOOTH_FROM, TargetBall};
use super::tree::TreeView;
use crate::math::{Vec3Columns, outer};
use glam::{DMat3, DVec3, Vec3};
use std::ops::Range;

/// Cells along the longest side of a group, each with a pseudo-vorton if it has sources \[1\], and the
/// distance of targets from its centre, relative to its radius, from which these stand for the group \[1\]:
/// fine and coarse pseudo-vortons.
const LEVELS: [(usize, f32); 2] = [(6, PSEUDO_VORTONS_FROM), (3, 2.0 * PSEUDO_VORTONS_FROM)];
const _: () = assert!(LEVELS[0].0 == 2 * LEVELS[1].0);

/// Number of cells of the fine level \[1\].
const MOST_CELLS: usize = LEVELS[0].0.pow(3);

/// Distance from the centre of a group, relative to its radius, from which pseudo-vortons stand for it \[1\].
const PSEUDO_VORTONS_FROM: f32 = 3.0;

/// Least distance of the centre of a group from the ball around another one, relative to its radius, from
/// which fine pseudo-vortons stand for it in their mutual energy \[1\]: an error of some 0.2 % of the
/// geometric mean of both groups' energies.
const ENERGY_FROM: f32 = 1.5;

/// Largest change of a pseudo-vorton's strength that restores moments, relative to the largest strength of
/// one \[1\]. Between the two faces of a thin body pseudo-vortons lie in a plane, and could have the moment
/// across it with strengths of any size only.
const MOST_CHANGE: f32 = 0.3;

/// Radius of the sphere outside of which a group is expanded, relative to its own \[1\]: the first where
/// targets are so near, otherwise up to the second one, which is more accurate (E66).
const EXPANDED_FROM: [f32; 2] = [1.6, 2.0];

/// Least weight of a source in the position of its pseudo-vorton: of sources without strength.
const LEAST_WEIGHT: f32 = 1e-20;

/// Least sources of a group for which pseudo-vortons pay \[1\].
const LEAST_SOURCES: usize = 256;

/// Sources between two rows, and the pseudo-vortons for them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SourceGroup {
    /// First row of its sources, and the row behind the last.
    rows: [u32; 2],
    /// The same of its pseudo-vortons of each level, in the same columns; the same twice for a level without
    /// any.
    pseudo: [u32; 3],
    centre: Vec3,
    radius: f32,
    /// Energy of its sources by themselves \[m⁵/s²\].
    energy: f64,
    /// Id among the groups of the sources.
    id: u32,
}

crate::saved::fields!(SourceGroup { rows, pseudo, centre, radius, energy, id });
impl crate::saved::Element for SourceGroup {}

/// Stretching of a group that is summed apart (E6).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct StretchedGroup {
    /// First row among the sources.
    pub(crate) row: usize,
    /// Σ (∇u)ᵀ α \[m³/s²\] in the flow of all sources that are not in groups apart.
    pub(crate) rate: DVec3,
}

/// Returns the lowest and highest coordinates of some sources.
pub(super) fn box_of_rows(rows: Range<usize>, positions: &Vec3Columns) -> (Vec3, Vec3) {
    let places = || rows.clone().map(|row| positions.get(row));
    let low = places().fold(Vec3::INFINITY, Vec3::min);
    (low, places().fold(Vec3::NEG_INFINITY, Vec3::max))
}

/// Returns the box around some sources, and the ball around the centre of this box.
pub(super) fn bounds(rows: Range<usize>, positions: &Vec3Columns) -> ([Vec3; 2], TargetBall) {
    let (low, high) = box_of_rows(rows.clone(), positions);
    let centre = (low + high) * 0.5;
    let ways = rows.map(|row| positions.get(row).distance_squared(centre));
    ([low, high], TargetBall { centre, radius: ways.fold(0.0, f32::max).sqrt() })
}

/// Returns the radius \[m\] of the sphere outside of which a group of this `radius` is expanded for targets
/// from this distance of its centre on, or nearer (E66): as far from the sources as cores act
/// [like points](DirectSettings::like_points_from), because nearer to them their flow is not harmonic.
pub(super) fn expanded_from(radius: f32, like_points_from: f32, distance: f32) -> f32 {
    let [least, most] = EXPANDED_FROM.map(|from| from * radius);
    distance.min(most).max(least).max(radius + like_points_from)
}

/// Returns the radius \[m\] of a ball that takes part in the selection of distant sources for one of this
/// `radius`: so large that their flow is harmonic in that (E65).
pub(super) fn smooth_radius(radius: f32, like_points_from: f32) -> f32 {
    radius.max((radius + like_points_from) / SMOOTH_FROM)
}

/// Returns the largest number of pseudo-vortons of a group with these rows.
pub(super) fn most_pseudo_vortons([first, end]: &[u32; 2]) -> usize {
    let sources = (end - first) as usize;
    if sources < LEAST_SOURCES {
        return 0;
    }
    LEVELS.iter().map(|(cells, _)| sources.min(cells.pow(3))).sum()
}

/// Returns the largest number of rows that are summed for a group of so many sources at some distance.
pub(super) fn most_summed(sources: usize) -> usize {
    if sources < LEAST_SOURCES { sources } else { sources.min(LEVELS[0].0.pow(3)) }
}

impl SourceGroup {
    /// Appends pseudo-vortons for the sources of a group to the columns, if it has many sources.
    pub(super) fn with_pseudo_vortons(
        group: &GroupedRows,
        positions: &mut Vec3Columns,
        strengths: &mut Vec3Columns,
    ) -> Self {
        let &GroupedRows { rows, energy, id, .. } = group;
        let sources = group.range();
        let ([low, high], TargetBall { centre, radius }) = bounds(sources.clone(), positions);
        let mut pseudo = [positions.len() as u32; 3];
        if sources.len() >= LEAST_SOURCES {
            let mut cells = CellSums::of(sources, [low, high], positions, strengths);
            for level in 0..LEVELS.len() {
                if level > 0 {
                    cells.halve();
                }
                cells.add_pseudo_vortons(positions, strengths);
                pseudo[level + 1..].fill(positions.len() as u32);
            }
        }
        Self { rows, pseudo, centre, radius, energy, id }
    }

    /// Returns its sources and their energy.
    pub(super) fn grouped_rows(&self) -> GroupedRows {
        GroupedRows { rows: self.rows, energy: self.energy, is_apart: true, id: self.id }
    }

    /// Returns its sources.
    pub(super) fn sources(&self) -> Range<usize> {
        self.rows[0] as usize..self.rows[1] as usize
    }

    /// Returns its id among the groups of the sources.
    pub(super) fn id(&self) -> u32 {
        self.id
    }

    /// Returns true if a local expansion represents its flow in a ball (E65).
    fn is_smooth_in(&self, ball: &TargetBall) -> bool {
        ball.is_smooth_from(self.centre.distance(ball.centre) - self.radius)
    }

    /// Returns the energy \[m⁵/s²\] of its sources by themselves.
    pub(super) fn energy(&self) -> f64 {
        self.energy
    }

    /// Returns a ball around its sources, in the unit of length of the sources.
    pub(super) fn ball(&self) -> TargetBall {
        TargetBall { centre: self.centre, radius: self.radius }
    }

    /// Returns its pseudo-vortons of a level.
    fn level(&self, level: usize) -> Range<usize> {
        self.pseudo[level] as usize..self.pseudo[level + 1] as usize
    }

    /// Returns the rows that stand for it in its mutual energy with a group in the ball: pseudo-vortons from
    /// a shorter distance than in a velocity, because errors on the two sides of a group cancel.
    pub(super) fn seen_in_energy(&self, other: &TargetBall) -> Range<usize> {
        let (fine, gap) = (self.level(0), self.centre.distance(other.centre) - other.radius);
        let is_apart = !fine.is_empty() && gap >= ENERGY_FROM * self.radius;
        self.far_from(other).or(is_apart.then_some(fine)).unwrap_or(self.sources())
    }

    /// Returns the rows that stand for it in a sum over its sources of a quantity that is smooth, because its
    /// origin has this `distance` from the centre, in the unit of the sources: fine pseudo-vortons at least.
    pub(super) fn sampled(&self, distance: f32) -> Range<usize> {
        let levels = LEVELS.iter().enumerate();
        let mut coarse = levels.filter(|(level, (_, far))| *level == 0 || distance >= far * self.radius);
        let rows = coarse.rfind(|(level, _)| !self.level(*level).is_empty());
        rows.map_or(self.sources(), |(level, _)| self.level(level))
    }

    /// Returns the number of its pseudo-vortons.
    pub(super) fn pseudo_vortons(&self) -> usize {
        (self.pseudo[2] - self.pseudo[0]) as usize
    }

    /// True if its sources are among the first `len` rows, and its pseudo-vortons among the others of
    /// `count`.
    pub(super) fn is_within(&self, len: usize, count: usize) -> bool {
        let ([first, end], [begin, middle, last]) = (self.rows, self.pseudo);
        first <= end
            && end as usize <= len
            && len <= begin as usize
            && begin <= middle
            && middle <= last
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

    /// Returns the pseudo-vortons that stand for it at all targets in the ball. None if a target is near, or
    /// not finite.
    fn far_from(&self, targets: &TargetBall) -> Option<Range<usize>> {
        let gap = self.centre.distance(targets.centre) - targets.radius;
        let far_levels = LEVELS.iter().enumerate().filter(|(_, (_, far))| gap >= far * self.radius);
        far_levels.map(|(level, _)| self.level(level)).rfind(|rows| !rows.is_empty())
    }
}

/// Sums over the sources in each cell of a box around them.
struct CellSums {
    /// Lowest corner of the box.
    low: Vec3,
    /// Cells along each axis \[1\].
    along: usize,
    /// Sum of the strengths' magnitudes, that of the positions relative to `low` with these weights, and the
    /// sum of the strengths, x fastest.
    cells: [(f32, Vec3, Vec3); MOST_CELLS],
    /// Sum of all strengths, and first moments Σ α xᵀ, x relative to `low`.
    total: DVec3,
    moments: DMat3,
}

impl CellSums {
    /// Sums in the cells of the finest level.
    fn of(
        sources: Range<usize>,
        [low, high]: [Vec3; 2],
        positions: &Vec3Columns,
        strengths: &Vec3Columns,
    ) -> Self {
        let along = LEVELS[0].0;
        let per_cell = along as f32 / (high - low).max_element().max(f32::MIN_POSITIVE);
        let mut cells = [(0.0, Vec3::ZERO, Vec3::ZERO); MOST_CELLS];
        let (mut total, mut moments) = (DVec3::ZERO, DMat3::ZERO);
        for row in sources {
            let (place, strength) = (positions.get(row) - low, strengths.get(row));
            let [i, j, k] = (place * per_cell).to_array().map(|c| (c as usize).min(along - 1));
            let (weight, sum, strengths) = &mut cells[i + along * (j + along * k)];
            let own = strength.length().max(LEAST_WEIGHT);
            (*weight, *sum, *strengths) = (*weight + own, *sum + place * own, *strengths + strength);
            let (place, strength) = (place.as_dvec3(), strength.as_dvec3());
            total += strength;
            moments += outer(strength, place);
        }
        Self { low, along, cells, total, moments }
    }

    /// Joins two cells along each axis.
    fn halve(&mut self) {
        let (fine, along) = (self.along, self.along / 2);
        let mut cells = [(0.0, Vec3::ZERO, Vec3::ZERO); MOST_CELLS];
        for (index, &(weight, sum, strength)) in self.cells[..fine.pow(3)].iter().enumerate() {
            let [i, j, k] = [index % fine, index / fine % fine, index / (fine * fine)].map(|n| n / 2);
            let all = &mut cells[i + along * (j + along * k)];
            *all = (all.0 + weight, all.1 + sum, all.2 + strength);
        }
        (self.along, self.cells) = (along, cells);
    }

    /// Appends a pseudo-vorton for each cell with sources, or none if these cannot have the moments of the
    /// sources.
    fn add_pseudo_vortons(&self, positions: &mut Vec3Columns, strengths: &mut Vec3Columns) {
        let begin = positions.len();
        let cells = &self.cells[..self.along.pow(3)];
        for &(weight, sum, strength) in cells.iter().filter(|(weight, ..)| *weight > 0.0) {
            positions.push(self.low + sum / weight);
            strengths.push(strength);
        }
        if !self.restore_moments(begin..positions.len(), positions, strengths) {
            positions.truncate(begin);
            strengths.truncate(begin);
        }
    }

    /// Gives pseudo-vortons the first moments of their sources, by a change of strengths linear in the
    /// position, which keeps the total strength: errors of the flow then fall faster than the flow itself.
    /// Returns false if a strength changes by too much for that.
    fn restore_moments(
        &self,
        pseudo: Range<usize>,
        positions: &Vec3Columns,
        strengths: &mut Vec3Columns,
    ) -> bool {
        let count = pseudo.len() as f64;
        let place = |row: usize| (positions.get(row) - self.low).as_dvec3();
        let centre = pseudo.clone().map(place).sum::<DVec3>() / count;
        let offset = |row: usize| place(row) - centre;
        let (mut missing, mut spread) = (self.moments - outer(self.total, centre), DMat3::ZERO);
        for row in pseudo.clone() {
            missing -= outer(strengths.get(row).as_dvec3(), offset(row));
            spread += outer(offset(row), offset(row));
        }
        let change = missing * spread.inverse();
        let largest = |of_row: &dyn Fn(usize) -> Vec3| {
            pseudo.clone().map(|row| of_row(row).length_squared()).fold(0.0, f32::max).sqrt()
        };
        let changed = |row: usize| (change * offset(row)).as_vec3();
        let most = MOST_CHANGE * largest(&|row| strengths.get(row));
        if !change.is_finite() || largest(&changed) > most {
            return false;
        }
        for row in pseudo {
            strengths.set(row, strengths.get(row) + changed(row));
        }
        true
    }
}

/// Groups that a sum takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct SelectedGroups {
    /// Id among all groups, of one that is left out.
    pub(super) left_out: Option<u32>,
    /// Index in the cloud of the only group that is taken, without sources in no group.
    pub(super) only: Option<usize>,
    /// A ball, in the unit of length of the sources, and whether the groups are those far from it, of which
    /// the flow in it is smooth (E65), or all others.
    pub(super) around: Option<(TargetBall, bool)>,
    /// The view of a tree from the targets; None if all of its sources are summed.
    pub(super) view: Option<TreeView>,
}

impl SelectedGroups {
    /// All groups.
    pub(super) const ALL: Self = Self { left_out: None, only: None, around: None, view: None };

    /// Returns the same for targets from which a tree is seen.
    pub(super) fn seen(self, view: TreeView) -> Self {
        Self { view: Some(view), ..self }
    }

    /// Returns true if these are all groups, and no tree is seen.
    pub(super) fn are_all(&self) -> bool {
        let Self { left_out, only, around, view } = self;
        left_out.is_none() && only.is_none() && around.is_none() && view.is_none()
    }

    /// Returns true if the sum takes this group.
    pub(super) fn has(&self, group: &SourceGroup) -> bool {
        let is_on_its_side = |(ball, is_far): (TargetBall, bool)| group.is_smooth_in(&ball) == is_far;
        self.left_out != Some(group.id) && self.around.is_none_or(is_on_its_side)
    }
}

/// Ranges of rows of sources, of at most `tile` rows, that act on the targets in a ball. Without a group that
/// is far from them, or not selected: all sources, in order.
pub(super) struct NearAndFar<'a> {
    /// Groups from the present row on.
    groups: &'a [SourceGroup],
    selected: &'a SelectedGroups,
    targets: TargetBall,
    /// Row behind the last source that is not a pseudo-vorton.
    len: usize,
    tile: usize,
    /// Present row, and the end of the rows up to the next far group.
    row: usize,
    end: usize,
    /// The rows of that group, and the pseudo-vortons that stand for them.
    far: Option<(Range<usize>, Range<usize>)>,
}

impl<'a> NearAndFar<'a> {
    pub(super) fn new(
        (groups, selected): (&'a [SourceGroup], &'a SelectedGroups),
        targets: TargetBall,
        len: usize,
        tile: usize,
    ) -> Self {
        let (mut row, mut len, mut groups) = (0, len, groups);
        if let Some(only) = selected.only {
            groups = &groups[only..=only];
            (row, len) = (groups[0].rows[0] as usize, groups[0].rows[1] as usize);
        }
        let mut all = Self { groups, selected, targets, len, tile, row, end: 0, far: None };
        all.find_far();
        all
    }

    /// Finds the next group from the present row on that is far, or not selected.
    fn find_far(&mut self) {
        let far = |group: &SourceGroup| match self.selected.has(group) {
            true => Some((group.sources(), group.far_from(&self.targets)?)),
            false => Some((group.sources(), 0..0)),
        };
        let next = self.groups.iter().enumerate().find_map(|(index, group)| Some((index, far(group)?)));
        self.groups = next.as_ref().map_or(&[], |(index, _)| &self.groups[index + 1..]);
        self.far = next.map(|(_, far)| far);
        self.end = self.far.as_ref().map_or(self.len, |(rows, _)| rows.start);
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
        let (rows, pseudo) = self.far.take()?;
        self.row = rows.end;
        self.find_far();
        Some(pseudo)
    }
}
