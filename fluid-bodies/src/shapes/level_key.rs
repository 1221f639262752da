//! Names of level geometry for snapshots that do not contain it.

use fluid_core::saved::fields;
use std::hash::Hasher;
use twox_hash::XxHash3_64;

/// What meshes or height fields with the same numbers have in common, and others have not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct LevelKey {
    /// Of the bytes of all numbers.
    hash: u64,
    /// How many there are: of vertices and triangles, or samples along x and y.
    counts: [u32; 2],
}

fields!(LevelKey { hash, counts });

impl LevelKey {
    /// Of these counts, and the bytes of what they count.
    pub(super) fn of(counts: [u32; 2], numbers: impl Iterator<Item = [u8; 4]>) -> Self {
        let mut hash = XxHash3_64::new();
        numbers.for_each(|bytes| hash.write(&bytes));
        Self { hash: hash.finish(), counts }
    }
}
