//! Types of surroundings of bodies.

use crate::memory::sized32;
use crate::types::VortonVec3;
use crate::types::body::VortonBodyId;

/// Definition of the region for vortons without strength. Fill it with vorton_surround_def_init, then change
/// the fields you need.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonSurroundDef {
    /// sizeof(VortonSurroundDef); set by vorton_surround_def_init.
    pub struct_size: u32,
    /// Reserved: 0.
    pub reserved: u32,
    /// The body; the null id (the default): all bodies.
    pub body: VortonBodyId,
    /// Lowest coordinates [m] of the vortons. Default 0 0 0, with high 0 0 0: unbounded. Half-spaces, meshes
    /// and height fields are surrounded only if low and high are set.
    pub low: VortonVec3,
    /// Highest coordinates [m] of the vortons.
    pub high: VortonVec3,
    /// Distance [m] between vortons. 0 (the default): the world's core_radius / 1.5; above core_radius a
    /// warning is logged, because the vortons then do not overlap.
    pub spacing: f32,
    /// Thickness [m] of the layer of vortons, from the surface. 0 (the default): three times the world's
    /// core_radius.
    pub thickness: f32,
}

impl Default for VortonSurroundDef {
    fn default() -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            reserved: 0,
            body: VortonBodyId::NULL,
            low: VortonVec3::ZERO,
            high: VortonVec3::ZERO,
            spacing: 0.0,
            thickness: 0.0,
        }
    }
}

sized32!(VortonSurroundDef);
