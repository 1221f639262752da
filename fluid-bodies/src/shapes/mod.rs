//! Shapes: distances to their surfaces, and displaced volumes. Each shape has its own coordinates; all are
//! convex except level geometry, which is meshes and height fields.
//!
//! To add a shape, see ARCHITECTURE.md, "Where to add code": the compiler does not find all places.

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

/// Point of a surface nearest to a query point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface {
    /// Signed distance \[m\] of the query point: the true distance outside, also at edges and corners;
    /// negative inside, and exact there too.
    pub distance: f32,
    /// Nearest point of the surface \[m\].
    pub point: Vec3,
    /// Outward unit normal: from `point` to the query point if that is outside, or the normal of the
    /// nearest face if it is inside.
    pub normal: Vec3,
}

impl Surface {
    /// Result for a shape without a surface.
    pub(crate) const NONE: Self = Self { distance: f32::INFINITY, point: Vec3::ZERO, normal: Vec3::Z };
}

/// Point at which a line segment enters a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// Fraction of the segment, 0 to 1.
    pub share: f32,
    /// Outward unit normal of the surface at that point.
    pub normal: Vec3,
}

/// Geometric queries that every shape implements. Lengths are in metres; results are accurate to
/// `f32::EPSILON` times the distance from the shape's origin. "Solid" below means the interior; a surface
/// that is not closed encloses none and has zero thickness.
pub trait ShapeQueries: fmt::Debug + Send + Sync {
    /// Returns the centre and radius of a bounding sphere, close to the smallest.
    fn bounding_sphere(&self) -> (Vec3, f32);

    /// Returns the centre and radius of an inscribed sphere, not necessarily the largest. Points inside it
    /// are far from every face.
    fn inscribed_sphere(&self) -> (Vec3, f32);

    /// Returns the point of the surface nearest to `point`.
    fn surface(&self, point: Vec3) -> Surface;

    /// Returns the first point at which the segment from `start` to `end` enters the solid; `None` if it
    /// does not. A segment that starts inside does not enter (use [`surface`](Self::surface) instead); one
    /// that starts on the surface enters at once if it points inwards, and does not enter if it points
    /// outwards or along the surface.
    fn entry(&self, start: Vec3, end: Vec3) -> Option<Entry>;

    /// Returns the parameter at which the line `start + t way` finally leaves the solid; `None` if the line
    /// misses it. May be above 1 or below 0. Not available for shapes that are not convex.
    fn exit(&self, _start: Vec3, _way: Vec3) -> Option<f32> {
        None
    }

    /// Returns the volume, centroid and second moments. [`MassProperties::NONE`] for immovable shapes.
    fn mass_properties(&self) -> MassProperties {
        MassProperties::NONE
    }

    /// Returns the surface area \[m²\]. 0 for immovable shapes.
    fn area(&self) -> f64 {
        0.0
    }

    /// Returns the smallest and largest `normal · x` \[m\] of the shape. `normal` is of unit length.
    fn span(&self, normal: DVec3) -> (f64, f64);

    /// Returns the volume and first moment of the part of the solid with `normal · x < height`. `normal` is
    /// of unit length. Empty for immovable shapes.
    fn part_below(&self, _normal: Vec3, _height: f32) -> Part {
        Part::default()
    }
}

/// Geometry of a shape, in its own coordinates.
#[derive(Debug, Clone, PartialEq)]
pub enum Geometry {
    /// A sphere centred at the origin.
    Sphere(Sphere),
    /// A box centred at the origin, with edges along the axes.
    Cuboid(Cuboid),
    /// A capsule centred at the origin, along z.
    Capsule(Capsule),
    /// A cylinder centred at the origin, along z.
    Cylinder(Cylinder),
    /// A convex polytope at any position.
    Polytope(Polytope),
    /// The half-space below the plane z = 0. It must be the only shape of its body, which is immovable.
    HalfSpace(HalfSpace),
    /// A triangle mesh at any position, for immovable bodies.
    Mesh(Arc<TriangleMesh>),
    /// Terrain that extends from the origin along x and y, for immovable bodies.
    HeightField(Arc<HeightField>),
}

impl Geometry {
    /// Returns the memory \[bytes\] of a copy, besides the value itself.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Polytope(polytope) => polytope.bytes(),
            _ => 0,
        }
    }

    /// Returns true if all sizes are finite, and positive where necessary. Results of all other methods are
    /// meaningless for a shape that is not valid.
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

    /// Returns the queries that all shapes implement.
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

    /// Returns true for a mesh or a height field, which are not convex.
    pub fn is_level(&self) -> bool {
        matches!(self, Self::Mesh(_) | Self::HeightField(_))
    }

    /// Same as [`ShapeQueries::surface`].
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

    /// Returns the point of the surface nearest to `point`. For level geometry the search stops at `reach`
    /// \[m\] in front of the surface and returns `None` there.
    #[inline]
    fn surface_within(&self, point: Vec3, reach: f32) -> Option<Surface> {
        match self {
            Self::Mesh(shape) => shape.surface_within(point, reach),
            Self::HeightField(shape) => shape.surface_within(point, reach),
            _ => Some(self.surface(point)),
        }
    }

    /// Returns the nearest point of the surface for a point inside; `None` for a point outside.
    #[inline]
    fn surface_if_inside(&self, point: Vec3) -> Option<Surface> {
        match self {
            Self::Mesh(shape) => shape.surface_if_inside(point),
            Self::HeightField(shape) => shape.surface_if_inside(point),
            _ => Some(self.surface(point)).filter(|surface| surface.distance < 0.0),
        }
    }

    /// Returns false only if the box from `low` to `high` \[m\] has no point in common with the shape.
    pub(crate) fn may_meet_box(&self, low: Vec3, high: Vec3) -> bool {
        match self {
            Self::Mesh(shape) => shape.reaches_into(low, high),
            Self::HeightField(shape) => shape.reaches_into(low, high),
            _ => true,
        }
    }

    /// Returns a lower bound \[m\] on the distance of a point from the shape, except for `f32` rounding. A
    /// cheap formula; minus infinity for polytopes and level geometry, as in
    /// [`least_depth`](Self::least_depth).
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

    /// Returns a lower bound \[m\] on the depth of a point in the shape (minus its signed distance), except
    /// for `f32` rounding. A cheap formula; minus infinity for level geometry and for a polytope, which has
    /// a [`DepthTable`](crate::depth_table::DepthTable) where the bound matters.
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

/// The side of the surface on which the body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Parity {
    /// Solid inside, fluid outside.
    #[default]
    Solid,
    /// A hole (cavity): fluid inside, solid outside.
    Hole,
}

impl Parity {
    /// Returns the factor for signed distances and normals: +1 for a solid, −1 for a hole.
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
    /// Geometry, in the shape's own coordinates.
    pub geometry: Geometry,
    /// Pose of the shape in the body's coordinates.
    pub pose: Pose,
    /// Solid or hole.
    pub parity: Parity,
}

impl Shape {
    /// Creates a solid at the centre of its body.
    pub fn solid(geometry: Geometry) -> Self {
        Self { geometry, pose: Pose::IDENTITY, parity: Parity::Solid }
    }

    /// Creates a solid sphere at the centre of its body.
    pub fn sphere(radius: f32) -> Self {
        Self::solid(Geometry::Sphere(Sphere { radius }))
    }

    /// Creates a solid box at the centre of its body.
    pub fn cuboid(half_extents: Vec3) -> Self {
        Self::solid(Geometry::Cuboid(Cuboid { half_extents }))
    }

    /// Creates a solid capsule at the centre of its body, along the body's z axis.
    pub fn capsule(half_height: f32, radius: f32) -> Self {
        Self::solid(Geometry::Capsule(Capsule { half_height, radius }))
    }

    /// Creates a solid cylinder at the centre of its body, along the body's z axis.
    pub fn cylinder(half_height: f32, radius: f32) -> Self {
        Self::solid(Geometry::Cylinder(Cylinder { half_height, radius }))
    }

    /// Creates the half-space below the plane z = 0 of its body: a floor.
    pub fn half_space() -> Self {
        Self::solid(Geometry::HalfSpace(HalfSpace))
    }

    /// Returns the lowest and highest coordinates \[m\] of the shape's surface, in the body's axes.
    pub(crate) fn bounds(&self) -> (Vec3, Vec3) {
        let back = self.pose.rotation.as_dquat().normalize().conjugate();
        let spans = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| self.geometry.queries().span(back * axis));
        let at = |along: [f64; 3]| (self.pose.position.as_dvec3() + DVec3::from(along)).as_vec3();
        (at(spans.map(|span| span.0)), at(spans.map(|span| span.1)))
    }

    /// Creates a triangle mesh, in the axes of its body.
    pub fn mesh(mesh: TriangleMesh) -> Self {
        Self::solid(Geometry::Mesh(Arc::new(mesh)))
    }

    /// Creates terrain that starts at the origin of its body.
    pub fn height_field(field: HeightField) -> Self {
        Self::solid(Geometry::HeightField(Arc::new(field)))
    }

    /// Returns true for a mesh or a height field; the body of one is immovable.
    pub fn is_level(&self) -> bool {
        self.geometry.is_level()
    }

    /// Returns true for a mesh that is not closed: a thin wall with fluid on both sides.
    pub(crate) fn is_open(&self) -> bool {
        matches!(&self.geometry, Geometry::Mesh(mesh) if !mesh.is_closed())
    }

    /// Returns true for a closed mesh with its fluid inside.
    pub(crate) fn is_cave(&self) -> bool {
        matches!(&self.geometry, Geometry::Mesh(mesh) if mesh.is_cave())
    }

    /// Returns true if the body must be immovable: half-spaces and level geometry.
    pub fn is_immovable(&self) -> bool {
        self.is_half_space() || self.is_level()
    }

    /// Returns true for a half-space, which is unbounded.
    pub fn is_half_space(&self) -> bool {
        matches!(self.geometry, Geometry::HalfSpace(_))
    }

    /// Returns the point of the surface nearest to a point in the body's axes. Distance and normal take the
    /// parity into account, so the distance is positive in the fluid.
    #[inline(always)]
    pub fn surface(&self, point: Vec3) -> Surface {
        self.in_body(self.geometry.surface(self.pose.to_local(point)))
    }

    /// Same as [`surface`](Self::surface), but `None` for level geometry at a distance of `reach` \[m\] or
    /// more.
    #[inline(always)]
    pub(crate) fn surface_within(&self, point: Vec3, reach: f32) -> Option<Surface> {
        let surface = self.geometry.surface_within(self.pose.to_local(point), reach)?;
        Some(self.in_body(surface))
    }

    /// Same as [`surface`](Self::surface) for a point inside the shape; `None` for a point outside.
    #[inline(always)]
    pub(crate) fn surface_if_inside(&self, point: Vec3) -> Option<Surface> {
        let surface = self.geometry.surface_if_inside(self.pose.to_local(point))?;
        Some(self.in_body(surface))
    }

    /// Transforms a surface from the shape's own axes to the body's, and applies the parity.
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
