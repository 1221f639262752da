//! C types: one file per noun, and small values here.

pub mod allocator;
pub mod ambient;
pub mod body;
pub mod budget;
pub mod draw;
pub mod emitter;
pub mod initial;
pub mod kill_volumes;
pub mod library;
pub mod op_result;
pub mod ops;
pub mod preset;
pub mod published_tracers;
pub mod recording;
pub mod sample;
pub mod shape;
pub mod stats;
pub mod surfaces;
pub mod surround;
pub mod threads;
pub mod tracers;
pub mod view;
pub mod volume;
pub mod vortons;
pub mod world;
pub mod world_def;
pub mod zones;

use crate::status::{Error, Outcome, finite};
use fluid_core::math::rotation::{length_squared, unit};
use glam::{Quat, Vec3};

/// A vector; each use states its unit.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VortonVec3 {
    /// x
    pub x: f32,
    /// y
    pub y: f32,
    /// z
    pub z: f32,
}

/// A rotation as a unit quaternion; x y z is the vector part. Identity: 0 0 0 1.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VortonQuat {
    /// x
    pub x: f32,
    /// y
    pub y: f32,
    /// z
    pub z: f32,
    /// w
    pub w: f32,
}

/// An axis-aligned box.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VortonAabb {
    /// Corner with the smallest coordinates.
    pub min: VortonVec3,
    /// Corner with the largest coordinates.
    pub max: VortonVec3,
}

/// Converts a number for the host: values beyond f32 are clamped to its largest value, NaN becomes 0.
pub(crate) fn saturated(value: f64) -> f32 {
    saturated64(value) as f32
}

/// Clamps like [`saturated`], but returns f64.
pub(crate) fn saturated64(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) }
}

impl VortonVec3 {
    pub(crate) const ZERO: Self = Self { x: 0.0, y: 0.0, z: 0.0 };

    /// Returns the vector if it is finite.
    pub(crate) fn checked(self, what: &str) -> Outcome<Vec3> {
        finite(&[self.x, self.y, self.z], what)?;
        Ok(self.vec())
    }

    pub(crate) fn vec(self) -> Vec3 {
        Vec3::new(self.x, self.y, self.z)
    }
}

impl From<Vec3> for VortonVec3 {
    fn from(v: Vec3) -> Self {
        Self { x: v.x, y: v.y, z: v.z }
    }
}

impl VortonQuat {
    pub(crate) const IDENTITY: Self = Self { x: 0.0, y: 0.0, z: 0.0, w: 1.0 };

    /// Returns the rotation if the quaternion has unit length to 1e-2 (squared); normalizes small drift.
    pub(crate) fn checked(self, what: &str) -> Outcome<Quat> {
        finite(&[self.x, self.y, self.z, self.w], what)?;
        let q = Quat::from_xyzw(self.x, self.y, self.z, self.w);
        if (length_squared(q) - 1.0).abs() > 1e-2 {
            let length = length_squared(q).sqrt();
            return Err(Error::bad_value(format_args!(
                "{what} has length {length}; a rotation is a unit quaternion"
            )));
        }
        Ok(unit(q))
    }
}
