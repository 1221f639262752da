//! Nothing flows through half-spaces (E50), and nothing gets to their other side: no vorton, tracer or
//! particle, and no vorton created by density.

use crate::floor::{half_space, params, world};
use fluid_bodies::bodies::Bodies;
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState, Pose};
use fluid_core::boundary::Surfaces;
use fluid_core::combustion::Combustion;
use fluid_core::initial::{DensityBall, DensityProfile, Noise};
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::{Tracers, Vorton, Vortons};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{FieldSampling, SolverKind, VelocityField};
use fluid_threads::Serial;
use glam::{Quat, Vec3};

const DT: f32 = 1.0 / 60.0;

fn noise(centre: Vec3) -> Vec<Vorton> {
    let noise = Noise { centre, extent: Vec3::new(0.9, 0.8, 0.7), spacing: 0.06, amplitude: 30.0, seed: 5 };
    noise.vortons().expect("constants in range")
}

/// Returns the largest normal velocity on the plane at `floor`, relative to the largest speed there and at
/// the vortons.
fn leak(sim: &VortexSim, floor: &Pose) -> f32 {
    let random = Random::new(8);
    let mut places: Vec<Vec3> = (0..2000)
        .map(|i| floor.to_world((4.0 * random.centred_vec3(i)).with_z(0.0)))
        .chain(sim.vortons().positions.iter())
        .collect();
    // Sources are at their positions in the middle of the step: near the floor these are close enough.
    places.truncate(3000);
    let mut velocities = vec![Vec3::ZERO; places.len()];
    sim.field().velocities(&places, &mut velocities);
    let largest = velocities.iter().map(|velocity| velocity.length()).fold(0.0, f32::max);
    let through = velocities[..2000].iter().map(|velocity| velocity.dot(floor.turn(Vec3::Z)).abs());
    through.fold(0.0, f32::max) / largest
}

fn corner() -> [Pose; 3] {
    let at = |rotation| Pose { rotation, position: Vec3::new(-0.55, -0.5, -0.45) };
    [
        at(Quat::IDENTITY),
        at(Quat::from_rotation_arc(Vec3::Z, Vec3::X)),
        at(Quat::from_rotation_arc(Vec3::Z, Vec3::Y)),
    ]
}

/// Zero to rounding with direct summation; on the mesh, to its error, also if the plane is between nodes or
/// oblique to the axes. Floors, corners of two, and of three.
#[test]
fn no_velocity_has_a_part_across_the_surface() {
    let turned = Pose {
        position: Vec3::new(0.0, 0.0, -0.7),
        rotation: Quat::from_scaled_axis(Vec3::new(0.2, -0.3, 0.1)),
    };
    let shifted = Pose::at(Vec3::new(0.0, 0.0, -0.4713));
    let cases = [vec![shifted], vec![turned], corner()[..2].to_vec(), corner().to_vec()];
    for (solver, most) in [(SolverKind::Direct, 1e-5), (SolverKind::Mesh, 0.02)] {
        for floors in &cases {
            let bodies: Vec<BodyDef> = floors.iter().copied().map(half_space).collect();
            let params = Params { field_sampling: FieldSampling::QuadraticSpline, ..params(solver) };
            let (mut sim, mut bodies) = world(params, &noise(Vec3::ZERO), &bodies);
            assert_eq!(bodies.copies(), 1 << floors.len());
            for _ in 0..3 {
                sim.step(&Serial, &mut bodies, DT).expect("a finite step");
                for floor in floors {
                    let leak = leak(&sim, floor);
                    println!("{solver:?}, {} half-spaces: {leak:e}", floors.len());
                    assert!(leak < most, "{solver:?}, {} half-spaces: {leak:e}", floors.len());
                }
            }
        }
    }
}

/// Sources of volume have images of the same sign (E61).
#[test]
fn what_burns_does_not_push_through_the_surface() {
    let combustion = Combustion { ignition_temperature: 300.0, ..Combustion::default() };
    for (solver, most) in [(SolverKind::Direct, 1e-5), (SolverKind::Mesh, 0.02)] {
        for floors in [vec![Pose::at(Vec3::new(0.0, 0.0, -0.4713))], corner().to_vec()] {
            let bodies: Vec<BodyDef> = floors.iter().copied().map(half_space).collect();
            let field_sampling = FieldSampling::QuadraticSpline;
            let params = Params { field_sampling, combustion, ..params(solver) };
            let hot = |v: Vorton| Vorton {
                strength: Vec3::ZERO,
                volume: 1e-4,
                mass_deviation: -1e-5,
                fuel: 100.0,
                ..v
            };
            let vortons: Vec<_> = noise(Vec3::ZERO).into_iter().map(hot).collect();
            let (mut sim, mut bodies) = world(params, &vortons, &bodies);
            for _ in 0..3 {
                sim.step(&Serial, &mut bodies, 0.01 * DT).expect("a finite step");
                assert_eq!(sim.stats().burning, sim.vortons().len());
                for floor in &floors {
                    let leak = leak(&sim, floor);
                    assert!(leak < most, "{solver:?}, {} half-spaces: {leak:e}", floors.len());
                }
            }
        }
    }
}

/// The mirror is at the floor's position: half a step after its start in the field of the middle.
#[test]
fn a_floor_that_moves_takes_its_mirror_along() {
    let mut def = half_space(Pose::at(Vec3::NEG_Z));
    def.state.velocity = Vec3::new(0.3, 0.0, 1.2);
    let (mut sim, mut bodies) = world(params(SolverKind::Direct), &noise(Vec3::ZERO), &[def]);
    for step in 0..30 {
        sim.step(&Serial, &mut bodies, DT).expect("a finite step");
        let middle = Pose::at(Vec3::Z * (-1.0 + 1.2 * DT * (step as f32 + 0.5)));
        let leak = leak(&sim, &middle);
        assert!(leak < 1e-5, "step {step}: {leak:e}");
        assert!(bodies.list()[0].state().position.z + 1.0 > 1.19 * DT * (step as f32 + 1.0));
    }
    let lowest = sim.vortons().positions.iter().map(|place| place.z).fold(f32::INFINITY, f32::min);
    assert!(lowest > bodies.list()[0].state().position.z, "a vorton is in the floor");
}

/// Bound strength of bodies has an image as well.
#[test]
fn beside_a_body_on_the_floor_nothing_flows_through_it() {
    let ball = BodyDef {
        shapes: vec![Shape::sphere(0.2)],
        state: BodyState {
            position: Vec3::new(0.0, 0.0, 0.25),
            angular_velocity: Vec3::new(0.0, 20.0, 0.0),
            ..BodyState::default()
        },
        mass: f32::INFINITY,
        ..BodyDef::default()
    };
    let vortons = noise(Vec3::new(0.0, 0.0, 0.36));
    let (mut sim, mut bodies) = world(params(SolverKind::Direct), &[], &[half_space(Pose::IDENTITY), ball]);
    let outside: Vec<Vorton> =
        vortons.into_iter().filter(|vorton| !bodies.absorb(vorton.position, vorton.strength, 0.0)).collect();
    sim.add_vortons(&outside).expect("valid vortons");
    for _ in 0..20 {
        sim.step(&Serial, &mut bodies, DT).expect("a finite step");
        assert!(leak(&sim, &Pose::IDENTITY) < 1e-5);
    }
    assert!(bodies.list()[1].bound().felt.length() > 1e-4, "the ball holds nothing");
    assert!(bodies.contacts().iter().all(|contact| contact.body == 1), "a floor sheds nothing");
    assert!(bodies.contacts().len() > 20, "the ball is not touched");
    assert_eq!(bodies.list()[0].impulse().linear, glam::DVec3::ZERO);
}

/// Returns the lowest position of all vortons and tracers above the floor \[m\].
fn lowest(sim: &VortexSim, tracers: &Tracers, floor: &Pose) -> f32 {
    let places = sim.vortons().positions.iter().chain(tracers.positions().iter().copied());
    places.map(|place| floor.to_local(place).z).fold(f32::INFINITY, f32::min)
}

fn step(sim: &mut VortexSim, bodies: &mut Bodies, tracers: &mut Tracers, dt: f32) {
    sim.step(&Serial, bodies, dt).expect("a finite step");
    sim.advance_tracers(&Serial, bodies, tracers, dt);
}

/// Steps of random lengths, up to many times too long for the flow, floors that rise in jumps, and wind
/// down into them.
#[test]
fn neither_vortons_nor_tracers_get_below() {
    for (number, rotation) in
        [Quat::IDENTITY, Quat::from_scaled_axis(Vec3::new(2.0, -0.4, 0.9))].into_iter().enumerate()
    {
        let floor = Pose { position: Vec3::new(0.2, 0.1, -0.3), rotation };
        let params = Params { wind: floor.turn(Vec3::new(0.3, 0.0, -0.4)), ..params(SolverKind::Auto) };
        let above = |place: &Vec3| floor.to_local(*place).z > 0.0;
        let vortons: Vec<Vorton> =
            noise(Vec3::ZERO).into_iter().filter(|vorton| above(&vorton.position)).collect();
        let (mut sim, mut bodies) = world(params, &vortons, &[half_space(floor)]);
        let mut tracers = Tracers::with_capacity(4000);
        let random = Random::new(17);
        for place in (0..4000).map(|i| random.centred_vec3(i) * 1.5).filter(above) {
            tracers.push(place);
        }
        for i in 0..60 {
            let dt = 1.0 / 144.0 + random.unit(i) * (1.0 / 15.0 - 1.0 / 144.0);
            let mut moved = floor;
            moved.position += floor.turn(Vec3::Z) * (0.01 * (i / 10) as f32);
            let state =
                BodyState { position: moved.position, rotation: moved.rotation, ..BodyState::default() };
            bodies.set_state(0, state).expect("a finite state");
            step(&mut sim, &mut bodies, &mut tracers, dt);
            let lowest = lowest(&sim, &tracers, &moved);
            assert!(lowest > 0.0, "floor {number}, step {i}: {lowest}");
        }
        assert_eq!(sim.vortons().len(), vortons.len());
    }
}

/// A particle's path ends above the floor, or where it meets a ball that penetrates the floor.
#[test]
fn particles_stay_above_and_out_of_what_stands_on_it() {
    let def = |shape, at: Vec3| BodyDef {
        shapes: vec![shape],
        state: BodyState { position: at, ..BodyState::default() },
        mass: f32::INFINITY,
        ..BodyDef::default()
    };
    let ball = def(Shape::sphere(0.5), Vec3::new(0.0, 0.0, 0.1));
    let wall = half_space(corner()[1]);
    let floor = half_space(Pose::IDENTITY);
    let (_, bodies) = world(params(SolverKind::Direct), &[], &[floor, ball, wall]);
    let random = Random::new(4);
    let inside = |place: Vec3| place.z < 0.0 || place.x < -0.55 || place.distance(Vec3::Z * 0.1) < 0.5;
    let starts = (0..20_000).map(|i| random.centred_vec3(i) * 3.0).filter(|&place| !inside(place));
    let before: Vec<Vec3> = starts.collect();
    let ends = before.iter().zip(20_000..).map(|(start, i)| start + random.centred_vec3(i) * 4.0);
    let mut after: Vec<Vec3> = ends.collect();
    let mut touches = vec![None; after.len()];
    let wanted = after.clone();
    bodies.obstacles().meet(&before, &mut after, &mut touches);
    let mut met = 0;
    for (i, &place) in after.iter().enumerate() {
        assert!(!inside(place), "{place} of {} to {}", before[i], wanted[i]);
        assert!(touches[i].is_some() || place == wanted[i]);
        assert!(place.distance(wanted[i]) < 8.0, "{place} is far from {}", wanted[i]);
        met += usize::from(touches[i].is_some());
        if let Some(touch) = touches[i].filter(|touch| touch.body == 0) {
            assert!(touch.normal == Vec3::Z && touch.point.z.abs() < 1e-6, "{touch:?}");
        }
    }
    assert!(met > 3000 && met < after.len(), "{met}");
    // Far from all particles, bodies are not queried.
    let high = bodies.obstacles().nearest(Vec3::new(5.0, 0.0, 3.0), 2.9);
    assert!(high.is_none());
    let (body, surface) = bodies.obstacles().nearest(Vec3::new(5.0, 0.0, 3.0), 3.1).expect("the floor");
    assert!(body == 0 && (surface.distance - 3.0).abs() < 1e-5);
}

/// Heavy fluid falls onto a floor, spreads over it, and creates no vortons below it.
#[test]
fn a_drop_of_heavy_fluid_spreads_over_the_floor() {
    let core = 0.1;
    let ball = DensityBall {
        centre: Vec3::new(0.0, 0.0, 0.6),
        radius: 0.35,
        density_deviation: 0.4,
        spacing: core / 1.6,
        core_radius: core,
        profile: DensityProfile::TopHat,
        dye: 0.0,
        fuel: 0.0,
    };
    let params = Params { core_radius: core, gravity: Vec3::new(0.0, 0.0, -9.81), ..Params::default() };
    let (mut sim, mut bodies) =
        world(params, &ball.vortons().expect("in range"), &[half_space(Pose::IDENTITY)]);
    let mean = |sim: &VortexSim| {
        let Vortons { positions, mass_deviations, .. } = sim.vortons();
        let mass: f32 = mass_deviations.iter().sum();
        let sum = |value: &dyn Fn(Vec3) -> f32| {
            positions.iter().zip(mass_deviations).map(|(x, mass)| value(x) * mass).sum::<f32>() / mass
        };
        (sum(&|x| x.truncate().length()), sum(&|x| x.z))
    };
    let before = mean(&sim);
    let mut tracers = Tracers::default();
    for _ in 0..120 {
        step(&mut sim, &mut bodies, &mut tracers, DT);
        let lowest = lowest(&sim, &tracers, &Pose::IDENTITY);
        assert!(lowest >= 0.0, "{lowest}");
    }
    let after = mean(&sim);
    println!("radius and height {before:?} -> {after:?}, {} vortons", sim.vortons().len());
    assert!(after.0 > 2.5 * before.0 && after.1 < 0.4 * before.1, "{before:?} {after:?}");
    // Nothing flows through, so no vorton is in the floor; halo and drop are still there.
    assert!(sim.vortons().len() > 300);
}
