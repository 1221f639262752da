//! Particles do not enter bodies: they bounce, slide or stick as in closed form, and record their contacts.

use crate::particle_operations::*;

use fluid_core::boundary::Surfaces;
use fluid_particles::ops::*;
use fluid_threads::Serial;
use glam::{DVec3, Vec3};

fn step(host: &mut Host, surfaces: &dyn Surfaces, dt: f32, list: &[Operation<'_>]) -> RunReport {
    let inputs = RunInputs { field: &Waves, surfaces, dt, frame: 0 };
    run_with(&Serial, host, None, &inputs, list).expect("a right list").report
}

fn falling(height: f32) -> Host {
    let mut particle = particles(1)[0];
    (particle.position, particle.velocity) = (Vec3::new(0.0, 0.0, height), Vec3::ZERO);
    Host::new(&[particle], 1, Layout::Soa)
}

#[test]
fn a_dropped_particle_rises_to_the_square_of_its_restitution() {
    const G: f32 = 9.81;
    const HEIGHT: f32 = 2.0;
    for restitution in [0.3_f32, 0.8, 1.0] {
        for steps_per_second in [100.0_f32, 800.0] {
            let dt = 1.0 / steps_per_second;
            let list = [
                Accelerate { acceleration: Vec3::NEG_Z * G }.into(),
                Advect.into(),
                Collide { restitution, ..Collide::default() }.into(),
            ];
            let mut host = falling(HEIGHT);
            let ground = Ground { height: 0.0, velocity: Vec3::ZERO };
            let (mut peaks, mut peak, mut in_flight) = (Vec::new(), 0.0_f32, false);
            while peaks.len() < 3 {
                let hit = step(&mut host, &ground, dt, &list).hits == 1;
                let z = host.read()[0].position.z;
                assert!(z >= 0.0, "below the ground: {z}");
                if hit && in_flight {
                    peaks.push(peak);
                }
                if hit {
                    (peak, in_flight) = (0.0, true);
                }
                peak = peak.max(z);
            }
            for (bounce, peak) in peaks.iter().enumerate() {
                let exact = HEIGHT * restitution.powi(2 * (bounce as i32 + 1));
                // A contact is detected at the end of its step: each bounce may be late by dt at the speed
                // of the fall, and early by as much.
                let bound = 2.0 * (bounce as f32 + 1.0) * (2.0 * G * HEIGHT).sqrt() * dt;
                assert!((peak - exact).abs() < bound, "e {restitution} dt {dt}: {peak} for {exact}");
            }
        }
    }
}

#[test]
fn what_was_into_a_moving_wall_turns_round_and_the_rest_is_rubbed() {
    let ground = Ground { height: 0.5, velocity: Vec3::new(2.0, -1.0, 0.75) };
    let (u, v) = (ground.velocity.as_dvec3(), Vec3::new(-3.0, 4.0, -6.0));
    let mut particle = particles(1)[0];
    (particle.position, particle.velocity) = (Vec3::new(1.0, 2.0, 0.25), v);
    for restitution in [0.0_f32, 0.4, 1.0] {
        for friction in [0.0_f32, 0.7, 1.0] {
            let mut host = Host::new(&[particle], 1, Layout::Soa);
            step(&mut host, &ground, DT, &[Collide { restitution, friction, mass: 0.0 }.into()]);
            let after = host.read()[0];
            let w = v.as_dvec3() - u;
            let keep = 1.0 - f64::from(friction);
            let exact = u + DVec3::new(w.x * keep, w.y * keep, -f64::from(restitution) * w.z);
            // A few roundings of f32 at speeds of 8 m/s.
            let error = after.velocity.as_dvec3().distance(exact);
            assert!(error < 8.0 * 3e-7, "e {restitution} f {friction}: {} for {exact}", after.velocity);
            assert_eq!(after.position, Vec3::new(1.0, 2.0, 0.5));
        }
    }
}

#[test]
fn particles_that_leave_are_put_out_and_not_slowed() {
    let ground = Ground { height: 0.0, velocity: Vec3::new(1.0, 0.0, 1.0) };
    let mut particle = particles(1)[0];
    (particle.position, particle.velocity) = (Vec3::new(0.0, 0.0, -0.1), Vec3::new(2.0, 3.0, 1.5));
    let mut host = Host::new(&[particle], 1, Layout::Soa);
    let report = step(&mut host, &ground, DT, &[Collide { restitution: 0.5, ..Collide::default() }.into()]);
    let after = host.read()[0];
    assert_eq!((report.hits, after.position, after.velocity), (1, Vec3::ZERO, particle.velocity));
}

#[test]
fn a_particle_that_sticks_turns_with_a_spinning_ball() {
    let mut particle = particles(1)[0];
    particle.velocity = Vec3::new(-5.0, 1.0, 2.0);
    particle.position = BALL.centre + Vec3::new(0.5, 0.1, 0.0);
    let mut host = Host::new(&[particle], 1, Layout::Soa);
    step(&mut host, &BALL, DT, &[Collide { restitution: 0.0, friction: 1.0, mass: 0.0 }.into()]);
    let after = host.read()[0];
    let surface = BALL.velocity + BALL.spin.cross(after.position - BALL.centre);
    assert!(after.velocity.distance(surface) < 5.0 * 3e-7, "{} for {surface}", after.velocity);
}

#[test]
fn the_speed_after_a_bounce_does_not_depend_on_the_frame_rate() {
    let mut particle = particles(1)[0];
    (particle.position, particle.velocity) = (Vec3::new(0.0, 0.0, 0.7), Vec3::new(1.0, -2.0, -3.0));
    let ground = Ground { height: 0.0, velocity: Vec3::ZERO };
    let list = [Advect.into(), Collide { restitution: 0.5, friction: 0.25, mass: 0.0 }.into()];
    for rate in [24, 30, 60, 144] {
        let mut host = Host::new(&[particle], 1, Layout::Soa);
        let hits: usize = (0..rate).map(|_| step(&mut host, &ground, 1.0 / rate as f32, &list).hits).sum();
        assert_eq!((hits, host.read()[0].velocity), (1, Vec3::new(0.75, -1.5, 1.5)), "{rate} Hz");
    }
}

#[test]
fn each_says_what_it_has_met() {
    let start = particles(3 * CHUNK + 5);
    let list = [Advect.into(), Collide::default().into()];
    let mut host = Host::new(&start, start.len(), Layout::Soa);
    let hits = step(&mut host, &Scenery, DT, &list).hits;
    let after = host.read();
    assert_eq!(hits, after.iter().filter(|particle| particle.hit != 0).count());
    let mut of = [0; 4];
    for (old, new) in start.iter().zip(&after) {
        of[new.hit as usize] += 1;
        match new.hit {
            0 => {
                assert_eq!(new.normal, Vec3::ZERO);
                assert_eq!((new.position, new.velocity), (old.position + old.velocity * DT, old.velocity));
            }
            1 => assert_eq!((new.normal, new.position.z), (Vec3::Z, GROUND.height)),
            // Body 2.
            _ => {
                let normal = (new.position - BALL.centre) / BALL.radius;
                assert!(new.normal.distance(normal) < 1e-6, "{} for {normal}", new.normal);
            }
        }
    }
    assert!(of[0] > 500 && of[1] > 100 && of[2] == 0 && of[3] > 50, "{of:?}");
    // A particle without contact resets its record.
    let mut away = after.clone();
    away.iter_mut().for_each(|particle| particle.position.z += 9.0);
    let mut host = Host::new(&away, away.len(), Layout::Soa);
    assert_eq!(step(&mut host, &Scenery, DT, &list).hits, 0);
    assert!(host.read().iter().all(|particle| particle.hit == 0 && particle.normal == Vec3::ZERO));
}

#[test]
fn a_particle_that_collides_twice_in_a_run_counts_once() {
    let mut host = falling(-0.5);
    let list = [Collide::default().into(), Advect.into(), Collide::default().into()];
    let sinks = Ground { height: 0.0, velocity: Vec3::NEG_Z };
    assert_eq!(step(&mut host, &sinks, DT, &list).hits, 1);
}
