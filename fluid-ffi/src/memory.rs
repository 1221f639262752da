//! Access to host memory, only through these functions, which check null, alignment, size and finiteness.

use crate::status::*;
use std::mem::{MaybeUninit, align_of, size_of};

/// A definition struct with `uint32_t struct_size` as its first field.
///
/// # Safety
/// `repr(C)`, starts with a `u32`, and every bit pattern is valid.
pub(crate) unsafe trait Sized32: Copy {
    /// Size of the oldest version that callers may still use.
    const OLDEST_SIZE: usize;
    fn set_struct_size(&mut self, size: u32);
}

/// Declares [`Sized32`] for structs that have had one version so far.
macro_rules! sized32 {
    ($($name:ty),+) => { $(
        // SAFETY: `repr(C)`, `struct_size: u32` first, and only floats, integers, raw pointers and
        // optional function pointers inside.
        unsafe impl crate::memory::Sized32 for $name {
            const OLDEST_SIZE: usize = std::mem::size_of::<$name>();
            fn set_struct_size(&mut self, size: u32) {
                self.struct_size = size;
            }
        }
    )+ };
}
pub(crate) use sized32;

fn check_pointer<T>(pointer: *const T, what: &str) -> Outcome {
    if pointer.is_null() {
        return Err(Error::new(VORTON_ERR_NULL, format_args!("{what} is NULL")));
    }
    if !pointer.addr().is_multiple_of(align_of::<T>()) {
        return Err(Error::bad_value(format_args!("{what} is not aligned to {} bytes", align_of::<T>())));
    }
    Ok(())
}

/// Reads a definition written by a caller of this or another version.
///
/// # Safety
/// `pointer` is null or points to `struct_size` readable bytes (at least 4).
pub(crate) unsafe fn read_def<T: Sized32>(pointer: *const T, defaults: T, what: &str) -> Outcome<T> {
    check_pointer(pointer, what)?;
    // SAFETY: not null, aligned, and the caller promises at least the four bytes of struct_size.
    let size = unsafe { pointer.cast::<u32>().read() } as usize;
    let bytes = pointer.cast::<u8>();
    check_size::<T>(size, what)?;
    // SAFETY: the caller promises `size` readable bytes.
    let unknown = (size_of::<T>()..size).any(|i| unsafe { bytes.add(i).read() } != 0);
    if unknown {
        let text =
            format_args!("{what} is from a newer version and uses fields that this library does not know");
        return Err(Error::new(VORTON_ERR_STRUCT_SIZE, text));
    }
    let mut value = MaybeUninit::new(defaults);
    // SAFETY: both sides have min(size, size_of T) bytes; every bit pattern is a valid T (trait promise).
    unsafe { std::ptr::copy_nonoverlapping(bytes, value.as_mut_ptr().cast(), size.min(size_of::<T>())) };
    // SAFETY: it was initialised with the defaults.
    Ok(unsafe { value.assume_init() })
}

/// Writes a definition or result to a caller's struct of `size` bytes, which may be of another version.
///
/// # Safety
/// `pointer` is null or points to `size` writable bytes.
pub(crate) unsafe fn write_sized<T: Sized32>(
    pointer: *mut T,
    size: u32,
    mut value: T,
    what: &str,
) -> Outcome {
    check_pointer(pointer, what)?;
    check_size::<T>(size as usize, what)?;
    value.set_struct_size(size);
    let size = size as usize;
    let known = size.min(size_of::<T>());
    // SAFETY: the caller promises `size` writable bytes; `known` of them come from `value`, the rest is
    // zeroed.
    unsafe {
        std::ptr::copy_nonoverlapping((&raw const value).cast::<u8>(), pointer.cast(), known);
        std::ptr::write_bytes(pointer.cast::<u8>().add(known), 0, size - known);
    }
    Ok(())
}

/// Returns the `struct_size` set by the caller in its result struct.
///
/// # Safety
/// `pointer` is null or points to at least four readable bytes.
pub(crate) unsafe fn struct_size<T: Sized32>(pointer: *const T, what: &str) -> Outcome<u32> {
    check_pointer(pointer, what)?;
    // SAFETY: not null, aligned, four readable bytes promised.
    let size = unsafe { pointer.cast::<u32>().read() };
    check_size::<T>(size as usize, what)?;
    Ok(size)
}

fn check_size<T: Sized32>(size: usize, what: &str) -> Outcome {
    // A struct of over a megabyte means a missing init, not a later version.
    if size < T::OLDEST_SIZE || size > 1 << 20 {
        let known = T::OLDEST_SIZE;
        let text = format_args!(
            "{what}: struct_size is {size}, but must be at least {known}: set it to sizeof the struct, or use the struct's _init function if it has one"
        );
        return Err(Error::new(VORTON_ERR_STRUCT_SIZE, text));
    }
    Ok(())
}

/// Writes one result.
///
/// # Safety
/// `pointer` is null or valid for writing a T.
pub(crate) unsafe fn write<T>(pointer: *mut T, value: T, what: &str) -> Outcome {
    check_pointer(pointer, what)?;
    // SAFETY: checked, and the caller promises the rest.
    unsafe { pointer.write(value) };
    Ok(())
}

/// Writes one result, unless the caller has passed NULL to ignore it.
///
/// # Safety
/// `pointer` is null or valid for writing a T.
pub(crate) unsafe fn write_optional<T>(pointer: *mut T, value: T, what: &str) -> Outcome {
    if pointer.is_null() {
        return Ok(());
    }
    // SAFETY: as the caller promises.
    unsafe { write(pointer, value, what) }
}

/// Checks an output pointer before anything changes.
pub(crate) fn check_output<T>(pointer: *mut T, what: &str) -> Outcome {
    check_pointer(pointer, what)
}

/// Checks an optional output pointer before anything changes.
pub(crate) fn check_optional_output<T>(pointer: *mut T, what: &str) -> Outcome {
    if pointer.is_null() { Ok(()) } else { check_pointer(pointer, what) }
}

/// Returns a caller's array of `len` values; NULL is allowed if `len` is 0.
///
/// # Safety
/// `pointer` is null or points to `len` readable values that are not written during `'a`.
pub(crate) unsafe fn slice<'a, T>(pointer: *const T, len: usize, what: &str) -> Outcome<&'a [T]> {
    if len == 0 {
        return Ok(&[]);
    }
    check_pointer(pointer, what)?;
    check_length::<T>(len, what)?;
    // SAFETY: not null, aligned, length in range; the caller promises the rest.
    Ok(unsafe { std::slice::from_raw_parts(pointer, len) })
}

/// Checks an output array before anything changes.
pub(crate) fn check_array<T>(pointer: *mut T, len: usize, what: &str) -> Outcome {
    if len == 0 {
        return Ok(());
    }
    check_pointer(pointer, what)?;
    check_length::<T>(len, what)
}

/// Checks an array of elements `stride` bytes apart (0: packed) before anything changes. Returns the stride.
pub(crate) fn check_strided<T>(pointer: *const T, stride: usize, len: usize, what: &str) -> Outcome<usize> {
    let stride = if stride == 0 { size_of::<T>() } else { stride };
    let (size, alignment) = (size_of::<T>(), align_of::<T>());
    if stride < size || !stride.is_multiple_of(alignment) {
        let text = format_args!(
            "the stride of {what} is {stride}, but must be 0, or a multiple of {alignment} and at least {size}"
        );
        return Err(Error::new(VORTON_ERR_BAD_STREAM, text));
    }
    if len == 0 {
        return Ok(stride);
    }
    check_pointer(pointer, what)?;
    if len.checked_mul(stride).is_none_or(|bytes| bytes > isize::MAX as usize) {
        return Err(Error::bad_value(format_args!("{what}: {len} elements do not fit into memory")));
    }
    Ok(stride)
}

fn check_length<T>(len: usize, what: &str) -> Outcome {
    if len > isize::MAX as usize / size_of::<T>().max(1) {
        return Err(Error::bad_value(format_args!("{what}: {len} elements do not fit into memory")));
    }
    Ok(())
}
