//! Which box of the lattice a cloud of particles needs.

use super::GridShape;
use crate::math::Vec3Columns;
use glam::{I64Vec3, UVec3, Vec3};

/// What boxes may be like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExtentRules {
    /// Distance of nodes \[m\].
    pub spacing: f32,
    /// Nodes between the nearest node of the outermost particle and the faces of the box, at least 1.
    pub margin: u32,
    /// Most nodes, at least [`LEAST_GRID_NODES`](crate::constants::LEAST_GRID_NODES).
    pub max_nodes: usize,
}

/// The box around a cloud. Its sizes are multiples of 8 nodes without prime factors above 5 and change only
/// when they must, so that whatever depends on them is rebuilt rarely. The spacing does not follow the cloud:
/// where this needs more nodes than there may be, particles are left outside: first what is across the widest
/// gap, so that clusters stay whole, then the emptiest faces, so that a stray costs one particle and not
/// the resolution of the others.
#[derive(Debug, Clone)]
pub struct Extent {
    rules: ExtentRules,
    shape: GridShape,
    /// Nearest lattice points and whether they are still inside; only filled when particles must be left
    /// outside.
    cells: Vec<[i32; 3]>,
    inside: Vec<bool>,
    by_axis: [Vec<u32>; 3],
}

/// Sizes of boxes: lengths that the solver's Fourier transforms have butterflies for.
pub(crate) const BOX_SIZES: [i64; 19] =
    [8, 16, 24, 32, 40, 48, 64, 72, 80, 96, 120, 128, 144, 160, 192, 200, 216, 240, 256];
/// Most nodes along an axis.
const LONGEST: i64 = BOX_SIZES[BOX_SIZES.len() - 1];
/// Beyond this many spacings from the world's origin a particle is outside of every box.
const FARTHEST: f64 = (1 << 29) as f64;

/// Most times that what is across a gap is left outside: each looks at all particles.
const MOST_GAPS: usize = 64;

/// Empty planes of nodes.
struct Gap {
    axis: usize,
    /// How far those on both sides are apart \[nodes\].
    nodes: u32,
    /// Where those above begin.
    level: i32,
    /// Particles on both sides.
    below: usize,
    above: usize,
}

/// Lowest and highest lattice point, both included.
type Bounds = ([i64; 3], [i64; 3]);

impl Extent {
    /// An empty box.
    pub fn new(rules: ExtentRules) -> Self {
        Self {
            rules,
            shape: GridShape::new(rules.spacing, glam::IVec3::ZERO, UVec3::ZERO),
            cells: Vec::new(),
            inside: Vec::new(),
            by_axis: Default::default(),
        }
    }

    /// The box; empty before the first fit and without particles.
    pub fn shape(&self) -> &GridShape {
        &self.shape
    }

    /// Changes how many nodes the next box may have.
    pub fn set_max_nodes(&mut self, max_nodes: usize) {
        self.rules.max_nodes = max_nodes;
    }

    /// Changes the distance of nodes \[m\] of the next box, which takes nothing over from this one.
    pub fn set_spacing(&mut self, spacing: f32) {
        self.rules.spacing = spacing;
        self.shape = GridShape::new(spacing, glam::IVec3::ZERO, UVec3::ZERO);
    }

    /// Takes over a box of the same spacing.
    pub fn set_shape(&mut self, shape: &GridShape) {
        self.shape = *shape;
    }

    /// Fits the box to the particles for which `wanted(row)` holds. Returns how many of them are outside.
    pub fn fit(&mut self, positions: &Vec3Columns, wanted: impl Fn(usize) -> bool) -> usize {
        let cell = |position: Vec3| lattice_point(position, self.rules.spacing);
        let rows = || positions.iter().enumerate().filter(|(row, _)| wanted(*row)).map(|(_, p)| cell(p));
        let mut far = 0;
        let mut bounds: Option<Bounds> = None;
        for point in rows() {
            match point {
                Some(point) => bounds = Some(grown(bounds, point)),
                None => far += 1,
            }
        }
        let Some(mut bounds) = bounds else {
            self.shape = GridShape::new(self.rules.spacing, glam::IVec3::ZERO, UVec3::ZERO);
            return far;
        };
        let mut outside = 0;
        if !self.fits(bounds) {
            self.cells.clear();
            self.cells.extend(rows().flatten().map(|point| point.map(|v| v as i32)));
            (bounds, outside) = self.trim();
        }
        self.place(bounds);
        far + outside
    }

    /// Nodes that the bounds need along each axis.
    fn need(&self, (low, high): Bounds) -> [i64; 3] {
        std::array::from_fn(|axis| high[axis] - low[axis] + 1 + 2 * i64::from(self.rules.margin))
    }

    fn fits(&self, bounds: Bounds) -> bool {
        let dims = self.need(bounds).map(rounded_up);
        dims.iter().all(|&n| n <= LONGEST) && dims.iter().product::<i64>() <= self.rules.max_nodes as i64
    }

    /// Keeps sizes and place if they suit, else takes the smallest sizes and centres the box.
    fn place(&mut self, bounds: Bounds) {
        let need = self.need(bounds);
        let old = self.shape.dims().as_i64vec3().to_array();
        let suits = |axis: usize| (need[axis]..=rounded_up(rounded_up(need[axis]) + 1)).contains(&old[axis]);
        let roomy = old.iter().product::<i64>() <= self.rules.max_nodes as i64;
        let dims = if roomy && (0..3).all(suits) { old } else { need.map(rounded_up) };
        let margin = i64::from(self.rules.margin);
        let first: [i64; 3] = std::array::from_fn(|axis| {
            let (low, high) = (bounds.0[axis] - margin, bounds.1[axis] + margin);
            let kept = i64::from(self.shape.first()[axis]);
            let covers = dims == old && kept <= low && high < kept + dims[axis];
            if covers { kept } else { low - (dims[axis] - need[axis]) / 2 }
        });
        let [dims, first] = [dims, first].map(I64Vec3::from_array);
        self.shape = GridShape::new(self.rules.spacing, first.as_ivec3(), dims.as_uvec3());
    }

    /// Leaves particles outside until the rest fits, and returns its bounds and how many are outside. Each
    /// time that face of the bounding box moves inwards that gains the most nodes per particle: what is
    /// outside is summed directly, so what counts is how many.
    fn trim(&mut self) -> (Bounds, usize) {
        let count = self.cells.len();
        self.inside.clear();
        self.inside.resize(count, true);
        for (axis, order) in self.by_axis.iter_mut().enumerate() {
            order.clear();
            order.extend(0..count as u32);
            let cells = &self.cells;
            order.sort_unstable_by_key(|&row| (cells[row as usize][axis], row));
        }
        // What is left of each axis' order: from, to (behind the last).
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
        loop {
            let bounds = self.shrink(&mut left);
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

    /// Leaves the smaller part of those inside outside that is across the widest gap along any axis, if that
    /// is wider than two margins. Returns how many these are.
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

    /// Skips particles that are outside already at both ends of each order; returns the bounds of those
    /// inside.
    fn shrink(&self, left: &mut [[usize; 2]; 3]) -> Bounds {
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

    /// The outermost layer at one end of an axis: nodes gained without it, particles lost with it, and its
    /// coordinate. None if nothing else is left.
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

/// The smallest size of a box that has so many nodes; beyond the largest one the number of nodes itself.
fn rounded_up(nodes: i64) -> i64 {
    BOX_SIZES.into_iter().find(|&size| size >= nodes).unwrap_or(nodes)
}

/// The lattice point nearest to a place \[m\]; None if it is too far from the origin, or not finite.
fn lattice_point(place: Vec3, spacing: f32) -> Option<[i64; 3]> {
    let point = (place.as_dvec3() / f64::from(spacing) + 0.5).floor();
    point.abs().cmplt(glam::DVec3::splat(FARTHEST)).all().then(|| point.as_i64vec3().to_array())
}

fn grown(bounds: Option<Bounds>, point: [i64; 3]) -> Bounds {
    let (low, high) = bounds.unwrap_or((point, point));
    (
        std::array::from_fn(|axis| low[axis].min(point[axis])),
        std::array::from_fn(|axis| high[axis].max(point[axis])),
    )
}
