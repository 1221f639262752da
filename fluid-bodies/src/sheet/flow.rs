//! Strengths of a sheet while its body moves and the flow around it changes.

mod mesh_errors;

pub(crate) use mesh_errors::Answer;

use super::body_motion::BodyMotion;
use super::history::History;
use super::panels::{Point, Quad};
use super::slip::{Patch, Slip};
use super::{MOST_VERTICES, Sheet, multiply};
use crate::pose::Pose;
use fluid_core::boundary::Motion;
use fluid_core::velocity::{FlowInBall, PublishedField, SourcesNearby, VelocityField};
use fluid_threads::for_each_chunk_mut;
use glam::{DMat3, DQuat, DVec3, Vec3};
use std::sync::Arc;

/// Points at which a worker reads the flow at a time \[1\].
const FLOW_CHUNK: usize = 128;

/// Displacement of a body in a step, relative to its size, and rotation angle \[rad\], above which the
/// answer to the flow of others is reduced, to zero at twice that: around the body's next position their
/// flow is different.
const SHORT_WAY: f32 = 0.5;
const SMALL_ANGLE: f32 = 1.0 / 3.0;

/// Overlap of two surfaces, relative to the width of the smaller body, above which the answer to the flow of
/// others is reduced, and at which it is zero \[1\]: inside of each other's vortons both would read strengths
/// instead of a flow around them. Engines with contacts keep bodies apart to a few percent.
const SHALLOW: f32 = 0.05;
const DEEP: f32 = 0.25;

/// Pace of the answers of several sheets to each other \[1\], times their number: each reads the
/// answers that the others gave in the last step, and at 2 those of opposite signs would grow from step to
/// step (Jacobi's iteration, which this damps).
const PACE: f32 = 1.6;

/// Part of the answer that is left out beside a surface so near that both have the same vortons as neighbours
/// \[1\]: strengths of two faces that cancel each other have no flow, and the answers to what is left by
/// rounding and by different triangles would grow, for boxes by up to .8 % in each step.
const LEAK: f32 = 0.02;

/// Distance \[triangle edges, at least core radii\] up to which surfaces are that near, and from which on
/// they are not.
const AT_ONE: f32 = 0.5;
const APART: f32 = 1.5;

/// Depth below another surface \[core radii\] at which no flow is read any more. The vortons of round shapes
/// are below their surface, and where two such surfaces intersect, those of the other one are nearer to it
/// than its own: answers to them would grow from step to step.
const DRY: f32 = 0.1;

/// Displacement of a body in a step, relative to its size, above which its own flow is reduced, to zero at
/// one more: it would push fluid only around the body's position in the middle of the step.
const LONGEST_WAY: f32 = 2.0;

/// Force, relative to the sum of the magnitudes of its parts, below which it is round-off \[1\].
const FORCE_ROUNDING: f64 = 1e-5;

/// Linear and angular component, about the centre of mass, in the body's axes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Pair {
    pub(crate) linear: DVec3,
    pub(crate) angular: DVec3,
}

fluid_core::saved::fields!(Pair { linear, angular });

impl Pair {
    pub(crate) fn times(self, factor: f64) -> Self {
        Self { linear: self.linear * factor, angular: self.angular * factor }
    }

    /// Returns the sum of both.
    pub(crate) fn and(self, other: Self) -> Self {
        Self { linear: self.linear + other.linear, angular: self.angular + other.angular }
    }

    /// Rotates from the body's axes to the world's.
    pub(crate) fn turned(self, rotation: DQuat) -> Self {
        Self { linear: rotation * self.linear, angular: rotation * self.angular }
    }
}

/// Surfaces near a sheet that answer its flow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearSheets {
    /// Distance to the nearest one, relative to the size of the sheet's body \[1\].
    pub(crate) gap: f32,
    /// The largest overlap with one, relative to the width of the smaller \[1\].
    pub(crate) overlap: f32,
    /// Their number, images included, each between 0 and 1 by its distance.
    pub(crate) count: f32,
    /// Lower bound of the distance to the surface of the nearest one \[m\].
    pub(crate) distance: f32,
}

/// The sheet's own vortons among the groups of sources.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnGroup {
    pub(crate) index: usize,
    /// True if no other vorton touches the sheet: its own flow is then not wanted.
    pub(crate) is_alone: bool,
    /// Most pairs of sources and points that may be summed where velocities are read from a mesh \[1\].
    pub(crate) most_pairs: usize,
}

/// State of a sheet, with its answer to the flow of others.
#[derive(Debug, Clone)]
pub(crate) struct SheetFlow {
    sheet: Arc<Sheet>,
    /// Strengths that would answer the flow of all others if they were the body's motion.
    others: History,
    /// Fraction of the answer to the flow of others that is used \[1\].
    part: f32,
    /// Limit of that fraction due to surfaces that intersect this one \[1\].
    apart: f32,
    /// Fraction of a change of the flow of others that is answered in a step \[1\].
    pace: f32,
    /// Fraction of the whole answer that is used beside surfaces close by \[1\].
    kept: f32,
    /// Fraction of the patch of each vertex that is in the fluid \[1\].
    wet: Vec<f32>,
    /// True if all of them are 1.
    is_wet: bool,
    /// Speed of a flow that may be mere error of the mesh, when it was last read \[m/s\]; 0 without a mesh.
    noise: f32,
    /// Fraction of the flow of the body's own motion that is used \[1\].
    own_part: f32,
    /// Fraction of the flow of others above the errors of the mesh \[1\] (Wiener's filter).
    heard: f32,
    /// Force \[m⁴/s²\] and torque \[m⁵/s²\] per density of the flow of others on the sheet, at the middle
    /// of the last step, in the world's axes.
    force: Pair,
    slip: Slip,
    flux: Vec<f32>,
    of_own: Vec<f32>,
    own_force: Vec<f32>,
    places: Vec<Vec3>,
    velocities: Vec<Vec3>,
}

fluid_core::saved::fields!(SheetFlow {
    others, part, noise, own_part, heard, force, slip,
} not { sheet, apart, pace, kept, wet, is_wet, flux, of_own, own_force, places, velocities });

impl SheetFlow {
    /// Creates the state of a body around which the flow is still unknown.
    pub(crate) fn new(sheet: Arc<Sheet>) -> Self {
        let zeros = || vec![0.0; sheet.vertices()];
        let most_read = sheet.read.points.len().max(sheet.read.quads.len());
        Self {
            others: History::new(sheet.vertices()),
            part: 1.0,
            apart: 1.0,
            pace: 1.0,
            kept: 1.0,
            wet: vec![1.0; sheet.vertices()],
            is_wet: true,
            noise: 0.0,
            own_part: 1.0,
            heard: 1.0,
            force: Pair::default(),
            slip: Slip::new(sheet.vertices()),
            flux: zeros(),
            of_own: zeros(),
            own_force: vec![0.0; 6 * sheet.vertices()],
            velocities: Vec::with_capacity(most_read),
            places: Vec::with_capacity(most_read),
            sheet,
        }
    }

    /// Goes on with the answer of `before`, the sheet of a body of which the sizes are those of this one over
    /// `scale`: its strengths at the same points of the surface, in proportion to the size. `to_before` maps
    /// points of this body to points of that one.
    pub(crate) fn go_on_from(&mut self, before: &Self, scale: f32, to_before: &dyn Fn(Vec3) -> Vec3) {
        let patches = self.sheet.patches_on(&before.sheet, to_before);
        self.others.go_on_from(&before.others, |strengths: &[f32], out: &mut [f32]| {
            for (out, patch) in out.iter_mut().zip(&patches) {
                *out = patch.mean(strengths) * scale;
            }
        });
        (self.part, self.own_part) = (before.part, before.own_part);
        (self.noise, self.heard, self.force) = (before.noise, before.heard, before.force);
    }

    /// Returns the data that depends on the shape alone.
    pub(crate) fn sheet(&self) -> Arc<Sheet> {
        Arc::clone(&self.sheet)
    }

    /// Discards all knowledge of the flow, because the body has been moved elsewhere.
    pub(crate) fn forget(&mut self) {
        self.force = Pair::default();
        self.others.forget();
        self.slip.forget();
    }

    /// Sets the surfaces around this sheet.
    pub(crate) fn keep_apart(&mut self, NearSheets { gap, overlap, count, distance }: NearSheets) {
        self.others.keep_apart(gap);
        self.apart = ((DEEP - overlap) / (DEEP - SHALLOW)).clamp(0.0, 1.0);
        // A pair converges by itself.
        self.pace = if count > 1.0 { PACE / (1.0 + count) } else { 1.0 };
        let close = (APART - distance / self.sheet.spacing) / (APART - AT_ONE);
        self.kept = 1.0 - LEAK * close.clamp(0.0, 1.0);
        if !self.is_wet {
            self.wet.fill(1.0);
            self.is_wet = true;
        }
    }

    /// Leaves out the flow through the part of the surface that is in another body. `height` returns the
    /// distance from it \[m\], negative inside, of a point in the world.
    pub(crate) fn dry(&mut self, pose: Pose, height: impl Fn(Vec3) -> f32) {
        let ramp = DRY * self.sheet.core_radius;
        // Scratch until the flow is read.
        let wet_area = &mut self.of_own;
        wet_area.fill(0.0);
        for Point { place, area, corners, weights } in &self.sheet.read.points {
            let wet = (1.0 + height(pose.to_world(*place)) / ramp).clamp(0.0, 1.0) * area.length();
            for (&corner, weight) in corners.iter().zip(weights) {
                wet_area[usize::from(corner)] += wet * weight;
            }
        }
        for ((wet, wet_area), vertex) in self.wet.iter_mut().zip(wet_area).zip(&self.sheet.surface) {
            if vertex.area > 0.0 {
                *wet = wet.min(*wet_area / vertex.area);
            }
        }
        self.is_wet = self.wet.iter().all(|&wet| wet == 1.0);
    }

    /// Drops the flux through patches in other bodies.
    fn drop_dry_flux(&mut self) {
        if !self.is_wet {
            self.flux.iter_mut().zip(&self.wet).for_each(|(flux, wet)| *flux *= wet);
        }
    }

    /// Returns the part of the answer to the flow of others that is used after a body of this `size` \[m\]
    /// has moved by `way` \[m\] and rotated by `angle` \[rad\] \[1\].
    pub(crate) fn part_after((way, angle): (f32, f32), size: f32) -> f32 {
        let x = (way / (SHORT_WAY * size)).max(angle / SMALL_ANGLE);
        if x.is_nan() { 0.0 } else { (2.0 - x).clamp(0.0, 1.0) }
    }

    /// Begins a step in which a body of this `size` \[m\] moves by `way` \[m\] and rotates by `angle`
    /// \[rad\]. Returns the change of the sharp sheet's impulse per density by steps that follow the flow of
    /// others less or more.
    pub(crate) fn begin_step(&mut self, (way, angle): (f32, f32), size: f32) -> Pair {
        let before = self.impulse_of_others(0.0);
        self.part = Self::part_after((way, angle), size) * self.apart;
        let long = way / size - LONGEST_WAY;
        self.own_part = if long.is_nan() { 0.0 } else { (1.0 - long).clamp(0.0, 1.0) };
        let change = self.impulse_of_others(0.0).and(before.times(-1.0));
        self.hear();
        change
    }

    /// Returns true if steps resolve the motion of the body.
    pub(crate) fn is_resolved(&self) -> bool {
        self.part == 1.0
    }

    /// Returns true if the flow of others has been read.
    pub(crate) fn is_known(&self) -> bool {
        self.others.is_known()
    }

    /// Returns the strengths \[m²/s\] at the vertices that answer the flow of others, at `after` \[s\] from
    /// the start of the present step.
    fn of_others(&self, after: f32) -> impl Iterator<Item = f32> {
        let part = self.part * self.heard;
        self.others.at(after).map(move |strength| strength * part)
    }

    /// Returns the strengths \[m²/s\] at the vertices with this motion, at `after` \[s\] from the start of
    /// the present step.
    fn strengths(&self, motion: BodyMotion, after: f32) -> [f32; MOST_VERTICES] {
        let motion = motion.values();
        let mut strengths = [0.0; MOST_VERTICES];
        let rows = strengths.iter_mut().zip(&self.sheet.of_motion).zip(self.of_others(after));
        for ((strength, of_motion), of_others) in rows {
            let own = of_motion.iter().zip(motion).map(|(one, q)| one * q).sum::<f32>();
            *strength = own * self.own_part - of_others;
        }
        strengths
    }

    /// Returns the vortons \[m, m³/s\] of the sheet of a body at `pose` with this motion, at `after` \[s\]
    /// from the start of the present step. Empty if all strengths are zero.
    pub(crate) fn vortons(
        &self,
        pose: Pose,
        motion: BodyMotion,
        after: f32,
    ) -> impl Iterator<Item = (Vec3, Vec3)> {
        let strengths = self.strengths(motion, after);
        let is_silent = strengths.iter().all(|&strength| strength == 0.0);
        let quads = if is_silent { &[][..] } else { &self.sheet.quads[..] };
        quads.iter().map(move |quad| (pose.to_world(quad.place), pose.turn(strength_of(quad, &strengths))))
    }

    /// Reads the flow at the middle of the step, with the body at `pose` and this motion; finds the answer to
    /// the flow of others, and the force of that flow on the sheet. The sheet's own flow is part of what is
    /// read, unless its `group` of sources is alone and can be left out; then the slip is not found. On a
    /// mesh, sources `nearby` are summed instead if they are few: errors of the sheet's own flow, read there,
    /// would act as flow of others. Returns the change of the whole answer's impulse per density, in the
    /// body's axes, by other errors of a mesh than in the last step.
    pub(crate) fn read(
        &mut self,
        (step, wind): (Motion<'_>, Vec3),
        pose: Pose,
        motion: BodyMotion,
        group: OwnGroup,
        nearby: &mut SourcesNearby,
    ) -> Pair {
        let strengths = self.strengths(motion, 0.5 * step.dt);
        let sheet = Arc::clone(&self.sheet);
        let OwnGroup { index, is_alone, most_pairs } = group;
        let ball = (pose.position, sheet.radius);
        let others = if is_alone && step.field.can_leave_out_in(index, ball.0, ball.1) {
            Some(step.field.flow_in_ball(index, ball.0, ball.1))
        } else if step.field.is_on_mesh() {
            let own = if is_alone { step.sources.rows_of_group(index) } else { 0..0 };
            let points = sheet.read.points.len() + if sheet.is_flat { 0 } else { sheet.read.quads.len() };
            // Once summed, rather summed again: each change between the two has other errors.
            let most = if self.has_errors() { most_pairs } else { most_pairs + most_pairs / 2 };
            nearby.flow_in_ball((step.field, step.sources), own, ball, (points, most))
        } else {
            None
        };
        let own = (others.is_none() || !is_alone).then_some(&strengths);
        let has_errors = others.is_none() && step.field.is_on_mesh() && !step.field.is_apart(index);
        let expected = self.expect(step.dt, if has_errors { sheet.slip(&motion.values()) } else { 0.0 });
        self.read_places(
            (step, wind),
            pose,
            others.as_ref(),
            sheet.read.points.iter().map(|point| point.place),
        );
        match own {
            Some(_) => self.slip.read(&sheet, &self.velocities, pose, motion),
            None => self.slip.forget(),
        }
        self.find_answer(&sheet, step.dt, pose, own);
        let jump = expected.map(|expected| self.jump_from(&expected));
        if !sheet.is_flat {
            self.read_places(
                (step, wind),
                pose,
                others.as_ref(),
                sheet.read.quads.iter().map(|quad| quad.place),
            );
        }
        self.find_force(&sheet, pose, &strengths, own.is_some());
        jump.unwrap_or_default()
    }

    /// Finds the answer to the flow of others from the velocities at the sheet's points, which include those
    /// of its `own` strengths.
    fn find_answer(&mut self, sheet: &Sheet, dt: f32, pose: Pose, own: Option<&[f32; MOST_VERTICES]>) {
        find_flux(sheet, pose, &self.velocities, &mut self.flux);
        if let Some(strengths) = own {
            multiply(&sheet.own, strengths, &mut self.of_own);
            self.flux.iter_mut().zip(&self.of_own).for_each(|(flux, own)| *flux -= own);
        }
        self.drop_dry_flux();
        if self.flux.iter().all(|flux| flux.is_finite()) {
            self.flux.iter_mut().for_each(|flux| *flux *= self.kept);
            multiply(&sheet.answer, &self.flux, self.others.push(dt));
            self.others.approach(self.pace);
        }
    }

    /// Finds the force of the flow of others on the sheet from the velocities at its vortons, which may
    /// include those of its own strengths.
    fn find_force(
        &mut self,
        sheet: &Sheet,
        pose: Pose,
        strengths: &[f32; MOST_VERTICES],
        includes_own: bool,
    ) {
        self.force = Pair::default();
        let (mut size, mut leverage) = (0.0, 0.0);
        for (quad, &velocity) in sheet.read.quads.iter().zip(&self.velocities) {
            let strength = strength_of(quad, strengths).as_dvec3();
            let force = pose.turn_back(velocity).as_dvec3().cross(strength);
            self.force.linear += force;
            self.force.angular += quad.place.as_dvec3().cross(force);
            size += force.length();
            leverage += force.length() * f64::from(quad.place.length());
        }
        match includes_own {
            true => multiply(&sheet.own_force, strengths, &mut self.own_force),
            false => self.own_force.fill(0.0),
        }
        for (own, &strength) in self.own_force.as_chunks::<6>().0.iter().zip(strengths) {
            let [a, b, c, d, e, f] = own.map(|value| f64::from(value * strength));
            self.force.linear -= DVec3::new(a, b, c);
            self.force.angular -= DVec3::new(d, e, f);
        }
        // As its impulse: the force on a body along its way and the change of the answer there cancel.
        let (linear, angular) = sheet.force_sharpening;
        self.force.linear = linear * self.force.linear;
        self.force.angular = sheet.lever * self.force.angular * angular;
        self.force =
            self.force.times((self.part * self.heard).into()).turned(pose.rotation.as_dquat().normalize());
        let is_finite = self.force.linear.is_finite() && self.force.angular.is_finite();
        if !is_finite || self.force.linear.length() <= FORCE_ROUNDING * size {
            self.force.linear = DVec3::ZERO;
        }
        if !is_finite || self.force.angular.length() <= FORCE_ROUNDING * leverage {
            self.force.angular = DVec3::ZERO;
        }
    }

    /// Reads the flow relative to the wind at points of the body: that of all sources, or of `others`.
    fn read_places(
        &mut self,
        (step, wind): (Motion<'_>, Vec3),
        pose: Pose,
        others: Option<&FlowInBall<'_>>,
        places: impl Iterator<Item = Vec3>,
    ) {
        read_places(step, pose, places, (&mut self.places, &mut self.velocities), |field, places, out| {
            match others {
                Some(others) => others.velocities(places, out),
                None => field.velocities(places, out),
            }
            out.iter_mut().for_each(|velocity| *velocity -= wind);
        });
    }

    /// Returns the projection of a torque on the axes about which pressure has a lever arm \[1\], in the
    /// body's axes.
    pub(crate) fn turns(&self) -> DMat3 {
        self.sheet.turns
    }

    /// Returns ∫ (x × n)(x × n)ᵀ dS \[m⁴\] of the lever arms of pressure, in the body's axes.
    pub(crate) fn arms(&self) -> DMat3 {
        self.sheet.arms
    }

    /// Returns the projection on the axes about which the body is not round \[1\], in the body's axes.
    pub(crate) fn not_round(&self) -> DMat3 {
        self.sheet.not_round
    }

    /// Returns the speed \[m/s\] of the uniform flow that a sharp sheet with this impulse per density
    /// answers.
    pub(crate) fn drift(&self, answer: Pair) -> f64 {
        (self.sheet.drift * answer.linear).length()
    }

    /// Returns the force \[m⁴/s²\] and torque \[m⁵/s²\] per density of the flow of others on the sheet at
    /// the middle of the step (E51), in the world's axes.
    pub(crate) fn force(&self) -> Pair {
        self.force
    }

    /// Returns the fraction of the answer to the flow of others that is used \[1\].
    pub(crate) fn part_of_others(&self) -> f64 {
        f64::from(self.part) * f64::from(self.heard)
    }

    /// Returns the impulse per density \[m⁴/s\], \[m⁵/s\] of a sharp sheet's answer to the flow of others,
    /// as far as it is used, at `after` \[s\] from the start of the present step.
    pub(crate) fn impulse_of_others(&self, after: f32) -> Pair {
        self.whole_impulse_of_others(after).times(self.part_of_others())
    }

    /// Returns the impulse per density \[m⁴/s\], \[m⁵/s\] of the whole answer of a sharp sheet.
    fn whole_impulse_of_others(&self, after: f32) -> Pair {
        let rows = self.others.at(after).zip(&self.sheet.moments);
        let sum = rows.fold(Pair::default(), |sum, (strength, &[a, b, c, d, e, f])| Pair {
            linear: sum.linear - DVec3::new(a, b, c) * f64::from(strength),
            angular: sum.angular - DVec3::new(d, e, f) * f64::from(strength),
        });
        let (linear, angular) = self.sheet.sharpening;
        Pair { linear: linear * sum.linear, angular: self.sheet.lever * sum.angular * angular }
    }

    /// Returns the energy per density \[m⁵/s²\] of the flow due to this motion.
    pub(crate) fn energy(&self, motion: BodyMotion) -> f64 {
        let q = motion.values().map(|value| f64::from(value * self.own_part));
        let rows = self.sheet.energy_of_motion.iter().zip(q);
        rows.map(|(row, own)| 0.5 * own * row.iter().zip(q).map(|(e, other)| e * other).sum::<f64>()).sum()
    }

    /// Returns the energy per density \[m⁵/s²\] of the sheet's flow with this motion, at `after` \[s\] from
    /// the start of the present step: that of its vortons by themselves.
    pub(crate) fn energy_of_sheet(&self, motion: BodyMotion, after: f32) -> f64 {
        let (strengths, mut potentials) = (self.strengths(motion, after), [0.0; MOST_VERTICES]);
        let potentials = &mut potentials[..self.sheet.vertices()];
        multiply(&self.sheet.energy, &strengths, potentials);
        let product = |(strength, potential): (&f32, &f32)| f64::from(*strength) * f64::from(*potential);
        0.5 * strengths.iter().zip(potentials.iter()).map(product).sum::<f64>()
    }

    /// Returns the slip of the fluid at a point of the surface \[m/s\], body's axes.
    pub(crate) fn slip(&self, patch: &Patch) -> Vec3 {
        self.slip.at(patch)
    }

    /// Returns the fraction of the flow of others that steps resolve \[1\].
    pub(crate) fn followed(&self) -> f32 {
        self.part
    }

    /// Returns the patch of the sheet at a point of the surface \[m\] with this normal, body's axes.
    pub(crate) fn patch(&self, place: Vec3, normal: Vec3) -> Patch {
        self.sheet.patch(place, normal)
    }

    /// Returns the area of the surface that belongs to each vertex \[m²\].
    pub(crate) fn areas(&self) -> impl ExactSizeIterator<Item = f32> {
        self.sheet.surface.iter().map(|vertex| vertex.area)
    }

    /// Returns the points at which the flow of others is read, body's axes \[m\].
    pub(crate) fn points(&self) -> impl ExactSizeIterator<Item = Vec3> {
        self.sheet.read.points.iter().map(|point| point.place)
    }

    /// Adds a sudden change of the flow of others, given at the points \[m/s\], world's axes, to all known
    /// answers, so that extrapolation does not continue it.
    pub(crate) fn add_flow(&mut self, pose: Pose, velocities: &[Vec3]) {
        let sheet = Arc::clone(&self.sheet);
        find_flux(&sheet, pose, velocities, &mut self.flux);
        self.drop_dry_flux();
        if self.flux.iter().all(|flux| flux.is_finite()) {
            multiply(&sheet.answer, &self.flux, &mut self.of_own);
            self.others.add(&self.of_own);
        }
    }

    /// Ends a step of `dt` \[s\].
    pub(crate) fn finish_step(&mut self, dt: f32) {
        self.others.finish_step(dt);
    }
}

/// Computes the flux through the patch of each vertex from the velocities at the points, world's axes.
fn find_flux(sheet: &Sheet, pose: Pose, velocities: &[Vec3], flux: &mut [f32]) {
    flux.fill(0.0);
    for (Point { area, corners, weights, .. }, &velocity) in sheet.read.points.iter().zip(velocities) {
        let through = pose.turn_back(velocity).dot(*area);
        for (&corner, weight) in corners.iter().zip(weights) {
            flux[usize::from(corner)] += through * weight;
        }
    }
}

/// Evaluates the flow at points of a body at `pose` with `of`, in the world's axes.
pub(super) fn read_places(
    step: Motion<'_>,
    pose: Pose,
    local: impl Iterator<Item = Vec3>,
    (places, velocities): (&mut Vec<Vec3>, &mut Vec<Vec3>),
    of: impl Fn(&PublishedField, &[Vec3], &mut [Vec3]) + Sync,
) {
    places.clear();
    places.extend(local.map(|place| pose.to_world(place)));
    velocities.resize(places.len(), Vec3::ZERO);
    let places = &*places;
    for_each_chunk_mut(step.exec, FLOW_CHUNK, velocities.as_mut_slice(), &|first, out: &mut [Vec3]| {
        of(step.field, &places[first..first + out.len()], out);
    });
}

/// Returns the strength of a vorton of the sheet \[m³/s\].
pub(super) fn strength_of(quad: &Quad, strengths: &[f32]) -> Vec3 {
    let at = |corner: usize| quad.edges[corner] * strengths[usize::from(quad.corners[corner])];
    at(0) + at(1) + at(2)
}
