//! The state of a sheet on walls: its strengths, and its effects on vortons and the body.

use super::WallSheet;
use super::sums::{Braking, HoleVortons, Seen, sum_at_vertices, sums_of_parts};
use crate::parts::{MOST_PARTS, RowParts};
use crate::pose::Pose;
use crate::sheet::body_motion::BodyMotion;
use crate::sheet::flow::{read_places, strength_of};
use crate::sheet::history::History;
use crate::sheet::multiply;
use crate::sheet::panels::{Point, Quad};
use crate::sheet::potentials::turning;
use fluid_core::boundary::Motion;
use fluid_core::math::Vec3Columns;
use fluid_core::particles::Vortons;
use fluid_core::velocity::{SourceCloud, Sources, VelocityField};
use fluid_threads::{Executor, Parts, for_each_chunk_mut};
use glam::{DMat3, DVec3, Vec3, Vec4};
use std::sync::Arc;

/// Maximum number of pairs of sources and points in the direct sum of a first solution \[1\]: some 30 ms,
/// at 0.75 to 1 ns per pair.
const MOST_PAIRS: usize = 32_000_000;

/// Ratio of the strengths of the vortons in the hole to those when the flow was last read, below which they
/// have been scaled \[1\].
const SCALED: f32 = 0.9;

/// Upper bound on the area of a vertex's patch, relative to that of the vortons in front of it \[1\], where
/// these are few.
const MOST_FOR_ONE: f32 = 3.0;

/// Filled fractions of the layer at a wall \[1\]: below the first, lines that end there are single lines,
/// which are complete; above the second, vortons fill the layer, and lines lack the strength of the gaps.
/// In between, the factor on lines rises linearly: with a jump, vertices would switch on and off as the
/// lattice moves.
const LAYER_FILLED: [f32; 2] = [0.25, 0.55];

/// Returns 0 for single vortons at a wall, 1 where they fill the layer, for the `filled` fraction of it
/// \[1\].
fn layer_share(filled: f32) -> f32 {
    let [none, all] = LAYER_FILLED;
    ((filled - none) / (all - none)).clamp(0.0, 1.0)
}

/// Distance \[core radii\] from two walls within which a vorton is in an edge or corner. Walls put vortons
/// back to a thousandth of a core radius from them.
const CORNER: f32 = 0.02;

/// Words of bits per task: some 10 µs of work.
const WORDS: usize = 2;

/// Returns the bit of a row; false beyond the last.
fn has_bit(bits: &[u64], row: usize) -> bool {
    bits.get(row / 64).is_some_and(|bits| bits >> (row % 64) & 1 == 1)
}

/// State of the sheet on the walls of a hole.
#[derive(Debug, Clone)]
pub(crate) struct WallFlow {
    sheet: Arc<WallSheet>,
    /// Strengths that answer the flow of all others.
    others: History,
    /// At the vertices: strengths of the sheet \[m²/s\], and strength of vortons that ends there \[m²/s\].
    strengths: Vec<f32>,
    ends: Vec<f32>,
    /// `strengths` and `ends` in the middle of the step.
    of_middle: [Vec<f32>; 2],
    /// Potential of lines along the wall.
    potential: Vec<f32>,
    /// One bit per vorton: set if the hole contains it in this step.
    inside: Vec<u64>,
    /// One bit per vorton: set if it is also in an edge or corner of the walls at the start of the step.
    cornered: Vec<u64>,
    /// True if the sheet was active in the middle of the step.
    is_used: bool,
    holds_body: bool,
    /// Σ|α| of the vortons near the hole \[m³/s\]: at the last solution, in the middle of the step, and
    /// when the flow was last read.
    held: f32,
    held_in_middle: f32,
    held_when_read: f32,
    /// Angular momentum per density \[m⁵/s\] of the vorticity in the hole at the last solution, body's
    /// axes.
    turning: DVec3,
    /// Fraction of strengths along the walls that counts as lines that turn there \[1\].
    smooth: f32,
    /// Motion of the walls in the middle of the step.
    motion: BodyMotion,
    flux: Vec<f32>,
    of_own: Vec<f32>,
    /// Velocity \[m/s\] of the fluid relative to the wall at each vertex, body's axes, in the middle of the
    /// step.
    slip: Vec<Vec3>,
    /// Strength per area of the sheet and of closed lines at each vertex \[m/s\], body's axes: at the last
    /// solution, and in the middle of the step.
    per_area: [Vec<Vec3>; 2],
    /// Volume of the vortons in the layer at each vertex, weighted by the layer function \[m²\].
    filled: Vec<f32>,
    /// Factor on strength that ends at each vertex, as of the start of the step \[1\]: the layer at a round
    /// wall is smaller than at a flat one.
    gaps: Vec<f32>,
    /// Area of each vertex's patch, relative to that of the vortons in front of it \[1\].
    cover: Vec<f32>,
    /// Vorticity of the vortons in front of each vertex, times the thickness of the layer that is missing
    /// at the wall \[m/s\], body's axes.
    lost: Vec<Vec3>,
    /// Angular velocity \[rad/s\] of the walls that vortons meet, body's axes.
    spin_met: Vec3,
    /// Sums at the vertices, of each part of a loop over vortons.
    partials: Vec<Vec4>,
    /// Strengths of the sheet's vortons at the last solution \[m³/s\], body's axes; empty if the sheet was
    /// inactive.
    vortons: Vec<Vec3>,
    places: Vec<Vec3>,
    velocities: Vec<Vec3>,
}

fluid_core::saved::fields!(WallFlow {
    others, is_used, holds_body, held, held_in_middle, held_when_read, turning, motion, vortons,
} same { strengths, ends, of_middle, potential, slip, per_area, filled, gaps, cover, lost } not { sheet, smooth, inside, cornered, flux, of_own, spin_met, partials, places, velocities });

impl WallFlow {
    /// Creates the state for walls along which the flow is still unknown.
    pub(crate) fn new(sheet: Arc<WallSheet>) -> Self {
        let zeros = || vec![0.0; sheet.of_motion.len()];
        Self {
            others: History::new(sheet.of_motion.len()),
            strengths: zeros(),
            of_middle: [zeros(), zeros()],
            potential: zeros(),
            inside: Vec::new(),
            cornered: Vec::new(),
            is_used: false,
            holds_body: false,
            held: 0.0,
            held_in_middle: 0.0,
            held_when_read: 0.0,
            turning: DVec3::ZERO,
            smooth: 0.0,
            motion: BodyMotion::default(),
            ends: zeros(),
            flux: zeros(),
            of_own: zeros(),
            slip: vec![Vec3::ZERO; sheet.of_motion.len()],
            per_area: [0, 1].map(|_| vec![Vec3::ZERO; sheet.of_motion.len()]),
            filled: zeros(),
            gaps: vec![1.0; sheet.of_motion.len()],
            cover: zeros(),
            lost: vec![Vec3::ZERO; sheet.of_motion.len()],
            spin_met: Vec3::ZERO,
            partials: vec![Vec4::ZERO; MOST_PARTS * sheet.of_motion.len()],
            vortons: Vec::with_capacity(sheet.quads.len() + sheet.halfway.len()),
            places: Vec::with_capacity(sheet.points.len()),
            velocities: Vec::with_capacity(sheet.points.len()),
            sheet,
        }
    }

    /// Returns the data that depends on the hole alone.
    pub(crate) fn sheet(&self) -> Arc<WallSheet> {
        Arc::clone(&self.sheet)
    }

    /// Discards all knowledge of the flow.
    pub(crate) fn forget(&mut self) {
        self.others.forget();
    }

    /// Same as for a solid's sheet, [`SheetFlow::keep_apart`](super::SheetFlow::keep_apart).
    pub(crate) fn keep_apart(&mut self, gap: f32) {
        self.others.keep_apart(gap);
    }

    /// Appends the sheet's vortons at `after` \[s\] from the start of the present step, with the hole at
    /// `pose` and this motion of its walls relative to the enclosure. The first `count` sources are
    /// vortons.
    pub(crate) fn add_vortons(
        &mut self,
        exec: &dyn Executor,
        (pose, motion): (Pose, BodyMotion),
        (after, is_middle): (f32, bool),
        count: usize,
        sources: &mut Sources,
    ) {
        let is_used = self.find_ends(exec, pose, motion, (count, sources));
        if is_used {
            if !self.others.is_known() {
                self.sum_others(pose, sources);
            }
            self.find_strengths(motion, after);
        } else {
            self.be_silent();
        }
        let first = sources.len();
        self.push_vortons(pose, sources);
        if motion == BodyMotion::default() {
            sources.note_answers(sources.len() - first);
        }
        if is_middle {
            (self.is_used, self.motion, self.held_in_middle) = (is_used, motion, self.held);
            let values = [&self.strengths, &self.ends];
            self.of_middle.iter_mut().zip(values).for_each(|(to, from)| to.copy_from_slice(from));
            let [now, middle] = &mut self.per_area;
            middle.copy_from_slice(now);
        }
    }

    fn push_vortons(&mut self, pose: Pose, sources: &mut Sources) {
        let per_area = &mut self.per_area[0];
        per_area.fill(Vec3::ZERO);
        self.vortons.clear();
        if self.strengths.iter().chain(&self.ends).all(|&value| value == 0.0) {
            return;
        }
        let [along, behind] = &self.sheet.of_lines;
        for (quad, (&along, &behind)) in self.sheet.quads.iter().zip(along.iter().zip(behind)) {
            let strength = strength_of(quad, &self.strengths)
                + strength_of(&Quad { edges: along, ..*quad }, &self.potential)
                + strength_of(&Quad { edges: behind, ..*quad }, &self.ends);
            sources.push(pose.to_world(quad.place), pose.turn(strength));
            self.vortons.push(strength);
            quad.corners.iter().for_each(|&corner| per_area[usize::from(corner)] += strength / 3.0);
        }
        per_area.iter_mut().zip(&self.sheet.sheet_areas).for_each(|(sum, area)| *sum /= *area);
        for quad in &self.sheet.halfway {
            let strength = strength_of(quad, &self.ends);
            sources.push(pose.to_world(quad.place), pose.turn(strength));
            self.vortons.push(strength);
        }
    }

    /// Returns the positions and strengths of the sheet's vortons as last appended, with the hole at
    /// `pose`.
    pub(crate) fn vortons(&self, pose: Pose) -> impl Iterator<Item = (Vec3, Vec3)> {
        let each = self.sheet.quads.iter().chain(&self.sheet.halfway).zip(&self.vortons);
        each.map(move |(quad, &strength)| (pose.to_world(quad.place), pose.turn(strength)))
    }

    /// Finds the strength of the first `count` sources that ends at each vertex. Returns true if the sheet
    /// is needed: vorticity in or near the hole, or moving walls, and vortons or a body inside.
    fn find_ends(
        &mut self,
        exec: &dyn Executor,
        pose: Pose,
        motion: BodyMotion,
        (count, sources): (usize, &Sources),
    ) -> bool {
        let Self { sheet, inside, ends, partials, smooth, .. } = self;
        let held = sum_at_vertices(exec, count, partials, ends.len(), |row, held: &mut HoleVortons, ends| {
            let place = pose.to_local(sources.positions.get(row));
            let strength = sources.strengths.get(row);
            if !sheet.closing.is_near(place) {
                return;
            }
            held.is_turning |= strength != Vec3::ZERO;
            held.strength += strength.length();
            if !has_bit(inside, row) {
                return;
            }
            held.is_filled = true;
            let strength = pose.turn_back(strength);
            sheet.closing.visit_ends(place, (strength, *smooth), |corner, end| ends[corner].x += end);
            if strength != Vec3::ZERO {
                held.turning += turning(sheet.potentials.at(place), strength);
            }
        });
        (self.held, self.turning) = (held.strength, held.turning);
        let parts = sums_of_parts(&self.partials, count, self.ends.len());
        for (end, (sum, factor)) in self.ends.iter_mut().zip(parts.zip(&self.gaps)) {
            *end = sum.x * factor;
        }
        self.sheet.closing.balance(&mut self.ends);
        let is_turning = motion != BodyMotion::default() || sources.len() > count;
        (held.is_filled || self.holds_body) && (held.is_turning || is_turning)
    }

    /// Finds the answer to all present sources by a direct sum, because there is no published field before
    /// the first solution. Without this answer, the initial flow through the walls would be all that the
    /// energy budget allows.
    fn sum_others(&mut self, pose: Pose, sources: &Sources) {
        let sheet = &self.sheet;
        if sources.len() * sheet.points.len() > MOST_PAIRS {
            return;
        }
        let mut cloud = SourceCloud::new(sheet.settings);
        cloud.set(&sources.positions, &sources.strengths);
        let places: Vec<Vec3> = sheet.points.iter().map(|point| pose.to_world(point.place)).collect();
        let mut velocities = vec![Vec3::ZERO; places.len()];
        cloud.velocities(&places, &mut velocities);
        self.flux.fill(0.0);
        for (Point { area, corners, weights, .. }, velocity) in sheet.points.iter().zip(velocities) {
            let flux = pose.turn_back(velocity).dot(*area);
            for (&corner, weight) in corners.iter().zip(weights) {
                self.flux[usize::from(corner)] += flux * weight;
            }
        }
        if self.flux.iter().all(|flux| flux.is_finite()) {
            multiply(&sheet.answer, &self.flux, self.others.begin());
            self.held_when_read = self.held;
        }
    }

    /// Marks, at the start of a step with the hole at `pose`, the vortons in it, and those in its edges and
    /// corners. They count as inside for the whole step, wherever they are moved before the walls put them
    /// back.
    pub(crate) fn find_inside(&mut self, exec: &dyn Executor, pose: Pose, vortons: &Vortons) {
        let words = vortons.ids.capacity().div_ceil(64);
        let reach = CORNER * self.sheet.settings.core_radius;
        for bits in [&mut self.inside, &mut self.cornered] {
            bits.reserve(words.saturating_sub(bits.len()));
            bits.clear();
            bits.resize(vortons.len().div_ceil(64), 0);
        }
        let (closing, positions) = (&self.sheet.closing, &vortons.positions);
        let columns = (self.inside.as_mut_slice(), self.cornered.as_mut_slice());
        for_each_chunk_mut(exec, WORDS, columns, &|first, (inside, cornered): (&mut [u64], &mut [u64])| {
            for row in 64 * first..positions.len().min(64 * (first + inside.len())) {
                let local = pose.to_local(positions.get(row));
                let is_inside = closing.holds(local);
                let is_cornered = is_inside && closing.is_in_corner(local, reach);
                inside[row / 64 - first] |= u64::from(is_inside) << (row % 64);
                cornered[row / 64 - first] |= u64::from(is_cornered) << (row % 64);
            }
        });
    }

    /// Visits the rows of vortons in edges and corners of the walls at the start of the step, in order.
    pub(crate) fn visit_cornered(&self, visit: &mut dyn FnMut(usize)) {
        for (word, &bits) in self.cornered.iter().enumerate() {
            let mut left = bits;
            while left != 0 {
                visit(64 * word + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }

    /// Sets whether another body is in the hole.
    pub(crate) fn hold_body(&mut self, is_held: bool) {
        self.holds_body = is_held;
    }

    /// Returns true if the sheet was active in the middle of the step.
    pub(crate) fn is_used(&self) -> bool {
        self.is_used
    }

    fn find_strengths(&mut self, motion: BodyMotion, after: f32) {
        let sheet = &self.sheet;
        multiply(&sheet.potential, &self.ends, &mut self.potential);
        multiply(&sheet.answer_to_lines, &self.ends, &mut self.strengths);
        // The answer follows scaling by the energy budget at once.
        let ratio = self.held / self.held_when_read;
        let scaled = if ratio < SCALED { ratio } else { 1.0 };
        let motion = motion.values();
        let rows = self.strengths.iter_mut().zip(&sheet.of_motion).zip(self.others.at(after));
        for ((strength, of_motion), of_others) in rows {
            let own = of_motion.iter().zip(motion).map(|(one, q)| one * q).sum::<f32>();
            *strength += own - of_others * scaled;
        }
        let mut all = self.strengths.iter().chain(&self.ends).chain(&self.potential);
        if !all.all(|value| value.is_finite()) {
            self.be_silent();
        }
    }

    fn be_silent(&mut self) {
        self.others.forget();
        self.strengths.fill(0.0);
        self.ends.fill(0.0);
        self.potential.fill(0.0);
    }

    /// Reads the flow at the middle of the step, with the hole at `pose` and this motion of its walls
    /// relative to the enclosure, and finds the answer to the flow of others.
    pub(crate) fn read(&mut self, step: Motion<'_>, pose: Pose, motion: BodyMotion) {
        self.slip.fill(Vec3::ZERO);
        self.spin_met = motion.spin;
        if !self.is_used {
            return;
        }
        let sheet = Arc::clone(&self.sheet);
        let places = sheet.points.iter().map(|point| point.place);
        read_places(step, pose, places, (&mut self.places, &mut self.velocities), |field, places, out| {
            field.induced(places, out);
        });
        self.flux.fill(0.0);
        for (Point { place, area, corners, weights }, &velocity) in sheet.points.iter().zip(&self.velocities)
        {
            let velocity = pose.turn_back(velocity);
            let (flux, area) = (velocity.dot(*area), area.length());
            let slip = (velocity - motion.velocity - motion.spin.cross(*place)) * area;
            for (&corner, weight) in corners.iter().zip(weights) {
                self.flux[usize::from(corner)] += flux * weight;
                self.slip[usize::from(corner)] += slip * *weight;
            }
        }
        self.slip.iter_mut().zip(&sheet.areas).for_each(|(slip, area)| *slip /= *area);
        for (own, values) in sheet.own.iter().zip(&self.of_middle) {
            multiply(own, values, &mut self.of_own);
            self.flux.iter_mut().zip(&self.of_own).for_each(|(flux, own)| *flux -= own);
        }
        if self.flux.iter().all(|flux| flux.is_finite()) {
            multiply(&sheet.answer, &self.flux, self.others.push(step.dt));
            self.held_when_read = self.held_in_middle;
        }
    }

    /// Returns the mass and angular momentum of the vortons in the hole, with the hole at `pose`.
    pub(crate) fn content(&self, exec: &dyn Executor, pose: Pose, vortons: &Vortons) -> Seen {
        RowParts::of(vortons.len()).sum(exec, |rows, seen: &mut Seen| {
            for row in rows {
                let (local, strength) =
                    (pose.to_local(vortons.positions.get(row)), vortons.strengths.get(row));
                let mass = vortons.mass_deviations[row];
                let mass = if mass.is_finite() { mass } else { 0.0 };
                if (strength == Vec3::ZERO && mass == 0.0) || !self.holds(local) {
                    continue;
                }
                seen.turning += turning(self.sheet.potentials.at(local), pose.turn_back(strength));
                seen.mass += f64::from(mass);
                seen.moment += local.as_dvec3() * f64::from(mass);
            }
        })
    }

    /// Returns the angular momentum per density \[m⁵/s\] of a strength \[m³/s\] at `place` \[m\], body's
    /// axes.
    pub(crate) fn turning_of(&self, place: Vec3, strength: Vec3) -> DVec3 {
        turning(self.sheet.potentials.at(place), strength)
    }

    /// Finds, at the start of a step with the hole at `pose`, the factor by which a layer of vortons at
    /// round walls is smaller than at flat walls, as far as lines that turn in front of them, which count to
    /// the fraction `smooth`, do not make up for it.
    pub(crate) fn find_gaps(&mut self, exec: &dyn Executor, pose: Pose, vortons: &Vortons, smooth: f32) {
        self.smooth = smooth;
        if !self.sheet.closing.is_round() {
            return;
        }
        self.fill_layer(exec, pose, vortons);
        let (mean, full) = (self.mean_filling(), 1.0 + smooth * (self.sheet.closing.layer - 1.0));
        let rows = self.gaps.iter_mut().zip(&self.filled).zip(&self.sheet.areas);
        for ((gap, &volume), &area) in rows {
            *gap = 1.0 + layer_share(volume / area) * (full / mean - 1.0).max(0.0);
        }
    }

    /// Prepares friction at walls, with the hole at `pose`: finds the area represented by the vortons in
    /// front of each vertex, and the vorticity that they lack at the wall.
    pub(crate) fn find_layer(&mut self, exec: &dyn Executor, pose: Pose, vortons: &Vortons) {
        self.fill_layer(exec, pose, vortons);
        let (mean, sheet) = (self.mean_filling(), &self.sheet);
        let thickness = sheet.lost + 0.25 * sheet.closing.depth * (1.0 - mean);
        for (vertex, &area) in sheet.areas.iter().enumerate() {
            let volume = self.filled[vertex];
            self.cover[vertex] = (area / volume).min(MOST_FOR_ONE);
            self.lost[vertex] *= thickness / volume.max(LAYER_FILLED[0] * area);
        }
    }

    /// Sums volume and strength of the vortons in front of each vertex into `filled` and `lost`.
    fn fill_layer(&mut self, exec: &dyn Executor, pose: Pose, vortons: &Vortons) {
        let Self { sheet, filled, partials, .. } = self;
        let (rows, vertices) = (vortons.len(), filled.len());
        sum_at_vertices(exec, rows, partials, vertices, |row, _: &mut f64, sums| {
            let (volume, strength) = (vortons.volumes[row], pose.turn_back(vortons.strengths.get(row)));
            sheet.closing.visit_walls(pose.to_local(vortons.positions.get(row)), |patch| {
                for (corner, share) in patch.shares() {
                    sums[corner] += strength.extend(volume) * share;
                }
            });
        });
        let sums = sums_of_parts(&self.partials, rows, vertices);
        for (sum, (filled, lost)) in sums.zip(self.filled.iter_mut().zip(&mut self.lost)) {
            (*filled, *lost) = (sum.w, sum.truncate());
        }
    }

    /// Returns the mean fraction of the layer occupied by vortons where they fill it \[1\], for round
    /// walls. Averaged over all vertices, because a lattice makes single vertices fluctuate.
    fn mean_filling(&self) -> f32 {
        let layers = self.filled.iter().zip(&self.sheet.areas);
        let (volume, area) = layers.fold((0.0, 0.0), |sum, (volume, area)| {
            let share = layer_share(volume / area);
            (sum.0 + volume * share, sum.1 + area * share)
        });
        if self.sheet.closing.is_round() && area > 0.0 { (volume / area).min(1.0) } else { 1.0 }
    }

    /// Computes the effect of wall friction in a step on a `vorton`, given by its place \[m\], strength
    /// \[m³/s\] and volume \[m³\], if walls remove the fraction `share` of the slip. Returns a strength, and
    /// minus the product of slip, velocity of the wall and area \[m⁴/s²\]. The hole is at `pose`;
    /// [`find_layer`](Self::find_layer) must have processed all vortons. `faster` \[rad/s\], body's axes,
    /// is the angular velocity that the hole gains in this step.
    fn friction(&self, pose: Pose, vorton: (Vec3, Vec3, f32), share: f32, faster: Vec3) -> (Vec3, f32) {
        let (place, before, volume) = vorton;
        let (mut strength, mut work) = (Vec3::ZERO, 0.0);
        // It takes up nothing along the walls, so it loses nothing across them.
        if volume == 0.0 {
            return (strength, work);
        }
        let local = pose.to_local(place);
        let wall = self.motion.velocity + self.motion.spin.cross(local);
        // The curl of the walls' velocity, less the vorticity.
        let lack = (self.spin_met + faster) * (2.0 * volume) - pose.turn_back(before);
        let gained = faster.cross(local - self.sheet.closing.centre);
        self.sheet.closing.visit_walls(local, |patch| {
            let area = volume * share;
            let turning = patch.shares().map(|(corner, weight)| {
                let missing = self.per_area[1][corner].cross(patch.normal) * -self.sheet.missing
                    + self.lost[corner].cross(patch.normal);
                let slip = (self.slip[corner] + missing - gained) * (self.cover[corner] * weight);
                work -= slip.dot(wall) * area;
                // γ = n × u with the normal into the fluid.
                patch.normal.cross(slip)
            });
            strength -= turning.sum::<Vec3>() * area;
            // Fluid that sticks to a wall has its vorticity across it.
            strength += patch.normal * (lack.dot(patch.normal) * patch.beyond * share);
        });
        if strength.is_finite() && work.is_finite() { (pose.turn(strength), work) } else { (Vec3::ZERO, 0.0) }
    }

    /// Returns the effect of [`friction`](Self::friction) on the angular momentum of the vortons in the hole.
    pub(crate) fn braking(&self, exec: &dyn Executor, pose: Pose, share: f32, vortons: &Vortons) -> Braking {
        RowParts::of(vortons.len()).sum(exec, |rows, sums: &mut Braking| {
            for row in rows {
                let (place, strength) = (vortons.positions.get(row), vortons.strengths.get(row));
                let local = pose.to_local(place);
                if !self.holds(local) {
                    continue;
                }
                let potentials = self.sheet.potentials.at(local);
                sums.turning += turning(potentials, pose.turn_back(strength));
                let vorton = (place, strength, vortons.volumes[row]);
                let (given, _) = self.friction(pose, vorton, share, Vec3::ZERO);
                if given == Vec3::ZERO {
                    continue;
                }
                sums.dragged += turning(potentials, pose.turn_back(given));
                let of_spin = self.friction_of_spin(local, vortons.volumes[row] * share);
                for (sum, strength) in sums.of_spin.iter_mut().zip(of_spin) {
                    *sum += turning(potentials, strength);
                }
            }
        })
    }

    /// Returns the strengths \[m³/s\] that friction gives a vorton in the hole, in the body's axes, for a
    /// unit angular velocity of the hole about each axis.
    fn friction_of_spin(&self, place: Vec3, volume: f32) -> [Vec3; 3] {
        let (arm, mut each) = (place - self.sheet.closing.centre, [Vec3::ZERO; 3]);
        self.sheet.closing.visit_walls(place, |patch| {
            let cover: f32 = patch.shares().map(|(corner, weight)| self.cover[corner] * weight).sum();
            for (strength, axis) in each.iter_mut().zip([Vec3::X, Vec3::Y, Vec3::Z]) {
                let along = patch.normal.cross(axis.cross(arm)) * cover;
                let across = patch.normal * (2.0 * patch.normal.dot(axis) * patch.beyond);
                *strength += (along + across) * volume;
            }
        });
        each
    }

    /// Gives all vortons the strengths due to [`friction`](Self::friction). Returns the sum of its products
    /// of slip, velocity of the wall and area \[m⁴/s²\], with a minus sign.
    pub(crate) fn rub(
        &self,
        exec: &dyn Executor,
        pose: Pose,
        (share, faster): (f32, Vec3),
        vortons: &mut Vortons,
    ) -> f64 {
        let Vortons { positions, strengths, volumes, .. } = vortons;
        let parts = RowParts::of(positions.len());
        let starts = parts.starts();
        let starts = &starts[..=parts.count()];
        let Vec3Columns { x, y, z } = strengths;
        let columns = (Parts::new(x, starts), Parts::new(y, starts), Parts::new(z, starts));
        parts.sum_with(exec, columns, |rows, work: &mut f64, (x, y, z)| {
            for (i, row) in rows.enumerate() {
                let vorton = (positions.get(row), Vec3::new(x[i], y[i], z[i]), volumes[row]);
                let (given, dragged) = self.friction(pose, vorton, share, faster);
                if given != Vec3::ZERO {
                    (x[i], y[i], z[i]) = (Vec3::new(x[i], y[i], z[i]) + given).into();
                    *work += f64::from(dragged);
                }
            }
        })
    }

    /// Returns the part of a torque that pressure on the walls can exert \[1\], body's axes.
    pub(crate) fn lever(&self) -> DMat3 {
        self.sheet.lever
    }

    /// Returns the angular momentum per density \[m⁵/s\] of all vortons in the hole at the last solution,
    /// body's axes.
    pub(crate) fn turning(&self) -> DVec3 {
        self.turning
    }

    /// Returns true if there is slip along the walls.
    pub(crate) fn has_slip(&self) -> bool {
        self.slip.iter().any(|slip| *slip != Vec3::ZERO)
    }

    /// Returns true if a position \[m\], in the body's axes, is in the hole.
    pub(crate) fn holds(&self, place: Vec3) -> bool {
        self.sheet.closing.visit_walls(place, |_| {})
    }

    /// Returns the energy per density \[m⁵/s²\] of the flow due to this motion of the walls.
    pub(crate) fn energy(&self, motion: BodyMotion) -> f64 {
        let q = motion.values().map(f64::from);
        let rows = self.sheet.energy.iter().zip(q);
        rows.map(|(row, own)| 0.5 * own * row.iter().zip(q).map(|(e, other)| e * other).sum::<f64>()).sum()
    }

    /// Returns the volume within the sheet, relative to that within the walls \[1\].
    pub(crate) fn space_behind(&self) -> f64 {
        self.sheet.space_behind
    }

    /// Ends a step of `dt` \[s\].
    pub(crate) fn finish_step(&mut self, dt: f32) {
        self.others.finish_step(dt);
    }
}
