//! Where the nodes are.

use super::Anchor;
use glam::{DVec3, IVec3, UVec3, Vec3};

/// A box of nodes on the lattice of all points that are whole multiples of the spacing along each axis from
/// the [`Anchor`]. Boxes of one spacing are therefore parts of one lattice, wherever they lie, and moving a
/// box moves no node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GridShape {
    spacing: Spacing,
    /// Near the origin.
    anchor: Anchor,
    /// From the anchor.
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

/// Most nodes along an axis that a saved shape may have \[1\]: their product is a `usize` everywhere.
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
    /// The box of `dims` nodes whose lowest node is lattice point `first`. The lattice has a node at the
    /// origin.
    ///
    /// # Panics
    /// If the spacing is not positive and finite.
    pub fn new(spacing: f32, first: IVec3, dims: UVec3) -> Self {
        assert!(spacing > 0.0 && spacing.is_finite(), "a spacing of {spacing}");
        Self { spacing: Spacing(spacing), anchor: Anchor::default(), first, dims }
    }

    /// Without nodes, on the lattice of this spacing \[m\] that has a node at the anchor.
    pub(crate) fn empty_at(anchor: Anchor, spacing: f32) -> Self {
        let (anchor, _) = anchor.near_origin(f64::from(spacing));
        Self { anchor, ..Self::new(spacing, IVec3::ZERO, UVec3::ZERO) }
    }

    /// Another box on the same lattice.
    pub(crate) fn with_nodes(&self, first: IVec3, dims: UVec3) -> Self {
        Self { first, dims, ..*self }
    }

    /// The nodes stay where they are in the fluid; the place `origin` \[m\] becomes the origin.
    pub fn shift_origin(&mut self, origin: Vec3) {
        self.anchor.shift_origin(origin);
        if self.spacing.0 > 0.0 {
            let (anchor, nodes) = self.anchor.near_origin(f64::from(self.spacing.0));
            (self.anchor, self.first) = (anchor, self.first.wrapping_add(nodes));
        }
    }

    /// Place of lattice point 0 \[m\].
    pub(crate) fn anchor(&self) -> DVec3 {
        self.anchor.place()
    }

    /// Distance h of neighbouring nodes \[m\].
    pub fn spacing(&self) -> f32 {
        self.spacing.0
    }

    /// Lattice point of the lowest node.
    pub fn first(&self) -> IVec3 {
        self.first
    }

    /// Nodes along each axis.
    pub fn dims(&self) -> UVec3 {
        self.dims
    }

    /// Nodes along each axis.
    pub fn dims_usize(&self) -> [usize; 3] {
        self.dims.to_array().map(|n| n as usize)
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.dims_usize().iter().product()
    }

    /// True if there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Nodes in a plane of constant z.
    pub fn plane_len(&self) -> usize {
        let [nx, ny, _] = self.dims_usize();
        nx * ny
    }

    /// Volume of a cell h³ \[m³\].
    pub fn cell_volume(&self) -> f32 {
        let h = self.spacing();
        h * h * h
    }

    /// Place of the lowest node \[m\].
    pub fn origin(&self) -> Vec3 {
        // In f64: far from the world's origin the product is not an f32, and every node of the box is placed
        // from this one.
        (self.first.as_dvec3() * f64::from(self.spacing()) + self.anchor()).as_vec3()
    }

    /// Element of node (i, j, k).
    #[inline]
    pub fn index(&self, i: usize, j: usize, k: usize) -> usize {
        let [nx, ny, _] = self.dims_usize();
        i + nx * (j + ny * k)
    }

    /// Place \[m\] of the node at an element.
    pub fn position(&self, index: usize) -> Vec3 {
        let [nx, ny, _] = self.dims_usize();
        let node = Vec3::new((index % nx) as f32, (index / nx % ny) as f32, (index / (nx * ny)) as f32);
        self.origin() + node * self.spacing()
    }
}
