//! A scene a thousand body sizes from the origin has the same contacts; positions differ by at most a
//! thousandth of a body's radius.

use crate::moving_obstacles::Dice;
use fluid_bodies::Pose;
use fluid_bodies::obstacles::{Obstacle, Obstacles};
use fluid_bodies::shapes::Shape;
use fluid_core::boundary::{Surfaces, Touch};
use glam::Vec3;
use std::sync::Arc;

/// Half the size of a body \[m\].
const RADIUS: f32 = 0.5;
/// A thousand times the size of a body, along one axis and across: not a power of two.
const SHIFT: Vec3 = Vec3::new(1000.0, -1000.0, 1000.0);
/// Positions \[m\] are rounded to this before they are shifted, so the shift is exact.
const LATTICE: f32 = 1.0 / 8192.0;

fn run(shift: Vec3) -> (Vec<Vec3>, Vec<Option<Touch>>) {
    let mut dice = Dice::new(4);
    let on_lattice = |place: Vec3| (place / LATTICE).round() * LATTICE + shift;
    let mut obstacles = Obstacles::new(1e-3);
    for i in 0..200 {
        let shape = if i % 2 == 0 { Shape::sphere(RADIUS) } else { Shape::cuboid(Vec3::splat(0.6 * RADIUS)) };
        // In a lattice, because the order of overlapping bodies may depend on the last bit.
        let place = Vec3::new((i % 6) as f32, (i / 6 % 6) as f32, (i / 36) as f32) * 2.0;
        let rotation = dice.rotation();
        obstacles.push(Obstacle::new(Arc::from([shape]), Pose { position: on_lattice(place), rotation }));
    }
    let motions: Vec<_> = obstacles
        .list()
        .iter()
        .map(|obstacle| {
            let (velocity, spin) = (on_lattice(dice.vec3(0.5)) - shift, dice.direction());
            (obstacle.pose().advanced(velocity, spin, 1.0), velocity, spin)
        })
        .collect();
    obstacles.advance(|i| motions[i]);
    let (before, mut after): (Vec<Vec3>, Vec<Vec3>) = (0..20_000)
        .map(|_| {
            let start = Vec3::splat(5.0) + dice.vec3(12.0);
            (on_lattice(start), on_lattice(start + dice.vec3(2.0)))
        })
        .unzip();
    let mut touches = vec![None; after.len()];
    obstacles.meet(&before, &mut after, &mut touches);
    (after.iter().map(|place| *place - shift).collect(), touches)
}

#[test]
fn a_thousand_sizes_away() {
    let ((here, touches), (there, moved)) = (run(Vec3::ZERO), run(SHIFT));
    let (mut hits, mut worst, mut other) = (0, 0.0_f32, 0);
    for ((a, b), (touch, moved)) in here.iter().zip(&there).zip(touches.iter().zip(&moved)) {
        let same = touch.map(|touch| touch.body) == moved.map(|touch| touch.body);
        hits += usize::from(touch.is_some());
        if !same {
            println!("{touch:?} {moved:?}");
            other += 1;
            continue;
        }
        worst = worst.max(a.distance(*b));
    }
    println!("{hits} hits, {other} others, worst {worst:e} m");
    assert!(hits > 2000 && other == 0);
    assert!(worst <= 1e-3 * RADIUS);
}
