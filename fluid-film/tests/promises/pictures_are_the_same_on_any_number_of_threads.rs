use fluid_film::looks::by_name;
use fluid_film::picture::Picture;
use fluid_film::shot::Shot;
use fluid_threads::{Executor, Pool, Serial, Shuffled};

/// A hot ball has everything: a solid, glow, bloom, a floor, added smoke, streaks.
fn picture(exec: &dyn Executor) -> Picture {
    let mut shot = Shot::new(by_name("hot_ball").expect("a look"), 20_000).expect("a scene");
    shot.advance_to(exec, 0.05).expect("a step");
    shot.advance_to(exec, 0.1).expect("a step");
    shot.picture(exec, [120, 90])
}

#[test]
fn and_in_any_order_of_their_tasks() {
    let serial = picture(&Serial);
    assert!(serial == picture(&Pool::new(3).expect("threads")), "three threads");
    assert!(serial == picture(&Shuffled::new(7)), "shuffled");
}
