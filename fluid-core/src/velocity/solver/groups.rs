//! Choice of the groups of sources that are summed apart from a mesh (E63): a box that enclosed a body far
//! from all vortons would mostly enclose fluid in which nothing has to be computed.

use crate::constants::MESH_MARGIN;
use crate::grid::box_of;
use crate::velocity::source_groups::{PSEUDO_VORTONS_FROM, TargetBall, bounds, most_summed};
use crate::velocity::strength_scale::StrengthScale;
use crate::velocity::{GroupedRows, Sources};
use fluid_threads::Executor;
use glam::Vec3;

/// Distance from the box of other sources, relative to [`PSEUDO_VORTONS_FROM`], below which a group is on the
/// mesh \[1\]: it may come nearer in the same step.
const JOINING_DISTANCE: f32 = 1.1;

/// Hysteresis: a group on the mesh is summed apart from this many times that distance on \[1\].
const JOINING_STICKINESS: f32 = 1.15;

/// Which groups are summed apart, with scratch of the choice.
#[derive(Debug, Clone, Default)]
pub(super) struct GroupsApart {
    /// True for each group, images apart, that is summed apart.
    apart: Vec<bool>,
    /// The same before the last choice.
    before: Vec<bool>,
    /// Bounds of each group, and the ball around it; None once it is on the mesh, or if it is empty.
    undecided: Vec<Option<([Vec3; 2], TargetBall)>>,
}

crate::saved::fields!(GroupsApart { apart } not { before, undecided });

impl GroupsApart {
    /// Returns true if a group is summed apart.
    pub(super) fn is_apart(&self, index: usize) -> bool {
        self.apart.get(index) != Some(&false)
    }

    /// Returns true if a group was summed apart before the last choice.
    pub(super) fn was_apart(&self, index: usize) -> bool {
        self.before.get(index) != Some(&false)
    }

    /// Chooses anew for a mesh of this `spacing` \[m\]: groups near the box of all other sources are on the
    /// mesh. Marks the sources accordingly. Returns true if the same groups were summed elsewhere before.
    pub(super) fn choose(&mut self, exec: &dyn Executor, spacing: f32, sources: &mut Sources) -> bool {
        let count = sources.own_groups().len();
        let is_known = self.apart.len() == count;
        self.apart.resize(count, true);
        self.before.clone_from(&self.apart);
        if count == 0 {
            return false;
        }
        sources.part_groups(|_| true);
        let Sources { positions, strengths, .. } = &*sources;
        let scale = StrengthScale::of_columns(exec, strengths);
        let counting = scale.counting(strengths).without_apart(sources.groups());
        let margin = MESH_MARGIN as f32 * spacing;
        let mut fluid = match box_of(exec, positions, &counting) {
            Some(fluid) => fluid.map(|(low, high)| [low - margin, high + margin]),
            // A position is not a number; the mesh leaves it out.
            None => Some([Vec3::NEG_INFINITY, Vec3::INFINITY]),
        };
        self.undecided.clear();
        self.undecided.extend(sources.own_groups().iter().map(|group| {
            let range = group.range();
            (!range.is_empty()).then(|| bounds(range, positions))
        }));
        while let Some([low, high]) = fluid {
            let clearance = |index: usize, ball: &TargetBall| {
                let far = PSEUDO_VORTONS_FROM
                    * JOINING_DISTANCE
                    * if self.apart[index] { 1.0 } else { JOINING_STICKINESS };
                ball.centre.distance(ball.centre.clamp(low, high)) - far * ball.radius
            };
            let undecided = self.undecided.iter().enumerate();
            let each =
                undecided.filter_map(|(index, group)| Some((index, clearance(index, &group.as_ref()?.1))));
            let nearest = each.reduce(|least, one| if one.1 < least.1 { one } else { least });
            let Some((index, _)) = nearest.filter(|(_, clearance)| *clearance < 0.0) else { break };
            let Some(([group_low, group_high], _)) = self.undecided[index].take() else { break };
            fluid = Some([low.min(group_low - margin), high.max(group_high + margin)]);
            self.apart[index] = false;
        }
        let remaining = self.apart.iter_mut().zip(&self.undecided).filter(|(_, group)| group.is_some());
        remaining.for_each(|(apart, _)| *apart = true);
        sources.part_groups(|index| self.apart[index]);
        is_known && self.apart != self.before
    }
}

/// Returns the number of sources whose sums at some distance cost as much as those of `count` sources with
/// these groups.
pub(in crate::velocity) fn summed(count: usize, groups: &[GroupedRows]) -> usize {
    let spared = |group: &GroupedRows| group.range().len() - most_summed(group.range().len());
    count - groups.iter().filter(|group| group.is_apart).map(spared).sum::<usize>()
}
