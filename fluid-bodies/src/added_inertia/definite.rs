//! Projection of symmetric matrices to positive semidefinite ones.

/// Momentum (rows) by velocity (columns): linear components, then angular.
pub(super) type Matrix = [[f64; 6]; 6];

/// Sweeps of rotations; each squares the off-diagonal remainder, and six are enough.
const ROTATION_SWEEPS: usize = 16;

/// Sets the negative eigenvalues of a symmetric matrix, which are errors of small ones, to 0.
pub(super) fn without_negative(matrix: Matrix) -> Matrix {
    let (values, vectors) = eigen(matrix);
    if values.iter().all(|&value| value >= 0.0) {
        return matrix;
    }
    let mut sum = [[0.0; 6]; 6];
    for (value, vector) in values.into_iter().zip(vectors).filter(|(value, _)| *value > 0.0) {
        for (row, &own) in sum.iter_mut().zip(&vector) {
            row.iter_mut().zip(&vector).for_each(|(entry, other)| *entry += value * (own * other));
        }
    }
    sum
}

/// Returns eigenvalues and unit eigenvectors, by Jacobi rotations.
fn eigen(mut matrix: Matrix) -> ([f64; 6], Matrix) {
    let mut vectors = [0, 1, 2, 3, 4, 5].map(|axis| {
        let mut vector = [0.0; 6];
        vector[axis] = 1.0;
        vector
    });
    let pairs = || (0..6).flat_map(|p| (p + 1..6).map(move |q| (p, q)));
    for (p, q) in (0..ROTATION_SWEEPS).flat_map(|_| pairs()) {
        let off = matrix[p][q];
        if off == 0.0 {
            continue;
        }
        let half = 0.5 * (matrix[q][q] - matrix[p][p]) / off;
        let tangent = half.signum() / (half.abs() + (half * half + 1.0).sqrt());
        let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
        let sine = tangent * cosine;
        let rotate = |a: f64, b: f64| (cosine * a - sine * b, sine * a + cosine * b);
        for row in &mut matrix {
            (row[p], row[q]) = rotate(row[p], row[q]);
        }
        for column in 0..6 {
            (matrix[p][column], matrix[q][column]) = rotate(matrix[p][column], matrix[q][column]);
            (vectors[p][column], vectors[q][column]) = rotate(vectors[p][column], vectors[q][column]);
        }
        (matrix[p][q], matrix[q][p]) = (0.0, 0.0);
    }
    ([0, 1, 2, 3, 4, 5].map(|axis| matrix[axis][axis]), vectors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluid_core::math::Random;

    #[test]
    fn negative_eigenvalues_become_zero_and_others_stay() {
        let random = Random::new(2);
        let mut matrix = [[0.0; 6]; 6];
        for (row, column) in (0..6).flat_map(|row| (0..6).map(move |column| (row, column))) {
            let key = 6 * row.min(column) + row.max(column);
            matrix[row][column] = f64::from(random.unit(key as u64)) - 0.5;
        }
        let (values, vectors) = eigen(matrix);
        assert!(values.iter().any(|&value| value < -0.1) && values.iter().any(|&value| value > 0.1));
        let cut = without_negative(matrix);
        for (value, vector) in values.into_iter().zip(vectors) {
            for row in 0..6 {
                let product = |m: &Matrix| (0..6).map(|column| m[row][column] * vector[column]).sum::<f64>();
                assert!((product(&matrix) - value * vector[row]).abs() < 1e-12);
                assert!((product(&cut) - value.max(0.0) * vector[row]).abs() < 1e-12);
            }
        }
        assert_eq!(without_negative(cut.map(|row| row.map(|v| v * 0.0))), [[0.0; 6]; 6]);
    }
}
