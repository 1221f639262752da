//! Products and Cholesky factors of large matrices, by blocks of rows and strips of columns that stay in
//! registers, in f64 or f32.

use fluid_core::{InstructionSet, VectorJob, run_in_vectors};
use std::ops::{AddAssign, Div, Mul, Range, SubAssign};

/// Rows processed at once \[1\]. Their sums for a strip of columns fill half of the registers of AVX2.
const ROWS: usize = 4;
/// Columns of a strip \[1\], in f64 and in f32.
pub(crate) const COLUMNS: usize = 8;
const SINGLE_COLUMNS: usize = 16;

/// Cholesky factors in f64, and in f32.
pub(crate) type DoubleFactor = CholeskyFactor<f64, COLUMNS>;
pub(super) type SingleFactor = CholeskyFactor<f32, SINGLE_COLUMNS>;

/// A floating-point number.
pub(super) trait Float:
    Copy + Default + PartialOrd + Mul<Output = Self> + Div<Output = Self> + AddAssign + SubAssign
{
    const ONE: Self;
    fn root(self) -> Self;
}

impl Float for f64 {
    const ONE: Self = 1.0;
    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }
}

impl Float for f32 {
    const ONE: Self = 1.0;
    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }
}

/// Returns the sums over the products of some rows and a strip of columns.
#[inline(always)]
fn products<T: Float, const C: usize>(rows: [&[T]; ROWS], strip: &[[T; C]]) -> [[T; C]; ROWS] {
    let [a, b, c, d] = rows;
    let mut sums = [[T::default(); C]; ROWS];
    let factors = a.iter().zip(b).zip(c).zip(d);
    for ((((&a, &b), &c), &d), values) in factors.zip(strip) {
        for k in 0..C {
            sums[0][k] += a * values[k];
            sums[1][k] += b * values[k];
            sums[2][k] += c * values[k];
            sums[3][k] += d * values[k];
        }
    }
    sums
}

/// Returns `columns` of the rows from `first` on; after the last row, that again.
#[inline(always)]
fn rows<T>(matrix: &[T], n: usize, first: usize, columns: Range<usize>) -> [&[T]; ROWS] {
    let row = |k: usize| {
        let start = (first + k).min(matrix.len() / n - 1) * n;
        &matrix[start + columns.start..start + columns.end]
    };
    [row(0), row(1), row(2), row(3)]
}

/// Copies columns from `first` on of a matrix of `n` columns; those after the last are 0.
#[inline(always)]
fn copy_columns<T: Float, const C: usize>(matrix: &[T], n: usize, first: usize, strip: &mut [[T; C]]) {
    let width = C.min(n - first);
    for (to, row) in strip.iter_mut().zip(matrix.chunks_exact(n)) {
        to[..width].copy_from_slice(&row[first..first + width]);
        to[width..].fill(T::default());
    }
}

/// Copies rows from `first` on of a matrix of `n` columns to the columns of a strip.
#[inline(always)]
fn copy_rows<T: Float, const C: usize>(matrix: &[T], n: usize, first: usize, strip: &mut [[T; C]]) {
    for (k, row) in matrix[first * n..].chunks_exact(n).take(C).enumerate() {
        strip.iter_mut().zip(row).for_each(|(to, &value)| to[k] = value);
    }
}

/// Returns the transpose of a square matrix.
pub(super) fn transposed<T: Float>(matrix: &[T], n: usize) -> Vec<T> {
    let mut out = vec![T::default(); n * n];
    for first in (0..n).step_by(COLUMNS) {
        for (column, row) in matrix.chunks_exact(n).enumerate() {
            for (k, value) in row[first..n.min(first + COLUMNS)].iter().enumerate() {
                out[(first + k) * n + column] = *value;
            }
        }
    }
    out
}

/// Converts a matrix to f32.
pub(crate) fn singles(matrix: &[f64]) -> Vec<f32> {
    matrix.iter().map(|&value| value as f32).collect()
}

/// Returns AᵀA on and below its diagonal; A has `n` columns.
pub(super) fn normal(matrix: &[f64], n: usize) -> Vec<f64> {
    let (left, mut out) = (transposed(matrix, n), vec![0.0; n * n]);
    let job = Product::<f64, COLUMNS> { left: &left, right: matrix, n, is_symmetric: true, out: &mut out };
    run_in_vectors(InstructionSet::Auto, job);
    out
}

/// Returns the product of square matrices of `n` columns, row after row, in f32.
pub(crate) fn product(left: &[f32], right: &[f32], n: usize) -> Vec<f32> {
    let mut out = vec![0.0; n * n];
    let job = Product::<f32, SINGLE_COLUMNS> { left, right, n, is_symmetric: false, out: &mut out };
    run_in_vectors(InstructionSet::Auto, job);
    out
}

/// Writes the product of square matrices of `n` columns to `out`; if it is symmetric, the diagonal and what
/// is below, and some of what is above.
struct Product<'a, T, const C: usize> {
    left: &'a [T],
    right: &'a [T],
    n: usize,
    is_symmetric: bool,
    out: &'a mut [T],
}

impl<T: Float, const C: usize> VectorJob for Product<'_, T, C> {
    #[inline(always)]
    fn run(self) {
        let Self { left, right, n, is_symmetric, out } = self;
        let mut strip = vec![[T::default(); C]; n];
        for column in (0..n).step_by(C) {
            copy_columns(right, n, column, &mut strip);
            let width = C.min(n - column);
            for first in (if is_symmetric { column } else { 0 }..n).step_by(ROWS) {
                let sums = products(rows(left, n, first, 0..n), &strip);
                for (out, sums) in out[first * n..].chunks_exact_mut(n).zip(&sums) {
                    out[column..column + width].copy_from_slice(&sums[..width]);
                }
            }
        }
    }
}

/// Cholesky factor L of a symmetric positive definite matrix L Lᵀ, with `C` columns in a strip.
pub(crate) struct CholeskyFactor<T, const C: usize> {
    n: usize,
    /// L, row after row; what is above its diagonal is not used.
    lower: Vec<T>,
    /// The transpose of L; what is below its diagonal is not used.
    upper: Vec<T>,
}

#[expect(private_bounds, reason = "f64 and f32 are the only numbers")]
impl<T: Float, const C: usize> CholeskyFactor<T, C> {
    /// Factorises a matrix given by its diagonal and what is below; None if it is not positive definite.
    pub(crate) fn of(mut matrix: Vec<T>, n: usize) -> Option<Self> {
        let mut is_definite = true;
        let job = BlockedFactorisation::<T, C> { matrix: &mut matrix, n, is_definite: &mut is_definite };
        run_in_vectors(InstructionSet::Auto, job);
        is_definite.then(|| Self { n, upper: transposed(&matrix, n), lower: matrix })
    }

    /// Replaces the columns of B by those of X with L Lᵀ X = B.
    pub(crate) fn solve(&self, x: &mut [[T; C]]) {
        run_in_vectors(InstructionSet::Auto, BlockedSubstitution { factor: self, x });
    }

    /// Returns the solution for each row of `right`, in columns.
    pub(super) fn solve_rows(&self, right: &[T]) -> Vec<T> {
        let mut out = vec![T::default(); self.n * self.n];
        run_in_vectors(InstructionSet::Auto, SolvedRows { factor: self, right, out: &mut out });
        out
    }

    /// As [`solve`](Self::solve), where the first `zeros` rows of B are 0.
    #[inline(always)]
    fn substitute(&self, zeros: usize, x: &mut [[T; C]]) {
        let Self { n, lower, upper } = self;
        let n = *n;
        for first in (zeros / ROWS * ROWS..n).step_by(ROWS) {
            let (known, rest) = x.split_at_mut(first);
            let known = &known[zeros.min(first)..];
            let sums = products(rows(lower, n, first, zeros.min(first)..first), known);
            for k in 0..ROWS.min(n - first) {
                let row = &lower[(first + k) * n + first..][..=k];
                let mut left = rest[k];
                subtract(&mut left, &sums[k], T::ONE);
                (0..k).for_each(|j| subtract(&mut left, &rest[j], row[j]));
                divide(&mut left, row[k]);
                rest[k] = left;
            }
        }
        for first in (0..n).step_by(ROWS).rev() {
            let end = n.min(first + ROWS);
            let (own, known) = x.split_at_mut(end);
            let (own, sums) = (&mut own[first..], products(rows(upper, n, first, end..n), known));
            for k in (0..end - first).rev() {
                let row = &upper[(first + k) * n + first..][..end - first];
                let mut left = own[k];
                subtract(&mut left, &sums[k], T::ONE);
                (k + 1..end - first).for_each(|j| subtract(&mut left, &own[j], row[j]));
                divide(&mut left, row[k]);
                own[k] = left;
            }
        }
    }
}

#[inline(always)]
fn subtract<T: Float, const C: usize>(left: &mut [T; C], other: &[T; C], factor: T) {
    for k in 0..C {
        left[k] -= factor * other[k];
    }
}

#[inline(always)]
fn divide<T: Float, const C: usize>(left: &mut [T; C], by: T) {
    for value in left {
        *value = *value / by;
    }
}

struct BlockedSubstitution<'a, T, const C: usize> {
    factor: &'a CholeskyFactor<T, C>,
    x: &'a mut [[T; C]],
}

impl<T: Float, const C: usize> VectorJob for BlockedSubstitution<'_, T, C> {
    #[inline(always)]
    fn run(self) {
        self.factor.substitute(0, self.x);
    }
}

struct SolvedRows<'a, T, const C: usize> {
    factor: &'a CholeskyFactor<T, C>,
    right: &'a [T],
    out: &'a mut [T],
}

impl<T: Float, const C: usize> VectorJob for SolvedRows<'_, T, C> {
    #[inline(always)]
    fn run(self) {
        let Self { factor, right, out } = self;
        let n = factor.n;
        let mut x = vec![[T::default(); C]; n];
        for first in (0..n).step_by(C) {
            copy_rows(right, n, first, &mut x);
            let zeros = x.iter().position(|x| *x != [T::default(); C]).unwrap_or(n);
            factor.substitute(zeros, &mut x);
            let width = C.min(n - first);
            for (out, x) in out.chunks_exact_mut(n).zip(&x) {
                out[first..first + width].copy_from_slice(&x[..width]);
            }
        }
    }
}

/// Replaces the diagonal and what is below by the factor.
struct BlockedFactorisation<'a, T, const C: usize> {
    matrix: &'a mut [T],
    n: usize,
    is_definite: &'a mut bool,
}

impl<T: Float, const C: usize> VectorJob for BlockedFactorisation<'_, T, C> {
    #[inline(always)]
    fn run(self) {
        let Self { matrix, n, is_definite } = self;
        let mut strip = vec![[T::default(); C]; n];
        for column in (0..n).step_by(C) {
            let end = n.min(column + C);
            copy_rows(&matrix[..end * n], n, column, &mut strip[..column]);
            for first in (column..n).step_by(ROWS) {
                let sums = products(rows(matrix, n, first, 0..column), &strip);
                for (sums, row) in sums.iter().zip(matrix[first * n..].chunks_exact_mut(n)) {
                    row[column..end].iter_mut().zip(sums).for_each(|(left, &sum)| *left -= sum);
                }
            }
            // Columns of the factor's block on the diagonal, without the diagonal, and reciprocals of that.
            let (mut block, mut per_pivot) = ([[T::default(); C]; C], [T::default(); C]);
            for k in 0..end - column {
                let row = &mut matrix[(column + k) * n + column..][..=k];
                for j in 0..k {
                    row[j] = row[j] * per_pivot[j];
                    block[j][k] = row[j];
                    let value = row[j];
                    (j + 1..=k).for_each(|i| row[i] -= value * block[j][i]);
                }
                // False for NaN as well.
                *is_definite = row[k] > T::default();
                if !*is_definite {
                    return;
                }
                row[k] = row[k].root();
                per_pivot[k] = T::ONE / row[k];
            }
            for rows in matrix[end * n..].chunks_mut(ROWS * n) {
                let mut left = [[T::default(); C]; ROWS];
                for (left, row) in left.iter_mut().zip(rows.chunks_exact(n)) {
                    left[..end - column].copy_from_slice(&row[column..end]);
                }
                for (j, column) in block.iter().enumerate() {
                    for left in &mut left {
                        let value = left[j] * per_pivot[j];
                        subtract(left, column, value);
                        left[j] = value;
                    }
                }
                for (left, row) in left.iter().zip(rows.chunks_exact_mut(n)) {
                    row[column..end].copy_from_slice(&left[..end - column]);
                }
            }
        }
    }
}
