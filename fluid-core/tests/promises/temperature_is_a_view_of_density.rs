//! Equations of state: round trips, excess heat, and bounds (validation H2).

use fluid_core::density::{Ambient, EquationOfState, Stratification};
use fluid_core::particles::Vorton;
use glam::Vec3;

const AMBIENT: Ambient = Ambient {
    density: 1.2,
    temperature: 300.0,
    stratification: Stratification::None,
    origin: glam::DVec3::ZERO,
};
const LIQUID: EquationOfState = EquationOfState::Linear { expansion: 2e-4 };

#[test]
fn there_and_back() {
    for state in [EquationOfState::IdealGas, LIQUID] {
        for temperature in [150.0, 299.0, 300.0, 301.0, 450.0, 900.0] {
            let back = state.temperature(&AMBIENT, state.density(&AMBIENT, temperature));
            assert!(
                (back / temperature - 1.0).abs() < 1e-3 * 300.0 / temperature,
                "{state:?}: {temperature} K became {back} K"
            );
        }
        assert_eq!(state.density(&AMBIENT, 300.0), AMBIENT.density);
        assert_eq!(state.mass_deviation(&AMBIENT, 2.0, 300.0), 0.0);
    }
    let twice_as_warm = EquationOfState::IdealGas.mass_deviation(&AMBIENT, 2.0, 600.0);
    assert!((twice_as_warm + 0.5 * 1.2 * 2.0).abs() < 1e-6);
}

/// Σ ρ V (T − T₀) = −T₀ Σ m' for an ideal gas, exactly: conservation of m' is conservation of heat.
#[test]
fn mass_deviation_is_excess_heat() {
    let state = EquationOfState::IdealGas;
    for temperature in [30.0, 250.0, 301.0, 600.0, 3000.0_f32] {
        let volume = 0.3;
        let heat = state.density(&AMBIENT, temperature) * volume * (temperature - 300.0);
        let expected = -300.0 * state.mass_deviation(&AMBIENT, volume, temperature);
        assert!(
            (heat - expected).abs() <= 1e-4 * expected.abs(),
            "{temperature} K: {heat} instead of {expected}"
        );
    }
}

#[test]
fn temperature_is_positive_and_finite_for_any_density() {
    let densities =
        [-1e38, -1.0, 0.0, 1e-38, 1e-3, 1.2, 5.0, 1e6, 1e38, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    for state in [EquationOfState::IdealGas, LIQUID, EquationOfState::Linear { expansion: 1e-30 }] {
        for density in densities {
            let temperature = state.temperature(&AMBIENT, density);
            assert!(
                temperature > 0.0 && temperature.is_finite(),
                "{state:?}: {density} gives {temperature} K"
            );
        }
        for temperature in [-1e38, 0.0, 1e-20, 1e38, f32::INFINITY, f32::NAN] {
            let density = state.density(&AMBIENT, temperature);
            assert!(density > 0.0, "{state:?}: {temperature} K gives {density}");
        }
    }
}

/// Weight, density and temperature of a vorton in a stratified ambient.
#[test]
fn of_a_vorton_in_layers() {
    let gradient = Vec3::new(0.0, 0.0, -0.1);
    let ambient = Ambient { stratification: Stratification::Linear { gradient }, ..AMBIENT };
    let vorton = Vorton { position: Vec3::Z, volume: 0.5, mass_deviation: -0.1, ..Vorton::default() };
    assert!((ambient.density_of(&vorton) - (1.2 - 0.1 - 0.2)).abs() < 1e-6);
    assert!((ambient.mass_of(&vorton) - 0.5 * ambient.density_of(&vorton)).abs() < 1e-6);
    let kelvin = EquationOfState::IdealGas.temperature(&ambient, ambient.density_of(&vorton));
    assert!((kelvin - 300.0 * 1.2 / 0.9).abs() < 1e-3, "{kelvin}");
    let point = Vorton { volume: 0.0, ..vorton };
    assert_eq!(ambient.density_of(&point), ambient.density_at(Vec3::Z));
}
