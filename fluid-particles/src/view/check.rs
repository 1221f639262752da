//! Validation of a description before a view is made of it. The rest of this module relies on the
//! properties checked here.

use super::{Semantic, Stream, ViewDescription, ViewError};

/// Refuses an inconsistent description. Afterwards:
/// * `count <= capacity <= u32::MAX`; indices ascend strictly and are below `count`;
/// * each stream has a format valid for its semantic, and no semantic occurs twice;
/// * without a table: the elements of every row below the capacity lie, aligned, in memory that does not
///   wrap around, and no two of them share bytes;
/// * with a table: it is aligned; for each entry the elements lie, aligned, in memory that does not wrap
///   around, and elements of one entry share no bytes;
/// * elements share no bytes with the table or the indices, which are read while elements are written.
///
/// # Errors
/// [`ViewError`] with the first stream or row that is wrong.
///
/// # Safety
/// If not null, `view.table` points to `view.capacity` addresses.
pub(super) unsafe fn check(view: &ViewDescription<'_>) -> Result<(), ViewError> {
    let ViewDescription { count, capacity, streams, table, indices, .. } = *view;
    if count > capacity {
        return Err(ViewError::CountAboveCapacity { count, capacity });
    }
    if u32::try_from(capacity).is_err() {
        return Err(ViewError::TooManyRows { capacity });
    }
    for (number, stream) in streams.iter().enumerate() {
        check_meaning(stream, &streams[..number])?;
        check_place(stream, view)?;
    }
    check_components(streams)?;
    check_vital(streams)?;
    for (number, second) in streams.iter().enumerate() {
        for first in &streams[..number] {
            if overlap(first, second, view) {
                return Err(ViewError::Overlap { first: first.semantic, second: second.semantic });
            }
        }
    }
    let lists = Lists::of(view);
    if table.is_null() {
        for stream in streams {
            lists.check_stream(stream, capacity)?;
        }
    } else {
        // SAFETY: the caller promises `capacity` addresses.
        unsafe { check_table(view, &lists)? };
    }
    check_indices(indices, count)
}

fn check_meaning(stream: &Stream, earlier: &[Stream]) -> Result<(), ViewError> {
    let Stream { semantic, format, .. } = *stream;
    if !semantic.formats().contains(&format) {
        return Err(ViewError::WrongFormat { stream: semantic, format });
    }
    if earlier.iter().any(|other| other.semantic == semantic) {
        return Err(ViewError::DuplicateStream { stream: semantic });
    }
    Ok(())
}

/// Checks base, stride, alignment, size and end of one stream. Afterwards every row below the capacity
/// lies, aligned, at an address that can be computed without overflow.
fn check_place(stream: &Stream, view: &ViewDescription<'_>) -> Result<(), ViewError> {
    let Stream { semantic, format, stride, offset, base } = *stream;
    let alignment = format.component_size();
    let overflow = ViewError::AddressOverflow { stream: semantic };
    let needed = offset.checked_add(format.touched()).ok_or(overflow)?;
    if view.element_size != 0 && needed > view.element_size {
        return Err(ViewError::ElementTooSmall { stream: semantic, element_size: view.element_size, needed });
    }
    if !view.table.is_null() || view.capacity == 0 {
        return Ok(());
    }
    if base.is_null() {
        return Err(ViewError::NullBase { stream: semantic });
    }
    let start = base.addr().checked_add(offset).ok_or(overflow)?;
    if !start.is_multiple_of(alignment) {
        return Err(ViewError::MisalignedBase { stream: semantic, alignment });
    }
    if view.capacity > 1 {
        if stride < format.size() {
            return Err(ViewError::StrideTooSmall { stream: semantic, stride, needed: format.size() });
        }
        if !stride.is_multiple_of(alignment) {
            return Err(ViewError::MisalignedStride { stream: semantic, stride, alignment });
        }
    }
    let bytes =
        stride.checked_mul(view.capacity - 1).and_then(|rows| rows.checked_add(needed)).ok_or(overflow)?;
    // No object is larger than isize::MAX bytes.
    if isize::try_from(bytes).is_err() || base.addr().checked_add(bytes).is_none() {
        return Err(overflow);
    }
    Ok(())
}

/// Checks that at most one stream tells which particles are dead.
fn check_vital(streams: &[Stream]) -> Result<(), ViewError> {
    let mut vital = streams.iter().filter(|stream| Semantic::VITAL.contains(&stream.semantic));
    match (vital.next(), vital.next()) {
        (Some(first), Some(second)) => {
            Err(ViewError::TwoVitalStreams { first: first.semantic, second: second.semantic })
        }
        _ => Ok(()),
    }
}

fn check_components(streams: &[Stream]) -> Result<(), ViewError> {
    let has = |semantic| streams.iter().any(|stream| stream.semantic == semantic);
    for vector in Semantic::SPLITTABLE {
        let Some(components) = vector.components() else { continue };
        let Some(&present) = components.iter().find(|&&component| has(component)) else { continue };
        if has(vector) {
            return Err(ViewError::DuplicateStream { stream: present });
        }
        if let Some(&missing) = components.iter().find(|&&component| !has(component)) {
            return Err(ViewError::MissingComponent { stream: missing });
        }
    }
    Ok(())
}

/// Returns true if two streams, each checked by itself, share bytes that are read or written.
fn overlap(a: &Stream, b: &Stream, view: &ViewDescription<'_>) -> bool {
    let (size_a, size_b) = (a.format.touched(), b.format.touched());
    if !view.table.is_null() {
        return a.offset < b.offset + size_b && b.offset < a.offset + size_a;
    }
    if view.capacity == 0 {
        return false;
    }
    let (start_a, start_b) = (a.base.addr() + a.offset, b.base.addr() + b.offset);
    let last = view.capacity - 1;
    if start_a >= start_b + last * b.stride + size_b || start_b >= start_a + last * a.stride + size_a {
        return false;
    }
    if last == 0 || a.stride != b.stride {
        return true;
    }
    // Interleaved with one stride: the offset of b's element within a's period decides, exactly.
    let stride = a.stride;
    let within = (start_b % stride + stride - start_a % stride) % stride;
    within < size_a || stride - within < size_b
}

/// Address ranges of the table and of the indices: start, end.
struct Lists {
    table: (usize, usize),
    indices: (usize, usize),
}

impl Lists {
    fn of(view: &ViewDescription<'_>) -> Self {
        let table = view.table.addr();
        let indices = view.indices.unwrap_or_default().as_ptr_range();
        Self {
            table: (table, table.saturating_add(view.capacity.saturating_mul(size_of::<*mut u8>()))),
            indices: (indices.start.addr(), indices.end.addr()),
        }
    }

    /// Checks the range from the first to the last byte of a stream without a table: a list between its
    /// elements is refused, too.
    fn check_stream(&self, stream: &Stream, capacity: usize) -> Result<(), ViewError> {
        let Some(last) = capacity.checked_sub(1) else { return Ok(()) };
        let start = stream.base.addr() + stream.offset;
        if meets(self.indices, (start, start + last * stream.stride + stream.format.touched())) {
            return Err(ViewError::IndicesOverlap { stream: stream.semantic });
        }
        Ok(())
    }

    /// Checks the elements of one entry, from the first byte to the last.
    fn check_entry(&self, row: usize, elements: (usize, usize)) -> Result<(), ViewError> {
        if meets(self.table, elements) || meets(self.indices, elements) {
            return Err(ViewError::TableEntryOverlap { row });
        }
        Ok(())
    }
}

/// Returns true if two ranges share bytes; an empty range shares none.
fn meets(a: (usize, usize), b: (usize, usize)) -> bool {
    a.0.max(b.0) < a.1.min(b.1)
}

/// # Safety
/// If aligned, `view.table` points to `view.capacity` addresses.
unsafe fn check_table(view: &ViewDescription<'_>, lists: &Lists) -> Result<(), ViewError> {
    if !view.table.is_aligned() {
        return Err(ViewError::MisalignedTable);
    }
    let (mut first, mut reach) = (usize::MAX, 0);
    let mut alignment = 1;
    let mut offsets_aligned = true;
    for &Stream { format, offset, .. } in view.streams {
        first = first.min(offset);
        reach = reach.max(offset + format.touched());
        alignment = alignment.max(format.component_size());
        offsets_aligned &= offset.is_multiple_of(format.component_size());
    }
    for row in 0..view.capacity {
        // SAFETY: `row` is below the capacity, and the table is aligned.
        let address = unsafe { view.table.add(row).read() }.addr();
        if address == 0 {
            return Err(ViewError::NullTableEntry { row });
        }
        if address.checked_add(reach).is_none() {
            return Err(ViewError::TableEntryOverflow { row });
        }
        lists.check_entry(row, (address.saturating_add(first), address + reach))?;
        if offsets_aligned && address.is_multiple_of(alignment) {
            continue;
        }
        let misaligned =
            |stream: &&Stream| !(address + stream.offset).is_multiple_of(stream.format.component_size());
        if let Some(stream) = view.streams.iter().find(misaligned) {
            return Err(ViewError::MisalignedTableEntry { row, stream: stream.semantic });
        }
    }
    Ok(())
}

fn check_indices(indices: Option<&[u32]>, count: usize) -> Result<(), ViewError> {
    let Some(indices) = indices else { return Ok(()) };
    if let Some(before) = indices.windows(2).position(|pair| pair[0] >= pair[1]) {
        return Err(ViewError::IndicesNotAscending { at: before + 1 });
    }
    match indices.last() {
        Some(&index) if index as usize >= count => {
            Err(ViewError::IndexOutOfRange { at: indices.len() - 1, index, count })
        }
        _ => Ok(()),
    }
}
