//! Walls allocate once. The only test in its binary, because its threads share one counter.

mod counting;
mod common;
mod tanks;

use fluid_core::boundary::WallHit;
use fluid_core::boundary::WallTreatment::{Balanced, PoisonedByHits, PoisonedByNodes};
use fluid_threads::Serial;
use glam::Vec3;
use tanks::{Profile, Tank, step};

#[test]
fn once_it_runs() {
    let tank = Tank { jitter: 0.25, ..Tank::new(Profile::Layers, 8) };
    for treatment in [Balanced, PoisonedByHits, PoisonedByNodes] {
        let (mut sim, mut walls) = (tank.sim(treatment), tank.walls.clone());
        walls.hits.resize(4096, WallHit { position: Vec3::ZERO, normal: Vec3::X });
        let mut run = |steps: usize| {
            for _ in 0..steps {
                step(&mut sim, &Serial, &mut walls, 1.0 / 240.0);
            }
        };
        run(20);
        let before = counting::allocations();
        run(40);
        assert_eq!(counting::allocations() - before, 0, "{treatment:?}");
    }
}
