//! Cost of a tracer in a step, for the typical positions of tracers.

use benches::timing::{interleaved, median};
use benches::{many_tracers, simulation};
use fluid_bodies::Bodies;
use fluid_bodies::bodies::BodySettings;
use fluid_core::math::Random;
use fluid_core::particles::{ScalarQuantity, Tracers};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{FieldSampling, SolverKind};
use fluid_scenes::by_name;
use fluid_scenes::run::Run;
use fluid_threads::Executor;
use glam::Vec3;
use std::cell::RefCell;

const COUNT: usize = 65_536;
/// Number of tracers with the direct sum, which is slow enough with few.
const FEW: usize = 8192;
/// Number of rounds. Odd, so that the median is one of them; more than the steps from one sort of the
/// tracers to the next.
const ROUNDS: usize = 21;
/// Number of steps before the tracers of a scene are measured.
const WARM_UP: usize = 10;

/// Bytes that a tracer on the mesh moves in a step with trilinear sampling: position and age are read and
/// written, and twice 8 nodes of 16 bytes are read.
pub(crate) const BYTES: f64 = 32.0 + 2.0 * 8.0 * 16.0;

/// One kind.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// True if a tracer moves [`BYTES`].
    pub(crate) is_plain: bool,
    world: RefCell<World>,
    /// Time of a tracer \[ns\], with the threads of each executor.
    pub(crate) nanoseconds: Vec<(usize, f64)>,
}

struct World {
    sim: VortexSim,
    bodies: Bodies,
    tracers: Tracers,
}

impl World {
    fn advance(&mut self, exec: &dyn Executor) {
        self.sim.advance_tracers(exec, &mut self.bodies, &mut self.tracers, 1e-6);
    }
}

/// Measures all kinds with all executors, in turns.
pub(crate) fn measure(executors: &[(usize, Box<dyn Executor>)]) -> Vec<Kind> {
    let mut kinds = kinds();
    let mut calls: Vec<Box<dyn FnMut()>> = Vec::new();
    for kind in &kinds {
        for (_, exec) in executors {
            calls.push(Box::new(|| kind.world.borrow_mut().advance(&**exec)));
        }
    }
    let times = interleaved(ROUNDS, &mut calls);
    drop(calls);
    for (kind, times) in kinds.iter_mut().zip(times.chunks(executors.len())) {
        let count = kind.world.get_mut().tracers.len() as f64;
        let each = |times: &Vec<f64>| 1e9 * median(times.iter().copied()) / count;
        kind.nanoseconds =
            executors.iter().zip(times).map(|((threads, _), times)| (*threads, each(times))).collect();
    }
    kinds
}

fn kinds() -> Vec<Kind> {
    let kind =
        |name, is_plain, world| Kind { name, is_plain, world: RefCell::new(world), nanoseconds: Vec::new() };
    vec![
        kind("free, on the mesh, trilinear", true, ring(SolverKind::Mesh, FieldSampling::Trilinear, COUNT)),
        kind(
            "free, on the mesh, spline",
            false,
            ring(SolverKind::Mesh, FieldSampling::QuadraticSpline, COUNT),
        ),
        kind("free, outside of the mesh's box", false, outside()),
        kind(
            "free, direct sum over 1,312 vortons",
            false,
            ring(SolverKind::Direct, FieldSampling::Trilinear, FEW),
        ),
        kind("in a drop, showing nothing", true, drop_of_dye(None)),
        kind("in a drop, showing density", false, drop_of_dye(Some(ScalarQuantity::Density))),
        kind("in a container at rest", false, container("resting_tank")),
        kind("in a container that is shaken", false, container("shaken_tank")),
    ]
}

fn without_bodies(sim: VortexSim, tracers: Tracers) -> World {
    let bodies = Bodies::new(BodySettings::default(), sim.params()).expect("valid");
    World { sim, bodies, tracers }
}

fn ring(solver: SolverKind, sampling: FieldSampling, count: usize) -> World {
    let scene = by_name("ring").expect("a scene of the table");
    let mut world = without_bodies(simulation(scene, solver, sampling), many_tracers(scene, count));
    world.sim.step(&fluid_threads::Serial, &mut world.bodies, 0.0).expect("dt is finite");
    world
}

/// Tracers in a shell around the ring, two to four times as far from its centre as the farthest vorton.
fn outside() -> World {
    let mut world = ring(SolverKind::Mesh, FieldSampling::Trilinear, COUNT);
    let places: Vec<Vec3> = world.sim.vortons().positions.iter().collect();
    let middle = places.iter().sum::<Vec3>() / places.len() as f32;
    let reach = places.iter().map(|place| place.distance(middle)).fold(0.0, f32::max);
    let random = Random::new(6);
    let mut tracers = Tracers::with_capacity(COUNT);
    for i in 0..COUNT as u64 {
        let direction = random.centred_vec3(i).normalize_or(Vec3::X);
        tracers.push(middle + direction * reach * (2.0 + 2.0 * random.unit(i)));
    }
    world.tracers = tracers;
    world
}

fn drop_of_dye(carry: Option<ScalarQuantity>) -> World {
    let scene = by_name("dye_drop").expect("a scene of the table");
    let mut tracers = many_tracers(scene, COUNT);
    tracers.carry = carry;
    let mut world = without_bodies(simulation(scene, SolverKind::Mesh, FieldSampling::Trilinear), tracers);
    for _ in 0..WARM_UP {
        world.sim.step(&fluid_threads::Serial, &mut world.bodies, 1.0 / 60.0).expect("dt is finite");
    }
    world
}

/// Returns the scene with its own tracers, which are within its walls.
fn container(scene: &str) -> World {
    let scene = by_name(scene).expect("a scene of the table");
    let mut run = Run::new(scene).expect("scenes are valid");
    (0..WARM_UP).for_each(|_| run.frame(&fluid_threads::Serial).expect("a finite step"));
    World { sim: run.sim, bodies: run.bodies, tracers: run.tracers }
}
