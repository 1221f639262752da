//! Scenes with bodies run: values stay finite, no particle is inside a body, and no speed is much larger than
//! the speeds that drive it.

use fluid_core::velocity::VelocityField;
use fluid_scenes::run::Run;
use fluid_scenes::{Scene, all};
use fluid_threads::Serial;
use glam::Vec3;

/// Frames per scene: enough for the fast bodies to reach the smoke.
const FRAMES: u32 = 4;
/// Only every `THINNING`th tracer is kept, to save time.
const THINNING: usize = 20;
/// Largest speed, relative to the drive. No-slip adds at most the surface's speed to the fluid, potential
/// flow passes a sphere at 1.5 times it, and vortons are coarse: only an instability exceeds three times the
/// drive.
const MOST: f32 = 3.0;

fn thinned(scene: &Scene) -> Run {
    let mut run = Run::new(scene).expect("scenes are valid");
    let mut row = 0;
    run.tracers.retain(|_, _| {
        row += 1;
        row % THINNING == 0
    });
    run
}

fn fastest_fluid(run: &Run) -> f32 {
    let places: Vec<Vec3> = run.sim.vortons().positions.iter().collect();
    let mut velocities = vec![Vec3::ZERO; places.len()];
    run.sim.field().velocities(&places, &mut velocities);
    velocities.iter().map(|v| v.length()).fold(0.0, f32::max)
}

fn fastest_surface(scene: &Scene, run: &Run) -> f32 {
    let bodies = (scene.bodies)();
    let speeds = run.rigid_bodies.iter().zip(&bodies).map(|(rigid, body)| {
        let shapes = body.def.shapes.iter().map(|shape| shape.geometry.queries().bounding_sphere());
        let reach = shapes.map(|(centre, radius)| centre.length() + radius).fold(0.0, f32::max);
        let state = rigid.state();
        state.velocity.length() + state.angular_velocity.length() * reach
    });
    speeds.fold(0.0, f32::max)
}

fn keeps_its_promises(scene: &Scene) {
    let mut run = thinned(scene);
    run.step(&Serial, 0.0).expect("a field");
    // Speed that fluid whose density deviates by a fifth gains in this time by falling.
    let fall = 0.2 * scene.fluid.gravity.length() * scene.dt * FRAMES as f32;
    let drive = fastest_surface(scene, &run) + fastest_fluid(&run) + fall;
    let (mut fluid, mut surface, mut stretch) = (0.0_f32, 0.0_f32, 0.0_f32);
    for _ in 0..FRAMES {
        run.frame(&Serial).expect("bodies stay finite");
        fluid = fluid.max(fastest_fluid(&run));
        surface = surface.max(fastest_surface(scene, &run));
        stretch = stretch.max(run.sim.stats().stretch_number);
        let obstacles = run.bodies.obstacles();
        assert!(!run.tracers.positions().iter().any(|&p| obstacles.contains(p)), "{}", scene.name);
        assert!(!run.sim.vortons().positions.iter().any(|p| obstacles.contains(p)), "{}", scene.name);
    }
    println!("{}: drive {drive}, fluid {fluid}, surface {surface} m/s, stretch {stretch}", scene.name);
    assert!(fluid.max(surface) <= MOST * drive, "{}: {fluid} {surface} of {drive}", scene.name);
    assert!(stretch < 0.35, "{}: {stretch}", scene.name);
    let stats = run.sim.stats();
    let lost = stats.non_finite + stats.lost_tracers + stats.not_added;
    assert_eq!((lost, stats.mesh_outside, stats.density_outside), (0, 0, 0), "{}", scene.name);
}

fn with_bodies() -> impl Iterator<Item = &'static Scene> {
    all().iter().filter(|scene| !(scene.bodies)().is_empty())
}

#[test]
fn slow_scenes() {
    with_bodies().filter(|scene| scene.substeps < 6).for_each(keeps_its_promises);
}

#[test]
fn fast_scenes() {
    with_bodies().filter(|scene| scene.substeps >= 6).for_each(keeps_its_promises);
}

#[test]
fn fluid_and_engine_agree_where_bodies_are() {
    for name in ["cube", "winglet"] {
        let scene = fluid_scenes::by_name(name).expect("it is in the table");
        let mut run = thinned(scene);
        (0..2).for_each(|_| run.frame(&Serial).expect("bodies stay finite"));
        // The pose at which particles meet it: its state is ahead by the effect of the step's impulses.
        let (rigid, fluid) = (run.rigid_bodies[0].state(), *run.bodies.obstacles().list()[0].pose());
        assert!(rigid.position.distance(fluid.position) < 1e-6, "{name}");
        // Both integrate the same rotation: the spin's change within the step is second order. The arc cosine
        // of f32 is accurate to 1e-3.
        let turn = rigid.angular_velocity.length() * scene.dt / scene.substeps as f32;
        assert!(rigid.rotation.angle_between(fluid.rotation) <= turn.powi(2) + 1e-3, "{name}");
    }
}
