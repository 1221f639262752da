//! Views over the host's own particles: a description of their memory, without ownership or copies.

use crate::guard;
use crate::memory::{check_array, read_def, slice, write_sized};
use crate::names::in_c;
use crate::status::*;
use crate::types::view::{VORTON_MAX_STREAMS, VortonParticleView, VortonStream};
use fluid_particles::view::{Format, ParticleView, Semantic, Stream, ViewDescription, ViewError};

impl VortonParticleView {
    pub(crate) const EMPTY: Self = Self {
        struct_size: 0,
        stream_count: 0,
        count: 0,
        capacity: 0,
        streams: std::ptr::null(),
        table: std::ptr::null(),
        indices: std::ptr::null(),
        index_count: 0,
        element_size: 0,
    };
}

fn bad_stream(error: ViewError) -> Error {
    Error::new(VORTON_ERR_BAD_STREAM, in_c(&error.to_string()))
}

fn stream(stream: &VortonStream) -> Outcome<Stream> {
    let semantic = Semantic::from_code(stream.semantic);
    let format = Format::from_code(stream.format);
    let (Some(semantic), Some(format)) = (semantic, format) else {
        let text = format!(
            "a stream has semantic {} and format {}, which is unknown",
            stream.semantic, stream.format
        );
        return Err(Error::new(VORTON_ERR_BAD_STREAM, text));
    };
    let (stride, offset) = (stream.stride as usize, stream.offset as usize);
    Ok(Stream { semantic, format, stride, offset, base: stream.base.cast() })
}

/// Fills the array of streams beyond their count; never read.
const NO_STREAM: Stream = Stream {
    semantic: Semantic::User15,
    format: Format::F32,
    stride: 0,
    offset: 0,
    base: std::ptr::null_mut(),
};

/// Checks a host's view and runs `body` on it. Does not allocate.
///
/// # Safety
/// `view` is null or a view of struct_size bytes with arrays as described in it; nothing else uses them
/// meanwhile.
pub(crate) unsafe fn with_view<T>(
    view: *const VortonParticleView,
    body: impl FnOnce(&mut ParticleView<'_>) -> Outcome<T>,
) -> Outcome<T> {
    // SAFETY: the caller's promise.
    let view = unsafe { read_def(view, VortonParticleView::EMPTY, "view") }?;
    if view.stream_count > VORTON_MAX_STREAMS {
        let text =
            format!("the view has {} streams, but may have at most {VORTON_MAX_STREAMS}", view.stream_count);
        return Err(Error::new(VORTON_ERR_BAD_STREAM, text));
    }
    // SAFETY: the caller promises stream_count readable streams.
    let host_streams = unsafe { slice(view.streams, view.stream_count as usize, "view.streams") }?;
    let mut streams = [NO_STREAM; VORTON_MAX_STREAMS as usize];
    for (to, from) in streams.iter_mut().zip(host_streams) {
        *to = stream(from)?;
    }
    let indices = match view.indices.is_null() {
        true if view.index_count > 0 => {
            return Err(Error::new(VORTON_ERR_NULL, "view.indices is NULL, but index_count is not 0"));
        }
        true => None,
        // SAFETY: the caller promises index_count readable indices.
        false => Some(unsafe { slice(view.indices, view.index_count, "view.indices") }?),
    };
    check_array(view.table.cast_mut(), if view.table.is_null() { 0 } else { view.capacity }, "view.table")?;
    let description = ViewDescription {
        count: view.count,
        capacity: view.capacity,
        streams: &streams[..host_streams.len()],
        table: view.table.cast(),
        indices,
        element_size: view.element_size,
    };
    // SAFETY: the caller promises that the arrays are as described and used by nothing else.
    let mut view = unsafe { ParticleView::new(description) }.map_err(bad_stream)?;
    body(&mut view)
}

/// True if any memory of a view that [`with_view`] has accepted lies in `start..start + bytes`. A stream
/// counts as a whole, including the gaps between its elements.
///
/// # Safety
/// As [`with_view`]; the view has been accepted by it.
pub(crate) unsafe fn view_overlaps(view: *const VortonParticleView, start: usize, bytes: usize) -> bool {
    let meets = |from: usize, len: usize| from < start + bytes && start < from + len;
    // SAFETY: accepted by `with_view`: readable, with arrays as described; arithmetic on them cannot
    // overflow.
    let view = unsafe { view.read() };
    // SAFETY: as above.
    let streams = unsafe { std::slice::from_raw_parts(view.streams, view.stream_count as usize) };
    let indices = !view.indices.is_null() && meets(view.indices.addr(), 4 * view.index_count);
    let table = !view.table.is_null() && meets(view.table.addr(), size_of::<usize>() * view.capacity);
    let stream = |s: &VortonStream| {
        view.table.is_null() && meets(s.base.addr() + s.offset as usize, s.stride as usize * view.capacity)
    };
    indices || table || streams.iter().any(stream)
}

/// Fills a view with zeros and its size: no particles, no streams.
///
/// @param struct_size sizeof(VortonParticleView)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_particle_view_init(
    out: *mut VortonParticleView,
    struct_size: u32,
) -> VortonResult {
    // SAFETY: the caller passes null or a struct of struct_size bytes.
    guard::run(|| unsafe { write_sized(out, struct_size, VortonParticleView::EMPTY, "out") })
}

/// Checks a view without using it; vorton_last_error describes the first problem.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_view_check(view: *const VortonParticleView) -> VortonResult {
    // SAFETY: the caller passes null or a view as described.
    guard::run(|| unsafe { with_view(view, |_| Ok(())) })
}
