//! Shapes as bytes. A polytope is saved as it was made, to the last bit, not as points to make it of again.

use super::polytope::Polytope;
use super::{Capsule, Cuboid, Geometry, HalfSpace, Parity, Shape, Sphere};
use crate::pose::Pose;
use fluid_core::saved::{Element, LoadError, Reader, Saved, Writer, check};

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
        Ok(())
    }
}

impl Element for Shape {}

impl Default for Shape {
    /// A ball with a radius of a metre.
    fn default() -> Self {
        Self {
            geometry: Geometry::Sphere(Sphere { radius: 1.0 }),
            pose: Pose::IDENTITY,
            parity: Parity::Solid,
        }
    }
}
