use fluid_film::camera::Camera;
use glam::Vec3;

const CAMERA: Camera = Camera { eye: Vec3::new(0.0, -4.0, 0.0), target: Vec3::ZERO, field_of_view: 60.0 };

#[test]
fn right_is_right_and_up_is_up() {
    let view = CAMERA.view([640, 480]);
    // tan 30° = 1/√3, so the focal length is 240 √3 pixels.
    let focal_length = 240.0 * 3.0_f32.sqrt();
    for (x, y, z) in [(0.0, 0.0, 0.0), (1.0, 2.0, 0.5), (-0.7, -1.0, 0.3)] {
        let seen = view.project(Vec3::new(x, y, z)).expect("in front");
        let scale = focal_length / (4.0 + y);
        assert!((seen.depth - (4.0 + y)).abs() < 1e-5);
        assert!((seen.x - (320.0 + scale * x)).abs() < 1e-3, "{seen:?}");
        assert!((seen.y - (240.0 - scale * z)).abs() < 1e-3, "{seen:?}");
    }
    assert_eq!(view.project(Vec3::new(0.0, -5.0, 0.0)), None);
}

#[test]
fn rays_lead_back_to_the_points() {
    let camera = Camera { eye: Vec3::new(1.0, -4.0, 2.0), ..CAMERA };
    let view = camera.view([320, 200]);
    let point = Vec3::new(0.3, 0.8, -0.4);
    let seen = view.project(point).expect("in front");
    let back = view.eye + seen.depth * view.ray(seen.x, seen.y);
    assert!(back.distance(point) < 1e-4, "{back}");
}
