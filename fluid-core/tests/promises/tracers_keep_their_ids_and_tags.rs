//! A set of tracers re-sorts itself; ids, tags and values move along, and none is lost or duplicated.

use fluid_core::boundary::NoBodies;
use fluid_core::params::Params;
use fluid_core::particles::Tracers;
use fluid_core::sim::VortexSim;
use fluid_threads::{Pool, Serial, Shuffled};
use glam::Vec3;

/// Positions in a hashed order, so that sorting moves nearly all of them.
fn place(n: u32) -> Vec3 {
    let cell = |shift: u32| f32::from((n.wrapping_mul(2_654_435_761) >> shift) as u8);
    Vec3::new(cell(0), cell(8), cell(16))
}

/// Returns the value of a tracer: an exact `f32`, different from its neighbours'.
fn value(n: u32) -> f32 {
    0.25 * n as f32 - 100.0
}

fn check(tracers: &Tracers) {
    for (row, &id) in tracers.ids().iter().enumerate() {
        assert_eq!((tracers.tags()[row], tracers.positions()[row]), (7 * id, place(id)));
        assert_eq!(tracers.values()[row], value(id));
    }
}

#[test]
fn sorting_and_removal_move_whole_tracers() {
    let count = 5_000;
    let mut tracers = Tracers::with_capacity(count as usize);
    for n in 0..count {
        assert_eq!(tracers.push_with_value(place(n), 7 * n, value(n)), n);
    }
    tracers.sort_by_cell(&Serial, 10.0);
    check(&tracers);
    for exec in [&Pool::new(3).expect("threads") as &dyn fluid_threads::Executor, &Shuffled::new(5)] {
        let mut others = Tracers::default();
        (0..count).for_each(|n| _ = others.push_with_value(place(n), 7 * n, value(n)));
        others.sort_by_cell(exec, 10.0);
        assert_eq!((others.ids(), others.positions()), (tracers.ids(), tracers.positions()));
        check(&others);
    }
    assert!(!tracers.ids().is_sorted(), "the sort must have moved some");
    let mut ids = tracers.ids().to_vec();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..count));

    let gone = tracers.retain(|position, _| position.x < 128.0);
    assert_eq!(gone + tracers.len(), count as usize);
    assert!(gone > 0);
    check(&tracers);
    assert_eq!(tracers.retain(|position, _| position.x < 128.0), 0);
    check(&tracers);
    tracers.clear();
    assert_eq!(tracers.push(Vec3::ZERO), count, "ids go on counting");
    assert_eq!((tracers.tags(), tracers.values()), (&[0][..], &[0.0][..]));
    tracers.values_mut()[0] = 3.0;
    assert_eq!(tracers.push_tagged(Vec3::ONE, 5), count + 1);
    assert_eq!((tracers.tags(), tracers.values()), (&[0, 5][..], &[3.0, 0.0][..]));
}

#[test]
fn neighbours_in_space_become_neighbours_in_memory() {
    let mut tracers = Tracers::default();
    (0..20_000).for_each(|n| _ = tracers.push(place(n)));
    let jump = |tracers: &Tracers| {
        tracers.positions().windows(2).map(|pair| pair[0].distance(pair[1])).sum::<f32>()
            / tracers.len() as f32
    };
    let before = jump(&tracers);
    tracers.sort_by_cell(&Serial, 16.0);
    assert!(jump(&tracers) < 0.2 * before, "{} after, {before} before", jump(&tracers));
}

#[test]
fn tracers_go_by_age_and_when_they_are_not_finite() {
    let mut sim = VortexSim::new(Params::default()).expect("valid");
    let mut tracers = Tracers::default();
    let advance = |sim: &mut VortexSim, tracers: &mut Tracers, dt: f32| {
        sim.step(&Serial, &mut NoBodies, dt).expect("finite");
        sim.advance_tracers(&Serial, &mut NoBodies, tracers, dt);
    };
    tracers.push(Vec3::X);
    advance(&mut sim, &mut tracers, 0.5);
    tracers.push(Vec3::Y);
    advance(&mut sim, &mut tracers, 0.25);
    assert_eq!(tracers.ages(), [0.75, 0.25]);
    assert_eq!(tracers.retain_up_to(0.75), 0);
    assert_eq!((tracers.retain_up_to(0.5), tracers.ids()), (1, &[1][..]));
    // The remaining one is the oldest now, until its age is changed.
    assert_eq!(tracers.retain_up_to(0.25), 0);
    tracers.columns_mut().1[0] = 2.0;
    tracers.push(Vec3::Z);
    assert_eq!((tracers.retain_up_to(1.0), tracers.ids()), (1, &[2][..]));
    // Younger than new ones, after a backward step.
    advance(&mut sim, &mut tracers, -0.5);
    tracers.push(Vec3::X);
    assert_eq!((tracers.retain_up_to(-0.1), tracers.ids()), (1, &[2][..]));
    let lost = tracers.push(Vec3::splat(f32::NAN));
    advance(&mut sim, &mut tracers, 0.1);
    assert!(!tracers.ids().contains(&lost) && tracers.len() == 1);
    assert_eq!(sim.stats().lost_tracers, 1);
}
