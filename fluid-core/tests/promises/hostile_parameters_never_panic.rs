//! Any input from a host is either refused with a reason or survived: no panic, and no value in the world
//! that is not finite.

use crate::common;

use crate::hostile::{float, vector};
use fluid_core::InstructionSet;
use fluid_core::boundary::NoBodies;
use fluid_core::combustion::Combustion;
use fluid_core::constants::{MAX_GRAVITY, MAX_SPEED, MAX_STEP};
use fluid_core::density::{Ambient, EquationOfState, ScalarSample, Stratification};
use fluid_core::emitter::{Emitter, EmitterDef, Nozzle};
use fluid_core::params::Params;
use fluid_core::particles::{Tracers, Vorton};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{FieldSampling, FlowSample, Kernel, Precision, SolverKind, VelocityField};
use fluid_threads::Serial;
use glam::{Quat, Vec3};
use proptest::prelude::*;

fn params() -> impl Strategy<Value = Params> {
    let choices = (
        prop::sample::select(Kernel::ALL.to_vec()),
        prop::sample::select(vec![Precision::Exact, Precision::Fast]),
        prop::sample::select(InstructionSet::ALL.to_vec()),
        // Not the largest valid number: that would need gigabytes.
        prop::sample::select(vec![0, 1, 5, 1000, usize::MAX]),
    );
    // Mostly a valid core, because otherwise hardly any case would get as far as a step.
    let core = prop_oneof![3 => prop::sample::select(vec![1e-9, 1e-3, 0.1, 10.0, 1e9]), 1 => float()];
    (core, float(), vector(), float(), choices).prop_map(
        |(core_radius, relaxation_rate, wind, max_age, choices)| {
            let (kernel, precision, instruction_set, max_vortons) = choices;
            Params {
                core_radius,
                kernel,
                precision,
                instruction_set,
                relaxation_rate: if relaxation_rate < 0.0 { 0.0 } else { relaxation_rate },
                wind: if wind.is_finite() { wind } else { Vec3::ZERO },
                max_age: if max_age > 0.0 { max_age } else { f32::INFINITY },
                max_vortons,
                ..Params::default()
            }
        },
    )
}

/// Generates the same, with all parameters of the mesh, density and diffusion.
fn fluid_params() -> impl Strategy<Value = Params> {
    let choices = (
        prop::sample::select(vec![SolverKind::Auto, SolverKind::Direct, SolverKind::Mesh]),
        prop::sample::select(vec![FieldSampling::Trilinear, FieldSampling::QuadraticSpline]),
        prop::sample::select(vec![4096, 10_000, 1 << 16, 0, usize::MAX]),
        prop::sample::select(vec![1.5, 2.5, 1.0, 8.0, f32::NAN, 0.0]),
    );
    let stratification = prop_oneof![
        2 => Just(Stratification::None),
        1 => vector().prop_map(|gradient| Stratification::Linear { gradient }),
        1 => (vector(), float(), float(), float()).prop_map(|(normal, height, jump, thickness)| {
            Stratification::Layers { normal: normal.normalize_or(Vec3::Z), height, jump, thickness }
        }),
    ];
    let ambient = (float(), float(), stratification).prop_map(|(density, temperature, stratification)| {
        Ambient { density, temperature, stratification, ..Ambient::default() }
    });
    let ambient = prop_oneof![2 => Just(Ambient::default()), 1 => ambient];
    let state = prop_oneof![
        Just(EquationOfState::IdealGas),
        float().prop_map(|expansion| EquationOfState::Linear { expansion })
    ];
    // Mostly valid values, because otherwise hardly any case would get as far as a step.
    let rate = || prop_oneof![2 => Just(0.0), 2 => 0.0_f32..10.0, 1 => float()];
    let gravity = prop_oneof![2 => Just(Vec3::new(0.0, 0.0, -9.8)), 1 => vector()];
    let burning = (float(), float(), float(), 0.0_f32..1.0);
    let burning = burning.prop_map(|(ignition_temperature, burn_time, specific_heat, expansion)| {
        Combustion { ignition_temperature, burn_time, specific_heat, expansion }
    });
    let warm = Combustion { ignition_temperature: 1.0, ..Combustion::default() };
    let burning = prop_oneof![2 => Just(Combustion::default()), 2 => Just(warm), 1 => burning];
    (params(), choices, (ambient, burning), state, gravity, rate(), rate()).prop_map(
        |(params, choices, (ambient, combustion), equation_of_state, gravity, viscosity, diffusivity)| {
            let (solver, field_sampling, max_grid_nodes, nodes_per_core) = choices;
            Params {
                solver,
                field_sampling,
                max_grid_nodes,
                nodes_per_core,
                ambient,
                equation_of_state,
                gravity,
                viscosity,
                diffusivity,
                combustion,
                ..params
            }
        },
    )
}

fn vorton() -> impl Strategy<Value = Vorton> {
    let contents = (float(), float(), float());
    (vector(), vector(), float(), contents, float(), any::<bool>()).prop_map(
        |(position, strength, volume, (mass_deviation, dye, fuel), age, halo)| Vorton {
            position,
            strength,
            volume,
            mass_deviation,
            dye,
            fuel,
            age,
            halo,
            rim: false,
        },
    )
}

fn emitter() -> impl Strategy<Value = EmitterDef> {
    let rotation = (vector(), float()).prop_map(|(v, w)| Quat::from_xyzw(v.x, v.y, v.z, w));
    let rotation = prop_oneof![3 => Just(Quat::IDENTITY), 1 => rotation];
    let nozzle = proptest::option::of((float(), float(), float()));
    let nozzle = nozzle
        .prop_map(|nozzle| nozzle.map(|(radius, speed, disturbance)| Nozzle { radius, speed, disturbance }));
    let fluid = (float(), proptest::option::of(float()), float(), float(), nozzle);
    (vector(), rotation, vector(), float(), vector(), vector(), float(), fluid).prop_map(
        |(position, rotation, extent, rate, strength, strength_spread, volume, fluid)| {
            let (density_deviation, temperature, dye, fuel, nozzle) = fluid;
            EmitterDef {
                body: None,
                position,
                rotation,
                extent,
                rate,
                strength,
                strength_spread,
                volume,
                seed: 1,
                density_deviation,
                temperature,
                dye,
                fuel,
                nozzle,
            }
        },
    )
}

/// Calls all functions of a world, with the hostile values.
fn use_world(mut sim: VortexSim, vortons: &[Vorton], defs: &[EmitterDef], places: &[Vec3], times: &[f32]) {
    for vorton in vortons {
        let (before, valid) = (sim.vortons().len(), vorton.is_valid());
        let added = sim.add_vortons(&[*vorton]).is_ok();
        assert_eq!(sim.vortons().len(), before + usize::from(added));
        assert!(valid || !added);
    }
    sim.emitters_mut().extend(defs.iter().filter_map(|def| Emitter::new(*def).ok()));
    sim.emitters_mut().iter_mut().for_each(|emitter| emitter.burst(u32::MAX));
    let mut tracers = Tracers::default();
    places.iter().for_each(|&place| {
        tracers.push(place);
    });
    for &dt in times {
        let stepped = sim.step(&Serial, &mut NoBodies, dt);
        assert_eq!(stepped.is_ok(), dt.abs() <= MAX_STEP);
        if stepped.is_ok() {
            sim.advance_tracers(&Serial, &mut NoBodies, &mut tracers, dt);
        }
        assert!(sim.vortons().positions.iter().all(Vec3::is_finite));
        assert!(sim.vortons().strengths.iter().all(Vec3::is_finite));
        assert!(sim.vortons().len() <= sim.params().max_vortons);
        assert!(!sim.time().is_nan());
    }
    // Every sort, not only the one that is due.
    tracers.retain(|place, _| place.is_finite());
    tracers.sort_by_cell(&Serial, sim.params().core_radius);
    assert!(tracers.positions().iter().all(|place| place.is_finite()));
    let mut velocities = vec![Vec3::ZERO; places.len()];
    sim.field().velocities(places, &mut velocities);
    let mut flow = vec![FlowSample::default(); places.len()];
    sim.field().flow(places, &mut flow);
    let mut scalars = vec![ScalarSample::default(); places.len()];
    sim.field().scalars(places, &mut scalars);
    let temperatures = scalars.iter().filter(|s| s.density.is_finite()).map(|s| s.temperature);
    assert!(temperatures.clone().all(|t| t > 0.0 && t.is_finite()), "{scalars:?}");
    let _ = (sim.set_gravity(places[0]), sim.set_diffusion(places[0].x, places[0].y));
    let _ = (sim.moments(&Serial), sim.pair_sums(&Serial), sim.state_hash());
    let _ = (sim.set_wind(places[0]), sim.set_relaxation_rate(places[0].x));
    assert!(sim.params().validate().is_ok());
}

/// Asserts that a world is refused with a reason, or survives all calls.
fn refuse_or_survive(
    params: Params,
    vortons: &[Vorton],
    defs: &[EmitterDef],
    places: &[Vec3],
    times: &[f32],
) {
    let valid = params.validate();
    match VortexSim::new(params) {
        Ok(sim) => {
            assert!(valid.is_ok());
            use_world(sim, vortons, defs, places, times);
        }
        Err(error) => {
            assert_eq!(valid, Err(error.clone()));
            // The message names the field, the value and the range.
            assert!(error.to_string().contains(error.field));
        }
    }
}

/// Returns the number of cases: PROPTEST_CASES if it is set (the long checks set it), else `usual`.
/// with_cases alone would ignore it.
fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|number| number.parse().ok()).unwrap_or(usual)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(2000)))]

    #[test]
    fn worlds_refuse_or_survive(
        params in params(),
        vortons in prop::collection::vec(vorton(), 0..20),
        defs in prop::collection::vec(emitter(), 0..3),
        places in prop::collection::vec(vector(), 1..20),
        times in prop::collection::vec(float(), 1..5),
    ) {
        refuse_or_survive(params, &vortons, &defs, &places, &times);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(400)))]

    #[test]
    fn worlds_with_mesh_density_and_diffusion_refuse_or_survive(
        params in fluid_params(),
        vortons in prop::collection::vec(vorton(), 0..20),
        defs in prop::collection::vec(emitter(), 0..3),
        places in prop::collection::vec(vector(), 1..20),
        times in prop::collection::vec(float(), 1..4),
    ) {
        refuse_or_survive(params, &vortons, &defs, &places, &times);
    }
}

#[test]
fn every_field_out_of_range_is_refused_by_name() {
    let good = Params::default();
    let bad = [
        ("core_radius", Params { core_radius: 0.0, ..good }),
        ("core_radius", Params { core_radius: -0.1, ..good }),
        ("core_radius", Params { core_radius: f32::NAN, ..good }),
        ("core_radius", Params { core_radius: 1e10, ..good }),
        ("core_radius", Params { core_radius: f32::MIN_POSITIVE, ..good }),
        ("relaxation_rate", Params { relaxation_rate: -1.0, ..good }),
        ("relaxation_rate", Params { relaxation_rate: f32::NAN, ..good }),
        ("relaxation_rate", Params { relaxation_rate: f32::INFINITY, ..good }),
        ("wind", Params { wind: Vec3::new(0.0, f32::NAN, 0.0), ..good }),
        ("wind", Params { wind: Vec3::new(0.0, 0.0, f32::INFINITY), ..good }),
        ("wind", Params { wind: Vec3::new(MAX_SPEED, 1e4, 0.0), ..good }),
        ("gravity", Params { gravity: Vec3::new(0.0, 0.0, -MAX_GRAVITY.next_up()), ..good }),
        ("ambient", Params { ambient: Ambient { temperature: 1e-45, ..Ambient::default() }, ..good }),
        ("ambient", Params { ambient: Ambient { temperature: 1.1e9, ..Ambient::default() }, ..good }),
        ("ambient", Params { ambient: Ambient { density: 0.9e-9, ..Ambient::default() }, ..good }),
        ("max_age", Params { max_age: 0.0, ..good }),
        ("max_age", Params { max_age: f32::NAN, ..good }),
        ("max_vortons", Params { max_vortons: 0, ..good }),
        ("max_vortons", Params { max_vortons: usize::MAX, ..good }),
    ];
    assert_eq!(good.validate(), Ok(()));
    for (field, params) in bad {
        let error = VortexSim::new(params).expect_err(field);
        assert_eq!(error.field, field);
        assert!(!error.value.is_empty() && !error.allowed.is_empty());
    }
}

#[test]
fn emitters_refuse_too() {
    let good = EmitterDef::default();
    let with_nozzle = |nozzle| EmitterDef { nozzle: Some(nozzle), ..good };
    let bad = [
        ("position", EmitterDef { position: Vec3::NAN, ..good }),
        ("rotation", EmitterDef { rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..good }),
        ("rotation", EmitterDef { rotation: Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0), ..good }),
        ("extent", EmitterDef { extent: Vec3::INFINITY, ..good }),
        ("rate", EmitterDef { rate: -1.0, ..good }),
        ("rate", EmitterDef { rate: f32::INFINITY, ..good }),
        ("strength", EmitterDef { strength: Vec3::NAN, ..good }),
        ("strength_spread", EmitterDef { strength_spread: Vec3::NAN, ..good }),
        ("volume", EmitterDef { volume: -1.0, ..good }),
        ("volume", EmitterDef { volume: f32::NAN, ..good }),
        ("density_deviation", EmitterDef { density_deviation: f32::INFINITY, ..good }),
        ("temperature", EmitterDef { temperature: Some(0.0), ..good }),
        ("temperature", EmitterDef { temperature: Some(f32::NAN), ..good }),
        ("dye", EmitterDef { dye: 1.1, ..good }),
        ("dye", EmitterDef { dye: f32::NAN, ..good }),
        ("nozzle.radius", with_nozzle(Nozzle { radius: 0.0, ..Nozzle::default() })),
        ("nozzle.speed", with_nozzle(Nozzle { speed: -1.0, ..Nozzle::default() })),
        ("nozzle.speed", with_nozzle(Nozzle { speed: f32::MAX, ..Nozzle::default() })),
        ("nozzle.disturbance", with_nozzle(Nozzle { disturbance: 1.5, ..Nozzle::default() })),
    ];
    assert!(Emitter::new(good).is_ok());
    for (field, def) in bad {
        assert_eq!(Emitter::new(def).expect_err(field).field, field);
    }
}

#[test]
fn a_refused_step_changes_nothing() {
    let mut sim = common::world(Params::default(), &common::leapfrog(1.0, 20));
    common::steps(&mut sim, 0.05, 3);
    let (hash, steps) = (sim.state_hash(), sim.stats().steps);
    for dt in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, MAX_STEP.next_up(), -MAX_STEP.next_up()] {
        let error = sim.step(&Serial, &mut NoBodies, dt).expect_err("not finite");
        assert_eq!(error.field, "dt");
    }
    assert_eq!((sim.state_hash(), sim.stats().steps), (hash, steps));
}
