//! A kill operation without a limit uses each particle's lifetime.

use fluid_core::boundary::NoSurfaces;
use fluid_core::velocity::{DirectSettings, Kernel, SourceCloud};
use fluid_particles::ops::{Kill, KillMode, RunInputs, RunMemory, RunScratch, run_operations};
use fluid_particles::view::{ParticleSlices, Semantic};
use fluid_threads::Serial;

#[test]
fn particles_that_have_outlived_their_lifetime_go() {
    let settings = DirectSettings {
        kernel: Kernel::default(),
        core_radius: 1.0,
        instruction_set: Default::default(),
        precision: Default::default(),
    };
    let still = SourceCloud::new(settings);
    let (mut ages, mut lifetimes) = ([1.0, 3.0, 5.0, 9.0], [2.0, 2.0, f32::INFINITY, 4.0]);
    let mut slices =
        ParticleSlices::new().f32(Semantic::Age, &mut ages).f32(Semantic::Lifetime, &mut lifetimes);
    let mut view = slices.view().unwrap();
    let kill = Kill { max_age: None, max_age_frames: None, mode: KillMode::List };
    let inputs = RunInputs { field: &still, surfaces: &NoSurfaces, dt: 0.1, frame: 0 };
    let mut killed = [0; 4];
    let memory = RunMemory { scratch: &mut RunScratch::default(), emit_states: &mut [], killed: &mut killed };
    let report = run_operations(&Serial, &inputs, &[kill.into()], &mut view, memory).unwrap();
    assert_eq!((report.killed, report.listed, &killed[..2]), (2, 2, &[1, 3][..]));
}
