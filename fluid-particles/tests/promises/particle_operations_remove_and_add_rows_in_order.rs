//! Removal keeps the order of the remaining particles; emission fills the rows after them at its rate, up
//! to the capacity.

use crate::particle_operations::*;

use fluid_particles::ops::*;
use fluid_particles::view::{DEAD, ParticleSlices, Semantic};
use fluid_threads::Serial;
use glam::Vec3;

const COUNT: usize = 2 * CHUNK + 6;
const BY_AGE: Kill = Kill { max_age: Some(2.0), max_age_frames: None, mode: KillMode::List };

#[test]
fn marking_listing_and_compacting_agree() {
    let kill = Kill { max_age: Some(2.0), max_age_frames: Some(60), mode: KillMode::Mark };
    let start = particles(COUNT);
    let too_old = |p: &Particle| p.age > p.lifetime || 100 - p.birth > 60;
    let rows: Vec<u32> = (0..COUNT as u32).filter(|&row| too_old(&start[row as usize])).collect();
    for layout in Layout::F32 {
        let mut host = Host::new(&start, COUNT, layout);
        let outcome = run(&mut host, &[kill.into()]);
        assert_eq!(outcome.report.killed, rows.len());
        assert!(host.read().iter().all(|p| (p.flags & DEAD != 0) == too_old(p)));
        // A dead particle is not killed again.
        assert_eq!(run(&mut host, &[kill.into()]).report.killed, 0);

        let mut host = Host::new(&start, COUNT, layout);
        let outcome = run(&mut host, &[Kill { mode: KillMode::List, ..kill }.into()]);
        assert_eq!(outcome.killed, rows);
        assert_eq!(bits(&host.read()), bits(&start));

        if layout.can_compact() {
            let mut host = Host::new(&start, COUNT, layout);
            let report = run(&mut host, &[Kill { mode: KillMode::Compact, ..kill }.into()]).report;
            let stay: Vec<_> = start.iter().copied().filter(|p| !too_old(p)).collect();
            assert_eq!(bits(&host.read()), bits(&stay));
            assert_eq!((report.count, report.removed, report.killed), (stay.len(), rows.len(), rows.len()));
        }
    }
}

#[test]
fn without_lifetimes_the_limit_is_the_operations() {
    let mut ages = [1.0, 3.0, 2.0, 2.5];
    let mut slices = ParticleSlices::new().f32(Semantic::Age, &mut ages);
    let mut view = slices.view().expect("right slices");
    let mut killed = [9; 4];
    let inputs = RunInputs { field: &Waves, surfaces: &Scenery, dt: DT, frame: 0 };
    let memory = RunMemory { scratch: &mut RunScratch::default(), emit_states: &mut [], killed: &mut killed };
    let report = run_operations(&Serial, &inputs, &[BY_AGE.into()], &mut view, memory).expect("a right list");
    assert_eq!((report.listed, report.list_truncated), (2, false));
    assert_eq!(killed, [1, 3, 9, 9]);
}

#[test]
fn a_short_list_is_reported_with_the_total() {
    let mut ages = [5.0; 7];
    let mut slices = ParticleSlices::new().f32(Semantic::Age, &mut ages);
    let mut view = slices.view().expect("right slices");
    let mut killed = [9; 3];
    let inputs = RunInputs { field: &Waves, surfaces: &Scenery, dt: DT, frame: 0 };
    let memory = RunMemory { scratch: &mut RunScratch::default(), emit_states: &mut [], killed: &mut killed };
    let report = run_operations(&Serial, &inputs, &[BY_AGE.into()], &mut view, memory).expect("a right list");
    assert_eq!((report.killed, report.listed, report.list_truncated), (7, 3, true));
    assert_eq!(killed, [0, 1, 2]);
}

#[test]
fn frame_numbers_may_wrap_around() {
    let mut births = [i32::MAX - 1, i32::MIN + 3, -5];
    let mut slices = ParticleSlices::new().i32(Semantic::BirthFrame, &mut births);
    let mut view = slices.view().expect("right slices");
    let kill = Kill { max_age: None, max_age_frames: Some(5), mode: KillMode::Compact };
    // Ages 6, 1 and far in the future.
    let inputs = RunInputs { field: &Waves, surfaces: &Scenery, dt: DT, frame: i32::MIN.cast_unsigned() + 4 };
    let memory = RunMemory { scratch: &mut RunScratch::default(), emit_states: &mut [], killed: &mut [] };
    let report = run_operations(&Serial, &inputs, &[kill.into()], &mut view, memory).expect("a right list");
    assert_eq!((report.count, report.removed), (2, 1));
    assert_eq!(births[..2], [i32::MIN + 3, -5]);
}

fn emit(rate: f32, timing: EmitTiming) -> Operation<'static> {
    Emit { rate, seed: 1, timing, prototype: PROTOTYPE }.into()
}

#[test]
fn fractions_of_particles_are_carried_on() {
    let mut host = Host::new(&[], 1000, Layout::Soa);
    let mut state = [EmitState::default()];
    let mut scratch = RunScratch::default();
    for frame in 0..60 {
        let inputs = RunInputs { field: &Waves, surfaces: &Scenery, dt: DT, frame };
        host.view(None, |view| {
            let memory = RunMemory { scratch: &mut scratch, emit_states: &mut state, killed: &mut [] };
            run_operations(&Serial, &inputs, &[emit(100.5, EmitTiming::AtOnce)], view, memory)
                .expect("a right list");
        });
    }
    // 100.5 particles in one second.
    assert_eq!((host.count, state[0].emitted), (100, 100));
    assert!((state[0].remainder - 0.5).abs() < 1e-4);
    for (number, particle) in host.read().iter().enumerate() {
        assert!(
            (particle.position - Vec3::new(1.0, 2.0, 3.0)).abs().cmple(Vec3::new(0.25, 0.125, 0.5)).all()
        );
        assert!((particle.velocity - Vec3::Z).abs().max_element() <= 0.05);
        assert!((1.5..=2.5).contains(&particle.lifetime));
        assert_eq!((particle.age, particle.user, particle.flags), (0.0, 9.0, 0));
        // Particle n is due when 100.5 t reaches n + 1.
        let due = ((number as f64 + 1.0) / 100.5 * 60.0).ceil() as i32 - 1;
        assert!((particle.birth - due).abs() <= 1, "{number}: {} {due}", particle.birth);
    }
}

#[test]
fn what_does_not_fit_is_not_emitted() {
    let start = particles(4);
    for layout in Layout::F32 {
        let mut host = Host::new(&start, 10, layout);
        let report = run(&mut host, &[emit(1200.0, EmitTiming::AtOnce)]).report;
        assert_eq!((report.count, report.emitted, report.emit_refused), (10, 6, 14));
        host.assert_gaps_untouched();
        assert_eq!(bits(&host.read()[..4]), bits(&start));
        let report = run(&mut host, &[emit(f32::MAX, EmitTiming::Even)]).report;
        assert_eq!((report.count, report.emitted), (10, 0));
    }
}

#[test]
fn an_even_emission_has_aged_and_moved() {
    let mut host = Host::new(&[], 20, Layout::Soa);
    // 0.5 particles are due, and 10 more within the frame.
    run(&mut host, &[emit(600.0, EmitTiming::Even)]);
    let even = host.read();
    let mut host = Host::new(&[], 20, Layout::Soa);
    run(&mut host, &[emit(600.0, EmitTiming::AtOnce)]);
    assert_eq!(even.len(), 10);
    for (k, (even, at_once)) in even.iter().zip(&host.read()).enumerate() {
        let age = DT - (k as f32 + 0.5) / 600.0;
        assert!((even.age - age).abs() < 1e-7);
        assert!(even.position.distance(at_once.position + at_once.velocity * age) < 1e-6);
    }
}

#[test]
fn emission_does_not_depend_on_how_it_is_cut_into_frames() {
    let operation = emit(600.0, EmitTiming::AtOnce);
    let births = |dt: f32, frames: u32| {
        let mut host = Host::new(&[], 100, Layout::Soa);
        let mut state = [EmitState { remainder: 0.5, emitted: 0 }];
        let mut scratch = RunScratch::default();
        for _ in 0..frames {
            let inputs = RunInputs { field: &Waves, surfaces: &Scenery, dt, frame: 0 };
            host.view(None, |view| {
                let memory = RunMemory { scratch: &mut scratch, emit_states: &mut state, killed: &mut [] };
                run_operations(&Serial, &inputs, &[operation], view, memory).expect("a right list");
            });
        }
        bits(&host.read())
    };
    assert_eq!(births(DT, 3), births(DT / 8.0, 24));
}

#[test]
fn a_particle_dies_once_however_many_operations_kill_it() {
    use KillMode::*;
    let start = particles(COUNT);
    let expected = start.iter().filter(|p| p.age > p.lifetime).count();
    for modes in [[List, Mark], [Mark, List], [List, Compact], [Mark, Compact], [Compact, List]] {
        let mut host = Host::new(&start, COUNT, Layout::Aos);
        let report = run(&mut host, &modes.map(|mode| Kill { mode, ..BY_AGE }.into())).report;
        assert_eq!(report.killed, expected, "{modes:?}");
        assert_eq!(report.removed, if modes.contains(&Compact) { expected } else { 0 }, "{modes:?}");
    }
}

#[test]
fn an_infinite_lifetime_is_for_ever() {
    let mut start = particles(2);
    for (particle, lifetime) in start.iter_mut().zip([f32::INFINITY, f32::NEG_INFINITY]) {
        (particle.age, particle.lifetime) = (f32::MAX, lifetime);
    }
    let mut host = Host::new(&start, 2, Layout::Soa);
    let report = run(&mut host, &[BY_AGE.into()]).report;
    assert_eq!((report.killed, report.skipped_non_finite), (0, 1));
}

#[test]
fn an_even_emission_without_a_position_moves_from_the_origin() {
    let prototype = &PROTOTYPE[1..];
    let mut host = Host::new(&[], 20, Layout::Soa);
    run(&mut host, &[Emit { rate: 600.0, seed: 1, timing: EmitTiming::Even, prototype }.into()]);
    for particle in host.read() {
        assert!(particle.position.distance(particle.velocity * particle.age) < 1e-8);
    }
}

#[test]
fn a_scalar_of_a_prototype_is_its_first_number() {
    let prototype = &[Attribute {
        semantic: Semantic::User3,
        value: [4.0, f64::NAN, f64::INFINITY],
        spread: [0.0, f32::NAN, f32::NAN],
    }];
    let mut host = Host::new(&[], 20, Layout::Soa);
    run(&mut host, &[Emit { rate: 600.0, seed: 1, timing: EmitTiming::AtOnce, prototype }.into()]);
    assert!(host.count > 0 && host.read().iter().all(|particle| particle.user == 4.0));
}

#[test]
fn new_particles_have_no_part_in_what_an_earlier_run_noted() {
    let mut start = particles(COUNT);
    start.iter_mut().for_each(|particle| particle.velocity.x = f32::NAN);
    let mut scratch = RunScratch::default();
    let inputs = RunInputs { field: &Waves, surfaces: &Scenery, dt: 1.0, frame: 0 };
    let mut skipped = |particles: &[Particle]| {
        Host::new(particles, COUNT, Layout::Soa).view(None, |view| {
            let mut state = [EmitState::default()];
            let memory = RunMemory { scratch: &mut scratch, emit_states: &mut state, killed: &mut [] };
            let list = [Advect.into(), emit(COUNT as f32, EmitTiming::AtOnce), Advect.into()];
            run_operations(&Serial, &inputs, &list, view, memory).expect("a right list").skipped_non_finite
        })
    };
    assert_eq!((skipped(&start), skipped(&[])), (COUNT, 0));
}
