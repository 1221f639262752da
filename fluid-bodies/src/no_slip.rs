//! The fluid sticks to bodies: vortons at a surface get the strengths that bring the flow there to the surface's velocity
//! (part 4; E37).

use crate::body::Body;
use crate::contact::Contact;
use crate::ledger::Moments;
use crate::obstacles::Obstacles;
use fluid_core::constants::DIRECT_CHUNK;
use fluid_core::coupling::Motion;
use fluid_core::math::Vec3Columns;
use fluid_core::particles::Vortons;
use fluid_core::velocity::{Kernel, SourceCloud, VelocityField};
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{DMat3, DVec3, Vec3};

/// How bodies shed vorticity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoSlipSettings {
    /// Depth of the layer in which vortons are made to stick \[core radii\].
    pub depth: f32,
    /// Rate \[1/s\] at which slip goes away; infinity: within a step.
    pub rate: f32,
    /// Most passes of the joint solution.
    pub passes: u32,
}

/// What one contact was like before its vorton was changed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Assigned {
    /// Where the vorton was \[m\].
    pub position: Vec3,
    /// Its strength \[m³/s\].
    pub strength: Vec3,
    /// Velocity of the fluid against the surface \[m/s\].
    pub slip: Vec3,
}

/// Assigns strengths. Holds the memory that takes.
#[derive(Debug, Clone)]
pub struct NoSlip {
    settings: NoSlipSettings,
    /// All vortons.
    fluid: SourceCloud,
    /// The vortons of one body's contacts, or its contact points.
    group: SourceCloud,
    /// As it was, contact by contact.
    assigned: Vec<Assigned>,
    points: Vec<Vec3>,
    velocities: Vec<Vec3>,
    solution: Solution,
}

/// Memory of the joint solution for one body.
#[derive(Debug, Clone, Default)]
struct Solution {
    places: Vec3Columns,
    points: Vec3Columns,
    /// Normal at each contact point, and the share of the vorticity along it that is not made.
    walls: Vec<(Vec3, f32)>,
    /// Weight of the size of each change against the slip \[1/m⁴\].
    weights: Vec<f32>,
    /// The change of strength that is looked for.
    change: Vec3Columns,
    /// How the body gives way.
    give: Give,
    /// What would be missing at the contact points without the contacts' vortons.
    bare: Vec<Vec3>,
    /// What is still missing there.
    residual: Vec3Columns,
    descent: Vec3Columns,
    direction: Vec3Columns,
    targets: Vec<Vec3>,
    out: Vec<Vec3>,
}

/// The joint solution is good enough when slip is this share of what it would be without the contacts' strengths \[1\].
const GOOD_ENOUGH: f64 = 0.02;
/// Up to so many contacts are placed again after they have been solved for: each changes the flow at the others ...
const FEW: usize = 64;
/// ... at most so often.
const ROUNDS: u32 = 5;
/// The square of a slope that has fallen by this much is rounding \[1\].
const ROUNDING: f64 = 1e-12;
/// So is the square of a slope that is this share of the steepest that the slip could have: what is left is out of these vortons' reach, and
/// a step along the rounding of a slope is as long as one likes \[1\].
const FLAT: f64 = 1e-10;
/// Weight of the size of strengths that have no neighbours, as a share of that of a layer's \[1\]. Contacts far from each other could otherwise use
/// huge strengths, each in the direction that it does not feel itself, for what little those do at the other.
const APART: f32 = 0.002;
/// Contacts this near are neighbours \[core radii\].
const NEAR: f32 = 2.0;
/// So many neighbours make a layer.
const LAYER: usize = 24;
/// How far to look for them in the list, to either side.
const SEARCH: usize = 256;
/// Weight of the size of the strengths against the slip, as a share of what one vorton does at its own contact \[1\]. Smooth layers act 20 times
/// more strongly together than each alone, and do not feel it; strengths that alternate from neighbour to neighbour, which
/// a layer can hardly use and which would grow step by step, do.
const RESTRAINT: f64 = 0.5;

impl NoSlip {
    /// For these settings; memory comes with the first contacts.
    pub fn new(settings: NoSlipSettings, clouds: SourceCloud) -> Self {
        Self {
            settings,
            group: clouds.clone(),
            fluid: clouds,
            assigned: Vec::new(),
            points: Vec::new(),
            velocities: Vec::new(),
            solution: Solution::default(),
        }
    }

    /// What the contacts of the last step were like before their vortons were changed.
    pub fn assigned(&self) -> &[Assigned] {
        &self.assigned
    }

    /// Moves the vortons of all contacts along the flow's bend and gives them strengths that cancel the slip, as far as `rate` lets them in
    /// `dt`. Contacts are sorted by body; the vortons of one body are solved for together, those of others count as they were.
    /// Bodies give way within the step: light ones go with the fluid instead of stopping it.
    pub(crate) fn assign(
        &mut self,
        motion: Motion<'_>,
        bodies: &[Body],
        contacts: &[Contact],
        vortons: &mut Vortons,
    ) {
        self.remember(motion, contacts, vortons);
        let share = -libm::expm1f(-self.settings.rate * motion.dt.abs());
        let mut offset = 0;
        for group in contacts.chunk_by(|a, b| a.body == b.body) {
            let body = &bodies[group[0].body as usize];
            self.assign_group(motion, body, group, offset, share, vortons);
            offset += group.len();
        }
    }

    /// Those that now are inside of another body are pushed out of it.
    pub fn keep_outside(&self, obstacles: &Obstacles, contacts: &[Contact], vortons: &mut Vortons) {
        for (contact, old) in contacts.iter().zip(&self.assigned) {
            let mut place = [vortons.positions.get(contact.row as usize)];
            obstacles.keep_out_at_end(&[old.position], &mut place);
            vortons.positions.set(contact.row as usize, place[0]);
        }
    }

    /// The flow at the contact points, with all vortons where they are now.
    fn remember(&mut self, motion: Motion<'_>, contacts: &[Contact], vortons: &Vortons) {
        self.fluid.set(&vortons.positions, &vortons.strengths);
        self.points.clear();
        self.points.extend(contacts.iter().map(|contact| contact.point));
        velocities(motion.exec, &self.fluid, &self.points, &mut self.velocities);
        let before = contacts.iter().zip(&self.velocities).map(|(contact, &velocity)| Assigned {
            position: vortons.positions.get(contact.row as usize),
            strength: vortons.strengths.get(contact.row as usize),
            slip: velocity + motion.params.wind - contact.velocity,
        });
        self.assigned.clear();
        self.assigned.extend(before);
    }

    fn assign_group(
        &mut self,
        motion: Motion<'_>,
        body: &Body,
        group: &[Contact],
        offset: usize,
        share: f32,
        vortons: &mut Vortons,
    ) {
        let (kernel, core) = (motion.params.kernel, motion.params.core_radius);
        let assigned = &self.assigned[offset..offset + group.len()];
        let density = f64::from(motion.params.ambient.density);
        let solution = &mut self.solution;
        solution.clear();
        solution.give = Give::of(body, density * f64::from(share));
        for (i, (contact, old)) in group.iter().zip(assigned).enumerate() {
            solution.points.push(contact.point);
            solution.places.push(old.position);
            solution.change.push(Vec3::ZERO);
            solution.residual.push(-old.slip);
            solution.walls.push((contact.normal, crowd(group, i, core)));
        }
        // What would be missing without these vortons.
        self.group.set_from(assigned.iter().map(|old| (old.position, old.strength)));
        solution.act(motion.exec, &self.group, Targets::Points);
        let out = solution.out.iter();
        solution.bare.clear();
        solution.bare.extend(out.zip(assigned).map(|(own, old)| *own - old.slip));
        let bare2: f64 = solution.bare.iter().map(|v| v.as_dvec3().length_squared()).sum();

        let rounds = if group.len() <= FEW { ROUNDS } else { 1 };
        for _ in 0..rounds {
            for (i, (contact, old)) in group.iter().zip(assigned).enumerate() {
                let strength = old.strength + solution.change.get(i);
                let own = induced(kernel, core, contact.point - solution.places.get(i), strength);
                let ambient = -solution.residual.get(i) - own;
                let above = contact.point + contact.normal * contact.distance.max(core);
                let aim = place_along_bend(contact, core, ambient).lerp(above, solution.walls[i].1);
                solution.places.set(i, old.position.lerp(aim, share));
            }
            let strengths =
                assigned.iter().zip(solution.change.iter()).map(|(old, change)| old.strength + change);
            self.group.set_from(solution.places.iter().zip(strengths));
            solution.act(motion.exec, &self.group, Targets::Points);
            // What moving the vortons does to the body makes its surface move as well. (What it still owes does not count: a host that
            // never applies impulses would make it grow, and the fluid would follow a motion that never comes.)
            let mut given = Moments::default();
            for (old, place) in assigned.iter().zip(solution.places.iter()) {
                given.add(density, solution.give.centre, old.position, old.strength);
                given.add(-density, solution.give.centre, place, old.strength);
            }
            let (velocity, spin) = (given.linear / body.mass, body.spin_from(given.angular));
            let (more, more_spin) = solution.give.motion(&solution.places, &solution.change);
            for i in 0..group.len() {
                let surface = solution.give.at(solution.points.get(i), velocity + more, spin + more_spin);
                solution.residual.set(i, solution.bare[i] - solution.out[i] + surface);
            }
            solution.solve(motion, &mut self.group, self.settings.passes, GOOD_ENOUGH * GOOD_ENOUGH * bare2);
            if norm2(&solution.residual) <= GOOD_ENOUGH * GOOD_ENOUGH * bare2 {
                break;
            }
        }
        for (i, (contact, old)) in group.iter().zip(assigned).enumerate() {
            vortons.positions.set(contact.row as usize, solution.places.get(i));
            vortons.strengths.set(contact.row as usize, old.strength + solution.change.get(i) * share);
        }
    }
}

/// How a body gives way to changes of strength at its surface: the impulse that they give to it moves it in the same step (backward
/// Euler), which is slip cancelled as well. Zero for what nothing moves.
#[derive(Debug, Clone, Copy, Default)]
struct Give {
    centre: DVec3,
    /// Velocity for ½ Σ y × δ.
    linear: f64,
    /// Angular velocity for ⅓ Σ y × (y × δ).
    angular: DMat3,
}

impl Give {
    /// Of a body in a fluid of which `density` \[kg/m³\] (times the share of the changes that is made) takes part.
    fn of(body: &Body, density: f64) -> Self {
        let spin = |axis| body.spin_from(axis) * -density;
        Self {
            centre: body.state.position.as_dvec3(),
            linear: -density / body.mass,
            angular: DMat3::from_cols(spin(DVec3::X), spin(DVec3::Y), spin(DVec3::Z)),
        }
    }

    /// Velocity and angular velocity that changes of strength give.
    fn motion(&self, places: &Vec3Columns, change: &Vec3Columns) -> (DVec3, DVec3) {
        let mut sums = Moments::default();
        for (place, change) in places.iter().zip(change.iter()) {
            sums.add(1.0, self.centre, place, change);
        }
        (sums.linear * self.linear, self.angular * sums.angular)
    }

    /// Velocity of the surface at a point.
    fn at(&self, point: Vec3, velocity: DVec3, spin: DVec3) -> Vec3 {
        (velocity + spin.cross(point.as_dvec3() - self.centre)).as_vec3()
    }

    /// The adjoint: what residuals, of sum `force` and moment `torque`, say of a change of strength at `place`.
    fn adjoint(&self, place: Vec3, force: DVec3, torque: DVec3) -> Vec3 {
        let y = place.as_dvec3() - self.centre;
        let turned = self.angular.transpose() * torque;
        (force.cross(y) * (0.5 * self.linear) + turned.cross(y).cross(y) / 3.0).as_vec3()
    }
}

/// Where the velocity of a cloud is asked for.
#[derive(Clone, Copy)]
enum Targets {
    Points,
    Places,
}

impl Solution {
    fn clear(&mut self) {
        for columns in [
            &mut self.places,
            &mut self.points,
            &mut self.change,
            &mut self.residual,
            &mut self.descent,
            &mut self.direction,
        ] {
            columns.clear();
        }
        self.walls.clear();
    }

    /// `out` becomes the velocity of `cloud` at the targets.
    fn act(&mut self, exec: &dyn Executor, cloud: &SourceCloud, targets: Targets) {
        let places = match targets {
            Targets::Points => &self.points,
            Targets::Places => &self.places,
        };
        self.targets.clear();
        self.targets.extend(places.iter());
        velocities(exec, cloud, &self.targets, &mut self.out);
    }

    /// Least squares by conjugate gradients (CGLS): the residual falls from pass to pass, and smooth slip, which needs weak strengths,
    /// goes first. The adjoint of "vortons act on contact points" is "contact points act on vortons" with the same kernel.
    fn solve(&mut self, motion: Motion<'_>, cloud: &mut SourceCloud, passes: u32, enough: f64) {
        let len = self.points.len();
        let others = 1.0 - 1.0 / len as f64;
        let alone = alone(motion.params.kernel, motion.params.core_radius);
        let damping = (RESTRAINT * alone).powi(2) as f32;
        let least = if len > 1 { APART } else { 0.0 };
        self.weights.clear();
        self.weights.extend(self.walls.iter().map(|(_, crowd)| damping * crowd.max(least)));
        let mut slope = self.descend(motion.exec, cloud);
        let at_first = slope;
        self.direction.copy_from(&self.descent);
        for _ in 0..passes {
            // Who is alone is to be exact, to what f32 holds.
            let left = norm2(&self.residual);
            let flat = slope <= ROUNDING * at_first || slope <= FLAT * alone * alone * left;
            if flat || left <= enough * others {
                break;
            }
            cloud.set_from(self.places.iter().zip(self.direction.iter()));
            self.act(motion.exec, cloud, Targets::Points);
            let (velocity, spin) = self.give.motion(&self.places, &self.direction);
            for (out, point) in self.out.iter_mut().zip(self.points.iter()) {
                *out -= self.give.at(point, velocity, spin);
            }
            let acted: f64 = self.out.iter().map(|v| v.as_dvec3().length_squared()).sum();
            let size = self.weights.iter().zip(self.direction.iter());
            let size: f64 = size.map(|(weight, d)| f64::from(weight * d.length_squared())).sum();
            let step = (slope / (acted + size)) as f32;
            for i in 0..len {
                self.change.set(i, self.change.get(i) + self.direction.get(i) * step);
                self.residual.set(i, self.residual.get(i) - self.out[i] * step);
            }
            let next = self.descend(motion.exec, cloud);
            let turn = (next / slope) as f32;
            slope = next;
            for i in 0..len {
                self.direction.set(i, self.descent.get(i) + self.direction.get(i) * turn);
            }
        }
    }

    /// The steepest descent of slip² + weight · change², and how steep it is. A wall makes vorticity along itself only: parts along the
    /// normal would be cheap for the solution, and would turn a spinning ball on instead of slowing it down.
    fn descend(&mut self, exec: &dyn Executor, cloud: &mut SourceCloud) -> f64 {
        cloud.set_from(self.points.iter().zip(self.residual.iter()));
        self.act(exec, cloud, Targets::Places);
        let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
        for (point, residual) in self.points.iter().zip(self.residual.iter()) {
            force += residual.as_dvec3();
            torque += (point.as_dvec3() - self.give.centre).cross(residual.as_dvec3());
        }
        self.descent.clear();
        let mut slope = 0.0;
        for (i, &(normal, crowd)) in self.walls.iter().enumerate() {
            let moved = self.give.adjoint(self.places.get(i), force, torque);
            let steepest = self.out[i] - moved - self.change.get(i) * self.weights[i];
            let along = steepest - normal * (normal.dot(steepest) * crowd);
            slope += f64::from(steepest.dot(along));
            self.descent.push(along);
        }
        slope
    }
}

/// How many neighbours a contact has \[1\]: 0 alone, 1 in a layer. Neighbours in space are mostly neighbours in the list, too.
fn crowd(group: &[Contact], i: usize, core: f32) -> f32 {
    let reach2 = NEAR * NEAR * core * core;
    let near = |other: &Contact| other.point.distance_squared(group[i].point) < reach2;
    let before = group[..i].iter().rev().take(SEARCH);
    let after = group[i + 1..].iter().take(SEARCH);
    let found = before.filter(|other| near(other)).take(LAYER).count()
        + after.filter(|other| near(other)).take(LAYER).count();
    found.min(LAYER) as f32 / LAYER as f32
}

fn norm2(columns: &Vec3Columns) -> f64 {
    columns.iter().map(|v| v.as_dvec3().length_squared()).sum()
}

/// Velocity of `cloud` at `points`, in parallel.
fn velocities(exec: &dyn Executor, cloud: &SourceCloud, points: &[Vec3], out: &mut Vec<Vec3>) {
    out.clear();
    out.resize(points.len(), Vec3::ZERO);
    for_each_chunk_mut(exec, DIRECT_CHUNK, out.as_mut_slice(), &|first, out: &mut [Vec3]| {
        cloud.velocities(&points[first..first + out.len()], out);
    });
}

/// Velocity \[m/s\] that one vorton induces at `distance` from it.
fn induced(kernel: Kernel, core: f32, distance: Vec3, strength: Vec3) -> Vec3 {
    let core = f64::from(core);
    let d: DVec3 = distance.as_dvec3();
    let factor = kernel.q_over_cube(d.length() / core) / (4.0 * std::f64::consts::PI * core.powi(3));
    (strength.as_dvec3().cross(d) * factor).as_vec3()
}

/// Velocity per strength \[1/m²\] of a vorton one core radius away.
fn alone(kernel: Kernel, core: f32) -> f64 {
    kernel.q_over_cube(1.0) / (4.0 * std::f64::consts::PI * f64::from(core).powi(2))
}

/// Where a vorton is best placed to cancel the slip at its contact point: one core radius away (or as far as it is, if that is
/// more) in the direction across the slip, in its plane with the normal. There it can cancel slip and through-flow alike (part 4, figure 1).
fn place_along_bend(contact: &Contact, core: f32, slip: Vec3) -> Vec3 {
    let reach = contact.distance.max(core);
    let Some(along) = slip.try_normalize() else { return contact.point + contact.normal * reach };
    let across = contact.normal - along * along.dot(contact.normal);
    // Flow straight at the surface: any direction along the surface is across it.
    let across = across.try_normalize().unwrap_or_else(|| contact.normal.any_orthonormal_vector());
    contact.point + across * reach
}
