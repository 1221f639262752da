//! The nozzle of a jet, fan or rotor: a disc with an edge that sheds the vortex sheet between jet and fluid
//! at rest.

use crate::constants::MAX_SPEED;
use crate::math::Random;
use crate::params::ParamError;
use crate::particles::{Vorton, VortonRing};
use glam::{DVec3, Vec3};
use std::f64::consts::PI;

/// An actuator disc normal to z that pushes fluid along z (E59).
///
/// It emits the cylindrical vortex sheet between its jet and the surrounding fluid as rings of vortons:
/// circulation at the rate ½ U², hence impulse at the rate ½ ρ U² πR², which is its thrust. Fluid is drawn in
/// from all sides behind the disc, passes it at ½ U and narrows within about one radius to a jet of radius
/// R/√2 and speed U. A pipe of radius r with outflow speed U has the thrust of a disc of R = √2 r.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nozzle {
    /// Radius R \[m\], positive.
    pub radius: f32,
    /// Speed U \[m/s\] of the jet, 0 to [`MAX_SPEED`].
    pub speed: f32,
    /// Random displacement of each vorton of a ring: full width relative to their spacing, 0 to 1. Without it
    /// a jet stays symmetric longer than real jets do.
    pub disturbance: f32,
}

crate::saved::fields!(Nozzle { radius, speed, disturbance });

impl Default for Nozzle {
    fn default() -> Self {
        Self { radius: 0.1, speed: 1.0, disturbance: 0.1 }
    }
}

/// Distance between vortons along rings and between rings, over the core radius: vortons have to overlap.
const RING_SPACING: f64 = 2.0 / 3.0;

/// Fewest vortons in a ring.
const FEWEST: f64 = 8.0;

impl Nozzle {
    /// Checks every field.
    pub(super) fn validate(&self) -> Result<(), ParamError> {
        let Self { radius, speed, disturbance } = *self;
        let positive = radius.is_finite() && radius > 0.0;
        ParamError::check(positive, "nozzle.radius", radius, "finite and above 0 m")?;
        let forwards = (0.0..=MAX_SPEED).contains(&speed);
        ParamError::check(forwards, "nozzle.speed", speed, "from 0 to 1e10 m/s")?;
        let share = (0.0..=1.0).contains(&disturbance);
        ParamError::check(share, "nozzle.disturbance", disturbance, "from 0 to 1")
    }

    /// Returns the volume \[m³\] that passes the disc between two emissions at `rate` \[1/s\], at most that
    /// of the disc times its radius, which bounds the volume of burst vortons at any rate.
    pub(super) fn volume_at(&self, rate: f32) -> f32 {
        let (radius, between) = (f64::from(self.radius), 0.5 * f64::from(self.speed) / f64::from(rate));
        (PI * radius * radius * between.min(radius)) as f32
    }

    /// Returns the position of a particle `since` \[s\] after emission, from three random numbers in
    /// [-1/2, 1/2).
    pub(super) fn in_the_jet(&self, random: Vec3, since: f32) -> Vec3 {
        let distance = f64::from(self.radius) * (f64::from(random.x) + 0.5).sqrt();
        let (sin, cos) = libm::sincos(2.0 * PI * f64::from(random.y));
        Vec3::new((distance * cos) as f32, (distance * sin) as f32, 0.5 * self.speed * since)
    }

    /// Rings emitted per second \[1/s\]: fluid passes the disc at half the jet's speed.
    pub(super) fn rings_per_second(&self, core_radius: f32) -> f64 {
        0.5 * f64::from(self.speed) / (RING_SPACING * f64::from(core_radius))
    }

    /// Returns the number of vortons in a ring.
    pub(super) fn vortons_per_ring(&self, core_radius: f32) -> u64 {
        let length = 2.0 * PI * f64::from(self.radius);
        (length / (RING_SPACING * f64::from(core_radius))).ceil().max(FEWEST) as u64
    }

    /// Returns the vortons of ring number `ring`, `since` \[s\] after emission, in the nozzle's frame. Their
    /// strengths sum to zero.
    pub(super) fn ring(
        self,
        random: Random,
        ring: u64,
        since: f32,
        core: f32,
    ) -> impl Iterator<Item = Vorton> {
        let count = self.vortons_per_ring(core);
        let (radius, speed, core) = (f64::from(self.radius), f64::from(self.speed), f64::from(core));
        let along = 0.5 * self.speed * since;
        let sheet = VortonRing {
            centre: DVec3::new(0.0, 0.0, along.into()),
            plane: [DVec3::X, DVec3::Y],
            radius,
            // Shed between two rings: half the speed squared, times the time in which the sheet moves one
            // spacing.
            circulation: speed * RING_SPACING * core,
            section: (RING_SPACING * core) * (RING_SPACING * core),
            count: usize::try_from(count).unwrap_or(usize::MAX),
            phase: 0.0,
        };
        let spread = self.disturbance * sheet.arc() as f32;
        let first = ring.wrapping_mul(count);
        sheet.vortons().enumerate().map(move |(k, vorton)| {
            let displaced = random.centred_vec3(first.wrapping_add(k as u64)) * spread;
            Vorton { position: vorton.position + displaced, ..vorton }
        })
    }
}
