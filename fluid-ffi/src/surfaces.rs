//! Distance queries from arbitrary points to solid surfaces.

use crate::guard;
use crate::handle::{Key, stale};
use crate::memory::check_strided;
use crate::sample::{in_chunks, not_null, stream};
use crate::state::{Published, with_world};
use crate::status::*;
use crate::types::body::VortonBodyId;
use crate::types::surfaces::VortonSurface;
use crate::types::view::{
    VORTON_DENSITY, VORTON_F32, VORTON_F32X3, VORTON_FLAGS, VORTON_HIT, VORTON_NORMAL, VORTON_POSITION,
    VORTON_U32, VORTON_VELOCITY, VortonStream,
};
use crate::types::world::VortonWorldId;
use fluid_particles::view::{Chunk, Semantic};
use glam::Vec3;
use std::mem::offset_of;

const RESULT: u32 = size_of::<VortonSurface>() as u32;

/// Finds the surfaces for the points of one chunk; returns true if all points and results were finite.
fn look_from(chunk: &Chunk<'_>, seen: &Published, world: u32, only: Option<Key>, reach: f32) -> bool {
    let columns =
        (chunk.vec3(Semantic::Position), chunk.vec3(Semantic::Velocity), chunk.vec3(Semantic::Normal));
    let (Some(places), Some(points), Some(normals)) = columns else { return true };
    let ids = (chunk.scalar::<u32>(Semantic::Hit), chunk.scalar::<u32>(Semantic::Flags));
    let (Some(distances), (Some(slots), Some(rests))) = (chunk.scalar::<f32>(Semantic::Density), ids) else {
        return true;
    };
    let mut all = true;
    for k in 0..chunk.len() {
        let place = places.get(k);
        if !place.is_finite() {
            all = false;
            continue;
        }
        let found = match only {
            Some(body) => seen.bodies.surface_of(body, place, reach).map(|surface| (body, surface)),
            None => seen.bodies.nearest(place, reach),
        };
        let (distance, point, normal, body) = match found {
            Some((key, surface)) => {
                (surface.distance, surface.point, surface.normal, VortonBodyId::new(key, world))
            }
            None => (reach, Vec3::ZERO, Vec3::ZERO, VortonBodyId { index1: 0, world: 0, generation: 0 }),
        };
        if !(distance.is_finite() && point.is_finite() && normal.is_finite()) {
            all = false;
            continue;
        }
        distances.set(k, distance);
        points.set(k, point);
        normals.set(k, normal);
        slots.set(k, body.index1);
        rests.set(k, halves(body.world, body.generation));
    }
    all
}

/// Packs two numbers in memory order.
fn halves(first: u16, second: u16) -> u32 {
    let ([a, b], [c, d]) = (first.to_ne_bytes(), second.to_ne_bytes());
    u32::from_ne_bytes([a, b, c, d])
}

/// Finds the solid surface nearest to each of `count` points, for instance for penetration depth or obstacle
/// avoidance of your own particles. Distances are exact, also at edges and corners; inside overlapping
/// shapes, the result is that of the single shape in which the point is deepest. The walls of a container
/// (VORTON_SHAPE_HOLE) count for points inside it, with positive distance; points outside its holes ignore
/// it.
///
/// Bodies have their poses after the last completed step, so this may run while another thread steps the
/// world. Bodies and shapes created since are included after the next step (one with dt 0 is enough). The two
/// arrays must not overlap. Does not allocate.
///
/// @param body         NULL: the nearest of all bodies; otherwise only this body counts
/// @param reach        surfaces further away than this [m] are ignored; above 0
/// @param points       positions [m], three floats each
/// @param point_stride bytes from one position to the next; 0: packed
/// @param out          count results
/// @param out_stride   bytes from one result to the next; 0: packed
/// @return VORTON_NOTE_SKIPPED_NONFINITE if some points were not finite; their results are untouched
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_sample_surfaces(
    world: VortonWorldId,
    body: *const VortonBodyId,
    reach: f32,
    points: *const f32,
    point_stride: u32,
    out: *mut VortonSurface,
    out_stride: u32,
    count: usize,
) -> VortonResult {
    guard::call(|| {
        finite(&[reach], "reach")?;
        if reach <= 0.0 {
            return Err(Error::bad_value(format_args!("reach is {reach}, but must be positive")));
        }
        // SAFETY: the caller passes null or an id.
        let only = unsafe { crate::memory::slice(body, usize::from(!body.is_null()), "body") }?.first();
        let (serial, only) = with_world(world, |world| {
            let key = only.map(|body| body.key(world.serial)).transpose()?;
            let lives = key.is_none_or(|key| world.body_ids().bodies.get(key).is_some());
            if lives { Ok((world.serial, key)) } else { Err(stale(VortonBodyId::KIND)) }
        })?;
        not_null(&[("points", points), ("out", out.cast_const().cast())], count)?;
        check_strided(out, out_stride as usize, count, "out")?;
        let out_stride = if out_stride == 0 { RESULT } else { out_stride };
        let part = |semantic, format, offset: usize| VortonStream {
            offset: offset as u32,
            ..stream(semantic, format, out.cast(), out_stride)
        };
        let body = offset_of!(VortonSurface, body);
        // A view checks the two arrays; each part of a result is a stream of the part's format. Points are
        // only read; the view's type is mutable.
        let streams = [
            stream(VORTON_POSITION, VORTON_F32X3, points.cast_mut(), point_stride),
            part(VORTON_DENSITY, VORTON_F32, offset_of!(VortonSurface, distance)),
            part(VORTON_VELOCITY, VORTON_F32X3, offset_of!(VortonSurface, point)),
            part(VORTON_NORMAL, VORTON_F32X3, offset_of!(VortonSurface, normal)),
            part(VORTON_HIT, VORTON_U32, body + offset_of!(VortonBodyId, index1)),
            part(VORTON_FLAGS, VORTON_U32, body + offset_of!(VortonBodyId, world)),
        ];
        let look = |chunk: &Chunk<'_>, seen: &Published| look_from(chunk, seen, serial, only, reach);
        // SAFETY: the caller promises the two arrays.
        unsafe { in_chunks(world, &streams, count, &look) }
    })
}
