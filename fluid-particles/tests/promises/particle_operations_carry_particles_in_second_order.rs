//! Velocity at the midpoint, then advection: in a solid rotation the error falls with the square of the step.

use crate::particle_operations::*;

use fluid_core::velocity::{FlowSample, VelocityField};
use fluid_particles::ops::*;
use fluid_threads::Serial;
use glam::Vec3;

/// Returns the distance from the exact position after one radian.
fn error(sample: SampleAt, steps: usize) -> f64 {
    let mut particle = particles(1)[0];
    particle.position = Vec3::new(1.0, 0.0, 0.25);
    // f64 positions, so that the rounding of f32 does not hide the order.
    let mut host = Host::new(&[particle], 1, Layout::AosF64);
    let inputs = RunInputs { field: &Rotation, surfaces: &Scenery, dt: 1.0 / steps as f32, frame: 0 };
    let list = [Velocity { sample, ..Velocity::default() }.into(), Advect.into()];
    for _ in 0..steps {
        run_with(&Serial, &mut host, None, &inputs, &list).expect("a right list");
    }
    let exact = glam::DVec3::new(libm::cos(1.0), libm::sin(1.0), 0.25);
    host.read()[0].position.as_dvec3().distance(exact)
}

fn order(sample: SampleAt) -> f64 {
    (error(sample, 8) / error(sample, 64)).log2() / 3.0
}

#[test]
fn the_midpoint_is_of_second_order() {
    let order = order(SampleAt::Midpoint);
    assert!(order >= 1.9, "order {order}");
}

#[test]
fn and_the_particle_itself_of_first() {
    let order = order(SampleAt::Particle);
    assert!((0.9..1.1).contains(&order), "order {order}");
}

/// Returns the orientation after one second in [`Waves`].
fn orientation(sample: SampleAt, steps: usize) -> glam::DQuat {
    let mut particle = particles(1)[0];
    particle.position = Vec3::new(0.3, 1.0, 0.2);
    let mut host = Host::new(&[particle], 1, Layout::AosF64);
    let inputs = RunInputs { field: &Waves, surfaces: &Scenery, dt: 1.0 / steps as f32, frame: 0 };
    let carried = Velocity { sample, ..Velocity::default() }.into();
    let list = [carried, Spin { rate: f32::MAX, sample }.into(), Advect.into()];
    for _ in 0..steps {
        run_with(&Serial, &mut host, None, &inputs, &list).expect("a right list");
    }
    host.read()[0].orientation.as_dquat().normalize()
}

#[test]
fn orientations_are_as_exact_as_places() {
    let exact = orientation(SampleAt::Midpoint, 1024);
    for (sample, expected) in [(SampleAt::Midpoint, 2.0), (SampleAt::Particle, 1.0)] {
        let error = |steps| (orientation(sample, steps).conjugate() * exact).xyz().length();
        let order = (error(4) / error(32)).log2() / 3.0;
        assert!((order - expected).abs() < 0.2, "{sample:?}: order {order}");
    }
}

/// [`Waves`], half a step later, advected by the wind.
struct Carried(Vec3);

impl VelocityField for Carried {
    fn velocities(&self, positions: &[Vec3], out: &mut [Vec3]) {
        for (x, u) in positions.iter().zip(out) {
            Waves.velocities(&[*x - self.0 * (0.5 * DT)], std::slice::from_mut(u));
            *u += self.0;
        }
    }

    fn flow(&self, positions: &[Vec3], out: &mut [FlowSample]) {
        for (x, sample) in positions.iter().zip(out) {
            Waves.flow(&[*x - self.0 * (0.5 * DT)], std::slice::from_mut(sample));
            sample.velocity += self.0;
        }
    }

    fn carry(&self, places: &mut [Vec3], time: f32) {
        places.iter_mut().for_each(|place| *place += self.0 * time);
    }
}

#[test]
fn a_uniform_wind_changes_nothing_but_the_place() {
    let start = particles(100);
    let after = |wind| {
        let mut host = Host::new(&start, 100, Layout::Soa);
        let inputs = RunInputs { field: &Carried(wind), surfaces: &Scenery, dt: DT, frame: 0 };
        let list = [Velocity::default().into(), Spin::default().into(), Advect.into()];
        run_with(&Serial, &mut host, None, &inputs, &list).expect("a right list");
        host.read()
    };
    let wind = Vec3::new(20.0, -10.0, 5.0);
    for (still, carried) in after(Vec3::ZERO).iter().zip(after(wind)) {
        assert!((carried.velocity - wind).distance(still.velocity) < 1e-5);
        assert!(carried.spin.distance(still.spin) < 1e-5);
        assert!((carried.position - wind * DT).distance(still.position) < 1e-5);
    }
}
