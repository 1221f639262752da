//! A world with many effects far apart: tracers move by the sum over all vortons, though distant ones are
//! expanded (E70), and each effect needs the nodes of density that it needs alone.

use crate::common;
use crate::drops::{ball, heavy_fluid, moved, vortons};

use fluid_core::boundary::NoBodies;
use fluid_core::initial::{DensityProfile::TopHat, FilamentRing, VortexRing};
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::{Tracers, Vorton};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{FlowSample, VelocityField};
use fluid_threads::{Executor, Pool, Serial, Shuffled};
use glam::Vec3;

const CORE: f32 = 0.12;

/// Places of the effects: a square grid, one at a corner of it lifted.
fn places(count: usize, apart: f32) -> Vec<Vec3> {
    let place = |i: usize| Vec3::new((i % 4) as f32, (i / 4) as f32, if i == 3 { 0.4 } else { 0.0 });
    (0..count).map(|i| apart * place(i)).collect()
}

fn axis(i: usize) -> Vec3 {
    [Vec3::X, Vec3::Z, Vec3::Y, Vec3::new(1.0, 1.0, -1.0).normalize()][i % 4]
}

/// Rings of 96 vortons, which are summed.
fn thin(i: usize, centre: Vec3) -> Vec<Vorton> {
    let circulation = 1.0 + 0.3 * i as f32;
    let (axis, radius, core_radius, count) = (axis(i), 0.6, CORE, 96);
    FilamentRing { centre, axis, radius, circulation, core_radius, count }.vortons().expect("in range")
}

/// Rings of some thousand vortons, on meshes.
fn thick(i: usize, centre: Vec3) -> Vec<Vorton> {
    let (axis, circulation, spacing) = (axis(i), 1.0 + 0.3 * i as f32, CORE / 1.3);
    let ring = VortexRing { centre, axis, radius: 0.5, thickness: 0.3, circulation, spacing };
    ring.vortons().expect("in range")
}

fn world(effect: &dyn Fn(usize, Vec3) -> Vec<Vorton>, places: &[Vec3]) -> VortexSim {
    let params = Params { core_radius: CORE, max_vortons: 20_000, ..Params::default() };
    let mut sim = VortexSim::new(params).expect("valid");
    for (i, &place) in places.iter().enumerate() {
        sim.add_vortons(&effect(i, place)).expect("there is room");
    }
    common::steps(&mut sim, 1.0 / 60.0, 3);
    sim
}

/// Points around an effect, sorted along a diagonal.
fn points(place: Vec3, count: u64) -> Vec<Vec3> {
    let random = Random::new(5);
    let mut points: Vec<Vec3> = (0..count).map(|n| place + 2.4 * random.centred_vec3(n)).collect();
    points.sort_by(|a, b| a.element_sum().total_cmp(&b.element_sum()));
    points
}

fn rms(values: impl Iterator<Item = f32>) -> f32 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), v| (sum + f64::from(v * v), count + 1));
    (sum / f64::from(count)).sqrt() as f32
}

/// Errors of velocity and gradient at points around an effect, over their root mean squares, and the flow of
/// all other effects there, over that of all.
fn errors(sim: &VortexSim, alone: &VortexSim, points: &[Vec3]) -> [f32; 3] {
    let flow = |sample: &dyn Fn(&[Vec3], &mut [FlowSample])| {
        let mut out = vec![FlowSample::default(); points.len()];
        sample(points, &mut out);
        out
    };
    let summed = flow(&|at, out| sim.field().sampled_flow(at, out));
    let expanded = flow(&|at, out| sim.field().sampled_flow_together(at, out));
    let own = flow(&|at, out| alone.field().sampled_flow(at, out));
    let (mut velocities, mut right) = (vec![Vec3::ZERO; points.len()], vec![Vec3::ZERO; points.len()]);
    sim.field().velocities_together(points, &mut velocities);
    sim.field().velocities(points, &mut right);
    let without_gradient = rms(velocities.iter().zip(&right).map(|(a, b)| a.distance(*b)));
    let difference = |a: &[FlowSample], b: &[FlowSample]| -> [f32; 2] {
        let pairs = || a.iter().zip(b);
        let velocity = rms(pairs().map(|(a, b)| a.velocity.distance(b.velocity)));
        let norm = |a: &FlowSample, b: &FlowSample| {
            let gradient = a.gradient - b.gradient;
            FlowSample { gradient, ..FlowSample::default() }.gradient_norm2().sqrt()
        };
        [velocity, rms(pairs().map(|(a, b)| norm(a, b)))]
    };
    let none = vec![FlowSample::default(); points.len()];
    let ([v, g], [error, error_of_gradient]) = (difference(&summed, &none), difference(&expanded, &summed));
    [error.max(without_gradient) / v, error_of_gradient / g, difference(&summed, &own)[0] / v]
}

#[test]
fn tracers_move_by_the_sum_over_all() {
    for (name, effect, count, apart, is_on_mesh) in [
        ("thin rings", &thin as &dyn Fn(usize, Vec3) -> Vec<Vorton>, 12, 9.0, false),
        ("thin rings far apart", &thin, 12, 60.0, false),
        ("thick rings", &thick, 12, 9.0, true),
    ] {
        let places = places(count, apart);
        let sim = world(effect, &places);
        assert_eq!(sim.field().is_on_mesh(), is_on_mesh, "{name}");
        for i in [0, 3, 5, 11] {
            let alone = world(&|_, place| effect(i, place), &[places[i]]);
            let [velocity, gradient, others] = errors(&sim, &alone, &points(places[i], 2000));
            println!("{name}, {i}: {velocity:.1e} and {gradient:.1e}, others {others:.1e}");
            assert!(velocity < 2e-4 && gradient < 2e-4, "{name}, {i}: {velocity:e}, {gradient:e}");
            // Of the other effects' flow a hundredth.
            assert!(velocity < 0.01 * others + 2e-6, "{name}, {i}: {velocity:e} of {others:e}");
        }
        // Points between and around all effects, in no order: nothing is far from all of them.
        let middle = 1.5 * apart * Vec3::new(1.0, 0.7, 0.0);
        let random = Random::new(8);
        let scattered: Vec<_> = (0..999).map(|n| middle + 5.0 * apart * random.centred_vec3(n)).collect();
        let [velocity, gradient, _] = errors(&sim, &sim, &scattered);
        println!("{name}, scattered: {velocity:.1e} and {gradient:.1e}");
        assert!(velocity < 1e-4 && gradient < 1e-4, "{name}, scattered: {velocity:e} and {gradient:e}");
    }
}

/// Positions that are not finite, or beyond every distance, spoil no others.
#[test]
fn tracers_beside_broken_ones_move_as_without_them() {
    for effect in [&thin as &dyn Fn(usize, Vec3) -> Vec<Vorton>, &thick] {
        let places = places(9, 12.0);
        let sim = world(effect, &places);
        let whole = points(places[4], 256);
        for broken in [Vec3::splat(f32::NAN), Vec3::X * f32::INFINITY, Vec3::Y * 1e30, Vec3::Z * -1e15] {
            let mut some = whole.clone();
            some[100] = broken;
            let (mut right, mut found) = (vec![Vec3::ZERO; 256], vec![Vec3::ZERO; 256]);
            sim.field().velocities(&whole, &mut right);
            sim.field().velocities_together(&some, &mut found);
            for i in (0..256).filter(|&i| i != 100) {
                assert!(found[i].distance(right[i]) < 1e-3 * right[i].length().max(0.1), "{i}: {}", found[i]);
            }
        }
    }
}

/// With the same bits on any number of threads, in the fluid also whatever tracers there are.
#[test]
fn with_the_same_bits() {
    let places = places(9, 12.0);
    let run = |exec: &dyn Executor, effect: &dyn Fn(usize, Vec3) -> Vec<Vorton>, count: usize| {
        let mut sim = world(effect, &places);
        let mut tracers = Tracers::with_capacity(10_000);
        let each = places.iter().flat_map(|&place| points(place, count as u64));
        each.for_each(|place| _ = tracers.push(place));
        for _ in 0..12 {
            sim.step(exec, &mut NoBodies, 1.0 / 60.0).expect("a finite step");
            sim.advance_tracers(exec, &mut NoBodies, &mut tracers, 1.0 / 60.0);
        }
        let vortons = sim.vortons();
        (vortons.positions.iter().collect::<Vec<_>>(), tracers.positions().to_vec())
    };
    for effect in [&thin as &dyn Fn(usize, Vec3) -> Vec<Vorton>, &thick] {
        let (vortons, tracers) = run(&Serial, effect, 700);
        let pool = Pool::new(3).expect("threads start");
        for exec in [&pool as &dyn Executor, &Shuffled::new(3)] {
            assert_eq!(run(exec, effect, 700), (vortons.clone(), tracers.clone()));
        }
        for other in [0, 3] {
            assert_eq!(run(&Serial, effect, other).0, vortons, "with {other} tracers");
        }
    }
}

/// Drops in a row: a box around all would be mostly empty.
#[test]
fn density_has_the_nodes_of_each() {
    has_the_nodes_of_each(&[(2, 12.0), (3, 40.0)]);
}

#[test]
#[ignore = "a quarter of a minute"]
fn density_of_sixteen_has_the_nodes_of_each() {
    has_the_nodes_of_each(&[(16, 25.0)]);
}

fn has_the_nodes_of_each(drops: &[(usize, f32)]) {
    let core_radius = 0.375;
    let drop = vortons(&ball(TopHat, 0.25, 1.5));
    let nodes = |places: &[Vec3]| {
        let all: Vec<_> = places.iter().flat_map(|&place| moved(&drop, |x| x + place)).collect();
        let mut sim = common::world(heavy_fluid(core_radius), &all);
        common::steps(&mut sim, 1.0 / 60.0, 30);
        assert_eq!(sim.stats().density_outside, 0);
        (sim.stats().density_nodes, sim.moments(&Serial).linear_impulse.z)
    };
    let alone = nodes(&[Vec3::ZERO]);
    for &(count, apart) in drops {
        let all = nodes(&places(count, apart));
        println!("{count} drops: {} and {} nodes, impulse {:.4} and {:.4}", all.0, alone.0, all.1, alone.1);
        assert!(all.0 <= count * (alone.0 + alone.0 / 4), "{} nodes", all.0);
        assert!((all.1 / (count as f64 * alone.1) - 1.0).abs() < 0.005, "{} m4/s", all.1);
    }
}
