//! Eddies too small for the vortons act as Smagorinsky's viscosity (E36) and in no other respect: computed
//! from the exact gradients, in every unit of length and time, and only if enabled.

use crate::common;

use crate::common::{oracle, positions, random_cloud, steps, weakened, world};
use fluid_core::boundary::NoBodies;
use fluid_core::invariants::Moments;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{Kernel, SolverKind};
use fluid_threads::Serial;
use glam::Vec3;
use std::f64::consts::PI;

const CORE: f32 = 0.2;

fn params(smagorinsky: f32) -> Params {
    // Eddies alone: the cloud is so rough that the energy budget would act, too.
    let solver = SolverKind::Direct;
    Params { core_radius: CORE, smagorinsky, solver, energy_budget: false, ..Params::default() }
}

/// Returns random vortons in a cube of edge 2, neighbours about σ apart.
fn cloud() -> Vec<Vorton> {
    let vortons = weakened(random_cloud(800, 5), 0.01).into_iter();
    vortons.map(|v| Vorton { volume: 0.01, mass_deviation: 1e-3 * v.strength.x, ..v }).collect()
}

/// Returns (C σ)² S.
fn theory(smagorinsky: f64, gradient: f64) -> f64 {
    (smagorinsky * f64::from(CORE)).powi(2) * gradient
}

fn step(sim: &mut VortexSim, dt: f32) {
    sim.step(&Serial, &mut NoBodies, dt).expect("a finite step");
}

/// A single vorton neither moves nor is stretched. At its centre, where u = α × x q/(4π ρ³ σ³), the
/// gradient's norm is √2 |α| times that factor; so steps of any length have a closed form.
#[test]
fn one_vorton_has_a_closed_form_at_any_step() {
    for kernel in Kernel::ALL {
        for size in [0.001, 0.1, 30.0_f32] {
            let vorton = Vorton {
                strength: Vec3::new(0.6, 0.0, 0.8) * size,
                volume: 0.01,
                position: Vec3::new(3.0, -1.0, 2.0),
                ..Vorton::default()
            };
            let factor = kernel.q_over_cube(0.0) / (4.0 * PI * f64::from(CORE).powi(3));
            let gradient = 2.0_f64.sqrt() * f64::from(size) * factor;
            for dt in [0.0, 1e-3, 0.02, 0.5_f32] {
                for smagorinsky in [0.1, 0.2_f32] {
                    let mut sim = world(Params { kernel, ..params(smagorinsky) }, &[vorton]);
                    step(&mut sim, dt);
                    let expected = theory(smagorinsky.into(), gradient);
                    let error = f64::from(sim.stats().viscosity) / expected - 1.0;
                    // A few roundings of f32, two or three times in a product.
                    assert!(error.abs() < 2e-6, "{kernel:?}, {size}, dt {dt}: {error:e}");
                }
            }
        }
    }
}

/// Gradients of the f64 direct sum, weighted by strength. A step so short that nothing moves evaluates the
/// initial cloud.
#[test]
fn many_vortons_are_weighted_by_strength() {
    for kernel in Kernel::ALL {
        let mut vortons = cloud();
        // Some are a hundred times as strong: an unweighted mean would be wrong.
        vortons.iter_mut().step_by(50).for_each(|v| v.strength *= 100.0);
        let exact = oracle(kernel, CORE, &vortons);
        let (mut weighted, mut weight) = (0.0, 0.0);
        for (place, strength) in &exact.vortons {
            let square: f64 = exact.gradient(*place).to_cols_array().iter().map(|g| g * g).sum();
            weighted += strength.length() * square;
            weight += strength.length();
        }
        let gradient = (weighted / weight).sqrt();
        let mut sim = world(Params { kernel, ..params(0.2) }, &vortons);
        step(&mut sim, 1e-9);
        let error = f64::from(sim.stats().viscosity) / theory(0.2_f32.into(), gradient) - 1.0;
        println!("{kernel:?}: S {gradient:.3}/s, off by {error:.1e}");
        // As exact as the f32 direct sum.
        assert!(error.abs() < 1e-5, "{kernel:?}: {error:e}");
    }
}

/// A world with the same viscosity set step by step evolves the same, to the bit; so heat and dye are not
/// affected.
#[test]
fn it_is_a_viscosity_and_nothing_else() {
    let mut eddies = world(Params { viscosity: 1e-4, ..params(0.2) }, &cloud());
    let mut told = world(params(0.0), &cloud());
    for _ in 0..10 {
        step(&mut eddies, 0.02);
        let viscosity = eddies.stats().viscosity;
        assert!(viscosity > 1.1e-4, "{viscosity} does nothing");
        told.set_diffusion(viscosity, 0.0).expect("a viscosity");
        step(&mut told, 0.02);
        assert_eq!(eddies.state_hash(), told.state_hash());
    }
}

#[test]
fn there_is_none_unless_asked_for() {
    assert_eq!(Params::default().smagorinsky, 0.0);
    for viscosity in [0.0, 1e-3] {
        let default = Params { smagorinsky: Params::default().smagorinsky, viscosity, ..params(0.2) };
        let (mut without, mut zero) =
            (world(default, &cloud()), world(Params { viscosity, ..params(0.0) }, &cloud()));
        for _ in 0..10 {
            step(&mut without, 0.02);
            step(&mut zero, 0.02);
        }
        assert_eq!(zero.state_hash(), without.state_hash());
        assert_eq!(zero.stats().viscosity, viscosity);
        assert_eq!(zero.stats().diffusion_stages > 0, viscosity > 0.0);
    }
    // No vortons, and none with strength, have no eddies.
    let still = Vorton { volume: 0.01, ..Vorton::default() };
    for vortons in [&[][..], &[still, still]] {
        let mut sim = world(params(0.2), vortons);
        step(&mut sim, 0.02);
        assert_eq!(sim.stats().viscosity, 0.0);
    }
}

/// Strength removed from one vorton is added to another; the result is smoother.
#[test]
fn strength_is_conserved_and_vorticity_smoothed() {
    let run = |smagorinsky| {
        let mut sim = world(Params { relaxation_rate: 0.0, ..params(smagorinsky) }, &cloud());
        let before = sim.moments(&Serial).total_strength;
        steps(&mut sim, 0.02, 50);
        let Moments { total_strength, strength_magnitude, .. } = sim.moments(&Serial);
        let change = (total_strength - before).length() / strength_magnitude;
        // f32 columns are added to 50 times.
        assert!(change < 1e-6, "total strength changes by {change:e}");
        sim.vortons().strengths.iter().map(|a| a.as_dvec3().length_squared()).sum::<f64>()
    };
    let squares: Vec<f64> = [0.0, 0.1, 0.2, 0.4].into_iter().map(run).collect();
    println!("Σ|α|² {squares:?}");
    assert!(squares.windows(2).all(|pair| pair[1] < pair[0]), "{squares:?}");
}

/// A cloud a thousand times as large, slow or fast, moves the same way in its own units (B8).
#[test]
fn no_scale_is_special() {
    let run = |size: f32, duration: f32| {
        let scaled = |v: Vorton| Vorton {
            position: v.position * size,
            strength: v.strength * (size.powi(3) / duration),
            volume: v.volume * size.powi(3),
            ..v
        };
        let params = Params { core_radius: CORE * size, relaxation_rate: 1.0 / duration, ..params(0.2) };
        let vortons: Vec<_> = cloud().into_iter().map(scaled).collect();
        let mut sim = world(params, &vortons);
        steps(&mut sim, 0.02 * duration, 30);
        let places: Vec<Vec3> = positions(&sim).iter().map(|&place| place / size).collect();
        (places, sim.stats().viscosity * duration / (size * size))
    };
    let (places, viscosity) = run(1.0, 1.0);
    for (size, duration) in [(1e3, 1.0), (1e-3, 1.0), (1e3, 30.0), (1e-3, 1e-2)] {
        let (scaled, scaled_viscosity) = run(size, duration);
        let off = common::largest_distance(&places, &scaled);
        let change = f64::from(scaled_viscosity / viscosity) - 1.0;
        println!("size {size}, time {duration}: places off by {off:.1e}, viscosity by {change:.1e}");
        assert!(off < 1e-3 && change.abs() < 1e-3, "off by {off}, viscosity by {change}");
    }
}
