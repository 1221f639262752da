//! No-slip at bodies: vortons at a surface get the strengths that bring the flow there to the surface's
//! velocity (part 4; E37).

mod side_by_side;

use self::side_by_side::SideBySide;
use crate::body::Body;
use crate::cloud::CloudExtent;
use crate::contact::{Contact, ContactSide};
use crate::least_slip::{Group, LeastSlip, alone, are_many, turning, velocities};
use crate::mirrors::WithoutImages;
use crate::obstacles::Obstacles;
use crate::scratch::reserve;
use crate::sticking::{Sticking, spin_after_no_slip};
use fluid_core::boundary::Motion;
use fluid_core::particles::Vortons;
use fluid_core::velocity::{Mirror, SourceCloud, Sources};
use fluid_threads::for_each_chunk_mut;
use glam::Vec3;
use std::f64::consts::PI;

pub use crate::least_slip::Assigned;

/// Settings of vorticity shedding at bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoSlipSettings {
    /// Depth of the layer in which vortons enforce no-slip \[core radii\].
    pub depth: f32,
    /// Rate \[1/s\] at which slip decays; infinity removes it within a step. At any rate above 0 each step
    /// removes the flow through walls without a sheet, as far as three passes can.
    pub rate: f32,
    /// Most passes of the joint solution.
    pub passes: u32,
}

fluid_core::saved::fields!(NoSlipSettings { depth, rate, passes });

/// Assigns strengths, and owns the scratch memory for that.
#[derive(Debug, Clone)]
pub struct NoSlip {
    settings: NoSlipSettings,
    /// All vortons, and the vorticity held by bodies.
    fluid: SourceCloud,
    mirrors: Vec<Mirror>,
    without_images: WithoutImages,
    /// State before the change, contact by contact.
    assigned: Vec<Assigned>,
    points: Vec<Vec3>,
    velocities: Vec<Vec3>,
    least_slip: LeastSlip,
    side_by_side: SideBySide,
    solved: Vec<Solved>,
}

/// What a vorton gets.
#[derive(Debug, Clone, Copy, Default)]
struct Solved {
    /// Position \[m\].
    place: Vec3,
    /// Strength \[m³/s\].
    strength: Vec3,
}

/// How fast slip decays in a step.
#[derive(Debug, Clone, Copy)]
struct Rates {
    /// Rate times the length of the step \[1\].
    relaxed: f32,
    /// Part of the slip that the step removes \[1\].
    share: f32,
    /// Most passes of the joint solution.
    passes: u32,
}

/// Distance below which contacts are neighbours \[core radii\].
const NEIGHBOUR_DISTANCE: f32 = 2.0;
/// Number of neighbours that makes a layer.
const LAYER: usize = 24;
/// Number of contacts searched for neighbours in the list, to either side.
const SEARCH: usize = 256;
/// Number of sources of the flow, and of contacts in clusters of [many](are_many), from which on the energy
/// of contacts is summed by a tree \[1\].
const MANY_SOURCES: usize = 4096;
const MANY_CONTACTS: usize = 1024;
/// Most pairs of a source and a contact of which the flow is then summed pair by pair, 20 ms of one thread
/// \[1\]. By the tree a ring pushes a floor by 1 to 2 % too much.
const MOST_PAIRS: usize = 1 << 26;
/// Contacts processed together by one worker \[1\].
const CONTACT_CHUNK: usize = 64;
/// Most contacts of a group that is placed and solved for repeatedly, because each contact changes the flow
/// at the others.
const FEW: usize = 64;
/// Most rounds of placing and solving for such a group.
const PLACING_ROUNDS: u32 = 5;
/// Contacts beyond which later rounds hardly change anything: the second has half of the passes of the first,
/// further ones a quarter. (If they ended where a pass gains little instead, results would depend on where
/// that is: a weak ring 64 m away changes them by .7 % within a second, by .1 % with so many passes.)
const VERY_FEW: usize = 24;
/// Most passes for the walls of a container \[1\]: it has many contacts in every step, and the next step
/// removes the remaining slip.
const WALL_PASSES: u32 = 3;
/// Bound on a vorton's strength at a solid, and on its change of strength at a container's wall, relative to
/// the strength with which a single vorton one core radius away would cancel the largest slip \[1\]. A few
/// cooperating vortons need up to six times that; one that has not reached its position yet has less effect
/// from where it is, and would need unlimited strength.
const MOST_STRENGTH: f32 = 6.0;
/// The same at a solid if a step removes a small fraction of the slip: later steps remove the remainder, and
/// opposing strengths of a few vortons at edges do not grow from step to step \[1\].
const MOST_OF_MANY_STEPS: f32 = 2.0;
/// Area of a body's shapes, relative to that of a ball of one core radius, below which both bounds fall with
/// the area \[1\]. The vortex layer around the whole body has the strength slip times area; a vorton then has
/// at most a third of it, in a step that removes all slip at most all of it. Few vortons beside a small body
/// would need more than the layer has, and would throw a light body to and fro (decision 50).
const SMALL_AREA: f64 = 10.0;
/// Weight of the strengths against the slip, relative to a vorton's effect at its own contact \[1\], if slip
/// is removed within a step. It does not affect smooth layers, which together act 20 times more strongly than
/// each vorton alone. It suppresses strengths that alternate between neighbours, which a layer can hardly use
/// and which would grow step by step.
const LEAST_RESTRAINT: f64 = 0.5;
/// The same if slip is removed in many short steps. The weight slows down strengths that cancel little slip
/// for their size. A smaller one would leave their growth to the number of passes, and so make it depend on
/// the step: shorter steps would brake a ball more.
const RESTRAINT: f64 = 2.0;

impl NoSlip {
    /// Replaces the settings, from the next step on.
    pub(crate) fn set_settings(&mut self, settings: NoSlipSettings) {
        self.settings = settings;
    }

    /// Creates a solver with these settings; memory is allocated with the first contacts.
    pub fn new(settings: NoSlipSettings, clouds: SourceCloud) -> Self {
        Self {
            settings,
            fluid: clouds.clone(),
            mirrors: Vec::with_capacity(Sources::MOST_MIRRORS),
            without_images: WithoutImages::default(),
            assigned: Vec::new(),
            points: Vec::new(),
            velocities: Vec::new(),
            least_slip: LeastSlip::new(clouds.clone()),
            side_by_side: SideBySide::new(clouds),
            solved: Vec::new(),
        }
    }

    /// Sets the planes in which vortons have images, at the end of the step, and the sources without images.
    pub(crate) fn set_mirrors(&mut self, mirrors: impl Iterator<Item = Mirror>, without: &WithoutImages) {
        self.mirrors.clear();
        self.mirrors.extend(mirrors);
        self.without_images.copy_from(without);
    }

    /// Reserves memory for `contacts`.
    pub(crate) fn reserve(&mut self, contacts: usize) {
        reserve(&mut self.assigned, contacts);
        reserve(&mut self.solved, contacts);
        reserve(&mut self.points, contacts);
        reserve(&mut self.velocities, contacts);
        self.least_slip.reserve(contacts);
    }

    /// Returns the contacts of the last step as they were before their vortons were changed.
    pub fn assigned(&self) -> &[Assigned] {
        &self.assigned
    }

    /// Returns all sources of the flow as the last contacts have seen it, the planes in which vortons have
    /// images, and those without images.
    pub(crate) fn sources(&self) -> (&SourceCloud, &[Mirror], &WithoutImages) {
        (&self.fluid, &self.mirrors, &self.without_images)
    }

    /// Keeps only those contacts of the last step with an index that satisfies `is_kept`.
    pub(crate) fn keep_assigned(&mut self, is_kept: impl Fn(usize) -> bool) {
        let mut indices = 0..;
        self.assigned.retain(|_| indices.next().is_some_and(&is_kept));
    }

    /// Makes the position `origin` \[m\] the origin of the last step's results.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.assigned.iter_mut().for_each(|contact| contact.position -= origin);
    }

    /// Returns the contacts for changing, and the planes in which vortons have images, for all bodies but
    /// some.
    pub(crate) fn assigned_mut(&mut self) -> (&mut [Assigned], &[Mirror], &WithoutImages) {
        (&mut self.assigned, &self.mirrors, &self.without_images)
    }

    /// Moves the vortons of contacts with solids to positions from which they can cancel slip, and changes
    /// their strengths to do so, as far as `rate` permits in `dt`; at walls of containers it changes
    /// strengths alone, at sheets positions alone. Contacts are sorted by body, cluster, side and block. The
    /// vortons of a cluster are solved for together; those of other clusters keep their values meanwhile. The
    /// solution includes the body's recoil: light bodies move with the fluid instead of stopping it.
    pub(crate) fn assign(
        &mut self,
        motion: Motion<'_>,
        (bodies, obstacles): (&[Body], &Obstacles),
        contacts: &[Contact],
        vortons: &mut Vortons,
    ) {
        self.remember(motion, (bodies, obstacles), contacts, vortons);
        let relaxed = self.settings.rate * motion.dt.abs();
        let share = -libm::expm1f(-relaxed);
        // A step of zero length changes nothing, not even at an infinite rate.
        if share.is_nan() || share <= 0.0 {
            return;
        }
        let rates = Rates { relaxed, share, passes: self.settings.passes };
        self.side_by_side.solve(motion, (bodies, rates), contacts, &self.assigned);
        let mut offset = 0;
        for contacts in contacts.chunk_by(Contact::is_with) {
            let body = &bodies[contacts[0].body as usize];
            let rows = offset..offset + contacts.len();
            offset = rows.end;
            let assigned = &self.assigned[rows.clone()];
            if is_at_solid(body, &contacts[0]) {
                let cluster = cluster_of(motion, (body, rates), contacts, assigned);
                let solved = match self.side_by_side.found(rows) {
                    Some(found) => found,
                    None => {
                        self.solved.resize(contacts.len(), Solved::default());
                        let least_slip = &mut self.least_slip;
                        solve_cluster(motion, &cluster, rates.passes, least_slip, &mut self.solved);
                        &self.solved
                    }
                };
                for (contact, solved) in contacts.iter().zip(solved) {
                    vortons.positions.set(contact.row as usize, solved.place);
                    vortons.strengths.set(contact.row as usize, solved.strength);
                }
                stick(motion, &cluster, vortons);
            } else if body.holds_flow() && contacts[0].is_at_wall {
                // Nothing flows through these walls, and fluid slides along them. Outside, contacts on thin
                // walls would answer the sheet behind them, and the sheet those.
            } else if body.has_sheet() {
                keep_off(motion, contacts, assigned, share, vortons);
            } else {
                let restraint = LEAST_RESTRAINT;
                let group = Group { body, contacts, assigned, share: 1.0, restraint, turning: 0.0 };
                hold_group(motion, &group, rates.passes.min(WALL_PASSES), &mut self.least_slip, vortons);
            }
        }
    }

    /// Moves vortons that are now inside another body out of it.
    pub fn keep_outside(&self, obstacles: &Obstacles, contacts: &[Contact], vortons: &mut Vortons) {
        for (contact, old) in contacts.iter().zip(&self.assigned) {
            let mut place = [vortons.positions.get(contact.row as usize)];
            if place[0] == old.position {
                continue;
            }
            obstacles.keep_out_at_end(&[old.position], &mut place);
            vortons.positions.set(contact.row as usize, place[0]);
        }
    }

    /// Records all contacts, and the flow there with all vortons at their present positions.
    fn remember(
        &mut self,
        motion: Motion<'_>,
        (bodies, obstacles): (&[Body], &Obstacles),
        contacts: &[Contact],
        vortons: &Vortons,
    ) {
        self.find_flow(motion, bodies, contacts, vortons);
        self.assigned.resize(contacts.len(), Assigned::default());
        let velocities = &self.velocities;
        let columns = self.assigned.as_mut_slice();
        for_each_chunk_mut(motion.exec, CONTACT_CHUNK, columns, &|first, assigned: &mut [Assigned]| {
            for (i, assigned) in (first..).zip(assigned) {
                let contact = &contacts[i];
                let position = vortons.positions.get(contact.row as usize);
                let (mut slip, mut neighbours) = (Vec3::ZERO, 0.0);
                let body = &bodies[contact.body as usize];
                if !(body.holds_flow() && contact.is_at_wall) {
                    neighbours = crowd(contacts, i, motion.params.core_radius);
                }
                if wants_flow(body, contact) {
                    let carried = obstacles.carried(position, motion.params.wind);
                    slip = velocities[i] + carried - contact.velocity;
                }
                *assigned = Assigned {
                    position,
                    strength: vortons.strengths.get(contact.row as usize),
                    slip,
                    crowd: neighbours,
                };
            }
        });
    }

    /// Computes the flow at the contacts, with all vortons at their present positions; 0 at surfaces with a
    /// sheet, which provides it.
    fn find_flow(&mut self, motion: Motion<'_>, bodies: &[Body], contacts: &[Contact], vortons: &Vortons) {
        let wants = |contact: &Contact| wants_flow(&bodies[contact.body as usize], contact);
        self.points.clear();
        self.points.extend(contacts.iter().filter(|contact| wants(contact)).map(|contact| contact.point));
        self.velocities.clear();
        if !self.points.is_empty() {
            self.gather(motion, bodies, vortons);
            let wants_tree = self.fluid.len() >= MANY_SOURCES && has_many(contacts);
            let is_long = self.fluid.len().saturating_mul(self.points.len()) > MOST_PAIRS;
            // Without memory for a tree all pairs are summed.
            let is_planted = wants_tree && is_long && self.fluid.plant(motion.exec);
            velocities(&self.fluid, motion.exec, &self.points, &mut self.velocities);
            if wants_tree && !is_planted {
                let _ = self.fluid.plant(motion.exec);
            }
        }
        // Spreads the velocities to all contacts, from the last one on.
        let mut known = self.velocities.len();
        self.velocities.resize(contacts.len(), Vec3::ZERO);
        for (row, contact) in contacts.iter().enumerate().rev() {
            known -= usize::from(wants(contact));
            self.velocities[row] = if wants(contact) { self.velocities[known] } else { Vec3::ZERO };
        }
    }

    /// Gathers all sources of the flow at their present positions.
    fn gather(&mut self, motion: Motion<'_>, bodies: &[Body], vortons: &Vortons) {
        let cloud = CloudExtent::of(&vortons.positions, &vortons.strengths, vortons.len());
        let without = &self.without_images;
        let rows = vortons.positions.iter().zip(vortons.strengths.iter()).enumerate();
        let rows = rows.map(|(row, source)| (source, without.has_vorton(row)));
        let bound = bodies.iter().enumerate().flat_map(|(index, body)| {
            let each = body.bound_vortons(cloud, body.state.pose());
            each.map(move |source| (source, without.has_body(index)))
        });
        let sheets = bodies.iter().enumerate().flat_map(|(index, body)| {
            body.sheet_at_end(motion.dt).map(move |source| (source, without.has_body(index)))
        });
        let own = rows.chain(bound).chain(sheets);
        let mirrors = &self.mirrors;
        if mirrors.is_empty() {
            self.fluid.set_from(own.map(|(source, _)| source));
        } else {
            let of = |without: bool| if without { &[][..] } else { mirrors };
            self.fluid.set_from(own.flat_map(|(source, without)| copies(source, of(without))));
        }
        self.fluid.set_expansions(motion.sources.expansions());
    }
}

/// True if clusters of [many](are_many) contacts have [`MANY_CONTACTS`] together.
fn has_many(contacts: &[Contact]) -> bool {
    let each = contacts.chunk_by(Contact::is_with).filter(|contacts| are_many(contacts));
    each.map(<[Contact]>::len).sum::<usize>() >= MANY_CONTACTS
}

/// True if the flow at a body's contacts is summed; sheets provide it themselves.
fn wants_flow(body: &Body, contact: &Contact) -> bool {
    !(body.has_sheet() || body.holds_flow() && contact.is_at_wall)
}

/// Returns a source and its images, including images of images.
pub(crate) fn copies(source: (Vec3, Vec3), mirrors: &[Mirror]) -> impl Iterator<Item = (Vec3, Vec3)> {
    (0..1_usize << mirrors.len()).map(move |copy| {
        let used = mirrors.iter().enumerate().filter(move |(bit, _)| copy >> bit & 1 == 1);
        used.fold(source, |(place, strength), (_, mirror)| (mirror.place(place), mirror.strength(strength)))
    })
}

/// Returns the weight for a step that removes the fraction `share` = 1 - exp(-`relaxed`) of slip that is
/// easily cancelled. Slip that the weight slows to a small fraction g of that rate should fall by g
/// `relaxed`, but with a constant weight it falls by g `share`, which is less. g is proportional to the
/// inverse square of the weight, hence the square root.
fn restraint(share: f32, relaxed: f32) -> f64 {
    (RESTRAINT * f64::from(share / relaxed).sqrt()).max(LEAST_RESTRAINT)
}

/// Keeps vortons a core radius away from a sheet: nearer, the sheet's vorticity would act on them instead of
/// its flow. They are moved gradually.
fn keep_off(
    motion: Motion<'_>,
    contacts: &[Contact],
    assigned: &[Assigned],
    share: f32,
    vortons: &mut Vortons,
) {
    let reach = motion.params.core_radius;
    for (contact, old) in contacts.iter().zip(assigned).filter(|(contact, _)| contact.distance < reach) {
        let place = old.position.lerp(contact.point + contact.normal * reach, share);
        vortons.positions.set(contact.row as usize, place);
    }
}

/// Lets the vorticity across the surface follow that of the surface, as far as the fluid is viscous.
fn stick(motion: Motion<'_>, cluster: &Group<'_>, vortons: &mut Vortons) {
    let contacts = (cluster.contacts, cluster.assigned);
    if motion.params.viscosity == 0.0 {
        return;
    }
    let spin = spin_after_no_slip(motion.params.ambient.density, cluster.body, contacts, vortons);
    let sticking = Sticking::of(motion, (cluster.body, spin, 1.0), contacts, vortons);
    for contact in cluster.contacts {
        let row = contact.row as usize;
        let before = vortons.strengths.get(row);
        let change = sticking.change(contact, before, vortons.volumes[row]);
        if change.is_finite() {
            vortons.strengths.set(row, before + change);
        }
    }
}

/// True if vortons at this contact cancel slip at a solid: not at walls of containers, nor at sheets.
fn is_at_solid(body: &Body, contact: &Contact) -> bool {
    let is_free = body.holds_flow() && contact.is_at_wall;
    !is_free && !body.has_sheet() && contact.side() != ContactSide::Wall
}

/// Returns a cluster at a solid.
fn cluster_of<'a>(
    motion: Motion<'_>,
    (body, rates): (&'a Body, Rates),
    contacts: &'a [Contact],
    assigned: &'a [Assigned],
) -> Group<'a> {
    let restraint = restraint(rates.share, rates.relaxed);
    let turning = turning(motion.params.core_radius, contacts.iter().zip(assigned));
    Group { body, contacts, assigned, share: rates.share, restraint, turning }
}

/// Places the vortons of one cluster, and adds the step's fraction of the solved change to their strengths,
/// where the change is clamped to a bound.
fn solve_cluster(
    motion: Motion<'_>,
    group: &Group<'_>,
    passes: u32,
    least_slip: &mut LeastSlip,
    solved: &mut [Solved],
) {
    least_slip.begin(motion, group);
    least_slip.find_bare(motion, group);
    let rounds = if group.contacts.len() <= FEW { PLACING_ROUNDS } else { 1 };
    for round in 0..rounds {
        let is_full = group.contacts.len() <= VERY_FEW;
        let passes = if is_full { passes } else { passes.div_ceil(1 << round.min(2)) };
        least_slip.place(motion, group, |contact, crowd, slip| {
            let reach = contact.distance.max(motion.params.core_radius);
            let above = contact.point + contact.normal * reach;
            place_along_bend(contact, reach, slip).lerp(above, crowd)
        });
        least_slip.find_residual(motion, group);
        if least_slip.solve(motion, passes) {
            break;
        }
    }
    let most = MOST_OF_MANY_STEPS + (MOST_STRENGTH - MOST_OF_MANY_STEPS) * group.share.powi(4);
    let most = most * part_of_large(group.body, motion.params.core_radius);
    let most = most * least_slip.largest_missing() / alone(motion.params) as f32;
    for (i, (old, solved)) in group.assigned.iter().zip(solved).enumerate() {
        // Only the step's fraction of the change is applied: a vorton that has not reached its position yet
        // may need unlimited strength.
        let change = least_slip.change(i).clamp_length_max(most) * group.share;
        let strength = (old.strength + change).clamp_length_max(most.max(old.strength.length()));
        *solved = Solved { place: least_slip.place_of(i), strength };
    }
}

/// Returns the bound on strengths at this body, relative to that at a large one \[1\].
fn part_of_large(body: &Body, core_radius: f32) -> f32 {
    let of_core = 4.0 * PI * f64::from(core_radius).powi(2);
    // Level geometry and half-spaces have no area.
    if body.area > 0.0 { (body.area / (SMALL_AREA * of_core)).min(1.0) as f32 } else { 1.0 }
}

/// Changes the strengths of the vortons at a container's walls so that nothing flows through the walls. The
/// vortons are not moved: all of a container's contents pass there sooner or later, and would collect in a
/// layer.
fn hold_group(
    motion: Motion<'_>,
    group: &Group<'_>,
    passes: u32,
    least_slip: &mut LeastSlip,
    vortons: &mut Vortons,
) {
    least_slip.begin(motion, group);
    least_slip.take_slip(group);
    let most = MOST_STRENGTH * least_slip.largest_residual() / alone(motion.params) as f32;
    least_slip.solve(motion, passes);
    for (i, (contact, old)) in group.contacts.iter().zip(group.assigned).enumerate() {
        let change = least_slip.change(i).clamp_length_max(most);
        vortons.strengths.set(contact.row as usize, old.strength + change);
    }
}

/// Returns the neighbours of a contact as a fraction of those in a layer \[1\]: 0 alone, 1 in a layer. The
/// list is sorted by body; neighbours in space are mostly neighbours in the list, too.
fn crowd(contacts: &[Contact], i: usize, core: f32) -> f32 {
    let here = &contacts[i];
    let reach2 = NEIGHBOUR_DISTANCE * NEIGHBOUR_DISTANCE * core * core;
    let of_body = |other: &&Contact| (other.body, other.side()) == (here.body, here.side());
    let near = |other: &&Contact| other.point.distance_squared(here.point) < reach2;
    let before = contacts[..i].iter().rev().take(SEARCH).take_while(of_body);
    let behind = contacts[i + 1..].iter().take(SEARCH).take_while(of_body);
    before.chain(behind).filter(near).take(LAYER).count() as f32 / LAYER as f32
}

/// Returns the best position of a vorton for cancelling the slip at its contact point: at the distance
/// `reach`, perpendicular to the slip, in the plane of slip and normal. There it can cancel slip and
/// through-flow alike (part 4, figure 1).
fn place_along_bend(contact: &Contact, reach: f32, slip: Vec3) -> Vec3 {
    let Some(along) = slip.try_normalize() else { return contact.point + contact.normal * reach };
    let across = contact.normal - along * along.dot(contact.normal);
    // Flow straight at the surface: any direction along the surface is perpendicular to it.
    let across = across.try_normalize().unwrap_or_else(|| contact.normal.any_orthonormal_vector());
    contact.point + across * reach
}
