//! The density changes that `Stratification::changes` returns for two layers sum to their density
//! difference, and so do their moments (E27): these sums determine the lift of bodies.

use fluid_core::density::Stratification;
use glam::Vec3;

const JUMP: f32 = 0.7;
const THICKNESS: f32 = 0.2;

/// Heights above the middle of the interface \[m\]: all of it, its halves, parts, and spans beside it.
const SPANS: [(f64, f64); 7] =
    [(-9.0, 9.0), (-9.0, 0.0), (0.0, 9.0), (-0.1, 0.15), (0.05, 0.3), (-0.5, -0.2), (-0.01, 0.01)];

/// Returns ½ jump · tanh(z / thickness), as in `deviation`.
fn density(z: f64) -> f64 {
    0.5 * f64::from(JUMP) * (z / f64::from(THICKNESS)).tanh()
}

/// Returns ∫ z dρ, up to a constant: ½ jump · (z tanh(z/t) − t ln cosh(z/t)).
fn first_moment(z: f64) -> f64 {
    let (t, y) = (f64::from(THICKNESS), (z / f64::from(THICKNESS)).abs());
    // ln cosh y without overflow.
    let log = y + (-2.0 * y).exp().ln_1p() - std::f64::consts::LN_2;
    0.5 * f64::from(JUMP) * t * (y * y.tanh() - log)
}

fn layers() -> Stratification {
    Stratification::Layers { normal: Vec3::Z, height: 1.5, jump: JUMP, thickness: THICKNESS }
}

#[test]
fn the_formula_is_that_of_the_fluid() {
    for z in [-3.0_f32, -0.2, 0.0, 0.07, 1.0] {
        let deviation = layers().deviation(Vec3::new(0.3, -2.0, 1.5 + z));
        assert!((f64::from(deviation) - density(f64::from(z))).abs() < 1e-6, "{z}: {deviation}");
    }
}

#[test]
fn within_a_span_and_beyond_it() {
    let scale = f64::from(JUMP);
    for (low, high) in SPANS {
        let changes = layers().changes(low, high).expect("there are layers");
        let (beyond, within) = changes.split_last().expect("there are changes");
        assert_eq!(beyond.0, high);
        let rest = 0.5 * scale - density(high);
        assert!((beyond.1 - rest).abs() < 1e-9 * scale, "beyond {high}: {} instead of {rest}", beyond.1);
        let sum: f64 = within.iter().map(|change| change.1).sum();
        let exact = density(high) - density(low);
        // tanh in f64 against the f32 parameters, which are the same numbers here.
        assert!((sum - exact).abs() < 1e-9 * scale, "{low} to {high}: {sum} instead of {exact}");
        let moment: f64 = within.iter().map(|change| change.0 * change.1).sum();
        let exact = first_moment(high) - first_moment(low);
        // Guarantee of `changes`: 1e-5 of the largest value, here at the end of an interface.
        let most = 1e-5 * scale * 6.0 * f64::from(THICKNESS);
        assert!((moment - exact).abs() < most, "{low} to {high}: moment {moment} instead of {exact}");
        assert!(within.iter().all(|change| (low..=high).contains(&change.0) && change.1 >= 0.0));
    }
}

#[test]
fn none_without_layers() {
    assert!(Stratification::None.changes(-1.0, 1.0).is_none());
    assert!(Stratification::Linear { gradient: Vec3::Z }.changes(-1.0, 1.0).is_none());
}
