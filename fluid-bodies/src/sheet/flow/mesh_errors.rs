//! Errors of a flow that is read from a mesh with the sheet's own flow in it: they are no force (E51,
//! decision 67).

use super::{MOST_VERTICES, Pair, SheetFlow};
use glam::DQuat;

/// Error of flow read from a mesh, relative to the slip along the sheet \[1\].
const MESH_ERROR: f32 = 0.0075;

/// Largest jump of the answer, relative to that to this error \[1\], that is attributed to it where the flow
/// is read with other errors than before.
const MOST_JUMP: f64 = 4.0;

/// Impulses per density of a sheet's answer to the flow of others, in the world's axes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Answer {
    /// Of the whole answer.
    pub(crate) whole: Pair,
    /// Of the part that is used.
    pub(crate) used: Pair,
}

fluid_core::saved::fields!(Answer { whole, used });

/// The answer that earlier ones lead to, where the flow is read with other errors than before.
pub(super) struct ExpectedAnswer {
    /// Strengths at the vertices \[m²/s\].
    strengths: [f32; MOST_VERTICES],
    /// Impulse per density of a sharp sheet that uses all of it, in the body's axes.
    impulse: Pair,
    /// Time from the start of the present step \[s\].
    after: f32,
    /// Speed of a flow that may be mere error \[m/s\].
    error: f32,
}

impl SheetFlow {
    /// Notes the `slip` \[m/s\] along the sheet that is in the nodes to be read, 0 if it is in none. Returns
    /// the answer expected in the middle of a step of `dt` \[s\] if the errors will differ from those of the
    /// last step: the sheet has joined a mesh or left it, or has errors of its first answer as well.
    pub(super) fn expect(&mut self, dt: f32, slip: f32) -> Option<ExpectedAnswer> {
        let (noise, after) = (MESH_ERROR * slip, 0.5 * dt);
        let before = std::mem::replace(&mut self.noise, noise);
        let is_read_anew = (before > 0.0) != (noise > 0.0) || noise > 0.0 && !self.others.is_settled();
        if !(self.others.is_known() && is_read_anew) {
            return None;
        }
        let mut strengths = [0.0; MOST_VERTICES];
        strengths.iter_mut().zip(self.others.at(after)).for_each(|(to, strength)| *to = strength);
        Some(ExpectedAnswer {
            strengths,
            impulse: self.whole_impulse_of_others(after),
            after,
            error: before.max(noise),
        })
    }

    /// Returns the part of the whole answer's jump from the `expected` one that these errors explain. Earlier
    /// answers are raised by it, so that extrapolation does not continue it.
    pub(super) fn jump_from(&mut self, expected: &ExpectedAnswer) -> Pair {
        let jump = self.whole_impulse_of_others(expected.after).and(expected.impulse.times(-1.0));
        let used = self.drift(jump) * self.part_of_others();
        let part = (MOST_JUMP * f64::from(expected.error) / used).min(1.0);
        if !part.is_finite() {
            return Pair::default();
        }
        self.others.jump_from(&expected.strengths, part as f32);
        jump.times(part)
    }

    /// True if the flow was last read with errors.
    pub(crate) fn has_errors(&self) -> bool {
        self.noise > 0.0
    }

    /// Finds the fraction of the flow of others that stands out from errors (Wiener's filter).
    pub(super) fn hear(&mut self) {
        let read = self.drift(self.whole_impulse_of_others(0.0));
        let heard = 1.0 - (f64::from(self.noise) / read).powi(2);
        self.heard = if self.noise == 0.0 { 1.0 } else { heard.max(0.0) as f32 };
    }

    /// Returns the answer at the start of the present step, of a body with this `rotation`.
    pub(crate) fn answer(&self, rotation: DQuat) -> Answer {
        let whole = self.whole_impulse_of_others(0.0).turned(rotation);
        Answer { whole, used: whole.times(self.part_of_others()) }
    }

    /// Returns the part of the change from the answer `before` to that `now` that no force has given, of a
    /// body with this `rotation`, by steps that `followed` the former as far \[1\]: errors of a mesh come
    /// and go without force, in steps of any length.
    pub(crate) fn unforced_change(
        &self,
        (before, now): (&Answer, &Answer),
        followed: f64,
        rotation: DQuat,
    ) -> Pair {
        let back = rotation.conjugate();
        let given = |whole: Pair| whole.times(self.part_given_by_forces(whole.turned(back)));
        let forced = given(now.whole).and(given(before.whole).times(-1.0)).times(followed);
        now.used.and(before.used.and(forced).times(-1.0))
    }

    /// Returns the fraction of a whole answer with this impulse per density, in the body's axes, that forces
    /// have given by the time that it has grown from nothing: the integral of the fraction
    /// [heard](Self::hear) over that growth, 1 - 2 n/d + (n/d)² from the error n of the flow on.
    fn part_given_by_forces(&self, whole: Pair) -> f64 {
        let error = f64::from(self.noise) / self.drift(whole);
        if self.noise == 0.0 { 1.0 } else { (1.0 - error.min(1.0)).powi(2) }
    }
}
