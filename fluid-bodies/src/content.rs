//! Contents of a body's hole (E55): shell and contents share their momentum like one rigid body, at once, so
//! that shells of any mass are stable, even in engines that do not model the contents.

use crate::added_inertia::AddedInertia;
use crate::free_motion::Inertia;
use crate::reply::Moving;
use crate::sheet::Pair;
use fluid_core::math::outer;
use glam::{DMat3, DQuat, DVec3};

/// Bound on the rotational energy, relative to the previous energy plus that given by others \[1\]. A body
/// that its engine turns together with the steps stays far below. If the engine lags by a frame, or the body
/// turns by a radian in a step, the axis of rotation shifts, and the spin for the same angular momentum
/// grows.
const MOST_ENERGY: f64 = 1.05;

/// Fluid in the place of shapes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DisplacedFluid {
    /// ∫ ρ dV \[kg\].
    pub(crate) mass: f64,
    /// ∫ ρ (x − c) dV \[kg m\] about the centre of mass c, along the world's axes.
    pub(crate) moment: DVec3,
}

impl DisplacedFluid {
    /// Adds other fluid.
    pub(crate) fn add(&mut self, other: &Self) {
        self.mass += other.mass;
        self.moment += other.moment;
    }

    /// Returns this many times the fluid.
    pub(crate) fn times(&self, factor: f64) -> Self {
        Self { mass: self.mass * factor, moment: self.moment * factor }
    }
}

/// Fluid that moves with the walls around it.
#[derive(Debug, Clone)]
pub(crate) struct Content {
    /// Mass \[kg\].
    mass: f64,
    /// Centre of mass \[m\], body's axes.
    middle: DVec3,
    /// Angular momentum about it per angular velocity \[kg m²\], body's axes.
    turning: DMat3,
    /// Parts of the mass \[kg\] and of the inertia tensor \[kg m²\] that the engine's mass and tensor of the
    /// shell contain (E69). Momentum that they have is the shell's.
    in_engine: (f64, DMat3),
    /// None until it is known.
    momentum: Option<Momentum>,
}

fluid_core::saved::fields!(Content { mass, middle, momentum } not { turning, in_engine });

/// Momentum when it was last shared, plus impulses since then.
#[derive(Debug, Clone, Copy, Default)]
struct Momentum {
    /// Mass \[kg\] of the shell.
    shell: f64,
    /// Momentum of the contents \[N s\].
    linear: DVec3,
    /// Angular momentum of shell and contents about their joint centre of mass, less the shell's about its
    /// own \[N m s\]. The motion of the joint centre of mass does not affect it: positions set by an engine
    /// are not exactly those to which momentum has carried the body, and in a long fall that would be a
    /// torque.
    angular: DVec3,
    /// Velocity \[m/s\] of the shell at that time.
    velocity: DVec3,
    /// Angular momentum \[N m s\] and energy \[J\] of both about their joint centre of mass, when momentum
    /// was last shared.
    turning: Option<(DVec3, f64)>,
}

fluid_core::saved::fields!(Momentum { shell, linear, angular, velocity, turning });

impl Content {
    pub(crate) fn new(mass: f64, middle: DVec3, turning: DMat3) -> Self {
        Self { mass, middle, turning, in_engine: (0.0, DMat3::ZERO), momentum: None }
    }

    /// Sets the parts of the mass \[kg\] and of the inertia tensor \[kg m²\] that the engine's contain.
    pub(crate) fn leave_to_engine(&mut self, part: (f64, DMat3)) {
        self.in_engine = part;
    }

    /// Returns the mass \[kg\] beside the engine's.
    pub(crate) fn mass_beside_engine(&self) -> f64 {
        self.mass - self.in_engine.0
    }

    /// Returns its momentum \[N s\] in a shell with these velocities \[m/s, rad/s\], with its middle at this
    /// lever from the shell's, without the engine's part.
    fn momentum_with(&self, velocity: DVec3, spin: DVec3, middle: DVec3) -> DVec3 {
        velocity * self.mass_beside_engine() + spin.cross(middle) * self.mass
    }

    /// Returns the inertia beside the engine's in fluid of this density \[kg/m³\], for motion of the shell.
    pub(crate) fn inertia(&self, density: f64) -> AddedInertia {
        let DVec3 { x, y, z } = self.middle;
        // Columns of the matrix r ×.
        let cross = DMat3::from_cols(DVec3::new(0.0, z, -y), DVec3::new(-z, 0.0, x), DVec3::new(y, -x, 0.0));
        let (volume, beside) = (self.mass / density, self.mass_beside_engine() / density);
        AddedInertia {
            linear: DMat3::from_diagonal(DVec3::splat(beside)),
            coupling: cross * -volume,
            angular: (self.turning - self.in_engine.1) * (1.0 / density) - cross * cross * volume,
        }
    }

    /// Returns mass times position \[kg m\], about the shell's centre of mass, in a body of this `rotation`.
    pub(crate) fn moment(&self, rotation: DQuat) -> DVec3 {
        rotation * self.middle * self.mass
    }

    /// Resets the momentum after a teleport: the contents move with the body.
    pub(crate) fn forget(&mut self) {
        self.momentum = None;
    }

    /// Returns the momentum \[N s\] without that of the engine's part.
    pub(crate) fn momentum(&self) -> DVec3 {
        self.momentum.map_or(DVec3::ZERO, |momentum| momentum.linear)
    }

    /// Sets mass \[kg\] and centre of mass \[m\], body's axes. Added mass moves with the present contents, in
    /// a body of this `rotation` and `spin` \[rad/s\].
    pub(crate) fn become_as(&mut self, mass: f64, middle: DVec3, rotation: DQuat, spin: DVec3) {
        let before = Self { middle, ..self.clone() };
        (self.mass, self.middle) = (mass, middle);
        let (after, Some(mut momentum)) = (&*self, self.momentum) else { return };
        if before.mass > 0.0 && mass != before.mass {
            let of_engine = momentum.velocity * self.in_engine.0;
            momentum.linear = (momentum.linear + of_engine) * (mass / before.mass) - of_engine;
            let back = rotation.conjugate() * spin;
            let change = after.turning_with(momentum.shell) - before.turning_with(momentum.shell);
            momentum.angular += rotation * (change * back);
        }
        self.momentum = Some(momentum);
    }

    /// Returns the offset of the joint centre of mass from the shell's \[m\], body's axes.
    fn lever(&self, shell: f64) -> DVec3 {
        let both = self.mass_beside_engine() + shell;
        if shell.is_finite() { self.middle * (self.mass / both) } else { DVec3::ZERO }
    }

    /// Returns the inertia of both about their joint centre of mass, less the shell's about its own
    /// \[kg m²\], body's axes.
    pub(crate) fn turning_with(&self, shell: f64) -> DMat3 {
        let (part, tensor) = self.in_engine;
        let reduced = match shell.is_finite() {
            true => self.mass * (shell - part) / (self.mass_beside_engine() + shell),
            false => self.mass,
        };
        let r = self.middle;
        self.turning - tensor
            + (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer(r, r)) * reduced
    }

    /// Adds the angular momentum due to the change of the shell's velocity \[m/s\].
    fn follow(&self, momentum: &mut Momentum, rotation: DQuat, velocity: DVec3) {
        if momentum.shell.is_finite() {
            let lever = rotation * self.lever(momentum.shell);
            momentum.angular -= lever.cross((velocity - momentum.velocity) * momentum.shell);
            momentum.velocity = velocity;
        }
    }

    /// Adds an impulse `given`, about the shell's centre of mass, in a body of this `rotation`; `velocity`
    /// \[m/s\] is the shell's present velocity.
    pub(crate) fn give(&mut self, given: Pair, rotation: DQuat, velocity: DVec3) {
        let Some(mut momentum) = self.momentum else { return };
        if given.linear.is_finite() && given.angular.is_finite() {
            self.follow(&mut momentum, rotation, velocity);
            let lever = rotation * self.lever(momentum.shell);
            momentum.linear += given.linear;
            momentum.angular += given.angular - lever.cross(given.linear);
        }
        self.momentum = Some(momentum);
    }

    /// Shares momentum between a shell, `moving`, and its contents, at the start of a step of `dt` \[s\].
    /// Returns the shell's new velocity, and the impulses \[N s\], \[N m s\] on it.
    pub(crate) fn share(&mut self, shell: &Inertia, moving: &Moving, dt: f64) -> (DVec3, Pair) {
        let Moving { rotation, velocity, spin, .. } = *moving;
        let known = self.momentum.filter(|momentum| momentum.shell == shell.mass);
        let momentum = known.unwrap_or(Momentum {
            shell: shell.mass,
            linear: self.momentum_with(velocity, spin, rotation * self.middle),
            angular: rotation * (self.turning_with(shell.mass) * (rotation.conjugate() * spin)),
            velocity,
            turning: None,
        });
        let (new_velocity, impulse, left) = if shell.mass.is_finite() {
            self.share_free(shell, moving, dt, momentum)
        } else {
            self.share_driven(moving, momentum)
        };
        let is_finite = impulse.linear.is_finite() && impulse.angular.is_finite();
        let is_known = left.linear.is_finite() && left.angular.is_finite();
        self.momentum = (is_finite && is_known).then_some(left);
        if self.momentum.is_some() { (new_velocity, impulse) } else { (velocity, Pair::default()) }
    }

    /// Gives the shell the contents' momentum in excess of that of the shell's motion.
    fn share_driven(&self, moving: &Moving, momentum: Momentum) -> (DVec3, Pair, Momentum) {
        let Moving { rotation, velocity, spin, .. } = *moving;
        let middle = rotation * self.middle;
        let left = Momentum {
            linear: self.momentum_with(velocity, spin, middle),
            angular: rotation * (self.turning_with(momentum.shell) * (rotation.conjugate() * spin)),
            velocity,
            turning: None,
            ..momentum
        };
        let behind = middle.cross((momentum.velocity - velocity) * self.mass);
        let linear = momentum.linear - left.linear;
        (velocity, Pair { linear, angular: momentum.angular - left.angular + behind }, left)
    }

    /// Rotates shell and contents about their joint centre of mass, which moves straight on. The shell gets
    /// the impulses with which it rotates and moves accordingly, by itself, from its present position to the
    /// one at the end of the step.
    fn share_free(
        &self,
        shell: &Inertia,
        moving: &Moving,
        dt: f64,
        mut momentum: Momentum,
    ) -> (DVec3, Pair, Momentum) {
        let Moving { rotation, velocity, spin, .. } = *moving;
        self.follow(&mut momentum, rotation, velocity);
        let whole = velocity * shell.mass + momentum.linear;
        let own = shell.momentum(rotation, spin);
        let mut angular = own + momentum.angular;
        let mut mean = spin;
        if shell.turns() {
            let tensor = shell.tensor + self.turning_with(shell.mass);
            let both = Inertia {
                mass: shell.mass + self.mass_beside_engine(),
                tensor,
                inverse: tensor.inverse(),
                part: None,
            };
            let energy = |angular: DVec3| 0.5 * angular.dot(both.spin(rotation, angular));
            let now = energy(angular);
            // With the present inertia, the change since then is due to others.
            let most = momentum.turning.map_or(now, |(last, had)| {
                let before = energy(last);
                // If the same momentum has more energy now than before, scale the energy down.
                if before > had { now * had / before } else { had + now - before }
            });
            if now > MOST_ENERGY * most {
                angular *= (most / now).sqrt();
            }
            mean = both.mean_spin(rotation, angular, dt);
            momentum.turning = Some((angular, most));
        }
        let half = mean * (0.5 * dt);
        let end = (DQuat::from_xyzw(half.x, half.y, half.z, 1.0) * rotation).normalize();
        let lever = self.lever(shell.mass);
        let way = end * lever - rotation * lever;
        let new_velocity =
            whole / (shell.mass + self.mass_beside_engine()) - if dt > 0.0 { way / dt } else { DVec3::ZERO };
        // A body that turns freely with this mean spin starts with this angular momentum (midpoint rule).
        let middle = shell.momentum(rotation, mean);
        let turning = if shell.turns() { middle + half.cross(middle) - own } else { DVec3::ZERO };
        let left = Momentum {
            linear: whole - new_velocity * shell.mass,
            angular: angular - own - turning,
            velocity: new_velocity,
            ..momentum
        };
        (new_velocity, Pair { linear: (new_velocity - velocity) * shell.mass, angular: turning }, left)
    }
}
