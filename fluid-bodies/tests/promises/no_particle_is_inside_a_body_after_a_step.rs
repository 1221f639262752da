//! After a step no particle is inside a body, whatever the motion of both: bodies overlap, spin, are
//! paper-thin and jump to other positions; particles start inside, on surfaces, and pass through
//! everything.

use crate::moving_obstacles::{Dice, advance, bodies, ways};
use fluid_bodies::obstacles::{BroadPhase, Obstacles};
use fluid_core::boundary::{Surfaces, Touch};
use glam::Vec3;

const EDGE: f32 = 4.0;

fn meet(obstacles: &Obstacles, before: &[Vec3], after: &[Vec3]) -> (Vec<Vec3>, Vec<Option<Touch>>) {
    let (mut places, mut touches) = (after.to_vec(), vec![None; after.len()]);
    obstacles.meet(before, &mut places, &mut touches);
    (places, touches)
}

#[test]
fn in_crowds_of_bodies() {
    let (mut moved, mut particles) = (0, 0);
    for seed in 0..300 {
        let mut dice = Dice::new(seed);
        let count = 1 + dice.below(40);
        let mut obstacles = bodies(&mut dice, count, EDGE, BroadPhase::Cells);
        let (mut before, mut after) = ways(&mut dice, &obstacles, 100, EDGE);
        for _ in 0..3 {
            advance(&mut dice, &mut obstacles, EDGE);
            let (places, touches) = meet(&obstacles, &before, &after);
            for (row, (place, touch)) in places.iter().zip(&touches).enumerate() {
                let inside = obstacles.list().iter().any(|body| body.surface(*place, 0.0).is_some());
                assert!(!inside, "scene {seed}, particle {row} from {} to {}", before[row], after[row]);
                assert!(!obstacles.contains(*place));
                assert!(place.is_finite() && (touch.is_some() || *place == after[row]));
                moved += usize::from(touch.is_some());
            }
            particles += places.len();
            let next: Vec<Vec3> = places.iter().map(|place| *place + dice.vec3(0.5)).collect();
            (before, after) = (places, next);
        }
    }
    println!("{moved} of {particles} particles have met a body");
    assert!(moved > particles / 5);
}

#[test]
fn after_steps_in_which_nothing_moves() {
    for seed in 300..400 {
        let mut dice = Dice::new(seed);
        let obstacles = bodies(&mut dice, 10, EDGE, BroadPhase::Cells);
        let (_, after) = ways(&mut dice, &obstacles, 100, EDGE);
        let (places, _) = meet(&obstacles, &after, &after);
        assert!(places.iter().all(|place| !obstacles.contains(*place)));
        // A particle that has been put outside stays there: no creep.
        let (again, touches) = meet(&obstacles, &places, &places);
        assert_eq!(again, places);
        assert!(touches.iter().all(Option::is_none));
    }
}

#[test]
fn and_hostile_values_do_no_harm() {
    let mut dice = Dice::new(7);
    let mut obstacles = bodies(&mut dice, 20, EDGE, BroadPhase::Cells);
    advance(&mut dice, &mut obstacles, EDGE);
    let values =
        [0.0, -0.0, 1e-45, 1.0, -1e19, 1e30, f32::MAX, f32::MIN, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    let places: Vec<Vec3> =
        (0..400).map(|_| Vec3::from_array([(); 3].map(|()| values[dice.below(values.len())]))).collect();
    let before: Vec<Vec3> = places.iter().rev().copied().collect();
    let (out, touches) = meet(&obstacles, &before, &places);
    for ((out, place), touch) in out.iter().zip(&places).zip(touches) {
        if place.is_finite() {
            assert!(out.is_finite() && !obstacles.contains(*out), "{place} comes to {out}");
        } else {
            assert!(
                touch.is_none() && out.to_array().map(f32::to_bits) == place.to_array().map(f32::to_bits)
            );
        }
    }
}
