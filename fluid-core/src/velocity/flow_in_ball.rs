//! The flow in a ball around a group of sources, without theirs: that of sources far from the ball is
//! expanded about its centre (E65), that of others is summed at each point.

use super::direct::SourceCloud;
use super::solid_harmonics::{SPHERE_POINTS, sphere_points};
use super::source_groups::{SelectedGroups, smooth_radius};
use super::sphere_expansion::{SphereExpansion, SphereSide};
use super::target_ball::TargetBall;
use super::{PublishedField, VelocityField};
use glam::Vec3;

/// The flow of all sources but one group, to be read at points of a ball around that.
#[derive(Debug)]
pub struct FlowInBall<'a> {
    field: &'a PublishedField,
    /// Flow of the sources that are not summed; None if all are.
    expansion: Option<SphereExpansion>,
    /// Sources that are summed at each point.
    summed: Summed<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Summed<'a> {
    /// Of the field.
    Selected(SummedSources),
    Cloud(&'a SourceCloud),
}

/// Sources of a sum.
#[derive(Debug, Clone, Copy)]
struct SummedSources {
    /// True if sources in no group are among them.
    has_others: bool,
    groups: SelectedGroups,
}

impl<'a> FlowInBall<'a> {
    /// Expands the flow of distant sources in a ball around group `left_out`, which
    /// [can be left out](PublishedField::can_leave_out_in): `centre` and `radius` \[m\].
    pub(super) fn new(field: &'a PublishedField, left_out: u32, (centre, radius): (Vec3, f32)) -> Self {
        let all = SelectedGroups { left_out: Some(left_out), ..SelectedGroups::ALL };
        let of_all = Summed::Selected(SummedSources { has_others: true, groups: all });
        let whole = Self { field, expansion: None, summed: of_all };
        if !(radius > 0.0 && radius.is_finite() && field.is_summed_in(centre, radius)) {
            return whole;
        }
        let reach = smooth_radius(radius, field.grouped.settings().like_points_from());
        let metres = TargetBall { centre, radius: reach };
        let has_near_others = !metres.is_smooth_from(field.distance_of_others(centre));
        let ball = field.grouped.ball_in_its_unit(centre, reach);
        let (near, far) =
            ([false, true]).map(|is_far| SelectedGroups { around: Some((ball, is_far)), ..all }).into();
        let expanded = SummedSources { has_others: !has_near_others, groups: far };
        let mut velocities = [Vec3::ZERO; SPHERE_POINTS];
        expanded.velocities(field, &sphere_points(centre, radius), &mut velocities);
        let expansion =
            SphereExpansion::of(SphereSide::Inside, field.instruction_set(), (centre, radius), &velocities);
        Self {
            field,
            expansion: Some(expansion),
            summed: Summed::Selected(SummedSources { has_others: has_near_others, groups: near }),
        }
    }

    /// Creates the flow of a cloud and this `expansion`, carried along as that of the field.
    pub(super) fn of_sources(
        field: &'a PublishedField,
        near: &'a SourceCloud,
        expansion: SphereExpansion,
    ) -> Self {
        Self { field, expansion: Some(expansion), summed: Summed::Cloud(near) }
    }

    /// Computes the velocity \[m/s\] at each position \[m\] in the ball.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn velocities(&self, positions: &[Vec3], out: &mut [Vec3]) {
        assert_eq!(positions.len(), out.len(), "one velocity for each position");
        match self.summed {
            Summed::Selected(sources) => sources.velocities(self.field, positions, out),
            Summed::Cloud(near) => near.velocities(positions, out),
        }
        if let Some(expansion) = &self.expansion {
            expansion.add_velocities(self.field.instruction_set(), positions, out);
        }
        self.field.add_carried(positions, out);
    }
}

impl SummedSources {
    /// Computes the velocities \[m/s\] induced by these sources.
    fn velocities(&self, field: &PublishedField, positions: &[Vec3], out: &mut [Vec3]) {
        if self.has_others {
            return field.induced_by(self.groups, positions, out);
        }
        out.fill(Vec3::ZERO);
        field.grouped.add_velocities(self.groups, positions, out);
    }
}
