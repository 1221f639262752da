//! The energy of fluid beside half-spaces is that on their fluid side, and no flow increases it by itself
//! (E46, E50).

use crate::floor::{CORE, half_space, params, ring, world};
use fluid_bodies::{BodyDef, Pose};
use fluid_core::initial::{FilamentRing, Noise};
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::SolverKind;
use fluid_threads::{Pool, Serial};
use glam::{DVec3, Quat, Vec3};
use std::f64::consts::PI;

fn noise(amplitude: f32) -> Vec<Vorton> {
    let noise = Noise {
        centre: Vec3::new(0.0, 0.0, 0.3),
        extent: Vec3::new(0.6, 0.6, 0.5),
        spacing: 0.08,
        amplitude,
        seed: 3,
    };
    noise.vortons().expect("constants in range")
}

fn corner() -> Vec<BodyDef> {
    let wall =
        Pose { position: Vec3::new(-0.4, 0.0, 0.0), rotation: Quat::from_rotation_arc(Vec3::Z, Vec3::X) };
    vec![half_space(Pose::IDENTITY), half_space(wall)]
}

/// Returns ½ ∫ u² over the corner of floor and wall, by E8: half of the sum over all vortons there of α·ψ,
/// where ψ is the potential of vortons and images, in f64.
fn oracle(vortons: &[Vorton]) -> f64 {
    let potential = |rho2: f64| (rho2 + 1.5) / (rho2 + 1.0).powf(1.5) / (4.0 * PI * CORE);
    let reflected = |v: DVec3, x: f64, z: f64| DVec3::new(v.x * x, v.y, v.z * z);
    let mut energy = 0.0;
    for a in vortons {
        for b in vortons {
            for (x, z) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
                let place = b.position.as_dvec3() - DVec3::X * (-0.4);
                let place = reflected(place, x, z) + DVec3::X * (-0.4);
                let strength = reflected(b.strength.as_dvec3(), x, z) * (x * z);
                let rho2 = (a.position.as_dvec3() - place).length_squared() / (CORE * CORE);
                energy += 0.5 * a.strength.as_dvec3().dot(strength) * potential(rho2);
            }
        }
    }
    energy
}

#[test]
fn the_energy_is_that_of_the_fluid_side() {
    let near = FilamentRing {
        centre: Vec3::new(0.0, 0.0, 0.15),
        axis: Vec3::new(0.1, 0.0, -1.0),
        radius: 0.3,
        circulation: 1.0,
        core_radius: CORE as f32,
        count: 80,
    };
    let near = near.vortons().expect("constants in range");
    for (name, vortons) in [("noise", noise(10.0)), ("ring", near)] {
        let wanted = oracle(&vortons);
        let found = |params: Params| {
            let (mut sim, mut bodies) = world(params, &vortons, &corner());
            sim.step(&Serial, &mut bodies, 0.0).expect("a step of no length");
            sim.stats().energy
        };
        let direct = found(params(SolverKind::Direct));
        assert!((direct / wanted - 1.0).abs() < 1e-6, "{name}: {direct} {wanted}");
        let mesh = found(Params { nodes_per_core: 4.0, ..params(SolverKind::Mesh) });
        println!("{name}: {direct} {mesh} {wanted}");
        assert!((mesh / wanted - 1.0).abs() < 0.003, "{name}: {mesh} {wanted}");
    }
}

/// Returns the largest energy relative to the first, in steps of random lengths with default settings.
fn largest_energy(mut sim: VortexSim, bodies: &[BodyDef], steps: u64) -> f64 {
    let pool = Pool::new(2).expect("threads start");
    let (_, mut bodies) = world(*sim.params(), &[], bodies);
    let random = Random::new(77);
    let (mut first, mut largest) = (0.0, 0.0_f64);
    for step in 0..steps {
        let dt = 1.0 / 144.0 + random.unit(step) * (1.0 / 15.0 - 1.0 / 144.0);
        sim.step(&pool, &mut bodies, dt).expect("a finite step");
        let energy = sim.stats().energy;
        if first == 0.0 {
            first = energy;
        }
        largest = largest.max(energy / first);
        assert!(energy.is_finite());
    }
    assert_eq!(sim.stats().non_finite, 0);
    largest
}

#[test]
fn a_ring_on_a_floor_has_no_more_than_at_first() {
    for (solver, steps) in [(SolverKind::Direct, 2000), (SolverKind::Mesh, 80)] {
        let floor = Pose::IDENTITY;
        let (sim, _) = world(params(solver), &ring(&floor, 0.8, 128), &[]);
        let largest = largest_energy(sim, &[half_space(floor)], steps);
        println!("ring, {solver:?}: {largest}");
        assert!(largest < 1.1, "{solver:?}: {largest}");
    }
}

#[test]
fn noise_in_a_corner_has_no_more_than_at_first() {
    has_no_more_than_at_first(&[(SolverKind::Direct, 600), (SolverKind::Mesh, 200)]);
}

#[test]
#[ignore = "long"]
fn noise_in_a_corner_has_no_more_than_at_first_for_thousands_of_steps() {
    has_no_more_than_at_first(&[(SolverKind::Direct, 2000)]);
}

fn has_no_more_than_at_first(runs: &[(SolverKind, u64)]) {
    for &(solver, steps) in runs {
        let (sim, _) = world(params(solver), &noise(20.0), &[]);
        let largest = largest_energy(sim, &corner(), steps);
        println!("noise, {solver:?}: {largest}");
        assert!(largest < 1.1, "{solver:?}: {largest}");
    }
}
