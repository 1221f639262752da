//! Optical depth of smoke along the direction of a light.
//!
//! The grid is sheared so that light runs along its columns: the optical depth is a running sum, without
//! interpolation between columns, and the shadow on a floor is the sum of a whole column.

use fluid_threads::{Executor, for_each_chunk_mut};
use glam::Vec3;

/// Nodes of a lattice with extinction coefficients, and the optical depth from the light to each.
#[derive(Debug)]
pub struct LightGrid {
    /// Position of the first node in sheared coordinates \[m\].
    low: Vec3,
    /// Edge of a cell \[m\].
    cell: f32,
    size: [usize; 3],
    /// Direction to the light, with z = 1.
    slope: Vec3,
    /// Length of a light ray per height \[1\].
    stretch: f32,
    /// Extinction \[1/m\] at nodes, later the optical depth; x fastest.
    values: Vec<f32>,
}

/// Upper bound of the number of nodes: a tall or a wide cloud has a coarser grid.
const MOST_NODES: f32 = 6e6;

impl LightGrid {
    /// Creates an empty grid around points and spheres (centre, radius), with `cells` cells along its
    /// longest edge. `towards_light` is a unit vector with a positive z.
    pub fn around(towards_light: Vec3, points: &[Vec3], spheres: &[(Vec3, f32)], cells: usize) -> Self {
        let slope = towards_light / towards_light.z;
        let shear = |p: Vec3| (p - p.z * slope).with_z(p.z);
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for point in points {
            let point = shear(*point);
            (low, high) = (low.min(point), high.max(point));
        }
        for &(centre, radius) in spheres {
            let reach = radius * (Vec3::ONE + slope.abs().with_z(0.0));
            (low, high) = (low.min(shear(centre) - reach), high.max(shear(centre) + reach));
        }
        if points.is_empty() && spheres.is_empty() {
            (low, high) = (Vec3::ZERO, Vec3::ZERO);
        }
        let extent = (high - low).max(Vec3::splat(1e-3));
        let cell = (extent.max_element() / cells as f32).max((extent.element_product() / MOST_NODES).cbrt());
        let size = (extent / cell).to_array().map(|edge| edge.ceil() as usize + 5);
        let nodes = size.iter().product();
        let low = low - 2.0 * cell;
        let stretch = towards_light.z.recip();
        Self { low, cell, size, slope, stretch, values: vec![0.0; nodes] }
    }

    /// Returns the edge of a cell \[m\].
    pub fn cell(&self) -> f32 {
        self.cell
    }

    /// Returns a point in units of cells from the first node.
    #[inline]
    fn local(&self, point: Vec3) -> Vec3 {
        let sheared = (point - point.z * self.slope).with_z(point.z);
        (sheared - self.low) / self.cell
    }

    /// Adds the extinction of particles, each with this cross-section \[m²\].
    pub fn deposit(&mut self, points: &[Vec3], cross_section: f32) {
        let extinction = cross_section / self.cell.powi(3);
        let [nx, ny, _] = self.size;
        for &point in points {
            let local = self.local(point);
            let [i, j, k] = local.to_array().map(|x| x as usize);
            let far = local - Vec3::new(i as f32, j as f32, k as f32);
            let near = (Vec3::ONE - far) * Vec3::new(1.0, 1.0, extinction);
            let far = far * Vec3::new(1.0, 1.0, extinction);
            let first = (k * ny + j) * nx + i;
            for (slice, z) in [(first, near.z), (first + nx * ny, far.z)] {
                for (row, yz) in [(slice, near.y * z), (slice + nx, far.y * z)] {
                    self.values[row] += near.x * yz;
                    self.values[row + 1] += far.x * yz;
                }
            }
        }
    }

    /// Makes the inside of a solid opaque. `distance` is the signed distance \[m\] from its surface,
    /// negative inside; the solid lies in the sphere.
    pub fn block(&mut self, (centre, radius): (Vec3, f32), distance: impl Fn(Vec3) -> f32) {
        /// Optical depth of an opaque cell.
        const OPAQUE: f32 = 4.0;
        let reach = radius * (Vec3::ONE + self.slope.abs().with_z(0.0)) / self.cell;
        let [low, high] = [self.local(centre) - reach, self.local(centre) + reach + 1.0];
        let range = |axis: usize| low[axis].max(0.0) as usize..(high[axis] as usize + 1).min(self.size[axis]);
        let [nx, ny, _] = self.size;
        for k in range(2) {
            for j in range(1) {
                for i in range(0) {
                    let sheared = self.low + self.cell * Vec3::new(i as f32, j as f32, k as f32);
                    let point = (sheared + sheared.z * self.slope).with_z(sheared.z);
                    let inside = (0.5 - distance(point) / self.cell).clamp(0.0, 1.0);
                    self.values[(k * ny + j) * nx + i] += OPAQUE * inside / self.cell;
                }
            }
        }
    }

    /// Replaces extinction by the optical depth between the light and each node (trapezoidal rule).
    pub fn march(&mut self, exec: &dyn Executor) {
        /// Nodes of a slice in one chunk.
        const CHUNK: usize = 4096;
        let slice = self.size[0] * self.size[1];
        let half = 0.5 * self.cell * self.stretch;
        // The slice above, as extinction: the slice itself holds optical depth by then.
        let mut above = vec![0.0; slice];
        for k in (0..self.size[2]).rev() {
            let (here, rest) = self.values[k * slice..].split_at_mut(slice);
            let rest = &*rest;
            for_each_chunk_mut(exec, CHUNK, (here, above.as_mut_slice()), &|start,
                                                                            (here, above): (
                &mut [f32],
                &mut [f32],
            )| {
                for (n, (here, above)) in here.iter_mut().zip(above).enumerate() {
                    let extinction = *here;
                    let depth = rest.get(start + n).copied().unwrap_or(0.0);
                    *here = depth + half * (extinction + *above);
                    *above = extinction;
                }
            });
        }
    }

    /// Returns the optical depth between the light and a point, after [`march`](Self::march). Below the
    /// grid it is that of the whole column; above and beside it 0.
    #[inline]
    pub fn optical_depth(&self, point: Vec3) -> f32 {
        let [nx, ny, nz] = self.size;
        let mut local = self.local(point);
        local.z = local.z.max(0.0);
        let last = Vec3::new((nx - 1) as f32, (ny - 1) as f32, (nz - 1) as f32);
        // Also false for NaN.
        if !(local.min_element() >= 0.0 && local.cmplt(last).all()) {
            return 0.0;
        }
        let [i, j, k] = local.to_array().map(|x| x as usize);
        let far = local - Vec3::new(i as f32, j as f32, k as f32);
        let first = (k * ny + j) * nx + i;
        let along = |n: usize| self.values[n] + far.x * (self.values[n + 1] - self.values[n]);
        let plane = |n: usize| {
            let [near, beyond] = [along(n), along(n + nx)];
            near + far.y * (beyond - near)
        };
        let [below, above] = [plane(first), plane(first + nx * ny)];
        below + far.z * (above - below)
    }
}
