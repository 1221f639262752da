//! Equivalence principle: fluid in a container is subject to gravity less the container's acceleration
//! (C5).

use crate::common::world;
use crate::tanks::{GRAVITY, JUMP, Profile, Tank};
use fluid_core::boundary::WallTreatment::Balanced;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::Vec3;

const STEP: f32 = 1.0 / 60.0;
/// Acceleration \[m/s²\].
const ACCELERATION: Vec3 = Vec3::new(4.0, -1.5, 2.0);

fn run(tank: &Tank, gravity: Vec3, steps: usize) -> VortexSim {
    let mut sim = world(Params { gravity, walls: Balanced, ..tank.params() }, &tank.vortons());
    let mut walls = tank.walls.clone();
    for _ in 0..steps {
        sim.step(&Serial, &mut walls, STEP).expect("dt is finite");
    }
    sim
}

#[test]
fn even_fluid_gets_no_vorticity_at_all() {
    for profile in [Profile::Even, Profile::Layers] {
        let mut tank = Tank::new(profile, 8);
        tank.walls.acceleration = ACCELERATION;
        let sim = run(&tank, Vec3::new(0.0, 0.0, -GRAVITY), 60);
        let largest = sim.vortons().strengths.iter().map(Vec3::length).fold(0.0, f32::max);
        // The test would be void if layers gained no strength.
        assert_eq!(largest == 0.0, profile == Profile::Even, "{profile:?}: {largest}");
    }
}

#[test]
fn no_gravity_and_a_tank_that_accelerates_are_the_same_bits_as_gravity() {
    let still = Tank { jitter: 0.25, ..Tank::new(Profile::Layers, 8) };
    let mut moved = still.clone();
    moved.walls.acceleration = Vec3::new(-3.0, 0.5, GRAVITY);
    let gravity = -moved.walls.acceleration;
    assert_eq!(run(&still, gravity, 20).state_hash(), run(&moved, Vec3::ZERO, 20).state_hash());
}

#[test]
fn falling_freely_is_weightless() {
    let mut tank = Tank { jitter: 0.25, ..Tank::new(Profile::Layers, 8) };
    let gravity = Vec3::new(0.0, 0.0, -GRAVITY);
    tank.walls.acceleration = gravity;
    let sim = run(&tank, gravity, 20);
    assert!(sim.vortons().strengths.iter().all(|strength| strength == Vec3::ZERO));
}

#[test]
fn a_level_interface_is_turned_at_the_rate_of_theory() {
    // Dω/Dt = ∇δρ × (g − a)/ρ₀: with density linear in height, JUMP a about the third axis, everywhere.
    let acceleration = 4.0;
    let mut tank = Tank::new(Profile::Linear, 12);
    tank.walls.acceleration = Vec3::new(acceleration, 0.0, 0.0);
    let sim = run(&tank, Vec3::new(0.0, 0.0, -GRAVITY), 1);
    let vortons = sim.vortons();
    let mut inner = 0;
    for row in 0..vortons.len() {
        // Three spacings from the walls, out of reach of the walls' effect on the gradient.
        if (vortons.positions.get(row) - 0.5).abs().max_element() < 0.25 {
            let vorticity = vortons.strengths.get(row) / vortons.volumes[row];
            let expected = Vec3::new(0.0, 0.0, -JUMP).cross(Vec3::new(-acceleration, 0.0, -GRAVITY)) * STEP;
            assert!(vorticity.distance(expected) <= 1e-3 * expected.length(), "{vorticity}, not {expected}");
            inner += 1;
        }
    }
    assert_eq!(inner, 216);
}

#[test]
fn an_interface_tilted_by_a_over_g_rests() {
    // Density depends on the height against g − a: the steady state of an accelerated tank.
    for acceleration in [1.0, 3.0, 6.0] {
        let up = Vec3::new(acceleration, 0.0, GRAVITY).normalize();
        let size = Vec3::new(acceleration, 0.0, GRAVITY).length();
        let tilted = Tank { up, ..Tank::new(Profile::Linear, 12) };
        // `spurious` sets the gravity of `params`, g' = g − a of the tank: here it must result from both.
        let mut moving = tilted.clone();
        moving.walls.acceleration =
            Vec3::new(acceleration, 0.0, GRAVITY) * (GRAVITY / size) - Vec3::Z * GRAVITY;
        let (rms, max) = moving.spurious(Balanced);
        assert_eq!((rms, max), tilted.spurious(Balanced), "equivalence");
        println!(
            "a/g = {:.1}: {rms:.4} ({max:.3}), level {:.3}",
            acceleration / GRAVITY,
            acceleration / size / 12.0
        );
        assert!(rms <= 0.03 && max <= 0.3, "a/g = {}: {rms} ({max})", acceleration / GRAVITY);
    }
}
