//! Sampling the published field at arbitrary points.

use crate::guard;
use crate::state::{Published, with_world};
use crate::status::*;
use crate::types::VortonVec3;
use crate::types::sample::{
    VORTON_SAMPLE_DENSITY, VORTON_SAMPLE_DENSITY_DEVIATION, VORTON_SAMPLE_DYE, VORTON_SAMPLE_TEMPERATURE,
    VORTON_SAMPLE_VELOCITY, VORTON_SAMPLE_VORTICITY,
};
use crate::types::view::{
    VORTON_DENSITY, VORTON_F32, VORTON_F32X3, VORTON_NORMAL, VORTON_POSITION, VORTON_VELOCITY,
    VortonParticleView, VortonStream,
};
use crate::types::world::VortonWorldId;
use crate::view::with_view;
use fluid_core::density::ScalarSample;
use fluid_core::particles::ScalarQuantity;
use fluid_core::velocity::{FlowSample, PublishedField, VelocityField};
use fluid_particles::view::{Chunk, Format, Semantic};
use glam::Vec3;
use std::sync::atomic::{AtomicBool, Ordering};

/// Points per chunk; their scratch is on the stack.
const SAMPLE_CHUNK: usize = 128;

/// The sampled quantity, a vector or a scalar.
#[derive(Clone, Copy)]
enum Quantity {
    Vector(VectorQuantity),
    Scalar(ScalarQuantity),
}

#[derive(Clone, Copy)]
pub(crate) enum VectorQuantity {
    Velocity,
    Vorticity,
}

impl VectorQuantity {
    /// Samples up to [`SAMPLE_CHUNK`] points.
    pub(crate) fn sample(self, field: &PublishedField, points: &[Vec3], out: &mut [Vec3]) {
        match self {
            Self::Velocity => field.velocities(points, out),
            Self::Vorticity => {
                let mut flow = [FlowSample::default(); SAMPLE_CHUNK];
                let flow = &mut flow[..points.len()];
                field.flow(points, flow);
                for (out, sample) in out.iter_mut().zip(flow) {
                    *out = sample.vorticity();
                }
            }
        }
    }
}

/// Returns the vector quantity of a VORTON_SAMPLE_... constant.
pub(crate) fn vector_quantity(quantity: u32) -> Option<VectorQuantity> {
    match quantity {
        VORTON_SAMPLE_VELOCITY => Some(VectorQuantity::Velocity),
        VORTON_SAMPLE_VORTICITY => Some(VectorQuantity::Vorticity),
        _ => None,
    }
}

/// Returns the scalar quantity of a VORTON_SAMPLE_... constant.
pub(crate) fn scalar_quantity(quantity: u32) -> Option<ScalarQuantity> {
    match quantity {
        VORTON_SAMPLE_DENSITY => Some(ScalarQuantity::Density),
        VORTON_SAMPLE_DENSITY_DEVIATION => Some(ScalarQuantity::DensityDeviation),
        VORTON_SAMPLE_TEMPERATURE => Some(ScalarQuantity::Temperature),
        VORTON_SAMPLE_DYE => Some(ScalarQuantity::Dye),
        _ => None,
    }
}

/// Returns the VORTON_SAMPLE_... constant of a quantity.
pub(crate) fn code_of(quantity: ScalarQuantity) -> u32 {
    match quantity {
        ScalarQuantity::Density => VORTON_SAMPLE_DENSITY,
        ScalarQuantity::DensityDeviation => VORTON_SAMPLE_DENSITY_DEVIATION,
        ScalarQuantity::Temperature => VORTON_SAMPLE_TEMPERATURE,
        ScalarQuantity::Dye => VORTON_SAMPLE_DYE,
    }
}

/// Samples one chunk; returns true if all points and results were finite (other results are left untouched).
fn sample_chunk(chunk: &Chunk<'_>, quantity: Quantity, field: &PublishedField) -> bool {
    let Some(points) = chunk.vec3(Semantic::Position) else { return true };
    let mut positions = [Vec3::ZERO; SAMPLE_CHUNK];
    for (k, position) in positions[..chunk.len()].iter_mut().enumerate() {
        *position = points.get(k);
    }
    let finite = positions.map(Vec3::is_finite);
    let positions = positions.map(|p| if p.is_finite() { p } else { Vec3::ZERO });
    let positions = &positions[..chunk.len()];
    let mut all = true;
    let mut wanted = |k: usize, fits: bool| {
        all &= finite[k] && fits;
        finite[k] && fits
    };
    match quantity {
        Quantity::Vector(quantity) => {
            let Some(out) = chunk.vec3(Semantic::Velocity) else { return true };
            let mut values = [Vec3::ZERO; SAMPLE_CHUNK];
            quantity.sample(field, positions, &mut values[..chunk.len()]);
            for (k, value) in values[..chunk.len()].iter().enumerate() {
                if wanted(k, value.is_finite()) {
                    out.set(k, *value);
                }
            }
        }
        Quantity::Scalar(quantity) => {
            let Some(out) = chunk.scalar::<f32>(Semantic::Density) else { return true };
            let mut values = [ScalarSample::default(); SAMPLE_CHUNK];
            field.scalars(positions, &mut values[..chunk.len()]);
            for (k, sample) in values[..chunk.len()].iter().enumerate() {
                let value = quantity.of(sample);
                if wanted(k, value.is_finite()) {
                    out.set(k, value);
                }
            }
        }
    }
    all
}

/// Samples the field of the last step (its midpoint, dt/2 ago) at `count` points, anywhere in space. May run
/// while another thread steps the world: it then reads the field of the previous step. Before the first step
/// the field is the undisturbed ambient. The two arrays must not overlap. Does not allocate.
///
/// @param quantity     VORTON_SAMPLE_...
/// @param points       positions [m], three floats each
/// @param point_stride bytes from one position to the next; 0: packed
/// @param out          results: three floats each for velocity and vorticity, one for the others
/// @param out_stride   bytes from one result to the next; 0: packed
/// @return VORTON_NOTE_SKIPPED_NONFINITE if some points, or the field there, were not finite; their results
///     are untouched
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_sample(
    world: VortonWorldId,
    quantity: u32,
    points: *const f32,
    point_stride: u32,
    out: *mut f32,
    out_stride: u32,
    count: usize,
) -> VortonResult {
    guard::call(|| {
        let vector = vector_quantity(quantity).map(Quantity::Vector);
        let quantity =
            vector.or_else(|| scalar_quantity(quantity).map(Quantity::Scalar)).ok_or_else(|| {
                Error::bad_value(format_args!(
                    "quantity is {quantity}, which is no VORTON_SAMPLE_... constant"
                ))
            })?;
        not_null(&[("points", points), ("out", out)], count)?;
        let (result, format) = match quantity {
            Quantity::Vector(_) => (VORTON_VELOCITY, VORTON_F32X3),
            Quantity::Scalar(_) => (VORTON_DENSITY, VORTON_F32),
        };
        // Points are only read; the view's type is mutable.
        let streams = [
            stream(VORTON_POSITION, VORTON_F32X3, points.cast_mut(), point_stride),
            stream(result, format, out, out_stride),
        ];
        // SAFETY: the caller promises the two arrays.
        unsafe {
            in_chunks(world, &streams, count, &|chunk, seen| sample_chunk(chunk, quantity, &seen.field))
        }
    })
}

/// Integrates a scalar of the field that vorton_world_sample reads along `count` straight lines, for instance
/// the amount of smoke between two points. For smoke with an extinction of k per metre at dye 1, the fraction
/// exp(-k * result) of the light passes. May run while another thread steps the world. The two arrays must
/// not overlap. Does not allocate.
///
/// @param quantity    VORTON_SAMPLE_DYE (results in m) or VORTON_SAMPLE_DENSITY_DEVIATION (kg/m^2)
/// @param lines       start and end of each line [m], six floats
/// @param line_stride bytes from one line to the next; 0: packed
/// @param out         results, one float each
/// @param out_stride  bytes from one result to the next; 0: packed
/// @return VORTON_NOTE_SKIPPED_NONFINITE if some points, or the field between them, were not finite; their
///     results are untouched
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_sample_lines(
    world: VortonWorldId,
    quantity: u32,
    lines: *const f32,
    line_stride: u32,
    out: *mut f32,
    out_stride: u32,
    count: usize,
) -> VortonResult {
    guard::call(|| {
        let component = match quantity {
            VORTON_SAMPLE_DENSITY_DEVIATION => 0,
            VORTON_SAMPLE_DYE => 1,
            other => {
                let text = format_args!(
                    "quantity is {other}, but must be VORTON_SAMPLE_DYE or VORTON_SAMPLE_DENSITY_DEVIATION"
                );
                return Err(Error::bad_value(text));
            }
        };
        not_null(&[("lines", lines), ("out", out)], count)?;
        let line_stride = if line_stride == 0 { 2 * size_of::<VortonVec3>() as u32 } else { line_stride };
        let streams = [
            stream(VORTON_POSITION, VORTON_F32X3, lines.cast_mut(), line_stride),
            VortonStream {
                offset: size_of::<VortonVec3>() as u32,
                ..stream(VORTON_NORMAL, VORTON_F32X3, lines.cast_mut(), line_stride)
            },
            stream(VORTON_DENSITY, VORTON_F32, out, out_stride),
        ];
        // SAFETY: the caller promises the two arrays.
        unsafe {
            in_chunks(world, &streams, count, &|chunk, seen| integrate_chunk(chunk, component, &seen.field))
        }
    })
}

/// Integrates along the lines of one chunk; returns as [`sample_chunk`].
fn integrate_chunk(chunk: &Chunk<'_>, component: usize, field: &PublishedField) -> bool {
    let columns = (chunk.vec3(Semantic::Position), chunk.vec3(Semantic::Normal));
    let ((Some(from), Some(to)), Some(out)) = (columns, chunk.scalar::<f32>(Semantic::Density)) else {
        return true;
    };
    let mut all = true;
    for k in 0..chunk.len() {
        let (from, to) = (from.get(k), to.get(k));
        let value = field.line_integral(from, to)[component];
        if from.is_finite() && to.is_finite() && value.is_finite() {
            out.set(k, value);
        } else {
            all = false;
        }
    }
    all
}

pub(crate) fn not_null(pointers: &[(&str, *const f32)], count: usize) -> Outcome {
    match pointers.iter().find(|(_, pointer)| pointer.is_null() && count > 0) {
        Some((what, _)) => Err(Error::new(VORTON_ERR_NULL, format_args!("{what} is NULL"))),
        None => Ok(()),
    }
}

/// Describes one of a call's arrays; a stride of 0 is that of packed elements.
pub(crate) fn stream(semantic: u32, format: u32, base: *mut f32, stride: u32) -> VortonStream {
    let packed = || Format::from_code(format).map_or(0, |format| format.size() as u32);
    let stride = if stride == 0 { packed() } else { stride };
    VortonStream { semantic, format, stride, offset: 0, base: base.cast() }
}

/// Runs `sample` on chunks of the rows of these streams; `sample` returns false if it skipped a row.
///
/// # Safety
/// The arrays of the streams have `count` rows and are not used by other threads meanwhile.
pub(crate) unsafe fn in_chunks(
    world: VortonWorldId,
    streams: &[VortonStream],
    count: usize,
    sample: &(dyn Fn(&Chunk<'_>, &Published) -> bool + Sync),
) -> Outcome<VortonResult> {
    let view = VortonParticleView {
        struct_size: size_of::<VortonParticleView>() as u32,
        stream_count: streams.len() as u32,
        count,
        capacity: count,
        streams: streams.as_ptr(),
        ..VortonParticleView::EMPTY
    };
    with_world(world, |world| {
        let published = world.published();
        // SAFETY: the caller promises the arrays; `with_view` checks what can be checked.
        unsafe {
            with_view(&raw const view, |view| {
                let skipped = AtomicBool::new(false);
                // No data per chunk; a vector of units does not allocate.
                let mut nothing = vec![(); count.div_ceil(SAMPLE_CHUNK)];
                view.for_each_chunk(&*world.exec, SAMPLE_CHUNK, &mut nothing, &|chunk, ()| {
                    if !sample(&chunk, &published) {
                        skipped.store(true, Ordering::Relaxed);
                    }
                });
                Ok(if skipped.into_inner() { VORTON_NOTE_SKIPPED_NONFINITE } else { VORTON_OK })
            })
        }
    })
}
