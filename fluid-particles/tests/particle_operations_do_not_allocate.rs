//! A steady frame of operations does not allocate.

#[path = "../../fluid-core/tests/counting/mod.rs"]
mod counting;
mod particle_operations;
use particle_operations::*;

use fluid_particles::ops::*;
use fluid_particles::view::{ParticleSlices, Semantic};
use fluid_threads::Serial;
use glam::Vec3;

#[test]
fn after_the_first() {
    // More chunks than the initial capacity of a growing vector of such large elements, which is 4.
    const CAPACITY: usize = 8 * CHUNK;
    // One particle outside all bodies, the others in the ball.
    let (mut positions, mut velocities) = (vec![BALL.centre; CAPACITY], vec![Vec3::ZERO; CAPACITY]);
    positions[0] = Vec3::splat(9.0);
    let (mut ages, mut births) = (vec![0.0; CAPACITY], vec![0; CAPACITY]);
    let (mut flags, mut user) = (vec![0; CAPACITY], vec![0.0; CAPACITY]);
    let mut lifetimes = vec![1.0; CAPACITY];
    let (mut spins, mut orientations) = (vec![Vec3::ZERO; CAPACITY], vec![[0.0, 0.0, 0.0, 1.0]; CAPACITY]);
    let (mut densities, mut temperatures) = (vec![0.0; CAPACITY], vec![0.0; CAPACITY]);
    let (mut hits, mut normals) = (vec![0; CAPACITY], vec![Vec3::ZERO; CAPACITY]);
    let mut killed = vec![0; CAPACITY];
    let list = every_operation();
    let mut scratch = RunScratch::default();
    let mut states = [EmitState::default()];
    scratch.expect_bodies(3);
    let touches_only: [Operation<'_>; 1] = [Collide { restitution: 0.0, friction: 0.0, mass: 1.0 }.into()];
    // The first run has one particle that touches nothing, yet it sizes the memory for the capacity and the
    // bodies.
    let mut count = 1;
    let mut after_warm_up = 0;
    let _noise = counting::Noise::new();
    let mut touches = 0;
    for frame in 0..10 {
        if frame == 1 {
            count = CAPACITY - CHUNK / 2;
            after_warm_up = counting::allocations();
        }
        let mut slices = ParticleSlices::new()
            .vec3(Semantic::Position, &mut positions)
            .vec3(Semantic::Velocity, &mut velocities)
            .vec3(Semantic::AngularVelocity, &mut spins)
            .quat(Semantic::Orientation, &mut orientations)
            .f32(Semantic::Density, &mut densities)
            .f32(Semantic::Temperature, &mut temperatures)
            .f32(Semantic::Age, &mut ages)
            .f32(Semantic::Lifetime, &mut lifetimes)
            .i32(Semantic::BirthFrame, &mut births)
            .u32(Semantic::Flags, &mut flags)
            .u32(Semantic::Hit, &mut hits)
            .vec3(Semantic::Normal, &mut normals)
            .f32(Semantic::User3, &mut user)
            .count(count);
        let mut view = slices.view().expect("right slices");
        let inputs = RunInputs { field: &Waves, surfaces: &Scenery, dt: DT, frame };
        let operations = if frame == 0 { &touches_only } else { list.as_slice() };
        let memory = RunMemory { scratch: &mut scratch, emit_states: &mut states, killed: &mut killed };
        count = run_operations(&Serial, &inputs, operations, &mut view, memory).expect("a right list").count;
        touches += scratch.impulses().iter().map(|(_, given)| given.hits).sum::<u32>();
    }
    assert_eq!(counting::allocations(), after_warm_up);
    assert!(touches > 0, "no particle touched anything");
}
