//! Operations of tensors that glam's matrices lack.

use glam::{DMat3, DVec3};

/// Returns the outer product a bᵀ.
pub fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Returns the sum of the diagonal.
pub fn trace(tensor: &DMat3) -> f64 {
    tensor.x_axis.x + tensor.y_axis.y + tensor.z_axis.z
}
