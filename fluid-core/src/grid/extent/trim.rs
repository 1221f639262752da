//! The choice of the particles that a box leaves outside.

use super::{BOX_SIZES, Extent, LatticeBounds, rounded_up};

/// Maximum number of gaps across which particles are left outside: each one visits all particles.
const MOST_GAPS: usize = 64;

/// Adjacent planes of nodes.
struct NodeSlab {
    axis: usize,
    first: i32,
    levels: i32,
    /// Number of particles outside of it.
    outside: usize,
}

/// Empty planes of nodes.
struct Gap {
    axis: usize,
    /// Distance between the particles on both sides \[nodes\].
    nodes: u32,
    /// Lowest level of the particles above.
    level: i32,
    /// Numbers of particles on both sides.
    below: usize,
    above: usize,
}

impl Extent {
    /// Drops particles from the box until the others fit, and returns their bounds and the number dropped.
    /// Dropped particles are summed directly, so only their number counts: each time, the face of the
    /// bounding box that gains the most nodes per particle moves inwards.
    pub(super) fn trim(&mut self) -> (LatticeBounds, usize) {
        let count = self.cells.len();
        self.inside.clear();
        self.inside.resize(count, true);
        for (axis, order) in self.by_axis.iter_mut().enumerate() {
            order.clear();
            order.extend(0..count as u32);
            let cells = &self.cells;
            order.sort_unstable_by_key(|&row| (cells[row as usize][axis], row));
        }
        // Range of each axis' order that is still in use: from, to (exclusive).
        let mut left = [[0, count]; 3];
        let mut outside = 0;
        for _ in 0..MOST_GAPS {
            let bounds = self.shrink(&mut left);
            if self.fits(bounds) {
                return (bounds, outside);
            }
            match self.drop_across_gap(&left) {
                0 => break,
                dropped => outside += dropped,
            }
        }
        let bounds = self.shrink(&mut left);
        if self.fits(bounds) {
            return (bounds, outside);
        }
        let slab = self.slab_of_most(self.need(bounds), &left);
        let left_before = left;
        self.inside_before.clone_from(&self.inside);
        let (bounds, at_faces) = self.drop_faces(&mut left);
        match slab.filter(|slab| slab.outside < at_faces) {
            None => (bounds, outside + at_faces),
            Some(slab) => {
                left = left_before;
                std::mem::swap(&mut self.inside, &mut self.inside_before);
                outside += self.drop_beside(&slab, left[slab.axis]);
                (self.shrink(&mut left), outside)
            }
        }
    }

    /// Drops the emptiest faces until the others fit, and returns their bounds and the number of particles
    /// dropped.
    fn drop_faces(&mut self, left: &mut [[usize; 2]; 3]) -> (LatticeBounds, usize) {
        let mut outside = 0;
        loop {
            let bounds = self.shrink(left);
            if self.fits(bounds) {
                return (bounds, outside);
            }
            let mut best: Option<(f64, usize, usize, i32)> = None;
            for (axis, &left) in left.iter().enumerate() {
                for side in 0..2 {
                    let Some((gain, loss, level)) = self.face(left, axis, side) else { continue };
                    let worth = f64::from(gain) / loss as f64;
                    if best.is_none_or(|best| worth > best.0) {
                        best = Some((worth, axis, side, level));
                    }
                }
            }
            let Some((_, axis, side, level)) = best else { return (bounds, outside) };
            outside += self.drop_face(left[axis], axis, side, level);
        }
    }

    /// Drops the smaller group of particles across the widest gap along any axis, if that gap is wider than
    /// two margins. Returns their number.
    fn drop_across_gap(&mut self, left: &[[usize; 2]; 3]) -> usize {
        let widest = (0..3).filter_map(|axis| self.widest_gap(left[axis], axis)).max_by_key(|gap| gap.nodes);
        let least = 2 * (self.rules.margin + 1);
        let Some(gap) = widest.filter(|gap| gap.nodes > least) else { return 0 };
        let Gap { axis, level, below, above, .. } = gap;
        let [from, to] = left[axis];
        for place in from..to {
            let row = self.by_axis[axis][place] as usize;
            if (self.cells[row][axis] < level) == (below < above) {
                self.inside[row] = false;
            }
        }
        below.min(above)
    }

    /// Returns the slab with the fewest particles beside it, among all that make the box fit by a smaller
    /// size along one axis.
    fn slab_of_most(&self, need: [i64; 3], left: &[[usize; 2]; 3]) -> Option<NodeSlab> {
        let sizes = need.map(rounded_up);
        let slabs = (0..3).filter_map(|axis| {
            let mut smaller = BOX_SIZES.into_iter().rev().filter(|&size| size < sizes[axis]);
            let size = smaller.find(|&size| {
                let mut sizes = sizes;
                sizes[axis] = size;
                self.has_room(sizes)
            })?;
            let levels = size - 2 * i64::from(self.rules.margin);
            self.fullest_slab(left[axis], axis, i32::try_from(levels).ok().filter(|&levels| levels > 0)?)
        });
        slabs.min_by_key(|slab| slab.outside)
    }

    /// Returns the slab of `levels` levels along an axis that contains the most particles of the box.
    fn fullest_slab(&self, [from, to]: [usize; 2], axis: usize, levels: i32) -> Option<NodeSlab> {
        let order = &self.by_axis[axis][from..to];
        let inside = || order.iter().map(|&row| row as usize).filter(|&row| self.inside[row]);
        let level = |row: usize| self.cells[row][axis];
        let (mut ahead, mut held, mut below) = (inside().peekable(), 0, 0);
        let count = inside().count();
        let mut fullest: Option<NodeSlab> = None;
        for first in inside() {
            while ahead.next_if(|&row| level(row) < level(first) + levels).is_some() {
                held += 1;
            }
            let outside = count - (held - below);
            if fullest.as_ref().is_none_or(|slab| outside < slab.outside) {
                fullest = Some(NodeSlab { axis, first: level(first), levels, outside });
            }
            below += 1;
        }
        fullest
    }

    /// Drops the particles beside the slab. Returns their number.
    fn drop_beside(&mut self, slab: &NodeSlab, [from, to]: [usize; 2]) -> usize {
        for place in from..to {
            let row = self.by_axis[slab.axis][place] as usize;
            self.inside[row] &= (slab.first..slab.first + slab.levels).contains(&self.cells[row][slab.axis]);
        }
        slab.outside
    }

    fn widest_gap(&self, [from, to]: [usize; 2], axis: usize) -> Option<Gap> {
        let rows = self.by_axis[axis][from..to].iter().map(|&row| row as usize);
        let (mut widest, mut before, mut count) = (None, None, 0);
        for row in rows.filter(|&row| self.inside[row]) {
            let level = self.cells[row][axis];
            let nodes = before.map_or(0, |before: i32| level.abs_diff(before));
            if nodes > widest.as_ref().map_or(0, |gap: &Gap| gap.nodes) {
                widest = Some(Gap { axis, nodes, level, below: count, above: 0 });
            }
            (before, count) = (Some(level), count + 1);
        }
        widest.map(|gap| Gap { above: count - gap.below, ..gap })
    }

    /// Skips dropped particles at both ends of each order; returns the bounds of the others.
    fn shrink(&self, left: &mut [[usize; 2]; 3]) -> LatticeBounds {
        let mut bounds = ([0; 3], [0; 3]);
        for (axis, [from, to]) in left.iter_mut().enumerate() {
            let order = &self.by_axis[axis];
            let inside = |place: usize| self.inside[order[place] as usize];
            while *from < *to && !inside(*from) {
                *from += 1;
            }
            while *to > *from && !inside(*to - 1) {
                *to -= 1;
            }
            let coordinate = |place: usize| i64::from(self.cells[order[place] as usize][axis]);
            bounds.0[axis] = coordinate(*from);
            bounds.1[axis] = coordinate(*to - 1);
        }
        bounds
    }

    /// Returns the outermost layer at one end of an axis: nodes gained without it, particles lost with it,
    /// and its coordinate. None if it is the last layer.
    fn face(&self, [from, to]: [usize; 2], axis: usize, side: usize) -> Option<(u32, usize, i32)> {
        let order = &self.by_axis[axis][from..to];
        let row = |i: usize| order[if side == 0 { i } else { order.len() - 1 - i }] as usize;
        let level = self.cells[row(0)][axis];
        let mut lost = 0;
        for i in 0..order.len() {
            let here = self.cells[row(i)][axis];
            if self.inside[row(i)] {
                if here != level {
                    return Some((here.abs_diff(level), lost, level));
                }
                lost += 1;
            }
        }
        None
    }

    fn drop_face(&mut self, [from, to]: [usize; 2], axis: usize, side: usize, level: i32) -> usize {
        let mut dropped = 0;
        let order = &self.by_axis[axis][from..to];
        for i in 0..order.len() {
            let row = order[if side == 0 { i } else { order.len() - 1 - i }] as usize;
            if self.cells[row][axis] != level {
                break;
            }
            dropped += usize::from(std::mem::replace(&mut self.inside[row], false));
        }
        dropped
    }
}
