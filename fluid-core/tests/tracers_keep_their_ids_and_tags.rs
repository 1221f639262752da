//! A set of tracers re-orders itself; ids, tags and values go along, and nobody is lost or doubled.

use fluid_core::particles::Tracers;
use glam::Vec3;

/// Places in a hashed order, so that sorting moves nearly everybody.
fn place(n: u32) -> Vec3 {
    let cell = |shift: u32| f32::from((n.wrapping_mul(2_654_435_761) >> shift) as u8);
    Vec3::new(cell(0), cell(8), cell(16))
}

/// What a tracer shows: an exact `f32`, different from its neighbours'.
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
    tracers.sort_by_cell(10.0);
    check(&tracers);
    assert!(!tracers.ids().is_sorted(), "the sort must have moved somebody");
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
    tracers.sort_by_cell(16.0);
    assert!(jump(&tracers) < 0.2 * before, "{} after, {before} before", jump(&tracers));
}
