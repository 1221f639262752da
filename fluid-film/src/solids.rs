//! Bodies: solids are ray traced, cavities are drawn as the edges of their walls.

use crate::camera::View;
use crate::light::Light;
use crate::light_grid::LightGrid;
use crate::splat::Particle;
use fluid_bodies::Pose;
use fluid_bodies::shapes::{Geometry, Parity, Shape};
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{Quat, Vec3};
use std::ops::Range;

/// A shape to draw.
#[derive(Debug, Clone)]
pub struct Solid {
    /// The shape, in its body's coordinates.
    pub shape: Shape,
    /// Pose of the body.
    pub pose: Pose,
    /// Fraction of light that its surface scatters.
    pub albedo: Vec3,
    /// Radiance of the surface itself.
    pub glow: Vec3,
}

/// The solids in one pixel.
#[derive(Debug, Clone, Copy)]
pub struct SolidPixel {
    /// Depth \[m\]; infinite without a solid.
    pub depth: f32,
    /// Covered fraction of the pixel.
    pub coverage: f32,
    /// Radiance of the covered part.
    pub colour: Vec3,
}

impl SolidPixel {
    const NONE: Self = Self { depth: f32::INFINITY, coverage: 0.0, colour: Vec3::ZERO };
}

/// Samples of a pixel in each direction.
const SAMPLES: usize = 3;

impl Solid {
    /// Returns false for cavities and for shapes without bounds.
    pub fn is_traced(&self) -> bool {
        self.shape.parity == Parity::Solid && !self.shape.is_half_space()
    }

    /// Returns the pose of the shape.
    fn world(&self) -> Pose {
        self.pose.then_after(&self.shape.pose)
    }

    /// Returns the centre and radius of a bounding sphere in the world.
    pub fn sphere(&self) -> (Vec3, f32) {
        let (centre, radius) = self.shape.geometry.queries().bounding_sphere();
        (self.world().to_world(centre), radius)
    }

    /// Makes the solid opaque in a grid of light.
    pub(crate) fn block(&self, grid: &mut LightGrid) {
        let world = self.world();
        let queries = self.shape.geometry.queries();
        grid.block(self.sphere(), |point| queries.surface(world.to_local(point)).distance);
    }

    /// Returns depth and normal where a ray of unit depth first meets the solid.
    fn hit(&self, eye: Vec3, ray: Vec3) -> Option<(f32, Vec3)> {
        let (centre, radius) = self.sphere();
        let far = ((centre - eye).length() + 2.0 * radius) / ray.length();
        let world = self.world();
        let [start, end] = [eye, eye + far * ray].map(|point| world.to_local(point));
        let entry = self.shape.geometry.queries().entry(start, end)?;
        Some((entry.share * far, world.turn(entry.normal)))
    }

    /// Returns the pixels that it may cover, by columns and rows.
    fn pixels(&self, view: &View, [width, height]: [usize; 2]) -> [Range<usize>; 2] {
        let (centre, radius) = self.sphere();
        let Some(middle) = view.project(centre) else { return [0..0, 0..0] };
        let reach = view.focal_length * radius / (middle.depth - radius).max(0.05) + 2.0;
        let range = |x: f32, edge: usize| {
            let [low, high] = [x - reach, x + reach].map(|x| x.clamp(0.0, edge as f32) as usize);
            low..high
        };
        [range(middle.x, width), range(middle.y, height)]
    }
}

/// Traces the solids in every pixel.
pub fn trace(
    exec: &dyn Executor,
    solids: &[Solid],
    view: &View,
    light: &Light,
    size: [usize; 2],
) -> Vec<SolidPixel> {
    let mut pixels = vec![SolidPixel::NONE; size[0] * size[1]];
    let traced: Vec<_> = solids.iter().filter(|solid| solid.is_traced()).collect();
    let ranges: Vec<_> = traced.iter().map(|solid| solid.pixels(view, size)).collect();
    for_each_chunk_mut(exec, size[0], pixels.as_mut_slice(), &|start, row: &mut [SolidPixel]| {
        let y = start / size[0];
        let near = || traced.iter().zip(&ranges).filter(|(_, [_, rows])| rows.contains(&y));
        let columns = near().fold(0..0, |all: Range<usize>, (_, [columns, _])| {
            if all.is_empty() {
                columns.clone()
            } else {
                all.start.min(columns.start)..all.end.max(columns.end)
            }
        });
        for x in columns {
            row[x] = pixel(near().map(|(solid, _)| *solid), view, light, [x, y]);
        }
    });
    pixels
}

/// Returns the mean of a pixel's samples.
fn pixel<'a>(
    solids: impl Iterator<Item = &'a Solid> + Clone,
    view: &View,
    light: &Light,
    [x, y]: [usize; 2],
) -> SolidPixel {
    let mut sum = SolidPixel::NONE;
    for n in 0..SAMPLES * SAMPLES {
        let offset = |k: usize| (k as f32 + 0.5) / SAMPLES as f32;
        let ray = view.ray(x as f32 + offset(n % SAMPLES), y as f32 + offset(n / SAMPLES));
        let hits = solids.clone().filter_map(|solid| Some((solid, solid.hit(view.eye, ray)?)));
        if let Some((solid, (depth, normal))) = hits.min_by(|(_, a), (_, b)| a.0.total_cmp(&b.0)) {
            sum.depth = sum.depth.min(depth);
            sum.coverage += 1.0;
            sum.colour += solid.radiance(view.eye + depth * ray, normal, ray, light);
        }
    }
    if sum.coverage > 0.0 {
        sum.colour /= sum.coverage;
        sum.coverage /= (SAMPLES * SAMPLES) as f32;
    }
    sum
}

impl Solid {
    /// Returns the radiance of a point of the surface: matt, with a thin coat of varnish.
    fn radiance(&self, point: Vec3, normal: Vec3, ray: Vec3, light: &Light) -> Vec3 {
        /// Reflectance of the coat at normal incidence, and sharpness of the sun's reflection in it.
        const COAT: f32 = 0.04;
        const GLOSS: f32 = 60.0;
        let from_eye = ray.normalize();
        let towards_sun = light.towards_sun();
        let half = (towards_sun - from_eye).normalize_or_zero();
        let grazing = (1.0 + normal.dot(from_eye)).clamp(0.0, 1.0);
        let coat = COAT + (1.0 - COAT) * grazing.powi(5);
        // Off the surface, so that a solid does not shadow its own lit side.
        let point = point + 2.5 * light.sun_grid.cell() * normal;
        let matt = self.albedo * light.on_surface(point, normal);
        let spot = light.sun_on(point, normal) * (4.0 * normal.dot(half).max(0.0).powf(GLOSS));
        let mirrored = from_eye - 2.0 * normal.dot(from_eye) * normal;
        let sky = light.lamp.sky * (0.5 + 0.5 * mirrored.z) * 0.7;
        // Seen at a slant, a glowing skin is as bright as from above; a little darker looks round.
        let glow = self.glow * (0.45 + 0.55 * (1.0 - grazing));
        matt * (1.0 - coat) + coat * (spot + sky) + glow
    }

    /// Returns the edges of a cavity's walls as particles; none for other shapes.
    pub(crate) fn edges(&self, thickness: f32, light: Vec3) -> Vec<Particle> {
        if self.shape.parity == Parity::Solid {
            return Vec::new();
        }
        let world = self.world();
        let ends: Vec<[Vec3; 2]> = match &self.shape.geometry {
            Geometry::Cuboid(cuboid) => edges_of_box(cuboid.half_extents).collect(),
            Geometry::Polytope(polytope) => polytope.edges().collect(),
            _ => Vec::new(),
        };
        ends.into_iter()
            .flat_map(|ends| line(ends.map(|end| world.to_world(end)), thickness, light))
            .collect()
    }
}

/// Returns the twelve edges of a box.
fn edges_of_box(half: Vec3) -> impl Iterator<Item = [Vec3; 2]> {
    let turns = [Quat::IDENTITY, Quat::from_xyzw(0.5, 0.5, 0.5, 0.5), Quat::from_xyzw(0.5, 0.5, 0.5, -0.5)];
    turns.into_iter().flat_map(move |turn| {
        [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)].map(|(a, b)| {
            // The turns exchange axes, so products with the half edges are exact.
            [-1.0, 1.0].map(|c| (turn * Vec3::new(c, a, b)).round() * half)
        })
    })
}

/// Returns particles along a line.
fn line([start, end]: [Vec3; 2], thickness: f32, light: Vec3) -> impl Iterator<Item = Particle> {
    /// Optical depth in the middle of the line.
    const DEPTH: f32 = 0.8;
    let count = (start.distance(end) / thickness).ceil().max(1.0);
    let cross_section =
        DEPTH * (2.0 * std::f32::consts::PI).sqrt() * thickness * (start.distance(end) / count);
    (0..count as usize).map(move |n| Particle {
        position: start.lerp(end, (n as f32 + 0.5) / count),
        path: Vec3::ZERO,
        radius: thickness,
        cross_section: Vec3::splat(cross_section),
        light,
    })
}
