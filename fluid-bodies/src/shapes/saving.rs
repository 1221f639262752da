//! Serialisation of shapes. A polytope is saved as built, bit by bit, not as the points from which to
//! rebuild it. A mesh or a height field is saved as its input data, or as a hash of them.

use super::polytope::Polytope;
use super::{
    Capsule, Cuboid, Cylinder, Geometry, HalfSpace, HeightField, Parity, Shape, Sphere, TriangleMesh,
};
use crate::pose::Pose;
use fluid_core::saved::{Element, LoadError, Reader, Saved, Writer, check};
use std::sync::Arc;

/// Saves a slice in the format of a list of its elements.
fn save_column<T: Element>(column: &[T], out: &mut Writer<'_>) {
    column.len().save(out);
    T::save_all(column, out);
}

impl Saved for Geometry {
    fn save(&self, out: &mut Writer<'_>) {
        match self {
            Self::Sphere(Sphere { radius }) => (0_u8, *radius).save(out),
            Self::Cuboid(Cuboid { half_extents }) => (1_u8, *half_extents).save(out),
            Self::Capsule(Capsule { half_height, radius }) => (2_u8, [*half_height, *radius]).save(out),
            Self::Polytope(polytope) => {
                3_u8.save(out);
                polytope.save(out);
            }
            Self::HalfSpace(HalfSpace) => 4_u8.save(out),
            Self::Mesh(mesh) => match mesh.key() {
                Some(key) => (8_u8, key).save(out),
                None => {
                    5_u8.save(out);
                    save_column(mesh.vertices(), out);
                    save_column(mesh.triangles(), out);
                }
            },
            Self::HeightField(field) => match field.key() {
                Some(key) => (9_u8, key).save(out),
                None => {
                    6_u8.save(out);
                    save_column(field.heights(), out);
                    (field.samples().to_array(), field.spacing()).save(out);
                }
            },
            Self::Cylinder(Cylinder { half_height, radius }) => (7_u8, [*half_height, *radius]).save(out),
        }
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        *self = match from.value::<u8>()? {
            0 => Self::Sphere(Sphere { radius: from.value()? }),
            1 => Self::Cuboid(Cuboid { half_extents: from.value()? }),
            2 => {
                let [half_height, radius] = from.value()?;
                Self::Capsule(Capsule { half_height, radius })
            }
            3 => Self::Polytope(Polytope::load(from)?),
            4 => Self::HalfSpace(HalfSpace),
            5 => {
                let mesh = TriangleMesh::new(from.value()?, from.value()?);
                Self::Mesh(Arc::new(mesh.map_err(|_| LoadError::Damaged)?))
            }
            6 => {
                let (heights, samples, spacing) = (from.value()?, from.value::<[u32; 2]>()?, from.value()?);
                let field = HeightField::new(heights, samples.into(), spacing);
                Self::HeightField(Arc::new(field.map_err(|_| LoadError::Damaged)?))
            }
            7 => {
                let [half_height, radius] = from.value()?;
                Self::Cylinder(Cylinder { half_height, radius })
            }
            8 => Self::Mesh(Arc::new(TriangleMesh::unknown(from.value()?))),
            9 => Self::HeightField(Arc::new(HeightField::unknown(from.value()?))),
            _ => return Err(LoadError::Damaged),
        };
        check(self.is_valid())
    }
}

impl Saved for Shape {
    fn save(&self, out: &mut Writer<'_>) {
        let Self { geometry, pose, parity } = self;
        geometry.save(out);
        pose.save(out);
        (*parity == Parity::Hole).save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        self.geometry.load(from)?;
        self.pose.load(from)?;
        self.parity = if from.value()? { Parity::Hole } else { Parity::Solid };
        check(self.parity == Parity::Solid || !self.is_level())
    }
}

impl Shape {
    /// Returns true for level geometry that snapshots contain as a hash.
    pub fn is_saved_by_hash(&self) -> bool {
        match &self.geometry {
            Geometry::Mesh(mesh) => mesh.key().is_some(),
            Geometry::HeightField(field) => field.key().is_some(),
            _ => false,
        }
    }
}

impl Geometry {
    /// Returns true for level geometry of which only the hash has been loaded.
    fn is_unknown(&self) -> bool {
        match self {
            Self::Mesh(mesh) => mesh.is_unknown(),
            Self::HeightField(field) => field.is_unknown(),
            _ => false,
        }
    }

    /// Returns true if both are level geometry with the same hash.
    fn has_key_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Mesh(one), Self::Mesh(other)) => one.key() == other.key(),
            (Self::HeightField(one), Self::HeightField(other)) => one.key() == other.key(),
            _ => false,
        }
    }
}

/// Replaces level geometry of which only the hash has been loaded by the geometry in `others` with that
/// hash.
///
/// # Errors
/// No shape in `others` has the hash.
pub(crate) fn find_levels<'a>(
    shapes: &mut [Shape],
    others: impl Iterator<Item = &'a Shape> + Clone,
) -> Result<(), LoadError> {
    for shape in shapes.iter_mut().filter(|shape| shape.geometry.is_unknown()) {
        let mut known = others.clone().filter(|other| !other.geometry.is_unknown());
        let found = known.find(|other| other.geometry.has_key_of(&shape.geometry));
        shape.geometry = found.ok_or(LoadError::UnknownLevel)?.geometry.clone();
    }
    Ok(())
}

impl Element for Shape {}

impl Default for Shape {
    /// Returns a solid sphere with a radius of 1 m.
    fn default() -> Self {
        Self {
            geometry: Geometry::Sphere(Sphere { radius: 1.0 }),
            pose: Pose::IDENTITY,
            parity: Parity::Solid,
        }
    }
}
