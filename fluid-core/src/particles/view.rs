//! Views: particles that live in a host's memory, in the host's layout. A view describes, it never owns.
//!
//! Three shapes of storage: arrays of structures and structures of arrays (`base + offset + row * stride`), and lists of
//! pointers (`table[row] + offset`). [`ParticleView::new`] checks a description once; what it hands out afterwards
//! ([`Chunk`] and its columns) is safe. No slice is ever made over host memory: elements are read and written one by one
//! through raw pointers, because what lies between them may be in use by others.

use fluid_threads::{Executor, chunk_count, chunk_range, for_each_chunk_mut};
use glam::Vec3;
use std::fmt;
use std::marker::PhantomData;

/// Bit of [`Semantic::Flags`] that says: this particle is dead, leave it alone.
pub const DEAD: u32 = 1;

/// What a stream means. The numbers are part of the C interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Semantic {
    /// Position \[m\]: three components.
    Position = 1,
    /// Velocity \[m/s\]: three components.
    Velocity = 2,
    /// Age \[s\]: `f32`.
    Age = 3,
    /// Age at which this particle dies \[s\]: `f32`.
    Lifetime = 4,
    /// Number of the frame in which it was born: `i32`.
    BirthFrame = 5,
    /// Bits: `u32`. Bit 0 is [`DEAD`], the rest is the host's.
    Flags = 6,
    /// Diameter \[m\]: `f32`.
    Size = 7,
    /// Density \[kg/m³\]: `f32`.
    Density = 8,
    /// Temperature \[K\]: `f32`.
    Temperature = 9,
    /// First component of the position \[m\] in an array of its own: `f32`. All three or none.
    PositionX = 16,
    /// Second component of the position \[m\]: `f32`.
    PositionY = 17,
    /// Third component of the position \[m\]: `f32`.
    PositionZ = 18,
    /// First component of the velocity \[m/s\] in an array of its own: `f32`. All three or none.
    VelocityX = 19,
    /// Second component of the velocity \[m/s\]: `f32`.
    VelocityY = 20,
    /// Third component of the velocity \[m/s\]: `f32`.
    VelocityZ = 21,
    /// The host's own attribute 0: `f32`. Emission fills it and compaction moves it; nothing else touches it.
    User0 = 64,
    /// The host's own attribute 1.
    User1 = 65,
    /// The host's own attribute 2.
    User2 = 66,
    /// The host's own attribute 3.
    User3 = 67,
    /// The host's own attribute 4.
    User4 = 68,
    /// The host's own attribute 5.
    User5 = 69,
    /// The host's own attribute 6.
    User6 = 70,
    /// The host's own attribute 7.
    User7 = 71,
    /// The host's own attribute 8.
    User8 = 72,
    /// The host's own attribute 9.
    User9 = 73,
    /// The host's own attribute 10.
    User10 = 74,
    /// The host's own attribute 11.
    User11 = 75,
    /// The host's own attribute 12.
    User12 = 76,
    /// The host's own attribute 13.
    User13 = 77,
    /// The host's own attribute 14.
    User14 = 78,
    /// The host's own attribute 15.
    User15 = 79,
}

impl Semantic {
    /// Every semantic, in the order of their numbers.
    pub const ALL: [Self; 31] = [
        Self::Position,
        Self::Velocity,
        Self::Age,
        Self::Lifetime,
        Self::BirthFrame,
        Self::Flags,
        Self::Size,
        Self::Density,
        Self::Temperature,
        Self::PositionX,
        Self::PositionY,
        Self::PositionZ,
        Self::VelocityX,
        Self::VelocityY,
        Self::VelocityZ,
        Self::User0,
        Self::User1,
        Self::User2,
        Self::User3,
        Self::User4,
        Self::User5,
        Self::User6,
        Self::User7,
        Self::User8,
        Self::User9,
        Self::User10,
        Self::User11,
        Self::User12,
        Self::User13,
        Self::User14,
        Self::User15,
    ];

    /// The semantic with this number, if there is one.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|semantic| semantic.code() == code)
    }

    /// Its number in the C interface.
    pub const fn code(self) -> u32 {
        self as u32
    }

    /// Formats that a stream of this semantic may have.
    pub const fn formats(self) -> &'static [Format] {
        match self {
            Self::Position | Self::Velocity => &[Format::F32X3, Format::F32X4, Format::F64X3],
            Self::BirthFrame => &[Format::I32],
            Self::Flags => &[Format::U32],
            _ => &[Format::F32],
        }
    }

    /// For a vector: the three semantics that hold its components in arrays of their own.
    const fn components(self) -> Option<[Self; 3]> {
        match self {
            Self::Position => Some([Self::PositionX, Self::PositionY, Self::PositionZ]),
            Self::Velocity => Some([Self::VelocityX, Self::VelocityY, Self::VelocityZ]),
            _ => None,
        }
    }
}

/// How one element of a stream is stored. The numbers are part of the C interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Format {
    /// One `f32`.
    F32 = 1,
    /// Three `f32`.
    F32X3 = 3,
    /// Four `f32`, of which x, y, z are used. The fourth belongs to the host: it is neither read nor written (compaction
    /// moves it along with its particle).
    F32X4 = 4,
    /// Three `f64`. Arithmetic is in `f32`, except that positions are advanced in `f64`.
    F64X3 = 5,
    /// One `u32`.
    U32 = 7,
    /// One `i32`.
    I32 = 8,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 6] = [Self::F32, Self::F32X3, Self::F32X4, Self::F64X3, Self::U32, Self::I32];

    /// The format with this number, if there is one.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.code() == code)
    }

    /// Its number in the C interface.
    pub const fn code(self) -> u32 {
        self as u32
    }

    /// Bytes of one element.
    pub const fn size(self) -> usize {
        match self {
            Self::F32 | Self::U32 | Self::I32 => 4,
            Self::F32X3 => 12,
            Self::F32X4 => 16,
            Self::F64X3 => 24,
        }
    }

    /// Bytes of one component, which is also the alignment that addresses must have.
    pub const fn component_size(self) -> usize {
        match self {
            Self::F64X3 => 8,
            _ => 4,
        }
    }

    /// Bytes of one element that are read or written.
    const fn touched(self) -> usize {
        match self {
            Self::F32X4 => 12,
            _ => self.size(),
        }
    }
}

/// Where one attribute of all particles lies: row i at `base + offset + i * stride`, or at `table[i] + offset` if the view
/// has a table (then `base` and `stride` are not looked at).
#[derive(Debug, Clone, Copy)]
pub struct Stream {
    /// What it means.
    pub semantic: Semantic,
    /// How one element is stored.
    pub format: Format,
    /// Bytes from one row to the next.
    pub stride: usize,
    /// Bytes from `base` (or from the table's entry) to the first component.
    pub offset: usize,
    /// Start of the first particle.
    pub base: *mut u8,
}

/// What a host says about its particles, not checked yet.
#[derive(Debug, Clone, Copy)]
pub struct ViewDescription<'a> {
    /// Particles that exist: rows `0..count`.
    pub count: usize,
    /// Rows for which there is memory. Emission fills `count..capacity`.
    pub capacity: usize,
    /// One stream per attribute.
    pub streams: &'a [Stream],
    /// Null, or the addresses of `capacity` particles.
    pub table: *const *mut u8,
    /// If given, only these rows are visited: strictly ascending, below `count`.
    pub indices: Option<&'a [u32]>,
    /// Bytes of one whole particle in an array of structures; 0 if unknown. Compaction needs it.
    pub element_size: usize,
}

/// Why a description was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViewError {
    /// The stream has no memory although the view has rows.
    NullBase {
        /// The stream.
        stream: Semantic,
    },
    /// The format does not suit the semantic.
    WrongFormat {
        /// The stream.
        stream: Semantic,
        /// Its format.
        format: Format,
    },
    /// The attribute is described twice (also: a vector both whole and by components).
    DuplicateStream {
        /// The second stream.
        stream: Semantic,
    },
    /// Some components of a vector have streams, others have none.
    MissingComponent {
        /// The component that is missing.
        stream: Semantic,
    },
    /// Rows would overlap each other.
    StrideTooSmall {
        /// The stream.
        stream: Semantic,
        /// Its stride in bytes.
        stride: usize,
        /// Least stride in bytes.
        needed: usize,
    },
    /// `base + offset` is not a multiple of the component's size.
    MisalignedBase {
        /// The stream.
        stream: Semantic,
        /// Alignment needed, in bytes.
        alignment: usize,
    },
    /// The stride is not a multiple of the component's size.
    MisalignedStride {
        /// The stream.
        stream: Semantic,
        /// Its stride in bytes.
        stride: usize,
        /// Alignment needed, in bytes.
        alignment: usize,
    },
    /// The last row lies beyond the end of the address space.
    AddressOverflow {
        /// The stream.
        stream: Semantic,
    },
    /// Two streams share bytes.
    Overlap {
        /// One stream.
        first: Semantic,
        /// The other.
        second: Semantic,
    },
    /// More particles than there is memory for.
    CountAboveCapacity {
        /// Particles.
        count: usize,
        /// Rows with memory.
        capacity: usize,
    },
    /// Rows are numbered by `u32`.
    TooManyRows {
        /// Rows with memory.
        capacity: usize,
    },
    /// The table itself is not aligned to a pointer's size.
    MisalignedTable,
    /// An entry of the table is null.
    NullTableEntry {
        /// Its row.
        row: usize,
    },
    /// An entry of the table plus the stream's offset is not a multiple of the component's size.
    MisalignedTableEntry {
        /// Its row.
        row: usize,
        /// The stream.
        stream: Semantic,
    },
    /// An entry of the table lies too close to the end of the address space.
    TableEntryOverflow {
        /// Its row.
        row: usize,
    },
    /// An index is not larger than the one before it.
    IndicesNotAscending {
        /// Which index.
        at: usize,
    },
    /// An index names no particle.
    IndexOutOfRange {
        /// Which index.
        at: usize,
        /// Its value.
        index: u32,
        /// Particles.
        count: usize,
    },
    /// The stream reaches beyond the particle.
    ElementTooSmall {
        /// The stream.
        stream: Semantic,
        /// Bytes of a particle, as described.
        element_size: usize,
        /// Bytes that the stream needs.
        needed: usize,
    },
    /// A slice is not as long as the others.
    SliceLength {
        /// The stream.
        stream: Semantic,
        /// Its length.
        len: usize,
        /// Length of the slices before it.
        expected: usize,
    },
}

impl fmt::Display for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NullBase { stream } => {
                write!(f, "stream {stream:?}: base is null; give the address of the first particle")
            }
            Self::WrongFormat { stream, format } => {
                write!(
                    f,
                    "stream {stream:?}: format {format:?} does not suit it; use one of {:?}",
                    stream.formats()
                )
            }
            Self::DuplicateStream { stream } => write!(
                f,
                "stream {stream:?}: the attribute is described twice; give each attribute one stream, vectors whole or by component"
            ),
            Self::MissingComponent { stream } => {
                write!(f, "stream {stream:?} is missing; a vector by components needs all three")
            }
            Self::StrideTooSmall { stream, stride, needed } => write!(
                f,
                "stream {stream:?}: a stride of {stride} bytes makes rows overlap; it must be at least {needed}"
            ),
            Self::MisalignedBase { stream, alignment } => {
                write!(f, "stream {stream:?}: base + offset must be a multiple of {alignment}")
            }
            Self::MisalignedStride { stream, stride, alignment } => {
                write!(f, "stream {stream:?}: the stride of {stride} bytes must be a multiple of {alignment}")
            }
            Self::AddressOverflow { stream } => write!(
                f,
                "stream {stream:?}: base, offset, stride and capacity reach beyond the end of memory; check them"
            ),
            Self::Overlap { first, second } => write!(
                f,
                "streams {first:?} and {second:?} share bytes; check their offsets (streams of different strides must not \
                 interleave)"
            ),
            Self::CountAboveCapacity { count, capacity } => {
                write!(f, "count {count} is above capacity {capacity}")
            }
            Self::TooManyRows { capacity } => {
                write!(f, "capacity {capacity} is above {}, the most rows a view can have", u32::MAX)
            }
            Self::MisalignedTable => {
                write!(f, "the table must be aligned to {} bytes", align_of::<*mut u8>())
            }
            Self::NullTableEntry { row } => {
                write!(
                    f,
                    "entry {row} of the table is null; the table needs one address for each of capacity rows"
                )
            }
            Self::MisalignedTableEntry { row, stream } => {
                write!(f, "entry {row} of the table plus the offset of stream {stream:?} is misaligned")
            }
            Self::TableEntryOverflow { row } => {
                write!(
                    f,
                    "entry {row} of the table is too close to the end of memory; it cannot be a particle"
                )
            }
            Self::IndicesNotAscending { at } => {
                write!(f, "index {at} is not larger than the one before it; indices must ascend strictly")
            }
            Self::IndexOutOfRange { at, index, count } => {
                write!(f, "index {at} is {index}, but there are {count} particles")
            }
            Self::ElementTooSmall { stream, element_size, needed } => write!(
                f,
                "stream {stream:?} reaches to byte {needed} of a particle, but element_size is {element_size}"
            ),
            Self::SliceLength { stream, len, expected } => {
                write!(f, "slice {stream:?} has {len} elements, the others have {expected}")
            }
        }
    }
}

impl std::error::Error for ViewError {}

/// Why a view's rows cannot be moved together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompactError {
    /// A list of pointers is the host's to shorten.
    Table,
    /// Only some particles are visited, so the rest cannot be judged.
    Indices,
    /// Nothing is described that could be moved.
    NoStreams,
    /// `element_size` is given, but this stream's stride or base says that it does not lie in one array of such particles.
    NotOneArray {
        /// The stream.
        stream: Semantic,
    },
    /// `element_size` is 0 and this stream has gaps, whose content would be left behind.
    NotPacked {
        /// The stream.
        stream: Semantic,
    },
}

impl fmt::Display for CompactError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Table => {
                write!(f, "a view with a pointer table cannot be compacted; list the dead instead")
            }
            Self::Indices => write!(f, "a view with indices cannot be compacted; give all particles"),
            Self::NoStreams => write!(f, "a view without streams cannot be compacted"),
            Self::NotOneArray { stream } => write!(
                f,
                "stream {stream:?}: with element_size, all streams need one base and a stride of element_size"
            ),
            Self::NotPacked { stream } => write!(
                f,
                "stream {stream:?} has gaps; give element_size (array of structures) or packed arrays"
            ),
        }
    }
}

impl std::error::Error for CompactError {}

/// A description that has been checked, with the exclusive right to the elements that it describes.
///
/// A view can be sent to any thread: its elements are read and written on whatever threads an executor has.
#[derive(Debug)]
pub struct ParticleView<'a> {
    description: ViewDescription<'a>,
    memory: PhantomData<&'a mut [u8]>,
}

// SAFETY: a view stands for `&mut` to plain numbers, by the contract of `ParticleView::new` on any thread; through `&self`
// only the description is read.
unsafe impl Send for ParticleView<'_> {}
// SAFETY: as above; elements are reached through `&mut self` only.
unsafe impl Sync for ParticleView<'_> {}

impl<'a> ParticleView<'a> {
    /// Checks a description. Cost: O(streams²), plus one walk over table and indices. Does not allocate.
    ///
    /// With capacity 0 bases may be null: an empty `std::vector` is a view of nothing.
    ///
    /// # Errors
    /// [`ViewError`] with the stream or row that is wrong.
    ///
    /// # Safety
    /// For as long as the view lives:
    /// * every row below `capacity` of every stream is initialised memory, with any content, that may be read and written
    ///   from any thread, and nobody else reads or writes it;
    /// * a table, if not null, points to `capacity` addresses, nobody writes them, and no two of them are of the same or of
    ///   overlapping particles (other overlaps are found, this one is not looked for);
    /// * if `element_size` is not 0 and there is no table, whole particles, `base .. base + capacity * element_size`, are such
    ///   memory too, and for [`Format::F32X4`] so is the fourth component.
    pub unsafe fn new(description: ViewDescription<'a>) -> Result<Self, ViewError> {
        let ViewDescription { count, capacity, streams, indices, .. } = description;
        if count > capacity {
            return Err(ViewError::CountAboveCapacity { count, capacity });
        }
        if u32::try_from(capacity).is_err() {
            return Err(ViewError::TooManyRows { capacity });
        }
        for (number, stream) in streams.iter().enumerate() {
            check_meaning(stream, &streams[..number])?;
            check_place(stream, &description)?;
        }
        check_components(streams)?;
        for (number, second) in streams.iter().enumerate() {
            for first in &streams[..number] {
                if overlap(first, second, &description) {
                    return Err(ViewError::Overlap { first: first.semantic, second: second.semantic });
                }
            }
        }
        if !description.table.is_null() {
            // SAFETY: the caller promises `capacity` addresses.
            unsafe { check_table(&description)? };
        }
        check_indices(indices, count)?;
        Ok(Self { description, memory: PhantomData })
    }

    /// Particles that exist.
    pub fn count(&self) -> usize {
        self.description.count
    }

    /// Rows for which there is memory.
    pub fn capacity(&self) -> usize {
        self.description.capacity
    }

    /// Particles that are visited: all, or as many as there are indices.
    pub fn visits(&self) -> usize {
        self.description.indices.map_or(self.description.count, <[u32]>::len)
    }

    /// Row of the `visit`-th particle visited.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn row_of_visit(&self, visit: usize) -> usize {
        assert!(visit < self.visits(), "visit out of range");
        row_of(self.description.indices, visit)
    }

    /// True if only listed particles are visited.
    pub fn has_indices(&self) -> bool {
        self.description.indices.is_some()
    }

    /// True if the attribute is there; vectors may be whole or by components.
    pub fn has(&self, semantic: Semantic) -> bool {
        self.stream(semantic).is_some()
            || semantic.components().is_some_and(|[x, ..]| self.stream(x).is_some())
    }

    /// Calls `body` with each chunk of `size` visited particles and that chunk's element of `per_chunk`, in parallel.
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
            // Chunks are disjoint: ranges of visits are, and indices ascend strictly, so no row is visited twice.
            let chunk = Chunk::new(view, view.description.indices, range.start, range.len());
            body(chunk, &mut slot[0]);
        });
    }

    /// All visited particles in one chunk.
    pub fn whole(&mut self) -> Chunk<'_> {
        Chunk::new(self, self.description.indices, 0, self.visits())
    }

    /// The rows `count..capacity`, where new particles go. Their content is whatever the host left there.
    pub fn spare(&mut self) -> Chunk<'_> {
        let ViewDescription { count, capacity, .. } = self.description;
        Chunk::new(self, None, count, capacity - count)
    }

    /// Makes the first `new` spare rows particles.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn grow(&mut self, new: usize) {
        let ViewDescription { count, capacity, .. } = self.description;
        assert!(new <= capacity - count, "no room for {new} more particles");
        self.description.count += new;
    }

    /// Whether [`compact`](Self::compact) can work: an array of structures (`element_size` given, one base, all strides
    /// equal to it) moves whole particles; otherwise (`element_size` 0) every stream must be packed and is moved by itself.
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

    /// Keeps the particles for which `keep(row)` holds, in their order, and returns how many went. `keep` is asked once per
    /// row, in order. Rows behind the last kept one keep what was in them.
    ///
    /// # Errors
    /// As [`check_compact`](Self::check_compact); nothing has been moved then.
    pub fn compact(&mut self, mut keep: impl FnMut(usize) -> bool) -> Result<usize, CompactError> {
        self.check_compact()?;
        let count = self.description.count;
        let (mut kept, mut run) = (0, 0);
        for row in 0..=count {
            if row < count && keep(row) {
                continue;
            }
            // Rows run..row stay, and row goes (or is the end).
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
            // SAFETY: both ranges lie in rows below `count`; in an array of structures `new`'s contract gives whole particles,
            // in packed streams `stride` is the size of an element, so ranges hold nothing but elements of this stream.
            // `copy` allows overlap.
            unsafe {
                std::ptr::copy(
                    start.wrapping_add(from * stream.stride),
                    start.wrapping_add(to * stream.stride),
                    len * stream.stride,
                );
            }
        }
    }

    fn stream(&self, semantic: Semantic) -> Option<&'a Stream> {
        self.description.streams.iter().find(|stream| stream.semantic == semantic)
    }
}

/// Particles in slices of the caller's, one slice per attribute: the safe way to a view.
///
/// All slices must have one length, which is the capacity; all rows are particles unless [`count`](Self::count) says less.
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
    /// No attributes yet.
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

    /// Adds positions or velocities.
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

    /// Adds an attribute of one `u32`: flags.
    #[must_use]
    pub fn u32(self, semantic: Semantic, values: &'a mut [u32]) -> Self {
        self.with(semantic, Format::U32, values)
    }

    /// Adds an attribute of one `i32`: birth frames.
    #[must_use]
    pub fn i32(self, semantic: Semantic, values: &'a mut [i32]) -> Self {
        self.with(semantic, Format::I32, values)
    }

    /// Only the first `count` rows are particles; the rest is room for emission.
    #[must_use]
    pub fn count(mut self, count: usize) -> Self {
        self.count = Some(count);
        self
    }

    /// Visit these rows only: strictly ascending.
    #[must_use]
    pub fn indices(mut self, indices: &'a [u32]) -> Self {
        self.indices = Some(indices);
        self
    }

    /// The view.
    ///
    /// # Errors
    /// [`ViewError`]: slices of different lengths, a semantic that has another format, an attribute given twice, a count
    /// above the slices' length, bad indices.
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
        // SAFETY: the streams are `&'a mut` slices of `capacity` elements whose borrow this object holds, and `view`'s own
        // borrow keeps a second view from being made.
        unsafe { ParticleView::new(description) }
    }

    /// `T` is what `format` says, which each caller states next to its type.
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
            // More streams than there are semantics: one of them is there twice.
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

/// Some particles of a view, exclusively: what one call of a loop's body works on. Elements are numbered from 0.
#[derive(Debug)]
pub struct Chunk<'v> {
    view: &'v ParticleView<'v>,
    rows: Rows<'v>,
    // Columns of one chunk write without `&mut`, so a chunk must not be shared between threads.
    not_sync: PhantomData<*mut u8>,
}

impl<'v> Chunk<'v> {
    /// The rows must be in the view and in no other chunk that lives.
    fn new(view: &'v ParticleView<'_>, indices: Option<&'v [u32]>, first: usize, len: usize) -> Self {
        let rows = Rows { table: view.description.table, indices, first, len };
        Self { view, rows, not_sync: PhantomData }
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.rows.len
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.len == 0
    }

    /// Row in the host's arrays of particle `k`.
    ///
    /// # Panics
    /// If there is no such particle.
    pub fn row(&self, k: usize) -> usize {
        self.rows.row(k)
    }

    /// Positions or velocities, whole or by components; None if the host has none.
    pub fn vec3(&self, semantic: Semantic) -> Option<Vec3Column<'_>> {
        let [x, y, z] = semantic.components()?;
        let component = |semantic| Some(Place::new(self.view.stream(semantic)?, &self.rows));
        let (places, wide) = if let Some(stream) = self.view.stream(semantic) {
            let place = Place::new(stream, &self.rows);
            let size = stream.format.component_size();
            ([place, place.shifted(size), place.shifted(2 * size)], stream.format == Format::F64X3)
        } else {
            ([component(x)?, component(y)?, component(z)?], false)
        };
        Some(Vec3Column { places, wide, rows: self.rows })
    }

    /// An attribute of one number per particle; None if the host has none, or if it is not stored as `T`.
    pub fn scalar<T: Scalar>(&self, semantic: Semantic) -> Option<ScalarColumn<'_, T>> {
        let stream = self.view.stream(semantic)?;
        (stream.format == T::FORMAT).then_some(ScalarColumn {
            place: Place::new(stream, &self.rows),
            rows: self.rows,
            element: PhantomData,
        })
    }

    /// Who is dead.
    pub fn vital_signs(&self) -> VitalSigns<'_> {
        VitalSigns(self.scalar(Semantic::Flags))
    }
}

/// Numbers that a stream can hold.
pub trait Scalar: Copy + sealed::Sealed {
    /// How it is stored.
    const FORMAT: Format;
}
impl Scalar for f32 {
    const FORMAT: Format = Format::F32;
}
impl Scalar for u32 {
    const FORMAT: Format = Format::U32;
}
impl Scalar for i32 {
    const FORMAT: Format = Format::I32;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for u32 {}
    impl Sealed for i32 {}
}

/// One number per particle of a chunk.
#[derive(Debug, Clone, Copy)]
pub struct ScalarColumn<'c, T> {
    place: Place,
    rows: Rows<'c>,
    element: PhantomData<T>,
}

impl<T: Scalar> ScalarColumn<'_, T> {
    /// The value of particle `k`.
    ///
    /// # Panics
    /// If there is no such particle.
    #[inline]
    pub fn get(&self, k: usize) -> T {
        // SAFETY: `at` asks `rows` whether there is a particle `k`; the stream has format T (`Chunk::scalar`) and is aligned
        // (`check_place`, `check_table`).
        unsafe { self.place.at(&self.rows, k).cast::<T>().read() }
    }

    /// Overwrites the value of particle `k`.
    ///
    /// # Panics
    /// If there is no such particle.
    #[inline]
    pub fn set(&self, k: usize, value: T) {
        // SAFETY: as in `get`; the chunk has this row alone, streams do not overlap, and columns stay on the chunk's thread.
        unsafe { self.place.at(&self.rows, k).cast::<T>().write(value) }
    }
}

/// One vector per particle of a chunk.
#[derive(Debug, Clone, Copy)]
pub struct Vec3Column<'c> {
    places: [Place; 3],
    wide: bool,
    rows: Rows<'c>,
}

impl Vec3Column<'_> {
    /// The vector of particle `k`, rounded to `f32`; what does not fit becomes infinite.
    ///
    /// # Panics
    /// If there is no such particle.
    #[inline]
    pub fn get(&self, k: usize) -> Vec3 {
        // SAFETY: `at` asks `rows` whether there is a particle `k`; `wide` says which of f32 and f64 the stream holds (`Chunk::vec3`);
        // addresses are aligned to it (`check_place`, `check_table`).
        unsafe {
            let [x, y, z] = self.places.map(|place| place.at(&self.rows, k));
            if self.wide {
                let [x, y, z] = [x, y, z].map(|address| address.cast::<f64>().read() as f32);
                Vec3::new(x, y, z)
            } else {
                Vec3::new(x.cast::<f32>().read(), y.cast::<f32>().read(), z.cast::<f32>().read())
            }
        }
    }

    /// Overwrites the vector of particle `k`.
    ///
    /// # Panics
    /// If there is no such particle.
    #[inline]
    pub fn set(&self, k: usize, value: Vec3) {
        if self.wide {
            return self.set_wide(k, value.as_dvec3().into());
        }
        for (place, value) in self.places.iter().zip(<[f32; 3]>::from(value)) {
            // SAFETY: as in `get`; the chunk has this row alone, streams do not overlap, and columns stay on the chunk's
            // thread.
            unsafe { place.at(&self.rows, k).cast::<f32>().write(value) }
        }
    }

    /// Overwrites the vector of particle `k` with as many digits as the stream holds.
    ///
    /// # Panics
    /// If there is no such particle.
    #[inline]
    pub fn set_wide(&self, k: usize, value: [f64; 3]) {
        for (place, value) in self.places.iter().zip(value) {
            // SAFETY: as in `set`.
            unsafe {
                let address = place.at(&self.rows, k);
                if self.wide {
                    address.cast::<f64>().write(value);
                } else {
                    address.cast::<f32>().write(value as f32);
                }
            }
        }
    }

    /// Adds `delta` to the vector of particle `k`, in the precision of the stream: far from the origin an `f64` position
    /// keeps its digits.
    ///
    /// # Panics
    /// If there is no such particle.
    #[inline]
    pub fn add(&self, k: usize, delta: Vec3) {
        if !self.wide {
            return self.set(k, self.get(k) + delta);
        }
        for (place, delta) in self.places.iter().zip(<[f32; 3]>::from(delta)) {
            // SAFETY: as in `set`.
            unsafe {
                let address = place.at(&self.rows, k).cast::<f64>();
                address.write(address.read() + f64::from(delta));
            }
        }
    }
}

/// Who of a chunk is dead: nobody, if the host has no flags.
#[derive(Debug, Clone, Copy)]
pub struct VitalSigns<'c>(Option<ScalarColumn<'c, u32>>);

impl VitalSigns<'_> {
    /// True if particle `k` is marked [`DEAD`].
    ///
    /// # Panics
    /// If there is no such particle.
    #[inline]
    pub fn is_dead(&self, k: usize) -> bool {
        self.0.is_some_and(|flags| flags.get(k) & DEAD != 0)
    }

    /// Marks particle `k` [`DEAD`]; without flags nothing happens.
    ///
    /// # Panics
    /// If there is no such particle.
    #[inline]
    pub fn mark_dead(&self, k: usize) {
        if let Some(flags) = self.0 {
            flags.set(k, flags.get(k) | DEAD);
        }
    }
}

/// Which rows a chunk has: `first..first + len` of the indices, or of all rows. Made by `Chunk::new` only.
#[derive(Debug, Clone, Copy)]
struct Rows<'v> {
    table: *const *mut u8,
    indices: Option<&'v [u32]>,
    first: usize,
    len: usize,
}

impl Rows<'_> {
    #[inline]
    fn row(&self, k: usize) -> usize {
        assert!(k < self.len, "particle out of range");
        row_of(self.indices, self.first + k)
    }

    /// True if the rows follow each other in memory at the stream's stride.
    #[inline]
    fn is_regular(&self) -> bool {
        self.table.is_null() && self.indices.is_none()
    }
}

#[inline]
fn row_of(indices: Option<&[u32]>, visit: usize) -> usize {
    indices.map_or(visit, |indices| indices[visit] as usize)
}

/// Where one component lies.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// In row 0; if rows are regular, in the first row of the chunk.
    start: *mut u8,
    stride: usize,
    offset: usize,
}

impl Place {
    fn new(stream: &Stream, rows: &Rows<'_>) -> Self {
        let Stream { base, stride, offset, .. } = *stream;
        let first = if rows.is_regular() { rows.first } else { 0 };
        Self { start: base.wrapping_add(offset).wrapping_add(first.wrapping_mul(stride)), stride, offset }
    }

    fn shifted(self, bytes: usize) -> Self {
        Self { start: self.start.wrapping_add(bytes), offset: self.offset.wrapping_add(bytes), ..self }
    }

    /// Address of the component of particle `k`, within the view's memory and aligned.
    ///
    /// # Panics
    /// If the chunk has no particle `k`.
    #[inline]
    fn at(self, rows: &Rows<'_>, k: usize) -> *mut u8 {
        if rows.is_regular() {
            assert!(k < rows.len, "particle out of range");
            return self.start.wrapping_add(k * self.stride);
        }
        let row = rows.row(k);
        if rows.table.is_null() {
            return self.start.wrapping_add(row * self.stride);
        }
        // SAFETY: `row` is below the capacity, the table has that many entries (contract of `ParticleView::new`), and it is
        // aligned (`check_table`).
        unsafe { rows.table.add(row).read() }.wrapping_add(self.offset)
    }
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

/// Base, stride, alignment, size and end of one stream. What holds afterwards: every row below the capacity lies, aligned,
/// at an address that can be computed without overflow.
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

fn check_components(streams: &[Stream]) -> Result<(), ViewError> {
    let has = |semantic| streams.iter().any(|stream| stream.semantic == semantic);
    for vector in [Semantic::Position, Semantic::Velocity] {
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

/// Whether two streams, each checked by itself, share bytes that are read or written.
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
    // Interleaved with one stride: where b's element begins within a's period decides, exactly.
    let stride = a.stride;
    let within = (start_b % stride + stride - start_a % stride) % stride;
    within < size_a || stride - within < size_b
}

/// # Safety
/// If aligned, `view.table` points to `view.capacity` addresses.
unsafe fn check_table(view: &ViewDescription<'_>) -> Result<(), ViewError> {
    if !view.table.is_aligned() {
        return Err(ViewError::MisalignedTable);
    }
    let mut reach = 0;
    let mut alignment = 1;
    let mut offsets_aligned = true;
    for Stream { format, offset, .. } in view.streams {
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
