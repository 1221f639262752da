//! Constants of samples.

/// Velocity [m/s], wind included.
pub const VORTON_SAMPLE_VELOCITY: u32 = 1;
/// Vorticity [1/s], the curl of the velocity.
pub const VORTON_SAMPLE_VORTICITY: u32 = 2;
/// Density [kg/m^3]: the ambient density plus the vortons' deviation.
pub const VORTON_SAMPLE_DENSITY: u32 = 3;
/// Density minus the ambient density at the same point [kg/m^3]: positive sinks, negative rises.
pub const VORTON_SAMPLE_DENSITY_DEVIATION: u32 = 4;
/// Temperature [K], from density by the world's equation of state.
pub const VORTON_SAMPLE_TEMPERATURE: u32 = 5;
/// Concentration of dye: 1 inside a dyed body of fluid, 0 outside.
pub const VORTON_SAMPLE_DYE: u32 = 6;
