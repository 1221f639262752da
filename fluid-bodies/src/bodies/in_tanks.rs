//! Bodies in tanks: they feel the acceleration of their tank, and the tank gets their reaction (E55).

use super::Bodies;
use crate::body::Demands;
use crate::buoyant_force::Wrench;
use fluid_core::boundary::Motion;
use fluid_core::particles::Vortons;
use glam::{DVec3, Vec3};

impl Bodies {
    /// Begins a step: finds the tanks that bodies are in.
    pub(super) fn find_tanks(&mut self) {
        self.list.iter_mut().for_each(|body| body.demand(Demands::default()));
        self.tanks.clear();
        self.tanks.extend(self.obstacles.containers());
        for index in 0..self.list.len() {
            let place = self.tank_of(index);
            self.list[index].begin_in(place);
            if let Some((tank, _)) = place {
                let demands = self.list[index].demands();
                self.list[tank].add_demand(demands);
            }
        }
    }

    /// Returns the indices of the tank and the room that a body is in: the smallest one around it. Bodies
    /// with holes are in none: what fluid inside and outside gives them is not told apart.
    fn tank_of(&self, index: usize) -> Option<(usize, usize)> {
        let body = &self.list[index];
        if body.is_container() || body.is_immovable() {
            return None;
        }
        self.obstacles.tank_at(&self.tanks, body.state.position, index)
    }

    /// Sets the velocities with which tanks carry fluid along at the bodies in them, in a step of `dt` \[s\].
    /// The tanks' motion in the step must be known.
    pub(super) fn carry_along(&mut self, dt: f32) {
        // In a step of zero length nothing is carried anywhere.
        if dt == 0.0 {
            return;
        }
        for index in 0..self.list.len() {
            let Some((tank, room)) = self.list[index].in_tank().place() else { continue };
            let middle = self.obstacles.list()[tank].rooms()[room].middle;
            let velocity = self.list[tank].driven_velocity_of_room(middle, dt);
            self.list[index].feel_tank(velocity);
        }
    }

    /// Returns the gravity \[m/s²\] that lift acts against: in a tank less the tank's acceleration as far as
    /// it lasts. What is then beyond gravity acts with the body's added mass.
    pub(super) fn apparent_gravity(&self, motion: Motion<'_>, index: usize) -> DVec3 {
        let (gravity, body) = (motion.params.gravity.as_dvec3(), &self.list[index]);
        let place = body.in_tank().place().filter(|_| body.feels_tank_as_lift());
        let Some((tank, room)) = place else { return gravity };
        let size = self.obstacles.list()[tank].ball().radius;
        let (felt, most) =
            (gravity - self.list[tank].acceleration_felt(room, size, motion.dt), gravity.length());
        let beyond = (felt.length() - most).max(0.0);
        if beyond == 0.0 {
            return felt;
        }
        felt.normalize_or_zero() * (most + beyond * body.response_in_tank())
    }

    /// Returns the part of a body's lift in this step that is due to the acceleration of its tank. It counts
    /// as a push of the fluid: the engine's gravity does not balance it.
    pub(super) fn push_of_tank(&self, motion: Motion<'_>, index: usize, lift: Wrench) -> Wrench {
        let gravity = motion.params.gravity.as_dvec3();
        if self.apparent_gravity(motion, index) == gravity {
            return Wrench::default();
        }
        let (still, _) = self.lift_against(gravity, motion, index);
        Wrench { force: lift.force - still.force, torque: lift.torque - still.torque }
    }

    /// Gives a tank the impulse \[N s\] that a nozzle at `place` \[m\] has given to the fluid in it.
    pub(super) fn push_tank(&mut self, tank: usize, place: Vec3, impulse: DVec3) {
        let obstacle = &self.obstacles.list()[tank];
        let Some(room) = obstacle.room_at(place) else { return };
        let local = obstacle.pose().to_local(place).as_dvec3();
        self.list[tank].take_push(impulse, local, &obstacle.rooms()[room]);
    }

    /// Ends a step: gives tanks the reaction of the bodies in them.
    pub(super) fn push_tanks(&mut self, dt: f32) {
        for index in 0..self.list.len() {
            let Some((tank, room)) = self.list[index].in_tank().place() else { continue };
            if dt == 0.0 {
                // The next step is the first one in it.
                if self.list[index].is_new_here() {
                    self.list[index].leave_tank();
                }
                continue;
            }
            if dt < 0.0 {
                self.list[index].leave_tank();
                continue;
            }
            let reaction = self.list[index].reaction_in_tank();
            let obstacle = &self.obstacles.list()[tank];
            let Some(room) = obstacle.rooms().get(room) else { continue };
            let place = obstacle.pose().to_local(self.list[index].state.position).as_dvec3();
            self.list[tank].take_reaction(reaction, place, room);
        }
    }

    /// Notes the angular momentum that vortons in tanks have got from the bodies there by being put out of
    /// them: the shell does not give it (E57).
    pub(super) fn note_ejections_in_tanks(&mut self, vortons: &Vortons) {
        for ejection in &self.contacts.ejections {
            let body = &self.list[ejection.body as usize];
            let Some((tank, _)) = body.in_tank().place() else { continue };
            let (row, pose) = (ejection.row as usize, *self.obstacles.list()[tank].pose());
            let (place, strength) = (vortons.positions.get(row), vortons.strengths.get(row));
            let changes = [(ejection.from, -strength), (place, strength)];
            self.list[tank].note_exchange(pose, &changes);
        }
    }

    /// Notes the same for contacts.
    pub(super) fn note_contacts_in_tanks(&mut self, vortons: &Vortons) {
        let pairs = self.contacts.contacts.iter().zip(self.no_slip.assigned());
        for (contact, old) in pairs {
            let body = &self.list[contact.body as usize];
            let Some((tank, _)) = body.in_tank().place() else { continue };
            let (row, pose) = (contact.row as usize, *self.obstacles.list()[tank].pose());
            let (place, strength) = (vortons.positions.get(row), vortons.strengths.get(row));
            let changes = [(old.position, -old.strength), (place, strength)];
            self.list[tank].note_exchange(pose, &changes);
        }
    }
}
