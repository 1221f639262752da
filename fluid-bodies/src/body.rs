//! One body: what the engine says of it, and what the fluid keeps for it.

use crate::ledger::{Bound, Moments, Reaction};
use crate::pose::Pose;
use crate::shapes::{MassProperties, Parity, Shape, interior};
use fluid_core::params::ParamError;
use glam::{DMat3, DVec3, Quat, Vec3};

/// How a body moves. The physics engine's to say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyState {
    /// Where its centre of mass is \[m\].
    pub position: Vec3,
    /// Unit quaternion that turns its axes into the world's.
    pub rotation: Quat,
    /// Velocity of the centre of mass \[m/s\].
    pub velocity: Vec3,
    /// Angular velocity \[rad/s\], about the world's axes.
    pub angular_velocity: Vec3,
}

impl Default for BodyState {
    /// At rest at the origin.
    fn default() -> Self {
        Self {
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
        }
    }
}

impl BodyState {
    /// Where it is.
    pub fn pose(&self) -> Pose {
        Pose { position: self.position, rotation: self.rotation }
    }

    /// True if all is finite and the quaternion of unit length.
    pub fn is_valid(&self) -> bool {
        self.pose().is_valid() && self.velocity.is_finite() && self.angular_velocity.is_finite()
    }
}

/// What gravity and the fluid's density do to a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BuoyantForce {
    /// Nothing.
    Off,
    /// The fluid lifts it by the weight of what it displaces. Its own weight is the engine's business.
    #[default]
    On,
    /// That, and its own weight: for an engine without gravity.
    OnWithWeight,
}

/// Where the energy goes that moving bodies and fluid lose to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Friction {
    /// It is counted, and gone.
    #[default]
    Counted,
    /// It is counted, and warms the body.
    WarmsBody,
}

/// What a body is made from.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyDef {
    /// Its shapes, in coordinates whose origin is its centre of mass. Without any, it touches nothing.
    pub shapes: Vec<Shape>,
    /// How it moves at first.
    pub state: BodyState,
    /// Mass \[kg\], positive; infinity: nothing moves it.
    pub mass: f32,
    /// What gravity does.
    pub buoyant_force: BuoyantForce,
    /// Temperature \[K\], positive.
    pub temperature: f32,
    /// Heat capacity C \[J/K\], positive; infinity: its temperature stays.
    pub heat_capacity: f32,
    /// Heat transfer coefficient h \[W/(m² K)\] between its surface and the fluid, at least 0; 0 insulates.
    pub heat_transfer: f32,
    /// Where lost energy goes.
    pub friction: Friction,
}

impl Default for BodyDef {
    /// 1 kg, insulating, 300 K, no shapes yet.
    fn default() -> Self {
        Self {
            shapes: Vec::new(),
            state: BodyState::default(),
            mass: 1.0,
            buoyant_force: BuoyantForce::default(),
            temperature: 300.0,
            heat_capacity: 1.0,
            heat_transfer: 0.0,
            friction: Friction::default(),
        }
    }
}

/// Distance between the points of a body at which bound strength is, at least \[core radii\]: cores overlap.
const BOUND_SPACING: f32 = 1.0;

/// A body in the fluid.
#[derive(Debug, Clone)]
pub struct Body {
    pub(crate) state: BodyState,
    pub(crate) mass: f64,
    /// Volume, centroid and second moments of all shapes.
    pub(crate) displaced: MassProperties,
    /// Inverse of the inertia tensor about the centre of mass, for a mass of 1 kg spread evenly over the shapes \[1/m²\]; body's axes.
    pub(crate) inverse_inertia: DMat3,
    /// Area of the surface \[m²\].
    pub(crate) area: f64,
    pub(crate) buoyant_force: BuoyantForce,
    pub(crate) temperature: f64,
    pub(crate) heat_capacity: f64,
    pub(crate) heat_transfer: f64,
    pub(crate) friction: Friction,
    pub(crate) bound: Bound,
    /// True if it has holes.
    container: bool,
    /// Where bound strength is, in the body's axes: evenly spread over its inside.
    inside: Vec<Vec3>,
    /// Distance \[m\] that those points keep.
    spacing: f32,
    pub(crate) reaction: Reaction,
    /// Velocity \[m/s\] with which its holes carried fluid along in the step before, and the length of that \[s\].
    carried: Option<(Vec3, f32)>,
    /// How that changes \[m/s²\].
    acceleration: Vec3,
    /// Impulses \[N s, N m s\] that pushing vortons out has given to it in this step.
    pub(crate) pushed: Moments,
    /// Work per density \[m⁵/s²\] that it has done on the fluid in this step: the impulses that it gave, times its velocities.
    pub(crate) work: f64,
}

impl Body {
    /// As defined; the fluid has done nothing to it yet.
    pub(crate) fn new(def: &BodyDef, core_radius: f32) -> Result<Self, ParamError> {
        ParamError::check(def.state.is_valid(), "body state", def.state, "finite, with a unit quaternion")?;
        ParamError::check(def.mass > 0.0, "mass", def.mass, "positive")?;
        ParamError::check(def.heat_capacity > 0.0, "heat capacity", def.heat_capacity, "positive")?;
        let finite = |v: f32| v.is_finite();
        let warm = finite(def.temperature) && def.temperature > 0.0;
        ParamError::check(warm, "temperature", def.temperature, "positive")?;
        let transfer = def.heat_transfer;
        ParamError::check(finite(transfer) && transfer >= 0.0, "heat transfer", transfer, "at least 0")?;
        let mut body = Self {
            state: def.state,
            mass: f64::from(def.mass),
            displaced: MassProperties::NONE,
            inverse_inertia: DMat3::ZERO,
            area: 0.0,
            buoyant_force: def.buoyant_force,
            temperature: f64::from(def.temperature),
            heat_capacity: f64::from(def.heat_capacity),
            heat_transfer: transfer.into(),
            friction: def.friction,
            bound: Bound::default(),
            container: false,
            inside: Vec::new(),
            spacing: BOUND_SPACING * core_radius,
            reaction: Reaction::default(),
            carried: None,
            acceleration: Vec3::ZERO,
            pushed: Moments::default(),
            work: 0.0,
        };
        body.set_shapes(&def.shapes)?;
        Ok(body)
    }

    /// Other shapes; its mass stays.
    pub(crate) fn set_shapes(&mut self, shapes: &[Shape]) -> Result<(), ParamError> {
        let valid = |shape: &Shape| shape.geometry.is_valid() && shape.pose.is_valid();
        ParamError::check(shapes.iter().all(valid), "shapes", shapes, "of positive sizes, at finite poses")?;
        let solids: Vec<_> = shapes.iter().filter(|shape| shape.parity == Parity::Solid).cloned().collect();
        self.displaced = MassProperties::of(&solids);
        self.inside = interior(&solids, self.spacing);
        self.container = solids.len() < shapes.len();
        // Of a container's walls nothing is known: they count as if its holes were filled with what it is made of.
        let filled = MassProperties::of(shapes);
        self.inverse_inertia = match filled.volume {
            0.0 => DMat3::ZERO,
            volume => filled.inertia_about_origin().inverse() * volume,
        };
        self.area = shapes.iter().map(|shape| shape.geometry.convex().area()).sum();
        Ok(())
    }

    /// How it moves, as last said and advanced since.
    pub fn state(&self) -> &BodyState {
        &self.state
    }

    /// Temperature \[K\].
    pub fn temperature(&self) -> f64 {
        self.temperature
    }

    /// Changes the mass \[kg\]; infinity: nothing moves it.
    ///
    /// # Errors
    /// Not positive; nothing has changed then.
    pub fn set_mass(&mut self, mass: f32) -> Result<(), ParamError> {
        ParamError::check(mass > 0.0, "mass", mass, "positive")?;
        self.mass = f64::from(mass);
        Ok(())
    }

    /// Changes the temperature \[K\].
    ///
    /// # Errors
    /// Not positive or not finite; nothing has changed then.
    pub fn set_temperature(&mut self, temperature: f32) -> Result<(), ParamError> {
        let valid = temperature.is_finite() && temperature > 0.0;
        ParamError::check(valid, "temperature", temperature, "positive")?;
        self.temperature = f64::from(temperature);
        Ok(())
    }

    /// What it keeps of the fluid's.
    pub fn bound(&self) -> &Bound {
        &self.bound
    }

    /// What the fluid has given to it since it was last taken.
    pub fn reaction(&self) -> &Reaction {
        &self.reaction
    }

    /// What the fluid has given to it since this was last asked; clears it.
    pub fn take_reaction(&mut self) -> Reaction {
        std::mem::take(&mut self.reaction)
    }

    /// True if it has holes, which hold fluid.
    pub(crate) fn is_container(&self) -> bool {
        self.container
    }

    /// Where bound strength is with the body at `pose` \[m\].
    pub(crate) fn inside(&self, pose: Pose) -> impl Iterator<Item = Vec3> {
        self.inside.iter().map(move |&point| pose.to_world(point))
    }

    /// Its bound strength with the body at `pose`, as vortons: positions and strengths.
    pub(crate) fn bound_vortons(&self, pose: Pose) -> impl Iterator<Item = (Vec3, Vec3)> {
        let each = (self.bound.felt / self.inside.len() as f64).as_vec3();
        self.inside(pose).filter(move |_| each != Vec3::ZERO).map(move |point| (point, each))
    }

    /// The fluid's moments about the centre of mass have changed: the body gets the opposite, and what is missing of the strength is
    /// bound from now on.
    pub(crate) fn receive(&mut self, density: f64, change: &Moments, felt: DVec3) {
        // Containers have no inside of their own.
        let felt = if self.inside.is_empty() { DVec3::ZERO } else { felt };
        let mut bound = Moments::default();
        if felt != DVec3::ZERO {
            let centre = self.state.position.as_dvec3();
            let share = 1.0 / self.inside.len() as f64;
            for point in self.inside(self.state.pose()) {
                bound.add(centre, point, felt * share);
            }
        }
        self.bound.felt += felt;
        self.bound.strength -= change.strength;
        self.bound.impulse += bound.linear - 0.5 * self.state.position.as_dvec3().cross(change.strength);
        let (linear, angular) = (change.linear + bound.linear, change.angular + bound.angular);
        self.reaction.linear -= linear * density;
        self.reaction.angular -= angular * density;
        let BodyState { velocity, angular_velocity, .. } = self.state;
        self.work += linear.dot(velocity.as_dvec3()) + angular.dot(angular_velocity.as_dvec3());
    }

    /// Its holes carry fluid along with `velocity` \[m/s\] in a step of `dt` \[s\].
    pub(crate) fn carry(&mut self, velocity: Vec3, dt: f32) {
        // No step, or one back in time, tells nothing of how it is pushed.
        if dt <= 0.0 {
            return;
        }
        // Mean velocities are those of the middles of their steps, which may differ in length.
        let between = |(before, step): (Vec3, f32)| (velocity - before) / (0.5 * (dt + step));
        self.acceleration = self.carried.map_or(Vec3::ZERO, between);
        self.carried = Some((velocity, dt));
    }

    /// It has been put somewhere, without a way there.
    pub(crate) fn forget_motion(&mut self) {
        (self.carried, self.acceleration) = (None, Vec3::ZERO);
    }

    /// How the velocity changes with which its holes carry fluid along \[m/s²\].
    pub(crate) fn acceleration(&self) -> Vec3 {
        self.acceleration
    }

    /// Holds what a vorton at `place` had.
    pub(crate) fn absorb(&mut self, place: Vec3, strength: Vec3) {
        if !strength.is_finite() {
            return;
        }
        let strength = strength.as_dvec3();
        self.bound.felt += strength;
        self.bound.strength += strength;
        self.bound.impulse += 0.5 * place.as_dvec3().cross(strength);
    }

    /// Body and fluid have lost kinetic energy \[J\] to each other.
    pub(crate) fn lose(&mut self, energy: f64) {
        self.reaction.lost_energy += energy;
        if self.friction == Friction::WarmsBody {
            self.temperature += energy / self.heat_capacity;
            self.reaction.heat += energy;
        }
    }

    /// Angular velocity \[rad/s\] that an angular impulse \[N m s\] gives to it.
    pub(crate) fn spin_from(&self, angular: DVec3) -> DVec3 {
        if self.mass.is_infinite() {
            return DVec3::ZERO;
        }
        let turn = DMat3::from_quat(self.state.rotation.as_dquat().normalize());
        turn * (self.inverse_inertia * (turn.transpose() * angular)) / self.mass
    }
}
