//! Principal axes of a symmetric tensor.

use glam::{DMat3, DVec3};

/// Returns the eigenvalues of a symmetric matrix, ascending, and their unit eigenvectors, by cyclic Jacobi
/// rotations.
pub(crate) fn principal_axes(mut matrix: DMat3) -> ([f64; 3], [DVec3; 3]) {
    /// Convergence is quadratic: five sweeps reach round-off, the others are a reserve.
    const SWEEPS: usize = 8;
    let mut axes = DMat3::IDENTITY;
    for _ in 0..SWEEPS {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = matrix.col(q)[p];
            if off == 0.0 {
                continue;
            }
            let theta = (matrix.col(q)[q] - matrix.col(p)[p]) / (2.0 * off);
            let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
            let sine = tangent * cosine;
            let mut turn = DMat3::IDENTITY;
            turn.col_mut(p)[p] = cosine;
            turn.col_mut(q)[q] = cosine;
            turn.col_mut(q)[p] = sine;
            turn.col_mut(p)[q] = -sine;
            matrix = turn.transpose() * matrix * turn;
            axes *= turn;
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| matrix.col(a)[a].total_cmp(&matrix.col(b)[b]));
    (order.map(|i| matrix.col(i)[i]), order.map(|i| axes.col(i)))
}
