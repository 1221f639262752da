//! Calls of the functions that take definitions, arrays and numbers, with any bits in them.

use super::snapshots::small_world;
use super::{Draw, EXECUTIONS_PER_WORLD, Watch, check_result, executions, forged, step_three_times};
use crate::body::definition::*;
use crate::body::*;
use crate::draw::vorton_world_draw;
use crate::emitter::*;
use crate::initial::vorton_world_add_initial;
use crate::kill_volumes::vorton_world_set_kill_volumes;
use crate::ops::{vorton_op_create, vorton_op_destroy};
use crate::preset::vorton_world_add_preset;
use crate::sample::{vorton_world_sample, vorton_world_sample_lines};
use crate::shape::*;
use crate::shift::vorton_world_shift_origin;
use crate::snapshot::vorton_world_hash_all;
use crate::status::*;
use crate::surround::vorton_bodies_surround;
use crate::tracers::*;
use crate::types::body::*;
use crate::types::budget::VortonBudget;
use crate::types::draw::VortonDrawDef;
use crate::types::emitter::*;
use crate::types::initial::VortonInitialDef;
use crate::types::kill_volumes::VortonKillVolume;
use crate::types::ops::{VortonOpDef, VortonOpId};
use crate::types::preset::{VORTON_PRESET_EMITTERS, VortonPresetDef};
use crate::types::shape::*;
use crate::types::surround::VortonSurroundDef;
use crate::types::tracers::*;
use crate::types::volume::VortonVolumeDef;
use crate::types::vortons::*;
use crate::types::world::*;
use crate::types::world_def::VortonWorldDef;
use crate::types::{VortonQuat, VortonVec3};
use crate::volume::vorton_world_sample_volume;
use crate::vortons::*;
use crate::world::definition::*;
use crate::world::*;
use std::ptr::{null, null_mut};

struct FuzzedWorld {
    world: VortonWorldId,
    bodies: Vec<VortonBodyId>,
    emitters: Vec<VortonEmitterId>,
    sets: Vec<VortonTracersId>,
}

/// A vector of any floats, most of them usual.
fn vector(draw: &mut Draw) -> VortonVec3 {
    let mut float = || if draw.one_in(4) { draw.float() } else { draw.below(400) as f32 * 0.01 - 2.0 };
    VortonVec3 { x: float(), y: float(), z: float() }
}

fn hash(world: VortonWorldId) -> u64 {
    let mut hash = 0;
    // SAFETY: points to a local.
    assert_eq!(unsafe { vorton_world_hash_all(world, &raw mut hash) }, VORTON_OK);
    hash
}

impl FuzzedWorld {
    fn new() -> Self {
        let none = (Vec::new(), Vec::new(), Vec::new());
        Self { world: small_world(), bodies: none.0, emitters: none.1, sets: none.2 }
    }

    fn body(&self, draw: &mut Draw) -> VortonBodyId {
        let null = VortonBodyId::NULL;
        if self.bodies.is_empty() { null } else { draw.of(&self.bodies) }
    }

    fn emitter(&self, draw: &mut Draw) -> VortonEmitterId {
        if self.emitters.is_empty() { VortonEmitterId::NULL } else { draw.of(&self.emitters) }
    }

    fn set(&self, draw: &mut Draw) -> VortonTracersId {
        if self.sets.is_empty() { VortonTracersId::NULL } else { draw.of(&self.sets) }
    }

    /// Returns a shape of any kind, with arrays that are as long as they must be.
    fn shape(draw: &mut Draw, floats: &[f32; 96], triangles: &[u32; 12]) -> VortonShapeDef {
        let usual = VortonShapeDef::default_of(1 + draw.below(9) as u32);
        let mut def = VortonShapeDef { radius: 0.3, ..usual };
        (def.point_count, def.plane_count, def.triangle_count) = (4 + draw.below(12) as u32, 6, 4);
        (def.columns, def.rows) = (3, 4);
        let mut def = forged(&def, draw);
        (def.points, def.planes, def.heights) = (floats.as_ptr(), floats.as_ptr(), floats.as_ptr());
        def.triangles = triangles.as_ptr();
        def.point_count = def.point_count.min(32);
        def.plane_count = def.plane_count.min(24);
        def.triangle_count = def.triangle_count.min(4);
        (def.columns, def.rows) = (def.columns.min(8), def.rows.min(12));
        def
    }

    /// Makes one call. Returns its name and result.
    fn call(&mut self, draw: &mut Draw) -> (&'static str, VortonResult) {
        let world = self.world;
        let floats = [(); 96]
            .map(|()| if draw.one_in(24) { draw.float() } else { draw.below(200) as f32 * 0.01 - 1.0 });
        // SAFETY: all pointers are of locals, and arrays are as long as their counts say.
        unsafe {
            match draw.below(26) {
                0 => {
                    let usual = VortonWorldDef { max_vortons: 50, ..VortonWorldDef::default() };
                    let mut def = forged(&usual, draw);
                    // Memory and threads as many as asked for; functions that there are.
                    def.max_vortons =
                        if def.max_vortons > 1 << 24 { def.max_vortons } else { def.max_vortons & 0xfff };
                    def.worker_count &= 1;
                    def.threads = if def.threads > 4 || def.threads == 0 { def.threads } else { 0 };
                    (def.enqueue_task, def.finish_task, def.thread_start) = (None, None, None);
                    (def.thread_stop, def.zone_begin, def.zone_end) = (None, None, None);
                    let mut id = VortonWorldId { index1: 0, generation: 0 };
                    let result = vorton_world_create(&raw const def, &raw mut id);
                    if result >= 0 {
                        step_three_times(id, draw.seed);
                        assert_eq!(vorton_world_destroy(id), VORTON_OK);
                    }
                    ("world_create", result)
                }
                1 | 2 => {
                    let mut def = forged(&VortonBodyDef { mass: 0.1, ..VortonBodyDef::default() }, draw);
                    if !draw.one_in(64) {
                        def.flags &= !VORTON_BODY_NO_THROUGH;
                    }
                    let mut id = VortonBodyId::NULL;
                    let result = vorton_body_create(world, &raw const def, &raw mut id);
                    if result >= 0 {
                        self.bodies.push(id);
                    }
                    ("body_create", result)
                }
                3..6 => {
                    let triangles =
                        [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, if draw.one_in(8) { draw.word() } else { 2 }];
                    let def = Self::shape(draw, &floats, &triangles);
                    let body = self.body(draw);
                    ("shape_create", vorton_shape_create(world, body, &raw const def, null_mut()))
                }
                6 => {
                    let def = Self::shape(draw, &floats, &[0; 12]);
                    let mut out = std::mem::zeroed();
                    ("shape_mass_properties", vorton_shape_mass_properties(&raw const def, &raw mut out))
                }
                7 | 8 => {
                    let body = if draw.one_in(2) { self.body(draw) } else { VortonBodyId::NULL };
                    let def = VortonEmitterDef { tracers: self.set(draw), body, ..Default::default() };
                    let def = forged(&def, draw);
                    let mut id = VortonEmitterId::NULL;
                    if draw.one_in(2) {
                        let emitter = self.emitter(draw);
                        return ("emitter_update", vorton_emitter_update(world, emitter, &raw const def));
                    }
                    let result = vorton_emitter_create(world, &raw const def, &raw mut id);
                    if result >= 0 {
                        self.emitters.push(id);
                    }
                    ("emitter_create", result)
                }
                9 => {
                    let usual = VortonInitialDef {
                        r#type: 1 + draw.below(9) as u32,
                        count: 12,
                        ..Default::default()
                    };
                    let def = forged(&VortonInitialDef { radius: 0.3, spacing: 0.3, ..usual }, draw);
                    ("add_initial", vorton_world_add_initial(world, &raw const def, null_mut(), null_mut()))
                }
                10 => {
                    let usual = VortonPresetDef {
                        r#type: 1 + draw.below(10) as u32,
                        vortons: 20,
                        tracers: 5,
                        ..Default::default()
                    };
                    let def = forged(&usual, draw);
                    let mut set = VortonTracersId::NULL;
                    let mut emitters = [VortonEmitterId::NULL; VORTON_PRESET_EMITTERS];
                    let mut body = VortonBodyId::NULL;
                    let result = vorton_world_add_preset(
                        world,
                        &raw const def,
                        &raw mut set,
                        emitters.as_mut_ptr(),
                        &raw mut body,
                    );
                    ("add_preset", result)
                }
                11 => {
                    let def = forged(&VortonSurroundDef { spacing: 0.3, ..Default::default() }, draw);
                    ("bodies_surround", vorton_bodies_surround(world, &raw const def, null_mut(), null_mut()))
                }
                12 => {
                    let mut def = forged(&VortonTracersDef { capacity: 10, ..Default::default() }, draw);
                    // As much memory as asked for.
                    def.capacity = if def.capacity > 1 << 24 { def.capacity } else { def.capacity & 0xfff };
                    let mut id = VortonTracersId::NULL;
                    let result = vorton_tracers_create(world, &raw const def, &raw mut id);
                    if result >= 0 {
                        self.sets.push(id);
                    }
                    ("tracers_create", result)
                }
                13 => {
                    let def = forged(&VortonImpliedDef::default(), draw);
                    let set = self.set(draw);
                    (
                        "tracers_add_implied",
                        vorton_tracers_add_implied(world, set, &raw const def, null_mut()),
                    )
                }
                14 => {
                    let (set, places) = (self.set(draw), [vector(draw), vector(draw)]);
                    let values = floats.as_ptr();
                    ("tracers_add", vorton_tracers_add(world, set, places.as_ptr(), null(), values, 2))
                }
                15 => {
                    let mut def = forged(&VortonOpDef::default_of(1 + draw.below(13) as u32), draw);
                    (def.values, def.value_count) = (null(), 0);
                    let mut id = VortonOpId::NULL;
                    let result = vorton_op_create(world, &raw const def, &raw mut id);
                    if result >= 0 {
                        assert_eq!(vorton_op_destroy(world, id), VORTON_OK);
                    }
                    ("op_create", result)
                }
                16 => {
                    let mut volume: VortonKillVolume = std::mem::zeroed();
                    for (n, float) in floats.iter().take(size_of::<VortonKillVolume>() / 4).enumerate() {
                        let word = if draw.one_in(2) { draw.word() } else { float.to_bits() };
                        (&raw mut volume).cast::<u32>().add(n).write(word);
                    }
                    ("set_kill_volumes", vorton_world_set_kill_volumes(world, &raw const volume, 1))
                }
                17 => {
                    let mut budget = forged(&VortonBudget::default(), draw);
                    budget.struct_size = size_of::<VortonBudget>() as u32;
                    ("step_within", vorton_world_step_within(world, 0.02, &raw const budget))
                }
                18 => {
                    let mut lines = Vec::with_capacity(64);
                    let mut count = 0;
                    let def = forged(&VortonDrawDef::default(), draw);
                    let result =
                        vorton_world_draw(world, &raw const def, lines.as_mut_ptr(), 64, &raw mut count);
                    ("draw", result)
                }
                19 => {
                    let def = forged(
                        &VortonVolumeDef { width: 2, height: 3, depth: 2, ..Default::default() },
                        draw,
                    );
                    let mut texels = [0_u32; 256];
                    (
                        "sample_volume",
                        vorton_world_sample_volume(world, &raw const def, texels.as_mut_ptr().cast(), 1024),
                    )
                }
                20 => {
                    let value = draw.float();
                    match draw.below(9) {
                        0 => ("set_wind", vorton_world_set_wind(world, vector(draw))),
                        1 => ("set_gravity", vorton_world_set_gravity(world, vector(draw))),
                        2 => ("set_diffusion", vorton_world_set_diffusion(world, value, draw.float())),
                        3 => ("set_relaxation", vorton_world_set_relaxation_rate(world, value)),
                        4 => ("set_smagorinsky", vorton_world_set_smagorinsky(world, value)),
                        5 => ("set_max_age", vorton_world_set_max_age(world, value)),
                        6 => ("set_no_slip", vorton_world_set_no_slip_rate(world, value)),
                        7 => ("set_specific_heat", vorton_world_set_specific_heat(world, value)),
                        _ => ("set_expected_samples", vorton_world_set_expected_samples(world, draw.word())),
                    }
                }
                21 => {
                    let mut vorton: VortonVorton = std::mem::zeroed();
                    for (n, float) in floats.iter().take(size_of::<VortonVorton>() / 4).enumerate() {
                        (&raw mut vorton).cast::<u32>().add(n).write(float.to_bits());
                    }
                    vorton = forged(&vorton, draw);
                    ("vortons_add", vorton_vortons_add(world, &raw const vorton, 1, null_mut()))
                }
                22 => {
                    let (mut out, quantity) = ([0.0_f32; 48], draw.below(12) as u32);
                    let out = out.as_mut_ptr();
                    if draw.one_in(2) {
                        return (
                            "sample_lines",
                            vorton_world_sample_lines(world, quantity, floats.as_ptr(), 0, out, 0, 8),
                        );
                    }
                    ("sample", vorton_world_sample(world, quantity, floats.as_ptr(), 0, out, 0, 12))
                }
                23 => ("step", vorton_world_step(world, if draw.one_in(2) { draw.float() } else { 0.02 })),
                24 => {
                    let (body, value) = (self.body(draw), draw.float());
                    let rotation =
                        VortonQuat { x: 0.0, y: floats[0], z: 0.0, w: (1.0 - floats[0] * floats[0]).sqrt() };
                    let state = VortonBodyState {
                        position: vector(draw),
                        rotation,
                        velocity: vector(draw),
                        angular_velocity: vector(draw),
                    };
                    let state = forged(&state, draw);
                    match draw.below(7) {
                        0 => ("body_set_mass", vorton_body_set_mass(world, body, value)),
                        1 => ("body_set_temperature", vorton_body_set_temperature(world, body, value)),
                        2 => ("body_set_inertia", vorton_body_set_inertia(world, body, floats.as_ptr())),
                        3 => ("body_place", vorton_body_place(world, body, &raw const state)),
                        4 => ("body_destroy", vorton_body_destroy(world, body)),
                        _ => ("body_set_state", vorton_body_set_state(world, body, &raw const state)),
                    }
                }
                _ => ("shift_origin", vorton_world_shift_origin(world, vector(draw))),
            }
        }
    }
}

/// Calls that return an error after a change: the step is made, and then found too coarse or not finite.
const MAY_CHANGE: &[&str] = &["step", "step_within"];

#[test]
fn forged_definitions_are_refused_or_used() {
    let mut watch = Watch::new("definitions");
    let (mut refused, mut accepted) = (0, 0);
    let seeds = executions(0.3, 6400);
    for block in seeds.start / EXECUTIONS_PER_WORLD..seeds.end / EXECUTIONS_PER_WORLD {
        let mut draw = Draw::new(block);
        let mut subject = FuzzedWorld::new();
        for call in 0..EXECUTIONS_PER_WORLD {
            let before = hash(subject.world);
            let mut name = "";
            let result = watch.execute(block * EXECUTIONS_PER_WORLD + call, || {
                let (called, result) = subject.call(&mut draw);
                name = called;
                result
            });
            check_result(result, block, name);
            if result < 0 {
                refused += 1;
                let unchanged = MAY_CHANGE.contains(&name) || hash(subject.world) == before;
                assert!(
                    unchanged,
                    "block {block}, call {call}: {name} was refused and has changed the world"
                );
            } else {
                accepted += 1;
            }
            if call % 16 == 15 {
                step_three_times(subject.world, block);
            }
        }
        assert_eq!(vorton_world_destroy(subject.world), VORTON_OK);
    }
    watch.report(&format!("{refused} refused, {accepted} accepted"));
    assert!(refused > watch.count / 10 && accepted > watch.count / 10);
}
