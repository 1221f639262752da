//! Division of rows into two parts.

/// Moves the rows for which `is_first` holds to the start. Returns their number.
pub(crate) fn partition(rows: &mut [u32], is_first: impl Fn(u32) -> bool) -> usize {
    let mut count = 0;
    for i in 0..rows.len() {
        if is_first(rows[i]) {
            rows.swap(i, count);
            count += 1;
        }
    }
    count
}
