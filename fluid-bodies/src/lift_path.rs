//! Position at which an engine's body meets the lift of the fluid (E48), and shares momentum with it (E52).
//!
//! An engine that adds an impulse to the velocity and then moves the body by the new velocity keeps the
//! energy of a body that bobs if the impulse is that of the position before the move, however the frame is
//! divided into steps. A lift read halfway through the library's path would be a friction of ω² dt/2. An
//! engine that spreads an impulse over its frame needs a position a part of a frame later: its states show
//! which.

use crate::moved_parts::MovedParts;
use crate::pose::Pose;
use glam::{DVec3, Quat, Vec3};

/// Displacement in a frame by forces, relative to the round-off of positions \[1\], below which it is not
/// observed.
const LEAST_SEEN: f64 = 8.0;
/// Longest time \[s\] without a state for which the position is that of the engine, and longest frame.
const LONGEST: f64 = 0.25;

/// Record of the positions that an engine sets.
#[derive(Debug, Clone, Default)]
pub(crate) struct LiftPath {
    told: Option<Told>,
    /// False if the engine may have moved the body since.
    is_current: bool,
    /// Duration \[s\] of the engine's last frame.
    frame: f64,
    /// Parts of changes of velocity that frames' displacements contain.
    parts: MovedParts,
}

fluid_core::saved::fields!(LiftPath { told, is_current, frame, parts });

/// State that an engine has set.
#[derive(Debug, Clone, Copy, Default)]
struct Told {
    pose: Pose,
    /// Velocity \[m/s\] as set.
    velocity: DVec3,
    /// Velocities \[m/s, rad/s\] with which the engine is expected to move on.
    next: (DVec3, Vec3),
    /// Time \[s\] by which the state is older than the impulses that the engine takes next.
    lag: f64,
    /// Time \[s\] by which the engine moves the body on from this pose before the next step: `lag` once it
    /// has taken the pending impulses, otherwise 0.
    moved_on: f64,
    /// True if only the fluid's impulses and a steady force have changed the velocity before.
    is_free: bool,
}

fluid_core::saved::fields!(Told { pose, velocity, next, lag, moved_on, is_free });

impl LiftPath {
    /// Records a state with this `velocity` \[m/s\], `elapsed` \[s\] of steps after the last one. `taken`
    /// \[m/s\] is the change of velocity by impulses of the fluid since then. `next` are the velocities with
    /// which the engine is expected to move on, `lag` \[s\] is the time of the steps of which it has not
    /// taken the impulses yet, `is_free` is true if only impulses of the fluid and a steady force have
    /// changed the velocity since the last state. Returns by how much longer the engine has moved the body
    /// than the steps \[s\].
    pub(crate) fn tell(
        &mut self,
        (pose, velocity, taken): (Pose, DVec3, DVec3),
        next: (DVec3, Vec3),
        (elapsed, lag): (f64, f64),
        is_free: bool,
    ) -> f64 {
        let mut longer = 0.0;
        if let Some(before) = self.told
            && elapsed > 0.0
        {
            self.frame = if before.lag > 0.0 { before.lag } else { elapsed };
            let was_shared_ahead = before.moved_on > 0.0 && self.is_current && elapsed <= LONGEST;
            longer = if was_shared_ahead { before.moved_on - elapsed } else { 0.0 };
            if self.frame > LONGEST {
                // The engine has not set a state in each frame: its frame is not known.
                self.frame = 0.0;
            } else {
                let moved = before.moved(pose.position.as_dvec3(), velocity, self.frame);
                self.parts.observe(moved, taken, velocity - before.velocity - taken);
            }
        }
        // Another state in the same frame adds no observation.
        let same = self.told.filter(|_| elapsed == 0.0);
        let is_free = is_free && same.is_none_or(|before| before.is_free);
        let moved_on = same.filter(|before| before.pose == pose).map_or(0.0, |before| before.moved_on);
        self.told = Some(Told { pose, velocity, next, lag, moved_on, is_free });
        self.is_current = true;
        longer
    }

    /// Returns the part of the engine's own acceleration in the next frame that moves the body as early as
    /// the fluid's impulse before it does, 0 to 1.
    pub(crate) fn own_ahead(&self) -> f64 {
        let (of_impulses, of_own) = self.parts.get();
        if of_impulses > 0.0 { of_own / of_impulses } else { 1.0 }
    }

    /// Records that the engine takes the impulses of `elapsed` \[s\] of steps since its last state.
    pub(crate) fn take(&mut self, elapsed: f64) {
        self.is_current &= elapsed == 0.0;
        if let Some(told) = self.told.as_mut().filter(|_| elapsed == 0.0) {
            told.moved_on = told.lag;
        }
    }

    /// Forgets the engine's position.
    pub(crate) fn leave(&mut self) {
        self.told = None;
    }

    /// Makes the position `origin` \[m\] the origin.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.told.iter_mut().for_each(|told| told.pose.position -= origin);
    }

    /// Returns the pose at which the lift of a step of `dt` \[s\] is read, and the displacement \[m\] of a
    /// frame, of which that is the middle; None if the engine's motion is not known, `elapsed` \[s\] of steps
    /// after its last state.
    pub(crate) fn at(&self, dt: f64, elapsed: f64) -> Option<(Pose, DVec3)> {
        let told = self.told_now(elapsed)?;
        let frame = self.frame.max(dt);
        let pose = told.after(told.lag + (1.0 - self.parts.get().0) * frame);
        let way = told.next.0 * frame;
        (pose.is_valid() && way.is_finite()).then_some((pose, way))
    }

    /// Returns the position \[m\] and rotation at which momentum is shared in a step of `dt` \[s\], `elapsed`
    /// \[s\] of steps after the engine's last state, and the time \[s\] from now to these; None if the
    /// engine's motion is not known. An engine that adds impulses at once would move the body on from there,
    /// by the new velocity and for all these steps, as this one does.
    pub(crate) fn shared_at(&self, dt: f64, elapsed: f64) -> Option<(DVec3, Quat, f64)> {
        let told = self.told_now(elapsed)?;
        let spread = if told.is_free { 1.0 - self.parts.get().0 } else { 0.0 };
        let time = told.moved_on + spread * (elapsed + dt);
        let pose = if time == 0.0 { told.pose } else { told.after(time) };
        // In f64: from step to step of a frame it moves by less than the round-off of `pose`.
        let position = told.pose.position.as_dvec3() + told.next.0 * time;
        (pose.is_valid() && position.is_finite()).then_some((position, pose.rotation, time - elapsed))
    }

    /// Returns the engine's last state, if it is known how the engine moves on from there, `elapsed` \[s\] of
    /// steps after it.
    fn told_now(&self, elapsed: f64) -> Option<Told> {
        self.told.filter(|_| self.is_current && elapsed.abs() <= LONGEST)
    }
}

impl Told {
    /// Returns by how much changes of velocity have moved the body per time \[m/s\] in a `frame` \[s\]; None
    /// if round-off hides it.
    fn moved(&self, position: DVec3, velocity: DVec3, frame: f64) -> Option<DVec3> {
        let (start, change) = (self.pose.position.as_dvec3(), velocity - self.velocity);
        let round_off = f64::from(f32::EPSILON) * (start.abs().max_element() + position.abs().max_element());
        let is_seen = change.length() * frame >= LEAST_SEEN * round_off;
        is_seen.then_some((position - start) / frame - self.velocity)
    }

    /// Returns the pose `time` \[s\] later.
    fn after(&self, time: f64) -> Pose {
        let (velocity, spin) = self.next;
        self.pose.advanced(velocity.as_vec3(), spin, time as f32)
    }
}
