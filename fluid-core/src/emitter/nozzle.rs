//! The nozzle of a jet, a fan or a rotor: a disc that sheds the sheet between moving fluid and fluid at rest.

use crate::constants::MAX_SPEED;
use crate::math::Random;
use crate::params::ParamError;
use crate::particles::Vorton;
use glam::Vec3;
use std::f64::consts::PI;

/// An actuator disc across z, which pushes fluid along z (E59).
///
/// What leaves it is the cylindrical vortex sheet between its jet and the fluid around, in rings of vortons:
/// circulation ½ U² a second, which carries the impulse ½ ρ U² πR² a second, its thrust. It draws fluid from
/// all around behind it, which passes it at ½ U and narrows to a jet of radius R/√2 at the speed U within a
/// radius or so. A pipe of radius r out of which fluid flows at U pushes as hard as a disc of R = √2 r.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nozzle {
    /// Radius R \[m\], positive.
    pub radius: f32,
    /// Speed U \[m/s\] of the jet, 0 to [`MAX_SPEED`].
    pub speed: f32,
    /// Random displacement of each of a ring's vortons: full width, over their distance, 0 to 1. A jet
    /// without any stays symmetric longer than real ones do.
    pub disturbance: f32,
}

crate::saved::fields!(Nozzle { radius, speed, disturbance });

impl Default for Nozzle {
    fn default() -> Self {
        Self { radius: 0.1, speed: 1.0, disturbance: 0.1 }
    }
}

/// Distance between vortons along rings and between rings, over the core radius: they have to overlap.
const SPACING: f64 = 2.0 / 3.0;

/// Fewest vortons of a ring.
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

    /// Volume \[m³\] that passes it between two things that come out at `rate` \[1/s\], at most that of the
    /// disc over a length of its radius: one of a burst stands for no more, at whatever rate.
    pub(super) fn volume_at(&self, rate: f32) -> f32 {
        let (radius, between) = (f64::from(self.radius), 0.5 * f64::from(self.speed) / f64::from(rate));
        (PI * radius * radius * between.min(radius)) as f32
    }

    /// Where something comes out of it, `since` \[s\] ago, by three numbers in [-1/2, 1/2).
    pub(super) fn in_the_jet(&self, random: Vec3, since: f32) -> Vec3 {
        let distance = f64::from(self.radius) * (f64::from(random.x) + 0.5).sqrt();
        let (sin, cos) = libm::sincos(2.0 * PI * f64::from(random.y));
        Vec3::new((distance * cos) as f32, (distance * sin) as f32, 0.5 * self.speed * since)
    }

    /// How many rings leave it in a second \[1/s\]: fluid passes it at half the jet's speed.
    pub(super) fn rings_per_second(&self, core_radius: f32) -> f64 {
        0.5 * f64::from(self.speed) / (SPACING * f64::from(core_radius))
    }

    /// How many vortons make a ring.
    pub(super) fn vortons_per_ring(&self, core_radius: f32) -> u64 {
        let length = 2.0 * PI * f64::from(self.radius);
        (length / (SPACING * f64::from(core_radius))).ceil().max(FEWEST) as u64
    }

    /// The vortons of ring number `ring`, `since` \[s\] after it left, in the nozzle's frame. Σ α = 0.
    pub(super) fn ring(
        self,
        random: Random,
        ring: u64,
        since: f32,
        core: f32,
    ) -> impl Iterator<Item = Vorton> {
        let count = self.vortons_per_ring(core);
        let (radius, speed, core) = (f64::from(self.radius), f64::from(self.speed), f64::from(core));
        let arc = 2.0 * PI * radius / count as f64;
        // What leaves between two rings: half the square of the speed for as long as the sheet takes.
        let circulation = speed * SPACING * core;
        let spread = self.disturbance * arc as f32;
        let along = 0.5 * self.speed * since;
        (0..count).map(move |k| {
            let n = ring.wrapping_mul(count).wrapping_add(k);
            let (sin, cos) = libm::sincos(2.0 * PI * k as f64 / count as f64);
            let edge = Vec3::new((radius * cos) as f32, (radius * sin) as f32, along);
            let strength = circulation * arc;
            Vorton {
                position: edge + random.centred_vec3(n) * spread,
                strength: Vec3::new((-strength * sin) as f32, (strength * cos) as f32, 0.0),
                volume: (arc * (SPACING * core) * (SPACING * core)) as f32,
                ..Vorton::default()
            }
        })
    }
}
