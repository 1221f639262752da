//! Types of surfaces.

use crate::types::VortonVec3;
use crate::types::body::VortonBodyId;

/// The solid surface nearest to a point.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonSurface {
    /// Distance [m] from the surface to the point: negative inside a solid. Equal to reach if no surface is
    /// nearer.
    pub distance: f32,
    /// The nearest point of the surface [m]; 0 0 0 if none is within reach.
    pub point: VortonVec3,
    /// Unit normal there, into the fluid; 0 0 0 if none is within reach.
    pub normal: VortonVec3,
    /// The body of the surface; the null id if none is within reach.
    pub body: VortonBodyId,
}
