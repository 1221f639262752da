//! Runs a scene of the table without rendering and prints its results: the Rust twin of the C examples.
//!
//!     cargo run --release -p fluid-scenes --example run_scene -- ring
//!     cargo run --release -p fluid-scenes --example run_scene -- ring pool

use fluid_core::stats::Stage;
use fluid_scenes::run::Run;
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
    let mut world = Run::new(scene)?;
    println!("{}\n{}", scene.title, scene.expected);
    let (before, energy_before) = (world.sim.moments(exec), world.sim.pair_sums(exec).energy);
    let dt = scene.dt / scene.substeps as f32;
    let mut milliseconds = [0.0; Stage::ALL.len()];
    let mut largest_stretch = 0.0_f32;
    let bar = ProgressBar::new(u64::from(scene.frames));
    for _ in 0..scene.frames {
        for _ in 0..scene.substeps {
            world.step(exec, dt)?;
            largest_stretch = largest_stretch.max(world.sim.stats().stretch_number);
            for (sum, stage) in milliseconds.iter_mut().zip(Stage::ALL) {
                *sum += world.sim.stats().milliseconds(stage);
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();

    let Run { sim, tracers, .. } = &world;
    let (after, energy_after) = (sim.moments(exec), sim.pair_sums(exec).energy);
    let steps = f64::from(scene.frames * scene.substeps);
    println!("vortons {}, tracers {}, steps {steps}", sim.vortons().len(), tracers.len());
    match sim.stats().mesh_nodes {
        0 => println!("summed directly"),
        nodes => println!("mesh of {nodes} nodes"),
    }
    println!("largest stretch number {largest_stretch:.3}");
    for (sum, stage) in milliseconds.iter().zip(Stage::ALL) {
        println!("{:>10} {:8.3} ms per step", stage.name(), sum / steps);
    }
    let vector = |v: glam::DVec3| format!("({:.4}, {:.4}, {:.4})", v.x, v.y, v.z);
    println!("impulse {} -> {}", vector(before.linear_impulse), vector(after.linear_impulse));
    println!("energy {energy_before:.4} -> {energy_after:.4}");
    let scale = after.strength_magnitude.max(f64::MIN_POSITIVE);
    println!("total strength {:.1e} of the sum of strengths", after.total_strength.length() / scale);
    for (index, (rigid, impulse)) in world.rigid_bodies.iter().zip(&world.impulses).enumerate() {
        println!(
            "body {index} at {}, {:.4} m/s, spin {} rad/s, {:.2} K",
            vector(rigid.position()),
            rigid.velocity().length(),
            vector(rigid.angular_velocity()),
            world.bodies.list()[index].temperature(),
        );
        let (linear, angular) = (vector(impulse.linear), vector(impulse.angular));
        println!("    it got {linear} N s, {angular} N m s, {:.4} J of heat", impulse.heat);
    }
    println!("state {:016x}", sim.state_hash());
    Ok(())
}
