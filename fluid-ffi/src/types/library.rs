//! Constants of the library.

/// ABI version: increases with any change of layout, value or signature that affects an old program.
pub const VORTON_ABI_VERSION: u32 = 4;
/// Version of this header.
pub const VORTON_VERSION_MAJOR: u32 = 0;
/// Version of this header.
pub const VORTON_VERSION_MINOR: u32 = 3;
/// Version of this header.
pub const VORTON_VERSION_PATCH: u32 = 0;
