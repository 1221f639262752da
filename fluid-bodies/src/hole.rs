//! Holes: convex shapes that hold fluid (part 14). What is around them is solid.
//!
//! The way of a particle does not matter: a convex hole has one inside, and what has left it comes back to the
//! nearest place of it.

use crate::ball::{Ball, ball_around};
use crate::shapes::{Parity, Shape, Surface};
use fluid_core::velocity::Inside;
use glam::Vec3;

/// A hole of a body, in the body's axes.
#[derive(Debug, Clone)]
struct Hole {
    shape: Shape,
    /// A sphere in it: what is in there touches no wall.
    centre: Vec3,
    radius: f32,
    /// A sphere around it.
    ball: Ball,
}

/// All holes of a body: one room.
#[derive(Debug, Clone, Default)]
pub(crate) struct Holes {
    list: Vec<Hole>,
    /// A particle that is outside by less than this \[m\] is still held.
    grip: f32,
}

/// [`Holes::grip`] as a share of the smallest sphere in a hole \[1\]: seeds on a wall, and rounding.
const GRIP: f32 = 0.01;

/// Smallest size to which a hole is shrunk to keep particles off its walls, as a share of its own \[1\].
const LEAST_SIZE: f32 = 0.5;

impl Holes {
    /// Of these shapes.
    pub(crate) fn of(shapes: &[Shape]) -> Self {
        let holes = shapes.iter().filter(|shape| shape.parity == Parity::Hole);
        let list: Vec<_> = holes.map(Hole::new).collect();
        let grip = GRIP * list.iter().map(|hole| hole.radius).fold(f32::INFINITY, f32::min);
        Self { list, grip }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The wall of the hole that holds a place best, unless it is surely `reach` \[m\] or more away: then it
    /// may be any that is, of a distance that tells. Distance is negative outside of all holes. None without
    /// holes, and deep in one.
    pub(crate) fn wall(&self, place: Vec3, reach: f32) -> Option<Surface> {
        if self.list.iter().any(|hole| hole.is_deep(place, reach)) {
            return None;
        }
        let walls = self.list.iter().map(|hole| match hole.ball.distance(place) {
            // Around a container there are more nodes than in it, and most are far from it.
            far if far > reach + self.grip => Surface { distance: -far, point: place, normal: Vec3::Z },
            _ => hole.wall(place),
        });
        walls.reduce(|a, b| if b.distance > a.distance { b } else { a })
    }

    /// True if a particle that is so deep \[m\] in a hole is held by it.
    pub(crate) fn is_held_at(&self, depth: f32) -> bool {
        depth >= -self.grip
    }

    /// The place nearest to `place` that is `margin` \[m\] from the walls of one of them, and the wall there.
    /// None if it is as deep as that already.
    pub(crate) fn hold(&self, place: Vec3, margin: f32) -> Option<(Vec3, Surface)> {
        if self.wall(place, margin).is_none_or(|wall| wall.distance >= margin) {
            return None;
        }
        let held = self.list.iter().map(|hole| (hole, hole.hold(place, margin)));
        let nearer = |a: Vec3, b: Vec3| b.distance_squared(place) < a.distance_squared(place);
        let (hole, held) = held.reduce(|a, b| if nearer(a.1, b.1) { b } else { a })?;
        Some((held, hole.wall(held)))
    }
}

impl Inside for Holes {
    fn contains(&self, place: Vec3) -> bool {
        !self.is_empty() && self.wall(place, 0.0).is_none_or(|wall| self.is_held_at(wall.distance))
    }
}

impl Hole {
    fn new(shape: &Shape) -> Self {
        let (centre, radius) = shape.geometry.convex().inscribed_sphere();
        let ball = ball_around(std::slice::from_ref(shape));
        Self { centre: shape.pose.to_world(centre), radius, ball, shape: shape.clone() }
    }

    /// True if a place is surely deeper than `depth` \[m\] in it.
    #[inline]
    fn is_deep(&self, place: Vec3, depth: f32) -> bool {
        let room = self.radius - depth;
        room > 0.0 && (place - self.centre).length_squared() < room * room
    }

    /// Its wall nearest to a place: distance is positive inside, and the normal points there.
    fn wall(&self, place: Vec3) -> Surface {
        self.shape.surface(place)
    }

    /// The place nearest to `place` that is `margin` \[m\] or more from all of its walls: on the walls of the
    /// hole scaled about a sphere inscribed in it, which moves each wall in by at least that much. All walls
    /// of a corner or a wedge count at once.
    fn hold(&self, place: Vec3, margin: f32) -> Vec3 {
        let scale = (1.0 - margin / self.radius).max(LEAST_SIZE);
        let larger = self.centre + (place - self.centre) / scale;
        let wall = self.shape.surface(larger);
        if wall.distance >= 0.0 {
            return place;
        }
        self.centre + (wall.point - self.centre) * scale
    }
}
