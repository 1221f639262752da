//! Bodies as moving obstacles, frozen for a step, against which particles are swept.
//!
//! The path of a particle selects the face ("bullet through paper", part 13): the first face that it enters
//! stops it, and the remaining motion slides in the plane of that face. Each path is swept against all nearby
//! bodies, and a particle still inside one afterwards leaves along a ray.

mod meeting;

use crate::broad_phase::{NearBodies, SphereCells};
use crate::pose::Pose;
use crate::shapes::{Shape, Surface};
use crate::sweep::Way;
use fluid_core::boundary::{Surfaces, Touch};
use fluid_core::math::{box_around, corners_of};
use fluid_core::saved::{LoadError, Reader, Saved};
use fluid_core::velocity::Mirror;
use glam::Vec3;
use std::sync::Arc;

pub use crate::obstacle::{Ball, Obstacle};

/// Method of finding the bodies near a particle. It does not affect results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BroadPhase {
    /// Looks up the cells of a grid.
    #[default]
    Cells,
    /// Tests all bodies: the reference for the cells.
    EveryBody,
}

/// All bodies of a world as obstacles.
#[derive(Debug, Clone, Default)]
pub struct Obstacles {
    list: Vec<Obstacle>,
    /// Distance \[m\] from the surface at which particles are placed.
    skin: f32,
    broad_phase: BroadPhase,
    cells: SphereCells,
    /// Number of obstacles with holes.
    containers: usize,
    /// Number of caves.
    caves: usize,
    /// Number of obstacles with thin walls: meshes that are not closed.
    open: usize,
    /// False if bodies have been added, removed or teleported since the cells were built: then all bodies are
    /// tested.
    cells_are_valid: bool,
}

/// Thickness of the rock around a cave in which no vorton is created, in distances from a solid at which none
/// is created \[1\].
const CAVE_WALL: f32 = 4.0;

/// Largest way, relative to the clearance, that a vorton is put off walls \[1\]: more at the ends of long
/// containers.
const FARTHEST_OFF: f32 = 8.0;

/// Particles looked up together \[1\]: enough to amortise the cost of the cells, few enough to be close
/// together once sorted.
const LOOKUP_BLOCK: usize = 64;
/// Particles per part of such a block, for which the bodies near the block are tested again \[1\].
const LOOKUP_PART: usize = 16;
/// Factor on the search radius for the nearest surface while none is found \[1\]: a box of twice the edge
/// contains 8 times as many bodies.
const FARTHER: f32 = 2.0;
/// Least distance at which particles are placed, relative to the coordinates of particle and body, and to the
/// size of the body \[1\]: a position is known to half an `f32::EPSILON` of its coordinates, and must be
/// outside in spite of the round-off of the transform to the body's axes.
const PLACE_ROUNDING: f32 = 2.0 * f32::EPSILON;
const SIZE_ROUNDING: f32 = 8.0 * f32::EPSILON;
impl Obstacles {
    /// Creates an empty list. `skin` \[m\] is the distance from a surface at which particles are placed; if
    /// `f32` cannot resolve it, the smallest distance that it can resolve is used.
    pub fn new(skin: f32) -> Self {
        Self { skin, ..Self::default() }
    }

    /// Selects the method of finding bodies.
    pub fn with_broad_phase(self, broad_phase: BroadPhase) -> Self {
        Self { broad_phase, ..self }
    }

    /// Copies `other`; allocates only to grow.
    pub fn copy_from(&mut self, other: &Self) {
        self.list.clone_from(&other.list);
        (self.skin, self.broad_phase) = (other.skin, other.broad_phase);
        (self.containers, self.caves, self.open) = (other.containers, other.caves, other.open);
        self.refresh();
    }

    /// Appends an obstacle.
    pub fn push(&mut self, obstacle: Obstacle) {
        self.count(&obstacle);
        self.list.push(obstacle);
        self.cells_are_valid = false;
    }

    /// Removes an obstacle; the indices of later ones decrease by one.
    pub fn remove(&mut self, index: usize) -> Obstacle {
        let obstacle = self.list.remove(index);
        self.containers -= usize::from(obstacle.is_container());
        self.caves -= usize::from(obstacle.is_cave());
        self.open -= usize::from(obstacle.is_open());
        self.cells_are_valid = false;
        obstacle
    }

    /// Inserts an obstacle before another.
    pub(crate) fn insert(&mut self, index: usize, obstacle: Obstacle) {
        self.count(&obstacle);
        self.list.insert(index, obstacle);
        self.cells_are_valid = false;
    }

    fn count(&mut self, obstacle: &Obstacle) {
        self.containers += usize::from(obstacle.is_container());
        self.caves += usize::from(obstacle.is_cave());
        self.open += usize::from(obstacle.is_open());
    }

    /// Swaps two obstacles.
    pub(crate) fn swap(&mut self, a: usize, b: usize) {
        self.list.swap(a, b);
        self.cells_are_valid = false;
    }

    /// Loads the motion of an obstacle that has these shapes. Call [`refresh`](Self::refresh) after the last
    /// one.
    pub(crate) fn load_one(&mut self, index: usize, from: &mut Reader<'_>) -> Result<(), LoadError> {
        self.cells_are_valid = false;
        self.list[index].load(from)
    }

    /// Replaces the shapes of an obstacle.
    pub fn set_shapes(&mut self, index: usize, shapes: Arc<[Shape]>) {
        let obstacle = &mut self.list[index];
        self.containers -= usize::from(obstacle.is_container());
        self.caves -= usize::from(obstacle.is_cave());
        self.open -= usize::from(obstacle.is_open());
        obstacle.set_shapes(shapes);
        self.containers += usize::from(obstacle.is_container());
        self.caves += usize::from(obstacle.is_cave());
        self.open += usize::from(obstacle.is_open());
        self.cells_are_valid = false;
    }

    /// Returns the velocity \[m/s\] with which a container, or else the `wind` \[m/s\], carries fluid at
    /// `place` \[m\] at the end of the step.
    pub(crate) fn carried(&self, place: Vec3, wind: Vec3) -> Vec3 {
        self.carried_in_tank(place).map_or(wind, |(_, velocity)| velocity)
    }

    /// Returns the index of the container that holds fluid at `place` \[m\] at the end of the step, and the
    /// velocity \[m/s\] with which it carries that fluid; None outside of containers.
    pub(crate) fn carried_in_tank(&self, place: Vec3) -> Option<(usize, Vec3)> {
        if self.containers == 0 {
            return None;
        }
        let room = |(index, obstacle): (usize, &Obstacle)| {
            let middle = obstacle.pose().to_world(obstacle.rooms()[obstacle.room_at(place)?].middle);
            Some((index, obstacle.velocity_at(middle)))
        };
        self.list.iter().enumerate().find_map(room)
    }

    /// True if a container other than `but` holds fluid at `place` \[m\] at the end of the step.
    pub(crate) fn hold(&self, place: Vec3, but: usize) -> bool {
        let others = || self.list.iter().enumerate().filter(|&(index, _)| index != but);
        self.containers > 0 && others().any(|(_, obstacle)| obstacle.room_at(place).is_some())
    }

    /// Returns the indices of the containers.
    pub(crate) fn containers(&self) -> impl Iterator<Item = usize> {
        let all = if self.containers == 0 { &[] } else { &self.list[..] };
        all.iter().enumerate().filter(|(_, obstacle)| obstacle.is_container()).map(|(index, _)| index)
    }

    /// Returns the index of the smallest of these containers, other than `but`, that holds `place` \[m\] at
    /// the end of the step, and that of its room there.
    pub(crate) fn tank_at(&self, containers: &[usize], place: Vec3, but: usize) -> Option<(usize, usize)> {
        let others = containers.iter().filter(|&&index| index != but);
        let around = others.filter_map(|&index| Some((index, self.list[index].room_at(place)?)));
        let radius = |&(index, _): &(usize, usize)| self.list[index].holes().ball().radius;
        around.min_by(|a, b| radius(a).total_cmp(&radius(b)))
    }

    /// Returns the obstacles, in order.
    pub fn list(&self) -> &[Obstacle] {
        &self.list
    }

    /// Teleports an obstacle.
    pub fn place(&mut self, index: usize, pose: Pose) {
        self.list[index].place(pose);
        self.cells_are_valid = false;
    }

    /// Begins a step: obstacle `i` moves from its current pose as `motions(i)` says: pose, velocity \[m/s\]
    /// and angular velocity \[rad/s\] at the end.
    pub fn advance(&mut self, mut motions: impl FnMut(usize) -> (Pose, Vec3, Vec3)) {
        for (index, obstacle) in self.list.iter_mut().enumerate() {
            let (to, velocity, angular_velocity) = motions(index);
            obstacle.advance(to, velocity, angular_velocity);
        }
        self.refresh();
    }

    /// Makes the position `origin` \[m\] the origin, for present and previous poses.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.list.iter_mut().for_each(|obstacle| obstacle.shift_origin(origin));
        if self.cells_are_valid {
            self.refresh();
        }
    }

    /// Rebuilds the cells after bodies have been added, removed or teleported; [`advance`](Self::advance)
    /// does so, too.
    pub fn refresh(&mut self) {
        self.cells_are_valid = self.broad_phase == BroadPhase::Cells;
        if self.cells_are_valid {
            self.cells.rebuild(self.list.iter().map(|obstacle| *obstacle.swept()));
        }
    }

    /// Rebuilds the cells if they are not those of the present bodies.
    pub(crate) fn refresh_if_changed(&mut self) {
        if !self.cells_are_valid {
            self.refresh();
        }
    }

    /// Returns the nearest surface less than `reach` \[m\] away from `place`, at the end of the step, and the
    /// index of its body. The distance is negative inside.
    pub fn nearest(&self, place: Vec3, reach: f32) -> Option<(u32, Surface)> {
        let mut nearest = None;
        let around = Vec3::splat(reach.max(0.0));
        self.visit(place - around, place + around, |body| self.nearer(body, place, reach, &mut nearest));
        nearest
    }

    /// Returns the result of [`nearest`](Self::nearest) for a `reach` that may include many bodies: searches
    /// nearby first.
    pub fn nearest_of_many(&self, place: Vec3, reach: f32) -> Option<(u32, Surface)> {
        let mut part = if self.cells_are_valid { self.cells.longest_edge() } else { f32::INFINITY };
        while part < reach {
            // A surface found within a part of the reach is the nearest one.
            let found = self.nearest(place, part);
            if found.is_some() {
                return found;
            }
            part *= FARTHER;
        }
        self.nearest(place, reach)
    }

    /// True if `place` is outside of caves, in the rock less than `depth` \[m\] around one. Rock has no
    /// bounding box; farther away there may be the open air, or another room.
    fn is_behind_caves(&self, place: Vec3, depth: f32) -> bool {
        if self.caves == 0 {
            return false;
        }
        let is_held = |cave: &Obstacle| {
            let local = cave.pose().to_local(place);
            cave.may_be_near_box(place, place)
                && cave.solids().all(|(_, shape)| shape.surface_if_inside(local).is_none())
        };
        let is_buried = |cave: &Obstacle| {
            let local = cave.pose().to_local(place);
            let behind = |shape: &Shape| shape.surface_if_inside(local).is_some_and(|s| s.distance > -depth);
            !cave.may_be_near_box(place, place)
                && cave.may_be_near_box(place - depth, place + depth)
                && cave.solids().any(|(_, shape)| behind(shape))
        };
        let caves = || self.list.iter().filter(|obstacle| obstacle.is_cave());
        caves().any(is_buried) && !caves().any(is_held)
    }

    /// True if `place` is inside a solid at the end of the step, or less than `margin` \[m\] outside of one
    /// with no-slip. Walls of containers do not count, nor do solids behind them.
    pub(crate) fn is_near_a_solid(&self, place: Vec3, margin: f32) -> bool {
        let mut near = self.is_behind_caves(place, CAVE_WALL * margin);
        self.visit(place - margin, place + margin, |body| {
            near |= self.is_near_solid_of(body, place, margin);
        });
        near
    }

    /// As [`is_near_a_solid`](Self::is_near_a_solid), of one body alone and without the rock around it.
    pub(crate) fn is_near_solid_of(&self, body: u32, place: Vec3, margin: f32) -> bool {
        let obstacle = &self.list[body as usize];
        let local = obstacle.pose().to_local(place);
        let margin = if obstacle.is_half_space() { 0.0 } else { margin };
        obstacle.may_reach(local, margin)
            && obstacle.solids_for(obstacle.is_in_hollow(local)).any(|(_, shape)| {
                shape.surface_within(local, margin).is_some_and(|surface| {
                    let point = || obstacle.pose().to_world(surface.point);
                    surface.distance < margin
                        && (self.containers == 0 || !self.is_behind_a_wall(place, (body, point())))
                })
            })
    }

    /// Returns a face of the shape around `place` at the end of the step, and None in no solid: the one
    /// nearest to the `middle` of a box with this half width \[m\] along each normal, if the shape reaches as
    /// far behind it as the box, otherwise the one nearest to `place`. Containers have no faces.
    pub(crate) fn face_over(
        &self,
        middle: Vec3,
        half_width: &dyn Fn(Vec3) -> f32,
        place: Vec3,
    ) -> Option<Mirror> {
        let (body, nearest) = self.nearest(place, 0.0)?;
        let obstacle = &self.list[body as usize];
        if obstacle.is_container() || !middle.is_finite() {
            return None;
        }
        let of_middle = obstacle.face_over(middle, half_width, place, 2.0 * middle.distance(nearest.point));
        let mirror = |face: Surface| Mirror::new(face.point, face.normal);
        let behind = |mirror: &Mirror| mirror.height(place) < 0.0;
        of_middle.map(mirror).filter(behind).or_else(|| Some(mirror(nearest)).filter(behind))
    }

    /// True if `place` is inside a body at the end of the step.
    pub fn contains(&self, place: Vec3) -> bool {
        self.nearest(place, 0.0).is_some()
    }

    /// Returns the indices of the `places` that are inside a body at the end of the step or less than
    /// `margin` \[m\] outside of it. Positions that are not finite are in no body.
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

    /// Moves particles out of the bodies like [`keep_out`](Surfaces::keep_out), with the bodies at rest in
    /// their poses at the end of the step: for particles that are moved again after they have met the bodies.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn keep_out_at_end(&self, before: &[Vec3], after: &mut [Vec3]) {
        self.meet_each(before, after, 1.0, |_, _| {});
    }

    /// Returns the bodies that may be less than `reach` \[m\] from the paths of a block of particles.
    pub(crate) fn near(&self, before: &[Vec3], after: &[Vec3], reach: f32) -> NearBodies {
        let (starts, ends) = (box_around(before), box_around(after));
        self.near_box(starts.0.min(ends.0) - reach, starts.1.max(ends.1) + reach)
    }

    /// Returns those of the bodies near a block of particles that may be less than `reach` \[m\] from one
    /// particle's path. Only level geometry is tested, which is near many blocks but few of their particles.
    pub(crate) fn near_of(&self, near: &NearBodies, way: &Way, reach: f32) -> NearBodies {
        let (low, high) = (way.start.min(way.end) - reach, way.start.max(way.end) + reach);
        self.those_of(near, |obstacle| !obstacle.is_level() || obstacle.may_meet_box(low, high))
    }

    /// Returns those of the bodies for which `counts` holds; all of them if they are not listed.
    fn those_of(&self, near: &NearBodies, counts: impl Fn(&Obstacle) -> bool) -> NearBodies {
        let Some(bodies) = near.list() else { return *near };
        let mut own = NearBodies::NONE;
        let counting = bodies.iter().filter(|&&body| counts(&self.list[body as usize]));
        counting.for_each(|&body| own.push(body));
        own
    }

    fn near_box(&self, low: Vec3, high: Vec3) -> NearBodies {
        let mut near = NearBodies::NONE;
        self.visit(low, high, |body| near.push(body));
        near
    }

    /// True only if no particle that ends its path in this box \[m\] needs to be moved: no solid is near, and
    /// every nearby container holds the whole box off its walls.
    fn leaves_alone(&self, near: &NearBodies, ends: (Vec3, Vec3)) -> bool {
        let Some(bodies) = near.list() else { return false };
        let corners = corners_of(ends);
        let farthest = ends.0.abs().max(ends.1.abs());
        bodies.iter().all(|&body| {
            let obstacle = &self.list[body as usize];
            // In one of several rooms, a particle may have started in another.
            !obstacle.is_solid()
                && obstacle.rooms().len() < 2
                && obstacle.holds_hull(&corners, self.skin_at(obstacle, farthest))
        })
    }

    /// Returns the result of [`nearest`](Self::nearest) for the bodies in `near` with no-slip. Half-spaces do
    /// not count, nor do surfaces behind the wall of a container that holds `place`.
    pub(crate) fn nearest_sticky(
        &self,
        near: &NearBodies,
        place: Vec3,
        reach: f32,
    ) -> Option<(u32, Surface)> {
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

    /// Calls `look` with each body with no-slip near `place`.
    fn look_for_sticky(&self, near: &NearBodies, place: Vec3, reach: f32, mut look: impl FnMut(u32)) {
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
    /// the step: fluid in a tank does not touch the floor below the tank.
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

    /// Returns the point nearest to `place` in the container `body` that holds it, scaled down about its
    /// middle so that each wall is at least `clearance` \[m\] away; `place` itself where that is far, or if
    /// a solid is there.
    pub(crate) fn off_walls(&self, body: u32, place: Vec3, clearance: f32) -> Vec3 {
        let held = self.list[body as usize].hold((place, 1.0), place, clearance).map(|(place, _)| place);
        let is_near = |off: &Vec3| off.distance(place) <= FARTHEST_OFF * clearance;
        held.filter(|off| is_near(off) && !self.is_near_a_solid(*off, 0.0)).unwrap_or(place)
    }

    /// Calls `met(row, touch)` for each row that meets a body, after the particle has been moved out.
    fn meet_each(&self, before: &[Vec3], after: &mut [Vec3], since: f32, mut met: impl FnMut(usize, Touch)) {
        assert_eq!(before.len(), after.len(), "columns differ in length");
        if self.list.is_empty() {
            return;
        }
        for (block, (before, after)) in
            before.chunks(LOOKUP_BLOCK).zip(after.chunks_mut(LOOKUP_BLOCK)).enumerate()
        {
            let (starts, ends) = (box_around(before), box_around(after));
            let near = self.near_box(starts.0.min(ends.0), starts.1.max(ends.1));
            if near.is_empty() || self.leaves_alone(&near, ends) {
                continue;
            }
            let parts = before.chunks(LOOKUP_PART).zip(after.chunks_mut(LOOKUP_PART));
            for (part, (before, after)) in parts.enumerate() {
                let first = block * LOOKUP_BLOCK + part * LOOKUP_PART;
                self.meet_part(&near, (before, after), since, |row, touch| met(first + row, touch));
            }
        }
    }

    /// As [`meet_each`](Self::meet_each), for a part of a block with these bodies near it.
    fn meet_part(
        &self,
        near: &NearBodies,
        (before, after): (&[Vec3], &mut [Vec3]),
        since: f32,
        mut met: impl FnMut(usize, Touch),
    ) {
        let (starts, ends) = (box_around(before), box_around(after));
        let (low, high) = (starts.0.min(ends.0), starts.1.max(ends.1));
        let near = self.those_of(near, |obstacle| obstacle.may_meet_box(low, high));
        if near.is_empty() || self.leaves_alone(&near, ends) {
            return;
        }
        for (row, (&before, after)) in before.iter().zip(after).enumerate() {
            let Some(way) = way(before, *after, since) else { continue };
            if let Some(touch) = self.meet_one(&near, way, after) {
                met(row, touch);
            }
        }
    }

    /// Replaces `nearest` by the surface of `body` if that is nearer; ties go to the lower index.
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

    /// Calls `action` with each body that may touch a box, in no particular order.
    pub(crate) fn visit(&self, low: Vec3, high: Vec3, mut action: impl FnMut(u32)) {
        if self.cells_are_valid {
            self.cells.visit(low, high, |body| {
                // Few shapes fill their bounding sphere well.
                if self.list[body as usize].may_meet_box(low, high) {
                    action(body);
                }
            });
            return;
        }
        let all = (0..).zip(&self.list);
        all.filter(|(_, obstacle)| obstacle.may_meet_box(low, high)).for_each(|(body, _)| action(body));
    }

    fn visit_near(&self, near: &NearBodies, way: &Way, action: impl FnMut(u32)) {
        match near.list() {
            Some(bodies) => bodies.iter().copied().for_each(action),
            None => self.visit(way.start.min(way.end), way.start.max(way.end), action),
        }
    }

    /// Returns the distance \[m\] from a surface of this body at which particles near `place` are placed.
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
        self.keep_out_since(before, after, 0.0);
    }

    fn keep_out_since(&self, before: &[Vec3], after: &mut [Vec3], since: f32) {
        self.meet_each(before, after, since, |_, _| {});
    }
}

/// Returns the path between two positions; None if the end is not finite. A start that is not finite is
/// replaced by the end.
pub(crate) fn way(before: Vec3, after: Vec3, since: f32) -> Option<Way> {
    let start = if before.is_finite() { before } else { after };
    after.is_finite().then_some(Way { start, end: after, since })
}
