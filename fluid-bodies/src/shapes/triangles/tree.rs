//! Searches among many triangles with a tree of bounding boxes. Results are those of testing every
//! triangle; of two equally near, the one with the lower index wins.

use super::triangle::{Feature, Sides, Triangle};
use glam::{DVec3, Vec3};

/// Child of a node.
#[derive(Debug, Clone, Copy)]
pub(in crate::shapes) enum TreePart {
    /// Index of a child node.
    Node(u32),
    /// Index of a triangle.
    Triangle(u32),
}

/// A bounding-volume hierarchy of triangles. A search that descends into one child leaves the others
/// pending: at most [`MOST_WAITING`] on the path to any triangle.
pub(in crate::shapes) trait Tree {
    /// Returns the node that contains all triangles.
    fn root(&self) -> u32;

    /// Calls `see` with up to nine nodes that together contain every triangle with a bounding box that
    /// meets the box from `low` to `high` \[m\].
    fn around(&self, _low: Vec3, _high: Vec3, mut see: impl FnMut(u32)) {
        see(self.root());
    }

    /// Returns the bounding box \[m\] of a node: its lowest and highest coordinates.
    fn bounds(&self, node: u32) -> (Vec3, Vec3);

    /// Calls `see` with each child of a node.
    fn open(&self, node: u32, see: impl FnMut(TreePart));

    /// Returns a triangle.
    fn triangle(&self, number: u32) -> Triangle;
}

/// Maximum number of pending nodes on the path to a triangle \[1\].
pub(in crate::shapes) const MOST_WAITING: usize = 48;
/// Factor that makes the distance from a box, or a fraction of a segment, a lower bound in spite of
/// rounding \[1\].
const ROUNDED_DOWN: f32 = 1.0 - 1e-6;
/// Margin of a box that a segment may touch, relative to the coordinates of both \[1\].
const BOX_ROUNDING: f64 = 4.0 * f32::EPSILON as f64;

/// Pending nodes, each with a key: a lower bound, for everything in its box, on the squared distance \[m²\]
/// or on the fraction of the segment.
struct Stack {
    waiting: [(f32, u32); MOST_WAITING],
    len: usize,
}

impl Stack {
    /// Starts with the nodes around a box.
    fn around(tree: &impl Tree, low: Vec3, high: Vec3) -> Self {
        let mut new = Self { waiting: [(0.0, 0); MOST_WAITING], len: 0 };
        tree.around(low, high, |node| new.push(0.0, node));
        new
    }

    /// Inserts above `floor`, where the siblings begin, with smaller keys on top.
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

/// The nearest point of a surface of triangles.
#[derive(Debug, Clone, Copy)]
pub(in crate::shapes) struct Nearest {
    /// Squared distance \[m²\].
    pub(in crate::shapes) square: f64,
    /// Index of its triangle.
    pub(in crate::shapes) number: u32,
    /// Position \[m\].
    pub(in crate::shapes) point: DVec3,
    /// Feature of the triangle that contains it.
    pub(in crate::shapes) feature: Feature,
}

/// Returns the point nearest to `place` at a distance less than `reach` \[m\]; `None` without one, or if
/// `place` is not finite.
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
            TreePart::Node(node) => stack.insert(floor, square_from_box(tree.bounds(node), place), node),
            TreePart::Triangle(number) => {
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

/// Returns a lower bound on the squared distance \[m²\] of a point from a box.
fn square_from_box((low, high): (Vec3, Vec3), place: Vec3) -> f32 {
    let away = (low - place).max(place - high).max(Vec3::ZERO);
    ROUNDED_DOWN * away.length_squared()
}

/// Returns the first crossing of a triangle by the segment from `start` to `start + way` \[m\]: its
/// fraction of the segment, 0 to 1, and the triangle's index.
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
            TreePart::Node(node) => {
                if let Some(share) = share_at_box(tree.bounds(node), start, way) {
                    stack.insert(floor, share, node);
                }
            }
            TreePart::Triangle(number) => {
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

/// Returns a lower bound on the fraction, 0 to 1, at which a segment enters a box; `None` if it does not.
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

/// Calls `see` with the index of each triangle with a bounding box that may meet the box from `low` to
/// `high` \[m\], until it returns true.
fn any_in(tree: &impl Tree, (low, high): (Vec3, Vec3), mut see: impl FnMut(u32) -> bool) -> bool {
    let apart = |bounds: (Vec3, Vec3)| low.cmpgt(bounds.1).any() || high.cmplt(bounds.0).any();
    if apart(tree.bounds(tree.root())) {
        return false;
    }
    let (mut stack, mut found) = (Stack::around(tree, low, high), false);
    while let Some((_, node)) = stack.pop() {
        tree.open(node, |part| match part {
            TreePart::Node(node) => {
                if !apart(tree.bounds(node)) {
                    stack.push(0.0, node);
                }
            }
            TreePart::Triangle(number) => {
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

/// Returns true if the box from `low` to `high` \[m\] meets the bounding box of a triangle.
pub(in crate::shapes) fn reaches_into(tree: &impl Tree, bounds: (Vec3, Vec3)) -> bool {
    any_in(tree, bounds, |_| true)
}

/// Calls `see` with the corners \[m\] of each triangle with a bounding box that may meet a box.
pub(in crate::shapes) fn each_in(tree: &impl Tree, bounds: (Vec3, Vec3), mut see: impl FnMut([Vec3; 3])) {
    any_in(tree, bounds, |number| {
        see(tree.triangle(number).corners.map(|corner| corner.as_vec3()));
        false
    });
}
