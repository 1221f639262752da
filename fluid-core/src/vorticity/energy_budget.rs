//! The energy budget (E46): without viscosity a step may not raise the energy of the vortons by more than
//! gravity, bodies and new vortons put in. What it does raise is error of a cloud that no longer resolves its
//! field, and is taken out where the cloud is rough.

use super::energy_slopes::{Direction, EnergySlopes};
use super::potentials_ahead::{LOOKS_FOR_POTENTIALS, PotentialsAhead};
use super::restoring::{Change, Restoring};
use super::roughness::{Roughness, Search};
use crate::constants::PARTICLE_CHUNK;
use crate::math::Vec3Columns;
use crate::particles::{Neighbours, Vortons};
use crate::velocity::{DirectSettings, FlowSample, Solver, Sources};
use fluid_threads::{Executor, reduce_ordered};
use glam::{DVec2, DVec3, Mat3, Vec3};
use std::f64::consts::PI;
use std::ops::Range;

/// Excess over the allowed energy from which on the budget acts \[1\]. The energy of a coherent cloud wavers
/// by less: by 1e-6 in the direct sum, by up to 3e-4 on a mesh, whose nodes it passes. If a larger excess
/// is left, the next looks wait ([`LOOKS_TO_WAIT`]).
const TOLERANCE: f64 = 3e-3;

/// Largest excess \[1\] that may be left for later steps, and that is taken out by the slope of the energy
/// alone, without the half solve that its curvature costs.
const MOST_LEFT: f64 = 0.02;

/// Largest excess \[1\], the second payment included, that may be left until the potentials are found with
/// which it is taken out: a look later it is hardly more. A larger one is taken out at once, in a step that
/// costs several solves.
const MOST_AHEAD: f64 = 0.03;

/// Largest λ of a combined direction, relative to the one at which its bounded parts minimise Σ|α|² \[1\]:
/// at 2 the sum would be as large as before.
const MOST_OF_WHOLE: f64 = 1.5;

/// Largest excess \[1\] that may be left beside what bodies hold, after an attempt that took some out: a
/// second one, which costs more than a solve, finds nothing as a rule.
const MOST_LEFT_BESIDE_BODIES: f64 = 0.05;

/// Least part of an excess beside bodies that an attempt has taken out before a second one is worth its cost
/// \[1\]: where the first finds next to nothing, the energy is that of what bodies hold.
const LEAST_FOUND_BESIDE_BODIES: f64 = 0.25;

/// Largest growth of an excess from one look to the next, as a part of it \[1\], beside which the next look
/// can tell what has been taken out.
const SLOW_GROWTH: f64 = 0.5;

/// Looks that leave a small excess alone after a step that could not take out its own: in a rolled-up sheet,
/// the case for it, the next step finds no more to take out, and each attempt costs a solve and more.
const LOOKS_TO_WAIT: u32 = 4;

/// How often a step looks for strengths to take out, as long as that is too much to be left.
const MOST_ATTEMPTS: usize = 2;

/// Part of the energy really lost that is forgotten, and may not come back later, per unit of the stretch
/// number \[1\]: within some 50 turnovers of the fastest eddies.
const FORGETTING: f64 = 0.02;

/// Largest part that is forgotten per unit of the stretch number \[1\]. What steps and the mesh err by makes
/// the energy waver by a small part, and comes back; what is lost of a multiple of the energy that is left
/// does not, and elsewhere would let a flow grow that has nothing to do with it.
const FORGETTING_MUCH: f64 = 0.2;

/// Part of the allowed energy, per unit of the stretch number, up to which an excess is paid a second time
/// \[1\], so that noise which makes some in each step decays: within some five turnovers. Paid twice without
/// this bound, what contacts err by in a weak flow, a tenth in each step, takes all of it within a second.
const SECOND_PAYMENT: f64 = 0.2;

/// Part of the allowed energy that the books may take away in one step for what bodies got \[1\]: what
/// contacts do is known to a few percent of what they exchange, and that can be more than a weak flow has.
const MOST_TAKEN_BY_BODIES: f64 = 0.1;

/// Largest approach of E to (1 + [`TOLERANCE`]) B since the last look, relative to the distance left \[1\],
/// after which the next step skips its look: three times that approach until the look after it is still no
/// excess.
const MOST_APPROACH: f64 = 0.33;

/// Most that one step may give back of total strength and impulse, as a part of the strengths \[1\]: more
/// would stir what it is spread over. Later steps give back the rest.
const MOST_GIVEN_BACK: f64 = 0.015;

/// Error of a step, over what one step may give back, from which on nothing is given back \[1\].
const MUCH_MORE: f64 = 2.0;

/// Own share of a vorton whose strength is against the vorticity around it \[1\].
const OPPOSED: f32 = 10.0;

/// What the budget found and did in a step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct EnergyReport {
    /// Energy per density that there may be \[m⁵/s²\].
    pub(crate) allowed: f64,
    /// Energy per density that was taken out \[m⁵/s²\].
    pub(crate) removed: f64,
    /// True if directions in which only what is rough goes did not suffice, and all strengths were scaled.
    pub(crate) scaled: bool,
}

impl EnergyReport {
    pub(crate) fn has_changed(&self) -> bool {
        self.removed != 0.0 || self.scaled
    }
}

/// How much energy the vortons may have; scratch for taking out the rest.
#[derive(Debug, Clone, Default)]
pub(crate) struct EnergyBudget {
    /// \[m⁵/s²\].
    allowed: f64,
    /// Id of the first vorton whose energy has not been credited yet.
    next_new: u64,
    /// Excess that was left by the last step that took some out \[m⁵/s²\].
    unpaid: f64,
    /// What the last look has left because it was taken for that of bodies \[m⁵/s²\].
    lent: f64,
    /// Looks that leave an excess of at most [`most_left`] alone.
    looks_to_wait: u32,
    /// True if an act with potentials found ahead left more than [`MOST_LEFT`].
    has_failed: bool,
    /// (1 + [`TOLERANCE`]) B − E at the last look; none if that found an excess \[m⁵/s²\].
    distance: Option<f64>,
    /// E − B after the last look, and after what that took out \[m⁵/s²\]; none while there is more than could
    /// be taken out.
    left: Option<f64>,
    /// True if the next step need not sum its energy.
    skips_next_look: bool,
    /// Stretch number of the steps without a sum since the last look \[1\].
    skipped_stretch: f32,
    /// Total strength and impulse that earlier steps changed and have not given back.
    owed: Change,
    slopes: EnergySlopes,
    /// True if the slope along a direction is found exactly: the potentials of this cloud are known.
    knows_potentials: bool,
    /// Potentials of an earlier step for the next act.
    ahead: PotentialsAhead,
    roughness: Roughness,
    /// Has been written into since it was [lent](EnergyBudget::lend).
    has_written: bool,
    direction: Vec3Columns,
    /// Directions that go as far as they may, and scratch of the search for the first.
    whole: Vec3Columns,
    changes: Vec<Change>,
    largest: Vec<f32>,
    products: Vec<DVec2>,
}

crate::saved::fields!(EnergyBudget {
    allowed, next_new, unpaid, lent, looks_to_wait, has_failed, distance, left, skips_next_look, skipped_stretch,
    owed, slopes, knows_potentials, ahead,
} not { roughness, has_written, direction, whole, changes, largest, products });

impl EnergyBudget {
    /// The place `origin` \[m\] becomes the origin: what is owed of the impulse is that about it.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.owed = self.owed.about(origin.as_dvec3());
    }
}

/// The cloud whose energy is to be kept within its budget.
pub(crate) struct Cloud<'a> {
    pub(crate) exec: &'a dyn Executor,
    pub(crate) solver: &'a mut Solver,
    pub(crate) neighbours: &'a mut Neighbours,
    /// Vortons, what bodies hold, and the images of both.
    pub(crate) sources: &'a mut Sources,
    /// Ids of the vortons, ascending.
    pub(crate) ids: &'a [u64],
    /// At each vorton.
    pub(crate) flow: &'a [FlowSample],
    pub(crate) settings: DirectSettings,
    /// True if this step had other long work to do: an excess of at most [`most_left`] is left to the next
    /// look.
    pub(crate) can_wait: bool,
}

/// What may change total strength and linear impulse in a step.
pub(crate) struct FromOutside<'a> {
    /// How far the wind has taken all vortons \[m\].
    pub(crate) carried: Vec3,
    /// What bodies have got of the impulse \[m⁴/s\].
    pub(crate) given: DVec3,
    /// Strength \[m³/s\] that gravity has given to a vorton, halfway along its path.
    pub(crate) pulled: &'a (dyn Fn(usize) -> Vec3 + Sync),
}

impl EnergyBudget {
    /// Makes room for `capacity` sources, but not for directions.
    pub(crate) fn reserve(&mut self, capacity: usize) {
        self.roughness.reserve(capacity);
        self.ahead.reserve(capacity);
        self.changes.reserve(capacity.div_ceil(PARTICLE_CHUNK));
        self.largest.reserve(capacity.div_ceil(PARTICLE_CHUNK));
        self.products.reserve(capacity.div_ceil(PARTICLE_CHUNK));
    }

    /// Makes room for directions of so many sources, where no columns can be lent for them.
    pub(crate) fn reserve_directions(&mut self, capacity: usize) {
        self.direction.reserve(capacity);
        self.whole.reserve(capacity);
    }

    /// Exchanges the columns for directions: for two that are free meanwhile, and back. True if they have
    /// been written into.
    pub(crate) fn lend(&mut self, [direction, whole]: [&mut Vec3Columns; 2]) -> bool {
        std::mem::swap(&mut self.direction, direction);
        std::mem::swap(&mut self.whole, whole);
        std::mem::take(&mut self.has_written)
    }

    /// The vortons may have so much more energy \[m⁵/s²\] (or less).
    pub(crate) fn credit(&mut self, energy: f64) {
        if energy.is_finite() {
            self.allowed += energy;
        }
    }

    /// Vortons are about to go, and this part of Σ|α| stays \[1\]: what those that go owe goes with them, and
    /// is not given to others.
    pub(crate) fn keep_owed(&mut self, stays: f64) {
        self.owed = if stays > 0.0 { self.owed.rest(1.0 - stays, DVec3::ZERO) } else { Change::NONE };
    }

    /// Bodies did this work on the fluid in the last step \[m⁵/s²\].
    pub(crate) fn credit_bodies(&mut self, work: f64) {
        self.credit(work.max(-MOST_TAKEN_BY_BODIES * self.allowed.max(0.0)));
    }

    /// The energy is measured in another way from now on, which finds `after` where the one so far finds
    /// `before` \[m⁵/s²\]: what is allowed, too.
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

    /// All vortons are gone, and their energy with them. The memory stays.
    pub(crate) fn forget(&mut self) {
        (self.allowed, self.unpaid, self.next_new, self.owed) = (0.0, 0.0, 0, Change::NONE);
        (self.lent, self.looks_to_wait, self.has_failed) = (0.0, 0, false);
        (self.distance, self.left, self.skips_next_look, self.skipped_stretch) = (None, None, false, 0.0);
        self.slopes.forget();
        self.ahead.forget();
    }

    /// True if this step has to sum its energy. While that stays clear of the allowed one, every second step
    /// does.
    pub(crate) fn is_due(&self) -> bool {
        !self.skips_next_look
    }

    /// True if a step has found potentials for the next act, or some of their components, which takes up to
    /// as long as a solve.
    pub(crate) fn has_found_potentials(&self) -> bool {
        self.ahead.are_being_found()
    }

    /// This step does not sum its energy; its stretch number counts in the next look.
    pub(crate) fn skip_look(&mut self, stretch_number: f32) {
        self.skips_next_look = false;
        self.skipped_stretch += stretch_number;
    }

    /// There is no excess: decides whether the next step may skip its look.
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

    /// All vortons that there are, ids below `next`, have been credited: what a step makes of its own are no
    /// gifts.
    pub(crate) fn know_all(&mut self, next: u64) {
        self.next_new = next;
    }

    /// Credits vortons that are new, and takes out of the strengths in `sources` what energy is there beyond
    /// the budget. `energy` is that of all sources, `stretch_number` of the step that begins. In a step of no
    /// length nothing is taken out; backwards in time, where it is negative, everything is allowed.
    pub(crate) fn balance(&mut self, cloud: &mut Cloud, energy: f64, stretch_number: f32) -> EnergyReport {
        let mut report = EnergyReport::default();
        self.skips_next_look = false;
        if cloud.solver.knows_potentials() {
            self.ahead.forget();
        }
        if !energy.is_finite() {
            return report;
        }
        // What bodies hold is answered anew from step to step, and at the end of a long step not yet: what is
        // not there any more was none of theirs.
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
        // A promise that has not been kept is no growth.
        let growth = outcome.map(|outcome| outcome.growth).or(growth);
        let may_wait = cloud.can_wait || self.looks_to_wait > 0;
        if may_wait && energy <= self.allowed * (1.0 + most_left(cloud)) {
            let acts_soon = (1..=LOOKS_FOR_POTENTIALS).contains(&self.looks_to_wait);
            if acts_soon && !cloud.solver.knows_potentials() {
                // The act will not have to wait for them.
                self.find_potentials_ahead(cloud);
            }
            self.looks_to_wait = self.looks_to_wait.saturating_sub(1);
            self.left = self.left.map(|_| excess);
            return report;
        }
        // What could not be taken out has been paid for already (not what the curvature has left).
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
            // Nothing has been paid for.
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

    /// There is no more energy than allowed: part of what was really lost may not come back.
    fn forget_lost(&mut self, energy: f64, stretch_number: f32) {
        if energy.is_finite() {
            let much = (FORGETTING * (self.allowed / energy).powi(2)).min(FORGETTING_MUCH);
            self.allowed -= (self.allowed - energy).max(0.0) * part(much, stretch_number);
        }
        self.unpaid = 0.0;
    }

    fn energy_of_new(&mut self, cloud: &mut Cloud, energy: f64) -> f64 {
        let first = cloud.ids.partition_point(|&id| self.knows(id));
        if first == 0 {
            // What bodies have put in is credited already.
            return if is_beside_bodies(cloud) { energy - self.allowed } else { energy };
        }
        let rows = first..cloud.ids.len();
        if rows.is_empty() {
            return 0.0;
        }
        self.energy_of_part(cloud.exec, cloud.solver, cloud.sources, &|row| rows.contains(&row))
    }

    /// Energy \[m⁵/s²\] that goes if the vortons for which `is_in` holds go, and their images: their own,
    /// and what they have with all others. Not asked of images.
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
            return solver.energy_of_part(exec, positions, strengths, own, &is_in);
        }
        self.has_written = true;
        let others = &mut self.direction;
        others.copy_from(strengths);
        (0..own).filter(|&row| is_in(row)).for_each(|row| others.set(row, Vec3::ZERO));
        sources.complete(others);
        // All of them last: the solver goes on from there.
        let rest = solver.energy(exec, positions, others, own);
        solver.energy(exec, positions, strengths, own) - rest
    }

    /// Takes out an excess that is not small, by slope and curvature of the energy. Returns what is left, and
    /// true if all had to be scaled. None if the next look has to do it, with the potentials that this one
    /// finds. Two such acts in a row try directions, once each, before all are scaled.
    fn go_along_parabola(&mut self, cloud: &mut Cloud, energy: f64) -> Option<(f64, bool)> {
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

    /// Takes out strengths at once until the energy is the allowed one, or next to it. Returns what is left,
    /// and true if all had to be scaled.
    fn bring_down(&mut self, cloud: &mut Cloud, energy: f64) -> (f64, bool) {
        self.find_potentials(cloud);
        let (left, suffices) = self.go_along_directions(cloud, energy, MOST_ATTEMPTS);
        if suffices { (left, false) } else { self.scale(cloud, left) }
    }

    /// Takes out what directions do, as often as that may be tried, until the energy is the allowed one, or
    /// next to it. Returns what is left, and true if that may be left. The potentials are known.
    fn go_along_directions(&mut self, cloud: &mut Cloud, mut energy: f64, attempts: usize) -> (f64, bool) {
        let most_left = most_left(cloud);
        for attempt in 0..attempts {
            let Some((b, most)) = self.choose_direction(cloud, energy - self.allowed) else { break };
            let (positions, own) = (&cloud.sources.positions, cloud.sources.own());
            let q = cloud.solver.energy_of_change(cloud.exec, positions, &self.direction, own);
            if q.is_nan() || q <= 0.0 {
                break;
            }
            let excess = energy - self.allowed;
            let rest = b * b - 4.0 * q * excess;
            // The smaller root, without cancellation; where there is none, where least is left.
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

    /// Scales all strengths, where directions did not suffice.
    fn scale(&mut self, cloud: &mut Cloud, energy: f64) -> (f64, bool) {
        // What bodies hold does not shrink with the vortons: beside it their whole would have more energy,
        // not less. What is left is its own, and paid for by the work of bodies.
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

    /// Takes out a small excess with λ = (E − B)/b, without q. Returns E − λb; the energy is λ²q higher, by a
    /// few hundredths of the excess as a rule, which the next look finds. `growth` is that of the excess
    /// since the look before \[m⁵/s²\], if that is known. Where potentials would cost a solve, and the excess
    /// grows so slowly that the next look can tell, b is what earlier ones make expect. None if a later look
    /// has to take it out: this step finds the potentials for it, or the next one will.
    fn go_along_slope(&mut self, cloud: &mut Cloud, energy: f64, growth: Option<f64>) -> Option<f64> {
        let excess = energy - self.allowed;
        let slow_growth = growth.filter(|growth| growth.abs() <= SLOW_GROWTH * excess);
        if !self.knows_potentials && !self.take_potentials_found_ahead(cloud) {
            if !self.slopes.are_known() {
                // The first act does not wait: another solver may measure anew in the next step, and the
                // excess would be allowed.
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

    fn find_potentials(&mut self, cloud: &mut Cloud) {
        if !self.knows_potentials {
            cloud.solver.find_potentials(cloud.exec, cloud.sources);
            self.knows_potentials = true;
        }
    }

    /// This look takes nothing out, and a later one will not need a solve for it: finds the next components
    /// of the potentials, unless its step had other long work to do.
    fn find_potentials_ahead(&mut self, cloud: &mut Cloud) {
        if cloud.can_wait {
            self.ahead.want();
            return;
        }
        let components = self.ahead.next(cloud.ids, cloud.sources.len(), cloud.solver.last_potentials());
        cloud.solver.find_components_of_potentials(cloud.exec, components, cloud.sources);
        self.ahead.found(components, cloud.ids);
    }

    /// True if the looks before have found them: they are known now.
    fn take_potentials_found_ahead(&mut self, cloud: &mut Cloud) -> bool {
        let potentials = cloud.solver.last_potentials();
        if !self.ahead.take(cloud.ids, cloud.sources.len(), potentials) {
            return false;
        }
        cloud.sources.complete_potentials(potentials);
        self.knows_potentials = true;
        true
    }

    /// Slope of the energy along `direction`: as expected, where the potentials are not known. `product` is
    /// Σ d·α. None if it is not expected either.
    fn slope(&mut self, cloud: &mut Cloud, direction: Direction, product: f64) -> Option<f64> {
        if !self.knows_potentials {
            return self.slopes.expected(direction, product);
        }
        let b = cloud.solver.slope(cloud.exec, &self.direction, cloud.sources.own());
        self.slopes.learn(direction, b, product);
        Some(b)
    }

    /// These strengths have been changed at the start of a step: what that did to the total strength and the
    /// linear impulse is owed.
    pub(crate) fn owe(
        &mut self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        (before, after): (&Vec3Columns, &Vec3Columns),
    ) {
        let one = |row: usize| Change::of(positions.get(row), before.get(row), after.get(row));
        let change = Change::sum(exec, positions.len(), &mut self.changes, &one);
        self.owed = self.owed.add(change.rest(0.0, DVec3::ZERO));
    }

    /// Gives back what this step and earlier ones have changed of the total strength and the linear impulse,
    /// in proportion to |α|, but for what was done from `outside`. `start` is where the vortons were and how
    /// strong.
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
            Change::of_moved((from, start.1.get(row)), (to, strengths.get(row)))
                .without(middle, pulled(row).as_dvec3())
        };
        let step = Change::sum(exec, strengths.len(), &mut self.changes, &one).with_impulse(given);
        let all = step.add(self.owed);
        // A step that errs by much more than may be given back is too long for its flow: it would be stirred
        // further.
        let is_too_long = share_to_give_back(&step) * MUCH_MORE < 1.0;
        let share = if is_too_long { 0.0 } else { share_to_give_back(&all) };
        self.owed = all.rest(share, carried.as_dvec3());
        if share == 0.0 {
            return;
        }
        let Some(restoring) = Restoring::of(&all).map(|whole| whole.times(share)) else { return };
        strengths.update(exec, &|row, strength| restoring.strength(place(row), strength));
    }

    /// Fills `direction` with strengths whose slopes promise `excess` \[m⁵/s²\]: each direction up to its
    /// bound if that promises less, and as much as needed of the next one. Returns b of E − λb + λ²q and the
    /// largest λ. None if no slope is positive, or if one is neither known nor expected.
    fn choose_direction(&mut self, cloud: &mut Cloud, excess: f64) -> Option<(f64, f64)> {
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
            // To its end a parabola falls by half of what its slope promises.
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
                // Not before: the search for what is rough, the first of them, writes into it.
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

    /// Fills `direction`; false if there is nothing in it.
    fn find_direction(&mut self, cloud: &mut Cloud, direction: Direction) -> bool {
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
            let search = Search {
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
            // A half of the largest is as much as may go: the weights of giving back would vanish with the
            // whole.
            for row in 0..count {
                self.direction.set(row, strengths.get(row) * (0.5 * part(row) * per_part));
            }
        }
        self.keep_sums(cloud)
    }

    /// Makes `direction` such that taking it out changes neither the total strength nor the linear impulse.
    /// Images go along. False if that cannot be.
    fn keep_sums(&mut self, cloud: &Cloud) -> bool {
        let Sources { positions, strengths, .. } = &*cloud.sources;
        let (count, direction) = (cloud.ids.len(), &mut self.direction);
        let after = |direction: &Vec3Columns, row: usize| strengths.get(row) - direction.get(row);
        let one = |row: usize| Change::of(positions.get(row), strengths.get(row), after(direction, row));
        let change = Change::sum(cloud.exec, count, &mut self.changes, &one);
        let Some(restoring) = Restoring::of(&change) else { return false };
        for row in 0..count {
            let restored = restoring.strength(positions.get(row), after(direction, row));
            direction.set(row, strengths.get(row) - restored);
        }
        cloud.sources.complete(direction);
        true
    }

    /// Σ d·α and Σ d². Their ratio is how much of the direction may go \[1\]: as long as Σ|α|² falls. Further
    /// on it would leave noise of the opposite sign, which the energy on a mesh does not see, and which tears
    /// coherent vortices apart.
    fn products_along(&mut self, cloud: &Cloud) -> (f64, f64) {
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

    /// 1 / the largest value over all vortons; None if that is not positive and finite.
    fn inverse_of_largest(&mut self, cloud: &Cloud, value: &(dyn Fn(usize) -> f32 + Sync)) -> Option<f32> {
        let of_rows = |rows: Range<usize>| rows.map(value).fold(0.0, f32::max);
        let partials = &mut self.largest;
        let largest =
            reduce_ordered(cloud.exec, cloud.ids.len(), PARTICLE_CHUNK, 0.0, partials, &of_rows, f32::max);
        let inverse = 1.0 / largest;
        (largest > 0.0 && inverse > 0.0 && inverse.is_finite()).then_some(inverse)
    }
}

fn is_beside_bodies(cloud: &Cloud) -> bool {
    cloud.sources.hold_more_than(cloud.ids.len())
}

/// Largest excess \[1\] that may be left for later looks.
fn most_left(cloud: &Cloud) -> f64 {
    if is_beside_bodies(cloud) { MOST_LEFT_BESIDE_BODIES } else { MOST_LEFT }
}

/// The part \[1\] that goes in a step of this stretch number at a rate per unit of it.
fn part(rate: f64, stretch_number: f32) -> f64 {
    (rate * f64::from(stretch_number)).min(0.5)
}

/// The part of this change that a step may give back \[1\].
fn share_to_give_back(change: &Change) -> f64 {
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

/// The part of the vorticity at a vorton, along its strength, that it makes itself \[1\].
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
