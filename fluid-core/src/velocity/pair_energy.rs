//! The energy of vortons pair by pair (E8), in the lanes of the direct sum.

use super::direct::{DirectSettings, SourceCloud};
use super::{FlowSample, Sources};
use crate::constants::PARTICLE_CHUNK;
use crate::math::Vec3Columns;
use fluid_threads::{Executor, reduce_ordered};
use glam::Vec3;

/// Sums of energies over pairs, with their memory.
#[derive(Debug, Clone)]
pub(crate) struct PairEnergy {
    cloud: SourceCloud,
    /// At all sources, for the strengths of the last flow or energy.
    potentials: Vec<Vec3>,
    /// Potentials of a part of the sources, or of a change of their strengths.
    other: Vec<Vec3>,
    /// Positions of a part of the sources.
    places: Vec3Columns,
    partials: Vec<f64>,
}

crate::saved::fields!(PairEnergy { potentials } not { cloud, other, places, partials });

impl PairEnergy {
    pub(crate) fn new(settings: DirectSettings) -> Self {
        Self {
            cloud: SourceCloud::new(settings),
            potentials: Vec::new(),
            other: Vec::new(),
            places: Vec3Columns::default(),
            partials: Vec::new(),
        }
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
    /// \[m⁵/s²\] of all: on one side of their mirrors. `cloud` holds the sources.
    pub(crate) fn flow_and_energy(
        &mut self,
        exec: &dyn Executor,
        cloud: &SourceCloud,
        sources: &Sources,
        flow: &mut [FlowSample],
    ) -> f64 {
        let Sources { positions, strengths, .. } = sources;
        self.potentials.resize(sources.own(), Vec3::ZERO);
        let (at_flow, others) = self.potentials.split_at_mut(flow.len());
        cloud.flow_and_potential_in_parallel(exec, positions, flow, at_flow);
        cloud.potential_in_parallel(exec, positions, flow.len(), others);
        sum(exec, strengths, &self.potentials, &mut self.partials, &|_| 0.5)
    }

    /// Computes the energy \[m⁵/s²\] of these vortons, of which the first `own` are not images: on one side
    /// of their mirrors.
    pub(crate) fn energy(
        &mut self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        strengths: &Vec3Columns,
        own: usize,
    ) -> f64 {
        self.potentials.resize(own, Vec3::ZERO);
        find_potentials(exec, &mut self.cloud, positions, strengths, &mut self.potentials);
        sum(exec, strengths, &self.potentials, &mut self.partials, &|_| 0.5)
    }

    /// Computes Σ d·ψ \[m⁵/s²\] with the known potentials ψ: the derivative of the energy along the
    /// strengths d.
    pub(crate) fn slope(&mut self, exec: &dyn Executor, direction: &Vec3Columns) -> f64 {
        sum(exec, direction, &self.potentials, &mut self.partials, &|_| 1.0)
    }

    /// As [`energy`](Self::energy), of these strengths alone; the known potentials are kept.
    pub(crate) fn energy_of_change(
        &mut self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        direction: &Vec3Columns,
        own: usize,
    ) -> f64 {
        self.other.resize(own, Vec3::ZERO);
        find_potentials(exec, &mut self.cloud, positions, direction, &mut self.other);
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
    /// everywhere, and computes that of all vortons at these.
    pub(crate) fn add_potentials_of_part(
        &mut self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        strengths: &Vec3Columns,
        is_in: &(dyn Fn(usize) -> bool + Sync),
    ) {
        let is_in = |row: usize| is_in(row) && strengths.get(row) != Vec3::ZERO;
        let part = (0..positions.len()).filter(|&row| is_in(row));
        self.cloud.set_from(part.clone().map(|row| (positions.get(row), strengths.get(row))));
        if self.cloud.is_empty() {
            return;
        }
        self.other.resize(positions.len(), Vec3::ZERO);
        self.cloud.potential_in_parallel(exec, positions, 0, &mut self.other);
        for (potential, other) in self.potentials.iter_mut().zip(&self.other) {
            *potential += *other;
        }
        self.places.clear();
        part.clone().for_each(|row| self.places.push(positions.get(row)));
        self.cloud.set(positions, strengths);
        let at_part = &mut self.other[..self.places.len()];
        self.cloud.potential_in_parallel(exec, &self.places, 0, at_part);
        part.zip(at_part).for_each(|(row, potential)| self.potentials[row] = *potential);
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

fn find_potentials(
    exec: &dyn Executor,
    cloud: &mut SourceCloud,
    positions: &Vec3Columns,
    strengths: &Vec3Columns,
    potentials: &mut [Vec3],
) {
    cloud.set(positions, strengths);
    cloud.potential_in_parallel(exec, positions, 0, potentials);
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
