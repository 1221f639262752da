//! For any description of walls, a step neither panics nor loses the fluid.

use crate::tanks::{Profile, Tank};
use fluid_core::boundary::WallTreatment::{Balanced, PoisonedByHits, PoisonedByNodes, Untreated};
use fluid_core::boundary::{BodyCoupling, Boundary, Enclosure, Inside, WallHit};
use fluid_core::math::Random;
use fluid_core::particles::Vortons;
use fluid_threads::{Executor, Serial};
use glam::{Quat, Vec3};
use std::sync::Arc;

/// Walls from a random number for each position, not consistent with each other.
#[derive(Debug, Clone)]
struct Nonsense(Random);

const VALUES: [f32; 12] = [
    0.0,
    -0.0,
    1.0,
    -0.01,
    0.05,
    -1e3,
    1e30,
    f32::MAX,
    f32::MIN_POSITIVE,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

impl Nonsense {
    fn value(&self, seed: u64) -> f32 {
        VALUES[(self.0.unit(seed) * VALUES.len() as f32) as usize % VALUES.len()]
    }

    fn vector(&self, seed: u64) -> Vec3 {
        Vec3::new(self.value(seed), self.value(seed + 1), self.value(seed + 2))
    }
}

fn seed(place: Vec3) -> u64 {
    place.to_array().iter().fold(7, |seed: u64, v| seed.wrapping_mul(31) ^ u64::from(v.to_bits()))
}

impl Inside for Nonsense {
    fn contains(&self, place: Vec3) -> bool {
        seed(place).is_multiple_of(3)
    }

    fn wall(&self, place: Vec3, _: f32) -> Option<(f32, Vec3)> {
        let seed = seed(place);
        (!seed.is_multiple_of(5)).then(|| (self.value(seed), self.vector(seed ^ 0xd15c0)))
    }
}

/// Walls that report a different random acceleration in each step.
struct Pushed(Nonsense, u64);

impl BodyCoupling for Pushed {
    fn begin_step(&mut self, _: &dyn Executor, _: f32, _: &Vortons, boundary: &mut Boundary) {
        for push in [Vec3::X, self.0.vector(self.1)] {
            self.1 += 3;
            let place = (self.0.vector(self.1), Quat::IDENTITY);
            boundary.enclosures.push(Enclosure {
                inside: Arc::new(self.0.clone()),
                at_start: (Vec3::ZERO, Quat::IDENTITY),
                at_middle: if self.1.is_multiple_of(2) { place } else { (Vec3::ZERO, Quat::IDENTITY) },
                velocity: Vec3::ZERO,
                acceleration: push,
                holds_flow: self.1.is_multiple_of(2),
            });
        }
    }
}

#[test]
fn with_every_treatment() {
    let tank = Tank { jitter: 0.25, ..Tank::new(Profile::Layers, 6) };
    for treatment in [Balanced, PoisonedByHits, PoisonedByNodes, Untreated] {
        for seed in 0..8 {
            let walls = Nonsense(Random::new(seed));
            let hit = |i: u64| WallHit { position: walls.vector(3 * i), normal: walls.vector(3 * i + 1000) };
            let mut sim = tank.sim(treatment);
            sim.set_wall_hits(&(0..50).map(hit).collect::<Vec<_>>());
            let mut walls = Pushed(walls, 2000);
            for _ in 0..4 {
                sim.step(&Serial, &mut walls, 1.0 / 60.0).expect("dt is finite");
            }
            let vortons = sim.vortons();
            assert!((0..vortons.len()).all(|i| vortons.positions.get(i).is_finite()));
        }
    }
}
