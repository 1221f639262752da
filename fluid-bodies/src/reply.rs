//! What the fluid that a body moves does to it (E52): its momentum is shared between body and fluid as their
//! inertias are, at once, so that bodies of any mass and engines that know nothing of it stay stable.

use crate::added_inertia::AddedInertia;
use crate::free_motion::{Inertia, share_within};
use crate::rim::Rim;
use crate::sheet::Pair;
use crate::solve::{rows_of, solve_definite};
use glam::{DMat3, DQuat, DVec3};

/// Rounds in which the motion and the inertia in the middle of the step are found together \[1\].
const ROUNDS: usize = 3;

/// Momentum of the fluid that goes with a body.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reply {
    /// Per density \[m⁴/s\], \[m⁵/s\], about `centre`, in the world's axes; none before it is first known.
    momentum: Option<Pair>,
    /// \[m\].
    centre: DVec3,
    /// Kinetic energy \[J\] that the fluid around the body may have by the body's own motion, since it was
    /// last shared.
    energy: f64,
}

fluid_core::saved::fields!(Reply { momentum, centre, energy });

/// Longest way in a step along which momentum of fluid around a body is carried for its moment, as a share of
/// the body's size \[1\]: on a longer one the body turns more often than steps can follow.
const LONGEST_WAY: f64 = 0.5;

/// Most by which the energy of the fluid around a body may waver, as a share of it \[1\], where steps follow
/// its motion.
const WAVER: f64 = 0.02;

/// Largest speed that the flow of others gives to a body, over its own \[1\]: a ball without mass in fluid
/// that is set moving gets three times its velocity.
const MOST_SPEED: f64 = 3.0;

/// The same of the speed of its surface by turning, beyond its velocity \[1\].
const MOST_RIM: f64 = 1.5;

/// How a body moves against the wind, in the world's axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moving {
    /// How far it reaches from the centre of mass along one of its axes \[m\].
    pub(crate) reach: f64,
    pub(crate) rim: Rim,
    /// Of the centre of mass \[m\].
    pub(crate) centre: DVec3,
    pub(crate) rotation: DQuat,
    /// \[m/s\].
    pub(crate) velocity: DVec3,
    /// \[rad/s\].
    pub(crate) spin: DVec3,
}

/// The fluid around a body, in the world's axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around<'a> {
    /// \[kg/m³\].
    pub(crate) density: f64,
    pub(crate) added: &'a AddedInertia,
    /// The part of a torque of others that pressure can make \[1\].
    pub(crate) lever: DMat3,
    /// Length of the last step \[s\].
    pub(crate) last: f64,
    /// The impulse per density of the part of the sheet that answers the flow of others.
    pub(crate) answer: Pair,
    /// The impulse \[N s\], \[N m s\] that the flow of others has given since it was last asked.
    pub(crate) others: Pair,
    /// Speed of the flow of others at the body \[m/s\].
    pub(crate) drift: f64,
    /// True if steps follow the motion of the body. Where they do not, its flow and the one of others give it
    /// no energy.
    pub(crate) is_resolved: bool,
}

impl Reply {
    /// The body is somewhere else: its fluid is what its motion there makes it.
    pub(crate) fn forget(&mut self) {
        self.momentum = None;
    }

    /// Momentum of the fluid per density \[m⁴/s\].
    pub(crate) fn momentum(&self) -> DVec3 {
        self.momentum.map_or(DVec3::ZERO, |momentum| momentum.linear)
    }

    /// The fluid has got this momentum per density, about the centre where it was last shared, and with it
    /// this energy \[J\] at most.
    pub(crate) fn give(&mut self, momentum: Pair, energy: f64) {
        if let Some(Pair { linear, angular }) = &mut self.momentum
            && momentum.linear.is_finite()
            && momentum.angular.is_finite()
        {
            *linear += momentum.linear;
            *angular += momentum.angular;
            self.energy += energy.max(0.0);
        }
    }

    /// An impulse about a `centre` \[m\], about the one where momentum was last shared. Its moment is that of
    /// pressure.
    pub(crate) fn as_of_last(&self, centre: DVec3, Pair { linear, angular }: Pair, lever: DMat3) -> Pair {
        Pair { linear, angular: angular + lever * (centre - self.centre).cross(linear) }
    }

    /// The wind has taken all fluid along by this `way` \[m\].
    pub(crate) fn carry(&mut self, way: DVec3) {
        self.centre += way;
    }

    /// A body, `moving`, and its fluid share what they have. `middle` is where a body that goes on so is
    /// going to be in the middle of the step. Returns the new velocity and angular velocity, and the impulses
    /// \[N s\], \[N m s\] that the body gets.
    pub(crate) fn share(
        &mut self,
        body: &Inertia,
        moving: Moving,
        around: &Around<'_>,
        middle: &dyn Fn(DVec3, DVec3) -> (DVec3, DQuat),
    ) -> (DVec3, DVec3, Pair) {
        let Around { density, added, lever, answer, last, .. } = *around;
        let Moving { centre, rotation, velocity, spin, reach, .. } = moving;
        let longest = LONGEST_WAY * reach;
        let rest = of_motion(added, rotation, velocity, spin).and(answer);
        let energy = Energy { body: *body, added, density };
        let fluid = match self.momentum {
            // It has moved as the body does.
            None => {
                self.energy = energy.of_fluid(rotation, velocity, spin);
                rest
            }
            // About the new centre (Munk's moment).
            Some(Pair { linear, angular }) => {
                let way = (self.centre - centre).clamp_length_max(longest);
                let back = if last > 0.0 { way / -last } else { DVec3::ZERO };
                let own = of_motion(added, rotation, back, spin).linear;
                Pair { linear, angular: angular + moment(way, linear, own, lever) }
            }
        };
        let (new_velocity, new_spin, impulse) = if body.mass.is_finite() {
            self.free(&energy, &moving, around, fluid, middle)
        } else {
            // All that the fluid has beyond what goes with this motion.
            self.energy = energy.of_fluid(rotation, velocity, spin);
            (velocity, spin, fluid.and(rest.times(-1.0)).times(density))
        };
        let left = fluid.and(impulse.times(-1.0 / density));
        let is_finite = left.linear.is_finite() && left.angular.is_finite() && new_spin.is_finite();
        if !is_finite {
            self.momentum = None;
            return (velocity, spin, Pair::default());
        }
        (self.momentum, self.centre) = (Some(left), centre);
        (new_velocity, new_spin, impulse)
    }

    /// The same of a body that something moves.
    fn free(
        &mut self,
        energy: &Energy<'_>,
        moving: &Moving,
        around: &Around<'_>,
        fluid: Pair,
        middle: &dyn Fn(DVec3, DVec3) -> (DVec3, DQuat),
    ) -> (DVec3, DVec3, Pair) {
        let Moving { centre, rotation, velocity, spin, reach, rim } = *moving;
        let Around { density, added, lever, answer, others, drift, is_resolved, .. } = *around;
        let body = &energy.body;
        let longest = 0.5 * LONGEST_WAY * reach;
        let linear = velocity * body.mass + fluid.linear * density;
        let angular = body.momentum(rotation, spin) + fluid.angular * density;
        // The inertia in the middle of the step: where it goes with what it gets.
        let (mut new_velocity, mut new_spin, mut turn) = (velocity, spin, rotation);
        let mut right = (DVec3::ZERO, DVec3::ZERO);
        for _ in 0..ROUNDS {
            let place;
            (place, turn) = middle(new_velocity, new_spin);
            let own =
                of_motion(added, turn, new_velocity, new_spin).linear * density + new_velocity * body.mass;
            let way = (centre - place).clamp_length_max(longest);
            let about = angular + moment(way, linear, own, lever);
            right = (linear - answer.linear * density, about - answer.angular * density);
            (new_velocity, new_spin) = solve(body, energy.added_at(turn), turn, right, spin);
        }
        // The same without what others have given.
        let right = (right.0 - others.linear, right.1 - others.angular);
        let own = match is_resolved {
            true => solve(body, energy.added_at(turn), turn, right, spin),
            false => (velocity, spin),
        };
        let before = energy.of_body(rotation, velocity, spin);
        let most = energy.of_speed(rotation, MOST_SPEED * drift);
        let push = energy.of_push(rotation, velocity, spin, others);
        let known = before + self.energy + push.min((most - before - self.energy).max(0.0));
        let most_energy = known + if is_resolved { WAVER * self.energy } else { 0.0 };
        let change = (new_velocity - velocity, new_spin - spin);
        let part = energy.share_within(turn, (velocity, spin), change, most_energy);
        let most = velocity.length().max(own.0.length()).max(MOST_SPEED * drift);
        let linear = part * share_within(velocity, change.0 * part, most);
        (new_velocity, new_spin) = (velocity + change.0 * linear, spin + change.1 * part);
        let slower = energy.slower(turn, (new_velocity, new_spin), most_energy);
        (new_velocity, new_spin) = (new_velocity * slower, new_spin * slower);
        // Turning freely, it keeps its angular momentum: that is what it has in the middle.
        let impulse = |spin_in_middle: DVec3| match body.turns() {
            true => body.momentum(turn, spin_in_middle) - body.momentum(rotation, spin),
            false => DVec3::ZERO,
        };
        let own_spin = if is_resolved { spin + body.spin(rotation, impulse(own.1)) } else { spin };
        let own_rim = rim.speed(rotation, own_spin);
        let most = (new_velocity.length() + MOST_RIM * drift).max(own_rim);
        let mut turning = impulse(new_spin);
        turning *= rim.share_within(rotation, spin, body.spin(rotation, turning), most);
        let most = most_energy.max(before) - 0.5 * body.mass * new_velocity.length_squared();
        turning *= share_of_energy(body, rotation, spin, turning, most);
        // Energy that has been lost does not come back.
        let fluid = energy.of_fluid(turn, new_velocity, new_spin);
        self.energy = (known - energy.of_body(turn, new_velocity, new_spin)).min((1.0 + WAVER) * fluid);
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
    /// Linear, coupling and angular part in the world's axes \[kg\], \[kg m\], \[kg m²\].
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

    /// Of this speed \[m/s\], in no direction less.
    fn of_speed(&self, rotation: DQuat, speed: f64) -> f64 {
        let [linear, ..] = self.added_at(rotation);
        let sums = [linear.x_axis, linear.y_axis, linear.z_axis].map(|axis| axis.abs().element_sum());
        0.5 * (self.body.mass + sums.into_iter().fold(0.0, f64::max)) * speed * speed
    }

    /// What an impulse adds.
    fn of_push(&self, rotation: DQuat, velocity: DVec3, spin: DVec3, push: Pair) -> f64 {
        let work = push.linear.dot(velocity) + push.angular.dot(spin);
        let right = (push.linear, push.angular);
        let (gained, turned) = solve(&self.body, self.added_at(rotation), rotation, right, DVec3::ZERO);
        let own = push.linear.dot(gained) + push.angular.dot(turned);
        if own.is_finite() { work + 0.5 * own } else { 0.0 }
    }

    /// Factor on a motion with which body and fluid have no more energy than `most` \[1\]: as a body turns
    /// with the velocity that it has, there may be no other way.
    fn slower(&self, rotation: DQuat, (velocity, spin): (DVec3, DVec3), most: f64) -> f64 {
        let energy = self.of_body(rotation, velocity, spin) + self.of_fluid(rotation, velocity, spin);
        if energy <= most { 1.0 } else { (most.max(0.0) / energy).sqrt() }
    }

    /// The largest share of a change of motion, up to 1, with which body and fluid have no more than `most`
    /// in the middle of the step.
    fn share_within(&self, rotation: DQuat, start: (DVec3, DVec3), change: (DVec3, DVec3), most: f64) -> f64 {
        let of = |q: (DVec3, DVec3)| self.of_body(rotation, q.0, q.1) + self.of_fluid(rotation, q.0, q.1);
        let (before, own) = (of(start), of(change));
        let after = of((start.0 + change.0, start.1 + change.1));
        if after <= most {
            return 1.0;
        }
        // before + b s + own s² = most; where there is none, that of the least energy.
        let b = after - before - own;
        let rest = b * b + 4.0 * own * (most - before);
        let share = if rest >= 0.0 { (rest.sqrt() - b) / (2.0 * own) } else { -b / (2.0 * own) };
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// The share of an angular impulse with which a body turns with no more energy \[J\] than it does, or than
/// `most`.
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

/// Moment of a momentum `way` \[m\] from a body's centre. What is not the body's `own` it gets as pressure.
fn moment(way: DVec3, momentum: DVec3, own: DVec3, lever: DMat3) -> DVec3 {
    way.cross(own) + lever * way.cross(momentum - own)
}

/// Momentum of the fluid per density for a motion of the body.
fn of_motion(added: &AddedInertia, rotation: DQuat, velocity: DVec3, spin: DVec3) -> Pair {
    let [a, b, c] = turned(added, rotation);
    Pair { linear: a * velocity + b * spin, angular: b.transpose() * velocity + c * spin }
}

/// Linear, coupling and angular part in the world's axes.
fn turned(added: &AddedInertia, rotation: DQuat) -> [DMat3; 3] {
    let turn = DMat3::from_quat(rotation.normalize());
    [added.linear, added.coupling, added.angular].map(|m| turn * m * turn.transpose())
}

/// Velocity and angular velocity with which body and fluid have this momentum. What nothing turns keeps its
/// `spin`.
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
