//! `VortexSim::step_within` selects the best quality within a budget. With costs by counts, its decisions
//! and results are the same bits on every machine; without a limit it equals `step`; tracers never affect
//! the fluid.

use crate::common;

use crate::common::{filament_ring, leapfrog, oracle, random_cloud, weakened, world};
use fluid_core::boundary::NoBodies;
use fluid_core::governor::{Budget, Measure, Quality, TracerQuality};
use fluid_core::initial::VortexRing;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::{Tracers, Vorton};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{FieldSampling, Kernel, SolverKind, VelocityField};
use fluid_threads::{Executor, Pool, Serial, Shuffled};
use glam::Vec3;
use std::collections::BTreeMap;

const DT: f32 = 1.0 / 60.0;
const FREE: Budget = Budget { measure: Measure::Counted, fluid: f64::INFINITY, tracers: f64::INFINITY };
const NONE: Budget = Budget { measure: Measure::Counted, fluid: 0.0, tracers: 0.0 };

/// Returns a thick ring, solved on a mesh.
fn thick_ring() -> (f32, Vec<Vorton>) {
    let spacing = 0.28;
    let (centre, axis) = (Vec3::ZERO, Vec3::X);
    let ring = VortexRing { centre, axis, radius: 1.0, thickness: 1.0, circulation: 18.0, spacing };
    (1.5 * spacing, ring.vortons().expect("in range"))
}

fn ring_world() -> VortexSim {
    let (core_radius, vortons) = thick_ring();
    world(Params { core_radius, max_vortons: 4000, ..Params::default() }, &vortons)
}

fn tracers(count: u64) -> Tracers {
    let random = Random::new(8);
    let mut tracers = Tracers::default();
    (0..count).for_each(|i| {
        tracers.push(3.0 * random.centred_vec3(i));
    });
    tracers
}

/// Positions by id, because sets re-sort themselves.
fn places(tracers: &Tracers) -> BTreeMap<u32, Vec3> {
    tracers.ids().iter().copied().zip(tracers.positions().iter().copied()).collect()
}

fn step_within(exec: &dyn Executor, sim: &mut VortexSim, tracers: &mut Tracers, dt: f32, budget: Budget) {
    sim.step_within(exec, &mut NoBodies, dt, budget).expect("a valid budget");
    sim.advance_tracers(exec, &mut NoBodies, tracers, dt);
}

/// Budgets from far too small to more than enough, constant for 40 steps.
fn random_budget(seed: u64, step: u64, tracers: usize) -> Budget {
    let random = Random::new(seed);
    let part = |i: u64| f64::from(random.unit(2 * (step / 40) + i).powi(2));
    Budget { measure: Measure::Counted, fluid: 3.0 * part(0), tracers: 3e-5 * tracers as f64 * part(1) }
}

#[test]
fn without_a_limit_it_is_a_plain_step() {
    for measure in [Measure::Counted, Measure::Clock] {
        let (mut one, mut other) = (ring_world(), ring_world());
        let (mut led, mut others) = (tracers(2000), tracers(2000));
        for _ in 0..20 {
            step_within(&Serial, &mut one, &mut led, DT, Budget { measure, ..FREE });
            other.step(&Serial, &mut NoBodies, DT).expect("finite");
            other.advance_tracers(&Serial, &mut NoBodies, &mut others, DT);
            assert_eq!(one.state_hash(), other.state_hash());
            assert_eq!(led.positions(), others.positions());
        }
        let stats = one.stats();
        assert_eq!((stats.quality, stats.tracer_quality), (Quality::Full, TracerQuality::Full));
        assert_eq!(stats.quality_changes, 0);
        assert!(other.stats().expected_cost == 0.0 && other.stats().expected_tracer_cost == 0.0);
    }
}

#[test]
fn decisions_and_bits_are_the_same_on_any_number_of_threads() {
    let run = |exec: &dyn Executor| {
        let (mut sim, mut tracers) = (ring_world(), tracers(3000));
        let mut decisions = Vec::new();
        for step in 0..240 {
            step_within(exec, &mut sim, &mut tracers, DT, random_budget(5, step, 3000));
            let stats = sim.stats();
            decisions.push((stats.quality, stats.tracer_quality, stats.expected_cost.to_bits()));
        }
        let bits: Vec<[u32; 3]> =
            tracers.positions().iter().map(|place| place.to_array().map(f32::to_bits)).collect();
        (decisions, sim.state_hash(), bits)
    };
    let serial = run(&Serial);
    for quality in Quality::ALL.into_iter().filter(|&quality| quality != Quality::FewerSolves) {
        assert!(serial.0.iter().any(|decision| decision.0 == quality), "never {quality:?}");
    }
    // These tracers read the mesh of the vortons: they have no separate mesh that could be coarser.
    for quality in [TracerQuality::Full, TracerQuality::EverySecondStep] {
        assert!(serial.0.iter().any(|decision| decision.1 == quality), "never {quality:?}");
    }
    for workers in [1, 2, 3] {
        assert!(run(&Pool::new(workers).expect("threads start")) == serial, "{workers} workers");
    }
    assert!(run(&Shuffled::new(3)) == serial);
}

#[test]
fn tracers_do_not_change_the_fluid() {
    let run = |count: u64| {
        let (mut sim, mut tracers) = (ring_world(), tracers(count));
        let mut decisions = Vec::new();
        for step in 0..120 {
            step_within(&Serial, &mut sim, &mut tracers, DT, random_budget(6, step, 1000));
            decisions.push(sim.stats().quality);
        }
        (decisions, sim.state_hash())
    };
    assert!(run(0) == run(20_000));
}

/// If the cheapest quality is within a limit, so is the selected one.
#[test]
fn limits_are_kept_where_that_is_possible() {
    let (mut sim, mut tracers) = (ring_world(), tracers(20_000));
    let (mut kept, mut beyond) = ([0; 2], [0; 2]);
    for step in 0..400 {
        let budget = random_budget(7, step, 20_000);
        let mut cheapest = sim.clone();
        cheapest.step_within(&Serial, &mut NoBodies, DT, NONE).expect("valid");
        step_within(&Serial, &mut sim, &mut tracers, DT, budget);
        let costs = |sim: &VortexSim| [sim.stats().expected_cost, sim.stats().expected_tracer_cost];
        for (i, limit) in [budget.fluid, budget.tracers].into_iter().enumerate() {
            let (cost, least) = (costs(&sim)[i], costs(&cheapest)[i]);
            match least <= limit {
                true => kept[i] += usize::from(cost <= limit),
                false => beyond[i] += usize::from(cost == least),
            }
        }
    }
    for i in 0..2 {
        assert_eq!(kept[i] + beyond[i], 400, "{kept:?}, {beyond:?}");
        assert!(kept[i] > 100 && beyond[i] > 20, "{kept:?}, {beyond:?}: the limits show nothing");
    }
}

/// A quality with a lower expected cost has fewer nodes, or fewer solves, in the actual step.
#[test]
fn a_cheaper_quality_really_solves_less() {
    let mut full = ring_world();
    let mut less = ring_world();
    for _ in 0..20 {
        full.step_within(&Serial, &mut NoBodies, DT, FREE).expect("valid");
        less.step_within(&Serial, &mut NoBodies, DT, NONE).expect("valid");
    }
    assert_eq!(less.stats().quality, Quality::CoarseMesh);
    assert!(less.stats().expected_cost < 0.8 * full.stats().expected_cost);
    let (coarse, fine) = (less.stats().mesh_nodes as f64, full.stats().mesh_nodes as f64);
    assert!(coarse > 0.0 && coarse < 0.8 * fine, "{coarse} of {fine} nodes");

    // Summed directly, at a stretch number of 0.55: one solve instead of two.
    let ring = filament_ring(Vec3::ZERO, Vec3::Z, 1.0, 1.0, 64);
    let params = Params { core_radius: 0.2, ..Params::default() };
    let (mut full, mut less) = (world(params, &ring), world(params, &ring));
    full.step(&Serial, &mut NoBodies, 0.0).expect("finite");
    let dt = 0.55 / full.stats().max_gradient;
    for step in 0..40 {
        full.step(&Serial, &mut NoBodies, dt).expect("finite");
        less.step_within(&Serial, &mut NoBodies, dt, NONE).expect("valid");
        if step > 3 {
            assert_eq!((full.stats().solves, less.stats().solves), (2, 1));
        }
    }
    assert_eq!(less.stats().quality, Quality::FewerSolves, "a coarse mesh does not pay");
}

#[test]
fn a_plain_step_has_full_quality_again() {
    let mut sim = ring_world();
    let mut moved = tracers(100);
    for _ in 0..25 {
        step_within(&Serial, &mut sim, &mut moved, DT, NONE);
    }
    assert_eq!((sim.stats().quality, sim.stats().quality_changes), (Quality::CoarseMesh, 2));
    assert_eq!(sim.stats().tracer_quality, TracerQuality::EverySecondStep);
    let coarse = sim.stats().mesh_nodes;
    sim.step(&Serial, &mut NoBodies, DT).expect("finite");
    assert_eq!((sim.stats().quality, sim.stats().tracer_quality), (Quality::Full, TracerQuality::Full));
    let fine = sim.stats().mesh_nodes;
    assert!(coarse > 0 && fine > coarse, "{coarse} and {fine} nodes");
}

/// Velocities at the vortons against the f64 direct sum: root mean square and largest error relative to the
/// largest velocity.
#[test]
fn each_mesh_is_within_its_error() {
    let (core_radius, vortons) = thick_ring();
    let spread = |v: Vorton| Vorton { position: 1.5 * v.position, ..v };
    let noise: Vec<Vorton> = random_cloud(1500, 2).into_iter().map(spread).collect();
    let oracle_of = |core_radius: f32, vortons: &[Vorton]| {
        let field = oracle(Kernel::default(), core_radius, vortons);
        vortons.iter().map(|v| field.velocity(v.position.as_dvec3()).as_vec3()).collect::<Vec<Vec3>>()
    };
    for (name, core_radius, vortons, bounds) in [
        ("ring", core_radius, &vortons, [(0.0015, 0.003), (0.008, 0.015)]),
        ("noise", 0.2, &noise, [(0.04, 0.1), (0.15, 0.4)]),
    ] {
        let exact = oracle_of(core_radius, vortons);
        let fastest = exact.iter().map(|u| u.length()).fold(0.0, f32::max);
        let levels = [(FREE, Quality::Full), (NONE, Quality::CoarseMesh)];
        for ((budget, quality), bound) in levels.into_iter().zip(bounds) {
            let params = Params {
                core_radius,
                solver: SolverKind::Mesh,
                field_sampling: FieldSampling::QuadraticSpline,
                ..Params::default()
            };
            let mut sim = world(params, vortons);
            sim.step_within(&Serial, &mut NoBodies, 0.0, budget).expect("valid");
            assert_eq!(sim.stats().quality, quality, "{name}");
            let at: Vec<Vec3> = vortons.iter().map(|v| v.position).collect();
            let mut found = vec![Vec3::ZERO; at.len()];
            sim.field().velocities(&at, &mut found);
            let errors = exact.iter().zip(&found).map(|(a, b)| a.distance(*b) / fastest);
            let rms = (errors.clone().map(|e| e * e).sum::<f32>() / at.len() as f32).sqrt();
            let largest = errors.fold(0.0, f32::max);
            println!("{name} {:?}: rms {rms:.4}, largest {largest:.4}", sim.stats().quality);
            assert!(rms < bound.0 && largest < bound.1, "{name}: {rms}, {largest}");
        }
    }
}

/// Both meshes compute the same energy of a smooth ring, within the energy budget's tolerance (3e-3).
#[test]
fn meshes_agree_on_the_energy_of_a_ring() {
    let (core_radius, ring) = thick_ring();
    let energy = |budget: Budget| {
        let params = Params { core_radius, solver: SolverKind::Mesh, ..Params::default() };
        let mut sim = world(params, &ring);
        sim.step_within(&Serial, &mut NoBodies, 0.0, budget).expect("valid");
        (sim.stats().quality, sim.stats().energy)
    };
    let (full, coarse) = (energy(FREE), energy(NONE));
    assert_eq!((full.0, coarse.0), (Quality::Full, Quality::CoarseMesh));
    let difference = coarse.1 / full.1 - 1.0;
    assert!(difference.abs() < 3e-3, "{difference}");
}

/// Two leapfrogging rings, steps at a stretch number of 0.5 with one solve instead of two.
#[test]
fn fewer_solves_follow_the_flow() {
    let core_radius = 0.2;
    let params =
        Params { core_radius, relaxation_rate: 0.0, solver: SolverKind::Direct, ..Params::default() };
    let rings = leapfrog(0.6, 48);
    let mut truth = world(params, &rings);
    truth.step(&Serial, &mut NoBodies, 0.0).expect("finite");
    let dt = 0.5 / truth.stats().max_gradient;
    let (mut full, mut less) = (world(params, &rings), world(params, &rings));
    let steps = (6.0 / dt) as usize;
    for _ in 0..steps {
        for _ in 0..8 {
            truth.step(&Serial, &mut NoBodies, dt / 8.0).expect("finite");
        }
        full.step(&Serial, &mut NoBodies, dt).expect("finite");
        less.step_within(&Serial, &mut NoBodies, dt, NONE).expect("valid");
    }
    let error = |sim: &VortexSim| {
        common::largest_distance(&common::positions(sim), &common::positions(&truth)) / core_radius
    };
    let (of_full, of_less) = (error(&full), error(&less));
    println!("{steps} steps: {of_full:.4} and {of_less:.4} core radii");
    assert_eq!(less.stats().quality, Quality::FewerSolves);
    assert!(of_less < 0.1, "{of_less}");
}

/// In a steady flow: twice the steps, a quarter of the error.
#[test]
fn tracers_with_fewer_samples_are_of_second_order() {
    let cloud = weakened(random_cloud(60, 1), 0.3);
    let params = Params { core_radius: 0.5, ..common::inviscid(0.5) };
    let start = || {
        let mut set = Tracers::default();
        let random = Random::new(4);
        (0..700).for_each(|i| {
            set.push(2.0 * random.centred_vec3(i));
        });
        set
    };
    // The vortons are put back before each step, so the flow is steady.
    let run = |dt: f32, steps: usize, wanted: TracerQuality| {
        let mut set = start();
        let mut sim = world(params, &cloud);
        let limit = if wanted == TracerQuality::Full { f64::INFINITY } else { 0.0 };
        for step in 0..steps {
            let ids = sim.vortons().ids.clone();
            sim.remove_vortons(&ids);
            sim.add_vortons(&cloud).expect("there is room");
            let budget = Budget { tracers: limit, ..FREE };
            sim.step_within(&Serial, &mut NoBodies, 0.0, budget).expect("valid");
            sim.advance_tracers(&Serial, &mut NoBodies, &mut set, dt);
            if step > 1 {
                assert_eq!(sim.stats().tracer_quality, wanted);
            }
        }
        places(&set)
    };
    let exact = run(0.4 / 64.0, 128 * 8, TracerQuality::Full);
    let error = |places: BTreeMap<u32, Vec3>| {
        let sum: f32 = places.iter().map(|(id, place)| place.distance_squared(exact[id])).sum();
        (sum / places.len() as f32).sqrt()
    };
    for quality in [TracerQuality::Full, TracerQuality::EverySecondStep] {
        let [coarse, fine] = [1.0, 2.0].map(|n: f32| error(run(0.1 / n, (64.0 * n) as usize, quality)));
        println!("{quality:?}: {coarse:.2e}, {fine:.2e} m");
        assert!(fine < 0.3 * coarse, "{quality:?}: {coarse}, {fine}");
    }
}

/// A tracer's path does not depend on tracers added, removed and sorted around it.
#[test]
fn last_velocities_stay_with_their_tracers() {
    let random = Random::new(12);
    let place = |i: u64| 2.0 * random.centred_vec3(i);
    let mut sim = ring_world();
    sim.step(&Serial, &mut NoBodies, 0.0).expect("finite");
    // Too long for a sample in every second step only, for which tracers alternate by their order.
    let dt = 0.4 / sim.stats().max_gradient;
    let mut all = Tracers::default();
    let mut alone: Vec<Tracers> = (0..60).map(|_| Tracers::default()).collect();
    for step in 0..50_u64 {
        if step < 6 {
            for i in step * 10..step * 10 + 10 {
                all.push_tagged(place(i), i as u32);
                alone[i as usize].push(place(i));
                // Other tracers that are added and removed.
                all.push_tagged(place(i + 1000), u32::MAX);
            }
        }
        if step == 20 {
            all.retain(|place, _| place.y < 0.3);
        }
        let budget = Budget { tracers: 0.0, ..FREE };
        sim.step_within(&Serial, &mut NoBodies, dt, budget).expect("valid");
        sim.advance_tracers(&Serial, &mut NoBodies, &mut all, dt);
        for one in &mut alone {
            sim.advance_tracers(&Serial, &mut NoBodies, one, dt);
        }
        for (tag, place) in all.tags().iter().zip(all.positions()) {
            if let Some(one) = alone.get(*tag as usize) {
                assert_eq!(one.positions(), [*place], "tracer {tag} in step {step}");
            }
        }
    }
    assert!((0.3..0.8).contains(&sim.stats().stretch_number));
}

/// The clock decides, independently of the actual times: any time exceeds a budget of 0.
#[test]
fn the_clock_has_its_way_after_two_steps() {
    let (mut sim, mut tracers) = (ring_world(), tracers(2000));
    for _ in 0..4 {
        step_within(&Serial, &mut sim, &mut tracers, DT, Budget { measure: Measure::Clock, ..NONE });
    }
    assert_eq!(sim.stats().quality, Quality::CoarseMesh);
    assert_eq!(sim.stats().tracer_quality, TracerQuality::EverySecondStep);
    assert!(sim.stats().expected_cost > 0.0 && sim.stats().expected_tracer_cost > 0.0);
}

#[test]
fn a_cost_at_the_limit_changes_the_quality_rarely() {
    changes_the_quality_rarely(&[0.9, 1.0]);
}

#[test]
#[ignore = "a quarter of a minute"]
fn a_cost_near_the_limit_changes_the_quality_rarely() {
    changes_the_quality_rarely(&[0.78, 1.1, 1.3]);
}

fn changes_the_quality_rarely(parts: &[f64]) {
    for &part in parts {
        let mut sim = ring_world();
        sim.step_within(&Serial, &mut NoBodies, DT, FREE).expect("valid");
        let limit = part * sim.stats().expected_cost;
        let mut counts = [0; 3];
        for _ in 0..1000 {
            sim.step_within(&Serial, &mut NoBodies, DT, Budget { fluid: limit, ..FREE }).expect("valid");
            counts[sim.stats().quality as usize] += 1;
        }
        let changes = sim.stats().quality_changes;
        println!("{part}: {changes} changes, {counts:?} steps at each level");
        assert!(changes <= 8, "{changes} changes at {part} of the cost");
    }
}

#[test]
fn wrong_budgets_change_nothing() {
    let mut sim = ring_world();
    sim.step(&Serial, &mut NoBodies, DT).expect("finite");
    let before = sim.state_hash();
    for (field, budget, dt) in [
        ("budget.fluid", Budget { fluid: -1.0, ..FREE }, DT),
        ("budget.fluid", Budget { fluid: f64::NAN, ..FREE }, DT),
        ("budget.tracers", Budget { tracers: -1e-300, ..FREE }, DT),
        ("budget.tracers", Budget { tracers: f64::NAN, ..NONE }, DT),
        ("dt", NONE, f32::NAN),
        ("dt", NONE, -1.1e7),
    ] {
        let refused = sim.step_within(&Serial, &mut NoBodies, dt, budget).expect_err(field);
        assert_eq!(refused.field, field);
    }
    assert_eq!((sim.state_hash(), sim.stats().steps, sim.stats().quality), (before, 1, Quality::Full));
}

/// Outside of the mesh a sample is a sum over a coarsened cloud, which costs more than reading nodes.
#[test]
fn tracers_outside_of_the_mesh_are_expected_to_cost_more() {
    let after = |shift: f32, turbulence: f32, limit: f64| {
        let (mut sim, mut smoke) = (ring_world(), Tracers::default());
        smoke.turbulence = turbulence;
        let inside = tracers(3000);
        for &place in inside.positions() {
            smoke.push(place + Vec3::Y * shift);
        }
        // Plain steps count nothing for the first step within a budget.
        for _ in 0..10 {
            sim.step(&Serial, &mut NoBodies, DT).expect("finite");
            sim.advance_tracers(&Serial, &mut NoBodies, &mut smoke, DT);
        }
        let budget = Budget { measure: Measure::Counted, fluid: f64::INFINITY, tracers: limit };
        (0..4).for_each(|_| step_within(&Serial, &mut sim, &mut smoke, DT, budget));
        (sim.stats().expected_tracer_cost, sim.stats().tracer_quality)
    };
    for turbulence in [0.0, 1.0] {
        let [inside, beside, far] = [0.0, 3.5, 1e4].map(|shift| after(shift, turbulence, 1e3).0);
        println!("{inside:.4} ms inside, {beside:.4} beside, {far:.4} far away");
        assert!(beside > far && far > 1.5 * inside, "{inside} {beside} {far}");
        let qualities = [0.0, 3.5].map(|shift| after(shift, turbulence, 0.5 * (inside + beside)).1);
        assert_eq!(qualities[0], TracerQuality::Full);
        // Tracers in turbulence are sampled in each step.
        assert!(turbulence != 0.0 || qualities[1] == TracerQuality::EverySecondStep, "{qualities:?}");
    }
}
