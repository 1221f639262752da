//! The lattice box that a cloud of particles needs.

use super::wanted::{Wanted, box_of};
use super::{Anchor, GridShape};
use crate::math::Vec3Columns;
use fluid_threads::Executor;
use glam::{DVec3, I64Vec3, IVec3, UVec3, Vec3};

mod trim;

/// Rules for the boxes of a cloud.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExtentRules {
    /// Distance of nodes \[m\].
    pub spacing: f32,
    /// Nodes between the nearest node of the outermost particle and the faces of the box, at least 1.
    pub margin: u32,
    /// Maximum number of nodes, at least [`LEAST_GRID_NODES`](crate::constants::LEAST_GRID_NODES).
    pub max_nodes: usize,
    /// Number of fits after which a box shrinks along the axes on which a smaller size would have sufficed
    /// in all of them.
    pub patience: u32,
    /// Number of fits for which a box that leaves particles outside waits for the next one, if that was not
    /// expected.
    pub fits_ahead: u32,
    /// Upper bound on the memory \[bytes\] for the data of a node. A box of other sizes is taken or expected
    /// only if the executor [has](Executor::has_memory) so much for each of its nodes.
    pub bytes_per_node: usize,
}

crate::saved::fields!(ExtentRules { spacing, max_nodes } not {
    margin, patience, fits_ahead, bytes_per_node,
} check has_spacing);

impl ExtentRules {
    fn has_spacing(&self) -> bool {
        self.spacing.is_finite() && self.spacing > 0.0
    }
}

/// The box around a cloud. Its sizes are multiples of 8 nodes without prime factors above 7 and change only
/// when they must, or when smaller ones would have sufficed for long, so that data that depend on them are
/// rebuilt rarely. The spacing does not follow the cloud: if it needs more than the maximum number of
/// nodes, particles are left outside: first those across the widest gap, so that clusters stay whole, then
/// the emptiest faces or the particles beside the fullest slab, whichever are fewer, so that a stray costs
/// one particle and not the resolution of the others.
#[derive(Debug, Clone)]
pub struct Extent {
    rules: ExtentRules,
    /// Anchor of the lattices of every spacing.
    anchor: Anchor,
    shape: GridShape,
    /// Maximum number of nodes needed along each axis in the last `fit_counts` fits of a box of this size.
    most_needed: [i64; 3],
    fit_counts: [u32; 3],
    /// Nodes needed along each axis in the last fit, and their average increase per fit in the latest ones.
    needed: [i64; 3],
    growth: [f32; 3],
    /// The next box if the cloud continues to grow, or stays as small as it is; and the number of
    /// consecutive fits that expect it.
    expected: Option<NextBox>,
    expected_fits: u32,
    /// Nodes needed when the box was first kept although it does not enclose the whole cloud, or when the
    /// next box was last determined.
    stays_for: Option<[i64; 3]>,
    /// Fits until an unexpected next box is taken.
    fits_to_wait: u32,
    /// Nearest lattice points and whether they are still inside; only filled when particles must be left
    /// outside.
    cells: Vec<[i32; 3]>,
    inside: Vec<bool>,
    inside_before: Vec<bool>,
    by_axis: [Vec<u32>; 3],
}

crate::saved::fields!(Extent {
    rules, anchor, shape, most_needed, fit_counts, needed, growth, expected, expected_fits, stays_for, fits_to_wait,
} not { cells, inside, inside_before, by_axis } check is_plausible);

/// Sizes of boxes: lengths for which the solver's Fourier transforms have butterflies.
pub(crate) const BOX_SIZES: [i64; 23] =
    [8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 112, 120, 128, 144, 160, 168, 192, 200, 216, 224, 240, 256];
/// Margin of a smaller box over the maximum number of nodes needed \[nodes\].
const SLACK: i64 = 1;
/// Maximum number of nodes along an axis.
const LONGEST: i64 = BOX_SIZES[BOX_SIZES.len() - 1];
/// Distance from the world's origin, in spacings, beyond which a particle is outside of every box.
const FARTHEST_PARTICLE: f64 = (1 << 29) as f64;

/// If nodes are short, a box is kept as long as the particles outside times all particles, the pairs of
/// their sum, are at most one for this many nodes: a fiftieth of the cost of a mesh with these nodes.
const NODES_PER_PAIR: usize = 2;

/// If nodes are short, a box waits for the next one as long as the particles outside times all particles
/// are at most this many for each of its nodes: a sixth of the cost of a mesh with these nodes.
const PAIRS_PER_NODE: usize = 4;

/// Number of fits over which growth is averaged.
const FITS_OF_GROWTH: f32 = 64.0;

/// An expected box is taken if it exceeds a suitable box by at most one node in this many.
const MOST_SURPLUS: i64 = 4;

/// The box for a cloud that has grown a little, or has been small for long.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct NextBox {
    /// Nodes along each axis.
    pub dims: [usize; 3],
    /// False if the cloud must grow by two nodes first.
    pub is_soon: bool,
}

crate::saved::fields!(NextBox { dims, is_soon } check is_plausible);

impl NextBox {
    fn is_plausible(&self) -> bool {
        self.dims.iter().all(|&nodes| nodes as u64 <= LONGEST as u64)
    }
}

/// Lowest and highest lattice point, both inclusive.
type LatticeBounds = ([i64; 3], [i64; 3]);

impl Extent {
    /// Creates an empty box.
    pub fn new(rules: ExtentRules) -> Self {
        Self::at(Anchor::default(), rules)
    }

    /// Creates an empty box on a lattice with a node at the anchor.
    pub(crate) fn at(anchor: Anchor, rules: ExtentRules) -> Self {
        Self {
            rules,
            anchor,
            shape: GridShape::empty_at(anchor, rules.spacing),
            most_needed: [0; 3],
            fit_counts: [0; 3],
            needed: [0; 3],
            growth: [0.0; 3],
            expected: None,
            expected_fits: 0,
            stays_for: None,
            fits_to_wait: 0,
            cells: Vec::new(),
            inside: Vec::new(),
            inside_before: Vec::new(),
            by_axis: Default::default(),
        }
    }

    /// Returns the box; empty before the first fit and without particles.
    pub fn shape(&self) -> &GridShape {
        &self.shape
    }

    /// Returns the next box, if the cloud needs a larger one after growing by one or two nodes, or is about
    /// to get a smaller one.
    pub fn expected(&self) -> Option<NextBox> {
        self.expected
    }

    /// Returns the number of nodes of the box, or of the expected one if that is larger.
    pub fn most_nodes(&self) -> usize {
        let expected = self.expected.map_or(0, |next| next.dims.iter().product());
        self.shape.len().max(expected)
    }

    /// Sets the maximum number of nodes of the next box.
    pub fn set_max_nodes(&mut self, max_nodes: usize) {
        self.rules.max_nodes = max_nodes;
    }

    /// Sets the distance of nodes \[m\] of the next box, which is independent of this one.
    pub fn set_spacing(&mut self, spacing: f32) {
        self.rules.spacing = spacing;
        self.shape = GridShape::empty_at(self.anchor, spacing);
        (self.expected, self.expected_fits, self.stays_for) = (None, 0, None);
        self.fits_to_wait = 0;
        (self.needed, self.growth) = ([0; 3], [0.0; 3]);
    }

    /// Resets to the state before the first box, on a lattice with a node at the anchor; keeps its memory.
    pub(crate) fn restart(&mut self, anchor: Anchor) {
        let new = Self::at(anchor, self.rules);
        let Self { cells, inside, inside_before, by_axis, .. } = std::mem::replace(self, new);
        (self.cells, self.inside) = (cells, inside);
        (self.inside_before, self.by_axis) = (inside_before, by_axis);
    }

    /// Returns the rules for its boxes.
    pub(crate) fn rules(&self) -> ExtentRules {
        self.rules
    }

    /// Returns the anchor of its lattices.
    pub(crate) fn anchor(&self) -> Anchor {
        self.anchor
    }

    /// Sets the anchor of the next box's lattice; the next box is independent of this one.
    pub(crate) fn set_anchor(&mut self, anchor: Anchor) {
        self.anchor = anchor;
        self.set_spacing(self.rules.spacing);
    }

    /// Shifts the origin of the coordinates to `origin` \[m\]; the nodes keep their positions in the fluid.
    pub fn shift_origin(&mut self, origin: Vec3) {
        self.anchor.shift_origin(origin);
        self.shape.shift_origin(origin);
    }

    /// Copies a box of the same spacing.
    pub fn take_box(&mut self, other: &Self) {
        (self.anchor, self.shape) = (other.anchor, other.shape);
    }

    /// Fits the box to the `wanted` particles. Returns the number of these outside. Without memory for a box
    /// of other sizes, this one is kept.
    pub fn fit(&mut self, exec: &dyn Executor, positions: &Vec3Columns, wanted: impl Wanted + Sync) -> usize {
        let before = self.shape;
        let sizes = |extent: &Self| (extent.shape.dims(), extent.expected.map(|next| next.dims));
        let sizes_before = sizes(self);
        let outside = self.fit_freely(exec, positions, &wanted);
        let bytes = self.rules.bytes_per_node.saturating_mul(self.most_nodes());
        if sizes(self) == sizes_before || exec.has_memory(bytes) {
            return outside;
        }
        (self.shape, self.expected) = (before, None);
        let lattice = self.lattice();
        let is_outside = |position: Vec3| !lattice.point(position).is_some_and(|point| self.holds(point));
        let places = positions.iter().enumerate().filter(|(row, _)| is_wanted(&wanted, *row));
        places.filter(|(_, position)| is_outside(*position)).count()
    }

    fn fit_freely(
        &mut self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        wanted: &(impl Wanted + Sync),
    ) -> usize {
        let lattice = self.lattice();
        let cell = |position: Vec3| lattice.point(position);
        let is_wanted = |row: usize| is_wanted(wanted, row);
        let rows = || positions.iter().enumerate().filter(|(row, _)| is_wanted(*row)).map(|(_, p)| cell(p));
        let near = bounds_of(exec, positions, wanted, lattice).map(|bounds| (bounds, 0));
        let (bounds, far) = near.unwrap_or_else(|| {
            let (mut far, mut bounds) = (0, None);
            for point in rows() {
                match point {
                    Some(point) => bounds = Some(grown(bounds, point)),
                    None => far += 1,
                }
            }
            (bounds, far)
        });
        let Some(mut bounds) = bounds else {
            (self.expected, self.stays_for, self.fits_to_wait) = (None, None, 0);
            self.shape = self.shape.with_nodes(IVec3::ZERO, UVec3::ZERO);
            return far;
        };
        let mut outside = 0;
        let (is_full, has_waited) = (!self.fits(bounds), self.fits_to_wait > 0);
        if is_full || has_waited {
            // Another choice of particles to leave outside would often have another size.
            let beside = rows().flatten().filter(|&point| !self.holds(point)).count();
            let pairs = beside.saturating_mul(positions.len());
            let has_room = !self.shape.is_empty() && self.has_room(self.sizes_in_use());
            let can_wait = has_room && pairs <= self.shape.len().saturating_mul(PAIRS_PER_NODE);
            self.fits_to_wait = if can_wait { self.fits_to_wait.saturating_sub(1) } else { 0 };
            if self.fits_to_wait > 0 {
                return far + beside;
            }
            let stays = is_full && has_room && pairs <= self.shape.len() / NODES_PER_PAIR;
            let need = self.need(bounds);
            let is_known =
                self.stays_for == Some(need) || self.stays_for.is_some() && self.expected.is_some();
            if stays && is_known {
                return far + beside;
            }
            self.cells.clear();
            self.cells.extend(rows().flatten().map(|point| point.map(|v| v as i32)));
            (bounds, outside) = self.trim();
            let can_wait = can_wait && !has_waited && self.rules.fits_ahead > 0;
            let waits = can_wait && !self.expects(self.need(bounds));
            if stays || waits {
                self.expect_after_staying(self.need(bounds));
                self.stays_for = Some(need);
                self.fits_to_wait = if stays { 0 } else { self.rules.fits_ahead };
                return far + beside;
            }
        }
        self.place(bounds);
        far + outside
    }

    fn lattice(&self) -> AnchoredLattice {
        AnchoredLattice { anchor: self.shape.anchor(), spacing: f64::from(self.rules.spacing) }
    }

    fn sizes_in_use(&self) -> [i64; 3] {
        self.shape.dims().as_i64vec3().to_array()
    }

    /// Returns true if a particle at this lattice point is inside the box.
    fn holds(&self, point: [i64; 3]) -> bool {
        let (first, sizes) = (self.shape.first().as_i64vec3().to_array(), self.sizes_in_use());
        let margin = i64::from(self.rules.margin);
        (0..3).all(|axis| (margin..sizes[axis] - margin).contains(&(point[axis] - first[axis])))
    }

    /// Returns the number of nodes that the bounds need along each axis.
    fn need(&self, (low, high): LatticeBounds) -> [i64; 3] {
        std::array::from_fn(|axis| high[axis] - low[axis] + 1 + 2 * i64::from(self.rules.margin))
    }

    fn fits(&self, bounds: LatticeBounds) -> bool {
        self.has_room(self.need(bounds).map(rounded_up))
    }

    /// False for numbers of nodes that no cloud needs, with which sizes would overflow.
    fn is_plausible(&self) -> bool {
        let Self { most_needed, needed, stays_for, growth, .. } = self;
        let needs = [Some(*most_needed), Some(*needed), *stays_for];
        let most = 4 * FARTHEST_PARTICLE as i64;
        needs.iter().flatten().flatten().all(|need| (0..=most).contains(need))
            && growth.iter().all(|growth| growth.is_finite())
    }

    fn has_room(&self, dims: [i64; 3]) -> bool {
        dims.iter().all(|&n| n <= LONGEST) && dims.iter().product::<i64>() <= self.rules.max_nodes as i64
    }

    /// Returns true if the box for this `need` has the sizes in use, or was expected.
    fn expects(&self, need: [i64; 3]) -> bool {
        let old = self.sizes_in_use();
        let dims = self.sizes(need, old);
        dims == old || self.expected_for(need, dims).is_some()
    }

    /// Keeps the box although there are particles outside. Expects the one for the `need` of the particles
    /// that would be inside now.
    fn expect_after_staying(&mut self, need: [i64; 3]) {
        let (dims, old) = (self.sizes(need, self.sizes_in_use()), self.sizes_in_use());
        self.expected_fits = 0;
        self.expected =
            (dims != old).then(|| NextBox { dims: dims.map(|nodes| nodes as usize), is_soon: true });
    }

    /// Keeps the sizes that are suitable, and the position if all are; otherwise centres the box.
    fn place(&mut self, bounds: LatticeBounds) {
        let need = self.need(bounds);
        self.note_growth(need);
        let old = self.sizes_in_use();
        let mut dims = self.sizes(need, old);
        let outgrows = (0..3).any(|axis| need[axis] > old[axis]) || self.stays_for.is_some();
        if outgrows && let Some(expected) = self.expected_for(need, dims) {
            dims = expected;
        }
        self.stays_for = None;
        let mut smaller = dims;
        let Extent { most_needed, fit_counts, rules, .. } = self;
        for axis in 0..3 {
            let (most, count) = (&mut most_needed[axis], &mut fit_counts[axis]);
            let is_new = dims[axis] != old[axis];
            (*most, *count) =
                if is_new { (need[axis], 0) } else { (need[axis].max(*most), count.saturating_add(1)) };
            let sufficient = rounded_up(*most + SLACK).min(dims[axis]);
            if sufficient == dims[axis] && *count >= rules.patience {
                (*most, *count) = (need[axis], 0);
            } else if *count >= rules.patience - rules.patience / 2 {
                smaller[axis] = sufficient;
            }
        }
        // A smaller box is not urgent, so it waits until it has been expected for long.
        let was_expected = self.expected.is_some_and(|next| next.dims == smaller.map(|nodes| nodes as usize));
        if smaller != dims && was_expected && self.expected_fits >= self.rules.patience / 2 {
            dims = smaller;
        }
        let expected = self.next_box(need, dims, smaller);
        let is_the_same = expected.map(|next| next.dims) == self.expected.map(|next| next.dims);
        self.expected_fits = if is_the_same { self.expected_fits.saturating_add(1) } else { 0 };
        self.expected = expected;
        let margin = i64::from(self.rules.margin);
        let first: [i64; 3] = std::array::from_fn(|axis| {
            let (low, high) = (bounds.0[axis] - margin, bounds.1[axis] + margin);
            let kept = i64::from(self.shape.first()[axis]);
            let covers = dims == old && kept <= low && high < kept + dims[axis];
            if covers { kept } else { low - (dims[axis] - need[axis]) / 2 }
        });
        let [dims, first] = [dims, first].map(I64Vec3::from_array);
        self.shape = self.shape.with_nodes(first.as_ivec3(), dims.as_uvec3());
    }

    /// Returns the sizes for this need: along each axis the old one, if it is neither too small nor much
    /// too large.
    fn sizes(&self, need: [i64; 3], old: [i64; 3]) -> [i64; 3] {
        let smallest = need.map(rounded_up);
        let sizes = std::array::from_fn(|axis| {
            let suits = (need[axis]..=rounded_up(smallest[axis] + 1)).contains(&old[axis]);
            if suits { old[axis] } else { smallest[axis] }
        });
        if self.has_room(sizes) { sizes } else { smallest }
    }

    fn note_growth(&mut self, need: [i64; 3]) {
        for (growth, (need, needed)) in self.growth.iter_mut().zip(need.into_iter().zip(self.needed)) {
            let more = (need - needed).clamp(-1, 1) as f32;
            *growth += (more - *growth) / FITS_OF_GROWTH;
        }
        self.needed = need;
    }

    /// Returns the sizes of the expected box, if they suffice for this `need` and hardly exceed the
    /// suitable ones.
    fn expected_for(&self, need: [i64; 3], suitable: [i64; 3]) -> Option<[i64; 3]> {
        let dims = self.expected?.dims.map(|nodes| nodes as i64);
        let is_enough = (0..3).all(|axis| dims[axis] >= need[axis]) && self.has_room(dims);
        let [nodes, least]: [i64; 2] = [dims, suitable].map(|dims| dims.iter().product());
        (is_enough && nodes <= least + least / MOST_SURPLUS).then_some(dims)
    }

    /// Returns the box after one of the sizes `dims`: the `smaller` one if there is one, otherwise that of
    /// a cloud that needs one or two nodes more along each axis, or, if that exceeds the maximum, along a
    /// single one, the fastest-growing axis first.
    fn next_box(&self, need: [i64; 3], dims: [i64; 3], smaller: [i64; 3]) -> Option<NextBox> {
        let along_all = |way: i64| [way; 3];
        let along = |axis: usize, way: i64| std::array::from_fn(|i| if i == axis { way } else { 0 });
        let mut axes = [0, 1, 2];
        axes.sort_by(|&a, &b| self.growth[b].total_cmp(&self.growth[a]));
        let ways = |way: i64| [along_all(way), along(axes[0], way), along(axes[1], way), along(axes[2], way)];
        let grown = |way: i64| {
            let more = ways(way).into_iter();
            let sizes = more.map(move |more| self.sizes(std::array::from_fn(|i| need[i] + more[i]), dims));
            sizes.map(move |sizes| (sizes, way == 1))
        };
        let mut boxes = std::iter::once((smaller, true)).chain(grown(1)).chain(grown(2));
        let (sizes, is_soon) = boxes.find(|(sizes, _)| *sizes != dims && self.has_room(*sizes))?;
        Some(NextBox { dims: sizes.map(|nodes| nodes as usize), is_soon })
    }
}

fn is_wanted(wanted: &impl Wanted, row: usize) -> bool {
    let mut is_wanted = [false];
    wanted.mark(row, &mut is_wanted);
    is_wanted[0]
}

/// Returns the number of nodes of the box around particles that extend over so many spacings; None if it
/// would be longer than any box.
pub(crate) fn box_nodes(extent: Vec3, margin: u32) -> Option<usize> {
    // NaN fails as well.
    if !extent.cmple(Vec3::splat(LONGEST as f32)).all() {
        return None;
    }
    let sizes = extent.to_array().map(|extent| rounded_up(extent.ceil() as i64 + 1 + 2 * i64::from(margin)));
    sizes.iter().all(|&size| size <= LONGEST).then(|| sizes.iter().product::<i64>() as usize)
}

/// Returns the smallest size of a box with at least `nodes` nodes; beyond the largest size, `nodes` itself.
fn rounded_up(nodes: i64) -> i64 {
    BOX_SIZES.into_iter().find(|&size| size >= nodes).unwrap_or(nodes)
}

/// Returns the bounds of the wanted particles, `Some(None)` if there are none; None if one of them is too
/// far from the origin or not finite.
fn bounds_of(
    exec: &dyn Executor,
    positions: &Vec3Columns,
    wanted: &(impl Wanted + Sync),
    lattice: AnchoredLattice,
) -> Option<Option<LatticeBounds>> {
    let Some((low, high)) = box_of(exec, positions, wanted)? else { return Some(None) };
    // Lattice points have the order of coordinates.
    Some(Some((lattice.point(low)?, lattice.point(high)?)))
}

/// All points that are whole multiples of the spacing from the anchor.
#[derive(Clone, Copy)]
struct AnchoredLattice {
    /// Position of lattice point 0 \[m\].
    anchor: DVec3,
    /// Distance of lattice points \[m\].
    spacing: f64,
}

impl AnchoredLattice {
    /// Returns the lattice point nearest to a position \[m\]; None if it is too far from the origin, or not
    /// finite.
    fn point(self, place: Vec3) -> Option<[i64; 3]> {
        let point = (place.as_dvec3() - self.anchor) / self.spacing + 0.5;
        // Symmetric about the origin after rounding down. NaN fails.
        let is_near =
            point.cmpge(DVec3::splat(1.0 - FARTHEST_PARTICLE)) & point.cmplt(DVec3::splat(FARTHEST_PARTICLE));
        is_near.all().then(|| floor(point).as_i64vec3().to_array())
    }
}

/// Rounds values between ±2³¹ down. Truncation is an instruction, where `DVec3::floor` calls a function.
fn floor(v: DVec3) -> IVec3 {
    let cut = v.as_ivec3();
    let above = cut.as_dvec3().cmpgt(v);
    cut - IVec3::new(i32::from(above.x), i32::from(above.y), i32::from(above.z))
}

fn grown(bounds: Option<LatticeBounds>, point: [i64; 3]) -> LatticeBounds {
    let (low, high) = bounds.unwrap_or((point, point));
    (
        std::array::from_fn(|axis| low[axis].min(point[axis])),
        std::array::from_fn(|axis| high[axis].max(point[axis])),
    )
}
