//! An impermeable body that an engine places where it is, or nearby, instead of setting its state, or the
//! shapes of which it creates anew, gets what the fluid loses (E51, E52): its sheet goes on with the flow
//! around it.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState, Pose};
use fluid_core::initial::VortexRing;
use fluid_core::invariants::Moments;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::{DVec3, Vec3};

const CORE: f32 = 0.12;
const RADIUS: f32 = 0.5;

/// Radii of rings that hit the ball and that pass around it \[m\].
const HITS: f32 = 0.5;
const PASSES: f32 = 0.9;

/// A ring that flies along z to an impermeable ball, which impulses do not move.
struct Scene {
    sim: VortexSim,
    bodies: Bodies,
    state: BodyState,
    /// Impulse that the ball has taken \[N s\].
    taken: DVec3,
    /// Total momentum of fluid and ball after the second step \[N s\].
    after_second: DVec3,
}

impl Scene {
    fn new(radius: f32, velocity: Vec3) -> Self {
        let mut params = Params { core_radius: CORE, ..Params::default() };
        params.ambient.density = 1.0;
        let ring = VortexRing {
            centre: Vec3::new(0.1, 0.0, -0.6),
            axis: Vec3::Z,
            radius,
            thickness: 0.2,
            circulation: 2.0,
            spacing: CORE / 1.5,
        };
        let state = BodyState { velocity, ..BodyState::default() };
        let shapes = vec![Shape::sphere(RADIUS)];
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        let def = BodyDef { shapes, mass: f32::INFINITY, state, no_through: true, ..BodyDef::default() };
        bodies.add(def).expect("a valid body");
        let mut sim = VortexSim::new(params).expect("valid parameters");
        sim.add_vortons(&ring.vortons().expect("constants in range")).expect("valid vortons");
        Self { sim, bodies, state, taken: DVec3::ZERO, after_second: DVec3::ZERO }
    }

    /// Returns the total momentum of fluid and ball \[N s\].
    fn momentum(&self) -> DVec3 {
        let ring = Moments::of(&Serial, self.sim.vortons()).linear_impulse - self.sim.impulse_owed();
        let body = &self.bodies.list()[0];
        ring + body.bound().impulse + body.fluid_momentum() + self.taken
    }

    /// Steps for .4 s at this rate; `before` prepares each step.
    fn run(mut self, hertz: u16, mut before: impl FnMut(&mut Self, u16)) -> Self {
        for step in 0..2 * hertz / 5 {
            self.state.position = self.state.velocity * (f32::from(step) / f32::from(hertz));
            before(&mut self, step);
            self.step(hertz);
            // The flow around the ball is known from the second step on.
            if step == 1 {
                self.after_second = self.momentum();
            }
        }
        self
    }

    fn step(&mut self, hertz: u16) {
        self.sim.step(&Serial, &mut self.bodies, 1.0 / f32::from(hertz)).expect("a finite step");
        self.taken += self.bodies.body_mut(0).take_impulse().linear;
    }

    fn set_state(&mut self) {
        self.bodies.set_state(0, self.state).expect("a valid state");
    }

    fn place(&mut self) {
        self.bodies.place(0, self.state).expect("a valid state");
    }

    fn set_shapes(&mut self, shapes: Vec<Shape>) {
        self.bodies.set_shapes(0, shapes).expect("valid shapes");
    }

    /// Returns the positions and strengths of all vortons.
    fn vortons(&self) -> Vec<(Vec3, Vec3)> {
        let vortons = self.sim.vortons();
        vortons.positions.iter().zip(vortons.strengths.iter()).collect()
    }

    fn is_as(&self, other: &Self) -> bool {
        self.taken == other.taken && self.vortons() == other.vortons()
    }
}

#[test]
fn placing_is_setting_the_state_without_a_path() {
    for (hertz, velocity) in [(30, Vec3::ZERO), (60, Vec3::new(0.1, 0.0, -0.3)), (120, Vec3::ZERO)] {
        let set = Scene::new(HITS, velocity).run(hertz, |scene, _| scene.set_state());
        println!("{hertz} Hz, {velocity}: {:.4} N s", set.taken.z);
        assert!(set.taken.z > 0.1, "{}", set.taken);
        for every in [1, 2] {
            let placed = Scene::new(HITS, velocity).run(hertz, |scene, step| match step % every {
                0 => scene.place(),
                _ => scene.set_state(),
            });
            let error = placed.taken.distance(set.taken) / set.taken.length();
            let drift = (placed.momentum() - placed.after_second).length();
            println!("  placed in one of {every} steps: {error:.1e} beside it, momentum {drift:.1e}");
            assert!(error < 0.01, "{hertz} Hz, {velocity}, one of {every}: {}", placed.taken);
            assert!(drift < 1e-5, "{hertz} Hz, {velocity}, one of {every}: {drift}");
            assert!(velocity != Vec3::ZERO || placed.is_as(&set), "other bits");
        }
    }
}

#[test]
fn shapes_that_come_back_before_a_step_change_nothing() {
    let ball = || Shape::sphere(RADIUS);
    let pose = Pose { position: Vec3::X * 0.49, ..Pose::IDENTITY };
    let tiny = || Shape { pose, ..Shape::sphere(0.01) };
    for hertz in [30, 60] {
        let same = Scene::new(HITS, Vec3::ZERO).run(hertz, |_, _| {});
        for every in [1, 3] {
            let created = Scene::new(HITS, Vec3::ZERO).run(hertz, |scene, step| {
                if step % every == 0 {
                    scene.set_shapes(Vec::new());
                    scene.set_shapes(vec![ball()]);
                }
            });
            assert!(created.is_as(&same), "created in one of {every} steps at {hertz} Hz");
        }
    }
    let same = Scene::new(HITS, Vec3::ZERO).run(30, |_, _| {});
    let added = Scene::new(HITS, Vec3::ZERO).run(30, |scene, _| {
        scene.set_shapes(vec![ball(), tiny()]);
        scene.place();
        scene.set_shapes(vec![ball()]);
    });
    assert!(added.is_as(&same), "a shape more for a moment");
}

#[test]
fn shapes_that_are_refused_change_nothing() {
    for hertz in [30, 60] {
        let same = Scene::new(HITS, Vec3::ZERO).run(hertz, |_, _| {});
        let refused = Scene::new(HITS, Vec3::ZERO).run(hertz, |scene, _| {
            assert!(scene.bodies.set_shapes(0, vec![Shape::sphere(-1.0)]).is_err());
        });
        assert!(refused.is_as(&same), "{hertz} Hz: {} instead of {}", refused.taken, same.taken);
    }
}

/// A step of no length between the end of a shape and its return changes nothing.
#[test]
fn shapes_come_back_after_a_pause() {
    let same = Scene::new(HITS, Vec3::ZERO).run(60, |_, _| {});
    let paused = Scene::new(HITS, Vec3::ZERO).run(60, |scene, step| {
        if step % 4 == 3 {
            scene.set_shapes(Vec::new());
            scene.sim.step(&Serial, &mut scene.bodies, 0.0).expect("a pause");
            scene.set_shapes(vec![Shape::sphere(RADIUS)]);
        }
    });
    let error = paused.taken.distance(same.taken) / same.taken.length();
    println!("{error:.1e} beside a run without pauses");
    assert!(error < 0.02, "{} instead of {}", paused.taken, same.taken);
}

/// Placements between two steps add up: several short ones are as far as one.
#[test]
fn many_short_placements_are_a_long_one() {
    let goes = |hops: u16| {
        Scene::new(HITS, Vec3::ZERO).run(60, |scene, step| {
            if step == 12 {
                for hop in 1..=hops {
                    scene.state.position = Vec3::X * (1.6 * RADIUS * f32::from(hop) / f32::from(hops));
                    scene.place();
                }
            }
        })
    };
    assert!(goes(4).is_as(&goes(1)), "four placements are nearer than one");
}

/// Beside a ring that passes, the impulse is that of pressure alone, and contacts do not make it uncertain. A
/// body that grows in a stream takes momentum from it, so only a small change of size leaves it as it was.
#[test]
fn a_body_that_grows_and_shrinks() {
    for (radius, hertz, part) in
        [(PASSES, 30, 1e-3), (PASSES, 60, 1e-3), (PASSES, 120, 1e-3), (HITS, 60, 0.01)]
    {
        let same = Scene::new(radius, Vec3::ZERO).run(hertz, |_, _| {});
        let size = |step: u16| RADIUS * (1.0 + part * libm::sinf(6.0 * f32::from(step) / f32::from(hertz)));
        let scaled = Scene::new(radius, Vec3::ZERO).run(hertz, |scene, step| {
            scene.set_shapes(Vec::new());
            scene.set_shapes(vec![Shape::sphere(size(step))]);
        });
        let drift = (scaled.momentum() - scaled.after_second).length();
        let (taken, beside) = (scaled.taken.z, same.taken.z);
        println!("ring {radius}, {hertz} Hz: {taken:.4} N s, {beside:.4} without, momentum {drift:.1e}");
        assert!(drift < 1e-5, "{hertz} Hz: {drift}");
        let most = if radius == PASSES { 0.1 } else { 0.5 };
        assert!((taken / beside - 1.0).abs() < most, "{hertz} Hz: {taken} beside {beside}");
    }
}

/// What a step owes to a body arrives, even if the body is elsewhere, or has no shapes, when the next begins.
#[test]
fn nothing_is_lost_on_a_long_way() {
    for hertz in [30, 60, 120] {
        let scene = || Scene::new(HITS, Vec3::ZERO).run(hertz, |_, _| {});
        let (mut stays, mut leaves, mut goes) = (scene(), scene(), scene());
        let before = stays.taken;
        stays.step(hertz);
        let due = stays.taken - before;
        leaves.state.position = Vec3::X * 20.0;
        leaves.place();
        let taken = leaves.bodies.body_mut(0).take_impulse().linear;
        goes.set_shapes(Vec::new());
        goes.step(hertz);
        println!("{hertz} Hz: {due:.5} N s due, {taken:.5} taken, {:.5} without shapes", goes.taken - before);
        let most = 1e-6 + 0.02 * due.length();
        assert!(due.z.abs() > 1e-3, "{due}");
        assert!(taken.distance(due) < most, "{hertz} Hz: {taken} instead of {due}");
        assert!((goes.taken - before).distance(due) < most, "{hertz} Hz: {}", goes.taken - before);
        // Far from the ring nothing comes from the flow that was around it.
        for _ in 0..3 {
            leaves.step(hertz);
        }
        let later = leaves.taken - before;
        assert!(later.length() < 1e-4, "{hertz} Hz: {later} far away");
    }
}
