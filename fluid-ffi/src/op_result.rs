//! Results of a run of particle operations.

use crate::guard;
use crate::memory::{sized32, write_sized};
use crate::status::*;
use crate::types::{VortonAabb, VortonVec3};
use fluid_particles::ops::RunReport;

/// Results of a run of operations. Fill it with vorton_op_result_init, then set kill_list and kill_capacity
/// if an operation uses VORTON_KILL_LIST.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonOpResult {
    /// sizeof(VortonOpResult); set by vorton_op_result_init.
    pub struct_size: u32,
    /// 1 if `bounds` has been computed from at least one particle.
    pub has_bounds: u32,
    /// Particles after the run: the view's count, unless EMIT or KILL with VORTON_KILL_COMPACT has changed
    /// it.
    pub count: usize,
    /// Particles killed.
    pub killed: usize,
    /// Particles removed by compaction: killed now, or marked before.
    pub removed: usize,
    /// Particles emitted.
    pub emitted: usize,
    /// Particles that EMIT could not add for lack of capacity.
    pub not_emitted: usize,
    /// Particles left untouched by an operation because a value that it reads was not finite.
    pub non_finite: usize,
    /// In: buffer for VORTON_KILL_LIST, or NULL.
    pub kill_list: *mut u32,
    /// In: number of indices that fit into kill_list.
    pub kill_capacity: usize,
    /// Bounding box of the living particles.
    pub bounds: VortonAabb,
    /// Particles that collided with a body.
    pub hits: usize,
}

sized32!(VortonOpResult);

impl VortonOpResult {
    pub(crate) const EMPTY: Self = Self {
        struct_size: 0,
        has_bounds: 0,
        count: 0,
        killed: 0,
        removed: 0,
        emitted: 0,
        not_emitted: 0,
        non_finite: 0,
        kill_list: std::ptr::null_mut(),
        kill_capacity: 0,
        bounds: VortonAabb { min: VortonVec3::ZERO, max: VortonVec3::ZERO },
        hits: 0,
    };

    pub(crate) fn fill(&mut self, report: &RunReport) {
        self.has_bounds = u32::from(report.bounds.is_some());
        self.count = report.count;
        self.hits = report.hits;
        self.killed = report.killed;
        self.removed = report.removed;
        self.emitted = report.emitted;
        self.not_emitted = usize::try_from(report.emit_refused).unwrap_or(usize::MAX);
        self.non_finite = report.skipped_non_finite;
        if let Some(bounds) = report.bounds {
            self.bounds = VortonAabb { min: bounds.min.into(), max: bounds.max.into() };
        }
    }
}

/// Fills a result with zeros and its size.
///
/// @param struct_size sizeof(VortonOpResult)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_op_result_init(out: *mut VortonOpResult, struct_size: u32) -> VortonResult {
    // SAFETY: the caller passes null or a struct of struct_size bytes.
    guard::run(|| unsafe { write_sized(out, struct_size, VortonOpResult::EMPTY, "out") })
}
