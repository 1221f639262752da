//! Bound strength and its positions in a body: evenly distributed over the interior or, in a large body,
//! under the contacts of each region that fluid touches (E38).

use super::Body;
use crate::cloud::CloudExtent;
use crate::clusters::{Clusters, MOST_CLUSTERS};
use crate::contact::Contact;
use crate::ledger::CentredMoments;
use crate::pose::Pose;
use fluid_core::velocity::DirectSettings;
use glam::{DVec3, Vec3};
use std::ops::Range;

/// Most points under contacts \[1\], apart from the remainder of dividing them among clusters.
pub(crate) const MOST_POINTS: usize = 128;
/// Most clusters without contacts \[1\].
const MOST_LEFT: usize = 32;
/// Most points of a cluster without contacts \[1\].
const POINTS_LEFT: usize = 4;
/// Most clusters of a large body \[1\], while those of the last step are replaced by those of this step.
const MOST_CLUSTERS_HELD: usize = MOST_CLUSTERS + (MOST_CLUSTERS + MOST_LEFT);
/// Most points of these clusters \[1\].
const ROOM_FOR_POINTS: usize = MOST_POINTS + MOST_CLUSTERS + (MOST_CLUSTERS + MOST_LEFT) * POINTS_LEFT;
/// Edge length \[core radii\] of the cells that decide which contacts are near each other: contacts of one
/// layer are, those of vortices that do not overlap are not.
const CELL: f32 = 4.0;

/// Depth of a large body's points below the surface \[core radii\].
const POINT_DEPTH: f32 = 1.0;
/// Most points at which the potential of a unit strength is measured \[1\].
const MOST_MEASURED: usize = 256;
/// Strength that is felt, over that which a body holds, up to which it is a trace \[1\].
const TRACE: f64 = 1e-6;
/// Bound strength is ignored if the velocity that it induces is below this fraction of the velocity that the
/// strongest vorton induces one core radius away \[1\].
const FAINT: f64 = 0.01;

/// Strength distributed over points.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Cluster {
    /// Bound strength that induces velocity \[m³/s\].
    felt: DVec3,
    /// Number of its points.
    points: u32,
}

fluid_core::saved::fields!(Cluster { felt, points });
impl fluid_core::saved::Element for Cluster {}

/// Clusters of points, in a body's axes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Held {
    /// Points, cluster by cluster.
    points: Vec<Vec3>,
    /// Clusters with contacts first, in the numbering of the contacts.
    clusters: Vec<Cluster>,
}

fluid_core::saved::fields!(Held { points, clusters } check is_valid);

impl Held {
    /// Distributes this strength over these points, as one cluster.
    pub(crate) fn at(points: Vec<Vec3>, felt: DVec3) -> Self {
        let cluster = Cluster { felt, points: points.len() as u32 };
        Self { points, clusters: vec![cluster] }
    }

    /// Reserves memory for the most points and clusters of a large body.
    pub(crate) fn reserve(&mut self) {
        self.points.reserve(ROOM_FOR_POINTS.saturating_sub(self.points.len()));
        self.clusters.reserve(MOST_CLUSTERS_HELD.saturating_sub(self.clusters.len()));
    }

    /// True if there is at least one cluster and the numbers of points add up.
    fn is_valid(&self) -> bool {
        let points: u64 = self.clusters.iter().map(|cluster| u64::from(cluster.points)).sum();
        !self.clusters.is_empty() && points == self.points.len() as u64
    }

    fn ranges(&self) -> impl Iterator<Item = (&Cluster, Range<usize>)> {
        self.clusters.iter().scan(0, |first, cluster| {
            let points = *first..*first + cluster.points as usize;
            *first = points.end;
            Some((cluster, points))
        })
    }

    /// Returns the inducing strength of each cluster, and its points.
    pub(crate) fn each(&self) -> impl Iterator<Item = (DVec3, &[Vec3])> {
        self.ranges().map(|(cluster, points)| (cluster.felt, &self.points[points]))
    }

    /// Returns the points of a cluster.
    pub(crate) fn points_of(&self, cluster: usize) -> &[Vec3] {
        self.each().nth(cluster).map_or(&[], |(_, points)| points)
    }

    /// Adds inducing strength \[m³/s\] to a cluster.
    pub(crate) fn add(&mut self, cluster: usize, felt: DVec3) {
        self.clusters[cluster].felt += felt;
    }

    /// Removes the inducing strength of all clusters.
    fn let_go(&mut self) {
        self.clusters.iter_mut().for_each(|cluster| cluster.felt = DVec3::ZERO);
    }

    /// Returns the cluster with the point nearest to `point`, and the distance \[m\].
    pub(crate) fn nearest(&self, point: Vec3) -> (usize, f32) {
        self.nearest_of(self.clusters.len(), point)
    }

    /// As [`nearest`](Self::nearest), of the first `count` clusters.
    fn nearest_of(&self, count: usize, point: Vec3) -> (usize, f32) {
        let distance =
            |points: &[Vec3]| points.iter().map(|other| other.distance(point)).fold(f32::INFINITY, f32::min);
        let each = self.each().take(count).map(|(_, points)| distance(points)).enumerate();
        each.reduce(|a, b| if b.1 < a.1 { b } else { a }).unwrap_or((0, f32::INFINITY))
    }

    /// Adds strength \[m³/s\] at a point: to the nearest cluster, or to a new cluster if that is farther away
    /// than `reach` \[m\] and the limit on clusters permits.
    pub(crate) fn come_to(&mut self, point: Vec3, felt: DVec3, reach: f32) {
        let (nearest, distance) = self.nearest(point);
        if distance <= reach || self.clusters.len() >= MOST_CLUSTERS + MOST_LEFT {
            return self.add(nearest, felt);
        }
        self.points.push(point);
        self.clusters.push(Cluster { felt, points: 1 });
    }

    /// Moves the points under `contacts`, sorted by cluster: every n-th contact of each cluster. Strength
    /// held near a cluster moves to it, divided if its points are near several; strength held elsewhere
    /// stays. Overwrites `before`.
    pub(crate) fn go_under(
        &mut self,
        contacts: &[Contact],
        clusters: &Clusters,
        to_point: impl Fn(&Contact) -> Vec3,
        before: &mut Self,
    ) {
        std::mem::swap(self, before);
        self.points.clear();
        self.clusters.clear();
        let every = contacts.len().div_ceil(MOST_POINTS);
        for cluster in contacts.chunk_by(|a, b| a.cluster == b.cluster) {
            let first = self.points.len();
            self.points.extend(cluster.iter().step_by(every).map(&to_point));
            let points = (self.points.len() - first) as u32;
            self.clusters.push(Cluster { felt: DVec3::ZERO, points });
        }
        for (felt, points) in before.each() {
            self.take_over(felt, points, clusters);
        }
        self.join_left(clusters.count());
    }

    /// Distributes the strength of points to the clusters around them.
    fn take_over(&mut self, felt: DVec3, points: &[Vec3], clusters: &Clusters) {
        if felt == DVec3::ZERO {
            return;
        }
        // The body had no points before.
        if points.is_empty() {
            return self.add(0, felt);
        }
        let part = |count: usize| felt * (count as f64 / points.len() as f64);
        let mut counts = [0; MOST_CLUSTERS];
        // The walls of an alley are near each other: their points tell them apart.
        let of_point = |point: &Vec3| match clusters.around(*point) {
            Some(_) if clusters.are_parted() => Some(self.nearest_of(clusters.count(), *point).0),
            found => found,
        };
        let near = points.iter().filter_map(of_point);
        near.for_each(|cluster| counts[cluster] += 1);
        let here = counts.into_iter().enumerate().filter(|(_, count)| *count > 0);
        here.for_each(|(cluster, count)| self.add(cluster, part(count)));
        let left = || points.iter().filter(|point| clusters.around(**point).is_none());
        let count = left().count();
        if count > 0 {
            let kept = left().step_by(count.div_ceil(POINTS_LEFT));
            let before = self.points.len();
            self.points.extend(kept);
            let points = (self.points.len() - before) as u32;
            self.clusters.push(Cluster { felt: part(count), points });
        }
    }

    /// Merges clusters without contacts, numbered from `first` on: the weakest into the nearest other one,
    /// until no more than `MOST_LEFT` remain.
    fn join_left(&mut self, first: usize) {
        while self.clusters.len() > first + MOST_LEFT {
            let strength = |cluster: &usize| self.clusters[*cluster].felt.length_squared();
            let all = first..self.clusters.len();
            let Some(weakest) = all.reduce(|a, b| if strength(&b) < strength(&a) { b } else { a }) else {
                return;
            };
            let Some((_, points)) = self.ranges().nth(weakest) else { return };
            let point = self.points[points.start];
            let felt = self.clusters.remove(weakest).felt;
            self.points.drain(points);
            let (nearest, _) = self.nearest(point);
            self.add(nearest, felt);
        }
    }
}

impl Body {
    /// Returns the points of a cluster, with the body at `pose` \[m\].
    pub(crate) fn inside(&self, cluster: usize, pose: Pose) -> impl Iterator<Item = Vec3> {
        self.held.points_of(cluster).iter().map(move |&point| pose.to_world(point))
    }

    /// Moves the bound strength of a large body under its contacts, and sorts them by cluster. A body of
    /// finite mass has one cluster, because it responds to all contacts together.
    pub(crate) fn hold_under(
        &mut self,
        contacts: &mut [Contact],
        (clusters, before): (&mut Clusters, &mut Held),
    ) {
        if !self.is_large || contacts.is_empty() {
            return;
        }
        let pose = self.state.pose();
        if self.mass.is_finite() {
            clusters.join_all();
        } else {
            clusters.find(contacts, &pose, CELL * self.spacing);
        }
        let depth = POINT_DEPTH * self.spacing;
        let to_point = |contact: &Contact| pose.to_local(contact.point - contact.normal * depth);
        self.held.go_under(contacts, clusters, to_point, before);
    }

    /// Returns the inducing bound strength \[m³/s\] of each cluster.
    pub(crate) fn held_by_cluster(&self) -> impl Iterator<Item = DVec3> {
        self.held.clusters.iter().map(|cluster| cluster.felt)
    }

    /// Returns the number of points of a cluster.
    pub(crate) fn points_of_cluster(&self, cluster: usize) -> usize {
        self.held.clusters[cluster].points as usize
    }

    /// Returns the inducing part of the bound strength as vortons, with the body at `pose`: positions and
    /// strengths.
    pub(crate) fn bound_vortons(&self, cloud: CloudExtent, pose: Pose) -> impl Iterator<Item = (Vec3, Vec3)> {
        let each = self.held.each().filter(move |&cluster| self.is_felt(cluster, cloud, pose));
        each.flat_map(move |(felt, points)| {
            let each = (felt / points.len() as f64).as_vec3();
            let points = points.iter().filter(move |_| each != Vec3::ZERO);
            points.map(move |&point| (pose.to_world(point), each))
        })
    }

    /// Returns the energy \[m⁵/s²\] of its bound vortons by themselves (E8), of a body with a sheet.
    pub(crate) fn energy_of_bound(&self) -> f64 {
        self.energy_of_held * self.bound.felt.length_squared()
    }

    /// Computes the energy of a unit strength spread over the points of a body with a sheet \[1/m\]. Where
    /// there are many points, some stand for all on one side of the pairs.
    pub(super) fn measure_held(&mut self) {
        self.energy_of_held = 0.0;
        if self.surface.is_none() {
            return;
        }
        let (points, DirectSettings { kernel, core_radius, .. }) = (&self.held.points, self.sheet_settings);
        let of_pair = |a: &Vec3, b: &Vec3| kernel.green(f64::from(a.distance(*b) / core_radius));
        let some = || points.iter().step_by(points.len().div_ceil(MOST_MEASURED).max(1));
        let sum: f64 = some().map(|a| points.iter().map(|b| of_pair(a, b)).sum::<f64>()).sum();
        let pairs = (some().count() * points.len()).max(1);
        self.energy_of_held = 0.5 * sum / (pairs as f64 * f64::from(core_radius));
    }

    /// Lets the bound strength induce no velocity any more: the vortons to which it was bound have all gone.
    pub(crate) fn let_go(&mut self) {
        self.bound.felt = DVec3::ZERO;
        self.held.let_go();
    }

    /// Lets the bound strength induce this part \[1\] of its flow from now on. What the body holds stays the
    /// same.
    pub(crate) fn weaken(&mut self, part: f64) {
        self.bound.felt *= part;
        self.held.clusters.iter_mut().for_each(|cluster| cluster.felt *= part);
    }

    /// Lets the bound strength induce no velocity any more once it is a trace of what the body holds.
    pub(crate) fn let_go_of_traces(&mut self) {
        let most = TRACE * self.bound.strength.length();
        let felt = || self.held.clusters.iter().map(|cluster| cluster.felt).chain([self.bound.felt]);
        if felt().all(|felt| felt.length() <= most) {
            self.let_go();
        }
    }

    /// True if this strength at these points induces a noticeable velocity at the vortons.
    fn is_felt(&self, (felt, points): (DVec3, &[Vec3]), cloud: CloudExtent, pose: Pose) -> bool {
        let felt = felt.length() * f64::from(self.spacing).powi(2);
        // A sheet responds to strength beside it, wherever the vortons are.
        if felt == 0.0 || self.surface.is_some() {
            return felt != 0.0;
        }
        let distance = |&point: &Vec3| cloud.distance(pose.to_world(point));
        let nearest = points.iter().map(distance).fold(f64::INFINITY, f64::min);
        felt > FAINT * cloud.strongest * nearest * nearest
    }

    /// Holds a part of a vorton's strength \[m³/s\] that was at `place` \[m\], and lets it induce velocity.
    pub(super) fn hold_near(&mut self, place: Vec3, felt: DVec3) {
        self.bound.felt += felt;
        let reach = if self.holds_by_place() { CELL * self.spacing } else { f32::INFINITY };
        self.held.come_to(self.state.pose().to_local(place), felt, reach);
    }

    /// True if the body holds strength in clusters where fluid has touched it.
    pub(super) fn holds_by_place(&self) -> bool {
        self.is_large && self.mass.is_infinite()
    }

    /// Distributes a strength over the interior of a body that is not large: positions and strengths.
    pub(crate) fn spread_inside(&self, strength: Vec3) -> impl Iterator<Item = (Vec3, Vec3)> {
        let each = strength / self.held.points_of(0).len() as f32;
        self.inside(0, self.state.pose()).map(move |point| (point, each))
    }

    /// Returns the vector \[m\] from the centre of mass to the centroid of the solids.
    pub(crate) fn arm(&self) -> DVec3 {
        self.state.rotation.as_dquat().normalize() * self.displaced.centroid
    }

    /// Returns the centroid of the solids \[m\], about which the moments of vortons at the surface are
    /// summed. Few vortons are not free of divergence, so their angular impulse about other points would
    /// differ by more than that of their impulse (E11), and depend on where the centre of mass is.
    pub(crate) fn middle(&self) -> DVec3 {
        self.state.position.as_dvec3() + self.arm()
    }

    /// Returns the position \[m\] of a cluster's bound strength that does not induce velocity: the centroid
    /// of the solids. In a large body of infinite mass it is near the fluid.
    pub(crate) fn centre_of_bound(&self, cluster: usize) -> DVec3 {
        let points = self.held.points_of(cluster);
        if !self.holds_by_place() || points.is_empty() {
            return self.middle();
        }
        let sum = points.iter().map(|point| point.as_dvec3()).sum::<DVec3>();
        self.state.pose().to_world((sum / points.len() as f64).as_vec3()).as_dvec3()
    }

    /// Binds the strength that the fluid lacks after `change`, the part `layer` of it at the points of a
    /// cluster. The part `felt` of that induces velocity. Returns the moments of the bound strength about the
    /// [middle](Self::middle).
    pub(super) fn bind(
        &mut self,
        change: &CentredMoments,
        cluster: usize,
        [layer, felt]: [DVec3; 2],
    ) -> CentredMoments {
        // Containers have no interior of their own.
        let is_empty = self.held.points_of(cluster).is_empty();
        let [layer, felt] = if is_empty { [DVec3::ZERO; 2] } else { [layer, felt] };
        let centre = self.middle();
        let mut bound = self.moments_inside(cluster, layer);
        bound.add_at(self.centre_of_bound(cluster) - centre, -(change.strength + layer));
        self.bound.felt += felt;
        self.held.add(cluster, felt);
        self.bound.strength -= change.strength;
        self.bound.impulse += bound.linear - 0.5 * centre.cross(change.strength);
        bound
    }

    /// Returns the moments of a strength distributed over the points of a cluster, about the
    /// [middle](Self::middle).
    pub(super) fn moments_inside(&self, cluster: usize, strength: DVec3) -> CentredMoments {
        let mut moments = CentredMoments::default();
        if strength != DVec3::ZERO {
            let centre = self.middle();
            let share = 1.0 / self.held.points_of(cluster).len() as f64;
            for point in self.inside(cluster, self.state.pose()) {
                moments.add(centre, point, strength * share);
            }
        }
        moments
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluid_core::math::Random;

    fn contacts(points: &[Vec3]) -> Vec<Contact> {
        let contact = |(row, &point)| Contact { row, point, ..Contact::default() };
        (0..).zip(points).map(contact).collect()
    }

    fn total(held: &Held) -> DVec3 {
        held.each().map(|(felt, _)| felt).sum()
    }

    /// Moves held strength under contacts at `points`.
    fn go_under(held: &mut Held, points: &[Vec3], before: &mut Held) {
        let (mut contacts, mut clusters) = (contacts(points), Clusters::default());
        clusters.find(&mut contacts, &Pose::IDENTITY, 1.0);
        held.go_under(&contacts, &clusters, |contact| contact.point, before);
    }

    /// Of two clusters, one follows its contacts and the other stays at its old points; a third that touches
    /// both takes all strength, and is later divided into equal parts.
    #[test]
    fn strength_goes_with_contacts_or_stays() {
        let (mut held, mut before) = (Held::at(Vec::new(), DVec3::ZERO), Held::default());
        let [here, there] = [Vec3::ZERO, Vec3::X * 4.5];
        go_under(&mut held, &[here, there], &mut before);
        held.add(0, DVec3::X);
        held.add(1, DVec3::Y * 3.0);
        go_under(&mut held, &[here - Vec3::X * 0.9], &mut before);
        let found: Vec<_> = held.each().map(|(felt, points)| (felt, points.to_vec())).collect();
        let expected = [(DVec3::X, vec![here - Vec3::X * 0.9]), (DVec3::Y * 3.0, vec![there])];
        assert_eq!(found, expected);
        let all: Vec<_> = (0..6).map(|i| Vec3::X * (i as f32 - 0.5)).collect();
        go_under(&mut held, &all, &mut before);
        let found: Vec<_> = held.each().map(|(felt, points)| (felt, points.len())).collect();
        assert_eq!(found, [(DVec3::new(1.0, 3.0, 0.0), 6)]);
        go_under(&mut held, &[all[0], all[5]], &mut before);
        // Points 0 and 1 are near one cluster, 4 and 5 near the other, and 2 and 3 near neither.
        let part = DVec3::new(1.0, 3.0, 0.0) / 3.0;
        let found: Vec<_> = held.each().map(|(felt, _)| felt).collect();
        assert_eq!(found, [part; 3]);
        assert_eq!(held.nearest(Vec3::X * 2.1).0, 2);
        held.come_to(Vec3::X * 2.1, part, 1.0);
        held.come_to(Vec3::X * 50.0, part, 1.0);
        held.come_to(Vec3::X * 50.5, part, 1.0);
        let found: Vec<_> = held.each().map(|(felt, points)| (felt, points.len())).collect();
        assert_eq!(found[2..], [(part * 2.0, 2), (part * 2.0, 1)]);
    }

    /// However contacts come and go, no strength is lost, and clusters need no more memory than was reserved.
    #[test]
    fn strength_is_kept_in_few_places() {
        let random = Random::new(8);
        let (mut held, mut before) = (Held::at(Vec::new(), DVec3::ZERO), Held::default());
        held.reserve();
        before.reserve();
        let (room, mut most, mut expected) =
            ([held.points.capacity(), held.clusters.capacity()], 0, DVec3::ZERO);
        for step in 0..2000_u64 {
            let count = random.bits(9_000_000 + step) % if step % 10 == 0 { 1500 } else { 60 };
            let spread = if step % 3 == 0 { 8.0 } else { 400.0 };
            let points = (0..=count).map(|i| match step % 5 {
                // The most clusters possible, none near one of the previous step.
                4 => Vec3::new(step as f32 * 100.0, (i % MOST_CLUSTERS as u64) as f32 * 10.0, 0.5),
                _ => random.centred_vec3(3000 * step + i) * spread,
            });
            go_under(&mut held, &points.collect::<Vec<_>>(), &mut before);
            let felt = random.centred_vec3(7_000_000 + step).as_dvec3();
            held.add(step as usize % held.clusters.len(), felt);
            expected += felt;
            most = most.max(held.clusters.len());
            assert!(held.is_valid() && held.clusters.len() <= MOST_CLUSTERS + MOST_LEFT, "step {step}");
            assert!((total(&held) - expected).length() < 1e-9, "step {step}");
        }
        assert!(most == MOST_CLUSTERS + MOST_LEFT, "{most} clusters");
        let rooms = [&held, &before].map(|held| [held.points.capacity(), held.clusters.capacity()]);
        assert_eq!(rooms, [room; 2], "memory has grown");
    }
}
