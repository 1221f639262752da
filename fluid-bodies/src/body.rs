//! One body: the state set by the engine, and the quantities of the fluid that the body holds.

mod appearing;
mod asleep;
mod definition;
mod dragged;
mod extent;
mod filling;
mod following;
mod former;
mod given;
mod held;
mod immovable;
mod in_tank;
mod in_wind;
mod rooms;
mod rubbed;
mod saving;
mod sharing;
mod sheeted;
mod shift;
mod told;
mod walled;

pub(crate) use self::definition::check_spin_of_half_space;
pub use self::definition::{BodyDef, BodyState, BuoyantForce, LostEnergy};
use self::definition::{check_fluid_part, check_inertia, check_mass_of_immovable, symmetric};
use self::extent::{even_inertia, reach_of};
use self::filling::Filling;
pub(crate) use self::former::Former;
pub(crate) use self::held::{Held, MOST_POINTS};
pub(crate) use self::in_tank::Demands;
use self::in_tank::InTank;
use self::rooms::CarriedRoom;
pub(crate) use self::sheeted::KnownShapes;
use self::sheeted::SheetedSurface;
use self::walled::WalledHole;
use crate::added_inertia::AddedInertia;
use crate::ball::ball_around;
use crate::drag::BodyDrag;
use crate::free_motion::{Expected, FreeMotion, Inertia, MotionChange, Wrench};
use crate::hole::rooms;
use crate::ledger::{BodyImpulse, Bound, CentredMoments};
use crate::mutual_energy::EnergyExchange;
use crate::obstacle::Obstacle;
use crate::pose::{Pose, StepPoses};
use crate::separation::hollow;
use crate::shapes::{MassProperties, Parity, Shape, interior};
use crate::support_points::SupportPoints;
use crate::surface::hidden;
use fluid_core::boundary::StepTime;
use fluid_core::constants::{MAX_BODY_SPEED, MAX_COORDINATE, MAX_SPIN};
use fluid_core::params::{ParamError, Params};
use fluid_core::velocity::DirectSettings;
use glam::{DMat3, DVec3, Vec3};
use std::f64::consts::PI;
use std::sync::OnceLock;

/// Largest velocity that forces would have given to a body without the fluid's part, relative to the speed
/// limit of bodies \[1\]. The bound is needed because the engine's acceleration is measured over intervals of
/// any length.
const MOST_WITHHELD: f64 = 0.01;
/// Minimum distance between the points of a body that hold bound strength \[core radii\]: cores overlap.
const BOUND_SPACING: f32 = 1.0;
/// Radius of the bounding sphere \[core radii\] above which a body holds bound strength under its contacts
/// instead of throughout its interior: a floor's bound strength has to be where fluid touches it.
const LARGE: f32 = 8.0;

/// A body in the fluid.
#[derive(Debug, Clone)]
pub struct Body {
    pub(crate) state: BodyState,
    /// Poses in the current step, or expected poses in the next one.
    poses: StepPoses,
    /// Duration of that step \[s\].
    step: f32,
    /// Mass \[kg\] that responds to impulses: infinite while the body sleeps.
    pub(crate) mass: f64,
    /// Mass set by the engine \[kg\].
    pub(crate) told_mass: f64,
    /// True if the engine has put the body to sleep.
    asleep: bool,
    /// Volume, centroid and second moments of all shapes.
    pub(crate) displaced: MassProperties,
    /// Inertia tensor about the centre of mass, body's axes, for a mass of 1 kg distributed evenly over the
    /// shapes \[m²\].
    even_inertia: DMat3,
    /// Inertia tensor about the centre of mass \[kg m²\], body's axes, if the engine has set it.
    told_inertia: Option<DMat3>,
    /// Parts of `told_mass` \[kg\] and of the inertia tensor that stand for fluid around the body.
    pub(crate) fluid_mass: f64,
    fluid_inertia: DMat3,
    /// Inverse of the inertia tensor about the centre of mass \[1/(kg m²)\], body's axes; zero if the body
    /// cannot be turned.
    inverse_inertia: DMat3,
    /// Surface area \[m²\].
    pub(crate) area: f64,
    /// Extent from the centre of mass along one of the body's axes \[m\].
    reach: f64,
    support_points: SupportPoints,
    pub(crate) buoyant_force: BuoyantForce,
    pub(crate) temperature: f64,
    pub(crate) heat_capacity: f64,
    pub(crate) heat_transfer: f64,
    pub(crate) lost_energy: LostEnergy,
    pub(crate) bound: Bound,
    /// True if it is a half-space.
    half_space: bool,
    /// True for half-spaces and level geometry, which impulses never move.
    immovable: bool,
    /// True if it has holes.
    container: bool,
    /// Positions of bound strength: evenly distributed over the interior, or under the contacts of a large
    /// body.
    held: Held,
    /// Energy of a unit strength spread over these points \[1/m\], of a body with a sheet.
    energy_of_held: f64,
    is_large: bool,
    /// Minimum distance \[m\] between those points.
    spacing: f32,
    pub(crate) impulse: BodyImpulse,
    /// How the rooms carry fluid along.
    rooms: Vec<CarriedRoom>,
    /// Impulses \[N s, N m s\] on the body from pushing vortons out in this step, about the middle of its
    /// solids.
    pub(crate) pushed: CentredMoments,
    /// Impulses \[N s, N m s\] from the fluid outside in this step.
    pub(crate) taken: (DVec3, DVec3),
    /// Angular impulse \[N m s\] of the fluid in the holes on solids there in this step, about the middle of
    /// the holes.
    pub(crate) taken_inside: DVec3,
    /// Kinetic energy \[J\] that the mean slip of the contacts has turned into heat in this step.
    pub(crate) lost: f64,
    /// Velocities \[m/s, rad/s\] of the body as seen by the contacts of this step.
    met: (DVec3, DVec3),
    motion: FreeMotion,
    /// Added inertia of the shapes, computed on first use.
    added_inertia: OnceLock<Option<AddedInertia>>,
    /// Settings for creating sheets.
    sheet_settings: DirectSettings,
    /// True if the solids are to have a sheet.
    no_through: bool,
    /// Density of the fluid \[kg/m³\].
    density: f64,
    /// Wind around the body \[m/s\]; in a tank the velocity with which that carries its fluid (E74).
    wind: Vec3,
    surface: Option<Box<SheetedSurface>>,
    /// Fluid in the holes, if any.
    filling: Option<Box<Filling>>,
    /// Walls of the holes, if they have sheets.
    walls: Vec<WalledHole>,
    /// Energy per density \[m⁵/s²\] of the flow driven by the body's motion at the middle of the last step.
    own_energy: f64,
    /// Steps of the present sheet, until it has settled.
    sheet_steps: u8,
    /// Energy per density \[m⁵/s²\] of sheets that have appeared or gone since the last step.
    changed_sheets: f64,
    drag: BodyDrag,
    in_tank: InTank,
    /// Demands of the bodies in the holes in this step.
    demands_inside: Demands,
    /// The body as it was at the end of the last step, if its shapes have changed since.
    former: Option<Former>,
    /// Distance \[m\] and angle \[rad\] by which it was placed since the last step.
    placed: [f32; 2],
}

impl Body {
    /// Creates a body from its definition, with `known` data of its shapes; the fluid has not acted on it
    /// yet.
    pub(crate) fn new(def: &BodyDef, fluid: &Params, known: KnownShapes) -> Result<Self, ParamError> {
        let core_radius = fluid.core_radius;
        ParamError::check(def.state.is_valid(), "body state", def.state, "finite, with a unit quaternion")?;
        ParamError::check(def.mass > 0.0, "mass", def.mass, "positive")?;
        check_inertia(def.inertia)?;
        check_fluid_part(def.mass.into(), def.inertia, (def.fluid_mass.into(), def.fluid_inertia))?;
        ParamError::check(def.heat_capacity > 0.0, "heat capacity", def.heat_capacity, "positive")?;
        let finite = |v: f32| v.is_finite();
        let warm = finite(def.temperature) && def.temperature > 0.0;
        ParamError::check(warm, "temperature", def.temperature, "positive")?;
        let transfer = def.heat_transfer;
        ParamError::check(finite(transfer) && transfer >= 0.0, "heat transfer", transfer, "at least 0")?;
        for (name, coefficient) in [("drag", def.drag_coefficient), ("Magnus", def.magnus_coefficient)] {
            let is_valid = finite(coefficient) && (0.0..=BodyDef::MOST_COEFFICIENT).contains(&coefficient);
            ParamError::check(is_valid, name, coefficient, "from 0 to 1000")?;
        }
        let mut body = Self {
            state: def.state,
            poses: StepPoses::standing(def.state.pose()),
            step: 0.0,
            mass: f64::from(def.mass),
            told_mass: f64::from(def.mass),
            asleep: false,
            displaced: MassProperties::NONE,
            even_inertia: DMat3::ZERO,
            told_inertia: def.inertia.map(symmetric),
            fluid_mass: f64::from(def.fluid_mass),
            fluid_inertia: symmetric(def.fluid_inertia),
            inverse_inertia: DMat3::ZERO,
            area: 0.0,
            reach: 0.0,
            support_points: SupportPoints::NONE,
            buoyant_force: def.buoyant_force,
            temperature: f64::from(def.temperature),
            heat_capacity: f64::from(def.heat_capacity),
            heat_transfer: transfer.into(),
            lost_energy: def.lost_energy,
            bound: Bound::default(),
            half_space: false,
            immovable: false,
            container: false,
            held: Held::at(Vec::new(), DVec3::ZERO),
            energy_of_held: 0.0,
            is_large: false,
            spacing: BOUND_SPACING * core_radius,
            impulse: BodyImpulse::default(),
            rooms: Vec::new(),
            pushed: CentredMoments::default(),
            taken: (DVec3::ZERO, DVec3::ZERO),
            taken_inside: DVec3::ZERO,
            lost: 0.0,
            met: (DVec3::ZERO, DVec3::ZERO),
            motion: FreeMotion::default(),
            added_inertia: OnceLock::new(),
            sheet_settings: fluid.direct_settings(),
            no_through: def.no_through,
            density: fluid.ambient.density.into(),
            wind: fluid.wind,
            surface: None,
            filling: None,
            walls: Vec::new(),
            own_energy: 0.0,
            sheet_steps: 0,
            changed_sheets: 0.0,
            drag: BodyDrag::new(def.drag_coefficient, def.magnus_coefficient),
            in_tank: InTank::default(),
            demands_inside: Demands::default(),
            former: None,
            placed: [0.0; 2],
        };
        body.set_shapes(&def.shapes, known)?;
        Ok(body)
    }

    /// Replaces the shapes, with `known` data of the new ones; the mass is kept.
    fn set_shapes(&mut self, shapes: &[Shape], known: KnownShapes) -> Result<(), ParamError> {
        let valid = |shape: &Shape| shape.geometry.is_valid() && shape.pose.is_valid();
        ParamError::check(shapes.iter().all(valid), "shapes", shapes, "of positive sizes, at finite poses")?;
        if let Some(half_space) = shapes.iter().find(|shape| shape.is_half_space()) {
            return self.become_half_space(half_space, shapes.len());
        }
        if shapes.iter().any(Shape::is_level) {
            return self.become_level(shapes);
        }
        (self.half_space, self.immovable) = (false, false);
        self.leave_tank();
        self.lose_sheet();
        let seen = shapes.iter().zip(hidden(shapes)).filter(|(_, hidden)| !hidden).map(|(shape, _)| shape);
        let seen: Vec<_> = seen.cloned().collect();
        let solids: Vec<_> = seen.iter().filter(|shape| shape.parity == Parity::Solid).cloned().collect();
        self.displaced = MassProperties::of(&solids);
        self.added_inertia = OnceLock::new();
        let radius = ball_around(&solids).radius;
        let holds_by_place = self.holds_by_place();
        self.is_large = radius > LARGE * self.spacing / BOUND_SPACING;
        // Strength bound where fluid has touched the body stays there.
        if !(holds_by_place && self.is_large) {
            self.hold_inside(&solids, shapes);
        }
        self.container = shapes.iter().any(|shape| shape.parity == Parity::Hole);
        self.rooms.resize(rooms(shapes).len(), CarriedRoom::default());
        self.even_inertia = even_inertia(shapes);
        self.invert_inertia();
        self.reach = reach_of(shapes);
        self.support_points = SupportPoints::of(shapes);
        self.area = seen.iter().map(|shape| shape.geometry.queries().area()).sum();
        self.make_sheet(shapes, known.sheet);
        self.make_walls(shapes, &known.walls);
        self.make_filling(shapes);
        if (self.surface.is_some() || self.has_walls()) && self.is_large {
            // Strength that moves with the contacts would be a flow that the sheet responds to.
            self.is_large = false;
            self.hold_inside(&solids, shapes);
        }
        self.measure_held();
        Ok(())
    }

    /// Moves the bound strength into the interior of these `solids`, not into their holes.
    fn hold_inside(&mut self, solids: &[Shape], shapes: &[Shape]) {
        let mut points = interior(solids, self.spacing);
        let (hollow, of) = (hollow(shapes), |parity: Parity| move |shape: &&Shape| shape.parity == parity);
        if hollow.contains(&true) {
            let holes = || shapes.iter().filter(of(Parity::Hole));
            let full = || shapes.iter().zip(&*hollow).filter(|(_, is_hollow)| !**is_hollow);
            let full = || full().map(|(shape, _)| shape).filter(of(Parity::Solid));
            points.retain(|&point| {
                let is_inside = |solid: &Shape| solid.surface(point).distance <= 0.0;
                holes().all(|hole| hole.surface(point).distance < 0.0) || full().any(is_inside)
            });
        }
        if self.is_large {
            points.truncate(1);
        }
        self.held = Held::at(points, self.bound.felt);
        if self.is_large {
            self.held.reserve();
        }
    }

    /// True if no fluid may pass through the solids.
    pub(crate) fn has_no_through(&self) -> bool {
        self.no_through
    }

    /// True if the added inertia is cached.
    pub(crate) fn knows_added_inertia(&self) -> bool {
        self.added_inertia.get().is_some()
    }

    /// Returns the added inertia of `shapes`, which must be those last set; cached until they change.
    pub(crate) fn added_inertia(&self, shapes: &[Shape]) -> Option<AddedInertia> {
        *self.added_inertia.get_or_init(|| AddedInertia::of(shapes))
    }

    fn invert_inertia(&mut self) {
        self.inverse_inertia = self.inverse_inertia_of(self.mass);
    }

    /// Returns the inertia tensor with this mass about the centre of mass \[kg m²\], body's axes.
    fn inertia_tensor_of(&self, mass: f64) -> DMat3 {
        self.told_inertia.unwrap_or(self.even_inertia * mass)
    }

    /// Returns its inverse \[1/(kg m²)\]; zero if the body cannot be turned.
    fn inverse_inertia_of(&self, mass: f64) -> DMat3 {
        let tensor = self.inertia_tensor_of(mass);
        let turns = mass.is_finite() && tensor != DMat3::ZERO;
        let inverse = if turns { tensor.inverse() } else { DMat3::ZERO };
        if inverse.is_finite() { inverse } else { DMat3::ZERO }
    }

    /// Returns the inertia for free motion.
    fn inertia(&self) -> Inertia {
        let tensor = self.inertia_tensor_of(self.mass);
        Inertia { mass: self.mass, tensor, inverse: self.inverse_inertia, part: self.part() }
    }

    /// Returns the body's state: as last set, advanced since, and changed by impulses from the fluid that the
    /// engine has not taken yet.
    pub fn state(&self) -> &BodyState {
        &self.state
    }

    /// Returns the temperature \[K\].
    pub fn temperature(&self) -> f64 {
        self.temperature
    }

    /// Sets the inertia tensor about the centre of mass \[kg m²\], body's axes; None distributes the mass
    /// evenly over the shapes.
    ///
    /// # Errors
    /// Returns an error if no body can have this tensor, see [`BodyDef::inertia`]; nothing is changed then.
    pub fn set_inertia(&mut self, inertia: Option<DMat3>) -> Result<(), ParamError> {
        check_inertia(inertia)?;
        check_fluid_part(self.told_mass.min(f64::MAX), inertia, (self.fluid_mass, self.fluid_inertia))?;
        self.told_inertia = inertia.map(symmetric);
        self.invert_inertia();
        Ok(())
    }

    /// Sets the temperature \[K\].
    ///
    /// # Errors
    /// Returns an error if it is not positive or not finite; nothing is changed then.
    pub fn set_temperature(&mut self, temperature: f32) -> Result<(), ParamError> {
        let valid = temperature.is_finite() && temperature > 0.0;
        ParamError::check(valid, "temperature", temperature, "positive")?;
        self.temperature = f64::from(temperature);
        Ok(())
    }

    /// Returns the bound strength that the body holds.
    pub fn bound(&self) -> &Bound {
        &self.bound
    }

    /// Returns the fluid's reaction on the body since it was last taken, without clearing it.
    pub fn impulse(&self) -> &BodyImpulse {
        &self.impulse
    }

    /// Returns the fluid's reaction on the body since the last call, and clears it. It has already moved the
    /// body, which keeps its motion: the engine's next state is expected to include it.
    pub fn take_impulse(&mut self) -> BodyImpulse {
        self.motion.take(self.impulse.linear / self.mass);
        std::mem::take(&mut self.impulse)
    }

    /// Applies a reaction that does not come from a step.
    pub fn push(&mut self, given: &BodyImpulse) {
        self.impulse = self.impulse.and(given);
        let velocity = given.linear / self.mass;
        self.motion.kick(velocity, given.angular);
        self.change_motion(velocity, given.angular);
    }

    /// Sets the state from the engine, and adds the impulses that the engine has not taken yet.
    pub(crate) fn tell(&mut self, state: BodyState, size: f32) {
        let way = state.position.distance(self.state.position);
        self.state = self.state_to_take(state);
        // States of a sleeping body carry no information about the engine's forces on it.
        let (velocity, angular, longer) = match self.asleep {
            true => {
                self.motion.leave_lift_path();
                (DVec3::ZERO, DVec3::ZERO, 0.0)
            }
            false => {
                let told = (state.pose(), state.velocity.as_dvec3(), state.angular_velocity);
                self.motion.tell(told, self.mass, self.moved_inertia().is_some())
            }
        };
        self.motion.moved(way, size);
        self.change_motion(velocity, angular);
        self.wait(longer);
        // The contents of a container stay at its previous pose until the next step.
        if !self.container {
            self.poses = StepPoses::standing(state.pose());
        }
    }

    /// Changes velocity \[m/s\] and angular momentum \[N m s\]. Excess speed is cut off.
    fn change_motion(&mut self, velocity: DVec3, angular: DVec3) {
        let spin = self.spin_from(angular);
        let within = |old: Vec3, change: DVec3, most: f32| slow(old.as_dvec3() + change, most, old);
        if velocity != DVec3::ZERO {
            self.state.velocity = within(self.state.velocity, velocity, MAX_BODY_SPEED);
        }
        if spin != DVec3::ZERO {
            self.state.angular_velocity = within(self.state.angular_velocity, spin, MAX_SPIN);
        }
    }

    /// Returns the expected pose after `share` of a step of `dt` \[s\], contacts not included.
    fn way(&self, dt: f32, share: f32) -> Pose {
        self.advanced(self.mean_velocities(dt), dt * share)
    }

    /// Returns the pose after moving with constant velocities \[m/s, rad/s\] for `time` \[s\], at most to
    /// [`MAX_COORDINATE`].
    fn advanced(&self, (velocity, spin): (Vec3, Vec3), time: f32) -> Pose {
        let pose = self.state.pose();
        let end = pose.advanced(velocity, spin, time);
        let most = Vec3::splat(MAX_COORDINATE);
        if end.is_valid() { Pose { position: end.position.clamp(-most, most), ..end } } else { pose }
    }

    /// Returns the mean velocities in a step of `dt` \[s\], contacts not included \[m/s, rad/s\].
    fn mean_velocities(&self, dt: f32) -> (Vec3, Vec3) {
        let inertia = self.inertia();
        let Expected { acceleration, torque } = self.motion.expected(&inertia);
        let half = 0.5 * f64::from(dt);
        let velocity =
            slow(self.state.velocity.as_dvec3() + acceleration * half, MAX_BODY_SPEED, self.state.velocity);
        let mut spin = self.state.angular_velocity;
        if inertia.turns() && (spin != Vec3::ZERO || torque != DVec3::ZERO) {
            let rotation = self.state.rotation.as_dquat().normalize();
            let momentum = inertia.momentum(rotation, spin.as_dvec3()) + torque * half;
            spin = slow(inertia.mean_spin(rotation, momentum, f64::from(dt)), MAX_SPIN, spin);
        }
        (velocity, spin)
    }

    /// Begins a step of `dt` \[s\]: shares momentum with the surrounding fluid, then finds the path of the
    /// body. `swept` is the pose at which particles were last swept against it. Returns the energy per
    /// density \[m⁵/s²\] that the flow driven by the body has gained since the middle of the last step.
    /// `fastest` bounds the speed of flows at the body that have energy without limit \[m/s\].
    pub(crate) fn set_out(
        &mut self,
        dt: f32,
        swept: Pose,
        (fastest, exchange): (f64, &mut EnergyExchange),
    ) -> f64 {
        self.bound.drift(self.wind_at_vortons().as_dvec3() * f64::from(dt));
        self.share_with_fluid(dt, fastest, exchange);
        self.find_poses(dt, swept);
        self.energy_gained(dt)
    }

    /// Finds the poses expected in a step of `dt` \[s\]. A container starts at `swept`, the pose at which
    /// particles were last swept against it, as its contents do; other bodies start at the engine's pose.
    pub(crate) fn find_poses(&mut self, dt: f32, swept: Pose) {
        let velocities = self.mean_velocities(dt);
        let at = |time: StepTime| self.advanced(velocities, dt * time.part());
        let end = at(StepTime::End);
        self.poses = match self.container {
            true => StepPoses { start: swept, middle: swept.between(&end, 0.5), end },
            false => StepPoses { start: at(StepTime::Start), middle: at(StepTime::Middle), end },
        };
        self.step = dt;
    }

    /// Returns the poses in the current step.
    pub(crate) fn poses(&self) -> &StepPoses {
        &self.poses
    }

    /// Returns the pose that positions the bound strength at `time`.
    pub(crate) fn pose_of_bound(&self, time: StepTime) -> Pose {
        // The velocity at the end of a step, not the mean one, leads to that pose.
        if self.container || time == StepTime::End {
            return self.way(2.0 * (time.part() * self.step), 0.5);
        }
        self.poses.at(time)
    }

    /// Returns the pose at which the ambient's lift is read in this step (E48), and the displacement \[m\] of
    /// which that is the middle. An engine's own, or if none moves the body, that of the step.
    pub(crate) fn lift_path(&self, obstacle: &Obstacle) -> (Pose, DVec3) {
        let pose = self.state.pose();
        self.motion.lift_path(self.step.into()).unwrap_or_else(|| obstacle.path_to(pose))
    }

    /// True if the lift is not known yet.
    pub(crate) fn wants_lift(&self) -> bool {
        self.motion.wants_lift()
    }

    /// Sets the lift before a first step, and the acceleration that the engine is assumed to add \[m/s²\].
    pub(crate) fn set_lift(&mut self, lift: Wrench, weight: Option<DVec3>, density: f64) {
        let volume = self.displaced.volume;
        self.motion.set_lift(lift, (weight, density * volume));
        // Fluid carried by a vortex sheet one core radius outside of the surface: exact for a ball.
        let radius = libm::cbrt(volume * (3.0 / (4.0 * PI)));
        let grown = 4.0 / 3.0 * PI * (radius + f64::from(self.spacing)).powi(3);
        if self.surface.is_none() {
            self.motion.guess_carried(1.5 * density * grown / self.told_mass);
        }
    }

    /// Moves along the path of the step. Returns the velocities \[m/s, rad/s\] at its end as contacts see
    /// them, which take the fraction 1 - exp(-`relaxed`) of the slip.
    pub(crate) fn go(&mut self, dt: f32, relaxed: f64) -> (Vec3, Vec3) {
        let end = self.poses.end;
        let inertia = self.inertia();
        let momentum =
            inertia.momentum(self.state.rotation.as_dquat(), self.state.angular_velocity.as_dvec3());
        let (Expected { acceleration, torque }, before) = self.motion.begin(&inertia, relaxed);
        (self.state.position, self.state.rotation) = (end.position, end.rotation);
        if inertia.turns() {
            // A freely turning body keeps its angular momentum.
            let rotation = self.state.rotation.as_dquat().normalize();
            let spin = inertia.spin(rotation, momentum).clamp_length_max(f64::from(MAX_SPIN)).as_vec3();
            self.state.angular_velocity = if spin.is_finite() { spin } else { self.state.angular_velocity };
        }
        let before = before * f64::from(dt);
        let velocity = self.state.velocity.as_dvec3() + acceleration * before;
        let spin = self.state.angular_velocity.as_dvec3() + self.spin_from(torque * before);
        self.met = (velocity, spin);
        self.motion.meet(velocity, spin);
        (velocity.as_vec3(), spin.as_vec3())
    }

    /// Ends a step: applies its forces and impulses to the velocities, and their displacement within the
    /// step.
    pub(crate) fn finish_step(&mut self, dt: f32, lift: Wrench, weight: Option<DVec3>, density: f64) {
        let inertia = self.inertia();
        let (dt, displaced) = (f64::from(dt), density * self.displaced.volume);
        let Some(change) = self.motion.finish(&inertia, dt, lift, (weight, displaced)) else { return };
        let MotionChange { velocity, angular, moved, turned, withheld, withheld_angular } = change;
        let (way, rotation) = ((moved * dt).as_vec3(), self.state.rotation);
        let turn = (self.spin_from(turned) * dt).as_vec3();
        self.change_motion(velocity, angular);
        let moved = BodyState { position: self.state.position + way, ..self.state };
        if way != Vec3::ZERO && moved.is_valid() {
            self.state = moved;
        }
        if turn != Vec3::ZERO && turn.is_finite() {
            let turned = self.state.pose().advanced(Vec3::ZERO, turn, 1.0);
            if turned.is_valid() {
                self.state.rotation = turned.rotation;
            }
        }
        self.give_to_fluid(dt, density, (withheld, withheld_angular), rotation);
        self.walls.iter_mut().for_each(|walls| walls.flow.finish_step(dt as f32));
    }

    /// True if the body has holes, which hold fluid.
    pub(crate) fn is_container(&self) -> bool {
        self.container
    }

    /// Teleports the body to this state. What the body knows of the flow around it holds at a place nearby,
    /// too; elsewhere the flow is another one.
    pub(crate) fn put(&mut self, state: BodyState) {
        self.rooms.fill(CarriedRoom::default());
        let (way, angle) = self.way_to(&state.pose());
        self.placed = [self.placed[0] + way, self.placed[1] + angle];
        if self.container || !self.goes_on_after(self.placed) {
            self.settle_shapes();
            self.impulse = self.impulse.and(&self.due_to_sheet());
            self.forget_flow();
            self.bound.impulse += self.drag.forget();
            self.leave_tank();
            self.placed = [0.0; 2];
        }
        self.motion.forget();
        (self.state, self.poses) = (self.state_to_take(state), StepPoses::standing(state.pose()));
    }

    /// Returns the angular velocity \[rad/s\] due to an angular impulse \[N m s\].
    pub(crate) fn spin_from(&self, angular: DVec3) -> DVec3 {
        let turn = DMat3::from_quat(self.state.rotation.as_dquat().normalize());
        turn * (self.inverse_inertia * (turn.transpose() * angular))
    }
}

/// Clamps a velocity to `most`; returns the previous one if it is not finite.
fn slow(velocity: DVec3, most: f32, before: Vec3) -> Vec3 {
    let velocity = velocity.clamp_length_max(f64::from(most)).as_vec3();
    if velocity.is_finite() { velocity } else { before }
}
