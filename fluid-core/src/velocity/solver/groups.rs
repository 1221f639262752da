//! Choice of the groups of sources that are summed apart from a mesh (E63): a box that enclosed a body far
//! from all vortons would mostly enclose fluid in which nothing has to be computed.

use crate::constants::MESH_MARGIN;
use crate::grid::Domain;
use crate::grid::box_of;
use crate::velocity::source_groups::{bounds, box_of_rows, expanded_from, most_summed};
use crate::velocity::strength_scale::StrengthScale;
use crate::velocity::target_ball::TargetBall;
use crate::velocity::{GroupedRows, Sources};
use fluid_threads::Executor;
use glam::Vec3;

/// Costs of a group apart, in nodes of the mesh \[1\]: of an expansion at each node, and of a source at each
/// node in the sphere in which it is summed.
const PER_NODE_APART: f32 = 1.0 / 8.0;
const PER_NEAR_NODE_AND_SOURCE: f32 = 1.0 / 80.0;

/// Hysteresis: a group on the mesh is summed apart when that costs less than 1/this \[1\].
const JOINING_STICKINESS: f32 = 1.5;

/// Lengths \[m\] and a limit that costs depend on.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeScale {
    /// Distance between nodes of the mesh.
    pub(super) spacing: f32,
    /// Distance from which cores act like points.
    pub(super) like_points_from: f32,
    /// Maximum number of nodes \[1\].
    pub(super) most_nodes: f32,
}

impl NodeScale {
    fn margin(self) -> f32 {
        MESH_MARGIN as f32 * self.spacing
    }

    /// Returns the number of nodes in a box \[m\].
    fn nodes_in(self, [low, high]: [Vec3; 2]) -> f32 {
        ((high - low).max(Vec3::ZERO) / self.spacing).element_product()
    }
}

/// Which groups are summed apart, with scratch of the choice.
#[derive(Debug, Clone, Default)]
pub(super) struct GroupsApart {
    /// True for each group, images apart, that is summed apart.
    apart: Vec<bool>,
    /// The same before the last choice.
    before: Vec<bool>,
    /// Bounds of each group with its images, and the ball around it; None once it is on the mesh, or if it is
    /// empty.
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

    /// Chooses anew for a mesh of this scale and domain: groups that it encloses with few more nodes are on
    /// it. Marks the sources accordingly. Returns true if the same groups were summed elsewhere before.
    pub(super) fn choose(
        &mut self,
        exec: &dyn Executor,
        scale: NodeScale,
        domain: Domain,
        sources: &mut Sources,
    ) -> bool {
        let count = sources.own_groups().len();
        let is_known = self.apart.len() == count;
        self.apart.resize(count, true);
        self.before.clone_from(&self.apart);
        if count == 0 {
            return false;
        }
        sources.part_groups(|_| true);
        let Sources { positions, strengths, .. } = &*sources;
        let strength_scale = StrengthScale::of_columns(exec, strengths);
        let counting = strength_scale.counting(strengths).without_apart(sources.groups());
        let margin = scale.margin();
        let mut fluid = match box_of(exec, positions, &counting.within(domain, positions)) {
            Some(fluid) => fluid.map(|(low, high)| [low - margin, high + margin]),
            // A position is not a number; the mesh leaves it out.
            None => Some([Vec3::NEG_INFINITY, Vec3::INFINITY]),
        };
        self.undecided.clear();
        self.undecided.extend((0..count).map(|index| bounds_with_images(sources, index)));
        let least = fluid.map_or(0.0, |inside| PER_NODE_APART * scale.nodes_in(inside).min(scale.most_nodes));
        while let Some(inside) = fluid {
            let cheapest = self.cheapest_to_join(inside, scale, least, sources);
            let Some((index, around)) = cheapest else { break };
            // Groups that add no nodes join with this one.
            for (index, group) in self.undecided.iter_mut().enumerate() {
                if group.take_if(|(bounds, _)| extended(around, *bounds, margin) == around).is_some() {
                    self.apart[index] = false;
                }
            }
            self.undecided[index] = None;
            self.apart[index] = false;
            fluid = Some(around);
        }
        let remaining = self.apart.iter_mut().zip(&self.undecided).filter(|(_, group)| group.is_some());
        remaining.for_each(|(apart, _)| *apart = true);
        sources.part_groups(|index| self.apart[index]);
        is_known && self.apart != self.before
    }

    /// Iterates over the costs of the groups not on the mesh, in nodes, if they are apart from a mesh of this
    /// box \[m\]: `least` by their expansions.
    fn costs(
        &self,
        [low, high]: [Vec3; 2],
        scale: NodeScale,
        least: f32,
        sources: &Sources,
    ) -> impl Iterator<Item = f32> {
        self.undecided.iter().zip(sources.own_groups()).filter_map(move |(undecided, group)| {
            let (_, ball) = undecided.as_ref()?;
            let distance = ball.centre.distance(ball.centre.clamp(low, high));
            let reach = expanded_from(ball.radius, scale.like_points_from, distance);
            let near = scale.nodes_in([low.max(ball.centre - reach), high.min(ball.centre + reach)]);
            let summed = group.range().len() as f32;
            Some((least + near * summed * PER_NEAR_NODE_AND_SOURCE) * sources.copies() as f32)
        })
    }

    /// Returns the group of those not on the mesh that makes a solve cheapest on a mesh of the nodes
    /// `inside` this box \[m\], and the box extended by it; None if all cost less apart, `least` by their
    /// expansions.
    fn cheapest_to_join(
        &self,
        inside: [Vec3; 2],
        scale: NodeScale,
        least: f32,
        sources: &Sources,
    ) -> Option<(usize, [Vec3; 2])> {
        let undecided = self.undecided.iter().enumerate();
        let boxes = undecided.filter_map(|(index, group)| Some((index, group.as_ref()?.0)));
        let each = boxes.zip(self.costs(inside, scale, least, sources)).map(|((index, bounds), apart)| {
            let around = extended(inside, bounds, scale.margin());
            let stickiness = if self.apart[index] { 1.0 } else { JOINING_STICKINESS };
            (scale.nodes_in(around) - scale.nodes_in(inside) - apart * stickiness, index, around)
        });
        // A cost that is not a number is of a group at no place.
        let cheaper = each.filter(|(cost, ..)| *cost < 0.0);
        let cheapest = cheaper.reduce(|least, one| if one.0 < least.0 { one } else { least });
        cheapest.map(|(_, index, around)| (index, around))
    }
}

/// Returns the bounds of a group with its images, and the ball around the group; None if it is empty.
fn bounds_with_images(sources: &Sources, index: usize) -> Option<([Vec3; 2], TargetBall)> {
    let (groups, own) = (sources.groups(), sources.own_groups().len());
    let range = groups[index].range();
    if range.is_empty() {
        return None;
    }
    let (own_bounds, ball) = bounds(range, &sources.positions);
    let images = groups[index..].iter().step_by(own).skip(1).filter(|image| !image.range().is_empty());
    let images = images.map(|image| box_of_rows(image.range(), &sources.positions));
    Some((images.fold(own_bounds, |all, (low, high)| extended(all, [low, high], 0.0)), ball))
}

/// Returns the box extended by another one with a margin \[m\].
fn extended([low, high]: [Vec3; 2], [from, to]: [Vec3; 2], margin: f32) -> [Vec3; 2] {
    [low.min(from - margin), high.max(to + margin)]
}

/// Returns the number of sources whose sums at some distance cost as much as those of `count` sources with
/// these groups.
pub(in crate::velocity) fn summed(count: usize, groups: &[GroupedRows]) -> usize {
    let spared = |group: &GroupedRows| group.range().len() - most_summed(group.range().len());
    count - groups.iter().filter(|group| group.is_apart).map(spared).sum::<usize>()
}

/// Returns the number of those of them that are in groups.
pub(super) fn summed_apart(sources: &Sources) -> usize {
    let grouped = sources.groups_apart().map(|group| group.range().len()).sum::<usize>();
    summed(sources.len(), sources.groups()) - (sources.len() - grouped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::velocity::Mirror;
    use fluid_threads::Serial;

    const SCALE: NodeScale = NodeScale { spacing: 0.05, like_points_from: 0.3, most_nodes: 262_144.0 };

    /// Vortons at the corners of a cube of a metre around the origin, and a group of four around `place`.
    fn cloud_and_group(place: Vec3) -> Sources {
        let mut sources = Sources::default();
        for corner in 0..8_u8 {
            let signs = [corner & 1, corner >> 1 & 1, corner >> 2].map(|bit| f32::from(bit) - 0.5);
            sources.push(Vec3::from(signs), Vec3::X);
        }
        let first = sources.len();
        for offset in [Vec3::X, Vec3::Y, Vec3::NEG_X, Vec3::NEG_Y] {
            sources.push(place + offset * 0.1, offset.cross(Vec3::Z));
        }
        sources.group_from(first, 1.0);
        sources
    }

    #[test]
    fn groups_in_the_box_are_on_the_mesh_and_distant_ones_apart() {
        let mut groups = GroupsApart::default();
        groups.choose(&Serial, SCALE, Domain::ALL, &mut cloud_and_group(Vec3::ZERO));
        assert!(!groups.is_apart(0));
        groups.choose(&Serial, SCALE, Domain::ALL, &mut cloud_and_group(Vec3::X * 9.0));
        assert!(groups.is_apart(0));
    }

    /// A group in the box of fluid and its images is on the mesh, and apart where the box would have to reach
    /// to it and its image on the other side.
    #[test]
    fn images_count_as_their_groups() {
        let with_floor = |place: Vec3, height: f32| {
            let mut sources = cloud_and_group(place);
            sources.mirror(Mirror::new(Vec3::NEG_Z * height, Vec3::Z));
            let mut groups = GroupsApart::default();
            groups.choose(&Serial, SCALE, Domain::ALL, &mut sources);
            groups
        };
        assert!(!with_floor(Vec3::ZERO, 0.6).is_apart(0));
        assert!(with_floor(Vec3::Z * 9.0, 0.6).is_apart(0));
    }
}
