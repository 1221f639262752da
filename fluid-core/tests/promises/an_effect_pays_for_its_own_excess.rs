//! Energy in excess of the budget is removed where the flow breaks up: a ring far away, which makes none,
//! keeps its own (E46).

use crate::common::{steps, world};
use fluid_core::emitter::{Emitter, EmitterDef};
use fluid_core::initial::{Noise, VortexRing};
use fluid_core::invariants::PairSums;
use fluid_core::params::Params;
use fluid_core::particles::{Vorton, Vortons};
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::Vec3;

const CORE: f32 = 0.1;

/// Distance between the ring and the other effect \[m\].
const APART: f32 = 20.0;

fn ring() -> Vec<Vorton> {
    let centre = Vec3::X * APART;
    let ring =
        VortexRing { centre, axis: Vec3::X, radius: 0.5, thickness: 0.2, circulation: 1.0, spacing: 0.08 };
    ring.vortons().expect("in range")
}

/// Energy of the ring by itself \[m⁵/s²\].
fn energy_of_ring(sim: &VortexSim, params: &Params) -> f64 {
    let (all, mut own) = (sim.vortons(), Vortons::default());
    let is_own = |row: &usize| all.positions.get(*row).x > 0.5 * APART;
    (0..all.len()).filter(is_own).for_each(|row| _ = own.push(all.get(row)));
    PairSums::of(&Serial, &own, params.kernel, CORE).energy
}

/// Returns the change of the ring's energy, relative to it, and the energy removed in `seconds` seconds
/// beside what `set_up` adds at the origin.
fn beside(params: Params, seconds: u32, set_up: &dyn Fn(&mut VortexSim)) -> (f64, f64) {
    let params = Params { core_radius: CORE, ..params };
    let mut sim = world(params, &ring());
    set_up(&mut sim);
    let (first, mut removed) = (energy_of_ring(&sim, &params), 0.0);
    for _ in 0..60 * seconds {
        steps(&mut sim, 1.0 / 60.0, 1);
        removed += sim.stats().energy_removed;
    }
    (energy_of_ring(&sim, &params) / first - 1.0, removed / first)
}

#[test]
fn what_a_plume_makes_is_not_taken_from_a_ring() {
    let params = Params { gravity: Vec3::NEG_Z * 9.81, ..Params::default() };
    let (change, removed) = beside(params, 3, &|sim| {
        let fire = EmitterDef {
            extent: Vec3::new(0.4, 0.4, 0.1),
            rate: 150.0,
            volume: 5e-4,
            temperature: Some(360.0),
            strength_spread: Vec3::splat(0.005),
            ..EmitterDef::default()
        };
        sim.emitters_mut().push(Emitter::new(fire).expect("valid"));
    });
    println!("beside a plume: {:.2} % of the ring's energy, removed {removed:.2} of it", 100.0 * change);
    // A ring by itself: 0.2 %; without weights -7 %.
    assert!(removed > 0.1 && change.abs() < 0.02, "{change} {removed}");
}

#[test]
fn what_noise_makes_is_not_taken_from_a_ring() {
    let (change, removed) = beside(Params::default(), 1, &|sim| {
        let extent = Vec3::splat(0.7);
        let noise = Noise { centre: Vec3::ZERO, extent, spacing: 0.1, amplitude: 40.0, seed: 3 };
        sim.add_vortons(&noise.vortons().expect("in range")).expect("there is room");
    });
    println!("beside noise: {:.2} % of the ring's energy, removed {removed:.2} of it", 100.0 * change);
    assert!(removed > 0.1 && change.abs() < 0.02, "{change} {removed}");
}
