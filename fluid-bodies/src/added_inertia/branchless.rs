//! Logarithm and arctangent without branches, so that loops over them vectorise: the same bits on every
//! processor.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// ln 2, as a sum of a part with trailing zeros and the rest.
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Coefficients of log((1 + s)/(1 − s))/s − 2 in powers of s², from FreeBSD's `e_log.c`.
const LOG: [f64; 7] = [
    6.666_666_666_666_735e-1,
    3.999_999_999_940_942e-1,
    2.857_142_874_366_239e-1,
    2.222_219_843_214_978_4e-1,
    1.818_357_216_161_805e-1,
    1.531_383_769_920_937_3e-1,
    1.479_819_860_511_658_6e-1,
];
/// Bits of 1, and of the high half of √½.
const ONE: u64 = 0x3ff0_0000_0000_0000;
const ROOT: u64 = 0x3fe6_a09e_0000_0000;
const MANTISSA: u64 = 0x000f_ffff_ffff_ffff;
/// Bits of 2⁵²: with an integer in the mantissa, they are the sum of both.
const INTEGER: u64 = 0x4330_0000_0000_0000;

/// Returns ln x for a normal x of at least √½.
#[inline(always)]
pub(super) fn log(x: f64) -> f64 {
    // x = 2^k (1 + f), with 1 + f from √½ to √2.
    let bits = x.to_bits() + (ONE - ROOT);
    let k = f64::from_bits(INTEGER | (bits >> 52)) - (f64::from_bits(INTEGER) + 1023.0);
    let f = f64::from_bits((bits & MANTISSA) + ROOT) - 1.0;
    let half = 0.5 * f * f;
    let s = f / (2.0 + f);
    let z = s * s;
    let [a, b, c, d, e, g, h] = LOG;
    let series = z * (a + z * (b + z * (c + z * (d + z * (e + z * (g + z * h))))));
    s * (half + series) + k * LN_2_LOW - half + f + k * LN_2_HIGH
}

/// Coefficients of (arctan t / t − 1)/t² up to 0.66, numerator and denominator in falling powers of t², from
/// Cephes' `atan.c`.
const ABOVE: [f64; 5] = [
    -8.750_608_600_031_904e-1,
    -1.615_753_718_733_365e1,
    -7.500_855_792_314_705e1,
    -1.228_866_684_490_136_2e2,
    -6.485_021_904_942_025e1,
];
const BELOW: [f64; 5] = [
    2.485_846_490_142_306_4e1,
    1.650_270_098_316_988_6e2,
    4.328_810_604_912_902_6e2,
    4.853_903_996_359_137e2,
    1.945_506_571_482_614e2,
];
/// Largest argument of that fraction.
const MOST: f64 = 0.66;

/// Returns the angle of the point (x, y) from the x axis; 0 at the origin.
#[inline(always)]
pub(super) fn atan2(y: f64, x: f64) -> f64 {
    let (across, along) = (y.abs(), x.abs());
    let is_steep = across > along;
    let (small, large) = if is_steep { (along, across) } else { (across, along) };
    let is_half = small > MOST * large;
    let above = if is_half { small - large } else { small };
    let below = if is_half { small + large } else { large };
    let t = above / below.max(f64::MIN_POSITIVE);
    let z = t * t;
    let [a, b, c, d, e] = ABOVE;
    let above = (((a * z + b) * z + c) * z + d) * z + e;
    let [a, b, c, d, e] = BELOW;
    let below = ((((z + a) * z + b) * z + c) * z + d) * z + e;
    let angle = t + t * (z * above / below) + if is_half { FRAC_PI_4 } else { 0.0 };
    let angle = if is_steep { FRAC_PI_2 - angle } else { angle };
    let angle = if x < 0.0 { PI - angle } else { angle };
    angle.copysign(y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluid_core::math::Random;

    #[test]
    fn they_agree_with_libm() {
        let random = Random::new(4);
        for i in 0..100_000 {
            let unit = |k: u64| f64::from(random.unit(3 * i + k));
            let x = libm::exp(unit(0) * 37.0) - 0.29;
            let (found, exact) = (log(x), libm::log(x));
            assert!((found - exact).abs() <= 4e-16 * exact.abs().max(0.1), "{x}: {found} or {exact}");
            let turn = (unit(1) - 0.5) * 2.0 * PI;
            let (x, y) = (x * libm::cos(turn), x * libm::sin(turn));
            let (found, exact) = (atan2(y, x), libm::atan2(y, x));
            assert!((found - exact).abs() <= 9e-16 * exact.abs(), "{y} {x}: {found} or {exact}");
        }
        for (y, x) in [(0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (0.0, 0.0)]
        {
            assert!((atan2(y, x) - libm::atan2(y, x)).abs() < 1e-15, "{y} {x}");
        }
        assert_eq!(log(1.0), 0.0);
    }
}
