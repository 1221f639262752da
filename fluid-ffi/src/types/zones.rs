//! Types of profiler zones.

use libc::c_void;
use std::ffi::c_char;

/// Begins a profiler zone: a step of a world ("vorton step"), or one of its successive stages inside it
/// ("vorton velocity", "vorton tracers" and so on, as in VortonStats). Called on the thread that calls the
/// step; must not call the library (such a call returns VORTON_ERR_BUSY), throw or longjmp.
///
/// @param name static, the same address each time
/// @param user VortonWorldDef.zone_user
pub type VortonZoneBeginFn = Option<unsafe extern "C" fn(name: *const c_char, user: *mut c_void)>;

/// Ends the innermost open zone. The same rules as for VortonZoneBeginFn.
pub type VortonZoneEndFn = Option<unsafe extern "C" fn(user: *mut c_void)>;
