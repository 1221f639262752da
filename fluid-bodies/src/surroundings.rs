//! Lattice points in the fluid around bodies, for vortons without strength: bodies that act only on vortons
//! in contact need them.

use crate::obstacle::Obstacle;
use crate::obstacles::Obstacles;
use crate::shapes::Surface;
use glam::{DVec3, Vec3};
use std::fmt;

/// Selection of points around bodies, on a lattice along the world's axes through the origin.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings {
    /// Index of a body; None for all bodies.
    pub only: Option<usize>,
    /// Lowest and highest coordinates \[m\]. Without bounds, half-spaces and level geometry, which may be of
    /// any size, have no surroundings.
    pub bounds: Option<(Vec3, Vec3)>,
    /// Spacing of the lattice \[m\].
    pub spacing: f32,
    /// Largest distance of points from a surface \[m\].
    pub thickness: f32,
    /// Least distance of points from all solids except half-spaces \[m\]: nearer vortons would be moved away
    /// at once. Half a spacing suffices for half-spaces and for walls of containers.
    pub clearance: f32,
}

/// Reason why a search has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SurroundingsError {
    /// More points than the limit.
    TooMany,
    /// More points to test than [`MOST_LOOKS`].
    TooLarge,
}

/// Most points tested in a search \[1\]: a few seconds.
pub const MOST_LOOKS: u64 = 1 << 23;
/// Largest coordinate of a point \[spacings\]: up to there `f32` is accurate to an eighth of a spacing.
pub const MOST_SPACINGS: f64 = (1 << 20) as f64;
/// Points ruled out together, along each axis \[1\].
const POINT_BLOCK: i32 = 8;

impl fmt::Display for SurroundingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany => write!(f, "there are more places around bodies than there may be"),
            Self::TooLarge => write!(f, "more than {MOST_LOOKS} places around bodies would be looked at"),
        }
    }
}

impl std::error::Error for SurroundingsError {}

/// A lattice point: z, y and x \[spacings\].
type Index = [i32; 3];

impl Surroundings {
    /// Returns the points, sorted by z, then y, then x. Excludes points less than half a spacing from one in
    /// `taken`, points that `is_barred`, and points that a container's wall separates from the surface.
    /// Bodies are in their poses at the end of the step.
    ///
    /// # Errors
    /// Returns an error for more than `most` points, or too large a region.
    pub fn places(
        &self,
        obstacles: &Obstacles,
        taken: impl IntoIterator<Item = Vec3>,
        is_barred: impl Fn(Vec3) -> bool,
        most: usize,
    ) -> Result<Vec<Vec3>, SurroundingsError> {
        let mut obstacles = obstacles.clone();
        obstacles.refresh();
        let list = obstacles.list();
        let mut search = SurroundingsSearch {
            meant: *self,
            containers: (0..list.len()).filter(|&body| list[body].is_container()).collect(),
            obstacles: &obstacles,
            taken: self.taken(taken),
            found: Vec::new(),
            looks: 0,
        };
        for body in (0..list.len()).filter(|&body| self.is_meant(&list[body], body)) {
            search.look_around(body, &is_barred, most)?;
        }
        search.found.sort_unstable();
        Ok(search.found.iter().map(|&index| self.place(index)).collect())
    }

    fn is_meant(&self, obstacle: &Obstacle, body: usize) -> bool {
        let is_bounded = self.bounds.is_some() || !(obstacle.is_half_space() || obstacle.is_level());
        is_bounded && self.only.is_none_or(|only| only == body)
    }

    fn place(&self, [z, y, x]: Index) -> Vec3 {
        (DVec3::new(x.into(), y.into(), z.into()) * f64::from(self.spacing)).as_vec3()
    }

    /// Returns the lattice points that are taken: each taken position is nearest to one lattice point, the
    /// only one that can be less than half a spacing away.
    fn taken(&self, taken: impl IntoIterator<Item = Vec3>) -> Vec<Index> {
        let index_of = |place: Vec3| {
            let [x, y, z] = (place.as_dvec3() / f64::from(self.spacing)).round().to_array();
            // A position beyond the lattice is clamped to its end, and is far from that.
            let index = [z as i32, y as i32, x as i32];
            (place.distance(self.place(index)) < 0.5 * self.spacing).then_some(index)
        };
        let mut indices: Vec<_> = taken.into_iter().filter_map(index_of).collect();
        indices.sort_unstable();
        indices
    }

    /// Returns the lowest and highest lattice points near a body; None if there are none.
    fn range(&self, obstacle: &Obstacle) -> Option<(Index, Index)> {
        let (mut low, mut high) = obstacle.box_at_end();
        (low, high) = (low - self.thickness, high + self.thickness);
        if let Some(bounds) = self.bounds {
            (low, high) = (low.max(bounds.0), high.min(bounds.1));
        }
        let spacing = f64::from(self.spacing);
        let (low, high) = ((low.as_dvec3() / spacing).ceil(), (high.as_dvec3() / spacing).floor());
        let most = DVec3::splat(MOST_SPACINGS);
        let (low, high) = (low.max(-most), high.min(most));
        // Written so that NaN gives none.
        let index = |v: DVec3| [v.z as i32, v.y as i32, v.x as i32];
        low.cmple(high).all().then(|| (index(low), index(high)))
    }
}

struct SurroundingsSearch<'o> {
    meant: Surroundings,
    obstacles: &'o Obstacles,
    /// Indices of bodies with holes.
    containers: Vec<usize>,
    /// In ascending order.
    taken: Vec<Index>,
    found: Vec<Index>,
    looks: u64,
}

impl SurroundingsSearch<'_> {
    /// Adds the points to which this body is the nearest.
    fn look_around(
        &mut self,
        body: usize,
        is_barred: &impl Fn(Vec3) -> bool,
        most: usize,
    ) -> Result<(), SurroundingsError> {
        let Some((first, last)) = self.meant.range(&self.obstacles.list()[body]) else { return Ok(()) };
        let along =
            |axis: usize| u64::from((last[axis] - first[axis]).unsigned_abs() / POINT_BLOCK as u32 + 1);
        self.count(along(0).saturating_mul(along(1)).saturating_mul(along(2)))?;
        let starts = |axis: usize| (first[axis]..=last[axis]).step_by(POINT_BLOCK as usize);
        for z in starts(0) {
            for y in starts(1) {
                for x in starts(2) {
                    let low = [z, y, x];
                    let high = std::array::from_fn(|axis| last[axis].min(low[axis] + POINT_BLOCK - 1));
                    if self.may_be_near(body, low, high) {
                        self.look_at_block(body, (low, high), is_barred, most)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn count(&mut self, looks: u64) -> Result<(), SurroundingsError> {
        self.looks = self.looks.saturating_add(looks);
        if self.looks > MOST_LOOKS { Err(SurroundingsError::TooLarge) } else { Ok(()) }
    }

    /// False only if no point of a block is outside of a body and near its surface.
    fn may_be_near(&self, body: usize, low: Index, high: Index) -> bool {
        let obstacle = &self.obstacles.list()[body];
        let (low, high) = (self.meant.place(low), self.meant.place(high));
        let middle = low.midpoint(high);
        // One spacing is added for the round-off of positions.
        let half = 0.5 * low.distance(high) + self.meant.spacing;
        let reach = self.meant.thickness + half;
        let local = obstacle.pose().to_local(middle);
        if !obstacle.may_reach(local, reach) {
            return false;
        }
        let solids = obstacle.solids().filter_map(|(_, shape)| shape.surface_within(local, reach));
        let mut surfaces = solids.chain(obstacle.holes().wall(local, reach));
        surfaces.any(|surface| surface.distance > -half && surface.distance < reach)
    }

    fn look_at_block(
        &mut self,
        body: usize,
        (low, high): (Index, Index),
        is_barred: &impl Fn(Vec3) -> bool,
        most: usize,
    ) -> Result<(), SurroundingsError> {
        self.count((0..3).map(|axis| u64::from((high[axis] - low[axis]).unsigned_abs() + 1)).product())?;
        for z in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for x in low[2]..=high[2] {
                    let index = [z, y, x];
                    let place = self.meant.place(index);
                    if !self.is_around(body, place)
                        || self.taken.binary_search(&index).is_ok()
                        || is_barred(place)
                    {
                        continue;
                    }
                    if self.found.len() >= most {
                        return Err(SurroundingsError::TooMany);
                    }
                    self.found.push(index);
                }
            }
        }
        Ok(())
    }

    /// True if a point is clear of all bodies, and its nearest surface in reach is that of this body.
    fn is_around(&self, body: usize, place: Vec3) -> bool {
        let Surroundings { spacing, thickness, clearance, .. } = self.meant;
        let reach = thickness.max(clearance).max(0.5 * spacing);
        let mut is_clear = true;
        // Distance, body, and the point of a solid; walls of containers are on the side that they hold.
        let mut nearest: Option<(f32, usize, Option<Vec3>)> = None;
        self.obstacles.visit(place - reach, place + reach, |other| {
            let other = other as usize;
            let obstacle = &self.obstacles.list()[other];
            let local = obstacle.pose().to_local(place);
            if !is_clear || !obstacle.may_reach(local, reach) {
                return;
            }
            let sticky = if obstacle.is_half_space() { 0.5 * spacing } else { clearance };
            let solids = obstacle.solids_for(obstacle.is_in_hollow(local));
            let solids = solids.filter_map(|(_, shape)| shape.surface_within(local, reach));
            let holes = obstacle.holes();
            let wall = holes.wall(local, reach).filter(|wall| holes.is_held_at(wall.distance));
            let solids = solids.map(|Surface { distance, point, .. }| (distance, sticky, Some(point)));
            let wall = wall.map(|wall| (wall.distance, 0.5 * spacing, None));
            for (distance, clearance, point) in solids.chain(wall) {
                is_clear &= distance >= clearance;
                let is_nearest = nearest.is_none_or(|(least, by, _)| (distance, other) < (least, by));
                if distance < thickness && is_nearest && self.meant.is_meant(obstacle, other) {
                    nearest = Some((distance, other, point.map(|point| obstacle.pose().to_world(point))));
                }
            }
        });
        let is_same_side = |point: Option<Vec3>| point.is_none_or(|point| !self.is_separated(place, point));
        is_clear && nearest.is_some_and(|(_, by, point)| by == body && is_same_side(point))
    }

    /// True if one point is in a container and the other is not.
    fn is_separated(&self, place: Vec3, point: Vec3) -> bool {
        let mut containers = self.containers.iter().map(|&body| &self.obstacles.list()[body]);
        containers.any(|container| container.holds(place, 1.0) != container.holds(point, 1.0))
    }
}
