//! First contact of a particle's path with a moving and turning body (E39).
//!
//! All computations are in the body's axes, relative to the body: there the body is at rest, and the path is
//! a curve if the body turns.

use crate::obstacle::Obstacle;
use crate::shapes::{Shape, Surface};
use fluid_core::math::rotation::rotate_back;
use glam::Vec3;

/// Path of a particle during the rest of a step: straight in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Way {
    /// Start \[m\].
    pub start: Vec3,
    /// End \[m\], at the end of the step.
    pub end: Vec3,
    /// Fraction of the step that has passed at its start, 0 to 1. With 1, the bodies are at rest in their
    /// poses at the end of the step.
    pub since: f32,
}

/// Hit of a path on a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Fraction of the path, 0 to 1.
    pub share: f32,
    /// Index of the shape.
    pub shape: u32,
    /// Point of the surface \[m\], in the body's axes.
    pub point: Vec3,
    /// Unit normal of the surface there, outwards, in the body's axes. The shape is behind the plane through
    /// `point`.
    pub normal: Vec3,
    /// Start of the straight piece of the path that meets the body \[m\], in the body's axes.
    pub from: Vec3,
    /// True if the path enters the shape there; false if it starts inside, and `point` is the surface point
    /// nearest to its start.
    pub enters: bool,
}

/// Initial angle \[rad\] by which a body turns during one straight piece of a path: pieces that pass a
/// surface at less than the distance between chord and arc are halved.
const PIECE_ANGLE: f32 = 0.05;
/// Pieces into which an entering piece is divided again \[1\], for the time of entry: the distance between
/// chord and arc falls with its square.
const REFINEMENT: f32 = 8.0;
/// Most pieces of a path \[1\]; a half turn takes 63.
const MOST_PIECES: f32 = 128.0;
/// Distance between chord and arc, relative to that from the axis \[1\], below which the chord counts as the
/// arc.
const ARC_ROUNDING: f32 = 8.0 * f32::EPSILON;
/// Most times that a piece is halved \[1\]: each halving is four times as exact.
const HALVINGS: u32 = 8;
/// Distance of an entry point from the surface, relative to the path and its coordinates \[1\], up to which
/// the point is moved onto the surface.
const ENTRY_ROUNDING: f32 = 64.0 * f32::EPSILON;

impl Obstacle {
    /// Returns the first hit of a path on the body, which moves along its own path through the step; None
    /// without a hit. A path that starts inside a shape hits it at once, at the surface point nearest to the
    /// start; of several shapes, the deepest counts.
    pub fn sweep(&self, way: &Way) -> Option<Hit> {
        if !self.may_meet_way(way.start, way.end) {
            return None;
        }
        let begin = self.pose_at(way.since);
        // Relative to the body, which may be far from the origin of the world.
        let mut curve = Curve {
            body: self,
            since: way.since,
            first: way.start - begin.position,
            last: way.end - self.pose().position,
            is_held: false,
        };
        curve.is_held = self.is_in_hollow(curve.at(0.0));
        if let Some(hit) = self.embedded(curve.at(0.0), None) {
            return Some(hit);
        }
        let angle = self.turn_angle() * (1.0 - way.since);
        let pieces = (angle / PIECE_ANGLE).ceil().clamp(1.0, MOST_PIECES);
        curve.enter((0.0, 1.0), pieces, |hit, piece| {
            if angle > 0.0 { curve.enter(piece, REFINEMENT, |hit, _| Some(hit)) } else { Some(hit) }
        })
    }

    /// Returns the first entry of a path that is straight in the body's axes into a shape other than `but`;
    /// hollow shapes do not count for a particle that a hole holds.
    pub(crate) fn enter(&self, (start, is_held): (Vec3, bool), end: Vec3, but: Option<u32>) -> Option<Hit> {
        if !self.ball().meets_way(start, end) {
            return None;
        }
        let others = self.solids_for(is_held).filter(|&(number, _)| Some(number) != but);
        others
            .filter_map(|(number, shape)| entry(number, shape, start, end))
            .reduce(|a, b| if b.share < a.share { b } else { a })
    }

    /// Returns the exit of a point in the body's axes that is inside a shape other than `but`; of several
    /// shapes, that of the deepest.
    pub(crate) fn embedded(&self, place: Vec3, but: Option<u32>) -> Option<Hit> {
        if !self.may_reach(place, 0.0) {
            return None;
        }
        let others = self.solids_for(self.is_in_hollow(place)).filter(|&(number, _)| Some(number) != but);
        let inside = others.filter_map(|(number, shape)| Some((number, shape.surface_if_inside(place)?)));
        let (shape, surface) = inside.reduce(|a, b| if b.1.distance < a.1.distance { b } else { a })?;
        let Surface { point, normal, .. } = surface;
        Some(Hit { share: 0.0, shape, point, normal, from: place, enters: false })
    }

    /// Returns the position \[m\], in the body's axes, of a particle after a hit: `skin` \[m\] in front of
    /// the surface. If other parts of the same surface may be as near, the position is on the path before the
    /// hit, which touches none of them.
    pub(crate) fn put_down(&self, hit: &Hit, skin: f32) -> Vec3 {
        let height = (hit.from - hit.point).dot(hit.normal);
        if !self.shapes()[hit.shape as usize].is_level() || !hit.enters {
            return hit.point + hit.normal * skin;
        }
        if height > skin { hit.point + (hit.from - hit.point) * (skin / height) } else { hit.from }
    }
}

/// Path in the axes of a body that may turn.
struct Curve<'a> {
    body: &'a Obstacle,
    since: f32,
    /// Start and end \[m\], relative to the body's origin at that time, in the world's axes.
    first: Vec3,
    last: Vec3,
    /// True if a hole of the body holds the start.
    is_held: bool,
}

impl Curve<'_> {
    /// Returns the point at a fraction of the path, in the body's axes.
    fn at(&self, share: f32) -> Vec3 {
        let rotation = self.body.pose_at(self.since + (1.0 - self.since) * share).rotation;
        rotate_back(rotation, self.first.lerp(self.last, share))
    }

    /// Divides the part between two fractions into straight pieces and passes the first piece that enters to
    /// `refine`, with its fractions; if that rejects it, the next one. Both ends of a piece are on the curve,
    /// so an end inside is never missed.
    fn enter(
        &self,
        (from, to): (f32, f32),
        pieces: f32,
        refine: impl Fn(Hit, (f32, f32)) -> Option<Hit>,
    ) -> Option<Hit> {
        let share_of = |piece: f32| from + (to - from) * (piece / pieces);
        let mut start = self.at(from);
        for piece in 0..pieces as u32 {
            let shares = (share_of(piece as f32), share_of(piece as f32 + 1.0));
            let end = self.at(shares.1);
            let hit = self.enter_piece((start, end), shares, HALVINGS);
            if let Some(hit) = hit.and_then(|(hit, shares)| refine(hit, shares)) {
                return Some(hit);
            }
            start = end;
        }
        None
    }

    /// Returns the entry of a piece of the path between two points and fractions, and the fractions of the
    /// part that enters. A piece is halved if its chord passes the surface at less than the distance between
    /// chord and arc.
    fn enter_piece(
        &self,
        (start, end): (Vec3, Vec3),
        shares: (f32, f32),
        halvings: u32,
    ) -> Option<(Hit, (f32, f32))> {
        if let Some(hit) = self.body.enter((start, self.is_held), end, None) {
            return Some((Hit { share: shares.0 + (shares.1 - shares.0) * hit.share, ..hit }, shares));
        }
        let part = shares.1 - shares.0;
        let turn = self.body.turn_angle() * (1.0 - self.since) * part;
        let way = (self.last - self.first).length() * part;
        let far = start.length().max(end.length()) + way;
        // An eighth of the second derivative along the path.
        let bulge = 0.125 * turn * (turn * far + 2.0 * way);
        let middle = start.midpoint(end);
        let reach = 0.5 * start.distance(end) + bulge;
        if halvings == 0 || bulge <= ARC_ROUNDING * far || !self.body.may_reach(middle, reach) {
            return None;
        }
        let is_near = |shape: &Shape| {
            shape.surface_within(middle, reach).is_some_and(|surface| surface.distance < reach)
        };
        let near = self.body.solids_for(self.is_held).any(|(_, shape)| is_near(shape));
        if !near {
            return None;
        }
        let half = 0.5 * (shares.0 + shares.1);
        let between = self.at(half);
        self.enter_piece((start, between), (shares.0, half), halvings - 1)
            .or_else(|| self.enter_piece((between, end), (half, shares.1), halvings - 1))
    }
}

/// Returns the entry; start, end and result are in the body's axes.
fn entry(number: u32, shape: &Shape, from: Vec3, end: Vec3) -> Option<Hit> {
    let (start, end) = (shape.pose.to_local(from), shape.pose.to_local(end));
    let convex = shape.geometry.queries();
    let entry = convex.entry(start, end)?;
    let mut point = start.lerp(end, entry.share);
    // After a long path, the point is known to the round-off of that path; the remaining distance to the
    // surface is known to that of the point itself.
    let near = ENTRY_ROUNDING * ((end - start).abs().max_element() + start.abs().max_element());
    if let Some(missing) = convex.exit(point, entry.normal).filter(|missing| missing.abs() <= near) {
        point += entry.normal * missing;
    }
    Some(Hit {
        share: entry.share,
        shape: number,
        point: shape.pose.to_world(point),
        normal: shape.pose.turn(entry.normal),
        from,
        enters: true,
    })
}

/// Returns the earlier of two hits of different bodies; ties go to the lower index.
pub(crate) fn earlier(a: (u32, Hit), b: (u32, Hit)) -> (u32, Hit) {
    if (b.1.share, b.0) < (a.1.share, a.0) { b } else { a }
}
