//! A particle is put back in front of the face through which its path enters, however thin the body and
//! long the path, and slides there; one that starts inside leaves through the nearest surface; one that
//! starts at the skin and does not move inwards has no contact.

use crate::moving_obstacles::Dice;
use fluid_bodies::Pose;
use fluid_bodies::obstacles::{Obstacle, Obstacles};
use fluid_bodies::shapes::Shape;
use fluid_bodies::sweep::Way;
use fluid_core::boundary::{Surfaces, Touch};
use glam::{Quat, Vec3};
use std::sync::Arc;

const SKIN: f32 = 1e-4;

fn body(shape: Shape, pose: Pose) -> Obstacle {
    Obstacle::new(Arc::from([shape]), pose)
}

fn world(list: impl IntoIterator<Item = Obstacle>) -> Obstacles {
    let mut obstacles = Obstacles::new(SKIN);
    list.into_iter().for_each(|obstacle| obstacles.push(obstacle));
    obstacles.refresh();
    obstacles
}

fn meet(obstacles: &Obstacles, before: Vec3, after: Vec3) -> (Vec3, Option<Touch>) {
    let (mut place, mut touch) = ([after], [None]);
    obstacles.meet(&[before], &mut place, &mut touch);
    (place[0], touch[0])
}

/// Creates a plate of 10 x 10 m, 2 cm thick.
fn paper() -> Shape {
    Shape::cuboid(Vec3::new(5.0, 5.0, 0.01))
}

#[test]
fn a_bullet_meets_paper_after_the_exact_share_of_its_way() {
    let paper = body(paper(), Pose::IDENTITY);
    let (start, velocity) = (Vec3::new(0.0, 0.0, -1.0), Vec3::new(0.1, 0.2, 5.0));
    let hit = paper.sweep(&Way { start, end: start + velocity, since: 0.0 }).expect("it is in the way");
    // 0.99 m of 5 m.
    assert!((hit.share - 0.198).abs() <= 2.0 * f32::EPSILON, "{}", hit.share);
    assert_eq!(hit.normal, Vec3::NEG_Z);
    assert!(hit.enters && (hit.point - (start + velocity * 0.198)).length() <= 1e-6);
    // It slides: sideways it moves the full distance.
    let (place, touch) = meet(&world([paper]), start, start + velocity);
    assert!((place - Vec3::new(0.1, 0.2, -0.01 - SKIN)).length() <= 1e-6, "{place}");
    assert_eq!(touch.expect("it has met the paper").normal, Vec3::NEG_Z);
}

#[test]
fn a_plate_stops_particles_that_move_ten_thousand_thicknesses() {
    for (seed, far) in [(1, 0.0), (2, 10.0)] {
        let mut dice = Dice::new(seed);
        for _ in 0..10_000 {
            let thickness = 1e-3;
            let pose = Pose { position: dice.vec3(far), rotation: dice.rotation() };
            let plate = world([body(Shape::cuboid(Vec3::new(1.0, 1.0, 0.5 * thickness)), pose)]);
            // Through a point of the plate, at up to 60 degrees from its normal.
            let through = Vec3::new(dice.between(-0.9, 0.9), dice.between(-0.9, 0.9), 0.0);
            let side = if dice.below(2) == 0 { 1.0 } else { -1.0 };
            let way = (Vec3::Z + dice.direction().with_z(0.0) * 1.7) * side * (1e4 * thickness);
            let share = dice.between(0.05, 0.95);
            let (start, end) = (through - way * share, through + way * (1.0 - share));
            let (place, touch) = meet(&plate, pose.to_world(start), pose.to_world(end));
            assert!(touch.is_some(), "from {start} to {end}");
            let height = pose.to_local(place).z * -side;
            // Skin and half the thickness, and four roundings of the coordinates.
            let exact = SKIN + 0.5 * thickness;
            let rounding = 4.0 * f32::EPSILON * (far + 2.0 * way.length());
            assert!(
                height > 0.5 * thickness && (height - exact).abs() <= rounding,
                "{height} is not {exact}"
            );
        }
    }
}

#[test]
fn particles_that_start_inside_leave_by_the_nearest_surface() {
    let box_ = world([body(Shape::cuboid(Vec3::new(1.0, 2.0, 3.0)), Pose::IDENTITY)]);
    let (place, touch) = meet(&box_, Vec3::new(0.9, 0.0, 0.0), Vec3::new(0.8, 0.1, 0.0));
    assert_eq!(touch.expect("it has been inside").normal, Vec3::X);
    assert!((place - Vec3::new(1.0 + SKIN, 0.1, 0.0)).length() <= 1e-6, "{place}");
    // A ball put down on a particle at rest.
    let ball = world([body(Shape::sphere(1.0), Pose::at(Vec3::new(0.0, 0.0, -0.5)))]);
    let (place, _) = meet(&ball, Vec3::ZERO, Vec3::ZERO);
    assert!((place - Vec3::new(0.0, 0.0, 0.5 + SKIN)).length() <= 1e-6, "{place}");
    // A particle that leaves by itself is left alone.
    let (place, touch) = meet(&ball, Vec3::ZERO, Vec3::Z);
    assert!(touch.is_none() && place == Vec3::Z);
}

#[test]
fn a_moving_body_takes_along_what_is_in_its_way() {
    let mut plate = world([body(paper(), Pose::IDENTITY)]);
    let velocity = Vec3::new(0.0, 0.0, 3.0);
    plate.advance(|_| (Pose::IDENTITY.advanced(velocity, Vec3::ZERO, 1.0), velocity, Vec3::ZERO));
    let start = Vec3::new(1.0, 2.0, 1.0);
    let (place, touch) = meet(&plate, start, start);
    let touch = touch.expect("the plate has gone through it");
    assert!((place - Vec3::new(1.0, 2.0, 3.01 + SKIN)).length() <= 2e-6, "{place}");
    assert!((touch.point - Vec3::new(1.0, 2.0, 3.01)).length() <= 2e-6 && touch.velocity == velocity);
}

#[test]
fn a_touch_has_the_velocity_of_the_surface_there() {
    let mut ball = world([body(Shape::sphere(1.0), Pose::IDENTITY)]);
    let (velocity, spin) = (Vec3::new(0.3, 0.0, 0.0), Vec3::new(0.0, 0.0, 2.0));
    ball.advance(|_| (Pose::IDENTITY.advanced(velocity, spin, 0.5), velocity, spin));
    let (_, touch) = meet(&ball, Vec3::new(0.0, 3.0, 0.0), Vec3::ZERO);
    let touch = touch.expect("it goes for the ball");
    let expected = velocity + spin.cross(touch.point - Vec3::new(0.15, 0.0, 0.0));
    assert!(touch.velocity.distance(expected) <= 1e-6);
    let rim = touch.point.distance(Vec3::new(0.15, 0.0, 0.0));
    assert!((rim - 1.0).abs() <= 1e-6, "the point is on the surface where that is now");
}

#[test]
fn two_plates_in_a_corner_stop_what_they_lead_to_each_other() {
    // Walls x = 0 and z = 0, a thousand times thinner than the path is long.
    let wall = Shape::cuboid(Vec3::new(5.0, 5.0, 0.01));
    let floor = body(wall.clone(), Pose::at(Vec3::new(0.0, 0.0, -0.01)));
    let turned = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    let side = body(wall, Pose { position: Vec3::new(-0.01, 0.0, 0.0), rotation: turned });
    let corner = world([floor, side]);
    let (place, touch) = meet(&corner, Vec3::new(1.0, 0.0, 1.0), Vec3::new(-8.0, 1.0, -9.0));
    assert!(touch.is_some());
    assert!((place - Vec3::new(SKIN, 1.0, SKIN)).length() <= 2e-6, "{place}");
}

#[test]
fn the_skin_is_not_a_hit_for_particles_that_leave_or_slide() {
    let mut dice = Dice::new(3);
    for far in [0.0, 10.0, 1000.0] {
        for _ in 0..2000 {
            let shape = dice.geometry();
            let obstacles = world([body(shape, dice.pose(far))]);
            let start = obstacles.list()[0].pose().position + dice.direction() * 3.0;
            let (skin, touch) = meet(&obstacles, start, obstacles.list()[0].pose().position);
            let Some(touch) = touch else { continue };
            let away = touch.normal * dice.unit();
            // One more rounding than the position has: a direction along the surface is only known to
            // rounding.
            let along = touch.normal.any_orthonormal_vector() * dice.unit()
                + touch.normal * (0.25 * f32::EPSILON * far);
            for way in [Vec3::ZERO, away, along, away + along] {
                let (place, touch) = meet(&obstacles, skin, skin + way);
                assert!(touch.is_none() && place == skin + way, "{way} at {far}");
            }
        }
    }
}
