//! Dimensionality of a cloud: flat clouds are two-dimensional fluids.

use crate::constants::PARTICLE_CHUNK;
use crate::math::{PlaceMoments, Vec3Columns, principal_axes};
use crate::saved::{LoadError, Reader, Saved, Writer};
use fluid_threads::{Executor, reduce_ordered};
use glam::{DVec3, Vec3};

/// Dimensionality of the region that particles fill.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Dimensionality {
    /// A volume.
    Volume,
    /// A plane: a two-dimensional fluid, with vorticity along the normal.
    Plane {
        /// A point of the plane \[m\].
        point: Vec3,
        /// Unit normal.
        normal: Vec3,
    },
    /// A line, a point or nothing: density makes no vorticity there (E28).
    Line,
}

impl Dimensionality {
    /// Moves the origin to `origin` \[m\].
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        if let Self::Plane { point, .. } = self {
            *point -= origin;
        }
    }
}

impl Saved for Dimensionality {
    fn save(&self, out: &mut Writer<'_>) {
        match *self {
            Self::Volume => 0_u8.save(out),
            Self::Plane { point, normal } => {
                1_u8.save(out);
                (point, normal).save(out);
            }
            Self::Line => 2_u8.save(out),
        }
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        *self = match from.value::<u8>()? {
            0 => Self::Volume,
            1 => {
                let (point, normal) = from.value()?;
                Self::Plane { point, normal }
            }
            2 => Self::Line,
            _ => return Err(LoadError::Damaged),
        };
        Ok(())
    }
}

/// Clouds thinner than this (standard deviation) are flat \[spacings\]. Far above the rounding of positions,
/// far below any jitter.
const FLAT: f64 = 1e-3;

impl Dimensionality {
    /// Returns the dimensionality of the particles in these rows, with distances measured in `spacing` \[m\].
    /// Positions have to be finite.
    pub(crate) fn of(
        exec: &dyn Executor,
        positions: &Vec3Columns,
        rows: &[u32],
        spacing: f32,
        partials: &mut Vec<PlaceMoments>,
    ) -> Self {
        let Some(&first) = rows.first() else { return Self::Line };
        // Relative to one of them, because squares of large coordinates would swamp small differences.
        let origin = positions.get(first as usize).as_dvec3();
        let sums = reduce_ordered(
            exec,
            rows.len(),
            PARTICLE_CHUNK,
            PlaceMoments::NONE,
            partials,
            &|range| {
                let place = |row: &u32| positions.get(*row as usize).as_dvec3() - origin;
                rows[range]
                    .iter()
                    .map(place)
                    .map(PlaceMoments::of)
                    .fold(PlaceMoments::NONE, PlaceMoments::and)
            },
            PlaceMoments::and,
        );
        let mean = sums.mean();
        let thin = (FLAT * f64::from(spacing)).powi(2);
        let (variances, axes) = principal_axes(sums.covariance());
        if variances[0] > thin {
            Self::Volume
        } else if variances[1] > thin {
            Self::Plane { point: (origin + mean).as_vec3(), normal: straightened(axes[0]).as_vec3() }
        } else {
            Self::Line
        }
    }
}

/// Sets components that are rounding errors to 0, so that a plane normal to an axis has exactly that axis as
/// its normal, and gravity along it has exactly no effect.
fn straightened(axis: DVec3) -> DVec3 {
    let clean = |v: f64| if v.abs() < 1e-7 { 0.0 } else { v };
    DVec3::from_array(axis.to_array().map(clean)).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluid_threads::Serial;

    fn dimensionality(points: &[Vec3]) -> Dimensionality {
        let mut positions = Vec3Columns::default();
        points.iter().for_each(|&p| positions.push(p));
        let rows: Vec<u32> = (0..points.len() as u32).collect();
        Dimensionality::of(&Serial, &positions, &rows, 0.1, &mut Vec::new())
    }

    fn grid(map: impl Fn(f32, f32) -> Vec3) -> Vec<Vec3> {
        (0..400).map(|i| map((i % 20) as f32 * 0.1, (i / 20) as f32 * 0.1)).collect()
    }

    #[test]
    fn planes_of_any_orientation_are_found_with_their_normal() {
        for normal in [Vec3::X, Vec3::Y, Vec3::NEG_Z, Vec3::new(1.0, -2.0, 0.5), Vec3::new(1e-3, 1.0, 0.0)] {
            let normal = normal.normalize();
            let (u, v) = normal.any_orthonormal_pair();
            let Dimensionality::Plane { point, normal: found } =
                dimensionality(&grid(|a, b| normal * 3.0 + u * a + v * b))
            else {
                panic!("no plane across {normal}");
            };
            assert!(found.dot(normal).abs() > 1.0 - 1e-6 && (point.dot(normal) - 3.0).abs() < 1e-5);
        }
    }

    #[test]
    fn a_plane_across_an_axis_has_exactly_that_normal() {
        let Dimensionality::Plane { normal, .. } = dimensionality(&grid(|a, b| Vec3::new(a, b, 0.37))) else {
            panic!("no plane")
        };
        assert_eq!(normal.abs(), Vec3::Z);
    }

    #[test]
    fn lines_points_and_nothing_cannot_turn() {
        assert_eq!(
            dimensionality(&grid(|a, b| Vec3::new(1.0, 2.0, 3.0) * (a + 2.0 * b))),
            Dimensionality::Line
        );
        assert_eq!(dimensionality(&[Vec3::ONE; 5]), Dimensionality::Line);
        assert_eq!(dimensionality(&[Vec3::ONE]), Dimensionality::Line);
        assert_eq!(dimensionality(&[]), Dimensionality::Line);
    }

    #[test]
    fn a_tenth_of_a_spacing_of_thickness_is_a_volume() {
        let bumpy = grid(|a, b| Vec3::new(a, b, if (a * 10.0) as i32 % 2 == 0 { 0.0 } else { 0.02 }));
        assert_eq!(dimensionality(&bumpy), Dimensionality::Volume);
        assert_eq!(
            dimensionality(&grid(|a, b| Vec3::new(1e4 + a, b, (a * 7.0).sin()))),
            Dimensionality::Volume
        );
    }
}
