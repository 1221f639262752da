//! Fluid that turns with its tank goes on turning: the energy budget of a tank that an engine turns takes
//! errors out, not the rotation, and a tank that stops leaves the rotation to its fluid.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::DensityBox;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::{Quat, Vec3};

const CORE: f32 = 0.1;

/// Fluid of this `viscosity` \[m²/s\] turns with a tank of this shape, at 3 rad/s, until the time `stop`
/// \[s\], when the tank stops. Returns the energies \[m⁵/s²\] in steps of 1/60 s until `end` \[s\].
fn turn(shape: Shape, viscosity: f32, stop: f32, end: f32) -> Vec<f64> {
    let mut params = Params { core_radius: CORE, viscosity, ..Params::default() };
    params.ambient.density = 1.0;
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    let tank = Shape { parity: Parity::Hole, ..shape };
    let lattice = DensityBox {
        centre: Vec3::ZERO,
        extent: Vec3::splat(1.2),
        spacing: CORE / 1.5,
        density_deviation: 0.0,
        dye: 0.0,
        fuel: 0.0,
    };
    let mut vortons = lattice.vortons().expect("in range");
    vortons.retain(|vorton| tank.surface(vorton.position).distance > 0.2 * CORE);
    let spin = Vec3::Z * 3.0;
    vortons.iter_mut().for_each(|vorton| vorton.strength = 2.0 * spin * vorton.volume);
    bodies
        .add(BodyDef { shapes: vec![tank], mass: f32::INFINITY, ..BodyDef::default() })
        .expect("a valid tank");
    let mut sim = VortexSim::new(params).expect("valid parameters");
    sim.add_vortons(&vortons).expect("valid vortons");
    let dt = 1.0 / 60.0;
    (0..(end / dt) as u32)
        .map(|step| {
            let time = step as f32 * dt;
            let rotation = Quat::from_rotation_z(spin.z * time.min(stop));
            let angular_velocity = if time < stop { spin } else { Vec3::ZERO };
            bodies
                .set_state(0, BodyState { rotation, angular_velocity, ..BodyState::default() })
                .expect("a valid state");
            sim.step(&Serial, &mut bodies, dt).expect("a finite step");
            sim.stats().energy
        })
        .collect()
}

/// A ball and a drum have no lever on fluid without viscosity, so its energy stays; of its lattice's disorder
/// some is lost at walls at rest, too.
#[test]
fn in_a_drum() {
    keeps_its_energy(Shape::cylinder(0.4, 0.4));
}

#[test]
#[ignore = "a quarter of a minute"]
fn in_a_ball() {
    keeps_its_energy(Shape::sphere(0.5));
}

fn keeps_its_energy(shape: Shape) {
    let energies = turn(shape, 0.0, f32::INFINITY, 8.0);
    let (first, last) = (energies[1], energies[energies.len() - 1]);
    println!("{first:.4} to {last:.4} m⁵/s²");
    assert!(last > 0.8 * first && last < 1.2 * first, "{first} to {last}");
}

/// A box of slightly viscous fluid that stops: what its vorticity has is left.
#[test]
fn in_a_box_that_stops() {
    let stop = 1.0;
    let energies = turn(Shape::cuboid(Vec3::new(0.5, 0.4, 0.4)), 0.001, stop, 1.5);
    let (before, after) = (energies[(60.0 * stop) as usize - 2], &energies[(60.0 * stop) as usize + 2..]);
    println!("{before:.4}, then {:.4} to {:.4} m⁵/s²", after[0], after[after.len() - 1]);
    assert!(
        after.iter().all(|&energy| energy > 0.1 * before && energy < 1.2 * before),
        "{before}, {after:?}"
    );
}
