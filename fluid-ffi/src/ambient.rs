//! The ambient fluid, and the conversion between temperature and density.

use crate::guard;
use crate::log;
use crate::memory::{check_output, write};
use crate::settings::positive;
use crate::state::with_world;
use crate::status::*;
use crate::types::world::VortonWorldId;
use fluid_core::velocity::PublishedField;

/// Logs a warning if fluid of this density deviation \[kg/m³\] would have no density, or less: the
/// Boussinesq approximation lets it rise all the same.
pub(crate) fn warn_of_no_density(deviation: f32, ambient_density: f32) {
    if let Some(text) = no_density(deviation, ambient_density) {
        log::line(log::VORTON_LOG_WARNING, &text);
    }
}

fn no_density(deviation: f32, ambient_density: f32) -> Option<String> {
    (deviation <= -ambient_density).then(|| {
        let density = deviation + ambient_density;
        format!("density_deviation {deviation} leaves a density of {density} kg/m^3: ambient_density is {ambient_density}")
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fluid_without_density_is_noticed() {
        assert_eq!(no_density(-0.9, 1.0), None);
        let text = no_density(-2.0, 1.5).expect("a warning");
        assert!(text.contains("-0.5 kg"), "{text}");
    }
}
