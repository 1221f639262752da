//! Angular momentum of fluid in a hole due to its vorticity (E57): Σ α·χ, with vector potentials χ that
//! depend on the hole alone.

use super::panels::Point;
use crate::shapes::{MassProperties, Parity, Shape};
use crate::solve::{COLUMNS, DoubleFactor};
use crate::turning::inertia_of_turning;
use glam::{DMat3, DVec3, Vec3};

/// Highest degree of a potential's polynomials \[1\].
const DEGREE: usize = 6;
/// Number of polynomials up to that degree \[1\].
const COUNT: usize = 84;
/// Number of powers in a product of two polynomials, from 0 to twice the highest degree \[1\].
const POWERS: usize = 2 * DEGREE + 1;
/// Cells along each axis of the box around a hole, for integrals of polynomials \[1\].
const CELLS: usize = 20;
/// Penalty on the potentials' component along the walls, relative to the ratio of area and volume of the
/// hole \[1\].
const PENALTY: f64 = 100.0;
/// Cells along each axis of the box around a hole, for the table of the potentials \[1\].
const TABLE: usize = 16;

/// Potentials for the three axes of a body, interpolated linearly between nodes.
#[derive(Debug)]
pub(super) struct Potentials {
    /// Position of the first node \[m\], body's axes.
    low: Vec3,
    /// Cells per length \[1/m\].
    per_cell: Vec3,
    /// Potentials χ of rotation about the body's x, y and z axes \[m²\] at each node, x fastest.
    nodes: Vec<[Vec3; 3]>,
}

/// Integrals of products of two polynomials over the hole and its walls.
struct PolynomialIntegrals {
    /// ∫ x^a y^b z^c dV, of coordinates relative to the middle of the bounding box and divided by half of its
    /// size; c fastest.
    volume: Vec<f64>,
    /// The same integrals over the walls, weighted by the components xx, yy, zz, xy, xz, yz of 1 − n nᵀ.
    walls: Vec<[f64; 6]>,
}

impl Potentials {
    /// Computes the potentials of a hole with these points of its walls, in the body's axes.
    ///
    /// They satisfy curl curl χ = 2 e and div χ = 0 in the hole, with χ normal to its walls, by minimising
    /// ½ ∫ (curl χ)² + (div χ)² dV − ∫ 2 e·χ dV. Then curl χ is the rigid rotation e × x minus the
    /// potential flow due to walls that turn at unit rate, and the angular momentum of flow along the walls
    /// is Σ α·χ. Where edges are not right-angled the polynomials come out too small, so they are corrected
    /// to the angular momentum of rigid rotation.
    pub(super) fn of(hole: &Shape, points: &[Point]) -> Self {
        let (low, high) = hole.bounds();
        let (middle, size) = ((low + high).as_dvec3() * 0.5, (high - low).as_dvec3() * 0.5);
        let sums = PolynomialIntegrals::of(hole, points, (middle, size));
        let factors = scaled(hole, &sums, factors(&sums, size));
        let per_cell = Vec3::splat(TABLE as f32) / (high - low);
        let nodes = nodes(&factors);
        let is_finite = per_cell.is_finite() && nodes.iter().flatten().all(|value| value.is_finite());
        // If a value is not finite, all potentials are zero.
        let nodes = if is_finite { nodes } else { vec![[Vec3::ZERO; 3]; NODES * NODES * NODES] };
        Self { low, per_cell, nodes }
    }

    /// Returns χ of the body's x, y and z \[m²\] at a `place` \[m\] in the hole, body's axes. Its product
    /// with the strength of a vorton there \[m³/s\] is the vorton's part of the angular momentum per
    /// density \[m⁵/s\].
    pub(super) fn at(&self, place: Vec3) -> [Vec3; 3] {
        // A position that is NaN gives the first node: max replaces NaN by 0.
        let at = ((place - self.low) * self.per_cell).max(Vec3::ZERO).min(Vec3::splat(TABLE as f32));
        let cell = at.floor().min(Vec3::splat(TABLE as f32 - 1.0));
        let part = at - cell;
        let first = (cell.z as usize * NODES + cell.y as usize) * NODES + cell.x as usize;
        let mut potentials = [Vec3::ZERO; 3];
        for corner in 0..8 {
            let [x, y, z] = [corner & 1, corner >> 1 & 1, corner >> 2];
            let weight = |is_far: usize, part: f32| if is_far == 1 { part } else { 1.0 - part };
            let weight = weight(x, part.x) * weight(y, part.y) * weight(z, part.z);
            let node = &self.nodes[first + (z * NODES + y) * NODES + x];
            potentials.iter_mut().zip(node).for_each(|(sum, value)| *sum += *value * weight);
        }
        potentials
    }
}

/// Returns the angular momentum per density \[m⁵/s\] of a strength \[m³/s\] at a point with these
/// potentials.
pub(super) fn turning(potentials: [Vec3; 3], strength: Vec3) -> DVec3 {
    Vec3::from(potentials.map(|potential| potential.dot(strength))).as_dvec3()
}

/// Nodes along each axis \[1\].
const NODES: usize = TABLE + 1;

/// Returns the exponents of all polynomials, in their order.
fn exponents() -> impl Iterator<Item = [usize; 3]> {
    let degrees = || 0..=DEGREE;
    let all = degrees().flat_map(move |i| degrees().flat_map(move |j| degrees().map(move |k| [i, j, k])));
    all.filter(|powers| powers.iter().sum::<usize>() <= DEGREE)
}

/// Returns the three potentials with these coefficients at all nodes, x fastest.
fn nodes(factors: &[Vec<f64>; 3]) -> Vec<[Vec3; 3]> {
    let at: Vec<[f64; POWERS]> =
        (0..NODES).map(|n| row_of_powers(n as f64 * (2.0 / TABLE as f64) - 1.0)).collect();
    // Components of the three potentials, for each polynomial.
    let by_component = |n: usize| -> [f64; 9] { std::array::from_fn(|k| factors[k / 3][k % 3 * COUNT + n]) };
    let terms: Vec<([usize; 3], [f64; 9])> =
        exponents().enumerate().map(|(n, powers)| (powers, by_component(n))).collect();
    let mut nodes = Vec::with_capacity(NODES * NODES * NODES);
    for (y, z) in (0..NODES).flat_map(|z| (0..NODES).map(move |y| (y, z))) {
        // Coefficients of the powers of x along this row.
        let mut row = [[0.0; 9]; DEGREE + 1];
        for ([i, j, k], factors) in &terms {
            let value = at[y][*j] * at[z][*k];
            row[*i].iter_mut().zip(factors).for_each(|(sum, factor)| *sum += factor * value);
        }
        for powers in &at {
            let mut values = [0.0; 9];
            for (row, power) in row.iter().zip(powers) {
                values.iter_mut().zip(row).for_each(|(sum, factor)| *sum += factor * power);
            }
            nodes.push([0, 3, 6].map(|k| DVec3::new(values[k], values[k + 1], values[k + 2]).as_vec3()));
        }
    }
    nodes
}

fn row_of_powers(x: f64) -> [f64; POWERS] {
    let mut row = [1.0; POWERS];
    (1..POWERS).for_each(|n| row[n] = row[n - 1] * x);
    row
}

fn index_of([i, j, k]: [usize; 3]) -> usize {
    (i * POWERS + j) * POWERS + k
}

impl PolynomialIntegrals {
    fn of(hole: &Shape, points: &[Point], (middle, size): (DVec3, DVec3)) -> Self {
        let all = POWERS * POWERS * POWERS;
        let mut sums = Self { volume: vec![0.0; all], walls: vec![[0.0; 6]; all] };
        let cell = size * (2.0 / CELLS as f64);
        let volume = cell.x * cell.y * cell.z;
        let along: Vec<f64> = (0..CELLS).map(|n| (n as f64 + 0.5) * (2.0 / CELLS as f64) - 1.0).collect();
        for (&y, &z) in along.iter().flat_map(|z| along.iter().map(move |y| (y, z))) {
            // Sums over the cells of a row, for each power of x.
            let mut row = [0.0; POWERS];
            for &x in &along {
                let place = middle + DVec3::new(x, y, z) * size;
                // Cells cut by a wall count in part; the distance is positive inside a hole.
                let depth = f64::from(hole.surface(place.as_vec3()).distance);
                let part = (0.5 + depth / cell.min_element()).clamp(0.0, 1.0) * volume;
                row.iter_mut().zip(row_of_powers(x)).for_each(|(sum, power)| *sum += power * part);
            }
            let rows = [row, row_of_powers(y), row_of_powers(z)];
            visit(&rows, |index, value| sums.volume[index] += value);
        }
        for point in points {
            let area = point.area.as_dvec3();
            let normal = area.normalize_or_zero();
            let DVec3 { x, y, z } = normal;
            let along = [1.0 - x * x, 1.0 - y * y, 1.0 - z * z, -x * y, -x * z, -y * z];
            let along = along.map(|part| part * area.length());
            let rows = ((point.place.as_dvec3() - middle) / size).to_array().map(row_of_powers);
            visit(&rows, |index, value| {
                sums.walls[index].iter_mut().zip(along).for_each(|(sum, part)| *sum += value * part);
            });
        }
        sums
    }

    /// Returns ∫ ∂_a of `one` times ∂_b of `other`, over the hole.
    fn slopes(&self, (one, a): ([usize; 3], usize), (other, b): ([usize; 3], usize), size: DVec3) -> f64 {
        if one[a] == 0 || other[b] == 0 {
            return 0.0;
        }
        let mut powers = [one[0] + other[0], one[1] + other[1], one[2] + other[2]];
        powers[a] -= 1;
        powers[b] -= 1;
        (one[a] * other[b]) as f64 / (size[a] * size[b]) * self.volume[index_of(powers)]
    }

    /// Returns ∫ (1 − n nᵀ)_pq of `one` times `other`, over the walls.
    fn along_walls(&self, (one, p): ([usize; 3], usize), (other, q): ([usize; 3], usize)) -> f64 {
        const PARTS: [[usize; 3]; 3] = [[0, 3, 4], [3, 1, 5], [4, 5, 2]];
        let powers = [one[0] + other[0], one[1] + other[1], one[2] + other[2]];
        self.walls[index_of(powers)][PARTS[p][q]]
    }
}

/// Calls `add` with all products of powers up to twice the highest degree.
fn visit(rows: &[[f64; POWERS]; 3], mut add: impl FnMut(usize, f64)) {
    for i in 0..POWERS {
        for j in 0..POWERS - i {
            let product = rows[0][i] * rows[1][j];
            (0..POWERS - i - j).for_each(|k| add(index_of([i, j, k]), product * rows[2][k]));
        }
    }
}

/// Returns the coefficients of the polynomials of a potential's x, y and z, for each axis \[m²\].
fn factors(sums: &PolynomialIntegrals, size: DVec3) -> [Vec<f64>; 3] {
    let n = 3 * COUNT;
    let all: Vec<([usize; 3], usize)> =
        (0..3).flat_map(|p| exponents().map(move |powers| (powers, p))).collect();
    let area = sums.walls[0][..3].iter().sum::<f64>() * 0.5;
    let penalty = PENALTY * area / sums.volume[0];
    let mut matrix = vec![0.0; n * n];
    for (row, &(one, p)) in all.iter().enumerate() {
        for (column, &(other, q)) in all[..=row].iter().enumerate() {
            let slopes = |a: usize, b: usize| sums.slopes((one, a), (other, b), size);
            // The entry of ∫ (curl χ)² + (div χ)² dV.
            let inside = match p == q {
                true => (0..3).map(|a| slopes(a, a)).sum::<f64>(),
                false => slopes(p, q) - slopes(q, p),
            };
            matrix[row * n + column] = inside + penalty * sums.along_walls((one, p), (other, q));
        }
    }
    let mut x = vec![[0.0; COLUMNS]; n];
    for (x, &(powers, p)) in x.iter_mut().zip(&all) {
        x[p] = 2.0 * sums.volume[index_of(powers)];
    }
    match DoubleFactor::of(matrix, n) {
        Some(factor) => factor.solve(&mut x),
        None => x.fill([0.0; COLUMNS]),
    }
    [0, 1, 2].map(|axis| x.iter().map(|x| x[axis]).collect())
}

/// Combines the three potentials linearly so that 2 ∫ χ dV is the inertia of rigid rotation minus that of its
/// potential flow.
fn scaled(hole: &Shape, sums: &PolynomialIntegrals, factors: [Vec<f64>; 3]) -> [Vec<f64>; 3] {
    let filling = [Shape { parity: Parity::Solid, ..hole.clone() }];
    let expected = MassProperties::of(&filling).inertia() - inertia_of_turning(hole);
    let found = factors.each_ref().map(|factors| {
        let sum = |axis: usize| -> f64 {
            let own = factors[axis * COUNT..(axis + 1) * COUNT].iter().zip(exponents());
            own.map(|(factor, powers)| 2.0 * factor * sums.volume[index_of(powers)]).sum()
        };
        DVec3::new(sum(0), sum(1), sum(2))
    });
    let [x, y, z] = found;
    let scale = (DMat3::from_cols(x, y, z).inverse() * expected).transpose();
    [scale.x_axis, scale.y_axis, scale.z_axis].map(|row| {
        let of = |n: usize| factors[0][n] * row.x + factors[1][n] * row.y + factors[2][n] * row.z;
        (0..3 * COUNT).map(of).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::Pose;
    use crate::shapes::{Geometry, Polytope};
    use crate::sheet::panels::Panels;
    use glam::Quat;

    fn hull() -> Geometry {
        let corners: Vec<Vec3> = [-0.5_f32, 0.5]
            .iter()
            .flat_map(|&z| {
                [(-0.6, -0.5), (0.6, -0.5), (0.0, 0.7)].map(|(x, y)| Vec3::new(x * (1.0 - 0.4 * z), y, z))
            })
            .collect();
        Geometry::Polytope(Polytope::from_points(&corners).expect("a prism"))
    }

    /// Returns a function that is 0 on all walls of a hole, in the hole's own axes.
    fn bubble(geometry: &Geometry, place: DVec3) -> f64 {
        let walls = match geometry {
            Geometry::Sphere(ball) => f64::from(ball.radius).powi(2) - place.length_squared(),
            Geometry::Cuboid(cuboid) => {
                let half = cuboid.half_extents.as_dvec3();
                (half * half - place * place).element_product()
            }
            Geometry::Polytope(hull) => {
                hull.planes().map(|(n, offset)| f64::from(offset) - n.as_dvec3().dot(place)).product()
            }
            _ => 0.0,
        };
        walls * (1.0 + 0.5 * place.x - 0.7 * place.y + 0.6 * place.z)
    }

    /// Returns, for the flow curl (b e) along the walls, b the bubble: Σ ω·χ, and the exact angular
    /// momentum 2 e ∫ b dV.
    fn found_and_exact(hole: &Shape, potentials: &Potentials, e: DVec3) -> (DVec3, DVec3) {
        const STEPS: usize = 32;
        const STEP: f64 = 1e-3;
        let spans = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| hole.geometry.queries().span(axis));
        let cell: f64 = spans.iter().map(|(low, high)| (high - low) / STEPS as f64).product();
        let (mut found, mut whole) = (DVec3::ZERO, 0.0);
        for row in 0..STEPS * STEPS * STEPS {
            let corner = [row % STEPS, row / STEPS % STEPS, row / (STEPS * STEPS)];
            let part = corner.map(|n| (n as f64 + 0.5) / STEPS as f64);
            let place = [0, 1, 2].map(|axis| spans[axis].0 + part[axis] * (spans[axis].1 - spans[axis].0));
            let place = DVec3::from(place);
            let own = hole.pose.to_world(place.as_vec3());
            if hole.surface(own).distance < 0.0 {
                continue;
            }
            let b = |way: DVec3| bubble(&hole.geometry, place + way * STEP);
            let axes = [DVec3::X, DVec3::Y, DVec3::Z];
            // ω = ∇(e·∇b) − e ∇²b.
            let mixed = |one: DVec3, other: DVec3| {
                (b(one + other) - b(one - other) - b(other - one) + b(-one - other)) / (4.0 * STEP * STEP)
            };
            let second = axes.map(|one| DVec3::from(axes.map(|other| mixed(one, other))));
            let curl =
                DVec3::from(second.map(|row| row.dot(e))) - e * (0..3).map(|i| second[i][i]).sum::<f64>();
            found += turning(potentials.at(own), hole.pose.turn(curl.as_vec3())) * cell;
            whole += b(DVec3::ZERO) * cell;
        }
        (found, hole.pose.rotation.as_dquat().normalize() * e * (2.0 * whole))
    }

    #[test]
    fn they_give_the_angular_momentum_of_flow_along_the_walls() {
        let turn = Quat::from_scaled_axis(Vec3::new(0.3, -0.5, 0.8));
        for (geometry, allowed) in [
            (Shape::sphere(0.5).geometry, 0.01),
            (Shape::cuboid(Vec3::new(0.5, 0.25, 0.5)).geometry, 0.03),
            (Shape::cuboid(Vec3::new(0.5, 0.4, 0.3)).geometry, 0.03),
            (hull(), 0.08),
        ] {
            for pose in [Pose::IDENTITY, Pose { position: Vec3::new(0.3, 0.1, -0.4), rotation: turn }] {
                let hole = Shape { geometry: geometry.clone(), pose, parity: Parity::Hole };
                let panels = Panels::of_hole(&hole, None, 0.12).expect("not too coarse");
                let potentials = Potentials::of(&hole, &panels.fine.points);
                for e in [DVec3::X, DVec3::Y, DVec3::Z] {
                    let (found, exact) = found_and_exact(&hole, &potentials, e);
                    let error = found.distance(exact) / exact.length();
                    println!("{found} of {exact}: {error:.4}");
                    assert!(error < allowed, "{geometry:?} {pose:?}: {error}");
                }
            }
        }
    }
}
