//! Under any sequence of additions and removals every row stays one vorton: rates are exact, limits hold,
//! everything is counted, order and ids are preserved.

use crate::common::{filament_ring, inviscid, random_cloud, steps, world};
use fluid_core::boundary::{BodyCoupling, ContactWork, Motion};
use fluid_core::emitter::{Emitter, EmitterDef};
use fluid_core::math::{Random, Vec3Columns};
use fluid_core::params::Params;
use fluid_core::particles::{Vorton, Vortons};
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::{Quat, Vec3};
use proptest::prelude::*;

fn emitter(rate: f32, seed: u64) -> Emitter {
    let def = EmitterDef {
        rate,
        seed,
        position: Vec3::new(1.0, 2.0, 3.0),
        rotation: Quat::from_rotation_z(0.5),
        extent: Vec3::new(1.0, 2.0, 0.5),
        strength: Vec3::new(1e-3, 0.0, 0.0),
        strength_spread: Vec3::splat(1e-4),
        volume: 0.25,
        ..EmitterDef::default()
    };
    Emitter::new(def).expect("valid")
}

fn with_emitters(params: Params, emitters: &[Emitter]) -> VortexSim {
    let mut sim = world(params, &[]);
    sim.emitters_mut().extend_from_slice(emitters);
    sim
}

/// Asserts that all columns have equal length and that ids ascend.
fn assert_aligned(vortons: &Vortons) {
    let len = vortons.len();
    let Vortons { positions, strengths, volumes, mass_deviations, ages, ids, .. } = vortons;
    for columns in [positions, strengths] {
        assert_eq!([columns.x.len(), columns.y.len(), columns.z.len()], [len; 3]);
    }
    assert_eq!([volumes.len(), mass_deviations.len(), ages.len(), ids.len()], [len; 4]);
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
    for (row, &id) in ids.iter().enumerate() {
        assert_eq!(vortons.row_of(id), Some(row));
        assert!(id < vortons.next_id());
    }
    assert_eq!(vortons.row_of(vortons.next_id()), None);
}

#[test]
fn the_rate_is_exact_whatever_the_steps() {
    // Sums of these steps are exact in binary, so the number due is known exactly.
    let random = Random::new(71);
    let rates = [0.0, 0.3, 60.0, 7.75];
    let mut sim = with_emitters(inviscid(0.1), &rates.map(|rate| emitter(rate, 1)));
    for emitter in sim.emitters_mut() {
        // Thousands at one position would push each other away.
        (emitter.def.strength, emitter.def.strength_spread) = (Vec3::ZERO, Vec3::ZERO);
    }
    let mut time = 0.0_f64;
    for i in 0..300 {
        // Some steps have length 0, some run backwards; neither emits, and neither removes emitted vortons.
        let dt = (random.bits(i) % 20) as f32 / 64.0 - 1.0 / 64.0;
        time += f64::from(dt.max(0.0));
        steps(&mut sim, dt, 1);
        for (emitter, rate) in sim.emitters().iter().zip(rates) {
            // Accumulating rate times dt rounds by at most an ulp per step: this matters only if the number
            // due is exactly an integer.
            let due = f64::from(rate) * time;
            let emitted = emitter.emitted() as f64;
            assert!(
                (emitted - (due - 1e-9).floor()).abs() < 0.5 || (emitted - (due + 1e-9).floor()).abs() < 0.5
            );
        }
    }
    let total: u64 = sim.emitters().iter().map(Emitter::emitted).sum();
    assert_eq!(sim.vortons().len() as u64, total);
    assert!(total > 2000);
    assert_aligned(sim.vortons());
}

#[test]
fn emitted_vortons_are_as_defined_and_do_not_depend_on_the_steps() {
    let emitter = emitter(100.0, 5);
    let def = emitter.def;
    let born = |steps_per_second: usize| {
        let mut sim = with_emitters(inviscid(0.1), &[emitter]);
        let mut born = Vec::new();
        for _ in 0..steps_per_second {
            let before = sim.vortons().len();
            steps(&mut sim, 1.0 / steps_per_second as f32, 1);
            born.extend((before..sim.vortons().len()).map(|row| sim.vortons().get(row)));
        }
        born
    };
    let (few, many) = (born(4), born(32));
    assert_eq!((few.len(), many.len()), (100, 100));
    for (few, many) in few.iter().zip(&many) {
        let local = def.rotation.inverse() * (few.position - def.position);
        // Half the edge, plus the small displacement of weak vortons by each other in a step.
        assert!((local.abs() - 0.5 * def.extent).max_element() < 0.02, "{local}");
        let strength = def.rotation.inverse() * few.strength - def.strength;
        assert!((strength.abs() - 0.5 * def.strength_spread).max_element() < 2e-5, "{strength}");
        assert_eq!(few.volume, def.volume);
        assert!(few.position.distance(many.position) < 0.02);
    }
}

#[test]
fn the_limit_holds_and_what_does_not_fit_is_counted() {
    let params = Params { max_vortons: 100, ..inviscid(0.1) };
    let mut sim = with_emitters(params, &[emitter(64.0, 1), emitter(64.0, 2)]);
    for second in 1..=3_u64 {
        steps(&mut sim, 0.25, 4);
        let due = 128 * second;
        assert_eq!(sim.vortons().len() as u64, due.min(100));
        assert_eq!(sim.stats().not_added, due - due.min(100));
        assert_eq!(sim.stats().vortons, sim.vortons().len());
    }
    assert!(sim.add_vortons(&[Vorton::default()]).is_err());
    assert_eq!(sim.vortons().len(), 100);
    // Freed rows are used again, and ids continue.
    let next = sim.vortons().next_id();
    assert_eq!(sim.remove_vortons(&(0..50).collect::<Vec<_>>()), 50);
    steps(&mut sim, 0.25, 1);
    assert_eq!(sim.vortons().len(), 82);
    assert_eq!(sim.vortons().next_id(), next + 32);
    assert_aligned(sim.vortons());
    // A burst waits while time stands still or runs backwards, and is then added once: 5, plus twice 2 x
    // 64/64 in two steps.
    sim.emitters_mut()[0].burst(5);
    steps(&mut sim, 0.0, 2);
    steps(&mut sim, -0.25, 1);
    assert_eq!(sim.vortons().len(), 82);
    steps(&mut sim, 1.0 / 64.0, 2);
    assert_eq!(sim.vortons().len(), 91);
}

#[test]
fn vortons_go_when_they_are_too_old() {
    let params = Params { max_age: 0.5, ..inviscid(0.1) };
    let mut sim = with_emitters(params, &[emitter(64.0, 1)]);
    let old = Vorton { age: 0.375, ..Vorton::default() };
    sim.add_vortons(&[Vorton::default(), old, Vorton::default()]).expect("valid");
    steps(&mut sim, 0.125, 1);
    // The old one is exactly 0.5 s old: not yet above the maximum age.
    assert_eq!(sim.vortons().len(), 3 + 8);
    steps(&mut sim, 0.125, 1);
    assert_eq!((sim.vortons().len(), sim.stats().expired), (2 + 16, 1));
    assert_eq!(sim.vortons().row_of(1), None);
    assert_eq!(sim.vortons().ids[..2], [0, 2]);
    steps(&mut sim, 0.125, 6);
    // In steady state the vortons emitted in the last four steps are alive; they age in the step in which
    // they are emitted.
    assert_eq!(sim.vortons().len(), 32);
    assert!(sim.vortons().ages.iter().all(|&age| age <= 0.5));
    assert_eq!(sim.stats().expired, sim.vortons().next_id() - 32);
    assert_aligned(sim.vortons());
}

/// Bodies that push two vortons beyond the range of `f32`.
struct Away;

impl BodyCoupling for Away {
    fn vorton_contacts(&mut self, _: Motion<'_>, _: &Vec3Columns, vortons: &mut Vortons) -> ContactWork {
        [7, 31].into_iter().for_each(|row| vortons.positions.set(row, Vec3::INFINITY));
        ContactWork::default()
    }
}

/// Two vortons leave the range of `f32`; the ring between them must not be affected.
#[test]
fn what_is_not_finite_goes_alone() {
    let ring = filament_ring(Vec3::ZERO, Vec3::Z, 1.0, 1.0, 30);
    let lost = Vorton { position: Vec3::X * f32::MAX, ..Vorton::default() };
    let mut vortons = ring.clone();
    vortons.insert(7, lost);
    vortons.push(lost);
    let mut sim = world(inviscid(0.2), &vortons);
    steps(&mut sim, 0.1, 1);
    // Still there: very far away, but finite.
    assert_eq!(sim.vortons().len(), 32);
    sim.step(&Serial, &mut Away, 0.1).expect("a finite step");
    assert_eq!(sim.stats().non_finite, 2);
    assert_eq!(sim.vortons().len(), 30);
    let ids: Vec<u64> = (0..32).filter(|id| ![7, 31].contains(id)).collect();
    assert_eq!(sim.vortons().ids, ids);
    assert_aligned(sim.vortons());
}

#[test]
fn a_runaway_does_not_take_the_others_with_it() {
    let ring = filament_ring(Vec3::ZERO, Vec3::Z, 1.0, 1.0, 30);
    let mut alone = world(inviscid(0.2), &ring);
    let mut company = world(inviscid(0.2), &ring);
    // Its velocity is negligible at this distance, but the distance squared overflows.
    let far = Vorton { position: Vec3::new(1e25, -1e30, 3e38), strength: Vec3::ONE, ..Vorton::default() };
    company.add_vortons(&[far]).expect("valid");
    steps(&mut alone, 0.05, 20);
    steps(&mut company, 0.05, 20);
    for row in 0..30 {
        assert_eq!(alone.vortons().get(row), company.vortons().get(row));
    }
    assert_eq!(company.vortons().len(), 31);
}

#[derive(Debug, Clone)]
enum Operation {
    Step(f32),
    Add(usize),
    AddInvalid(usize),
    Remove(Vec<u64>),
    Burst(u32),
    Clear,
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        6 => (0.0_f32..0.2).prop_map(Operation::Step),
        3 => (0_usize..20).prop_map(Operation::Add),
        1 => (1_usize..5).prop_map(Operation::AddInvalid),
        3 => prop::collection::vec(0_u64..120, 0..10).prop_map(Operation::Remove),
        1 => (0_u32..10).prop_map(Operation::Burst),
        1 => Just(Operation::Clear),
    ]
}

const LIMIT: usize = 60;

/// Reference model of a world, in the simplest form: the id and the volume (unique to it) of every vorton,
/// in order.
#[derive(Default)]
struct Model {
    rows: Vec<(u64, f32)>,
    next_id: u64,
}

impl Model {
    fn add(&mut self, volume: f32) {
        self.rows.push((self.next_id, volume));
        self.next_id += 1;
    }
}

fn apply(sim: &mut VortexSim, model: &mut Model, operation: &Operation) {
    match operation {
        Operation::Step(dt) => {
            let next = sim.vortons().next_id();
            steps(sim, *dt, 1);
            // Emitted vortons have the emitter's volume; expired ones are removed from the front, because
            // ages descend with the rows.
            (next..sim.vortons().next_id()).for_each(|_| model.add(0.25));
            let alive: Vec<_> = sim.vortons().ids.clone();
            model.rows.retain(|(id, _)| alive.binary_search(id).is_ok());
        }
        Operation::Add(count) => {
            let volume = |i: usize| (model.next_id as usize + i) as f32;
            let vortons: Vec<_> = random_cloud(*count, 1)
                .into_iter()
                .enumerate()
                .map(|(i, v)| Vorton { volume: volume(i), strength: v.strength * 1e-3, ..v })
                .collect();
            let fits = model.rows.len() + count <= LIMIT;
            match sim.add_vortons(&vortons) {
                Ok(first) => {
                    assert!(fits);
                    assert_eq!(first, model.next_id);
                    vortons.iter().for_each(|v| model.add(v.volume));
                }
                Err(_) => assert!(!fits),
            }
        }
        Operation::AddInvalid(count) => {
            let mut vortons = random_cloud(*count, 2);
            vortons[count - 1].strength.y = f32::NAN;
            assert!(sim.add_vortons(&vortons).is_err());
        }
        Operation::Remove(ids) => {
            let before = model.rows.len();
            model.rows.retain(|(id, _)| !ids.contains(id));
            assert_eq!(sim.remove_vortons(ids), before - model.rows.len());
        }
        Operation::Burst(count) => sim.emitters_mut()[0].burst(*count),
        Operation::Clear => {
            sim.clear_vortons();
            model.rows.clear();
        }
    }
}

proptest! {
    #[test]
    fn any_history_leaves_aligned_rows(operations in prop::collection::vec(operation(), 1..60)) {
        let params = Params { max_vortons: LIMIT, max_age: 0.6, core_radius: 0.2, ..Params::default() };
        let mut sim = with_emitters(params, &[emitter(20.0, 3)]);
        let mut model = Model::default();
        for operation in &operations {
            apply(&mut sim, &mut model, operation);
            let vortons = sim.vortons();
            assert_aligned(vortons);
            let rows: Vec<_> = vortons.ids.iter().copied().zip(vortons.volumes.iter().copied()).collect();
            prop_assert_eq!(&rows, &model.rows);
            prop_assert_eq!(vortons.next_id(), model.next_id);
            prop_assert!(vortons.len() <= LIMIT);
            prop_assert_eq!(sim.stats().non_finite, 0);
        }
    }
}
