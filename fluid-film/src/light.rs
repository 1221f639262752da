//! The lights of a picture: a sun and a sky, both shadowed by smoke and solids.

use crate::light_grid::LightGrid;
use glam::Vec3;

/// Directions and colours of lights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lamp {
    /// Direction to the sun, of any length; z is positive.
    pub towards_sun: Vec3,
    /// Irradiance of the sun.
    pub sun: Vec3,
    /// Radiance of the sky.
    pub sky: Vec3,
    /// Radiance of the ground, from below.
    pub ground: Vec3,
    /// Asymmetry of scattering by smoke, -1 to 1: positive is forwards.
    pub anisotropy: f32,
}

/// The lights together with the optical depth of everything in their way.
#[derive(Debug)]
pub struct Light {
    /// The lights.
    pub lamp: Lamp,
    /// Optical depth towards the sun.
    pub sun_grid: LightGrid,
    /// Optical depth upwards.
    pub sky_grid: LightGrid,
}

/// Light scattered several times, as octaves of single scattering (Wrenninge): each has this fraction of
/// the optical depth of the one before, ...
const DEPTH_OF_OCTAVE: f32 = 0.4;
/// ... and this fraction of its light.
const LIGHT_OF_OCTAVE: f32 = 0.55;
const OCTAVES: usize = 3;
/// Fraction of the optical depth overhead that skylight feels: it comes from all sides.
const SKY_DEPTH: f32 = 0.45;
/// Fraction of the skylight that comes from the sides, whatever is overhead.
const SKY_FROM_SIDES: f32 = 0.3;

impl Light {
    /// Returns the unit vector to the sun.
    pub(crate) fn towards_sun(&self) -> Vec3 {
        self.lamp.towards_sun.normalize()
    }

    /// Returns the factor by which smoke at a point dims skylight.
    #[inline]
    fn sky_visible(&self, point: Vec3) -> f32 {
        let overhead = (-SKY_DEPTH * self.sky_grid.optical_depth(point)).exp();
        SKY_FROM_SIDES + (1.0 - SKY_FROM_SIDES) * overhead
    }

    /// Returns the radiance that white smoke at a point scatters to the eye. `phase` is from
    /// [`phases`](Self::phases).
    #[inline]
    pub(crate) fn in_smoke(&self, point: Vec3, phase: &[f32; OCTAVES]) -> Vec3 {
        let depth = self.sun_grid.optical_depth(point);
        let (mut sun, mut share) = (0.0, 1.0);
        for phase in phase {
            sun += phase * (-share * depth).exp();
            share *= DEPTH_OF_OCTAVE;
        }
        self.lamp.sun * sun + self.lamp.sky * self.sky_visible(point) + self.lamp.ground
    }

    /// Returns the weight of each octave of sunlight that is scattered into the direction of the eye: its
    /// light, 1 in total, times a phase function (Henyey and Greenstein's), which is 1 if scattering is
    /// isotropic.
    #[inline]
    pub(crate) fn phases(&self, from_eye: Vec3) -> [f32; OCTAVES] {
        // Light travels away from the sun; at an angle of 0 it goes straight on to the eye.
        let cosine = self.towards_sun().dot(from_eye.normalize());
        let sum: f32 = (0..OCTAVES as i32).map(|n| LIGHT_OF_OCTAVE.powi(n)).sum();
        let (mut asymmetry, mut light) = (self.lamp.anisotropy, 1.0 / sum);
        std::array::from_fn(|_| {
            let square = asymmetry * asymmetry;
            let phase = light * (1.0 - square) / (1.0 + square - 2.0 * asymmetry * cosine).powf(1.5);
            asymmetry *= LIGHT_OF_OCTAVE;
            light *= LIGHT_OF_OCTAVE;
            phase
        })
    }

    /// Returns the irradiance of the sun on a surface at a point.
    #[inline]
    pub(crate) fn sun_on(&self, point: Vec3, normal: Vec3) -> Vec3 {
        let cosine = normal.dot(self.towards_sun()).max(0.0);
        self.lamp.sun * (cosine * (-self.sun_grid.optical_depth(point)).exp())
    }

    /// Returns the radiance of a matt white surface at a point.
    #[inline]
    pub(crate) fn on_surface(&self, point: Vec3, normal: Vec3) -> Vec3 {
        let upwards = 0.5 + 0.5 * normal.z;
        let sky = self.lamp.sky * (upwards * self.sky_visible(point));
        self.sun_on(point, normal) + sky + self.lamp.ground * (1.0 - upwards)
    }
}
