//! Statistics of a world.

use crate::state::{State, World};
use crate::types::saturated;
use crate::types::stats::VortonStats;
use fluid_core::stats::Stage;
use fluid_threads::Executor;

/// Returns the present counters and stage times.
pub(crate) fn stats_of(world: &World, state: &State) -> VortonStats {
    let stats = state.sim.stats();
    let ms = |stage| stats.milliseconds(stage) as f32;
    // Stale if diffusion has been switched off.
    let passes = if state.diffuses() { stats.diffusion_stages } else { 0 };
    let tracers = state.tracer_sets.iter().filter_map(|set| state.tracers.get(set.key));
    VortonStats {
        struct_size: 0,
        workers: world.exec.worker_count() as u32,
        steps: stats.steps,
        time: state.sim.time(),
        vortons: state.sim.vortons().len() as u64,
        tracers: tracers.map(|set| set.len() as u64).sum(),
        not_added: stats.not_added,
        expired: stats.expired,
        non_finite: stats.non_finite,
        lost_tracers: stats.lost_tracers,
        halo_born: stats.halo_born,
        halo_retired: stats.halo_retired,
        mesh_nodes: stats.mesh_nodes as u64,
        mesh_outside: stats.mesh_outside as u64,
        density_outside: stats.density_outside as u64,
        density_nodes: stats.density_nodes as u64,
        stretch_number: saturated(stats.stretch_number.into()),
        max_gradient: saturated(stats.max_gradient.into()),
        baroclinic_lost: saturated(stats.baroclinic_lost.into()),
        diffusion_passes: passes,
        diffused_share: if passes == 0 { 1.0 } else { saturated(stats.diffused_share.into()) },
        step_ms: state.step_ms,
        emit_ms: ms(Stage::Emit),
        halo_ms: ms(Stage::Halo),
        velocity_ms: ms(Stage::Velocity),
        baroclinic_ms: ms(Stage::Baroclinic),
        advance_ms: ms(Stage::Advance),
        diffuse_ms: ms(Stage::Diffuse),
        relax_ms: ms(Stage::Relax),
        bodies_ms: ms(Stage::Bodies),
        remove_ms: ms(Stage::Remove),
        tracers_ms: ms(Stage::Tracers),
        viscosity: saturated(stats.viscosity.into()),
        bodies: state.bodies.bodies.list().len() as u32,
        shapes: state.bodies.shape_count() as u32,
        body_contacts: state.bodies.bodies.contacts().len() as u32,
        solves: stats.solves,
        energy_ms: ms(Stage::Energy),
        energy: stats.energy,
        energy_removed: stats.energy_removed,
        energy_scalings: stats.energy_scalings,
        halo_threshold: saturated(stats.halo_threshold.into()),
        halo_vortons: state.sim.vortons().halos.iter().filter(|&&halo| halo).count() as u32,
        nodes_per_core: saturated(stats.nodes_per_core.into()),
        quality: stats.quality as u32,
        tracer_quality: stats.tracer_quality as u32,
        quality_changes: stats.quality_changes,
        expected_ms: saturated(stats.expected_cost),
        expected_tracers_ms: saturated(stats.expected_tracer_cost),
        burning: stats.burning as u32,
        killed: stats.killed,
        killed_tracers: stats.killed_tracers,
        merged: stats.merged,
        heat_released: stats.heat_released,
        fuel: stats.fuel,
    }
}
