//! Forecast cost of solving and sampling, by counts alone: the same on every machine.

use super::mesh::{COARSENING, MOST_COARSENINGS};
use super::solver::{
    Divided, Division, Fineness, QUADRATIC, SAMPLE, STICKINESS, SolverSettings, WIDE, are_dear, can_be_wide,
    direct_cost, is_filled, mesh_cost, sample_cost, samples_on_mesh, strays_cost, summed, takes_mesh,
};
use super::strength_scale::StrengthScale;
use super::{FieldSampling, GroupedRows, SolverKind};
use crate::constants::MESH_MARGIN;
use crate::grid::{Extent, ExtentRules};
use crate::math::Vec3Columns;
use fluid_threads::Executor;
use glam::Vec3;

/// Steps between two fits of the boxes to the vortons: boxes grow and shrink slowly.
const STEPS_BETWEEN_LOOKS: u32 = 8;

/// Fits after which a box that is too large shrinks: about as many steps as the mesh's takes.
const LOOKS_TO_SHRINK: u32 = 4;

/// Fraction of vortons added or removed since the last fit that triggers the next one \[1\].
const MANY_NEW: f64 = 0.1;

/// The boxes that meshes of either fineness would have. They are separate: the fit of a box depends on its
/// past, and a forecast must not change the fluid.
#[derive(Debug, Clone)]
pub(crate) struct Forecast {
    kind: SolverKind,
    sampling: FieldSampling,
    /// True if the field of widely spaced vortons may be put on a coarse mesh that is read by the spline.
    can_be_wide: bool,
    core_radius: f32,
    /// Distances of nodes in boxes with capacity for all vortons \[m\].
    spacings: [f32; 2],
    boxes: [Extent; 2],
    /// Numbers of nodes and of vortons outside, of one box and of all boxes.
    undivided: [(usize, usize); 2],
    found: [(usize, usize); 2],
    /// Cost of reading far fields at the vortons of other boxes in two solves \[ns\].
    reading: [f64; 2],
    division: Division,
    /// Costs of two solves and of nominal samples by a tree, if it takes the place of the direct sum \[ns\].
    tree: Option<[f64; 2]>,
    sources: usize,
    seen: usize,
    steps_to_wait: u32,
}

crate::saved::fields!(Forecast {
    boxes, undivided, found, reading, tree, sources, seen, steps_to_wait,
} not { kind, sampling, can_be_wide, core_radius, spacings, division });

impl Forecast {
    pub(crate) fn new(settings: &SolverSettings) -> Self {
        let spacing = |fineness| settings.direct.core_radius / settings.nodes_per_core_of(fineness);
        let spacings = [Fineness::Full, Fineness::Coarse].map(spacing);
        let (margin, max_nodes) = (MESH_MARGIN, settings.max_grid_nodes);
        let rules = |spacing| ExtentRules {
            spacing,
            margin,
            max_nodes,
            patience: LOOKS_TO_SHRINK,
            fits_ahead: 0,
            bytes_per_node: 0,
        };
        Self {
            kind: settings.kind,
            sampling: settings.field_sampling,
            can_be_wide: can_be_wide(settings),
            core_radius: settings.direct.core_radius,
            spacings,
            boxes: spacings.map(|spacing| Extent::new(rules(spacing))),
            undivided: [(0, 0); 2],
            found: [(0, 0); 2],
            reading: [0.0; 2],
            division: Division::default(),
            tree: None,
            sources: 0,
            seen: 0,
            steps_to_wait: 0,
        }
    }

    /// Shifts the origin of the coordinates to `origin` \[m\].
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.boxes.iter_mut().for_each(|fitted| fitted.shift_origin(origin));
    }

    /// Counts the sources; from time to time fits boxes to them, which takes about 10 ns a source if all
    /// fit inside. `groups` are those of the sources; what is summed apart counts as at a distance. `tree`
    /// are the [costs](super::Solver::costs_by_tree) of a tree, if it is used.
    pub(crate) fn look(
        &mut self,
        exec: &dyn Executor,
        (positions, strengths): (&Vec3Columns, &Vec3Columns),
        groups: &[GroupedRows],
        tree: Option<[f64; 2]>,
    ) {
        (self.sources, self.tree) = (summed(positions.len(), groups), tree);
        let many_new = self.sources.abs_diff(self.seen) as f64 > MANY_NEW * self.seen as f64;
        if self.steps_to_wait > 0 && !many_new {
            self.steps_to_wait -= 1;
            return;
        }
        (self.seen, self.steps_to_wait) = (self.sources, STEPS_BETWEEN_LOOKS - 1);
        let scale = StrengthScale::of_columns(exec, strengths);
        for (i, fitted) in self.boxes.iter_mut().enumerate() {
            let mut spacing = self.spacings[i];
            if fitted.shape().spacing() != spacing {
                fitted.set_spacing(spacing);
            }
            let counting = || scale.counting(strengths).without_apart(groups);
            let mut outside = fitted.fit(exec, positions, counting());
            // Like the mesh, on coarser lattices if many would be left outside.
            for _ in 0..MOST_COARSENINGS {
                let is_dear = are_dear(outside, self.sources, fitted.shape().len());
                if !is_dear || spacing >= self.core_radius {
                    break;
                }
                spacing = (COARSENING * spacing).min(self.core_radius);
                fitted.set_spacing(spacing);
                outside = fitted.fit(exec, positions, counting());
            }
            let (nodes, max_nodes) = (fitted.shape().len(), fitted.rules().max_nodes);
            let one_box = mesh_cost(0, nodes) + direct_cost(outside, self.sources);
            self.undivided[i] = (nodes, outside);
            (self.found[i], self.reading[i]) = (self.undivided[i], 0.0);
            if outside == 0 && is_filled(nodes, self.sources) {
                continue;
            }
            let vortons = Divided { positions, spacing: self.spacings[i], max_nodes };
            let cost = self.division.find(vortons, &counting());
            if cost * STICKINESS < one_box && self.division.is_divided() {
                self.found[i] = (self.division.nodes(), self.division.summed());
                self.reading[i] = self.division.reading;
            }
        }
    }

    /// Returns the nominal cost of a solve of all sources \[ns\]. `chosen` is the method of the last step.
    pub(crate) fn solve(&self, fineness: Fineness, chosen: Option<bool>) -> f64 {
        let (direct, mesh) = self.costs_of_two(fineness);
        0.5 * if self.is_on_mesh(fineness, chosen) { mesh } else { direct }
    }

    fn costs_of_two(&self, fineness: Fineness) -> (f64, f64) {
        let (nodes, outside) = self.found[fineness as usize];
        let reading = self.reading[fineness as usize];
        let mesh = mesh_cost(self.sources, nodes) + strays_cost(outside, self.sources) + reading;
        (self.tree.map_or(direct_cost(self.sources, self.sources), |[solves, _]| solves), mesh)
    }

    fn is_on_mesh(&self, fineness: Fineness, chosen: Option<bool>) -> bool {
        let (direct, mesh) = self.costs_of_two(fineness);
        match self.kind {
            SolverKind::Direct => false,
            SolverKind::Mesh => true,
            SolverKind::Auto => match self.tree {
                Some([_, samples]) => {
                    takes_mesh(chosen, mesh + samples_on_mesh(self.sources), direct + samples)
                }
                None => takes_mesh(chosen, mesh, direct),
            },
        }
    }

    /// Returns the nominal cost of `samples` samples of the field \[ns\], of which `beside` is that of sums
    /// beside the nodes, if nodes are read. Without nodes each sums all sources, or `summed` of them. `fluid`
    /// and `chosen` determine the method for the vortons, as for [`solve`](Self::solve). If that is the
    /// direct sum, the field is put on a mesh of `fineness` for the samples where that pays.
    pub(crate) fn samples(
        &self,
        (samples, beside, summed): (f64, f64, Option<usize>),
        (fluid, chosen): (Fineness, Option<bool>),
        fineness: Fineness,
    ) -> f64 {
        let one = match self.sampling {
            FieldSampling::Trilinear => SAMPLE,
            FieldSampling::QuadraticSpline => QUADRATIC * SAMPLE,
        };
        let read = samples * one;
        if self.is_on_mesh(fluid, chosen) || samples == 0.0 {
            return read + beside;
        }
        let direct = sample_cost(samples, summed.unwrap_or(self.sources));
        let mesh_of = |(nodes, outside)| 0.5 * mesh_cost(self.sources, nodes) + sample_cost(samples, outside);
        // A mesh for samples alone is not divided.
        let found = self.undivided[fineness as usize];
        let (fine, wide) = (mesh_of(found), mesh_of(self.undivided[Fineness::Coarse as usize]));
        let read_wide = QUADRATIC * SAMPLE * samples;
        let is_wide = self.can_be_wide
            && fineness == Fineness::Full
            && found.0 >= WIDE
            && wide + read_wide < fine + read;
        let (mesh, read) = if is_wide { (wide, read_wide) } else { (fine, read) };
        match self.kind {
            SolverKind::Auto if mesh + samples * SAMPLE < direct => mesh + read + beside,
            _ => direct,
        }
    }
}
