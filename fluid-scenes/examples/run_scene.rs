//! Runs a scene of the table without pictures and prints what it did: the Rust twin of the C examples.
//!
//!     cargo run --release -p fluid-scenes --example run_scene -- ring
//!     cargo run --release -p fluid-scenes --example run_scene -- ring pool

use fluid_core::coupling::NoBodies;
use fluid_core::params::Params;
use fluid_core::particles::Tracers;
use fluid_core::sim::VortexSim;
use fluid_core::stats::Stage;
use fluid_scenes::{Scene, all, by_name};
use fluid_threads::{Executor, Pool, Serial};
use indicatif::ProgressBar;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.first().map_or("ring", String::as_str);
    let names: Vec<_> = all().iter().map(|scene| scene.name).collect();
    let scene = by_name(name).ok_or_else(|| format!("no scene {name:?}; there are {}", names.join(", ")))?;
    let exec: Box<dyn Executor> = match arguments.get(1).map(String::as_str) {
        None | Some("serial") => Box::new(Serial),
        Some("pool") => Box::new(Pool::new(std::thread::available_parallelism()?.get())?),
        Some(other) => return Err(format!("no backend {other:?}; there are serial and pool").into()),
    };
    run(scene, &*exec)
}

fn run(scene: &Scene, exec: &dyn Executor) -> Result<(), Box<dyn Error>> {
    let vortons = (scene.vortons)();
    let mut sim = VortexSim::new(Params {
        core_radius: scene.core_radius,
        relaxation_rate: scene.relaxation_rate,
        max_vortons: vortons.len(),
        ..Params::default()
    })?;
    sim.add_vortons(&vortons)?;
    let mut tracers = Tracers::with_capacity(scene.tracer_count);
    for position in (scene.tracers)() {
        tracers.push(position);
    }

    println!("{}\n{}", scene.title, scene.expected);
    let (before, energy_before) = (sim.moments(exec), sim.pair_sums(exec).energy);
    let dt = scene.dt / scene.substeps as f32;
    let mut milliseconds = [0.0; Stage::ALL.len()];
    let mut largest_stretch = 0.0_f32;
    let bar = ProgressBar::new(u64::from(scene.frames));
    for _ in 0..scene.frames {
        for _ in 0..scene.substeps {
            sim.step(exec, &mut NoBodies, dt)?;
            sim.advance_tracers(exec, &mut NoBodies, &mut tracers, dt);
            largest_stretch = largest_stretch.max(sim.stats().stretch_number);
            for (sum, stage) in milliseconds.iter_mut().zip(Stage::ALL) {
                *sum += sim.stats().milliseconds(stage);
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();

    let (after, energy_after) = (sim.moments(exec), sim.pair_sums(exec).energy);
    let steps = f64::from(scene.frames * scene.substeps);
    println!("vortons {}, tracers {}, steps {steps}", sim.vortons().len(), tracers.len());
    println!("largest stretch number {largest_stretch:.3}");
    for (sum, stage) in milliseconds.iter().zip(Stage::ALL) {
        println!("{:>10} {:8.3} ms per step", stage.name(), sum / steps);
    }
    let impulse_scale =
        before.linear_impulse.length().max(before.strength_magnitude * f64::from(scene.core_radius));
    let impulse_drift = (after.linear_impulse - before.linear_impulse).length() / impulse_scale;
    let strength_drift = (after.total_strength - before.total_strength).length() / before.strength_magnitude;
    println!(
        "drift: impulse {impulse_drift:.1e}, total strength {strength_drift:.1e}, energy {:.1e}",
        energy_after / energy_before - 1.0
    );
    println!("state {:016x}", sim.state_hash());
    Ok(())
}
