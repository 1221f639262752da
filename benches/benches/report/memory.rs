//! Heap memory per additional vorton, node or tracer.

use crate::heap;
use benches::rings;
use fluid_core::boundary::NoBodies;
use fluid_core::params::Params;
use fluid_core::particles::Tracers;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::SolverKind;
use fluid_threads::Serial;

/// Bytes for one of each.
pub(crate) struct Memory {
    /// Memory reserved for a vorton when the world is built, without diffusion.
    pub(crate) vorton: f64,
    /// The same with diffusion.
    pub(crate) diffusing_vorton: f64,
    /// Memory that steps on a mesh allocate per node in use.
    pub(crate) node: f64,
    /// Memory reserved for a tracer.
    pub(crate) tracer: f64,
}

pub(crate) fn measure() -> Memory {
    const COUNT: usize = 1 << 16;
    let world = |viscosity| {
        let of = |max_vortons| {
            let params = Params { max_vortons, viscosity, ..Params::default() };
            heap::of(|| VortexSim::new(params).expect("valid")).0
        };
        (of(2 * COUNT) - of(COUNT)) as f64 / COUNT as f64
    };
    let tracers = |count| heap::of(|| Tracers::with_capacity(count)).0;
    let mut sim = rings(4096, SolverKind::Mesh);
    let before = heap::taken();
    (0..4).for_each(|_| sim.step(&Serial, &mut NoBodies, 1e-6).expect("dt is finite"));
    Memory {
        vorton: world(0.0),
        diffusing_vorton: world(0.01),
        node: (heap::taken() - before) as f64 / sim.stats().mesh_nodes as f64,
        tracer: (tracers(2 * COUNT) - tracers(COUNT)) as f64 / COUNT as f64,
    }
}
