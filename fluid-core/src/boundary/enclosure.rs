//! Enclosures: parts of the fluid that are carried along by what holds them.
//!
//! Fluid of one density in a container that moves without turning moves with it, whatever the container does:
//! walls push it through pressure, which makes no vorticity. Vortons know nothing of that; the enclosure
//! does.

use crate::math::rotation::rotate_back;
use crate::math::{box_around, corners_of};
use glam::{Quat, Vec3};
use std::fmt::Debug;
use std::sync::Arc;

/// The inside of an enclosure, in its own axes.
pub trait Inside: Debug + Send + Sync {
    /// True if `place` \[m\] is in it.
    fn contains(&self, place: Vec3) -> bool;

    /// True only if every place between `corners` \[m\], their convex hull, is in it. May be false
    /// nevertheless.
    fn contains_hull(&self, _corners: &[Vec3; 8]) -> bool {
        false
    }
}

/// An enclosure and its motion in a step: inside, velocity is that of the vortons, the wind, and this.
#[derive(Debug, Clone)]
pub struct Enclosure {
    /// What is in it.
    pub inside: Arc<dyn Inside>,
    /// Where it is at the start of the step \[m\], and how its axes are turned.
    pub at_start: (Vec3, Quat),
    /// The same in the middle of the step.
    pub at_middle: (Vec3, Quat),
    /// Velocity \[m/s\] with which it carries its fluid along.
    pub velocity: Vec3,
    /// Acceleration \[m/s²\] of its walls.
    pub acceleration: Vec3,
}

impl Enclosure {
    fn moves(&self) -> bool {
        self.at_start != self.at_middle
    }

    /// True if its walls are, and are pushed, as those of `before` were.
    fn is_where(&self, before: &Self) -> bool {
        Arc::ptr_eq(&self.inside, &before.inside)
            && self.at_start == before.at_start
            && self.acceleration == before.acceleration
    }

    fn contains(&self, (position, rotation): (Vec3, Quat), place: Vec3) -> bool {
        self.inside.contains(rotate_back(rotation, place - position))
    }

    fn contains_hull(&self, (position, rotation): (Vec3, Quat), corners: &[Vec3; 8]) -> bool {
        self.inside.contains_hull(&corners.map(|corner| rotate_back(rotation, corner - position)))
    }
}

/// All enclosures of a step.
#[derive(Debug, Clone, Default)]
pub struct Enclosures {
    list: Vec<Enclosure>,
}

impl Enclosures {
    /// No enclosures.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// Adds one. Where two hold the same place, the first one carries it.
    pub fn push(&mut self, enclosure: Enclosure) {
        self.list.push(enclosure);
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Enclosure> {
        self.list.iter()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// True if one of them is not at the same place in the middle of the step as at its start.
    pub(crate) fn are_moving(&self) -> bool {
        self.list.iter().any(Enclosure::moves)
    }

    /// True if there are enclosures, and they have not moved since the step before began.
    pub(crate) fn stand_since(&self, before: &Self) -> bool {
        let same = |(enclosure, before): (&Enclosure, &Enclosure)| {
            !enclosure.moves() && !before.moves() && enclosure.is_where(before)
        };
        !self.is_empty()
            && self.list.len() == before.list.len()
            && self.list.iter().zip(&before.list).all(same)
    }

    /// True if the enclosures are those of the step `before`, none turns, and none has gone farther than
    /// `reach` \[m\] since its middle, nor goes farther in this step of `dt` \[s\].
    pub(crate) fn hardly_move_since(&self, before: &Self, reach: f32, dt: f32) -> bool {
        let is_same = |(enclosure, before): (&Enclosure, &Enclosure)| {
            Arc::ptr_eq(&enclosure.inside, &before.inside)
                && enclosure.at_start.1 == before.at_middle.1
                && enclosure.at_start.1 == enclosure.at_middle.1
                && enclosure.at_start.0.distance(before.at_middle.0) <= reach
                && enclosure.velocity.length() * dt <= reach
        };
        self.list.len() == before.list.len() && self.list.iter().zip(&before.list).all(is_same)
    }

    /// Becomes equal to `other`; allocates only to grow.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.list.clone_from(&other.list);
    }

    /// Velocity \[m/s\] with which an enclosure carries what is at `place` \[m\] at the start of the step.
    #[inline]
    pub fn at_start(&self, place: Vec3) -> Vec3 {
        self.velocity(|enclosure| enclosure.at_start, place)
    }

    /// The same for all of `places` \[m\], if it is soon known to be one velocity.
    pub(crate) fn alike_at_start(&self, places: &[Vec3]) -> Option<Vec3> {
        self.alike(|enclosure| enclosure.at_start, places)
    }

    /// Acceleration \[m/s²\] of the enclosure that holds `place` \[m\] in the middle of the step.
    pub(crate) fn acceleration_at_middle(&self, place: Vec3) -> Vec3 {
        let enclosure = self.list.iter().find(|enclosure| enclosure.contains(enclosure.at_middle, place));
        enclosure.map_or(Vec3::ZERO, |enclosure| enclosure.acceleration)
    }

    /// Velocity \[m/s\] with which an enclosure carries fluid that is at `place` \[m\] in the middle of the
    /// step.
    #[inline]
    pub fn at_middle(&self, place: Vec3) -> Vec3 {
        self.velocity(|enclosure| enclosure.at_middle, place)
    }

    /// The same for all of `places` \[m\], if it is soon known to be one velocity.
    pub(crate) fn alike_at_middle(&self, places: &[Vec3]) -> Option<Vec3> {
        self.alike(|enclosure| enclosure.at_middle, places)
    }

    #[inline]
    fn velocity(&self, pose: impl Fn(&Enclosure) -> (Vec3, Quat), place: Vec3) -> Vec3 {
        let enclosure = self.list.iter().find(|enclosure| enclosure.contains(pose(enclosure), place));
        enclosure.map_or(Vec3::ZERO, |enclosure| enclosure.velocity)
    }

    /// All enclosures stand still, or the first one holds all of the places.
    fn alike(&self, pose: impl Fn(&Enclosure) -> (Vec3, Quat), places: &[Vec3]) -> Option<Vec3> {
        if self.list.iter().all(|enclosure| enclosure.velocity.to_array().map(f32::to_bits) == [0; 3]) {
            return Some(Vec3::ZERO);
        }
        let first = self.list.first()?;
        let corners = corners_of(box_around(places));
        first.contains_hull(pose(first), &corners).then_some(first.velocity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Everything;

    impl Inside for Everything {
        fn contains(&self, _: Vec3) -> bool {
            true
        }
    }

    fn enclosures(list: &[&Enclosure]) -> Enclosures {
        Enclosures { list: list.iter().map(|&enclosure| enclosure.clone()).collect() }
    }

    /// A ball of 1 m about the origin of its axes.
    #[derive(Debug)]
    struct Ball;

    impl Inside for Ball {
        fn contains(&self, place: Vec3) -> bool {
            place.length() <= 1.0
        }

        fn contains_hull(&self, corners: &[Vec3; 8]) -> bool {
            corners.iter().all(|&corner| self.contains(corner))
        }
    }

    #[test]
    fn places_that_are_carried_alike_are_carried_as_each_is() {
        let random = crate::math::Random::new(2);
        let turn = Quat::from_rotation_y(0.5);
        let enclosure = |middle: Vec3, velocity: Vec3| Enclosure {
            inside: Arc::new(Ball),
            at_start: (middle - 0.1 * velocity, turn),
            at_middle: (middle, turn),
            velocity,
            acceleration: Vec3::ZERO,
        };
        let (a, b) = (enclosure(Vec3::ZERO, Vec3::X), enclosure(Vec3::X, Vec3::Y));
        let still = enclosure(Vec3::ZERO, Vec3::ZERO);
        for (enclosures, often) in
            [(enclosures(&[&a, &b]), 50), (enclosures(&[&b]), 50), (enclosures(&[&still]), 1000)]
        {
            let mut alike = 0;
            for n in 0..1000 {
                let middle = random.centred_vec3(n) * 3.0;
                let places: Vec<Vec3> =
                    (0..64).map(|i| middle + random.centred_vec3(5000 + 64 * n + i) * 0.3).collect();
                let (start, half) = (enclosures.alike_at_start(&places), enclosures.alike_at_middle(&places));
                alike += u32::from(start.is_some()).min(u32::from(half.is_some()));
                for &place in &places {
                    assert!(start.is_none_or(|velocity| velocity == enclosures.at_start(place)), "{place}");
                    assert!(half.is_none_or(|velocity| velocity == enclosures.at_middle(place)), "{place}");
                }
            }
            assert!(alike >= often, "{alike} of 1000");
        }
    }

    #[test]
    fn rooms_stand_only_where_all_stood_before() {
        let at = |x: f32| (Vec3::X * x, Quat::IDENTITY);
        let enclosure = |from: f32, to: f32| Enclosure {
            inside: Arc::new(Everything),
            at_start: at(from),
            at_middle: at(to),
            velocity: Vec3::ZERO,
            acceleration: Vec3::ZERO,
        };
        let (a, b) = (enclosure(0.0, 0.0), enclosure(5.0, 5.0));
        assert!(enclosures(&[&a]).stand_since(&enclosures(&[&a])));
        assert!(enclosures(&[&a, &b]).stand_since(&enclosures(&[&a, &b])));
        // One more, one less, none.
        assert!(!enclosures(&[&a, &b]).stand_since(&enclosures(&[&a])));
        assert!(!enclosures(&[&a]).stand_since(&enclosures(&[&a, &b])));
        assert!(!enclosures(&[&a]).stand_since(&enclosures(&[])));
        assert!(!enclosures(&[]).stand_since(&enclosures(&[&a])));
        assert!(!enclosures(&[]).stand_since(&enclosures(&[])));
        // Another inside, another place, on its way, pushed.
        assert!(!enclosures(&[&b]).stand_since(&enclosures(&[&a])));
        let other = Enclosure { at_start: at(1.0), at_middle: at(1.0), ..a.clone() };
        assert!(!enclosures(&[&other]).stand_since(&enclosures(&[&a])));
        let moving = Enclosure { at_middle: at(1.0), ..a.clone() };
        assert!(!enclosures(&[&moving]).stand_since(&enclosures(&[&a])));
        assert!(!enclosures(&[&a]).stand_since(&enclosures(&[&moving])));
        let pushed = Enclosure { acceleration: Vec3::X, ..a.clone() };
        assert!(!enclosures(&[&pushed]).stand_since(&enclosures(&[&a])));
    }
}
