//! Conduction as part of a whole step: a hot ball among vortons cools, vortons that touch it get lighter,
//! and heat is conserved.

use fluid_bodies::shapes::Shape;
use fluid_bodies::{Bodies, BodyDef};
use fluid_core::initial::DensityBox;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::Vec3;

const SPACING: f32 = 0.1;
const CAPACITY: f32 = 20.0;
const RADIUS: f32 = 0.3;

fn world(temperature: f32) -> (VortexSim, Bodies) {
    let params = Params { core_radius: 1.5 * SPACING, gravity: Vec3::Z * -9.81, ..Params::default() };
    let mut sim = VortexSim::new(params).expect("valid");
    let block = DensityBox {
        centre: Vec3::ZERO,
        extent: Vec3::splat(1.2),
        density_deviation: 0.0,
        spacing: SPACING,
        dye: 0.0,
        fuel: 0.0,
    };
    let around = |v: &Vorton| v.position.length() > RADIUS;
    let vortons: Vec<Vorton> = block.vortons().expect("in range").into_iter().filter(around).collect();
    sim.add_vortons(&vortons).expect("room");
    let mut bodies = Bodies::new(Default::default(), &params).expect("valid");
    let ball = BodyDef {
        shapes: vec![Shape::sphere(RADIUS)],
        mass: f32::INFINITY,
        temperature,
        heat_capacity: CAPACITY,
        heat_transfer: 50.0,
        ..BodyDef::default()
    };
    bodies.add(ball).expect("valid");
    (sim, bodies)
}

fn fluid_heat(sim: &VortexSim) -> f64 {
    -1000.0 * 300.0 * sim.vortons().mass_deviations.iter().map(|&m| f64::from(m)).sum::<f64>()
}

#[test]
fn and_a_cold_one_cools_it() {
    for temperature in [400.0, 250.0] {
        let (mut sim, mut bodies) = world(temperature);
        let hot = temperature > 300.0;
        let before = (f64::from(temperature), fluid_heat(&sim));
        let mut last = before.0;
        let mut heat = 0.0;
        for _ in 0..30 {
            sim.step(&Serial, &mut bodies, 1.0 / 60.0).expect("finite");
            let now = bodies.list()[0].temperature();
            assert!(if hot { now < last && now > 300.0 } else { now > last && now < 300.0 });
            last = now;
            heat += bodies.body_mut(0).take_impulse().heat;
        }
        let (body, fluid) = (f64::from(CAPACITY) * (last - before.0), fluid_heat(&sim) - before.1);
        println!("{temperature} K: body {body:.3} J, fluid {fluid:.3} J, lost {:.1e} J", body + fluid);
        assert!((body + fluid).abs() < 1e-6 * body.abs() && (body - heat).abs() < 1e-9 * body.abs());
        let vortons = sim.vortons();
        let changed = (0..vortons.len()).filter(|&row| vortons.mass_deviations[row] != 0.0);
        let lighter = changed.clone().filter(|&row| vortons.mass_deviations[row] < 0.0).count();
        let count = changed.count();
        assert!(count > 50 && lighter == if hot { count } else { 0 }, "{lighter} of {count}");
    }
}
