//! Shapes of bodies as lines: one match arm for each kind.

use super::lines::{Figures, PLANE_CELLS};
use fluid_bodies::shapes::{Capsule, Cuboid, Cylinder, Geometry, Sphere};
use glam::Vec3;

/// The region in which half-spaces and level geometry are drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct DrawnRegion {
    /// Centre of the region, in the axes of the shape \[m\].
    pub(super) centre: Vec3,
    /// Width of a cell \[m\].
    pub(super) cell: f32,
}

impl DrawnRegion {
    /// Returns a cube as wide as the drawn part of a plane.
    fn bounds(&self) -> (Vec3, Vec3) {
        let half = Vec3::splat(f32::from(PLANE_CELLS / 2) * self.cell);
        (self.centre - half, self.centre + half)
    }
}

/// Draws a shape in its own axes.
pub(super) fn draw<P: Fn(Vec3) -> Vec3>(
    geometry: &Geometry,
    figures: &mut Figures<'_, '_, P>,
    patch: impl FnOnce() -> DrawnRegion,
) {
    match geometry {
        Geometry::Sphere(Sphere { radius }) => figures.sphere(*radius),
        Geometry::Cuboid(Cuboid { half_extents }) => figures.cuboid(-*half_extents, *half_extents),
        Geometry::Capsule(Capsule { half_height, radius }) => figures.capsule(*half_height, *radius),
        Geometry::Cylinder(Cylinder { half_height, radius }) => figures.cylinder(*half_height, *radius),
        Geometry::Polytope(shape) => shape.edges().for_each(|[from, to]| figures.line(from, to)),
        Geometry::HalfSpace(_) => {
            let DrawnRegion { centre, cell } = patch();
            figures.patch(centre, cell);
        }
        Geometry::Mesh(mesh) => {
            let (low, high) = patch().bounds();
            mesh.each_triangle_in(low, high, |corners| figures.triangle(corners));
        }
        Geometry::HeightField(field) => {
            let (low, high) = patch().bounds();
            field.each_triangle_in(low, high, |corners| figures.triangle(corners));
        }
    }
}
