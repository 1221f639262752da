//! Damaged snapshots with valid sizes and checksums.

use super::{Draw, EXECUTIONS_PER_WORLD, Watch, check_result, damage, executions, step_three_times};
use crate::body::vorton_body_create;
use crate::emitter::vorton_emitter_create;
use crate::guard;
use crate::initial::vorton_world_add_initial;
use crate::shape::vorton_shape_create;
use crate::snapshot::{tests, vorton_world_restore};
use crate::status::*;
use crate::tracers::{vorton_tracers_add, vorton_tracers_create};
use crate::types::VortonVec3;
use crate::types::body::{VortonBodyDef, VortonBodyId};
use crate::types::emitter::{VortonEmitterDef, VortonEmitterId};
use crate::types::initial::{VORTON_INITIAL_FILAMENT_RING, VortonInitialDef};
use crate::types::shape::{VORTON_SHAPE_SPHERE, VortonShapeDef};
use crate::types::tracers::{VortonTracersDef, VortonTracersId};
use crate::types::world::*;
use crate::types::world_def::VortonWorldDef;
use crate::world::*;
use std::ptr::{null, null_mut};

/// Creates a world of few bytes with an object of each kind.
pub(super) fn small_world() -> VortonWorldId {
    let gravity = VortonVec3 { x: 0.0, y: 0.0, z: -2.0 };
    let def = VortonWorldDef { max_vortons: 64, gravity, viscosity: 1e-3, ..VortonWorldDef::default() };
    let mut id = VortonWorldId { index1: 0, generation: 0 };
    let ring = VortonInitialDef { count: 12, ..VortonInitialDef::default() };
    let ring = VortonInitialDef { r#type: VORTON_INITIAL_FILAMENT_RING, ..ring };
    // SAFETY: all pointers are of locals, and arrays as long as the counts say.
    unsafe {
        assert_eq!(vorton_world_create(&raw const def, &raw mut id), VORTON_OK);
        assert_eq!(vorton_world_add_initial(id, &raw const ring, null_mut(), null_mut()), VORTON_OK);
        let mut body = VortonBodyId::NULL;
        let mass = VortonBodyDef { mass: 0.03, ..VortonBodyDef::default() };
        assert_eq!(vorton_body_create(id, &raw const mass, &raw mut body), VORTON_OK);
        let ball = VortonShapeDef { radius: 0.3, ..VortonShapeDef::default_of(VORTON_SHAPE_SPHERE) };
        assert_eq!(vorton_shape_create(id, body, &raw const ball, null_mut()), VORTON_OK);
        let mut set = VortonTracersId::NULL;
        let smoke = VortonTracersDef { capacity: 16, readable_during_steps: 1, ..Default::default() };
        assert_eq!(vorton_tracers_create(id, &raw const smoke, &raw mut set), VORTON_OK);
        let places = [VortonVec3 { x: 0.1, y: 0.2, z: 0.1 }; 3];
        assert_eq!(vorton_tracers_add(id, set, places.as_ptr(), null(), null(), 3), VORTON_OK);
        let mut emitter = VortonEmitterId::NULL;
        let fire = VortonEmitterDef { tracers: set, rate: 30.0, ..VortonEmitterDef::default() };
        assert_eq!(vorton_emitter_create(id, &raw const fire, &raw mut emitter), VORTON_OK);
    }
    for _ in 0..3 {
        assert!(vorton_world_step(id, 0.02) >= VORTON_OK);
    }
    id
}

/// A world, and its snapshot.
struct SavedWorld {
    make: fn() -> VortonWorldId,
    world: VortonWorldId,
    saved: Vec<u8>,
}

impl SavedWorld {
    fn new(make: fn() -> VortonWorldId) -> Self {
        let world = make();
        Self { make, world, saved: tests::save(world) }
    }

    fn restore(&self, bytes: &[u8]) -> VortonResult {
        // SAFETY: all of a slice is readable.
        unsafe { vorton_world_restore(self.world, bytes.as_ptr().cast(), bytes.len()) }
    }

    /// Returns true if a damaged snapshot was refused.
    fn execute(&mut self, seed: u64) -> bool {
        let mut draw = Draw::new(seed);
        let mut contents = self.saved[tests::HEADER_SIZE..].to_vec();
        damage(&mut contents, &mut draw);
        let mut bytes = self.saved[..tests::HEADER_SIZE].to_vec();
        bytes.extend_from_slice(&contents);
        tests::correct_header(&mut bytes);
        let result = self.restore(&bytes);
        check_result(result, seed, "restore");
        if result != VORTON_OK {
            assert_eq!(result, VORTON_ERR_SNAPSHOT, "seed {seed}: {}", guard::last_error());
            assert!(tests::save(self.world) == self.saved, "seed {seed} has changed the world");
            return true;
        }
        let stepped = step_three_times(self.world, seed);
        if stepped >= 0 && self.restore(&self.saved) == VORTON_OK {
            assert!(tests::save(self.world) == self.saved, "seed {seed} has left something");
        } else {
            self.renew();
        }
        false
    }

    fn renew(&mut self) {
        assert_eq!(vorton_world_destroy(self.world), VORTON_OK);
        self.world = (self.make)();
        assert!(tests::save(self.world) == self.saved);
    }
}

#[test]
fn damaged_snapshots_are_refused_or_go_on() {
    let mut watch = Watch::new("snapshots");
    let (mut small, mut large) = (SavedWorld::new(small_world), SavedWorld::new(tests::world));
    let mut refused = 0;
    for seed in executions(0.1, 600) {
        // One in 256 is of a world with sheets, a container and level geometry, a thousand times as costly.
        let subject = if seed % 256 == 255 { &mut large } else { &mut small };
        if seed % EXECUTIONS_PER_WORLD == 0 {
            subject.renew();
        }
        refused += u64::from(watch.execute(seed, || subject.execute(seed)));
    }
    watch.report(&format!("{refused} refused"));
    assert!(refused > watch.count / 10 && refused < watch.count * 9 / 10);
    assert_eq!(vorton_world_destroy(small.world), VORTON_OK);
    assert_eq!(vorton_world_destroy(large.world), VORTON_OK);
}
