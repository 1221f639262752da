//! The space around a group of sources, outside of which its flow and its vector potential are expanded
//! (E66).

use super::direct::SourceCloud;
use super::solid_harmonics::{SPHERE_POINTS, sphere_points};
use super::source_groups::{SelectedGroups, expanded_from};
use super::sphere_expansion::{SphereExpansion, SphereSide};
use super::target_ball::TargetBall;
use super::{FlowSample, Kernel};
use glam::Vec3;

/// The kernel whose flow is that of points outside of cores.
const POINTS: Kernel = Kernel::RigidCore;

/// A group among all, and the space around it \[m\].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GroupSphere {
    /// Index among the groups of the cloud.
    index: usize,
    /// The sphere outside of which it is expanded.
    sphere: TargetBall,
    /// Radius of the ball around its sources.
    rim: f32,
}

crate::saved::fields!(GroupSphere { index, sphere, rim });

impl GroupSphere {
    /// Returns the index of the group among those of its cloud.
    pub(super) fn index(&self) -> usize {
        self.index
    }

    /// Shifts the origin of the coordinates to `origin` \[m\].
    pub(super) fn shift_origin(&mut self, origin: Vec3) {
        self.sphere.centre -= origin;
    }

    /// Returns that of a group for targets in a box \[m\].
    pub(super) fn of(index: usize, grouped: &SourceCloud, [low, high]: [Vec3; 2]) -> Self {
        let own = Self::for_any_targets(index, grouped);
        let distance = own.distance([low, high]);
        let radius = expanded_from(own.rim, grouped.settings().like_points_from(), distance);
        Self { sphere: TargetBall { radius, ..own.sphere }, ..own }
    }

    /// Returns that of a group for targets anywhere.
    pub(super) fn for_any_targets(index: usize, grouped: &SourceCloud) -> Self {
        let TargetBall { centre, radius } = grouped.groups()[index].ball();
        let (centre, rim) = (grouped.unscaled(centre), grouped.unscaled(Vec3::X * radius).x);
        let radius = expanded_from(rim, grouped.settings().like_points_from(), f32::INFINITY);
        Self { index, sphere: TargetBall { centre, radius }, rim }
    }

    /// Returns the radius of the ball around its sources \[m\].
    pub(super) fn rim(&self) -> f32 {
        self.rim
    }

    /// Returns the distance of its centre from a box.
    pub(super) fn distance(&self, [low, high]: [Vec3; 2]) -> f32 {
        let TargetBall { centre, .. } = self.sphere;
        centre.distance(centre.clamp(low, high))
    }

    /// Returns true if a target at this distance from its centre is inside its sphere, or the distance is not
    /// a number.
    pub(super) fn encloses(&self, distance: f32) -> bool {
        distance < self.sphere.radius || distance.is_nan()
    }

    /// Returns true if a position is inside its sphere, or not a number.
    pub(super) fn holds(&self, place: Vec3) -> bool {
        self.encloses(self.sphere.centre.distance(place))
    }

    /// Returns the expansion of its flow \[m/s\]: that of points, because what a core lacks at the sphere
    /// would be lacking at any distance.
    pub(super) fn expanded_flow(&self, grouped: &SourceCloud) -> SphereExpansion {
        self.expanded(grouped, |places, out| grouped.velocities_of(POINTS, self.alone(), places, out))
    }

    /// Returns the expansions of the columns of its gradient \[1/s\].
    pub(super) fn expanded_gradient(&self, grouped: &SourceCloud) -> [SphereExpansion; 3] {
        let TargetBall { centre, radius } = self.sphere;
        let mut flow = [FlowSample::default(); SPHERE_POINTS];
        grouped.flow_of_group(self.index, &sphere_points(centre, radius), &mut flow);
        let set = grouped.settings().instruction_set;
        [0, 1, 2].map(|axis| {
            let columns = flow.map(|sample| sample.gradient.col(axis));
            SphereExpansion::of(SphereSide::Outside, set, (centre, radius), &columns)
        })
    }

    /// Returns the expansion of its vector potential \[m²/s\], likewise.
    pub(super) fn expanded_potential(&self, grouped: &SourceCloud) -> SphereExpansion {
        self.expanded(grouped, |places, out| {
            grouped.potentials_of(POINTS, self.alone(), &|i| places[i], out);
        })
    }

    fn expanded(&self, grouped: &SourceCloud, at_places: impl Fn(&[Vec3], &mut [Vec3])) -> SphereExpansion {
        let TargetBall { centre, radius } = self.sphere;
        let mut values = [Vec3::ZERO; SPHERE_POINTS];
        at_places(&sphere_points(centre, radius), &mut values);
        let set = grouped.settings().instruction_set;
        SphereExpansion::of(SphereSide::Outside, set, (centre, radius), &values)
    }

    /// Adds the velocities \[m/s\] of the group by itself at positions \[m\].
    pub(super) fn add_flow(&self, grouped: &SourceCloud, places: &[Vec3], out: &mut [Vec3]) {
        grouped.add_velocities(self.alone(), places, out);
    }

    /// Computes the vector potentials \[m²/s\] of the group by itself at positions \[m\].
    pub(super) fn potentials(&self, grouped: &SourceCloud, places: &[Vec3], out: &mut [Vec3]) {
        grouped.potentials_of(grouped.settings().kernel, self.alone(), &|i| places[i], out);
    }

    fn alone(&self) -> SelectedGroups {
        SelectedGroups { only: Some(self.index), ..SelectedGroups::ALL }
    }
}
