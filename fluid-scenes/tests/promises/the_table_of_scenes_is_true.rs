//! The table of scenes states each scene's properties correctly.

use fluid_scenes::run::Run;
use fluid_scenes::{all, by_name};
use fluid_threads::Serial;
use glam::Vec3;
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
        // At most 1e-6 per second is noise: an upper bound is enough.
        let at_rest = scene.peak_vorticity <= 1e-6 && peak <= scene.peak_vorticity;
        assert!(at_rest || (1.0..1.01).contains(&rounded_up), "{}: peak vorticity {peak}", scene.name);
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
        if !(scene.bodies)().is_empty() {
            // The layers that stick to bodies need a finer lattice.
            assert!(scene.vorton_count >= theirs, "{}", scene.name);
            continue;
        }
        if scene.fluid.gravity != Vec3::ZERO {
            // Drops also have vortons in the cells that their surface cuts, and a halo.
            assert!(scene.vorton_count > theirs, "{}", scene.name);
            continue;
        }
        let ratio = scene.vorton_count as f32 / theirs as f32;
        assert!((0.85..1.15).contains(&ratio), "{}: {ratio}", scene.name);
    }
}

#[test]
fn names_and_numbers_are_unique_and_found() {
    let names: HashSet<_> = all().iter().map(|scene| scene.name).collect();
    assert_eq!(names.len(), all().len());
    let numbers: Vec<_> = all().iter().filter_map(|scene| scene.number).collect();
    assert_eq!(
        numbers,
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 20, 22, 23, 24, 27, 28, 32, 35]
    );
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

/// Every scene without bodies runs for half a second: no particle is lost or left out, and every flow moves.
#[test]
fn every_scene_without_bodies_runs() {
    for scene in all().iter().filter(|scene| (scene.bodies)().is_empty()) {
        let mut run = Run::new(scene).expect("scenes are valid");
        let mut number = 0_u32;
        run.tracers.retain(|_, _| {
            number += 1;
            number % 50 == 1
        });
        let dt = scene.dt / scene.substeps as f32;
        let mut fastest: f32 = 0.0;
        for _ in 0..15 * scene.substeps {
            run.step(&Serial, dt).expect("dt is finite");
            fastest = fastest.max(run.sim.stats().stretch_number);
        }
        let stats = run.sim.stats();
        println!(
            "{}: {} vortons, stretch number {fastest}, mesh {}",
            scene.name,
            run.sim.vortons().len(),
            stats.mesh_nodes
        );
        assert!(fastest > 0.001 && fastest < 0.35, "{}: stretch number {fastest}", scene.name);
        let lost = stats.non_finite + stats.lost_tracers + stats.not_added;
        assert_eq!((lost, stats.mesh_outside, stats.density_outside), (0, 0, 0), "{}", scene.name);
        assert!(stats.diffused_share == 1.0 || scene.fluid.viscosity == 0.0, "{}", scene.name);
    }
}
