//! Distances between bodies, and between bodies and half-spaces: sheets answer each other unless they
//! intersect, and walls of holes confine no flow if their sheets would be in another hole.

use super::Bodies;
use crate::obstacle::Obstacle;
use crate::separation::{Placed, crossing, gap, overlap};
use crate::sheet::NearSheets;
use fluid_core::boundary::Inside;
use fluid_core::velocity::Mirror;
use glam::{DVec3, Vec3};

/// Fraction of its height by which a hole may reach into a half-space while its walls still confine flow
/// \[1\]: in physics engines, a body thrown on a floor may sink in for a frame, and walls that start to
/// confine flow stir the flow that others have left.
const SUNK: f64 = 0.25;

/// Distances, relative to the smaller of two bodies' radii, up to which they count as near, and from which on
/// they do not \[1\]: four boxes side by side need it up to .3, eight up to .5.
const NEAR: f32 = 0.3;
const NOT_NEAR: f32 = 0.8;

impl Bodies {
    /// Sets for each sheet the distance to other bodies, and to its own images in half-spaces.
    pub(super) fn keep_sheets_apart(&mut self) {
        for index in 0..self.list.len() {
            if self.list[index].has_walls() {
                self.look_around_hole(index);
            }
        }
        let ball =
            |obstacle: &Obstacle| (obstacle.pose().to_world(obstacle.ball().centre), obstacle.ball().radius);
        for index in 0..self.list.len() {
            let (place, radius) = ball(&self.obstacles.list()[index]);
            if !self.list[index].has_sheet() {
                continue;
            }
            let is_other = |other: &usize| *other != index && !self.obstacles.list()[*other].is_half_space();
            let gaps = (0..self.list.len()).filter(is_other).map(|other| {
                if self.obstacles.list()[other].is_level() {
                    return self.gap_to_level(other, place, radius);
                }
                let (at, reach) = ball(&self.obstacles.list()[other]);
                let is_around = self.obstacles.list()[other].is_container();
                if is_around && place.distance(at) < reach {
                    0.0
                } else {
                    place.distance(at) - reach - radius
                }
            });
            let has_images = !self.is_behind_walls(self.obstacles.list()[index].pose().position);
            let others = self.obstacles.list().iter().filter(|_| has_images);
            let mirrors = others.filter_map(|other| other.mirror_at(other.pose()));
            let images = mirrors.map(|mirror| 2.0 * (mirror.height(place) as f32 - radius));
            let gap = gaps.chain(images).fold(f32::INFINITY, f32::min);
            let overlap = if gap <= 0.0 { self.overlap(index, has_images) } else { 0.0 };
            let is_near = gap < NOT_NEAR * radius;
            let (count, distance) =
                if is_near { self.near_sheets(index, has_images) } else { (0.0, f32::INFINITY) };
            let body = &mut self.list[index];
            body.keep_apart(NearSheets { gap: gap / radius, overlap, count, distance });
            if overlap > 0.0 {
                for other in (0..self.list.len()).filter(|other| *other != index) {
                    self.dry(index, other, has_images);
                }
            }
        }
    }

    /// Leaves out the flow through the part of a body's sheet that is in another body, or in a half-space if
    /// it has images.
    fn dry(&mut self, index: usize, other: usize, has_images: bool) {
        let (own, obstacle) = (&self.obstacles.list()[index], &self.obstacles.list()[other]);
        let body = &mut self.list[index];
        if let Some(mirror) = obstacle.mirror_at(obstacle.pose()) {
            if has_images {
                body.dry(*own.pose(), |place| mirror.height(place) as f32);
            }
            return;
        }
        let place = |one: &Obstacle| one.pose().to_world(one.ball().centre);
        let is_near = place(own).distance(place(obstacle)) < own.ball().radius + obstacle.ball().radius;
        // A body in a container touches its fluid, not the solid around it.
        let is_held = obstacle.holes().contains(obstacle.pose().to_local(place(own)));
        if !is_near || is_held || obstacle.is_level() || overlap_of(own, obstacle) <= 0.0 {
            return;
        }
        body.dry(*own.pose(), |place| {
            let local = obstacle.pose().to_local(place);
            if !obstacle.may_reach(local, 0.0) {
                return f32::INFINITY;
            }
            let heights = obstacle.solids().map(|(_, shape)| shape.surface(local).distance);
            heights.fold(f32::INFINITY, f32::min)
        });
    }

    /// Returns the number of sheets near that of a body, images included \[1\]: each counts by how near it
    /// is, and smaller ones by their area, because they act on a part of the sheet. And the distance to the
    /// nearest of them \[m\].
    fn near_sheets(&self, index: usize, has_images: bool) -> (f32, f32) {
        let own = &self.obstacles.list()[index];
        let nearness =
            |gap: f32, radius: f32| ((NOT_NEAR - gap / radius) / (NOT_NEAR - NEAR)).clamp(0.0, 1.0);
        let place = |one: &Obstacle| one.pose().to_world(one.ball().centre);
        let (mut count, mut copies, mut nearest, radius) = (0.0, 1.0, f32::INFINITY, own.ball().radius);
        for (other, obstacle) in self.obstacles.list().iter().enumerate().filter(|(other, _)| *other != index)
        {
            let (reach, local) = (obstacle.ball().radius, obstacle.pose().to_local(place(own)));
            if let Some(mirror) = obstacle.mirror_at(obstacle.pose()).filter(|_| has_images) {
                let gap = 2.0 * height_of(own, &mirror) as f32;
                copies *= 1.0 + nearness(gap, radius);
                nearest = nearest.min(gap);
            } else if self.list[other].has_walls() && obstacle.holes().contains(local) {
                count += 1.0;
            } else if self.list[other].has_sheet() {
                let smaller = radius.min(reach);
                if place(own).distance(place(obstacle)) - radius - reach < NOT_NEAR * smaller {
                    let share = (smaller / radius) * (smaller / radius);
                    let gap = gap_between(own, obstacle) as f32;
                    count += share * nearness(gap, smaller);
                    nearest = nearest.min(gap);
                }
            }
        }
        // Images of neighbours are neighbours, too.
        ((1.0 + count) * copies - 1.0, nearest)
    }

    /// Returns the largest overlap of a body's solid shapes with those of others, relative to the width of
    /// the smaller, with walls of holes, and with half-spaces if it has images \[1\]. Bodies with their
    /// centre in level geometry overlap completely.
    fn overlap(&self, index: usize, has_images: bool) -> f32 {
        let own = &self.obstacles.list()[index];
        let (centre, radius) = (own.pose().to_world(own.ball().centre), own.ball().radius);
        let others = self.obstacles.list().iter().enumerate().filter(|(other, _)| *other != index);
        let overlaps = others.map(|(other, obstacle)| {
            if let Some(mirror) = obstacle.mirror_at(obstacle.pose()) {
                return if has_images { sunk(own, &mirror) } else { 0.0 };
            }
            if obstacle.is_level() {
                return if self.gap_to_level(other, centre, radius) < -radius { 1.0 } else { 0.0 };
            }
            let crossed = self.crossed(index, other);
            // A body in a container touches its fluid, not the solid around it.
            if obstacle.holes().contains(obstacle.pose().to_local(centre)) {
                return crossed;
            }
            let ball = obstacle.ball();
            let is_near = obstacle.pose().to_world(ball.centre).distance(centre) < radius + ball.radius;
            crossed.max(if is_near { overlap_of(own, obstacle) } else { 0.0 })
        });
        overlaps.fold(0.0, f64::max) as f32
    }

    /// Returns the largest part of a body's solids that is on the other side of a wall that another body's
    /// holes have a sheet on, relative to their width \[1\].
    fn crossed(&self, index: usize, other: usize) -> f64 {
        let own = &self.obstacles.list()[index];
        let holes = self.placed_holes(other);
        let pairs = holes.flat_map(|hole| {
            own.solids().map(move |(_, solid)| crossing(Placed::new(solid, own.pose()), hole))
        });
        pairs.fold(0.0, f64::max)
    }

    /// True if this position is in a hole with walls that confine flow, at the end of the last step.
    fn is_behind_walls(&self, place: Vec3) -> bool {
        let walled = self.list.iter().zip(self.obstacles.list()).filter(|(body, _)| body.holds_flow());
        let mut holes = walled.map(|(_, obstacle)| obstacle);
        holes.any(|obstacle| obstacle.holes().contains(obstacle.pose().to_local(place)))
    }

    /// Returns the distance \[m\] of a ball from a body with level geometry, which fills its bounding sphere
    /// badly; the search is limited to the ball's diameter.
    fn gap_to_level(&self, index: usize, place: Vec3, radius: f32) -> f32 {
        let surface = self.obstacles.list()[index].surface(place, 3.0 * radius);
        surface.map_or(2.0 * radius, |surface| surface.distance - radius)
    }

    /// Sets the distances around the walls of a hole.
    fn look_around_hole(&mut self, index: usize) {
        let near = 2.0 * self.core_radius;
        let own = &self.obstacles.list()[index];
        let (place, radius) = (own.pose().to_world(own.holes().ball().centre), own.holes().ball().radius);
        let others = self.obstacles.list().iter().zip(&self.list).enumerate();
        // Sheets on the walls of several holes answer each other, too.
        let has_several = self.list[index].walled_holes().nth(1).is_some();
        let (mut is_shared, mut is_held, mut distance) = (has_several, false, f32::INFINITY);
        for (other, (obstacle, body)) in others.filter(|(other, _)| *other != index) {
            if let Some(mirror) = obstacle.mirror_at(obstacle.pose()) {
                distance = distance.min(self.height_of_holes(index, &mirror));
                continue;
            }
            if obstacle.is_level() {
                is_held |= self.gap_to_level(other, place, radius) < 0.0;
                continue;
            }
            let ball = obstacle.ball();
            let gap = obstacle.pose().to_world(ball.centre).distance(place) - radius - ball.radius;
            is_shared |= gap < near && (body.has_sheet() || body.has_walls());
            if body.has_walls() {
                distance = distance.min(if gap < near { self.gap_between_holes(index, other) } else { gap });
            }
            is_held |= gap < 0.0 && obstacle.is_solid();
        }
        let body = &mut self.list[index];
        is_held |= body.has_solids_in_hole();
        let gap = if is_shared { 0.0 } else { f32::INFINITY };
        body.keep_apart(NearSheets { gap, overlap: 0.0, count: 0.0, distance: f32::INFINITY });
        body.hold_body(is_held);
        body.stand_apart(distance);
    }

    /// Returns the holes with walls of body `index` at the end of the last step.
    fn placed_holes(&self, index: usize) -> impl Iterator<Item = Placed<'_>> + Clone {
        let pose = self.obstacles.list()[index].pose();
        self.list[index].walled_holes().map(|hole| Placed::new(hole, pose))
    }

    /// Returns the space \[m\] for the walls of holes above a half-space: unlimited if only a small part of
    /// each hole is in the half-space, because the contents of a hole have no images there.
    fn height_of_holes(&self, index: usize, mirror: &Mirror) -> f32 {
        let height = |hole: Placed<'_>| {
            let (low, high) = hole.span(mirror.normal());
            let height = low - mirror.offset();
            if height >= -SUNK * (high - low) { f32::INFINITY } else { height as f32 }
        };
        self.placed_holes(index).map(height).fold(f32::INFINITY, f32::min)
    }

    /// Returns a lower bound of the distance \[m\] between the holes with walls of two bodies.
    fn gap_between_holes(&self, one: usize, other: usize) -> f32 {
        let gaps = |a| self.placed_holes(other).map(move |b| gap(a, b) as f32);
        self.placed_holes(one).flat_map(gaps).fold(f32::INFINITY, f32::min)
    }
}

/// Returns the depth of a body in a half-space, relative to its width along the normal \[1\].
fn sunk(body: &Obstacle, mirror: &Mirror) -> f64 {
    let (low, high) = span(body, mirror.normal());
    (mirror.offset() - low) / (high - low)
}

/// Returns the height \[m\] of a body above a half-space.
fn height_of(body: &Obstacle, mirror: &Mirror) -> f64 {
    span(body, mirror.normal()).0 - mirror.offset()
}

/// Returns the smallest and largest `normal · x` \[m\] over the points x of a body's solids.
fn span(body: &Obstacle, normal: DVec3) -> (f64, f64) {
    let spans = body.solids().map(|(_, shape)| Placed::new(shape, body.pose()).span(normal));
    spans.fold((f64::INFINITY, f64::NEG_INFINITY), |all, span| (all.0.min(span.0), all.1.max(span.1)))
}

/// Returns a lower bound of the distance \[m\] between the solid shapes of two bodies, negative if they
/// overlap.
fn gap_between(one: &Obstacle, other: &Obstacle) -> f64 {
    let pairs = one.solids().flat_map(|(_, a)| other.solids().map(move |(_, b)| (a, b)));
    pairs
        .map(|(a, b)| gap(Placed::new(a, one.pose()), Placed::new(b, other.pose())))
        .fold(f64::INFINITY, f64::min)
}

/// Returns the largest overlap of the solid shapes of two bodies, relative to the width of the smaller
/// \[1\].
fn overlap_of(one: &Obstacle, other: &Obstacle) -> f64 {
    let pairs = one.solids().flat_map(|(_, a)| other.solids().map(move |(_, b)| (a, b)));
    pairs.map(|(a, b)| overlap(Placed::new(a, one.pose()), Placed::new(b, other.pose()))).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::BodySettings;
    use crate::body::{BodyDef, BodyState};
    use crate::shapes::{Parity, Shape};
    use fluid_core::params::Params;

    /// Returns the overlap of a ball at `place` with a solid that has these other shapes.
    fn overlap_of_ball(place: Vec3, shapes: Vec<Shape>) -> f32 {
        let params = Params { core_radius: 0.1, ..Params::default() };
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        let state = BodyState { position: place, ..BodyState::default() };
        let ball =
            BodyDef { shapes: vec![Shape::sphere(0.2)], state, no_through: true, ..BodyDef::default() };
        bodies.add(ball).expect("a valid body");
        bodies.add(BodyDef { shapes, mass: f32::INFINITY, ..BodyDef::default() }).expect("a valid body");
        bodies.overlap(0, true)
    }

    /// In the cavity of a thick box a ball overlaps nothing; in its wall, in a full box and in a floor it
    /// does, by the part of its width that is inside.
    #[test]
    fn bodies_in_a_container_overlap_nothing() {
        let block = || Shape::cuboid(Vec3::splat(2.0));
        let cavity = Shape { parity: Parity::Hole, ..Shape::cuboid(Vec3::splat(1.0)) };
        let container = || vec![block(), cavity.clone()];
        assert_eq!(overlap_of_ball(Vec3::X * 0.3, container()), 0.0);
        assert!(overlap_of_ball(Vec3::X * 1.5, container()) > 1.0);
        // In the wall, a little in the cavity; in the cavity, a little in the wall; without a block, across.
        assert!(overlap_of_ball(Vec3::X * 1.19, container()) > 1.0);
        assert!((overlap_of_ball(Vec3::X * 0.81, container()) - 0.025).abs() < 1e-5);
        assert!((overlap_of_ball(Vec3::X * 0.9, vec![cavity.clone()]) - 0.25).abs() < 1e-5);
        assert!((overlap_of_ball(Vec3::X * 1.1, vec![cavity.clone()]) - 0.25).abs() < 1e-5);
        assert!(overlap_of_ball(Vec3::X * 0.8, container()) < 1e-6);
        assert!(overlap_of_ball(Vec3::X * 1.2, vec![cavity.clone()]) < 1e-6);
        assert!(overlap_of_ball(Vec3::X * 0.3, vec![block()]) > 1.0);
        assert!((overlap_of_ball(Vec3::X * 2.1, vec![block()]) - 0.25).abs() < 1e-5);
        assert_eq!(overlap_of_ball(Vec3::X * 2.3, vec![block()]), 0.0);
        let in_floor = overlap_of_ball(Vec3::Z * 0.1, vec![Shape::half_space()]);
        assert!((in_floor - 0.25).abs() < 1e-5, "{in_floor}");
    }
}
