//! Convolution of strengths on a mesh with the Biot-Savart kernel in free space: Hockney's doubling.
//!
//! Each axis is padded with as many zeros as it has nodes, so that no image acts on its neighbours (Hockney
//! and Eastwood, Computer Simulation Using Particles, 1988, section 6-5-4). Transforms skip data known to
//! be zero and results that are not needed:
//! * Along x, only lines with sources are transformed; along y, only planes with sources; only z is fully
//!   padded; the same backwards.
//! * A padded transform of 2n is two transforms of n: the even modes are those of the line, the odd ones
//!   those of the line times e^(-iπt/n). So modes are stored "folded": the even ones first, then the odd
//!   ones.
//! * Mode n of an axis (Nyquist) is never computed. It can be omitted because no two nodes are n apart, so
//!   the kernel at distance n is free: the table chooses it so that mode n vanishes.
//!
//! The kernel is divided by the square of the quadratic spline's transform, which undoes the smoothing of
//! both transfers.

use super::kernel_table::{KernelTable, Output, TABLE_PARTS, Transfers};
use super::lines::{Axis, MAX_NODES, run_with_lines};
use super::memory::{Ready, Scratch};
use super::passes::{Components, ConvolveRows, ModesToPlanes, PassResults, PlanesToModes};
use super::plan::Plan;
use crate::grid::BOX_SIZES;
use crate::lanes::{InstructionSet, LaneBlock};
use crate::math::at_least;
use crate::saved::{LoadError, Reader, Saved, Writer, check};
use crate::velocity::kernel::Kernel;
use fluid_threads::{Executor, Rows, Strips, for_each_chunk_mut};
use glam::Vec4;
use std::ops::Range;
use std::sync::Arc;

/// Convolution of strengths on the nodes of a box with the kernel, in free space.
#[derive(Debug, Clone)]
pub(crate) struct Convolution {
    instruction_set: InstructionSet,
    kernel_table: KernelTable,
    /// Axes of all lengths used so far.
    axes: Vec<Arc<Axis>>,
    plan: Option<Plan>,
    /// Plan for other dims: made ahead, or the previous one; and the number of parts of its table that are
    /// made.
    other: Option<(Plan, usize)>,
    /// Solves before another plan may be begun ahead.
    solves_to_wait: u32,
    /// Number of blocks of memory that are ready; the touched part of a larger memory; and its size.
    planes_ready: Ready,
    next_touched: usize,
    next_planes: Ready,
    /// Twice the energy in the modes of each \[ky\].
    energies: Vec<f64>,
}

/// Solves between the begins of two plans made ahead: if the expected box alternates, such plans cost a
/// twentieth of the solves.
const SOLVES_BETWEEN_PLANS: u32 = 32;

/// Steps over which the memory of planes is touched.
const PLANES_PARTS: usize = 2;

impl Convolution {
    /// Creates a convolution with `kernel`, with a core radius of `nodes_per_core` cells (0.25 to 16).
    /// Allocates nothing yet.
    pub(crate) fn new(kernel: Kernel, nodes_per_core: f32, instruction_set: InstructionSet) -> Self {
        Self::with_transfers(kernel, nodes_per_core, instruction_set, Transfers::OF_SPLINES)
    }

    fn with_transfers(
        kernel: Kernel,
        nodes_per_core: f32,
        instruction_set: InstructionSet,
        transfers: Transfers,
    ) -> Self {
        debug_assert!((0.25..=16.0).contains(&nodes_per_core));
        Self {
            instruction_set,
            kernel_table: KernelTable::new(kernel, f64::from(nodes_per_core), transfers),
            axes: Vec::new(),
            plan: None,
            other: None,
            solves_to_wait: 0,
            planes_ready: Ready::default(),
            next_touched: 0,
            next_planes: Ready::default(),
            energies: Vec::new(),
        }
    }

    /// Sets the core radius in cells. The next [`resize`](Self::resize) makes the table anew.
    pub(crate) fn set_nodes_per_core(&mut self, nodes_per_core: f32) {
        debug_assert!((0.25..=16.0).contains(&nodes_per_core));
        self.kernel_table.set_core(f64::from(nodes_per_core));
        let plans = self.plan.iter_mut().chain(self.other.as_mut().map(|(plan, _)| plan));
        plans.for_each(|plan| plan.dims = [0; 3]);
        self.solves_to_wait = 0;
    }

    /// Returns the numbers of nodes along x, y, z; zeros before the first [`resize`](Self::resize), and
    /// after the core radius has changed.
    pub(crate) fn dims(&self) -> [usize; 3] {
        self.plan.as_ref().map_or([0; 3], |plan| plan.dims)
    }

    /// Prepares a solve for `dims` nodes along x, y, z, each a multiple of 8 from 8 to 256 without prime
    /// factors above 7. The table is kept if `dims` has not changed. The scratch's blocks hold each z
    /// plane's modes along x and y, \[ky\]\[kx block\]\[component\]: y is padded. The table is made there,
    /// too.
    pub(crate) fn resize(&mut self, exec: &dyn Executor, dims: [usize; 3], scratch: &mut Scratch) {
        self.solves_to_wait = self.solves_to_wait.saturating_sub(1);
        if self.dims() == dims {
            return;
        }
        let (plan, made) = self.other.take_if(|(other, _)| other.dims == dims).unwrap_or_else(|| {
            let (old, axes) = (self.other.take().map(|(plan, _)| plan), self.axes(dims));
            (Plan::new(old, self.instruction_set, axes), 0)
        });
        // Kept, because the box may alternate.
        self.other = self.plan.take().map(|plan| (plan, TABLE_PARTS));
        self.solves_to_wait = 0;
        let plan = self.with_parts(exec, plan, made..TABLE_PARTS, scratch);
        self.planes_ready.grow(plan.counted_planes());
        self.energies.resize(2 * dims[1], 0.0);
        self.plan = Some(plan);
    }

    /// Returns true if [`resize`](Self::resize) has no part of a table to make for these `dims`.
    pub(crate) fn has_table(&self, dims: [usize; 3]) -> bool {
        self.dims() == dims
            || self.other.as_ref().is_some_and(|(plan, made)| plan.dims == dims && *made == TABLE_PARTS)
    }

    /// Makes a part of the data that [`resize`](Self::resize) will need if these `dims` come next, so that
    /// another box delays no step: the memory first, then a fourth of the table. The planes are
    /// overwritten.
    pub(crate) fn make_ahead(&mut self, exec: &dyn Executor, dims: [usize; 3], scratch: &mut Scratch) {
        let begun = self.other.take_if(|(plan, _)| plan.dims == dims);
        let Some((plan, made)) = begun else {
            if self.solves_to_wait == 0 && self.dims() != dims {
                self.solves_to_wait = SOLVES_BETWEEN_PLANS;
                let (old, axes) = (self.other.take().map(|(plan, _)| plan), self.axes(dims));
                self.other = Some((Plan::new(old, self.instruction_set, axes), 0));
            }
            return;
        };
        let is_busy = made == TABLE_PARTS || self.touch_planes(&plan, scratch);
        let parts = made..if is_busy { made } else { made + 1 };
        let made = parts.end;
        let plan = if parts.is_empty() { plan } else { self.with_parts(exec, plan, parts, scratch) };
        self.other = Some((plan, made));
    }

    /// Allocates memory for a plan's planes, and touches a part of its pages: all of them take as long as
    /// half a solve. Returns false if all memory was ready.
    fn touch_planes(&mut self, plan: &Plan, scratch: &mut Scratch) -> bool {
        let len = plan.counted_memory();
        if !self.planes_ready.lacks(len) {
            return false;
        }
        if self.next_planes.lacks(len) {
            self.next_planes.set(len);
            self.next_touched = 0;
        }
        let blocks = plan.memory_len();
        scratch.touch_blocks(blocks, blocks.div_ceil(PLANES_PARTS));
        let part = len.div_ceil(PLANES_PARTS);
        self.next_touched = (self.next_touched + part).min(len);
        if self.next_touched == len {
            self.planes_ready = std::mem::take(&mut self.next_planes);
            self.next_touched = 0;
        }
        true
    }

    fn axes(&mut self, dims: [usize; 3]) -> [Arc<Axis>; 3] {
        assert!(
            dims.iter().all(|&nodes| nodes % 8 == 0 && (8..=MAX_NODES).contains(&nodes)),
            "dims {dims:?}"
        );
        dims.map(|nodes| {
            if let Some(known) = self.axes.iter().find(|axis| axis.nodes() == nodes) {
                return Arc::clone(known);
            }
            let new = Arc::new(Axis::new(nodes));
            self.axes.push(Arc::clone(&new));
            new
        })
    }

    /// Makes these parts of the plan's table, in the memory of the planes.
    fn with_parts(
        &mut self,
        exec: &dyn Executor,
        mut plan: Plan,
        parts: Range<usize>,
        scratch: &mut Scratch,
    ) -> Plan {
        self.planes_ready.grow(KernelTable::scratch_len(plan.dims));
        let blocks = scratch.take_blocks(plan.memory_len());
        let table = Output { kernel: &mut plan.kernel, green: &mut plan.green };
        self.kernel_table.fill(exec, plan.set, plan.dims, parts, table, blocks);
        plan
    }

    /// Computes the velocities at the nodes \[strength per cell²\], times these factors one after the
    /// other, from the strengths there (x, y, z; w is ignored). x runs fastest in both. Nothing is
    /// allocated. `source` and `out` have one element per node of [`dims`](Self::dims).
    pub(crate) fn velocities(
        &mut self,
        exec: &dyn Executor,
        source: &[Vec4],
        blocks: &mut Vec<LaneBlock>,
        factors: [f32; 2],
        out: &mut [Vec4],
    ) {
        let planes = self.planes(blocks);
        self.transform_planes(exec, Components::All, source, planes);
        self.convolve_rows(exec, PassResults::Velocities, planes);
        self.transform_back(exec, Components::All, planes, factors, out);
    }

    /// As [`velocities`](Self::velocities). Also returns the strengths' energy (E8) \[strength² per cell\].
    pub(crate) fn velocities_and_energy(
        &mut self,
        exec: &dyn Executor,
        source: &[Vec4],
        blocks: &mut Vec<LaneBlock>,
        factors: [f32; 2],
        out: &mut [Vec4],
    ) -> f64 {
        let planes = self.planes(blocks);
        self.transform_planes(exec, Components::All, source, planes);
        self.convolve_rows(exec, PassResults::Both, planes);
        self.transform_back(exec, Components::All, planes, factors, out);
        0.5 * self.energies.iter().sum::<f64>()
    }

    /// Computes only the energy of these strengths (E8) \[strength² per cell\].
    pub(crate) fn energy(
        &mut self,
        exec: &dyn Executor,
        source: &[Vec4],
        blocks: &mut Vec<LaneBlock>,
    ) -> f64 {
        let planes = self.planes(blocks);
        self.transform_planes(exec, Components::All, source, planes);
        self.convolve_rows(exec, PassResults::Energy, planes);
        0.5 * self.energies.iter().sum::<f64>()
    }

    /// Replaces strengths by these components of the vector potentials at the nodes \[strength per cell\],
    /// in a time proportional to the number of components: half the sum of the products of both is the
    /// [`energy`](Self::energy). The other components are left undefined.
    pub(crate) fn potentials(
        &mut self,
        exec: &dyn Executor,
        components: Components,
        nodes: &mut [Vec4],
        blocks: &mut Vec<LaneBlock>,
    ) {
        let planes = self.planes(blocks);
        self.transform_planes(exec, components, nodes, planes);
        self.convolve_rows(exec, PassResults::Potentials(components), planes);
        self.transform_back(exec, components, planes, [1.0; 2], nodes);
    }

    /// Replaces the rates of sources of volume, z of each node \[volume per time\], by the velocities of
    /// these sources at the nodes \[rate per cell²\], times these factors one after the other (E61). x and y
    /// are ignored.
    pub(crate) fn expansion(
        &mut self,
        exec: &dyn Executor,
        nodes: &mut [Vec4],
        blocks: &mut Vec<LaneBlock>,
        factors: [f32; 2],
    ) {
        let planes = self.planes(blocks);
        self.transform_planes(exec, Components::Z, nodes, planes);
        self.convolve_rows(exec, PassResults::Expansion, planes);
        self.transform_back(exec, Components::All, planes, factors, nodes);
    }

    /// Returns the memory of all planes.
    fn planes<'a>(&self, blocks: &'a mut Vec<LaneBlock>) -> &'a mut [LaneBlock] {
        at_least(blocks, self.plan.as_ref().map_or(0, Plan::planes_len), LaneBlock::ZERO)
    }

    fn transform_planes(
        &self,
        exec: &dyn Executor,
        components: Components,
        source: &[Vec4],
        planes: &mut [LaneBlock],
    ) {
        let Some(plan) = &self.plan else { return };
        let [nx, ny, nz] = plan.dims;
        assert!(source.len() == nx * ny * nz, "one element for each node");
        let stride = plan.plane_stride();
        for_each_chunk_mut(exec, 2 * stride, planes, &|start, planes: &mut [LaneBlock]| {
            let z = start / stride;
            let source = &source[z * nx * ny..][..2 * nx * ny];
            let planes = halves(planes);
            run_with_lines(plan.set, nx.max(ny), PlanesToModes { plan, components, source, planes });
        });
    }

    fn convolve_rows(&mut self, exec: &dyn Executor, wanted: PassResults, planes: &mut [LaneBlock]) {
        let Some(plan) = &self.plan else { return };
        let [_, ny, nz] = plan.dims;
        let strips = Strips::new(planes, plan.plane_stride(), 2 * ny, plan.row_blocks());
        let columns = (strips, self.energies.as_mut_slice());
        // 32 chunks of long boxes share the cost of clearing lines.
        for_each_chunk_mut(exec, ny.div_ceil(16), columns, &|first, (strip, energies)| {
            run_with_lines(plan.set, nz, ConvolveRows { plan, wanted, first, strip, energies });
        });
    }

    fn transform_back(
        &self,
        exec: &dyn Executor,
        components: Components,
        planes: &mut [LaneBlock],
        factors: [f32; 2],
        out: &mut [Vec4],
    ) {
        let Some(plan) = &self.plan else { return };
        let [nx, ny, nz] = plan.dims;
        assert!(out.len() == nx * ny * nz, "one element for each node");
        let columns = (Rows::new(planes, 2 * plan.plane_stride()), Rows::new(out, 2 * nx * ny));
        for_each_chunk_mut(exec, 1, columns, &|_, (planes, out): (&mut [LaneBlock], &mut [Vec4])| {
            let planes = halves(planes);
            run_with_lines(plan.set, nx.max(ny), ModesToPlanes { plan, components, planes, out, factors });
        });
    }
}

fn halves(planes: &mut [LaneBlock]) -> [&mut [LaneBlock]; 2] {
    let (first, second) = planes.split_at_mut(planes.len() / 2);
    [first, second]
}

impl Convolution {
    /// Saves the boxes for which there are tables, and the amount of ready memory: the steps in which a
    /// mesh makes tables must not depend on the world into which it was loaded.
    pub(super) fn save(&self, out: &mut Writer<'_>) {
        let Self {
            instruction_set: _,
            kernel_table: _,
            axes: _,
            plan,
            other,
            energies: _,
            solves_to_wait,
            planes_ready,
            next_touched,
            next_planes,
        } = self;
        // After the core radius has changed a plan is memory without a table: that is no part of the state.
        let is_of_core = |plan: &Plan| plan.dims != [0; 3];
        plan.as_ref().filter(|plan| is_of_core(plan)).map(|plan| plan.dims).save(out);
        other.as_ref().filter(|(plan, _)| is_of_core(plan)).map(|(plan, made)| (plan.dims, *made)).save(out);
        solves_to_wait.save(out);
        planes_ready.save(out);
        next_touched.save(out);
        next_planes.save(out);
    }

    /// Restores the tables for the saved boxes, of the same core: existing ones are kept, others are made.
    pub(super) fn load(&mut self, scratch: &mut Scratch, from: &mut Reader<'_>) -> Result<(), LoadError> {
        let plan: Option<[usize; 3]> = from.value()?;
        let other: Option<([usize; 3], usize)> = from.value()?;
        let are_dims = |dims: &[usize; 3]| dims.iter().all(|&n| BOX_SIZES.contains(&(n as i64)));
        check(plan.iter().chain(other.iter().map(|(dims, _)| dims)).all(are_dims))?;
        check(other.is_none_or(|(_, made)| made <= TABLE_PARTS))?;
        let mut known = [self.plan.take().map(|plan| (plan, TABLE_PARTS)), self.other.take()];
        // Both are looked up before one is made in the memory of an unwanted plan.
        let wanted = [plan.map(|dims| (dims, TABLE_PARTS)), other].map(|wanted| {
            let (dims, parts) = wanted?;
            let is_it =
                |known: &Option<(Plan, usize)>| known.as_ref().is_some_and(|(plan, _)| plan.dims == dims);
            Some((dims, parts, known.iter_mut().find(|known| is_it(known)).and_then(Option::take)))
        });
        let mut spares = known.into_iter().flatten().map(|(plan, _)| plan);
        let [plan, other] = wanted.map(|wanted| {
            let (dims, parts, found) = wanted?;
            let (plan, made) = found.unwrap_or_else(|| {
                let axes = self.axes(dims);
                (Plan::new(spares.next(), self.instruction_set, axes), 0)
            });
            let missing = made.min(parts)..parts;
            let is_made = missing.is_empty();
            Some((if is_made { plan } else { self.with_parts(from.exec, plan, missing, scratch) }, parts))
        });
        // The memory of an unwanted plan is kept for the next one.
        let spare = || spares.next().map(|plan| (Plan { dims: [0; 3], ..plan }, 0));
        (self.plan, self.other) = (plan.map(|(plan, _)| plan), other.or_else(spare));
        self.energies.resize(2 * self.dims()[1], 0.0);
        self.solves_to_wait.load(from)?;
        self.planes_ready.load(from)?;
        self.next_touched.load(from)?;
        self.next_planes.load(from)
    }
}

#[cfg(test)]
#[path = "convolution_tests.rs"]
mod tests;
