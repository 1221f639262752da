//! `cargo bench -p benches --bench bodies`: cost of bodies in a frame, compared with the same frame without
//! them. Compare rows of one run.

use benches::{backends, points, rings, world};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fluid_bodies::bodies::BodySettings;
use fluid_bodies::contact::{Contacts, Layers};
use fluid_bodies::obstacles::{BroadPhase, Obstacle, Obstacles};
use fluid_bodies::shapes::{Geometry, HeightField, Parity, Polytope, Shape, TriangleMesh};
use fluid_bodies::{Bodies, BodyDef, BodyState, Pose};
use fluid_core::boundary::{BodyCoupling, NoBodies, Surfaces};
use fluid_core::initial::{FilamentRing, Noise};
use fluid_core::math::{Random, Vec3Columns};
use fluid_core::particles::{Tracers, Vorton};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::SolverKind;
use fluid_scenes::by_name;
use fluid_scenes::run::Run;
use fluid_threads::Serial;
use glam::{Quat, UVec2, UVec3, Vec2, Vec3};
use std::sync::Arc;
use std::time::Duration;

/// Number of tracers in a block of smoke [1].
const TRACERS: usize = 100_000;
/// Edge of the block [m]: about the size of the ring that stirs it.
const BLOCK: f32 = 4.0;
/// Frame time [s]: tracers hardly move, so that each frame measures the same work.
const DT: f32 = 1e-6;
/// Step [s] of fluid in a container, and number of steps before the measurement [1].
const STEP: f32 = 1.0 / 30.0;
const SETTLING: usize = 20;
/// Distance [m] from the surface at which particles are put.
const SKIN: f32 = 1e-4;

/// Returns `count` positions on a lattice that fills the block.
fn lattice(count: usize) -> impl Iterator<Item = Vec3> {
    let edge = (1..).find(|n| n * n * n >= count).unwrap_or(1);
    let at = move |i: usize| (i as f32 + 0.5) / edge as f32 - 0.5;
    (0..count).map(move |i| Vec3::new(at(i % edge), at(i / edge % edge), at(i / edge / edge)) * BLOCK)
}

/// Returns a pose with a rotation not aligned with the axes.
fn tilted(place: Vec3) -> Pose {
    Pose { position: place, rotation: Quat::from_rotation_x(0.4) * Quat::from_rotation_z(0.7) }
}

fn bodies(shape: &Shape, count: usize, sim: &VortexSim) -> Bodies {
    let mut bodies = Bodies::new(BodySettings::default(), sim.params()).expect("valid");
    for place in lattice(count) {
        let Pose { position, rotation } = tilted(place);
        let state = BodyState { position, rotation, ..BodyState::default() };
        bodies.add(BodyDef { shapes: vec![shape.clone()], state, ..BodyDef::default() }).expect("valid");
    }
    bodies
}

fn obstacles(shape: &Shape, count: usize, broad_phase: BroadPhase) -> Obstacles {
    let mut obstacles = Obstacles::new(SKIN).with_broad_phase(broad_phase);
    let shapes: Arc<[Shape]> = Arc::from([shape.clone()]);
    lattice(count).for_each(|place| obstacles.push(Obstacle::new(Arc::clone(&shapes), tilted(place))));
    obstacles.refresh();
    obstacles
}

fn smoke() -> Tracers {
    let mut tracers = Tracers::with_capacity(TRACERS);
    points(TRACERS, 6).into_iter().for_each(|place| {
        tracers.push(place * BLOCK);
    });
    tracers
}

/// Advance of 100,000 tracers on the mesh of 1,024 vortons, without and with bodies. The whole frame
/// additionally contains a step.
fn contacts(c: &mut Criterion) {
    let mut group = c.benchmark_group("contacts");
    group.throughput(Throughput::Elements(TRACERS as u64));
    let (ball, box_) = (Shape::sphere(0.1), Shape::cuboid(Vec3::splat(0.08)));
    for (name, exec) in backends() {
        let mut sim = rings(1024, SolverKind::Mesh);
        sim.step(&*exec, &mut NoBodies, 0.0).expect("dt is finite");
        group.bench_function(BenchmarkId::new(name, "frame, no bodies"), |b| {
            let mut tracers = smoke();
            b.iter(|| {
                sim.step(&*exec, &mut NoBodies, DT).expect("dt is finite");
                sim.advance_tracers(&*exec, &mut NoBodies, &mut tracers, DT);
            });
        });
        let crowds = [
            ("no bodies", &ball, 0),
            ("64 spheres", &ball, 64),
            ("64 boxes", &box_, 64),
            ("1000 spheres", &ball, 1000),
        ];
        for (crowd, shape, count) in crowds {
            let mut bodies = bodies(shape, count, &sim);
            let mut tracers = smoke();
            sim.step(&*exec, &mut bodies, 0.0).expect("dt is finite");
            let coupling: &mut (dyn BodyCoupling + Send) =
                if count == 0 { &mut NoBodies } else { &mut bodies };
            group.bench_function(BenchmarkId::new(name, crowd), |b| {
                b.iter(|| sim.advance_tracers(&*exec, &mut *coupling, &mut tracers, DT));
            });
        }
    }
}

/// Returns the start and end positions of a block's tracers, sorted by cell, for a displacement of `shift`
/// \[m\].
fn ways(shift: Vec3) -> (Vec<Vec3>, Vec<Vec3>) {
    let mut tracers = smoke();
    tracers.sort_by_cell(&Serial, BLOCK / 32.0);
    let random = Random::new(9);
    let before: Vec<Vec3> = tracers.positions().iter().map(|place| *place + shift).collect();
    let moved = |(n, place): (usize, &Vec3)| *place + random.centred_vec3(n as u64) * 0.02;
    let after = before.iter().enumerate().map(moved).collect();
    (before, after)
}

/// The sweep alone, on this thread: no tracers, few or many near bodies; each of them against every body;
/// and above a floor reached by the lowest ones.
fn sweep(c: &mut Criterion) {
    let mut group = c.benchmark_group("sweep");
    group.throughput(Throughput::Elements(TRACERS as u64));
    let mut sweep = |name: &str, obstacles: &Obstacles, shift: Vec3| {
        let (before, after) = ways(shift);
        let mut places = after.clone();
        group.bench_function(name, |b| {
            b.iter(|| {
                places.copy_from_slice(&after);
                obstacles.keep_out(&before, &mut places);
            });
        });
    };
    let (box_, ball) = (Shape::cuboid(Vec3::splat(0.08)), Shape::sphere(0.1));
    for (name, shape, count, shift, broad_phase) in [
        ("far away", &ball, 64, Vec3::splat(2.0 * BLOCK), BroadPhase::Cells),
        ("64 spheres", &ball, 64, Vec3::ZERO, BroadPhase::Cells),
        ("64 spheres, each", &ball, 64, Vec3::ZERO, BroadPhase::EveryBody),
        ("64 boxes", &box_, 64, Vec3::ZERO, BroadPhase::Cells),
        ("1000 spheres", &ball, 1000, Vec3::ZERO, BroadPhase::Cells),
        ("1000 spheres, each", &ball, 1000, Vec3::ZERO, BroadPhase::EveryBody),
    ] {
        sweep(name, &obstacles(shape, count, broad_phase), shift);
    }
    for (name, shape, position) in floors() {
        let mut obstacles = Obstacles::new(SKIN);
        obstacles.push(Obstacle::new(Arc::from([shape]), Pose { position, rotation: Quat::IDENTITY }));
        obstacles.refresh();
        sweep(name, &obstacles, Vec3::ZERO);
    }
}

/// Returns a floor under the block: a box, and ground with two triangles for each square of an eighth of a
/// metre, as a height field and as a mesh.
fn floors() -> [(&'static str, Shape, Vec3); 3] {
    let side = 8 * BLOCK as u32 + 1;
    let samples = UVec2::splat(side);
    let field = HeightField::new(vec![0.0; (side * side) as usize], samples, Vec2::splat(0.125));
    let place = |i: u32| Vec3::new((i % side) as f32, (i / side) as f32, 0.0) * 0.125;
    let cells = (0..side * side).filter(|i| i % side + 1 < side && i / side + 1 < side);
    let halves =
        cells.flat_map(|i| [UVec3::new(i, i + 1, i + side + 1), UVec3::new(i, i + side + 1, i + side)]);
    let mesh = TriangleMesh::new((0..side * side).map(place).collect(), halves.collect());
    let (low, corner) = (-0.5 * BLOCK, Vec3::splat(-0.5 * BLOCK));
    [
        ("floor, box", Shape::cuboid(Vec3::splat(0.5 * BLOCK)), Vec3::Z * (low - 0.5 * BLOCK)),
        ("floor, height field", Shape::height_field(field.expect("in range")), corner),
        ("floor, mesh", Shape::mesh(mesh.expect("in range")), corner),
    ]
}

/// Work for bodies on 16,384 vortons in a step: the cells, pushing out, and the search for contacts.
fn vortons(c: &mut Criterion) {
    let count = 16_384;
    let mut group = c.benchmark_group("vorton_contacts");
    group.throughput(Throughput::Elements(count as u64));
    let mut before = Vec3Columns::default();
    points(count, 3).into_iter().for_each(|place| before.push(place * BLOCK));
    for (name, exec) in backends() {
        for (crowd, count) in [("64 spheres", 64), ("1000 spheres", 1000)] {
            let mut obstacles = obstacles(&Shape::sphere(0.1), count, BroadPhase::Cells);
            let mut contacts = Contacts::default();
            let mut places = before.clone();
            group.bench_function(BenchmarkId::new(name, crowd), |b| {
                b.iter(|| {
                    places.copy_from(&before);
                    let still: Vec<Pose> = obstacles.list().iter().map(|obstacle| *obstacle.pose()).collect();
                    obstacles.advance(|i| (still[i], Vec3::ZERO, Vec3::ZERO));
                    exec.enter(&mut || {
                        contacts.find(&*exec, &obstacles, &before, &mut places, Layers::new(0.05, 1.0))
                    });
                });
            });
        }
    }
}

/// Whole steps at 30 Hz of fluid in a container: at rest, shaken, in a polyhedron of twelve faces and in
/// one of a hundred.
fn containers(c: &mut Criterion) {
    let mut group = c.benchmark_group("containers");
    for name in ["resting_tank", "shaken_tank", "drop_in_container", "many_faced_hull"] {
        let scene = by_name(name).expect("it is in the table");
        let mut run = Run::new(scene).expect("scenes are valid");
        (0..SETTLING).for_each(|_| run.step(&Serial, STEP).expect("dt is finite"));
        for (backend, exec) in backends() {
            let mut run = run.clone();
            group.bench_function(BenchmarkId::new(backend, name), |b| {
                b.iter(|| run.step(&*exec, STEP).expect("dt is finite"));
            });
        }
    }
}

/// Whole steps of fluid that has spread on a slab: a ring that has come down on a layer of neutral vortons,
/// all of them at the surface. With a fixed slab contacts are solved for in blocks; with a movable one they
/// are solved for together.
fn floor(c: &mut Criterion) {
    let mut group = c.benchmark_group("floor");
    for edge in [32_u32, 64] {
        for (way, mass) in [("blocks", f32::INFINITY), ("together", 1e30)] {
            let spacing = 0.1;
            let ring = FilamentRing {
                centre: Vec3::Z,
                axis: Vec3::NEG_Z,
                radius: 0.8,
                circulation: 2.0,
                core_radius: 1.5 * spacing,
                count: 96,
            };
            let middle = Vec3::new(0.5, 0.5, 0.0) * (edge - 1) as f32;
            let layer = (0..edge * edge).map(|i| {
                let place = Vec3::new((i % edge) as f32, (i / edge) as f32, 1.0) - middle;
                Vorton { position: place * spacing, volume: spacing.powi(3), ..Vorton::default() }
            });
            let vortons: Vec<_> = ring.vortons().expect("in range").into_iter().chain(layer).collect();
            let mut sim = world(&vortons, spacing, SolverKind::Auto);
            let mut bodies = Bodies::new(BodySettings::default(), sim.params()).expect("valid");
            let state = BodyState { position: Vec3::NEG_Z * 50.0, ..BodyState::default() };
            let shapes = vec![Shape::cuboid(Vec3::splat(50.0))];
            bodies.add(BodyDef { shapes, state, mass, ..BodyDef::default() }).expect("valid");
            (0..SETTLING).for_each(|_| sim.step(&Serial, &mut bodies, STEP).expect("dt is finite"));
            let count = bodies.contacts().len();
            for (backend, exec) in backends() {
                let (mut sim, mut bodies) = (sim.clone(), bodies.clone());
                group.bench_function(BenchmarkId::new(format!("{backend}, {way}"), count), |b| {
                    b.iter(|| sim.step(&*exec, &mut bodies, STEP).expect("dt is finite"));
                });
            }
        }
    }
}

/// Whole steps of bodies that fluid goes around, balls and boxes in turns, in a room of twenty or ten times
/// their width around a cloud of vortons: each acts on all others and on the cloud. Always the same step, on
/// copies, because bodies fly away.
fn impermeable(c: &mut Criterion) {
    let mut group = c.benchmark_group("impermeable");
    let core = 0.1;
    let shapes = [Shape::sphere(0.2), Shape::cuboid(Vec3::splat(0.2))];
    let rooms = [(0.6, 8.0), (1.2, 8.0), (1.2, 4.0)];
    let cases = rooms.into_iter().flat_map(|room| [0, 1, 4, 10, 20].map(|count| (room, count)));
    for ((extent, room), count) in cases {
        let extent = Vec3::splat(extent);
        let noise = Noise { centre: Vec3::ZERO, extent, spacing: core / 1.5, amplitude: 1.0, seed: 1 };
        let vortons = noise.vortons().expect("in range");
        let mut sim = world(&vortons, noise.spacing, SolverKind::Auto);
        let mut bodies = Bodies::new(BodySettings::default(), sim.params()).expect("valid");
        let random = Random::new(3);
        for index in 0..count {
            let n = 2 * index as u64;
            let state = BodyState {
                position: random.centred_vec3(n) * room,
                velocity: random.centred_vec3(n + 1) * 4.0,
                ..BodyState::default()
            };
            let shapes = vec![shapes[index % 2].clone()];
            let def = BodyDef { shapes, state, mass: f32::INFINITY, no_through: true, ..BodyDef::default() };
            bodies.add(def).expect("valid");
        }
        (0..SETTLING).for_each(|_| sim.step(&Serial, &mut bodies, STEP).expect("dt is finite"));
        for (backend, exec) in backends() {
            let id = BenchmarkId::new(backend, format!("{count} in {room} m, {} vortons", vortons.len()));
            group.bench_function(id, |b| {
                b.iter_batched_ref(
                    || (sim.clone(), bodies.clone()),
                    |(sim, bodies)| sim.step(&*exec, bodies, STEP).expect("dt is finite"),
                    BatchSize::PerIteration,
                );
            });
        }
    }
}

/// Whole steps of smoke that touches crates which an engine holds in place, 1.3 core radii wide: their
/// clusters of contacts are solved for side by side.
fn crates(c: &mut Criterion) {
    let mut group = c.benchmark_group("crates");
    let (core, room) = (0.1, Vec3::new(2.0, 2.0, 1.2));
    let noise = Noise { centre: Vec3::ZERO, extent: room, spacing: core, amplitude: 0.5, seed: 1 };
    let vortons = noise.vortons().expect("in range");
    for count in [0, 20, 60, 200] {
        let mut sim = world(&vortons, noise.spacing, SolverKind::Auto);
        let mut bodies = Bodies::new(BodySettings::default(), sim.params()).expect("valid");
        let (random, shape) = (Random::new(3), Shape::cuboid(Vec3::splat(core)));
        let mass = 2.0 * sim.params().ambient.density * (2.0 * core).powi(3);
        for n in 0..count {
            let state = BodyState {
                position: random.centred_vec3(2 * n) * room,
                velocity: random.centred_vec3(2 * n + 1),
                ..BodyState::default()
            };
            let shapes = vec![shape.clone()];
            bodies.add(BodyDef { shapes, state, mass, ..BodyDef::default() }).expect("valid");
        }
        (0..SETTLING).for_each(|_| sim.step(&Serial, &mut bodies, 1.0 / 60.0).expect("dt is finite"));
        let contacts = bodies.contacts().len();
        for (backend, exec) in backends() {
            let (mut sim, mut bodies) = (sim.clone(), bodies.clone());
            let states: Vec<_> = bodies.list().iter().map(|body| *body.state()).collect();
            let id = BenchmarkId::new(backend, format!("{count} of them, {contacts} contacts"));
            group.bench_function(id, |b| {
                b.iter(|| {
                    sim.step(&*exec, &mut bodies, 1.0 / 60.0).expect("dt is finite");
                    for (index, state) in states.iter().enumerate() {
                        bodies.body_mut(index).take_impulse();
                        bodies.set_state(index, *state).expect("a valid state");
                    }
                });
            });
        }
    }
}

/// Time to create the first body of a shape (including its sheet, which later bodies of the shape share):
/// bodies in outer flow, and tanks, of various sizes in core radii.
fn first_of_a_shape(c: &mut Criterion) {
    let mut group = c.benchmark_group("first_of_a_shape");
    let sim = Run::new(by_name("ring").expect("it is in the table")).expect("scenes are valid").sim;
    let core = sim.params().core_radius;
    let hole = |shape| Shape { parity: Parity::Hole, ..shape };
    for cores in [2.0, 5.0, 10.0] {
        let size = cores * core;
        let edges = [-0.3, 1.0, -0.7].map(|x| Vec3::new(x, 1.0, x * x) * size);
        let hull =
            Polytope::from_points(&[edges[0], edges[1], edges[2], -edges[0], -edges[1], -Vec3::Y * size]);
        let round = |i: usize| {
            let (turn, height) = (2.4 * i as f32, (i as f32 + 0.5) / 30.0 - 1.0);
            Vec3::new(turn.cos(), turn.sin(), 0.0) * (1.0 - height * height).sqrt() + Vec3::Z * height
        };
        let faces = Polytope::from_points(&(0..60).map(|i| round(i) * size).collect::<Vec<_>>());
        let faces = Shape::solid(Geometry::Polytope(faces.expect("points in space")));
        let shapes = [
            ("faces", faces.clone()),
            ("faces_tank", hole(faces)),
            ("ball", Shape::sphere(size)),
            ("capsule", Shape::capsule(size, 0.5 * size)),
            ("box", Shape::cuboid(Vec3::new(0.5, 0.7, 1.0) * size)),
            ("hull", Shape::solid(Geometry::Polytope(hull.expect("points in space")))),
            ("tank", hole(Shape::cuboid(Vec3::new(0.5, 0.7, 1.0) * size))),
            ("round_tank", hole(Shape::sphere(size))),
        ];
        for (name, shape) in shapes {
            let def = BodyDef { shapes: vec![shape], no_through: true, ..BodyDef::default() };
            let empty = Bodies::new(BodySettings::default(), sim.params()).expect("valid");
            group.bench_function(BenchmarkId::new(name, cores), |b| {
                b.iter_batched_ref(
                    || empty.clone(),
                    |bodies| bodies.add(def.clone()).expect("valid"),
                    BatchSize::PerIteration,
                );
            });
        }
    }
}

criterion_group! {
    name = bodies_in_a_frame;
    config = Criterion::default().sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    targets = contacts, sweep, vortons, containers, floor, impermeable, crates, first_of_a_shape
}
criterion_main!(bodies_in_a_frame);
