//! Particles: the vortons that carry the fluid, the tracers that show it, and views over a host's own
//! particles.

pub(crate) mod cells;
pub(crate) mod neighbours;
mod scalar_quantity;
mod tracers;
pub mod view;
mod vortons;

pub use neighbours::Neighbours;
pub use scalar_quantity::ScalarQuantity;
pub use tracers::Tracers;
pub use vortons::{Vorton, Vortons};
