//! The ambient fluid, and the conversion between temperature and density.

use crate::guard;
use crate::memory::{check_output, write};
use crate::status::*;
use crate::world::{VortonWorldId, with_world};
use crate::world_def::{VortonWorldDef, unknown};
use fluid_core::density::{Ambient, EquationOfState, Stratification};
use fluid_core::velocity::PublishedField;

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

/// Returns the ambient of a world definition.
pub(crate) fn of(def: &VortonWorldDef) -> Outcome<Ambient> {
    finite(&[def.ambient_density, def.ambient_temperature], "the ambient")?;
    finite(&[def.layer_height, def.layer_jump, def.layer_thickness], "the layers")?;
    let gradient = def.density_gradient.checked("density_gradient")?;
    let normal = def.layer_normal.checked("layer_normal")?;
    positive("ambient_density", def.ambient_density)?;
    positive("ambient_temperature", def.ambient_temperature)?;
    let stratification = match def.stratification {
        VORTON_STRATIFICATION_NONE => Stratification::Uniform,
        VORTON_STRATIFICATION_LINEAR => Stratification::Linear { gradient },
        VORTON_STRATIFICATION_LAYERS => {
            positive("layer_thickness", def.layer_thickness)?;
            // In f64, because the squared length may overflow f32.
            let normal = normal.as_dvec3().try_normalize().ok_or_else(|| {
                Error::bad_value(format_args!("layer_normal is {normal}, but must not be zero"))
            })?;
            Stratification::Layers {
                normal: normal.as_vec3(),
                height: def.layer_height,
                jump: def.layer_jump,
                thickness: def.layer_thickness,
            }
        }
        other => return Err(unknown("stratification", other)),
    };
    let (density, temperature) = (def.ambient_density, def.ambient_temperature);
    Ok(Ambient { density, temperature, stratification, ..Ambient::default() })
}

/// Returns the equation of state of a world definition.
pub(crate) fn equation_of_state(def: &VortonWorldDef) -> Outcome<EquationOfState> {
    finite(&[def.expansion], "expansion")?;
    match def.equation_of_state {
        VORTON_IDEAL_GAS => Ok(EquationOfState::IdealGas),
        VORTON_LINEAR_EXPANSION => {
            positive("expansion", def.expansion)?;
            Ok(EquationOfState::Linear { expansion: def.expansion })
        }
        other => Err(unknown("equation_of_state", other)),
    }
}

fn positive(what: &str, value: f32) -> Outcome {
    if value > 0.0 {
        return Ok(());
    }
    Err(Error::bad_value(format_args!("{what} is {value}, but must be positive")))
}

/// Writes the result of `convert` for the world's ambient, which never changes, so no lock is needed.
///
/// # Safety
/// `out` is null or valid for writing.
unsafe fn converted(
    world: VortonWorldId,
    out: *mut f32,
    convert: impl FnOnce(&PublishedField) -> f32,
) -> Outcome {
    check_output(out, "out")?;
    let value = with_world(world, |world| Ok(convert(&world.field())))?;
    if !value.is_finite() {
        return Err(Error::bad_value("the result is too large for a float"));
    }
    // SAFETY: checked above; the caller promises the rest.
    unsafe { write(out, value, "out") }
}

/// Computes the density [kg/m^3] of fluid of a temperature [K], both positive, from the world's equation of
/// state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_density_from_temperature(
    world: VortonWorldId,
    temperature: f32,
    out: *mut f32,
) -> VortonResult {
    guard::run(|| {
        finite(&[temperature], "temperature")?;
        positive("temperature", temperature)?;
        let density =
            |field: &PublishedField| field.equation_of_state().density(field.ambient(), temperature);
        // SAFETY: the caller passes null or a float to write to.
        unsafe { converted(world, out, density) }
    })
}

/// Computes the temperature [K] of fluid of a density [kg/m^3], both positive, from the world's equation of
/// state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_temperature_from_density(
    world: VortonWorldId,
    density: f32,
    out: *mut f32,
) -> VortonResult {
    guard::run(|| {
        finite(&[density], "density")?;
        positive("density", density)?;
        let temperature =
            |field: &PublishedField| field.equation_of_state().temperature(field.ambient(), density);
        // SAFETY: the caller passes null or a float to write to.
        unsafe { converted(world, out, temperature) }
    })
}

/// Computes the mass deviation [kg] of a volume [m^3] of fluid of a temperature [K]: the value for
/// VortonVorton.mass_deviation of warm (negative: it rises) or cold fluid. Relative to ambient_density;
/// stratification is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_mass_deviation(
    world: VortonWorldId,
    volume: f32,
    temperature: f32,
    out: *mut f32,
) -> VortonResult {
    guard::run(|| {
        finite(&[volume, temperature], "volume or temperature")?;
        positive("temperature", temperature)?;
        if volume < 0.0 {
            return Err(Error::bad_value(format_args!("volume is {volume}, but must be at least 0")));
        }
        let deviation = |field: &PublishedField| {
            field.equation_of_state().mass_deviation(field.ambient(), volume, temperature)
        };
        // SAFETY: the caller passes null or a float to write to.
        unsafe { converted(world, out, deviation) }
    })
}
