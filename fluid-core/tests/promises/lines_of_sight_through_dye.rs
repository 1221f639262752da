//! Integrals of dye and density along lines match the prescribed drop: a Gaussian of standard deviation s
//! and peak c has c s √(2π) exp(-b²/2s²) along a line at distance b.

use fluid_core::boundary::NoBodies;
use fluid_core::initial::{DensityBall, DensityProfile};
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::FieldSampling;
use fluid_threads::Serial;
use glam::{Quat, Vec2, Vec3};

const DEVIATION: f32 = 0.1;
const S: f32 = 0.4;

fn drop_at(centre: Vec3) -> DensityBall {
    DensityBall {
        centre,
        radius: S,
        density_deviation: DEVIATION,
        spacing: 0.1,
        core_radius: 0.15,
        profile: DensityProfile::Gaussian,
        dye: 1.0,
        fuel: 0.0,
    }
}

/// Drops at rest, as sampled by hosts.
fn world(centres: &[Vec3], field_sampling: FieldSampling) -> VortexSim {
    let params = Params { core_radius: 0.15, field_sampling, max_vortons: 40_000, ..Params::default() };
    let mut sim = VortexSim::new(params).unwrap();
    for centre in centres {
        sim.add_vortons(&drop_at(*centre).vortons().unwrap()).unwrap();
    }
    sim.step(&Serial, &mut NoBodies, 0.01).unwrap();
    sim
}

fn exact(distance: f32) -> Vec2 {
    let along = S * std::f32::consts::TAU.sqrt() * (-0.5 * (distance / S).powi(2)).exp();
    Vec2::new(DEVIATION, 1.0) * along
}

/// Returns a line of `length` through a point at `distance` from the centre, in any direction.
fn line(centre: Vec3, distance: f32, length: f32, turn: Quat) -> (Vec3, Vec3) {
    let (middle, half) = (turn * Vec3::new(distance, 0.0, 0.0), turn * Vec3::new(0.0, 0.5 * length, 0.0));
    (centre + middle - half, centre + middle + half)
}

fn turns() -> impl Iterator<Item = Quat> {
    [(0.0, 0.0), (0.3, 1.1), (1.6, 0.2), (2.8, 2.3), (4.0, 0.9)]
        .into_iter()
        .map(|(yaw, pitch)| Quat::from_rotation_z(yaw) * Quat::from_rotation_x(pitch))
}

#[test]
fn a_gaussian_drop_is_as_thick_as_it_is() {
    let centre = Vec3::new(0.3, -0.2, 1.7);
    for sampling in [FieldSampling::Trilinear, FieldSampling::QuadraticSpline] {
        let sim = world(&[centre], sampling);
        for turn in turns() {
            for distance in [0.0, 0.2, 0.4, 0.8] {
                let (from, to) = line(centre, distance, 20.0, turn);
                let found = sim.field().line_integral(from, to);
                // Relative to the thickest line.
                let off = (found - exact(distance)) / exact(0.0);
                assert!(off.abs().max_element() < 0.012, "{sampling:?}, {distance}: {found} off by {off}");
                assert!((sim.field().line_integral(to, from) - found).length() < 1e-5 * exact(0.0).y);
            }
        }
    }
}

#[test]
fn parts_of_a_line_add_up() {
    let centre = Vec3::new(-0.7, 0.1, 0.2);
    let sim = world(&[centre], FieldSampling::Trilinear);
    for turn in turns() {
        let (from, to) = line(centre, 0.15, 3.0, turn);
        let whole = sim.field().line_integral(from, to);
        let parts: Vec2 = (0..7)
            .map(|k| {
                let at = |k: i32| from.lerp(to, k as f32 / 7.0);
                sim.field().line_integral(at(k), at(k + 1))
            })
            .sum();
        assert!((parts - whole).length() < 0.01 * whole.length(), "{parts} and {whole}");
        // Half of it up to the middle.
        let half = sim.field().line_integral(from, 0.5 * (from + to));
        assert!((half / whole - 0.5).abs().max_element() < 0.02, "{half} of {whole}");
    }
}

#[test]
fn drops_far_from_each_other_add_up_and_misses_are_clear() {
    let centres = [Vec3::ZERO, Vec3::new(300.0, 0.0, 0.0)];
    let sim = world(&centres, FieldSampling::Trilinear);
    assert_eq!(sim.field().scalar_grid().others().len(), 1);
    let through_both = sim.field().line_integral(Vec3::NEG_X * 50.0, Vec3::X * 400.0);
    assert!((through_both.y / (2.0 * exact(0.0).y) - 1.0).abs() < 0.012, "{through_both}");
    let clear = [
        (Vec3::new(10.0, -5.0, 0.0), Vec3::new(10.0, 5.0, 0.0)),
        (Vec3::NEG_X * 1e30, Vec3::NEG_X * 10.0),
        (Vec3::ONE, Vec3::ONE),
        (Vec3::NAN, Vec3::ZERO),
        (Vec3::ZERO, Vec3::new(f32::INFINITY, 0.0, 0.0)),
    ];
    for (from, to) in clear {
        assert_eq!(sim.field().line_integral(from, to), Vec2::ZERO, "{from} to {to}");
    }
    // From a thousand kilometres away, through the middle.
    let far = sim.field().line_integral(Vec3::Z * -1e6, Vec3::Z * 1e6);
    assert!((far.y / exact(0.0).y - 1.0).abs() < 0.012, "{far}");
}

/// Lines as long as floats go.
#[test]
fn endless_lines_see_what_they_pass() {
    let sim = world(&[Vec3::new(0.3, -0.2, 1.7)], FieldSampling::Trilinear);
    for end in [1e3, 1e9, 1e17, 1e30, f32::MAX] {
        for [from, to] in [[-end, end], [end, -0.5 * end], [0.3, end]] {
            let found = sim.field().line_integral(Vec3::new(from, -0.2, 1.7), Vec3::new(to, -0.2, 1.7));
            let expected = exact(0.0) * if from == 0.3 { 0.5 } else { 1.0 };
            assert!((found - expected).abs().max_element() < 0.012 * expected.y, "{from} to {to}: {found}");
        }
        let beside = sim.field().line_integral(Vec3::new(-end, 9.0, 1.7), Vec3::new(end, 9.0, 1.7));
        assert_eq!(beside, Vec2::ZERO, "{end}");
    }
    // In any direction: such lines pass through the origin, or nearly so.
    let sim = world(&[Vec3::ZERO], FieldSampling::Trilinear);
    for way in [Vec3::new(0.3, 0.7, 0.1), Vec3::new(1.0, 2.0, 3.0), Vec3::new(-0.9, 0.01, 0.4)] {
        for length in [1e3, 1e9, 1e17, 1e30] {
            let found = sim.field().line_integral(-length * way, length * way);
            assert!((found / exact(0.0) - 1.0).abs().max_element() < 0.012, "{way} {length}: {found}");
            let beside = sim.field().line_integral(Vec3::Z * 9.0, length * way);
            assert!(beside.length() < 1.1 * exact(0.0).length(), "{way} {length}: {beside}");
        }
    }
}
