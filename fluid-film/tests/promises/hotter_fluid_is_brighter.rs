use fluid_film::ramp::{Glow, ramp};
use glam::Vec3;

#[test]
fn from_black_over_red_to_nearly_white() {
    let heats: Vec<Vec3> = (0..=100).map(|n| ramp(n as f32 / 100.0)).collect();
    assert_eq!(heats[0], Vec3::ZERO);
    for pair in heats.windows(2) {
        assert!(pair[0].cmplt(pair[1]).all(), "{} {}", pair[0], pair[1]);
        assert!(pair[1].x > pair[1].y && pair[1].y > pair[1].z, "{}", pair[1]);
    }
}

#[test]
fn cold_fluid_is_dark_and_the_hottest_has_the_given_radiance() {
    let glow = Glow { from: 310.0, to: 360.0, radiance: 2.0 };
    assert_eq!(glow.at(300.0), Vec3::ZERO);
    assert_eq!(glow.at(360.0), 2.0 * ramp(1.0));
    assert_eq!(glow.at(400.0), glow.at(360.0));
}
