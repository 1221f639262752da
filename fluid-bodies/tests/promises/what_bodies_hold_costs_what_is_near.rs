//! Bound strength of bodies costs nothing where there is no fluid: floors of any size cost the same, and a
//! body now far from the vortons that it has met costs as much as one that never met any.

use crate::immersed::{CORE, World, body, params};
use crate::level::{mesh, triangles_of};
use fluid_bodies::shapes::{HeightField, Shape};
use fluid_bodies::{BodyCoupling, BodyDef, BodyState};
use fluid_core::boundary::StepTime;
use fluid_core::initial::FilamentRing;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::velocity::{SolverKind, Sources};
use fluid_threads::Serial;
use glam::{UVec2, Vec2, Vec3};

/// Creates two descending rings, and neutral vortons between them: 328 vortons.
fn rings() -> Vec<Vorton> {
    let ring = |height: f32| FilamentRing {
        centre: Vec3::Z * height,
        axis: Vec3::NEG_Z,
        radius: 0.5,
        circulation: 1.0,
        core_radius: CORE,
        count: 64,
    };
    let mut vortons: Vec<_> =
        [0.25, 0.6].into_iter().flat_map(|height| ring(height).vortons().expect("in range")).collect();
    let place =
        |n: i32| Vec3::new((n % 10) as f32 - 4.5, (n / 10 % 10) as f32 - 4.5, (n / 100) as f32 + 0.6) * 0.15;
    vortons.extend((0..200).map(|n| Vorton { position: place(n), volume: 1e-3, ..Vorton::default() }));
    vortons
}

/// Sums over some steps.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Cost {
    nodes: usize,
    sources: usize,
    contacts: usize,
}

fn cost(world: &mut World, steps: usize) -> Cost {
    let mut cost = Cost::default();
    for _ in 0..steps {
        world.step(1.0 / 60.0);
        let mut sources = Sources::default();
        sources.copy_from(&world.sim.vortons().positions, &world.sim.vortons().strengths);
        world.bodies.clone().bound_vortons(&Serial, StepTime::Start, &mut sources);
        cost.nodes += world.sim.stats().mesh_nodes;
        cost.sources += sources.len();
        cost.contacts += world.bodies.contacts().len();
    }
    cost
}

fn on_mesh() -> Params {
    Params { solver: SolverKind::Mesh, ..params(Vec3::ZERO) }
}

/// Creates a floor with an edge of `edge` \[m\], its top at height 0.
fn floor(edge: f32, angular_velocity: Vec3) -> BodyDef {
    let state = BodyState { position: Vec3::NEG_Z * 0.1, angular_velocity, ..BodyState::default() };
    body(Shape::cuboid(Vec3::new(0.5 * edge, 0.5 * edge, 0.1)), f64::INFINITY, state)
}

/// Same as level geometry, with two triangles for each square of half a metre.
fn ground(edge: f32, is_mesh: bool) -> BodyDef {
    let samples = UVec2::splat((2.0 * edge) as u32 + 1);
    let flat = vec![0.0; (samples.x * samples.y) as usize];
    let field = HeightField::new(flat, samples, Vec2::splat(0.5)).expect("in range");
    let shape = if is_mesh { Shape::mesh(mesh(triangles_of(&field))) } else { Shape::height_field(field) };
    let state = BodyState { position: Vec3::new(-0.5 * edge, -0.5 * edge, 0.0), ..BodyState::default() };
    BodyDef { shapes: vec![shape], mass: f32::INFINITY, state, ..BodyDef::default() }
}

#[test]
fn floors_of_any_size_cost_the_same() {
    let floors: [&dyn Fn(f32) -> BodyDef; 4] = [
        &|edge| floor(edge, Vec3::ZERO),
        &|edge| floor(edge, Vec3::Z * 0.1),
        &|edge| ground(edge, false),
        &|edge| ground(edge, true),
    ];
    for floor in floors {
        let [small, large, huge] = [2.0, 20.0, 100.0].map(|edge| {
            let mut world = World::new(on_mesh(), &rings(), &[floor(edge)]);
            let cost = cost(&mut world, 30);
            println!("{edge} m: {cost:?}");
            cost
        });
        assert!(small.contacts > 1000, "nothing touches the floor");
        for other in [large, huge] {
            let same = |a: usize, b: usize| a.abs_diff(b) * 5 <= a;
            assert!(same(small.nodes, other.nodes), "{small:?} {other:?}");
            assert!(same(small.sources, other.sources), "{small:?} {other:?}");
            assert!(same(small.contacts, other.contacts), "{small:?} {other:?}");
        }
    }
}

#[test]
fn one_that_is_far_away_costs_as_if_it_had_never_been_near() {
    let spinning =
        BodyState { angular_velocity: Vec3::X * 10.0, position: Vec3::Z * 0.3, ..BodyState::default() };
    let def = body(Shape::cuboid(Vec3::splat(0.15)), f64::INFINITY, spinning);
    let mut world = World::new(on_mesh(), &rings(), std::slice::from_ref(&def));
    _ = cost(&mut world, 10);
    assert!(world.bodies.list()[0].bound().felt.length() > 1e-3, "it holds nothing");
    let far = BodyState { position: Vec3::X * 10.0, ..BodyState::default() };
    world.bodies.place(0, far).expect("a finite state");
    // The same fluid, with a new body.
    let vortons = world.sim.vortons();
    let same: Vec<Vorton> = (0..vortons.len())
        .map(|row| Vorton {
            position: vortons.positions.get(row),
            strength: vortons.strengths.get(row),
            volume: vortons.volumes[row],
            ..Vorton::default()
        })
        .collect();
    let mut other = World::new(on_mesh(), &same, &[BodyDef { state: far, ..def }]);
    world.rigid[0].set_state(&far);
    let (met, never) = (cost(&mut world, 5), cost(&mut other, 5));
    println!("{met:?}\n{never:?}");
    assert_eq!(met, never);
    // Its bound strength is not forgotten.
    assert!(world.bodies.list()[0].bound().felt.length() > 1e-3);
}
