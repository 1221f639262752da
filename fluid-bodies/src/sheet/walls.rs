//! Sheets on the walls of holes (E51, E53): fluid in a container flows along them, and vortex lines that end
//! there go on as in a mirror.

use super::closing::{self, Closing};
use super::flow::{BodyMotion, read_places, strength_of};
use super::history::History;
use super::influence::{self, Influence};
use super::panels::{Panels, Point, Quad};
use super::potentials::{Potentials, turning};
use super::{LEAST_LEVER, Six, WEAKEST, lever, multiply, square_of_lever};
use crate::pose::Pose;
use crate::shapes::Shape;
use crate::solve::{LeastSquares, product};
use fluid_core::boundary::Motion;
use fluid_core::particles::Vortons;
use fluid_core::velocity::{DirectSettings, SourceCloud, Sources, VelocityField};
use glam::{DMat3, DVec3, Vec3};
use std::sync::Arc;

/// As [`WEAKEST`] where flux is read from the flow, to which the sheet's own answer comes back \[1\]. Behind
/// the wall and finely divided it has strengths that are hardly felt, and that errors of the mesh would raise
/// from step to step: with 0.03, a hull of a hundred faces blows up in 40.
const WEAKEST_AT_WALLS: f64 = 0.15;

/// Most pairs of sources and points that are summed for a first solution \[1\]: some 30 ms, at
/// 0.75 to 1 ns each.
const MOST_PAIRS: usize = 32_000_000;

/// Strengths of the vortons in the hole that have fallen below this share of themselves since the flow was
/// last read have been scaled \[1\].
const SCALED: f32 = 0.9;

/// Least radius of a sphere in a hole whose walls hold flow \[core radii\]: of smaller ones the sheet would
/// be far larger than the hole.
const LEAST_RADIUS: f64 = 1.25;

/// Most by which the area of a vorton at the wall may stand for the area around it \[1\], where it is one of
/// few.
const MOST_FOR_ONE: f32 = 3.0;

/// Shares of the layer before a wall that vortons fill \[1\]: up to the first, lines that end there are
/// single ones, which are whole; from the second on, vortons fill it, and lines lack what gaps between them
/// leave out. Between them the factor on lines rises evenly: by steps, vertices would come and go with the
/// lattice.
const FILLED: [f32; 2] = [0.25, 0.55];

/// What depends on the hole alone, in the body's axes.
#[derive(Debug)]
pub(crate) struct WallSheet {
    settings: DirectSettings,
    quads: Vec<Quad>,
    /// The same for the potential of lines along the wall, and for those that end there.
    of_lines: [Vec<[Vec3; 3]>; 2],
    /// Vortons of lines that end at round walls, which the former leave out.
    halfway: Vec<Quad>,
    points: Vec<Point>,
    /// Area that each vertex stands for, as it is read \[m²\].
    areas: Vec<f32>,
    closing: Closing,
    potentials: Potentials,
    /// Flux through each vertex's patch \[m²\], as it is read, for unit strength at each vertex, a column for
    /// each of these; the same for strength that ends there \[m\].
    own: [Vec<f32>; 2],
    /// Strengths \[1/m²\] for unit flux through each vertex's patch, a column for each of these.
    answer: Vec<f32>,
    /// Strengths \[1\] that answer the flow of closed lines, for unit strength that ends at each vertex, a
    /// column for each of these; the same for the potential of lines along the wall.
    answer_to_lines: Vec<f32>,
    potential: Vec<f32>,
    /// Strengths \[m²/s\] at each vertex for unit velocities and angular velocities of the wall.
    of_motion: Vec<[f32; 6]>,
    energy: [Six; 6],
    /// Space within the sheet over that within the walls \[1\].
    space_behind: f64,
    /// Velocity \[1\] along the wall that a sharp sheet of unit strength would give to the fluid there,
    /// beyond what the smoothed one gives from behind.
    missing: f32,
    /// Thickness \[m\] of a layer with the vorticity of evenly spread vortons that is behind the wall,
    /// because they are smoothed.
    lost: f32,
    /// Part of a torque that pressure on the walls can make \[1\].
    lever: DMat3,
    /// Area that each vertex of the sheet stands for \[m²\].
    sheet_areas: Vec<f32>,
}

impl WallSheet {
    /// Of this hole; none if a sheet would be too coarse for it.
    pub(crate) fn of(hole: &Shape, settings: DirectSettings) -> Option<Self> {
        let core = f64::from(settings.core_radius);
        let (_, least) = hole.geometry.queries().inscribed_sphere();
        if f64::from(least) < LEAST_RADIUS * core {
            return None;
        }
        let panels = Panels::of_hole(hole, core)?;
        let n = panels.moments.len();
        let plain: Vec<[Vec3; 3]> = panels.fine.quads.iter().map(|quad| quad.edges).collect();
        let closing = Closing::of(hole, &panels, settings.core_radius);
        let potentials = Potentials::of(hole, &panels.fine.points);
        let potential = closing::potential(&panels);
        let (behind, halfway) = match closing.is_round() {
            true => (vec![[Vec3::ZERO; 3]; panels.fine.quads.len()], closing::halfway(&panels)),
            false => (closing::behind(&panels), Vec::new()),
        };
        let of_lines = [closing::along(&panels), behind];
        let fine = Influence::of(&panels, &panels.fine.points, &plain, settings);
        let flux_of_lines = |points: &[Point]| {
            let [along, behind] = [0, 1].map(|k| Influence::of(&panels, points, &of_lines[k], settings).own);
            let mut flux = product(&along, &potential, n);
            let halfway = Influence::of_vortons(n, &halfway, points, settings).own;
            let each = behind.iter().zip(halfway);
            flux.iter_mut().zip(each).for_each(|(sum, (behind, halfway))| *sum += behind + halfway);
            flux
        };
        let equations = LeastSquares::of(&fine.own, n);
        let of_motion = equations.solve(WEAKEST, &fine.of_motion);
        let mut answer_to_lines =
            product(&equations.inverse(WEAKEST), &flux_of_lines(&panels.fine.points), n);
        answer_to_lines.iter_mut().for_each(|value| *value = -*value);
        let read = Influence::of(&panels, &panels.coarse.points, &plain, settings).own;
        let mut areas = vec![0.0; n];
        for Point { area, corners, weights, .. } in &panels.coarse.points {
            for (&corner, weight) in corners.iter().zip(weights) {
                areas[usize::from(corner)] += area.length() * weight;
            }
        }
        Some(Self {
            settings,
            missing: missing_velocity(settings),
            lost: velocity_behind_walls(settings),
            lever: lever(&square_of_lever(&about(closing.centre, &panels.coarse.points)), LEAST_LEVER),
            sheet_areas: closing::areas(&panels).into_iter().map(|area| area as f32).collect(),
            areas,
            own: [columns(&read, n), columns(&flux_of_lines(&panels.coarse.points), n)],
            answer: columns(&equations.inverse(WEAKEST_AT_WALLS), n),
            answer_to_lines: columns(&answer_to_lines, n),
            potential: columns(&potential, n),
            energy: influence::energy(&panels, &of_motion, settings),
            of_motion: of_motion.iter().map(|of_one| of_one.map(|value| value as f32)).collect(),
            space_behind: panels.volume(&panels.vertices) / panels.volume(&panels.on_surface),
            quads: panels.fine.quads,
            points: panels.coarse.points,
            of_lines,
            halfway,
            closing,
            potentials,
        })
    }
}

/// ½ (1 − m), with m = z ∫ q(r/σ)/r² dr from z on: the velocity that a smoothed plane sheet gives at the
/// distance z behind which it is, over that of a sharp one.
fn missing_velocity(settings: DirectSettings) -> f32 {
    const STEP: f64 = 0.01;
    const FAR: f64 = 40.0;
    let z = super::panels::OUTSET;
    let integrand = |row: usize| {
        let r = z + (row as f64 + 0.5) * STEP;
        settings.kernel.q_over_cube(r) * r * STEP
    };
    let near: f64 = (0..((FAR - z) / STEP) as usize).map(integrand).sum();
    (0.5 * (1.0 - z * (near + 1.0 / FAR))) as f32
}

/// ∫ z ζ dV on one side of a wall, ζ the smoothed vorticity of a vorton on it, is σ/4 ∫ (1 − q) dr \[m\]: so
/// thick a layer of evenly spread vorticity is behind the wall.
fn velocity_behind_walls(settings: DirectSettings) -> f32 {
    const STEP: f64 = 0.01;
    const FAR: usize = 10_000;
    let left = |row: usize| {
        let r = (row as f64 + 0.5) * STEP;
        (1.0 - settings.kernel.q_over_cube(r) * r * r * r) * STEP
    };
    (0.25 * (0..FAR).map(left).sum::<f64>()) as f32 * settings.core_radius
}

/// The same points, seen from a `centre` \[m\].
fn about(centre: Vec3, points: &[Point]) -> Vec<Point> {
    points.iter().map(|point| Point { place: point.place - centre, ..*point }).collect()
}

/// 0 for single vortons before a wall, 1 where they fill the layer, this share of it \[1\].
fn layer_share(filled: f32) -> f32 {
    let [none, all] = FILLED;
    ((filled - none) / (all - none)).clamp(0.0, 1.0)
}

/// A matrix, row after row, as columns.
fn columns(matrix: &[f64], n: usize) -> Vec<f32> {
    let rows = matrix.len() / n;
    (0..matrix.len()).map(|index| matrix[index % rows * n + index / rows] as f32).collect()
}

/// What vortons bring into a hole, in the body's axes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seen {
    /// Mass \[kg\] beyond that of the fluid, and its moment \[kg m\] about the centre of mass.
    pub(crate) mass: f64,
    pub(crate) moment: DVec3,
    /// Angular momentum per density \[m⁵/s\].
    pub(crate) turning: DVec3,
}

/// The sheet on the walls of a hole, and what it answers.
#[derive(Debug, Clone)]
pub(crate) struct WallFlow {
    sheet: Arc<WallSheet>,
    /// Strengths that answer the flow of all others.
    others: History,
    /// At the vertices: strengths of the sheet \[m²/s\], and of the vortons that ends there \[m²/s\].
    strengths: Vec<f32>,
    ends: Vec<f32>,
    /// Both as they were in the middle of the step.
    of_middle: [Vec<f32>; 2],
    /// Potential of lines along the wall.
    potential: Vec<f32>,
    /// A bit for each vorton: set for those that the hole holds in this step.
    inside: Vec<u64>,
    /// True if there was flow to hold then.
    is_used: bool,
    holds_body: bool,
    /// Σ|α| of the vortons near the hole \[m³/s\]: at the last solution, in the middle of the step, and when
    /// the flow was last read.
    held: f32,
    held_in_middle: f32,
    held_when_read: f32,
    /// Angular momentum per density \[m⁵/s\] of what turned in the hole at the last solution, body's axes.
    turning: DVec3,
    /// How the walls moved then.
    motion: BodyMotion,
    flux: Vec<f32>,
    of_own: Vec<f32>,
    /// Velocity \[m/s\] of the fluid against the wall at each vertex, body's axes, in the middle of the step.
    slip: Vec<Vec3>,
    /// Strength of the sheet and of closed lines at each vertex, per area, at the last solution \[m/s\],
    /// body's axes; and as it was in the middle of the step.
    per_area: [Vec<Vec3>; 2],
    /// Volume of the vortons before each vertex, as it is seen \[m²\].
    filled: Vec<f32>,
    /// Factor on what ends at each vertex, as of the start of the step \[1\]: a layer at a round wall is
    /// smaller than one at a flat wall.
    gaps: Vec<f32>,
    /// Area of each vertex over that of the vortons before it \[1\].
    cover: Vec<f32>,
    /// Vorticity of the vortons before each vertex, times how thick a layer of it is missing at the wall
    /// \[m/s\], body's axes.
    lost: Vec<Vec3>,
    /// The sheet as vortons at the last solution \[m³/s\], body's axes; none if it was silent.
    vortons: Vec<Vec3>,
    places: Vec<Vec3>,
    velocities: Vec<Vec3>,
}

fluid_core::saved::fields!(WallFlow {
    others, is_used, holds_body, held, held_in_middle, held_when_read, turning, motion, vortons,
} same { strengths, ends, of_middle, potential, slip, per_area, filled, gaps, cover, lost } not { sheet, inside, flux, of_own, places, velocities });

impl WallFlow {
    /// On walls along which nothing is known of the flow.
    pub(crate) fn new(sheet: Arc<WallSheet>) -> Self {
        let zeros = || vec![0.0; sheet.of_motion.len()];
        Self {
            others: History::new(sheet.of_motion.len()),
            strengths: zeros(),
            of_middle: [zeros(), zeros()],
            potential: zeros(),
            inside: Vec::new(),
            is_used: false,
            holds_body: false,
            held: 0.0,
            held_in_middle: 0.0,
            held_when_read: 0.0,
            turning: DVec3::ZERO,
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
            vortons: Vec::with_capacity(sheet.quads.len() + sheet.halfway.len()),
            places: Vec::with_capacity(sheet.points.len()),
            velocities: Vec::with_capacity(sheet.points.len()),
            sheet,
        }
    }

    /// What depends on the hole alone.
    pub(crate) fn sheet(&self) -> Arc<WallSheet> {
        Arc::clone(&self.sheet)
    }

    /// Nothing is known of the flow in it.
    pub(crate) fn forget(&mut self) {
        self.others.forget();
    }

    /// As a solid's sheet is.
    pub(crate) fn keep_apart(&mut self, gap: f32) {
        self.others.keep_apart(gap);
    }

    /// Appends the sheet as vortons, `after` \[s\] from the start of the present step, with the hole at
    /// `pose` and this motion of its walls against the room. The first `count` of the sources are vortons.
    pub(crate) fn add_vortons(
        &mut self,
        (pose, motion): (Pose, BodyMotion),
        (after, is_middle): (f32, bool),
        count: usize,
        sources: &mut Sources,
    ) {
        let is_used = self.find_ends(pose, count, sources, motion);
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

    /// The sheet as vortons, as it was when sources were last asked for, of a hole that is at `pose`.
    pub(crate) fn vortons(&self, pose: Pose) -> impl Iterator<Item = (Vec3, Vec3)> {
        let each = self.sheet.quads.iter().chain(&self.sheet.halfway).zip(&self.vortons);
        each.map(move |(quad, &strength)| (pose.to_world(quad.place), pose.turn(strength)))
    }

    /// What lines of the first `count` sources end where. True if there is flow to hold: something turns in
    /// or near the hole, or its walls move, and vortons or a body are in it.
    fn find_ends(&mut self, pose: Pose, count: usize, sources: &Sources, motion: BodyMotion) -> bool {
        self.ends.fill(0.0);
        (self.held, self.turning) = (0.0, DVec3::ZERO);
        let mut is_filled = self.holds_body;
        let mut is_turning = motion != BodyMotion::default() || sources.len() > count;
        for row in 0..count {
            let place = pose.to_local(sources.positions.get(row));
            let strength = sources.strengths.get(row);
            if self.sheet.closing.is_near(place) {
                is_turning |= strength != Vec3::ZERO;
                self.held += strength.length();
                let is_inside = self.inside.get(row / 64).is_some_and(|bits| bits >> (row % 64) & 1 == 1);
                if !is_inside {
                    continue;
                }
                is_filled = true;
                let strength = pose.turn_back(strength);
                self.sheet.closing.add(place, strength, &mut self.ends);
                if strength != Vec3::ZERO {
                    self.turning += turning(self.sheet.potentials.at(place), strength);
                }
            }
        }
        self.ends.iter_mut().zip(&self.gaps).for_each(|(end, factor)| *end *= factor);
        self.sheet.closing.balance(&mut self.ends);
        is_filled && is_turning
    }

    /// What answers all sources that there are, summed directly: the first solution knows no field yet.
    /// Without it, flow that goes through the walls at first would be all that the energy budget allows.
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

    /// A step begins, with these vortons and the hole at `pose`: those in it stay in it, wherever they are
    /// led before the walls put them back.
    pub(crate) fn find_inside(&mut self, pose: Pose, vortons: &Vortons) {
        let words = vortons.ids.capacity().div_ceil(64);
        self.inside.reserve(words.saturating_sub(self.inside.len()));
        self.inside.clear();
        self.inside.resize(vortons.len().div_ceil(64), 0);
        for (row, place) in vortons.positions.iter().enumerate() {
            let is_inside = self.sheet.closing.holds(pose.to_local(place));
            self.inside[row / 64] |= u64::from(is_inside) << (row % 64);
        }
    }

    /// Another body is in the hole, or not.
    pub(crate) fn hold_body(&mut self, is_held: bool) {
        self.holds_body = is_held;
    }

    /// True if there was flow to hold in the middle of the step.
    pub(crate) fn is_used(&self) -> bool {
        self.is_used
    }

    fn find_strengths(&mut self, motion: BodyMotion, after: f32) {
        let sheet = &self.sheet;
        multiply(&sheet.potential, &self.ends, &mut self.potential);
        multiply(&sheet.answer_to_lines, &self.ends, &mut self.strengths);
        // What the energy budget scales, the answer follows at once.
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

    /// Reads the flow at the middle of the step, where the hole is at `pose` and its walls move so against
    /// the room: what answers the others there.
    pub(crate) fn read(&mut self, step: Motion<'_>, pose: Pose, motion: BodyMotion) {
        self.slip.fill(Vec3::ZERO);
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

    /// What is in the hole, which is at `pose`: what it weighs, and turns with.
    pub(crate) fn content(&self, pose: Pose, vortons: &Vortons) -> Seen {
        let mut seen = Seen::default();
        for (row, place) in vortons.positions.iter().enumerate() {
            let (local, strength) = (pose.to_local(place), vortons.strengths.get(row));
            let mass =
                if vortons.mass_deviations[row].is_finite() { vortons.mass_deviations[row] } else { 0.0 };
            if (strength == Vec3::ZERO && mass == 0.0) || !self.holds(local) {
                continue;
            }
            seen.turning += turning(self.sheet.potentials.at(local), pose.turn_back(strength));
            seen.mass += f64::from(mass);
            seen.moment += local.as_dvec3() * f64::from(mass);
        }
        seen
    }

    /// A step begins, with the hole at `pose`: finds how much smaller a layer of vortons at round walls is
    /// than one at flat walls.
    pub(crate) fn find_gaps(&mut self, pose: Pose, vortons: &Vortons) {
        if !self.sheet.closing.is_round() {
            return;
        }
        self.fill_layer(pose, vortons);
        let mean = self.mean_filling();
        let rows = self.gaps.iter_mut().zip(&self.filled).zip(&self.sheet.areas);
        for ((gap, &volume), &area) in rows {
            *gap = 1.0 + layer_share(volume / area) * (1.0 / mean - 1.0);
        }
    }

    /// Before walls drag fluid along, with the hole at `pose`: finds the area that the vortons before each
    /// vertex stand for, and the vorticity that they lack at the wall.
    pub(crate) fn find_layer(&mut self, pose: Pose, vortons: &Vortons) {
        self.fill_layer(pose, vortons);
        let (mean, sheet) = (self.mean_filling(), &self.sheet);
        let thickness = sheet.lost + 0.25 * sheet.closing.depth * (1.0 - mean);
        for (vertex, &area) in sheet.areas.iter().enumerate() {
            let volume = self.filled[vertex];
            self.cover[vertex] = (area / volume).min(MOST_FOR_ONE);
            self.lost[vertex] *= thickness / volume.max(FILLED[0] * area);
        }
    }

    /// Volume and strength of the vortons before each vertex, into `filled` and `lost`.
    fn fill_layer(&mut self, pose: Pose, vortons: &Vortons) {
        self.filled.fill(0.0);
        self.lost.fill(Vec3::ZERO);
        let (filled, strengths) = (&mut self.filled, &mut self.lost);
        for (row, place) in vortons.positions.iter().enumerate() {
            let (volume, strength) = (vortons.volumes[row], pose.turn_back(vortons.strengths.get(row)));
            self.sheet.closing.visit_walls(pose.to_local(place), |patch| {
                for (corner, share) in patch.shares() {
                    filled[corner] += volume * share;
                    strengths[corner] += strength * share;
                }
            });
        }
    }

    /// Share of the layer that vortons fill where they do \[1\], at round walls: from vertex to vertex a
    /// lattice wavers, and all together tell how much smaller the layer is.
    fn mean_filling(&self) -> f32 {
        let layers = self.filled.iter().zip(&self.sheet.areas);
        let (volume, area) = layers.fold((0.0, 0.0), |sum, (volume, area)| {
            let share = layer_share(volume / area);
            (sum.0 + volume * share, sum.1 + area * share)
        });
        if self.sheet.closing.is_round() && area > 0.0 { (volume / area).min(1.0) } else { 1.0 }
    }

    /// What walls that drag fluid along give in a step to a vorton at `place` \[m\] with this `volume`
    /// \[m³\], where they take the `share` of slip: strength \[m³/s\], and slip against the velocity of the
    /// wall, with the area \[m⁴/s²\]. The hole is at `pose`, and [`find_layer`](Self::find_layer) has seen
    /// all vortons. `faster` \[rad/s\], body's axes, is what the hole has begun to turn faster by than it
    /// did.
    pub(crate) fn friction(
        &self,
        pose: Pose,
        (place, volume): (Vec3, f32),
        share: f32,
        faster: Vec3,
    ) -> (Vec3, f32) {
        let (mut strength, mut work) = (Vec3::ZERO, 0.0);
        let local = pose.to_local(place);
        let wall = self.motion.velocity + self.motion.spin.cross(local);
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
        });
        if strength.is_finite() && work.is_finite() { (pose.turn(strength), work) } else { (Vec3::ZERO, 0.0) }
    }

    /// What [`friction`](Self::friction) gives to a vorton that is on its way, in angular momentum per
    /// density \[m⁵/s\] in the body's axes: from the slip that there is, and for unit angular velocity of the
    /// hole.
    pub(crate) fn turning_by_friction(
        &self,
        pose: Pose,
        (place, volume): (Vec3, f32),
        share: f32,
    ) -> (DVec3, DMat3) {
        let (given, _) = self.friction(pose, (place, volume), share, Vec3::ZERO);
        if given == Vec3::ZERO {
            return (DVec3::ZERO, DMat3::ZERO);
        }
        let local = pose.to_local(place);
        let (potentials, arm) = (self.sheet.potentials.at(local), local - self.sheet.closing.centre);
        let mut each = [Vec3::ZERO; 3];
        self.sheet.closing.visit_walls(local, |patch| {
            let cover: f32 = patch.shares().map(|(corner, weight)| self.cover[corner] * weight).sum();
            let area = volume * share * cover;
            for (strength, axis) in each.iter_mut().zip([Vec3::X, Vec3::Y, Vec3::Z]) {
                *strength += patch.normal.cross(axis.cross(arm)) * area;
            }
        });
        let [x, y, z] = each.map(|strength| turning(potentials, strength));
        (turning(potentials, pose.turn_back(given)), DMat3::from_cols(x, y, z))
    }

    /// Angular momentum per density \[m⁵/s\] of what turns in the hole by a vorton of this `strength`
    /// \[m³/s\] at `place` \[m\], in the body's axes; none if it is not in the hole.
    pub(crate) fn turning_of(&self, place: Vec3, strength: Vec3) -> Option<DVec3> {
        self.holds(place).then(|| turning(self.sheet.potentials.at(place), strength))
    }

    /// Part of a torque that pressure on the walls can make \[1\], body's axes.
    pub(crate) fn lever(&self) -> DMat3 {
        self.sheet.lever
    }

    /// The same of all vortons at the last solution.
    pub(crate) fn turning(&self) -> DVec3 {
        self.turning
    }

    /// True if fluid slips along the walls.
    pub(crate) fn has_slip(&self) -> bool {
        self.slip.iter().any(|slip| *slip != Vec3::ZERO)
    }

    /// True if a place in the body's axes \[m\] is in the hole.
    pub(crate) fn holds(&self, place: Vec3) -> bool {
        self.sheet.closing.visit_walls(place, |_| {})
    }

    /// Energy per density \[m⁵/s²\] of the flow that this motion of the walls makes.
    pub(crate) fn energy(&self, motion: BodyMotion) -> f64 {
        let q = motion.values().map(f64::from);
        let rows = self.sheet.energy.iter().zip(q);
        rows.map(|(row, own)| 0.5 * own * row.iter().zip(q).map(|(e, other)| e * other).sum::<f64>()).sum()
    }

    /// Space within the sheet over that within the walls \[1\].
    pub(crate) fn space_behind(&self) -> f64 {
        self.sheet.space_behind
    }

    /// The step is over.
    pub(crate) fn finish_step(&mut self, dt: f32) {
        self.others.finish_step(dt);
    }
}
