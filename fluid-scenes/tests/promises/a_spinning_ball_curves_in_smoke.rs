//! The ball of scene `curving_ball` curves to the side of its retreating half, as its coefficient says,
//! though vortons cover it; contacts alone push it to the other side.

use fluid_scenes::by_name;
use fluid_scenes::run::Run;
use fluid_threads::Serial;

#[test]
fn a_spinning_ball_curves_in_smoke() {
    let scene = by_name("curving_ball").expect("it is in the table");
    let mut run = Run::new(scene).expect("scenes are valid");
    run.tracers.retain(|_, _| false);
    for frame in 0..scene.frames {
        run.frame(&Serial).expect("bodies stay finite");
        // It spins about y and flies along x.
        let velocity = run.rigid_bodies[0].velocity();
        assert!(velocity.z < -0.02 * velocity.x, "frame {frame}: {velocity} m/s");
    }
    let place = run.rigid_bodies[0].position();
    println!("{place:.3} m after {} frames", scene.frames);
    assert!(place.z < -0.4 && place.y.abs() < 0.1, "{place}");
    assert_eq!(run.sim.stats().not_added, 0);
}
