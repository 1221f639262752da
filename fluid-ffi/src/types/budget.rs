//! Types and constants of budgets for a step.

use crate::memory::sized32;
use crate::status::{unknown, *};
use fluid_core::governor::{Budget, Measure};

/// A budget counts vortons, pairs, nodes, solves and samples (with the sums of tracers outside of the mesh),
/// each at a fixed cost on one core of about 3 GHz: decisions and results are the same on every machine and
/// with any number of threads, suitable for lockstep. The cost of bodies is not counted. The default.
pub const VORTON_MEASURE_COUNTED: u32 = 0;
/// A budget uses the clock: the time that the stages of the last two steps took, on all threads of the world
/// together, bodies included. Results are not reproducible.
pub const VORTON_MEASURE_CLOCK: u32 = 1;

/// VortonStats.quality: as set in VortonWorldDef.
pub const VORTON_QUALITY_FULL: u32 = 0;
/// One velocity solve a step up to a stretch number of 0.6 instead of 0.5, two up to 1 instead of 0.8.
pub const VORTON_QUALITY_FEWER_SOLVES: u32 = 1;
/// Fewer solves, and mesh nodes 1.5 times as far apart, but not further than a core radius.
pub const VORTON_QUALITY_COARSE_MESH: u32 = 2;

/// VortonStats.tracer_quality: one sample of the field per tracer and step, at a point extrapolated from its
/// last velocities; two if steps are long for the flow, or not as long as the last one.
pub const VORTON_TRACERS_FULL: u32 = 0;
/// A mesh that only tracers sample has nodes 1.5 times as far apart.
pub const VORTON_TRACERS_COARSE_MESH: u32 = 1;
/// One sample in every second step, half of the tracers in turn; in the other step a tracer keeps its
/// velocity. Tracers with turbulence (VortonTracersDef.turbulence) are sampled in each step.
pub const VORTON_TRACERS_EVERY_SECOND_STEP: u32 = 2;

/// Time limits of vorton_world_step_within. Fill it with vorton_budget_init, then change the fields you need.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonBudget {
    /// sizeof(VortonBudget); set by vorton_budget_init.
    pub struct_size: u32,
    /// VORTON_MEASURE_...
    pub measure: u32,
    /// Milliseconds for everything but tracers, at least 0; FLT_MAX: no limit. Default 2.
    pub fluid_ms: f32,
    /// Milliseconds for all sets of tracers, at least 0; FLT_MAX: no limit. A separate limit, so that the
    /// fluid of a game in lockstep does not depend on how many tracers each machine draws. Default 1.
    pub tracers_ms: f32,
}

impl Default for VortonBudget {
    fn default() -> Self {
        let struct_size = size_of::<Self>() as u32;
        Self { struct_size, measure: VORTON_MEASURE_COUNTED, fluid_ms: 2.0, tracers_ms: 1.0 }
    }
}

sized32!(VortonBudget);

impl VortonBudget {
    /// Returns the budget from which [`budget`] made this one.
    pub(crate) fn of(budget: &Budget) -> Self {
        let measure = match budget.measure {
            Measure::Counted => VORTON_MEASURE_COUNTED,
            Measure::Clock => VORTON_MEASURE_CLOCK,
        };
        let (fluid_ms, tracers_ms) = (budget.fluid as f32, budget.tracers as f32);
        Self { measure, fluid_ms, tracers_ms, ..Self::default() }
    }
}

/// Converts a budget, after checking it.
pub(crate) fn budget(given: &VortonBudget) -> Outcome<Budget> {
    let &VortonBudget { measure, fluid_ms, tracers_ms, .. } = given;
    finite(&[fluid_ms, tracers_ms], "fluid_ms or tracers_ms")?;
    let measure = match measure {
        VORTON_MEASURE_COUNTED => Measure::Counted,
        VORTON_MEASURE_CLOCK => Measure::Clock,
        other => return Err(unknown("measure", other)),
    };
    for (name, limit) in [("fluid_ms", fluid_ms), ("tracers_ms", tracers_ms)] {
        if limit < 0.0 {
            return Err(Error::bad_value(format_args!("{name} is {limit}, but must be at least 0")));
        }
    }
    Ok(Budget { measure, fluid: fluid_ms.into(), tracers: tracers_ms.into() })
}
