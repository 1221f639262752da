//! One picture: light, splats, solids, background, bloom, film curve.

use crate::camera::{Camera, View};
use crate::composite::composite;
use crate::curve::develop;
use crate::footprint::Footprints;
use crate::light::Light;
use crate::light_grid::LightGrid;
use crate::look::{Dye, Look};
use crate::picture::Picture;
use crate::solids::{Solid, trace};
use crate::splat::{Particle, Splat};
use crate::{backdrop, bloom};
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::Vec3;

/// Tracers to draw: columns of equal length.
#[derive(Debug, Clone, Copy)]
pub struct Cloud<'a> {
    /// Positions \[m\], finite.
    pub positions: &'a [Vec3],
    /// Paths during the exposure \[m\].
    pub paths: &'a [Vec3],
    /// Indices of dyes.
    pub dyes: &'a [u32],
    /// Temperatures \[K\], used if the look glows.
    pub temperatures: &'a [f32],
    /// Extinction cross-section of each \[m²\].
    pub cross_section: f32,
    /// Standard deviation of each one's Gaussian \[m\].
    pub radius: f32,
}

/// Particles per task.
const CHUNK: usize = 4096;
/// Cells along the longest edge of the sun's grid, and of the sky's.
const SUN_CELLS: usize = 144;
const SKY_CELLS: usize = 64;

/// Draws a picture of a cloud and solids.
pub fn render(
    exec: &dyn Executor,
    cloud: &Cloud<'_>,
    solids: &[Solid],
    look: &Look,
    camera: &Camera,
    size: [usize; 2],
) -> Picture {
    let view = camera.view(size);
    let light = light(exec, cloud, solids, look);
    let mut splats = splats(exec, cloud, look, &view, &light, size);
    splats.extend(edges(solids, look, &view, size));
    let traced = trace(exec, solids, &view, &light, size);
    let pixels = composite(exec, &splats, &traced, &Footprints::default(), size);
    let mut picture = backdrop::draw(exec, &look.stage, &view, &light, size);
    picture.iter_mut().zip(&pixels).for_each(|(picture, pixel)| *picture = pixel.over(*picture));
    bloom::add(exec, &mut picture, size, look.bloom);
    develop_all(exec, &picture, size, look.exposure)
}

/// Finds the optical depth of smoke and solids towards the sun and the sky.
fn light(exec: &dyn Executor, cloud: &Cloud<'_>, solids: &[Solid], look: &Look) -> Light {
    let solid: Vec<_> = solids.iter().filter(|solid| solid.is_traced()).collect();
    let spheres: Vec<_> = solid.iter().map(|solid| solid.sphere()).collect();
    let grid = |towards: Vec3, cells: usize| {
        let mut grid = LightGrid::around(towards.normalize(), cloud.positions, &spheres, cells);
        grid.deposit(cloud.positions, cloud.cross_section);
        solid.iter().for_each(|solid| solid.block(&mut grid));
        grid.march(exec);
        grid
    };
    Light {
        lamp: look.lamp,
        sun_grid: grid(look.lamp.towards_sun, SUN_CELLS),
        sky_grid: grid(Vec3::Z, SKY_CELLS),
    }
}

/// Projects and lights the tracers.
fn splats(
    exec: &dyn Executor,
    cloud: &Cloud<'_>,
    look: &Look,
    view: &View,
    light: &Light,
    size: [usize; 2],
) -> Vec<Splat> {
    let mut splats = vec![Splat::NOWHERE; cloud.positions.len()];
    let phases = light.phases(view.forward);
    for_each_chunk_mut(exec, CHUNK, splats.as_mut_slice(), &|start, splats: &mut [Splat]| {
        for (n, splat) in (start..).zip(splats) {
            let Dye { extinction, albedo } = look.dyes[cloud.dyes[n] as usize % look.dyes.len()];
            let glow = look.glow.map_or(Vec3::ZERO, |glow| glow.at(cloud.temperatures[n]));
            let particle = Particle {
                position: cloud.positions[n],
                path: cloud.paths[n],
                radius: cloud.radius,
                cross_section: cloud.cross_section * extinction,
                light: albedo * light.in_smoke(cloud.positions[n], &phases) + glow,
            };
            *splat = Splat::new(&particle, view, size).unwrap_or(Splat::NOWHERE);
        }
    });
    splats
}

/// Projects the edges of cavities.
fn edges<'a>(
    solids: &'a [Solid],
    look: &'a Look,
    view: &'a View,
    size: [usize; 2],
) -> impl Iterator<Item = Splat> + 'a {
    /// Thickness, in pixels in the middle of the picture.
    const THICKNESS: f32 = 0.8;
    let thickness = |solid: &Solid| THICKNESS * (solid.sphere().0 - view.eye).length() / view.focal_length;
    let particles = solids.iter().flat_map(move |solid| solid.edges(thickness(solid), look.edges));
    particles.filter_map(move |particle| Splat::new(&particle, view, size))
}

fn develop_all(exec: &dyn Executor, light: &[Vec3], size: [usize; 2], exposure: f32) -> Picture {
    let mut pixels = vec![[0; 3]; light.len()];
    for_each_chunk_mut(exec, CHUNK, pixels.as_mut_slice(), &|start, pixels: &mut [[u8; 3]]| {
        for (n, pixel) in (start..).zip(pixels) {
            *pixel = develop(light[n], exposure, [n % size[0], n / size[0]]);
        }
    });
    Picture { size, pixels }
}
