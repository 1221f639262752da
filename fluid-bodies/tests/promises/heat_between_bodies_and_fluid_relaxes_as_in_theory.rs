//! Lumped conduction (H3): with a linear equation of state, temperatures follow T_b − T̄ ~ exp(−h A (1/C_b
//! + 1/C_f) t) for any step.

use fluid_bodies::contact::Contact;
use fluid_bodies::heat::conduct;
use fluid_bodies::shapes::Shape;
use fluid_bodies::{Bodies, BodyDef};
use fluid_core::boundary::Motion;
use fluid_core::density::{Ambient, EquationOfState};
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::{Vorton, Vortons};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::Sources;
use fluid_threads::Serial;
use glam::Vec3;

/// Heat capacity of the body \[J/K\], and area of its surface \[m²\], a ball of radius 0.1 m.
const BODY_CAPACITY: f64 = 50.0;
const AREA: f64 = 4.0 * std::f64::consts::PI * 0.1 * 0.1;
const TRANSFER: f64 = 400.0;
const SPECIFIC_HEAT: f64 = 1000.0;
const FLUID: Ambient = Ambient {
    density: 1.2,
    temperature: 300.0,
    stratification: fluid_core::density::Stratification::None,
    origin: glam::DVec3::ZERO,
};
const EXPANSION: f64 = 0.002;

/// A ball and the vortons at its surface, with a total volume of `volume` \[m³\].
struct Pair {
    bodies: Bodies,
    vortons: Vortons,
    contacts: Vec<Contact>,
    sim: VortexSim,
}

impl Pair {
    fn new(body: f32, capacity: f32, volume: f64, temperatures: &[f64]) -> Self {
        let state = EquationOfState::Linear { expansion: EXPANSION as f32 };
        let params = Params { ambient: FLUID, equation_of_state: state, ..Params::default() };
        let sim = VortexSim::new(params).expect("valid");
        let mut bodies = Bodies::new(Default::default(), &params).expect("valid");
        let shapes = vec![Shape::sphere(0.1)];
        let heat_transfer = TRANSFER as f32;
        let def = BodyDef {
            shapes,
            temperature: body,
            heat_capacity: capacity,
            heat_transfer,
            ..BodyDef::default()
        };
        bodies.add(def).expect("valid");
        let volume = (volume / temperatures.len() as f64) as f32;
        let (mut vortons, mut contacts) = (Vortons::default(), Vec::new());
        for (row, &temperature) in (0..).zip(temperatures) {
            let mass_deviation = state.mass_deviation(&FLUID, volume, temperature as f32);
            vortons.push(Vorton { volume, mass_deviation, ..Vorton::default() });
            let (point, normal) = (Vec3::X * 0.1, Vec3::X);
            contacts.push(Contact { row, point, normal, ..Contact::default() });
        }
        Self { bodies, vortons, contacts, sim }
    }

    fn step(&mut self, dt: f32) -> f64 {
        let motion = Motion {
            exec: &Serial,
            dt,
            params: self.sim.params(),
            field: self.sim.field(),
            sources: &Sources::default(),
            diffused: 0.0,
        };
        let body = self.bodies.body_mut(0);
        conduct(motion, body, &self.contacts, &mut self.vortons, SPECIFIC_HEAT as f32)
    }

    fn body(&self) -> f64 {
        self.bodies.list()[0].temperature()
    }

    fn fluid(&self, row: usize) -> f64 {
        let deviation = f64::from(self.vortons.mass_deviations[row]) / f64::from(self.vortons.volumes[row]);
        300.0 - deviation / (1.2_f32 as f64 * EXPANSION as f32 as f64)
    }

    fn mass(&self) -> f64 {
        self.vortons.mass_deviations.iter().map(|&m| f64::from(m)).sum()
    }
}

/// Returns the temperatures of the body and of the mean fluid after `time` \[s\].
fn theory(body: f64, body_capacity: f64, fluid: f64, volume: f64, time: f64) -> (f64, f64) {
    let capacity = SPECIFIC_HEAT * 1.2 * volume;
    let end = (body_capacity * body + capacity * fluid) / (body_capacity + capacity);
    let decay = (-TRANSFER * AREA * (1.0 / body_capacity + 1.0 / capacity) * time).exp();
    (end + (body - end) * decay, end + (fluid - end) * decay)
}

/// Makes steps of about this length, with a last one that ends at `time`.
fn run(pair: &mut Pair, time: f64, dt: impl Fn(u64) -> f64) {
    let mut now = 0.0;
    for i in 0.. {
        let step = dt(i).min(time - now);
        pair.step(step as f32);
        now += step;
        if now >= time - 1e-9 {
            return;
        }
    }
}

#[test]
fn at_any_frame_rate_hot_and_cold_alike() {
    const VOLUME: f64 = 0.03;
    let random = Random::new(3);
    for (hot, cold) in [(350.0, 290.0), (290.0, 350.0)] {
        let (exact_body, exact_fluid) = theory(hot, BODY_CAPACITY, cold, VOLUME, 2.0);
        let rates = [24.0, 30.0, 60.0, 144.0, 0.5];
        let mut steps: Vec<Box<dyn Fn(u64) -> f64>> = Vec::new();
        for rate in rates {
            steps.push(Box::new(move |_| 1.0 / rate));
        }
        steps.push(Box::new(move |i| 0.02 + 0.015 * f64::from(random.centred_vec3(i).x)));
        let mut worst = 0.0_f64;
        for dt in steps {
            let mut pair = Pair::new(hot as f32, BODY_CAPACITY as f32, VOLUME, &[cold; 40]);
            let energy = |pair: &Pair| BODY_CAPACITY * pair.body() - SPECIFIC_HEAT / EXPANSION * pair.mass();
            let before = energy(&pair);
            run(&mut pair, 2.0, dt);
            worst = worst.max((pair.body() - exact_body).abs()).max((pair.fluid(7) - exact_fluid).abs());
            let moved = (BODY_CAPACITY * (pair.body() - hot)).abs();
            let lost = (energy(&pair) - before).abs();
            assert!(lost < 1e-6 * moved, "{lost:.1e} J of {moved:.1e}");
        }
        println!("body {hot} K, fluid {cold} K: {exact_body:.3} K after 2 s, off by up to {worst:.1e} K");
        // The requirement is a thousandth of the difference; the error is f32 rounding.
        assert!(worst < 1e-5 * 60.0);
    }
}

/// The same volume in twice as many vortons: the area of the ball limits the contact, and the time is the
/// same.
#[test]
fn in_the_same_time_with_twice_as_many_vortons() {
    let cooled = |count| {
        let mut pair = Pair::new(400.0, BODY_CAPACITY as f32, 0.03, &vec![300.0; count]);
        run(&mut pair, 1.0, |_| 1.0 / 60.0);
        pair.body()
    };
    let (few, many) = (cooled(30), cooled(60));
    println!("30 vortons: {few:.5} K, 60: {many:.5} K");
    assert!((few - many).abs() < 1e-4 && few < 399.0);
}

/// With too few vortons to cover the ball, heat flows through their faces.
#[test]
fn through_the_faces_of_the_vortons_that_are_there() {
    let mut pair = Pair::new(400.0, f32::INFINITY, 3.0e-6, &[300.0; 3]);
    let area = 3.0 * 1.0e-4;
    let rate = TRANSFER * area / (SPECIFIC_HEAT * 1.2 * 3.0e-6);
    pair.step(0.01);
    let exact = 400.0 - 100.0 * (-rate * 0.01_f64).exp();
    assert!((pair.fluid(1) - exact).abs() < 1e-3, "{} K, exact {exact} K", pair.fluid(1));
    assert_eq!(pair.body(), 400.0, "an infinite capacity keeps its temperature");
}

/// Differences among vortons decay with h A / C_f, more slowly than those between body and mean.
#[test]
fn with_vortons_of_different_temperatures() {
    const VOLUME: f64 = 0.03;
    let temperatures: Vec<f64> = (0..20).map(|i| 280.0 + 5.0 * f64::from(i)).collect();
    let mean = 327.5;
    let mut pair = Pair::new(380.0, BODY_CAPACITY as f32, VOLUME, &temperatures);
    run(&mut pair, 1.5, |_| 0.05);
    let (body, fluid) = theory(380.0, BODY_CAPACITY, mean, VOLUME, 1.5);
    let decay = (-TRANSFER * AREA / (SPECIFIC_HEAT * 1.2 * VOLUME) * 1.5).exp();
    assert!((pair.body() - body).abs() < 1e-3);
    for (row, temperature) in temperatures.iter().enumerate() {
        let exact = fluid + (temperature - mean) * decay;
        assert!((pair.fluid(row) - exact).abs() < 1e-3, "{} K, exact {exact} K", pair.fluid(row));
    }
}

#[test]
fn to_equilibrium_at_once_if_conduction_is_fast_and_not_at_all_without() {
    let mut pair = Pair::new(500.0, 30.0, 0.03, &[280.0, 320.0]);
    let end = (30.0 * 500.0 + 36.0 * 300.0) / 66.0;
    pair.step(1e30);
    for temperature in [pair.body(), pair.fluid(0), pair.fluid(1)] {
        assert!((temperature - end).abs() < 1e-4, "{temperature} K, exact {end} K");
    }
    let mut pair = Pair::new(500.0, 30.0, 0.03, &[280.0, 320.0]);
    let masses = pair.vortons.mass_deviations.clone();
    assert_eq!((pair.step(0.0), pair.step(-0.1)), (0.0, 0.0));
    assert_eq!((pair.body(), &pair.vortons.mass_deviations), (500.0, &masses));
}
