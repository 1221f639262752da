//! Initial conditions produce the prescribed flow: circulation (R2), velocity jump, impulse, and vortex
//! lines that do not end inside the fluid. All sums are taken in `f64` from the `f32` vortons.

use fluid_core::initial::{
    DensityBall, DensityProfile, Disturbance, FilamentRing, InitialError, JetRing, MAX_INITIAL_VORTONS,
    Noise, VortexRing, VortexSheet, VortexTube,
};
use fluid_core::particles::Vorton;
use glam::{DVec3, Vec3};
use std::collections::HashMap;
use std::f64::consts::PI;

const GAMMA: f32 = 2.7;
const CENTRE: Vec3 = Vec3::new(0.37, -1.73, 2.21);
const AXES: [Vec3; 5] =
    [Vec3::X, Vec3::NEG_Y, Vec3::Z, Vec3::new(1.0, 2.0, -0.5), Vec3::new(-0.01, 0.02, 0.015)];
/// Positions and strengths are `f32`; the errors of many vortons average out below this.
const ROUND_OFF: f64 = 1e-6;

fn ring(axis: Vec3, spacing: f32) -> VortexRing {
    VortexRing { centre: CENTRE, axis, radius: 1.0, thickness: 0.6, circulation: GAMMA, spacing }
}

fn jet(axis: Vec3, spacing: f32) -> JetRing {
    JetRing { centre: CENTRE, axis, radius: 0.8, thickness: 0.7, circulation: GAMMA, spacing }
}

fn tube(axis: Vec3, spacing: f32) -> VortexTube {
    VortexTube {
        centre: CENTRE,
        axis,
        diameter: 1.0,
        length: 2.0,
        circulation: GAMMA,
        variation: 0.3,
        wave_number: 1.0,
        spacing,
    }
}

fn sheet(spacing: f32) -> VortexSheet {
    VortexSheet {
        centre: CENTRE,
        normal: Vec3::new(0.0, 0.6, 0.8),
        direction: Vec3::new(0.0, -0.8, 0.6),
        thickness: 0.5,
        width: 3.5,
        extent: 4.0,
        velocity_jump: GAMMA,
        variation: 0.2,
        spacing,
    }
}

fn filament(axis: Vec3, count: u32) -> FilamentRing {
    FilamentRing { centre: CENTRE, axis, radius: 1.3, circulation: GAMMA, core_radius: 0.1, count }
}

fn total(vortons: &[Vorton]) -> DVec3 {
    vortons.iter().map(|v| v.strength.as_dvec3()).sum()
}

fn total_size(vortons: &[Vorton]) -> f64 {
    vortons.iter().map(|v| v.strength.as_dvec3().length()).sum()
}

/// Returns Σ α_φ/(2πρ): the circulation of a flow around `axis` through CENTRE, averaged over the azimuth.
fn azimuthal_circulation(vortons: &[Vorton], axis: Vec3) -> f64 {
    let axis = axis.as_dvec3().normalize();
    let part = |v: &Vorton| {
        let r = v.position.as_dvec3() - CENTRE.as_dvec3();
        let rho = r - axis * r.dot(axis);
        v.strength.as_dvec3().dot(axis.cross(rho)) / (2.0 * PI * rho.length_squared())
    };
    vortons.iter().map(part).sum()
}

fn assert_delivers(measured: f64, what: &str) {
    let error = (measured / f64::from(GAMMA) - 1.0).abs();
    assert!(error < ROUND_OFF, "{what}: {measured} instead of {GAMMA}, off by {error:e}");
}

/// Splits where `key` (a coordinate in units of the spacing) changes.
fn slices(vortons: &[Vorton], key: impl Fn(DVec3) -> [f64; 2]) -> Vec<&[Vorton]> {
    let rounded =
        |v: &Vorton| key(v.position.as_dvec3() - CENTRE.as_dvec3()).map(|x| (2.0 * x).round() as i64);
    vortons.chunk_by(|a, b| rounded(a) == rounded(b)).collect()
}

#[test]
fn rings_and_jets_carry_their_circulation_at_any_spacing_and_tilt() {
    for axis in AXES {
        for spacing in [0.3, 0.2, 0.1, 0.083] {
            let what = format!("axis {axis}, h {spacing}");
            assert_delivers(azimuthal_circulation(&ring(axis, spacing).vortons().unwrap(), axis), &what);
            assert_delivers(azimuthal_circulation(&jet(axis, spacing).vortons().unwrap(), axis), &what);
        }
        for count in [3, 48, 97] {
            let vortons = filament(axis, count).vortons().unwrap();
            assert_delivers(azimuthal_circulation(&vortons, axis), &format!("axis {axis}, N {count}"));
        }
    }
}

#[test]
fn every_cross_section_of_a_tube_carries_its_circulation() {
    for axis in AXES {
        for spacing in [0.25, 0.1, 0.05] {
            let vortons = tube(axis, spacing).vortons().unwrap();
            let (axis, h) = (axis.as_dvec3().normalize(), f64::from(spacing));
            let planes = slices(&vortons, |r| [r.dot(axis) / h, 0.0]);
            assert_eq!(planes.len(), (2.0 / h).round() as usize);
            for plane in planes {
                assert_delivers(total(plane).dot(axis) / h, "cross-section");
                let across = total(plane).reject_from(axis).length();
                assert!(across < ROUND_OFF * total_size(plane));
            }
        }
    }
}

#[test]
fn every_column_of_a_sheet_makes_the_velocity_jump() {
    for spacing in [0.5, 0.25, 0.1] {
        let sheet = sheet(spacing);
        let vortons = sheet.vortons().unwrap();
        let (normal, along) = (sheet.normal.as_dvec3(), sheet.direction.as_dvec3());
        let h = f64::from(spacing);
        let columns = slices(&vortons, |r| [r.dot(along) / h, r.dot(along.cross(normal)) / h]);
        assert_eq!(columns.len(), (3.5 / h).round() as usize * (4.0 / h).round() as usize);
        for column in columns {
            assert_delivers(total(column).dot(along) / (h * h), "column");
        }
    }
}

#[test]
fn closed_vortex_lines_and_noise_have_no_total_strength() {
    let noise =
        Noise { centre: CENTRE, extent: Vec3::new(2.0, 1.0, 0.5), spacing: 0.1, amplitude: 3.0, seed: 1 };
    for axis in AXES {
        for vortons in [
            ring(axis, 0.1).vortons().unwrap(),
            jet(axis, 0.1).vortons().unwrap(),
            filament(axis, 97).vortons().unwrap(),
            noise.vortons().unwrap(),
        ] {
            let ratio = total(&vortons).length() / total_size(&vortons);
            assert!(ratio < 1e-8, "Σα is {ratio:e} of Σ|α|");
        }
    }
}

#[test]
fn noise_keeps_to_its_box_and_amplitude_and_is_a_function_of_the_seed() {
    let noise =
        Noise { centre: CENTRE, extent: Vec3::new(2.0, 1.0, 0.5), spacing: 0.1, amplitude: 3.0, seed: 7 };
    let vortons = noise.vortons().unwrap();
    assert_eq!(vortons.len(), 20 * 10 * 5);
    for v in &vortons {
        assert!(((v.position - CENTRE).abs() * 2.0).cmplt(noise.extent).all());
        // The subtracted mean is about 3/√(12 · 1000) = 0.03.
        assert!((v.strength / v.volume).abs().max_element() < 1.5 + 0.15);
    }
    assert_eq!(vortons, noise.vortons().unwrap());
    assert_ne!(vortons, Noise { seed: 8, ..noise }.vortons().unwrap());
}

/// I = π ∫ρ² ω dA = πΓ (R² + ⟨c²⟩/2) for vorticity that depends on the distance c from the core circle alone.
#[test]
fn a_ring_has_the_impulse_of_its_profile() {
    const STEPS: u32 = 1000;
    for (radius, thickness) in [(1.0_f64, 0.3_f64), (1.0, 0.6), (1.0, 1.0)] {
        let (mut moment, mut circulation) = (0.0, 0.0);
        for i in 0..STEPS {
            let c = (f64::from(i) + 0.5) / f64::from(STEPS) * thickness;
            let weight = c * ((PI * c / thickness).cos() + 1.0);
            circulation += weight;
            moment += weight * c * c;
        }
        let exact = PI * f64::from(GAMMA) * (radius * radius + 0.5 * moment / circulation);
        let thin = PI * f64::from(GAMMA) * radius * radius;
        assert!(exact > thin && exact < thin * (1.0 + 0.5 * (thickness / radius).powi(2)));
        for axis in AXES {
            for cells in [4.0, 8.0] {
                let spacing = (thickness / cells) as f32;
                let (radius, thickness) = (radius as f32, thickness as f32);
                let vortons = VortexRing { radius, thickness, ..ring(axis, spacing) }.vortons().unwrap();
                let part = |v: &Vorton| {
                    0.5 * (v.position.as_dvec3() - CENTRE.as_dvec3()).cross(v.strength.as_dvec3())
                };
                let impulse: DVec3 = vortons.iter().map(part).sum();
                let axis = axis.as_dvec3().normalize();
                let error = impulse.dot(axis) / exact - 1.0;
                // The profile ends smoothly (C¹), so the lattice sum is better than second order.
                assert!(error.abs() < 0.02 / (cells * cells), "{radius} {thickness} {cells}: {error}");
                assert!(impulse.reject_from(axis).length() < ROUND_OFF * exact);
            }
        }
    }
}

#[test]
fn a_filament_ring_has_the_impulse_of_its_circle() {
    let exact = PI * f64::from(GAMMA) * 1.3 * 1.3;
    let vortons = filament(Vec3::X, 48).vortons().unwrap();
    let impulse: DVec3 =
        vortons.iter().map(|v| 0.5 * (v.position - CENTRE).as_dvec3().cross(v.strength.as_dvec3())).sum();
    assert!((impulse - DVec3::X * exact).length() < ROUND_OFF * exact);
}

/// Returns the sum over lattice boxes of |flux out of the box|, relative to the same sum for the flux along
/// `main` alone. `main` is the axis (0, 1, 2) along which the vorticity of a flow without the other
/// component would end inside the fluid.
fn ends_of_vortex_lines(vortons: &[Vorton], spacing: f64, main: usize) -> f64 {
    let index = |p: DVec3| [0, 1, 2].map(|i| (2.0 * p[i] / spacing).round() as i64);
    let centre = CENTRE.as_dvec3();
    let field: HashMap<[i64; 3], DVec3> = vortons
        .iter()
        .map(|v| (index(v.position.as_dvec3() - centre), v.strength.as_dvec3() / f64::from(v.volume)))
        .collect();
    let (mut out, mut along) = (0.0, 0.0);
    for &at in field.keys() {
        // Face values are the mean of the two neighbours. Boxes at the edge have no flux to compare.
        let through = [0, 1, 2].map(|i| {
            let neighbour = |step: i64| {
                let mut to = at;
                to[i] += step;
                field.get(&to).map(|w| w[i])
            };
            Some(0.5 * (neighbour(2)? - neighbour(-2)?))
        });
        if let [Some(x), Some(y), Some(z)] = through {
            out += (x + y + z).abs();
            along += [x, y, z][main].abs();
        }
    }
    assert!(along > 0.0);
    out / along
}

#[test]
fn vortex_lines_follow_a_tube_of_varying_radius() {
    // Central differences are second-order: halving h must quarter the remainder.
    let coarse = ends_of_vortex_lines(&tube(Vec3::Z, 0.05).vortons().unwrap(), f64::from(0.05_f32), 2);
    let fine = ends_of_vortex_lines(&tube(Vec3::Z, 0.025).vortons().unwrap(), f64::from(0.025_f32), 2);
    assert!(coarse < 0.05 && fine < 0.35 * coarse, "{coarse} {fine}");
}

#[test]
fn vortex_lines_follow_a_sheet_of_varying_thickness() {
    let of = |spacing: f32| {
        let sheet = VortexSheet { normal: Vec3::Z, direction: Vec3::Y, ..sheet(spacing) };
        ends_of_vortex_lines(&sheet.vortons().unwrap(), f64::from(spacing), 1)
    };
    let (coarse, fine) = (of(0.1), of(0.05));
    assert!(coarse < 0.05 && fine < 0.45 * coarse, "{coarse} {fine}");
}

#[test]
fn counts_are_those_of_the_articles() {
    let ring = VortexRing { radius: 1.0, thickness: 1.0, ..ring(Vec3::X, 0.25) };
    assert_eq!(ring.vortons().unwrap().len(), 1312);
    let jet = JetRing { radius: 1.0, thickness: 1.0, ..jet(Vec3::X, 0.25) };
    assert_eq!(jet.vortons().unwrap().len(), 1248);
    let tube = VortexTube { variation: 0.0, ..tube(Vec3::Y, 0.25) };
    assert_eq!(tube.vortons().unwrap().len(), 96);
    // 1792 with the original's tanh².
    let sheet = VortexSheet { thickness: 1.0, width: 7.0, extent: 14.0, ..sheet(0.875) };
    assert_eq!(sheet.vortons().unwrap().len(), 512);
}

#[test]
fn turning_the_axis_to_another_coordinate_axis_permutes_components_exactly() {
    let at_origin = |axis| VortexRing { centre: Vec3::ZERO, ..ring(axis, 0.2) }.vortons().unwrap();
    let along_z = at_origin(Vec3::Z);
    // Position on the ring that corresponds to (x, y, z) of the ring along +z: the first axis of the frame
    // is the one after the ring's, without a sign.
    type Turn = fn(Vec3) -> Vec3;
    let turns: [(Vec3, Turn); 4] = [
        (Vec3::X, |v| Vec3::new(v.z, v.x, v.y)),
        (Vec3::NEG_X, |v| Vec3::new(-v.z, v.x, -v.y)),
        (Vec3::Y, |v| Vec3::new(v.y, v.z, v.x)),
        (Vec3::new(0.0, 0.0, -3.0), |v| Vec3::new(v.x, -v.y, -v.z)),
    ];
    for (axis, turn) in turns {
        for (a, b) in along_z.iter().zip(at_origin(axis)) {
            assert_eq!((turn(a.position), turn(a.strength)), (b.position, b.strength));
        }
    }
}

#[test]
fn strength_is_vorticity_times_volume() {
    let spacing = 0.1_f32;
    for v in ring(Vec3::Z, spacing).vortons().unwrap() {
        assert!((v.volume - spacing.powi(3)).abs() < 1e-9);
        assert!(v.is_valid() && v.age == 0.0 && v.mass_deviation == 0.0);
        // Γ spread over the profile: ω ≤ Γ/(T² (π/2 − 2/π)), 8.03 here; the scale factor of the lattice is
        // within 1 %.
        assert!(v.strength.length() / v.volume < 8.03 * 1.01);
    }
}

#[test]
fn errors_name_the_field_its_value_and_its_range() {
    let field = |result: Result<Vec<Vorton>, InitialError>| match result.unwrap_err() {
        InitialError::OutOfRange { field, .. } | InitialError::VectorOutOfRange { field, .. } => field,
        InitialError::OutOfMemory => "memory",
    };
    let good = ring(Vec3::Z, 0.1);
    assert_eq!(field(VortexRing { axis: Vec3::ZERO, ..good }.vortons()), "axis");
    assert_eq!(field(VortexRing { centre: Vec3::NAN, ..good }.vortons()), "centre");
    assert_eq!(field(VortexRing { radius: 0.0, ..good }.vortons()), "radius");
    assert_eq!(field(VortexRing { thickness: 1.1, ..good }.vortons()), "thickness");
    assert_eq!(field(VortexRing { circulation: f32::INFINITY, ..good }.vortons()), "circulation");
    assert_eq!(field(VortexRing { spacing: -1.0, ..good }.vortons()), "spacing");
    assert_eq!(field(VortexRing { spacing: 1e-4, ..good }.vortons()), "spacing");
    assert_eq!(field(VortexRing { spacing: 0.006, ..good }.vortons()), "spacing");
    assert_eq!(field(VortexRing { thickness: 0.1, spacing: 0.9, ..good }.vortons()), "spacing");
    assert_eq!(field(JetRing { thickness: f32::NAN, ..jet(Vec3::Z, 0.1) }.vortons()), "thickness");
    assert_eq!(field(VortexTube { variation: -0.5, ..tube(Vec3::Z, 0.1) }.vortons()), "variation");
    assert_eq!(field(VortexTube { diameter: 0.1, ..tube(Vec3::Z, 0.5) }.vortons()), "spacing");
    assert_eq!(field(VortexSheet { direction: Vec3::Z, ..sheet(0.1) }.vortons()), "direction");
    assert_eq!(field(VortexSheet { thickness: 0.01, ..sheet(0.5) }.vortons()), "spacing");
    assert_eq!(field(filament(Vec3::Z, 2).vortons()), "count");
    assert_eq!(field(filament(Vec3::Z, MAX_INITIAL_VORTONS as u32 + 1).vortons()), "count");
    let flat =
        Noise { centre: CENTRE, extent: Vec3::new(1.0, 0.0, 1.0), spacing: 0.1, amplitude: 1.0, seed: 0 };
    assert_eq!(field(flat.vortons()), "extent.y");
    let text = VortexRing { thickness: 1.5, ..good }.vortons().unwrap_err().to_string();
    assert_eq!(text, "thickness is 1.5, must be at most the radius");
}

#[test]
fn a_disturbance_keeps_total_strength_and_mass() {
    let ball = DensityBall {
        centre: CENTRE,
        radius: 1.0,
        density_deviation: 0.2,
        spacing: 0.125,
        core_radius: 0.1875,
        profile: DensityProfile::TopHat,
        dye: 1.0,
        fuel: 0.0,
    };
    let disturbance = Disturbance { position: 0.5, strength: 0.2, seed: 7 };
    let mut vortons = [ring(Vec3::X, 0.1).vortons().unwrap(), ball.vortons().unwrap()].concat();
    let before = vortons.clone();
    disturbance.apply(0.1, &mut vortons).unwrap();

    let strengths: f64 = before.iter().map(|v| f64::from(v.strength.length())).sum();
    let mass = |of: &[Vorton]| of.iter().map(|v| f64::from(v.mass_deviation)).sum::<f64>();
    assert!((total(&vortons) - total(&before)).length() < ROUND_OFF * strengths);
    assert!((mass(&vortons) / mass(&before) - 1.0).abs() < ROUND_OFF);

    // Uniform distributions: at most half of the width to either side, and a variance of width² / 12.
    let moves: Vec<_> = vortons.iter().zip(&before).map(|(v, b)| (v.position - b.position) / 0.1).collect();
    assert!(moves.iter().all(|d| d.abs().max_element() <= 0.25 + 1e-4));
    let variance =
        moves.iter().map(|d| f64::from(d.length_squared())).sum::<f64>() / (3 * moves.len()) as f64;
    assert!((variance * 12.0 / 0.25 - 1.0).abs() < 0.05, "variance {variance}");
    let heavy = vortons.iter().zip(&before).filter(|(_, b)| b.mass_deviation != 0.0);
    let changes: Vec<_> = heavy.map(|(v, b)| v.mass_deviation / b.mass_deviation - 1.0).collect();
    assert!(changes.iter().all(|change| change.abs() < 0.105));
    let variance = changes.iter().map(|c| f64::from(c * c)).sum::<f64>() / changes.len() as f64;
    assert!((variance * 12.0 / 0.04 - 1.0).abs() < 0.05, "variance {variance}");
}

#[test]
fn disturbances_depend_on_their_seed_alone_and_zero_changes_nothing() {
    let undisturbed = ring(Vec3::Y, 0.1).vortons().unwrap();
    let disturbed = |position, strength, seed| {
        let mut vortons = undisturbed.clone();
        Disturbance { position, strength, seed }.apply(0.1, &mut vortons).unwrap();
        vortons
    };
    assert_eq!(disturbed(0.0, 0.0, 1), undisturbed);
    assert_eq!(disturbed(0.5, 0.2, 1), disturbed(0.5, 0.2, 1));
    assert_ne!(disturbed(0.5, 0.2, 1), disturbed(0.5, 0.2, 2));
    for (position, strength) in [(-0.1, 0.0), (1.5, 0.0), (0.0, -0.1), (0.0, 1.1), (f32::NAN, 0.0)] {
        let mut vortons = undisturbed.clone();
        let refused = Disturbance { position, strength, seed: 1 }.apply(0.1, &mut vortons);
        assert!(refused.is_err());
        assert_eq!(vortons, undisturbed);
    }
}
