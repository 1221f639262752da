//! Rigid bodies in the fluid. A physics engine owns the bodies and passes their shapes, poses and velocities;
//! each step returns the impulses, torques and heat that the fluid transfers to them.
//!
//! Modules are listed in layer order: a module uses only those above it. [`Bodies`] is the entry point: it
//! implements the fluid's [`BodyCoupling`].
#![forbid(unsafe_code)]

pub mod pose;
pub mod shapes;
pub mod ledger;
mod moved_parts;
mod lift_path;
mod free_motion;
mod ball;
mod separation;
mod solve;
mod parts;
mod surface;
pub mod added_inertia;
mod turning;
mod sheet;
mod support_points;
mod mutual_energy;
mod reply;
mod content;
mod drag;
mod depth_table;
mod hole;
mod obstacle;
mod cloud;
mod mirrors;
pub mod sweep;
mod broad_phase;
pub mod obstacles;
pub mod surroundings;
pub mod contact;
mod clusters;
mod merging;
pub mod body;
mod scratch;
mod patches;
mod least_slip;
mod sticking;
pub mod no_slip;
mod contact_energy;
mod friction;
pub mod buoyant_force;
pub mod heat;
pub mod bodies;
pub mod rigid_body;

pub use bodies::Bodies;
pub use body::{BodyDef, BodyState};
pub use fluid_core::boundary::{BodyCoupling, NoBodies};
pub use pose::Pose;
