//! A body away from all vortons does not enlarge the mesh, and bodies near them enlarge it by little: their
//! sheets are summed apart where that costs less (E63). Velocities inside of the box, beside it and at the
//! bodies, and the energy, are those of the sum over all pairs in f64, with and without a floor, in each
//! solver.

use crate::floor::half_space;
use crate::immersed::{CORE, body, hull, noise, params};
use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyCoupling, BodyDef, BodyState, Pose};
use fluid_core::boundary::StepTime;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{DirectOracle, FlowSample, SolverKind, Sources, VelocityField};
use fluid_threads::{Executor, Pool, Serial, Shuffled};
use glam::{DVec3, Quat, Vec3, Vec3Swizzles};

/// Edge of the cloud of vortons \[m\].
const CLOUD: f32 = 0.6;

/// Height of the floor \[m\].
const FLOOR: f32 = -1.3;

/// Half the width of a body beside the cloud \[m\].
const WIDTH: f32 = 0.2;

/// Speed of each body \[m/s\].
const SPEED: f32 = 1.0;

/// Steps of no time, in which sheets come to answer each other's flow: nothing moves, and no energy is
/// removed.
const STEPS: usize = 8;

/// Returns bodies at several distances from the cloud, and one near it if `is_near`.
fn bodies(is_near: bool) -> Vec<BodyDef> {
    let plank = Shape::cuboid(Vec3::new(0.5, 0.2, 0.1));
    let mut list = vec![
        (Shape::sphere(0.2), Vec3::new(1.7, 0.2, 0.0)),
        (Shape::cuboid(Vec3::splat(0.2)), Vec3::new(-2.6, 0.4, 1.0)),
        (hull(), Vec3::new(0.0, 3.2, -0.5)),
        (plank, Vec3::new(4.0, -4.0, 2.0)),
        (Shape::capsule(0.2, 0.15), Vec3::new(2.3, -0.2, 0.3)),
    ];
    if is_near {
        list.push((Shape::sphere(0.2), Vec3::new(0.2, -0.7, 0.1)));
    }
    let random = Random::new(3);
    let each = list.into_iter().zip(0..).map(|((shape, position), n)| {
        let state = BodyState {
            position,
            rotation: Quat::from_scaled_axis(random.centred_vec3(n) * 3.0),
            velocity: random.centred_vec3(n + 10).normalize() * SPEED,
            angular_velocity: random.centred_vec3(n + 20) * 2.0,
        };
        BodyDef { no_through: true, ..body(shape, 1.0, state) }
    });
    each.collect()
}

/// A fluid with bodies that have answered each other's flow, and all sources of its field.
struct Case {
    sim: VortexSim,
    sources: Sources,
}

impl Case {
    /// The vorticity of the cloud is up to half of `amplitude` \[1/s\] per component.
    fn new(solver: SolverKind, amplitude: f32, defs: &[BodyDef], has_floor: bool) -> Self {
        Self::with_held(solver, amplitude, defs, has_floor, Vec3::ZERO)
    }

    /// The same with this strength \[m³/s\] in each body, as of a vorton that was inside.
    fn with_held(solver: SolverKind, amplitude: f32, defs: &[BodyDef], has_floor: bool, held: Vec3) -> Self {
        let params = Params { solver, ..params(Vec3::ZERO) };
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        let floor = half_space(Pose { position: Vec3::Z * FLOOR, ..Pose::IDENTITY });
        for def in defs.iter().cloned().chain(has_floor.then_some(floor)) {
            bodies.add(def).expect("a valid body");
        }
        if held != Vec3::ZERO {
            defs.iter().for_each(|def| assert!(bodies.absorb(def.state.position, held, 0.0)));
        }
        let mut sim = VortexSim::new(params).expect("valid parameters");
        let vortons = noise(Vec3::ZERO, Vec3::splat(CLOUD), amplitude);
        let outside = vortons.iter().filter(|vorton| !bodies.absorb(vorton.position, vorton.strength, 0.0));
        sim.add_vortons(&outside.copied().collect::<Vec<_>>()).expect("valid vortons");
        for _ in 0..STEPS {
            sim.step(&Serial, &mut bodies, 0.0).expect("a finite step");
        }
        let mut sources = Sources::default();
        sources.copy_from(&sim.vortons().positions, &sim.vortons().strengths);
        bodies.bound_vortons(&Serial, StepTime::Start, &mut sources);
        Self { sim, sources }
    }

    fn oracle(&self) -> DirectOracle {
        let Sources { positions, strengths, .. } = &self.sources;
        let vortons = positions.iter().zip(strengths.iter());
        DirectOracle {
            kernel: self.sim.params().kernel,
            core_radius: CORE.into(),
            vortons: vortons.map(|(place, strength)| (place.as_dvec3(), strength.as_dvec3())).collect(),
        }
    }

    /// Returns the energy (E8) \[m⁵/s²\] on one side of the floor.
    fn energy(&self) -> f64 {
        let DirectOracle { kernel, core_radius, vortons } = self.oracle();
        let potential = |place: DVec3| -> DVec3 {
            let of_one = |&(at, strength): &(DVec3, DVec3)| {
                strength * kernel.green_of_square(place.distance_squared(at) / core_radius.powi(2))
            };
            vortons.iter().map(of_one).sum::<DVec3>() / core_radius
        };
        vortons[..self.sources.own()]
            .iter()
            .map(|(place, strength)| 0.5 * strength.dot(potential(*place)))
            .sum()
    }

    /// Returns the largest error \[m/s\] in the cloud, beside it, and near the bodies.
    fn errors(&self, defs: &[BodyDef]) -> [f64; 3] {
        let (oracle, random) = (self.oracle(), Random::new(5));
        let at = |n: u64, edge: f32| random.centred_vec3(n) * edge;
        let beside = |n| at(n, 4.0 * CLOUD).clamp(Vec3::splat(FLOOR), Vec3::splat(9.0));
        let near = |n: u64| {
            let def = &defs[n as usize % defs.len()];
            def.state.position + at(n, 1.0).normalize() * 0.7
        };
        let places: [Vec<Vec3>; 3] = [
            (0..200).map(|n| at(n, CLOUD)).collect(),
            (300..500).map(beside).collect(),
            (600..800).map(near).collect(),
        ];
        places.map(|places| {
            let mut found = vec![Vec3::ZERO; places.len()];
            self.sim.field().velocities(&places, &mut found);
            let error = |(place, found): (&Vec3, &Vec3)| {
                (found.as_dvec3() - oracle.velocity(place.as_dvec3())).length()
            };
            places.iter().zip(&found).map(error).fold(0.0, f64::max)
        })
    }
}

/// The cloud is too weak to be felt, so that all flow is that of bodies.
#[test]
fn their_flow_is_that_of_their_sheets() {
    let held = Vec3::new(0.01, -0.02, 0.015);
    for (solver, has_floor, held) in [
        (SolverKind::Direct, false, Vec3::ZERO),
        (SolverKind::Mesh, false, Vec3::ZERO),
        (SolverKind::Direct, true, Vec3::ZERO),
        (SolverKind::Mesh, true, Vec3::ZERO),
        (SolverKind::Direct, false, held),
        (SolverKind::Mesh, false, held),
        (SolverKind::Mesh, true, held),
    ] {
        let defs = bodies(false);
        let case = Case::with_held(solver, 1e-4, &defs, has_floor, held);
        let errors = case.errors(&defs).map(|error| error / f64::from(SPEED));
        let energy = case.sim.stats().energy / case.energy() - 1.0;
        println!("{solver:?}, floor {has_floor}, {held} m³/s in each: {errors:?} of a body's speed");
        println!("energy off by {energy:.1e}");
        assert!(errors.iter().all(|error| *error < 4e-4), "{solver:?}, floor {has_floor}: {errors:?}");
        assert!(energy.abs() < 1e-4, "{solver:?}, floor {has_floor}: {energy:e}");
    }
}

/// Returns the largest and the root mean square error \[m/s\] of the flow at the vortons of a weak cloud, of
/// a body with its surface `gap` \[m\] away from them, or as far inside.
fn error_beside(shape: &Shape, gap: f32) -> (f64, f64) {
    let position = Vec3::X * (0.5 * CLOUD + WIDTH + gap);
    let state = BodyState { position, velocity: Vec3::new(0.48, 0.6, 0.64) * SPEED, ..BodyState::default() };
    let def = BodyDef { no_through: true, ..body(shape.clone(), 1.0, state) };
    let case = Case::new(SolverKind::Mesh, 1e-4, &[def], false);
    let (oracle, positions) = (case.oracle(), &case.sim.vortons().positions);
    let places: Vec<Vec3> = positions.iter().collect();
    let mut found = vec![FlowSample::default(); places.len()];
    case.sim.field().flow(&places, &mut found);
    let error = |(place, found): (&Vec3, &FlowSample)| {
        (found.velocity.as_dvec3() - oracle.velocity(place.as_dvec3())).length()
    };
    let errors: Vec<f64> = places.iter().zip(&found).map(error).collect();
    let squares = errors.iter().map(|error| error * error).sum::<f64>();
    (errors.iter().copied().fold(0.0, f64::max), (squares / errors.len() as f64).sqrt())
}

/// A body beside the cloud, or partly inside, is on the mesh or not, whichever costs less. A mesh errs by a
/// sixth of the speed at the edges of a box; from a core radius away on both ways are exact to some percent.
#[test]
fn one_near_the_cloud_acts_as_its_sheet() {
    let shapes = [
        (Shape::sphere(WIDTH), [(-0.2, 0.08, 8e-3), (0.1, 2e-3, 3e-4), (0.3, 3e-4, 8e-5)]),
        (Shape::cuboid(Vec3::splat(WIDTH)), [(-0.2, 0.25, 0.045), (0.1, 0.05, 8e-3), (0.3, 0.012, 3e-3)]),
    ];
    for (shape, limits) in shapes {
        for gap in [-0.2, -0.1, 0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 1.0] {
            let (worst, rms) = error_beside(&shape, gap);
            println!("gap {gap} m: largest error {worst:.1e}, rms {rms:.1e}");
            let limit = limits.iter().rfind(|(from, ..)| gap >= *from).expect("the first is the least gap");
            assert!(worst < limit.1 && rms < limit.2, "gap {gap}: {worst:e}, rms {rms:e}");
        }
    }
}

/// With a strong cloud and a body on the mesh, the energy is still that of all pairs.
#[test]
fn the_energy_is_that_of_all_pairs() {
    for (solver, has_floor, most) in [
        (SolverKind::Direct, false, 1e-4),
        (SolverKind::Direct, true, 1e-4),
        (SolverKind::Mesh, false, 0.02),
        (SolverKind::Mesh, true, 0.02),
    ] {
        let case = Case::new(solver, 20.0, &bodies(true), has_floor);
        let energy = case.sim.stats().energy / case.energy() - 1.0;
        println!("{solver:?}, floor {has_floor}: energy off by {energy:.1e}");
        assert!(energy.abs() < most, "{solver:?}, floor {has_floor}: {energy:e}");
    }
}

#[test]
fn the_mesh_is_as_small_as_without_them() {
    for has_floor in [false, true] {
        let nodes = |defs: &[BodyDef]| {
            let case = Case::new(SolverKind::Mesh, 1.0, defs, has_floor);
            case.sim.stats().mesh_nodes
        };
        let (alone, far, near) = (nodes(&[]), nodes(&bodies(false)), nodes(&bodies(true)));
        println!("floor {has_floor}: {alone} nodes alone, {far} with bodies, {near} with one near it");
        let held = Vec3::new(0.01, -0.02, 0.015);
        let holding = Case::with_held(SolverKind::Mesh, 1.0, &bodies(false), has_floor, held);
        assert_eq!(holding.sim.stats().mesh_nodes, alone, "floor {has_floor}: bodies that hold strength");
        assert!(far == alone && 2 * near <= 3 * alone, "floor {has_floor}: {alone}, {far}, {near}");
    }
}

/// Twenty bodies around the cloud, each a body's width from the next: a mesh that took in the nearest, then
/// those near that, and so on, would enclose all of them.
#[test]
fn a_crowd_around_the_cloud_does_not_enlarge_it() {
    let random = Random::new(3);
    let crowd: Vec<BodyDef> = (0..20)
        .map(|n| {
            let way = random.centred_vec3(2 * n).normalize();
            let position = way * (0.9 + 0.1 * n as f32);
            let state = BodyState { position, velocity: way.yzx() * SPEED, ..BodyState::default() };
            BodyDef { no_through: true, ..body(Shape::sphere(0.15), 1.0, state) }
        })
        .collect();
    let case = Case::new(SolverKind::Mesh, 1e-4, &crowd, false);
    let alone = Case::new(SolverKind::Mesh, 1e-4, &[], false).sim.stats().mesh_nodes;
    let nodes = case.sim.stats().mesh_nodes;
    let errors = case.errors(&crowd);
    println!("{alone} nodes alone, {nodes} among twenty bodies, errors {errors:?}");
    assert!(nodes <= 3 * alone, "{alone} nodes alone, {nodes} among the bodies");
    assert!(errors[0] < 1e-2 * f64::from(SPEED), "{errors:?}");
}

/// Bodies that fly through the cloud and away from it join the mesh and leave it.
#[test]
fn bits_are_the_same_for_any_worker_count() {
    let run = |exec: &dyn Executor| {
        let params = Params { solver: SolverKind::Mesh, ..params(Vec3::ZERO) };
        let mut coupling = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        for def in bodies(true) {
            coupling.add(def).expect("a valid body");
        }
        let mut sim = VortexSim::new(params).expect("valid parameters");
        sim.add_vortons(&noise(Vec3::ZERO, Vec3::splat(CLOUD), 1.0)).expect("valid vortons");
        let random = Random::new(9);
        let mut nodes = Vec::new();
        for step in 0..12 {
            for (index, start) in bodies(true).iter().enumerate() {
                let swing = (0.25 * step as f32 + index as f32).cos();
                let state = BodyState { position: start.state.position * swing, ..start.state };
                coupling.set_state(index, state).expect("finite");
            }
            let dt = 1.0 / (15.0 + 129.0 * random.unit(step));
            sim.step(exec, &mut coupling, dt).expect("a finite step");
            nodes.push(sim.stats().mesh_nodes);
            assert_eq!(sim.stats().non_finite, 0);
        }
        let (least, most) = (nodes.iter().min(), nodes.iter().max());
        assert!(most > least, "no body has joined the mesh: {nodes:?}");
        sim.state_hash()
    };
    let expected = run(&Serial);
    for workers in [1, 3] {
        assert_eq!(run(&Pool::new(workers).expect("threads start")), expected, "{workers} workers");
    }
    assert_eq!(run(&Shuffled::new(2)), expected, "another order");
}
