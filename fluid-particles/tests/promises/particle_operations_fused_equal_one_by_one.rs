//! A fused list of operations is equivalent to its operations one after the other, bit for bit.

use crate::particle_operations::*;

use fluid_particles::ops::*;

const COUNT: usize = 2 * CHUNK + 31;

#[test]
fn in_one_run_as_in_many() {
    let mut start = particles(COUNT);
    start[5].velocity.y = f32::NAN;
    start[600].position.x = f32::INFINITY;
    start[601].age = f32::NAN;
    start[9].flags |= fluid_particles::view::DEAD;
    let mut fused = Host::new(&start, COUNT + 99, Layout::Aos);
    let mut separate = Host::new(&start, COUNT + 99, Layout::Soa);
    let list = every_operation();

    let together = run(&mut fused, &list);
    let mut killed = 0;
    let mut bounds = None;
    let mut impulses = Vec::new();
    for operation in &list {
        let alone = run(&mut separate, &[*operation]);
        killed += alone.report.killed;
        bounds = alone.report.bounds.or(bounds);
        impulses.extend(alone.impulses);
    }
    assert!(bits(&fused.read()) == bits(&separate.read()));
    assert_eq!(together.report.killed, killed);
    assert_eq!(together.report.bounds, bounds);
    assert!(together.impulses == impulses && impulses.len() == 2);
}

#[test]
fn in_any_order_of_local_operations() {
    let local: Vec<_> = every_operation()
        .into_iter()
        .filter(|operation| operation.name() != "Emit" && operation.name() != "Bounds")
        .collect();
    for first in &local {
        for second in &local {
            let is_list = |operation: &Operation<'_>| format!("{operation:?}").contains("List");
            if is_list(first) && is_list(second) {
                continue;
            }
            let mut fused = Host::new(&particles(COUNT), COUNT, Layout::Soa);
            let mut separate = Host::new(&particles(COUNT), COUNT, Layout::Soa);
            run(&mut fused, &[*first, *second]);
            run(&mut separate, &[*first]);
            run(&mut separate, &[*second]);
            assert!(bits(&fused.read()) == bits(&separate.read()), "{first:?} then {second:?}");
        }
    }
}
