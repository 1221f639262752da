//! Rows of tracers.

use crate::memory::sized32;
use crate::types::VortonVec3;

/// The tracers after the last completed step, for reading in place. All arrays have count elements; with
/// count 0 they must not be read.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonTracerRows {
    /// Size of this struct [bytes]: set by vorton_tracers_acquire.
    pub struct_size: u32,
    /// Reserved: 0.
    pub reserved: u32,
    /// For vorton_tracers_release.
    pub lease: u64,
    /// Number of tracers.
    pub count: usize,
    /// Positions [m].
    pub positions: *const VortonVec3,
    /// Ids: 0 for the first tracer ever added to the set, and so on.
    pub ids: *const u32,
    /// Tags from vorton_tracers_add, VortonImpliedDef.tag or VortonEmitterDef.tracer_tag.
    pub tags: *const u32,
    /// Ages [s].
    pub ages: *const f32,
    /// The quantity VortonTracersDef.show, or the values added.
    pub values: *const f32,
}

sized32!(VortonTracerRows);
