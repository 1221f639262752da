//! The bytes of a recording: a header, then records. A record is a word with the code of its call and the
//! size of its values, the checksum of both, and the values.

use super::call::Call;
use crate::status::*;
use crate::types::world_def::VortonWorldDef;
use std::mem::offset_of;
use twox_hash::XxHash3_64;

/// The first bytes of a recording.
const MAGIC: [u8; 8] = *b"VORTREC\n";

/// Revision of the format within a version of the library, for changes that [`Call::FORM`] does not contain.
const FORM: u32 = 2;

/// Magic, version of the library, revision, and the forms of all calls.
pub(crate) const HEADER: usize = 32;

/// Word and checksum of a record.
pub(crate) const RECORD_HEADER: usize = 16;

/// Bits of a record's word: code, size, and a check of both, without which a damaged size would look like a
/// recording that was cut.
const SIZE_BITS: u32 = 40;
const CODE_BITS: u32 = 8;

pub(crate) fn refused(text: impl std::fmt::Display) -> Error {
    Error::new(VORTON_ERR_RECORDING, text)
}

pub(crate) fn header() -> [u8; HEADER] {
    let number = |text: &str| text.parse().unwrap_or(u32::MAX);
    let [major, minor, patch]: [u32; 3] =
        [env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"), env!("CARGO_PKG_VERSION_PATCH")]
            .map(number);
    let mut bytes = [0; HEADER];
    bytes[..8].copy_from_slice(&MAGIC);
    for (n, value) in [major, minor, patch, FORM].into_iter().enumerate() {
        bytes[8 + 4 * n..][..4].copy_from_slice(&value.to_ne_bytes());
    }
    bytes[24..].copy_from_slice(&Call::FORM.to_ne_bytes());
    bytes
}

/// Appends the record of a call.
pub(crate) fn put(call: &Call<'_>, out: &mut Vec<u8>) {
    put_with(call.code(), out, |out| call.put(out));
}

/// Appends a record of any values.
#[cfg(test)]
pub(crate) fn put_values(code: u8, values: &[u8], out: &mut Vec<u8>) {
    put_with(code, out, |out| out.extend_from_slice(values));
}

fn put_with(code: u8, out: &mut Vec<u8>, put: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0; RECORD_HEADER]);
    put(out);
    let (head, values) = out[start..].split_at_mut(RECORD_HEADER);
    let word = word(code, values.len() as u64);
    head[..8].copy_from_slice(&word.to_ne_bytes());
    head[8..].copy_from_slice(&XxHash3_64::oneshot_with_seed(word, values).to_ne_bytes());
}

fn word(code: u8, size: u64) -> u64 {
    let word = size << CODE_BITS | u64::from(code);
    let check = XxHash3_64::oneshot(&word.to_le_bytes()) << (SIZE_BITS + CODE_BITS);
    check | word
}

/// Checks the header; false if the recording was cut before its end.
fn check_header(bytes: &[u8]) -> Outcome<bool> {
    let expected = header();
    let len = bytes.len().min(HEADER);
    if bytes[..len] == expected[..len] {
        return Ok(len == HEADER);
    }
    if bytes[..len.min(MAGIC.len())] != MAGIC[..len.min(MAGIC.len())] {
        return Err(refused("the bytes are not a recording"));
    }
    if len < HEADER {
        return Ok(false);
    }
    let number = |at: usize| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let (major, minor, patch) = (number(8), number(12), number(16));
    Err(refused(format_args!(
        "the recording is of version {major}.{minor}.{patch} of the library, form {} {:08x}",
        number(20),
        number(24)
    )))
}

/// Returns the call at `offset` and the offset of the next one; `None` at the end, and where the recording
/// was cut.
pub(crate) fn next(bytes: &[u8], offset: usize) -> Outcome<Option<(Call<'_>, usize)>> {
    if !check_header(bytes)? {
        return Ok(None);
    }
    let offset = offset.max(HEADER);
    let Some((head, rest)) = bytes[offset..].split_first_chunk::<RECORD_HEADER>() else { return Ok(None) };
    let [mut first, mut sum] = [[0; 8]; 2];
    first.copy_from_slice(&head[..8]);
    sum.copy_from_slice(&head[8..]);
    let found = u64::from_ne_bytes(first);
    let (code, size) = (found as u8, found >> CODE_BITS & ((1 << SIZE_BITS) - 1));
    let damaged = || refused(format_args!("the recording is damaged at byte {offset}"));
    if found != word(code, size) {
        return Err(damaged());
    }
    let Some(values) = usize::try_from(size).ok().and_then(|size| rest.get(..size)) else { return Ok(None) };
    if XxHash3_64::oneshot_with_seed(found, values) != u64::from_ne_bytes(sum) {
        return Err(damaged());
    }
    let call = Call::of(code, values).ok_or_else(damaged)?;
    if matches!(call, Call::Begin { .. }) != (offset == HEADER) {
        return Err(damaged());
    }
    Ok(Some((call, offset + RECORD_HEADER + values.len())))
}

/// Size of the part of a definition that a recording contains: all before the host's functions.
const NUMBERS: usize = offset_of!(VortonWorldDef, enqueue_task);

/// Returns the numbers of a definition.
pub(crate) fn numbers(def: &VortonWorldDef) -> &[u8] {
    // SAFETY: a struct is readable up to one of its fields, and these fields are numbers without padding, as
    // the layout tests show.
    unsafe { std::slice::from_raw_parts((&raw const *def).cast::<u8>(), NUMBERS) }
}

/// Sets the numbers of a definition; false if they are not as many.
pub(crate) fn set_numbers(def: &mut VortonWorldDef, bytes: &[u8]) -> bool {
    if bytes.len() == NUMBERS {
        // SAFETY: both have that many bytes, and any bytes are valid numbers.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), (&raw mut *def).cast::<u8>(), NUMBERS) };
    }
    bytes.len() == NUMBERS
}
