//! The fluid: vortons carry vorticity, vorticity induces velocity, velocity moves everything.
//!
//! Modules are listed in layer order: a module names only those above it (enforced by a test). `sim` is the
//! table of contents. The parts of `boundary` lie below it: `enclosure`, `poison` and `surfaces` above
//! `particles`, `walls` beside `density`.

pub mod constants;
pub mod clock;
pub mod math;
pub(crate) mod inside;
pub mod saved;
pub mod kill_volumes;
pub(crate) mod lanes;
pub mod grid;
pub mod particles;
pub mod density;
pub mod velocity;
pub mod vorticity;
pub mod initial;
pub mod invariants;
pub mod combustion;
pub mod params;
pub mod boundary;
pub mod emitter;
pub mod presets;
pub mod governor;
mod tracer_motion;
pub mod stats;
pub mod sim;
pub mod advance;

pub use glam;
pub use lanes::{InstructionSet, VectorJob, run_in_vectors};
