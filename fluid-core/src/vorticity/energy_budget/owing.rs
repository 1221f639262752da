//! Total strength and linear impulse that steps and removals have changed: restored at once or owed, by each
//! cluster (E46).

use super::{EnergyBudget, TOLERANCE};
use crate::math::Vec3Columns;
use crate::particles::Vortons;
use crate::vorticity::clusters::{Keeps, MOST_CLUSTERS, VortonClusters, least, sum_of_vortons};
use crate::vorticity::restoring::{GroupError, MovedSums, Restoring, SumsChange, Turn, most_exchanged};
use fluid_threads::Executor;
use glam::{DVec3, Vec3};

/// Largest part of the strengths \[1\] by which a step may change them to undo its own change of total
/// strength and impulse. A step with a larger error is too long for its flow, and to undo it would disturb
/// the flow further.
pub(super) const MOST_OWN_ERROR: f64 = 0.03;

/// The same to repay what earlier steps owe \[1\]: more would disturb the vortons that receive it.
const MOST_REPAID: f64 = 0.015;

/// Part of the distance of E from [`MOST_TO_REPAY`] by which a step may change strengths to repay what
/// earlier ones owe \[1\]. Strengths that change by a small part s change E by at most 2s of it, usually by
/// half of that, so two steps between looks use up the distance.
const ROOM_TO_REPAY: f64 = 0.5;

/// Excess over the allowed energy up to which steps repay what earlier ones owe \[1\]. Without a bound, a
/// flow that has broken up would repay in each step what the next look has to remove with all strengths.
const MOST_TO_REPAY: f64 = 0.5 * TOLERANCE;

/// External changes of total strength and linear impulse in a step.
pub(crate) struct FromOutside<'a> {
    /// Length of the step \[s\].
    pub(crate) time: f64,
    /// Displacement of all vortons by the wind \[m\].
    pub(crate) carried: Vec3,
    /// Impulse that the flow of each cluster has given away \[m⁴/s\]: to bodies, less what expansion has
    /// given to it.
    pub(crate) given: &'a [DVec3],
    /// Strength \[m³/s\] added to a vorton by gravity, halfway along its path.
    pub(crate) pulled: &'a (dyn Fn(usize) -> Vec3 + Sync),
    /// True for vortons of this mass deviation \[kg\] and volume \[m³\] if gravity would do work on them, or
    /// the ambient change that mass deviation, as they are displaced.
    pub(crate) is_pulled: &'a (dyn Fn(f32, f32) -> bool + Sync),
}

impl EnergyBudget {
    /// Moves the origin to `origin` \[m\]: the impulse owed is about it.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        for (place, owed) in &mut self.owed {
            (*place, *owed) = (*place - origin, owed.about(origin.as_dvec3()));
        }
    }

    /// Assigns what is owed to the clusters at its places, or the nearest ones.
    pub(crate) fn assign_owed(&mut self, clusters: &VortonClusters) {
        std::mem::swap(&mut self.owed, &mut self.owed_before);
        self.owed.clear();
        self.owed.extend((0..clusters.count()).map(|cluster| (clusters.middle(cluster), SumsChange::NONE)));
        for (place, owed) in self.owed_before.drain(..).filter(|(_, owed)| !owed.is_none()) {
            let to = &mut self.owed[clusters.at(place)].1;
            *to = to.with_sums_of(&owed, 1.0);
        }
    }

    /// Returns the change of linear impulse per density \[m⁴/s\] that is still to be undone.
    pub(crate) fn impulse_owed(&self) -> DVec3 {
        self.owed.iter().map(|(_, owed)| owed.impulse()).sum()
    }

    /// Returns the change of total strength \[m³/s\] that is still to be undone.
    pub(crate) fn strength_owed(&self) -> DVec3 {
        self.owed.iter().map(|(_, owed)| owed.strength()).sum()
    }

    /// Drops what is owed by vortons about to be removed, those for which `goes` holds, so that it is not
    /// given to others. What is owed at a place is that of the vortons nearest to it.
    pub(crate) fn keep_owed(&mut self, vortons: &Vortons, goes: impl Fn(usize) -> bool) {
        if self.owed.iter().all(|(_, owed)| owed.is_none()) {
            return;
        }
        let mut weights = [(0.0, 0.0); MOST_CLUSTERS];
        for row in 0..vortons.len() {
            let place = vortons.positions.get(row);
            let distances = self.owed.iter().map(|(at, _)| f64::from(at.distance_squared(place)));
            let (stays, all) = &mut weights[least(distances).min(MOST_CLUSTERS - 1)];
            let weight = vortons.strengths.get(row).as_dvec3().length();
            *stays += if goes(row) { 0.0 } else { weight };
            *all += weight;
        }
        for ((_, owed), (stays, all)) in self.owed.iter_mut().zip(weights) {
            let part = stays / all;
            *owed = if part > 0.0 { owed.rest(1.0 - part, DVec3::ZERO) } else { SumsChange::NONE };
        }
    }

    /// Adds to the amounts owed the change of total strength and linear impulse by a change of these
    /// strengths at the start of a step.
    pub(crate) fn owe(
        &mut self,
        exec: &dyn Executor,
        clusters: &VortonClusters,
        positions: &Vec3Columns,
        strengths: (&Vec3Columns, &Vec3Columns),
    ) {
        self.sum_changes(exec, clusters, positions, strengths);
        let kept = kept_in(clusters, &self.sums);
        self.owed.iter_mut().zip(kept).for_each(|((_, owed), kept)| *owed = owed.with_sums_of(&kept, 1.0));
    }

    /// The same at the end of a step, before the change by its motion is known.
    pub(crate) fn owe_at_end(
        &mut self,
        exec: &dyn Executor,
        clusters: &VortonClusters,
        positions: &Vec3Columns,
        strengths: (&Vec3Columns, &Vec3Columns),
    ) {
        self.sum_changes(exec, clusters, positions, strengths);
        self.scaled_at_end.clear();
        self.scaled_at_end.extend(kept_in(clusters, &self.sums));
    }

    fn sum_changes(
        &mut self,
        exec: &dyn Executor,
        clusters: &VortonClusters,
        positions: &Vec3Columns,
        (before, after): (&Vec3Columns, &Vec3Columns),
    ) {
        let one = |row: usize| {
            MovedSums::changed(SumsChange::of(positions.get(row), before.get(row), after.get(row)))
        };
        let sums = (&mut self.sums, MovedSums::NONE);
        sum_of_vortons(exec, (clusters, positions.len()), sums, &one, &MovedSums::add);
        see_images(clusters, &mut self.sums);
    }

    /// Returns the part of the amount `owed` that a step may repay without raising the energy beyond the
    /// budget: strength beside that if it brings the total `strength` \[m³/s\] of the group nearer to zero.
    /// The weights are those of the step's own change.
    fn to_repay(&self, strength: DVec3, step: &SumsChange, owed: &SumsChange) -> SumsChange {
        let owed = step.without_sums().with_sums_of(owed, 1.0);
        let left = self.left.filter(|_| self.allowed > 0.0);
        let room = left.map_or(0.0, |left| MOST_TO_REPAY - left / self.allowed).max(0.0);
        let part = |owed: &SumsChange, most: f64| (most / share_of(owed)).min(1.0);
        let closes = strength.dot(owed.strength()) > 0.5 * owed.strength().length_squared();
        let none = owed.without_sums();
        let (open, rest) = if closes && owed.weight > 0.0 { owed.split() } else { (none, owed) };
        let back = none.with_sums_of(&open, part(&open, MOST_REPAID));
        back.with_sums_of(&rest, part(&rest, MOST_REPAID.min(ROOM_TO_REPAY * room)))
    }

    /// Gives back the changes that this step and, as far as the budget has room, earlier ones made to total
    /// strength of each cluster and linear impulse of each group, except for those from `outside`, in
    /// proportion to |α|, and by turns (E72). `start` holds positions and strengths at the start of the step.
    pub(crate) fn keep_impulse(
        &mut self,
        exec: &dyn Executor,
        clusters: &VortonClusters,
        start: (&Vec3Columns, &Vec3Columns),
        outside: &FromOutside<'_>,
        vortons: &mut Vortons,
    ) {
        let &FromOutside { carried, pulled, is_pulled, .. } = outside;
        let Vortons { positions, strengths, mass_deviations: masses, volumes, .. } = vortons;
        let place = |row: usize| positions.get(row) - carried;
        let one = |row: usize| {
            let (from, to) = (start.0.get(row), place(row));
            let middle = 0.5 * (from.as_dvec3() + to.as_dvec3());
            let end = (to, strengths.get(row));
            let change = SumsChange::of_moved((from, start.1.get(row)), end);
            let change = change.without(middle, pulled(row).as_dvec3());
            MovedSums::of(change, end, is_pulled(masses[row], volumes[row]))
        };
        let mut sums = std::mem::take(&mut self.sums);
        let all = (clusters, strengths.len());
        sum_of_vortons(exec, all, (&mut sums, MovedSums::NONE), &one, &MovedSums::add);
        see_images(clusters, &mut sums);
        self.restoring.clear();
        self.turns.clear();
        self.find_errors(clusters, &sums, outside);
        let each = || sums.iter().take(clusters.count()).enumerate();
        let strength_of_group = |cluster: usize| {
            let is_near = |other: usize| clusters.group_of(other) == clusters.group_of(cluster);
            each().filter(|&(other, _)| is_near(other)).map(|(_, moved)| moved.strength).sum()
        };
        for (cluster, moved) in each() {
            let step = self.errors[cluster];
            let scaled = self.scaled_in(cluster, carried);
            let (middle, owed) = self.owed[cluster];
            // Debts across mirrors that the cluster has met since are theirs.
            let owed = owed.with_images(clusters.mirrors_at(cluster)).with_sums_of(&scaled, 1.0);
            // By strength: where clusters part that were one for a while, the stronger one owes.
            let place = step.place().unwrap_or(middle);
            let back = step.with_sums_of(&self.to_repay(strength_of_group(cluster), &step, &owed), 1.0);
            let (turn, rest) = Turn::of(moved, &back);
            let restoring = Restoring::of(&rest)
                .filter(|_| share_of(&step) <= MOST_OWN_ERROR && clusters.keeps(cluster) != Keeps::Nothing);
            let all = step.with_sums_of(&owed, 1.0);
            let left = if restoring.is_some() { all.with_sums_of(&back, -1.0) } else { all };
            self.owed[cluster] = (place + carried, left.rest(0.0, carried.as_dvec3()));
            self.turns.push(turn);
            self.restoring.push(restoring);
        }
        self.sums = sums;
        self.scaled_at_end.clear();
        self.give_back(exec, clusters, carried, vortons);
    }

    /// Fills `errors` with the changes of total strength and impulse that each cluster has to undo in this
    /// step: its own if it is alone in its group.
    fn find_errors(
        &mut self,
        clusters: &VortonClusters,
        sums: &[MovedSums],
        &FromOutside { time, carried, given, .. }: &FromOutside<'_>,
    ) {
        let count = clusters.count();
        let mut errors = std::mem::take(&mut self.errors);
        errors.clear();
        errors.extend((0..count).map(|cluster| {
            let change = sums[cluster].change.with_impulse(given[cluster]);
            let change = change.with_images(clusters.mirrors_at(cluster)).kept(clusters.keeps(cluster));
            change.with_sums_of(&self.scaled_in(cluster, carried), -1.0)
        }));
        let exchanges = |cluster: &usize| clusters.keeps(*cluster) == Keeps::StrengthAndImpulse;
        for group in 0..clusters.count_groups() {
            let of_group = |cluster: &usize| clusters.group_of(*cluster) == group;
            let members = || (0..count).filter(of_group).filter(exchanges);
            let has_images = || members().any(|one| clusters.gaps_to_images(one, one).next().is_some());
            if members().nth(1).is_none() && !has_images() {
                continue;
            }
            let mut all = GroupError::NONE;
            let most = |cluster: usize| {
                let others = members().filter(|&other| other != cluster);
                let with = |other: usize, gap: f64| {
                    most_exchanged(&sums[cluster].change, &sums[other].change, gap, time)
                };
                let images = members()
                    .flat_map(|other| clusters.gaps_to_images(cluster, other).map(move |gap| (other, gap)));
                others.map(|other| with(other, clusters.gap(cluster, other))).sum::<f64>()
                    + images.map(|(other, gap)| with(other, gap)).sum::<f64>()
            };
            members().for_each(|cluster| all.add(&sums[cluster], &errors[cluster], most(cluster)));
            let all = all.with_images(clusters.mirrors_at_group(group));
            for cluster in members() {
                errors[cluster] = all.part_of(&sums[cluster], &errors[cluster], most(cluster));
            }
        }
        self.errors = errors;
    }

    /// Returns the change of a cluster by scaling at the end of this step, about an origin that has moved by
    /// `carried` \[m\].
    fn scaled_in(&self, cluster: usize, carried: Vec3) -> SumsChange {
        let scaled = self.scaled_at_end.get(cluster).map(|scaled| scaled.about(carried.as_dvec3()));
        scaled.unwrap_or(SumsChange::NONE)
    }

    /// Changes strengths and places of the clusters that get something back; all have moved by `carried`
    /// \[m\].
    fn give_back(
        &self,
        exec: &dyn Executor,
        clusters: &VortonClusters,
        carried: Vec3,
        Vortons { positions, strengths, .. }: &mut Vortons,
    ) {
        let (restoring, turns) = (&self.restoring, &self.turns);
        if restoring.iter().all(Option::is_none) {
            return;
        }
        let of = |row: usize| restoring[clusters.of(row)].as_ref().zip(turns.get(clusters.of(row)));
        strengths.update(exec, &|row, strength| match of(row) {
            Some((restoring, turn)) => {
                turn.strength(restoring.strength(positions.get(row) - carried, strength))
            }
            None => strength,
        });
        if turns.iter().all(Turn::is_none) {
            return;
        }
        positions.update(exec, &|row, position| match of(row) {
            Some((_, turn)) if !turn.is_none() => position + turn.displacement(position - carried),
            _ => position,
        });
    }
}

/// Takes the mean of the sums of each cluster and of the images that are one with it.
fn see_images(clusters: &VortonClusters, sums: &mut [MovedSums]) {
    for (cluster, sums) in sums.iter_mut().take(clusters.count()).enumerate() {
        *sums = sums.with_images(clusters.mirrors_at(cluster));
    }
}

/// Returns the changes that each cluster keeps.
fn kept_in<'a>(clusters: &'a VortonClusters, sums: &'a [MovedSums]) -> impl Iterator<Item = SumsChange> + 'a {
    (0..clusters.count()).map(|cluster| sums[cluster].change.kept(clusters.keeps(cluster)))
}

/// Returns the largest relative change of a strength \[1\] that would undo this change.
fn share_of(change: &SumsChange) -> f64 {
    Restoring::of(change).map_or(0.0, |restoring| restoring.largest_share(change))
}
