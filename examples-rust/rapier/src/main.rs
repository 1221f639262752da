//! rapier 0.36: four balls of a rapier world in water, for 60 s; the scene of examples-c/hosts/bullet.cpp. A
//! buoy floats on a rod, a stone sinks to a floor, a drifter as heavy as water is pushed by a vortex ring,
//! and a ball three times as heavy hangs on a rod. Then the same with that ball hot: it warms the water.
//!
//! The fluid is stepped immediately before each `PhysicsWorld::step`, with the engine's `dt`. Contacts and
//! joints then react to the fluid in the same step, and afterwards fluid and bodies are at the same time.
//! After the engine's step instead, the fluid would be a step ahead of the drawn bodies, and no contact would
//! have reacted to its last push.
//!
//! Impulses are passed on as forces, impulse / dt, because rapier divides its step into four, over which it
//! spreads forces and weight. `apply_impulse` acts before the first of them, so a ball as heavy as water,
//! with as much lift as weight, would rise by 3/8 g dt² in every step: 12 mm/s here.
//!
//! Prints the momentum of fluid and bodies, and exits with 1 if the balance exceeds its error bounds: see
//! [`Limits`].

use rapier3d::prelude::{
    ColliderBuilder, PhysicsWorld, RigidBody, RigidBodyBuilder, RigidBodyHandle, SphericalJointBuilder,
    Vector,
};
use std::error::Error;
use std::process::ExitCode;
use vorton::bodies::ledger::BodyImpulse;
use vorton::fluid::density::EquationOfState;
use vorton::glam::DVec3;
use vorton::prelude::{
    Ambient, Bodies, BodyDef, BodySettings, BodyState, FilamentRing, Noise, Params, Quat, Serial, Shape,
    Vec3, VortexSim,
};

// --- The bridge ----------------------------------------------------------------------------------

/// A fluid and the engine's bodies in it. rapier and the library use different versions of glam, so vectors
/// are passed on as arrays.
struct FluidBodies {
    sim: VortexSim,
    bodies: Bodies,
    /// The engine's bodies, in the order of `bodies`.
    handles: Vec<RigidBodyHandle>,
    /// What each body received in the last tick.
    impulses: Vec<BodyImpulse>,
}

impl FluidBodies {
    fn new(params: Params, settings: BodySettings) -> Result<Self, Box<dyn Error>> {
        let (sim, bodies) = (VortexSim::new(params)?, Bodies::new(settings, &params)?);
        Ok(Self { sim, bodies, handles: Vec::new(), impulses: Vec::new() })
    }

    /// Adds a body of the engine with one ball; boxes, capsules and hulls work in the same way, with shapes
    /// relative to the centre of mass.
    fn add(
        &mut self,
        engine: &mut PhysicsWorld,
        handle: RigidBodyHandle,
        def: BodyDef,
    ) -> Result<(), Box<dyn Error>> {
        let body = &mut engine.bodies[handle];
        // Otherwise rapier computes the mass in its first step.
        body.recompute_mass_properties_from_colliders(&engine.colliders);
        let collider = body.colliders().first().and_then(|&first| engine.colliders.get(first));
        let ball =
            collider.and_then(|collider| collider.shape().as_ball()).ok_or("the body is not a ball")?;
        let mass = if body.is_dynamic() { body.mass() } else { f32::INFINITY };
        let shapes = vec![Shape::sphere(ball.radius)];
        self.bodies.add(BodyDef { shapes, mass, state: state_of(body), ..def })?;
        self.handles.push(handle);
        self.impulses.push(BodyImpulse::default());
        Ok(())
    }

    /// Removes vortons that are inside bodies; the bodies keep what they carry.
    fn remove_embedded(&mut self) {
        let vortons = self.sim.vortons();
        let (positions, strengths) = (&vortons.positions, &vortons.strengths);
        let rows = vortons.ids.iter().enumerate();
        let inside = rows.filter(|&(row, _)| self.bodies.absorb(positions.get(row), strengths.get(row), 0.0));
        let ids: Vec<u64> = inside.map(|(_, &id)| id).collect();
        self.sim.take_vortons(&ids);
    }

    /// The four calls of a step; the engine's own step follows. Replaces all forces on the bodies.
    fn tick(&mut self, engine: &mut PhysicsWorld) -> Result<(), Box<dyn Error>> {
        for (index, &handle) in self.handles.iter().enumerate() {
            self.bodies.set_state(index, state_of(&engine.bodies[handle]))?;
        }
        let dt = engine.integration_parameters.dt;
        self.sim.step(&Serial, &mut self.bodies, dt)?;
        for (index, &handle) in self.handles.iter().enumerate() {
            let impulse = self.bodies.body_mut(index).take_impulse();
            let body = &mut engine.bodies[handle];
            body.reset_forces(true);
            body.reset_torques(true);
            body.add_force((impulse.linear.as_vec3() / dt).to_array().into(), true);
            body.add_torque((impulse.angular.as_vec3() / dt).to_array().into(), true);
            self.impulses[index] = impulse;
        }
        Ok(())
    }
}

fn state_of(body: &RigidBody) -> BodyState {
    BodyState {
        position: Vec3::from_array(body.center_of_mass().to_array()),
        rotation: Quat::from_array(body.rotation().to_array()),
        velocity: Vec3::from_array(body.linvel().to_array()),
        angular_velocity: Vec3::from_array(body.angvel().to_array()),
    }
}

// --- The game ------------------------------------------------------------------------------------

/// Density of the water \[kg/m³\].
const DENSITY: f32 = 1000.0;
/// \[J/(kg K)\]
const SPECIFIC_HEAT: f32 = 4200.0;
/// \[1/K\]
const EXPANSION: f32 = 2e-4;
/// Temperatures of the water and of the hot ball \[K\].
const COLD: f32 = 300.0;
const HOT: f32 = 360.0;
/// Along -z \[m/s²\]: weak enough that 60 s stay in view.
const GRAVITY: f32 = 2.0;
/// Radius of the balls \[m\].
const RADIUS: f32 = 0.25;
/// Volume of a ball \[m³\].
const VOLUME: f64 = 4.0 / 3.0 * std::f64::consts::PI * (RADIUS * RADIUS * RADIUS) as f64;
const CORE_RADIUS: f32 = 0.15;
const STEP: f32 = 1.0 / 60.0;
/// 60 s.
const STEPS: u32 = 3600;

/// A ball at rest at (x, 0, 0).
struct Ball {
    x: f32,
    /// Density relative to that of water.
    density: f32,
    /// Length from the rod's anchor up to the ball \[m\]; 0: no rod.
    rod: f32,
}

const BALLS: [Ball; 4] = [
    Ball { x: -1.2, density: 0.5, rod: 0.8 },
    Ball { x: -0.3, density: 1.0, rod: 0.0 },
    Ball { x: 0.5, density: 2.0, rod: 0.0 },
    Ball { x: 1.2, density: 3.0, rod: -0.8 },
];
const BUOY: usize = 0;
const DRIFTER: usize = 1;
const STONE: usize = 2;
const HANGING: usize = 3;

/// Missing momentum, as a fraction of the momentum exchanged by fluid and bodies; missing heat, as a fraction
/// of the ball's heat loss.
struct Limits {
    momentum: f64,
    heat: f64,
}

/// Rounding. A float velocity of 1 m/s has an error of up to 6e-8, a ball's momentum 1e-5. Over 3,600 steps
/// of four balls it accumulates like a random walk: 1e-3 kg m/s, 1e-6 of 1,000.
const LIMITS_COLD: Limits = Limits { momentum: 1e-5, heat: 0.0 };
/// The ball's loss becomes missing mass of vortons. The momentum from gravity on light water is summed on a
/// lattice of nodes, step by step, which is the larger error.
const LIMITS_HOT: Limits = Limits { momentum: 5e-3, heat: 1e-6 };

/// Mean distance \[m\] that the fluid may be ahead of the drifter. Measured: 3e-6 to 4e-6, and 2.1e-4 with
/// impulses instead of forces.
const MOST_AHEAD: f64 = 2e-5;

/// The momentum balance of fluid and bodies \[kg m/s\], and the heat \[J\] received by bodies.
#[derive(Default)]
struct Books {
    /// Impulse from rapier: weight, floor, rods.
    engine: DVec3,
    /// Archimedes' force: the pressure of water at rest, which no vorton carries.
    lift: DVec3,
    /// Weight of warm water minus that of cold water.
    weight: DVec3,
    /// Momentum of both after the second step: the fluid moving with a body is known from then on.
    start: DVec3,
    /// Momentum of the bodies after the last tick, its impulses included.
    after: DVec3,
    exchanged: f64,
    heat: f64,
    ticks: u32,
}

impl Books {
    /// Ticks the fluid, and enters what it exchanged.
    fn tick(&mut self, fluid: &mut FluidBodies, engine: &mut PhysicsWorld) -> Result<(), Box<dyn Error>> {
        let dt = f64::from(STEP);
        let up = f64::from(DENSITY) * VOLUME * f64::from(GRAVITY) * dt;
        let before = extra_mass(fluid);
        if self.ticks > 0 {
            self.engine += of_bodies(fluid, engine) - self.after;
        }
        fluid.tick(engine)?;
        let given: DVec3 = fluid.impulses.iter().map(|impulse| impulse.linear).sum();
        self.after = of_bodies(fluid, engine) + given;
        self.weight.z -= 0.5 * (before + extra_mass(fluid)) * f64::from(GRAVITY) * dt;
        for impulse in &fluid.impulses {
            // In cold water: the effect of the ball's warm film is in the error.
            self.exchanged += (impulse.linear - DVec3::Z * up).length();
            self.lift.z += up;
            self.heat += impulse.heat;
        }
        self.ticks += 1;
        if self.ticks == 2 {
            self.start = self.sum(fluid);
        }
        Ok(())
    }

    fn sum(&self, fluid: &FluidBodies) -> DVec3 {
        of_fluid(fluid) + self.after - self.engine - self.lift - self.weight
    }
}

fn of_bodies(fluid: &FluidBodies, engine: &PhysicsWorld) -> DVec3 {
    let momentum = |body: &RigidBody| {
        let velocity = Vec3::from_array(body.linvel().to_array()).as_dvec3();
        velocity * f64::from(body.mass())
    };
    fluid.handles.iter().map(|&handle| momentum(&engine.bodies[handle])).sum()
}

fn of_fluid(fluid: &FluidBodies) -> DVec3 {
    let bound = fluid.bodies.list().iter().map(|body| body.bound().impulse + body.fluid_momentum());
    let vortons = fluid.sim.moments(&Serial).linear_impulse - fluid.sim.impulse_owed();
    f64::from(DENSITY) * (vortons + bound.sum::<DVec3>())
}

/// Mass of warm water minus that of cold water \[kg\]: negative.
fn extra_mass(fluid: &FluidBodies) -> f64 {
    fluid.sim.vortons().mass_deviations.iter().map(|&mass| f64::from(mass)).sum()
}

fn play(is_hot: bool) -> Result<bool, Box<dyn Error>> {
    let params = Params {
        core_radius: CORE_RADIUS,
        ambient: Ambient { density: DENSITY, temperature: COLD, ..Ambient::default() },
        equation_of_state: EquationOfState::Linear { expansion: EXPANSION },
        gravity: Vec3::Z * -GRAVITY,
        max_vortons: 2000,
        ..Params::default()
    };
    let settings = BodySettings { specific_heat: SPECIFIC_HEAT, ..BodySettings::default() };
    let mut fluid = FluidBodies::new(params, settings)?;
    // Nearly empty vortons for bodies to stir, and a ring that travels to the drifter.
    let extent = Vec3::new(3.2, 0.8, 1.2);
    let noise = Noise { centre: Vec3::ZERO, extent, spacing: 0.15, amplitude: 1e-3, seed: 1 };
    fluid.sim.add_vortons(&noise.vortons()?)?;
    let ring = FilamentRing {
        centre: Vec3::new(-0.3, -1.5, 0.0),
        axis: Vec3::Y,
        radius: 0.4,
        circulation: 1.0,
        core_radius: CORE_RADIUS,
        count: 40,
    };
    fluid.sim.add_vortons(&ring.vortons()?)?;

    let mut engine = PhysicsWorld { gravity: Vector::Z * -GRAVITY, ..PhysicsWorld::default() };
    engine.integration_parameters.dt = STEP;
    // A floor that supports balls and lets fluid through, as a grating: the fluid has no such body.
    engine.insert_collider(ColliderBuilder::cuboid(10.0, 10.0, 0.5).translation(Vector::Z * -2.0), None);
    for (index, ball) in BALLS.iter().enumerate() {
        let place = Vector::X * ball.x;
        // rapier puts slow bodies to sleep, and then holds them in place. Without damping, which the fluid
        // provides.
        let body = RigidBodyBuilder::dynamic().translation(place).can_sleep(false);
        let collider = ColliderBuilder::ball(RADIUS).density(DENSITY * ball.density);
        let (handle, _) = engine.insert(body, collider);
        if ball.rod != 0.0 {
            let below = Vector::Z * -ball.rod;
            let anchor = engine.insert_body(RigidBodyBuilder::fixed().translation(place + below));
            let rod = SphericalJointBuilder::new().local_anchor2(below);
            engine.insert_impulse_joint(anchor, handle, rod);
        }
        let body = BodyDef { no_through: true, temperature: COLD, ..BodyDef::default() };
        let hot = BodyDef { temperature: HOT, heat_capacity: 2e5, heat_transfer: 1000.0, ..body.clone() };
        fluid.add(&mut engine, handle, if is_hot && index == HANGING { hot } else { body })?;
    }
    fluid.remove_embedded();

    let mut books = Books::default();
    let mut ahead = 0.0;
    for _ in 0..STEPS {
        books.tick(&mut fluid, &mut engine)?;
        engine.step();
        let expected = fluid.bodies.list()[DRIFTER].state().position.to_array();
        ahead += f64::from(place_of(&fluid, &engine, DRIFTER).distance(expected.into())) / f64::from(STEPS);
    }
    report(is_hot, &fluid, &engine, &books, ahead)
}

fn place_of(fluid: &FluidBodies, engine: &PhysicsWorld, ball: usize) -> Vector {
    engine.bodies[fluid.handles[ball]].center_of_mass()
}

/// Prints the results; `ahead` is the mean distance between the drifter in the fluid and in the engine after
/// both have been stepped \[m\]. Returns false if a body is out of place, or momentum or heat is missing.
fn report(
    is_hot: bool,
    fluid: &FluidBodies,
    engine: &PhysicsWorld,
    books: &Books,
    ahead: f64,
) -> Result<bool, Box<dyn Error>> {
    let error = books.sum(fluid) - books.start;
    let share = error.length() / books.exchanged;
    let lost = -books.heat;
    let found = -f64::from(SPECIFIC_HEAT) / f64::from(EXPANSION) * extra_mass(fluid);
    let heat_share = if lost > 0.0 { (found / lost - 1.0).abs() } else { 0.0 };
    let place = |ball: usize| place_of(fluid, engine, ball);
    let (buoy, stone) = (place(BUOY), place(STONE));
    let way = (place(DRIFTER) - Vector::X * BALLS[DRIFTER].x).length();
    println!(
        "rapier   {} water, {:.0} s: {:.1} kg m/s exchanged, error ({:.1e}, {:.1e}, {:.1e}), {share:.1e} of it; {} vortons",
        if is_hot { "warmed" } else { "cold" },
        STEP * STEPS as f32,
        books.exchanged,
        error.x,
        error.y,
        error.z,
        fluid.sim.vortons().len(),
    );
    println!(
        "         buoy at {:.2} m, stone at {:.2} m, drifter pushed by {way:.1} m, {ahead:.1e} m ahead in the fluid",
        buoy.z, stone.z
    );
    if is_hot {
        let temperature = fluid.bodies.list()[HANGING].temperature();
        println!(
            "         ball cooled to {temperature:.1} K: lost {lost:.4e} J, the water has {found:.4e} J, {heat_share:.1e} off"
        );
    }
    // The buoy floats on its rod, the stone lies on the floor, the drifter has moved.
    let is_placed = buoy.z > -0.1 && (stone.z + 1.5 - RADIUS).abs() < 0.02 && way > 1.0 && ahead < MOST_AHEAD;
    let limits = if is_hot { LIMITS_HOT } else { LIMITS_COLD };
    let is_kept = share <= limits.momentum && heat_share <= limits.heat && is_hot == (lost > 0.0);
    if !(is_placed && is_kept) {
        println!("FAILED: a body is out of place, or momentum or heat is missing");
    }
    Ok(is_placed && is_kept)
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let (cold, hot) = (play(false)?, play(true)?);
    Ok(if cold && hot { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
