//! Slip of the fluid along the sheet of a body, and where on the sheet a place of the surface is (E56).

use super::Sheet;
use super::flow::BodyMotion;
use super::panels::{Panels, Point};
use crate::pose::Pose;
use glam::Vec3;

/// Square of the least cosine between the normals of a surface and of the triangle that stands for it \[1\]:
/// at acute corners, the surface is met along none of the faces' normals.
const SAME_SIDE: f32 = 0.01;

/// Square of the distance from a surface to the triangle that stands for it, at most, over that of its edges
/// \[1\].
const FAR: f32 = 4.0;

/// A place of a surface: the vertices of a triangle, and the share of each \[1\].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Patch {
    pub(crate) corners: [u16; 3],
    pub(crate) weights: [f32; 3],
}

/// A vertex on the surface, body's axes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Vertex {
    /// \[m\].
    place: Vec3,
    /// Into the fluid.
    normal: Vec3,
    /// Area that it stands for, as it is read \[m²\].
    pub(super) area: f32,
}

/// Those of a solid's sheet.
pub(super) fn vertices(panels: &Panels) -> Vec<Vertex> {
    let at = |place: &glam::DVec3| Vertex { place: place.as_vec3(), ..Vertex::default() };
    let mut vertices: Vec<Vertex> = panels.on_surface.iter().map(at).collect();
    for Point { area, corners, weights, .. } in &panels.coarse.points {
        for (&corner, weight) in corners.iter().zip(weights) {
            vertices[usize::from(corner)].area += area.length() * weight;
            vertices[usize::from(corner)].normal += *area * *weight;
        }
    }
    vertices.iter_mut().for_each(|vertex| vertex.normal = vertex.normal.normalize_or_zero());
    vertices
}

impl Sheet {
    /// Where on the sheet a place of the surface \[m\] with this normal is, body's axes.
    pub(super) fn patch(&self, place: Vec3, normal: Vec3) -> Patch {
        let mut nearest = (f32::INFINITY, [0; 3]);
        for point in &self.read.points {
            let along = point.area.dot(normal);
            let is_beside = along > 0.0 && along * along > SAME_SIDE * point.area.length_squared();
            let distance = point.place.distance_squared(place);
            if is_beside && distance < nearest.0 {
                nearest = (distance, point.corners);
            }
        }
        let corners = nearest.1;
        let [a, b, c] = corners.map(|corner| self.surface[usize::from(corner)].place);
        // Barycentric coordinates of the foot in the plane of the triangle.
        let (u, v, way) = (b - a, c - a, place - a);
        let across = u.cross(v);
        let scale = 1.0 / across.length_squared();
        let second = way.cross(v).dot(across) * scale;
        let third = u.cross(way).dot(across) * scale;
        let weights = [1.0 - second - third, second, third].map(|weight| weight.max(0.0));
        let sum: f32 = weights.iter().sum();
        let is_near = nearest.0 <= FAR * u.length_squared().max(v.length_squared());
        let is_valid = is_near && sum.is_finite() && sum > 0.0;
        let weights = if is_valid { weights.map(|weight| weight / sum) } else { [0.0; 3] };
        Patch { corners, weights }
    }
}

/// Slip at the vertices of a sheet.
#[derive(Debug, Clone)]
pub(super) struct Slip {
    /// Of the fluid against the surface \[m/s\], body's axes, in the middle of the last step.
    velocities: Vec<Vec3>,
}

fluid_core::saved::fields!(Slip {  } same { velocities });

impl Slip {
    pub(super) fn new(vertices: usize) -> Self {
        Self { velocities: vec![Vec3::ZERO; vertices] }
    }

    /// Nothing is known any more.
    pub(super) fn forget(&mut self) {
        self.velocities.fill(Vec3::ZERO);
    }

    /// From the velocities at the sheet's points \[m/s\], world's axes, against the wind, of a body at `pose`
    /// with this motion. In a sheet on the surface that is the mean of its two sides: with fluid inside that
    /// moves as the body does, half of the slip.
    pub(super) fn read(&mut self, sheet: &Sheet, velocities: &[Vec3], pose: Pose, motion: BodyMotion) {
        self.velocities.fill(Vec3::ZERO);
        for (Point { place, area, corners, weights }, &velocity) in sheet.read.points.iter().zip(velocities) {
            let wall = motion.velocity + motion.spin.cross(*place);
            let slip = (pose.turn_back(velocity) - wall) * area.length();
            for (&corner, weight) in corners.iter().zip(weights) {
                self.velocities[usize::from(corner)] += slip * *weight;
            }
        }
        for (slip, vertex) in self.velocities.iter_mut().zip(&sheet.surface) {
            let mean = *slip / vertex.area;
            let along = mean - vertex.normal * vertex.normal.dot(mean);
            *slip = if along.is_finite() { along } else { Vec3::ZERO };
        }
    }

    /// At a place of the surface \[m/s\], body's axes.
    pub(super) fn at(&self, Patch { corners, weights }: &Patch) -> Vec3 {
        corners
            .iter()
            .zip(weights)
            .map(|(&corner, &weight)| self.velocities[usize::from(corner)] * weight)
            .sum()
    }
}
