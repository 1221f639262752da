//! Structures, arrays, components, pointers: results do not depend on a host's memory layout.

use crate::particle_operations::*;

use fluid_particles::ops::*;
use fluid_threads::{Executor, Pool, Serial, Shuffled};

/// Not a multiple of the chunk, several chunks, no common factor with 7.
const COUNT: usize = 3 * CHUNK + 77;
const CAPACITY: usize = COUNT + 20;

fn after(layout: Layout, operations: &[Operation<'_>]) -> (Vec<Bits>, Outcome) {
    let mut host = Host::new(&particles(COUNT), CAPACITY, layout);
    let outcome = run(&mut host, operations);
    let compacted = operations.iter().any(|operation| format!("{operation:?}").contains("Compact"));
    if !(compacted && layout == Layout::SoaX4) {
        host.assert_gaps_untouched();
    }
    (bits(&host.read()), outcome)
}

#[test]
fn each_operation_alone() {
    for operation in every_operation() {
        let expected = after(Layout::Aos, &[operation]);
        for layout in Layout::F32 {
            if every_operation_for(layout, false).contains(&operation) {
                assert!(after(layout, &[operation]) == expected, "{operation:?} in {layout:?}");
            }
        }
    }
}

#[test]
fn all_operations_together() {
    for list in [every_operation(), every_operation_for(Layout::Table, false)] {
        let expected = after(Layout::Aos, &list);
        for layout in Layout::F32 {
            if layout.can_compact() || list.len() < every_operation().len() {
                assert!(after(layout, &list) == expected, "{layout:?}");
            }
        }
    }
}

#[test]
fn double_precision_hosts_get_the_same_numbers_but_for_rounding() {
    for operation in every_operation() {
        let close = |a: f32, b: f32| (a - b).abs() <= 4.0 * f32::EPSILON * (1.0 + a.abs());
        let mut single = Host::new(&particles(COUNT), CAPACITY, Layout::Aos);
        let mut double = Host::new(&particles(COUNT), CAPACITY, Layout::AosF64);
        let (a, b) = (run(&mut single, &[operation]), run(&mut double, &[operation]));
        double.assert_gaps_untouched();
        assert_eq!((a.report.count, a.killed), (b.report.count, b.killed));
        for (a, b) in single.read().iter().zip(&double.read()) {
            for axis in 0..3 {
                assert!(close(a.position[axis], b.position[axis]), "{operation:?}: {a:?} {b:?}");
                assert!(close(a.velocity[axis], b.velocity[axis]), "{operation:?}: {a:?} {b:?}");
                assert!(close(a.spin[axis], b.spin[axis]), "{operation:?}: {a:?} {b:?}");
            }
            assert!(a.orientation.dot(b.orientation) > 1.0 - 1e-6, "{operation:?}: {a:?} {b:?}");
        }
    }
}

#[test]
fn double_precision_positions_move_far_from_the_origin() {
    // 1e9 + 1/60 is not an f32, nor is it 1e9.
    let mut positions = [[1e9_f64, 0.0, 0.0]];
    let mut velocities = [glam::Vec3::X];
    use fluid_particles::view::{Format, ParticleView, Semantic, Stream, ViewDescription};
    let stream =
        |semantic, format: Format, base| Stream { semantic, format, stride: format.size(), offset: 0, base };
    let streams = [
        stream(Semantic::Position, Format::F64X3, positions.as_mut_ptr().cast()),
        stream(Semantic::Velocity, Format::F32X3, velocities.as_mut_ptr().cast()),
    ];
    let description = ViewDescription {
        count: 1,
        capacity: 1,
        streams: &streams,
        table: std::ptr::null(),
        indices: None,
        element_size: 0,
    };
    // SAFETY: both arrays have one row and live as long as the view.
    let mut view = unsafe { ParticleView::new(description) }.expect("a right description");
    let inputs = RunInputs { field: &Waves, surfaces: &Scenery, dt: DT, frame: 0 };
    let memory = RunMemory { scratch: &mut RunScratch::default(), emit_states: &mut [], killed: &mut [] };
    run_operations(&Serial, &inputs, &[Advect.into()], &mut view, memory).expect("a right list");
    assert_eq!(positions[0][0], 1e9 + f64::from(DT));
}

#[test]
fn any_executor() {
    let pools = [1, 2, 3, 8].map(|workers| Pool::new(workers).expect("threads"));
    let shuffled = [Shuffled::new(1), Shuffled::new(2)];
    let pools = pools.iter().map(|pool| pool as &dyn Executor);
    let others: Vec<_> = pools.chain(shuffled.iter().map(|exec| exec as &dyn Executor)).collect();
    let inputs = RunInputs { field: &Waves, surfaces: &Scenery, dt: DT, frame: 100 };
    for layout in [Layout::Aos, Layout::Soa] {
        let after = |exec: &dyn Executor| {
            let mut host = Host::new(&particles(COUNT), CAPACITY, layout);
            let outcome = run_with(exec, &mut host, None, &inputs, &every_operation()).expect("a right list");
            (bits(&host.read()), outcome)
        };
        let expected = after(&Serial);
        for exec in &others {
            assert!(after(*exec) == expected, "{} workers", exec.worker_count());
        }
    }
}
