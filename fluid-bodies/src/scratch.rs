//! Scratch memory that steps reuse.

/// Reserves memory for `capacity` elements in total.
pub(crate) fn reserve<T>(values: &mut Vec<T>, capacity: usize) {
    values.reserve(capacity.saturating_sub(values.len()));
}
