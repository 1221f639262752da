//! Dense systems of well-conditioned linear equations with six right sides, in f32 and by GMRES (Saad and
//! Schultz, SIAM J. Sci. Stat. Comput. 7, 1986).

use super::element::LANES;
use crate::solve::{dot, eliminate};
use fluid_core::{InstructionSet, VectorJob, run_in_vectors};

/// Residual, relative to its right side, at which a solution is accepted \[1\].
const RESIDUAL: f64 = 1e-6;
/// Least right side, relative to the largest one \[1\], to which its residual is relative: a smaller one is
/// that of a motion along a thin surface, or round-off of a symmetric one.
const LEAST_SIDE: f64 = 1e-4;
/// Maximum number of iterations \[1\]; some ten are usual. Beyond it, elimination is faster.
const MOST_ITERATIONS: usize = 60;

/// Right sides or solutions, by row.
pub(super) type SixColumns = Vec<[f64; 6]>;

/// Matrix of the equations.
pub(super) struct BlockedMatrix {
    n: usize,
    /// Values of `LANES` rows in each column, one block of rows after the other.
    pub(super) values: Vec<[f32; LANES]>,
}

impl BlockedMatrix {
    /// Returns a matrix of zeros.
    pub(super) fn new(n: usize) -> Self {
        Self { n, values: vec![[0.0; LANES]; n * n.div_ceil(LANES)] }
    }

    /// Returns the solutions.
    pub(super) fn solve(self, right: SixColumns) -> SixColumns {
        if let Some(solved) = self.iterated(&right) {
            return solved;
        }
        let Self { n, values } = self;
        let mut matrix = vec![0.0; n * n];
        for (row, to) in matrix.chunks_exact_mut(n).enumerate() {
            let from = &values[row / LANES * n..][..n];
            to.iter_mut().zip(from).for_each(|(to, from)| *to = f64::from(from[row % LANES]));
        }
        let mut solved = right;
        eliminate(&mut matrix, &mut solved);
        solved
    }

    /// Returns the solutions; None if they do not converge.
    fn iterated(&self, right: &SixColumns) -> Option<SixColumns> {
        let n = self.n;
        let column = |k: usize| right.iter().map(|row| row[k]).collect::<Vec<f64>>();
        let mut spaces = [0, 1, 2, 3, 4, 5].map(|k| Krylov::new(column(k)));
        let largest = spaces.iter().map(|space| space.size).fold(0.0, f64::max);
        let is_solved = |space: &Krylov| space.residual <= RESIDUAL * space.size.max(LEAST_SIDE * largest);
        let (mut x, mut y) = (vec![[0.0; 6]; n], vec![[[0.0; LANES]; 6]; n.div_ceil(LANES)]);
        for _ in 0..MOST_ITERATIONS {
            if spaces.iter().all(is_solved) {
                break;
            }
            for (k, space) in spaces.iter().enumerate().filter(|(_, space)| !is_solved(space)) {
                let last = space.basis.last()?;
                x.iter_mut().zip(last).for_each(|(x, &value)| x[k] = value as f32);
            }
            run_in_vectors(InstructionSet::Auto, BlockedProduct { matrix: self, x: &x, y: &mut y });
            for (k, space) in spaces.iter_mut().enumerate().filter(|(_, space)| !is_solved(space)) {
                space.extend(y.iter().flat_map(|block| block[k]).take(n).map(f64::from).collect());
            }
            if spaces.iter().any(|space| !space.residual.is_finite()) {
                return None;
            }
        }
        spaces.iter().all(is_solved).then(|| {
            let each = spaces.map(|space| space.solution());
            (0..n).map(|row| each.each_ref().map(|solved| solved[row])).collect()
        })
    }
}

/// Product of a matrix and six vectors.
struct BlockedProduct<'a> {
    matrix: &'a BlockedMatrix,
    x: &'a [[f32; 6]],
    y: &'a mut [[[f32; LANES]; 6]],
}

impl VectorJob for BlockedProduct<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { matrix, x, y } = self;
        for (block, y) in matrix.values.chunks_exact(x.len()).zip(y) {
            let mut sums = [[0.0; LANES]; 6];
            for (values, x) in block.iter().zip(x) {
                for side in 0..6 {
                    for row in 0..LANES {
                        sums[side][row] += values[row] * x[side];
                    }
                }
            }
            *y = sums;
        }
    }
}

/// Orthonormal basis of the space spanned by a right side and its products with powers of the matrix.
struct Krylov {
    basis: Vec<Vec<f64>>,
    /// Columns of the upper triangle that represents the matrix in this basis, after rotations.
    triangle: Vec<Vec<f64>>,
    /// Cosine and sine of each rotation.
    rotations: Vec<(f64, f64)>,
    /// The right side in this basis, after rotations.
    right: Vec<f64>,
    /// Norm of the right side.
    size: f64,
    /// Norm of the residual of the best solution.
    residual: f64,
}

impl Krylov {
    fn new(mut right: Vec<f64>) -> Self {
        let residual = normalise(&mut right);
        Self {
            basis: vec![right],
            triangle: Vec::new(),
            rotations: Vec::new(),
            right: vec![residual],
            size: residual,
            residual,
        }
    }

    /// Adds the product of the matrix and the last vector of the basis.
    fn extend(&mut self, mut next: Vec<f64>) {
        let mut column: Vec<f64> = Vec::new();
        for known in &self.basis {
            let part = dot(&next, known);
            next.iter_mut().zip(known).for_each(|(next, known)| *next -= part * known);
            column.push(part);
        }
        let below = normalise(&mut next);
        for (row, &(cosine, sine)) in self.rotations.iter().enumerate() {
            let (upper, lower) = (column[row], column[row + 1]);
            column[row] = cosine * upper + sine * lower;
            column[row + 1] = cosine * lower - sine * upper;
        }
        let last = self.rotations.len();
        let length = (column[last] * column[last] + below * below).sqrt();
        let (cosine, sine) = if length > 0.0 { (column[last] / length, below / length) } else { (1.0, 0.0) };
        column[last] = length;
        let own = self.right[last];
        self.right[last] = cosine * own;
        self.right.push(-sine * own);
        // A column without length determines no part of the solution: elimination follows.
        self.residual = if length > 0.0 { (sine * own).abs() } else { f64::INFINITY };
        self.rotations.push((cosine, sine));
        self.triangle.push(column);
        self.basis.push(next);
    }

    /// Returns the best solution in the space.
    fn solution(self) -> Vec<f64> {
        let mut factors = self.right;
        let mut sum = vec![0.0; self.basis[0].len()];
        for (k, column) in self.triangle.iter().enumerate().rev() {
            factors[k] /= column[k];
            let factor = factors[k];
            factors.iter_mut().zip(&column[..k]).for_each(|(left, value)| *left -= factor * value);
            sum.iter_mut().zip(&self.basis[k]).for_each(|(sum, value)| *sum += factor * value);
        }
        sum
    }
}

/// Divides a vector by its norm, and returns that.
fn normalise(vector: &mut [f64]) -> f64 {
    let norm = dot(vector, vector).sqrt();
    if norm > 0.0 {
        vector.iter_mut().for_each(|value| *value /= norm);
    }
    norm
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix_with(n: usize, value: impl Fn(usize, usize) -> f32) -> BlockedMatrix {
        let mut matrix = BlockedMatrix::new(n);
        for (row, column) in (0..n).flat_map(|row| (0..n).map(move |column| (row, column))) {
            matrix.values[row / LANES * n + column][row % LANES] = value(row, column);
        }
        matrix
    }

    fn right(n: usize) -> SixColumns {
        let value = |row: usize, k: usize| libm::sin((row * (k + 1)) as f64) * libm::pow(10.0, -(k as f64));
        (0..n).map(|row| std::array::from_fn(|k| value(row, k))).collect()
    }

    /// Largest residual of a side, relative to the side.
    fn residual(n: usize, value: impl Fn(usize, usize) -> f32, solved: &SixColumns) -> f64 {
        let right = right(n);
        let of_side = |k: usize| {
            let product = |row: usize| (0..n).map(|j| f64::from(value(row, j)) * solved[j][k]).sum::<f64>();
            let left = (0..n).map(|row| (right[row][k] - product(row)).abs()).fold(0.0, f64::max);
            left / right.iter().map(|row| row[k].abs()).fold(0.0, f64::max)
        };
        (0..6).map(of_side).fold(0.0, f64::max)
    }

    /// Equations of the second kind take a few iterations, for sides of very different sizes.
    #[test]
    fn iterations_solve_equations_of_the_second_kind() {
        let n = 75;
        let value = |row: usize, column: usize| {
            let near = 0.3 / (n as f32) * libm::cosf((row + 2 * column) as f32);
            if row == column { 0.5 + near } else { near }
        };
        let matrix = matrix_with(n, value);
        let solved = matrix.iterated(&right(n)).expect("it converges");
        assert!(residual(n, value, &solved) < 1e-4);
    }

    /// A cyclic shift takes as many iterations as there are rows, and a singular matrix breaks down:
    /// elimination follows.
    #[test]
    fn elimination_follows_where_iterations_do_not_converge() {
        let n = 75;
        let shift = |row: usize, column: usize| if (row + 1) % n == column { 1.0 } else { 0.0 };
        assert!(matrix_with(n, shift).iterated(&right(n)).is_none());
        let solved = matrix_with(n, shift).solve(right(n));
        assert!(residual(n, shift, &solved) < 1e-12);
        assert!(matrix_with(n, |_, _| 0.0).iterated(&right(n)).is_none());
    }

    #[test]
    fn sides_of_zeros_have_solutions_of_zeros() {
        let matrix = matrix_with(20, |row, column| if row == column { 0.5 } else { 0.01 });
        let solved = matrix.solve(vec![[0.0; 6]; 20]);
        assert!(solved.iter().flatten().all(|&value| value == 0.0));
    }
}
