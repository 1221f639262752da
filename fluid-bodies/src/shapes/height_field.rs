//! Height fields: terrain.

use super::level_key::LevelKey;
use super::mesh::{MeshError, list};
use super::triangles::{
    MOST_WAITING, Sides, Tree, TreePart, Triangle, crossing, each_in, nearest, reaches_into,
};
use super::{Entry, ShapeQueries, Surface};
use glam::{DVec3, UVec2, Vec2, Vec3};

/// Terrain with heights on a grid: the sample in column i and row j is at (i, j) times the spacing, and its
/// height is along z. The cell between four samples consists of two triangles with a common edge from
/// sample (i, j) to (i + 1, j + 1). Everything below is solid, to any depth; beyond the outermost samples
/// the terrain ends.
#[derive(Debug, Clone)]
pub struct HeightField {
    heights: Vec<f32>,
    /// Number of samples along x and y.
    samples: UVec2,
    spacing: Vec2,
    /// Lowest and highest height \[m\] of each tile, level by level: squares of two by two cells, four by
    /// four, and so on; the last level is one tile of all cells.
    tiles: Vec<(f32, f32)>,
    levels: Vec<TileLevel>,
    /// Hash that replaces the terrain in snapshots, if it is to be saved by hash.
    key: Option<LevelKey>,
}

/// Tiles of one size.
#[derive(Debug, Clone, Copy)]
struct TileLevel {
    /// Index of the level's first tile in `tiles`.
    first: usize,
    /// Number of tiles along x and y.
    tiles: UVec2,
}

/// Cells along an edge of a tile of the lowest level \[1\].
const LEAF: u32 = 2;
/// Margin added to a box when its tiles are searched, relative to its coordinates \[1\].
const PLACE_ROUNDING: f32 = 8.0 * f32::EPSILON;
/// Bits of a node's number per axis of its tile: enough for all tiles.
const BITS: u32 = 13;

// At most nine tiles at first, of which eight wait; three more for each level except the lowest, and the
// last four.
const _: () = assert!(HeightField::MAX_SAMPLES / LEAF <= 1 << ((MOST_WAITING - 12) / 3));

impl HeightField {
    /// Maximum number of samples along an axis \[1\].
    pub const MAX_SAMPLES: u32 = 4097;

    /// Makes terrain of `samples` along x and y, row by row, at a `spacing` \[m\].
    ///
    /// # Errors
    /// See [`MeshError`]; `TooMany` means more than [`MAX_SAMPLES`](Self::MAX_SAMPLES) along an axis.
    pub fn new(heights: Vec<f32>, samples: UVec2, spacing: Vec2) -> Result<Self, MeshError> {
        if samples.max_element() > Self::MAX_SAMPLES {
            return Err(MeshError::TooMany);
        }
        let count = samples.x as usize * samples.y as usize;
        if samples.min_element() < 2 || heights.len() != count || spacing.cmple(Vec2::ZERO).any() {
            return Err(MeshError::NoGrid);
        }
        let far = spacing * (samples - 1).as_vec2();
        if !(far.is_finite() && heights.iter().all(|height| height.is_finite())) {
            return Err(MeshError::NotFinite);
        }
        let mut field = Self { heights, samples, spacing, tiles: Vec::new(), levels: Vec::new(), key: None };
        field.pave()?;
        Ok(field)
    }

    /// Makes snapshots contain a hash of the terrain instead of its heights.
    pub fn saved_by_hash(mut self) -> Self {
        let heights = self.spacing.to_array().into_iter().chain(self.heights.iter().copied());
        self.key = Some(LevelKey::of(self.samples.to_array(), heights.map(f32::to_le_bytes)));
        self
    }

    /// Returns the hash that replaces the terrain in snapshots; `None` if they contain the terrain itself.
    pub(crate) fn key(&self) -> Option<LevelKey> {
        self.key
    }

    /// Creates a placeholder for terrain of which only the hash is known.
    pub(super) fn unknown(key: LevelKey) -> Self {
        let (samples, spacing) = (UVec2::ZERO, Vec2::ZERO);
        Self { heights: Vec::new(), samples, spacing, tiles: Vec::new(), levels: Vec::new(), key: Some(key) }
    }

    /// Returns true for a placeholder of which only the hash is known.
    pub(super) fn is_unknown(&self) -> bool {
        self.heights.is_empty()
    }

    /// Returns the heights \[m\], row by row.
    pub fn heights(&self) -> &[f32] {
        &self.heights
    }

    /// Returns the number of samples along x and y.
    pub fn samples(&self) -> UVec2 {
        self.samples
    }

    /// Returns the spacing \[m\] of samples along x and y.
    pub fn spacing(&self) -> Vec2 {
        self.spacing
    }

    fn cells(&self) -> UVec2 {
        self.samples - 1
    }

    /// Computes the lowest and highest heights of all tiles.
    fn pave(&mut self) -> Result<(), MeshError> {
        let mut tiles = self.cells().map(|cells| cells.div_ceil(LEAF));
        loop {
            let first = self.levels.last().map_or(0, |level| level.first + area(level.tiles));
            self.levels.push(TileLevel { first, tiles });
            if tiles == UVec2::ONE {
                break;
            }
            tiles = tiles.map(|tiles| tiles.div_ceil(2));
        }
        let count = self.levels.iter().map(|level| area(level.tiles)).sum();
        self.tiles = list(count)?;
        for level in 0..self.levels.len() {
            for y in 0..self.levels[level].tiles.y {
                for x in 0..self.levels[level].tiles.x {
                    let tile = self.span_of(level, UVec2::new(x, y));
                    self.tiles.push(tile);
                }
            }
        }
        Ok(())
    }

    /// Returns the lowest and highest height of a tile, from its samples or from the tiles in it.
    fn span_of(&self, level: usize, at: UVec2) -> (f32, f32) {
        let wider = |a: (f32, f32), b: (f32, f32)| (a.0.min(b.0), a.1.max(b.1));
        let mut span = (f32::INFINITY, f32::NEG_INFINITY);
        if level == 0 {
            let (from, to) = (at * LEAF, (at * LEAF + LEAF).min(self.cells()));
            for y in from.y..=to.y {
                for x in from.x..=to.x {
                    let height = self.heights[(y * self.samples.x + x) as usize];
                    span = wider(span, (height, height));
                }
            }
            return span;
        }
        self.each_below(level, at, |x, y| span = wider(span, self.tile(level - 1, UVec2::new(x, y))));
        span
    }

    /// Calls `see` with the column and row of each tile of the next lower level that a tile contains.
    fn each_below(&self, level: usize, at: UVec2, mut see: impl FnMut(u32, u32)) {
        let (from, to) = (at * 2, (at * 2 + 2).min(self.levels[level - 1].tiles));
        for y in from.y..to.y {
            (from.x..to.x).for_each(|x| see(x, y));
        }
    }

    fn tile(&self, level: usize, at: UVec2) -> (f32, f32) {
        let TileLevel { first, tiles } = self.levels[level];
        self.tiles[first + (at.y * tiles.x + at.x) as usize]
    }

    /// Returns the position of a sample \[m\].
    fn vertex(&self, at: UVec2) -> Vec3 {
        let height = self.heights[(at.y * self.samples.x + at.x) as usize];
        (at.as_vec2() * self.spacing).extend(height)
    }

    /// Returns the index of the triangle above or below a point; `None` beside the terrain.
    fn triangle_under(&self, place: Vec3) -> Option<u32> {
        let (at, end) = (place.truncate(), self.vertex(self.cells()).truncate());
        if !(at.cmpge(Vec2::ZERO).all() && at.cmple(end).all()) {
            return None;
        }
        let in_cells = at / self.spacing;
        let cell = in_cells.as_uvec2().min(self.cells() - 1);
        let within = in_cells - cell.as_vec2();
        Some(2 * (cell.y * self.cells().x + cell.x) + u32::from(within.y > within.x))
    }

    /// Returns the vertical depth \[m\] of a point below the terrain; not positive above it.
    fn depth(&self, place: Vec3) -> Option<f64> {
        let triangle = self.triangle(self.triangle_under(place)?);
        let (normal, place) = (triangle.normal(), place.as_dvec3());
        Some((triangle.corners[0] - place).dot(normal) / normal.z)
    }

    /// Returns the nearest point of the surface if it is less than `reach` \[m\] from `place` or `place` is
    /// below the terrain.
    pub(super) fn surface_within(&self, place: Vec3, reach: f32) -> Option<Surface> {
        match self.depth(place) {
            Some(depth) if depth > 0.0 => Some(self.surface_from(place, f32::INFINITY, -1.0)?),
            _ => self.surface_from(place, reach, 1.0),
        }
    }

    /// Returns the nearest point of the surface if `place` is below the terrain.
    pub(super) fn surface_if_inside(&self, place: Vec3) -> Option<Surface> {
        let is_below = self.depth(place).is_some_and(|depth| depth > 0.0);
        if is_below { self.surface_from(place, f32::INFINITY, -1.0) } else { None }
    }

    /// Returns the nearest point of the surface for a point above (`sign` 1) or below (−1) the terrain.
    fn surface_from(&self, place: Vec3, reach: f32, sign: f64) -> Option<Surface> {
        let found = nearest(self, place, reach)?;
        let away = place.as_dvec3() - found.point;
        let distance = found.square.sqrt();
        let normal = (away * (sign / distance)).try_normalize();
        let normal = normal.unwrap_or_else(|| self.triangle(found.number).normal().normalize());
        Some(Surface {
            distance: (sign * distance) as f32,
            point: found.point.as_vec3(),
            normal: normal.as_vec3(),
        })
    }

    /// Calls `see` with the corners \[m\] of each triangle with a bounding box that meets the box from
    /// `low` to `high` \[m\].
    pub fn each_triangle_in(&self, low: Vec3, high: Vec3, see: impl FnMut([Vec3; 3])) {
        each_in(self, (low, high), see);
    }

    /// Returns false only if the box from `low` to `high` \[m\] has no point in common with the surface or
    /// the ground below it.
    pub(super) fn reaches_into(&self, low: Vec3, high: Vec3) -> bool {
        // Extended upwards without limit, the box meets the surface if the original one meets it or the
        // ground.
        reaches_into(self, (low, high.with_z(f32::INFINITY)))
    }
}

fn area(tiles: UVec2) -> usize {
    tiles.x as usize * tiles.y as usize
}

/// Encodes a node: its level and the column and row of its tile.
fn node_of(level: usize, x: u32, y: u32) -> u32 {
    (level as u32) << (2 * BITS) | y << BITS | x
}

fn tile_of(node: u32) -> (usize, UVec2) {
    let mask = (1 << BITS) - 1;
    ((node >> (2 * BITS)) as usize, UVec2::new(node & mask, node >> BITS & mask))
}

/// Two fields of the same heights, samples and spacing are equal.
impl PartialEq for HeightField {
    fn eq(&self, other: &Self) -> bool {
        self.samples == other.samples && self.spacing == other.spacing && self.heights == other.heights
    }
}

impl Tree for HeightField {
    fn root(&self) -> u32 {
        node_of(self.levels.len() - 1, 0, 0)
    }

    /// Calls `see` with tiles at least as wide as the box: up to two along each axis, or three with
    /// rounding.
    fn around(&self, low: Vec3, high: Vec3, mut see: impl FnMut(u32)) {
        let (low, high) = (low.truncate(), high.truncate());
        let slack = PLACE_ROUNDING * low.abs().max(high.abs());
        let (low, high) = ((low - slack) / self.spacing, (high + slack) / self.spacing);
        let width = (high - low).max_element();
        let is_as_wide = |level: &usize| (LEAF << level) as f32 >= width;
        // NaN selects the level of one tile.
        let level = (0..self.levels.len()).find(is_as_wide).unwrap_or(self.levels.len() - 1);
        let last = self.levels[level].tiles - 1;
        // Conversion from float to integer saturates.
        let tile = |cells: Vec2| (cells / (LEAF << level) as f32).as_uvec2().min(last);
        let (from, to) = (tile(low), tile(high));
        for y in from.y..=to.y {
            (from.x..=to.x).for_each(|x| see(node_of(level, x, y)));
        }
    }

    fn bounds(&self, node: u32) -> (Vec3, Vec3) {
        let (level, at) = tile_of(node);
        let cells = LEAF << level;
        let (low, high) = (at * cells, ((at + 1) * cells).min(self.cells()));
        let (lowest, highest) = self.tile(level, at);
        let place = |at: UVec2, height: f32| (at.as_vec2() * self.spacing).extend(height);
        (place(low, lowest), place(high, highest))
    }

    fn open(&self, node: u32, mut see: impl FnMut(TreePart)) {
        let (level, at) = tile_of(node);
        if level > 0 {
            return self.each_below(level, at, |x, y| see(TreePart::Node(node_of(level - 1, x, y))));
        }
        let (from, to) = (at * LEAF, ((at + 1) * LEAF).min(self.cells()));
        for y in from.y..to.y {
            for x in from.x..to.x {
                let first = 2 * (y * self.cells().x + x);
                see(TreePart::Triangle(first));
                see(TreePart::Triangle(first + 1));
            }
        }
    }

    fn triangle(&self, number: u32) -> Triangle {
        let cell = number / 2;
        let at = UVec2::new(cell % self.cells().x, cell / self.cells().x);
        let beside = at + if number.is_multiple_of(2) { UVec2::X } else { UVec2::Y };
        let [first, beside, across] = [at, beside, at + 1].map(|at| self.vertex(at));
        Triangle::new(if number.is_multiple_of(2) {
            [first, beside, across]
        } else {
            [first, across, beside]
        })
    }
}

impl ShapeQueries for HeightField {
    fn bounding_sphere(&self) -> (Vec3, f32) {
        let (low, high) = self.bounds(self.root());
        // The ground is unbounded below.
        (low.midpoint(high), f32::INFINITY)
    }

    fn inscribed_sphere(&self) -> (Vec3, f32) {
        (self.vertex(UVec2::ZERO), 0.0)
    }

    fn surface(&self, point: Vec3) -> Surface {
        self.surface_within(point, f32::INFINITY).unwrap_or(Surface::NONE)
    }

    fn entry(&self, start: Vec3, end: Vec3) -> Option<Entry> {
        let (start, end) = (start.as_dvec3(), end.as_dvec3());
        let (share, number) = crossing(self, start, end - start, Sides::Front)?;
        let normal = self.triangle(number).normal().normalize();
        Some(Entry { share: share as f32, normal: normal.as_vec3() })
    }

    /// Returns the span of the surface.
    fn span(&self, normal: DVec3) -> (f64, f64) {
        let mut span = (f64::INFINITY, f64::NEG_INFINITY);
        for y in 0..self.samples.y {
            for x in 0..self.samples.x {
                let height = self.vertex(UVec2::new(x, y)).as_dvec3().dot(normal);
                span = (span.0.min(height), span.1.max(height));
            }
        }
        span
    }
}
