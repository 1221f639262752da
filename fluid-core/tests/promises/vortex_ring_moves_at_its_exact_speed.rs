//! A ring of vortons travels at the speed of a circular filament with the same core (R3), in any direction,
//! and keeps its shape.

use crate::common;

use crate::common::{exact_ring_speed, filament_ring, inviscid, steps, world};
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{Kernel, SolverKind, VelocityField};
use glam::{DVec3, Vec3};
use std::f64::consts::PI;

const SMOOTH: [Kernel; 2] = [Kernel::WinckelmansLeonard, Kernel::RosenheadMoore];

const AXES: [Vec3; 4] = [Vec3::Z, Vec3::NEG_X, Vec3::new(1.0, 2.0, -0.5), Vec3::new(-0.2, 0.3, 0.9)];

/// Returns a ring R = Γ = 1 with neighbours σ/1.25 apart.
fn ring(kernel: Kernel, core: f32, axis: Vec3) -> VortexSim {
    let count = (1.25 * 2.0 * PI / f64::from(core)).ceil() as usize;
    let params = Params { kernel, ..inviscid(core) };
    world(params, &filament_ring(Vec3::new(0.3, -0.2, 0.1), axis, 1.0, 1.0, count))
}

/// Returns the speed along the axis \[m/s\] at this instant: mean over the ring.
fn speed(sim: &mut VortexSim, axis: Vec3) -> f64 {
    steps(sim, 0.0, 1);
    let places = common::positions(sim);
    let mut velocities = vec![Vec3::ZERO; places.len()];
    sim.field().velocities(&places, &mut velocities);
    let total: DVec3 = velocities.iter().map(|u| u.as_dvec3()).sum();
    total.dot(axis.as_dvec3().normalize()) / places.len() as f64
}

fn centre(sim: &VortexSim) -> DVec3 {
    sim.vortons().positions.iter().map(|x| x.as_dvec3()).sum::<DVec3>() / sim.vortons().len() as f64
}

#[test]
fn the_quadrature_is_the_published_table() {
    let table = [
        (Kernel::RosenheadMoore, 0.1, 3.37632),
        (Kernel::WinckelmansLeonard, 0.1, 3.88108),
        (Kernel::RosenheadMoore, 0.2, 2.67137),
        (Kernel::WinckelmansLeonard, 0.2, 3.18500),
    ];
    for (kernel, core, speed) in table {
        // Half a unit of the last printed digit.
        assert!((exact_ring_speed(kernel, core) - speed).abs() < 6e-6, "{kernel:?} {core}");
    }
    // Thin rings: ln(8R/σ) - C with C = 1/2 and 1.
    let thin = (8.0_f64 / 0.02).ln();
    assert!((exact_ring_speed(Kernel::WinckelmansLeonard, 0.02) - (thin - 0.5)).abs() < 2e-3);
    assert!((exact_ring_speed(Kernel::RosenheadMoore, 0.02) - (thin - 1.0)).abs() < 2e-3);
}

#[test]
fn at_the_first_instant() {
    for kernel in SMOOTH {
        for core in [0.1_f32, 0.2] {
            for axis in AXES {
                let measured = 4.0 * PI * speed(&mut ring(kernel, core, axis), axis);
                let exact = exact_ring_speed(kernel, core.into());
                // The sum over vortons differs from the integral by 4e-3 at this overlap (validation R3).
                assert!(
                    (measured / exact - 1.0).abs() <= 5e-3,
                    "{kernel:?} σ={core}: {measured} is not {exact}"
                );
            }
        }
    }
}

#[test]
fn over_ten_radii_of_travel() {
    for kernel in SMOOTH {
        for core in [0.1_f32, 0.2] {
            for axis in AXES {
                travel(kernel, core, axis);
            }
        }
    }
}

fn travel(kernel: Kernel, core: f32, axis: Vec3) {
    let exact = exact_ring_speed(kernel, core.into()) / (4.0 * PI);
    // The core turns at Γ/πσ²; a quarter of a radian per step keeps the step well inside its range
    // (`Stats::stretch_number`).
    let count = (10.0 / exact / (0.25 * PI * f64::from(core * core))).ceil() as usize;
    let dt = (10.0 / exact / count as f64) as f32;
    let mut sim = ring(kernel, core, axis);
    let start = centre(&sim);
    steps(&mut sim, dt, count);
    let (end, direction) = (centre(&sim), axis.as_dvec3().normalize());
    let travelled = (end - start).dot(direction);
    let case = format!("{kernel:?} σ={core} along {axis}");
    assert!((travelled / 10.0 - 1.0).abs() <= 5e-3, "{case}: travelled {travelled} instead of 10");
    let sideways = (end - start - direction * travelled).length();
    assert!(sideways <= 1e-3 * travelled, "{case}: {sideways} sideways");
    for x in sim.vortons().positions.iter() {
        let from_centre = x.as_dvec3() - end;
        let height = from_centre.dot(direction);
        let radius = (from_centre - direction * height).length();
        // 0.1 % is the promise for the radius; the same for flatness.
        assert!((radius - 1.0).abs() <= 1e-3, "{case}: radius {radius}");
        assert!(height.abs() <= 1e-3, "{case}: {height} out of its plane");
    }
}

/// The fast solver for a single rough filament, with 2.5 nodes to a core. Validation R3 requires two
/// percent.
#[test]
fn on_the_mesh_to_two_percent() {
    for kernel in SMOOTH {
        for core in [0.1_f32, 0.2] {
            for axis in [Vec3::Z, Vec3::new(1.0, 2.0, -0.5)] {
                let exact = exact_ring_speed(kernel, core.into()) / (4.0 * PI);
                let count = (1.25 * 2.0 * PI / f64::from(core)).ceil() as usize;
                let params =
                    Params { kernel, solver: SolverKind::Mesh, nodes_per_core: 2.5, ..inviscid(core) };
                let ring = filament_ring(Vec3::new(0.3, -0.2, 0.1), axis, 1.0, 1.0, count);
                let mut sim = world(params, &ring);
                // Over a distance of two nodes: the positions between nodes must not affect the speed.
                let way = f64::from(2.0 * core / 2.5);
                let steps_taken = (way / exact / (0.25 * PI * f64::from(core * core))).ceil() as usize;
                let start = centre(&sim);
                steps(&mut sim, (way / exact / steps_taken as f64) as f32, steps_taken);
                assert!(sim.field().is_on_mesh());
                let moved = centre(&sim) - start;
                let travelled = moved.dot(axis.as_dvec3().normalize());
                let case = format!("{kernel:?} σ={core} along {axis}");
                assert!((travelled / way - 1.0).abs() <= 0.02, "{case}: travelled {travelled} for {way}");
                let sideways = (moved - axis.as_dvec3().normalize() * travelled).length();
                assert!(sideways <= 0.02 * way, "{case}: {sideways} sideways");
            }
        }
    }
}

#[test]
fn speed_does_not_depend_on_direction() {
    for core in [0.1_f32, 0.2] {
        let speeds = AXES.map(|axis| speed(&mut ring(Kernel::default(), core, axis), axis));
        for one in speeds {
            // Directions may differ by f32 round-off only.
            assert!((one / speeds[0] - 1.0).abs() < 1e-5, "{speeds:?}");
        }
    }
}
