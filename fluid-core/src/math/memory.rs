//! Memory that is written before it is read: no more is taken than asked for, and nothing is copied when it
//! grows.

/// The first elements of memory that others use as well. Where there is less, what is in it is lost.
pub(crate) fn at_least<T: Copy>(memory: &mut Vec<T>, len: usize, fill: T) -> &mut [T] {
    if memory.len() < len {
        exactly(memory, len, fill);
    }
    &mut memory[..len]
}

/// Becomes so long, with no more memory than that if it has to grow: what is in it is lost then.
pub(crate) fn exactly<T: Copy>(memory: &mut Vec<T>, len: usize, fill: T) {
    if memory.capacity() < len {
        *memory = Vec::new();
        memory.reserve_exact(len);
    }
    memory.resize(len, fill);
}
