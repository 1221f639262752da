//! Rotation of particles by the fluid: a small particle spins with half the local vorticity
//! (E34).

use super::error::{Problem, check_rate};
use super::notes::Notes;
use super::places::{Places, SampleAt};
use super::relax::{blend, relax};
use super::run::{CHUNK, Local, OperationKind, RunInputs, Runnable};
use crate::view::{Chunk, ParticleView, QuatColumn, Semantic};
use fluid_core::velocity::FlowSample;
use glam::{DQuat, DVec3, Quat, Vec3};

/// Relaxes the angular velocity Ω to half the fluid's vorticity, ω/2: the rotation rate of the fluid, and
/// of a small sphere in it. If the view has orientations, each is rotated by its particle's rotation in the
/// step, exactly, and keeps length 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spin {
    /// Rate \[1/s\]. `f32::MAX` assigns ω/2. 0 leaves Ω unchanged; orientations still rotate with it.
    pub rate: f32,
    /// Position at which ω is sampled.
    pub sample: SampleAt,
}

impl Default for Spin {
    /// Assigns the rotation at the midpoint.
    fn default() -> Self {
        Self { rate: f32::MAX, sample: SampleAt::Midpoint }
    }
}

impl Runnable for Spin {
    fn needs(&self) -> &'static [Semantic] {
        &[Semantic::Position, Semantic::AngularVelocity]
    }

    fn check(&self, _: &ParticleView<'_>) -> Result<(), Problem> {
        check_rate("rate", self.rate)
    }

    fn kind(&self) -> OperationKind<'_> {
        OperationKind::Local(self)
    }
}

impl Local for Spin {
    fn run(&self, inputs: &RunInputs<'_>, chunk: &Chunk<'_>, notes: &mut Notes) {
        let Some(angular) = chunk.vec3(Semantic::AngularVelocity) else { return };
        let orientation = chunk.quat(Semantic::Orientation);
        let blend = blend(self.rate, inputs.dt);
        let lag = mean_lag(self.rate, inputs.dt);
        let turn = |k: usize, fluid: Vec3, notes: &mut Notes| {
            let old = angular.get(k);
            let new = relax(old, fluid, blend);
            let mean = fluid.as_dvec3() + (old.as_dvec3() - fluid.as_dvec3()) * lag;
            let turned = orientation.map(|column| (column, turned(column, k, mean * f64::from(inputs.dt))));
            let fits = old.is_finite() && new.is_finite() && turned.is_none_or(|(_, q)| q.is_finite());
            if !fits {
                return notes.skip(k);
            }
            if blend != 0.0 {
                angular.set(k, new);
            }
            if let Some((column, q)) = turned {
                column.set(k, q);
            }
        };
        if blend == 0.0 {
            // The fluid has no effect.
            if orientation.is_some() {
                chunk.living().for_each(|k| turn(k, angular.get(k), notes));
            }
            return;
        }
        let places = Places::find(inputs, chunk, notes, self.sample, |k| angular.get(k).is_finite());
        let mut flow = [FlowSample::default(); CHUNK];
        let flow = &mut flow[..places.places().len()];
        inputs.field.flow(places.places(), flow);
        for (k, sample) in places.numbers().zip(flow) {
            turn(k, 0.5 * sample.vorticity(), notes);
        }
    }
}

/// Returns the mean over the step of e^{-rate t}: the fraction of the initial difference that contributes
/// to the particle's rotation.
fn mean_lag(rate: f32, dt: f32) -> f64 {
    let way = f64::from(rate) * f64::from(dt);
    if rate == f32::MAX {
        0.0
    } else if way == 0.0 {
        1.0
    } else {
        -libm::expm1(-way) / way
    }
}

/// Returns the orientation of particle `k` after a rotation by the vector `angle` \[rad\], of length 1; NaN
/// if it had length 0. In `f64`, so that it stays a rotation for any number of steps.
fn turned(orientation: QuatColumn<'_>, k: usize, angle: DVec3) -> Quat {
    let half = 0.5 * angle;
    let length = half.length();
    let sinc = if length > 0.0 { libm::sin(length) / length } else { 1.0 };
    let exponential = DQuat::from_vec4((half * sinc).extend(libm::cos(length)));
    let [x, y, z, w] = (exponential * orientation.get(k).as_dquat()).to_array();
    let norm = (x * x + y * y + z * z + w * w).sqrt();
    Quat::from_array([x, y, z, w].map(|part| (part / norm) as f32))
}
