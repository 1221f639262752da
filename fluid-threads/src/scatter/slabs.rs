//! Slabs of a grid that overlap their neighbours, in two colours.

use crate::{Columns, Executor};

/// Calls `body(slab, first_plane, planes)` for each slab of `slab` planes of a grid. `planes` are the slab's
/// own and `halo` more on either side (as far as there are any), from plane `first_plane` on; all of them may
/// be changed.
///
/// Slabs of one colour (even, then odd) run at the same time: they are a slab apart, so their halos do not
/// meet. What a plane receives from two slabs comes in a fixed order.
///
/// # Panics
/// If `planes` is not a whole number of planes, or the halos of two slabs of one colour would overlap (`2
/// halo > slab`).
pub fn for_each_slab_mut<T: Send + 'static>(
    exec: &dyn Executor,
    planes: &mut [T],
    plane_len: usize,
    (slab, halo): (usize, usize),
    body: &(impl Fn(usize, usize, &mut [T]) + Sync),
) {
    assert!(2 * halo <= slab && plane_len > 0 && planes.len().is_multiple_of(plane_len), "slabs that fit");
    let count = planes.len() / plane_len;
    for colour in [0, 1] {
        let raw = (&mut *planes).into_raw();
        exec.run(count.div_ceil(slab).saturating_sub(colour).div_ceil(2), &|pair| {
            let index = 2 * pair + colour;
            let first = (index * slab).saturating_sub(halo);
            let end = (index * slab + slab + halo).min(count);
            // SAFETY: the range lies in the slice, which is borrowed until `run` has ended. Slabs of one
            // colour begin 2 slab planes apart and reach over slab + 2 halo <= 2 slab planes, so their ranges
            // are disjoint.
            body(index, first, unsafe { <&mut [T]>::part(raw, first * plane_len..end * plane_len) });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pool, Serial, Shuffled};

    /// Each slab adds its number to all that it may reach.
    fn added(exec: &dyn Executor, planes: usize) -> Vec<f32> {
        let mut grid = vec![0.0_f32; planes * 3];
        for_each_slab_mut(exec, &mut grid, 3, (4, 1), &|slab, first, part| {
            assert_eq!(first, (4 * slab).saturating_sub(1));
            part.iter_mut().for_each(|v| *v = *v * 1.1 + slab as f32);
        });
        grid
    }

    #[test]
    fn every_slab_runs_once_and_reaches_its_halo_on_any_thread() {
        for planes in [1, 4, 5, 8, 9, 31, 64] {
            let serial = added(&Serial, planes);
            for plane in (0..planes).filter(|plane| (1..=2).contains(&(plane % 4))) {
                assert_eq!(serial[3 * plane], (plane / 4) as f32, "an inner plane is its own slab's alone");
            }
            assert_eq!(serial, added(&Pool::new(3).expect("threads start"), planes));
            assert_eq!(serial, added(&Shuffled::new(7), planes));
        }
    }
}
