//! The library as a whole: versions, log, errors.

use crate::guard;
use crate::log::{self, VortonLogFn};
use crate::status::*;
use crate::types::library::{
    VORTON_ABI_VERSION, VORTON_VERSION_MAJOR, VORTON_VERSION_MINOR, VORTON_VERSION_PATCH,
};
use libc::c_void;
use std::ffi::c_char;

/// Returns the ABI version with which the library was built.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_abi_version() -> u32 {
    VORTON_ABI_VERSION
}

/// Returns the version of the library: major << 24 | minor << 16 | patch << 8.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_version() -> u32 {
    VORTON_VERSION_MAJOR << 24 | VORTON_VERSION_MINOR << 16 | VORTON_VERSION_PATCH << 8
}

/// Returns one line about the build (version, target, float rules), for logs and bug reports. Static; do not
/// free.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_build_info() -> *const c_char {
    const INFO: &str = concat!(
        "vorton ",
        env!("CARGO_PKG_VERSION"),
        ", ",
        env!("VORTON_TARGET"),
        ", exact IEEE arithmetic by default\0"
    );
    INFO.as_ptr().cast()
}

/// Checks that the program's header and this library are compatible. Call it first, as
/// vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION).
///
/// @return VORTON_OK, or VORTON_ERR_ABI with both versions in vorton_last_error.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_check_abi(header_abi: u32, header_version: u32) -> VortonResult {
    guard::run(|| {
        let (abi, version) = (VORTON_ABI_VERSION, vorton_version());
        // Before 1.0 every minor version may change the interface.
        if header_abi == abi && header_version >> 16 == version >> 16 {
            return Ok(());
        }
        let dotted = |v: u32| format!("{}.{}.{}", v >> 24, v >> 16 & 255, v >> 8 & 255);
        let text = format!(
            "the header is version {} (ABI {header_abi}), the library {} (ABI {abi}); compile and link the same one",
            dotted(header_version),
            dotted(version)
        );
        Err(Error::new(VORTON_ERR_ABI, text))
    })
}

/// Sets the function that receives the library's log lines (NULL: none, the default); replaces the previous
/// one.
///
/// @param function  see VortonLogFn; called from any thread until another call of vorton_set_log has returned
/// @param user      passed through to the function
/// @param min_level least level to report: VORTON_LOG_INFO, VORTON_LOG_WARNING or VORTON_LOG_ERROR (failures;
///     VORTON_ERR_BUSY is INFO)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_set_log(
    function: VortonLogFn,
    user: *mut c_void,
    min_level: i32,
) -> VortonResult {
    guard::run(|| {
        if function.is_some() && !(log::VORTON_LOG_INFO..=log::VORTON_LOG_ERROR).contains(&min_level) {
            return Err(Error::bad_value(format_args!(
                "min_level is {min_level}, which is no VORTON_LOG_... constant"
            )));
        }
        log::set(function, user, min_level);
        Ok(())
    })
}

/// Returns the name of a result code, such as "VORTON_ERR_NULL". Static; do not free.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_result_name(result: VortonResult) -> *const c_char {
    name(result).as_ptr()
}

/// Copies the text of this thread's last failure into `buffer`, truncated to `capacity` and always
/// terminated. A later success does not clear it.
///
/// @param buffer may be NULL if capacity is 0
/// @return the bytes needed for the whole text with its terminator
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_last_error(buffer: *mut c_char, capacity: usize) -> usize {
    let text = guard::last_error().replace('\0', " ");
    if !buffer.is_null() && capacity > 0 {
        // Cut between characters, so that the text stays UTF-8.
        let cut = (0..=text.len().min(capacity - 1)).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
        // SAFETY: the caller promises `capacity` writable bytes; cut + 1 <= capacity.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), cut);
            buffer.add(cut).write(0);
        }
    }
    text.len() + 1
}
