//! Once the numbers of bodies and particles, in total and per cell, have reached their maximum, sweeping
//! particles allocates nothing. The only test in its binary, because its threads share one counter.

#[path = "../../fluid-core/tests/counting/mod.rs"]
mod counting;
mod moving_obstacles;

use fluid_bodies::contact::{Contacts, Layers};
use fluid_bodies::obstacles::{BroadPhase, Obstacles};
use fluid_core::boundary::Surfaces;
use fluid_core::math::Vec3Columns;
use fluid_threads::{Executor, Pool, Serial};
use glam::Vec3;
use moving_obstacles::{Dice, bodies, ways};

/// Moves bodies in a circle, so that after one revolution no cell is new.
fn step(
    exec: &dyn Executor,
    time: usize,
    home: &Obstacles,
    world: &mut (Obstacles, Contacts),
    start: &[Vec3],
) {
    let (obstacles, contacts) = world;
    obstacles.advance(|i| {
        let (spin, angle) = (Vec3::Z * 0.6, (time % 16) as f32 * std::f32::consts::TAU / 16.0);
        let pose =
            home.list()[i].pose().advanced(Vec3::new(angle.cos(), angle.sin(), 0.0), spin * time as f32, 1.0);
        (pose, Vec3::ZERO, spin)
    });
    let mut places = start.to_vec();
    let mut touches = vec![None; start.len()];
    let (mut before, mut columns) = (Vec3Columns::default(), Vec3Columns::default());
    for place in start {
        before.push(*place);
        columns.push(*place * 1.1);
    }
    let allocations = counting::allocations();
    contacts.find(exec, obstacles, &before, &mut columns, Layers::new(0.1, 1.0));
    obstacles.meet(start, &mut places, &mut touches);
    let allocated = counting::allocations() - allocations;
    // Entering a pool from outside allocates a block of its queue every 63 entries.
    let allowed = usize::from(exec.worker_count() > 1);
    assert!(time < 16 || allocated <= allowed, "{allocated} allocations in step {time}");
    assert!(contacts.contacts.len() > 10 && touches.iter().flatten().count() > 10);
}

#[test]
fn neither_on_this_thread_nor_in_a_pool() {
    let mut dice = Dice::new(2);
    let home = bodies(&mut dice, 64, 8.0, BroadPhase::Cells);
    let (start, _) = ways(&mut dice, &home, 2000, 8.0);
    let pool = Pool::with_hooks(2, |_| counting::count_this_thread(), |_| ()).expect("threads start");
    for exec in [&Serial as &dyn Executor, &pool] {
        let mut world = (home.clone(), Contacts::default());
        (0..64).for_each(|time| step(exec, time, &home, &mut world, &start));
    }
}
