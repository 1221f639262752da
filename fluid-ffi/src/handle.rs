//! Ids with generations: a stale id is detected even if its slot has been reused.

use crate::status::*;
use fluid_core::saved::{LoadError, Reader, Saved, Writer, check};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Slots that count their reuses. A slot with exhausted generations is retired.
#[derive(Debug)]
pub(crate) struct Slots<T> {
    slots: Vec<Slot<T>>,
    /// Reusable slots, the first one on top.
    free: BinaryHeap<Reverse<usize>>,
    most: usize,
}

#[derive(Debug)]
struct Slot<T> {
    generation: u16,
    value: Option<T>,
}

/// Key of a value: index + 1 (so that zeroed memory is the null id) and generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Key {
    pub(crate) index1: u32,
    pub(crate) generation: u16,
}

fluid_core::saved::fields!(Key { index1, generation });

impl<T> Slots<T> {
    /// Creates an empty table of at most `most` slots.
    pub(crate) const fn new(most: usize) -> Self {
        Self { slots: Vec::new(), free: BinaryHeap::new(), most }
    }

    /// Fails if there is no free slot.
    pub(crate) fn check_room(&self) -> Outcome {
        if self.free.is_empty() && self.slots.len() >= self.most {
            let text = format_args!("more than {} of a kind", self.most);
            return Err(Error::new(VORTON_ERR_CAPACITY, text));
        }
        Ok(())
    }

    /// Returns the number of slots, free ones included.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn insert(&mut self, value: T) -> Outcome<Key> {
        self.check_room()?;
        let index = match self.free.pop() {
            Some(Reverse(index)) => index,
            None => {
                self.slots.push(Slot { generation: 0, value: None });
                // Removing does not allocate.
                self.free.reserve(self.slots.len());
                self.slots.len() - 1
            }
        };
        let slot = &mut self.slots[index];
        slot.generation += 1;
        slot.value = Some(value);
        Ok(Key { index1: index as u32 + 1, generation: slot.generation })
    }

    pub(crate) fn get(&self, key: Key) -> Option<&T> {
        let slot = self.slots.get((key.index1 as usize).checked_sub(1)?)?;
        slot.value.as_ref().filter(|_| slot.generation == key.generation)
    }

    /// Iterates over the living values in slot order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Key, &T)> {
        self.slots.iter().enumerate().filter_map(|(index, slot)| {
            let key = Key { index1: index as u32 + 1, generation: slot.generation };
            slot.value.as_ref().map(|value| (key, value))
        })
    }

    pub(crate) fn get_mut(&mut self, key: Key) -> Option<&mut T> {
        let slot = self.slots.get_mut((key.index1 as usize).checked_sub(1)?)?;
        let generation = slot.generation;
        slot.value.as_mut().filter(|_| generation == key.generation)
    }

    pub(crate) fn remove(&mut self, key: Key) -> Option<T> {
        self.get(key)?;
        let index = key.index1 as usize - 1;
        let slot = &mut self.slots[index];
        if slot.generation < u16::MAX {
            self.free.push(Reverse(index));
        }
        slot.value.take()
    }

    /// Removes all values; their keys are stale then.
    pub(crate) fn clear(&mut self) {
        for (index, slot) in self.slots.iter_mut().enumerate() {
            if slot.value.take().is_some() && slot.generation < u16::MAX {
                self.free.push(Reverse(index));
            }
        }
    }
}

impl<T: Saved + Default> Saved for Slots<T> {
    fn save(&self, out: &mut Writer<'_>) {
        let Self { slots, free: _, most: _ } = self;
        slots.len().save(out);
        for Slot { generation, value } in slots {
            generation.save(out);
            value.save(out);
        }
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        let count = from.count(1)?;
        check(count <= self.most)?;
        self.slots.resize_with(count, || Slot { generation: 0, value: None });
        self.free.clear();
        for (index, Slot { generation, value }) in self.slots.iter_mut().enumerate() {
            generation.load(from)?;
            value.load(from)?;
            if value.is_none() && *generation < u16::MAX {
                self.free.push(Reverse(index));
            }
        }
        Ok(())
    }
}

/// The living slots of a table, stored outside it: tells whether a key is valid without taking the table's
/// lock.
#[derive(Debug, Default)]
pub(crate) struct Living {
    /// The generation of each slot; 0 if empty.
    generations: Vec<u16>,
}

impl Living {
    pub(crate) fn add(&mut self, key: Key) {
        let slot = key.index1 as usize;
        if self.generations.len() <= slot {
            self.generations.resize(slot + 1, 0);
        }
        self.generations[slot] = key.generation;
    }

    pub(crate) fn remove(&mut self, key: Key) {
        if self.contains(key) {
            self.generations[key.index1 as usize] = 0;
        }
    }

    /// Copies the living slots of a table.
    pub(crate) fn follow<T>(&mut self, slots: &Slots<T>) {
        self.generations.clear();
        slots.iter().for_each(|(key, _)| self.add(key));
    }

    pub(crate) fn contains(&self, key: Key) -> bool {
        key.generation != 0 && self.generations.get(key.index1 as usize) == Some(&key.generation)
    }
}

pub(crate) fn stale(kind: &str) -> Error {
    Error::new(VORTON_ERR_STALE_ID, format_args!("the {kind} id is null, or the {kind} has been destroyed"))
}

/// Methods of every id of an object in a world. (The structs themselves are written out: cbindgen does not
/// see macro output.) A slot's number fits 16 bits; the upper half of `index1` is the upper half of the
/// world's serial number.
macro_rules! child_id {
    ($name:ident, $kind:literal) => {
        impl $name {
            pub(crate) const KIND: &'static str = $kind;

            /// The null id.
            #[allow(dead_code, reason = "not every kind is optional somewhere")]
            pub(crate) const NULL: Self = Self { index1: 0, world: 0, generation: 0 };

            pub(crate) fn new(key: crate::handle::Key, world: u32) -> Self {
                Self { index1: world & !0xffff | key.index1, world: world as u16, generation: key.generation }
            }

            /// Returns the id as it is recorded, without its world.
            #[allow(dead_code, reason = "operations are not recorded")]
            pub(crate) fn recorded(self) -> crate::handle::Id {
                let key = crate::handle::Key { index1: self.index1 & 0xffff, generation: self.generation };
                crate::handle::Id::of(key)
            }

            /// Returns a recorded id in another world.
            #[allow(dead_code, reason = "as above")]
            pub(crate) fn replayed(id: crate::handle::Id, world: u32) -> Self {
                id.key().map_or(Self::NULL, |key| Self::new(key, world))
            }

            /// The slot, if this id belongs to world number `world`.
            pub(crate) fn key(self, world: u32) -> crate::status::Outcome<crate::handle::Key> {
                let index1 = self.index1 & 0xffff;
                if index1 != 0 && (self.index1 & !0xffff | u32::from(self.world)) != world {
                    let text = concat!("the ", $kind, " id belongs to another world");
                    return Err(crate::status::Error::new(crate::status::VORTON_ERR_WRONG_WORLD, text));
                }
                Ok(crate::handle::Key { index1, generation: self.generation })
            }
        }
    };
}
pub(crate) use child_id;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_key_finds_nothing_even_after_reuse() {
        let mut slots = Slots::new(1);
        let first = slots.insert("a").unwrap();
        assert_eq!(slots.remove(first), Some("a"));
        let second = slots.insert("b").unwrap();
        assert_eq!(first.index1, second.index1);
        assert_eq!((slots.get(first), slots.get(second)), (None, Some(&"b")));
        assert_eq!(slots.insert("c").unwrap_err().code, VORTON_ERR_CAPACITY);
    }

    #[test]
    fn the_living_are_those_of_the_table() {
        let (mut slots, mut living) = (Slots::new(9), Living::default());
        let keys: Vec<_> = (0..5).map(|n| slots.insert(n).unwrap()).collect();
        keys.iter().for_each(|&key| living.add(key));
        living.remove(slots.remove(keys[1]).map(|_| keys[1]).unwrap());
        let again = slots.insert(7).unwrap();
        living.add(again);
        // A stale key removes nothing.
        living.remove(keys[1]);
        let mut followed = Living::default();
        followed.follow(&slots);
        for key in keys.iter().copied().chain([again, Key::default(), Key { index1: 77, generation: 1 }]) {
            let lives = slots.get(key).is_some();
            assert_eq!((living.contains(key), followed.contains(key)), (lives, lives), "{key:?}");
        }
    }

    #[test]
    fn slots_that_were_cleared_are_used_in_order_and_old_keys_find_nothing() {
        let mut slots = Slots::new(3);
        let keys: Vec<_> = (0..3).map(|n| slots.insert(n).unwrap()).collect();
        slots.remove(keys[1]).unwrap();
        slots.clear();
        assert!(keys.iter().all(|&key| slots.get(key).is_none()));
        let next = [(); 3].map(|()| slots.insert(7).unwrap());
        assert_eq!(next.map(|key| (key.index1, key.generation)), [(1, 2), (2, 2), (3, 2)]);
    }

    #[test]
    fn the_first_free_slot_is_used_first() {
        let mut slots = Slots::new(100);
        let keys: Vec<_> = (0..50).map(|n| slots.insert(n).unwrap()).collect();
        for n in [31, 4, 40, 15] {
            slots.remove(keys[n]).unwrap();
        }
        let next = [(); 5].map(|()| slots.insert(0).unwrap().index1);
        assert_eq!(next, [5, 16, 32, 41, 51]);
    }

    #[test]
    fn a_slot_with_used_up_generations_is_retired() {
        let mut slots = Slots::new(2);
        let mut last = None;
        for n in 0..u32::from(u16::MAX) {
            let key = slots.insert(n).unwrap();
            assert_eq!(key.index1, 1);
            slots.remove(key).unwrap();
            last = Some(key);
        }
        assert_eq!(slots.insert(0).unwrap().index1, 2);
        assert_eq!(slots.get(last.unwrap()), None);
    }
}

/// An id without its world: slot and generation. 0 is the null id.
#[repr(transparent)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Id(u32);

impl Id {
    pub(crate) fn of(key: Key) -> Self {
        Self(key.index1 << 16 | u32::from(key.generation))
    }

    /// Returns the slot; `None` for the null id.
    pub(crate) fn key(self) -> Option<Key> {
        (self.0 != 0).then_some(Key { index1: self.0 >> 16, generation: self.0 as u16 })
    }
}
