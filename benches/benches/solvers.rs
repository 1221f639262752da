//! `cargo bench -p benches --bench solvers`: cost of a step with the direct sum, on the mesh and with
//! `Auto`, over numbers of vortons and kinds of clouds, with and without bodies, with and without tracers.
//! The last column is `Auto` over the better of the two. Rounds are interleaved, and the fastest of each is
//! taken.

use benches::backends;
use benches::clouds::{Cloud, SPACING, block, pair, ring, scattered, sheet};
use benches::timing::least;
use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::{Tracers, Vorton};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::SolverKind;
use fluid_threads::Executor;
use glam::Vec3;
use std::time::Instant;

struct World {
    sim: VortexSim,
    bodies: Bodies,
    tracers: Tracers,
}

impl World {
    fn new(places: &[Vec3], solver: SolverKind, floor: bool, tracers: usize) -> Self {
        let params = Params {
            core_radius: 1.5 * SPACING,
            solver,
            max_vortons: places.len(),
            max_grid_nodes: 1 << 22,
            ..Params::default()
        };
        let (low, high) = places.iter().fold((Vec3::MAX, Vec3::MIN), |(l, h), &x| (l.min(x), h.max(x)));
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid");
        if floor {
            let half = Vec3::new(0.6 * (high.x - low.x) + 0.2, 0.6 * (high.y - low.y) + 0.2, 0.2);
            let position = (0.5 * (low + high)).with_z(low.z - half.z - 0.5 * SPACING);
            let state = BodyState { position, ..BodyState::default() };
            let shapes = vec![Shape::cuboid(half)];
            bodies.add(BodyDef { shapes, state, mass: f32::INFINITY, ..BodyDef::default() }).expect("valid");
        }
        let random = Random::new(3);
        let volume = SPACING.powi(3);
        let vorton = |(i, &position): (u64, &Vec3)| Vorton {
            position,
            strength: random.centred_vec3(i) * volume,
            volume,
            ..Vorton::default()
        };
        let vortons: Vec<Vorton> = (0..).zip(places).map(vorton).collect();
        let mut sim = VortexSim::new(params).expect("valid");
        sim.add_vortons(&vortons).expect("there is room");
        let mut set = Tracers::with_capacity(tracers);
        for i in 0..tracers as u64 {
            set.push(low + (random.centred_vec3(i) + 0.5) * (high - low));
        }
        Self { sim, bodies, tracers: set }
    }

    /// Milliseconds of a step with negligible motion.
    fn step(&mut self, exec: &dyn Executor) -> f64 {
        let start = Instant::now();
        self.sim.step(exec, &mut self.bodies, 1e-6).expect("dt is finite");
        if !self.tracers.is_empty() {
            self.sim.advance_tracers(exec, &mut self.bodies, &mut self.tracers, 1e-6);
        }
        start.elapsed().as_secs_f64() * 1e3
    }
}

/// Largest number of vortons for direct sums: beyond it they take too long, and are never the faster solver.
const MOST_DIRECT: usize = 16_384;

fn measure(exec: &dyn Executor, name: &str, places: &[Vec3], floor: bool, tracers: usize) -> f64 {
    let kinds = [SolverKind::Direct, SolverKind::Mesh, SolverKind::Auto];
    let kinds = if places.len() > MOST_DIRECT { &kinds[1..] } else { &kinds[..] };
    let mut worlds: Vec<World> = kinds.iter().map(|&kind| World::new(places, kind, floor, tracers)).collect();
    worlds.iter_mut().for_each(|world| _ = world.step(exec));
    let mut times = vec![Vec::new(); kinds.len()];
    let start = Instant::now();
    while times[0].len() < 5 || (times[0].len() < 101 && start.elapsed().as_secs_f32() < 0.5) {
        for (world, times) in worlds.iter_mut().zip(&mut times) {
            times.push(world.step(exec));
        }
    }
    let times: Vec<f64> = times.iter().map(|times| least(times)).collect();
    let auto = times[times.len() - 1];
    let best = times[..times.len() - 1].iter().copied().fold(f64::INFINITY, f64::min);
    let direct = if times.len() == 3 { format!("{:9.3}", times[0]) } else { "        -".into() };
    let nodes = worlds[kinds.len() - 2].sim.stats().mesh_nodes;
    println!(
        "{name:>12} {:>6} {nodes:>8} {tracers:>7} {direct} {:9.3} {auto:9.3} {:6} {:6.2}",
        places.len(),
        times[times.len() - 2],
        if worlds[kinds.len() - 1].sim.field().is_on_mesh() { "mesh" } else { "direct" },
        auto / best
    );
    auto / best
}

fn main() {
    // As with criterion's benches, words on the command line select cases.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|word| name.contains(word.as_str()));
    let clouds: [(&str, Cloud, bool); 6] = [
        ("block", block, false),
        ("floor", block, true),
        ("sheet", sheet, false),
        ("ring", ring, false),
        ("pair", pair, false),
        ("scattered", scattered, false),
    ];
    for (backend, exec) in backends() {
        if !is_wanted(backend) && wanted.iter().any(|word| ["serial", "pool"].contains(&word.as_str())) {
            continue;
        }
        println!(
            "{backend}\n       cloud  count    nodes tracers direct ms   mesh ms   auto ms choice   auto : best"
        );
        let mut worst = 0.0_f64;
        for (name, cloud, floor) in clouds {
            if !is_wanted(name) && wanted.iter().any(|word| clouds.iter().any(|cloud| cloud.0 == word)) {
                continue;
            }
            for count in [16, 64, 128, 256, 384, 512, 768, 1024, 1448, 2048, 4096, 16_384, 65_536] {
                // A ring with more vortons is longer than any mesh.
                if name == "ring" && count > 1024 {
                    continue;
                }
                for tracers in [0, 8192, 65_536] {
                    worst = worst.max(measure(&*exec, name, &cloud(count), floor, tracers));
                }
            }
        }
        println!("worst {worst:.2}");
    }
}
