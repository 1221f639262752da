//! Where a particle's way first meets one body that moves and turns.
//!
//! All is done in the body's axes, about the body: there the body stands still, and the way is a curve if the
//! body turns.

use crate::obstacle::Obstacle;
use crate::shapes::{Shape, Surface};
use fluid_core::math::rotation::rotate_back;
use glam::Vec3;

/// A particle's way during the rest of a step: straight in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Way {
    /// Where it begins \[m\].
    pub start: Vec3,
    /// Where it ends \[m\], at the end of the step.
    pub end: Vec3,
    /// Share of the step that is over when it begins, 0 to 1. With 1, the bodies stand where they are at the
    /// end of the step.
    pub since: f32,
}

/// Where a way meets a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Share of the way, 0 to 1.
    pub share: f32,
    /// Number of the shape.
    pub shape: u32,
    /// The point of the surface \[m\], in the body's axes.
    pub point: Vec3,
    /// Unit normal of the surface there, outwards, in the body's axes. The shape is behind the plane through
    /// `point`.
    pub normal: Vec3,
    /// Where the straight piece of the way begins that meets the body \[m\], in the body's axes.
    pub from: Vec3,
    /// True if the way enters the shape there; false if it starts inside, and `point` is the surface nearest
    /// to its start.
    pub enters: bool,
}

/// Angle \[rad\] by which a body turns during one straight piece of a way, at first: pieces that pass a
/// surface nearer than a chord leaves its arc are halved.
const PIECE_ANGLE: f32 = 0.05;
/// Pieces into which a piece that enters is cut again \[1\], for the time at which it does: chords come
/// nearer to the arc by its square.
const REFINEMENT: f32 = 8.0;
/// Most pieces of a way \[1\]; a half turn takes 63.
const MOST_PIECES: f32 = 128.0;
/// A chord that leaves its arc by less than this share of the distance from the axis \[1\] is the arc.
const ARC_ROUNDING: f32 = 8.0 * f32::EPSILON;
/// Most times that a piece is halved \[1\]: each makes it four times as exact.
const HALVINGS: u32 = 8;
/// How far the end of an entry may be from the surface, as a share of the way and of its coordinates \[1\],
/// and still be put onto it.
const ENTRY_ROUNDING: f32 = 64.0 * f32::EPSILON;

impl Obstacle {
    /// Where a way first meets the body on its own way through the step; None if it does not. A way that
    /// starts inside of a shape meets it at once, at the surface nearest to its start, of several shapes that
    /// of the deepest.
    pub fn sweep(&self, way: &Way) -> Option<Hit> {
        if !self.may_meet_way(way.start, way.end) {
            return None;
        }
        let begin = self.pose_at(way.since);
        // About the body, which may be far from the origin of the world.
        let curve = Curve {
            body: self,
            since: way.since,
            first: way.start - begin.position,
            last: way.end - self.pose().position,
        };
        if let Some(hit) = self.embedded(curve.at(0.0), None) {
            return Some(hit);
        }
        let angle = self.turn_angle() * (1.0 - way.since);
        let pieces = (angle / PIECE_ANGLE).ceil().clamp(1.0, MOST_PIECES);
        curve.enter((0.0, 1.0), pieces, |hit, piece| {
            if angle > 0.0 { curve.enter(piece, REFINEMENT, |hit, _| Some(hit)) } else { Some(hit) }
        })
    }

    /// Where a way that is straight in the body's axes first enters a shape other than `but`.
    pub(crate) fn enter(&self, start: Vec3, end: Vec3, but: Option<u32>) -> Option<Hit> {
        if !self.ball().meets_way(start, end) {
            return None;
        }
        let others = self.solids().filter(|&(number, _)| Some(number) != but);
        others
            .filter_map(|(number, shape)| entry(number, shape, start, end))
            .reduce(|a, b| if b.share < a.share { b } else { a })
    }

    /// The way out for a place in the body's axes that is inside of a shape other than `but`; the deepest
    /// one's if there are several.
    pub(crate) fn embedded(&self, place: Vec3, but: Option<u32>) -> Option<Hit> {
        if !self.may_reach(place, 0.0) {
            return None;
        }
        let others = self.solids().filter(|&(number, _)| Some(number) != but);
        let inside = others.filter_map(|(number, shape)| Some((number, shape.surface_if_inside(place)?)));
        let (shape, surface) = inside.reduce(|a, b| if b.1.distance < a.1.distance { b } else { a })?;
        let Surface { point, normal, .. } = surface;
        Some(Hit { share: 0.0, shape, point, normal, from: place, enters: false })
    }

    /// Where a particle is put down \[m\], in the body's axes, that has met it: `skin` \[m\] in front of the
    /// surface. Where other parts of the same surface may be as near, on the way that has led there, which
    /// has met none of them.
    pub(crate) fn put_down(&self, hit: &Hit, skin: f32) -> Vec3 {
        let height = (hit.from - hit.point).dot(hit.normal);
        if !self.shapes()[hit.shape as usize].is_level() || !hit.enters {
            return hit.point + hit.normal * skin;
        }
        if height > skin { hit.point + (hit.from - hit.point) * (skin / height) } else { hit.from }
    }
}

/// A way in the axes of a body that may turn.
struct Curve<'a> {
    body: &'a Obstacle,
    since: f32,
    /// Start and end \[m\], seen from the body's origin at that time, in the world's axes.
    first: Vec3,
    last: Vec3,
}

impl Curve<'_> {
    /// After a share of the way, in the body's axes.
    fn at(&self, share: f32) -> Vec3 {
        let rotation = self.body.pose_at(self.since + (1.0 - self.since) * share).rotation;
        rotate_back(rotation, self.first.lerp(self.last, share))
    }

    /// Cuts the part between two shares into straight pieces and gives the first that enters to `refine`,
    /// with its shares; where that denies it, the next one. Both ends of a piece are on the curve, so what
    /// has gone in is never missed.
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

    /// Where the piece of the way from one place and share to another enters, and the shares of the part that
    /// does. Where its chord passes nearer to the surface than it leaves its arc, it is halved.
    fn enter_piece(
        &self,
        (start, end): (Vec3, Vec3),
        shares: (f32, f32),
        halvings: u32,
    ) -> Option<(Hit, (f32, f32))> {
        if let Some(hit) = self.body.enter(start, end, None) {
            return Some((Hit { share: shares.0 + (shares.1 - shares.0) * hit.share, ..hit }, shares));
        }
        let part = shares.1 - shares.0;
        let turn = self.body.turn_angle() * (1.0 - self.since) * part;
        let way = (self.last - self.first).length() * part;
        let far = start.length().max(end.length()) + way;
        // Of the second derivative along the way, an eighth.
        let bulge = 0.125 * turn * (turn * far + 2.0 * way);
        let middle = start.midpoint(end);
        let reach = 0.5 * start.distance(end) + bulge;
        if halvings == 0 || bulge <= ARC_ROUNDING * far || !self.body.may_reach(middle, reach) {
            return None;
        }
        let is_near = |shape: &Shape| {
            shape.surface_within(middle, reach).is_some_and(|surface| surface.distance < reach)
        };
        let near = self.body.solids().any(|(_, shape)| is_near(shape));
        if !near {
            return None;
        }
        let half = 0.5 * (shares.0 + shares.1);
        let between = self.at(half);
        self.enter_piece((start, between), (shares.0, half), halvings - 1)
            .or_else(|| self.enter_piece((between, end), (half, shares.1), halvings - 1))
    }
}

/// In the body's axes, as start and end are.
fn entry(number: u32, shape: &Shape, from: Vec3, end: Vec3) -> Option<Hit> {
    let (start, end) = (shape.pose.to_local(from), shape.pose.to_local(end));
    let convex = shape.geometry.queries();
    let entry = convex.entry(start, end)?;
    let mut point = start.lerp(end, entry.share);
    // After a long way, the point is known to the rounding of that way; what is left to the surface is known
    // to the point's own.
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

/// Of two hits of different bodies the first one; of two at once, that of the lower body.
pub(crate) fn earlier(a: (u32, Hit), b: (u32, Hit)) -> (u32, Hit) {
    if (b.1.share, b.0) < (a.1.share, a.0) { b } else { a }
}
