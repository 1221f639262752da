//! Strengths of the vortons of a cluster of contacts that minimise the slip at the contact points, solved for
//! together (E37).

mod eight;
mod give;
mod blocks;

use self::blocks::{ContactBlock, LeftByPass, Strengths};
use self::eight::WIDTH;
use self::give::Give;
use crate::body::{Body, MOST_POINTS};
use crate::cloud::induced;
use crate::contact::{Contact, ContactSide};
use crate::patches::Patches;
use crate::scratch::reserve;
use fluid_core::boundary::Motion;
use fluid_core::params::Params;
use fluid_core::velocity::{PairFactors, SourceCloud};
use fluid_threads::Executor;
use glam::{DVec3, Vec3};
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

/// True if a cluster has several blocks of contacts, in which successive ones are near each other.
pub(crate) fn are_many(contacts: &[Contact]) -> bool {
    contacts.last().is_some_and(|last| last.block != contacts[0].block)
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

/// Solver for one cluster at a time, with scratch memory.
#[derive(Debug, Clone)]
pub(crate) struct LeastSlip {
    /// The vortons and the bound strength.
    vortons: SourceCloud,
    /// Velocities at the contact points, as sources: the adjoint.
    slips: SourceCloud,
    patches: Patches,
    /// Pair factors of vortons and bound strength at contact points, and of contact points at both.
    factors: [PairFactors; 2],
    /// Contact points \[m\].
    points: Vec<Vec3>,
    /// New places of the vortons, then those of bound strength \[m\].
    places: Vec<Vec3>,
    blocks: Vec<ContactBlock>,
    /// Restraint of the group.
    restraint: f64,
    /// [`Group::turning`].
    turning: f32,
    /// Mobility of the body.
    give: Give,
    /// True if the walls keep fluid in without dragging it along.
    is_frictionless: bool,
    /// Velocity missing at the contact points without the contacts' vortons.
    bare: Vec<Vec3>,
    /// Square of the slip at which the solution is accepted.
    enough: f64,
    out: Vec<Vec3>,
}

/// Slip at which the joint solution is accepted, relative to that without the contacts' strengths \[1\].
const GOOD_ENOUGH: f64 = 0.01;
/// Part of slip² + weight · change² by which two successive passes each must lower it, or there are no more
/// \[1\]: they only change the rounding.
const LEAST_GAIN: f64 = 1e-6;
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
}

impl LeastSlip {
    /// Creates a solver that sums velocities with the settings of `cloud`.
    pub(crate) fn new(cloud: SourceCloud) -> Self {
        Self {
            patches: Patches::new(cloud.clone()),
            slips: cloud.clone(),
            vortons: cloud,
            factors: Default::default(),
            points: Vec::new(),
            places: Vec::new(),
            blocks: Vec::new(),
            restraint: 0.0,
            turning: 0.0,
            give: Give::default(),
            is_frictionless: false,
            bare: Vec::new(),
            enough: 0.0,
            out: Vec::new(),
        }
    }

    /// Reserves memory for a group of `contacts`.
    pub(crate) fn reserve(&mut self, contacts: usize) {
        let sources = contacts + MOST_POINTS;
        self.vortons.reserve(sources);
        self.slips.reserve(contacts);
        self.patches.reserve(contacts);
        self.factors[Targets::Points as usize].reserve(contacts, sources);
        self.factors[Targets::Places as usize].reserve(sources, contacts);
        reserve(&mut self.points, contacts);
        reserve(&mut self.places, sources);
        reserve(&mut self.blocks, contacts.div_ceil(WIDTH));
        reserve(&mut self.bare, contacts);
        reserve(&mut self.out, sources.next_multiple_of(16));
    }

    /// Returns the change \[m³/s\] of the strength of vorton `i` that minimises the slip.
    pub(crate) fn change(&self, i: usize) -> Vec3 {
        self.blocks[i / WIDTH].change.get(i % WIDTH)
    }

    /// Returns the new position of vorton `i` \[m\].
    pub(crate) fn place_of(&self, i: usize) -> Vec3 {
        self.places[i]
    }

    /// Returns the largest slip \[m/s\] at a contact point without the contacts' vortons.
    pub(crate) fn largest_missing(&self) -> f32 {
        self.bare.iter().map(|bare| bare.length()).fold(0.0, f32::max)
    }

    /// Returns the largest velocity \[m/s\] still missing at a contact point.
    pub(crate) fn largest_residual(&self) -> f32 {
        (0..self.points.len()).map(|i| self.residual(i).length()).fold(0.0, f32::max)
    }

    /// Starts with a new group, nothing changed yet.
    pub(crate) fn begin(&mut self, motion: Motion<'_>, group: &Group<'_>) {
        self.forget_factors();
        self.patches.find(group.contacts);
        let density = f64::from(motion.params.ambient.density * group.share);
        let (first, count) = (&group.contacts[0], group.contacts.len());
        self.give = Give::of(group.body, density, first.is_held);
        self.is_frictionless = first.side() == ContactSide::Wall;
        (self.restraint, self.turning) = (group.restraint, group.turning);
        self.points.clear();
        self.points.extend(group.contacts.iter().map(|contact| contact.point));
        self.slips.set_places(self.points.iter().copied());
        self.places.clear();
        self.places.extend(group.assigned.iter().map(|old| old.position));
        self.places.extend(group.body.inside(first.cluster as usize, group.body.state.pose()));
        self.give.hold(&self.places[count..]);
        let (centre, middle) = (self.give.centre, self.give.middle());
        let (are_many, least) = (self.patches.are_many(), if count > 1 { APART } else { 0.0 });
        let damping = (self.restraint * alone(motion.params)).powi(2) as f32;
        self.blocks.clear();
        self.blocks.resize(count.div_ceil(WIDTH), ContactBlock::default());
        for (i, (contact, old)) in group.contacts.iter().zip(group.assigned).enumerate() {
            let (block, lane) = (&mut self.blocks[i / WIDTH], i % WIDTH);
            block.is_one.0[lane] = 1.0;
            block.arm.set(lane, (contact.point.as_dvec3() - centre).as_vec3());
            block.place.set(lane, (old.position.as_dvec3() - middle).as_vec3());
            block.normal.set(lane, contact.normal);
            block.crowd.0[lane] = old.crowd;
            block.ease.0[lane] = if are_many { 1.0 / (1.0 + EFFECT_OF_LAYER * old.crowd) } else { 1.0 };
            block.weight.0[lane] = damping * old.crowd.max(least);
            block.residual.set(lane, -old.slip);
        }
        self.bare.clear();
        self.enough = 0.0;
    }

    /// Computes the velocity missing without the group's own vortons, which are to be placed and bounded
    /// anew.
    pub(crate) fn find_bare(&mut self, motion: Motion<'_>, group: &Group<'_>) {
        self.vortons.set_places(group.assigned.iter().map(|old| old.position));
        self.vortons.set_strengths(group.assigned.iter().map(|old| old.strength));
        if self.patches.are_many() && !self.vortons.is_silent() {
            self.patches.velocities(motion.exec, &self.vortons, &self.points, &mut self.out);
        } else {
            velocities(&self.vortons, motion.exec, &self.points, &mut self.out);
        }
        for ((own, old), contact) in self.out.iter().zip(group.assigned).zip(group.contacts) {
            self.bare.push(felt(self.is_frictionless, contact.normal, *own - old.slip));
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
        let middle = self.give.middle();
        for (i, (contact, old)) in group.contacts.iter().zip(group.assigned).enumerate() {
            let strength = old.strength + self.change(i);
            let own = induced(motion.params, contact.point - self.places[i], strength);
            let slip = -self.residual(i) - own;
            let way = (aim(contact, old.crowd, slip) - old.position) * group.share;
            let out = across(contact.normal, way);
            let along = (way - out).clamp_length_max(farthest_along(slip, motion.dt, group.share));
            let place = old.position + out + along;
            self.places[i] = place;
            self.blocks[i / WIDTH].place.set(i % WIDTH, (place.as_dvec3() - middle).as_vec3());
        }
        self.vortons.set_places(self.places.iter().copied());
    }

    /// Sets the residual with the vortons unchanged: the slip, and the body's reaction to pushing them.
    pub(crate) fn take_slip(&mut self, group: &Group<'_>) {
        self.vortons.set_places(self.places.iter().copied());
        let pushed = group.body.pushed;
        let velocity = pushed.linear / group.body.mass;
        let spin = group.body.spin_from(pushed.angular_about(self.give.arm));
        for (i, (contact, old)) in group.contacts.iter().zip(group.assigned).enumerate() {
            let surface = self.give.at(contact.point, velocity, spin);
            self.set_residual(i, felt(self.is_frictionless, contact.normal, surface - old.slip));
        }
    }

    /// Computes the residual with the vortons at their new positions and with the strengths found.
    pub(crate) fn find_residual(&mut self, motion: Motion<'_>, group: &Group<'_>) {
        let (moments, layer) = blocks::moments(&self.blocks, Strengths::Change, self.turning);
        // The solution continues with these pairs.
        self.act_on_points(motion.exec, -layer, |i, change, _| group.assigned[i].strength + change);
        // Pushing and moving the vortons moves the body's surface as well. (Only the impulses of this step
        // count: with a host that never applies impulses their sum would grow, and the fluid would follow a
        // motion that never happens.)
        let density = f64::from(motion.params.ambient.density);
        let mut given = group.body.pushed;
        for (old, &place) in group.assigned.iter().zip(&self.places) {
            given.add(self.give.middle(), old.position, old.strength.as_dvec3() * density);
            given.add(self.give.middle(), place, old.strength.as_dvec3() * -density);
        }
        let (more, more_spin) = self.give.motion(moments, -layer);
        let velocity = given.linear / group.body.mass + more;
        let spin = group.body.spin_from(given.angular_about(self.give.arm)) + more_spin;
        for (i, contact) in group.contacts.iter().enumerate() {
            let surface = self.give.at(contact.point, velocity, spin);
            let residual = self.bare[i] - self.out[i] + surface;
            self.set_residual(i, felt(self.is_frictionless, contact.normal, residual));
        }
    }

    /// Solves for least squares by conjugate gradients (CGLS): the residual falls from pass to pass, and
    /// smooth slip, which needs weak strengths, falls first. The adjoint of "vortons act on contact points"
    /// is "contact points act on vortons" with the same kernel. Returns true if the remaining slip is
    /// acceptable, or two passes have hardly changed it.
    pub(crate) fn solve(&mut self, motion: Motion<'_>, passes: u32) -> bool {
        // A single contact is solved exactly, within f32.
        let others = 1.0 - 1.0 / self.points.len() as f64;
        let alone = alone(motion.params);
        self.blocks.iter_mut().for_each(|block| block.direction = Default::default());
        let mut left = blocks::advance(&mut self.blocks, 0.0);
        let mut slope = self.descend(motion.exec, &left);
        let at_first = slope;
        blocks::turn(&mut self.blocks, 0.0);
        let mut idle = 0;
        for pass in 1..=passes {
            let missing = left.residual2;
            let is_flat = slope <= SLOPE_ROUNDING * at_first || slope <= FLAT * alone * alone * missing;
            if is_flat || missing <= self.enough * others {
                break;
            }
            let (moments, layer) = blocks::moments(&self.blocks, Strengths::Direction, self.turning);
            self.act_on_points(motion.exec, -layer, |_, _, direction| direction);
            blocks::take_flow(&mut self.blocks, &self.out);
            let (velocity, spin) = self.give.motion(moments, -layer);
            let surface = (velocity.as_vec3(), spin.as_vec3());
            let effect = blocks::act(&mut self.blocks, surface, self.is_frictionless);
            let step = slope / (effect.acted + effect.size);
            let gain = slope * step;
            left = blocks::advance(&mut self.blocks, step as f32);
            idle = if gain <= LEAST_GAIN * (left.residual2 + left.change2) { idle + 1 } else { 0 };
            if idle == 2 {
                return pass == 2 || left.residual2 <= self.enough;
            }
            if pass == passes {
                break;
            }
            let next = self.descend(motion.exec, &left);
            blocks::turn(&mut self.blocks, (next / slope) as f32);
            slope = next;
        }
        left.residual2 <= self.enough
    }

    /// Computes the steepest descent of slip² + weight · change², and returns its squared slope. A wall
    /// creates vorticity along itself only: components along the normal would be cheap for the solution, and
    /// would accelerate a spinning ball instead of slowing it down.
    fn descend(&mut self, exec: &dyn Executor, left: &LeftByPass) -> f64 {
        let residuals = (0..self.points.len()).map(|i| self.blocks[i / WIDTH].residual.get(i % WIDTH));
        self.slips.set_strengths(residuals);
        let flow = self.act(exec, Targets::Places);
        let held = flow - self.give.adjoint_inside(left.force, left.torque).as_vec3();
        blocks::take_flow(&mut self.blocks, &self.out[..self.points.len()]);
        blocks::descend(&mut self.blocks, &self.give, left, (held, self.turning))
    }

    /// Sets `out` to the velocity at the contact points of vortons with `strength(contact, change,
    /// direction)` and the sum `bound` inside \[m³/s\].
    fn act_on_points(
        &mut self,
        exec: &dyn Executor,
        bound: DVec3,
        strength: impl Fn(usize, Vec3, Vec3) -> Vec3,
    ) {
        let (places, inside) = self.places.split_at(self.points.len());
        let each = (bound / inside.len().max(1) as f64).as_vec3();
        let strengths = (0..places.len()).map(|i| {
            let (block, lane) = (&self.blocks[i / WIDTH], i % WIDTH);
            strength(i, block.change.get(lane), block.direction.get(lane))
        });
        self.vortons.set_strengths(strengths.chain(inside.iter().map(|_| each)));
        self.act(exec, Targets::Points);
    }

    fn residual(&self, i: usize) -> Vec3 {
        self.blocks[i / WIDTH].residual.get(i % WIDTH)
    }

    fn set_residual(&mut self, i: usize, residual: Vec3) {
        self.blocks[i / WIDTH].residual.set(i % WIDTH, residual);
    }

    /// Discards the pair factors, because vortons have moved.
    fn forget_factors(&mut self) {
        self.factors.iter_mut().for_each(PairFactors::forget);
    }

    /// Sets `out` to the velocity of the vortons at the contact points, or of the slips at the vortons.
    /// Returns the mean velocity of the slips at the places of bound strength; containers have none.
    fn act(&mut self, exec: &dyn Executor, targets: Targets) -> Vec3 {
        let (count, factors) = (self.points.len(), &mut self.factors[targets as usize]);
        let (cloud, targets) = match targets {
            Targets::Points => (&self.vortons, &self.points),
            Targets::Places => (&self.slips, &self.places),
        };
        let mean = |out: &[Vec3]| out.iter().sum::<Vec3>() / out.len().max(1) as f32;
        if cloud.is_silent() {
            self.out.clear();
            self.out.resize(count, Vec3::ZERO);
            return Vec3::ZERO;
        }
        if self.patches.are_many() {
            let (of_contacts, inside) = targets.split_at(count);
            cloud.velocities_in_parallel(exec, inside, &mut self.out);
            let of_inside = mean(&self.out);
            self.patches.velocities(exec, cloud, of_contacts, &mut self.out);
            return of_inside;
        }
        cloud.velocities_again(exec, factors, targets, &mut self.out);
        mean(&self.out[count..])
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

/// Returns the velocity that counts at a wall: all of it, or only the normal component. A container's vortons
/// are often all in the layer that touches its walls: friction there would hold its entire contents.
fn felt(frictionless: bool, normal: Vec3, velocity: Vec3) -> Vec3 {
    if frictionless { across(normal, velocity) } else { velocity }
}

/// Returns the component of a velocity across a wall.
fn across(normal: Vec3, velocity: Vec3) -> Vec3 {
    normal * normal.dot(velocity)
}

/// Returns the velocity per strength \[1/m²\] of a vorton one core radius away.
pub(crate) fn alone(params: &Params) -> f64 {
    params.kernel.q_over_cube(1.0) / (4.0 * PI * f64::from(params.core_radius).powi(2))
}
