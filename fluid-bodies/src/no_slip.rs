//! The fluid sticks to bodies: vortons at a surface get the strengths that bring the flow there to the
//! surface's velocity (part 4; E37).

use crate::body::Body;
use crate::cloud::Cloud;
use crate::contact::Contact;
use crate::least_slip::{Group, LeastSlip, alone, reserve, velocities};
use crate::mirrors::WithoutImages;
use crate::obstacles::Obstacles;
use fluid_core::boundary::Motion;
use fluid_core::particles::Vortons;
use fluid_core::velocity::{Mirror, SourceCloud, Sources};
use fluid_threads::for_each_chunk_mut;
use glam::Vec3;
use std::ops::Range;

pub use crate::least_slip::Assigned;

/// How bodies shed vorticity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoSlipSettings {
    /// Depth of the layer in which vortons are made to stick \[core radii\].
    pub depth: f32,
    /// Rate \[1/s\] at which slip goes away; infinity: within a step. Above 0, walls of containers let
    /// nothing through in any step.
    pub rate: f32,
    /// Most passes of the joint solution.
    pub passes: u32,
}

fluid_core::saved::fields!(NoSlipSettings { depth, rate, passes });

/// Assigns strengths. Holds the memory that takes.
#[derive(Debug, Clone)]
pub struct NoSlip {
    settings: NoSlipSettings,
    /// All vortons, and what bodies hold.
    fluid: SourceCloud,
    mirrors: Vec<Mirror>,
    without_images: WithoutImages,
    /// As it was, contact by contact.
    assigned: Vec<Assigned>,
    parts: Parts,
    points: Vec<Vec3>,
    velocities: Vec<Vec3>,
    least_slip: LeastSlip,
}

/// Contacts this near are neighbours \[core radii\].
const NEAR: f32 = 2.0;
/// So many neighbours make a layer.
const LAYER: usize = 24;
/// How far to look for them in the list, to either side.
const SEARCH: usize = 256;
/// Contacts that are looked at together by one worker \[1\].
const CONTACT_CHUNK: usize = 64;
/// Up to so many contacts are placed again after they have been solved for: each changes the flow at the
/// others ...
const FEW: usize = 64;
/// ... at most so often.
const ROUNDS: u32 = 5;
/// Most passes for the walls of a container \[1\]: they have many contacts for long, and what is left of slip
/// is for the next step.
const WALL_PASSES: u32 = 3;
/// Most strength that a vorton at a solid may have, and most by which that of one at a container's wall may
/// change, as a share of what one alone would need to cancel the largest slip from one core radius away
/// \[1\]. A few that work together need up to six times that; one that is still on its way to its place, and
/// acts less from where it is, would ask for any number.
const MOST: f32 = 6.0;
/// The same at a solid where a step takes a small share of the slip: what this leaves, the next steps take,
/// and strengths that few vortons have against each other at edges do not feed on themselves from step to
/// step \[1\].
const MOST_OF_MANY_STEPS: f32 = 2.0;
/// Weight of the size of the strengths against the slip, as a share of what one vorton does at its own
/// contact \[1\], where slip goes within a step. Smooth layers act 20 times more strongly together than each
/// alone, and do not feel it; strengths that alternate from neighbour to neighbour, which a layer can hardly
/// use and which would grow step by step, do.
const LEAST_RESTRAINT: f64 = 0.5;
/// The same where slip goes in many short steps. What this holds back are strengths that cancel little slip
/// for their size; those come in the course of steps, at a rate that the weight sets. With a small weight the
/// number of passes would set it, and the more steps the sooner they would come: a ball would be braked the
/// more the shorter steps are.
const RESTRAINT: f64 = 2.0;

impl NoSlip {
    /// Other settings, from the next step on.
    pub(crate) fn set_settings(&mut self, settings: NoSlipSettings) {
        self.settings = settings;
    }

    /// For these settings; memory comes with the first contacts.
    pub fn new(settings: NoSlipSettings, clouds: SourceCloud) -> Self {
        Self {
            settings,
            fluid: clouds.clone(),
            mirrors: Vec::with_capacity(Sources::MOST_MIRRORS),
            without_images: WithoutImages::default(),
            assigned: Vec::new(),
            parts: Parts::default(),
            points: Vec::new(),
            velocities: Vec::new(),
            least_slip: LeastSlip::new(clouds),
        }
    }

    /// The planes in which vortons have images, as they are at the end of the step, and what has none.
    pub(crate) fn set_mirrors(&mut self, mirrors: impl Iterator<Item = Mirror>, without: &WithoutImages) {
        self.mirrors.clear();
        self.mirrors.extend(mirrors);
        self.without_images.copy_from(without);
    }

    /// Makes room for `contacts`.
    pub(crate) fn reserve(&mut self, contacts: usize) {
        reserve(&mut self.assigned, contacts);
        self.parts.reserve(contacts);
        reserve(&mut self.points, contacts);
        reserve(&mut self.velocities, contacts);
        self.least_slip.reserve(contacts);
    }

    /// What the contacts of the last step were like before their vortons were changed.
    pub fn assigned(&self) -> &[Assigned] {
        &self.assigned
    }

    /// The place `origin` \[m\] becomes the origin: of what can be read of the last step.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.assigned.iter_mut().for_each(|contact| contact.position -= origin);
    }

    /// The same, to change, and the planes in which vortons have images, for all bodies but some.
    pub(crate) fn assigned_mut(&mut self) -> (&mut [Assigned], &[Mirror], &WithoutImages) {
        (&mut self.assigned, &self.mirrors, &self.without_images)
    }

    /// Moves the vortons of all contacts along the flow's bend and gives them strengths that cancel the slip,
    /// as far as `rate` lets them in `dt`. Contacts are sorted by body, cluster and block; the vortons of one
    /// block are solved for together, those of blocks of its cluster that come later count as they were, and
    /// so do all others. Bodies give way within the step: light ones go with the fluid instead of stopping
    /// it.
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
        // A step of no length changes nothing, not even at an infinite rate.
        if share.is_nan() || share <= 0.0 {
            return;
        }
        let passes = self.settings.passes;
        let mut offset = 0;
        for contacts in contacts.chunk_by(Contact::is_with) {
            let body = &bodies[contacts[0].body as usize];
            let assigned = &self.assigned[offset..offset + contacts.len()];
            offset += contacts.len();
            if body.holds_flow() {
                // Nothing flows through them, and fluid slides along.
            } else if body.has_sheet() {
                keep_off(motion, contacts, assigned, share, vortons);
            } else if body.is_container() {
                let (own, restraint) = (contacts.len(), LEAST_RESTRAINT);
                let group = Group { body, contacts, assigned, own, share: 1.0, restraint };
                hold_group(motion, &group, passes.min(WALL_PASSES), &mut self.least_slip, vortons);
            } else {
                let restraint = restraint(share, relaxed);
                let own = contacts.len();
                let cluster = Group { body, contacts, assigned, own, share, restraint };
                assign_cluster(motion, &cluster, passes, (&mut self.least_slip, &mut self.parts), vortons);
            }
        }
    }

    /// Those that now are inside of another body are pushed out of it.
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

    /// All contacts as they are, and the flow there with all vortons where they are now.
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
                let carried = motion.params.wind + obstacles.carried(position);
                let (mut slip, mut neighbours) = (Vec3::ZERO, 0.0);
                let body = &bodies[contact.body as usize];
                if !body.holds_flow() {
                    neighbours = crowd(contacts, i, motion.params.core_radius);
                }
                if wants_flow(body) {
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

    /// The flow at the contacts, with all vortons where they are now; 0 at surfaces that have a sheet, which
    /// know it.
    fn find_flow(&mut self, motion: Motion<'_>, bodies: &[Body], contacts: &[Contact], vortons: &Vortons) {
        let wants = |contact: &Contact| wants_flow(&bodies[contact.body as usize]);
        self.points.clear();
        self.points.extend(contacts.iter().filter(|contact| wants(contact)).map(|contact| contact.point));
        self.velocities.clear();
        if !self.points.is_empty() {
            self.gather(motion, bodies, vortons);
            velocities(&self.fluid, motion.exec, &self.points, &mut self.velocities);
        }
        // Contact by contact, from the last on.
        let mut known = self.velocities.len();
        self.velocities.resize(contacts.len(), Vec3::ZERO);
        for (row, contact) in contacts.iter().enumerate().rev() {
            known -= usize::from(wants(contact));
            self.velocities[row] = if wants(contact) { self.velocities[known] } else { Vec3::ZERO };
        }
    }

    /// All sources of the flow where they are now.
    fn gather(&mut self, motion: Motion<'_>, bodies: &[Body], vortons: &Vortons) {
        let cloud = Cloud::of(&vortons.positions, &vortons.strengths, vortons.len());
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
    }
}

/// True if the flow at a body's contacts is summed: sheets know it.
fn wants_flow(body: &Body) -> bool {
    !body.has_sheet() && !body.holds_flow()
}

/// A source and its images, of images as well.
pub(crate) fn copies(source: (Vec3, Vec3), mirrors: &[Mirror]) -> impl Iterator<Item = (Vec3, Vec3)> {
    (0..1_usize << mirrors.len()).map(move |copy| {
        let used = mirrors.iter().enumerate().filter(move |(bit, _)| copy >> bit & 1 == 1);
        used.fold(source, |(place, strength), (_, mirror)| (mirror.place(place), mirror.strength(strength)))
    })
}

/// The weight in a step in which slip that is easily cancelled falls to exp(-`relaxed`): the step takes the
/// `share` of it that is gone then. Of slip that the weight lets go at a small part g of this rate, the step
/// is to take g `relaxed`. With the same weight in each step it would take g `share`, which is less; g is as
/// the inverse square of the weight.
fn restraint(share: f32, relaxed: f32) -> f64 {
    (RESTRAINT * f64::from(share / relaxed).sqrt()).max(LEAST_RESTRAINT)
}

/// Vortons stay a core radius away from a sheet: nearer, they would feel its vorticity instead of its flow.
/// They do not move at once.
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

/// Places the vortons of one cluster and changes their strengths, block by block: what one does to the flow,
/// the next ones near it see (Gauss and Seidel). Contacts beside a block take part in its solution, because a
/// layer that ended there would need strong strengths, and are solved for with their own blocks (Schwarz).
fn assign_cluster(
    motion: Motion<'_>,
    cluster: &Group<'_>,
    passes: u32,
    (least_slip, parts): (&mut LeastSlip, &mut Parts),
    vortons: &mut Vortons,
) {
    let core = motion.params.core_radius;
    parts.rest.clear();
    parts.rest.extend_from_slice(cluster.assigned);
    let mut solved = 0;
    for contacts in cluster.contacts.chunk_by(|a, b| a.block == b.block) {
        let first = solved;
        solved += contacts.len();
        let later = &cluster.contacts[solved..];
        if first == 0 && later.is_empty() {
            assign_group(motion, cluster, passes, least_slip, vortons);
            return;
        }
        let is_near = within(contacts, MARGIN * core);
        parts.gather(first..solved, cluster.contacts, |contact| is_near(contact));
        let group =
            Group { contacts: &parts.contacts, assigned: &parts.assigned, own: contacts.len(), ..*cluster };
        let most = assign_group(motion, &group, passes, least_slip, vortons);
        let is_near = within(contacts, FELT * core);
        let points = later.iter().filter(|contact| is_near(contact)).map(|contact| contact.point);
        let changes = least_slip.change_of_flow(motion, &group, most, points);
        let near = parts.rest[solved..].iter_mut().zip(later).filter(|(_, contact)| is_near(contact));
        near.zip(changes).for_each(|((old, _), change)| old.slip += *change);
    }
}

/// Contacts of a later block that are this near a block are solved for with it \[core radii\].
const MARGIN: f32 = 4.0;
/// What a block does to the flow is seen this far from it in the same step \[core radii\]: farther away it is
/// what other bodies do, which is seen in the next one.
const FELT: f32 = 16.0;

/// Tells whether a contact is less than `reach` \[m\] from the box around the points of others.
fn within(contacts: &[Contact], reach: f32) -> impl Fn(&Contact) -> bool {
    let points = || contacts.iter().map(|contact| contact.point);
    let low = points().fold(Vec3::INFINITY, Vec3::min);
    let high = points().fold(Vec3::NEG_INFINITY, Vec3::max);
    move |contact| contact.point.clamp(low, high).distance_squared(contact.point) < reach * reach
}

/// Contacts of a cluster of several blocks. Holds the memory that takes.
#[derive(Debug, Clone, Default)]
struct Parts {
    /// All of them, with what the blocks that have been solved for leave to the others.
    rest: Vec<Assigned>,
    /// Those that are solved for together: of one block, and then those beside it.
    contacts: Vec<Contact>,
    assigned: Vec<Assigned>,
}

impl Parts {
    fn reserve(&mut self, contacts: usize) {
        reserve(&mut self.rest, contacts);
        reserve(&mut self.contacts, contacts);
        reserve(&mut self.assigned, contacts);
    }

    /// Takes the contacts of a `block`, and of those behind it the ones that are near.
    fn gather(&mut self, block: Range<usize>, contacts: &[Contact], is_near: impl Fn(&Contact) -> bool) {
        self.contacts.clear();
        self.assigned.clear();
        let (first, end) = (block.start, block.end);
        let all = contacts.iter().zip(&self.rest).enumerate().skip(first);
        for (_, (contact, old)) in all.filter(|(i, (contact, _))| *i < end || is_near(contact)) {
            self.contacts.push(*contact);
            self.assigned.push(*old);
        }
    }
}

/// Places the vortons of one block and changes their strengths, by a share of at most what it returns
/// \[m³/s\].
fn assign_group(
    motion: Motion<'_>,
    group: &Group<'_>,
    passes: u32,
    least_slip: &mut LeastSlip,
    vortons: &mut Vortons,
) -> f32 {
    least_slip.begin(motion, group);
    least_slip.find_bare(motion, group);
    let rounds = if group.contacts.len() <= FEW { ROUNDS } else { 1 };
    for _ in 0..rounds {
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
    let most = MOST_OF_MANY_STEPS + (MOST - MOST_OF_MANY_STEPS) * group.share.powi(4);
    let most = most * least_slip.largest_missing() / alone(motion.params) as f32;
    for (i, (contact, old)) in group.contacts.iter().zip(group.assigned).take(group.own).enumerate() {
        // Of a change, too, a step does its share only: one that is still on its way to its place is asked
        // for any number.
        let change = least_slip.change(i).clamp_length_max(most) * group.share;
        let strength = (old.strength + change).clamp_length_max(most.max(old.strength.length()));
        vortons.positions.set(contact.row as usize, least_slip.place_of(i));
        vortons.strengths.set(contact.row as usize, strength);
    }
    most
}

/// Changes the strengths of the vortons at a container's walls so that nothing flows through these. They stay
/// where they are: all of the container's content passes there sooner or later, and would be gathered in a
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
    let most = MOST * least_slip.largest_residual() / alone(motion.params) as f32;
    least_slip.solve(motion, passes);
    for (i, (contact, old)) in group.contacts.iter().zip(group.assigned).enumerate() {
        let change = least_slip.change(i).clamp_length_max(most);
        vortons.strengths.set(contact.row as usize, old.strength + change);
    }
}

/// How many neighbours one of these contacts, sorted by body, has \[1\]: 0 alone, 1 in a layer. Neighbours in
/// space are mostly neighbours in the list, too.
fn crowd(contacts: &[Contact], i: usize, core: f32) -> f32 {
    let here = &contacts[i];
    let reach2 = NEAR * NEAR * core * core;
    let of_body = |other: &&Contact| other.body == here.body;
    let near = |other: &&Contact| other.point.distance_squared(here.point) < reach2;
    let before = contacts[..i].iter().rev().take(SEARCH).take_while(of_body);
    let behind = contacts[i + 1..].iter().take(SEARCH).take_while(of_body);
    before.chain(behind).filter(near).take(LAYER).count() as f32 / LAYER as f32
}

/// Where a vorton is best placed to cancel the slip at its contact point: at the distance `reach` in the
/// direction across the slip, in its plane with the normal. There it can cancel slip and through-flow alike
/// (part 4, figure 1).
fn place_along_bend(contact: &Contact, reach: f32, slip: Vec3) -> Vec3 {
    let Some(along) = slip.try_normalize() else { return contact.point + contact.normal * reach };
    let across = contact.normal - along * along.dot(contact.normal);
    // Flow straight at the surface: any direction along the surface is across it.
    let across = across.try_normalize().unwrap_or_else(|| contact.normal.any_orthonormal_vector());
    contact.point + across * reach
}
