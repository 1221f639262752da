//! Finds the bodies near a box: cells of a dense grid, each with a list of the bodies with bounding spheres
//! that reach into it.

use crate::obstacle::Ball;
use glam::Vec3;

/// Bounding spheres by cell. The contents depend on the spheres alone; memory is kept.
#[derive(Debug, Clone, Default)]
pub(crate) struct SphereCells {
    balls: Vec<Ball>,
    /// First cell of each sphere, per axis.
    first: Vec<[u8; 3]>,
    /// Spheres that would be in too many cells: always tested.
    large: Vec<u32>,
    /// Bounding box of all others.
    low: Vec3,
    high: Vec3,
    /// Cells per metre along each axis.
    density: Vec3,
    dims: [u8; 3],
    /// Start of each cell's list in `items`.
    starts: Vec<u32>,
    items: Vec<u32>,
    /// Scratch memory for ranking sizes.
    radii: Vec<f32>,
}

/// Most cells along an axis.
const MOST_CELLS: u8 = 32;
/// Cells per sphere that are worth their memory: empty cells cost time to clear, full ones time to read.
const CELLS_PER_BALL: usize = 64;
/// Fraction of the spheres with diameters of at most a cell's edge. Each of those is in 8 cells at most.
const ORDINARY: f32 = 0.75;
/// Radius, relative to an ordinary one, above which a sphere is always tested.
const LARGE: f32 = 4.0;
/// Marks in `first` a sphere that is in no cell.
const NO_CELL: [u8; 3] = [u8::MAX; 3];

impl SphereCells {
    /// Sorts these spheres into cells, numbered in the order of iteration.
    pub(crate) fn rebuild(&mut self, balls: impl Iterator<Item = Ball>) {
        self.balls.clear();
        self.balls.extend(balls);
        self.measure();
        self.starts.clear();
        self.starts.resize(self.dims.iter().map(|&n| usize::from(n)).product::<usize>() + 2, 0);
        // Counting sort: sizes at an offset of two, then prefix sums, then each list fills up to the start of
        // the next.
        for body in 0..self.balls.len() {
            each_cell(self.range(body), self.dims, |cell, _| self.starts[cell + 2] += 1);
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        let count = sum as usize;
        if self.items.capacity() < count {
            // Headroom: moving bodies do not soon need more.
            self.items.reserve(2 * count - self.items.len());
        }
        self.items.resize(count, 0);
        for body in 0..self.balls.len() {
            let range = self.range(body);
            self.first[body] = range.map_or(NO_CELL, |(first, _)| first);
            each_cell(range, self.dims, |cell, _| {
                let slot = &mut self.starts[cell + 1];
                self.items[*slot as usize] = body as u32;
                *slot += 1;
            });
        }
    }

    /// Calls `action` once with the index of each sphere that a box from `low` to `high` \[m\] may touch, in
    /// no particular order.
    pub(crate) fn visit(&self, low: Vec3, high: Vec3, mut action: impl FnMut(u32)) {
        let mut try_ball = |body: u32| {
            if self.balls[body as usize].meets_box(low, high) {
                action(body);
            }
        };
        self.large.iter().for_each(|&body| try_ball(body));
        let apart = low.cmpgt(self.high).any() || high.cmplt(self.low).any();
        if apart {
            return;
        }
        let (first, last) = (self.cell(low), self.cell(high));
        let cells = (0..3).map(|i| usize::from(last[i].saturating_sub(first[i])) + 1).product::<usize>();
        if cells > self.balls.len() {
            (0..)
                .zip(&self.first)
                .filter(|(_, first)| **first != NO_CELL)
                .for_each(|(body, _)| try_ball(body));
            return;
        }
        each_cell(Some((first, last)), self.dims, |cell, at| {
            for &body in &self.items[self.starts[cell] as usize..self.starts[cell + 1] as usize] {
                // A sphere is in several of these cells: the first one counts.
                let lowest = self.first[body as usize];
                if (0..3).all(|i| at[i] == lowest[i].max(first[i])) {
                    try_ball(body);
                }
            }
        });
    }

    /// Returns the longest edge of a cell \[m\]; infinite if no sphere is in a cell.
    pub(crate) fn longest_edge(&self) -> f32 {
        let edge = 1.0 / self.density.min_element();
        if edge > 0.0 { edge } else { f32::INFINITY }
    }

    /// Chooses the cells, and the bodies that are too large for them.
    fn measure(&mut self) {
        let Self { balls, radii, large, first, .. } = self;
        radii.clear();
        radii.extend(balls.iter().map(|ball| ball.radius).filter(|radius| *radius >= 0.0));
        let count = radii.len();
        let rank = ((count as f32 * ORDINARY) as usize).min(count.saturating_sub(1));
        let ordinary = if count == 0 { 0.0 } else { *radii.select_nth_unstable_by(rank, f32::total_cmp).1 };
        large.clear();
        (self.low, self.high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        first.clear();
        first.resize(balls.len(), NO_CELL);
        for (body, ball) in (0..).zip(&*balls).filter(|(_, ball)| ball.radius >= 0.0) {
            if ball.radius > LARGE * ordinary || ball.radius == f32::INFINITY {
                large.push(body);
                continue;
            }
            self.low = self.low.min(ball.centre - ball.radius);
            self.high = self.high.max(ball.centre + ball.radius);
        }
        let most = (1..MOST_CELLS).find(|&n| usize::from(n).pow(3) >= CELLS_PER_BALL * count);
        let most = most.unwrap_or(MOST_CELLS);
        self.starts.reserve((usize::from(most).pow(3) + 2).saturating_sub(self.starts.len()));
        let extent = self.high - self.low;
        for axis in 0..3 {
            let cells = (extent[axis] / (2.0 * ordinary)).clamp(1.0, most.into());
            // A box of zero or infinite extent is one cell.
            self.dims[axis] = if cells >= 1.0 { cells as u8 } else { 1 };
            let density = f32::from(self.dims[axis]) / extent[axis];
            self.density[axis] = if density.is_finite() { density } else { 0.0 };
        }
    }

    /// Returns the first and last cell of a sphere, if it is in any.
    fn range(&self, body: usize) -> Option<([u8; 3], [u8; 3])> {
        let ball = &self.balls[body];
        let celled = ball.radius >= 0.0 && self.large.binary_search(&(body as u32)).is_err();
        celled.then(|| (self.cell(ball.centre - ball.radius), self.cell(ball.centre + ball.radius)))
    }

    /// Returns the cell at a position, or the nearest one. Monotonic in each coordinate in spite of
    /// round-off, so boxes that touch have a cell in common.
    fn cell(&self, place: Vec3) -> [u8; 3] {
        let at = (place - self.low) * self.density;
        // Conversion from float to integer saturates.
        [0, 1, 2].map(|axis| (at[axis] as u8).min(self.dims[axis] - 1))
    }
}

/// Calls `action` with index and coordinates of each cell in a range.
#[inline]
fn each_cell(range: Option<([u8; 3], [u8; 3])>, dims: [u8; 3], mut action: impl FnMut(usize, [u8; 3])) {
    let Some((first, last)) = range else { return };
    let [nx, ny, _] = dims.map(usize::from);
    for z in first[2]..=last[2] {
        for y in first[1]..=last[1] {
            for x in first[0]..=last[0] {
                action((usize::from(z) * ny + usize::from(y)) * nx + usize::from(x), [x, y, z]);
            }
        }
    }
}

/// The bodies near a block of particles, or a mark that they are too many to list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearBodies {
    count: usize,
    bodies: [u32; MOST_NEAR],
}

/// Most bodies that are listed for a block of particles; with more, each particle looks up its own.
const MOST_NEAR: usize = 16;

impl NearBodies {
    pub(crate) const NONE: Self = Self { count: 0, bodies: [0; MOST_NEAR] };
    /// Too many to list: each particle looks up its own bodies.
    pub(crate) const MANY: Self = Self { count: usize::MAX, ..Self::NONE };

    pub(crate) fn push(&mut self, body: u32) {
        if let Some(slot) = self.bodies.get_mut(self.count) {
            *slot = body;
        }
        self.count += 1;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the bodies; None if there are too many.
    #[inline]
    pub(crate) fn list(&self) -> Option<&[u32]> {
        self.bodies.get(..self.count)
    }
}
