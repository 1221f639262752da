//! Acts of the energy budget: strengths are removed along directions until the energy is at the allowed one.

use super::{BudgetedCloud, EnergyBudget, MOST_LEFT, has_answers, is_beside_bodies, most_left};
use crate::vorticity::energy_slopes::Direction;

/// Largest excess \[1\], the second payment included, that may be left until the potentials needed to remove
/// it are found: one look later it is hardly larger. A larger one is removed at once, in a step that costs
/// several solves.
pub(super) const MOST_AHEAD: f64 = 0.03;

/// Least part of an excess beside bodies that an attempt must have removed to make a second one worth its
/// cost \[1\]: if the first finds next to nothing, the energy is that of bound vorticity.
const LEAST_FOUND_BESIDE_BODIES: f64 = 0.25;

/// Largest growth of an excess between two looks, relative to it \[1\], with which the next look still shows
/// how much has been removed.
const SLOW_GROWTH: f64 = 0.5;

/// Part of the strengths beside walls that a removal may take, over that which scaling takes \[1\]. In a
/// stirred tank the largest fall of Σ|α| in a step is 25 % with 2 and with 4, 36 % with 8.
const MOST_OVER_SCALING: f64 = 4.0;

/// Least part of the energy of vortons beside bodies that scaling leaves in a step \[1\].
const LEAST_LEFT_BESIDE_BODIES: f64 = 0.5;

/// Largest excess that is lent to bodies with work that is known less well, relative to the energy that is
/// accounted for \[1\].
const MOST_DEBT: f64 = 0.2;

/// Number of looks that lend them any excess \[1\]: their work is credited up to two steps later than the
/// energy is seen.
const LOOKS_IN_DEBT: u32 = 2;

/// Most looks with too much debt that count, each cancelled by one without \[1\]: after as many more, some
/// may lend any excess again.
const MOST_LOOKS_IN_DEBT: u32 = 10;

/// Most attempts of a step to find strengths to remove, as long as the excess is too large to be left.
const MOST_ATTEMPTS: usize = 2;

impl EnergyBudget {
    /// Removes a larger excess by slope and curvature of the energy. Returns the remaining energy, and true
    /// if all strengths had to be scaled. `None` if this look finds the potentials and the next one has to
    /// act. Two such acts in a row try directions, once each, before all strengths are scaled.
    pub(super) fn go_along_parabola(
        &mut self,
        cloud: &mut BudgetedCloud,
        energy: f64,
    ) -> Option<(f64, bool)> {
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
            let after = energy - lambda * (b - lambda * q);
            if has_answers(cloud) && self.is_in_vain(cloud, lambda, (energy, after)) {
                break;
            }
            cloud.sources.strengths.subtract(&self.direction, lambda as f32);
            energy = after;
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

    /// True if removing `lambda` times `direction` would cost the vortons much more than scaling, or not
    /// suffice, where the energy would fall from `before` to `after` if walls did not answer it. They will
    /// answer with less strength, so what remains is not what these energies say.
    fn is_in_vain(&mut self, cloud: &BudgetedCloud, lambda: f64, (before, after): (f64, f64)) -> bool {
        if after > self.allowed * (1.0 + most_left(cloud)) {
            return true;
        }
        let by_scaling = 1.0 - (self.allowed / before).sqrt();
        lambda * self.part_along(cloud) > MOST_OVER_SCALING * by_scaling
    }

    /// Scales all strengths, if directions did not suffice.
    fn scale(&mut self, cloud: &mut BudgetedCloud, energy: f64) -> (f64, bool) {
        if is_beside_bodies(cloud) {
            return self.scale_beside(cloud, energy);
        }
        // The second payment is for noise. What no direction removes is not noise, so the payment is undone
        // before all strengths have to make it. Not in containers: beside walls directions often fail, and
        // single vortons would grow.
        if !has_answers(cloud) {
            self.allowed = self.paid_once.min(energy);
            if energy <= self.allowed * (1.0 + MOST_LEFT) {
                self.has_failed = false;
                return (energy, false);
            }
        }
        self.find_factors(cloud, self.allowed / energy, true);
        let own = cloud.sources.own();
        self.scale_rows(cloud, own);
        (self.allowed, true)
    }

    /// Scales the strengths of vortons beside bodies: the energy that bodies drive stays, and the rest is
    /// that of all vortons, because both flows are nearly orthogonal. That falls at most to
    /// [`LEAST_LEFT_BESIDE_BODIES`] of itself, and with several clusters by the amount that their shares
    /// take: the rest is an error of the flow that bodies drive, and stays, as does all that friction at
    /// walls may explain.
    ///
    /// If the work of bodies is known less well, a part of the excess is lent instead, and all of it for a
    /// few looks. At the end of the step bodies scale what they hold likewise, tanks what solids in them
    /// hold: the vorticity in a body's layer and below it nearly cancel, and without the other one a scaled
    /// one could raise the energy, and contacts would bind more in each step.
    fn scale_beside(&mut self, cloud: &mut BudgetedCloud, energy: f64) -> (f64, bool) {
        if !cloud.work_is_known {
            // As in `scale`.
            self.allowed = self.paid_once.min(energy);
        }
        let of_friction = std::mem::take(&mut self.of_friction);
        self.grant(of_friction.min(energy - self.allowed));
        if cloud.work_is_known {
            if energy <= self.allowed * (1.0 + MOST_LEFT) {
                return (energy, false);
            }
        } else {
            self.borrow(self.most_debt().min(energy - self.allowed));
            let suffices = energy <= self.allowed * (1.0 + MOST_LEFT);
            if suffices {
                self.look_within_limits();
            } else {
                self.looks_in_debt = (self.looks_in_debt + 1).min(MOST_LOOKS_IN_DEBT);
            }
            let excess = energy - self.allowed;
            if suffices || (cloud.work_is_late && self.looks_in_debt <= LOOKS_IN_DEBT) {
                if !suffices {
                    self.unexplained += excess.max(0.0);
                }
                self.borrow(excess);
                return (energy, false);
            }
        }
        let own = energy - cloud.driven;
        if own.is_nan() || own <= 0.0 {
            self.grant(energy - self.allowed);
            return (energy, false);
        }
        let square = ((self.allowed - cloud.driven) / own).max(LEAST_LEFT_BESIDE_BODIES);
        let square = self.find_factors(cloud, square, false);
        self.scale_rows(cloud, cloud.ids.len());
        let least = self.factors.iter().fold(1.0, |least: f32, &factor| least.min(factor));
        self.removed_held = 1.0 - (1.0 - self.removed_held) * least;
        let left = energy - (1.0 - square) * own;
        self.grant((left - self.allowed).max(0.0));
        (left, true)
    }

    /// Allows more `energy` \[m⁵/s²\], as far as the next look still finds it.
    pub(super) fn grant(&mut self, energy: f64) {
        self.lent += energy;
        self.allowed += energy;
    }

    /// Returns the debt that may be added \[m⁵/s²\].
    pub(super) fn most_debt(&self) -> f64 {
        (MOST_DEBT * (self.allowed - self.debt).max(0.0) - self.debt).max(0.0)
    }

    /// The same, which bodies with work that is known less well owe from now on.
    pub(super) fn borrow(&mut self, energy: f64) {
        self.debt += energy;
        self.grant(energy);
    }

    /// Removes a small excess with λ = (E − B)/b, without q. Returns E − λb; the energy is higher by λ²q,
    /// usually a few hundredths of the excess, which the next look finds. `growth` is that of the excess
    /// since the look before \[m⁵/s²\], if known. If potentials would cost a solve, and the excess grows so
    /// slowly that the next look can tell the effect, b is the value expected from earlier ones. `None` if a
    /// later look has to act: this step finds the potentials for it, or the next one will.
    pub(super) fn go_along_slope(
        &mut self,
        cloud: &mut BudgetedCloud,
        energy: f64,
        growth: Option<f64>,
    ) -> Option<f64> {
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
    pub(super) fn find_potentials_ahead(&mut self, cloud: &mut BudgetedCloud) {
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
    pub(super) fn slope(
        &mut self,
        cloud: &mut BudgetedCloud,
        direction: Direction,
        product: f64,
    ) -> Option<f64> {
        if !self.knows_potentials {
            return self.slopes.expected(direction, product);
        }
        let b = cloud.solver.slope(cloud.exec, cloud.sources, &self.direction);
        self.slopes.learn(direction, b, product);
        Some(b)
    }
}
