//! The sheet on the walls of a body's hole (E53).

use super::{Body, BuoyantForce};
use crate::content::Content;
use crate::free_motion::Wrench;
use crate::pose::{Pose, StepPoses};
use crate::reply::Moving;
use crate::shapes::{MassProperties, Parity, Shape};
use crate::sheet::{BodyMotion, Braking, Pair, Seen, WallFlow, WallSheet};
use crate::turning::inertia_of_turning;
use fluid_core::boundary::{Motion, StepTime};
use fluid_core::params::Params;
use fluid_core::particles::Vortons;
use fluid_core::velocity::Sources;
use fluid_threads::Executor;
use glam::{DMat3, DQuat, DVec3, Vec3};
use std::sync::Arc;

/// Rate at which walls reduce slip, relative to ν/σ² \[1\]: ν/δ², where δ is half the spacing, the distance
/// from the wall to the first vortons, at 1.5 spacings per core radius.
const FRICTION: f32 = 9.0;

/// Thickness of walls \[core radii\]: their sheet, and its core.
const MOST_THICKNESS: f32 = 2.0;
/// Rotation per step \[rad\] below which a hole counts as not turning: round-off of a pose.
const LEAST_ANGLE: f32 = 1e-5;

/// Most of its slip that a shell removes by friction in a step \[1\]: engines may lag by a frame, and the
/// slip of light shells would grow if they removed all of it.
const MOST_OF_SLIP: f64 = 0.5;

/// Factor on the inertia of the fluid that walls drag along in a step, above which a shell is heavy \[1\].
const LAYERS: f64 = 4.0;

/// Least mass of the contents of a hole, relative to the fluid that fills it \[1\].
const LEAST_MASS: f64 = 1e-3;

/// Angular momentum per density of the vorticity in a hole \[m⁵/s\], world's axes, as recorded.
#[derive(Debug, Clone, Copy, Default)]
struct Turning {
    /// At the start of the current step.
    at_start: Option<DVec3>,
    /// At its middle, with the number of vortons.
    in_middle: Option<(DVec3, usize)>,
    /// At the end of the last step, with the number of vortons.
    at_end: Option<(DVec3, usize)>,
}

fluid_core::saved::fields!(Turning { at_start, in_middle, at_end });

impl Turning {
    /// Returns the change in a step that ends with the value `now`. Vortons added or removed between steps do
    /// not count.
    fn gained(&self, now: DVec3) -> DVec3 {
        let Some((middle, count)) = self.in_middle else { return DVec3::ZERO };
        let last = self.at_end.filter(|&(_, before)| before == count);
        match self.at_start.or(last.map(|(turning, _)| turning)) {
            Some(start) => now - start,
            None => (now - middle) * 2.0,
        }
    }
}

/// Walls of a hole, with the state that belongs to them.
#[derive(Debug, Clone)]
pub(super) struct WalledHole {
    pub(super) flow: WallFlow,
    /// All fluid in it.
    pub(super) content: Content,
    /// Volume \[m³\] and centroid \[m\] of the hole, body's axes.
    volume: f64,
    middle: DVec3,
    /// Excess mass \[kg\] of the vortons in the hole over the ambient fluid, and its moment \[kg m\] about
    /// the centre of mass, world's axes, at the end of the last step.
    pub(super) load: (f64, DVec3),
    /// Gravity in the last step \[m/s²\].
    gravity: DVec3,
    /// Centre of the hole's bounding sphere, which defines the motion of its enclosure \[m\], body's axes.
    centre: Vec3,
    /// Duration of the current step \[s\].
    step: f32,
    /// True while nearby bodies keep the walls from confining flow.
    is_suspended: bool,
    /// Work of friction per density in the last step \[m⁵/s²\].
    work: f64,
    turning: Turning,
    /// Angular velocity \[rad/s\] that a shell would have to gain for zero slip of its fluid, body's axes;
    /// zero without friction.
    without_slip: DVec3,
    /// Inertia of shell and contents, relative to that plus the fluid dragged along by friction in a step
    /// \[1\]; 0 without friction.
    heaviness: f64,
    /// Angular impulse \[N m s\] of the contents that the shell has not received yet, world's axes.
    withheld: DVec3,
    /// Energy \[J\] that shell and contents have got from the vortons in the last step, as a rotation.
    given: f64,
}

fluid_core::saved::fields!(WalledHole {
    flow, content, load, gravity, step, is_suspended, work, turning, without_slip, heaviness,
    withheld, given,
} not { volume, middle, centre });

impl WalledHole {
    /// Prepares friction, by which vortons take the fraction `share` of the slip: computes the angular
    /// velocity \[rad/s\], body's axes, that a shell of this inertia gains from it and from the angular
    /// momentum that its contents have taken up in this step. Friction acts on the remaining slip (backward
    /// Euler).
    fn begin_to_turn(
        &mut self,
        exec: &dyn Executor,
        (shell, density): (DMat3, f64),
        (pose, share): (Pose, f32),
        vortons: &Vortons,
    ) -> Vec3 {
        let Braking { turning, dragged, of_spin } = self.flow.braking(exec, pose, share, vortons);
        let braked = DMat3::from_cols_array_2d(&of_spin.map(|column| column.to_array()));
        let without_slip = braked.inverse() * -dragged;
        self.without_slip = if without_slip.is_finite() { without_slip } else { DVec3::ZERO };
        let trace = |m: &DMat3| m.x_axis.x + m.y_axis.y + m.z_axis.z;
        let layer = LAYERS * density * trace(&braked);
        self.heaviness = if layer > 0.0 { trace(&shell) / (trace(&shell) + layer) } else { 0.0 };
        let back = pose.rotation.as_dquat().normalize().conjugate();
        let gained = back * self.turning.gained(pose.rotation.as_dquat().normalize() * turning) + dragged;
        let given = back * self.withheld - gained * density;
        let faster = self.felt((shell + braked * density).inverse() * given).as_vec3();
        if faster.is_finite() { faster } else { Vec3::ZERO }
    }

    /// Returns the part that the shell receives of an angular velocity \[rad/s\], body's axes, due to its
    /// contents. Pressure transfers the part for which walls have a lever. Friction transfers the rest to
    /// shells heavier than the fluid that they drag along, and to lighter ones up to zero slip.
    fn felt(&self, faster: DVec3) -> DVec3 {
        let lever = self.flow.lever();
        let part = faster.dot(self.without_slip) / self.without_slip.length_squared();
        let part = if part.is_finite() { part.clamp(0.0, MOST_OF_SLIP) } else { 0.0 };
        let rubbed = (self.without_slip * part).lerp(faster, self.heaviness);
        lever * faster + (DMat3::IDENTITY - lever) * rubbed
    }

    /// Removes the angular momentum \[N m s\], world's axes, that vortons have taken up from shell and
    /// contents, which have this inertia together.
    fn lack(&mut self, shell: DMat3, gained: DVec3, (rotation, velocity, spin): (DQuat, DVec3, DVec3)) {
        let given = self.withheld - gained;
        let faster = self.felt(shell.inverse() * (rotation.conjugate() * given));
        let felt = rotation * (shell * faster);
        let (felt, faster) =
            if felt.is_finite() { (felt, rotation * faster) } else { (DVec3::ZERO, DVec3::ZERO) };
        self.given = felt.dot(spin + 0.5 * faster);
        let withheld = given - felt;
        self.withheld = if withheld.is_finite() { withheld } else { DVec3::ZERO };
        self.content.give(Pair { linear: DVec3::ZERO, angular: felt }, rotation, velocity);
    }

    /// Resets the contents to ambient fluid.
    pub(super) fn empty(&mut self, density: f64, rotation: DQuat) {
        (self.load, self.turning) = ((0.0, DVec3::ZERO), Turning::default());
        self.withheld = DVec3::ZERO;
        self.content.become_as(density * self.volume, self.middle, rotation, DVec3::ZERO);
    }
}

impl Body {
    /// Creates a sheet for the walls of a body with one hole as its only shape.
    pub(super) fn make_walls(&mut self, shapes: &[Shape], known: Option<Arc<WallSheet>>) {
        self.walls = match shapes {
            [hole] if hole.parity == Parity::Hole => {
                let centre = hole.pose.to_world(hole.geometry.queries().bounding_sphere().0);
                let filling = [Shape { parity: Parity::Solid, ..hole.clone() }];
                let sheet = known.or_else(|| WallSheet::of(hole, self.sheet_settings).map(Arc::new));
                sheet.map(WallFlow::new).map(|flow| {
                    let MassProperties { volume, centroid, .. } = MassProperties::of(&filling);
                    let turning = inertia_of_turning(hole);
                    let density = self.density;
                    let content = Content::new(volume * density, centroid, turning * density);
                    let load = (0.0, DVec3::ZERO);
                    let middle = centroid;
                    Box::new(WalledHole {
                        flow,
                        content,
                        volume,
                        middle,
                        load,
                        gravity: DVec3::ZERO,
                        centre,
                        step: 0.0,
                        is_suspended: false,
                        work: 0.0,
                        turning: Turning::default(),
                        without_slip: DVec3::ZERO,
                        heaviness: 0.0,
                        withheld: DVec3::ZERO,
                        given: 0.0,
                    })
                })
            }
            _ => None,
        };
    }

    /// True if the walls have a sheet.
    pub(crate) fn has_walls(&self) -> bool {
        self.walls.is_some()
    }

    /// Returns the volume within the walls' sheet relative to that within the walls \[1\]; 1 without a sheet.
    pub(crate) fn space_behind_walls(&self) -> f64 {
        let used = self.walls.as_ref().filter(|walls| !walls.is_suspended && walls.flow.is_used());
        used.map_or(1.0, |walls| walls.flow.space_behind())
    }

    /// True if the walls confine flow in this step: not if another hole is nearer than the walls are thick,
    /// because their sheet would be in that hole, and not if a half-space reaches into the hole.
    pub(crate) fn holds_flow(&self) -> bool {
        self.walls.as_ref().is_some_and(|walls| !walls.is_suspended)
    }

    /// Sets the `distance` \[m\] to the nearest half-space that reaches into the hole, or other hole with a
    /// sheet.
    pub(crate) fn stand_apart(&mut self, distance: f32) {
        let thickness = MOST_THICKNESS * self.spacing;
        if let Some(walls) = &mut self.walls {
            walls.is_suspended = distance < thickness;
        }
    }

    /// Sets whether another body is in the hole.
    pub(crate) fn hold_body(&mut self, is_held: bool) {
        if let Some(walls) = &mut self.walls {
            walls.flow.hold_body(is_held);
        }
    }

    /// Returns the pose of the walls at `time`, and their motion relative to the wind and to the enclosure,
    /// which moves with the middle of the hole. An engine may move the body by its pose alone.
    fn walls_at(&self, time: StepTime) -> (Pose, BodyMotion) {
        let StepPoses { start, end, .. } = self.poses;
        let Some(walls) = self.walls.as_ref().filter(|walls| walls.step != 0.0) else {
            return (start, BodyMotion::default());
        };
        let pose = start.between(&end, time.part());
        let angle = (end.rotation * start.rotation.conjugate()).to_scaled_axis();
        let is_turning = angle.length() > LEAST_ANGLE && angle.is_finite();
        let spin = if is_turning { pose.turn_back(angle / walls.step) } else { Vec3::ZERO };
        (pose, BodyMotion { velocity: -spin.cross(walls.centre) - pose.turn_back(self.wind), spin })
    }

    /// Returns the pose of the walls at `time`.
    pub(crate) fn pose_of_walls(&self, time: StepTime) -> Pose {
        self.walls_at(time).0
    }

    /// Finds the vortons in the hole at the start of a step.
    pub(crate) fn find_inside(&mut self, exec: &dyn Executor, vortons: &Vortons) {
        let pose = self.pose_of_walls(StepTime::Start);
        if self.holds_flow()
            && let Some(walls) = &mut self.walls
        {
            walls.flow.find_inside(exec, pose, vortons);
        }
    }

    /// Visits the rows of vortons in edges and corners of the hole at the start of the step, in order.
    pub(crate) fn visit_cornered(&self, visit: &mut dyn FnMut(usize)) {
        if self.holds_flow()
            && let Some(walls) = &self.walls
        {
            walls.flow.visit_cornered(visit);
        }
    }

    /// Measures how far vortons fill the layers at the walls at the start of a step, with the hole at `pose`.
    pub(crate) fn see_layers(&mut self, exec: &dyn Executor, pose: Pose, vortons: &Vortons) {
        if self.holds_flow()
            && let Some(walls) = &mut self.walls
        {
            walls.flow.find_gaps(exec, pose, vortons);
        }
    }

    /// Begins a step of `dt` \[s\]: body and contents share their momentum.
    pub(super) fn share_with_content(&mut self, dt: f32) {
        let Some(walls) = &mut self.walls else { return };
        walls.step = dt;
        (walls.turning.at_start, walls.turning.in_middle) = (None, None);
        if dt <= 0.0 {
            if dt < 0.0 {
                self.forget_flow();
            }
            return;
        }
        let (moving, inertia) = (self.moving(), self.inertia_to_share());
        let Some(walls) = &mut self.walls else { return };
        if self.buoyant_force != BuoyantForce::Off {
            // The lever arm of the contents' weight has turned with the body.
            self.motion.turn_lift(walls.content.moment(moving.rotation).cross(walls.gravity));
        }
        let (velocity, impulse) = walls.content.share(&inertia, &moving, f64::from(dt));
        self.get_share(velocity - moving.velocity, impulse);
    }

    /// Returns the energy per density \[m⁵/s²\] of the flow that turning drives, and that keeps the wind out,
    /// at the middle of the step.
    pub(super) fn energy_of_turning(&self) -> f64 {
        let (_, motion) = self.walls_at(StepTime::Middle);
        let used = self.walls.as_ref().filter(|walls| !walls.is_suspended && walls.flow.is_used());
        used.map_or(0.0, |walls| walls.flow.energy(motion))
    }

    /// Ends a step: computes the weight of the vortons in the hole, and the angular momentum that they have
    /// taken up, which shell and contents lack from now on (E57).
    pub(crate) fn weigh_content(&mut self, exec: &dyn Executor, gravity: DVec3, vortons: &Vortons) {
        let (pose, density, Moving { rotation, spin, velocity, .. }) =
            (self.state.pose(), self.density, self.moving());
        let inertia = self.inertia_to_share();
        let Some(walls) = &mut self.walls else { return };
        (walls.gravity, walls.given) = (gravity, 0.0);
        let Seen { mass, moment, turning } = walls.flow.content(exec, pose, vortons);
        walls.load = (mass, rotation * moment);
        let turning = rotation * turning;
        if walls.step > 0.0 {
            let gained = walls.turning.gained(turning) * density;
            if inertia.turns() {
                let both = inertia.tensor + walls.content.turning_with(inertia.mass);
                walls.lack(both, gained, (rotation, velocity, spin));
            } else {
                self.impulse.angular -= gained;
            }
            let is_seen = walls.turning.in_middle.is_some() && turning.is_finite();
            walls.turning.at_end = is_seen.then_some((turning, vortons.len()));
        }
        let ambient = density * walls.volume;
        let mass = ambient + walls.load.0;
        let moment = walls.middle * ambient + rotation.conjugate() * walls.load.1;
        // Contents of almost zero mass have no defined centre.
        if mass > LEAST_MASS * ambient {
            walls.content.become_as(mass, moment / mass, rotation, spin);
        }
    }

    /// Returns force \[N\] and torque \[N m\] of gravity on the contents of the hole.
    pub(crate) fn weight_of_content(&self, gravity: DVec3) -> Wrench {
        let Some(walls) = &self.walls else { return Wrench::default() };
        let ambient = self.density * walls.volume;
        let middle = self.state.rotation.as_dquat().normalize() * walls.middle;
        let (mass, moment) = (ambient + walls.load.0, middle * ambient + walls.load.1);
        Wrench { force: gravity * mass, torque: moment.cross(gravity) }
    }

    /// Appends the walls' sheet as vortons, at `time`. The first `count` sources are vortons.
    pub(crate) fn add_walls(
        &mut self,
        exec: &dyn Executor,
        time: StepTime,
        count: usize,
        sources: &mut Sources,
    ) {
        if !self.holds_flow() {
            return;
        }
        let at = self.walls_at(time);
        if let Some(walls) = &mut self.walls {
            let after = time.part() * walls.step;
            let is_middle = after == 0.5 * walls.step;
            walls.flow.add_vortons(exec, at, (after, is_middle), count, sources);
            let turning = at.0.rotation.as_dquat().normalize() * walls.flow.turning();
            if is_middle {
                walls.turning.in_middle = Some((turning, count));
            } else if after == 0.0 {
                walls.turning.at_start = Some(turning);
            }
        }
    }

    /// Reads the flow at the middle of a step.
    pub(super) fn see_flow_at_walls(&mut self, step: Motion<'_>) {
        if !self.holds_flow() || step.dt <= 0.0 {
            return;
        }
        let (pose, mut motion) = self.walls_at(StepTime::Middle);
        let (turns, spin) = (self.inertia_to_share().turns(), pose.turn_back(self.state.angular_velocity));
        if let Some(walls) = &mut self.walls {
            if turns && motion.spin != Vec3::ZERO {
                // An engine may turn its bodies a frame late: friction acts against the shell's present
                // rotation.
                motion.velocity += (motion.spin - spin).cross(walls.centre);
                motion.spin = spin;
            }
            walls.flow.read(step, pose, motion);
        }
    }

    /// Applies the friction of walls on viscous fluid: vortons near them get part of the vorticity between
    /// wall and fluid (E54).
    pub(crate) fn drag_along(&mut self, step: Motion<'_>, vortons: &mut Vortons) {
        if let Some(walls) = &mut self.walls {
            (walls.work, walls.without_slip, walls.heaviness) = (0.0, DVec3::ZERO, 0.0);
        }
        if !self.holds_flow() {
            return;
        }
        let Params { viscosity, core_radius, .. } = *step.params;
        let rate = FRICTION * viscosity / (core_radius * core_radius);
        let share = -libm::expm1f(-rate * step.dt);
        let (pose, inertia) = (self.state.pose(), self.inertia_to_share());
        let density = self.density;
        let Some(walls) = self.walls.as_mut().filter(|walls| share > 0.0 && walls.flow.has_slip()) else {
            return;
        };
        walls.flow.find_layer(step.exec, pose, vortons);
        let faster = match inertia.turns() {
            true => {
                let both = inertia.tensor + walls.content.turning_with(inertia.mass);
                walls.begin_to_turn(step.exec, (both, density), (pose, share), vortons)
            }
            false => Vec3::ZERO,
        };
        let work = walls.flow.rub(step.exec, pose, (share, faster), vortons);
        // The layer that is dragged along is half a core radius thick.
        let work = 0.5 * f64::from(core_radius) * work;
        walls.work = if work.is_finite() { work.max(0.0) } else { 0.0 };
    }

    /// Returns the work per density \[m⁵/s²\] of wall friction on the fluid in the last step.
    pub(super) fn work_of_friction(&self) -> f64 {
        self.walls.as_ref().map_or(0.0, |walls| walls.work)
    }

    /// True if the body turns by impulses of the fluid.
    pub(crate) fn turns_freely(&self) -> bool {
        self.inertia_to_share().turns()
    }

    /// Returns the energy \[J\] that shell and contents have got from the vortons in the last step, as a
    /// rotation.
    pub(super) fn given_to_shell(&self) -> f64 {
        self.walls.as_ref().map_or(0.0, |walls| walls.given)
    }
}
