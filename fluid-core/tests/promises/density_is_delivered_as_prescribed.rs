//! Initial conditions of density deliver the prescribed mass, dye and fuel, and the mesh conserves both.

use crate::common::{steps, world};
use crate::drops::{ball, heavy_fluid, jittered, vortons};
use fluid_core::initial::{DensityBall, DensityBox, DensityProfile, InitialError};
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use glam::Vec3;
use std::f64::consts::PI;

fn sums(vortons: &[Vorton]) -> [f64; 3] {
    let sum = |of: fn(&Vorton) -> f32| vortons.iter().map(|v| f64::from(of(v))).sum();
    [sum(|v| v.mass_deviation), sum(|v| v.dye), sum(|v| v.volume)]
}

fn fuel(vortons: &[Vorton]) -> f64 {
    vortons.iter().map(|v| f64::from(v.fuel)).sum()
}

#[test]
fn by_balls_of_any_resolution() {
    for spacing in [0.13, 0.25, 0.31, 0.5] {
        for (profile, volume) in
            [(DensityProfile::TopHat, 4.0 / 3.0 * PI), (DensityProfile::Gaussian, (2.0 * PI).powf(1.5))]
        {
            let def = DensityBall {
                centre: Vec3::new(3.0, -1.0, 0.2),
                radius: 2.0,
                density_deviation: -0.3,
                dye: 0.25,
                fuel: 2e6,
                ..ball(profile, spacing, 1.5)
            };
            let vortons = vortons(&def);
            let [mass, dye, _] = sums(&vortons);
            assert!((mass / (-0.3 * 8.0 * volume) - 1.0).abs() < 1e-5);
            assert!((dye / (0.25 * 8.0 * volume) - 1.0).abs() < 1e-5);
            assert!((fuel(&vortons) / (2e6 * 8.0 * volume) - 1.0).abs() < 1e-5);
            let centre = vortons
                .iter()
                .map(|v| v.position.as_dvec3() * f64::from(v.mass_deviation))
                .sum::<glam::DVec3>()
                / mass;
            assert!((centre - def.centre.as_dvec3()).length() < 1e-5);
            assert!(
                vortons.iter().all(|v| v.strength == Vec3::ZERO && v.dye >= 0.0 && v.mass_deviation <= 0.0)
            );
        }
    }
}

#[test]
fn by_boxes_that_are_filled_exactly() {
    let def = DensityBox {
        centre: Vec3::new(1.0, 2.0, 3.0),
        extent: Vec3::new(2.0, 0.93, 0.07),
        density_deviation: 0.2,
        spacing: 0.1,
        dye: 1.0,
        fuel: 3e5,
    };
    let vortons = def.vortons().expect("in range");
    assert_eq!(vortons.len(), 20 * 9);
    let volume = 2.0 * 0.93 * 0.07;
    let [mass, dye, filled] = sums(&vortons);
    assert!((mass / (0.2 * volume) - 1.0).abs() < 1e-5 && (dye / volume - 1.0).abs() < 1e-5);
    assert!((filled / volume - 1.0).abs() < 1e-5 && (fuel(&vortons) / (3e5 * volume) - 1.0).abs() < 1e-5);
    let low = vortons.iter().map(|v| v.position).reduce(Vec3::min).expect("not empty");
    assert!(
        (low - Vec3::new(0.05, 2.0 - 0.465 + 0.5 * 0.93 / 9.0, 3.0 - 0.02 * 0.07)).length() < 1e-5,
        "{low}"
    );
}

#[test]
fn or_not_at_all() {
    let refused = |def: DensityBall| match def.vortons() {
        Err(InitialError::OutOfRange { field, .. } | InitialError::VectorOutOfRange { field, .. }) => field,
        Err(InitialError::OutOfMemory) => "memory",
        Ok(_) => "nothing",
    };
    let good = ball(DensityProfile::Gaussian, 0.5, 1.5);
    assert_eq!(refused(good), "nothing");
    assert_eq!(refused(DensityBall { centre: Vec3::NAN, ..good }), "centre");
    assert_eq!(refused(DensityBall { radius: 0.0, ..good }), "radius");
    assert_eq!(refused(DensityBall { radius: 0.7, ..good }), "radius");
    assert_eq!(refused(DensityBall { density_deviation: f32::INFINITY, ..good }), "density_deviation");
    assert_eq!(refused(DensityBall { spacing: 1e-4, ..good }), "spacing");
    assert_eq!(refused(DensityBall { core_radius: -1.0, ..good }), "core_radius");
    assert_eq!(refused(DensityBall { dye: 1.5, ..good }), "dye");
    assert_eq!(refused(DensityBall { fuel: -1.0, ..good }), "fuel");
    assert!(vortons(&DensityBall { fuel: f32::MAX, ..good }).iter().all(|v| v.fuel.is_finite()));
    let good = DensityBox {
        centre: Vec3::ZERO,
        extent: Vec3::ONE,
        density_deviation: 1.0,
        spacing: 0.1,
        dye: 0.0,
        fuel: 0.0,
    };
    assert!(good.vortons().is_ok());
    assert!(DensityBox { extent: Vec3::new(1.0, 0.0, 1.0), ..good }.vortons().is_err());
    assert!(DensityBox { spacing: 1e-3, ..good }.vortons().is_err());
}

#[test]
fn to_the_nodes() {
    let drop = jittered(&vortons(&ball(DensityProfile::TopHat, 0.25, 1.5)), 0.1, 4);
    let mut sim = world(Params { gravity: Vec3::ZERO, ..heavy_fluid(0.375) }, &drop);
    steps(&mut sim, 0.0, 1);
    let [mass, dye, volume] = sums(&drop);
    let nodes = sim.field().scalar_grid().nodes();
    let sum = |of: fn(&glam::Vec4) -> f32| nodes.iter().map(|n| f64::from(of(n))).sum::<f64>();
    assert!((sum(|n| n.x) / mass - 1.0).abs() < 1e-6);
    assert!((sum(|n| n.y) / volume - 1.0).abs() < 1e-6);
    assert!((sum(|n| n.z) / dye - 1.0).abs() < 1e-6);
}

/// T3: in a lattice of equal vortons the density is uniform, up to the outermost two nodes.
#[test]
fn evenly_in_a_uniform_block() {
    for (jitter, bound) in [(0.0, 1e-5), (0.25, 0.12)] {
        let spacing = 0.1_f32;
        let block = DensityBox {
            centre: Vec3::ZERO,
            extent: Vec3::splat(1.6),
            density_deviation: 0.1,
            spacing,
            dye: 1.0,
            fuel: 0.0,
        };
        let block = jittered(&block.vortons().expect("in range"), jitter * spacing, 8);
        let mut sim = world(Params { gravity: Vec3::ZERO, ..heavy_fluid(0.15) }, &block);
        steps(&mut sim, 0.0, 1);
        let grid = sim.field().scalar_grid();
        let inner = |i: &usize| grid.shape().position(*i).abs().max_element() < 0.61;
        let errors: Vec<f64> =
            (0..grid.shape().len()).filter(inner).map(|i| f64::from(grid.node(i).0 / 0.1) - 1.0).collect();
        let rms = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
        println!("jitter {jitter}: rms {rms:.1e} over {} nodes", errors.len());
        assert!(errors.len() > 1000 && rms < bound);
    }
}
