//! Sampling the published field at points of the host's choice.

use crate::guard;
use crate::status::*;
use crate::view::{
    VORTON_F32X3, VORTON_POSITION, VORTON_VELOCITY, VortonParticleView, VortonStream, with_view,
};
use crate::world::{VortonWorldId, with_world};
use fluid_core::particles::view::{Chunk, Semantic};
use fluid_core::velocity::{FlowSample, PublishedField, VelocityField};
use glam::Vec3;
use libc::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

/// Velocity [m/s], wind included.
pub const VORTON_SAMPLE_VELOCITY: u32 = 1;
/// Vorticity [1/s], the curl of the velocity.
pub const VORTON_SAMPLE_VORTICITY: u32 = 2;

/// Points per chunk; their scratch is on the stack.
const CHUNK: usize = 128;

#[derive(Clone, Copy)]
enum Quantity {
    Velocity,
    Vorticity,
}

impl Quantity {
    fn sample(self, field: &PublishedField, points: &[Vec3], out: &mut [Vec3]) {
        match self {
            Self::Velocity => field.velocities(points, out),
            Self::Vorticity => {
                let mut flow = [FlowSample::default(); CHUNK];
                let flow = &mut flow[..points.len()];
                field.flow(points, flow);
                for (out, sample) in out.iter_mut().zip(flow) {
                    *out = sample.vorticity();
                }
            }
        }
    }
}

/// Samples one chunk; returns whether all points were finite (the results of others are left untouched).
fn sample_chunk(chunk: &Chunk<'_>, quantity: Quantity, field: &PublishedField) -> bool {
    let (Some(points), Some(out)) = (chunk.vec3(Semantic::Position), chunk.vec3(Semantic::Velocity)) else {
        return true;
    };
    let mut positions = [Vec3::ZERO; CHUNK];
    for (k, position) in positions[..chunk.len()].iter_mut().enumerate() {
        *position = points.get(k);
    }
    let finite = positions.map(Vec3::is_finite);
    let positions = positions.map(|p| if p.is_finite() { p } else { Vec3::ZERO });
    let mut values = [Vec3::ZERO; CHUNK];
    quantity.sample(field, &positions[..chunk.len()], &mut values[..chunk.len()]);
    for (k, value) in values[..chunk.len()].iter().enumerate().filter(|(k, _)| finite[*k]) {
        out.set(k, *value);
    }
    !finite[..chunk.len()].contains(&false)
}

/// Samples the field of the last step (its midpoint, dt/2 ago) at `count` points. May run while another thread steps the
/// world: it then sees the field of the step before. The two arrays must not overlap. Does not allocate.
///
/// @param quantity     VORTON_SAMPLE_...
/// @param points       positions [m], three floats each
/// @param point_stride bytes from one position to the next
/// @param out          results, three floats each
/// @param out_stride   bytes from one result to the next
/// @return VORTON_NOTE_SKIPPED_NONFINITE if some points were not finite; their results are untouched
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_sample(
    world: VortonWorldId,
    quantity: u32,
    points: *const f32,
    point_stride: u32,
    out: *mut f32,
    out_stride: u32,
    count: usize,
) -> VortonResult {
    guard::call(|| {
        let quantity = match quantity {
            VORTON_SAMPLE_VELOCITY => Quantity::Velocity,
            VORTON_SAMPLE_VORTICITY => Quantity::Vorticity,
            other => {
                return Err(Error::bad_value(format_args!(
                    "quantity is {other}, which is no VORTON_SAMPLE_... constant"
                )));
            }
        };
        let null = |what: &str| Err(Error::new(VORTON_ERR_NULL, format_args!("{what} is NULL")));
        match (points.is_null(), out.is_null()) {
            (true, _) if count > 0 => return null("points"),
            (_, true) if count > 0 => return null("out"),
            _ => {}
        }
        let stream = |semantic, base: *mut c_void, stride| VortonStream {
            semantic,
            format: VORTON_F32X3,
            stride,
            offset: 0,
            base,
        };
        // Points are only read; the view's type does not say so.
        let streams = [
            stream(VORTON_POSITION, points.cast_mut().cast(), point_stride),
            stream(VORTON_VELOCITY, out.cast(), out_stride),
        ];
        let view = VortonParticleView {
            struct_size: size_of::<VortonParticleView>() as u32,
            stream_count: 2,
            count,
            capacity: count,
            streams: streams.as_ptr(),
            ..VortonParticleView::EMPTY
        };
        with_world(world, |world| {
            let field = world.field();
            // SAFETY: the caller promises the two arrays; `with_view` checks what can be checked.
            unsafe {
                with_view(&raw const view, |view| {
                    let skipped = AtomicBool::new(false);
                    // Nothing per chunk, and a vector of nothing does not allocate.
                    let mut nothing = vec![(); count.div_ceil(CHUNK)];
                    view.for_each_chunk(&*world.exec, CHUNK, &mut nothing, &|chunk, ()| {
                        if !sample_chunk(&chunk, quantity, &field) {
                            skipped.store(true, Ordering::Relaxed);
                        }
                    });
                    Ok(if skipped.into_inner() { VORTON_NOTE_SKIPPED_NONFINITE } else { VORTON_OK })
                })
            }
        })
    })
}
