//! Types and constants of initial conditions.

use crate::memory::sized32;
use crate::types::VortonVec3;

/// A smoke ring with a core of finite thickness: vorticity falls off as (1 + cos(pi c / thickness)) / 2 with
/// the distance c from the circle; with the peak w, circulation = w thickness^2 (pi/2 - 2/pi). Uses centre,
/// axis, radius, thickness, circulation, spacing.
pub const VORTON_INITIAL_RING: u32 = 1;
/// A thin ring of `count` vortons on a circle. Uses centre, axis, radius, circulation, count.
pub const VORTON_INITIAL_FILAMENT_RING: u32 = 2;
/// A slug of fluid that rolls up into a ring. Uses centre, axis, radius, thickness, circulation, spacing.
pub const VORTON_INITIAL_JET: u32 = 3;
/// A straight vortex. Uses centre, axis, radius, length, circulation, variation, wave_number, spacing.
pub const VORTON_INITIAL_TUBE: u32 = 4;
/// A shear layer. Uses centre, axis (its normal), direction (of the vorticity), thickness, length (along
/// direction), width, velocity_jump, variation, spacing.
pub const VORTON_INITIAL_SHEET: u32 = 5;
/// A box of vortons with random vorticity and zero total strength. With a small amplitude, fluid nearly at
/// rest that bodies can stir. Uses centre, extent, spacing, amplitude, seed.
pub const VORTON_INITIAL_NOISE: u32 = 6;
/// A ball of heavier or lighter fluid with a sharp edge, which sinks or rises under gravity. Uses centre,
/// radius, density_deviation, dye, fuel, spacing.
pub const VORTON_INITIAL_DENSITY_BALL: u32 = 7;
/// A drop without an edge: its density falls off as a Gaussian of standard deviation `radius` (at least the
/// world's core_radius), the profile that a lattice resolves best. Uses centre, radius, density_deviation (in
/// the middle), dye, fuel, spacing.
pub const VORTON_INITIAL_DENSITY_DROP: u32 = 8;
/// A box of heavier or lighter fluid. Uses centre, extent, density_deviation, dye, fuel, spacing.
pub const VORTON_INITIAL_DENSITY_BOX: u32 = 9;

/// Definition of an initial condition. Fill it with vorton_initial_def_init, then change the fields that the
/// type uses.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonInitialDef {
    /// sizeof(VortonInitialDef); set by vorton_initial_def_init.
    pub struct_size: u32,
    /// VORTON_INITIAL_...
    pub r#type: u32,
    /// Centre [m].
    pub centre: VortonVec3,
    /// Direction in which a ring of positive circulation travels; direction of a tube's vorticity; normal of
    /// a sheet. Any length but 0. Default z.
    pub axis: VortonVec3,
    /// Direction of a sheet's vorticity, perpendicular to axis. Default y.
    pub direction: VortonVec3,
    /// Edges of a box [m], noise or density. Default 1.
    pub extent: VortonVec3,
    /// Radius of a ring, jet, tube or ball, standard deviation of a drop [m]. Default 1; tube and ball 0.5,
    /// drop 0.2.
    pub radius: f32,
    /// Radius of a ring's core (at most radius), width of a jet's shear layer, half thickness of a sheet [m].
    /// Default 0.25.
    pub thickness: f32,
    /// Length of a tube or sheet along its vorticity [m]. Default 2.
    pub length: f32,
    /// Width of a sheet across its vorticity [m]. Default 2.
    pub width: f32,
    /// Circulation [m^2/s]; delivered exactly. Default 1.
    pub circulation: f32,
    /// Velocity difference across a sheet [m/s]; delivered exactly. Default 1.
    pub velocity_jump: f32,
    /// Relative variation of a tube's radius or a sheet's thickness along its length. Default 0.
    pub variation: f32,
    /// Waves of that variation along a tube. Default 1.
    pub wave_number: f32,
    /// Full width of each component of the noise's vorticity [1/s]. Default 1.
    pub amplitude: f32,
    /// Density of a ball, drop or box minus ambient_density [kg/m^3]: positive sinks, negative rises;
    /// delivered exactly as mass. Keep it well below ambient_density (or scale gravity instead). Default 0.1.
    pub density_deviation: f32,
    /// Concentration of dye in a ball, drop or box (in the middle of a drop), 0 to 1: see VORTON_SAMPLE_DYE.
    /// Default 0.
    pub dye: f32,
    /// Distance between vortons [m], for all types but the filament ring. Should be at most the world's
    /// core_radius / 1.5; above core_radius a warning is logged, because the vortons then do not overlap.
    /// Default 0.0667, for the default core_radius of 0.1.
    pub spacing: f32,
    /// Vortons of a filament ring, at least 3. Default 64.
    pub count: u32,
    /// Heat [J/m^3] that the fuel in a ball, drop or box (in the middle of a drop) releases when it burns, at
    /// least 0. It burns from the start where density_deviation makes it as hot as
    /// VortonWorldDef.ignition_temperature: the rim of a ball (a tenth of its fuel) and most of a drop are
    /// cooler, and burn only where diffusivity carries heat to them. Default 0.
    pub fuel: f32,
    /// Seed of the noise and of the disturbance.
    pub seed: u64,
    /// Random displacement of each vorton: full width of the distribution of each coordinate, as a fraction
    /// of the distance between vortons, 0 to 1. Symmetric flows stay symmetric without a disturbance; with
    /// 0.5 a drop of 2,700 vortons breaks up into wisps as it falls. Default 0.
    pub position_disturbance: f32,
    /// Random relative change of each vorton's strength and mass deviation: full width, 0 to 1. Total
    /// strength and mass are kept; the circulation of n vortons has a relative error of this / sqrt(12 n).
    /// Default 0.
    pub strength_disturbance: f32,
}

sized32!(VortonInitialDef);
