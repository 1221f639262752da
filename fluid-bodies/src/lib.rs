//! Rigid bodies in the fluid. **Nothing is implemented yet**; the README says so too.
//!
//! The fluid owns the seam and never names a body: this crate will implement [`BodyCoupling`] for shapes (sphere, box,
//! capsule, convex polytope; solid or hole), swept contacts, no-slip strengths, buoyant force and heat conduction. Until then
//! a world runs with [`NoBodies`].
#![forbid(unsafe_code)]

pub use fluid_core::coupling::{BodyCoupling, NoBodies};
