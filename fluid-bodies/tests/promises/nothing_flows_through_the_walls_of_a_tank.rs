//! Nothing flows through the walls of a container, and vortex lines that end there continue as in a mirror
//! (E53): the flow of a column from wall to wall is that of a plane vortex and its images.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::{Geometry, Parity, Polytope, Shape};
use fluid_bodies::{BodyDef, BodyState, Pose};
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{SolverKind, VelocityField};
use fluid_threads::Serial;
use glam::{Quat, Vec3};
use std::f32::consts::TAU;

const CORE: f32 = 0.1;

struct Tank {
    sim: VortexSim,
    bodies: Bodies,
}

impl Tank {
    fn new(geometry: Geometry, pose: Pose, solver: SolverKind, vortons: &[Vorton]) -> Self {
        let params = Params { core_radius: CORE, solver, ..Params::default() };
        Self::of(geometry, pose, params, vortons)
    }

    fn of(geometry: Geometry, pose: Pose, params: Params, vortons: &[Vorton]) -> Self {
        let shape = Shape { parity: Parity::Hole, ..Shape::solid(geometry) };
        let state = BodyState { position: pose.position, rotation: pose.rotation, ..BodyState::default() };
        let def = BodyDef { shapes: vec![shape], mass: f32::INFINITY, state, ..BodyDef::default() };
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        bodies.add(def).expect("a valid body");
        let mut sim = VortexSim::new(params).expect("valid parameters");
        sim.add_vortons(vortons).expect("valid vortons");
        Self { sim, bodies }
    }

    fn step(&mut self, dt: f32) {
        self.sim.step(&Serial, &mut self.bodies, dt).expect("a finite step");
    }

    fn velocities(&self, places: &[Vec3]) -> Vec<Vec3> {
        let mut velocities = vec![Vec3::ZERO; places.len()];
        self.sim.field().velocities(places, &mut velocities);
        velocities
    }

    /// Returns the normal velocity at the walls and velocity of the vortons, root mean squares \[m/s\].
    fn through_and_within(&self) -> (f32, f32) {
        let body = &self.bodies.obstacles().list()[0];
        let (shape, pose) = (&body.shapes()[0], *body.pose());
        let random = Random::new(11);
        let (centre, reach) = shape.geometry.queries().bounding_sphere();
        let walls = (0..2000).map(|n| {
            let far = centre + random.centred_vec3(n) * 8.0 * reach;
            shape.geometry.queries().surface(shape.geometry.queries().surface(far).point)
        });
        let (places, normals): (Vec<Vec3>, Vec<Vec3>) = walls
            .map(|wall| (pose.to_world(shape.pose.to_world(wall.point)), pose.turn(wall.normal)))
            .unzip();
        let rms = |sum: f32, count: usize| libm::sqrtf(sum / count as f32);
        let through: f32 =
            self.velocities(&places).iter().zip(&normals).map(|(u, n)| u.dot(*n).powi(2)).sum();
        let inside: Vec<Vec3> = self.sim.vortons().positions.iter().collect();
        let within: f32 = self.velocities(&inside).iter().map(|u| u.length_squared()).sum();
        (rms(through, places.len()), rms(within, inside.len()))
    }
}

/// Creates vortons on a lattice of `spacing` \[m\] in a shape, of a swirl that ends at its walls, with some
/// noise.
fn swirl(geometry: &Geometry, pose: Pose, spacing: f32) -> Vec<Vorton> {
    let random = Random::new(3);
    let (_, reach) = geometry.queries().bounding_sphere();
    let count = (reach / spacing) as i32 + 1;
    let axis = |n: i32| (n as f32 + 0.5) * spacing;
    let cells = (-count..count)
        .flat_map(|i| (-count..count).flat_map(move |j| (-count..count).map(move |k| (i, j, k))));
    let inside = cells.map(|(i, j, k)| Vec3::new(axis(i), axis(j), axis(k)));
    let inside = inside.filter(|&place| geometry.queries().surface(place).distance < -0.2 * spacing);
    (0..)
        .zip(inside)
        .map(|(n, place)| Vorton {
            position: pose.to_world(place),
            strength: pose
                .turn(Vec3::new(0.3, -0.5, 1.0) * (1.0 + 2.0 * place.x) + random.centred_vec3(n) * 0.6)
                * spacing.powi(3),
            volume: spacing.powi(3),
            ..Vorton::default()
        })
        .collect()
}

#[test]
fn of_a_box_a_hull_and_a_ball() {
    let box_around = Shape::cuboid(Vec3::new(0.6, 0.4, 0.5)).geometry;
    let ball = Shape::sphere(0.55).geometry;
    let corners: Vec<Vec3> = [-0.5_f32, 0.5]
        .iter()
        .flat_map(|&z| {
            [(-0.6, -0.5), (0.6, -0.5), (0.0, 0.7)].map(|(x, y)| Vec3::new(x * (1.0 - 0.4 * z), y, z))
        })
        .collect();
    let prism = Geometry::Polytope(Polytope::from_points(&corners).expect("a prism"));
    let turned = Pose {
        position: Vec3::new(1.0, -2.0, 0.5),
        rotation: Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.7),
    };
    for solver in [SolverKind::Direct, SolverKind::Mesh] {
        for (name, geometry) in [("box", &box_around), ("ball", &ball), ("prism", &prism)] {
            for pose in [Pose::IDENTITY, turned] {
                let vortons = swirl(geometry, pose, CORE / 1.5);
                let mut tank = Tank::new(geometry.clone(), pose, solver, &vortons);
                for _ in 0..4 {
                    tank.step(1.0 / 60.0);
                }
                let (through, within) = tank.through_and_within();
                println!("{name}, {solver:?}: {:.4} of {within:.3} m/s", through / within);
                // Where walls meet, and between vertices as far apart as the vortons, there is some
                // leakage: no sheet can resolve noise from vorton to vorton.
                let allowed = if name == "ball" { 0.02 } else { 0.15 };
                assert!(through < allowed * within, "{name}, {solver:?}: {through} of {within}");
            }
        }
    }
}

/// Returns u of a plane vortex of circulation 1 m²/s at the centre of a square with edges of 1 m, by its
/// images \[m/s\].
fn plane_vortex(x: f64, y: f64) -> (f64, f64) {
    const ROWS: i32 = 60;
    let (mut u, mut v) = (0.0, 0.0);
    for (i, j) in (-ROWS..=ROWS).flat_map(|i| (-ROWS..=ROWS).map(move |j| (i, j))) {
        let (dx, dy) = (x - f64::from(i), y - f64::from(j));
        let sign = if (i + j) % 2 == 0 { 1.0 } else { -1.0 };
        let factor = sign / (f64::from(TAU) * (dx * dx + dy * dy));
        u -= dy * factor;
        v += dx * factor;
    }
    (u, v)
}

/// Half an edge of a box rotated about its z axis \[m\].
const HALF: f32 = 0.5;

/// Fluid of uniform density and viscosity ν \[m²/s\] in a box that starts to rotate with 1 rad/s, at `rate`
/// steps a second.
struct Turned {
    tank: Tank,
    time: f32,
}

impl Turned {
    fn new(geometry: Geometry, viscosity: f32, solver: SolverKind, spacing: f32) -> Self {
        let mut vortons = swirl(&geometry, Pose::IDENTITY, spacing);
        vortons.iter_mut().for_each(|vorton| vorton.strength = Vec3::ZERO);
        let core_radius = 1.5 * spacing;
        let params = Params { core_radius, solver, viscosity, ..Params::default() };
        Self { tank: Tank::of(geometry, Pose::IDENTITY, params, &vortons), time: 0.0 }
    }

    fn step(&mut self, dt: f32) {
        let rotation = Quat::from_rotation_z(self.time);
        let state = BodyState { rotation, angular_velocity: Vec3::Z, ..BodyState::default() };
        self.tank.bodies.set_state(0, state).expect("a valid state");
        self.tank.step(dt);
        self.time += dt;
    }

    /// Returns the angular momentum of the fluid relative to a rigid body, and root mean square normal
    /// velocity relative to the walls over the edge of the box times its angular velocity.
    fn spin_and_leak(&self) -> (f32, f32) {
        let pose = *self.tank.bodies.obstacles().list()[0].pose();
        const CELLS: i32 = 12;
        let at = |n: i32| ((n as f32 + 0.5) / CELLS as f32 - 0.5) * 2.0 * HALF;
        let cells = (0..CELLS).flat_map(|i| (0..CELLS).flat_map(move |j| (0..CELLS).map(move |k| (i, j, k))));
        let geometry = &self.tank.bodies.obstacles().list()[0].shapes()[0].geometry;
        let places: Vec<Vec3> = cells
            .map(|(i, j, k)| Vec3::new(at(i), at(j), at(k)))
            .filter(|&place| geometry.queries().surface(place).distance < 0.0)
            .collect();
        let world: Vec<Vec3> = places.iter().map(|&place| pose.to_world(place)).collect();
        let (mut fluid, mut rigid) = (0.0, 0.0);
        for (place, velocity) in places.iter().zip(self.tank.velocities(&world)) {
            fluid += place.cross(pose.turn_back(velocity)).z;
            rigid += place.truncate().length_squared();
        }
        let walls: Vec<(Vec3, Vec3)> = (0..CELLS)
            .flat_map(|i| (0..CELLS).map(move |j| (i, j)))
            .flat_map(|(i, j)| {
                [(Vec3::X, Vec3::Y), (Vec3::Y, Vec3::X), (Vec3::NEG_X, Vec3::Y), (Vec3::NEG_Y, Vec3::X)]
                    .map(|(normal, along)| (normal * HALF + along * at(i) + Vec3::Z * at(j), normal))
            })
            .collect();
        let world: Vec<Vec3> = walls.iter().map(|&(place, _)| pose.to_world(place)).collect();
        let mut through = 0.0;
        for ((place, normal), velocity) in walls.iter().zip(self.tank.velocities(&world)) {
            through += (pose.turn_back(velocity) - Vec3::Z.cross(*place)).dot(*normal).powi(2);
        }
        (fluid / rigid, libm::sqrtf(through / walls.len() as f32) / (2.0 * HALF))
    }
}

/// The angular momentum of potential flow in a rotating square is that of a rigid body minus a part given
/// by the torsion constant (Lamb §72): 1 - 0.1406 / (1/6).
const OF_POTENTIAL_FLOW: f32 = 0.1566;

#[test]
fn of_a_box_that_turns() {
    for (solver, spacing) in
        [(SolverKind::Direct, 1.0 / 12.0), (SolverKind::Mesh, 1.0 / 12.0), (SolverKind::Direct, 1.0 / 8.0)]
    {
        let mut turned = Turned::new(Shape::cuboid(Vec3::splat(HALF)).geometry, 0.0, solver, spacing);
        for _ in 0..30 {
            turned.step(1.0 / 60.0);
        }
        let (spin, leak) = turned.spin_and_leak();
        println!("{solver:?}: {spin:.4} of a rigid body's ({OF_POTENTIAL_FLOW}), {leak:.4} goes through");
        // A core is an eighth of the box or more; edges are rounded by as much.
        assert!((0.95..1.25).contains(&(spin / OF_POTENTIAL_FLOW)), "{spin}");
        assert!(leak < 0.025, "{leak}");
        let strongest = turned.tank.sim.vortons().strengths.iter().map(|s| s.length()).fold(0.0, f32::max);
        assert!(strongest < 1e-6, "{strongest}");
    }
}

/// Zeros of tan x = x.
const ZEROS: [f32; 8] =
    [4.493409, 7.725252, 10.904122, 14.066194, 17.220755, 20.371303, 23.519452, 26.666054];

/// Returns the deficit of angular momentum of viscous fluid in a ball of radius R after the time T R²/ν,
/// relative to the initial deficit: Σ 10/x² exp(−x² T) over the zeros of j₁ (torsional Stokes flow).
fn share_left(time: f32) -> f32 {
    ZEROS.iter().map(|x| 10.0 / (x * x) * libm::expf(-x * x * time)).sum()
}

/// Returns the fraction of the angular momentum of fluid that rotates with a ball of the radius R =
/// [`HALF`] that the smoothed flow contains \[1\]. Lines of this vorticity continue straight to the sheet,
/// a core radius behind the wall, and along it (E53): beyond the wall, this is the flow (R/r)² Ω × r up to
/// the sheet, and none behind. All of it is smoothed by the kernel's density 15/8π (1 + ρ²)^(−7/2) σ⁻³, and
/// integrated over the ball.
fn shown_of_rigid_rotation(core: f64) -> f64 {
    const CELLS: usize = 60;
    const STEPS: usize = 80;
    let radius = f64::from(HALF);
    let cell = radius / CELLS as f64;
    let at = |n: usize| (n as f64 + 0.5) * cell;
    let behind = libm::round(core / cell) as usize;
    let density = |q: f64| {
        let s = 1.0 + (q / core).powi(2);
        15.0 / (8.0 * std::f64::consts::PI * core.powi(3) * s.powi(3) * s.sqrt())
    };
    // Mean of cos(angle) times the density, between spheres of the radii r and s, over q = |x − y|.
    let between = |r: f64, s: f64| {
        let (low, step) = ((r - s).abs(), (r + s - (r - s).abs()) / STEPS as f64);
        let each = (0..STEPS).map(|n| low + (n as f64 + 0.5) * step);
        each.map(|q| (r * r + s * s - q * q) / (2.0 * r * s) * density(q) * q / (r * s) * step).sum::<f64>()
    };
    let (mut shown, mut whole) = (0.0, 0.0);
    for r in (0..CELLS).map(at) {
        let each = (0..CELLS + behind).map(at);
        let of = |s: f64| (radius / s).min(1.0).powi(2) * s.powi(3) * between(r, s);
        shown += each.map(of).sum::<f64>() * 2.0 * std::f64::consts::PI * cell * r.powi(3);
        whole += r.powi(4);
    }
    shown / whole
}

/// Returns the angular momentum of the vortons in the ball relative to a rigid body: Σ α·χ with χ = 2/5 (R²
/// − r²) e + 1/5 (e·r) r, divided by 8/15 π R⁵.
fn spin_by_vortons(tank: &Tank) -> f32 {
    let vortons = tank.sim.vortons();
    let each = vortons.positions.iter().zip(vortons.strengths.iter());
    let sum: f32 =
        each.map(|(r, a)| 0.4 * (HALF * HALF - r.length_squared()) * a.z + 0.2 * r.z * r.dot(a)).sum();
    sum / (4.0 / 15.0 * TAU * HALF.powi(5))
}

/// A rising fraction, and the time at which it first exceeded a half.
#[derive(Default)]
struct Rise {
    last: (f32, f32),
    halfway: Option<f32>,
}

impl Rise {
    /// Adds a value at `time`, with linear interpolation from the last one.
    fn push(&mut self, time: f32, share: f32) {
        let (time_before, before) = std::mem::replace(&mut self.last, (time, share));
        if self.halfway.is_none() && share > 0.5 {
            self.halfway = Some(time_before + (time - time_before) * (0.5 - before) / (share - before));
        }
    }
}

/// In terms of angular momentum: of the vortons, and of the smoothed flow, relative to its value for rigid
/// rotation.
#[test]
fn viscous_fluid_is_taken_along() {
    let exact = (1..1000).map(|n| n as f32 * 1e-4).find(|&time| share_left(time) < 0.5).expect("it falls");
    for (viscosity, rate, spacing) in
        [(0.02_f32, 60.0, 0.1), (0.05, 24.0, 0.1), (0.02, 60.0, 1.0 / 15.0), (0.005, 60.0, 1.0 / 15.0)]
    {
        let core = 1.5 * spacing;
        let mut turned = Turned::new(Shape::sphere(HALF).geometry, viscosity, SolverKind::Direct, spacing);
        let rigid = shown_of_rigid_rotation(core.into()) as f32;
        let (mut shown, mut by_vortons) = (Rise::default(), Rise::default());
        // Times are relative to R²/ν.
        let per_time = viscosity / (HALF * HALF);
        while turned.time * per_time < 0.15 {
            turned.step(1.0 / rate);
            let time = turned.time * per_time;
            shown.push(time, turned.spin_and_leak().0 / rigid);
            by_vortons.push(time, spin_by_vortons(&turned.tank));
        }
        let ratios = [&shown, &by_vortons].map(|rise| rise.halfway.expect("it is taken along") / exact);
        let ends = [shown.last.1, by_vortons.last.1];
        println!(
            "ν = {viscosity}, {rate} Hz: half at {ratios:.2?} of the exact time, in the end {ends:.3?}; the \
             kernel shows {rigid:.3} of rigid rotation"
        );
        let end = 1.0 - share_left(0.15);
        assert!(ends.iter().all(|found| (found - end).abs() < 0.06), "{ends:?} of {end}");
        // Walls reduce slip with the time constant σ²/6ν (E54), and vortons receive it from the next step
        // on: the smoothed flow lags by both, to a tenth.
        let lag = (core * core / (6.0 * HALF * HALF) + per_time / rate) / exact;
        assert!((0.8..1.1 * (1.0 + lag)).contains(&ratios[0]), "{ratios:?}, {lag}");
        // In a ball of five core radii the lag is small enough for vortons to be on time.
        let latest = if HALF < 4.0 * core { 1.0 + 0.4 * lag } else { 1.2 };
        assert!((0.8..latest).contains(&ratios[1]), "{ratios:?}, {lag}");
    }
}

#[test]
fn a_column_from_wall_to_wall_is_a_plane_vortex() {
    let half = 0.5;
    for solver in [SolverKind::Direct, SolverKind::Mesh] {
        let spacing = CORE / 2.0;
        let column: Vec<Vorton> = (0..20)
            .map(|n| Vorton {
                position: Vec3::Z * ((n as f32 + 0.5) * spacing - half),
                strength: Vec3::Z * spacing,
                ..Vorton::default()
            })
            .collect();
        let mut tank = Tank::new(Shape::cuboid(Vec3::splat(half)).geometry, Pose::IDENTITY, solver, &column);
        for _ in 0..3 {
            tank.step(1.0 / 240.0);
        }
        let mut worst = 0.0_f32;
        for height in [0.0, 0.25, 0.4, 0.48] {
            let places: Vec<Vec3> = [(0.25_f32, 0.0_f32), (0.2, 0.2), (0.35, 0.1), (0.4, 0.4)]
                .map(|(x, y)| Vec3::new(x, y, height))
                .to_vec();
            for (place, u) in places.iter().zip(tank.velocities(&places)) {
                let (x, y) = plane_vortex(place.x.into(), place.y.into());
                let exact = Vec3::new(x as f32, y as f32, 0.0);
                let error = (u - exact).length() / exact.length().max(0.3);
                worst = worst.max(error);
            }
        }
        // With a line that just ends there would be half of this at the wall, and two thirds 2.5 cores
        // away.
        println!("{solver:?}: {worst:.3}");
        assert!(worst < 0.14, "{worst}");
    }
}
