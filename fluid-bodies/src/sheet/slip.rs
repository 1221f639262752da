//! Slip of the fluid along the sheet of a body, and mapping of surface points to the sheet (E56).

use super::Sheet;
use super::body_motion::BodyMotion;
use super::panels::{Panels, Point};
use crate::pose::Pose;
use glam::Vec3;

/// Squared minimum cosine between the normals of a surface and of its triangle \[1\]: at acute corners, a
/// contact normal is none of the faces' normals.
const SAME_SIDE: f32 = 0.01;

/// Maximum squared distance of a surface point from its triangle, relative to the squared length of the
/// edges \[1\].
const FAR_FROM_TRIANGLE: f32 = 4.0;

/// A point of a surface: the vertices of a triangle, and their weights \[1\].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Patch {
    pub(crate) corners: [u16; 3],
    pub(crate) weights: [f32; 3],
}

impl Patch {
    /// Returns the mean of values at the vertices of a sheet.
    pub(super) fn mean(&self, values: &[f32]) -> f32 {
        let each = self.corners.iter().zip(&self.weights);
        each.map(|(&corner, weight)| values[usize::from(corner)] * weight).sum()
    }
}

/// A vertex on the surface, body's axes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Vertex {
    /// Position \[m\].
    place: Vec3,
    /// Normal into the fluid.
    normal: Vec3,
    /// Area of its patch, at the points where flux is read \[m²\].
    pub(super) area: f32,
}

/// Returns the surface vertices of a solid's sheet.
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
    /// Returns the patches of another sheet at this sheet's vertices, mapped by `to_other`.
    pub(super) fn patches_on(&self, other: &Self, to_other: &dyn Fn(Vec3) -> Vec3) -> Vec<Patch> {
        self.surface.iter().map(|vertex| other.patch(to_other(vertex.place), vertex.normal)).collect()
    }

    /// Returns the patch of the sheet at a point of the surface \[m\] with this normal, body's axes.
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
        // Barycentric coordinates of the projection onto the triangle's plane.
        let (u, v, way) = (b - a, c - a, place - a);
        let across = u.cross(v);
        let scale = 1.0 / across.length_squared();
        let second = way.cross(v).dot(across) * scale;
        let third = u.cross(way).dot(across) * scale;
        let weights = [1.0 - second - third, second, third].map(|weight| weight.max(0.0));
        let sum: f32 = weights.iter().sum();
        let is_near = nearest.0 <= FAR_FROM_TRIANGLE * u.length_squared().max(v.length_squared());
        let is_valid = is_near && sum.is_finite() && sum > 0.0;
        let weights = if is_valid { weights.map(|weight| weight / sum) } else { [0.0; 3] };
        Patch { corners, weights }
    }
}

/// Slip at the vertices of a sheet.
#[derive(Debug, Clone)]
pub(super) struct Slip {
    /// Velocities of the fluid relative to the surface \[m/s\], body's axes, in the middle of the last
    /// step.
    velocities: Vec<Vec3>,
}

fluid_core::saved::fields!(Slip {  } same { velocities });

impl Slip {
    pub(super) fn new(vertices: usize) -> Self {
        Self { velocities: vec![Vec3::ZERO; vertices] }
    }

    /// Discards the slip.
    pub(super) fn forget(&mut self) {
        self.velocities.fill(Vec3::ZERO);
    }

    /// Computes the slip from velocities at the sheet's points \[m/s\], world's axes, relative to the wind,
    /// for a body at `pose` with this motion. On the surface itself a sheet reads the mean of its two
    /// sides: half of the slip if fluid inside moves with the body.
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

    /// Returns the slip at a point of the surface \[m/s\], body's axes.
    pub(super) fn at(&self, Patch { corners, weights }: &Patch) -> Vec3 {
        corners
            .iter()
            .zip(weights)
            .map(|(&corner, &weight)| self.velocities[usize::from(corner)] * weight)
            .sum()
    }
}
