//! Shift of the coordinates' origin, as in large worlds: the fluid moves along.

use super::VortexSim;
use glam::Vec3;

impl VortexSim {
    /// Shifts the origin: the point `origin` \[m\] becomes (0, 0, 0), and every position p becomes p −
    /// `origin`. This applies to everything the fluid holds: vortons, emitters, kill volumes, the boundary of
    /// the last step, the ambient's layers, eddies below the core's size, owed moments about the origin, and
    /// the field of the last step, which has at p − `origin` the values it had at p. Strengths and velocities
    /// are unchanged. Lattices are shifted as well, so the fluid goes on as it would have, up to the rounding
    /// of positions, whatever the `origin`.
    ///
    /// Tracers and bodies are shifted separately: [`Tracers::shift_origin`](crate::particles::Tracers),
    /// `Bodies::shift_origin`. Call it between steps; it allocates nothing. A zero shift changes no bit.
    ///
    /// # Panics
    /// If the `origin` is not finite.
    pub fn shift_origin(&mut self, origin: Vec3) {
        assert!(origin.is_finite(), "an origin at {origin}");
        if origin == Vec3::ZERO {
            return;
        }
        self.shift_particles(origin);
        self.shift_surroundings(origin);
        self.shift_field(origin);
        self.eddies.shift_origin(origin);
        self.budget.shift_origin(origin);
        self.rim.shift_origin(origin);
        self.baroclinic.shift_origin(origin);
    }

    fn shift_particles(&mut self, origin: Vec3) {
        self.vortons.positions.shift_origin(origin);
        self.sources.shift_origin(origin);
        self.emitters.iter_mut().for_each(|emitter| emitter.shift_origin(origin));
    }

    /// Shifts the boundary, the kill volumes and the ambient.
    fn shift_surroundings(&mut self, origin: Vec3) {
        self.boundary.enclosures.shift_origin(origin);
        self.enclosures_before.shift_origin(origin);
        self.wall_hits.iter_mut().for_each(|hit| hit.position -= origin);
        self.kill_volumes.iter_mut().for_each(|volume| volume.shift_origin(origin));
        self.params.ambient.shift_origin(origin);
        self.walls.forget();
    }

    /// Shifts the published field and the solver that makes the next one.
    fn shift_field(&mut self, origin: Vec3) {
        self.field.shift_origin(origin);
        self.end_field.shift_origin(origin);
        self.solver.shift_origin(origin);
        self.forecast.shift_origin(origin);
    }
}
