//! Where on a lattice something is: in a cloud's box most nodes are empty, and passes over nodes skip them.

use super::GridShape;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::UVec3;
use std::ops::Range;

/// For each row of nodes along x, from the first to the last node within some nodes of one that is filled.
#[derive(Debug, Clone, Default)]
pub(crate) struct FilledRows {
    dims: [usize; 3],
    spans: Vec<Span>,
    /// Before what is in other planes counts.
    in_planes: Vec<Span>,
}

/// First node, and the one behind the last.
type Span = [u16; 2];

const EMPTY: Span = [u16::MAX, 0];

impl FilledRows {
    /// Nodes for which `is_filled` holds, and those within `reach` nodes of them along every axis.
    pub(crate) fn find<T: Sync>(
        &mut self,
        exec: &dyn Executor,
        shape: &GridShape,
        nodes: &[T],
        reach: usize,
        is_filled: &(impl Fn(&T) -> bool + Sync),
    ) {
        self.take_shape(shape);
        let [nx, ny, nz] = self.dims;
        let plane = ny.max(1);
        let columns = (self.spans.as_mut_slice(), self.in_planes.as_mut_slice());
        for_each_chunk_mut(exec, plane, columns, &|first, (own, wide): (&mut [Span], &mut [Span])| {
            for (own, row) in own.iter_mut().zip(nodes[first * nx..].chunks_exact(nx)) {
                *own = row.iter().position(is_filled).map_or(EMPTY, |from| {
                    let last = row.iter().rposition(is_filled).unwrap_or(from);
                    [from as u16, last as u16 + 1]
                });
            }
            for (j, wide) in wide.iter_mut().enumerate() {
                *wide = hull(own[around(j, reach, ny)].iter().copied());
            }
        });
        let in_planes = &self.in_planes;
        for_each_chunk_mut(exec, plane, self.spans.as_mut_slice(), &|first, spans: &mut [Span]| {
            let planes = around(first / plane, reach, nz);
            for (j, span) in spans.iter_mut().enumerate() {
                let [from, to] = hull(planes.clone().map(|k| in_planes[k * ny + j]));
                let (from, to) = (usize::from(from), usize::from(to));
                *span = if from < to {
                    [from.saturating_sub(reach) as u16, (to + reach).min(nx) as u16]
                } else {
                    EMPTY
                };
            }
        });
    }

    /// All nodes.
    pub(crate) fn fill(&mut self, shape: &GridShape) {
        self.take_shape(shape);
        self.spans.fill([0, self.dims[0] as u16]);
    }

    fn take_shape(&mut self, shape: &GridShape) {
        self.dims = shape.dims_usize();
        let rows = self.dims[1] * self.dims[2];
        self.spans.resize(rows, EMPTY);
        self.in_planes.resize(rows, EMPTY);
    }

    /// Lowest and highest coordinates of filled nodes \[nodes\]; if there are none, those of the last node of
    /// the box and of the first one.
    pub(crate) fn bounds(&self) -> (UVec3, UVec3) {
        let [nx, ny, nz] = self.dims.map(|n| n as u32);
        let filled = self.spans.iter().enumerate().filter(|(_, span)| **span != EMPTY);
        filled.fold((UVec3::new(nx, ny, nz) - 1, UVec3::ZERO), |(low, high), (row, &[from, to])| {
            let (j, k) = (row as u32 % ny, row as u32 / ny);
            let [from, to] = [from, to - 1].map(|i| UVec3::new(i.into(), j, k));
            (low.min(from), high.max(to))
        })
    }

    /// True if row `j` of plane `k` has filled nodes.
    pub(crate) fn has(&self, j: usize, k: usize) -> bool {
        self.spans[k * self.dims[1] + j] != EMPTY
    }

    /// The filled nodes of plane `k`: elements of the plane, in ascending order, one range for each row.
    pub(crate) fn of_plane(&self, k: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        self.rows(k, 0..self.dims[1], 0..self.dims[0])
    }

    /// The same without those on the four edges of the plane.
    pub(crate) fn within_edges_of_plane(&self, k: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let [nx, ny, _] = self.dims;
        self.rows(k, 1..ny - 1, 1..nx - 1)
    }

    /// The same without those on the faces of the box.
    pub(crate) fn inside_of_plane(&self, k: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let is_inside = k > 0 && k + 1 < self.dims[2];
        self.within_edges_of_plane(k).filter(move |_| is_inside)
    }

    fn rows(&self, k: usize, js: Range<usize>, is: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
        let [nx, ny, _] = self.dims;
        js.map(move |j| {
            let [from, to] = self.spans[k * ny + j].map(usize::from);
            nx * j + from.max(is.start)..nx * j + to.min(is.end)
        })
        .filter(|row| !row.is_empty())
    }
}

/// Numbers within `reach` of `i`, below `len`.
fn around(i: usize, reach: usize, len: usize) -> Range<usize> {
    i.saturating_sub(reach)..(i + reach + 1).min(len)
}

fn hull(spans: impl Iterator<Item = Span>) -> Span {
    spans.fold(EMPTY, |[from, to], span| [from.min(span[0]), to.max(span[1])])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use fluid_threads::{Serial, Shuffled};
    use glam::IVec3;

    #[test]
    fn every_node_within_reach_is_in_a_row() {
        let random = Random::new(7);
        for (seed, [nx, ny, nz]) in [[8, 8, 8], [24, 8, 16], [16, 32, 8]].into_iter().enumerate() {
            let shape = GridShape::new(1.0, IVec3::ZERO, UVec3::new(nx, ny, nz));
            let number = |node: usize| random.centred_vec3(node as u64 + 9999 * seed as u64).x;
            let nodes: Vec<f32> = (0..shape.len()).map(number).collect();
            let is_filled = |number: &f32| *number > 0.496;
            let place = |node: usize| (shape.position(node) - shape.origin()).as_ivec3();
            for reach in [0, 1, 3] {
                for exec in [&Serial as &dyn Executor, &Shuffled::new(seed as u64)] {
                    let mut filled = FilledRows::default();
                    filled.fill(&GridShape::new(1.0, IVec3::ZERO, UVec3::splat(40)));
                    filled.find(exec, &shape, &nodes, reach, &is_filled);
                    let plane = shape.plane_len();
                    let of_planes = |k| filled.of_plane(k).flatten().map(move |i| k * plane + i);
                    let found: Vec<usize> = (0..nz as usize).flat_map(of_planes).collect();
                    assert!(found.is_sorted());
                    let inside: Vec<usize> = (0..nz as usize)
                        .flat_map(|k| filled.inside_of_plane(k).flatten().map(move |i| k * plane + i))
                        .collect();
                    let mut expected = vec![];
                    for node in 0..shape.len() {
                        let near = |other: usize| {
                            (place(other) - place(node)).abs().max_element() <= reach as i32
                                && is_filled(&nodes[other])
                        };
                        if (0..shape.len()).any(near) {
                            assert!(found.binary_search(&node).is_ok(), "{:?} {reach}", place(node));
                            expected.push(node);
                        }
                    }
                    // A row's gaps are in it, but no row begins or ends beyond what is within reach.
                    for k in 0..nz as usize {
                        for row in filled.of_plane(k) {
                            let row_of = |node: &usize| (node % plane) / nx as usize;
                            let j = row.start / nx as usize;
                            let beside = |corner: usize| {
                                expected.iter().any(|node| {
                                    node % nx as usize == corner % nx as usize
                                        && row_of(node).abs_diff(j) <= 2 * reach
                                        && (node / plane).abs_diff(k) <= 2 * reach
                                })
                            };
                            assert!(beside(row.start) && beside(row.end - 1));
                        }
                    }
                    let last = UVec3::new(nx, ny, nz).as_ivec3() - 1;
                    let is_inner = |node: &&usize| {
                        let at = place(**node);
                        at.cmpge(IVec3::ONE).all() && at.cmplt(last).all()
                    };
                    assert_eq!(inside, found.iter().filter(is_inner).copied().collect::<Vec<_>>());
                }
            }
        }
        let mut all = FilledRows::default();
        let shape = GridShape::new(1.0, IVec3::ZERO, UVec3::splat(8));
        let mut nodes = vec![false; shape.len()];
        [shape.index(3, 4, 5), shape.index(2, 6, 5)].into_iter().for_each(|node| nodes[node] = true);
        all.find(&Serial, &shape, &nodes, 0, &|node| *node);
        assert_eq!(all.bounds(), (UVec3::new(2, 4, 5), UVec3::new(3, 6, 5)));
        all.fill(&shape);
        assert_eq!(all.bounds(), (UVec3::ZERO, UVec3::splat(7)));
        assert_eq!(all.of_plane(3).flatten().collect::<Vec<_>>(), (0..64).collect::<Vec<_>>());
    }
}
