//! Dense linear equations.

/// Smallest pivot \[1\]; a smaller one counts as this. The matrices are of order 1, and singular only where a
/// surface encloses fluid: then the potential in there is arbitrary by a constant, which moves nothing.
const LEAST_PIVOT: f64 = 1e-12;

/// Solves A X = B in place by elimination with row pivots: `matrix` holds A row after row and is used up,
/// `right` holds the rows of B, and those of X afterwards.
pub(super) fn eliminate<const M: usize>(matrix: &mut [f64], right: &mut [[f64; M]]) {
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
    fn singular_matrices_have_finite_solutions() {
        let mut right = [[1.0], [1.0]];
        eliminate(&mut [1.0, -1.0, -1.0, 1.0], &mut right);
        assert!(right.as_flattened().iter().all(|value| value.is_finite()));
    }
}
