//! Where the nodes are.

use glam::{IVec3, UVec3, Vec3};

/// A box of nodes on the lattice of all points whose coordinates are whole multiples of the spacing. Boxes of
/// one spacing are therefore parts of one lattice, wherever they lie, and moving a box moves no node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GridShape {
    spacing: Spacing,
    first: IVec3,
    dims: UVec3,
}

impl crate::saved::Saved for GridShape {
    fn save(&self, out: &mut crate::saved::Writer<'_>) {
        self.spacing.0.save(out);
        self.first.save(out);
        self.dims.save(out);
    }

    fn load(&mut self, from: &mut crate::saved::Reader<'_>) -> Result<(), crate::saved::LoadError> {
        self.spacing.0.load(from)?;
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
    /// The box of `dims` nodes whose lowest node is lattice point `first`.
    ///
    /// # Panics
    /// If the spacing is not positive and finite.
    pub fn new(spacing: f32, first: IVec3, dims: UVec3) -> Self {
        assert!(spacing > 0.0 && spacing.is_finite(), "a spacing of {spacing}");
        Self { spacing: Spacing(spacing), first, dims }
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
        (self.first.as_dvec3() * f64::from(self.spacing())).as_vec3()
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
