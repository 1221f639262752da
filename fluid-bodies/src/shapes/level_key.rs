//! Keys that stand for level geometry in snapshots that do not contain it.

use fluid_core::saved::fields;
use std::hash::Hasher;
use twox_hash::XxHash3_64;

/// Key of a mesh or height field: equal data have equal keys, different data different ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct LevelKey {
    /// Hash of the bytes of all values.
    hash: u64,
    /// Number of vertices and triangles, or of samples along x and y.
    counts: [u32; 2],
}

fields!(LevelKey { hash, counts });

impl LevelKey {
    /// Creates the key for these counts and the bytes of the values.
    pub(super) fn of(counts: [u32; 2], numbers: impl Iterator<Item = [u8; 4]>) -> Self {
        let mut hash = XxHash3_64::new();
        numbers.for_each(|bytes| hash.write(&bytes));
        Self { hash: hash.finish(), counts }
    }
}
