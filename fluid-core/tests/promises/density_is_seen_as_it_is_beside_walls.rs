//! Samples of density, temperature or dye beside the wall of a container are those of the fluid there,
//! without a gap at the wall (E42).

use crate::common;

use crate::tanks::{JUMP, Profile, Tank};
use fluid_core::boundary::WallTreatment;
use fluid_core::density::ScalarSample;
use fluid_core::particles::Vorton;
use fluid_core::velocity::VelocityField;
use fluid_threads::Serial;
use glam::{Quat, Vec3};

/// Returns the density and dye relative to their values in the fluid, at positions of the unit box:
/// (smallest, largest) of either.
fn seen(tank: &Tank, treatment: WallTreatment, places: &[Vec3]) -> [(f32, f32); 2] {
    let vortons: Vec<Vorton> =
        tank.vortons().into_iter().map(|vorton| Vorton { dye: 0.5 * vorton.volume, ..vorton }).collect();
    let mut sim = common::world(fluid_core::params::Params { walls: treatment, ..tank.params() }, &vortons);
    sim.step(&Serial, &mut tank.walls.clone(), 1e-3).expect("dt is finite");
    let places: Vec<Vec3> = places.iter().map(|&unit| tank.walls.place(unit)).collect();
    let mut samples = vec![ScalarSample::default(); places.len()];
    sim.field().scalars(&places, &mut samples);
    let range = |share: &dyn Fn(&ScalarSample) -> f32| {
        let shares = samples.iter().map(share);
        shares.fold((f32::MAX, f32::MIN), |(low, high), share| (low.min(share), high.max(share)))
    };
    [range(&|sample| sample.deviation / JUMP), range(&|sample| sample.dye / 0.5)]
}

/// Positions on walls, edges and corners of the unit box, and in its interior.
fn everywhere() -> Vec<Vec3> {
    let along = [0.0, 0.02, 0.3, 0.5, 0.77, 1.0];
    (0..216).map(|n| Vec3::new(along[n % 6], along[n / 6 % 6], along[n / 36])).collect()
}

#[test]
fn even_fluid_is_even_up_to_its_walls() {
    for (offset, allowed) in [(0.0, 1e-5), (0.3, 1e-5)] {
        let mut tank = Tank::new(Profile::Even, 10);
        tank.walls.centre += Vec3::new(offset, 0.3 * offset, 0.7 * offset) * tank.spacing();
        for (low, high) in seen(&tank, WallTreatment::Balanced, &everywhere()) {
            assert!(low > 1.0 - allowed && high < 1.0 + allowed, "{offset} off: {low} to {high}");
        }
        let [(untreated, _), _] = seen(&tank, WallTreatment::Untreated, &everywhere());
        assert!(untreated < 0.5, "{untreated} without: there is something to see");
    }
    let mut turned = Tank::new(Profile::Even, 10);
    turned.walls.rotation = Quat::from_axis_angle(Vec3::ONE.normalize(), 33_f32.to_radians());
    for (name, tank) in [("aligned", Tank::new(Profile::Even, 10)), ("turned", turned)] {
        let [density, dye] = seen(&Tank { jitter: 0.25, ..tank }, WallTreatment::Balanced, &everywhere());
        println!("{name}, jittered: density {density:?}, dye {dye:?}");
        for (low, high) in [density, dye] {
            assert!(low > 0.97 && high < 1.03, "{name}: {low} to {high}");
        }
    }
}

#[test]
fn layers_are_as_dense_at_side_walls_as_in_the_middle() {
    let tank = Tank::new(Profile::Layers, 10);
    for height in [0.05, 0.3, 0.45, 0.5, 0.6, 0.9] {
        let at = |x: f32, y: f32| seen(&tank, WallTreatment::Balanced, &[Vec3::new(x, y, height)])[0].0;
        let middle = at(0.5, 0.5);
        for (x, y) in [(0.0, 0.5), (1.0, 0.03), (0.01, 0.99)] {
            let share = at(x, y);
            assert!(
                (share - middle).abs() < 1e-4,
                "height {height}: {share} at ({x}, {y}), {middle} in the middle"
            );
        }
    }
}
