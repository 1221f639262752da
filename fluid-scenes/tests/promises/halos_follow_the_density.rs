//! Halos are no larger than the region of varying density needs, and the fluid there keeps its impulse and
//! energy (E30).

use fluid_scenes::run::Run;
use fluid_scenes::{Scene, SceneBody, by_name};
use fluid_threads::Serial;

/// A scene after some frames, with the impulse and work of gravity.
struct Outcome {
    run: Run,
    /// ∫ g Σm'/ρ₀ dt \[m⁴/s\].
    owed: f64,
    /// ∫ Σ m' g·u dt/ρ₀ \[m⁵/s²\].
    work: f64,
}

fn after(scene: &Scene, frames: u32) -> Outcome {
    let mut run = Run::new(scene).expect("scenes are valid");
    let dt = f64::from(scene.dt) / f64::from(scene.substeps);
    let gravity = f64::from(scene.fluid.gravity.z);
    let (mut owed, mut work) = (0.0, 0.0);
    for _ in 0..frames * scene.substeps {
        let before = run.sim.vortons().clone();
        run.step(&Serial, dt as f32).expect("dt is finite");
        owed += gravity * dt * before.mass_deviations.iter().map(|&m| f64::from(m)).sum::<f64>();
        let now = run.sim.vortons();
        for (row, &id) in before.ids.iter().enumerate() {
            let Some(there) = now.row_of(id) else { continue };
            let fall = f64::from(now.positions.z[there]) - f64::from(before.positions.z[row]);
            work += gravity * f64::from(before.mass_deviations[row]) * fall;
        }
    }
    Outcome { run, owed, work }
}

fn scene(name: &str) -> &'static Scene {
    by_name(name).expect("it is in the table")
}

/// Returns the bodies of a scene with `no_through` off, so that fluid passes through them.
fn passed_through(name: &str) -> Vec<SceneBody> {
    let mut bodies = (scene(name).bodies)();
    bodies.iter_mut().for_each(|body| body.def.no_through = false);
    bodies
}

#[test]
fn a_dye_drop_at_frame_180() {
    let Outcome { run, owed, work } = after(scene("dye_drop"), 180);
    let count = run.sim.vortons().len();
    let impulse = run.sim.moments(&Serial).linear_impulse;
    let energy = run.sim.pair_sums(&Serial).energy;
    println!("{count} vortons, {:.4} of the impulse, {:.4} of the work", impulse.z / owed, energy / work);
    assert!(count <= 1250, "{count} vortons");
    assert!((impulse.z / owed - 1.0).abs() < 0.02, "{} of the impulse", impulse.z / owed);
    assert!(impulse.truncate().length() < 1e-3 * owed.abs(), "{impulse} across gravity");
    // With a halo twice as dense, 0.90 of the work remains.
    assert!((0.87..1.0).contains(&(energy / work)), "{} of the work", energy / work);
}

#[test]
fn two_drops_at_frame_120() {
    let Outcome { run, work, .. } = after(scene("two_drops"), 120);
    let count = run.sim.vortons().len();
    let energy = run.sim.pair_sums(&Serial).energy;
    println!("{count} vortons, {:.4} of the work", energy / work);
    assert!(count <= 1800, "{count} vortons");
    // The drops tear each other up, and the budget removes the energy that vortons no longer resolve (E46):
    // 0.84. Without the budget 0.90.
    assert!((0.8..1.0).contains(&(energy / work)), "{} of the work", energy / work);
}

/// Returns the count of vortons, and the impulse as a fraction of gravity's \[1\].
fn hot_ball(scene: &Scene) -> (usize, f64) {
    let Outcome { run, owed, .. } = after(scene, 180);
    // Impulse that the ball took from the fluid: its reaction less the buoyancy of the displaced fluid.
    let (density, gravity) =
        (f64::from(run.sim.params().ambient.density), f64::from(run.sim.params().gravity.z));
    let displaced = 4.0 / 3.0 * std::f64::consts::PI * f64::from(0.2_f32).powi(3) * density;
    let taken = run.impulses[0].linear.z + gravity * displaced * run.sim.time();
    let impulse = run.sim.moments(&Serial).linear_impulse.z + taken / density;
    (run.sim.vortons().len(), impulse / owed)
}

#[test]
#[ignore = "ten seconds"]
fn a_hot_ball_at_frame_180() {
    let around = hot_ball(scene("hot_ball"));
    let through = hot_ball(&Scene { bodies: || passed_through("hot_ball"), ..*scene("hot_ball") });
    println!("{around:?}, {through:?}");
    // A plume that loses 38 % of its impulse to diffusion has 5,118; this one is stronger and so larger.
    assert!(through.0 <= 6300, "{through:?}");
    // Density also varies in the wake of fluid that goes around the ball.
    assert!(around.0 <= 6900, "{around:?}");
    for (count, impulse) in [around, through] {
        assert!((0.85..1.02).contains(&impulse), "{impulse} of the impulse, {count} vortons");
    }
}

#[test]
#[ignore = "ten seconds"]
fn a_ball_in_layers_at_frame_180() {
    let around = scene("stratified_ball");
    let through = Scene { bodies: || passed_through("stratified_ball"), ..*around };
    let [around, through] = [around, &through].map(|scene| after(scene, 180).run.sim.vortons().len());
    println!("{around}, {through}");
    assert!(through <= 3900, "{through}");
    // Fluid that goes around the ball carries layers with it and sheds a wake.
    assert!(around <= 4000, "{around}");
}
