//! Walls are evaluated and mirrored in chunks that depend on the problem only: workers and their order
//! change no bit, with any treatment.

use crate::tanks::{Profile, Tank, step};
use fluid_core::boundary::WallTreatment::{Balanced, PoisonedByHits, PoisonedByNodes, Untreated};
use fluid_threads::{Executor, Pool, Serial, Shuffled};

#[test]
fn for_any_number_of_workers() {
    let mut tank = Tank { jitter: 0.25, ..Tank::new(Profile::Layers, 10) };
    tank.walls.acceleration = glam::Vec3::new(2.0, 1.0, 0.0);
    for treatment in [Balanced, PoisonedByHits, PoisonedByNodes, Untreated] {
        let run = |exec: &dyn Executor| {
            let (mut sim, mut walls) = (tank.sim(treatment), tank.walls.clone());
            for _ in 0..10 {
                step(&mut sim, exec, &mut walls, 1.0 / 60.0);
            }
            sim.state_hash()
        };
        let expected = run(&Serial);
        for workers in [1, 2, 7] {
            assert_eq!(
                run(&Pool::new(workers).expect("a pool")),
                expected,
                "{treatment:?}, {workers} workers"
            );
        }
        assert_eq!(run(&Shuffled::new(3)), expected, "{treatment:?}, shuffled");
    }
}
