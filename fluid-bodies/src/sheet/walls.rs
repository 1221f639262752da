//! Sheets on the walls of holes (E51, E53): they keep the flow in a container parallel to its walls, and
//! continue vortex lines that end there. [`WallSheet`] depends on the hole alone; [`WallFlow`] is its state.

use super::closing::{self, Closing};
use super::influence::{self, Influence};
use super::lever::{LEAST_LEVER, lever, squares_of_lever};
use super::pairs::SheetVortons;
use super::panels::{Panels, Point, Quad};
use super::potentials::Potentials;
use super::{STRENGTH_REGULARISATION, Six, columns};
use crate::shapes::{Geometry, Polytope, Shape};
use crate::solve::{LeastSquares, product, singles};
use crate::surface;
use fluid_core::velocity::DirectSettings;
use glam::{DMat3, Vec3};

mod flow;
mod sums;

pub(crate) use flow::WallFlow;
pub(crate) use sums::{Braking, Seen};

/// As [`STRENGTH_REGULARISATION`], for flux read from the flow, which contains the effect of the sheet's own
/// answer \[1\]. Behind the wall, a finely divided sheet has strengths with hardly any effect, which errors
/// of the mesh would raise from step to step: with 0.03, a hull of a hundred faces blows up in 40 steps.
const REGULARISATION_AT_WALLS: f64 = 0.15;
/// The same for round walls. It damps the longest waves of strength most, which have the least flux through
/// a patch and answer most of the flow of others: with 0.4, a column in a cylinder of ten core radii had .3
/// to .6 of the speed that its image gives it.
const SMOOTH_AT_WALLS: f64 = 0.003;
/// Length in the matrix of [`roughness`] that damps short waves at round walls \[core radii\]: eight waves
/// around a cylinder of ten core radii lose a tenth.
const ROUGH_AT_WALLS: f64 = 0.15;

/// Minimum radius of an inscribed sphere for a hole to have a sheet \[core radii\]: the sheet of a smaller
/// one would be far larger than the hole.
const LEAST_RADIUS: f64 = 1.25;

/// Data that depends on the hole alone, in the body's axes.
#[derive(Debug)]
pub(crate) struct WallSheet {
    settings: DirectSettings,
    quads: Vec<Quad>,
    /// Edges of `quads` for the potential of lines along the wall, and for lines that end there.
    of_lines: [Vec<[Vec3; 3]>; 2],
    /// Vortons of lines that end at round walls, which `of_lines` leaves out.
    halfway: Vec<Quad>,
    points: Vec<Point>,
    /// Area of each vertex's patch, at the points where flux is read \[m²\].
    areas: Vec<f32>,
    closing: Closing,
    potentials: Potentials,
    /// Flux through each vertex's patch \[m²\], at the points where it is read, for unit strength at each
    /// vertex, one column per vertex; and the same for strength that ends there \[m\].
    own: [Vec<f32>; 2],
    /// Strengths \[1/m²\] for unit flux through each vertex's patch; one column per patch.
    answer: Vec<f32>,
    /// Strengths \[1\] that answer the flow of closed lines, for unit strength that ends at each vertex,
    /// one column per vertex; and the same for the potential of lines along the wall.
    answer_to_lines: Vec<f32>,
    potential: Vec<f32>,
    /// Strengths \[m²/s\] at each vertex for unit velocities and unit angular velocities of the wall.
    of_motion: Vec<[f32; 6]>,
    energy: [Six; 6],
    /// Volume within the sheet, relative to that within the walls \[1\].
    space_behind: f64,
    /// Velocity \[1\] along the wall that a sharp sheet of unit strength would induce there, minus that of
    /// the smoothed one from behind the wall.
    missing: f32,
    /// Effective thickness \[m\] of the vorticity of evenly spread vortons that smoothing puts behind the
    /// wall.
    lost: f32,
    /// Part of a torque that pressure on the walls can exert \[1\].
    lever: DMat3,
    /// Area of the sheet that belongs to each vertex \[m²\].
    sheet_areas: Vec<f32>,
}

impl WallSheet {
    /// Creates the sheet of a hole; `None` if it would be too coarse.
    pub(crate) fn of(hole: &Shape, settings: DirectSettings) -> Option<Self> {
        let core = f64::from(settings.core_radius);
        let prism = prism_around(hole);
        let (_, least) = hole.geometry.queries().inscribed_sphere();
        if f64::from(least) < LEAST_RADIUS * core {
            return None;
        }
        let panels = Panels::of_hole(hole, prism.as_ref(), core)?;
        let hole = prism.as_ref().unwrap_or(hole);
        let n = panels.moments.len();
        let plain: Vec<[Vec3; 3]> = panels.fine.quads.iter().map(|quad| quad.edges).collect();
        let closing = Closing::of(hole, &panels, settings.core_radius);
        let potentials = Potentials::of(hole, &panels.fine.points);
        let stiffness = closing::stiffness(&panels);
        let potential = closing::potential(stiffness.clone(), n);
        let (behind, halfway) = match closing.is_round() {
            true => (vec![[Vec3::ZERO; 3]; panels.fine.quads.len()], closing::halfway(&panels)),
            false => (closing::behind(&panels), Vec::new()),
        };
        let of_lines = [closing::along(&panels), behind];
        let vortons = |edges: &[[Vec3; 3]]| {
            let each = panels.fine.quads.iter().zip(edges);
            SheetVortons::new(n, each.map(|(quad, &edges)| Quad { edges, ..*quad }), settings)
        };
        let of_sheet = vortons(&plain);
        let (of_along, of_behind) = (vortons(&of_lines[0]), vortons(&of_lines[1]));
        let of_halfway = SheetVortons::new(n, halfway.iter().copied(), settings);
        let of_ends = if closing.is_round() { of_halfway } else { of_behind };
        let flux_of_lines = |points: &[Point]| {
            let mut flux = product(&singles(&Influence::of(n, &of_along, points).own), &potential, n);
            let of_ends = Influence::of(n, &of_ends, points).own;
            flux.iter_mut().zip(of_ends).for_each(|(sum, flux)| *sum += flux as f32);
            flux
        };
        let (read, read_of_lines) =
            (Influence::of(n, &of_sheet, &panels.coarse.points), flux_of_lines(&panels.coarse.points));
        let (fine, fine_of_lines) = match panels.is_read_everywhere {
            true => (read.clone(), read_of_lines.clone()),
            false => (Influence::of(n, &of_sheet, &panels.fine.points), flux_of_lines(&panels.fine.points)),
        };
        let equations = LeastSquares::of(&fine.own, n);
        let own = equations.factorised(STRENGTH_REGULARISATION);
        let of_motion = own.solve(&fine.of_motion);
        let mut answer_to_lines = product(&singles(&own.inverse()), &fine_of_lines, n);
        answer_to_lines.iter_mut().for_each(|value| *value = -*value);
        // Walls around fluid that are round, or nearly so, have no edge of two flat walls.
        let is_smooth = closing.is_round() || prism.is_some();
        let answer = match is_smooth {
            true => {
                equations.inverse_of_smooth(SMOOTH_AT_WALLS, &roughness(&stiffness, n, ROUGH_AT_WALLS * core))
            }
            false => equations.inverse(REGULARISATION_AT_WALLS),
        };
        let answer = columns(&answer, n);
        let energy = influence::energy_of_motion(&of_sheet.energy(), &of_motion);
        let mut areas = vec![0.0; n];
        for Point { area, corners, weights, .. } in &panels.coarse.points {
            for (&corner, weight) in corners.iter().zip(weights) {
                areas[usize::from(corner)] += area.length() * weight;
            }
        }
        let (_, square) = squares_of_lever(&[], &about(closing.centre, &panels.coarse.points));
        Some(Self {
            settings,
            missing: missing_velocity(settings),
            lost: velocity_behind_walls(settings),
            lever: lever(&square, LEAST_LEVER),
            sheet_areas: closing::areas(&panels).into_iter().map(|area| area as f32).collect(),
            areas,
            own: [columns(&read.own, n), columns(&read_of_lines, n)],
            answer,
            answer_to_lines: columns(&answer_to_lines, n),
            potential: columns(&potential, n),
            energy,
            of_motion: of_motion.iter().map(|of_one| of_one.map(|value| value as f32)).collect(),
            space_behind: panels.volume(&panels.vertices) / panels.volume(&panels.on_surface),
            quads: panels.fine.quads,
            points: panels.coarse.points,
            of_lines,
            halfway,
            closing,
            potentials,
        })
    }
}

/// Returns BᵀB, row after row, of B = ½ `length` ∫ ∇h·∇h' dS \[m\] for the `stiffness` of `n` vertices. The
/// flux of a sharp sheet with waves of strength rises with the number of waves, and B with its square.
fn roughness(stiffness: &[f64], n: usize, length: f64) -> Vec<f64> {
    let (mut square, factor) = (vec![0.0; n * n], 0.25 * length * length);
    for (sums, row) in square.chunks_exact_mut(n).zip(stiffness.chunks_exact(n)) {
        // Few vertices are neighbours.
        for (other, &value) in stiffness.chunks_exact(n).zip(row).filter(|(_, value)| **value != 0.0) {
            sums.iter_mut().zip(other).for_each(|(sum, other)| *sum += factor * value * other);
        }
    }
    square
}

/// Returns the regular prism around a cylinder, which has a sheet where the cylinder's flat and round walls
/// meet; `None` for other shapes.
fn prism_around(hole: &Shape) -> Option<Shape> {
    let Geometry::Cylinder(cylinder) = &hole.geometry else { return None };
    let height = cylinder.half_height;
    let points: Vec<Vec3> = surface::prism_around(cylinder)
        .flat_map(|place| [-height, height].map(|z| place.as_vec2().extend(z)))
        .collect();
    let prism = Polytope::from_points(&points).ok()?;
    Some(Shape { geometry: Geometry::Polytope(prism), ..hole.clone() })
}

/// Returns ½ (1 − m), with m = z ∫ q(r/σ)/r² dr from z on: m is the velocity of a smoothed plane sheet at
/// the distance z, relative to that of a sharp one.
fn missing_velocity(settings: DirectSettings) -> f32 {
    const STEP: f64 = 0.01;
    const FAR: f64 = 40.0;
    let z = super::panels::OUTSET;
    let integrand = |row: usize| {
        let r = z + (row as f64 + 0.5) * STEP;
        settings.kernel.q_over_cube(r) * r * STEP
    };
    let near: f64 = (0..((FAR - z) / STEP) as usize).map(integrand).sum();
    (0.5 * (1.0 - z * (near + 1.0 / FAR))) as f32
}

/// ∫ z ζ dV on one side of a wall, ζ the smoothed vorticity of a vorton on it, is σ/4 ∫ (1 − q) dr \[m\]:
/// the effective thickness of a layer of evenly spread vorticity behind the wall.
fn velocity_behind_walls(settings: DirectSettings) -> f32 {
    const STEP: f64 = 0.01;
    const FAR: usize = 10_000;
    let left = |row: usize| {
        let r = (row as f64 + 0.5) * STEP;
        (1.0 - settings.kernel.q_over_cube(r) * r * r * r) * STEP
    };
    (0.25 * (0..FAR).map(left).sum::<f64>()) as f32 * settings.core_radius
}

/// Converts points to positions relative to a `centre` \[m\].
fn about(centre: Vec3, points: &[Point]) -> Vec<Point> {
    points.iter().map(|point| Point { place: point.place - centre, ..*point }).collect()
}
