//! Reference for tests: the same sum in f64, written from the formulas, one pair at a time.

use super::kernel::Kernel;
use glam::{DMat3, DVec3};
use std::f64::consts::PI;

/// Vortons with velocities summed in f64. Slow and plain on purpose; tests compare every solver with it,
/// and it is itself tested on closed forms.
#[derive(Debug, Clone)]
pub struct DirectOracle {
    /// Smoothing kernel.
    pub kernel: Kernel,
    /// Core radius σ \[m\].
    pub core_radius: f64,
    /// Position \[m\] and strength α \[m³/s\] of each vorton.
    pub vortons: Vec<(DVec3, DVec3)>,
}

impl DirectOracle {
    /// Computes the velocity at `x` (E2).
    pub fn velocity(&self, x: DVec3) -> DVec3 {
        let sigma = self.core_radius;
        let sum: DVec3 = self
            .vortons
            .iter()
            .map(|&(position, strength)| {
                let d = x - position;
                strength.cross(d) * self.kernel.q_over_cube(d.length() / sigma)
            })
            .sum();
        sum / (4.0 * PI * sigma.powi(3))
    }

    /// Computes the velocity gradient at `x`, columns ∂u/∂x, ∂u/∂y, ∂u/∂z (E4).
    pub fn gradient(&self, x: DVec3) -> DMat3 {
        let sigma = self.core_radius;
        let mut sum = DMat3::ZERO;
        for &(position, strength) in &self.vortons {
            let d = x - position;
            let rho = d.length() / sigma;
            let g = self.kernel.q_over_cube(rho) / sigma.powi(3);
            let h = self.kernel.q_over_cube_slope(rho) / sigma.powi(5);
            let c = strength.cross(d);
            let column = |axis: DVec3| strength.cross(axis) * g + c * (h * d.dot(axis));
            sum += DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z));
        }
        sum * (1.0 / (4.0 * PI))
    }
}
