//! The part of the surfaces of several solids that fluid touches.

use super::welded::Welded;
use crate::ball::ball_around;
use crate::pose::Pose;
use crate::separation::{Placed, gap};
use crate::shapes::Shape;
use crate::surface::{divided, is_wet_among, margin_of};
use glam::{DVec3, Vec3};

/// Fineness at which a triangle is searched for points that fluid touches.
const PARTS_OF_EDGE: usize = 4;

/// Surface of the union of solids.
pub(super) struct WetSurface<'a> {
    solids: &'a [Shape],
    /// Of each solid, those that may touch it.
    near: Vec<Vec<usize>>,
    /// Distance \[m\] within which points count as on a surface.
    margin: f32,
}

impl<'a> WetSurface<'a> {
    pub(super) fn of(solids: &'a [Shape]) -> Self {
        let margin = margin_of(ball_around(solids));
        let at = |index: usize| Placed::new(&solids[index], &Pose::IDENTITY);
        let touch = |a: usize, b: usize| a != b && gap(at(a), at(b)) <= 2.0 * f64::from(margin);
        let all = 0..solids.len();
        let near = all.clone().map(|a| all.clone().filter(|&b| touch(a, b)).collect()).collect();
        Self { solids, near, margin }
    }

    /// True if fluid is in front of the surface of solid `own` at its point nearest to `place`, body's axes
    /// \[m\].
    pub(super) fn touches(&self, own: usize, place: Vec3) -> bool {
        let near = self.near[own].iter().copied();
        self.near[own].is_empty() || is_wet_among(self.solids, own, near, place, self.margin)
    }

    /// Removes the triangles of solid `own` that fluid touches nowhere, and vertices of no other triangle.
    pub(super) fn keep(&self, own: usize, all: Welded) -> Welded {
        if self.near[own].is_empty() {
            return all;
        }
        let pose = &self.solids[own].pose;
        let is_kept = |triangle: &&[u16; 3]| {
            let corners = triangle.map(|corner| all.vertices[usize::from(corner)]);
            middles(PARTS_OF_EDGE)
                .any(|weights| self.touches(own, pose.to_world(at(&corners, weights).as_vec3())))
        };
        let kept: Vec<_> = all.triangles.iter().filter(is_kept).copied().collect();
        let mut numbers = vec![None; all.vertices.len()];
        let mut vertices = Vec::new();
        let mut number = |corner: u16| {
            *numbers[usize::from(corner)].get_or_insert_with(|| {
                vertices.push(all.vertices[usize::from(corner)]);
                vertices.len() as u16 - 1
            })
        };
        let triangles = kept.into_iter().map(|triangle| triangle.map(&mut number)).collect();
        Welded { vertices, triangles }
    }
}

/// Returns the middles of `parts`² equal parts of a triangle, as weights of its corners \[1\].
pub(super) fn middles(parts: usize) -> impl Iterator<Item = DVec3> {
    divided([DVec3::X, DVec3::Y, DVec3::Z], parts).map(|part| part.iter().sum::<DVec3>() / 3.0)
}

/// Returns the point with these weights of the corners.
pub(super) fn at(corners: &[DVec3; 3], weights: DVec3) -> DVec3 {
    corners[0] * weights.x + corners[1] * weights.y + corners[2] * weights.z
}
