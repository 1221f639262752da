//! The flow at points near each other, of sources in parts far apart, such as the effects of a level: that
//! of parts far from the points is expanded about their middle, to the second degree (E70).

use super::direct::SourceCloud;
use super::mesh::MeshField;
use super::source_groups::SelectedGroups;
use super::{FlowSample, PublishedField};
use crate::lanes::BLOCK;
use glam::{Mat3, Vec3};

/// Distance of a part from the middle of the points, over the radius of the ball around them, from which its
/// flow is expanded \[1\]: that of a closed vortex is then off by 6 % at the rim that faces it, mostly by
/// less than 1 %.
const FAR: f32 = 6.0;

/// Largest number of meshes besides that with most vortons.
pub(super) const MOST_OTHERS: usize = 31;

/// Number of points at which the flow is found together \[1\].
const TOGETHER: usize = 256;

/// Points that are not divided further, however far apart they are: as many as are summed at once.
const FEW: usize = BLOCK;

/// Cost of a source that is expanded for many samples, over that of one that is summed for each \[1\].
pub(super) const EXPANDED: f64 = BLOCK as f64 / TOGETHER as f64;

/// The first of the bits that stand for groups of the cloud; those before stand for meshes.
const FIRST_GROUP: usize = 1 + MOST_OTHERS;

/// Maximum number of groups of a cloud that are parts.
pub(super) const MOST_GROUPS: usize = u128::BITS as usize - FIRST_GROUP;

/// Coordinates of the corners of an icosahedron in the unit sphere, 1/√(1 + φ²) and φ times that. Sums over
/// the corners integrate polynomials of the fifth degree exactly.
const CORNER: [f32; 2] = [0.525_731_1, 0.850_650_8];
const CORNERS: usize = 12;

/// A sample of the flow at a point.
pub(super) trait PointFlow: Copy + Default {
    /// Adds a velocity \[m/s\] and its gradient \[1/s\].
    fn add(&mut self, velocity: Vec3, gradient: &dyn Fn() -> Mat3);

    /// Adds another sample.
    fn add_sample(&mut self, other: &Self);

    /// Writes the flow of the sources on a mesh, by its interpolation if `as_sampled`; sets `outside` where
    /// there are no nodes.
    fn of_mesh(mesh: &MeshField, as_sampled: bool, at: &[Vec3], outside: &mut [bool], out: &mut [Self]);

    /// Writes the flow of one group of a cloud.
    fn of_group(cloud: &SourceCloud, group: usize, places: &[Vec3], out: &mut [Self]);

    /// Writes the flow of all groups that are summed apart.
    fn of_groups_apart(field: &PublishedField, places: &[Vec3], out: &mut [Self]);

    /// Writes the flow of all vortons of a cloud, and of its sources of volume.
    fn of_cloud(cloud: &SourceCloud, places: &[Vec3], out: &mut [Self]);

    /// Adds the flow of a cloud's sources of volume.
    fn add_expansion(cloud: &SourceCloud, places: &[Vec3], out: &mut [Self]);
}

impl PointFlow for Vec3 {
    #[inline]
    fn add(&mut self, velocity: Vec3, _: &dyn Fn() -> Mat3) {
        *self += velocity;
    }

    #[inline]
    fn add_sample(&mut self, other: &Self) {
        *self += *other;
    }

    fn of_mesh(mesh: &MeshField, _: bool, at: &[Vec3], outside: &mut [bool], out: &mut [Self]) {
        mesh.velocities_alone(at, outside, out);
    }

    fn of_group(cloud: &SourceCloud, group: usize, places: &[Vec3], out: &mut [Self]) {
        cloud.velocities_of_group(group, places, out);
    }

    fn of_groups_apart(field: &PublishedField, places: &[Vec3], out: &mut [Self]) {
        out.fill(Vec3::ZERO);
        field.add_velocities_of_groups(places, out);
    }

    fn of_cloud(cloud: &SourceCloud, places: &[Vec3], out: &mut [Self]) {
        out.fill(Vec3::ZERO);
        cloud.add_velocities(SelectedGroups::ALL, places, out);
    }

    fn add_expansion(cloud: &SourceCloud, places: &[Vec3], out: &mut [Self]) {
        cloud.add_expansion(&|i| places[i], out);
    }
}

impl PointFlow for FlowSample {
    #[inline]
    fn add(&mut self, velocity: Vec3, gradient: &dyn Fn() -> Mat3) {
        self.velocity += velocity;
        self.gradient += gradient();
    }

    #[inline]
    fn add_sample(&mut self, other: &Self) {
        self.velocity += other.velocity;
        self.gradient += other.gradient;
    }

    fn of_mesh(mesh: &MeshField, as_sampled: bool, at: &[Vec3], outside: &mut [bool], out: &mut [Self]) {
        mesh.flow_alone(as_sampled, at, outside, out);
    }

    fn of_group(cloud: &SourceCloud, group: usize, places: &[Vec3], out: &mut [Self]) {
        cloud.flow_of_group(group, places, out);
    }

    fn of_groups_apart(field: &PublishedField, places: &[Vec3], out: &mut [Self]) {
        if !field.expanded.have_gradients() {
            return Self::of_cloud(&field.grouped, places, out);
        }
        out.fill(FlowSample::default());
        field.expanded.add_flow(&field.grouped, places, out);
    }

    fn of_cloud(cloud: &SourceCloud, places: &[Vec3], out: &mut [Self]) {
        out.fill(FlowSample::default());
        cloud.add_flow(places, out);
    }

    fn add_expansion(cloud: &SourceCloud, places: &[Vec3], out: &mut [Self]) {
        cloud.add_expansion(&|i| places[i], out);
    }
}

/// A flow in a ball as a polynomial of the second degree.
struct QuadraticFlow {
    centre: Vec3,
    per_radius: f32,
    constant: Vec3,
    /// Columns ∂u/∂y of the offset y from the centre in radii.
    linear: Mat3,
    /// Σ over corners n of 15/2 u (n nᵀ - 1/3), over their number: xx, yy, zz, xy, xz, yz.
    quadratic: [Vec3; 6],
}

impl QuadraticFlow {
    /// Returns the corners of the icosahedron in a sphere.
    fn corners(centre: Vec3, radius: f32) -> [Vec3; CORNERS] {
        let mut corners = directions();
        corners.iter_mut().for_each(|corner| *corner = centre + *corner * radius);
        corners
    }

    /// Returns the parts up to the second degree of a harmonic flow with these velocities at the
    /// [`corners`](Self::corners).
    fn of((centre, radius): (Vec3, f32), velocities: &[Vec3; CORNERS]) -> Self {
        let (mut constant, mut linear, mut quadratic) = (Vec3::ZERO, Mat3::ZERO, [Vec3::ZERO; 6]);
        let share = 1.0 / CORNERS as f32;
        for (n, u) in directions().into_iter().zip(velocities) {
            let u = *u * share;
            constant += u;
            linear += Mat3::from_cols(u * n.x, u * n.y, u * n.z) * 3.0;
            let [xx, yy, zz] = [n.x, n.y, n.z].map(|n| n * n - 1.0 / 3.0);
            for (sum, factor) in quadratic.iter_mut().zip([xx, yy, zz, n.x * n.y, n.x * n.z, n.y * n.z]) {
                *sum += u * (7.5 * factor);
            }
        }
        Self { centre, per_radius: 1.0 / radius, constant, linear, quadratic }
    }

    /// Adds the flow at each position \[m\].
    fn add<O: PointFlow>(&self, places: &[Vec3], out: &mut [O]) {
        let [xx, yy, zz, xy, xz, yz] = self.quadratic;
        for (place, out) in places.iter().zip(out) {
            let y = (*place - self.centre) * self.per_radius;
            // Half of the gradient of the quadratic part.
            let half = || {
                Mat3::from_cols(
                    xx * y.x + xy * y.y + xz * y.z,
                    xy * y.x + yy * y.y + yz * y.z,
                    xz * y.x + yz * y.y + zz * y.z,
                )
            };
            let velocity = self.constant + self.linear * y + half() * y;
            out.add(velocity, &|| (self.linear + half() * 2.0) * self.per_radius);
        }
    }
}

/// Returns the unit vectors to the corners of an icosahedron.
fn directions() -> [Vec3; CORNERS] {
    let [short, long] = CORNER;
    std::array::from_fn(|n| {
        let a = if n & 1 == 0 { short } else { -short };
        let b = if n & 2 == 0 { long } else { -long };
        match n / 4 {
            0 => Vec3::new(0.0, a, b),
            1 => Vec3::new(a, b, 0.0),
            _ => Vec3::new(b, 0.0, a),
        }
    })
}

/// The parts of a field's sources: bit by bit the meshes and the groups of the cloud.
struct FlowParts<'a> {
    field: &'a PublishedField,
    as_sampled: bool,
}

impl FlowParts<'_> {
    fn mesh(&self, part: usize) -> &MeshField {
        if part == 0 { &self.field.mesh } else { &self.field.others[part - 1] }
    }

    /// Returns a lower bound on the distance \[m\] of a part's sources, and nodes, from a point.
    fn distance(&self, part: usize, place: Vec3) -> f32 {
        if part < FIRST_GROUP {
            return self.mesh(part).distance_from_nodes(place);
        }
        let ball = self.field.parted.groups()[part - FIRST_GROUP].ball();
        self.field.parted.unscaled(ball.centre).distance(place)
            - self.field.parted.unscaled(Vec3::X * ball.radius).x
    }

    /// Adds the flow of these parts at up to [`TOGETHER`] positions; `outside` is set to false at those on
    /// nodes of the first mesh.
    fn add<O: PointFlow>(&self, parts: u128, places: &[Vec3], outside: &mut [bool], out: &mut [O]) {
        let (low, high) = places.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), place| {
            (low.min(*place), high.max(*place))
        });
        let centre = 0.5 * (low + high);
        let core_radius = self.field.cloud.settings().core_radius;
        let radius = (0.5 * low.distance(high)).max(core_radius);
        let is_far = |part: &usize| self.distance(*part, centre) >= FAR * radius;
        // A position that is not finite is summed, by halves of the points until it is among a few.
        let is_ball = radius.is_finite() && places.iter().all(|place| place.is_finite());
        let far = bits(parts).filter(|part| is_ball && is_far(part)).fold(0, |far, part| far | 1 << part);
        if far != 0 {
            let (corners, mut velocities) = (QuadraticFlow::corners(centre, radius), [Vec3::ZERO; CORNERS]);
            bits(far).for_each(|part| self.add_part(part, &corners, &mut [true; CORNERS], &mut velocities));
            QuadraticFlow::of((centre, radius), &velocities).add(places, out);
        }
        let near = parts & !far;
        if (near.count_ones() > 1 || !is_ball) && places.len() > FEW {
            let middle = (places.len() / 2).next_multiple_of(FEW);
            let ((places, rest), (outside, rest_outside)) =
                (places.split_at(middle), outside.split_at_mut(middle));
            let (out, rest_out) = out.split_at_mut(middle);
            self.add(near, places, outside, out);
            self.add(near, rest, rest_outside, rest_out);
        } else {
            bits(near).for_each(|part| self.add_part(part, places, outside, out));
        }
    }

    /// Adds the flow of a part at up to [`TOGETHER`] positions.
    fn add_part<O: PointFlow>(&self, part: usize, places: &[Vec3], outside: &mut [bool], out: &mut [O]) {
        let mut more = [O::default(); TOGETHER];
        let more = &mut more[..places.len()];
        if part >= FIRST_GROUP {
            O::of_group(&self.field.parted, part - FIRST_GROUP, places, more);
        } else {
            let mut elsewhere = [false; TOGETHER];
            let elsewhere = &mut elsewhere[..places.len()];
            O::of_mesh(self.mesh(part), self.as_sampled, places, elsewhere, more);
            if part == 0 {
                outside.copy_from_slice(elsewhere);
            }
        }
        out.iter_mut().zip(more).for_each(|(out, more)| out.add_sample(more));
    }
}

/// Iterates over the numbers of the bits that are set.
fn bits(mut set: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = set.trailing_zeros() as usize;
        (set != 0).then(|| {
            set &= set - 1;
            bit
        })
    })
}

impl PublishedField {
    /// Returns true if its sources are in several parts.
    pub(crate) fn is_parted(&self) -> bool {
        self.parts().count_ones() > 1
    }

    /// Returns true if some of its sources act together on samples, as several parts or by a tree.
    pub(crate) fn is_searched(&self) -> bool {
        self.is_parted() || self.cloud.has_tree()
    }

    /// Returns the number of sources that are summed for a sample of a field on no mesh, near one of its
    /// vortons: its part, and the corners at which the others are summed for [`TOGETHER`] samples.
    pub(crate) fn summed_for_a_sample(&self) -> usize {
        if self.cloud.has_tree() {
            return self.grouped.summed() + self.cloud.summed_by_tree();
        }
        let (all, groups) = (self.cloud.len(), self.parted.groups());
        let squares = groups.iter().map(|group| (group.sources().len() as u64).pow(2)).sum::<u64>();
        let near = (squares / (all as u64).max(1)) as usize;
        let parted = near + (all as f64 * EXPANDED) as usize;
        self.grouped.summed() + if groups.is_empty() { all } else { parted.min(all) }
    }

    /// Returns the meshes and the groups of the cloud as bits.
    fn parts(&self) -> u128 {
        let meshes = self.others_in_use().len() + usize::from(self.is_sampled_on_mesh());
        let groups = self.parted.groups().len();
        ((1 << meshes) - 1) | (((1 << groups) - 1) << FIRST_GROUP)
    }

    /// Computes the flow induced by all sources at positions of which successive ones are near each other, by
    /// the meshes' own interpolation if `as_sampled`; without wind and enclosures.
    pub(super) fn induced_together<O: PointFlow>(&self, as_sampled: bool, places: &[Vec3], out: &mut [O]) {
        let (parts, together) = (self.parts(), FlowParts { field: self, as_sampled });
        let has_groups = !self.parted.is_empty();
        for (places, out) in places.chunks(TOGETHER).zip(out.chunks_mut(TOGETHER)) {
            let (mut outside, mut more) = ([true; TOGETHER], [O::default(); TOGETHER]);
            let (outside, more) = (&mut outside[..places.len()], &mut more[..places.len()]);
            out.fill(O::default());
            together.add(parts, places, outside, out);
            if !self.grouped.is_empty() && outside.contains(&true) {
                O::of_groups_apart(self, places, more);
                let apart = out.iter_mut().zip(&*more).zip(&*outside).filter(|(_, outside)| **outside);
                apart.for_each(|((out, more), _)| out.add_sample(more));
            }
            if has_groups {
                O::add_expansion(&self.cloud, places, out);
            } else if !self.cloud.is_empty() {
                O::of_cloud(&self.cloud, places, more);
                out.iter_mut().zip(&*more).for_each(|(out, more)| out.add_sample(more));
            }
        }
    }
}
