//! Initial positions of tracers, in any number.

use fluid_core::math::Random;
use glam::Vec3;

/// A volume filled with tracers.
#[derive(Debug, Clone)]
pub enum Volume {
    /// A ball.
    Ball {
        /// Centre \[m\].
        centre: Vec3,
        /// Radius \[m\].
        radius: f32,
    },
    /// A box with edges along the axes.
    Box {
        /// Corner of the lowest coordinates \[m\].
        low: Vec3,
        /// Corner of the highest coordinates \[m\].
        high: Vec3,
    },
    /// A ring about the z axis.
    Ring {
        /// Height of its middle \[m\].
        z: f32,
        /// Distance of its middle from the axis \[m\].
        radius: f32,
        /// Radius of its cross-section \[m\].
        thickness: f32,
    },
    /// Any shape, given by tracers that fill it evenly.
    Places(Vec<Vec3>),
}

impl Volume {
    /// Returns the volume \[m³\]; for places, that of their bounding box.
    pub fn volume(&self) -> f32 {
        use std::f32::consts::PI;
        match self {
            Self::Ball { radius, .. } => 4.0 / 3.0 * PI * radius.powi(3),
            Self::Box { low, high } => (high - low).element_product(),
            Self::Ring { radius, thickness, .. } => 2.0 * PI * PI * radius * thickness * thickness,
            Self::Places(_) => {
                let (low, high) = self.bounds();
                (high - low).element_product()
            }
        }
    }

    /// Returns the corners of the bounding box.
    fn bounds(&self) -> (Vec3, Vec3) {
        match self {
            Self::Ball { centre, radius } => (centre - radius, centre + radius),
            Self::Box { low, high } => (*low, *high),
            Self::Ring { z, radius, thickness } => {
                let reach = Vec3::new(radius + thickness, radius + thickness, *thickness);
                (Vec3::Z * z - reach, Vec3::Z * z + reach)
            }
            Self::Places(places) => places
                .iter()
                .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), &p| (low.min(p), high.max(p))),
        }
    }

    fn contains(&self, p: Vec3) -> bool {
        match self {
            Self::Ball { centre, radius } => p.distance_squared(*centre) < radius * radius,
            Self::Ring { z, radius, thickness } => {
                let off = p.with_z(0.0).length() - radius;
                off * off + (p.z - z) * (p.z - z) < thickness * thickness
            }
            Self::Box { .. } | Self::Places(_) => true,
        }
    }

    /// Returns a random position in the volume, if the `n`th one of its bounding box lies in it.
    pub(crate) fn random(&self, n: u64) -> Option<Vec3> {
        let (low, high) = self.bounds();
        let place = low + (high - low) * (Random::new(3).centred_vec3(n) + 0.5);
        self.contains(place).then_some(place)
    }

    /// Returns about `density` tracers per cubic metre: one in each cell of a lattice, at a random position
    /// in it. Always the same ones.
    pub fn fill(&self, density: f32) -> Vec<Vec3> {
        match self {
            Self::Places(places) => copies(places, density * self.volume()),
            _ => self.scatter(density),
        }
    }

    fn scatter(&self, density: f32) -> Vec<Vec3> {
        let (low, high) = self.bounds();
        let cells = ((high - low) * density.cbrt()).round().max(Vec3::ONE);
        let cell = (high - low) / cells;
        let [nx, ny, nz] = cells.to_array().map(|n| n as u32);
        let random = Random::new(1);
        let indices = (0..nz).flat_map(|k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])));
        let place = |(n, [i, j, k]): (u64, [u32; 3])| {
            low + (Vec3::new(i as f32, j as f32, k as f32) + 0.5 + random.centred_vec3(n)) * cell
        };
        (0..).zip(indices).map(place).filter(|&p| self.contains(p)).collect()
    }
}

/// Returns about `count` tracers: copies of the given ones, each displaced by up to half of their spacing.
fn copies(places: &[Vec3], count: f32) -> Vec<Vec3> {
    let volume = Volume::Places(places.to_vec()).volume();
    let spacing = (volume / places.len().max(1) as f32).cbrt();
    let each = (count / places.len().max(1) as f32).round().max(1.0) as u64;
    let random = Random::new(2);
    let copy = |(n, p): (u64, &Vec3)| {
        let p = *p;
        (0..each).map(move |k| p + spacing * random.centred_vec3(n * each + k))
    };
    (0..).zip(places).flat_map(copy).collect()
}
