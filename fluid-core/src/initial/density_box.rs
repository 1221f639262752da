//! A box of denser or lighter fluid.

use super::density_ball::heat;
use super::error::{InitialError, amount, collected, length, out_of_range, point, within};
use super::lattice::{Lattice, MAX_INITIAL_VORTONS, Sample, cells_nearest};
use crate::particles::Vorton;
use glam::{DMat3, DVec3, Vec3};

/// A box of fluid at rest with a density different from the ambient's: layers, blocks, or, with deviation
/// 0, plain fluid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DensityBox {
    /// Centre \[m\].
    pub centre: Vec3,
    /// Edges of the box \[m\].
    pub extent: Vec3,
    /// Density minus the ambient's \[kg/m³\].
    pub density_deviation: f32,
    /// Lattice spacing h \[m\]. Each edge is divided into a whole number of cells, at least one, as close
    /// to this size as possible: the box is filled exactly.
    pub spacing: f32,
    /// Concentration of dye, 0 to 1.
    pub dye: f32,
    /// Heat that the fuel releases when it burns \[J/m³\], at least 0 (E62).
    pub fuel: f32,
}

impl DensityBox {
    /// Returns the vortons. Σ V is the volume of the box, Σ m' that times `density_deviation`, Σ dye that
    /// times `dye`, Σ fuel that times `fuel`.
    ///
    /// # Errors
    /// Names the first field that is out of range; `spacing` also if it yields more than
    /// [`MAX_INITIAL_VORTONS`](super::MAX_INITIAL_VORTONS).
    pub fn vortons(&self) -> Result<Vec<Vorton>, InitialError> {
        let centre = point("centre", self.centre)?;
        let [x, y, z] = self.extent.to_array();
        let extent = [length("extent.x", x)?, length("extent.y", y)?, length("extent.z", z)?];
        let deviation = f64::from(self.density_deviation);
        amount("density_deviation", self.density_deviation)?;
        let spacing = length("spacing", self.spacing)?;
        within("dye", self.dye, 0.0, 1.0, "from 0 to 1")?;
        within("fuel", self.fuel, 0.0, f32::MAX, "at least 0")?;
        let cells = extent.map(|edge| cells_nearest(edge, spacing));
        let count = cells.iter().product::<f64>();
        if count > MAX_INITIAL_VORTONS as f64 {
            return Err(out_of_range("spacing", self.spacing, "coarser: at most 2^20 vortons"));
        }
        // In units of cells, which need not be cubes.
        let lattice = Lattice { centre: DVec3::ZERO, frame: DMat3::IDENTITY, spacing: 1.0, cells };
        let cell = DVec3::from_array(extent) / DVec3::from_array(cells);
        let volume = cell.element_product();
        let vorton = |position: DVec3| Vorton {
            position: (centre + cell * position).as_vec3(),
            volume: volume as f32,
            mass_deviation: (deviation * volume) as f32,
            dye: (f64::from(self.dye) * volume) as f32,
            fuel: heat(volume, self.fuel),
            ..Vorton::default()
        };
        let samples = lattice.sample(|_| Some(DVec3::ZERO))?;
        let place = |sample: &Sample| sample.position + off_the_plane(sample.position, cells);
        collected(samples.iter().map(|sample| vorton(place(sample))))
    }
}

/// Offset \[cells\] of a vorton along the axes with one layer of cells, to either side in turns: density in
/// exactly one plane or line is no three-dimensional fluid (E28).
fn off_the_plane(position: DVec3, cells: [f64; 3]) -> DVec3 {
    let index = (position + 0.5 * DVec3::from_array(cells)).floor().element_sum();
    let mut period = 1.0;
    let is_one = cells == [1.0; 3];
    DVec3::from_array(cells.map(|count| {
        if count > 1.0 || is_one {
            return 0.0;
        }
        period *= 2.0;
        if (index / period).fract() < 0.5 { -OFFSET } else { OFFSET }
    }))
}

/// Size of that offset \[cells\]: far above the thickness below which a cloud is flat.
const OFFSET: f64 = 0.02;
