//! Bodies put to sleep by the engine: they stay at rest, and impulses on them are accumulated.

use super::Body;
use super::definition::BodyState;
use fluid_core::params::ParamError;
use glam::Vec3;

impl Body {
    /// Puts the body to sleep together with its engine: its velocities become 0, nothing moves it, and it
    /// gets no lift. It remains an obstacle, and [`take_impulse`](Self::take_impulse) returns the impulses
    /// on it. Lift that has not been taken is dropped, because something balances it.
    pub fn fall_asleep(&mut self) {
        if self.asleep {
            return;
        }
        self.asleep = true;
        self.find_mass();
        (self.state.velocity, self.state.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
        self.impulse.drop_lift();
        self.motion.rest();
    }

    /// Wakes the body: it moves again, from rest, and the fluid expects it to recoil. Impulses on it that
    /// have not been taken move it from now on.
    pub fn wake(&mut self) {
        if !self.asleep {
            return;
        }
        self.asleep = false;
        self.find_mass();
        self.motion.rest();
        if !self.motion.is_ignored() {
            let (velocity, angular) = (self.impulse.linear / self.mass, self.impulse.angular);
            self.motion.kick(velocity, angular);
            self.change_motion(velocity, angular);
        }
    }

    /// True if the body is asleep.
    pub fn is_asleep(&self) -> bool {
        self.asleep
    }

    /// Sets the mass \[kg\]; impulses do not move a body of infinite mass. An inertia tensor set by the
    /// engine is kept.
    ///
    /// # Errors
    /// Returns an error if it is not positive, or at most
    /// [`BodyDef::fluid_mass`](super::BodyDef::fluid_mass); nothing is changed then.
    pub fn set_mass(&mut self, mass: f32) -> Result<(), ParamError> {
        ParamError::check(mass > 0.0, "mass", mass, "positive")?;
        if self.immovable {
            super::check_mass_of_immovable(mass.into())?;
        }
        let is_more = f64::from(mass) > self.fluid_mass;
        ParamError::check(is_more, "mass", mass, "more than the part of it that stands for fluid")?;
        self.told_mass = f64::from(mass);
        self.find_mass();
        Ok(())
    }

    /// Sets the mass that responds to impulses: infinite while the body sleeps.
    fn find_mass(&mut self) {
        self.mass = if self.asleep { f64::INFINITY } else { self.told_mass };
        self.leave_content_to_engine();
        self.invert_inertia();
    }

    /// Returns the state to adopt: a sleeping body has no velocities.
    pub(super) fn state_to_take(&self, told: BodyState) -> BodyState {
        match self.asleep {
            true => BodyState { velocity: Vec3::ZERO, angular_velocity: Vec3::ZERO, ..told },
            false => told,
        }
    }
}
