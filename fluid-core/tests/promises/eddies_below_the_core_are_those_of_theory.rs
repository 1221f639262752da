//! Eddies below the core's size (E60): divergence-free, with Kolmogorov's spectrum, proportional to the
//! strain, absent in still fluid and in solid rotation, and advected by the flow.

use crate::common::{filament_ring, random_cloud, world};
use fluid_core::InstructionSet;
use fluid_core::boundary::NoBodies;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::velocity::{Eddies, EddyField, FlowSample, PlacedFlow, SolverKind, VelocityField};
use fluid_threads::Serial;
use glam::{Mat3, Vec3};

const SIGMA: f32 = 0.1;

/// Ratio of the largest wave number to that of the cut-off, k_c = 2/σ.
const BAND: f64 = 8.0;

/// Fraction of the energy beyond the cut-off that is in the band: 1 - 8^(-2/3).
const SHARE: f64 = 0.75;

const STRAIN: Mat3 = Mat3::from_cols(Vec3::X, Vec3::new(0.0, -0.5, 0.0), Vec3::new(0.0, 0.0, -0.5));

fn frobenius(gradient: Mat3) -> f32 {
    FlowSample { velocity: Vec3::ZERO, gradient }.gradient_norm2().sqrt()
}

/// Returns |S| = √(2 S:S).
fn strain_rate(g: Mat3) -> f32 {
    let s = (g + g.transpose()) * 0.5;
    (2.0 * FlowSample { velocity: Vec3::ZERO, gradient: s }.gradient_norm2()).sqrt()
}

fn at(field: &EddyField, places: &[Vec3], flow: impl Fn(Vec3) -> FlowSample) -> Vec<Vec3> {
    let flow: Vec<_> = places.iter().map(|&place| PlacedFlow::new(place, flow(place))).collect();
    let mut out = vec![Vec3::ZERO; places.len()];
    field.add_to(1.0, 0.0, &flow, &mut out);
    out
}

fn places(count: usize, seed: u64) -> Vec<Vec3> {
    random_cloud(count, seed).iter().map(|vorton| vorton.position).collect()
}

/// Calls `see` with `count` states in a flow of this velocity gradient, an irrational fraction of a
/// lifetime apart.
fn moments(count: usize, steepness: f32, mut see: impl FnMut(&EddyField)) {
    let mut eddies = Eddies::new(SIGMA, InstructionSet::Auto);
    for _ in 0..count {
        for _ in 0..7 {
            eddies.advance(0.177_245_4 / steepness, steepness);
        }
        see(&eddies.with_seed(1));
    }
}

/// Returns the mean squares of divergence and of |∇u'|, by central differences.
fn divergence(field: &EddyField, places: &[Vec3], flow: impl Fn(Vec3) -> FlowSample) -> (f64, f64) {
    let h = 0.004 * SIGMA;
    let slopes = Vec3::AXES.map(|axis| {
        let shifted = |by: f32| places.iter().map(|place| place + axis * by).collect::<Vec<_>>();
        let [ahead, behind] = [h, -h].map(|by| at(field, &shifted(by), &flow));
        ahead.iter().zip(&behind).map(|(a, b)| (*a - *b) / (2.0 * h)).collect::<Vec<_>>()
    });
    let mut sums = (0.0, 0.0);
    let [along_x, along_y, along_z] = &slopes;
    for ((x, y), z) in along_x.iter().zip(along_y).zip(along_z) {
        sums.0 += f64::from(x.x + y.y + z.z).powi(2);
        sums.1 += [x, y, z].map(|slope| slope.as_dvec3().length_squared()).iter().sum::<f64>();
    }
    sums
}

/// After one instant in the steepest possible flow, the eddies continue as before.
#[test]
fn a_step_that_is_too_steep_does_not_end_them() {
    let mut eddies = Eddies::new(SIGMA, InstructionSet::Auto);
    let places = places(100, 5);
    let strain = |_| FlowSample { velocity: Vec3::ZERO, gradient: STRAIN };
    for steepness in [1e9, 1e16, 1e30, f32::MAX, f32::INFINITY] {
        eddies.advance(1.0 / 60.0, steepness);
        let mut mean_square = 0.0;
        for _ in 0..60 {
            eddies.advance(1.0 / 60.0, 10.0);
            let all = at(&eddies.with_seed(1), &places, strain);
            assert!(all.iter().all(|u| u.is_finite()), "{steepness:e}");
            mean_square += all.iter().map(|u| u.length_squared()).sum::<f32>() / (60.0 * places.len() as f32);
        }
        let expected = 0.375 * SIGMA.powi(2) * strain_rate(STRAIN).powi(2);
        assert!((0.5..1.6).contains(&(mean_square / expected)), "{steepness:e}: {mean_square} {expected}");
    }
}

#[test]
fn they_are_free_of_divergence() {
    let random = Random::new(8);
    let mut sums = (0.0, 0.0);
    let mut turn = 0;
    let places = places(64, 5).iter().map(|place| 0.5 * place).collect::<Vec<_>>();
    moments(40, 1.0, |field| {
        turn += 3;
        let [x, y, z] = [0, 1, 2].map(|n| random.centred_vec3(turn + n));
        let g = Mat3::from_cols(x, y, Vec3::new(z.x, z.y, -x.x - y.y));
        let g = g * (0.9 / frobenius(g));
        let flow = |place| FlowSample { velocity: Vec3::X + g * place, gradient: g };
        let (divergence, gradient) = divergence(field, &places, flow);
        sums = (sums.0 + divergence, sums.1 + gradient);
    });
    let uniform = (sums.0 / sums.1).sqrt();
    // Round-off of the differences.
    println!("divergence over gradient in uniform strain: {uniform:.1e}");
    assert!(uniform < 5e-4, "{uniform:e}");
}

/// Strength and shear vary over a core, the eddies over a shorter distance.
#[test]
fn they_are_nearly_free_of_divergence_in_a_ring() {
    let ring = filament_ring(Vec3::ZERO, Vec3::Z, 0.4, 1.0, 100);
    let mut sim =
        world(Params { core_radius: SIGMA, solver: SolverKind::Direct, ..Params::default() }, &ring);
    sim.step(&Serial, &mut NoBodies, 0.0).expect("a step of no time");
    let places: Vec<_> = places(400, 6)
        .iter()
        .zip(ring.iter().cycle())
        .map(|(near, vorton)| vorton.position + 1.5 * SIGMA * *near)
        .collect();
    let flow = |place| {
        let mut sample = [FlowSample::default()];
        sim.field().flow(&[place], &mut sample);
        sample[0]
    };
    let steepness = places.iter().map(|&place| frobenius(flow(place).gradient)).fold(0.0, f32::max);
    let mut sums = (0.0, 0.0);
    moments(12, steepness, |field| {
        let (divergence, gradient) = divergence(field, &places, flow);
        sums = (sums.0 + divergence, sums.1 + gradient);
    });
    let ratio = (sums.0 / sums.1).sqrt();
    println!("divergence over gradient in a ring: {ratio:.3}");
    assert!(ratio < 0.1, "{ratio}");
}

/// Tracers see the derivatives of the velocities that they are moved by. With one and a half nodes a core
/// these jump from cell to cell, and around a vortex as thin as a core they are weaker than in the flow.
#[test]
fn tracers_see_the_strain_of_the_velocities_that_they_sample() {
    let ring = filament_ring(Vec3::ZERO, Vec3::Z, 0.4, 1.0, 100);
    let params = Params { core_radius: SIGMA, solver: SolverKind::Mesh, ..Params::default() };
    let mut sim = world(params, &ring);
    sim.step(&Serial, &mut NoBodies, 0.0).expect("a step of no time");
    let places: Vec<_> = places(4000, 6)
        .iter()
        .zip(ring.iter().cycle())
        .map(|(near, vorton)| vorton.position + 1.5 * SIGMA * *near)
        .collect();
    let flow = |places: &[Vec3], smooth: bool| {
        let mut out = vec![FlowSample::default(); places.len()];
        match smooth {
            true => sim.field().flow(places, &mut out),
            false => sim.field().sampled_flow(places, &mut out),
        }
        out
    };
    let velocities = |places: &[Vec3]| {
        let mut out = vec![Vec3::ZERO; places.len()];
        sim.field().velocities(places, &mut out);
        out
    };
    let (seen, smooth) = (flow(&places, false), flow(&places, true));
    let plain = velocities(&places);
    assert!(seen.iter().zip(&plain).all(|(seen, plain)| seen.velocity == *plain), "other velocities");
    // Differences agree with the derivatives, except for those that reach over a face between cells.
    let h = 2e-3 * SIGMA;
    let mut agree = 0;
    for (n, axis) in Vec3::AXES.into_iter().enumerate() {
        let [below, above] =
            [-h, h].map(|by| velocities(&places.iter().map(|place| place + axis * by).collect::<Vec<_>>()));
        for ((below, above), seen) in below.iter().zip(&above).zip(&seen) {
            let error = ((above - below) / (2.0 * h) - seen.gradient.col(n)).length();
            agree += u32::from(error < 0.02 * frobenius(seen.gradient));
        }
    }
    let agree = f64::from(agree) / (3 * places.len()) as f64;
    let mut squares = [0.0; 3];
    for (seen, smooth) in seen.iter().zip(&smooth) {
        let [seen, smooth] = [seen, smooth].map(|flow| f64::from(strain_rate(flow.gradient)));
        for (sum, value) in squares.iter_mut().zip([seen - smooth, seen, smooth]) {
            *sum += value * value;
        }
    }
    let [error, seen, smooth] = squares.map(f64::sqrt);
    let (error, strength) = (error / smooth, seen / smooth);
    println!(
        "{agree:.4} of the derivatives are those of the velocities; strain off by {error:.3} rms, {strength:.3}"
    );
    assert!(agree > 0.98, "{agree}");
    assert!(error < 0.25 && (0.85..1.02).contains(&strength), "{error} {strength}");
}

/// ⟨|u'|²⟩ = 2 SHARE |S|²/k_c², over a factor of 100, in strain and shear.
#[test]
fn they_are_as_strong_as_the_strain() {
    let shear = Mat3::from_cols(Vec3::ZERO, Vec3::X, Vec3::ZERO);
    let places = places(200, 3);
    for (name, gradient) in [("strain", STRAIN), ("shear", shear)] {
        for scale in [0.1_f32, 1.0, 10.0] {
            let g = gradient * scale;
            let mut sum = 0.0;
            moments(300, frobenius(g), |field| {
                let found = at(field, &places, |place| FlowSample { velocity: g * place, gradient: g });
                sum += found.iter().map(|u| u.as_dvec3().length_squared()).sum::<f64>() / places.len() as f64;
            });
            let rms = (sum / 300.0).sqrt();
            let expected = (2.0 * SHARE).sqrt() * f64::from(strain_rate(g) * SIGMA / 2.0);
            println!("{name} {scale}: {rms:.4} m/s, {:.3} of what the spectrum has", rms / expected);
            // The flow stretches eddies while it advects them.
            assert!((0.96..1.05).contains(&(rms / expected)), "{name} {scale}: {rms} {expected}");
        }
    }
}

/// Returns ⟨|u'(x + r) - u'(x)|²⟩ = 4 ∫ E(k) (1 - sin kr / kr) dk, with E = C k^(-p) in the band.
fn structure(p: f64, r: f64) -> f64 {
    let cut_off = 2.0 / f64::from(SIGMA);
    let steps = 4000;
    let (mut energy, mut sum) = (0.0, 0.0);
    for i in 0..steps {
        let k = cut_off * BAND.powf((f64::from(i) + 0.5) / f64::from(steps));
        let part = k.powf(1.0 - p);
        energy += part;
        sum += part * (1.0 - (k * r).sin() / (k * r));
    }
    4.0 * sum / energy
}

#[test]
fn their_spectrum_is_that_of_kolmogorov() {
    // Hardly sheared: otherwise the strain would change the spectrum.
    let g = STRAIN * 1e-3;
    let random = Random::new(4);
    let ways = [0.1, 0.2, 0.4, 0.8, 1.6];
    let (mut sums, mut square) = ([0.0; 5], 0.0);
    let places = places(300, 9);
    moments(400, 1.0, |field| {
        let flow = |_| FlowSample { velocity: Vec3::ZERO, gradient: g };
        let here = at(field, &places, flow);
        square += here.iter().map(|u| u.as_dvec3().length_squared()).sum::<f64>();
        for (sum, way) in sums.iter_mut().zip(ways) {
            let there: Vec<_> = (0..)
                .zip(&places)
                .map(|(i, place)| place + random.centred_vec3(i).normalize() * (way * SIGMA))
                .collect();
            let there = at(field, &there, flow);
            *sum += here
                .iter()
                .zip(&there)
                .map(|(a, b)| a.as_dvec3().distance_squared(b.as_dvec3()))
                .sum::<f64>();
        }
    });
    let error = |p: f64| {
        let ratio = |(sum, way): (&f64, f32)| {
            // The mean square is twice the energy.
            let expected = 0.5 * structure(p, f64::from(way * SIGMA));
            sum / square / expected
        };
        let ratios: Vec<f64> = sums.iter().zip(ways).map(ratio).collect();
        println!("k^-{p:.2}: structure functions over theirs {ratios:.3?}");
        ratios.into_iter().map(|ratio| (ratio - 1.0).abs()).fold(0.0, f64::max)
    };
    let kolmogorov = error(5.0 / 3.0);
    assert!(kolmogorov < 0.03, "{kolmogorov}");
    assert!(error(1.5) > 0.06 && error(1.85) > 0.06);
}

#[test]
fn there_are_none_without_strain() {
    let rotation = Mat3::from_cols(Vec3::Y, Vec3::NEG_X, Vec3::ZERO) * 30.0;
    let places = places(100, 2);
    moments(3, 30.0, |field| {
        for gradient in [Mat3::ZERO, rotation] {
            let found =
                at(field, &places, |place| FlowSample { velocity: Vec3::X + gradient * place, gradient });
            assert!(found.iter().all(|u| *u == Vec3::ZERO));
        }
    });
}

/// Returns the mean of a·b over the mean of a·a.
fn correlation(a: &[Vec3], b: &[Vec3]) -> f64 {
    let mean = |c: &[Vec3]| a.iter().zip(c).map(|(a, c)| a.as_dvec3().dot(c.as_dvec3())).sum::<f64>();
    mean(b) / mean(a)
}

#[test]
fn the_flow_carries_them() {
    let wind = Vec3::new(3.0, -2.0, 1.0);
    let flow = |_| FlowSample { velocity: wind, gradient: STRAIN * 0.01 };
    let still = places(200, 12);
    let mut eddies = Eddies::new(SIGMA, InstructionSet::Auto);
    let (mut along, mut past) = (0.0, 0.0);
    for _ in 0..300 {
        let before = at(&eddies.with_seed(1), &still, flow);
        // After a tenth of a lifetime (0.9 cos 0.1π + sin 0.1π / π) of each pattern remains.
        eddies.advance(0.2, 1.0);
        let after = eddies.with_seed(1);
        let moved: Vec<_> = still.iter().map(|place| place + wind * 0.2).collect();
        along += correlation(&before, &at(&after, &moved, flow)) / 300.0;
        past += correlation(&before, &at(&after, &still, flow)) / 300.0;
    }
    println!("correlation after a tenth of a life: {along:.3} with the flow, {past:.3} where it was");
    assert!((along - 0.954).abs() < 0.03 && past.abs() < 0.1, "{along} {past}");
}

#[test]
fn other_seeds_are_other_eddies() {
    let places = places(2000, 13);
    let flow = |_| FlowSample { velocity: Vec3::ZERO, gradient: STRAIN };
    let eddies = Eddies::new(SIGMA, InstructionSet::Auto);
    let [one, other] = [1, 2].map(|seed| at(&eddies.with_seed(seed), &places, flow));
    let alike = correlation(&one, &other);
    assert!(alike.abs() < 0.5, "{alike}");
}

/// Holds for present eddies and for those created later.
#[test]
fn they_stay_where_they_are_in_a_fluid_whose_origin_is_shifted() {
    let ring = filament_ring(Vec3::ZERO, Vec3::Z, 0.5, 1.0, 100);
    let params = Params { core_radius: SIGMA, ..Params::default() };
    let (mut one, mut shifted) = (world(params, &ring), world(params, &ring));
    let origin = Vec3::new(3.0, -2.0, 7.0);
    let places = places(200, 14);
    for step in 0..40 {
        if step == 5 {
            shifted.shift_origin(origin);
        }
        for sim in [&mut one, &mut shifted] {
            sim.step(&Serial, &mut NoBodies, 0.05).expect("a short step");
        }
        let flow = |_| FlowSample { velocity: Vec3::X, gradient: STRAIN };
        let there: Vec<_> =
            places.iter().map(|place| *place - if step < 5 { Vec3::ZERO } else { origin }).collect();
        let [a, b] = [(&one, &places), (&shifted, &there)].map(|(sim, places)| {
            at(&sim.field().eddies().expect("eddies of a world").with_seed(1), places, flow)
        });
        let error = a.iter().zip(&b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(error < 1e-3 * SIGMA, "step {step}: {error:e}");
    }
}

#[test]
fn nothing_but_numbers_comes_out() {
    let wild = [0.0, -0.0, 1e-38, 1.0, -1e19, 1e30, f32::MAX, f32::INFINITY, f32::NAN];
    let random = Random::new(6);
    let pick = |n: u64| wild[(random.bits(n) % wild.len() as u64) as usize];
    let vector = |n: u64| Vec3::new(pick(3 * n), pick(3 * n + 1), pick(3 * n + 2));
    let mut eddies = Eddies::new(SIGMA, InstructionSet::Auto);
    for turn in 0..300_u64 {
        let n = 1000 * turn;
        let step = [pick(n), pick(n + 1)].map(|value| if value.is_finite() { value } else { 0.5 });
        eddies.advance(step[0].clamp(-1e7, 1e7), step[1].abs());
        let (place, velocity) = (vector(n + 2), vector(n + 3));
        let gradient = Mat3::from_cols(vector(n + 4), vector(n + 5), vector(n + 6));
        for dt in [0.0, 1e-3, 1e7, -1.0] {
            let mut out = [Vec3::ZERO; 3];
            let field = eddies.with_seed(turn);
            field.add_to(1.0, dt, &[PlacedFlow::new(place, FlowSample { velocity, gradient }); 3], &mut out);
            assert!(out.iter().all(|u| u.is_finite()), "{place} {velocity} {gradient} {dt}: {out:?}");
        }
    }
}

/// On a mesh, outside of it, in wind, for direct sums, and for any number of positions.
#[test]
fn a_placed_flow_is_that_sampled_there() {
    for (solver, wind) in [
        (SolverKind::Mesh, Vec3::ZERO),
        (SolverKind::Mesh, Vec3::new(0.5, -0.25, 0.125)),
        (SolverKind::Direct, Vec3::Z),
    ] {
        let params = Params { core_radius: SIGMA, solver, wind, ..Params::default() };
        let mut sim = world(params, &filament_ring(Vec3::ZERO, Vec3::Z, 1.0, 1.0, 200));
        sim.step(&Serial, &mut NoBodies, 1e-3).expect("a short step");
        for (count, spread) in [(1, 0.5), (63, 1.0), (200, 1.2), (129, 9.0)] {
            let places: Vec<_> = places(count, 7).iter().map(|place| *place * spread).collect();
            let mut samples = vec![FlowSample::default(); count];
            let mut placed = vec![PlacedFlow::ZERO; count];
            sim.field().sampled_flow(&places, &mut samples);
            sim.field().placed_flow(false, &places, &mut placed);
            for ((place, sample), placed) in places.iter().zip(samples).zip(placed) {
                assert_eq!(
                    (placed.place(), placed.flow(), placed.velocity()),
                    (*place, sample, sample.velocity)
                );
            }
        }
    }
}
