//! Crowded vortons in containers part as they move (E73).

use super::VortexSim;
use crate::constants::{DENSITY_NODES_PER_CORE, PARTICLE_CHUNK};
use crate::params::Params;
use crate::particles::Vortons;
use crate::stats::Stage;
use fluid_threads::{Executor, reduce_ordered};
use glam::Vec3;
use std::ops::Range;

/// Displacement of a vorton down a slope of 1 per spacing, over its path in the step \[1\]. Vortons are
/// crowded by errors of the motion, which are a part of their path.
const PARTING: f32 = 5.0;

/// Largest displacement in a step \[spacings of density's nodes\].
const MOST_PARTING: f32 = 0.1;

/// Largest displacement of all up to which none is displaced \[spacings of density's nodes\]: round-off at
/// rest.
const LEAST_PARTING: f32 = 1e-5;

/// Square of the speed up to which a vorton parts in full, over that of waves of one core radius in length
/// \[1\]. Faster motion mixes the tank whatever gravity does, and parting would take from its energy.
const SLOW: f32 = 0.04;

impl VortexSim {
    /// Moves crowded vortons on which gravity acts in containers apart, in proportion to their paths in the
    /// step: fluid at rest stays where it is. The work against gravity is debited. Not backwards in time.
    pub(super) fn part_crowded(&mut self, exec: &dyn Executor, dt: f32) {
        let is_neutral = self.vortons.mass_deviations.iter().all(|&mass| mass == 0.0);
        if dt <= 0.0 || !self.walls.is_active() || is_neutral {
            return;
        }
        self.walls.make_room_for_crowding();
        if !self.may_part(dt) {
            return;
        }
        let stage = self.stats.time(Stage::Baroclinic);
        if self.walls.find_crowding(exec, &self.field.scalars) {
            let work = self.move_crowded(exec, dt);
            if self.params.energy_budget {
                self.budget.credit(work.min(0.0));
            }
            self.lift_through_ambient(exec);
        }
        self.stats.record(stage);
    }

    /// True if a vorton may part by more than [`LEAST_PARTING`].
    fn may_part(&self, dt: f32) -> bool {
        let speeds2 = self.history.latest.velocities.iter().map(|velocity| velocity.length_squared());
        let farthest = speeds2.fold(0.0, f32::max).sqrt() * dt;
        PARTING * farthest > LEAST_PARTING * self.params.core_radius / DENSITY_NODES_PER_CORE
    }

    /// Moves them, and returns the work of gravity per density \[m⁵/s²\].
    fn move_crowded(&mut self, exec: &dyn Executor, dt: f32) -> f64 {
        let (walls, enclosures) = (&self.walls, &self.boundary.enclosures);
        let (start, velocities) = (&self.start.positions, &self.history.latest.velocities);
        let Params { core_radius, gravity, ambient, .. } = self.params;
        let (most, density) = (MOST_PARTING * core_radius / DENSITY_NODES_PER_CORE, ambient.density);
        let Vortons { positions, mass_deviations: masses, volumes, .. } = &mut self.vortons;
        // The grid, its walls and the container are those of the middle of the step.
        let middle = |row: usize, end: Vec3| 0.5 * (start.get(row) + end);
        let felt = |middle: Vec3| gravity - enclosures.acceleration_at_middle(middle);
        let shift = |row: usize, end: Vec3| {
            let middle = middle(row, end);
            let slope = walls.slope_of_crowding(middle);
            if masses[row] == 0.0 || slope == Vec3::ZERO || !enclosures.hold(start.get(row)) {
                return Vec3::ZERO;
            }
            let slow2 =
                SLOW * core_radius * felt(middle).length() * masses[row].abs() / (density * volumes[row]);
            // Relative to the container.
            let speed = velocities.get(row).length();
            let slow = (slow2 / (speed * speed)).min(1.0);
            let share = slow * slow;
            let shift = (slope * (-PARTING * share * speed * dt)).clamp_length_max(most);
            if shift.is_finite() { shift } else { Vec3::ZERO }
        };
        let work = |row: usize| {
            let end = positions.get(row);
            let shift = shift(row, end);
            if shift == Vec3::ZERO {
                return 0.0;
            }
            f64::from(masses[row]) * shift.as_dvec3().dot(felt(middle(row, end)).as_dvec3())
        };
        let sum = |rows: Range<usize>| rows.map(work).sum::<f64>();
        let (count, works) = (positions.len(), &mut self.works);
        let work = reduce_ordered(exec, count, PARTICLE_CHUNK, 0.0, works, &sum, |a, b| a + b);
        positions.update(exec, &|row, end| end + shift(row, end));
        work / f64::from(density)
    }
}
