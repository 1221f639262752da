//! The strengths with which the vortons of a cluster of contacts leave the least slip at the contact points,
//! all together (E37).

use crate::body::{Body, MOST_POINTS};
use crate::clusters::MOST_TOGETHER;
use crate::contact::Contact;
use crate::ledger::Moments;
use fluid_core::boundary::Motion;
use fluid_core::math::Vec3Columns;
use fluid_core::params::Params;
use fluid_core::velocity::{PairFactors, SourceCloud};
use fluid_threads::Executor;
use glam::{DMat3, DVec3, Vec3};
use std::f64::consts::PI;

/// What one contact was like before its vorton was changed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Assigned {
    /// Where the vorton was \[m\].
    pub position: Vec3,
    /// Its strength \[m³/s\].
    pub strength: Vec3,
    /// Velocity of the fluid against the surface \[m/s\].
    pub slip: Vec3,
    /// How many neighbours it has \[1\]: 0 alone, 1 in a layer.
    pub crowd: f32,
}

/// Contacts of one cluster.
#[derive(Clone, Copy)]
pub(crate) struct Group<'a> {
    pub(crate) body: &'a Body,
    pub(crate) contacts: &'a [Contact],
    /// As they are, contact by contact.
    pub(crate) assigned: &'a [Assigned],
    /// How many of them, the first, are to be changed: the others only take part in the solution.
    pub(crate) own: usize,
    /// How much of what is wanted is done in this step \[1\].
    pub(crate) share: f32,
    /// Weight of the size of the strengths against the slip, as a share of what one vorton does at its own
    /// contact \[1\].
    pub(crate) restraint: f64,
}

/// The solution for one body at a time. Holds the memory that takes.
#[derive(Debug, Clone)]
pub(crate) struct LeastSlip {
    cloud: SourceCloud,
    /// Of vortons and what the body holds on points, of points on vortons, and of points inside.
    factors: [PairFactors; 3],
    /// Where the vortons are put.
    places: Vec3Columns,
    /// The contact points.
    points: Vec3Columns,
    /// Where bound strength is.
    inside: Vec3Columns,
    /// Normal and crowd of each contact.
    walls: Vec<(Vec3, f32)>,
    /// Weight of the size of each change against the slip \[1/m⁴\].
    weights: Vec<f32>,
    /// The group's.
    restraint: f64,
    /// How the body gives way.
    give: Give,
    /// True if walls keep fluid in, but do not drag it along.
    frictionless: bool,
    /// What would be missing at the contact points without the contacts' vortons.
    bare: Vec<Vec3>,
    /// The square of the slip that is good enough.
    enough: f64,
    /// The change of strength that is looked for.
    change: Vec3Columns,
    /// What is still missing at the contact points.
    residual: Vec3Columns,
    descent: Vec3Columns,
    direction: Vec3Columns,
    targets: Vec<Vec3>,
    out: Vec<Vec3>,
}

/// The joint solution is good enough when slip is this share of what it would be without the contacts'
/// strengths \[1\].
const GOOD_ENOUGH: f64 = 0.01;
/// The square of a slope that has fallen by this much is rounding \[1\].
const ROUNDING: f64 = 1e-12;
/// So is the square of a slope that is this share of the steepest that the slip could have: what is left is
/// out of these vortons' reach, and a step along the rounding of a slope is as long as one likes \[1\].
const FLAT: f64 = 1e-10;
/// Weight of the size of strengths that have no neighbours, as a share of that of a layer's \[1\]. Contacts
/// far from each other could otherwise use huge strengths, each in the direction that it does not feel
/// itself, for what little those do at the other.
const APART: f32 = 0.002;

/// Where the velocity of a cloud is asked for.
#[derive(Clone, Copy)]
enum Targets {
    Points,
    Places,
    Inside,
}

impl LeastSlip {
    /// `cloud` sums as it is to be done.
    pub(crate) fn new(cloud: SourceCloud) -> Self {
        Self {
            cloud,
            factors: Default::default(),
            places: Vec3Columns::default(),
            points: Vec3Columns::default(),
            inside: Vec3Columns::default(),
            walls: Vec::new(),
            weights: Vec::new(),
            restraint: 0.0,
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

    /// Makes room for a group of `contacts`.
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
        self.cloud.reserve(contacts.max(2 * MOST_TOGETHER + MOST_POINTS));
        self.factors[Targets::Points as usize].reserve(contacts, contacts + MOST_POINTS);
        self.factors[Targets::Places as usize].reserve(contacts, contacts);
        self.factors[Targets::Inside as usize].reserve(MOST_POINTS, contacts);
        reserve(&mut self.walls, contacts);
        reserve(&mut self.weights, contacts);
        for vectors in [&mut self.bare, &mut self.targets, &mut self.out] {
            reserve(vectors, contacts);
        }
    }

    /// The change \[m³/s\] of the strength of vorton `i` that leaves the least slip.
    pub(crate) fn change(&self, i: usize) -> Vec3 {
        self.change.get(i)
    }

    /// Where vorton `i` is put \[m\].
    pub(crate) fn place_of(&self, i: usize) -> Vec3 {
        self.places.get(i)
    }

    /// The largest slip \[m/s\] at a contact point that there would be without the contacts' vortons.
    pub(crate) fn largest_missing(&self) -> f32 {
        self.bare.iter().map(|bare| bare.length()).fold(0.0, f32::max)
    }

    /// The largest velocity \[m/s\] that is still missing at a contact point.
    pub(crate) fn largest_residual(&self) -> f32 {
        self.residual.iter().map(|residual| residual.length()).fold(0.0, f32::max)
    }

    /// Forgets the group before: nothing is changed yet.
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
        let density = f64::from(motion.params.ambient.density * group.share);
        self.give = Give::of(group.body, density);
        self.frictionless = group.body.is_container();
        self.restraint = group.restraint;
        let points = group.body.inside(group.contacts[0].cluster as usize, group.body.state.pose());
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

    /// What would be missing without the group's own vortons, for those that are to be placed and bounded
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

    /// Moves vortons towards where `aim(contact, crowd, slip)` wants them, for the slip that others leave to
    /// them.
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
            self.places.set(i, old.position + way);
        }
    }

    /// What is missing with the vortons where and as they were: the slip, and what pushing them has done to
    /// the body.
    pub(crate) fn take_slip(&mut self, group: &Group<'_>) {
        let pushed = group.body.pushed;
        let velocity = pushed.linear / group.body.mass;
        let spin = group.body.spin_from(pushed.angular);
        for (i, old) in group.assigned.iter().enumerate() {
            let surface = self.give.at(self.points.get(i), velocity, spin);
            self.residual.set(i, felt(self.frictionless, self.walls[i].0, surface - old.slip));
        }
    }

    /// What is missing with the vortons where they are put and the strengths that have been found.
    pub(crate) fn find_residual(&mut self, motion: Motion<'_>, group: &Group<'_>) {
        let strengths =
            group.assigned.iter().zip(self.change.iter()).map(|(old, change)| old.strength + change);
        let bound = bound(&self.inside, &self.walls, &self.change);
        self.cloud.set_from(self.places.iter().zip(strengths).chain(bound));
        // The solution goes on with these pairs.
        self.act_again(motion.exec, Targets::Points);
        // What pushing and moving the vortons does to the body makes its surface move as well. (Of this step
        // only: a host that never applies impulses would make a sum grow, and the fluid would follow a motion
        // that never comes.)
        let density = f64::from(motion.params.ambient.density);
        let mut given = group.body.pushed;
        for (old, place) in group.assigned.iter().zip(self.places.iter()) {
            given.add(self.give.centre, old.position, old.strength.as_dvec3() * density);
            given.add(self.give.centre, place, old.strength.as_dvec3() * -density);
        }
        let (more, more_spin) = self.motion(&self.change);
        let velocity = given.linear / group.body.mass + more;
        let spin = group.body.spin_from(given.angular) + more_spin;
        for (i, bare) in self.bare.iter().enumerate() {
            let surface = self.give.at(self.points.get(i), velocity, spin);
            self.residual.set(i, felt(self.frictionless, self.walls[i].0, bare - self.out[i] + surface));
        }
    }

    /// How the places and the changes of strength that have been found, of at most this size \[m³/s\], change
    /// the velocity \[m/s\] at points of other contacts.
    pub(crate) fn change_of_flow(
        &mut self,
        motion: Motion<'_>,
        group: &Group<'_>,
        most: f32,
        points: impl Iterator<Item = Vec3>,
    ) -> &[Vec3] {
        for i in 0..self.change.len() {
            let change = self.change.get(i).clamp_length_max(most);
            self.change.set(i, if i < group.own { change } else { Vec3::ZERO });
        }
        let own = &group.assigned[..group.own];
        let before = own.iter().map(|old| (old.position, -old.strength));
        let after = own.iter().zip(self.places.iter()).zip(self.change.iter());
        let after = after.map(|((old, place), change)| (place, old.strength + change));
        let bound = bound(&self.inside, &self.walls, &self.change);
        self.cloud.set_from(before.chain(after).chain(bound));
        self.targets.clear();
        self.targets.extend(points);
        velocities(&self.cloud, motion.exec, &self.targets, &mut self.out);
        &self.out
    }

    /// Least squares by conjugate gradients (CGLS): the residual falls from pass to pass, and smooth slip,
    /// which needs weak strengths, goes first. The adjoint of "vortons act on contact points" is "contact
    /// points act on vortons" with the same kernel. True if what is left is good enough.
    pub(crate) fn solve(&mut self, motion: Motion<'_>, passes: u32) -> bool {
        let len = self.points.len();
        // One contact alone is to be exact, to what f32 holds.
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
            let flat = slope <= ROUNDING * at_first || slope <= FLAT * alone * alone * left;
            if flat || left <= self.enough * others {
                break;
            }
            let bound = bound(&self.inside, &self.walls, &self.direction);
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

    /// The steepest descent of slip² + weight · change², and how steep it is. A wall makes vorticity along
    /// itself only: parts along the normal would be cheap for the solution, and would turn a spinning ball on
    /// instead of slowing it down.
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
        // Containers have no inside of their own.
        let bound = held.sum::<Vec3>() / self.inside.len().max(1) as f32;
        self.act_again(exec, Targets::Places);
        self.descent.clear();
        let mut slope = 0.0;
        for (i, &(normal, crowd)) in self.walls.iter().enumerate() {
            let moved = self.give.adjoint(self.places.get(i), force, torque);
            let steepest = self.out[i] - moved - bound * crowd - self.change.get(i) * self.weights[i];
            let along = steepest - normal * (normal.dot(steepest) * crowd);
            slope += f64::from(steepest.dot(along));
            self.descent.push(along);
        }
        slope
    }

    /// Velocity and angular velocity that changes of strength give to the body.
    fn motion(&self, change: &Vec3Columns) -> (DVec3, DVec3) {
        if !self.give.is_moved {
            return (DVec3::ZERO, DVec3::ZERO);
        }
        let mut sums = Moments::default();
        let bound = bound(&self.inside, &self.walls, change);
        for (place, change) in self.places.iter().zip(change.iter()).chain(bound) {
            sums.add(self.give.centre, place, change.as_dvec3());
        }
        (sums.linear * self.give.linear, self.give.angular * sums.angular)
    }

    /// Vortons are somewhere else.
    fn forget_factors(&mut self) {
        self.factors.iter_mut().for_each(PairFactors::forget);
    }

    /// `out` becomes the velocity of the cloud at the contact points.
    fn act(&mut self, exec: &dyn Executor) {
        self.targets.clear();
        self.targets.extend(self.points.iter());
        velocities(&self.cloud, exec, &self.targets, &mut self.out);
    }

    /// The same at other targets, of a cloud that stays where it is for them until vortons are placed anew.
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
        let factors = &mut self.factors[targets as usize];
        self.cloud.velocities_again(exec, factors, &self.targets, &mut self.out);
    }
}

/// Velocities \[m/s\] of a cloud at finite `places` \[m\]. In fluid at rest there is nothing to sum.
pub(crate) fn velocities(cloud: &SourceCloud, exec: &dyn Executor, places: &[Vec3], out: &mut Vec<Vec3>) {
    if cloud.is_silent() {
        out.clear();
        out.resize(places.len(), Vec3::ZERO);
    } else {
        cloud.velocities_in_parallel(exec, places, out);
    }
}

/// The bound strength that the fluid feels and that goes with changes of strength at the surface: the
/// opposite of their sum, as far as they are part of a layer, inside of the body. A sheet that moves with a
/// spinning body is one half of it only; the other is the vorticity inside.
fn bound(
    inside: &Vec3Columns,
    walls: &[(Vec3, f32)],
    change: &Vec3Columns,
) -> impl Iterator<Item = (Vec3, Vec3)> {
    let layer = change.iter().zip(walls).map(|(change, &(_, crowd))| (change * crowd).as_dvec3());
    let each = (layer.sum::<DVec3>() / -(inside.len() as f64)).as_vec3();
    inside.iter().map(move |point| (point, each))
}

/// How a body gives way to changes of strength at its surface: the impulse that they give to it moves it in
/// the same step (backward Euler), which is slip cancelled as well. Zero for what nothing moves.
#[derive(Debug, Clone, Copy, Default)]
struct Give {
    centre: DVec3,
    /// False for what nothing moves.
    is_moved: bool,
    /// Velocity for ½ Σ y × δ.
    linear: f64,
    /// Angular velocity for ⅓ Σ y × (y × δ).
    angular: DMat3,
}

impl Give {
    /// Of a body in a fluid of which `density` \[kg/m³\] (times the share of the changes that is made) takes
    /// part.
    fn of(body: &Body, density: f64) -> Self {
        let spin = |axis| body.spin_from(axis) * -density;
        let linear = -density / body.mass;
        let angular = DMat3::from_cols(spin(DVec3::X), spin(DVec3::Y), spin(DVec3::Z));
        let is_moved = linear != 0.0 || angular != DMat3::ZERO;
        Self { centre: body.state.position.as_dvec3(), is_moved, linear, angular }
    }

    /// Velocity of the surface at a point.
    fn at(&self, point: Vec3, velocity: DVec3, spin: DVec3) -> Vec3 {
        if !self.is_moved {
            return Vec3::ZERO;
        }
        (velocity + spin.cross(point.as_dvec3() - self.centre)).as_vec3()
    }

    /// The adjoint: what residuals, of sum `force` and moment `torque`, say of a change of strength at
    /// `place`.
    fn adjoint(&self, place: Vec3, force: DVec3, torque: DVec3) -> Vec3 {
        if !self.is_moved {
            return Vec3::ZERO;
        }
        let y = place.as_dvec3() - self.centre;
        let turned = self.angular.transpose() * torque;
        (force.cross(y) * (0.5 * self.linear) + turned.cross(y).cross(y) / 3.0).as_vec3()
    }
}

/// Room for `capacity` in all.
pub(crate) fn reserve<T>(values: &mut Vec<T>, capacity: usize) {
    values.reserve(capacity.saturating_sub(values.len()));
}

/// What a wall feels of a velocity: all of it, or the part across it. A container's vortons are often all in
/// the layer that touches its walls: friction there would hold its whole content.
fn felt(frictionless: bool, normal: Vec3, velocity: Vec3) -> Vec3 {
    if frictionless { across(normal, velocity) } else { velocity }
}

/// The part of a velocity across a wall.
fn across(normal: Vec3, velocity: Vec3) -> Vec3 {
    normal * normal.dot(velocity)
}

fn norm2(columns: &Vec3Columns) -> f64 {
    columns.iter().map(|v| v.as_dvec3().length_squared()).sum()
}

/// Velocity \[m/s\] that one vorton induces at `distance` from it.
fn induced(params: &Params, distance: Vec3, strength: Vec3) -> Vec3 {
    let core = f64::from(params.core_radius);
    let d = distance.as_dvec3();
    let factor = params.kernel.q_over_cube(d.length() / core) / (4.0 * PI * core.powi(3));
    (strength.as_dvec3().cross(d) * factor).as_vec3()
}

/// Velocity per strength \[1/m²\] of a vorton one core radius away.
pub(crate) fn alone(params: &Params) -> f64 {
    params.kernel.q_over_cube(1.0) / (4.0 * PI * f64::from(params.core_radius).powi(2))
}
