//! Costs of sums and meshes by counts alone, from which the method is chosen.

use crate::velocity::direct::MANY_STRAYS;

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
/// A far cell of a tree, for a block of targets; 65 with sixteen lanes.
const FAR_CELL: f64 = 120.0;
/// A source that is sorted into a tree, with its part in moments and local expansions.
const SORTED: f64 = 400.0;
/// The far cells of a tree at a target among others.
const FAR_TARGET: f64 = 60.0;
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

/// Samples of the field for each vorton and step that a choice counts on: not those of the host, on which the
/// fluid may not depend.
const NOMINAL_SAMPLES: f64 = 10.0;

/// Sources near a target in a tree, if there are so many \[1\].
const NEAR: usize = 350;

/// Sources near a target in a tree of vortons along a line \[1\].
const LEAST_NEAR: f64 = 40.0;

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
    strays_cost(outside, sources) > DEAR_STRAYS * mesh_cost(sources, nodes)
}

/// Returns the cost of the sums over sources `outside` of all meshes in two solves, and of nominal samples
/// among them.
pub(in crate::velocity) fn strays_cost(outside: usize, sources: usize) -> f64 {
    let direct = direct_cost(outside, sources);
    if outside < MANY_STRAYS {
        direct
    } else {
        direct.min(part_cost(outside) + 2.0 * sources as f64 * FAR_TARGET)
    }
}

/// Returns a lower bound on the sum of [`tree_costs`] for so many sources.
pub(super) fn least_of_tree(sources: usize) -> f64 {
    sources as f64 * (2.0 * (LEAST_NEAR * PAIR_WITH_GRADIENT + SORTED) + NOMINAL_SAMPLES * LEAST_NEAR * PAIR)
}

/// Returns the cost of two solves by a tree of so many sources that are a part of it, and of nominal samples
/// among them.
pub(super) fn part_cost(sources: usize) -> f64 {
    let near = sources.min(NEAR) as f64;
    sources as f64
        * (2.0 * (near * PAIR_WITH_GRADIENT + SORTED) + NOMINAL_SAMPLES * (near * PAIR + FAR_TARGET))
}

/// Returns the cost of nominal samples among so many sources that are on a mesh.
pub(in crate::velocity) fn samples_on_mesh(sources: usize) -> f64 {
    NOMINAL_SAMPLES * sources as f64 * SAMPLE
}

/// Returns the cost of two direct solves of `sources` at `vortons`.
pub(in crate::velocity) fn direct_cost(sources: usize, vortons: usize) -> f64 {
    2.0 * sources as f64 * vortons as f64 * PAIR_WITH_GRADIENT
}

/// Returns the cost of two solves by a tree of so many sources, of which `near` pairs are summed and `far`
/// cells translated, and that of nominal samples among them.
pub(super) fn tree_costs(sources: usize, [near, far]: [usize; 2]) -> [f64; 2] {
    let (near, far, all) = (near as f64, far as f64 * FAR_CELL, sources as f64);
    let solves = 2.0 * (near * PAIR_WITH_GRADIENT + far + all * SORTED);
    [solves, NOMINAL_SAMPLES * (near * PAIR + all * FAR_TARGET)]
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
