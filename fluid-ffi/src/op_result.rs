//! Results of a run of particle operations.

use crate::guard;
use crate::memory::write_sized;
use crate::status::*;
use crate::types::op_result::VortonOpResult;
use crate::types::{VortonAabb, VortonVec3};
use fluid_particles::ops::RunReport;

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
