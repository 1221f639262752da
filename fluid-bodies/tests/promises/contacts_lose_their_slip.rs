//! Vortons at a surface get the strengths that bring the fluid at their contact points to the surface's
//! velocity: one alone to round-off (W1), many together to a few percent, with every kernel, for moving and
//! spinning bodies.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::no_slip::NoSlipSettings;
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyCoupling, BodyDef, BodyState};
use fluid_core::boundary::StepTime;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{Kernel, SourceCloud, Sources, VelocityField};
use fluid_threads::Serial;
use glam::{Quat, Vec3};

const CORE: f32 = 0.1;

/// Makes a step of a fluid beside an immovable body, and returns the slip at the contact points before and
/// after \[m/s\].
fn slips(params: Params, shape: Shape, state: BodyState, vortons: &[Vorton]) -> (Vec<Vec3>, Vec<Vec3>) {
    let mut sim = VortexSim::new(params).expect("valid parameters");
    sim.add_vortons(vortons).expect("valid vortons");
    let no_slip = NoSlipSettings { rate: f32::INFINITY, ..BodySettings::default().no_slip };
    let mut bodies =
        Bodies::new(BodySettings { no_slip, ..BodySettings::default() }, &params).expect("valid settings");
    let def = BodyDef { shapes: vec![shape], state, mass: f32::INFINITY, ..BodyDef::default() };
    bodies.add(def).expect("a valid body");
    sim.step(&Serial, &mut bodies, 1e-3).expect("a finite step");
    let mut cloud = SourceCloud::new(params.direct_settings());
    let mut sources = Sources::default();
    sources.copy_from(&sim.vortons().positions, &sim.vortons().strengths);
    bodies.clone().bound_vortons(&Serial, StepTime::Start, &mut sources);
    cloud.set(&sources.positions, &sources.strengths);
    let points: Vec<_> = bodies.contacts().iter().map(|contact| contact.point).collect();
    let mut velocities = vec![Vec3::ZERO; points.len()];
    cloud.velocities(&points, &mut velocities);
    let after = bodies.contacts().iter().zip(velocities).map(|(c, u)| u + params.wind - c.velocity);
    (bodies.assigned().iter().map(|old| old.slip).collect(), after.collect())
}

fn rms(slips: &[Vec3]) -> f32 {
    (slips.iter().map(|slip| slip.length_squared()).sum::<f32>() / slips.len() as f32).sqrt()
}

fn params(kernel: Kernel, wind: Vec3) -> Params {
    Params { core_radius: CORE, kernel, wind, relaxation_rate: 0.0, ..Params::default() }
}

/// Creates a vorton with a random small strength just outside a ball of radius 0.5, and four far away.
fn one_near_a_ball(random: &Random, n: u64) -> Vec<Vorton> {
    let direction = random.centred_vec3(8 * n).normalize();
    let vorton = |position, size: f32, m: u64| Vorton {
        position,
        strength: random.centred_vec3(8 * n + m) * size,
        volume: 1e-3,
        ..Vorton::default()
    };
    let near = vorton(direction * (0.5 + 0.06 * (random.centred_vec3(8 * n + 1).x + 0.5)), 0.01, 2);
    let far = (3..7).map(|m| vorton(random.centred_vec3(8 * n + m + 900).normalize() * 1.5, 0.3, m));
    std::iter::once(near).chain(far).collect()
}

#[test]
fn one_vorton_cancels_all_slip_at_its_contact_point() {
    let random = Random::new(3);
    for kernel in Kernel::ALL {
        for n in 0..60 {
            let wind = random.centred_vec3(5000 + n);
            let state = BodyState {
                velocity: random.centred_vec3(6000 + n),
                angular_velocity: random.centred_vec3(7000 + n) * 4.0,
                rotation: Quat::from_scaled_axis(random.centred_vec3(8000 + n) * 6.0),
                ..BodyState::default()
            };
            let (before, after) =
                slips(params(kernel, wind), Shape::sphere(0.5), state, &one_near_a_ball(&random, n));
            assert_eq!(before.len(), 1, "{kernel:?} {n}");
            let (slip, left) = (before[0].length(), after[0].length());
            assert!(left <= 1e-5 * slip, "{kernel:?} {n}: {left} of {slip} is left");
        }
    }
}

#[test]
fn flow_straight_at_the_surface_is_stopped_as_well() {
    let vorton = Vorton { position: Vec3::X * 0.55, volume: 1e-3, ..Vorton::default() };
    for wind in [Vec3::NEG_X, Vec3::X] {
        let (before, after) =
            slips(params(Kernel::default(), wind), Shape::sphere(0.5), BodyState::default(), &[vorton]);
        assert!((before[0] - wind).length() < 1e-5 && after[0].length() < 1e-5, "{} left", after[0]);
    }
}

#[test]
fn no_slip_needs_no_strength() {
    let vorton = Vorton { position: Vec3::X * 0.55, volume: 1e-3, ..Vorton::default() };
    let state = BodyState { velocity: Vec3::Y, ..BodyState::default() };
    let (_, after) = slips(params(Kernel::default(), Vec3::Y), Shape::sphere(0.5), state, &[vorton]);
    assert_eq!(after[0], Vec3::ZERO);
}

#[test]
fn a_few_vortons_leave_a_few_percent() {
    let random = Random::new(5);
    for count in [2, 3, 5, 8, 12, 20] {
        for n in 0..20 {
            let vorton = |m: u64| {
                let direction = random.centred_vec3(1000 * n + m).normalize();
                let height = 0.06 * (random.centred_vec3(1000 * n + 300 + m).x + 0.5);
                Vorton { position: direction * (0.5 + height), volume: 1e-3, ..Vorton::default() }
            };
            let vortons: Vec<_> = (0..count).map(vorton).collect();
            let state =
                BodyState { angular_velocity: random.centred_vec3(7000 + n) * 4.0, ..BodyState::default() };
            let wind = random.centred_vec3(5000 + n);
            let (before, after) = slips(params(Kernel::default(), wind), Shape::sphere(0.5), state, &vortons);
            assert_eq!(before.len(), count as usize);
            let left = rms(&after) / rms(&before);
            assert!(left <= 0.05, "{count} vortons, case {n}: {left} left");
        }
    }
}

/// Creates a lattice of spacing `h` around a shape, with noise.
fn cloud(h: f32, noise: f32, outside: impl Fn(Vec3) -> bool) -> Vec<Vorton> {
    let random = Random::new(9);
    let reach = (1.0 / h) as i32;
    let cell = |i: i32| (i as f32 + 0.5) * h;
    let index = (-reach..reach).flat_map(|i| (-reach..reach).map(move |j| (i, j)));
    let places = index.flat_map(|(i, j)| (-reach..reach).map(move |k| Vec3::new(cell(i), cell(j), cell(k))));
    let vorton = |(n, position)| Vorton {
        position,
        strength: random.centred_vec3(n) * noise,
        volume: h * h * h,
        ..Vorton::default()
    };
    (0..).zip(places.filter(|&place| outside(place))).map(vorton).collect()
}

#[test]
fn many_vortons_together_leave_a_few_percent() {
    let h = CORE / 1.5;
    let spinning = BodyState { angular_velocity: Vec3::new(0.0, 2.0, 1.0), ..BodyState::default() };
    for (name, state, wind) in [
        ("in a wind", BodyState::default(), Vec3::new(1.0, 0.3, -0.2)),
        ("spinning", spinning, Vec3::ZERO),
        ("both", spinning, Vec3::X),
    ] {
        let vortons = cloud(h, 1e-5, |place| (0.5..0.8).contains(&place.length()));
        let (before, after) = slips(params(Kernel::default(), wind), Shape::sphere(0.5), state, &vortons);
        let left = rms(&after) / rms(&before);
        println!("ball {name}: {} contacts, {left:.4} left", before.len());
        assert!(left <= 0.05, "{name}: {left} left of {}", rms(&before));
    }
}
