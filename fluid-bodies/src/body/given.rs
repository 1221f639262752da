//! What a body gets from the fluid in a step, and how much of that moves it.

use super::Body;
use super::definition::LostEnergy;
use crate::free_motion::Inertia;
use crate::ledger::CentredMoments;
use glam::{DVec3, Vec3};

impl Body {
    /// Estimates how much fluid contacts carry along, from the impulse that contacts gave in this step by
    /// taking the fraction `taken` of a mean slip \[m/s\].
    pub(crate) fn look_at_reply(&mut self, slip: DVec3, taken: f64) {
        if !self.asleep {
            self.motion.look_at_reply(slip, self.mass, taken);
        }
    }

    /// Cuts the impulse from contacts in this step, in fluid of this density, where it would make the body
    /// faster than the fluid that touches it; `fluid` is that fluid's mean velocity and its largest speed
    /// relative to the centre of mass \[m/s\]. Otherwise a few strong vortons that are pushed away would
    /// throw light bodies, the spin of which hardly affects them. The excess stays with the fluid, in the
    /// account of bound strength.
    pub(crate) fn limit(&mut self, density: f64, fluid: (DVec3, f64)) {
        let (linear, angular) = self.excess(fluid);
        self.impulse.linear -= linear;
        self.impulse.angular -= angular;
        self.bound.impulse += linear / density;
    }

    /// Returns the part of these impulses that is excessive \[N s\], \[N m s\], and does not move the body.
    pub(super) fn excess(&mut self, fluid: (DVec3, f64)) -> (DVec3, DVec3) {
        let (inertia, support_points) = (self.inertia_awake(), &self.support_points);
        let rotation = self.state.rotation.as_dquat().normalize();
        let share = |spin: DVec3, angular: DVec3, most: f64| {
            support_points.share_within(rotation, spin, inertia.spin(rotation, angular), most)
        };
        // The impulses of earlier steps move a sleeping body together with these.
        let (linear, angular) = self.motion.pushed();
        let earlier = (self.impulse.linear - linear, self.impulse.angular - angular);
        let once_free = self.asleep.then(|| (earlier.0 / inertia.mass, inertia.spin(rotation, earlier.1)));
        self.motion.limit(inertia.mass, once_free, fluid, share)
    }

    /// Returns the inertia with which the body takes an impulse, once it is awake.
    fn inertia_awake(&self) -> Inertia {
        if !self.asleep {
            return self.inertia();
        }
        let mass = self.told_mass;
        let (tensor, inverse) = (self.inertia_tensor_of(mass), self.inverse_inertia_of(mass));
        Inertia { mass, tensor, inverse, part: None }
    }

    /// Applies the reaction to a change of the fluid's moments about the [middle](Self::middle). The
    /// strength that the fluid lacks becomes bound, in a cluster of contacts the part that belongs to their
    /// layer; `bound` is that part, and what of it induces velocity: along the surface or, where that turns,
    /// all of it. What solids in a hole exchange with the fluid there, `inside` a room with its middle at
    /// this offset from the centre of mass \[m\], stays in the hole: the contents give the body their whole
    /// momentum.
    pub(crate) fn receive(
        &mut self,
        density: f64,
        change: &CentredMoments,
        (cluster, bound): (usize, [DVec3; 2]),
        inside: Option<DVec3>,
    ) {
        let sum = change.and(&self.bind(change, cluster, bound));
        let (linear, angular) = (sum.linear * -density, sum.angular_about(self.arm()) * -density);
        let angular = self.lever().map_or(angular, |lever| lever * angular);
        if let Some(arm) = inside {
            self.taken_inside += angular - arm.cross(linear);
            return;
        }
        self.taken.0 += linear;
        self.taken.1 += angular;
        self.impulse.linear += linear;
        self.impulse.angular += angular;
        self.motion.push(linear, angular);
    }

    /// Returns the work \[J\] done in this step on fluid carried by the wind: impulses times the
    /// means of the velocities before and after them, less the heat from the mean slip of the contacts. A
    /// container carries its fluid along by itself: solids in its holes do work by turning. So do its walls,
    /// which counts as energy of their flow, except for what shell and vortons exchange behind walls with a
    /// sheet.
    pub(crate) fn work(&self) -> f64 {
        let (linear, angular) = self.taken;
        let push = if self.mass.is_finite() { linear / self.mass } else { DVec3::ZERO };
        let (velocity, spin) = self.met;
        let turning = angular.dot(spin + 0.5 * self.spin_from(angular));
        let of_holes = match self.container {
            true => {
                // Friction is a part of what the shell gives.
                let (friction, given) = (self.work_of_friction() * self.density, self.given_to_shell());
                let of_walls = if given < 0.0 { friction.max(-given) } else { friction - given };
                // Walls with a sheet, and shells that turn freely, have paid with the angular momentum of the
                // contents.
                let has_paid = self.turns_freely() || self.holds_flow();
                let inside = if has_paid { 0.0 } else { self.taken_inside.dot(spin) };
                of_walls - inside
            }
            false => 0.0,
        };
        let of_sheet = self.work_of_sheet() * self.density;
        of_holes + of_sheet - (linear.dot(velocity - self.wind.as_dvec3() + 0.5 * push) + turning) - self.lost
    }

    /// Holds the strength of a vorton removed at `place`.
    pub(crate) fn absorb(&mut self, place: Vec3, strength: Vec3) {
        if !strength.is_finite() || self.half_space {
            return;
        }
        self.settle_shapes();
        let strength = strength.as_dvec3();
        self.hold_near(place, strength);
        self.bound.strength += strength;
        self.bound.impulse += 0.5 * place.as_dvec3().cross(strength);
    }

    /// Accounts for kinetic energy \[J\] dissipated between body and fluid.
    pub(crate) fn lose(&mut self, energy: f64) {
        self.impulse.lost_energy += energy;
        if self.lost_energy == LostEnergy::WarmsBody {
            self.temperature += energy / self.heat_capacity;
            self.impulse.heat += energy;
        }
    }
}
