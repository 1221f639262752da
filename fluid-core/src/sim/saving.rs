//! A fluid as bytes: all that the next step depends on, and all that can be read of the last one.

use super::VortexSim;

crate::saved::fields!(VortexSim {
    params, vortons, emitters, history, sources, solver, field, end_field, walls, boundary, enclosures_before,
    wall_hits, energy_of_work, baroclinic, halo, rim, budget, steepness, time, stats, unseen, made_tables,
    has_start_source, source_forces, quality, tracer_quality, governor, forecast,
} not {
    start, flow, leaving, copies, diffusion, pin, relaxation, neighbours, surplus_partials, partials, works,
    weighted_partials,
} check accepts_what_is_loaded);

impl VortexSim {
    /// Makes room for what the loaded parameters and images need; false if there are too many vortons.
    fn accepts_what_is_loaded(&mut self) -> bool {
        self.copies = self.copies.max(self.boundary.copies);
        self.reserve_for_terms();
        self.reserve_sources();
        self.vortons.len() <= self.params.max_vortons
    }
}
