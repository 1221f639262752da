//! What a sheet does to the flux through its own surface, and the energy of its flow, in f64.

use super::Six;
use super::panels::{Panels, Point, Quad};
use fluid_core::velocity::DirectSettings;
use glam::{DVec3, Vec3};
use std::f64::consts::PI;

/// Of all vertices.
pub(super) struct Influence {
    /// Flux \[m²\] through the patch of each vertex (rows) for unit strength at each vertex (columns).
    pub(super) own: Vec<f64>,
    /// Flux \[m³/s\] of the wall through each vertex's patch for unit velocities and angular velocities.
    pub(super) of_motion: Vec<Six>,
}

impl Influence {
    /// As measured at these points. `edges` are the strengths of the vortons for unit strengths at their
    /// corners \[m\].
    pub(super) fn of(
        panels: &Panels,
        points: &[Point],
        edges: &[[Vec3; 3]],
        settings: DirectSettings,
    ) -> Self {
        let places = panels.fine.quads.iter().zip(edges).map(|(quad, &edges)| Quad { edges, ..*quad });
        Self::of_vortons(panels.moments.len(), &places.collect::<Vec<Quad>>(), points, settings)
    }

    /// The same of any vortons whose strengths are those of `n` vertices.
    pub(super) fn of_vortons(n: usize, quads: &[Quad], points: &[Point], settings: DirectSettings) -> Self {
        let core = f64::from(settings.core_radius);
        let per_core = 1.0 / core;
        let factor = 1.0 / (4.0 * PI * core * core * core);
        let (mut own, mut of_motion) = (vec![0.0; n * n], vec![[0.0; 6]; n]);
        // Of one point, for unit strength at each vertex.
        let mut flux = vec![0.0; n];
        for point in points {
            let (place, area) = (point.place.as_dvec3(), point.area.as_dvec3());
            flux.fill(0.0);
            for Quad { place: from, corners, edges } in quads {
                let d = place - from.as_dvec3();
                let across = d.cross(area) * (factor * settings.kernel.q_over_cube(d.length() * per_core));
                // n · (α × d) = α · (d × n)
                for (&corner, edge) in corners.iter().zip(edges) {
                    flux[usize::from(corner)] += edge.as_dvec3().dot(across);
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

/// Force per density \[m⁴/s²\] and torque \[m⁵/s²\] of the sheet's flow, read at the coarse parts, on itself
/// for all pairs of unit strengths: row 6 i + k is component k for vertex i, whose vortons feel those of each
/// vertex (columns). A sheet that is no sum of single vortons has none.
pub(super) fn own_force(panels: &Panels, settings: DirectSettings) -> Vec<f64> {
    let n = panels.moments.len();
    let core = f64::from(settings.core_radius);
    let per_core = 1.0 / core;
    let factor = 1.0 / (4.0 * PI * core * core * core);
    let mut force = vec![0.0; 6 * n * n];
    let mut velocities = vec![DVec3::ZERO; n];
    for at in &panels.coarse.quads {
        let place = at.place.as_dvec3();
        velocities.fill(DVec3::ZERO);
        for Quad { place: from, corners, edges } in &panels.fine.quads {
            let d = place - from.as_dvec3();
            let d = d * (factor * settings.kernel.q_over_cube(d.length() * per_core));
            for (&corner, edge) in corners.iter().zip(edges) {
                velocities[usize::from(corner)] += edge.as_dvec3().cross(d);
            }
        }
        for (&corner, edge) in at.corners.iter().zip(at.edges) {
            let row = 6 * usize::from(corner);
            for (column, velocity) in velocities.iter().enumerate() {
                let linear = velocity.cross(edge.as_dvec3());
                let angular = place.cross(linear);
                for (k, value) in linear.to_array().into_iter().chain(angular.to_array()).enumerate() {
                    force[(row + k) * n + column] += value;
                }
            }
        }
    }
    force
}

/// E of the energy ½ Σ q_k E_kl q_l (E8) \[m⁵/s²\] of the sheet with the strengths Σ q_k μ_k.
pub(super) fn energy(panels: &Panels, strengths: &[Six], settings: DirectSettings) -> [Six; 6] {
    let core = f64::from(settings.core_radius);
    let per_core = 1.0 / core;
    let vortons: Vec<[DVec3; 6]> = panels
        .fine
        .quads
        .iter()
        .map(|quad| [0, 1, 2, 3, 4, 5].map(|k| quad.strength(strengths, k)))
        .collect();
    let mut energy = [[0.0; 6]; 6];
    let places: Vec<DVec3> = panels.fine.quads.iter().map(|quad| quad.place.as_dvec3()).collect();
    for (place, own) in places.iter().zip(&vortons) {
        // The vector potential there, of each motion.
        let mut potentials = [DVec3::ZERO; 6];
        for (other, strengths) in places.iter().zip(&vortons) {
            let green = settings.kernel.green(place.distance(*other) * per_core) * per_core;
            potentials.iter_mut().zip(strengths).for_each(|(sum, strength)| *sum += *strength * green);
        }
        for (row, own) in energy.iter_mut().zip(own) {
            row.iter_mut().zip(potentials).for_each(|(sum, potential)| *sum += own.dot(potential));
        }
    }
    energy
}
