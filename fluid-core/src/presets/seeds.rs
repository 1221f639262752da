//! Random positions of tracers, evenly in simple volumes.

use crate::math::Random;
use glam::Vec3;
use std::f32::consts::TAU;

/// Positions, evenly distributed, one after the other.
pub(super) struct Seeds {
    random: Random,
    next: u64,
}

impl Seeds {
    pub(super) fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), next: 0 }
    }

    /// Three numbers in [0, 1).
    fn numbers(&mut self) -> Vec3 {
        self.next += 1;
        self.random.centred_vec3(self.next) + 0.5
    }

    /// In a ball around the origin.
    pub(super) fn ball(&mut self, radius: f32) -> Vec3 {
        let Vec3 { x, y, z } = self.numbers();
        let cosine = 2.0 * y - 1.0;
        let beside = (1.0 - cosine * cosine).max(0.0).sqrt();
        let (sin, cos) = libm::sincosf(TAU * z);
        radius * libm::cbrtf(x) * Vec3::new(beside * cos, beside * sin, cosine)
    }

    /// Within `thickness` of a circle around the z axis.
    pub(super) fn torus(&mut self, radius: f32, thickness: f32) -> Vec3 {
        // Denser towards the axis by as much as the circles are shorter there: by rejection.
        loop {
            let Vec3 { x, y, z } = self.numbers();
            let (sin, cos) = libm::sincosf(TAU * y);
            let from_circle = thickness * x.sqrt();
            let from_axis = radius + from_circle * cos;
            if self.numbers().x * (radius + thickness) < from_axis {
                let (sine, cosine) = libm::sincosf(TAU * z);
                return Vec3::new(from_axis * cosine, from_axis * sine, from_circle * sin);
            }
        }
    }

    /// In a cylinder around the z axis that stands on z = 0.
    pub(super) fn cylinder(&mut self, radius: f32, height: f32) -> Vec3 {
        let Vec3 { x, y, z } = self.numbers();
        let (sin, cos) = libm::sincosf(TAU * y);
        let from_axis = radius * x.sqrt();
        Vec3::new(from_axis * cos, from_axis * sin, height * z)
    }
}
