//! Filled nodes of a lattice: most nodes in a cloud's box are empty, and passes over nodes skip them.

use super::GridShape;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::UVec3;
use std::ops::Range;

/// For each row of nodes along x, the range from the first to the last node near a filled one.
#[derive(Debug, Clone, Default)]
pub(crate) struct FilledRows {
    dims: [usize; 3],
    spans: Vec<NodeRange>,
    /// Spans before nodes in other planes are considered.
    in_planes: Vec<NodeRange>,
}

crate::saved::fields!(FilledRows { dims, spans } not { in_planes } check are_rows);

/// First node, and the end (exclusive).
type NodeRange = [u16; 2];

const EMPTY: NodeRange = [u16::MAX, 0];

impl FilledRows {
    /// Returns true if there is a span for each row, and within it.
    fn are_rows(&self) -> bool {
        let [nx, ny, nz] = self.dims;
        let is_in = |span: &NodeRange| *span == EMPTY || span[0] < span[1] && usize::from(span[1]) <= nx;
        ny.checked_mul(nz) == Some(self.spans.len()) && self.spans.iter().all(is_in)
    }

    /// Finds the nodes for which `is_filled` holds, and all nodes within `reach` nodes of them along every
    /// axis.
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
        for_each_chunk_mut(
            exec,
            plane,
            columns,
            &|first, (own, wide): (&mut [NodeRange], &mut [NodeRange])| {
                for (own, row) in own.iter_mut().zip(nodes[first * nx..].chunks_exact(nx)) {
                    *own = row.iter().position(is_filled).map_or(EMPTY, |from| {
                        let last = row.iter().rposition(is_filled).unwrap_or(from);
                        [from as u16, last as u16 + 1]
                    });
                }
                for (j, wide) in wide.iter_mut().enumerate() {
                    *wide = hull(own[around(j, reach, ny)].iter().copied());
                }
            },
        );
        let in_planes = &self.in_planes;
        for_each_chunk_mut(exec, plane, self.spans.as_mut_slice(), &|first, spans: &mut [NodeRange]| {
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

    /// Marks all nodes as filled.
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

    /// Returns the lowest and highest coordinates of filled nodes \[nodes\]; without any, those of the last
    /// node of the box and of the first one.
    pub(crate) fn bounds(&self) -> (UVec3, UVec3) {
        let [nx, ny, nz] = self.dims.map(|n| n as u32);
        let filled = self.spans.iter().enumerate().filter(|(_, span)| **span != EMPTY);
        filled.fold((UVec3::new(nx, ny, nz) - 1, UVec3::ZERO), |(low, high), (row, &[from, to])| {
            let (j, k) = (row as u32 % ny, row as u32 / ny);
            let [from, to] = [from, to - 1].map(|i| UVec3::new(i.into(), j, k));
            (low.min(from), high.max(to))
        })
    }

    /// Returns true if row `j` of plane `k` has filled nodes.
    pub(crate) fn has(&self, j: usize, k: usize) -> bool {
        self.spans[k * self.dims[1] + j] != EMPTY
    }

    /// Iterates over the filled nodes of plane `k`: indices in the plane, in ascending order, one range for
    /// each row.
    pub(crate) fn of_plane(&self, k: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        self.rows(k, 0..self.dims[1], 0..self.dims[0])
    }

    /// As [`of_plane`](Self::of_plane), without nodes on the four edges of the plane.
    pub(crate) fn within_edges_of_plane(&self, k: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let [nx, ny, _] = self.dims;
        self.rows(k, 1..ny - 1, 1..nx - 1)
    }

    /// As [`of_plane`](Self::of_plane), without nodes on the faces of the box.
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

/// Returns the indices within `reach` of `i`, below `len`.
fn around(i: usize, reach: usize, len: usize) -> Range<usize> {
    i.saturating_sub(reach)..(i + reach + 1).min(len)
}

fn hull(spans: impl Iterator<Item = NodeRange>) -> NodeRange {
    spans.fold(EMPTY, |[from, to], span| [from.min(span[0]), to.max(span[1])])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use fluid_threads::{Serial, Shuffled};
    use glam::IVec3;

    /// Returns the indices of the box's nodes in ascending order, by the definition.
    fn found_row_by_row(shape: &GridShape, reach: usize, is_filled: impl Fn(usize) -> bool) -> Vec<usize> {
        let [nx, ny, nz] = shape.dims_usize();
        let mut found = vec![];
        for (k, j) in (0..nz).flat_map(|k| (0..ny).map(move |j| (k, j))) {
            let rows = around(k, reach, nz).flat_map(|k| around(j, reach, ny).map(move |j| (j, k)));
            let nodes = rows.flat_map(|(j, k)| (0..nx).map(move |i| (i, j, k)));
            let filled = nodes.filter(|&(i, j, k)| is_filled(shape.index(i, j, k))).map(|(i, ..)| i);
            let Some((low, high)) = filled.map(|i| (i, i)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) else {
                continue;
            };
            let row = low.saturating_sub(reach)..(high + reach + 1).min(nx);
            found.extend(row.map(|i| shape.index(i, j, k)));
        }
        found
    }

    #[test]
    fn rows_reach_from_the_first_to_the_last_node_beside_a_filled_one() {
        let random = Random::new(7);
        for (seed, [nx, ny, nz]) in [[8, 8, 8], [24, 8, 16], [16, 32, 8]].into_iter().enumerate() {
            let shape = GridShape::new(1.0, IVec3::new(3, -5, 0), UVec3::new(nx, ny, nz));
            let number = |node: usize| random.centred_vec3(node as u64 + 9999 * seed as u64).x;
            let nodes: Vec<f32> = (0..shape.len()).map(number).collect();
            let is_filled = |number: &f32| *number > 0.496;
            for reach in [0, 1, 3] {
                let expected = found_row_by_row(&shape, reach, |node| is_filled(&nodes[node]));
                assert!(!expected.is_empty() && expected.len() < shape.len());
                let is_inside = |node: &usize| {
                    let [x, y] = [*node as u32 % nx, *node as u32 / nx % ny];
                    let z = *node as u32 / (nx * ny);
                    (1..nx - 1).contains(&x) && (1..ny - 1).contains(&y) && (1..nz - 1).contains(&z)
                };
                for exec in [&Serial as &dyn Executor, &Shuffled::new(seed as u64)] {
                    let mut filled = FilledRows::default();
                    filled.fill(&GridShape::new(1.0, IVec3::ZERO, UVec3::splat(40)));
                    filled.find(exec, &shape, &nodes, reach, &is_filled);
                    let planes = || (0..nz as usize).map(|k| (k, k * shape.plane_len()));
                    let found =
                        planes().flat_map(|(k, at)| filled.of_plane(k).flatten().map(move |i| at + i));
                    assert_eq!(found.collect::<Vec<_>>(), expected);
                    let inside =
                        planes().flat_map(|(k, at)| filled.inside_of_plane(k).flatten().map(move |i| at + i));
                    let expected: Vec<_> = expected.iter().copied().filter(is_inside).collect();
                    assert_eq!(inside.collect::<Vec<_>>(), expected);
                }
            }
        }
    }

    #[test]
    fn bounds_are_those_of_filled_nodes() {
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
