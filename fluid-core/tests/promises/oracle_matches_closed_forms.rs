//! The f64 direct sum, the reference of all tests, matches the closed forms in the literature (R1).

use crate::common::{filament_ring, oracle, random_cloud};
use fluid_core::velocity::{DirectOracle, Kernel};
use glam::{DMat3, DVec3, Vec3};
use std::f64::consts::{FRAC_1_SQRT_2, PI};

fn assert_close(value: f64, exact: f64, bound: f64, what: &str) {
    assert!((value - exact).abs() <= bound, "{what}: {value} is not {exact} to {bound:e}");
}

/// Distances from well inside the core to far outside \[σ\].
const DISTANCES: [f64; 9] = [0.01, 0.1, 0.3, 0.7, 0.999, 1.001, 2.0, 7.0, 30.0];

#[test]
fn q_is_the_table() {
    for rho in DISTANCES {
        let s: f64 = rho * rho + 1.0;
        assert_close(Kernel::RosenheadMoore.q(rho), rho.powi(3) / s.powf(1.5), 1e-15, "Rosenhead-Moore");
        let high_order = rho.powi(3) * (rho * rho + 2.5) / s.powf(2.5);
        assert_close(Kernel::WinckelmansLeonard.q(rho), high_order, 1e-15, "Winckelmans-Leonard");
        assert_close(
            Kernel::RigidCore.q(rho),
            if rho < 1.0 { rho.powi(3) } else { 1.0 },
            1e-15,
            "rigid core",
        );
        for kernel in Kernel::ALL {
            assert_close(kernel.q_over_cube(rho) * rho.powi(3) / kernel.q(rho), 1.0, 1e-14, "q/ρ³");
        }
    }
    assert_close(Kernel::WinckelmansLeonard.q(1.0), 0.61872, 5e-6, "q(1)");
}

#[test]
fn far_fields_are_of_the_stated_order() {
    // 1 - q → (15/8) ρ⁻⁴ and (3/2) ρ⁻²; the next terms are smaller by ρ⁻², so 2e-3 at ρ = 50.
    assert_close(
        (1.0 - Kernel::WinckelmansLeonard.q(50.0)) * 50.0_f64.powi(4),
        15.0 / 8.0,
        4e-3,
        "high order",
    );
    assert_close((1.0 - Kernel::RosenheadMoore.q(50.0)) * 50.0_f64.powi(2), 1.5, 3e-3, "low order");
    assert_eq!(Kernel::RigidCore.q(50.0), 1.0);
    for kernel in Kernel::ALL {
        assert_close(kernel.green(1e3) * 4.0 * PI * 1e3, 1.0, 1e-6, "ψ far away");
    }
}

#[test]
fn slope_and_potential_belong_to_q() {
    let step = 1e-5;
    let slope = |f: &dyn Fn(f64) -> f64, x: f64| (f(x + step) - f(x - step)) / (2.0 * step);
    for kernel in Kernel::ALL {
        for rho in DISTANCES {
            let exact = rho * kernel.q_over_cube_slope(rho);
            // Central differences: step² f''' /6 and round-off 1e-16/step, both about 1e-11 of the values at
            // the centre.
            assert_close(slope(&|x| kernel.q_over_cube(x), rho), exact, 1e-8, "d(q/ρ³)/dρ");
            assert_close(
                slope(&|x| kernel.green(x), rho),
                -kernel.q(rho) / (4.0 * PI * rho * rho),
                1e-8,
                "dG/dρ",
            );
        }
    }
    // dq/dρ = 4πρ² ζ, with ζ the blob function of the table.
    for rho in DISTANCES {
        let blob = 15.0 / (8.0 * PI) * (1.0 + rho * rho).powf(-3.5);
        let slope = slope(&|x| Kernel::WinckelmansLeonard.q(x), rho);
        assert_close(slope, 4.0 * PI * rho * rho * blob, 1e-8, "dq/dρ");
    }
}

#[test]
fn one_vorton_peaks_where_the_table_says() {
    // (kernel, radius of the peak [σ], peak speed [α/4πσ²]).
    let table = [
        (Kernel::WinckelmansLeonard, 0.5716, 0.79693),
        (Kernel::RosenheadMoore, FRAC_1_SQRT_2, 2.0 / 27.0_f64.sqrt()),
        (Kernel::RigidCore, 1.0, 1.0),
    ];
    let (core, strength) = (0.3_f32, Vec3::new(0.0, 0.0, 2.0));
    for (kernel, radius, peak) in table {
        let vorton = fluid_core::particles::Vorton { strength, ..Default::default() };
        let oracle = oracle(kernel, core, &[vorton]);
        let sigma = oracle.core_radius;
        let speed = |rho: f64| oracle.velocity(DVec3::X * rho * sigma).y * 4.0 * PI * sigma * sigma / 2.0;
        assert_close(speed(radius), peak, 1e-5, "peak speed");
        for i in 1..4000 {
            let rho = f64::from(i) * 1e-3;
            assert_close(speed(rho), kernel.q(rho) / (rho * rho), 1e-13, "speed beside the vorton");
            assert!(speed(rho) <= peak + 1e-5, "{kernel:?} is faster at {rho} than at its peak");
        }
        assert_eq!(oracle.velocity(DVec3::ZERO), DVec3::ZERO);
    }
}

/// Returns vortons every `spacing` along z from -`half_length` to `half_length`, Γ = 1, σ = 1, centred in
/// their cells.
fn straight_filament(kernel: Kernel, half_length: f64, spacing: f64) -> DirectOracle {
    let count = (2.0 * half_length / spacing).round() as i64;
    let place = |i| DVec3::Z * (-half_length + (i as f64 + 0.5) * spacing);
    let vortons = (0..count).map(|i| (place(i), DVec3::Z * spacing)).collect();
    DirectOracle { kernel, core_radius: 1.0, vortons }
}

#[test]
fn an_infinite_filament_spins_as_in_the_table() {
    // u_θ 2πr/Γ as a function of (r/σ)².
    type Share = fn(f64) -> f64;
    let table: [(Kernel, Share); 3] = [
        (Kernel::WinckelmansLeonard, |r2| r2 * (r2 + 2.0) / ((r2 + 1.0) * (r2 + 1.0))),
        (Kernel::RosenheadMoore, |r2| r2 / (r2 + 1.0)),
        (Kernel::RigidCore, |r2| if r2 < 1.0 { 1.0 - (1.0 - r2).powf(1.5) } else { 1.0 }),
    ];
    let half_length = 200.0;
    for (kernel, share) in table {
        // The sum over a smooth kernel converges exponentially once the spacing is below σ; the rigid core
        // has a kink at σ and converges with the square of the spacing.
        let (spacing, bound) = if kernel == Kernel::RigidCore { (0.01, 1e-4) } else { (0.125, 1e-7) };
        let oracle = straight_filament(kernel, half_length, spacing);
        for r in [0.3, 0.9, 1.5, 3.0] {
            // The missing ends are singular filaments at large distance: r/(4πL²); corrections of relative
            // size r²/L² (and σ²/L²) are neglected.
            let ends = r / (4.0 * PI * half_length * half_length);
            let velocity = oracle.velocity(DVec3::X * r);
            assert_close((velocity.y + ends) * 2.0 * PI * r, share(r * r), bound, "u_θ 2πr/Γ");
            assert_close(velocity.x.abs() + velocity.z.abs(), 0.0, 1e-15, "other components");
        }
    }
}

#[test]
fn a_finite_filament_is_the_closed_form_at_its_middle() {
    let half_length = 20.0;
    // The midpoint rule errs by spacing²/24 times the slope at the ends, r/L⁴: far below the bound.
    let oracle = straight_filament(Kernel::RosenheadMoore, half_length, 0.1);
    for r in [0.2, 1.0, 4.0, 20.0_f64] {
        let l2 = half_length * half_length;
        let exact = r * half_length / (2.0 * PI * (r * r + 1.0) * (l2 + r * r + 1.0).sqrt());
        assert_close(oracle.velocity(DVec3::X * r).y / exact, 1.0, 1e-6, "u_θ of a finite filament");
    }
}

#[test]
fn the_gradient_is_the_slope_of_the_velocity() {
    // The rigid core's gradient jumps at σ, so a difference quotient across it is meaningless; the other
    // two are smooth.
    for kernel in [Kernel::WinckelmansLeonard, Kernel::RosenheadMoore] {
        let oracle = oracle(kernel, 0.2, &random_cloud(50, 5));
        for target in random_cloud(50, 6) {
            let (x, step) = (target.position.as_dvec3(), 1e-5);
            let slope = |axis: DVec3| {
                (oracle.velocity(x + axis * step) - oracle.velocity(x - axis * step)) / (2.0 * step)
            };
            let slopes = DMat3::from_cols(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z));
            let gradient = oracle.gradient(x);
            // step² f'''/6 with f''' about 1e3 here.
            assert!(gradient.abs_diff_eq(slopes, 1e-6), "{kernel:?}: {gradient} is not {slopes}");
            let divergence = gradient.x_axis.x + gradient.y_axis.y + gradient.z_axis.z;
            assert_close(divergence, 0.0, 1e-12, "divergence");
        }
    }
}

#[test]
fn a_rigid_core_turns_rigidly() {
    let strength = DVec3::new(0.3, -0.7, 0.5);
    let oracle =
        DirectOracle { kernel: Kernel::RigidCore, core_radius: 2.0, vortons: vec![(DVec3::X, strength)] };
    let rotation = strength / (4.0 * PI * 8.0);
    for d in [DVec3::Y, DVec3::new(0.1, 0.4, -1.0), DVec3::Z * 1.9] {
        assert!(oracle.velocity(DVec3::X + d).abs_diff_eq(rotation.cross(d), 1e-15));
        let gradient = oracle.gradient(DVec3::X + d);
        assert!((gradient * DVec3::X).abs_diff_eq(rotation.cross(DVec3::X), 1e-15));
        assert!((gradient * DVec3::Y).abs_diff_eq(rotation.cross(DVec3::Y), 1e-15));
    }
}

#[test]
fn a_ring_is_exact_on_its_axis_for_any_number_of_vortons() {
    for kernel in Kernel::ALL {
        for count in [3, 4, 7, 64] {
            let (radius, core) = (1.3, 0.4_f32);
            let oracle = oracle(kernel, core, &filament_ring(Vec3::ZERO, Vec3::Z, radius, 1.0, count));
            for z in [-1.5, 0.0, 0.5, 4.0] {
                let d = f64::hypot(radius, z);
                let exact = 0.5 * radius * radius * d.powi(-3) * kernel.q(d / f64::from(core));
                let velocity = oracle.velocity(DVec3::Z * z);
                // The ring itself is stored in f32: a few 1e-8 of its radius and strength.
                assert!(
                    velocity.abs_diff_eq(DVec3::Z * exact, 2e-7),
                    "{kernel:?} N={count} z={z}: {velocity} is not {exact}"
                );
            }
        }
    }
}
