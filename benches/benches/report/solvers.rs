//! Direct sum against mesh over numbers of vortons, and the choice of `Auto`; on one core.

use benches::clouds::{SPACING, scattered};
use benches::timing::{least, seconds};
use benches::{rings, world};
use fluid_core::boundary::NoBodies;
use fluid_core::math::Random;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_core::stats::Stage;
use fluid_core::velocity::SolverKind;
use fluid_threads::Serial;

const COUNTS: [usize; 11] = [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536];
/// Largest number of vortons for direct sums: beyond it they take seconds, and are never the faster solver.
const MOST_DIRECT: usize = 16_384;
/// Largest total time \[s\] for one number of vortons, and the least number of pairs of steps of each
/// solver within it.
const TIME: f64 = 0.25;
const LEAST_PAIRS: usize = 4;
const MOST_PAIRS: usize = 100;

pub(crate) const CLOUDS: [&str; 2] = ["rings", "scattered"];

/// One cloud.
pub(crate) struct Sizes {
    pub(crate) cloud: &'static str,
    pub(crate) count: usize,
    /// Nodes of the mesh.
    pub(crate) nodes: usize,
    /// Time of a step \[ms\], unless it takes too long.
    pub(crate) direct: Option<f64>,
    pub(crate) mesh: f64,
    pub(crate) auto: f64,
    /// Time of the mesh's velocity solve alone \[ms\].
    pub(crate) mesh_solve: f64,
    pub(crate) auto_takes_mesh: bool,
}

impl Sizes {
    /// Returns the time with `Auto` over that of the faster solver \[1\].
    pub(crate) fn auto_over_best(&self) -> f64 {
        self.auto / self.direct.unwrap_or(f64::INFINITY).min(self.mesh)
    }
}

/// Measures both clouds with all sizes.
pub(crate) fn measure() -> Vec<Sizes> {
    CLOUDS.into_iter().flat_map(|cloud| COUNTS.map(|count| sizes(cloud, count))).collect()
}

fn world_of(cloud: &str, count: usize, solver: SolverKind) -> VortexSim {
    if cloud == CLOUDS[0] {
        return rings(count, solver);
    }
    let random = Random::new(3);
    let volume = SPACING.powi(3);
    let vorton = |(i, position): (u64, glam::Vec3)| Vorton {
        position,
        strength: random.centred_vec3(i) * volume,
        volume,
        ..Vorton::default()
    };
    let vortons: Vec<Vorton> = (0..).zip(scattered(count)).map(vorton).collect();
    world(&vortons, SPACING, solver)
}

/// Times of steps with negligible motion. Every second step computes the energy, so two steps are one
/// measurement.
struct Steps {
    sim: VortexSim,
    times: Vec<f64>,
    solves: Vec<f64>,
}

impl Steps {
    fn of(sim: VortexSim) -> Self {
        let mut steps = Self { sim, times: Vec::new(), solves: Vec::new() };
        steps.take_two();
        (steps.times, steps.solves) = (Vec::new(), Vec::new());
        steps
    }

    fn take_two(&mut self) {
        let mut solve = 0.0;
        let time = seconds(|| {
            for _ in 0..2 {
                self.sim.step(&Serial, &mut NoBodies, 1e-6).expect("dt is finite");
                solve += self.sim.stats().milliseconds(Stage::Velocity);
            }
        });
        self.times.push(0.5e3 * time);
        self.solves.push(0.5 * solve);
    }
}

fn sizes(cloud: &'static str, count: usize) -> Sizes {
    let kinds = [SolverKind::Mesh, SolverKind::Auto, SolverKind::Direct];
    let kinds = if count > MOST_DIRECT { &kinds[..2] } else { &kinds[..] };
    let mut worlds: Vec<Steps> = kinds.iter().map(|kind| Steps::of(world_of(cloud, count, *kind))).collect();
    let mut taken = 0.0;
    for pair in 0..MOST_PAIRS {
        if pair >= LEAST_PAIRS && taken > TIME {
            break;
        }
        taken += seconds(|| worlds.iter_mut().for_each(Steps::take_two));
    }
    let [mesh, auto] = [0, 1].map(|i: usize| least(&worlds[i].times));
    Sizes {
        cloud,
        count,
        nodes: worlds[0].sim.stats().mesh_nodes,
        direct: worlds.get(2).map(|steps| least(&steps.times)),
        mesh,
        auto,
        mesh_solve: least(&worlds[0].solves),
        auto_takes_mesh: worlds[1].sim.field().is_on_mesh(),
    }
}
