//! Velocity from vorticity (E2): one kernel, several ways to sum it.

mod direct;
mod field;
mod kernel;
mod oracle;

pub use crate::lanes::Precision;
pub use direct::{DirectSettings, SourceCloud};
pub use field::PublishedField;
pub use kernel::Kernel;
pub use oracle::DirectOracle;

use glam::{Mat3, Vec3};

/// How velocity is computed from vorticity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SolverKind {
    /// Direct sum over all vortons: exact for its kernel, O(N²).
    #[default]
    Direct,
}

/// Velocity \[m/s\] and its gradient \[1/s\] at one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowSample {
    /// u.
    pub velocity: Vec3,
    /// Columns are ∂u/∂x, ∂u/∂y, ∂u/∂z.
    pub gradient: Mat3,
}

impl Default for FlowSample {
    /// Rest. (Glam's default matrix is the identity, so this is not derived.)
    fn default() -> Self {
        Self { velocity: Vec3::ZERO, gradient: Mat3::ZERO }
    }
}

impl FlowSample {
    /// ω = ∇ × u \[1/s\], from the gradient.
    pub fn vorticity(&self) -> Vec3 {
        let g = &self.gradient;
        Vec3::new(g.y_axis.z - g.z_axis.y, g.z_axis.x - g.x_axis.z, g.x_axis.y - g.y_axis.x)
    }
}

/// A frozen flow that anybody may sample: tracers, particle operations, queries.
pub trait VelocityField: Sync {
    /// Velocity \[m/s\] at each position \[m\], written to `out`. Runs on the calling thread, does not allocate.
    ///
    /// # Panics
    /// If the slices differ in length.
    fn velocities(&self, positions: &[Vec3], out: &mut [Vec3]);

    /// The uniform part of the velocity \[m/s\], with which the whole flow is carried along.
    fn wind(&self) -> Vec3 {
        Vec3::ZERO
    }
}
