//! Types and constants of volumes.

use crate::memory::sized32;
use crate::types::VortonVec3;
use crate::types::sample::VORTON_SAMPLE_VELOCITY;

/// Each number of a texel is a float.
pub const VORTON_TEXEL_F32: u32 = 1;
/// Each number of a texel is a half (IEEE 754 binary16), rounded to the nearest; values beyond its range are
/// clamped to its largest value, 65504.
pub const VORTON_TEXEL_F16: u32 = 2;

/// Definition of a box of texels in the caller's memory. Fill it with vorton_volume_def_init, then set the
/// box.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonVolumeDef {
    /// sizeof(VortonVolumeDef); set by vorton_volume_def_init.
    pub struct_size: u32,
    /// VORTON_TEXEL_... Default VORTON_TEXEL_F16.
    pub format: u32,
    /// Numbers of each texel, 1 to 4; unused numbers are 0. Default 4.
    pub components: u32,
    /// VORTON_SAMPLE_VELOCITY or VORTON_SAMPLE_VORTICITY for the first three numbers, or 0. Default
    /// VORTON_SAMPLE_VELOCITY.
    pub vector: u32,
    /// VORTON_SAMPLE_DENSITY, _DENSITY_DEVIATION, _TEMPERATURE or _DYE for the number after these, or for the
    /// first one without a vector, or 0. Default 0.
    pub scalar: u32,
    /// Texels along x, each at least 1, at most 2^31 together. Default 32, also for the next two.
    pub width: u32,
    /// Texels along y.
    pub height: u32,
    /// Texels along z.
    pub depth: u32,
    /// Lowest corner of the box [m]. Samples are taken at the centres of texels: the first one is half a
    /// texel inside.
    pub low: VortonVec3,
    /// Highest corner of the box [m], above the lowest along each axis.
    pub high: VortonVec3,
    /// Bytes from one row of texels to the next; 0: packed.
    pub row_pitch: usize,
    /// Bytes from one slice of rows to the next; 0: packed.
    pub slice_pitch: usize,
}

impl Default for VortonVolumeDef {
    fn default() -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            format: VORTON_TEXEL_F16,
            components: 4,
            vector: VORTON_SAMPLE_VELOCITY,
            scalar: 0,
            width: 32,
            height: 32,
            depth: 32,
            low: VortonVec3 { x: -1.0, y: -1.0, z: -1.0 },
            high: VortonVec3 { x: 1.0, y: 1.0, z: 1.0 },
            row_pitch: 0,
            slice_pitch: 0,
        }
    }
}

sized32!(VortonVolumeDef);
