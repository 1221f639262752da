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

/// Two rings that pass a ball, the second with this circulation \[m²/s\].
fn rings(place: Vec3, second: f32) -> Vec<Vorton> {
    let ring = |centre: Vec3, axis: Vec3, radius: f32, circulation: f32| {
        let (centre, axis) = (place + centre, axis.normalize());
        let ring = FilamentRing { centre, axis, radius, circulation, core_radius: CORE, count: 64 };
        ring.vortons().expect("constants in range")
    };
    [
        ring(Vec3::ZERO, Vec3::Z, 0.6, 2.0),
        ring(Vec3::new(0.05, 0.0, -0.6), Vec3::new(0.1, 0.0, 1.0), 0.5, second),
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

/// Circulations of the second ring: the encounter is chaotic, so one of them alone tells little.
const SECONDS: [f32; 5] = [1.46, 1.48, 1.5, 1.52, 1.54];

/// Returns the larger of the median errors of the ball's velocity \[m/s\] and the vortons' impulse \[m⁴/s\].
fn median(errors: [(f64, f64); SECONDS.len()]) -> f64 {
    let middle = |mut values: [f64; SECONDS.len()]| {
        values.sort_by(f64::total_cmp);
        values[SECONDS.len() / 2]
    };
    middle(errors.map(|error| error.0)).max(middle(errors.map(|error| error.1)))
}

/// Returns the velocity of a ball, and the impulse of the vortons around `place`.
fn state(world: &World, number: usize, place: Vec3) -> (DVec3, DVec3) {
    (world.rigid[number].velocity(), impulse(world, place))
}

fn errors(found: (DVec3, DVec3), right: (DVec3, DVec3)) -> (f64, f64) {
    ((found.0 - right.0).length(), (found.1 - right.1).length())
}

#[test]
fn with_copies_and_with_weak_rings() {
    for no_through in [false, true] {
        let alone = SECONDS.map(|second| {
            state(&after(&rings(Vec3::ZERO, second), &[ball(Vec3::ZERO, no_through)]), 0, Vec3::ZERO)
        });
        for (far, strength) in [(Vec3::X * 150.0, 1e-6), (Vec3::X * 20.0, 1e-6), (Vec3::Y * -64.0, 0.01)] {
            let found = std::array::from_fn(|n| {
                let weak = rings(far, SECONDS[n]).into_iter();
                let weak = weak.map(|v| Vorton { strength: v.strength * strength, ..v });
                let vortons: Vec<_> = rings(Vec3::ZERO, SECONDS[n]).into_iter().chain(weak).collect();
                let both = after(&vortons, &[ball(Vec3::ZERO, no_through)]);
                errors(state(&both, 0, Vec3::ZERO), alone[n])
            });
            println!("{no_through}, {strength} at {far}: {found:.4?} of {:.2?}", alone[2]);
            assert!(median(found) < 0.02, "{no_through}, {strength} at {far}: {found:?}");
        }
        // Positions are rounded alike at multiples of the size of the scene.
        let places = [Vec3::ZERO, Vec3::X * 64.0, Vec3::new(-32.0, 64.0, 0.0)];
        let three = SECONDS.map(|second| {
            let vortons: Vec<_> = places.iter().flat_map(|&place| rings(place, second)).collect();
            after(&vortons, &places.map(|place| ball(place, no_through)))
        });
        for (number, place) in places.into_iter().enumerate() {
            let found = std::array::from_fn(|n| errors(state(&three[n], number, place), alone[n]));
            println!("{no_through}, copy at {place}: {found:.4?}");
            assert!(median(found) < 0.1, "{no_through}, copy at {place}: {found:?}");
        }
    }
}
