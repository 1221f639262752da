//! Search for the walls around nodes of density, and for the images of nodes in walls (E42).

use super::{MIRRORS, WallNode, WallSource, WallTreatment};
use crate::boundary::enclosure::{WALL_BATCH, Wall};
use glam::Vec3;

/// Sine of the slope above which a wall is steep \[1\]: 45°. With 30° images would be farther away than the
/// width of a tank of 12 spacings.
const STEEP: f32 = 0.7;

/// Finds the walls around nodes.
pub(super) struct WallSearch<'a> {
    /// The walls, and their treatment.
    pub(super) source: WallSource<'a>,
    /// Distance \[m\] within which walls are found.
    pub(super) reach: f32,
}

impl WallSearch<'_> {
    /// Finds the walls around up to [`WALL_BATCH`] nodes at `place(index)`.
    pub(super) fn walls(&self, nodes: &mut [WallNode], place: impl Fn(usize) -> Vec3) {
        let gravity = self.source.gravity;
        let mut places: [Vec3; WALL_BATCH] = std::array::from_fn(place);
        let mut walls = [None; WALL_BATCH];
        let (places, walls) = (&mut places[..nodes.len()], &mut walls[..nodes.len()]);
        self.at_each(places, walls);
        for ((node, wall), place) in nodes.iter_mut().zip(&*walls).zip(&*places) {
            *node = wall.map_or(WallNode::free(gravity), |wall: Wall| WallNode {
                distance: wall.distance,
                normal: wall.normal,
                gravity: gravity - wall.acceleration,
                image: *place,
            });
        }
        if self.source.treatment == WallTreatment::Balanced {
            self.mirror(nodes, places, walls);
        }
    }

    /// Moves the images of nodes in walls into the fluid. If reflections lead from one wall into the next,
    /// the image is on the last wall. If they lead out of reach, the container has no fluid at the node's
    /// level, and the image is the nearest point of the node's own wall.
    fn mirror(&self, nodes: &mut [WallNode], places: &mut [Vec3], walls: &mut [Option<Wall>]) {
        // Most images are in the fluid after one reflection.
        let (mut mirrored, mut count) = ([0; WALL_BATCH], 0);
        for (i, node) in nodes.iter_mut().enumerate() {
            if let Some(wall) = walls[i].filter(|wall| wall.distance < 0.0) {
                let place = node.image;
                node.image = place - wall.distance * wall.normal;
                places[count] = reflection(place, wall, node.gravity.normalize_or_zero());
                mirrored[count] = i;
                count += 1;
            }
        }
        self.at_each(&places[..count], &mut walls[..count]);
        for ((&i, &wall), &place) in mirrored[..count].iter().zip(&walls[..count]).zip(&*places) {
            let down = nodes[i].gravity.normalize_or_zero();
            if let Some(image) = wall.and_then(|wall| self.image(place, wall, down)) {
                nodes[i].image = image;
            }
        }
    }

    /// Returns the image of a point that one reflection has moved to where this `wall` is the nearest. None
    /// if more reflections lead out of reach.
    fn image(&self, mut place: Vec3, mut wall: Wall, down: Vec3) -> Option<Vec3> {
        let nearest = |place: Vec3| self.source.walls.at(place, self.reach).filter(is_finite);
        for _ in 1..MIRRORS {
            if wall.distance >= 0.0 {
                break;
            }
            place = reflection(place, wall, down);
            wall = nearest(place)?;
        }
        for _ in 0..MIRRORS {
            if wall.distance >= 0.0 {
                break;
            }
            place -= wall.distance * wall.normal;
            wall = nearest(place)?;
        }
        Some(place)
    }

    /// Finds the walls nearest to some points; None without one within reach, and where it is not finite.
    fn at_each(&self, places: &[Vec3], walls: &mut [Option<Wall>]) {
        self.source.walls.at_each(places, self.reach, walls);
        for wall in walls {
            *wall = wall.filter(is_finite);
        }
    }
}

fn is_finite(wall: &Wall) -> bool {
    wall.distance.is_finite() && wall.normal.is_finite() && wall.acceleration.is_finite()
}

/// Returns the image of a point in a wall.
///
/// Steep walls mirror horizontally: fluid at rest has one density at each height, and so has its image, at
/// any inclination of the wall. Level walls mirror along their normal: the horizontal would lead far away.
fn reflection(place: Vec3, wall: Wall, down: Vec3) -> Vec3 {
    let Wall { distance, normal, .. } = wall;
    let level = normal - down * down.dot(normal);
    let steep = (level.length() / STEEP).min(1.0);
    let direction = level + (1.0 - steep) * (normal - level);
    place - 2.0 * distance / direction.dot(normal) * direction
}
