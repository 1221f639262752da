//! The energy budget (E46): without viscosity a step may not raise the energy of the vortons by more than
//! gravity, bodies and new vortons supply. Any further rise is an error of a cloud that no longer resolves
//! its field, and is removed where the cloud is rough. A step that sums the energy and compares it with the
//! budget takes a look.

mod culprits;
mod directions;
mod owing;
mod removing;

pub(crate) use owing::FromOutside;

use super::clusters::VortonClusters;
use super::energy_slopes::EnergySlopes;
use super::potentials_ahead::{LOOKS_FOR_POTENTIALS, PotentialsAhead};
use super::restoring::{MovedSums, Restoring, SumsChange, Turn};
use super::roughness::Roughness;
use super::sections::{MOST_SECTIONS, Sections};
use crate::constants::PARTICLE_CHUNK;
use crate::math::{Vec3Columns, for_capacity};
use crate::particles::Neighbours;
use crate::velocity::{DirectSettings, FlowSample, Solver, Sources};
use fluid_threads::Executor;
use glam::{DVec2, DVec4, Vec3};

/// Relative excess over the allowed energy above which the budget acts \[1\]. The energy of a coherent cloud
/// fluctuates by less: by 1e-6 in the direct sum, by up to 3e-4 on a mesh as vortons pass its nodes. If an
/// act leaves a larger excess, the next looks wait ([`LOOKS_TO_WAIT`]).
const TOLERANCE: f64 = 3e-3;

/// Largest excess \[1\] that may be left for later steps, and that is removed by the slope of the energy
/// alone, without its curvature, which costs half a solve.
const MOST_LEFT: f64 = 0.02;

/// Largest excess \[1\] that may be left beside bound vorticity after an attempt that removed some: a second
/// attempt, which costs more than a solve, usually finds nothing.
const MOST_LEFT_BESIDE_BODIES: f64 = 0.05;

/// Number of looks that leave a small excess alone after a step that could not remove its own: typically in a
/// rolled-up sheet, where the next step finds nothing more to remove and each attempt costs more than a
/// solve.
const LOOKS_TO_WAIT: u32 = 4;

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

/// Excess that is not removed from vortons in tanks that an engine turns, relative to the work of friction
/// at their walls since the last look that found none or lent some \[1\]: friction hides its vorticity near
/// the walls, where the vortons' energy is several times that of the real layer.
const LENT_FOR_FRICTION: f64 = 4.0;

/// Part of the allowed energy by which the flow that bodies drive has to fall in a step to make the next
/// look accept what it finds \[1\]: a body that stops suddenly leaves the vortons an energy that is known
/// only then, because its flow and theirs are not orthogonal beyond walls.
const SUDDEN_FALL: f64 = 0.25;

/// Factor on the energy of the vortons above which errors of the flow that bodies drive hide theirs \[1\].
const DRIVES_MUCH: f64 = 10.0;

/// These errors in a look, relative to the energy driven \[1\].
const ERROR_OF_DRIVEN: f64 = 0.01;

/// Largest approach of E to (1 + [`TOLERANCE`]) B since the last look, relative to the distance left \[1\],
/// after which the next step skips its look: with three times that approach the look after it still finds no
/// excess.
const MOST_APPROACH: f64 = 0.33;

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
    /// Allowed energy before the excess of this look was paid a second time \[m⁵/s²\].
    paid_once: f64,
    /// Excess left by the last step that removed some \[m⁵/s²\].
    unpaid: f64,
    /// Excess that the last look left because it was attributed to bodies \[m⁵/s²\].
    lent: f64,
    /// The part of the allowed energy that is attributed to bodies with work that is known less well,
    /// without a credit \[m⁵/s²\].
    debt: f64,
    /// Number of looks that found more debt than may stay, less those that did not.
    looks_in_debt: u32,
    /// Energy lent without limit, less the work of bodies since then \[m⁵/s²\].
    unexplained: f64,
    /// Part of the strength held by bodies that scaling has removed, and they have still to remove \[1\].
    removed_held: f32,
    /// Excess that may be attributed to the friction at walls since the last look that found none or lent
    /// some \[m⁵/s²\].
    of_friction: f64,
    /// True if the flow of a body has fallen suddenly, and the next look accepts the energy that it finds.
    has_fallen: bool,
    /// Energy of sheets on bodies that have appeared or gone since the last look \[m⁵/s²\].
    appeared: f64,
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
    /// Changes of total strength and impulse by earlier steps, not yet given back, and the places \[m\] of
    /// their vortons. One for each cluster of the step.
    owed: Vec<(Vec3, SumsChange)>,
    /// The same for the clusters of the step before.
    owed_before: Vec<(Vec3, SumsChange)>,
    /// Change by scaling at the end of this step, which is owed, but is no error of the step's motion; empty,
    /// or one for each cluster.
    scaled_at_end: Vec<SumsChange>,
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
    sums: Vec<MovedSums>,
    /// Sections of the clusters, and the changes by removal in each of them and in the next one.
    sections: Sections,
    sums_of_sections: Vec<[SumsChange; 2]>,
    errors: Vec<SumsChange>,
    restoring: Vec<Option<Restoring>>,
    turns: Vec<Turn>,
    largest: Vec<f32>,
    products: Vec<DVec2>,
    /// Part of a direction that is removed from each cluster \[1\], empty if it is 1, and scratch for it.
    shares: Vec<f32>,
    changes_of_squares: Vec<DVec4>,
    /// Factors on the strengths of each cluster in a scaling, or one for all \[1\].
    factors: Vec<f32>,
    /// Twice the energy of each cluster \[m⁵/s²\].
    energies: Vec<f64>,
}

crate::saved::fields!(EnergyBudget {
    allowed, next_new, unpaid, lent, debt, looks_in_debt, unexplained, of_friction, has_fallen, appeared, looks_to_wait,
    has_failed, distance, left, skips_next_look, skipped_stretch, owed, slopes, knows_potentials, ahead,
} not {
    removed_held, paid_once, owed_before, scaled_at_end, roughness, has_written, direction, whole, sums,
    sections, sums_of_sections, errors, restoring, turns, largest, products, shares, changes_of_squares,
    factors, energies,
});

/// A cloud to be kept within its energy budget.
pub(crate) struct BudgetedCloud<'a> {
    pub(crate) exec: &'a dyn Executor,
    pub(crate) solver: &'a mut Solver,
    pub(crate) neighbours: &'a mut Neighbours,
    pub(crate) clusters: &'a VortonClusters,
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
    /// [`Boundary::driven`](crate::boundary::Boundary::driven).
    pub(crate) driven: f64,
    /// [`Boundary::work_is_known`](crate::boundary::Boundary::work_is_known).
    pub(crate) work_is_known: bool,
    /// [`Boundary::work_is_late`](crate::boundary::Boundary::work_is_late).
    pub(crate) work_is_late: bool,
    /// [`Boundary::holders_are_driven`](crate::boundary::Boundary::holders_are_driven).
    pub(crate) holders_are_driven: bool,
}

impl EnergyBudget {
    /// Reserves memory for `capacity` sources, but not for directions.
    pub(crate) fn reserve(&mut self, capacity: usize) {
        self.roughness.reserve(capacity);
        self.ahead.reserve(capacity);
        self.sums.reserve(capacity.div_ceil(PARTICLE_CHUNK));
        for_capacity(&mut self.errors, 1);
        let chunks = capacity.div_ceil(PARTICLE_CHUNK).max(1);
        self.sections.reserve();
        // Sections of long clusters allocate once.
        for_capacity(&mut self.sums_of_sections, chunks);
        for_capacity(&mut self.restoring, MOST_SECTIONS);
        for_capacity(&mut self.turns, 1);
        for_capacity(&mut self.scaled_at_end, 1);
        for_capacity(&mut self.owed, 1);
        for_capacity(&mut self.owed_before, 1);
        for_capacity(&mut self.shares, 1);
        for_capacity(&mut self.factors, 1);
        for_capacity(&mut self.changes_of_squares, 1);
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

    /// Allows an excess for this work of friction at walls \[m⁵/s²\], until a look finds none or lends some.
    pub(crate) fn lend_for_friction(&mut self, work: f64) {
        if work.is_finite() {
            self.of_friction += LENT_FOR_FRICTION * work.max(0.0);
        }
    }

    /// Allows the change that sheets on bodies with this `energy` \[m⁵/s²\] can make by appearing or going,
    /// once, in the next look.
    pub(crate) fn expect_change(&mut self, energy: f64) {
        if energy.is_finite() {
            self.appeared += energy.max(0.0);
        }
    }

    /// Lends the excess that sheets may have made by appearing or going, by the Cauchy-Schwarz inequality:
    /// their own energy and that with the flow of `others` \[m⁵/s²\]. As debt it is limited: sheets that come
    /// and go all the time would make an end of the budget.
    fn lend_for_sheets(&mut self, energy: f64, others: f64) {
        let appeared = std::mem::take(&mut self.appeared);
        if appeared > 0.0 {
            let change = appeared + 2.0 * (appeared * others).sqrt();
            let excess = (energy - self.allowed).max(0.0);
            self.borrow(change.min(self.most_debt()).min(excess));
        }
    }

    /// Credits what the flow that bodies drive has gained \[m⁵/s²\], at the start of a step.
    pub(crate) fn credit_driven(&mut self, gained: f64) {
        self.has_fallen |= gained < -SUDDEN_FALL * self.allowed;
        self.explain(gained);
        self.credit(gained);
    }

    /// Credits the work of bodies on the fluid in the last step, and the energy that contacts are known to
    /// have given to the vortons besides \[m⁵/s²\].
    pub(crate) fn credit_bodies(&mut self, work: f64, known: f64) {
        self.explain(work + known);
        self.credit(work.max(-MOST_TAKEN_BY_BODIES * self.allowed.max(0.0)));
        self.credit(known);
    }

    /// Explains loans without limit by this late work, or by energy that is gone \[m⁵/s²\].
    fn explain(&mut self, work: f64) {
        if work.is_finite() {
            self.unexplained = (self.unexplained - work.abs()).max(0.0);
        }
    }

    /// Notes a look without too much debt. It allows one more loan without limit, unless those so far were
    /// not for work that was late.
    pub(super) fn look_within_limits(&mut self) {
        if self.unexplained == 0.0 {
            self.looks_in_debt = self.looks_in_debt.saturating_sub(1);
        }
    }

    /// Rescales the budget to a new measure of the energy, which gives `after` where the previous one gave
    /// `before` \[m⁵/s²\].
    pub(crate) fn measure_anew(&mut self, before: f64, after: f64) {
        let ratio = after / before;
        if ratio.is_finite() && ratio > 0.0 {
            self.allowed *= ratio;
            self.unpaid *= ratio;
            self.lent *= ratio;
            self.debt *= ratio;
            self.unexplained *= ratio;
            self.of_friction *= ratio;
            self.appeared *= ratio;
        }
        (self.distance, self.left, self.skips_next_look) = (None, None, false);
        self.slopes.forget();
        self.ahead.forget();
    }

    /// Clears the budget, because all vortons have been removed. Memory is kept.
    pub(crate) fn forget(&mut self) {
        (self.allowed, self.unpaid, self.next_new) = (0.0, 0.0, 0);
        self.owed.clear();
        (self.lent, self.debt, self.of_friction, self.looks_in_debt) = (0.0, 0.0, 0.0, 0);
        self.unexplained = 0.0;
        (self.looks_to_wait, self.has_failed, self.has_fallen) = (0, false, false);
        self.appeared = 0.0;
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
        let lent = std::mem::take(&mut self.lent);
        self.pay_back(lent.min((self.allowed - energy).max(0.0)));
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
            (self.debt, self.of_friction, self.looks_in_debt, self.has_fallen) = (0.0, 0.0, 0, false);
            (self.appeared, self.unexplained) = (0.0, 0.0);
            self.slopes.forget();
            self.ahead.forget();
            return report;
        }
        let stretch_number = stretch_number + skipped;
        self.allowed = self.allowed.max(0.0);
        self.debt = self.debt.min(self.allowed);
        let excess = (energy - self.allowed).max(0.0);
        let hides = cloud.driven > DRIVES_MUCH * (energy - cloud.driven).max(0.0);
        if std::mem::take(&mut self.has_fallen) || (hides && excess <= ERROR_OF_DRIVEN * cloud.driven) {
            self.grant(excess);
        }
        self.lend_for_sheets(energy, (energy - cloud.driven).max(0.0));
        let excess = energy - self.allowed;
        let growth = self.left.map(|left| excess - left);
        let outcome = self.slopes.compare(excess);
        self.unpaid += outcome.map_or(0.0, |outcome| outcome.missing);
        if energy <= self.allowed * (1.0 + TOLERANCE) {
            self.forget_lost(energy, stretch_number);
            self.plan_look(energy);
            (self.looks_to_wait, self.left) = (0, Some(energy - self.allowed));
            self.look_within_limits();
            (self.of_friction, self.has_failed) = (0.0, false);
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
        self.paid_once = self.allowed;
        self.allowed -= new.min(self.allowed * part(SECOND_PAYMENT, stretch_number));
        self.knows_potentials = cloud.solver.knows_potentials();
        let act = if energy > self.allowed * (1.0 + MOST_LEFT) {
            self.go_along_parabola(cloud, energy)
        } else {
            self.go_along_slope(cloud, energy, growth).map(|left| (left, false))
        };
        let Some((left, scaled)) = act else {
            // Nothing has been removed, so the payment is undone.
            (self.allowed, self.left) = (self.paid_once, self.left.map(|_| excess));
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
            self.pay_back((self.allowed - energy).max(0.0) * part(much, stretch_number));
        }
        self.unpaid = 0.0;
    }

    /// Lowers the allowed energy by `energy` \[m⁵/s²\], and as far as possible the debt.
    fn pay_back(&mut self, energy: f64) {
        self.allowed -= energy;
        self.debt = (self.debt - energy).max(0.0);
        self.explain(energy);
    }

    /// Returns the part \[1\] of the strength held by bodies that is left after scaling, and forgets it.
    pub(crate) fn take_part_held(&mut self) -> f32 {
        1.0 - std::mem::take(&mut self.removed_held)
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
}

fn is_beside_bodies(cloud: &BudgetedCloud) -> bool {
    cloud.sources.hold_more_than(cloud.ids.len())
}

/// True if walls answer the vortons, and no other body acts on the fluid.
fn has_answers(cloud: &BudgetedCloud) -> bool {
    cloud.sources.own() > cloud.ids.len() && !is_beside_bodies(cloud)
}

/// Largest excess \[1\] that may be left for later looks.
fn most_left(cloud: &BudgetedCloud) -> f64 {
    if is_beside_bodies(cloud) { MOST_LEFT_BESIDE_BODIES } else { MOST_LEFT }
}

/// Returns the part \[1\] removed in a step of this stretch number at a rate per unit of it.
fn part(rate: f64, stretch_number: f32) -> f64 {
    (rate * f64::from(stretch_number)).min(0.5)
}

#[cfg(test)]
#[path = "energy_budget_tests.rs"]
mod tests;
