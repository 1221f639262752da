//! Disjoint mutable chunks of one or several slices of equal length, without a list of chunks in memory.

use crate::{Executor, chunk_count, chunk_range};
use std::marker::PhantomData;
use std::ops::Range;

/// Columns of equal length that can be divided into disjoint mutable chunks: `&mut [T]` and tuples of them.
///
/// # Safety
/// `part` must return memory that is disjoint for disjoint ranges.
pub unsafe trait Columns {
    /// Raw parts that any thread may hold.
    type Raw: Copy + Send + Sync;
    /// Type of one chunk.
    type Chunk<'a>;
    /// Returns the common length of the columns.
    ///
    /// # Panics
    /// If the columns differ in length.
    fn len(&self) -> usize;
    /// Returns true if there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Converts the borrow to raw parts.
    fn into_raw(self) -> Self::Raw;
    /// Returns the rows `range` of every column.
    ///
    /// # Safety
    /// `range` lies in the columns, the columns outlive `'a`, and no other chunk overlaps it.
    unsafe fn part<'a>(raw: Self::Raw, range: Range<usize>) -> Self::Chunk<'a>;
}

/// Pointer to the start of a column, shared between threads because chunks are disjoint.
pub struct Column<T>(*mut T, PhantomData<T>);

impl<T> Clone for Column<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Column<T> {}
impl<T> Column<T> {
    /// Returns the column from this element on.
    ///
    /// # Safety
    /// The element exists, or is one past the last.
    pub(crate) unsafe fn from(self, element: usize) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { self.0.add(element) }, PhantomData)
    }
}

// SAFETY: a `Column` is only turned into disjoint `&mut [T]` (`Columns::part`), and moving a `&mut [T]` to
// another thread needs `T: Send`.
unsafe impl<T: Send> Send for Column<T> {}
// SAFETY: as above; the pointer itself is only copied.
unsafe impl<T: Send> Sync for Column<T> {}

// SAFETY: disjoint ranges of one slice are disjoint memory.
unsafe impl<T: Send + 'static> Columns for &mut [T] {
    type Raw = Column<T>;
    type Chunk<'a> = &'a mut [T];
    fn len(&self) -> usize {
        <[T]>::len(self)
    }
    fn into_raw(self) -> Self::Raw {
        Column(self.as_mut_ptr(), PhantomData)
    }
    unsafe fn part<'a>(raw: Self::Raw, range: Range<usize>) -> Self::Chunk<'a> {
        // SAFETY: the caller keeps `range` inside the column, alive for 'a and disjoint from other chunks.
        unsafe { std::slice::from_raw_parts_mut(raw.0.add(range.start), range.len()) }
    }
}

/// A slice as rows of `width` elements each, to be combined with columns of one element per row.
#[derive(Debug)]
pub struct Rows<'s, T> {
    elements: &'s mut [T],
    width: usize,
}

impl<'s, T> Rows<'s, T> {
    /// Creates rows of `width` elements.
    ///
    /// # Panics
    /// If `width` is 0 or does not divide the length of the slice.
    pub fn new(elements: &'s mut [T], width: usize) -> Self {
        assert!(width > 0 && elements.len().is_multiple_of(width), "{} in rows of {width}", elements.len());
        Self { elements, width }
    }
}

// SAFETY: disjoint ranges of rows are disjoint ranges of the slice.
unsafe impl<T: Send + 'static> Columns for Rows<'_, T> {
    type Raw = (Column<T>, usize);
    type Chunk<'a> = &'a mut [T];
    fn len(&self) -> usize {
        self.elements.len() / self.width
    }
    fn into_raw(self) -> Self::Raw {
        (self.elements.into_raw(), self.width)
    }
    unsafe fn part<'a>((column, width): Self::Raw, range: Range<usize>) -> Self::Chunk<'a> {
        // SAFETY: the caller keeps `range` inside the rows, alive for 'a and disjoint from other chunks.
        unsafe { <&mut [T]>::part(column, range.start * width..range.end * width) }
    }
}

/// A slice in parts of any lengths, to be combined with columns of one element per part.
#[derive(Debug)]
pub struct Parts<'s, T> {
    elements: &'s mut [T],
    starts: &'s [u32],
}

impl<'s, T> Parts<'s, T> {
    /// Creates parts: part `i` is `starts[i]..starts[i + 1]`, so there is one part fewer than there are
    /// starts.
    ///
    /// # Panics
    /// If the starts do not ascend or exceed the slice.
    pub fn new(elements: &'s mut [T], starts: &'s [u32]) -> Self {
        assert!(starts.is_sorted(), "starts ascend");
        assert!(starts.last().is_none_or(|&end| end as usize <= elements.len()), "parts lie in the slice");
        Self { elements, starts }
    }
}

/// Pointer to the starts of [`Parts`], valid during the loop over them.
#[derive(Clone, Copy)]
pub struct Starts(*const u32);

// SAFETY: only read.
unsafe impl Send for Starts {}
// SAFETY: as above.
unsafe impl Sync for Starts {}

// SAFETY: starts ascend (`Parts::new`), so disjoint ranges of parts are disjoint ranges of the slice.
unsafe impl<T: Send + 'static> Columns for Parts<'_, T> {
    type Raw = (Column<T>, Starts);
    type Chunk<'a> = &'a mut [T];
    fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }
    fn into_raw(self) -> Self::Raw {
        (self.elements.into_raw(), Starts(self.starts.as_ptr()))
    }
    unsafe fn part<'a>((column, starts): Self::Raw, range: Range<usize>) -> Self::Chunk<'a> {
        // SAFETY: the caller keeps `range` inside the parts, so both of its ends are starts.
        let ends = unsafe { [*starts.0.add(range.start), *starts.0.add(range.end)] };
        // SAFETY: the starts lie in the slice; the caller keeps the parts alive for 'a and disjoint.
        unsafe { <&mut [T]>::part(column, ends[0] as usize..ends[1] as usize) }
    }
}

/// A row-major matrix, as columns of `width` elements in each row: a chunk is a strip of adjacent columns,
/// with its part of every row.
#[derive(Debug)]
pub struct Strips<'s, T> {
    elements: &'s mut [T],
    layout: StripLayout,
}

/// Memory layout of [`Strips`].
#[derive(Debug, Clone, Copy)]
pub struct StripLayout {
    pub(crate) rows: usize,
    /// Elements from one row to the next.
    pub(crate) stride: usize,
    pub(crate) columns: usize,
    pub(crate) width: usize,
}

impl<'s, T> Strips<'s, T> {
    /// Creates `columns` columns of `width` elements at the start of each row of `stride` elements.
    ///
    /// # Panics
    /// If the columns are wider than a row, or if `stride` is 0 or does not divide the length of the slice.
    pub fn new(elements: &'s mut [T], stride: usize, columns: usize, width: usize) -> Self {
        let len = elements.len();
        assert!(stride > 0 && len.is_multiple_of(stride), "{len} in rows of {stride}");
        assert!(
            columns.checked_mul(width).is_some_and(|used| used <= stride),
            "{columns} columns of {width} in {stride}"
        );
        Self { elements, layout: StripLayout { rows: len / stride, stride, columns, width } }
    }
}

/// A chunk of [`Strips`]: the same columns of every row.
#[derive(Debug)]
pub struct Strip<'a, T> {
    /// First element of the strip in the first row.
    first: *mut T,
    rows: usize,
    stride: usize,
    len: usize,
    borrow: PhantomData<&'a mut [T]>,
}

impl<T> Strip<'_, T> {
    /// Returns the strip's part of a row.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline(always)]
    pub fn row(&self, row: usize) -> &[T] {
        assert!(row < self.rows);
        // SAFETY: the row exists (asserted), and the strip lies inside of it (`Strips::new`); nothing else
        // refers to it while the strip is borrowed, for other strips have other columns.
        unsafe { std::slice::from_raw_parts(self.first.add(row * self.stride), self.len) }
    }

    /// Like [`row`](Self::row), mutably.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline(always)]
    pub fn row_mut(&mut self, row: usize) -> &mut [T] {
        assert!(row < self.rows);
        // SAFETY: as in `row`, and the strip is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(row * self.stride), self.len) }
    }
}

// SAFETY: different columns of a row are disjoint, for `Strips::new` has checked that all of them fit into
// the stride.
unsafe impl<T: Send + 'static> Columns for Strips<'_, T> {
    type Raw = (Column<T>, StripLayout);
    type Chunk<'a> = Strip<'a, T>;
    fn len(&self) -> usize {
        self.layout.columns
    }
    fn into_raw(self) -> Self::Raw {
        (self.elements.into_raw(), self.layout)
    }
    unsafe fn part<'a>((column, layout): Self::Raw, range: Range<usize>) -> Self::Chunk<'a> {
        let StripLayout { rows, stride, width, .. } = layout;
        // An empty matrix has no first element for a pointer.
        let start = if rows == 0 { 0 } else { range.start * width };
        // SAFETY: the caller keeps `range` inside the columns, which end inside the first row.
        let first = unsafe { column.0.add(start) };
        Strip { first, rows, stride, len: range.len() * width, borrow: PhantomData }
    }
}

macro_rules! columns_of_tuple {
    ($($name:ident $index:tt),+) => {
        // SAFETY: each column cuts disjoint ranges into disjoint memory, and the columns are different `&mut`
        // slices.
        unsafe impl<$($name: Columns),+> Columns for ($($name,)+) {
            type Raw = ($($name::Raw,)+);
            type Chunk<'a> = ($($name::Chunk<'a>,)+);
            fn len(&self) -> usize {
                let len = self.0.len();
                $(assert_eq!(self.$index.len(), len, "columns differ in length");)+
                len
            }
            fn into_raw(self) -> Self::Raw {
                ($(self.$index.into_raw(),)+)
            }
            unsafe fn part<'a>(raw: Self::Raw, range: Range<usize>) -> Self::Chunk<'a> {
                // SAFETY: the caller's promise holds for each column.
                unsafe { ($($name::part(raw.$index, range.clone()),)+) }
            }
        }
    };
}
columns_of_tuple!(A 0, B 1);
columns_of_tuple!(A 0, B 1, C 2);
columns_of_tuple!(A 0, B 1, C 2, D 3);
columns_of_tuple!(A 0, B 1, C 2, D 3, E 4);
columns_of_tuple!(A 0, B 1, C 2, D 3, E 4, F 5);

/// Calls `body(start, chunk)` for every chunk of `chunk` rows of the columns; the chunks are disjoint and may
/// run at the same time. `start` is the row of the chunk's first element.
///
/// # Panics
/// If the columns differ in length, or if `body` panics.
pub fn for_each_chunk_mut<C: Columns, F: for<'a> Fn(usize, C::Chunk<'a>) + Sync>(
    exec: &dyn Executor,
    chunk: usize,
    columns: C,
    body: &F,
) {
    let len = columns.len();
    let raw = columns.into_raw();
    exec.run(chunk_count(len, chunk), &|index| {
        let range = chunk_range(len, chunk, index);
        // SAFETY: `chunk_range` stays inside `len` and gives disjoint ranges for different indices; the
        // executor's contract runs each index once and returns before the borrow behind `columns` ends.
        body(range.start, unsafe { C::part(raw, range) });
    });
}
