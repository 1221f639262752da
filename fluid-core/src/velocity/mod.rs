//! Velocity from vorticity (E2): one kernel, several summation methods.

mod direct;
mod eddies;
mod eddy_field;
mod expansion;
mod field;
mod flow_in_ball;
mod flow_parts;
mod forecast;
mod group_flows;
mod group_potentials;
mod group_sphere;
mod kernel;
mod mesh;
mod oracle;
mod pair_energy;
mod pair_factors;
mod placed_flow;
mod solid_harmonics;
mod solver;
mod source_groups;
mod sources;
mod sources_nearby;
mod sphere_expansion;
mod strength_scale;
mod target_ball;
mod tree;

pub use crate::lanes::Precision;
pub(crate) use direct::PartedRows;
pub use direct::{DirectSettings, SourceCloud};
pub use eddies::Eddies;
pub use eddy_field::EddyField;
pub use field::PublishedField;
pub use flow_in_ball::FlowInBall;
pub(crate) use forecast::Forecast;
pub use kernel::Kernel;
pub(crate) use mesh::{Components, Scratch};
pub use oracle::DirectOracle;
pub use pair_factors::PairFactors;
pub use placed_flow::PlacedFlow;
pub use solver::SolverSettings;
pub(crate) use solver::{Fineness, SolveReport, Solver};
pub(crate) use source_groups::StretchedGroup;
pub use sources::{GroupedRows, Mirror, Sources};
pub use sources_nearby::SourcesNearby;

use crate::density::ScalarSample;
use crate::particles::ScalarQuantity;
use glam::{Mat3, Vec3};

/// Method that computes velocity from vorticity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SolverKind {
    /// [`Direct`](Self::Direct), [`Mesh`](Self::Mesh) or a tree of the vortons (E76), whichever costs less
    /// for the current vortons and some samples of their field. Decided from the positions of vortons alone,
    /// so it is the same on every machine and with any number of tracers; they differ by less than the
    /// mesh's error.
    #[default]
    Auto,
    /// Direct sum over all vortons: exact for its kernel, O(N²).
    Direct,
    /// Particle-mesh: one convolution with the deconvolved kernel gives velocity and gradient at the vortons
    /// and the field for samples (E25).
    Mesh,
}

crate::saved::variants!(SolverKind { Auto, Direct, Mesh });

/// Interpolation between nodes, of a mesh's field and of density and dye on their lattice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FieldSampling {
    /// From 8 nodes: fastest, velocity within a few percent of the largest one, density and dye within a
    /// sixteenth of their jumps; continuous.
    #[default]
    Trilinear,
    /// From 27 nodes: velocity within about a percent; continuous, and so is its gradient.
    QuadraticSpline,
}

crate::saved::variants!(FieldSampling { Trilinear, QuadraticSpline });

/// Velocity \[m/s\] and its gradient \[1/s\] at one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowSample {
    /// u.
    pub velocity: Vec3,
    /// Columns are ∂u/∂x, ∂u/∂y, ∂u/∂z.
    pub gradient: Mat3,
}

impl Default for FlowSample {
    /// Fluid at rest. (Glam's default matrix is the identity, so this is not derived.)
    fn default() -> Self {
        Self { velocity: Vec3::ZERO, gradient: Mat3::ZERO }
    }
}

impl FlowSample {
    /// Returns |∇u|² \[1/s²\], the sum of the squares of all nine derivatives.
    pub fn gradient_norm2(&self) -> f32 {
        let g = &self.gradient;
        g.x_axis.length_squared() + g.y_axis.length_squared() + g.z_axis.length_squared()
    }

    /// Returns ω = ∇ × u \[1/s\], from the gradient.
    pub fn vorticity(&self) -> Vec3 {
        let g = &self.gradient;
        Vec3::new(g.y_axis.z - g.z_axis.y, g.z_axis.x - g.x_axis.z, g.x_axis.y - g.y_axis.x)
    }
}

/// Positions sampled together when only one of their scalars is needed.
const BATCH: usize = 64;

/// A frozen flow to be sampled by tracers, particle operations and queries.
pub trait VelocityField: Sync {
    /// Writes the velocity \[m/s\] at each position \[m\] to `out`. Runs on the calling thread, does not
    /// allocate.
    ///
    /// # Panics
    /// If the slices differ in length.
    fn velocities(&self, positions: &[Vec3], out: &mut [Vec3]);

    /// Writes velocity and gradient at each position \[m\] to `out`. As [`velocities`](Self::velocities).
    ///
    /// # Panics
    /// If the slices differ in length.
    fn flow(&self, positions: &[Vec3], out: &mut [FlowSample]);

    /// As [`flow`](Self::flow), with the velocities of [`velocities`](Self::velocities) and the gradient of
    /// their interpolation: with [`FieldSampling::Trilinear`] in a third of the time, but the gradient jumps
    /// from cell to cell.
    ///
    /// # Panics
    /// If the slices differ in length.
    fn sampled_flow(&self, positions: &[Vec3], out: &mut [FlowSample]) {
        self.flow(positions, out);
    }

    /// As [`velocities`](Self::velocities), for positions of which successive ones are near each other: the
    /// flow of distant clusters of vortons may be expanded about the middle of up to 256 of them (E70),
    /// within some percent of it.
    ///
    /// # Panics
    /// If the slices differ in length.
    fn velocities_together(&self, positions: &[Vec3], out: &mut [Vec3]) {
        self.velocities(positions, out);
    }

    /// As [`sampled_flow`](Self::sampled_flow), with the velocities of
    /// [`velocities_together`](Self::velocities_together).
    ///
    /// # Panics
    /// If the slices differ in length.
    fn sampled_flow_together(&self, positions: &[Vec3], out: &mut [FlowSample]) {
        self.sampled_flow(positions, out);
    }

    /// Writes the values of [`sampled_flow`](Self::sampled_flow), or with `together` those of
    /// [`sampled_flow_together`](Self::sampled_flow_together), with their positions \[m\], to `out`.
    ///
    /// # Panics
    /// If the slices differ in length.
    fn placed_flow(&self, together: bool, positions: &[Vec3], out: &mut [PlacedFlow]) {
        place_samples(self, together, positions, out);
    }

    /// Writes density, temperature and dye at each position \[m\] to `out`. As
    /// [`velocities`](Self::velocities). A flow without scalars writes zeros.
    ///
    /// # Panics
    /// If the slices differ in length.
    fn scalars(&self, positions: &[Vec3], out: &mut [ScalarSample]) {
        assert_eq!(positions.len(), out.len(), "one sample for each position");
        out.fill(ScalarSample::default());
    }

    /// Writes one quantity of the [`scalars`](Self::scalars) at each position \[m\] to `out`. As
    /// [`velocities`](Self::velocities).
    ///
    /// # Panics
    /// If the slices differ in length.
    fn values(&self, quantity: ScalarQuantity, positions: &[Vec3], out: &mut [f32]) {
        assert_eq!(positions.len(), out.len(), "one value for each position");
        for (positions, out) in positions.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            let mut samples = [ScalarSample::default(); BATCH];
            let samples = &mut samples[..positions.len()];
            self.scalars(positions, samples);
            out.iter_mut().zip(samples).for_each(|(out, sample)| *out = quantity.of(sample));
        }
    }

    /// Advects positions \[m\] from the start of the step by the uniform wind and, inside a container, by
    /// the container's velocity, for `time` \[s\].
    fn carry(&self, _places: &mut [Vec3], _time: f32) {}

    /// Returns the eddies below the core's size, which the flow itself does not resolve; None if they are
    /// not modelled.
    fn eddies(&self) -> Option<&Eddies> {
        None
    }
}

/// Samples the flow at each position, and puts both together.
fn place_samples<F: VelocityField + ?Sized>(
    field: &F,
    together: bool,
    positions: &[Vec3],
    out: &mut [PlacedFlow],
) {
    assert_eq!(positions.len(), out.len(), "one flow for each position");
    for (positions, out) in positions.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
        let mut samples = [FlowSample::default(); BATCH];
        let samples = &mut samples[..positions.len()];
        match together {
            true => field.sampled_flow_together(positions, samples),
            false => field.sampled_flow(positions, samples),
        }
        for ((out, &place), &sample) in out.iter_mut().zip(positions).zip(&*samples) {
            *out = PlacedFlow::new(place, sample);
        }
    }
}
