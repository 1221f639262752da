//! The kernel's transform, with which strengths are multiplied: computed in f64, for one octant of wave
//! numbers.

use super::lines::{LANES, Lanes, MAX_NODES};
use super::wide::Wide;
use crate::velocity::kernel::Kernel;
use fluid_threads::{Executor, for_each_chunk_mut};
use rustfft::num_complex::Complex;
use rustfft::num_traits::Zero;
use rustfft::{Fft, FftPlannerScalar};
use std::f64::consts::PI;
use std::sync::Arc;

/// Lines of doubles in one transform of the table.
const TABLE_LANES: usize = 4;

pub(super) type TableLanes = Wide<f64, TABLE_LANES>;

/// Numbers in an entry of the table: the kernel's components, and its Green's function.
pub(super) const ENTRIES: usize = 4;
/// The Green's function in an entry.
pub(super) const GREEN: usize = 3;

/// Makes tables for one kernel; keeps the memory that this takes.
#[derive(Debug, Clone)]
pub(super) struct KernelTable {
    kernel: Kernel,
    /// Core radius \[cells\].
    core: f64,
    transfers: Transfers,
    scratch: [Vec<f64>; 3],
    /// Of one profile, by the square of the distance \[cells²\].
    by_square: Vec<f64>,
}

impl KernelTable {
    /// For a kernel of a core radius of `core` cells.
    pub(super) fn new(kernel: Kernel, core: f64, transfers: Transfers) -> Self {
        Self { kernel, core, transfers, scratch: [const { Vec::new() }; 3], by_square: Vec::new() }
    }

    /// Over positive wave numbers, in f64 until the last rounding: the sine transforms of the kernel's three
    /// components, and the cosine transform of the Green's function, with which energies are summed.
    pub(super) fn fill(&mut self, exec: &dyn Executor, dims: [usize; 3], table: &mut [[Lanes; ENTRIES]]) {
        let [nx, ny, nz] = dims;
        let mut planner = FftPlannerScalar::new();
        let [x_axis, y_axis, z_axis] = dims.map(|nodes| TableAxis::new(nodes, &mut planner, self.transfers));
        let [profile, first, second] = &mut self.scratch;

        // Values for distances 0..=n; rows along x are padded to whole groups.
        let stride = nx + 2 * TABLE_LANES;
        let (kernel, inverse_core) = (self.kernel, 1.0 / self.core);
        let by_square = &mut self.by_square;
        let mut make_profile = |profile: &mut Vec<f64>, value_at: &(dyn Fn(f64) -> f64 + Sync)| {
            let value = |square: usize| value_at((square as f64).sqrt() * inverse_core);
            // Distances repeat themselves: nine times on the average in a cube of 24 nodes.
            let squares = nx * nx + ny * ny + nz * nz + 1;
            let few = squares < nx * ny * nz;
            by_square.clear();
            by_square.extend((0..if few { squares } else { 0 }).map(value));
            let known = by_square.as_slice();
            profile.clear();
            profile.resize((nz + 1) * (ny + 1) * stride, 0.0);
            let fill = |start: usize, plane: &mut [f64]| {
                let z = start / ((ny + 1) * stride);
                for (y, row) in plane.chunks_exact_mut(stride).enumerate() {
                    for (x, node) in row[..=nx].iter_mut().enumerate() {
                        let square = x * x + y * y + z * z;
                        *node = if few { known[square] } else { value(square) };
                    }
                }
            };
            for_each_chunk_mut(exec, (ny + 1) * stride, profile.as_mut_slice(), &fill);
        };
        // The padded transforms, 8 times as long as there are nodes, are not normalised, and x makes twice
        // the modes: 1/16 for what is linear in the modes, 1/32 for what is square.
        let nodes = (nx * ny * nz) as f64;
        let velocity_scale = inverse_core.powi(3) / (4.0 * PI) / (16.0 * nodes);
        let energy_scale = inverse_core / (32.0 * nodes);
        make_profile(profile, &|rho| velocity_scale * kernel.q_over_cube(rho));

        for component in 0..ENTRIES {
            // Each pass transforms the slowest axis and makes it the fastest: [z][y][x] becomes [y][x][kz],
            // [x][kz][ky], [kz][ky][kx].
            let parity = |axis| if axis == component { Parity::Odd } else { Parity::Even };
            let distance = |z: usize, y: usize, x: usize| [x, y, z].get(component).map_or(1.0, |&d| d as f64);
            if component == GREEN {
                make_profile(profile, &|rho| energy_scale * kernel.green(rho));
            }
            let profile = profile.as_slice();
            z_axis.pass(exec, component, parity(2), (ny + 1, nx + 1), first, &|z, y, x, lane| {
                profile[(z * (ny + 1) + y) * stride + x + lane] * distance(z, y, x + lane)
            });
            let input = first.as_slice();
            y_axis.pass(exec, component, parity(1), (nx + 1, nz), second, &|y, x, kz, lane| {
                input[(y * (nx + 1) + x) * nz + kz + lane]
            });
            let input = second.as_slice();
            x_axis.pass(exec, component, parity(0), (nz, ny), first, &|x, kz, ky, lane| {
                input[(x * nz + kz) * ny + ky + lane]
            });
            let modes = first.as_slice();
            for_each_chunk_mut(
                exec,
                nx / LANES * nz,
                &mut *table,
                &|start, slab: &mut [[Lanes; ENTRIES]]| {
                    let ky = wave_number(ny, start / (nx / LANES * nz));
                    for (index, entry) in slab.iter_mut().enumerate() {
                        let (block, kz) = (index / nz, wave_number(nz, index % nz));
                        entry[component] = Wide(std::array::from_fn(|lane| {
                            modes[(kz * ny + ky) * nx + wave_number(nx, block * LANES + lane)] as f32
                        }));
                    }
                },
            );
        }
    }
}

/// Factors on the modes of wave number k \[radians per cell\], one axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Transfers {
    /// On the kernel's.
    pub(super) kernel: fn(f64) -> f64,
    /// On the Green's function's.
    pub(super) energy: fn(f64) -> f64,
}

impl Transfers {
    /// What undoes particle to grid and grid to particle by quadratic splines.
    pub(super) const OF_SPLINES: Self = Self {
        kernel: undo_two_quadratic_splines,
        energy: |k| undo_two_quadratic_splines(k) * energy_filter(k),
    };
}

/// 1/W(k)² of the quadratic spline, one axis, W = sinc³(k/2).
fn undo_two_quadratic_splines(k: f64) -> f64 {
    let half = 0.5 * k;
    if half == 0.0 { 1.0 } else { (half / libm::sin(half)).powi(6) }
}

/// Part of a mode that counts in energies, one axis: the highest third of the wave numbers does not. There
/// the position of a vorton between the nodes changes the energy by as much as the energy itself, so that the
/// energy of a ring would waver by 2 % as it passes nodes.
fn energy_filter(k: f64) -> f64 {
    let (whole, none) = ENERGY_BAND;
    let t = ((k - whole) / (none - whole)).clamp(0.0, 1.0);
    1.0 - t * t * (3.0 - 2.0 * t)
}

/// Wave numbers up to which modes count whole in energies, and from which on not at all \[radians per cell\].
const ENERGY_BAND: (f64, f64) = (1.4, 2.2);

/// Row of the folded table and sign for the folded mode `index` of 2n; none for the mode n.
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

/// Wave number of row `row` of the folded table, 0..n.
pub(super) fn wave_number(n: usize, row: usize) -> usize {
    if row < n / 2 { 2 * row } else { 2 * (row - n / 2) + 1 }
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
    /// Factors on the modes 0..=n, of the kernel and of the Green's function.
    transfer: Vec<f64>,
    energy_transfer: Vec<f64>,
}

impl TableAxis {
    fn new(nodes: usize, planner: &mut FftPlannerScalar<TableLanes>, transfers: Transfers) -> Self {
        let wave_numbers = (0..=nodes).map(|k| PI * k as f64 / nodes as f64);
        Self {
            nodes,
            transform: planner.plan_fft_forward(2 * nodes),
            transfer: wave_numbers.clone().map(transfers.kernel).collect(),
            energy_transfer: wave_numbers.map(transfers.energy).collect(),
        }
    }

    /// Transforms distances 0..=n along the slowest of three axes into modes 0..n along the fastest: `out` is
    /// \[b\]\[c\]\[mode\] for `(b, c)` up to `others`. `input` gets distance, b, c and what to add to c.
    fn pass(
        &self,
        exec: &dyn Executor,
        component: usize,
        parity: Parity,
        others: (usize, usize),
        out: &mut Vec<f64>,
        input: &(impl Fn(usize, usize, usize, usize) -> f64 + Sync),
    ) {
        let n = self.nodes;
        let transfer = if component == GREEN { &self.energy_transfer } else { &self.transfer };
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
                    // The kernel at distance n is chosen so that mode n vanishes. The sine transform has
                    // none.
                    let last = match parity {
                        Parity::Even => part(&line[n]) * transfer[n],
                        Parity::Odd => 0.0,
                    };
                    for (k, value) in out.iter_mut().enumerate() {
                        let alternating = if k % 2 == 0 { last } else { -last };
                        *value = part(&line[k]) * transfer[k] - alternating;
                    }
                }
            }
        });
    }
}
