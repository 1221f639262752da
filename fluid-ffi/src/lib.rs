//! The C interface of the vorton library. `guard` is the only panic and null policy; `types` holds the C
//! types, a file per noun; `state` the worlds and their locks; above it, a file per noun holds the functions.
//! A module names only modules listed before it.
//!
//! The doc comments of the exported items are the documentation in `include/vorton.h`, which cbindgen writes
//! from this crate, noun by noun (`tests/header`): they address a C programmer. After a change,
//! `VORTON_BLESS=1 cargo test -p fluid-ffi` rewrites the header.
#![allow(clippy::missing_safety_doc, reason = "the C documentation says what pointers must be")]
#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "units stand in brackets, which C programmers read as they are"
)]

pub mod log;
mod float_env;
mod names;
pub mod status;
mod heap;
mod guard;
mod memory;
mod handle;
pub mod types;
mod settings;
pub mod threads;
pub mod zones;
pub mod allocator;
mod recorder;
mod state;
mod frame;
mod lists;
pub mod library;
pub mod world;
pub mod ambient;
pub mod vortons;
pub mod initial;
pub mod view;
pub mod op_result;
pub mod sample;
pub mod tracers;
pub mod published_tracers;
pub mod emitter;
pub mod body;
pub mod shape;
pub mod surround;
pub mod preset;
pub mod kill_volumes;
pub mod surfaces;
pub mod volume;
pub mod draw;
pub mod ops;
pub mod stats;
pub mod snapshot;
pub mod reset;
pub mod shift;
pub mod recording;

#[cfg(target_arch = "wasm32")]
#[rustfmt::skip] // Written by `layout_tests`.
mod layout_on_wasm32;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod layout_tests;
#[cfg(test)]
mod tests;
