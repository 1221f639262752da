//! Angular momentum of irrotational fluid in a rotating hole (E55).

use crate::shapes::{MassProperties, Shape};
use crate::solve::solve_definite;
use fluid_core::{InstructionSet, VectorJob, run_in_vectors};
use glam::{DMat3, DVec3};

/// Cells along each axis of the box around a hole \[1\].
const CELLS: usize = 16;
/// Highest degree of the polynomials that approximate the potential \[1\].
const DEGREE: usize = 4;
/// Number of polynomials up to that degree, without the constant \[1\].
const COUNT: usize = 34;

/// Returns the angular momentum per density and angular velocity \[m⁵\], axes of the body, of potential flow
/// in a hole that rotates about its centroid.
///
/// Of all gradients, the potential flow driven by the walls is the one nearest to rigid rotation e × x in the
/// mean square; here, of gradients of polynomials.
pub(crate) fn inertia_of_turning(hole: &Shape) -> DMat3 {
    let convex = hole.geometry.queries();
    let MassProperties { volume, centroid, .. } = convex.mass_properties();
    let spans = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| convex.span(axis));
    let (low, size) =
        (DVec3::from(spans.map(|(low, _)| low)), DVec3::from(spans.map(|(low, high)| high - low)));
    let cells = || 0..CELLS;
    let at = |cell: usize| (cell as f64 + 0.5) / CELLS as f64;
    let (mut gram, mut right) = (vec![0.0; COUNT * COUNT], [[0.0; COUNT]; 3]);
    let mut inside = 0.0;
    for i in cells() {
        let plane = cells().flat_map(|j| cells().map(move |k| [i, j, k]));
        let places = plane
            .map(|cell| low + DVec3::from(cell.map(at)) * size)
            .filter(|place| convex.surface(place.as_vec3()).distance <= 0.0)
            .map(|place| place - centroid);
        let (mut of_plane, mut count) = ([DVec3::ZERO; CELLS * CELLS], 0);
        of_plane.iter_mut().zip(places).for_each(|(to, place)| (*to, count) = (place, count + 1));
        let (places, size) = (&of_plane[..count], size * 0.5);
        let job = Products { places, size, gram: &mut gram, right: &mut right };
        run_in_vectors(InstructionSet::Auto, job);
        inside += count as f64;
    }
    let solved = right.map(|mut x| solve_definite(&mut gram.clone(), &mut x).then_some(x));
    let [Some(x), Some(y), Some(z)] = solved else { return DMat3::ZERO };
    let scale = volume / inside;
    let column = |x: [f64; COUNT]| {
        let product = |row: &[f64; COUNT]| row.iter().zip(x).map(|(b, x)| b * x).sum::<f64>() * scale;
        DVec3::from(right.each_ref().map(product))
    };
    let turn = DMat3::from_quat(hole.pose.rotation.as_dquat().normalize());
    let matrix = turn * DMat3::from_cols(column(x), column(y), column(z)) * turn.transpose();
    let symmetric = (matrix + matrix.transpose()) * 0.5;
    if symmetric.is_finite() { symmetric } else { DMat3::ZERO }
}

/// Sums of products of gradients at some positions \[m\]: with each other, and with rigid rotation about
/// each axis.
struct Products<'a> {
    places: &'a [DVec3],
    size: DVec3,
    gram: &'a mut [f64],
    right: &'a mut [[f64; COUNT]; 3],
}

impl VectorJob for Products<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { places, size, gram, right } = self;
        for place in places {
            let gradients = gradients(*place, size);
            let [x, y, z] = [0, 1, 2].map(|axis| gradients.map(|gradient| gradient[axis]));
            for (row, sums) in gram.chunks_exact_mut(COUNT).enumerate() {
                // Whole rows, because they vectorise without a remainder.
                for k in 0..COUNT {
                    sums[k] += x[row] * x[k] + y[row] * y[k] + z[row] * z[k];
                }
            }
            for (row, gradient) in gradients.iter().enumerate() {
                let turned = place.cross(*gradient);
                right.iter_mut().zip(turned.to_array()).for_each(|(sums, value)| sums[row] += value);
            }
        }
    }
}

/// Returns the gradients of the polynomials at a position \[m\], in coordinates relative to `size` \[m\].
fn gradients(place: DVec3, size: DVec3) -> [DVec3; COUNT] {
    let powers = (place / size).to_array().map(|x| {
        let mut powers = [1.0; DEGREE + 1];
        (1..=DEGREE).for_each(|n| powers[n] = powers[n - 1] * x);
        powers
    });
    let slope =
        |axis: usize, n: usize| if n == 0 { 0.0 } else { n as f64 * powers[axis][n - 1] / size[axis] };
    let [x, y, z] = powers;
    let degrees = || 0..=DEGREE;
    let all = degrees().flat_map(|i| degrees().flat_map(move |j| degrees().map(move |k| (i, j, k))));
    let each = all.filter(|(i, j, k)| (1..=DEGREE).contains(&(i + j + k)));
    let mut gradients = [DVec3::ZERO; COUNT];
    for (gradient, (i, j, k)) in gradients.iter_mut().zip(each) {
        *gradient =
            DVec3::new(slope(0, i) * y[j] * z[k], x[i] * slope(1, j) * z[k], x[i] * y[j] * slope(2, k));
    }
    gradients
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::Pose;
    use glam::Quat;
    use glam::Vec3;
    use std::f64::consts::PI;

    /// Returns the torsion constant \[m⁴\] of a rectangle with these sides \[m\] (Saint-Venant).
    fn torsion(a: f64, b: f64) -> f64 {
        let (a, b) = (a.max(b), a.min(b));
        let term = |n: f64| libm::tanh(n * PI * a / (2.0 * b)) / n.powi(5);
        let sum: f64 = (0..20).map(|k| term(f64::from(2 * k + 1))).sum();
        a * b.powi(3) * (1.0 / 3.0 - 64.0 / PI.powi(5) * b / a * sum)
    }

    /// The inertia of a solid, less the part that rotates against the walls.
    #[test]
    fn of_boxes() {
        for (x, y, z) in [(1.0, 1.0, 1.0), (1.0, 0.8, 0.6), (1.0, 0.5, 0.2)] {
            let half = Vec3::new(x, y, z) * 0.5;
            let turn = Quat::from_scaled_axis(Vec3::new(0.3, -0.5, 0.8));
            let pose = Pose { position: Vec3::new(0.3, 0.1, -0.4), rotation: turn };
            let found = inertia_of_turning(&Shape { pose, ..Shape::cuboid(half) });
            let along = |a: f64, b: f64, c: f64| a * b * c / 12.0 * (a * a + b * b) - c * torsion(a, b);
            let (x, y, z) = (f64::from(x), f64::from(y), f64::from(z));
            let expected = DMat3::from_diagonal(DVec3::new(along(y, z, x), along(x, z, y), along(x, y, z)));
            let back = DMat3::from_quat(turn.as_dquat());
            let found = back.transpose() * found * back;
            println!("{x} {y} {z}: {found} of {expected}");
            let error = (found - expected).to_cols_array().into_iter().map(f64::abs).fold(0.0, f64::max);
            assert!(error < 0.03 * expected.y_axis.y, "{found} of {expected}");
        }
    }

    #[test]
    fn a_ball_takes_nothing_along() {
        let found = inertia_of_turning(&Shape::sphere(0.5));
        let solid = MassProperties::of(&[Shape::sphere(0.5)]).inertia().x_axis.x;
        let most = found.to_cols_array().into_iter().map(f64::abs).fold(0.0, f64::max);
        assert!(most < 0.005 * solid, "{most} of {solid}");
    }
}
