//! The kernel's transform, by which strengths are multiplied: computed in f64, for one octant of wave
//! numbers.

use super::butterflies::{DOUBLES, Doubles, Real};
use super::lines::MAX_NODES;
use super::transform::{Line, LineMut, Transform};
use crate::lanes::{BLOCK, InstructionSet, Job, LaneBlock, Lanes, dispatch_exact};
use crate::velocity::kernel::Kernel;
use fluid_threads::{Executor, for_each_chunk_mut};
use std::f64::consts::PI;
use std::ops::Range;
use std::sync::Arc;

/// Maker of tables for one kernel, in memory lent by the caller.
#[derive(Debug, Clone)]
pub(super) struct KernelTable {
    kernel: Kernel,
    /// Core radius \[cells\].
    core: f64,
    transfers: Transfers,
    /// Axes of all lengths used so far.
    axes: Vec<Arc<TableAxis>>,
    /// Values of one profile, by the square of the distance \[cells²\].
    by_square: Vec<f64>,
}

/// Lines per transform of the table: two real lines in the lanes of a complex one.
const TABLE_LINES: usize = 2 * DOUBLES;

/// Separately made parts of a table: the kernel's three components, and the Green's function.
pub(super) const TABLE_PARTS: usize = 4;
/// Index of the Green's function among the parts.
const GREEN: usize = 3;

/// Destination of a table.
#[derive(Debug)]
pub(super) struct Output<'a> {
    /// Components of the kernel, \[|ky|\]\[kx block\]\[|kz|\]\[component\].
    pub(super) kernel: &'a mut [LaneBlock],
    /// Green's function, \[|ky|\]\[kx block\]\[|kz|\].
    pub(super) green: &'a mut [LaneBlock],
}

impl KernelTable {
    /// Creates tables of `kernel` with a core radius of `core` cells.
    pub(super) fn new(kernel: Kernel, core: f64, transfers: Transfers) -> Self {
        Self { kernel, core, transfers, axes: Vec::new(), by_square: Vec::new() }
    }

    /// Sets the core radius \[cells\] of later tables.
    pub(super) fn set_core(&mut self, core: f64) {
        self.core = core;
    }

    fn axis(&mut self, nodes: usize) -> Arc<TableAxis> {
        if let Some(known) = self.axes.iter().find(|axis| axis.nodes == nodes) {
            return Arc::clone(known);
        }
        let new = Arc::new(TableAxis::new(nodes, self.transfers));
        self.axes.push(Arc::clone(&new));
        new
    }

    /// Returns the number of blocks of scratch memory for [`fill`](Self::fill).
    pub(super) fn scratch_len(dims: [usize; 3]) -> usize {
        (scratch_lens(dims).iter().sum::<usize>() * size_of::<f64>()).div_ceil(size_of::<LaneBlock>())
    }

    /// Computes the given `parts` of the [`TABLE_PARTS`], over positive wave numbers, in f64 until the last
    /// rounding: the sine transforms of the kernel's three components, and the cosine transform of the
    /// Green's function, with which energies are summed. `set` determines the number of kx per block.
    /// `scratch` is overwritten.
    pub(super) fn fill(
        &mut self,
        exec: &dyn Executor,
        set: InstructionSet,
        dims: [usize; 3],
        parts: Range<usize>,
        output: Output<'_>,
        scratch: &mut [LaneBlock],
    ) {
        let [nx, ny, nz] = dims;
        let axes = dims.map(|nodes| self.axis(nodes));
        let (kernel, inverse_core) = (self.kernel, 1.0 / self.core);
        let by_square = &mut self.by_square;
        let row_len = row_len(nx);
        // The profile, its transform along z, and its transform along z and y.
        let [profile_len, first_len, second_len] = scratch_lens(dims);
        let (profile, rest) = LaneBlock::doubles_mut(scratch).split_at_mut(profile_len);
        let (first, rest) = rest.split_at_mut(first_len);
        let second = &mut rest[..second_len];
        let lanes = set.width();
        // Four doubles fill the vectors of AVX2.
        let set = if set == InstructionSet::Avx512 { InstructionSet::Avx2 } else { set };
        let table = Table { set, lanes, dims, axes: &axes, row_len };

        // The padded transforms, 8 times as long as there are nodes, are not normalised, and x yields
        // doubled modes: 1/16 for quantities linear in the modes, 1/32 for quadratic ones.
        let nodes = (nx * ny * nz) as f64;
        let velocity_scale = inverse_core.powi(3) / (4.0 * PI) / (16.0 * nodes);
        let energy_scale = inverse_core / (32.0 * nodes);

        // Component c is distance c times the profile: odd along that axis, even along the others.
        let velocity =
            |square: usize| velocity_scale * kernel.q_over_cube((square as f64).sqrt() * inverse_core);
        let energy = |square: usize| energy_scale * kernel.green((square as f64).sqrt() * inverse_core);
        // The previous part's profile, and its transform along z, are reused.
        let mut along_z = None;
        for part in parts {
            let symmetries: [Symmetry; 3] = std::array::from_fn(|axis| match part {
                GREEN => Symmetry::Green,
                component if component == axis => Symmetry::Odd,
                _ => Symmetry::Even,
            });
            if along_z.is_none() || part == GREEN {
                let value: &(dyn Fn(usize) -> f64 + Sync) = if part == GREEN { &energy } else { &velocity };
                make_profile(exec, dims, row_len, by_square, profile, value);
            }
            if along_z != Some(symmetries[2]) {
                table.along_z(exec, symmetries[2], profile, first);
                along_z = Some(symmetries[2]);
            }
            table.along_y(exec, symmetries[1], first, second);
            match part {
                GREEN => table.along_x(exec, symmetries[0], second, output.green, (1, 0)),
                component => table.along_x(exec, symmetries[0], second, output.kernel, (3, component)),
            }
        }
    }
}

/// Returns the number of values in a row along x: whole groups of lines.
fn row_len(nx: usize) -> usize {
    (nx + 1).next_multiple_of(TABLE_LINES)
}

/// Returns the lengths in doubles of the profile, its transform along z, and its transform along z and y.
fn scratch_lens([nx, ny, nz]: [usize; 3]) -> [usize; 3] {
    [(nz + 1) * (ny + 1), (ny + 1) * nz, nz * ny].map(|rows| rows * row_len(nx))
}

/// Computes values for distances 0..=n, \[z\]\[y\]\[x\], by the square of the distance.
fn make_profile(
    exec: &dyn Executor,
    [nx, ny, nz]: [usize; 3],
    row_len: usize,
    by_square: &mut Vec<f64>,
    profile: &mut [f64],
    value: &(dyn Fn(usize) -> f64 + Sync),
) {
    // Distances repeat: nine times on average in a cube of 24 nodes.
    let squares = nx * nx + ny * ny + nz * nz + 1;
    let few = squares < nx * ny * nz;
    by_square.clear();
    by_square.extend((0..if few { squares } else { 0 }).map(value));
    let known = by_square.as_slice();
    let plane_len = (ny + 1) * row_len;
    for_each_chunk_mut(exec, plane_len, profile, &|start, plane: &mut [f64]| {
        let z = start / plane_len;
        for (y, row) in plane.chunks_exact_mut(row_len).enumerate() {
            for (x, node) in row.iter_mut().enumerate() {
                let square = x * x + y * y + z * z;
                *node = match known.get(square) {
                    _ if x > nx => 0.0,
                    Some(value) => *value,
                    None => value(square),
                };
            }
        }
    });
}

/// Data shared by the passes along the axes.
struct Table<'a> {
    set: InstructionSet,
    lanes: usize,
    dims: [usize; 3],
    axes: &'a [Arc<TableAxis>; 3],
    /// Number of values in a row along x: whole groups of lines.
    row_len: usize,
}

impl Table<'_> {
    /// Transforms from \[z\]\[y\]\[x\] to \[y\]\[kz\]\[x\].
    fn along_z(&self, exec: &dyn Executor, symmetry: Symmetry, input: &[f64], out: &mut [f64]) {
        let (ny, row_len) = (self.dims[1], self.row_len);
        self.across_rows(exec, &self.axes[2], symmetry, input, ((ny + 1) * row_len, row_len), out);
    }

    /// Transforms from \[y\]\[kz\]\[x\] to \[kz\]\[ky\]\[x\].
    fn along_y(&self, exec: &dyn Executor, symmetry: Symmetry, input: &[f64], out: &mut [f64]) {
        let (nz, row_len) = (self.dims[2], self.row_len);
        self.across_rows(exec, &self.axes[1], symmetry, input, (nz * row_len, row_len), out);
    }

    /// Transforms along one axis. `step` is the stride of this axis in `input`, `chunk_step` that of the
    /// axis divided into chunks.
    fn across_rows(
        &self,
        exec: &dyn Executor,
        axis: &TableAxis,
        symmetry: Symmetry,
        input: &[f64],
        (step, chunk_step): (usize, usize),
        out: &mut [f64],
    ) {
        let row_len = self.row_len;
        let chunk = axis.nodes * row_len;
        for_each_chunk_mut(exec, chunk, out, &|start, out: &mut [f64]| {
            let input = &input[start / chunk * chunk_step..];
            run_with_table_lines(self.set, axis, AcrossRows { axis, symmetry, input, step, row_len, out });
        });
    }

    /// Transforms from \[kz\]\[ky\]\[x\] into the table. `place` is the number of components of a table
    /// entry, and the index of the written one.
    fn along_x(
        &self,
        exec: &dyn Executor,
        symmetry: Symmetry,
        input: &[f64],
        out: &mut [LaneBlock],
        place: (usize, usize),
    ) {
        let [nx, ny, nz] = self.dims;
        let lanes = self.lanes;
        let axis = &self.axes[0];
        let row_len = self.row_len;
        let chunk = nx.div_ceil(lanes) * lanes * nz * place.0 / BLOCK;
        for_each_chunk_mut(exec, chunk, out, &|start, out: &mut [LaneBlock]| {
            let ky = wave_number(ny, start / chunk);
            let input = &input[ky * row_len..];
            let job = AlongRows { axis, symmetry, input, step: ny * row_len, nz, lanes, place, out };
            run_with_table_lines(self.set, axis, job);
        });
    }
}

/// Two times [`DOUBLES`] real lines.
type Lines = [[Doubles; 2]];

/// A pass over lines of doubles.
trait TableJob {
    /// Runs the pass; `lines` is memory for [`TableAxis::transform`].
    fn run(self, lines: &mut Lines);
}

fn run_with_table_lines(set: InstructionSet, axis: &TableAxis, job: impl TableJob) {
    // Smaller boxes clear less.
    match axis.nodes {
        ..=32 => table_lines_on_stack::<{ 5 * 32 + 1 }>(set, job),
        33..=64 => table_lines_on_stack::<{ 5 * 64 + 1 }>(set, job),
        _ => table_lines_on_stack::<{ 5 * MAX_NODES + 1 }>(set, job),
    }
}

// Not inlined: the caller's frame would hold the memory of every size.
#[inline(never)]
fn table_lines_on_stack<const LEN: usize>(set: InstructionSet, job: impl TableJob) {
    let mut lines = [[Doubles([0.0; DOUBLES]); 2]; LEN];
    dispatch_exact(set, WithTableLines { lines: &mut lines, job });
}

struct WithTableLines<'a, J> {
    lines: &'a mut Lines,
    job: J,
}

impl<J: TableJob> Job for WithTableLines<'_, J> {
    /// The lanes stay unused: plain arrays of doubles are vectorised with the instruction set for which
    /// this is compiled.
    #[inline(always)]
    fn run<L: Lanes>(self) {
        self.job.run(self.lines);
    }
}

/// Transforms lines that cross the rows of `input`.
struct AcrossRows<'a> {
    axis: &'a TableAxis,
    symmetry: Symmetry,
    input: &'a [f64],
    step: usize,
    row_len: usize,
    /// A row for each mode.
    out: &'a mut [f64],
}

impl TableJob for AcrossRows<'_> {
    #[inline(always)]
    fn run(self, lines: &mut Lines) {
        let Self { axis, symmetry, input, step, row_len, out } = self;
        for x in (0..row_len).step_by(TABLE_LINES) {
            for (distance, value) in lines[..=axis.nodes].iter_mut().enumerate() {
                let (values, _) = input[distance * step + x..][..TABLE_LINES].as_chunks::<DOUBLES>();
                *value = symmetry.of([Doubles(values[0]), Doubles(values[1])], distance);
            }
            axis.transform(symmetry, lines);
            for (k, row) in out.chunks_exact_mut(row_len).enumerate() {
                let (values, _) = row[x..][..TABLE_LINES].as_chunks_mut::<DOUBLES>();
                values[0] = lines[k][0].0;
                values[1] = lines[k][1].0;
            }
        }
    }
}

/// Transforms rows of `input` into one \[ky\] of the table.
struct AlongRows<'a> {
    axis: &'a TableAxis,
    symmetry: Symmetry,
    /// For each kz a row along x.
    input: &'a [f64],
    step: usize,
    nz: usize,
    lanes: usize,
    /// Number of components of an entry, and the index of the written one.
    place: (usize, usize),
    out: &'a mut [LaneBlock],
}

impl TableJob for AlongRows<'_> {
    #[inline(always)]
    fn run(self, lines: &mut Lines) {
        let Self { axis, symmetry, input, step, nz, lanes, place: (entries, entry), out } = self;
        let nx = axis.nodes;
        for first in (0..nz).step_by(TABLE_LINES) {
            for line in 0..TABLE_LINES {
                let row = &input[(first + line) * step..][..=nx];
                for (value, slot) in row.iter().zip(lines.iter_mut()) {
                    slot[line / DOUBLES].0[line % DOUBLES] = *value;
                }
            }
            if symmetry == Symmetry::Odd {
                for (distance, value) in lines[..=nx].iter_mut().enumerate() {
                    *value = symmetry.of(*value, distance);
                }
            }
            axis.transform(symmetry, lines);
            for line in 0..TABLE_LINES {
                let kz = folded_row(nz, first + line);
                let (part, lane) = (line / DOUBLES, line % DOUBLES);
                for block in 0..nx.div_ceil(lanes) {
                    let at = ((block * nz + kz) * entries + entry) * lanes;
                    let used = lanes.min(nx - block * lanes);
                    let entry = &mut out[at / BLOCK].0[at % BLOCK..][..used];
                    for (i, mode) in entry.iter_mut().enumerate() {
                        *mode = lines[wave_number(nx, block * lanes + i)][part].0[lane] as f32;
                    }
                }
            }
        }
    }
}

/// Factors on the modes of wave number k \[radians per cell\], one axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Transfers {
    /// For the kernel.
    pub(super) kernel: fn(f64) -> f64,
    /// For the Green's function.
    pub(super) energy: fn(f64) -> f64,
}

impl Transfers {
    /// Inverts particle-to-grid and grid-to-particle transfer by quadratic splines.
    pub(super) const OF_SPLINES: Self = Self {
        kernel: undo_two_quadratic_splines,
        energy: |k| undo_two_quadratic_splines(k) * energy_filter(k),
    };
}

/// Returns 1/W(k)² of the quadratic spline, one axis, W = sinc³(k/2).
fn undo_two_quadratic_splines(k: f64) -> f64 {
    let half = 0.5 * k;
    if half == 0.0 { 1.0 } else { (half / libm::sin(half)).powi(6) }
}

/// Returns the weight of a mode in energies, one axis: 0 for the highest third of the wave numbers. There
/// the position of a vorton between the nodes changes the energy by as much as the energy itself, so that
/// the energy of a ring would waver by 2 % as it passes nodes.
fn energy_filter(k: f64) -> f64 {
    let (whole, none) = ENERGY_BAND;
    let t = ((k - whole) / (none - whole)).clamp(0.0, 1.0);
    1.0 - t * t * (3.0 - 2.0 * t)
}

/// Wave numbers up to which modes have full weight in energies, and from which on none \[radians per
/// cell\].
const ENERGY_BAND: (f64, f64) = (1.4, 2.2);

/// Returns the row of the folded table and the sign for the folded mode `index` of 2n; None for mode n.
pub(super) fn unfolded(n: usize, index: usize) -> Option<(usize, f32)> {
    let (parity, j) = (index / n, index % n);
    match (parity, j) {
        (0, j) if j == n / 2 => None,
        (0, j) if j < n / 2 => Some((j, 1.0)),
        (0, j) => Some((n - j, -1.0)),
        (_, j) if j < n / 2 => Some((n / 2 + j, 1.0)),
        (_, j) => Some((n / 2 + n - 1 - j, -1.0)),
    }
}

/// Returns the wave number of row `row` of the folded table, 0..n.
#[inline(always)]
pub(super) fn wave_number(n: usize, row: usize) -> usize {
    if row < n / 2 { 2 * row } else { 2 * (row - n / 2) + 1 }
}

/// Returns the row of the folded table for the wave number `k`, 0..n.
#[inline(always)]
fn folded_row(n: usize, k: usize) -> usize {
    if k.is_multiple_of(2) { k / 2 } else { n / 2 + k / 2 }
}

/// Symmetry of a transformed function under reflection of an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Symmetry {
    /// That of the kernel's profile.
    Even,
    /// That of the profile times the distance.
    Odd,
    /// Even, for the Green's function.
    Green,
}

impl Symmetry {
    /// Converts values of the profile at a distance to values of the line with this symmetry.
    #[inline(always)]
    fn of(self, values: [Doubles; 2], distance: usize) -> [Doubles; 2] {
        if self == Self::Odd {
            let distance = Doubles::splat(distance as f64);
            [values[0].mul(distance), values[1].mul(distance)]
        } else {
            values
        }
    }
}

/// Cosine and sine transforms of the table along one axis.
#[derive(Debug)]
struct TableAxis {
    nodes: usize,
    complex: Transform<f64>,
    /// 2 sin(πt/n) and 2 cos(πt/n).
    turns: Vec<[f64; 2]>,
    /// Factors on the modes 0..=n, of the kernel and of the Green's function.
    transfer: Vec<f64>,
    energy_transfer: Vec<f64>,
}

impl TableAxis {
    fn new(nodes: usize, transfers: Transfers) -> Self {
        let wave_numbers = (0..=nodes).map(|k| PI * k as f64 / nodes as f64);
        let turns = (0..nodes).map(|t| {
            let (sin, cos) = libm::sincos(PI * t as f64 / nodes as f64);
            [2.0 * sin, 2.0 * cos]
        });
        Self {
            nodes,
            complex: Transform::new(nodes),
            turns: turns.collect(),
            transfer: wave_numbers.clone().map(transfers.kernel).collect(),
            energy_transfer: wave_numbers.map(transfers.energy).collect(),
        }
    }

    /// Transforms values at the distances 0..=n into modes 0..n, both at the start of `lines`, of which there
    /// are 5n + 1.
    #[inline(always)]
    fn transform(&self, symmetry: Symmetry, lines: &mut Lines) {
        let n = self.nodes;
        let (line, rest) = lines.split_at_mut(n + 1);
        let (input, rest) = rest.split_at_mut(n);
        let (out, scratch) = rest.split_at_mut(n);
        let odd =
            if symmetry == Symmetry::Odd { self.fold_odd(line, input) } else { self.fold_even(line, input) };
        self.complex.start::<Doubles, false>(&Line(input, 1), scratch);
        self.complex.finish::<Doubles, false>(scratch, &mut LineMut(out, 1));
        if symmetry == Symmetry::Odd {
            self.sine_modes(line, out, odd);
        } else {
            self.cosine_modes(line, out, odd);
        }
        // The kernel at distance n is chosen so that mode n vanishes. The sine transform has no mode n.
        let transfer = if symmetry == Symmetry::Green { &self.energy_transfer } else { &self.transfer };
        let factor = Doubles::splat(transfer[n]);
        let last = [line[n][0].mul(factor), line[n][1].mul(factor)];
        for (k, (mode, transfer)) in line[..n].iter_mut().zip(transfer).enumerate() {
            let transfer = Doubles::splat(*transfer);
            for part in 0..2 {
                let value = mode[part].mul(transfer);
                mode[part] = if k % 2 == 0 { value.sub(last[part]) } else { value.add(last[part]) };
            }
        }
    }

    /// Prepares F_k = f_0 + (-1)^k f_n + 2 Σ f_t cos(πkt/n) for k = 0..=n, by one transform of n real
    /// numbers (Press et al., Numerical Recipes, section 12.4.2): of y_t = f_t + f_(n-t) -
    /// 2 sin(πt/n) (f_t - f_(n-t)), with Re Y_k = F_2k and Im Y_k = F_(2k-1) - F_(2k+1). The second lines are
    /// transformed in the imaginary parts.
    ///
    /// Computes y, and returns F_1.
    #[inline(always)]
    fn fold_even(&self, line: &Lines, input: &mut Lines) -> [Doubles; 2] {
        let n = self.nodes;
        let mut odd = [line[0][0].sub(line[n][0]), line[0][1].sub(line[n][1])];
        for t in 0..n {
            let [sin, cos] = self.turns[t];
            for part in 0..2 {
                let (here, mirror) = (line[t][part], line[n - t][part]);
                let turned = here.sub(mirror).mul(Doubles::splat(sin));
                input[t][part] = here.add(mirror).sub(turned);
                if t > 0 {
                    odd[part] = odd[part].add(here.mul(Doubles::splat(cos)));
                }
            }
        }
        odd
    }

    /// Computes F from Y and F_1.
    #[inline(always)]
    fn cosine_modes(&self, line: &mut Lines, out: &Lines, mut odd: [Doubles; 2]) {
        let n = self.nodes;
        for k in 0..=n / 2 {
            let [re, im] = real_modes(out[k], out[(n - k) % n]);
            line[2 * k] = re;
            if 2 * k < n {
                for part in 0..2 {
                    odd[part] = odd[part].sub(im[part]);
                }
                line[2 * k + 1] = odd;
            }
        }
    }

    /// Prepares S_k = 2 Σ f_t sin(πkt/n) for k = 0..=n, by one transform of n real numbers: of y_t = f_t -
    /// f_(n-t) + 2 sin(πt/n) (f_t + f_(n-t)), with Re Y_k = S_(2k+1) - S_(2k-1) and Im Y_k = -S_2k. An odd
    /// line vanishes at 0 and n, where it meets its image.
    ///
    /// Computes y, and returns zeros.
    #[inline(always)]
    fn fold_odd(&self, line: &Lines, input: &mut Lines) -> [Doubles; 2] {
        let n = self.nodes;
        let zero = Doubles::splat(0.0);
        input[0] = [zero; 2];
        for t in 1..n {
            for part in 0..2 {
                let (here, mirror) = (line[t][part], line[n - t][part]);
                let turned = here.add(mirror).mul(Doubles::splat(self.turns[t][0]));
                input[t][part] = here.sub(mirror).add(turned);
            }
        }
        [zero; 2]
    }

    /// Computes S from Y.
    #[inline(always)]
    fn sine_modes(&self, line: &mut Lines, out: &Lines, mut odd: [Doubles; 2]) {
        let n = self.nodes;
        let zero = Doubles::splat(0.0);
        for k in 0..n / 2 {
            let [re, im] = real_modes(out[k], out[(n - k) % n]);
            for part in 0..2 {
                // S_(-1) = -S_1.
                odd[part] = if k == 0 { re[part].mul(Doubles::splat(0.5)) } else { odd[part].add(re[part]) };
                line[2 * k][part] = zero.sub(im[part]);
                line[2 * k + 1][part] = odd[part];
            }
        }
        line[n] = [zero; 2];
    }
}

/// Returns, for the two real lines stored as the parts of a complex one, the real and the imaginary parts
/// of mode k, from the complex modes k and -k.
#[inline(always)]
fn real_modes(mode: [Doubles; 2], mirrored: [Doubles; 2]) -> [[Doubles; 2]; 2] {
    let half = Doubles::splat(0.5);
    [
        [mode[0].add(mirrored[0]).mul(half), mode[1].add(mirrored[1]).mul(half)],
        [mode[1].sub(mirrored[1]).mul(half), mirrored[0].sub(mode[0]).mul(half)],
    ]
}
