//! Sums over the vortons of a sheet at given points, in f64: first a vectorised loop over all vortons, then
//! sums over the vortons of each triangle, which have the same corners and strengths.

use super::panels::Quad;
use fluid_core::velocity::{DirectSettings, Kernel};
use glam::DVec3;
use std::f64::consts::PI;
use std::ops::Range;

/// Vortons of a sheet by component, with scratch memory for the sums.
pub(super) struct SheetVortons {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    pub(super) triangles: Vec<SheetTriangle>,
    kernel: Kernel,
    /// Reciprocal core radius \[1/m\].
    per_core: f64,
    /// Summands of each vorton, by component.
    values: [Vec<f64>; 3],
}

/// Vortons with the same corners and strengths.
pub(super) struct SheetTriangle {
    vortons: Range<usize>,
    pub(super) corners: [usize; 3],
    /// Strength of each vorton for unit strengths of the sheet at the corners \[m\].
    pub(super) edges: [DVec3; 3],
}

impl SheetVortons {
    /// Groups vortons by triangle; those of one triangle must be consecutive.
    pub(super) fn new(quads: &[Quad], settings: DirectSettings) -> Self {
        let (mut x, mut y, mut z) = (Vec::new(), Vec::new(), Vec::new());
        let mut triangles: Vec<SheetTriangle> = Vec::new();
        for Quad { place, corners, edges } in quads {
            let (row, place) = (x.len(), place.as_dvec3());
            x.push(place.x);
            y.push(place.y);
            z.push(place.z);
            let (corners, edges) = (corners.map(usize::from), edges.map(|edge| edge.as_dvec3()));
            match triangles.last_mut().filter(|last| last.corners == corners && last.edges == edges) {
                Some(last) => last.vortons.end = row + 1,
                None => triangles.push(SheetTriangle { vortons: row..row + 1, corners, edges }),
            }
        }
        let values = [0; 3].map(|_| vec![0.0; x.len()]);
        let per_core = 1.0 / f64::from(settings.core_radius);
        Self { x, y, z, triangles, kernel: settings.kernel, per_core, values }
    }

    /// Returns Σ q(r/σ) r/(4π r³) \[1/m²\] over the vortons of each triangle, r from them to `place` \[m\].
    /// The cross product of their strength and this is their velocity (E2).
    pub(super) fn ways(&mut self, place: DVec3) -> impl Iterator<Item = (&SheetTriangle, DVec3)> {
        // One loop per kernel: loops without branches vectorise.
        match self.kernel {
            Kernel::WinckelmansLeonard => self.find_ways(Kernel::WinckelmansLeonard, place),
            Kernel::RosenheadMoore => self.find_ways(Kernel::RosenheadMoore, place),
            Kernel::RigidCore => self.find_ways(Kernel::RigidCore, place),
        }
        let [x, y, z] = &self.values;
        self.triangles.iter().map(|triangle| {
            let sum = |values: &[f64]| values[triangle.vortons.clone()].iter().sum::<f64>();
            (triangle, DVec3::new(sum(x), sum(y), sum(z)))
        })
    }

    #[inline(always)]
    fn find_ways(&mut self, kernel: Kernel, place: DVec3) {
        let (per_core2, factor) = (self.per_core * self.per_core, self.per_core.powi(3) / (4.0 * PI));
        let [wx, wy, wz] = &mut self.values;
        let places = self.x.iter().zip(&self.y).zip(&self.z);
        for (((wx, wy), wz), ((x, y), z)) in wx.iter_mut().zip(wy).zip(wz).zip(places) {
            let (x, y, z) = (place.x - x, place.y - y, place.z - z);
            let square = (x * x + y * y + z * z) * per_core2;
            let weight = factor * kernel.q_over_cube_of_square(square);
            (*wx, *wy, *wz) = (x * weight, y * weight, z * weight);
        }
    }

    /// Returns Σ G(r/σ)/σ \[1/m\] over the vortons of each triangle: times their strength, that is their
    /// vector potential at `place` \[m\] (E8).
    pub(super) fn potentials(&mut self, place: DVec3) -> impl Iterator<Item = f64> {
        match self.kernel {
            Kernel::WinckelmansLeonard => self.find_potentials(Kernel::WinckelmansLeonard, place),
            Kernel::RosenheadMoore => self.find_potentials(Kernel::RosenheadMoore, place),
            Kernel::RigidCore => self.find_potentials(Kernel::RigidCore, place),
        }
        let values = &self.values[0];
        self.triangles.iter().map(|triangle| values[triangle.vortons.clone()].iter().sum::<f64>())
    }

    #[inline(always)]
    fn find_potentials(&mut self, kernel: Kernel, place: DVec3) {
        let (per_core, per_core2) = (self.per_core, self.per_core * self.per_core);
        let places = self.x.iter().zip(&self.y).zip(&self.z);
        for (value, ((x, y), z)) in self.values[0].iter_mut().zip(places) {
            let (x, y, z) = (place.x - x, place.y - y, place.z - z);
            let square = (x * x + y * y + z * z) * per_core2;
            *value = kernel.green_of_square(square) * per_core;
        }
    }

    /// Returns the positions of a triangle's vortons \[m\].
    pub(super) fn places(&self, triangle: usize) -> Vec<DVec3> {
        let vortons = self.triangles[triangle].vortons.clone();
        vortons.map(|row| DVec3::new(self.x[row], self.y[row], self.z[row])).collect()
    }
}
