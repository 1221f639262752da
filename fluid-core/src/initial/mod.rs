//! Initial conditions: vortons of a known flow.
//!
//! Each is a plain struct; its `vortons` samples a vorticity profile on a lattice (or a circle) and then
//! scales the discrete sum, in `f64`, so that **the vortons carry exactly the requested circulation**. The
//! original converted vorticity to strength with the volume of a sphere, which gave 0.52 or 4.19 times the
//! requested one.
//!
//! Lattices are cell-centred, symmetric about the centre, and rotated into position last; volumes are V =
//! h³ and α = ω V. Sines and exponentials come from `libm`, so the same numbers give the same bits on every
//! machine. Positions are `f32`: a spacing below about 10⁻⁵ of the distance to the origin no longer
//! resolves the profile.
//!
//! ```
//! use fluid_core::glam::Vec3;
//! use fluid_core::initial::JetRing;
//!
//! let jet = JetRing {
//!     centre: Vec3::ZERO,
//!     axis: Vec3::Z,
//!     radius: 0.5,
//!     thickness: 0.2,
//!     circulation: 4.0,
//!     spacing: 0.05,
//! };
//! let vortons = jet.vortons()?;
//! // Vortex lines close: the strengths of a ring add up to nothing.
//! let total: Vec3 = vortons.iter().map(|vorton| vorton.strength).sum();
//! let size: f32 = vortons.iter().map(|vorton| vorton.strength.length()).sum();
//! assert!(total.length() < 1e-4 * size);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod density_ball;
mod density_box;
mod disturbance;
mod error;
mod filament_ring;
mod implied_tracers;
mod jet_ring;
mod lattice;
mod noise;
mod vortex_ring;
mod vortex_sheet;
mod vortex_tube;

pub use density_ball::{DensityBall, DensityProfile};
pub use density_box::DensityBox;
pub use disturbance::Disturbance;
pub use error::InitialError;
pub use filament_ring::FilamentRing;
pub use implied_tracers::{ImpliedTracers, MAX_INITIAL_TRACERS};
pub use jet_ring::JetRing;
pub use lattice::MAX_INITIAL_VORTONS;
pub use noise::Noise;
pub use vortex_ring::VortexRing;
pub use vortex_sheet::VortexSheet;
pub use vortex_tube::VortexTube;
