//! Doublet sheets on the surfaces of bodies (E51), which keep fluid from passing through a surface where no
//! vorton touches it.
//!
//! A sheet of strength μ, linear on triangles, is equivalent to vortons along the surface. Its strengths
//! follow from the flux through the surface of all other flow and of the body's motion, by a matrix that
//! depends on the shape alone.

mod body_motion;
mod closing;
mod flow;
mod history;
mod influence;
mod lever;
mod pairs;
mod panels;
mod potentials;
mod slip;
mod walls;
mod welded;
mod wet;

pub(crate) use body_motion::BodyMotion;
pub(crate) use flow::{Answer, NearSheets, OwnGroup, Pair, SheetFlow};
pub(crate) use slip::Patch;
pub(crate) use walls::{Braking, Seen, WallFlow, WallSheet};

use crate::added_inertia::AddedInertia;
use crate::shapes::Shape;
use crate::solve::LeastSquares;
use crate::surface::hidden;
use fluid_core::math::trace;
use fluid_core::velocity::DirectSettings;
use fluid_core::{InstructionSet, VectorJob, run_in_vectors};
use glam::{DMat3, DVec3};
use influence::Influence;
use lever::{LEAST_LEVER, NO_LEVER, ROUND, lever, squares_of_lever};
use pairs::SheetVortons;
use panels::{Panels, Quad, SubdividedTriangles};

/// Maximum number of vertices of a sheet \[1\].
pub(crate) const MOST_VERTICES: usize = 272;

/// Maximum number of points at which the sheet of a solid reads the flow \[1\]: four for each triangle.
pub(crate) const READ_POINTS: usize = 4 * (2 * MOST_VERTICES - 4);

/// Regularisation of small strengths, relative to the strength with the largest flux \[1\]: needles and
/// slivers have strengths with hardly any flux.
const STRENGTH_REGULARISATION: f64 = 1e-4;

/// Upper bounds on the slip along a sheet, relative to the speed of the body and to that of a uniform flow
/// that it answers \[1\]: two sides closer than a core radius have strengths of any size with hardly any
/// flux, and a mesh errs by some percent of them. A tetrahedron of four core radii needs 30.
const MOST_SLIP: [f64; 2] = [30.0, 30.0];

/// The same for the thinnest bodies; a sharp sheet on a ball has 1.5. Without it a plate of a third of a core
/// radius that moves along its plane has five times the impulse of a sharp sheet, and the force of others on
/// these strengths drives it faster and faster.
const MOST_SLIP_OF_THIN: [f64; 2] = [4.0, 3.0];

/// Thickness of a body, twice its volume over its area, below which the bounds fall, with its eighth power:
/// in core radii, and relative to the edge of a cube of its area (of which a cube has a third, a plate of a
/// tenth of its width .13).
const THIN: f64 = 0.75;
const SLENDER: f64 = 0.25;

/// Factor between successive trial values of the regularisation \[1\].
const WEAKER: f64 = 3.0;

/// Trial value after which no other is tried \[1\]: of any shape hardly a thousandth of the strengths is
/// left.
const MOST_WEAKENED: f64 = 30.0;

/// As [`STRENGTH_REGULARISATION`], for flux read from the flow, which contains the effect of the sheet's own
/// answer: a mesh errs by a few percent of the largest strengths, and an answer to that would grow from step
/// to step.
const REGULARISATION_OF_OTHERS: f64 = 0.03;

/// Width of a body's smallest shape, the edge of a cube of its area \[core radii\], below which the mesh errs
/// by more, and the factor by which the regularisation of such a body exceeds that of others at most \[1\].
/// Cubes of 1.4 to 2.1 core radii beside a ring need factors of up to 2.
const SMALL: f64 = 2.5;
const MOST_REGULARISATION: f64 = 5.0;

/// Linear and angular components, or velocity and angular velocity.
type Six = [f64; 6];

/// Data that depends on the shape alone, in the body's axes, about its centre of mass.
#[derive(Debug)]
pub(crate) struct Sheet {
    quads: Vec<Quad>,
    /// Points at which the flow of others is read.
    read: SubdividedTriangles,
    /// True if the vortons coincide with the points at which flow is read.
    is_flat: bool,
    /// Radius \[m\] of a ball about the centre of mass that encloses all points at which flow is read.
    radius: f32,
    /// Core radius \[m\].
    core_radius: f32,
    /// Edge of a square for each vertex, at least a core radius \[m\].
    spacing: f32,
    /// Vertices on the surface.
    surface: Vec<slip::Vertex>,
    /// Flux through each vertex's patch \[m²\], at the points where it is read, for unit strength at each
    /// vertex; one column per vertex.
    own: Vec<f32>,
    /// Strengths \[1/m²\] for unit flux through each vertex's patch; one column per patch.
    answer: Vec<f32>,
    /// Force and torque per density of the sheet on itself, six rows for each vertex, for unit strength at
    /// each vertex; one column per vertex. They are errors of representing a sheet by vortons.
    own_force: Vec<f32>,
    /// Strengths \[m²/s\] at each vertex for unit velocities and unit angular velocities of the body.
    of_motion: Vec<[f32; 6]>,
    /// Impulse \[m²\] and angular impulse \[m³\] for unit strength at each vertex.
    moments: Vec<Six>,
    /// Factors that convert impulse and angular impulse of the smoothed sheet to those of a sharp one
    /// \[1\].
    sharpening: (DMat3, f64),
    /// The same for the force and torque of flow, but for thin bodies, which have no such ratio \[1\].
    force_sharpening: (DMat3, f64),
    /// Maps the impulse of a sharp sheet to the velocity of the uniform flow that it answers \[1/m³\].
    drift: DMat3,
    /// Part of a torque that pressure can exert \[1\]: zero about an axis of symmetry, where any computed
    /// torque is an error.
    lever: DMat3,
    /// Axes about which pressure has a lever arm \[1\]: 1 about these, 0 about the others.
    turns: DMat3,
    /// ∫ (x × n)(x × n)ᵀ dS \[m⁴\], the lever arms of pressure.
    arms: DMat3,
    /// Axes about which the body is not round \[1\]: 1 about these, 0 about an axis of symmetry.
    not_round: DMat3,
    /// Mean slip along the sheet for unit velocities \[1\] and angular velocities \[m\] of the body.
    slip: [f32; 6],
    /// E of the energy ½ Σ q_k E_kl q_l \[m⁵/s²\] of the sheet's flow for a motion q of the body.
    energy_of_motion: [Six; 6],
    /// E of the energy ½ Σ μ_i E_ij μ_j \[m\] of the sheet's flow for strengths μ at its vertices; one column
    /// per vertex.
    energy: Vec<f32>,
}

impl Sheet {
    /// Creates the sheet of a body with these solids, `displaced` volume \[m³\] and `added` inertia; `None`
    /// without solids, or with too many for a sheet.
    pub(crate) fn of(
        solids: &[Shape],
        (displaced, added): (f64, &AddedInertia),
        settings: DirectSettings,
    ) -> Option<Self> {
        let panels = Panels::of(solids, settings.core_radius.into())?;
        let n = panels.moments.len();
        let vortons = SheetVortons::new(n, panels.fine.quads.iter().copied(), settings);
        let (as_read, own_force) = influence::as_read(&panels, &vortons);
        let influence = match panels.is_read_everywhere {
            true => as_read.clone(),
            false => Influence::of(n, &vortons, &panels.fine.points),
        };
        let equations = LeastSquares::of(&influence.own, n);
        let thickness = thickness(displaced, panels.area(), settings.core_radius.into());
        let most = most_slip(thickness);
        let spacing = settings.core_radius.max((panels.area() / n as f64).sqrt() as f32);
        let (weakest, solved) = solved(&panels, &equations, &influence.of_motion, most);
        // In f64: the strengths of thin bodies are sensitive to rounding.
        let width = least_width(solids) / f64::from(settings.core_radius);
        let factor = (SMALL / width).powi(3).clamp(1.0, MOST_REGULARISATION);
        let answer = equations.factorised((REGULARISATION_OF_OTHERS * factor).max(weakest)).inverse();
        let energy = vortons.energy();
        let sharpening = sharpening(&panels.moments, &solved, displaced, added);
        let linear = DMat3::IDENTITY + (sharpening.0 - DMat3::IDENTITY) * thickness;
        let angular = 1.0 + (sharpening.1 - 1.0) * thickness;
        let (arms, square) = squares_of_lever(solids, &panels.coarse.points);
        Some(Self {
            surface: slip::vertices(&panels),
            slip: panels.slip(&solved).map(|slip| slip as f32),
            drift: finite(sharp(displaced, added).inverse()),
            sharpening,
            force_sharpening: (linear, angular),
            own_force: columns(&own_force, n),
            own: columns(&as_read.own, n),
            answer: columns(&answer, n),
            of_motion: solved.iter().map(|of_one| of_one.map(|value| value as f32)).collect(),
            moments: panels.moments,
            quads: panels.fine.quads,
            lever: lever(&square, LEAST_LEVER),
            turns: lever(&(square * square), NO_LEVER * NO_LEVER),
            arms,
            not_round: lever(&square, ROUND),
            radius: panels.coarse.radius(),
            core_radius: settings.core_radius,
            spacing,
            read: panels.coarse,
            is_flat: panels.is_flat,
            energy_of_motion: influence::energy_of_motion(&energy, &solved),
            energy: columns(&energy, n),
        })
    }

    /// Returns an upper bound on the mean slip for this motion \[m/s\].
    fn slip(&self, motion: &[f32; 6]) -> f32 {
        self.slip.iter().zip(motion).map(|(slip, q)| slip * q.abs()).sum()
    }

    fn vertices(&self) -> usize {
        self.of_motion.len()
    }
}

/// Returns 1 for a body of this volume and area that is not thin, and towards 0 the thinner it is \[1\].
fn thickness(volume: f64, area: f64, core_radius: f64) -> f64 {
    let thickness = 2.0 * volume / area;
    let (in_cores, slender) = (thickness / core_radius, thickness / (area / 6.0).sqrt());
    (in_cores / THIN).max(slender / SLENDER).min(1.0).powi(8)
}

/// Returns the bounds on the slip due to the motion of a body of this thickness, and due to its answers.
fn most_slip(thickness: f64) -> [f64; 2] {
    [0, 1].map(|k| MOST_SLIP_OF_THIN[k] + (MOST_SLIP[k] - MOST_SLIP_OF_THIN[k]) * thickness)
}

/// Returns the edge \[m\] of a cube with the area of the smallest of these shapes, without those inside of
/// others.
fn least_width(solids: &[Shape]) -> f64 {
    let seen = solids.iter().zip(hidden(solids)).filter(|(_, hidden)| !hidden).map(|(shape, _)| shape);
    seen.map(|shape| (shape.geometry.queries().area() / 6.0).sqrt()).fold(f64::INFINITY, f64::min)
}

/// Solves for the strengths for unit velocities and angular velocities, each with the smallest trial value of
/// the regularisation that keeps its slip within the first bound, for thin bodies mixed with the one before.
/// Returns them, and the smallest trial value with which all are within the second bound.
fn solved(
    panels: &Panels,
    equations: &LeastSquares<'_>,
    of_motion: &[Six],
    [most, most_of_answer]: [f64; 2],
) -> (f64, Vec<Six>) {
    let reach = panels.reach();
    let mut weakest = STRENGTH_REGULARISATION;
    let (mut strengths, mut slips) = (vec![[0.0; 6]; of_motion.len()], [f64::INFINITY; 6]);
    loop {
        let solved = equations.factorised(weakest).solve(of_motion);
        let [a, b, c, d, e, f] = panels.slip(&solved);
        let next = [a, b, c, d / reach, e / reach, f / reach];
        for (k, slip) in slips.iter_mut().enumerate().filter(|(_, slip)| **slip > most) {
            // The slip of a mixture of both is at most the same mixture of theirs.
            let part = ((*slip - most) / (*slip - next[k])).clamp(0.0, 1.0);
            let part = if part.is_nan() || most >= MOST_SLIP[0] { 1.0 } else { part };
            let mixed = |from: f64, to: f64| if part < 1.0 { from + (to - from) * part } else { to };
            strengths.iter_mut().zip(&solved).for_each(|(of, to)| of[k] = mixed(of[k], to[k]));
            *slip = if part < 1.0 { most } else { next[k] };
        }
        let is_done =
            slips.iter().all(|&slip| slip <= most) && next.iter().all(|&slip| slip <= most_of_answer);
        if is_done || weakest >= MOST_WEAKENED {
            return (weakest, strengths);
        }
        weakest *= WEAKER;
    }
}

/// A body of the fluid's density moves with uniform flow only if its own flow and its answer to the fluid
/// have the same inertia: that of the displaced fluid plus the added inertia. The inertia of the smoothed
/// sheet is larger. For rotation, where fluid inside the sheet does not rotate with the body, only an
/// approximate factor is known.
fn sharpening(moments: &[Six], strengths: &[Six], displaced: f64, added: &AddedInertia) -> (DMat3, f64) {
    let column = |axis: usize| {
        let rows = moments.iter().zip(strengths);
        rows.fold(DVec3::ZERO, |sum, (m, strength)| sum + DVec3::new(m[0], m[1], m[2]) * strength[axis])
    };
    let smoothed = DMat3::from_cols(column(0), column(1), column(2));
    let sharp = sharp(displaced, added);
    let (linear, angular) = (sharp * smoothed.inverse(), trace(&sharp) / trace(&smoothed));
    if linear.is_finite() && angular.is_finite() { (linear, angular) } else { (DMat3::IDENTITY, 1.0) }
}

/// Returns the impulse per density of a sharp sheet for unit velocities \[m³\].
fn sharp(displaced: f64, added: &AddedInertia) -> DMat3 {
    added.linear + DMat3::from_diagonal(DVec3::splat(displaced))
}

fn finite(matrix: DMat3) -> DMat3 {
    if matrix.is_finite() { matrix } else { DMat3::ZERO }
}

/// Converts a matrix of `n` columns from rows to columns.
fn columns<T: Copy + Into<f64>>(matrix: &[T], n: usize) -> Vec<f32> {
    /// Rows read together: a line of the cache is then written at once.
    const ROWS: usize = 16;
    let rows = matrix.len() / n;
    let mut out = vec![0.0; matrix.len()];
    for (block, from) in matrix.chunks(ROWS * n).enumerate() {
        for (column, to) in out.chunks_exact_mut(rows).enumerate() {
            let to = to[block * ROWS..].iter_mut();
            to.zip(from[column..].iter().step_by(n)).for_each(|(to, &value)| *to = value.into() as f32);
        }
    }
    out
}

/// Writes the product of a matrix, stored by columns, and a vector to `out`.
fn multiply(columns: &[f32], vector: &[f32], out: &mut [f32]) {
    run_in_vectors(InstructionSet::Auto, ColumnSums { columns, vector, out });
}

struct ColumnSums<'a> {
    columns: &'a [f32],
    vector: &'a [f32],
    out: &'a mut [f32],
}

impl VectorJob for ColumnSums<'_> {
    #[inline(always)]
    fn run(self) {
        // Four at a time, so that the sums are loaded and stored less often.
        const TOGETHER: usize = 4;
        let Self { columns, vector, out } = self;
        let len = out.len();
        out.fill(0.0);
        let vector = &vector[..vector.len().min(columns.len() / len)];
        let (fours, rest) = vector.as_chunks::<TOGETHER>();
        let (of_fours, of_rest) = columns.split_at(fours.len() * TOGETHER * len);
        for (factors, columns) in fours.iter().zip(of_fours.chunks_exact(TOGETHER * len)) {
            let (a, b, c, d) =
                (&columns[..len], &columns[len..2 * len], &columns[2 * len..3 * len], &columns[3 * len..]);
            let each = out.iter_mut().zip(a).zip(b).zip(c).zip(d);
            for ((((sum, a), b), c), d) in each {
                *sum = (((*sum + factors[0] * a) + factors[1] * b) + factors[2] * c) + factors[3] * d;
            }
        }
        for (factor, column) in rest.iter().zip(of_rest.chunks_exact(len)) {
            for (sum, value) in out.iter_mut().zip(column) {
                *sum += factor * value;
            }
        }
    }
}
