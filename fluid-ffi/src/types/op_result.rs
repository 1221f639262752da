//! Results of operations.

use crate::memory::sized32;
use crate::types::VortonAabb;

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
