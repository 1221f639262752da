//! Dense linear equations.

use glam::DMat3;

/// Smallest pivot \[1\]; a smaller one counts as this. The matrices are of order 1, and singular only where a
/// surface encloses fluid: then the potential in there is arbitrary by a constant, which moves nothing.
const LEAST_PIVOT: f64 = 1e-12;

/// A joint inertia, of which these are the linear part, the coupling and the angular part, row after row.
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

/// Solves A X = B in place by elimination with row pivots: `matrix` holds A row after row and is used up,
/// `right` holds the rows of B, and those of X afterwards.
pub(crate) fn eliminate<const M: usize>(matrix: &mut [f64], right: &mut [[f64; M]]) {
    let n = right.len();
    let mut upper = vec![0.0; n];
    for k in 0..n {
        bring_up_pivot(matrix, right, k);
        let values = &mut matrix[k * n + k..(k + 1) * n];
        if values[0].abs() < LEAST_PIVOT {
            values[0] = LEAST_PIVOT.copysign(values[0]);
        }
        let upper = &mut upper[k..];
        upper.copy_from_slice(values);
        let (solved, rest) = right.split_at_mut(k + 1);
        for (row, below) in matrix.chunks_exact_mut(n).skip(k + 1).zip(rest) {
            let factor = row[k] / upper[0];
            subtract(&mut row[k..], upper, factor);
            subtract(below, &solved[k], factor);
        }
    }
    for k in (0..n).rev() {
        let (row, (known, solved)) = (&matrix[k * n..(k + 1) * n], right.split_at_mut(k + 1));
        for (&factor, other) in row[k + 1..].iter().zip(solved.iter()) {
            subtract(&mut known[k], other, factor);
        }
        known[k].iter_mut().for_each(|value| *value /= row[k]);
    }
}

/// R with which R b minimises |A x − b|² + ε²|x|² over x, ε being `weakest` times the largest entry of AᵀA's
/// diagonal, square rooted (Tikhonov): what A hardly feels stays small. A and R are square, row after row.
pub(crate) fn regularised_inverse(matrix: &[f64], n: usize, weakest: f64) -> Vec<f64> {
    let mut normal = vec![0.0; n * n];
    for row in matrix.chunks_exact(n) {
        for (i, &factor) in row.iter().enumerate() {
            normal[i * n..i * n + i + 1].iter_mut().zip(row).for_each(|(sum, value)| *sum += factor * value);
        }
    }
    let largest = (0..n).map(|i| normal[i * n + i]).fold(0.0, f64::max);
    (0..n).for_each(|i| normal[i * n + i] += largest * weakest * weakest);
    if !factorise(&mut normal, n) {
        return vec![0.0; n * n];
    }
    // Columns of R are those of Aᵀ, solved for: rows of A.
    let mut inverse = vec![0.0; n * n];
    for (column, row) in matrix.chunks_exact(n).enumerate() {
        let mut x = row.to_vec();
        substitute(&normal, &mut x);
        x.iter().enumerate().for_each(|(i, &value)| inverse[i * n + column] = value);
    }
    inverse
}

/// Solves A x = b in place for a symmetric positive definite matrix, row after row, which is used up. False
/// if it is not positive definite.
pub(crate) fn solve_definite(matrix: &mut [f64], x: &mut [f64]) -> bool {
    let is_definite = factorise(matrix, x.len());
    if is_definite {
        substitute(matrix, x);
    }
    is_definite
}

/// From b to x with L Lᵀ x = b.
fn substitute(factor: &[f64], x: &mut [f64]) {
    let n = x.len();
    for i in 0..n {
        let sum: f64 = factor[i * n..i * n + i].iter().zip(&*x).map(|(l, x)| l * x).sum();
        x[i] = (x[i] - sum) / factor[i * n + i];
    }
    for i in (0..n).rev() {
        x[i] /= factor[i * n + i];
        let (before, own) = x.split_at_mut(i);
        let row = &factor[i * n..i * n + i];
        before.iter_mut().zip(row).for_each(|(value, l)| *value -= l * own[0]);
    }
}

/// Cholesky's factor in place of the lower triangle; false if the matrix is not positive definite.
fn factorise(matrix: &mut [f64], n: usize) -> bool {
    for i in 0..n {
        let (above, rest) = matrix.split_at_mut(i * n);
        let row = &mut rest[..=i];
        for j in 0..=i {
            let other = if j < i { &above[j * n..=j * n + j] } else { &[][..] };
            let sum: f64 = match j < i {
                true => row[..j].iter().zip(other).map(|(a, b)| a * b).sum(),
                false => row[..j].iter().map(|a| a * a).sum(),
            };
            let left = row[j] - sum;
            if j < i {
                row[j] = left / other[j];
            } else if left > 0.0 {
                row[j] = libm::sqrt(left);
            } else {
                return false;
            }
        }
    }
    true
}

/// Exchanges row `k` with the one below that has the largest element in column `k`, the first of such.
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

fn subtract(row: &mut [f64], other: &[f64], factor: f64) {
    row.iter_mut().zip(other).for_each(|(value, other)| *value -= factor * other);
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluid_core::math::Random;

    #[test]
    fn solutions_put_back_give_the_right_sides() {
        let (n, random) = (37, Random::new(1));
        // A first pivot of 0: rows must be exchanged.
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
        let inverse = regularised_inverse(&matrix, n, 1e-7);
        for (row, column) in pairs() {
            let expected = if row == column { 1.0 } else { 0.0 };
            assert!((product(&matrix, &inverse, row, column) - expected).abs() < 1e-9);
        }
        // Rows without a sum know nothing of a constant: the answer has none.
        for row in matrix.chunks_exact_mut(n) {
            let mean = row.iter().sum::<f64>() / n as f64;
            row.iter_mut().for_each(|value| *value -= mean);
        }
        let inverse = regularised_inverse(&matrix, n, 1e-6);
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
        assert!(regularised_inverse(&[0.0; 9], 3, 1e-4).iter().all(|&v| v == 0.0));
    }

    #[test]
    fn singular_matrices_have_finite_solutions() {
        let mut right = [[1.0], [1.0]];
        eliminate(&mut [1.0, -1.0, -1.0, 1.0], &mut right);
        assert!(right.as_flattened().iter().all(|value| value.is_finite()));
    }
}
