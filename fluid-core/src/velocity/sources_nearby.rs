//! Sums of a solve's sources at points of a ball, where velocities are otherwise read from a mesh: for bodies
//! to which errors of the mesh would be forces.

use super::direct::SourceCloud;
use super::flow_in_ball::FlowInBall;
use super::solid_harmonics::{SPHERE_POINTS, sphere_points};
use super::source_groups::smooth_radius;
use super::sphere_expansion::{SphereExpansion, SphereSide};
use super::target_ball::TargetBall;
use super::{DirectSettings, PublishedField, Sources, VelocityField};
use glam::Vec3;
use std::ops::Range;

/// Most sources that are summed at each point \[1\].
const MOST_NEAR: usize = 8192;
/// Sources that are expanded at a time \[1\].
const FAR_CHUNK: usize = 1024;

/// Memory for the sources near a ball, and for some of those far from it.
#[derive(Debug, Clone)]
pub struct SourcesNearby {
    /// Rows of the sources that are near.
    rows: Vec<u32>,
    near: SourceCloud,
    far: SourceCloud,
}

impl SourcesNearby {
    /// Creates one that sums with these settings; memory is allocated by [`reserve`](Self::reserve).
    pub fn new(settings: DirectSettings) -> Self {
        Self { rows: Vec::new(), near: SourceCloud::new(settings), far: SourceCloud::new(settings) }
    }

    /// Reserves all memory that it needs.
    pub fn reserve(&mut self) {
        self.rows.reserve(MOST_NEAR.saturating_sub(self.rows.len()));
        self.near.reserve(MOST_NEAR);
        self.far.reserve(FAR_CHUNK);
    }

    /// Returns the flow of all sources of the `field`, for this number of `points` of a ball: `centre` and
    /// radius \[m\]. That of sources far away is expanded about the centre (E65). Sources in the rows
    /// `left_out` are left out. None if that takes more than `most` pairs, or fluid expands.
    pub fn flow_in_ball<'a>(
        &'a mut self,
        (field, sources): (&'a PublishedField, &Sources),
        left_out: Range<usize>,
        (centre, radius): (Vec3, f32),
        (points, most): (usize, usize),
    ) -> Option<FlowInBall<'a>> {
        let is_ball = radius > 0.0 && radius.is_finite() && centre.is_finite();
        if !is_ball || sources.rates().iter().any(|&rate| rate != 0.0) {
            return None;
        }
        let reach = smooth_radius(radius, self.near.settings().like_points_from());
        let ball = TargetBall { centre, radius: reach };
        let (positions, strengths) = (&sources.positions, &sources.strengths);
        let is_far = |row: usize| ball.is_smooth_from(positions.get(row).distance(centre));
        let acts = |row: &usize| !left_out.contains(row) && strengths.get(*row) != Vec3::ZERO;
        let mut far = 0;
        self.rows.clear();
        for row in (0..sources.len()).filter(acts) {
            if is_far(row) {
                far += 1;
            } else if self.rows.len() < MOST_NEAR {
                self.rows.push(row as u32);
            } else {
                return None;
            }
        }
        if self.rows.len() * points + far * SPHERE_POINTS > most {
            return None;
        }
        let source = |row: usize| (positions.get(row), strengths.get(row));
        self.near.set_from(self.rows.iter().map(|&row| source(row as usize)));
        let places = sphere_points(centre, radius);
        let (mut velocities, mut more) = ([Vec3::ZERO; SPHERE_POINTS], [Vec3::ZERO; SPHERE_POINTS]);
        let mut near = self.rows.iter().peekable();
        let others = (0..sources.len()).filter(|row| near.next_if(|near| **near == *row as u32).is_none());
        let mut far = others.filter(acts).map(source).peekable();
        while far.peek().is_some() {
            self.far.set_from(far.by_ref().take(FAR_CHUNK));
            self.far.velocities(&places, &mut more);
            velocities.iter_mut().zip(&more).for_each(|(sum, more)| *sum += *more);
        }
        let set = self.near.settings().instruction_set;
        let expansion = SphereExpansion::of(SphereSide::Inside, set, (centre, radius), &velocities);
        Some(FlowInBall::of_sources(field, &self.near, expansion))
    }
}
