//! Containers in wind, on a floor, side by side, around a body, and thrown: the fluid in them neither leaves
//! nor gets faster than what moves it.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::{Geometry, HalfSpace, Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::DensityBox;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{SolverKind, VelocityField};
use fluid_threads::Serial;
use glam::{Quat, Vec3};

const HALF: Vec3 = Vec3::new(0.4, 0.3, 0.35);
const SPACING: f32 = 0.1;

fn tank(place: Vec3) -> BodyDef {
    let shape = Shape { parity: Parity::Hole, ..Shape::cuboid(HALF) };
    let state = BodyState { position: place, ..BodyState::default() };
    BodyDef { shapes: vec![shape], state, mass: f32::INFINITY, ..BodyDef::default() }
}

struct World {
    sim: VortexSim,
    bodies: Bodies,
}

impl World {
    /// Tanks filled with fluid that is in slow disorder, but for a ball of radius `clear` \[m\] in each.
    fn new(tanks: &[Vec3], others: &[BodyDef], wind: Vec3, solver: SolverKind, clear: f32) -> Self {
        let params = Params { core_radius: 1.5 * SPACING, wind, solver, ..Params::default() };
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        let mut sim = VortexSim::new(params).expect("valid parameters");
        let random = Random::new(5);
        for &place in tanks {
            bodies.add(tank(place)).expect("a valid tank");
            let filling = DensityBox {
                centre: place,
                extent: 2.0 * HALF,
                spacing: SPACING,
                density_deviation: 0.0,
                dye: 0.0,
            };
            let mut vortons = filling.vortons().expect("constants in range");
            for (n, vorton) in (0..).zip(&mut vortons) {
                vorton.strength = random.centred_vec3(n) * SPACING.powi(3);
            }
            vortons.retain(|vorton| vorton.position.distance(place) > clear);
            sim.add_vortons(&vortons).expect("valid vortons");
        }
        for def in others {
            bodies.add(def.clone()).expect("a valid body");
        }
        Self { sim, bodies }
    }

    /// Steps of random lengths. Returns the largest energy over that of the first four.
    fn run(&mut self, steps: u64) -> f64 {
        let random = Random::new(9);
        let (mut first, mut most) = (0.0, 0.0_f64);
        for step in 0..steps {
            let dt = 1.0 / 144.0 + random.unit(step) * (1.0 / 15.0 - 1.0 / 144.0);
            self.sim.step(&Serial, &mut self.bodies, dt).expect("a finite step");
            let energy = self.sim.stats().energy;
            if step <= 3 {
                first = energy.max(first);
            }
            most = most.max(if step > 3 { energy / first } else { 0.0 });
        }
        assert_eq!(self.sim.stats().non_finite, 0);
        most
    }

    fn outside(&self, place: Vec3) -> usize {
        let beyond = |at: &Vec3| ((*at - place).abs() - HALF).max_element() > 1e-3;
        self.sim.vortons().positions.iter().filter(beyond).count()
    }
}

#[test]
fn wind_stays_out_of_it() {
    for solver in [SolverKind::Direct, SolverKind::Mesh] {
        let wind = Vec3::new(3.0, 0.5, 0.0);
        let mut world = World::new(&[Vec3::ZERO], &[], wind, solver, 0.0);
        let places: Vec<Vec3> = [-0.2, 0.0, 0.2].map(|x| Vec3::new(x, 0.1, -0.1)).to_vec();
        let energy = world.run(60);
        let mut inside = vec![Vec3::ZERO; places.len()];
        world.sim.field().velocities(&places, &mut inside);
        let most = inside.iter().map(|u| u.length()).fold(0.0, f32::max);
        println!("{solver:?}: {most:.3} m/s of {}, energy {energy:.3}", wind.length());
        assert!(most < 0.15 * wind.length() && world.outside(Vec3::ZERO) == 0, "{most}");
        assert!(energy < 1.1, "{energy}");
    }
}

#[test]
fn on_a_floor_and_beside_another() {
    for solver in [SolverKind::Direct, SolverKind::Mesh] {
        for height in [0.0, 0.1, 0.8] {
            let floor = BodyDef {
                shapes: vec![Shape::solid(Geometry::HalfSpace(HalfSpace))],
                state: BodyState { position: Vec3::Z * (-HALF.z - height), ..BodyState::default() },
                mass: f32::INFINITY,
                ..BodyDef::default()
            };
            let mut world = World::new(&[Vec3::ZERO], &[floor], Vec3::ZERO, solver, 0.0);
            let energy = world.run(100);
            println!("{solver:?}, {height} m above a floor: {energy:.3}");
            // Nearer than walls are thick, they act where vortons touch them, and work on the fluid.
            let allowed = if height < 0.3 { 1.6 } else { 1.1 };
            assert!(energy < allowed && world.outside(Vec3::ZERO) == 0, "{height}: {energy}");
        }
        for (gap, allowed) in [(0.02, 1.6), (0.8, 1.1)] {
            let beside = Vec3::X * (2.0 * HALF.x + gap);
            let mut world = World::new(&[Vec3::ZERO, beside], &[], Vec3::ZERO, solver, 0.0);
            let energy = world.run(100);
            println!("{solver:?}, two side by side, {gap} m apart: {energy:.3}");
            assert!(energy < allowed, "{energy}");
        }
    }
}

#[test]
fn around_a_ball() {
    for solver in [SolverKind::Direct, SolverKind::Mesh] {
        for no_through in [false, true] {
            let ball = BodyDef {
                shapes: vec![Shape::sphere(0.15)],
                mass: f32::INFINITY,
                no_through,
                ..BodyDef::default()
            };
            let mut world = World::new(&[Vec3::ZERO], &[ball], Vec3::ZERO, solver, 0.25);
            let energy = world.run(100);
            println!("{solver:?}, around a ball ({no_through}): {energy:.3}");
            assert!(energy < 1.1, "{energy}");
        }
    }
}

/// Moved by poses alone, as some engines do: the fluid is stirred as by one that tells its angular velocity.
#[test]
fn turned_by_its_pose_alone() {
    let stirred = [true, false].map(|tells| {
        let mut world = World::new(&[Vec3::ZERO], &[], Vec3::ZERO, SolverKind::Direct, 0.0);
        let dt = 1.0 / 60.0;
        for step in 0..30 {
            let angle = if tells { step as f32 * dt } else { (step + 1) as f32 * dt };
            let angular_velocity = if tells { Vec3::Z } else { Vec3::ZERO };
            let rotation = Quat::from_rotation_z(angle);
            let state = BodyState { rotation, angular_velocity, ..BodyState::default() };
            world.bodies.set_state(0, state).expect("a valid state");
            world.sim.step(&Serial, &mut world.bodies, dt).expect("a finite step");
        }
        let mut velocity = [Vec3::ZERO];
        world.sim.field().velocities(&[Vec3::new(0.3, 0.2, 0.0)], &mut velocity);
        velocity[0]
    });
    println!("{stirred:?}");
    assert!(stirred[0].distance(stirred[1]) < 0.05 * stirred[0].length(), "{stirred:?}");
}
