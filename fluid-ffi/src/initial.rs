//! Initial conditions: the articles' vortex rings, tubes, sheets, noise and drops.

use crate::guard;
use crate::log;
use crate::memory::{check_optional_output, read_def, sized32, write_optional, write_sized};
use crate::recording::Call;
use crate::status::*;
use crate::types::VortonVec3;
use crate::vortons;
use crate::world::{VortonWorldId, reading, writing};
use fluid_core::initial::{
    DensityBall, DensityBox, DensityProfile, Disturbance, FilamentRing, InitialError, JetRing, Noise,
    VortexRing, VortexSheet, VortexTube,
};
use fluid_core::params::Params;
use fluid_core::particles::Vorton;

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
/// radius, density_deviation, dye, spacing.
pub const VORTON_INITIAL_DENSITY_BALL: u32 = 7;
/// A drop without an edge: its density falls off as a Gaussian of standard deviation `radius` (at least the
/// world's core_radius), the profile that a lattice resolves best. Uses centre, radius, density_deviation (in
/// the middle), dye, spacing.
pub const VORTON_INITIAL_DENSITY_DROP: u32 = 8;
/// A box of heavier or lighter fluid. Uses centre, extent, density_deviation, dye, spacing.
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
    /// Reserved: 0.
    pub reserved: u32,
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

impl Default for VortonInitialDef {
    fn default() -> Self {
        Self::default_of(VORTON_INITIAL_RING)
    }
}

sized32!(VortonInitialDef);

/// Overlap of vortons that fill a volume \[1\], at which the core's smoothing hides the individual particles.
pub(crate) const SPACINGS_PER_CORE: f32 = 1.5;

impl VortonInitialDef {
    /// Returns the defaults of a type, with sizes that fit the default world.
    fn default_of(r#type: u32) -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            r#type,
            centre: VortonVec3::ZERO,
            axis: VortonVec3 { z: 1.0, ..VortonVec3::ZERO },
            direction: VortonVec3 { y: 1.0, ..VortonVec3::ZERO },
            extent: VortonVec3 { x: 1.0, y: 1.0, z: 1.0 },
            radius: match r#type {
                VORTON_INITIAL_TUBE | VORTON_INITIAL_DENSITY_BALL => 0.5,
                VORTON_INITIAL_DENSITY_DROP => 0.2,
                _ => 1.0,
            },
            thickness: 0.25,
            length: 2.0,
            width: 2.0,
            circulation: 1.0,
            velocity_jump: 1.0,
            variation: 0.0,
            wave_number: 1.0,
            amplitude: 1.0,
            density_deviation: 0.1,
            dye: 0.0,
            spacing: Params::default().core_radius / SPACINGS_PER_CORE,
            count: 64,
            reserved: 0,
            seed: 1,
            position_disturbance: 0.0,
            strength_disturbance: 0.0,
        }
    }

    fn check_finite(&self) -> Outcome {
        let vectors = [self.centre, self.axis, self.direction, self.extent];
        finite(&vectors.map(|v| [v.x, v.y, v.z]).concat(), "the initial definition")?;
        let sizes = [self.radius, self.thickness, self.length, self.width, self.spacing];
        finite(&sizes, "the initial definition")?;
        let strengths =
            [self.circulation, self.velocity_jump, self.variation, self.wave_number, self.amplitude];
        finite(&strengths, "the initial definition")?;
        let amounts =
            [self.density_deviation, self.dye, self.position_disturbance, self.strength_disturbance];
        finite(&amounts, "the initial definition")
    }

    /// Distance between neighbouring vortons [m].
    fn distance(&self) -> f32 {
        match self.r#type {
            VORTON_INITIAL_FILAMENT_RING => std::f32::consts::TAU * self.radius / self.count as f32,
            _ => self.spacing,
        }
    }

    fn disturb(&self, vortons: &mut [Vorton]) -> Result<(), InitialError> {
        let (position, strength) = (self.position_disturbance, self.strength_disturbance);
        Disturbance { position, strength, seed: self.seed }.apply(self.distance(), vortons)
    }

    /// Renames the fields in an error to those of this struct.
    fn in_c_words(&self, mut error: InitialError) -> InitialError {
        let (InitialError::OutOfRange { field, .. } | InitialError::VectorOutOfRange { field, .. }) =
            &mut error;
        *field = match (self.r#type, *field) {
            (VORTON_INITIAL_TUBE, "diameter") => "twice the radius",
            (VORTON_INITIAL_SHEET, "normal") => "axis",
            (VORTON_INITIAL_SHEET, "width") => "length",
            (VORTON_INITIAL_SHEET, "extent") => "width",
            (_, "extent.x" | "extent.y" | "extent.z") => "extent",
            (_, same) => same,
        };
        error
    }

    fn vortons(&self, core_radius: f32) -> Result<Result<Vec<Vorton>, InitialError>, Error> {
        let (centre, axis, direction) = (self.centre.vec(), self.axis.vec(), self.direction.vec());
        let &Self { radius, thickness, circulation, spacing, variation, density_deviation, dye, .. } = self;
        Ok(match self.r#type {
            VORTON_INITIAL_RING => {
                VortexRing { centre, axis, radius, thickness, circulation, spacing }.vortons()
            }
            VORTON_INITIAL_FILAMENT_RING => {
                FilamentRing { centre, axis, radius, circulation, core_radius, count: self.count }.vortons()
            }
            VORTON_INITIAL_JET => JetRing { centre, axis, radius, thickness, circulation, spacing }.vortons(),
            VORTON_INITIAL_TUBE => {
                let (diameter, length, wave_number) = (2.0 * radius, self.length, self.wave_number);
                VortexTube { centre, axis, diameter, length, circulation, variation, wave_number, spacing }
                    .vortons()
            }
            VORTON_INITIAL_SHEET => {
                let (width, extent, velocity_jump) = (self.length, self.width, self.velocity_jump);
                let normal = axis;
                VortexSheet {
                    centre,
                    normal,
                    direction,
                    thickness,
                    width,
                    extent,
                    velocity_jump,
                    variation,
                    spacing,
                }
                .vortons()
            }
            VORTON_INITIAL_NOISE => {
                let (extent, amplitude, seed) = (self.extent.vec(), self.amplitude, self.seed);
                Noise { centre, extent, spacing, amplitude, seed }.vortons()
            }
            VORTON_INITIAL_DENSITY_BALL | VORTON_INITIAL_DENSITY_DROP => {
                let profile = match self.r#type {
                    VORTON_INITIAL_DENSITY_DROP => DensityProfile::Gaussian,
                    _ => DensityProfile::TopHat,
                };
                DensityBall { centre, radius, density_deviation, spacing, core_radius, profile, dye }
                    .vortons()
            }
            VORTON_INITIAL_DENSITY_BOX => {
                let extent = self.extent.vec();
                DensityBox { centre, extent, density_deviation, spacing, dye }.vortons()
            }
            other => return Err(unknown_type(other)),
        })
    }
}

fn unknown_type(value: u32) -> Error {
    Error::bad_value(format_args!("type is {value}, which is no VORTON_INITIAL_... constant"))
}

/// Fills a definition with the defaults.
///
/// @param struct_size sizeof(VortonInitialDef)
/// @param type        VORTON_INITIAL_...
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_initial_def_init(
    out: *mut VortonInitialDef,
    struct_size: u32,
    r#type: u32,
) -> VortonResult {
    guard::run(|| {
        if !(VORTON_INITIAL_RING..=VORTON_INITIAL_DENSITY_BOX).contains(&r#type) {
            return Err(unknown_type(r#type));
        }
        // SAFETY: the caller passes null or a struct of struct_size bytes.
        unsafe { write_sized(out, struct_size, VortonInitialDef::default_of(r#type), "out") }
    })
}

/// Adds an initial condition to the fluid, all or nothing. The prescribed circulation or mass is delivered
/// exactly (circulation: without strength_disturbance).
///
/// @param out_first_id NULL, or receives the id of the first vorton; the others follow
/// @param out_count    NULL, or receives the number of vortons added
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_add_initial(
    world: VortonWorldId,
    def: *const VortonInitialDef,
    out_first_id: *mut u64,
    out_count: *mut usize,
) -> VortonResult {
    guard::run(|| {
        check_optional_output(out_first_id, "out_first_id")?;
        check_optional_output(out_count, "out_count")?;
        // SAFETY: the caller passes null or a definition of struct_size bytes.
        let def = unsafe { read_def(def, VortonInitialDef::default(), "def") }?;
        def.check_finite()?;
        reserved(&[def.reserved], "the initial definition")?;
        let core_radius = reading(world, |_, state| Ok(state.sim.params().core_radius))?;
        let in_c_words = |error| Error::bad_value(def.in_c_words(error));
        let mut added = def.vortons(core_radius)?.map_err(in_c_words)?;
        def.disturb(&mut added).map_err(in_c_words)?;
        if def.r#type != VORTON_INITIAL_FILAMENT_RING && def.spacing > core_radius {
            let text =
                format!("spacing {} is above core_radius {core_radius}: vortons do not overlap", def.spacing);
            log::line(log::VORTON_LOG_WARNING, &text);
        }
        let first = writing(world, |world, state| {
            let first = vortons::add(state, &added)?;
            world.record(&mut state.recorder, &Call::AddInitial { def, first, count: added.len() as u64 });
            Ok(first)
        })?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe {
            write_optional(out_first_id, first, "out_first_id")?;
            write_optional(out_count, added.len(), "out_count")
        }
    })
}
