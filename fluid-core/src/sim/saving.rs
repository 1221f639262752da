//! A fluid as bytes: the state on which the next step depends, and all readable results of the last one.

use super::VortexSim;
use crate::kill_volumes::MOST_KILL_VOLUMES;
use crate::saved::{NoInsides, Reader, Saved, Writer};
use crate::stats::Stats;
use fluid_threads::Serial;

crate::saved::fields!(VortexSim {
    params, vortons, emitters, history, sources, solver, field, end_field, walls, boundary, enclosures_before,
    wall_hits, energy_of_work, baroclinic, halo, rim, budget, steepness, time, eddies, stats, unseen,
    made_tables,
    has_start_source, source_forces, quality, tracer_quality, governor, forecast, kill_volumes,
} not {
    doomed, frame_left, start, flow, middle_sources, leaving, copies, reserved, diffusion, pin, relaxation, neighbours, surplus_partials, partials, works,
    weighted_partials, diffused, fire, clusters, parted, sheets, given, pushes, followers,
} check accepts_what_is_loaded);

impl VortexSim {
    /// Reserves memory for the loaded parameters and images; false if there are too many vortons or kill
    /// volumes.
    fn accepts_what_is_loaded(&mut self) -> bool {
        self.copies = self.copies.max(self.boundary.copies);
        self.field.follow_ambient(&self.params.ambient);
        self.end_field.follow_ambient(&self.params.ambient);
        self.reserve_for_terms();
        self.reserve_sources();
        self.reserve_doomed();
        self.vortons.len() <= self.params.max_vortons && self.kill_volumes.len() <= MOST_KILL_VOLUMES
    }

    /// Resets to the state that [`new`](Self::new) makes of the present parameters, reusing memory. Zones and
    /// kill volumes stay; kill volumes and the ambient return to their positions before the origin was
    /// shifted.
    ///
    /// # Panics
    /// If an empty fluid cannot be loaded from its own bytes.
    pub fn reset(&mut self) {
        let back = std::mem::take(&mut self.params.ambient.origin).as_vec3();
        self.kill_volumes.iter_mut().for_each(|volume| volume.shift_origin(back));
        let empty = Self::with_room(self.params, 0);
        let mut out = Writer::new(&mut [], &NoInsides);
        empty.save(&mut out);
        let mut bytes = vec![0; out.len()];
        empty.save(&mut Writer::new(&mut bytes, &NoInsides));
        let kill_volumes = std::mem::take(&mut self.kill_volumes);
        let loaded = self.load(&mut Reader::new(&bytes, &NoInsides, &Serial));
        assert!(loaded.is_ok(), "an empty fluid is refused: {loaded:?}");
        self.kill_volumes = kill_volumes;
        let zones = self.stats.zones.take();
        self.stats = Stats::default();
        self.stats.zones = zones;
    }
}
