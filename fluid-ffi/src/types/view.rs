//! Types and constants of views of particles.

use crate::memory::sized32;
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
/// The number (vorton_body_number) of the body that the particle hit in VORTON_OP_COLLIDE: VORTON_U32; 0:
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
