//! Execution of loops, independent of physics.
//!
//! All higher crates divide their work into chunks with a size that depends on the problem alone, and pass
//! them to an [`Executor`]. Results are therefore the same bits for any number of workers and any order of
//! execution, as long as chunks write disjoint data and reductions fold in chunk order
//! ([`reduce_ordered`]).
//!
//! Modules are listed in layer order. The design is described in `docs/determinism.md`.

mod atomic_f32;
mod executor;
mod columns;
mod reduce;
mod scatter;
mod serial;
mod sleepers;
mod session;
mod host;
mod pool;
mod shuffled;

pub use atomic_f32::AtomicF32;
pub use columns::{Columns, Parts, Rows, Strip, Strips, for_each_chunk_mut};
pub use executor::{Executor, chunk_count, chunk_range, for_each_chunk};
pub use host::{Host, Scheduler, TaskHandle};
pub use pool::{Pool, PoolError};
pub use reduce::reduce_ordered;
pub use scatter::{
    Addend, Contributions, Scatter, ScatterMemory, for_each_slab_mut, for_each_slab_strip_mut,
};
pub use serial::Serial;
pub use session::Task;
pub use shuffled::Shuffled;
