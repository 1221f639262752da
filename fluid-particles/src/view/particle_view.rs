//! The view: a checked description, divided into chunks, extended by emission and shortened by compaction.

use super::check::check;
use super::columns::row_of;
use super::{Chunk, CompactError, Semantic, Stream, ViewDescription, ViewError};
use fluid_threads::{Executor, chunk_count, chunk_range, for_each_chunk_mut};
use std::marker::PhantomData;

/// A checked description with exclusive access to the elements that it describes.
///
/// A view can be sent to any thread: its elements are read and written on any thread of an executor.
///
/// An array of a game's own structures:
///
/// ```
/// use fluid_particles::view::{Format, ParticleView, Semantic, Stream, ViewDescription};
/// use std::mem::{offset_of, size_of};
///
/// #[repr(C)]
/// struct Spark {
///     colour: u32,
///     position: [f32; 3],
///     velocity: [f32; 3],
/// }
///
/// let mut sparks = [const { Spark { colour: 0, position: [0.0; 3], velocity: [0.0; 3] } }; 100];
/// let base = sparks.as_mut_ptr().cast();
/// let stream = |semantic, offset| {
///     Stream { semantic, format: Format::F32X3, stride: size_of::<Spark>(), offset, base }
/// };
/// let streams = [
///     stream(Semantic::Position, offset_of!(Spark, position)),
///     stream(Semantic::Velocity, offset_of!(Spark, velocity)),
/// ];
/// let description = ViewDescription {
///     count: 100,
///     capacity: 100,
///     streams: &streams,
///     table: std::ptr::null(),
///     indices: None,
///     element_size: size_of::<Spark>(),
/// };
/// // SAFETY: the streams lie in `sparks`, which nothing else uses as long as the view exists.
/// let view = unsafe { ParticleView::new(description) }?;
/// assert_eq!(view.visits(), 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ParticleView<'a> {
    description: ViewDescription<'a>,
    memory: PhantomData<&'a mut [u8]>,
}

// SAFETY: a view stands for `&mut` to plain numbers, by the contract of `ParticleView::new` on any thread;
// through `&self` only the description is read.
unsafe impl Send for ParticleView<'_> {}
// SAFETY: as above; elements are reached through `&mut self` only.
unsafe impl Sync for ParticleView<'_> {}

impl<'a> ParticleView<'a> {
    /// Checks a description. Cost: O(streams²), plus one walk over table and indices. Does not allocate.
    ///
    /// With capacity 0, bases may be null: an empty `std::vector` is a valid view.
    ///
    /// # Errors
    /// [`ViewError`] with the stream or row that is wrong.
    ///
    /// # Safety
    /// For as long as the view lives:
    /// * every row below `capacity` of every stream is initialised memory, with any content, that may be read
    ///   and written from any thread, and nothing else reads or writes it;
    /// * the same holds for memory that compaction moves along: the fourth component of
    ///   [`Format::F32X4`](super::Format::F32X4) and, if `element_size` is not 0 and there is no table,
    ///   whole particles, `base .. base + capacity * element_size`;
    /// * a table, if not null, points to `capacity` addresses, nothing writes them, and no two of them
    ///   belong to the same or to overlapping particles (other overlaps are detected, this one is not
    ///   checked).
    pub unsafe fn new(description: ViewDescription<'a>) -> Result<Self, ViewError> {
        // SAFETY: the caller promises that a table, if not null, has `capacity` addresses.
        unsafe { check(&description)? };
        Ok(Self { description, memory: PhantomData })
    }

    /// Returns the number of particles.
    pub fn count(&self) -> usize {
        self.description.count
    }

    /// Returns the number of rows with memory.
    pub fn capacity(&self) -> usize {
        self.description.capacity
    }

    /// Returns the number of visited particles: all, or one per index.
    pub fn visits(&self) -> usize {
        self.description.indices.map_or(self.description.count, <[u32]>::len)
    }

    /// Returns the row of the `visit`-th visited particle.
    ///
    /// # Panics
    /// If `visit` is out of range.
    pub fn row_of_visit(&self, visit: usize) -> usize {
        assert!(visit < self.visits(), "visit out of range");
        row_of(self.description.indices, visit)
    }

    /// Returns true if only listed particles are visited.
    pub fn has_indices(&self) -> bool {
        self.description.indices.is_some()
    }

    /// Returns true if the attribute exists; vectors may be stored whole or by components.
    pub fn has(&self, semantic: Semantic) -> bool {
        self.stream(semantic).is_some()
            || semantic.components().is_some_and(|[x, ..]| self.stream(x).is_some())
    }

    /// Calls `body` with each chunk of `size` visited particles and that chunk's element of `per_chunk`, in
    /// parallel.
    ///
    /// # Panics
    /// If `size` is 0, if `per_chunk` is not one element per chunk, or if `body` panics.
    pub fn for_each_chunk<T: Send + 'static>(
        &mut self,
        exec: &dyn Executor,
        size: usize,
        per_chunk: &mut [T],
        body: &(dyn Fn(Chunk<'_>, &mut T) + Sync),
    ) {
        let visits = self.visits();
        assert_eq!(per_chunk.len(), chunk_count(visits, size), "one element per chunk");
        let view = &*self;
        for_each_chunk_mut(exec, 1, per_chunk, &|index, slot: &mut [T]| {
            let range = chunk_range(visits, size, index);
            // SAFETY: visits are rows below `count` (check.rs: `check_indices`). Chunks are disjoint: ranges
            // of visits are, and indices ascend strictly, so no row is visited twice. `&mut self` outlives
            // the loop, so no other chunk lives.
            let chunk = unsafe { Chunk::new(view, view.description.indices, range.start, range.len()) };
            body(chunk, &mut slot[0]);
        });
    }

    /// Returns all visited particles in one chunk.
    pub fn whole(&mut self) -> Chunk<'_> {
        // SAFETY: visits are rows below `count` (check.rs: `check_indices`); the chunk borrows all of the
        // view, so no other lives.
        unsafe { Chunk::new(self, self.description.indices, 0, self.visits()) }
    }

    /// Returns the rows `count..capacity`, for new particles. Their content is whatever the host left there.
    pub fn spare(&mut self) -> Chunk<'_> {
        let ViewDescription { count, capacity, .. } = self.description;
        // SAFETY: the rows are below the capacity; the chunk borrows all of the view, so no other lives.
        unsafe { Chunk::new(self, None, count, capacity - count) }
    }

    /// Makes the first `new` spare rows particles.
    ///
    /// # Panics
    /// If there are fewer spare rows.
    pub fn grow(&mut self, new: usize) {
        let ViewDescription { count, capacity, .. } = self.description;
        assert!(new <= capacity - count, "no room for {new} more particles");
        self.description.count += new;
    }

    /// Checks whether [`compact`](Self::compact) is possible: in an array of structures (`element_size`
    /// given, one base, all strides equal to it) it moves whole particles; otherwise (`element_size` 0)
    /// every stream must be packed and is moved by itself.
    ///
    /// # Errors
    /// [`CompactError`] with the reason.
    pub fn check_compact(&self) -> Result<(), CompactError> {
        let ViewDescription { capacity, streams, table, indices, element_size, .. } = self.description;
        if !table.is_null() {
            return Err(CompactError::Table);
        }
        if indices.is_some() {
            return Err(CompactError::Indices);
        }
        let Some(first) = streams.first() else { return Err(CompactError::NoStreams) };
        for stream in streams {
            if element_size != 0 {
                if stream.base != first.base || stream.stride != element_size {
                    return Err(CompactError::NotOneArray { stream: stream.semantic });
                }
            } else if capacity > 1 && stream.stride != stream.format.size() {
                return Err(CompactError::NotPacked { stream: stream.semantic });
            }
        }
        Ok(())
    }

    /// Keeps the particles for which `keep(row)` holds, in their order, and returns the number removed.
    /// `keep` is called once per row, in order. Rows after the last kept one keep their content.
    ///
    /// # Errors
    /// As [`check_compact`](Self::check_compact); nothing has been moved in that case.
    pub fn compact(&mut self, mut keep: impl FnMut(usize) -> bool) -> Result<usize, CompactError> {
        self.check_compact()?;
        let count = self.description.count;
        let (mut kept, mut run) = (0, 0);
        for row in 0..=count {
            if row < count && keep(row) {
                continue;
            }
            // Rows run..row are kept, and row is removed (or is the end).
            self.move_rows(run, kept, row - run);
            kept += row - run;
            run = row + 1;
        }
        self.description.count = kept;
        Ok(count - kept)
    }

    /// Moves `len` rows from `from` to `to <= from`. `check_compact` has passed and `from + len <= count`.
    fn move_rows(&mut self, from: usize, to: usize, len: usize) {
        if from == to || len == 0 {
            return;
        }
        let ViewDescription { streams, element_size, .. } = self.description;
        let whole_particles = element_size != 0;
        let moved = if whole_particles { &streams[..1] } else { streams };
        for stream in moved {
            let start = if whole_particles { stream.base } else { stream.base.wrapping_add(stream.offset) };
            // SAFETY: both ranges lie in rows below `count`; in an array of structures `new`'s contract gives
            // whole particles, in packed streams `stride` is the size of an element, so ranges hold nothing
            // but elements of this stream. `copy` allows overlap.
            unsafe {
                std::ptr::copy(
                    start.wrapping_add(from * stream.stride),
                    start.wrapping_add(to * stream.stride),
                    len * stream.stride,
                );
            }
        }
    }

    /// Returns null, or the addresses of all rows: aligned, `capacity` of them.
    pub(super) fn table(&self) -> *const *mut u8 {
        self.description.table
    }

    /// Returns the stream of exactly this semantic.
    pub(super) fn stream(&self, semantic: Semantic) -> Option<&'a Stream> {
        self.description.streams.iter().find(|stream| stream.semantic == semantic)
    }
}
