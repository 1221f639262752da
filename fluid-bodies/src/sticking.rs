//! Viscosity at the surfaces of solids: the vorticity of the fluid across a surface goes to that of the
//! surface (E75).

use crate::body::Body;
use crate::contact::{Contact, ContactSide};
use crate::least_slip::Assigned;
use crate::ledger::CentredMoments;
use fluid_core::boundary::Motion;
use fluid_core::params::Params;
use fluid_core::particles::Vortons;
use glam::{DMat3, DVec3, Mat3, Vec3};

/// Least thickness of the layer of vortons that touch a surface \[core radii\]: their spacing.
const LAYER: f32 = 2.0 / 3.0;

/// Weight of strengths along the surface that close the lines across it, relative to the volume of the
/// vortons \[1\]: where few vortons can close them, the body holds the rest.
const RESTRAINT: f32 = 0.02;

/// Changes of strength in a step of the vortons that touch a body, those of one cluster.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sticking {
    /// Fraction of the difference that the step makes up for \[1\].
    share: f32,
    /// Angular velocity of the surface \[rad/s\].
    spin: Vec3,
    /// Vorticity along the surface, as far as it goes along it, that closes the lines across it \[1/s\].
    closing: Vec3,
}

impl Sticking {
    /// Finds the changes at `contacts` with a body, which has this `spin` \[rad/s\] by all else that happens
    /// to it in the step. The step follows the fraction `followed`. None without viscosity.
    pub(crate) fn of(
        motion: Motion<'_>,
        (body, spin, followed): (&Body, Vec3, f32),
        (contacts, assigned): (&[Contact], &[Assigned]),
        vortons: &Vortons,
    ) -> Self {
        let Params { core_radius, viscosity, .. } = motion.params;
        let volume: f32 = contacts.iter().map(|contact| row(vortons, contact).1).sum();
        // Level geometry and other endless surfaces have no area.
        let thickness = if body.area > 0.0 { volume / body.area as f32 } else { 0.0 };
        let thickness = thickness.max(LAYER * core_radius);
        let relaxed = viscosity / (core_radius * thickness) * motion.dt.abs();
        let share = -libm::expm1f(-relaxed) * followed;
        if contacts.is_empty() || share.is_nan() || share <= 0.0 {
            return Self::default();
        }
        // For the strengths alone, and for each unit spin alone.
        let spins = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let mut each = spins.map(|spin| Self { share, spin, closing: Vec3::ZERO });
        let (mut sums, mut along) = ([Vec3::ZERO; 4], Mat3::ZERO);
        for contact in contacts {
            let (strength, volume) = row(vortons, contact);
            if !strength.is_finite() {
                continue;
            }
            for (k, (sum, one)) in sums.iter_mut().zip(&each).enumerate() {
                let strength = if k == 0 { strength } else { Vec3::ZERO };
                *sum += one.across(contact, strength, volume);
            }
            let across = contact.normal * volume;
            let [x, y, z] = contact.normal.to_array().map(|component| across * component);
            along += Mat3::from_diagonal(Vec3::splat(volume)) - Mat3::from_cols(x, y, z);
        }
        let trace = along.x_axis.x + along.y_axis.y + along.z_axis.z;
        let inverse = (along + Mat3::from_diagonal(Vec3::splat(RESTRAINT * trace))).inverse();
        if !inverse.is_finite() {
            return Self::default();
        }
        for (one, sum) in each.iter_mut().zip(sums) {
            one.closing = inverse * -sum;
        }
        let spin = spin_at_end(motion, (body, spin), &each, (contacts, assigned), vortons);
        let closing =
            each[0].closing + Mat3::from_cols(each[1].closing, each[2].closing, each[3].closing) * spin;
        Self { share, spin, closing }
    }

    /// Returns the change of strength \[m³/s\] of a contact's vorton of this strength and volume.
    pub(crate) fn change(&self, contact: &Contact, strength: Vec3, volume: f32) -> Vec3 {
        if self.share == 0.0 {
            return Vec3::ZERO;
        }
        let along = self.closing - contact.normal * contact.normal.dot(self.closing);
        self.across(contact, strength, volume) + along * volume
    }

    /// Returns the part across the surface: that of the fluid goes to twice the surface's angular velocity.
    /// Vortons without a volume are filaments, which have no vorticity of their own.
    fn across(&self, contact: &Contact, strength: Vec3, volume: f32) -> Vec3 {
        if volume == 0.0 {
            return Vec3::ZERO;
        }
        let lack = self.spin * (2.0 * volume) - strength;
        contact.normal * (lack.dot(contact.normal) * self.share)
    }
}

/// Returns the angular velocity of the body with the torque of the changes (backward Euler): a light body
/// turns on with the fluid. `each` is the changes for the strengths alone, and for each unit spin alone.
fn spin_at_end(
    motion: Motion<'_>,
    (body, spin): (&Body, Vec3),
    each: &[Sticking; 4],
    (contacts, assigned): (&[Contact], &[Assigned]),
    vortons: &Vortons,
) -> Vec3 {
    let mobility = mobility_at(body, contacts);
    if mobility == DMat3::ZERO {
        return spin;
    }
    let mut sums = [CentredMoments::default(); 4];
    let mut felt = [DVec3::ZERO; 4];
    for (contact, old) in contacts.iter().zip(assigned) {
        let place = vortons.positions.get(contact.row as usize);
        let (strength, volume) = row(vortons, contact);
        if !(strength.is_finite() && place.is_finite()) {
            continue;
        }
        for (k, one) in each.iter().enumerate() {
            let strength = if k == 0 { strength } else { Vec3::ZERO };
            let change = one.change(contact, strength, volume).as_dvec3();
            sums[k].add(body.middle(), place, change);
            felt[k] -= change * f64::from(old.crowd);
        }
    }
    let cluster = contacts[0].cluster as usize;
    let density = f64::from(motion.params.ambient.density);
    let mut given = [DVec3::ZERO; 4];
    for (given, (sum, felt)) in given.iter_mut().zip(sums.iter().zip(felt)) {
        let sum = sum.and(&body.moments_of_felt(cluster, felt));
        *given = mobility * sum.angular_about(body.arm()) * density;
    }
    let [alone, x, y, z] = given;
    let resistance = DMat3::IDENTITY + DMat3::from_cols(x, y, z);
    let after = (resistance.inverse() * (spin.as_dvec3() - alone)).as_vec3();
    if resistance.determinant() > 0.0 && after.is_finite() { after } else { spin }
}

/// Returns the angular velocity of a body without a sheet after no-slip has changed the vortons of one
/// cluster of its contacts, `assigned` as they were before.
pub(crate) fn spin_after_no_slip(
    density: f32,
    body: &Body,
    (contacts, assigned): (&[Contact], &[Assigned]),
    vortons: &Vortons,
) -> Vec3 {
    let spin = body.state.angular_velocity;
    let mobility = mobility_at(body, contacts);
    if mobility == DMat3::ZERO {
        return spin;
    }
    let (mut sum, mut felt) = (CentredMoments::default(), DVec3::ZERO);
    for (contact, old) in contacts.iter().zip(assigned) {
        let (place, strength) =
            (vortons.positions.get(contact.row as usize), row(vortons, contact).0.as_dvec3());
        let mut one = CentredMoments::default();
        one.add(body.middle(), old.position, -old.strength.as_dvec3());
        one.add(body.middle(), place, strength);
        if one.is_finite() {
            felt -= one.strength * f64::from(old.crowd);
            sum = sum.and(&one);
        }
    }
    let sum = sum.and(&body.moments_of_felt(contacts[0].cluster as usize, felt));
    let given = mobility * sum.angular_about(body.arm()) * f64::from(density);
    let after = spin - given.as_vec3();
    if after.is_finite() { after } else { spin }
}

/// Returns the angular velocity per angular impulse of these contacts \[1/(kg m²)\]. Solids in a hole give
/// their impulses to its contents.
fn mobility_at(body: &Body, contacts: &[Contact]) -> DMat3 {
    match contacts[0].side() {
        ContactSide::Inside | ContactSide::Wall => DMat3::ZERO,
        ContactSide::Outside | ContactSide::Glass => body.spin_per_torque(),
    }
}

/// Returns the strength \[m³/s\] and the volume \[m³\] of a contact's vorton.
fn row(vortons: &Vortons, contact: &Contact) -> (Vec3, f32) {
    let row = contact.row as usize;
    (vortons.strengths.get(row), vortons.volumes[row])
}
