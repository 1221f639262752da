//! The mollified Biot-Savart kernel (E3): one vorton of strength α at distance r induces u = α × d q(r/σ) /
//! (4π r³). Every solver and every oracle takes its kernel from here.

use crate::lanes::Lanes;
use std::f64::consts::PI;

/// Smoothing of the singularity of the Biot-Savart law over the core radius σ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kernel {
    /// High-order algebraic (Winckelmans and Leonard 1993): the far field is exact to (σ/r)⁴.
    #[default]
    WinckelmansLeonard,
    /// Rosenhead-Moore (Plummer), low-order algebraic: the far field is exact to (σ/r)².
    RosenheadMoore,
    /// The articles' core: rigid rotation inside σ, a singular vorton outside. Not smooth, so rings need
    /// overlap 2 and more.
    RigidCore,
}

crate::saved::variants!(Kernel { WinckelmansLeonard, RosenheadMoore, RigidCore });

impl Kernel {
    /// All kernels.
    pub const ALL: [Self; 3] = [Self::WinckelmansLeonard, Self::RosenheadMoore, Self::RigidCore];

    /// Returns the distance \[core radii\] from which 98 % of the strength acts, as that of a point.
    pub(super) fn like_points_from(self) -> f32 {
        match self {
            Self::WinckelmansLeonard | Self::RigidCore => 3.0,
            Self::RosenheadMoore => 8.0,
        }
    }

    /// Returns q(ρ), the fraction of the strength that acts at distance ρ = r/σ: 0 at the centre, 1 far
    /// away (E3).
    pub fn q(self, rho: f64) -> f64 {
        let s = rho * rho + 1.0;
        match self {
            Self::WinckelmansLeonard => rho.powi(3) * (rho * rho + 2.5) / (s * s * s.sqrt()),
            Self::RosenheadMoore => rho.powi(3) / (s * s.sqrt()),
            Self::RigidCore => rho.min(1.0).powi(3),
        }
    }

    /// Returns q(ρ)/ρ³ without cancellation at the centre.
    pub fn q_over_cube(self, rho: f64) -> f64 {
        self.q_over_cube_of_square(rho * rho)
    }

    /// As [`q_over_cube`](Self::q_over_cube), from ρ².
    #[inline]
    pub fn q_over_cube_of_square(self, square: f64) -> f64 {
        let s = square + 1.0;
        match self {
            Self::WinckelmansLeonard => (square + 2.5) / (s * s * s.sqrt()),
            Self::RosenheadMoore => 1.0 / (s * s.sqrt()),
            Self::RigidCore => {
                let outside = square.max(1.0);
                1.0 / (outside * outside.sqrt())
            }
        }
    }

    /// As [`q_over_cube_of_square`](Self::q_over_cube_of_square), in f32.
    #[inline(always)]
    pub fn q_over_cube_of_square_in_f32(self, square: f32) -> f32 {
        let s = square + 1.0;
        match self {
            Self::WinckelmansLeonard => (square + 2.5) / (s * s * s.sqrt()),
            Self::RosenheadMoore => 1.0 / (s * s.sqrt()),
            Self::RigidCore => {
                let outside = square.max(1.0);
                1.0 / (outside * outside.sqrt())
            }
        }
    }

    /// Returns (d/dρ (q/ρ³)) / ρ, the factor of the velocity gradient (E4).
    pub fn q_over_cube_slope(self, rho: f64) -> f64 {
        let s = rho * rho + 1.0;
        match self {
            Self::WinckelmansLeonard => -(3.0 * s + 7.5) / (s * s * s * s.sqrt()),
            Self::RosenheadMoore => -3.0 / (s * s * s.sqrt()),
            Self::RigidCore if rho > 1.0 => -3.0 * rho.powi(-5),
            Self::RigidCore => 0.0,
        }
    }

    /// Returns Green's function of the vector potential for unit core radius, G(ρ) with ψ = α G(r/σ)/σ,
    /// from which energy is computed (E8).
    pub fn green(self, rho: f64) -> f64 {
        self.green_of_square(rho * rho)
    }

    /// As [`green`](Self::green), from ρ².
    #[inline]
    pub fn green_of_square(self, square: f64) -> f64 {
        let s = square + 1.0;
        let four_pi_g = match self {
            Self::WinckelmansLeonard => (square + 1.5) / (s * s.sqrt()),
            Self::RosenheadMoore => 1.0 / s.sqrt(),
            Self::RigidCore if square > 1.0 => 1.0 / square.sqrt(),
            Self::RigidCore => 1.5 - 0.5 * square,
        };
        four_pi_g / (4.0 * PI)
    }

    /// Returns 4π times Green's function, from ρ² and in f32.
    #[inline(always)]
    pub fn four_pi_green_of_square_in_f32(self, square: f32) -> f32 {
        let s = square + 1.0;
        match self {
            Self::WinckelmansLeonard => (square + 1.5) / (s * s.sqrt()),
            Self::RosenheadMoore => 1.0 / s.sqrt(),
            Self::RigidCore if square > 1.0 => 1.0 / square.sqrt(),
            Self::RigidCore => 1.5 - 0.5 * square,
        }
    }
}

/// A kernel in lanes. Lengths are in units that make σ about 1 (`SourceCloud`), so no power of it can
/// overflow.
pub(crate) trait Mollifier: Copy {
    /// Returns q/r³ at squared distance `r2`, core radius squared `core2`.
    fn velocity_factor<L: Lanes>(r2: L, core2: L) -> L;
    /// Returns q/r³ and (d/dr (q/r³)) / r.
    fn gradient_factors<L: Lanes>(r2: L, core2: L) -> (L, L);
    /// Returns 4πG(r/σ)/σ of the vector potential (E8).
    fn potential_factor<L: Lanes>(r2: L, core2: L) -> L;
}

#[derive(Clone, Copy)]
pub(crate) struct WinckelmansLeonard;
#[derive(Clone, Copy)]
pub(crate) struct RosenheadMoore;
#[derive(Clone, Copy)]
pub(crate) struct RigidCore;

impl Mollifier for WinckelmansLeonard {
    // With s = r² + σ²: q/r³ = (s + 3/2 σ²) s^(-5/2), its slope -(3 s + 15/2 σ²) s^(-7/2). Written with σ²/s,
    // which neither overflows nor underflows before the result does.
    #[inline(always)]
    fn velocity_factor<L: Lanes>(r2: L, core2: L) -> L {
        let root = r2.add(core2).inverse_sqrt();
        let inverse = root.mul(root);
        let share = core2.mul(inverse);
        root.mul(inverse).mul(share.mul_add(L::splat(1.5), L::splat(1.0)))
    }
    #[inline(always)]
    fn gradient_factors<L: Lanes>(r2: L, core2: L) -> (L, L) {
        let root = r2.add(core2).inverse_sqrt();
        let inverse = root.mul(root);
        let share = core2.mul(inverse);
        let cube = root.mul(inverse);
        let velocity = cube.mul(share.mul_add(L::splat(1.5), L::splat(1.0)));
        (velocity, cube.mul(inverse).mul(share.mul_add(L::splat(-7.5), L::splat(-3.0))))
    }
    // (s + σ²/2) s^(-3/2)
    #[inline(always)]
    fn potential_factor<L: Lanes>(r2: L, core2: L) -> L {
        let root = r2.add(core2).inverse_sqrt();
        let share = core2.mul(root.mul(root));
        root.mul(share.mul_add(L::splat(0.5), L::splat(1.0)))
    }
}

impl Mollifier for RosenheadMoore {
    #[inline(always)]
    fn velocity_factor<L: Lanes>(r2: L, core2: L) -> L {
        let root = r2.add(core2).inverse_sqrt();
        root.mul(root).mul(root)
    }
    #[inline(always)]
    fn gradient_factors<L: Lanes>(r2: L, core2: L) -> (L, L) {
        let root = r2.add(core2).inverse_sqrt();
        let inverse = root.mul(root);
        let cube = inverse.mul(root);
        (cube, cube.mul(inverse).mul(L::splat(-3.0)))
    }
    #[inline(always)]
    fn potential_factor<L: Lanes>(r2: L, core2: L) -> L {
        r2.add(core2).inverse_sqrt()
    }
}

impl Mollifier for RigidCore {
    #[inline(always)]
    fn velocity_factor<L: Lanes>(r2: L, core2: L) -> L {
        let root = r2.max(core2).inverse_sqrt();
        root.mul(root).mul(root)
    }
    #[inline(always)]
    fn gradient_factors<L: Lanes>(r2: L, core2: L) -> (L, L) {
        let root = r2.max(core2).inverse_sqrt();
        let inverse = root.mul(root);
        let cube = inverse.mul(root);
        (cube, cube.mul(inverse).mul(L::splat(-3.0)).zero_unless_greater(r2, core2))
    }
    // (3/2 - r²/2σ²)/σ inside, 1/r outside: r²/max(r², σ²) is 1 there.
    #[inline(always)]
    fn potential_factor<L: Lanes>(r2: L, core2: L) -> L {
        let root = r2.max(core2).inverse_sqrt();
        let inside = r2.mul(root.mul(root));
        root.mul(inside.mul_add(L::splat(-0.5), L::splat(1.5)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_in_f32_are_those_in_f64() {
        for kernel in [Kernel::WinckelmansLeonard, Kernel::RosenheadMoore, Kernel::RigidCore] {
            for square in (0..2000).map(|n| 0.01 * n as f32 * n as f32) {
                let near = |found: f32, exact: f64| (f64::from(found) / exact - 1.0).abs() < 1e-6;
                let exact =
                    (kernel.q_over_cube_of_square(square.into()), kernel.green_of_square(square.into()));
                let found = (
                    kernel.q_over_cube_of_square_in_f32(square),
                    kernel.four_pi_green_of_square_in_f32(square),
                );
                assert!(near(found.0, exact.0) && near(found.1, 4.0 * PI * exact.1), "{kernel:?} {square}");
            }
        }
    }
}
