//! Sums over the vortons in a hole, and at the vertices of its walls, in parts that run in parallel.

use crate::parts::{RowParts, Sum};
use fluid_threads::{Executor, Rows};
use glam::{DVec3, Vec4};

/// Contribution of vortons to the contents of a hole, in the body's axes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seen {
    /// Mass \[kg\] in excess of that of the fluid, and its moment \[kg m\] about the centre of mass.
    pub(crate) mass: f64,
    pub(crate) moment: DVec3,
    /// Angular momentum per density \[m⁵/s\].
    pub(crate) turning: DVec3,
}

impl Sum for Seen {
    fn plus(self, other: &Self) -> Self {
        Self {
            mass: self.mass + other.mass,
            moment: self.moment + other.moment,
            turning: self.turning + other.turning,
        }
    }
}

/// Vortons in and near a hole.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct HoleVortons {
    /// Σ|α| of those near it \[m³/s\].
    pub(super) strength: f32,
    /// Angular momentum per density \[m⁵/s\] of the vorticity in it, body's axes.
    pub(super) turning: DVec3,
    /// True if there are vortons in it, and vorticity near it.
    pub(super) is_filled: bool,
    pub(super) is_turning: bool,
}

impl Sum for HoleVortons {
    fn plus(self, other: &Self) -> Self {
        Self {
            strength: self.strength + other.strength,
            turning: self.turning + other.turning,
            is_filled: self.is_filled | other.is_filled,
            is_turning: self.is_turning | other.is_turning,
        }
    }
}

/// Effect of friction on the angular momentum in a hole, per density, body's axes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Braking {
    /// Angular momentum \[m⁵/s\] of the vortons.
    pub(crate) turning: DVec3,
    /// What friction adds \[m⁵/s\] for the present slip, and for unit angular velocity of the hole.
    pub(crate) dragged: DVec3,
    pub(crate) of_spin: [DVec3; 3],
}

impl Sum for Braking {
    fn plus(self, other: &Self) -> Self {
        Self {
            turning: self.turning + other.turning,
            dragged: self.dragged + other.dragged,
            of_spin: std::array::from_fn(|axis| self.of_spin[axis] + other.of_spin[axis]),
        }
    }
}

/// Visits the `rows` of vortons with the sums of their part: `T`, and one for each vertex, in `partials`.
/// Returns the sums `T` of all.
pub(super) fn sum_at_vertices<T: Sum>(
    exec: &dyn Executor,
    rows: usize,
    partials: &mut [Vec4],
    vertices: usize,
    visit: impl Fn(usize, &mut T, &mut [Vec4]) + Sync,
) -> T {
    let parts = RowParts::of(rows);
    let columns = Rows::new(&mut partials[..parts.count() * vertices], vertices);
    parts.sum_with(exec, columns, |rows, sum, of_vertices: &mut [Vec4]| {
        of_vertices.fill(Vec4::ZERO);
        rows.for_each(|row| visit(row, sum, of_vertices));
    })
}

/// Returns the sum over the parts for each vertex, after [`sum_at_vertices`].
pub(super) fn sums_of_parts(partials: &[Vec4], rows: usize, vertices: usize) -> impl Iterator<Item = Vec4> {
    let parts = RowParts::of(rows).count();
    (0..vertices).map(move |vertex| (0..parts).map(|part| partials[part * vertices + vertex]).sum())
}
