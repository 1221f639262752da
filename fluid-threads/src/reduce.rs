//! Reductions with bits that do not depend on the schedule: one partial result per chunk, folded in chunk
//! order.

use crate::{Executor, chunk_count, chunk_range, for_each_chunk_mut};
use std::ops::Range;

/// Maps each chunk of `0..len` to a partial result (in parallel) and folds the partials in chunk order onto
/// `initial`.
///
/// `partials` is scratch: it grows once to the number of chunks and is then reused, so repeated calls do
/// not allocate.
pub fn reduce_ordered<T: Copy + Send + Sync + 'static>(
    exec: &dyn Executor,
    len: usize,
    chunk: usize,
    initial: T,
    partials: &mut Vec<T>,
    map: &(dyn Fn(Range<usize>) -> T + Sync),
    fold: impl FnMut(T, T) -> T,
) -> T {
    partials.clear();
    partials.resize(chunk_count(len, chunk), initial);
    for_each_chunk_mut(exec, 1, partials.as_mut_slice(), &|index, slot: &mut [T]| {
        slot[0] = map(chunk_range(len, chunk, index));
    });
    partials.iter().copied().fold(initial, fold)
}
