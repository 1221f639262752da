//! Shapes: where their surfaces are, what they displace. All are given in coordinates of their own, and are
//! convex but for level geometry: meshes and height fields.
//!
//! A new shape is a new file, a line in [`Geometry`] and one in the list of the contract tests.

mod capsule;
mod cuboid;
mod cylinder;
mod half_space;
mod height_field;
mod level_key;
mod mass;
mod mesh;
mod hull;
mod interior;
mod planes;
mod polyhedron;
mod polytope;
mod round;
mod saving;
mod sections;
mod sphere;
mod triangles;

pub use capsule::Capsule;
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use half_space::HalfSpace;
pub use height_field::HeightField;
pub(crate) use interior::interior;
pub use mass::{MassProperties, Part};
pub use mesh::{MeshError, TriangleMesh};
pub use polytope::{Polytope, PolytopeError};
pub(crate) use saving::find_levels;
pub use sphere::Sphere;

use crate::pose::Pose;
use glam::{DVec3, Vec3};
use std::fmt;
use std::sync::Arc;

/// The surface as seen from a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface {
    /// Distance \[m\] of the point from the surface: true distance outside, also at edges and corners;
    /// negative inside (exact too).
    pub distance: f32,
    /// The nearest point of the surface \[m\].
    pub point: Vec3,
    /// Unit normal there, outwards: from `point` to the asking point where that is outside, of the nearest
    /// face where it is inside.
    pub normal: Vec3,
}

impl Surface {
    /// Of what has none.
    pub(crate) const NOWHERE: Self = Self { distance: f32::INFINITY, point: Vec3::ZERO, normal: Vec3::Z };
}

/// Where a way enters a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// Share of the way, 0 to 1.
    pub share: f32,
    /// Unit normal, outwards, of the surface there.
    pub normal: Vec3,
}

/// What shapes are asked for. Lengths in metres; `f32::EPSILON` times the distance to the origin of its
/// coordinates is what results are good for. Where this says solid, a surface that is not closed is one of no
/// thickness.
pub trait ShapeQueries: fmt::Debug + Send + Sync {
    /// Centre and radius of a sphere that holds it, close to the smallest.
    fn bounding_sphere(&self) -> (Vec3, f32);

    /// Centre and radius of a sphere that is in it, not necessarily the largest: what is in there is far from
    /// every wall.
    fn inscribed_sphere(&self) -> (Vec3, f32);

    /// The surface nearest to a point.
    fn surface(&self, point: Vec3) -> Surface;

    /// Where the straight way from `start` to `end` first enters the solid; None if it does not. A way that
    /// starts inside does not enter (ask [`surface`](Self::surface) instead); one that starts on the surface
    /// enters at once if it goes inwards, and not if it leaves or slides.
    fn entry(&self, start: Vec3, end: Vec3) -> Option<Entry>;

    /// Share of the way from `start` to `start + way` at which the line through both leaves the solid for
    /// good; None if the line misses it. May be above 1 or below 0. Not of shapes that are not convex.
    fn exit(&self, _start: Vec3, _way: Vec3) -> Option<f32> {
        None
    }

    /// Volume, centroid and second moments. None for immovable shapes.
    fn mass_properties(&self) -> MassProperties {
        MassProperties::NONE
    }

    /// Area of the surface \[m²\]. 0 for immovable shapes.
    fn area(&self) -> f64 {
        0.0
    }

    /// Smallest and largest `normal · x` \[m\]. `normal` is of unit length.
    fn span(&self, normal: DVec3) -> (f64, f64);

    /// The part of the solid with `normal · x < height`: volume and first moment. `normal` is of unit length.
    /// Empty for immovable shapes.
    fn part_below(&self, _normal: Vec3, _height: f32) -> Part {
        Part::default()
    }
}

/// A shape.
#[derive(Debug, Clone, PartialEq)]
pub enum Geometry {
    /// About the origin.
    Sphere(Sphere),
    /// A box about the origin, edges along the axes.
    Cuboid(Cuboid),
    /// About the origin, along z.
    Capsule(Capsule),
    /// About the origin, along z.
    Cylinder(Cylinder),
    /// A convex polytope, anywhere.
    Polytope(Polytope),
    /// Everything below the plane z = 0: the only shape of its body, which nothing moves.
    HalfSpace(HalfSpace),
    /// Triangles, anywhere: of bodies that nothing moves.
    Mesh(Arc<TriangleMesh>),
    /// Terrain from the origin on, along x and y: of bodies that nothing moves.
    HeightField(Arc<HeightField>),
}

impl Geometry {
    /// True if sizes are finite, and positive where they have to be. Nothing that is asked of other shapes
    /// has a meaning.
    pub fn is_valid(&self) -> bool {
        let positive = |size: f32| size > 0.0 && size.is_finite();
        match self {
            Self::Sphere(Sphere { radius }) => positive(*radius),
            Self::Cuboid(Cuboid { half_extents }) => half_extents.to_array().into_iter().all(positive),
            Self::Capsule(Capsule { half_height, radius }) => {
                positive(*radius) && *half_height >= 0.0 && half_height.is_finite()
            }
            Self::Cylinder(Cylinder { half_height, radius }) => positive(*radius) && positive(*half_height),
            Self::Polytope(_) | Self::HalfSpace(_) | Self::Mesh(_) | Self::HeightField(_) => true,
        }
    }

    /// What all shapes can do.
    #[inline]
    pub fn queries(&self) -> &dyn ShapeQueries {
        match self {
            Self::Sphere(shape) => shape,
            Self::Cuboid(shape) => shape,
            Self::Capsule(shape) => shape,
            Self::Cylinder(shape) => shape,
            Self::Polytope(shape) => shape,
            Self::HalfSpace(shape) => shape,
            Self::Mesh(shape) => shape.as_ref(),
            Self::HeightField(shape) => shape.as_ref(),
        }
    }

    /// True if it is a mesh or a height field, which is not convex.
    pub fn is_level(&self) -> bool {
        matches!(self, Self::Mesh(_) | Self::HeightField(_))
    }

    /// As [`ShapeQueries::surface`].
    #[inline]
    fn surface(&self, point: Vec3) -> Surface {
        match self {
            Self::Sphere(shape) => shape.surface(point),
            Self::Cuboid(shape) => shape.surface(point),
            Self::Capsule(shape) => shape.surface(point),
            Self::Cylinder(shape) => shape.surface(point),
            Self::Polytope(shape) => shape.surface(point),
            Self::HalfSpace(shape) => shape.surface(point),
            Self::Mesh(shape) => shape.surface(point),
            Self::HeightField(shape) => shape.surface(point),
        }
    }

    /// The surface nearest to a point. Level geometry has none that is `reach` \[m\] and more in front of it:
    /// it is not looked for.
    #[inline]
    fn surface_within(&self, point: Vec3, reach: f32) -> Option<Surface> {
        match self {
            Self::Mesh(shape) => shape.surface_within(point, reach),
            Self::HeightField(shape) => shape.surface_within(point, reach),
            _ => Some(self.surface(point)),
        }
    }

    /// The surface nearest to a point that is inside.
    #[inline]
    fn surface_if_inside(&self, point: Vec3) -> Option<Surface> {
        match self {
            Self::Mesh(shape) => shape.surface_if_inside(point),
            Self::HeightField(shape) => shape.surface_if_inside(point),
            _ => Some(self.surface(point)).filter(|surface| surface.distance < 0.0),
        }
    }

    /// True if a box from `low` to `high` \[m\] may have a point in common with it.
    pub(crate) fn may_meet_box(&self, low: Vec3, high: Vec3) -> bool {
        match self {
            Self::Mesh(shape) => shape.reaches_into(low, high),
            Self::HeightField(shape) => shape.reaches_into(low, high),
            _ => true,
        }
    }

    /// How far \[m\] a point surely is from it, but for rounding of `f32`: no more than its distance. A cheap
    /// formula; minus infinity for a polytope, as in [`least_depth`](Self::least_depth).
    #[inline]
    pub(crate) fn least_distance(&self, point: Vec3) -> f32 {
        match self {
            Self::Cuboid(Cuboid { half_extents }) => (point.abs() - half_extents).max(Vec3::ZERO).length(),
            Self::Sphere(_) | Self::Capsule(_) | Self::Cylinder(_) | Self::HalfSpace(_) => {
                -self.least_depth(point)
            }
            Self::Polytope(_) | Self::Mesh(_) | Self::HeightField(_) => f32::NEG_INFINITY,
        }
    }

    /// How deep \[m\] a point surely is in it, but for rounding of `f32`: no more than minus its distance
    /// from the surface. A cheap formula; minus infinity for a polytope, which has a
    /// [`DepthTable`](crate::depth_table::DepthTable) where it matters.
    #[inline]
    pub(crate) fn least_depth(&self, point: Vec3) -> f32 {
        match self {
            Self::Sphere(Sphere { radius }) => radius - point.length(),
            Self::Cuboid(Cuboid { half_extents }) => (half_extents - point.abs()).min_element(),
            Self::Capsule(Capsule { half_height, radius }) => {
                radius - point.with_z((point.z.abs() - half_height).max(0.0)).length()
            }
            Self::Cylinder(Cylinder { half_height, radius }) => {
                (radius - point.truncate().length()).min(half_height - point.z.abs())
            }
            Self::HalfSpace(_) => -point.z,
            Self::Polytope(_) | Self::Mesh(_) | Self::HeightField(_) => f32::NEG_INFINITY,
        }
    }
}

/// Where the body is: inside of its surface, or outside of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Parity {
    /// The inside is solid; fluid is around it.
    #[default]
    Solid,
    /// The inside is a hole with fluid in it; what is around is solid.
    Hole,
}

impl Parity {
    /// +1 for a solid, −1 for a hole: what signed distances and normals are multiplied by.
    pub const fn sign(self) -> f32 {
        match self {
            Self::Solid => 1.0,
            Self::Hole => -1.0,
        }
    }
}

/// A shape of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// What it is.
    pub geometry: Geometry,
    /// Where it is in the body.
    pub pose: Pose,
    /// Solid or hole.
    pub parity: Parity,
}

impl Shape {
    /// A solid in the middle of its body.
    pub fn solid(geometry: Geometry) -> Self {
        Self { geometry, pose: Pose::IDENTITY, parity: Parity::Solid }
    }

    /// A sphere in the middle of its body.
    pub fn sphere(radius: f32) -> Self {
        Self::solid(Geometry::Sphere(Sphere { radius }))
    }

    /// A box in the middle of its body.
    pub fn cuboid(half_extents: Vec3) -> Self {
        Self::solid(Geometry::Cuboid(Cuboid { half_extents }))
    }

    /// A capsule in the middle of its body, along its z axis.
    pub fn capsule(half_height: f32, radius: f32) -> Self {
        Self::solid(Geometry::Capsule(Capsule { half_height, radius }))
    }

    /// A cylinder in the middle of its body, along its z axis.
    pub fn cylinder(half_height: f32, radius: f32) -> Self {
        Self::solid(Geometry::Cylinder(Cylinder { half_height, radius }))
    }

    /// Everything below the plane z = 0 of its body: a floor.
    pub fn half_space() -> Self {
        Self::solid(Geometry::HalfSpace(HalfSpace))
    }

    /// The lowest and highest coordinates \[m\] of what has its surface, in the body's axes.
    pub(crate) fn bounds(&self) -> (Vec3, Vec3) {
        let back = self.pose.rotation.as_dquat().normalize().conjugate();
        let spans = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| self.geometry.queries().span(back * axis));
        let at = |along: [f64; 3]| (self.pose.position.as_dvec3() + DVec3::from(along)).as_vec3();
        (at(spans.map(|span| span.0)), at(spans.map(|span| span.1)))
    }

    /// A mesh of triangles, in the axes of its body.
    pub fn mesh(mesh: TriangleMesh) -> Self {
        Self::solid(Geometry::Mesh(Arc::new(mesh)))
    }

    /// Terrain, from the origin of its body on.
    pub fn height_field(field: HeightField) -> Self {
        Self::solid(Geometry::HeightField(Arc::new(field)))
    }

    /// True if it is a mesh or a height field; its body is immovable.
    pub fn is_level(&self) -> bool {
        self.geometry.is_level()
    }

    /// True if nothing may move its body: it has no end, or is level geometry.
    pub fn is_immovable(&self) -> bool {
        self.is_half_space() || self.is_level()
    }

    /// True if it has no end.
    pub fn is_half_space(&self) -> bool {
        matches!(self.geometry, Geometry::HalfSpace(_))
    }

    /// The surface nearest to a point of the body; distance and normal are those of the parity, so that fluid
    /// is where distance is positive.
    #[inline(always)]
    pub fn surface(&self, point: Vec3) -> Surface {
        self.in_body(self.geometry.surface(self.pose.to_local(point)))
    }

    /// As [`surface`](Self::surface), but for level geometry that is `reach` \[m\] and more away.
    #[inline(always)]
    pub(crate) fn surface_within(&self, point: Vec3, reach: f32) -> Option<Surface> {
        let surface = self.geometry.surface_within(self.pose.to_local(point), reach)?;
        Some(self.in_body(surface))
    }

    /// As [`surface`](Self::surface), of a solid that holds the point.
    #[inline(always)]
    pub(crate) fn surface_if_inside(&self, point: Vec3) -> Option<Surface> {
        let surface = self.geometry.surface_if_inside(self.pose.to_local(point))?;
        Some(self.in_body(surface))
    }

    /// A surface in its own axes, as it is in those of the body.
    #[inline(always)]
    fn in_body(&self, surface: Surface) -> Surface {
        let Surface { distance, point, normal } = surface;
        Surface {
            distance: distance * self.parity.sign(),
            point: self.pose.to_world(point),
            normal: self.pose.turn(normal) * self.parity.sign(),
        }
    }
}
