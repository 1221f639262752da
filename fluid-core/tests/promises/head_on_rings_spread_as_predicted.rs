//! Two opposite rings collide and spread as in the exact equations of coaxial rings (R6). The plane between
//! them acts as an impermeable wall.

use crate::common::{filament_ring, inviscid, positions, ring_shape, steps, world};
use fluid_core::velocity::VelocityField;
use glam::Vec3;

const CORE: f32 = 0.1;

/// R and |z| at t = 1, 2, 3, 4, 5 s for R = Γ = 1 and initially |z| = 1 (validation, section 0).
const EXACT: [(f64, f64); 5] =
    [(1.0298, 0.7315), (1.0973, 0.4976), (1.2448, 0.3146), (1.5372, 0.1903), (2.0537, 0.1172)];

/// Neighbours are σ/1.25 apart when the rings have doubled their radius.
const COUNT: usize = 160;

/// Keeps |dt| times the gradient near 0.3.
const STEPS_PER_SECOND: usize = 120;

#[test]
fn radius_and_distance_follow_the_ring_equations() {
    let mut rings = filament_ring(Vec3::NEG_Z, Vec3::Z, 1.0, 1.0, COUNT);
    rings.extend(filament_ring(Vec3::Z, Vec3::Z, 1.0, -1.0, COUNT));
    let mut sim = world(inviscid(CORE), &rings);
    for (second, (radius, distance)) in EXACT.into_iter().enumerate() {
        steps(&mut sim, 1.0 / STEPS_PER_SECOND as f32, STEPS_PER_SECOND);
        let time = second + 1;
        for rows in [0..COUNT, COUNT..2 * COUNT] {
            let shape = ring_shape(sim.vortons(), rows);
            assert!(
                (shape.radius / radius - 1.0).abs() <= 0.01,
                "t = {time}: R = {}, not {radius}",
                shape.radius
            );
            assert!(
                (shape.z.abs() / distance - 1.0).abs() <= 0.01,
                "t = {time}: |z| = {}, not {distance}",
                shape.z
            );
        }
        check_mirror(&positions(&sim), time);
        check_wall(&sim, time);
    }
}

/// Asserts that vorton i of one ring mirrors vorton i of the other.
fn check_mirror(places: &[Vec3], time: usize) {
    let (lower, upper) = places.split_at(COUNT);
    for (a, b) in lower.iter().zip(upper) {
        // In exact arithmetic the two halves are mirror images; round-off grows with the strain of the flow.
        assert!(a.distance(*b * Vec3::new(1.0, 1.0, -1.0)) <= 1e-4, "t = {time}: {a} does not mirror {b}");
    }
}

fn check_wall(sim: &fluid_core::sim::VortexSim, time: usize) {
    let angle = |i: usize| i as f32 * 0.7;
    let places: Vec<_> =
        (0..60).map(|i| Vec3::new(angle(i).cos(), angle(i).sin(), 0.0) * (0.05 * i as f32)).collect();
    let mut velocities = vec![Vec3::ZERO; places.len()];
    sim.field().velocities(&places, &mut velocities);
    let fastest = velocities.iter().map(|u| u.length()).fold(0.0, f32::max);
    for (place, velocity) in places.iter().zip(velocities) {
        // As above: exactly 0 but for round-off.
        assert!(velocity.z.abs() <= 1e-4 * fastest, "t = {time}: {velocity} crosses the plane at {place}");
    }
}
