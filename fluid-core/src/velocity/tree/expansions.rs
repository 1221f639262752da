//! Multipole and local expansions of a vector potential in solid harmonics, and their translations (E76).
//!
//! The harmonics are normalised so that translations have no other factors (W. Dehnen, A fast multipole
//! method for stellar dynamics, Comput. Astrophys. Cosmol. 1, 2014): regular ones Υ, singular ones Θ, with
//! 1/|x − y| = Σ Υ*(y) Θ(x) for |y| < |x|. In each product of a moment and a derivative the sum of both
//! degrees is at most [`DEGREE`].

use crate::lanes::{BLOCK, Lanes, load_each};
use crate::velocity::solid_harmonics::{DEGREE, HARMONICS, solid_harmonics};

/// Lanes of one value.
type LaneColumn = [f32; BLOCK];

/// Number of moments, up to a degree of one less than that of the harmonics.
const MOMENTS: usize = DEGREE * DEGREE;

/// Moments of strengths along x, y and z.
pub(super) type Moments3 = [[f32; MOMENTS]; 3];

/// A local expansion of a vector potential.
pub(in crate::velocity) type Local3 = [[f32; HARMONICS]; 3];

/// Lanes of the coefficients of an expansion of x, y and z.
pub(super) type Columns3<const N: usize> = [[LaneColumn; N]; 3];

/// Length of arrays of coefficients that numbers of six bits address, which need no further check.
const ADDRESSED: usize = 64;

/// Lanes of coefficients.
type Coefficients<L> = [L; ADDRESSED];

/// Returns the place of the real part of a coefficient of degree l and order m; the imaginary one follows,
/// unless m is 0.
const fn place(l: usize, m: usize) -> usize {
    l * l + if m == 0 { 0 } else { 2 * m - 1 }
}

/// Returns its place among [`solid_harmonics`].
const fn place_by_order(l: usize, m: usize) -> usize {
    if m == 0 { l } else { (DEGREE + 1) * (2 * m - 1) - m * (m - 1) + 2 * (l - m) }
}

const fn factorial(n: usize) -> f64 {
    let (mut product, mut i) = (1.0, 2);
    while i <= n {
        product *= i as f64;
        i += 1;
    }
    product
}

/// A harmonic.
#[derive(Clone, Copy)]
struct Harmonic {
    /// Its place among [`solid_harmonics`].
    from: u8,
    /// Factors that make it a regular one, and a singular one at a unit vector.
    norms: [f32; 2],
}

/// The harmonics in their places.
const PLACED: [Harmonic; HARMONICS] = {
    let (mut placed, mut m, mut odd) = ([Harmonic { from: 0, norms: [0.0; 2] }; HARMONICS], 0, 1.0);
    while m <= DEGREE {
        let mut l = m;
        while l <= DEGREE {
            let norms = [(odd / factorial(l + m)) as f32, (odd * factorial(l - m)) as f32];
            let (at, from) = (place(l, m), place_by_order(l, m));
            placed[at] = Harmonic { from: from as u8, norms };
            if m > 0 {
                placed[at + 1] = Harmonic { from: from as u8 + 1, norms };
            }
            l += 1;
        }
        odd *= (2 * m + 1) as f64;
        m += 1;
    }
    placed
};

/// A product A_k^l* B_(n+k)^(m+l) and that of −l, by places: of the real parts of A_k^l and B_(n+k)^(m+l),
/// and of B_(n+k)^|m−l|.
#[derive(Clone, Copy)]
struct PairOfOrders {
    a: u8,
    p: u8,
    q: u8,
    /// Signs of the real and imaginary part of the second product, for A' as a factor.
    signs: [f32; 2],
}

/// Maximum number of products in a sum of orders other than 0.
const PRODUCTS: usize = DEGREE * (DEGREE - 1) / 2;

/// The coefficient F_n^m = Σ A_k^l* B_(n+k)^(m+l) of a translation.
#[derive(Clone, Copy)]
struct Translation {
    n: u8,
    /// Place of its real part.
    at: u8,
    is_real: bool,
    /// Places of A_k^0 and B_(n+k)^m.
    simple: [[u8; 2]; DEGREE],
    simple_count: u8,
    products: [PairOfOrders; PRODUCTS],
    count: u8,
}

/// Number of coefficients of order 0 and above.
const TRANSLATIONS: usize = (DEGREE + 1) * (DEGREE + 2) / 2;

const TABLE: [Translation; TRANSLATIONS] = {
    let none = Translation {
        n: 0,
        at: 0,
        is_real: true,
        simple: [[0; 2]; DEGREE],
        simple_count: 0,
        products: [PairOfOrders { a: 0, p: 0, q: 0, signs: [0.0; 2] }; PRODUCTS],
        count: 0,
    };
    let (mut table, mut n, mut number) = ([none; TRANSLATIONS], 0, 0);
    while n <= DEGREE {
        let mut m = 0;
        while m <= n {
            let mut one = Translation { n: n as u8, at: place(n, m) as u8, is_real: m == 0, ..none };
            let mut k = 0;
            while k < DEGREE && n + k <= DEGREE {
                one.simple[k] = [place(k, 0) as u8, place(n + k, m) as u8];
                one.simple_count += 1;
                let mut l = 1;
                while l <= k {
                    // A_(−l)* is (−1)^l A_l; B_(−m) is (−1)^m B_m*.
                    let signs = if m >= l {
                        let sign = if l % 2 == 1 { -1.0 } else { 1.0 };
                        [sign, sign]
                    } else {
                        let sign = if m % 2 == 1 { -1.0 } else { 1.0 };
                        [sign, -sign]
                    };
                    let less = m.abs_diff(l);
                    let signs = if less == 0 { [signs[0], 0.0] } else { signs };
                    one.products[one.count as usize] = PairOfOrders {
                        a: place(k, l) as u8,
                        p: place(n + k, m + l) as u8,
                        q: place(n + k, less) as u8,
                        signs,
                    };
                    one.count += 1;
                    l += 1;
                }
                k += 1;
            }
            table[number] = one;
            number += 1;
            m += 1;
        }
        n += 1;
    }
    table
};

/// Returns harmonics with these norms.
#[inline(always)]
fn harmonics<L: Lanes>(y: [L; 3], norm: usize) -> Coefficients<L> {
    let (ordered, mut placed) = (solid_harmonics(y), [L::splat(0.0); ADDRESSED]);
    for (harmonic, from) in placed.iter_mut().zip(&PLACED) {
        *harmonic = ordered[usize::from(from.from)].mul(L::splat(from.norms[norm]));
    }
    placed
}

/// Returns the coefficient of a translation for each set of A, or of B: real and imaginary part.
#[inline(always)]
fn translate<L: Lanes, const A: usize>(
    one: &Translation,
    a: &[Coefficients<L>; A],
    b: &Coefficients<L>,
) -> [[L; 2]; A] {
    const LAST: usize = ADDRESSED - 1;
    let mut sums = [[L::splat(0.0); 2]; A];
    let at = |place: u8| usize::from(place) & LAST;
    for [from, to] in &one.simple[..usize::from(one.simple_count)] {
        // The imaginary part of a real coefficient is not used.
        let (re, im) = (b[at(*to)], b[at(to + 1)]);
        for (sum, a) in sums.iter_mut().zip(a) {
            let a = a[at(*from)];
            *sum = [a.mul_add(re, sum[0]), a.mul_add(im, sum[1])];
        }
    }
    for PairOfOrders { a: from, p, q, signs } in &one.products[..usize::from(one.count)] {
        let [pr, pi, qr, qi] = [b[at(*p)], b[at(p + 1)], b[at(*q)], b[at(q + 1)]];
        let (qr, qi) = (qr.mul(L::splat(signs[0])), qi.mul(L::splat(signs[1])));
        let (re, im, im_less, re_less) = (pr.add(qr), pi.add(qi), pi.sub(qi), pr.sub(qr));
        for (sum, a) in sums.iter_mut().zip(a) {
            let (x, y) = (a[at(*from)], a[at(from + 1)]);
            *sum = [x.mul_add(re, y.mul_add(im_less, sum[0])), x.mul_add(im, sum[1]).sub(y.mul(re_less))];
        }
    }
    sums
}

/// Adds the moments of strengths at these offsets, in units of the radius, to those in `lane..lane + WIDTH`.
#[inline(always)]
pub(super) fn add_moments<L: Lanes>(
    offsets: &[LaneColumn; 3],
    strengths: &[LaneColumn; 3],
    lane: usize,
    moments: &mut Columns3<MOMENTS>,
) {
    let harmonics = harmonics(load_each::<L, 3>(offsets, lane), 0);
    for (moments, strength) in moments.iter_mut().zip(load_each::<L, 3>(strengths, lane)) {
        for (moment, harmonic) in moments.iter_mut().zip(harmonics) {
            harmonic.mul_add(strength, L::load(moment, lane)).store(moment, lane);
        }
    }
}

/// Sums the lanes of each coefficient: halves of them, until one is left.
pub(super) fn sum_lanes<const N: usize>(columns: &Columns3<N>) -> [[f32; N]; 3] {
    let mut sums = [[0.0; N]; 3];
    for (sums, columns) in sums.iter_mut().zip(columns) {
        for (sum, column) in sums.iter_mut().zip(columns) {
            let mut lanes = *column;
            let mut half = BLOCK / 2;
            while half > 0 {
                for i in 0..half {
                    lanes[i] += lanes[i + half];
                }
                half /= 2;
            }
            *sum = lanes[0];
        }
    }
    sums
}

/// Cells far from some targets, one in each lane.
pub(super) struct FarCells {
    /// From the centre of a cell to that of the targets.
    pub(super) ways: [LaneColumn; 3],
    pub(super) radii: LaneColumn,
    pub(super) moments: Columns3<MOMENTS>,
}

impl FarCells {
    /// Cells without sources.
    pub(super) const NONE: Self = Self {
        ways: [[1.0; BLOCK], [0.0; BLOCK], [0.0; BLOCK]],
        radii: [0.0; BLOCK],
        moments: [[[0.0; BLOCK]; MOMENTS]; 3],
    };
}

/// Adds, in `lane..lane + WIDTH`, the potential of these cells to the local expansion about the centre of
/// targets, in units of a length.
#[inline(always)]
pub(super) fn add_local<L: Lanes>(cells: &FarCells, unit: f32, lane: usize, local: &mut Columns3<HARMONICS>) {
    let [x, y, z] = load_each::<L, 3>(&cells.ways, lane);
    let nearness = x.mul_add(x, y.mul_add(y, z.mul(z))).inverse_sqrt();
    let singular = harmonics([x.mul(nearness), y.mul(nearness), z.mul(nearness)], 1);
    // The moments of degree k are in units of the cell's radius to the power k, the derivatives of degree n
    // in those of the unit to the power n, with the sign (−1)^n of Υ_n(−b).
    let (from, to) = (L::load(&cells.radii, lane).mul(nearness), L::splat(-unit).mul(nearness));
    let mut moments = [[L::splat(0.0); ADDRESSED]; 3];
    for (moments, columns) in moments.iter_mut().zip(&cells.moments) {
        let mut power = L::splat(1.0);
        for k in 0..DEGREE {
            for at in k * k..(k + 1) * (k + 1) {
                moments[at] = L::load(&columns[at], lane).mul(power);
            }
            power = power.mul(from);
        }
    }
    let mut powers = [nearness; DEGREE + 1];
    for n in 1..=DEGREE {
        powers[n] = powers[n - 1].mul(to);
    }
    for one in &TABLE {
        let (sums, power) = (translate(one, &moments, &singular), powers[usize::from(one.n)]);
        for (local, [re, im]) in local.iter_mut().zip(sums) {
            let at = usize::from(one.at);
            re.mul_add(power, L::load(&local[at], lane)).store(&mut local[at], lane);
            if !one.is_real {
                im.mul_add(power, L::load(&local[at + 1], lane)).store(&mut local[at + 1], lane);
            }
        }
    }
}

/// Returns Σ Υ_k^l* F_(n+k)^(m+l) of each component of a local expansion, at targets with these regular
/// harmonics.
#[inline(always)]
fn shifted<L: Lanes>(
    regular: &[Coefficients<L>; 1],
    local: &[Coefficients<L>; 3],
    n: usize,
    m: usize,
) -> [[L; 2]; 3] {
    let one = &TABLE[n * (n + 1) / 2 + m];
    let mut shifted = [[L::splat(0.0); 2]; 3];
    for (shifted, local) in shifted.iter_mut().zip(local) {
        [*shifted] = translate(one, regular, local);
    }
    shifted
}

#[inline(always)]
fn splat_all<L: Lanes>(local: &Local3) -> [Coefficients<L>; 3] {
    let mut lanes = [[L::splat(0.0); ADDRESSED]; 3];
    for (lanes, local) in lanes.iter_mut().zip(local) {
        for (lanes, value) in lanes.iter_mut().zip(local) {
            *lanes = L::splat(*value);
        }
    }
    lanes
}

/// Returns the vector potential of a local expansion at these offsets from its centre, in its unit of length.
#[inline(always)]
pub(in crate::velocity) fn potential<L: Lanes>(local: &Local3, offsets: [L; 3]) -> [L; 3] {
    let [x, y, z] = shifted(&[harmonics(offsets, 0)], &splat_all(local), 0, 0);
    [x[0], y[0], z[0]]
}

/// Returns the curl of a vector field with these derivatives of x, y and z.
#[inline(always)]
fn curl<L: Lanes>([[_, xy, xz], [yx, _, yz], [zx, zy, _]]: [[L; 3]; 3]) -> [L; 3] {
    [zy.sub(yz), xz.sub(zx), yx.sub(xy)]
}

/// Returns the velocity ∇ × ψ, with regular harmonics.
#[inline(always)]
fn velocity_by<L: Lanes>(regular: &[Coefficients<L>; 1], local: &[Coefficients<L>; 3]) -> [L; 3] {
    let (across, along) = (shifted(regular, local, 1, 1), shifted(regular, local, 1, 0));
    let [[ax, ay], [bx, by], [cx, cy]] = across;
    curl([[ax, ay, along[0][0]], [bx, by, along[1][0]], [cx, cy, along[2][0]]])
}

/// Returns the velocity of a local expansion at these offsets, times its unit of length.
#[inline(always)]
pub(in crate::velocity) fn velocity<L: Lanes>(local: &Local3, offsets: [L; 3]) -> [L; 3] {
    velocity_by(&[harmonics(offsets, 0)], &splat_all(local))
}

/// Velocity, times the unit of length, and its gradient, times the square of it: ∂u/∂x, ∂u/∂y, ∂u/∂z.
pub(in crate::velocity) struct FarFlow<L> {
    pub(in crate::velocity) velocity: [L; 3],
    pub(in crate::velocity) gradient: [[L; 3]; 3],
}

/// Returns the flow of a local expansion at these offsets.
#[inline(always)]
pub(in crate::velocity) fn flow<L: Lanes>(local: &Local3, offsets: [L; 3]) -> FarFlow<L> {
    let (local, regular) = (splat_all(local), [harmonics(offsets, 0)]);
    let second = shifted(&regular, &local, 2, 2);
    let (mixed, along) = (shifted(&regular, &local, 2, 1), shifted(&regular, &local, 2, 0));
    // Of the derivatives of the potential along x, y and z, the derivatives of each component.
    let mut derivatives = [[[L::splat(0.0); 3]; 3]; 3];
    for component in 0..3 {
        let ([xz, yz], zz) = (mixed[component], along[component][0]);
        // xx − yy and 2 xy, of a harmonic function.
        let [difference, twice] = second[component];
        let half = L::splat(0.5);
        let (xx, yy) = (difference.sub(zz).mul(half), difference.add(zz).mul(L::splat(-0.5)));
        let xy = twice.mul(half);
        (derivatives[0][component], derivatives[1][component], derivatives[2][component]) =
            ([xx, xy, xz], [xy, yy, yz], [xz, yz, zz]);
    }
    let [x, y, z] = derivatives;
    FarFlow { velocity: velocity_by(&regular, &local), gradient: [curl(x), curl(y), curl(z)] }
}
