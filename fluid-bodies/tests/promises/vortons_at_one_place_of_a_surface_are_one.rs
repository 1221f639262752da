//! Vortons led to one point by flow along a surface merge (E58) and keep their sums: nothing is lost,
//! nothing else changes, and a shaken tank does not collect hundreds of vortons that grow against each
//! other.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::no_slip::NoSlipSettings;
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::DensityBox;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_threads::{Executor, Pool, Serial};
use glam::Vec3;

const CORE: f32 = 0.1;

/// Frames of a shaken tank after which a pool and one thread have the same bits.
const EARLY: u64 = 25;

fn ball(mass: f32) -> BodyDef {
    BodyDef { shapes: vec![Shape::sphere(0.5)], mass, ..BodyDef::default() }
}

struct World {
    sim: VortexSim,
    bodies: Bodies,
}

impl World {
    fn new(params: Params, vortons: &[Vorton], defs: Vec<BodyDef>) -> Self {
        let mut sim = VortexSim::new(params).expect("valid parameters");
        sim.add_vortons(vortons).expect("valid vortons");
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        for def in defs {
            bodies.add(def).expect("a valid body");
        }
        Self { sim, bodies }
    }

    fn step(&mut self, exec: &dyn Executor, dt: f32) {
        self.sim.step(exec, &mut self.bodies, dt).expect("a finite step");
    }
}

/// Creates two vortons with all attributes at these positions.
fn pair(places: [Vec3; 2]) -> [Vorton; 2] {
    let one = Vorton {
        position: places[0],
        strength: Vec3::new(1e-3, 2e-3, -1e-3),
        volume: 1e-3,
        mass_deviation: 2e-5,
        dye: 3e-4,
        age: 1.0,
        ..Vorton::default()
    };
    let other = Vorton {
        position: places[1],
        strength: Vec3::new(-3e-3, 1e-3, 2e-3),
        volume: 3e-3,
        mass_deviation: -5e-5,
        dye: 1e-4,
        age: 3.0,
        ..Vorton::default()
    };
    [one, other]
}

/// Creates a pair inside the ball of radius 0.5, which puts both out at one point of its surface.
fn led_together() -> [Vorton; 2] {
    pair([0.45, 0.48].map(|z| Vec3::Z * z))
}

/// Creates a pair at this distance from each other along the surface of the ball.
fn side_by_side(apart: f32) -> [Vorton; 2] {
    pair([-0.5, 0.5].map(|side| Vec3::new(side * apart, 0.0, 0.502)))
}

/// Returns the vortons after a step that hardly moves them.
fn after_a_step(vortons: &[Vorton], body: Option<BodyDef>) -> Vec<Vorton> {
    let params = Params { core_radius: CORE, relaxation_rate: 0.0, ..Params::default() };
    let mut world = World::new(params, vortons, body.into_iter().collect());
    world.step(&Serial, 1e-6);
    assert_eq!(world.sim.stats().merged, (vortons.len() - world.sim.vortons().len()) as u64);
    (0..world.sim.vortons().len()).map(|row| world.sim.vortons().get(row)).collect()
}

#[test]
fn the_one_has_what_both_had() {
    let [one, other] = led_together();
    let all = after_a_step(&[one, other], Some(ball(f32::INFINITY)));
    let &[both] = all.as_slice() else { panic!("{} vortons", all.len()) };
    // The surface exchanges strength from the first step on, but hardly any in a millionth of a second.
    assert!((both.strength - (one.strength + other.strength)).length() < 1e-3 * one.strength.length());
    let near = |value: f32, expected: f32| (value - expected).abs() < 1e-4 * expected.abs();
    assert!(near(both.volume, 4e-3) && near(both.dye, 4e-4) && near(both.mass_deviation, -3e-5), "{both:?}");
    assert!(near(both.age, 1.0) && both.position.distance(Vec3::Z * 0.5) < 1e-3, "{both:?}");
}

#[test]
fn others_stay_two() {
    for apart in [0.0, 0.01, 0.03].map(|apart| apart * CORE) {
        let all = after_a_step(&side_by_side(apart), Some(ball(f32::INFINITY)));
        assert_eq!(all.len(), 2, "{apart} m: nothing has led them there");
    }
    assert_eq!(after_a_step(&led_together(), None).len(), 2, "no surface is there");
}

/// A halo vorton occupies volume that other vortons have left: it adds none to theirs if it has no mass and
/// dye.
#[test]
fn the_halo_gives_no_volume() {
    for halos in [[true, false], [false, true], [true, true]] {
        let [mut one, mut other] = led_together();
        (one.halo, other.halo) = (halos[0], halos[1]);
        for halo in [&mut one, &mut other].into_iter().filter(|vorton| vorton.halo) {
            (halo.mass_deviation, halo.dye) = (0.0, 0.0);
        }
        let all = after_a_step(&[one, other], Some(ball(f32::INFINITY)));
        let &[both] = all.as_slice() else { panic!("{} vortons", all.len()) };
        let volume = if halos[1] && !halos[0] { one.volume } else { other.volume };
        assert_eq!((both.volume, both.halo), (volume, halos[0] && halos[1]), "{halos:?}");
    }
}

/// It adds as much as keeps one of them no hotter, colder or darker than both were.
#[test]
fn but_enough_for_its_mass_and_dye() {
    for halos in [[true, false], [false, true], [true, true]] {
        let [mut one, mut other] = led_together();
        (one.halo, other.halo) = (halos[0], halos[1]);
        let all = after_a_step(&[one, other], Some(ball(f32::INFINITY)));
        let &[both] = all.as_slice() else { panic!("{} vortons", all.len()) };
        let of = |vorton: &Vorton| [vorton.mass_deviation / vorton.volume, vorton.dye / vorton.volume];
        let [mass, dye] = of(&both);
        let [a, b] = [of(&one), of(&other)];
        assert!(mass > a[0].min(b[0]) - 1e-5 && mass < a[0].max(b[0]) + 1e-5, "{halos:?}: {mass}");
        assert!(dye < a[1].max(b[1]) + 1e-5 && both.volume < one.volume + other.volume, "{halos:?}: {dye}");
    }
}

/// Vortons that an emitter creates at one point of a surface, with volume or without, keep their number,
/// and expire with age.
#[test]
fn what_an_emitter_makes_goes_with_its_age() {
    for volume in [0.0, 1e-4] {
        let settings = BodySettings::default();
        let no_slip = NoSlipSettings { rate: 0.0, ..settings.no_slip };
        let params = Params { core_radius: CORE, max_age: 0.5, ..Params::default() };
        let mut world = World::new(params, &[], vec![ball(f32::INFINITY)]);
        world.bodies.set_settings(BodySettings { no_slip, ..settings }).expect("valid settings");
        for step in 0..120 {
            let strength = Vec3::new(1e-4, 0.0, 0.0);
            let vorton = Vorton { position: Vec3::Z * 0.502, strength, volume, ..Vorton::default() };
            world.sim.add_vortons(&[vorton]).expect("a valid vorton");
            world.step(&Serial, 1.0 / 60.0);
            if step > 60 {
                assert!((28..32).contains(&world.sim.vortons().len()), "{}", world.sim.vortons().len());
            }
        }
        assert!(world.sim.stats().expired > 80 && world.sim.stats().merged == 0);
    }
}

/// A thin wall has vortons on both sides: they touch one body, and do not merge. (The same for vortons led
/// there within a step is tested in `merging`.)
#[test]
fn on_both_sides_of_a_thin_wall_they_are_two() {
    let half = Vec3::new(0.5, 0.5, 2e-4);
    let wall = BodyDef { shapes: vec![Shape::cuboid(half)], mass: f32::INFINITY, ..BodyDef::default() };
    let places = [-1.0, 1.0].map(|side| Vec3::new(0.1, 0.1, 4e-4 * side));
    let moving = pair(places).map(|vorton| Vorton { strength: Vec3::ZERO, ..vorton });
    let params = Params { core_radius: CORE, relaxation_rate: 0.0, ..Params::default() };
    let mut world = World::new(params, &moving, vec![wall]);
    for x in [0.05_f32, -0.05, 0.1] {
        let state = BodyState { position: Vec3::new(x, 0.0, 0.0), ..BodyState::default() };
        world.bodies.set_state(0, state).expect("finite");
        world.step(&Serial, 1e-3);
        let rows = &world.sim.vortons().positions;
        assert!(rows.len() == 2 && rows.get(0).z < 0.0 && rows.get(1).z > 0.0, "{} vortons", rows.len());
    }
}

/// Shaking a tank without an energy budget. Without merging, there are several times as many vortons by
/// then, most of them concentrated in a few points.
#[test]
fn a_shaken_tank_has_no_more_of_them_than_room() {
    let half = Vec3::new(0.5, 0.4, 0.4);
    let spacing = 0.07;
    let layers = [-1.0_f32, 1.0].map(|side| {
        let layer = DensityBox {
            centre: Vec3::Z * (0.5 * side * half.z),
            extent: Vec3::new(2.0 * half.x, 2.0 * half.y, half.z),
            spacing,
            density_deviation: -0.05 * side,
            dye: 0.0,
            fuel: 0.0,
        };
        layer.vortons().expect("constants in range")
    });
    let vortons = layers.concat();
    let params =
        Params { core_radius: CORE, gravity: Vec3::Z * -9.8, energy_budget: false, ..Params::default() };
    let hole = Shape { parity: Parity::Hole, ..Shape::cuboid(half) };
    let tank = BodyDef { shapes: vec![hole], mass: f32::INFINITY, ..BodyDef::default() };
    // Returns the hash of the state after `EARLY` frames.
    let run = |exec: &dyn Executor, frames: u64| {
        let mut world = World::new(params, &vortons, vec![tank.clone()]);
        let (random, mut time, mut early) = (Random::new(4), 0.0_f32, 0);
        for frame in 0..frames {
            let dt = 1.0 / 144.0 + random.unit(frame) * (1.0 / 15.0 - 1.0 / 144.0);
            time += dt;
            let state = BodyState {
                position: Vec3::X * (0.2 * libm::sinf(2.0 * time) - 0.2),
                velocity: Vec3::X * (0.4 * libm::cosf(2.0 * time)),
                ..BodyState::default()
            };
            world.bodies.set_state(0, state).expect("finite");
            (0..4).for_each(|_| world.step(exec, 0.25 * dt));
            if frame + 1 == EARLY {
                early = world.sim.state_hash();
            }
        }
        println!(
            "{} vortons of {}, {} merged",
            world.sim.vortons().len(),
            vortons.len(),
            world.sim.stats().merged
        );
        assert!(world.sim.stats().merged > 10 || frames == EARLY);
        assert!(world.sim.vortons().len() < 2 * vortons.len(), "{}", world.sim.vortons().len());
        early
    };
    let early = run(&Pool::new(3).expect("threads start"), 110);
    assert_eq!(run(&Serial, EARLY), early);
}
