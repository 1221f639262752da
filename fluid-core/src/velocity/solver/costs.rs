//! Costs of sums and meshes by counts alone, from which the method is chosen.

/// Hysteresis of `Auto`: it switches when the other method costs less than 1/this \[1\]. A tenth of the
/// vortons, a fifth of their pairs, may come and go without a switch.
pub(in crate::velocity) const STICKINESS: f64 = 1.25;

/// Cost of the vortons outside of the mesh, over that of the mesh \[1\], above which a coarser lattice is
/// worth its errors.
pub(super) const DEAR_STRAYS: f64 = 0.1;

/// One vorton's box with its margins \[nodes\].
pub(super) const SMALLEST_MESH: usize = 16 * 16 * 16;

/// Costs on one core \[ns\], measured once and fixed, so that the choice is the same on every machine. With
/// sixteen lanes a pair costs 0.95 and a node 33 to 58, with eight lanes a pair twice as much and a node a
/// third more; these values are between, so that neither is much more than 1.3 times off where direct sum
/// and mesh cost the same (`cargo bench -p benches --bench solvers`).
const PAIR_WITH_GRADIENT: f64 = 1.3;
/// One position and one source, without gradient; 0.54 with sixteen lanes.
pub(super) const PAIR: f64 = 0.75;
/// A node of the smallest mesh.
const NODE: f64 = 38.0;
/// Increase for each doubling of the mesh, which outgrows one cache level after the other.
const NODE_PER_DOUBLING: f64 = 4.0;
const VORTON: f64 = 100.0;
/// One sample read from a mesh, compared to a direct sum without sources; 3.6 with sixteen lanes.
pub(in crate::velocity) const SAMPLE: f64 = 4.5;
/// Ratio of the costs of reading 27 nodes and 8 \[1\].
pub(in crate::velocity) const QUADRATIC: f64 = 2.5;

/// Returns true if a solve on a mesh at cost `mesh` is chosen instead of a direct sum. The current choice
/// is kept until the other method is clearly better.
pub(in crate::velocity) fn takes_mesh(chosen: Option<bool>, mesh: f64, direct: f64) -> bool {
    match chosen {
        Some(true) => mesh < direct * STICKINESS,
        Some(false) => mesh * STICKINESS < direct,
        None => mesh < direct,
    }
}

/// Returns true if this many sources `outside` of a mesh of `nodes` nodes make a coarser lattice worth its
/// errors.
pub(in crate::velocity) fn are_dear(outside: usize, sources: usize, nodes: usize) -> bool {
    direct_cost(outside, sources) > DEAR_STRAYS * mesh_cost(sources, nodes)
}

/// Returns the cost of two direct solves of `sources` at `vortons`.
pub(in crate::velocity) fn direct_cost(sources: usize, vortons: usize) -> f64 {
    2.0 * sources as f64 * vortons as f64 * PAIR_WITH_GRADIENT
}

/// Returns the cost of two solves on the mesh.
pub(in crate::velocity) fn mesh_cost(sources: usize, nodes: usize) -> f64 {
    let doublings = (nodes / SMALLEST_MESH).max(1).ilog2();
    let node = NODE + NODE_PER_DOUBLING * f64::from(doublings);
    2.0 * (nodes as f64 * node + sources as f64 * VORTON)
}

/// Returns the cost of summing `samples` directly.
pub(in crate::velocity) fn sample_cost(samples: f64, sources: usize) -> f64 {
    samples * sources as f64 * PAIR
}
