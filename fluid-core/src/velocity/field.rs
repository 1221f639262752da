//! The published field of a step, for sampling.

use super::direct::SourceCloud;
use super::eddies::Eddies;
use super::flow_parts::{EXPANDED, MOST_GROUPS, MOST_OTHERS};
use super::group_flows::GroupFlows;
use super::mesh::{BesideMesh, MeshField};
use super::solver::{SolverSettings, sample_cost};
use super::source_groups::SelectedGroups;
use super::{
    BATCH, FieldSampling, FlowInBall, FlowSample, PartedRows, PlacedFlow, Scratch, Sources, VelocityField,
    place_samples,
};
use crate::boundary::enclosure::Enclosures;
use crate::boundary::walls::WallNodes;
use crate::density::{Ambient, EquationOfState, ScalarGrid, ScalarSample};
use crate::grid::GridShape;
use crate::lanes::InstructionSet;
use crate::particles::{ScalarQuantity, Vortons};
use crate::saved::{LoadError, Reader, Saved, Writer, check};
use fluid_threads::Executor;
use glam::{Vec2, Vec3};

/// Vortons up to which a cloud is not divided into parts \[1\].
const LEAST_PARTED: usize = 64;

/// Number of positions for which the enclosure that carries them is looked up together \[1\]: tracers are
/// sorted by cell, so this few lie in a small box.
const CARRIED: usize = 64;

/// The flow at the middle of the step just taken (t + dt/2), immutable until the next step. It is defined
/// everywhere: the far field is part of it.
///
/// Particles that advance over the same dt with it are second order in time, provided that they also sample
/// it at their own midpoint.
#[derive(Debug, Clone)]
pub struct PublishedField {
    /// True if `mesh` holds the flow, false if only `cloud` does.
    pub(super) on_mesh: bool,
    /// True if `mesh` also holds the direct sum's field, for samples.
    pub(super) sampled_on_mesh: bool,
    /// All sources; if samples are read from meshes, only those outside of all boxes.
    /// In either case without the groups that are summed apart.
    pub(super) cloud: SourceCloud,
    /// Groups summed apart.
    pub(super) grouped: SourceCloud,
    /// Those groups, expanded for samples until the next solve.
    pub(super) expanded: GroupFlows,
    pub(super) mesh: MeshField,
    /// Fields of the other meshes; none unless the flow is on meshes.
    pub(super) others: Vec<MeshField>,
    pub(crate) scalars: ScalarGrid,
    pub(crate) wind: Vec3,
    pub(crate) enclosures: Enclosures,
    pub(crate) time: f64,
    pub(crate) eddies: Eddies,
    ambient: Ambient,
    equation_of_state: EquationOfState,
    instruction_set: InstructionSet,
    /// The vortons of the cloud, sorted into [parts](Self::part), each a group; none if it is a single part.
    pub(super) parted: SourceCloud,
}

impl PublishedField {
    /// Creates a field at rest in this ambient.
    pub fn new(settings: &SolverSettings, ambient: Ambient, equation_of_state: EquationOfState) -> Self {
        Self {
            on_mesh: false,
            sampled_on_mesh: false,
            cloud: SourceCloud::new(settings.direct),
            grouped: SourceCloud::new(settings.direct),
            expanded: GroupFlows::default(),
            mesh: MeshField::new(settings.direct, settings.field_sampling),
            others: Vec::new(),
            scalars: ScalarGrid::new(settings.direct.core_radius, settings.max_grid_nodes),
            wind: Vec3::ZERO,
            enclosures: Enclosures::default(),
            time: 0.0,
            eddies: Eddies::new(settings.direct.core_radius, settings.direct.instruction_set),
            ambient,
            equation_of_state,
            instruction_set: settings.direct.instruction_set,
            parted: SourceCloud::new(settings.direct),
        }
    }

    /// Reserves memory for `capacity` vortons. Memory for nodes is allocated on demand.
    pub fn reserve(&mut self, capacity: usize) {
        self.cloud.reserve(capacity);
        self.scalars.reserve(capacity);
    }

    /// Returns the bulk velocity \[m/s\], of the wind or an enclosure, at `place` \[m\] at the start of the
    /// step.
    #[inline]
    pub(crate) fn carried(&self, place: Vec3) -> Vec3 {
        self.enclosures.at_start(place, self.wind)
    }

    /// Copies `other`; allocates only to grow.
    pub fn copy_from(&mut self, other: &Self) {
        (self.on_mesh, self.sampled_on_mesh) = (other.on_mesh, other.sampled_on_mesh);
        if other.is_sampled_on_mesh() {
            self.mesh.copy_from(&other.mesh);
        }
        self.use_others(other.others.len());
        self.others.iter_mut().zip(&other.others).for_each(|(own, other)| own.copy_from(other));
        self.cloud.copy_from(&other.cloud);
        self.grouped.copy_from(&other.grouped);
        self.expanded.copy_from(&other.expanded);
        self.scalars.copy_from(&other.scalars);
        (self.wind, self.time) = (other.wind, other.time);
        self.enclosures.copy_from(&other.enclosures);
        self.eddies.copy_from(&other.eddies);
        (self.ambient, self.equation_of_state) = (other.ambient, other.equation_of_state);
        self.instruction_set = other.instruction_set;
        self.parted.copy_from(&other.parted);
    }

    /// Sorts the sources of the cloud into `count` parts, of which `part_of` returns the number for a
    /// position \[m\], for samples that are [near each other](VelocityField::velocities_together): once a
    /// solve.
    pub(crate) fn part(&mut self, count: usize, part_of: &dyn Fn(Vec3) -> usize, memory: &mut PartedRows) {
        self.forget_parts();
        if self.cloud.len() >= LEAST_PARTED && !self.cloud.has_tree() && (2..=MOST_GROUPS).contains(&count) {
            self.parted.copy_vortons_of(&self.cloud);
            self.parted.part(count, part_of, memory);
        }
    }

    /// Makes the cloud a single part.
    pub(super) fn forget_parts(&mut self) {
        self.parted.clear();
    }

    /// Returns to direct sums if the directly summed field has been put on a mesh for samples. `sources`
    /// are those from which the mesh was made; `by_tree` is true if they were summed by a tree.
    pub(crate) fn sum_again(&mut self, exec: &dyn Executor, sources: &mut Sources, by_tree: bool) {
        self.expanded.clear();
        if std::mem::take(&mut self.sampled_on_mesh) {
            sources.part_groups(|_| true);
            self.cloud.set_together(sources, &sources.strengths);
            if by_tree {
                // Without memory they are summed one by one.
                let _ = self.cloud.plant(exec);
            }
            self.grouped.set_apart(sources);
            self.cloud.set_expansions(sources.expansions());
        }
    }

    /// Expands the groups that are summed apart, for samples: until the next solve.
    pub(crate) fn expand_groups(&mut self, exec: &dyn Executor) {
        self.expanded.expand(exec, &self.grouped);
    }

    /// True if groups are expanded.
    pub(crate) fn has_expanded_groups(&self) -> bool {
        !self.expanded.is_empty()
    }

    /// Expands the gradients of the groups that are expanded.
    pub(crate) fn expand_gradients(&mut self, exec: &dyn Executor) {
        if !self.expanded.is_empty() && !self.expanded.have_gradients() {
            self.expanded.expand_gradients(exec, &self.grouped);
        }
    }

    /// Returns an upper bound \[bytes\] on what a copy takes for the tree of its sources, and the expansions
    /// of groups.
    pub(crate) fn memory_of_samples(&self) -> usize {
        self.cloud.memory_of_tree() + GroupFlows::memory(self.grouped.groups().len())
    }

    /// Reserves memory for `capacity` sources of volume.
    pub(crate) fn reserve_expansions(&mut self, capacity: usize) {
        self.cloud.reserve_expansions(capacity);
    }

    /// Shifts the origin of the coordinates to `origin` \[m\]: a sample there then reads the field that was
    /// at `origin`.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        let Self { cloud, grouped, expanded, parted, mesh, others, .. } = &mut *self;
        expanded.shift_origin(origin);
        cloud.shift_origin(origin);
        parted.shift_origin(origin);
        grouped.shift_origin(origin);
        mesh.shift_origin(origin);
        others.iter_mut().for_each(|other| other.shift_origin(origin));
        let Self { scalars, enclosures, ambient, eddies, .. } = self;
        scalars.shift_origin(origin);
        enclosures.shift_origin(origin);
        ambient.shift_origin(origin);
        eddies.shift_origin(origin);
    }

    /// Sets the ambient fluid to that of the world, which is not part of a loaded field.
    pub(crate) fn follow_ambient(&mut self, ambient: &Ambient) {
        self.ambient = *ambient;
    }

    /// Marks the field as unused until it is computed again.
    pub(crate) fn forget(&mut self) {
        (self.on_mesh, self.sampled_on_mesh) = (false, false);
    }

    /// Prepares this field for the flow at the end of the same step: with the wind, the enclosures and the
    /// solver of `other`.
    pub(crate) fn go_on_from(&mut self, other: &Self) {
        (self.on_mesh, self.sampled_on_mesh) = (other.on_mesh, false);
        self.wind = other.wind;
        self.enclosures.copy_from(&other.enclosures);
    }

    /// Returns the time \[s\] of the field: the middle of the last step.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Returns true if vortons move in the particle mesh's field, false if they move in the direct sum.
    pub fn is_on_mesh(&self) -> bool {
        self.on_mesh
    }

    /// Returns true if samples of this field are read from a mesh. This includes fields in which vortons
    /// move in the direct sum, but are too few for the number of tracers or other samples.
    pub fn is_sampled_on_mesh(&self) -> bool {
        self.on_mesh || self.sampled_on_mesh
    }

    /// Makes this many fields of other meshes those in use, and returns them.
    pub(super) fn use_others(&mut self, count: usize) -> &mut [MeshField] {
        // Those not in use are dropped: what memory they have ready must not depend on a past that snapshots
        // do not know.
        self.others.truncate(count);
        while self.others.len() < count {
            self.others.push(self.mesh.at_rest());
        }
        &mut self.others
    }

    /// Returns the fields of the other meshes from which samples are read.
    pub(super) fn others_in_use(&self) -> &[MeshField] {
        if self.is_sampled_on_mesh() { &self.others } else { &[] }
    }

    /// Returns the number of nodes of all meshes from which samples are read \[1\]; 0 if they are direct
    /// sums.
    pub fn sampled_nodes(&self) -> usize {
        let others = self.others_in_use().iter().map(|other| other.shape().len()).sum::<usize>();
        others + self.sampled_mesh().map_or(0, GridShape::len)
    }

    /// Returns the mesh with most vortons from which samples are read; None if they are direct sums.
    pub fn sampled_mesh(&self) -> Option<&GridShape> {
        self.is_sampled_on_mesh().then(|| self.mesh.shape())
    }

    /// Returns the vortons' density deviation and dye on their lattice.
    pub fn scalar_grid(&self) -> &ScalarGrid {
        &self.scalars
    }

    /// Integrates density deviation \[kg/m²\] and the concentration of dye \[m\] along the straight line
    /// between two points \[m\]; 0 unless both are finite.
    pub fn line_integral(&self, from: Vec3, to: Vec3) -> Vec2 {
        self.scalars.line_integral(self.instruction_set, from, to)
    }

    /// Returns the undisturbed fluid, from which vortons carry deviations.
    pub fn ambient(&self) -> &Ambient {
        &self.ambient
    }

    /// Returns the relation between density and temperature.
    pub fn equation_of_state(&self) -> EquationOfState {
        self.equation_of_state
    }

    /// Computes the velocities \[m/s\] induced by all sources, without wind and enclosures.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn induced(&self, positions: &[Vec3], out: &mut [Vec3]) {
        assert_eq!(positions.len(), out.len(), "one velocity for each position");
        self.induced_by(SelectedGroups::ALL, positions, out);
    }

    /// Computes the velocities \[m/s\] induced by the sources in no group and in the selected ones. Where
    /// nodes are read, groups that are not selected are included.
    pub(super) fn induced_by(&self, selected: SelectedGroups, positions: &[Vec3], out: &mut [Vec3]) {
        if self.is_sampled_on_mesh() {
            self.mesh.velocities_at(self.beside_mesh(selected), positions, out);
        } else {
            self.cloud.velocities(positions, out);
            match self.expanded.is_empty() || !selected.are_all() {
                true => self.grouped.add_velocities(selected, positions, out),
                false => self.expanded.add(&self.grouped, positions, out),
            }
        }
    }

    /// Adds the velocities \[m/s\] of the groups that are summed apart.
    pub(super) fn add_velocities_of_groups(&self, positions: &[Vec3], out: &mut [Vec3]) {
        match self.expanded.is_empty() {
            true => self.grouped.add_velocities(SelectedGroups::ALL, positions, out),
            false => self.expanded.add(&self.grouped, positions, out),
        }
    }

    /// Returns true if no nodes are read in a ball \[m\].
    pub(super) fn is_summed_in(&self, centre: Vec3, radius: f32) -> bool {
        let mut others = self.others_in_use().iter();
        !self.is_sampled_on_mesh()
            || !self.mesh.is_read_in(centre, radius) && !others.any(|other| other.is_read_in(centre, radius))
    }

    /// Returns the flow without that of a group of sources, given by its index, which
    /// [can be left out](Self::can_leave_out_in), for points of a ball of `radius` \[m\] about `centre`. That
    /// of distant sources is expanded about the centre (E65): at the rim of the ball it errs by at most a few
    /// percent of their flow there.
    pub fn flow_in_ball(&self, group: usize, centre: Vec3, radius: f32) -> FlowInBall<'_> {
        FlowInBall::new(self, group as u32, (centre, radius))
    }

    /// Returns true if a group of sources, given by its index, is on no mesh.
    pub fn is_apart(&self, group: usize) -> bool {
        self.grouped.group(group as u32).is_some()
    }

    /// Returns true if the flow of a group of sources, given by its index, can be left out in a ball \[m\],
    /// because no nodes are read there.
    pub fn can_leave_out_in(&self, group: usize, centre: Vec3, radius: f32) -> bool {
        self.is_apart(group) && self.is_summed_in(centre, radius)
    }

    /// Computes the velocities \[m/s\] without that of a group of sources, given by its index, at points of a
    /// ball in which it [can be left out](Self::can_leave_out_in).
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn velocities_without(&self, group: usize, positions: &[Vec3], out: &mut [Vec3]) {
        assert_eq!(positions.len(), out.len(), "one velocity for each position");
        let others = SelectedGroups { left_out: Some(group as u32), ..SelectedGroups::ALL };
        self.induced_by(others, positions, out);
        self.add_carried(positions, out);
    }

    /// Returns a lower bound on the distance \[m\] of a point from all sources in no group.
    pub(super) fn distance_of_others(&self, place: Vec3) -> f32 {
        let on_mesh = if self.is_sampled_on_mesh() { self.mesh.distance(place) } else { f32::INFINITY };
        let others = self.others_in_use().iter().map(|other| other.distance(place));
        others.fold(on_mesh, f32::min).min(self.cloud.distance(place))
    }

    /// Returns the sources that are not on the mesh, of the selected groups.
    pub(super) fn beside_mesh(&self, selected: SelectedGroups) -> BesideMesh<'_> {
        BesideMesh {
            strays: &self.cloud,
            others: self.others_in_use(),
            grouped: Some(&self.grouped),
            expanded: Some(&self.expanded).filter(|expanded| !expanded.is_empty() && selected.are_all()),
            selected,
        }
    }

    /// Returns the nominal cost \[ns\] of a sample at `place` beyond that of reading nodes; 0 if all samples
    /// are direct sums. That of vortons outside of a mesh for samples alone is left out, because it is a part
    /// of that mesh's cost.
    pub(crate) fn cost_beside_mesh(&self, place: Vec3) -> f64 {
        if !self.is_sampled_on_mesh() {
            return 0.0;
        }
        let strays = if self.on_mesh { self.cloud.len() } else { 0 };
        let far = self.mesh.sources_summed_at(place);
        let grouped = if far > 0 { self.grouped.len() } else { 0 };
        let others = self.others.iter().map(|other| other.sources_summed_at(place)).sum::<usize>();
        if self.is_parted() {
            // Most of them are expanded.
            return sample_cost(1.0, strays + grouped) + sample_cost(EXPANDED, far + others);
        }
        sample_cost(1.0, strays + far + grouped + others)
    }

    /// Returns the instruction set of its sums.
    pub(super) fn instruction_set(&self) -> InstructionSet {
        self.instruction_set
    }

    /// Returns the velocity \[m/s\] with which an enclosure that contains the position \[m\], or else the
    /// wind, carries the fluid there at the middle of the step: a part of
    /// [`velocities`](VelocityField::velocities).
    pub fn carried_at_middle(&self, place: Vec3) -> Vec3 {
        self.enclosures.at_middle(place, self.wind)
    }

    /// Adds the velocity of the enclosure around each position, or else that of the wind.
    pub(super) fn add_carried(&self, positions: &[Vec3], out: &mut [Vec3]) {
        for (velocities, places) in out.chunks_mut(CARRIED).zip(positions.chunks(CARRIED)) {
            match self.enclosures.alike_at_middle(places, self.wind) {
                Some(carried) => add_to_each(velocities, carried),
                None => {
                    for (velocity, &place) in velocities.iter_mut().zip(places) {
                        *velocity += self.carried_at_middle(place);
                    }
                }
            }
        }
    }

    /// Computes velocity and gradient, on nodes as they are sampled or by the quadratic spline.
    fn flow_by(&self, as_sampled: bool, positions: &[Vec3], out: &mut [FlowSample]) {
        assert_eq!(positions.len(), out.len(), "one flow sample for each position");
        if self.is_sampled_on_mesh() {
            let beside = self.beside_mesh(SelectedGroups::ALL);
            self.mesh.flow_at(beside, as_sampled, |i| positions[i], out);
        } else {
            self.cloud.flow(positions, out);
            match as_sampled && self.expanded.have_gradients() {
                true => self.expanded.add_flow(&self.grouped, positions, out),
                false => self.grouped.add_flow(positions, out),
            }
        }
        self.add_carried_to_flow(positions, out);
    }

    /// Adds the velocity of the enclosure around each position, or else that of the wind.
    fn add_carried_to_flow(&self, positions: &[Vec3], out: &mut [FlowSample]) {
        if self.wind == Vec3::ZERO && self.enclosures.is_empty() {
            return;
        }
        for (sample, &place) in out.iter_mut().zip(positions) {
            sample.velocity += self.carried_at_middle(place);
        }
    }

    /// Returns true if all of the flow inside the mesh's box is on its nodes.
    fn is_of_one_mesh(&self) -> bool {
        self.is_sampled_on_mesh() && !self.is_parted() && self.others.is_empty() && self.cloud.is_empty()
    }

    /// As [`add_carried_to_flow`](Self::add_carried_to_flow).
    fn add_carried_to_placed(&self, out: &mut [PlacedFlow]) {
        if self.wind == Vec3::ZERO && self.enclosures.is_empty() {
            return;
        }
        out.iter_mut().for_each(|flow| flow.add_velocity(self.carried_at_middle(flow.place())));
    }

    /// Deposits the vortons mass deviations and dye; returns the number of carriers outside of the box.
    pub(crate) fn set_scalars(
        &mut self,
        scratch: &mut Scratch,
        exec: &dyn Executor,
        vortons: &Vortons,
    ) -> usize {
        self.scalars.set_in(&mut scratch.blocks, exec, vortons)
    }

    /// Computes the sampled values of the deposited density and dye, corrected beside `walls` (E42).
    pub(crate) fn see_scalars(&mut self, exec: &dyn Executor, walls: &WallNodes) {
        self.scalars.see(exec, walls);
        if self.mesh.sampling() == FieldSampling::Trilinear {
            self.scalars.smooth(exec);
        }
    }
}

/// Adds the same to all velocities, four at once, so that the compiler vectorises the loop.
fn add_to_each(velocities: &mut [Vec3], addend: Vec3) {
    let (fours, rest) = velocities.as_chunks_mut::<4>();
    let [x, y, z] = addend.to_array();
    let addends = [x, y, z, x, y, z, x, y, z, x, y, z];
    for four in fours {
        let floats: &mut [f32; 12] = bytemuck::cast_mut(four);
        floats.iter_mut().zip(addends).for_each(|(float, addend)| *float += addend);
    }
    rest.iter_mut().for_each(|velocity| *velocity += addend);
}

impl VelocityField for PublishedField {
    fn velocities(&self, positions: &[Vec3], out: &mut [Vec3]) {
        self.induced(positions, out);
        self.add_carried(positions, out);
    }

    fn flow(&self, positions: &[Vec3], out: &mut [FlowSample]) {
        self.flow_by(false, positions, out);
    }

    fn sampled_flow(&self, positions: &[Vec3], out: &mut [FlowSample]) {
        self.flow_by(true, positions, out);
    }

    fn velocities_together(&self, positions: &[Vec3], out: &mut [Vec3]) {
        if !(self.is_parted() || self.cloud.has_tree()) {
            return self.velocities(positions, out);
        }
        assert_eq!(positions.len(), out.len(), "one velocity for each position");
        self.induced_together(true, positions, out);
        self.add_carried(positions, out);
    }

    fn sampled_flow_together(&self, positions: &[Vec3], out: &mut [FlowSample]) {
        if !self.is_parted() {
            return self.sampled_flow(positions, out);
        }
        assert_eq!(positions.len(), out.len(), "one flow sample for each position");
        self.induced_together(true, positions, out);
        self.add_carried_to_flow(positions, out);
    }

    fn placed_flow(&self, together: bool, positions: &[Vec3], out: &mut [PlacedFlow]) {
        assert_eq!(positions.len(), out.len(), "one flow for each position");
        for (positions, out) in positions.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            if self.is_of_one_mesh() && self.mesh.placed_flow(positions, out) {
                self.add_carried_to_placed(out);
            } else {
                place_samples(self, together, positions, out);
            }
        }
    }

    fn scalars(&self, positions: &[Vec3], out: &mut [ScalarSample]) {
        let state = (&self.ambient, self.equation_of_state);
        self.scalars.scalars(state, self.instruction_set, positions, out);
    }

    fn values(&self, quantity: ScalarQuantity, positions: &[Vec3], out: &mut [f32]) {
        let state = (&self.ambient, self.equation_of_state);
        self.scalars.values(quantity, state, self.instruction_set, positions, out);
    }

    fn carry(&self, places: &mut [Vec3], time: f32) {
        if self.wind == Vec3::ZERO && self.enclosures.is_empty() {
            return;
        }
        for places in places.chunks_mut(CARRIED) {
            let alike = self.enclosures.alike_at_start(places, self.wind);
            places
                .iter_mut()
                .for_each(|place| *place += alike.unwrap_or_else(|| self.carried(*place)) * time);
        }
    }

    fn eddies(&self) -> Option<&Eddies> {
        Some(&self.eddies)
    }
}

impl Saved for PublishedField {
    fn save(&self, out: &mut Writer<'_>) {
        let Self {
            on_mesh,
            sampled_on_mesh,
            cloud,
            grouped,
            expanded,
            mesh,
            others,
            scalars,
            wind,
            enclosures,
            time,
            eddies,
            ambient: _,
            equation_of_state: _,
            instruction_set: _,
            parted,
        } = self;
        [*on_mesh, *sampled_on_mesh].save(out);
        cloud.save(out);
        grouped.save(out);
        expanded.save(out);
        mesh.save(self.is_sampled_on_mesh(), out);
        (others.len() as u32).save(out);
        others.iter().for_each(|other| other.save(self.is_sampled_on_mesh(), out));
        scalars.save(out);
        wind.save(out);
        enclosures.save(out);
        time.save(out);
        eddies.save(out);
        parted.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        [self.on_mesh, self.sampled_on_mesh] = from.value()?;
        self.cloud.load(from)?;
        self.grouped.load(from)?;
        self.expanded.load(from)?;
        check(self.expanded.are_of(&self.grouped))?;
        self.mesh.load(self.is_sampled_on_mesh(), from)?;
        let used: u32 = from.value()?;
        check(used as usize <= MOST_OTHERS)?;
        let is_read = self.is_sampled_on_mesh();
        self.use_others(used as usize).iter_mut().try_for_each(|other| other.load(is_read, from))?;
        self.scalars.load(from)?;
        self.wind.load(from)?;
        self.enclosures.load(from)?;
        self.time.load(from)?;
        self.eddies.load(from)?;
        self.parted.load(from)?;
        check(self.parted.is_in_groups(MOST_GROUPS))
    }
}
