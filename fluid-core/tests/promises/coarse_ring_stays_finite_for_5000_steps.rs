//! A ring far too coarse for its core, run for minutes: relaxation keeps it finite and returns the impulse
//! that it removes (I2).

use crate::common::{steps, world};
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_threads::Serial;
use glam::DVec3;
use std::f64::consts::PI;

const SPACING: f64 = 0.25;
const CORE: f64 = 0.4;

/// Creates the set-up of validation I2: R = 1, core 0.4, h = 0.25, Γ = 1, with the articles' profile ω ∝ 1
/// + cos(πc/0.4), c the distance from the core circle.
fn coarse_ring() -> Vec<Vorton> {
    let centre = |i: i32| (f64::from(i) + 0.5) * SPACING;
    let mut inside = Vec::new();
    for (x, y, z) in (-8..8).flat_map(|x| (-8..8).flat_map(move |y| (-8..8).map(move |z| (x, y, z)))) {
        let place = DVec3::new(centre(x), centre(y), centre(z));
        let radius = place.truncate().length();
        let distance = (radius - 1.0).hypot(place.z);
        if distance < CORE {
            let vorticity = 1.0 + (PI * distance / CORE).cos();
            inside.push((place, DVec3::Z.cross(place) * (vorticity / radius), radius));
        }
    }
    // Γ = ∫ ω_φ dA = Σ α_φ / 2πρ.
    let circulation: f64 =
        inside.iter().map(|(_, vorticity, radius)| vorticity.length() / (2.0 * PI * radius)).sum();
    let vorton = |(place, vorticity, _): (DVec3, DVec3, f64)| Vorton {
        position: place.as_vec3(),
        strength: (vorticity / circulation).as_vec3(),
        ..Vorton::default()
    };
    inside.into_iter().map(vorton).collect()
}

#[test]
fn with_the_default_relaxation() {
    let ring = coarse_ring();
    assert_eq!(ring.len(), 216, "the set-up that was measured");
    let params = Params { core_radius: 1.25 * SPACING as f32, ..Params::default() };
    assert_eq!(params.relaxation_rate, 1.0);
    let mut sim = world(params, &ring);
    let start = sim.moments(&Serial);
    for _ in 0..50 {
        steps(&mut sim, 0.05, 100);
        let now = sim.moments(&Serial);
        assert_eq!(sim.vortons().len(), 216);
        assert_eq!(sim.stats().non_finite, 0);
        let drift = (now.linear_impulse - start.linear_impulse).length() / start.linear_impulse.length();
        // 2.3 % and 2.7 times were measured for this scheme; 42 % without returning the impulse
        // (validation, section 0).
        assert!(drift <= 0.05, "impulse drifts by {drift} at step {}", sim.stats().steps);
        assert!(
            now.max_strength <= 5.0 * start.max_strength,
            "max |α| {} at step {}",
            now.max_strength,
            sim.stats().steps
        );
    }
}
