//! Density and dye on nodes, deposited from the vortons.

use super::box_division::{BoxDivision, MOST_BOXES};
use super::smoothed::{BATCH, Linear, Smoothed};
use super::{Ambient, EquationOfState, ScalarSample};
use crate::boundary::walls::WallNodes;
use crate::constants::{DENSITY_MARGIN, DENSITY_NODES_PER_CORE, LEAST_GRID_NODES};
use crate::grid::{Anchor, Domain, Extent, ExtentRules, GridShape, NodeOrder, Splines, deposit};
use crate::lanes::{InstructionSet, Job, LaneBlock, Lanes, dispatch_exact};
use crate::math::{at_least, exactly};
use crate::particles::{ScalarQuantity, Vortons};
use crate::saved::{LoadError, Reader, Saved, Writer, check, save_list};
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{Vec2, Vec3, Vec4};

/// Mass, volume and dye of the vortons on a lattice with a spacing of a fixed fraction of the core radius:
/// about the distance of vortons in a volume. Empty if no vorton carries mass or dye.
#[derive(Debug, Clone)]
pub struct ScalarGrid {
    extent: Extent,
    max_nodes: usize,
    order: NodeOrder,
    /// Per node: mass deviation \[kg\], volume \[m³\], dye \[m³\], volume times age \[m³ s\].
    nodes: Vec<Vec4>,
    /// Per node: density deviation \[kg/m³\] and concentration of dye, from which samples interpolate. Empty
    /// until first needed.
    seen: Vec<Vec2>,
    /// Node values for linear interpolation. Empty if samples use the spline.
    smoothed: Smoothed,
    /// Boxes around vortons too far away for this one, and the number in use; the others keep their memory.
    others: Vec<ScalarGrid>,
    used: usize,
    /// The box is that of the vortons in this domain.
    domain: Domain,
    /// Domains of the first other boxes; further ones are around what is left.
    domains: Vec<Domain>,
    /// Calls of [`set`](Self::set) until a better division is sought.
    sets_to_wait: u32,
    division: BoxDivision,
}

/// Deposits from one search for a better division to the next.
const SETS_BETWEEN_DIVISIONS: u32 = 16;

/// Upper bound on the memory \[bytes\] for a node: values, gradients, sources, walls, free bodies and halo,
/// each also in the fields published before.
const BYTES_PER_NODE: usize = 256;

impl ScalarGrid {
    /// An empty grid for cores of this radius \[m\], with at most `max_nodes` nodes.
    pub fn new(core_radius: f32, max_nodes: usize) -> Self {
        Self::at(Anchor::default(), core_radius, max_nodes)
    }

    /// Returns an empty grid on a lattice with a node at the anchor.
    fn at(anchor: Anchor, core_radius: f32, max_nodes: usize) -> Self {
        let spacing = core_radius / DENSITY_NODES_PER_CORE;
        // A box that shrinks would save few nodes, and the walls of containers would have to be found anew.
        let rules = ExtentRules {
            spacing,
            margin: DENSITY_MARGIN,
            max_nodes,
            patience: u32::MAX,
            fits_ahead: 0,
            bytes_per_node: BYTES_PER_NODE,
        };
        Self {
            extent: Extent::at(anchor, rules),
            max_nodes,
            order: NodeOrder::default(),
            nodes: Vec::new(),
            seen: Vec::new(),
            smoothed: Smoothed::default(),
            others: Vec::new(),
            used: 0,
            domain: Domain::ALL,
            domains: Vec::new(),
            sets_to_wait: 0,
            division: BoxDivision::default(),
        }
    }

    /// An empty grid on the same lattice.
    fn another(&self, max_nodes: usize) -> Self {
        Self::at(self.extent.anchor(), self.shape().spacing() * DENSITY_NODES_PER_CORE, max_nodes)
    }

    /// Empties the grid and puts it on the lattice of `other`, which has followed shifts of the origin.
    pub fn follow_lattice(&mut self, other: &Self) {
        *self = Self {
            extent: Extent::at(other.extent.anchor(), self.extent.rules()),
            ..self.another(self.max_nodes)
        };
    }

    /// Moves the origin to `origin` \[m\]; the nodes stay at the same points of the fluid.
    pub fn shift_origin(&mut self, origin: Vec3) {
        self.extent.shift_origin(origin);
        self.domain.shift_origin(origin);
        self.domains.iter_mut().for_each(|domain| domain.shift_origin(origin));
        self.others.iter_mut().for_each(|other| other.shift_origin(origin));
    }

    /// Reserves memory for `capacity` vortons.
    pub fn reserve(&mut self, capacity: usize) {
        self.order.reserve(capacity);
        self.division.reserve(capacity);
    }

    /// Copies from `other` all that sampling needs; allocates only to grow.
    pub fn copy_from(&mut self, other: &Self) {
        self.extent.take_box(&other.extent);
        (self.domain, self.sets_to_wait) = (other.domain, other.sets_to_wait);
        self.domains.clone_from(&other.domains);
        self.nodes.clone_from(&other.nodes);
        self.seen.clone_from(&other.seen);
        self.smoothed.clone_from(&other.smoothed);
        self.used = other.used;
        while self.others.len() < other.used {
            self.others.push(self.another(self.max_nodes));
        }
        for (own, other) in self.others.iter_mut().zip(other.others()) {
            own.copy_from(other);
        }
    }

    /// Boxes around fluid too far away for this one. Each vorton's mass and dye are in one box.
    pub fn others(&self) -> &[Self] {
        &self.others[..self.used]
    }

    /// Returns the number of nodes in all boxes.
    pub fn node_count(&self) -> usize {
        self.nodes.len() + self.others().iter().map(|other| other.nodes.len()).sum::<usize>()
    }

    /// Deposits the vortons (E23). Clusters of vortons with mass or dye that are far apart, or too far for
    /// one box of at most `max_nodes` nodes, get boxes of their own, all together with twice as many nodes.
    /// Returns the number of vortons in none of them. Vortons with values that are not finite are skipped.
    pub fn set(&mut self, exec: &dyn Executor, vortons: &Vortons) -> usize {
        self.set_in(&mut Vec::new(), exec, vortons)
    }

    /// Does the same in borrowed memory, overwriting its contents.
    pub(crate) fn set_in(
        &mut self,
        scratch: &mut Vec<LaneBlock>,
        exec: &dyn Executor,
        vortons: &Vortons,
    ) -> usize {
        self.divide(vortons);
        let mut outside = self.set_box(scratch, exec, vortons, &|_| false);
        if self.nodes.is_empty() && !self.domains.is_empty() {
            // The first box, without vortons left, would hide the others.
            self.divide(vortons);
            outside = self.set_box(scratch, exec, vortons, &|_| false);
        }
        self.set_others(scratch, exec, vortons, outside)
    }

    /// Deposits the vortons in other boxes than the first, which leaves so many of its domain outside.
    /// Returns the number in none.
    fn set_others(
        &mut self,
        scratch: &mut Vec<LaneBlock>,
        exec: &dyn Executor,
        vortons: &Vortons,
        mut outside: usize,
    ) -> usize {
        let (used_before, divided) = (self.used, self.domains.len());
        let mut room = (2 * self.max_nodes).saturating_sub(self.nodes.len());
        self.used = 0;
        while (outside > 0 || self.used < divided) && self.used < MOST_BOXES && room >= LEAST_GRID_NODES {
            let mut others = std::mem::take(&mut self.others);
            if others.len() == self.used {
                others.push(self.another(room));
            }
            let (done, rest) = others.split_at_mut(self.used);
            if self.used >= used_before {
                // Its history is discarded, because a saved state does not contain it.
                rest[0].extent.restart(self.extent.anchor());
            }
            rest[0].domain = self.domains.get(self.used).copied().unwrap_or(Domain::ALL);
            rest[0].extent.set_max_nodes(room.min(self.max_nodes));
            let before = |place| self.holds(place) || done.iter().any(|grid| grid.holds(place));
            let left = rest[0].set_box(scratch, exec, vortons, &before);
            // A box of a domain knows only its own; one around what is left counts all.
            outside = if self.used < divided { outside + left } else { left };
            let nodes = rest[0].nodes.len();
            self.others = others;
            if nodes == 0 && self.used >= divided {
                break;
            }
            room = room.saturating_sub(nodes);
            self.used += 1;
        }
        // There may be too few nodes for all domains.
        if self.used < divided { self.count_outside(vortons) } else { outside }
    }

    /// Counts the vortons with mass or dye in none of the boxes in use.
    fn count_outside(&self, vortons: &Vortons) -> usize {
        let held = |place| self.holds(place) || self.others().iter().any(|grid| grid.holds(place));
        let outside = |row: &usize| carries(vortons, *row) && !held(vortons.positions.get(*row));
        (0..vortons.len()).filter(outside).count()
    }

    /// Divides the vortons between boxes, if another division costs less than the present one: a box around
    /// two clusters is mostly empty.
    fn divide(&mut self, vortons: &Vortons) {
        if self.sets_to_wait > 0 && !self.nodes.is_empty() {
            self.sets_to_wait -= 1;
            return;
        }
        self.sets_to_wait = SETS_BETWEEN_DIVISIONS - 1;
        let spacing = self.shape().spacing();
        let nodes = self.division.find(&vortons.positions, spacing, |row| carries(vortons, row));
        let parts = self.division.domains().len();
        let cost = BoxDivision::cost_of(nodes, parts.saturating_sub(1), vortons.len());
        let others = self.others().iter().filter(|other| !other.nodes.is_empty()).count();
        let present = BoxDivision::cost_of(self.node_count(), others, vortons.len());
        let is_better = self.nodes.is_empty() || cost + cost / 4 < present;
        if parts < 2 && self.domains.is_empty() || !is_better {
            return;
        }
        let mut domains = self.division.domains();
        self.domain = domains.next().unwrap_or(Domain::ALL);
        self.domains.clear();
        self.domains.extend(domains);
        let anchor = self.extent.anchor();
        self.extent.restart(anchor);
        self.used = 0;
    }

    /// Deposits mass and dye of the vortons that are not in a box `before` this one, and the volume of all.
    /// Returns the number of vortons with mass or dye that are neither there nor in this box.
    fn set_box(
        &mut self,
        scratch: &mut Vec<LaneBlock>,
        exec: &dyn Executor,
        vortons: &Vortons,
        before: &(dyn Fn(Vec3) -> bool + Sync),
    ) -> usize {
        let (Vortons { positions, .. }, domain) = (vortons, self.domain);
        let carried = |row: usize| carried(vortons, row);
        let is_wanted = |row: usize| {
            let place = positions.get(row);
            carries(vortons, row) && domain.contains(place) && !before(place)
        };
        let outside = self.extent.fit(exec, positions, is_wanted);
        let shape = *self.extent.shape();
        exactly(&mut self.nodes, shape.len(), Vec4::ZERO);
        self.seen.clear();
        self.smoothed.clear();
        self.used = 0;
        if shape.is_empty() {
            return outside;
        }
        let numbers = NodeOrder::numbers_for(&shape, positions.len());
        let counts = at_least(scratch, LaneBlock::count_of::<u32>(numbers), LaneBlock::ZERO);
        let counts = &mut LaneBlock::numbers_mut(counts)[..numbers];
        let wanted = |row| carried(row) != Vec4::ZERO && carried(row).is_finite();
        self.order.sort_in(exec, counts, &shape, positions, wanted);
        // Mass left outside, or in another box, does not count here, but the volume that it occupies does.
        // The margin has to be free of mass: its gradient would be cut off at the faces, and the baroclinic
        // source would not sum to zero.
        let here = |row: usize| {
            let (carried, place) = (carried(row), positions.get(row));
            let counts = (carried.x != 0.0 || carried.z != 0.0) && holds(&shape, place) && !before(place);
            if counts { carried } else { Vec4::new(0.0, carried.y, 0.0, carried.w) }
        };
        deposit(exec, &shape, &self.order, positions, &here, &mut self.nodes);
        outside
    }

    /// Returns an upper bound \[bytes\] on the memory for the nodes of all boxes.
    pub(crate) fn memory(&self) -> usize {
        let others: usize = self.others.iter().map(|other| other.memory()).sum();
        BYTES_PER_NODE * self.extent.most_nodes() + others
    }

    /// True if the mass of a vorton at this position belongs to this box.
    fn holds(&self, place: Vec3) -> bool {
        holds(self.shape(), place)
    }

    /// Returns the deposited vortons, sorted by node. Valid only while the shape has nodes.
    pub(crate) fn order(&self) -> &NodeOrder {
        &self.order
    }

    /// Returns the positions of the nodes; empty if no vorton carries mass or dye.
    pub fn shape(&self) -> &GridShape {
        self.extent.shape()
    }

    /// Per node: mass deviation \[kg\], volume \[m³\], dye \[m³\], volume times age \[m³ s\].
    pub fn nodes(&self) -> &[Vec4] {
        &self.nodes
    }

    /// As [`nodes`](Self::nodes), to be changed and changed back.
    pub(crate) fn nodes_mut(&mut self) -> &mut [Vec4] {
        &mut self.nodes
    }

    /// As [`others`](Self::others).
    pub(crate) fn others_mut(&mut self) -> &mut [Self] {
        &mut self.others[..self.used]
    }

    /// Computes the values of samples on the nodes of all boxes, next to walls the wall-corrected ones (E42).
    /// They are valid until vortons are deposited again.
    pub(crate) fn see(&mut self, exec: &dyn Executor, walls: &WallNodes) {
        let of_others = walls.others();
        for (i, other) in self.others[..self.used].iter_mut().enumerate() {
            other.see(exec, of_others.get(i).unwrap_or(&WallNodes::default()));
        }
        let contents = walls.contents();
        let per_volume = 1.0 / self.shape().cell_volume();
        // Empty meanwhile, so that `node` computes the values without walls.
        let mut seen = std::mem::take(&mut self.seen);
        exactly(&mut seen, self.nodes.len(), Vec2::ZERO);
        let chunk = self.shape().plane_len().max(1);
        for_each_chunk_mut(exec, chunk, seen.as_mut_slice(), &|first, seen: &mut [Vec2]| {
            for (i, seen) in seen.iter_mut().enumerate() {
                *seen = match contents {
                    Some(contents) if walls.holds(first + i) => contents[first + i] * per_volume,
                    _ => self.node(first + i).into(),
                };
            }
        });
        self.seen = seen;
    }

    /// Switches samples to linear interpolation between the spline's values at the nodes, from the values of
    /// [`see`](Self::see) and valid as long.
    pub(crate) fn smooth(&mut self, exec: &dyn Executor) {
        self.others[..self.used].iter_mut().for_each(|other| other.smooth(exec));
        self.smoothed.set(exec, self.extent.shape(), &self.seen);
    }

    /// Returns the density deviation \[kg/m³\] and concentration of dye at a node: mass and dye over the
    /// larger of the cell's volume and the deposited volume, so gaps between vortons count as ambient fluid
    /// and overlapping vortons do not raise the density. Next to a wall, the wall-corrected value (E42).
    pub fn node(&self, index: usize) -> (f32, f32) {
        if let Some(seen) = self.seen.get(index) {
            return (*seen).into();
        }
        let node = self.nodes[index];
        if node.x == 0.0 && node.z == 0.0 {
            return (0.0, 0.0);
        }
        let per_volume = 1.0 / node.y.max(self.shape().cell_volume());
        (node.x * per_volume, node.z * per_volume)
    }

    /// Returns the density deviation \[kg/m³\] and concentration of dye at a point \[m\], by the quadratic
    /// spline; (0, 0) outside.
    ///
    /// `splines` are those of this box; other boxes are sampled as well.
    pub fn sample(&self, splines: &Splines, place: Vec3) -> (f32, f32) {
        let mut sum = self.sample_box(splines, place);
        for other in self.others() {
            let (deviation, dye) = other.sample(&Splines::new(other.shape()), place);
            sum = (sum.0 + deviation, sum.1 + dye);
        }
        sum
    }

    /// The same in this box alone.
    fn sample_box(&self, splines: &Splines, place: Vec3) -> (f32, f32) {
        let Some(spline) = splines.at(place).filter(|_| !self.nodes.is_empty()) else { return (0.0, 0.0) };
        if !self.seen.is_empty() {
            return spline.value(&self.seen).into();
        }
        let mut sum = Vec2::ZERO;
        spline.for_each_node(|index, weight| sum += Vec2::from(self.node(index)) * weight);
        sum.into()
    }

    /// Returns the density deviation \[kg/m³\] of the fluid at a point \[m\] beside a surface, with only the
    /// fraction `open` (1/2 to 1) of its surroundings in the fluid: the deposited mass over the deposited
    /// volume, or over that fraction of a cell where less was deposited. A surface that keeps vortons out
    /// therefore does not thin out the fluid beside it, while gaps between vortons are ambient fluid. 0
    /// outside the grid.
    pub fn deviation_beside(&self, splines: &Splines, place: Vec3, open: f32) -> f32 {
        if self.nodes.is_empty() {
            return 0.0;
        }
        let least = open.clamp(0.5, 1.0) * self.shape().cell_volume();
        let own = splines.at(place).map_or(0.0, |spline| {
            let sum = spline.value(&self.nodes);
            sum.x / sum.y.max(least)
        });
        let others = self.others().iter();
        own + others.map(|grid| grid.deviation_beside(&Splines::new(grid.shape()), place, open)).sum::<f32>()
    }

    /// Samples density, temperature and dye at each point \[m\].
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn scalars(
        &self,
        (ambient, state): (&Ambient, EquationOfState),
        set: InstructionSet,
        places: &[Vec3],
        out: &mut [ScalarSample],
    ) {
        assert_eq!(places.len(), out.len(), "one sample for each place");
        for (places, out) in places.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            let mut values = [Vec3::ZERO; BATCH];
            let values = &mut values[..places.len()];
            self.look(set, places, values);
            for ((&place, value), out) in places.iter().zip(values).zip(out) {
                let (deviation, dye) = (value.x, value.y);
                let density = ambient.density_at(place) + deviation;
                *out = ScalarSample {
                    deviation,
                    density,
                    temperature: state.temperature(ambient, density),
                    dye,
                };
            }
        }
    }

    /// Samples one of the quantities of [`scalars`](Self::scalars).
    ///
    /// # Panics
    /// If the slices differ in length.
    pub(crate) fn values(
        &self,
        quantity: ScalarQuantity,
        (ambient, state): (&Ambient, EquationOfState),
        set: InstructionSet,
        places: &[Vec3],
        out: &mut [f32],
    ) {
        assert_eq!(places.len(), out.len(), "one value for each place");
        for (places, out) in places.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            let mut values = [Vec3::ZERO; BATCH];
            let values = &mut values[..places.len()];
            self.look(set, places, values);
            let found = out.iter_mut().zip(places.iter().zip(values));
            let density = |(&place, value): (&Vec3, &mut Vec3)| ambient.density_at(place) + value.x;
            match quantity {
                ScalarQuantity::Density => found.for_each(|(out, at)| *out = density(at)),
                ScalarQuantity::DensityDeviation => found.for_each(|(out, at)| *out = at.1.x),
                ScalarQuantity::Temperature => {
                    found.for_each(|(out, at)| *out = state.temperature(ambient, density(at)))
                }
                ScalarQuantity::Dye => found.for_each(|(out, at)| *out = at.1.y),
            }
        }
    }

    /// Samples density deviation \[kg/m³\] and concentration of dye at up to [`BATCH`] points \[m\], in the
    /// first two components of `values`.
    fn look(&self, set: InstructionSet, places: &[Vec3], values: &mut [Vec3]) {
        self.look_in_box(set, places, values);
        for other in self.others() {
            let mut more = [Vec3::ZERO; BATCH];
            let more = &mut more[..places.len()];
            other.look(set, places, more);
            values.iter_mut().zip(more).for_each(|(value, more)| *value += *more);
        }
    }

    pub(super) fn look_in_box(&self, set: InstructionSet, places: &[Vec3], values: &mut [Vec3]) {
        let splines = &Splines::new(self.shape());
        if let Some(nodes) = self.smoothed.nodes() {
            dispatch_exact(set, Linear { splines, nodes, places, values });
        } else if !self.seen.is_empty() {
            dispatch_exact(set, SampleSeen { splines, seen: &self.seen, places, values });
        } else {
            for (&place, value) in places.iter().zip(values) {
                *value = Vec2::from(self.sample_box(splines, place)).extend(0.0);
            }
        }
    }
}

/// Spline interpolation from known node values.
struct SampleSeen<'a> {
    splines: &'a Splines,
    seen: &'a [Vec2],
    places: &'a [Vec3],
    values: &'a mut [Vec3],
}

impl Job for SampleSeen<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let mut outside = [false; BATCH];
        self.splines.quadratic_pairs(self.seen, self.places, &mut outside[..self.places.len()], self.values);
    }
}

/// Returns mass deviation \[kg\], volume \[m³\], dye \[m³\] and volume times age \[m³ s\] of a vorton.
fn carried(Vortons { volumes, mass_deviations, dyes, ages, .. }: &Vortons, row: usize) -> Vec4 {
    let volume = volumes[row];
    // Clamped, so that an unbounded age does not prevent mass and dye from being deposited.
    let aged = (volume * ages[row]).clamp(-f32::MAX, f32::MAX);
    Vec4::new(mass_deviations[row], volume, dyes[row], aged)
}

/// True if a vorton has mass or dye, and nothing that is not finite.
fn carries(vortons: &Vortons, row: usize) -> bool {
    (vortons.mass_deviations[row] != 0.0 || vortons.dyes[row] != 0.0) && carried(vortons, row).is_finite()
}

/// True if a box of this shape takes mass at this position. One node less than the margin allows for
/// rounding.
fn holds(shape: &GridShape, place: Vec3) -> bool {
    let cells = (place - shape.origin()) / shape.spacing();
    let margin = DENSITY_MARGIN as f32 - 1.5;
    let last = shape.dims().as_vec3() - 1.0 - margin;
    !shape.is_empty() && (cells.cmpge(Vec3::splat(margin)) & cells.cmple(last)).all()
}

impl Saved for ScalarGrid {
    fn save(&self, out: &mut Writer<'_>) {
        let Self {
            extent,
            max_nodes: _,
            order: _,
            nodes,
            seen,
            smoothed,
            others: _,
            used: _,
            domain,
            domains,
            sets_to_wait,
            division: _,
        } = self;
        extent.save(out);
        domain.save(out);
        domains.save(out);
        sets_to_wait.save(out);
        nodes.save(out);
        seen.save(out);
        smoothed.nodes().is_some().save(out);
        save_list(self.others(), out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        self.extent.load(from)?;
        self.domain.load(from)?;
        self.domains.load(from)?;
        check(self.domains.len() <= MOST_BOXES)?;
        self.sets_to_wait.load(from)?;
        self.nodes.load(from)?;
        self.seen.load(from)?;
        let nodes = self.shape().len();
        check(self.nodes.len() == nodes && (self.seen.is_empty() || self.seen.len() == nodes))?;
        if from.value()? {
            self.smoothed.set(from.exec, self.extent.shape(), &self.seen);
        } else {
            self.smoothed.clear();
        }
        self.used = from.count(1)?;
        check(self.used <= MOST_BOXES)?;
        while self.others.len() < self.used {
            self.others.push(self.another(self.max_nodes));
        }
        self.others[..self.used].iter_mut().try_for_each(|other| other.load(from))
    }
}
