//! A ring that meets half-spaces moves as beside its mirror images without them: it keeps its impulse along
//! them, and as much of its energy as beside the images (E46, E50).

use crate::floor::{half_space, params, world};
use fluid_bodies::{BodyDef, Pose};
use fluid_core::initial::VortexRing;
use fluid_core::params::Params;
use fluid_core::particles::{Vorton, Vortons};
use fluid_core::velocity::SolverKind;
use fluid_threads::Pool;
use glam::{DVec3, Quat, Vec3};

const CORE: f32 = 0.1;

/// Returns a thick ring at a centre \[m\] that travels along an axis.
fn ring(centre: Vec3, axis: Vec3) -> Vec<Vorton> {
    let (radius, thickness, circulation, spacing) = (0.5, 0.25, 1.0, CORE / 1.5);
    let ring = VortexRing { centre, axis, radius, thickness, circulation, spacing };
    ring.vortons().expect("constants in range")
}

/// Returns the impulse \[m⁴/s\] of vortons about `origin` \[m\].
fn impulse(vortons: &Vortons, origin: Vec3) -> DVec3 {
    let rows = vortons.positions.iter().zip(vortons.strengths.iter());
    rows.map(|(place, strength)| 0.5 * (place - origin).as_dvec3().cross(strength.as_dvec3())).sum()
}

/// Follows vortons beside half-spaces for 5 s at `rate` \[1/s\]. Returns the change of their impulse about
/// `origin`, relative to the first, and the part left of their energy \[1\].
fn follow(vortons: &[Vorton], bodies: &[BodyDef], rate: u32, origin: Vec3) -> (DVec3, f64) {
    let pool = Pool::new(2).expect("threads start");
    let params = Params { core_radius: CORE, ..params(SolverKind::Auto) };
    let (mut sim, mut bodies) = world(params, vortons, bodies);
    let (start, mut energy) = (impulse(sim.vortons(), origin), None);
    for _ in 0..5 * rate {
        sim.step(&pool, &mut bodies, 1.0 / rate as f32).expect("a finite step");
        energy.get_or_insert(sim.stats().energy);
    }
    let change = impulse(sim.vortons(), origin) - start;
    (change / start.length(), sim.stats().energy / energy.expect("a step"))
}

#[test]
fn beside_a_floor() {
    let one = ring(Vec3::Z * 1.2, Vec3::new(1.0, 0.0, -1.0));
    let pair = [&*one, &*ring(Vec3::Z * -1.2, Vec3::new(1.0, 0.0, 1.0))].concat();
    let (_, of_pair) = follow(&pair, &[], 30, Vec3::ZERO);
    for rate in [30, 60] {
        let (change, energy) = follow(&one, &[half_space(Pose::IDENTITY)], rate, Vec3::ZERO);
        println!("{rate} Hz: {change:.4}, energy {energy:.3}, of the pair at 30 Hz {of_pair:.3}");
        assert!(change.truncate().length() < 0.002, "{rate} Hz: {change}");
        assert!((energy / of_pair - 1.0).abs() < 0.04, "{rate} Hz: {energy} {of_pair}");
    }
}

/// Turned, and far from the origin.
#[test]
fn beside_a_wall_anywhere() {
    let rotation = Quat::from_euler(glam::EulerRot::XYZ, 1.0, -0.7, 0.4);
    let wall = Pose { position: Vec3::new(3.1, -2.7, 5.3), rotation };
    let one = ring(wall.to_world(Vec3::Z * 1.2), wall.turn(Vec3::new(1.0, 0.0, -1.0)));
    let (change, energy) = follow(&one, &[half_space(wall)], 30, wall.position);
    let along = wall.turn_back(change.as_vec3()).truncate().length();
    println!("{change:.4}, along {along:.4}, energy {energy:.3}");
    assert!(along < 0.002, "{along}");
    assert!(energy > 0.85, "{energy}");
}

#[test]
fn in_a_corner() {
    let wall = Pose { position: Vec3::ZERO, rotation: Quat::from_rotation_arc(Vec3::Z, Vec3::X) };
    let one = ring(Vec3::new(0.9, 0.0, 0.9), Vec3::new(-1.0, 1.0, -1.0));
    let (change, energy) = follow(&one, &[half_space(Pose::IDENTITY), half_space(wall)], 30, Vec3::ZERO);
    println!("{change:.4}, energy {energy:.3}");
    assert!(change.y.abs() < 0.002, "{change}");
    assert!(energy > 0.7, "{energy}");
}
