//! Views of slices, without `unsafe`.

use super::{Format, ParticleView, Semantic, Stream, ViewDescription, ViewError};
use glam::Vec3;
use std::marker::PhantomData;

/// Particles in the caller's slices, one slice per attribute: the safe constructor of a view.
///
/// All slices must have the same length, which is the capacity; all rows are particles unless
/// [`count`](Self::count) sets a smaller number.
#[derive(Debug)]
pub struct ParticleSlices<'a> {
    streams: [Stream; Semantic::ALL.len()],
    used: usize,
    capacity: Option<usize>,
    count: Option<usize>,
    indices: Option<&'a [u32]>,
    problem: Option<ViewError>,
    slices: PhantomData<&'a mut [u8]>,
}

// SAFETY: stands for `&mut` slices of plain numbers.
unsafe impl Send for ParticleSlices<'_> {}

impl Default for ParticleSlices<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> ParticleSlices<'a> {
    /// Creates a set without attributes.
    pub fn new() -> Self {
        let unused = Stream {
            semantic: Semantic::Position,
            format: Format::F32X3,
            stride: 0,
            offset: 0,
            base: std::ptr::null_mut(),
        };
        Self {
            streams: [unused; Semantic::ALL.len()],
            used: 0,
            capacity: None,
            count: None,
            indices: None,
            problem: None,
            slices: PhantomData,
        }
    }

    /// Adds positions, velocities, angular velocities or normals.
    #[must_use]
    pub fn vec3(self, semantic: Semantic, values: &'a mut [Vec3]) -> Self {
        // glam's Vec3 is three f32 in order, without padding (repr(C)).
        self.with(semantic, Format::F32X3, values)
    }

    /// Adds an attribute of one `f32`, or one component of a vector.
    #[must_use]
    pub fn f32(self, semantic: Semantic, values: &'a mut [f32]) -> Self {
        self.with(semantic, Format::F32, values)
    }

    /// Adds orientations: quaternions x, y, z, w.
    #[must_use]
    pub fn quat(self, semantic: Semantic, values: &'a mut [[f32; 4]]) -> Self {
        self.with(semantic, Format::QuatF32, values)
    }

    /// Adds an attribute of one `u32`: flags or hits.
    #[must_use]
    pub fn u32(self, semantic: Semantic, values: &'a mut [u32]) -> Self {
        self.with(semantic, Format::U32, values)
    }

    /// Adds an attribute of one byte: dead or alive flags.
    #[must_use]
    pub fn u8(self, semantic: Semantic, values: &'a mut [u8]) -> Self {
        self.with(semantic, Format::U8, values)
    }

    /// Adds an attribute of one `i32`: birth frames.
    #[must_use]
    pub fn i32(self, semantic: Semantic, values: &'a mut [i32]) -> Self {
        self.with(semantic, Format::I32, values)
    }

    /// Makes only the first `count` rows particles; the remaining rows are free for emission.
    #[must_use]
    pub fn count(mut self, count: usize) -> Self {
        self.count = Some(count);
        self
    }

    /// Restricts visits to these rows: strictly ascending.
    #[must_use]
    pub fn indices(mut self, indices: &'a [u32]) -> Self {
        self.indices = Some(indices);
        self
    }

    /// Returns the view.
    ///
    /// # Errors
    /// [`ViewError`]: slices of different lengths, a semantic with another format, an attribute given
    /// twice, a count above the slices' length, invalid indices.
    pub fn view(&mut self) -> Result<ParticleView<'_>, ViewError> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let capacity = self.capacity.unwrap_or(0);
        let description = ViewDescription {
            count: self.count.unwrap_or(capacity),
            capacity,
            streams: &self.streams[..self.used],
            table: std::ptr::null(),
            indices: self.indices,
            element_size: 0,
        };
        // SAFETY: the streams are `&'a mut` slices of `capacity` elements whose borrow this object holds, and
        // `view`'s own borrow keeps a second view from being made.
        unsafe { ParticleView::new(description) }
    }

    /// Adds a stream. `T` must match `format`, which each caller states next to its type.
    fn with<T>(mut self, semantic: Semantic, format: Format, values: &'a mut [T]) -> Self {
        debug_assert_eq!(size_of::<T>(), format.size());
        let expected = *self.capacity.get_or_insert(values.len());
        if values.len() != expected {
            self.problem.get_or_insert(ViewError::SliceLength {
                stream: semantic,
                len: values.len(),
                expected,
            });
        } else if self.used == self.streams.len() {
            // More streams than there are semantics: one of them occurs twice.
            self.problem.get_or_insert(ViewError::DuplicateStream { stream: semantic });
        } else {
            self.streams[self.used] = Stream {
                semantic,
                format,
                stride: size_of::<T>(),
                offset: 0,
                base: values.as_mut_ptr().cast(),
            };
            self.used += 1;
        }
        self
    }
}
