use fluid_bodies::Pose;
use fluid_bodies::shapes::Shape;
use fluid_film::camera::{Camera, View};
use fluid_film::composite::{Pixel, composite};
use fluid_film::footprint::Footprints;
use fluid_film::light::{Lamp, Light};
use fluid_film::light_grid::LightGrid;
use fluid_film::solids::{Solid, SolidPixel, trace};
use fluid_film::splat::{Particle, Splat};
use fluid_threads::Serial;
use glam::Vec3;

const SIZE: [usize; 2] = [33, 33];

fn view() -> View {
    Camera { eye: Vec3::new(0.0, -10.0, 0.0), target: Vec3::ZERO, field_of_view: 20.0 }.view(SIZE)
}

/// An opaque ball of smoke of this colour, `y` metres behind the middle.
fn puff(y: f32, light: Vec3) -> impl Iterator<Item = Splat> {
    let particle = Particle {
        position: Vec3::new(0.0, y, 0.0),
        path: Vec3::ZERO,
        radius: 0.4,
        cross_section: Vec3::splat(0.5),
        light,
    };
    // Each has an optical depth of .5 in the middle.
    std::iter::repeat_with(move || Splat::new(&particle, &view(), SIZE).expect("in sight")).take(20)
}

fn middle(splats: &[Splat], solids: &[SolidPixel]) -> Vec3 {
    let pixels: Vec<Pixel> = composite(&Serial, splats, solids, &Footprints::default(), SIZE);
    pixels[16 * SIZE[0] + 16].over(Vec3::ZERO)
}

fn ball(radius: f32) -> Vec<SolidPixel> {
    let dark =
        Lamp { towards_sun: Vec3::Z, sun: Vec3::ZERO, sky: Vec3::ZERO, ground: Vec3::ZERO, anisotropy: 0.0 };
    let grid = || LightGrid::around(Vec3::Z, &[], &[], 4);
    let light = Light { lamp: dark, sun_grid: grid(), sky_grid: grid() };
    let shape = Shape::sphere(radius);
    let solid = Solid { shape, pose: Pose::IDENTITY, albedo: Vec3::ONE, glow: Vec3::Y };
    trace(&Serial, &[solid], &view(), &light, SIZE)
}

#[test]
fn in_any_order_of_the_particles() {
    let [near, far] = [|| puff(-1.0, Vec3::X), || puff(1.0, Vec3::Z)];
    let nothing = ball(1e-6);
    for splats in [near().chain(far()).collect::<Vec<_>>(), far().chain(near()).collect()] {
        let seen = middle(&splats, &nothing);
        assert!(seen.x > 0.98 && seen.z < 0.02, "{seen}");
    }
}

#[test]
fn smoke_by_solids_and_solids_by_smoke() {
    let ball = ball(0.5);
    let behind = middle(&puff(1.0, Vec3::X).collect::<Vec<_>>(), &ball);
    assert!(behind.x == 0.0 && behind.y > 0.9, "{behind}");
    let in_front = middle(&puff(-1.0, Vec3::X).collect::<Vec<_>>(), &ball);
    assert!(in_front.x > 0.98 && in_front.y < 0.02, "{in_front}");
}
