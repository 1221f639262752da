use fluid_film::light_grid::LightGrid;
use fluid_threads::Serial;
use glam::Vec3;

/// Extinction of the slab \[1/m\], and its thickness \[m\].
const EXTINCTION: f32 = 2.5;
const THICKNESS: f32 = 0.5;

/// Returns the grid of a slab from z = 0 to 0.5, filled by particles on a lattice.
fn slab(towards_light: Vec3) -> LightGrid {
    const SPACING: f32 = 0.02;
    let line = |count: i32| (0..count).map(move |n| (n as f32 + 0.5) * SPACING);
    let points: Vec<Vec3> = line(25)
        .flat_map(|z| line(100).flat_map(move |y| line(100).map(move |x| Vec3::new(x - 1.0, y - 1.0, z))))
        .collect();
    let mut grid = LightGrid::around(towards_light.normalize(), &points, &[], 50);
    grid.deposit(&points, EXTINCTION * SPACING.powi(3));
    grid.march(&Serial);
    grid
}

#[test]
fn straight_down_and_at_a_slant() {
    for towards_light in [Vec3::Z, Vec3::new(0.6, -0.3, 1.0)] {
        let grid = slab(towards_light);
        let stretch = towards_light.length() / towards_light.z;
        for z in [0.0, 0.1, 0.2, 0.3, 0.4] {
            // Beside the axis, so that no direction is special; light comes in through the upper face.
            let depth = grid.optical_depth(Vec3::new(0.05, 0.03, z));
            let exact = EXTINCTION * stretch * (THICKNESS - z);
            let [seen, expected] = [depth, exact].map(|depth| (-depth).exp());
            assert!((seen - expected).abs() < 0.02 * expected.max(0.5), "z {z}: {seen} {expected}");
        }
    }
}

#[test]
fn above_and_beside_there_is_full_light_and_below_the_whole_shadow() {
    let grid = slab(Vec3::Z);
    assert_eq!(grid.optical_depth(Vec3::new(0.0, 0.0, 1.0)), 0.0);
    assert_eq!(grid.optical_depth(Vec3::new(3.0, 0.0, 0.2)), 0.0);
    let floor = grid.optical_depth(Vec3::new(0.03, 0.01, -7.0));
    assert!((floor - EXTINCTION * THICKNESS).abs() < 0.01, "{floor}");
    assert_eq!(grid.optical_depth(Vec3::NAN), 0.0);
}
