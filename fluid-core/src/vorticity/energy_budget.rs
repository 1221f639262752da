//! The energy budget (E46): without viscosity a step may not raise the energy of the vortons by more than
//! gravity, bodies and new vortons supply. Any further rise is an error of a cloud that no longer resolves
//! its field, and is removed where the cloud is rough. A step that sums the energy and compares it with the
//! budget takes a look.

use super::energy_slopes::{Direction, EnergySlopes};
use super::potentials_ahead::{LOOKS_FOR_POTENTIALS, PotentialsAhead};
use super::restoring::{Restoring, SumsChange};
use super::roughness::{Roughness, RoughnessSearch};
use crate::constants::PARTICLE_CHUNK;
use crate::math::Vec3Columns;
use crate::particles::{Neighbours, Vortons};
use crate::velocity::{DirectSettings, FlowSample, Solver, Sources};
use fluid_threads::{Executor, reduce_ordered};
use glam::{DVec2, DVec3, Mat3, Vec3};
use std::f64::consts::PI;
use std::ops::Range;

/// Relative excess over the allowed energy above which the budget acts \[1\]. The energy of a coherent cloud
/// fluctuates by less: by 1e-6 in the direct sum, by up to 3e-4 on a mesh as vortons pass its nodes. If an
/// act leaves a larger excess, the next looks wait ([`LOOKS_TO_WAIT`]).
const TOLERANCE: f64 = 3e-3;

/// Largest excess \[1\] that may be left for later steps, and that is removed by the slope of the energy
/// alone, without its curvature, which costs half a solve.
const MOST_LEFT: f64 = 0.02;

/// Largest excess \[1\], the second payment included, that may be left until the potentials needed to remove
/// it are found: one look later it is hardly larger. A larger one is removed at once, in a step that costs
/// several solves.
const MOST_AHEAD: f64 = 0.03;

/// Largest λ of a combined direction, relative to the λ at which its bounded parts minimise Σ|α|² \[1\]: at 2
/// the sum would be as large as before.
const MOST_OF_WHOLE: f64 = 1.5;

/// Largest excess \[1\] that may be left beside bound vorticity after an attempt that removed some: a second
/// attempt, which costs more than a solve, usually finds nothing.
const MOST_LEFT_BESIDE_BODIES: f64 = 0.05;

/// Least part of an excess beside bodies that an attempt must have removed to make a second one worth its
/// cost \[1\]: if the first finds next to nothing, the energy is that of bound vorticity.
const LEAST_FOUND_BESIDE_BODIES: f64 = 0.25;

/// Largest growth of an excess between two looks, relative to it \[1\], with which the next look still shows
/// how much has been removed.
const SLOW_GROWTH: f64 = 0.5;

/// Number of looks that leave a small excess alone after a step that could not remove its own: typically in a
/// rolled-up sheet, where the next step finds nothing more to remove and each attempt costs more than a
/// solve.
const LOOKS_TO_WAIT: u32 = 4;

/// Most attempts of a step to find strengths to remove, as long as the excess is too large to be left.
const MOST_ATTEMPTS: usize = 2;

/// Part of the energy really lost that is forgotten, and may not come back later, per unit of the stretch
/// number \[1\]: it is forgotten within some 50 turnovers of the fastest eddies.
const FORGETTING: f64 = 0.02;

/// Largest part that is forgotten per unit of the stretch number \[1\]. Errors of steps and of the mesh make
/// the energy fluctuate by a small part, which comes back. A loss of a multiple of the remaining energy does
/// not come back, and would let unrelated flow elsewhere grow.
const FORGETTING_MUCH: f64 = 0.2;

/// Part of the allowed energy, per unit of the stretch number, up to which an excess is paid a second time
/// \[1\], so that noise which adds energy in each step decays, within some five turnovers. Without this
/// bound, errors of contacts in a weak flow, a tenth of its energy per step, would use up all of it within a
/// second.
const SECOND_PAYMENT: f64 = 0.2;

/// Largest part of the allowed energy that may be debited in one step for the work of bodies \[1\]: the work
/// of contacts is known to a few percent of the energy exchanged, and that can exceed the energy of a weak
/// flow.
const MOST_TAKEN_BY_BODIES: f64 = 0.1;

/// Largest approach of E to (1 + [`TOLERANCE`]) B since the last look, relative to the distance left \[1\],
/// after which the next step skips its look: with three times that approach the look after it still finds no
/// excess.
const MOST_APPROACH: f64 = 0.33;

/// Largest part of the strengths \[1\] by which one step may change them to restore total strength and
/// impulse: more would disturb the vortons that receive it. Later steps restore the remainder.
const MOST_GIVEN_BACK: f64 = 0.015;

/// Error of a step, over the amount that one step may restore, above which nothing is restored \[1\].
const MUCH_MORE: f64 = 2.0;

/// Own fraction assigned to a vorton with a strength opposed to the vorticity around it \[1\].
const OPPOSED: f32 = 10.0;

/// Findings and acts of the budget in a step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct EnergyReport {
    /// Allowed energy per density \[m⁵/s²\].
    pub(crate) allowed: f64,
    /// Energy per density removed \[m⁵/s²\].
    pub(crate) removed: f64,
    /// True if removal along directions that affect rough parts did not suffice, and all strengths were
    /// scaled.
    pub(crate) scaled: bool,
}

impl EnergyReport {
    pub(crate) fn has_changed(&self) -> bool {
        self.removed != 0.0 || self.scaled
    }
}

/// The allowed energy of the vortons, and scratch for removing the excess.
#[derive(Debug, Clone, Default)]
pub(crate) struct EnergyBudget {
    /// Allowed energy per density \[m⁵/s²\].
    allowed: f64,
    /// Id of the first vorton with energy not yet credited.
    next_new: u64,
    /// Excess left by the last step that removed some \[m⁵/s²\].
    unpaid: f64,
    /// Excess that the last look left because it was attributed to bodies \[m⁵/s²\].
    lent: f64,
    /// Number of looks that will leave an excess of at most [`most_left`] alone.
    looks_to_wait: u32,
    /// True if an act with potentials found ahead left more than [`MOST_LEFT`].
    has_failed: bool,
    /// (1 + [`TOLERANCE`]) B − E at the last look; none if that found an excess \[m⁵/s²\].
    distance: Option<f64>,
    /// E − B after the last look and its removal \[m⁵/s²\]; none while the excess exceeds the removable
    /// amount.
    left: Option<f64>,
    /// True if the next step may skip summing its energy.
    skips_next_look: bool,
    /// Stretch number of the steps without a look since the last one \[1\].
    skipped_stretch: f32,
    /// Change of total strength and impulse by earlier steps, not yet given back.
    owed: SumsChange,
    slopes: EnergySlopes,
    /// True if slopes along directions can be computed exactly, because the potentials of this cloud are
    /// known.
    knows_potentials: bool,
    /// Potentials found in earlier steps for the next act.
    ahead: PotentialsAhead,
    roughness: Roughness,
    /// True if the columns have been written since they were [lent](EnergyBudget::lend).
    has_written: bool,
    direction: Vec3Columns,
    /// Directions used up to their bounds, and scratch of the search for the first direction.
    whole: Vec3Columns,
    changes: Vec<SumsChange>,
    largest: Vec<f32>,
    products: Vec<DVec2>,
}

crate::saved::fields!(EnergyBudget {
    allowed, next_new, unpaid, lent, looks_to_wait, has_failed, distance, left, skips_next_look, skipped_stretch,
    owed, slopes, knows_potentials, ahead,
} not { roughness, has_written, direction, whole, changes, largest, products });

impl EnergyBudget {
    /// Moves the origin to `origin` \[m\]: the impulse owed is about it.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.owed = self.owed.about(origin.as_dvec3());
    }
}

/// A cloud to be kept within its energy budget.
pub(crate) struct BudgetedCloud<'a> {
    pub(crate) exec: &'a dyn Executor,
    pub(crate) solver: &'a mut Solver,
    pub(crate) neighbours: &'a mut Neighbours,
    /// Vortons, bound vorticity of bodies, and the images of both.
    pub(crate) sources: &'a mut Sources,
    /// Ids of the vortons, ascending.
    pub(crate) ids: &'a [u64],
    /// The flow at each vorton.
    pub(crate) flow: &'a [FlowSample],
    pub(crate) settings: DirectSettings,
    /// True if this step did other long work: an excess of at most [`most_left`] is then left to the next
    /// look.
    pub(crate) can_wait: bool,
}

/// External changes of total strength and linear impulse in a step.
pub(crate) struct FromOutside<'a> {
    /// Displacement of all vortons by the wind \[m\].
    pub(crate) carried: Vec3,
    /// Impulse transferred to bodies \[m⁴/s\].
    pub(crate) given: DVec3,
    /// Strength \[m³/s\] added to a vorton by gravity, halfway along its path.
    pub(crate) pulled: &'a (dyn Fn(usize) -> Vec3 + Sync),
}

impl EnergyBudget {
    /// Reserves memory for `capacity` sources, but not for directions.
    pub(crate) fn reserve(&mut self, capacity: usize) {
        self.roughness.reserve(capacity);
        self.ahead.reserve(capacity);
        self.changes.reserve(capacity.div_ceil(PARTICLE_CHUNK));
        self.largest.reserve(capacity.div_ceil(PARTICLE_CHUNK));
        self.products.reserve(capacity.div_ceil(PARTICLE_CHUNK));
    }

    /// Reserves memory for directions of `capacity` sources, for which no columns can be lent.
    pub(crate) fn reserve_directions(&mut self, capacity: usize) {
        self.direction.reserve(capacity);
        self.whole.reserve(capacity);
    }

    /// Swaps the columns for directions with two that are free meanwhile; called again to swap back. True if
    /// they have been written since.
    pub(crate) fn lend(&mut self, [direction, whole]: [&mut Vec3Columns; 2]) -> bool {
        std::mem::swap(&mut self.direction, direction);
        std::mem::swap(&mut self.whole, whole);
        std::mem::take(&mut self.has_written)
    }

    /// Raises the allowed energy by `energy` \[m⁵/s²\], which may be negative.
    pub(crate) fn credit(&mut self, energy: f64) {
        if energy.is_finite() {
            self.allowed += energy;
        }
    }

    /// Drops the impulse owed by vortons about to be removed, so that it is not given to others. `stays` is
    /// the part of Σ|α| that remains \[1\].
    pub(crate) fn keep_owed(&mut self, stays: f64) {
        self.owed = if stays > 0.0 { self.owed.rest(1.0 - stays, DVec3::ZERO) } else { SumsChange::NONE };
    }

    /// Credits the work of bodies on the fluid in the last step \[m⁵/s²\].
    pub(crate) fn credit_bodies(&mut self, work: f64) {
        self.credit(work.max(-MOST_TAKEN_BY_BODIES * self.allowed.max(0.0)));
    }

    /// Rescales the budget to a new measure of the energy, which gives `after` where the previous one gave
    /// `before` \[m⁵/s²\].
    pub(crate) fn measure_anew(&mut self, before: f64, after: f64) {
        let ratio = after / before;
        if ratio.is_finite() && ratio > 0.0 {
            self.allowed *= ratio;
            self.unpaid *= ratio;
            self.lent *= ratio;
        }
        (self.distance, self.left, self.skips_next_look) = (None, None, false);
        self.slopes.forget();
        self.ahead.forget();
    }

    /// Clears the budget, because all vortons have been removed. Memory is kept.
    pub(crate) fn forget(&mut self) {
        (self.allowed, self.unpaid, self.next_new, self.owed) = (0.0, 0.0, 0, SumsChange::NONE);
        (self.lent, self.looks_to_wait, self.has_failed) = (0.0, 0, false);
        (self.distance, self.left, self.skips_next_look, self.skipped_stretch) = (None, None, false, 0.0);
        self.slopes.forget();
        self.ahead.forget();
    }

    /// True if this step has to sum its energy. While E stays clear of the allowed energy, only every second
    /// step does.
    pub(crate) fn is_due(&self) -> bool {
        !self.skips_next_look
    }

    /// True if a step has found potentials for the next act, or some of their components; that can take as
    /// long as a solve.
    pub(crate) fn has_found_potentials(&self) -> bool {
        self.ahead.are_being_found()
    }

    /// Notes that this step does not sum its energy; its stretch number counts in the next look.
    pub(crate) fn skip_look(&mut self, stretch_number: f32) {
        self.skips_next_look = false;
        self.skipped_stretch += stretch_number;
    }

    /// Decides, if there is no excess, whether the next step may skip its look.
    fn plan_look(&mut self, energy: f64) {
        let distance = self.allowed * (1.0 + TOLERANCE) - energy;
        let approach = self.distance.map_or(f64::INFINITY, |before| before - distance);
        self.skips_next_look = approach <= MOST_APPROACH * distance;
        self.distance = Some(distance);
    }

    /// True if this vorton's energy has been credited.
    pub(crate) fn knows(&self, id: u64) -> bool {
        id < self.next_new
    }

    /// Marks all vortons with ids below `next` as credited: vortons that a step adds itself carry no energy.
    pub(crate) fn know_all(&mut self, next: u64) {
        self.next_new = next;
    }

    /// Credits new vortons, and removes from the strengths in `sources` the energy beyond the budget.
    /// `energy` is that of all sources, `stretch_number` that of the step that begins. With a zero
    /// `stretch_number` nothing is removed; with a negative one (backwards in time) any energy is allowed.
    pub(crate) fn balance(
        &mut self,
        cloud: &mut BudgetedCloud,
        energy: f64,
        stretch_number: f32,
    ) -> EnergyReport {
        let mut report = EnergyReport::default();
        self.skips_next_look = false;
        if cloud.solver.knows_potentials() {
            self.ahead.forget();
        }
        if !energy.is_finite() {
            return report;
        }
        // The response of bound vorticity is recomputed in each step, and not yet at the end of a long step:
        // energy that has disappeared was not that of bodies.
        self.allowed -= std::mem::take(&mut self.lent).min((self.allowed - energy).max(0.0));
        let new = self.energy_of_new(cloud, energy);
        self.credit(new);
        self.know_all(cloud.ids.last().map_or(self.next_new, |id| id + 1).max(self.next_new));
        report.allowed = self.allowed;
        if stretch_number == 0.0 {
            return report;
        }
        let skipped = std::mem::take(&mut self.skipped_stretch);
        if stretch_number < 0.0 {
            (self.allowed, self.distance, self.left) = (energy, None, None);
            self.slopes.forget();
            self.ahead.forget();
            return report;
        }
        let stretch_number = stretch_number + skipped;
        self.allowed = self.allowed.max(0.0);
        let excess = energy - self.allowed;
        let growth = self.left.map(|left| excess - left);
        let outcome = self.slopes.compare(excess);
        self.unpaid += outcome.map_or(0.0, |outcome| outcome.missing);
        if energy <= self.allowed * (1.0 + TOLERANCE) {
            self.forget_lost(energy, stretch_number);
            self.plan_look(energy);
            (self.looks_to_wait, self.left) = (0, Some(energy - self.allowed));
            self.has_failed = false;
            self.ahead.forget();
            return report;
        }
        self.distance = None;
        // A removal that fell short of its promise is not growth.
        let growth = outcome.map(|outcome| outcome.growth).or(growth);
        let may_wait = cloud.can_wait || self.looks_to_wait > 0;
        if may_wait && energy <= self.allowed * (1.0 + most_left(cloud)) {
            let acts_soon = (1..=LOOKS_FOR_POTENTIALS).contains(&self.looks_to_wait);
            if acts_soon && !cloud.solver.knows_potentials() {
                // The potentials are then ready for the act.
                self.find_potentials_ahead(cloud);
            }
            self.looks_to_wait = self.looks_to_wait.saturating_sub(1);
            self.left = self.left.map(|_| excess);
            return report;
        }
        // An excess that could not be removed has been paid for already (except for the part left by the
        // curvature).
        let new = (energy - self.allowed - self.unpaid).max(0.0);
        let before = self.allowed;
        self.allowed -= new.min(self.allowed * part(SECOND_PAYMENT, stretch_number));
        self.knows_potentials = cloud.solver.knows_potentials();
        let act = if energy > self.allowed * (1.0 + MOST_LEFT) {
            self.go_along_parabola(cloud, energy)
        } else {
            self.go_along_slope(cloud, energy, growth).map(|left| (left, false))
        };
        let Some((left, scaled)) = act else {
            // Nothing has been removed, so the payment is undone.
            (self.allowed, self.left) = (before, self.left.map(|_| excess));
            return report;
        };
        self.unpaid = (left - self.allowed).max(0.0);
        let is_paid = left <= self.allowed * (1.0 + TOLERANCE);
        self.left = is_paid.then_some(left - self.allowed);
        self.looks_to_wait = if is_paid { 0 } else { LOOKS_TO_WAIT };
        self.has_failed &= !is_paid;
        EnergyReport { removed: energy - left, scaled, ..report }
    }

    /// Lowers the allowed energy, if there is no excess, by a part of the energy really lost.
    fn forget_lost(&mut self, energy: f64, stretch_number: f32) {
        if energy.is_finite() {
            let much = (FORGETTING * (self.allowed / energy).powi(2)).min(FORGETTING_MUCH);
            self.allowed -= (self.allowed - energy).max(0.0) * part(much, stretch_number);
        }
        self.unpaid = 0.0;
    }

    fn energy_of_new(&mut self, cloud: &mut BudgetedCloud, energy: f64) -> f64 {
        let first = cloud.ids.partition_point(|&id| self.knows(id));
        if first == 0 {
            // The work of bodies is credited already.
            return if is_beside_bodies(cloud) { energy - self.allowed } else { energy };
        }
        let rows = first..cloud.ids.len();
        if rows.is_empty() {
            return 0.0;
        }
        self.energy_of_part(cloud.exec, cloud.solver, cloud.sources, &|row| rows.contains(&row))
    }

    /// Returns the energy \[m⁵/s²\] that would go with the vortons for which `is_in` holds and their images:
    /// their own, and that of their interaction with all others. `is_in` is not called for images.
    pub(crate) fn energy_of_part(
        &mut self,
        exec: &dyn Executor,
        solver: &mut Solver,
        sources: &Sources,
        is_in: &(dyn Fn(usize) -> bool + Sync),
    ) -> f64 {
        let Sources { positions, strengths, .. } = sources;
        let own = sources.own();
        let is_in = |row: usize| is_in(row) && strengths.get(row) != Vec3::ZERO;
        let count = (0..own).filter(|&row| is_in(row)).count();
        if solver.is_part_cheaper(count, positions.len()) {
            return solver.energy_of_part(exec, sources, &is_in);
        }
        self.has_written = true;
        let others = &mut self.direction;
        others.copy_from(strengths);
        (0..own).filter(|&row| is_in(row)).for_each(|row| others.set(row, Vec3::ZERO));
        sources.complete(others);
        // All sources last, because the solver continues from the last energy.
        let rest = solver.energy(exec, sources, others);
        solver.energy(exec, sources, strengths) - rest
    }

    /// Removes a larger excess by slope and curvature of the energy. Returns the remaining energy, and true
    /// if all strengths had to be scaled. `None` if this look finds the potentials and the next one has to
    /// act. Two such acts in a row try directions, once each, before all strengths are scaled.
    fn go_along_parabola(&mut self, cloud: &mut BudgetedCloud, energy: f64) -> Option<(f64, bool)> {
        let can_be_left = energy <= self.allowed * (1.0 + MOST_AHEAD) && self.slopes.are_known();
        if self.knows_potentials || !can_be_left {
            self.ahead.forget();
            return Some(self.bring_down(cloud, energy));
        }
        if !self.take_potentials_found_ahead(cloud) {
            self.find_potentials_ahead(cloud);
            return None;
        }
        let (left, suffices) = self.go_along_directions(cloud, energy, 1);
        if self.has_failed && !suffices {
            return Some(self.scale(cloud, left));
        }
        self.has_failed = !suffices;
        Some((left, false))
    }

    /// Removes strengths at once until the energy is at or close to the allowed one. Returns the remaining
    /// energy, and true if all strengths had to be scaled.
    fn bring_down(&mut self, cloud: &mut BudgetedCloud, energy: f64) -> (f64, bool) {
        self.find_potentials(cloud);
        let (left, suffices) = self.go_along_directions(cloud, energy, MOST_ATTEMPTS);
        if suffices { (left, false) } else { self.scale(cloud, left) }
    }

    /// Removes strengths along directions, in at most `attempts` attempts, until the energy is at or close to
    /// the allowed one. Returns the remaining energy, and true if that may be left. The potentials have to be
    /// known.
    fn go_along_directions(
        &mut self,
        cloud: &mut BudgetedCloud,
        mut energy: f64,
        attempts: usize,
    ) -> (f64, bool) {
        let most_left = most_left(cloud);
        for attempt in 0..attempts {
            let Some((b, most)) = self.choose_direction(cloud, energy - self.allowed) else { break };
            let q = cloud.solver.energy_of_change(cloud.exec, cloud.sources, &self.direction);
            if q.is_nan() || q <= 0.0 {
                break;
            }
            let excess = energy - self.allowed;
            let rest = b * b - 4.0 * q * excess;
            // The smaller root, without cancellation; if there is none, the minimum.
            let lambda = if rest >= 0.0 { 2.0 * excess / (b + rest.sqrt()) } else { b / (2.0 * q) };
            let lambda = lambda.min(most);
            cloud.sources.strengths.subtract(&self.direction, lambda as f32);
            energy -= lambda * (b - lambda * q);
            if energy <= self.allowed * (1.0 + most_left) {
                return (energy, true);
            }
            let found = excess - (energy - self.allowed);
            if is_beside_bodies(cloud) && found < LEAST_FOUND_BESIDE_BODIES * excess {
                break;
            }
            if attempt + 1 < attempts {
                cloud.solver.went_along(cloud.exec, cloud.sources, lambda as f32);
            }
        }
        (energy, energy <= self.allowed * (1.0 + MOST_LEFT))
    }

    /// Scales all strengths, if directions did not suffice.
    fn scale(&mut self, cloud: &mut BudgetedCloud, energy: f64) -> (f64, bool) {
        // Bound vorticity does not shrink with the vortons: beside it scaling would raise the total energy.
        // The remaining excess is its own, and paid for by the work of bodies.
        if is_beside_bodies(cloud) {
            self.lent = energy - self.allowed;
            self.allowed = energy;
            return (energy, false);
        }
        let factor = (self.allowed / energy).sqrt() as f32;
        let strengths = &mut cloud.sources.strengths;
        for row in 0..strengths.len() {
            strengths.set(row, strengths.get(row) * factor);
        }
        (self.allowed, true)
    }

    /// Removes a small excess with λ = (E − B)/b, without q. Returns E − λb; the energy is higher by λ²q,
    /// usually a few hundredths of the excess, which the next look finds. `growth` is that of the excess
    /// since the look before \[m⁵/s²\], if known. If potentials would cost a solve, and the excess grows so
    /// slowly that the next look can tell the effect, b is the value expected from earlier ones. `None` if a
    /// later look has to act: this step finds the potentials for it, or the next one will.
    fn go_along_slope(&mut self, cloud: &mut BudgetedCloud, energy: f64, growth: Option<f64>) -> Option<f64> {
        let excess = energy - self.allowed;
        let slow_growth = growth.filter(|growth| growth.abs() <= SLOW_GROWTH * excess);
        if !self.knows_potentials && !self.take_potentials_found_ahead(cloud) {
            if !self.slopes.are_known() {
                // The first act does not wait: a different solver in the next step may rescale the budget,
                // and the excess would become allowed.
                self.find_potentials(cloud);
            } else if self.ahead.are_wanted() || slow_growth.is_none() {
                self.find_potentials_ahead(cloud);
                return None;
            }
        }
        let Some((b, most)) = self.choose_direction(cloud, excess) else {
            if self.knows_potentials {
                return Some(energy);
            }
            self.ahead.want();
            return None;
        };
        let lambda = (excess / b).min(most);
        cloud.sources.strengths.subtract(&self.direction, lambda as f32);
        if let Some(growth) = slow_growth.filter(|_| !self.knows_potentials) {
            self.slopes.promise(lambda * b, excess - lambda * b, growth);
        }
        Some(energy - lambda * b)
    }

    fn find_potentials(&mut self, cloud: &mut BudgetedCloud) {
        if !self.knows_potentials {
            cloud.solver.find_potentials(cloud.exec, cloud.sources);
            self.knows_potentials = true;
        }
    }

    /// Finds the next components of the potentials, unless the step had other long work to do, so that a
    /// later look needs no solve. This look removes nothing.
    fn find_potentials_ahead(&mut self, cloud: &mut BudgetedCloud) {
        if cloud.can_wait {
            self.ahead.want();
            return;
        }
        let components = self.ahead.next(cloud.ids, cloud.sources.len(), cloud.solver.last_potentials());
        cloud.solver.find_components_of_potentials(cloud.exec, components, cloud.sources);
        self.ahead.found(components, cloud.ids);
    }

    /// Takes the potentials found in earlier looks; true if they are known now.
    fn take_potentials_found_ahead(&mut self, cloud: &mut BudgetedCloud) -> bool {
        let potentials = cloud.solver.last_potentials();
        if !self.ahead.take(cloud.ids, cloud.sources.len(), potentials) {
            return false;
        }
        cloud.sources.complete_potentials(potentials);
        self.knows_potentials = true;
        true
    }

    /// Returns the slope of the energy along `direction`: the expected one if the potentials are not known.
    /// `product` is Σ d·α. `None` if none is expected either.
    fn slope(&mut self, cloud: &mut BudgetedCloud, direction: Direction, product: f64) -> Option<f64> {
        if !self.knows_potentials {
            return self.slopes.expected(direction, product);
        }
        let b = cloud.solver.slope(cloud.exec, cloud.sources, &self.direction);
        self.slopes.learn(direction, b, product);
        Some(b)
    }

    /// Adds to the amounts owed the change of total strength and linear impulse by a change of these
    /// strengths at the start of a step.
    pub(crate) fn owe(
        &mut self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        (before, after): (&Vec3Columns, &Vec3Columns),
    ) {
        let one = |row: usize| SumsChange::of(positions.get(row), before.get(row), after.get(row));
        let change = SumsChange::sum(exec, positions.len(), &mut self.changes, &one);
        self.owed = self.owed.add(change.rest(0.0, DVec3::ZERO));
    }

    /// Gives back the changes that this step and earlier ones made to total strength and linear impulse,
    /// except for those from `outside`, in proportion to |α|. `start` holds positions and strengths at the
    /// start of the step.
    pub(crate) fn keep_impulse(
        &mut self,
        exec: &dyn Executor,
        start: (&Vec3Columns, &Vec3Columns),
        outside: &FromOutside<'_>,
        vortons: &mut Vortons,
    ) {
        let &FromOutside { carried, given, pulled } = outside;
        let Vortons { positions, strengths, .. } = vortons;
        let place = |row: usize| positions.get(row) - carried;
        let one = |row: usize| {
            let (from, to) = (start.0.get(row), place(row));
            let middle = 0.5 * (from.as_dvec3() + to.as_dvec3());
            SumsChange::of_moved((from, start.1.get(row)), (to, strengths.get(row)))
                .without(middle, pulled(row).as_dvec3())
        };
        let step = SumsChange::sum(exec, strengths.len(), &mut self.changes, &one).with_impulse(given);
        let all = step.add(self.owed);
        // A step with a much larger error than may be given back is too long for its flow, and giving back
        // would disturb it further.
        let is_too_long = share_to_give_back(&step) * MUCH_MORE < 1.0;
        let share = if is_too_long { 0.0 } else { share_to_give_back(&all) };
        self.owed = all.rest(share, carried.as_dvec3());
        if share == 0.0 {
            return;
        }
        let Some(restoring) = Restoring::of(&all).map(|whole| whole.times(share)) else { return };
        strengths.update(exec, &|row, strength| restoring.strength(place(row), strength));
    }

    /// Fills `direction` with strengths to remove that promise `excess` \[m⁵/s²\] by their slopes: each
    /// direction up to its bound while that promises less, and as much as needed of the next one. Returns b
    /// of E − λb + λ²q and the largest λ. `None` if no slope is positive, or if one is neither known nor
    /// expected.
    fn choose_direction(&mut self, cloud: &mut BudgetedCloud, excess: f64) -> Option<(f64, f64)> {
        let (mut b_of_whole, mut gained) = (0.0, 0.0);
        self.slopes.begin();
        for direction in Direction::IN_ORDER {
            if !self.find_direction(cloud, direction) {
                continue;
            }
            let (product, square) = self.products_along(cloud);
            let (b, most) = (self.slope(cloud, direction, product)?, product / square);
            if !(b > 0.0 && most > 0.0) {
                continue;
            }
            // At its minimum a parabola has fallen by half of the decrease that its slope promises.
            let gain = 0.5 * most * b;
            if gained + gain >= excess {
                let wanted = (excess - gained) / b;
                self.slopes.take(direction, wanted * b);
                if b_of_whole == 0.0 {
                    return Some((b, most));
                }
                self.whole.subtract(&self.direction, -wanted as f32);
                std::mem::swap(&mut self.direction, &mut self.whole);
                return Some((b_of_whole + wanted * b, MOST_OF_WHOLE.min(most / wanted)));
            }
            if b_of_whole == 0.0 {
                // Not earlier: the search for the first direction, rough parts, uses it as scratch.
                self.whole.clear();
                self.whole.resize(cloud.sources.len());
            }
            self.slopes.take(direction, most * b);
            (b_of_whole, gained) = (b_of_whole + most * b, gained + gain);
            self.whole.subtract(&self.direction, -most as f32);
        }
        self.has_written = true;
        std::mem::swap(&mut self.direction, &mut self.whole);
        (b_of_whole > 0.0).then_some((b_of_whole, 1.0))
    }

    /// Fills `direction`; false if it is empty.
    fn find_direction(&mut self, cloud: &mut BudgetedCloud, direction: Direction) -> bool {
        let Sources { positions, strengths, .. } = &*cloud.sources;
        let (flow, count) = (cloud.flow, cloud.ids.len());
        self.has_written = true;
        self.direction.clear();
        self.direction.resize(strengths.len());
        if let Direction::Rough = direction {
            let Some(per_strain) = self.inverse_of_largest(cloud, &|row| strain(&flow[row])) else {
                return false;
            };
            let weight = |row: usize| strain(&flow[row]) * per_strain;
            let (vortons, out) = ((positions, strengths), &mut self.direction);
            let [places, sorted] = cloud.solver.scratch();
            let search = RoughnessSearch {
                exec: cloud.exec,
                settings: cloud.settings,
                neighbours: cloud.neighbours,
                scratch: [places, sorted, &mut self.whole],
            };
            if !self.roughness.find(search, vortons, count, &weight, out) {
                return false;
            }
        } else {
            let own = |row: usize| own_share(cloud.settings, &flow[row], strengths.get(row));
            let part = |row: usize| match direction {
                Direction::LonelyAndStretched => {
                    own(row).powi(2) * stretching_rate(&flow[row], strengths.get(row))
                }
                Direction::Lonely => own(row).powi(2),
                Direction::Rough | Direction::All => 1.0,
            };
            let Some(per_part) = self.inverse_of_largest(cloud, &part) else { return false };
            // At most half of a strength may go: the weights for giving back would vanish with all of it.
            for row in 0..count {
                self.direction.set(row, strengths.get(row) * (0.5 * part(row) * per_part));
            }
        }
        self.keep_sums(cloud)
    }

    /// Changes `direction` so that removing it changes neither the total strength nor the linear impulse, and
    /// completes the images. False if that is impossible.
    fn keep_sums(&mut self, cloud: &BudgetedCloud) -> bool {
        let Sources { positions, strengths, .. } = &*cloud.sources;
        let (count, direction) = (cloud.ids.len(), &mut self.direction);
        let after = |direction: &Vec3Columns, row: usize| strengths.get(row) - direction.get(row);
        let one = |row: usize| SumsChange::of(positions.get(row), strengths.get(row), after(direction, row));
        let change = SumsChange::sum(cloud.exec, count, &mut self.changes, &one);
        let Some(restoring) = Restoring::of(&change) else { return false };
        for row in 0..count {
            let restored = restoring.strength(positions.get(row), after(direction, row));
            direction.set(row, strengths.get(row) - restored);
        }
        cloud.sources.complete(direction);
        true
    }

    /// Returns Σ d·α and Σ d². Their ratio bounds the part of the direction that may be removed \[1\]: Σ|α|²
    /// falls up to there. Beyond it noise of the opposite sign would remain, which the energy on a mesh does
    /// not detect, and which tears coherent vortices apart.
    fn products_along(&mut self, cloud: &BudgetedCloud) -> (f64, f64) {
        let (direction, strengths) = (&self.direction, &cloud.sources.strengths);
        let of_rows = |rows: Range<usize>| {
            rows.fold(DVec2::ZERO, |sum, row| {
                let d = direction.get(row).as_dvec3();
                sum + DVec2::new(d.dot(strengths.get(row).as_dvec3()), d.length_squared())
            })
        };
        let partials = &mut self.products;
        let count = cloud.ids.len();
        let sums =
            reduce_ordered(cloud.exec, count, PARTICLE_CHUNK, DVec2::ZERO, partials, &of_rows, |a, b| a + b);
        (sums.x, sums.y)
    }

    /// Returns 1 / the largest value over all vortons; `None` if that is not positive and finite.
    fn inverse_of_largest(
        &mut self,
        cloud: &BudgetedCloud,
        value: &(dyn Fn(usize) -> f32 + Sync),
    ) -> Option<f32> {
        let of_rows = |rows: Range<usize>| rows.map(value).fold(0.0, f32::max);
        let partials = &mut self.largest;
        let largest =
            reduce_ordered(cloud.exec, cloud.ids.len(), PARTICLE_CHUNK, 0.0, partials, &of_rows, f32::max);
        let inverse = 1.0 / largest;
        (largest > 0.0 && inverse > 0.0 && inverse.is_finite()).then_some(inverse)
    }
}

fn is_beside_bodies(cloud: &BudgetedCloud) -> bool {
    cloud.sources.hold_more_than(cloud.ids.len())
}

/// Largest excess \[1\] that may be left for later looks.
fn most_left(cloud: &BudgetedCloud) -> f64 {
    if is_beside_bodies(cloud) { MOST_LEFT_BESIDE_BODIES } else { MOST_LEFT }
}

/// Returns the part \[1\] removed in a step of this stretch number at a rate per unit of it.
fn part(rate: f64, stretch_number: f32) -> f64 {
    (rate * f64::from(stretch_number)).min(0.5)
}

/// Returns the part of this change that one step may give back \[1\].
fn share_to_give_back(change: &SumsChange) -> f64 {
    let largest = Restoring::of(change).map(|restoring| restoring.largest_share(change));
    largest.map_or(0.0, |largest| (MOST_GIVEN_BACK / largest).min(1.0))
}

/// |S| \[1/s\], the Frobenius norm of the symmetric part of ∇u.
fn strain(flow: &FlowSample) -> f32 {
    let gradient: Mat3 = flow.gradient;
    let s = (gradient + gradient.transpose()) * 0.5;
    (s.x_axis.length_squared() + s.y_axis.length_squared() + s.z_axis.length_squared()).sqrt()
}

/// |S α̂| \[1/s\].
fn stretching_rate(flow: &FlowSample, strength: Vec3) -> f32 {
    let s = (flow.gradient + flow.gradient.transpose()) * 0.5;
    (s * strength.as_dvec3().normalize_or_zero().as_vec3()).length()
}

/// Returns the part of the vorticity at a vorton, along its strength, that is its own \[1\].
fn own_share(settings: DirectSettings, flow: &FlowSample, strength: Vec3) -> f32 {
    let DirectSettings { kernel, core_radius, .. } = settings;
    let strength = strength.as_dvec3();
    let Some(direction) = strength.try_normalize() else { return 0.0 };
    // ζ(0) = 3 (q/ρ³)(0) / 4πσ³
    let own = 3.0 * kernel.q_over_cube(0.0) / (4.0 * PI * f64::from(core_radius).powi(3)) * strength.length();
    let around = flow.vorticity().as_dvec3().dot(direction);
    let share = (own / around) as f32;
    if around > 0.0 { share.min(OPPOSED) } else { OPPOSED }
}

#[cfg(test)]
#[path = "energy_budget_tests.rs"]
mod tests;
