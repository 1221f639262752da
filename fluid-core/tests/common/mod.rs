//! Helpers of several tests: rings, clouds, worlds, and measured quantities.
#![allow(dead_code, reason = "programs of tests take what they need")]

use fluid_core::boundary::NoBodies;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::{Vorton, Vortons};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{DirectOracle, Kernel, SolverKind};
use fluid_threads::Serial;
use glam::{DVec3, Quat, Vec3};
use std::f64::consts::PI;
use std::ops::Range;

/// Returns `count` vortons on a circle, α = Γ 2πR/N along the tangent; travels along `axis` if Γ > 0.
pub(crate) fn filament_ring(
    centre: Vec3,
    axis: Vec3,
    radius: f64,
    circulation: f64,
    count: usize,
) -> Vec<Vorton> {
    let axis = axis.as_dvec3().normalize();
    let (first, second) = axis.any_orthonormal_pair();
    let strength = circulation * 2.0 * PI * radius / count as f64;
    let vorton = |i: usize| {
        let angle = 2.0 * PI * i as f64 / count as f64;
        // Right-handed about the axis, whatever the handedness of the pair.
        let outward = first * angle.cos() + second * angle.sin();
        Vorton {
            position: (centre.as_dvec3() + outward * radius).as_vec3(),
            strength: (axis.cross(outward) * strength).as_vec3(),
            ..Vorton::default()
        }
    };
    (0..count).map(vorton).collect()
}

/// Returns two equal coaxial rings, R = Γ = 1, at z = 0 and z = `separation`.
pub(crate) fn leapfrog(separation: f32, count: usize) -> Vec<Vorton> {
    let mut rings = filament_ring(Vec3::ZERO, Vec3::Z, 1.0, 1.0, count);
    rings.extend(filament_ring(Vec3::Z * separation, Vec3::Z, 1.0, 1.0, count));
    rings
}

/// Returns vortons at random positions in the cube [-1, 1]³, components of α up to 1/2.
pub(crate) fn random_cloud(count: usize, seed: u64) -> Vec<Vorton> {
    let random = Random::new(seed);
    let vorton = |i: u64| Vorton {
        position: 2.0 * random.centred_vec3(2 * i),
        strength: random.centred_vec3(2 * i + 1),
        ..Vorton::default()
    };
    (0..count as u64).map(vorton).collect()
}

/// Returns the same vortons with all strengths multiplied by `factor`: the slower a random cloud, the
/// longer it can be followed.
pub(crate) fn weakened(vortons: Vec<Vorton>, factor: f32) -> Vec<Vorton> {
    vortons.into_iter().map(|v| Vorton { strength: v.strength * factor, ..v }).collect()
}

/// Returns a random rotation, not aligned with any axis.
pub(crate) fn random_rotation(seed: u64) -> Quat {
    let random = Random::new(seed);
    let [x, y, z, w] = std::array::from_fn(|i| random.unit(i as u64) - 0.5);
    Quat::from_xyzw(x, y, z, w).normalize()
}

/// Returns inviscid parameters, without relaxation and energy budget, summed directly, every step a
/// midpoint step: the exact flow of the given vortons.
pub(crate) fn inviscid(core_radius: f32) -> Params {
    Params {
        core_radius,
        relaxation_rate: 0.0,
        energy_budget: false,
        multistep: false,
        fourth_order_above: f32::INFINITY,
        solver: SolverKind::Direct,
        ..Params::default()
    }
}

/// Returns a world with these vortons.
pub(crate) fn world(params: Params, vortons: &[Vorton]) -> VortexSim {
    let mut sim = VortexSim::new(params).expect("valid parameters");
    sim.add_vortons(vortons).expect("valid vortons");
    sim
}

/// Takes `count` steps of `dt` \[s\] without bodies, on this thread.
pub(crate) fn steps(sim: &mut VortexSim, dt: f32, count: usize) {
    for _ in 0..count {
        sim.step(&Serial, &mut NoBodies, dt).expect("dt is finite");
    }
}

/// Positions of all vortons \[m\].
pub(crate) fn positions(sim: &VortexSim) -> Vec<Vec3> {
    sim.vortons().positions.iter().collect()
}

/// Returns the largest distance between points of equal index \[m\].
pub(crate) fn largest_distance(a: &[Vec3], b: &[Vec3]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

/// Returns the vortons of a cloud in f64.
pub(crate) fn oracle(kernel: Kernel, core_radius: f32, vortons: &[Vorton]) -> DirectOracle {
    let pair = |v: &Vorton| (v.position.as_dvec3(), v.strength.as_dvec3());
    DirectOracle { kernel, core_radius: core_radius.into(), vortons: vortons.iter().map(pair).collect() }
}

/// Shape of a coaxial ring about the z axis: means over its vortons.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RingShape {
    /// Mean distance from the axis \[m\].
    pub(crate) radius: f64,
    /// Mean height \[m\].
    pub(crate) z: f64,
    /// Γ = Σ|α| / (2πR) \[m²/s\].
    pub(crate) circulation: f64,
}

/// Measures the ring in these rows.
pub(crate) fn ring_shape(vortons: &Vortons, rows: Range<usize>) -> RingShape {
    let count = rows.len() as f64;
    let mean = |of: &dyn Fn(usize) -> f64| rows.clone().map(of).sum::<f64>() / count;
    let position = |i: usize| vortons.positions.get(i).as_dvec3();
    let radius = mean(&|i| position(i).truncate().length());
    let strength = mean(&|i| vortons.strengths.get(i).as_dvec3().length());
    RingShape { radius, z: mean(&|i| position(i).z), circulation: strength * count / (2.0 * PI * radius) }
}

/// Returns 4πRU/Γ of a circular filament of core σ, exact for any σ/R: ½ ∫ q(d/σ)/d dφ with d = 2 sin(φ/2)
/// (validation R3).
pub(crate) fn exact_ring_speed(kernel: Kernel, core_over_radius: f64) -> f64 {
    // The integrand is periodic and smooth at the scale σ: the midpoint rule converges exponentially.
    let panels = 4000;
    let integrand = |i: i32| {
        let d = 2.0 * (PI * (f64::from(i) + 0.5) / f64::from(panels)).sin();
        kernel.q(d / core_over_radius) / d
    };
    0.5 * (0..panels).map(integrand).sum::<f64>() * 2.0 * PI / f64::from(panels)
}

/// Returns the |α × x|-weighted centre along `axis` \[m\]: the position of the impulse.
pub(crate) fn impulse_centre(vortons: &Vortons, axis: DVec3) -> f64 {
    let (mut sum, mut weight) = (0.0, 0.0);
    for i in 0..vortons.len() {
        let x = vortons.positions.get(i).as_dvec3();
        let share = x.cross(vortons.strengths.get(i).as_dvec3()).dot(axis);
        sum += share * x.dot(axis);
        weight += share;
    }
    sum / weight
}
