//! Heavy fluid on a large box without through-flow gains at most the energy of its fall, and is not crowded
//! into a few vortons (E46): some of it sinks between the vertices of the sheet, far apart, and is put back
//! at the surface, which is no fall.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::Vec3;

const CORE: f32 = 0.1;
const GRAVITY: f32 = 10.0;
/// Radius and height of the puddle \[m\].
const SIZE: f32 = 0.5;
const TIME: f32 = 3.0;
/// Largest kinetic energy beyond that of the fall \[m⁵/s²\], of .06 at the end.
const MOST_BEYOND: f64 = 0.004;

/// Creates a disc that is a tenth heavier than the fluid around it, on a floor at a height of 0.
fn puddle() -> Vec<Vorton> {
    let spacing = CORE / 1.5;
    let count = (SIZE / spacing) as i32 + 1;
    let heights = (0..).map(|k| CORE + k as f32 * spacing).take_while(|&z| z < SIZE);
    let layer = |z: f32| {
        let rows = (-count..=count).flat_map(move |i| (-count..=count).map(move |j| (i, j)));
        rows.map(move |(i, j)| Vec3::new(i as f32 * spacing, j as f32 * spacing, z))
    };
    let places = heights.flat_map(layer).filter(|place| place.truncate().length() < SIZE);
    let volume = spacing.powi(3);
    let vorton = |position| Vorton { position, volume, mass_deviation: 0.1 * volume, ..Vorton::default() };
    places.map(vorton).collect()
}

/// Lets the puddle run out on a floor of this half width \[m\].
fn runs_out(half: f32, rate: u16) {
    let params = Params { core_radius: CORE, gravity: Vec3::Z * -GRAVITY, ..Params::default() };
    let (mut sim, mut bodies) = (
        VortexSim::new(params).expect("valid"),
        Bodies::new(BodySettings::default(), &params).expect("valid"),
    );
    let shapes = vec![Shape::cuboid(Vec3::new(half, half, 0.3))];
    let state = BodyState { position: Vec3::Z * -0.3, ..BodyState::default() };
    let def = BodyDef { shapes, mass: f32::INFINITY, state, no_through: true, ..BodyDef::default() };
    bodies.add(def).expect("a valid body");
    let puddle = puddle();
    sim.add_vortons(&puddle).expect("valid");
    let potential = |sim: &VortexSim| {
        let vortons = sim.vortons();
        let each = vortons.positions.iter().zip(&vortons.mass_deviations);
        each.map(|(place, mass)| f64::from(GRAVITY * mass * place.z)).sum::<f64>()
    };
    let (at_first, mut worst) = (potential(&sim), 0.0_f64);
    for step in 0..(TIME * f32::from(rate)) as u32 {
        sim.step(&Serial, &mut bodies, 1.0 / f32::from(rate)).expect("finite");
        let (energy, fallen) = (sim.stats().energy, at_first - potential(&sim));
        worst = worst.max(energy - fallen);
        assert!(energy < fallen + MOST_BEYOND, "{half} m, step {step}: {energy} from {fallen}");
    }
    let vortons = sim.vortons();
    let heavy = vortons.positions.iter().zip(&vortons.mass_deviations).filter(|(_, mass)| **mass > 0.0);
    let mut radii: Vec<f32> = heavy.map(|(place, _)| place.truncate().length()).collect();
    radii.sort_unstable_by(f32::total_cmp);
    let end = radii[radii.len() * 19 / 20];
    println!("{half} m: {worst:.5} m⁵/s² beyond, {} of {} left, front {end:.3} m", radii.len(), puddle.len());
    assert!(radii.len() * 100 > puddle.len() * 95, "{half} m: {} of {} are left", radii.len(), puddle.len());
}

#[test]
fn of_twelve_core_radii() {
    runs_out(1.2, 30);
}

#[test]
fn of_twenty_core_radii() {
    for rate in [20, 40] {
        runs_out(2.0, rate);
    }
}
