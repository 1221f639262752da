//! Effects some metres apart exchange neither strength nor energy, and no more impulse than their flows do:
//! a step gives back, and the energy budget removes, the error of the effect that has made it.

use fluid_core::boundary::NoBodies;
use fluid_core::emitter::{Emitter, EmitterDef, Nozzle};
use fluid_core::initial::{Disturbance, VortexRing};
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::{DVec3, Vec3};
use std::ops::Range;

const FPS: f32 = 60.0;

fn ring(centre: Vec3, axis: Vec3, circulation: f32, disturbance: f32) -> Vec<Vorton> {
    let (radius, thickness, spacing) = (0.5, 0.2, 0.06);
    let ring = VortexRing { centre, axis: axis.normalize(), radius, thickness, circulation, spacing };
    let mut vortons = ring.vortons().expect("constants in range");
    let disturbance = Disturbance { position: disturbance, strength: 0.0, seed: 5 };
    disturbance.apply(spacing, &mut vortons).expect("constants in range");
    vortons
}

fn fan(x: f32) -> EmitterDef {
    let (position, nozzle) = (Vec3::X * x, Nozzle { radius: 0.4, speed: 4.0, ..Nozzle::default() });
    EmitterDef { position, rate: 0.0, nozzle: Some(nozzle), seed: 1, ..EmitterDef::default() }
}

/// Returns the fluid of these vortons and fans after `time` \[s\].
fn after(vortons: &[Vorton], fans: &[EmitterDef], time: f32) -> VortexSim {
    let mut sim = VortexSim::new(Params { core_radius: 0.1, ..Params::default() }).expect("valid");
    sim.add_vortons(vortons).expect("valid vortons");
    for fan in fans {
        sim.emitters_mut().push(Emitter::new(*fan).expect("a valid emitter"));
    }
    for _ in 0..(time * FPS) as u32 {
        sim.step(&Serial, &mut NoBodies, 1.0 / FPS).expect("a finite step");
    }
    sim
}

/// Returns Σ α and ½ Σ x × α of the vortons for which `is_in` holds, about `middle` \[m\].
fn sums(sim: &VortexSim, is_in: impl Fn(usize) -> bool, middle: Vec3) -> (DVec3, DVec3) {
    let vortons = sim.vortons();
    (0..vortons.len()).filter(|&row| is_in(row)).fold((DVec3::ZERO, DVec3::ZERO), |(sum, impulse), row| {
        let strength = vortons.strengths.get(row).as_dvec3();
        let place = (vortons.positions.get(row) - middle).as_dvec3();
        (sum + strength, impulse + 0.5 * place.cross(strength))
    })
}

/// Returns Σ α·α' / r over pairs of these vortons, in proportion to their energy.
fn energy(sim: &VortexSim, rows: Range<usize>) -> f64 {
    let vortons = sim.vortons();
    let one = |row: usize| (vortons.positions.get(row).as_dvec3(), vortons.strengths.get(row).as_dvec3());
    let of_pair =
        |a: (DVec3, DVec3), b: (DVec3, DVec3)| a.1.dot(b.1) / (a.0.distance_squared(b.0) + 0.01).sqrt();
    rows.clone().map(|row| rows.clone().map(|other| of_pair(one(row), one(other))).sum::<f64>()).sum()
}

/// Tests that a calm ring beside others keeps its sums, as alone.
fn keeps(name: &str, others: &[Vorton], fans: &[EmitterDef], time: f32) {
    let calm = ring(Vec3::ZERO, Vec3::Z, 1.0, 0.05);
    let rows = 0..calm.len();
    let of = |sim: &VortexSim| {
        let (strength, impulse) = sums(sim, |row| rows.contains(&row), Vec3::ZERO);
        (strength, impulse, energy(sim, rows.clone()))
    };
    let alone = of(&after(&calm, &[], time));
    let beside = of(&after(&[calm.as_slice(), others].concat(), fans, time));
    println!("{name}: {beside:.3?}, alone {alone:.3?}");
    assert!((beside.0 - alone.0).length() < 0.02, "{name}: a strength of {}", beside.0);
    assert!((beside.1 - alone.1).length() < 0.05 * alone.1.z, "{name}: an impulse of {}", beside.1);
    assert!((beside.2 / alone.2 - 1.0).abs() < 0.15, "{name}: an energy of {} of {}", beside.2, alone.2);
}

#[test]
fn a_ring_beside_a_fan() {
    keeps("fan", &[], &[EmitterDef { position: Vec3::new(4.0, 0.0, -1.0), ..fan(0.0) }], 2.0);
}

#[test]
fn a_ring_beside_a_collision() {
    let rings = [1.0, -1.0]
        .map(|side: f32| ring(Vec3::new(4.0, 0.05 * side, side), Vec3::new(0.0, 0.1, -side), 4.0, 0.2));
    keeps("collision", &rings.concat(), &[], 2.0);
}

#[test]
fn two_fans() {
    let time = 2.0;
    let right = sums(&after(&[], &[fan(0.0)], time), |_| true, Vec3::ZERO);
    let both = after(&[], &[fan(0.0), EmitterDef { seed: 2, ..fan(4.0) }], time);
    for middle in [0.0, 4.0] {
        let positions = &both.vortons().positions;
        let is_near = |row: usize| (positions.get(row).x - middle).abs() < 2.0;
        let (strength, impulse) = sums(&both, is_near, Vec3::X * middle);
        println!("fan at {middle}: {strength:.3}, {impulse:.3}, alone {:.3}", right.1);
        assert!(strength.length() < 0.02, "at {middle}: a strength of {strength}");
        assert!((impulse - right.1).length() < 0.1 * right.1.z, "at {middle}: an impulse of {impulse}");
    }
}
