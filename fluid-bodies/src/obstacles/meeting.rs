//! What becomes of one particle that meets bodies on its path.

use super::{Obstacle, Obstacles};
use crate::broad_phase::NearBodies;
use crate::sweep::{Hit, Way, earlier};
use fluid_core::boundary::Touch;
use glam::Vec3;
use std::f32::consts::TAU;

/// Hits of a particle per step \[1\] after which it stays at the next surface that it meets.
const MOST_HITS: u32 = 6;
/// Number of exits from shapes \[1\] after which the step beyond each exit doubles: the loop ends, whatever
/// the shapes return.
const EXITS_BEFORE_DOUBLING: i32 = 64;
/// Directions along a wall, or along the surface of another body, in which a particle may leave a body
/// \[1\].
const WAYS_ALONG: u32 = 8;
/// Least sine of the angle between a half-space's surface and a ray that leaves it \[1\]: flatter rays end
/// far away.
const LEAST_CLIMB: f32 = 0.1;

impl Obstacles {
    /// Moves one particle along its path; `near` holds all bodies near it.
    pub(crate) fn meet_one(&self, near: &NearBodies, way: Way, after: &mut Vec3) -> Option<Touch> {
        let mut close = false;
        let mut first = None;
        self.visit_near(near, &way, |body| {
            let obstacle = &self.list[body as usize];
            if obstacle.is_solid() && obstacle.may_meet_way(way.start, way.end) {
                close = true;
                first = first_of(first, body, obstacle.sweep(&way));
            }
        });
        let (mut place, mut touch) = (way.end, None);
        // True once it has met a body that is no thin wall.
        let mut is_pushed = false;
        if close {
            if let Some(first) = first {
                (place, touch) = self.bounce(first, way, &mut is_pushed);
            }
            (place, touch) = self.leave(&way, place, touch, &mut is_pushed);
            if self.open > 0 && is_pushed {
                (place, touch) = self.stay_before_thin_walls(&way, place, touch);
            }
        }
        if self.containers > 0 {
            (place, touch) = self.stay_in(near, &way, place, touch);
        }
        if touch.is_some() && place.is_finite() {
            *after = place;
        }
        touch
    }

    /// Moves a particle that other bodies have pushed through a thin wall back in front of it. If that is in
    /// one of those bodies, it leaves that body along the wall.
    fn stay_before_thin_walls(&self, way: &Way, place: Vec3, touch: Option<Touch>) -> (Vec3, Option<Touch>) {
        if !place.is_finite() {
            return (place, touch);
        }
        let pushed = Way { end: place, ..*way };
        let mut first = None;
        self.visit(way.start.min(place), way.start.max(place), |body| {
            let obstacle = &self.list[body as usize];
            if obstacle.is_open() && obstacle.may_meet_way(way.start, place) {
                first = first_of(first, body, obstacle.sweep(&pushed).filter(|hit| hit.enters));
            }
        });
        let Some((body, hit)) = first else { return (place, touch) };
        let obstacle = &self.list[body as usize];
        let before = obstacle.pose().to_world(obstacle.put_down(&hit, self.skin_at(obstacle, place)));
        let touch = touch_of(body, obstacle, hit.point, hit.normal);
        let out = self.way_along(way, before, touch.normal).map_or(before, |(_, out)| out);
        (out, Some(touch))
    }

    /// Returns the shortest way out of the body that contains a particle, along a wall with this `normal`:
    /// its length and end \[m\]; `None` if each way leads into another body or through a thin wall.
    fn way_along(&self, way: &Way, place: Vec3, normal: Vec3) -> Option<(f32, Vec3)> {
        let (body, number) = self.holder(way, place)?;
        let obstacle = &self.list[body as usize];
        let shape = &obstacle.shapes()[number as usize];
        if shape.is_level() {
            return None;
        }
        let (across, up) = normal.any_orthonormal_pair();
        let start = shape.pose.to_local(obstacle.pose().to_local(place));
        let skin = self.skin_at(obstacle, place);
        let exit = |number: u32| {
            let (sin, cos) = libm::sincosf(TAU * number as f32 / WAYS_ALONG as f32);
            let along = across * cos + up * sin;
            let ray = shape.pose.turn_back(obstacle.pose().turn_back(along));
            let exit = shape.geometry.queries().exit(start, ray)?;
            Some((exit, place + along * (exit + skin)))
        };
        let mut ways: [Option<(f32, Vec3)>; WAYS_ALONG as usize] =
            std::array::from_fn(|number| exit(number as u32));
        ways.sort_by(|a, b| a.map_or(f32::INFINITY, |a| a.0).total_cmp(&b.map_or(f32::INFINITY, |b| b.0)));
        let is_free = |out: Vec3| {
            let is_outside = out.is_finite() && self.holder(way, out).is_none();
            is_outside && self.is_held_at(way, out) && !self.is_walled_off(place, out)
        };
        ways.into_iter().flatten().find(|&(_, out)| is_free(out))
    }

    /// True if each hole that held the start of a path holds this position, too.
    fn is_held_at(&self, way: &Way, place: Vec3) -> bool {
        self.containers == 0
            || self.list.iter().all(|obstacle| obstacle.hold((way.start, way.since), place, 0.0).is_none())
    }

    /// True if a thin wall is between two positions at the end of the step.
    fn is_walled_off(&self, from: Vec3, to: Vec3) -> bool {
        let mut is_walled_off = false;
        self.visit(from.min(to), from.max(to), |body| {
            let obstacle = &self.list[body as usize];
            let way = Way { start: from, end: to, since: 1.0 };
            is_walled_off |= obstacle.is_open() && obstacle.sweep(&way).is_some();
        });
        is_walled_off
    }

    /// Moves a particle back into the containers that held the start of its path, and out of the solids
    /// there.
    fn stay_in(
        &self,
        near: &NearBodies,
        way: &Way,
        place: Vec3,
        touch: Option<Touch>,
    ) -> (Vec3, Option<Touch>) {
        let (mut place, mut touch) = (place, touch);
        for _ in 0..MOST_HITS {
            let mut held = None;
            self.visit_near(near, way, |body| {
                let obstacle = &self.list[body as usize];
                if held.is_none() {
                    let back = obstacle.hold((way.start, way.since), place, self.skin_at(obstacle, place));
                    held = back.map(|(place, wall)| (body, place, wall));
                }
            });
            let Some((body, back, wall)) = held.filter(|(_, back, _)| back.is_finite()) else { break };
            let velocity = self.list[body as usize].velocity_at(wall.point);
            touch = Some(Touch { body, point: wall.point, normal: wall.normal, velocity });
            let (out, left) = self.leave(way, back, touch, &mut false);
            (place, touch) = (out, left);
            if out == back {
                break;
            }
        }
        (place, touch)
    }

    /// Slides along the face hit first, then along the faces hit after it. Returns the end position, which
    /// may be inside a body, and the last touch. Sets `is_pushed` if a body is no thin wall.
    fn bounce(&self, first: (u32, Hit), way: Way, is_pushed: &mut bool) -> (Vec3, Option<Touch>) {
        let (mut next, mut way, mut touch) = (Some(first), way, None);
        for hits in 1.. {
            let Some((body, hit)) = next else { break };
            let obstacle = &self.list[body as usize];
            *is_pushed |= !obstacle.is_open();
            let since = way.since + (1.0 - way.since) * hit.share;
            let skin = self.skin_at(obstacle, way.end);
            let local_start = obstacle.put_down(&hit, skin);
            let lift = skin - hit.normal.dot(obstacle.pose().to_local(way.end) - hit.point);
            let end = if hits > MOST_HITS {
                obstacle.pose().to_world(local_start)
            } else if lift > 0.0 {
                way.end + obstacle.pose().turn(hit.normal) * lift
            } else {
                way.end
            };
            if !end.is_finite() {
                break;
            }
            // A particle inside that is already on its way out is left alone.
            if hit.enters || end != way.end {
                touch = Some(touch_of(body, obstacle, hit.point, hit.normal));
            }
            let start = obstacle.pose_at(since).to_world(local_start);
            way = Way { start, end, since };
            if hits > MOST_HITS {
                break;
            }
            next = self.next_hit(&way, (body, hit.shape), local_start);
        }
        (way.end, touch)
    }

    /// Returns the hit after a hit. Relative to the body just hit, the path is straight in that body's axes,
    /// in front of the face that was hit.
    fn next_hit(&self, way: &Way, (met, shape): (u32, u32), local_start: Vec3) -> Option<(u32, Hit)> {
        let mut first = None;
        let (low, high) = (way.start.min(way.end), way.start.max(way.end));
        self.visit(low, high, |body| {
            let obstacle = &self.list[body as usize];
            let hit = if body == met {
                let embedded = obstacle.embedded(local_start, Some(shape));
                // A path that slides along a convex shape does not enter it again.
                let but = (!obstacle.shapes()[shape as usize].is_level()).then_some(shape);
                embedded.or_else(|| {
                    let start = (local_start, obstacle.is_in_hollow(local_start));
                    obstacle.enter(start, obstacle.pose().to_local(way.end), but)
                })
            } else {
                obstacle.sweep(way)
            };
            first = first_of(first, body, hit);
        });
        first
    }

    /// Moves a particle out of all shapes that contain it, along the normal of the last touch or else of the
    /// first shape found here. A line leaves each convex shape once, so the loop ends. It leaves a half-space
    /// along the half-space's normal if the line does not lead out of it, and level geometry along the normal
    /// of its nearest surface. Squeezed between two bodies, it leaves along the surface of the first if that
    /// way is shorter.
    fn leave(
        &self,
        way: &Way,
        place: Vec3,
        touch: Option<Touch>,
        is_pushed: &mut bool,
    ) -> (Vec3, Option<Touch>) {
        let (mut place, mut touch) = (place, touch);
        let mut direction = touch.map(|touch| touch.normal);
        for round in 0.. {
            let Some((body, shape)) = self.holder(way, place) else { break };
            *is_pushed = true;
            let obstacle = &self.list[body as usize];
            let local = obstacle.pose().to_local(place);
            let shape = &obstacle.shapes()[shape as usize];
            let surface = obstacle.in_world(shape.surface(local));
            let mut along = *direction.get_or_insert(surface.normal);
            let climbs = along.dot(surface.normal) >= LEAST_CLIMB;
            if shape.is_level() || (obstacle.is_half_space() && !climbs) {
                // A ray into a half-space never leaves it; its normal leads out of every shape. A shape that
                // is not convex has a short exit only to its nearest surface.
                along = surface.normal;
                direction = Some(along);
            }
            let (start, ray) =
                (shape.pose.to_local(local), shape.pose.turn_back(obstacle.pose().turn_back(along)));
            let exit = if shape.is_level() {
                -surface.distance
            } else {
                shape.geometry.queries().exit(start, ray).unwrap_or(0.0).max(0.0)
            };
            // Squeezed between two bodies, it leaves along the surface of the first.
            let is_squeezed = touch.is_some_and(|touch| touch.body != body);
            let beside = if is_squeezed { self.way_along(way, place, along) } else { None };
            if let Some((_, out)) = beside.filter(|&(length, _)| length < exit) {
                let point = shape.surface(obstacle.pose().to_local(out));
                return (out, Some(touch_of(body, obstacle, point.point, point.normal)));
            }
            let skin =
                self.skin_at(obstacle, place) * f32::exp2((round - EXITS_BEFORE_DOUBLING).max(0) as f32);
            let out = place + along * (exit + skin);
            if !out.is_finite() {
                break;
            }
            place = out;
            let point = shape.surface(obstacle.pose().to_local(place));
            touch = Some(touch_of(body, obstacle, point.point, point.normal));
        }
        (place, touch)
    }

    /// Returns the shape that contains a position most deeply at the end of the step. Hollow shapes do not
    /// count for a particle that has started in their hole: it is moved back there.
    fn holder(&self, way: &Way, place: Vec3) -> Option<(u32, u32)> {
        let mut deepest: Option<(f32, (u32, u32))> = None;
        self.visit(place, place, |body| {
            let obstacle = &self.list[body as usize];
            let local = obstacle.pose().to_local(place);
            if !obstacle.may_reach(local, 0.0) {
                return;
            }
            let is_held = obstacle.is_container() && obstacle.holds(way.start, way.since);
            for (number, shape) in obstacle.solids_for(is_held) {
                let Some(surface) = shape.surface_if_inside(local) else { continue };
                let candidate = (surface.distance, (body, number));
                if deepest.is_none_or(|deepest| candidate < deepest) {
                    deepest = Some(candidate);
                }
            }
        });
        deepest.map(|(_, holder)| holder)
    }
}

fn first_of(first: Option<(u32, Hit)>, body: u32, hit: Option<Hit>) -> Option<(u32, Hit)> {
    let hit = hit.map(|hit| (body, hit));
    match (first, hit) {
        (Some(a), Some(b)) => Some(earlier(a, b)),
        (first, hit) => first.or(hit),
    }
}

/// Returns the touch at a point in the body's axes.
fn touch_of(body: u32, obstacle: &Obstacle, point: Vec3, normal: Vec3) -> Touch {
    let point = obstacle.pose().to_world(point);
    Touch { body, point, normal: obstacle.pose().turn(normal), velocity: obstacle.velocity_at(point) }
}
