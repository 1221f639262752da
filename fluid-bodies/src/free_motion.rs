//! How a body moves between two states that its engine tells, and what is still to be told to the engine.
//!
//! The library moves a body by the impulses that the fluid gives to it, at once and for as long as the engine
//! has not taken them: a fluid step counts on the body having given way in the step before. What the engine
//! does to the body by itself (weight, floors, joints) is measured from one told state to the next, and goes
//! on meanwhile. Kick, drift, contacts, kick: of second order in the step.

use glam::{DMat3, DQuat, DVec3};

/// Impulses that the engine has not taken for so long \[s\] are not added to the states that it tells any
/// more: it does not apply them.
const PATIENCE: f64 = 0.25;
/// Share of what is given to a body by which its velocity changes \[1\], from which on nothing holds it.
const MOST_OF_HELD: f64 = 0.25;
/// Change of an engine's own acceleration from one interval to the next up to which it is a force, over
/// itself \[1\].
const STEADY: f64 = 0.1;
/// Most that an engine takes away from a body that it throws back, over what fluid gives to it \[1\].
const MOST_TAKEN: f64 = 3.0;
/// Longest time \[s\] over which what the engine does to a body is not measured: rounding of velocities over
/// it would be all there is.
const SHORTEST: f64 = 1e-9;
/// Least mass in free motion, as a share of that of the displaced fluid \[1\]: what moves a body moves about
/// half of that with it.
const LEAST_MASS: f64 = 0.5;
/// A body whose told place is further than this share of its size from where the library has moved it has
/// been put there \[1\].
const JUMP: f32 = 0.25;
/// Most fluid that contacts are taken to carry along, over the body's mass \[1\], and least share of a slip
/// that they are taken to leave.
const MOST_CARRIED: f64 = 1e4;
const LEAST_REST: f64 = 1e-3;
/// Rounds in which a step looks for the mean spin. Each shrinks the error by about dt times the spin.
const ROUNDS: usize = 24;

/// Force \[N\] and torque \[N m\] about the centre of mass.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wrench {
    /// Force \[N\].
    pub force: DVec3,
    /// Torque \[N m\].
    pub torque: DVec3,
}

fluid_core::saved::fields!(Wrench { force, torque });

/// What is known of a body's motion beside its state.
#[derive(Debug, Clone, Default)]
pub(crate) struct FreeMotion {
    /// Lift in the last step; none before the first and after a jump.
    lift: Option<Wrench>,
    /// What the engine is thought to give to the body by itself until that has been measured \[m/s²\]; none
    /// if lift is all there is.
    weight: Option<DVec3>,
    /// Mass of the displaced fluid \[kg\].
    displaced: f64,
    /// Mass of the fluid that its contacts carry along, over its own \[1\].
    carried: Option<f64>,
    engine: Engine,
    pending: Pending,
    /// The step that is going on.
    step: Option<Step>,
}

fluid_core::saved::fields!(FreeMotion { lift, weight, displaced, carried, engine, pending, step });

/// What the engine has said.
#[derive(Debug, Clone, Default)]
struct Engine {
    /// Velocity \[m/s\] when it told a state last.
    told: Option<DVec3>,
    /// Time \[s\] of the steps since then.
    elapsed: f64,
    /// Velocity \[m/s\] from impulses that it has taken since then.
    taken: DVec3,
    /// Its own acceleration of the body \[m/s²\] over the last two intervals.
    own: [Option<DVec3>; 2],
    /// The same over the last interval, whatever it answers.
    last: Option<DVec3>,
    /// True if it has told a state after steps, and has never taken what they gave: it moves the body by
    /// itself.
    ignores: bool,
    /// The part to which it holds the body \[1\].
    held: f64,
}

fluid_core::saved::fields!(Engine { told, elapsed, taken, own, last, ignores, held });

/// What the library has done to the body since the engine has taken its impulses.
#[derive(Debug, Clone, Default)]
struct Pending {
    /// \[m/s\].
    velocity: DVec3,
    /// \[N m s\].
    angular: DVec3,
    /// Time \[s\] of the steps since then.
    age: f64,
    /// True if the engine has ever taken impulses.
    is_wanted: bool,
}

fluid_core::saved::fields!(Pending { velocity, angular, age, is_wanted });

/// What a step began with.
#[derive(Debug, Clone, Copy, Default)]
struct Step {
    /// What was expected to act in it.
    expected: Expected,
    /// The share of that which contacts see, and of what they do to the body that has moved it at the end of
    /// the step.
    before: f64,
    /// Velocity \[m/s\] and angular velocity \[rad/s\] with which contacts meet the body.
    velocity: DVec3,
    spin: DVec3,
    /// Impulse \[N s\] and angular impulse \[N m s\] of contacts so far.
    linear: DVec3,
    angular: DVec3,
    /// True if there are any.
    met: bool,
}

fluid_core::saved::fields!(Step { expected, before, velocity, spin, linear, angular, met });

/// What is expected to act in the next step, contacts apart.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Expected {
    /// \[m/s²\].
    pub(crate) acceleration: DVec3,
    /// \[N m\].
    pub(crate) torque: DVec3,
}

fluid_core::saved::fields!(Expected { acceleration, torque });

/// What acts on a body and the fluid that moves with it, and what of that acts on the body: its acceleration
/// \[m/s²\] and the torque on it \[N m\].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    /// For an acceleration that a force would give to the body alone.
    pub(crate) of_acceleration: (DMat3, DMat3),
    /// For a torque.
    pub(crate) of_torque: (DMat3, DMat3),
}

/// Mass and inertia of a body that impulses move.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inertia {
    /// \[kg\]; may be infinite.
    pub(crate) mass: f64,
    /// About the centre of mass, body's axes \[kg m²\].
    pub(crate) tensor: DMat3,
    /// Its inverse \[1/(kg m²)\]; zero for what nothing turns.
    pub(crate) inverse: DMat3,
    /// The part of what acts that moves the body and not the fluid that moves with it, world's axes; none if
    /// it takes all.
    pub(crate) part: Option<Part>,
}

impl Inertia {
    /// True if something can turn it.
    pub(crate) fn turns(&self) -> bool {
        self.inverse != DMat3::ZERO
    }

    /// Angular velocity for an angular momentum, both in the world's axes.
    pub(crate) fn spin(&self, rotation: DQuat, momentum: DVec3) -> DVec3 {
        rotation * (self.inverse * (rotation.conjugate() * momentum))
    }

    /// Angular momentum for an angular velocity, both in the world's axes.
    pub(crate) fn momentum(&self, rotation: DQuat, spin: DVec3) -> DVec3 {
        rotation * (self.tensor * (rotation.conjugate() * spin))
    }

    /// Spin \[rad/s\], world's axes, in the middle of the next `dt` (implicit midpoint rule for Euler's
    /// equations, whose invariants it keeps: both are quadratic in the angular momentum seen from the body).
    pub(crate) fn mean_spin(&self, rotation: DQuat, momentum: DVec3, dt: f64) -> DVec3 {
        let start = rotation.conjugate() * momentum;
        let mut spin = self.inverse * start;
        for _ in 0..ROUNDS {
            let half = spin * (0.5 * dt);
            // Seen from the turning body, what stands still in the world turns back.
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
    /// What acts in the next step, as far as it is known, on the body alone.
    pub(crate) fn expected(&self, inertia: &Inertia) -> Expected {
        let Expected { acceleration, torque } = self.acting(inertia);
        let Some(part) = inertia.part else { return Expected { acceleration, torque } };
        Expected {
            acceleration: part.of_acceleration.0 * acceleration + part.of_torque.0 * torque,
            torque: part.of_acceleration.1 * acceleration + part.of_torque.1 * torque,
        }
    }

    /// The same on body and fluid.
    fn acting(&self, inertia: &Inertia) -> Expected {
        let Some(lift) = self.lift else { return Expected::default() };
        // What holds a body takes the torque of its lift as well.
        let torque = if self.engine.ignores { DVec3::ZERO } else { lift.torque * (1.0 - self.engine.held) };
        Expected { acceleration: self.acceleration(inertia, lift.force), torque }
    }

    /// True if the engine moves the body by itself, and takes nothing that the fluid gives to it.
    pub(crate) fn is_ignored(&self) -> bool {
        self.engine.ignores
    }

    /// True if it is not known what lifts it.
    pub(crate) fn wants_lift(&self) -> bool {
        self.lift.is_none()
    }

    /// What lifts it, before a first step, and what the engine adds to that.
    pub(crate) fn set_lift(&mut self, lift: Wrench, (weight, displaced): (Option<DVec3>, f64)) {
        (self.lift, self.weight, self.displaced) = (Some(lift), weight, displaced);
    }

    /// What lifts it turns it by this `torque` \[N m\] where it is now.
    pub(crate) fn turn_lift(&mut self, torque: DVec3) {
        if let Some(lift) = &mut self.lift {
            lift.torque = torque;
        }
    }

    /// A first guess, over the body's mass, of the mass of the fluid that contacts carry along.
    pub(crate) fn guess_carried(&mut self, carried: f64) {
        self.carried.get_or_insert(carried.min(MOST_CARRIED));
    }

    /// The share of what is expected to act in a step that contacts are to see, if they take the share 1 -
    /// exp(-`relaxed`) of the slip of a body that nothing moves. Of a steady force that contacts resist, the
    /// slip is the same at any length of the step then: with carried fluid of r times the body's mass they
    /// take s (1 + r) / (1 + s r), and leave a dt (1 / that - share), which is to be a dt / (`relaxed` (1 +
    /// r)).
    pub(crate) fn share_before(&self, relaxed: f64) -> f64 {
        let carried = self.carried.unwrap_or(0.0);
        let of_driven = match relaxed {
            x if x < 1e-3 => 0.5 + x / 12.0,
            x if x.is_infinite() => 1.0,
            x => -1.0 / libm::expm1(-x) - 1.0 / x,
        };
        (of_driven + carried) / (1.0 + carried)
    }

    /// What contacts that take the share `taken` of a mean slip \[m/s\] have given to the body of this mass
    /// \[kg\] is a sign of how much fluid they carry along.
    pub(crate) fn look_at_reply(&mut self, slip: DVec3, mass: f64, taken: f64) {
        let Some(step) = &mut self.step else { return };
        step.met = true;
        let share = step.linear.dot(slip) / (mass * slip.length_squared());
        // r / (1 + s r), for the taken share s.
        let found = (share / taken).max(0.0);
        self.carries(found / (1.0 - taken * found).max(LEAST_REST));
    }

    /// Contacts carry along this mass of fluid, over the body's \[1\].
    pub(crate) fn carries(&mut self, carried: f64) {
        let carried = carried.clamp(0.0, MOST_CARRIED);
        if carried.is_finite() {
            self.carried = Some(0.5 * (self.carried.unwrap_or(carried) + carried));
        }
        if let Some(step) = &mut self.step {
            step.met = true;
        }
    }

    /// \[m/s²\], for a lift \[N\].
    fn acceleration(&self, inertia: &Inertia, lift: DVec3) -> DVec3 {
        if inertia.mass.is_infinite() {
            return DVec3::ZERO;
        }
        if self.engine.ignores {
            return self.own();
        }
        let force = lift + self.own() * inertia.mass;
        // A floor whose mass has been left as it comes would jump, before the engine has shown that it holds
        // it, unless the fluid around it holds it back.
        let is_known = self.engine.own[1].is_some() || self.weight.is_none() || inertia.part.is_some();
        force / if is_known { inertia.mass } else { inertia.mass.max(LEAST_MASS * self.displaced) }
    }

    /// The engine's own acceleration of the body \[m/s²\]: what lasts is in both of the two last measured,
    /// and blows are in one.
    fn own(&self) -> DVec3 {
        match self.engine.own {
            [Some(a), Some(b)] => in_both(a, b),
            [Some(a), None] | [None, Some(a)] => a,
            [None, None] => self.weight.unwrap_or(DVec3::ZERO),
        }
    }

    /// A step begins, in which contacts take the share 1 - exp(-`relaxed`) of the slip of a body that nothing
    /// moves. Returns what is expected to act in it, and the share of that which they are to see.
    pub(crate) fn begin(&mut self, inertia: &Inertia, relaxed: f64) -> (Expected, f64) {
        let (expected, before) = (self.expected(inertia), self.share_before(relaxed));
        self.step = Some(Step { expected, before, ..Step::default() });
        (expected, before)
    }

    /// Contacts meet the body with these velocities \[m/s, rad/s\].
    pub(crate) fn meet(&mut self, velocity: DVec3, spin: DVec3) {
        if let Some(step) = &mut self.step {
            (step.velocity, step.spin) = (velocity, spin);
        }
    }

    /// What contacts have given is too much for the body where it makes it faster than what touches it:
    /// `mean` \[m/s\] is the mean velocity of the fluid at contacts, and `fastest` \[m/s\] the largest
    /// against the centre of mass. `share_of_turn` gives the share of an angular impulse with which the
    /// surface, which turns with this angular velocity, stays as slow as that. Returns what is too much
    /// \[N s, N m s\].
    pub(crate) fn limit(
        &mut self,
        mass: f64,
        (mean, fastest): (DVec3, f64),
        share_of_turn: impl Fn(DVec3, DVec3, f64) -> f64,
    ) -> (DVec3, DVec3) {
        let none = (DVec3::ZERO, DVec3::ZERO);
        let Some(step) = &mut self.step else { return none };
        if mass.is_infinite() || !(mean.is_finite() && fastest.is_finite()) {
            return none;
        }
        let (before, change) = (step.velocity - mean, step.linear / mass);
        let share = share_within(before, change, before.length().max(fastest));
        let turn = share_of_turn(step.spin, step.angular, fastest);
        let excess = (step.linear * (1.0 - share), step.angular * (1.0 - turn));
        step.linear -= excess.0;
        step.angular -= excess.1;
        excess
    }

    /// Contacts have given this to the body \[N s, N m s\].
    pub(crate) fn push(&mut self, linear: DVec3, angular: DVec3) {
        if let Some(step) = &mut self.step {
            step.linear += linear;
            step.angular += angular;
        }
    }

    /// The step of `dt` \[s\] is over, in which this was the lift; `weight` \[m/s²\] is what an engine adds
    /// to it, as long as that has not been measured.
    ///
    /// What contacts do against a steady force acts all through the step, and half of it has moved the body
    /// at the end; the rest of it is slip that dies away from the beginning of the step on.
    pub(crate) fn finish(
        &mut self,
        inertia: &Inertia,
        dt: f64,
        lift: Wrench,
        (weight, displaced): (Option<DVec3>, f64),
    ) -> Option<Change> {
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
        let change = Change {
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

    /// Something other than a step has given this to the body \[m/s, N m s\].
    pub(crate) fn kick(&mut self, velocity: DVec3, angular: DVec3) {
        self.pending.velocity += velocity;
        self.pending.angular += angular;
    }

    /// The engine takes what is pending, of which this is the impulse over the mass \[m/s\].
    pub(crate) fn take(&mut self, velocity: DVec3) {
        self.engine.taken += velocity;
        self.engine.ignores = false;
        self.pending = Pending { is_wanted: true, ..Pending::default() };
    }

    /// The engine tells a velocity of a body of this mass \[kg\], which `shares` its momentum with the fluid
    /// around it or not. Returns what is to be added to that and to the angular momentum \[m/s, N m s\]: what
    /// it has not taken yet.
    pub(crate) fn tell(&mut self, velocity: DVec3, mass: f64, shares: bool) -> (DVec3, DVec3) {
        let lift = self.lift.map(|lift| lift.force / mass);
        let weight = self.weight.unwrap_or(DVec3::ZERO);
        let Engine { told, elapsed, taken, own, last, ignores, held: holds } = &mut self.engine;
        if let Some(before) = *told
            && *elapsed > SHORTEST
        {
            let change = velocity - before;
            let free = (change - *taken) / *elapsed;
            // What holds a body takes whatever it is given. Taken for a force, it would answer impulses of
            // the frame before, and ring. One that fluid gives as much as its weight, up to the other way, is
            // not held.
            let other = (free - weight).length() * elapsed.abs();
            let by_other = (other / (MOST_OF_HELD * taken.length())).min(1.0);
            let held = if shares && by_other > 0.0 { by_other * part_held(change, *taken) } else { 0.0 };
            let mut measured = lift.map_or(free, |lift| free.lerp(change / *elapsed - lift, held));
            // What throws a body back takes that or more, another time each time. A force is the same.
            let is_steady = last.is_some_and(|last| (free - last).length() <= STEADY * free.length());
            if by_other > 0.0 && !is_steady {
                let thrown = by_other * part_thrown_back(free * *elapsed, *taken);
                measured = measured.lerp(-lift.unwrap_or(DVec3::ZERO), thrown);
            }
            *last = Some(free);
            *own = [own[1], measured.is_finite().then_some(measured)];
            *ignores = !self.pending.is_wanted;
            *holds = lift.map_or(0.0, |_| held);
        }
        (*told, *elapsed, *taken) = (Some(velocity), 0.0, DVec3::ZERO);
        if !self.pending.is_wanted || self.pending.age > PATIENCE {
            self.pending = Pending::default();
        }
        (self.pending.velocity, self.pending.angular)
    }

    /// The body comes to rest, and its engine is measured anew from there; what it has shown so far stays.
    pub(crate) fn rest(&mut self) {
        (self.engine.told, self.engine.elapsed, self.engine.taken) = (None, 0.0, DVec3::ZERO);
        self.pending = Pending { is_wanted: self.pending.is_wanted, ..Pending::default() };
    }

    /// The body is somewhere else, `way` \[m\] from where it was thought to be; `size` \[m\] is that of the
    /// body.
    pub(crate) fn moved(&mut self, way: f32, size: f32) {
        if way > JUMP * size {
            self.lift = None;
        }
    }

    /// It has been put somewhere, without a way there.
    pub(crate) fn forget(&mut self) {
        *self = Self { weight: self.weight, displaced: self.displaced, ..Self::default() };
    }
}

/// The part to which an engine holds a body whose velocity changes by `change` where fluid gives `given`
/// \[m/s\].
fn part_held(change: DVec3, given: DVec3) -> f64 {
    let share = change.length() / given.length();
    if share.is_finite() { (1.0 - share / MOST_OF_HELD).clamp(0.0, 1.0) } else { 0.0 }
}

/// The part to which an engine throws back a body whose velocity it changes by `own` where fluid gives
/// `given` \[m/s\]: it takes away what is given, or up to [`MOST_TAKEN`] times that.
fn part_thrown_back(own: DVec3, given: DVec3) -> f64 {
    let times = (-own.dot(given) / given.length_squared()).clamp(1.0, MOST_TAKEN);
    part_held(own + given * times, given)
}

/// The weaker one of two vectors, less what the other one has not along it: none if they are opposed.
fn in_both(a: DVec3, b: DVec3) -> DVec3 {
    let (weaker, other) = if a.length_squared() < b.length_squared() { (a, b) } else { (b, a) };
    let share = weaker.dot(other) / weaker.length_squared();
    if share.is_finite() { weaker * share.clamp(0.0, 1.0) } else { DVec3::ZERO }
}

/// The largest share of `change`, up to 1, with which `start` stays as short as `most`, which it is.
pub(crate) fn share_within(start: DVec3, change: DVec3, most: f64) -> f64 {
    if (start + change).length() <= most {
        return 1.0;
    }
    let (a, b) = (change.length_squared(), start.dot(change));
    let c = (start.length_squared() - most * most).min(0.0);
    let share = (-b + (b * b - a * c).max(0.0).sqrt()) / a;
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 1.0 }
}

/// What a step has done to a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change {
    /// \[m/s\].
    pub(crate) velocity: DVec3,
    /// \[N m s\].
    pub(crate) angular: DVec3,
    /// The part of it, on the mean over the step, that the way through the step did not contain \[m/s\].
    pub(crate) moved: DVec3,
    /// \[N m s\].
    pub(crate) turned: DVec3,
    /// What forces would have changed it by without the part of the fluid \[m/s\].
    pub(crate) withheld: DVec3,
    /// \[N m s\].
    pub(crate) withheld_angular: DVec3,
}
