//! An emitter that a body carries emits where the body is, in frames of several steps of any length: in its
//! tank, along its way, in the direction to which it has turned. A teleport leaves nothing on the way, and
//! without its body the emitter stays where it is (E59).

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::boundary::BodyCoupling;
use fluid_core::emitter::{Emitter, EmitterDef, Nozzle};
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::Tracers;
use fluid_core::sim::{TracerFeed, VortexSim};
use fluid_threads::Serial;
use glam::{Quat, Vec3};

const FEED: TracerFeed = TracerFeed { rate: 300.0, tag: 0, capacity: 100_000 };

/// A world with bodies that an engine moves.
struct World {
    sim: VortexSim,
    bodies: Bodies,
    tracers: Tracers,
}

impl World {
    fn new(defs: &[BodyDef], emitter: EmitterDef) -> Self {
        Self::in_wind(defs, emitter, Vec3::ZERO)
    }

    fn in_wind(defs: &[BodyDef], emitter: EmitterDef, wind: Vec3) -> Self {
        let params = Params { max_age: 2.0, wind, ..Params::default() };
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        for def in defs {
            bodies.add(BodyDef { mass: f32::INFINITY, ..def.clone() }).expect("a valid body");
        }
        let mut sim = VortexSim::new(params).expect("valid parameters");
        sim.emitters_mut().push(Emitter::new(emitter).expect("a valid emitter"));
        Self { sim, bodies, tracers: Tracers::default() }
    }

    /// Takes a frame of `steps` equal steps.
    fn frame(&mut self, dt: f32, steps: u16) {
        let dt = dt / f32::from(steps);
        for _ in 0..steps {
            self.sim.step(&Serial, &mut self.bodies, dt).expect("a finite step");
            self.sim.advance_tracers(&Serial, &mut self.bodies, &mut self.tracers, dt);
            assert_eq!(self.sim.feed_tracers(&self.bodies, (0, FEED), &mut self.tracers, dt), 0);
        }
    }

    /// Returns the places of vortons and of tracers.
    fn places(&self) -> [(&'static str, Vec<Vec3>); 2] {
        let vortons = self.sim.vortons().positions.iter().collect();
        [("vortons", vortons), ("tracers", self.tracers.positions().to_vec())]
    }

    fn position(&self) -> Vec3 {
        self.bodies.list()[0].state().position
    }
}

/// Length \[s\] and steps of frame number `n`.
fn frame_of(random: Random, n: u64) -> (f32, u16) {
    let (shortest, longest) = (1.0 / 144.0, 1.0 / 15.0);
    (shortest + (longest - shortest) * random.unit(2 * n), 1 + (4.0 * random.unit(2 * n + 1)) as u16)
}

fn puff() -> EmitterDef {
    EmitterDef {
        body: Some(0),
        extent: Vec3::splat(0.02),
        strength: Vec3::Z * 1e-7,
        rate: 300.0,
        volume: 1e-6,
        ..EmitterDef::default()
    }
}

fn largest_gap(along: impl Iterator<Item = f32>) -> f32 {
    let mut along: Vec<f32> = along.collect();
    along.sort_by(f32::total_cmp);
    along.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f32::max)
}

/// Motion of a tank: its engine tells how fast it is, or moves it by poses alone.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Told {
    Velocity,
    Pose,
}

/// The tank turns as well, with the emitter in a corner.
#[test]
fn in_a_tank_that_is_driven_about() {
    for (told, spin) in [(Told::Velocity, 0.0), (Told::Velocity, 2.6), (Told::Pose, 0.0), (Told::Pose, 2.6)] {
        let hole = Shape { parity: Parity::Hole, ..Shape::cuboid(Vec3::splat(0.6)) };
        let tank = BodyDef { shapes: vec![hole], ..BodyDef::default() };
        let corner = Vec3::new(0.55, 0.5, 0.2);
        let mut world = World::new(&[tank], EmitterDef { position: corner, ..puff() });
        let random = Random::new(7);
        let (mut time, mut outside, mut all) = (0.0_f32, 0, 0);
        for n in 0..100 {
            let (dt, steps) = frame_of(random, n);
            let place = |time: f32| Vec3::new(10.0 * libm::sinf(time), 0.0, 5.0 * libm::sinf(1.7 * time));
            let (position, rotation) = (place(time), Quat::from_rotation_z(spin * time));
            let velocity = (place(time + dt) - position) / dt;
            let mut state = BodyState { position, rotation, ..BodyState::default() };
            if told == Told::Velocity {
                (state.velocity, state.angular_velocity) = (velocity, Vec3::Z * spin);
            }
            world.bodies.set_state(0, state).expect("a valid state");
            world.frame(dt, steps);
            time += dt;
            let pose = world.bodies.list()[0].state().pose();
            for (_, places) in world.places() {
                let way = |place: &Vec3| pose.to_local(*place).abs().max_element();
                outside += places.iter().filter(|place| way(place) > 0.6 + 1e-4).count();
                all += places.len();
            }
        }
        println!("{told:?}, {spin} rad/s: {outside} of {all} outside");
        assert!(all > 50_000 && outside == 0, "{told:?}, {spin} rad/s: {outside} of {all}");
    }
}

#[test]
fn along_the_way_of_a_car() {
    let world_of = || World::new(&[BodyDef::default()], puff());
    let (mut world, random, speed) = (world_of(), Random::new(3), 12.0);
    for n in 0..60 {
        let (dt, steps) = frame_of(random, n);
        let state =
            BodyState { velocity: Vec3::X * speed, position: world.position(), ..BodyState::default() };
        world.bodies.set_state(0, state).expect("a valid state");
        world.frame(dt, steps);
    }
    // Each frame ends where the next begins.
    let last = world.position().x;
    for (kind, places) in world.places() {
        let gap = largest_gap(places.iter().map(|place| place.x));
        let first = places.iter().map(|place| place.x).fold(0.0, f32::max);
        println!("{kind}: {} up to {first:.3} of {last:.3} m, largest gap {gap:.3} m", places.len());
        // Two are .04 m apart on average, in a box of .02 m.
        assert!(gap < 0.04 + 0.021, "{kind}: a gap of {gap} m");
        assert!(first < last && first > last - speed / 15.0 - 0.06, "{kind}: {first} of {last}");
    }
    // A body that is teleported leaves nothing on the way.
    let before = world.places().map(|(_, places)| places.len());
    let there = BodyState { position: Vec3::Y * 50.0, ..BodyState::default() };
    world.bodies.place(0, there).expect("a valid state");
    world.sim.body_was_placed(0);
    world.frame(1.0 / 30.0, 3);
    for ((kind, places), before) in world.places().iter().zip(before) {
        let (new, far) = (&places[before.min(places.len())..], Vec3::Y * 50.0);
        assert!(new.iter().all(|place| place.distance(far) < 0.02), "{kind}: {new:?}");
    }
    assert!(world.places().iter().all(|(_, places)| places.iter().any(|place| place.y > 49.0)));
}

/// A body that moves by more than its length in a step takes nothing along that came out behind it.
#[test]
fn behind_a_rocket() {
    let (half, speed) = (0.3, 60.0);
    let rocket = BodyDef {
        shapes: vec![Shape::cuboid(Vec3::new(half, 0.1, 0.1))],
        state: BodyState { velocity: Vec3::X * speed, ..BodyState::default() },
        ..BodyDef::default()
    };
    for wind in [Vec3::ZERO, Vec3::new(-5.0, 0.0, 2.0)] {
        let emitter = EmitterDef { position: Vec3::X * -0.4, ..puff() };
        let (mut world, random) =
            (World::in_wind(std::slice::from_ref(&rocket), emitter, wind), Random::new(5));
        for n in 0..40 {
            let (dt, steps) = frame_of(random, n);
            let state = BodyState { position: world.position(), ..rocket.state };
            world.bodies.set_state(0, state).expect("a valid state");
            world.frame(dt, steps);
        }
        for (kind, places) in world.places() {
            let along = || places.iter().map(|place| place.x - world.position().x);
            let (foremost, gap) = (along().fold(f32::MIN, f32::max), largest_gap(along()));
            println!(
                "{kind}, wind {wind}: {}, the foremost at {foremost:.2} m, gap {gap:.2} m",
                places.len()
            );
            assert!(places.len() > 300 && foremost < -half, "{kind}, {wind}: {foremost} m");
            // Two are .2 m apart on average.
            assert!(gap < 0.5, "{kind}, {wind}: a gap of {gap} m");
        }
    }
}

/// A wheel of 1 m turns twice a second, with a nozzle at its rim that points outwards.
#[test]
fn from_the_rim_of_a_wheel() {
    let nozzle = Nozzle { radius: 0.1, speed: 4.0, disturbance: 0.0 };
    let outwards = Quat::from_rotation_arc(Vec3::Z, Vec3::X);
    let (position, rotation) = (Vec3::X, outwards);
    let jet = EmitterDef { position, rotation, rate: 0.0, volume: 0.0, nozzle: Some(nozzle), ..puff() };
    let mut world = World::new(&[BodyDef::default()], jet);
    let (turning, mut seen) = (2.0 * std::f32::consts::TAU, 0);
    for n in 0..30 {
        let angular_velocity = Vec3::Z * turning;
        let rotation = world.bodies.list()[0].state().rotation;
        world
            .bodies
            .set_state(0, BodyState { rotation, angular_velocity, ..BodyState::default() })
            .expect("a valid state");
        let count = world.sim.vortons().len();
        world.frame(1.0 / 120.0, 1);
        if world.sim.vortons().len() == count || n == 0 {
            continue;
        }
        // Rings turn about the nozzle's axis where it was up to a step ago.
        let angle = turning * n as f32 / 120.0;
        let axis = Vec3::new(libm::cosf(angle), libm::sinf(angle), 0.0);
        let new: Vec<usize> = (count..world.sim.vortons().len()).collect();
        let vortons = world.sim.vortons();
        let middle = new.iter().map(|&row| vortons.positions.get(row)).sum::<Vec3>() / new.len() as f32;
        let moment = |row: usize| (vortons.positions.get(row) - middle).cross(vortons.strengths.get(row));
        let impulse = new.iter().map(|&row| moment(row)).sum::<Vec3>().normalize();
        println!("{angle:.2} rad: ring at {middle:.3}, along {impulse:.3}");
        assert!(middle.distance(axis) < turning / 120.0 + 0.05, "{middle} at {axis}");
        assert!(impulse.dot(axis) > 0.99, "{impulse} along {axis}");
        seen += 1;
    }
    assert!(seen > 2);
}

#[test]
fn until_it_is_removed() {
    let at = |x: f32| BodyDef {
        state: BodyState { position: Vec3::X * x, velocity: Vec3::Z, ..BodyState::default() },
        ..BodyDef::default()
    };
    let mut world =
        World::new(&[at(1.0), at(2.0), at(3.0)], EmitterDef { body: Some(1), position: Vec3::Y, ..puff() });
    world.frame(0.05, 2);
    let place = |world: &World| world.sim.emitters()[0].placed_now(&world.bodies).position;
    assert!(place(&world).distance(Vec3::new(2.0, 1.0, 0.05)) < 1e-6, "{}", place(&world));
    world.sim.body_will_be_removed(&world.bodies, 0);
    world.bodies.remove(0);
    assert_eq!(world.sim.emitters()[0].def.body, Some(0), "the same body, one place up");
    world.frame(0.05, 2);
    let left = place(&world);
    assert!(left.distance(Vec3::new(2.0, 1.0, 0.1)) < 1e-6, "{left}");
    world.sim.body_will_be_removed(&world.bodies, 0);
    world.bodies.remove(0);
    let def = world.sim.emitters()[0].def;
    assert!(def.body.is_none() && def.position == left, "{def:?}");
    let count = world.sim.vortons().len();
    world.frame(0.05, 2);
    // Vortons due in the last step on the body come out as well, along its way in that step.
    let new: Vec<Vec3> = world.sim.vortons().positions.iter().skip(count).collect();
    let is_near = |at: &Vec3| (at - left).with_z(0.0).length() < 0.02 && (left.z - at.z + 0.01) < 0.08;
    assert!(new.iter().all(is_near), "{new:?}");
    assert_eq!(world.sim.vortons().len(), (0.15 * puff().rate) as usize, "at its rate from first to last");
}

/// A definition that changes another field does not interrupt the trail, and nothing comes out backwards in
/// time.
#[test]
fn whatever_else_changes() {
    let mut world = World::new(&[BodyDef::default()], puff());
    let drive = |world: &mut World, dt: f32| {
        let state =
            BodyState { velocity: Vec3::X * 12.0, position: world.position(), ..BodyState::default() };
        world.bodies.set_state(0, state).expect("a valid state");
        world.frame(dt, 1);
    };
    for n in 0..30_u8 {
        let def = EmitterDef { dye: f32::from(n % 2), ..puff() };
        let carrier = world.bodies.carrier(0).expect("a body");
        world.sim.emitters_mut()[0].redefine(def, carrier).expect("a valid definition");
        drive(&mut world, 1.0 / 30.0);
    }
    for (kind, places) in world.places() {
        let gap = largest_gap(places.iter().map(|place| place.x));
        println!("{kind}: {}, largest gap {gap:.3} m", places.len());
        assert!(gap < 0.061 && places.len() > 280, "{kind}: a gap of {gap} m in {}", places.len());
    }
    let counts = world.places().map(|(_, places)| places.len());
    drive(&mut world, -1.0 / 30.0);
    assert_eq!(world.places().map(|(_, places)| places.len()), counts);
}
