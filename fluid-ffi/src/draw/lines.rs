//! Coloured lines in the caller's memory, and figures made of them.

use crate::types::draw::VortonLine;
use crate::types::{VortonVec3, saturated};
use glam::Vec3;
use std::mem::MaybeUninit;

/// Lines of a circle \[1\].
pub(super) const ROUND: usize = 24;
/// Cosine and sine of the angle of one line of a circle.
const TURN: [f64; 2] = [0.965_925_826_289_068_3, 0.258_819_045_102_520_76];
/// Lines of an arrow \[1\].
pub(super) const ARROW: usize = 3;
/// Length of an arrow's head, and distance of its lines from the shaft, in lengths of the arrow \[1\].
const HEAD: [f32; 2] = [0.25, 0.1];
/// Cells of a patch of a plane along each of its axes \[1\].
pub(super) const PLANE_CELLS: i16 = 10;

/// Packs a colour without transparency.
pub(super) const fn opaque(red: u8, green: u8, blue: u8) -> u32 {
    u32::from_ne_bytes([red, green, blue, 255])
}

/// Returns the colour at half brightness.
pub(super) const fn dim(color: u32) -> u32 {
    let [red, green, blue, _] = color.to_ne_bytes();
    opaque(red / 2, green / 2, blue / 2)
}

/// Returns a colour from blue (0) through cyan, green (1/2) and yellow to red (1 and more).
pub(super) fn ramp(share: f32) -> u32 {
    let part = 4.0 * share.clamp(0.0, 1.0);
    let level = |x: f32| (255.0 * x.clamp(0.0, 1.0)) as u8;
    opaque(level(part - 2.0), level(part.min(4.0 - part)), level(2.0 - part))
}

/// Writes lines in the current colour.
pub(super) struct Pen<'a> {
    out: &'a mut [MaybeUninit<VortonLine>],
    count: usize,
    pub(super) color: u32,
}

impl<'a> Pen<'a> {
    pub(super) fn new(out: &'a mut [MaybeUninit<VortonLine>]) -> Self {
        Self { out, count: 0, color: opaque(255, 255, 255) }
    }

    /// Returns the number of lines so far, including those that did not fit.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// True if the next line will be written, not only counted.
    pub(super) fn has_room(&self) -> bool {
        self.count < self.out.len()
    }

    /// Counts lines that do not fit.
    pub(super) fn skip(&mut self, lines: usize) {
        self.count += lines;
    }

    /// Draws a line \[m\]. Coordinates beyond float are clamped to the largest float.
    pub(super) fn line(&mut self, from: Vec3, to: Vec3) {
        if let Some(slot) = self.out.get_mut(self.count) {
            let [from, to] = [from, to].map(|point| {
                let [x, y, z] = point.to_array().map(|x| saturated(x.into()));
                VortonVec3 { x, y, z }
            });
            slot.write(VortonLine { from, to, color: self.color });
        }
        self.count += 1;
    }

    /// Draws an arrow: a shaft between two points \[m\] and two lines for the head. If the shaft is a point,
    /// all three lines are.
    pub(super) fn arrow(&mut self, from: Vec3, to: Vec3) {
        let way = to - from;
        let aside = way.any_orthogonal_vector().normalize_or_zero() * (HEAD[1] * way.length());
        let base = to - way * HEAD[0];
        self.line(from, to);
        self.line(to, base + aside);
        self.line(to, base - aside);
    }
}

/// Draws figures in local axes; `at` maps their points to the world.
pub(super) struct Figures<'p, 'a, P: Fn(Vec3) -> Vec3> {
    pub(super) pen: &'p mut Pen<'a>,
    pub(super) at: P,
}

impl<P: Fn(Vec3) -> Vec3> Figures<'_, '_, P> {
    pub(super) fn line(&mut self, from: Vec3, to: Vec3) {
        self.pen.line((self.at)(from), (self.at)(to));
    }

    /// Draws an arc of `lines` lines around a centre, each the [`ROUND`]th part of a circle, from `u` towards
    /// `v`.
    fn arc(&mut self, centre: Vec3, [u, v]: [Vec3; 2], lines: usize) {
        let [cosine, sine] = TURN;
        let [mut x, mut y] = [1.0_f64, 0.0];
        let mut from = centre + u;
        for _ in 0..lines {
            [x, y] = [x * cosine - y * sine, x * sine + y * cosine];
            let to = centre + u * x as f32 + v * y as f32;
            self.line(from, to);
            from = to;
        }
    }

    /// Draws a circle: [`ROUND`] lines.
    fn circle(&mut self, centre: Vec3, axes: [Vec3; 2]) {
        self.arc(centre, axes, ROUND);
    }

    /// Draws the edges of a triangle: three lines.
    pub(super) fn triangle(&mut self, [a, b, c]: [Vec3; 3]) {
        [(a, b), (b, c), (c, a)].into_iter().for_each(|(from, to)| self.line(from, to));
    }

    /// Draws the edges of a box between two corners: 12 lines.
    pub(super) fn cuboid(&mut self, low: Vec3, high: Vec3) {
        for axis in 0..3 {
            let [second, third] = [(axis + 1) % 3, (axis + 2) % 3];
            for side in 0..4 {
                let mut from = low;
                if side & 1 != 0 {
                    from[second] = high[second];
                }
                if side & 2 != 0 {
                    from[third] = high[third];
                }
                let mut to = from;
                to[axis] = high[axis];
                self.line(from, to);
            }
        }
    }

    /// Draws three circles about the origin: 3 [`ROUND`] lines.
    pub(super) fn sphere(&mut self, radius: f32) {
        let [x, y, z] = Vec3::AXES.map(|axis| axis * radius);
        for axes in [[x, y], [y, z], [z, x]] {
            self.circle(Vec3::ZERO, axes);
        }
    }

    /// Draws two circles, four straight lines along z and two half circles at each end: 4 [`ROUND`] + 4
    /// lines.
    pub(super) fn capsule(&mut self, half_height: f32, radius: f32) {
        let [x, y, z] = Vec3::AXES.map(|axis| axis * radius);
        let [top, bottom] = [Vec3::Z * half_height, Vec3::NEG_Z * half_height];
        for side in [x, y, -x, -y] {
            self.line(bottom + side, top + side);
        }
        for (end, up) in [(top, z), (bottom, -z)] {
            self.circle(end, [x, y]);
            self.arc(end, [x, up], ROUND / 2);
            self.arc(end, [y, up], ROUND / 2);
        }
    }

    /// Draws two circles and four straight lines along z: 2 [`ROUND`] + 4 lines.
    pub(super) fn cylinder(&mut self, half_height: f32, radius: f32) {
        let [x, y, _] = Vec3::AXES.map(|axis| axis * radius);
        let [top, bottom] = [Vec3::Z * half_height, Vec3::NEG_Z * half_height];
        for side in [x, y, -x, -y] {
            self.line(bottom + side, top + side);
        }
        [top, bottom].into_iter().for_each(|end| self.circle(end, [x, y]));
    }

    /// Draws a grid of square cells \[m\] in the plane z = 0 around a point of it: 2 [`PLANE_CELLS`] + 2
    /// lines, at multiples of the cell width, so that they stay fixed while the point moves.
    pub(super) fn patch(&mut self, centre: Vec3, cell: f32) {
        let half = f32::from(PLANE_CELLS / 2) * cell;
        let middle = (centre / cell).round() * cell;
        for line in -PLANE_CELLS / 2..=PLANE_CELLS / 2 {
            let aside = f32::from(line) * cell;
            for [along, across] in [[Vec3::X, Vec3::Y], [Vec3::Y, Vec3::X]] {
                let foot = middle.with_z(0.0) + across * aside;
                self.line(foot - along * half, foot + along * half);
            }
        }
    }
}
