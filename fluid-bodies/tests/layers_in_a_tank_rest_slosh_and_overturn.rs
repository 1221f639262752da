//! Two layers in a tank: at rest they stay at rest, whatever the tank's shape; pushed steadily their interface tilts by a/g; let go they slosh; upside down
//! they overturn and come to rest (T3, C1, C5, C7, A13, X2 for the tank).

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::rigid_body::RigidBody;
use fluid_bodies::shapes::{Geometry, Parity, Polytope, Shape};
use fluid_bodies::{BodyDef, BodyState, Pose};
use fluid_core::initial::DensityBox;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{SolverKind, SourceCloud, VelocityField};
use fluid_threads::{Executor, Pool, Serial, Shuffled};
use glam::{DVec3, Quat, Vec3};

/// Gravity downwards \[m/s²\], density deviation of either layer \[kg/m³\]: g' = 2 m/s².
const GRAVITY: f32 = 10.0;
const DEVIATION: f32 = 0.1;
const REDUCED: f32 = 2.0;

/// Two layers in a box of these half edges, the lower one with this deviation.
fn layers(half: Vec3, below: f32, spacing: f32) -> Vec<Vorton> {
    let layer = |side: f32| DensityBox {
        centre: Vec3::Z * (0.5 * side * half.z),
        extent: Vec3::new(2.0 * half.x, 2.0 * half.y, half.z),
        spacing,
        density_deviation: -side * below,
        dye: 0.0,
    };
    [-1.0, 1.0].map(|side| layer(side).vortons().expect("constants in range")).concat()
}

struct Tank {
    sim: VortexSim,
    bodies: Bodies,
    rigid: RigidBody,
}

impl Tank {
    fn new(geometry: Geometry, vortons: &[Vorton], spacing: f32, viscosity: f32) -> Self {
        let params = Params {
            core_radius: 1.5 * spacing,
            gravity: Vec3::Z * -GRAVITY,
            solver: SolverKind::Direct,
            viscosity,
            smagorinsky: if viscosity > 0.0 { 0.2 } else { 0.0 },
            ..Params::default()
        };
        let shape = Shape { parity: Parity::Hole, ..Shape::solid(geometry) };
        let def = BodyDef { shapes: vec![shape], mass: f32::INFINITY, ..BodyDef::default() };
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        bodies.add(def.clone()).expect("a valid body");
        let mut sim = VortexSim::new(params).expect("valid parameters");
        sim.add_vortons(vortons).expect("valid vortons");
        Self { sim, bodies, rigid: RigidBody::new(&def) }
    }

    /// A step in which the tank is moved along `way`.
    fn step(&mut self, exec: &dyn Executor, dt: f32, way: impl Fn(f64) -> DVec3) {
        let (time, end) = (self.sim.time(), self.sim.time() + f64::from(dt));
        let (here, there) = (way(time), way(end));
        let velocity = ((there - here) / f64::from(dt)).as_vec3();
        self.rigid.set_state(&BodyState { position: here.as_vec3(), velocity, ..BodyState::default() });
        self.bodies.set_state(0, self.rigid.state()).expect("a finite state");
        self.sim.step(exec, &mut self.bodies, dt).expect("a finite step");
    }

    fn pose(&self) -> Pose {
        self.bodies.list()[0].state().pose()
    }

    /// Largest speed in the tank's frame \[m/s\].
    fn fastest(&self) -> f32 {
        let places: Vec<Vec3> = self.sim.vortons().positions.iter().collect();
        let mut cloud = SourceCloud::new(self.sim.params().direct_settings());
        cloud.set(&self.sim.vortons().positions, &self.sim.vortons().strengths);
        let mut velocities = vec![Vec3::ZERO; places.len()];
        cloud.velocities(&places, &mut velocities);
        velocities.iter().map(|velocity| velocity.length()).fold(0.0, f32::max)
    }

    /// Σ m' x \[kg m\] in the tank: how far the heavy fluid is to a side, and how high.
    fn moment(&self) -> DVec3 {
        let (pose, vortons) = (self.pose(), self.sim.vortons());
        let each = vortons.positions.iter().zip(&vortons.mass_deviations);
        each.map(|(place, &mass)| pose.to_local(place).as_dvec3() * f64::from(mass)).sum()
    }

    /// How many vortons are outside of the tank.
    fn outside(&self) -> usize {
        let shape = &self.bodies.obstacles().list()[0].shapes()[0];
        let pose = self.pose();
        let depth = |place: Vec3| shape.surface(pose.to_local(place)).distance;
        self.sim.vortons().positions.iter().filter(|place| depth(*place) < 0.0).count()
    }
}

fn still(_: f64) -> DVec3 {
    DVec3::ZERO
}

#[test]
fn a_lattice_at_rest_stays_at_rest_exactly() {
    for (half, spacing) in [(Vec3::splat(0.5), 0.125), (Vec3::new(0.5, 0.4, 0.8), 0.1)] {
        let geometry = Shape::cuboid(half).geometry;
        let mut tank = Tank::new(geometry, &layers(half, DEVIATION, spacing), spacing, 0.0);
        for _ in 0..60 {
            tank.step(&Serial, 1.0 / 60.0, still);
        }
        let speed = tank.fastest() / (REDUCED * 2.0 * half.z).sqrt();
        println!("{half}: {speed:.1e} of √(g'H)");
        assert!(speed <= 1e-5 && tank.outside() == 0, "{half}: {speed}, {} outside", tank.outside());
    }
}

#[test]
fn vortons_in_disorder_and_slanting_walls_hardly_stir() {
    let spacing = 0.1;
    let slanting: Vec<Vec3> = [-0.5_f32, 0.5]
        .iter()
        .flat_map(|&z| {
            [(-0.6, -0.5), (0.6, -0.5), (0.0, 0.7)].map(|(x, y)| Vec3::new(x * (1.0 - 0.4 * z), y, z))
        })
        .collect();
    let prism = Geometry::Polytope(Polytope::from_points(&slanting).expect("points in space"));
    // C2 asks .03 of a box; slanting walls cut cells.
    for (name, geometry, allowed) in
        [("box", Shape::cuboid(Vec3::splat(0.5)).geometry, 0.03), ("prism", prism, 0.05)]
    {
        let random = Random::new(3);
        let mut vortons = layers(Vec3::new(0.8, 0.8, 0.5), DEVIATION, spacing);
        for (n, vorton) in (0..).zip(&mut vortons) {
            vorton.position += random.centred_vec3(n) * (0.5 * spacing);
        }
        vortons.retain(|vorton| geometry.convex().surface(vorton.position).distance < -0.1 * spacing);
        let mut tank = Tank::new(geometry, &vortons, spacing, 1e-3);
        let before = tank.moment();
        let mut most = 0.0_f32;
        for _ in 0..60 {
            tank.step(&Serial, 1.0 / 60.0, still);
            most = most.max(tank.fastest() / REDUCED.sqrt());
        }
        let mass: f32 = tank.sim.vortons().mass_deviations.iter().map(|mass| mass.abs()).sum();
        let drift = (tank.moment() - before).length() / f64::from(mass);
        println!("{name}: {most:.3} of √(g'H) at most, centre of mass by {drift:.1e} m");
        assert!(most < allowed && drift < 1e-3 && tank.outside() == 0, "{name}: {most}, {drift}");
    }
}

/// A slow start to a steady acceleration `a` \[m/s²\]: the interface follows without sloshing much.
fn pushed(time: f64) -> DVec3 {
    // a grows over 6 s to 1 m/s²: way of a jerk.
    DVec3::X * (time.powi(3) / 36.0)
}

#[test]
fn a_steady_push_tilts_the_interface() {
    let (half, spacing) = (Vec3::new(0.5, 0.25, 0.5), 0.125);
    let mut tank = Tank::new(Shape::cuboid(half).geometry, &layers(half, DEVIATION, spacing), spacing, 3e-3);
    for _ in 0..360 {
        tank.step(&Serial, 1.0 / 60.0, pushed);
    }
    // An interface of slope s moves the heavy fluid by ∫ 2δ s x² dy dx = 2δ s (2 hx)³ (2 hy) / 12 to one side: against the push.
    let acceleration = 1.0;
    let expected = f64::from(-2.0 * DEVIATION * acceleration / GRAVITY * 0.5 / 12.0);
    let moment = tank.moment().x;
    println!("moment {moment:.2e} kg m, slope a/g gives {expected:.2e}: {:.3} of it", moment / expected);
    assert!(tank.outside() == 0 && (0.9..1.1).contains(&(moment / expected)), "{moment} of {expected}");
}

/// Times \[s\] at which the heavy fluid passes the middle after a tilted start.
fn slosh(rate: f32, exec: &dyn Executor, seconds: f32) -> (Vec<f64>, u64) {
    let (half, spacing) = (Vec3::new(0.5, 0.25, 0.5), 0.125);
    let mut vortons = layers(half, DEVIATION, spacing);
    // A standing wave, half a wave long: displaced as by its potential, without compressing anything.
    let (k, depth, amplitude) = (std::f32::consts::PI, half.z, 0.06);
    for vorton in &mut vortons {
        let Vec3 { x, z, .. } = vorton.position;
        let (down, scale) = (k * (depth - z.abs()), amplitude / libm::sinhf(k * depth));
        vorton.position.x -= scale * z.signum() * libm::cosf(k * x) * libm::coshf(down);
        vorton.position.z += scale * libm::sinf(k * x) * libm::sinhf(down);
    }
    let mut tank = Tank::new(Shape::cuboid(half).geometry, &vortons, spacing, 0.0);
    let (mut crossings, mut last) = (Vec::new(), tank.moment().x);
    for _ in 0..(seconds * rate) as usize {
        tank.step(exec, 1.0 / rate, still);
        let now = tank.moment().x;
        if last * now < 0.0 {
            crossings.push(tank.sim.time() - f64::from(1.0 / rate) * now / (now - last));
        }
        last = now;
    }
    assert_eq!(tank.outside(), 0);
    (crossings, tank.sim.state_hash())
}

#[test]
fn layers_slosh_at_about_their_frequency_at_any_frame_rate() {
    // ω² = g' k / (coth k h₁ + coth k h₂): 1.20027 √g' for L = 1, h₁ = h₂ = ½.
    let quarter = std::f64::consts::FRAC_PI_2 / (1.20027 * f64::from(REDUCED).sqrt());
    let at_60 = slosh(60.0, &Serial, 6.0).0;
    println!(
        "passes the middle at {at_60:.3?} s, theory {quarter:.3} s: {:.2} of its time",
        at_60[0] / quarter
    );
    // Reported, not demanded: fluid passes through walls between contacts, and eight vortons are few for a wave. Without walls it would not come
    // back at all.
    assert!((1.0..1.7).contains(&(at_60[0] / quarter)), "{at_60:?} of {quarter}");
    let at_30 = slosh(30.0, &Serial, 6.0).0;
    println!("at 30 Hz {at_30:.3?}");
    assert!((at_30[0] / at_60[0] - 1.0).abs() < 0.02, "{at_30:?} {at_60:?}");
}

#[test]
fn tanks_give_the_same_bits_for_any_worker_count() {
    let serial = slosh(60.0, &Serial, 0.3).1;
    assert_eq!(serial, slosh(60.0, &Pool::new(3).expect("threads start"), 0.3).1);
    assert_eq!(serial, slosh(60.0, &Shuffled::new(5), 0.3).1);
}

#[test]
fn an_overturn_settles() {
    let (half, spacing) = (Vec3::splat(0.5), 0.125);
    let random = Random::new(9);
    let mut vortons = layers(half, -DEVIATION, spacing);
    for (n, vorton) in (0..).zip(&mut vortons) {
        vorton.position += random.centred_vec3(n) * (0.3 * spacing);
    }
    let mut tank = Tank::new(Shape::cuboid(half).geometry, &vortons, spacing, 5e-3);
    let first = tank.moment().z;
    let (mut fastest, mut heights) = (Vec::new(), Vec::new());
    for _ in 0..12 {
        for _ in 0..60 {
            tank.step(&Serial, 1.0 / 60.0, still);
        }
        fastest.push(tank.fastest());
        heights.push(tank.moment().z / first);
    }
    println!("height of the heavy fluid, of what it was: {heights:.2?}; fastest {fastest:.3?} m/s");
    assert_eq!(tank.outside(), 0);
    // Sorted, it would be -1; mixed, 0.
    assert!(heights[11] < -0.3, "{heights:?}");
    let most = fastest.iter().copied().fold(0.0, f32::max);
    assert!(fastest[11] < 0.5 * most, "does not settle: {fastest:?}");
}

#[test]
fn a_turned_box_rests_as_well() {
    let spacing = 0.1;
    let half = Vec3::splat(0.5);
    let turn = Quat::from_rotation_y(0.576);
    let mut vortons = layers(Vec3::splat(0.8), DEVIATION, spacing);
    let inside = |place: Vec3| (turn.conjugate() * place).abs().max_element() < 0.5 - 0.1 * spacing;
    vortons.retain(|vorton| inside(vorton.position));
    let corners: Vec<Vec3> = (0..8)
        .map(|n| turn * (Vec3::new((n & 1) as f32, (n >> 1 & 1) as f32, (n >> 2) as f32) * 2.0 - 1.0) * half)
        .collect();
    let geometry = Geometry::Polytope(Polytope::from_points(&corners).expect("a box"));
    let mut tank = Tank::new(geometry, &vortons, spacing, 1e-3);
    let mut most = 0.0_f32;
    for _ in 0..60 {
        tank.step(&Serial, 1.0 / 60.0, still);
        most = most.max(tank.fastest() / REDUCED.sqrt());
    }
    println!("turned by 33°: {most:.3} of √(g'H)");
    assert!(most < 0.03 && tank.outside() == 0, "{most}");
}
