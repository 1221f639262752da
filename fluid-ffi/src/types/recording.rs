//! Types of recordings.

use crate::memory::sized32;
use libc::c_void;
use std::ffi::c_char;

/// Receives the next bytes of a recording: append them to a file or a buffer. Called on the thread of the
/// call that is recorded, before that call returns; never concurrently for one world. Must not call the
/// library (such a call returns VORTON_ERR_BUSY), throw or longjmp.
pub type VortonRecordFn = Option<unsafe extern "C" fn(user: *mut c_void, bytes: *const c_void, size: usize)>;

/// Progress of a replay. Fill it with vorton_replay_init; its fields are set by vorton_world_replay.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonReplay {
    /// sizeof(VortonReplay); set by vorton_replay_init.
    pub struct_size: u32,
    /// 1: no complete call is left. Bytes from `offset` on, if any, belong to a call that was cut.
    pub finished: u32,
    /// Bytes of the recording that have been replayed; 0 (the default) begins.
    pub offset: u64,
    /// Calls made so far, steps included.
    pub calls: u64,
    /// Steps so far: calls of vorton_world_step, _advance or _step_within.
    pub steps: u64,
    /// The first step, counted from 0, after which the hash was another one, or before or in which another
    /// call had another result; UINT64_MAX: none.
    pub diverged_step: u64,
    /// That call, counted from 0; UINT64_MAX: none.
    pub diverged_call: u64,
    /// The function that first had another result, such as "vorton_world_step" for a hash; NULL: none.
    pub diverged_in: *const c_char,
    /// Recorded hash (vorton_world_hash) after the last step.
    pub expected_hash: u64,
    /// Hash of this world after the last step.
    pub hash: u64,
}

impl Default for VortonReplay {
    fn default() -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            finished: 0,
            offset: 0,
            calls: 0,
            steps: 0,
            diverged_step: u64::MAX,
            diverged_call: u64::MAX,
            diverged_in: std::ptr::null(),
            expected_hash: 0,
            hash: 0,
        }
    }
}

sized32!(VortonReplay);
