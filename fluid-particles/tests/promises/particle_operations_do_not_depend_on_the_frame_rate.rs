//! Rates are per second: two half steps equal one step, and drag follows its exact solution at any step.

use crate::particle_operations::*;

use fluid_particles::ops::*;
use fluid_threads::Serial;
use glam::Vec3;

fn velocity_after(operation: Operation<'_>, start: Vec3, dt: f32, steps: usize) -> Vec3 {
    let mut particle = particles(1)[0];
    particle.velocity = start;
    let mut host = Host::new(&[particle], 1, Layout::Soa);
    let inputs = RunInputs { field: &Uniform(Vec3::new(1.0, -2.0, 0.5)), surfaces: &Scenery, dt, frame: 0 };
    for _ in 0..steps {
        run_with(&Serial, &mut host, None, &inputs, &[operation]).expect("a right list");
    }
    host.read()[0].velocity
}

#[test]
fn two_half_steps_are_one_step() {
    let start = Vec3::new(5.0, 3.0, -4.0);
    let operations: [Operation<'_>; 7] = [
        Velocity { rate: 3.0, sample: SampleAt::Particle, ..Velocity::default() }.into(),
        Velocity { rate: 0.01, sample: SampleAt::Midpoint, ..Velocity::default() }.into(),
        Wind { velocity: Vec3::X, rate: 30.0 }.into(),
        Accelerate { acceleration: Vec3::NEG_Z }.into(),
        Drag { linear_rate: 2.0, quadratic: 0.0 }.into(),
        Drag { linear_rate: 0.0, quadratic: 3.0 }.into(),
        Drag { linear_rate: 1.0, quadratic: 0.7 }.into(),
    ];
    for operation in operations {
        for dt in [1e-3, 1.0 / 60.0, 0.5] {
            let (one, two) =
                (velocity_after(operation, start, dt, 1), velocity_after(operation, start, dt / 2.0, 2));
            // Relative to the speeds used (7 m/s): a few roundings of f32.
            assert!(one.distance(two) < 7.0 * 1e-6, "{operation:?} dt {dt}: {one} {two}");
        }
    }
}

#[test]
fn the_largest_rate_assigns_at_once_and_exactly() {
    let wind = Vec3::new(0.1, 0.2, 0.3);
    for dt in [0.0, 1e-6, 1.0] {
        let after = velocity_after(Wind { velocity: wind, rate: f32::MAX }.into(), Vec3::ONE, dt, 1);
        assert_eq!(after, wind);
        let after = velocity_after(Velocity::default().into(), Vec3::ONE, dt, 1);
        assert_eq!(after, Vec3::new(1.0, -2.0, 0.5));
    }
}

#[test]
fn drag_follows_its_exact_solution() {
    let fluid = glam::DVec3::new(1.0, -2.0, 0.5);
    let start = Vec3::new(9.0, -2.0, 6.5);
    for a in [0.0_f32, 1e-30, 1e-6, 0.3, 20.0, 1e30] {
        for k in [0.0_f32, 1e-6, 0.4, 1e30] {
            for dt in [0.0_f32, 1.0 / 60.0, 2.0, 1e6] {
                let after = velocity_after(Drag { linear_rate: a, quadratic: k }.into(), start, dt, 1);
                let w = start.as_dvec3() - fluid;
                let (a, k, t) = (f64::from(a), f64::from(k), f64::from(dt));
                let left = if a == 0.0 {
                    1.0 / (1.0 + k * w.length() * t)
                } else {
                    let lost = -libm::expm1(-a * t);
                    a * libm::exp(-a * t) / (a + k * w.length() * lost)
                };
                let error = after.as_dvec3().distance(fluid + w * left);
                assert!(error < 1e-6 * w.length(), "a {a} k {k} t {t}: {after}, off by {error}");
                let (from, to) = (w.length(), (after.as_dvec3() - fluid).length());
                assert!(to <= from * (1.0 + 1e-7) && (after.as_dvec3() - fluid).dot(w) >= 0.0, "overshoots");
            }
        }
    }
}
