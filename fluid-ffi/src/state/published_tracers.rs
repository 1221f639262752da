//! Copies of tracer sets that are readable during steps.

use crate::handle::{Key, stale};
use crate::state::TracerSet;
use crate::status::*;
use fluid_core::particles::Tracers;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::Vec3;
use std::sync::{Arc, Mutex, MutexGuard};

/// Rows that one task copies.
const COPY_CHUNK: usize = 8192;

/// The readable columns of a set: one row per tracer.
#[derive(Clone, Copy)]
pub(crate) struct TracerRows<'a> {
    pub(crate) positions: &'a [Vec3],
    pub(crate) ids: &'a [u32],
    pub(crate) tags: &'a [u32],
    pub(crate) ages: &'a [f32],
    pub(crate) values: &'a [f32],
}

impl<'a> From<&'a Tracers> for TracerRows<'a> {
    fn from(set: &'a Tracers) -> Self {
        Self {
            positions: set.positions(),
            ids: set.ids(),
            tags: set.tags(),
            ages: set.ages(),
            values: set.values(),
        }
    }
}

/// Owned [`TracerRows`].
#[derive(Debug, Default)]
pub(crate) struct Copied {
    positions: Vec<Vec3>,
    ids: Vec<u32>,
    tags: Vec<u32>,
    ages: Vec<f32>,
    values: Vec<f32>,
}

impl Copied {
    /// Memory per tracer \[bytes\].
    pub(crate) const BYTES: usize = size_of::<Vec3>() + 4 * size_of::<u32>();

    /// Creates a copy with the capacity of the set.
    fn for_rows_of(set: &Tracers) -> Self {
        let capacity = set.capacity();
        Self {
            positions: Vec::with_capacity(capacity),
            ids: Vec::with_capacity(capacity),
            tags: Vec::with_capacity(capacity),
            ages: Vec::with_capacity(capacity),
            values: Vec::with_capacity(capacity),
        }
    }

    fn resize(&mut self, len: usize) {
        self.positions.resize(len, Vec3::ZERO);
        self.ids.resize(len, 0);
        self.tags.resize(len, 0);
        self.ages.resize(len, 0.0);
        self.values.resize(len, 0.0);
    }

    fn copy_from(&mut self, exec: &dyn Executor, from: TracerRows<'_>) {
        self.resize(from.positions.len());
        let Self { positions, ids, tags, ages, values } = self;
        let columns = (&mut positions[..], &mut ids[..], &mut tags[..], &mut ages[..], &mut values[..]);
        for_each_chunk_mut(exec, COPY_CHUNK, columns, &|start, (positions, ids, tags, ages, values)| {
            let rows = start..start + positions.len();
            positions.copy_from_slice(&from.positions[rows.clone()]);
            ids.copy_from_slice(&from.ids[rows.clone()]);
            tags.copy_from_slice(&from.tags[rows.clone()]);
            ages.copy_from_slice(&from.ages[rows.clone()]);
            values.copy_from_slice(&from.values[rows]);
        });
    }

    pub(crate) fn rows(&self) -> TracerRows<'_> {
        let Self { positions, ids, tags, ages, values } = self;
        TracerRows { positions, ids, tags, ages, values }
    }
}

/// The copies of one set: the published one, and spares for reuse.
#[derive(Debug)]
struct TracerCopies {
    key: Key,
    published: Arc<Copied>,
    spares: Vec<Arc<Copied>>,
}

impl TracerCopies {
    /// Most spare copies kept for reuse.
    const SPARES: usize = 4;

    fn take_unread(&mut self) -> Option<Arc<Copied>> {
        let unread = self.spares.iter().position(|spare| Arc::strong_count(spare) == 1)?;
        Some(self.spares.swap_remove(unread))
    }

    fn publish(&mut self, next: Arc<Copied>) {
        let last = std::mem::replace(&mut self.published, next);
        if self.spares.len() < Self::SPARES {
            self.spares.push(last);
        }
    }
}

/// Copies that the host reads in place.
#[derive(Debug, Default)]
struct Leases {
    held: Vec<(u64, Arc<Copied>)>,
    last: u64,
}

/// The copies of all sets that are readable during steps. The lock is held while pointers are exchanged,
/// never while rows are copied.
#[derive(Debug, Default)]
pub(crate) struct PublishedTracers {
    sets: Mutex<Vec<TracerCopies>>,
    leases: Mutex<Leases>,
}

impl PublishedTracers {
    fn entries(&self) -> MutexGuard<'_, Vec<TracerCopies>> {
        self.sets.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    fn leases(&self) -> MutexGuard<'_, Leases> {
        self.leases.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    /// Allocates the copies of a set; its published copy is still empty.
    pub(crate) fn add(&self, key: Key, set: &Tracers) {
        let [published, spare] = [(); 2].map(|()| Arc::new(Copied::for_rows_of(set)));
        let mut spares = Vec::with_capacity(TracerCopies::SPARES);
        spares.push(spare);
        self.entries().push(TracerCopies { key, published, spares });
    }

    pub(crate) fn remove(&self, key: Key) {
        self.entries().retain(|entry| entry.key != key);
    }

    /// Copies one set into memory without readers and publishes the copy.
    pub(crate) fn publish(&self, exec: &dyn Executor, key: Key, set: &Tracers) {
        if self.last(key).is_none() {
            self.add(key, set);
        }
        let unread =
            self.entries().iter_mut().find(|entry| entry.key == key).and_then(TracerCopies::take_unread);
        let mut next = unread.unwrap_or_else(|| Arc::new(Copied::for_rows_of(set)));
        if let Some(next) = Arc::get_mut(&mut next) {
            next.copy_from(exec, set.into());
        }
        if let Some(entry) = self.entries().iter_mut().find(|entry| entry.key == key) {
            entry.publish(next);
        }
    }

    /// Drops the copies of sets that are not among these.
    pub(crate) fn keep(&self, sets: &[TracerSet]) {
        let lives = |key| sets.iter().any(|set| set.key == key && set.readable_during_steps);
        self.entries().retain(|entry| lives(entry.key));
    }

    /// Returns the copy of a set after the last step.
    pub(crate) fn last(&self, key: Key) -> Option<Arc<Copied>> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| entry.published.clone())
    }

    /// Keeps these rows until they are released.
    pub(crate) fn lease(&self, rows: &Arc<Copied>) -> Outcome<u64> {
        let mut leases = self.leases();
        if leases.held.len() >= MAX_LEASES {
            let text = format_args!("{MAX_LEASES} acquired sets of rows have not been released");
            return Err(Error::new(VORTON_ERR_CAPACITY, text));
        }
        leases.last += 1;
        let lease = leases.last;
        leases.held.push((lease, rows.clone()));
        Ok(lease)
    }

    pub(crate) fn release(&self, lease: u64) -> Outcome {
        let mut leases = self.leases();
        let row = leases.held.iter().position(|&(held, _)| held == lease);
        let rows = row.map(|row| leases.held.swap_remove(row)).ok_or_else(|| stale("lease"))?;
        // The lock is released before the memory is freed.
        drop(leases);
        drop(rows);
        Ok(())
    }
}

/// Most leases of one world at a time.
const MAX_LEASES: usize = 1024;
