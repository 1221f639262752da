//! Writing a recording: calls as bytes for the host.

pub(crate) mod call;
mod field;
pub(crate) mod format;
mod level;

pub(crate) use call::Call;
pub(crate) use level::LevelHeader;

use crate::heap::Refusing;
use crate::status::*;
use libc::c_void;

type WriteFn = unsafe extern "C" fn(*mut c_void, *const c_void, usize);

/// The host's function for the bytes of a recording.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordingSink {
    write: WriteFn,
    user: *mut c_void,
}

// SAFETY: the host promises that function and pointer may be used on any thread that calls the library.
unsafe impl Send for RecordingSink {}
// SAFETY: as above.
unsafe impl Sync for RecordingSink {}

impl RecordingSink {
    /// # Safety
    /// `write` may be called with `user` as long as the sink is in use.
    pub(crate) unsafe fn new(write: WriteFn, user: *mut c_void) -> Self {
        Self { write, user }
    }

    fn give(self, bytes: &[u8]) {
        // SAFETY: by the promise of `new`; the bytes outlive the call.
        unsafe { (self.write)(self.user, bytes.as_ptr().cast(), bytes.len()) };
    }
}

/// The recording of a world, if there is one.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    sink: Option<RecordingSink>,
    /// Memory of a record, for reuse by those without a snapshot.
    record: Vec<u8>,
}

impl Recorder {
    pub(crate) fn is_on(&self) -> bool {
        self.sink.is_some()
    }

    /// Returns an upper bound \[bytes\] on the memory that the record of a call takes which has arrays of
    /// `bytes`.
    pub(crate) fn memory(&self, bytes: usize) -> usize {
        // It grows to at most twice its size, beside the old one.
        if self.is_on() { (4 << 10) + 3 * bytes.max(self.record.capacity()) } else { 0 }
    }

    pub(crate) fn begin(&mut self, sink: RecordingSink) {
        self.sink = Some(sink);
        sink.give(&format::header());
    }

    pub(crate) fn end(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn write(&mut self, call: &Call<'_>) {
        let Some(sink) = self.sink else { return };
        let has_snapshot = matches!(call, Call::Begin { .. } | Call::Restore { .. });
        let (mut large, kept) = (Vec::new(), &mut self.record);
        let record = if has_snapshot { &mut large } else { kept };
        record.clear();
        format::put(call, record);
        sink.give(record);
    }
}

/// Changes that do not wait for a step, until the next call of the world writes them to the recording.
#[derive(Debug, Default)]
pub(crate) struct Log(Option<Vec<Call<'static>>>);

impl Log {
    /// Creates a log that keeps changes or, without a recording, drops them.
    pub(crate) fn new(on: bool) -> Self {
        Self(on.then(Vec::new))
    }

    pub(crate) fn push(&mut self, call: Call<'static>) {
        if let Some(log) = &mut self.0 {
            log.push(call);
        }
    }

    /// Fails if there is no memory for another `count` changes.
    pub(crate) fn reserve(&mut self, count: usize) -> Outcome {
        let Some(log) = &mut self.0 else { return Ok(()) };
        let _asking = Refusing::begin(false);
        log.try_reserve(count).map_err(|_| {
            Error::new(VORTON_ERR_OUT_OF_MEMORY, "there is no memory for changes until they are recorded")
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.as_ref().is_none_or(Vec::is_empty)
    }

    pub(crate) fn clear(&mut self) {
        self.0.iter_mut().for_each(Vec::clear);
    }

    /// Writes all changes, and clears the log.
    pub(crate) fn write_to(&mut self, recorder: &mut Recorder) {
        self.0.iter_mut().flat_map(|log| log.drain(..)).for_each(|call| recorder.write(&call));
    }
}
