//! Types of kill volumes.

use crate::types::{VortonQuat, VortonVec3};

/// VortonKillVolume.type: a box of `half_extents`, turned by `rotation`.
pub const VORTON_KILL_VOLUME_BOX: u32 = 0;
/// VortonKillVolume.type: a ball of `radius`.
pub const VORTON_KILL_VOLUME_SPHERE: u32 = 1;

/// VortonKillVolume.flags: the volume bounds the world. Particles outside all bounding volumes are removed;
/// particles inside one stay, unless a volume without this flag removes them.
pub const VORTON_KILL_VOLUME_OUTSIDE: u32 = 1;

/// Most kill volumes of a world.
pub const VORTON_MAX_KILL_VOLUMES: u32 = 256;

/// A volume in which vortons and tracers are removed, such as an inactive room, or the bounds of a level.
/// vorton_default_kill_volume is a box of 1 m around the origin.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonKillVolume {
    /// VORTON_KILL_VOLUME_BOX or VORTON_KILL_VOLUME_SPHERE.
    pub r#type: u32,
    /// 0 or VORTON_KILL_VOLUME_OUTSIDE.
    pub flags: u32,
    /// Centre [m].
    pub position: VortonVec3,
    /// VORTON_KILL_VOLUME_BOX: turns the box's axes into the world's.
    pub rotation: VortonQuat,
    /// VORTON_KILL_VOLUME_BOX: half the edges [m], positive.
    pub half_extents: VortonVec3,
    /// VORTON_KILL_VOLUME_SPHERE: radius [m], positive.
    pub radius: f32,
}
