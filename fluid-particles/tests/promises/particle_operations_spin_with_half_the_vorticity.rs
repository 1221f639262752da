//! Particles rotate like the fluid: in solid rotation with its angular velocity, and their orientation by
//! its angle.

use crate::particle_operations::*;

use fluid_core::velocity::{FlowSample, VelocityField};
use fluid_particles::ops::*;
use fluid_threads::Serial;
use glam::{Mat3, Quat, Vec3};

/// Solid rotation about the origin with this angular velocity \[rad/s\].
struct Solid(Vec3);

impl VelocityField for Solid {
    fn velocities(&self, positions: &[Vec3], out: &mut [Vec3]) {
        for (x, u) in positions.iter().zip(out) {
            *u = self.0.cross(*x);
        }
    }

    fn flow(&self, positions: &[Vec3], out: &mut [FlowSample]) {
        let gradient = Mat3::from_cols(self.0.cross(Vec3::X), self.0.cross(Vec3::Y), self.0.cross(Vec3::Z));
        for (x, sample) in positions.iter().zip(out) {
            *sample = FlowSample { velocity: self.0.cross(*x), gradient };
        }
    }
}

const OMEGA: Vec3 = Vec3::new(0.6, -1.1, 2.3);

/// Returns a particle with initial angular velocity `spin` after `steps` steps with a total of `time`.
fn after(spin: Vec3, operation: Spin, time: f32, steps: usize) -> Particle {
    let mut start = particles(1)[0];
    (start.spin, start.orientation) = (spin, Quat::from_rotation_x(0.4));
    let mut host = Host::new(&[start], 1, Layout::Soa);
    let inputs = RunInputs { field: &Solid(OMEGA), surfaces: &Scenery, dt: time / steps as f32, frame: 0 };
    for _ in 0..steps {
        run_with(&Serial, &mut host, None, &inputs, &[operation.into()]).expect("a right list");
    }
    host.read()[0]
}

/// Returns the angle between two orientations \[rad\].
fn between(a: Quat, b: Quat) -> f64 {
    let (a, b) = (a.as_dquat().normalize(), b.as_dquat().normalize());
    2.0 * libm::asin((a.conjugate() * b).xyz().length())
}

#[test]
fn in_solid_rotation_they_turn_with_the_fluid() {
    for sample in [SampleAt::Particle, SampleAt::Midpoint] {
        let spin = Spin { rate: f32::MAX, sample };
        for steps in [1, 7, 1000] {
            let particle = after(Vec3::ZERO, spin, 2.0, steps);
            assert!(particle.spin.distance(OMEGA) < 1e-6, "half the vorticity: {}", particle.spin);
            let exact = Quat::from_scaled_axis(OMEGA * 2.0) * Quat::from_rotation_x(0.4);
            // Steps are exact; the remainder is rounding: of 1000 orientations and of the step length.
            let error = between(particle.orientation, exact);
            assert!(error < 2e-6 + 1e-7 * steps as f64, "{steps} steps: off by {error}");
            assert!((particle.orientation.length() - 1.0).abs() < 2e-7, "a rotation still");
        }
    }
}

#[test]
fn an_orientation_turns_by_the_mean_over_the_step() {
    // Along one axis the exact angle is the integral of Ω + (Ω₀ - Ω) e^{-rt}, whatever the number of steps.
    let spin = OMEGA * -3.0;
    for rate in [0.0_f32, 1e-6, 2.0, 300.0] {
        for steps in [1, 2, 64] {
            let time = 0.8;
            let particle = after(spin, Spin { rate, sample: SampleAt::Particle }, time, steps);
            let (r, t) = (f64::from(rate), f64::from(time));
            let lag = if r == 0.0 { t } else { -libm::expm1(-r * t) / r };
            let exact_spin = OMEGA.as_dvec3() * (1.0 - 4.0 * libm::exp(-r * t));
            let angle = OMEGA.as_dvec3() * (t - 4.0 * lag);
            let exact =
                glam::DQuat::from_scaled_axis(angle) * glam::DQuat::from_rotation_x(f64::from(0.4_f32));
            // Spins of up to 8 rad/s are rounded in each step.
            let bound = 1e-6 * (1.0 + steps as f64);
            assert!(particle.spin.as_dvec3().distance(exact_spin) < bound, "rate {rate}: {}", particle.spin);
            let error = between(particle.orientation, exact.as_quat());
            assert!(error < 1e-5, "rate {rate}, {steps} steps: off by {error}");
        }
    }
}

#[test]
fn without_orientations_only_the_spin_changes() {
    use fluid_particles::view::{ParticleSlices, Semantic};
    let (mut positions, mut spins) = ([Vec3::ONE; 3], [Vec3::X; 3]);
    let mut slices = ParticleSlices::new()
        .vec3(Semantic::Position, &mut positions)
        .vec3(Semantic::AngularVelocity, &mut spins);
    let mut view = slices.view().expect("right slices");
    let inputs = RunInputs { field: &Solid(OMEGA), surfaces: &Scenery, dt: DT, frame: 0 };
    let memory = RunMemory { scratch: &mut RunScratch::default(), emit_states: &mut [], killed: &mut [] };
    run_operations(&Serial, &inputs, &[Spin::default().into()], &mut view, memory).expect("a right list");
    assert!(spins.iter().all(|spin| spin.distance(OMEGA) < 1e-6), "{spins:?}");
}
