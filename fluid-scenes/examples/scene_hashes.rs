//! Prints a hash of every scene after some frames: the same on every processor. `cargo run --example
//! scene_hashes [frames] [scene...]`; the full check compares the output of x86-64 and aarch64.
//!
//! A hash covers the fluid, the bodies, the fluid's reactions on them, and the smoke.

use fluid_core::math::Fnv1a;
use fluid_scenes::all;
use fluid_scenes::run::Run;
use fluid_threads::Serial;

fn hash(run: &Run) -> u64 {
    let mut hash = Fnv1a::continued(run.sim.state_hash());
    let mut eat = |numbers: &[f64]| numbers.iter().for_each(|number| hash.eat(number.to_bits()));
    for (body, impulse) in run.bodies.list().iter().zip(&run.impulses) {
        let state = body.state();
        for vector in [state.position, state.velocity, state.angular_velocity] {
            eat(&vector.to_array().map(f64::from));
        }
        eat(&state.rotation.to_array().map(f64::from));
        eat(&impulse.linear.to_array());
        eat(&impulse.angular.to_array());
        eat(&[impulse.heat, impulse.lost_energy, body.temperature()]);
    }
    for place in run.tracers.positions() {
        eat(&place.to_array().map(f64::from));
    }
    hash.value()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let frames: u32 = arguments.next().map_or(Ok(2), |frames| frames.parse())?;
    let wanted: Vec<_> = arguments.collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|other| other == name);
    for scene in all().iter().filter(|scene| is_wanted(scene.name)) {
        let mut run = Run::new(scene)?;
        // Every hundredth tracer: emulators are slow.
        let mut number = 0_u32;
        run.tracers.retain(|_, _| {
            number += 1;
            number % 100 == 1
        });
        for _ in 0..frames {
            run.frame(&Serial)?;
        }
        println!("{:016x} {}", hash(&run), scene.name);
    }
    Ok(())
}
