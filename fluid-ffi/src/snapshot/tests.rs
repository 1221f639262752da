use super::*;
use crate::body::vorton_body_create;
use crate::initial::{vorton_initial_def_init, vorton_world_add_initial};
use crate::ops::{vorton_op_create, vorton_op_def_init};
use crate::shape::{vorton_shape_create, vorton_shape_def_init};
use crate::state::with_world;
use crate::tracers::{vorton_tracers_add, vorton_tracers_create, vorton_tracers_destroy};
use crate::types::VortonVec3;
use crate::types::body::{VortonBodyDef, VortonBodyId};
use crate::types::initial::VortonInitialDef;
use crate::types::ops::{VORTON_OP_EMIT, VortonOpDef, VortonOpId};
use crate::types::shape::{VortonShapeDef, VortonShapeId};
use crate::types::tracers::{VortonTracersDef, VortonTracersId};
use crate::types::world_def::VortonWorldDef;
use crate::world::{vorton_world_create, vorton_world_destroy, vorton_world_step};
use fluid_core::math::Random;

/// Adds a mesh and a height field, far below.
fn add_level(world: VortonWorldId) {
    let points = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let triangles = [[0_u32, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
    let def =
        VortonBodyDef { mass: 0.0, position: VortonVec3 { x: 0.0, y: 0.0, z: -3.0 }, ..Default::default() };
    let mut body = VortonBodyId { index1: 0, world: 0, generation: 0 };
    for kind in [crate::types::shape::VORTON_SHAPE_MESH, crate::types::shape::VORTON_SHAPE_HEIGHT_FIELD] {
        // SAFETY: all pointers are of locals, and the arrays as long as the counts say.
        unsafe {
            assert_eq!(vorton_body_create(world, &raw const def, &raw mut body), VORTON_OK);
            let mut shape = std::mem::zeroed::<VortonShapeDef>();
            let size = size_of::<VortonShapeDef>() as u32;
            assert_eq!(vorton_shape_def_init(&raw mut shape, size, kind), VORTON_OK);
            (shape.points, shape.point_count) = (points.as_ptr().cast(), 4);
            (shape.triangles, shape.triangle_count) = (triangles.as_ptr().cast(), 4);
            (shape.heights, shape.columns, shape.rows) = (points.as_ptr().cast(), 4, 3);
            assert_eq!(vorton_shape_create(world, body, &raw const shape, std::ptr::null_mut()), VORTON_OK);
        }
    }
}

/// Creates a world with a drop that falls past a ball in a box, level geometry, and tracers.
pub(crate) fn world() -> VortonWorldId {
    let gravity = VortonVec3 { x: 0.0, y: 0.0, z: -2.0 };
    let def = VortonWorldDef { max_vortons: 4000, gravity, ..VortonWorldDef::default() };
    let mut id = VortonWorldId { index1: 0, generation: 0 };
    // SAFETY: all pointers are of locals.
    unsafe {
        assert_eq!(vorton_world_create(&raw const def, &raw mut id), VORTON_OK);
        let mut drop = std::mem::zeroed::<VortonInitialDef>();
        assert_eq!(
            vorton_initial_def_init(
                &raw mut drop,
                size_of::<VortonInitialDef>() as u32,
                crate::types::initial::VORTON_INITIAL_DENSITY_DROP
            ),
            VORTON_OK
        );
        (drop.radius, drop.spacing, drop.dye) = (0.3, 0.1, 1.0);
        assert_eq!(
            vorton_world_add_initial(id, &raw const drop, std::ptr::null_mut(), std::ptr::null_mut()),
            VORTON_OK
        );
        for (kind, role, size) in [
            (crate::types::shape::VORTON_SHAPE_SPHERE, false, 0.2),
            (crate::types::shape::VORTON_SHAPE_BOX, true, 1.5),
        ] {
            let def = VortonBodyDef {
                flags: if role { 0 } else { crate::types::body::VORTON_BODY_NO_THROUGH },
                mass: 0.03,
                ..VortonBodyDef::default()
            };
            let mut body = VortonBodyId { index1: 0, world: 0, generation: 0 };
            assert_eq!(vorton_body_create(id, &raw const def, &raw mut body), VORTON_OK);
            let mut shape = std::mem::zeroed::<VortonShapeDef>();
            assert_eq!(
                vorton_shape_def_init(&raw mut shape, size_of::<VortonShapeDef>() as u32, kind),
                VORTON_OK
            );
            shape.radius = size;
            shape.half_extents = VortonVec3 { x: size, y: size, z: size };
            shape.flags = if role { crate::types::shape::VORTON_SHAPE_HOLE } else { 0 };
            let mut shape_id = VortonShapeId { index1: 0, world: 0, generation: 0 };
            assert_eq!(vorton_shape_create(id, body, &raw const shape, &raw mut shape_id), VORTON_OK);
        }
    }
    add_level(id);
    let def = VortonTracersDef { capacity: 300, readable_during_steps: 1, ..Default::default() };
    let mut set = VortonTracersId { index1: 0, world: 0, generation: 0 };
    let places = [0, 1, 2, 3].map(|n| VortonVec3 { x: 0.1 * n as f32, y: 0.0, z: 0.1 });
    // SAFETY: all pointers are of locals; tags and values may be null.
    unsafe {
        assert_eq!(vorton_tracers_create(id, &raw const def, &raw mut set), VORTON_OK);
        let (none, nothing) = (std::ptr::null(), std::ptr::null());
        assert_eq!(vorton_tracers_add(id, set, places.as_ptr(), none, nothing, places.len()), VORTON_OK);
    }
    for _ in 0..3 {
        assert!(vorton_world_step(id, 0.02) >= VORTON_OK);
    }
    id
}

pub(crate) fn save(id: VortonWorldId) -> Vec<u8> {
    let mut size = 0;
    // SAFETY: a capacity of 0 writes nothing; then there is room for all.
    unsafe {
        assert_eq!(vorton_world_save(id, std::ptr::null_mut(), 0, &raw mut size), VORTON_OK);
        let mut bytes = vec![0_u8; size];
        assert_eq!(vorton_world_save(id, bytes.as_mut_ptr().cast(), size, &raw mut size), VORTON_OK);
        bytes
    }
}

fn restore(id: VortonWorldId, bytes: &[u8]) -> VortonResult {
    // SAFETY: all of a slice is readable.
    unsafe { vorton_world_restore(id, bytes.as_ptr().cast(), bytes.len()) }
}

/// Changes some bytes, mostly near each other, and corrects size and checksum.
fn forge(bytes: &mut Vec<u8>, random: Random) {
    let last = bytes.len() - HEADER;
    let pick = |n: u64, count: usize| (f64::from(random.unit(n)) * count as f64) as usize;
    let first = HEADER + pick(0, if pick(1, 2) == 0 { last } else { 6000 });
    for n in 0..1 + pick(2, 4) {
        let at = (first + pick(10 + n as u64, 24)).min(bytes.len() - 1);
        bytes[at] = [0, 1, 0x7f, 0xff, bytes[at] ^ 1, bytes[at].wrapping_add(1)][pick(20 + n as u64, 6)];
    }
    if pick(3, 8) == 0 {
        bytes.truncate(HEADER + pick(4, last));
    }
    correct_header(bytes);
}

pub(crate) const HEADER_SIZE: usize = HEADER;

/// Corrects size and checksum of changed contents.
pub(crate) fn correct_header(bytes: &mut [u8]) {
    let (size, sum) = ((bytes.len() - HEADER) as u64, XxHash3_64::oneshot(&bytes[HEADER..]));
    bytes[24..32].copy_from_slice(&size.to_ne_bytes());
    bytes[32..40].copy_from_slice(&sum.to_ne_bytes());
}

fn forged_ones_are_refused_or_survived(seeds: std::ops::Range<u64>) -> [u32; 3] {
    let mut id = world();
    let saved = save(id);
    // Counts of snapshots refused, continued, and continued to an internal error.
    let mut counts = [0; 3];
    for seed in seeds {
        let mut bytes = saved.clone();
        forge(&mut bytes, Random::new(seed));
        let answer = restore(id, &bytes);
        assert!(answer == VORTON_OK || answer == VORTON_ERR_SNAPSHOT, "seed {seed}: {}", guard::last_error());
        if answer == VORTON_ERR_SNAPSHOT {
            assert!(save(id) == saved, "seed {seed} has changed the world");
            counts[0] += 1;
            continue;
        }
        let stepped = vorton_world_step(id, 0.02);
        counts[if stepped >= VORTON_OK { 1 } else { 2 }] += 1;
        if stepped >= VORTON_OK && restore(id, &saved) == VORTON_OK {
            assert!(save(id) == saved, "seed {seed} has left something");
        } else {
            assert_eq!(vorton_world_destroy(id), VORTON_OK);
            id = world();
        }
    }
    assert_eq!(vorton_world_destroy(id), VORTON_OK);
    counts
}

#[test]
fn forged_snapshots_are_refused_and_change_nothing_or_are_survived() {
    let [refused, went_on, failed] = forged_ones_are_refused_or_survived(0..60);
    println!("{refused} refused, {went_on} went on, {failed} stopped at an internal error");
    assert!(refused > 3 && went_on > 3);
}

/// The capacity of a tracer set is read from the snapshot and checked before it is allocated.
#[test]
fn a_set_of_tracers_cannot_be_made_larger_than_any() {
    let id = world();
    let def = VortonTracersDef { capacity: 123_457, readable_during_steps: 1, ..Default::default() };
    let mut set = VortonTracersId { index1: 0, world: 0, generation: 0 };
    // SAFETY: both point to locals.
    assert_eq!(unsafe { vorton_tracers_create(id, &raw const def, &raw mut set) }, VORTON_OK);
    let saved = save(id);
    let stored = 123_457_u64.to_ne_bytes();
    let at: Vec<_> = (0..saved.len() - 8).filter(|&at| saved[at..at + 8] == stored).collect();
    assert_eq!(at.len(), 1, "the capacity stands there once");
    assert_eq!(vorton_tracers_destroy(id, set), VORTON_OK);
    let without = save(id);
    for capacity in [u64::MAX, 1 << 60, u64::from(MAX_TRACERS) + 1] {
        let mut bytes = saved.clone();
        bytes[at[0]..at[0] + 8].copy_from_slice(&capacity.to_ne_bytes());
        let sum = XxHash3_64::oneshot(&bytes[HEADER..]);
        bytes[32..40].copy_from_slice(&sum.to_ne_bytes());
        assert_eq!(restore(id, &bytes), VORTON_ERR_SNAPSHOT, "{capacity}");
        assert!(save(id) == without, "{capacity} has changed the world");
    }
    assert_eq!(restore(id, &saved), VORTON_OK);
    assert_eq!(vorton_world_destroy(id), VORTON_OK);
}

#[test]
#[ignore = "long"]
fn many_forged_snapshots() {
    println!("{:?}", forged_ones_are_refused_or_survived(1000..8000));
}

fn emission(id: VortonWorldId) -> OpEntry {
    let mut op = VortonOpId { index1: 0, world: 0, generation: 0 };
    // SAFETY: all pointers are of locals.
    unsafe {
        let mut def = std::mem::zeroed::<VortonOpDef>();
        let size = size_of::<VortonOpDef>() as u32;
        assert_eq!(vorton_op_def_init(&raw mut def, size, VORTON_OP_EMIT), VORTON_OK);
        assert_eq!(vorton_op_create(id, &raw const def, &raw mut op), VORTON_OK);
    }
    let find = |world: &World| Ok(world.ops()?.get(op.key(world.serial)?).cloned().expect("it is there"));
    with_world(id, find).expect("a world")
}

#[test]
fn an_emission_that_runs_makes_the_world_busy_and_nothing_worse() {
    let id = world();
    let op = emission(id);
    op.lock_state().expect("free").emitted = 7;
    let saved = save(id);
    let mut emissions = [0; 64];
    let write = |world: &World| save_emissions(&*world.ops()?, &mut Writer::new(&mut emissions, &NoInsides));
    with_world(id, write).expect("a world");
    let mut running = op.lock_state().expect("free");
    running.emitted = 9;
    assert_eq!(restore(id, &saved), VORTON_ERR_BUSY);
    // An emission that began later would keep its state.
    let load = |world: &World| {
        let mut from = Reader::new(&emissions, &NoInsides, &fluid_threads::Serial);
        Ok(load_emissions(&*world.ops()?, &mut from))
    };
    assert_eq!(with_world(id, load).expect("a world"), Ok(()));
    assert_eq!(running.emitted, 9);
    drop(running);
    assert_eq!(restore(id, &saved), VORTON_OK);
    assert_eq!(op.lock_state().expect("free").emitted, 7);
    assert_eq!(vorton_world_destroy(id), VORTON_OK);
}
