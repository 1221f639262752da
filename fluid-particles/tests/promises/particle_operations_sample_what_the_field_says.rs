//! A sampled attribute is the field's value at the particle: any quantity into any stream that supports it.

use crate::particle_operations::*;

use fluid_core::density::ScalarSample;
use fluid_core::particles::ScalarQuantity;
use fluid_core::velocity::VelocityField;
use fluid_particles::ops::*;
use fluid_particles::view::Semantic;

#[test]
fn any_quantity_into_any_stream() {
    let start = particles(CHUNK + 40);
    for quantity in ScalarQuantity::ALL {
        for into in [Semantic::Density, Semantic::Temperature, Semantic::User3] {
            let mut host = Host::new(&start, start.len(), Layout::Soa);
            run(&mut host, &[SampleScalar { quantity, into }.into()]);
            for (before, after) in start.iter().zip(host.read()) {
                let mut sample = [ScalarSample::default()];
                Waves.scalars(&[before.position], &mut sample);
                let mut expected = *before;
                let slot = match into {
                    Semantic::Density => &mut expected.density,
                    Semantic::Temperature => &mut expected.temperature,
                    _ => &mut expected.user,
                };
                *slot = match quantity {
                    ScalarQuantity::Density => sample[0].density,
                    ScalarQuantity::DensityDeviation => sample[0].deviation,
                    ScalarQuantity::Temperature => sample[0].temperature,
                    ScalarQuantity::Dye => sample[0].dye,
                };
                assert_eq!(after.bits(), expected.bits(), "{quantity:?} into {into:?}");
            }
        }
    }
}

#[test]
fn behind_advection_at_the_new_place() {
    let start = particles(20);
    let mut host = Host::new(&start, 20, Layout::Aos);
    run(&mut host, &[Advect.into(), SampleScalar::new(ScalarQuantity::Density).into()]);
    for particle in host.read() {
        let mut sample = [ScalarSample::default()];
        Waves.scalars(&[particle.position], &mut sample);
        assert_eq!(particle.density, sample[0].density);
    }
}

#[test]
fn each_quantity_has_a_stream_of_its_own_by_default() {
    let into = ScalarQuantity::ALL.map(|quantity| SampleScalar::new(quantity).into);
    assert_eq!(into, [Semantic::Density, Semantic::Density, Semantic::Temperature, Semantic::User0]);
}

/// With a gain, velocities relax to the field's times the gain; a gain of 1 changes no bit.
#[test]
fn velocity_times_a_gain() {
    let start = particles(CHUNK + 40);
    let velocities = |operation: Velocity| {
        let mut host = Host::new(&start, start.len(), Layout::Soa);
        run(&mut host, &[operation.into()]);
        host.read().into_iter().map(|particle| particle.velocity).collect::<Vec<_>>()
    };
    for sample in [SampleAt::Particle, SampleAt::Midpoint] {
        let plain = velocities(Velocity { sample, ..Velocity::default() });
        assert_eq!(plain, velocities(Velocity { sample, gain: 1.0, ..Velocity::default() }));
        for gain in [0.0, 0.001, -0.5, 4.0] {
            let at_once = velocities(Velocity { sample, gain, ..Velocity::default() });
            let slowly = velocities(Velocity { sample, gain, rate: 2.0 });
            let share = -f32::exp_m1(-2.0 * DT);
            for (((before, fluid), now), later) in start.iter().zip(&plain).zip(at_once).zip(slowly) {
                assert_eq!(now, *fluid * gain);
                let exact = before.velocity.lerp(*fluid * gain, share);
                assert!((later - exact).length() <= 1e-6 * (1.0 + exact.length()), "{later} is not {exact}");
            }
        }
    }
}
