use fluid_film::camera::Camera;
use fluid_film::composite::composite;
use fluid_film::footprint::Footprints;
use fluid_film::solids::SolidPixel;
use fluid_film::splat::{Particle, Splat};
use fluid_threads::Serial;
use glam::Vec3;

const SIZE: [usize; 2] = [80, 64];
const DISTANCE: f32 = 6.0;

/// Returns the sum of optical depths over all pixels for one particle, for red, green and blue, and their
/// mean square distance along x from the middle \[pixels²\].
fn drawn(radius: f32, path: Vec3) -> (Vec3, f32) {
    let camera = Camera { eye: Vec3::new(0.0, -DISTANCE, 0.0), target: Vec3::ZERO, field_of_view: 30.0 };
    let view = camera.view(SIZE);
    let particle =
        Particle { position: 0.5 * path, path, radius, cross_section: cross_section(), light: Vec3::ONE };
    let splat = Splat::new(&particle, &view, SIZE).expect("in sight");
    let nothing = SolidPixel { depth: f32::INFINITY, coverage: 0.0, colour: Vec3::ZERO };
    let pixels = composite(&Serial, &[splat], &[nothing; SIZE[0] * SIZE[1]], &Footprints::default(), SIZE);
    let (mut sum, mut spread) = (Vec3::ZERO, 0.0);
    for (n, pixel) in pixels.iter().enumerate() {
        let depth = -Vec3::from_array(pixel.transmittance().to_array().map(f32::ln));
        sum += depth;
        spread += depth.x * ((n % SIZE[0]) as f32 + 0.5 - 40.0).powi(2);
    }
    (sum, spread / sum.x)
}

fn cross_section() -> Vec3 {
    Vec3::new(0.003, 0.001, 0.002)
}

fn focal_length() -> f32 {
    32.0 / 15.0_f32.to_radians().tan()
}

#[test]
fn whatever_their_radius() {
    let expected = cross_section() * (focal_length() / DISTANCE).powi(2);
    for radius in [0.001, 0.05, 0.1, 0.2] {
        let (sum, _) = drawn(radius, Vec3::ZERO);
        assert!((sum / expected - 1.0).abs().max_element() < 0.01, "{radius}: {sum} {expected}");
    }
}

#[test]
fn and_however_fast_they_move() {
    let expected = cross_section() * (focal_length() / DISTANCE).powi(2);
    let (resting, spread) = drawn(0.1, Vec3::ZERO);
    let path = 0.6;
    let (streak, long) = drawn(0.1, Vec3::X * path);
    assert!((streak / expected - 1.0).abs().max_element() < 0.01, "{streak} {resting}");
    // The variance of a uniform distribution over the path is added.
    let pixels = path * focal_length() / DISTANCE;
    assert!((long - spread - pixels * pixels / 12.0).abs() < 0.1 * long, "{long} {spread}");
}
