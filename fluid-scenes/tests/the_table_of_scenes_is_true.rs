//! What the table of scenes says about each of them holds.

use fluid_scenes::{all, by_name};
use std::collections::HashSet;

#[test]
fn counts_and_peak_vorticity_are_as_written() {
    for scene in all() {
        let vortons = (scene.vortons)();
        let tracers = (scene.tracers)();
        let peak = vortons.iter().map(|v| v.strength.length() / v.volume).fold(0.0, f32::max);
        println!("{}: {} vortons, {} tracers, peak {peak}", scene.name, vortons.len(), tracers.len());
        assert_eq!(vortons.len(), scene.vorton_count, "{}", scene.name);
        assert_eq!(tracers.len(), scene.tracer_count, "{}", scene.name);
        let rounded_up = scene.peak_vorticity / peak;
        assert!((1.0..1.01).contains(&rounded_up), "{}: peak vorticity {peak}", scene.name);
        assert!(vortons.iter().all(|v| v.is_valid() && v.volume > 0.0), "{}", scene.name);
    }
}

#[test]
fn steps_are_short_enough_for_the_vorticity() {
    for scene in all() {
        let turn = scene.peak_vorticity * scene.dt / scene.substeps as f32;
        assert!(turn <= 0.35, "{}: {turn} per substep", scene.name);
    }
}

#[test]
fn vortons_are_as_many_as_the_articles_have() {
    for scene in all() {
        let Some(theirs) = scene.article_vortons else { continue };
        let ratio = scene.vorton_count as f32 / theirs as f32;
        assert!((0.85..1.15).contains(&ratio), "{}: {ratio}", scene.name);
    }
}

#[test]
fn names_and_numbers_are_unique_and_found() {
    let names: HashSet<_> = all().iter().map(|scene| scene.name).collect();
    assert_eq!(names.len(), all().len());
    let numbers: Vec<_> = all().iter().filter_map(|scene| scene.number).collect();
    assert_eq!(numbers, [0, 1, 8, 9, 10, 11]);
    for scene in all() {
        assert_eq!(by_name(scene.name).map(|found| found.name), Some(scene.name));
        assert!(scene.name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'));
    }
    assert!(by_name("no such scene").is_none());
}

#[test]
fn smoke_is_the_same_every_time_and_in_view() {
    for scene in all() {
        let tracers = (scene.tracers)();
        assert_eq!(tracers, (scene.tracers)(), "{}", scene.name);
        let view = (scene.camera.target - scene.camera.eye).normalize();
        // Half of a 45 degree field of view, on the diagonal of a 16:9 picture: 40 degrees.
        let seen = tracers.iter().filter(|&&p| (p - scene.camera.eye).normalize().dot(view) > 0.766).count();
        assert_eq!(seen, tracers.len(), "{}", scene.name);
    }
}
