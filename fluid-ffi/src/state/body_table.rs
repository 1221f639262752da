//! The bodies of a world, their ids, and their published copy, which is readable during a step.

use crate::handle::{Id, Key, Slots, stale};
use crate::heap::Refusing;
use crate::recorder::{Call, Log};
use crate::state::MAX_CHILDREN;
use crate::status::*;
use crate::types::body::VortonBodyState;
use fluid_bodies::bodies::Bodies;
use fluid_bodies::ledger::BodyImpulse;
use fluid_bodies::obstacles::Obstacles;
use fluid_bodies::shapes::{Shape, Surface};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::boundary::{Surfaces, Touch};
use fluid_core::math::Fnv1a;
use fluid_core::params::Params;
use fluid_core::saved::{LoadError, Reader, Saved, Writer, check};
use glam::Vec3;

/// The living ids. Outside the state, so that a query does not wait for a step.
#[derive(Debug)]
pub(crate) struct BodyIds {
    /// Serial numbers of the bodies.
    pub(crate) bodies: Slots<u64>,
    pub(crate) shapes: Slots<ShapeSerial>,
}

/// Identifies a shape within a [`BodyTable`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct ShapeSerial {
    body: u64,
    shape: u64,
}

fluid_core::saved::fields!(ShapeSerial { body, shape });
fluid_core::saved::fields!(BodyIds { bodies, shapes });

impl BodyIds {
    pub(crate) const fn new() -> Self {
        Self { bodies: Slots::new(MAX_CHILDREN), shapes: Slots::new(MAX_CHILDREN) }
    }
}

/// The bodies and their identities.
#[derive(Debug)]
pub(crate) struct BodyTable {
    pub(crate) bodies: Bodies,
    /// In the order of `bodies.list()`, which is that of the serial numbers.
    entries: Vec<BodyEntry>,
    next_serial: u64,
    /// Scratch memory of bulk calls, which check everything before they change anything.
    pub(crate) indices: Vec<usize>,
    pub(crate) states: Vec<BodyState>,
    /// The same states as given.
    pub(crate) given: Vec<VortonBodyState>,
    /// The ids of a bulk call, as they are recorded.
    pub(crate) recorded: Vec<Id>,
}

#[derive(Debug)]
struct BodyEntry {
    serial: u64,
    key: Key,
    shapes: Vec<NamedShape>,
}

#[derive(Debug)]
struct NamedShape {
    serial: u64,
    key: Key,
    shape: Shape,
}

impl BodyTable {
    pub(crate) fn new(bodies: Bodies) -> Self {
        let (indices, states, given, recorded) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { bodies, entries: Vec::new(), next_serial: 0, indices, states, given, recorded }
    }

    fn next_serial(&mut self) -> u64 {
        self.next_serial += 1;
        self.next_serial
    }

    /// Returns the index of a body in `bodies.list()`.
    pub(crate) fn index_of(&self, ids: &BodyIds, key: Key) -> Outcome<usize> {
        let serial = ids.bodies.get(key).ok_or_else(|| stale("body"))?;
        self.index_of_serial(*serial).ok_or_else(|| stale("body"))
    }

    fn index_of_serial(&self, serial: u64) -> Option<usize> {
        self.entries.binary_search_by_key(&serial, |entry| entry.serial).ok()
    }

    /// Applies the pending reactions of host particles to their bodies. Reactions of destroyed bodies are
    /// dropped.
    pub(crate) fn push(&mut self, ids: &BodyIds, pending: &mut PendingImpulses) {
        for (key, impulse) in pending.drain() {
            if let Ok(index) = self.index_of(ids, key) {
                self.bodies.body_mut(index).push(&impulse);
            }
        }
    }

    /// Returns the number of shapes of all bodies.
    pub(crate) fn shape_count(&self) -> usize {
        self.entries.iter().map(|entry| entry.shapes.len()).sum()
    }

    /// Returns the slot of body number `index`.
    pub(crate) fn key(&self, index: usize) -> Key {
        self.entries[index].key
    }

    /// Iterates over the slots of the shapes of body number `index`, in order of creation.
    pub(crate) fn shape_keys(&self, index: usize) -> impl ExactSizeIterator<Item = Key> + '_ {
        self.entries[index].shapes.iter().map(|shape| shape.key)
    }

    pub(crate) fn add(&mut self, ids: &mut BodyIds, def: BodyDef) -> Outcome<Key> {
        // A refused body takes no id: a replay, which does not contain it, has the same ids.
        ids.bodies.check_room()?;
        self.bodies.add(def)?;
        let serial = self.next_serial();
        let key = ids.bodies.insert(serial)?;
        self.entries.push(BodyEntry { serial, key, shapes: Vec::new() });
        Ok(key)
    }

    pub(crate) fn remove(&mut self, ids: &mut BodyIds, index: usize) {
        let entry = self.entries.remove(index);
        self.bodies.remove(index);
        ids.bodies.remove(entry.key);
        for shape in entry.shapes {
            ids.shapes.remove(shape.key);
        }
    }

    pub(crate) fn add_shape(&mut self, ids: &mut BodyIds, index: usize, shape: Shape) -> Outcome<Key> {
        ids.shapes.check_room()?;
        let present = self.entries[index].shapes.iter().map(|named| named.shape.clone());
        self.bodies.set_shapes(index, present.chain([shape.clone()]).collect())?;
        let serial = self.next_serial();
        let key = ids.shapes.insert(ShapeSerial { body: self.entries[index].serial, shape: serial })?;
        self.entries[index].shapes.push(NamedShape { serial, key, shape });
        Ok(key)
    }

    /// Returns the index of the body of a shape.
    pub(crate) fn index_of_shape(&self, ids: &BodyIds, key: Key) -> Outcome<usize> {
        let missing = || stale("shape");
        let serial = ids.shapes.get(key).ok_or_else(missing)?;
        self.index_of_serial(serial.body).ok_or_else(missing)
    }

    pub(crate) fn remove_shape(&mut self, ids: &mut BodyIds, key: Key) -> Outcome {
        let missing = || stale("shape");
        let serial = *ids.shapes.get(key).ok_or_else(missing)?;
        let index = self.index_of_serial(serial.body).ok_or_else(missing)?;
        let entry = &mut self.entries[index];
        let others = entry.shapes.iter().filter(|shape| shape.serial != serial.shape);
        self.bodies.set_shapes(index, others.map(|named| named.shape.clone()).collect())?;
        entry.shapes.retain(|shape| shape.serial != serial.shape);
        ids.shapes.remove(key);
        Ok(())
    }

    /// Removes all bodies with their shapes and adopts these fluid parameters.
    pub(crate) fn reset(&mut self, ids: &mut BodyIds, params: &Params) {
        ids.bodies.clear();
        ids.shapes.clear();
        self.entries.clear();
        self.bodies.reset(params);
        self.next_serial = 0;
    }

    /// Saves the identities of the bodies and their shapes. The bodies themselves are saved before.
    pub(crate) fn save(&self, ids: &BodyIds, out: &mut Writer<'_>) {
        let Self { bodies: _, entries, next_serial, indices: _, states: _, given: _, recorded: _ } = self;
        for BodyEntry { serial, key, shapes } in entries {
            serial.save(out);
            key.save(out);
            for NamedShape { serial, key, shape: _ } in shapes {
                serial.save(out);
                key.save(out);
            }
        }
        next_serial.save(out);
        ids.save(out);
    }

    /// Loads the identities of bodies that have already been loaded.
    pub(crate) fn load(&mut self, ids: &mut BodyIds, from: &mut Reader<'_>) -> Result<(), LoadError> {
        let Self { bodies, entries, next_serial, .. } = self;
        let new = || BodyEntry { serial: 0, key: Key::default(), shapes: Vec::new() };
        entries.resize_with(bodies.list().len(), new);
        for (BodyEntry { serial, key, shapes }, obstacle) in entries.iter_mut().zip(bodies.obstacles().list())
        {
            serial.load(from)?;
            key.load(from)?;
            shapes.truncate(obstacle.shapes().len());
            for (index, shape) in obstacle.shapes().iter().enumerate() {
                let (serial, key) = (from.value()?, from.value()?);
                match shapes.get_mut(index) {
                    Some(known) if known.shape == *shape => (known.serial, known.key) = (serial, key),
                    Some(known) => *known = NamedShape { serial, key, shape: shape.clone() },
                    None => shapes.push(NamedShape { serial, key, shape: shape.clone() }),
                }
            }
        }
        next_serial.load(from)?;
        check(*next_serial < 1 << 62)?;
        ids.load(from)?;
        let is_named = |entry: &BodyEntry| ids.bodies.get(entry.key) == Some(&entry.serial);
        check(entries.iter().all(is_named) && entries.is_sorted_by(|a, b| a.serial < b.serial))
    }

    /// Continues an FNV-1a hash over everything that affects the fluid: the motion of bodies and the
    /// quantities that they hold for the fluid.
    pub(crate) fn hash_bits(&self, seed: u64) -> u64 {
        let mut hash = Fnv1a::continued(seed);
        let mut eat = |bits| hash.eat(bits);
        for body in self.bodies.list() {
            let state = body.state();
            for vector in [state.position, state.velocity, state.angular_velocity] {
                vector.to_array().iter().for_each(|v| eat(u64::from(v.to_bits())));
            }
            state.rotation.to_array().iter().for_each(|v| eat(u64::from(v.to_bits())));
            let bound = body.bound();
            for vector in [bound.strength, bound.felt, bound.impulse, body.fluid_momentum()] {
                vector.to_array().iter().for_each(|v| eat(v.to_bits()));
            }
            eat(body.temperature().to_bits());
            if body.is_asleep() {
                eat(1);
            }
        }
        hash.value()
    }
}

/// The bodies of the last completed step, as obstacles for host particles. They do not change, so they may be
/// used while the next step runs.
#[derive(Debug, Default)]
pub(crate) struct PublishedBodies {
    obstacles: Obstacles,
    /// In the order of the obstacles.
    keys: Vec<Key>,
    /// The obstacle of each slot that has one.
    by_slot: Vec<usize>,
}

impl PublishedBodies {
    /// Copies the present state of `table`; allocates only to grow.
    pub(crate) fn copy_from(&mut self, table: &BodyTable) {
        self.obstacles.copy_from(table.bodies.obstacles());
        self.keys.clear();
        self.keys.extend(table.entries.iter().map(|entry| entry.key));
        let slots = self.keys.iter().map(|key| key.index1 as usize).max().unwrap_or(0);
        self.by_slot.resize(slots, 0);
        for (obstacle, key) in self.keys.iter().enumerate() {
            self.by_slot[key.index1 as usize - 1] = obstacle;
        }
    }

    /// Returns the surface nearest to `place`, if nearer than `reach` \[m\], and its body. Distance is
    /// negative in solids.
    pub(crate) fn nearest(&self, place: Vec3, reach: f32) -> Option<(Key, Surface)> {
        let (index, surface) = self.obstacles.nearest_of_many(place, reach)?;
        Some((self.keys[index as usize], surface))
    }

    /// Returns the surface of this body if it is nearer than `reach` \[m\] to `place`.
    pub(crate) fn surface_of(&self, body: Key, place: Vec3, reach: f32) -> Option<Surface> {
        let index = self.obstacle(body.index1 - 1).filter(|&index| self.keys[index] == body)?;
        self.obstacles.list()[index].surface(place, reach)
    }

    /// Returns the number of bodies.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns the index of the obstacle of a `Touch::body`.
    fn obstacle(&self, body: u32) -> Option<usize> {
        let obstacle = *self.by_slot.get(body as usize)?;
        self.keys.get(obstacle).filter(|key| key.index1 == body + 1).map(|_| obstacle)
    }

    /// Returns the slot of the body of a `Touch::body`.
    pub(crate) fn key(&self, body: u32) -> Option<Key> {
        self.obstacle(body).map(|index| self.keys[index])
    }

    /// Returns the centre of mass \[m\] of the body of a `Touch::body`.
    pub(crate) fn centre(&self, body: u32) -> Option<Vec3> {
        self.obstacle(body).map(|index| self.obstacles.list()[index].pose().position)
    }
}

impl Surfaces for PublishedBodies {
    /// `Touch::body` is the body's slot number less 1, not its index in the list: the host's numbers must not
    /// shift when another body is destroyed.
    fn meet(&self, before: &[Vec3], after: &mut [Vec3], touches: &mut [Option<Touch>]) {
        self.obstacles.meet(before, after, touches);
        for touch in touches.iter_mut().flatten() {
            touch.body = self.keys[touch.body as usize].index1 - 1;
        }
    }
}

/// Reactions of host particles, held until the impulses of their bodies are taken.
#[derive(Debug, Default)]
pub(crate) struct PendingImpulses {
    list: Vec<(Key, BodyImpulse)>,
    /// Reactions since the last call that was recorded.
    pub(crate) log: Log,
}

fluid_core::saved::fields!(PendingImpulses { list } not { log });

impl PendingImpulses {
    pub(crate) fn add(&mut self, key: Key, impulse: &BodyImpulse) {
        self.log.push(Call::Push {
            body: Id::of(key),
            linear: impulse.linear.to_array(),
            angular: impulse.angular.to_array(),
            lost_energy: impulse.lost_energy,
            hits: impulse.hits,
        });
        match self.list.iter_mut().find(|(other, _)| *other == key) {
            Some((_, sum)) => *sum = sum.and(impulse),
            None => self.list.push((key, *impulse)),
        }
    }

    /// Fails if there is no memory for reactions of `count` bodies.
    pub(crate) fn reserve(&mut self, count: usize) -> Outcome {
        self.log.reserve(count)?;
        let _asking = Refusing::begin(false);
        let more = count.saturating_sub(self.list.len());
        self.list
            .try_reserve(more)
            .map_err(|_| Error::new(VORTON_ERR_OUT_OF_MEMORY, "there is no memory for impulses on bodies"))
    }

    /// Drains all reactions in order of arrival.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = (Key, BodyImpulse)> + '_ {
        self.list.drain(..)
    }

    pub(crate) fn clear(&mut self) {
        self.list.clear();
    }

    /// Takes the accumulated reaction of one body.
    pub(crate) fn take(&mut self, key: Key) -> BodyImpulse {
        let found = self.list.iter().position(|(other, _)| *other == key);
        found.map_or_else(BodyImpulse::default, |index| self.list.swap_remove(index).1)
    }
}
