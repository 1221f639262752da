//! Level geometry from a host's arrays: meshes and height fields.

use crate::memory::slice;
use crate::status::*;
use crate::types::shape::{
    VORTON_MAX_HEIGHT_FIELD_SAMPLES, VORTON_MAX_MESH_TRIANGLES, VORTON_MAX_MESH_VERTICES,
    VORTON_SHAPE_SAVED_BY_HASH, VortonShapeDef,
};
use bytemuck::Pod;
use fluid_bodies::shapes::{Geometry, HeightField, MeshError, TriangleMesh};
use glam::{UVec2, UVec3, Vec2, Vec3};
use std::sync::Arc;

/// Refuses a count out of its range.
fn check_count(count: u32, least: u32, most: u32, field: &str) -> Outcome {
    if (least..=most).contains(&count) {
        return Ok(());
    }
    Err(Error::bad_value(format_args!("{field} is {count}, but must be from {least} to {most}")))
}

fn no_memory() -> Error {
    Error::new(VORTON_ERR_OUT_OF_MEMORY, "there is no memory for the shape")
}

/// Copies a caller's array, reinterpreting its elements as another type of the same layout.
///
/// # Safety
/// `pointer` is null or points to `count` readable elements that are not written meanwhile.
unsafe fn copied<T: Pod, U: Pod>(pointer: *const T, count: usize, name: &str) -> Outcome<Vec<U>> {
    // SAFETY: the caller's promise.
    let values: &[T] = unsafe { slice(pointer, count, name) }?;
    let values: &[U] = bytemuck::cast_slice(values);
    let mut copy = Vec::new();
    copy.try_reserve_exact(values.len()).map_err(|_| no_memory())?;
    copy.extend_from_slice(values);
    Ok(copy)
}

fn refused(error: &MeshError) -> Error {
    match error {
        MeshError::NoMemory => no_memory(),
        MeshError::NotFinite => Error::new(VORTON_ERR_NOT_FINITE, error),
        MeshError::NoVertex { .. } => Error::bad_value(format_args!("triangles: {error}")),
        _ => Error::bad_value(error),
    }
}

/// # Safety
/// `points` and `triangles` are null or have as many elements as their counts say.
pub(super) unsafe fn mesh(def: &VortonShapeDef) -> Outcome<Geometry> {
    let (points, triangles) = (def.point_count, def.triangle_count);
    check_count(points, 3, VORTON_MAX_MESH_VERTICES, "point_count")?;
    check_count(triangles, 1, VORTON_MAX_MESH_TRIANGLES, "triangle_count")?;
    // SAFETY: the caller's promise.
    let vertices: Vec<Vec3> = unsafe { copied(def.points, 3 * points as usize, "points") }?;
    finite(bytemuck::cast_slice(&vertices), "points")?;
    // SAFETY: the caller's promise.
    let triangles: Vec<UVec3> = unsafe { copied(def.triangles, 3 * triangles as usize, "triangles") }?;
    let mesh = TriangleMesh::new(vertices, triangles).map_err(|error| refused(&error))?;
    let by_hash = def.flags & VORTON_SHAPE_SAVED_BY_HASH != 0;
    Ok(Geometry::Mesh(Arc::new(if by_hash { mesh.saved_by_hash() } else { mesh })))
}

/// # Safety
/// `heights` is null or has `columns` times `rows` elements.
pub(super) unsafe fn height_field(def: &VortonShapeDef) -> Outcome<Geometry> {
    check_count(def.columns, 2, VORTON_MAX_HEIGHT_FIELD_SAMPLES, "columns")?;
    check_count(def.rows, 2, VORTON_MAX_HEIGHT_FIELD_SAMPLES, "rows")?;
    let samples = UVec2::new(def.columns, def.rows);
    for (value, name) in def.spacing.into_iter().zip(["spacing[0]", "spacing[1]"]) {
        super::positive(value, name)?;
    }
    // SAFETY: the caller's promise.
    let heights: Vec<f32> =
        unsafe { copied(def.heights, samples.x as usize * samples.y as usize, "heights") }?;
    finite(&heights, "heights")?;
    let field = HeightField::new(heights, samples, Vec2::from_array(def.spacing));
    let field = field.map_err(|error| refused(&error))?;
    let by_hash = def.flags & VORTON_SHAPE_SAVED_BY_HASH != 0;
    Ok(Geometry::HeightField(Arc::new(if by_hash { field.saved_by_hash() } else { field })))
}
