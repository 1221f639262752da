//! Many effects in one world: the time of a step for 1, 4, 8, 16 and 32 effects, 20 scales apart, over that
//! of so many worlds with one each. Serial, with developed effects; prints a Markdown table.
//!
//! `cargo bench -p benches --bench effects`

use benches::timing::{median, thread_seconds};
use fluid_core::boundary::NoBodies;
use fluid_core::emitter::Emitter;
use fluid_core::params::Params;
use fluid_core::particles::Tracers;
use fluid_core::presets::{Preset, PresetDef};
use fluid_core::sim::{TracerFeed, VortexSim};
use fluid_threads::Serial;
use glam::Vec3;
use std::error::Error;

const COUNTS: [usize; 5] = [1, 4, 8, 16, 32];

/// Steps of 1/60 s, of which the second half is measured.
const STEPS: usize = 180;

struct Effects {
    sim: VortexSim,
    /// Tracers of each effect, with their maximum age \[s\].
    sets: Vec<(Tracers, f32)>,
    /// Emitters with their tracers and the number of the set.
    feeds: Vec<(usize, TracerFeed, usize)>,
}

impl Effects {
    fn new(preset: Preset, vortons: u32, count: usize) -> Result<Self, Box<dyn Error>> {
        let def = PresetDef { vortons, tracers: 3000, ..PresetDef::new(preset) };
        let params = Params { max_vortons: 60_000, ..def.params()? };
        let mut effects = Self { sim: VortexSim::new(params)?, sets: Vec::new(), feeds: Vec::new() };
        for i in 0..count {
            let position = Vec3::new((i % 4) as f32, (i / 4) as f32, 0.0) * (20.0 * def.scale);
            let effect = PresetDef { position, seed: 1 + i as u64, ..def }.effect(&params)?;
            effects.sim.add_vortons(&effect.vortons)?;
            let mut tracers = Tracers::with_capacity(def.tracers as usize);
            for (place, tag) in effect.tracers {
                tracers.push_tagged(place, tag);
            }
            for source in &effect.sources {
                let emitter = effects.sim.emitters().len();
                effects.sim.emitters_mut().push(Emitter::new(source.emitter)?);
                let feed = TracerFeed { rate: source.tracer_rate, tag: source.tracer_tag, capacity: 3000 };
                effects.feeds.push((emitter, feed, i));
            }
            effects.sets.push((tracers, effect.tracer_age));
        }
        Ok(effects)
    }

    fn step(&mut self) -> Result<(), Box<dyn Error>> {
        let dt = 1.0 / 60.0;
        self.sim.step(&Serial, &mut NoBodies, dt)?;
        for (tracers, age) in &mut self.sets {
            tracers.retain_up_to(*age);
            self.sim.advance_tracers(&Serial, &mut NoBodies, tracers, dt);
        }
        for &(emitter, feed, set) in &self.feeds {
            self.sim.feed_tracers(&NoBodies, (emitter, feed), &mut self.sets[set].0, dt);
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("| effects | vortons | nodes of meshes, of density | ms a step | over as many worlds |");
    println!("|---|---|---|---|---|");
    for (name, preset, vortons) in
        [("smoke rings", Preset::SmokeRing, 150), ("campfires", Preset::Campfire, 300)]
    {
        let mut alone = 0.0;
        for count in COUNTS {
            let mut effects = Effects::new(preset, vortons, count)?;
            let mut times = Vec::new();
            for step in 0..STEPS {
                let start = thread_seconds();
                effects.step()?;
                if 2 * step >= STEPS {
                    times.push(1e3 * (thread_seconds() - start));
                }
            }
            let (time, stats) = (median(times), effects.sim.stats());
            alone = if count == 1 { time } else { alone };
            println!(
                "| {count} {name} | {} | {}, {} | {time:.2} | {:.2} |",
                effects.sim.vortons().len(),
                stats.mesh_nodes,
                stats.density_nodes,
                time / (alone * count as f64),
            );
        }
    }
    Ok(())
}
