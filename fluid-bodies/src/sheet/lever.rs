//! Lever arms of pressure: the axes about which it can turn a body.

use super::finite;
use super::panels::Point;
use crate::shapes::{Geometry, Shape};
use fluid_core::math::outer;
use glam::{DMat3, DVec3};

/// Mean square lever arm of pressure, relative to the square of the body's size \[1\], below which errors
/// of torque exceed the torque.
pub(super) const LEAST_LEVER: f64 = 5e-3;

/// The same ratio below which a body is round about an axis, up to rounding \[1\].
pub(super) const ROUND: f64 = 1e-10;

/// The same ratio below which pressure has no lever arm \[1\]. Above it, none of a body's own momentum is
/// left out.
pub(super) const NO_LEVER: f64 = 1e-3;

/// Returns ∫ (x × n)(x × n)ᵀ dS \[m⁴\] of the lever arm x × n of pressure about the origin, and its
/// mean B relative to the square of the size \[1\]: an origin far from the surface makes arms longer, but
/// not the surface larger.
pub(super) fn squares_of_lever(solids: &[Shape], points: &[Point]) -> (DMat3, DMat3) {
    let area: f64 = points.iter().map(|point| f64::from(point.area.length())).sum();
    let moment: DVec3 =
        points.iter().map(|point| point.place.as_dvec3() * f64::from(point.area.length())).sum();
    let (mut square, mut size, middle) = (DMat3::ZERO, 0.0_f64, moment / area);
    for point in points {
        let (place, normal) = (point.place.as_dvec3(), point.area.as_dvec3());
        let arm = arm_at(solids, point);
        size = size.max(place.distance(middle));
        square += outer(arm, arm) * (1.0 / normal.length());
    }
    (finite(square), finite(square * (1.0 / (area * size * size))))
}

/// Returns B (B + ε)⁻¹.
pub(super) fn lever(square: &DMat3, least: f64) -> DMat3 {
    finite(*square * (*square + DMat3::IDENTITY * least).inverse())
}

/// Returns the lever arm x × n of pressure about the origin at a point of the surface of these solids, times
/// the area there \[m³\]. That of a round solid is the one of its surface itself, because its triangles have
/// a lever arm about the axis of symmetry.
fn arm_at(solids: &[Shape], point: &Point) -> DVec3 {
    let (place, area) = (point.place.as_dvec3(), point.area.as_dvec3());
    let distance = |solid: &Shape| {
        let local = solid.pose.to_local(point.place);
        solid.geometry.queries().surface(local).distance.abs()
    };
    let nearest = solids.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    let Some(solid) = nearest.filter(|solid| is_of_revolution(&solid.geometry)) else {
        return place.cross(area);
    };
    let surface = solid.geometry.queries().surface(solid.pose.to_local(point.place));
    let (local, normal) = (surface.point.as_dvec3(), surface.normal.as_dvec3());
    let own = match solid.geometry {
        Geometry::Sphere(_) => DVec3::ZERO,
        // Round about z.
        _ => local.cross(normal).with_z(0.0),
    };
    let turn = solid.pose.rotation.as_dquat().normalize();
    (turn * own + solid.pose.position.as_dvec3().cross(turn * normal)) * area.length()
}

/// True for solids of revolution about their own z, and balls.
fn is_of_revolution(geometry: &Geometry) -> bool {
    matches!(geometry, Geometry::Sphere(_) | Geometry::Capsule(_) | Geometry::Cylinder(_))
}
