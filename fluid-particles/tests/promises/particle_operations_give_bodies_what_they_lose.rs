//! Bodies receive the momentum that particles lose on contact, for any number of particles.

use crate::particle_operations::*;

use fluid_core::boundary::{SurfaceImpulse, Surfaces};
use fluid_particles::ops::*;
use fluid_threads::Serial;
use glam::{DVec3, Vec3};

fn impulses(
    host: &mut Host,
    surfaces: &dyn Surfaces,
    list: &[Operation<'_>],
) -> (RunReport, Vec<(u32, SurfaceImpulse)>) {
    let inputs = RunInputs { field: &Waves, surfaces, dt: DT, frame: 0 };
    let outcome = run_with(&Serial, host, None, &inputs, list).expect("a right list");
    (outcome.report, outcome.impulses)
}

fn relative(error: f64, of: f64) -> f64 {
    error / of.max(1e-300)
}

#[test]
fn momentum_angular_momentum_and_energy() {
    let collide = Collide { restitution: 0.3, friction: 0.6, mass: 0.1 };
    let mass = f64::from(collide.mass);
    for count in [1, 9, CHUNK, CHUNK + 1, 20 * CHUNK + 7] {
        let start = particles(count);
        let mut host = Host::new(&start, count, Layout::Soa);
        let (report, given) = impulses(&mut host, &Scenery, &[collide.into()]);
        let mut expected = [(DVec3::ZERO, DVec3::ZERO, 0.0_f64, 0_u32); 3];
        let mut sizes = [1e-30; 3];
        let centre = BALL.centre.as_dvec3();
        for (old, new) in start.iter().zip(host.read()).filter(|(_, new)| new.hit != 0) {
            let body = new.hit as usize - 1;
            let surface = match body {
                0 => GROUND.velocity,
                _ => BALL.velocity + BALL.spin.cross(new.position - BALL.centre),
            };
            let (v, v_new, u) = (old.velocity.as_dvec3(), new.velocity.as_dvec3(), surface.as_dvec3());
            let lost = (v - v_new) * mass;
            let energy = 0.5 * mass * ((v - u).length_squared() - (v_new - u).length_squared());
            let sum = &mut expected[body];
            sum.0 += lost;
            sum.1 += (new.position.as_dvec3() - centre).cross(lost);
            sum.2 += energy;
            sum.3 += 1;
            sizes[body] += lost.length();
            // Friction and bounces only dissipate, up to the rounding of the velocities, 1e-7 of 2 m/s
            // each.
            assert!(energy > -mass * 1e-6, "{energy} J won");
        }
        let hits: u32 = expected.iter().map(|sum| sum.3).sum();
        assert_eq!(report.hits, hits as usize);
        assert!(given.is_sorted_by(|a, b| a.0 < b.0));
        for (body, (expected, size)) in expected.into_iter().zip(sizes).enumerate() {
            let given = given.iter().find(|(number, _)| *number as usize == body);
            let given = given.map_or_else(SurfaceImpulse::default, |(_, given)| *given);
            assert_eq!(given.hits, expected.3);
            // f64 sums in another order.
            assert!(relative(given.linear.distance(expected.0), size) < 1e-12, "body {body} of {count}");
            let angular = given.angular(centre).distance(expected.1);
            assert!(relative(angular, size) < 1e-12, "body {body} of {count}: {angular}");
            assert!(relative((given.lost_energy - expected.2).abs(), size) < 1e-12, "body {body} of {count}");
        }
    }
}

#[test]
fn the_same_mass_in_more_particles_gives_the_same() {
    let (v, e, f) = (Vec3::new(3.0, 0.0, -2.0), 0.5_f32, 0.25_f32);
    let ground = Ground { height: 0.0, velocity: Vec3::new(1.0, 0.0, 0.5) };
    // Relative to the wall: 2 m/s along it, 2.5 m/s into it; 4 kg.
    let exact = DVec3::new(4.0 * 2.0 * 0.25, 0.0, 4.0 * -2.5 * 1.5);
    let energy = 0.5 * 4.0 * (2.0 * 2.0 * (1.0 - 0.75 * 0.75) + 2.5 * 2.5 * (1.0 - 0.5 * 0.5));
    for count in [1, 10, 1000, 30_000] {
        let mut start = particles(count);
        start.iter_mut().for_each(|p| (p.position.z, p.velocity) = (-0.01, v));
        let mut host = Host::new(&start, count, Layout::Soa);
        let collide = Collide { restitution: e, friction: f, mass: 4.0 / count as f32 };
        let (_, given) = impulses(&mut host, &ground, &[collide.into()]);
        let (_, given) = given[0];
        assert!(relative(given.linear.distance(exact), exact.length()) < 1e-6, "{given:?}");
        assert!(relative((given.lost_energy - energy).abs(), energy) < 1e-6, "{given:?}");
        assert_eq!(given.hits, count as u32);
    }
}

#[test]
fn far_from_the_origin_as_near_it() {
    let shift = Vec3::new(1024.0, -1024.0, 1024.0);
    let collide = Collide { restitution: 0.0, friction: 1.0, mass: 0.1 };
    let given = |shift: Vec3| {
        let mut start = particles(2000);
        for particle in &mut start {
            // Well within the ball: the set of particles inside must not depend on rounding.
            let out = particle.position.normalize() * (0.9 * BALL.radius);
            particle.position = BALL.centre + shift + out;
        }
        let ball = Ball { body: 0, centre: BALL.centre + shift, ..BALL };
        let mut host = Host::new(&start, start.len(), Layout::Soa);
        let (_, given) = impulses(&mut host, &ball, &[collide.into()]);
        (given[0].1.linear, given[0].1.angular(ball.centre.as_dvec3()))
    };
    let ((linear, angular), (far_linear, far_angular)) = (given(Vec3::ZERO), given(shift));
    // Positions are rounded there to 1024 m * 2^-24 = 6e-5 m; the ball has 0.8 m.
    assert!(relative(far_linear.distance(linear), linear.length()) < 1e-3, "{linear} {far_linear}");
    assert!(relative(far_angular.distance(angular), angular.length()) < 1e-3, "{angular} {far_angular}");
}

#[test]
fn several_collisions_of_a_run_add_up_and_the_next_run_begins_anew() {
    let mut particle = particles(1)[0];
    (particle.position, particle.velocity) = (Vec3::NEG_Z, Vec3::NEG_Z);
    let ground = Ground { height: 0.0, velocity: Vec3::ZERO };
    let collide: Operation<'_> = Collide { restitution: 1.0, friction: 0.0, mass: 2.0 }.into();
    let down = Accelerate { acceleration: Vec3::Z * (-3.0 / DT) }.into();
    let mut host = Host::new(&[particle], 1, Layout::Soa);
    // -1 becomes 1, then -2, and at the second contact 2.
    let list = [collide, down, Advect.into(), collide];
    let inputs = RunInputs { field: &Waves, surfaces: &ground, dt: DT, frame: 0 };
    let mut scratch = RunScratch::default();
    let mut run = |list: &[Operation<'_>]| {
        host.view(None, |view| {
            let memory = RunMemory { scratch: &mut scratch, emit_states: &mut [], killed: &mut [] };
            run_operations(&Serial, &inputs, list, view, memory).expect("a right list");
        });
        scratch.impulses().to_vec()
    };
    let given = run(&list);
    assert!((given[0].1.linear.z - 2.0 * (-2.0 - 4.0)).abs() < 1e-5, "{given:?}");
    assert_eq!(given[0].1.hits, 2);
    assert_eq!(run(&[Age.into()]), []);
}

#[test]
fn massless_particles_give_nothing_and_compaction_forgets_nothing() {
    let count = 3 * CHUNK;
    let mut start = particles(count);
    start.iter_mut().for_each(|particle| (particle.position, particle.age) = (BALL.centre, 9.0));
    let after = |list: &[Operation<'_>]| {
        let mut host = Host::new(&start, count, Layout::Soa);
        impulses(&mut host, &BALL, list)
    };
    let (report, given) = after(&[Collide::default().into()]);
    assert_eq!((report.hits, given.len()), (count, 0));
    let collide = Collide { restitution: 0.0, friction: 0.0, mass: 1.0 };
    let (_, expected) = after(&[collide.into()]);
    let all_die = Kill { max_age: Some(2.0), max_age_frames: None, mode: KillMode::Compact };
    let (report, given) = after(&[collide.into(), all_die.into()]);
    assert_eq!((report.hits, report.count), (count, 0));
    assert_eq!(given, expected);
}
