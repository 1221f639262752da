//! Sums over the vortons of a sheet at given points, in vectors. Vortons of one triangle have the same
//! corners and strengths, so their distances are summed first. Positions are known to f32, so pairs are
//! summed in f32.

use super::panels::Quad;
use fluid_core::velocity::{DirectSettings, Kernel};
use fluid_core::{InstructionSet, VectorJob, run_in_vectors};
use glam::Vec3;
use std::f32::consts::PI;
use std::ops::Range;

/// Number of points for which velocities are computed together \[1\].
const BLOCK: usize = 16;

/// A value at each point of a block.
type PointBlock = [f32; BLOCK];

/// Vortons of a sheet by component \[core radii\].
pub(super) struct SheetVortons {
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
    triangles: Vec<SheetTriangle>,
    /// Number of the sheet's vertices.
    vertices: usize,
    settings: DirectSettings,
}

/// Vortons with the same corners and strengths.
struct SheetTriangle {
    vortons: Range<usize>,
    corners: [usize; 3],
    /// Strength of each vorton for unit strengths of the sheet at the corners \[m\].
    edges: [Vec3; 3],
}

/// Sums of values at points.
pub(super) trait PointSums {
    /// Adds the point with this index, given the velocity's components \[1/m\] there for unit strength at
    /// each vertex.
    fn add(&mut self, point: usize, velocity: [&[f32]; 3]);
}

/// Two sums over the same points.
impl<A: PointSums, B: PointSums> PointSums for (A, B) {
    #[inline(always)]
    fn add(&mut self, point: usize, velocity: [&[f32]; 3]) {
        self.0.add(point, velocity);
        self.1.add(point, velocity);
    }
}

impl SheetVortons {
    /// Groups the vortons of a sheet with this number of vertices by triangle; those of one triangle must be
    /// consecutive.
    pub(super) fn new(
        vertices: usize,
        quads: impl IntoIterator<Item = Quad>,
        settings: DirectSettings,
    ) -> Self {
        let (mut x, mut y, mut z) = (Vec::new(), Vec::new(), Vec::new());
        let mut triangles: Vec<SheetTriangle> = Vec::new();
        for Quad { place, corners, edges } in quads {
            let (row, place, corners) = (x.len(), place / settings.core_radius, corners.map(usize::from));
            x.push(place.x);
            y.push(place.y);
            z.push(place.z);
            match triangles.last_mut().filter(|last| last.corners == corners && last.edges == edges) {
                Some(last) => last.vortons.end = row + 1,
                None => triangles.push(SheetTriangle { vortons: row..row + 1, corners, edges }),
            }
        }
        Self { x, y, z, triangles, vertices, settings }
    }

    /// Adds these points \[m\] to `sums`, in their order.
    pub(super) fn add_points(&self, places: &[Vec3], sums: &mut impl PointSums) {
        run_in_vectors(InstructionSet::Auto, AtPoints { vortons: self, places, sums });
    }

    /// Returns E of the energy ½ Σ μ_i E_ij μ_j (E8) \[m\] of the sheet with the strengths μ at its vertices.
    pub(super) fn energy(&self) -> Vec<f64> {
        let n = self.vertices;
        let mut half = vec![0.0; n * n];
        run_in_vectors(InstructionSet::Auto, SheetEnergy { vortons: self, half: &mut half });
        (0..n * n).map(|index| half[index] + half[index % n * n + index / n]).collect()
    }

    /// Adds the velocities \[1/m\] at points for unit strength at each vertex.
    #[inline(always)]
    fn add_velocities(&self, kernel: Kernel, places: &[PointBlock; 3], velocities: &mut [[PointBlock; 3]]) {
        let factor = 1.0 / (4.0 * PI * self.settings.core_radius * self.settings.core_radius);
        for triangle in &self.triangles {
            // Σ q(ρ) ρ/ρ³, ρ from the vortons to the points: the cross product of their strength/4πσ² and
            // this is their velocity (E2).
            let mut ways = [[0.0; BLOCK]; 3];
            for row in triangle.vortons.clone() {
                let (x, y, z) = (self.x[row], self.y[row], self.z[row]);
                for k in 0..BLOCK {
                    let (x, y, z) = (places[0][k] - x, places[1][k] - y, places[2][k] - z);
                    let weight = kernel.q_over_cube_of_square_in_f32(x * x + y * y + z * z);
                    ways[0][k] += x * weight;
                    ways[1][k] += y * weight;
                    ways[2][k] += z * weight;
                }
            }
            for (&corner, edge) in triangle.corners.iter().zip(&triangle.edges) {
                let edge = *edge * factor;
                let velocity = &mut velocities[corner];
                for k in 0..BLOCK {
                    velocity[0][k] += edge.y * ways[2][k] - ways[1][k] * edge.z;
                    velocity[1][k] += edge.z * ways[0][k] - ways[2][k] * edge.x;
                    velocity[2][k] += edge.x * ways[1][k] - ways[0][k] * edge.y;
                }
            }
        }
    }

    /// Adds Σ 4π G(r/σ) at a vorton to the sums of the vortons from `first` on: times their strength/4πσ,
    /// that is their vector potential there (E8).
    #[inline(always)]
    fn add_potentials(&self, kernel: Kernel, own: usize, first: usize, sums: &mut [f32]) {
        let place = Vec3::new(self.x[own], self.y[own], self.z[own]);
        let places = self.x[first..].iter().zip(&self.y[first..]).zip(&self.z[first..]);
        for (sum, ((x, y), z)) in sums[first..].iter_mut().zip(places) {
            let (x, y, z) = (place.x - x, place.y - y, place.z - z);
            *sum += kernel.four_pi_green_of_square_in_f32(x * x + y * y + z * z);
        }
    }
}

/// Converts vectors from values of a block, for each vertex, to rows of a component, for each point.
#[inline(always)]
fn to_rows(vectors: &[[PointBlock; 3]], rows: &mut [f32]) {
    let n = vectors.len();
    for (vertex, vector) in vectors.iter().enumerate() {
        for (axis, values) in vector.iter().enumerate() {
            for (k, value) in values.iter().enumerate() {
                rows[(k * 3 + axis) * n + vertex] = *value;
            }
        }
    }
}

struct AtPoints<'a, S> {
    vortons: &'a SheetVortons,
    places: &'a [Vec3],
    sums: &'a mut S,
}

impl<S: PointSums> VectorJob for AtPoints<'_, S> {
    #[inline(always)]
    fn run(self) {
        let Self { vortons, places, sums } = self;
        let (n, core_radius) = (vortons.vertices, vortons.settings.core_radius);
        let mut velocities = vec![[[0.0; BLOCK]; 3]; n];
        let mut rows = vec![0.0; BLOCK * 3 * n];
        for (block, places) in places.chunks(BLOCK).enumerate() {
            let mut columns = [[0.0; BLOCK]; 3];
            for (k, place) in places.iter().enumerate() {
                let place = *place / core_radius;
                (columns[0][k], columns[1][k], columns[2][k]) = (place.x, place.y, place.z);
            }
            velocities.fill([[0.0; BLOCK]; 3]);
            // One loop per kernel: loops without branches vectorise.
            match vortons.settings.kernel {
                Kernel::WinckelmansLeonard => {
                    vortons.add_velocities(Kernel::WinckelmansLeonard, &columns, &mut velocities);
                }
                Kernel::RosenheadMoore => {
                    vortons.add_velocities(Kernel::RosenheadMoore, &columns, &mut velocities);
                }
                Kernel::RigidCore => vortons.add_velocities(Kernel::RigidCore, &columns, &mut velocities),
            }
            to_rows(&velocities, &mut rows);
            for (k, rows) in rows.chunks_exact(3 * n).take(places.len()).enumerate() {
                let (x, (y, z)) = (&rows[..n], rows[n..].split_at(n));
                sums.add(block * BLOCK + k, [x, y, z]);
            }
        }
    }
}

/// Half of the energy's matrix, which with its transpose is the whole: pairs of triangles count once.
struct SheetEnergy<'a> {
    vortons: &'a SheetVortons,
    half: &'a mut [f64],
}

impl VectorJob for SheetEnergy<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { vortons, half } = self;
        let n = vortons.vertices;
        let per_core = 1.0 / (4.0 * PI * vortons.settings.core_radius);
        // Sums over the vortons of one triangle, for each vorton; and for each triangle of a block, for each
        // triangle.
        let mut sums = vec![0.0; vortons.x.len()];
        let mut of_triangles = vec![[0.0; BLOCK]; vortons.triangles.len()];
        // The vector potential there, for unit strength at each vertex.
        let mut potentials = vec![[[0.0; BLOCK]; 3]; n];
        let mut rows = vec![0.0; BLOCK * 3 * n];
        for (block, triangles) in vortons.triangles.chunks(BLOCK).enumerate() {
            of_triangles.fill([0.0; BLOCK]);
            for (k, triangle) in triangles.iter().enumerate() {
                let (own, first) = (block * BLOCK + k, triangle.vortons.start);
                sums.fill(0.0);
                for row in triangle.vortons.clone() {
                    let sums = &mut sums;
                    match vortons.settings.kernel {
                        Kernel::WinckelmansLeonard => {
                            vortons.add_potentials(Kernel::WinckelmansLeonard, row, first, sums);
                        }
                        Kernel::RosenheadMoore => {
                            vortons.add_potentials(Kernel::RosenheadMoore, row, first, sums);
                        }
                        Kernel::RigidCore => vortons.add_potentials(Kernel::RigidCore, row, first, sums),
                    }
                }
                for (to, other) in of_triangles.iter_mut().zip(&vortons.triangles).skip(own) {
                    to[k] = per_core * sums[other.vortons.clone()].iter().sum::<f32>();
                }
                of_triangles[own][k] *= 0.5;
            }
            potentials.fill([[0.0; BLOCK]; 3]);
            for (sums, other) in of_triangles.iter().zip(&vortons.triangles).skip(block * BLOCK) {
                for (&corner, edge) in other.corners.iter().zip(&other.edges) {
                    let potential = &mut potentials[corner];
                    for k in 0..BLOCK {
                        potential[0][k] += edge.x * sums[k];
                        potential[1][k] += edge.y * sums[k];
                        potential[2][k] += edge.z * sums[k];
                    }
                }
            }
            to_rows(&potentials, &mut rows);
            for (triangle, rows) in triangles.iter().zip(rows.chunks_exact(3 * n)) {
                let (x, (y, z)) = (&rows[..n], rows[n..].split_at(n));
                for (&corner, edge) in triangle.corners.iter().zip(&triangle.edges) {
                    let half = &mut half[corner * n..(corner + 1) * n];
                    for (sum, ((x, y), z)) in half.iter_mut().zip(x.iter().zip(y).zip(z)) {
                        *sum += f64::from(edge.x * x + edge.y * y + edge.z * z);
                    }
                }
            }
        }
    }
}
