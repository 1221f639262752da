//! Waves on a filament one vorton thick have the period, and elliptical rings the axes, of a vortex filament
//! with the same core: strengths follow the lines of the fluid, wherever the flow is summed (E6).

use crate::common::world;
use fluid_core::boundary::NoBodies;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::DVec3;
use std::f64::consts::{PI, TAU};

/// The filament law (Helmholtz): points of a closed line move with the flow, and the strength of each is the
/// circulation, 1, times the line's tangent there. In f64, fourth order in time and along the line.
#[derive(Debug, Clone)]
struct Filament {
    points: Vec<DVec3>,
    core_radius: f64,
}

impl Filament {
    /// Strengths \[m³/s\] by central differences.
    fn strengths(points: &[DVec3]) -> Vec<DVec3> {
        let count = points.len();
        let point = |i: usize| points[i % count];
        let strength = |i: usize| {
            let (near, far) = (point(i + 1) - point(i + count - 1), point(i + 2) - point(i + count - 2));
            (8.0 * near - far) / 12.0
        };
        (0..count).map(strength).collect()
    }

    /// Biot and Savart's law with the kernel of Winckelmans and Leonard (1993).
    fn velocities(&self, points: &[DVec3]) -> Vec<DVec3> {
        let strengths = Self::strengths(points);
        let velocity = |&target: &DVec3| {
            let each = points.iter().zip(&strengths).map(|(&source, &strength)| {
                let away = (target - source) / self.core_radius;
                let square = away.length_squared();
                strength.cross(away) * ((square + 2.5) / (square + 1.0).powf(2.5))
            });
            each.sum::<DVec3>() / (4.0 * PI * self.core_radius.powi(2))
        };
        points.iter().map(velocity).collect()
    }

    fn step(&mut self, dt: f64) {
        let moved = |rates: &[DVec3], dt: f64| -> Vec<DVec3> {
            self.points.iter().zip(rates).map(|(&point, &rate)| point + rate * dt).collect()
        };
        let first = self.velocities(&self.points);
        let second = self.velocities(&moved(&first, 0.5 * dt));
        let third = self.velocities(&moved(&second, 0.5 * dt));
        let fourth = self.velocities(&moved(&third, dt));
        for (i, point) in self.points.iter_mut().enumerate() {
            *point += (first[i] + 2.0 * (second[i] + third[i]) + fourth[i]) * (dt / 6.0);
        }
    }

    /// The vortons of this line.
    fn vortons(&self) -> Vec<Vorton> {
        let each = self.points.iter().zip(Self::strengths(&self.points));
        each.map(|(position, strength)| Vorton {
            position: position.as_vec3(),
            strength: strength.as_vec3(),
            ..Vorton::default()
        })
        .collect()
    }
}

/// A ring r = 1 + .02 cos(mode φ) in the plane z = 0.
fn wavy(mode: f64, core_radius: f64, count: usize) -> Filament {
    let point = |i: usize| {
        let angle = TAU * i as f64 / count as f64;
        DVec3::new(angle.cos(), angle.sin(), 0.0) * (1.0 + 0.02 * (mode * angle).cos())
    };
    Filament { points: (0..count).map(point).collect(), core_radius }
}

/// Amplitude \[m\] of this wave in the distance of points from the axis.
fn amplitude(points: &[DVec3], mode: f64) -> f64 {
    let angle = |i: usize| points[i % points.len()].truncate().to_angle();
    let part = |i: usize| {
        let turn = |a: f64, b: f64| (b - a + 3.0 * PI).rem_euclid(TAU) - PI;
        let width = turn(angle(i + points.len() - 1), angle(i + 1)) / 2.0;
        (mode * angle(i)).cos() * points[i].truncate().length() * width / PI
    };
    (0..points.len()).map(part).sum()
}

fn points(sim: &VortexSim) -> Vec<DVec3> {
    (0..sim.vortons().len()).map(|row| sim.vortons().positions.get(row).as_dvec3()).collect()
}

/// Time \[s\] at which the amplitude is first zero: a quarter of the period.
fn quarter_period(mode: f64, dt: f64, mut step: impl FnMut() -> Vec<DVec3>) -> f64 {
    let mut before = f64::NAN;
    for count in 0..1000 {
        let now = amplitude(&step(), mode);
        if now < 0.0 {
            return dt * (f64::from(count) + before / (before - now));
        }
        before = now;
    }
    panic!("the wave does not move");
}

fn stepping(mut sim: VortexSim, dt: f64) -> impl FnMut() -> Vec<DVec3> {
    move || {
        sim.step(&Serial, &mut NoBodies, dt as f32).expect("a finite step");
        points(&sim)
    }
}

#[test]
fn waves_of_a_ring() {
    for (mode, core_radius, count, bound) in
        [(2.0, 0.1, 96, 0.01), (2.0, 0.2, 64, 0.03), (3.0, 0.15, 72, 0.04), (4.0, 0.1, 96, 0.03)]
    {
        let start = wavy(mode, core_radius, count);
        let mut theory = start.clone();
        let expected = quarter_period(mode, 1.0 / 30.0, || {
            theory.step(1.0 / 30.0);
            theory.points.clone()
        });
        for rate in [30.0, 60.0, 120.0] {
            let params = Params { core_radius: core_radius as f32, ..Params::default() };
            let sim = world(params, &start.vortons());
            let found = quarter_period(mode, 1.0 / rate, stepping(sim, 1.0 / rate));
            println!("wave {mode}, core {core_radius}, {rate} Hz: {found:.3} s, in theory {expected:.3}");
            assert!((found / expected - 1.0).abs() < bound, "{mode} {core_radius} {rate}: {found}");
        }
    }
}

/// The shorter axis of an ellipse becomes the longer one, and it keeps its energy.
#[test]
fn an_elliptical_ring_exchanges_its_axes() {
    for aspect in [1.5_f64, 2.0] {
        let (count, core_radius) = (96, 0.15);
        let (long, short) = (aspect.sqrt(), 1.0 / aspect.sqrt());
        let point = |i: usize| {
            let angle = TAU * i as f64 / count as f64;
            DVec3::new(long * angle.cos(), short * angle.sin(), 0.0)
        };
        let start = Filament { points: (0..count).map(point).collect(), core_radius };
        let params = Params { core_radius: core_radius as f32, ..Params::default() };
        let (mut theory, mut sim) = (start.clone(), world(params, &start.vortons()));
        let energy = sim.pair_sums(&Serial).energy;
        for second in 1..=6 {
            (0..60).for_each(|_| theory.step(1.0 / 60.0));
            for _ in 0..60 {
                sim.step(&Serial, &mut NoBodies, 1.0 / 60.0).expect("a finite step");
            }
            let left = sim.pair_sums(&Serial).energy / energy;
            let (found, expected) = (points(&sim)[count / 4], theory.points[count / 4]);
            println!(
                "{aspect} at {second} s: {left:.4} of the energy, at {found:.3}, in theory {expected:.3}"
            );
            assert!((left - 1.0).abs() < 0.01, "{aspect} {second}: {left} of the energy");
            assert!(found.distance(expected) < 0.02 * expected.length(), "{aspect} {second}: {found}");
        }
    }
}

/// A trefoil knot keeps its angular impulse, which depends on where strengths point, until it touches itself.
#[test]
fn a_knot_keeps_its_impulses() {
    let (count, core_radius) = (200, 0.12);
    let point = |i: usize| {
        let angle = TAU * i as f64 / count as f64;
        let distance = 1.0 + 0.5 * (3.0 * angle).cos();
        let turn = 2.0 * angle;
        DVec3::new(distance * turn.cos(), distance * turn.sin(), 0.5 * (3.0 * angle).sin())
    };
    let line = Filament { points: (0..count).map(point).collect(), core_radius };
    let mut sim = world(Params { core_radius: core_radius as f32, ..Params::default() }, &line.vortons());
    let before = sim.moments(&Serial);
    for _ in 0..60 {
        sim.step(&Serial, &mut NoBodies, 1.0 / 30.0).expect("a finite step");
    }
    let after = sim.moments(&Serial);
    let angular = after.angular_impulse.z / before.angular_impulse.z;
    println!("{angular} of the angular impulse");
    assert!((angular - 1.0).abs() < 0.01, "{angular}");
    let linear = after.linear_impulse - before.linear_impulse;
    assert!(linear.length() < 1e-4 * before.linear_impulse.length(), "{linear}");
}
