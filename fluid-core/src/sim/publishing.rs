//! Publication of the present field, without a step.

use super::VortexSim;
use crate::boundary::BodyCoupling;
use fluid_threads::Executor;

impl VortexSim {
    /// Solves the flow of the vortons and bodies as they are, and publishes it. No vorton is added or
    /// removed, and later steps go on as without it, except that halo vortons are chosen by the density found
    /// here, and new vortons begin with the velocity found here. Vortons that a host has put into bodies are
    /// pushed out.
    pub(super) fn publish(&mut self, exec: &dyn Executor, bodies: &mut (dyn BodyCoupling + Send)) {
        let dt = 0.0;
        self.find_boundary(exec, bodies, dt);
        self.begin_burning(exec, dt);
        bodies.set_out(exec, &self.vortons);
        self.remember_start(exec);
        let steepness = self.steepness;
        self.solve_present(exec, bodies);
        self.end_burning(exec);
        self.show_flow(exec, bodies, dt);
        // For the statistics: over no time nothing diffuses.
        self.diffuse(exec, dt);
        self.meet_bodies(exec, bodies, dt);
        self.prepare_samples(exec);
        self.pass_time(dt);
        self.steepness = steepness;
    }
}
