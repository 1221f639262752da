//! Blocks within one piece of memory, first fit, in order of address.

use std::alloc::Layout;
use std::ptr::null_mut;

/// Sizes and addresses of blocks are multiples of this.
const GRAIN: usize = 16;
const _: () = assert!(size_of::<Free>() <= GRAIN && align_of::<Free>() <= GRAIN);

/// Alignment that a region's memory must have.
pub(super) const ALIGNMENT: usize = 64;

/// The head of a region, at the start of its memory.
#[repr(C, align(64))]
pub(super) struct Region {
    /// The next region of the list of all.
    pub(super) next: *mut Region,
    /// The hold that the same call has taken before this one.
    pub(super) outer: *mut Region,
    /// Size of the memory, this head included.
    pub(super) size: usize,
    /// Number of blocks in use.
    pub(super) blocks: usize,
    /// False once the call that took it has ended.
    pub(super) is_held: bool,
    free: *mut Free,
}

/// A piece that is not in use, at its start.
struct Free {
    size: usize,
    next: *mut Free,
}

impl Region {
    /// Returns the size of the memory of a region with room for `bytes`: a part more, because blocks are
    /// rounded up and leave gaps.
    pub(super) fn size_for(bytes: usize) -> Option<usize> {
        bytes.checked_add(bytes / 16 + 1024)?.checked_next_multiple_of(ALIGNMENT)
    }

    /// Makes a region of unused memory.
    ///
    /// # Safety
    /// `memory` is aligned to [`ALIGNMENT`] and has `size` bytes, a multiple of that and more than a head,
    /// which belong to the region from now on.
    pub(super) unsafe fn create(memory: *mut u8, size: usize) -> *mut Self {
        let region = memory.cast::<Self>();
        // SAFETY: as the caller promises.
        unsafe {
            let first = memory.add(size_of::<Self>()).cast::<Free>();
            first.write(Free { size: size - size_of::<Self>(), next: null_mut() });
            region.write(Self {
                next: null_mut(),
                outer: null_mut(),
                size,
                blocks: 0,
                is_held: true,
                free: first,
            });
        }
        region
    }

    /// Returns a block, or null if there is no gap for it.
    ///
    /// # Safety
    /// No other thread uses the region.
    pub(super) unsafe fn take(&mut self, layout: Layout) -> *mut u8 {
        let Some(size) = layout.size().max(1).checked_next_multiple_of(GRAIN) else { return null_mut() };
        let mut link = &raw mut self.free;
        // SAFETY: links lead to free pieces of this region, or are null.
        unsafe {
            while !(*link).is_null() {
                let piece = *link;
                let Free { size: found, next } = piece.read();
                let front = piece.addr().next_multiple_of(layout.align().max(GRAIN)) - piece.addr();
                if found >= size && front <= found - size {
                    let block = piece.cast::<u8>().add(front);
                    let mut rest = next;
                    if found > front + size {
                        rest = block.add(size).cast::<Free>();
                        rest.write(Free { size: found - front - size, next });
                    }
                    if front > 0 {
                        piece.write(Free { size: front, next: rest });
                    } else {
                        *link = rest;
                    }
                    self.blocks += 1;
                    return block;
                }
                link = &raw mut (*piece).next;
            }
        }
        null_mut()
    }

    /// Returns the size of the largest gap.
    pub(super) fn largest_gap(&self) -> usize {
        let there = |piece: *mut Free| (!piece.is_null()).then_some(piece);
        // SAFETY: links lead to free pieces of this region, or are null.
        let pieces = std::iter::successors(there(self.free), |&piece| unsafe { there((*piece).next) });
        // SAFETY: as above.
        pieces.map(|piece| unsafe { (*piece).size }).max().unwrap_or(0)
    }

    /// True if this is an address in the region.
    pub(super) fn contains(&self, memory: *mut u8) -> bool {
        memory.addr().wrapping_sub((&raw const *self).addr()) < self.size
    }

    /// Takes a block back.
    ///
    /// # Safety
    /// The block is one of [`take`](Self::take) of this region, and so is its size. No other thread uses the
    /// region.
    pub(super) unsafe fn give_back(&mut self, block: *mut u8, size: usize) {
        let mut size = size.max(1).next_multiple_of(GRAIN);
        let mut before = null_mut::<Free>();
        // SAFETY: as in `take`; pieces are in order of address and do not touch.
        unsafe {
            let mut next = self.free;
            while !next.is_null() && next.addr() < block.addr() {
                (before, next) = (next, (*next).next);
            }
            if !next.is_null() && block.addr() + size == next.addr() {
                size += (*next).size;
                next = (*next).next;
            }
            if !before.is_null() && before.addr() + (*before).size == block.addr() {
                (*before).size += size;
                (*before).next = next;
            } else {
                let piece = block.cast::<Free>();
                piece.write(Free { size, next });
                *(if before.is_null() { &raw mut self.free } else { &raw mut (*before).next }) = piece;
            }
        }
        self.blocks -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluid_core::math::Random;

    #[repr(align(64))]
    struct Memory([u8; 1 << 16]);

    #[test]
    fn blocks_do_not_overlap_and_the_whole_is_one_piece_again() {
        let mut memory = Box::new(Memory([0; 1 << 16]));
        let size = size_of::<Memory>();
        // SAFETY: the memory is aligned, and is used through the region alone.
        let region = unsafe { &mut *Region::create(memory.0.as_mut_ptr(), size) };
        let mut blocks: Vec<(*mut u8, Layout, u8)> = Vec::new();
        let (random, mut taken, mut refused) = (Random::new(7), 0, 0);
        let pick = |counter: u64, most: usize| random.bits(counter) as usize % most;
        for n in 0..20_000 {
            if pick(3 * n, 2) == 0 || blocks.is_empty() {
                let align = 1 << pick(3 * n + 1, 7);
                let layout = Layout::from_size_align(1 + pick(3 * n + 2, 3000), align).unwrap();
                // SAFETY: one thread.
                let block = unsafe { region.take(layout) };
                if block.is_null() {
                    refused += 1;
                    continue;
                }
                assert!(block.addr().is_multiple_of(align) && region.contains(block));
                // SAFETY: the block has that size.
                unsafe { block.write_bytes(n as u8, layout.size()) };
                blocks.push((block, layout, n as u8));
                taken += 1;
            } else {
                let (block, layout, mark) = blocks.swap_remove(pick(3 * n + 1, blocks.len()));
                // SAFETY: as above.
                let bytes = unsafe { std::slice::from_raw_parts(block, layout.size()) };
                assert!(bytes.iter().all(|&byte| byte == mark), "another block wrote here");
                // SAFETY: taken above.
                unsafe { region.give_back(block, layout.size()) };
            }
            assert_eq!(region.blocks, blocks.len());
            if n % 100 == 0 {
                let gap = Layout::from_size_align(region.largest_gap(), 16).unwrap();
                // SAFETY: one thread; the block goes back at once.
                unsafe {
                    let block = region.take(gap);
                    assert!(!block.is_null(), "no gap of {} bytes", gap.size());
                    region.give_back(block, gap.size());
                }
            }
        }
        assert!(taken > 1000 && refused > 100, "{taken} taken, {refused} refused");
        for (block, layout, _) in blocks {
            // SAFETY: taken above.
            unsafe { region.give_back(block, layout.size()) };
        }
        let all = Layout::from_size_align(size - size_of::<Region>(), 16).unwrap();
        assert_eq!(region.largest_gap(), all.size());
        // SAFETY: one thread.
        assert!(!unsafe { region.take(all) }.is_null(), "the pieces were not joined");
    }
}
