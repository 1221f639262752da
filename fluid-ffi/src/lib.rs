//! The C interface of the vorton library. One file per C noun; `guard` is the only panic and null policy.
//!
//! The doc comments of the exported items are the documentation in `include/vorton.h`, which cbindgen writes
//! from this crate, in the order of the modules below: they address a C programmer. After a change,
//! `VORTON_BLESS=1 cargo test -p fluid-ffi` rewrites the header.
#![allow(clippy::missing_safety_doc, reason = "the C documentation says what pointers must be")]
#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "units stand in brackets, which C programmers read as they are"
)]

pub mod status;
pub mod types;
pub mod log;
pub mod library;
pub mod allocator;
pub mod threads;
pub mod zones;
pub mod world_def;
pub mod budget;
pub mod world;
pub mod ambient;
pub mod vortons;
pub mod initial;
pub mod emitter;
pub mod tracers;
pub mod published_tracers;
pub mod body;
pub mod shape;
pub mod surround;
pub mod preset;
pub mod user_data;
pub mod definitions;
pub mod lists;
pub mod kill_volumes;
pub mod sample;
pub mod surfaces;
pub mod volume;
pub mod draw;
pub mod view;
pub mod ops;
pub mod op_result;
pub mod stats;
pub mod snapshot;
pub mod recording;
pub mod reset;
pub mod shift;
mod body_table;
mod float_env;
mod guard;
mod handle;
mod kept_hash;
mod memory;
mod names;
mod warned;

#[cfg(target_arch = "wasm32")]
#[rustfmt::skip] // Written by `layout_tests`.
mod layout_on_wasm32;
#[cfg(test)]
mod layout_tests;
#[cfg(test)]
mod tests;
