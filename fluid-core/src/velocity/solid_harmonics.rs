//! Solid harmonics up to the fifth degree, and the projection of a flow on a sphere on them (E65).

use crate::lanes::{BLOCK, InstructionSet, Job, Lanes, dispatch_exact, load_each, splat_each};
use glam::Vec3;

/// Highest degree of the harmonics \[1\].
pub(super) const DEGREE: usize = 5;

/// Number of solid harmonics up to that degree \[1\].
pub(super) const HARMONICS: usize = (DEGREE + 1) * (DEGREE + 1);

/// Points of a quadrature on the unit sphere: its axes, edges and corners of a cube around it, and 24 more.
pub(super) const SPHERE_POINTS: usize = 50;

/// Factors of the solid harmonics for x, y and z.
pub(super) type Factors3 = [[f32; HARMONICS]; 3];

/// Weights of the points on axes, edges and corners \[1\], and of the others, at (±1, ±1, ±3)/√11 in any
/// order: exact up to the eleventh degree (V. I. Lebedev, Quadratures on a sphere, USSR Comput. Math. Math.
/// Phys. 16, 1976).
const WEIGHTS: [f64; 3] = [4.0 / 315.0, 64.0 / 2835.0, 27.0 / 1280.0];
const OTHER_WEIGHT: f64 = 14641.0 / 725_760.0;

/// Returns the points of the quadrature: unit vectors, with the weight of each.
fn quadrature() -> [(Vec3, f32); SPHERE_POINTS] {
    let mut points = [(Vec3::ZERO, OTHER_WEIGHT as f32); SPHERE_POINTS];
    // All of 27 cells but the middle one.
    let cells = (0..27_u8).filter(|cell| *cell != 13);
    for (point, cell) in points.iter_mut().zip(cells) {
        let way = Vec3::from([cell % 3, cell / 3 % 3, cell / 9].map(|n| f32::from(n) - 1.0));
        let others = way.to_array().into_iter().filter(|component| *component != 0.0).count();
        *point = (way / way.length(), WEIGHTS[others - 1] as f32);
    }
    for (n, (point, _)) in (0_u8..).zip(&mut points[26..]) {
        let signs = Vec3::from([n % 2, n / 2 % 2, n / 4 % 2].map(|n| 1.0 - 2.0 * f32::from(n)));
        let mut way = Vec3::ONE;
        way[usize::from(n / 8)] = 3.0;
        *point = way * signs / way.length();
    }
    points
}

/// Returns the points of a sphere of this radius at which an expansion needs the velocity \[m\].
pub(super) fn sphere_points(centre: Vec3, radius: f32) -> [Vec3; SPHERE_POINTS] {
    quadrature().map(|(direction, _)| centre + direction * radius)
}

/// Projects a flow with these velocities \[m/s\] at the [`sphere_points`] of a sphere on the harmonics.
pub(super) fn project(set: InstructionSet, velocities: &[Vec3; SPHERE_POINTS]) -> Factors3 {
    let mut factors = [[0.0; HARMONICS]; 3];
    dispatch_exact(set, ProjectionJob { velocities, factors: &mut factors });
    factors
}

struct ProjectionJob<'a> {
    velocities: &'a [Vec3; SPHERE_POINTS],
    factors: &'a mut Factors3,
}

impl Job for ProjectionJob<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let points = quadrature();
        for (points, velocities) in points.chunks(BLOCK).zip(self.velocities.chunks(BLOCK)) {
            let mut places = [[0.0; BLOCK]; 3];
            for (i, (direction, _)) in points.iter().enumerate() {
                (places[0][i], places[1][i], places[2][i]) = (*direction).into();
            }
            let mut values = [[0.0; BLOCK]; HARMONICS];
            for lane in (0..BLOCK).step_by(L::WIDTH) {
                let harmonics = solid_harmonics(load_each::<L, 3>(&places, lane));
                for (harmonic, values) in harmonics.into_iter().zip(&mut values) {
                    harmonic.store(values, lane);
                }
            }
            for (i, ((_, weight), velocity)) in points.iter().zip(velocities).enumerate() {
                let weighted = (*velocity * *weight).to_array();
                for (factors, velocity) in self.factors.iter_mut().zip(weighted) {
                    factors.iter_mut().zip(&values).for_each(|(sum, values)| *sum += values[i] * velocity);
                }
            }
        }
        for factors in self.factors {
            factors.iter_mut().zip(&PER_SQUARE).for_each(|(factor, per_square)| *factor *= per_square);
        }
    }
}

/// Returns Σ c_k H_k for x, y and z.
#[inline(always)]
pub(super) fn sum_of_harmonics<L: Lanes>(factors: &Factors3, place: [L; 3]) -> [L; 3] {
    let harmonics = solid_harmonics(place);
    let mut sums = [L::splat(0.0); 3];
    for (sum, factors) in sums.iter_mut().zip(factors) {
        for (harmonic, factor) in harmonics.iter().zip(splat_each::<L, HARMONICS>(*factors)) {
            *sum = harmonic.mul_add(factor, *sum);
        }
    }
    sums
}

/// Reciprocals of the mean squares of the harmonics on the unit sphere \[1\], in the order of
/// [`solid_harmonics`]: (2l+1) for order 0, otherwise 2 (2l+1) ((2m−1)!!)² (l−m)!/(l+m)!.
const PER_SQUARE: [f32; HARMONICS] = {
    let (mut squares, mut next, mut m) = ([0.0; HARMONICS], 0, 0);
    while m <= DEGREE {
        let mut l = m;
        while l <= DEGREE {
            let mut square = (2 * l + 1) as f64;
            let mut n = 0;
            while n < m {
                // One of the factors of the double factorial, and two of those of the quotient.
                let (odd, below, above) = ((2 * n + 1) as f64, l - n, l + n + 1);
                square *= odd * odd / ((below * above) as f64);
                n += 1;
            }
            squares[next] = if m == 0 { square as f32 } else { 2.0 * square as f32 };
            next += 1;
            if m > 0 {
                squares[next] = squares[next - 1];
                next += 1;
            }
            l += 1;
        }
        m += 1;
    }
    squares
};

/// Returns the real solid harmonics q_lm Re (x + iy)^m and q_lm Im (x + iy)^m, by order m, then by degree l:
/// q_mm = 1, and (l − m) q_lm = (2l − 1) z q_(l−1)m − (l + m − 1) r² q_(l−2)m.
#[inline(always)]
pub(super) fn solid_harmonics<L: Lanes>([x, y, z]: [L; 3]) -> [L; HARMONICS] {
    let times = |factor: f32, value: L| value.mul(L::splat(factor));
    let square = x.mul(x).add(y.mul(y)).add(z.mul(z));
    let mut harmonics = [L::splat(0.0); HARMONICS];
    let (mut real, mut imaginary) = (L::splat(1.0), L::splat(0.0));
    let mut next = 0;
    for m in 0..=DEGREE {
        let (mut before, mut here) = (L::splat(0.0), L::splat(1.0));
        for l in m..=DEGREE {
            harmonics[next] = here.mul(real);
            next += 1;
            if m > 0 {
                harmonics[next] = here.mul(imaginary);
                next += 1;
            }
            let per_step = 1.0 / (l + 1 - m) as f32;
            let rise = times((2 * l + 1) as f32 * per_step, z).mul(here);
            let above = rise.sub(times((l + m) as f32 * per_step, square).mul(before));
            (before, here) = (here, above);
        }
        (real, imaginary) = (x.mul(real).sub(y.mul(imaginary)), x.mul(imaginary).add(y.mul(real)));
    }
    harmonics
}
