//! Views over the host's own particles: a description of their memory, without ownership or copies.

use crate::guard;
use crate::memory::{check_array, read_def, sized32, slice, write_sized};
use crate::names::in_c;
use crate::status::*;
use fluid_particles::view::{Format, ParticleView, Semantic, Stream, ViewDescription, ViewError};
use libc::c_void;

/// Position [m]: VORTON_F32X3, VORTON_F32X4 or VORTON_F64X3.
pub const VORTON_POSITION: u32 = 1;
/// Velocity [m/s]: formats as position.
pub const VORTON_VELOCITY: u32 = 2;
/// Age [s]: VORTON_F32.
pub const VORTON_AGE: u32 = 3;
/// Age [s] at which this particle dies: VORTON_F32.
pub const VORTON_LIFETIME: u32 = 4;
/// Frame of birth: VORTON_I32.
pub const VORTON_BIRTH_FRAME: u32 = 5;
/// Bits: VORTON_U32. Killing sets the bit VORTON_FLAG_DEAD; all operations skip dead particles.
pub const VORTON_FLAGS: u32 = 6;
/// Size [m]: VORTON_F32. Only emission writes it.
pub const VORTON_SIZE: u32 = 7;
/// Density [kg/m^3]: VORTON_F32. Emission and VORTON_OP_SAMPLE_SCALAR write it.
pub const VORTON_DENSITY: u32 = 8;
/// Temperature [K]: VORTON_F32. Emission and VORTON_OP_SAMPLE_SCALAR write it.
pub const VORTON_TEMPERATURE: u32 = 9;
/// Angular velocity [rad/s] about the world's axes: formats as position.
pub const VORTON_ANGULAR_VELOCITY: u32 = 10;
/// Orientation: VORTON_QUAT_F32, the unit quaternion that turns the particle's own axes into the world's.
pub const VORTON_ORIENTATION: u32 = 11;
/// The number (vorton_body_number) of the body that the particle hit in VORTON_OP_BODIES: VORTON_U32; 0:
/// none. Every run of that operation writes it for every particle that it visits; emission writes 0.
pub const VORTON_HIT: u32 = 12;
/// Unit normal of the surface hit, out of the body: VORTON_F32X3, VORTON_F32X4 or VORTON_F64X3. 0 0 0 if
/// none.
pub const VORTON_NORMAL: u32 = 13;
/// Alive flag, VORTON_U8, for instance a bool: 0 is a dead particle, which all operations skip. Killing
/// writes 0, emission 1. A view has at most one of VORTON_FLAGS, VORTON_ALIVE and VORTON_DEAD.
pub const VORTON_ALIVE: u32 = 14;
/// Dead flag, VORTON_U8, the inverse of VORTON_ALIVE: nonzero is a dead particle; killing writes 1, emission
/// 0.
pub const VORTON_DEAD: u32 = 15;
/// Position in three arrays of VORTON_F32, one for each component.
pub const VORTON_POSITION_X: u32 = 16;
/// See VORTON_POSITION_X.
pub const VORTON_POSITION_Y: u32 = 17;
/// See VORTON_POSITION_X.
pub const VORTON_POSITION_Z: u32 = 18;
/// Velocity in three arrays of VORTON_F32, one for each component.
pub const VORTON_VELOCITY_X: u32 = 19;
/// See VORTON_VELOCITY_X.
pub const VORTON_VELOCITY_Y: u32 = 20;
/// See VORTON_VELOCITY_X.
pub const VORTON_VELOCITY_Z: u32 = 21;
/// Angular velocity in three arrays of VORTON_F32, one for each component.
pub const VORTON_ANGULAR_VELOCITY_X: u32 = 22;
/// See VORTON_ANGULAR_VELOCITY_X.
pub const VORTON_ANGULAR_VELOCITY_Y: u32 = 23;
/// See VORTON_ANGULAR_VELOCITY_X.
pub const VORTON_ANGULAR_VELOCITY_Z: u32 = 24;
/// First of sixteen user attributes (VORTON_USER0 + 0 to 15): VORTON_F32. Emission and
/// VORTON_OP_SAMPLE_SCALAR write them.
pub const VORTON_USER0: u32 = 64;

/// One 32-bit float.
pub const VORTON_F32: u32 = 1;
/// Three 32-bit floats.
pub const VORTON_F32X3: u32 = 3;
/// Four 32-bit floats, of which the first three are used; the fourth is never touched.
pub const VORTON_F32X4: u32 = 4;
/// Three 64-bit floats.
pub const VORTON_F64X3: u32 = 5;
/// Four 32-bit floats, all used: a quaternion x, y, z, w (w is the real part).
pub const VORTON_QUAT_F32: u32 = 6;
/// One unsigned 32-bit integer.
pub const VORTON_U32: u32 = 7;
/// One signed 32-bit integer.
pub const VORTON_I32: u32 = 8;
/// One byte.
pub const VORTON_U8: u32 = 9;

/// Bit of VORTON_FLAGS: the particle is dead.
pub const VORTON_FLAG_DEAD: u32 = 1;

/// One attribute of the host's particles: element i is at base + offset + i * stride, aligned to its
/// component.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonStream {
    /// Meaning of the attribute: VORTON_POSITION, ...
    pub semantic: u32,
    /// Storage format: VORTON_F32X3, ...
    pub format: u32,
    /// Bytes from one particle to the next.
    pub stride: u32,
    /// Bytes from base (or from a table's pointer) to the attribute.
    pub offset: u32,
    /// The array; ignored with a table.
    pub base: *mut c_void,
}

/// The memory layout of the host's particles. Fill it with vorton_particle_view_init, then set the fields you
/// need.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonParticleView {
    /// sizeof(VortonParticleView); set by vorton_particle_view_init.
    pub struct_size: u32,
    /// Number of streams, at most VORTON_MAX_STREAMS.
    pub stream_count: u32,
    /// Number of particles.
    pub count: usize,
    /// Particles for which there is memory, at least count; only emission uses the part beyond count.
    pub capacity: usize,
    /// The attributes.
    pub streams: *const VortonStream,
    /// NULL, or the addresses of capacity particles, for hosts that keep a list of pointers: attributes are
    /// at table[i] + offset. The addresses must be distinct.
    pub table: *const *mut c_void,
    /// NULL (with an index_count of 0): visit all particles. Otherwise the particles to visit, strictly
    /// ascending; an empty list also needs a non-null address.
    pub indices: *const u32,
    /// Number of indices.
    pub index_count: usize,
    /// Bytes of one particle in an array of structures; only compaction needs it. 0 otherwise.
    pub element_size: usize,
}

sized32!(VortonParticleView);

/// Most streams of a view.
pub const VORTON_MAX_STREAMS: u32 = 32;

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
