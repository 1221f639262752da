//! Doublet sheets on the surfaces of bodies (E51): what lets no fluid through where no vorton touches the
//! surface.
//!
//! A sheet of strength μ, linear on triangles, is nothing but vortons along the surface. Its strengths follow
//! from the flux that the flow of all others and the motion of the body have through the surface, by a matrix
//! that depends on the shape alone.

mod closing;
mod flow;
mod history;
mod influence;
mod pairs;
mod panels;
mod potentials;
mod slip;
mod walls;

pub(crate) use flow::{BodyMotion, Pair, SheetFlow};
pub(crate) use slip::Patch;
pub(crate) use walls::{Seen, WallFlow, WallSheet};

use crate::added_inertia::AddedInertia;
use crate::shapes::Shape;
use crate::solve::LeastSquares;
use fluid_core::velocity::DirectSettings;
use glam::{DMat3, DVec3, Vec3};
use influence::Influence;
use panels::{Panels, Parts, Point, Quad};

/// Most vertices of a sheet \[1\].
pub(crate) const MOST_VERTICES: usize = 272;

/// Most vortons of a sheet \[1\].
pub(crate) const MOST_QUADS: usize = 2048;

/// Weight of small strengths against flux, relative to the strength that is felt most \[1\]: needles and
/// slivers have strengths that hardly make any.
const WEAKEST: f64 = 1e-4;

/// Most slip along a sheet by the motion of its body, over the speed of that \[1\]: two sides closer than a
/// core have strengths of any size that hardly make any flux, and a mesh errs by some percent of them.
const MOST_SLIP: f64 = 50.0;

/// Factor between weights of small strengths that are tried \[1\].
const WEAKER: f64 = 3.0;

/// Mean square of the lever of pressure, over that of the body's size \[1\], below which errors of torque are
/// more than torque.
const LEAST_LEVER: f64 = 5e-3;

/// The same below which there is none \[1\]: none of a body's own momentum is left out where there is.
const NO_LEVER: f64 = 1e-3;

/// The same where flux is read from the flow, to which the sheet's own answer comes back: a mesh is off by a
/// few percent of the largest strengths, and what answers that would grow from step to step.
const WEAKEST_OF_OTHERS: f64 = 0.03;

/// Linear and angular, or velocity and angular velocity.
type Six = [f64; 6];

/// What depends on the shape alone, in the body's axes, about its centre of mass.
#[derive(Debug)]
pub(crate) struct Sheet {
    quads: Vec<Quad>,
    /// Where the flow of others is read.
    read: Parts,
    /// True if vortons and points are read at the same places.
    is_flat: bool,
    /// The vertices on the surface.
    surface: Vec<slip::Vertex>,
    /// Flux through each vertex's patch \[m²\], as it is read, for unit strength at each vertex, a column for
    /// each of these.
    own: Vec<f32>,
    /// Strengths \[1/m²\] for unit flux through each vertex's patch, a column for each of these.
    answer: Vec<f32>,
    /// What the sheet does to itself, force and torque per density, rows of six for each vertex, for unit
    /// strength at each vertex, a column for each of these: errors of vortons that stand for a sheet.
    own_force: Vec<f32>,
    /// Strengths \[m²/s\] at each vertex for unit velocities and angular velocities of the body.
    of_motion: Vec<[f32; 6]>,
    /// Impulse \[m²\] and angular impulse \[m³\] for unit strength at each vertex.
    moments: Vec<Six>,
    /// What makes of the impulse and angular impulse of a smoothed sheet those of a sharp one \[1\].
    sharpening: (DMat3, f64),
    /// Velocity of uniform flow for the impulse of a sharp sheet that answers it \[1/m³\].
    drift: DMat3,
    /// Part of a torque that pressure can make \[1\]: none about an axis of symmetry, where what is found is
    /// error.
    lever: DMat3,
    /// Axes about which there is a lever \[1\]: 1 about them, and 0 about the others.
    turns: DMat3,
    /// Mean slip along the sheet for unit velocities \[1\] and angular velocities \[m\] of the body.
    slip: [f32; 6],
    /// E of the energy ½ Σ q_k E_kl q_l \[m⁵/s²\] that the flow of the sheet has for a motion q of the body.
    energy: [Six; 6],
}

impl Sheet {
    /// Of a body with these solids, `displaced` \[m³\] and `added` inertia; None if there are none, or too
    /// many for a sheet.
    pub(crate) fn of(
        solids: &[Shape],
        (displaced, added): (f64, &AddedInertia),
        settings: DirectSettings,
    ) -> Option<Self> {
        let panels = Panels::of(solids, settings.core_radius.into())?;
        let edges: Vec<[Vec3; 3]> = panels.fine.quads.iter().map(|quad| quad.edges).collect();
        let influence = Influence::of(&panels, &panels.fine.points, &edges, settings);
        let as_read = Influence::of(&panels, &panels.coarse.points, &edges, settings);
        let n = panels.moments.len();
        let equations = LeastSquares::of(&influence.own, n);
        let (weakest, solved) = solved(&panels, &equations, &influence.of_motion);
        let answer = equations.inverse(WEAKEST_OF_OTHERS.max(weakest));
        let energy = influence::energy(&panels, &solved, settings);
        let columns = |matrix: &[f64]| -> Vec<f32> {
            let rows = matrix.len() / n;
            (0..matrix.len()).map(|index| matrix[index % rows * n + index / rows] as f32).collect()
        };
        let square = square_of_lever(&panels.coarse.points);
        Some(Self {
            surface: slip::vertices(&panels),
            slip: panels.slip(&solved).map(|slip| slip as f32),
            drift: finite(sharp(displaced, added).inverse()),
            sharpening: sharpening(&panels.moments, &solved, displaced, added),
            own_force: columns(&influence::own_force(&panels, settings)),
            own: columns(&as_read.own),
            answer: columns(&answer),
            of_motion: solved.iter().map(|of_one| of_one.map(|value| value as f32)).collect(),
            moments: panels.moments,
            quads: panels.fine.quads,
            lever: lever(&square, LEAST_LEVER),
            turns: lever(&(square * square), NO_LEVER * NO_LEVER),
            read: panels.coarse,
            is_flat: panels.is_flat,
            energy,
        })
    }

    /// Most of it with this motion \[m/s\].
    fn slip(&self, motion: &[f32; 6]) -> f32 {
        self.slip.iter().zip(motion).map(|(slip, q)| slip * q.abs()).sum()
    }

    fn vertices(&self) -> usize {
        self.of_motion.len()
    }
}

/// Strengths for unit velocities and angular velocities, and the weight of small ones with which their slip
/// is not too large.
fn solved(panels: &Panels, equations: &LeastSquares<'_>, of_motion: &[Six]) -> (f64, Vec<Six>) {
    let mut weakest = WEAKEST;
    loop {
        let solved = equations.solve(weakest, of_motion);
        let [a, b, c, d, e, f] = panels.slip(&solved);
        let most = [d, e, f].into_iter().map(|slip| slip / panels.reach()).fold(a.max(b).max(c), f64::max);
        if most <= MOST_SLIP || weakest >= 1.0 {
            return (weakest, solved);
        }
        weakest *= WEAKER;
    }
}

/// A body of the fluid's density goes with uniform flow only if the flow that it makes and the one that
/// answers the fluid have the same inertia, that of the displaced fluid and the added one; the smoothed
/// sheet's is larger. Of turning, where the fluid inside of the sheet does not turn with the body, only the
/// size is known to be about the same.
fn sharpening(moments: &[Six], strengths: &[Six], displaced: f64, added: &AddedInertia) -> (DMat3, f64) {
    let column = |axis: usize| {
        let rows = moments.iter().zip(strengths);
        rows.fold(DVec3::ZERO, |sum, (m, strength)| sum + DVec3::new(m[0], m[1], m[2]) * strength[axis])
    };
    let smoothed = DMat3::from_cols(column(0), column(1), column(2));
    let sharp = sharp(displaced, added);
    let trace = |m: &DMat3| m.x_axis.x + m.y_axis.y + m.z_axis.z;
    let (linear, angular) = (sharp * smoothed.inverse(), trace(&sharp) / trace(&smoothed));
    if linear.is_finite() && angular.is_finite() { (linear, angular) } else { (DMat3::IDENTITY, 1.0) }
}

/// Impulse per density of a sharp sheet for unit velocities \[m³\].
fn sharp(displaced: f64, added: &AddedInertia) -> DMat3 {
    added.linear + DMat3::from_diagonal(DVec3::splat(displaced))
}

fn finite(matrix: DMat3) -> DMat3 {
    if matrix.is_finite() { matrix } else { DMat3::ZERO }
}

/// Mean square B of the lever x × n of pressure, over that of the size \[1\].
fn square_of_lever(points: &[Point]) -> DMat3 {
    let (mut square, mut area, mut size) = (DMat3::ZERO, 0.0, 0.0_f64);
    for point in points {
        let (place, normal) = (point.place.as_dvec3(), point.area.as_dvec3());
        let arm = place.cross(normal);
        area += normal.length();
        size = size.max(place.length());
        square += DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z) * (1.0 / normal.length());
    }
    finite(square * (1.0 / (area * size * size)))
}

/// B (B + ε)⁻¹.
fn lever(square: &DMat3, least: f64) -> DMat3 {
    finite(*square * (*square + DMat3::IDENTITY * least).inverse())
}

/// `out` becomes the product of a matrix, column after column, and a vector.
fn multiply(columns: &[f32], vector: &[f32], out: &mut [f32]) {
    out.fill(0.0);
    for (column, &factor) in columns.chunks_exact(out.len()).zip(vector) {
        out.iter_mut().zip(column).for_each(|(sum, value)| *sum += factor * value);
    }
}
