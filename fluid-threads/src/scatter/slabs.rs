//! Overlapping slabs of a grid, in two colours.

use crate::columns::StripLayout;
use crate::{Columns, Executor, Strip, Strips, chunk_count, chunk_range};

/// Calls `body(slab, first_plane, planes)` for each slab of `slab` planes of a grid. `planes` contains the
/// slab's own planes and `halo` more on either side (fewer at the ends of the grid), from plane
/// `first_plane` on; all of them may be changed.
///
/// Slabs of one colour (even, then odd) run at the same time: they are a slab apart, so their halos do not
/// overlap. A plane receives the contributions of two slabs in a fixed order.
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
    assert!(halo <= slab / 2 && plane_len > 0 && planes.len().is_multiple_of(plane_len), "slabs that fit");
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

/// Like [`for_each_slab_mut`], with planes of `rows` rows of `row_len` elements: each slab is divided along
/// its planes into strips of `strip_rows` rows, which do not overlap. Calls `body(slab, first_plane,
/// first_row, strip)`; row i of `strip` is its part of the i-th plane: its own grid rows, from `first_row`
/// on.
///
/// # Panics
/// As [`for_each_slab_mut`], or if `strip_rows` is 0.
pub fn for_each_slab_strip_mut<T: Send + 'static>(
    exec: &dyn Executor,
    planes: &mut [T],
    [row_len, rows]: [usize; 2],
    (slab, halo): (usize, usize),
    strip_rows: usize,
    body: &(impl Fn(usize, usize, usize, Strip<'_, T>) + Sync),
) {
    let stride = row_len.checked_mul(rows).expect("a plane fits into memory");
    assert!(halo <= slab / 2 && stride > 0 && planes.len().is_multiple_of(stride), "slabs that fit");
    let (count, strips) = (planes.len() / stride, chunk_count(rows, strip_rows));
    for colour in [0, 1] {
        let raw = (&mut *planes).into_raw();
        let slabs = count.div_ceil(slab).saturating_sub(colour).div_ceil(2);
        exec.run(slabs * strips, &|part| {
            let (index, own) = (2 * (part / strips) + colour, chunk_range(rows, strip_rows, part % strips));
            let first = (index * slab).saturating_sub(halo);
            let end = (index * slab + slab + halo).min(count);
            let layout = StripLayout { rows: end - first, stride, columns: rows, width: row_len };
            let first_row = own.start;
            // SAFETY: there are planes from `first` to `end`, of `rows` rows each. Slabs of one colour are
            // disjoint, as in `for_each_slab_mut`, and strips of a slab have different rows of its planes.
            // The slice is borrowed until `run` has ended.
            let strip = unsafe { Strips::part((raw.from(first * stride), layout), own) };
            body(index, first, first_row, strip);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pool, Serial, Shuffled};

    /// Strips of slabs write the same data as whole slabs.
    #[test]
    fn strips_of_slabs_cover_them_once() {
        for (planes, rows, strip_rows) in [(1, 1, 1), (9, 5, 2), (31, 16, 16), (64, 7, 3), (5, 4, 9)] {
            let stride = 3 * rows;
            let mut whole = vec![0.0_f32; planes * stride];
            for_each_slab_mut(&Serial, &mut whole, stride, (4, 1), &|slab, first, part| {
                for (i, v) in part.iter_mut().enumerate() {
                    *v = *v * 1.1 + (first * stride + i) as f32 + slab as f32;
                }
            });
            let pool = Pool::new(3).expect("threads start");
            for exec in [&Serial as &dyn Executor, &pool, &Shuffled::new(3)] {
                let mut grid = vec![0.0_f32; planes * stride];
                let sizes = ([3, rows], (4, 1));
                for_each_slab_strip_mut(
                    exec,
                    &mut grid,
                    sizes.0,
                    sizes.1,
                    strip_rows,
                    &|slab, first, row, mut strip| {
                        let end = (4 * slab + 5).min(planes);
                        for plane in first..end {
                            for (i, v) in strip.row_mut(plane - first).iter_mut().enumerate() {
                                *v = *v * 1.1 + (plane * stride + 3 * row + i) as f32 + slab as f32;
                            }
                        }
                    },
                );
                assert_eq!(grid, whole, "{planes} planes of {rows} rows");
            }
        }
    }

    /// Each slab adds its number to all elements within reach.
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
