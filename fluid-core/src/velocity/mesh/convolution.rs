//! Convolution of strengths on a mesh with the Biot-Savart kernel in free space: Hockney's doubling.
//!
//! Each axis is padded with as many zeros as it has nodes, so that no image acts on its neighbours (Hockney
//! and Eastwood, Computer Simulation Using Particles, 1988, section 6-5-4). Nothing known to be zero or not
//! asked for is transformed:
//! * of x, the lines with sources; of y, the planes with sources; z alone is fully padded; backwards the
//!   same.
//! * A padded transform of 2n is two transforms of n: the even modes are those of the line, the odd ones
//!   those of the line turned by e^(-iπt/n). So modes are stored "folded": the even ones first, then the odd
//!   ones.
//! * The mode n of an axis (Nyquist) is never computed. It may be left out because the kernel at distance n
//!   is free, for no two nodes are that far apart: the table chooses it so that mode n vanishes.
//!
//! The kernel is divided by the square of the quadratic spline's transform, which undoes the smoothing of
//! both transfers.

use super::kernel_table::{ENTRIES, GREEN, KernelTable, Transfers, unfolded};
use super::lines::{Axis, LANES, Lanes, MAX_NODES, Mode, turn, with_lines};
use super::wide::Wide;
use crate::velocity::kernel::Kernel;
use fluid_threads::{Executor, Rows, for_each_chunk_mut};
use glam::{Mat4, Vec4};
use rustfft::FftPlannerScalar;
use rustfft::num_complex::Complex;
use rustfft::num_traits::Zero;

/// Velocities induced by strengths on the nodes of a box, in free space.
#[derive(Debug, Clone)]
pub(crate) struct Convolution {
    kernel_table: KernelTable,
    plan: Option<Plan>,
    /// \[z\]\[component\]\[ky\]\[kx\], six to a group of [`LANES`] nodes: y is padded.
    planes: Vec<[Mode; 6]>,
    /// \[ky\]\[component\]\[z\]\[kx\].
    slabs: Vec<Mode>,
    /// Twice the energy in the modes of each \[ky\].
    energies: Vec<f64>,
}

/// What depends on the dims alone.
#[derive(Debug, Clone)]
struct Plan {
    dims: [usize; 3],
    axes: [Axis; 3],
    /// Sine transform of the kernel's components and cosine transform of its Green's function,
    /// \[|ky|\]\[kx\]\[|kz|\], folded.
    table: Vec<[Lanes; ENTRIES]>,
}

impl Convolution {
    /// Convolution with `kernel` of a core radius of `nodes_per_core` cells (0.25 to 16). Takes no memory
    /// yet.
    pub(crate) fn new(kernel: Kernel, nodes_per_core: f32) -> Self {
        Self::with_transfers(kernel, nodes_per_core, Transfers::OF_SPLINES)
    }

    fn with_transfers(kernel: Kernel, nodes_per_core: f32, transfers: Transfers) -> Self {
        debug_assert!((0.25..=16.0).contains(&nodes_per_core));
        Self {
            kernel_table: KernelTable::new(kernel, f64::from(nodes_per_core), transfers),
            plan: None,
            planes: Vec::new(),
            slabs: Vec::new(),
            energies: Vec::new(),
        }
    }

    /// Nodes along x, y, z; zeros before the first [`resize`](Self::resize).
    pub(crate) fn dims(&self) -> [usize; 3] {
        self.plan.as_ref().map_or([0; 3], |plan| plan.dims)
    }

    /// Prepares for `dims` nodes along x, y, z, each a multiple of 8 from 8 to 256. Nothing happens if they
    /// are what they were.
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
        table.resize(nodes / LANES, [Lanes::zero(); ENTRIES]);
        self.kernel_table.fill(exec, dims, &mut table);
        self.planes.resize(nodes / LANES, [Mode::zero(); 6]);
        self.slabs.resize(nodes / LANES * 6, Mode::zero());
        self.energies.resize(2 * dims[1], 0.0);
        self.plan = Some(Plan { dims, axes, table });
    }

    /// Velocities at the nodes \[strength per cell²\] from the strengths there (x, y, z; w is ignored). x
    /// runs fastest in both. Nothing is allocated. `source` and `out` have as many elements as the
    /// [`dims`](Self::dims) make nodes.
    pub(crate) fn velocities(&mut self, exec: &dyn Executor, source: &[Vec4], out: &mut [Vec4]) {
        self.convolve::<false>(exec, source, out);
    }

    /// As [`velocities`](Self::velocities). Returns the strengths' energy (E8) \[strength² per cell\] as
    /// well.
    pub(crate) fn velocities_and_energy(
        &mut self,
        exec: &dyn Executor,
        source: &[Vec4],
        out: &mut [Vec4],
    ) -> f64 {
        self.convolve::<true>(exec, source, out);
        0.5 * self.energies.iter().sum::<f64>()
    }

    /// The energy of these strengths alone (E8) \[strength² per cell\].
    pub(crate) fn energy(&mut self, exec: &dyn Executor, source: &[Vec4]) -> f64 {
        self.transform_planes(exec, source);
        let Some(plan) = &self.plan else { return 0.0 };
        let planes = self.planes.as_flattened();
        for_each_chunk_mut(exec, 1, self.energies.as_mut_slice(), &|ky, energy: &mut [f64]| {
            energy[0] = plan.slab_energy(planes, ky);
        });
        0.5 * self.energies.iter().sum::<f64>()
    }

    fn transform_planes(&mut self, exec: &dyn Executor, source: &[Vec4]) {
        let Some(plan) = &self.plan else { return };
        let [nx, ny, nz] = plan.dims;
        assert!(source.len() == nx * ny * nz, "one element for each node");
        let groups = nx * ny / LANES;
        for_each_chunk_mut(exec, groups, self.planes.as_mut_slice(), &|start, plane: &mut [[Mode; 6]]| {
            let first = start * LANES;
            plan.plane_to_modes(&source[first..first + nx * ny], plane.as_flattened_mut());
        });
    }

    /// With `ENERGY` the energies of the slabs are found on the way.
    fn convolve<const ENERGY: bool>(&mut self, exec: &dyn Executor, source: &[Vec4], out: &mut [Vec4]) {
        self.transform_planes(exec, source);
        let Some(plan) = &self.plan else { return };
        let [nx, ny, nz] = plan.dims;
        assert!(out.len() == source.len(), "one element for each node");
        let groups = nx * ny / LANES;

        let planes = self.planes.as_flattened();
        let slabs = Rows::new(self.slabs.as_mut_slice(), 3 * nz * nx / LANES);
        let columns = (slabs, self.energies.as_mut_slice());
        for_each_chunk_mut(exec, 1, columns, &|ky, (slab, energy): (&mut [Mode], &mut [f64])| {
            energy[0] = plan.convolve_slab::<ENERGY>(planes, ky, slab);
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

        // Two real lines make one complex line; modes of both are recovered from its modes k and -k (twice
        // their value: the table has the factor 1/2).
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
    /// `slab` is \[component\]\[z\]\[kx\]. With `ENERGY` returns twice the energy of these modes, otherwise
    /// 0.
    fn convolve_slab<const ENERGY: bool>(&self, planes: &[Mode], ky: usize, slab: &mut [Mode]) -> f64 {
        let [nx, ny, nz] = self.dims;
        let z_axis = &self.axes[2];
        let width = nx / LANES;
        let Some((ky_row, ky_sign)) = unfolded(ny, ky) else {
            slab.fill(Mode::zero());
            return 0.0;
        };
        let ky_sign = Lanes::splat(ky_sign);
        let mut energy = 0.0;

        with_lines::<6, _>(nz, |lines, scratch| {
            for block in 0..width {
                self.rows_to_modes(planes, ky, block, lines, scratch);
                let table = &self.table[(ky_row * width + block) * nz..][..nz];
                if ENERGY {
                    energy += energy_of_modes(lines, table, block);
                }
                let half = nz / 2;
                for (row, kernel) in table.iter().enumerate() {
                    let [x, y, z] = [kernel[0], kernel[1] * ky_sign, kernel[2]];
                    let (here, mirror) = here_and_mirror(nz, row);
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
        energy
    }

    /// Twice the energy of the modes of one `ky`.
    fn slab_energy(&self, planes: &[Mode], ky: usize) -> f64 {
        let [nx, ny, nz] = self.dims;
        let width = nx / LANES;
        let Some((ky_row, _)) = unfolded(ny, ky) else { return 0.0 };
        let mut energy = 0.0;
        with_lines::<6, _>(nz, |lines, scratch| {
            for block in 0..width {
                self.rows_to_modes(planes, ky, block, lines, scratch);
                energy += energy_of_modes(lines, &self.table[(ky_row * width + block) * nz..][..nz], block);
            }
        });
        energy
    }

    /// Transforms the rows of one `ky` and one block of `kx` along z.
    #[inline(always)]
    fn rows_to_modes(
        &self,
        planes: &[Mode],
        ky: usize,
        block: usize,
        lines: &mut [Mode],
        scratch: &mut [Mode],
    ) {
        let [nx, ny, nz] = self.dims;
        let z_axis = &self.axes[2];
        let width = nx / LANES;
        for (c, line) in lines.chunks_exact_mut(2 * nz).enumerate() {
            let (even, odd) = line.split_at_mut(nz);
            for z in 0..nz {
                let value = planes[((z * 3 + c) * 2 * ny + ky) * width + block];
                even[z] = value;
                odd[z] = turn(value, z_axis.half_turns[z]);
            }
        }
        z_axis.forward.process_with_scratch(lines, scratch);
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

/// Σ |α̂|² Ĝ over the modes of a block of `kx` on three lines along kz, for real strengths: of their modes
/// only those of kx ≥ 0 are stored.
#[inline(always)]
fn energy_of_modes(lines: &[Mode], table: &[[Lanes; ENTRIES]], block: usize) -> f64 {
    let nodes = table.len();
    let mut sum = Lanes::zero();
    for (row, kernel) in table.iter().enumerate() {
        let (here, mirror) = here_and_mirror(nodes, row);
        let mut square = norm2(lines, nodes, here);
        if row > 0 {
            square = square + norm2(lines, nodes, mirror);
        }
        sum = sum + square * kernel[GREEN];
    }
    // Row 0 of kx is the wave number 0; all others stand for the negative one as well.
    let weight = |lane: usize| if block == 0 && lane == 0 { 1.0 } else { 2.0 };
    sum.0.iter().enumerate().map(|(lane, &part)| weight(lane) * f64::from(part)).sum()
}

#[inline(always)]
fn norm2(lines: &[Mode], nodes: usize, k: usize) -> Lanes {
    let of = |mode: Mode| mode.re * mode.re + mode.im * mode.im;
    of(lines[k]) + of(lines[2 * nodes + k]) + of(lines[4 * nodes + k])
}

/// Where the mode of row `row` of the folded table stands on a line of `nodes` nodes, and that of the
/// negative wave number. Row 0 has none.
#[inline(always)]
fn here_and_mirror(nodes: usize, row: usize) -> (usize, usize) {
    let half = nodes / 2;
    if row < half {
        (row, nodes - row)
    } else {
        let j = row - half;
        (nodes + j, 2 * nodes - 1 - j)
    }
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

#[cfg(test)]
#[path = "convolution_tests.rs"]
mod tests;
