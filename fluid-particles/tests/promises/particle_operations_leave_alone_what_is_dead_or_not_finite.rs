//! Every operation skips dead particles and particles with values that are not finite; the latter are
//! counted once.

use crate::particle_operations::*;

use fluid_core::constants::MAX_STEP;
use fluid_core::velocity::{FlowSample, VelocityField};
use fluid_particles::ops::*;
use fluid_particles::view::{DEAD, Semantic};
use glam::{Quat, Vec3};

const COUNT: usize = CHUNK + 60;

fn is_compact(operation: &Operation<'_>) -> bool {
    matches!(operation, Operation::Kill(Kill { mode: KillMode::Compact, .. }))
}

#[test]
fn the_dead_are_not_touched() {
    let mut start = particles(COUNT);
    let dead = |row: usize| row % 3 == 1;
    for (row, particle) in start.iter_mut().enumerate() {
        if dead(row) {
            particle.flags |= DEAD;
            // Far outside, much too old, and not finite: an operation that read it would show a different
            // result.
            particle.position.x = 1e6;
            particle.velocity.z = f32::NAN;
            particle.spin.z = f32::NAN;
            particle.orientation.w = f32::NAN;
            particle.age = 1e9;
        }
    }
    for operation in every_operation() {
        let mut host = Host::new(&start, COUNT + 60, Layout::Aos);
        let report = run(&mut host, &[operation]).report;
        assert_eq!(report.skipped_non_finite, 0, "{operation:?}");
        assert!(report.bounds.is_none_or(|bounds| bounds.max.x < 10.0));
        let after = host.read();
        if is_compact(&operation) {
            assert!(after.iter().all(|particle| particle.flags & DEAD == 0));
            assert_eq!(report.removed, report.killed + (0..COUNT).filter(|&row| dead(row)).count());
            continue;
        }
        let alive = (0..COUNT).filter(|&row| !dead(row)).count();
        assert!(report.killed <= alive);
        for row in (0..COUNT).filter(|&row| dead(row)) {
            assert_eq!(after[row].bits(), start[row].bits(), "{operation:?} row {row}");
        }
    }
}

#[test]
fn broken_particles_are_not_touched_and_counted() {
    let broken = |row: usize| row % 5 == 2;
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for operation in every_operation() {
            // A sample does not read its target, and integers are always finite.
            let target = match operation {
                Operation::SampleScalar(sample) => Some(sample.into),
                _ => None,
            };
            let reads = |semantic: &&Semantic| {
                !matches!(semantic, Semantic::Flags | Semantic::BirthFrame) && target != Some(**semantic)
            };
            for semantic in operation.needs().iter().filter(reads) {
                let mut start = particles(COUNT);
                for particle in start.iter_mut().skip(2).step_by(5) {
                    match semantic {
                        Semantic::Position => particle.position.y = value,
                        Semantic::Velocity => particle.velocity.y = value,
                        Semantic::AngularVelocity => particle.spin.y = value,
                        Semantic::Age => particle.age = value,
                        other => panic!("teach this test about {other:?}"),
                    }
                }
                let mut host = Host::new(&start, COUNT, Layout::Aos);
                let report = run(&mut host, &[operation]).report;
                let number = (0..COUNT).filter(|&row| broken(row)).count();
                assert_eq!(report.skipped_non_finite, number, "{operation:?} {semantic:?}");
                let after = host.read();
                if is_compact(&operation) {
                    let stay = start.iter().enumerate().filter(|&(row, _)| broken(row)).map(|(_, p)| p.user);
                    let here = after.iter().filter(|p| !p.age.is_finite()).map(|p| p.user);
                    assert!(stay.eq(here));
                    continue;
                }
                for row in (0..COUNT).filter(|&row| broken(row)) {
                    assert_eq!(after[row].bits(), start[row].bits(), "{operation:?} row {row}");
                }
            }
        }
    }
}

#[test]
fn a_particle_is_counted_once_however_many_operations_skip_it() {
    let mut start = particles(COUNT);
    start[3].velocity.x = f32::NAN;
    start[CHUNK + 3].position.x = f32::NAN;
    // Expires by its birth frame in the same run, after its velocity was found to be not finite.
    start[3].birth = -1000;
    let mut host = Host::new(&start, COUNT + 60, Layout::Soa);
    let mut list = every_operation();
    list.extend::<[Operation<'_>; 3]>([Advect.into(), Bounds.into(), Advect.into()]);
    assert_eq!(run(&mut host, &list).report.skipped_non_finite, 2);
}

#[test]
fn nothing_that_is_not_finite_is_ever_written() {
    let huge = f32::MAX;
    let start: Vec<_> = particles(COUNT)
        .into_iter()
        .map(|mut particle| {
            particle.position = glam::Vec3::splat(huge);
            particle.velocity = glam::Vec3::splat(-huge);
            particle.spin = glam::Vec3::splat(-huge);
            particle.orientation = Quat::from_array([huge; 4]);
            particle.age = huge;
            particle
        })
        .collect();
    for dt in [0.0, DT, MAX_STEP] {
        let list: Vec<_> = every_operation()
            .into_iter()
            .chain([
                Wind { velocity: glam::Vec3::splat(huge), rate: 0.1 }.into(),
                Accelerate { acceleration: glam::Vec3::splat(-huge) }.into(),
                Emit { rate: 1e9, seed: 0, timing: EmitTiming::Even, prototype: PROTOTYPE }.into(),
            ])
            .collect();
        for operation in list {
            let mut host = Host::new(&start, COUNT + 60, Layout::Aos);
            let inputs =
                RunInputs { field: &Uniform(glam::Vec3::splat(huge)), surfaces: &Scenery, dt, frame: 100 };
            run_with(&fluid_threads::Serial, &mut host, None, &inputs, &[operation]).expect("a right list");
            for particle in host.read() {
                assert!(particle.is_finite(), "{operation:?} dt {dt}: {particle:?}");
            }
        }
    }
}

#[test]
fn a_rate_of_0_does_nothing() {
    let mut start = particles(COUNT);
    // The difference to the fluid's velocity is not finite.
    start[3].velocity.x = -f32::MAX;
    let fluid = Vec3::splat(f32::MAX);
    let operations: [Operation<'_>; 4] = [
        // Applies to the angular velocity; orientations still rotate, so they are left out below.
        Spin { rate: 0.0, sample: SampleAt::Midpoint }.into(),
        Velocity { rate: 0.0, sample: SampleAt::Midpoint, ..Velocity::default() }.into(),
        Wind { velocity: fluid, rate: 0.0 }.into(),
        Drag { linear_rate: 0.0, quadratic: 0.0 }.into(),
    ];
    for operation in operations {
        let mut host = Host::new(&start, COUNT, Layout::Soa);
        let inputs = RunInputs { field: &Uniform(fluid), surfaces: &Scenery, dt: DT, frame: 100 };
        let outcome =
            run_with(&fluid_threads::Serial, &mut host, None, &inputs, &[operation]).expect("a right list");
        assert_eq!(outcome.report.skipped_non_finite, 0, "{operation:?}");
        let mut after = host.read();
        after.iter_mut().zip(&start).for_each(|(after, start)| after.orientation = start.orientation);
        assert_eq!(bits(&after), bits(&start), "{operation:?}");
    }
}

/// [`Waves`], with the assertion that positions are finite, and with wind that overflows in half a step.
struct Storm;

impl VelocityField for Storm {
    fn velocities(&self, positions: &[Vec3], out: &mut [Vec3]) {
        Waves.velocities(positions, out);
    }

    fn flow(&self, positions: &[Vec3], out: &mut [FlowSample]) {
        Waves.flow(positions, out);
    }

    fn carry(&self, places: &mut [Vec3], time: f32) {
        places.iter_mut().for_each(|place| *place += Vec3::splat(f32::MAX) * time);
    }
}

#[test]
fn the_fluid_is_not_asked_for_places_that_the_wind_carried_too_far() {
    let start = particles(COUNT);
    let inputs = RunInputs { field: &Storm, surfaces: &Scenery, dt: 60.0, frame: 100 };
    for (sample, skipped) in [(SampleAt::Midpoint, COUNT), (SampleAt::Particle, 0)] {
        for operation in
            [Velocity { rate: 1.0, sample, ..Velocity::default() }.into(), Spin { rate: 1.0, sample }.into()]
        {
            let mut host = Host::new(&start, COUNT, Layout::Soa);
            let outcome = run_with(&fluid_threads::Serial, &mut host, None, &inputs, &[operation])
                .expect("a right list");
            assert_eq!(outcome.report.skipped_non_finite, skipped);
            assert_eq!(bits(&host.read()) == bits(&start), skipped == COUNT);
        }
    }
}

#[test]
fn what_has_no_orientation_is_not_turned() {
    let start = particles(9);
    for broken in [[0.0; 4], [0.0, f32::NAN, 0.0, 1.0], [f32::INFINITY, 0.0, 0.0, 1.0]] {
        let mut with = start.clone();
        with[4].orientation = Quat::from_array(broken);
        for rate in [0.0, 3.0, f32::MAX] {
            let (mut host, mut whole) = (Host::new(&with, 9, Layout::Soa), Host::new(&start, 9, Layout::Soa));
            let list = [Spin { rate, sample: SampleAt::Midpoint }.into()];
            assert_eq!(run(&mut host, &list).report.skipped_non_finite, 1);
            run(&mut whole, &list);
            for (row, (one, other)) in host.read().iter().zip(whole.read()).enumerate() {
                let expected = if row == 4 { with[4] } else { other };
                assert_eq!(one.bits(), expected.bits(), "{broken:?} rate {rate} row {row}");
            }
        }
    }
}
