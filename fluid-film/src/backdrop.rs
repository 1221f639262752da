//! Everything behind smoke and bodies: a floor with their shadows, and a plain wall of light.

use crate::camera::View;
use crate::light::Light;
use crate::look::Stage;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{Vec2, Vec3};

/// Returns the radiance behind every pixel.
pub(crate) fn draw(
    exec: &dyn Executor,
    stage: &Stage,
    view: &View,
    light: &Light,
    size: [usize; 2],
) -> Vec<Vec3> {
    let [width, height] = size;
    let mut pixels = vec![Vec3::ZERO; width * height];
    for_each_chunk_mut(exec, width, pixels.as_mut_slice(), &|start, row: &mut [Vec3]| {
        let y = start / width;
        for (x, pixel) in row.iter_mut().enumerate() {
            let place = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
            let from_centre = (place / Vec2::new(width as f32, height as f32) - 0.5) * 2.0;
            let vignette = 1.0 - stage.vignette * 0.5 * from_centre.length_squared();
            *pixel = behind(stage, view, light, place, from_centre) * vignette;
        }
    });
    pixels
}

fn behind(stage: &Stage, view: &View, light: &Light, place: Vec2, from_centre: Vec2) -> Vec3 {
    let wall = stage.below.lerp(stage.above, 0.5 - 0.5 * from_centre.y);
    let Some(floor) = &stage.floor else { return wall };
    let ray = view.ray(place.x, place.y);
    let distance = (floor.height - view.eye.z) / ray.z;
    if !(distance > 0.0 && distance.is_finite()) {
        return wall;
    }
    let point = view.eye + distance * ray;
    let from_middle = (point - floor.middle).with_z(0.0).length();
    let near = (-(from_middle / floor.reach).powi(2)).exp();
    wall.lerp(floor.albedo * light.on_surface(point, Vec3::Z), near)
}
