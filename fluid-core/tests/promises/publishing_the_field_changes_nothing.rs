//! A step of no length publishes the present field, and is no step: vortons stay what they are, none is
//! added, and later steps go on as without it.

use crate::common::world;
use crate::drops::heavy_fluid;
use fluid_core::boundary::NoBodies;
use fluid_core::initial::{DensityBall, DensityProfile, VortexRing};
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{SolverKind, VelocityField};
use fluid_threads::Serial;
use glam::Vec3;

fn vortons(sim: &VortexSim) -> Vec<Vorton> {
    (0..sim.vortons().len()).map(|row| sim.vortons().get(row)).collect()
}

fn step(sim: &mut VortexSim, dt: f32) {
    sim.step(&Serial, &mut NoBodies, dt).expect("a finite step");
}

#[test]
fn of_later_steps() {
    for solver in [SolverKind::Direct, SolverKind::Mesh] {
        let params = Params { solver, ..Params::default() };
        let ring = VortexRing {
            centre: Vec3::ZERO,
            axis: Vec3::Z,
            radius: 0.5,
            thickness: 0.3,
            circulation: 0.5,
            spacing: 0.07,
        };
        let ring = ring.vortons().expect("constants in range");
        let (mut published, mut plain) = (world(params, &ring), world(params, &ring));
        let mut solves = 0;
        for frame in 0..60 {
            step(&mut published, 1.0 / 60.0);
            step(&mut plain, 1.0 / 60.0);
            assert_eq!(published.stats().solves, plain.stats().solves, "{solver:?}, frame {frame}");
            solves += published.stats().solves;
            step(&mut published, 0.0);
            assert_eq!(vortons(&published), vortons(&plain), "{solver:?}, frame {frame}");
        }
        assert!(solves < 70, "{solver:?}: {solves} solves");
        // The field is that of the vortons where they are now.
        let place = [Vec3::new(0.1, 0.2, 0.3)];
        let (mut flow, mut fresh) = ([Vec3::ZERO], [Vec3::ZERO]);
        published.field().velocities(&place, &mut flow);
        let mut anew = world(Params { solver, ..Params::default() }, &vortons(&plain));
        step(&mut anew, 0.0);
        anew.field().velocities(&place, &mut fresh);
        assert!(flow[0].distance(fresh[0]) < 1e-3 * fresh[0].length(), "{solver:?}: {flow:?} {fresh:?}");
    }
}

#[test]
fn of_fluid_with_density() {
    let core = 0.1;
    let ball = DensityBall {
        centre: Vec3::ZERO,
        radius: 0.3,
        density_deviation: 0.1,
        spacing: core / 1.5,
        core_radius: core,
        profile: DensityProfile::TopHat,
        dye: 1.0,
        fuel: 0.0,
    };
    let ball = ball.vortons().expect("constants in range");
    let mut sim = world(heavy_fluid(core), &ball);
    step(&mut sim, 0.0);
    assert_eq!(sim.vortons().len(), ball.len(), "a halo without a step");
    let mut seen = [Default::default()];
    sim.field().scalars(&[Vec3::ZERO], &mut seen);
    assert!(seen[0].dye > 0.9, "{seen:?}");
    for _ in 0..30 {
        step(&mut sim, 1.0 / 60.0);
        let before = vortons(&sim);
        (0..3).for_each(|_| step(&mut sim, 0.0));
        assert_eq!(vortons(&sim), before);
    }
    assert!(sim.vortons().len() > ball.len() && sim.moments(&Serial).linear_impulse.z < 0.0);
}
