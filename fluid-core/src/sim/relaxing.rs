//! Relaxation of strengths towards the vorticity of the flow, in front of walls without their image (E7).

use super::VortexSim;
use crate::boundary::{StepTime, Wall, Walls};
use crate::particles::Vortons;
use crate::stats::Stage;
use fluid_threads::Executor;
use glam::Vec3;

/// Distance from the walls of containers up to which their image of vorticity counts \[core radii\]: it
/// cancels 1.6 % there.
const IMAGE_REACH: f32 = 2.0;

/// Least part of the vorticity along a wall that its image is taken to leave \[1\]: that at a quarter of a
/// core radius.
const LEAST_LEFT_BY_IMAGE: f32 = 0.36;

impl VortexSim {
    /// Relaxes all strengths towards the vorticity of the flow in the middle of the step.
    pub(super) fn relax(&mut self, exec: &dyn Executor, dt: f32) {
        let stage = self.stats.time(Stage::Relax);
        let Vortons { positions, strengths, .. } = &mut self.vortons;
        // The strengths of the start are no longer needed.
        self.relaxation.lend(&mut self.start.strengths);
        let (start, flow, enclosures) = (&self.start.positions, &self.flow, &self.boundary.enclosures);
        let (walls, core) = (Walls { enclosures, time: StepTime::Middle }, self.params.core_radius);
        let smooth = self.boundary.smoothing_at_walls;
        let is_open = smooth == 0.0 || enclosures.is_empty();
        let vorticity = |row: usize| {
            let seen = flow[row].vorticity();
            if is_open {
                return seen;
            }
            let middle = 0.5 * (start.get(row) + positions.get(row));
            let wall = walls.at(middle, IMAGE_REACH * core);
            let wall = wall.filter(|wall| wall.distance >= 0.0 && wall.holds_flow);
            wall.map_or(seen, |wall| seen.lerp(without_image(seen, wall, core), smooth))
        };
        let (rate, cloud) = (self.params.relaxation_rate, (&*positions, &vorticity as _));
        self.relaxation.apply_towards(exec, &self.clusters, cloud, strengths, rate, dt);
        self.relaxation.lend(&mut self.start.strengths);
        self.stats.record(stage);
    }
}

/// Returns the vorticity \[1/s\] without the image in a `wall`, from the vorticity `seen` in front of it: an
/// image of the opposite sign, smoothed with the `core` radius \[m\], cancels vorticity along the wall.
fn without_image(seen: Vec3, wall: Wall, core: f32) -> Vec3 {
    let depth = wall.distance / core;
    let sine = depth / (1.0 + depth * depth).sqrt();
    let left = (0.5 * sine * (3.0 - sine * sine)).max(LEAST_LEFT_BY_IMAGE);
    let across = wall.normal * wall.normal.dot(seen);
    across + (seen - across) / left
}
