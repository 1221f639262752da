//! Dense systems of linear equations.

mod blocked;

pub(crate) use blocked::{COLUMNS, DoubleFactor, product, singles};

use blocked::{SingleFactor, normal};
use fluid_core::{InstructionSet, VectorJob, run_in_vectors};
use glam::DMat3;

/// Smallest pivot \[1\]; smaller ones are replaced by it. The matrices are of order 1, and singular only if a
/// surface encloses fluid: the potential inside is then defined up to a constant, which moves nothing.
const LEAST_PIVOT: f64 = 1e-12;

/// Assembles a joint inertia from its linear part, coupling and angular part, row after row.
pub(crate) fn rows_of(linear: &DMat3, coupling: &DMat3, angular: &DMat3) -> [[f64; 6]; 6] {
    let mut rows = [[0.0; 6]; 6];
    for (row, column) in (0..3).flat_map(|row| (0..3).map(move |column| (row, column))) {
        rows[row][column] = linear.col(column)[row];
        rows[row][column + 3] = coupling.col(column)[row];
        rows[column + 3][row] = coupling.col(column)[row];
        rows[row + 3][column + 3] = angular.col(column)[row];
    }
    rows
}

/// Solves A X = B in place by elimination with row pivots: `matrix` holds A row after row and is overwritten,
/// `right` holds the rows of B, and those of X afterwards.
pub(crate) fn eliminate<const M: usize>(matrix: &mut [f64], right: &mut [[f64; M]]) {
    run_in_vectors(InstructionSet::Auto, Elimination { matrix, right });
}

/// Columns eliminated before the others are updated \[1\]: the matrix, too large for any cache, is read that
/// many times less often.
const PANEL: usize = 8;

struct Elimination<'a, const M: usize> {
    matrix: &'a mut [f64],
    right: &'a mut [[f64; M]],
}

impl<const M: usize> VectorJob for Elimination<'_, M> {
    #[inline(always)]
    fn run(self) {
        let Self { matrix, right } = self;
        let n = right.len();
        for first in (0..n).step_by(PANEL) {
            let end = n.min(first + PANEL);
            for k in first..end {
                eliminate_column(matrix, right, k, end);
            }
            let (known, below) = matrix.split_at_mut(end * n);
            let panel = &mut known[first * n..];
            let (solved, rest) = right.split_at_mut(end);
            let solved = &mut solved[first..];
            for k in 1..end - first {
                let ((above, row), (before, own)) = (panel.split_at_mut(k * n), solved.split_at_mut(k));
                for j in 0..k {
                    let factor = row[first + j];
                    subtract(&mut row[end..n], &above[j * n + end..(j + 1) * n], factor);
                    subtract(&mut own[0], &before[j], factor);
                }
            }
            for (row, own) in below.chunks_exact_mut(n).zip(rest) {
                let (factors, values) = row.split_at_mut(end);
                let factors = &factors[first..];
                match <&[f64; PANEL]>::try_from(factors) {
                    Ok(factors) => subtract_rows(values, panel, (n, end), factors),
                    Err(_) => {
                        for (above, &factor) in panel.chunks_exact(n).zip(factors) {
                            subtract(values, &above[end..], factor);
                        }
                    }
                }
                for (before, &factor) in solved.iter().zip(factors) {
                    subtract(own, before, factor);
                }
            }
        }
        for k in (0..n).rev() {
            let (row, (known, solved)) = (&matrix[k * n..(k + 1) * n], right.split_at_mut(k + 1));
            let known = &mut known[k];
            for (&factor, other) in row[k + 1..].iter().zip(solved.iter()) {
                subtract(known, other, factor);
            }
            divide(known, row[k]);
        }
    }
}

/// Selects a pivot for column `k`, and leaves the factors of the rows below in that column; updates the
/// columns up to `end`.
#[inline(always)]
fn eliminate_column<const M: usize>(matrix: &mut [f64], right: &mut [[f64; M]], k: usize, end: usize) {
    let n = right.len();
    bring_up_pivot(matrix, right, k);
    let (above, below) = matrix.split_at_mut((k + 1) * n);
    let upper = &mut above[k * n..];
    if upper[k].abs() < LEAST_PIVOT {
        upper[k] = LEAST_PIVOT.copysign(upper[k]);
    }
    for row in below.chunks_exact_mut(n) {
        row[k] /= upper[k];
        let factor = row[k];
        subtract(&mut row[k + 1..end], &upper[k + 1..end], factor);
    }
}

/// Subtracts rows of `n` values, each times its factor, from `values`, which begin at column `end`.
#[inline(always)]
fn subtract_rows(values: &mut [f64], rows: &[f64], (n, end): (usize, usize), factors: &[f64; PANEL]) {
    let len = values.len();
    let row = |j: usize| &rows[j * n + end..][..len];
    let (a, b, c, d, e, f, g, h) = (row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7));
    for i in 0..len {
        let mut left = values[i];
        left -= factors[0] * a[i];
        left -= factors[1] * b[i];
        left -= factors[2] * c[i];
        left -= factors[3] * d[i];
        left -= factors[4] * e[i];
        left -= factors[5] * f[i];
        left -= factors[6] * g[i];
        left -= factors[7] * h[i];
        values[i] = left;
    }
}

/// Solutions x of A x = b that minimise |A x − b|² + ε²|x|² (Tikhonov): components that A hardly affects stay
/// small. ε is `weakest` times the square root of the largest entry of AᵀA's diagonal. A is square, row after
/// row.
pub(crate) struct LeastSquares<'a> {
    matrix: &'a [f64],
    n: usize,
    /// AᵀA on and below its diagonal, row after row.
    normal: Vec<f64>,
}

impl<'a> LeastSquares<'a> {
    /// Prepares the normal equations of this A with `n` columns.
    pub(crate) fn of(matrix: &'a [f64], n: usize) -> Self {
        Self { matrix, n, normal: normal(matrix, n) }
    }

    /// Returns AᵀA + ε².
    fn regularised(&self, weakest: f64) -> Vec<f64> {
        let (n, mut normal) = (self.n, self.normal.clone());
        let largest = (0..n).map(|i| normal[i * n + i]).fold(0.0, f64::max);
        (0..n).for_each(|i| normal[i * n + i] += largest * weakest * weakest);
        normal
    }

    /// Returns the equations with this regularisation, solved in f64.
    pub(crate) fn factorised(&self, weakest: f64) -> FactorisedLeastSquares<'_> {
        let factor = DoubleFactor::of(self.regularised(weakest), self.n);
        FactorisedLeastSquares { matrix: self.matrix, n: self.n, factor }
    }

    /// Returns R such that x = R b, row after row: in f32, which is enough if ε² is far above its round-off.
    pub(crate) fn inverse(&self, weakest: f64) -> Vec<f32> {
        match SingleFactor::of(singles(&self.regularised(weakest)), self.n) {
            Some(factor) => factor.solve_rows(&singles(self.matrix)),
            None => singles(&self.factorised(weakest).inverse()),
        }
    }

    /// As [`inverse`](Self::inverse), for x that minimise |A x − b|² + ε²|x|² + |B x|², with `rough` the
    /// symmetric matrix BᵀB, row after row.
    pub(crate) fn inverse_of_smooth(&self, weakest: f64, rough: &[f64]) -> Vec<f32> {
        let mut normal = self.regularised(weakest);
        normal.iter_mut().zip(rough).for_each(|(sum, value)| *sum += value);
        if let Some(factor) = SingleFactor::of(singles(&normal), self.n) {
            return factor.solve_rows(&singles(self.matrix));
        }
        let factor = DoubleFactor::of(normal, self.n);
        singles(&FactorisedLeastSquares { matrix: self.matrix, n: self.n, factor }.inverse())
    }
}

/// Factorised normal equations.
pub(crate) struct FactorisedLeastSquares<'a> {
    matrix: &'a [f64],
    n: usize,
    /// Factor of AᵀA + ε²; None if it does not exist within round-off. Then all solutions are 0.
    factor: Option<DoubleFactor>,
}

impl FactorisedLeastSquares<'_> {
    /// Returns R such that x = R b, row after row.
    pub(crate) fn inverse(&self) -> Vec<f64> {
        // Columns of R are the solutions for those of Aᵀ, which are rows of A.
        let none = || vec![0.0; self.n * self.n];
        self.factor.as_ref().map_or_else(none, |factor| factor.solve_rows(self.matrix))
    }

    /// Returns the solution for each column of `right`, up to [`COLUMNS`].
    pub(crate) fn solve<const M: usize>(&self, right: &[[f64; M]]) -> Vec<[f64; M]> {
        let mut x = vec![[0.0; COLUMNS]; self.n];
        if let Some(factor) = &self.factor {
            for (row, right) in self.matrix.chunks_exact(self.n).zip(right) {
                x.iter_mut().zip(row).for_each(|(x, &value)| add(&mut x[..M], right, value));
            }
            factor.solve(&mut x);
        }
        x.iter().map(|x| std::array::from_fn(|k| x[k])).collect()
    }
}

/// Returns the inverse of a symmetric positive definite matrix with `n` columns, row after row; zeros if it
/// is not positive definite. The factor is in f64: the smallest regularisation is below the precision of f32.
pub(crate) fn inverse_of_definite(matrix: &[f64], n: usize) -> Vec<f32> {
    let mut unit = vec![0.0; n * n];
    (0..n).for_each(|i| unit[i * n + i] = 1.0);
    let exact = DoubleFactor::of(matrix.to_vec(), n).map(|factor| singles(&factor.solve_rows(&unit)));
    exact.unwrap_or_else(|| vec![0.0; n * n])
}

/// Solves A x = b in place for a symmetric positive definite matrix, row after row, which is overwritten.
/// False if it is not positive definite.
pub(crate) fn solve_definite(matrix: &mut [f64], x: &mut [f64]) -> bool {
    let is_definite = factorise(matrix, x.len());
    if is_definite {
        substitute(matrix, x.as_chunks_mut::<1>().0);
    }
    is_definite
}

/// Replaces the columns of B by those of X with L Lᵀ X = B.
fn substitute<const M: usize>(factor: &[f64], x: &mut [[f64; M]]) {
    run_in_vectors(InstructionSet::Auto, Substitution { factor, x });
}

struct Substitution<'a, const M: usize> {
    factor: &'a [f64],
    x: &'a mut [[f64; M]],
}

impl<const M: usize> VectorJob for Substitution<'_, M> {
    #[inline(always)]
    fn run(self) {
        let Self { factor, x } = self;
        let n = x.len();
        for i in 0..n {
            let (before, own) = x.split_at_mut(i);
            let mut left = own[0];
            for (x, &l) in before.iter().zip(&factor[i * n..]) {
                subtract(&mut left, x, l);
            }
            divide(&mut left, factor[i * n + i]);
            own[0] = left;
        }
        for i in (0..n).rev() {
            let (before, own) = x.split_at_mut(i);
            let mut known = own[0];
            divide(&mut known, factor[i * n + i]);
            own[0] = known;
            for (value, &l) in before.iter_mut().zip(&factor[i * n..]) {
                subtract(value, &known, l);
            }
        }
    }
}

/// Replaces the lower triangle by the Cholesky factor; false if the matrix is not positive definite.
fn factorise(matrix: &mut [f64], n: usize) -> bool {
    let mut is_definite = true;
    run_in_vectors(InstructionSet::Auto, Factorisation { matrix, n, is_definite: &mut is_definite });
    is_definite
}

struct Factorisation<'a> {
    matrix: &'a mut [f64],
    n: usize,
    is_definite: &'a mut bool,
}

impl VectorJob for Factorisation<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { matrix, n, is_definite } = self;
        for i in 0..n {
            let (above, rest) = matrix.split_at_mut(i * n);
            let row = &mut rest[..=i];
            for j in 0..i {
                let other = &above[j * n..=j * n + j];
                row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
            }
            let left = row[i] - dot(&row[..i], &row[..i]);
            if left <= 0.0 || left.is_nan() {
                *is_definite = false;
                return;
            }
            row[i] = left.sqrt();
        }
    }
}

/// Dot product in sixteen partial sums, which the compiler vectorises.
#[inline(always)]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, last_a), (b, last_b)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    let mut sums = [0.0; 16];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..16 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let mut sum = 0.0;
    for (a, b) in last_a.iter().zip(last_b) {
        sum += a * b;
    }
    for value in sums {
        sum += value;
    }
    sum
}

/// Swaps row `k` with the row below with the largest element in column `k`, the first in case of ties.
fn bring_up_pivot<const M: usize>(matrix: &mut [f64], right: &mut [[f64; M]], k: usize) {
    let n = right.len();
    let size = |row: usize| matrix[row * n + k].abs();
    let pivot = (k + 1..n).fold(k, |best, row| if size(row) > size(best) { row } else { best });
    if pivot != k {
        let (above, below) = matrix.split_at_mut(pivot * n);
        above[k * n..(k + 1) * n].swap_with_slice(&mut below[..n]);
        right.swap(k, pivot);
    }
}

#[inline(always)]
fn subtract(row: &mut [f64], other: &[f64], factor: f64) {
    for (value, other) in row.iter_mut().zip(other) {
        *value -= factor * other;
    }
}

#[inline(always)]
fn add(row: &mut [f64], other: &[f64], factor: f64) {
    for (value, other) in row.iter_mut().zip(other) {
        *value += factor * other;
    }
}

#[inline(always)]
fn divide(row: &mut [f64], by: f64) {
    for value in row {
        *value /= by;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluid_core::math::Random;

    #[test]
    fn solutions_put_back_give_the_right_sides() {
        let (n, random) = (37, Random::new(1));
        // A first pivot of 0 requires a row exchange.
        let value = |index: usize| if index == 0 { 0.0 } else { f64::from(random.unit(index as u64)) - 0.5 };
        let matrix: Vec<f64> = (0..n * n).map(value).collect();
        let right: Vec<[f64; 2]> = (0..n).map(|row| [value(row + 5000), value(row + 6000)]).collect();
        let mut solved = right.clone();
        eliminate(&mut matrix.clone(), &mut solved);
        for (row, right) in matrix.chunks_exact(n).zip(&right) {
            for column in 0..2 {
                let sum: f64 = row.iter().zip(&solved).map(|(a, x)| a * x[column]).sum();
                assert!((sum - right[column]).abs() < 1e-11, "{sum} or {}", right[column]);
            }
        }
    }

    #[test]
    fn regularised_inverses_are_inverses_of_what_is_not_weak() {
        let (n, random) = (23, Random::new(3));
        let mut matrix: Vec<f64> = (0..n * n).map(|i| f64::from(random.unit(i as u64)) - 0.5).collect();
        let product = |a: &[f64], b: &[f64], row: usize, column: usize| -> f64 {
            (0..n).map(|k| a[row * n + k] * b[k * n + column]).sum()
        };
        let pairs = || (0..n).flat_map(|row| (0..n).map(move |column| (row, column)));
        let inverse = LeastSquares::of(&matrix, n).factorised(1e-7).inverse();
        for (row, column) in pairs() {
            let expected = if row == column { 1.0 } else { 0.0 };
            assert!((product(&matrix, &inverse, row, column) - expected).abs() < 1e-9);
        }
        // Rows with zero sum ignore a constant: the solution has none.
        for row in matrix.chunks_exact_mut(n) {
            let mean = row.iter().sum::<f64>() / n as f64;
            row.iter_mut().for_each(|value| *value -= mean);
        }
        let inverse = LeastSquares::of(&matrix, n).factorised(1e-6).inverse();
        let right: Vec<f64> = (0..n).map(|row| matrix[row * n] - 2.0 * matrix[row * n + 5]).collect();
        let answer: Vec<f64> =
            inverse.chunks_exact(n).map(|row| row.iter().zip(&right).map(|(r, b)| r * b).sum()).collect();
        let mean = -1.0 / n as f64;
        for (i, value) in answer.into_iter().enumerate() {
            let expected = if i == 0 {
                1.0
            } else if i == 5 {
                -2.0
            } else {
                0.0
            } - mean;
            assert!((value - expected).abs() < 1e-3, "{value} or {expected}");
        }
        assert!(LeastSquares::of(&[0.0; 9], 3).factorised(1e-4).inverse().iter().all(|&v| v == 0.0));
    }

    #[test]
    fn products_are_sums_over_rows_and_columns() {
        let (n, random) = (21, Random::new(5));
        let matrix =
            |seed: u64| -> Vec<f32> { (0..(n * n) as u64).map(|i| random.unit(seed + i) - 0.5).collect() };
        let (left, right) = (matrix(0), matrix(1000));
        for (index, value) in product(&left, &right, n).into_iter().enumerate() {
            let (row, column) = (index / n, index % n);
            let sum: f32 = (0..n).map(|k| left[row * n + k] * right[k * n + column]).sum();
            assert!((value - sum).abs() < 2e-6, "{value} or {sum}");
        }
    }

    #[test]
    fn inverses_in_f32_are_those_in_f64() {
        let (n, random) = (45, Random::new(9));
        let matrix: Vec<f64> = (0..n * n).map(|i| f64::from(random.unit(i as u64)) - 0.5).collect();
        let equations = LeastSquares::of(&matrix, n);
        let (exact, found) = (equations.factorised(0.05).inverse(), equations.inverse(0.05));
        let largest = exact.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        for (exact, found) in exact.iter().zip(found) {
            assert!((exact - f64::from(found)).abs() < 1e-5 * largest, "{found} or {exact}");
        }
        // AᵀA + 1, of which only one half is read.
        let mut normal = equations.normal.clone();
        (0..n).for_each(|i| normal[i * n + i] += 1.0);
        let inverse = inverse_of_definite(&normal, n);
        for (row, column) in (0..n).flat_map(|row| (0..n).map(move |column| (row, column))) {
            let entry = |i: usize, j: usize| normal[i.max(j) * n + i.min(j)];
            let sum: f64 = (0..n).map(|k| entry(row, k) * f64::from(inverse[k * n + column])).sum();
            let expected = if row == column { 1.0 } else { 0.0 };
            assert!((sum - expected).abs() < 1e-5, "{sum} or {expected}");
        }
        assert!(inverse_of_definite(&[0.0; 9], 3).iter().all(|&v| v == 0.0));
    }

    #[test]
    fn few_right_sides_have_the_solutions_of_the_inverse() {
        let (n, random) = (37, Random::new(7));
        let matrix: Vec<f64> = (0..n * n).map(|i| f64::from(random.unit(i as u64)) - 0.5).collect();
        let right: Vec<[f64; 2]> =
            (0..n).map(|row| [row as f64, f64::from(random.unit(row as u64))]).collect();
        let equations = LeastSquares::of(&matrix, n);
        let equations = equations.factorised(1e-3);
        let (solved, inverse) = (equations.solve(&right), equations.inverse());
        for (solved, row) in solved.iter().zip(inverse.chunks_exact(n)) {
            for column in 0..2 {
                let sum: f64 = row.iter().zip(&right).map(|(r, b)| r * b[column]).sum();
                assert!(
                    (sum - solved[column]).abs() < 1e-9 * sum.abs().max(1.0),
                    "{sum} or {}",
                    solved[column]
                );
            }
        }
    }

    #[test]
    fn singular_matrices_have_finite_solutions() {
        let mut right = [[1.0], [1.0]];
        eliminate(&mut [1.0, -1.0, -1.0, 1.0], &mut right);
        assert!(right.as_flattened().iter().all(|value| value.is_finite()));
    }
}
