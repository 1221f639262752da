//! The sheet on the walls of a body's hole (E53).

use super::{Body, BuoyantForce};
use crate::content::Content;
use crate::free_motion::Wrench;
use crate::pose::Pose;
use crate::reply::Moving;
use crate::shapes::{MassProperties, Parity, Shape};
use crate::sheet::{BodyMotion, WallFlow, WallSheet};
use crate::turning::inertia_of_turning;
use fluid_core::boundary::Motion;
use fluid_core::params::Params;
use fluid_core::particles::Vortons;
use fluid_core::velocity::Sources;
use glam::{DQuat, DVec3, Vec3};
use std::sync::Arc;

/// Rate at which walls take slip, over ν/σ² \[1\]: ν/δ² with the half spacing δ from the wall to the first
/// vortons, at 1.5 spacings a core.
const FRICTION: f32 = 9.0;

/// How thick walls are \[core radii\]: their sheet, and its core.
const MOST_THICKNESS: f32 = 2.0;
/// Angle \[rad\] of a step up to which a hole does not turn: rounding of a pose.
const LEAST_ANGLE: f32 = 1e-5;

/// Least mass of the content of a hole, over that of the fluid that fills it \[1\].
const LEAST_MASS: f64 = 1e-3;

/// The walls of a hole, and what goes with them.
#[derive(Debug, Clone)]
pub(super) struct WalledHole {
    pub(super) flow: WallFlow,
    /// All fluid in it.
    pub(super) content: Content,
    /// Its volume \[m³\] and middle \[m\], body's axes.
    volume: f64,
    middle: DVec3,
    /// Mass \[kg\] of what vortons in it are heavier than the fluid, and its moment \[kg m\] about the centre
    /// of mass, world's axes, at the end of the last step.
    pub(super) load: (f64, DVec3),
    /// Of the last step \[m/s²\].
    gravity: DVec3,
    /// Centre of the bounding sphere of the hole, with which its room moves \[m\], body's axes.
    centre: Vec3,
    /// Length of the step that is going on \[s\].
    step: f32,
    /// True while what is near keeps its walls from holding flow.
    is_suspended: bool,
    /// Work of friction per density in the last step \[m⁵/s²\].
    work: f64,
}

impl WalledHole {
    /// Nothing in it is heavier or lighter than the fluid, as far as is known.
    pub(super) fn empty(&mut self, density: f64, rotation: DQuat) {
        self.load = (0.0, DVec3::ZERO);
        self.content.become_as(density * self.volume, self.middle, rotation, DVec3::ZERO);
    }
}

impl Body {
    /// Makes a sheet for the walls of a body that is one hole and nothing else.
    pub(super) fn make_walls(&mut self, shapes: &[Shape], known: Option<Arc<WallSheet>>) {
        self.walls = match shapes {
            [hole] if hole.parity == Parity::Hole => {
                let centre = hole.pose.to_world(hole.geometry.convex().bounding_sphere().0);
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
                    })
                })
            }
            _ => None,
        };
    }

    /// True if its walls have a sheet.
    pub(crate) fn has_walls(&self) -> bool {
        self.walls.is_some()
    }

    /// Space within the sheet of its walls, over that within the walls themselves \[1\]; 1 without.
    pub(crate) fn space_behind_walls(&self) -> f64 {
        let used = self.walls.as_ref().filter(|walls| !walls.is_suspended && walls.flow.is_used());
        used.map_or(1.0, |walls| walls.flow.space_behind())
    }

    /// True if its walls hold flow in this step: not where a half-space, or another hole, is nearer than they
    /// are thick. Images of their sheet would be in the hole, or the sheet in the other hole.
    pub(crate) fn holds_flow(&self) -> bool {
        self.walls.as_ref().is_some_and(|walls| !walls.is_suspended)
    }

    /// The nearest half-space, or sphere around another hole with a sheet, is this `distance` \[m\] from the
    /// sphere around its hole.
    pub(crate) fn stand_apart(&mut self, distance: f32) {
        let thickness = MOST_THICKNESS * self.spacing;
        if let Some(walls) = &mut self.walls {
            walls.is_suspended = distance < thickness;
        }
    }

    /// Another body is in its hole, or not.
    pub(crate) fn hold_body(&mut self, is_held: bool) {
        if let Some(walls) = &mut self.walls {
            walls.flow.hold_body(is_held);
        }
    }

    /// Where its walls are, from `start` on, `after` \[s\] from the start of the step, and how they move
    /// against the room, which moves as the middle of the hole does, and the wind. An engine may move it by
    /// its pose alone.
    fn walls_at(&self, start: Pose, after: f32) -> (Pose, BodyMotion) {
        let Some(walls) = &self.walls else { return (start, BodyMotion::default()) };
        let end = self.way(walls.step, 1.0);
        if walls.step == 0.0 {
            return (start, BodyMotion::default());
        }
        let pose = start.between(&end, after / walls.step);
        let angle = (end.rotation * start.rotation.conjugate()).to_scaled_axis();
        let is_turning = angle.length() > LEAST_ANGLE && angle.is_finite();
        let spin = if is_turning { pose.turn_back(angle / walls.step) } else { Vec3::ZERO };
        (pose, BodyMotion { velocity: -spin.cross(walls.centre) - pose.turn_back(self.wind), spin })
    }

    /// A step of `dt` \[s\] begins. Returns the energy per density \[m⁵/s²\] that the flow of its turning,
    /// and what keeps wind out, has gained since the middle of the last step.
    pub(super) fn begin_step_of_walls(&mut self, dt: f32, start: Pose) -> f64 {
        let Some(walls) = &mut self.walls else { return 0.0 };
        walls.step = dt;
        if dt <= 0.0 {
            if dt < 0.0 {
                self.forget_flow();
            }
            return 0.0;
        }
        let (moving, inertia) = (self.moving(), self.inertia_to_share());
        let Some(walls) = &mut self.walls else { return 0.0 };
        if self.buoyant_force != BuoyantForce::Off {
            // Of the weight of its content the arm has turned with it.
            self.motion.turn_lift(walls.content.moment(moving.rotation).cross(walls.gravity));
        }
        let (velocity, impulse) = walls.content.share(&inertia, &moving, f64::from(dt));
        self.get_share(velocity - moving.velocity, impulse);
        let (_, motion) = self.walls_at(start, 0.5 * dt);
        let used = self.walls.as_ref().filter(|walls| !walls.is_suspended && walls.flow.is_used());
        let energy = used.map_or(0.0, |walls| walls.flow.energy(motion));
        energy - std::mem::replace(&mut self.own_energy, energy)
    }

    /// The step is over: finds what vortons in its hole weigh.
    pub(crate) fn weigh_content(&mut self, gravity: DVec3, vortons: &Vortons) {
        let (pose, density, Moving { centre, rotation, spin, .. }) =
            (self.state.pose(), self.density, self.moving());
        let Some(walls) = &mut self.walls else { return };
        (walls.load, walls.gravity) = ((0.0, DVec3::ZERO), gravity);
        for (place, &mass) in vortons.positions.iter().zip(&vortons.mass_deviations) {
            if mass != 0.0 && mass.is_finite() && walls.flow.holds(pose.to_local(place)) {
                walls.load.0 += f64::from(mass);
                walls.load.1 += (place.as_dvec3() - centre) * f64::from(mass);
            }
        }
        let ambient = density * walls.volume;
        let mass = ambient + walls.load.0;
        let moment = walls.middle * ambient + rotation.conjugate() * walls.load.1;
        // What is as light as nothing has no middle.
        if mass > LEAST_MASS * ambient {
            walls.content.become_as(mass, moment / mass, rotation, spin);
        }
    }

    /// Force \[N\] and torque \[N m\] of gravity on what is in its hole.
    pub(crate) fn weight_of_content(&self, gravity: DVec3) -> Wrench {
        let Some(walls) = &self.walls else { return Wrench::default() };
        let ambient = self.density * walls.volume;
        let middle = self.state.rotation.as_dquat().normalize() * walls.middle;
        let (mass, moment) = (ambient + walls.load.0, middle * ambient + walls.load.1);
        Wrench { force: gravity * mass, torque: moment.cross(gravity) }
    }

    /// Appends the sheet of its walls as vortons, `after` \[s\] from the start of a step. The first `count`
    /// sources are vortons.
    pub(crate) fn add_walls(&mut self, start: Pose, after: f32, count: usize, sources: &mut Sources) {
        if !self.holds_flow() {
            return;
        }
        let at = self.walls_at(start, after);
        if let Some(walls) = &mut self.walls {
            walls.flow.add_vortons(at, (after, after == 0.5 * walls.step), count, sources);
        }
    }

    /// The flow at the middle of a step is known.
    pub(super) fn see_flow_at_walls(&mut self, step: Motion<'_>, start: Pose) {
        if !self.holds_flow() || step.dt <= 0.0 {
            return;
        }
        let (pose, motion) = self.walls_at(start, 0.5 * step.dt);
        if let Some(walls) = &mut self.walls {
            walls.flow.read(step, pose, motion);
        }
    }

    /// Walls drag fluid along, as far as it is viscous: vortons near them get part of what turns between wall
    /// and fluid (E54).
    pub(crate) fn drag_along(&mut self, step: Motion<'_>, vortons: &mut Vortons) {
        if let Some(walls) = &mut self.walls {
            walls.work = 0.0;
        }
        if !self.holds_flow() {
            return;
        }
        let Params { viscosity, core_radius, .. } = *step.params;
        let rate = FRICTION * viscosity / (core_radius * core_radius);
        let share = -libm::expm1f(-rate * step.dt);
        let pose = self.state.pose();
        let Some(walls) = self.walls.as_mut().filter(|walls| share > 0.0 && walls.flow.has_slip()) else {
            return;
        };
        walls.flow.find_cover(pose, vortons);
        let mut work = 0.0;
        for row in 0..vortons.len() {
            let (place, strength) = (vortons.positions.get(row), vortons.strengths.get(row));
            let (given, dragged) = walls.flow.friction(pose, place, vortons.volumes[row], share);
            if given != Vec3::ZERO {
                vortons.strengths.set(row, strength + given);
                work += f64::from(dragged);
            }
        }
        // The layer that is dragged along is half a core thick.
        let work = 0.5 * f64::from(core_radius) * work;
        walls.work = if work.is_finite() { work.max(0.0) } else { 0.0 };
    }

    /// Work per density \[m⁵/s²\] that its walls have done on the fluid by friction in the last step.
    pub(super) fn work_of_friction(&self) -> f64 {
        self.walls.as_ref().map_or(0.0, |walls| walls.work)
    }
}
