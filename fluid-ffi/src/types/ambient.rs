//! Constants of the ambient fluid.

/// Density times temperature is constant: gases such as air. The default.
pub const VORTON_IDEAL_GAS: u32 = 0;
/// Density falls by `expansion` times ambient_density per kelvin: liquids.
pub const VORTON_LINEAR_EXPANSION: u32 = 1;

/// The ambient has the same density everywhere. The default.
pub const VORTON_STRATIFICATION_NONE: u32 = 0;
/// Density changes by density_gradient per metre; it is ambient_density at the origin with which the world
/// was created (vorton_world_shift_origin).
pub const VORTON_STRATIFICATION_LINEAR: u32 = 1;
/// Two layers with a smooth interface (tanh).
pub const VORTON_STRATIFICATION_LAYERS: u32 = 2;
