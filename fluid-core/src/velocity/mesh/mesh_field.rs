//! The field of a mesh and its interpolation: from the nodes inside the box, from the coarsened cloud
//! outside.

use super::far_field::FarField;
use super::lines::MAX_NODES;
use super::memory::Ready;
use crate::constants::PARTICLE_CHUNK;
use crate::grid::{GridShape, NodeBox, ReceiveValues, Splines};
use crate::lanes::{InstructionSet, Job, Lanes, dispatch_exact};
use crate::math::{Vec3Columns, exactly};
use crate::saved::{LoadError, Reader, Saved, Writer, check};
use crate::velocity::direct::{DirectSettings, SourceCloud};
use crate::velocity::group_flows::GroupFlows;
use crate::velocity::group_potentials::AddSample;
use crate::velocity::source_groups::SelectedGroups;
use crate::velocity::{FieldSampling, FlowSample, PlacedFlow, VelocityField};
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{Mat3, UVec3, Vec3, Vec4};

/// Sources of a field that are not deposited on its mesh.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BesideMesh<'a> {
    /// Vortons outside of the box, which are summed directly everywhere.
    pub(crate) strays: &'a SourceCloud,
    /// Meshes of other vortons.
    pub(crate) others: &'a [MeshField],
    /// Groups summed apart: inside of the box their flow is on the nodes, outside it is summed directly. None
    /// if the flow of groups is not wanted outside.
    pub(crate) grouped: Option<&'a SourceCloud>,
    /// Their expansions, if these are used for velocities.
    pub(crate) expanded: Option<&'a GroupFlows>,
    /// Groups that velocities are of.
    pub(crate) selected: SelectedGroups,
}

/// Velocity on nodes, with all data that determine it everywhere except for the sources
/// [beside it](BesideMesh).
#[derive(Debug, Clone)]
pub(crate) struct MeshField {
    /// The world's sampling.
    sampling: FieldSampling,
    /// True if this field is read by the spline, whatever the sampling.
    by_spline: bool,
    instruction_set: InstructionSet,
    shape: GridShape,
    /// Nodes that are read.
    read: NodeBox,
    splines: Splines,
    /// Coefficients of the quadratic spline \[m/s\]: deconvolved, so not the velocity at the node.
    coefficients: Vec<Vec4>,
    /// Velocity at the node \[m/s\]; 0 on the faces, which are not read. Only for trilinear sampling.
    values: Vec<Vec4>,
    /// Number of nodes for which there is memory.
    ready: Ready,
    far: FarField,
}

/// Allocates exactly the memory for `len` nodes in advance, and touches it: first access to new pages takes
/// as long as the work done with them.
fn touch(memory: &mut Vec<Vec4>, len: usize) {
    if memory.capacity() < len {
        let used = memory.len();
        memory.reserve_exact(len - used);
        memory.resize(len, Vec4::ZERO);
        memory.truncate(used);
    }
}

/// Number of positions that are sampled together: they fit on the stack with their velocities.
const BATCH: usize = 64;

impl MeshField {
    /// Creates a field at rest.
    pub(crate) fn new(settings: DirectSettings, sampling: FieldSampling) -> Self {
        let shape = GridShape::new(settings.core_radius, glam::IVec3::ZERO, glam::UVec3::ZERO);
        Self {
            sampling,
            by_spline: false,
            instruction_set: settings.instruction_set,
            shape,
            read: NodeBox::all(&shape),
            splines: Splines::new(&shape),
            coefficients: Vec::new(),
            values: Vec::new(),
            ready: Ready::default(),
            far: FarField::new(settings),
        }
    }

    /// Returns a field at rest with the same settings.
    pub(crate) fn at_rest(&self) -> Self {
        Self::new(self.far.settings(), self.sampling)
    }

    /// Copies `other`; allocates only to grow.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        (self.sampling, self.by_spline) = (other.sampling, other.by_spline);
        self.instruction_set = other.instruction_set;
        (self.shape, self.read) = (other.shape, other.read);
        self.splines = other.splines;
        self.coefficients.clone_from(&other.coefficients);
        self.values.clone_from(&other.values);
        self.far.copy_from(&other.far);
    }

    /// Returns the world's interpolation between nodes.
    pub(crate) fn sampling(&self) -> FieldSampling {
        self.sampling
    }

    /// Returns this field's interpolation between nodes.
    fn read_by(&self) -> FieldSampling {
        if self.by_spline { FieldSampling::QuadraticSpline } else { self.sampling }
    }

    /// Returns the positions of the nodes.
    pub(crate) fn shape(&self) -> &GridShape {
        &self.shape
    }

    /// Shifts the origin of the coordinates to `origin` \[m\].
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.shape.shift_origin(origin);
        self.splines = Splines::within(&self.shape, &self.read);
        self.far.shift_origin(origin);
    }

    /// Sets other nodes, which are read by the spline if `by_spline`, otherwise by the world's sampling.
    pub(super) fn set_shape(&mut self, shape: &GridShape, by_spline: bool) {
        (self.shape, self.by_spline) = (*shape, by_spline);
        self.set_read(NodeBox::all(shape));
        self.ready.grow(shape.len());
        exactly(&mut self.coefficients, shape.len(), Vec4::ZERO);
        let values = self.values_of(shape.len());
        exactly(&mut self.values, values, Vec4::ZERO);
        self.far.clear();
    }

    /// Sets the nodes that are read: elsewhere the flow is that outside of the box.
    pub(super) fn set_read(&mut self, nodes: NodeBox) {
        self.read = nodes;
        self.splines = Splines::within(&self.shape, &nodes);
    }

    /// Allocates the memory for boxes of this many nodes. Returns false if it already was.
    pub(super) fn touch(&mut self, nodes: usize) -> bool {
        let is_new = self.ready.lacks(nodes);
        if is_new {
            self.ready.set(nodes);
            let values = self.values_of(nodes);
            touch(&mut self.coefficients, nodes);
            touch(&mut self.values, values);
        }
        is_new
    }

    /// Returns the number of values for this many nodes.
    fn values_of(&self, nodes: usize) -> usize {
        if self.read_by() == FieldSampling::Trilinear { nodes } else { 0 }
    }

    pub(super) fn nodes_mut(&mut self) -> &mut [Vec4] {
        &mut self.coefficients
    }

    /// Computes the far field of the deposited strengths \[`unit` m³/s\] and, if some sources expand, of
    /// their rates in w \[`rate_unit` m³/s\].
    pub(super) fn set_far(
        &mut self,
        exec: &dyn Executor,
        source: &[Vec4],
        unit: f32,
        rate_unit: Option<f32>,
    ) {
        self.far.set(exec, &self.shape, source, unit, rate_unit);
    }

    /// Adds these coefficients \[m/s\] to those of the convolution.
    pub(super) fn add(&mut self, exec: &dyn Executor, more: &[Vec4]) {
        let plane = self.shape.plane_len().max(1);
        for_each_chunk_mut(exec, plane, self.coefficients.as_mut_slice(), &|first, nodes: &mut [Vec4]| {
            nodes.iter_mut().zip(&more[first..]).for_each(|(node, more)| *node += *more);
        });
    }

    /// Adds the values of these coefficients \[m/s\] on the field's nodes at each position, by the spline.
    pub(super) fn read(
        &self,
        exec: &dyn Executor,
        nodes: &[Vec4],
        positions: &Vec3Columns,
        out: &mut [Vec3],
    ) {
        for_each_chunk_mut(exec, PARTICLE_CHUNK, out, &|first, out: &mut [Vec3]| {
            for (i, out) in out.iter_mut().enumerate() {
                let spline = self.splines.at(positions.get(first + i));
                *out += spline.map_or(Vec3::ZERO, |spline| spline.value(nodes).truncate());
            }
        });
    }

    /// Computes the velocities at nodes from the coefficients, if they are read.
    pub(super) fn find_values(&mut self, exec: &dyn Executor) {
        let plane = self.shape.plane_len().max(1);
        if self.read_by() == FieldSampling::Trilinear {
            let (shape, coefficients) = (&self.shape, &self.coefficients);
            for_each_chunk_mut(exec, plane, self.values.as_mut_slice(), &|first, nodes: &mut [Vec4]| {
                values_of_plane(shape, coefficients, first / plane, nodes);
            });
        }
    }

    /// Computes velocity and gradient at each position: by the quadratic spline, or by each field's own
    /// interpolation if `as_sampled`.
    pub(crate) fn flow_at(
        &self,
        beside: BesideMesh<'_>,
        as_sampled: bool,
        place: impl Fn(usize) -> Vec3,
        out: &mut [FlowSample],
    ) {
        for (batch, out) in out.chunks_mut(BATCH).enumerate() {
            let mut places = [Vec3::ZERO; BATCH];
            let places = &mut places[..out.len()];
            for (i, slot) in places.iter_mut().enumerate() {
                *slot = place(batch * BATCH + i);
            }
            let mut outside = [false; BATCH];
            let outside = &mut outside[..out.len()];
            self.own_flow(as_sampled, places, outside, out);
            for other in beside.others {
                let (mut more, mut outside) = ([FlowSample::default(); BATCH], [false; BATCH]);
                let more = &mut more[..out.len()];
                other.own_flow(as_sampled, places, &mut outside[..out.len()], more);
                for (out, more) in out.iter_mut().zip(more) {
                    out.velocity += more.velocity;
                    out.gradient += more.gradient;
                }
            }
            add_flow(beside.strays, places, &|_| true, out);
            if let Some(grouped) = beside.grouped.filter(|_| outside.contains(&true)) {
                let expanded = beside.expanded.filter(|expanded| as_sampled && expanded.have_gradients());
                match expanded {
                    None => add_flow(grouped, places, &|i| outside[i], out),
                    Some(expanded) => add_where(outside, places, out, |places, more| {
                        expanded.add_flow(grouped, places, more);
                    }),
                }
            }
        }
    }

    /// Computes velocity and gradient due to the sources on this mesh at up to [`BATCH`] positions;
    /// `outside` is set for those outside of the box.
    fn own_flow(&self, as_sampled: bool, places: &[Vec3], outside: &mut [bool], out: &mut [FlowSample]) {
        let by = if as_sampled { self.read_by() } else { FieldSampling::QuadraticSpline };
        let mut columns = [[[0.0; 8]; 2]; BATCH];
        let out_of = CellValues(&mut columns);
        let job = SampleFlow { field: self, by, places, outside: &mut *outside, out: out_of };
        dispatch_exact(self.instruction_set, job);
        let cells_per_metre = 1.0 / self.shape.spacing();
        for ((out, columns), _) in
            out.iter_mut().zip(&columns).zip(&*outside).filter(|(_, outside)| !**outside)
        {
            let [[u, v, w, _, ux, vx, wx, _], [uy, vy, wy, _, uz, vz, wz, _]] = *columns;
            let gradient = Mat3::from_cols_array(&[ux, vx, wx, uy, vy, wy, uz, vz, wz]);
            *out = FlowSample { velocity: Vec3::new(u, v, w), gradient: gradient * cells_per_metre };
        }
        if outside.contains(&true) {
            self.far.flow(places, outside, out);
        }
    }

    /// Computes the flow due to the sources on this mesh at up to [`BATCH`] positions, by its interpolation.
    /// Returns false if one is outside of the box.
    pub(crate) fn placed_flow(&self, places: &[Vec3], flows: &mut [PlacedFlow]) -> bool {
        let mut outside = [false; BATCH];
        let outside = &mut outside[..places.len()];
        let out = Unplaced { flows: &mut *flows, cells_per_metre: 1.0 / self.shape.spacing() };
        let job = SampleFlow { field: self, by: self.read_by(), places, outside: &mut *outside, out };
        dispatch_exact(self.instruction_set, job);
        flows.iter_mut().zip(places).for_each(|(flow, &place)| flow.set_place(place));
        !outside.contains(&true)
    }

    /// Computes velocity and gradient due to the sources on this mesh, by its interpolation if `as_sampled`,
    /// otherwise by the quadratic spline; `outside` is set for positions outside of the box.
    pub(crate) fn flow_alone(
        &self,
        as_sampled: bool,
        places: &[Vec3],
        outside: &mut [bool],
        out: &mut [FlowSample],
    ) {
        let batches = places.chunks(BATCH).zip(outside.chunks_mut(BATCH)).zip(out.chunks_mut(BATCH));
        batches.for_each(|((places, outside), out)| self.own_flow(as_sampled, places, outside, out));
    }

    /// Computes the velocity due to the sources on this mesh at each position; `outside` is set for those
    /// outside of the box.
    pub(crate) fn velocities_alone(&self, places: &[Vec3], outside: &mut [bool], out: &mut [Vec3]) {
        let batches = places.chunks(BATCH).zip(outside.chunks_mut(BATCH)).zip(out.chunks_mut(BATCH));
        for ((places, outside), out) in batches {
            let job = SampleNodes { field: self, places, outside: &mut *outside, out: &mut *out };
            dispatch_exact(self.instruction_set, job);
            if outside.contains(&true) {
                self.far.velocities(places, outside, out);
            }
        }
    }

    /// Computes the velocity due to the sources on this mesh at each position.
    fn own_velocities(&self, places: &[Vec3], out: &mut [Vec3]) {
        dispatch_exact(self.instruction_set, SampleVelocities { field: self, beside: None, places, out });
    }

    /// Computes the velocity at each position \[m\].
    pub(crate) fn velocities_at(&self, beside: BesideMesh<'_>, places: &[Vec3], out: &mut [Vec3]) {
        let beside = Some(beside);
        dispatch_exact(self.instruction_set, SampleVelocities { field: self, beside, places, out });
    }

    /// Adds the parts that are not on the nodes: the far field and the groups summed apart outside, and the
    /// strays' velocity everywhere.
    fn add_others(
        &self,
        beside: Option<BesideMesh<'_>>,
        all_inside: bool,
        (places, outside): (&[Vec3], &[bool]),
        out: &mut [Vec3],
    ) {
        if !all_inside {
            self.far.velocities(places, outside, out);
        }
        let Some(beside) = beside else { return };
        if let Some(grouped) = beside.grouped.filter(|_| !all_inside) {
            match beside.expanded {
                None => add_velocities(grouped, beside.selected, places, &|i| outside[i], out),
                Some(expanded) => add_where(outside, places, out, |places, more| {
                    expanded.add(grouped, places, more);
                }),
            }
        }
        for other in beside.others {
            let mut more = [Vec3::ZERO; BATCH];
            let more = &mut more[..out.len()];
            other.own_velocities(places, more);
            out.iter_mut().zip(more).for_each(|(out, more)| *out += *more);
        }
        add_velocities(beside.strays, SelectedGroups::ALL, places, &|_| true, out);
    }

    /// Returns the number of sources that a sample at `place` sums instead of reading nodes.
    pub(crate) fn sources_summed_at(&self, place: Vec3) -> usize {
        let is_read = self.shape.is_empty() || self.splines.nearest_node(place).is_some();
        if is_read { 0 } else { self.far.sources_summed_at(place) }
    }

    /// Returns the distance \[m\] of a point from the box around all nodes with strength.
    pub(crate) fn distance(&self, place: Vec3) -> f32 {
        if self.shape.is_empty() { f32::INFINITY } else { self.far.distance(place) }
    }

    /// Returns true if nodes are read at a point of this ball \[m\].
    pub(crate) fn is_read_in(&self, centre: Vec3, radius: f32) -> bool {
        !self.shape.is_empty() && self.distance_from_nodes(centre) <= radius
    }

    /// Returns the distance \[m\] of a point from the box of the nodes that are read.
    pub(crate) fn distance_from_nodes(&self, place: Vec3) -> f32 {
        let node = |node: UVec3| self.shape.origin() + node.as_vec3() * self.shape.spacing();
        let (low, high) = (node(self.read.first), node(self.read.end));
        place.distance(place.clamp(low, high))
    }
}

/// Adds the values that `at_places` finds, starting from zero, where `outside` is true, at up to [`BATCH`]
/// positions.
fn add_where<T: AddSample>(
    outside: &[bool],
    places: &[Vec3],
    out: &mut [T],
    at_places: impl FnOnce(&[Vec3], &mut [T]),
) {
    let (mut some, mut rows, mut count) = ([Vec3::ZERO; BATCH], [0_usize; BATCH], 0);
    for (row, place) in places.iter().enumerate().filter(|(row, _)| outside[*row]) {
        (some[count], rows[count]) = (*place, row);
        count += 1;
    }
    let mut more = [T::default(); BATCH];
    at_places(&some[..count], &mut more[..count]);
    rows[..count].iter().zip(&more).for_each(|(&row, more)| out[row].add_sample(more));
}

/// The hot loop of everything that follows the flow.
struct SampleVelocities<'a> {
    field: &'a MeshField,
    /// None if only the sources on this mesh count.
    beside: Option<BesideMesh<'a>>,
    places: &'a [Vec3],
    out: &'a mut [Vec3],
}

impl Job for SampleVelocities<'_> {
    /// The lanes stay unused: a node's four numbers are a vector by themselves, and plain arrays are
    /// vectorised with the instruction set for which this is compiled.
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { field, beside, places, out } = self;
        for (places, out) in places.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            let mut outside = [false; BATCH];
            let outside = &mut outside[..out.len()];
            let all_inside = field.read_nodes(places, outside, out);
            field.add_others(beside, all_inside, (places, outside), out);
        }
    }
}

impl MeshField {
    /// Reads the nodes at each position, and sets `outside` where there are none. Returns true if all are
    /// inside.
    #[inline(always)]
    fn read_nodes(&self, places: &[Vec3], outside: &mut [bool], out: &mut [Vec3]) -> bool {
        match self.read_by() {
            FieldSampling::Trilinear => self.splines.trilinear(&self.values, places, outside, out),
            FieldSampling::QuadraticSpline => {
                self.splines.quadratic(&self.coefficients, places, outside, out)
            }
        }
    }
}

/// Samples velocities inside the box.
struct SampleNodes<'a> {
    field: &'a MeshField,
    places: &'a [Vec3],
    outside: &'a mut [bool],
    out: &'a mut [Vec3],
}

impl Job for SampleNodes<'_> {
    /// As in [`SampleVelocities`], the lanes stay unused.
    #[inline(always)]
    fn run<L: Lanes>(self) {
        self.field.read_nodes(self.places, self.outside, self.out);
    }
}

/// Samples velocity and gradient at up to [`BATCH`] positions, where `outside` becomes true or `out` receives
/// them.
struct SampleFlow<'a, O> {
    field: &'a MeshField,
    by: FieldSampling,
    places: &'a [Vec3],
    outside: &'a mut [bool],
    out: O,
}

impl<O: ReceiveValues> Job for SampleFlow<'_, O> {
    /// As in [`SampleVelocities`], the lanes stay unused.
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { field, by, places, outside, mut out } = self;
        let splines = &field.splines;
        match by {
            FieldSampling::Trilinear => {
                splines.trilinear_with_gradients(&field.values, places, outside, &mut out);
            }
            FieldSampling::QuadraticSpline => {
                splines.values_and_gradients(&field.coefficients, places, outside, &mut out);
            }
        }
    }
}

/// Values to be copied float by float afterwards: packed together from vectors they take longer.
struct CellValues<'a>(&'a mut [[[f32; 8]; 2]; BATCH]);

impl ReceiveValues for CellValues<'_> {
    #[inline(always)]
    fn receive(&mut self, i: usize, value: [[f32; 8]; 2]) {
        self.0[i] = value;
    }
}

/// Flow to be placed afterwards.
struct Unplaced<'a> {
    flows: &'a mut [PlacedFlow],
    cells_per_metre: f32,
}

impl ReceiveValues for Unplaced<'_> {
    #[inline(always)]
    fn receive(&mut self, i: usize, value: [[f32; 8]; 2]) {
        self.flows[i].set_in_cells(value, self.cells_per_metre);
    }
}

/// Adds the flow of a cloud at the positions for whose index `is_in` holds.
fn add_flow(cloud: &SourceCloud, places: &[Vec3], is_in: &dyn Fn(usize) -> bool, out: &mut [FlowSample]) {
    if cloud.is_empty() {
        return;
    }
    let mut more = [FlowSample::default(); BATCH];
    let more = &mut more[..out.len()];
    cloud.flow(places, more);
    for (_, (out, more)) in out.iter_mut().zip(more).enumerate().filter(|(i, _)| is_in(*i)) {
        out.velocity += more.velocity;
        out.gradient += more.gradient;
    }
}

/// Adds the velocity of a cloud, of the selected groups, at positions: those with an index for which `is_in`
/// holds.
fn add_velocities(
    cloud: &SourceCloud,
    selected: SelectedGroups,
    places: &[Vec3],
    is_in: &dyn Fn(usize) -> bool,
    out: &mut [Vec3],
) {
    if cloud.is_empty() {
        return;
    }
    let mut more = [Vec3::ZERO; BATCH];
    let more = &mut more[..out.len()];
    cloud.add_velocities(selected, places, more);
    for (_, (out, more)) in out.iter_mut().zip(more).enumerate().filter(|(i, _)| is_in(*i)) {
        *out += *more;
    }
}

/// Computes the spline's value at the nodes of plane k: (1/8, 3/4, 1/8) along each axis. 0 on the faces of
/// the box.
fn values_of_plane(shape: &GridShape, coefficients: &[Vec4], k: usize, out: &mut [Vec4]) {
    let [nx, ny, nz] = shape.dims_usize();
    out.fill(Vec4::ZERO);
    if k == 0 || k + 1 == nz {
        return;
    }
    let smooth = |below: Vec4, here: Vec4, above: Vec4| here * 0.75 + (below + above) * 0.125;
    let row = |j: usize, k: usize| &coefficients[shape.index(0, j, k)..][..nx];
    // Three neighbouring rows; row j is at j modulo 3.
    let mut smooth_along_z = [[Vec4::ZERO; MAX_NODES]; 3];
    for j in 0..ny {
        let (below, here, above) = (row(j, k - 1), row(j, k), row(j, k + 1));
        for (i, value) in smooth_along_z[j % 3][..nx].iter_mut().enumerate() {
            *value = smooth(below[i], here[i], above[i]);
        }
        if j < 2 {
            continue;
        }
        let [below, here, above] = [j - 2, j - 1, j].map(|j| &smooth_along_z[j % 3][..nx]);
        let column = |i: usize| smooth(below[i], here[i], above[i]);
        let mut three = [Vec4::ZERO, column(0), column(1)];
        for (i, out) in out[(j - 1) * nx + 1..j * nx - 1].iter_mut().enumerate() {
            three = [three[1], three[2], column(i + 2)];
            *out = smooth(three[0], three[1], three[2]);
        }
    }
}

impl MeshField {
    /// Saves the amount of ready memory and, if the field `is_read`, its content.
    pub(crate) fn save(&self, is_read: bool, out: &mut Writer<'_>) {
        let Self {
            sampling: _,
            by_spline,
            instruction_set: _,
            shape,
            read,
            splines: _,
            coefficients,
            values: _,
            ready,
            far,
        } = self;
        ready.save(out);
        if is_read {
            by_spline.save(out);
            shape.save(out);
            read.save(out);
            coefficients.save(out);
            far.save(out);
        }
    }

    /// Loads the saved field. Velocities at nodes follow from the coefficients.
    pub(crate) fn load(&mut self, is_read: bool, from: &mut Reader<'_>) -> Result<(), LoadError> {
        self.ready.load(from)?;
        if !is_read {
            return Ok(());
        }
        self.by_spline.load(from)?;
        self.shape.load(from)?;
        self.read.load(from)?;
        check(self.read.is_within(&self.shape))?;
        self.splines = Splines::within(&self.shape, &self.read);
        self.coefficients.load(from)?;
        check(self.coefficients.len() == self.shape.len())?;
        let values = self.values_of(self.shape.len());
        exactly(&mut self.values, values, Vec4::ZERO);
        self.find_values(from.exec);
        self.far.load(from)
    }
}
