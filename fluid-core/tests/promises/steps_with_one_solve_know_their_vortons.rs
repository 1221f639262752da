//! Steps that extrapolate the rates of the last two use the rates of the right vortons under any additions
//! and removals, and are not used if these rates are invalid (E13).

use crate::common::{filament_ring, inviscid, world};
use fluid_core::boundary::NoBodies;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::Vec3;

const DT: f32 = 1.0 / 120.0;

fn params() -> Params {
    Params { multistep: true, ..inviscid(0.2) }
}

fn ring() -> Vec<Vorton> {
    filament_ring(Vec3::ZERO, Vec3::Z, 1.0, 1.0, 48)
}

/// Returns a vorton without strength, near the ring.
fn guest(i: u64) -> Vorton {
    let place = Vec3::new((i as f32 * 1.3).cos(), (i as f32 * 1.3).sin(), 0.2 * (i % 5) as f32);
    Vorton { position: place, ..Vorton::default() }
}

fn step(sim: &mut VortexSim, dt: f32) -> u32 {
    sim.step(&Serial, &mut NoBodies, dt).expect("a finite step");
    sim.stats().solves
}

/// Positions of the vortons with these ids.
fn places(sim: &VortexSim, ids: impl Fn(u64) -> bool) -> Vec<Vec3> {
    let rows = sim.vortons().ids.iter().zip(sim.vortons().positions.iter());
    rows.filter(|(id, _)| ids(**id)).map(|(_, place)| place).collect()
}

#[test]
fn guests_that_come_and_go_change_nothing() {
    let mut alone = world(params(), &ring());
    let mut visited = world(params(), &[]);
    // Guests are added before, between and after the ring's vortons.
    let mut members = Vec::new();
    for (i, &vorton) in ring().iter().enumerate() {
        visited.add_vortons(&[guest(i as u64)]).expect("room");
        members.push(visited.add_vortons(&[vorton]).expect("room"));
    }
    let mut ones = 0;
    for frame in 0..120_u64 {
        let guests: Vec<u64> =
            visited.vortons().ids.iter().copied().filter(|id| !members.contains(id)).collect();
        if frame % 3 == 0 {
            let gone: Vec<u64> = guests.iter().copied().filter(|id| (id + frame) % 4 == 0).collect();
            visited.remove_vortons(&gone);
            visited.add_vortons(&[guest(frame), guest(frame + 7)]).expect("room");
        }
        ones += u32::from(step(&mut visited, DT) == 1);
        step(&mut alone, DT);
    }
    assert!(ones > 100, "{ones} of 120 steps with one solve");
    let (a, b) = (places(&alone, |_| true), places(&visited, |id| members.contains(&id)));
    let largest = a.iter().zip(&b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    // Round-off of sums in another order.
    assert!(largest < 1e-5, "{largest}");
}

#[test]
fn one_that_is_new_goes_with_the_flow() {
    let go = |multistep: bool| {
        let mut sim = world(Params { multistep, ..params() }, &ring());
        for _ in 0..5 {
            step(&mut sim, DT);
        }
        let id = sim.add_vortons(&[Vorton { position: Vec3::new(0.5, 0.1, 0.0), ..Vorton::default() }]);
        let id = id.expect("room");
        let solves = step(&mut sim, DT);
        (places(&sim, |other| other == id)[0], solves)
    };
    let ((one, few), (two, more)) = (go(true), go(false));
    assert_eq!((few, more), (1, 2));
    // It moves by 0.01 m.
    assert!(one.distance(two) < 2e-5, "{one} {two}");
}

#[test]
fn a_ring_that_is_new_goes_as_it_would_alone() {
    let go = |multistep: bool| {
        let mut sim = world(Params { multistep, ..params() }, &ring());
        for _ in 0..5 {
            step(&mut sim, DT);
        }
        let first = sim.add_vortons(&filament_ring(Vec3::Z, Vec3::X, 1.0, 1.0, 48)).expect("room");
        let solves = [step(&mut sim, DT), step(&mut sim, DT)];
        (places(&sim, |id| id >= first), solves)
    };
    let ((one, few), (two, more)) = (go(true), go(false));
    assert_eq!((few, more), ([2, 1], [2, 2]));
    let largest = one.iter().zip(&two).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    // It moves by 0.01 m per step.
    assert!(largest < 5e-5, "{largest}");
}

#[test]
fn two_solves_where_the_last_steps_do_not_tell() {
    let mut sim = world(params(), &ring());
    let expect = |sim: &mut VortexSim, dt: f32, solves: u32, why: &str| {
        assert_eq!(step(sim, dt), solves, "{why}");
    };
    expect(&mut sim, DT, 2, "nothing is known");
    expect(&mut sim, DT, 2, "one step is known");
    expect(&mut sim, DT, 1, "two are");
    expect(&mut sim, 1.5 * DT, 1, "about as long");
    expect(&mut sim, 4.0 * DT, 2, "much longer");
    expect(&mut sim, 4.0 * DT, 2, "the one before was much shorter");
    expect(&mut sim, 4.0 * DT, 1, "even again");
    expect(&mut sim, -4.0 * DT, 2, "backwards");
    expect(&mut sim, -4.0 * DT, 2, "backwards for some time");
    expect(&mut sim, -4.0 * DT, 2, "never backwards");
    for _ in 0..3 {
        step(&mut sim, DT);
    }
    expect(&mut sim, 0.0, 1, "no length");
    expect(&mut sim, DT, 1, "after no length");
    sim.add_vortons(&filament_ring(Vec3::Z, Vec3::X, 1.0, 1.0, 48)).expect("room");
    expect(&mut sim, DT, 2, "another ring");
    expect(&mut sim, DT, 1, "the rates of the other ring are known now");
    let crowd: Vec<Vorton> = (0..200).map(guest).collect();
    sim.add_vortons(&crowd).expect("room");
    expect(&mut sim, DT, 2, "more new ones than old, though without strength");
}

#[test]
fn long_steps_are_corrected_and_longer_ones_of_fourth_order() {
    // |∇u| of this ring is 11/s.
    for (dt, fourth_order_above, solves) in [
        (DT, 0.4, 1),
        (5.0 * DT, 0.4, 1),
        (6.0 * DT, 0.4, 2),
        (8.0 * DT, 0.4, 2),
        (9.0 * DT, 0.4, 4),
        (DT, 0.06, 2),
        (4.0 * DT, 0.06, 4),
        (DT, 0.0, 4),
    ] {
        let mut sim = world(Params { fourth_order_above, ..params() }, &ring());
        let taken: Vec<u32> = (0..4).map(|_| step(&mut sim, dt)).collect();
        println!("{taken:?} solves at a stretch number of {}", sim.stats().stretch_number);
        assert_eq!(taken[2..], [solves, solves]);
        assert!(sim.stats().was_followed());
    }
}
