//! The energy of vortons pair by pair (E8), in the lanes of the direct sum.

use super::direct::{DirectSettings, SourceCloud, TreeSums};
use super::group_potentials::GroupPotentials;
use super::tree::SourceTree;
use super::{FlowSample, Sources};
use crate::constants::PARTICLE_CHUNK;
use crate::math::Vec3Columns;
use fluid_threads::{Executor, reduce_ordered};
use glam::Vec3;

/// Least sources of a part that are summed by a tree \[1\].
const VERY_MANY: usize = 1024;

/// Sums of energies over pairs, with their memory.
#[derive(Debug, Clone)]
pub(crate) struct PairEnergy {
    cloud: SourceCloud,
    /// Groups summed apart, where no field holds them.
    grouped: SourceCloud,
    /// Expansions of their potentials beside a mesh.
    of_groups: GroupPotentials,
    /// At all sources, for the strengths of the last flow or energy; 0 at groups summed apart.
    potentials: Vec<Vec3>,
    /// Potentials of a part of the sources, or of a change of their strengths.
    other: Vec<Vec3>,
    /// Positions of a part of the sources, or of all in another order.
    places: Vec3Columns,
    /// That order, with its memory, and potentials in it.
    order: Vec<u32>,
    order_tree: SourceTree,
    sorted: Vec<Vec3>,
    partials: Vec<f64>,
    /// True if the sources in no group apart are summed by a tree.
    by_tree: bool,
    tree_sums: TreeSums,
}

crate::saved::fields!(PairEnergy {
    potentials, by_tree,
} not { cloud, grouped, of_groups, other, places, order, order_tree, sorted, partials, tree_sums });

impl PairEnergy {
    pub(crate) fn new(settings: DirectSettings) -> Self {
        Self {
            cloud: SourceCloud::new(settings),
            grouped: SourceCloud::new(settings),
            of_groups: GroupPotentials::default(),
            potentials: Vec::new(),
            other: Vec::new(),
            places: Vec3Columns::default(),
            order: Vec::new(),
            order_tree: SourceTree::default(),
            sorted: Vec::new(),
            partials: Vec::new(),
            by_tree: false,
            tree_sums: TreeSums::default(),
        }
    }

    /// Sums by a tree, or pair by pair.
    pub(crate) fn set_by_tree(&mut self, by_tree: bool) {
        self.by_tree = by_tree;
    }

    /// Sums over a part of the sources by a tree if they are so many that its errors are worth it: the slope
    /// of the energy is then off by up to 1e-4 of that.
    fn plant_if_very_many(&mut self, exec: &dyn Executor) {
        if self.cloud.len() >= VERY_MANY {
            self.cloud.plant_if_many(exec);
        }
    }

    /// Frees the memory of the last tree.
    pub(crate) fn forget_tree(&mut self) {
        self.cloud.forget_tree();
    }

    /// Returns the numbers of sources in no group apart that a tree sums at all of them, and of its far cells
    /// for each block of targets; None without memory.
    pub(crate) fn count_by_tree(&mut self, exec: &dyn Executor, sources: &Sources) -> Option<[usize; 2]> {
        self.cloud.set_together(sources, &sources.strengths);
        self.cloud.divide(exec, false).then(|| self.cloud.count_by_tree())
    }

    /// Divides a cloud of all sources into a tree. Returns false without memory.
    pub(crate) fn plant(&mut self, exec: &dyn Executor, cloud: &mut SourceCloud) -> bool {
        self.tree_sums.make_room(exec, cloud.len()) && cloud.plant(exec)
    }

    /// Computes velocity and gradient at the first of these sources, as many as `flow` has elements, by the
    /// tree of a cloud of them.
    pub(crate) fn flow_by_tree(
        &mut self,
        exec: &dyn Executor,
        (cloud, sources): (&SourceCloud, &Sources),
        flow: &mut [FlowSample],
    ) {
        cloud.flow_by_tree(exec, &mut self.tree_sums);
        self.tree_sums.copy_flow(exec, (cloud, sources), flow);
    }

    /// Reserves memory for `vortons`.
    pub(crate) fn reserve(&mut self, vortons: usize) {
        self.cloud.reserve(vortons);
        self.potentials.reserve(vortons);
        self.other.reserve(vortons);
        self.partials.reserve(vortons.div_ceil(PARTICLE_CHUNK));
    }

    /// Reserves memory for `capacity` sources of volume in a cloud that is lent to fields.
    pub(crate) fn reserve_expansions(&mut self, capacity: usize) {
        self.cloud.reserve_expansions(capacity);
    }

    /// Computes velocity and gradient at the first sources, as many as `flow` has elements, and the energy
    /// \[m⁵/s²\] of all: on one side of their mirrors. `grouped` holds the groups summed apart, `cloud` all
    /// other sources.
    pub(crate) fn flow_and_energy(
        &mut self,
        exec: &dyn Executor,
        (cloud, grouped): (&SourceCloud, &SourceCloud),
        sources: &Sources,
        flow: &mut [FlowSample],
    ) -> f64 {
        let Sources { positions, strengths, .. } = sources;
        reset(&mut self.potentials, sources.own());
        if cloud.has_tree() {
            self.flow_by_tree(exec, (cloud, sources), flow);
            self.tree_sums.copy_potentials(exec, (cloud, sources), &mut self.potentials);
        } else {
            cloud.flow_and_potential_in_parallel(exec, positions, flow, &mut self.potentials[..flow.len()]);
            for rows in sources.rows_together(sources.own()) {
                let rows = rows.start.max(flow.len())..rows.end.max(flow.len());
                cloud.potential_in_parallel(exec, positions, rows.start, &mut self.potentials[rows]);
            }
        }
        let energy = sum(exec, strengths, &self.potentials, &mut self.partials, &|_| 0.5);
        grouped.add_flow_in_parallel(exec, positions, flow);
        energy + self.add_groups(exec, grouped, sources, strengths)
    }

    /// Computes the energy \[m⁵/s²\] of all sources with these strengths, on one side of their mirrors.
    pub(crate) fn energy(&mut self, exec: &dyn Executor, sources: &Sources, strengths: &Vec3Columns) -> f64 {
        reset(&mut self.potentials, sources.own());
        let by_tree = self.by_tree.then_some(&mut self.tree_sums);
        find_potentials(exec, (&mut self.cloud, by_tree), sources, strengths, &mut self.potentials);
        let energy = sum(exec, strengths, &self.potentials, &mut self.partials, &|_| 0.5);
        let grouped = self.take_groups(sources);
        let of_groups = self.add_groups(exec, &grouped, sources, strengths);
        self.grouped = grouped;
        energy + of_groups
    }

    /// Returns the groups summed apart in the cloud of its own, which it then lacks.
    fn take_groups(&mut self, sources: &Sources) -> SourceCloud {
        let empty = SourceCloud::new(self.grouped.settings());
        let mut grouped = std::mem::replace(&mut self.grouped, empty);
        grouped.set_apart(sources);
        grouped
    }

    /// Adds the potentials of these groups to the known ones. Returns the energy that they have by themselves
    /// and with all other sources, which have these strengths.
    fn add_groups(
        &mut self,
        exec: &dyn Executor,
        grouped: &SourceCloud,
        sources: &Sources,
        strengths: &Vec3Columns,
    ) -> f64 {
        if grouped.is_empty() {
            return 0.0;
        }
        reset(&mut self.other, sources.own());
        for rows in sources.rows_together(sources.own()) {
            grouped.potential_in_parallel(exec, &sources.positions, rows.start, &mut self.other[rows]);
        }
        self.potentials.iter_mut().zip(&self.other).for_each(|(all, other)| *all += *other);
        self.energy_in_groups(exec, grouped, sources, strengths)
    }

    /// Returns the energy \[m⁵/s²\] that groups summed apart have by themselves and with all other sources,
    /// which have these strengths, on one side of the mirrors, beside a mesh: their potentials are expanded.
    /// The energy of a pair is the same from either end, so the potentials of all others at the groups are
    /// not needed.
    pub(crate) fn energy_of_groups_beside(
        &mut self,
        exec: &dyn Executor,
        grouped: &SourceCloud,
        sources: &Sources,
        strengths: &Vec3Columns,
    ) -> f64 {
        if grouped.is_empty() {
            return 0.0;
        }
        self.find_potentials_of_groups(exec, grouped, sources, sources.own());
        self.energy_in_groups(exec, grouped, sources, strengths)
    }

    /// Returns the energy \[m⁵/s²\] of these groups by themselves and with all other sources, at which their
    /// potentials are known.
    fn energy_in_groups(
        &mut self,
        exec: &dyn Executor,
        grouped: &SourceCloud,
        sources: &Sources,
        strengths: &Vec3Columns,
    ) -> f64 {
        let with_others = sum(exec, strengths, &self.other, &mut self.partials, &|_| 1.0);
        let own = grouped.groups().len() / sources.copies();
        with_others + grouped.energy_of_groups(exec, own, &mut self.partials)
    }

    /// As [`energy_of_groups_beside`](Self::energy_of_groups_beside), of the groups of these sources.
    pub(crate) fn energy_of_groups(
        &mut self,
        exec: &dyn Executor,
        sources: &Sources,
        strengths: &Vec3Columns,
    ) -> f64 {
        let grouped = self.take_groups(sources);
        let energy = self.energy_of_groups_beside(exec, &grouped, sources, strengths);
        self.grouped = grouped;
        energy
    }

    /// Adds the potentials of the groups summed apart to those known without.
    pub(crate) fn add_potentials_of_groups(&mut self, exec: &dyn Executor, sources: &Sources) {
        let grouped = self.take_groups(sources);
        if !grouped.is_empty() {
            self.find_potentials_of_groups(exec, &grouped, sources, self.potentials.len());
            self.potentials.iter_mut().zip(&self.other).for_each(|(all, other)| *all += *other);
        }
        self.grouped = grouped;
    }

    /// Computes the potentials of these groups at the first `count` sources, 0 at those in groups.
    fn find_potentials_of_groups(
        &mut self,
        exec: &dyn Executor,
        grouped: &SourceCloud,
        sources: &Sources,
        count: usize,
    ) {
        reset(&mut self.other, count);
        self.of_groups.expand(exec, grouped);
        for rows in sources.rows_together(count) {
            self.of_groups.add(exec, grouped, &sources.positions, rows.start, &mut self.other[rows]);
        }
    }

    /// Computes Σ d·ψ \[m⁵/s²\] with the known potentials ψ: the derivative of the energy along the
    /// strengths d.
    pub(crate) fn slope(&mut self, exec: &dyn Executor, direction: &Vec3Columns) -> f64 {
        sum(exec, direction, &self.potentials, &mut self.partials, &|_| 1.0)
    }

    /// Computes the energy \[m⁵/s²\] of these strengths alone, which are 0 in groups summed apart, on one
    /// side of the mirrors; the known potentials are kept.
    pub(crate) fn energy_of_change(
        &mut self,
        exec: &dyn Executor,
        sources: &Sources,
        direction: &Vec3Columns,
    ) -> f64 {
        reset(&mut self.other, sources.own());
        let by_tree = self.by_tree.then_some(&mut self.tree_sums);
        find_potentials(exec, (&mut self.cloud, by_tree), sources, direction, &mut self.other);
        sum(exec, direction, &self.other, &mut self.partials, &|_| 0.5)
    }

    /// Updates the potentials after `lambda` times the strengths last passed to
    /// [`energy_of_change`](Self::energy_of_change) have been subtracted.
    pub(crate) fn went_along(&mut self, lambda: f32) {
        for (potential, other) in self.potentials.iter_mut().zip(&self.other) {
            *potential -= *other * lambda;
        }
    }

    /// Returns columns that the next energy overwrites.
    pub(crate) fn scratch(&mut self) -> [&mut Vec3Columns; 2] {
        self.cloud.columns_mut()
    }

    /// Exchanges the cloud that the next energy overwrites for another with the same settings.
    pub(crate) fn swap_cloud(&mut self, cloud: &mut SourceCloud) {
        std::mem::swap(&mut self.cloud, cloud);
    }

    /// Returns the known potentials.
    pub(crate) fn last_potentials(&mut self) -> &mut Vec<Vec3> {
        &mut self.potentials
    }

    /// Returns the potentials at `count` sources, to be filled by another method.
    pub(crate) fn potentials_mut(&mut self, count: usize) -> &mut [Vec3] {
        self.potentials.resize(count, Vec3::ZERO);
        &mut self.potentials
    }

    /// Completes potentials known without the vortons for which `is_in` holds: adds the potential of these
    /// everywhere, and computes that of all vortons at these. Groups summed apart are left out.
    pub(crate) fn add_potentials_of_part(
        &mut self,
        exec: &dyn Executor,
        sources: &Sources,
        is_in: &(dyn Fn(usize) -> bool + Sync),
    ) {
        let Sources { positions, strengths, .. } = sources;
        let is_in = |row: usize| is_in(row) && strengths.get(row) != Vec3::ZERO && !sources.is_apart(row);
        let part = (0..positions.len()).filter(|&row| is_in(row));
        self.cloud.set_from(part.clone().map(|row| (positions.get(row), strengths.get(row))));
        if self.cloud.is_empty() {
            return;
        }
        self.plant_if_very_many(exec);
        self.other.resize(positions.len(), Vec3::ZERO);
        self.cloud.potential_in_parallel(exec, positions, 0, &mut self.other);
        for (potential, other) in self.potentials.iter_mut().zip(&self.other) {
            *potential += *other;
        }
        self.places.clear();
        part.clone().for_each(|row| self.places.push(positions.get(row)));
        self.cloud.set_together(sources, strengths);
        let at_part = &mut self.other[..self.places.len()];
        self.cloud.potential_in_parallel(exec, &self.places, 0, at_part);
        part.zip(at_part).for_each(|(row, potential)| self.potentials[row] = *potential);
    }

    /// Computes the energy \[m⁵/s²\] of the sources and images for which `is_in` holds, with these strengths,
    /// among themselves and with all others, on all sides of their mirrors. Groups summed apart are left out.
    pub(crate) fn energy_of_strays(
        &mut self,
        exec: &dyn Executor,
        sources: &Sources,
        strengths: &Vec3Columns,
        is_in: &(dyn Fn(usize) -> bool + Sync),
    ) -> f64 {
        let (positions, count) = (&sources.positions, sources.len());
        let is_in = |row: usize| is_in(row) && !sources.is_apart(row);
        let part = (0..count).filter(|&row| strengths.get(row) != Vec3::ZERO && is_in(row));
        self.cloud.set_from(part.map(|row| (positions.get(row), strengths.get(row))));
        if self.cloud.is_empty() {
            return 0.0;
        }
        self.plant_if_very_many(exec);
        reset(&mut self.other, count);
        if self.cloud.has_tree() {
            self.find_sorted_potentials(exec, sources);
        } else {
            for rows in sources.rows_together(count) {
                self.cloud.potential_in_parallel(exec, positions, rows.start, &mut self.other[rows]);
            }
        }
        let weight = |row: usize| if is_in(row) { 0.5 } else { 1.0 };
        sum(exec, strengths, &self.other, &mut self.partials, &weight)
    }

    /// Computes the potentials of the cloud at all sources in no group apart, of which successive ones are
    /// made near each other for its tree.
    fn find_sorted_potentials(&mut self, exec: &dyn Executor, sources: &Sources) {
        let Self { cloud, order, order_tree, places, sorted, other, .. } = self;
        order.clear();
        order.extend(sources.rows_together(sources.len()).flatten().map(|row| row as u32));
        order_tree.sort_near_each_other(exec, &sources.positions, order);
        places.clear();
        order.iter().for_each(|&row| places.push(sources.positions.get(row as usize)));
        reset(sorted, order.len());
        cloud.potential_in_parallel(exec, places, 0, sorted);
        order.iter().zip(&*sorted).for_each(|(&row, potential)| other[row as usize] = *potential);
    }

    /// Computes the energy \[m⁵/s²\] of the vortons among the first `own` for which `is_in` holds, among
    /// themselves and with all others, on one side of their mirrors. Their images, which follow in the same
    /// order, belong to the part.
    pub(crate) fn energy_of_part(
        &mut self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        strengths: &Vec3Columns,
        own: usize,
        is_in: &(dyn Fn(usize) -> bool + Sync),
    ) -> f64 {
        let counts = |row: &usize| is_in(row % own) && strengths.get(*row) != Vec3::ZERO;
        let part = (0..positions.len()).filter(counts);
        self.cloud.set_from(part.map(|row| (positions.get(row), strengths.get(row))));
        if self.cloud.is_empty() {
            return 0.0;
        }
        self.other.resize(own, Vec3::ZERO);
        self.cloud.potential_in_parallel(exec, positions, 0, &mut self.other);
        let weight = |row: usize| if is_in(row) { 0.5 } else { 1.0 };
        sum(exec, strengths, &self.other, &mut self.partials, &weight)
    }
}

fn reset(potentials: &mut Vec<Vec3>, count: usize) {
    potentials.clear();
    potentials.resize(count, Vec3::ZERO);
}

/// Computes the potentials of all sources outside of groups summed apart at those that are not images.
fn find_potentials(
    exec: &dyn Executor,
    (cloud, by_tree): (&mut SourceCloud, Option<&mut TreeSums>),
    sources: &Sources,
    strengths: &Vec3Columns,
    potentials: &mut [Vec3],
) {
    cloud.set_together(sources, strengths);
    if let Some(sums) = by_tree
        && sums.make_room(exec, cloud.len())
        && cloud.plant(exec)
    {
        cloud.potentials_by_tree(exec, sums);
        return sums.copy_potentials(exec, (cloud, sources), potentials);
    }
    for rows in sources.rows_together(sources.own()) {
        cloud.potential_in_parallel(exec, &sources.positions, rows.start, &mut potentials[rows]);
    }
}

/// Sums w α·ψ, without values that are not finite.
fn sum(
    exec: &dyn Executor,
    strengths: &Vec3Columns,
    potentials: &[Vec3],
    partials: &mut Vec<f64>,
    weight: &(dyn Fn(usize) -> f64 + Sync),
) -> f64 {
    let part = |row: usize| {
        let product = strengths.get(row).as_dvec3().dot(potentials[row].as_dvec3());
        if product.is_finite() { weight(row) * product } else { 0.0 }
    };
    let sum = |range: std::ops::Range<usize>| range.map(part).sum::<f64>();
    reduce_ordered(exec, potentials.len(), PARTICLE_CHUNK, 0.0, partials, &sum, |a, b| a + b)
}
