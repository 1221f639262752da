//! A ring of vortons that travels towards a floor, and the continuous ring that it approximates.
#![allow(dead_code, reason = "programs of tests take what they need")]

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState, Pose};
use fluid_core::initial::FilamentRing;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::SolverKind;
use glam::Vec3;
use std::f64::consts::{PI, TAU};

pub(crate) const RADIUS: f64 = 0.7;
pub(crate) const CIRCULATION: f64 = 1.3;
pub(crate) const CORE: f64 = 0.08;

/// Creates a driven half-space with its surface at this pose.
pub(crate) fn half_space(pose: Pose) -> BodyDef {
    let Pose { position, rotation } = pose;
    BodyDef {
        shapes: vec![Shape::half_space()],
        state: BodyState { position, rotation, ..BodyState::default() },
        mass: f32::INFINITY,
        ..BodyDef::default()
    }
}

pub(crate) fn params(solver: SolverKind) -> Params {
    Params { core_radius: CORE as f32, solver, ..Params::default() }
}

/// Returns `count` vortons on a circle, `height` \[m\] above a floor at this pose, that travel towards it.
pub(crate) fn ring(floor: &Pose, height: f32, count: u32) -> Vec<Vorton> {
    let ring = FilamentRing {
        centre: floor.to_world(Vec3::Z * height),
        axis: floor.turn(Vec3::NEG_Z),
        radius: RADIUS as f32,
        circulation: CIRCULATION as f32,
        core_radius: CORE as f32,
        count,
    };
    ring.vortons().expect("constants in range")
}

pub(crate) fn world(params: Params, vortons: &[Vorton], bodies: &[BodyDef]) -> (VortexSim, Bodies) {
    let mut all = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    for def in bodies {
        all.add(def.clone()).expect("a valid body");
    }
    let mut sim = VortexSim::new(params).expect("valid parameters");
    sim.add_vortons(vortons).expect("valid vortons");
    (sim, all)
}

/// Returns the mean distance \[m\] of the vortons from the axis of a floor at this pose, and from its
/// surface.
pub(crate) fn radius_and_height(sim: &VortexSim, floor: &Pose) -> (f64, f64) {
    let places = sim.vortons().positions.iter().map(|place| floor.to_local(place).as_dvec3());
    let sum = places.fold((0.0, 0.0), |(r, z), place| (r + place.truncate().length(), z + place.z));
    let count = sim.vortons().len() as f64;
    (sum.0 / count, sum.1 / count)
}

/// Returns the radius and height \[m\] after `time` \[s\] of a ring of infinitely many vortons (E2, E3)
/// with its image in the floor: two ordinary differential equations, solved by the Runge-Kutta scheme.
pub(crate) fn theory(height: f64, time: f64) -> (f64, f64) {
    let steps = (time * 250.0).round() as usize;
    let dt = time / steps as f64;
    let mut state = [RADIUS, height];
    let along = |from: [f64; 2], rate: [f64; 2], dt: f64| [from[0] + rate[0] * dt, from[1] + rate[1] * dt];
    for _ in 0..steps {
        let k1 = rates(state);
        let k2 = rates(along(state, k1, 0.5 * dt));
        let k3 = rates(along(state, k2, 0.5 * dt));
        let k4 = rates(along(state, k3, dt));
        let mean = [0, 1].map(|i| (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0);
        state = along(state, mean, dt);
    }
    (state[0], state[1])
}

/// Returns dR/dt and dz/dt of a ring at (R, z) with its image at (R, −z), by the trapezoidal rule.
fn rates([radius, height]: [f64; 2]) -> [f64; 2] {
    const POINTS: usize = 512;
    let mut velocity = [0.0, 0.0];
    // The ring travels towards −z: its vorticity is against the azimuth, the image's along it.
    for (sign, above) in [(-1.0, 0.0), (1.0, 2.0 * height)] {
        for point in 0..POINTS {
            let (sin, cos) = (TAU * point as f64 / POINTS as f64).sin_cos();
            // From the source at this angle to the point at angle 0.
            let away = [radius - radius * cos, -radius * sin, above];
            let square = (away.iter().map(|d| d * d).sum::<f64>()) / (CORE * CORE);
            let sum = square + 1.0;
            let kernel = (square + 2.5) / (sum * sum * sum.sqrt() * CORE.powi(3));
            let element = sign * CIRCULATION * radius * TAU / POINTS as f64;
            let [x, y] = [-sin * element, cos * element];
            let cross = [y * away[2], -x * away[2], x * away[1] - y * away[0]];
            velocity[0] += cross[0] * kernel / (4.0 * PI);
            velocity[1] += cross[2] * kernel / (4.0 * PI);
        }
    }
    velocity
}
