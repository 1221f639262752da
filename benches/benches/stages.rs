//! `cargo bench -p benches`: each stage and the whole frame, `serial` against `pool` by name. Compare rows of
//! one run; times of different runs or machines say little.

use benches::{backends, cloud, host, many_tracers, points, rings, simulation};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fluid_core::InstructionSet;
use fluid_core::boundary::{NoBodies, NoSurfaces};
use fluid_core::grid::{GridShape, NodeOrder, Splines, deposit};
use fluid_core::math::Vec3Columns;
use fluid_core::particles::ScalarQuantity;
use fluid_core::sim::VortexSim;
use fluid_core::stats::Stage;
use fluid_core::velocity::*;
use fluid_particles::ops::*;
use fluid_particles::view::{ParticleSlices, Semantic};
use fluid_threads::{Executor, Serial, for_each_chunk_mut};
use glam::{IVec3, Mat3, UVec3, Vec3, Vec4};
use std::hint::black_box;
use std::time::Duration;

fn settings(instruction_set: InstructionSet, precision: Precision) -> DirectSettings {
    DirectSettings { kernel: Kernel::default(), core_radius: 1.0, instruction_set, precision }
}

/// Pairs per second of the direct sum on one core: velocity alone, and velocity with gradient.
fn direct(c: &mut Criterion) {
    let count = 4096;
    let targets = points(count, 3);
    for (name, pairs) in [("direct_velocity", false), ("direct_flow", true)] {
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Elements((count * count) as u64));
        for set in
            InstructionSet::ALL.into_iter().filter(|set| *set != InstructionSet::Auto && set.is_available())
        {
            for precision in [Precision::Exact, Precision::Fast] {
                let (cloud, _) = cloud(count, settings(set, precision));
                let mut velocities = vec![Vec3::ZERO; count];
                let mut flow = vec![FlowSample::default(); count];
                group.bench_function(format!("{set:?}/{precision:?}"), |b| {
                    b.iter(|| match pairs {
                        false => cloud.velocities(&targets, black_box(&mut velocities)),
                        true => cloud.flow(&targets, black_box(&mut flow)),
                    });
                });
            }
        }
    }
}

/// The two solves of a step at all vortons, over the number of vortons: direct sum and mesh.
fn velocity(c: &mut Criterion) {
    let mut group = c.benchmark_group("velocity");
    for count in [1024, 4096, 16_384, 65_536] {
        for kind in [SolverKind::Direct, SolverKind::Mesh] {
            if kind == SolverKind::Direct && count > 16_384 {
                continue;
            }
            group.throughput(Throughput::Elements(count as u64));
            for (name, exec) in backends() {
                let mut sim = rings(count, kind);
                group.bench_function(BenchmarkId::new(format!("{kind:?}/{name}"), count), |b| {
                    b.iter_custom(|iterations| stage_time(&mut sim, &*exec, Stage::Velocity, iterations));
                });
            }
        }
    }
}

/// Returns the time of one stage over `iterations` steps with negligible motion.
fn stage_time(sim: &mut VortexSim, exec: &dyn Executor, stage: Stage, iterations: u64) -> Duration {
    let mut milliseconds = 0.0;
    for _ in 0..iterations {
        sim.step(exec, &mut NoBodies, 1e-6).expect("dt is finite");
        milliseconds += sim.stats().milliseconds(stage);
    }
    Duration::from_secs_f64(milliseconds / 1e3)
}

/// Transfer of 65,536 particles to the nodes of a mesh and back: the mesh's work per vorton.
fn transfer(c: &mut Criterion) {
    let count = 65_536;
    let shape = GridShape::new(1.0 / 44.0, IVec3::splat(-24), UVec3::splat(48));
    let mut positions = Vec3Columns::default();
    points(count, 3).into_iter().for_each(|p| positions.push(p));
    let mut order = NodeOrder::default();
    let mut nodes = vec![Vec4::ZERO; shape.len()];
    let mut group = c.benchmark_group("transfer");
    group.throughput(Throughput::Elements(count as u64));
    for (name, exec) in backends() {
        group.bench_function(BenchmarkId::new("sort", name), |b| {
            b.iter(|| exec.enter(&mut || order.sort(&*exec, &shape, &positions, |_| true)));
        });
        group.bench_function(BenchmarkId::new("to_nodes", name), |b| {
            let value = |row: usize| Vec4::splat(row as f32);
            b.iter(|| {
                exec.enter(&mut || deposit(&*exec, &shape, &order, &positions, &value, black_box(&mut nodes)))
            });
        });
        let splines = Splines::new(&shape);
        let mut flow = vec![(Vec3::ZERO, Mat3::ZERO); count];
        group.bench_function(BenchmarkId::new("value_and_gradient", name), |b| {
            b.iter(|| {
                for_each_chunk_mut(&*exec, 256, flow.as_mut_slice(), &|first, out: &mut [(Vec3, Mat3)]| {
                    for (i, out) in out.iter_mut().enumerate() {
                        if let Some(spline) = splines.at(positions.get(first + i)) {
                            *out = spline.value_and_gradient(&nodes);
                        }
                    }
                });
            });
        });
    }
}

/// Particle strength exchange among vortons of a volume, one pass; and the baroclinic term of the dye drop.
fn terms(c: &mut Criterion) {
    for (group, stage) in
        [("diffusion", Stage::Diffuse), ("baroclinic", Stage::Baroclinic), ("halo", Stage::Halo)]
    {
        let mut group = c.benchmark_group(group);
        let scene = fluid_scenes::by_name("warm_blob").expect("it is in the table");
        for (name, exec) in backends() {
            let mut sim = simulation(scene, SolverKind::Auto, FieldSampling::Trilinear);
            sim.step(&*exec, &mut NoBodies, 0.0).expect("dt is finite");
            group.throughput(Throughput::Elements(sim.vortons().len() as u64));
            group.bench_function(name, |b| {
                b.iter_custom(|iterations| stage_time(&mut sim, &*exec, stage, iterations));
            });
        }
    }
}

/// A list of cheap operations over a million particles, fused and one by one; the fluid is not sampled.
fn operations(c: &mut Criterion) {
    let count = 1_000_000;
    let (cloud, _) = cloud(16, settings(InstructionSet::Auto, Precision::Exact));
    let (mut positions, mut velocities) = (points(count, 4), points(count, 5));
    let mut ages = vec![0.0_f32; count];
    let wind = Wind { velocity: Vec3::X, rate: 0.5 };
    let list = [wind.into(), Accelerate { acceleration: Vec3::Z }.into(), Advect.into(), Age.into()];
    let mut group = c.benchmark_group("operations");
    group.throughput(Throughput::Elements(count as u64));
    for (name, exec) in backends() {
        for (shape, lists) in [("fused", list.chunks(list.len())), ("one_by_one", list.chunks(1))] {
            let mut scratch = RunScratch::default();
            group.bench_function(BenchmarkId::new(name, shape), |b| {
                b.iter(|| {
                    for operations in lists.clone() {
                        let mut slices = ParticleSlices::new()
                            .vec3(Semantic::Position, &mut positions)
                            .vec3(Semantic::Velocity, &mut velocities)
                            .f32(Semantic::Age, &mut ages);
                        let mut view = slices.view().expect("slices are equally long");
                        let inputs = RunInputs { field: &cloud, surfaces: &NoSurfaces, dt: 1e-6, frame: 0 };
                        let memory =
                            RunMemory { scratch: &mut scratch, emit_states: &mut [], killed: &mut [] };
                        run_operations(&*exec, &inputs, operations, &mut view, memory)
                            .expect("the list is valid");
                    }
                });
            });
        }
    }
}

/// Midpoint advance of tracers in the field of the ring scene: 16,384 by direct sum, 256,000 on the mesh.
fn tracers(c: &mut Criterion) {
    let scene = fluid_scenes::by_name("ring").expect("it is in the table");
    let mut group = c.benchmark_group("tracers");
    for (kind, sampling, count) in [
        (SolverKind::Direct, FieldSampling::Trilinear, 16_384),
        (SolverKind::Mesh, FieldSampling::Trilinear, 256_000),
        (SolverKind::Mesh, FieldSampling::QuadraticSpline, 256_000),
    ] {
        group.throughput(Throughput::Elements(count as u64));
        for (name, exec) in backends() {
            let mut sim = simulation(scene, kind, sampling);
            sim.step(&*exec, &mut NoBodies, 0.0).expect("dt is finite");
            let mut tracers = many_tracers(scene, count);
            group.bench_function(BenchmarkId::new(format!("{kind:?}/{sampling:?}"), name), |b| {
                b.iter(|| sim.advance_tracers(&*exec, &mut NoBodies, &mut tracers, 1e-6))
            });
        }
    }
}

/// Tracers of the dye drop that carry nothing, and tracers that carry the local density.
fn showing(c: &mut Criterion) {
    let scene = fluid_scenes::by_name("dye_drop").expect("it is in the table");
    let mut group = c.benchmark_group("showing");
    for (what, carry) in [("nothing", None), ("density", Some(ScalarQuantity::Density))] {
        for (name, exec) in backends() {
            let mut sim = simulation(scene, SolverKind::Mesh, FieldSampling::Trilinear);
            (0..30).for_each(|_| sim.step(&*exec, &mut NoBodies, 1.0 / 60.0).expect("dt is finite"));
            let mut tracers = many_tracers(scene, 88_173);
            tracers.carry = carry;
            group.throughput(Throughput::Elements(tracers.len() as u64));
            group.bench_function(BenchmarkId::new(what, name), |b| {
                b.iter(|| sim.advance_tracers(&*exec, &mut NoBodies, &mut tracers, 1e-6))
            });
        }
    }
}

/// A whole step, without tracers; and the articles' frames: one step with all of their tracers.
fn frame(c: &mut Criterion) {
    let mut group = c.benchmark_group("frame");
    for scene in fluid_scenes::all() {
        for (name, exec) in backends() {
            let mut sim = simulation(scene, SolverKind::Auto, FieldSampling::Trilinear);
            group.throughput(Throughput::Elements(sim.vortons().len() as u64));
            group.bench_function(BenchmarkId::new(name, scene.name), |b| {
                b.iter(|| sim.step(&*exec, &mut NoBodies, 1e-6).expect("dt is finite"));
            });
        }
    }
    group.finish();
    let mut group = c.benchmark_group("frame_with_tracers");
    for (scene, count) in [("ring", 256_000), ("jet", 55_296), ("dye_drop", 88_173), ("two_drops", 57_000)] {
        let scene = fluid_scenes::by_name(scene).expect("it is in the table");
        for (name, exec) in backends().into_iter().chain([host()]) {
            let mut sim = simulation(scene, SolverKind::Auto, FieldSampling::Trilinear);
            let mut tracers = many_tracers(scene, count);
            group.throughput(Throughput::Elements(count as u64));
            group.bench_function(BenchmarkId::new(name, scene.name), |b| {
                b.iter(|| {
                    sim.step(&*exec, &mut NoBodies, 1e-6).expect("dt is finite");
                    sim.advance_tracers(&*exec, &mut NoBodies, &mut tracers, 1e-6);
                });
            });
        }
    }
}

/// Dye along 1,000 lines of sight, some 8 m long, around a fine drop.
fn lines(c: &mut Criterion) {
    const LINES: usize = 1000;
    let scene = fluid_scenes::by_name("fine_drop").expect("it is in the table");
    let mut sim = simulation(scene, SolverKind::Mesh, FieldSampling::Trilinear);
    (0..60).for_each(|_| sim.step(&Serial, &mut NoBodies, 1.0 / 60.0).expect("dt is finite"));
    let ends: Vec<_> = points(2 * LINES, 1).into_iter().map(|p| 12.0 * p).collect();
    let mut group = c.benchmark_group("lines");
    group.throughput(Throughput::Elements(LINES as u64));
    for (name, exec) in backends() {
        let mut dye = vec![0.0_f32; LINES];
        group.bench_function(name, |b| {
            b.iter(|| {
                for_each_chunk_mut(&*exec, 50, dye.as_mut_slice(), &|first, dye: &mut [f32]| {
                    for (dye, ends) in dye.iter_mut().zip(ends[2 * first..].chunks(2)) {
                        *dye = sim.field().line_integral(ends[0], ends[1]).y;
                    }
                });
            });
        });
    }
}

/// Overhead of the schedule: a loop of 64 empty chunks from outside and from inside.
fn schedule(c: &mut Criterion) {
    let mut group = c.benchmark_group("schedule");
    for (name, exec) in backends().into_iter().chain([host()]) {
        let empty = |exec: &dyn Executor| {
            for_each_chunk_mut(exec, 1, [0_u8; 64].as_mut_slice(), &|_, cell: &mut [u8]| _ = black_box(cell));
        };
        group.bench_function(BenchmarkId::new(name, "outside"), |b| b.iter(|| empty(&*exec)));
        group.bench_function(BenchmarkId::new(name, "inside"), |b| {
            b.iter_custom(|iterations| {
                let start = std::time::Instant::now();
                exec.enter(&mut || (0..iterations).for_each(|_| empty(&*exec)));
                start.elapsed()
            });
        });
    }
}

criterion_group! {
    name = stages;
    config = Criterion::default().sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    targets = direct, velocity, transfer, terms, operations, tracers, showing, frame, lines, schedule
}
criterion_main!(stages);
