use fluid_film::light_grid::LightGrid;
use fluid_threads::Serial;
use glam::Vec3;

#[test]
fn and_nothing_beside_it() {
    let towards_light = Vec3::new(0.5, 0.2, 1.0).normalize();
    let (centre, radius) = (Vec3::new(0.1, -0.2, 1.0), 0.3);
    let mut grid =
        LightGrid::around(towards_light, &[Vec3::splat(-1.0), Vec3::splat(2.0)], &[(centre, radius)], 100);
    grid.block((centre, radius), |point| point.distance(centre) - radius);
    grid.march(&Serial);
    let side = towards_light.cross(Vec3::X).normalize();
    for distance in [0.4, 0.8, 5.0] {
        let behind = centre - distance * towards_light;
        assert!(grid.optical_depth(behind) > 10.0, "in the middle of the shadow");
        assert!(grid.optical_depth(behind + 0.8 * radius * side) > 5.0, "inside of the shadow");
        assert_eq!(grid.optical_depth(behind + 1.3 * radius * side), 0.0, "beside the shadow");
    }
    assert_eq!(grid.optical_depth(centre + 0.5 * towards_light), 0.0, "on the lit side");
}
