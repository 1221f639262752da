//! Saving and loading the state of a world: the bytes of a snapshot.
//!
//! A type lists its saved fields with [`fields!`](fields): a new field does not compile before it is in one
//! of the lists. Scratch fields and fields derived from the others are not saved: a value is loaded into
//! one that was made with the same parameters, and keeps its memory.
//!
//! Numbers are in the byte order of the machine; there are no pointers.

use crate::inside::Inside;
use crate::math::Vec3Columns;
use fluid_threads::Executor;
use glam::{DMat3, DQuat, DVec2, DVec3, IVec3, Quat, UVec3, Vec2, Vec3, Vec4};
use std::fmt;
use std::sync::Arc;

/// A value that can be saved, and loaded in place.
pub trait Saved {
    /// Writes the value.
    fn save(&self, out: &mut Writer<'_>);

    /// Overwrites the value with the saved one; allocates only to grow.
    ///
    /// # Errors
    /// Bytes that no valid value has. The value is then unspecified but valid for its type, and must be
    /// loaded again.
    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError>;

    /// As [`load`](Self::load), for columns that must keep their number of elements.
    ///
    /// # Errors
    /// As [`load`](Self::load), or a different number of elements.
    fn load_same(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        self.load(from)
    }
}

/// Reason for which a snapshot cannot be loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadError {
    /// It ends too soon, or contains invalid values.
    Damaged,
    /// It is from a world with a different value of the named parameter.
    OtherWorld(&'static str),
    /// It contains the hash of level geometry that no body of the world has.
    UnknownLevel,
    /// There is no memory for its contents.
    OutOfMemory,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged => write!(f, "the snapshot is damaged"),
            Self::OtherWorld(name) => write!(f, "the snapshot is of a world with another {name}"),
            Self::UnknownLevel => {
                write!(f, "the snapshot has the hash of a mesh or height field that no body of the world has")
            }
            Self::OutOfMemory => write!(f, "there is no memory for the contents of the snapshot"),
        }
    }
}

impl std::error::Error for LoadError {}

/// Access to the interiors of enclosures, which bodies own.
pub trait Insides {
    /// Writes the index of the body that owns `inside`, or, if that body was removed, the interior's
    /// shapes.
    fn save_inside(&self, inside: &Arc<dyn Inside>, out: &mut Writer<'_>);

    /// Returns the interior that was written.
    ///
    /// # Errors
    /// Bytes that denote no interior.
    fn load_inside(&self, from: &mut Reader<'_>) -> Result<Arc<dyn Inside>, LoadError>;
}

/// The [`Insides`] of a world without bodies.
#[derive(Debug, Clone, Copy)]
pub struct NoInsides;

impl Insides for NoInsides {
    fn save_inside(&self, _inside: &Arc<dyn Inside>, _out: &mut Writer<'_>) {}

    fn load_inside(&self, _from: &mut Reader<'_>) -> Result<Arc<dyn Inside>, LoadError> {
        Err(LoadError::Damaged)
    }
}

/// Destination of saved values.
pub struct Writer<'a> {
    bytes: &'a mut [u8],
    len: usize,
    /// Interiors of the world's bodies.
    pub insides: &'a dyn Insides,
}

impl<'a> Writer<'a> {
    /// Writes from the start of `bytes`.
    pub fn new(bytes: &'a mut [u8], insides: &'a dyn Insides) -> Self {
        Self { bytes, len: 0, insides }
    }

    /// Returns the number of bytes written, including those that did not fit into the buffer.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if nothing has been written.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn put(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        if let Some(slot) = self.bytes.get_mut(self.len..end) {
            slot.copy_from_slice(bytes);
        }
        self.len = end;
    }
}

/// Source of loaded values.
pub struct Reader<'a> {
    bytes: &'a [u8],
    /// Interiors of the world's bodies.
    pub insides: &'a dyn Insides,
    /// Executor for computing the tables and values that are not in the bytes.
    pub exec: &'a dyn Executor,
    has_memory: &'a dyn Fn(usize) -> bool,
    is_within_limit: &'a dyn Fn(usize) -> bool,
}

impl<'a> Reader<'a> {
    /// Reads from the start of `bytes`.
    pub fn new(bytes: &'a [u8], insides: &'a dyn Insides, exec: &'a dyn Executor) -> Self {
        Self { bytes, insides, exec, has_memory: &|_| true, is_within_limit: &|_| true }
    }

    /// Asks `has_memory` before a value is made that takes much more memory than its bytes: it returns
    /// false if there are not so many bytes.
    #[must_use]
    pub fn with_memory(self, has_memory: &'a dyn Fn(usize) -> bool) -> Self {
        Self { has_memory, ..self }
    }

    /// Asks `is_within_limit` before a list grows, with the bytes that it will have: it returns false if the
    /// limit of the world leaves less.
    #[must_use]
    pub fn with_limit(self, is_within_limit: &'a dyn Fn(usize) -> bool) -> Self {
        Self { is_within_limit, ..self }
    }

    /// Checks that there is memory for a value that takes `bytes`.
    ///
    /// # Errors
    /// [`LoadError::OutOfMemory`].
    pub fn check_memory(&self, bytes: usize) -> Result<(), LoadError> {
        if (self.has_memory)(bytes) { Ok(()) } else { Err(LoadError::OutOfMemory) }
    }

    /// Returns true if all bytes have been read.
    pub fn is_at_end(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the remaining bytes, to be read with other interiors.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    /// Reads a value of a type with a default.
    ///
    /// # Errors
    /// As [`Saved::load`].
    pub fn value<T: Saved + Default>(&mut self) -> Result<T, LoadError> {
        let mut value = T::default();
        value.load(self)?;
        Ok(value)
    }

    /// Reads a number of elements, each of at least `bytes_of_one` bytes.
    ///
    /// # Errors
    /// More elements than the remaining bytes can hold.
    pub fn count(&mut self, bytes_of_one: usize) -> Result<usize, LoadError> {
        let count: usize = self.value()?;
        check(count.checked_mul(bytes_of_one.max(1)).is_some_and(|bytes| bytes <= self.bytes.len()))?;
        Ok(count)
    }

    /// Reads a value that must be equal to `value`.
    ///
    /// # Errors
    /// A different value of the parameter `name`.
    pub fn same<T: Saved + Clone + PartialEq>(
        &mut self,
        value: &T,
        name: &'static str,
    ) -> Result<(), LoadError> {
        let mut saved = value.clone();
        saved.load(self)?;
        if saved == *value { Ok(()) } else { Err(LoadError::OtherWorld(name)) }
    }

    /// Skips `bytes` if they are next. Returns true if they were.
    pub fn skip_if_next(&mut self, bytes: &[u8]) -> bool {
        let rest = self.bytes.strip_prefix(bytes);
        self.bytes = rest.unwrap_or(self.bytes);
        rest.is_some()
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8], LoadError> {
        let (taken, rest) = self.bytes.split_at_checked(len).ok_or(LoadError::Damaged)?;
        self.bytes = rest;
        Ok(taken)
    }
}

/// Checks a condition on loaded values.
///
/// # Errors
/// [`LoadError::Damaged`], if it does not hold.
pub fn check(holds: bool) -> Result<(), LoadError> {
    if holds { Ok(()) } else { Err(LoadError::Damaged) }
}

/// Largest number that a counter of steps or particles can reach: adding to it does not overflow.
pub(crate) const MOST_COUNTED: u64 = (1 << 62) - 1;

/// True for such a number.
pub(crate) fn is_count(count: u64) -> bool {
    count <= MOST_COUNTED
}

/// Implements [`Saved`](crate::saved::Saved) for a struct, field by field: fields to be loaded, fields that
/// keep their number of elements (`same`), and fields that are not saved (`not`). All fields must be named.
/// The loaded value must pass the method `check`.
#[macro_export]
macro_rules! saved_fields {
    (
        $type:ty { $($field:ident),* $(,)? }
        $(same { $($same:ident),* $(,)? })?
        $(not { $($left:ident),* $(,)? })?
        $(check $check:ident)?
    ) => {
        impl $crate::saved::Saved for $type {
            fn save(&self, out: &mut $crate::saved::Writer<'_>) {
                let Self { $($field,)* $($($same,)*)? $($($left: _,)*)? } = self;
                $($crate::saved::Saved::save($field, out);)*
                $($($crate::saved::Saved::save($same, out);)*)?
            }

            fn load(
                &mut self,
                from: &mut $crate::saved::Reader<'_>,
            ) -> Result<(), $crate::saved::LoadError> {
                let Self { $($field,)* $($($same,)*)? $($($left: _,)*)? } = self;
                $($crate::saved::Saved::load($field, from)?;)*
                $($($crate::saved::Saved::load_same($same, from)?;)*)?
                $($crate::saved::check(self.$check())?;)?
                Ok(())
            }
        }
    };
}

/// Implements [`Saved`](crate::saved::Saved) for an enum without fields.
#[macro_export]
macro_rules! saved_variants {
    ($type:ty { $($variant:ident),* $(,)? }) => {
        impl $crate::saved::Saved for $type {
            fn save(&self, out: &mut $crate::saved::Writer<'_>) {
                // All variants are named, or this does not compile.
                match self {
                    $(Self::$variant => {})*
                }
                (*self as u8).save(out);
            }

            fn load(
                &mut self,
                from: &mut $crate::saved::Reader<'_>,
            ) -> Result<(), $crate::saved::LoadError> {
                let number: u8 = from.value()?;
                let known = [$(Self::$variant),*].into_iter().find(|variant| *variant as u8 == number);
                *self = known.ok_or($crate::saved::LoadError::Damaged)?;
                Ok(())
            }
        }
    };
}

pub use saved_fields as fields;
pub use saved_variants as variants;

/// An element of a column.
pub trait Element: Saved + Sized {
    /// Minimum number of bytes of one element.
    const BYTES: usize = 1;

    /// Writes all elements.
    fn save_all(all: &[Self], out: &mut Writer<'_>) {
        all.iter().for_each(|one| one.save(out));
    }

    /// Loads as many elements as `all` has.
    ///
    /// # Errors
    /// As [`Saved::load`].
    fn load_all(all: &mut [Self], from: &mut Reader<'_>) -> Result<(), LoadError> {
        all.iter_mut().try_for_each(|one| one.load(from))
    }
}

/// Numbers and vectors are saved as their bytes in memory.
macro_rules! plain {
    ($($type:ty),*) => {$(
        impl Saved for $type {
            fn save(&self, out: &mut Writer<'_>) {
                out.put(bytemuck::bytes_of(self));
            }

            fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
                let bytes = bytemuck::bytes_of_mut(self);
                bytes.copy_from_slice(from.take(bytes.len())?);
                Ok(())
            }
        }

        impl Element for $type {
            const BYTES: usize = size_of::<Self>();

            fn save_all(all: &[Self], out: &mut Writer<'_>) {
                out.put(bytemuck::cast_slice(all));
            }

            fn load_all(all: &mut [Self], from: &mut Reader<'_>) -> Result<(), LoadError> {
                let bytes: &mut [u8] = bytemuck::cast_slice_mut(all);
                bytes.copy_from_slice(from.take(bytes.len())?);
                Ok(())
            }
        }
    )*};
}

plain!(u8, u16, u32, u64, i32, i64, f32, f64);
plain!(Vec2, Vec3, Vec4, IVec3, UVec3, Quat, DVec2, DVec3, DQuat, DMat3);

impl Saved for usize {
    fn save(&self, out: &mut Writer<'_>) {
        (*self as u64).save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        *self = from.value::<u64>()?.try_into().map_err(|_| LoadError::Damaged)?;
        Ok(())
    }
}

impl Saved for bool {
    fn save(&self, out: &mut Writer<'_>) {
        u8::from(*self).save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        let byte: u8 = from.value()?;
        *self = byte == 1;
        check(byte <= 1)
    }
}

impl Element for bool {
    fn save_all(all: &[Self], out: &mut Writer<'_>) {
        out.put(bytemuck::cast_slice(all));
    }

    fn load_all(all: &mut [Self], from: &mut Reader<'_>) -> Result<(), LoadError> {
        let bytes = from.take(all.len())?;
        all.iter_mut().zip(bytes).for_each(|(one, byte)| *one = *byte == 1);
        check(bytes.iter().all(|&byte| byte <= 1))
    }
}

impl<T: Saved, const N: usize> Saved for [T; N] {
    fn save(&self, out: &mut Writer<'_>) {
        self.iter().for_each(|one| one.save(out));
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        self.iter_mut().try_for_each(|one| one.load(from))
    }

    fn load_same(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        self.iter_mut().try_for_each(|one| one.load_same(from))
    }
}

impl<T: Saved, const N: usize> Element for [T; N] {}

impl<A: Saved, B: Saved> Saved for (A, B) {
    fn save(&self, out: &mut Writer<'_>) {
        self.0.save(out);
        self.1.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        self.0.load(from)?;
        self.1.load(from)
    }
}

impl<A: Saved, B: Saved> Element for (A, B) {}

impl<T: Saved + Default> Saved for Option<T> {
    fn save(&self, out: &mut Writer<'_>) {
        self.is_some().save(out);
        if let Some(value) = self {
            value.save(out);
        }
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        if !from.value::<bool>()? {
            *self = None;
            return Ok(());
        }
        self.get_or_insert_default().load(from)
    }
}

impl<T: Element + Default + Clone> Saved for Vec<T> {
    fn save(&self, out: &mut Writer<'_>) {
        self.len().save(out);
        T::save_all(self, out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        let count = from.count(T::BYTES)?;
        make_room(self, count, from)?;
        self.resize(count, T::default());
        T::load_all(self, from)
    }

    fn load_same(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        check(from.count(T::BYTES)? == self.len())?;
        T::load_all(self, from)
    }
}

impl Saved for Vec3Columns {
    fn save(&self, out: &mut Writer<'_>) {
        let Self { x, y, z } = self;
        [x, y, z].into_iter().for_each(|column| column.save(out));
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        let Self { x, y, z } = self;
        [x, y, z].into_iter().try_for_each(|column| column.load(from))?;
        check(self.x.len() == self.y.len() && self.x.len() == self.z.len())
    }
}

/// Makes room for `count` elements.
fn make_room<T>(list: &mut Vec<T>, count: usize, from: &Reader<'_>) -> Result<(), LoadError> {
    if count <= list.capacity() {
        return Ok(());
    }
    let bytes = count.max(2 * list.capacity()).saturating_mul(size_of::<T>());
    if !(from.is_within_limit)(bytes) {
        return Err(LoadError::OutOfMemory);
    }
    list.try_reserve(count - list.len()).map_err(|_| LoadError::OutOfMemory)
}

/// Writes a list: its number of elements, then each of them. For elements that are constructed before they
/// are loaded.
pub fn save_list<T: Saved>(list: &[T], out: &mut Writer<'_>) {
    list.len().save(out);
    list.iter().for_each(|one| one.save(out));
}

/// Loads a list written by [`save_list`]; `new` constructs the elements by which it grows.
///
/// # Errors
/// As [`Saved::load`].
pub fn load_list<T: Saved>(
    list: &mut Vec<T>,
    from: &mut Reader<'_>,
    new: impl FnMut() -> T,
) -> Result<(), LoadError> {
    let count = from.count(1)?;
    make_room(list, count, from)?;
    list.resize_with(count, new);
    list.iter_mut().try_for_each(|one| one.load(from))
}
