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

/// Most extensions of the box that are tried \[1\].
const MOST_EXTENSIONS: u32 = 64;

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
    /// Bounds of each group with its images, and the ball around it; None once the box contains it, or if it
    /// is empty.
    undecided: Vec<Option<([Vec3; 2], TargetBall)>>,
    /// Number of the extension of the box that contains each group first.
    extension: Vec<u32>,
}

crate::saved::fields!(GroupsApart { apart } not { before, undecided, extension });

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
        let fluid = match box_of(exec, positions, &counting.within(domain, positions)) {
            Some(fluid) => fluid.map(|(low, high)| [low - margin, high + margin]),
            // A position is not a number; the mesh leaves it out.
            None => Some([Vec3::NEG_INFINITY, Vec3::INFINITY]),
        };
        self.undecided.clear();
        self.undecided.extend((0..count).map(|index| bounds_with_images(sources, index)));
        self.extension.clear();
        self.extension.resize(count, u32::MAX);
        let extensions = fluid.map_or(0, |inside| self.cheapest_extension(inside, scale, sources));
        for (index, &extension) in self.extension.iter().enumerate() {
            // Empty groups stay where they were.
            if extension < u32::MAX || self.undecided[index].is_some() {
                self.apart[index] = extension > extensions;
            }
        }
        sources.part_groups(|index| self.apart[index]);
        is_known && self.apart != self.before
    }

    /// Extends the box \[m\] of the mesh from group to group, each time by that which adds least nodes, and
    /// notes the extension that contains each. Returns the number of extensions that make a solve cheapest:
    /// one group may not be worth the nodes that it adds, where together with those beside it is.
    fn cheapest_extension(&mut self, inside: [Vec3; 2], scale: NodeScale, sources: &Sources) -> u32 {
        let least = PER_NODE_APART * scale.nodes_in(inside).min(scale.most_nodes);
        let (mut around, mut cheapest) = (inside, 0);
        let mut least_cost = self.cost(around, scale, least, sources);
        for extension in 1..=MOST_EXTENSIONS {
            let Some(extended) = self.least_extension(around, scale) else { break };
            // More extensions add nodes.
            if scale.nodes_in(extended) >= least_cost {
                break;
            }
            around = extended;
            for (group, contained) in self.undecided.iter_mut().zip(&mut self.extension) {
                if group.take_if(|(bounds, _)| within(around, *bounds, scale.margin())).is_some() {
                    *contained = extension;
                }
            }
            let cost = self.cost(around, scale, least, sources);
            if cost < least_cost {
                (least_cost, cheapest) = (cost, extension);
            }
        }
        cheapest
    }

    /// Returns the cost of a solve, in nodes, on a mesh of this box \[m\], with the groups apart that are not
    /// in it.
    fn cost(&self, around: [Vec3; 2], scale: NodeScale, least: f32, sources: &Sources) -> f32 {
        let costs = self.costs(around, scale, least, sources);
        let apart =
            costs.map(|(index, cost)| if self.apart[index] { cost } else { cost * JOINING_STICKINESS });
        scale.nodes_in(around) + apart.sum::<f32>()
    }

    /// Returns the box extended by the group that adds least nodes to it; None if there is no other.
    fn least_extension(&self, around: [Vec3; 2], scale: NodeScale) -> Option<[Vec3; 2]> {
        let boxes =
            self.undecided.iter().flatten().map(|(bounds, _)| extended(around, *bounds, scale.margin()));
        // A number of nodes that is none is of a group at no place.
        let each = boxes.map(|around| (scale.nodes_in(around), around)).filter(|(nodes, _)| !nodes.is_nan());
        each.reduce(|least, one| if one.0 < least.0 { one } else { least }).map(|(_, around)| around)
    }

    /// Iterates over the groups outside of this box \[m\] of a mesh: index, and cost in nodes apart from it,
    /// `least` by their expansions.
    fn costs(
        &self,
        [low, high]: [Vec3; 2],
        scale: NodeScale,
        least: f32,
        sources: &Sources,
    ) -> impl Iterator<Item = (usize, f32)> {
        let groups = self.undecided.iter().zip(sources.own_groups()).enumerate();
        groups.filter_map(move |(index, (undecided, group))| {
            let (_, ball) = undecided.as_ref()?;
            let distance = ball.centre.distance(ball.centre.clamp(low, high));
            let reach = expanded_from(ball.radius, scale.like_points_from, distance);
            let near = scale.nodes_in([low.max(ball.centre - reach), high.min(ball.centre + reach)]);
            let summed = group.range().len() as f32;
            Some((index, (least + near * summed * PER_NEAR_NODE_AND_SOURCE) * sources.copies() as f32))
        })
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

/// True if the box contains another one with a margin \[m\].
fn within(around: [Vec3; 2], bounds: [Vec3; 2], margin: f32) -> bool {
    extended(around, bounds, margin) == around
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

    /// A group that is not worth the nodes that it adds is, together with others beside it.
    #[test]
    fn groups_beside_each_other_join_together() {
        let mut groups = GroupsApart::default();
        let mut sources = cloud_and_group(Vec3::new(1.0, 0.4, 0.4));
        groups.choose(&Serial, SCALE, Domain::ALL, &mut sources);
        assert!(groups.is_apart(0));
        for side in 1..8_u8 {
            let signs = [side >> 1 & 1, side & 1, side >> 2 & 1].map(|bit| f32::from(bit) - 0.5);
            let first = sources.len();
            let place = Vec3::new(1.0, 0.8 * signs[1], 0.8 * signs[2]);
            sources.push(place + 0.1 * signs[0], Vec3::Z);
            sources.push(place, Vec3::NEG_Z);
            sources.group_from(first, 1.0);
        }
        groups.choose(&Serial, SCALE, Domain::ALL, &mut sources);
        assert!((0..8).all(|index| !groups.is_apart(index)));
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
