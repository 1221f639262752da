//! Host particles disperse in eddies below the core's size as in turbulence, at any frame rate.

use crate::particle_operations::*;
use fluid_core::InstructionSet;
use fluid_core::math::Random;
use fluid_core::velocity::{Eddies, FlowSample, VelocityField};
use fluid_particles::ops::*;
use fluid_threads::Serial;
use glam::{Mat3, Vec3};

const SIGMA: f32 = 0.1;

/// Uniform shear without the velocity that causes it: particles are moved by eddies alone.
struct Sheared {
    gradient: Mat3,
    eddies: Eddies,
}

impl VelocityField for Sheared {
    fn velocities(&self, _: &[Vec3], out: &mut [Vec3]) {
        out.fill(Vec3::ZERO);
    }

    fn flow(&self, _: &[Vec3], out: &mut [FlowSample]) {
        out.fill(FlowSample { velocity: Vec3::ZERO, gradient: self.gradient });
    }

    fn eddies(&self) -> Option<&Eddies> {
        Some(&self.eddies)
    }
}

const PARTICLES: usize = 2000;

/// Returns the mean square of the particles' displacement \[m²\] in `time` \[s\] at a shear of `rate`
/// \[1/s\] with steps of these lengths \[s\], over all phases of the eddies' lifetime.
fn spread(rate: f32, time: f32, mut step: impl FnMut() -> f32) -> f64 {
    let random = Random::new(1);
    let mut start = particles(PARTICLES);
    for (n, particle) in start.iter_mut().enumerate() {
        particle.position = 8.0 * random.centred_vec3(n as u64);
        particle.velocity = Vec3::ZERO;
        particle.flags = 0;
    }
    let mut host = Host::new(&start, PARTICLES, Layout::Soa);
    let gradient = Mat3::from_cols(Vec3::ZERO, Vec3::X * rate, Vec3::ZERO);
    let mut field = Sheared { gradient, eddies: Eddies::new(SIGMA, InstructionSet::Auto) };
    let mut now = 0.0;
    while now < time {
        let dt = step().min(time - now);
        now += dt;
        field.eddies.advance(0.5 * dt, rate);
        let inputs = RunInputs { field: &field, surfaces: &Scenery, dt, frame: 0 };
        run_with(&Serial, &mut host, None, &inputs, &[Turbulence::default().into(), Advect.into()])
            .expect("a right list");
        field.eddies.advance(0.5 * dt, rate);
    }
    let end = host.read();
    let square =
        |(a, b): (&Particle, &Particle)| a.position.as_dvec3().distance_squared(b.position.as_dvec3());
    start.iter().zip(&end).map(square).sum::<f64>() / PARTICLES as f64
}

/// ⟨x²⟩ = 2 ⟨u'²⟩ T t with a time T of about half a turn of the strain: a fixed particle would see each
/// eddy for 2 · 4/π² = 0.8 /|S|, and one that is moved by eddies sees each for less.
#[test]
fn dispersion_is_that_of_theory_and_of_any_step() {
    for (rate, lives, tolerance) in
        [(4.0_f32, 2.0, 0.03), (10.0, 2.0, 0.05), (20.0, 2.0, 0.06), (10.0, 10.0, 0.06)]
    {
        let time = lives * 2.0 / rate;
        let (random, mut n) = (Random::new(7), 0);
        let rms2 = 1.5 * f64::from(rate * SIGMA / 2.0).powi(2);
        let correlated = |square: f64| square / (2.0 * rms2 * f64::from(time)) * f64::from(rate);
        let fine = correlated(spread(rate, time, || 1.0 / 480.0));
        let uneven = spread(rate, time, || {
            n += 1;
            (0.2 + 1.6 * random.unit(n)) / 60.0
        });
        let others = [30.0_f32, 60.0, 120.0].map(|hz| correlated(spread(rate, time, || 1.0 / hz)));
        let uneven = correlated(uneven);
        println!(
            "{rate} /s, {lives} lives: T|S| {others:.3?}, {uneven:.3} in uneven steps, {fine:.3} in fine ones"
        );
        assert!((0.45..0.61).contains(&fine), "{rate} {lives}: {fine}");
        for other in others.into_iter().chain([uneven]) {
            assert!((other / fine - 1.0).abs() < tolerance, "{rate} {lives}: {other} {fine}");
        }
    }
}

/// Eddies at rest, and particles that follow them for some time: half the step, a quarter of the error.
#[test]
fn particles_follow_eddies_in_second_order() {
    let gradient = Mat3::from_cols(Vec3::ZERO, Vec3::X, Vec3::ZERO);
    let field = Sheared { gradient, eddies: Eddies::new(SIGMA, InstructionSet::Auto) };
    let after = |steps: usize| {
        let mut host = Host::new(&particles(200), 200, Layout::Soa);
        let inputs = RunInputs { field: &field, surfaces: &Scenery, dt: 0.4 / steps as f32, frame: 0 };
        for _ in 0..steps {
            run_with(&Serial, &mut host, None, &inputs, &[Turbulence::default().into(), Advect.into()])
                .expect("a right list");
        }
        host.read().iter().map(|particle| particle.position).collect::<Vec<_>>()
    };
    let exact = after(128);
    let [coarse, fine] = [4, 8].map(|steps| {
        let squares =
            after(steps).iter().zip(&exact).map(|(a, b)| f64::from(a.distance_squared(*b))).sum::<f64>();
        (squares / 200.0).sqrt()
    });
    println!("{coarse:.1e} m in steps of 0.1 s, {fine:.1e} m in steps of 0.05 s");
    assert!(fine < 0.32 * coarse, "{coarse:e} {fine:e}");
}

#[test]
fn without_intensity_it_is_the_fluids_velocity() {
    let velocity_after = |operation: Operation<'_>| {
        let mut host = Host::new(&particles(100), 100, Layout::Soa);
        run(&mut host, &[operation]);
        host.read().iter().map(|particle| particle.velocity).collect::<Vec<_>>()
    };
    let plain = velocity_after(Velocity { gain: 0.5, ..Velocity::default() }.into());
    let none = Turbulence { gain: 0.5, intensity: 0.0, ..Turbulence::default() };
    assert_eq!(velocity_after(none.into()), plain);
    assert_ne!(velocity_after(Turbulence { intensity: 0.1, ..none }.into()), plain);
}
