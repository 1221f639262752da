//! Values of a recorded call as bytes: plain numbers as in memory, arrays behind their number of elements.

use super::level::LevelHeader;
use crate::handle::Id;
use crate::types::body::VortonBodyDef;
use crate::types::body::VortonBodyState;
use crate::types::budget::VortonBudget;
use crate::types::emitter::VortonEmitterDef;
use crate::types::initial::VortonInitialDef;
use crate::types::kill_volumes::VortonKillVolume;
use crate::types::preset::VortonPresetDef;
use crate::types::surround::VortonSurroundDef;
use crate::types::tracers::{VortonImpliedDef, VortonTracersDef};
use crate::types::vortons::VortonVorton;
use crate::types::{VortonQuat, VortonVec3};
use bytemuck::{Pod, Zeroable, bytes_of, cast_slice, pod_read_unaligned, try_cast_slice};
use std::borrow::Cow;

/// A value of a recorded call.
pub(crate) trait Field<'a>: Sized {
    /// Identifies the form of the value: its size, or, with `ARRAY`, that of an element.
    const FORM: u64;

    /// Appends the value.
    fn put(&self, out: &mut Vec<u8>);

    /// Takes the value off the front of `from`; `None` if there are too few bytes.
    fn take(from: &mut &'a [u8]) -> Option<Self>;
}

/// Bit of [`Field::FORM`] for arrays.
const ARRAY: u64 = 1 << 32;

/// Implements [`Field`] for plain numbers, and [`Pod`] for those that are structs of this crate.
macro_rules! plain {
    ($($type:ty),* ; $($own:ty),*) => {
        $(
            impl<'a> Field<'a> for $type {
                const FORM: u64 = size_of::<Self>() as u64;

                fn put(&self, out: &mut Vec<u8>) {
                    out.extend_from_slice(bytes_of(self));
                }

                fn take(from: &mut &'a [u8]) -> Option<Self> {
                    let (taken, rest) = from.split_at_checked(size_of::<Self>())?;
                    *from = rest;
                    Some(pod_read_unaligned(taken))
                }
            }
        )*
        $(
            // SAFETY: only integers and floats inside, for which zero is valid.
            unsafe impl Zeroable for $own {}
            // SAFETY: `repr(C)`, only integers and floats inside, and no padding: the layout tests add up the
            // sizes of all fields.
            unsafe impl Pod for $own {}
            plain!($own;);
        )*
    };
}

plain!(u32, u64, f32, [u32; 2], [f32; 2], [f32; 9], [f64; 3], f64;
    Id, LevelHeader, VortonVec3, VortonQuat, VortonBudget, VortonVorton, VortonInitialDef, VortonEmitterDef,
    VortonTracersDef, VortonImpliedDef, VortonBodyDef, VortonBodyState, VortonSurroundDef, VortonPresetDef,
    VortonKillVolume);

impl<'a, T: Pod> Field<'a> for Cow<'a, [T]> {
    const FORM: u64 = ARRAY | size_of::<T>() as u64;

    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u64).put(out);
        out.extend_from_slice(cast_slice(self));
    }

    fn take(from: &mut &'a [u8]) -> Option<Self> {
        let count = usize::try_from(u64::take(from)?).ok()?;
        let (taken, rest) = from.split_at_checked(count.checked_mul(size_of::<T>())?)?;
        *from = rest;
        Some(match try_cast_slice(taken) {
            Ok(aligned) => Self::Borrowed(aligned),
            Err(_) => Self::Owned(taken.chunks_exact(size_of::<T>()).map(pod_read_unaligned).collect()),
        })
    }
}
