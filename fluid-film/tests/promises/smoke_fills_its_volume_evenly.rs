use fluid_film::smoke::Volume;
use glam::Vec3;

const DENSITY: f32 = 40_000.0;

#[test]
fn with_as_many_tracers_as_asked_for() {
    let volumes = [
        Volume::Ball { centre: Vec3::new(1.0, 0.0, -2.0), radius: 0.7 },
        Volume::Box { low: Vec3::new(-1.0, 0.0, 0.0), high: Vec3::new(1.0, 0.5, 0.7) },
        Volume::Ring { z: 0.5, radius: 1.0, thickness: 0.2 },
    ];
    for volume in volumes {
        let places = volume.fill(DENSITY);
        let expected = DENSITY * volume.volume();
        // The lattice has a whole number of cells along each edge: the ring has 14 for 13.7 in height.
        assert!((places.len() as f32 / expected - 1.0).abs() < 0.04, "{} of {expected}", places.len());
    }
}

#[test]
fn eighths_of_a_ball_hold_an_eighth_each() {
    let places = Volume::Ball { centre: Vec3::ZERO, radius: 1.0 }.fill(DENSITY);
    for octant in 0..8 {
        let side = |bit: u32, x: f32| (octant >> bit & 1 == 1) == (x > 0.0);
        let count = places.iter().filter(|p| side(0, p.x) && side(1, p.y) && side(2, p.z)).count();
        assert!((8.0 * count as f32 / places.len() as f32 - 1.0).abs() < 0.02, "{octant}: {count}");
    }
}

#[test]
fn copies_of_tracers_stay_near_them() {
    let coarse = Volume::Box { low: Vec3::ZERO, high: Vec3::ONE }.fill(1000.0);
    let fine = Volume::Places(coarse.clone()).fill(8000.0);
    assert!((fine.len() as f32 / 8000.0 - 1.0).abs() < 0.1, "{}", fine.len());
    for place in &fine {
        let nearest = coarse.iter().map(|p| p.distance(*place)).fold(f32::INFINITY, f32::min);
        assert!(nearest <= 0.5 * 3.0_f32.sqrt() * 0.1, "{nearest}");
    }
}
