//! Types and constants of vortons.

use crate::types::VortonVec3;

/// Bit of VortonVorton.flags: a halo vorton, created by the library to carry baroclinic vorticity where
/// density varies but no vorton exists, or to receive diffused quantities. It starts without strength, mass
/// and dye, and is removed when no longer needed. Read only: vorton_vortons_add ignores it.
pub const VORTON_VORTON_HALO: u32 = 1;

/// A particle that carries vorticity and, optionally, mass deviation and dye.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonVorton {
    /// Position [m].
    pub position: VortonVec3,
    /// Strength [m^3/s]: vorticity times volume.
    pub strength: VortonVec3,
    /// Volume of fluid that it represents [m^3], at least 0. Density needs it, and a vorton takes up
    /// baroclinic vorticity in proportion to it.
    pub volume: f32,
    /// Mass [kg] in excess of the same volume of ambient fluid: volume * (density - ambient_density).
    /// Positive sinks, negative rises.
    pub mass_deviation: f32,
    /// Dye [m^3]: concentration times volume. It does not affect the flow.
    pub dye: f32,
    /// Age [s]; grows by dt in each step.
    pub age: f32,
    /// VORTON_VORTON_HALO or 0.
    pub flags: u32,
    /// Fuel [J], at least 0: the heat that it releases when it burns (VortonWorldDef.ignition_temperature).
    pub fuel: f32,
    /// Id, never reused in a world. Ignored by vorton_vortons_add.
    pub id: u64,
}
