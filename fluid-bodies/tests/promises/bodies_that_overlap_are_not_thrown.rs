//! Engines without contacts let bodies pass through each other and sink into floors. Sheets whose surfaces
//! intersect then stop answering each other: no body gets faster than three times the initial speeds, and no
//! point of its surface faster than four times, plus the effect of gravity. Cases are seeded; more of them
//! run with `--ignored`.

use crate::floor::half_space;
use crate::immersed::{Flow, World, body, hull, params, rim, turning};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState, Pose};
use fluid_core::math::Random;
use fluid_core::params::Params;
use glam::{DVec3, Quat, Vec3};

const GRAVITY: f64 = 9.81;

/// Half of the edge of the box that the engine keeps bodies in \[m\].
const ROOM: f64 = 0.7;

/// Velocity that a body keeps at a wall of that box \[1\].
const RESTITUTION: f32 = 0.5;

/// The case of a seed: light bodies in a flow, in half of all cases above a half-space.
struct Case {
    bodies: Vec<BodyDef>,
    flow: Flow,
    gravity: f64,
    has_floor: bool,
}

impl Case {
    fn of(seed: u64) -> Self {
        let random = Random::new(seed);
        let unit = |n| f64::from(random.unit(n));
        let shapes = [
            Shape::sphere(0.2),
            Shape::cuboid(Vec3::new(0.3, 0.2, 0.25)),
            Shape::capsule(0.15, 0.15),
            hull(),
        ];
        let count = 3 + (unit(0) * 3.0) as u64;
        let bodies = (0..count).map(|index| {
            let n = 10 + 10 * index;
            let state = BodyState {
                position: random.centred_vec3(n) * 0.9,
                velocity: random.centred_vec3(n + 1) * 2.0,
                angular_velocity: random.centred_vec3(n + 2) * 6.0,
                rotation: Quat::from_scaled_axis(random.centred_vec3(n + 3) * 3.0),
            };
            let shape = shapes[(unit(n + 4) * 4.0) as usize % 4].clone();
            let density = 0.05 * 40.0_f64.powf(unit(n + 5));
            BodyDef { no_through: true, ..body(shape, density, state) }
        });
        Self {
            bodies: bodies.collect(),
            flow: [Flow::Ring, Flow::Jet, Flow::Block][(unit(1) * 3.0) as usize % 3],
            gravity: if unit(2) < 0.5 { GRAVITY } else { 0.0 },
            has_floor: unit(3) < 0.5,
        }
    }

    fn check(&self, seed: u64, steps: u64) {
        let params = Params { gravity: Vec3::NEG_Z * self.gravity as f32, ..params(Vec3::ZERO) };
        let floor = half_space(Pose { position: Vec3::NEG_Z * ROOM as f32, ..Pose::IDENTITY });
        let defs: Vec<BodyDef> = self.bodies.iter().cloned().chain(self.has_floor.then_some(floor)).collect();
        let mut world = World::new(params, &self.flow.vortons(), &defs);
        let rims: Vec<_> = self.bodies.iter().map(rim).collect();
        let speed = |state: &BodyState, points: &[DVec3]| {
            let ends = turning(points, state.rotation.as_dquat(), state.angular_velocity.as_dvec3());
            ends.max(state.velocity.length().into())
        };
        let initial = self.bodies.iter().zip(&rims).map(|(def, rim)| speed(&def.state, rim));
        let first = f64::from(world.fastest_vorton()) + initial.fold(0.0, f64::max);
        // Added mass limits the acceleration of a light body to twice that of gravity.
        let fall = (2.0 * 2.0 * self.gravity * 2.0 * ROOM).sqrt();
        let random = Random::new(seed + 1000);
        let (mut body, mut surface) = (0.0_f64, 0.0_f64);
        for step in 0..steps {
            let dt = 1.0 / (15.0 + 129.0 * random.unit(step));
            for rigid in &mut world.rigid[..self.bodies.len()] {
                rigid.apply_force(DVec3::NEG_Z * self.gravity * rigid.mass());
            }
            world.step(dt);
            for (rigid, rim) in world.rigid.iter_mut().zip(&rims) {
                rigid.set_state(&kept_in_the_room(rigid.state()));
                body = body.max(rigid.velocity().length());
                surface = surface.max(speed(&rigid.state(), rim));
            }
        }
        println!(
            "seed {seed}: body {body:.2}, its surface {surface:.2} of {first:.2} m/s, by gravity {fall:.2}"
        );
        assert!(body <= 3.0 * first + fall, "seed {seed}: body {body} of {first} m/s");
        assert!(surface <= 4.0 * first + fall, "seed {seed}: surface {surface} of {first} m/s");
    }
}

/// Returns the state of a body after the engine has kept its centre in the box.
fn kept_in_the_room(mut state: BodyState) -> BodyState {
    for axis in 0..3 {
        let (x, v) = (state.position[axis], state.velocity[axis]);
        if f64::from(x.abs()) > ROOM && x * v > 0.0 {
            state.velocity[axis] = -v * RESTITUTION;
            state.position[axis] = x.signum() * ROOM as f32;
        }
    }
    state
}

/// While surfaces that intersect answered each other's flow, these two reached 75.6 and 67.7 m/s.
#[test]
fn two_worlds() {
    Case::of(4).check(4, 240);
    Case::of(15).check(15, 100);
}

#[test]
#[ignore = "minutes"]
fn many_worlds() {
    (0..48).for_each(|seed| Case::of(seed).check(seed, 600));
}
