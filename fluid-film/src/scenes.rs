//! Scenes of the table in finer versions, and with the disturbances from which real flows tear.

use fluid_bodies::Pose;
use fluid_bodies::shapes::{Parity, Shape};
use fluid_core::initial::{DensityBall, DensityProfile, Disturbance, Noise};
use fluid_core::particles::Vorton;
use fluid_scenes::{Scene, by_name};
use glam::Vec3;

/// Returns the scene of the table.
///
/// # Panics
/// If there is none of this name.
pub(crate) fn named(name: &str) -> Scene {
    *by_name(name).expect("a scene of the table")
}

/// Spacing of the vortons of a fine drop \[m\].
const FINE: f32 = 0.125;

/// Returns the two drops with eight times as many vortons, disturbed as those of `fine_drop`.
pub(crate) fn two_fine_drops() -> Scene {
    let scene = named("two_drops");
    Scene {
        core_radius: 1.5 * FINE,
        vortons: || [fine_drop(2.0, 0.2, 1), fine_drop(-2.0, -0.2, 2)].concat(),
        fluid: fluid_scenes::Fluid { viscosity: 1e-3, max_vortons: 32_768, ..scene.fluid },
        ..scene
    }
}

fn fine_drop(z: f32, density_deviation: f32, seed: u64) -> Vec<Vorton> {
    let ball = DensityBall {
        centre: Vec3::Z * z,
        radius: 1.0,
        density_deviation,
        spacing: FINE,
        core_radius: 1.5 * FINE,
        profile: DensityProfile::TopHat,
        dye: 1.0,
        fuel: 0.0,
    };
    disturbed(ball.vortons().expect("constants in range"), FINE, 0.5, seed)
}

fn disturbed(mut vortons: Vec<Vorton>, spacing: f32, position: f32, seed: u64) -> Vec<Vorton> {
    let disturbance = Disturbance { position, strength: 0.2, seed };
    disturbance.apply(spacing, &mut vortons).expect("constants in range");
    vortons
}

/// Returns the head-on rings, disturbed: they break up into small rings instead of spreading forever.
pub(crate) fn disturbed_rings() -> Scene {
    let scene = named("head_on");
    Scene {
        vortons: || disturbed((named("head_on").vortons)(), 0.0327, 0.6, 4),
        fluid: fluid_scenes::Fluid { max_vortons: 8192, ..scene.fluid },
        substeps: 3,
        ..scene
    }
}

/// Spacing of the vortons around a ball of 0.2 m \[m\]: three cores are its radius.
const AROUND_BALL: f32 = 0.044;

/// Returns the ball that passes through smoke, with vortons and cores of seven tenths of the size and a
/// twentieth of the viscosity: the wake becomes turbulent.
pub(crate) fn ball_through_fine_smoke() -> Scene {
    let scene = named("ball_through_smoke");
    let vortons = || {
        let extent = Vec3::new(4.0, 0.5, 0.5);
        let noise = Noise { centre: Vec3::ZERO, extent, spacing: AROUND_BALL, amplitude: 1e-6, seed: 1 };
        disturbed(noise.vortons().expect("constants in range"), AROUND_BALL, 0.5, 5)
    };
    let vorton_count = vortons().len();
    Scene {
        core_radius: 1.5 * AROUND_BALL,
        vortons,
        vorton_count,
        fluid: fluid_scenes::Fluid { viscosity: 5e-4, max_vortons: 32_768, ..scene.fluid },
        ..scene
    }
}

/// Returns the hot ball with more and smaller vortons, and a fifth of the viscosity.
pub(crate) fn hot_ball_in_fine_smoke() -> Scene {
    const FINE: f32 = 0.05;
    let scene = named("hot_ball");
    let vortons = || {
        let noise =
            Noise { centre: Vec3::ZERO, extent: Vec3::splat(0.5), spacing: FINE, amplitude: 1e-6, seed: 1 };
        disturbed(noise.vortons().expect("constants in range"), FINE, 0.5, 6)
    };
    let vorton_volume = FINE * FINE * FINE;
    let emission = scene.emission.map(|emission| fluid_scenes::Emission {
        vorton_rate: 800.0,
        vorton_volume,
        ..emission
    });
    Scene {
        core_radius: 1.5 * FINE,
        vortons,
        vorton_count: vortons().len(),
        fluid: fluid_scenes::Fluid { viscosity: 2e-3, max_vortons: 32_768, ..scene.fluid },
        emission,
        ..scene
    }
}

/// Half of the edges of the tank that is pushed \[m\].
pub(crate) const PUSHED: Vec3 = Vec3::new(0.5, 0.28125, 1.0);

/// Returns the layers of the sloshing tank in a taller one, pushed right and then back so hard that they roll
/// up.
pub(crate) fn pushed_tank() -> Scene {
    let scene = named("sloshing_tank");
    let vortons = || fluid_scenes::layers(PUSHED, 0.1, 0.0625);
    let bodies = || {
        let mut bodies = (named("sloshing_tank").bodies)();
        let tank = &mut bodies[0];
        tank.def.shapes = vec![Shape { parity: Parity::Hole, ..Shape::cuboid(PUSHED) }];
        tank.way = Some(pushed);
        bodies
    };
    Scene { vortons, vorton_count: vortons().len(), bodies, ..scene }
}

/// Returns the tank's pose: from 0 to 8 m/s within 0.3 s, and after a second to -16 m/s as fast.
fn pushed(time: f32) -> Pose {
    let way = |gained: f32, since: f32| {
        let (before, after) = (since.clamp(0.0, 0.3), (since - 0.3).max(0.0));
        gained * (before * before / 0.6 + after)
    };
    Pose::at(Vec3::X * (way(8.0, time) - way(24.0, time - 1.0)))
}
