//! AtomicF32::fetch_add: no update is lost, and a NaN does not make it spin.

use fluid_threads::AtomicF32;
use std::sync::atomic::Ordering::Relaxed;

#[test]
fn no_addition_is_lost_between_threads() {
    // Integers below 2^24 add exactly in f32, in any order.
    let (threads, adds) = (4, 50_000);
    let sum = AtomicF32::new(0.0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                (0..adds).for_each(|_| {
                    sum.fetch_add(1.0, Relaxed);
                })
            });
        }
    });
    assert_eq!(sum.load(Relaxed), (threads * adds) as f32);
}

#[test]
fn it_returns_the_value_before() {
    let value = AtomicF32::new(2.5);
    assert_eq!(value.fetch_add(0.5, Relaxed), 2.5);
    assert_eq!(value.load(Relaxed), 3.0);
    value.store(-0.0, Relaxed);
    assert_eq!(value.fetch_add(-0.0, Relaxed).to_bits(), (-0.0_f32).to_bits());
}

#[test]
fn a_nan_does_not_spin_for_ever() {
    // A NaN compares unequal to itself; only a comparison of bits ends the loop.
    for nan in [f32::NAN, -f32::NAN, f32::from_bits(0x7fa0_0001)] {
        let value = AtomicF32::new(nan);
        assert!(value.fetch_add(1.0, Relaxed).is_nan());
        assert!(value.fetch_add(f32::NAN, Relaxed).is_nan());
        assert!(value.load(Relaxed).is_nan());
    }
    let value = AtomicF32::new(1.0);
    value.fetch_add(f32::NAN, Relaxed);
    assert!(value.load(Relaxed).is_nan());
}
