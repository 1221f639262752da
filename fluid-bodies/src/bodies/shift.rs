//! Another origin for the coordinates, as in large worlds: bodies come along with the fluid.

use super::Bodies;
use fluid_core::constants::MAX_COORDINATE;
use fluid_core::params::ParamError;
use glam::Vec3;

impl Bodies {
    /// Checks that the origin may be shifted to the place `origin` \[m\].
    ///
    /// # Errors
    /// Not finite, or a coordinate of it or of a body would be beyond
    /// [`MAX_COORDINATE`].
    pub fn check_shift(&self, origin: Vec3) -> Result<(), ParamError> {
        let is_near = |place: Vec3| place.is_finite() && place.abs().max_element() <= MAX_COORDINATE;
        ParamError::check(is_near(origin), "origin", origin, "finite, with coordinates to 1e9 m")?;
        let far = self.list.iter().map(|body| body.state.position - origin).find(|&place| !is_near(place));
        let allowed = "within 1e9 m for the origin to be shifted so far";
        far.map_or(Ok(()), |place| ParamError::check(false, "position of a body", place, allowed))
    }

    /// Shifts the origin: the place `origin` \[m\] becomes (0, 0, 0), and every position p becomes p −
    /// `origin`: states of bodies and where they have come from, contacts, and moments about the origin.
    /// Velocities, and what is about centres of mass, stay what they are. To be called with the
    /// [fluid's](fluid_core::sim::VortexSim::shift_origin). What engines tell from now on is in the new
    /// coordinates.
    ///
    /// # Errors
    /// Those of [`check_shift`](Self::check_shift); nothing has changed then.
    pub fn shift_origin(&mut self, origin: Vec3) -> Result<(), ParamError> {
        self.check_shift(origin)?;
        if origin == Vec3::ZERO {
            return Ok(());
        }
        self.list.iter_mut().for_each(|body| body.shift_origin(origin));
        self.obstacles.shift_origin(origin);
        self.contacts.shift_origin(origin);
        self.no_slip.shift_origin(origin);
        self.wall_hits.iter_mut().for_each(|hit| hit.position -= origin);
        self.fluid.ambient.shift_origin(origin);
        Ok(())
    }
}
