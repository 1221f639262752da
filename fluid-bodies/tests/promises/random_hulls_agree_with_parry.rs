//! Distances, normals and entry points of 10,000 random hulls agree with another library (validation G1).

use crate::common::{Dice, place};
use fluid_bodies::shapes::{Polytope, ShapeQueries};
use glam::{DVec3, Vec3};
use parry3d_f64::math::Vector;
use parry3d_f64::query::{PointQuery, Ray, RayCast};
use parry3d_f64::shape::ConvexPolyhedron;

fn vector(v: Vec3) -> Vector {
    let [x, y, z] = v.as_dvec3().to_array();
    Vector::new(x, y, z)
}

#[test]
fn distances_and_ways() {
    let mut dice = Dice::new(21);
    let mut judged = 0;
    let mut worst = (0.0_f64, 0.0_f64, 0.0_f64);
    for round in 0..10_000 {
        let count = 4 + round % 37;
        let points = dice.cloud(count, 50.0);
        let shape = Polytope::from_points(&points).expect("points in general position");
        let theirs: Vec<Vector> = points.iter().map(|&point| vector(point)).collect();
        let Some(judge) = ConvexPolyhedron::from_convex_hull(&theirs) else { continue };
        judged += 1;
        let size = f64::from(shape.bounding_sphere().1);
        for _ in 0..10 {
            let asked = place(&mut dice, &shape);
            let ours = shape.surface(asked);
            let projection = judge.project_local_point(vector(asked), false);
            let off = vector(asked) - projection.point;
            let (length, sign) = (off.length(), if projection.is_inside { -1.0 } else { 1.0 });
            let error = (f64::from(ours.distance) - sign * length).abs() / size;
            worst.0 = worst.0.max(error);
            assert!(error <= 1e-4, "hull {round}: {asked} is {} away, or {}", ours.distance, sign * length);
            // Next to the surface, the difference of the points does not determine the normal; inside, two
            // faces may be equally near.
            if !projection.is_inside && length > 1e-3 * size {
                let theirs = DVec3::new(off.x, off.y, off.z) / length;
                let angle = theirs.angle_between(ours.normal.as_dvec3()).to_degrees();
                worst.1 = worst.1.max(angle);
                assert!(angle <= 1.0, "hull {round}: {asked}, normal {} or {theirs}", ours.normal);
            }
        }
        for _ in 0..5 {
            let start = shape.bounding_sphere().0 + dice.direction() * (2.0 * size as f32);
            let end = start + (place(&mut dice, &shape) - start) * 1.5;
            let ray = Ray::new(vector(start), vector(end) - vector(start));
            let theirs = judge.cast_local_ray_and_get_normal(&ray, 1.0, true);
            match (shape.entry(start, end), theirs) {
                (Some(ours), Some(theirs)) => {
                    // On a grazing path, a perpendicular distance becomes a longer one along the path.
                    let steep = f64::from(-ours.normal.dot((end - start).normalize())).max(1e-3);
                    let error = (f64::from(ours.share) - theirs.time_of_impact).abs();
                    let error = error * f64::from(start.distance(end)) * steep / size;
                    worst.2 = worst.2.max(error);
                    assert!(
                        error <= 1e-4,
                        "hull {round}: {start} to {end}, {} or {}",
                        ours.share,
                        theirs.time_of_impact
                    );
                }
                (None, None) => {}
                (ours, theirs) => {
                    let along = (0..=1000).map(|i| shape.surface(start.lerp(end, i as f32 * 1e-3)).distance);
                    let depth = f64::from(along.fold(f32::INFINITY, f32::min));
                    assert!(
                        depth.abs() <= 1e-3 * size,
                        "hull {round}: {start} to {end}, {ours:?} or {theirs:?}, {depth}"
                    );
                }
            }
        }
    }
    println!(
        "{judged} hulls; distances differ by {:.1e} sizes, normals by {:.1e}°, entries by {:.1e} sizes",
        worst.0, worst.1, worst.2
    );
    assert!(judged >= 9_900, "{judged} of 10,000 could be judged");
}
