//! Functions shared by shapes with a round surface.

use super::polyhedron::{length_and_direction, rounding};
use super::{Entry, Surface};
use glam::{DVec3, Vec3};

/// Parameters at which a line enters and leaves a solid, enter <= leave.
pub(super) type LineInterval = (f64, f64);

/// Returns the interval in which the line through `start` along `way` is within `radius` of the origin.
/// With the components along the axis set to 0, the same for a cylinder.
pub(super) fn span_in_ball(start: DVec3, way: DVec3, radius: f64) -> Option<LineInterval> {
    let square = way.length_squared();
    if square == 0.0 {
        return (start.length_squared() < radius * radius).then_some((f64::NEG_INFINITY, f64::INFINITY));
    }
    let middle = -start.dot(way) / square;
    // From the line's point nearest to the origin: differences of squares of large numbers would drown a
    // small ball.
    let half_chord2 = radius * radius - (start + way * middle).length_squared();
    (half_chord2 >= 0.0).then(|| {
        let half = (half_chord2 / square).sqrt();
        (middle - half, middle + half)
    })
}

/// Returns the interval in which a line is inside the cylinder about z with this half height and radius
/// \[m\].
pub(super) fn span_in_cylinder(start: DVec3, way: DVec3, (half, radius): (f64, f64)) -> Option<LineInterval> {
    let (enter, leave) = span_in_ball(start.with_z(0.0), way.with_z(0.0), radius)?;
    let (a, b) = ((-half - start.z) / way.z, (half - start.z) / way.z);
    if way.z == 0.0 {
        return (start.z.abs() <= half).then_some((enter, leave));
    }
    let (enter, leave) = (enter.max(a.min(b)), leave.min(a.max(b)));
    (enter <= leave).then_some((enter, leave))
}

/// Returns the surface at `radius` from the nearest point of an axis or centre. For a point on the axis
/// itself, `across` is the normal: one of the directions perpendicular to the axis.
pub(super) fn surface_around(place: DVec3, axis: DVec3, radius: f64, across: DVec3) -> Surface {
    let (distance, normal) = length_and_direction(place - axis).unwrap_or((0.0, across));
    Surface {
        distance: (distance - radius) as f32,
        point: (axis + normal * radius).as_vec3(),
        normal: normal.as_vec3(),
    }
}

/// Same as [`entry`](super::ShapeQueries::entry), given the line's interval in a solid that reaches `reach`
/// \[m\] from the origin, and the solid's surface.
pub(super) fn entry(
    (start, end): (Vec3, Vec3),
    reach: f64,
    span: Option<LineInterval>,
    surface: impl Fn(Vec3) -> Surface,
) -> Option<Entry> {
    let (enter, _) = span.filter(|&(enter, leave)| enter <= 1.0 && leave > 0.0)?;
    if enter >= 0.0 {
        let share = enter as f32;
        return Some(Entry { share, normal: surface(start + (end - start) * share).normal });
    }
    let Surface { distance, normal, .. } = surface(start);
    let on_surface = f64::from(distance) >= -rounding(start.as_dvec3(), reach);
    (on_surface && normal.dot(end - start) < 0.0).then_some(Entry { share: 0.0, normal })
}
