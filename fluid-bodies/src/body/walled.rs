//! The sheet on the walls of a body's hole (E53).

use super::Body;
use crate::hole::{WALL_THICKNESS, middle_of_room};
use crate::pose::{Pose, StepPoses};
use crate::separation::{Placed, gap};
use crate::shapes::{Parity, Shape};
use crate::sheet::{BodyMotion, Braking, WallFlow, WallSheet};
use fluid_core::boundary::{Motion, StepTime};
use fluid_core::math::{rotation, trace};
use fluid_core::params::Params;
use fluid_core::particles::Vortons;
use fluid_core::velocity::Sources;
use fluid_threads::Executor;
use glam::{DMat3, DQuat, DVec3, Vec3};
use std::slice;
use std::sync::Arc;

/// Rate at which walls reduce slip, relative to ν/σ² \[1\]: the shear stress ν u/δ over the momentum of the
/// layer's profile, u D/3 = u σ/2. δ = σ/3 is half the spacing, the distance from the wall to the first
/// vortons, at 1.5 spacings per core radius.
const FRICTION: f32 = 6.0;

/// Rotation per step \[rad\] below which a hole counts as not turning: round-off of a pose.
const LEAST_ANGLE: f32 = 1e-5;

/// Most of its slip that a shell with one hole removes by friction in a step \[1\]: engines may lag by a
/// frame, and the slip of light shells would grow if they removed all of it.
const MOST_OF_SLIP: f64 = 0.5;

/// Factor on the inertia of the fluid that walls drag along in a step, above which a shell is heavy \[1\].
const LAYERS: f64 = 4.0;

/// Part of the work with which an engine turns a tank that stays in the flow \[1\]: all of what pressure
/// does, half of what friction does to give the fluid the rotation of the walls.
const STAYS_IN_FLOW: f64 = 0.75;

/// Angular momentum per density of the vorticity in a hole \[m⁵/s\], world's axes, as recorded.
#[derive(Debug, Clone, Copy, Default)]
struct Turning {
    /// At the start of the current step.
    at_start: Option<DVec3>,
    /// True if the flow at its middle has been solved for.
    is_seen: bool,
    /// At the end of the last step, with the number of vortons.
    at_end: Option<(DVec3, usize)>,
}

fluid_core::saved::fields!(Turning { at_start, is_seen, at_end });

impl Turning {
    /// True if the value at the end of the last step is that at the start of this one, with `count` vortons:
    /// none have been added since then, and none removed, as those that have merged (E58) are.
    fn goes_on(&self, count: usize) -> bool {
        self.at_end.is_some_and(|(_, before)| before == count)
    }

    /// Returns the change in a step that ends with the value `now`. Vortons added or removed between steps do
    /// not count.
    fn gained(&self, now: DVec3) -> DVec3 {
        let start = self.at_start.or(self.at_end.map(|(turning, _)| turning));
        start.filter(|_| self.is_seen).map_or(DVec3::ZERO, |start| now - start)
    }
}

/// Walls of a hole, with the state that belongs to them.
#[derive(Debug, Clone)]
pub(super) struct WalledHole {
    hole: Shape,
    pub(super) flow: WallFlow,
    /// Middle of the hole, with which its fluid moves \[m\], body's axes.
    centre: Vec3,
    /// Most of its slip that friction in this hole removes in a step \[1\].
    most_of_slip: f64,
    /// Duration of the current step \[s\].
    step: f32,
    /// True while nearby bodies keep the walls from confining flow.
    is_suspended: bool,
    /// Work of friction per density in the last step \[m⁵/s²\].
    work: f64,
    turning: Turning,
    /// Angular momentum per density \[m⁵/s\] that vortons have got from other bodies in the hole in this
    /// step, world's axes.
    exchanged: DVec3,
    /// Angular velocity \[rad/s\] that a shell would have to gain for zero slip of its fluid, body's axes;
    /// zero without friction.
    without_slip: DVec3,
    /// Inertia of shell and contents, relative to that plus the fluid dragged along by friction in a step
    /// \[1\]; 0 without friction.
    heaviness: f64,
    /// Angular impulse \[N m s\] of the contents that the shell has not received yet, world's axes.
    withheld: DVec3,
    /// Energy \[J\] that shell and contents, or the engine that turns them, have got from the vortons in the
    /// last step, as a rotation.
    given: f64,
    /// Work \[J\], at most 0, by which vortons have lost angular momentum to an engine that turns the tank.
    lost: f64,
}

fluid_core::saved::fields!(WalledHole {
    flow, step, is_suspended, work, turning, without_slip, heaviness, withheld, given, lost,
} not { hole, centre, most_of_slip, exchanged });

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
        let part = if part.is_finite() { part.clamp(0.0, self.most_of_slip) } else { 0.0 };
        let rubbed = (self.without_slip * part).lerp(faster, self.heaviness);
        lever * faster + (DMat3::IDENTITY - lever) * rubbed
    }

    /// Returns the motion of the walls relative to the fluid that moves with the middle of the hole, for this
    /// angular velocity \[rad/s\]; all in the body's axes.
    fn motion(&self, spin: Vec3) -> BodyMotion {
        BodyMotion { velocity: -spin.cross(self.centre), spin }
    }

    /// Begins a step of `dt` \[s\].
    pub(super) fn begin_step(&mut self, dt: f32) {
        self.step = dt;
        (self.turning.at_start, self.turning.is_seen) = (None, false);
    }

    /// Returns the angular momentum \[N m s\], world's axes, that the vortons have taken up in the step, with
    /// `now` per density in fluid of this `density` at its end; None in a step without a length. There are
    /// `count` vortons.
    pub(super) fn taken_up(&mut self, now: DVec3, density: f64, count: usize) -> Option<DVec3> {
        self.given = 0.0;
        let exchanged = std::mem::take(&mut self.exchanged);
        if self.step <= 0.0 {
            return None;
        }
        let gained = (self.turning.gained(now) - exchanged) * density;
        let is_seen = self.turning.is_seen && now.is_finite();
        self.turning.at_end = is_seen.then_some((now, count));
        Some(gained)
    }

    /// Returns the angular impulse \[N m s\], world's axes, that shell and contents, which have this inertia
    /// together, get for the angular momentum `gained` by vortons.
    pub(super) fn lack(&mut self, shell: DMat3, gained: DVec3, (rotation, spin): (DQuat, DVec3)) -> DVec3 {
        let given = self.withheld - gained;
        let faster = self.felt(shell.inverse() * (rotation.conjugate() * given));
        let felt = rotation * (shell * faster);
        let (felt, faster) =
            if felt.is_finite() { (felt, rotation * faster) } else { (DVec3::ZERO, DVec3::ZERO) };
        self.given = felt.dot(spin + 0.5 * faster);
        let withheld = given - felt;
        self.withheld = if withheld.is_finite() { withheld } else { DVec3::ZERO };
        felt
    }

    /// Notes the work of an engine that turns the tank with this `spin` \[rad/s\] on vortons that have
    /// `gained` angular momentum \[N m s\], both in the world's axes. Work that gives back what vortons have
    /// lost before is none: noise would add up, and so would what the energy budget removes and walls
    /// restore.
    pub(super) fn drive(&mut self, gained: DVec3, spin: DVec3) {
        let work = gained.dot(spin);
        let net = self.lost + if work.is_finite() { work } else { 0.0 };
        self.lost = net.min(0.0);
        self.given = -STAYS_IN_FLOW * net.max(0.0);
    }

    /// Discards all knowledge of the flow.
    pub(super) fn forget(&mut self) {
        self.flow.forget();
        (self.turning, self.withheld, self.lost) = (Turning::default(), DVec3::ZERO, 0.0);
    }
}

/// Returns the least gap \[m\] between two of these holes.
fn least_gap(holes: &[&Shape]) -> f64 {
    let placed: Vec<_> = holes.iter().map(|hole| Placed::new(hole, &Pose::IDENTITY)).collect();
    let pairs = placed
        .iter()
        .enumerate()
        .flat_map(|(row, &one)| placed[row + 1..].iter().map(move |&other| gap(one, other)));
    pairs.fold(f64::INFINITY, f64::min)
}

impl Body {
    /// Creates sheets for the walls of all holes; none if a hole cannot have one, or is nearer to another
    /// than walls are thick.
    pub(super) fn make_walls(&mut self, shapes: &[Shape], known: &[Arc<WallSheet>]) {
        // Solids are added to and removed from a body with the same holes.
        let before = std::mem::take(&mut self.walls);
        let holes: Vec<&Shape> = shapes.iter().filter(|shape| shape.parity == Parity::Hole).collect();
        if least_gap(&holes) < f64::from(WALL_THICKNESS * self.spacing) {
            return;
        }
        let settings = self.sheet_settings;
        let same =
            |hole: &Shape| before.iter().find(|walls| walls.hole == *hole).map(|walls| walls.flow.sheet());
        let make = |hole: &Shape| same(hole).or_else(|| WallSheet::of(hole, settings).map(Arc::new));
        let each = holes.iter().enumerate();
        let sheets = each.map(|(number, hole)| known.get(number).cloned().or_else(|| make(hole)));
        let Some(sheets) = sheets.collect::<Option<Vec<_>>>() else { return };
        let walls = |(hole, sheet): (&&Shape, Arc<WallSheet>)| WalledHole {
            hole: (*hole).clone(),
            flow: WallFlow::new(sheet),
            centre: middle_of_room(slice::from_ref(hole)),
            most_of_slip: MOST_OF_SLIP / holes.len() as f64,
            step: 0.0,
            is_suspended: false,
            work: 0.0,
            turning: Turning::default(),
            exchanged: DVec3::ZERO,
            without_slip: DVec3::ZERO,
            heaviness: 0.0,
            withheld: DVec3::ZERO,
            given: 0.0,
            lost: 0.0,
        };
        self.walls = holes.iter().zip(sheets).map(walls).collect();
    }

    /// Returns the holes with a sheet on their walls: all or none.
    pub(crate) fn walled_holes(&self) -> impl Iterator<Item = &Shape> + Clone {
        self.walls.iter().map(|walls| &walls.hole)
    }

    /// True if the walls have a sheet.
    pub(crate) fn has_walls(&self) -> bool {
        !self.walls.is_empty()
    }

    /// Notes `changes`, strengths \[m³/s\] added at positions \[m\], that vortons have got from another body
    /// in the holes of this one at `pose`: the shell does not give that angular momentum.
    pub(crate) fn note_exchange(&mut self, pose: Pose, changes: &[(Vec3, Vec3)]) {
        let Some(&(last, _)) = changes.last() else { return };
        let last = pose.to_local(last);
        let Some(walls) = self.used_walls_mut().find(|walls| walls.flow.holds(last)) else { return };
        let each = changes
            .iter()
            .map(|&(place, strength)| walls.flow.turning_of(pose.to_local(place), pose.turn_back(strength)));
        let change = pose.rotation.as_dquat().normalize() * each.sum::<DVec3>();
        if change.is_finite() {
            walls.exchanged += change;
        }
    }

    /// Returns the walls that confine flow in this step.
    fn used_walls(&self) -> impl Iterator<Item = &WalledHole> {
        self.walls.iter().filter(|walls| !walls.is_suspended)
    }

    fn used_walls_mut(&mut self) -> impl Iterator<Item = &mut WalledHole> {
        self.walls.iter_mut().filter(|walls| !walls.is_suspended)
    }

    /// Returns the largest volume within a sheet relative to that within its walls \[1\]; 1 without a sheet.
    pub(crate) fn space_behind_walls(&self) -> f64 {
        let used = self.used_walls().filter(|walls| walls.flow.is_used());
        used.map(|walls| walls.flow.space_behind()).fold(1.0, f64::max)
    }

    /// True if the walls confine flow in this step: not if the hole of another body is nearer than the walls
    /// are thick, because their sheet would be in that hole, and not if a half-space reaches into the hole.
    pub(crate) fn holds_flow(&self) -> bool {
        self.used_walls().next().is_some()
    }

    /// Sets the `distance` \[m\] to the nearest half-space that reaches into the holes, or hole of another
    /// body with a sheet.
    pub(crate) fn stand_apart(&mut self, distance: f32) {
        let thickness = WALL_THICKNESS * self.spacing;
        self.walls.iter_mut().for_each(|walls| walls.is_suspended = distance < thickness);
    }

    /// Sets whether a solid may be in the holes.
    pub(crate) fn hold_body(&mut self, is_held: bool) {
        self.walls.iter_mut().for_each(|walls| walls.flow.hold_body(is_held));
    }

    /// Returns the pose of the walls at `time`, and their angular velocity \[rad/s\] in the body's axes. An
    /// engine may move the body by its pose alone.
    fn walls_at(&self, time: StepTime) -> (Pose, Vec3) {
        let StepPoses { start, end, .. } = self.poses;
        let Some(walls) = self.walls.first().filter(|walls| walls.step != 0.0) else {
            return (start, Vec3::ZERO);
        };
        let pose = start.between(&end, time.part());
        (pose, pose.turn_back(self.spin_of_poses(walls.step)))
    }

    /// Returns the angular velocity of the walls in this step \[rad/s\], world's axes.
    pub(super) fn spin_of_walls(&self) -> Vec3 {
        let (pose, spin) = self.walls_at(StepTime::Middle);
        pose.turn(spin)
    }

    /// Returns the pose of the walls at `time`.
    pub(crate) fn pose_of_walls(&self, time: StepTime) -> Pose {
        self.walls_at(time).0
    }

    /// Finds the vortons in the holes at the start of a step, and their angular momentum where it is not that
    /// at the end of the last one.
    pub(crate) fn find_inside(&mut self, exec: &dyn Executor, vortons: &Vortons) {
        let pose = self.pose_of_walls(StepTime::Start);
        let rotation = pose.rotation.as_dquat().normalize();
        for walls in self.used_walls_mut() {
            walls.flow.find_inside(exec, pose, vortons);
            if !walls.turning.goes_on(vortons.len()) {
                let turning = walls.flow.content(exec, pose, vortons).turning;
                walls.turning.at_start = Some(rotation * turning);
            }
        }
    }

    /// Visits the rows of vortons in edges and corners of the holes at the start of the step, in order.
    pub(crate) fn visit_cornered(&self, visit: &mut dyn FnMut(usize)) {
        self.used_walls().for_each(|walls| walls.flow.visit_cornered(visit));
    }

    /// Measures how far vortons fill the layers at the walls at the start of a step, with the body at `pose`.
    /// `smooth` is [`Boundary::smoothing_at_walls`](fluid_core::boundary::Boundary::smoothing_at_walls).
    pub(crate) fn see_layers(&mut self, exec: &dyn Executor, pose: Pose, vortons: &Vortons, smooth: f32) {
        self.used_walls_mut().for_each(|walls| walls.flow.find_gaps(exec, pose, vortons, smooth));
    }

    /// Returns the energy per density \[m⁵/s²\] of the flow that turning drives, at the middle of the step.
    pub(super) fn energy_of_turning(&self) -> f64 {
        let (_, spin) = self.walls_at(StepTime::Middle);
        let used = self.used_walls().filter(|walls| walls.flow.is_used());
        used.map(|walls| walls.flow.energy(walls.motion(spin))).sum()
    }

    /// Returns the angular velocity \[rad/s\] that turns a container in a step of `dt` \[s\]: an engine may
    /// turn it by its pose alone.
    pub(super) fn spin_of_poses(&self, dt: f32) -> Vec3 {
        let StepPoses { start, end, .. } = self.poses;
        let angle = rotation::shorter(end.rotation * start.rotation.conjugate()).to_scaled_axis();
        let is_turning = dt != 0.0 && angle.length() > LEAST_ANGLE && angle.is_finite();
        if is_turning { angle / dt } else { Vec3::ZERO }
    }

    /// Appends the walls' sheets as vortons, at `time`. The first `count` sources are vortons.
    pub(crate) fn add_walls(
        &mut self,
        exec: &dyn Executor,
        time: StepTime,
        count: usize,
        sources: &mut Sources,
    ) {
        let (pose, spin) = self.walls_at(time);
        for walls in self.used_walls_mut() {
            let after = time.part() * walls.step;
            let is_middle = after == 0.5 * walls.step;
            let at = (pose, walls.motion(spin));
            walls.flow.add_vortons(exec, at, (after, is_middle), count, sources);
            walls.turning.is_seen |= is_middle;
            if after == 0.0 && !is_middle {
                let turning = pose.rotation.as_dquat().normalize() * walls.flow.turning();
                walls.turning.at_start = Some(turning);
            }
        }
    }

    /// Reads the flow at the middle of a step.
    pub(super) fn see_flow_at_walls(&mut self, step: Motion<'_>) {
        if step.dt <= 0.0 {
            return;
        }
        let (pose, mut spin) = self.walls_at(StepTime::Middle);
        if self.inertia_to_share().turns() && spin != Vec3::ZERO {
            // An engine may turn its bodies a frame late: friction acts against the shell's present rotation.
            spin = pose.turn_back(self.state.angular_velocity);
        }
        self.used_walls_mut().for_each(|walls| walls.flow.read(step, pose, walls.motion(spin)));
    }

    /// Applies the friction of walls on viscous fluid: vortons near them get part of the vorticity between
    /// wall and fluid (E54).
    pub(crate) fn drag_along(&mut self, step: Motion<'_>, vortons: &mut Vortons) {
        for walls in &mut self.walls {
            (walls.work, walls.without_slip, walls.heaviness) = (0.0, DVec3::ZERO, 0.0);
        }
        let Params { viscosity, core_radius, .. } = *step.params;
        let rate = FRICTION * viscosity / (core_radius * core_radius);
        let share = -libm::expm1f(-rate * step.dt);
        let (pose, inertia) = (self.state.pose(), self.inertia_to_share());
        let density = self.density;
        let filling = self.filling.as_ref();
        let turning_with = filling.map_or(DMat3::ZERO, |filling| filling.content.turning_with(inertia.mass));
        for walls in self.used_walls_mut().filter(|walls| share > 0.0 && walls.flow.has_slip()) {
            walls.flow.find_layer(step.exec, pose, vortons);
            let faster = match inertia.turns() {
                true => {
                    let both = inertia.tensor + turning_with;
                    walls.begin_to_turn(step.exec, (both, density), (pose, share), vortons)
                }
                false => Vec3::ZERO,
            };
            let work = walls.flow.rub(step.exec, pose, (share, faster), vortons);
            // The layer that is dragged along is half a core radius thick.
            let work = 0.5 * f64::from(core_radius) * work;
            walls.work = if work.is_finite() { work.max(0.0) } else { 0.0 };
        }
    }

    /// Returns the work per density \[m⁵/s²\] of wall friction on the fluid in the last step.
    pub(crate) fn work_of_friction(&self) -> f64 {
        self.walls.iter().map(|walls| walls.work).sum()
    }

    /// True if the body turns by impulses of the fluid.
    pub(crate) fn turns_freely(&self) -> bool {
        self.inertia_to_share().turns()
    }

    /// Returns the energy \[J\] that shell and contents, or the engine that turns them, have got from the
    /// vortons in the last step, as a rotation.
    pub(super) fn given_to_shell(&self) -> f64 {
        self.walls.iter().map(|walls| walls.given).sum()
    }
}
