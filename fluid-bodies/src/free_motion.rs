//! Motion of a body between two states set by its engine, and impulses that the engine has yet to take
//! (E48).
//!
//! The library applies the fluid's impulses to a body at once, and keeps them until the engine has taken
//! them: a fluid step relies on the body's recoil in the step before. Accelerations by the engine itself
//! (weight, floors, joints) are measured from one state to the next, and are extrapolated in between. Kick,
//! drift, contacts, kick: of second order in the step.

use crate::lift_path::LiftPath;
use crate::pose::Pose;
use glam::{DMat3, DQuat, DVec3, Quat, Vec3};

/// Age \[s\] above which impulses that the engine has not taken are no longer added to its states: it does
/// not apply them.
const OLDEST_IMPULSE: f64 = 0.25;
/// Change of a body's velocity, as a fraction of the fluid's impulse, above which the body is not held \[1\].
const MOST_OF_HELD: f64 = 0.25;
/// The same, up to which the velocity of a held body may change because its constraint is solved
/// approximately \[1\].
const UNEVEN: f64 = 0.002;
/// Relative change of an engine's own acceleration between two intervals up to which it counts as a force
/// \[1\].
const STEADY: f64 = 0.1;
/// The same, up to which it is a force and no hold, and from which on it is not \[1\].
const LASTING: (f64, f64) = (0.1, 0.25);
/// Most that an engine removes from a body that it throws back, relative to the fluid's impulse \[1\].
const MOST_TAKEN: f64 = 3.0;
/// Longest interval \[s\] over which the engine's acceleration is not measured: round-off of velocities would
/// dominate.
const SHORTEST: f64 = 1e-9;
/// Least mass in free motion, relative to that of the displaced fluid \[1\]: a moving body moves about half
/// of that mass with it.
const LEAST_MASS: f64 = 0.5;
/// Distance between the engine's position of a body and the library's, relative to the body's size \[1\],
/// above which the body counts as teleported.
const JUMP: f32 = 0.25;
/// Most fluid that contacts are assumed to carry along, relative to the body's mass \[1\], and least fraction
/// of a slip that they are assumed to leave.
const MOST_CARRIED: f64 = 1e4;
const LEAST_REST: f64 = 1e-3;
/// Iterations for the mean spin of a step. Each reduces the error by a factor of about dt times the spin.
const SPIN_ITERATIONS: usize = 24;

/// Force \[N\] and torque \[N m\] about the centre of mass.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wrench {
    /// Force \[N\].
    pub force: DVec3,
    /// Torque \[N m\].
    pub torque: DVec3,
}

fluid_core::saved::fields!(Wrench { force, torque });

/// State of a body's motion beside position and velocities.
#[derive(Debug, Clone, Default)]
pub(crate) struct FreeMotion {
    /// Lift in the last step; None before the first step and after a teleport.
    lift: Option<Wrench>,
    /// Acceleration that the engine is assumed to add until it has been measured \[m/s²\]; None if there is
    /// lift only.
    weight: Option<DVec3>,
    /// Mass of the displaced fluid \[kg\].
    displaced: f64,
    /// Mass of the fluid carried along by contacts, relative to the body's \[1\].
    carried: Option<f64>,
    engine: Engine,
    pending: Pending,
    lift_path: LiftPath,
    /// The current step.
    step: Option<Step>,
}

fluid_core::saved::fields!(FreeMotion { lift, weight, displaced, carried, engine, pending, lift_path, step });

/// Record of the engine's states and impulses.
#[derive(Debug, Clone, Default)]
struct Engine {
    /// Velocity \[m/s\] in the last state that the engine set.
    told: Option<DVec3>,
    /// Time \[s\] of the steps since then.
    elapsed: f64,
    /// Change of velocity \[m/s\] by impulses that the engine has taken since then.
    taken: DVec3,
    /// Its own acceleration of the body \[m/s²\] over the last two intervals.
    own: [Option<DVec3>; 2],
    /// The same over the last interval, without corrections.
    last: Option<DVec3>,
    /// Degree to which that was a force that also acted in the interval before \[1\].
    lasting: f64,
    /// Degree to which the velocity changed by more than that of a held body in the last interval \[1\].
    yielded: f64,
    /// True if the engine has set a state after steps and has never taken their impulses: it moves the body
    /// by itself.
    ignores: bool,
    /// Degree to which the engine holds the body \[1\].
    held: f64,
}

fluid_core::saved::fields!(Engine { told, elapsed, taken, own, last, lasting, yielded, ignores, held });

/// Changes by the library since the engine last took impulses.
#[derive(Debug, Clone, Default)]
struct Pending {
    /// Change of velocity \[m/s\].
    velocity: DVec3,
    /// Change of angular momentum \[N m s\].
    angular: DVec3,
    /// Time \[s\] of the steps since then.
    age: f64,
    /// True if the engine has ever taken impulses.
    is_wanted: bool,
}

fluid_core::saved::fields!(Pending { velocity, angular, age, is_wanted });

/// State at the start of a step.
#[derive(Debug, Clone, Copy, Default)]
struct Step {
    /// Expected forces in the step.
    expected: Expected,
    /// Fraction of these that contacts see, and of the contacts' impulses that has moved the body at the end
    /// of the step.
    before: f64,
    /// Velocity \[m/s\] and angular velocity \[rad/s\] with which contacts meet the body.
    velocity: DVec3,
    spin: DVec3,
    /// Impulse \[N s\] and angular impulse \[N m s\] of contacts so far.
    linear: DVec3,
    angular: DVec3,
    /// True if there are contacts.
    met: bool,
}

fluid_core::saved::fields!(Step { expected, before, velocity, spin, linear, angular, met });

/// Expected forces in the next step, contacts not included.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Expected {
    /// Acceleration \[m/s²\].
    pub(crate) acceleration: DVec3,
    /// Torque \[N m\].
    pub(crate) torque: DVec3,
}

fluid_core::saved::fields!(Expected { acceleration, torque });

/// Fraction of forces on a body and the fluid that moves with it which acts on the body: its acceleration
/// \[m/s²\] and the torque on it \[N m\].
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyResponse {
    /// Response to the acceleration that a force would give to the body alone.
    pub(crate) of_acceleration: (DMat3, DMat3),
    /// Response to a torque.
    pub(crate) of_torque: (DMat3, DMat3),
}

/// Mass and inertia of a body that responds to impulses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inertia {
    /// Mass \[kg\]; may be infinite.
    pub(crate) mass: f64,
    /// Inertia tensor about the centre of mass, body's axes \[kg m²\].
    pub(crate) tensor: DMat3,
    /// Its inverse \[1/(kg m²)\]; zero if the body cannot be turned.
    pub(crate) inverse: DMat3,
    /// Fraction of forces that moves the body and not the fluid that moves with it, world's axes; None if the
    /// body takes all.
    pub(crate) part: Option<BodyResponse>,
}

impl Inertia {
    /// True if the body can be turned.
    pub(crate) fn turns(&self) -> bool {
        self.inverse != DMat3::ZERO
    }

    /// Returns the angular velocity for an angular momentum, both in the world's axes.
    pub(crate) fn spin(&self, rotation: DQuat, momentum: DVec3) -> DVec3 {
        rotation * (self.inverse * (rotation.conjugate() * momentum))
    }

    /// Returns the angular momentum for an angular velocity, both in the world's axes.
    pub(crate) fn momentum(&self, rotation: DQuat, spin: DVec3) -> DVec3 {
        rotation * (self.tensor * (rotation.conjugate() * spin))
    }

    /// Returns the spin \[rad/s\], world's axes, at the middle of the next `dt`. The implicit midpoint rule
    /// keeps the invariants of Euler's equations, because both are quadratic in the angular momentum in the
    /// body's axes.
    pub(crate) fn mean_spin(&self, rotation: DQuat, momentum: DVec3, dt: f64) -> DVec3 {
        let start = rotation.conjugate() * momentum;
        let mut spin = self.inverse * start;
        for _ in 0..SPIN_ITERATIONS {
            let half = spin * (0.5 * dt);
            // In the body's axes, a fixed direction of the world rotates backwards.
            let back = DQuat::from_xyzw(-half.x, -half.y, -half.z, 1.0).normalize();
            let next = self.inverse * (0.5 * (start + back * start));
            if next == spin {
                break;
            }
            spin = next;
        }
        rotation * spin
    }
}

impl FreeMotion {
    /// Returns the forces of the next step on the body alone, as far as they are known.
    pub(crate) fn expected(&self, inertia: &Inertia) -> Expected {
        let Expected { acceleration, torque } = self.acting(inertia);
        let Some(part) = inertia.part else { return Expected { acceleration, torque } };
        Expected {
            acceleration: part.of_acceleration.0 * acceleration + part.of_torque.0 * torque,
            torque: part.of_acceleration.1 * acceleration + part.of_torque.1 * torque,
        }
    }

    /// Returns the forces on body and fluid together.
    fn acting(&self, inertia: &Inertia) -> Expected {
        let Some(lift) = self.lift else { return Expected::default() };
        // The support of a held body also takes the torque of its lift.
        let torque = if self.engine.ignores { DVec3::ZERO } else { lift.torque * (1.0 - self.engine.held) };
        Expected { acceleration: self.acceleration(inertia, lift.force), torque }
    }

    /// True if the engine moves the body by itself and takes no impulses of the fluid.
    pub(crate) fn is_ignored(&self) -> bool {
        self.engine.ignores
    }

    /// True if the lift is not known yet.
    pub(crate) fn wants_lift(&self) -> bool {
        self.lift.is_none()
    }

    /// Sets the lift before a first step, and the acceleration that the engine adds.
    pub(crate) fn set_lift(&mut self, lift: Wrench, (weight, displaced): (Option<DVec3>, f64)) {
        (self.lift, self.weight, self.displaced) = (Some(lift), weight, displaced);
    }

    /// Sets the torque of the lift \[N m\] at the pose at which momentum is shared.
    pub(crate) fn turn_lift(&mut self, torque: DVec3) {
        if let Some(lift) = &mut self.lift {
            lift.torque = torque;
        }
    }

    /// Sets an initial estimate of the mass of fluid carried along by contacts, relative to the body's.
    pub(crate) fn guess_carried(&mut self, carried: f64) {
        self.carried.get_or_insert(carried.min(MOST_CARRIED));
    }

    /// Returns the fraction of the expected forces that contacts are to see, if they take the fraction 1 -
    /// exp(-`relaxed`) of the slip of a body of infinite mass. With it, the slip under a steady force that
    /// contacts resist is the same for any length of the step: with carried fluid of r times the body's mass,
    /// contacts take s (1 + r) / (1 + s r), and leave a dt (1 / that - fraction), which is to be a dt /
    /// (`relaxed` (1 + r)).
    pub(crate) fn share_before(&self, relaxed: f64) -> f64 {
        let carried = self.carried.unwrap_or(0.0);
        let of_driven = match relaxed {
            x if x < 1e-3 => 0.5 + x / 12.0,
            x if x.is_infinite() => 1.0,
            x => -1.0 / libm::expm1(-x) - 1.0 / x,
        };
        (of_driven + carried) / (1.0 + carried)
    }

    /// Estimates how much fluid contacts carry along, from the impulse that contacts gave to a body of this
    /// mass \[kg\] by taking the fraction `taken` of a mean slip \[m/s\].
    pub(crate) fn look_at_reply(&mut self, slip: DVec3, mass: f64, taken: f64) {
        let Some(step) = &mut self.step else { return };
        step.met = true;
        // Without friction, or in a step of zero length, contacts take none of it.
        if taken <= 0.0 {
            return;
        }
        let share = step.linear.dot(slip) / (mass * slip.length_squared());
        // r / (1 + s r), for the fraction s taken.
        let found = (share / taken).max(0.0);
        self.carries(found / (1.0 - taken * found).max(LEAST_REST));
    }

    /// Records the mass of fluid carried along by contacts, relative to the body's \[1\].
    pub(crate) fn carries(&mut self, carried: f64) {
        let carried = carried.clamp(0.0, MOST_CARRIED);
        if carried.is_finite() {
            self.carried = Some(0.5 * (self.carried.unwrap_or(carried) + carried));
        }
        if let Some(step) = &mut self.step {
            step.met = true;
        }
    }

    /// Returns the acceleration \[m/s²\] for a lift \[N\].
    fn acceleration(&self, inertia: &Inertia, lift: DVec3) -> DVec3 {
        if inertia.mass.is_infinite() {
            return DVec3::ZERO;
        }
        if self.engine.ignores {
            return self.own();
        }
        // An engine that moves the body by its own forces later than by the fluid's impulses gets only a
        // part of the answer to these in advance: with all of it, springs would gain energy.
        let force = lift + self.own() * (inertia.mass * self.lift_path.own_ahead());
        // A floor with the default mass would jump before the engine has shown that it holds the floor,
        // unless the surrounding fluid holds it back.
        let is_known = self.engine.own[1].is_some() || self.weight.is_none() || inertia.part.is_some();
        force / if is_known { inertia.mass } else { inertia.mass.max(LEAST_MASS * self.displaced) }
    }

    /// Returns the engine's own acceleration of the body \[m/s²\]: lasting forces are in both of the last two
    /// measurements, blows are in one.
    fn own(&self) -> DVec3 {
        match self.engine.own {
            [Some(a), Some(b)] => in_both(a, b),
            [Some(a), None] | [None, Some(a)] => a,
            [None, None] => self.weight.unwrap_or(DVec3::ZERO),
        }
    }

    /// Begins a step in which contacts take the fraction 1 - exp(-`relaxed`) of the slip of a body of
    /// infinite mass. Returns the expected forces, and the fraction of these that contacts are to see.
    pub(crate) fn begin(&mut self, inertia: &Inertia, relaxed: f64) -> (Expected, f64) {
        let (expected, before) = (self.expected(inertia), self.share_before(relaxed));
        self.step = Some(Step { expected, before, ..Step::default() });
        (expected, before)
    }

    /// Sets the velocities \[m/s, rad/s\] with which contacts meet the body.
    pub(crate) fn meet(&mut self, velocity: DVec3, spin: DVec3) {
        if let Some(step) = &mut self.step {
            (step.velocity, step.spin) = (velocity, spin);
        }
    }

    /// Limits the impulses of contacts that would make the body faster than the fluid that touches it: `mean`
    /// \[m/s\] is the mean velocity of the fluid at contacts, and `fastest` \[m/s\] its largest speed
    /// relative to the centre of mass. `share_of_turn` returns the fraction of an angular impulse that keeps
    /// the surface, which turns with this angular velocity, below that speed. A body that is held still has
    /// the velocities `once_free` without these impulses. Returns the excess \[N s, N m s\].
    pub(crate) fn limit(
        &mut self,
        mass: f64,
        once_free: Option<(DVec3, DVec3)>,
        (mean, fastest): (DVec3, f64),
        share_of_turn: impl Fn(DVec3, DVec3, f64) -> f64,
    ) -> (DVec3, DVec3) {
        let none = (DVec3::ZERO, DVec3::ZERO);
        let Some(step) = &mut self.step else { return none };
        if mass.is_infinite() || !(mean.is_finite() && fastest.is_finite()) {
            return none;
        }
        let (velocity, spin) = once_free.unwrap_or((step.velocity, step.spin));
        let (before, change) = (velocity - mean, step.linear / mass);
        let share = share_within(before, change, before.length().max(fastest));
        let turn = share_of_turn(spin, step.angular, fastest);
        let excess = (step.linear * (1.0 - share), step.angular * (1.0 - turn));
        step.linear -= excess.0;
        step.angular -= excess.1;
        excess
    }

    /// Returns the impulses of contacts in this step so far \[N s, N m s\].
    pub(crate) fn pushed(&self) -> (DVec3, DVec3) {
        self.step.as_ref().map_or((DVec3::ZERO, DVec3::ZERO), |step| (step.linear, step.angular))
    }

    /// Adds an impulse of contacts on the body \[N s, N m s\].
    pub(crate) fn push(&mut self, linear: DVec3, angular: DVec3) {
        if let Some(step) = &mut self.step {
            step.linear += linear;
            step.angular += angular;
        }
    }

    /// Ends the step of `dt` \[s\] with this lift; `weight` \[m/s²\] is the acceleration that an engine is
    /// assumed to add until it has been measured.
    ///
    /// Impulses of contacts against a steady force act throughout the step, and half of them has moved the
    /// body at its end; the remaining impulses are due to slip that decays from the start of the step on.
    pub(crate) fn finish(
        &mut self,
        inertia: &Inertia,
        dt: f64,
        lift: Wrench,
        (weight, displaced): (Option<DVec3>, f64),
    ) -> Option<MotionChange> {
        let Step { expected, before, mut linear, mut angular, met, .. } = self.step.take()?;
        (self.weight, self.displaced) = (weight, displaced);
        self.lift = Some(lift);
        let (acted, whole) = (self.expected(inertia), self.acting(inertia));
        if self.engine.ignores {
            (linear, angular) = (DVec3::ZERO, DVec3::ZERO);
        }
        let carried = self.carried.filter(|_| met).unwrap_or(0.0);
        let steady = (0.5 - before) * carried / (1.0 + carried) * dt;
        let velocity = linear / inertia.mass;
        let moved = velocity * before - expected.acceleration * steady;
        let turned = angular * before - expected.torque * steady;
        let change = MotionChange {
            velocity: velocity + acted.acceleration * dt,
            angular: angular + acted.torque * dt,
            moved: moved + (acted.acceleration - expected.acceleration) * (0.5 * dt),
            turned: turned + (acted.torque - expected.torque) * (0.5 * dt),
            withheld: (whole.acceleration - acted.acceleration) * dt,
            withheld_angular: (whole.torque - acted.torque) * dt,
        };
        self.pending.velocity += change.velocity;
        self.pending.angular += change.angular;
        self.pending.age += dt.max(0.0);
        self.engine.elapsed += dt;
        Some(change)
    }

    /// Applies a change that does not come from a step \[m/s, N m s\].
    pub(crate) fn kick(&mut self, velocity: DVec3, angular: DVec3) {
        self.pending.velocity += velocity;
        self.pending.angular += angular;
    }

    /// Records that the engine takes the pending impulse, given over the mass \[m/s\].
    pub(crate) fn take(&mut self, velocity: DVec3) {
        self.lift_path.take(self.engine.elapsed);
        self.engine.taken += velocity;
        self.engine.ignores = false;
        self.pending = Pending { is_wanted: true, ..Pending::default() };
    }

    /// Records pose and velocities \[m/s, rad/s\] in a state that the engine sets for a body of this mass
    /// \[kg\], which `shares` its momentum with the fluid around it or not. Returns the pending change that
    /// the engine has not taken, to be added to velocity and angular momentum \[m/s, N m s\], and by how much
    /// longer the engine has moved the body than the steps since its last state \[s\].
    pub(crate) fn tell(
        &mut self,
        (pose, velocity, spin): (Pose, DVec3, Vec3),
        mass: f64,
        shares: bool,
    ) -> (DVec3, DVec3, f64) {
        let since = self.engine.elapsed;
        let lift = self.lift.map(|lift| lift.force / mass);
        let weight = self.weight.unwrap_or(DVec3::ZERO);
        // Change of velocity, and that by the fluid.
        let changes = self.engine.told.map(|before| (velocity - before, self.engine.taken));
        let Engine { told, elapsed, taken, own, last, lasting, yielded, ignores, held: holds } =
            &mut self.engine;
        if let Some(before) = *told
            && *elapsed > SHORTEST
        {
            let change = velocity - before;
            let free = (change - *taken) / *elapsed;
            // A body that is held loses any impulse. Treated as a force, the hold would respond to impulses
            // of the previous frame, and oscillate. A body is not held if the fluid's impulse is as large as
            // its weight and opposite to it.
            let other = (free - weight).length() * elapsed.abs();
            let by_other = (other / (MOST_OF_HELD * taken.length())).min(1.0);
            let held = if shares && by_other > 0.0 { by_other * part_held(change, *taken) } else { 0.0 };
            // Nor is a light body that a force pushes together with much fluid: its velocity changes by
            // little in comparison with the fluid's impulse. Blows of a constraint may be alike twice, and
            // the fluid's impulse of two intervals may stop it once.
            let (lasts, yields) = (part_lasting(free, *last), part_yielded(change, *taken));
            let held = held * (1.0 - lasts.min(*lasting) * yields.max(*yielded));
            let mut measured = lift.map_or(free, |lift| free.lerp(change / *elapsed - lift, held));
            // A constraint that throws a body back removes the impulse or more, in varying amounts. A steady
            // force does not vary.
            let is_steady = last.is_some_and(|last| (free - last).length() <= STEADY * free.length());
            if by_other > 0.0 && !is_steady {
                let thrown = by_other * part_thrown_back(free * *elapsed, *taken);
                measured = measured.lerp(-lift.unwrap_or(DVec3::ZERO), thrown);
            }
            (*last, *lasting, *yielded) = (Some(free), lasts, yields);
            *own = [own[1], measured.is_finite().then_some(measured)];
            *ignores = !self.pending.is_wanted;
            *holds = lift.map_or(0.0, |_| held);
        }
        let given = std::mem::take(taken);
        (*told, *elapsed) = (Some(velocity), 0.0);
        if !self.pending.is_wanted || self.pending.age > OLDEST_IMPULSE {
            self.pending = Pending::default();
        }
        let lag = self.pending.age;
        let next = velocity + self.pending.velocity + self.own() * lag;
        let is_free = changes.is_some_and(|(change, taken)| {
            let round_off = f64::from(f32::EPSILON) * velocity.length();
            let other = (change - taken - self.own() * since).length();
            other <= STEADY * change.length().max(taken.length()) + round_off
        });
        let longer = self.lift_path.tell((pose, velocity, given), (next, spin), (since, lag), is_free);
        (self.pending.velocity, self.pending.angular, longer)
    }

    /// Returns the pose at which the lift of a step of `dt` \[s\] is read, and the displacement \[m\] of
    /// which that is the middle, of a body that an engine moves and that takes the fluid's impulses.
    pub(crate) fn lift_path(&self, dt: f64) -> Option<(Pose, DVec3)> {
        if self.pending.is_wanted { self.lift_path.at(dt, self.engine.elapsed) } else { None }
    }

    /// Returns the position \[m\] and rotation at which a body that an engine moves, and that takes the
    /// fluid's impulses, shares momentum in a step of `dt` \[s\], with the time \[s\] from now to these and
    /// that of the frame up to the end of the step.
    pub(crate) fn shared_at(&self, dt: f64) -> Option<(DVec3, Quat, [f64; 2])> {
        let elapsed = self.engine.elapsed;
        let known = self.lift_path.shared_at(dt, elapsed).filter(|_| self.pending.is_wanted);
        known.map(|(position, rotation, ahead)| (position, rotation, [ahead, elapsed + dt]))
    }

    /// Records that the engine's states do not show how it moves the body.
    pub(crate) fn leave_lift_path(&mut self) {
        self.lift_path.leave();
    }

    /// Makes the position `origin` \[m\] the origin.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.lift_path.shift_origin(origin);
    }

    /// Brings the body to rest and restarts the measurement of its engine; earlier observations are kept.
    pub(crate) fn rest(&mut self) {
        (self.engine.told, self.engine.elapsed, self.engine.taken) = (None, 0.0, DVec3::ZERO);
        self.pending = Pending { is_wanted: self.pending.is_wanted, ..Pending::default() };
        self.lift_path.leave();
    }

    /// Records that the body is `way` \[m\] from its expected position; `size` \[m\] is the size of the body.
    pub(crate) fn moved(&mut self, way: f32, size: f32) {
        if way > JUMP * size {
            self.lift = None;
        }
    }

    /// Resets the state after the body has been teleported.
    pub(crate) fn forget(&mut self) {
        *self = Self { weight: self.weight, displaced: self.displaced, ..Self::default() };
    }
}

/// Returns the degree to which an engine holds a body, if the body's velocity changes by `change` under a
/// fluid impulse of `given` \[m/s\].
fn part_held(change: DVec3, given: DVec3) -> f64 {
    let share = change.length() / given.length();
    if share.is_finite() { (1.0 - share / MOST_OF_HELD).clamp(0.0, 1.0) } else { 0.0 }
}

/// Returns the degree to which a body's velocity changes by more than that of a held one, by `change` under a
/// fluid impulse of `given` \[m/s\].
fn part_yielded(change: DVec3, given: DVec3) -> f64 {
    let share = change.length() / given.length();
    if share.is_finite() { (share / UNEVEN - 1.0).clamp(0.0, 1.0) } else { 1.0 }
}

/// Returns the degree to which an engine's acceleration of a body is a force that also acted in the interval
/// before.
fn part_lasting(own: DVec3, before: Option<DVec3>) -> f64 {
    let (least, most) = LASTING;
    let change = before.map_or(1.0, |before| (own - before).length() / own.length());
    if change.is_finite() { ((most - change) / (most - least)).clamp(0.0, 1.0) } else { 0.0 }
}

/// Returns the degree to which an engine throws back a body, if it changes the body's velocity by `own` under
/// a fluid impulse of `given` \[m/s\]: it removes the impulse, or up to [`MOST_TAKEN`] times as much.
fn part_thrown_back(own: DVec3, given: DVec3) -> f64 {
    let times = (-own.dot(given) / given.length_squared()).clamp(1.0, MOST_TAKEN);
    part_held(own + given * times, given)
}

/// Returns the shorter of two vectors, reduced to its common part with the other; zero if they are opposed.
pub(crate) fn in_both(a: DVec3, b: DVec3) -> DVec3 {
    let (weaker, other) = if a.length_squared() < b.length_squared() { (a, b) } else { (b, a) };
    let share = weaker.dot(other) / weaker.length_squared();
    if share.is_finite() { weaker * share.clamp(0.0, 1.0) } else { DVec3::ZERO }
}

/// Returns the largest fraction of `change`, up to 1, that keeps `start`, which is no longer than `most`,
/// within it.
pub(crate) fn share_within(start: DVec3, change: DVec3, most: f64) -> f64 {
    if (start + change).length() <= most {
        return 1.0;
    }
    let (a, b) = (change.length_squared(), start.dot(change));
    let c = (start.length_squared() - most * most).min(0.0);
    let share = (-b + (b * b - a * c).max(0.0).sqrt()) / a;
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 1.0 }
}

/// Effect of a step on a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MotionChange {
    /// Change of velocity \[m/s\].
    pub(crate) velocity: DVec3,
    /// Change of angular momentum \[N m s\].
    pub(crate) angular: DVec3,
    /// Part of the change, as a mean over the step, that the path through the step did not include \[m/s\].
    pub(crate) moved: DVec3,
    /// The same for angular momentum \[N m s\].
    pub(crate) turned: DVec3,
    /// Change of velocity by forces that goes to the fluid instead of the body \[m/s\].
    pub(crate) withheld: DVec3,
    /// The same for angular momentum \[N m s\].
    pub(crate) withheld_angular: DVec3,
}
