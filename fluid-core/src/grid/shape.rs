//! Positions of a grid's nodes (E22).

use super::Anchor;
use glam::{DVec3, IVec3, UVec3, Vec3};

/// A box of nodes on the lattice of all points that are whole multiples of the spacing along each axis from
/// the [`Anchor`]. Boxes of one spacing are therefore parts of one lattice, wherever they are, and moving a
/// box moves no node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GridShape {
    spacing: Spacing,
    /// Lattice point 0, near the origin.
    anchor: Anchor,
    /// Lowest node, counted from the anchor.
    first: IVec3,
    dims: UVec3,
}

impl crate::saved::Saved for GridShape {
    fn save(&self, out: &mut crate::saved::Writer<'_>) {
        self.spacing.0.save(out);
        self.anchor.save(out);
        self.first.save(out);
        self.dims.save(out);
    }

    fn load(&mut self, from: &mut crate::saved::Reader<'_>) -> Result<(), crate::saved::LoadError> {
        self.spacing.0.load(from)?;
        self.anchor.load(from)?;
        self.first.load(from)?;
        self.dims.load(from)?;
        let is_sized = self.dims.max_element() <= MOST_NODES_OF_AXIS;
        crate::saved::check(is_sized && self.spacing.0 >= 0.0 && self.spacing.0.is_finite())
    }
}

/// Some nodes of a grid: from `first` to the one before `end` along each axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct NodeBox {
    pub(crate) first: UVec3,
    pub(crate) end: UVec3,
}

crate::saved::fields!(NodeBox { first, end });

impl NodeBox {
    /// Returns all nodes of a grid.
    pub(crate) fn all(shape: &GridShape) -> Self {
        Self { first: UVec3::ZERO, end: shape.dims }
    }

    /// Returns the nodes of a grid less than `margin` nodes outside of a box \[m\].
    pub(crate) fn around(shape: &GridShape, [low, high]: [Vec3; 2], margin: u32) -> Self {
        let node = |place: Vec3| (place - shape.origin()) / shape.spacing();
        let margin = margin as f32;
        let end = (node(high) + margin).floor().as_uvec3().saturating_add(UVec3::ONE).min(shape.dims);
        Self { first: (node(low) - margin).ceil().as_uvec3().min(end), end }
    }

    /// Returns the number of nodes along each axis.
    pub(crate) fn dims(&self) -> UVec3 {
        self.end - self.first
    }

    /// True if a grid has all of these nodes.
    pub(crate) fn is_within(&self, shape: &GridShape) -> bool {
        self.first.cmple(self.end).all() && self.end.cmple(shape.dims).all()
    }
}

/// Maximum number of nodes along an axis of a saved shape \[1\]: their product is a `usize` on every
/// target.
const MOST_NODES_OF_AXIS: u32 = 1 << 10;

/// Distance of nodes \[m\]; compared by its bits, so that shapes can be equal.
#[derive(Debug, Clone, Copy, Default)]
struct Spacing(f32);

impl PartialEq for Spacing {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}
impl Eq for Spacing {}

impl GridShape {
    /// Creates the box of `dims` nodes with lattice point `first` as its lowest node. The lattice has a
    /// node at the origin.
    ///
    /// # Panics
    /// If the spacing is not positive and finite.
    pub fn new(spacing: f32, first: IVec3, dims: UVec3) -> Self {
        assert!(spacing > 0.0 && spacing.is_finite(), "a spacing of {spacing}");
        Self { spacing: Spacing(spacing), anchor: Anchor::default(), first, dims }
    }

    /// Creates a shape without nodes, on the lattice of this spacing \[m\] with a node at the anchor.
    pub(crate) fn empty_at(anchor: Anchor, spacing: f32) -> Self {
        let (anchor, _) = anchor.near_origin(f64::from(spacing));
        Self { anchor, ..Self::new(spacing, IVec3::ZERO, UVec3::ZERO) }
    }

    /// Returns another box on the same lattice.
    pub(crate) fn with_nodes(&self, first: IVec3, dims: UVec3) -> Self {
        Self { first, dims, ..*self }
    }

    /// Shifts the origin of the coordinates to `origin` \[m\]; the nodes keep their positions in the fluid.
    pub fn shift_origin(&mut self, origin: Vec3) {
        self.anchor.shift_origin(origin);
        if self.spacing.0 > 0.0 {
            let (anchor, nodes) = self.anchor.near_origin(f64::from(self.spacing.0));
            (self.anchor, self.first) = (anchor, self.first.wrapping_add(nodes));
        }
    }

    /// Returns the position of lattice point 0 \[m\].
    pub(crate) fn anchor(&self) -> DVec3 {
        self.anchor.place()
    }

    /// Returns the distance h of adjacent nodes \[m\].
    pub fn spacing(&self) -> f32 {
        self.spacing.0
    }

    /// Returns the lattice point of the lowest node.
    pub fn first(&self) -> IVec3 {
        self.first
    }

    /// Returns the number of nodes along each axis.
    pub fn dims(&self) -> UVec3 {
        self.dims
    }

    /// Returns the number of nodes along each axis.
    pub fn dims_usize(&self) -> [usize; 3] {
        self.dims.to_array().map(|n| n as usize)
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.dims_usize().iter().product()
    }

    /// Returns true if there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of nodes in a plane of constant z.
    pub fn plane_len(&self) -> usize {
        let [nx, ny, _] = self.dims_usize();
        nx * ny
    }

    /// Returns the volume of a cell h³ \[m³\].
    pub fn cell_volume(&self) -> f32 {
        let h = self.spacing();
        h * h * h
    }

    /// Returns the position of the lowest node \[m\].
    pub fn origin(&self) -> Vec3 {
        // In f64: far from the world's origin the product is not exact in f32, and the position of every
        // node of the box is relative to this one.
        (self.first.as_dvec3() * f64::from(self.spacing()) + self.anchor()).as_vec3()
    }

    /// Returns the index of node (i, j, k).
    #[inline]
    pub fn index(&self, i: usize, j: usize, k: usize) -> usize {
        let [nx, ny, _] = self.dims_usize();
        i + nx * (j + ny * k)
    }

    /// Returns the position \[m\] of the node at an index.
    pub fn position(&self, index: usize) -> Vec3 {
        let [nx, ny, _] = self.dims_usize();
        let node = Vec3::new((index % nx) as f32, (index / nx % ny) as f32, (index / (nx * ny)) as f32);
        self.origin() + node * self.spacing()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places that no lattice can count are as far as the grid's last node.
    #[test]
    fn a_box_around_anything_is_within_the_grid() {
        let shape = GridShape::new(0.1, IVec3::ZERO, UVec3::splat(8));
        for far in [1.0, 4.3e8, 1e20, f32::MAX] {
            let found = NodeBox::around(&shape, [Vec3::splat(-far), Vec3::splat(far)], 2);
            assert_eq!(found, NodeBox::all(&shape), "{far} m");
        }
        let inside = NodeBox::around(&shape, [Vec3::splat(0.35), Vec3::splat(0.45)], 1);
        assert_eq!((inside.first, inside.end), (UVec3::splat(3), UVec3::splat(6)));
    }
}
