//! Fuel burns at its rate and nowhere too cold; heat, mass, impulse and energy balance, in any steps (E61,
//! E62).

use crate::common::{filament_ring, steps, world};
use fluid_core::boundary::NoBodies;
use fluid_core::combustion::Combustion;
use fluid_core::density::{Ambient, EquationOfState};
use fluid_core::emitter::{Emitter, EmitterDef};
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::SolverKind;
use fluid_threads::Serial;
use glam::{DVec3, Vec3};
use std::f64::consts::PI;

const AIR: Ambient = Ambient {
    density: 1.2,
    temperature: 293.0,
    stratification: fluid_core::density::Stratification::None,
    origin: DVec3::ZERO,
};

const COMBUSTION: Combustion =
    Combustion { ignition_temperature: 600.0, burn_time: 0.15, specific_heat: 1005.0, expansion: 1.0 };

fn sum(values: &[f32]) -> f64 {
    values.iter().map(|&value| f64::from(value)).sum()
}

/// Heat of the fuel and of the warm fluid \[J\] (E33).
fn heat(sim: &VortexSim) -> f64 {
    let Params { ambient, combustion, .. } = sim.params();
    let vortons = sim.vortons();
    let per_mass = f64::from(combustion.specific_heat) * f64::from(ambient.temperature);
    sum(&vortons.fuels) - per_mass * sum(&vortons.mass_deviations)
}

fn at(temperature: f32, volume: f32, fuel: f32) -> Vorton {
    let mass_deviation = EquationOfState::IdealGas.mass_deviation(&AIR, volume, temperature);
    Vorton { volume, mass_deviation, fuel, ..Vorton::default() }
}

#[test]
fn fuel_burns_where_it_is_hot_and_at_its_rate() {
    let of = |vorton: Vorton, dt: f32, count: usize| {
        let params = Params { ambient: AIR, combustion: COMBUSTION, ..Params::default() };
        let mut sim = world(params, &[vorton]);
        let before = heat(&sim);
        steps(&mut sim, dt, count);
        assert!((heat(&sim) / before - 1.0).abs() < 1e-6);
        sim.vortons().get(0)
    };
    let cold = at(599.0, 1e-3, 500.0);
    assert_eq!(of(cold, 0.1, 10).fuel, 500.0);
    let hot = at(601.0, 1e-3, 500.0);
    let exact = 500.0 * (-0.1 / 0.15_f64).exp();
    let after = [of(hot, 0.1, 1), of(hot, 0.01, 10), of(hot, 0.001, 100)];
    for after in after {
        assert!((f64::from(after.fuel) / exact - 1.0).abs() < 1e-5, "{after:?}, exact {exact}");
        // 353 kJ heat a cubic metre of expansion, at any temperature.
        let gained = (500.0 - exact) / (1.2 * 1005.0 * 293.0);
        assert!((f64::from(after.volume) - 1e-3 - gained).abs() < 1e-5 * gained, "{after:?}");
        let mass = |v: Vorton| f64::from(AIR.mass_of(&v));
        assert!((mass(after) / mass(hot) - 1.0).abs() < 1e-5, "mass stays");
        // Its temperature is what that heat makes of that mass.
        let temperature = EquationOfState::IdealGas.temperature(&AIR, AIR.density_of(&after));
        let expected = 601.0 + (500.0 - exact) / (1005.0 * mass(hot));
        assert!((f64::from(temperature) / expected - 1.0).abs() < 1e-4, "{temperature} {expected}");
    }
    let burnt = of(hot, 0.1, 40);
    assert_eq!(burnt.fuel, 0.0, "the last of it burns at once");
}

/// A fire in the open.
fn fire(params: Params, def: EmitterDef) -> VortexSim {
    let gravity = Vec3::new(0.0, 0.0, -9.81);
    let mut sim = world(Params { ambient: AIR, gravity, ..params }, &[]);
    let def = EmitterDef { extent: Vec3::new(0.3, 0.3, 0.05), ..def };
    sim.emitters_mut().push(Emitter::new(def).expect("valid"));
    sim
}

/// Fluid of 650 K that burns to about 1,100 K.
fn gas() -> EmitterDef {
    EmitterDef { rate: 100.0, volume: 1e-4, temperature: Some(650.0), fuel: 2.5e5, ..EmitterDef::default() }
}

#[test]
fn heat_balances_over_hundreds_of_steps() {
    heat_balances(400);
}

#[test]
#[ignore = "long"]
fn heat_balances_over_thousands_of_steps() {
    heat_balances(4000);
}

fn heat_balances(steps: u64) {
    let params = Params { core_radius: 0.3, diffusivity: 1e-3, combustion: COMBUSTION, ..Params::default() };
    let params = Params { max_vortons: 1500, ..params };
    let def = EmitterDef { rate: 4.0, ..gas() };
    let mut sim = fire(params, def);
    let random = Random::new(11);
    let each = def.volume * def.fuel - 1005.0 * 293.0 * at(650.0, def.volume, 0.0).mass_deviation;
    let mut burning = 0_u64;
    for n in 0..steps {
        let dt = 1.0 / 144.0 + random.unit(n) * (1.0 / 15.0 - 1.0 / 144.0);
        sim.step(&Serial, &mut NoBodies, dt).expect("valid");
        burning += u64::from(sim.stats().burning > 0);
        let brought = f64::from(each) * sim.emitters()[0].emitted() as f64;
        let off = (heat(&sim) - brought).abs();
        assert!(off <= 1e-5 * brought, "{n}: {off} of {brought} J");
    }
    let stats = sim.stats();
    let of_fuel = f64::from(def.volume * def.fuel) * sim.emitters()[0].emitted() as f64;
    assert!(burning > steps / 4 && stats.heat_released > 0.5 * of_fuel, "{burning} steps, {stats:?}");
    assert!((stats.fuel + stats.heat_released - of_fuel).abs() < 1e-5 * of_fuel, "{stats:?}");
    assert!(stats.energy < 2.0, "{stats:?}");
}

/// The impulse of a fire is that of its buoyancy; sources in fluid that moves give a few percent more.
#[test]
fn lift_is_the_weight_of_the_displaced_air() {
    for (expansion, range) in [(0.0, 0.997..1.003), (1.0, 1.01..1.05)] {
        let combustion = Combustion { expansion, ..COMBUSTION };
        let mut sim = fire(Params { combustion, ..Params::default() }, gas());
        let mut impulse = 0.0;
        for _ in 0..90 {
            let dt = 1.0 / 45.0;
            sim.step(&Serial, &mut NoBodies, dt).expect("valid");
            impulse -= 9.81 * f64::from(dt) * sum(&sim.vortons().mass_deviations) / 1.2;
        }
        let ratio = sim.moments(&Serial).linear_impulse.z / impulse;
        assert!(range.contains(&ratio), "{expansion}: {ratio} of {impulse}");
        assert_eq!(sim.stats().energy_scalings, 0);
    }
}

/// A ring around a source grows with it: its circulation stays, impulse and energy rise, and the energy
/// budget knows.
#[test]
fn expansion_widens_a_ring() {
    let (first, circulation) = (0.5, 0.01);
    for solver in [SolverKind::Direct, SolverKind::Mesh] {
        let energy = [true, false].map(|energy_budget| {
            let mut vortons = filament_ring(Vec3::ZERO, Vec3::Z, first, circulation, 96);
            vortons.push(at(650.0, 1e-2, 1e5));
            let params = Params { ambient: AIR, combustion: COMBUSTION, energy_budget, ..Params::default() };
            let mut sim = world(Params { solver, ..params }, &vortons);
            let before = (sim.moments(&Serial), sim.pair_sums(&Serial), sum(&sim.vortons().volumes));
            steps(&mut sim, 1.0 / 60.0, 120);
            let after = (sim.moments(&Serial), sim.pair_sums(&Serial), sum(&sim.vortons().volumes));
            let ratio = (first.powi(3) + (after.2 - before.2) * 0.75 / PI).cbrt() / first;
            assert!(ratio > 1.15, "the source is strong enough to be seen");
            let longer = after.0.strength_magnitude / before.0.strength_magnitude;
            let larger = after.0.linear_impulse.z / before.0.linear_impulse.z;
            assert!((longer / ratio - 1.0).abs() < 0.004, "{solver:?}: {longer}, not {ratio}");
            assert!((larger / ratio.powi(2) - 1.0).abs() < 0.004, "{solver:?}: {larger}, not {ratio}²");
            after.1.energy / before.1.energy
        });
        assert!(energy[0] > 1.2 && (energy[0] / energy[1] - 1.0).abs() < 0.01, "{solver:?}: {energy:?}");
    }
}
