//! Searches among many triangles by a tree of boxes around them. Results are those of looking at every
//! triangle: of two as near, the one with the lower number.

use super::triangle::{Feature, Sides, Triangle};
use glam::{DVec3, Vec3};

/// What a node of a tree has.
#[derive(Debug, Clone, Copy)]
pub(in crate::shapes) enum Part {
    /// The number of a node below it.
    Node(u32),
    /// The number of a triangle.
    Triangle(u32),
}

/// Triangles in boxes in boxes. A search that goes on with one of the nodes below a node leaves the others
/// waiting: on no way to a triangle there are more than [`MOST_WAITING`] of them.
pub(in crate::shapes) trait Tree {
    /// The node around everything.
    fn root(&self) -> u32;

    /// Calls `see` with nodes that hold, together, every triangle whose own box has a point in common with
    /// the box from `low` to `high` \[m\]: up to nine.
    fn around(&self, _low: Vec3, _high: Vec3, mut see: impl FnMut(u32)) {
        see(self.root());
    }

    /// The box \[m\] around what a node has: its lowest and highest coordinates.
    fn bounds(&self, node: u32) -> (Vec3, Vec3);

    /// Calls `see` with each part of a node.
    fn open(&self, node: u32, see: impl FnMut(Part));

    /// One of the triangles.
    fn triangle(&self, number: u32) -> Triangle;
}

/// Most nodes that wait on the way to a triangle \[1\].
pub(in crate::shapes) const MOST_WAITING: usize = 48;
/// Makes a distance from a box, and a share of a way, smaller than its rounding can make it larger \[1\].
const ROUNDED_DOWN: f32 = 1.0 - 1e-6;
/// How much larger a box is for a way that may touch it, as a share of their coordinates \[1\].
const BOX_ROUNDING: f64 = 4.0 * f32::EPSILON as f64;

/// Nodes that wait, each with a key: at least the square of the distance \[m²\], or the share of the way, of
/// all that is in its box.
struct Stack {
    waiting: [(f32, u32); MOST_WAITING],
    len: usize,
}

impl Stack {
    /// The nodes around a box.
    fn around(tree: &impl Tree, low: Vec3, high: Vec3) -> Self {
        let mut new = Self { waiting: [(0.0, 0); MOST_WAITING], len: 0 };
        tree.around(low, high, |node| new.push(0.0, node));
        new
    }

    /// Above those of the same parent, which begin at `floor`, with smaller keys on top.
    fn insert(&mut self, floor: usize, key: f32, node: u32) {
        self.push(key, node);
        let mut at = self.len - 1;
        while at > floor && self.waiting[at - 1].0 < key {
            self.waiting.swap(at - 1, at);
            at -= 1;
        }
    }

    fn push(&mut self, key: f32, node: u32) {
        self.waiting[self.len] = (key, node);
        self.len += 1;
    }

    fn pop(&mut self) -> Option<(f32, u32)> {
        self.len = self.len.checked_sub(1)?;
        Some(self.waiting[self.len])
    }
}

/// The point of a surface of triangles that is nearest to a place.
#[derive(Debug, Clone, Copy)]
pub(in crate::shapes) struct Nearest {
    /// Square of its distance \[m²\].
    pub(in crate::shapes) square: f64,
    /// Number of its triangle.
    pub(in crate::shapes) number: u32,
    /// Where it is \[m\].
    pub(in crate::shapes) point: DVec3,
    /// What of the triangle it is in.
    pub(in crate::shapes) feature: Feature,
}

/// The point nearest to `place` that is less than `reach` \[m\] away; none of a place that is not finite.
pub(in crate::shapes) fn nearest(tree: &impl Tree, place: Vec3, reach: f32) -> Option<Nearest> {
    if !place.is_finite() {
        return None;
    }
    let square = f64::from(reach) * f64::from(reach);
    let mut best = Nearest { square, number: u32::MAX, point: DVec3::ZERO, feature: Feature::Face };
    let (mut stack, from) = (Stack::around(tree, place - reach, place + reach), place.as_dvec3());
    while let Some((apart, node)) = stack.pop() {
        if f64::from(apart) > best.square {
            continue;
        }
        let floor = stack.len;
        tree.open(node, |part| match part {
            Part::Node(node) => stack.insert(floor, square_from_box(tree.bounds(node), place), node),
            Part::Triangle(number) => {
                let (point, feature) = tree.triangle(number).nearest(from);
                let square = point.distance_squared(from);
                let is_first_of_two =
                    square == best.square && number < best.number && best.number != u32::MAX;
                if square < best.square || is_first_of_two {
                    best = Nearest { square, number, point, feature };
                }
            }
        });
    }
    (best.number != u32::MAX).then_some(best)
}

/// No more than the square of the distance \[m²\] of a place from a box.
fn square_from_box((low, high): (Vec3, Vec3), place: Vec3) -> f32 {
    let away = (low - place).max(place - high).max(Vec3::ZERO);
    ROUNDED_DOWN * away.length_squared()
}

/// Where the way from `start` to `start + way` \[m\] first goes through a triangle: its share, 0 to 1, and
/// the triangle's number.
pub(in crate::shapes) fn crossing(
    tree: &impl Tree,
    start: DVec3,
    way: DVec3,
    sides: Sides,
) -> Option<(f64, u32)> {
    if !(start.is_finite() && way.is_finite()) {
        return None;
    }
    let mut first: Option<(f64, u32)> = None;
    let ends = (start.as_vec3(), (start + way).as_vec3());
    let mut stack = Stack::around(tree, ends.0.min(ends.1), ends.0.max(ends.1));
    while let Some((share, node)) = stack.pop() {
        if first.is_some_and(|first| f64::from(share) > first.0) {
            continue;
        }
        let floor = stack.len;
        tree.open(node, |part| match part {
            Part::Node(node) => {
                if let Some(share) = share_at_box(tree.bounds(node), start, way) {
                    stack.insert(floor, share, node);
                }
            }
            Part::Triangle(number) => {
                let share = tree.triangle(number).crossing(start, way, sides);
                if let Some(share) = share.filter(|&share| first.is_none_or(|first| (share, number) < first))
                {
                    first = Some((share, number));
                }
            }
        });
    }
    first
}

/// The share of a way at which it enters a box at the earliest, 0 to 1; None if it does not.
fn share_at_box((low, high): (Vec3, Vec3), start: DVec3, way: DVec3) -> Option<f32> {
    let (low, high) = (low.as_dvec3(), high.as_dvec3());
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for axis in 0..3 {
        let (at, rate) = (start[axis], way[axis]);
        let slack = BOX_ROUNDING * (at.abs() + rate.abs() + low[axis].abs().max(high[axis].abs()));
        let (below, above) = (low[axis] - slack - at, high[axis] + slack - at);
        if rate == 0.0 {
            if below > 0.0 || above < 0.0 {
                return None;
            }
            continue;
        }
        let (a, b) = (below / rate, above / rate);
        (from, to) = (from.max(a.min(b)), to.min(a.max(b)));
    }
    (from <= to).then_some(ROUNDED_DOWN * from as f32)
}

/// Calls `see` with the number of each triangle whose own box may have a point in common with a box from
/// `low` to `high` \[m\], until it returns true.
fn any_in(tree: &impl Tree, (low, high): (Vec3, Vec3), mut see: impl FnMut(u32) -> bool) -> bool {
    let apart = |bounds: (Vec3, Vec3)| low.cmpgt(bounds.1).any() || high.cmplt(bounds.0).any();
    if apart(tree.bounds(tree.root())) {
        return false;
    }
    let (mut stack, mut found) = (Stack::around(tree, low, high), false);
    while let Some((_, node)) = stack.pop() {
        tree.open(node, |part| match part {
            Part::Node(node) => {
                if !apart(tree.bounds(node)) {
                    stack.push(0.0, node);
                }
            }
            Part::Triangle(number) => {
                let (lowest, highest) = tree.triangle(number).bounds();
                let is_in = !apart((lowest.as_vec3(), highest.as_vec3()));
                found |= !found && is_in && see(number);
            }
        });
        if found {
            return true;
        }
    }
    false
}

/// True if a box from `low` to `high` \[m\] may have a point in common with a triangle: it has one with the
/// box around it.
pub(in crate::shapes) fn reaches_into(tree: &impl Tree, bounds: (Vec3, Vec3)) -> bool {
    any_in(tree, bounds, |_| true)
}

/// Calls `see` with the corners \[m\] of each triangle whose own box may have a point in common with a box.
pub(in crate::shapes) fn each_in(tree: &impl Tree, bounds: (Vec3, Vec3), mut see: impl FnMut([Vec3; 3])) {
    any_in(tree, bounds, |number| {
        see(tree.triangle(number).corners.map(|corner| corner.as_vec3()));
        false
    });
}
