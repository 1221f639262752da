//! Changes of strengths: one file per term of the vorticity equation (E5). `sim.rs` calls those that act once
//! a step, `sim/motion.rs` the rates within a step; `sim/keeping.rs` has to know of every term that changes
//! energy or impulse.

pub mod baroclinic;
pub mod diffuse;
pub(crate) mod energy_budget;
pub mod clusters;
mod energy_slopes;
pub mod halo;
mod mass_differences;
pub mod pin;
mod potentials_ahead;
pub mod relax;
mod restoring;
pub(crate) mod roughness;
mod sections;
pub mod rim;
pub mod stretch;
