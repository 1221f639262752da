//! The turn by which strengths follow the lines of the fluid, where the flow is summed pair by pair (E6).

use super::clusters::VortonClusters;
use super::restoring::{Restoring, SumsChange};
use crate::constants::{MOST_DAMPED, STRETCH_FOLLOWED, TURN_DAMPING};
use crate::math::Vec3Columns;
use crate::velocity::FlowSample;
use fluid_threads::Executor;
use glam::Vec3;

/// Returns w (ω × α - κ |ω| α⊥) \[m³/s²\] of a strength at the angle θ to the vorticity, w = 2 cos θ - 1 ≥ 0:
/// the difference between (α·∇)u and the transposed stretching, less the damping of the part α⊥ across the
/// vorticity. Strengths at more than 60 degrees to the vorticity are noise, and do not turn. Not damped
/// backwards in time.
pub(crate) fn turning(flow: &FlowSample, strength: Vec3, dt: f32) -> Vec3 {
    // In f64 no square of a strength over- or underflows, whatever the unit of length.
    let (exact, vorticity) = (strength.as_dvec3(), flow.vorticity());
    let Some(direction) = vorticity.as_dvec3().try_normalize() else { return Vec3::ZERO };
    let along = exact.dot(direction);
    let weight = (2.0 * along / exact.length() - 1.0) as f32;
    // Without strength it is NaN.
    if weight.is_nan() || weight <= 0.0 {
        return Vec3::ZERO;
    }
    let steep = flow.gradient_norm2().sqrt() * dt.abs() / STRETCH_FOLLOWED;
    let weight = weight * (2.0 - steep).clamp(0.0, 1.0);
    let rate = if dt > 0.0 { (TURN_DAMPING * vorticity.length()).min(MOST_DAMPED / dt) } else { 0.0 };
    let across = (exact - direction * along).as_vec3();
    (vorticity.cross(strength) - across * rate) * weight
}

/// Turns of all strengths, of which those in a cluster together change neither its total strength nor its
/// linear impulse: ∫ ω × ω dV and its moments are zero. Without [`find`](Self::find), or after
/// [`clear`](Self::clear), nothing turns.
#[derive(Debug, Clone, Default)]
pub struct LineTurns {
    /// Per cluster, and for the chunks of its vortons.
    sums: Vec<SumsChange>,
    restoring: Vec<Option<Restoring>>,
}

impl LineTurns {
    /// Reserves memory for one cluster of `capacity` vortons; several allocate once.
    pub(crate) fn reserve(&mut self, capacity: usize) {
        SumsChange::reserve(&mut self.sums, capacity);
        self.restoring.reserve(1);
    }

    /// Forgets all turns.
    pub(crate) fn clear(&mut self) {
        self.restoring.clear();
    }

    /// Finds the sums of the turns of these strengths at these positions. `held` are the places of what
    /// bodies hold: a cluster nearer than `reach` \[m\] to one does not turn, because its lines end in the
    /// body.
    pub(crate) fn find(
        &mut self,
        exec: &dyn Executor,
        clusters: &VortonClusters,
        (positions, strengths, flow): (&Vec3Columns, &Vec3Columns, &[FlowSample]),
        (held, reach): (impl Iterator<Item = Vec3>, f64),
        dt: f32,
    ) {
        let rate = |row: usize| {
            let strength = strengths.get(row);
            SumsChange::of_rate(positions.get(row), strength, turning(&flow[row], strength, dt))
        };
        SumsChange::sum(exec, clusters, strengths.len(), &mut self.sums, &rate);
        self.restoring.clear();
        self.restoring.extend(self.sums.iter().take(clusters.count()).map(Restoring::of));
        for (cluster, distance) in held.filter_map(|place| clusters.nearest(place)) {
            if distance < reach {
                self.restoring[cluster] = None;
            }
        }
    }

    /// Returns the rate of a strength \[m³/s²\] in this cluster; zero if the sums could not be kept.
    #[inline]
    pub(crate) fn rate(
        &self,
        cluster: usize,
        (position, strength): (Vec3, Vec3),
        flow: &FlowSample,
        dt: f32,
    ) -> Vec3 {
        match self.restoring.get(cluster) {
            Some(Some(restoring)) => turning(flow, strength, dt) + restoring.share(position, strength),
            _ => Vec3::ZERO,
        }
    }
}
