//! Particles in a host's own memory: views that describe their layout, and operations by which the fluid
//! moves them in place.
//!
//! Modules are listed in layer order: `view` names nothing of `ops`. Unsafe code is only in `view`, which
//! reads and writes the host's memory.
//!
//! ```
//! use fluid_core::boundary::{NoBodies, NoSurfaces};
//! use fluid_core::glam::Vec3;
//! use fluid_core::{initial::FilamentRing, params::Params, sim::VortexSim};
//! use fluid_particles::ops::{Advect, RunInputs, RunMemory, RunScratch, Velocity, run_operations};
//! use fluid_particles::view::{ParticleSlices, Semantic};
//! use fluid_threads::Serial;
//!
//! let ring = FilamentRing {
//!     centre: Vec3::ZERO,
//!     axis: Vec3::Z,
//!     radius: 1.0,
//!     circulation: 5.0,
//!     core_radius: 0.2,
//!     count: 64,
//! };
//! let mut sim = VortexSim::new(Params { core_radius: 0.2, ..Params::default() })?;
//! sim.add_vortons(&ring.vortons()?)?;
//! let (mut positions, mut velocities) = ([Vec3::ZERO], [Vec3::ZERO]);
//! let mut scratch = RunScratch::default();
//! for frame in 0..60 {
//!     let dt = 1.0 / 60.0;
//!     sim.step(&Serial, &mut NoBodies, dt)?;
//!     let inputs = RunInputs { field: sim.field(), surfaces: &NoSurfaces, dt, frame };
//!     let mut slices = ParticleSlices::new()
//!         .vec3(Semantic::Position, &mut positions)
//!         .vec3(Semantic::Velocity, &mut velocities);
//!     let memory = RunMemory { scratch: &mut scratch, emit_states: &mut [], killed: &mut [] };
//!     let operations = [Velocity::default().into(), Advect.into()];
//!     run_operations(&Serial, &inputs, &operations, &mut slices.view()?, memory)?;
//! }
//! assert!(positions[0].z > 1.0, "the ring takes its smoke along");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod view;
pub mod ops;
