//! Functions shared by shapes with flat faces: directions of short vectors, segments clipped by
//! half-spaces, parts below a plane. All in f64.

use super::{Entry, Part};
use glam::DVec3;

/// Distance from a surface within which a point is on it, relative to the size of its coordinates:
/// particles are put near surfaces and transformed between coordinate systems, and each of these rounds.
const ON_SURFACE: f64 = 4.0 * f32::EPSILON as f64;

/// Returns the distance \[m\] within which a point counts as on the surface of a shape that reaches `reach`
/// \[m\] from the origin.
#[inline]
pub(super) fn rounding(start: DVec3, reach: f64) -> f64 {
    ON_SURFACE * (start.abs().max_element() + reach)
}

/// A line clipped by one half-space after the other (Cyrus and Beck 1978).
pub(super) struct Clip {
    start: DVec3,
    way: DVec3,
    enter: f64,
    exit: f64,
    /// Signed distance \[m\] of the start from the face through which the line enters, and the normal of
    /// that face.
    face: Option<(f64, DVec3)>,
    /// Signed distance \[m\] of the start from the face through which the line exits.
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

    /// Clips to `normal · x <= offset`. Returns false if the remainder is empty.
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

    /// Same as [`entry`](super::ShapeQueries::entry); starts up to `on_surface` \[m\] inside a face count
    /// as on it.
    pub(super) fn entry(&self, on_surface: f64) -> Option<Entry> {
        let (distance, normal) = self.face?;
        // At an edge a segment may enter one face and exit the other: within rounding it exits.
        let starts_outside = distance >= -on_surface && self.behind < -on_surface;
        let enters = starts_outside && self.enter <= 1.0 && self.exit > 0.0;
        enters.then(|| Entry { share: self.enter.max(0.0) as f32, normal: normal.as_vec3() })
    }

    /// Same as [`ShapeQueries::exit`](super::ShapeQueries::exit).
    pub(super) fn exit(&self) -> Option<f32> {
        (self.exit < f64::INFINITY).then_some(self.exit as f32)
    }
}

/// The corners of a face, in order, counterclockwise as seen from outside.
pub(super) trait Face {
    fn count(&self) -> usize;
    fn corner(&self, index: usize) -> DVec3;
}

/// Returns the part with `normal · x < height` of the solid between `faces`; `None` if the plane does not
/// cut it.
///
/// Volume and moment are sums of the cones from a point of the cut to the remainder of each face, so the
/// cut itself adds nothing, and small parts are as exact as large ones.
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

/// Returns the length and direction of a vector; `None` for a vector without direction. Short vectors keep
/// theirs: the scaling avoids underflow.
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
