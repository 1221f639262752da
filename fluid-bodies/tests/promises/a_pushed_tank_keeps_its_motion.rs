//! A tank with two layers that is pushed so hard that they roll up keeps its motion: no step takes more than
//! a part of the vorticity, the walls leave no vorton with a growing strength in a corner, and the fluid
//! still moves seconds later. Fluid of one density gets no vorticity, however hard it is pushed (E42).

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::DensityBox;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::Vec3;

/// Half extents of the tank \[m\].
const HALF: Vec3 = Vec3::new(0.5, 0.28125, 1.0);
const SPACING: f32 = 0.0625;

/// Speed \[m/s\] of the tank at a time: it gains `gained` within 0.3 s, and loses that as fast from `stop`
/// \[s\] on.
fn speed((gained, stop): (f32, f32), time: f32) -> f32 {
    let ramp = |since: f32| (since / 0.3).clamp(0.0, 1.0);
    gained * (ramp(time) - ramp(time - stop))
}

/// Runs a tank for three and a half seconds of steps of these lengths \[s\]. Returns the smallest Σ|α| after
/// a step over that before it; the mean energy of the last second over the largest; and the largest part of
/// Σ|α| that one vorton has. The first and the last are of steps with at least a fifth of the largest Σ|α|.
fn push(pushed: (f32, f32), step: impl Fn(u64) -> f32) -> (f64, f64, f64) {
    let params = Params {
        core_radius: 1.5 * SPACING,
        gravity: Vec3::Z * -10.0,
        viscosity: 1e-3,
        max_vortons: 8192,
        ..Params::default()
    };
    let mut sim = VortexSim::new(params).expect("valid");
    for side in [-1.0, 1.0] {
        let layer = DensityBox {
            centre: Vec3::Z * (0.5 * side * HALF.z),
            extent: Vec3::new(2.0 * HALF.x, 2.0 * HALF.y, HALF.z),
            spacing: SPACING,
            density_deviation: -0.1 * side,
            dye: 0.0,
            fuel: 0.0,
        };
        sim.add_vortons(&layer.vortons().expect("valid")).expect("they fit");
    }
    let mut bodies = Bodies::new(BodySettings::default(), sim.params()).expect("valid");
    let shape = Shape { parity: Parity::Hole, ..Shape::cuboid(HALF) };
    let def = BodyDef { shapes: vec![shape], mass: f32::INFINITY, ..BodyDef::default() };
    let tank = bodies.add(def).expect("valid");

    let (mut way, mut n) = (0.0, 0);
    let (mut sums, mut parts, mut energies) = (Vec::new(), Vec::new(), Vec::new());
    while sim.time() < 3.5 {
        let (dt, time) = (step(n), sim.time() as f32);
        n += 1;
        let velocity = Vec3::X * (0.5 * (speed(pushed, time) + speed(pushed, time + dt)));
        let state = BodyState { position: Vec3::X * way, velocity, ..BodyState::default() };
        bodies.set_state(tank, state).expect("valid");
        sim.step(&Serial, &mut bodies, dt).expect("valid");
        way += velocity.x * dt;
        let strengths = || sim.vortons().strengths.iter().map(|strength| f64::from(strength.length()));
        let sum = strengths().sum::<f64>();
        sums.push(sum);
        parts.push(strengths().fold(0.0, f64::max) / sum);
        energies.push((sim.time(), sim.stats().energy));
    }
    let strengths = sim.vortons().strengths.clone();
    sim.step(&Serial, &mut bodies, 0.0).expect("valid");
    // The halo may grow: its new vortons are the last rows.
    let mut pairs = sim.vortons().strengths.iter().zip(strengths.iter());
    assert!(pairs.all(|(now, before)| now == before), "a step of no time changes strengths");
    let most = sums.iter().copied().fold(0.0, f64::max);
    let pairs = sums.windows(2).filter(|pair| pair[0] > 0.2 * most);
    let least = pairs.map(|pair| pair[1] / pair[0]).fold(f64::INFINITY, f64::min);
    let parts = parts.iter().zip(&sums).filter(|&(_, &sum)| sum > 0.2 * most);
    let strongest = parts.map(|(&part, _)| part).fold(0.0, f64::max);
    let largest = energies.iter().map(|&(_, energy)| energy).fold(0.0, f64::max);
    let last = energies.iter().filter(|&&(time, _)| time > 2.5).map(|&(_, energy)| energy);
    let (sum, count) = last.fold((0.0, 0.0), |(sum, count), energy| (sum + energy, count + 1.0));
    (least, sum / count / largest, strongest)
}

#[test]
#[ignore = "half a minute"]
fn in_even_steps() {
    for (gained, stop, dt) in [(12.0, 1.0, 1.0 / 60.0), (24.0, 0.7, 1.0 / 40.0)] {
        let (least, left, strongest) = push((gained, stop), |_| dt);
        println!("{gained} m/s, {dt:.4} s: {least:.3} {left:.3} {strongest:.4}");
        assert!(least > 0.6, "{gained} m/s: a step takes {:.2} of the vorticity", 1.0 - least);
        assert!(left > 0.1, "{gained} m/s: {left:.4} of the energy is left");
        assert!(strongest < 0.05, "{gained} m/s: a vorton has {strongest:.3} of the vorticity");
    }
}

/// Pushes a tank in uneven steps of one series.
fn in_series(seed: u64) -> (f64, f64, f64) {
    let random = Random::new(seed);
    let result = push((24.0, 1.0), |n| 1.0 / 144.0 + random.unit(n) * (1.0 / 24.0 - 1.0 / 144.0));
    println!("series {seed}: {:.3} {:.3} {:.4}", result.0, result.1, result.2);
    result
}

/// What single steps take varies between series, between .2 and .5.
#[test]
fn in_uneven_steps() {
    let (least, left, strongest) = in_series(11);
    assert!(least > 0.5, "a step takes {:.2} of the vorticity", 1.0 - least);
    assert!(left > 0.1, "{left:.4} of the energy is left");
    assert!(strongest < 0.05, "a vorton has {strongest:.3} of the vorticity");
}

#[test]
#[ignore = "a minute"]
fn in_uneven_steps_on_average() {
    let results: Vec<_> = (11..16).map(in_series).collect();
    let mean = |of: fn(&(f64, f64, f64)) -> f64| results.iter().map(of).sum::<f64>() / results.len() as f64;
    let (least, left, strongest) =
        (mean(|result| result.0), mean(|result| result.1), mean(|result| result.2));
    println!("{least:.3} {left:.3} {strongest:.4}");
    assert!(least > 0.6, "a step takes {:.2} of the vorticity", 1.0 - least);
    assert!(left > 0.13, "{left:.4} of the energy is left");
    assert!(strongest < 0.04, "a vorton has {strongest:.3} of the vorticity");
}

/// Below the lowest corner, as the fluid feels it, images of the walls led through the opposite wall, where
/// there is no fluid: its density was that of next to nothing.
#[test]
fn fluid_of_one_density_is_not_stirred() {
    let (half, spacing) = (0.6, 0.1);
    let params = Params { core_radius: 1.5 * spacing, gravity: Vec3::Z * -9.81, ..Params::default() };
    let mut sim = VortexSim::new(params).expect("valid");
    let fluid = DensityBox {
        centre: Vec3::ZERO,
        extent: Vec3::splat(2.0 * half),
        spacing,
        density_deviation: 0.2,
        dye: 0.0,
        fuel: 0.0,
    };
    sim.add_vortons(&fluid.vortons().expect("valid")).expect("they fit");
    let mut bodies = Bodies::new(BodySettings::default(), sim.params()).expect("valid");
    let shape = Shape { parity: Parity::Hole, ..Shape::cuboid(Vec3::splat(half)) };
    let def = BodyDef { shapes: vec![shape], mass: f32::INFINITY, ..BodyDef::default() };
    let tank = bodies.add(def).expect("valid");
    let (mut state, dt, mut strongest) = (BodyState::default(), 1.0 / 60.0, 0.0_f32);
    for n in 0..48 {
        state.velocity.x += if n / 12 % 2 == 0 { 12.0 } else { -12.0 } * dt;
        bodies.set_state(tank, state).expect("valid");
        sim.step(&Serial, &mut bodies, dt).expect("valid");
        state.position += state.velocity * dt;
        strongest =
            sim.vortons().strengths.iter().map(|strength| strength.length()).fold(strongest, f32::max);
    }
    println!("the strongest vorton has {strongest:.1e} m³/s");
    assert!(strongest < 1e-4, "{strongest} m³/s");
}
