//! A host's description of its particles: one stream per attribute, and the rows that exist.

use super::{Format, Semantic};

/// Memory layout of one attribute: row i at `base + offset + i * stride`, or at `table[i] + offset` if the
/// view has a table (`base` and `stride` are then ignored).
#[derive(Debug, Clone, Copy)]
pub struct Stream {
    /// Meaning of the attribute.
    pub semantic: Semantic,
    /// Storage format of one element.
    pub format: Format,
    /// Bytes from one row to the next.
    pub stride: usize,
    /// Bytes from `base` (or from the table's entry) to the first component.
    pub offset: usize,
    /// Address of the first particle.
    pub base: *mut u8,
}

/// A host's description of its particles, not yet checked.
#[derive(Debug, Clone, Copy)]
pub struct ViewDescription<'a> {
    /// Number of existing particles: rows `0..count`.
    pub count: usize,
    /// Number of rows with memory. Emission fills `count..capacity`.
    pub capacity: usize,
    /// One stream per attribute.
    pub streams: &'a [Stream],
    /// Null, or the addresses of `capacity` particles.
    pub table: *const *mut u8,
    /// If given, only these rows are visited: strictly ascending, below `count`.
    pub indices: Option<&'a [u32]>,
    /// Bytes of one whole particle in an array of structures; 0 if unknown. Required for compaction of such
    /// an array.
    pub element_size: usize,
}
