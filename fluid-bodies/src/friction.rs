//! Friction at bodies with a sheet: the slip along the sheet becomes vorticity of the vortons that touch it
//! (E56).

use crate::body::{Body, MOST_POINTS};
use crate::contact::Contact;
use crate::least_slip::{Assigned, alone, velocities};
use crate::ledger::CentredMoments;
use crate::no_slip::copies;
use crate::scratch::reserve;
use crate::sheet::{MOST_VERTICES, Patch, READ_POINTS};
use crate::solve::{rows_of, solve_definite};
use crate::sticking::Sticking;
use fluid_core::boundary::Motion;
use fluid_core::particles::Vortons;
use fluid_core::velocity::{Mirror, SourceCloud};
use fluid_threads::for_each_chunk_mut;
use glam::{DVec3, Vec3};

/// Contacts processed together by one worker \[1\].
const FRICTION_CHUNK: usize = 64;

/// Largest surface area per vorton \[core radii²\].
const MOST_AREA: f32 = 1.0;

/// Bound on a vorton's strength due to friction, relative to the strength with which a single vorton one core
/// radius away would cancel the largest slip \[1\].
const MOST_FRICTION: f32 = 2.0;

/// One contact.
#[derive(Debug, Clone, Copy, Default)]
struct FrictionContact {
    patch: Patch,
    /// Velocity of the fluid relative to the surface \[m/s\].
    slip: Vec3,
    /// Area times the fraction of its slip that the vorton takes in this step \[m²\].
    area: f32,
    /// Change of strength \[m³/s\].
    change: Vec3,
}

/// Transfers slip to vortons, and owns the scratch memory for that.
#[derive(Debug, Clone)]
pub(crate) struct Friction {
    touches: Vec<FrictionContact>,
    /// Number of contacts at each vertex of a sheet \[1\].
    cover: Vec<f32>,
    /// The changes of strength, as sources.
    cloud: SourceCloud,
    points: Vec<Vec3>,
    velocities: Vec<Vec3>,
}

impl Friction {
    pub(crate) fn new(cloud: SourceCloud) -> Self {
        Self { touches: Vec::new(), cover: Vec::new(), cloud, points: Vec::new(), velocities: Vec::new() }
    }

    /// Reserves memory for `contacts`.
    pub(crate) fn reserve(&mut self, contacts: usize) {
        reserve(&mut self.touches, contacts);
        reserve(&mut self.cover, MOST_VERTICES);
        reserve(&mut self.points, READ_POINTS);
        reserve(&mut self.velocities, READ_POINTS);
        self.cloud.reserve(contacts + MOST_POINTS);
    }

    /// Lets the vortons of one body's contacts take the slip there, at this rate \[1/s\]. `assigned` is the
    /// contacts' previous state, and receives their slip; vortons have images in the `mirrors`.
    pub(crate) fn rub(
        &mut self,
        motion: Motion<'_>,
        rate: f32,
        body: &mut Body,
        (contacts, assigned): (&[Contact], &mut [Assigned]),
        (vortons, mirrors): (&mut Vortons, &[Mirror]),
    ) {
        let share = -libm::expm1f(-rate * motion.dt) * body.followed();
        self.find_slip(motion, body, contacts);
        for (old, touch) in assigned.iter_mut().zip(&self.touches) {
            old.slip = touch.slip;
        }
        if share.is_nan() || share <= 0.0 {
            return;
        }
        self.find_areas(motion, body, share);
        let turned =
            self.give_way((body, share), motion.params.ambient.density.into(), contacts, assigned, vortons);
        let stuck = (&*body, body.state.angular_velocity + turned, body.followed());
        let sticking = Sticking::of(motion, stuck, (contacts, assigned), vortons);
        self.give(motion, body, sticking, (contacts, assigned), vortons);
        self.tell_sheet(motion, (body, mirrors), contacts, assigned, vortons);
    }

    /// Finds the contacts' positions on the sheet, and the slip there.
    fn find_slip(&mut self, motion: Motion<'_>, body: &Body, contacts: &[Contact]) {
        self.touches.clear();
        self.touches.resize(contacts.len(), FrictionContact::default());
        for_each_chunk_mut(
            motion.exec,
            FRICTION_CHUNK,
            self.touches.as_mut_slice(),
            &|first, touches: &mut [FrictionContact]| {
                for (touch, contact) in touches.iter_mut().zip(&contacts[first..]) {
                    touch.patch = body.patch_at(contact.point, contact.normal);
                    touch.slip = body.slip_at(&touch.patch, contact);
                }
            },
        );
    }

    /// Computes the area that belongs to each contact: in total that of the surface, given enough contacts.
    fn find_areas(&mut self, motion: Motion<'_>, body: &Body, share: f32) {
        self.cover.clear();
        self.cover.extend(body.areas_of_vertices().map(|_| 0.0));
        for FrictionContact { patch: Patch { corners, weights }, .. } in &self.touches {
            for (&corner, weight) in corners.iter().zip(weights) {
                self.cover[usize::from(corner)] += weight;
            }
        }
        let most = MOST_AREA * motion.params.core_radius * motion.params.core_radius;
        for (cover, area) in self.cover.iter_mut().zip(body.areas_of_vertices()) {
            *cover = (area / *cover).min(most);
        }
        for touch in &mut self.touches {
            let Patch { corners, weights } = touch.patch;
            let area =
                corners.iter().zip(weights).map(|(&corner, weight)| self.cover[usize::from(corner)] * weight);
            touch.area = share * area.sum::<f32>();
        }
    }

    /// Reduces the slip by the recoil of a body of finite mass, within the step (backward Euler): friction
    /// acts on the remaining slip. Returns the change of the body's angular velocity \[rad/s\].
    fn give_way(
        &mut self,
        (body, share): (&mut Body, f32),
        density: f64,
        contacts: &[Contact],
        assigned: &[Assigned],
        vortons: &Vortons,
    ) -> Vec3 {
        let Some([linear, coupling, angular]) = body.joint_inertia() else { return Vec3::ZERO };
        let (centre, left) = (body.state.position.as_dvec3(), body.left_of_friction());
        let (middle, arm) = (body.middle(), body.arm());
        let surface = |contact: &Contact, k: usize| {
            let axis = [DVec3::X, DVec3::Y, DVec3::Z][k % 3];
            let turning = axis.cross(contact.point.as_dvec3() - centre);
            (if k < 3 { axis } else { turning }).as_vec3()
        };
        // Impulse on the fluid for the slip, or for that of a unit motion of the body, times the density.
        let impulse = |slip: &dyn Fn(usize) -> Vec3| {
            let (mut sums, mut felt) = (CentredMoments::default(), DVec3::ZERO);
            for (i, (contact, old)) in contacts.iter().zip(assigned).enumerate() {
                let change = strength(contact, slip(i), self.touches[i].area).as_dvec3();
                sums.add(middle, vortons.positions.get(contact.row as usize), change);
                felt -= change * f64::from(old.crowd);
            }
            let sums = sums.and(&body.moments_of_felt(0, felt));
            let sums = CentredMoments { linear: sums.linear * left, ..sums };
            let [linear, angular] = [sums.linear, sums.angular_about(arm)].map(|sum| sum * density);
            let ([a, b, c], [d, e, f]) = (linear.to_array(), angular.to_array());
            [a, b, c, d, e, f]
        };
        let mut rows = rows_of(&linear, &coupling, &angular);
        let trace = |rows: &[[f64; 6]; 6]| rows[0][0] + rows[1][1] + rows[2][2];
        let alone = trace(&rows);
        let responses: [[f64; 6]; 6] = std::array::from_fn(|k| impulse(&|i| surface(&contacts[i], k)));
        for (row, values) in rows.iter_mut().enumerate() {
            for (column, value) in values.iter_mut().enumerate() {
                *value -= 0.5 * (responses[column][row] + responses[row][column]);
            }
        }
        let mut motion = impulse(&|i| self.touches[i].slip).map(|value| -value);
        body.carries((trace(&rows) / alone - 1.0) / f64::from(share));
        if !solve_definite(rows.as_flattened_mut(), &mut motion) || motion.iter().any(|q| !q.is_finite()) {
            self.touches.iter_mut().for_each(|touch| touch.area = 0.0);
            return Vec3::ZERO;
        }
        for (touch, contact) in self.touches.iter_mut().zip(contacts) {
            touch.slip -= (0..6).map(|k| surface(contact, k) * motion[k] as f32).sum::<Vec3>();
        }
        DVec3::new(motion[3], motion[4], motion[5]).as_vec3()
    }

    /// Applies the changes of strength to the vortons, and the opposite impulse to the body.
    fn give(
        &mut self,
        motion: Motion<'_>,
        body: &mut Body,
        sticking: Sticking,
        (contacts, assigned): (&[Contact], &[Assigned]),
        vortons: &mut Vortons,
    ) {
        let density = f64::from(motion.params.ambient.density);
        let centre = body.middle();
        let fastest = self.touches.iter().map(|touch| touch.slip.length()).fold(0.0, f32::max);
        let most = MOST_FRICTION * fastest / alone(motion.params) as f32;
        let (mut sums, mut felt, mut lost) = (CentredMoments::default(), DVec3::ZERO, 0.0);
        for ((touch, contact), old) in self.touches.iter_mut().zip(contacts).zip(assigned) {
            let row = contact.row as usize;
            let (place, before) = (vortons.positions.get(row), vortons.strengths.get(row));
            let after = before + strength(contact, touch.slip, touch.area);
            let after = after.clamp_length_max(most.max(before.length()));
            let after = match sticking.change(contact, before, vortons.volumes[row]) {
                Vec3::ZERO => after,
                change => after + change,
            };
            let mut one = CentredMoments::default();
            one.add(centre, place, after.as_dvec3() - before.as_dvec3());
            touch.change = Vec3::ZERO;
            if !(after.is_finite() && one.is_finite()) {
                continue;
            }
            touch.change = after - before;
            vortons.strengths.set(row, after);
            felt -= one.strength * f64::from(old.crowd);
            // Plastic collision: half of the impulse times the previous relative velocity.
            lost -= 0.5 * density * one.linear.dot(old.slip.as_dvec3());
            sums = sums.and(&one);
        }
        let mean = assigned.iter().map(|old| old.slip.as_dvec3()).sum::<DVec3>() / assigned.len() as f64;
        let heat = (-0.5 * sums.linear.dot(mean)).max(0.0);
        body.rub(&sums, felt, heat);
        body.lose(lost.max(0.0));
    }

    /// Lets the sheet answer the change of the flow at once.
    fn tell_sheet(
        &mut self,
        motion: Motion<'_>,
        (body, mirrors): (&mut Body, &[Mirror]),
        contacts: &[Contact],
        assigned: &[Assigned],
        vortons: &Vortons,
    ) {
        let felt = self.touches.iter().zip(assigned).map(|(touch, old)| touch.change * old.crowd);
        let felt = felt.sum::<Vec3>();
        let changed = self.touches.iter().zip(contacts);
        let changed =
            changed.map(|(touch, contact)| (vortons.positions.get(contact.row as usize), touch.change));
        let changed = changed.chain(body.spread_inside(-felt));
        if mirrors.is_empty() {
            self.cloud.set_from(changed);
        } else {
            self.cloud.set_from(changed.flat_map(|source| copies(source, mirrors)));
        }
        if self.cloud.is_silent() {
            return;
        }
        self.points.clear();
        self.points.extend(body.points_of_sheet());
        velocities(&self.cloud, motion.exec, &self.points, &mut self.velocities);
        let centre = body.middle().as_vec3();
        let sizes =
            self.touches.iter().zip(contacts).map(|(touch, contact)| {
                f64::from((contact.point - centre).cross(touch.change).length()) * 0.5
            });
        let sum = sizes.sum();
        body.answer_change(&self.velocities, sum);
    }
}

/// Returns the vorticity between a surface and fluid that slips along it, γ = n × u, over this area \[m³/s\].
fn strength(contact: &Contact, slip: Vec3, area: f32) -> Vec3 {
    contact.normal.cross(slip) * area
}
