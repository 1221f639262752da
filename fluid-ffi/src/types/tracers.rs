//! Types and constants of tracer sets.

use crate::handle::child_id;
use crate::memory::sized32;
use fluid_core::initial::ImpliedTracers;

/// A set of tracers. Zeroed memory is the null id. Opaque: do not look inside.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VortonTracersId {
    /// Opaque.
    pub index1: u32,
    /// Opaque.
    pub world: u16,
    /// Opaque.
    pub generation: u16,
}

child_id!(VortonTracersId, "tracer set");

/// Steps do not change the tracers' values. The default.
pub const VORTON_SHOW_NONE: u32 = 0;

/// Definition of a set of tracers. Fill it with vorton_tracers_def_init, then change the fields you need.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonTracersDef {
    /// sizeof(VortonTracersDef); set by vorton_tracers_def_init.
    pub struct_size: u32,
    /// Most tracers alive at a time, up to 67108864. Memory for all of them (about 80 bytes each) is
    /// allocated at creation. Default 65536.
    pub capacity: u32,
    /// Age [s] at which a tracer is removed; 0: never. Default 0.
    pub max_age: f32,
    /// Quantity that each step writes into the tracers' values, for colouring: VORTON_SHOW_NONE,
    /// VORTON_SAMPLE_DENSITY, _DENSITY_DEVIATION, _TEMPERATURE or _DYE. Costs two to three times as much as
    /// moving them.
    pub show: u32,
    /// User data, stored and never interpreted: see vorton_tracers_user_data. Default 0.
    pub user_data: u64,
    /// 1: vorton_tracers_read also works while another thread steps the world, and returns the tracers of the
    /// last completed step. Each step then copies the set at its end, and the set takes 56 bytes more per
    /// tracer of its capacity. 0: it returns VORTON_ERR_BUSY meanwhile. Default 0.
    pub readable_during_steps: u32,
    /// Intensity with which eddies smaller than core_radius move the tracers, at least 0; 1: as in
    /// Kolmogorov's spectrum, see VORTON_OP_TURBULENCE. Moving a tracer then takes 15 to 30 ns of one core
    /// instead of 7 to 15. Tracers still do not enter bodies. Default 0: none.
    pub turbulence: f32,
}

/// Definition of tracers placed by density: spread evenly over the regions of large density deviation. Fill
/// it with vorton_implied_def_init, then change the fields you need.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonImpliedDef {
    /// sizeof(VortonImpliedDef); set by vorton_implied_def_init.
    pub struct_size: u32,
    /// Tracers along each edge of a cell of size core_radius / 1.5, so its third power per cell; 1 to 64.
    /// Default 5.
    pub per_cell: u32,
    /// Least deviation that receives tracers, as a fraction of the largest deviation anywhere, of either
    /// sign: above 0, at most 1. A lower value makes the cloud thicker. Default 0.6.
    pub threshold: f32,
    /// Randomness of the positions: 0 is a lattice, 1 has no visible order. Default 1.
    pub jitter: f32,
    /// Tag stored with the tracers. Default 0.
    pub tag: u32,
    /// Reserved: 0.
    pub reserved: u32,
    /// Seed of the random positions.
    pub seed: u64,
}

impl Default for VortonTracersDef {
    fn default() -> Self {
        let struct_size = size_of::<Self>() as u32;
        Self {
            struct_size,
            capacity: 65_536,
            max_age: 0.0,
            show: VORTON_SHOW_NONE,
            user_data: 0,
            readable_during_steps: 0,
            turbulence: 0.0,
        }
    }
}

impl Default for VortonImpliedDef {
    fn default() -> Self {
        let ImpliedTracers { per_cell, threshold, jitter, seed } = ImpliedTracers::default();
        let struct_size = size_of::<Self>() as u32;
        Self { struct_size, per_cell, threshold, jitter, tag: 0, reserved: 0, seed }
    }
}

sized32!(VortonTracersDef, VortonImpliedDef);
