//! Prints a hash of every scene after some frames: the same on every processor. `cargo run --example
//! scene_hashes [frames] [scene...]`; the full check compares the output of x86-64 and aarch64.
//!
//! A hash covers the fluid, the bodies, the fluid's reactions on them, and the smoke.

use fluid_scenes::all;
use fluid_scenes::run::Run;
use fluid_threads::Serial;

/// FNV-1a.
struct Hash(u64);

impl Hash {
    fn eat(&mut self, bits: u64) {
        self.0 = (self.0 ^ bits).wrapping_mul(0x0000_0100_0000_01b3);
    }

    fn all(&mut self, numbers: impl IntoIterator<Item = f64>) {
        numbers.into_iter().for_each(|number| self.eat(number.to_bits()));
    }
}

fn hash(run: &Run) -> u64 {
    let mut hash = Hash(run.sim.state_hash());
    for (body, impulse) in run.bodies.list().iter().zip(&run.impulses) {
        let state = body.state();
        for vector in [state.position, state.velocity, state.angular_velocity] {
            hash.all(vector.to_array().map(f64::from));
        }
        hash.all(state.rotation.to_array().map(f64::from));
        hash.all([impulse.linear, impulse.angular].into_iter().flat_map(|vector| vector.to_array()));
        hash.all([impulse.heat, impulse.lost_energy, body.temperature()]);
    }
    for place in run.tracers.positions() {
        hash.all(place.to_array().map(f64::from));
    }
    hash.0
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
