//! Clouds on lattices, and the quantities that tests of diffusion measure.
#![allow(dead_code, reason = "programs of tests take what they need")]

use fluid_core::InstructionSet;
use fluid_core::math::Random;
use fluid_core::particles::{Neighbours, Vorton, Vortons};
use fluid_core::velocity::Precision;
use fluid_core::vorticity::diffuse::{Diffusion, DiffusionReport, DiffusionSettings, Diffusivities};
use fluid_threads::Serial;
use glam::{DMat3, DVec3, Vec3};

/// Core radius σ of every cloud here, unless a test uses another \[m\].
pub(crate) const CORE: f32 = 0.1;

pub(crate) fn settings() -> DiffusionSettings {
    DiffusionSettings {
        core_radius: CORE,
        instruction_set: InstructionSet::Auto,
        precision: Precision::Exact,
    }
}

/// Returns both diffusivities, equal to `rate`.
pub(crate) fn both(rate: f32) -> Diffusivities {
    Diffusivities { viscosity: rate, diffusivity: rate }
}

pub(crate) fn diffuse(vortons: &mut Vortons, rates: Diffusivities, dt: f32) -> DiffusionReport {
    Diffusion::default().apply(&Serial, settings(), &mut Neighbours::default(), vortons, rates, dt)
}

/// Returns a lattice of `counts` points about the origin, each displaced by up to `jitter` spacings along
/// each axis, with volumes that vary by `unequal` of the mean. The content per volume is `content(place)`,
/// as strength along (1, -2, 3), mass deviation and dye.
pub(crate) fn lattice(
    counts: [usize; 3],
    spacing: f32,
    jitter: f32,
    unequal: f32,
    content: impl Fn(Vec3) -> f32,
) -> Vortons {
    let random = Random::new(7);
    let mut vortons = Vortons::default();
    let middle = Vec3::from_array(counts.map(|n| (n as f32 - 1.0) / 2.0));
    for z in 0..counts[2] {
        for y in 0..counts[1] {
            for x in 0..counts[0] {
                let n = 2 * vortons.len() as u64;
                let moved = 2.0 * jitter * random.centred_vec3(n);
                let position = (Vec3::new(x as f32, y as f32, z as f32) - middle + moved) * spacing;
                let volume = spacing.powi(3) * (1.0 + 2.0 * unequal * random.centred_vec3(n + 1).x);
                let carried = content(position) * volume;
                vortons.push(Vorton {
                    position,
                    volume,
                    strength: carried * Vec3::new(1.0, -2.0, 3.0),
                    mass_deviation: carried,
                    dye: carried,
                    ..Vorton::default()
                });
            }
        }
    }
    vortons
}

/// Returns a Gaussian of this width (standard deviation per axis).
pub(crate) fn gaussian(width: f32) -> impl Fn(Vec3) -> f32 {
    move |x| (-x.length_squared() / (2.0 * width * width)).exp()
}

/// Returns the sum of a column.
pub(crate) fn sum(column: &[f32]) -> f64 {
    column.iter().map(|&v| f64::from(v)).sum()
}

/// Returns the second moment Σ m x xᵀ / Σ m of the mass deviations, about the origin.
pub(crate) fn spread(vortons: &Vortons) -> DMat3 {
    let mut moment = DMat3::ZERO;
    for (x, &m) in vortons.positions.iter().zip(&vortons.mass_deviations) {
        let x = x.as_dvec3();
        moment += DMat3::from_cols(x * x.x, x * x.y, x * x.z) * f64::from(m);
    }
    moment * (1.0 / sum(&vortons.mass_deviations))
}

/// Eigenvalues of a symmetric matrix, smallest first, by Jacobi's rotations.
pub(crate) fn eigenvalues(matrix: DMat3) -> [f64; 3] {
    let mut m = matrix.to_cols_array_2d();
    for _ in 0..20 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let angle = 0.5 * f64::atan2(2.0 * m[p][q], m[q][q] - m[p][p]);
            let (sin, cos) = angle.sin_cos();
            let mut rotation = DMat3::IDENTITY.to_cols_array_2d();
            (rotation[p][p], rotation[q][q], rotation[p][q], rotation[q][p]) = (cos, cos, -sin, sin);
            let rotation = DMat3::from_cols_array_2d(&rotation);
            m = (rotation.transpose() * DMat3::from_cols_array_2d(&m) * rotation).to_cols_array_2d();
        }
    }
    let mut values = DVec3::new(m[0][0], m[1][1], m[2][2]).to_array();
    values.sort_by(f64::total_cmp);
    values
}
