//! Inertia and extent of a body's shapes.

use crate::separation::hollow;
use crate::shapes::{MassProperties, Parity, Shape};
use glam::{DMat3, DVec3};

/// Least volume of hollow solids relative to the same solids with their holes filled \[1\], for which the
/// difference is their inertia.
const LEAST_SHELL: f64 = 0.01;

/// Returns the inertia tensor about the origin \[m²\] of 1 kg that is spread evenly over the solids among
/// these shapes, less the holes in hollow ones. Nothing is known of walls without a solid around them: their
/// holes count as if they were filled with the wall material.
pub(super) fn even_inertia(shapes: &[Shape]) -> DMat3 {
    let per_mass =
        |volume: f64, inertia: DMat3| if volume > 0.0 { inertia * (1.0 / volume) } else { DMat3::ZERO };
    let all = MassProperties::of(shapes);
    if !hollow(shapes).contains(&true) {
        return per_mass(all.volume, all.inertia_about_origin());
    }
    let of = |parity: Parity| {
        let some: Vec<_> = shapes.iter().filter(|shape| shape.parity == parity).cloned().collect();
        MassProperties::of(&some)
    };
    let (solids, holes) = (of(Parity::Solid), of(Parity::Hole));
    let left = solids.volume - holes.volume;
    if left > LEAST_SHELL * solids.volume {
        return per_mass(left, solids.inertia_about_origin() - holes.inertia_about_origin());
    }
    per_mass(all.volume, all.inertia_about_origin())
}

/// Returns the largest extent of shapes from the origin of their body along one of its axes \[m\].
pub(super) fn reach_of(shapes: &[Shape]) -> f64 {
    let reach = |axis: DVec3| {
        let each = shapes.iter().map(|shape| {
            let (low, high) = shape
                .geometry
                .queries()
                .span((shape.pose.rotation.as_dquat().normalize()).conjugate() * axis);
            let middle = shape.pose.position.as_dvec3().dot(axis);
            (middle + low).abs().max((middle + high).abs())
        });
        each.fold(0.0, f64::max)
    };
    [DVec3::X, DVec3::Y, DVec3::Z].map(reach).into_iter().fold(0.0, f64::max)
}
