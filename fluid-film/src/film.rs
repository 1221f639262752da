//! From a look to the frames of a film, or to single moments of it.

use crate::look::Look;
use crate::picture::Picture;
use crate::shot::Shot;
use fluid_core::params::ParamError;
use fluid_threads::Executor;

/// Numbers of a film.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Format {
    /// Width and height \[pixels\].
    pub size: [usize; 2],
    /// Number of frames.
    pub frames: usize,
    /// Number of tracers by the end.
    pub tracers: usize,
}

/// Makes the frames of a film, evenly spaced over its time. Calls `progress` after each.
///
/// # Errors
/// As for [`Shot::new`].
pub fn frames(
    exec: &dyn Executor,
    look: &Look,
    format: Format,
    progress: &dyn Fn(),
) -> Result<Vec<Picture>, ParamError> {
    let time = |n: usize| look.from + look.seconds * n as f32 / (format.frames - 1).max(1) as f32;
    let times: Vec<f32> = (0..format.frames).map(time).collect();
    moments(exec, look, format, &times, progress)
}

/// Makes pictures of moments in ascending order \[s\]. Calls `progress` after each.
///
/// # Errors
/// As for [`Shot::new`].
pub fn moments(
    exec: &dyn Executor,
    look: &Look,
    format: Format,
    times: &[f32],
    progress: &dyn Fn(),
) -> Result<Vec<Picture>, ParamError> {
    let mut shot = Shot::new(look.clone(), format.tracers)?;
    let mut pictures = Vec::new();
    // Streaks are as long in a picture of a moment as in a film.
    let shutter = look.seconds / (format.frames - 1).max(1) as f32;
    for &time in times {
        if time - shot.time() > 1.5 * shutter {
            shot.advance_to(exec, time - shutter)?;
        }
        shot.advance_to(exec, time)?;
        pictures.push(shot.picture(exec, format.size));
        progress();
    }
    Ok(pictures)
}

/// Returns the energy spectra \[m⁶/s² per radian\] at moments in ascending order \[s\], without drawing.
/// Calls `progress` after each.
///
/// # Errors
/// As for [`Shot::new`].
pub fn spectra(
    exec: &dyn Executor,
    look: &Look,
    times: &[f32],
    wavenumbers: &[f64],
    progress: &dyn Fn(),
) -> Result<Vec<Vec<f64>>, ParamError> {
    let mut shot = Shot::new(look.clone(), 1)?;
    let spectrum = |&time: &f32| {
        shot.advance_to(exec, time)?;
        progress();
        Ok(shot.spectrum(exec, wavenumbers))
    };
    times.iter().map(spectrum).collect()
}
