use fluid_film::looks::{FILMS, STRIPS, by_name};

#[test]
fn with_smoke_a_camera_and_a_duration() {
    // The smoke of this hull takes seconds to find, and its look is the plain one.
    for scene in fluid_scenes::all().iter().filter(|scene| scene.name != "many_faced_hull") {
        let look = by_name(scene.name).expect(scene.name);
        assert_eq!(look.scene.name, scene.name);
        assert!(look.smoke_volume() > 0.0 && look.smoke_volume().is_finite(), "{}", scene.name);
        assert!(look.seconds > 0.0 && !look.dyes.is_empty(), "{}", scene.name);
    }
    assert!(by_name("no_such_scene").is_none());
}

#[test]
fn and_so_has_every_film_and_strip() {
    for film in FILMS {
        assert!(by_name(film.scene).is_some() && film.frames > 1 && film.fps > 0, "{}", film.scene);
    }
    for strip in STRIPS {
        assert!(by_name(strip.scene).is_some(), "{}", strip.scene);
        assert!(strip.moments.is_sorted() && strip.moments[0] >= 0.0, "{}", strip.name);
    }
}
