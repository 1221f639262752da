//! Flux of a sheet through its own surface, and the energy of its flow, in f64.

use super::Six;
use super::pairs::{SheetTriangle, SheetVortons};
use super::panels::{Panels, Point, Quad};
use fluid_core::velocity::DirectSettings;
use glam::{DVec3, Vec3};

/// Influence of all vertices.
pub(super) struct Influence {
    /// Flux \[m²\] through the patch of each vertex (rows) for unit strength at each vertex (columns).
    pub(super) own: Vec<f64>,
    /// Flux \[m³/s\] of the wall through each vertex's patch for unit velocities and angular velocities.
    pub(super) of_motion: Vec<Six>,
}

impl Influence {
    /// Computes the influence at these points. `edges` are the strengths of the vortons for unit strengths
    /// at their corners \[m\].
    pub(super) fn of(
        panels: &Panels,
        points: &[Point],
        edges: &[[Vec3; 3]],
        settings: DirectSettings,
    ) -> Self {
        let places = panels.fine.quads.iter().zip(edges).map(|(quad, &edges)| Quad { edges, ..*quad });
        Self::of_vortons(panels.moments.len(), &places.collect::<Vec<Quad>>(), points, settings)
    }

    /// Same for arbitrary vortons with strengths given by those of `n` vertices.
    pub(super) fn of_vortons(n: usize, quads: &[Quad], points: &[Point], settings: DirectSettings) -> Self {
        let mut vortons = SheetVortons::new(quads, settings);
        let (mut own, mut of_motion) = (vec![0.0; n * n], vec![[0.0; 6]; n]);
        // At one point, for unit strength at each vertex.
        let mut flux = vec![0.0; n];
        for point in points {
            let (place, area) = (point.place.as_dvec3(), point.area.as_dvec3());
            flux.fill(0.0);
            for (triangle, way) in vortons.ways(place) {
                // n · (α × d) = α · (d × n)
                let across = way.cross(area);
                for (&corner, edge) in triangle.corners.iter().zip(triangle.edges) {
                    flux[corner] += edge.dot(across);
                }
            }
            let turning = place.cross(area);
            let wall = [area.x, area.y, area.z, turning.x, turning.y, turning.z];
            for (&corner, weight) in point.corners.iter().zip(point.weights) {
                let (row, weight) = (usize::from(corner), f64::from(weight));
                let sums = own[row * n..(row + 1) * n].iter_mut();
                sums.zip(&flux).for_each(|(sum, flux)| *sum += weight * flux);
                of_motion[row].iter_mut().zip(wall).for_each(|(sum, flux)| *sum += weight * flux);
            }
        }
        Self { own, of_motion }
    }
}

/// Returns the force \[m⁴/s²\] and torque \[m⁵/s²\] per density of the sheet's flow, read at the coarse
/// parts, on itself, for all pairs of unit strengths. Row 6 i + k is component k on the vortons of vertex
/// i; columns are the vertices that induce the flow. A continuous sheet exerts none on itself.
pub(super) fn own_force(panels: &Panels, settings: DirectSettings) -> Vec<f64> {
    let n = panels.moments.len();
    let mut vortons = SheetVortons::new(&panels.fine.quads, settings);
    let mut force = vec![0.0; 6 * n * n];
    let mut velocities = vec![DVec3::ZERO; n];
    for at in &panels.coarse.quads {
        let place = at.place.as_dvec3();
        velocities.fill(DVec3::ZERO);
        for (triangle, way) in vortons.ways(place) {
            for (&corner, edge) in triangle.corners.iter().zip(triangle.edges) {
                velocities[corner] += edge.cross(way);
            }
        }
        for (&corner, edge) in at.corners.iter().zip(at.edges) {
            let edge = edge.as_dvec3();
            let rows = &mut force[6 * n * usize::from(corner)..][..6 * n];
            let (linear, angular) = rows.split_at_mut(3 * n);
            let [(x, yz), (tx, tyz)] = [linear, angular].map(|rows| rows.split_at_mut(n));
            let [(y, z), (ty, tz)] = [yz, tyz].map(|rows| rows.split_at_mut(n));
            for (velocity, ((x, y), z)) in velocities.iter().zip(x.iter_mut().zip(y).zip(z)) {
                let force = velocity.cross(edge);
                (*x, *y, *z) = (*x + force.x, *y + force.y, *z + force.z);
            }
            for (velocity, ((x, y), z)) in velocities.iter().zip(tx.iter_mut().zip(ty).zip(tz)) {
                let torque = place.cross(velocity.cross(edge));
                (*x, *y, *z) = (*x + torque.x, *y + torque.y, *z + torque.z);
            }
        }
    }
    force
}

/// Returns E of the energy ½ Σ μ_i E_ij μ_j (E8) \[m\] of the sheet with the strengths μ at its vertices.
pub(super) fn energy(panels: &Panels, settings: DirectSettings) -> Vec<f64> {
    let n = panels.moments.len();
    let mut vortons = SheetVortons::new(&panels.fine.quads, settings);
    let mut energy = vec![0.0; n * n];
    // Σ G(r/σ)/σ over the vortons of one triangle and those of each triangle.
    let mut sums = vec![0.0; vortons.triangles.len()];
    // The vector potential there, for unit strength at each vertex.
    let mut potentials = vec![DVec3::ZERO; n];
    for triangle in 0..vortons.triangles.len() {
        sums.fill(0.0);
        for place in vortons.places(triangle) {
            sums.iter_mut().zip(vortons.potentials(place)).for_each(|(sum, value)| *sum += value);
        }
        potentials.fill(DVec3::ZERO);
        for (SheetTriangle { corners, edges, .. }, sum) in vortons.triangles.iter().zip(&sums) {
            corners.iter().zip(edges).for_each(|(&corner, edge)| potentials[corner] += *edge * *sum);
        }
        let SheetTriangle { corners, edges, .. } = &vortons.triangles[triangle];
        for (&corner, edge) in corners.iter().zip(edges) {
            let row = energy[corner * n..(corner + 1) * n].iter_mut();
            row.zip(&potentials).for_each(|(sum, potential)| *sum += edge.dot(*potential));
        }
    }
    energy
}

/// Returns E of the energy ½ Σ q_k E_kl q_l \[m⁵/s²\] of the sheet with the strengths Σ q_k μ_k, given that
/// of its vertices.
pub(super) fn energy_of_motion(energy: &[f64], strengths: &[Six]) -> [Six; 6] {
    let mut of_motion = [[0.0; 6]; 6];
    for (row, own) in energy.chunks_exact(strengths.len()).zip(strengths) {
        let mut of_row = [0.0; 6];
        for (energy, strength) in row.iter().zip(strengths) {
            of_row.iter_mut().zip(strength).for_each(|(sum, strength)| *sum += energy * strength);
        }
        for (sums, own) in of_motion.iter_mut().zip(own) {
            sums.iter_mut().zip(of_row).for_each(|(sum, value)| *sum += own * value);
        }
    }
    of_motion
}
