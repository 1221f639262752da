//! The host's log callback.

use libc::c_void;
use std::ffi::{CString, c_char};
use std::sync::RwLock;

/// Something failed.
pub const VORTON_LOG_ERROR: i32 = 3;
/// Something was skipped, truncated or counted.
pub const VORTON_LOG_WARNING: i32 = 2;
/// Informational.
pub const VORTON_LOG_INFO: i32 = 1;

/// Receives a line of UTF-8 text. Called from any thread; must not call the library (such a call returns
/// VORTON_ERR_BUSY), throw or longjmp.
pub type VortonLogFn = Option<unsafe extern "C" fn(level: i32, text: *const c_char, user: *mut c_void)>;

#[derive(Clone, Copy)]
struct LogSink {
    function: unsafe extern "C" fn(i32, *const c_char, *mut c_void),
    user: *mut c_void,
    least_level: i32,
}

// SAFETY: the host promises in `vorton_set_log` that function and user pointer may be used from any thread.
unsafe impl Send for LogSink {}
// SAFETY: as above.
unsafe impl Sync for LogSink {}

static SINK: RwLock<Option<LogSink>> = RwLock::new(None);

pub(crate) fn set(function: VortonLogFn, user: *mut c_void, least_level: i32) {
    let sink = function.map(|function| LogSink { function, user, least_level });
    *SINK.write().unwrap_or_else(|poison| poison.into_inner()) = sink;
}

/// Sends a line to the host if its log level admits it.
pub(crate) fn line(level: i32, text: &str) {
    // Held while the host's function runs: once `set` has returned, the previous function is no longer
    // running. The function cannot re-enter, because its calls into the library return VORTON_ERR_BUSY before
    // they log.
    let sink = SINK.read().unwrap_or_else(|poison| poison.into_inner());
    let Some(sink) = sink.filter(|sink| level >= sink.least_level) else { return };
    let Ok(text) = CString::new(text.replace('\0', " ")) else { return };
    // SAFETY: the host gave this function for this use, and the text is terminated and outlives the call.
    unsafe { (sink.function)(level, text.as_ptr(), sink.user) };
}
