//! Conduction between bodies and an ideal gas (H2): the sum of Σ ρ V c (T − T₀) = −c T₀ Σ m' and the body's
//! heat is conserved at any temperatures; no temperature leaves the initial range, and masses without a
//! valid temperature are left alone.

use fluid_bodies::contact::Contact;
use fluid_bodies::heat::conduct;
use fluid_bodies::shapes::Shape;
use fluid_bodies::{Bodies, BodyDef};
use fluid_core::boundary::Motion;
use fluid_core::density::{Ambient, EquationOfState};
use fluid_core::params::Params;
use fluid_core::particles::{Vorton, Vortons};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::Sources;
use fluid_threads::Serial;
use glam::Vec3;
use proptest::prelude::*;

const SPECIFIC_HEAT: f32 = 1000.0;

struct Pair {
    bodies: Bodies,
    capacity: f64,
    vortons: Vortons,
    contacts: Vec<Contact>,
    sim: VortexSim,
}

impl Pair {
    /// Creates a ball of radius 1 m and vortons of these volumes \[m³\] and temperatures \[K\].
    fn new(body: f32, capacity: f32, transfer: f32, vortons: &[(f32, f32)]) -> Self {
        let params = Params::default();
        let mass = |volume, temperature| {
            EquationOfState::IdealGas.mass_deviation(&params.ambient, volume, temperature)
        };
        let all = vortons
            .iter()
            .map(|&(volume, temperature)| (volume, mass(volume, temperature)))
            .collect::<Vec<_>>();
        Self::of_masses(body, capacity, transfer, &all)
    }

    fn of_masses(body: f32, capacity: f32, transfer: f32, all: &[(f32, f32)]) -> Self {
        let params = Params::default();
        let sim = VortexSim::new(params).expect("valid");
        let mut bodies = Bodies::new(Default::default(), &params).expect("valid");
        let (shapes, heat_transfer) = (vec![Shape::sphere(1.0)], transfer);
        let def = BodyDef {
            shapes,
            temperature: body,
            heat_capacity: capacity,
            heat_transfer,
            ..BodyDef::default()
        };
        bodies.add(def).expect("valid");
        let (mut vortons, mut contacts) = (Vortons::default(), Vec::new());
        for (row, &(volume, mass_deviation)) in (0..).zip(all) {
            vortons.push(Vorton { volume, mass_deviation, ..Vorton::default() });
            let (point, normal) = (Vec3::X, Vec3::X);
            contacts.push(Contact { row, point, normal, ..Contact::default() });
        }
        Self { bodies, capacity: capacity.into(), vortons, contacts, sim }
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
        conduct(motion, body, &self.contacts, &mut self.vortons, SPECIFIC_HEAT)
    }

    fn body(&self) -> f64 {
        self.bodies.list()[0].temperature()
    }

    fn temperatures(&self) -> Vec<f64> {
        let Ambient { density, temperature, .. } = *self.sim.field().ambient();
        let of = |(&mass, &volume): (&f32, &f32)| {
            f64::from(temperature) / (1.0 + f64::from(mass) / (f64::from(volume) * f64::from(density)))
        };
        self.vortons.mass_deviations.iter().zip(&self.vortons.volumes).map(of).collect()
    }

    /// Returns the heat \[J\] of body and fluid.
    fn energy(&self) -> [f64; 2] {
        let mass: f64 = self.vortons.mass_deviations.iter().map(|&m| f64::from(m)).sum();
        [self.capacity * self.body(), -f64::from(SPECIFIC_HEAT) * 300.0 * mass]
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Temperatures and capacities that differ by factors of up to a hundred, and steps from very short to
    /// full equilibration.
    #[test]
    fn whatever_the_temperatures(
        body in 30.0..3000.0_f32,
        capacity in 0.0..6.0_f32,
        transfer in -2.0..8.0_f32,
        vortons in prop::collection::vec((-6.0..0.0_f32, 60.0..1500.0_f32), 1..12),
    ) {
        let vortons: Vec<(f32, f32)> = vortons.iter().map(|&(volume, t)| (10_f32.powf(volume), t)).collect();
        let mut pair = Pair::new(body, 10_f32.powf(capacity), 10_f32.powf(transfer), &vortons);
        let [body_before, fluid_before] = pair.energy();
        let (mut low, mut high) = (f64::from(body), f64::from(body));
        for temperature in pair.temperatures() {
            (low, high) = (low.min(temperature), high.max(temperature));
        }
        // Masses are f32: temperatures of vortons are known to a few rounding errors of their density.
        let slack = 1e-5 * high;
        // The body receives the heat of the rounding of masses: half a unit in the last place of the
        // largest mass that a vorton can have, in each of four steps. (A cubic metre of cold gas beside a
        // body of 1.6 J/K: 0.03 K.)
        let volume: f64 = pair.vortons.volumes.iter().map(|&volume| f64::from(volume)).sum();
        let Ambient { density, temperature, .. } = *pair.sim.field().ambient();
        let most_mass = volume * f64::from(density) * (1.0 + f64::from(temperature) / low);
        let rounded = 2.0 * f64::from(f32::EPSILON) * most_mass * f64::from(SPECIFIC_HEAT * temperature);
        let body_slack = slack + rounded / pair.capacity;
        let mut given = 0.0;
        for _ in 0..4 {
            let then = pair.temperatures();
            let before = pair.body();
            let heat = pair.step(0.02);
            given += heat;
            prop_assert!(pair.body() >= low - body_slack && pair.body() <= high + body_slack, "{} of {low}..{high}", pair.body());
            for now in pair.temperatures() {
                prop_assert!(now >= low - slack && now <= high + slack, "{now} of {low}..{high}");
            }
            // If all temperatures are on one side of the body's, they stay there.
            if then.iter().all(|&t| t <= before) {
                let hottest = pair.temperatures().into_iter().fold(0.0, f64::max);
                let coldest = then.into_iter().fold(f64::MAX, f64::min);
                prop_assert!(heat <= pair.capacity * body_slack && pair.body() >= coldest - body_slack);
                if vortons.len() == 1 {
                    prop_assert!(pair.body() >= hottest - body_slack, "body {} passed {hottest}", pair.body());
                }
            } else if then.iter().all(|&t| t >= before) {
                let coldest = pair.temperatures().into_iter().fold(f64::MAX, f64::min);
                let hottest_then = then.into_iter().fold(0.0, f64::max);
                prop_assert!(heat >= -pair.capacity * body_slack && pair.body() <= hottest_then + body_slack);
                if vortons.len() == 1 {
                    prop_assert!(pair.body() <= coldest + body_slack, "body {} passed {coldest}", pair.body());
                }
            }
        }
        let [body_after, fluid_after] = pair.energy();
        let total = body_before + fluid_before.abs();
        prop_assert!((body_after + fluid_after - body_before - fluid_before).abs() <= 1e-9 * total);
        prop_assert!((body_after - body_before - given).abs() <= 1e-9 * total);
    }

    /// Values that no fluid has: nothing panics, and finite values stay finite.
    #[test]
    fn whatever_the_vortons(
        body in prop::sample::select(vec![1e-30_f32, 1.0, 300.0, 1e20, f32::MAX]),
        capacity in prop::sample::select(vec![1e-40_f32, 1.0, 1e30, f32::INFINITY]),
        transfer in prop::sample::select(vec![0.0_f32, 1e-40, 1.0, f32::MAX]),
        dt in prop::sample::select(vec![-1.0_f32, 0.0, 1e-40, 0.02, f32::MAX]),
        odd in prop::collection::vec((any::<f32>(), any::<f32>()), 0..6),
    ) {
        let mut all = odd.clone();
        all.extend([(0.0, 1.0), (-1.0, 0.1), (1.0, -5.0), (1.0, f32::NAN), (f32::INFINITY, 0.0), (1e-3, 1e-4)]);
        let mut pair = Pair::of_masses(body, capacity, transfer, &all);
        let before = pair.vortons.mass_deviations.clone();
        let heat = pair.step(dt);
        prop_assert!(heat.is_finite() && pair.body().is_finite());
        for (row, (&now, then)) in pair.vortons.mass_deviations.iter().zip(before).enumerate() {
            prop_assert!(now.is_finite() == then.is_finite());
            let fluid = all[row].0 > 0.0 && all[row].0.is_finite();
            prop_assert!(fluid || now.to_bits() == then.to_bits());
        }
        // Empty, too light, NaN and infinite vortons are unchanged.
        let tail = odd.len();
        prop_assert_eq!(pair.vortons.mass_deviations[tail], 1.0);
        prop_assert_eq!(pair.vortons.mass_deviations[tail + 2], -5.0);
        prop_assert_eq!(pair.vortons.mass_deviations[tail + 4], 0.0);
    }
}

/// Without a closed form, results at least depend little on the frame rate: compared with 4,000 short
/// steps, 60 per second are within 0.1 % of the difference, and so are 24.
#[test]
fn at_any_frame_rate() {
    let after = |rate: u32, body: f32, fluid: f32| {
        let mut pair = Pair::new(body, 400.0, 20.0, &[(0.01, fluid); 60]);
        (0..2 * rate).for_each(|_| {
            pair.step(1.0 / rate as f32);
        });
        pair.body()
    };
    for (body, fluid) in [(600.0, 300.0), (300.0, 600.0)] {
        let exact = after(2000, body, fluid);
        let errors = [24, 30, 60, 144].map(|rate| (after(rate, body, fluid) - exact).abs() / 300.0);
        println!("{body} K in {fluid} K: {exact:.2} K after 2 s, off by {errors:?} of the difference");
        assert!(errors.iter().all(|&error| error < 1e-3) && (exact - f64::from(body)).abs() > 30.0);
    }
}

/// Hot bodies make fluid lighter, cold ones heavier.
#[test]
fn with_the_right_sign() {
    for (body, sign) in [(400.0, -1.0), (250.0, 1.0)] {
        let mut pair = Pair::new(body, 100.0, 10.0, &[(0.01, 300.0); 5]);
        let heat = pair.step(0.1);
        assert!(pair.vortons.mass_deviations.iter().all(|&m| m * sign > 0.0));
        assert!(heat * f64::from(sign) > 0.0 && (pair.body() - f64::from(body)) * f64::from(sign) > 0.0);
    }
}

/// A vorton of which the mass is known to less than the heat of a small body: of enormous volume, or with so
/// much mass that it is nearly at 0 K.
#[test]
fn a_body_with_less_heat_than_rounding_errors_keeps_it() {
    for (volume, mass) in [(1e12, 1e9), (1.0, 1e15), (1e20, -1e19)] {
        let mut pair = Pair::of_masses(300.0, 1.0, 1e6, &[(volume, mass), (1e-3, 1e-5)]);
        for _ in 0..20 {
            pair.step(0.1);
            let temperature = pair.body();
            assert!(temperature > 0.0 && temperature.is_finite(), "{volume} m³, {mass} kg: {temperature} K");
        }
    }
}
