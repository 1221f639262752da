//! Errors: why a description is refused, and why rows cannot be compacted.

use super::{Format, Semantic};
use std::fmt;

/// Reason for refusing a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViewError {
    /// The stream has no memory although the view has rows.
    NullBase {
        /// The stream.
        stream: Semantic,
    },
    /// The format is not valid for the semantic.
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
    /// Two streams tell which particles are dead.
    TwoVitalStreams {
        /// The first stream.
        first: Semantic,
        /// The second stream.
        second: Semantic,
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
    /// More particles than rows with memory.
    CountAboveCapacity {
        /// Particles.
        count: usize,
        /// Rows with memory.
        capacity: usize,
    },
    /// The capacity exceeds `u32::MAX`, because rows are numbered by `u32`.
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
    /// The elements of an entry of the table lie in the table itself, or in the list of indices.
    TableEntryOverlap {
        /// Its row.
        row: usize,
    },
    /// The list of indices lies within the stream's memory.
    IndicesOverlap {
        /// The stream.
        stream: Semantic,
    },
    /// An index is not larger than the previous one.
    IndicesNotAscending {
        /// Position of the index in the list.
        at: usize,
    },
    /// An index is not below the number of particles.
    IndexOutOfRange {
        /// Position of the index in the list.
        at: usize,
        /// Its value.
        index: u32,
        /// Number of particles.
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
            Self::TwoVitalStreams { first, second } => write!(
                f,
                "streams {first:?} and {second:?}: both say which particles are dead; give one of them"
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
            Self::TableEntryOverlap { row } => write!(
                f,
                "entry {row} of the table points into the table or the indices, which must not change during the call"
            ),
            Self::IndicesOverlap { stream } => write!(
                f,
                "stream {stream:?} and the indices share memory, but indices must not change during the call"
            ),
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

/// Reason why a view's rows cannot be compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompactError {
    /// The view has a pointer table; only the host can shorten it.
    Table,
    /// The view has indices, so it is unknown whether the other particles are to be kept.
    Indices,
    /// The view has no streams, so there is nothing to move.
    NoStreams,
    /// `element_size` is given, but by its stride or base this stream does not lie in one array of such
    /// particles.
    NotOneArray {
        /// The stream.
        stream: Semantic,
    },
    /// `element_size` is 0 and this stream has gaps, the content of which would not be moved.
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
