//! Which vortons touch which body.

use crate::broad_phase::Near;
use crate::obstacles::{Obstacles, way};
use fluid_core::constants::TRACER_CHUNK;
use fluid_core::math::Vec3Columns;
use fluid_threads::{Executor, chunk_count, chunk_range, for_each_chunk_mut};
use glam::Vec3;

/// A vorton that a body has pushed out of its way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ejection {
    /// Number of the body.
    pub body: u32,
    /// Row of the vorton.
    pub row: u32,
    /// Where it would be without the body \[m\].
    pub from: Vec3,
    /// Unit normal of the surface that it has met, into the fluid.
    pub normal: Vec3,
}

/// A vorton in the layer in which a body sheds vorticity.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Contact {
    /// Number of the nearest body.
    pub body: u32,
    /// Number of the cluster of the body's contacts: those of one hold bound strength together.
    pub cluster: u32,
    /// Number of the block of the body's contacts: those of one are solved for together. A block is part of
    /// one cluster.
    pub block: u32,
    /// Row of the vorton.
    pub row: u32,
    /// The nearest point of the surface \[m\].
    pub point: Vec3,
    /// Unit normal there, into the fluid.
    pub normal: Vec3,
    /// Distance of the vorton from the surface \[m\], at least 0.
    pub distance: f32,
    /// Velocity of the surface there \[m/s\].
    pub velocity: Vec3,
}

fluid_core::saved::fields!(Contact { body, cluster, block, row, point, normal, distance, velocity });
impl fluid_core::saved::Element for Contact {}

impl Contact {
    /// True if both are of the same cluster, and so of the same body.
    pub(crate) fn is_with(&self, other: &Self) -> bool {
        (self.body, self.cluster) == (other.body, other.cluster)
    }
}

/// All contacts of a step, by body, cluster, block and row.
#[derive(Debug, Clone, Default)]
pub struct Contacts {
    /// Particles that were pushed out.
    pub ejections: Vec<Ejection>,
    /// Particles that are near.
    pub contacts: Vec<Contact>,
    /// One for each chunk of vortons, with room for all of its rows.
    chunks: Vec<Chunk>,
}

fluid_core::saved::fields!(Contacts { contacts } not { ejections, chunks });

impl Contacts {
    /// The place `origin` \[m\] becomes the origin.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.contacts.iter_mut().for_each(|contact| contact.point -= origin);
        self.ejections.iter_mut().for_each(|ejection| ejection.from -= origin);
    }
}

/// Vortons per chunk \[particles\].
const CHUNK: usize = TRACER_CHUNK;

/// What was found among the vortons of one chunk.
#[derive(Debug, Clone)]
struct Chunk {
    ejections: Vec<Ejection>,
    /// Where those ejected have come to \[m\].
    places: Vec<Vec3>,
    contacts: Vec<Contact>,
}

impl Contacts {
    /// Makes room for `rows` vortons.
    pub fn reserve(&mut self, rows: usize) {
        let count = chunk_count(rows, CHUNK);
        self.chunks.resize_with(count.max(self.chunks.len()), Chunk::with_room);
    }

    /// Forgets the last step's.
    pub(crate) fn clear(&mut self) {
        self.ejections.clear();
        self.contacts.clear();
    }

    /// Sweeps vortons from `before` to where they are, pushes out those that have met a body, and finds those
    /// nearer than `depth` \[m\] to one that is no half-space. Vortons with places that are not finite are
    /// left alone.
    ///
    /// # Panics
    /// If the columns differ in length.
    pub fn find(
        &mut self,
        exec: &dyn Executor,
        obstacles: &Obstacles,
        before: &Vec3Columns,
        positions: &mut Vec3Columns,
        depth: f32,
    ) {
        assert_eq!(before.len(), positions.len(), "columns differ in length");
        self.ejections.clear();
        self.contacts.clear();
        let (rows, count) = (positions.len(), chunk_count(positions.len(), CHUNK));
        self.chunks.resize_with(count.max(self.chunks.len()), Chunk::with_room);
        let chunks = &mut self.chunks[..count];
        let places = &*positions;
        for_each_chunk_mut(exec, 1, &mut *chunks, &|index, chunk: &mut [Chunk]| {
            let first = index * CHUNK;
            let copy = |columns: &Vec3Columns| {
                let mut block = [Vec3::ZERO; CHUNK];
                chunk_range(rows, CHUNK, index).for_each(|row| block[row - first] = columns.get(row));
                block
            };
            let len = chunk_range(rows, CHUNK, index).len();
            chunk[0].find(obstacles, first as u32, &copy(before)[..len], &copy(places)[..len], depth);
        });
        for chunk in chunks {
            for (ejection, &place) in chunk.ejections.iter().zip(&chunk.places) {
                positions.set(ejection.row as usize, place);
            }
            self.ejections.extend_from_slice(&chunk.ejections);
            self.contacts.extend_from_slice(&chunk.contacts);
        }
        // Keys are different, so the order is one; a stable sort would allocate.
        self.ejections.sort_unstable_by_key(|ejection| (ejection.body, ejection.row));
        self.contacts.sort_unstable_by_key(|contact| (contact.body, contact.row));
    }
}

impl Chunk {
    fn with_room() -> Self {
        Self {
            ejections: Vec::with_capacity(CHUNK),
            places: Vec::with_capacity(CHUNK),
            contacts: Vec::with_capacity(CHUNK),
        }
    }

    /// `first` is the row of the first vorton.
    fn find(&mut self, obstacles: &Obstacles, first: u32, before: &[Vec3], after: &[Vec3], depth: f32) {
        self.ejections.clear();
        self.places.clear();
        self.contacts.clear();
        let near = obstacles.near(before, after, depth);
        if near.is_empty() {
            return;
        }
        for ((row, &before), &from) in (first..).zip(before).zip(after) {
            let Some(way) = way(before, from, 0.0) else { continue };
            let mut place = from;
            let own = obstacles.near_of(&near, &way, depth);
            if own.is_empty() {
                continue;
            }
            // What has been pushed out may have come near others.
            let mut near = &own;
            if let Some(touch) = obstacles.meet_one(near, way, &mut place) {
                self.ejections.push(Ejection { body: touch.body, row, from, normal: touch.normal });
                self.places.push(place);
                near = &Near::MANY;
            }
            if let Some((body, surface)) = obstacles.nearest_sticky(near, place, depth) {
                self.contacts.push(Contact {
                    body,
                    cluster: 0,
                    block: 0,
                    row,
                    point: surface.point,
                    normal: surface.normal,
                    distance: surface.distance.max(0.0),
                    velocity: obstacles.list()[body as usize].velocity_at(surface.point),
                });
            }
        }
    }
}
