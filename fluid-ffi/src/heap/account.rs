//! The memory of each world: every block names in its header the account of the world that has allocated it.

use super::Here;
use crate::status::{Error, Outcome, VORTON_ERR_OUT_OF_MEMORY};
use std::alloc::Layout;
use std::ptr::{NonNull, null};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The blocks of a world.
#[derive(Debug)]
pub(super) struct Account {
    bytes: AtomicUsize,
    peak: AtomicUsize,
    blocks: AtomicUsize,
    allocations: AtomicU64,
    /// Number of blocks and of [`WorldMemory`]s.
    references: AtomicUsize,
    /// Limit of `bytes`.
    most: usize,
}

/// Ends where its block begins.
#[repr(C, align(16))]
struct Header {
    /// Null for a block that belongs to no world.
    account: *const Account,
}

/// Returns the layout of a block with its header, and the offset of the block; `None` if it is too large.
pub(super) fn with_header(layout: Layout) -> Option<(Layout, usize)> {
    let align = layout.align().max(align_of::<Header>());
    let offset = size_of::<Header>().max(align);
    let size = layout.size().checked_add(offset)?;
    Some((Layout::from_size_align(size, align).ok()?, offset))
}

/// Writes the header of a block of this size, header included, and adds it to the account of the running
/// call.
///
/// # Safety
/// A header fits in front of the block, in memory that nothing else uses.
pub(super) unsafe fn open_block(block: *mut u8, size: usize) {
    let account = Here::now().account;
    // SAFETY: as the caller promises.
    unsafe { block.cast::<Header>().sub(1).write(Header { account }) };
    // SAFETY: the call has a reference to its world's account.
    if let Some(account) = unsafe { account.as_ref() } {
        account.references.fetch_add(1, Ordering::Relaxed);
        account.blocks.fetch_add(1, Ordering::Relaxed);
        account.allocations.fetch_add(1, Ordering::Relaxed);
        account.add(size);
    }
}

/// Removes a block of this size, header included, from its account.
///
/// # Safety
/// [`open_block`] has been called for the block, with this size.
pub(super) unsafe fn close_block(block: *mut u8, size: usize) {
    // SAFETY: as the caller promises.
    let account = unsafe { (*block.cast::<Header>().sub(1)).account };
    // SAFETY: the block has a reference to its account.
    if let Some(one) = unsafe { account.as_ref() } {
        one.bytes.fetch_sub(size, Ordering::Relaxed);
        one.blocks.fetch_sub(1, Ordering::Relaxed);
        // SAFETY: this was the block's reference.
        unsafe { release(account) };
    }
}

/// Notes the new size of a block that may have moved with its header.
///
/// # Safety
/// As [`close_block`], with the old size.
pub(super) unsafe fn resize_block(block: *mut u8, old: usize, new: usize) {
    // SAFETY: as the caller promises; the block has a reference to its account.
    if let Some(account) = unsafe { (*block.cast::<Header>().sub(1)).account.as_ref() } {
        account.allocations.fetch_add(1, Ordering::Relaxed);
        account.add(new);
        account.bytes.fetch_sub(old, Ordering::Relaxed);
    }
}

/// Frees an account without references.
///
/// # Safety
/// The caller has a reference, which it gives up.
unsafe fn release(account: *const Account) {
    // SAFETY: there is a reference.
    if unsafe { (*account).references.fetch_sub(1, Ordering::AcqRel) } == 1 {
        // SAFETY: this was the last reference; the account is a block of this layout.
        unsafe { std::alloc::dealloc(account.cast_mut().cast(), Layout::new::<Account>()) };
    }
}

impl Account {
    fn add(&self, size: usize) {
        let bytes = self.bytes.fetch_add(size, Ordering::Relaxed) + size;
        self.peak.fetch_max(bytes, Ordering::Relaxed);
    }

    /// Returns the number of bytes up to the limit.
    fn left(&self) -> usize {
        self.most.saturating_sub(self.bytes.load(Ordering::Relaxed))
    }
}

/// A reference to the account of a world.
#[derive(Debug)]
pub(crate) struct WorldMemory(NonNull<Account>);

// SAFETY: accounts are shared, and change by atomic operations.
unsafe impl Send for WorldMemory {}
// SAFETY: as above.
unsafe impl Sync for WorldMemory {}

/// Numbers for [`VortonMemory`](crate::types::allocator::VortonMemory).
pub(crate) struct Counts {
    pub(crate) bytes: u64,
    pub(crate) peak_bytes: u64,
    pub(crate) blocks: u64,
    pub(crate) allocations: u64,
}

impl WorldMemory {
    /// Opens the account of a new world, with at most `most` bytes; 0: without a limit.
    pub(crate) fn open(most: u64) -> Outcome<Self> {
        let most = if most == 0 { usize::MAX } else { usize::try_from(most).unwrap_or(usize::MAX) };
        // SAFETY: the size is not 0.
        let memory = unsafe { std::alloc::alloc(Layout::new::<Account>()) }.cast::<Account>();
        let Some(account) = NonNull::new(memory) else {
            return Err(Error::new(VORTON_ERR_OUT_OF_MEMORY, "there is no memory for a world"));
        };
        let (bytes, peak, blocks, allocations) = Default::default();
        let references = AtomicUsize::new(1);
        let opened = Account { bytes, peak, blocks, allocations, references, most };
        // SAFETY: new memory for it.
        unsafe { account.write(opened) };
        Ok(Self(account))
    }

    /// Runs `body` as a call on this world: blocks that it allocates are the world's.
    pub(crate) fn during<T>(&self, body: impl FnOnce() -> T) -> T {
        Here { account: self.0.as_ptr(), ..Here::now() }.during(body)
    }

    pub(crate) fn counts(&self) -> Counts {
        // SAFETY: this has a reference.
        let account = unsafe { self.0.as_ref() };
        Counts {
            bytes: account.bytes.load(Ordering::Relaxed) as u64,
            peak_bytes: account.peak.load(Ordering::Relaxed) as u64,
            blocks: account.blocks.load(Ordering::Relaxed) as u64,
            allocations: account.allocations.load(Ordering::Relaxed),
        }
    }
}

impl Clone for WorldMemory {
    fn clone(&self) -> Self {
        // SAFETY: this has a reference.
        unsafe { self.0.as_ref() }.references.fetch_add(1, Ordering::Relaxed);
        Self(self.0)
    }
}

impl Drop for WorldMemory {
    fn drop(&mut self) {
        // SAFETY: this is its reference.
        unsafe { release(self.0.as_ptr()) };
    }
}

/// Runs `body` as a call on no world.
pub(crate) fn without_world<T>(body: impl FnOnce() -> T) -> T {
    Here { account: null(), ..Here::now() }.during(body)
}

/// Returns how many more bytes the world of the running call may have.
pub(super) fn left() -> usize {
    // SAFETY: the call has a reference to its world's account.
    unsafe { Here::now().account.as_ref() }.map_or(usize::MAX, Account::left)
}
