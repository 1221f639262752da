//! Random vorticity in a box.

use super::error::{InitialError, amount, length, point};
use super::lattice::{Lattice, cells_nearest};
use crate::math::Random;
use crate::particles::Vorton;
use glam::{DMat3, DVec3, Vec3};

/// Vortons on a lattice in a box, with each component of their vorticity uniform in ±`amplitude`/2.
///
/// The mean is subtracted, so that Σ α = 0: a fluid at rest far away has no net vorticity. A tiny amplitude
/// makes nearly empty vortons that receive their vorticity from bodies. Single vortons are not free of
/// divergence; relaxation makes the cloud so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// Centre \[m\].
    pub centre: Vec3,
    /// Edges of the box \[m\], each rounded to the nearest multiple of the spacing, at least one.
    pub extent: Vec3,
    /// Lattice spacing h \[m\].
    pub spacing: f32,
    /// Width of the distribution of each component \[1/s\].
    pub amplitude: f32,
    /// Equal seeds give equal vortons.
    pub seed: u64,
}

impl Noise {
    /// Returns the vortons. Σ α = 0 to round-off.
    ///
    /// # Errors
    /// Names the first field that is out of range; `spacing` also if it yields more than
    /// [`MAX_INITIAL_VORTONS`](super::MAX_INITIAL_VORTONS).
    pub fn vortons(&self) -> Result<Vec<Vorton>, InitialError> {
        let centre = point("centre", self.centre)?;
        let [x, y, z] = self.extent.to_array();
        let extent = [length("extent.x", x)?, length("extent.y", y)?, length("extent.z", z)?];
        let spacing = length("spacing", self.spacing)?;
        let amplitude = amount("amplitude", self.amplitude)?;
        let cells = extent.map(|edge| cells_nearest(edge, spacing));
        let lattice = Lattice { centre, frame: DMat3::IDENTITY, spacing, cells };

        let mut samples = lattice.sample(|_| Some(DVec3::ZERO))?;
        let random = Random::new(self.seed);
        for (n, sample) in (0..).zip(&mut samples) {
            sample.vorticity = random.centred_vec3(n).as_dvec3() * amplitude;
        }
        let mean = samples.iter().map(|s| s.vorticity).sum::<DVec3>() / samples.len() as f64;
        samples.iter_mut().for_each(|s| s.vorticity -= mean);
        lattice.vortons(&samples)
    }
}
