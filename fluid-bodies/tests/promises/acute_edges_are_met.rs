//! Particles on paths through a tetrahedron near one of its edges, however acute, hit it, whether it moves
//! and turns or not: 60,000 paths.

use crate::moving_obstacles::Dice;
use fluid_bodies::Pose;
use fluid_bodies::obstacles::{Obstacle, Obstacles};
use fluid_bodies::shapes::{Geometry, Polytope, Shape};
use fluid_bodies::sweep::Way;
use fluid_core::boundary::Surfaces;
use glam::Vec3;
use std::sync::Arc;

#[test]
fn by_all_particles_that_pass_beside_them() {
    let (mut dice, mut met) = (Dice::new(3), 0);
    for round in 0..60_000 {
        let long = dice.between(0.5, 5.0);
        let points = [Vec3::ZERO, dice.direction() * long, dice.direction() * long, dice.direction() * long];
        let Ok(tetrahedron) = Polytope::from_points(&points) else { continue };
        let shape = Shape::solid(Geometry::Polytope(tetrahedron));
        let pose = dice.pose(1.0);
        let spin = if round % 2 == 0 { Vec3::ZERO } else { dice.direction() * dice.between(0.0, 3.0) };
        let velocity = if round % 3 == 0 { Vec3::ZERO } else { dice.vec3(4.0) };
        let mut world = Obstacles::new(1e-4);
        world.push(Obstacle::new(Arc::from([shape.clone()]), pose));
        world.advance(|_| (pose.advanced(velocity, spin, 1.0), velocity, spin));
        // A point slightly inside an edge, at a random time in the step, on a straight path.
        let time = dice.unit();
        let (one, other) = (points[dice.below(4)], points[dice.below(4)]);
        let edge = one.lerp(other, dice.unit());
        let inside = edge.lerp(points.iter().sum::<Vec3>() * 0.25, dice.between(1e-4, 0.02));
        let turned = pose.advanced(Vec3::ZERO, spin, time).rotation;
        let then = Pose { position: pose.position + velocity * time, rotation: turned };
        let way = dice.vec3(8.0);
        let start = then.to_world(inside) - way * time;
        if shape.surface(pose.to_local(start)).distance <= 0.0 {
            continue;
        }
        met += 1;
        let mut end = [start + way];
        let swept = world.list()[0].sweep(&Way { start, end: end[0], since: 0.0 });
        assert!(swept.is_some(), "round {round}: {start} to {} is not seen", end[0]);
        world.keep_out(&[start], &mut end);
        assert!(!world.contains(end[0]), "round {round}: it ends inside");
    }
    assert!(met > 50_000, "{met}");
}
