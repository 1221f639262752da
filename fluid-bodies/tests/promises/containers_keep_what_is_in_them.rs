//! The contents of a container stay inside under any motion: no particle is lost, none is outside by more
//! than rounding, corners and acute wedges included (G3, C3). Particles outside are left alone.

use crate::common::Facets;
use crate::moving_obstacles::Dice;
use fluid_bodies::Pose;
use fluid_bodies::obstacles::{Obstacle, Obstacles};
use fluid_bodies::shapes::{Geometry, Parity, Polytope, Shape};
use fluid_core::boundary::{Surfaces, Touch};
use glam::{Quat, Vec3};
use std::sync::Arc;

const SKIN: f32 = 1e-4;

fn hole(geometry: Geometry) -> Shape {
    Shape { parity: Parity::Hole, ..Shape::solid(geometry) }
}

fn from_points(points: &[Vec3]) -> Geometry {
    Geometry::Polytope(Polytope::from_points(points).expect("points in space"))
}

fn container(shapes: Vec<Shape>, pose: Pose) -> Obstacles {
    let mut obstacles = Obstacles::new(SKIN);
    obstacles.push(Obstacle::new(Arc::from(shapes), pose));
    obstacles.refresh();
    obstacles
}

/// Returns the position and contact of a particle that moves from `start` to `end`.
fn goes(obstacles: &Obstacles, start: Vec3, end: Vec3) -> (Vec3, Option<Touch>) {
    let (mut place, mut touch) = ([end], [None]);
    obstacles.meet(&[start], &mut place, &mut touch);
    (place[0], touch[0])
}

/// Returns the depth \[m\] in the hole of the only obstacle; negative outside.
fn depth(obstacles: &Obstacles, shape: &Shape, place: Vec3) -> f32 {
    shape.surface(obstacles.list()[0].pose().to_local(place)).distance
}

#[test]
fn the_corner_of_a_box_is_resolved_at_once() {
    let shape = hole(Shape::cuboid(Vec3::ONE).geometry);
    let tank = container(vec![shape.clone()], Pose::IDENTITY);
    let (place, touch) = goes(&tank, Vec3::splat(0.5), Vec3::new(1.3, 1.2, 1.1));
    assert!(
        (place - Vec3::ONE).abs().max_element() < 2.0 * SKIN && depth(&tank, &shape, place) > 0.0,
        "{place}"
    );
    assert!(touch.expect("it met the corner").normal.dot(Vec3::ONE) < 0.0, "the normal points inwards");
    // One wall: the tangential part of the motion continues along it.
    let (place, touch) = goes(&tank, Vec3::ZERO, Vec3::new(3.0, 0.2, -0.3));
    assert!((place - Vec3::new(1.0, 0.2, -0.3)).abs().max_element() < 2.0 * SKIN, "{place}");
    assert!((touch.expect("it met a wall").normal - Vec3::NEG_X).length() < 1e-6);
    // No contact inside.
    assert_eq!(goes(&tank, Vec3::ZERO, Vec3::splat(0.9)), (Vec3::splat(0.9), None));
}

#[test]
fn a_wedge_of_ten_degrees_is_resolved_at_once() {
    let half = 5.0_f32.to_radians();
    let (c, s) = (libm::cosf(half), libm::sinf(half));
    let corners = [-1.0, 1.0].map(|z| [Vec3::new(0.0, 0.0, z), Vec3::new(c, s, z), Vec3::new(c, -s, z)]);
    let shape = hole(from_points(&corners.concat()));
    let wedge = container(vec![shape.clone()], Pose::IDENTITY);
    let mut dice = Dice::new(1);
    for _ in 0..10_000 {
        let end = Vec3::new(-1.0, 0.0, 0.0) + dice.vec3(2.0);
        let (place, _) = goes(&wedge, Vec3::X * 0.8, end);
        assert!(depth(&wedge, &shape, place) > 0.0, "{end} to {place}");
        // The nearest point is on the wedge's edge or walls: no particle is sent far along it.
        assert!(
            place.distance(end)
                <= Facets::new(&corners.concat(), 1e-9).nearest(end.as_dvec3()).0 as f32 + 0.01
        );
    }
}

#[test]
fn particles_that_have_left_come_back_to_the_nearest_place() {
    let mut dice = Dice::new(2);
    for _ in 0..200 {
        let points: Vec<Vec3> = (0..4 + dice.below(30)).map(|_| dice.vec3(2.0)).collect();
        let shape = hole(from_points(&points));
        let (middle, room) = shape.geometry.queries().inscribed_sphere();
        let tank = container(vec![shape.clone()], Pose::IDENTITY);
        let hull = Facets::new(&points, 1e-9);
        for _ in 0..50 {
            let end = dice.vec3(4.0);
            let (place, touch) = goes(&tank, middle, end);
            let (apart, _) = hull.nearest(end.as_dvec3());
            assert!(depth(&tank, &shape, place) > 0.0, "{end} to {place}");
            // Walls are moved in by the skin; a particle that would end in the corner of two is moved by
            // more, in proportion to the hull.
            let off = SKIN / room * 4.0 + 1e-5;
            let moved = place.distance(end);
            assert!(
                (moved - apart.max(0.0) as f32).abs() <= off,
                "{end}: moved by {moved}, nearest is {apart}"
            );
            assert_eq!(touch.is_some(), place != end);
        }
    }
}

/// Shakes a container for `steps` steps with `count` randomly moving particles in it. Returns the largest
/// distance of a particle outside, relative to the container's size, and the number of particles with
/// non-finite positions.
fn shake(seed: u64, count: usize, steps: usize) -> (f32, usize) {
    let mut dice = Dice::new(seed);
    // From a regular hull to a needle of a tetrahedron.
    let squeeze = Vec3::new(1.0, dice.between(0.05, 1.0), dice.between(0.2, 1.0));
    let corners = if seed.is_multiple_of(2) { 4 } else { 5 + dice.below(20) };
    let points: Vec<Vec3> = (0..corners).map(|_| dice.vec3(2.0) * squeeze).collect();
    let shape = hole(from_points(&points));
    let (middle, room) = shape.geometry.queries().inscribed_sphere();
    let (_, size) = shape.geometry.queries().bounding_sphere();
    let pose = Pose { position: dice.vec3(10.0), rotation: dice.rotation() };
    let mut tank = container(vec![shape.clone()], pose);
    let mut places: Vec<Vec3> = (0..count).map(|_| pose.to_world(middle + dice.vec3(1.0) * room)).collect();
    let (mut worst, mut lost) = (0.0_f32, 0);
    for _ in 0..steps {
        let from = *tank.list()[0].pose();
        // Up to five cells a step, where a cell is a tenth of the container.
        let to = Pose {
            position: from.position + dice.vec3(size),
            rotation: (Quat::from_scaled_axis(dice.vec3(2.0)) * from.rotation).normalize(),
        };
        tank.advance(|_| (to, Vec3::ZERO, Vec3::ZERO));
        let before = places.clone();
        for place in &mut places {
            *place += dice.vec3(size);
        }
        tank.keep_out(&before, &mut places);
        for &place in &places {
            worst = worst.max(-depth(&tank, &shape, place) / size);
            lost += usize::from(!place.is_finite());
        }
    }
    (worst, lost)
}

#[test]
fn a_shaken_container_loses_no_particle() {
    for seed in 0..20 {
        let (worst, lost) = shake(seed, 500, 100);
        assert!(worst <= 0.0 && lost == 0, "hull {seed}: {worst} outside, {lost} nowhere");
    }
}

/// The complete test of C3: 10⁹ paths.
#[test]
#[ignore = "takes minutes; .ci/run --full runs it"]
fn a_shaken_container_loses_no_particle_in_ten_thousand_steps() {
    std::thread::scope(|scope| {
        let hulls: Vec<_> = (0..4).map(|seed| scope.spawn(move || shake(seed, 25_000, 10_000))).collect();
        for (seed, hull) in hulls.into_iter().enumerate() {
            let (worst, lost) = hull.join().expect("no panic");
            println!("hull {seed}: {worst} outside, {lost} nowhere");
            assert!(worst <= 0.0 && lost == 0, "hull {seed}: {worst} outside, {lost} nowhere");
        }
    });
}

#[test]
fn several_holes_are_one_room() {
    let part =
        |x: f32, half: Vec3| Shape { pose: Pose::at(Vec3::X * x), ..hole(Shape::cuboid(half).geometry) };
    // Two chambers and a narrow passage between them.
    let shapes =
        vec![part(-1.0, Vec3::splat(0.5)), part(0.0, Vec3::new(0.8, 0.1, 0.1)), part(1.0, Vec3::splat(0.5))];
    let tank = container(shapes, Pose::IDENTITY);
    let (place, touch) = goes(&tank, Vec3::ZERO, Vec3::X * 1.2);
    assert_eq!((place, touch), (Vec3::X * 1.2, None), "through the door");
    let (place, _) = goes(&tank, Vec3::ZERO, Vec3::Y * 0.3);
    assert!((place - Vec3::Y * 0.1).length() < 2.0 * SKIN, "{place}: beside it there is a wall");
    let nearest = tank.nearest(Vec3::X * 0.7, 0.2).expect("no wall within reach").1;
    assert!(nearest.distance > 0.0 && nearest.distance < 0.2, "{nearest:?}");
}

#[test]
fn a_ball_in_a_tank_keeps_particles_out_and_the_tank_keeps_them_in() {
    let mut obstacles = container(vec![hole(Shape::cuboid(Vec3::ONE).geometry)], Pose::IDENTITY);
    obstacles.push(Obstacle::new(Arc::from(vec![Shape::sphere(0.5)]), Pose::at(Vec3::X * 0.4)));
    obstacles.refresh();
    let mut dice = Dice::new(5);
    for _ in 0..10_000 {
        let start = Vec3::X * -0.8 + dice.vec3(0.2);
        let (place, _) = goes(&obstacles, start, start + dice.vec3(4.0));
        assert!(place.abs().max_element() < 1.0, "{place} is outside of the tank");
        assert!(place.distance(Vec3::X * 0.4) > 0.5, "{place} is in the ball");
    }
}

#[test]
fn what_is_outside_is_left_alone() {
    let tank = container(vec![hole(Shape::cuboid(Vec3::ONE).geometry)], Pose::IDENTITY);
    assert_eq!(goes(&tank, Vec3::X * 2.0, Vec3::X * 3.0), (Vec3::X * 3.0, None));
    assert_eq!(goes(&tank, Vec3::X * 2.0, Vec3::X * 1.5), (Vec3::X * 1.5, None));
    assert!(tank.nearest(Vec3::X * 1.5, 0.2).is_none() && !tank.contains(Vec3::X * 1.5));
    // Particles that start on the wall are contained.
    let (place, _) = goes(&tank, Vec3::X * 1.001, Vec3::X * 1.2);
    assert!((0.99..1.0).contains(&place.x), "{place}");
}

#[test]
fn walls_give_their_velocity() {
    let mut tank = container(vec![hole(Shape::cuboid(Vec3::ONE).geometry)], Pose::IDENTITY);
    let to = Pose::at(Vec3::X * 0.1);
    tank.advance(|_| (to, Vec3::X * 6.0, Vec3::Z));
    let (place, touch) = goes(&tank, Vec3::X * -0.95, Vec3::X * -0.95);
    let touch = touch.expect("the wall has come");
    assert!((place.x + 0.9).abs() < 2.0 * SKIN, "{place}");
    let expected = Vec3::X * 6.0 + Vec3::Z.cross(touch.point - to.position);
    assert!((touch.velocity - expected).length() < 1e-5, "{}", touch.velocity);
}
