//! Vortons: adding, reading, removing.

use crate::guard;
use crate::lists::write_list;
use crate::memory::{check_optional_output, slice, write_optional};
use crate::recorder::Call;
use crate::state::{Need, State, World, growing, writing};
use crate::status::*;
use crate::types::vortons::{VORTON_VORTON_HALO, VortonVorton};
use crate::types::world::VortonWorldId;
use fluid_core::particles::Vorton;
use std::borrow::Cow;

impl VortonVorton {
    fn checked(&self) -> Outcome<Vorton> {
        let position = self.position.checked("the position of a vorton")?;
        let strength = self.strength.checked("the strength of a vorton")?;
        finite(&[self.volume, self.age], "the volume or age of a vorton")?;
        finite(&[self.mass_deviation, self.dye], "the mass deviation or dye of a vorton")?;
        finite(&[self.fuel], "the fuel of a vorton")?;
        let unknown = self.flags & !VORTON_VORTON_HALO;
        if unknown != 0 {
            return Err(Error::bad_value(format_args!("flags of a vorton has unknown bits: {unknown:#x}")));
        }
        for (name, value) in [("fuel", self.fuel), ("volume", self.volume), ("age", self.age)] {
            if value < 0.0 {
                let text = format_args!("the {name} of a vorton is {value}, but must be at least 0");
                return Err(Error::bad_value(text));
            }
        }
        let &Self { volume, mass_deviation, dye, fuel, age, .. } = self;
        let contents = Vorton { volume, mass_deviation, dye, fuel, age, ..Vorton::default() };
        Ok(Vorton { position, strength, ..contents })
    }

    fn of(vorton: Vorton, id: u64) -> Self {
        Self {
            position: vorton.position.into(),
            strength: vorton.strength.into(),
            volume: vorton.volume,
            mass_deviation: vorton.mass_deviation,
            dye: vorton.dye,
            age: vorton.age,
            flags: if vorton.halo { VORTON_VORTON_HALO } else { 0 },
            fuel: vorton.fuel,
            id,
        }
    }
}

/// Checks that `count` more vortons fit into a world.
pub(crate) fn check_room(state: &State, count: usize) -> Outcome {
    let room = state.sim.params().max_vortons - state.sim.vortons().len();
    if count > room {
        let text = format!("{count} vortons do not fit: max_vortons leaves room for {room}");
        return Err(Error::new(VORTON_ERR_CAPACITY, text));
    }
    Ok(())
}

/// Adds vortons to a world, all or none.
pub(crate) fn add(state: &mut State, vortons: &[Vorton]) -> Outcome<u64> {
    check_room(state, vortons.len())?;
    Ok(state.sim.add_vortons(vortons)?)
}

/// Adds vortons, all or none.
///
/// @param vortons      `count` vortons; ids and the flag VORTON_VORTON_HALO are ignored
/// @param out_first_id NULL, or receives the id of the first; the others follow
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_vortons_add(
    world: VortonWorldId,
    vortons: *const VortonVorton,
    count: usize,
    out_first_id: *mut u64,
) -> VortonResult {
    guard::run(|| {
        check_optional_output(out_first_id, "out_first_id")?;
        // SAFETY: the caller promises `count` readable vortons.
        let given = unsafe { slice(vortons, count, "vortons") }?;
        let mut vortons = Vec::new();
        vortons.try_reserve_exact(given.len()).map_err(|_| {
            Error::new(
                VORTON_ERR_OUT_OF_MEMORY,
                format_args!("there is no memory for {} vortons", given.len()),
            )
        })?;
        for vorton in given {
            vortons.push(vorton.checked()?);
        }
        let first =
            growing(world, Need::objects("the vortons").recorded(size_of_val(given)), |world, state| {
                let first = add(state, &vortons)?;
                let call = Call::VortonsAdd { vortons: Cow::Borrowed(given), first };
                world.record(&mut state.recorder, &call);
                Ok(first)
            })?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write_optional(out_first_id, first, "out_first_id") }
    })
}

/// Copies the vortons out, in the order in which they were added.
///
/// @param out       room for capacity vortons; may be NULL if capacity is 0
/// @param out_count receives the number of vortons, also when they do not fit
/// @return VORTON_ERR_BUFFER_SMALL if capacity is less than that; nothing is copied then. A capacity of 0
///     only returns the count, and is VORTON_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_vortons_read(
    world: VortonWorldId,
    out: *mut VortonVorton,
    capacity: usize,
    out_count: *mut usize,
) -> VortonResult {
    let count = |_: &World, state: &State| Ok(state.sim.vortons().len());
    let list = |_: &World, state: &State, put: &mut dyn FnMut(usize, VortonVorton)| {
        let vortons = state.sim.vortons();
        (0..vortons.len()).for_each(|row| put(row, VortonVorton::of(vortons.get(row), vortons.ids[row])));
        Ok(())
    };
    // SAFETY: as the caller promises.
    unsafe { write_list(world, "vortons", (out, capacity, out_count), count, list) }
}

/// Removes the vortons with these ids; ids that no vorton has are ignored.
///
/// @param out_removed NULL, or receives the number removed
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_vortons_remove(
    world: VortonWorldId,
    ids: *const u64,
    count: usize,
    out_removed: *mut usize,
) -> VortonResult {
    guard::run(|| {
        check_optional_output(out_removed, "out_removed")?;
        // SAFETY: the caller promises `count` readable ids.
        let ids = unsafe { slice(ids, count, "ids") }?;
        let removed = growing(
            world,
            Need::objects("the ids").and(2 * size_of_val(ids)).recorded(size_of_val(ids)),
            |world, state| {
                let removed = state.sim.remove_vortons(ids);
                let call = Call::VortonsRemove { ids: Cow::Borrowed(ids), removed: removed as u64 };
                world.record(&mut state.recorder, &call);
                Ok(removed)
            },
        )?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write_optional(out_removed, removed, "out_removed") }
    })
}

/// Removes all vortons.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_vortons_clear(world: VortonWorldId) -> VortonResult {
    guard::run(|| {
        writing(world, |world, state| {
            state.sim.clear_vortons();
            world.record(&mut state.recorder, &Call::VortonsClear {});
            Ok(())
        })
    })
}
