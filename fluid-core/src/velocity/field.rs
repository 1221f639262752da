//! The field that a step leaves behind for everybody else.

use super::direct::SourceCloud;
use super::{FlowSample, VelocityField};
use glam::Vec3;

/// The flow at the middle of the step just taken (t + dt/2), immutable until the next step. It reaches everywhere: the far
/// field is part of the sum.
///
/// Particles that advance over the same dt with it are second order in time, if they also sample it at their own midpoint.
#[derive(Debug, Clone)]
pub struct PublishedField {
    pub(crate) cloud: SourceCloud,
    pub(crate) wind: Vec3,
    pub(crate) time: f64,
}

impl PublishedField {
    /// A field at rest.
    pub fn new(cloud: SourceCloud) -> Self {
        Self { cloud, wind: Vec3::ZERO, time: 0.0 }
    }

    /// Makes room for `capacity` vortons.
    pub fn reserve(&mut self, capacity: usize) {
        self.cloud.reserve(capacity);
    }

    /// Becomes equal to `other`; allocates only to grow.
    pub fn copy_from(&mut self, other: &Self) {
        self.cloud.copy_from(&other.cloud);
        self.wind = other.wind;
        self.time = other.time;
    }

    /// The time to which the field belongs \[s\]: the middle of the last step.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Velocity and gradient at each position, on the calling thread.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn flow(&self, positions: &[Vec3], out: &mut [FlowSample]) {
        self.cloud.flow(positions, out);
        for sample in out {
            sample.velocity += self.wind;
        }
    }
}

impl VelocityField for PublishedField {
    fn velocities(&self, positions: &[Vec3], out: &mut [Vec3]) {
        self.cloud.velocities(positions, out);
        for velocity in out {
            *velocity += self.wind;
        }
    }

    fn wind(&self) -> Vec3 {
        self.wind
    }
}
