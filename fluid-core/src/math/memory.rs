//! Memory that is written before it is read: no more is allocated than requested, and nothing is copied
//! when it grows.

/// Returns the first `len` elements of shared memory. If it has fewer, it grows and its contents are lost.
pub(crate) fn at_least<T: Copy>(memory: &mut Vec<T>, len: usize, fill: T) -> &mut [T] {
    if memory.len() < len {
        exactly(memory, len, fill);
    }
    &mut memory[..len]
}

/// Reserves memory for `capacity` elements in all, however many there are.
pub(crate) fn for_capacity<T>(memory: &mut Vec<T>, capacity: usize) {
    memory.reserve(capacity.saturating_sub(memory.len()));
}

/// Resizes to exactly `len`, without spare capacity if it has to grow: the contents are lost then.
pub(crate) fn exactly<T: Copy>(memory: &mut Vec<T>, len: usize, fill: T) {
    if memory.capacity() < len {
        *memory = Vec::new();
        memory.reserve_exact(len);
    }
    memory.resize(len, fill);
}
