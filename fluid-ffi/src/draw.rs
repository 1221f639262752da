//! A world as coloured lines, for the debug view of an engine.

use crate::guard;
use crate::memory::{check_array, check_output, read_def, write, write_sized};
use crate::state::{State, World, with_world};
use crate::status::*;
use crate::types::draw::VortonDrawDef;
use crate::types::draw::VortonLine;
use crate::types::draw::{
    VORTON_DRAW_BODIES, VORTON_DRAW_CONTACTS, VORTON_DRAW_CONTAINERS, VORTON_DRAW_EMITTERS,
    VORTON_DRAW_FIELD, VORTON_DRAW_KILL_VOLUMES, VORTON_DRAW_MESH, VORTON_DRAW_VORTONS,
};
use crate::types::world::VortonWorldId;
use definition::Drawing;
use fluid_bodies::shapes::Parity;
use fluid_core::velocity::{PublishedField, VelocityField};
use fluid_threads::for_each_chunk_mut;
use glam::Vec3;
use lines::{ARROW, Pen};
use std::mem::MaybeUninit;
use things::VortonBall;

pub mod definition;
pub mod lines;
mod shapes;
mod things;

/// Arrows that are sampled together.
const TOGETHER: usize = 128;

/// Draws arrows, all or as many as fit. Colours are scaled by all arrows, not only by the drawn ones.
fn draw_arrows(pen: &mut Pen<'_>, drawing: &Drawing, world: &World, field: &PublishedField) -> Outcome {
    let lattice = &drawing.lattice;
    if !pen.has_room() {
        pen.skip(ARROW * lattice.len());
        return Ok(());
    }
    let mut velocities = world.take_velocities();
    velocities.try_reserve_exact(lattice.len().saturating_sub(velocities.len())).map_err(|_| {
        let text = format_args!("there is no memory for {} arrows", lattice.len());
        Error::new(VORTON_ERR_OUT_OF_MEMORY, text)
    })?;
    velocities.resize(lattice.len(), Vec3::ZERO);
    for_each_chunk_mut(&*world.exec, TOGETHER, velocities.as_mut_slice(), &|first, part: &mut [Vec3]| {
        let mut points = [Vec3::ZERO; TOGETHER];
        let points = &mut points[..part.len()];
        points.iter_mut().enumerate().for_each(|(i, point)| *point = lattice.point(first + i));
        field.velocities(points, part);
        part.iter_mut().filter(|velocity| !velocity.is_finite()).for_each(|velocity| *velocity = Vec3::ZERO);
    });
    things::arrows(pen, drawing, &velocities);
    world.give_back_velocities(velocities);
    Ok(())
}

/// Draws the parts that steps change.
fn draw_state(pen: &mut Pen<'_>, drawing: &Drawing, state: &State) {
    let State { sim, bodies, .. } = state;
    let (bodies, core_radius) = (&bodies.bodies, sim.params().core_radius);
    let fluid = || VortonBall::of(drawing, sim.vortons(), core_radius);
    if drawing.has(VORTON_DRAW_BODIES) {
        things::bodies(pen, drawing, bodies, Parity::Solid, fluid);
    }
    if drawing.has(VORTON_DRAW_CONTAINERS) {
        things::bodies(pen, drawing, bodies, Parity::Hole, fluid);
    }
    if drawing.has(VORTON_DRAW_KILL_VOLUMES) {
        things::kill_volumes(pen, sim.kill_volumes());
    }
    if drawing.has(VORTON_DRAW_EMITTERS) {
        things::emitters(pen, sim.emitters(), bodies);
    }
    if drawing.has(VORTON_DRAW_CONTACTS) {
        things::contacts(pen, drawing, bodies.contacts(), core_radius);
    }
    if drawing.has(VORTON_DRAW_VORTONS) {
        things::vortons(pen, drawing, sim.vortons(), core_radius);
    }
}

/// Draws the world, large figures with few lines first.
fn draw(pen: &mut Pen<'_>, drawing: &Drawing, world: &World) -> Outcome {
    let state = if drawing.is_of_field() { None } else { Some(world.read()?) };
    // While the state is read, no step publishes another one.
    let field = world.field();
    if drawing.has(VORTON_DRAW_MESH) {
        things::meshes(pen, &field);
    }
    if let Some(state) = state {
        draw_state(pen, drawing, &state);
    }
    if drawing.has(VORTON_DRAW_FIELD) {
        draw_arrows(pen, drawing, world, &field)?;
    }
    Ok(())
}

/// Fills a definition with the defaults: everything but arrows.
///
/// @param struct_size sizeof(VortonDrawDef)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_draw_def_init(out: *mut VortonDrawDef, struct_size: u32) -> VortonResult {
    // SAFETY: the caller passes null or a struct of struct_size bytes.
    guard::run(|| unsafe { write_sized(out, struct_size, VortonDrawDef::default(), "out") })
}

/// Draws a world as coloured lines, for the debug view of an engine: one call per frame fills a buffer that a
/// line renderer can use directly. The order of the lines: meshes, bodies, containers, kill volumes,
/// emitters, contacts, vortons, arrows of the field.
///
/// Bodies have the poses of vorton_body_read, contacts are those of the last step, and the field is the one
/// that vorton_world_sample reads. A reader: VORTON_ERR_BUSY while another thread changes or steps the world.
/// With VORTON_DRAW_FIELD, VORTON_DRAW_MESH or both, and no other flag, it may run while another thread steps
/// the world. Arrows are sampled by the world's threads, and allocate 12 bytes each if there are more than
/// before. Otherwise it does not allocate.
///
/// @param out       room for capacity lines; may be NULL if capacity is 0
/// @param out_count receives the number of lines, also when they do not fit
/// @return VORTON_NOTE_TRUNCATED if capacity is less than that; `out` then has the first lines. A capacity of
///     0 only returns the count, and is VORTON_OK; it samples nothing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_draw(
    world: VortonWorldId,
    def: *const VortonDrawDef,
    out: *mut VortonLine,
    capacity: usize,
    out_count: *mut usize,
) -> VortonResult {
    guard::call(|| {
        // SAFETY: the caller passes null or a definition of struct_size bytes.
        let def = unsafe { read_def(def, VortonDrawDef::default(), "def") }?;
        let drawing = def.checked()?;
        check_array(out, capacity, "out")?;
        check_output(out_count, "out_count")?;
        let room = if capacity == 0 {
            &mut []
        } else {
            // SAFETY: checked above; the caller promises this capacity, and it is only written.
            unsafe { std::slice::from_raw_parts_mut(out.cast::<MaybeUninit<VortonLine>>(), capacity) }
        };
        let mut pen = Pen::new(room);
        with_world(world, |world| draw(&mut pen, &drawing, world))?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write(out_count, pen.count(), "out_count") }?;
        let is_cut = capacity > 0 && capacity < pen.count();
        Ok(if is_cut { VORTON_NOTE_TRUNCATED } else { VORTON_OK })
    })
}
