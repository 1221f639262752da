//! Part 14's "poison" compared with its replacement: it removes most of the vorticity that a wall makes,
//! and leaves ten times as much as balanced walls.

use crate::common::world;
use crate::tanks::{Profile, Tank, step};
use fluid_core::boundary::WallTreatment::{self, Balanced, PoisonedByHits, PoisonedByNodes, Untreated};
use fluid_core::boundary::{NoBodies, WallHit};
use fluid_core::params::Params;
use fluid_threads::Serial;
use glam::{Quat, Vec3};

#[test]
fn in_numbers() {
    println!("|∇δρ| across gravity × h/Δρ, rms (largest)");
    for profile in [Profile::Even, Profile::Layers, Profile::Linear] {
        for (angle, jitter) in [(0.0, 0.0), (0.0, 0.25), (33.0_f32, 0.0)] {
            let mut tank = Tank { jitter, ..Tank::new(profile, 12) };
            tank.walls.rotation = Quat::from_axis_angle(Vec3::ONE.normalize(), angle.to_radians());
            let all = [Untreated, PoisonedByHits, PoisonedByNodes, Balanced];
            let measured = all.map(|treatment| tank.spurious(treatment));
            let row: Vec<_> = all
                .iter()
                .zip(measured)
                .map(|(t, (rms, max))| format!("{t:?} {rms:.4} ({max:.3})"))
                .collect();
            println!("{profile:?}, rotated {angle}°, jitter {jitter}: {}", row.join(", "));
            let [untreated, hits, nodes, balanced] = measured.map(|(rms, _)| rms);
            for poisoned in [hits, nodes] {
                assert!(poisoned < 0.5 * untreated && poisoned > 3.0 * balanced, "{}", row.join(", "));
            }
            assert!(balanced <= 0.03 && untreated >= 0.13, "{}", row.join(", "));
        }
    }
}

#[test]
fn however_many_hit() {
    let tank = Tank::new(Profile::Layers, 8);
    let strengths = |times: usize| {
        let mut sim = tank.sim(PoisonedByHits);
        let mut walls = tank.walls.clone();
        for vorton in tank.vortons().iter().filter(|vorton| vorton.position.x < tank.spacing()) {
            let hit = WallHit { position: vorton.position, normal: Vec3::X };
            walls.hits.extend(std::iter::repeat_n(hit, times));
        }
        step(&mut sim, &Serial, &mut walls, 1e-3);
        sim.vortons().strengths.clone()
    };
    let (none, once) = (strengths(0), strengths(1));
    assert_ne!(none, once);
    for times in [2, 3, 10] {
        assert_eq!(once, strengths(times), "{times} hits");
    }
}

#[test]
fn without_walls_the_treatment_is_nothing() {
    let tank = Tank { jitter: 0.25, ..Tank::new(Profile::Layers, 8) };
    let hash = |walls: WallTreatment| {
        let mut sim = world(Params { walls, ..tank.params() }, &tank.vortons());
        sim.step(&Serial, &mut NoBodies, 1.0 / 60.0).expect("dt is finite");
        sim.state_hash()
    };
    for treatment in [Untreated, PoisonedByHits, PoisonedByNodes] {
        assert_eq!(hash(Balanced), hash(treatment), "{treatment:?}");
    }
}
