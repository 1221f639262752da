//! `cargo bench -p benches --bench energy_budget`: cost of a step with the energy budget relative to one
//! without, in flows from which the budget removes nothing (a thick ring, direct and on the mesh) and in
//! one from which it does (noise). Rounds are interleaved, and the fastest of each is taken.

use fluid_core::boundary::NoBodies;
use fluid_core::initial::{Noise, VortexRing};
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::SolverKind;
use fluid_threads::Serial;
use glam::Vec3;
use std::time::Instant;

const CORE: f32 = 0.15;
const ROUNDS: usize = 12;
const STEPS: usize = 20;

fn ring() -> Vec<Vorton> {
    let (centre, axis) = (Vec3::ZERO, Vec3::Z);
    let ring = VortexRing { centre, axis, radius: 1.0, thickness: 0.4, circulation: 2.3, spacing: 0.1 };
    ring.vortons().expect("in range")
}

fn noise() -> Vec<Vorton> {
    let noise = Noise { centre: Vec3::ZERO, extent: Vec3::ONE, spacing: 0.1, amplitude: 30.0, seed: 1 };
    noise.vortons().expect("in range")
}

fn main() {
    println!(
        "{:>12} {:>8} {:>8} {:>10} {:>10} {:>6} {:>6}",
        "cloud", "vortons", "solver", "off ms", "on ms", "ratio", "acted"
    );
    for (name, vortons) in [("thick ring", ring()), ("noise", noise())] {
        for solver in [SolverKind::Direct, SolverKind::Mesh] {
            let mut worlds = [false, true].map(|energy_budget| {
                let params = Params { core_radius: CORE, solver, energy_budget, ..Params::default() };
                let mut sim = VortexSim::new(params).expect("valid parameters");
                sim.add_vortons(&vortons).expect("valid vortons");
                sim
            });
            let (mut fastest, mut acted) = ([f64::INFINITY; 2], 0);
            for _ in 0..ROUNDS {
                for (sim, fastest) in worlds.iter_mut().zip(&mut fastest) {
                    let start = Instant::now();
                    for _ in 0..STEPS {
                        sim.step(&Serial, &mut NoBodies, 1.0 / 120.0).expect("a finite step");
                        acted += u32::from(sim.stats().energy_removed > 0.0);
                    }
                    *fastest = fastest.min(start.elapsed().as_secs_f64() * 1e3 / STEPS as f64);
                }
            }
            let [off, on] = fastest;
            println!(
                "{name:>12} {:>8} {solver:>8?} {off:>10.3} {on:>10.3} {:>6.3} {acted:>6}",
                vortons.len(),
                on / off
            );
        }
    }
}
