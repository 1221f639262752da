//! Bodies as moving obstacles, frozen for a step: what particles are swept against.
//!
//! A particle's way picks the face ("bullet through paper", part 13): the first face that it enters stops it,
//! and what is left of its motion slides in the plane of that face. Each way is swept against all bodies near
//! it, and what still is inside of one afterwards leaves along a ray.

use crate::broad_phase::{Cells, Near};
use crate::pose::Pose;
use crate::shapes::{Shape, Surface};
use crate::sweep::{Hit, Way, earlier};
use fluid_core::boundary::{Surfaces, Touch};
use fluid_core::math::{box_around, corners_of};
use fluid_core::saved::{LoadError, Reader, Saved};
use glam::Vec3;
use std::sync::Arc;

pub use crate::obstacle::{Ball, Obstacle};

/// How the bodies near a particle are found. Results do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BroadPhase {
    /// By the cells of a grid.
    #[default]
    Cells,
    /// All bodies are looked at: what the cells are checked against.
    EveryBody,
}

/// All bodies of a world as obstacles.
#[derive(Debug, Clone, Default)]
pub struct Obstacles {
    list: Vec<Obstacle>,
    /// Distance \[m\] from the surface at which particles are put down.
    skin: f32,
    broad_phase: BroadPhase,
    cells: Cells,
    /// How many of them have holes.
    containers: usize,
    /// False if bodies have come, gone or been placed since the cells were made: then all are looked at.
    cells_are_valid: bool,
}

/// Particles that are looked up together \[1\]: enough to share the cost of the cells, few enough to be close
/// together once sorted.
const BLOCK: usize = 64;
/// Hits of a particle in a step, after which it stays where it has met the next surface.
const MOST_HITS: u32 = 6;
/// How much farther the nearest surface is looked for where none has been found \[1\]: a box of twice the
/// edge has 8 times as many bodies in it.
const FARTHER: f32 = 2.0;
/// Least distance at which particles are put down, as a share of their and their body's coordinates and of
/// the size of the body \[1\]: a place is known to half an `f32::EPSILON` of its coordinates, and must be
/// outside whatever the rounding on the way to the body's axes.
const PLACE_ROUNDING: f32 = 2.0 * f32::EPSILON;
const SIZE_ROUNDING: f32 = 8.0 * f32::EPSILON;
/// Rays that leave one shape after the other take steps that double after so many \[1\]: there is an end,
/// whatever the shapes answer.
const PATIENCE: i32 = 64;
/// Least sine of the angle between a half-space's surface and a ray that leaves it \[1\]: flatter ones go far
/// away.
const LEAST_CLIMB: f32 = 0.1;

impl Obstacles {
    /// None yet. `skin` \[m\] is the distance from a surface at which particles are put down; where `f32`
    /// cannot tell that from the surface, the least that it can.
    pub fn new(skin: f32) -> Self {
        Self { skin, ..Self::default() }
    }

    /// The same, found in another way.
    pub fn with_broad_phase(self, broad_phase: BroadPhase) -> Self {
        Self { broad_phase, ..self }
    }

    /// Becomes equal to `other`; allocates only to grow.
    pub fn copy_from(&mut self, other: &Self) {
        self.list.clone_from(&other.list);
        (self.skin, self.broad_phase) = (other.skin, other.broad_phase);
        self.containers = other.containers;
        self.refresh();
    }

    /// Adds one at the end of the list.
    pub fn push(&mut self, obstacle: Obstacle) {
        self.containers += usize::from(obstacle.is_container());
        self.list.push(obstacle);
        self.cells_are_valid = false;
    }

    /// Takes one out; those behind it move up.
    pub fn remove(&mut self, index: usize) -> Obstacle {
        let obstacle = self.list.remove(index);
        self.containers -= usize::from(obstacle.is_container());
        self.cells_are_valid = false;
        obstacle
    }

    /// Puts one before another in the list.
    pub(crate) fn insert(&mut self, index: usize, obstacle: Obstacle) {
        self.containers += usize::from(obstacle.is_container());
        self.list.insert(index, obstacle);
        self.cells_are_valid = false;
    }

    /// Exchanges two of them.
    pub(crate) fn swap(&mut self, a: usize, b: usize) {
        self.list.swap(a, b);
        self.cells_are_valid = false;
    }

    /// Loads where one is that has these shapes. To be [refreshed](Self::refresh) after the last.
    pub(crate) fn load_one(&mut self, index: usize, from: &mut Reader<'_>) -> Result<(), LoadError> {
        self.cells_are_valid = false;
        self.list[index].load(from)
    }

    /// Gives one other shapes.
    pub fn set_shapes(&mut self, index: usize, shapes: Arc<[Shape]>) {
        let obstacle = &mut self.list[index];
        self.containers -= usize::from(obstacle.is_container());
        obstacle.set_shapes(shapes);
        self.containers += usize::from(obstacle.is_container());
        self.cells_are_valid = false;
    }

    /// Velocity \[m/s\] with which a container carries what is at `place` \[m\] at the end of the step.
    pub(crate) fn carried(&self, place: Vec3) -> Vec3 {
        if self.containers == 0 {
            return Vec3::ZERO;
        }
        let held = self.list.iter().find(|obstacle| obstacle.holds(place, 1.0));
        held.map_or(Vec3::ZERO, |obstacle| {
            obstacle.velocity_at(obstacle.pose().to_world(obstacle.ball().centre))
        })
    }

    /// The obstacles, in order.
    pub fn list(&self) -> &[Obstacle] {
        &self.list
    }

    /// Puts one somewhere, without a way there.
    pub fn place(&mut self, index: usize, pose: Pose) {
        self.list[index].place(pose);
        self.cells_are_valid = false;
    }

    /// Begins a step: obstacle `i` goes from where it is to `motions(i)`: pose at the end, velocity \[m/s\]
    /// and angular velocity \[rad/s\].
    pub fn advance(&mut self, mut motions: impl FnMut(usize) -> (Pose, Vec3, Vec3)) {
        for (index, obstacle) in self.list.iter_mut().enumerate() {
            let (to, velocity, angular_velocity) = motions(index);
            obstacle.advance(to, velocity, angular_velocity);
        }
        self.refresh();
    }

    /// The place `origin` \[m\] becomes the origin: where bodies are, and where they have come from.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.list.iter_mut().for_each(|obstacle| obstacle.shift_origin(origin));
        if self.cells_are_valid {
            self.refresh();
        }
    }

    /// Makes lookups fast again after bodies have come, gone or been placed; [`advance`](Self::advance) does
    /// this too.
    pub fn refresh(&mut self) {
        self.cells_are_valid = self.broad_phase == BroadPhase::Cells;
        if self.cells_are_valid {
            self.cells.rebuild(self.list.iter().map(|obstacle| *obstacle.swept()));
        }
    }

    /// The nearest surface less than `reach` \[m\] away from `place`, at the end of the step, and the number
    /// of its body. Distance is negative inside.
    pub fn nearest(&self, place: Vec3, reach: f32) -> Option<(u32, Surface)> {
        let mut nearest = None;
        let around = Vec3::splat(reach.max(0.0));
        self.visit(place - around, place + around, |body| self.nearer(body, place, reach, &mut nearest));
        nearest
    }

    /// As [`nearest`](Self::nearest), for a `reach` in which many bodies may be: looks near first.
    pub fn nearest_of_many(&self, place: Vec3, reach: f32) -> Option<(u32, Surface)> {
        let mut part = if self.cells_are_valid { self.cells.longest_edge() } else { f32::INFINITY };
        while part < reach {
            // What is found within a part of the reach is the nearest.
            let found = self.nearest(place, part);
            if found.is_some() {
                return found;
            }
            part *= FARTHER;
        }
        self.nearest(place, reach)
    }

    /// True if `place` is inside of a solid at the end of the step, or less than `margin` \[m\] outside of
    /// one to which fluid sticks. Walls of containers do not count, nor what is behind them.
    pub(crate) fn is_near_a_solid(&self, place: Vec3, margin: f32) -> bool {
        let mut near = false;
        self.visit(place - margin, place + margin, |body| {
            let obstacle = &self.list[body as usize];
            let local = obstacle.pose().to_local(place);
            let margin = if obstacle.is_half_space() { 0.0 } else { margin };
            near |= obstacle.may_reach(local, margin)
                && obstacle.solids().any(|(_, shape)| {
                    shape.surface_within(local, margin).is_some_and(|surface| {
                        let point = || obstacle.pose().to_world(surface.point);
                        surface.distance < margin
                            && (self.containers == 0 || !self.is_behind_a_wall(place, (body, point())))
                    })
                });
        });
        near
    }

    /// True if `place` is inside of a body at the end of the step.
    pub fn contains(&self, place: Vec3) -> bool {
        self.nearest(place, 0.0).is_some()
    }

    /// The numbers of those places that are inside of a body at the end of the step or less than `margin`
    /// \[m\] outside of it. Places that are not finite are in no body.
    pub fn embedded(
        &self,
        places: impl IntoIterator<Item = Vec3>,
        margin: f32,
    ) -> impl Iterator<Item = usize> {
        let numbered = places.into_iter().enumerate();
        numbered
            .filter(move |(_, place)| place.is_finite() && self.nearest(*place, margin).is_some())
            .map(|(row, _)| row)
    }

    /// As [`keep_out`](Surfaces::keep_out), with the bodies standing where they are at the end of the step:
    /// for particles that are moved once more after they have met them.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn keep_out_at_end(&self, before: &[Vec3], after: &mut [Vec3]) {
        self.meet_each(before, after, 1.0, |_, _| {});
    }

    /// The bodies that may be less than `reach` \[m\] from the ways of a block of particles.
    pub(crate) fn near(&self, before: &[Vec3], after: &[Vec3], reach: f32) -> Near {
        let (starts, ends) = (box_around(before), box_around(after));
        self.near_box(starts.0.min(ends.0) - reach, starts.1.max(ends.1) + reach)
    }

    /// Those of the bodies near a block of particles that may be less than `reach` \[m\] from the way of one
    /// of them. Only level geometry is asked, which is near many blocks and few of their particles.
    pub(crate) fn near_of(&self, near: &Near, way: &Way, reach: f32) -> Near {
        let Some(bodies) = near.list() else { return *near };
        let (low, high) = (way.start.min(way.end) - reach, way.start.max(way.end) + reach);
        let mut own = Near::NONE;
        for &body in bodies {
            let obstacle = &self.list[body as usize];
            if !obstacle.is_level() || obstacle.may_meet_box(low, high) {
                own.push(body);
            }
        }
        own
    }

    fn near_box(&self, low: Vec3, high: Vec3) -> Near {
        let mut near = Near::NONE;
        self.visit(low, high, |body| near.push(body));
        near
    }

    /// True only if all that ends its way in this box \[m\] stays where it is: no solid is near, and every
    /// container that is holds the whole box off its walls.
    fn leaves_alone(&self, near: &Near, ends: (Vec3, Vec3)) -> bool {
        let Some(bodies) = near.list() else { return false };
        let corners = corners_of(ends);
        let farthest = ends.0.abs().max(ends.1.abs());
        bodies.iter().all(|&body| {
            let obstacle = &self.list[body as usize];
            !obstacle.is_solid() && obstacle.holds_hull(&corners, self.skin_at(obstacle, farthest))
        })
    }

    /// As [`nearest`](Self::nearest), of the bodies in `near` to which fluid sticks: not half-spaces, and not
    /// what is behind the wall of a container that holds the place.
    pub(crate) fn nearest_sticky(&self, near: &Near, place: Vec3, reach: f32) -> Option<(u32, Surface)> {
        let mut nearest = None;
        self.look_for_sticky(near, place, reach, |body| self.nearer(body, place, reach, &mut nearest));
        let is_behind = |&(body, surface): &(u32, Surface)| {
            self.list[body as usize].is_solid() && self.is_behind_a_wall(place, (body, surface.point))
        };
        if self.containers == 0 || !nearest.as_ref().is_some_and(is_behind) {
            return nearest;
        }
        nearest = None;
        self.look_for_sticky(near, place, reach, |body| {
            let mut own = None;
            self.nearer(body, place, reach, &mut own);
            if let Some(own) = own.filter(|own| !is_behind(own))
                && nearest.is_none_or(|old: (u32, Surface)| (own.1.distance, own.0) < (old.1.distance, old.0))
            {
                nearest = Some(own);
            }
        });
        nearest
    }

    /// Calls `look` with each body near `place` to which fluid sticks.
    fn look_for_sticky(&self, near: &Near, place: Vec3, reach: f32, mut look: impl FnMut(u32)) {
        let mut look = |body: u32| {
            if !self.list[body as usize].is_half_space() {
                look(body);
            }
        };
        let around = Vec3::splat(reach.max(0.0));
        match near.list() {
            Some(bodies) => bodies.iter().copied().for_each(look),
            None => self.visit(place - around, place + around, &mut look),
        }
    }

    /// True if a container holds `place`, but not the `point` \[m\] of another body's surface, at the end of
    /// the step: what is in a tank does not touch the floor under it.
    fn is_behind_a_wall(&self, place: Vec3, (other, point): (u32, Vec3)) -> bool {
        let mut is_behind = false;
        self.visit(place, place, |body| {
            let obstacle = &self.list[body as usize];
            if body != other && obstacle.is_container() && obstacle.holds(place, 1.0) {
                let local = obstacle.pose().to_local(point);
                let skin = self.skin_at(obstacle, point);
                is_behind |= obstacle.holes().wall(local, skin).is_some_and(|wall| wall.distance < skin);
            }
        });
        is_behind
    }

    /// One particle's way; `near` holds all bodies near it.
    pub(crate) fn meet_one(&self, near: &Near, way: Way, after: &mut Vec3) -> Option<Touch> {
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
        if close {
            if let Some(first) = first {
                (place, touch) = self.bounce(first, way);
            }
            (place, touch) = self.leave(place, touch);
        }
        if self.containers > 0 {
            (place, touch) = self.stay_in(near, &way, place, touch);
        }
        if touch.is_some() && place.is_finite() {
            *after = place;
        }
        touch
    }

    /// Goes back into the containers that held the start of the way, and out of the solids that are there.
    fn stay_in(&self, near: &Near, way: &Way, place: Vec3, touch: Option<Touch>) -> (Vec3, Option<Touch>) {
        let (mut place, mut touch) = (place, touch);
        for _ in 0..MOST_HITS {
            let mut held = None;
            self.visit_near(near, way, |body| {
                let obstacle = &self.list[body as usize];
                if held.is_none() {
                    // Most are deep enough, whatever held them.
                    let back = obstacle.hold(place, self.skin_at(obstacle, place));
                    let back = back.filter(|_| obstacle.holds(way.start, way.since));
                    held = back.map(|(place, wall)| (body, place, wall));
                }
            });
            let Some((body, back, wall)) = held.filter(|(_, back, _)| back.is_finite()) else { break };
            let velocity = self.list[body as usize].velocity_at(wall.point);
            touch = Some(Touch { body, point: wall.point, normal: wall.normal, velocity });
            let (out, left) = self.leave(back, touch);
            (place, touch) = (out, left);
            if out == back {
                break;
            }
        }
        (place, touch)
    }

    /// Calls `met(row, touch)` for all rows that meet a body, each after it has been put out.
    fn meet_each(&self, before: &[Vec3], after: &mut [Vec3], since: f32, mut met: impl FnMut(usize, Touch)) {
        assert_eq!(before.len(), after.len(), "columns differ in length");
        if self.list.is_empty() {
            return;
        }
        for (block, (before, after)) in before.chunks(BLOCK).zip(after.chunks_mut(BLOCK)).enumerate() {
            let (starts, ends) = (box_around(before), box_around(after));
            let near = self.near_box(starts.0.min(ends.0), starts.1.max(ends.1));
            if near.is_empty() || self.leaves_alone(&near, ends) {
                continue;
            }
            for (row, (&before, after)) in before.iter().zip(after).enumerate() {
                let Some(way) = way(before, *after, since) else { continue };
                if let Some(touch) = self.meet_one(&near, way, after) {
                    met(block * BLOCK + row, touch);
                }
            }
        }
    }

    /// Slides along what is hit first, then along what that leads to. Returns where that ends, which may be
    /// inside of a body, and what was met last.
    fn bounce(&self, first: (u32, Hit), way: Way) -> (Vec3, Option<Touch>) {
        let (mut next, mut way, mut touch) = (Some(first), way, None);
        for hits in 1.. {
            let Some((body, hit)) = next else { break };
            let obstacle = &self.list[body as usize];
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
            // What is inside and on the way out is let go.
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

    /// The first hit after one. About the body just met the way is straight in that body's axes, in front of
    /// the face that was hit.
    fn next_hit(&self, way: &Way, (met, shape): (u32, u32), local_start: Vec3) -> Option<(u32, Hit)> {
        let mut first = None;
        let (low, high) = (way.start.min(way.end), way.start.max(way.end));
        self.visit(low, high, |body| {
            let obstacle = &self.list[body as usize];
            let hit = if body == met {
                let embedded = obstacle.embedded(local_start, Some(shape));
                // What slides along a convex shape does not enter it again.
                let but = (!obstacle.shapes()[shape as usize].is_level()).then_some(shape);
                embedded.or_else(|| obstacle.enter(local_start, obstacle.pose().to_local(way.end), but))
            } else {
                obstacle.sweep(way)
            };
            first = first_of(first, body, hit);
        });
        first
    }

    /// Goes along the normal met last, or the one met first here, out of every shape that holds the place,
    /// until none does. A line leaves each convex shape once, so this ends: out of a half-space along its
    /// normal, if that line does not lead out of it, and out of level geometry along that of its nearest
    /// surface.
    fn leave(&self, place: Vec3, touch: Option<Touch>) -> (Vec3, Option<Touch>) {
        let (mut place, mut touch) = (place, touch);
        let mut direction = touch.map(|touch| touch.normal);
        for round in 0.. {
            let Some((body, shape)) = self.holder(place) else { break };
            let obstacle = &self.list[body as usize];
            let local = obstacle.pose().to_local(place);
            let shape = &obstacle.shapes()[shape as usize];
            let surface = obstacle.in_world(shape.surface(local));
            let mut along = *direction.get_or_insert(surface.normal);
            let climbs = along.dot(surface.normal) >= LEAST_CLIMB;
            if shape.is_level() || (obstacle.is_half_space() && !climbs) {
                // Down there is no way out; up there is one from all shapes. What is not convex has a short
                // way out to its nearest surface only.
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
            let skin = self.skin_at(obstacle, place) * f32::exp2((round - PATIENCE).max(0) as f32);
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

    /// The shape that holds a place most deeply at the end of the step.
    fn holder(&self, place: Vec3) -> Option<(u32, u32)> {
        let mut deepest: Option<(f32, (u32, u32))> = None;
        self.visit(place, place, |body| {
            let obstacle = &self.list[body as usize];
            let local = obstacle.pose().to_local(place);
            if !obstacle.may_reach(local, 0.0) {
                return;
            }
            for (number, shape) in obstacle.solids() {
                let Some(surface) = shape.surface_if_inside(local) else { continue };
                let candidate = (surface.distance, (body, number));
                if deepest.is_none_or(|deepest| candidate < deepest) {
                    deepest = Some(candidate);
                }
            }
        });
        deepest.map(|(_, holder)| holder)
    }

    /// Becomes the surface of `body`, if that is nearer; of two as near, that of the lower body.
    #[inline]
    fn nearer(&self, body: u32, place: Vec3, reach: f32, nearest: &mut Option<(u32, Surface)>) {
        let obstacle = &self.list[body as usize];
        if !obstacle.may_be_near_box(place - reach.max(0.0), place + reach.max(0.0))
            || !obstacle.may_reach(obstacle.pose().to_local(place), reach.max(0.0))
        {
            return;
        }
        let Some(surface) = obstacle.surface(place, reach) else { return };
        if nearest.is_none_or(|(other, old)| (surface.distance, body) < (old.distance, other)) {
            *nearest = Some((body, surface));
        }
    }

    /// Calls `action` with each body whose ball may touch a box, in no particular order.
    pub(crate) fn visit(&self, low: Vec3, high: Vec3, mut action: impl FnMut(u32)) {
        if self.cells_are_valid {
            self.cells.visit(low, high, |body| {
                // Few shapes fill the ball around them well.
                if self.list[body as usize].may_meet_box(low, high) {
                    action(body);
                }
            });
            return;
        }
        let all = (0..).zip(&self.list);
        all.filter(|(_, obstacle)| obstacle.may_meet_box(low, high)).for_each(|(body, _)| action(body));
    }

    fn visit_near(&self, near: &Near, way: &Way, action: impl FnMut(u32)) {
        match near.list() {
            Some(bodies) => bodies.iter().copied().for_each(action),
            None => self.visit(way.start.min(way.end), way.start.max(way.end), action),
        }
    }

    /// How far \[m\] from a surface of this body particles are put down near `place`.
    fn skin_at(&self, obstacle: &Obstacle, place: Vec3) -> f32 {
        let far = place.abs().max(obstacle.pose().position.abs()).max_element();
        self.skin.max(PLACE_ROUNDING * far + SIZE_ROUNDING * obstacle.size_seen_from(place))
    }
}

impl Surfaces for Obstacles {
    fn meet(&self, before: &[Vec3], after: &mut [Vec3], touches: &mut [Option<Touch>]) {
        assert_eq!(touches.len(), after.len(), "columns differ in length");
        touches.fill(None);
        self.meet_each(before, after, 0.0, |row, touch| touches[row] = Some(touch));
    }

    fn keep_out(&self, before: &[Vec3], after: &mut [Vec3]) {
        self.meet_each(before, after, 0.0, |_, _| {});
    }
}

/// None if it does not lead to a place; if it does not come from one, it is no way at all.
pub(crate) fn way(before: Vec3, after: Vec3, since: f32) -> Option<Way> {
    let start = if before.is_finite() { before } else { after };
    after.is_finite().then_some(Way { start, end: after, since })
}

fn first_of(first: Option<(u32, Hit)>, body: u32, hit: Option<Hit>) -> Option<(u32, Hit)> {
    let hit = hit.map(|hit| (body, hit));
    match (first, hit) {
        (Some(a), Some(b)) => Some(earlier(a, b)),
        (first, hit) => first.or(hit),
    }
}

/// At a point of the body's axes.
fn touch_of(body: u32, obstacle: &Obstacle, point: Vec3, normal: Vec3) -> Touch {
    let point = obstacle.pose().to_world(point);
    Touch { body, point, normal: obstacle.pose().turn(normal), velocity: obstacle.velocity_at(point) }
}
