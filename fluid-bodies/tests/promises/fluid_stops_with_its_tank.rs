//! Viscous fluid in a drum that begins to turn about its axis, and stops, has the angular momentum that the
//! Navier-Stokes equations give it, and takes it from the drum; none turns backwards, none gets faster than
//! the rim, and once the drum is at rest, energy only falls (E54). So does that of a vortex in a drum at rest
//! (E53, E7).

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::DensityBox;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::VelocityField;
use fluid_threads::Serial;
use glam::{Quat, Vec3};

const RADIUS: f32 = 0.5;
const HALF_HEIGHT: f32 = 0.3;
const CORE: f32 = 0.1;
const VISCOSITY: f32 = 0.002;
/// Angular velocity of the drum \[rad/s\].
const SPIN: f32 = 2.0;
/// Vorticity \[rad/s\] in the middle of a vortex, and its radius \[m\].
const VORTEX_SPEED: f32 = 4.0;
const VORTEX_RADIUS: f32 = 0.2;

/// Axisymmetric Navier-Stokes equations in the drum: finite differences, second order in space, first in
/// time, for the velocity about the axis, the vorticity about it and the stream function.
struct Axisymmetric {
    around: Grid,
    vorticity: Grid,
    stream: Grid,
    time: f64,
}

/// Cells along the radius and the axis.
const CELLS: [usize; 2] = [25, 30];

/// Values at radius i and height j.
type Grid = Vec<[f64; CELLS[1] + 1]>;

impl Axisymmetric {
    const STEP: f64 = 0.0025;

    fn new() -> Self {
        let grid = || vec![[0.0; CELLS[1] + 1]; CELLS[0] + 1];
        Self { around: grid(), vorticity: grid(), stream: grid(), time: 0.0 }
    }

    fn spacing() -> [f64; 2] {
        [f64::from(RADIUS) / CELLS[0] as f64, 2.0 * f64::from(HALF_HEIGHT) / CELLS[1] as f64]
    }

    /// Finds the stream function by successive over-relaxation.
    fn find_stream(&mut self) {
        let [dr, dz] = Self::spacing();
        for _ in 0..60 {
            let mut largest = 0.0_f64;
            for i in 1..CELLS[0] {
                let r = i as f64 * dr;
                let outer = 1.0 / ((r + 0.5 * dr) * dr * dr);
                let (inner, along) = (1.0 / ((r - 0.5 * dr) * dr * dr), 1.0 / (r * dz * dz));
                for j in 1..CELLS[1] {
                    let p = &self.stream;
                    let beside =
                        outer * p[i + 1][j] + inner * p[i - 1][j] + along * (p[i][j + 1] + p[i][j - 1]);
                    let value = (beside + self.vorticity[i][j]) / (outer + inner + 2.0 * along);
                    let change = value - p[i][j];
                    self.stream[i][j] += 1.7 * change;
                    largest = largest.max(change.abs());
                }
            }
            if largest < 1e-9 {
                return;
            }
        }
    }

    /// A vortex along the axis, of Gaussian vorticity, in fluid at rest.
    fn with_vortex() -> Self {
        let mut drum = Self::new();
        let circulation = std::f64::consts::PI * f64::from(VORTEX_SPEED * VORTEX_RADIUS * VORTEX_RADIUS);
        for (i, row) in drum.around.iter_mut().enumerate().take(CELLS[0]).skip(1) {
            let r = i as f64 * Self::spacing()[0];
            let inside = -libm::expm1(-(r / f64::from(VORTEX_RADIUS)).powi(2));
            row[1..CELLS[1]].fill(circulation * inside / (2.0 * std::f64::consts::PI * r));
        }
        drum
    }

    /// Takes a step in a drum with this angular velocity \[rad/s\].
    fn step(&mut self, spin: f64) {
        self.find_stream();
        let ([dr, dz], [n, m]) = (Self::spacing(), CELLS);
        for j in 0..=m {
            self.around[n][j] = spin * f64::from(RADIUS);
            self.vorticity[n][j] = -2.0 * self.stream[n - 1][j] / (dr * dr * f64::from(RADIUS));
        }
        for i in 1..n {
            let r = i as f64 * dr;
            (self.around[i][0], self.around[i][m]) = (spin * r, spin * r);
            self.vorticity[i][0] = -2.0 * self.stream[i][1] / (dz * dz * r);
            self.vorticity[i][m] = -2.0 * self.stream[i][m - 1] / (dz * dz * r);
        }
        let (around, vorticity) = (self.around.clone(), self.vorticity.clone());
        for i in 1..n {
            let r = i as f64 * dr;
            for j in 1..m {
                let across = |f: &Grid| (f[i + 1][j] - f[i - 1][j]) / (2.0 * dr);
                let along = |f: &Grid| (f[i][j + 1] - f[i][j - 1]) / (2.0 * dz);
                let diffusion = |f: &Grid| {
                    let second = (f[i + 1][j] - 2.0 * f[i][j] + f[i - 1][j]) / (dr * dr);
                    let axial = (f[i][j + 1] - 2.0 * f[i][j] + f[i][j - 1]) / (dz * dz);
                    f64::from(VISCOSITY) * (second + across(f) / r - f[i][j] / (r * r) + axial)
                };
                let (outwards, upwards) = (-along(&self.stream) / r, across(&self.stream) / r);
                let moved = |f: &Grid| outwards * across(f) + upwards * along(f);
                let (u, w) = (around[i][j], vorticity[i][j]);
                self.around[i][j] = u + Self::STEP * (diffusion(&around) - moved(&around) - outwards * u / r);
                let tilted = 2.0 * u * along(&around) / r;
                self.vorticity[i][j] =
                    w + Self::STEP * (diffusion(&vorticity) - moved(&vorticity) + outwards * w / r + tilted);
            }
        }
        self.time += Self::STEP;
    }

    /// Returns the angular momentum relative to that of fluid that turns with the drum.
    fn share(&self) -> f64 {
        let (mut sum, mut rigid) = (0.0, 0.0);
        for (i, row) in self.around.iter().enumerate() {
            let r = i as f64 * Self::spacing()[0];
            for (j, u) in row.iter().enumerate() {
                let half = |at: usize, last: usize| if at == 0 || at == last { 0.5 } else { 1.0 };
                let weight = half(i, CELLS[0]) * half(j, CELLS[1]) * r * r;
                sum += weight * u;
                rigid += weight * r * f64::from(SPIN);
            }
        }
        sum / rigid
    }
}

/// Drum of the library, which its engine drives.
struct Drum {
    sim: VortexSim,
    bodies: Bodies,
    angle: f32,
    /// Angular momentum given to the fluid \[N m s\].
    given: f64,
}

impl Drum {
    fn new() -> Self {
        Self::with(|_| 0.0)
    }

    /// A drum with this vorticity along its axis \[rad/s\] at a distance from the axis \[m\].
    fn with(vorticity: impl Fn(f32) -> f32) -> Self {
        let mut params = Params { core_radius: CORE, viscosity: VISCOSITY, ..Params::default() };
        params.ambient.density = 1.0;
        let hole = Shape { parity: Parity::Hole, ..Shape::cylinder(HALF_HEIGHT, RADIUS) };
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        let lattice = DensityBox {
            centre: Vec3::ZERO,
            extent: Vec3::new(1.0, 1.0, 0.6),
            spacing: CORE / 1.5,
            density_deviation: 0.0,
            dye: 0.0,
            fuel: 0.0,
        };
        let mut vortons = lattice.vortons().expect("in range");
        vortons.retain(|vorton| hole.surface(vorton.position).distance > 0.2 * CORE);
        for vorton in &mut vortons {
            vorton.strength.z = vorton.volume * vorticity(vorton.position.truncate().length());
        }
        let def = BodyDef { shapes: vec![hole], mass: f32::INFINITY, ..BodyDef::default() };
        bodies.add(def).expect("a valid tank");
        let mut sim = VortexSim::new(params).expect("valid parameters");
        sim.add_vortons(&vortons).expect("valid vortons");
        Self { sim, bodies, angle: 0.0, given: 0.0 }
    }

    fn step(&mut self, spin: f32, dt: f32) {
        let rotation = Quat::from_rotation_z(self.angle);
        let state = BodyState { rotation, angular_velocity: Vec3::Z * spin, ..BodyState::default() };
        self.bodies.set_state(0, state).expect("a valid state");
        self.sim.step(&Serial, &mut self.bodies, dt).expect("a finite step");
        self.angle += spin * dt;
        self.given -= self.bodies.body_mut(0).take_impulse().angular.z;
    }

    /// Returns the angular momentum given to the fluid, and that of the flow at the vortons, relative to that
    /// of fluid that turns with the drum, and the largest speed \[m/s\] at vortons.
    fn shares(&self) -> (f64, f64, f32) {
        let vortons = self.sim.vortons();
        let places: Vec<Vec3> = vortons.positions.iter().collect();
        let mut flow = vec![Vec3::ZERO; places.len()];
        self.sim.field().velocities(&places, &mut flow);
        let (mut sum, mut rigid, mut fastest) = (0.0, 0.0, 0.0_f32);
        for ((place, u), &volume) in places.iter().zip(&flow).zip(&vortons.volumes) {
            sum += f64::from(volume * (place.x * u.y - place.y * u.x));
            rigid += f64::from(volume * SPIN * place.truncate().length_squared());
            fastest = fastest.max(u.length());
        }
        let solid = std::f64::consts::PI * f64::from(RADIUS).powi(4) * f64::from(HALF_HEIGHT * SPIN);
        (self.given / solid, sum / rigid, fastest)
    }
}

/// Turns a drum for 8 s, and then holds it for 4 s, in steps of random length.
fn turn_and_stop(seed: u64) {
    let (mut drum, mut exact, random) = (Drum::new(), Axisymmetric::new(), Random::new(seed));
    let (turning, mut time, mut least, mut n, mut shown) = (8.0, 0.0_f32, f64::INFINITY, 0, 0.0);
    let (mut worst, mut rise) = ([0.0; 2], 1.0_f64);
    while time < turning + 4.0 {
        let dt = 1.0 / 144.0 + (1.0 / 15.0 - 1.0 / 144.0) * random.unit(n);
        n += 1;
        let spin = if time < turning { SPIN } else { 0.0 };
        drum.step(spin, dt);
        time += dt;
        while exact.time < f64::from(time) {
            exact.step(spin.into());
        }
        let (given, flow, fastest) = drum.shares();
        let energy = drum.sim.stats().energy;
        if time > shown {
            println!(
                "{time:.2} s: {given:.3} given, {flow:.3} in the flow, exact {:.3}; {fastest:.2} m/s, \
                 {energy:.4} m⁵/s²",
                exact.share()
            );
            shown += 1.0;
        }
        // Before, the boundary layer is thinner than the cores.
        if time % turning > 1.5 {
            let off = [given, flow].map(|share| share - exact.share());
            worst = [0, 1].map(|kind| f64::max(worst[kind], off[kind].abs()));
        }
        assert!(flow > -0.01 && fastest < 1.03 * SPIN * RADIUS, "{time} s: {flow}, {fastest} m/s");
        // The walls take what is beyond them from the energy in the first steps.
        if time > turning + 0.2 {
            assert!(energy < 1.03 * least, "{time} s: {least} to {energy}");
            (least, rise) = (least.min(energy), rise.max(energy / least));
        }
    }
    println!(
        "off by at most {worst:.3?} of the angular momentum of fluid that turns with the drum; at rest at most \
         {rise:.3} of the least energy before"
    );
    assert!(worst[0] < 0.15 && worst[1] < 0.05, "{worst:?}");
}

#[test]
fn in_steps_of_any_length() {
    turn_and_stop(2);
}

#[test]
#[ignore = "half a minute"]
fn in_others() {
    (3..7).for_each(turn_and_stop);
}

/// A vortex along the axis of a drum at rest, which is ten core radii wide.
#[test]
fn a_vortex_dies_in_a_tank_at_rest() {
    for relaxation_rate in [1.0, 0.0] {
        let vorticity = |r: f32| VORTEX_SPEED * libm::expf(-(r / VORTEX_RADIUS).powi(2));
        let (mut drum, mut exact, random) =
            (Drum::with(vorticity), Axisymmetric::with_vortex(), Random::new(8));
        drum.sim.set_relaxation_rate(relaxation_rate).expect("a valid rate");
        let (mut time, mut least, mut n, mut shown, mut worst) = (0.0_f32, f64::INFINITY, 0, 0.0, 0.0_f64);
        while time < 6.0 {
            let dt = 1.0 / 144.0 + (1.0 / 15.0 - 1.0 / 144.0) * random.unit(n);
            n += 1;
            drum.step(0.0, dt);
            time += dt;
            while exact.time < f64::from(time) {
                exact.step(0.0);
            }
            let ((_, flow, _), energy) = (drum.shares(), drum.sim.stats().energy);
            if time > shown {
                println!("{time:.2} s: {flow:.4} in the flow, exact {:.4}; {energy:.5} m⁵/s²", exact.share());
                shown += 1.0;
            }
            if time > 1.0 {
                worst = worst.max((flow / exact.share() - 1.0).abs());
                assert!(energy < 1.02 * least, "{time} s: {least} to {energy}");
            }
            least = least.min(energy);
        }
        println!("relaxation {relaxation_rate}: off by at most {worst:.3} of the angular momentum");
        assert!(worst < 0.15, "relaxation {relaxation_rate}: {worst}");
    }
}
