//! Strengths of the vortons of a cluster of contacts that minimise the slip at the contact points, solved for
//! together (E37).

use crate::body::{Body, MOST_POINTS};
use crate::cloud::induced;
use crate::contact::{Contact, ContactSide};
use crate::ledger::CentredMoments;
use crate::patches::{Patches, reserve};
use fluid_core::boundary::Motion;
use fluid_core::math::Vec3Columns;
use fluid_core::params::Params;
use fluid_core::velocity::{PairFactors, SourceCloud};
use fluid_threads::Executor;
use glam::{DMat3, DVec3, Vec3};
use std::f64::consts::PI;

/// State of one contact before its vorton was changed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Assigned {
    /// Position of the vorton \[m\].
    pub position: Vec3,
    /// Its strength \[m³/s\].
    pub strength: Vec3,
    /// Velocity of the fluid relative to the surface \[m/s\].
    pub slip: Vec3,
    /// Neighbours as a fraction of those in a layer \[1\]: 0 alone, 1 in a layer.
    pub crowd: f32,
}

/// Contacts of one cluster.
#[derive(Clone, Copy)]
pub(crate) struct Group<'a> {
    pub(crate) body: &'a Body,
    pub(crate) contacts: &'a [Contact],
    /// State before the change, contact by contact.
    pub(crate) assigned: &'a [Assigned],
    /// Fraction of the change that is applied in this step \[1\].
    pub(crate) share: f32,
    /// Weight of the strengths against the slip, relative to a vorton's effect at its own contact \[1\].
    pub(crate) restraint: f64,
    /// Part of the bound strength across the surface that induces velocity \[1\].
    pub(crate) turning: f32,
}

/// Returns the part of the bound strength across the surface that induces velocity \[1\], for the contacts
/// of a cluster: 1 where the surface turns along itself with at least a tenth of the vorticity that vortons
/// have across it, in the mean; 0 where it turns with less than a twentieth, so where vortices end at it.
/// Fluid above a surface that turns about its normal has vorticity along the normal. If its opposite did not
/// act, circulation would remain that nothing has made, and would turn the body on.
pub(crate) fn turning<'a>(
    core_radius: f32,
    pairs: impl Iterator<Item = (&'a Contact, &'a Assigned)> + Clone,
) -> f32 {
    let pairs = pairs.filter(|(_, old)| old.strength.is_finite());
    let none = (Vec3::ZERO, Vec3::ZERO, 0.0, 0.0_f32);
    let sums = pairs.clone().fold(none, |(velocity, point, sum, count), (contact, old)| {
        let across = old.strength.dot(contact.normal).abs();
        (velocity + contact.velocity, point + contact.point, sum + across, count + 1.0)
    });
    let (velocity, point, across, count) = (sums.0 / sums.3, sums.1 / sums.3, sums.2, sums.3);
    let along = |contact: &Contact, v: Vec3| (v - self::across(contact.normal, v)).length_squared();
    let (speeds, ways) = pairs.fold((0.0, 0.0), |(speeds, ways), (contact, _)| {
        (speeds + along(contact, contact.velocity - velocity), ways + along(contact, contact.point - point))
    });
    if !(speeds > 0.0 && ways > 0.0) {
        return 0.0;
    }
    let vorticity = across / (count * VOLUME * core_radius.powi(3));
    let relative = 2.0 * (speeds / ways).sqrt() / vorticity;
    ((relative - LEAST_TURNING) / (FULL_TURNING - LEAST_TURNING)).clamp(0.0, 1.0)
}

/// Vorticity of a turning surface, relative to that of vortons across it \[1\], from which on strength across
/// it acts in part, and in full.
const LEAST_TURNING: f32 = 0.05;
const FULL_TURNING: f32 = 0.1;
/// Volume of a vorton in a cloud with the usual spacing, two thirds of the core radius \[core radii³\].
const VOLUME: f32 = 0.3;

/// Solver for one body at a time, with scratch memory.
#[derive(Debug, Clone)]
pub(crate) struct LeastSlip {
    cloud: SourceCloud,
    patches: Patches,
    /// Pair factors of vortons and bound strength at contact points, of contact points at vortons, and of
    /// contact points at interior points.
    factors: [PairFactors; 3],
    /// New positions of the vortons.
    places: Vec3Columns,
    /// Contact points.
    points: Vec3Columns,
    /// Positions of bound strength.
    inside: Vec3Columns,
    /// Normal and layer fraction (`crowd`) of each contact.
    walls: Vec<(Vec3, f32)>,
    /// Weight of each change against the slip \[1/m⁴\].
    weights: Vec<f32>,
    /// Restraint of the group.
    restraint: f64,
    /// [`Group::turning`].
    turning: f32,
    /// Mobility of the body.
    give: Give,
    /// True if the walls keep fluid in without dragging it along.
    frictionless: bool,
    /// Velocity missing at the contact points without the contacts' vortons.
    bare: Vec<Vec3>,
    /// Square of the slip at which the solution is accepted.
    enough: f64,
    /// Change of strength to be found.
    change: Vec3Columns,
    /// Velocity still missing at the contact points.
    residual: Vec3Columns,
    descent: Vec3Columns,
    direction: Vec3Columns,
    targets: Vec<Vec3>,
    out: Vec<Vec3>,
}

/// Slip at which the joint solution is accepted, relative to that without the contacts' strengths \[1\].
const GOOD_ENOUGH: f64 = 0.01;
/// Squared gradient, relative to its initial value, below which it is round-off \[1\].
const SLOPE_ROUNDING: f64 = 1e-12;
/// Squared gradient, relative to the largest that the slip could produce, below which it is round-off \[1\]:
/// these vortons cannot reach the remaining slip, and a step along round-off would be arbitrarily long.
const FLAT: f64 = 1e-10;
/// Weight of strengths without neighbours, relative to that in a layer \[1\]. Without it, distant contacts
/// could use huge strengths, each in the direction that has no effect on itself, for their small effect on
/// each other.
const APART: f32 = 0.002;

/// Squared effect of a vorton on the contacts of a layer around it, relative to that on its own contact
/// \[1\]. Among many contacts, directions are divided by 1 plus this times `crowd`: otherwise the passes find
/// the strengths of dense layers first, and hardly those of sparse contacts, such as at the rim of fluid that
/// runs out on a floor. With twice that, fluid in a room in wind gets .4 of its impulse sideways, .15 with
/// this.
const EFFECT_OF_LAYER: f32 = 10.0;

/// Points at which the velocity of a cloud is evaluated.
#[derive(Clone, Copy)]
enum Targets {
    Points,
    Places,
    Inside,
}

impl LeastSlip {
    /// Creates a solver that sums velocities with the settings of `cloud`.
    pub(crate) fn new(cloud: SourceCloud) -> Self {
        Self {
            patches: Patches::new(cloud.clone()),
            cloud,
            factors: Default::default(),
            places: Vec3Columns::default(),
            points: Vec3Columns::default(),
            inside: Vec3Columns::default(),
            walls: Vec::new(),
            weights: Vec::new(),
            restraint: 0.0,
            turning: 0.0,
            give: Give::default(),
            frictionless: false,
            bare: Vec::new(),
            enough: 0.0,
            change: Vec3Columns::default(),
            residual: Vec3Columns::default(),
            descent: Vec3Columns::default(),
            direction: Vec3Columns::default(),
            targets: Vec::new(),
            out: Vec::new(),
        }
    }

    /// Reserves memory for a group of `contacts`.
    pub(crate) fn reserve(&mut self, contacts: usize) {
        for columns in [
            &mut self.places,
            &mut self.points,
            &mut self.change,
            &mut self.residual,
            &mut self.descent,
            &mut self.direction,
        ] {
            columns.reserve(contacts);
        }
        self.cloud.reserve(contacts + MOST_POINTS);
        self.patches.reserve(contacts);
        self.factors[Targets::Points as usize].reserve(contacts, contacts + MOST_POINTS);
        self.factors[Targets::Places as usize].reserve(contacts, contacts);
        self.factors[Targets::Inside as usize].reserve(MOST_POINTS, contacts);
        reserve(&mut self.walls, contacts);
        reserve(&mut self.weights, contacts);
        for vectors in [&mut self.bare, &mut self.targets, &mut self.out] {
            reserve(vectors, contacts);
        }
    }

    /// Returns the change \[m³/s\] of the strength of vorton `i` that minimises the slip.
    pub(crate) fn change(&self, i: usize) -> Vec3 {
        self.change.get(i)
    }

    /// Returns the new position of vorton `i` \[m\].
    pub(crate) fn place_of(&self, i: usize) -> Vec3 {
        self.places.get(i)
    }

    /// Returns the largest slip \[m/s\] at a contact point without the contacts' vortons.
    pub(crate) fn largest_missing(&self) -> f32 {
        self.bare.iter().map(|bare| bare.length()).fold(0.0, f32::max)
    }

    /// Returns the largest velocity \[m/s\] still missing at a contact point.
    pub(crate) fn largest_residual(&self) -> f32 {
        self.residual.iter().map(|residual| residual.length()).fold(0.0, f32::max)
    }

    /// Starts with a new group, nothing changed yet.
    pub(crate) fn begin(&mut self, motion: Motion<'_>, group: &Group<'_>) {
        for columns in [
            &mut self.places,
            &mut self.points,
            &mut self.inside,
            &mut self.change,
            &mut self.residual,
            &mut self.descent,
            &mut self.direction,
        ] {
            columns.clear();
        }
        self.walls.clear();
        self.forget_factors();
        self.patches.find(group.contacts);
        let density = f64::from(motion.params.ambient.density * group.share);
        let first = &group.contacts[0];
        self.give = if first.is_held { Give::NONE } else { Give::of(group.body, density) };
        self.frictionless = first.side() == ContactSide::Wall;
        (self.restraint, self.turning) = (group.restraint, group.turning);
        let points = group.body.inside(first.cluster as usize, group.body.state.pose());
        points.for_each(|point| self.inside.push(point));
        for (contact, old) in group.contacts.iter().zip(group.assigned) {
            self.points.push(contact.point);
            self.places.push(old.position);
            self.change.push(Vec3::ZERO);
            self.residual.push(-old.slip);
            self.walls.push((contact.normal, old.crowd));
        }
        self.bare.clear();
        self.enough = 0.0;
    }

    /// Computes the velocity missing without the group's own vortons, which are to be placed and bounded
    /// anew.
    pub(crate) fn find_bare(&mut self, motion: Motion<'_>, group: &Group<'_>) {
        self.cloud.set_from(group.assigned.iter().map(|old| (old.position, old.strength)));
        self.act(motion.exec);
        for ((own, old), wall) in self.out.iter().zip(group.assigned).zip(&self.walls) {
            self.bare.push(felt(self.frictionless, wall.0, *own - old.slip));
        }
        let bare2: f64 = self.bare.iter().map(|v| v.as_dvec3().length_squared()).sum();
        self.enough = GOOD_ENOUGH * GOOD_ENOUGH * bare2;
    }

    /// Moves vortons towards `aim(contact, crowd, slip)`, for the slip that the others leave to them, but
    /// along the surface no farther than [`farthest_along`].
    pub(crate) fn place(
        &mut self,
        motion: Motion<'_>,
        group: &Group<'_>,
        aim: impl Fn(&Contact, f32, Vec3) -> Vec3,
    ) {
        self.forget_factors();
        for (i, (contact, old)) in group.contacts.iter().zip(group.assigned).enumerate() {
            let strength = old.strength + self.change.get(i);
            let own = induced(motion.params, contact.point - self.places.get(i), strength);
            let slip = -self.residual.get(i) - own;
            let way = (aim(contact, old.crowd, slip) - old.position) * group.share;
            let out = across(contact.normal, way);
            let along = (way - out).clamp_length_max(farthest_along(slip, motion.dt, group.share));
            self.places.set(i, old.position + out + along);
        }
    }

    /// Sets the residual with the vortons unchanged: the slip, and the body's reaction to pushing them.
    pub(crate) fn take_slip(&mut self, group: &Group<'_>) {
        let pushed = group.body.pushed;
        let velocity = pushed.linear / group.body.mass;
        let spin = group.body.spin_from(pushed.angular_about(self.give.arm));
        for (i, old) in group.assigned.iter().enumerate() {
            let surface = self.give.at(self.points.get(i), velocity, spin);
            self.residual.set(i, felt(self.frictionless, self.walls[i].0, surface - old.slip));
        }
    }

    /// Computes the residual with the vortons at their new positions and with the strengths found.
    pub(crate) fn find_residual(&mut self, motion: Motion<'_>, group: &Group<'_>) {
        let strengths =
            group.assigned.iter().zip(self.change.iter()).map(|(old, change)| old.strength + change);
        let bound = bound(&self.inside, (&self.walls, self.turning), &self.change);
        self.cloud.set_from(self.places.iter().zip(strengths).chain(bound));
        // The solution continues with these pairs.
        self.act_again(motion.exec, Targets::Points);
        // Pushing and moving the vortons moves the body's surface as well. (Only the impulses of this step
        // count: with a host that never applies impulses their sum would grow, and the fluid would follow a
        // motion that never happens.)
        let density = f64::from(motion.params.ambient.density);
        let mut given = group.body.pushed;
        for (old, place) in group.assigned.iter().zip(self.places.iter()) {
            given.add(self.give.middle(), old.position, old.strength.as_dvec3() * density);
            given.add(self.give.middle(), place, old.strength.as_dvec3() * -density);
        }
        let (more, more_spin) = self.motion(&self.change);
        let velocity = given.linear / group.body.mass + more;
        let spin = group.body.spin_from(given.angular_about(self.give.arm)) + more_spin;
        for (i, bare) in self.bare.iter().enumerate() {
            let surface = self.give.at(self.points.get(i), velocity, spin);
            self.residual.set(i, felt(self.frictionless, self.walls[i].0, bare - self.out[i] + surface));
        }
    }

    /// Solves for least squares by conjugate gradients (CGLS): the residual falls from pass to pass, and
    /// smooth slip, which needs weak strengths, falls first. The adjoint of "vortons act on contact points"
    /// is "contact points act on vortons" with the same kernel. Returns true if the remaining slip is
    /// acceptable.
    pub(crate) fn solve(&mut self, motion: Motion<'_>, passes: u32) -> bool {
        let len = self.points.len();
        // A single contact is solved exactly, within f32.
        let others = 1.0 - 1.0 / len as f64;
        let alone = alone(motion.params);
        let damping = (self.restraint * alone).powi(2) as f32;
        let least = if len > 1 { APART } else { 0.0 };
        self.weights.clear();
        self.weights.extend(self.walls.iter().map(|(_, crowd)| damping * crowd.max(least)));
        let mut slope = self.descend(motion.exec);
        let at_first = slope;
        self.direction.copy_from(&self.descent);
        for pass in 1..=passes {
            let left = norm2(&self.residual);
            let flat = slope <= SLOPE_ROUNDING * at_first || slope <= FLAT * alone * alone * left;
            if flat || left <= self.enough * others {
                break;
            }
            let bound = bound(&self.inside, (&self.walls, self.turning), &self.direction);
            self.cloud.set_from(self.places.iter().zip(self.direction.iter()).chain(bound));
            self.act_again(motion.exec, Targets::Points);
            if self.give.is_moved {
                let (velocity, spin) = self.motion(&self.direction);
                for (out, point) in self.out.iter_mut().zip(self.points.iter()) {
                    *out -= self.give.at(point, velocity, spin);
                }
            }
            if self.frictionless {
                for (out, wall) in self.out.iter_mut().zip(&self.walls) {
                    *out = across(wall.0, *out);
                }
            }
            let acted: f64 = self.out.iter().map(|v| v.as_dvec3().length_squared()).sum();
            let size = self.weights.iter().zip(self.direction.iter());
            let size: f64 = size.map(|(weight, d)| f64::from(weight * d.length_squared())).sum();
            let step = (slope / (acted + size)) as f32;
            for i in 0..len {
                self.change.set(i, self.change.get(i) + self.direction.get(i) * step);
                self.residual.set(i, self.residual.get(i) - self.out[i] * step);
            }
            if pass == passes {
                break;
            }
            let next = self.descend(motion.exec);
            let turn = (next / slope) as f32;
            slope = next;
            for i in 0..len {
                self.direction.set(i, self.descent.get(i) + self.direction.get(i) * turn);
            }
        }
        norm2(&self.residual) <= self.enough
    }

    /// Computes the steepest descent of slip² + weight · change², and returns its squared slope. A wall
    /// creates vorticity along itself only: components along the normal would be cheap for the solution, and
    /// would accelerate a spinning ball instead of slowing it down.
    fn descend(&mut self, exec: &dyn Executor) -> f64 {
        let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
        if self.give.is_moved {
            for (point, residual) in self.points.iter().zip(self.residual.iter()) {
                force += residual.as_dvec3();
                torque += (point.as_dvec3() - self.give.centre).cross(residual.as_dvec3());
            }
        }
        self.cloud.set_from(self.points.iter().zip(self.residual.iter()));
        self.act_again(exec, Targets::Inside);
        let held = self.out.iter().zip(self.inside.iter());
        let held = held.map(|(out, point)| *out - self.give.adjoint(point, force, torque));
        // Containers have no interior of their own.
        let bound = held.sum::<Vec3>() / self.inside.len().max(1) as f32;
        self.act_again(exec, Targets::Places);
        self.descent.clear();
        let are_many = self.patches.are_many();
        let mut slope = 0.0;
        for (i, &(normal, crowd)) in self.walls.iter().enumerate() {
            let moved = self.give.adjoint(self.places.get(i), force, torque);
            let held = of_layer((normal, crowd), self.turning, bound);
            let steepest = self.out[i] - moved - held - self.change.get(i) * self.weights[i];
            let along = steepest - normal * (normal.dot(steepest) * crowd);
            let along = if are_many { along / (1.0 + EFFECT_OF_LAYER * crowd) } else { along };
            slope += f64::from(steepest.dot(along));
            self.descent.push(along);
        }
        slope
    }

    /// Returns the velocity and angular velocity of the body due to changes of strength.
    fn motion(&self, change: &Vec3Columns) -> (DVec3, DVec3) {
        if !self.give.is_moved {
            return (DVec3::ZERO, DVec3::ZERO);
        }
        let mut sums = CentredMoments::default();
        let bound = bound(&self.inside, (&self.walls, self.turning), change);
        for (place, change) in self.places.iter().zip(change.iter()).chain(bound) {
            sums.add(self.give.middle(), place, change.as_dvec3());
        }
        (sums.linear * self.give.linear, self.give.angular * sums.angular_about(self.give.arm))
    }

    /// Discards the pair factors, because vortons have moved.
    fn forget_factors(&mut self) {
        self.factors.iter_mut().for_each(PairFactors::forget);
    }

    /// Sets `out` to the velocity of the cloud at the contact points.
    fn act(&mut self, exec: &dyn Executor) {
        self.targets.clear();
        self.targets.extend(self.points.iter());
        if self.patches.are_many() && !self.cloud.is_silent() {
            self.patches.velocities(exec, &self.cloud, &self.targets, &mut self.out);
        } else {
            velocities(&self.cloud, exec, &self.targets, &mut self.out);
        }
    }

    /// The same at other targets, of a cloud that keeps its positions for them until vortons are placed anew.
    fn act_again(&mut self, exec: &dyn Executor, targets: Targets) {
        let places = match targets {
            Targets::Points => &self.points,
            Targets::Places => &self.places,
            Targets::Inside => &self.inside,
        };
        if self.cloud.is_silent() {
            self.out.clear();
            self.out.resize(places.len(), Vec3::ZERO);
            return;
        }
        self.targets.clear();
        self.targets.extend(places.iter());
        if self.patches.are_many() {
            return match targets {
                Targets::Inside => self.cloud.velocities_in_parallel(exec, &self.targets, &mut self.out),
                _ => self.patches.velocities(exec, &self.cloud, &self.targets, &mut self.out),
            };
        }
        let factors = &mut self.factors[targets as usize];
        self.cloud.velocities_again(exec, factors, &self.targets, &mut self.out);
    }
}

/// Returns how far \[m\] a step that makes the fraction `share` of a change moves a vorton along the surface,
/// to where it can cancel this slip: about as far as the slip would carry it, or any distance in a step that
/// makes all of the change. The next step finds the vorton's contact point where it is then and aims anew, so
/// without this bound it would run along the surface at a core radius times the rate of no-slip, however weak
/// the flow is.
fn farthest_along(slip: Vec3, dt: f32, share: f32) -> f32 {
    if share < 1.0 { slip.length() * dt.abs() / (1.0 - share.powi(4)) } else { f32::INFINITY }
}

/// Computes the velocities \[m/s\] of a cloud at finite `places` \[m\]. In fluid at rest there is nothing to
/// sum.
pub(crate) fn velocities(cloud: &SourceCloud, exec: &dyn Executor, places: &[Vec3], out: &mut Vec<Vec3>) {
    if cloud.is_silent() {
        out.clear();
        out.resize(places.len(), Vec3::ZERO);
    } else {
        cloud.velocities_in_parallel(exec, places, out);
    }
}

/// Returns the inducing bound strength that belongs to changes of strength at the surface: the opposite of
/// the sum of those that are part of a layer, inside the body. A sheet that moves with a spinning body is
/// only one half of the vorticity; the other half is inside.
fn bound(
    inside: &Vec3Columns,
    (walls, turning): (&[(Vec3, f32)], f32),
    change: &Vec3Columns,
) -> impl Iterator<Item = (Vec3, Vec3)> {
    let layer = change.iter().zip(walls).map(|(change, &wall)| of_layer(wall, turning, change).as_dvec3());
    let each = (layer.sum::<DVec3>() / -(inside.len() as f64)).as_vec3();
    inside.iter().map(move |point| (point, each))
}

/// Returns the part of a strength at a surface with this normal that belongs to a layer, for the crowd there
/// \[1\]: along the surface, and across it the fraction `turning`. Where nothing turns, strength across it,
/// together with its opposite below, would hardly move the fluid at the surface, and both would grow without
/// bound ([`turning`]).
fn of_layer((normal, crowd): (Vec3, f32), turning: f32, strength: Vec3) -> Vec3 {
    (strength - across(normal, strength) * (1.0 - turning)) * crowd
}

/// Mobility of a body under changes of strength at its surface: their impulse moves it in the same step
/// (backward Euler), which cancels slip as well. Zero if impulses do not move the body.
#[derive(Debug, Clone, Copy, Default)]
struct Give {
    centre: DVec3,
    /// From the centre of mass to the middle of the solids \[m\].
    arm: DVec3,
    /// False if impulses do not move the body.
    is_moved: bool,
    /// Velocity per ½ Σ y × δ, about the middle.
    linear: f64,
    /// Angular velocity per angular impulse, ⅓ Σ y × (y × δ) and that of the impulse at the middle.
    angular: DMat3,
}

impl Give {
    /// Of solids in a hole, to which its contents give their whole momentum.
    const NONE: Self =
        Self { centre: DVec3::ZERO, arm: DVec3::ZERO, is_moved: false, linear: 0.0, angular: DMat3::ZERO };

    /// Returns the mobility of a body in a fluid of the given `density` \[kg/m³\], already multiplied by the
    /// fraction of the changes that is applied.
    fn of(body: &Body, density: f64) -> Self {
        let spin = |axis| body.spin_from(axis) * -density;
        let linear = -density / body.mass;
        let angular = DMat3::from_cols(spin(DVec3::X), spin(DVec3::Y), spin(DVec3::Z));
        let is_moved = linear != 0.0 || angular != DMat3::ZERO;
        Self { centre: body.state.position.as_dvec3(), arm: body.arm(), is_moved, linear, angular }
    }

    /// Returns the point about which strengths are summed \[m\].
    fn middle(&self) -> DVec3 {
        self.centre + self.arm
    }

    /// Returns the velocity of the surface at a point.
    fn at(&self, point: Vec3, velocity: DVec3, spin: DVec3) -> Vec3 {
        if !self.is_moved {
            return Vec3::ZERO;
        }
        (velocity + spin.cross(point.as_dvec3() - self.centre)).as_vec3()
    }

    /// Applies the adjoint: returns the contribution of residuals, with the sum `force` and the moment
    /// `torque`, to the gradient for a strength at `place`.
    fn adjoint(&self, place: Vec3, force: DVec3, torque: DVec3) -> Vec3 {
        if !self.is_moved {
            return Vec3::ZERO;
        }
        let y = place.as_dvec3() - self.middle();
        let turned = self.angular.transpose() * torque;
        let at_middle = turned.cross(self.arm).cross(y) * 0.5;
        (force.cross(y) * (0.5 * self.linear) + at_middle + turned.cross(y).cross(y) / 3.0).as_vec3()
    }
}

/// Returns the velocity that counts at a wall: all of it, or only the normal component. A container's vortons
/// are often all in the layer that touches its walls: friction there would hold its entire contents.
fn felt(frictionless: bool, normal: Vec3, velocity: Vec3) -> Vec3 {
    if frictionless { across(normal, velocity) } else { velocity }
}

/// Returns the component of a velocity across a wall.
fn across(normal: Vec3, velocity: Vec3) -> Vec3 {
    normal * normal.dot(velocity)
}

fn norm2(columns: &Vec3Columns) -> f64 {
    columns.iter().map(|v| v.as_dvec3().length_squared()).sum()
}

/// Returns the velocity per strength \[1/m²\] of a vorton one core radius away.
pub(crate) fn alone(params: &Params) -> f64 {
    params.kernel.q_over_cube(1.0) / (4.0 * PI * f64::from(params.core_radius).powi(2))
}
