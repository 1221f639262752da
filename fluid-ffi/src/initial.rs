//! Initial conditions: the articles' vortex rings, tubes, sheets, noise and drops.

use crate::ambient::warn_of_no_density;
use crate::memory::{check_optional_output, read_def, write_optional, write_sized};
use crate::recorder::Call;
use crate::state::{Need, growing, reading};
use crate::status::*;
use crate::types::VortonVec3;
use crate::types::initial::{
    VORTON_INITIAL_DENSITY_BALL, VORTON_INITIAL_DENSITY_BOX, VORTON_INITIAL_DENSITY_DROP,
    VORTON_INITIAL_FILAMENT_RING, VORTON_INITIAL_JET, VORTON_INITIAL_NOISE, VORTON_INITIAL_RING,
    VORTON_INITIAL_SHEET, VORTON_INITIAL_TUBE, VortonInitialDef,
};
use crate::types::world::VortonWorldId;
use crate::{guard, log, vortons};
use fluid_core::initial::{
    DensityBall, DensityBox, DensityProfile, Disturbance, FilamentRing, InitialError, JetRing, Noise,
    VortexRing, VortexSheet, VortexTube,
};
use fluid_core::params::Params;
use fluid_core::particles::Vorton;

/// Overlap of vortons that fill a volume \[1\], at which the core's smoothing hides the individual particles.
pub(crate) const SPACINGS_PER_CORE: f32 = 1.5;

impl Default for VortonInitialDef {
    fn default() -> Self {
        Self::default_of(VORTON_INITIAL_RING)
    }
}

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
            fuel: 0.0,
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
        finite(&amounts, "the initial definition")?;
        finite(&[self.fuel], "fuel")?;
        if self.fuel < 0.0 {
            return Err(Error::bad_value(format_args!("fuel is {}, but must be at least 0", self.fuel)));
        }
        Ok(())
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
            &mut error
        else {
            return error;
        };
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
        let &Self {
            radius, thickness, circulation, spacing, variation, density_deviation, dye, fuel, ..
        } = self;
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
                DensityBall { centre, radius, density_deviation, spacing, core_radius, profile, dye, fuel }
                    .vortons()
            }
            VORTON_INITIAL_DENSITY_BOX => {
                let extent = self.extent.vec();
                DensityBox { centre, extent, density_deviation, spacing, dye, fuel }.vortons()
            }
            other => return Err(unknown_type(other)),
        })
    }
}

impl VortonInitialDef {
    /// True if the vortons get the definition's density.
    fn has_density(&self) -> bool {
        let types = [VORTON_INITIAL_DENSITY_BALL, VORTON_INITIAL_DENSITY_DROP, VORTON_INITIAL_DENSITY_BOX];
        types.contains(&self.r#type)
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
pub unsafe extern "C" fn vorton_world_add_initial(
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
        let params = reading(world, |_, state| Ok(*state.sim.params()))?;
        let core_radius = params.core_radius;
        let in_c_words = |error| match error {
            InitialError::OutOfMemory => Error::new(VORTON_ERR_OUT_OF_MEMORY, error),
            error => Error::bad_value(def.in_c_words(error)),
        };
        let mut added = def.vortons(core_radius)?.map_err(in_c_words)?;
        def.disturb(&mut added).map_err(in_c_words)?;
        if def.r#type != VORTON_INITIAL_FILAMENT_RING && def.spacing > core_radius {
            let text =
                format!("spacing {} is above core_radius {core_radius}: vortons do not overlap", def.spacing);
            log::line(log::VORTON_LOG_WARNING, &text);
        }
        if def.has_density() {
            warn_of_no_density(def.density_deviation, params.ambient.density);
        }
        let first = growing(world, Need::objects("the vortons"), |world, state| {
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
