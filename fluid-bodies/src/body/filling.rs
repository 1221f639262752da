//! The fluid in a body's holes, which has weight and inertia (E55).

use super::{Body, BuoyantForce};
use crate::content::{Content, DisplacedFluid};
use crate::free_motion::Wrench;
use crate::hole::{Holes, middle_of_room, rooms};
use crate::parts::RowParts;
use crate::pose::Pose;
use crate::reply::Moving;
use crate::separation::{Placed, gap, hollow};
use crate::shapes::{MassProperties, Parity, Part, Shape};
use crate::sheet::{Pair, Seen};
use crate::turning::inertia_of_turning;
use fluid_core::boundary::Inside;
use fluid_core::math::trace;
use fluid_core::particles::Vortons;
use fluid_threads::Executor;
use glam::{DMat3, DQuat, DVec3, Vec3};
use std::f64::consts::PI;
use std::slice;

/// Least mass of the contents of holes, relative to the fluid that fills them \[1\].
const LEAST_MASS: f64 = 1e-3;
/// Largest part of the holes that is assumed to be solid \[1\].
const MOST_SOLID: f64 = 0.9;
/// Cells along each axis of the box around holes that overlap \[1\], by which their volume is measured.
const CELLS: usize = 64;

/// Factor on the energy of fluid that turns with its hole, in the assumed energy of the flow that walls
/// without a sheet drive \[1\]: the vortons at them induce flow outside of the hole as well. A sheet drives
/// 3.4 times that in a cube.
const TURNING_CREDIT: f64 = 4.0;

/// The fluid in the holes of a body.
#[derive(Debug, Clone)]
pub(super) struct Filling {
    pub(super) content: Content,
    /// Volume and moment of the fluid, body's axes.
    fluid: Part,
    /// Solids of the body in the holes. Their lift is that of other solids, as if fluid were in their place.
    solids: Part,
    /// Moments of the holes, each by itself, body's axes, and the part of the volume that is left where they
    /// overlap \[1\].
    holes: (MassProperties, f64),
    /// Inertia per density \[m⁵\] of the holes about the middles of their rooms, body's axes.
    inertia: DMat3,
    /// Excess mass \[kg\] of the contents of the holes, ambient fluid and vortons, over fluid of the
    /// reference density, and its moment \[kg m\] about the centre of mass, world's axes, at the end of the
    /// last step.
    load: (f64, DVec3),
    /// Gravity in the last step \[m/s²\].
    gravity: DVec3,
    /// Assumed energy per density \[m⁵/s²\] of the flow that walls without a sheet have driven.
    stirred: f64,
}

fluid_core::saved::fields!(Filling { content, load, gravity, stirred } not {
    fluid,
    solids,
    holes,
    inertia
});

impl Filling {
    /// Returns the filling of the holes among these shapes with fluid of this `density` \[kg/m³\]; None
    /// without holes.
    fn of(shapes: &[Shape], density: f64) -> Option<Self> {
        let holes: Vec<&Shape> = shapes.iter().filter(|shape| shape.parity == Parity::Hole).collect();
        if holes.is_empty() {
            return None;
        }
        let (solids, part) = (solids_in(&holes, shapes), part_of_sum(&holes));
        let each = holes.iter().map(|hole| filled(hole));
        let all = each.clone().fold(MassProperties::NONE, |sum, one| sum.and(&one));
        let (volume, moment) = (all.volume * part, all.centroid * (all.volume * part));
        let solids = solids.times((MOST_SOLID * volume / solids.volume).min(1.0));
        let fluid = Part { volume: volume - solids.volume, moment: moment - solids.moment };
        // Fluid in each hole moves with it, and turns as ideal flow.
        let turning = match holes.as_slice() {
            [hole] => inertia_of_turning(hole),
            _ => {
                let own = holes.iter().zip(each.clone());
                let change =
                    |(hole, one): (&&Shape, MassProperties)| inertia_of_turning(hole) - one.inertia();
                (inertia_of(&mut each.clone(), all.centroid)
                    + own.map(change).fold(DMat3::ZERO, |sum, one| sum + one))
                    * part
            }
        };
        let of_room =
            |room: &Vec<Shape>| inertia_of(&mut room.iter().map(filled), middle_of_room(room).as_dvec3());
        let inertia = rooms(shapes).iter().map(of_room).fold(DMat3::ZERO, |sum, one| sum + one);
        Some(Self {
            content: Content::new(fluid.volume * density, fluid.moment / fluid.volume, turning * density),
            fluid,
            solids,
            holes: (all, part),
            inertia,
            load: (0.0, DVec3::ZERO),
            gravity: DVec3::ZERO,
            stirred: 0.0,
        })
    }

    /// Returns the energy per density \[m⁵/s²\] that the flow gains from walls without a sheet, which turn at
    /// this angular velocity \[rad/s\], body's axes, in a step of `dt` \[s\]: when they turn faster than
    /// before. Walls that turn more slowly do not take it back, because the flow goes on by itself; after as
    /// long as a turn took they count as new.
    fn stir(&mut self, spin: DVec3, dt: f64) -> f64 {
        let energy = 0.5 * TURNING_CREDIT * spin.dot(self.inertia * spin);
        if energy >= self.stirred {
            return energy - std::mem::replace(&mut self.stirred, energy);
        }
        let fastest = 6.0 * self.stirred / (TURNING_CREDIT * trace(&self.inertia));
        self.stirred = energy.max(self.stirred * libm::exp(-fastest.sqrt() * dt / (2.0 * PI)));
        0.0
    }

    /// Sets the mass of the contents by their excess over fluid of the reference density, in a body of this
    /// `rotation` and `spin` \[rad/s\].
    fn fill(&mut self, density: f64, rotation: DQuat, spin: DVec3) {
        let ambient = density * self.fluid.volume;
        let mass = ambient + self.load.0;
        let moment = self.fluid.moment * density + rotation.conjugate() * self.load.1;
        // Contents of almost zero mass have no defined centre.
        if mass > LEAST_MASS * ambient {
            self.content.become_as(mass, moment / mass, rotation, spin);
        }
    }

    /// Discards the motion of the contents, and becomes fluid of the reference density.
    pub(super) fn forget(&mut self, density: f64, rotation: DQuat) {
        self.content.forget();
        self.load = (0.0, DVec3::ZERO);
        self.fill(density, rotation, DVec3::ZERO);
    }
}

/// Returns the inertia of solids of density 1 about a point \[m⁵\].
fn inertia_of(solids: &mut dyn Iterator<Item = MassProperties>, about: DVec3) -> DMat3 {
    let each = solids.map(|one| MassProperties { centroid: one.centroid - about, ..one });
    each.fold(DMat3::ZERO, |sum, one| sum + one.inertia_about_origin())
}

/// Returns the fluid that fills a hole, as a solid.
fn filled(hole: &Shape) -> MassProperties {
    MassProperties::of(&[Shape { parity: Parity::Solid, ..hole.clone() }])
}

/// Returns the solids with their middle in a hole, except for hollow ones around it.
fn solids_in(holes: &[&Shape], shapes: &[Shape]) -> Part {
    let hollow = hollow(shapes);
    let each = shapes.iter().zip(&*hollow).filter(|(_, is_hollow)| !**is_hollow);
    let solids = each.map(|(shape, _)| shape).filter(|shape| shape.parity == Parity::Solid);
    let all = solids.map(|solid| MassProperties::of(slice::from_ref(solid)));
    let largest = holes.iter().map(|hole| filled(hole).volume).fold(0.0, f64::max);
    let is_inside = |solid: &MassProperties| {
        // Larger ones are parts of the shell.
        solid.volume < largest
            && holes.iter().any(|hole| hole.surface(solid.centroid.as_vec3()).distance > 0.0)
    };
    all.filter(is_inside).fold(Part::default(), |sum, solid| Part {
        volume: sum.volume + solid.volume,
        moment: sum.moment + solid.centroid * solid.volume,
    })
}

/// Returns the volume of these holes, relative to the sum of their volumes \[1\]: less than 1 if they
/// overlap.
fn part_of_sum(holes: &[&Shape]) -> f64 {
    let placed: Vec<_> = holes.iter().map(|hole| Placed::new(hole, &Pose::IDENTITY)).collect();
    let is_apart = |(row, one)| placed[row + 1..].iter().all(|&other: &Placed<'_>| gap(one, other) >= 0.0);
    if placed.iter().copied().enumerate().all(is_apart) {
        return 1.0;
    }
    let each = holes.iter().map(|hole| hole.bounds());
    let bounds = each.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or_default();
    let size = (bounds.1 - bounds.0) / CELLS as f32;
    let (mut once, mut all) = (0_usize, 0_usize);
    for cell in 0..CELLS * CELLS * CELLS {
        let index = [cell % CELLS, cell / CELLS % CELLS, cell / (CELLS * CELLS)];
        let place = bounds.0 + size * Vec3::from(index.map(|index| index as f32 + 0.5));
        let count = holes.iter().filter(|hole| hole.surface(place).distance > 0.0).count();
        (once, all) = (once + count.min(1), all + count);
    }
    if all == 0 { 1.0 } else { once as f64 / all as f64 }
}

impl Body {
    /// Fills the holes among these shapes with ambient fluid.
    pub(super) fn make_filling(&mut self, shapes: &[Shape]) {
        self.filling = Filling::of(shapes, self.density).map(Box::new);
        self.leave_content_to_engine();
    }

    /// Sets the part of the content that the engine's mass and inertia contain (E69).
    pub(super) fn leave_content_to_engine(&mut self) {
        let is_finite = self.told_mass.is_finite();
        let part = if is_finite { (self.fluid_mass, self.fluid_inertia) } else { (0.0, DMat3::ZERO) };
        if let Some(filling) = &mut self.filling {
            filling.content.leave_to_engine(part);
        }
    }

    /// Returns the moments of the holes, each by itself, and the part of the volume that is left where they
    /// overlap \[1\].
    pub(crate) fn holes(&self) -> Option<(&MassProperties, f64)> {
        self.filling.as_ref().map(|filling| (&filling.holes.0, filling.holes.1))
    }

    /// True if the body has solids in its holes.
    pub(crate) fn has_solids_in_hole(&self) -> bool {
        self.filling.as_ref().is_some_and(|filling| filling.solids.volume > 0.0)
    }

    /// Returns the energy per density \[m⁵/s²\] that the flow in the holes gains in a step of `dt` \[s\] from
    /// walls without a sheet that turn.
    pub(super) fn energy_stirred(&mut self, dt: f32) -> f64 {
        let spin = self.poses.middle.turn_back(self.spin_of_poses(dt)).as_dvec3();
        let has_sheet = self.holds_flow();
        let filling = self.filling.as_mut().filter(|_| !has_sheet);
        filling.map_or(0.0, |filling| filling.stir(spin, dt.into()))
    }

    /// Begins a step of `dt` \[s\]: body and contents share their momentum.
    pub(super) fn share_with_content(&mut self, dt: f32) {
        self.walls.iter_mut().for_each(|walls| walls.begin_step(dt));
        if dt <= 0.0 {
            if dt < 0.0 {
                self.forget_flow();
            }
            return;
        }
        let ((moving, _, frame), inertia) = (self.moving_to_share(dt), self.inertia_to_share());
        let Some(filling) = &mut self.filling else { return };
        if self.buoyant_force != BuoyantForce::Off {
            // The lever arm of the contents' weight has turned with the body.
            self.motion.turn_lift(filling.content.moment(moving.rotation).cross(filling.gravity));
        }
        let (velocity, impulse) = filling.content.share(&inertia, &moving, frame);
        self.get_share(velocity - moving.velocity, impulse);
    }

    /// Fills the holes with ambient fluid that has this `excess` over fluid of the reference density, before
    /// a first step, in which the vortons there are not known yet.
    pub(crate) fn fill_with_ambient(&mut self, excess: DisplacedFluid) {
        if let Some(filling) = &mut self.filling {
            filling.load = (excess.mass, excess.moment);
        }
    }

    /// Ends a step: computes the weight of the vortons in the `holes`, where the ambient has this `excess`
    /// over fluid of the reference density, and the angular momentum that they have taken up behind walls
    /// with a sheet, which shell and contents lack from now on (E57).
    pub(crate) fn weigh_content(
        &mut self,
        exec: &dyn Executor,
        (gravity, excess): (DVec3, DisplacedFluid),
        (vortons, holes): (&Vortons, &Holes),
    ) {
        let (pose, density, Moving { rotation, spin, velocity, .. }) =
            (self.state.pose(), self.density, self.moving());
        let (inertia, turned) = (self.inertia_to_share(), self.spin_of_walls().as_dvec3());
        let Some(filling) = &mut self.filling else { return };
        filling.gravity = gravity;
        filling.load = (excess.mass, excess.moment);
        if self.walls.is_empty() {
            let Seen { mass, moment, .. } = load_in(holes, exec, pose, vortons);
            filling.load = (filling.load.0 + mass, filling.load.1 + rotation * moment);
        }
        for walls in &mut self.walls {
            let Seen { mass, moment, turning } = walls.flow.content(exec, pose, vortons);
            filling.load = (filling.load.0 + mass, filling.load.1 + rotation * moment);
            let taken_up = walls.taken_up(rotation * turning, density, vortons.len());
            let Some(gained) = taken_up else { continue };
            if inertia.turns() {
                let both = inertia.tensor + filling.content.turning_with(inertia.mass);
                let angular = walls.lack(both, gained, (rotation, spin));
                filling.content.give(Pair { linear: DVec3::ZERO, angular }, rotation, velocity);
            } else {
                walls.drive(gained, turned);
                self.impulse.angular -= gained;
            }
        }
        filling.fill(density, rotation, spin);
    }

    /// Returns force \[N\] and torque \[N m\] of gravity on the contents of the holes.
    pub(crate) fn weight_of_content(&self, gravity: DVec3) -> Wrench {
        let Some(filling) = &self.filling else { return Wrench::default() };
        let Filling { fluid, solids, load, .. } = &**filling;
        let moment = self.state.rotation.as_dquat().normalize() * (fluid.moment + solids.moment);
        let (mass, moment) =
            (self.density * (fluid.volume + solids.volume) + load.0, moment * self.density + load.1);
        Wrench { force: gravity * mass, torque: moment.cross(gravity) }
    }
}

/// Returns the excess mass of the vortons in the `holes` of a body at `pose`.
fn load_in(holes: &Holes, exec: &dyn Executor, pose: Pose, vortons: &Vortons) -> Seen {
    RowParts::of(vortons.len()).sum(exec, |rows, seen: &mut Seen| {
        for row in rows {
            let mass = f64::from(vortons.mass_deviations[row]);
            let local = pose.to_local(vortons.positions.get(row));
            if mass != 0.0 && mass.is_finite() && holes.contains(local) {
                seen.mass += mass;
                seen.moment += local.as_dvec3() * mass;
            }
        }
    })
}
