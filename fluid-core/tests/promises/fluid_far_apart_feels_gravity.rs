//! Gravity acts on density at any position: clusters too far apart for one box of nodes have separate boxes
//! (E23).

use crate::common::{steps, world};
use crate::drops::{GRAVITY, ball, heavy_fluid, mass, moved, vortons};
use fluid_core::initial::DensityProfile::TopHat;
use fluid_core::invariants::Moments;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::{Vorton, Vortons};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::VelocityField;
use fluid_threads::Serial;
use glam::{DVec3, Vec3};

const CORE: f32 = 0.375;

/// Returns two drops of radius 1 at these points.
fn drops_at(places: &[Vec3]) -> Vec<Vorton> {
    let drop = vortons(&ball(TopHat, 0.25, 1.5));
    places.iter().flat_map(|&place| moved(&drop, |x| x + place)).collect()
}

/// Returns the impulse of the vortons within 4 m of a point, about that point.
fn impulse_around(sim: &VortexSim, place: Vec3) -> DVec3 {
    let all = sim.vortons();
    let mut near = Vortons::default();
    for row in 0..all.len() {
        let vorton = all.get(row);
        let position = vorton.position - place;
        if position.length() < 4.0 {
            near.push(Vorton { position, ..vorton });
        }
    }
    Moments::of(&Serial, &near).linear_impulse
}

/// Returns the total number of nodes of all boxes.
fn nodes(sim: &VortexSim) -> usize {
    let grid = sim.field().scalar_grid();
    grid.nodes().len() + grid.others().iter().map(|grid| grid.nodes().len()).sum::<usize>()
}

fn check(places: &[Vec3]) {
    let mut sim = world(heavy_fluid(CORE), &drops_at(places));
    let one = mass(&sim) / places.len() as f64;
    let dt = 1e-3;
    steps(&mut sim, dt, 1);
    assert_eq!(sim.stats().density_outside, 0);
    assert!(sim.stats().baroclinic_lost < 1e-3);
    for &place in places {
        let share = impulse_around(&sim, place).z / (f64::from(GRAVITY.z) * one * f64::from(dt));
        assert!((share - 1.0).abs() < 0.005, "{share} of the impulse at {place}");
        // The sample at its centre is its own density.
        let mut sample = [Default::default()];
        sim.field().scalars(&[place], &mut sample);
        assert!((sample[0].deviation / 0.1 - 1.0).abs() < 0.1, "{} at {place}", sample[0].deviation);
    }
}

#[test]
fn two_drops_a_kilometre_apart() {
    for direction in [Vec3::X, Vec3::Z, Vec3::new(1.0, -2.0, 0.5).normalize()] {
        check(&[Vec3::ZERO, 1000.0 * direction]);
    }
}

#[test]
fn ten_drops_anywhere() {
    let random = Random::new(4);
    let places: Vec<Vec3> = (0..10).map(|i| (2000.0 * random.centred_vec3(i)).round()).collect();
    check(&places);
}

/// With its halo, it falls as fast as a single drop for some time.
#[test]
fn a_drop_falls_as_if_it_were_alone() {
    let far = 1000.0;
    let mut both = world(heavy_fluid(CORE), &drops_at(&[Vec3::ZERO, far * Vec3::X]));
    let mut alone = world(heavy_fluid(CORE), &drops_at(&[Vec3::ZERO]));
    for sim in [&mut both, &mut alone] {
        steps(sim, 1.0 / 60.0, 90);
    }
    let centre = |sim: &VortexSim, rows: std::ops::Range<usize>| {
        rows.clone().map(|row| f64::from(sim.vortons().positions.z[row])).sum::<f64>() / rows.len() as f64
    };
    let fall = centre(&alone, 0..408);
    println!("{fall:.5} alone, {:.5} and {:.5} together", centre(&both, 0..408), centre(&both, 408..816));
    assert!(fall < -0.3);
    assert!((centre(&both, 0..408) / fall - 1.0).abs() < 1e-3);
    assert!((centre(&both, 408..816) / fall - 1.0).abs() < 1e-2);
    assert_eq!(both.vortons().len(), 2 * alone.vortons().len());
}

/// Longer than one box of nodes: at the cut, the ends of two parts face each other.
#[test]
fn a_bar_longer_than_a_box() {
    let spacing = 0.25;
    let volume = spacing * spacing * spacing;
    let vorton = |i: i32| Vorton {
        position: Vec3::new((i / 16) as f32, (i % 4) as f32, (i / 4 % 4) as f32) * spacing,
        volume,
        mass_deviation: 0.1 * volume,
        ..Vorton::default()
    };
    let bar: Vec<Vorton> = (0..16 * 400).map(vorton).collect();
    let mut sim = world(heavy_fluid(CORE), &bar);
    let weight = mass(&sim) * f64::from(GRAVITY.z);
    steps(&mut sim, 1e-3, 1);
    assert_eq!(sim.stats().density_outside, 0);
    let share = sim.moments(&Serial).linear_impulse.z / (weight * 1e-3);
    println!("{share:.4} of the impulse in {} boxes", 1 + sim.field().scalar_grid().others().len());
    assert!((share - 1.0).abs() < 0.02, "{share}");
}

/// For any number of clusters, the number of nodes is bounded, and omitted vortons are counted.
#[test]
fn in_more_places_than_there_may_be_boxes() {
    let random = Random::new(6);
    let volume = 0.25_f32.powi(3);
    let vorton = |i: u64| Vorton {
        position: 1e5 * random.centred_vec3(i),
        volume,
        mass_deviation: 0.1 * volume,
        ..Vorton::default()
    };
    let cloud: Vec<Vorton> = (0..300).map(vorton).collect();
    let params = Params { max_grid_nodes: 1 << 16, ..heavy_fluid(CORE) };
    let mut sim = world(params, &cloud);
    steps(&mut sim, 1e-3, 1);
    println!("{} nodes, {} outside", nodes(&sim), sim.stats().density_outside);
    assert!(nodes(&sim) <= 2 * params.max_grid_nodes);
    assert!(sim.stats().density_outside > 0 && sim.stats().density_outside < 300);
}
