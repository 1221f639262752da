//! Whatever is said of walls, a step neither panics nor loses the fluid.

mod common;
mod tanks;

use fluid_core::boundary::WallTreatment::{Balanced, PoisonedByHits, PoisonedByNodes, Untreated};
use fluid_core::boundary::{BodyCoupling, StepTime, Wall, WallHit};
use fluid_core::math::Random;
use fluid_threads::Serial;
use glam::Vec3;
use tanks::{Profile, Tank};

/// Walls by a random number for each place, none of which need fit any other.
struct Nonsense(Random, Vec<WallHit>);

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

impl BodyCoupling for Nonsense {
    fn has_walls(&self) -> bool {
        true
    }

    fn wall_at(&self, place: Vec3, _: f32, _: StepTime) -> Option<Wall> {
        let seed =
            place.to_array().iter().fold(7, |seed: u64, v| seed.wrapping_mul(31) ^ u64::from(v.to_bits()));
        let acceleration = if seed % 3 == 0 { self.vector(seed ^ 0xacce1) } else { Vec3::X };
        let (distance, normal) = (self.value(seed), self.vector(seed ^ 0xd15c0));
        (seed % 5 != 0).then_some(Wall { distance, normal, acceleration })
    }

    fn wall_hits(&self) -> &[WallHit] {
        &self.1
    }
}

#[test]
fn with_every_treatment() {
    let tank = Tank { jitter: 0.25, ..Tank::new(Profile::Layers, 6) };
    for treatment in [Balanced, PoisonedByHits, PoisonedByNodes, Untreated] {
        for seed in 0..8 {
            let mut walls = Nonsense(Random::new(seed), Vec::new());
            for i in 0..50 {
                let hit = WallHit { position: walls.vector(3 * i), normal: walls.vector(3 * i + 1000) };
                walls.1.push(hit);
            }
            let mut sim = tank.sim(treatment);
            for _ in 0..4 {
                sim.step(&Serial, &mut walls, 1.0 / 60.0).expect("dt is finite");
            }
            let vortons = sim.vortons();
            assert!((0..vortons.len()).all(|i| vortons.positions.get(i).is_finite()));
        }
    }
}
