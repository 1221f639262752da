//! Particles: the vortons that carry the fluid, the tracers that show it, and views over a host's own particles.

mod tracers;
pub mod view;
mod vortons;

pub use tracers::Tracers;
pub use vortons::{Vorton, Vortons};
