//! Types and constants of statistics and invariants.

use crate::memory::sized32;

/// Also computes energy and helicity, which takes time proportional to the square of the number of vortons.
pub const VORTON_INVARIANTS_PAIRS: u32 = 1;

/// Counters of a world, and costs of its last step (of several steps in a frame: the last one). Fill it with
/// vorton_stats_init before the call.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct VortonStats {
    /// sizeof(VortonStats); set by vorton_stats_init.
    pub struct_size: u32,
    /// Threads that work on a step.
    pub workers: u32,
    /// Steps taken.
    pub steps: u64,
    /// Simulated time [s].
    pub time: f64,
    /// Vortons alive, halo vortons included.
    pub vortons: u64,
    /// Tracers alive, in all sets.
    pub tracers: u64,
    /// Vortons that emitters, wakes of bodies and the halo could not add because max_vortons was reached:
    /// raise it. Each attempt counts. Those onto which something would diffuse do not.
    pub not_added: u64,
    /// Vortons removed at max_age.
    pub expired: u64,
    /// Vortons removed because their position, strength, mass or dye had become non-finite: steps were too
    /// long for the flow.
    pub non_finite: u64,
    /// Tracers removed because their position had become non-finite, in all sets.
    pub lost_tracers: u64,
    /// Halo vortons (VORTON_VORTON_HALO) created so far.
    pub halo_born: u64,
    /// Halo vortons removed so far because they were no longer needed.
    pub halo_retired: u64,
    /// Nodes of all meshes in the last step; 0: velocity was summed.
    pub mesh_nodes: u64,
    /// Vortons outside all meshes in the last step, which were summed: correct, but slow where they
    /// are many. If mesh_nodes is close to max_grid_nodes, raise that; otherwise a larger mesh would cost
    /// more.
    pub mesh_outside: u64,
    /// Vortons with mass or dye outside all density boxes in the last step: gravity did not act on them.
    /// Raise max_grid_nodes.
    pub density_outside: u64,
    /// Length of the last step times the largest velocity gradient in it. A fourth-order step (see solves) is
    /// accurate below about 1, a second-order step below about 0.3. Above VORTON_STRETCH_FOLLOWED not even a
    /// fourth-order step follows the flow: take smaller steps, or use vorton_world_advance.
    pub stretch_number: f32,
    /// Largest velocity gradient [1/s] at a vorton with strength in the last step, also after a step with dt
    /// 0. A frame of length T needs about T * max_gradient steps, as taken by vorton_world_advance.
    pub max_gradient: f32,
    /// Fraction of the last step's baroclinic vorticity source that was lost because no vorton was near
    /// enough to take it: nearly 0 unless max_vortons is reached.
    pub baroclinic_lost: f32,
    /// Passes of diffusion in the last step.
    pub diffusion_passes: u32,
    /// Fraction of the last step's diffusion that was carried out: below 1 if it exceeded the limit on the
    /// number of passes.
    pub diffused_share: f32,
    /// Milliseconds of the last call that took steps: vorton_world_step, _step_within, or _advance with all
    /// its steps. Includes publishing the field. The stages below are those of the last step.
    pub step_ms: f32,
    /// Milliseconds of the last step: emitters.
    pub emit_ms: f32,
    /// Milliseconds of the last step: halo creation and removal.
    pub halo_ms: f32,
    /// Milliseconds of the last step: velocity solves.
    pub velocity_ms: f32,
    /// Milliseconds of the last step: baroclinic vorticity source.
    pub baroclinic_ms: f32,
    /// Milliseconds of the last step: advance of positions and strengths.
    pub advance_ms: f32,
    /// Milliseconds of the last step: diffusion of vorticity, heat and dye.
    pub diffuse_ms: f32,
    /// Milliseconds of the last step: relaxation.
    pub relax_ms: f32,
    /// Milliseconds of the last step: bodies.
    pub bodies_ms: f32,
    /// Milliseconds of the last step: ageing and removal.
    pub remove_ms: f32,
    /// Milliseconds of the last step: tracers, in all sets.
    pub tracers_ms: f32,
    /// Viscosity [m^2/s] in the last step: VortonWorldDef.viscosity plus the eddy viscosity of smagorinsky.
    pub viscosity: f32,
    /// Number of bodies.
    pub bodies: u32,
    /// Number of shapes, of all bodies.
    pub shapes: u32,
    /// Vortons within VortonWorldDef.shedding_depth of a body in the last step, which took up its shed
    /// vorticity. 0: bodies did not act on the fluid.
    pub body_contacts: u32,
    /// Velocity solves for the motion in the last step: 1 for a multistep, 2 for a corrected multistep
    /// (VortonWorldDef.multistep) and any other second-order step, 4 for a fourth-order step
    /// (VortonWorldDef.fourth_order_above).
    pub solves: u32,
    /// Milliseconds of the last step: removal of energy beyond the budget.
    pub energy_ms: f32,
    /// Energy per density [m^5/s^2] of the flow of the vortons and of bodies (their bound vorticity, and the
    /// flow around bodies with VORTON_BODY_NO_THROUGH that move relative to the wind, and in containers that
    /// turn): at the start of the last step, at its midpoint if its start was not solved for (multistep), at
    /// its end if it took four solves; on the fluid's side of half-spaces; 0 without energy_budget. While the
    /// energy is well below the limit of energy_budget, every second multistep does not sum it: this is then
    /// the last sum.
    pub energy: f64,
    /// Energy per density [m^5/s^2] that the budget removed in the last step: 0 for flows that the vortons
    /// resolve. If at most 2 % of the energy was removed, this is an estimate from the energy's slope: the
    /// true decrease is a few percent smaller, in noise up to a third smaller; on a mesh some tenths smaller
    /// or larger.
    pub energy_removed: f64,
    /// Steps so far in which the budget had to scale down all strengths.
    pub energy_scalings: u64,
    /// Threshold for creating halo vortons in the last step, as a fraction of the strongest baroclinic source
    /// in the neighbourhood: 0.02; more if max_vortons left no room for weaker sources; 0 without baroclinic
    /// vorticity.
    pub halo_threshold: f32,
    /// Halo vortons (VORTON_VORTON_HALO) alive.
    pub halo_vortons: u32,
    /// Mesh nodes per core radius in the last step: VortonWorldDef.nodes_per_core, or fewer if that mesh
    /// would have left many vortons outside (VortonWorldDef.max_grid_nodes); 0: velocity was summed.
    pub nodes_per_core: f32,
    /// VORTON_QUALITY_...: quality of the last step; below full only with vorton_world_step_within.
    pub quality: u32,
    /// VORTON_TRACERS_...: the quality that the budget allowed for tracers. In steps too long for this
    /// quality they are moved with more samples.
    pub tracer_quality: u32,
    /// Milliseconds that vorton_world_step_within expected for the last step without tracers, as measured by
    /// its budget; 0 for any other step.
    pub expected_ms: f32,
    /// Milliseconds expected for tracers in the last step, measured in the same way.
    pub expected_tracers_ms: f32,
    /// Vortons with fuel that burned in the last step.
    pub burning: u32,
    /// Number of changes of quality or tracer_quality so far.
    pub quality_changes: u64,
    /// Vortons removed in kill volumes: vorton_world_set_kill_volumes.
    pub killed: u64,
    /// Tracers removed in kill volumes, from all sets.
    pub killed_tracers: u64,
    /// Vortons merged into another because flow along a surface brought both to the same position; their ids
    /// are gone. The remaining vorton, the older one unless it is a halo vorton, has the strength, mass and
    /// dye of both, and the volume of both; of a halo vorton's volume only as much as keeps mass deviation
    /// and dye per volume within those of the two.
    pub merged: u64,
    /// Heat [J] that burnt fuel has released so far.
    pub heat_released: f64,
    /// Heat [J] of the fuel left after the last step's combustion, if any could burn.
    pub fuel: f64,
    /// Nodes of all boxes of density in the last step with gravity and density that varies.
    pub density_nodes: u64,
}

/// Invariants of an unbounded inviscid flow, without and with bodies. Fill it with vorton_invariants_init
/// before the call, and set flags.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct VortonInvariants {
    /// sizeof(VortonInvariants); set by vorton_invariants_init.
    pub struct_size: u32,
    /// 0 or VORTON_INVARIANTS_PAIRS.
    pub flags: u32,
    /// Sum of the strengths [m^3/s].
    pub total_strength: [f64; 3],
    /// Half the sum of position x strength [m^4/s]: fluid momentum per density.
    pub linear_impulse: [f64; 3],
    /// A third of the sum of position x (position x strength) [m^5/s].
    pub angular_impulse: [f64; 3],
    /// Sum of the magnitudes of the strengths [m^3/s]: the scale for errors of total_strength.
    pub strength_magnitude: f64,
    /// Largest strength [m^3/s].
    pub max_strength: f64,
    /// Kinetic energy per density [m^5/s^2] of the vortons without images in half-spaces; 0 without
    /// VORTON_INVARIANTS_PAIRS.
    pub energy: f64,
    /// Helicity [m^4/s^2]; 0 without VORTON_INVARIANTS_PAIRS.
    pub helicity: f64,
    /// Bound strength of bodies [m^3/s]: the opposite of the strength that vortons gained at their surfaces.
    /// total_strength + bound_strength does not change when bodies and vortons interact, but for errors of
    /// the motion that later steps undo (see owed_impulse).
    pub bound_strength: [f64; 3],
    /// Linear impulse of the bound strength [m^4/s], which moves with the wind, plus that of the fluid moving
    /// with VORTON_BODY_NO_THROUGH bodies, known from their second step on, and that of the next rings in
    /// wakes (VortonBodyDef.drag_coefficient). The sum of density * (linear_impulse + bound_impulse -
    /// owed_impulse), the momentum of your bodies and the impulses not yet taken by
    /// vorton_bodies_take_impulses does not change when bodies and vortons interact. Momentum transferred to
    /// static and kinematic bodies leaves that sum.
    pub bound_impulse: [f64; 3],
    /// Linear impulse [m^4/s] that the vortons have gained by errors of the motion and by the energy budget,
    /// and that later steps take back: a step takes back only what neither disturbs the vortons nor raises
    /// their energy beyond VortonWorldDef.energy_budget. Of a flow that has broken up a part may stay. Lost
    /// by the removal of vortons, in proportion to their strength. Vortons in containers, which take up
    /// impulse, leave theirs as it is. At half-spaces only the part along them counts.
    pub owed_impulse: [f64; 3],
}

sized32!(VortonStats, VortonInvariants);
