//! The contents of a world as lines: one function for each kind.

use super::definition::Drawing;
use super::lines::{Figures, Pen, dim, opaque, ramp};
use super::shapes::{self, DrawnRegion};
use fluid_bodies::bodies::Bodies;
use fluid_bodies::contact::Contact;
use fluid_bodies::pose::Pose;
use fluid_bodies::shapes::{Parity, Shape};
use fluid_core::density::ScalarGrid;
use fluid_core::emitter::{Emitter, Nozzle};
use fluid_core::grid::GridShape;
use fluid_core::kill_volumes::{KillShape, KillSide, KillVolume};
use fluid_core::particles::Vortons;
use fluid_core::velocity::PublishedField;
use glam::Vec3;

/// Colour of vortons without strength.
const WITHOUT_STRENGTH: u32 = opaque(128, 128, 128);
const SOLID: u32 = opaque(208, 208, 208);
const HOLE: u32 = opaque(255, 160, 32);
const CONTACT: u32 = opaque(255, 0, 255);
const VELOCITY_MESH: u32 = opaque(128, 96, 255);
const DENSITY_MESH: u32 = opaque(160, 96, 32);
const KILLS: u32 = opaque(224, 32, 32);
const BOUNDS: u32 = opaque(32, 176, 32);
const EMITTER: u32 = opaque(255, 240, 64);

/// Least half width of the drawn patch of a half-space \[core radii\].
const LEAST_REACH: f32 = 8.0;
/// Largest half width \[m\]: the cells are floats.
const MOST_REACH: f32 = 1e30;
/// Half width of the part of a patch that is drawn for any position of its lines, in cells \[1\].
const SURE_CELLS: f32 = 4.0;

/// Returns the unit direction and length of a vector; `None` if it is 0. Very long and very short vectors
/// neither overflow nor underflow.
fn direction_and_length(vector: Vec3) -> Option<(Vec3, f32)> {
    let largest = vector.abs().max_element();
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    let scaled = vector / largest;
    let length = scaled.length();
    Some((scaled / length, (largest * length).min(f32::MAX)))
}

/// Draws vortons, each a line along its strength.
pub(super) fn vortons(pen: &mut Pen<'_>, drawing: &Drawing, vortons: &Vortons, core_radius: f32) {
    let strength = |row: usize| direction_and_length(vortons.strengths.get(row));
    let strongest = || {
        let lengths = (0..vortons.len()).filter_map(|row| Some(strength(row)?.1));
        lengths.fold(f32::MIN_POSITIVE, f32::max)
    };
    let most = drawing.max_strength.unwrap_or_else(strongest);
    let half = 0.5 * drawing.vorton_length * core_radius;
    for row in 0..vortons.len() {
        let place = vortons.positions.get(row);
        if !drawing.shows(place) {
            continue;
        }
        let (color, direction) = match strength(row) {
            Some((direction, length)) => (ramp(length / most), direction),
            None => (WITHOUT_STRENGTH, Vec3::Z),
        };
        pen.color = color;
        pen.line(place - direction * half, place + direction * half);
    }
}

/// Draws arrows of these velocities \[m/s\] at the points of the lattice.
pub(super) fn arrows(pen: &mut Pen<'_>, drawing: &Drawing, velocities: &[Vec3]) {
    let speed = |velocity: Vec3| direction_and_length(velocity).map_or(0.0, |(_, length)| length);
    let fastest = || velocities.iter().map(|&velocity| speed(velocity)).fold(f32::MIN_POSITIVE, f32::max);
    let most = drawing.max_speed.unwrap_or_else(fastest);
    for (number, &velocity) in velocities.iter().enumerate() {
        let from = drawing.lattice.point(number);
        pen.color = ramp(speed(velocity) / most);
        pen.arrow(from, from + velocity * drawing.arrow_length);
    }
}

/// Draws the boxes of the meshes of a field.
pub(super) fn meshes(pen: &mut Pen<'_>, field: &PublishedField) {
    let mut draw = |shape: &GridShape, color: u32| {
        if shape.is_empty() {
            return;
        }
        let edges = (shape.dims() - 1).as_vec3() * shape.spacing();
        pen.color = color;
        Figures { pen: &mut *pen, at: |point| shape.origin() + point }.cuboid(Vec3::ZERO, edges);
    };
    if let Some(shape) = field.sampled_mesh() {
        draw(shape, VELOCITY_MESH);
    }
    let first = field.scalar_grid();
    let boxes = std::iter::once(first).chain(first.others()).map(ScalarGrid::shape);
    boxes.for_each(|shape| draw(shape, DENSITY_MESH));
}

/// Draws the shapes of bodies that have this parity, at the present poses.
pub(super) fn bodies(
    pen: &mut Pen<'_>,
    drawing: &Drawing,
    bodies: &Bodies,
    parity: Parity,
    fluid: impl Fn() -> VortonBall,
) {
    for (body, obstacle) in bodies.list().iter().zip(bodies.obstacles().list()) {
        let color = if parity == Parity::Solid { SOLID } else { HOLE };
        pen.color = if body.is_asleep() { dim(color) } else { color };
        let of_parity = obstacle.shapes().iter().filter(|shape| shape.parity == parity);
        of_parity.for_each(|shape| draw_shape(pen, drawing, shape, &body.state().pose(), &fluid));
    }
}

fn draw_shape(
    pen: &mut Pen<'_>,
    drawing: &Drawing,
    shape: &Shape,
    body: &Pose,
    fluid: &dyn Fn() -> VortonBall,
) {
    let at = |point: Vec3| body.to_world(shape.pose.to_world(point));
    let (centre, radius) = shape.geometry.queries().bounding_sphere();
    if !drawing.shows_ball(at(centre), radius) {
        return;
    }
    let patch = || {
        let VortonBall { centre, radius } = fluid();
        let centre = shape.pose.to_local(body.to_local(centre));
        DrawnRegion { centre, cell: power_of_two_above(radius / SURE_CELLS) }
    };
    shapes::draw(&shape.geometry, &mut Figures { pen, at }, patch);
}

/// Returns the least power of two above a positive number.
fn power_of_two_above(number: f32) -> f32 {
    const EXPONENT: u32 = 0x7f80_0000;
    2.0 * f32::from_bits(number.to_bits() & EXPONENT)
}

/// A ball around the drawn vortons.
#[derive(Debug, Clone, Copy)]
pub(super) struct VortonBall {
    centre: Vec3,
    radius: f32,
}

impl VortonBall {
    /// Computes the ball; without vortons it is around the origin.
    pub(super) fn of(drawing: &Drawing, vortons: &Vortons, core_radius: f32) -> Self {
        let places = (0..vortons.len()).map(|row| vortons.positions.get(row));
        let nothing = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let (low, high) = places
            .filter(|&place| drawing.shows(place))
            .fold(nothing, |(low, high), place| (low.min(place), high.max(place)));
        let (centre, half) = if low.x <= high.x {
            (0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low)
        } else {
            (Vec3::ZERO, Vec3::ZERO)
        };
        let radius = direction_and_length(half).map_or(0.0, |(_, length)| length);
        Self { centre, radius: radius.max(LEAST_REACH * core_radius).min(MOST_REACH) }
    }
}

/// Draws contacts, each a line from the surface along its normal.
pub(super) fn contacts(pen: &mut Pen<'_>, drawing: &Drawing, contacts: &[Contact], core_radius: f32) {
    pen.color = CONTACT;
    for contact in contacts.iter().filter(|contact| drawing.shows(contact.point)) {
        pen.line(contact.point, contact.point + contact.normal * (drawing.contact_length * core_radius));
    }
}

/// Draws the volumes in which particles are removed.
pub(super) fn kill_volumes(pen: &mut Pen<'_>, volumes: &[KillVolume]) {
    for volume in volumes {
        pen.color = match volume.side {
            KillSide::Inside => KILLS,
            KillSide::Outside => BOUNDS,
        };
        let pose = Pose { position: volume.position, rotation: volume.rotation };
        let mut figures = Figures { pen: &mut *pen, at: |point| pose.to_world(point) };
        match volume.shape {
            KillShape::Cuboid(half_extents) => figures.cuboid(-half_extents, half_extents),
            KillShape::Ball(radius) => figures.sphere(radius),
        }
    }
}

/// Draws the boxes in which emitters create vortons, and boxes around the discs of their nozzles.
pub(super) fn emitters(pen: &mut Pen<'_>, emitters: &[Emitter], bodies: &Bodies) {
    pen.color = EMITTER;
    for emitter in emitters {
        let placed = emitter.placed_now(bodies);
        let pose = Pose { position: placed.position, rotation: placed.rotation };
        let disc = |nozzle: Nozzle| Vec3::new(nozzle.radius, nozzle.radius, 0.0);
        let half = placed.nozzle.map_or(0.5 * placed.extent, disc);
        Figures { pen: &mut *pen, at: |point| pose.to_world(point) }.cuboid(-half, half);
    }
}
