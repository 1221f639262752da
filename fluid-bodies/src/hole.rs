//! Holes: convex cavities that hold fluid (part 14), surrounded by solid.
//!
//! Only the end position matters: a convex hole has one interior, so a particle found outside is moved to the
//! nearest interior point.

use crate::ball::{Ball, ball_around};
use crate::depth_table::DepthTable;
use crate::pose::Pose;
use crate::separation::{Placed, gap};
use crate::shapes::{Geometry, Parity, Shape, Surface};
use fluid_core::boundary::{Inside, walls_one_by_one};
use glam::Vec3;

/// A hole of a body, in the body's axes.
#[derive(Debug, Clone)]
struct Hole {
    shape: Shape,
    /// An inscribed sphere \[m\]: points inside it are off every wall.
    centre: Vec3,
    radius: f32,
    /// The same centre in the axes of the shape.
    middle: Vec3,
    /// Bounding sphere.
    ball: Ball,
    /// Its lowest and highest coordinates \[m\].
    bounds: (Vec3, Vec3),
    /// True if the axes of the shape are the body's.
    is_unturned: bool,
    /// Lower bounds of depths in a polytope.
    depths: Option<DepthTable>,
    /// Upper bound of the round-off of a depth \[m\].
    rounding: f32,
}

/// Result of the cheap test of a point against a hole.
enum Look {
    /// At least as deep as requested.
    Deep,
    /// At least that far outside \[m\].
    Far(f32),
    /// Undecided: the surface has to be evaluated.
    Near,
}

/// Holes of a body: all of them, or those that overlap and are the interior of one enclosure.
#[derive(Debug, Clone)]
pub(crate) struct Holes {
    list: Vec<Hole>,
    /// Distance outside \[m\] up to which a particle is still held.
    grip: f32,
    /// Bounding sphere of all, in the body's axes.
    ball: Ball,
}

/// [`Holes::grip`] relative to the smallest inscribed sphere \[1\]: covers seeds on a wall, and round-off.
const GRIP: f32 = 0.01;

/// Thickness of walls \[core radii\]: their sheet, and its core.
pub(crate) const WALL_THICKNESS: f32 = 2.0;

/// Smallest scale to which a hole is shrunk to keep particles off its walls \[1\].
const LEAST_SIZE: f32 = 0.5;

/// [`Hole::rounding`] relative to the hole's coordinates \[1\]; for a point outside, its own coordinates
/// count too.
const DEPTH_ROUNDING: f32 = 32.0 * f32::EPSILON;

impl Holes {
    /// Collects the holes among these shapes.
    pub(crate) fn of(shapes: &[Shape]) -> Self {
        let holes = shapes.iter().filter(|shape| shape.parity == Parity::Hole);
        let list: Vec<_> = holes.map(Hole::new).collect();
        let grip = GRIP * list.iter().map(|hole| hole.radius).fold(f32::INFINITY, f32::min);
        let all: Vec<_> = list.iter().map(|hole| hole.shape.clone()).collect();
        Self { list, grip, ball: ball_around(&all) }
    }

    /// Returns the bounding sphere of all holes, in the body's axes.
    pub(crate) fn ball(&self) -> &Ball {
        &self.ball
    }

    /// Returns the shapes of the holes, in order.
    pub(crate) fn shapes(&self) -> impl Iterator<Item = &Shape> + Clone {
        self.list.iter().map(|hole| &hole.shape)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the wall of the hole that holds `place` most deeply. If the wall is certainly `reach` \[m\] or
    /// more away, it may be any such wall, with a `distance` that shows it. The distance is negative outside
    /// of all holes. None without holes, and deep in one.
    #[inline]
    pub(crate) fn wall(&self, place: Vec3, reach: f32) -> Option<Surface> {
        let mut nearest: Option<Surface> = None;
        for hole in &self.list {
            let wall = match hole.look(place, reach, reach + self.grip) {
                Look::Deep => return None,
                Look::Far(distance) => Surface { distance: -distance, point: place, normal: Vec3::Z },
                Look::Near => hole.wall(place),
            };
            nearest = Some(match nearest {
                Some(nearest) if wall.distance > nearest.distance => wall,
                Some(nearest) => nearest,
                None => wall,
            });
        }
        nearest
    }

    /// True only if the box between `corners` \[m\] is at least `depth` \[m\] deep in one of the holes, which
    /// are convex.
    pub(crate) fn are_deep(&self, corners: &[Vec3; 8], depth: f32) -> bool {
        self.list.iter().any(|hole| corners.iter().all(|&corner| hole.is_deep(corner, depth)))
    }

    /// True if a hole holds a particle at this depth \[m\].
    pub(crate) fn is_held_at(&self, depth: f32) -> bool {
        depth >= -self.grip
    }

    /// Returns the point nearest to `place` that is `margin` \[m\] from the walls of one of the holes, and
    /// the wall there. None if `place` is that deep already.
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

/// Returns the holes among these shapes, those that overlap together: each list is one room. The order is
/// that of their first holes.
pub(crate) fn rooms(shapes: &[Shape]) -> Vec<Vec<Shape>> {
    let mut rooms: Vec<Vec<Shape>> = Vec::new();
    for hole in shapes.iter().filter(|shape| shape.parity == Parity::Hole) {
        let own = Placed::new(hole, &Pose::IDENTITY);
        let touches = |other: &Shape| gap(own, Placed::new(other, &Pose::IDENTITY)) < 0.0;
        let mut joined = vec![hole.clone()];
        let mut first = None;
        let mut row = 0;
        rooms.retain_mut(|room| {
            let is_joined = room.iter().any(touches);
            if is_joined {
                first.get_or_insert(row);
                joined.append(room);
            }
            row += usize::from(!is_joined);
            !is_joined
        });
        rooms.insert(first.unwrap_or(rooms.len()), joined);
    }
    rooms
}

/// Returns the middle of a room \[m\], with which its fluid moves: the centre of its bounding sphere.
pub(crate) fn middle_of_room(room: &[Shape]) -> Vec3 {
    ball_around(room).centre
}

impl Inside for Holes {
    fn contains(&self, place: Vec3) -> bool {
        !self.is_empty() && self.wall(place, 0.0).is_none_or(|wall| self.is_held_at(wall.distance))
    }

    fn contains_hull(&self, corners: &[Vec3; 8]) -> bool {
        self.are_deep(corners, 0.0)
    }

    fn is_far(&self, low: Vec3, high: Vec3, reach: f32) -> bool {
        !self.is_empty() && self.list.iter().all(|hole| hole.is_far(low, high, reach))
    }

    #[inline]
    fn wall(&self, place: Vec3, reach: f32) -> Option<(f32, Vec3)> {
        Self::wall(self, place, reach).map(|wall| (wall.distance, wall.normal))
    }

    fn walls(&self, places: &[Vec3], reach: f32, walls: &mut [(f32, Vec3)]) {
        match self.list.as_slice() {
            [Hole { shape: Shape { geometry: Geometry::Cuboid(cuboid), .. }, is_unturned: true, .. }] => {
                cuboid.walls_of_cavity(places, walls);
                walls.iter_mut().for_each(|(distance, _)| *distance = distance.min(reach));
            }
            _ => walls_one_by_one(self, places, reach, walls),
        }
    }
}

impl Hole {
    fn new(shape: &Shape) -> Self {
        let (centre, radius) = shape.geometry.queries().inscribed_sphere();
        let ball = ball_around(std::slice::from_ref(shape));
        let depths = match &shape.geometry {
            Geometry::Polytope(polytope) => Some(DepthTable::of(polytope)),
            _ => None,
        };
        let own = shape.geometry.queries().bounding_sphere();
        let size = ball.radius + ball.centre.abs().max_element() + own.0.abs().max_element();
        Self {
            centre: shape.pose.to_world(centre),
            radius,
            middle: centre,
            ball,
            bounds: shape.bounds(),
            is_unturned: shape.pose == Pose::IDENTITY,
            depths,
            rounding: DEPTH_ROUNDING * size,
            shape: shape.clone(),
        }
    }

    /// True if a point is certainly at least `depth` \[m\] deep.
    #[inline]
    fn is_deep(&self, place: Vec3, depth: f32) -> bool {
        self.is_deep_at(self.local(place), depth)
    }

    /// Tests cheaply whether a point is at least `depth` \[m\] deep, or more than `far` \[m\] outside.
    #[inline]
    fn look(&self, place: Vec3, depth: f32, far: f32) -> Look {
        let local = self.local(place);
        if self.is_deep_at(local, depth) {
            return Look::Deep;
        }
        // More nodes are around a container than in it, and most of those are far from it.
        let from_box = match &self.depths {
            Some(depths) => depths.least_distance(local),
            None => self.shape.geometry.least_distance(local),
        };
        let rounding = self.rounding + DEPTH_ROUNDING * local.abs().max_element();
        let distance = self.ball.distance(place).max(from_box - rounding);
        if distance > far { Look::Far(distance) } else { Look::Near }
    }

    /// True only if a box from `low` to `high` \[m\] is more than `reach` \[m\] outside.
    fn is_far(&self, low: Vec3, high: Vec3, reach: f32) -> bool {
        let gap = (low - self.bounds.1).max(self.bounds.0 - high).max_element();
        let rounding = self.rounding + DEPTH_ROUNDING * low.abs().max(high.abs()).max_element();
        gap > reach + rounding
    }

    #[inline]
    fn is_deep_at(&self, local: Vec3, depth: f32) -> bool {
        // Outside, the nearest plane is not the nearest wall.
        let depth = depth.max(0.0) + self.rounding;
        match &self.depths {
            Some(depths) => self.is_in_ball(local, depth) || depths.is_deep(local, depth),
            None => self.shape.geometry.least_depth(local) >= depth,
        }
    }

    /// True if a point, in the axes of the shape, is that deep \[m\] in the inscribed sphere.
    #[inline]
    fn is_in_ball(&self, local: Vec3, depth: f32) -> bool {
        let room = self.radius - depth;
        room > 0.0 && (local - self.middle).length_squared() < room * room
    }

    /// Converts a point to the axes of the shape.
    #[inline]
    fn local(&self, place: Vec3) -> Vec3 {
        if self.is_unturned { place } else { self.shape.pose.to_local(place) }
    }

    /// Returns the wall nearest to a point: the distance is positive inside, and the normal points inwards.
    #[inline]
    fn wall(&self, place: Vec3) -> Surface {
        self.shape.surface(place)
    }

    /// Returns the point nearest to `place` that is at least `margin` \[m\] from all walls: on the walls of
    /// the hole scaled about an inscribed sphere, which moves each wall in by at least that much. All walls
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::{Capsule, Cuboid, Polytope, Sphere};
    use fluid_core::math::{Random, box_around, corners_of};
    use glam::Quat;

    /// Each shape, aligned and rotated; all coordinates are at most 6 m.
    fn holes() -> Vec<Shape> {
        let random = Random::new(5);
        let corners: Vec<Vec3> = (0..40).map(|n| random.centred_vec3(n).normalize() * 1.2).collect();
        let geometries = [
            Geometry::Sphere(Sphere { radius: 1.1 }),
            Geometry::Cuboid(Cuboid { half_extents: Vec3::new(0.5, 1.0, 1.5) }),
            Geometry::Capsule(Capsule { half_height: 0.7, radius: 0.6 }),
            Geometry::Polytope(Polytope::from_points(&corners).expect("points on a sphere")),
        ];
        let turned = Pose {
            position: Vec3::new(0.3, -0.2, 0.5),
            rotation: Quat::from_rotation_x(0.4) * Quat::from_rotation_z(0.7),
        };
        let shapes = |geometry: Geometry| {
            [Pose::IDENTITY, turned].map(|pose| Shape {
                geometry: geometry.clone(),
                pose,
                parity: Parity::Hole,
            })
        };
        geometries.into_iter().flat_map(shapes).collect()
    }

    #[test]
    fn what_is_cheaply_said_of_a_place_is_true_of_the_surface() {
        let random = Random::new(7);
        for shape in holes() {
            let room = Holes::of(std::slice::from_ref(&shape));
            let hole = &room.list[0];
            let mut said = [0; 3];
            for n in 0..20_000 {
                let place = random.centred_vec3(3 * n) * 6.0;
                let (depth, far) = (random.unit(3 * n + 1) - 0.2, random.unit(3 * n + 2));
                let distance = shape.surface(place).distance;
                let number = match hole.look(place, depth, far) {
                    Look::Deep => {
                        assert!(distance >= depth, "{shape:?}: {place} is {distance} deep, not {depth}");
                        0
                    }
                    Look::Far(least) => {
                        assert!(least > far && distance <= -least, "{shape:?}: {place} {distance} {least}");
                        1
                    }
                    Look::Near => 2,
                };
                said[number] += 1;
                assert_eq!(room.contains(place), distance >= -room.grip, "{shape:?}: {place} {distance}");
            }
            assert!(said.iter().all(|&count| count > 50), "{shape:?}: {said:?}");
        }
    }

    /// In the loop of vectors as well: deeper than the reach only the distance is known.
    #[test]
    fn walls_of_many_places_are_those_of_each() {
        let random = Random::new(6);
        for shape in holes() {
            let room = Holes::of(std::slice::from_ref(&shape));
            let places: Vec<Vec3> = (0..2000).map(|n| random.centred_vec3(n) * 6.0).collect();
            let special = [0.0, -0.0, 0.5, -1.0, 1.5, 1e30].map(|v| Vec3::new(v, 0.5 * v, -v));
            let places = [places.as_slice(), &special].concat();
            for (reach, count) in [(0.2, 1), (0.5, 33), (2.0, 500)] {
                for places in places.chunks(count) {
                    let mut walls = vec![(0.0, Vec3::ZERO); places.len()];
                    room.walls(places, reach, &mut walls);
                    for (&place, &(distance, normal)) in places.iter().zip(&walls) {
                        let Surface { distance: exact, normal: exact_normal, .. } = shape.surface(place);
                        if exact.abs() < reach {
                            assert_eq!((distance, normal), (exact, exact_normal), "{shape:?}: {place}");
                        } else {
                            assert!(distance.abs() >= 0.999 * reach && distance * exact > 0.0, "{place}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_box_that_is_deep_has_no_place_that_is_not() {
        let random = Random::new(8);
        for shape in holes() {
            let room = Holes::of(std::slice::from_ref(&shape));
            let mut deep = 0;
            for n in 0..2000 {
                let middle = random.centred_vec3(n) * 3.0;
                let places: [Vec3; 16] =
                    std::array::from_fn(|i| middle + random.centred_vec3(10_000 + 16 * n + i as u64) * 0.2);
                if room.are_deep(&corners_of(box_around(&places)), 0.05) {
                    deep += 1;
                    for place in places {
                        let distance = shape.surface(place).distance;
                        assert!(distance >= 0.05, "{shape:?}: {place} is {distance} deep");
                    }
                }
            }
            assert!(deep > 50, "{shape:?}: {deep}");
        }
    }

    #[test]
    fn a_box_that_is_far_has_no_place_that_is_near() {
        let random = Random::new(9);
        for shape in holes() {
            let room = Holes::of(std::slice::from_ref(&shape));
            let mut far = 0;
            for n in 0..2000 {
                let middle = random.centred_vec3(n) * 6.0;
                let places: [Vec3; 16] =
                    std::array::from_fn(|i| middle + random.centred_vec3(10_000 + 16 * n + i as u64));
                let (low, high) = box_around(&places);
                if room.is_far(low, high, 0.3) {
                    far += 1;
                    for place in places {
                        let distance = shape.surface(place).distance;
                        assert!(distance < -0.3, "{shape:?}: {place} is {distance} deep");
                    }
                }
            }
            assert!(far > 50, "{shape:?}: {far}");
        }
    }
}
