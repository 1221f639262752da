//! Convolution of strengths on a mesh with the Biot-Savart kernel in free space: Hockney's doubling.
//!
//! Each axis is padded with as many zeros as it has nodes, so that no image acts on its neighbours (Hockney and Eastwood,
//! Computer Simulation Using Particles, 1988, section 6-5-4). Nothing known to be zero or not asked for is transformed:
//! * of x, the lines with sources; of y, the planes with sources; z alone is fully padded; backwards the same.
//! * A padded transform of 2n is two transforms of n: the even modes are those of the line, the odd ones those of the line
//!   turned by e^(-iπt/n). So modes are stored "folded": the even ones first, then the odd ones.
//! * The mode n of an axis (Nyquist) is never computed. It may be left out because the kernel at distance n is free, for no
//!   two nodes are that far apart: the table chooses it so that mode n vanishes.
//!
//! The kernel is divided by the square of the quadratic spline's transform, which undoes the smoothing of both transfers.

use super::wide::Wide;
use crate::velocity::kernel::Kernel;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{Mat4, Vec4};
use rustfft::algorithm::{Radix3, Radix4};
use rustfft::num_complex::Complex;
use rustfft::num_traits::Zero;
use rustfft::{Fft, FftDirection, FftNum, FftPlannerScalar};
use std::f64::consts::PI;
use std::fmt;
use std::sync::Arc;

/// Lines in one transform. Any number gives the same bits; dims are multiples of it.
const LANES: usize = 4;
/// Lines of doubles in one transform of the table.
const TABLE_LANES: usize = 4;
/// Most nodes on an axis.
const MAX_NODES: usize = 256;

type Lanes = Wide<f32, LANES>;
type Mode = Complex<Lanes>;
type TableLanes = Wide<f64, TABLE_LANES>;

/// Velocities induced by strengths on the nodes of a box, in free space.
#[derive(Debug, Clone)]
pub(crate) struct Convolution {
    kernel: Kernel,
    /// Core radius \[cells\].
    core: f64,
    /// Factor on the kernel's mode of wave number k \[radians per cell\], one axis.
    transfer: fn(f64) -> f64,
    plan: Option<Plan>,
    /// \[z\]\[component\]\[ky\]\[kx\], six to a group of [`LANES`] nodes: y is padded.
    planes: Vec<[Mode; 6]>,
    /// \[ky\]\[component\]\[z\]\[kx\].
    slabs: Vec<Mode>,
    scratch: [Vec<f64>; 3],
}

/// What depends on the dims alone.
#[derive(Debug, Clone)]
struct Plan {
    dims: [usize; 3],
    axes: [Axis; 3],
    /// Sine transform of the kernel's components, \[|ky|\]\[kx\]\[|kz|\], folded.
    table: Vec<[Lanes; 3]>,
}

/// Transforms along one axis.
#[derive(Clone)]
struct Axis {
    nodes: usize,
    forward: Arc<dyn Fft<Lanes>>,
    inverse: Arc<dyn Fft<Lanes>>,
    /// e^(-iπt/n).
    half_turns: Vec<Complex<f32>>,
}

impl Convolution {
    /// Convolution with `kernel` of a core radius of `nodes_per_core` cells (0.25 to 16). Takes no memory yet.
    pub(crate) fn new(kernel: Kernel, nodes_per_core: f32) -> Self {
        Self::with_transfer(kernel, nodes_per_core, undo_two_quadratic_splines)
    }

    fn with_transfer(kernel: Kernel, nodes_per_core: f32, transfer: fn(f64) -> f64) -> Self {
        debug_assert!((0.25..=16.0).contains(&nodes_per_core));
        Self {
            kernel,
            core: f64::from(nodes_per_core),
            transfer,
            plan: None,
            planes: Vec::new(),
            slabs: Vec::new(),
            scratch: [const { Vec::new() }; 3],
        }
    }

    /// Nodes along x, y, z; zeros before the first [`resize`](Self::resize).
    pub(crate) fn dims(&self) -> [usize; 3] {
        self.plan.as_ref().map_or([0; 3], |plan| plan.dims)
    }

    /// Prepares for `dims` nodes along x, y, z, each a multiple of 8 from 8 to 256. Nothing happens if they are what they were.
    pub(crate) fn resize(&mut self, exec: &dyn Executor, dims: [usize; 3]) {
        assert!(
            dims.iter().all(|&nodes| nodes % 8 == 0 && (8..=MAX_NODES).contains(&nodes)),
            "dims {dims:?}"
        );
        if self.dims() == dims {
            return;
        }
        let nodes = dims[0] * dims[1] * dims[2];
        let (mut table, old) =
            self.plan.take().map_or((Vec::new(), None), |plan| (plan.table, Some(plan.axes)));
        let mut planner = FftPlannerScalar::new();
        let axes = dims.map(|nodes| {
            let known = old.iter().flatten().find(|axis| axis.nodes == nodes);
            known.cloned().unwrap_or_else(|| Axis::new(nodes, &mut planner))
        });
        table.resize(nodes / LANES, [Lanes::zero(); 3]);
        self.fill_table(exec, dims, &mut table);
        self.planes.resize(nodes / LANES, [Mode::zero(); 6]);
        self.slabs.resize(nodes / LANES * 6, Mode::zero());
        self.plan = Some(Plan { dims, axes, table });
    }

    /// Velocities at the nodes \[strength per cell²\] from the strengths there (x, y, z; w is ignored). x runs fastest in both.
    /// Nothing is allocated. `source` and `out` have as many elements as the [`dims`](Self::dims) make nodes.
    pub(crate) fn velocities(&mut self, exec: &dyn Executor, source: &[Vec4], out: &mut [Vec4]) {
        let Some(plan) = &self.plan else { return };
        let [nx, ny, nz] = plan.dims;
        assert!(source.len() == nx * ny * nz && out.len() == source.len(), "one element for each node");
        let groups = nx * ny / LANES;

        for_each_chunk_mut(exec, groups, self.planes.as_mut_slice(), &|start, plane: &mut [[Mode; 6]]| {
            let first = start * LANES;
            plan.plane_to_modes(&source[first..first + nx * ny], plane.as_flattened_mut());
        });

        let planes = self.planes.as_flattened();
        let slab_len = 3 * nz * nx / LANES;
        for_each_chunk_mut(exec, slab_len, self.slabs.as_mut_slice(), &|start, slab: &mut [Mode]| {
            plan.convolve_slab(planes, start / slab_len, slab);
        });

        let slabs = self.slabs.as_slice();
        let (out, _) = out.as_chunks_mut::<LANES>();
        let columns = (self.planes.as_mut_slice(), out);
        for_each_chunk_mut(exec, groups, columns, &|start,
                                                    (plane, out): (
            &mut [[Mode; 6]],
            &mut [[Vec4; LANES]],
        )| {
            plan.modes_to_plane(slabs, start / groups, plane.as_flattened_mut(), out.as_flattened_mut());
        });
    }
}

impl Plan {
    /// Transforms one z plane along x and y. `plane` is \[component\]\[ky\]\[kx\].
    fn plane_to_modes(&self, source: &[Vec4], plane: &mut [Mode]) {
        let [nx, ny, _] = self.dims;
        let [x_axis, y_axis, _] = &self.axes;
        let width = nx / LANES;
        let component_len = 2 * ny * width;

        // Two real lines make one complex line; modes of both are recovered from its modes k and -k (twice their value: the
        // table has the factor 1/2).
        with_lines::<6, _>(nx, |lines, scratch| {
            for y in (0..ny).step_by(2 * LANES) {
                let rows: [&[Vec4]; 2 * LANES] =
                    std::array::from_fn(|row| &source[(y + row) * nx..(y + row + 1) * nx]);
                for x in 0..nx {
                    let real = components([rows[0][x], rows[1][x], rows[2][x], rows[3][x]]);
                    let imaginary = components([rows[4][x], rows[5][x], rows[6][x], rows[7][x]]);
                    for c in 0..3 {
                        let value = Complex::new(real[c], imaginary[c]);
                        lines[2 * c * nx + x] = value;
                        lines[(2 * c + 1) * nx + x] = turn(value, x_axis.half_turns[x]);
                    }
                }
                x_axis.forward.process_with_scratch(lines, scratch);
                for c in 0..3 {
                    let (even, odd) = lines[2 * c * nx..(2 * c + 2) * nx].split_at(nx);
                    let rows = &mut plane[c * component_len..(c + 1) * component_len];
                    for block in 0..width {
                        let [mut re, mut im, mut re2, mut im2] = [[Lanes::zero(); LANES]; 4];
                        for lane in 0..LANES {
                            let (mode, mirrored) = mode_and_mirror(even, odd, block * LANES + lane);
                            re[lane] = mode.re + mirrored.re;
                            im[lane] = mode.im - mirrored.im;
                            re2[lane] = mode.im + mirrored.im;
                            im2[lane] = mirrored.re - mode.re;
                        }
                        let [re, im, re2, im2] = [re, im, re2, im2].map(transposed);
                        for row in 0..LANES {
                            rows[(y + row) * width + block] = Complex::new(re[row], im[row]);
                            rows[(y + LANES + row) * width + block] = Complex::new(re2[row], im2[row]);
                        }
                    }
                }
            }
        });

        with_lines::<2, _>(ny, |line, scratch| {
            for rows in plane.chunks_exact_mut(component_len) {
                for block in 0..width {
                    y_axis.forward_padded(|t| rows[t * width + block], line, scratch);
                    for (row, mode) in rows.chunks_exact_mut(width).zip(line.iter()) {
                        row[block] = *mode;
                    }
                }
            }
        });
    }

    /// Transforms the rows of one `ky` of all planes along z, multiplies by the kernel and transforms back.
    /// `slab` is \[component\]\[z\]\[kx\].
    fn convolve_slab(&self, planes: &[Mode], ky: usize, slab: &mut [Mode]) {
        let [nx, ny, nz] = self.dims;
        let z_axis = &self.axes[2];
        let width = nx / LANES;
        let Some((ky_row, ky_sign)) = unfolded(ny, ky) else {
            slab.fill(Mode::zero());
            return;
        };
        let ky_sign = Lanes::splat(ky_sign);

        with_lines::<6, _>(nz, |lines, scratch| {
            for block in 0..width {
                for (c, line) in lines.chunks_exact_mut(2 * nz).enumerate() {
                    let (even, odd) = line.split_at_mut(nz);
                    for z in 0..nz {
                        let value = planes[((z * 3 + c) * 2 * ny + ky) * width + block];
                        even[z] = value;
                        odd[z] = turn(value, z_axis.half_turns[z]);
                    }
                }
                z_axis.forward.process_with_scratch(lines, scratch);

                let table = &self.table[(ky_row * width + block) * nz..][..nz];
                let half = nz / 2;
                for (row, kernel) in table.iter().enumerate() {
                    let [x, y, z] = [kernel[0], kernel[1] * ky_sign, kernel[2]];
                    let (here, mirror) = if row < half {
                        (row, nz - row)
                    } else {
                        let j = row - half;
                        (nz + j, 2 * nz - 1 - j)
                    };
                    multiply(lines, nz, here, [x, y, z]);
                    if row > 0 {
                        multiply(lines, nz, mirror, [x, y, -z]);
                    }
                }
                for c in 0..3 {
                    lines[2 * c * nz + half] = Mode::zero();
                }

                z_axis.inverse.process_with_scratch(lines, scratch);
                for (line, rows) in lines.chunks_exact(2 * nz).zip(slab.chunks_exact_mut(nz * width)) {
                    let (even, odd) = line.split_at(nz);
                    for z in 0..nz {
                        rows[z * width + block] = even[z] + turn(odd[z], z_axis.half_turns[z].conj());
                    }
                }
            }
        });
    }

    /// Transforms one z plane back along y and x. `plane` is room for its modes.
    fn modes_to_plane(&self, slabs: &[Mode], z: usize, plane: &mut [Mode], out: &mut [Vec4]) {
        let [nx, ny, nz] = self.dims;
        let [x_axis, y_axis, _] = &self.axes;
        let width = nx / LANES;
        let component_len = ny * width;

        with_lines::<2, _>(ny, |line, scratch| {
            for (c, rows) in plane.chunks_exact_mut(component_len).take(3).enumerate() {
                for block in 0..width {
                    for (ky, mode) in line.iter_mut().enumerate() {
                        *mode = slabs[((ky * 3 + c) * nz + z) * width + block];
                    }
                    y_axis.inverse.process_with_scratch(line, scratch);
                    let (even, odd) = line.split_at(ny);
                    for y in 0..ny {
                        rows[y * width + block] = even[y] + turn(odd[y], y_axis.half_turns[y].conj());
                    }
                }
            }
        });

        with_lines::<6, _>(nx, |lines, scratch| {
            for y in (0..ny).step_by(2 * LANES) {
                for c in 0..3 {
                    let (even, odd) = lines[2 * c * nx..(2 * c + 2) * nx].split_at_mut(nx);
                    let rows = &plane[c * component_len..(c + 1) * component_len];
                    for block in 0..width {
                        let first: [Mode; LANES] = std::array::from_fn(|row| rows[(y + row) * width + block]);
                        let second: [Mode; LANES] =
                            std::array::from_fn(|row| rows[(y + LANES + row) * width + block]);
                        let re = transposed(first.map(|mode| mode.re));
                        let im = transposed(first.map(|mode| mode.im));
                        let re2 = transposed(second.map(|mode| mode.re));
                        let im2 = transposed(second.map(|mode| mode.im));
                        for lane in 0..LANES {
                            let k = block * LANES + lane;
                            let mode = Complex::new(re[lane] - im2[lane], im[lane] + re2[lane]);
                            let mirrored = Complex::new(re[lane] + im2[lane], re2[lane] - im[lane]);
                            if k == 0 {
                                // Mode 0 of a real line is real.
                                even[0] = Complex::new(re[lane], re2[lane]);
                            } else if k < nx / 2 {
                                even[k] = mode;
                                even[nx - k] = mirrored;
                            } else {
                                odd[k - nx / 2] = mode;
                                odd[nx - 1 - (k - nx / 2)] = mirrored;
                            }
                        }
                    }
                    even[nx / 2] = Mode::zero();
                }
                x_axis.inverse.process_with_scratch(lines, scratch);
                for x in 0..nx {
                    let back = x_axis.half_turns[x].conj();
                    let [a, b, c] = std::array::from_fn(|c| {
                        lines[2 * c * nx + x] + turn(lines[(2 * c + 1) * nx + x], back)
                    });
                    let first = vectors([a.re, b.re, c.re]);
                    let second = vectors([a.im, b.im, c.im]);
                    for row in 0..LANES {
                        out[(y + row) * nx + x] = first[row];
                        out[(y + LANES + row) * nx + x] = second[row];
                    }
                }
            }
        });
    }
}

impl Axis {
    fn new(nodes: usize, planner: &mut FftPlannerScalar<Lanes>) -> Self {
        let half_turns = (0..nodes).map(|t| {
            let (sin, cos) = libm::sincos(-PI * t as f64 / nodes as f64);
            Complex::new(cos as f32, sin as f32)
        });
        Self {
            nodes,
            forward: transform(nodes, FftDirection::Forward, planner),
            inverse: transform(nodes, FftDirection::Inverse, planner),
            half_turns: half_turns.collect(),
        }
    }

    /// Folded modes of a line of values followed by as many zeros.
    #[inline(always)]
    fn forward_padded(&self, values: impl Fn(usize) -> Mode, line: &mut [Mode], scratch: &mut [Mode]) {
        let (even, odd) = line.split_at_mut(self.nodes);
        for t in 0..self.nodes {
            let value = values(t);
            even[t] = value;
            odd[t] = turn(value, self.half_turns[t]);
        }
        self.forward.process_with_scratch(line, scratch);
    }
}

impl fmt::Debug for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Axis").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}

/// The library's transform of `n` values. Where its planner multiplies two short transforms, one long step of radix 3 or 4 is
/// faster in lanes: with SSE2, 48 nodes ran at 33 instead of 10 Gflop/s, 96 at 34 instead of 18, 128 at 39 instead of 28.
fn transform(
    n: usize,
    direction: FftDirection,
    planner: &mut FftPlannerScalar<Lanes>,
) -> Arc<dyn Fft<Lanes>> {
    let twos = n.trailing_zeros();
    let (mut threes, mut rest) = (0, n >> twos);
    while rest % 3 == 0 {
        (threes, rest) = (threes + 1, rest / 3);
    }
    match (twos, threes, rest) {
        (7, 0, 1) => Arc::new(Radix4::new_with_base(1, planner.plan_fft(32, direction))),
        (3, 2.., 1) => Arc::new(Radix3::new_with_base(threes - 1, planner.plan_fft(24, direction))),
        (4.., 1.., 1) => Arc::new(Radix3::new_with_base(threes, planner.plan_fft(1 << twos, direction))),
        _ => planner.plan_fft(n, direction),
    }
}

/// Calls `body` with `LINES` lines of `nodes` on the stack, and room for the transform.
#[inline(always)]
fn with_lines<const LINES: usize, T: FftNum>(
    nodes: usize,
    body: impl FnOnce(&mut [Complex<T>], &mut [Complex<T>]),
) {
    debug_assert!(LINES <= 6);
    // Smaller boxes clear less.
    match nodes {
        ..=32 => on_stack::<{ 6 * 32 }, 64, _>(LINES * nodes, body),
        33..=64 => on_stack::<{ 6 * 64 }, 128, _>(LINES * nodes, body),
        _ => on_stack::<{ 6 * MAX_NODES }, { 2 * MAX_NODES }, _>(LINES * nodes, body),
    }
}

// Not inlined: the caller's frame would hold the room of every size.
#[inline(never)]
fn on_stack<const LEN: usize, const SCRATCH: usize, T: FftNum>(
    len: usize,
    body: impl FnOnce(&mut [Complex<T>], &mut [Complex<T>]),
) {
    body(&mut [Complex::zero(); LEN][..len], &mut [Complex::zero(); SCRATCH]);
}

/// `value` times a number that is the same in all lanes.
#[inline(always)]
fn turn(value: Mode, by: Complex<f32>) -> Mode {
    value * Complex::new(Lanes::splat(by.re), Lanes::splat(by.im))
}

/// û = -i α̂ × s at mode `k` of the three lines, s the kernel's sine transform.
#[inline(always)]
fn multiply(lines: &mut [Mode], nodes: usize, k: usize, s: [Lanes; 3]) {
    let a = [lines[k], lines[2 * nodes + k], lines[4 * nodes + k]];
    for c in 0..3 {
        let (i, j) = ((c + 1) % 3, (c + 2) % 3);
        let re = a[i].re * s[j] - a[j].re * s[i];
        let im = a[i].im * s[j] - a[j].im * s[i];
        lines[2 * c * nodes + k] = Complex::new(im, -re);
    }
}

/// Row of the folded table and sign for the folded mode `index` of 2n; none for the mode n.
fn unfolded(n: usize, index: usize) -> Option<(usize, f32)> {
    let (parity, j) = (index / n, index % n);
    match (parity, j) {
        (0, j) if j == n / 2 => None,
        (0, j) if j < n / 2 => Some((j, 1.0)),
        (0, j) => Some((n - j, -1.0)),
        (_, j) if j < n / 2 => Some((n / 2 + j, 1.0)),
        (_, j) => Some((n / 2 + n - 1 - j, -1.0)),
    }
}

/// Wave number of row `row` of the folded table, 0..n.
fn wave_number(n: usize, row: usize) -> usize {
    if row < n / 2 { 2 * row } else { 2 * (row - n / 2) + 1 }
}

/// The modes of row `k` of the folded table and of its negative wave number.
#[inline(always)]
fn mode_and_mirror<'a>(even: &'a [Mode], odd: &'a [Mode], k: usize) -> (&'a Mode, &'a Mode) {
    let n = even.len();
    if k == 0 {
        (&even[0], &even[0])
    } else if k < n / 2 {
        (&even[k], &even[n - k])
    } else {
        let j = k - n / 2;
        (&odd[j], &odd[n - 1 - j])
    }
}

#[inline(always)]
fn matrix(rows: [Lanes; LANES]) -> Mat4 {
    Mat4::from_cols_array_2d(&rows.map(|row| row.0))
}

#[inline(always)]
fn transposed(rows: [Lanes; LANES]) -> [Lanes; LANES] {
    matrix(rows).transpose().to_cols_array_2d().map(Wide)
}

/// The x, the y and the z of four vectors.
#[inline(always)]
fn components(vectors: [Vec4; LANES]) -> [Lanes; 3] {
    let [x, y, z, _] =
        Mat4::from_cols(vectors[0], vectors[1], vectors[2], vectors[3]).transpose().to_cols_array_2d();
    [Wide(x), Wide(y), Wide(z)]
}

/// Four vectors from their components.
#[inline(always)]
fn vectors([x, y, z]: [Lanes; 3]) -> [Vec4; LANES] {
    let by_vector = matrix([x, y, z, Lanes::zero()]).transpose();
    [by_vector.x_axis, by_vector.y_axis, by_vector.z_axis, by_vector.w_axis]
}

/// 1/W(k)² of the quadratic spline, one axis, W = sinc³(k/2): undoes particle to grid and grid to particle.
fn undo_two_quadratic_splines(k: f64) -> f64 {
    let half = 0.5 * k;
    if half == 0.0 { 1.0 } else { (half / libm::sin(half)).powi(6) }
}

impl Convolution {
    /// The kernel's sine transforms over positive wave numbers, in f64 until the last rounding.
    fn fill_table(&mut self, exec: &dyn Executor, dims: [usize; 3], table: &mut [[Lanes; 3]]) {
        let [nx, ny, nz] = dims;
        let mut planner = FftPlannerScalar::new();
        let [x_axis, y_axis, z_axis] = dims.map(|nodes| TableAxis::new(nodes, &mut planner, self.transfer));
        let [profile, first, second] = &mut self.scratch;

        // q/(4π r³) for distances 0..=n; rows along x are padded to whole groups.
        let stride = nx + 2 * TABLE_LANES;
        let (kernel, inverse_core) = (self.kernel, 1.0 / self.core);
        // 1/8 of a share: the padded transforms are not normalised. 1/2: x makes twice the modes.
        let scale = inverse_core.powi(3) / (4.0 * PI) / (16.0 * (nx * ny * nz) as f64);
        profile.clear();
        profile.resize((nz + 1) * (ny + 1) * stride, 0.0);
        for_each_chunk_mut(exec, (ny + 1) * stride, profile.as_mut_slice(), &|start, plane: &mut [f64]| {
            let z = start / ((ny + 1) * stride);
            for (y, row) in plane.chunks_exact_mut(stride).enumerate() {
                for (x, value) in row[..=nx].iter_mut().enumerate() {
                    let r = ((x * x + y * y + z * z) as f64).sqrt();
                    *value = scale * kernel.q_over_cube(r * inverse_core);
                }
            }
        });

        for component in 0..3 {
            // Each pass transforms the slowest axis and makes it the fastest: [z][y][x] becomes [y][x][kz], [x][kz][ky],
            // [kz][ky][kx].
            let parity = |axis| if axis == component { Parity::Odd } else { Parity::Even };
            let distance = |z: usize, y: usize, x: usize| [x, y, z][component] as f64;
            let profile = profile.as_slice();
            z_axis.pass(exec, parity(2), (ny + 1, nx + 1), first, &|z, y, x, lane| {
                profile[(z * (ny + 1) + y) * stride + x + lane] * distance(z, y, x + lane)
            });
            let input = first.as_slice();
            y_axis.pass(exec, parity(1), (nx + 1, nz), second, &|y, x, kz, lane| {
                input[(y * (nx + 1) + x) * nz + kz + lane]
            });
            let input = second.as_slice();
            x_axis.pass(exec, parity(0), (nz, ny), first, &|x, kz, ky, lane| {
                input[(x * nz + kz) * ny + ky + lane]
            });
            let modes = first.as_slice();
            for_each_chunk_mut(exec, nx / LANES * nz, &mut *table, &|start, slab: &mut [[Lanes; 3]]| {
                let ky = wave_number(ny, start / (nx / LANES * nz));
                for (index, entry) in slab.iter_mut().enumerate() {
                    let (block, kz) = (index / nz, wave_number(nz, index % nz));
                    entry[component] = Wide(std::array::from_fn(|lane| {
                        modes[(kz * ny + ky) * nx + wave_number(nx, block * LANES + lane)] as f32
                    }));
                }
            });
        }
    }
}

/// Symmetry of the kernel's component under reflection of an axis.
#[derive(Clone, Copy, PartialEq)]
enum Parity {
    Even,
    Odd,
}

/// Cosine and sine transforms of the table along one axis.
struct TableAxis {
    nodes: usize,
    transform: Arc<dyn Fft<TableLanes>>,
    /// Factors on the modes 0..=n.
    transfer: Vec<f64>,
}

impl TableAxis {
    fn new(nodes: usize, planner: &mut FftPlannerScalar<TableLanes>, transfer: fn(f64) -> f64) -> Self {
        Self {
            nodes,
            transform: planner.plan_fft_forward(2 * nodes),
            transfer: (0..=nodes).map(|k| transfer(PI * k as f64 / nodes as f64)).collect(),
        }
    }

    /// Transforms distances 0..=n along the slowest of three axes into modes 0..n along the fastest:
    /// `out` is \[b\]\[c\]\[mode\] for `(b, c)` up to `others`. `input` gets distance, b, c and what to add to c.
    fn pass(
        &self,
        exec: &dyn Executor,
        parity: Parity,
        others: (usize, usize),
        out: &mut Vec<f64>,
        input: &(impl Fn(usize, usize, usize, usize) -> f64 + Sync),
    ) {
        let n = self.nodes;
        let (rows, columns) = others;
        out.resize(rows * columns * n, 0.0);
        for_each_chunk_mut(exec, columns * n, out.as_mut_slice(), &|start, out: &mut [f64]| {
            let b = start / (columns * n);
            let mut line = [Complex::<TableLanes>::zero(); 2 * MAX_NODES];
            let mut scratch = [Complex::<TableLanes>::zero(); 2 * MAX_NODES];
            let line = &mut line[..2 * n];
            for (group, out) in out.chunks_mut(2 * TABLE_LANES * n).enumerate() {
                let c = group * 2 * TABLE_LANES;
                let width = out.len() / n;
                for distance in 0..=n {
                    let value = |lane| if lane < width { input(distance, b, c, lane) } else { 0.0 };
                    let value = Complex::new(
                        Wide(std::array::from_fn(value)),
                        Wide(std::array::from_fn(|lane| value(lane + TABLE_LANES))),
                    );
                    match parity {
                        Parity::Even => {
                            line[distance] = value;
                            line[(2 * n - distance) % (2 * n)] = value;
                        }
                        // An odd line vanishes where it meets its image.
                        Parity::Odd if distance % n == 0 => line[distance] = Complex::zero(),
                        Parity::Odd => {
                            line[distance] = value;
                            line[2 * n - distance] = -value;
                        }
                    }
                }
                self.transform.process_with_scratch(line, &mut scratch);
                for (lane, out) in out.chunks_exact_mut(n).enumerate() {
                    let part = |mode: &Complex<TableLanes>| match (parity, lane < TABLE_LANES) {
                        // Two even real lines have two real transforms A + iB, two odd ones -i (A + iB).
                        (Parity::Even, true) => mode.re.0[lane],
                        (Parity::Even, false) => mode.im.0[lane - TABLE_LANES],
                        (Parity::Odd, true) => -mode.im.0[lane],
                        (Parity::Odd, false) => mode.re.0[lane - TABLE_LANES],
                    };
                    // The kernel at distance n is chosen so that mode n vanishes. The sine transform has none.
                    let last = match parity {
                        Parity::Even => part(&line[n]) * self.transfer[n],
                        Parity::Odd => 0.0,
                    };
                    for (k, value) in out.iter_mut().enumerate() {
                        let alternating = if k % 2 == 0 { last } else { -last };
                        *value = part(&line[k]) * self.transfer[k] - alternating;
                    }
                }
            }
        });
    }
}

#[cfg(test)]
#[path = "convolution_tests.rs"]
mod tests;
