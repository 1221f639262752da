//! Rotating fluid in the hole of a body takes angular momentum from the shell, and gives it back (E57): the
//! torque of sloshing fluid is that of theory, and a free tank conserves angular momentum while its fluid
//! is spun up or sloshes.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::rigid_body::RigidBody;
use fluid_bodies::shapes::{Geometry, Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::DensityBox;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{SolverKind, VelocityField};
use fluid_threads::Serial;
use glam::{DMat3, DVec3, Vec3};

const DENSITY: f64 = 1.2;
const GRAVITY: f32 = 10.0;
/// Density deviation of either layer \[kg/m³\]: g' = 2 m/s².
const DEVIATION: f32 = 0.12;

/// Time at which an engine takes impulses, relative to its own step.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Order {
    Before,
    After,
}

struct World {
    sim: VortexSim,
    bodies: Bodies,
    rigid: RigidBody,
    /// Angular impulse on the shell \[N m s\].
    got: DVec3,
}

impl World {
    fn new(def: &BodyDef, gravity: f32, viscosity: f32, spacing: f32, vortons: &[Vorton]) -> Self {
        let mut params = Params {
            core_radius: 1.5 * spacing,
            gravity: Vec3::NEG_Z * gravity,
            solver: SolverKind::Direct,
            viscosity,
            ..Params::default()
        };
        params.ambient.density = DENSITY as f32;
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        bodies.add(def.clone()).expect("a valid body");
        let mut sim = VortexSim::new(params).expect("valid parameters");
        sim.add_vortons(vortons).expect("valid vortons");
        Self { sim, bodies, rigid: RigidBody::new(def), got: DVec3::ZERO }
    }

    /// Makes a frame of an engine, in `parts` steps of the fluid. It takes impulses before or after it
    /// moves its bodies.
    fn frame(&mut self, dt: f32, parts: u32, order: Order) {
        self.bodies.set_state(0, self.rigid.state()).expect("a valid state");
        for _ in 0..parts {
            self.sim.step(&Serial, &mut self.bodies, dt / parts as f32).expect("a finite step");
        }
        let impulse = self.bodies.body_mut(0).take_impulse();
        self.got += impulse.angular;
        if order == Order::After {
            self.rigid.integrate(dt.into());
        }
        self.rigid.apply(&impulse);
        if order == Order::Before {
            self.rigid.integrate(dt.into());
        }
    }

    /// Returns ∫ r × u dV times the density, about the centre of the hole, by cells \[N m s\].
    fn angular_momentum(&self, cells: i32) -> DVec3 {
        let body = &self.bodies.obstacles().list()[0];
        let (shape, pose) = (&body.shapes()[0], *body.pose());
        let (centre, reach) = shape.geometry.queries().bounding_sphere();
        let centre = pose.to_world(shape.pose.to_world(centre));
        let cell = 2.0 * reach / cells as f32;
        let axis = |n: i32| (n as f32 + 0.5) * cell - reach;
        let each = (0..cells).flat_map(|i| (0..cells).flat_map(move |j| (0..cells).map(move |k| (i, j, k))));
        let places: Vec<Vec3> = each
            .map(|(i, j, k)| centre + Vec3::new(axis(i), axis(j), axis(k)))
            .filter(|&place| shape.surface(pose.to_local(place)).distance > 0.0)
            .collect();
        let mut velocities = vec![Vec3::ZERO; places.len()];
        self.sim.field().velocities(&places, &mut velocities);
        let each = places.iter().zip(&velocities);
        let sum: DVec3 = each.map(|(place, u)| (place - centre).cross(*u).as_dvec3()).sum();
        let volume = shape.geometry.queries().mass_properties().volume;
        sum * (DENSITY * volume / places.len() as f64)
    }
}

fn tank(geometry: Geometry, mass: f32) -> BodyDef {
    let shape = Shape { parity: Parity::Hole, ..Shape::solid(geometry) };
    BodyDef { shapes: vec![shape], mass, ..BodyDef::default() }
}

/// Creates two layers with a wave, half a wave long, at the moment of release.
fn wave(half: Vec3, spacing: f32, amplitude: f32) -> Vec<Vorton> {
    let layer = |side: f32| DensityBox {
        centre: Vec3::Z * (0.5 * side * half.z),
        extent: Vec3::new(2.0 * half.x, 2.0 * half.y, half.z),
        spacing,
        density_deviation: -side * DEVIATION,
        dye: 0.0,
        fuel: 0.0,
    };
    let mut vortons = [-1.0, 1.0].map(|side| layer(side).vortons().expect("constants in range")).concat();
    let k = 0.5 * std::f32::consts::PI / half.x;
    for vorton in &mut vortons {
        let Vec3 { x, z, .. } = vorton.position;
        let (down, scale) = (k * (half.z - z.abs()), amplitude / libm::sinhf(k * half.z));
        vorton.position.x -= scale * z.signum() * libm::cosf(k * x) * libm::coshf(down);
        vorton.position.z += scale * libm::sinf(k * x) * libm::sinhf(down);
    }
    vortons
}

/// Returns the moment of the density deviations, about the y-axis at the centre of a tank at rest \[N m\].
fn moment_of_weight(world: &World) -> f64 {
    let vortons = world.sim.vortons();
    let each = vortons.positions.iter().zip(&vortons.mass_deviations);
    each.map(|(place, &mass)| f64::from(place.x) * f64::from(mass)).sum::<f64>() * f64::from(GRAVITY)
}

/// Two layers of the depth h, 1 m long, slosh: ρ ∫ (z u − x w) dV relative to the moment of their weight,
/// which is 2 tanh kh tanh ½kh for a standing wave of half a length.
#[test]
fn a_slosh_takes_up_the_torque_of_theory() {
    let (spacing, dt) = (1.0 / 16.0, 1.0 / 30.0);
    for half in [Vec3::new(0.5, 0.25, 0.5), Vec3::new(0.5, 0.25, 0.25)] {
        let def = tank(Shape::cuboid(half).geometry, f32::INFINITY);
        let mut world = World::new(&def, GRAVITY, 0.0, spacing, &wave(half, spacing, 0.06));
        let kh = std::f64::consts::PI * f64::from(half.z);
        let theory = 2.0 * kh.tanh() * (0.5 * kh).tanh();
        let (mut taken, mut weight, mut start) = (0.0, 0.0, 0.0);
        for frame in 0..24 {
            // The flow of the first frame is that of its middle.
            if frame == 2 {
                (taken, weight, start) = (world.got.y, 0.0, world.angular_momentum(24).y);
            }
            weight += 0.5 * moment_of_weight(&world) * f64::from(dt);
            world.frame(dt, 1, Order::Before);
            weight += 0.5 * moment_of_weight(&world) * f64::from(dt);
        }
        let felt = world.got.y - taken;
        let flow = world.angular_momentum(24).y - start;
        let found = (weight - felt) / weight;
        println!("{half}: fluid takes {found:.3}, theory {theory:.3}; its flow {:.3}", flow / weight);
        // The interface is as thick as the vortons, and a thick interface turns more slowly.
        assert!((0.9..1.05).contains(&(found / theory)), "{found} of {theory}");
        // The shell receives the remainder of the moment of the weight.
        let whole = (felt + flow) / weight;
        assert!((0.9..1.1).contains(&whole), "shell and fluid got {whole}");
    }
}

/// A shell that rotates with 1 rad/s around fluid at rest, with `mass` relative to that of the fluid: its
/// inertia, its final angular velocity, and the largest in between.
struct SpinUp {
    world: World,
    shell: f64,
    end: f64,
    most: f64,
}

fn spin_up(geometry: Geometry, mass: f64, (rate, parts, order): (f32, u32, Order)) -> SpinUp {
    let spacing = 0.1;
    let content = DENSITY * geometry.queries().mass_properties().volume;
    let filling = DensityBox {
        centre: Vec3::ZERO,
        extent: Vec3::ONE,
        spacing,
        density_deviation: 0.0,
        dye: 0.0,
        fuel: 0.0,
    };
    let mut vortons = filling.vortons().expect("in range");
    vortons.retain(|vorton| geometry.queries().surface(vorton.position).distance < -0.2 * spacing);
    let shell = 0.15 * mass * content;
    let def = BodyDef {
        inertia: Some(DMat3::from_diagonal(DVec3::splat(shell))),
        state: BodyState { angular_velocity: Vec3::Z, ..BodyState::default() },
        ..tank(geometry, (mass * content) as f32)
    };
    let mut world = World::new(&def, 0.0, 0.02, spacing, &vortons);
    let mut most = 0.0_f64;
    for _ in 0..(2.0 * rate) as u32 {
        world.frame(1.0 / rate, parts, order);
        most = most.max(world.rigid.state().angular_velocity.length().into());
    }
    let end = f64::from(world.rigid.state().angular_velocity.z);
    SpinUp { world, shell, end, most }
}

const MANNERS: [(f32, u32, Order); 4] =
    [(24.0, 1, Order::Before), (30.0, 1, Order::After), (60.0, 3, Order::Before), (30.0, 2, Order::After)];

/// Returns Σ α·χ in a ball at the origin, with χ = 2/5 (R² − r²) e + 1/5 (e·r) r, times the density \[N m
/// s\].
fn angular_momentum_in_ball(world: &World, radius: f64) -> f64 {
    let vortons = world.sim.vortons();
    let each = vortons.positions.iter().zip(vortons.strengths.iter());
    let sum: f64 = each
        .map(|(place, strength)| {
            let (r, a) = (place.as_dvec3(), strength.as_dvec3());
            0.4 * (radius * radius - r.length_squared()) * a.z + 0.2 * r.z * r.dot(a)
        })
        .sum();
    DENSITY * sum
}

/// Only friction turns a round shell, and one of almost no mass follows its fluid.
#[test]
fn friction_takes_from_a_ball_what_its_fluid_gets() {
    check_balls(&[0.001, 0.3], &[MANNERS[0], MANNERS[3]]);
}

#[test]
#[ignore = "half a minute: six masses, four manners"]
fn friction_takes_from_any_ball_what_its_fluid_gets() {
    check_balls(&[0.001, 0.01, 0.1, 0.3, 1.0, 10.0], &MANNERS);
}

fn check_balls(masses: &[f64], manners: &[(f32, u32, Order)]) {
    let radius = 0.5_f64;
    let fluid = 8.0 / 15.0 * std::f64::consts::PI * DENSITY * radius.powi(5);
    for &mass in masses {
        for &manner in manners {
            let SpinUp { world, shell, end, most } = spin_up(Shape::sphere(0.5).geometry, mass, manner);
            let whole = (shell * end + angular_momentum_in_ball(&world, radius)) / shell;
            let expected = shell / (shell + fluid);
            println!(
                "{mass} {manner:?}: {whole:.4} of the angular momentum, turns {end:.4} of {expected:.4}"
            );
            // For light ones, the f32 positions of the fluid and angular momentum not yet transferred are a
            // percent.
            let allowed = if mass < 0.3 { 0.02 } else { 0.01 };
            assert!((whole - 1.0).abs() < allowed, "angular momentum {whole}");
            // The limit is not quite reached after 0.16 R²/ν.
            assert!((end - expected).abs() < 0.05 * expected + 0.002, "{end} of {expected}");
            assert!(most < 1.01, "{most}");
        }
    }
}

#[test]
fn fluid_in_a_free_box_turns_with_it_in_the_end() {
    check_boxes(&[0.001, 1.0], &[MANNERS[0], MANNERS[3]]);
}

#[test]
#[ignore = "half a minute: four masses, four manners"]
fn fluid_in_any_free_box_turns_with_it_in_the_end() {
    check_boxes(&[0.001, 0.1, 1.0, 10.0], &MANNERS);
}

/// Checks boxes, with the moment of inertia of potential flow in this box about z, relative to a solid's
/// (Saint-Venant's torsion of a rectangle 1 : 0.8).
fn check_boxes(masses: &[f64], manners: &[(f32, u32, Order)]) {
    let half = Vec3::new(0.5, 0.4, 0.3);
    let torsion: f64 = {
        let (a, b) = (1.0, 0.8_f64);
        let terms = (0..20).map(|k| f64::from(2 * k + 1));
        let sum: f64 = terms.map(|n| (n * std::f64::consts::PI * a / (2.0 * b)).tanh() / n.powi(5)).sum();
        a * b.powi(3) * (1.0 / 3.0 - 64.0 / std::f64::consts::PI.powi(5) * b / a * sum)
    };
    let solid = DENSITY * 0.48 * (1.0 + 0.64) / 12.0;
    let at_first = solid - DENSITY * 0.6 * torsion;
    for &mass in masses {
        for &manner in manners {
            let SpinUp { shell, end, most, .. } = spin_up(Shape::cuboid(half).geometry, mass, manner);
            let expected = (shell + at_first) / (shell + solid);
            println!("{mass} {manner:?}: turns {end:.4} of {expected:.4}, {most:.3} at most");
            // Lines that end at flat walls are lumped on the sheet behind them: the flow is that much
            // weaker.
            assert!((end / expected - 1.0).abs() < 0.06, "{end} of {expected}");
            assert!(most < 1.01, "{most}");
        }
    }
}
