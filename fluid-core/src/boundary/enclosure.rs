//! Enclosures: parts of the fluid that are carried along by their containers (E43).
//!
//! Fluid of uniform density in a container that translates without turning moves with it under any
//! acceleration: walls push it through pressure, which makes no vorticity. The vortons' flow therefore lacks
//! this motion; the enclosure adds it.

use crate::inside::Inside;
use crate::math::rotation::{rotate, rotate_back};
use crate::math::{box_around, corners_of};
use crate::saved::{LoadError, Reader, Saved, Writer};
use glam::{Quat, Vec3};
use std::sync::Arc;

/// A time within a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StepTime {
    /// Start of the step.
    #[default]
    Start,
    /// Half a step later.
    Middle,
    /// End of the step.
    End,
}

impl StepTime {
    /// The time since the start of the step, as a part of the step \[1\].
    pub fn part(self) -> f32 {
        match self {
            Self::Start => 0.0,
            Self::Middle => 0.5,
            Self::End => 1.0,
        }
    }
}

/// The nearest wall of an enclosure to a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wall {
    /// Signed distance \[m\] of the point from the wall: positive in the fluid.
    pub distance: f32,
    /// Unit normal into the fluid at the nearest point.
    pub normal: Vec3,
    /// Acceleration \[m/s²\] of the wall's material at the point; it is subtracted from gravity.
    pub acceleration: Vec3,
    /// [`Enclosure::holds_flow`] of its enclosure.
    pub holds_flow: bool,
}

/// An enclosure and its motion in a step. The velocity inside is that of the vortons plus its own: walls keep
/// the wind out.
#[derive(Debug, Clone)]
pub struct Enclosure {
    /// Shape of its interior.
    pub inside: Arc<dyn Inside>,
    /// Position \[m\] and orientation at the start of the step.
    pub at_start: (Vec3, Quat),
    /// The same in the middle of the step.
    pub at_middle: (Vec3, Quat),
    /// Velocity \[m/s\] with which it carries its fluid along.
    pub velocity: Vec3,
    /// Acceleration \[m/s²\] of its walls.
    pub acceleration: Vec3,
    /// True if its walls bound the flow everywhere. Other walls act only where vortons touch them: the flow
    /// outside of those is part of the energy, and they do work on the fluid.
    pub holds_flow: bool,
}

impl Enclosure {
    fn moves(&self) -> bool {
        self.at_start != self.at_middle
    }

    /// Returns the position and orientation at `time`. Walls at the end of a step are not needed; that time
    /// returns the middle.
    fn at(&self, time: StepTime) -> (Vec3, Quat) {
        match time {
            StepTime::Start => self.at_start,
            StepTime::Middle | StepTime::End => self.at_middle,
        }
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
    /// Removes all enclosures.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// Adds an enclosure. Where enclosures overlap, the first one carries the fluid.
    pub fn push(&mut self, enclosure: Enclosure) {
        self.list.push(enclosure);
    }

    /// Returns the enclosures, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Enclosure> {
        self.list.iter()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// True if the pose of one of them in the middle of the step differs from that at its start.
    pub(crate) fn are_moving(&self) -> bool {
        self.list.iter().any(Enclosure::moves)
    }

    /// True if there are walls that bound the flow only where vortons touch them.
    pub fn are_leaky(&self) -> bool {
        self.list.iter().any(|enclosure| !enclosure.holds_flow)
    }

    /// True if the enclosures are those of the step `before`, none turns, and none has moved farther than
    /// `reach` \[m\] since that step's middle, nor does in this step of `dt` \[s\].
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

    /// Moves the origin to `origin` \[m\].
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        for Enclosure { at_start, at_middle, .. } in &mut self.list {
            (at_start.0, at_middle.0) = (at_start.0 - origin, at_middle.0 - origin);
        }
    }

    /// Becomes equal to `other`; allocates only to grow.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.list.clone_from(&other.list);
    }

    /// Returns the velocity \[m/s\] of the enclosure that contains `place` \[m\] at the start of the step, or
    /// else the `wind` \[m/s\].
    #[inline]
    pub fn at_start(&self, place: Vec3, wind: Vec3) -> Vec3 {
        self.velocity(|enclosure| enclosure.at_start, place, wind)
    }

    /// The same for all of `places` \[m\], if a quick test shows that they have one velocity.
    pub(crate) fn alike_at_start(&self, places: &[Vec3], wind: Vec3) -> Option<Vec3> {
        self.alike(|enclosure| enclosure.at_start, places, wind)
    }

    /// Returns true if an enclosure contains `place` \[m\] at the start of the step.
    pub(crate) fn hold(&self, place: Vec3) -> bool {
        self.list.iter().any(|enclosure| enclosure.contains(enclosure.at_start, place))
    }

    /// Returns the index of the enclosure that contains `place` \[m\] at the start of the step.
    pub(crate) fn index_at_start(&self, place: Vec3) -> Option<usize> {
        self.list.iter().position(|enclosure| enclosure.contains(enclosure.at_start, place))
    }

    /// True if a quick test shows that the first enclosure contains the whole box between these corners \[m\]
    /// at the start of the step, or if there is none.
    pub(crate) fn hold_all_alike(&self, low: Vec3, high: Vec3) -> bool {
        let corners = corners_of((low, high));
        self.list.first().is_none_or(|first| first.contains_hull(first.at_start, &corners))
    }

    /// Returns the acceleration \[m/s²\] of the enclosure that contains `place` \[m\] in the middle of the
    /// step; 0 outside.
    pub(crate) fn acceleration_at_middle(&self, place: Vec3) -> Vec3 {
        let enclosure = self.list.iter().find(|enclosure| enclosure.contains(enclosure.at_middle, place));
        enclosure.map_or(Vec3::ZERO, |enclosure| enclosure.acceleration)
    }

    /// Returns the position \[m\] at the start of the step of what is at `place` \[m\] at this time and moves
    /// with the enclosure that contains it.
    pub(crate) fn carried_back(&self, place: Vec3, time: StepTime) -> Vec3 {
        let holds = |enclosure: &&Enclosure| enclosure.contains(enclosure.at(time), place);
        let Some(enclosure) = self.list.iter().find(holds) else { return place };
        let ((position, rotation), (start, turned)) = (enclosure.at(time), enclosure.at_start);
        if (position, rotation) == (start, turned) {
            return place;
        }
        start + turned * rotate_back(rotation, place - position)
    }

    /// Returns the velocity \[m/s\] of the enclosure that contains `place` \[m\] in the middle of the step,
    /// or else the `wind` \[m/s\].
    #[inline]
    pub fn at_middle(&self, place: Vec3, wind: Vec3) -> Vec3 {
        self.velocity(|enclosure| enclosure.at_middle, place, wind)
    }

    /// The same for all of `places` \[m\], if a quick test shows that they have one velocity.
    pub(crate) fn alike_at_middle(&self, places: &[Vec3], wind: Vec3) -> Option<Vec3> {
        self.alike(|enclosure| enclosure.at_middle, places, wind)
    }

    #[inline]
    fn velocity(&self, pose: impl Fn(&Enclosure) -> (Vec3, Quat), place: Vec3, wind: Vec3) -> Vec3 {
        let enclosure = self.list.iter().find(|enclosure| enclosure.contains(pose(enclosure), place));
        enclosure.map_or(wind, |enclosure| enclosure.velocity)
    }

    /// Returns the common velocity if all enclosures move with the wind, or if the first one contains all of
    /// the points.
    fn alike(&self, pose: impl Fn(&Enclosure) -> (Vec3, Quat), places: &[Vec3], wind: Vec3) -> Option<Vec3> {
        let bits = |velocity: Vec3| velocity.to_array().map(f32::to_bits);
        if self.list.iter().all(|enclosure| bits(enclosure.velocity) == bits(wind)) {
            return Some(wind);
        }
        let first = self.list.first()?;
        let corners = corners_of(box_around(places));
        first.contains_hull(pose(first), &corners).then_some(first.velocity)
    }
}

/// Largest number of points in one search for walls \[1\].
pub(crate) const WALL_BATCH: usize = 32;

/// The walls of all enclosures at one time of a step.
#[derive(Debug, Clone, Copy)]
pub struct Walls<'a> {
    /// The enclosures bounded by these walls.
    pub enclosures: &'a Enclosures,
    /// Time in the step.
    pub time: StepTime,
}

impl Walls<'_> {
    /// Finds the wall nearest to each of up to [`WALL_BATCH`] `places` \[m\], of the enclosure in which it is
    /// deepest. `None` if no enclosure contains the point and no wall is nearer than `reach` \[m\]. Deeper
    /// than `reach` inside, the distance may be `reach`.
    pub(crate) fn at_each(&self, places: &[Vec3], reach: f32, walls: &mut [Option<Wall>]) {
        walls.fill(None);
        let (mut local, mut found) = ([Vec3::ZERO; WALL_BATCH], [(0.0, Vec3::Z); WALL_BATCH]);
        let (local, found) = (&mut local[..places.len()], &mut found[..places.len()]);
        for enclosure in &self.enclosures.list {
            let (position, rotation) = enclosure.at(self.time);
            for (local, place) in local.iter_mut().zip(places) {
                *local = rotate_back(rotation, *place - position);
            }
            enclosure.inside.walls(local, reach, found);
            for (nearest, &(distance, normal)) in walls.iter_mut().zip(&*found) {
                if distance > nearest.map_or(-reach, |nearest| nearest.distance) {
                    let (normal, acceleration) = (rotate(rotation, normal), enclosure.acceleration);
                    let holds_flow = enclosure.holds_flow;
                    *nearest = Some(Wall { distance, normal, acceleration, holds_flow });
                }
            }
        }
    }

    /// The same for one point.
    pub(crate) fn at(&self, place: Vec3, reach: f32) -> Option<Wall> {
        let mut walls = [None];
        self.at_each(&[place], reach, &mut walls);
        walls[0]
    }

    /// True only if [`at_each`](Self::at_each) finds `None` for every point of the box from `from` to `to`
    /// \[m\].
    pub(crate) fn are_far(&self, from: Vec3, to: Vec3, reach: f32) -> bool {
        self.enclosures.list.iter().all(|enclosure| {
            let (position, rotation) = enclosure.at(self.time);
            let [from, to] = [from, to].map(|place| rotate_back(rotation, place - position));
            enclosure.inside.is_far(from.min(to), from.max(to), reach)
        })
    }

    /// True if the walls and their accelerations are those of `known` at its time in the step.
    pub(crate) fn are_where(&self, known: &(Enclosures, StepTime)) -> bool {
        let (list, before) = (&self.enclosures.list, &known.0.list);
        let is_where = |(now, before): (&Enclosure, &Enclosure)| {
            Arc::ptr_eq(&now.inside, &before.inside)
                && now.at(self.time) == before.at(known.1)
                && now.acceleration == before.acceleration
        };
        list.len() == before.len() && list.iter().zip(before).all(is_where)
    }

    /// Stores these walls in `known`; allocates only to grow.
    pub(crate) fn copy_to(&self, known: &mut (Enclosures, StepTime)) {
        known.0.copy_from(self.enclosures);
        known.1 = self.time;
    }
}

impl Saved for Enclosures {
    fn save(&self, out: &mut Writer<'_>) {
        self.list.len().save(out);
        for Enclosure { inside, at_start, at_middle, velocity, acceleration, holds_flow } in &self.list {
            out.insides.save_inside(inside, out);
            [*at_start, *at_middle].save(out);
            [*velocity, *acceleration].save(out);
            holds_flow.save(out);
        }
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        self.list.clear();
        for _ in 0..from.count(1)? {
            let inside = from.insides.load_inside(from)?;
            let [at_start, at_middle] = from.value()?;
            let [velocity, acceleration] = from.value()?;
            let holds_flow = from.value()?;
            self.list.push(Enclosure { inside, at_start, at_middle, velocity, acceleration, holds_flow });
        }
        Ok(())
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

        fn wall(&self, _: Vec3, _: f32) -> Option<(f32, Vec3)> {
            None
        }
    }

    fn enclosures(list: &[&Enclosure]) -> Enclosures {
        Enclosures { list: list.iter().map(|&enclosure| enclosure.clone()).collect() }
    }

    /// A ball with a radius of 1 m about the origin of its axes.
    #[derive(Debug)]
    struct Ball;

    impl Inside for Ball {
        fn contains(&self, place: Vec3) -> bool {
            place.length() <= 1.0
        }

        fn contains_hull(&self, corners: &[Vec3; 8]) -> bool {
            corners.iter().all(|&corner| self.contains(corner))
        }

        fn wall(&self, place: Vec3, _: f32) -> Option<(f32, Vec3)> {
            Some((1.0 - place.length(), -place.normalize_or(Vec3::Z)))
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
            holds_flow: false,
        };
        let (a, b) = (enclosure(Vec3::ZERO, Vec3::X), enclosure(Vec3::X, Vec3::Y));
        let still = enclosure(Vec3::ZERO, Vec3::ZERO);
        for (enclosures, wind, often) in [
            (enclosures(&[&a, &b]), Vec3::ZERO, 50),
            (enclosures(&[&b]), Vec3::Z, 50),
            (enclosures(&[&still]), Vec3::Z, 50),
            (enclosures(&[&still]), Vec3::ZERO, 1000),
            (enclosures(&[&a]), Vec3::X, 1000),
            (enclosures(&[]), Vec3::Z, 1000),
        ] {
            let mut alike = 0;
            for n in 0..1000 {
                let middle = random.centred_vec3(n) * 3.0;
                let places: Vec<Vec3> =
                    (0..64).map(|i| middle + random.centred_vec3(5000 + 64 * n + i) * 0.3).collect();
                let start = enclosures.alike_at_start(&places, wind);
                let half = enclosures.alike_at_middle(&places, wind);
                alike += u32::from(start.is_some()).min(u32::from(half.is_some()));
                for &place in &places {
                    let each = (enclosures.at_start(place, wind), enclosures.at_middle(place, wind));
                    assert!(start.is_none_or(|velocity| velocity == each.0), "{place}");
                    assert!(half.is_none_or(|velocity| velocity == each.1), "{place}");
                }
            }
            assert!(alike >= often, "{alike} of 1000");
        }
    }

    #[test]
    fn walls_are_known_only_while_all_are_where_they_were() {
        use StepTime::{Middle, Start};
        let at = |x: f32| (Vec3::X * x, Quat::IDENTITY);
        let enclosure = |from: f32, to: f32| Enclosure {
            inside: Arc::new(Everything),
            at_start: at(from),
            at_middle: at(to),
            velocity: Vec3::ZERO,
            acceleration: Vec3::ZERO,
            holds_flow: false,
        };
        let are_known = |now: &[&Enclosure], time: StepTime, before: &[&Enclosure], then: StepTime| {
            let mut known = (Enclosures::default(), Start);
            Walls { enclosures: &enclosures(before), time: then }.copy_to(&mut known);
            Walls { enclosures: &enclosures(now), time }.are_where(&known)
        };
        let (a, b) = (enclosure(0.0, 0.0), enclosure(5.0, 5.0));
        assert!(are_known(&[&a], Start, &[&a], Start) && are_known(&[&a], Middle, &[&a], Start));
        assert!(are_known(&[&a, &b], Start, &[&a, &b], Middle));
        // One more, one less, none.
        assert!(!are_known(&[&a, &b], Start, &[&a], Start));
        assert!(!are_known(&[&a], Start, &[&a, &b], Start));
        assert!(!are_known(&[&a], Start, &[], Start));
        assert!(!are_known(&[], Start, &[&a], Start));
        // Another interior, another position, moving, accelerated.
        assert!(!are_known(&[&b], Start, &[&a], Start));
        let other = Enclosure { at_start: at(1.0), at_middle: at(1.0), ..a.clone() };
        assert!(!are_known(&[&other], Start, &[&a], Start));
        let moving = Enclosure { at_middle: at(1.0), ..a.clone() };
        assert!(are_known(&[&moving], Start, &[&a], Start) && !are_known(&[&moving], Middle, &[&a], Middle));
        assert!(!are_known(&[&moving], Middle, &[&moving], Start));
        assert!(are_known(&[&other], Start, &[&moving], Middle));
        let pushed = Enclosure { acceleration: Vec3::X, ..a.clone() };
        assert!(!are_known(&[&pushed], Start, &[&a], Start));
    }

    #[test]
    fn the_wall_is_that_of_the_enclosure_that_holds_a_place_best() {
        let ball = |x: f32, push: f32| Enclosure {
            inside: Arc::new(Ball),
            at_start: (Vec3::X * x, Quat::from_rotation_z(2.0)),
            at_middle: (Vec3::X * (x + 0.25), Quat::from_rotation_z(1.0)),
            velocity: Vec3::ZERO,
            acceleration: Vec3::Y * push,
            holds_flow: false,
        };
        let list = enclosures(&[&ball(0.0, 1.0), &ball(1.0, 2.0)]);
        let wall = |time: StepTime, x: f32| Walls { enclosures: &list, time }.at(Vec3::X * x, 0.5);
        let near = |wall: Option<Wall>, distance: f32, normal: Vec3, push: f32| {
            let wall = wall.expect("a wall");
            assert!((wall.distance - distance).abs() < 1e-6 && (wall.normal - normal).length() < 1e-6);
            assert_eq!(wall.acceleration, Vec3::Y * push);
        };
        near(wall(StepTime::Start, 0.25), 0.75, Vec3::NEG_X, 1.0);
        near(wall(StepTime::Start, 0.75), 0.75, Vec3::X, 2.0);
        near(wall(StepTime::Start, -1.25), -0.25, Vec3::X, 1.0);
        near(wall(StepTime::Middle, 0.0), 0.75, Vec3::X, 1.0);
        assert!(wall(StepTime::Start, -1.75).is_none() && wall(StepTime::Start, 2.75).is_none());
    }
}
