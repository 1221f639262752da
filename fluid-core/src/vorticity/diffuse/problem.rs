//! The quantities to diffuse, in units of their own.

use crate::lanes::{InstructionSet, Precision, VectorJob, run_in_vectors};
use crate::particles::Vortons;
use crate::vorticity::rim::RIM_SPACING;
use glam::Vec3;
use std::f64::consts::PI;

/// Reach of the exchange \[core radii\]. Vortons of a volume are σ/1.5 to σ/1.65 apart, so 56 to 80
/// neighbours exchange. A smaller reach (32 at 1.35) loses isotropy in disorder; a larger one (1.65) damps
/// cos kx 4.5 % too slowly at kh = 1/2, where this one loses 3 %.
pub const DIFFUSION_RADIUS: f32 = 1.5;

/// Diffusion rates of vorticity, heat, dye and fuel.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Diffusivities {
    /// Kinematic viscosity ν \[m²/s\].
    pub viscosity: f32,
    /// Diffusivity κ of heat (mass deviation), dye and fuel \[m²/s\].
    pub diffusivity: f32,
}

/// Settings of diffusion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiffusionSettings {
    /// Core radius σ \[m\], inside [`crate::constants::CORE_RADIUS_RANGE`].
    pub core_radius: f32,
    /// Instructions to use.
    pub instruction_set: InstructionSet,
    /// Exact or fast arithmetic.
    pub precision: Precision,
}

/// One value for each channel in use; the others are unused.
pub(super) type ChannelValues = [f32; CHANNELS];

/// Strength x, y, z, mass deviation, dye, fuel.
pub(super) const CHANNELS: usize = 6;

/// Largest content of a vorton that takes part \[m³/s, kg, m³ or J\]: the sum over all vortons stays finite.
pub(super) const MOST_CONTENT: f32 = 1e30;

/// Volumes that take part \[σ³, up to a factor of 3\], and the largest coordinate \[σ\]: every product stays
/// in the range of f32.
pub(super) const VOLUME_RANGE: (f64, f64) = (1e-12, 1e12);
pub(super) const DIFFUSION_REACH: f32 = 1e18;

/// The quantities to diffuse, and their units.
#[derive(Debug, Clone, Copy)]
pub(super) struct DiffusionProblem {
    pub(super) settings: DiffusionSettings,
    /// Number of channels in use, the column of each, the power of two that scales it below 1, and ν dt or κ
    /// dt.
    pub(super) channels: usize,
    pub(super) content: [usize; CHANNELS],
    pub(super) scales: ChannelValues,
    pub(super) amounts: [f64; CHANNELS],
    /// Power of two next to 1/σ: scaling by it is exact and keeps every power of lengths inside f32
    /// (validation B8).
    pub(super) length: f32,
    pub(super) radius: f32,
}

impl DiffusionProblem {
    pub(super) fn new(settings: DiffusionSettings, vortons: &Vortons, rates: Diffusivities, dt: f32) -> Self {
        let length = power_of_two(std::f32::consts::SQRT_2 / settings.core_radius);
        let radius = DIFFUSION_RADIUS * settings.core_radius * length;
        let mut problem = Self {
            settings,
            channels: 0,
            content: [0; CHANNELS],
            scales: [1.0; CHANNELS],
            amounts: [0.0; CHANNELS],
            length,
            radius,
        };
        for content in 0..CHANNELS {
            let rate = if content < 3 { rates.viscosity } else { rates.diffusivity };
            // NaN fails as well. An infinite rate acts like a very large one.
            if !(dt > 0.0 && rate > 0.0) {
                continue;
            }
            let largest = largest_content(column(vortons, content));
            if largest > 0.0 {
                let c = problem.channels;
                problem.content[c] = content;
                problem.scales[c] = power_of_two(1.0 / largest.max(1.0 / MOST_CONTENT));
                problem.amounts[c] =
                    (f64::from(rate) * f64::from(dt) * f64::from(length).powi(2)).min(MOST_AMOUNT);
                problem.channels += 1;
            }
        }
        problem
    }

    /// Returns the volume of fluid of a vorton in the exchange: at most a cell of the lattice on which rim
    /// vortons are added around it (E44). A filament's volume is all of the fluid inside, and would keep the
    /// content there.
    pub(super) fn volume(&self, volume: f32) -> f64 {
        let most = (RIM_SPACING * f64::from(self.settings.core_radius)).powi(3);
        f64::from(volume).min(most) * f64::from(self.length).powi(3)
    }

    pub(super) fn takes_part(&self, vortons: &Vortons, row: usize) -> bool {
        let volume = f64::from(vortons.volumes[row]) * f64::from(self.length).powi(3);
        let place = vortons.positions.get(row) * self.length;
        // NaN fails all of these.
        (VOLUME_RANGE.0..=VOLUME_RANGE.1).contains(&volume)
            && place.abs().cmple(Vec3::splat(DIFFUSION_REACH)).all()
            && vortons.strengths.get(row).abs().cmple(Vec3::splat(MOST_CONTENT)).all()
            && vortons.mass_deviations[row].abs() <= MOST_CONTENT
            && vortons.dyes[row].abs() <= MOST_CONTENT
            && vortons.fuels[row].abs() <= MOST_CONTENT
    }

    /// Returns the factor of (R² - r²)² in the kernel η, which makes its second moments ½∫x²η dV equal to 1.
    pub(super) fn kernel_factor(&self) -> f64 {
        945.0 / (16.0 * PI) / f64::from(self.radius).powi(9)
    }
}

/// Larger than any ν dt in units of σ², and small enough for the arithmetic.
pub(super) const MOST_AMOUNT: f64 = 1e60;

/// Returns the largest power of two not above this positive number.
pub(super) fn power_of_two(v: f32) -> f32 {
    f32::from_bits((v.to_bits() >> 23) << 23)
}

pub(super) fn column(vortons: &Vortons, content: usize) -> &[f32] {
    let Vortons { strengths, mass_deviations, dyes, fuels, .. } = vortons;
    [&strengths.x, &strengths.y, &strengths.z, mass_deviations, dyes, fuels][content]
}

pub(super) fn column_mut(vortons: &mut Vortons, content: usize) -> &mut Vec<f32> {
    let Vortons { strengths, mass_deviations, dyes, fuels, .. } = vortons;
    match content {
        0 => &mut strengths.x,
        1 => &mut strengths.y,
        2 => &mut strengths.z,
        3 => mass_deviations,
        4 => dyes,
        _ => fuels,
    }
}

/// Returns the largest magnitude up to [`MOST_CONTENT`], or 0.
fn largest_content(values: &[f32]) -> f32 {
    let mut largest = 0.0;
    run_in_vectors(InstructionSet::Auto, FindLargest { values, largest: &mut largest });
    largest
}

struct FindLargest<'a> {
    values: &'a [f32],
    largest: &'a mut f32,
}

impl VectorJob for FindLargest<'_> {
    #[inline(always)]
    fn run(self) {
        const LANES: usize = 16;
        let mut lanes = [0.0; LANES];
        let (blocks, rest) = self.values.as_chunks::<LANES>();
        let mut last = [0.0; LANES];
        last[..rest.len()].copy_from_slice(rest);
        for block in blocks.iter().chain([&last]) {
            for (largest, value) in lanes.iter_mut().zip(block) {
                let value = value.abs();
                *largest = if (value <= MOST_CONTENT) & (value > *largest) { value } else { *largest };
            }
        }
        *self.largest = lanes.into_iter().fold(0.0, f32::max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn the_largest_content_is_that_of_all_that_take_part() {
        let random = Random::new(3);
        for count in [0, 1, 15, 16, 17, 500] {
            let mut values: Vec<f32> = (0..count).map(|i| random.centred_vec3(i).x).collect();
            for (i, odd) in [f32::NAN, 1e31, f32::NEG_INFINITY, -0.4, -1e29].into_iter().enumerate() {
                let expected = values.iter().map(|v| v.abs()).filter(|&v| v <= MOST_CONTENT);
                assert_eq!(largest_content(&values), expected.fold(0.0, f32::max), "{count}");
                if let Some(value) = values.get_mut(17 * i) {
                    *value = odd;
                }
            }
        }
    }
}
