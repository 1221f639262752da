//! Lower bounds of the distances between convex shapes, by separating axes.

use crate::pose::Pose;
use crate::shapes::{Parity, Shape};
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// A shape with the pose of its body.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'a> {
    shape: &'a Shape,
    /// Rotation from the body's axes to the world's.
    turn: DQuat,
    position: DVec3,
}

impl<'a> Placed<'a> {
    /// Places the shape of a body at `pose`.
    pub(crate) fn new(shape: &'a Shape, pose: &Pose) -> Self {
        let turn = pose.rotation.as_dquat().normalize();
        Self { shape, turn, position: pose.position.as_dvec3() }
    }

    /// Returns the smallest and largest `normal · x` \[m\] over the points x of the shape in the world.
    /// `normal` is of unit length.
    pub(crate) fn span(&self, normal: DVec3) -> (f64, f64) {
        let of_body = self.turn.conjugate() * normal;
        let of_shape = self.shape.pose.rotation.as_dquat().normalize().conjugate() * of_body;
        let (low, high) = self.shape.geometry.queries().span(of_shape);
        let middle = normal.dot(self.position) + of_body.dot(self.shape.pose.position.as_dvec3());
        (middle + low, middle + high)
    }

    /// Returns the shape's axes.
    fn axes(&self) -> [DVec3; 3] {
        let turn = self.turn * self.shape.pose.rotation.as_dquat().normalize();
        DVec3::AXES.map(|axis| turn * axis)
    }

    fn centre(&self) -> DVec3 {
        let (centre, _) = self.shape.geometry.queries().bounding_sphere();
        self.position + self.turn * self.shape.pose.to_world(centre).as_dvec3()
    }
}

/// Returns the largest gap \[m\] between two shapes along their axes, the cross products of these, and the
/// line between their centres: a lower bound of the distance, exact for boxes side by side. Negative if no
/// such axis separates them.
pub(crate) fn gap(a: Placed<'_>, b: Placed<'_>) -> f64 {
    spans(a, b).map(|(a, b)| gap_of(a, b)).fold(f64::NEG_INFINITY, f64::max)
}

/// Returns the overlap of two shapes along the axis of [`gap`] where it is least, relative to the smaller of
/// their widths there \[1\]: 0 or less if they are apart, 1 or more if one is inside of the other.
pub(crate) fn overlap(a: Placed<'_>, b: Placed<'_>) -> f64 {
    let width = |(low, high): (f64, f64)| high - low;
    spans(a, b).map(|(a, b)| -gap_of(a, b) / width(a).min(width(b))).fold(f64::INFINITY, f64::min)
}

/// Estimates, along the axes of [`gap`], the part of a solid that is inside of a hole, or the part outside of
/// it, whichever is smaller, relative to the solid's width \[1\]: 0 or less for a solid in the hole, or apart
/// from it along one of these axes.
pub(crate) fn crossing(solid: Placed<'_>, hole: Placed<'_>) -> f64 {
    let parts_outside = spans(solid, hole).map(|((low, high), (from, to))| {
        let outside = (high - to).max(from - low);
        outside / (high - low)
    });
    overlap(solid, hole).min(parts_outside.fold(f64::NEG_INFINITY, f64::max))
}

/// Number of directions in which [`encloses`] compares two shapes, besides the axes of both \[1\].
const DIRECTIONS: u32 = 512;
/// Fraction of its width by which a shape may extend beyond one that encloses it \[1\].
const ENCLOSING_ROUNDING: f64 = 1e-3;

/// True if `outer` encloses `inner`, two shapes of a body: no plane that touches `outer` cuts `inner`. Level
/// geometry and half-spaces enclose nothing.
fn encloses(outer: &Shape, inner: &Shape) -> bool {
    let is_solid = |shape: &Shape| !shape.is_level() && !shape.is_half_space();
    if !is_solid(outer) || !is_solid(inner) {
        return false;
    }
    let (outer, inner) = (Placed::new(outer, &Pose::IDENTITY), Placed::new(inner, &Pose::IDENTITY));
    let axes = outer.axes().into_iter().chain(inner.axes());
    axes.chain((0..DIRECTIONS).map(direction)).all(|axis| {
        let ((low, high), (own_low, own_high)) = (outer.span(axis), inner.span(axis));
        let slack = ENCLOSING_ROUNDING * (own_high - own_low);
        own_low >= low - slack && own_high <= high + slack
    })
}

/// Returns for each of these shapes whether it is a solid around one of the holes.
pub(crate) fn hollow(shapes: &[Shape]) -> Arc<[bool]> {
    let surrounds = |solid: &Shape| {
        let mut holes = shapes.iter().filter(|shape| shape.parity == Parity::Hole);
        solid.parity == Parity::Solid && holes.any(|hole| encloses(solid, hole))
    };
    shapes.iter().map(surrounds).collect()
}

/// Returns unit vectors that are spread evenly, along a spiral from pole to pole.
fn direction(number: u32) -> DVec3 {
    const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
    let height = 1.0 - f64::from(2 * number + 1) / f64::from(DIRECTIONS);
    let (angle, radius) = (GOLDEN_ANGLE * f64::from(number), (1.0 - height * height).sqrt());
    DVec3::new(radius * libm::cos(angle), radius * libm::sin(angle), height)
}

/// Returns the smallest and largest coordinate of both shapes along each axis that may separate them.
fn spans(a: Placed<'_>, b: Placed<'_>) -> impl Iterator<Item = ((f64, f64), (f64, f64))> {
    let (of_a, of_b) = (a.axes(), b.axes());
    let crosses = of_a.into_iter().flat_map(move |a| of_b.map(|b| a.cross(b)));
    let all = of_a.into_iter().chain(of_b).chain(crosses).chain([b.centre() - a.centre()]);
    all.filter_map(DVec3::try_normalize).map(move |axis| (a.span(axis), b.span(axis)))
}

/// Returns the gap between two intervals, negative if they overlap.
fn gap_of((low, high): (f64, f64), (other_low, other_high): (f64, f64)) -> f64 {
    (other_low - high).max(low - other_high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluid_core::math::Random;
    use glam::{Quat, Vec3};

    fn turned(random: &Random, n: u64) -> Quat {
        Quat::from_scaled_axis(random.centred_vec3(n) * 6.0)
    }

    /// For balls, the gap is the distance. For boxes side by side, it is that of their faces. For others, it
    /// is at most the distance between any of their points, and mostly not much less.
    #[test]
    fn gaps_are_no_more_than_distances() {
        let random = Random::new(21);
        let at = |position: Vec3, rotation: Quat| Pose { position, rotation };
        let ball = |radius: f32| Shape::sphere(radius);
        let (a, b) = (ball(0.5), ball(0.25));
        let far = Placed::new(&b, &at(Vec3::new(3.0, 4.0, 0.0), turned(&random, 1)));
        let found = gap(Placed::new(&a, &Pose::IDENTITY), far);
        assert!((found - 4.25).abs() < 1e-6, "{found}");
        let (a, b) = (Shape::cuboid(Vec3::new(1.0, 0.5, 0.25)), Shape::cuboid(Vec3::new(0.5, 2.0, 0.25)));
        let rotation = turned(&random, 2);
        let beside = rotation * Vec3::new(1.6, 0.7, 0.1);
        let found = gap(
            Placed::new(&a, &at(Vec3::ONE, rotation)),
            Placed::new(&b, &at(Vec3::ONE + beside, rotation)),
        );
        assert!((found - 0.1).abs() < 1e-5, "{found}");
        let (mut apart, mut missing) = (0, 0.0);
        for case in 0..300_u64 {
            let n = 100 + case * 1000;
            let poses = [0, 1].map(|i| at(random.centred_vec3(n + i) * 4.0, turned(&random, n + 2 + i)));
            let found = gap(Placed::new(&a, &poses[0]), Placed::new(&b, &poses[1]));
            // Surface points of one box, and their distances from the other.
            let half = Vec3::new(1.0, 0.5, 0.25);
            let points = (0..400).map(|i| {
                let place = random.centred_vec3(n + 10 + i) * 2.0;
                poses[0].to_world(half * place / place.abs().max_element())
            });
            let distances = points.map(|point| {
                let local = poses[1].to_local(point);
                (local.abs() - Vec3::new(0.5, 2.0, 0.25)).max(Vec3::ZERO).length()
            });
            let least = f64::from(distances.fold(f32::INFINITY, f32::min));
            assert!(found <= least + 1e-5, "case {case}: {found}, but {least}");
            if least > 0.1 {
                apart += 1;
                missing += 1.0 - found / least;
            }
        }
        println!("{apart} cases apart, {:.3} less than the distance", missing / f64::from(apart));
        assert!(apart > 100 && missing / f64::from(apart) < 0.2, "{apart}, {missing}");
    }
}
