//! Tracers with a carried quantity have its value at their position after each advance; the quantity does
//! not affect their motion.

use fluid_core::boundary::NoBodies;
use fluid_core::density::ScalarSample;
use fluid_core::params::Params;
use fluid_core::particles::{ScalarQuantity, Tracers, Vorton};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::VelocityField;
use fluid_threads::{Executor, Pool, Serial};
use glam::Vec3;

/// Returns vortons on a line that spin about z, heavy and dyed at one end.
fn sim() -> VortexSim {
    let mut sim = VortexSim::new(Params { core_radius: 0.3, ..Params::default() }).expect("right parameters");
    let vorton = |n: u8| Vorton {
        position: Vec3::X * (0.1 * f32::from(n)),
        strength: Vec3::Z * 0.3,
        volume: 1e-3,
        mass_deviation: 1e-4 * f32::from(n),
        dye: 1e-4 * f32::from(n),
        ..Vorton::default()
    };
    let vortons: Vec<Vorton> = (0..10).map(vorton).collect();
    sim.add_vortons(&vortons).expect("room");
    sim
}

const COUNT: u16 = 2000;

/// Returns the state after more steps than there are between two sorts.
fn after(exec: &dyn Executor, carry: Option<ScalarQuantity>) -> (VortexSim, Tracers) {
    let (mut sim, mut tracers) = (sim(), Tracers::default());
    let random = fluid_core::math::Random::new(3);
    for n in 0..COUNT {
        let place = random.centred_vec3(n.into()) * Vec3::new(2.0, 1.0, 1.0) + Vec3::X * 0.5;
        tracers.push_with_value(place, n.into(), n.into());
    }
    tracers.carry = carry;
    for _ in 0..20 {
        sim.step(exec, &mut NoBodies, 0.02).expect("dt is finite");
        sim.advance_tracers(exec, &mut NoBodies, &mut tracers, 0.02);
    }
    (sim, tracers)
}

#[test]
fn the_fluid_s_value_at_their_place() {
    for quantity in ScalarQuantity::ALL {
        let (sim, tracers) = after(&Serial, Some(quantity));
        let mut samples = vec![ScalarSample::default(); tracers.len()];
        sim.field().scalars(tracers.positions(), &mut samples);
        let expected: Vec<f32> = samples.iter().map(|sample| quantity.of(sample)).collect();
        assert_eq!(tracers.values(), expected, "{quantity:?}");
        let (low, high) = expected.iter().fold((f32::MAX, f32::MIN), |(a, b), &v| (a.min(v), b.max(v)));
        assert!(high > low, "{quantity:?} must differ from place to place");
    }
}

#[test]
fn without_one_the_caller_s_numbers_stay() {
    let (_, tracers) = after(&Serial, None);
    assert_eq!(tracers.len(), usize::from(COUNT));
    for (value, tag) in tracers.values().iter().zip(tracers.tags()) {
        assert_eq!(*value, *tag as f32);
    }
}

#[test]
fn they_go_where_they_would_go_anyway() {
    let bits = |tracers: &Tracers| {
        let numbers = tracers.positions().iter().flat_map(|place| place.to_array());
        let mut bits: Vec<u32> = numbers.chain(tracers.values().iter().copied()).map(f32::to_bits).collect();
        bits.extend(tracers.ids());
        bits
    };
    let (_, plain) = after(&Serial, None);
    let (_, carrying) = after(&Serial, Some(ScalarQuantity::Dye));
    assert_eq!(plain.positions(), carrying.positions());
    assert_eq!(plain.ids(), carrying.ids());
    let pool = Pool::new(3).expect("threads");
    let (_, by_pool) = after(&pool, Some(ScalarQuantity::Dye));
    assert!(bits(&by_pool) == bits(&carrying), "the same bits on three workers");
}
