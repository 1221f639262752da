//! Flux of a sheet through its own surface, and the force of its flow on itself.

use super::Six;
use super::pairs::{PointSums, SheetVortons};
use super::panels::{Panels, Point, Quad};
use glam::Vec3;

/// Influence of all vertices.
#[derive(Clone)]
pub(super) struct Influence {
    /// Flux \[m²\] through the patch of each vertex (rows) for unit strength at each vertex (columns).
    pub(super) own: Vec<f64>,
    /// Flux \[m³/s\] of the wall through each vertex's patch for unit velocities and angular velocities.
    pub(super) of_motion: Vec<Six>,
}

impl Influence {
    /// Computes the influence of the vortons of a sheet with `n` vertices at these points.
    pub(super) fn of(n: usize, vortons: &SheetVortons, points: &[Point]) -> Self {
        let mut sums = FluxSums::new(n, points);
        vortons.add_points(&places(points), &mut sums);
        sums.influence
    }
}

fn places(points: &[Point]) -> Vec<Vec3> {
    points.iter().map(|point| point.place).collect()
}

/// Returns the influence of the vortons at the points at which flow is read, and the sheet's force on itself
/// there ([`ForceSums`]).
pub(super) fn as_read(panels: &Panels, vortons: &SheetVortons) -> (Influence, Vec<f32>) {
    let (n, coarse) = (panels.moments.len(), &panels.coarse);
    let (mut flux, mut force) = (FluxSums::new(n, &coarse.points), ForceSums::new(n, &coarse.quads));
    let of_points = places(&coarse.points);
    let of_quads: Vec<Vec3> = coarse.quads.iter().map(|quad| quad.place).collect();
    if of_points == of_quads {
        let mut both = (flux, force);
        vortons.add_points(&of_points, &mut both);
        (flux, force) = both;
    } else {
        vortons.add_points(&of_points, &mut flux);
        vortons.add_points(&of_quads, &mut force);
    }
    (flux.influence, force.force)
}

struct FluxSums<'a> {
    n: usize,
    points: &'a [Point],
    influence: Influence,
    /// At one point, for unit strength at each vertex.
    flux: Vec<f32>,
}

impl<'a> FluxSums<'a> {
    fn new(n: usize, points: &'a [Point]) -> Self {
        let influence = Influence { own: vec![0.0; n * n], of_motion: vec![[0.0; 6]; n] };
        Self { n, points, influence, flux: vec![0.0; n] }
    }
}

impl PointSums for FluxSums<'_> {
    #[inline(always)]
    fn add(&mut self, point: usize, [x, y, z]: [&[f32]; 3]) {
        let Self { n, points, influence: Influence { own, of_motion }, flux } = self;
        let Point { place, area, corners, weights } = &points[point];
        for (flux, ((x, y), z)) in flux.iter_mut().zip(x.iter().zip(y).zip(z)) {
            *flux = x * area.x + y * area.y + z * area.z;
        }
        let (place, area) = (place.as_dvec3(), area.as_dvec3());
        let turning = place.cross(area);
        let wall = [area.x, area.y, area.z, turning.x, turning.y, turning.z];
        for (&corner, &weight) in corners.iter().zip(weights) {
            let row = usize::from(corner);
            let sums = own[row * *n..(row + 1) * *n].iter_mut();
            sums.zip(flux.iter()).for_each(|(sum, flux)| *sum += f64::from(weight * flux));
            let weight = f64::from(weight);
            of_motion[row].iter_mut().zip(wall).for_each(|(sum, flux)| *sum += weight * flux);
        }
    }
}

/// Force \[m⁴/s²\] and torque \[m⁵/s²\] per density of the sheet's flow on vortons, for all pairs of unit
/// strengths. A continuous sheet exerts none on itself.
struct ForceSums<'a> {
    n: usize,
    quads: &'a [Quad],
    /// Row 6 i + k is component k on the vortons of vertex i; columns are the vertices that induce the flow.
    force: Vec<f32>,
}

impl<'a> ForceSums<'a> {
    fn new(n: usize, quads: &'a [Quad]) -> Self {
        Self { n, quads, force: vec![0.0; 6 * n * n] }
    }
}

impl PointSums for ForceSums<'_> {
    #[inline(always)]
    fn add(&mut self, point: usize, [vx, vy, vz]: [&[f32]; 3]) {
        let Self { n, quads, force } = self;
        let n = *n;
        let quad = &quads[point];
        let place = quad.place;
        for (&corner, edge) in quad.corners.iter().zip(quad.edges) {
            let rows = &mut force[6 * n * usize::from(corner)..][..6 * n];
            let (linear, angular) = rows.split_at_mut(3 * n);
            let [(x, yz), (tx, tyz)] = [linear, angular].map(|rows| rows.split_at_mut(n));
            let [(y, z), (ty, tz)] = [yz, tyz].map(|rows| rows.split_at_mut(n));
            let (vx, vy, vz) = (&vx[..n], &vy[..n], &vz[..n]);
            for k in 0..n {
                // velocity × edge, and place × that.
                let fx = vy[k] * edge.z - edge.y * vz[k];
                let fy = vz[k] * edge.x - edge.z * vx[k];
                let fz = vx[k] * edge.y - edge.x * vy[k];
                (x[k], y[k], z[k]) = (x[k] + fx, y[k] + fy, z[k] + fz);
                tx[k] += place.y * fz - fy * place.z;
                ty[k] += place.z * fx - fz * place.x;
                tz[k] += place.x * fy - fx * place.y;
            }
        }
    }
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
