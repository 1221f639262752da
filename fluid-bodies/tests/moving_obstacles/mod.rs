//! Random bodies that move and turn, and particles on adversarial paths.
#![allow(dead_code, reason = "programs of tests take what they need")]

use fluid_bodies::Pose;
use fluid_bodies::obstacles::{BroadPhase, Obstacle, Obstacles};
use fluid_bodies::shapes::{Geometry, Polytope, Shape};
use fluid_core::math::Random;
use glam::{Quat, Vec3};
use std::sync::Arc;

/// A sequence of random numbers.
pub(crate) struct Dice {
    random: Random,
    thrown: u64,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), thrown: 0 }
    }
    /// Returns a number uniform in [0, 1).
    pub(crate) fn unit(&mut self) -> f32 {
        self.thrown += 1;
        self.random.unit(self.thrown)
    }
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.unit() * end as f32) as usize
    }
    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }
    /// Returns a point uniform in a cube with this edge about the origin.
    pub(crate) fn vec3(&mut self, edge: f32) -> Vec3 {
        Vec3::new(self.unit() - 0.5, self.unit() - 0.5, self.unit() - 0.5) * edge
    }
    pub(crate) fn direction(&mut self) -> Vec3 {
        self.vec3(2.0).try_normalize().unwrap_or(Vec3::X)
    }
    pub(crate) fn rotation(&mut self) -> Quat {
        Quat::from_scaled_axis(self.direction() * self.between(0.0, 3.0))
    }
    pub(crate) fn pose(&mut self, edge: f32) -> Pose {
        Pose { position: self.vec3(edge), rotation: self.rotation() }
    }

    /// Returns a random kind of shape of about unit size, thin plates included.
    pub(crate) fn geometry(&mut self) -> Shape {
        match self.below(6) {
            0 => Shape::sphere(self.between(0.1, 0.6)),
            1 => Shape::cuboid(Vec3::splat(0.2) + self.vec3(0.2)),
            2 => Shape::cuboid(Vec3::new(self.between(0.3, 1.0), self.between(0.3, 1.0), 1e-3)),
            3 => Shape::capsule(self.between(0.0, 0.5), self.between(0.05, 0.3)),
            4 => Shape::cylinder(self.between(0.01, 0.5), self.between(0.05, 0.3)),
            _ => {
                let points: Vec<Vec3> = (0..12).map(|_| self.vec3(0.8)).collect();
                Shape::solid(Geometry::Polytope(Polytope::from_points(&points).expect("points in space")))
            }
        }
    }

    /// Returns one shape at the origin, or several at random poses.
    pub(crate) fn shapes(&mut self) -> Arc<[Shape]> {
        if self.below(3) > 0 {
            return Arc::from([self.geometry()]);
        }
        let count = 2 + self.below(3);
        (0..count).map(|_| Shape { pose: self.pose(1.0), ..self.geometry() }).collect()
    }

    /// Returns the motion of a body in a step: at rest, translating, spinning, or to a random pose.
    pub(crate) fn motion(&mut self, pose: &Pose, edge: f32) -> (Pose, Vec3, Vec3) {
        let (velocity, spin) = (self.vec3(2.0), self.direction() * self.between(0.0, 3.0));
        match self.below(4) {
            0 => (*pose, Vec3::ZERO, Vec3::ZERO),
            1 => (pose.advanced(velocity, Vec3::ZERO, 1.0), velocity, Vec3::ZERO),
            2 => (pose.advanced(velocity * 0.1, spin, 1.0), velocity * 0.1, spin),
            _ => (self.pose(edge), velocity, spin),
        }
    }
}

/// Returns `count` bodies in a cube with this edge, before their first step. Equal random numbers give
/// equal bodies.
pub(crate) fn bodies(dice: &mut Dice, count: usize, edge: f32, broad_phase: BroadPhase) -> Obstacles {
    let mut obstacles = Obstacles::new(1e-4).with_broad_phase(broad_phase);
    for _ in 0..count {
        let shapes = dice.shapes();
        obstacles.push(Obstacle::new(shapes, dice.pose(edge)));
    }
    obstacles
}

/// Moves each body randomly.
pub(crate) fn advance(dice: &mut Dice, obstacles: &mut Obstacles, edge: f32) {
    let motions: Vec<_> =
        obstacles.list().iter().map(|obstacle| dice.motion(obstacle.pose(), edge)).collect();
    obstacles.advance(|i| motions[i]);
}

/// Returns paths of particles in a cube with this edge: long, short, of zero length, starting at surfaces,
/// along them and through everything.
pub(crate) fn ways(
    dice: &mut Dice,
    obstacles: &Obstacles,
    count: usize,
    edge: f32,
) -> (Vec<Vec3>, Vec<Vec3>) {
    let list = obstacles.list();
    let way = |dice: &mut Dice| {
        let start = dice.vec3(edge);
        let on_surface = |dice: &mut Dice, start: Vec3| {
            let body = dice.below(list.len());
            list.get(body)
                .and_then(|body| body.surface(start, f32::INFINITY))
                .map_or((start, Vec3::X), |at| (at.point, at.normal))
        };
        match dice.below(7) {
            0 => (start, start),
            1 => (start, start + dice.vec3(0.1)),
            2 => (start, dice.vec3(edge)),
            3 => (start + dice.vec3(1e3), start - dice.vec3(1e3)),
            4 => {
                let (point, normal) = on_surface(dice, start);
                (point, point + normal.any_orthonormal_vector() * dice.between(-1.0, 1.0))
            }
            5 => {
                let (point, normal) = on_surface(dice, start);
                (point + normal * 1e-4, point + normal * dice.between(-1.0, 1.0))
            }
            _ => {
                let (point, _) = on_surface(dice, start);
                (point, point)
            }
        }
    };
    (0..count).map(|_| way(dice)).unzip()
}
