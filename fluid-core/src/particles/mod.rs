//! Particles: the vortons that carry the fluid, and the tracers that show it. Particles in a host's memory
//! are those of the crate `fluid-particles`.

pub(crate) mod cells;
pub(crate) mod neighbours;
mod scalar_quantity;
mod tracers;
mod vorton_ring;
mod vortons;

pub use neighbours::Neighbours;
pub use scalar_quantity::ScalarQuantity;
pub use tracers::Tracers;
pub use vorton_ring::VortonRing;
pub use vortons::{Vorton, Vortons};
