//! What a host says about its particles: one stream per attribute, and which rows there are.

use super::{Format, Semantic};

/// Where one attribute of all particles lies: row i at `base + offset + i * stride`, or at `table[i] +
/// offset` if the view has a table (then `base` and `stride` are not looked at).
#[derive(Debug, Clone, Copy)]
pub struct Stream {
    /// What it means.
    pub semantic: Semantic,
    /// How one element is stored.
    pub format: Format,
    /// Bytes from one row to the next.
    pub stride: usize,
    /// Bytes from `base` (or from the table's entry) to the first component.
    pub offset: usize,
    /// Start of the first particle.
    pub base: *mut u8,
}

/// What a host says about its particles, not checked yet.
#[derive(Debug, Clone, Copy)]
pub struct ViewDescription<'a> {
    /// Particles that exist: rows `0..count`.
    pub count: usize,
    /// Rows for which there is memory. Emission fills `count..capacity`.
    pub capacity: usize,
    /// One stream per attribute.
    pub streams: &'a [Stream],
    /// Null, or the addresses of `capacity` particles.
    pub table: *const *mut u8,
    /// If given, only these rows are visited: strictly ascending, below `count`.
    pub indices: Option<&'a [u32]>,
    /// Bytes of one whole particle in an array of structures; 0 if unknown. Compaction needs it.
    pub element_size: usize,
}
