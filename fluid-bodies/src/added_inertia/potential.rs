//! Potential flow around a moving surface, and its inertia (E49).

use super::definite::{Matrix, without_negative};
use super::element::{BoundaryElement, ElementInfluence, LANES};
use super::equations::{BlockedMatrix, SixColumns};
use fluid_core::{InstructionSet, VectorJob, run_in_vectors};
use glam::DVec3;
use std::f64::consts::PI;

/// Maximum number of unknowns for a surface of fineness 3 \[1\]: some ten milliseconds.
const FINE: usize = 900;
/// Maximum number of unknowns of a surface \[1\]: those of a polytope of 256 faces, which has up to 508
/// triangles.
const MOST_UNKNOWNS: usize = 1536;

/// Computes the Richardson extrapolation from two finenesses of a surface, the finest that the number of
/// unknowns permits, for errors of this order; positive semidefinite. With too many unknowns for two, the
/// result for the coarsest alone; `None` if there are too many even for that, or no unknowns.
pub(super) fn extrapolated(surface: impl Fn(usize) -> Vec<BoundaryElement>, order: f64) -> Option<Matrix> {
    let unknowns = |elements: &[BoundaryElement]| 3 * elements.len();
    for (coarse, fine, most) in [(2, 3, FINE), (1, 2, MOST_UNKNOWNS)] {
        let elements = surface(fine);
        if (1..=most).contains(&unknowns(&elements)) {
            let weight = 1.0 / (libm::pow(fine as f64 / coarse as f64, order) - 1.0);
            let (coarse, fine) = (matrix_of(&surface(coarse)), matrix_of(&elements));
            let mut matrix = fine;
            for (row, column) in (0..6).flat_map(|row| (0..6).map(move |column| (row, column))) {
                matrix[row][column] += weight * (fine[row][column] - coarse[row][column]);
            }
            return Some(without_negative(matrix));
        }
    }
    let elements = surface(1);
    (1..=MOST_UNKNOWNS).contains(&unknowns(&elements)).then(|| without_negative(matrix_of(&elements)))
}

/// Returns the normal velocities \[1/s\] at a point of the surface for unit velocities and angular
/// velocities.
#[inline(always)]
fn normal_velocities(place: DVec3, normal: DVec3) -> [f64; 6] {
    let turning = place.cross(normal);
    [normal.x, normal.y, normal.z, turning.x, turning.y, turning.z]
}

/// Returns −∫ φ ∂φ/∂n dS for all pairs of unit motions, made symmetric (E49).
fn matrix_of(elements: &[BoundaryElement]) -> Matrix {
    if elements.is_empty() {
        return [[0.0; 6]; 6];
    }
    let potentials = potentials(elements);
    let mut matrix = [[0.0; 6]; 6];
    for (element, potentials) in elements.iter().zip(potentials.as_chunks::<3>().0) {
        for (node, potential) in element.nodes().into_iter().zip(potentials) {
            let velocities = normal_velocities(node, element.normal);
            let weight = -element.area / 3.0;
            for (row, velocity) in matrix.iter_mut().zip(velocities) {
                row.iter_mut().zip(potential).for_each(|(sum, value)| *sum += weight * velocity * value);
            }
        }
    }
    let mut symmetric = matrix;
    for (row, column) in (0..6).flat_map(|row| (0..6).map(move |column| (row, column))) {
        symmetric[row][column] = 0.5 * (matrix[row][column] + matrix[column][row]);
    }
    symmetric
}

/// Returns the potentials of the six unit motions at all nodes: ½ φ(x) + ∫ φ (y − x)·n / 4π r³ dS = −∫
/// ∂φ/∂n / 4π r dS.
fn potentials(elements: &[BoundaryElement]) -> SixColumns {
    let nodes: Vec<DVec3> = elements.iter().flat_map(BoundaryElement::nodes).collect();
    let (mut matrix, mut right) = (BlockedMatrix::new(nodes.len()), vec![[0.0; 6]; nodes.len()]);
    let job = Assembly { elements, nodes: &nodes, values: &mut matrix.values, right: &mut right };
    run_in_vectors(InstructionSet::Auto, job);
    matrix.solve(right)
}

/// Computes the equations of the potentials.
struct Assembly<'a> {
    elements: &'a [BoundaryElement],
    nodes: &'a [DVec3],
    values: &'a mut [[f32; LANES]],
    right: &'a mut [[f64; 6]],
}

impl VectorJob for Assembly<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { elements, nodes, values, right } = self;
        let scale = 1.0 / (4.0 * PI);
        let blocks = values.chunks_exact_mut(nodes.len()).zip(right.chunks_mut(LANES));
        for (block, (values, right)) in blocks.enumerate() {
            let first = block * LANES;
            // The last block is filled up with the last node.
            let node = |k: usize| nodes[(first + k).min(nodes.len() - 1)];
            let mut places = [[0.0; LANES]; 3];
            for (k, node) in (0..LANES).map(node).enumerate() {
                (places[0][k], places[1][k], places[2][k]) = (node.x, node.y, node.z);
            }
            let (mut rest, mut sides) = ([1.0; LANES], [[0.0; LANES]; 6]);
            for (other, element) in elements.iter().enumerate() {
                let ElementInfluence { mut dipole, source } = element.influence(&places);
                // An element has no dipole's influence on itself.
                let own = 3 * other..3 * other + 3;
                for k in (0..LANES).filter(|k| own.contains(&(first + k))) {
                    dipole.iter_mut().for_each(|dipole| dipole[k] = 0.0);
                }
                for (values, dipole) in values[own].iter_mut().zip(&dipole) {
                    for k in 0..LANES {
                        let value = dipole[k] * scale;
                        values[k] = value as f32;
                        rest[k] -= value;
                    }
                }
                for (corner, source) in element.corners().iter().zip(&source) {
                    let velocities = normal_velocities(*corner, element.normal);
                    for (sums, velocity) in sides.iter_mut().zip(velocities) {
                        let factor = velocity * scale;
                        for k in 0..LANES {
                            sums[k] -= factor * source[k];
                        }
                    }
                }
            }
            for (k, right) in right.iter_mut().enumerate() {
                // ½ on a closed surface. With this choice a constant potential is exact on one with gaps as
                // well.
                values[first + k][k] += rest[k] as f32;
                *right = sides.each_ref().map(|side| side[k]);
            }
        }
    }
}
