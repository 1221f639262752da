use fluid_bodies::Pose;
use fluid_bodies::shapes::Shape;
use fluid_film::camera::Camera;
use fluid_film::light::{Lamp, Light};
use fluid_film::light_grid::LightGrid;
use fluid_film::solids::{Solid, trace};
use fluid_threads::Serial;
use glam::Vec3;

#[test]
fn a_sphere_on_the_axis_has_the_radius_of_its_tangents() {
    const SIZE: [usize; 2] = [200, 160];
    let (distance, radius) = (5.0_f32, 1.0_f32);
    let camera = Camera { eye: Vec3::new(0.0, -distance, 0.0), target: Vec3::ZERO, field_of_view: 40.0 };
    let view = camera.view(SIZE);
    let lamp =
        Lamp { towards_sun: Vec3::Z, sun: Vec3::ONE, sky: Vec3::ZERO, ground: Vec3::ZERO, anisotropy: 0.0 };
    let grid = || LightGrid::around(Vec3::Z, &[], &[], 4);
    let light = Light { lamp, sun_grid: grid(), sky_grid: grid() };
    let solid = |shape| Solid { shape, pose: Pose::IDENTITY, albedo: Vec3::ONE, glow: Vec3::ZERO };
    let pixels = trace(&Serial, &[solid(Shape::sphere(radius))], &view, &light, SIZE);
    let covered: f32 = pixels.iter().map(|pixel| pixel.coverage).sum();
    let seen = view.focal_length * radius / (distance * distance - radius * radius).sqrt();
    let exact = std::f32::consts::PI * seen * seen;
    assert!((covered / exact - 1.0).abs() < 0.003, "{covered} of {exact}");
    // The nearest point is the one in the middle; light from above makes the upper half the bright one.
    let at = |x: usize, y: usize| pixels[y * SIZE[0] + x];
    assert!((at(100, 80).depth - (distance - radius)).abs() < 1e-3);
    assert!(at(100, 50).colour.x > 0.3 && at(100, 110).colour.x < 0.05);
}
