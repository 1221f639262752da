//! Ids of worlds, and their limits.

/// A world: one fluid with everything in it. Zeroed memory is the null id. Opaque: do not look inside.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VortonWorldId {
    /// Opaque.
    pub index1: u32,
    /// Opaque.
    pub generation: u32,
}

/// Most worlds at a time.
pub const VORTON_MAX_WORLDS: u32 = 1024;
/// Most objects of each kind (emitters, operations, sets of tracers, bodies, shapes) of one world at a time.
pub const VORTON_MAX_OBJECTS: u32 = 65535;
