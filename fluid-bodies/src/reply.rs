//! Reaction of the fluid that a body moves (E52): momentum is shared between body and fluid in proportion to
//! their inertias, at once, so that bodies of any mass are stable, even in engines without added mass.

use crate::added_inertia::AddedInertia;
use crate::free_motion::{Inertia, share_within};
use crate::mutual_energy::EnergyExchange;
use crate::sheet::Pair;
use crate::solve::{rows_of, solve_definite};
use crate::support_points::SupportPoints;
use glam::{DMat3, DQuat, DVec3};

/// Iterations for the motion and the inertia at the middle of the step \[1\].
const MOTION_ITERATIONS: usize = 3;

/// Momentum of the fluid that moves with a body.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reply {
    /// Momentum per density \[m⁴/s\], \[m⁵/s\], about `centre`, in the world's axes; None until it is known.
    momentum: Option<Pair>,
    /// Velocity of the body relative to the wind \[m/s\] with which momentum was last shared.
    velocity: DVec3,
    /// Linear momentum per density \[m⁴/s\] that known forces have given since then, a part of `momentum`.
    forced: DVec3,
    /// Linear momentum per density \[m⁴/s\] of answers to flow that stands out from errors and did not
    /// before, less that of the reverse: a part of `momentum` that no force has given.
    heard: DVec3,
    /// Linear momentum per density \[m⁴/s\] that the body has received in the engine's present frame.
    given_in_frame: DVec3,
    /// Centre \[m\].
    centre: DVec3,
    /// Rotation of the body at the middle of the step in which momentum was last shared.
    turn: DQuat,
    /// Kinetic energy \[J\] available to the fluid around the body from the body's own motion, since momentum
    /// was last shared.
    energy: f64,
    /// Linear momentum per density \[m⁴/s\] that the body could not take when momentum was last shared.
    excess: DVec3,
}

fluid_core::saved::fields!(Reply {
    momentum, velocity, forced, heard, given_in_frame, centre, turn, energy,
} not { excess });

/// Bound on the displacement per step, relative to the body's size \[1\], in the moment of the surrounding
/// fluid's momentum: on a longer path the body turns more often than steps can follow.
const LONGEST_WAY: f64 = 0.5;

/// Difference between a body's mean velocity and the one with which momentum was shared, relative to the
/// larger of both \[1\], above which the moment of the body's own momentum begins to be that of its mean
/// velocity.
const LEAST_ASTRAY: f64 = 0.25;

/// The same above which it is only that of its mean velocity.
const MOST_ASTRAY: f64 = 0.5;

/// Tolerance for the energy of the fluid around a body, relative to it \[1\], if steps follow the body's
/// motion.
const WAVER: f64 = 0.02;

/// Largest speed of a body due to the flow of others, relative to the speed of that flow \[1\]: a massless
/// ball in fluid that is set in motion gets three times its velocity.
const MOST_SPEED: f64 = 3.0;

/// The same for the speed of the surface by rotation, beyond the body's velocity \[1\].
const MOST_RIM: f64 = 1.5;

/// Largest momentum that the fluid keeps for a body that cannot take it, relative to that of fluid that moves
/// with the body at the larger of its speed and that of the flow of others \[1\]. Forces between surfaces
/// that touch do not cancel exactly, and would collect for as long as the bodies move.
const MOST_KEPT: f64 = 16.0;

/// Motion of a body relative to the wind, in the world's axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moving {
    /// Extent from the centre of mass along one of the body's axes \[m\].
    pub(crate) reach: f64,
    pub(crate) support_points: SupportPoints,
    /// Position of the centre of mass \[m\].
    pub(crate) centre: DVec3,
    pub(crate) rotation: DQuat,
    /// Velocity \[m/s\].
    pub(crate) velocity: DVec3,
    /// Angular velocity \[rad/s\].
    pub(crate) spin: DVec3,
}

/// Push on a body by its tank, and the fluid there, becoming faster, in the world's axes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TankPush {
    /// Gain of the fluid's velocity \[m/s\]: the body loses as much of its velocity relative to the fluid.
    pub(crate) faster: DVec3,
    /// Impulse per density of the pressure that sets the fluid in motion, about the centre of mass.
    pub(crate) push: Pair,
}

/// The fluid around a body, in the world's axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SurroundingFluid<'a> {
    /// Density \[kg/m³\].
    pub(crate) density: f64,
    pub(crate) added: &'a AddedInertia,
    /// The same with the part that is in the engine's mass (E69).
    pub(crate) whole: &'a AddedInertia,
    /// Part of a torque of others that pressure can produce \[1\].
    pub(crate) lever: DMat3,
    /// Projection on the axes about which the body is not round \[1\].
    pub(crate) not_round: DMat3,
    /// Time \[s\] since momentum was last shared.
    pub(crate) last: f64,
    /// True if momentum has been shared before in the engine's present frame.
    pub(crate) goes_on: bool,
    /// Impulse per density of the sheet's answer to the flow of others.
    pub(crate) answer: Pair,
    /// Impulse \[N s\], \[N m s\] that the flow of others has given since the last call.
    pub(crate) others: Pair,
    pub(crate) of_tank: TankPush,
    /// Speed of the flow of others at the body \[m/s\].
    pub(crate) drift: f64,
    /// Largest part of it that can be flow with energy without limit: that of vortons, and of bodies that an
    /// engine moves by itself \[m/s\].
    pub(crate) from_outside: f64,
    /// True if steps follow the motion of the body. Otherwise the body gains no energy from its own flow or
    /// that of others.
    pub(crate) is_resolved: bool,
}

impl Reply {
    /// Resets the fluid's momentum after a teleport: it follows from the body's motion.
    pub(crate) fn forget(&mut self) {
        (self.momentum, self.given_in_frame, self.heard) = (None, DVec3::ZERO, DVec3::ZERO);
    }

    /// Returns the momentum of the fluid per density that forces have given \[m⁴/s\].
    pub(crate) fn momentum(&self) -> DVec3 {
        self.momentum.map_or(DVec3::ZERO, |momentum| momentum.linear - self.heard)
    }

    /// Returns true if the fluid's momentum is known.
    pub(crate) fn is_known(&self) -> bool {
        self.momentum.is_some()
    }

    /// Adds momentum per density of the flow of others to the fluid, about the centre where momentum was last
    /// shared.
    pub(crate) fn give(&mut self, momentum: Pair) {
        if let Some(Pair { linear, angular }) = &mut self.momentum
            && momentum.linear.is_finite()
            && momentum.angular.is_finite()
        {
            *linear += momentum.linear;
            *angular += momentum.angular;
        }
    }

    /// Adds momentum per density of an answer to flow that was there before, but did not stand out from
    /// errors of the mesh, or no longer does. It is no impulse: such errors would kick the body.
    pub(crate) fn hear(&mut self, momentum: Pair) {
        if self.is_known() && momentum.linear.is_finite() && momentum.angular.is_finite() {
            self.give(momentum);
            self.heard += momentum.linear;
        }
    }

    /// Adds momentum per density to the fluid that moves with the body, with this energy \[J\], where the
    /// body has received its part.
    pub(crate) fn give_part(&mut self, momentum: Pair, energy: f64) {
        if self.is_known() && momentum.linear.is_finite() && momentum.angular.is_finite() {
            self.give(momentum);
            self.forced += momentum.linear;
            self.energy = (self.energy + energy).max(0.0);
        }
    }

    /// Takes this fraction \[1\] of the momentum per density \[m⁴/s\] that the body could not take.
    pub(crate) fn leave_behind(&mut self, share: f64) -> DVec3 {
        let left = self.excess * share;
        let Some(Pair { linear, .. }) = self.momentum.as_mut().filter(|_| left.is_finite()) else {
            return DVec3::ZERO;
        };
        *linear -= left;
        self.excess -= left;
        left
    }

    /// Converts an impulse about a `centre` \[m\] to the centre where momentum was last shared. Its moment
    /// acts through pressure.
    pub(crate) fn as_of_last(&self, centre: DVec3, Pair { linear, angular }: Pair, lever: DMat3) -> Pair {
        Pair { linear, angular: angular + lever * (centre - self.centre).cross(linear) }
    }

    /// Returns the vector \[m\] from `centre` to the centre where momentum was last shared; 0 while it is not
    /// known.
    pub(crate) fn arm(&self, centre: DVec3) -> DVec3 {
        if self.is_known() { self.centre - centre } else { DVec3::ZERO }
    }

    /// Moves the centre by the displacement `way` \[m\] of all fluid by the wind.
    pub(crate) fn carry(&mut self, way: DVec3) {
        self.centre += way;
    }

    /// Returns how far the body's mean velocity `back` \[m/s\] since momentum was last shared is not the one
    /// that followed from it \[1\]: an engine that throws a body back in each frame moves it on a path that
    /// is not along its momentum at any one time. Engines that take the impulses of several steps at once
    /// differ by less.
    fn led_astray(&self, back: DVec3) -> f64 {
        let other = (back - self.velocity).length() / back.length().max(self.velocity.length());
        let share = (other - LEAST_ASTRAY) / (MOST_ASTRAY - LEAST_ASTRAY);
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Shares momentum between a body, `moving`, and its fluid. `middle` returns the pose at the middle of
    /// the step for given velocities. Returns the new velocity and angular velocity, and the impulses
    /// \[N s\], \[N m s\] on the body.
    pub(crate) fn share(
        &mut self,
        body: &Inertia,
        moving: Moving,
        around: &SurroundingFluid<'_>,
        exchange: &mut EnergyExchange,
        middle: &dyn Fn(DVec3, DVec3) -> (DVec3, DQuat),
    ) -> (DVec3, DVec3, Pair) {
        let SurroundingFluid { density, added, whole, lever, answer, last, goes_on, others, of_tank, .. } =
            *around;
        let Moving { centre, rotation, velocity, spin, reach, .. } = moving;
        let longest = LONGEST_WAY * reach;
        self.excess = DVec3::ZERO;
        if !goes_on {
            self.given_in_frame = DVec3::ZERO;
        }
        let rest = of_motion(added, rotation, velocity, spin).and(answer);
        let energy = Energy { body: *body, added, density };
        let mut fluid = match self.momentum {
            // The fluid has moved as the body does.
            None => {
                let before = velocity + of_tank.faster;
                self.energy = energy.of_fluid(rotation, before, spin);
                of_motion(added, rotation, before, spin).and(answer).and(of_tank.push)
            }
            // Convert to the new centre (Munk's moment), with the inertia and the axes at the middle of the
            // step: those at its end would give an axis of symmetry a torque of first order in the step.
            Some(Pair { linear, angular }) => {
                let way = (self.centre - centre).clamp_length_max(longest);
                // Within a frame, there is hardly a way to divide by the time.
                let back = match goes_on {
                    true => self.velocity,
                    false if last > 0.0 => way / -last,
                    false => DVec3::ZERO,
                };
                let own = of_motion(added, self.turn, back, spin).linear;
                let turned = DMat3::from_quat((self.turn * rotation.conjugate()).normalize());
                let lever = turned * lever * turned.transpose();
                let is_led = last > 0.0 && !goes_on;
                let led_astray = if is_led { self.led_astray((centre - self.centre) / last) } else { 0.0 };
                let other = of_motion(added, self.turn, back - self.velocity, DVec3::ZERO).linear;
                let along = linear + (other - self.forced) * led_astray + self.given_in_frame;
                Pair { linear, angular: angular + moment(way, along, own, lever) }
            }
        };
        let (new_velocity, new_spin, impulse) = if body.mass.is_finite() {
            self.free(&energy, &moving, around, &mut fluid, (exchange, middle))
        } else {
            // The fluid's momentum in excess of that of the body's motion.
            self.energy = energy.of_fluid(rotation, velocity, spin);
            exchange.gain(others.linear.dot(velocity) + others.angular.dot(spin));
            exchange
                .set_own(Energy { body: *body, added: whole, density }.of_fluid(rotation, velocity, spin));
            (self.turn, self.velocity, self.forced) = (middle(velocity, spin).1, velocity, DVec3::ZERO);
            (velocity, spin, fluid.and(rest.times(-1.0)).times(density))
        };
        let left = fluid.and(impulse.times(-1.0 / density));
        let is_finite = left.linear.is_finite() && left.angular.is_finite() && new_spin.is_finite();
        if !is_finite {
            self.forget();
            return (velocity, spin, Pair::default());
        }
        (self.momentum, self.centre) = (Some(left), centre);
        self.given_in_frame += impulse.linear / density;
        (new_velocity, new_spin, impulse)
    }

    /// Shares momentum for a body of finite mass, with the `fluid` around it, which loses angular momentum
    /// that the body cannot take.
    fn free(
        &mut self,
        energy: &Energy<'_>,
        moving: &Moving,
        around: &SurroundingFluid<'_>,
        fluid: &mut Pair,
        (exchange, middle): (&mut EnergyExchange, &dyn Fn(DVec3, DVec3) -> (DVec3, DQuat)),
    ) -> (DVec3, DVec3, Pair) {
        let Moving { centre, rotation, velocity, spin, reach, support_points } = *moving;
        let SurroundingFluid {
            density,
            added,
            whole,
            lever,
            not_round,
            answer,
            others,
            of_tank,
            drift,
            from_outside,
            is_resolved,
            ..
        } = *around;
        let body = &energy.body;
        let with_all = Energy { body: *body, added: whole, density };
        let longest = 0.5 * LONGEST_WAY * reach;
        let linear = velocity * body.mass + fluid.linear * density;
        let angular = body.momentum(rotation, spin) + fluid.angular * density;
        // Inertia at the middle of the step, for the motion that results.
        let (mut new_velocity, mut new_spin, mut turn) = (velocity, spin, rotation);
        let mut right = (DVec3::ZERO, DVec3::ZERO);
        for _ in 0..MOTION_ITERATIONS {
            let place;
            (place, turn) = middle(new_velocity, new_spin);
            let own =
                of_motion(added, turn, new_velocity, new_spin).linear * density + new_velocity * body.mass;
            let way = (centre - place).clamp_length_max(longest);
            let about = angular + moment(way, linear, own, lever);
            right = (linear - answer.linear * density, about - answer.angular * density);
            (new_velocity, new_spin) = solve(body, energy.added_at(turn), turn, right, spin);
        }
        self.turn = turn;
        // The same without the impulse of others.
        let right = (right.0 - others.linear, right.1 - others.angular);
        let own = match is_resolved {
            true => solve(body, energy.added_at(turn), turn, right, spin),
            false => energy.after_tank((rotation, velocity, spin), of_tank),
        };
        let before = energy.of_body(rotation, velocity, spin);
        let most = energy.of_speed(rotation, MOST_SPEED * from_outside);
        let push = energy.of_push(rotation, velocity, spin, others);
        let exchanged = exchange.gain(push);
        let more = (push - exchanged).min((most - before - self.energy - exchanged).max(0.0));
        let known =
            before + self.energy + (exchanged + more) + energy.of_tank((rotation, velocity, spin), of_tank);
        let most_energy = known + if is_resolved { WAVER * self.energy } else { 0.0 };
        let change = (new_velocity - velocity, new_spin - spin);
        let (part, turned) = energy.shares_within(turn, (velocity, spin), change, most_energy);
        let most = velocity.length().max(own.0.length()).max(MOST_SPEED * drift);
        let linear = part * share_within(velocity, change.0 * part, most);
        (new_velocity, new_spin) = (velocity + change.0 * linear, spin + change.1 * turned);
        let slower = energy.slower(turn, (new_velocity, new_spin), most_energy);
        (new_velocity, new_spin) = (new_velocity * slower, new_spin * slower);
        // A freely turning body keeps its angular momentum: this is its value at the middle. Pressure does
        // not turn a round body about its axis; because the axis moves in a step, errors would do so.
        let impulse = |spin_in_middle: DVec3| match body.turns() {
            true => not_round * (body.momentum(turn, spin_in_middle) - body.momentum(rotation, spin)),
            false => DVec3::ZERO,
        };
        let own_spin = if is_resolved { spin + body.spin(rotation, impulse(own.1)) } else { spin };
        let own_speed = support_points.speed(rotation, own_spin);
        let most = (new_velocity.length() + MOST_RIM * drift).max(own_speed);
        let whole = impulse(new_spin);
        let mut given = support_points.share_within(rotation, spin, body.spin(rotation, whole), most);
        // Where steps do not follow the body's motion, its rotation gains no energy.
        let moving = 0.5 * body.mass * new_velocity.length_squared();
        let most = if is_resolved { most_energy.max(before) - moving } else { 0.0 };
        given *= share_of_energy(body, rotation, spin, whole * given, most);
        let turning = whole * given;
        // Angular momentum that the body cannot take is lost: kept for later, it would turn the body when a
        // shorter step follows.
        if part < 1.0 || slower < 1.0 || given < 1.0 {
            let own = of_motion(added, turn, new_velocity, new_spin);
            let way = (centre - middle(new_velocity, new_spin).0).clamp_length_max(longest);
            let left = fluid.linear - (new_velocity - velocity) * (body.mass / density);
            let about = moment(way, left, own.linear, lever);
            fluid.angular = own.angular + answer.angular - about + turning / density;
        }
        let speed = new_velocity.length().max(drift);
        let taken = (new_velocity - velocity) * (body.mass / density);
        let rest = of_motion(added, turn, new_velocity, new_spin).and(answer).linear;
        let kept = fluid.linear - taken - rest;
        self.excess = kept.clamp_length_max(MOST_KEPT / density * with_all.largest(rotation) * speed);
        fluid.linear -= kept - self.excess;
        // Lost energy is not regained.
        fluid.angular = not_round * (fluid.angular - turning / density) + turning / density;
        let fluid = energy.of_fluid(turn, new_velocity, new_spin);
        (self.velocity, self.forced) = (new_velocity, DVec3::ZERO);
        let left = known - energy.of_body(turn, new_velocity, new_spin);
        self.energy = left.min((1.0 + WAVER) * fluid);
        exchange.give_back((left - self.energy).min(exchanged.max(0.0)));
        exchange.set_own(with_all.of_fluid(turn, new_velocity, new_spin));
        let impulse = Pair { linear: (new_velocity - velocity) * body.mass, angular: turning };
        (new_velocity, spin + body.spin(rotation, turning), impulse)
    }
}

/// Kinetic energies of a body and of the fluid that it moves \[J\].
struct Energy<'a> {
    body: Inertia,
    added: &'a AddedInertia,
    density: f64,
}

impl Energy<'_> {
    /// Returns linear, coupling and angular part in the world's axes \[kg\], \[kg m\], \[kg m²\].
    fn added_at(&self, rotation: DQuat) -> [DMat3; 3] {
        turned(self.added, rotation).map(|m| m * self.density)
    }

    fn of_body(&self, rotation: DQuat, velocity: DVec3, spin: DVec3) -> f64 {
        let turning = if self.body.turns() { spin.dot(self.body.momentum(rotation, spin)) } else { 0.0 };
        0.5 * (self.body.mass * velocity.length_squared() + turning)
    }

    fn of_fluid(&self, rotation: DQuat, velocity: DVec3, spin: DVec3) -> f64 {
        let Pair { linear, angular } = of_motion(self.added, rotation, velocity, spin);
        0.5 * self.density * (velocity.dot(linear) + spin.dot(angular))
    }

    /// Returns an upper bound of the added mass over all directions \[kg\].
    fn largest(&self, rotation: DQuat) -> f64 {
        let [linear, ..] = self.added_at(rotation);
        let sums = [linear.x_axis, linear.y_axis, linear.z_axis].map(|axis| axis.abs().element_sum());
        sums.into_iter().fold(0.0, f64::max)
    }

    /// Returns the energy at this speed \[m/s\], an upper bound over all directions.
    fn of_speed(&self, rotation: DQuat, speed: f64) -> f64 {
        0.5 * (self.body.mass + self.largest(rotation)) * speed * speed
    }

    /// Returns the energy added by an impulse.
    fn of_push(&self, rotation: DQuat, velocity: DVec3, spin: DVec3, push: Pair) -> f64 {
        let work = push.linear.dot(velocity) + push.angular.dot(spin);
        let right = (push.linear, push.angular);
        let (gained, turned) = solve(&self.body, self.added_at(rotation), rotation, right, DVec3::ZERO);
        let own = push.linear.dot(gained) + push.angular.dot(turned);
        if own.is_finite() { work + 0.5 * own } else { 0.0 }
    }

    /// Returns this motion of a body after its tank's push alone.
    fn after_tank(
        &self,
        (rotation, velocity, spin): (DQuat, DVec3, DVec3),
        tank: TankPush,
    ) -> (DVec3, DVec3) {
        if tank.faster == DVec3::ZERO {
            return (velocity, spin);
        }
        let push = self.push_of(tank);
        let added = self.added_at(rotation);
        let (gained, turned) = solve(&self.body, added, rotation, (push.linear, push.angular), DVec3::ZERO);
        (velocity + tank.faster + gained, spin + turned)
    }

    /// Returns the impulse \[N s\], \[N m s\] of a tank that gets faster in the frame of its fluid: there the
    /// body has its own inertia against it.
    fn push_of(&self, tank: TankPush) -> Pair {
        let push = tank.push.times(self.density);
        Pair { linear: push.linear - tank.faster * self.body.mass, ..push }
    }

    /// Returns the energy that a body with this motion relative to the faster fluid gains by its tank's push:
    /// relative to the slower fluid it had another one.
    fn of_tank(&self, (rotation, velocity, spin): (DQuat, DVec3, DVec3), tank: TankPush) -> f64 {
        if tank.faster == DVec3::ZERO {
            return 0.0;
        }
        let before = velocity + tank.faster;
        let lost = self.of_body(rotation, before, spin) - self.of_body(rotation, velocity, spin);
        lost + self.of_push(rotation, before, spin, self.push_of(tank))
    }

    /// Returns the factor that limits the energy of body and fluid to `most` \[1\]: for the velocity of a
    /// turning body there may be no other solution.
    fn slower(&self, rotation: DQuat, (velocity, spin): (DVec3, DVec3), most: f64) -> f64 {
        let energy = self.of_body(rotation, velocity, spin) + self.of_fluid(rotation, velocity, spin);
        if energy <= most { 1.0 } else { (most.max(0.0) / energy).sqrt() }
    }

    /// Returns the largest fractions, up to 1, of a change of velocity and of one of angular velocity with
    /// which body and fluid have at most the energy `most` at the middle of the step: less of the velocity
    /// alone if that suffices, because a push that gives energy must not stop the rotation.
    fn shares_within(
        &self,
        rotation: DQuat,
        (velocity, spin): (DVec3, DVec3),
        change: (DVec3, DVec3),
        most: f64,
    ) -> (f64, f64) {
        let both = self.share_within(rotation, (velocity, spin), change, most);
        let turned = (velocity, spin + change.1);
        let energy = self.of_body(rotation, turned.0, turned.1) + self.of_fluid(rotation, turned.0, turned.1);
        if both == 1.0 || energy > most {
            return (both, both);
        }
        (self.share_within(rotation, turned, (change.0, DVec3::ZERO), most), 1.0)
    }

    /// Returns the largest fraction of a change of motion, up to 1, with which body and fluid have at most
    /// the energy `most` at the middle of the step.
    fn share_within(&self, rotation: DQuat, start: (DVec3, DVec3), change: (DVec3, DVec3), most: f64) -> f64 {
        let of = |q: (DVec3, DVec3)| self.of_body(rotation, q.0, q.1) + self.of_fluid(rotation, q.0, q.1);
        let (before, own) = (of(start), of(change));
        let after = of((start.0 + change.0, start.1 + change.1));
        if after <= most {
            return 1.0;
        }
        // before + b s + own s² = most; without a solution, the fraction of least energy.
        let b = after - before - own;
        let rest = b * b + 4.0 * own * (most - before);
        let share = if rest >= 0.0 { (rest.sqrt() - b) / (2.0 * own) } else { -b / (2.0 * own) };
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// Returns the fraction of an angular impulse with which a body's rotation has no more energy \[J\] than now,
/// or than `most`.
fn share_of_energy(body: &Inertia, rotation: DQuat, spin: DVec3, angular: DVec3, most: f64) -> f64 {
    let start = 0.5 * spin.dot(body.momentum(rotation, spin));
    let (slope, own) = (spin.dot(angular), 0.5 * body.spin(rotation, angular).dot(angular));
    let most = most.max(start);
    if start + slope + own <= most {
        return 1.0;
    }
    // start + slope s + own s² = most.
    let share = ((slope * slope + 4.0 * own * (most - start)).sqrt() - slope) / (2.0 * own);
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
}

/// Returns the moment of a momentum `way` \[m\] from a body's centre. The part beyond the body's `own` acts
/// through pressure.
fn moment(way: DVec3, momentum: DVec3, own: DVec3, lever: DMat3) -> DVec3 {
    way.cross(own) + lever * way.cross(momentum - own)
}

/// Returns the momentum of the fluid per density for a motion of the body.
fn of_motion(added: &AddedInertia, rotation: DQuat, velocity: DVec3, spin: DVec3) -> Pair {
    let [a, b, c] = turned(added, rotation);
    Pair { linear: a * velocity + b * spin, angular: b.transpose() * velocity + c * spin }
}

/// Returns linear, coupling and angular part in the world's axes.
fn turned(added: &AddedInertia, rotation: DQuat) -> [DMat3; 3] {
    let turn = DMat3::from_quat(rotation.normalize());
    [added.linear, added.coupling, added.angular].map(|m| turn * m * turn.transpose())
}

/// Returns the velocity and angular velocity with which body and fluid have this momentum. A body that cannot
/// turn keeps its `spin`.
fn solve(
    body: &Inertia,
    [linear, coupling, angular]: [DMat3; 3],
    rotation: DQuat,
    right: (DVec3, DVec3),
    spin: DVec3,
) -> (DVec3, DVec3) {
    let turn = DMat3::from_quat(rotation.normalize());
    let m = linear + DMat3::from_diagonal(DVec3::splat(body.mass));
    let mut i = angular + turn * body.tensor * turn.transpose();
    let mut b = coupling;
    let mut right = right;
    if !body.turns() {
        right = (right.0 - b * spin, spin);
        (b, i) = (DMat3::ZERO, DMat3::IDENTITY);
    }
    let mut rows = rows_of(&m, &b, &i);
    let mut q = [right.0.x, right.0.y, right.0.z, right.1.x, right.1.y, right.1.z];
    if !solve_definite(rows.as_flattened_mut(), &mut q) {
        return (DVec3::NAN, DVec3::NAN);
    }
    (DVec3::new(q[0], q[1], q[2]), DVec3::new(q[3], q[4], q[5]))
}
