//! What a body reads of the flow around it is the sum over all vortons and all vortons of other bodies'
//! sheets, whether these are summed or expanded about its centre (E65): within a thousandth of the bodies'
//! speed, near each other and far away, alone, beside vortons that are summed, and beside a mesh. So is the
//! energy of all of them, within 0.3 % where they touch.

use crate::immersed::{CORE, body, hull, params};
use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyCoupling, BodyDef, BodyState};
use fluid_core::boundary::{Boundary, StepTime};
use fluid_core::initial::FilamentRing;
use fluid_core::math::Random;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{SolverKind, SourceCloud, Sources, VelocityField};
use fluid_threads::Serial;
use glam::{DVec3, Quat, Vec3};

/// Speed of each body, and largest speed of a point of its surface due to its rotation \[m/s\].
const SPEED: f32 = 1.0;

/// Largest error, over the sum of both \[1\].
const MOST: f32 = 1e-3;

/// So short that nothing moves, but the sheets answer each other.
const DT: f32 = 1e-6;

fn shapes() -> [(Shape, f32); 5] {
    [
        (Shape::sphere(0.2), 0.2),
        (Shape::cuboid(Vec3::splat(0.2)), 0.35),
        (Shape::capsule(0.3, 0.1), 0.4),
        (Shape::cuboid(Vec3::new(0.4, 0.1, 0.1)), 0.43),
        (hull(), 0.3),
    ]
}

/// Adds immovable bodies of all shapes on a lattice, jittered.
fn add_bodies(bodies: &mut Bodies, spacing: f32) -> Vec<f32> {
    let random = Random::new(9);
    let mut radii = Vec::new();
    for n in 0..10_u64 {
        let (shape, radius) = shapes()[n as usize % 5].clone();
        let cell = Vec3::new((n % 3) as f32, (n / 3 % 3) as f32, (n / 9) as f32);
        let state = BodyState {
            position: (cell + random.centred_vec3(3 * n) * 0.4) * spacing,
            rotation: Quat::from_scaled_axis(random.centred_vec3(3 * n + 1) * 3.0),
            velocity: random.centred_vec3(3 * n + 2).normalize_or(Vec3::X) * SPEED,
            angular_velocity: random.centred_vec3(3 * n + 1).normalize_or(Vec3::X) * SPEED / radius,
        };
        let def = BodyDef { no_through: true, ..body(shape, 1.0, state) };
        bodies.add(BodyDef { mass: f32::INFINITY, ..def }).expect("a valid body");
        radii.push(radius);
    }
    radii
}

/// Returns the largest error of the flow at points of all bodies in their own balls, and the number of
/// bodies for which it was read.
fn worst_error(spacing: f32, ring: Option<(Vec3, SolverKind)>) -> (f32, usize) {
    let mut params = params(Vec3::ZERO);
    if let Some((_, solver)) = ring {
        params.solver = solver;
    }
    let (mut sim, mut bodies) = (
        VortexSim::new(params).expect("valid parameters"),
        Bodies::new(BodySettings::default(), &params).expect("valid settings"),
    );
    let radii = add_bodies(&mut bodies, spacing);
    if let Some((centre, _)) = ring {
        let ring = FilamentRing {
            centre,
            axis: Vec3::X,
            radius: 0.5,
            circulation: 2.0,
            core_radius: CORE,
            count: 64,
        };
        sim.add_vortons(&ring.vortons().expect("a valid ring")).expect("room for them");
    }
    // The sheets answer to each other after a few steps.
    (0..12).for_each(|_| sim.step(&Serial, &mut bodies, DT).expect("a valid step"));
    let mut sources = Sources::default();
    sim.vortons().positions.iter().zip(sim.vortons().strengths.iter()).for_each(|(p, a)| sources.push(p, a));
    bodies.begin_step(&Serial, DT, sim.vortons(), &mut Boundary::default());
    bodies.bound_vortons(&Serial, StepTime::Middle, &mut sources);
    let (random, mut worst, mut count) = (Random::new(2), 0.0_f32, 0);
    for (index, radius) in radii.into_iter().enumerate() {
        let own = sources.groups()[index].range();
        let mut others = Sources::default();
        (0..sources.len()).filter(|row| !own.contains(row)).for_each(|row| {
            others.push(sources.positions.get(row), sources.strengths.get(row));
        });
        let mut cloud = SourceCloud::new(params.direct_settings());
        cloud.set(&others.positions, &others.strengths);
        let centre = bodies.list()[index].state().position;
        if !sim.field().can_leave_out_in(index, centre, radius) {
            continue;
        }
        count += 1;
        let places: Vec<Vec3> = (0..100)
            .map(|n| centre + random.centred_vec3(n).normalize_or(Vec3::Z) * radius * random.unit(n))
            .collect();
        let (mut exact, mut found) = (vec![Vec3::ZERO; places.len()], vec![Vec3::ZERO; places.len()]);
        cloud.velocities(&places, &mut exact);
        sim.field().flow_in_ball(index, centre, radius).velocities(&places, &mut found);
        let errors = exact.iter().zip(&found).map(|(a, b)| a.distance(*b));
        worst = worst.max(errors.fold(0.0, f32::max) / (2.0 * SPEED));
    }
    (worst, count)
}

#[test]
fn at_all_distances() {
    for spacing in [1.2, 2.0, 4.0, 10.0] {
        let (error, count) = worst_error(spacing, None);
        println!("{spacing} m apart: error {error:.1e}");
        assert_eq!(count, 10);
        assert!(error < MOST, "{spacing} m apart: {error}");
    }
}

#[test]
fn beside_vortons() {
    let near = Vec3::new(-1.5, 1.0, 1.0);
    // A mesh around the ring encloses bodies beside it.
    let far_only = [(near * 4.0, 1.5), (near, 4.0)];
    let all = [(near, 1.5), (near * 4.0, 1.5), (near, 4.0)];
    for (solver, cases) in [(SolverKind::Direct, &all[..]), (SolverKind::Mesh, &far_only[..])] {
        for &(centre, spacing) in cases {
            let (error, count) = worst_error(spacing, Some((centre, solver)));
            println!("{solver:?}, ring at {centre}, bodies {spacing} m apart: error {error:.1e}");
            assert_eq!(count, 10, "{solver:?}, {centre}, {spacing}");
            assert!(error < MOST, "{solver:?}, {centre}, {spacing}: {error}");
        }
    }
}

/// Returns the energy (E8) \[m⁵/s²\] of these sources, and that of each group by itself, over all pairs in
/// f64.
fn energies(sim: &VortexSim, sources: &Sources) -> (f64, Vec<f64>) {
    let core = f64::from(CORE);
    let vorton = |row: usize| (sources.positions.get(row).as_dvec3(), sources.strengths.get(row).as_dvec3());
    let energy = |rows: std::ops::Range<usize>| {
        let vortons: Vec<(DVec3, DVec3)> = rows.map(vorton).collect();
        let pair = |a: &(DVec3, DVec3), b: &(DVec3, DVec3)| {
            let green = sim.params().kernel.green_of_square(a.0.distance_squared(b.0) / (core * core));
            a.1.dot(b.1) * green / core
        };
        vortons.iter().map(|a| 0.5 * vortons.iter().map(|b| pair(a, b)).sum::<f64>()).sum::<f64>()
    };
    let own = sources.groups().iter().map(|group| energy(group.range())).collect();
    (energy(0..sources.len()), own)
}

/// Groups near each other take pseudo-vortons in their mutual energy (E63): a mesh errs by a percent of the
/// energy of a sheet.
#[test]
fn their_energy_is_that_of_all_pairs() {
    for (spacing, most) in [(0.9, 3e-3), (1.2, 1e-3), (2.0, 1e-4)] {
        let params = params(Vec3::ZERO);
        let mut sim = VortexSim::new(params).expect("valid parameters");
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        add_bodies(&mut bodies, spacing);
        // The energy is measured in every second step.
        let measured: Vec<f64> = (0..13)
            .map(|_| {
                sim.step(&Serial, &mut bodies, DT).expect("a valid step");
                sim.stats().energy
            })
            .collect();
        let mut sources = Sources::default();
        bodies.begin_step(&Serial, DT, sim.vortons(), &mut Boundary::default());
        bodies.bound_vortons(&Serial, StepTime::Middle, &mut sources);
        let (exact, own) = energies(&sim, &sources);
        let found = measured.last().copied().unwrap_or_default();
        let mutual = exact - own.iter().sum::<f64>();
        let error = (found - exact).abs() / exact;
        println!(
            "{spacing} m apart: {found:.6} instead of {exact:.6}, of which {mutual:.1e} mutual: {error:.1e}"
        );
        assert!(error < most, "{spacing} m apart: {error}");
    }
}
