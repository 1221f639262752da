//! The three passes of the convolution: planes along x and y to modes, rows along z with the kernel, and
//! planes back.

use super::butterflies::Complex;
use super::kernel_table::unfolded;
use super::lines::{LineJob, Tile, load_vectors, store_vectors, transpose};
use super::plan::Plan;
use super::transform::{Line, LineMut, TransformInput, TransformOutput, Turned};
use crate::lanes::{BLOCK, LaneBlock, Lanes, scale_each, splat_each};
use fluid_threads::Strip;
use glam::{Vec3, Vec4};
use std::ops::Range;

/// Components of the nodes' vectors that a convolution computes. The others are left undefined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Components {
    All,
    Xy,
    Z,
}

impl Components {
    /// Returns their indices.
    pub(crate) fn range(self) -> Range<usize> {
        match self {
            Self::All => 0..3,
            Self::Xy => 0..2,
            Self::Z => 2..3,
        }
    }
}

/// Transforms two neighbouring z planes along x and y: two real lines, one of each, make one complex line.
pub(super) struct PlanesToModes<'a> {
    pub(super) plan: &'a Plan,
    pub(super) components: Components,
    /// Strengths of both planes.
    pub(super) source: &'a [Vec4],
    /// Modes of both planes, \[ky\]\[kx block\]\[component\].
    pub(super) planes: [&'a mut [LaneBlock]; 2],
}

impl LineJob for PlanesToModes<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, lines: &mut [[L; 2]]) {
        let Self { plan, components, source, planes: [first, second] } = self;
        let [nx, ny, _] = plan.dims;
        let (first, second) = (complex_mut::<L>(first), complex_mut::<L>(second));
        let (row_len, rest) = (plan.width * 3, [L::splat(0.0); 2]);
        let mut all_rest = true;
        let mut y = 0;
        while y < ny {
            let rows = y..ny.min(y + L::WIDTH);
            if are_at_rest([nx, ny], source, rows.clone()) {
                let modes = rows.start * row_len..rows.end * row_len;
                [&mut *first, &mut *second].into_iter().for_each(|plane| plane[modes.clone()].fill(rest));
            } else {
                all_rest = false;
                load_rows::<L>([nx, ny], source, y, &mut lines[..3 * nx]);
                rows_to_modes::<L>(plan, components, y, lines, [&mut *first, &mut *second]);
            }
            y += L::WIDTH;
        }
        if all_rest {
            [first, second].into_iter().for_each(|plane| plane[ny * row_len..2 * ny * row_len].fill(rest));
        } else {
            columns_to_modes::<L>(plan, components, lines, [first, second]);
        }
    }
}

/// Returns true if the nodes in these rows of both planes have no strength: their modes need no transform.
/// This is the case at least in the margins of the box.
#[inline(always)]
fn are_at_rest([nx, ny]: [usize; 2], source: &[Vec4], rows: Range<usize>) -> bool {
    let at_rest = |plane: usize| {
        let nodes = &source[(plane * ny + rows.start) * nx..(plane * ny + rows.end) * nx];
        nodes.iter().all(|node| node.truncate() == Vec3::ZERO)
    };
    at_rest(0) && at_rest(1)
}

#[inline(always)]
pub(super) fn complex<L: Lanes>(blocks: &[LaneBlock]) -> &[[L; 2]] {
    L::slice(blocks).as_chunks::<2>().0
}

#[inline(always)]
pub(super) fn complex_mut<L: Lanes>(blocks: &mut [LaneBlock]) -> &mut [[L; 2]] {
    L::slice_mut(blocks).as_chunks_mut::<2>().0
}

/// Loads rows from `y` on into three lines along x, one for each component: the real parts are those of the
/// first plane. Lanes beyond the last row hold copies of it.
#[inline(always)]
fn load_rows<L: Lanes>([nx, ny]: [usize; 2], source: &[Vec4], y: usize, lines: &mut [[L; 2]]) {
    let nodes = L::WIDTH / 4;
    for x in (0..nx).step_by(nodes) {
        for part in 0..2 {
            let mut tile: Tile<L> = [L::splat(0.0); BLOCK];
            for (row, vectors) in tile.iter_mut().enumerate().take(L::WIDTH) {
                let y = (y + row).min(ny - 1);
                *vectors = load_vectors(&source[(part * ny + y) * nx + x..][..nodes]);
            }
            let tile = transpose(tile);
            for i in 0..nodes {
                for c in 0..3 {
                    lines[c * nx + x + i][part] = tile[4 * i + c];
                }
            }
        }
    }
}

/// Transforms the lines of these components along x and stores the modes of the real lines of both planes
/// (doubled: the table contains the factor 1/2).
#[inline(always)]
fn rows_to_modes<L: Lanes>(
    plan: &Plan,
    components: Components,
    y: usize,
    lines: &mut [[L; 2]],
    planes: [&mut [[L; 2]]; 2],
) {
    let [nx, ny, _] = plan.dims;
    let axis = &plan.axes[0];
    let (input, rest) = lines.split_at_mut(3 * nx);
    let (modes, scratch) = rest.split_at_mut(2 * nx);
    let [first, second] = planes;
    for c in components.range() {
        let input = &input[c * nx..][..nx];
        for odd in 0..2 {
            if odd == 0 {
                axis.transform.start::<L, false>(&Line(input, 1), scratch);
            } else {
                axis.transform.start::<L, false>(&Turned(Line(input, 1), &axis.half_turns), scratch);
            }
            axis.transform.finish::<L, false>(scratch, &mut LineMut(&mut modes[odd * nx..][..nx], 1));
        }
        let (even, odd) = modes.split_at(nx);
        for block in 0..plan.width {
            let [mut re, mut im, mut re2, mut im2]: [Tile<L>; 4] = [[L::splat(0.0); BLOCK]; 4];
            for lane in 0..L::WIDTH {
                let k = (block * L::WIDTH + lane).min(nx - 1);
                let (mode, mirrored) = mode_and_mirror(even, odd, k);
                re[lane] = mode[0].add(mirrored[0]);
                im[lane] = mode[1].sub(mirrored[1]);
                re2[lane] = mode[1].add(mirrored[1]);
                im2[lane] = mirrored[0].sub(mode[0]);
            }
            let (re, im) = (transpose(re), transpose(im));
            let (re2, im2) = (transpose(re2), transpose(im2));
            for row in 0..L::WIDTH.min(ny - y) {
                let at = ((y + row) * plan.width + block) * 3 + c;
                first[at] = [re[row], im[row]];
                second[at] = [re2[row], im2[row]];
            }
        }
    }
}

/// Returns the modes of row `k` of the folded table and of its negative wave number.
#[inline(always)]
fn mode_and_mirror<L: Lanes>(even: &[[L; 2]], odd: &[[L; 2]], k: usize) -> ([L; 2], [L; 2]) {
    let n = even.len();
    if k == 0 {
        (even[0], even[0])
    } else if k < n / 2 {
        (even[k], even[n - k])
    } else {
        let j = k - n / 2;
        (odd[j], odd[n - 1 - j])
    }
}

/// Transforms planes along y, from the first half of their rows into all of them.
#[inline(always)]
fn columns_to_modes<L: Lanes>(
    plan: &Plan,
    components: Components,
    lines: &mut [[L; 2]],
    planes: [&mut [[L; 2]]; 2],
) {
    let ny = plan.dims[1];
    let axis = &plan.axes[1];
    let row_len = plan.width * 3;
    for plane in planes {
        for column in (0..row_len).filter(|column| components.range().contains(&(column % 3))) {
            let (values, odd) = plane.split_at_mut(ny * row_len);
            let values = &mut values[column..];
            // The odd modes first: the even ones overwrite the values.
            axis.transform.start::<L, false>(&Turned(Line(values, row_len), &axis.half_turns), lines);
            axis.transform.finish::<L, false>(lines, &mut LineMut(&mut odd[column..], row_len));
            axis.transform.start::<L, false>(&Line(values, row_len), lines);
            axis.transform.finish::<L, false>(lines, &mut LineMut(values, row_len));
        }
    }
}

/// Results of a pass along z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum PassResults {
    Velocities,
    Energy,
    Both,
    Potentials(Components),
    /// The velocities of sources of volume; their rates are the component z.
    Expansion,
}

impl PassResults {
    /// Returns the components from which it is computed.
    fn given(self) -> Components {
        match self {
            Self::Potentials(components) => components,
            Self::Velocities | Self::Energy | Self::Both => Components::All,
            Self::Expansion => Components::Z,
        }
    }

    /// Returns the components of the result.
    fn made(self) -> Components {
        match self {
            Self::Potentials(components) => components,
            Self::Velocities | Self::Energy | Self::Both | Self::Expansion => Components::All,
        }
    }
}

/// Transforms the rows of several `ky` of all planes along z, multiplies by the kernel and transforms back.
pub(super) struct ConvolveRows<'a> {
    pub(super) plan: &'a Plan,
    pub(super) wanted: PassResults,
    /// The first `ky`.
    pub(super) first: usize,
    /// A row for each z, \[ky\]\[kx block\]\[component\].
    pub(super) strip: Strip<'a, LaneBlock>,
    /// Twice the energy in the modes of each `ky`.
    pub(super) energies: &'a mut [f64],
}

impl LineJob for ConvolveRows<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, lines: &mut [[L; 2]]) {
        let Self { plan, wanted, first, mut strip, energies } = self;
        let [_, ny, nz] = plan.dims;
        let (modes, scratch) = lines.split_at_mut(6 * nz);
        for (row, energy) in energies.iter_mut().enumerate() {
            *energy = 0.0;
            let Some((ky, sign)) = unfolded(ny, first + row) else {
                let len = plan.width * 3;
                clear_rows::<L>(&mut strip, nz, row * len..(row + 1) * len);
                continue;
            };
            for block in 0..plan.width {
                let at = (row * plan.width + block) * 3;
                let entry = (ky * plan.width + block) * nz;
                let green = &L::slice(&plan.green)[entry..][..nz];
                let counts = counts_in_energy::<L>(green);
                match wanted {
                    PassResults::Energy if !counts => continue,
                    PassResults::Potentials(_) if !counts => {
                        clear_rows::<L>(&mut strip, nz, at..at + 3);
                        continue;
                    }
                    _ => gather_rows::<L>(plan, wanted.given(), &strip, at, modes, scratch),
                }
                if counts && matches!(wanted, PassResults::Energy | PassResults::Both) {
                    *energy += plan.energy_of_modes::<L>(modes, green, block);
                }
                match wanted {
                    PassResults::Energy => continue,
                    PassResults::Potentials(components) => {
                        rows_of_potentials::<L>(nz, components, modes, green)
                    }
                    PassResults::Velocities | PassResults::Both => {
                        let (table, _) = L::slice(&plan.kernel).as_chunks::<3>();
                        multiply_rows::<L, false>(nz, modes, &table[entry..][..nz], L::splat(sign));
                    }
                    PassResults::Expansion => {
                        let (table, _) = L::slice(&plan.kernel).as_chunks::<3>();
                        multiply_rows::<L, true>(nz, modes, &table[entry..][..nz], L::splat(sign));
                    }
                }
                scatter_rows::<L>(plan, wanted.made(), modes, scratch, &mut strip, at);
            }
        }
    }
}

/// Returns true unless the Green's function of these modes is zero, as for large wave numbers: their energy
/// and their potentials are zero, too.
#[inline(always)]
fn counts_in_energy<L: Lanes>(green: &[L]) -> bool {
    let mut parts = [0.0; BLOCK];
    green.iter().any(|modes| {
        modes.store(&mut parts, 0);
        parts[..L::WIDTH].iter().any(|&mode| mode != 0.0)
    })
}

/// Clears these columns of every row.
#[inline(always)]
fn clear_rows<L: Lanes>(strip: &mut Strip<'_, LaneBlock>, nz: usize, columns: Range<usize>) {
    for z in 0..nz {
        complex_mut::<L>(strip.row_mut(z))[columns.clone()].fill([L::splat(0.0); 2]);
    }
}

/// Transforms the rows of one `ky` and one block of `kx` along z.
#[inline(always)]
fn gather_rows<L: Lanes>(
    plan: &Plan,
    components: Components,
    strip: &Strip<'_, LaneBlock>,
    at: usize,
    modes: &mut [[L; 2]],
    scratch: &mut [[L; 2]],
) {
    let nz = plan.dims[2];
    let axis = &plan.axes[2];
    // All three components of a node are adjacent: the second halves of `modes` hold them.
    for z in 0..nz {
        let values = &complex::<L>(strip.row(z))[at..at + 3];
        modes[nz + z] = values[0];
        modes[3 * nz + z] = values[1];
        modes[5 * nz + z] = values[2];
    }
    for line in lines_of(components, nz, modes) {
        let (even, odd) = line.split_at_mut(nz);
        axis.transform.start::<L, false>(&Line(odd, 1), scratch);
        axis.transform.finish::<L, false>(scratch, &mut LineMut(even, 1));
        axis.transform.start::<L, false>(&Turned(Line(odd, 1), &axis.half_turns), scratch);
        axis.transform.finish::<L, false>(scratch, &mut LineMut(odd, 1));
    }
}

/// Iterates over the lines along z of these components, of 2 `nz` modes each.
#[inline(always)]
fn lines_of<L: Lanes>(
    components: Components,
    nz: usize,
    modes: &mut [[L; 2]],
) -> impl Iterator<Item = &mut [[L; 2]]> {
    let Range { start, end } = components.range();
    modes[start * 2 * nz..end * 2 * nz].chunks_exact_mut(2 * nz)
}

/// Multiplies modes by the kernel to the velocities' modes: those of sources of volume if `EXPANDS`, else of
/// strengths. A function passed for either would be compiled without the vector instructions.
#[inline(always)]
fn multiply_rows<L: Lanes, const EXPANDS: bool>(nz: usize, modes: &mut [[L; 2]], table: &[[L; 3]], sign: L) {
    for (row, kernel) in table.iter().enumerate() {
        let [x, y, z] = [kernel[0], kernel[1].mul(sign), kernel[2]];
        let (here, mirror) = here_and_mirror(nz, row);
        multiply::<L, EXPANDS>(modes, nz, here, [x, y, z]);
        if row > 0 {
            multiply::<L, EXPANDS>(modes, nz, mirror, [x, y, L::splat(0.0).sub(z)]);
        }
    }
    for c in 0..3 {
        modes[2 * c * nz + nz / 2] = [L::splat(0.0); 2];
    }
}

/// Multiplies the strengths' modes by Green's function, to the potentials' modes. The table is that of
/// energies: for doubled modes.
#[inline(always)]
fn rows_of_potentials<L: Lanes>(nz: usize, components: Components, modes: &mut [[L; 2]], green: &[L]) {
    for (row, green) in green.iter().enumerate() {
        let factor = green.add(*green);
        let (here, mirror) = here_and_mirror(nz, row);
        for line in lines_of(components, nz, modes) {
            line[here] = scale_each(line[here], factor);
            if row > 0 {
                line[mirror] = scale_each(line[mirror], factor);
            }
        }
    }
    for line in lines_of(components, nz, modes) {
        line[nz / 2] = [L::splat(0.0); 2];
    }
}

/// Transforms modes back along z, into the planes.
#[inline(always)]
fn scatter_rows<L: Lanes>(
    plan: &Plan,
    components: Components,
    modes: &[[L; 2]],
    scratch: &mut [[L; 2]],
    strip: &mut Strip<'_, LaneBlock>,
    at: usize,
) {
    let nz = plan.dims[2];
    let axis = &plan.axes[2];
    for c in components.range() {
        let (even, odd) = modes[c * 2 * nz..(c + 1) * 2 * nz].split_at(nz);
        let mut out = StripLine { strip: &mut *strip, at: at + c };
        axis.transform.start::<L, true>(&Line(even, 1), scratch);
        axis.transform.finish::<L, true>(scratch, &mut out);
        axis.transform.start::<L, true>(&Line(odd, 1), scratch);
        axis.transform.finish::<L, true>(scratch, &mut Turned(out, &axis.half_turns));
    }
}

/// The same element of every row of a strip.
struct StripLine<'s, 'a> {
    strip: &'s mut Strip<'a, LaneBlock>,
    at: usize,
}

impl<L: Lanes> TransformInput<L> for StripLine<'_, '_> {
    #[inline(always)]
    fn get(&self, index: usize) -> Complex<L> {
        Complex::of(complex::<L>(self.strip.row(index))[self.at])
    }
}

impl<L: Lanes> TransformOutput<L> for StripLine<'_, '_> {
    #[inline(always)]
    fn put(&mut self, index: usize, value: Complex<L>) {
        complex_mut::<L>(self.strip.row_mut(index))[self.at] = value.parts();
    }
}

/// Returns the indices of the mode of row `row` of the folded table, and of the mode of the negative wave
/// number, on a line of `nodes` nodes. Row 0 has no negative one.
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

/// Computes û = -i α̂ × s at mode `k` of the three lines, s the kernel's sine transform; if `EXPANDS`,
/// û = -i q̂ s, q the third line: the velocity of sources of volume (E61).
#[inline(always)]
fn multiply<L: Lanes, const EXPANDS: bool>(modes: &mut [[L; 2]], nodes: usize, k: usize, s: [L; 3]) {
    if EXPANDS {
        let [re, im] = modes[4 * nodes + k];
        for (c, s) in s.into_iter().enumerate() {
            modes[2 * c * nodes + k] = [im.mul(s), L::splat(0.0).sub(re.mul(s))];
        }
        return;
    }
    let [a, b, c] = [modes[k], modes[2 * nodes + k], modes[4 * nodes + k]];
    modes[k] = minus_i_times(b, s[2], c, s[1]);
    modes[2 * nodes + k] = minus_i_times(c, s[0], a, s[2]);
    modes[4 * nodes + k] = minus_i_times(a, s[1], b, s[0]);
}

/// Computes -i (a s - b t).
#[inline(always)]
fn minus_i_times<L: Lanes>(a: [L; 2], s: L, b: [L; 2], t: L) -> [L; 2] {
    [a[1].mul(s).sub(b[1].mul(t)), b[0].mul(t).sub(a[0].mul(s))]
}

impl Plan {
    /// Sums |α̂|² Ĝ over the modes of a block of `kx` on three lines along kz, for real strengths: only
    /// their modes of kx ≥ 0 are stored.
    #[inline(always)]
    fn energy_of_modes<L: Lanes>(&self, modes: &[[L; 2]], table: &[L], block: usize) -> f64 {
        let nodes = table.len();
        let mut sum = L::splat(0.0);
        for (row, green) in table.iter().enumerate() {
            let (here, mirror) = here_and_mirror(nodes, row);
            let mut square = norm2(modes, nodes, here);
            if row > 0 {
                square = square.add(norm2(modes, nodes, mirror));
            }
            sum = sum.add(square.mul(*green));
        }
        let mut parts = [0.0; BLOCK];
        sum.store(&mut parts, 0);
        let mut energy = 0.0;
        for (lane, part) in parts[..L::WIDTH].iter().enumerate() {
            // Row 0 of kx is the wave number 0; all others also represent the negative one.
            let kx = block * L::WIDTH + lane;
            let weight = if kx == 0 { 1.0 } else { 2.0 };
            if kx < self.dims[0] {
                energy += weight * f64::from(*part);
            }
        }
        energy
    }
}

#[inline(always)]
fn norm2<L: Lanes>(modes: &[[L; 2]], nodes: usize, k: usize) -> L {
    let [a, b, c] = [modes[k], modes[2 * nodes + k], modes[4 * nodes + k]];
    let a = a[0].mul(a[0]).add(a[1].mul(a[1]));
    let b = b[0].mul(b[0]).add(b[1].mul(b[1]));
    let c = c[0].mul(c[0]).add(c[1].mul(c[1]));
    a.add(b).add(c)
}

/// Transforms two neighbouring z planes back along y and x.
pub(super) struct ModesToPlanes<'a> {
    pub(super) plan: &'a Plan,
    pub(super) components: Components,
    /// Modes of both planes; overwritten with intermediate results.
    pub(super) planes: [&'a mut [LaneBlock]; 2],
    /// Velocities of both planes, times these factors, one after the other.
    pub(super) out: &'a mut [Vec4],
    pub(super) factors: [f32; 2],
}

impl LineJob for ModesToPlanes<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, lines: &mut [[L; 2]]) {
        let Self { plan, components, planes: [first, second], out, factors } = self;
        let [nx, ny, _] = plan.dims;
        let (first, second) = (complex_mut::<L>(first), complex_mut::<L>(second));
        columns_from_modes::<L>(plan, components, lines, [&mut *first, &mut *second]);
        let mut y = 0;
        while y < ny {
            rows_from_modes::<L>(plan, components, y, lines, [&*first, &*second]);
            store_rows::<L>([nx, ny], &lines[..3 * nx], y, splat_each::<L, 2>(factors), out);
            y += L::WIDTH;
        }
    }
}

/// Transforms planes back along y, into the first half of their rows.
#[inline(always)]
fn columns_from_modes<L: Lanes>(
    plan: &Plan,
    components: Components,
    lines: &mut [[L; 2]],
    planes: [&mut [[L; 2]]; 2],
) {
    let ny = plan.dims[1];
    let axis = &plan.axes[1];
    let row_len = plan.width * 3;
    for plane in planes {
        for column in (0..row_len).filter(|column| components.range().contains(&(column % 3))) {
            let (even, odd) = plane.split_at_mut(ny * row_len);
            let (even, odd) = (&mut even[column..], &odd[column..]);
            axis.transform.start::<L, true>(&Line(even, row_len), lines);
            axis.transform.finish::<L, true>(lines, &mut LineMut(even, row_len));
            axis.transform.start::<L, true>(&Line(odd, row_len), lines);
            let mut out = Turned(LineMut(even, row_len), &axis.half_turns);
            axis.transform.finish::<L, true>(lines, &mut out);
        }
    }
}

/// Computes the lines of these components along x from the modes of both planes, in rows from `y` on, by
/// the inverse transform.
#[inline(always)]
fn rows_from_modes<L: Lanes>(
    plan: &Plan,
    components: Components,
    y: usize,
    lines: &mut [[L; 2]],
    planes: [&[[L; 2]]; 2],
) {
    let [nx, ny, _] = plan.dims;
    let axis = &plan.axes[0];
    let (out, rest) = lines.split_at_mut(3 * nx);
    let (modes, scratch) = rest.split_at_mut(2 * nx);
    for c in components.range() {
        let (even, odd) = modes.split_at_mut(nx);
        for block in 0..plan.width {
            let [mut re, mut im, mut re2, mut im2]: [Tile<L>; 4] = [[L::splat(0.0); BLOCK]; 4];
            for row in 0..L::WIDTH {
                let at = ((y + row).min(ny - 1) * plan.width + block) * 3 + c;
                [re[row], im[row]] = planes[0][at];
                [re2[row], im2[row]] = planes[1][at];
            }
            let (re, im) = (transpose(re), transpose(im));
            let (re2, im2) = (transpose(re2), transpose(im2));
            for lane in 0..L::WIDTH.min(nx - block * L::WIDTH) {
                let k = block * L::WIDTH + lane;
                let mode = [re[lane].sub(im2[lane]), im[lane].add(re2[lane])];
                let mirrored = [re[lane].add(im2[lane]), re2[lane].sub(im[lane])];
                if k == 0 {
                    // Mode 0 of a real line is real.
                    even[0] = [re[lane], re2[lane]];
                } else if k < nx / 2 {
                    even[k] = mode;
                    even[nx - k] = mirrored;
                } else {
                    odd[k - nx / 2] = mode;
                    odd[nx - 1 - (k - nx / 2)] = mirrored;
                }
            }
        }
        even[nx / 2] = [L::splat(0.0); 2];
        let out = &mut out[c * nx..][..nx];
        axis.transform.start::<L, true>(&Line(even, 1), scratch);
        axis.transform.finish::<L, true>(scratch, &mut LineMut(out, 1));
        axis.transform.start::<L, true>(&Line(odd, 1), scratch);
        axis.transform.finish::<L, true>(scratch, &mut Turned(LineMut(out, 1), &axis.half_turns));
    }
}

/// Reverses [`load_rows`], with these factors on the values.
#[inline(always)]
fn store_rows<L: Lanes>([nx, ny]: [usize; 2], lines: &[[L; 2]], y: usize, factors: [L; 2], out: &mut [Vec4]) {
    let nodes = L::WIDTH / 4;
    for x in (0..nx).step_by(nodes) {
        for part in 0..2 {
            let mut tile: Tile<L> = [L::splat(0.0); BLOCK];
            for i in 0..nodes {
                for c in 0..3 {
                    tile[4 * i + c] = lines[c * nx + x + i][part].mul(factors[0]).mul(factors[1]);
                }
            }
            let tile = transpose(tile);
            for row in 0..L::WIDTH.min(ny - y) {
                store_vectors(tile[row], &mut out[(part * ny + y + row) * nx + x..][..nodes]);
            }
        }
    }
}
