//! What shapes with flat faces share: directions of short vectors, ways through half-spaces, parts below a
//! plane. All in f64.

use super::{Entry, Part};
use glam::DVec3;

/// How far a place may be from a surface and still be on it, as a share of the lengths that its coordinates
/// are made of: particles are put down near surfaces and moved between coordinates, each of which rounds.
const ON_SURFACE: f64 = 4.0 * f32::EPSILON as f64;

/// Distance \[m\] within which a place counts as on the surface of a shape that reaches `reach` \[m\] from
/// the origin.
#[inline]
pub(super) fn rounding(start: DVec3, reach: f64) -> f64 {
    ON_SURFACE * (start.abs().max_element() + reach)
}

/// A way, cut by one half-space after the other (Cyrus and Beck 1978).
pub(super) struct Clip {
    start: DVec3,
    way: DVec3,
    enter: f64,
    exit: f64,
    /// Signed distance \[m\] of the start from the face by which it enters, and the normal of that face.
    face: Option<(f64, DVec3)>,
    /// Signed distance \[m\] of the start from the face by which it leaves.
    behind: f64,
}

impl Clip {
    pub(super) fn new(start: DVec3, way: DVec3) -> Self {
        Self {
            start,
            way,
            enter: f64::NEG_INFINITY,
            exit: f64::INFINITY,
            face: None,
            behind: f64::NEG_INFINITY,
        }
    }

    /// Keeps what is in `normal · x <= offset`. False if that is nothing.
    #[inline]
    pub(super) fn keep(&mut self, normal: DVec3, offset: f64) -> bool {
        let distance = normal.dot(self.start) - offset;
        let rate = normal.dot(self.way);
        if rate < 0.0 {
            let share = -distance / rate;
            if share > self.enter {
                (self.enter, self.face) = (share, Some((distance, normal)));
            }
        } else if rate > 0.0 {
            let share = -distance / rate;
            if share < self.exit {
                (self.exit, self.behind) = (share, distance);
            }
        } else if distance >= 0.0 || distance.is_nan() {
            return false;
        }
        self.enter <= self.exit
    }

    /// As [`entry`](super::ShapeQueries::entry); starts up to `on_surface` \[m\] inside of a face are on
    /// it.
    pub(super) fn entry(&self, on_surface: f64) -> Option<Entry> {
        let (distance, normal) = self.face?;
        // At an edge a way may go into one face and out of the other: within rounding it leaves.
        let starts_outside = distance >= -on_surface && self.behind < -on_surface;
        let enters = starts_outside && self.enter <= 1.0 && self.exit > 0.0;
        enters.then(|| Entry { share: self.enter.max(0.0) as f32, normal: normal.as_vec3() })
    }

    /// As [`ShapeQueries::exit`](super::ShapeQueries::exit).
    pub(super) fn exit(&self) -> Option<f32> {
        (self.exit < f64::INFINITY).then_some(self.exit as f32)
    }
}

/// The corners of a face, in order, counterclockwise as seen from outside.
pub(super) trait Face {
    fn count(&self) -> usize;
    fn corner(&self, index: usize) -> DVec3;
}

/// The part with `normal · x < height` of the solid between `faces`, if the plane cuts it.
///
/// Volume and moment are sums of the cones from a point of the plane to what is left of each face, so that
/// the cut itself adds nothing. That point is one of the cut, which keeps small parts as exact as large ones.
pub(super) fn part_below<F: Face>(
    faces: impl Iterator<Item = F> + Clone,
    normal: DVec3,
    height: f64,
) -> Option<Part> {
    let signed = |place: DVec3| normal.dot(place) - height;
    let cut = |a: DVec3, b: DVec3| {
        let (below, above) = (signed(a), signed(b));
        (below < 0.0 && above >= 0.0).then(|| a.lerp(b, below / (below - above)))
    };
    let edges = |face: &F| {
        let count = face.count();
        (0..count).map(move |i| (i, (i + 1) % count))
    };
    let apex =
        faces.clone().find_map(|face| edges(&face).find_map(|(i, j)| cut(face.corner(i), face.corner(j))))?;
    let mut part = Part::default();
    for face in faces {
        let (mut first, mut last) = (None, DVec3::ZERO);
        let mut add = |corner: DVec3| {
            let corner = corner - apex;
            let Some(first) = first else {
                (first, last) = (Some(corner), corner);
                return;
            };
            let volume = corner.dot(DVec3::cross(first, last)) / 6.0;
            part.volume += volume;
            // The centroid of a tetrahedron is the mean of its corners; the apex is one of them.
            part.moment += (first + last + corner) * (0.25 * volume);
            last = corner;
        };
        for (i, j) in edges(&face) {
            let (a, b) = (face.corner(i), face.corner(j));
            if signed(a) < 0.0 {
                add(a);
            }
            if let Some(place) = cut(a, b).or_else(|| cut(b, a)) {
                add(place);
            }
        }
    }
    part.moment += apex * part.volume;
    Some(part)
}

/// Length and direction; None if it has no direction. Short vectors do not lose theirs to underflow.
#[inline]
pub(super) fn length_and_direction(vector: DVec3) -> Option<(f64, DVec3)> {
    let largest = vector.abs().max_element();
    if !(largest > 0.0 && largest < f64::INFINITY) {
        return None;
    }
    let scaled = vector / largest;
    let length = scaled.length();
    Some((largest * length, scaled / length))
}
