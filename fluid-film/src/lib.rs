//! Films of the scenes of `fluid-scenes`: a scene with up to a million tracers, drawn as smoke or dye that
//! shadows itself, as an animated WebP.
//!
//! The renderer runs on the CPU and is deterministic: the bytes of a picture do not depend on the number of
//! threads. [`render`](mod@render) is its table of contents.
//!
//! Modules are listed in layer order: a module uses only those above it.
#![forbid(unsafe_code)]

pub mod camera;
pub mod curve;
pub mod picture;
pub mod spectrum;
pub mod animation;
pub mod footprint;
pub mod light_grid;
pub mod light;
pub mod ramp;
pub mod splat;
mod order;
pub mod solids;
mod backdrop;
pub mod composite;
mod bloom;
pub mod smoke;
pub mod look;
mod scenes;
pub mod looks;
pub mod render;
pub mod shot;
pub mod film;
