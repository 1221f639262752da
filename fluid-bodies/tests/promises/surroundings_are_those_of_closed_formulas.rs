//! The positions around bodies are all lattice points within the given distances, and no others: compared
//! point by point with closed formulas of the distance.

use crate::common::Dice;
use crate::level::{mesh, rock};
use fluid_bodies::Pose;
use fluid_bodies::obstacles::{Obstacle, Obstacles};
use fluid_bodies::shapes::{Cuboid, Geometry, Parity, Shape, Sphere};
use fluid_bodies::surroundings::{MOST_SPACINGS, Surroundings, SurroundingsError};
use glam::{DQuat, DVec3, Quat, Vec3};

/// Spacing \[m\] of positions, and their distance from solids.
const SPACING: f32 = 0.07;
const CLEARANCE: f32 = 0.1;
/// Distance \[m\] from a bound within which rounding may decide either way.
const ROUNDING: f64 = 1e-5;

fn meant() -> Surroundings {
    Surroundings { only: None, bounds: None, spacing: SPACING, thickness: 0.3, clearance: CLEARANCE }
}

fn obstacles(list: impl IntoIterator<Item = (Shape, Pose)>) -> Obstacles {
    let mut obstacles = Obstacles::new(1e-4);
    list.into_iter().for_each(|(shape, pose)| obstacles.push(Obstacle::new([shape].into(), pose)));
    obstacles
}

fn at(x: f32, y: f32, z: f32) -> Pose {
    Pose { position: Vec3::new(x, y, z), rotation: Quat::IDENTITY }
}

fn hole(geometry: Geometry) -> Shape {
    Shape { parity: Parity::Hole, ..Shape::solid(geometry) }
}

fn places(meant: &Surroundings, obstacles: &Obstacles) -> Vec<Vec3> {
    meant.places(obstacles, [], |_| false, 1 << 20).expect("a small region")
}

/// Compares with all lattice points of a cube: `depth` is the distance \[m\] of a point within all bounds,
/// negative outside.
fn check(found: &[Vec3], reach: i32, depth: impl Fn(DVec3) -> f64) {
    let (mut next, mut count) = (found.iter().peekable(), 0);
    for z in -reach..=reach {
        for y in -reach..=reach {
            for x in -reach..=reach {
                let place = DVec3::new(x.into(), y.into(), z.into()) * f64::from(SPACING);
                let depth = depth(place);
                let is_found = next.next_if(|found| **found == place.as_vec3()).is_some();
                assert!(is_found == (depth > 0.0) || depth.abs() < ROUNDING, "{place}: {is_found}, {depth}");
                count += usize::from(is_found);
            }
        }
    }
    assert!(next.peek().is_none(), "in order, and none outside of the cube");
    assert!(count > 500, "{count}");
}

/// Returns the margin of a distance within two bounds.
fn between(distance: f64, low: f64, high: f64) -> f64 {
    (distance - low).min(high - distance)
}

fn distance_from_box(place: DVec3, half: DVec3) -> f64 {
    let over = place.abs() - half;
    over.max(DVec3::ZERO).length() + over.max_element().min(0.0)
}

#[test]
fn around_a_ball_and_a_turned_box() {
    let (low, high) = (f64::from(CLEARANCE), 0.3_f64);
    let middle = DVec3::new(0.113, -0.051, 0.027);
    let ball = obstacles([(Shape::sphere(0.41), at(0.113, -0.051, 0.027))]);
    let distance = |place: DVec3| place.distance(middle) - 0.41;
    check(&places(&meant(), &ball), 14, |place| between(distance(place), low, high));
    // Within part of space only.
    let bounds = Some((Vec3::new(-9.0, -0.201, -9.0), Vec3::new(9.0, 9.0, 0.303)));
    let found = places(&Surroundings { bounds, ..meant() }, &ball);
    let cut = |place: DVec3| (place.y + 0.201).min(0.303 - place.z);
    check(&found, 14, |place| between(distance(place), low, high).min(cut(place)));

    let half = Vec3::new(0.3, 0.1, 0.5);
    let rotation = Quat::from_rotation_x(0.7) * Quat::from_rotation_y(-0.4);
    let pose = Pose { position: middle.as_vec3(), rotation };
    let found = places(&meant(), &obstacles([(Shape::cuboid(half), pose)]));
    let turn = DQuat::from_rotation_x(0.7) * DQuat::from_rotation_y(-0.4);
    check(&found, 16, |place| {
        between(distance_from_box(turn.inverse() * (place - middle), half.as_dvec3()), low, high)
    });
}

#[test]
fn inside_of_containers() {
    let low = 0.5 * f64::from(SPACING);
    let half = Vec3::new(0.6, 0.5, 0.4);
    let tank = obstacles([(hole(Geometry::Cuboid(Cuboid { half_extents: half })), at(0.013, 0.0, 0.0))]);
    let depth = |place: DVec3| -distance_from_box(place - DVec3::X * 0.013, half.as_dvec3());
    check(&places(&meant(), &tank), 14, |place| between(depth(place), low, 0.3));
    // The whole container.
    let all = Surroundings { thickness: 5.0, ..meant() };
    check(&places(&all, &tank), 14, |place| depth(place) - low);
    let ball = obstacles([(hole(Geometry::Sphere(Sphere { radius: 0.7 })), at(0.013, 0.02, 0.0))]);
    let depth = |place: DVec3| 0.7 - place.distance(DVec3::new(0.013, 0.02, 0.0));
    check(&places(&meant(), &ball), 14, |place| between(depth(place), low, 0.3));
}

/// A ball nearer to the wall of its tank than the clearance of positions from the ball, and one outside the
/// tank.
#[test]
fn not_on_the_other_side_of_a_wall() {
    let half = Vec3::splat(0.6);
    let list = [
        (hole(Geometry::Cuboid(Cuboid { half_extents: half })), Pose::IDENTITY),
        (Shape::sphere(0.2), at(0.31, 0.02, 0.0)),
        (Shape::sphere(0.2), at(-0.9, 0.02, 0.0)),
    ];
    let depth = |place: DVec3| -distance_from_box(place, half.as_dvec3());
    let from = |place: DVec3, x: f64| place.distance(DVec3::new(x, 0.02, 0.0)) - 0.2;
    let (low, wall) = (f64::from(CLEARANCE), 0.5 * f64::from(SPACING));
    let inner = Surroundings { only: Some(1), ..meant() };
    check(&places(&inner, &obstacles(list.clone())), 16, |place| {
        between(from(place, 0.31), low, 0.3).min(depth(place) - wall)
    });
    let outer = Surroundings { only: Some(2), ..meant() };
    let found = places(&outer, &obstacles(list.clone()));
    assert!(found.len() > 500);
    // Walls of a container hold within a hundredth of its size.
    assert!(found.iter().all(|place| depth(place.as_dvec3()) < -0.006 + ROUNDING));
    let all = places(&meant(), &obstacles(list));
    check(&all, 20, |place| {
        let ball = between(from(place, 0.31), low, 0.3).max(between(depth(place), wall, 0.3));
        let inner = ball.min(depth(place) - wall).min(from(place, 0.31) - low);
        inner.max(between(from(place, -0.9), low, 0.3).min(-depth(place) - 0.006))
    });
}

#[test]
fn of_several_bodies_each_place_once_and_in_none() {
    let list = [
        (Shape::sphere(0.3), at(0.0, 0.01, 0.0)),
        (Shape::sphere(0.2), at(0.35, 0.02, 0.1)),
        (Shape::half_space(), at(0.0, 0.0, -0.45)),
    ];
    let from = |place: DVec3| {
        let a = place.distance(DVec3::Y * 0.01) - 0.3;
        (a, place.distance(DVec3::new(0.35, 0.02, 0.1)) - 0.2, place.z + 0.45)
    };
    let (low, wall) = (f64::from(CLEARANCE), 0.5 * f64::from(SPACING));
    let clear = |(a, b, floor): (f64, f64, f64)| (a - low).min(b - low).min(floor - wall);
    let found = places(&meant(), &obstacles(list.clone()));
    check(&found, 16, |place| {
        let (a, b, floor) = from(place);
        clear((a, b, floor)).min(0.3 - a.min(b))
    });
    // Around the floor as well, if bounds limit the region.
    let bounds = Some((Vec3::splat(-0.9), Vec3::splat(0.9)));
    let bounded = Surroundings { bounds, ..meant() };
    check(&places(&bounded, &obstacles(list.clone())), 16, |place| {
        let (a, b, floor) = from(place);
        clear((a, b, floor)).min(0.3 - a.min(b).min(floor)).min(0.9 - place.abs().max_element())
    });
    // Around one body alone: the others only obstruct.
    let one = Surroundings { only: Some(1), ..meant() };
    check(&places(&one, &obstacles(list.clone())), 16, |place| {
        let (a, b, floor) = from(place);
        clear((a, b, floor)).min(0.3 - b)
    });
    assert_eq!(places(&Surroundings { only: Some(2), ..meant() }, &obstacles(list.clone())), []);
    // The order of bodies changes nothing.
    let [a, b, c] = list;
    assert_eq!(places(&meant(), &obstacles([c, b, a])), found);
}

#[test]
fn around_a_mesh_within_bounds() {
    let shape = Shape::mesh(mesh(rock(&mut Dice::new(3), 9, 12, 0.2)));
    let level = obstacles([(shape, at(0.1, 0.0, 0.2))]);
    assert_eq!(places(&meant(), &level), []);
    let bounds = (Vec3::splat(-1.2), Vec3::new(1.2, 0.5, 1.5));
    let found = places(&Surroundings { bounds: Some(bounds), ..meant() }, &level);
    check(&found, 25, |place| {
        let nearest = level.nearest(place.as_vec3(), 3.0).expect("it is no larger").1.distance;
        let inside = (place - bounds.0.as_dvec3()).min(bounds.1.as_dvec3() - place).min_element();
        between(nearest.into(), CLEARANCE.into(), 0.3).min(inside)
    });
}

#[test]
fn not_where_a_vorton_is_or_none_may_be() {
    let ball = obstacles([(Shape::sphere(0.3), at(0.01, 0.0, 0.0))]);
    let all = places(&meant(), &ball);
    assert_eq!(meant().places(&ball, all.iter().copied(), |_| false, 0), Ok(Vec::new()));
    // One less than half a spacing away along a diagonal, one just beyond, one at infinity.
    let diagonal = Vec3::splat(SPACING / 12_f32.sqrt());
    let taken = [all[7] + 0.99 * diagonal, all[80] + 1.01 * diagonal, Vec3::INFINITY, Vec3::NAN];
    let others: Vec<_> = all.iter().copied().filter(|&place| place != all[7]).collect();
    assert_eq!(meant().places(&ball, taken, |_| false, all.len()), Ok(others));
    let upper: Vec<_> = all.iter().copied().filter(|place| place.z > 0.0).collect();
    assert_eq!(meant().places(&ball, [], |place| place.z <= 0.0, all.len()), Ok(upper));
}

#[test]
fn too_many_are_refused_and_searches_end() {
    let ball = obstacles([(Shape::sphere(0.3), Pose::IDENTITY)]);
    let count = places(&meant(), &ball).len();
    assert!(meant().places(&ball, [], |_| false, count).is_ok());
    assert_eq!(meant().places(&ball, [], |_| false, count - 1), Err(SurroundingsError::TooMany));
    let most = usize::MAX;
    let floor = obstacles([(Shape::half_space(), Pose::IDENTITY)]);
    for (thickness, spacing) in [(1e30, SPACING), (0.3, 1e-30), (f32::MAX, f32::MIN_POSITIVE)] {
        let bounds = Some((Vec3::splat(-1e9), Vec3::splat(1e9)));
        let large = Surroundings { thickness, spacing, bounds, ..meant() };
        assert_eq!(large.places(&ball, [], |_| false, most), Err(SurroundingsError::TooLarge));
        assert_eq!(large.places(&floor, [], |_| false, most), Err(SurroundingsError::TooLarge));
    }
    // Beyond the resolution of f32 there are none.
    let far = MOST_SPACINGS as f32 * SPACING;
    let away = obstacles([(Shape::sphere(0.3), at(2.0 * far, 0.0, 0.0))]);
    assert_eq!(places(&meant(), &away), []);
}
