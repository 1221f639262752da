//! Invalid values for bodies are errors and change nothing; bodies can be added and removed while others
//! stay; and steps of zero or negative length, or among vortons with non-finite positions, do not panic.

use crate::immersed::{World, body, hull, noise, params};
use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::no_slip::NoSlipSettings;
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState, Pose};
use fluid_core::boundary::{BodyCoupling, Boundary, ContactWork, Motion};
use fluid_core::math::Vec3Columns;
use fluid_core::particles::{Vorton, Vortons};
use fluid_core::sim::VortexSim;
use fluid_threads::{Executor, Serial};
use glam::{Quat, Vec3};

const DT: f32 = 1.0 / 60.0;

fn no_bodies() -> Bodies {
    Bodies::new(BodySettings::default(), &params(Vec3::ZERO)).expect("valid settings")
}

/// Creates a ball and a box that move side by side. The box is impermeable.
fn pair() -> [BodyDef; 2] {
    let state = |x| BodyState { position: Vec3::X * x, velocity: Vec3::Y, ..BodyState::default() };
    let tight = body(Shape::cuboid(Vec3::splat(0.12)), 2.0, state(0.25));
    [body(Shape::sphere(0.15), 1.0, state(-0.25)), BodyDef { no_through: true, ..tight }]
}

fn world(defs: &[BodyDef]) -> World {
    World::new(params(Vec3::X), &noise(Vec3::ZERO, Vec3::splat(0.8), 0.1), defs)
}

const BAD: [f32; 3] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];

fn bad_states() -> Vec<BodyState> {
    let good = BodyState::default();
    let mut states: Vec<_> = BAD
        .into_iter()
        .flat_map(|bad| {
            let vector = Vec3::new(0.0, bad, 0.0);
            [
                BodyState { position: vector, ..good },
                BodyState { velocity: vector, ..good },
                BodyState { angular_velocity: vector, ..good },
                BodyState { rotation: Quat::from_xyzw(0.0, bad, 0.0, 1.0), ..good },
            ]
        })
        .collect();
    for fast in [1.1e6, -1e19] {
        states.push(BodyState { velocity: Vec3::X * fast, ..good });
        states.push(BodyState { angular_velocity: Vec3::Z * fast, ..good });
        states.push(BodyState { position: Vec3::Y * (2e3 * fast), ..good });
    }
    for length in [0.0, 0.9, 1.1] {
        states.push(BodyState { rotation: Quat::from_xyzw(0.0, 0.0, 0.0, length), ..good });
    }
    states
}

fn bad_shapes() -> Vec<Shape> {
    let ball = Shape::sphere(0.1);
    let pose = Pose { position: Vec3::splat(f32::NAN), ..Pose::IDENTITY };
    let turned = Pose { rotation: Quat::from_xyzw(1.0, 1.0, 0.0, 0.0), ..Pose::IDENTITY };
    let mut shapes =
        vec![Shape { pose, ..ball.clone() }, Shape { pose: turned, ..ball }, Shape::capsule(-1.0, 0.1)];
    for bad in BAD.into_iter().chain([0.0, -1.0]) {
        shapes.extend([
            Shape::sphere(bad),
            Shape::capsule(0.1, bad),
            Shape::cuboid(Vec3::new(0.1, bad, 0.1)),
        ]);
    }
    shapes
}

fn bad_defs() -> Vec<BodyDef> {
    let good = pair()[0].clone();
    let mut defs: Vec<_> = bad_states().into_iter().map(|state| BodyDef { state, ..good.clone() }).collect();
    for shape in bad_shapes() {
        defs.push(BodyDef { shapes: vec![good.shapes[0].clone(), shape], ..good.clone() });
    }
    for bad in [f32::NAN, 0.0, -0.0, -1.0, f32::NEG_INFINITY] {
        defs.push(BodyDef { mass: bad, ..good.clone() });
        defs.push(BodyDef { heat_capacity: bad, ..good.clone() });
        defs.push(BodyDef { temperature: bad, ..good.clone() });
    }
    defs.push(BodyDef { temperature: f32::INFINITY, ..good.clone() });
    for bad in BAD.into_iter().chain([-1.0]) {
        defs.push(BodyDef { heat_transfer: bad, ..good.clone() });
    }
    defs
}

#[test]
fn what_no_body_can_be_is_an_error_and_changes_nothing() {
    let (mut tried, mut untouched) = (world(&pair()), world(&pair()));
    for def in bad_defs() {
        assert!(tried.bodies.add(def.clone()).is_err(), "{def:?} is taken");
    }
    for state in bad_states() {
        assert!(tried.bodies.set_state(0, state).is_err(), "{state:?} is taken");
        assert!(tried.bodies.place(0, state).is_err(), "{state:?} is taken");
    }
    for shape in bad_shapes() {
        assert!(tried.bodies.set_shapes(0, vec![shape.clone()]).is_err(), "{shape:?} is taken");
    }
    for bad in [f32::NAN, 0.0, -1.0, f32::NEG_INFINITY] {
        assert!(tried.bodies.body_mut(0).set_mass(bad).is_err(), "a mass of {bad} is taken");
        assert!(tried.bodies.body_mut(0).set_temperature(bad).is_err(), "a temperature of {bad} is taken");
    }
    assert!(tried.bodies.body_mut(0).set_temperature(f32::INFINITY).is_err());
    assert_eq!(tried.bodies.list().len(), 2);
    for _ in 0..5 {
        tried.step(DT);
        untouched.step(DT);
        assert_eq!(tried.sim.state_hash(), untouched.sim.state_hash());
        assert_eq!(tried.impulses, untouched.impulses);
    }
}

#[test]
fn what_no_setting_can_be_is_an_error() {
    let good = BodySettings::default();
    let with = |no_slip| BodySettings { no_slip, ..good };
    let mut bad = vec![with(NoSlipSettings { passes: 0, ..good.no_slip })];
    for value in [f32::NAN, -1.0, f32::NEG_INFINITY] {
        bad.push(with(NoSlipSettings { depth: value, ..good.no_slip }));
        bad.push(with(NoSlipSettings { rate: value, ..good.no_slip }));
        bad.push(BodySettings { specific_heat: value, ..good });
    }
    bad.push(with(NoSlipSettings { depth: f32::INFINITY, ..good.no_slip }));
    bad.push(BodySettings { specific_heat: f32::INFINITY, ..good });
    bad.push(BodySettings { specific_heat: 0.0, ..good });
    for settings in bad {
        assert!(Bodies::new(settings, &params(Vec3::ZERO)).is_err(), "{settings:?} is taken");
    }
}

/// A body far away meets no particle, so its presence must not change a bit of the others.
#[test]
fn others_stay_when_one_goes() {
    let far = BodyState { position: Vec3::Y * 50.0, ..BodyState::default() };
    let far = body(hull(), 1.0, far);
    let [ball, cuboid] = pair();
    let mut left = world(&[far, ball.clone(), cuboid.clone()]);
    let mut alone = world(&[ball, cuboid]);
    for step in 0..10 {
        if step == 5 {
            left.bodies.remove(0);
            left.rigid.remove(0);
            left.impulses.remove(0);
        }
        left.step(DT);
        alone.step(DT);
        let others = left.impulses.len() - 2;
        assert_eq!(left.impulses[others..], alone.impulses, "step {step}");
        assert_eq!(left.sim.state_hash(), alone.sim.state_hash(), "step {step}");
    }
    assert!(alone.impulses.iter().all(|impulse| impulse.hits > 0));
    // The last bodies can be removed as well.
    left.bodies.remove(1);
    left.bodies.remove(0);
    left.rigid.clear();
    left.impulses.clear();
    left.step(DT);
    assert!(left.bodies.contacts().is_empty() || left.bodies.list().is_empty());
}

#[test]
fn without_shapes_a_body_touches_nothing() {
    let state = BodyState { velocity: Vec3::X, angular_velocity: Vec3::Y, ..BodyState::default() };
    let ghost = BodyDef { state, ..BodyDef::default() };
    let (mut with, mut without) = (world(&[ghost]), world(&[]));
    for _ in 0..5 {
        with.step(DT);
        without.step(DT);
        assert_eq!(with.sim.state_hash(), without.sim.state_hash());
        assert_eq!(with.impulses[0], Default::default());
    }
    // Shapes added later take effect; particles inside them are pushed out.
    with.bodies.set_shapes(0, vec![Shape::sphere(0.2)]).expect("a ball");
    with.step(DT);
    assert!(with.impulses[0].hits > 0 && with.embedded() == 0);
    with.bodies.set_shapes(0, Vec::new()).expect("no shapes");
    with.step(DT);
    assert_eq!(with.impulses[0].hits, 0);
}

#[test]
fn steps_of_no_length_and_backwards() {
    for steps in
        [&[0.0, 0.0, DT][..], &[-DT, -DT, -DT], &[DT, -DT, 0.0, -0.0], &[1e-30, -1e-30, 1e3, -1e3, DT]]
    {
        let mut world = world(&pair()).with_tracers();
        for &dt in steps {
            world.step(dt);
            assert_eq!(world.embedded(), 0, "steps {steps:?}");
            for impulse in &world.impulses {
                assert!(impulse.linear.is_finite() && impulse.angular.is_finite(), "steps {steps:?}");
            }
        }
    }
}

/// The largest valid velocities, alone and among vortons: reactions, and states to which the library moves
/// the body, are finite and valid.
#[test]
fn the_fastest_states_give_finite_impulses() {
    for (velocity, angular_velocity) in
        [(Vec3::X * 1e6, Vec3::ZERO), (Vec3::ZERO, Vec3::splat(1e6)), (Vec3::splat(-1e6), Vec3::Y * 1e6)]
    {
        for inertia in [None, Some(glam::DMat3::from_diagonal(glam::DVec3::new(1e-9, 1e-9, 1.5e-9)))] {
            let state = BodyState { velocity, angular_velocity, ..BodyState::default() };
            for no_through in [false, true] {
                let shape = Shape::cuboid(Vec3::new(0.1, 0.15, 0.2));
                let def = BodyDef { inertia, no_through, ..body(shape, 0.05, state) };
                let mut world = world(&[def]);
                for dt in [DT, 1e-6, -DT, 0.0, DT] {
                    world.sim.step(&Serial, &mut world.bodies, dt).expect("a finite step");
                    let (state, impulse) =
                        (*world.bodies.list()[0].state(), *world.bodies.list()[0].impulse());
                    assert!(state.is_valid(), "{state:?}");
                    assert!(impulse.linear.is_finite() && impulse.angular.is_finite(), "{impulse:?}");
                }
            }
        }
    }
}

#[test]
fn in_no_time_bodies_get_nothing() {
    let mut world = world(&pair());
    world.step(0.0);
    for impulse in &world.impulses {
        // There is no time for slip to decay; particles that were inside no body are not pushed.
        assert_eq!((impulse.linear.length(), impulse.angular.length()), (0.0, 0.0), "{impulse:?}");
    }
}

/// Bodies process vortons before the step removes those with non-finite positions.
#[test]
fn vortons_that_are_nowhere_are_survived() {
    /// Makes some of the vortons non-finite, as a flow does that is too fast for the step.
    struct Spoilt(Bodies);
    impl BodyCoupling for Spoilt {
        fn begin_step(&mut self, exec: &dyn Executor, dt: f32, vortons: &Vortons, boundary: &mut Boundary) {
            self.0.begin_step(exec, dt, vortons, boundary);
        }
        fn weaken(&mut self, part: f32) {
            self.0.weaken(part);
        }
        fn vorton_contacts(
            &mut self,
            motion: Motion<'_>,
            before: &Vec3Columns,
            vortons: &mut Vortons,
        ) -> ContactWork {
            let bad = [f32::NAN, f32::INFINITY, 3e38, -3e38, 1e-45];
            for row in (0..vortons.len()).step_by(7) {
                let value = Vec3::splat(bad[row % bad.len()]);
                match row % 3 {
                    0 => vortons.positions.set(row, value),
                    1 => vortons.strengths.set(row, value),
                    _ => (vortons.volumes[row], vortons.mass_deviations[row]) = (value.x, value.x),
                }
            }
            self.0.vorton_contacts(motion, before, vortons)
        }
        fn set_out(&mut self, exec: &dyn Executor, vortons: &Vortons) {
            self.0.set_out(exec, vortons);
        }
        fn absorbed(&self) -> &[u32] {
            self.0.absorbed()
        }
        fn end_step(&mut self, motion: Motion<'_>) {
            self.0.end_step(motion);
        }
    }
    let mut bodies = no_bodies();
    for def in pair() {
        bodies.add(BodyDef { heat_transfer: 1.0, ..def }).expect("a valid body");
    }
    let mut sim = VortexSim::new(params(Vec3::X)).expect("valid parameters");
    let outside = |vorton: &&Vorton| !bodies.obstacles().contains(vorton.position);
    let vortons: Vec<Vorton> =
        noise(Vec3::ZERO, Vec3::splat(0.8), 0.1).iter().filter(outside).copied().collect();
    sim.add_vortons(&vortons).expect("valid vortons");
    let mut spoilt = Spoilt(bodies);
    for _ in 0..4 {
        sim.step(&Serial, &mut spoilt, DT).expect("a finite step");
    }
    assert!(sim.stats().non_finite > 0);
}
