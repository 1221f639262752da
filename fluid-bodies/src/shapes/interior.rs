//! Points spread evenly over the interior of a body, which carry the vorticity that rotates with it.

use super::{Geometry, MassProperties, Shape};
use glam::{IVec3, Vec3};

/// Approximate number of points for a body \[1\].
const POINTS: f64 = 128.0;
/// Maximum number of lattice points from the centre of a shape to its surface \[1\]: needles get fewer
/// points.
const MOST_POINTS_TO_SURFACE: f32 = 12.0;
/// Minimum depth of a lattice point \[spacings, or depths of the centroid if that is less\].
const LEAST_DEPTH: f32 = 0.25;

/// Returns lattice points inside `shapes`, in the axes of the body, no nearer to each other than `closest`
/// \[m\]; at least one for each shape.
pub(crate) fn interior(shapes: &[Shape], closest: f32) -> Vec<Vec3> {
    let volume = MassProperties::of(shapes).volume;
    let spacing = closest.max(libm::cbrt(volume / POINTS) as f32);
    let of_shape = |shape: &Shape| {
        let points = lattice(&shape.geometry, spacing);
        points.into_iter().map(|point| shape.pose.to_world(point)).collect::<Vec<_>>()
    };
    shapes.iter().flat_map(of_shape).collect()
}

/// Returns the points inside a shape, on a lattice about its centroid.
fn lattice(geometry: &Geometry, spacing: f32) -> Vec<Vec3> {
    let convex = geometry.queries();
    let centroid = convex.mass_properties().centroid.as_vec3();
    let (_, radius) = convex.bounding_sphere();
    let depth = |point: Vec3| -convex.surface(point).distance;
    let spacing = spacing.max(radius / MOST_POINTS_TO_SURFACE);
    let reach = (radius / spacing).ceil() as i32;
    let deep = LEAST_DEPTH * spacing.min(depth(centroid));
    let axis = || -reach..=reach;
    let cells = axis().flat_map(|x| axis().flat_map(move |y| axis().map(move |z| IVec3::new(x, y, z))));
    let points = cells.map(|cell| centroid + cell.as_vec3() * spacing);
    points.filter(|&point| point == centroid || depth(point) > deep).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::Pose;
    use glam::Quat;

    fn shapes() -> Vec<Shape> {
        vec![
            Shape::sphere(0.4),
            Shape::cuboid(Vec3::new(0.5, 0.3, 0.2)),
            Shape::cuboid(Vec3::new(0.5, 0.5, 0.02)),
            Shape::capsule(0.6, 0.15),
        ]
    }

    fn mean(points: &[Vec3]) -> Vec3 {
        points.iter().sum::<Vec3>() / points.len() as f32
    }

    #[test]
    fn points_are_inside_and_their_mean_is_the_centroid() {
        for shape in shapes() {
            let points = interior(std::slice::from_ref(&shape), 0.0);
            assert!(points.iter().all(|&point| shape.surface(point).distance < 0.0), "{shape:?}");
            assert!(mean(&points).length() < 1e-6, "{shape:?}");
            assert!((20..300).contains(&points.len()), "{} for {shape:?}", points.len());
        }
    }

    #[test]
    fn they_are_spread_as_the_volume_is() {
        for shape in shapes() {
            let points = interior(std::slice::from_ref(&shape), 0.0);
            let of_points =
                points.iter().map(|point| point.length_squared()).sum::<f32>() / points.len() as f32;
            let moment = MassProperties::of(std::slice::from_ref(&shape));
            let trace = moment.inertia().col(0).x + moment.inertia().col(1).y + moment.inertia().col(2).z;
            let of_volume = (0.5 * trace / moment.volume) as f32;
            assert!((of_points / of_volume - 1.0).abs() < 0.25, "{of_points} for {of_volume} of {shape:?}");
        }
    }

    #[test]
    fn small_ones_and_parts_have_one_at_least() {
        let parts = [Pose::at(Vec3::X), Pose { position: Vec3::NEG_X, rotation: Quat::from_rotation_y(1.0) }]
            .map(|pose| Shape { pose, ..Shape::sphere(0.01) });
        let points = interior(&parts, 0.1);
        assert_eq!(points, [Vec3::X, Vec3::NEG_X]);
        assert!(interior(&[], 0.1).is_empty());
    }
}
