//! Bodies that their engine has put to sleep: they stay where they are, and what pushes them is gathered.

use super::Body;
use super::definition::BodyState;
use fluid_core::params::ParamError;
use glam::Vec3;

impl Body {
    /// Puts it to sleep, as its engine has: its velocities become 0, nothing moves it, and it gets no lift.
    /// It is in the fluid's way as before, and [`take_reaction`](Self::take_reaction) hands out what pushes
    /// it. Lift that has not been taken is dropped: something balances it.
    pub fn fall_asleep(&mut self) {
        if self.asleep {
            return;
        }
        self.asleep = true;
        self.find_mass();
        (self.state.velocity, self.state.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
        self.reaction.drop_lift();
        self.motion.rest();
    }

    /// Wakes it: it moves on from rest, and the fluid counts on its giving way again. What has pushed it and
    /// has not been taken moves it from now on.
    pub fn wake(&mut self) {
        if !self.asleep {
            return;
        }
        self.asleep = false;
        self.find_mass();
        self.motion.rest();
        if !self.motion.is_ignored() {
            let (velocity, angular) = (self.reaction.linear / self.mass, self.reaction.angular);
            self.motion.kick(velocity, angular);
            self.change_motion(velocity, angular);
        }
    }

    /// True if it has been put to sleep.
    pub fn is_asleep(&self) -> bool {
        self.asleep
    }

    /// Changes the mass \[kg\]; infinity: nothing moves it. An inertia tensor that has been told stays what
    /// it is.
    ///
    /// # Errors
    /// Not positive; nothing has changed then.
    pub fn set_mass(&mut self, mass: f32) -> Result<(), ParamError> {
        ParamError::check(mass > 0.0, "mass", mass, "positive")?;
        if self.immovable {
            super::check_mass_of_immovable(mass.into())?;
        }
        self.told_mass = f64::from(mass);
        self.find_mass();
        Ok(())
    }

    /// The mass that impulses move: none, while it sleeps.
    fn find_mass(&mut self) {
        self.mass = if self.asleep { f64::INFINITY } else { self.told_mass };
        self.invert_inertia();
    }

    /// A state that it is told: asleep, it has no velocities.
    pub(super) fn state_to_take(&self, told: BodyState) -> BodyState {
        match self.asleep {
            true => BodyState { velocity: Vec3::ZERO, angular_velocity: Vec3::ZERO, ..told },
            false => told,
        }
    }
}
