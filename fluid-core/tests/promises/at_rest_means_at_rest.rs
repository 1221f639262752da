//! Layered fluid in a tank stays at rest: walls make no density gradient, so gravity makes no vorticity
//! (T3, C1, C2).

use crate::drops;

use crate::common::{positions, world};
use crate::tanks::{MirrorWalls, Profile, Tank, fastest};
use fluid_core::boundary::WallTreatment::{Balanced, Untreated};
use fluid_core::params::Params;
use fluid_core::particles::Vortons;
use fluid_core::velocity::SolverKind;
use fluid_threads::Serial;
use glam::{Quat, Vec3};

/// Largest errors allowed for disordered vortons \[jumps per spacing\]: T3 and C2 of the validation plan.
const MOST: (f64, f64) = (0.03, 0.3);

const STEP: f32 = 1.0 / 60.0;

fn rotated(tank: Tank) -> Tank {
    let mut tank = tank;
    tank.walls.rotation = Quat::from_axis_angle(Vec3::ONE.normalize(), 33_f32.to_radians());
    tank
}

#[test]
fn even_fluid_makes_nothing_at_walls() {
    // For any position of walls between nodes, and any orientation.
    for offset in [0.0, 0.1, 0.25, 0.5, 0.77] {
        let mut tank = Tank::new(Profile::Even, 12);
        tank.walls.centre += Vec3::new(offset, 0.3 * offset, 0.7 * offset) * tank.spacing();
        assert_eq!(tank.spurious(Balanced), (0.0, 0.0), "{offset} spacings off");
    }
    assert_eq!(rotated(Tank::new(Profile::Even, 12)).spurious(Balanced), (0.0, 0.0), "rotated");
    for tank in [Tank::new(Profile::Even, 12), rotated(Tank::new(Profile::Even, 12))] {
        let (rms, max) = Tank { jitter: 0.25, ..tank }.spurious(Balanced);
        println!("even, jittered: {rms:.5} ({max:.4})");
        assert!(rms <= MOST.0 && max <= MOST.1, "{rms} ({max})");
    }
}

#[test]
fn vertical_walls_make_exactly_nothing() {
    for profile in [Profile::Layers, Profile::Linear] {
        for offset in [0.0, 0.1, 0.25, 0.5, 0.77] {
            let mut tank = Tank::new(profile, 12);
            tank.walls.centre += Vec3::new(offset, 0.3 * offset, 0.7 * offset) * tank.spacing();
            assert_eq!(tank.spurious(Balanced), (0.0, 0.0), "{profile:?}, {offset} spacings off");
        }
    }
}

#[test]
fn disorder_makes_little() {
    println!("|∇δρ| across gravity × h/Δρ, rms (largest): untreated, ours");
    for profile in [Profile::Layers, Profile::Linear] {
        let aligned = Tank::new(profile, 12);
        let jittered = Tank { jitter: 0.25, ..aligned.clone() };
        let turned = rotated(aligned.clone());
        for (name, tank) in [("aligned", aligned), ("jittered h/4", jittered), ("rotated 33°", turned)] {
            let ((raw, raw_max), (rms, max)) = (tank.spurious(Untreated), tank.spurious(Balanced));
            println!("{profile:?}, {name}: {raw:.3} ({raw_max:.2}), {rms:.4} ({max:.3})");
            assert!(rms <= MOST.0 && max <= MOST.1, "{profile:?}, {name}: {rms} ({max})");
            // The table of the validation plan lists 0.136 to 0.168 for deposits without sharpening.
            assert!(raw > 0.13 && raw_max > 0.44, "{profile:?}, {name}: untreated {raw} ({raw_max})");
        }
    }
}

#[test]
fn walls_that_lean_make_little() {
    // Density depends on height, and so must the mirror image: reflection along the normal of an inclined
    // wall would make a gradient.
    for angle in [5.0_f32, 15.0, 25.0, 33.0, 45.0, 60.0] {
        let up = Quat::from_rotation_y(angle.to_radians()) * Vec3::Z;
        let linear = Tank { up, ..Tank::new(Profile::Linear, 12) };
        let layers = Tank { profile: Profile::Layers, ..linear.clone() };
        let ((rms, max), (layered, layered_max)) = (linear.spurious(Balanced), layers.spurious(Balanced));
        println!("leaning {angle}°: linear {rms:.4} ({max:.3}), layers {layered:.4} ({layered_max:.3})");
        assert!(rms <= MOST.0 && max <= MOST.1, "{angle}°: {rms} ({max})");
    }
}

#[test]
fn a_tank_half_full_rests() {
    // At the contact of a wall and the free surface, a node has a quarter of its fluid.
    let tank = Tank::new(Profile::Even, 12);
    let vortons: Vec<_> = tank.vortons().into_iter().filter(|vorton| vorton.position.z < 0.5).collect();
    let (rms, max) = tank.spurious_of(Balanced, &vortons);
    println!("half full: {rms:.5} ({max:.4}); untreated {:.3?}", tank.spurious_of(Untreated, &vortons));
    assert!(rms <= MOST.0 && max <= MOST.1, "{rms} ({max})");
}

fn bits(vortons: &Vortons) -> Vec<[u32; 6]> {
    let row = |i: usize| {
        let (x, a) = (vortons.positions.get(i), vortons.strengths.get(i));
        [x.x, x.y, x.z, a.x, a.y, a.z].map(f32::to_bits)
    };
    (0..vortons.len()).map(row).collect()
}

#[test]
fn a_lattice_stays_as_it_is() {
    for (count, steps) in [(8, 60), (16, 24)] {
        for profile in [Profile::Layers, Profile::Linear] {
            let tank = Tank::new(profile, count);
            let mut sim = tank.sim(Balanced);
            let (before, mut walls) = (bits(sim.vortons()), tank.walls.clone());
            // A step that changes nothing is followed by others that change nothing: 24 of them prove as
            // much as more, and include three searches for the halo.
            for _ in 0..steps {
                sim.step(&Serial, &mut walls, STEP).expect("dt is finite");
                assert_eq!(fastest(&sim), 0.0);
            }
            assert!(bits(sim.vortons()) == before, "{profile:?}, {count}³: something moved");
        }
    }
}

#[test]
fn disorder_comes_to_little_in_two_seconds() {
    comes_to_little(120);
}

#[test]
#[ignore = "a quarter of a minute"]
fn disorder_comes_to_little_in_ten_seconds() {
    comes_to_little(600);
}

fn comes_to_little(steps: u32) {
    // √(g'H) is 1 m/s. Permeable walls would let volume in and out (7e-3 H, 0.034 m/s): these have mirror
    // images.
    let tank = Tank { jitter: 0.25, ..Tank::new(Profile::Layers, 8) };
    let params = Params { solver: SolverKind::Mesh, ..tank.params() };
    let mut sim = world(params, &tank.vortons());
    let mut walls = MirrorWalls { walls: tank.walls.clone(), vortons: sim.vortons().len() };
    // Centre of all mass, deviation and ambient: ρ₀ is 1.
    let centre = |sim: &fluid_core::sim::VortexSim| {
        let (places, mass) = (positions(sim), drops::mass(sim));
        let volume = places.iter().map(|x| f64::from(x.z)).sum::<f64>() / places.len() as f64;
        (volume + mass * drops::mass_centre(sim).z) / (1.0 + mass)
    };
    let (start, mut speed) = (centre(&sim), 0.0_f32);
    for _ in 0..steps {
        sim.step(&Serial, &mut walls, STEP).expect("dt is finite");
        speed = speed.max(fastest(&sim));
    }
    let drift = (centre(&sim) - start).abs();
    println!("largest speed {speed:.4} √(g'H), drift {drift:.1e} H");
    assert!(speed <= 0.03, "{speed}");
    assert!(drift <= 1e-3, "{drift}");
}
