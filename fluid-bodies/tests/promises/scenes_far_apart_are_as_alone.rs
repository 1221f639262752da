//! Bodies and the fluid around them move as if they were alone, whatever else is in their world far away: the
//! impulse of each body is that of the vortons around it.

use crate::immersed::{World, body, params};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::FilamentRing;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::velocity::SolverKind;
use glam::{DVec3, Vec3};

const CORE: f32 = 0.15;

/// Two rings that pass a ball.
fn rings(place: Vec3) -> Vec<Vorton> {
    let ring = |centre: Vec3, axis: Vec3, radius: f32, circulation: f32| {
        let (centre, axis) = (place + centre, axis.normalize());
        let ring = FilamentRing { centre, axis, radius, circulation, core_radius: CORE, count: 64 };
        ring.vortons().expect("constants in range")
    };
    [
        ring(Vec3::ZERO, Vec3::Z, 0.6, 2.0),
        ring(Vec3::new(0.05, 0.0, -0.6), Vec3::new(0.1, 0.0, 1.0), 0.5, 1.5),
    ]
    .concat()
}

fn ball(place: Vec3, no_through: bool) -> BodyDef {
    let state = BodyState { position: place + Vec3::new(0.15, 0.05, 0.7), ..BodyState::default() };
    BodyDef { no_through, ..body(Shape::sphere(0.35), 0.5, state) }
}

/// Returns the world after a second.
fn after(vortons: &[Vorton], bodies: &[BodyDef]) -> World {
    let mut params = Params { core_radius: CORE, solver: SolverKind::Direct, ..params(Vec3::ZERO) };
    params.ambient.density = 1.0;
    let mut world = World::new(params, vortons, bodies);
    (0..60).for_each(|_| world.step(1.0 / 60.0));
    world
}

/// Returns the impulse per density \[m⁴/s\] of the vortons nearer than 8 m to `place`, about it.
fn impulse(world: &World, place: Vec3) -> DVec3 {
    let vortons = world.sim.vortons();
    let each = vortons.positions.iter().zip(vortons.strengths.iter());
    let near = each.filter(|(x, _)| x.distance(place) < 8.0);
    near.map(|(x, strength)| 0.5 * (x - place).as_dvec3().cross(strength.as_dvec3())).sum()
}

#[test]
fn with_copies_and_with_weak_rings() {
    for no_through in [false, true] {
        let alone = after(&rings(Vec3::ZERO), &[ball(Vec3::ZERO, no_through)]);
        let right = (alone.rigid[0].velocity(), impulse(&alone, Vec3::ZERO));
        for (far, strength) in [(Vec3::X * 150.0, 1e-6), (Vec3::X * 20.0, 1e-6), (Vec3::Y * -64.0, 0.01)] {
            let weak = rings(far).into_iter().map(|v| Vorton { strength: v.strength * strength, ..v });
            let vortons: Vec<_> = rings(Vec3::ZERO).into_iter().chain(weak).collect();
            let both = after(&vortons, &[ball(Vec3::ZERO, no_through)]);
            let there = (both.rigid[0].velocity(), impulse(&both, Vec3::ZERO));
            let errors = ((there.0 - right.0).length(), (there.1 - right.1).length());
            println!("{no_through}, {strength} at {far}: {errors:?} of {:.2}, {:.2}", right.0, right.1);
            assert!(errors.0 < 0.02 && errors.1 < 0.02, "{no_through}, {strength} at {far}: {errors:?}");
        }
        // Positions are rounded alike at multiples of the size of the scene.
        let places = [Vec3::ZERO, Vec3::X * 64.0, Vec3::new(-32.0, 64.0, 0.0)];
        let vortons: Vec<_> = places.iter().flat_map(|&place| rings(place)).collect();
        let three = after(&vortons, &places.map(|place| ball(place, no_through)));
        for (number, place) in places.into_iter().enumerate() {
            let there = (three.rigid[number].velocity(), impulse(&three, place));
            let errors = ((there.0 - right.0).length(), (there.1 - right.1).length());
            println!("{no_through}, copy at {place}: {errors:?}");
            assert!(errors.0 < 0.1 && errors.1 < 0.1, "{no_through}, copy at {place}: {errors:?}");
        }
    }
}
