//! The energy spectrum of a cloud of vortons (E8): the range of scales that a picture shows, as numbers.

use fluid_core::math::Vec3Columns;
use fluid_core::sim::VortexSim;
use fluid_threads::{Executor, for_each_chunk_mut};
use std::f64::consts::PI;

/// Vortons of a chunk of the sum.
const CHUNK: usize = 64;

/// Returns E(k) \[m⁶/s² per radian\] of all vortons at each of these wavenumbers \[rad/m\]: the integral over
/// k is the energy per density. Takes the square of the number of vortons, times that of wavenumbers.
pub fn spectrum(exec: &dyn Executor, sim: &VortexSim, wavenumbers: &[f64]) -> Vec<f64> {
    let vortons = sim.vortons();
    let sum = pair_sums(exec, &vortons.positions, &vortons.strengths, wavenumbers);
    let core = f64::from(sim.params().core_radius);
    let factor = |k: f64| core_spectrum(k * core) / (4.0 * PI * PI);
    wavenumbers.iter().zip(sum).map(|(&k, sum)| factor(k) * sum).collect()
}

/// Returns Σᵢⱼ αᵢ·αⱼ sin(k r)/(k r) of all pairs, each vorton with itself included, at each wavenumber.
fn pair_sums(exec: &dyn Executor, positions: &Vec3Columns, strengths: &Vec3Columns, ks: &[f64]) -> Vec<f64> {
    let len = positions.len();
    let mut sums = vec![vec![0.0; ks.len()]; len.div_ceil(CHUNK)];
    for_each_chunk_mut(exec, 1, sums.as_mut_slice(), &|number, sum: &mut [Vec<f64>]| {
        for i in number * CHUNK..((number + 1) * CHUNK).min(len) {
            let (place, strength) = (positions.get(i).as_dvec3(), strengths.get(i).as_dvec3());
            sum[0].iter_mut().for_each(|sum| *sum += strength.length_squared());
            for j in i + 1..len {
                let distance = (positions.get(j).as_dvec3() - place).length();
                let product = 2.0 * strength.dot(strengths.get(j).as_dvec3());
                for (sum, k) in sum[0].iter_mut().zip(ks) {
                    *sum += product * sinc(k * distance);
                }
            }
        }
    });
    (0..ks.len()).map(|k| sums.iter().map(|sum| sum[k]).sum()).collect()
}

fn sinc(x: f64) -> f64 {
    if x < 1e-4 { 1.0 - x * x / 6.0 } else { x.sin() / x }
}

/// Returns the Fourier transform of the default kernel's core at κ = kσ, κ² K₂(κ)/2: 1 for large scales.
fn core_spectrum(kappa: f64) -> f64 {
    if kappa < 1e-3 { 1.0 } else { 0.5 * kappa * kappa * bessel_k2(kappa) }
}

/// Returns the modified Bessel function K₂(x) = ∫ exp(-x cosh t) cosh 2t dt over t > 0, by the trapezoidal
/// rule, which converges exponentially.
fn bessel_k2(x: f64) -> f64 {
    const STEP: f64 = 1.0 / 32.0;
    let value = |n: i32| (-x * (STEP * f64::from(n)).cosh()).exp() * (2.0 * STEP * f64::from(n)).cosh();
    // Terms are below round-off once x cosh t exceeds 2t by 750.
    let last = ((760.0 / x).max(1.0).acosh() / STEP).ceil() as i32 + 1;
    STEP * (0.5 * value(0) + (1..=last).map(value).sum::<f64>())
}

/// Returns `count` wavenumbers \[rad/m\] in equal ratios, from `first` to `last`.
pub fn wavenumbers(first: f64, last: f64, count: usize) -> Vec<f64> {
    let ratio = (last / first).powf(1.0 / (count - 1).max(1) as f64);
    (0..count).map(|n| first * ratio.powi(n as i32)).collect()
}

/// Returns the exponents d ln E / d ln k between neighbours.
pub fn slopes(wavenumbers: &[f64], spectrum: &[f64]) -> Vec<f64> {
    let pairs = wavenumbers.windows(2).zip(spectrum.windows(2));
    pairs.map(|(k, e)| (e[1] / e[0]).ln() / (k[1] / k[0]).ln()).collect()
}
