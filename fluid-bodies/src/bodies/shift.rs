//! Shift of the coordinate origin, as in large worlds: bodies move along with the fluid.

use super::Bodies;
use fluid_core::constants::MAX_COORDINATE;
use fluid_core::params::ParamError;
use glam::Vec3;

impl Bodies {
    /// Checks that the origin may be shifted to the position `origin` \[m\].
    ///
    /// # Errors
    /// Returns an error if it is not finite, or if a coordinate of it or of a body would exceed
    /// [`MAX_COORDINATE`].
    pub fn check_shift(&self, origin: Vec3) -> Result<(), ParamError> {
        let is_near = |place: Vec3| place.is_finite() && place.abs().max_element() <= MAX_COORDINATE;
        ParamError::check(is_near(origin), "origin", origin, "finite, with coordinates to 1e9 m")?;
        let far = self.list.iter().map(|body| body.state.position - origin).find(|&place| !is_near(place));
        let allowed = "within 1e9 m for the origin to be shifted so far";
        far.map_or(Ok(()), |place| ParamError::check(false, "position of a body", place, allowed))
    }

    /// Shifts the origin: the position `origin` \[m\] becomes (0, 0, 0), and every position p becomes p −
    /// `origin`: present and previous states of bodies, contacts, and moments about the origin. Velocities,
    /// and moments about centres of mass, do not change. Call it together with the
    /// [fluid's](fluid_core::sim::VortexSim::shift_origin). Subsequent states from engines are in the new
    /// coordinates.
    ///
    /// # Errors
    /// Returns the errors of [`check_shift`](Self::check_shift); nothing is changed then.
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
