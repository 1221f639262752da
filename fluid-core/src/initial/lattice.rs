//! The lattice on which profiles are sampled, and the frame that rotates it into position.

use super::error::{InitialError, collected, out_of_range};
use crate::particles::Vorton;
use glam::{DMat3, DVec3};

/// Maximum number of vortons of one initial condition.
pub const MAX_INITIAL_VORTONS: usize = 1 << 20;

/// Maximum number of cells of a lattice: profiles fill a small part of their box, and a mistyped spacing
/// should be an error rather than a minute of waiting.
const MAX_CELLS: f64 = (1u64 << 26) as f64;

const TOO_FINE: &str = "coarser: at most 2^20 vortons, found in at most 2^26 cells";
const TOO_COARSE: &str = "finer: no lattice point meets the vorticity in some cross-section";

/// Returns an orthonormal right-handed frame with the unit vector `axis` as its third axis.
///
/// The first axis is the coordinate axis after the dominant one (x, then y, then z, cyclically), made
/// perpendicular. So an axis along ±x, ±y or ±z permutes components and flips signs, with no rounding.
pub(super) fn frame_along(axis: DVec3) -> DMat3 {
    let size = axis.abs();
    let next = if size.x >= size.y && size.x >= size.z {
        DVec3::Y
    } else if size.y >= size.z {
        DVec3::Z
    } else {
        DVec3::X
    };
    let first = (next - next.dot(axis) * axis).normalize();
    DMat3::from_cols(first, axis.cross(first), axis)
}

/// Cells of edge `spacing`, symmetric about `centre`, in a local frame.
pub(super) struct Lattice {
    pub(super) centre: DVec3,
    /// Columns are the local axes.
    pub(super) frame: DMat3,
    /// Edge h of a cell \[m\].
    pub(super) spacing: f64,
    /// Cells along the local axes.
    pub(super) cells: [f64; 3],
}

/// One lattice point that carries vorticity, in local coordinates.
pub(super) struct Sample {
    pub(super) position: DVec3,
    pub(super) vorticity: DVec3,
}

/// Returns the even number of cells of edge `spacing` that covers `half` on both sides.
pub(super) fn cells_covering(half: f64, spacing: f64) -> f64 {
    // A quotient a rounding error above a whole number must not add an empty layer.
    2.0 * (half / spacing - 1e-6).ceil().max(1.0)
}

/// Returns the number of cells of edge `spacing` nearest to `length`, at least one.
pub(super) fn cells_nearest(length: f64, spacing: f64) -> f64 {
    (length / spacing).round().max(1.0)
}

impl Lattice {
    /// Samples `profile` (local position \[m\] to vorticity, any scale), skipping points for which it is
    /// None. Ordered with local z slowest and local x fastest.
    pub(super) fn sample(
        &self,
        profile: impl Fn(DVec3) -> Option<DVec3>,
    ) -> Result<Vec<Sample>, InitialError> {
        let too_fine = || out_of_range("spacing", self.spacing as f32, TOO_FINE);
        if self.cells.iter().product::<f64>() > MAX_CELLS {
            return Err(too_fine());
        }
        let [nx, ny, nz] = self.cells.map(|n| n as u32);
        let coordinate = |i: u32, n: u32| (f64::from(i) + 0.5 - 0.5 * f64::from(n)) * self.spacing;
        let mut samples = Vec::new();
        for k in 0..nz {
            for j in 0..ny {
                for i in 0..nx {
                    let position = DVec3::new(coordinate(i, nx), coordinate(j, ny), coordinate(k, nz));
                    if let Some(vorticity) = profile(position) {
                        samples.try_reserve(1).map_err(|_| InitialError::OutOfMemory)?;
                        samples.push(Sample { position, vorticity });
                    }
                }
            }
            if samples.len() > MAX_INITIAL_VORTONS {
                return Err(too_fine());
            }
        }
        Ok(samples)
    }

    /// Scales each run of consecutive samples joined by `same`, so that the sum over the run of `measure`
    /// is `target`. Fails unless there are `runs` runs, each with a positive sum.
    pub(super) fn normalise(
        &self,
        samples: &mut [Sample],
        runs: f64,
        same: impl Fn(&Sample, &Sample) -> bool,
        measure: impl Fn(&Sample) -> f64,
        target: f64,
    ) -> Result<(), InitialError> {
        let mut found = 0.0;
        for run in samples.chunk_by_mut(|a, b| same(a, b)) {
            let sum: f64 = run.iter().map(&measure).sum();
            if sum > 0.0 {
                found += 1.0;
                run.iter_mut().for_each(|sample| sample.vorticity *= target / sum);
            }
        }
        if found == runs { Ok(()) } else { Err(out_of_range("spacing", self.spacing as f32, TOO_COARSE)) }
    }

    /// Returns the vortons α = ω h³ at the samples, rotated into position.
    pub(super) fn vortons(&self, samples: &[Sample]) -> Result<Vec<Vorton>, InitialError> {
        let volume = self.spacing * self.spacing * self.spacing;
        let place = |sample: &Sample| Vorton {
            position: (self.centre + self.frame * sample.position).as_vec3(),
            strength: (self.frame * (sample.vorticity * volume)).as_vec3(),
            volume: volume as f32,
            ..Vorton::default()
        };
        collected(samples.iter().map(place))
    }
}
