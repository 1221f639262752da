//! Finds the vortons that touch each body.

use crate::broad_phase::NearBodies;
use crate::hole::WALL_THICKNESS;
use crate::obstacles::{Obstacles, way};
use fluid_core::constants::TRACER_CHUNK;
use fluid_core::math::Vec3Columns;
use fluid_threads::{Executor, chunk_count, chunk_range, for_each_chunk_mut};
use glam::Vec3;

/// A vorton pushed out by a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ejection {
    /// Index of the body.
    pub body: u32,
    /// Row of the vorton.
    pub row: u32,
    /// Position without the body \[m\].
    pub from: Vec3,
    /// Unit normal of the surface that it has met, into the fluid.
    pub normal: Vec3,
    /// True if a hole of the body holds the vorton.
    pub is_held: bool,
}

/// A side of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ContactSide {
    /// A solid, seen from outside of the holes.
    Outside,
    /// The same where it is a thin wall around a hole.
    Glass,
    /// A solid in a hole.
    Inside,
    /// The wall of a hole.
    Wall,
}

/// A vorton in the layer in which a body sheds vorticity.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Contact {
    /// Index of the nearest body.
    pub body: u32,
    /// Index of the cluster among the body's contacts. Contacts of one cluster hold bound strength together.
    pub cluster: u32,
    /// Index of the block among the body's contacts, which acts on distant ones by its sum; a block is part
    /// of one cluster, on one side.
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
    /// True if a hole of the body holds the vorton.
    pub is_held: bool,
    /// True if the surface is a wall of that hole, or the other side of a thin wall.
    pub is_at_wall: bool,
}

fluid_core::saved::fields!(Contact {
    body,
    cluster,
    block,
    row,
    point,
    normal,
    distance,
    velocity,
    is_held,
    is_at_wall,
});
impl fluid_core::saved::Element for Contact {}

impl Contact {
    /// True if both belong to the same cluster on the same side of the same body.
    pub(crate) fn is_with(&self, other: &Self) -> bool {
        (self.body, self.cluster, self.side()) == (other.body, other.cluster, other.side())
    }

    /// Returns the side of the body at which it is.
    pub(crate) fn side(&self) -> ContactSide {
        match (self.is_held, self.is_at_wall) {
            (false, false) => ContactSide::Outside,
            (false, true) => ContactSide::Glass,
            (true, false) => ContactSide::Inside,
            (true, true) => ContactSide::Wall,
        }
    }
}

/// Distances \[m\] at surfaces.
#[derive(Debug, Clone, Copy)]
pub struct Layers {
    /// Depth of the layer in which bodies shed vorticity.
    pub depth: f32,
    /// Thickness of a solid around a hole below which it is a thin wall.
    pub thin: f32,
    /// Distance from the walls of a hole at which vortons that have passed them are put back.
    pub clearance: f32,
}

impl Layers {
    /// Returns the layers for a core radius \[m\] and the depth \[core radii\] in which bodies shed.
    pub fn new(core_radius: f32, depth: f32) -> Self {
        let [depth, thin, clearance] = [depth, WALL_THICKNESS, CLEARANCE].map(|scale| scale * core_radius);
        Self { depth, thin, clearance }
    }
}

/// [`Layers::clearance`] \[core radii\]: below half of the spacing of vortons that fill a tank. On the wall
/// itself nothing flows away from it, so vortons there collect where the flow leaves the wall (E58).
const CLEARANCE: f32 = 0.25;

/// All contacts of a step, by body, cluster, side, block and row.
#[derive(Debug, Clone, Default)]
pub struct Contacts {
    /// Vortons pushed out of a body in this step.
    pub ejections: Vec<Ejection>,
    /// Vortons within the shedding layer.
    pub contacts: Vec<Contact>,
    /// One per chunk of vortons, with capacity for all of its rows.
    chunks: Vec<ChunkContacts>,
}

fluid_core::saved::fields!(Contacts { contacts } not { ejections, chunks });

impl Contacts {
    /// Makes the position `origin` \[m\] the origin.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.contacts.iter_mut().for_each(|contact| contact.point -= origin);
        self.ejections.iter_mut().for_each(|ejection| ejection.from -= origin);
    }
}

/// Vortons per chunk \[particles\].
const VORTON_CHUNK: usize = TRACER_CHUNK;

/// Results for the vortons of one chunk.
#[derive(Debug, Clone)]
struct ChunkContacts {
    ejections: Vec<Ejection>,
    /// New positions of the ejected vortons \[m\].
    places: Vec<Vec3>,
    contacts: Vec<Contact>,
}

impl Contacts {
    /// Reserves memory for `rows` vortons.
    pub fn reserve(&mut self, rows: usize) {
        let count = chunk_count(rows, VORTON_CHUNK);
        self.chunks.resize_with(count.max(self.chunks.len()), ChunkContacts::with_room);
    }

    /// Discards the contacts with body `removed`; later bodies have indices smaller by one.
    pub(crate) fn forget_body(&mut self, removed: usize) {
        let removed = removed as u32;
        self.ejections.retain(|ejection| ejection.body != removed);
        self.contacts.retain(|contact| contact.body != removed);
        let bodies = self.ejections.iter_mut().map(|ejection| &mut ejection.body);
        bodies
            .chain(self.contacts.iter_mut().map(|contact| &mut contact.body))
            .for_each(|body| *body -= u32::from(*body > removed));
    }

    /// Discards the contacts of the last step.
    pub(crate) fn clear(&mut self) {
        self.ejections.clear();
        self.contacts.clear();
    }

    /// Sweeps vortons from `before` to their present positions, pushes out those that have met a body, and
    /// finds those nearer than `depth` \[m\] to a body other than a half-space. Solids nearer than `thin`
    /// \[m\] to a hole of their body are thin walls. Positions that are not finite are left alone.
    ///
    /// # Panics
    /// If the columns differ in length.
    pub fn find(
        &mut self,
        exec: &dyn Executor,
        obstacles: &Obstacles,
        before: &Vec3Columns,
        positions: &mut Vec3Columns,
        layers: Layers,
    ) {
        assert_eq!(before.len(), positions.len(), "columns differ in length");
        self.ejections.clear();
        self.contacts.clear();
        let (rows, count) = (positions.len(), chunk_count(positions.len(), VORTON_CHUNK));
        self.chunks.resize_with(count.max(self.chunks.len()), ChunkContacts::with_room);
        let chunks = &mut self.chunks[..count];
        let places = &*positions;
        for_each_chunk_mut(exec, 1, &mut *chunks, &|index, chunk: &mut [ChunkContacts]| {
            let first = index * VORTON_CHUNK;
            let copy = |columns: &Vec3Columns| {
                let mut block = [Vec3::ZERO; VORTON_CHUNK];
                chunk_range(rows, VORTON_CHUNK, index).for_each(|row| block[row - first] = columns.get(row));
                block
            };
            let len = chunk_range(rows, VORTON_CHUNK, index).len();
            chunk[0].find(obstacles, first as u32, (&copy(before)[..len], &copy(places)[..len]), layers);
        });
        for chunk in chunks {
            for (ejection, &place) in chunk.ejections.iter().zip(&chunk.places) {
                positions.set(ejection.row as usize, place);
            }
            self.ejections.extend_from_slice(&chunk.ejections);
            self.contacts.extend_from_slice(&chunk.contacts);
        }
        // Keys are unique, so the order is; a stable sort would allocate.
        self.ejections.sort_unstable_by_key(|ejection| (ejection.body, ejection.is_held, ejection.row));
        self.contacts.sort_unstable_by_key(|contact| (contact.body, contact.side(), contact.row));
    }
}

impl ChunkContacts {
    fn with_room() -> Self {
        Self {
            ejections: Vec::with_capacity(VORTON_CHUNK),
            places: Vec::with_capacity(VORTON_CHUNK),
            contacts: Vec::with_capacity(VORTON_CHUNK),
        }
    }

    /// Finds ejections and contacts of a chunk; `first` is the row of its first vorton.
    fn find(
        &mut self,
        obstacles: &Obstacles,
        first: u32,
        (before, after): (&[Vec3], &[Vec3]),
        Layers { depth, thin, clearance }: Layers,
    ) {
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
            // A vorton that has been pushed out may be near other bodies.
            let mut near = &own;
            if let Some(touch) = obstacles.meet_one(near, way, &mut place) {
                let is_held = obstacles.list()[touch.body as usize].holds(place, 1.0);
                if is_held {
                    place = obstacles.off_walls(touch.body, place, clearance);
                }
                self.ejections.push(Ejection { body: touch.body, row, from, normal: touch.normal, is_held });
                self.places.push(place);
                near = &NearBodies::MANY;
            }
            if let Some((body, surface)) = obstacles.nearest_sticky(near, place, depth) {
                let obstacle = &obstacles.list()[body as usize];
                let is_held = obstacle.holds(place, 1.0);
                self.contacts.push(Contact {
                    body,
                    cluster: 0,
                    block: 0,
                    row,
                    point: surface.point,
                    normal: surface.normal,
                    distance: surface.distance.max(0.0),
                    velocity: obstacle.velocity_at(surface.point),
                    is_held,
                    is_at_wall: match is_held {
                        true => obstacle.is_at_wall(place, &surface),
                        false => obstacle.is_thin_at(surface.point, thin),
                    },
                });
            }
        }
    }
}
