//! A body that has flown away from fluid that it touched does not push it any more: strength that it holds
//! for a layer it has left (E38) induces no velocity.

use crate::immersed::{World, body};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::VortexRing;
use fluid_core::invariants::Moments;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_threads::Serial;
use glam::Vec3;

const RADIUS: f32 = 0.3;

/// A ring that travels along z, and a ball inside of it that flies off through its core along x.
fn world(speed: f32) -> World {
    let core_radius = 0.15;
    let ring = VortexRing {
        centre: Vec3::NEG_Z * 1.5,
        axis: Vec3::Z,
        radius: 0.6,
        thickness: 0.2,
        circulation: 2.0,
        spacing: core_radius / 1.5,
    };
    let state = BodyState { position: Vec3::NEG_Z * 1.2, velocity: Vec3::X * speed, ..BodyState::default() };
    let def = BodyDef { no_through: true, ..body(Shape::sphere(RADIUS), 1.0, state) };
    World::new(Params { core_radius, ..Params::default() }, &ring.vortons().expect("a ring"), &[def])
}

/// Impulse of the vortons along z \[m⁴/s\], with what the energy budget owes them.
fn impulse(world: &World) -> f64 {
    (Moments::of(&Serial, world.sim.vortons()).linear_impulse - world.sim.impulse_owed()).z
}

/// Momentum of ring, body and the fluid around it along z, in a fluid of density 1.
fn momentum(world: &World) -> f64 {
    let (body, rigid) = (&world.bodies.list()[0], &world.rigid[0]);
    impulse(world) + (body.bound().impulse + body.fluid_momentum() + rigid.velocity() * rigid.mass()).z
}

/// Before, the ring gained a tenth of its impulse in each second, for as long as the ball was within 13 m.
#[test]
fn it_does_not_push_the_fluid_that_it_has_left() {
    for (name, steps_per_second) in [("60 Hz", Some(60.0)), ("30 Hz", Some(30.0)), ("uneven", None)] {
        let (random, mut world) = (Random::new(5), world(3.0));
        let (mut time, mut steps, mut since) = (0.0, 0, None);
        let (mut most, mut drift) = (0.0_f64, 0.0_f64);
        while time < 7.0 {
            let uneven = 1.0 / 144.0 + (1.0 / 15.0 - 1.0 / 144.0) * random.unit(steps);
            let dt = steps_per_second.map_or(uneven, |rate: f32| 1.0 / rate);
            world.step(dt);
            (time, steps) = (time + dt, steps + 1);
            let distance = world.rigid[0].position().length() as f32;
            if distance < 2.0 + RADIUS {
                continue;
            }
            let (first, sum) = *since.get_or_insert_with(|| (impulse(&world), momentum(&world)));
            most = most.max((impulse(&world) / first - 1.0).abs());
            drift = drift.max((momentum(&world) - sum).abs() / first);
        }
        let bound = world.bodies.list()[0].bound();
        println!(
            "{name}: impulse changes by {most:.4}, momentum by {drift:.1e}, {:.3} held",
            bound.strength.length()
        );
        assert!(bound.strength.length() > 0.05, "{name}: nothing was held, {:?}", bound.strength);
        assert!(most < 0.02, "{name}: {most}");
        assert!(drift < 1e-3, "{name}: {drift}");
        assert!(distance_from(&world) > 5.0, "{name}: it is still here");
    }
}

/// Distance of the body from the nearest vorton \[m\].
fn distance_from(world: &World) -> f32 {
    let place = world.rigid[0].position().as_vec3();
    world.sim.vortons().positions.iter().map(|other| other.distance(place)).fold(f32::INFINITY, f32::min)
}
