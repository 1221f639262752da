//! Restores total strength and linear impulse after strengths have been changed (E7, E72).

use super::clusters::Keeps;
use crate::math::{outer, trace};
use crate::velocity::Mirror;
use glam::{DMat3, DQuat, DVec3, Vec3};
use std::f64::consts::PI;

/// Change of the conserved sums, and the weights by which it is undone.
#[derive(Debug, Clone, Copy)]
pub(super) struct SumsChange {
    /// Σ δα.
    strength: DVec3,
    /// ½ Σ x × δα.
    impulse: DVec3,
    /// Σ |α|.
    pub(super) weight: f64,
    /// Σ |α| x.
    weighted_position: DVec3,
    /// Σ |α| x xᵀ.
    weighted_square: DMat3,
}

crate::saved::fields!(SumsChange { strength, impulse, weight, weighted_position, weighted_square });

impl Default for SumsChange {
    fn default() -> Self {
        Self::NONE
    }
}

impl SumsChange {
    // Not derived: glam's default matrix is the identity.
    pub(super) const NONE: Self = Self {
        strength: DVec3::ZERO,
        impulse: DVec3::ZERO,
        weight: 0.0,
        weighted_position: DVec3::ZERO,
        weighted_square: DMat3::ZERO,
    };

    pub(super) fn add(self, other: Self) -> Self {
        Self {
            strength: self.strength + other.strength,
            impulse: self.impulse + other.impulse,
            weight: self.weight + other.weight,
            weighted_position: self.weighted_position + other.weighted_position,
            weighted_square: self.weighted_square + other.weighted_square,
        }
    }

    /// Returns that of the vortons' images in a mirror.
    fn mirrored(&self, mirror: &Mirror) -> Self {
        let (normal, offset) = (mirror.normal(), mirror.offset());
        let turn = DMat3::IDENTITY - 2.0 * outer(normal, normal);
        let (shift, strength) = (2.0 * offset * normal, mirror.sum_of_strengths(self.strength));
        let (first, square) = (turn * self.weighted_position, turn * self.weighted_square * turn);
        let crossed = outer(first, shift) + outer(shift, first);
        Self {
            strength,
            impulse: turn * self.impulse + 0.5 * shift.cross(strength),
            weight: self.weight,
            weighted_position: first + self.weight * shift,
            weighted_square: square + crossed + outer(shift, shift) * self.weight,
        }
    }

    /// Returns the mean of it and of those of all images in these mirrors, square to each other: the part
    /// that the vortons and their images cannot pass to each other. Its correction is its own image.
    pub(super) fn with_images<'a>(self, mirrors: impl Iterator<Item = &'a Mirror>) -> Self {
        mirrors.fold(self, |one, mirror| one.add(one.mirrored(mirror)).times(0.5))
    }

    /// Returns this part \[1\] of the change and of its weights.
    pub(super) fn times(self, part: f64) -> Self {
        Self {
            strength: part * self.strength,
            impulse: part * self.impulse,
            weight: part * self.weight,
            weighted_position: part * self.weighted_position,
            weighted_square: part * self.weighted_square,
        }
    }

    /// True if nothing has changed.
    pub(super) fn is_none(&self) -> bool {
        self.strength == DVec3::ZERO && self.impulse == DVec3::ZERO
    }

    /// Returns the change of total strength \[m³/s\].
    pub(super) fn strength(&self) -> DVec3 {
        self.strength
    }

    /// Returns the change of linear impulse \[m⁴/s\].
    pub(super) fn impulse(&self) -> DVec3 {
        self.impulse
    }

    /// Adds the fraction `share` of the strength and impulse of `other`, without its weights.
    pub(super) fn with_sums_of(self, other: &Self, share: f64) -> Self {
        let (strength, impulse) = (other.strength * share, other.impulse * share);
        Self { strength: self.strength + strength, impulse: self.impulse + impulse, ..self }
    }

    /// The weights alone.
    pub(super) fn without_sums(self) -> Self {
        Self { strength: DVec3::ZERO, impulse: DVec3::ZERO, ..self }
    }

    /// Adds impulse \[m⁴/s\].
    pub(super) fn with_impulse(self, more: DVec3) -> Self {
        Self { impulse: self.impulse + more, ..self }
    }

    /// The same about another origin \[m\].
    pub(super) fn about(self, origin: DVec3) -> Self {
        let (weight, first) = (self.weight, self.weighted_position);
        let crossed = outer(first, origin) + outer(origin, first);
        Self {
            impulse: self.impulse - 0.5 * origin.cross(self.strength),
            weighted_position: first - weight * origin,
            weighted_square: self.weighted_square - crossed + outer(origin, origin) * weight,
            ..self
        }
    }

    /// Subtracts the effect of a force that added this `strength` \[m³/s\] to a vorton at `position` \[m\].
    pub(super) fn without(self, position: DVec3, strength: DVec3) -> Self {
        let impulse = 0.5 * position.cross(strength);
        if !impulse.is_finite() {
            return self;
        }
        Self { strength: self.strength - strength, impulse: self.impulse - impulse, ..self }
    }

    /// Mean position \[m\] of the vortons by their strengths; not finite without strengths.
    fn centre(&self) -> DVec3 {
        self.weighted_position / self.weight
    }

    /// Σ |α| x².
    fn trace(&self) -> f64 {
        trace(&self.weighted_square)
    }

    /// Σ |α| (x'² 1 − x' x'ᵀ), x' from the centre.
    fn inertia(&self) -> DMat3 {
        let centre = self.centre();
        let square = self.weighted_square - outer(centre, centre) * self.weight;
        let trace = trace(&square);
        // The ridge makes the singular tensor of vortons on one line harmless; their impulse has no part
        // along the line.
        DMat3::from_diagonal(DVec3::splat(trace * (1.0 + 1e-9))) - square
    }

    /// Returns the impulse \[m⁴/s\] of a ring of these strengths and this extent.
    fn most_impulse(&self) -> f64 {
        let about = self.about(self.centre());
        0.5 * (about.trace() * about.weight).max(0.0).sqrt()
    }

    /// Returns the part \[m⁴/s\] of the change of impulse that is not due to that of strength at the centre.
    fn impulse_about_centre(&self) -> DVec3 {
        self.impulse - 0.5 * self.centre().cross(self.strength)
    }

    /// Returns the change of strength at the centre, with its impulse, and the rest.
    pub(super) fn split(self) -> (Self, Self) {
        let impulse = self.impulse - self.impulse_about_centre();
        let rest = Self { strength: DVec3::ZERO, impulse: self.impulse - impulse, ..self };
        (Self { impulse, ..self }, rest)
    }

    /// Returns the part of the change that a cluster `keeps`.
    pub(super) fn kept(self, keeps: Keeps) -> Self {
        match keeps {
            Keeps::StrengthAndImpulse => self,
            Keeps::Strength if self.weight > 0.0 => self.split().0,
            Keeps::Strength | Keeps::Nothing => self.without_sums(),
        }
    }

    /// Returns the mean position \[m\] of the vortons by their strengths.
    pub(super) fn place(&self) -> Option<Vec3> {
        let place = self.centre().as_vec3();
        place.is_finite().then_some(place)
    }

    /// Returns the change by one vorton that moves and changes its strength; zero if a value is not finite.
    pub(super) fn of_moved((from, before): (Vec3, Vec3), (to, after): (Vec3, Vec3)) -> Self {
        let (x, strength) = (to.as_dvec3(), after.as_dvec3());
        let delta = strength - before.as_dvec3();
        let impulse = 0.5 * (x.cross(strength) - from.as_dvec3().cross(before.as_dvec3()));
        let weight = strength.length();
        if !(impulse.is_finite() && delta.is_finite() && weight.is_finite()) {
            return Self::NONE;
        }
        Self {
            strength: delta,
            impulse,
            weight,
            weighted_position: weight * x,
            weighted_square: outer(x, x) * weight,
        }
    }

    /// Returns the remaining strength and impulse after the fraction `share` has been given back and the
    /// vortons have moved by `carried` \[m\].
    pub(super) fn rest(&self, share: f64, carried: DVec3) -> Self {
        let (strength, impulse) = (self.strength * (1.0 - share), self.impulse * (1.0 - share));
        Self { strength, impulse: impulse + 0.5 * carried.cross(strength), ..Self::NONE }
    }

    /// Returns the change by one vorton that changes its strength; zero if a value is not finite.
    pub(super) fn of(position: Vec3, before: Vec3, after: Vec3) -> Self {
        let (x, delta) = (position.as_dvec3(), after.as_dvec3() - before.as_dvec3());
        let (impulse, weight) = (0.5 * x.cross(delta), after.as_dvec3().length());
        if !(impulse.is_finite() && delta.is_finite() && weight.is_finite()) {
            return Self::NONE;
        }
        Self {
            strength: delta,
            impulse,
            weight,
            weighted_position: weight * x,
            weighted_square: outer(x, x) * weight,
        }
    }
}

/// Change of the conserved sums of a cluster, and after a motion the sums themselves.
#[derive(Debug, Clone, Copy)]
pub(super) struct MovedSums {
    pub(super) change: SumsChange,
    /// Σ α \[m³/s\].
    pub(super) strength: DVec3,
    /// ½ Σ x × α \[m⁴/s\].
    impulse: DVec3,
    /// Σ |δα|²/|α| \[m³/s\].
    restless: f64,
    /// True if gravity acts on one of them.
    is_pulled: bool,
}

impl MovedSums {
    pub(super) const NONE: Self = Self::changed(SumsChange::NONE);

    /// A change without the sums.
    pub(super) const fn changed(change: SumsChange) -> Self {
        Self { change, strength: DVec3::ZERO, impulse: DVec3::ZERO, restless: 0.0, is_pulled: false }
    }

    /// Returns those of one vorton; without its strength if a value is not finite.
    pub(super) fn of(change: SumsChange, (place, strength): (Vec3, Vec3), is_pulled: bool) -> Self {
        let of = SumsChange::of(place, Vec3::ZERO, strength);
        let restless = change.strength.length_squared() / change.weight;
        let restless = if restless.is_finite() { restless } else { 0.0 };
        Self { change, strength: of.strength, impulse: of.impulse, restless, is_pulled }
    }

    pub(super) fn add(self, other: Self) -> Self {
        Self {
            change: self.change.add(other.change),
            strength: self.strength + other.strength,
            impulse: self.impulse + other.impulse,
            restless: self.restless + other.restless,
            is_pulled: self.is_pulled || other.is_pulled,
        }
    }

    /// As [`SumsChange::with_images`].
    pub(super) fn with_images<'a>(self, mirrors: impl Iterator<Item = &'a Mirror> + Clone) -> Self {
        let sums = SumsChange { strength: self.strength, impulse: self.impulse, ..self.change };
        let SumsChange { strength, impulse, .. } = sums.with_images(mirrors.clone());
        Self { change: self.change.with_images(mirrors), strength, impulse, ..self }
    }

    /// Returns the part \[1\] of a turn of the impulse that the cluster may follow as a whole.
    fn share_turned(&self) -> f64 {
        let extent = self.change.most_impulse();
        let order = (self.impulse - 0.5 * self.change.centre().cross(self.strength)).length() / extent;
        let ordered = (order - ORDERED[0]) / (ORDERED[1] - ORDERED[0]);
        let closed = 1.0 - self.strength.length() / (CLOSED * self.change.weight);
        // Without extent 0/0 gives NaN.
        let is_turned = !self.is_pulled && ordered > 0.0 && closed > 0.0;
        if is_turned { ordered.min(1.0) * closed } else { 0.0 }
    }
}

/// Impulse that the motion of a step added to a group beyond any exchange between its clusters, to be undone
/// by them together: by the change of strengths that is the smallest with the weights |α| ω, ω² = Σ|δα|²/|α|
/// / Σ|α| of a cluster. Calm ones take little part.
pub(super) struct GroupError {
    impulse: DVec3,
    inertia: DMat3,
}

impl GroupError {
    pub(super) const NONE: Self = Self { impulse: DVec3::ZERO, inertia: DMat3::ZERO };

    fn weighted_inertia(moved: &MovedSums) -> DMat3 {
        moved.change.inertia() * (moved.restless / moved.change.weight).sqrt()
    }

    /// Adds a cluster with this change in the step, of which `most` \[m⁴/s\] may be exchange.
    pub(super) fn add(&mut self, moved: &MovedSums, step: &SumsChange, most: f64) {
        if step.weight > 0.0 {
            self.impulse += shared(step.impulse_about_centre(), most);
            self.inertia += Self::weighted_inertia(moved);
        }
    }

    /// Returns the mean of it and of those of all images in these mirrors, which are in the group as well.
    pub(super) fn with_images<'a>(self, mirrors: impl Iterator<Item = &'a Mirror>) -> Self {
        mirrors.fold(self, |Self { impulse, inertia }, mirror| {
            let n = mirror.normal();
            let turn = DMat3::IDENTITY - 2.0 * outer(n, n);
            Self {
                impulse: 0.5 * (impulse + turn * impulse),
                inertia: 0.5 * (inertia + turn * inertia * turn),
            }
        })
    }

    /// Returns the change that such a cluster has to undo: that of its strength, that of its impulse as far
    /// as it is no exchange, and its part of the group's.
    pub(super) fn part_of(&self, moved: &MovedSums, step: &SumsChange, most: f64) -> SumsChange {
        let turned = self.inertia.inverse() * self.impulse;
        if !(step.weight > 0.0 && turned.is_finite()) {
            return *step;
        }
        let part = Self::weighted_inertia(moved) * turned;
        step.with_impulse(part - shared(step.impulse_about_centre(), most))
    }
}

/// Returns the part of a change of impulse that may be exchange.
fn shared(impulse: DVec3, most: f64) -> DVec3 {
    if most.is_finite() { impulse.clamp_length_max(most) } else { impulse }
}

/// Returns the largest impulse \[m⁴/s\] that clusters with these weights, `gap` \[m\] apart, exchange in a
/// time \[s\]: that of dipoles on one axis with the impulse of rings of their strengths and extents.
pub(super) fn most_exchanged(a: &SumsChange, b: &SumsChange, gap: f64, time: f64) -> f64 {
    6.0 / (4.0 * PI) * a.most_impulse() * b.most_impulse() / gap.powi(4) * time
}

/// Impulse of a cluster, over that of a ring of its strength and extent, from which on it turns with its
/// impulse, in part and as a whole \[1\]. In noise a turn by a small part of the strengths would be large.
const ORDERED: [f64; 2] = [0.15, 0.3];

/// Largest turn in a step \[rad\]: it displaces weak vortons far from the middle, too.
const MOST_TURN: f64 = 0.03;

/// Total strength from which on vortex lines end in the cluster, and a turn would change it \[Σ|α|\].
const CLOSED: f64 = 0.1;

/// A rigid turn of a cluster, its places and its strengths, about its middle (E72).
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    centre: DVec3,
    rotation: DQuat,
}

impl Turn {
    const NONE: Self = Self { centre: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// Returns the turn that undoes the change of direction in `back`, a part of the change in `moved`, and
    /// the change that is left for strengths to undo before the turn. Strengths alone would turn without the
    /// line that they are on, and grow along one half of a ring.
    pub(super) fn of(moved: &MovedSums, back: &SumsChange) -> (Self, SumsChange) {
        let (share, centre) = (moved.share_turned(), back.centre());
        let about = |impulse: DVec3, strength: DVec3| impulse - 0.5 * centre.cross(strength);
        let now = about(moved.impulse, moved.strength);
        let wanted = now - about(back.impulse, back.strength);
        let across = now.cross(wanted);
        let (sine, cosine) = (across.length(), now.dot(wanted));
        if !(share > 0.0 && sine > 0.0 && sine.is_finite()) {
            return (Self::NONE, *back);
        }
        let angle = (share * libm::atan2(sine, cosine)).min(MOST_TURN);
        let rotation = DQuat::from_axis_angle(across / sine, angle);
        let before = rotation.inverse();
        let strength = moved.strength - before * (moved.strength - back.strength);
        let impulse = now - before * wanted + 0.5 * centre.cross(strength);
        (Self { centre, rotation }, SumsChange { strength, impulse, ..*back })
    }

    /// True for no turn.
    pub(super) fn is_none(&self) -> bool {
        self.rotation == DQuat::IDENTITY
    }

    /// Returns the strength of a vorton after the turn.
    pub(super) fn strength(&self, before: Vec3) -> Vec3 {
        if self.is_none() { before } else { (self.rotation * before.as_dvec3()).as_vec3() }
    }

    /// Returns the displacement \[m\] of a vorton.
    pub(super) fn displacement(&self, position: Vec3) -> Vec3 {
        let arm = position.as_dvec3() - self.centre;
        (self.rotation * arm - arm).as_vec3()
    }
}

/// Inertia up to which it is that of rounded sums \[Σ|α| x²\].
const ROUNDING: f64 = 1e-12;

/// The strengths to add, |α| (a + b × (x - c)): the smallest in the norm Σ |δα|²/|α| that restore both sums.
#[derive(Debug, Clone, Copy)]
pub(super) struct Restoring {
    a: DVec3,
    b: DVec3,
    centre: DVec3,
}

impl Restoring {
    /// Returns the strengths that undo `change`. About the |α|-weighted centre the 6 × 6 system separates
    /// into a division and a 3 × 3 solve with the cloud's inertia tensor.
    pub(super) fn of(change: &SumsChange) -> Option<Self> {
        if change.weight <= 0.0 {
            return None;
        }
        let (centre, inertia) = (change.centre(), change.inertia());
        let has_extent = trace(&inertia) > ROUNDING * change.trace();
        let impulse = change.impulse_about_centre();
        let b = if has_extent { inertia.inverse() * (-2.0 * impulse) } else { DVec3::ZERO };
        let restoring = Self { a: -change.strength / change.weight, b, centre };
        (restoring.a.is_finite() && restoring.b.is_finite()).then_some(restoring)
    }

    /// Scales the correction by `share`.
    pub(super) fn times(self, share: f64) -> Self {
        Self { a: self.a * share, b: self.b * share, ..self }
    }

    /// Estimates the largest relative change of a strength.
    pub(super) fn largest_share(&self, change: &SumsChange) -> f64 {
        let spread = (change.trace() / change.weight - self.centre.length_squared()).max(0.0).sqrt();
        self.a.length() + 2.0 * spread * self.b.length()
    }

    /// Returns the corrected strength of a vorton with the strength `relaxed` before the correction.
    pub(super) fn strength(&self, position: Vec3, relaxed: Vec3) -> Vec3 {
        let share = self.a + self.b.cross(position.as_dvec3() - self.centre);
        (relaxed.as_dvec3() + share * relaxed.as_dvec3().length()).as_vec3()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    /// Tests `SumsChange::about` against the sums of moved vortons.
    #[test]
    fn sums_about_another_origin_are_those_of_moved_vortons() {
        let (random, origin) = (Random::new(9), Vec3::new(4.0, -2.0, 8.0));
        let sum = |origin: Vec3| {
            let of = |n: u64| {
                let [place, before, after] = [0, 1, 2].map(|k| random.centred_vec3(3 * n + k));
                SumsChange::of((place * 1024.0).round() / 1024.0 - origin, before, after)
            };
            (0..20).map(of).fold(SumsChange::NONE, SumsChange::add)
        };
        let (moved, about) = (sum(origin), sum(Vec3::ZERO).about(origin.as_dvec3()));
        let near = |a: DVec3, b: DVec3| assert!((a - b).length() < 1e-9, "{a} {b}");
        near(moved.strength, about.strength);
        near(moved.impulse, about.impulse);
        near(moved.weighted_position, about.weighted_position);
        assert!((moved.weight - about.weight).abs() < 1e-12);
        for axis in 0..3 {
            near(moved.weighted_square.col(axis), about.weighted_square.col(axis));
        }
    }

    /// The sums of images are those of mirrored vortons, and the correction of the mean with them is
    /// symmetric.
    #[test]
    fn sums_of_images_are_those_of_mirrored_vortons() {
        let random = Random::new(5);
        let mirror = Mirror::new(Vec3::new(0.5, -1.0, 2.0), Vec3::new(0.6, 0.0, 0.8));
        let vorton = |n: u64| [0, 1, 2].map(|k| random.centred_vec3(3 * n + k));
        let own = |[place, before, after]: [Vec3; 3]| SumsChange::of(place, before, after);
        let image = |[place, before, after]: [Vec3; 3]| {
            SumsChange::of(mirror.place(place), mirror.strength(before), mirror.strength(after))
        };
        let all = (0..20).map(vorton).map(own).fold(SumsChange::NONE, SumsChange::add);
        let images = (0..20).map(vorton).map(image).fold(SumsChange::NONE, SumsChange::add);
        let mirrored = all.mirrored(&mirror);
        let near = |a: DVec3, b: DVec3| assert!((a - b).length() < 1e-5, "{a} {b}");
        near(mirrored.strength, images.strength);
        near(mirrored.impulse, images.impulse);
        near(mirrored.weighted_position, images.weighted_position);
        for axis in 0..3 {
            near(mirrored.weighted_square.col(axis), images.weighted_square.col(axis));
        }
        let restoring = Restoring::of(&all.with_images([&mirror].into_iter())).expect("has an extent");
        for [place, strength, _] in (0..20).map(vorton) {
            let after = restoring.strength(mirror.place(place), mirror.strength(strength));
            near(after.as_dvec3(), mirror.strength(restoring.strength(place, strength)).as_dvec3());
        }
    }
}
