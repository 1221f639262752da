//! One body as a moving obstacle, frozen for a step: its shapes, and its poses at the start and end of the
//! step.

use crate::ball::ball_around;
use crate::hole::{Holes, middle_of_room, rooms};
use crate::pose::Pose;
use crate::separation::hollow;
use crate::shapes::{Parity, Shape, Surface};
use crate::surface::hidden;
use fluid_core::boundary::Inside;
use fluid_core::math::rotation;
use fluid_core::velocity::Mirror;
use glam::{DVec3, Mat3, Quat, Vec3};
use std::sync::Arc;

pub use crate::ball::Ball;

/// Holes of a body that overlap. Their fluid moves with their middle.
#[derive(Debug)]
pub(crate) struct Room {
    /// Holes, and the middle \[m\], in the body's axes.
    pub(crate) holes: Arc<Holes>,
    pub(crate) middle: Vec3,
}

impl Room {
    fn all(shapes: &[Shape]) -> Arc<[Self]> {
        let each = rooms(shapes).into_iter();
        each.map(|room| Self { holes: Arc::new(Holes::of(&room)), middle: middle_of_room(&room) }).collect()
    }
}

/// One body's shapes and its motion during a step.
#[derive(Debug, Clone)]
pub struct Obstacle {
    shapes: Arc<[Shape]>,
    /// Bounding sphere of all shapes, in the body's axes.
    ball: Ball,
    /// The lowest and highest coordinates \[m\] of all shapes, in the body's axes.
    bounds: (Vec3, Vec3),
    /// Holes, in the body's axes.
    holes: Arc<Holes>,
    /// Rooms that they form.
    rooms: Arc<[Room]>,
    /// True for each shape that is hollow: a solid around a hole.
    hollow: Arc<[bool]>,
    /// True for each shape that displaces nothing by itself: it is inside of others.
    hidden: Arc<[bool]>,
    /// Pose of the body when particles were last swept against it.
    from: Pose,
    /// Pose at the end of the step.
    to: Pose,
    velocity: Vec3,
    angular_velocity: Vec3,
    /// Rotation from one pose to the other: unit axis in the body's axes, and angle \[rad\], 0 to π.
    turn: (Vec3, f32),
    /// Bounding sphere of all positions during the step.
    swept: Ball,
    /// The lowest and highest coordinates \[m\] of these; unbounded for containers and infinite shapes.
    swept_box: (Vec3, Vec3),
    /// The surface of a half-space at the start of the step and at its end.
    planes: Option<[Mirror; 2]>,
    /// True if it has level geometry.
    level: bool,
    /// True if it has a mesh that is not closed: a thin wall.
    open: bool,
    /// True if it has a mesh around its fluid.
    cave: bool,
}

fluid_core::saved::fields!(Obstacle {
    from, to, velocity, angular_velocity, turn, swept, swept_box, planes,
} not { shapes, ball, bounds, holes, rooms, hollow, hidden, level, open, cave });

/// Enlargement of a box in the axes of a shape, relative to the coordinates that define it \[1\].
const BOX_ROUNDING: f32 = 16.0 * f32::EPSILON;

/// Height above a half-space below which a position may be inside it, relative to the coordinates of both
/// \[1\].
const HEIGHT_ROUNDING: f32 = 32.0 * f32::EPSILON;

impl Obstacle {
    /// Creates an obstacle at rest.
    pub fn new(shapes: Arc<[Shape]>, pose: Pose) -> Self {
        let mut new = Self {
            ball: ball_around(&shapes),
            bounds: bounds_of(&shapes),
            holes: Arc::new(Holes::of(&shapes)),
            rooms: Room::all(&shapes),
            hollow: hollow(&shapes),
            hidden: hidden(&shapes).into(),
            level: shapes.iter().any(Shape::is_level),
            open: shapes.iter().any(Shape::is_open),
            cave: shapes.iter().any(Shape::is_cave),
            shapes,
            from: pose,
            to: pose,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            turn: (Vec3::X, 0.0),
            swept: Ball::EMPTY,
            swept_box: EMPTY_BOX,
            planes: None,
        };
        new.measure();
        new
    }

    /// Returns the shapes, shared.
    pub(crate) fn shared_shapes(&self) -> Arc<[Shape]> {
        Arc::clone(&self.shapes)
    }

    /// Returns the shapes, in the body's axes.
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// Returns the shapes that particles are swept against, with their indices.
    pub(crate) fn solids(&self) -> impl Iterator<Item = (u32, &Shape)> + Clone {
        let numbered = (0_u32..).zip(self.shapes.iter());
        numbered.filter(|(_, shape)| shape.parity == Parity::Solid)
    }

    /// Returns how far \[m\] the solids extend from the body's position along a direction, a unit vector in
    /// the world's axes, at the end of the step.
    pub(crate) fn extent_along(&self, way: DVec3) -> f64 {
        let way = self.to.rotation.as_dquat().normalize().conjugate() * way;
        let extents = self.solids().map(|(_, shape)| {
            let turned = shape.pose.rotation.as_dquat().normalize().conjugate() * way;
            shape.geometry.queries().span(turned).1 + shape.pose.position.as_dvec3().dot(way)
        });
        extents.fold(f64::NEG_INFINITY, f64::max)
    }

    /// Returns those of them that displace fluid: a shape inside of others does not, by itself.
    pub(crate) fn displacing(&self) -> impl Iterator<Item = &Shape> + Clone {
        self.solids().filter(|&(number, _)| !self.hidden[number as usize]).map(|(_, shape)| shape)
    }

    /// Returns those of them that are solid for a particle: all outside of the holes, in a hole (`is_held`)
    /// only those that are not hollow.
    #[inline]
    pub(crate) fn solids_for(&self, is_held: bool) -> impl Iterator<Item = (u32, &Shape)> {
        self.solids().filter(move |&(number, _)| !(is_held && self.hollow[number as usize]))
    }

    /// True if it has hollow solids, and a hole contains this point \[m, the body's axes\].
    #[inline]
    pub(crate) fn is_in_hollow(&self, local: Vec3) -> bool {
        !self.holes.is_empty() && self.hollow.contains(&true) && self.holes.contains(local)
    }

    /// True if it has shapes that particles are swept against.
    pub(crate) fn is_solid(&self) -> bool {
        self.solids().next().is_some()
    }

    /// Returns the pose at the end of the step.
    pub fn pose(&self) -> &Pose {
        &self.to
    }

    /// Returns the bounding sphere of all shapes, in the body's axes.
    pub(crate) fn ball(&self) -> &Ball {
        &self.ball
    }

    /// Returns the bounding sphere of all positions during the step.
    pub fn swept(&self) -> &Ball {
        &self.swept
    }

    /// True if it is a half-space.
    pub(crate) fn is_half_space(&self) -> bool {
        self.planes.is_some()
    }

    /// True if it has level geometry: a mesh or a height field.
    pub(crate) fn is_level(&self) -> bool {
        self.level
    }

    /// True if it has a mesh that is not closed, with fluid on both sides.
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// True if it has a closed mesh around its fluid, with rock everywhere outside.
    pub(crate) fn is_cave(&self) -> bool {
        self.cave
    }

    /// True if the bounding sphere may contain points far from the body.
    #[inline]
    pub(crate) fn fills_its_ball_badly(&self) -> bool {
        self.level || self.planes.is_some()
    }

    /// Returns the surface of a half-space with its body at `pose`.
    pub(crate) fn mirror_at(&self, pose: &Pose) -> Option<Mirror> {
        surface_of_half_space(&self.shapes, pose)
    }

    /// True if the bounding spheres and boxes of the body during the step may touch a box from `low` to
    /// `high` \[m\].
    #[inline]
    pub(crate) fn may_be_near_box(&self, low: Vec3, high: Vec3) -> bool {
        match &self.planes {
            None => meet(self.swept_box, (low, high)) && self.swept.meets_box(low, high),
            Some(planes) => may_reach_below(planes, low, high),
        }
    }

    /// True if the body may touch a box from `low` to `high` \[m\] during the step.
    #[inline]
    pub(crate) fn may_meet_box(&self, low: Vec3, high: Vec3) -> bool {
        self.may_be_near_box(low, high) && self.may_meet_box_with_level(low, high)
    }

    /// Tests the triangles of level geometry at rest, which fills its bounding sphere badly.
    #[inline]
    fn may_meet_box_with_level(&self, low: Vec3, high: Vec3) -> bool {
        if !self.level || self.from != self.to {
            return true;
        }
        let (middle, half) = (low.midpoint(high), 0.5 * (high - low));
        let far = low.abs().max(high.abs()).max(self.to.position.abs()).max_element();
        let slack = BOX_ROUNDING * (far + half.max_element());
        // Written so that NaN is not ruled out.
        let is_box = middle.is_finite() && half.is_finite();
        let meets = |shape: &Shape| {
            let turn = Mat3::from_quat((self.to.rotation * shape.pose.rotation).normalize()).transpose();
            let half = turn.abs() * half + (slack + BOX_ROUNDING * shape.pose.position.abs().max_element());
            let middle = shape.pose.to_local(self.to.to_local(middle));
            shape.geometry.may_meet_box(middle - half, middle + half)
        };
        !is_box || self.shapes.iter().any(meets)
    }

    /// True if the straight path from `start` to `end` \[m\] may touch the body during the step.
    #[inline]
    pub(crate) fn may_meet_way(&self, start: Vec3, end: Vec3) -> bool {
        match &self.planes {
            None => {
                meet(self.swept_box, (start.min(end), start.max(end)))
                    && self.swept.meets_way(start, end)
                    && self.may_meet_box_with_level(start.min(end), start.max(end))
            }
            Some(planes) => may_reach_below(planes, start.min(end), start.max(end)),
        }
    }

    /// Returns the length \[m\] that sets the round-off of the body's surface near `place`: its size, or for
    /// half-spaces and level geometry the distance from its origin.
    pub(crate) fn size_seen_from(&self, place: Vec3) -> f32 {
        if self.fills_its_ball_badly() {
            let origins = self.shapes.iter().map(|shape| shape.pose.position.abs().max_element());
            return (place - self.to.position).abs().max_element() + origins.fold(0.0, f32::max);
        }
        self.ball.radius + self.ball.centre.abs().max_element()
    }

    /// Returns the rotation angle \[rad\] of the step, 0 to π: the shorter direction.
    pub(crate) fn turn_angle(&self) -> f32 {
        self.turn.1
    }

    /// Returns the pose at a fraction of the step, 0 to 1: straight motion, with rotation about one axis.
    pub fn pose_at(&self, share: f32) -> Pose {
        if share <= 0.0 {
            return self.from;
        }
        if share >= 1.0 {
            return self.to;
        }
        let (axis, angle) = self.turn;
        let rotation = match angle {
            0.0 => self.to.rotation,
            angle => self.from.rotation * Quat::from_axis_angle(axis, angle * share),
        };
        Pose { position: self.from.position.lerp(self.to.position, share), rotation }
    }

    /// Returns the pose halfway through the step and the displacement \[m\] in it, if `end` is the current
    /// pose; otherwise `end`.
    pub(crate) fn path_to(&self, end: Pose) -> (Pose, DVec3) {
        match end == self.to {
            true => (self.pose_at(0.5), self.to.position.as_dvec3() - self.from.position.as_dvec3()),
            false => (end, DVec3::ZERO),
        }
    }

    /// Returns the velocity \[m/s\] of the body's material at `place` \[m\] at the end of the step.
    pub fn velocity_at(&self, place: Vec3) -> Vec3 {
        self.velocity + self.angular_velocity.cross(place - self.to.position)
    }

    /// True if the body has holes, which keep their contents in.
    pub fn is_container(&self) -> bool {
        !self.holes.is_empty()
    }

    /// Returns the holes.
    pub(crate) fn holes(&self) -> &Arc<Holes> {
        &self.holes
    }

    /// Returns the rooms that the holes form.
    pub(crate) fn rooms(&self) -> &[Room] {
        &self.rooms
    }

    /// Returns the room that holds `place` \[m\] at the end of the step.
    pub(crate) fn room_at(&self, place: Vec3) -> Option<usize> {
        if !self.is_container() {
            return None;
        }
        let local = self.to.to_local(place);
        self.rooms.iter().position(|room| room.holes.contains(local))
    }

    /// True if the holes hold a particle that is at `place` \[m\] at a fraction of the step.
    pub(crate) fn holds(&self, place: Vec3, since: f32) -> bool {
        self.is_container() && self.holes.contains(self.pose_at(since).to_local(place))
    }

    /// Returns for a particle that was at `start` \[m\] at the fraction `since` of the step the point nearest
    /// to `place` at its end in the room that held it, `margin` \[m\] from the walls, and the wall there, in
    /// world axes. None if no room held it, or if `place` is at least that deep in the room.
    pub(crate) fn hold(
        &self,
        (start, since): (Vec3, f32),
        place: Vec3,
        margin: f32,
    ) -> Option<(Vec3, Surface)> {
        let local = self.to.to_local(place);
        let hold = |room: &Room| room.holes.hold(local, margin);
        let starts_in = |room: &&Room| room.holes.contains(self.pose_at(since).to_local(start));
        let (held, wall) = match &*self.rooms {
            // Most particles are deep enough, wherever they started.
            [room] => hold(room).filter(|_| starts_in(&room)),
            rooms => rooms.iter().find(starts_in).and_then(hold),
        }?;
        Some((self.to.to_world(held), self.in_world(wall)))
    }

    /// True only if the holes hold the box with these `corners` \[m\] at least `margin` \[m\] from their
    /// walls at the end of the step.
    pub(crate) fn holds_hull(&self, corners: &[Vec3; 8], margin: f32) -> bool {
        self.holes.are_deep(&corners.map(|corner| self.to.to_local(corner)), margin)
    }

    /// Returns the surface less than `reach` \[m\] from `place` at the end of the step, in world axes: of all
    /// solids, and of the holes if one of them holds `place`. The distance is positive in the fluid.
    pub fn surface(&self, place: Vec3, reach: f32) -> Option<Surface> {
        let local = self.to.to_local(place);
        let solids = self.solids_for(self.is_in_hollow(local));
        let solids = solids.filter_map(|(_, shape)| shape.surface_within(local, reach));
        let nearest =
            solids.chain(self.holes.wall(local, reach).filter(|wall| self.holes.is_held_at(wall.distance)));
        let nearest = nearest.reduce(|a, b| if b.distance < a.distance { b } else { a })?;
        (nearest.distance < reach).then(|| self.in_world(nearest))
    }

    /// Returns the face nearest to `middle`, less than `reach` \[m\] away, of the solid shape around `place`
    /// at the end of the step, in world axes: if the shape reaches as far behind the face as a box around
    /// `middle` with this half width \[m\] along each normal.
    pub(crate) fn face_over(
        &self,
        middle: Vec3,
        half_width: &dyn Fn(Vec3) -> f32,
        place: Vec3,
        reach: f32,
    ) -> Option<Surface> {
        let (local, around) = (self.to.to_local(place), self.to.to_local(middle));
        let (_, shape) = self.solids().find(|(_, shape)| shape.surface_if_inside(local).is_some())?;
        let face = self.in_world(shape.surface_within(around, reach)?);
        let depth = half_width(face.normal) - face.normal.dot(middle - face.point);
        let back = self.to.to_local(face.point - face.normal * depth);
        shape.surface_if_inside(back).map(|_| face)
    }

    /// True if `surface`, the nearest one to a `place` \[m\] in a hole, is a wall of the hole.
    pub(crate) fn is_at_wall(&self, place: Vec3, surface: &Surface) -> bool {
        let wall = || self.holes.wall(self.to.to_local(place), f32::INFINITY);
        !self.is_solid() || wall().is_some_and(|wall| wall.distance <= surface.distance)
    }

    /// True if a point of a solid's surface \[m\] is less than `thickness` \[m\] outside of a hole.
    pub(crate) fn is_thin_at(&self, point: Vec3, thickness: f32) -> bool {
        let wall = || self.holes.wall(self.to.to_local(point), thickness);
        self.is_container() && wall().is_none_or(|wall| wall.distance > -thickness)
    }

    /// Transforms a surface from the body's axes to world axes at the end of the step.
    pub(crate) fn in_world(&self, surface: Surface) -> Surface {
        let Surface { distance, point, normal } = surface;
        Surface { distance, point: self.to.to_world(point), normal: self.to.turn(normal) }
    }

    /// True if a point \[m, the body's axes\] may be less than `reach` \[m\] from the surface.
    #[inline]
    pub(crate) fn may_reach(&self, local: Vec3, reach: f32) -> bool {
        let apart = (local - self.ball.centre).length() > self.ball.radius + reach;
        !apart
    }

    /// Replaces the shapes and keeps the motion.
    pub(crate) fn set_shapes(&mut self, shapes: Arc<[Shape]>) {
        self.ball = ball_around(&shapes);
        self.bounds = bounds_of(&shapes);
        self.holes = Arc::new(Holes::of(&shapes));
        self.rooms = Room::all(&shapes);
        self.hollow = hollow(&shapes);
        self.hidden = hidden(&shapes).into();
        self.level = shapes.iter().any(Shape::is_level);
        self.open = shapes.iter().any(Shape::is_open);
        self.cave = shapes.iter().any(Shape::is_cave);
        self.shapes = shapes;
        self.measure();
    }

    /// Teleports the obstacle.
    pub(crate) fn place(&mut self, pose: Pose) {
        (self.from, self.to) = (pose, pose);
        self.measure();
    }

    /// Moves from the current pose to `to`, with these velocities there.
    pub(crate) fn advance(&mut self, to: Pose, velocity: Vec3, angular_velocity: Vec3) {
        (self.from, self.to) = (self.to, to);
        (self.velocity, self.angular_velocity) = (velocity, angular_velocity);
        self.measure();
    }

    fn measure(&mut self) {
        let (from, to) = (&self.from, &self.to);
        self.turn = rotation::shorter(from.rotation.conjugate() * to.rotation).to_axis_angle();
        let planes = [from, to].map(|pose| self.mirror_at(pose));
        self.planes = planes[0].zip(planes[1]).map(|(from, to)| [from, to]);
        let Ball { centre, radius } = self.ball;
        if self.shapes.is_empty() {
            (self.swept, self.swept_box) = (Ball::EMPTY, EMPTY_BOX);
            return;
        }
        let (start, end) = (from.to_world(centre), to.to_world(centre));
        // The centre of the sphere moves along an arc; this bounds its distance from the chord.
        let bulge = centre.length() * (1.0 - cosine_from_below(0.5 * self.turn.1));
        self.swept = Ball::around(start * 0.5 + end * 0.5, 0.5 * start.distance(end) + bulge + radius);
        // A particle that starts in a wall is held, too.
        let is_bounded = self.ball.radius.is_finite() && !self.is_container();
        self.swept_box = if is_bounded { self.box_around_way() } else { WHOLE_SPACE };
    }

    /// Makes the position `origin` \[m\] the origin.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        (self.from.position, self.to.position) = (self.from.position - origin, self.to.position - origin);
        self.measure();
    }

    /// Returns the bounding box of the shapes at the end of the step: lowest and highest coordinates \[m\],
    /// up to rounding.
    pub(crate) fn box_at_end(&self) -> (Vec3, Vec3) {
        match (self.shapes.is_empty(), self.is_half_space()) {
            (true, _) => EMPTY_BOX,
            (_, true) => WHOLE_SPACE,
            _ => self.box_at(&self.to),
        }
    }

    fn box_at(&self, pose: &Pose) -> (Vec3, Vec3) {
        let (low, high) = self.bounds;
        let half = Mat3::from_quat(pose.rotation.normalize()).abs() * (0.5 * (high - low));
        let middle = pose.to_world(low.midpoint(high));
        (middle - half, middle + half)
    }

    /// Returns the bounding box of all positions during the step: coordinates \[m\].
    fn box_around_way(&self) -> (Vec3, Vec3) {
        let (low, high) = self.bounds;
        let (middle, half) = (low.midpoint(high), 0.5 * (high - low));
        let (from, to) = (self.box_at(&self.from), self.box_at(&self.to));
        let (low, high) = (from.0.min(to.0), from.1.max(to.1));
        // No point leaves its chord farther than the point farthest from the body's origin.
        let reach = middle.length() + half.length();
        let bulge = reach * (1.0 - cosine_from_below(0.5 * self.turn.1));
        let slack = bulge + BOX_ROUNDING * (reach + low.abs().max(high.abs()).max_element());
        (low - slack, high + slack)
    }
}

/// A box that contains everything \[m\].
const WHOLE_SPACE: (Vec3, Vec3) = (Vec3::NEG_INFINITY, Vec3::INFINITY);
/// A box that contains nothing \[m\].
const EMPTY_BOX: (Vec3, Vec3) = (Vec3::INFINITY, Vec3::NEG_INFINITY);

/// True if two boxes have a point in common. Written so that NaN is not ruled out.
#[inline]
fn meet(a: (Vec3, Vec3), b: (Vec3, Vec3)) -> bool {
    !(a.0.cmpgt(b.1).any() || b.0.cmpgt(a.1).any())
}

/// Returns the lowest and highest coordinates \[m\] of these shapes, in the axes of their body.
fn bounds_of(shapes: &[Shape]) -> (Vec3, Vec3) {
    let each = shapes.iter().map(Shape::bounds);
    each.fold(EMPTY_BOX, |a, b| (a.0.min(b.0), a.1.max(b.1)))
}

/// Returns the surface of a half-space with its body at `pose`; None for other shapes.
pub(crate) fn surface_of_half_space(shapes: &[Shape], pose: &Pose) -> Option<Mirror> {
    let shape = shapes.first().filter(|shape| shape.is_half_space())?;
    let normal = pose.turn(shape.pose.turn(Vec3::Z));
    Some(Mirror::new(pose.to_world(shape.pose.position), normal))
}

/// True if a box may reach below one of two planes, or if the planes are not parallel: a half-space that
/// turns may be anywhere.
fn may_reach_below(planes: &[Mirror; 2], low: Vec3, high: Vec3) -> bool {
    let (middle, half) = (low.midpoint(high), 0.5 * (high - low).as_dvec3());
    let far = low.abs().max(high.abs()).max_element();
    planes[0].normal() != planes[1].normal()
        || planes.iter().any(|plane| {
            let height = plane.height(middle);
            let slack = HEIGHT_ROUNDING * (far + height.abs() as f32);
            // Written so that NaN is not ruled out.
            let above = height - plane.normal().abs().dot(half) > f64::from(slack);
            !above
        })
}

/// Returns a lower bound of cos x, for 0 ≤ x ≤ π/2.
fn cosine_from_below(x: f32) -> f32 {
    (1.0 - 0.5 * x * x).max(0.0)
}
